//! What a step is: calls of the cipher, products, sums of words, and sums modulo 2 of their bits.

use crate::place::{BITS, Places, as_is, little_words};
use std::collections::{BTreeMap, HashMap};
use usuba_algebra::fallback::FALLBACKS;
use usuba_algebra::product::{Product, products};
use usuba_algebra::run::{bits_of, run_around};
use usuba_algebra::sums::{Sum, Symbol, Symbols, WIDE, WordOp};
use usuba_algebra::why::Why;
use usuba_lang::ast;
use usuba_lang::elaborate::{Options, elaborate};
use usuba_lang::typed::{self, ArithmeticOp, ExpressionKind, InstanceId, LogicOp};
use usuba_message::form::Cipher;

/// A bit: a constant, and bits of values, the first bit of a value being bit 0. They are added modulo 2.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bit {
    /// The constant.
    pub constant: bool,
    /// Values by their number in [`Step::values`], and which of their bits.
    pub terms: Vec<(usize, u32)>,
}

/// A value that is not a sum of bits of others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// An input of the step, by its place.
    Input(usize),
    /// A block through the cipher.
    Cipher {
        /// The node that does it.
        node: String,
        /// The block.
        block: Vec<Bit>,
        /// The input that is the round keys, by its place.
        keys: usize,
    },
    /// A product of two blocks.
    Product {
        /// Which.
        product: Product,
        /// One factor.
        left: Vec<Bit>,
        /// The other.
        right: Vec<Bit>,
    },
    /// What an instance makes that is not looked into.
    Call {
        /// The instance.
        callee: InstanceId,
        /// The bits of its inputs, one after the other.
        arguments: Vec<Bit>,
        /// How many bits its outputs have.
        bits: u32,
    },
    /// Products bit by bit.
    And {
        /// One factor of each.
        left: Vec<Bit>,
        /// The other.
        right: Vec<Bit>,
    },
    /// Sums bit by bit that are computed as they are written, of words that fill many registers.
    Xor {
        /// One summand of each.
        left: Vec<Bit>,
        /// The other.
        right: Vec<Bit>,
    },
    /// A sum, a difference or a product of two words, the most significant bit first.
    Word {
        /// Which.
        op: ArithmeticOp,
        /// One word.
        left: Vec<Bit>,
        /// The other.
        right: Vec<Bit>,
    },
}

/// A step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The bits of each input.
    pub inputs: Vec<u32>,
    /// The values, each after those that it is made of.
    pub values: Vec<Value>,
    /// The bits of each output as they lie in memory: words of more than a byte are little-endian.
    pub outputs: Vec<Vec<Bit>>,
    /// The outputs, by their places, that are round keys: their bits above are those of the key, which goes through the schedule.
    pub schedules: Vec<usize>,
}

impl Step {
    /// The blocks that the outputs are, each output beginning one.
    pub fn blocks(&self) -> usize {
        self.outputs.iter().map(|bits| blocks(bits.len() as u32)).sum()
    }

    /// The same without the values that no output depends on: these are products of no bits.
    pub fn needed(mut self) -> Step {
        let mut wanted = vec![false; self.values.len()];
        let mark = |bits: &[Bit], wanted: &mut Vec<bool>| {
            bits.iter().flat_map(|bit| &bit.terms).for_each(|(id, _)| wanted[*id] = true);
        };
        self.outputs.iter().for_each(|bits| mark(bits, &mut wanted));
        for id in (0..self.values.len()).rev().filter(|id| *id >= self.inputs.len()) {
            if !wanted[id] {
                self.values[id] = Value::And { left: Vec::new(), right: Vec::new() };
            }
            match &self.values[id] {
                Value::Input(_) => {}
                Value::Cipher { block, .. } => mark(block, &mut wanted),
                Value::Call { arguments, .. } => mark(arguments, &mut wanted),
                Value::Product { left, right, .. }
                | Value::Word { left, right, .. }
                | Value::Xor { left, right }
                | Value::And { left, right } => {
                    mark(left, &mut wanted);
                    mark(right, &mut wanted);
                }
            }
        }
        self
    }

