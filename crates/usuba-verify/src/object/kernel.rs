//! A kernel in an object is proved equal to a program.
//!
//! A kernel takes addresses: of its inputs, then of its outputs, each a region with registers as [`Shape`] lays instances out in
//! them. All instances have the same symbols; [`Lane`] says of each bit whose it is, and the code is refused where bits of
//! two instances meet. So what is proved of the symbols of one instance holds for each of them.

use super::Refusal;
use super::convention::Convention;
use super::file::Object;
use super::layout::{Layout, UnknownLayout};
use super::machine::{Asked, Machine, Placement, REGISTERS, Word};
use super::memory::{Address, Cell, Region, RegionId};
use super::value::{self, Byte, Lane};
use crate::circuit::Circuit;
use crate::equal::{Meaning, Parameters, prepare};
use crate::graph::{Edge, Gate, Graph, Vertex, value_of};
use crate::prove::{Answer, Limits, Work, prove, sample};
use crate::shapes::Unlike;
use crate::symbolic::{Signal, Values, first_signal, fresh, numbers};
use std::collections::BTreeSet;
use thiserror::Error;
use usuba_ir::program::Program;
use usuba_machine::{Rounds, Shape};

/// Why a kernel cannot be looked at.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NoProof {
    /// The code is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// What it is to compute has other inputs or outputs.
    #[error(transparent)]
    Unlike(#[from] Unlike),
    /// It has more parameters than registers hold.
    #[error("it has more parameters than there are registers for them")]
    Parameters,
    /// A register has bits of instances that no [`Lane`] says.
    #[error("instances lie in registers in a way that is not known here")]
    Layout,
    /// An output holds something of another instance, or an address, or nothing.
    #[error("byte {byte} of the output `{output}` holds {what}")]
    Output {
        /// The output.
        output: String,
        /// The byte.
        byte: usize,
        /// What it holds.
        what: &'static str,
    },
    /// What it computes depends on where regions are.
    #[error("what it computes depends on where the stack and the parameters are")]
    Placement,
}

impl From<UnknownLayout> for NoProof {
    fn from(_: UnknownLayout) -> NoProof {
        NoProof::Layout
    }
}

/// What is known of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// For all inputs it computes what the program does.
    Proved,
    /// It does not.
    Refuted(Box<Counterexample>),
    /// Neither was shown within the limits.
    Unknown,
    /// Neither was shown, as what it computes may depend on bits of which nothing is known: those of another instance, or what a register
    /// held after a call.
    Unfounded,
}

/// Inputs for which a kernel computes something else: those of one instance of each batch. All atoms are those of the meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// The atoms of each input of each batch.
    pub inputs: Vec<Vec<Vec<u128>>>,
    /// What has to come out of each batch.
    pub expected: Vec<Vec<Vec<u128>>>,
    /// What the kernel computes instead.
    pub found: Vec<Vec<Vec<u128>>>,
    /// The instance, counted from 0 in the registers of a batch.
    pub instance: u16,
    /// The first place in memory that differs: the output, its register, the byte and the bit of that.
    pub output: String,
    /// The named value of the text from which on the kernel has none with its values; where one is found.
    pub signal: Option<String>,
}

/// What a function leaves as it is beyond what it has to, so that what calls it may rest on it: compilers that see both do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Kept {
    /// General-purpose registers, a bit each.
    pub general: u32,
    /// Vector registers, a bit each.
    pub vectors: u32,
    /// Mask registers, a bit each.
    pub masks: u32,
    /// Whether it does the same wherever its parameters are: it compares no addresses of two of them.
    pub ignores_order: bool,
    /// Whether it does the same wherever its stack is, in multiples of 8 bytes. Functions that only their own file sees are called by
    /// compilers without aligning it for them.
    pub ignores_stack: bool,
}

impl Kept {
    fn and(self, other: Kept) -> Kept {
        Kept {
            general: self.general & other.general,
            vectors: self.vectors & other.vectors,
            masks: self.masks & other.masks,
            ignores_order: self.ignores_order && other.ignores_order,
            ignores_stack: self.ignores_stack && other.ignores_stack,
        }
    }
}

