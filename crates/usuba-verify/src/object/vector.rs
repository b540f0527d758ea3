//! Instructions on vector registers.
//!
//! What they compute on bytes is `usuba_target::semantics` on bits; tests compare each with the processor.

use super::Why;
use super::machine::{Machine, Word};
use super::mask;
use super::memory::{Address, Cell};
use super::packed;
use super::value::{self, Byte, Lane, Move, bitwise, each_word, shifted};
use crate::graph::{Edge, Graph, blocks, words};
use iced_x86::{EncodingKind, Instruction, Mnemonic, OpKind, Register};
use usuba_ir::aes::Round;
use usuba_ir::block::BlockOp;
use usuba_ir::bytes::{ByteAffine, ByteMap};
use usuba_ir::carryless::Halves;

/// Bytes of a group.
const GROUP: usize = 16;

/// Bytes of the register that is written, or of the largest operand.
fn width(one: &Instruction) -> usize {
    let of = |operand: u32| match one.op_kind(operand) {
        OpKind::Register if one.op_register(operand).is_vector_register() => one.op_register(operand).size(),
        _ => 0,
    };
    match of(0) {
        0 => (1..one.op_count()).map(of).max().unwrap_or(0),
        size => size,
    }
}

/// An operand of so many bytes.
fn read(machine: &mut Machine<'_>, one: &Instruction, operand: u32, bytes: usize) -> Result<Vec<Byte>, Why> {
    match one.op_kind(operand) {
        OpKind::Register => {
            let register = one.op_register(operand);
            if register.is_vector_register() {
                return Ok(machine.vector(register.number(), bytes));
            }
            if !register.is_gpr() {
                return Err(Why::Operand("a mask register"));
            }
            match machine.general(register.full_register().number()) {
                Word::Bits(all) => Ok(all[..bytes.min(8)].to_vec()),
                Word::Address(_) | Word::Distance(..) => Err(Why::Address),
            }
        }
        OpKind::Memory => {
            let address = machine.address(one)?;
            if one.is_broadcast() {
                let element = one.memory_size().element_size();
                let cells = machine.memory.read(machine.graph, address, element)?;
                return Ok(machine.bits(&cells)?.repeat(bytes / element));
            }
            if must_be_aligned(one, bytes) && !machine.is_aligned(address, bytes) {
                return Err(Why::Operand("an address that has to be aligned, and is not known to be"));
            }
            let cells = machine.memory.read(machine.graph, address, bytes)?;
            machine.bits(&cells)
        }
        _ => Err(Why::Operand("an immediate")),
    }
}

/// Whether an access that is not aligned to its size is a fault.
fn must_be_aligned(one: &Instruction, bytes: usize) -> bool {
    use Mnemonic::*;
    match one.mnemonic() {
        Movdqa | Movaps | Movapd | Movntdq | Movntps | Vmovdqa | Vmovaps | Vmovapd | Vmovntdq | Vmovdqa32
        | Vmovdqa64 => true,
        Movdqu | Movups | Movupd | Lddqu => false,
        _ => one.encoding() == EncodingKind::Legacy && bytes == GROUP,
    }
}

/// Writes operand 0.
fn write(machine: &mut Machine<'_>, one: &Instruction, bytes: &[Byte]) -> Result<(), Why> {
    match one.op_kind(0) {
        OpKind::Register if one.op_register(0).is_vector_register() => {
            let keeps = one.encoding() == EncodingKind::Legacy;
            machine.set_vector(one.op_register(0).number(), bytes, keeps);
            Ok(())
        }
        OpKind::Register if one.op_register(0).is_gpr() => {
            let mut all = bytes.to_vec();
            all.resize(8, Byte::ZERO);
            machine.set_general(one.op_register(0).full_register().number(), Word::Bits(all));
            Ok(())
        }
        OpKind::Memory => {
            let address = machine.address(one)?;
            if must_be_aligned(one, bytes.len()) && !machine.is_aligned(address, bytes.len()) {
                return Err(Why::Operand("an address that has to be aligned, and is not known to be"));
            }
            let cells: Vec<Cell> = bytes.iter().map(|&byte| Cell::Bits(byte)).collect();
            machine.memory.write(address, &cells)
        }
        _ => Err(Why::Operand("a mask register")),
    }
}

/// The two operands of an instruction that has two, the immediate left out: without VEX the first is overwritten.
fn two(machine: &mut Machine<'_>, one: &Instruction, bytes: usize) -> Result<[Vec<Byte>; 2], Why> {
    let first = first(one);
    Ok([read(machine, one, first, bytes)?, read(machine, one, first + 1, bytes)?])
}

fn first(one: &Instruction) -> u32 {
    u32::from(one.encoding() != EncodingKind::Legacy)
}

/// The last operand, an immediate.
fn immediate(one: &Instruction) -> Result<u8, Why> {
    let last = one.op_count() - 1;
    match one.op_kind(last) {
        OpKind::Immediate8 => Ok(one.immediate8()),
        _ => Err(Why::Operand("an operand that is no immediate")),
    }
}

