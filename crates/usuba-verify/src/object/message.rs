//! A message is proved: what a function for a mode of operation or a sponge does with strings of some lengths, from bytes in memory
//! to bytes in memory.
//!
//! The text is run on bits, elaborated for these lengths, and so is the code: first what prepares a key, then the message. Tables of
//! bytes are symbols on both sides ([`Graph::with_symbols`]), so that rounds of AES are compared by what goes into their S-boxes, and
//! products by the hash key of GCM are multiplied out ([`crate::graph::points`]), since code adds up several of them at once.
//! Code may branch on whether a message is refused, and on nothing else that is not public: both branches are run.
//!
//! Code around engines calls a cipher through pointers, of which nothing is known on either side: what is proved holds for all ciphers
//! with blocks of that size ([`super::cipher`]).

use super::blocks::Verdict;
use super::cipher::KeySchedule;
use super::file::Object;
use super::kernel::NoProof;
use super::machine::{Asked, Called, Fork, Machine, Placement, Sizes, Word};
use super::memory::{Address, Cell, Region, RegionId};
use super::value::{self, Byte, Lane};
use crate::graph::functions::Role;
use crate::graph::hashes::Hashes;
use crate::graph::{Edge, Gate, Graph, VertexMap, value_of};
use crate::prove::{Answer, Limits, Work, prove};
use crate::symbolic::source::{self, Opaque, Opened};
use std::collections::BTreeSet;
use usuba_ir::random::Random;
use usuba_lang::typed::Program;

/// A function for messages of some lengths, called as `usuba_blockwise` has it: lengths, what is prepared, inputs, outputs.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The function.
    pub symbol: &'a str,
    /// The text for these lengths: all parameters are bytes.
    pub program: &'a Program,
    /// Its node that is the product in GF(2^128), if there is one.
    pub product: Option<usuba_lang::typed::InstanceId>,
    /// The public numbers, as the function takes them.
    pub numbers: &'a [u64],
    /// For each input whether it belongs to the key, so that the function that prepares gets it.
    pub of_key: &'a [bool],
    /// If code calls a cipher through pointers: the names of its nodes, and what they take. In place of round keys the function gets
    /// `struct usuba_blocks` then.
    pub cipher: Option<(&'a [(String, Role)], Sizes)>,
    /// The node that makes round keys: code on rounds calls a function for it.
    pub schedule: Option<usuba_lang::typed::InstanceId>,
    /// Bytes of what is prepared.
    pub prepared: usize,
    /// Inputs, and outputs that may be written where they are, which is proved too: one of them at a time.
    pub in_place: &'a [(usize, usize)],
    /// A function elsewhere that says 0 or 1 of the processor: code may do one thing or another then.
    pub asks: Option<&'a str>,
}

/// How much there was to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Instructions that were run, of both branches, with the output apart.
    pub instructions: u64,
    /// Pairs of bits that were compared as polynomials.
    pub polynomials: usize,
    /// What the prover did of the rest.
    pub work: Work,
}

/// What a run of the code gave.
struct Ran {
    /// What is prepared, as blocks of sixteen bytes, and what was multiplied for it.
    prepared: Vec<Vec<Edge>>,
    outputs: Vec<Vec<[Edge; 8]>>,
    result: Option<u64>,
    /// The bit that it has branched on, which was set.
    condition: Option<Edge>,
    instructions: u64,
    asked: Asked,
}

/// What is prepared for a key.
pub(super) struct Prepared {
    pub region: Region,
    /// As blocks of sixteen bytes, and what was multiplied for it.
    pub blocks: Vec<Vec<Edge>>,
    pub instructions: u64,
    pub asked: Asked,
}

/// What the function is given for an input of the text.
pub(super) enum Given {
    String(Vec<Byte>),
    /// The bits of round keys that a cipher has, which is called through pointers.
    Keyed(Vec<Edge>),
}

/// What the function returns of a message that is refused.
pub(super) const REFUSED: u64 = 1;

