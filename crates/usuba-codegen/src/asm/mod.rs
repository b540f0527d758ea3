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
mod encoding;
mod estimate;
mod linear;
mod machine;
mod print;
#[cfg(test)]
mod tests;

use crate::block::Module;
use crate::messages::{Fault, Internal, Missing, NoCode, Reason};
use crate::order::{self, Order};
use crate::{KernelParameter, Options};
use allocate::Allocated;
use encoding::Encoding;
use linear::Linear;
use usuba_ir::program::Node;
use usuba_target::Target;

/// Whether there is assembly for a target.
pub(crate) fn admits(target: &Target) -> bool {
    Encoding::of(target).is_some()
}

/// Why a module has no assembly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// Assembly cannot do this.
    Limit(&'static str),
    /// A mistake of the compiler.
    Fault(String),
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

/// The assembly of a module, whose steps are in the order of the source.
///
/// # Errors
/// The target is not an x86 with vectors, the code is too large, or the checker found a mistake of the allocation.
pub(crate) fn source(
    module: &Module,
    target: &Target,
    options: &Options,
    parameters: &[KernelParameter],
) -> Result<String, Stop> {
    let encoding = Encoding::of(target).ok_or(Stop::Limit("it is for vectors of x86-64"))?;
    let machine =
        Machine { encoding, shape_bits: module.shape.register_bits, uniform: module.shape.uniform_bits() };
    let (linear, allocated) = best(module, target, machine, options.order)?;
    let code = address::address(&linear, allocated, machine, &convention::SYSTEM_V)?;
    check::check(&linear, &code, machine, &convention::SYSTEM_V).map_err(Stop::Fault)?;
    Ok(print::text(&linear, &code, machine, &module.shape, target, options, parameters))
}

/// The code in the order that is asked for; for [`Order::AUTO`] the fastest of all, by what the allocation makes of them.
fn best(
    module: &Module,
    target: &Target,
    machine: Machine,
    order: Order,
) -> Result<(Linear, Allocated), Stop> {
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
        let linear = linear::linear(&module)?;
        let allocated = allocate::allocate(&linear, machine)?;
        let cycles = estimate::cycles(&linear, &allocated, machine, target);
        let cost = order::core::mean(&cycles, first.get_or_insert_with(|| cycles.clone()));
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, (linear, allocated)));
        }
    }
    best.map(|(_, found)| found).ok_or(Stop::from("no order was tried"))
}

/// What the stages need to know of the target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    pub(crate) encoding: Encoding,
    /// Bits of a register.
    pub(crate) shape_bits: u32,
    /// Bits of an element of a uniform buffer.
    pub(crate) uniform: u32,
}

impl Machine {
    /// Bits that an item loads, to be repeated.
    pub(crate) fn loaded_bits(self, row: &usuba_target::Instruction) -> u32 {
        match row.meaning {
            usuba_target::Meaning::Broadcast => self.uniform,
            _ => self.shape_bits,
        }
    }
}