/// Whether both operands of two are the same register.
fn is_same(one: &Instruction) -> bool {
    let first = first(one);
    one.op_kind(first + 1) == OpKind::Register && one.op_register(first) == one.op_register(first + 1)
}

fn gate(mnemonic: Mnemonic) -> Option<fn(&mut Graph, Edge, Edge) -> Edge> {
    use Mnemonic::*;
    Some(match mnemonic {
        Pand | Andps | Andpd | Vpand | Vandps | Vandpd | Vpandd | Vpandq => Graph::and,
        Por | Orps | Orpd | Vpor | Vorps | Vorpd | Vpord | Vporq => Graph::or,
        Pxor | Xorps | Xorpd | Vpxor | Vxorps | Vxorpd | Vpxord | Vpxorq => Graph::xor,
        Pandn | Andnps | Andnpd | Vpandn | Vandnps | Vandnpd | Vpandnd | Vpandnq => {
            |graph, a, b| graph.and(!a, b)
        }
        _ => return None,
    })
}

/// A function of two words.
type OfWords = fn(&mut Graph, &[Edge], &[Edge]) -> Vec<Edge>;

/// The word size of an arithmetic instruction, and what it does.
fn arithmetic(mnemonic: Mnemonic) -> Option<(usize, OfWords)> {
    use Mnemonic::*;
    let add: OfWords = |graph, a, b| words::add(graph, a, b, Edge::FALSE).0;
    let subtract: OfWords = |graph, a, b| words::subtract(graph, a, b).0;
    let low_halves: OfWords = |graph, a, b| {
        let half = |word: &[Edge]| [&word[..32], &[Edge::FALSE; 32][..]].concat();
        words::multiply(graph, &half(a), &half(b))
    };
    let equal: OfWords = |graph, a, b| {
        let mut different = Edge::FALSE;
        for (&a, &b) in a.iter().zip(b) {
            let bit = graph.xor(a, b);
            different = graph.or(different, bit);
        }
        vec![!different; a.len()]
    };
    let greater: OfWords = |graph, a, b| {
        // b - a is negative, or would be without overflow: signs exchanged, it is a borrow.
        let flip = |word: &[Edge]| -> Vec<Edge> {
            let mut word = word.to_vec();
            if let Some(sign) = word.last_mut() {
                *sign = !*sign;
            }
            word
        };
        let (_, not_borrowed) = words::subtract(graph, &flip(b), &flip(a));
        vec![!not_borrowed; a.len()]
    };
    Some(match mnemonic {
        Paddb | Vpaddb => (1, add),
        Paddw | Vpaddw => (2, add),
        Paddd | Vpaddd => (4, add),
        Paddq | Vpaddq => (8, add),
        Psubb | Vpsubb => (1, subtract),
        Psubw | Vpsubw => (2, subtract),
        Psubd | Vpsubd => (4, subtract),
        Psubq | Vpsubq => (8, subtract),
        Pmullw | Vpmullw => (2, words::multiply),
        Pmulld | Vpmulld => (4, words::multiply),
        Vpmullq => (8, words::multiply),
        Pmuludq | Vpmuludq => (8, low_halves),
        Pcmpeqb | Vpcmpeqb => (1, equal),
        Pcmpeqw | Vpcmpeqw => (2, equal),
        Pcmpeqd | Vpcmpeqd => (4, equal),
        Pcmpeqq | Vpcmpeqq => (8, equal),
        Pcmpgtb | Vpcmpgtb => (1, greater),
        Pcmpgtw | Vpcmpgtw => (2, greater),
        Pcmpgtd | Vpcmpgtd => (4, greater),
        Pcmpgtq | Vpcmpgtq => (8, greater),
        _ => return None,
    })
}

/// The word size of a shift by an immediate, and its way; to the right around it is a rotation to the left by the rest.
fn shift(mnemonic: Mnemonic) -> Option<(usize, Move, bool)> {
    use Mnemonic::*;
    Some(match mnemonic {
        Psllw | Vpsllw => (2, Move::Left, false),
        Pslld | Vpslld => (4, Move::Left, false),
        Psllq | Vpsllq => (8, Move::Left, false),
        Psrlw | Vpsrlw => (2, Move::Right, false),
        Psrld | Vpsrld => (4, Move::Right, false),
        Psrlq | Vpsrlq => (8, Move::Right, false),
        Psraw | Vpsraw => (2, Move::RightSigned, false),
        Psrad | Vpsrad => (4, Move::RightSigned, false),
        Vpsraq => (8, Move::RightSigned, false),
        Vprold => (4, Move::Around, false),
        Vprolq => (8, Move::Around, false),
        Vprord => (4, Move::Around, true),
        Vprorq => (8, Move::Around, true),
        _ => return None,
    })
}