impl Message<'_> {
    /// Proves that the function computes the message, for all bytes, or refutes it.
    ///
    /// # Errors
    /// The code is refused.
    pub fn prove(&self, object: &Object, limits: Limits) -> Result<(Verdict, Report), NoProof> {
        let mut graph = Graph::with_symbols();
        let shapes = source::inputs(self.program);
        let (mut given, mut values) = (Vec::new(), Vec::new());
        for (&(width, atoms), &of_key) in shapes.iter().zip(self.of_key) {
            let atoms = atoms as usize;
            if of_key && self.cipher.is_some() {
                let bits = graph.input_bits(width as usize * atoms);
                values.push(bits.chunks(width as usize).map(<[Edge]>::to_vec).collect());
                given.push(Given::Keyed(bits));
            } else {
                let bytes = string(&mut graph, atoms);
                values.push(bytes.iter().map(|byte| byte.bits.to_vec()).collect());
                given.push(Given::String(bytes));
            }
        }
        let cipher = self.cipher.map(|(nodes, _)| nodes.to_vec()).unwrap_or_default();
        let opaque = Opaque { product: self.product, cipher };
        let Opened { outputs, accepted } = source::open(&mut graph, self.program, &values, &opaque);
        let text = graph.len();
        let expected: Vec<[Edge; 8]> = outputs.iter().flatten().map(|atom| bits(atom)).collect();
        let opens = !accepted.is_empty();
        let branches: &[bool] = if opens { &[true, false] } else { &[true] };
        let answers = if self.asks.is_some() { 0..2 } else { 0..1 };
        let mut report = Report::default();
        let mut asked: Option<Asked> = None;
        // Mostly all runs compute the same, which is compared once.
        let mut pairs: BTreeSet<(usize, Edge, Edge)> = BTreeSet::new();
        let mut prepared: BTreeSet<Vec<Edge>> = BTreeSet::new();
        for placement in Placement::all() {
            if asked.is_some_and(|asked| !asked.needs(placement)) {
                continue;
            }
            let mut now = asked.unwrap_or_default();
            let runs = answers.clone().flat_map(|says| branches.iter().map(move |&one| (says, one)));
            let places = std::iter::once(None).chain(self.in_place.iter().copied().map(Some));
            for (in_place, (says, is_taken)) in
                places.flat_map(|place| runs.clone().map(move |run| (place, run)))
            {
                let fork = opens.then_some(Fork { is_taken, bit: None });
                let ran = self.run(&mut graph, object, (placement, says, in_place), &given, fork)?;
                now = now.or(ran.asked);
                report.instructions +=
                    if asked.is_none() && in_place.is_none() { ran.instructions } else { 0 };
                let is_refused = match (ran.result, ran.condition) {
                    (Some(0), condition) if condition.is_some() == opens => false,
                    (Some(REFUSED), Some(_)) => true,
                    _ => return Ok((Verdict::Unknown, report)),
                };
                if let Some(condition) = ran.condition {
                    let condition = condition.complemented_if(is_refused);
                    pairs.extend(agree(&mut graph, condition, &accepted).into_iter().map(|(a, b)| (0, a, b)));
                }
                let found: Vec<&[Edge; 8]> = ran.outputs.iter().flatten().collect();
                if found.len() != expected.len() {
                    return Ok((Verdict::Unknown, report));
                }
                for (byte, (expected, found)) in expected.iter().zip(found).enumerate() {
                    let expected = if is_refused { &[Edge::FALSE; 8] } else { expected };
                    let bits = expected.iter().zip(found).filter(|(a, b)| a != b);
                    pairs.extend(bits.map(|(&a, &b)| (byte, a, b)));
                }
                prepared.extend(ran.prepared);
            }
            asked = Some(now);
        }
        if let Some((byte, a, b)) = differs(&graph, &pairs) {
            let is_unfounded = graph.symbols_rest_on_unknown([a, b]);
            let verdict = if is_unfounded { Verdict::Unfounded } else { Verdict::Refuted { byte } };
            return Ok((verdict, report));
        }
        let pairs: Vec<(Edge, Edge)> = pairs.into_iter().map(|(_, a, b)| (a, b)).collect();
        let prepared: Vec<Vec<Edge>> = prepared.into_iter().collect();
        let is_proved = decide(&mut graph, &pairs, &prepared, (limits, text), &mut report);
        Ok((if is_proved { Verdict::Proved } else { Verdict::Unknown }, report))
    }

    /// Prepares a key, and runs the function.
    fn run(
        &self,
        graph: &mut Graph,
        object: &Object,
        (placement, says, in_place): (Placement, u64, Option<(usize, usize)>),
        given: &[Given],
        fork: Option<Fork>,
    ) -> Result<Ran, NoProof> {
        let Prepared { region, blocks, instructions, asked } =
            self.prepare(graph, object, placement, given)?;
        let symbol = format!("{}_schedule", self.symbol);
        let node = |node| KeySchedule { symbol: symbol.clone(), program: self.program, node };
        let mut scheduled = self.schedule.map(node);
        let (mut machine, _, written) =
            self.set_up(graph, object, (placement, says, in_place), given, region)?;
        machine.refusal_of_message = fork;
        machine.callees.extend(scheduled.iter_mut().map(|one| one as &mut dyn Called));
        machine.run(self.symbol)?;
        let mut found = Vec::new();
        for (number, &region) in written.iter().enumerate() {
            let cells = machine.memory.region(region).cells.iter().enumerate();
            let bytes = cells.map(|(byte, cell)| match cell {
                Cell::Bits(bits) => Ok(bits.bits),
                cell => {
                    let what = if *cell == Cell::Unset { "nothing" } else { "an address" };
                    Err(NoProof::Output { output: format!("output {number}"), byte, what })
                }
            });
            found.push(bytes.collect::<Result<Vec<_>, _>>()?);
        }
        // A result of four bytes.
        let result = match machine.general(0) {
            Word::Bits(bytes) => value::known(&bytes[..4]),
            _ => None,
        };
        let condition = machine.refusal_of_message.and_then(|fork| {
            let bit = fork.bit?;
            Some(bit.complemented_if(!fork.is_taken))
        });
        Ok(Ran {
            prepared: blocks,
            outputs: found,
            result,
            condition,
            instructions: instructions + machine.steps,
            asked: asked.or(machine.asked),
        })
    }

    /// A machine before a call of the function with what is prepared, and the regions of inputs and outputs.
    pub(super) fn set_up<'g>(
        &self,
        graph: &'g mut Graph,
        object: &'g Object,
        (placement, says, in_place): (Placement, u64, Option<(usize, usize)>),
        given: &[Given],
        prepared: Region,
    ) -> Result<(Machine<'g>, Vec<RegionId>, Vec<RegionId>), NoProof> {
        let outputs = source::outputs(self.program);
        let count = self.numbers.len() + 1 + given.len() + outputs.len();
        let mut machine = Machine::with_arguments(graph, object, placement, count);
        machine.processor = self.asks.iter().map(|name| ((*name).to_owned(), says)).collect();
        let mut words: Vec<Word> =
            self.numbers.iter().map(|&number| Word::Bits(value::constant(8, number))).collect();
        words.push(pointer(machine.memory.add(prepared.writable(false))));
        let mut inputs = Vec::new();
        for (number, given) in given.iter().enumerate() {
            inputs.push(self.input(&mut machine, (number, given), in_place));
        }
        let mut written = Vec::new();
        for (number, &(_, bytes)) in outputs.iter().enumerate() {
            written.push(match in_place {
                Some((from, to)) if to == number => inputs[from],
                _ => machine.memory.add(Region::unset(format!("output {number}"), bytes as usize, 1)),
            });
        }
        words.extend(inputs.iter().chain(&written).map(|&region| pointer(region)));
        machine.arguments(words).map_err(|why| machine.refusal(0, 0, String::new(), why))?;
        Ok((machine, inputs, written))
    }

    /// Prepares a key.
    pub(super) fn prepare(
        &self,
        graph: &mut Graph,
        object: &Object,
        placement: Placement,
        given: &[Given],
    ) -> Result<Prepared, NoProof> {
        let mut machine = Machine::new(graph, object, placement);
        let mut words = Vec::new();
        for number in (0..given.len()).filter(|&number| self.of_key[number]) {
            words.push(pointer(self.input(&mut machine, (number, &given[number]), None)));
        }
        let prepared = machine.memory.add(Region::unset("what is prepared", self.prepared, 64));
        words.push(pointer(prepared));
        machine.arguments(words).map_err(|why| machine.refusal(0, 0, String::new(), why))?;
        machine.run(&format!("{}_prepare", self.symbol))?;
        let multiplied = machine.graph.take_multiplied();
        let region = machine.memory.region(prepared).clone();
        let bits = |cell: &Cell| match cell {
            Cell::Bits(byte) => Some(byte.bits),
            _ => None,
        };
        let block = |cells: &[Cell]| Some(cells.iter().map(bits).collect::<Option<Vec<_>>>()?.concat());
        let blocks = region.cells.chunks_exact(16).filter_map(block).chain(multiplied).collect();
        Ok(Prepared { region, blocks, instructions: machine.steps, asked: machine.asked })
    }
    /// The region of an input, which may be written if an output is in its place.
    pub(super) fn input(
        &self,
        machine: &mut Machine<'_>,
        (number, given): (usize, &Given),
        in_place: Option<(usize, usize)>,
    ) -> RegionId {
        let name = format!("input {number}");
        match (given, self.cipher) {
            (Given::String(bytes), _) => {
                let is_writable = in_place.is_some_and(|(from, _)| from == number);
                machine.memory.add(Region::constant(name, bytes.clone(), 1).writable(is_writable))
            }
            (Given::Keyed(bits), Some((_, sizes))) => machine.cipher(&name, bits, sizes),
            (Given::Keyed(_), None) => machine.memory.add(Region::constant(name, Vec::new(), 1)),
        }
    }
}

