//! The functions of an engine around its kernel are proved: from bytes in memory to bytes in memory.
//!
//! What a driver does with bytes is to bring them into registers, to call the kernel, and to bring registers back to bytes.
//! Its calls of the kernel are not run ([`super::callee`]): it is shown that each block goes through the kernel once, as the
//! order of bytes says, under the round keys that were given, and that its place in the output is what comes out. What was
//! proved of the kernel says what that is. The number of blocks is public and one at a time: jumps that depend on it are
//! followed.

use super::batches::{Batches, Lost, Tweaks, Window};
use super::callee::{Callee, Instance};
use super::file::Object;
use super::inlined::Inlined;
use super::kernel::{Kept, NoProof};
use super::layout::Layout;
use super::machine::{Asked, Machine, Placement, Word};
use super::memory::{Address, Cell, Region, RegionId};
use super::value::{self, Byte, Lane};
use crate::equal::{Meaning, Parameters, prepare};
use crate::graph::sums::lone_term;
use crate::graph::{Edge, Graph, words};
use crate::prove::{Answer, Limits, Work, prove};
use crate::shapes::Unlike;
use crate::symbolic::Values;
use std::collections::HashMap;
use thiserror::Error;
use usuba_ir::program::Program;
use usuba_machine::{Rounds, Shape};

/// Bytes of the number of turns, at the beginning of the form of round keys of a kernel that takes it.
pub const NUMBER_BYTES: usize = 8;
/// Where the keys of this form begin. What is between is not looked at.
pub const KEYS_AT: usize = 64;

/// Where the bits of words lie in a string of bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Format {
    /// Bytes of the string.
    pub bytes: usize,
    /// Of each word of the text, from its least significant bit, the byte and the bit in it.
    pub words: Vec<Vec<(usize, usize)>>,
}

impl Format {
    /// The words in a string.
    fn read(&self, bytes: &[Byte]) -> Vec<Vec<Edge>> {
        let bit = |&(byte, bit): &(usize, usize)| bytes[byte].bits[bit];
        self.words.iter().map(|word| word.iter().map(bit).collect()).collect()
    }

    /// The string that holds words; bits that belong to none are zero.
    fn write(&self, words: &[Vec<Edge>]) -> Vec<[Edge; 8]> {
        let mut bytes = vec![[Edge::FALSE; 8]; self.bytes];
        for (word, places) in words.iter().zip(&self.words) {
            for (&edge, &(byte, bit)) in word.iter().zip(places) {
                bytes[byte][bit] = edge;
            }
        }
        bytes
    }
}

/// A kernel with one input of each instance, and one output: of a block cipher, whose round keys all instances have in common, and
/// whose blocks may have a tweak each; of a permutation, where they have nothing in common; or of a stream cipher, which have key and
/// nonce in common, and the counter for a block.
#[derive(Clone, Debug)]
pub struct Kernel<'a> {
    /// The name of the function.
    pub symbol: &'a str,
    /// What it computes of one instance.
    pub meaning: Meaning<'a>,
    /// The program it was made of.
    pub program: &'a Program,
    /// The program that makes its round keys of those that the meaning has, if it does not take these.
    pub prepared: Option<&'a Program>,
    /// How its round keys are cut, if it takes the number of its turns: their form then has this number in its first
    /// [`NUMBER_BYTES`], and the keys from [`KEYS_AT`] on.
    pub rounds: Option<Rounds>,
    /// How instances lie in its registers.
    pub shape: &'a Shape,
    /// The registers that it leaves as they are.
    pub kept: Kept,
    /// How a block, or a state, lies in bytes, before and after.
    pub blocks: [Format; 2],
    /// Which input of the meaning that is.
    pub block: usize,
    /// Which one is a tweak that each block has, and how it lies in bytes, if there is one.
    pub tweak: Option<(usize, Format)>,
    /// How the other inputs lie in bytes, which all instances have in common.
    pub common: Vec<Format>,
}