/// How much there was to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// What the function leaves alone.
    pub kept: Kept,
    /// Instructions that were run, for one place of the stack.
    pub instructions: u64,
    /// Vertices of the graph.
    pub vertices: usize,
    /// What the prover did.
    pub work: Work,
}

/// What a function of an object computes, and what it has to compute, as bits of one graph.
#[derive(Clone, Debug)]
pub struct Lifted<'a> {
    graph: Graph,
    meaning: Meaning<'a>,
    kernel: &'a Program,
    layout: Layout<'a>,
    /// The inputs of each batch.
    inputs: Vec<Values>,
    /// The outputs of each batch that are wanted.
    expected: Vec<Values>,
    /// The bytes of each output.
    found: Vec<Vec<Byte>>,
    /// The named values of the meaning.
    signals: Vec<Signal>,
    /// The bits that have to be equal, wanted and found.
    pairs: Vec<(Edge, Edge)>,
    /// Of each pair the output, register, byte and bit.
    places: Vec<(usize, usize, usize, usize)>,
    /// The same pairs, each once: all instances have the same ones. Those of further batches are about the inputs of the first.
    unique: Vec<(Edge, Edge)>,
    /// Instructions that were run, for one place of the stack.
    instructions: u64,
    kept: Kept,
}

impl<'a> Lifted<'a> {
    /// Runs a function of an object.
    ///
    /// `meaning` says what a batch is; `kernel` is the program that the kernel was made of, whose parameters it has, and
    /// `shape` how instances lie in its registers; `prepared`, if there is one, makes its uniform input of that which the
    /// meaning has; `rounds` says how that input is cut, if the function takes its number of turns. The function is run for each place that its stack may have in a line of a cache, and for both orders of
    /// its regions in memory ([`Placement`]).
    ///
    /// # Errors
    /// There is an instruction without a meaning, or one that is against the rules: an access outside of the parameters and the own
    /// frame, a write to an input, a branch or an address that depends on data, a register that is not given back.
    pub fn of(
        object: &Object,
        function: &str,
        meaning: Meaning<'a>,
        kernel: &'a Program,
        (prepared, rounds): (Option<&Program>, Option<Rounds>),
        shape: &'a Shape,
    ) -> Result<Lifted<'a>, NoProof> {
        let mut graph = Graph::new();
        let entry = kernel.entry();
        let registers = Convention::of(object.architecture).arguments.len();
        let more = rounds.map_or(0, |rounds| rounds.sizes().len());
        if entry.inputs.len() + entry.outputs.len() + more > registers {
            return Err(NoProof::Parameters);
        }
        let batches = kernel.interleave.max(1) as usize;
        let mut inputs: Vec<Values> = Vec::new();
        let parameters = Parameters::of(kernel, prepared);
        for batch in 0..batches {
            let mut values = fresh(&mut graph, &parameters.inputs);
            for (number, _) in entry.inputs.iter().enumerate().filter(|(_, input)| input.uniform && batch > 0)
            {
                values[number].clone_from(&inputs[0][number]);
            }
            inputs.push(values);
        }
        let mut expected: Vec<Values> = Vec::new();
        let mut signals = Vec::new();
        for values in &inputs {
            expected.push(meaning.run(&mut graph, &parameters, values, &mut signals)?);
        }
        let given: Vec<Values> =
            inputs.iter().map(|values| prepare(&mut graph, kernel, prepared, values)).collect();
        let mut found: Option<Vec<Vec<Byte>>> = None;
        let mut instructions = 0;
        let all = u32::MAX;
        let mut kept =
            Kept { general: all, vectors: all, masks: all, ignores_order: true, ignores_stack: true };
        let layout = Layout::of(shape)?;
        // Where nothing was asked about a placement, the others are the same.
        let mut asked = Asked::default();
        for placement in Placement::all() {
            let is_first = found.is_none();
            if !is_first && !asked.needs(placement) {
                continue;
            }
            let ran = run(&mut graph, object, function, (kernel, rounds), &layout, &given, placement)?;
            kept = kept.and(ran.kept);
            if is_first {
                instructions = ran.steps;
            }
            asked = asked.or(ran.asked);
            if found.as_ref().is_some_and(|found| *found != ran.outputs) {
                return Err(NoProof::Placement);
            }
            found = Some(ran.outputs);
        }
        let found = found.unwrap_or_default();
        let (pairs, places) = pairs(kernel, &layout, &expected, &found)?;
        let uniform = |number: usize| entry.inputs[number].uniform;
        let batch =
            |&(output, register, ..): &(usize, usize, usize, usize)| register / expected[0][output].len();
        let mut unique =
            of_one_batch(&mut graph, &inputs, uniform, &pairs, &places.iter().map(batch).collect::<Vec<_>>());
        unique.sort_unstable();
        unique.dedup();
        Ok(Lifted {
            graph,
            meaning,
            kernel,
            layout,
            inputs,
            expected,
            found,
            signals,
            pairs,
            places,
            unique,
            instructions,
            kept,
        })
    }

    /// Proves or refutes that both are the same for all inputs.
    pub fn decide(&self, limits: Limits) -> (Verdict, Report) {
        let (answer, work) = prove(&self.graph, &self.unique, limits);
        let verdict = match answer {
            Answer::Proved => Verdict::Proved,
            Answer::Unknown { .. } => Verdict::Unknown,
            Answer::Refuted { pair, .. }
                if self.graph.rest_on_unknown(<[Edge; 2]>::from(self.unique[pair])) =>
            {
                Verdict::Unfounded
            }
            Answer::Refuted { inputs, pair } => {
                Verdict::Refuted(Box::new(self.counterexample(&inputs, self.unique[pair])))
            }
        };
        let (kept, instructions) = (self.kept, self.instructions);
        (verdict, Report { kept, instructions, vertices: self.graph.len(), work })
    }

    /// `values` tell the sides of `pair` apart, which may be about the inputs of the first batch in place of others.
    fn counterexample(&self, values: &[bool], pair: (Edge, Edge)) -> Counterexample {
        let Lifted { graph, meaning, layout, expected, found, .. } = self;
        let values = &self.in_all_batches(values)[..];
        let value = graph.evaluate(|number| u64::from(values.get(number as usize) == Some(&true)));
        let atoms = |one: &Values| numbers(one, |edge| value_of(&value, edge) & 1 == 1);
        let differs = |&(a, b): &(Edge, Edge)| (value_of(&value, a) ^ value_of(&value, b)) & 1 == 1;
        let place = self.pairs.iter().position(|one| *one == pair && differs(one));
        let place = place.or_else(|| self.pairs.iter().position(differs)).unwrap_or(0);
        let (output, register, byte, bit) = self.places[place];
        let name = &self.kernel.entry().outputs[output].name;
        let instance = layout.instance(byte, bit);
        let computed: Vec<Values> =
            (0..expected.len()).map(|batch| layout.outputs(expected, found, batch, instance)).collect();
        let all = computed.iter().flatten().cloned().collect();
        Counterexample {
            inputs: self.inputs.iter().map(|one| atoms(&meaning.own_inputs(one))).collect(),
            expected: expected.iter().map(|one| atoms(&meaning.own_outputs(one))).collect(),
            found: computed.iter().map(|one| atoms(&meaning.own_outputs(one))).collect(),
            instance,
            output: format!("{name}, register {register}, byte {byte}, bit {bit}"),
            signal: first_signal(graph, values, &self.signals, &all),
        }
    }

    /// The values of the first batch for all batches.
    fn in_all_batches(&self, values: &[bool]) -> Vec<bool> {
        let mut all = values.to_vec();
        let number = |edge: Edge| match self.graph.gate(edge.vertex()) {
            Gate::Input(number) => Some(number as usize),
            _ => None,
        };
        let bits = |values: &Values| values.iter().flatten().flatten().copied().collect::<Vec<Edge>>();
        for other in self.inputs.iter().skip(1) {
            for (first, other) in bits(&self.inputs[0]).into_iter().zip(bits(other)) {
                if let (Some(first), Some(other)) = (number(first), number(other)) {
                    all[other] = values.get(first) == Some(&true);
                }
            }
        }
        all
    }

    /// For 64 random inputs, numbered by bits, whether the two differ.
    pub fn sample(&self, seed: u64) -> u64 {
        sample(&self.graph, &self.unique, seed)
    }

    /// What is wanted and what is found, as circuits with the same inputs and as many outputs, for another prover: each bit
    /// that all instances have in common once.
    pub fn sides(&self) -> [Circuit; 2] {
        let (wanted, found): (Vec<Edge>, Vec<Edge>) = self.unique.iter().copied().unzip();
        [Circuit::of_bits("wanted", &self.graph, wanted), Circuit::of_bits("found", &self.graph, found)]
    }
}

