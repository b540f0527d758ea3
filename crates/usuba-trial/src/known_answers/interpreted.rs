//! Requests answered by interpreters: bytes to words, nodes, words to bytes.

use super::{Answers, CipherFunction, Plan, Request, Test, WayError, explain};
use std::collections::BTreeMap;
use usuba_compiler::pipeline::{self, Failure, Overrides, Settings};
use usuba_ir::interpret::Interpreter;
use usuba_ir::layout::Slicing;
use usuba_lang::load::Loaded;
use usuba_lang::{interpret, typed};
use usuba_package::manifest::{BlockCipher, Function, Generator, Permutation, Primitive, Schedule, Stream};
use usuba_package::order::{self, Order};

/// Inputs or outputs of a node for one instance: parameter by parameter, its words.
type Words = Vec<Vec<u128>>;

/// The type of a parameter.
#[derive(Clone, Copy)]
struct Shape {
    /// Bits of a word of the source.
    width: u32,
    /// Number of words.
    words: usize,
    /// Atoms of a word: its bits if the program is in bits, else 1.
    atoms: usize,
}

/// Words of one width and order as those of another that lie in the same bytes.
fn reordered(words: &[u128], (from, order): (u32, Order), (to, other): (u32, Order)) -> Vec<u128> {
    let bytes = order.encode(from, words).unwrap_or_default();
    other.decode(to, bytes.len() * 8 / to as usize, &bytes).unwrap_or_default()
}

/// A node that can be run.
struct Node {
    name: String,
    inputs: Vec<Shape>,
    outputs: Vec<Shape>,
    machine: Machine,
}

enum Machine {
    /// The meaning.
    Reference(Box<typed::Program>),
    /// One instance at a time.
    Single(Box<Interpreter>),
    /// One instance at a time, an atom being so many words.
    Packed(Box<Interpreter>, Groups),
    /// One instance at a time, whose bytes are planes of so many bits.
    Planes(Box<Interpreter>, u32),
    /// 128 instances at a time, an atom being a bit of each.
    Sliced(Box<Interpreter>),
}

/// Words in groups of which each is an atom. Parameters that are no whole groups share one.
struct Groups {
    words: usize,
    /// Bits of a word.
    width: u32,
    /// The atoms of each input.
    inputs: Vec<usize>,
}

impl Groups {
    fn of(program: &usuba_ir::program::Program, words: u32) -> Groups {
        let inputs = &program.entry().inputs;
        Groups {
            words: words as usize,
            width: inputs.first().map_or(1, |input| input.ty.layout.word),
            inputs: inputs.iter().map(|input| input.ty.atoms() as usize).collect(),
        }
    }

    /// The atoms of each input of the packed program, from the words of each input of the source.
    fn atoms(&self, words: &Words) -> Words {
        let words = words.concat();
        let mut atoms = words
            .chunks(self.words)
            .map(|group| group.iter().fold(0, |atom, word| atom << self.width | word));
        self.inputs.iter().map(|&count| atoms.by_ref().take(count).collect()).collect()
    }

    /// The words of each output of the source.
    fn words(&self, outputs: &[Shape], atoms: &Words) -> Words {
        let mask = usuba_ir::evaluate::ones(self.width);
        let of =
            |atom: u128| (0..self.words as u32).rev().map(move |word| atom >> (word * self.width) & mask);
        let mut words = atoms.iter().flatten().flat_map(|&atom| of(atom));
        outputs.iter().map(|shape| words.by_ref().take(shape.words).collect()).collect()
    }
}

/// Which interpreter.
#[derive(Clone, Copy)]
enum Kind<'a> {
    Reference,
    NormalForm(Slicing, &'a Overrides),
}

