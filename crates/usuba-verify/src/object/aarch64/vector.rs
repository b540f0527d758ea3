//! Instructions on vector registers.

use super::operand::{VECTOR, bits, extend, immediate, set_vector, shape, size, vector, write};
use crate::graph::{Edge, Graph, blocks, products, words};
use crate::object::Why;
use crate::object::byte_tables::{entry, substituted};
use crate::object::machine::{Machine, Word};
use crate::object::value::{self, Byte, Move, bitwise, each_word, shifted};
use yaxpeax_arm::armv8::a64::{Instruction, Opcode, Operand};

/// A function of two words.
type OfWords = fn(&mut Graph, &[Edge], &[Edge]) -> Vec<Edge>;

/// Runs an instruction; whether it is one of these.
pub(super) fn step(machine: &mut Machine<'_>, one: &Instruction) -> Result<bool, Why> {
    use Opcode::*;
    if matches!(one.opcode, UMOV | SMOV | FMOV | INS | DUP) {
        between(machine, one)?;
        return Ok(true);
    }
    let to = one.operands[0];
    let Some((count, element)) = shape(to) else { return Ok(false) };
    let result = match one.opcode {
        MOVI | MVNI => {
            let word = word_of(one, element)?.repeat(count / element);
            if one.opcode == MVNI { value::complement(&word) } else { word }
        }
        AND | ORR | ORN | EOR | BIC | NOT | BSL | BIT | BIF | EOR3 | BCAX | RAX1 | XAR => {
            logic(machine, one, count, element)?
        }
        ADD | SUB | MUL | MLA | MLS | NEG | CMEQ | CMTST | CMHI | CMHS | CMGT | CMGE | CMLT | CMLE => {
            arithmetic(machine, one, element)?
        }
        SHL | USHR | SSHR | SRI | SLI | USRA | SSRA => shift(machine, one, element)?,
        // Of any number, also of one that is none, as long as `FPCR.AH` is clear.
        FNEG => {
            let (mut from, element) = vector(machine, one.operands[1])?;
            for number in from.chunks_mut(element) {
                let sign = &mut number[element - 1].bits[7];
                *sign = !*sign;
            }
            from
        }
        USHL | SSHL => shift_by_register(machine, one, element)?,
        USHLL | USHLL2 | SSHLL | SSHLL2 | SHLL | SHLL2 => lengthen(machine, one, count, element)?,
        XTN | XTN2 | SHRN | SHRN2 => return narrow(machine, one, element).map(|()| true),
        AESE | AESD | AESMC | AESIMC | PMULL | PMULL2 => block(machine, one)?,
        _ => match moved(machine, one, count, element)? {
            Some(result) => result,
            None => return Ok(false),
        },
    };
    set_vector(machine, to, &result)?;
    Ok(true)
}

/// The immediate of `movi` and of logic with one, as a word.
fn word_of(one: &Instruction, element: usize) -> Result<Vec<Byte>, Why> {
    let number = match one.operands[1] {
        Operand::ImmShift(number, by) => u64::from(number) << by,
        // Ones come in.
        Operand::ImmShiftMSL(number, by) => u64::from(number) << by | ((1 << by) - 1),
        Operand::Imm64(number) => number,
        _ => return Err(Why::Operand("an immediate of another kind")),
    };
    Ok(value::constant(element, number))
}

/// Moves between registers of both kinds, and of elements.
fn between(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    let [to, from, ..] = one.operands;
    let from_general = size(from).is_some();
    let (value, element) = match (from, from_general) {
        (Operand::ImmediateDouble(number), _) => {
            let count = shape(to).map_or(0, |(_, element)| element);
            let number = match count {
                8 => number.to_bits(),
                // Each of these numbers is one of 32 bits too.
                4 => u64::from((number as f32).to_bits()),
                _ => return Err(Why::Operand("a floating-point number of 16 bits")),
            };
            (value::constant(count, number), count)
        }
        (_, true) => {
            let all = bits(machine, from, 8)?;
            let count = all.len();
            (all, count)
        }
        _ => vector(machine, from)?,
    };
    if let Some(count) = size(to) {
        let word = extend(&value[..element], one.opcode == Opcode::SMOV, count)?;
        return write(machine, to, Word::Bits(word));
    }
    match (one.opcode, shape(to)) {
        (Opcode::DUP, Some((count, element))) => {
            set_vector(machine, to, &value[..element].repeat(count / element))
        }
        (_, Some((count, element))) if count > value.len() && matches!(from, Operand::ImmediateDouble(_)) => {
            set_vector(machine, to, &value.repeat(count / element))
        }
        (_, Some((count, _))) => set_vector(machine, to, &value[..count.min(value.len())]),
        // An element, which is as long as what is read, or shorter than a register.
        (_, None) => set_vector(machine, to, &value),
    }
}

