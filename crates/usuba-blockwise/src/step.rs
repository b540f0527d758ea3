//! What a step is: calls of the cipher, products, sums of words, and sums modulo 2 of their bits.

use crate::place::BITS;
use std::collections::{BTreeMap, HashMap};
use usuba_algebra::product::{Product, products};
use usuba_algebra::run::{bits_of, run_around};
use usuba_algebra::sums::{Sum, Symbol, Symbols};
use usuba_algebra::why::Why;
use usuba_lang::ast;
use usuba_lang::elaborate::{Options, elaborate};
use usuba_lang::typed::{self, ArithmeticOp, Expression, ExpressionKind, InstanceId};
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
    /// A sum of two words, the most significant bit first.
    Sum {
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
    /// The bits of each output.
    pub outputs: Vec<Vec<Bit>>,
}

impl Step {
    /// The blocks that the outputs are, each output beginning one.
    pub fn blocks(&self) -> usize {
        self.outputs.iter().map(|bits| blocks(bits.len() as u32)).sum()
    }

    /// Whether anything depends on an input.
    pub fn uses(&self, input: usize) -> bool {
        let has = |bits: &[Bit]| bits.iter().flat_map(|bit| &bit.terms).any(|(value, _)| *value == input);
        let of = |value: &Value| match value {
            Value::Input(_) => false,
            Value::Cipher { block, keys, .. } => has(block) || *keys == input,
            Value::Product { left, right, .. } | Value::Sum { left, right } => has(left) || has(right),
        };
        self.values.iter().any(of) || self.outputs.iter().any(|bits| has(bits))
    }

    /// The bits of a value.
    pub fn width(&self, value: &Value) -> u32 {
        match value {
            Value::Input(input) => self.inputs.get(*input).copied().unwrap_or(0),
            Value::Cipher { block, .. } => block.len() as u32,
            Value::Product { left, .. } | Value::Sum { left, .. } => left.len() as u32,
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

/// What the node `node` of a program is.
///
/// # Errors
/// It has tables or products of bits that are neither in the cipher nor a product of blocks, or other arithmetic than sums.
pub fn step(program: &ast::Program, node: &str, cipher: Option<&Cipher>) -> Result<Step, Why> {
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
            kept.insert(inner(&typed, id), Kept::Cipher);
        }
    }
    for number in 0..typed.instances().len() as u32 {
        let id = InstanceId(number);
        let found = products(&typed, id).unwrap_or_default();
        if let Some(product) = found.iter().copied().min_by_key(effort) {
            kept.insert(id, Kept::Product(product));
        }
    }
    let entry = typed.instance(typed.entry());
    let inputs: Vec<u32> = entry.inputs.iter().map(|&input| bits_of(entry, &[input]) as u32).collect();
    let mut symbols = Symbols::new();
    let bits: Vec<Sum> = (0..inputs.iter().sum()).map(|bit| symbols.input(bit)).collect();
    let results = run_around(&mut symbols, &typed, typed.entry(), &bits, &|id| kept.contains_key(&id))?;
    let mut reader = Reader {
        symbols: &symbols,
        typed: &typed,
        kept: &kept,
        inputs: &inputs,
        values: (0..inputs.len()).map(Value::Input).collect(),
        calls: HashMap::new(),
        operations: HashMap::new(),
    };
    let mut outputs = Vec::new();
    let mut start = 0;
    for &output in &entry.outputs {
        let end = start + bits_of(entry, &[output]);
        outputs.push(reader.bits(results.get(start..end).unwrap_or_default())?);
        start = end;
    }
    let values = reader.values;
    Ok(Step { inputs, values, outputs })
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
        calls_of(&equations.steps, &mut |callee| {
            if size(callee) == size(id) {
                found = callee;
            }
        });
    }
    found
}

/// Calls `see` for the instances that are called in steps.
fn calls_of(steps: &[typed::Step], see: &mut dyn FnMut(InstanceId)) {
    for step in steps {
        match step {
            typed::Step::Assign(assignment) => calls_in(&assignment.value, see),
            typed::Step::Loop(looped) => looped.iterations.iter().for_each(|body| calls_of(body, see)),
        }
    }
}

fn calls_in(expression: &Expression, see: &mut dyn FnMut(InstanceId)) {
    match &expression.kind {
        ExpressionKind::Call { callee, arguments } => {
            see(*callee);
            calls_in(arguments, see);
        }
        ExpressionKind::Tuple(parts) => parts.iter().for_each(|part| calls_in(part, see)),
        ExpressionKind::Regroup { value, .. }
        | ExpressionKind::Gather { value, .. }
        | ExpressionKind::Shuffle { value, .. } => calls_in(value, see),
        _ => {}
    }
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
                        Value::Sum { left, .. } => left.len() as u32,
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
            None => return Err(Why::new("a call of something unknown", Some(callee.span))),
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
        if operation.op != ArithmeticOp::Add || ![16, 32, 64].contains(&operation.left.len()) {
            return Err(Why::new("arithmetic other than sums of words of 16, 32 or 64 bits", place));
        }
        let (left, right) = (self.bits(&operation.left)?, self.bits(&operation.right)?);
        self.values.push(Value::Sum { left, right });
        self.operations.insert(number, self.values.len() - 1);
        Ok(self.values.len() - 1)
    }
}