impl Node {
    fn new(name: &str, loaded: &Loaded, kind: Kind<'_>) -> Result<Node, WayError> {
        let slicing = match kind {
            Kind::Reference => Slicing::V,
            Kind::NormalForm(slicing, _) => slicing,
        };
        let mut settings = Settings::new(slicing, Some(name));
        let (typed, machine) = match kind {
            Kind::Reference => {
                settings.entry.keep_tables = true;
                let (typed, diagnostics) = usuba_lang::elaborate::elaborate(&loaded.program, &settings.entry);
                let typed = typed.ok_or_else(|| explain(name, &Failure::Program(diagnostics)))?;
                if interpret::Interpreter::new(&typed).operations() > interpret::LONGEST_RUN {
                    return Err(WayError::Absent(format!(
                        "`{name}` takes too many operations to be interpreted"
                    )));
                }
                (typed.clone(), Machine::Reference(Box::new(typed)))
            }
            Kind::NormalForm(slicing, overrides) => {
                // One instance after another is asked here.
                settings = settings.with(overrides);
                (settings.passes.interleave, settings.passes.granularity) = (Some(1), None);
                let (typed, program, _) = pipeline::optimised(loaded, &settings, &mut ())
                    .map_err(|failure| explain(name, &failure))?;
                if let Err(flaws) = usuba_ir::check::check(&program) {
                    let first = flaws.first().map(ToString::to_string).unwrap_or_default();
                    return Err(WayError::Broken(format!("`{name}` becomes a program with flaws: {first}")));
                }
                let interpreter = Box::new(Interpreter::new(&program));
                let machine = match slicing {
                    Slicing::Packed(words) => Machine::Packed(interpreter, Groups::of(&program, words)),
                    _ if pipeline::in_planes(&typed, slicing) => {
                        let bytes = program.entry().inputs.first().map_or(1, |input| input.ty.layout.pack);
                        Machine::Planes(interpreter, bytes)
                    }
                    _ if usuba_ir::interpret::is_sliced(&program) => Machine::Sliced(interpreter),
                    _ => Machine::Single(interpreter),
                };
                (typed, machine)
            }
        };
        let entry = typed.instance(typed.entry());
        let shapes = |ids: &[typed::VariableId]| -> Vec<Shape> {
            let shape = |&id: &typed::VariableId| {
                let variable = entry.variable(id);
                let atoms = variable.atoms() as usize;
                let atoms_of_word = (variable.word / variable.width.max(1)).max(1) as usize;
                Shape { width: variable.word, words: atoms / atoms_of_word, atoms: atoms_of_word }
            };
            ids.iter().map(shape).collect()
        };
        Ok(Node {
            name: name.into(),
            inputs: shapes(&entry.inputs),
            outputs: shapes(&entry.outputs),
            machine,
        })
    }

    /// A node that runs once for a key, in its own slicing.
    fn once(schedule: &Schedule, loaded: &Loaded, kind: Kind<'_>) -> Result<Node, WayError> {
        let kind = match kind {
            Kind::Reference => Kind::Reference,
            Kind::NormalForm(_, overrides) => Kind::NormalForm(schedule.slicing, overrides),
        };
        Node::new(&schedule.node, loaded, kind)
    }