fn logic(
    machine: &mut Machine<'_>,
    one: &Instruction,
    count: usize,
    element: usize,
) -> Result<Vec<Byte>, Why> {
    use Opcode::*;
    let operands = one.operands;
    let old = vector(machine, operands[0])?.0;
    let first = match operands[1] {
        Operand::ImmShift(..) => word_of(one, element)?.repeat(count / element),
        from => vector(machine, from)?.0,
    };
    // With an immediate the first operand is the register that is written.
    let (first, second) = match operands[2] {
        Operand::Nothing if one.opcode == NOT => return Ok(value::complement(&first)),
        Operand::Nothing => (old.clone(), first),
        from => (first, vector(machine, from)?.0),
    };
    let graph = &mut *machine.graph;
    let mut of =
        |gate: fn(&mut Graph, Edge, Edge) -> Edge, a: &[Byte], b: &[Byte]| bitwise(graph, a, b, gate);
    let and_not: fn(&mut Graph, Edge, Edge) -> Edge = |graph, a, b| graph.and(a, !b);
    match one.opcode {
        AND => of(Graph::and, &first, &second),
        ORR => of(Graph::or, &first, &second),
        EOR => of(Graph::xor, &first, &second),
        BIC => of(and_not, &first, &second),
        ORN => of(|graph, a, b| graph.or(a, !b), &first, &second),
        BSL | BIT | BIF => {
            // (mask, where it is set, where it is not)
            let (mask, yes, no) = match one.opcode {
                BSL => (&old, &first, &second),
                BIT => (&second, &first, &old),
                _ => (&second, &old, &first),
            };
            let (yes, no) = (of(Graph::and, yes, mask)?, of(and_not, no, mask)?);
            of(Graph::or, &yes, &no)
        }
        EOR3 | BCAX => {
            let third = vector(machine, operands[3])?.0;
            let graph = &mut *machine.graph;
            let gate = if one.opcode == EOR3 { Graph::xor } else { and_not };
            let other = bitwise(graph, &second, &third, gate)?;
            bitwise(graph, &first, &other, Graph::xor)
        }
        RAX1 => {
            let other = shifted(&second, element, 1, Move::Around)?;
            of(Graph::xor, &first, &other)
        }
        XAR => {
            let sum = of(Graph::xor, &first, &second)?;
            shifted(&sum, element, 8 * element - immediate(operands[3])?, Move::Around)
        }
        _ => Err(Why::Unknown),
    }
}

fn arithmetic(machine: &mut Machine<'_>, one: &Instruction, element: usize) -> Result<Vec<Byte>, Why> {
    use Opcode::*;
    let operands = one.operands;
    let (first, _) = vector(machine, operands[1])?;
    let zeros = vec![Byte::ZERO; first.len()];
    let (first, second) = match (one.opcode, operands[2]) {
        (NEG, _) => (zeros, first),
        (_, Operand::Imm64(0) | Operand::Immediate(0)) => (first, zeros),
        (_, from) => {
            let second = vector(machine, from)?;
            if second.1 != element || second.0.len() != first.len() {
                return Err(Why::Operand("an element for all"));
            }
            (first, second.0)
        }
    };
    // Whether a is less than b.
    fn less(graph: &mut Graph, a: &[Edge], b: &[Edge], is_signed: bool) -> Edge {
        let flip = |word: &[Edge]| -> Vec<Edge> {
            let mut word = word.to_vec();
            if let (true, Some(sign)) = (is_signed, word.last_mut()) {
                *sign = !*sign;
            }
            word
        };
        !words::subtract(graph, &flip(a), &flip(b)).1
    }
    fn any(graph: &mut Graph, a: &[Edge], b: &[Edge], gate: fn(&mut Graph, Edge, Edge) -> Edge) -> Edge {
        a.iter().zip(b).fold(Edge::FALSE, |any, (&a, &b)| {
            let bit = gate(graph, a, b);
            graph.or(any, bit)
        })
    }
    let function: OfWords = match one.opcode {
        ADD => |graph, a, b| words::add(graph, a, b, Edge::FALSE).0,
        SUB | NEG => |graph, a, b| words::subtract(graph, a, b).0,
        MUL | MLA | MLS => words::multiply,
        CMEQ => |graph, a, b| vec![!any(graph, a, b, Graph::xor); a.len()],
        CMTST => |graph, a, b| vec![any(graph, a, b, Graph::and); a.len()],
        CMHI => |graph, a, b| vec![less(graph, b, a, false); a.len()],
        CMHS => |graph, a, b| vec![!less(graph, a, b, false); a.len()],
        CMGT => |graph, a, b| vec![less(graph, b, a, true); a.len()],
        CMGE => |graph, a, b| vec![!less(graph, a, b, true); a.len()],
        CMLT => |graph, a, b| vec![less(graph, a, b, true); a.len()],
        _ => |graph, a, b| vec![!less(graph, b, a, true); a.len()],
    };
    // Whatever was there, it is equal to itself.
    if one.opcode == CMEQ && operands[1] == operands[2] {
        return Ok(vec![Byte::constant(0xff); first.len()]);
    }
    let result =
        each_word(&[&first, &second], element, |words| function(machine.graph, &words[0], &words[1]))?;
    if !matches!(one.opcode, MLA | MLS) {
        return Ok(result);
    }
    let old = vector(machine, operands[0])?.0;
    let graph = &mut *machine.graph;
    each_word(&[&old, &result], element, |words| match one.opcode {
        MLA => words::add(graph, &words[0], &words[1], Edge::FALSE).0,
        _ => words::subtract(graph, &words[0], &words[1]).0,
    })
}