/// Runs an instruction.
pub(super) fn step(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    if mask::step(machine, one)?.is_some() || packed::step(machine, one)? {
        return Ok(());
    }
    match one.op_mask() {
        Register::None => whole(machine, one),
        _ => masked(machine, one),
    }
}

/// The word size of a shift of each word by a number of its own, and its way.
fn shift_of_each(mnemonic: Mnemonic) -> Option<(usize, Move)> {
    use Mnemonic::*;
    Some(match mnemonic {
        Vpsllvw => (2, Move::Left),
        Vpsllvd => (4, Move::Left),
        Vpsllvq => (8, Move::Left),
        Vpsrlvw => (2, Move::Right),
        Vpsrlvd => (4, Move::Right),
        Vpsrlvq => (8, Move::Right),
        Vpsravw => (2, Move::RightSigned),
        Vpsravd => (4, Move::RightSigned),
        Vpsravq => (8, Move::RightSigned),
        _ => return None,
    })
}

/// Runs an instruction that has a mask: as without, and what the mask leaves out is what was there, or zero.
fn masked(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    use Mnemonic::*;
    if matches!(
        one.mnemonic(),
        Vpscatterdd
            | Vpscatterdq
            | Vpscatterqd
            | Vpscatterqq
            | Vscatterdps
            | Vscatterdpd
            | Vscatterqps
            | Vscatterqpd
    ) {
        return mask::scatter(machine, one);
    }
    let size = mask::element(one)?;
    if one.op_kind(0) == OpKind::Register && one.op_register(0).is_k() {
        return Err(Why::Operand("a mask register"));
    }
    let bytes = width(one);
    let mask = machine.mask_bits(one, bytes / size)?;
    let moves = matches!(
        one.mnemonic(),
        Vmovdqu8
            | Vmovdqu16
            | Vmovdqu32
            | Vmovdqu64
            | Vmovdqa32
            | Vmovdqa64
            | Vmovups
            | Vmovupd
            | Vmovaps
            | Vmovapd
    );
    let memory = (0..one.op_count()).find(|&operand| Machine::is_memory(one, operand));
    if moves && let Some(operand) = memory {
        // Elements that are left out are not accessed.
        let address = machine.address(one)?;
        let is_set = mask.iter().map(|bit| bit.known()).collect::<Option<Vec<bool>>>();
        let is_set = is_set.ok_or(Why::Operand("a mask that is not known"))?;
        let register = one.op_register(1 - operand);
        let mut value = machine.vector(register.number(), bytes);
        if operand == 1 && one.zeroing_masking() {
            value.fill(Byte::ZERO);
        }
        for (element, _) in is_set.iter().enumerate().filter(|(_, set)| **set) {
            let at = Address { offset: address.offset + (element * size) as i64, ..address };
            let part = &mut value[element * size..][..size];
            if operand == 1 {
                let cells = machine.memory.read(machine.graph, at, size)?;
                part.copy_from_slice(&machine.bits(&cells)?);
            } else {
                let cells: Vec<Cell> = part.iter().map(|&byte| Cell::Bits(byte)).collect();
                machine.memory.write(at, &cells)?;
            }
        }
        if operand == 1 {
            machine.set_vector(register.number(), &value, false);
        }
        return Ok(());
    }
    if memory == Some(0) {
        return Err(Why::Operand("memory that is written by a mask"));
    }
    let register = one.op_register(0).number();
    let old = match (one.zeroing_masking(), one.mnemonic()) {
        (true, _) => vec![Byte::ZERO; bytes],
        (_, Vpblendmb | Vpblendmw | Vpblendmd | Vpblendmq | Vblendmps | Vblendmpd) => {
            read(machine, one, 1, bytes)?
        }
        _ => machine.vector(register, bytes),
    };
    whole(machine, one)?;
    let new = machine.vector(register, bytes);
    let merged = mask::merged(machine, &mask, size, &new, &old)?;
    machine.set_vector(register, &merged, false);
    Ok(())
}