    /// The outputs for each of `instances`, whose inputs have as many words as the node wants.
    fn run(&mut self, instances: &[Words]) -> Vec<Words> {
        let (inputs, outputs) = (&self.inputs, &self.outputs);
        match &mut self.machine {
            Machine::Reference(program) => instances
                .iter()
                .map(|instance| {
                    from_atoms(outputs, interpret::interpret(program, &to_atoms(inputs, instance)))
                })
                .collect(),
            Machine::Single(interpreter) => instances
                .iter()
                .map(|instance| from_atoms(outputs, interpreter.run(&to_atoms(inputs, instance))))
                .collect(),
            Machine::Packed(interpreter, groups) => instances
                .iter()
                .map(|instance| groups.words(outputs, &interpreter.run(&groups.atoms(instance))))
                .collect(),
            Machine::Planes(interpreter, bytes) => {
                let to_planes =
                    |words: &Vec<u128>| reordered(words, (8, Order::Big), (*bytes, Order::Planes));
                let to_bytes =
                    |planes: &Vec<u128>| reordered(planes, (*bytes, Order::Planes), (8, Order::Big));
                let one = |instance: &Words| {
                    let planes: Words = instance.iter().map(to_planes).collect();
                    interpreter.run(&planes).iter().map(to_bytes).collect()
                };
                instances.iter().map(one).collect()
            }
            Machine::Sliced(interpreter) => {
                let mut results = Vec::new();
                for group in instances.chunks(128) {
                    let group: Vec<Words> = group.iter().map(|instance| to_atoms(inputs, instance)).collect();
                    let sliced = interpreter.run_sliced(&slice(&group));
                    results.extend((0..group.len()).map(|j| {
                        let atoms =
                            sliced.iter().map(|p| p.iter().map(|atom| atom >> j & 1).collect()).collect();
                        from_atoms(outputs, atoms)
                    }));
                }
                results
            }
        }
    }

    /// The words of an input that `bytes` stand for.
    fn input(&self, number: usize, bytes: &[u8], order: Order) -> Result<Vec<u128>, WayError> {
        let shape = self.inputs.get(number).ok_or_else(|| self.broken("it has too few inputs"))?;
        order.decode(shape.width, shape.words, bytes).map_err(|error| self.broken(&error.to_string()))
    }

    /// The bytes of the one output, or the first of several.
    fn output(&self, results: &Words, order: Order) -> Result<Vec<u8>, WayError> {
        self.output_number(0, results, order)
    }

    /// The bytes of an output.
    fn output_number(&self, number: usize, results: &Words, order: Order) -> Result<Vec<u8>, WayError> {
        let (Some(shape), Some(words)) = (self.outputs.get(number), results.get(number)) else {
            return Err(self.broken("it has too few outputs"));
        };
        order.encode(shape.width, words).map_err(|error| self.broken(&error.to_string()))
    }

    fn expect(&self, inputs: usize) -> Result<(), WayError> {
        if self.inputs.len() == inputs && self.outputs.len() == 1 {
            return Ok(());
        }
        Err(self.broken(&format!("it must have {inputs} inputs and one output")))
    }

    fn broken(&self, why: &str) -> WayError {
        WayError::Broken(format!("the manifest does not fit `{}`: {why}", self.name))
    }
}

fn to_atoms(shapes: &[Shape], words: &Words) -> Words {
    let convert = |(shape, words): (&Shape, &Vec<u128>)| {
        if shape.atoms == 1 { words.clone() } else { order::bits(shape.width, words) }
    };
    shapes.iter().zip(words).map(convert).collect()
}

fn from_atoms(shapes: &[Shape], atoms: Words) -> Words {
    let convert = |(shape, atoms): (&Shape, Vec<u128>)| {
        if shape.atoms == 1 { atoms } else { order::words(shape.width, &atoms) }
    };
    shapes.iter().zip(atoms).map(convert).collect()
}

/// Bit j of each atom of the result is that atom of instance j.
fn slice(group: &[Words]) -> Words {
    let Some(first) = group.first() else { return Vec::new() };
    first
        .iter()
        .enumerate()
        .map(|(parameter, atoms)| {
            (0..atoms.len())
                .map(|atom| {
                    group.iter().enumerate().fold(0, |bits, (j, instance)| {
                        let bit =
                            instance.get(parameter).and_then(|atoms| atoms.get(atom)).copied().unwrap_or(0);
                        bits | (bit & 1) << j
                    })
                })
                .collect()
        })
        .collect()
}

/// The tests through the reference interpreter.
pub fn reference(
    primitive: &Primitive,
    loaded: &Loaded,
    tests: &[Test],
    plan: &Plan,
) -> Result<Answers, WayError> {
    answers(primitive, loaded, Kind::Reference, tests, plan)
}

