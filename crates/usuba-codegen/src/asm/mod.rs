//! From machine programs to assembly for x86-64: values in vectors, or in general-purpose registers beside addresses.
//!
//! ```text
//! Program --linear---> one function without calls, values defined once
//!         --hoist----> loads that are the same in all turns of a loop before it
//!         --allocate-> registers by furthest next use, memory by name (slot, constant, region)
//!         --address--> general-purpose registers, stack frame, prologue and epilogue
//!         --check----> internal error unless every line does what the linear code says
//!         --print----> text for the GNU assembler
//! ```

mod address;
mod allocate;
mod check;
mod convention;
mod estimate;
mod hoist;
mod linear;
mod machine;
mod print;
#[cfg(test)]
mod tests;

use crate::header::banner;
use crate::messages::{Fault, Internal, Missing, NoCode, Reason};
use crate::order::{self, Scheduling};
use crate::{KernelParameter, Options};
use allocate::{Allocated, Plan};
use linear::Linear;
use machine::{Code, File, Gpr, Vector};
use std::fmt;
use thiserror::Error;
use usuba_ir::program::Node;
use usuba_machine::program::{Parameter, RegisterType};
use usuba_machine::{Checked, Program, Shape};
use usuba_target::{Encoding, Instruction, Meaning, Target};

/// Whether there is assembly for a target.
pub(crate) fn admits(target: &Target) -> bool {
    target.assembly().is_some()
}

/// Why there is no assembly.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Stop {
    /// Assembly cannot do this.
    #[error("there is no assembly for this: {0}")]
    Limit(&'static str),
    /// A mistake of the compiler.
    #[error("internal error: {0}")]
    Fault(String),
}

/// A machine program as a source file of assembly, with its entry under the name `symbol`. The parameters are those of the entry in
/// order: addresses, and counts as numbers of 64 bits. Regions whose elements are registers are aligned as these are; strings of
/// bytes lie anywhere, and one that is read may be one that is written, from its first byte on. `uniform`: the bits of an element
/// of the uniform regions.
///
/// # Errors
/// The program has what assembly has not, or a mistake of the compiler.
pub fn assembly(program: &Checked, uniform: u32, symbol: &str) -> Result<String, Stop> {
    Ok(assembly_file(&[assembly_function(program, uniform, symbol)?]))
}

/// Functions made by [`assembly_function`] as a source file.
pub fn assembly_file(functions: &[String]) -> String {
    format!("{}{}{}", print::BEGIN, functions.join("\n"), print::END)
}

/// A machine program as a function of a source file of assembly, as [`assembly`] makes one.
///
/// # Errors
/// As for [`assembly`].
pub fn assembly_function(program: &Checked, uniform: u32, symbol: &str) -> Result<String, Stop> {
    let target = usuba_target::by_name(program.target).ok_or("a checked program without a target")?;
    let registers = program.functions.iter().flat_map(|function| &function.registers);
    let values = registers.map(|register| register.ty).filter(|&ty| ty != RegisterType::Count);
    let bits = values.map(|ty| 8 * ty.bytes() as u32).max().unwrap_or(target.register_bits);
    let machine = Machine::of(target, bits, uniform).ok_or(OTHER_REGISTERS)?;
    let (linear, allocated, machine) = settled(program, machine, target)?;
    let code = address::address(&linear, allocated, machine, &convention::SYSTEM_V)?;
    check::check(&linear, &code, machine, &convention::SYSTEM_V).map_err(Stop::Fault)?;
    let entry = program.functions.last().ok_or("a program without functions")?;
    let name = |parameter: &Parameter| match *parameter {
        Parameter::Region(region) => entry.region(region).name.as_str(),
        Parameter::Register(register) => entry.register(register).name.as_deref().unwrap_or("a count"),
    };
    let names: Vec<&str> = entry.parameters.iter().map(name).collect();
    Ok(print::function(&linear, &code, machine, symbol, &names, &[]))
}

impl From<&'static str> for Stop {
    fn from(fault: &'static str) -> Stop {
        Stop::Fault(fault.into())
    }
}

impl Stop {
    /// What to say of it, if `entry` is the entry of the program.
    pub(crate) fn of(self, entry: &Node, target: &Target) -> NoCode {
        let limit = match self {
            Stop::Limit(limit) => limit,
            Stop::Fault(fault) => return Internal::from(Fault::Assembly(fault)).in_node(entry).into(),
        };
        let targets = usuba_target::all().iter().filter(|target| admits(target));
        NoCode::Missing(vec![Missing {
            operation: "assembly".into(),
            ty: "--backend asm".into(),
            node: entry.name.clone(),
            place: None,
            target: target.name,
            reason: Reason::Assembly(limit),
            targets: targets.map(|target| target.name).collect(),
        }])
    }
}

const OTHER_REGISTERS: Stop = Stop::Limit("it is for words of 32 and 64 bits and vectors of x86-64");

