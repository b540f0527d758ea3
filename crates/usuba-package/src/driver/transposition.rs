//! The functions between the blocks of a batch and registers: `NAME_pack` and `NAME_unpack`, of a driver of their own.
//!
//! They are networks of the target's instructions (`usuba-transpose`), or call the functions of `runtime/usuba_transpose.h`.

use super::parts;
use super::{Format, Image, Kernel, Parameter};
use crate::order::Order;
use crate::template::Values;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use usuba_target::machines::{ALTIVEC, NEON, SSE2};
use usuba_target::{ByteOrder, Target};
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

    /// The networks that there are for a target, each with when the C preprocessor takes it: always if that is empty.
    fn plans(&self, target: &'static Target) -> Vec<(&'static str, Machine, Arc<Plan>)> {
        let mut plans = Vec::new();
        for (condition, machine) in machines(target, self.image) {
            let arrangement = Arrangement { big_endian: machine.big_endian, ..self.arrangement() };
            let own = arrangement.register == machine.register() || target.single_lane;
            if own
                && arrangement.format.bytes() == self.format.bytes as usize
                && let Some(plan) = known(arrangement, machine)
            {
                plans.push((condition, machine, plan));
            }
        }
        plans
    }

    /// The functions of a network, and of the runtime for bytes that it leaves.
    fn of_network(&self, plan: &Plan, machine: &Machine) -> String {
        let (mut pack, mut unpack) = (String::new(), String::new());
        if plan.covered < plan.arrangement.format.bytes() {
            let (register, name, covered) = (self.register(), self.name, plan.covered);
            pack = format!("    usuba_pack_b(registers, {register}, blocks, {name}_format, {covered});\n");
            unpack =
                format!("    usuba_unpack_b(blocks, registers, {register}, {name}_format, {covered});\n");
        }
        let mut text = String::new();
        if self.wanted.pack {
            text += &c::pack(plan, machine, self.name, &pack);
        }
        if self.wanted.unpack {
            text += &c::unpack(plan, machine, self.name, &unpack);
        }
        text
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
            .text("from", if self.image == Image::B { ", 0" } else { "" })
            .when("pack", self.wanted.pack)
            .when("unpack", self.wanted.unpack)
            .fill(include_str!("templates/transposition.c"))
    }
}

/// The machines whose networks code for a target may have, each with its condition. Of 64-bit registers, bits go through the
/// vectors that nearly every machine has.
fn machines(target: &'static Target, image: Image) -> Vec<(&'static str, Machine)> {
    let machine = |target, big_endian| Machine { target, big_endian };
    if target.single_lane {
        let vectors = [
            ("defined(__SSE2__) && !defined(USUBA_PORTABLE)", &SSE2, false),
            ("defined(__ARM_NEON) && !USUBA_BIG_ENDIAN && !defined(USUBA_PORTABLE)", &NEON, false),
            ("defined(__POWER8_VECTOR__) && USUBA_BIG_ENDIAN && !defined(USUBA_PORTABLE)", &ALTIVEC, true),
            ("defined(__POWER8_VECTOR__) && !USUBA_BIG_ENDIAN && !defined(USUBA_PORTABLE)", &ALTIVEC, false),
        ];
        let of = |(condition, target, big_endian)| (condition, machine(target, big_endian));
        return if image == Image::B { vectors.map(of).to_vec() } else { Vec::new() };
    }
    if target.toolchains.iter().any(|toolchain| toolchain.byte_order == ByteOrder::Big) {
        return vec![
            ("USUBA_BIG_ENDIAN", machine(target, true)),
            ("!USUBA_BIG_ENDIAN", machine(target, false)),
        ];
    }
    vec![("", machine(target, false))]
}

/// The texts of which the C preprocessor takes the first whose condition holds, else the last.
fn first_of(texts: &[(&'static str, String)], last: &str) -> String {
    let mut text = String::new();
    for (number, (condition, one)) in texts.iter().enumerate() {
        if condition.is_empty() {
            return text + one;
        }
        text += &format!("#{} {condition}\n{one}", if number == 0 { "if" } else { "elif" });
    }
    match (texts.is_empty(), last.is_empty()) {
        (true, _) => last.to_owned(),
        (false, true) => text + "#endif\n",
        (false, false) => format!("{text}#else\n{last}#endif\n\n"),
    }
}

/// The functions of all transpositions of a driver.
pub fn functions(transpositions: &[Transposition], target: &'static Target) -> String {
    let mut text = String::new();
    let mut helpers: Vec<(&'static str, String)> = Vec::new();
    for one in transpositions {
        let plans = one.plans(target);
        for (condition, machine, _) in &plans {
            if !helpers.iter().any(|(known, _)| known == condition) {
                helpers.push((*condition, c::helpers(machine)));
            }
        }
        let networks: Vec<(&'static str, String)> = plans
            .iter()
            .map(|(condition, machine, plan)| (*condition, one.of_network(plan, machine)))
            .collect();
        text += &first_of(&networks, &one.of_runtime());
    }
    first_of(&helpers, "") + &text
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
    let plan = Plan::of(arrangement, machine).ok().map(Arc::new);
    plans().insert(key, plan.clone());
    plan
}