/// The tests through the interpreter of Usuba0.
pub fn normal_form(
    primitive: &Primitive,
    loaded: &Loaded,
    slicing: Slicing,
    tests: &[Test],
    plan: &Plan,
) -> Result<Answers, WayError> {
    let primitive = &*primitive.in_slicing(slicing, None);
    answers(primitive, loaded, Kind::NormalForm(slicing, &plan.overrides), tests, plan)
}

fn answers(
    primitive: &Primitive,
    loaded: &Loaded,
    kind: Kind<'_>,
    tests: &[Test],
    plan: &Plan,
) -> Result<Answers, WayError> {
    let mut answers = match &primitive.function {
        Function::BlockCipher(cipher) => block_cipher(cipher, loaded, kind, tests),
        Function::Stream(cipher) => stream(cipher, loaded, kind, tests),
        Function::Generator(cipher) => generate(cipher, loaded, kind, tests),
        Function::Permutation(permutation) => permute(permutation, loaded, kind, tests),
    }?;
    let chains: Vec<(usize, &Request)> = tests
        .iter()
        .enumerate()
        .map(|(number, test)| (number, &test.request))
        .filter(|(_, r)| matches!(r, Request::Chain { iterations, .. } if *iterations <= plan.interpreted_iterations))
        .collect();
    chain_answers(primitive, loaded, kind, &chains, &mut answers)?;
    Ok(Answers { tests: answers, modes: None })
}

/// Applications of a node to blocks, collected so that they can be run many at a time.
#[derive(Default)]
struct Batch {
    /// For each application: the number of the test, and the inputs.
    applications: Vec<(usize, Words)>,
}

impl Batch {
    /// Runs all and appends each result to the answer of its test.
    fn run(self, node: &mut Node, order: Order, answers: &mut [Option<Vec<u8>>]) -> Result<(), WayError> {
        let (numbers, inputs): (Vec<usize>, Vec<Words>) = self.applications.into_iter().unzip();
        for (number, results) in numbers.iter().zip(node.run(&inputs)) {
            let bytes = node.output(&results, order)?;
            if let Some(answer) = answers.get_mut(*number) {
                answer.get_or_insert_default().extend(bytes);
            }
        }
        Ok(())
    }
}

/// The round keys of each key, as bytes.
type Schedules = BTreeMap<Vec<u8>, Vec<u8>>;

/// The round keys of keys, each computed once: as bytes, in the schedule's order.
fn round_keys(
    cipher: &BlockCipher,
    loaded: &Loaded,
    kind: Kind<'_>,
    keys: impl Iterator<Item = Vec<u8>>,
) -> Result<Schedules, WayError> {
    let mut keys: Vec<Vec<u8>> = keys.collect();
    keys.sort_unstable();
    keys.dedup();
    let Some(schedule) = &cipher.schedule else {
        return Ok(keys.into_iter().map(|key| (key.clone(), key)).collect());
    };
    let mut schedule = Node::once(schedule, loaded, kind)?;
    schedule.expect(1)?;
    let inputs: Result<Vec<Words>, WayError> =
        keys.iter().map(|key| Ok(vec![schedule.input(0, key, cipher.key.order)?])).collect();
    let results = schedule.run(&inputs?);
    keys.into_iter()
        .zip(results)
        .map(|(key, results)| Ok((key, schedule.output(&results, cipher.round_keys.schedule_order)?)))
        .collect()
}