/// The pairs, where what is found of a batch is a function of that batch and of what all have in common: with the inputs of the first
/// batch in place of its own. What holds for all of the one holds for all of the other; and compilers do the same to each.
fn of_one_batch(
    graph: &mut Graph,
    inputs: &[Values],
    uniform: impl Fn(usize) -> bool,
    pairs: &[(Edge, Edge)],
    batches: &[usize],
) -> Vec<(Edge, Edge)> {
    let bits = |values: &Values, is_uniform: bool| -> Vec<Edge> {
        let chosen = values.iter().enumerate().filter(|(number, _)| uniform(*number) == is_uniform);
        chosen.flat_map(|(_, atoms)| atoms.iter().flatten().copied()).collect()
    };
    let mut all = Vec::with_capacity(pairs.len());
    let common: BTreeSet<Vertex> = bits(&inputs[0], true).into_iter().map(Edge::vertex).collect();
    for (batch, values) in inputs.iter().enumerate() {
        let mut own: Vec<(Edge, Edge)> =
            pairs.iter().zip(batches).filter(|(_, of)| **of == batch).map(|(pair, _)| *pair).collect();
        own.sort_unstable();
        own.dedup();
        let names = bits(values, false).into_iter().map(Edge::vertex).zip(bits(&inputs[0], false)).collect();
        let roots: Vec<Edge> = own.iter().flat_map(|&(wanted, found)| [wanted, found]).collect();
        let renamed =
            (batch > 0).then(|| graph.replaced(&roots, &names, |one| common.contains(&one))).flatten();
        match renamed {
            Some(renamed) => all.extend(renamed.chunks_exact(2).map(|pair| (pair[0], pair[1]))),
            None => all.extend(own),
        }
    }
    all
}