    /// Of each block of the outputs, whether it is made of what the cipher makes or of inputs that wait.
    pub fn waiting(&self, waits: &dyn Fn(usize) -> bool) -> Vec<bool> {
        let mut known: Vec<bool> = Vec::with_capacity(self.values.len());
        for value in &self.values {
            let any = |bits: &[Bit]| bits.iter().flat_map(|bit| &bit.terms).any(|(id, _)| known[*id]);
            known.push(match value {
                Value::Input(input) => waits(*input),
                Value::Cipher { .. } => true,
                Value::Call { arguments, .. } => any(arguments),
                Value::Product { left, right, .. }
                | Value::Word { left, right, .. }
                | Value::Xor { left, right }
                | Value::And { left, right } => any(left) || any(right),
            });
        }
        let of = |bits: &Vec<Bit>| {
            let waits = bits.iter().flat_map(|bit| &bit.terms).any(|(id, _)| known[*id]);
            vec![waits; blocks(bits.len() as u32)]
        };
        self.outputs.iter().flat_map(of).collect()
    }

    /// Whether anything depends on an input.
    pub fn uses(&self, input: usize) -> bool {
        let is_it = |value: &usize| self.values.get(*value) == Some(&Value::Input(input));
        let has = |bits: &[Bit]| bits.iter().flat_map(|bit| &bit.terms).any(|(value, _)| is_it(value));
        let of = |value: &Value| match value {
            Value::Input(_) => false,
            Value::Cipher { block, keys, .. } => has(block) || *keys == input,
            Value::Product { left, right, .. }
            | Value::Word { left, right, .. }
            | Value::Xor { left, right }
            | Value::And { left, right } => has(left) || has(right),
            Value::Call { arguments, .. } => has(arguments),
        };
        self.values.iter().any(of) || self.outputs.iter().any(|bits| has(bits))
    }

    /// The bits of a value.
    pub fn width(&self, value: &Value) -> u32 {
        match value {
            Value::Input(input) => self.inputs.get(*input).copied().unwrap_or(0),
            Value::Cipher { block, .. } => block.len() as u32,
            Value::Product { left, .. }
            | Value::Word { left, .. }
            | Value::Xor { left, .. }
            | Value::And { left, .. } => left.len() as u32,
            Value::Call { bits, .. } => *bits,
        }
    }
}

/// The blocks of so many bits.
pub fn blocks(bits: u32) -> usize {
    bits.div_ceil(BITS) as usize
}

/// The node that plays a role in the cipher of this name.
pub fn node_of(program: &ast::Program, cipher: &str, role: &str) -> Option<String> {
    let cipher = program.ciphers.iter().find(|known| known.name.text == cipher)?;
    let (_, node) = cipher.roles.iter().find(|(name, _)| name.text == role)?;
    Some(node.text.clone())
}