pub(super) fn pointer(region: RegionId) -> Word {
    Word::Address(Address::new(region, 0))
}

pub(super) fn string(graph: &mut Graph, bytes: usize) -> Vec<Byte> {
    let mut byte = || Byte { bits: std::array::from_fn(|_| graph.input()), lane: Lane::All };
    (0..bytes).map(|_| byte()).collect()
}

pub(super) fn bits(atom: &[Edge]) -> [Edge; 8] {
    std::array::from_fn(|bit| atom.get(bit).copied().unwrap_or(Edge::FALSE))
}

/// What has to be equal for a condition to say that the bits of all pairs are the same: term by term where both are conjunctions of as
/// many bits, which are guessed to be the same by their values.
pub(super) fn agree(graph: &mut Graph, condition: Edge, accepted: &[(Edge, Edge)]) -> Vec<(Edge, Edge)> {
    let wanted: BTreeSet<Edge> = accepted.iter().map(|&(a, b)| !graph.xor(a, b)).collect();
    let mut found = BTreeSet::new();
    let mut open = vec![condition];
    while let Some(edge) = open.pop() {
        match graph.gate(edge.vertex()) {
            Gate::And(a, b) if !edge.is_complemented() => open.extend([a, b]),
            _ => {
                found.insert(edge);
            }
        }
    }
    let [one, other] = [&wanted, &found].map(|edges| graph.by_values(edges));
    if one.len() == wanted.len() && other.len() == found.len() && one.keys().eq(other.keys()) {
        return one.into_values().zip(other.into_values()).collect();
    }
    vec![(wanted.into_iter().fold(Edge::TRUE, |all, one| graph.and(all, one)), condition)]
}

