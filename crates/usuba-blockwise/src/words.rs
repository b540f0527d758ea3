//! Steps on words: linear maps of words of 64 or 32 bits around calls of nodes, for one message at a time.
//!
//! What is given and what is made is whole words. In memory they are bytes, each word little-endian, as everywhere
//! ([`crate::step::in_memory`]): a function around the kernel ([`Kernel::around`]) loads and stores them, so that the code is for
//! machines of both byte orders and reads strings where they lie. Bit i of a word is the bit at weight 2^i.

use crate::gather::{Run, runs};
use crate::place::Places;
use crate::plan::Refusal;
use crate::step::{Bit, Step, Value, in_memory, is_wide, of_bits};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use usuba_algebra::fallback::FALLBACKS;
use usuba_codegen::Scheduling;
use usuba_ir::builder::NodeBuilder;
use usuba_ir::check::check;
use usuba_ir::layout::{Layout, Slicing};
use usuba_ir::program::{Affine, BinaryOp, NodeId, Parameter, Program, ShiftOp, Type, ValueId};
use usuba_lang::elaborate;
use usuba_lang::load::{Loader, load};
use usuba_lang::source::Sources;
use usuba_lang::typed::{self, ArithmeticOp, InstanceId};
use usuba_lower::{Loops, Options, lower_with};
use usuba_target::Target;

/// A step as a function on words, in the making.
pub struct Kernel {
    /// `name(inputs…, outputs…)`, each an array of words; inputs that nothing depends on are left out.
    pub program: usuba_machine::Program,
    /// Bits of a word.
    word: u32,
    /// Words of the inputs and of the outputs.
    inputs: Vec<u32>,
    outputs: Vec<u32>,
}

impl Kernel {
    /// The C of a function `name` that does the same to bytes; `inner` is that on words. `big` are the inputs and outputs whose
    /// words begin with their most significant bytes.
    pub fn around(&self, name: &str, inner: &str, linkage: &str, big: (&[bool], &[bool])) -> String {
        let order = |big: &[bool], number: usize| if big.get(number) == Some(&true) { "big" } else { "" };
        let Kernel { word, inputs, outputs, .. } = self;
        let bytes = word / 8;
        let (mut parameters, mut body, mut after, mut arguments) =
            (Vec::new(), String::new(), String::new(), Vec::new());
        for (number, words) in inputs.iter().enumerate() {
            parameters.push(format!("const uint8_t *input{number}"));
            let loads: Vec<String> = (0..*words)
                .map(|at| format!("{}word{word}(input{number} + {})", order(big.0, number), bytes * at))
                .collect();
            let _ = writeln!(body, "  const uint{word}_t in{number}[{words}] = {{{}}};", loads.join(", "));
            arguments.push(format!("in{number}"));
        }
        for (number, words) in outputs.iter().enumerate() {
            parameters.push(format!("uint8_t *output{number}"));
            let _ = writeln!(body, "  uint{word}_t out{number}[{words}];");
            for at in 0..*words {
                let _ = writeln!(
                    after,
                    "  {}put{word}(output{number} + {}, out{number}[{at}]);",
                    order(big.1, number),
                    bytes * at
                );
            }
            arguments.push(format!("out{number}"));
        }
        format!(
            "{linkage} void {name}({}) {{\n{body}  {inner}({});\n{after}}}\n",
            parameters.join(", "),
            arguments.join(", ")
        )
    }

    /// Whether the program is one function.
    pub fn is_one(&self) -> bool {
        self.program.functions.len() == 1
    }
}