/// A function of an engine, by what it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Task {
    /// Brings round keys into the form of the kernel: `load(to, round_keys)`.
    Load,
    /// There is no such function, as round keys are in that form as they are.
    Same,
    /// Each block by itself: `apply(keys, out, in, blocks)`, or `apply(keys, tweaks, out, in, blocks)`.
    Apply {
        /// How many blocks.
        blocks: usize,
        /// Whether the output is where the input is.
        in_place: bool,
    },
    /// The same for every number of blocks that leaves so many for the last batch, if there are [`super::batches::FEWEST`] whole
    /// ones or more.
    Batches {
        /// How many blocks there are besides whole batches: fewer than a batch.
        rest: usize,
        /// Whether the output is where the input is.
        in_place: bool,
    },
    /// The same of states.
    BatchesOfStates {
        /// How many states there are besides whole batches: fewer than a batch.
        rest: usize,
    },
    /// Each state by itself, in place: `permute(states, count)`.
    Permute {
        /// How many states.
        states: usize,
    },
    /// The input, exclusive or what the kernel makes of counters that follow one another:
    /// `xor(key, nonce, counter, out, in, length)`. Counters are public, and the first one is known.
    Stream {
        /// How many bytes.
        length: usize,
        /// The first counter, least significant byte first in as many bytes as the input of the kernel has.
        from: u64,
        /// Whether the output is where the input is.
        in_place: bool,
    },
    /// The input, exclusive or the encryptions of numbers that follow one another: `xor(keys, counter, out, in, length)`. A
    /// number is a whole block, its most significant byte first. Counters are public: code may jump by what the last bytes
    /// are, which are given; nothing is known of the others.
    Counter {
        /// How many bytes.
        length: usize,
        /// The last four bytes of the first number.
        from: u32,
        /// Whether the output is where the input is.
        in_place: bool,
    },
}

/// What is known of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// For all bytes and round keys it does what it is to do.
    Proved,
    /// It does not: for some of them what is at this byte of the output, or in the block that begins there, is wrong.
    Refuted {
        /// The byte.
        byte: usize,
    },
    /// Neither was shown within the limits.
    Unknown,
    /// Neither was shown, as what it does may depend on what a register held after a call, of which nothing is known.
    Unfounded,
}

impl From<Lost> for Unfit {
    fn from(lost: Lost) -> Unfit {
        match lost {
            Lost::Refused(refusal) => Unfit::NoProof(refusal.into()),
            Lost::Before(refusal) => Unfit::Before(refusal.into()),
            Lost::Unlike(what) => Unfit::Loop(what),
        }
    }
}

/// How much there was to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Instructions that were run, for one place of the stack.
    pub instructions: u64,
    /// Instances of all calls of the kernel; none where the compiler made it a part of the function, so that it is proved
    /// with each block.
    pub instances: usize,
    /// Vertices of the graph.
    pub vertices: usize,
    /// What the prover did.
    pub work: Work,
}

/// Why a function cannot be looked at.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Unfit {
    /// As for kernels.
    #[error(transparent)]
    NoProof(#[from] NoProof),
    /// The same before a loop was seen to make turns.
    #[error("{0}")]
    Before(NoProof),
    /// What the kernel is to compute has other sizes.
    #[error(transparent)]
    Unlike(#[from] Unlike),
    /// A loop over batches was not shown to do the same in each turn.
    #[error("{0}")]
    Loop(&'static str),
    /// The kernel has other parameters.
    #[error(
        "the kernel has other parameters than a block of each instance, perhaps a tweak, those in common, and an output"
    )]
    Parameters,
}

