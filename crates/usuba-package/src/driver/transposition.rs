//! The functions between the blocks of a batch and registers: `NAME_pack(registers, blocks)`, `NAME_unpack(blocks, registers)`
//! and `NAME_unpack_add(blocks, data, registers)`, of a driver of their own.
//!
//! They call networks of the target's instructions ([`super::network`]), or the functions of `runtime/usuba_transpose.h`.

use super::network::{Network, network};
use super::parts;
use super::{Format, Image, Kernel, Parameter};
use crate::OutputFile;
use crate::order::Order;
use crate::template::Values;
use std::sync::Arc;
use usuba_target::Target;
use usuba_transpose::Arrangement;

/// Which functions are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// From blocks to registers.
    pub pack: bool,
    /// From registers to blocks.
    pub unpack: bool,
    /// The same, with the exclusive or of data.
    pub add: bool,
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

    /// The network for a target, if there is one.
    fn network(&self, target: &'static Target) -> Option<Arc<Network>> {
        let arrangement = self.arrangement();
        let is_whole = arrangement.format.bytes() == self.format.bytes as usize;
        if is_whole { network(arrangement, target) } else { None }
    }

    /// The functions, by a network where there is one.
    fn functions(&self, network: Option<&Network>) -> String {
        let Transposition { name, wanted, .. } = self;
        let register = self.register();
        let (layout, argument) = match self.image {
            Image::B => ("b", String::new()),
            Image::V { lane } => ("v", format!(" {lane},")),
            Image::Packed { lane } => ("p", format!(" {lane},")),
            Image::H { batch } => ("h", format!(" {batch},")),
            Image::BitInterleaved { batch } => ("interleaved", format!(" {batch},")),
        };
        // Calls of the runtime, for the bytes of a block from one on.
        let from = |first: &str| if self.image == Image::B { format!(", {first}") } else { String::new() };
        let packing = |first: &str| {
            format!(
                "    usuba_pack_{layout}(registers, {register},{argument} blocks, {name}_format{});",
                from(first)
            )
        };
        let unpacking = |data: &str, first: &str| {
            format!(
                "    usuba_unpack_{layout}(usuba_output(blocks, {data}), registers, {register},{argument} {name}_format{});",
                from(first)
            )
        };
        let body = |function: &str, arguments: &str, rest: &dyn Fn(&str) -> String| {
            let Some(network) = network else { return rest("0") };
            let call = format!("{}_{function}", network.name);
            let mut text = format!("    {call}({arguments});");
            if !network.whole {
                text += &format!("\n{}", rest(&format!("{call}_bytes")));
            }
            if network.everywhere {
                return text;
            }
            format!("#ifdef {call}_bytes\n{text}\n#else\n{}\n#endif", rest("0"))
        };
        Values::default()
            .text("pack", body("pack", "blocks, registers", &packing))
            .text(
                "unpack_add",
                body("unpack_add", "registers, data, blocks", &|first| unpacking("data", first)),
            )
            .text("unpack", body("unpack", "registers, blocks", &|first| unpacking("NULL", first)))
            .text("name", name)
            .when("pack", wanted.pack)
            .when("unpack", wanted.unpack)
            .when("add", wanted.add)
            .fill(include_str!("templates/transposition.c"))
    }
}

/// The functions of all transpositions of a driver, and the headers that they include.
pub fn functions(transpositions: &[Transposition], target: &'static Target) -> (String, Vec<OutputFile>) {
    let (mut text, mut headers): (String, Vec<OutputFile>) = (String::new(), Vec::new());
    for one in transpositions {
        let network = one.network(target);
        let Wanted { pack, unpack, add } = one.wanted;
        let files = network.iter().flat_map(|network| network.files.iter().zip([pack, unpack, add]));
        for (file, _) in files.filter(|(_, is_wanted)| *is_wanted) {
            if !headers.contains(file) {
                text += &format!("#include \"{}\"\n", file.path);
                headers.push(file.clone());
            }
        }
        text += &one.functions(network.as_deref());
    }
    (text, headers)
}