/// The kernel of a step. `places`: where the bits of each input lie; `typed`: the program whose instances it calls.
///
/// # Errors
/// A call has no code on words of one size, or the target lacks something.
pub fn single(
    step: &Step,
    typed: &typed::Program,
    sources: &Sources,
    places: &[Places],
    target: &'static Target,
    name: &str,
) -> Result<Kernel, Refusal> {
    let mut program = Program { files: Vec::new(), nodes: Vec::new(), interleave: 1 };
    let mut callees: BTreeMap<InstanceId, NodeId> = BTreeMap::new();
    let mut wide = BTreeSet::new();
    for value in &step.values {
        let Value::Call { callee, .. } = value else { continue };
        if !callees.contains_key(callee) {
            let node = match is_wide(typed.instance(*callee)) {
                true => {
                    wide.insert(*callee);
                    add_wide(typed, *callee, sources, &mut program)?
                }
                false => add_callee(typed, *callee, sources, &mut program)?,
            };
            callees.insert(*callee, node);
        }
    }
    // The words of the calls; of 64 bits if nothing is called.
    let word = |node: &NodeId| program.node(*node).inputs.first().map_or(64, |input| input.ty.layout.word);
    let mut sizes: Vec<u32> = callees.values().map(word).collect();
    sizes.dedup();
    let word = match sizes[..] {
        [] => 64,
        [word @ (32 | 64)] => word,
        _ => return Err(Refusal::new("calls on words that are not of one size, of 32 or 64 bits")),
    };
    let product = if step.values.iter().any(|value| matches!(value, Value::Product { .. })) {
        Some(add_product(&mut program)?)
    } else {
        None
    };
    let mut maker = Maker {
        node: NodeBuilder::new(name),
        word,
        program: &program,
        callees: &callees,
        wide: &wide,
        product,
    };
    maker.step(step, places)?;
    let node = maker.node.finish();
    let count = |parameters: &[Parameter]| parameters.iter().map(|one| one.ty.atoms()).collect();
    let (inputs, outputs) = (count(&node.inputs), count(&node.outputs));
    program.nodes.push(node);
    // A multiplication is called in several places and is long; what else is called is rounds.
    let settings = usuba_opt::pass::Settings {
        interleave: Some(1),
        inline_all: product.is_none() && wide.is_empty(),
        ..usuba_opt::pass::Settings::default()
    };
    usuba_opt::passes::optimise(&mut program, &settings, &mut ());
    let checked = check(&program).map_err(|flaws| Refusal::new(format!("malformed: {:?}", flaws.first())))?;
    let program = usuba_codegen::select(checked, target, Scheduling::AUTO);
    let program = program.map_err(|none| Refusal::new(format!("{none:?}")))?;
    Ok(Kernel { program, word, inputs, outputs })
}

/// Adds the nodes of an instance.
fn add_callee(
    typed: &typed::Program,
    callee: InstanceId,
    sources: &Sources,
    program: &mut Program,
) -> Result<NodeId, Refusal> {
    let mut lowering = Options::new(Slicing::V);
    lowering.loops = Loops::Sized { least: 1024, body: 0 };
    let made = lower_with(&typed.entered_at(callee), sources, &lowering, &|_| 0);
    let name = &typed.instance(callee).name;
    let made = made.map_err(|found| {
        let why = found.first().map(|one| one.message.clone()).unwrap_or_default();
        Refusal::new(format!("`{name}` is not in words: {why}"))
    })?;
    let shift = program.files.len() as u32;
    program.files.extend(made.files);
    let first = program.nodes.len() as u32;
    for mut node in made.nodes {
        node.name = format!("{}'{first}", node.name);
        node.attributes.interleave = None;
        node.inputs.iter_mut().for_each(|input| input.uniform = false);
        crate::machine::renumber(&mut node, first);
        for value in &mut node.values {
            if let Some((file, ..)) = &mut value.origin.place {
                file.0 += shift;
            }
        }
        program.nodes.push(node);
    }
    Ok(NodeId(program.nodes.len() as u32 - 1))
}