/// What the node `node` of a program is. The cipher is the nodes on words inside of those that messages call, unless it is
/// `functions`, which are on bytes.
///
/// # Errors
/// It has tables or products of bits that are neither in the cipher nor a product of blocks, or other arithmetic than sums.
pub fn step(
    program: &ast::Program,
    node: &str,
    cipher: Option<&Cipher>,
    functions: bool,
) -> Result<Step, Why> {
    let options = Options {
        entry: Some(node.to_owned()),
        cipher: cipher.map(|cipher| cipher.name.clone()),
        keep_tables: true,
        ..Options::new()
    };
    let typed = elaborate(program, &options).0.ok_or_else(|| Why::new("the step has no form", None))?;
    let mut kept: BTreeMap<InstanceId, Kept> = BTreeMap::new();
    for role in ["encrypt", "decrypt"] {
        let Some(node) = cipher.and_then(|cipher| node_of(program, &cipher.name, role)) else { continue };
        let ids = (0..typed.instances().len() as u32).map(InstanceId);
        for id in ids.filter(|&id| typed.instance(id).name == node) {
            kept.insert(if functions { id } else { inner(&typed, id) }, Kept::Cipher);
        }
    }
    if let Some(node) = cipher.and_then(|cipher| node_of(program, &cipher.name, "schedule")) {
        let ids = (0..typed.instances().len() as u32).map(InstanceId);
        kept.extend(ids.filter(|&id| typed.instance(id).name == node).map(|id| (id, Kept::Schedule)));
    }
    for number in 0..typed.instances().len() as u32 {
        let id = InstanceId(number);
        let found = products(&typed, id).unwrap_or_default();
        if let Some(product) = found.iter().copied().min_by_key(effort) {
            kept.insert(id, Kept::Product(product));
        }
    }
    around(&typed, &kept)
}

/// A step with calls of what cannot be a sum of bits: of instances that code can be made of by itself, and of the cipher, of
/// which `roles` are the nodes, and `schedule` its key schedule. `typed`: the step as the entry of a program.
///
/// # Errors
/// There are tables or products of bits outside of these.
pub fn with_calls(typed: &typed::Program, roles: &[String], schedule: Option<&str>) -> Result<Step, Why> {
    let (mut linear, mut has_code, mut has_wide) =
        (Vec::<bool>::new(), Vec::<bool>::new(), Vec::<bool>::new());
    let mut kept = BTreeMap::new();
    for (instance, number) in typed.instances().iter().zip(0..) {
        let (mut is_linear, mut is_code, mut calls_wide) = (true, true, false);
        let id = InstanceId(number);
        if roles.contains(&instance.name) {
            kept.insert(id, Kept::Cipher);
            (is_linear, is_code) = (false, false);
        } else if schedule == Some(instance.name.as_str()) {
            kept.insert(id, Kept::Schedule);
            (is_linear, is_code) = (false, false);
        } else if let Some(&product) = products(typed, id).unwrap_or_default().iter().find(|one| is_gcm(one))
        {
            kept.insert(id, Kept::Product(product));
            (is_linear, is_code) = (false, false);
        }
        let of = |list: &[bool], callee: &InstanceId| list.get(callee.0 as usize).copied().unwrap_or(false);
        match &instance.body {
            typed::Body::Permutation { .. } => {}
            typed::Body::Table(_) => is_linear = false,
            typed::Body::Equations(equations) => {
                typed::visit(&equations.steps, &mut |expression| match &expression.kind {
                    ExpressionKind::Logic(LogicOp::And | LogicOp::Or, ..)
                    | ExpressionKind::Arithmetic { .. } => {
                        is_linear = false;
                    }
                    ExpressionKind::Regroup { .. } | ExpressionKind::Accept { .. } => is_code = false,
                    ExpressionKind::Call { callee, .. } => {
                        is_linear &= of(&linear, callee);
                        is_code &= of(&has_code, callee);
                        calls_wide |= of(&has_wide, callee);
                    }
                    _ => {}
                })
            }
        }
        // Words of other sizes have no registers of their own here.
        let parameters = instance.inputs.iter().chain(&instance.outputs);
        let mut widths = parameters.map(|&id| instance.variable(id).width);
        let in_words = widths.all(|width| width == 32 || width == 64);
        let is_wide = is_wide(instance) && !calls_wide;
        if !is_linear && is_code && (in_words || is_wide) && id != typed.entry() {
            kept.insert(id, Kept::Call);
        }
        has_wide.push(calls_wide || (is_wide && !is_linear));
        linear.push(is_linear);
        has_code.push(is_code);
    }
    around(typed, &kept).or_else(|why| match has_code.last() {
        Some(true) => Ok(whole(typed)),
        _ => Err(why),
    })
}