impl Kernel<'_> {
    /// Proves that a function of an object does its task with this kernel, or refutes it. Addresses are those of the task's
    /// parameters, which do not overlap but where the output is where the input is, and have any alignment; those of round
    /// keys in the form of the kernel are aligned to one of its elements.
    ///
    /// # Errors
    /// The code is refused, or the kernel does not fit.
    pub fn prove(
        &self,
        object: &Object,
        function: &str,
        task: Task,
        limits: Limits,
    ) -> Result<(Verdict, Report), Unfit> {
        let takes_tweaks =
            matches!(task, Task::Load | Task::Same | Task::Apply { .. } | Task::Batches { .. });
        if !self.has_parameters() || (self.tweak.is_some() && !takes_tweaks) {
            return Err(Unfit::Parameters);
        }
        self.meaning.check_inputs(&Parameters::of(self.program, self.prepared))?;
        // Where nothing was asked about a placement, the others are the same.
        let mut asked: Option<Asked> = None;
        let mut report = Report::default();
        for placement in Placement::all() {
            if asked.is_some_and(|asked| !asked.needs(placement)) {
                continue;
            }
            let mut ran = self.run(object, function, task, placement, InlinedBlocks::AsOne)?;
            let (mut verdict, mut work) = ran.decide(limits);
            if ran.is_rewritten && verdict != Verdict::Proved {
                ran = self.run(object, function, task, placement, InlinedBlocks::AsTheyAre)?;
                (verdict, work) = ran.decide(limits);
            }
            if asked.is_none() {
                let Ran { instructions, instances, .. } = ran;
                report = Report { instructions, instances, vertices: ran.graph.len(), work };
            }
            if verdict != Verdict::Proved {
                return Ok((verdict, report));
            }
            asked = Some(asked.unwrap_or_default().or(ran.asked));
        }
        Ok((Verdict::Proved, report))
    }

    fn run(
        &self,
        object: &Object,
        function: &str,
        task: Task,
        placement: Placement,
        inlined: InlinedBlocks,
    ) -> Result<Ran, Unfit> {
        let layout = Layout::of(self.shape).map_err(NoProof::from)?;
        let mut graph = Graph::new();
        graph.keep_look_ups();
        let given = Given::new(self, &mut graph);
        let of_kernel = self.form(&mut graph, &layout, &given);
        let alignment = layout.element() as u64;
        let mut callee = Callee {
            symbol: self.symbol,
            kernel: self.program,
            layout,
            rounds: self.rounds,
            kept: self.kept,
            instances: Vec::new(),
        };
        if task == Task::Same {
            let pairs = match of_kernel.iter().map(|byte| byte.bits).eq(given
                .strings
                .iter()
                .flatten()
                .map(|byte| byte.bits))
            {
                true => Vec::new(),
                false => vec![(Edge::TRUE, Edge::FALSE, 0)],
            };
            return Ok(Ran {
                graph,
                pairs,
                instructions: 0,
                instances: 0,
                asked: Asked::default(),
                is_rewritten: false,
            });
        }
        let mut machine = Machine::new(&mut graph, object, placement);
        machine.callees.push(&mut callee);
        let mut call = Call { machine, arguments: 0 };
        let keys = |call: &mut Call<'_>| {
            call.region(Region::constant("the keys", of_kernel.clone(), alignment));
        };
        let mut batches: Option<Batches> = None;
        let mut tweaks: Vec<Byte> = Vec::new();
        let (output, input, counter) = match task {
            Task::Load | Task::Same => {
                let to = call.region(Region::unset("the keys", of_kernel.len(), alignment));
                call.region(Region::constant("the round keys", given.strings.concat(), 1));
                (to, Vec::new(), Vec::new())
            }
            Task::Apply { blocks, in_place } => {
                keys(&mut call);
                if let Some((_, format)) = &self.tweak {
                    tweaks = string(call.machine.graph, blocks * format.bytes);
                    call.region(Region::constant("the tweaks", tweaks.clone(), 1));
                }
                let (output, input) = call.strings(blocks * self.blocks[0].bytes, in_place);
                call.number(blocks);
                (output, input, Vec::new())
            }
            Task::Batches { rest, in_place } => {
                keys(&mut call);
                let tweaks =
                    self.tweak.as_ref().map(|_| call.region(Region::constant("the tweaks", Vec::new(), 1)));
                let (output, input) = call.any_strings(in_place);
                call.argument(Batches::count(self.batch(), rest));
                batches = Some(self.batches(output, input, tweaks, rest));
                (output, Vec::new(), Vec::new())
            }
            Task::BatchesOfStates { rest } => {
                let output = call.region(Region::unset("the states", 0, 1));
                call.argument(Batches::count(self.batch(), rest));
                batches = Some(self.batches(output, output, None, rest));
                (output, Vec::new(), Vec::new())
            }
            Task::Permute { states } => {
                let input = string(call.machine.graph, states * self.blocks[0].bytes);
                let region = Region::constant("the states", input.clone(), 1);
                let output = call.region(region.writable(true));
                call.number(states);
                (output, input, Vec::new())
            }
            Task::Stream { length, from, in_place } => {
                for (what, bytes) in ["the key", "the nonce"].into_iter().zip(&given.strings) {
                    call.region(Region::constant(what, bytes.clone(), 1));
                }
                call.number(from as usize);
                let (output, input) = call.strings(length, in_place);
                call.number(length);
                (output, input, Vec::new())
            }
            Task::Counter { length, from, in_place } => {
                keys(&mut call);
                let last = from.to_be_bytes();
                let known = last.len().min(self.blocks[0].bytes);
                let mut counter = string(call.machine.graph, self.blocks[0].bytes - known);
                counter.extend(last[last.len() - known..].iter().map(|&byte| Byte::constant(byte)));
                call.region(Region::constant("the counter", counter.clone(), 1));
                let (output, input) = call.strings(length, in_place);
                call.number(length);
                (output, input, counter)
            }
        };
        let mut machine = call.machine;
        let windows = match batches {
            Some(batches) => batches.run(&mut machine, function)?,
            None => {
                machine.run(function).map_err(NoProof::from)?;
                Vec::new()
            }
        };
        let (instructions, asked) = (machine.steps, machine.asked);
        let found = machine.memory.region(output).cells.iter().enumerate().map(|(byte, cell)| match cell {
            Cell::Bits(bits) => Ok(bits.bits),
            // Between the number of turns and the keys.
            Cell::Unset if task == Task::Load && self.is_apart(byte) => Ok([Edge::FALSE; 8]),
            cell => {
                let what = if *cell == Cell::Unset { "nothing" } else { "an address" };
                Err(NoProof::Output { output: "out".into(), byte, what })
            }
        });
        // Of a loop over batches the windows say it.
        let found: Vec<[Edge; 8]> =
            if windows.is_empty() { found.collect::<Result<_, _>>()? } else { Vec::new() };
        let instances = callee.instances.len();
        let mut question = Question::new(self, graph, &given, callee.instances, inlined);
        match task {
            Task::Load | Task::Same => {
                let expected: Vec<[Edge; 8]> = of_kernel.iter().map(|byte| byte.bits).collect();
                let begin = if self.rounds.is_some() { KEYS_AT } else { 0 };
                if begin > 0 {
                    question.bytes(0, &expected[..NUMBER_BYTES], &found[..NUMBER_BYTES]);
                }
                question.bytes(begin, &expected[begin..], &found[begin..]);
            }
            Task::Apply { .. } | Task::Permute { .. } => {
                let size = self.blocks[0].bytes;
                for (number, (block, found)) in input.chunks(size).zip(found.chunks(size)).enumerate() {
                    question.block(block, self.tweak_of(&tweaks, number), number * size, found)?;
                }
            }
            Task::Batches { .. } | Task::BatchesOfStates { .. } => {
                let size = self.blocks[0].bytes;
                let mut place = 0;
                for Window { input, tweaks, output } in &windows {
                    for (number, (block, found)) in input.chunks(size).zip(output.chunks(size)).enumerate() {
                        question.block(block, self.tweak_of(tweaks, number), place, found)?;
                        place += size;
                    }
                }
            }
            Task::Stream { from, .. } => question.stream(from, &input, &found)?,
            Task::Counter { .. } => question.counter(&counter, &input, &found)?,
        }
        let Question { graph, pairs, is_rewritten, .. } = question;
        Ok(Ran { graph, pairs, instructions, instances, asked, is_rewritten })
    }
}