/// Shifts by an immediate, alone, into what is there, or added to it.
fn shift(machine: &mut Machine<'_>, one: &Instruction, element: usize) -> Result<Vec<Byte>, Why> {
    use Opcode::*;
    let (from, by) = (vector(machine, one.operands[1])?.0, immediate(one.operands[2])?);
    let way = match one.opcode {
        SHL | SLI => Move::Left,
        SSHR | SSRA => Move::RightSigned,
        _ => Move::Right,
    };
    let all = 8 * element;
    let result = shifted(&from, element, by.min(all), way)?;
    if matches!(one.opcode, SHL | USHR | SSHR) {
        return Ok(result);
    }
    let old = vector(machine, one.operands[0])?.0;
    let graph = &mut *machine.graph;
    if matches!(one.opcode, USRA | SSRA) {
        return each_word(&[&old, &result], element, |words| {
            words::add(graph, &words[0], &words[1], Edge::FALSE).0
        });
    }
    let ones = if by == 0 { u64::MAX } else { u64::MAX >> (64 - all) << (all - by) };
    let kept = match one.opcode {
        SRI if by == all => u64::MAX,
        SRI => ones,
        // The lowest bits stay.
        _ => (1u64 << by) - 1,
    };
    let mask = value::constant(element, kept).repeat(old.len() / element);
    let old = bitwise(graph, &old, &mask, Graph::and)?;
    bitwise(graph, &old, &result, Graph::or)
}

/// Shifts of each element by a number in another register, to the right where that is negative.
fn shift_by_register(machine: &mut Machine<'_>, one: &Instruction, element: usize) -> Result<Vec<Byte>, Why> {
    let (from, by) = (vector(machine, one.operands[1])?.0, vector(machine, one.operands[2])?.0);
    let mut result = Vec::with_capacity(from.len());
    for (word, by) in from.chunks(element).zip(by.chunks(element)) {
        let by = by[0].known().ok_or(Why::Operand("a shift by a number that is not known"))? as i8;
        let count = usize::from(by.unsigned_abs()).min(8 * element);
        let way = match (by < 0, one.opcode) {
            (false, _) => Move::Left,
            (true, Opcode::SSHL) => Move::RightSigned,
            (true, _) => Move::Right,
        };
        result.extend(shifted(word, element, count, way)?);
    }
    Ok(result)
}

/// Elements of twice the size, of the lower or the higher half, shifted.
fn lengthen(
    machine: &mut Machine<'_>,
    one: &Instruction,
    count: usize,
    element: usize,
) -> Result<Vec<Byte>, Why> {
    use Opcode::*;
    let (from, by) = (vector(machine, one.operands[1])?.0, immediate(one.operands[2])?);
    let half = if matches!(one.opcode, USHLL2 | SSHLL2 | SHLL2) { &from[count / 2..] } else { &from[..] };
    let is_signed = matches!(one.opcode, SSHLL | SSHLL2);
    let mut result = Vec::with_capacity(count);
    for word in half.chunks(element / 2) {
        result.extend(shifted(&extend(word, is_signed, element)?, element, by, Move::Left)?);
    }
    Ok(result)
}

/// Lower halves of elements, shifted before, as the lower half of a register, or the higher half, which leaves the lower one.
fn narrow(machine: &mut Machine<'_>, one: &Instruction, element: usize) -> Result<(), Why> {
    use Opcode::*;
    let from = vector(machine, one.operands[1])?.0;
    let by = if matches!(one.opcode, SHRN | SHRN2) { immediate(one.operands[2])? } else { 0 };
    let from = shifted(&from, 2 * element, by, Move::Right)?;
    let half: Vec<Byte> = from.chunks(2 * element).flat_map(|word| word[..element].to_vec()).collect();
    if matches!(one.opcode, XTN | SHRN) {
        return set_vector(machine, one.operands[0], &half);
    }
    let mut all = vector(machine, one.operands[0])?.0;
    all[VECTOR / 2..].copy_from_slice(&half);
    set_vector(machine, one.operands[0], &all)
}

