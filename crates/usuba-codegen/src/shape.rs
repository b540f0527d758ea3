//! How the atoms of a program lie in the registers of a target.

use crate::life::Life;
use crate::messages::Reason;
use usuba_ir::layout::{Layout, Slicing};
use usuba_ir::program::{Block, Op, Program, ValueId};
use usuba_machine::Shape;
use usuba_target::Target;

/// Bits of a mask that vectors repeat for nothing as they load it; fewer take an instruction more on some cores.
const VECTOR_MASK: u32 = 32;

/// Bytes that masks may take, which are on the stack while a call lasts, before they become single bytes. Single bytes cost a
/// bitsliced kernel up to a tenth where it reads a key for every few gates; of SKINNY-128, whose masks took 57 KiB, the whole call
/// is faster with them.
const MOST_MASKS: u32 = 10 * 1024;

/// The shape of a bitsliced program with so many uniform atoms: masks of single bytes if others take too much memory.
pub(crate) fn with_masks(shape: Shape, atoms: u32) -> Shape {
    let short = shape.slicing == Slicing::B && atoms.saturating_mul(shape.mask_bits / 8) > MOST_MASKS;
    if short { Shape { mask_bits: 8, uniform_type: unsigned_type(8), ..shape } } else { shape }
}

/// The smallest width of a lane that holds atoms of `width` bits.
pub(crate) fn container(width: u32) -> Option<u32> {
    [8, 16, 32, 64].into_iter().find(|&lane| width <= lane)
}

/// The shape for atoms of these layouts.
pub(crate) fn of_layouts(layouts: &[Layout], target: &Target) -> Result<Shape, Reason> {
    if let Some(&packed) = layouts.iter().find(|layout| layout.has_lanes()) {
        if layouts.iter().any(|&layout| layout != packed) {
            return Err(Reason::MixedLayouts);
        }
        return of_packed(packed, target);
    }
    match layouts.iter().find(|layout| layout.pack > 1) {
        Some(&horizontal) => {
            if layouts.iter().any(|&layout| layout != horizontal) {
                return Err(Reason::MixedLayouts);
            }
            of_horizontal(horizontal, target)
        }
        None => of_words(layouts.iter().map(|layout| layout.word).max().unwrap_or(1), target),
    }
}

fn of_horizontal(layout: Layout, target: &Target) -> Result<Shape, Reason> {
    let chunk_bits = layout.chunk();
    let expected = Layout::of(Slicing::H, layout.pack);
    if !matches!(layout.pack, 2 | 4 | 8 | 16 | 32 | 64) || layout != expected {
        return Err(Reason::Elements(layout.pack));
    }
    if target.single_lane {
        return Ok(bit_interleaved(layout.pack, target));
    }
    if chunk_bits > target.register_bits {
        return Err(Reason::Shuffle(layout.pack));
    }
    Ok(Shape {
        slicing: Slicing::H,
        register_bits: target.register_bits,
        lane: 8,
        chunk_bits,
        pack: layout.pack,
        chunk_instances: layout.instances,
        interleave: 1,
        instances: target.register_bits / chunk_bits * layout.instances,
        mask_bits: 0,
        register_type: target.register_type(8),
        uniform_type: "uint8_t",
        uniform_elements: chunk_bits / 8,
    })
}

fn of_packed(layout: Layout, target: &Target) -> Result<Shape, Reason> {
    if target.single_lane {
        return Err(Reason::NoGroups(layout.pack));
    }
    if !matches!(layout.word, 8 | 16 | 32 | 64) || layout != Layout::of(Slicing::Packed(layout.pack), 128) {
        return Err(Reason::HybridLayout(layout));
    }
    Ok(Shape {
        slicing: Slicing::Packed(layout.pack),
        register_bits: target.register_bits,
        lane: layout.word,
        chunk_bits: 128,
        pack: layout.pack,
        chunk_instances: 1,
        interleave: 1,
        instances: target.register_bits / 128,
        mask_bits: 0,
        register_type: target.register_type(layout.word),
        uniform_type: unsigned_type(layout.word),
        uniform_elements: layout.pack,
    })
}

/// The C type of an element of so many bits.
fn unsigned_type(bits: u32) -> &'static str {
    match bits {
        8 => "uint8_t",
        16 => "uint16_t",
        32 => "uint32_t",
        _ => "uint64_t",
    }
}

/// Elements of fewer bits than the layout gives them, so that the chunk is a register.
fn bit_interleaved(pack: u32, target: &Target) -> Shape {
    let register_bits = target.register_bits;
    let chunk_instances = register_bits / pack;
    Shape {
        slicing: Slicing::H,
        register_bits,
        lane: register_bits,
        chunk_bits: register_bits,
        pack,
        chunk_instances,
        instances: chunk_instances,
        interleave: 1,
        mask_bits: 0,
        register_type: target.register_type(register_bits),
        uniform_type: "uint64_t",
        uniform_elements: 1,
    }
}

fn of_words(width: u32, target: &Target) -> Result<Shape, Reason> {
    let slicing = if width == 1 { Slicing::B } else { Slicing::V };
    let lane = match slicing {
        Slicing::B => 64,
        _ => container(width).ok_or(Reason::Width(width))?,
    };
    let chunk_bits = if width == 1 { 1 } else { lane };
    let register_bits = if target.single_lane { lane } else { target.register_bits };
    let mask = if target.single_lane { register_bits } else { VECTOR_MASK };
    Ok(Shape {
        slicing,
        register_bits,
        lane,
        chunk_bits,
        pack: 1,
        chunk_instances: 1,
        interleave: 1,
        instances: register_bits / chunk_bits,
        mask_bits: mask,
        register_type: target.register_type(if width == 1 { 0 } else { lane }),
        uniform_type: unsigned_type(if width == 1 { mask } else { lane }),
        uniform_elements: 1,
    })
}

/// The layouts of all live atoms of the nodes that the entry reaches, each once, in order of appearance.
pub(crate) fn layouts(program: &Program) -> Vec<Layout> {
    let mut found = Vec::new();
    for (node, life) in program.nodes.iter().zip(reached(program)) {
        let Some(life) = life else { continue };
        for (number, value) in node.values.iter().enumerate() {
            let id = ValueId(number as u32);
            let wanted = life.is_live(id) || node.body.parameters.contains(&id);
            if wanted && !found.contains(&value.ty.layout) {
                found.push(value.ty.layout);
            }
        }
    }
    found
}

/// For each node that the entry reaches by calls whose results matter, the liveness of its values.
pub(crate) fn reached(program: &Program) -> Vec<Option<Life>> {
    fn calls(block: &Block, life: &Life, wanted: &mut [bool]) {
        for operation in block.operations.iter().filter(|operation| life.is_wanted(&operation.results)) {
            match &operation.op {
                Op::Call(callee, _) => wanted[callee.index()] = true,
                Op::Loop(inner) => calls(&inner.body, life, wanted),
                _ => {}
            }
        }
    }
    let mut wanted = vec![false; program.nodes.len()];
    if let Some(entry) = wanted.last_mut() {
        *entry = true;
    }
    let mut lives: Vec<Option<Life>> = Vec::new();
    for (number, node) in program.nodes.iter().enumerate().rev() {
        lives.push(wanted[number].then(|| Life::of(node)));
        if let Some(Some(life)) = lives.last() {
            calls(&node.body, life, &mut wanted);
        }
    }
    lives.reverse();
    lives
}