impl Kernel<'_> {
    /// The round keys as the kernel reads them.
    fn form(&self, graph: &mut Graph, layout: &Layout<'_>, given: &Given) -> Vec<Byte> {
        let mut atoms: Vec<Vec<Byte>> =
            given.keys.iter().flatten().map(|atom| layout.uniform(atom)).collect();
        let mut form = Vec::new();
        if let Some(rounds) = self.rounds {
            form = value::constant(NUMBER_BYTES, u64::from(rounds.turns));
            form.extend(string(graph, KEYS_AT - NUMBER_BYTES));
            atoms = rounds.ordered(&atoms);
        }
        form.extend(atoms.concat());
        form
    }

    /// Whether a byte of the form of round keys means nothing.
    fn is_apart(&self, byte: usize) -> bool {
        self.rounds.is_some() && (NUMBER_BYTES..KEYS_AT).contains(&byte)
    }

    /// How many instances a batch has.
    fn batch(&self) -> usize {
        self.shape.in_register() * self.program.interleave.max(1) as usize
    }

    /// Any number of batches in these strings.
    fn batches(&self, output: RegionId, input: RegionId, tweaks: Option<RegionId>, rest: usize) -> Batches {
        let size = self.blocks[0].bytes;
        let tweaks = tweaks.zip(self.tweak.as_ref()).map(|(region, (_, format))| Tweaks {
            region,
            batch: self.batch() * format.bytes,
            rest: rest * format.bytes,
        });
        Batches { output, input, batch: self.batch() * size, rest: rest * size, tweaks }
    }

    /// The tweak of a block, of those of all; nothing if there are none.
    fn tweak_of<'a>(&self, tweaks: &'a [Byte], block: usize) -> &'a [Byte] {
        let size = self.tweak.as_ref().map_or(0, |(_, format)| format.bytes);
        &tweaks[block * size..][..size]
    }

    /// Whether the program has an input of each instance, perhaps a tweak too, those in common, and an output. Inputs of the meaning
    /// may stand side by side in one of the program.
    fn has_parameters(&self) -> bool {
        let entry = self.program.entry();
        let uniform: Vec<bool> = entry.inputs.iter().map(|input| input.uniform).collect();
        let own: Vec<usize> = (0..uniform.len()).filter(|&number| !uniform[number]).collect();
        let mut wanted: Vec<usize> = self.tweak.iter().map(|(number, _)| *number).collect();
        wanted.push(self.block);
        wanted.sort_unstable();
        let is_apart = uniform.len() == self.common.len() + wanted.len() && own == wanted;
        let is_joined =
            uniform.len() < self.common.len() + wanted.len() && own.len() == 1 && self.tweak.is_none();
        (is_apart || is_joined) && entry.outputs.len() == 1
    }
}