/// Rounds of AES and carry-less products.
fn block(machine: &mut Machine<'_>, one: &Instruction) -> Result<Vec<Byte>, Why> {
    use Opcode::*;
    let [to, first, second, _] = one.operands;
    let from = vector(machine, first)?.0;
    match one.opcode {
        AESE | AESD => {
            let old = vector(machine, to)?.0;
            let sum = bitwise(machine.graph, &old, &from, Graph::xor)?;
            substituted(machine.graph, &sum, one.opcode == AESE)
        }
        AESMC => each_word(&[&from], VECTOR, |words| blocks::mix_columns(machine.graph, &words[0])),
        AESIMC => each_word(&[&from], VECTOR, |words| blocks::inverse_mix_columns(machine.graph, &words[0])),
        _ => {
            let ((a, p), (b, q)) = (value::word(&from)?, value::word(&vector(machine, second)?.0)?);
            let half = if one.opcode == PMULL2 { 64..128 } else { 0..64 };
            if shape(to) != Some((VECTOR, VECTOR)) {
                return Err(Why::Operand("products of bytes"));
            }
            let product = products::carryless(machine.graph, &a[half.clone()], &b[half]);
            Ok(value::bytes(&product, p.mixed(q)?))
        }
    }
}

/// Instructions that only move bytes; nothing if it is none.
fn moved(
    machine: &mut Machine<'_>,
    one: &Instruction,
    count: usize,
    element: usize,
) -> Result<Option<Vec<Byte>>, Why> {
    use Opcode::*;
    let operands = one.operands;
    if matches!(one.opcode, REV64 | REV32 | REV16) {
        let group = match one.opcode {
            REV64 => 8,
            REV32 => 4,
            _ => 2,
        };
        let from = vector(machine, operands[1])?.0;
        let turned = from.chunks(group).flat_map(|group| group.chunks(element).rev().flatten().copied());
        return Ok(Some(turned.collect()));
    }
    if one.opcode == RBIT {
        let from = vector(machine, operands[1])?.0;
        let turned = from.iter().map(|byte| {
            let (mut bits, lane) = value::word(&[*byte])?;
            bits.reverse();
            Ok(value::bytes(&bits, lane)[0])
        });
        return turned.collect::<Result<_, Why>>().map(Some);
    }
    if matches!(one.opcode, TBL | TBX) {
        let Operand::SIMDRegisterGroup(_, first, _, registers) = operands[1] else {
            return Err(Why::Unknown);
        };
        let mut table = Vec::new();
        for register in 0..usize::from(registers) {
            table.extend(machine.vector((usize::from(first) + register) % 32, VECTOR));
        }
        let (index, old) = (vector(machine, operands[2])?.0, vector(machine, operands[0])?.0);
        let chosen = index.iter().zip(&old).map(|(index, old)| {
            let beyond = if one.opcode == TBX { old } else { &Byte::ZERO };
            entry(machine.graph, &table, index, beyond)
        });
        return chosen.collect::<Result<_, Why>>().map(Some);
    }
    if !matches!(one.opcode, EXT | ZIP1 | ZIP2 | UZP1 | UZP2 | TRN1 | TRN2) {
        return Ok(None);
    }
    let (a, b) = (vector(machine, operands[1])?.0, vector(machine, operands[2])?.0);
    if one.opcode == EXT {
        let both = [a, b].concat();
        return Ok(Some(both[immediate(operands[3])?..][..count].to_vec()));
    }
    let elements = count / element;
    let part = |from: &[Byte], number: usize| from[number * element..][..element].to_vec();
    // Of each element of the result: from which operand, and which one.
    let from = |place: usize| match one.opcode {
        ZIP1 => (place % 2, place / 2),
        ZIP2 => (place % 2, elements / 2 + place / 2),
        UZP1 => (usize::from(place >= elements / 2), 2 * place % elements),
        UZP2 => (usize::from(place >= elements / 2), 2 * place % elements + 1),
        TRN1 => (place % 2, place / 2 * 2),
        _ => (place % 2, place / 2 * 2 + 1),
    };
    let result = (0..elements).flat_map(|place| match from(place) {
        (0, number) => part(&a, number),
        (_, number) => part(&b, number),
    });
    Ok(Some(result.collect()))
}