/// The assembly of a program, as far as it is made.
pub(crate) struct Made<'a> {
    program: &'a Checked,
    target: &'a Target,
    machine: Machine,
    linear: Linear,
    allocated: Allocated,
    code: Option<Code>,
}

impl<'a> Made<'a> {
    /// Nothing yet.
    ///
    /// # Errors
    /// There is no assembly for the target or for words of this size.
    pub(crate) fn of(program: &'a Checked, shape: &Shape, target: &'a Target) -> Result<Made<'a>, Stop> {
        let machine =
            Machine::of(target, shape.register_bits, shape.uniform_bits()).ok_or(OTHER_REGISTERS)?;
        let (linear, allocated) = (Linear::default(), Allocated::default());
        Ok(Made { program, target, machine, linear, allocated, code: None })
    }

    /// Registers.
    ///
    /// # Errors
    /// The code is too large.
    pub(crate) fn allocate(&mut self) -> Result<(), Stop> {
        (self.linear, self.allocated, self.machine) = settled(self.program, self.machine, self.target)?;
        Ok(())
    }

    /// Addresses and the frame.
    ///
    /// # Errors
    /// The frame is too large, or the checker found a mistake.
    pub(crate) fn address(&mut self) -> Result<(), Stop> {
        let allocated = self.allocated.clone();
        let code = address::address(&self.linear, allocated, self.machine, &convention::SYSTEM_V)?;
        check::check(&self.linear, &code, self.machine, &convention::SYSTEM_V).map_err(Stop::Fault)?;
        self.code = Some(code);
        Ok(())
    }

    /// The source file; of nothing if there are no addresses yet.
    pub(crate) fn source(&self, shape: &Shape, options: &Options, parameters: &[KernelParameter]) -> String {
        let Some(code) = &self.code else { return String::new() };
        let head = banner(shape, self.target, options, parameters);
        let names: Vec<&str> = parameters.iter().map(|parameter| &*parameter.source_name).collect();
        print::text(&self.linear, code, self.machine, head, &options.symbol, &names, &options.definitions)
    }

    /// What it looks like now.
    pub(crate) fn listing<'b>(&'b self, symbol: &'b str) -> Listing<'b> {
        Listing { made: self, symbol }
    }
}

/// Assembly on the way: its lines without the head of the file, memory by name as long as there are no addresses.
#[derive(Clone, Copy)]
pub struct Listing<'a> {
    made: &'a Made<'a>,
    symbol: &'a str,
}

impl fmt::Debug for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Listing({})", self.symbol)
    }
}

impl fmt::Display for Listing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Made { linear, allocated, code, machine, .. } = self.made;
        f.write_str(&match code {
            Some(code) => print::lines(linear, code, *machine, self.symbol),
            None => print::allocated_lines(linear, allocated, *machine, self.symbol),
        })
    }
}

/// The order that is asked for; for [`Scheduling::AUTO`] the fastest of all, by what the allocation makes of them. Where code cannot
/// be made, it does not matter.
pub(crate) fn best_order(program: &Program, target: &Target, shape: &Shape, order: Scheduling) -> Scheduling {
    let Some(mut machine) = Machine::of(target, shape.register_bits, shape.uniform_bits())
        .filter(|_| order == Scheduling::AUTO && order::steps(program) <= order::LONG)
    else {
        return order;
    };
    let mut best: Option<(u64, Scheduling)> = None;
    let mut first = None;
    for candidate in [Scheduling::AUTO].into_iter().chain(Scheduling::all()) {
        let mut program = program.clone();
        program.functions.iter_mut().for_each(|function| order::order(function, target, candidate));
        let Ok((linear, allocated, fitting)) = allocated(&program, machine) else { return order };
        // All orders have the same addresses.
        machine = fitting;
        let cycles = estimate::cycles(&linear, &allocated, machine, target);
        let cost = order::core::mean(&cycles, first.get_or_insert_with(|| cycles.clone()));
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, candidate));
        }
    }
    best.map_or(order, |(_, best)| best)
}

/// The cycles of one call of a program in this order, on each core that code for the target is to be good for.
pub(crate) fn cycles(program: &Program, target: &Target, shape: &Shape) -> Option<Vec<u64>> {
    let machine = Machine::of(target, shape.register_bits, shape.uniform_bits())?;
    let (linear, allocated, machine) = allocated(program, machine).ok()?;
    Some(estimate::cycles(&linear, &allocated, machine, target))
}

/// Linear code with registers, and the machine with as many registers for values as addresses leave.
fn allocated(program: &Program, machine: Machine) -> Result<(Linear, Allocated, Machine), Stop> {
    let mut linear = linear::linear(program, machine.shape_bits as usize / 8)?;
    hoist::hoist(&mut linear);
    for machine in machine.divisions(&linear) {
        let allocated = allocate::allocate(&linear, machine, &Plan::USUAL)?;
        if machine.file.is_none() || address::fits(&linear, &allocated, machine, &convention::SYSTEM_V)? {
            return Ok((linear, allocated, machine));
        }
    }
    Err(address::FEW_REGISTERS)
}

