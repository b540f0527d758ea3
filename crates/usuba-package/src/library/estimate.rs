//! What a batch of an engine takes, roughly, so that engines can be compared.
//!
//! ```text
//! cycles = call + kernel + packing
//! kernel = port bound * how much more kernels of this slicing take * (1 + state / 16 KiB)
//! packing = registers, or bytes where it goes word by word, that are brought from bytes and back
//! ```
//!
//! It is asked only about engines that were not [measured](super::measured). Ports are those of the core whose costs are wanted; all
//! numbers here are those of one core, Zen 5: medians of what `make bench` measured there in November 2026 with gcc 12 and clang 19
//! (`docs/performance/data.json`: `kernel` over `port_bound`, and `whole` less `kernel`, of 515 kernels). Other cores differ
//! in how much, but the reasons are the same: chains of dependent steps, states that are in memory, and transpositions are in
//! no port bound.

use crate::manifest::{Bytes, Function, Primitive};
use crate::order::Order;
use usuba_codegen::{Kernel, Shape};
use usuba_ir::layout::Slicing;
use usuba_target::{Core, Target};

/// Cycles of a call that has to do with neither kernel nor data.
pub const CALL: f64 = 40.0;

/// What is assumed of machines whose tables have no ports.
const GENERAL_A_CYCLE: f64 = 3.0;
const VECTORS_A_CYCLE: f64 = 2.0;

/// A number for registers of 64, 128, 256 and 512 bits.
type BySize = [f64; 4];

/// How many times its port bound a kernel takes.
const BITSLICED: BySize = [2.0, 1.8, 1.8, 2.6];
const VERTICAL: BySize = [1.65, 1.4, 1.4, 1.65];
const HORIZONTAL: BySize = [1.65, 1.55, 1.55, 2.0];
/// The steps of packed words are long chains, of which registers hold few side by side.
const PACKED: BySize = [1.8, 1.8, 1.8, 2.3];
/// Packed bytes are maps of bytes, with latencies of several cycles.
const PACKED_BYTES: BySize = [3.0; 4];
/// Rounds of AES: as many chains side by side as fill the ports, of one batch or of several. No median: what `usubac bench` showed
/// of AES on Zen 4, 1.03, and more for cores whose rounds take longer.
const ROUNDS: BySize = [1.1; 4];
/// A call of a batch of them takes no longer than what is to be done: what counts is what a batch adds to the others of a call, as
/// processors work on several. One block after another took 9 cycles for each on Zen 4, and four side by side 13.
const ROUNDS_CALL: f64 = 6.0;
/// What one that is not full takes longer: it is copied, and what was stored in parts is loaded whole. On Zen 4 it was between 0, of
/// 128 bits, and 80, of 512. It was not asked what it is where batches take hundreds of cycles.
const ROUNDS_PART: f64 = 40.0;
/// Bytes that are loaded and stored as they stand.
const PLAIN: BySize = [1.0; 4];

/// A bitsliced state of so many bytes takes a kernel twice as long as one that is in registers.
const STATE: f64 = 16384.0;

/// Cycles for each register that is brought from bytes or back: bits of blocks that are a power of two of bytes, and of others.
const BITS: BySize = [2.0, 5.0, 5.0, 5.0];
const ODD_BITS: BySize = [5.0, 12.0, 25.0, 35.0];
const LANES: BySize = [2.0; 4];
const GROUPS: BySize = [4.0; 4];
const ELEMENTS: BySize = [7.0; 4];

/// Cycles for each byte where there is no code for vectors: planes of cells, and these interleaved; word by word; to elements
/// of vectors. Those of planes are no medians: they are what `usubac bench` showed beside kernels of AES and GIFT, and
/// what their transposition takes on Zen 5, rounded up.
const PLANE_BYTE: f64 = 1.3;
const INTERLEAVED_PLANE_BYTE: f64 = 1.4;
const WORD_BYTE: f64 = 0.2;
const INTERLEAVED_BYTE: f64 = 1.3;
const ELEMENT_BYTE: f64 = 1.2;

/// Cycles that a batch takes by the ports of a core, where they are known, or else by instructions. `primitive` is as the slicing of
/// the kernel sees it.
pub fn cycles(primitive: &Primitive, kernel: &Kernel, target: &Target, core: Option<&Core>) -> f64 {
    let shape = &kernel.shape;
    let at_once = if target.single_lane { GENERAL_A_CYCLE } else { VECTORS_A_CYCLE };
    let guess = kernel.report.instructions_run() as f64 / at_once;
    let core = core.filter(|_| has_ports(target));
    let bound = core.and_then(|core| kernel.report.port_bound_on(target, core));
    let more = match shape.slicing {
        Slicing::B => by_size(&BITSLICED, shape) * (1.0 + state_bytes(kernel) / STATE),
        Slicing::V => by_size(&VERTICAL, shape),
        Slicing::H => by_size(&HORIZONTAL, shape),
        slicing if is_rounds(primitive, slicing, target) => by_size(&ROUNDS, shape),
        Slicing::Packed(16) => by_size(&PACKED_BYTES, shape),
        Slicing::Packed(_) => by_size(&PACKED, shape),
    };
    let call = if is_rounds(primitive, shape.slicing, target) { ROUNDS_CALL } else { CALL };
    let around = call + packing(primitive, kernel, target);
    bound.unwrap_or(guess) * more + around
}