/// Whether what an instance is given and makes is bits that fill many registers.
pub(crate) fn is_wide(instance: &typed::Instance) -> bool {
    let mut all = instance.inputs.iter().chain(&instance.outputs);
    all.all(|&id| instance.variable(id).width == 1 && bits_of(instance, &[id]) > WIDE)
}

/// An instance in bits, without calls of anything.
///
/// # Errors
/// There are tables or products of bits that are none of words.
pub(crate) fn of_bits(typed: &typed::Program) -> Result<Step, Why> {
    around(typed, &BTreeMap::new())
}

/// Whether a multiplication is that of GCM, which has a text on words.
fn is_gcm(product: &Product) -> bool {
    FALLBACKS.iter().any(|fallback| fallback.word == 64 && fallback.product == *product)
}

/// A step that is one call.
fn whole(typed: &typed::Program) -> Step {
    let entry = typed.instance(typed.entry());
    let size = |id: &typed::VariableId| bits_of(entry, &[*id]) as u32;
    let inputs: Vec<u32> = entry.inputs.iter().map(size).collect();
    let bit = |value: usize, bit: u32| Bit { constant: false, terms: vec![(value, bit)] };
    let of_input = |(value, bits): (usize, &u32)| (0..*bits).map(move |place| bit(value, place));
    let arguments = inputs.iter().enumerate().flat_map(of_input).collect();
    let bits = entry.outputs.iter().map(size).sum();
    let mut values: Vec<Value> = (0..inputs.len()).map(Value::Input).collect();
    values.push(Value::Call { callee: typed.entry(), arguments, bits });
    let mut outputs = Vec::new();
    let mut start = 0;
    for output in &entry.outputs {
        let (size, width) = (size(output), entry.variable(*output).width);
        let mut placed = vec![Bit::default(); in_bytes(size as usize, width)];
        for (from, to) in (start..start + size).zip(in_memory(size, width)) {
            placed[to as usize] = bit(inputs.len(), from);
        }
        outputs.push(placed);
        start += size;
    }
    Step { inputs, values, outputs, schedules: Vec::new() }
}

/// Where the bits of words lie in memory: words of whole bytes are little-endian, others one bit after the other; if these fill
/// many registers, each byte from its least significant bit, so that the next bit is the next in a register.
pub fn in_memory(bits: u32, width: u32) -> Places {
    match width.is_multiple_of(8) {
        true => little_words(bits, width),
        false if bits as usize > WIDE => (0..bits).map(|bit| bit ^ 7).collect(),
        false => as_is(bits),
    }
}

/// Bits of what lies in memory as [`in_memory`] says.
fn in_bytes(bits: usize, width: u32) -> usize {
    if !width.is_multiple_of(8) && bits > WIDE { bits.next_multiple_of(8) } else { bits }
}

/// The entry of a program on sums of symbols, around instances that are not looked into.
fn around(typed: &typed::Program, kept: &BTreeMap<InstanceId, Kept>) -> Result<Step, Why> {
    let entry = typed.instance(typed.entry());
    let inputs: Vec<u32> = entry.inputs.iter().map(|&input| bits_of(entry, &[input]) as u32).collect();
    let mut symbols = Symbols::of_words();
    let bits: Vec<Sum> = (0..inputs.iter().sum()).map(|bit| symbols.input(bit)).collect();
    let results = run_around(&mut symbols, typed, typed.entry(), &bits, &|id| kept.contains_key(&id))?;
    let mut reader = Reader {
        symbols: &symbols,
        typed,
        kept,
        inputs: &inputs,
        values: (0..inputs.len()).map(Value::Input).collect(),
        calls: HashMap::new(),
        operations: HashMap::new(),
    };
    let (mut outputs, mut schedules) = (Vec::new(), Vec::new());
    let mut start = 0;
    for &output in &entry.outputs {
        let end = start + bits_of(entry, &[output]);
        let sums = results.get(start..end).unwrap_or_default();
        let (bits, width) = match reader.scheduled(sums) {
            Some((key, width)) => {
                schedules.push(outputs.len());
                (reader.bits(&key)?, width)
            }
            None => (reader.bits(sums)?, entry.variable(output).width),
        };
        let mut placed = vec![Bit::default(); in_bytes(bits.len(), width)];
        let places = in_memory(bits.len() as u32, width);
        for (bit, place) in bits.into_iter().zip(places) {
            placed[place as usize] = bit;
        }
        outputs.push(placed);
        start = end;
    }
    let values = reader.values;
    Ok(Step { inputs, values, outputs, schedules })
}