/// The bits of outputs that have to be equal, wanted and found; and of each the output, register, byte and bit.
#[expect(clippy::type_complexity, reason = "two lists that belong together")]
fn pairs(
    kernel: &Program,
    layout: &Layout<'_>,
    expected: &[Values],
    found: &[Vec<Byte>],
) -> Result<(Vec<(Edge, Edge)>, Vec<(usize, usize, usize, usize)>), NoProof> {
    let (mut pairs, mut places) = (Vec::new(), Vec::new());
    let size = layout.shape.register_bytes() as usize;
    for (number, (output, bytes)) in kernel.entry().outputs.iter().zip(found).enumerate() {
        let atoms = expected[0][number].len();
        for (place, register) in bytes.chunks(size).enumerate() {
            let (batch, atom) = (place / atoms, place % atoms);
            let bits = &expected[batch][number][atom];
            for (byte, (expected, of)) in layout.register(bits).iter().zip(register).enumerate() {
                let lane = of.lane;
                if lane != Lane::All && lane != expected.lane {
                    let what = "bits of another instance";
                    return Err(NoProof::Output {
                        output: output.name.clone(),
                        byte: place * size + byte,
                        what,
                    });
                }
                for bit in 0..8 {
                    pairs.push((expected.bits[bit], of.bits[bit]));
                    places.push((number, place, byte, bit));
                }
            }
        }
    }
    Ok((pairs, places))
}