/// Cycles that a batch takes more if it is not full.
pub fn part(primitive: &Primitive, slicing: Slicing, target: &Target) -> f64 {
    if is_rounds(primitive, slicing, target) { ROUNDS_PART } else { 0.0 }
}

/// Whether kernels of a slicing are rounds of AES: what is on blocks by nodes of its own looks bytes up.
pub fn is_rounds(primitive: &Primitive, slicing: Slicing, target: &Target) -> bool {
    slicing == Slicing::BLOCKS && target.has_rounds() && !primitive.has_nodes_on_blocks()
}

/// Whether the table of a machine says which ports run what.
fn has_ports(target: &Target) -> bool {
    target.instructions().any(|row| row.ports != 0)
}

/// The number for the registers of a shape.
fn by_size(numbers: &BySize, shape: &Shape) -> f64 {
    let place = (shape.register_bits / 64).max(1).ilog2() as usize;
    numbers[place.min(numbers.len() - 1)]
}

/// Bytes of the registers of the largest parameter that is not the same for all instances: the state.
fn state_bytes(kernel: &Kernel) -> f64 {
    let varying = kernel.parameters.iter().filter(|parameter| !parameter.uniform);
    let most = varying.map(|parameter| parameter.count).max().unwrap_or(0);
    f64::from(most / kernel.shape.interleave.max(1)) * f64::from(kernel.shape.register_bytes())
}

/// Cycles to bring the blocks of a batch to registers, and from them.
fn packing(primitive: &Primitive, kernel: &Kernel, target: &Target) -> f64 {
    // Counters are made in registers; those of block ciphers take about as long as blocks.
    let moved: Vec<Bytes> = match &primitive.function {
        Function::BlockCipher(cipher) => {
            [Some(cipher.block), cipher.tweak, Some(cipher.block)].into_iter().flatten().collect()
        }
        Function::Stream(cipher) => vec![cipher.keystream],
        Function::Generator(cipher) => vec![cipher.keystream],
        Function::Permutation(permutation) => vec![permutation.state; 2],
    };
    moved.into_iter().map(|bytes| moving(bytes, kernel, target)).sum()
}

/// As `usuba_has_vectors_h` in the runtime.
fn has_vectors_h(Bytes { bytes, order }: Bytes, width: u32, shape: &Shape) -> bool {
    match order {
        Order::Planes => width * shape.chunk_instances == 128 && bytes % 16 == 0,
        Order::Nibbles | Order::Little if width == 16 => shape.chunk_instances == 8 && bytes == 8,
        _ => width == 32 && shape.chunk_instances == 8 && bytes == 16,
    }
}

/// Cycles to bring byte strings, one for each instance, to registers or from them.
fn moving(Bytes { bytes, order }: Bytes, kernel: &Kernel, target: &Target) -> f64 {
    let shape = &kernel.shape;
    let size = f64::from(bytes) * f64::from(kernel.instances);
    let registers = size / f64::from(shape.register_bytes().max(1));
    let is_vector = shape.register_bits > 64;
    let is_cells = matches!(order, Order::Planes | Order::Nibbles);
    let width = kernel.parameters.iter().find(|parameter| !parameter.uniform).map_or(0, |one| one.width);
    match shape.slicing {
        Slicing::B if bytes.is_power_of_two() => registers * by_size(&BITS, shape),
        Slicing::B => registers * by_size(&ODD_BITS, shape),
        Slicing::V if is_vector && shape.lane == width => registers * by_size(&LANES, shape),
        Slicing::V | Slicing::Packed(_) if is_cells => size * PLANE_BYTE,
        slicing if slicing == Slicing::BLOCKS && target.has_rounds() => registers * by_size(&PLAIN, shape),
        Slicing::Packed(_) if is_vector => registers * by_size(&GROUPS, shape),
        Slicing::V | Slicing::Packed(_) => size * WORD_BYTE,
        Slicing::H if is_vector && has_vectors_h(Bytes { bytes, order }, width, shape) => {
            registers * by_size(&ELEMENTS, shape)
        }
        Slicing::H if is_vector => size * ELEMENT_BYTE,
        Slicing::H if is_cells => size * INTERLEAVED_PLANE_BYTE,
        Slicing::H => size * INTERLEAVED_BYTE,
    }
}