fn whole(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    use Mnemonic::*;
    let mnemonic = one.mnemonic();
    let bytes = width(one);
    if let Some(gate) = gate(mnemonic) {
        let [a, b] = two(machine, one, bytes)?;
        let result = bitwise(machine.graph, &a, &b, gate)?;
        return write(machine, one, &result);
    }
    if let Some((size, function)) = arithmetic(mnemonic) {
        let compares = matches!(
            mnemonic,
            Pcmpeqb | Pcmpeqw | Pcmpeqd | Pcmpeqq | Vpcmpeqb | Vpcmpeqw | Vpcmpeqd | Vpcmpeqq
        );
        if one.op_register(0).is_k() {
            return Err(Why::Operand("a mask register"));
        }
        // Whatever was there, it is equal to itself.
        if compares && is_same(one) {
            return write(machine, one, &vec![Byte::constant(0xff); bytes]);
        }
        let [a, b] = two(machine, one, bytes)?;
        let graph = &mut *machine.graph;
        let result = each_word(&[&a, &b], size, |words| function(graph, &words[0], &words[1]))?;
        return write(machine, one, &result);
    }
    if let Some((size, way, is_right)) = shift(mnemonic) {
        let by = usize::from(immediate(one)?);
        let count = 8 * size;
        let by = match way {
            Move::Around if is_right => (count - by % count) % count,
            Move::Around => by % count,
            _ => by.min(count),
        };
        let operand = read(machine, one, first(one), bytes)?;
        let result = shifted(&operand, size, by, way)?;
        return write(machine, one, &result);
    }
    if let Some((size, way)) = shift_of_each(mnemonic) {
        let (operand, counts) = (read(machine, one, 1, bytes)?, read(machine, one, 2, bytes)?);
        let mut result = Vec::with_capacity(bytes);
        for (word, by) in operand.chunks(size).zip(counts.chunks(size)) {
            let by = value::known(by).ok_or(Why::Operand("a shift by a number that is not known"))?;
            result.extend(shifted(word, size, by.min(8 * size as u64) as usize, way)?);
        }
        return write(machine, one, &result);
    }
    match mnemonic {
        Vzeroupper | Vzeroall => {
            for register in 0..16 {
                let kept = if mnemonic == Vzeroupper { machine.vector(register, GROUP) } else { Vec::new() };
                machine.set_vector(register, &kept, false);
            }
            Ok(())
        }
        Movdqa | Movdqu | Movaps | Movups | Movapd | Movupd | Lddqu | Vmovdqa | Vmovdqu | Vmovaps
        | Vmovups | Vmovapd | Vmovupd | Vmovdqa32 | Vmovdqa64 | Vmovdqu8 | Vmovdqu16 | Vmovdqu32
        | Vmovdqu64 | Movntdq | Vmovntdq | Movntps => {
            let value = read(machine, one, 1, bytes)?;
            write(machine, one, &value)
        }
        Vpternlogd | Vpternlogq => {
            let table = immediate(one)?;
            let [a, b, c] = [0, 1, 2].map(|operand| read(machine, one, operand, bytes));
            let (a, b, c) = (a?, b?, c?);
            let mut result = Vec::with_capacity(bytes);
            for ((a, b), c) in a.iter().zip(&b).zip(&c) {
                let lane = a.lane.met(b.lane)?.met(c.lane)?;
                let bits = words::ternary(machine.graph, table, [&a.bits, &b.bits, &c.bits]);
                result.extend(value::bytes(&bits, lane));
            }
            write(machine, one, &result)
        }
        Movd | Movq | Vmovd | Vmovq | Movss | Vmovss | Movsd | Vmovsd => move_low(machine, one),
        Movhps | Movhpd | Movlps | Movlpd | Vmovhps | Vmovhpd | Vmovlps | Vmovlpd => move_half(machine, one),
        _ => {
            let result = moved(machine, one, bytes)?;
            write(machine, one, &result)
        }
    }
}

/// The lowest four or eight bytes, from or to memory, a general-purpose register, or a vector register.
fn move_low(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    use Mnemonic::*;
    let size = match one.mnemonic() {
        Movd | Vmovd | Movss | Vmovss => 4,
        _ => 8,
    };
    let is_scalar = matches!(one.mnemonic(), Movss | Vmovss | Movsd | Vmovsd);
    let between = (0..one.op_count()).all(|operand| one.op_kind(operand) == OpKind::Register);
    if is_scalar && between {
        // The rest is that of the first operand.
        let [mut rest, low] = two(machine, one, GROUP)?;
        rest[..size].copy_from_slice(&low[..size]);
        return write(machine, one, &rest);
    }
    let mut value = read(machine, one, 1, size)?;
    if one.op_kind(0) == OpKind::Register && one.op_register(0).is_vector_register() {
        value.resize(GROUP, Byte::ZERO);
    }
    write(machine, one, &value)
}

/// The lower or higher eight bytes of 16, from or to memory.
fn move_half(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    use Mnemonic::*;
    let half = match one.mnemonic() {
        Movhps | Movhpd | Vmovhps | Vmovhpd => 8..16,
        _ => 0..8,
    };
    if Machine::is_memory(one, 0) {
        let value = read(machine, one, 1, GROUP)?;
        return write(machine, one, &value[half]);
    }
    let mut all = read(machine, one, first(one), GROUP)?;
    let new = read(machine, one, one.op_count() - 1, 8)?;
    all[half].copy_from_slice(&new);
    write(machine, one, &all)
}

