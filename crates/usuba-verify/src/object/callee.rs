//! A kernel that is known from elsewhere: a call of it is not run, what it hands out are new inputs of the graph.
//!
//! What is proved with them holds whatever they are, so it holds for what the kernel computes, if it is proved that this is a
//! function of each instance alone and that the kernel touches nothing else: [`super::kernel`].

use super::Why;
use super::flags::Flags;
use super::kernel::Kept;
use super::layout::{Layout, Place};
use super::machine::{Called, Machine, REGISTERS, Word};
use super::memory::{Address, Cell};
use super::number::Number;
use super::value::{Byte, Lane};
use crate::graph::Edge;
use crate::shapes::{batch_inputs, batch_outputs};
use crate::symbolic::{Values, fresh};
use usuba_ir::program::{Parameter, Program};
use usuba_machine::Rounds;

/// What an instance of a call was given and has handed out, in the shape of the kernel.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub inputs: Values,
    pub outputs: Values,
}

/// A parameter of a call: where it is, in how many bytes, in several places if it is cut; and what these are, in the order of the
/// program.
type Given = (Vec<(Address, usize)>, Vec<Byte>);

/// A kernel, and how it was called.
#[derive(Clone, Debug)]
pub(super) struct Callee<'a> {
    pub symbol: &'a str,
    pub kernel: &'a Program,
    pub layout: Layout<'a>,
    /// How its uniform input is cut, if it takes the number of its turns.
    pub rounds: Option<Rounds>,
    /// What it leaves alone.
    pub kept: Kept,
    /// The instances of all calls.
    pub instances: Vec<Instance>,
}

impl Called for Callee<'_> {
    fn symbol(&self) -> &str {
        self.symbol
    }

    fn call(&mut self, machine: &mut Machine<'_>) -> Result<(), Why> {
        let Word::Address(top) = machine.general(machine.convention.stack_pointer) else {
            return Err(Why::SecretAddress);
        };
        if top.offset.rem_euclid(16) != 0 && !self.kept.ignores_stack {
            return Err(Why::Convention("the alignment of the stack"));
        }
        let entry = self.kernel.entry();
        let register = self.layout.shape.register_bytes() as usize;
        let batches = self.kernel.interleave.max(1) as usize;
        let mut argument = 0;
        let mut next = |machine: &mut Machine<'_>| {
            argument += 1;
            match machine.general(machine.convention.arguments[argument - 1]) {
                Word::Address(address) => Ok(address),
                Word::Bits(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_) | Word::Number(_) => {
                    Err(Why::SecretAddress)
                }
            }
        };
        let mut inputs: Vec<Given> = Vec::new();
        for (input, (_, atoms)) in entry.inputs.iter().zip(batch_inputs(self.kernel)) {
            let element = if input.uniform { self.layout.element() } else { register };
            let rounds = self.rounds.filter(|_| input.uniform);
            let parts = rounds.map_or_else(|| vec![atoms as usize], Rounds::sizes);
            let (mut places, mut all) = (Vec::new(), Vec::new());
            for atoms in parts {
                let at = next(machine)?;
                let bytes = element * atoms * if input.uniform { 1 } else { batches };
                aligned(machine, at, element)?;
                let cells = machine.memory.read(machine.graph, at, bytes)?;
                all.extend(machine.bits(&cells)?);
                places.push((at, bytes));
            }
            if let Some(rounds) = rounds {
                let atoms: Vec<Vec<Byte>> = all.chunks(element).map(<[Byte]>::to_vec).collect();
                all = rounds.of_program(&atoms).concat();
            }
            inputs.push((places, all));
        }
        let mut outputs: Vec<(Address, usize)> = Vec::new();
        for output in &entry.outputs {
            let at = next(machine)?;
            aligned(machine, at, register)?;
            outputs.push((at, output.ty.atoms() as usize * register));
        }
        if let Some(rounds) = self.rounds {
            let number =
                machine.convention.arguments.get(argument).map(|&register| machine.general(register));
            let turns = number.and_then(|number| number.number());
            if turns != Some(Number::known(i64::from(rounds.turns))) {
                return Err(Why::Operand("a number of turns that is another"));
            }
        }
        let read: Vec<(Address, usize)> = inputs.iter().flat_map(|(places, _)| places).copied().collect();
        let regions: Vec<(Address, usize)> = read.iter().copied().chain(outputs.iter().copied()).collect();
        for (place, &(a, size)) in regions.iter().enumerate().skip(read.len()) {
            // One that compares addresses was proved with regions that do not touch.
            let gap = i64::from(!self.kept.ignores_order);
            let meets = |&(b, other): &(Address, usize)| {
                a.region == b.region
                    && a.offset < b.offset + other as i64 + gap
                    && b.offset < a.offset + size as i64 + gap
            };
            if regions[..place].iter().any(meets) {
                return Err(Why::Operand("parameters of a kernel that overlap or touch"));
            }
        }
        let mut written: Vec<Vec<Byte>> = outputs.iter().map(|&(_, bytes)| vec![Byte::ZERO; bytes]).collect();
        let shapes = batch_inputs(self.kernel);
        let places: Vec<Vec<Place>> = (0..self.layout.shape.in_register())
            .map(|instance| self.layout.of_instance(instance as u16))
            .collect();
        let common = self.common(&inputs)?;
        for batch in 0..batches {
            for places in &places {
                let mut given = common.clone();
                for ((given, (_, bytes)), &(width, atoms)) in given.iter_mut().zip(&inputs).zip(&shapes) {
                    if given.is_empty() {
                        let all = bytes[batch * atoms as usize * register..].chunks(register);
                        given.extend(
                            all.take(atoms as usize).map(|bytes| atom(places, bytes, width as usize)),
                        );
                    }
                }
                let made = fresh(machine.graph, &batch_outputs(self.kernel));
                for (bytes, atoms) in written.iter_mut().zip(&made) {
                    for (number, atom) in atoms.iter().enumerate() {
                        let at = (batch * atoms.len() + number) * register;
                        place(places, &mut bytes[at..at + register], atom);
                    }
                }
                self.instances.push(Instance { inputs: given, outputs: made });
            }
        }
        for ((at, _), bytes) in outputs.into_iter().zip(written) {
            let cells: Vec<Cell> = bytes.into_iter().map(Cell::Bits).collect();
            machine.memory.write(at, &cells)?;
        }
        machine.forget(self.kept);
        machine.memory.forget(top.region, top.offset);
        Ok(())
    }
}

