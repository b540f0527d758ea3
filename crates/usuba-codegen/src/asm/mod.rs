//! From machine programs to assembly for x86-64.
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
use allocate::Allocated;
use linear::Linear;
use machine::Code;
use std::fmt;
use thiserror::Error;
use usuba_ir::program::Node;
use usuba_machine::program::Parameter;
use usuba_machine::{Checked, Program, Shape};
use usuba_target::{Encoding, Instruction, Meaning, Target};

/// Whether there is assembly for a target.
pub(crate) fn admits(target: &Target) -> bool {
    target.encoding().is_some()
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
    let machine = Machine::of(target, uniform).ok_or(Stop::Limit("it is for vectors of x86-64"))?;
    let (linear, allocated) = allocated(program, machine)?;
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
    /// The target is not an x86 with vectors.
    pub(crate) fn of(program: &'a Checked, shape: &Shape, target: &'a Target) -> Result<Made<'a>, Stop> {
        let machine =
            Machine::of(target, shape.uniform_bits()).ok_or(Stop::Limit("it is for vectors of x86-64"))?;
        let (linear, allocated) = (Linear::default(), Allocated::default());
        Ok(Made { program, target, machine, linear, allocated, code: None })
    }

    /// Registers.
    ///
    /// # Errors
    /// The code is too large.
    pub(crate) fn allocate(&mut self) -> Result<(), Stop> {
        (self.linear, self.allocated) = allocated(self.program, self.machine)?;
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
    let Some(machine) = Machine::of(target, shape.uniform_bits())
        .filter(|_| order == Scheduling::AUTO && order::steps(program) <= order::LONG)
    else {
        return order;
    };
    let mut best: Option<(u64, Scheduling)> = None;
    let mut first = None;
    for candidate in [Scheduling::AUTO].into_iter().chain(Scheduling::all()) {
        let mut program = program.clone();
        program.functions.iter_mut().for_each(|function| order::order(function, target, candidate));
        let Ok((linear, allocated)) = allocated(&program, machine) else { return order };
        let cycles = estimate::cycles(&linear, &allocated, machine, target);
        let cost = order::core::mean(&cycles, first.get_or_insert_with(|| cycles.clone()));
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, candidate));
        }
    }
    best.map_or(order, |(_, best)| best)
}

fn allocated(program: &Program, machine: Machine) -> Result<(Linear, Allocated), Stop> {
    let mut linear = linear::linear(program, machine.shape_bits as usize / 8)?;
    hoist::hoist(&mut linear);
    let allocated = allocate::allocate(&linear, machine)?;
    Ok((linear, allocated))
}

/// What the stages need to know of the target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    pub(crate) encoding: Encoding,
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
    /// Of a target that there is assembly for, with uniform regions of elements of so many bits.
    pub(crate) fn of(target: &Target, uniform: u32) -> Option<Machine> {
        Some(Machine {
            encoding: target.encoding()?,
            shape_bits: target.register_bits,
            uniform,
            moves: target.instruction(Meaning::Load, 0)?,
            unaligned: target.instruction(Meaning::Broadcast, target.register_bits),
            repeats: target
                .instructions()
                .find(|row| row.meaning == Meaning::Broadcast && row.lane == uniform),
        })
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
            Meaning::Broadcast if row.lane > 0 => row.lane,
            _ => self.shape_bits,
        }
    }
}
