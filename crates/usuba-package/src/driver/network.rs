//! Networks between blocks and registers (`usuba-transpose`) as headers of C: for a format, a layout and a target one for each
//! function, which all drivers that call it include.

use crate::OutputFile;
use crate::template::Values;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use usuba_target::machines::{ALTIVEC, NEON, SSE2};
use usuba_target::{ByteOrder, Target};
use usuba_transpose::moves::Machine;
use usuba_transpose::{Arrangement, Format, Image, Order, Plan, Transfer};

/// The functions of a network.
#[derive(Clone, Debug)]
pub struct Network {
    /// What they begin with: `NAME_pack(blocks, registers)`, `NAME_unpack(registers, blocks)`, which changes the registers, and
    /// `NAME_unpack_add(registers, data, blocks)`. For each there is a macro, such as `NAME_pack_bytes`: how many bytes of a
    /// block it moves, the first ones. It is not defined where there is no function.
    pub name: String,
    /// Their headers, in that order.
    pub files: [OutputFile; 3],
    /// Whether there are functions whatever the compiler compiles for.
    pub everywhere: bool,
    /// Whether they move all bytes of a block.
    pub whole: bool,
}

type Networks = BTreeMap<(&'static str, Arrangement), Option<Arc<Network>>>;

/// The network of an arrangement for a target; `None` if none was found. A search takes up to some tenths of a second, and the
/// engines of all ciphers ask for the same networks again and again.
pub fn network(arrangement: Arrangement, target: &'static Target) -> Option<Arc<Network>> {
    let arrangement = plain(arrangement);
    static KNOWN: Mutex<Networks> = Mutex::new(BTreeMap::new());
    // A thread that panicked has left the map whole: networks are put into it one by one.
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (target.name, arrangement);
    if let Some(network) = known().get(&key) {
        return network.clone();
    }
    let network = Network::of(arrangement, target).map(Arc::new);
    known().insert(key, network.clone());
    network
}

/// The same bits in words of another width, where that makes no difference: in `B`, bits in sequence lie in registers in
/// sequence.
fn plain(arrangement: Arrangement) -> Arrangement {
    let Format { order, width, words } = arrangement.format;
    match (arrangement.image, order) {
        (Image::B, Order::Big) => {
            Arrangement { format: Format { order, width: 1, words: width * words }, ..arrangement }
        }
        _ => arrangement,
    }
}

impl Network {
    fn of(arrangement: Arrangement, target: &'static Target) -> Option<Network> {
        let (mut plans, mut everywhere) = (Vec::new(), true);
        for (condition, machine) in machines(target, arrangement.image) {
            let arrangement = Arrangement { big_endian: machine.big_endian, ..arrangement };
            let own = arrangement.register == machine.register() || target.single_lane;
            match Plan::of(arrangement, machine) {
                Ok(plan) if own => plans.push((condition, machine.target, plan)),
                _ => everywhere = false,
            }
        }
        if plans.is_empty() {
            return None;
        }
        let (name, bytes) = (name(&arrangement, target), arrangement.format.bytes());
        let conditional = plans.iter().any(|(condition, ..)| !condition.is_empty());
        let header = |transfer: Transfer| {
            let function = format!("{name}_{}", transfer.name());
            let one = |(number, (condition, machine, plan)): (usize, &(&str, &Target, Plan))| {
                Values::default()
                    .when("conditional", !condition.is_empty())
                    .text("directive", if number == 0 { "if" } else { "elif" })
                    .text("condition", condition)
                    .text("definitions", usuba_codegen::inline_definitions(machine))
                    .text("name", &function)
                    .text("bytes", plan.covered)
                    .text(
                        "function",
                        usuba_codegen::inline_source(plan.program(transfer), &function, "USUBA_INLINE"),
                    )
                    .fill(include_str!("templates/network.c"))
            };
            let path = format!("{function}.h");
            let contents = Values::default()
                .text("path", &path)
                .text("bytes", bytes)
                .text("instances", arrangement.instances())
                .text("GUARD", format!("{}_H", function.to_uppercase()))
                .text("networks", plans.iter().enumerate().map(one).collect::<String>())
                .when("conditional", conditional)
                .fill(include_str!("templates/network.h"));
            OutputFile { path, contents }
        };
        Some(Network {
            files: Transfer::ALL.map(header),
            // Vectors of a target are there whenever its code is compiled.
            everywhere: everywhere && !target.single_lane,
            whole: plans.iter().all(|(_, _, plan)| plan.covered == bytes),
            name,
        })
    }
}

/// `usuba_network_avx2_h8_little_16x4`: target, layout, order of the format, bits of its words, and how many there are.
fn name(arrangement: &Arrangement, target: &Target) -> String {
    let (layout, size) = match arrangement.image {
        Image::V { lane } => ("v", lane),
        Image::Packed { lane } => ("p", lane),
        Image::H { batch } => ("h", batch),
        Image::BitInterleaved { batch } => ("interleaved", batch),
        Image::B => ("b", arrangement.register),
    };
    let order = match arrangement.format.order {
        Order::Big => "big",
        Order::Little => "little",
        Order::Planes => "planes",
        Order::Nibbles => "nibbles",
    };
    let target = target.name.replace(['-', '.'], "_");
    let (width, words) = (arrangement.format.width, arrangement.format.words);
    format!("usuba_network_{target}_{layout}{size}_{order}_{width}x{words}")
}

/// The machines whose networks code for a target may have, each with when the C preprocessor takes it: always if that is empty.
/// Of 64-bit registers, bits go through the vectors that nearly every machine has.
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