/// Instructions whose result is bytes of their operands, and those of AES and of fields.
fn moved(machine: &mut Machine<'_>, one: &Instruction, bytes: usize) -> Result<Vec<Byte>, Why> {
    use Mnemonic::*;
    let mnemonic = one.mnemonic();
    let unpack = match mnemonic {
        Punpcklbw | Vpunpcklbw => Some((1, 0)),
        Punpcklwd | Vpunpcklwd => Some((2, 0)),
        Punpckldq | Vpunpckldq | Unpcklps | Vunpcklps => Some((4, 0)),
        Punpcklqdq | Vpunpcklqdq | Unpcklpd | Vunpcklpd | Movlhps | Vmovlhps => Some((8, 0)),
        Punpckhbw | Vpunpckhbw => Some((1, 8)),
        Punpckhwd | Vpunpckhwd => Some((2, 8)),
        Punpckhdq | Vpunpckhdq | Unpckhps | Vunpckhps => Some((4, 8)),
        Punpckhqdq | Vpunpckhqdq | Unpckhpd | Vunpckhpd => Some((8, 8)),
        _ => None,
    };
    if let Some((size, from)) = unpack {
        let [a, b] = two(machine, one, bytes)?;
        let mut result = Vec::with_capacity(bytes);
        for group in (0..bytes).step_by(GROUP) {
            for place in (from..from + 8).step_by(size) {
                result.extend_from_slice(&a[group + place..][..size]);
                result.extend_from_slice(&b[group + place..][..size]);
            }
        }
        return Ok(result);
    }
    match mnemonic {
        Movhlps | Vmovhlps => {
            let [a, b] = two(machine, one, bytes)?;
            Ok([&b[8..], &a[8..]].concat())
        }
        Pshufd | Vpshufd | Vpermilps if immediate(one).is_ok() => {
            let (n, a) = (immediate(one)?, read(machine, one, one.op_count() - 2, bytes)?);
            Ok(picked(bytes, 4, |word| word / 4 * 4 + usize::from(n >> (2 * (word % 4)) & 3), &a))
        }
        Pshuflw | Vpshuflw | Pshufhw | Vpshufhw => {
            let (n, a) = (immediate(one)?, read(machine, one, one.op_count() - 2, bytes)?);
            let upper = usize::from(matches!(mnemonic, Pshufhw | Vpshufhw));
            let from = |word: usize| match word % 8 / 4 == upper {
                true => word / 4 * 4 + usize::from(n >> (2 * (word % 4)) & 3),
                false => word,
            };
            Ok(picked(bytes, 2, from, &a))
        }
        Shufps | Vshufps => {
            let (n, [a, b]) = (immediate(one)?, two(machine, one, bytes)?);
            let all = [a, b].concat();
            let from = |word: usize| {
                let second = if word % 4 < 2 { 0 } else { bytes / 4 };
                second + word / 4 * 4 + usize::from(n >> (2 * (word % 4)) & 3)
            };
            Ok(picked(bytes, 4, from, &all))
        }
        Shufpd | Vshufpd => {
            let (n, [a, b]) = (immediate(one)?, two(machine, one, bytes)?);
            let all = [a, b].concat();
            let from = |word: usize| {
                let second = if word.is_multiple_of(2) { 0 } else { bytes / 8 };
                second + word / 2 * 2 + usize::from(n >> word & 1)
            };
            Ok(picked(bytes, 8, from, &all))
        }
        Pshufb | Vpshufb => {
            let [a, control] = two(machine, one, bytes)?;
            let mut result = Vec::with_capacity(bytes);
            for (place, index) in control.iter().enumerate() {
                let index = index.known().ok_or(Why::Operand("a shuffle by bytes that are not known"))?;
                let from = place / GROUP * GROUP + usize::from(index & 15);
                result.push(if index >= 128 { Byte::ZERO } else { a[from] });
            }
            Ok(result)
        }
        Palignr | Vpalignr => {
            let (n, [a, b]) = (usize::from(immediate(one)?), two(machine, one, bytes)?);
            let mut result = Vec::with_capacity(bytes);
            for group in (0..bytes).step_by(GROUP) {
                let both = [&b[group..group + GROUP], &a[group..group + GROUP]].concat();
                result.extend((n..n + GROUP).map(|from| both.get(from).copied().unwrap_or(Byte::ZERO)));
            }
            Ok(result)
        }
        Pslldq | Vpslldq | Psrldq | Vpsrldq => {
            let (n, a) = (usize::from(immediate(one)?).min(GROUP), read(machine, one, first(one), bytes)?);
            let is_left = matches!(mnemonic, Pslldq | Vpslldq);
            let byte = |place: usize| {
                let (group, inside) = (place / GROUP * GROUP, place % GROUP);
                let from =
                    if is_left { inside.checked_sub(n) } else { Some(inside + n).filter(|&at| at < GROUP) };
                from.map_or(Byte::ZERO, |from| a[group + from])
            };
            Ok((0..bytes).map(byte).collect())
        }
        Vpermq | Vpermpd if immediate(one).is_ok() => {
            let (n, a) = (immediate(one)?, read(machine, one, 1, bytes)?);
            Ok(picked(bytes, 8, |word| word / 4 * 4 + usize::from(n >> (2 * (word % 4)) & 3), &a))
        }
        Vpermb | Vpermw | Vpermd | Vpermps | Vpermq | Vpermpd => {
            let size = table_element(mnemonic);
            let (indices, a) = (read(machine, one, 1, bytes)?, read(machine, one, 2, bytes)?);
            looked_up(&indices, size, &a)
        }
        Vpermt2b | Vpermt2w | Vpermt2d | Vpermt2ps | Vpermt2q | Vpermt2pd => {
            let [a, indices, b] = [0, 1, 2].map(|operand| read(machine, one, operand, bytes));
            looked_up(&indices?, table_element(mnemonic), &[a?, b?].concat())
        }
        Vpermi2b | Vpermi2w | Vpermi2d | Vpermi2ps | Vpermi2q | Vpermi2pd => {
            let [indices, a, b] = [0, 1, 2].map(|operand| read(machine, one, operand, bytes));
            looked_up(&indices?, table_element(mnemonic), &[a?, b?].concat())
        }
        Vperm2i128 | Vperm2f128 => {
            let (n, [a, b]) = (immediate(one)?, two(machine, one, bytes)?);
            let all = [a, b].concat();
            let mut result = Vec::with_capacity(bytes);
            for half in [n & 15, n >> 4] {
                let from = usize::from(half & 3) * GROUP;
                let group = &all[from..from + GROUP];
                result.extend(if half & 8 == 0 { group.to_vec() } else { vec![Byte::ZERO; GROUP] });
            }
            Ok(result)
        }
        Vshufi32x4 | Vshufi64x2 | Vshuff32x4 | Vshuff64x2 => {
            let (n, [a, b]) = (usize::from(immediate(one)?), two(machine, one, bytes)?);
            let all = [a, b].concat();
            let groups = bytes / GROUP;
            let bits = if groups == 2 { 1 } else { 2 };
            let from = |group: usize| {
                let second = if group < groups / 2 { 0 } else { groups };
                second + (n >> (bits * group) & (groups - 1))
            };
            Ok(picked(bytes, GROUP, from, &all))
        }
        Vinserti128 | Vinsertf128 | Vinserti32x4 | Vinserti64x2 | Vinsertf32x4 | Vinsertf64x2
        | Vinserti64x4 | Vinserti32x8 | Vinsertf64x4 | Vinsertf32x8 => {
            let size = match mnemonic {
                Vinserti64x4 | Vinserti32x8 | Vinsertf64x4 | Vinsertf32x8 => 2 * GROUP,
                _ => GROUP,
            };
            let mut all = read(machine, one, 1, bytes)?;
            let new = read(machine, one, 2, size)?;
            let place = usize::from(immediate(one)?) % (bytes / size) * size;
            all[place..place + size].copy_from_slice(&new);
            Ok(all)
        }
        Vextracti128 | Vextractf128 | Vextracti32x4 | Vextracti64x2 | Vextractf32x4 | Vextractf64x2
        | Vextracti64x4 | Vextracti32x8 | Vextractf64x4 | Vextractf32x8 => {
            let size = match mnemonic {
                Vextracti64x4 | Vextracti32x8 | Vextractf64x4 | Vextractf32x8 => 2 * GROUP,
                _ => GROUP,
            };
            let source = one.op_register(1).size();
            let all = read(machine, one, 1, source)?;
            let place = usize::from(immediate(one)?) % (source / size) * size;
            Ok(all[place..place + size].to_vec())
        }
        Vpbroadcastb | Vpbroadcastw | Vpbroadcastd | Vpbroadcastq | Vbroadcastss | Vbroadcastsd
        | Vbroadcasti128 | Vbroadcastf128 | Vbroadcasti32x4 | Vbroadcasti64x2 | Vbroadcastf32x4
        | Vbroadcastf64x2 | Vbroadcasti64x4 | Vbroadcasti32x8 | Vbroadcastf64x4 | Vbroadcastf32x8
        | Vbroadcasti32x2 | Vbroadcastf32x2 => {
            let size = match mnemonic {
                Vpbroadcastb => 1,
                Vpbroadcastw => 2,
                Vpbroadcastd | Vbroadcastss => 4,
                Vpbroadcastq | Vbroadcastsd | Vbroadcasti32x2 | Vbroadcastf32x2 => 8,
                Vbroadcasti64x4 | Vbroadcasti32x8 | Vbroadcastf64x4 | Vbroadcastf32x8 => 2 * GROUP,
                _ => GROUP,
            };
            Ok(read(machine, one, 1, size)?.repeat(bytes / size))
        }
        Pmovsxbw | Pmovsxbd | Pmovsxbq | Pmovsxwd | Pmovsxwq | Pmovsxdq | Pmovzxbw | Pmovzxbd | Pmovzxbq
        | Pmovzxwd | Pmovzxwq | Pmovzxdq | Vpmovsxbw | Vpmovsxbd | Vpmovsxbq | Vpmovsxwd | Vpmovsxwq
        | Vpmovsxdq | Vpmovzxbw | Vpmovzxbd | Vpmovzxbq | Vpmovzxwd | Vpmovzxwq | Vpmovzxdq => {
            let (from, to, is_signed) = widths(mnemonic);
            let narrow = read(machine, one, 1, bytes / to * from)?;
            let mut result = Vec::with_capacity(bytes);
            for element in narrow.chunks(from) {
                let top = element[from - 1];
                let fill = match is_signed {
                    true => Byte { bits: [top.bits[7]; 8], lane: top.lane.mixed(Lane::All)? },
                    false => Byte::ZERO,
                };
                result.extend_from_slice(element);
                result.resize(result.len() + to - from, fill);
            }
            Ok(result)
        }
        Vpmovwb | Vpmovdb | Vpmovdw | Vpmovqb | Vpmovqw | Vpmovqd => {
            let (from, to) = match mnemonic {
                Vpmovwb => (2, 1),
                Vpmovdb => (4, 1),
                Vpmovdw => (4, 2),
                Vpmovqb => (8, 1),
                Vpmovqw => (8, 2),
                _ => (8, 4),
            };
            let wide = read(machine, one, 1, one.op_register(1).size())?;
            let narrow: Vec<Byte> = wide.chunks(from).flat_map(|element| &element[..to]).copied().collect();
            // What is above it in a register of 128 bits is zero.
            let size = if Machine::is_memory(one, 0) { narrow.len() } else { narrow.len().max(GROUP) };
            Ok([narrow, vec![Byte::ZERO; size]].concat()[..size].to_vec())
        }
        Movddup | Vmovddup if bytes == GROUP => Ok(read(machine, one, 1, 8)?.repeat(2)),
        Pinsrb | Pinsrw | Pinsrd | Pinsrq | Vpinsrb | Vpinsrw | Vpinsrd | Vpinsrq => {
            let size = element(mnemonic);
            let mut all = read(machine, one, first(one), GROUP)?;
            let new = read(machine, one, first(one) + 1, size)?;
            let place = usize::from(immediate(one)?) % (GROUP / size) * size;
            all[place..place + size].copy_from_slice(&new);
            Ok(all)
        }
        Pextrb | Pextrw | Pextrd | Pextrq | Vpextrb | Vpextrw | Vpextrd | Vpextrq => {
            let size = element(mnemonic);
            let all = read(machine, one, 1, GROUP)?;
            let place = usize::from(immediate(one)?) % (GROUP / size) * size;
            Ok(all[place..place + size].to_vec())
        }
        // Of which the mask leaves what it leaves: the rest is the second operand.
        Vpblendmb | Vpblendmw | Vpblendmd | Vpblendmq | Vblendmps | Vblendmpd => read(machine, one, 2, bytes),
        Pblendw | Vpblendw => {
            let (n, [a, b]) = (immediate(one)?, two(machine, one, bytes)?);
            let word = |place: usize| if n >> (place / 2 % 8) & 1 == 1 { b[place] } else { a[place] };
            Ok((0..bytes).map(word).collect())
        }
        Vpblendd | Blendps | Vblendps => {
            let (n, [a, b]) = (immediate(one)?, two(machine, one, bytes)?);
            let word = |place: usize| if n >> (place / 4) & 1 == 1 { b[place] } else { a[place] };
            Ok((0..bytes).map(word).collect())
        }
        Aesenc | Vaesenc | Aesenclast | Vaesenclast | Aesdec | Vaesdec | Aesdeclast | Vaesdeclast => {
            let round = match mnemonic {
                Aesenc | Vaesenc => Round::Encrypt,
                Aesenclast | Vaesenclast => Round::EncryptLast,
                Aesdec | Vaesdec => Round::Decrypt,
                _ => Round::DecryptLast,
            };
            let [a, b] = two(machine, one, bytes)?;
            let graph = &mut *machine.graph;
            each_word(&[&a, &b], GROUP, |words| {
                blocks::block(graph, BlockOp::Aes(round), &words[0], &words[1])
            })
        }
        Aesimc | Vaesimc => {
            let a = read(machine, one, 1, bytes)?;
            let graph = &mut *machine.graph;
            each_word(&[&a], GROUP, |words| blocks::inverse_mix_columns(graph, &words[0]))
        }
        Pclmulqdq | Vpclmulqdq => {
            let n = immediate(one)?;
            let halves = Halves { first: n & 1 != 0, second: n & 16 != 0 };
            let [a, b] = two(machine, one, bytes)?;
            let graph = &mut *machine.graph;
            each_word(&[&a, &b], GROUP, |words| {
                blocks::block(graph, BlockOp::Product(halves), &words[0], &words[1])
            })
        }
        Gf2p8affineqb | Vgf2p8affineqb | Gf2p8affineinvqb | Vgf2p8affineinvqb => {
            let n = immediate(one)?;
            let inverts = matches!(mnemonic, Gf2p8affineinvqb | Vgf2p8affineinvqb);
            let [a, matrices] = two(machine, one, bytes)?;
            let mut result = Vec::with_capacity(bytes);
            for (bytes, matrix) in a.chunks(8).zip(matrices.chunks(8)) {
                if !inverts {
                    for byte in bytes {
                        result.push(product(machine.graph, byte, matrix, n)?);
                    }
                    continue;
                }
                let matrix = value::known(matrix).ok_or(Why::Operand("a matrix that is not known"))?;
                let map = ByteMap { inverts, affine: ByteAffine::of_matrix(matrix, n) };
                for byte in bytes {
                    let lane = byte.lane.mixed(Lane::All)?;
                    result.extend(value::bytes(&blocks::map_byte(machine.graph, &byte.bits, &map), lane));
                }
            }
            Ok(result)
        }
        _ => Err(Why::Unknown),
    }
}