/// The node of blocks and round keys that an instance calls to do what it does in other words; itself if there is none.
fn inner(program: &typed::Program, id: InstanceId) -> InstanceId {
    let size = |id: InstanceId| {
        let instance = program.instance(id);
        let sizes: Vec<usize> = instance.inputs.iter().map(|&input| bits_of(instance, &[input])).collect();
        sizes
    };
    let mut found = id;
    if let typed::Body::Equations(equations) = &program.instance(id).body {
        typed::visit(&equations.steps, &mut |expression| {
            if let ExpressionKind::Call { callee, .. } = &expression.kind
                && size(*callee) == size(id)
            {
                found = *callee;
            }
        });
    }
    found
}

/// How many times a factor goes through multiplication by x before Montgomery's product of the two is the product.
pub(crate) fn effort(product: &Product) -> u32 {
    crate::montgomery::exponent(product).map_or(u32::MAX, i32::unsigned_abs)
}

/// An instance that is not looked into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kept {
    Cipher,
    Product(Product),
    Schedule,
    Call,
}

struct Reader<'a> {
    symbols: &'a Symbols,
    typed: &'a typed::Program,
    kept: &'a BTreeMap<InstanceId, Kept>,
    inputs: &'a [u32],
    values: Vec<Value>,
    calls: HashMap<u32, usize>,
    operations: HashMap<u32, usize>,
}