/// What a run gave.
struct Ran {
    /// The bytes of each output.
    outputs: Vec<Vec<Byte>>,
    kept: Kept,
    steps: u64,
    asked: Asked,
}

/// Runs the function with regions in one place.
fn run(
    graph: &mut Graph,
    object: &Object,
    function: &str,
    (kernel, rounds): (&Program, Option<Rounds>),
    layout: &Layout<'_>,
    inputs: &[Values],
    placement: Placement,
) -> Result<Ran, NoProof> {
    let shape = layout.shape;
    let entry = kernel.entry();
    let mut machine = Machine::new(graph, object, placement);
    let alignment = u64::from(shape.register_bytes());
    let mut argument = 0;
    let mut give = |machine: &mut Machine<'_>, region: Region| -> RegionId {
        let id = machine.memory.add(region);
        machine.argument(argument, Word::Address(Address::new(id, 0)));
        argument += 1;
        id
    };
    for (number, input) in entry.inputs.iter().enumerate() {
        if let Some(rounds) = rounds.filter(|_| input.uniform) {
            let atoms: Vec<Vec<Byte>> = inputs[0][number].iter().map(|bits| layout.uniform(bits)).collect();
            let ordered = rounds.ordered(&atoms);
            let mut rest = &ordered[..];
            for size in rounds.sizes() {
                let (part, others) = rest.split_at(size.min(rest.len()));
                give(&mut machine, Region::constant(&input.name, part.concat(), alignment));
                rest = others;
            }
            continue;
        }
        let mut bytes = Vec::new();
        for values in inputs.iter().take(if input.uniform { 1 } else { inputs.len() }) {
            for bits in &values[number] {
                bytes.extend(if input.uniform { layout.uniform(bits) } else { layout.register(bits) });
            }
        }
        give(&mut machine, Region::constant(&input.name, bytes, alignment));
    }
    let mut outputs = Vec::new();
    for output in &entry.outputs {
        let size = output.ty.atoms() as usize * shape.register_bytes() as usize;
        outputs.push(give(&mut machine, Region::unset(&output.name, size, alignment)));
    }
    if let Some(rounds) = rounds {
        machine.argument(argument, Word::Bits(value::constant(8, u64::from(rounds.turns))));
    }
    let called = machine.general.clone();
    machine.run(function)?;
    let asked = machine.asked;
    let (ignores_order, ignores_stack) = (!asked.order, !asked.residue);
    let kept = match machine.has_forgotten {
        // What is called may want the stack aligned.
        true => Kept { ignores_order, ..Kept::default() },
        false => Kept {
            general: (0..REGISTERS)
                .filter(|&one| machine.general[one] == called[one])
                .map(|one| 1 << one)
                .sum(),
            vectors: (0..REGISTERS).filter(|&one| machine.vectors[one].is_none()).map(|one| 1 << one).sum(),
            masks: (0..machine.masks.len())
                .filter(|&one| machine.masks[one].is_none())
                .map(|one| 1 << one)
                .sum(),
            ignores_order,
            ignores_stack,
        },
    };
    let steps = machine.steps;
    let mut found = Vec::new();
    for (id, output) in outputs.into_iter().zip(&entry.outputs) {
        let bytes = machine.memory.region(id).cells.iter().enumerate().map(|(byte, cell)| match cell {
            Cell::Bits(bits) => Ok(*bits),
            cell => {
                let what = if *cell == Cell::Unset { "nothing" } else { "an address" };
                Err(NoProof::Output { output: output.name.clone(), byte, what })
            }
        });
        found.push(bytes.collect::<Result<_, _>>()?);
    }
    Ok(Ran { outputs: found, kept, steps, asked })
}