/// So many bytes of which nothing is known.
fn string(graph: &mut Graph, bytes: usize) -> Vec<Byte> {
    let mut byte = || Byte { bits: std::array::from_fn(|_| graph.input()), lane: Lane::All };
    (0..bytes).map(|_| byte()).collect()
}

/// What the instances of a call have in common: round keys, or key and nonce.
struct Given {
    /// The parameters of what the kernel is to compute.
    parameters: Parameters,
    /// The inputs that all have in common, as bytes, in their order.
    strings: Vec<Vec<Byte>>,
    /// As words of the text.
    words: Vec<Vec<Vec<Edge>>>,
    /// As the kernel has them; nothing in place of those that each instance has.
    keys: Values,
}

impl Given {
    fn new(kernel: &Kernel<'_>, graph: &mut Graph) -> Given {
        let strings: Vec<Vec<Byte>> =
            kernel.common.iter().map(|format| string(graph, format.bytes)).collect();
        let words = kernel.common.iter().zip(&strings).map(|(format, bytes)| format.read(bytes)).collect();
        let parameters = Parameters::of(kernel.program, kernel.prepared);
        let mut given = Given { parameters, strings, words, keys: Vec::new() };
        let zeros = |format: &Format| format.words.iter().map(|word| vec![Edge::FALSE; word.len()]).collect();
        let tweak = kernel.tweak.as_ref().map(|(_, format)| zeros(format));
        let of_text = given.values(kernel, zeros(&kernel.blocks[0]), tweak);
        let called = kernel.meaning.inputs_of(&given.parameters, &of_text);
        given.keys = prepare(graph, kernel.program, kernel.prepared, &called);
        let entry = kernel.program.entry().inputs.iter().zip(&mut given.keys);
        entry.filter(|(input, _)| !input.uniform).for_each(|(_, atoms)| atoms.clear());
        given
    }

