//! The functions between the blocks of a batch and registers: `NAME_pack` and `NAME_unpack`, of a driver of their own.
//!
//! They are networks of the target's instructions (`usuba-transpose`), or call the functions of `runtime/usuba_transpose.h`.

use super::parts;
use super::{Format, Image, Kernel, Parameter};
use crate::order::Order;
use crate::template::Values;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use usuba_target::Target;
use usuba_transpose::moves::Machine;
use usuba_transpose::{Arrangement, Plan, c};

/// Which functions are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// From blocks to registers.
    pub pack: bool,
    /// From registers to blocks.
    pub unpack: bool,
}

impl Wanted {
    /// From registers to blocks alone.
    pub const UNPACK: Wanted = Wanted { pack: false, unpack: true };
    /// Both.
    pub const BOTH: Wanted = Wanted { pack: true, unpack: true };
}

/// Blocks of a batch and the registers that hold them.
#[derive(Clone, Debug)]
pub struct Transposition<'a> {
    /// What the names of the functions begin with: `block`. The format is `NAME_format`.
    pub name: &'a str,
    /// What blocks mean.
    pub format: Format,
    /// How words lie in registers.
    pub image: Image,
    /// Instances of the registers.
    pub instances: u32,
    /// Which functions are wanted.
    pub wanted: Wanted,
}

impl<'a> Transposition<'a> {
    /// That of a batch of a parameter, one of several that are interleaved.
    pub(super) fn of(
        kernel: &Kernel,
        parameter: &Parameter,
        name: &'a str,
        format: Format,
        wanted: Wanted,
    ) -> Transposition<'a> {
        let instances = kernel.instances / kernel.interleave.max(1);
        Transposition { name, format, image: parts::image(kernel, parameter), instances, wanted }
    }

    /// Bytes of a register.
    fn register(&self) -> usize {
        let instances = self.instances as usize;
        match self.image {
            Image::B => instances / 8,
            Image::V { lane } => instances * lane,
            Image::Packed { .. } => instances * 16,
            Image::H { .. } => instances * self.format.width as usize / 8,
            Image::BitInterleaved { .. } => 8,
        }
    }

    fn arrangement(&self) -> Arrangement {
        let order = match self.format.order {
            Order::Big => usuba_transpose::Order::Big,
            Order::Little => usuba_transpose::Order::Little,
            Order::Planes => usuba_transpose::Order::Planes,
            Order::Nibbles => usuba_transpose::Order::Nibbles,
        };
        let (width, words) = (self.format.width as usize, self.format.words as usize);
        let format = usuba_transpose::Format { order, width, words };
        Arrangement { format, image: self.image, register: self.register(), big_endian: false }
    }

    /// The network, where there is one that costs no more than the functions of the runtime.
    fn plan(&self, machine: Machine) -> Option<Arc<Plan>> {
        let arrangement = self.arrangement();
        // The rows of x86 are what the networks were measured with. In B the phases of a network keep more registers than
        // there are, which its cost does not see yet.
        let measured = machine.target.encoding().is_some() && self.image != Image::B;
        let fits = arrangement.register == machine.register()
            && arrangement.format.bytes() == self.format.bytes as usize;
        if measured && fits { known(arrangement, machine) } else { None }
    }

    /// The functions that call those of the runtime.
    fn of_runtime(&self) -> String {
        let (ending, argument) = match self.image {
            Image::B => ("b", String::new()),
            Image::V { lane } => ("v", format!(" {lane},")),
            Image::Packed { lane } => ("p", format!(" {lane},")),
            Image::H { batch } => ("h", format!(" {batch},")),
            Image::BitInterleaved { batch } => ("interleaved", format!(" {batch},")),
        };
        Values::default()
            .text("name", self.name)
            .text("layout", ending)
            .text("register", self.register())
            .text("argument", argument)
            .when("pack", self.wanted.pack)
            .when("unpack", self.wanted.unpack)
            .fill(include_str!("templates/transposition.c"))
    }
}

/// The functions of all transpositions of a driver.
pub fn functions(transpositions: &[Transposition], target: &'static Target) -> String {
    let machine = Machine { target, big_endian: false };
    let (mut text, mut helpers) = (String::new(), String::new());
    for one in transpositions {
        let Some(plan) = one.plan(machine) else {
            text += &one.of_runtime();
            continue;
        };
        helpers = c::helpers(&machine);
        if one.wanted.pack {
            text += &c::pack(&plan, &machine, one.name);
        }
        if one.wanted.unpack {
            text += &c::unpack(&plan, &machine, one.name);
        }
    }
    helpers + &text
}

type Plans = BTreeMap<(&'static str, Arrangement), Option<Arc<Plan>>>;

/// The plan of an arrangement; `None` if none was found. A search takes a tenth of a second, and the engines of a primitive ask
/// for the same plan again and again.
fn known(arrangement: Arrangement, machine: Machine) -> Option<Arc<Plan>> {
    static KNOWN: Mutex<Plans> = Mutex::new(BTreeMap::new());
    // A thread that panicked has left the map whole: plans are put into it one by one.
    let plans = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (machine.target.name, arrangement);
    if let Some(plan) = plans().get(&key) {
        return plan.clone();
    }
    let plan = Plan::of(arrangement, machine, true).ok().map(Arc::new);
    plans().insert(key, plan.clone());
    plan
}