/// Adds a node in bits that fill many registers: words of 64 bits, what is computed of all bits at once being computed of words.
fn add_wide(
    typed: &typed::Program,
    callee: InstanceId,
    sources: &Sources,
    program: &mut Program,
) -> Result<NodeId, Refusal> {
    let step = of_bits(&typed.entered_at(callee)).map_err(|why| Refusal(why.at(sources)))?;
    let places: Vec<Places> = step.inputs.iter().map(|&bits| in_memory(bits, 1)).collect();
    let name = format!("{}'{}", typed.instance(callee).name, program.nodes.len());
    let (callees, wide) = (BTreeMap::new(), BTreeSet::new());
    let node = NodeBuilder::new(&name);
    let mut maker = Maker { node, word: 64, program, callees: &callees, wide: &wide, product: None };
    maker.step(&step, &places)?;
    let node = maker.node.finish();
    program.nodes.push(node);
    Ok(NodeId(program.nodes.len() as u32 - 1))
}

/// Adds the text of multiplication as GCM has it, on words of 64 bits.
fn add_product(program: &mut Program) -> Result<NodeId, Refusal> {
    let missing = || Refusal::new("no text of this multiplication on words");
    let text = FALLBACKS.iter().find(|fallback| fallback.word == 64).ok_or_else(missing)?;
    let loaded = load(text.file, &[], &Text(text.text));
    let options = elaborate::Options {
        entry: Some(text.node.to_owned()),
        direction: Some(typed::Direction::V),
        ..elaborate::Options::new()
    };
    let typed = elaborate::elaborate(&loaded.program, &options).0.ok_or_else(missing)?;
    add_callee(&typed, typed.entry(), &loaded.sources, program)
}

/// A loader of one text.
struct Text(&'static str);

impl Loader for Text {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.as_bytes().to_vec())
    }

    fn canonical(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
}

struct Maker<'a> {
    node: NodeBuilder,
    /// The node of multiplication.
    product: Option<NodeId>,
    word: u32,
    program: &'a Program,
    callees: &'a BTreeMap<InstanceId, NodeId>,
    /// Those that are in bits which fill many registers.
    wide: &'a BTreeSet<InstanceId>,
}

/// A value: its words, and where its bits lie in them, counted as in memory.
struct Known {
    words: Vec<ValueId>,
    places: Places,
}

/// Where bits lie that are those of one value, if each of them is one of its bits and no other is: what is computed of them bit by bit
/// can stay there.
fn one_by_one(bits: &[Bit], known: &[Known]) -> Option<Places> {
    let (of, _) = *bits.first()?.terms.first()?;
    let known = &known.get(of)?.places;
    let mut places = Places::new();
    for bit in bits {
        let [(value, number)] = bit.terms[..] else { return None };
        if bit.constant || value != of {
            return None;
        }
        places.push(*known.get(number as usize)?);
    }
    let all: BTreeSet<u32> = places.iter().copied().collect();
    let is_whole = all.len() == bits.len() && all.last() == Some(&(bits.len() as u32 - 1));
    is_whole.then_some(places)
}