    /// The inputs of the text, with these words of a block, and of its tweak.
    fn values(
        &self,
        kernel: &Kernel<'_>,
        words: Vec<Vec<Edge>>,
        mut tweak: Option<Vec<Vec<Edge>>>,
    ) -> Values {
        let (mut words, mut common) = (Some(words), self.words.iter());
        let tweak_at = kernel.tweak.as_ref().map(|(number, _)| *number);
        let count = 1 + self.words.len() + usize::from(tweak_at.is_some());
        let of = |number: usize| match number {
            _ if number == kernel.block => words.take(),
            _ if Some(number) == tweak_at => tweak.take(),
            _ => common.next().cloned(),
        };
        (0..count).filter_map(of).collect()
    }
}

/// A call that is being prepared.
struct Call<'a> {
    machine: Machine<'a>,
    arguments: usize,
}

impl Call<'_> {
    fn argument(&mut self, word: Word) {
        self.machine.argument(self.arguments, word);
        self.arguments += 1;
    }

    fn number(&mut self, number: usize) {
        self.argument(Word::Bits(value::constant(8, number as u64)));
    }

    fn region(&mut self, region: Region) -> RegionId {
        let id = self.machine.memory.add(region);
        self.argument(Word::Address(Address::new(id, 0)));
        id
    }

    /// An output and an input of which not even the length is known.
    fn any_strings(&mut self, in_place: bool) -> (RegionId, RegionId) {
        let output = self.region(Region::unset("the output", 0, 1));
        if in_place {
            self.argument(Word::Address(Address::new(output, 0)));
            return (output, output);
        }
        (output, self.region(Region::constant("the input", Vec::new(), 1)))
    }

    /// An output and an input of so many bytes: the region of the one, and what is in the other.
    fn strings(&mut self, length: usize, in_place: bool) -> (RegionId, Vec<Byte>) {
        let input = string(self.machine.graph, length);
        let from = Region::constant("the input", input.clone(), 1);
        let output = if in_place {
            let both = self.region(from.writable(true));
            self.argument(Word::Address(Address::new(both, 0)));
            both
        } else {
            let output = self.region(Region::unset("the output", length, 1));
            self.region(from);
            output
        };
        (output, input)
    }
}

/// How the question is put for blocks whose kernels a compiler has made a part of the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum InlinedBlocks {
    /// Written on the inputs of one block that stands for all, where that can be: equal is equal, but different says nothing.
    AsOne,
    /// As they are.
    AsTheyAre,
}

/// What has to be equal for a function to have done its task.
struct Question<'a> {
    kernel: &'a Kernel<'a>,
    graph: Graph,
    given: &'a Given,
    /// What the calls of the kernel were given, and the bytes of a block that they have handed out.
    instances: Vec<(Values, Vec<[Edge; 8]>)>,
    /// Each of them by the first of these bytes.
    by_first: HashMap<[Edge; 8], usize>,
    /// Two edges, and the byte of the output that they are about.
    pairs: Vec<(Edge, Edge, usize)>,
    inlined: InlinedBlocks,
    /// The block that stands for all, once there was one.
    one: Option<Inlined>,
    /// Whether some pairs are about it.
    is_rewritten: bool,
}