/// The product of a matrix of bits and a byte, and a constant: bit i is the parity of the byte and of row 7 - i.
fn product(graph: &mut Graph, byte: &Byte, matrix: &[Byte], constant: u8) -> Result<Byte, Why> {
    let mut lane = byte.lane.mixed(Lane::All)?;
    let mut bits = vec![Edge::FALSE; 8];
    for (bit, sum) in bits.iter_mut().enumerate() {
        let row = &matrix[7 - bit];
        lane = lane.mixed(row.lane)?;
        *sum = Edge::constant(constant >> bit & 1 == 1);
        for (&a, &b) in row.bits.iter().zip(&byte.bits) {
            let term = graph.and(a, b);
            *sum = graph.xor(*sum, term);
        }
    }
    Ok(value::bytes(&bits, lane)[0])
}

/// Bytes of the elements that an extension takes and makes, and whether it copies signs.
fn widths(mnemonic: Mnemonic) -> (usize, usize, bool) {
    use Mnemonic::*;
    let (from, to) = match mnemonic {
        Pmovsxbw | Pmovzxbw | Vpmovsxbw | Vpmovzxbw => (1, 2),
        Pmovsxbd | Pmovzxbd | Vpmovsxbd | Vpmovzxbd => (1, 4),
        Pmovsxbq | Pmovzxbq | Vpmovsxbq | Vpmovzxbq => (1, 8),
        Pmovsxwd | Pmovzxwd | Vpmovsxwd | Vpmovzxwd => (2, 4),
        Pmovsxwq | Pmovzxwq | Vpmovsxwq | Vpmovzxwq => (2, 8),
        _ => (4, 8),
    };
    let is_unsigned = matches!(
        mnemonic,
        Pmovzxbw
            | Pmovzxbd
            | Pmovzxbq
            | Pmovzxwd
            | Pmovzxwq
            | Pmovzxdq
            | Vpmovzxbw
            | Vpmovzxbd
            | Vpmovzxbq
            | Vpmovzxwd
            | Vpmovzxwq
            | Vpmovzxdq
    );
    (from, to, !is_unsigned)
}