/// The round keys under which encryption decrypts, of each key; nothing if the cipher has a node that decrypts.
fn decryption_keys(
    cipher: &BlockCipher,
    loaded: &Loaded,
    kind: Kind<'_>,
    round_keys: &Schedules,
) -> Result<Option<Schedules>, WayError> {
    let (None, Some(node), Some(schedule)) = (&cipher.decrypt, &cipher.decryption_keys, &cipher.schedule)
    else {
        return Ok(None);
    };
    let mut node = Node::once(&Schedule { node: node.clone(), ..schedule.clone() }, loaded, kind)?;
    node.expect(1)?;
    let order = cipher.round_keys.schedule_order;
    let inputs: Result<Vec<Words>, WayError> =
        round_keys.values().map(|keys| Ok(vec![node.input(0, keys, order)?])).collect();
    let results = node.run(&inputs?);
    let made =
        round_keys.keys().zip(results).map(|(key, made)| Ok((key.clone(), node.output(&made, order)?)));
    made.collect::<Result<_, WayError>>().map(Some)
}

fn key_of(request: &Request) -> Option<&Vec<u8>> {
    match request {
        Request::RoundKeys { key }
        | Request::Blocks { key, .. }
        | Request::Chain { key, .. }
        | Request::Counter { key, .. } => Some(key),
        Request::Stream { .. } => None,
    }
}

fn block_cipher(
    cipher: &BlockCipher,
    loaded: &Loaded,
    kind: Kind<'_>,
    tests: &[Test],
) -> Result<Vec<Option<Vec<u8>>>, WayError> {
    let schedules =
        round_keys(cipher, loaded, kind, tests.iter().filter_map(|test| key_of(&test.request)).cloned())?;
    let others = decryption_keys(cipher, loaded, kind, &schedules)?;
    let mut encrypt = Node::new(&cipher.encrypt, loaded, kind)?;
    let inputs = 2 + usize::from(cipher.tweak.is_some());
    encrypt.expect(inputs)?;
    let mut decrypt = cipher.decrypt.as_ref().map(|node| Node::new(node, loaded, kind)).transpose()?;
    let size = cipher.block.bytes as usize;
    let mut answers: Vec<Option<Vec<u8>>> = vec![None; tests.len()];
    let mut forward = Batch::default();
    let mut backward = Batch::default();
    for (number, test) in tests.iter().enumerate() {
        let of = |schedules: &Schedules| {
            key_of(&test.request).and_then(|key| schedules.get(key)).cloned().unwrap_or_default()
        };
        let round_keys = &of(&schedules);
        let tweak = match &test.request {
            Request::Blocks { tweak, .. } => tweak.as_slice(),
            _ => &[],
        };
        let push =
            |batch: &mut Batch, node: &Node, round_keys: &[u8], blocks: &[u8]| -> Result<(), WayError> {
                let keys = node.input(inputs - 1, round_keys, cipher.round_keys.cipher_order)?;
                let tweak = cipher.tweak.map(|bytes| node.input(1, tweak, bytes.order)).transpose()?;
                for block in blocks.chunks(size) {
                    let block = node.input(0, block, cipher.block.order)?;
                    let inputs = [Some(block), tweak.clone(), Some(keys.clone())];
                    batch.applications.push((number, inputs.into_iter().flatten().collect()));
                }
                Ok(())
            };
        match &test.request {
            Request::RoundKeys { .. } => {
                if let Some(answer) = answers.get_mut(number) {
                    *answer = Some(round_keys.to_vec());
                }
            }
            Request::Blocks { direction: CipherFunction::Forward, blocks, .. } => {
                push(&mut forward, &encrypt, round_keys, blocks)?
            }
            Request::Blocks { direction: CipherFunction::Inverse, blocks, .. } => match (&decrypt, &others) {
                (Some(node), _) => push(&mut backward, node, round_keys, blocks)?,
                (None, Some(others)) => push(&mut forward, &encrypt, &of(others), blocks)?,
                (None, None) => {}
            },
            Request::Counter { counter, data, .. } => {
                let blocks: Vec<u8> = (0..data.len().div_ceil(size)).flat_map(|n| plus(counter, n)).collect();
                push(&mut forward, &encrypt, round_keys, &blocks)?;
            }
            Request::Chain { .. } | Request::Stream { .. } => {}
        }
    }
    forward.run(&mut encrypt, cipher.block.order, &mut answers)?;
    if let Some(node) = &mut decrypt {
        node.expect(inputs)?;
        backward.run(node, cipher.block.order, &mut answers)?;
    }
    add_text(tests, &mut answers);
    Ok(answers)
}

