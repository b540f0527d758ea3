//! From blocks to assembly for x86-64.
//!
//! ```text
//! Module --linear---> one function without calls, values defined once
//!        --allocate-> registers by furthest next use, memory by name (slot, constant, buffer)
//!        --address--> general-purpose registers, stack frame, prologue and epilogue
//!        --check----> internal error unless every line does what the linear code says
//!        --print----> text for the GNU assembler
//! ```

mod address;
mod allocate;
mod check;
mod convention;
mod estimate;
mod linear;
mod machine;
mod print;
#[cfg(test)]
mod tests;

use crate::block::Module;
use crate::messages::Reason;
use crate::order::{self, Order};
use crate::{KernelParameter, Options};
use allocate::Allocated;
use linear::Linear;
use usuba_target::{Encoding, Instruction, Meaning, Target};

/// Whether there is assembly for a target.
pub(crate) fn admits(target: &Target) -> bool {
    target.encoding().is_some()
}

/// The assembly of a module, whose steps are in the order of the source.
///
/// # Errors
/// The target is not an x86 with vectors, the code is too large, or the checker found a mistake of the allocation.
pub(crate) fn source(
    module: &Module,
    target: &Target,
    options: &Options,
    parameters: &[KernelParameter],
) -> Result<String, Reason> {
    let machine = Machine::of(target, module.shape.uniform_bits())
        .ok_or_else(|| Reason::Assembly("it is for vectors of x86-64".into()))?;
    let (linear, allocated) = best(module, target, machine, options.order)?;
    let code = address::address(&linear, allocated, machine, &convention::SYSTEM_V)
        .map_err(|why| Reason::Assembly(why.into()))?;
    check::check(&linear, &code, machine, &convention::SYSTEM_V).map_err(Reason::Internal)?;
    Ok(print::text(&linear, &code, machine, &module.shape, target, options, parameters))
}

/// The code in the order that is asked for; for [`Order::AUTO`] the fastest of all, by what the allocation makes of them.
fn best(
    module: &Module,
    target: &Target,
    machine: Machine,
    order: Order,
) -> Result<(Linear, Allocated), Reason> {
    let candidates: Vec<Order> = match order {
        Order::AUTO if order::steps(module) <= order::LONG => {
            [Order::AUTO].into_iter().chain(Order::all()).collect()
        }
        _ => vec![order],
    };
    let mut best: Option<(u64, (Linear, Allocated))> = None;
    let mut first = None;
    for order in candidates {
        let mut module = module.clone();
        module.functions.iter_mut().for_each(|function| order::order(function, target, order));
        let linear = linear::linear(&module).map_err(|why| Reason::Assembly(why.into()))?;
        let allocated = allocate::allocate(&linear, machine).map_err(|why| Reason::Internal(why.into()))?;
        let cycles = estimate::cycles(&linear, &allocated, machine, target);
        let cost = order::core::mean(&cycles, first.get_or_insert_with(|| cycles.clone()));
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, (linear, allocated)));
        }
    }
    best.map(|(_, found)| found).ok_or_else(|| Reason::Internal("no order was tried".into()))
}

/// What the stages need to know of the target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    pub(crate) encoding: Encoding,
    /// Bits of a register.
    pub(crate) shape_bits: u32,
    /// Bits of an element of a uniform buffer.
    pub(crate) uniform: u32,
    /// The instruction that reads a register, and copies one.
    pub(crate) moves: &'static Instruction,
    /// The instruction that repeats an element of a uniform buffer; nothing if there is none, so that no code reads one.
    repeats: Option<&'static Instruction>,
}

impl Machine {
    /// The machine of a target, with uniform buffers of elements of so many bits; nothing if it has no vectors of x86.
    pub(crate) fn of(target: &Target, uniform: u32) -> Option<Machine> {
        Some(Machine {
            encoding: target.encoding()?,
            shape_bits: target.register_bits,
            uniform,
            moves: target.instruction(Meaning::Load, 0)?,
            repeats: target
                .instructions()
                .find(|row| row.meaning == Meaning::Broadcast && row.lane == uniform),
        })
    }

    /// The instruction that loads so many bits, repeated if they are fewer than the register has.
    pub(crate) fn load(self, bits: u32, aligned: bool) -> &'static Instruction {
        match self.repeats {
            Some(repeats) if !aligned || bits != self.shape_bits => repeats,
            _ => self.moves,
        }
    }

    /// Bits that an item loads, to be repeated.
    pub(crate) fn loaded_bits(self, row: &Instruction) -> u32 {
        match row.meaning {
            Meaning::Broadcast => self.uniform,
            _ => self.shape_bits,
        }
    }
}