impl<'a> Question<'a> {
    fn new(
        kernel: &'a Kernel<'a>,
        graph: Graph,
        given: &'a Given,
        instances: Vec<Instance>,
        inlined: InlinedBlocks,
    ) -> Question<'a> {
        let written = |one: Instance| {
            let outputs = kernel.meaning.own_outputs(&one.outputs);
            (one.inputs, kernel.blocks[1].write(&outputs[0]))
        };
        let instances: Vec<(Values, Vec<[Edge; 8]>)> = instances.into_iter().map(written).collect();
        let firsts = instances.iter().enumerate();
        let by_first = firsts.filter_map(|(number, (_, bytes))| Some((*bytes.first()?, number))).collect();
        let pairs = Vec::new();
        Question { kernel, graph, given, instances, by_first, pairs, inlined, one: None, is_rewritten: false }
    }

    fn add(&mut self, a: Edge, b: Edge, at: usize) {
        if a != b {
            self.pairs.push((a, b, at));
        }
    }

    /// As many bytes as there are found, of those from `at` on.
    fn bytes(&mut self, at: usize, expected: &[[Edge; 8]], found: &[[Edge; 8]]) {
        for (place, (expected, found)) in expected.iter().zip(found).enumerate() {
            expected.iter().zip(found).for_each(|(&a, &b)| self.add(a, b, at + place));
        }
    }

    /// What is found at a place of the output is what the kernel makes of a block and its tweak.
    fn block(&mut self, block: &[Byte], tweak: &[Byte], at: usize, found: &[[Edge; 8]]) -> Result<(), Unfit> {
        let (kernel, given) = (self.kernel, self.given);
        let tweak = kernel.tweak.as_ref().map(|(_, format)| format.read(tweak));
        let words = given.values(kernel, kernel.blocks[0].read(block), tweak);
        let called = kernel.meaning.inputs_of(&given.parameters, &words);
        // Bits of the output name the instance that they come from.
        let lone = |first: &[Edge; 8]| first.map(|edge| lone_term(&self.graph, edge).unwrap_or(edge));
        if let Some(&number) = found.first().and_then(|first| self.by_first.get(&lone(first))) {
            let (inputs, outputs) = self.instances[number].clone();
            self.bytes(at, &outputs, found);
            let own = kernel.program.entry().inputs.iter().map(|input| !input.uniform);
            let mut wanted = given.keys.clone();
            for ((wanted, called), _) in wanted.iter_mut().zip(&called).zip(own).filter(|(_, is_own)| *is_own)
            {
                wanted.clone_from(called);
            }
            for (given, wanted) in inputs.iter().flatten().zip(wanted.iter().flatten()) {
                given.iter().zip(wanted).for_each(|(&given, &wanted)| self.add(given, wanted, at));
            }
            return Ok(());
        }
        // The kernel is part of the function.
        if self.inlined == InlinedBlocks::AsOne && self.as_one(block, at, found)? {
            return Ok(());
        }
        let wanted = self.wanted(&called)?;
        self.bytes(at, &wanted, found);
        Ok(())
    }

    /// What the kernel makes of its inputs.
    fn wanted(&mut self, called: &Values) -> Result<Vec<[Edge; 8]>, Unfit> {
        let (kernel, given) = (self.kernel, self.given);
        let outputs = kernel.meaning.run(&mut self.graph, &given.parameters, called, &mut Vec::new())?;
        Ok(kernel.blocks[1].write(&kernel.meaning.own_outputs(&outputs)[0]))
    }

    /// Asks the same as [`Question::block`] of the block that stands for all; whether that can be.
    fn as_one(&mut self, block: &[Byte], at: usize, found: &[[Edge; 8]]) -> Result<bool, Unfit> {
        let (kernel, given) = (self.kernel, self.given);
        // A block under a tweak of its own is no function of the block alone.
        if kernel.tweak.is_some() {
            return Ok(false);
        }
        let mut one = match self.one.take() {
            Some(one) => one,
            None => {
                let block = string(&mut self.graph, kernel.blocks[0].bytes);
                let words = given.values(kernel, kernel.blocks[0].read(&block), None);
                let called = kernel.meaning.inputs_of(&given.parameters, &words);
                let wanted = self.wanted(&called)?;
                let common = given.strings.iter().flatten().flat_map(|byte| byte.bits).map(Edge::vertex);
                Inlined::new(&self.graph, &block, &wanted, common)
            }
        };
        let pairs = one.pairs(&mut self.graph, block, found);
        self.one = Some(one);
        let Some(pairs) = pairs else { return Ok(false) };
        // The last block of a string may be a part of one.
        self.is_rewritten = true;
        for (bit, (wanted, found)) in pairs.into_iter().enumerate() {
            self.add(wanted, found, at + bit / 8);
        }
        Ok(true)
    }

    /// What is found is the input, exclusive or what the kernel makes of counters that follow one another.
    fn stream(&mut self, from: u64, input: &[Byte], found: &[[Edge; 8]]) -> Result<(), Unfit> {
        let size = self.kernel.blocks[1].bytes;
        for (place, (data, found)) in input.chunks(size).zip(found.chunks(size)).enumerate() {
            let counter = from.wrapping_add(place as u64).to_le_bytes();
            let counter: Vec<Byte> =
                counter.iter().take(self.kernel.blocks[0].bytes).map(|&byte| Byte::constant(byte)).collect();
            let keystream = self.keystream(data, found);
            self.block(&counter, &[], place * size, &keystream)?;
        }
        Ok(())
    }

    /// What the input was added to.
    fn keystream(&mut self, data: &[Byte], found: &[[Edge; 8]]) -> Vec<[Edge; 8]> {
        let pairs = data.iter().zip(found);
        pairs
            .map(|(data, found)| std::array::from_fn(|bit| self.graph.xor(data.bits[bit], found[bit])))
            .collect()
    }

    /// What is found is the input, exclusive or what the kernel makes of numbers that follow one another.
    fn counter(&mut self, counter: &[Byte], input: &[Byte], found: &[[Edge; 8]]) -> Result<(), Unfit> {
        let size = counter.len();
        let mut number: Vec<Edge> = counter.iter().rev().flat_map(|byte| byte.bits).collect();
        for (place, (data, found)) in input.chunks(size).zip(found.chunks(size)).enumerate() {
            let block: Vec<Byte> = value::bytes(&number, Lane::All).into_iter().rev().collect();
            let keystream = self.keystream(data, found);
            self.block(&block, &[], place * size, &keystream)?;
            let zero = vec![Edge::FALSE; number.len()];
            number = words::add(&mut self.graph, &number, &zero, Edge::TRUE).0;
        }
        Ok(())
    }
}

