//! Instructions on vector registers.
//!
//! What they compute on bytes is `usuba_target::semantics` on bits; tests compare each with the processor.

use super::Why;
use super::machine::Machine;
use super::mask;
use super::memory::{Address, Cell};
use super::moves::moved;
use super::operand::{GROUP, first, immediate, read, two, width, write};
use super::packed;
use super::value::{self, Byte, Move, bitwise, double_shifted, each_word, shifted, shifted_apart};
use crate::graph::{Edge, Graph, words};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

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
    let high: OfWords = |graph, a, b| {
        let long = |word: &[Edge]| [word, &vec![Edge::FALSE; word.len()][..]].concat();
        words::multiply(graph, &long(a), &long(b)).split_off(a.len())
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
        Pmulhuw | Vpmulhuw => (2, high),
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

/// The word size of a shift of two words by an immediate, and whether it is to the right.
fn double_shift(mnemonic: Mnemonic) -> Option<(usize, bool)> {
    use Mnemonic::*;
    Some(match mnemonic {
        Vpshldw => (2, false),
        Vpshldd => (4, false),
        Vpshldq => (8, false),
        Vpshrdw => (2, true),
        Vpshrdd => (4, true),
        Vpshrdq => (8, true),
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
        let adds = matches!(mnemonic, Paddb | Paddw | Paddd | Paddq | Vpaddb | Vpaddw | Vpaddd | Vpaddq);
        if adds && a == b {
            let result = shifted_apart(graph, &a, size, 1, Move::Left)?;
            return write(machine, one, &result);
        }
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
        let result = shifted_apart(machine.graph, &operand, size, by, way)?;
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
    if let Some((size, is_right)) = double_shift(mnemonic) {
        let (a, b) = (read(machine, one, 1, bytes)?, read(machine, one, 2, bytes)?);
        let by = usize::from(immediate(one)?) % (8 * size);
        let result = match is_right {
            true => double_shifted(machine.graph, &b, &a, size, 8 * size - by)?,
            false => double_shifted(machine.graph, &a, &b, size, by)?,
        };
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