/// `counter + n` as a big-endian number of its size, modulo 256^size.
fn plus(counter: &[u8], n: usize) -> Vec<u8> {
    let mut carry = n as u64;
    let mut sum: Vec<u8> = counter
        .iter()
        .rev()
        .map(|&byte| {
            carry += u64::from(byte);
            let digit = carry as u8;
            carry >>= 8;
            digit
        })
        .collect();
    sum.reverse();
    sum
}

/// Makes keystreams into answers.
fn add_text(tests: &[Test], answers: &mut [Option<Vec<u8>>]) {
    for (test, answer) in tests.iter().zip(answers) {
        if let Request::Counter { data, .. } | Request::Stream { data, .. } = &test.request {
            let keystream = answer.take().unwrap_or_default();
            *answer = Some(data.iter().zip(keystream).map(|(a, b)| a ^ b).collect());
        }
    }
}

fn stream(
    cipher: &Stream,
    loaded: &Loaded,
    kind: Kind<'_>,
    tests: &[Test],
) -> Result<Vec<Option<Vec<u8>>>, WayError> {
    let mut node = Node::new(&cipher.block_function, loaded, kind)?;
    node.expect(3)?;
    let mut answers = vec![None; tests.len()];
    let mut batch = Batch::default();
    for (number, test) in tests.iter().enumerate() {
        let Request::Stream { key, nonce, counter, data } = &test.request else { continue };
        let key = node.input(0, key, cipher.key.order)?;
        let nonce = node.input(2, nonce, cipher.nonce.order)?;
        let size = (cipher.counter.bytes as usize).min(8);
        for block in 0..data.len().div_ceil(cipher.keystream.bytes as usize) {
            let count = counter.wrapping_add(block as u64).to_le_bytes();
            let count = node.input(1, count.get(..size).unwrap_or(&[]), cipher.counter.order)?;
            batch.applications.push((number, vec![key.clone(), count, nonce.clone()]));
        }
    }
    batch.run(&mut node, cipher.keystream.order, &mut answers)?;
    add_text(tests, &mut answers);
    Ok(answers)
}

fn generate(
    cipher: &Generator,
    loaded: &Loaded,
    kind: Kind<'_>,
    tests: &[Test],
) -> Result<Vec<Option<Vec<u8>>>, WayError> {
    let mut initialise = Node::once(&cipher.initialise, loaded, kind)?;
    initialise.expect(2)?;
    let mut node = Node::new(&cipher.generate, loaded, kind)?;
    if node.inputs.len() != 1 || node.outputs.len() != 2 {
        return Err(
            node.broken("it must have one input, the state, and two outputs, the state and keystream")
        );
    }
    let mut answers: Vec<Option<Vec<u8>>> = vec![None; tests.len()];
    let mut streams: Vec<(usize, usize)> = Vec::new();
    let mut starts: Vec<Words> = Vec::new();
    for (number, test) in tests.iter().enumerate() {
        let Request::Stream { key, nonce, data, .. } = &test.request else { continue };
        let key = initialise.input(0, key, cipher.key.order)?;
        let nonce = initialise.input(1, nonce, cipher.nonce.order)?;
        streams.push((number, data.len().div_ceil(cipher.keystream.bytes as usize)));
        starts.push(vec![key, nonce]);
    }
    let mut states: Vec<Words> = Vec::new();
    for results in initialise.run(&starts) {
        let state = initialise.output(&results, cipher.state.order)?;
        states.push(vec![node.input(0, &state, cipher.state.order)?]);
    }
    let most = streams.iter().map(|(_, words)| *words).max().unwrap_or(0);
    for step in 0..most {
        let all = node.run(&states);
        for (((number, words), state), mut results) in streams.iter().zip(&mut states).zip(all) {
            if let Some(answer) = answers.get_mut(*number).filter(|_| step < *words) {
                let keystream = node.output_number(1, &results, cipher.keystream.order)?;
                answer.get_or_insert_default().extend(keystream);
            }
            results.truncate(1);
            *state = results;
        }
    }
    add_text(tests, &mut answers);
    Ok(answers)
}