impl Callee<'_> {
    /// The atoms of inputs that all instances have in common; of others nothing.
    fn common(&self, inputs: &[Given]) -> Result<Values, Why> {
        let of = |((input, given), (width, _)): ((&Parameter, &Given), (u32, u32))| {
            if !input.uniform {
                return Some(Vec::new());
            }
            let atoms = given.1.chunks(self.layout.element());
            atoms.map(|bytes| self.layout.of_uniform(bytes, width as usize)).collect()
        };
        let all = self.kernel.entry().inputs.iter().zip(inputs).zip(batch_inputs(self.kernel)).map(of);
        all.collect::<Option<_>>().ok_or(Why::Operand("a uniform parameter of other values"))
    }
}

fn aligned(machine: &mut Machine<'_>, at: Address, bytes: usize) -> Result<(), Why> {
    match bytes == 1 || machine.is_aligned(at, bytes) {
        true => Ok(()),
        false => Err(Why::Operand("a parameter of a kernel that has to be aligned, and is not known to be")),
    }
}

impl Machine<'_> {
    /// What a callee may change is not known any more.
    pub(super) fn forget(&mut self, kept: Kept) {
        self.has_forgotten = true;
        let convention = self.convention;
        let is_kept = |one: usize| {
            convention.kept.contains(&one) || one == convention.stack_pointer || kept.general >> one & 1 == 1
        };
        for register in (0..REGISTERS).filter(|&one| !is_kept(one)) {
            self.general[register] = None;
        }
        for register in (0..REGISTERS).filter(|one| kept.vectors >> one & 1 == 0) {
            let before = self.vectors[register].take();
            // Of some registers the lower halves are kept.
            if let Some(mut all) = before.filter(|_| convention.kept_vectors.contains(&register)) {
                all.truncate(8);
                self.vectors[register] = Some(all);
            }
            self.addresses[register] = None;
        }
        for register in (0..self.masks.len()).filter(|one| kept.masks >> one & 1 == 0) {
            self.masks[register] = None;
        }
        self.flags = Flags::Unknown;
    }
}

/// The bits of an atom of an instance, whose bits lie at these places.
fn atom(places: &[Place], register: &[Byte], width: usize) -> Vec<Edge> {
    let mut atom = vec![Edge::FALSE; width];
    for one in places.iter().filter(|one| one.weight < width) {
        atom[one.weight] = register[one.byte].bits[one.bit];
    }
    atom
}

/// Puts the atom of an instance into a register.
fn place(places: &[Place], register: &mut [Byte], atom: &[Edge]) {
    for one in places.iter().filter(|one| one.weight < atom.len()) {
        register[one.byte].bits[one.bit] = atom[one.weight];
    }
}

impl Layout<'_> {
    /// Bytes of an atom that is the same for all instances.
    pub fn element(&self) -> usize {
        self.uniform(&[]).len()
    }

    /// The bits of a register that an instance has.
    pub fn of_instance(&self, instance: u16) -> Vec<Place> {
        self.bits.iter().filter(|one| one.instance == instance).copied().collect()
    }

    /// The bits of an atom that is the same for all instances, if the bytes are one.
    pub fn of_uniform(&self, bytes: &[Byte], width: usize) -> Option<Vec<Edge>> {
        let mut atom = vec![Edge::FALSE; width];
        for (weight, bit) in atom.iter_mut().enumerate() {
            let mut only = vec![Edge::FALSE; width];
            only[weight] = Edge::TRUE;
            let mut set = self.uniform(&only).into_iter().enumerate().flat_map(|(at, byte)| {
                byte.bits
                    .map(|edge| edge == Edge::TRUE)
                    .into_iter()
                    .enumerate()
                    .map(move |(bit, is)| (at, bit, is))
            });
            let (at, place, _) = set.find(|&(_, _, is)| is)?;
            *bit = bytes.get(at)?.bits[place];
        }
        let all = self.uniform(&atom);
        all.iter().zip(bytes).all(|(a, b)| a.bits == b.bits && b.lane == Lane::All).then_some(atom)
    }
}