/// What a run gave.
struct Ran {
    graph: Graph,
    pairs: Vec<(Edge, Edge, usize)>,
    instructions: u64,
    instances: usize,
    asked: Asked,
    /// Whether pairs are about another block than that of which they say something.
    is_rewritten: bool,
}

impl Ran {
    fn decide(&self, limits: Limits) -> (Verdict, Work) {
        if !self.graph.has_kept() {
            return decide(&self.graph, &self.pairs, limits);
        }
        let pairs: Vec<(Edge, Edge)> = self.pairs.iter().map(|&(a, b, _)| (a, b)).collect();
        let same = self.graph.same_by_terms(&pairs).unwrap_or_else(|| vec![false; pairs.len()]);
        let open = || self.pairs.iter().zip(&same).filter(|(_, same)| !**same).map(|(pair, _)| *pair);
        let pairs: Vec<(Edge, Edge)> = open().map(|(a, b, _)| (a, b)).collect();
        let Some((graph, pairs)) = self.graph.expanded(&pairs) else {
            return (Verdict::Unknown, Work::default());
        };
        let pairs: Vec<(Edge, Edge, usize)> =
            pairs.into_iter().zip(open()).map(|((a, b), (.., byte))| (a, b, byte)).collect();
        decide(&graph, &pairs, limits)
    }
}

/// What is known of pairs, each with its byte of the output, of a graph that keeps no look-ups.
fn decide(graph: &Graph, of: &[(Edge, Edge, usize)], limits: Limits) -> (Verdict, Work) {
    let pairs: Vec<(Edge, Edge)> = of.iter().map(|&(a, b, _)| (a, b)).collect();
    let (answer, work) = prove(graph, &pairs, limits);
    let verdict = match answer {
        Answer::Proved => Verdict::Proved,
        Answer::Unknown { .. } => Verdict::Unknown,
        Answer::Refuted { pair, .. } if graph.rest_on_unknown(<[Edge; 2]>::from(pairs[pair])) => {
            Verdict::Unfounded
        }
        Answer::Refuted { pair, .. } => Verdict::Refuted { byte: of[pair].2 },
    };
    (verdict, work)
}