fn permute(
    permutation: &Permutation,
    loaded: &Loaded,
    kind: Kind<'_>,
    tests: &[Test],
) -> Result<Vec<Option<Vec<u8>>>, WayError> {
    let mut node = Node::new(&permutation.permute, loaded, kind)?;
    node.expect(1)?;
    let mut answers = vec![None; tests.len()];
    let mut batch = Batch::default();
    for (number, test) in tests.iter().enumerate() {
        let Request::Blocks { blocks, .. } = &test.request else { continue };
        for state in blocks.chunks(permutation.state.bytes as usize) {
            batch.applications.push((number, vec![node.input(0, state, permutation.state.order)?]));
        }
    }
    batch.run(&mut node, permutation.state.order, &mut answers)?;
    Ok(answers)
}

/// All chains at once, a step of each at a time.
fn chain_answers(
    primitive: &Primitive,
    loaded: &Loaded,
    kind: Kind<'_>,
    chains: &[(usize, &Request)],
    answers: &mut [Option<Vec<u8>>],
) -> Result<(), WayError> {
    if chains.is_empty() {
        return Ok(());
    }
    let (mut node, order, keys) = match &primitive.function {
        Function::BlockCipher(cipher) => {
            let keys = chains.iter().filter_map(|(_, request)| key_of(request)).cloned();
            let keys = round_keys(cipher, loaded, kind, keys)?;
            let node = Node::new(&cipher.encrypt, loaded, kind)?;
            let keys: Result<BTreeMap<Vec<u8>, Vec<u128>>, WayError> = keys
                .into_iter()
                .map(|(key, bytes)| Ok((key, node.input(1, &bytes, cipher.round_keys.cipher_order)?)))
                .collect();
            (node, cipher.block.order, keys?)
        }
        Function::Permutation(permutation) => {
            (Node::new(&permutation.permute, loaded, kind)?, permutation.state.order, BTreeMap::new())
        }
        Function::Stream(_) | Function::Generator(_) => return Ok(()),
    };
    let mut states: Vec<(usize, u32, Words)> = Vec::new();
    for (number, request) in chains {
        let Request::Chain { key, iterations, block } = request else { continue };
        let mut inputs = vec![node.input(0, block, order)?];
        inputs.extend(keys.get(key).cloned());
        states.push((*number, *iterations, inputs));
    }
    let most = states.iter().map(|(_, iterations, _)| *iterations).max().unwrap_or(0);
    for step in 0..most {
        let (active, inputs): (Vec<usize>, Vec<Words>) = states
            .iter()
            .enumerate()
            .filter(|(_, (_, iterations, _))| step < *iterations)
            .map(|(place, (_, _, inputs))| (place, inputs.clone()))
            .unzip();
        for (place, results) in active.into_iter().zip(node.run(&inputs)) {
            if let (Some((_, _, inputs)), Some(result)) = (states.get_mut(place), results.into_iter().next())
                && let Some(block) = inputs.first_mut()
            {
                *block = result;
            }
        }
    }
    for (number, _, inputs) in &states {
        let block: Words = inputs.iter().take(1).cloned().collect();
        let bytes = node.output(&block, order)?;
        if let Some(answer) = answers.get_mut(*number) {
            *answer = Some(bytes);
        }
    }
    Ok(())
}