/// The same with carried values in registers at the heads of loops that are there at the ends of the bodies, where that takes less
/// time.
fn settled(
    program: &Program,
    machine: Machine,
    target: &Target,
) -> Result<(Linear, Allocated, Machine), Stop> {
    let (linear, mut best, machine) = allocated(program, machine)?;
    let cycles = |allocated: &Allocated| estimate::cycles(&linear, allocated, machine, target);
    let first = cycles(&best);
    let mut least = order::core::mean(&first, &first);
    for clean in CLEAN {
        let mut plan = Plan { clean, ..Plan::USUAL };
        for _ in 0..ROUNDS {
            let allocated = allocate::allocate(&linear, machine, &plan)?;
            let cost = order::core::mean(&cycles(&allocated), &first);
            let settled = plan.in_registers == allocated.ended;
            plan.in_registers.clone_from(&allocated.ended);
            if cost < least {
                (best, least) = (allocated, cost);
            }
            if settled {
                break;
            }
        }
    }
    Ok((linear, best, machine))
}

/// The fewest general-purpose registers for values: operands, and what loops move values through.
const FEWEST: u8 = 5;
/// How often places of carried values are chosen anew.
const ROUNDS: usize = 4;
/// What is tried of [`Plan::clean`].
const CLEAN: [usize; 4] = [16, 10, 24, 40];

/// What the stages need to know of the target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    pub(crate) encoding: Encoding,
    /// How general-purpose registers are divided where values are in them.
    pub(crate) file: Option<File>,
    /// Bits of a register.
    pub(crate) shape_bits: u32,
    /// Bits of an element of a uniform region.
    pub(crate) uniform: u32,
    /// The instruction that reads a register, and copies one.
    pub(crate) moves: &'static Instruction,
    /// The instruction that reads a register from anywhere, and writes one anywhere.
    pub(crate) unaligned: Option<&'static Instruction>,
    /// The instruction that repeats an element of a uniform region; nothing if there is none, so that no code reads one.
    repeats: Option<&'static Instruction>,
}

impl Machine {
    /// Of a target that there is assembly for, with values of so many bits and uniform regions of elements of so many.
    pub(crate) fn of(target: &Target, bits: u32, uniform: u32) -> Option<Machine> {
        let encoding = target.assembly()?;
        let general = encoding == Encoding::General;
        let fits = if general { matches!(bits, 32 | 64) } else { bits == target.register_bits };
        fits.then_some(())?;
        Some(Machine {
            encoding,
            file: general.then_some(File::MOST),
            shape_bits: bits,
            uniform,
            moves: target.instruction(Meaning::Load, 0)?,
            unaligned: target.instruction(Meaning::Broadcast, bits),
            repeats: target.instructions().find(|row| row.meaning.is_repeat() && row.lane == uniform),
        })
    }

    /// Registers for values.
    pub(crate) fn registers(self) -> u8 {
        self.file.map_or(self.encoding.registers(), |file| file.values)
    }

    /// The number in the encoding of a register for values.
    pub(crate) fn number(self, register: Vector) -> u8 {
        self.general(register).map_or(register.0, |register| register.0)
    }

    /// The general-purpose register that a register for values is.
    pub(crate) fn general(self, register: Vector) -> Option<Gpr> {
        self.file.and_then(|file| file.order().nth(usize::from(register.0)))
    }

    /// The register for values that a general-purpose register is.
    pub(crate) fn value(self, register: Gpr) -> Option<usize> {
        self.file.and_then(|file| file.order().take(file.values.into()).position(|other| other == register))
    }

    /// The same machine with more and more general-purpose registers for addresses; itself where values are in vectors.
    fn divisions(self, linear: &Linear) -> impl Iterator<Item = Machine> + use<> {
        let sums = linear.sums_addresses();
        let most = self.file.map_or(1, |file| file.values - u8::from(file.sums != sums));
        let near = [usize::MAX, 2].into_iter().take(if linear.is_in_loops() { 2 } else { 1 });
        let files = (FEWEST.min(most)..=most)
            .rev()
            .flat_map(move |values| near.clone().map(move |near| File { values, sums, near }));
        files
            .map(move |file| Machine { file: self.file.map(|_| file), ..self })
            .take(if self.file.is_some() { usize::MAX } else { 1 })
    }

    /// The instruction that loads so many bits, repeated if they are fewer than the register has.
    pub(crate) fn load(self, bits: u32, aligned: bool) -> &'static Instruction {
        match (self.unaligned, self.repeats) {
            (Some(unaligned), _) if !aligned && bits == self.shape_bits => unaligned,
            (_, Some(repeats)) if !aligned || bits != self.shape_bits => repeats,
            _ => self.moves,
        }
    }

    /// Bits that an item loads, to be repeated.
    pub(crate) fn loaded_bits(self, row: &Instruction) -> u32 {
        match row.meaning {
            Meaning::Broadcast | Meaning::RepeatMask if row.lane > 0 => row.lane,
            _ => self.shape_bits,
        }
    }
}