impl Maker<'_> {
    fn layout(&self) -> Layout {
        Layout { word: self.word, pack: 1, instances: 1 }
    }

    /// The word of a place in memory, and the weight of the bit in it.
    fn weight(&self, place: u32) -> (usize, u32) {
        let bytes = self.word / 8;
        ((place / 8 / bytes) as usize, 8 * (place / 8 % bytes) + 7 - place % 8)
    }

    fn step(&mut self, step: &Step, places: &[Places]) -> Result<(), Refusal> {
        let mut inputs = Vec::new();
        for (number, bits) in step.inputs.iter().enumerate() {
            if !step.uses(number) {
                inputs.push(Known { words: Vec::new(), places: Vec::new() });
                continue;
            }
            let len = bits.div_ceil(self.word).max(1);
            let ty = Type::array(self.layout(), len);
            let parameter =
                Parameter { name: format!("input{number}"), ty, shape: vec![len], uniform: false };
            let array = self.node.input(parameter);
            let words = (0..i64::from(len)).map(|at| self.node.get(array, Affine::constant(at))).collect();
            inputs.push(Known { words, places: places.get(number).cloned().unwrap_or_default() });
        }
        let mut known: Vec<Known> = Vec::new();
        for value in &step.values {
            let made = match value {
                Value::Input(input) => {
                    let input = inputs.get(*input).ok_or_else(|| Refusal::new("no such input"))?;
                    Known { words: input.words.clone(), places: input.places.clone() }
                }
                Value::And { left, right } | Value::Xor { left, right } => {
                    let places = one_by_one(left, &known).unwrap_or_else(|| in_memory(left.len() as u32, 1));
                    let op = if matches!(value, Value::And { .. }) { BinaryOp::And } else { BinaryOp::Xor };
                    let left = self.words(left, &places, &known);
                    let right = self.words(right, &places, &known);
                    let and = |(&a, &b): (&ValueId, &ValueId)| self.node.binary(op, a, b);
                    Known { words: left.iter().zip(&right).map(and).collect(), places }
                }
                Value::Word { op, left, right } => {
                    let width = left.len() as u32;
                    if width > self.word {
                        return Err(Refusal::new("arithmetic on words of another size"));
                    }
                    let places = crate::place::little_words(width, width);
                    let (left, right) =
                        (self.words(left, &places, &known), self.words(right, &places, &known));
                    let op = match op {
                        ArithmeticOp::Add => BinaryOp::Add,
                        ArithmeticOp::Subtract => BinaryOp::Subtract,
                        ArithmeticOp::Multiply => BinaryOp::Multiply,
                    };
                    let sum = self.node.binary(op, left[0], right[0]);
                    Known { words: vec![sum], places }
                }
                Value::Call { callee, arguments, bits } => {
                    let places = |bits: u32| match self.wide.contains(callee) {
                        true => in_memory(bits, 1),
                        false => crate::place::little_words(bits, self.word),
                    };
                    let (before, after) = (places(arguments.len() as u32), places(*bits));
                    let words = self.words(arguments, &before, &known);
                    Known { words: self.call(*callee, words)?, places: after }
                }
                Value::Product { left, right, .. } => {
                    let places = crate::place::little_words(left.len() as u32, 64);
                    let mut words = self.words(left, &places, &known);
                    words.extend(self.words(right, &places, &known));
                    let node = self.product.filter(|_| self.word == 64);
                    let node = node.ok_or_else(|| Refusal::new("a product on words of another size"))?;
                    Known { words: self.call_node(node, words)?, places }
                }
                Value::Cipher { .. } => return Err(Refusal::new("a cipher inside of a phase")),
            };
            known.push(made);
        }
        for (number, bits) in step.outputs.iter().enumerate() {
            let places: Places = (0..bits.len() as u32).collect();
            let words = self.words(bits, &places, &known);
            let len = words.len() as u32;
            let array = self.node.array(words);
            let ty = Type::array(self.layout(), len);
            let parameter =
                Parameter { name: format!("output{number}"), ty, shape: vec![len], uniform: false };
            self.node.output(parameter, array);
        }
        Ok(())
    }

    fn call(&mut self, callee: InstanceId, words: Vec<ValueId>) -> Result<Vec<ValueId>, Refusal> {
        let node = *self.callees.get(&callee).ok_or_else(|| Refusal::new("a call of nothing"))?;
        self.call_node(node, words)
    }

    fn call_node(&mut self, node: NodeId, words: Vec<ValueId>) -> Result<Vec<ValueId>, Refusal> {
        let of = self.program.node(node);
        let layouts = of.inputs.iter().chain(&of.outputs).map(|parameter| parameter.ty.layout);
        if layouts.into_iter().any(|layout| layout != self.layout()) {
            return Err(Refusal::new("a call on words of several sizes"));
        }
        let mut words = words.into_iter();
        let mut arguments = Vec::new();
        for input in &of.inputs {
            let part: Vec<ValueId> = words.by_ref().take(input.ty.atoms() as usize).collect();
            arguments.push(match (input.ty.len, &part[..]) {
                (None, [word]) => *word,
                (Some(len), _) if part.len() == len as usize => self.node.array(part),
                _ => return Err(Refusal::new("a call with too few words")),
            });
        }
        let types: Vec<Type> = of.outputs.iter().map(|output| output.ty).collect();
        let results = self.node.call(node, arguments, &types);
        let mut made = Vec::new();
        for (result, ty) in results.into_iter().zip(types) {
            match ty.len {
                None => made.push(result),
                Some(len) => {
                    made.extend((0..i64::from(len)).map(|at| self.node.get(result, Affine::constant(at))));
                }
            }
        }
        Ok(made)
    }

    /// Bits as words, bit i at place `to[i]`, zeros elsewhere.
    fn words(&mut self, bits: &[Bit], to: &[u32], known: &[Known]) -> Vec<ValueId> {
        let count = (bits.len() as u32).div_ceil(self.word).max(1) as usize;
        let mut constants = vec![0u64; count];
        // Of each word: which bits of which word move how far to the left.
        let mut moves: Vec<BTreeMap<(ValueId, i32), u64>> = vec![BTreeMap::new(); count];
        for (bit, &to) in bits.iter().zip(to) {
            let (word, weight) = self.weight(to);
            constants[word] |= u64::from(bit.constant) << weight;
            for &(value, bit) in &bit.terms {
                let source = &known[value];
                let Some(&place) = source.places.get(bit as usize) else { continue };
                let (from, at) = self.weight(place);
                let distance = weight as i32 - at as i32;
                *moves[word].entry((source.words[from], distance)).or_default() ^= 1 << weight;
            }
        }
        let all = if self.word == 64 { u64::MAX } else { (1 << self.word) - 1 };
        let mut words = Vec::new();
        for (constant, mut moves) in constants.into_iter().zip(moves) {
            let mut sum = None;
            for (source, run) in runs(&mut moves, self.word) {
                let gathered = self.gathered(source, run);
                sum = Some(match sum {
                    None => gathered,
                    Some(sum) => self.node.binary(BinaryOp::Xor, sum, gathered),
                });
            }
            for ((source, distance), mask) in moves {
                let (moved, there) = match distance {
                    0 => (source, all),
                    1.. => {
                        let by = distance.unsigned_abs();
                        (self.node.shift(ShiftOp::Left, source, by), all << by & all)
                    }
                    _ => {
                        let by = distance.unsigned_abs();
                        (self.node.shift(ShiftOp::Right, source, by), all >> by)
                    }
                };
                let kept = if mask == there {
                    moved
                } else {
                    let mask = self.node.constant(self.layout(), mask.into());
                    self.node.binary(BinaryOp::And, moved, mask)
                };
                sum = Some(match sum {
                    None => kept,
                    Some(sum) => self.node.binary(BinaryOp::Xor, sum, kept),
                });
            }
            let layout = self.layout();
            words.push(match (sum, constant) {
                (None, constant) => self.node.constant(layout, constant.into()),
                (Some(sum), 0) => sum,
                (Some(sum), constant) => {
                    let constant = self.node.constant(layout, constant.into());
                    self.node.binary(BinaryOp::Xor, sum, constant)
                }
            });
        }
        words
    }

    /// The bits of a run where they go, zeros elsewhere.
    fn gathered(&mut self, source: ValueId, run: Run) -> ValueId {
        let layout = self.layout();
        let constant = |node: &mut NodeBuilder, value: u64| node.constant(layout, value.into());
        let node = &mut self.node;
        let (mask, factor, goal) =
            (constant(node, run.mask()), constant(node, run.factor()), constant(node, run.goal()));
        let first = node.shift(ShiftOp::Right, source, run.from);
        let bits = node.binary(BinaryOp::And, first, mask);
        let product = node.binary(BinaryOp::Multiply, bits, factor);
        let moved = match run.to.cmp(&run.top()) {
            std::cmp::Ordering::Less => node.shift(ShiftOp::Right, product, run.top() - run.to),
            _ => node.shift(ShiftOp::Left, product, run.to - run.top()),
        };
        node.binary(BinaryOp::And, moved, goal)
    }
}