impl Reader<'_> {
    fn bits(&mut self, sums: &[Sum]) -> Result<Vec<Bit>, Why> {
        sums.iter().map(|&sum| self.bit(sum)).collect()
    }

    /// The key whose round keys these bits are, and the size of its words.
    fn scheduled(&self, sums: &[Sum]) -> Option<(Vec<Sum>, u32)> {
        let of = |sum: &Sum| match self.symbols.terms(*sum) {
            [term] => self.symbols.symbol(*term),
            _ => Symbol::One,
        };
        let Symbol::CallBit { call, .. } = of(sums.first()?) else { return None };
        let made = self.symbols.calls().get(call as usize)?;
        let callee = self.typed.instance(made.callee);
        let in_order = |(place, sum): (usize, &Sum)| of(sum) == Symbol::CallBit { call, bit: place as u32 };
        let is_all = self.kept.get(&made.callee) == Some(&Kept::Schedule)
            && bits_of(callee, &callee.outputs) == sums.len()
            && sums.iter().enumerate().all(in_order);
        let width = callee.variable(*callee.inputs.first()?).width;
        is_all.then(|| (made.arguments.clone(), width))
    }

    fn bit(&mut self, sum: Sum) -> Result<Bit, Why> {
        let mut bit = Bit::default();
        for term in self.symbols.terms(sum).to_vec() {
            match self.symbols.symbol(term) {
                Symbol::One => bit.constant = !bit.constant,
                Symbol::Input(number) => bit.terms.push(self.input(number)?),
                Symbol::CallBit { call, bit: place } => bit.terms.push((self.call(call)?, place)),
                Symbol::WordBit { operation, bit: place } => {
                    let value = self.operation(operation, term)?;
                    let width = match &self.values[value] {
                        Value::Word { left, .. } | Value::Xor { left, .. } | Value::And { left, .. } => {
                            left.len() as u32
                        }
                        _ => 0,
                    };
                    bit.terms.push((value, width - 1 - place));
                }
                Symbol::Product(..) => {
                    let why = "bits are multiplied, and not as a product of blocks";
                    return Err(Why::new(why, self.symbols.place_of(term)));
                }
                Symbol::TableBit { .. } => {
                    return Err(Why::new("a table outside of the cipher", self.symbols.place_of(term)));
                }
            }
        }
        bit.terms.sort_unstable();
        Ok(bit)
    }

    fn input(&self, number: u32) -> Result<(usize, u32), Why> {
        let mut start = 0;
        for (place, &width) in self.inputs.iter().enumerate() {
            if number < start + width {
                return Ok((place, number - start));
            }
            start += width;
        }
        Err(Why::new("a bit of no input", None))
    }

    fn call(&mut self, number: u32) -> Result<usize, Why> {
        if let Some(&known) = self.calls.get(&number) {
            return Ok(known);
        }
        let call = &self.symbols.calls()[number as usize];
        let callee = self.typed.instance(call.callee);
        let sizes: Vec<usize> = callee.inputs.iter().map(|&input| bits_of(callee, &[input])).collect();
        if self.kept.get(&call.callee) == Some(&Kept::Call) {
            let arguments = self.bits(&call.arguments.clone())?;
            let bits = bits_of(callee, &callee.outputs) as u32;
            self.values.push(Value::Call { callee: call.callee, arguments, bits });
            self.calls.insert(number, self.values.len() - 1);
            return Ok(self.values.len() - 1);
        }
        if self.kept.get(&call.callee) == Some(&Kept::Schedule) {
            return Err(Why::new("round keys that the step itself uses", Some(callee.span)));
        }
        let [first, second] = sizes[..] else {
            return Err(Why::new("it has not two inputs", Some(callee.span)));
        };
        let arguments = call.arguments.clone();
        let (left, right) = arguments.split_at(first.min(arguments.len()));
        let left = self.bits(left)?;
        let value = match self.kept.get(&call.callee) {
            Some(&Kept::Cipher) => {
                let keys = self.bits(right)?;
                let whole = |input: usize| {
                    let of_input = |(place, bit): (usize, &Bit)| {
                        !bit.constant && bit.terms[..] == [(input, place as u32)]
                    };
                    self.inputs[input] as usize == second && keys.iter().enumerate().all(of_input)
                };
                let found = (0..self.inputs.len()).find(|&input| whole(input));
                let keys = found.ok_or_else(|| {
                    Why::new("round keys that are not an input as it is", Some(callee.span))
                })?;
                Value::Cipher { node: callee.name.clone(), block: left, keys }
            }
            Some(&Kept::Product(product)) => Value::Product { product, left, right: self.bits(right)? },
            Some(Kept::Call | Kept::Schedule) | None => {
                return Err(Why::new("a call of something unknown", Some(callee.span)));
            }
        };
        self.values.push(value);
        self.calls.insert(number, self.values.len() - 1);
        Ok(self.values.len() - 1)
    }

    fn operation(&mut self, number: u32, term: u32) -> Result<usize, Why> {
        if let Some(&known) = self.operations.get(&number) {
            return Ok(known);
        }
        let operation = self.symbols.operations()[number as usize].clone();
        let place = self.symbols.place_of(term);
        let (left, right) = (self.bits(&operation.left)?, self.bits(&operation.right)?);
        self.values.push(match operation.op {
            WordOp::And => Value::And { left, right },
            WordOp::Xor => Value::Xor { left, right },
            WordOp::Arithmetic(_) if ![16, 32, 64].contains(&left.len()) => {
                return Err(Why::new("arithmetic on words that have not 16, 32 or 64 bits", place));
            }
            WordOp::Arithmetic(op) => Value::Word { op, left, right },
        });
        self.operations.insert(number, self.values.len() - 1);
        Ok(self.values.len() - 1)
    }
}