/// Bytes of the element of an insertion or extraction.
fn element(mnemonic: Mnemonic) -> usize {
    use Mnemonic::*;
    match mnemonic {
        Pinsrb | Vpinsrb | Pextrb | Vpextrb => 1,
        Pinsrw | Vpinsrw | Pextrw | Vpextrw => 2,
        Pinsrd | Vpinsrd | Pextrd | Vpextrd => 4,
        _ => 8,
    }
}

/// Bytes of the element of a permutation.
fn table_element(mnemonic: Mnemonic) -> usize {
    use Mnemonic::*;
    match mnemonic {
        Vpermb | Vpermt2b | Vpermi2b => 1,
        Vpermw | Vpermt2w | Vpermi2w => 2,
        Vpermd | Vpermps | Vpermt2d | Vpermt2ps | Vpermi2d | Vpermi2ps => 4,
        _ => 8,
    }
}

/// Elements of a table, each at a known index, of which the low bits count.
fn looked_up(indices: &[Byte], size: usize, table: &[Byte]) -> Result<Vec<Byte>, Why> {
    let count = (table.len() / size) as u64;
    let mut result = Vec::with_capacity(indices.len());
    for index in indices.chunks(size) {
        let low = &index[..size.min(2)];
        let index = value::known(low).ok_or(Why::Operand("an index that is not known"))?;
        let from = (index % count) as usize * size;
        result.extend_from_slice(&table[from..from + size]);
    }
    Ok(result)
}

/// Elements of so many bytes, each from the place that its own number gives.
fn picked(bytes: usize, size: usize, from: impl Fn(usize) -> usize, all: &[Byte]) -> Vec<Byte> {
    (0..bytes / size).flat_map(|to| all[size * from(to)..][..size].to_vec()).collect()
}