/// The first pair that differs for some of 256 random inputs, with its byte.
fn differs(graph: &Graph, pairs: &BTreeSet<(usize, Edge, Edge)>) -> Option<(usize, Edge, Edge)> {
    let mut random = Random::new(41);
    (0..4).find_map(|_| {
        let columns: Vec<u64> = (0..graph.inputs()).map(|_| random.bits()).collect();
        let values = graph.evaluate_symbols(|input| columns[input as usize]);
        pairs.iter().find(|&&(_, a, b)| value_of(&values, a) != value_of(&values, b)).copied()
    })
}

/// Whether all pairs are proved to be the same.
pub(super) fn decide(
    graph: &mut Graph,
    pairs: &[(Edge, Edge)],
    prepared: &[Vec<Edge>],
    (limits, text): (Limits, usize),
    report: &mut Report,
) -> bool {
    let others = pairs.iter().filter(|&&(a, b)| !graph.is_same_sum(a, b));
    let edges: Vec<Edge> = others.flat_map(|&(a, b)| [a, b]).collect();
    let is_proved =
        move |graph: &mut Graph, pairs: &[(Edge, Edge)]| prove(graph, pairs, limits).0 == Answer::Proved;
    let mut hashes = Hashes::new(graph, (limits.seed, text), &is_proved);
    let edges = hashes.settled(&edges, prepared);
    let all: Vec<(Edge, Edge)> = edges.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    let same = hashes.same(&all);
    report.polynomials = hashes.compared;
    // What is proved is made one, for the rest.
    let mut by = VertexMap::default();
    let mut rest = Vec::new();
    for (&(a, b), same) in all.iter().zip(same) {
        let (a, b) = (a.min(b), a.max(b));
        if same {
            by.insert(b.vertex(), a.complemented_if(b.is_complemented()));
        } else {
            rest.extend([a, b]);
        }
    }
    if rest.is_empty() {
        return true;
    }
    let rest = graph.replaced(&rest, &by, |_| true).unwrap_or(rest);
    let rest: Vec<(Edge, Edge)> = rest.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    let (answer, work) = prove(graph, &rest, limits);
    report.work = work;
    answer == Answer::Proved
}
