//! Instructions on general-purpose registers, and all that jump.

use super::operand::{bits, extend, immediate, read, size, write};
use super::{One, SIZE, in_page, page};
use crate::graph::{Edge, Graph, words};
use crate::object::Why;
use crate::object::file::{Fill, Target};
use crate::object::flags::Flags;
use crate::object::machine::{Flow, Machine, Word};
use crate::object::scalar::low_sum;
use crate::object::value::{self, Byte, Lane, Move, bitwise};
use iced_x86::ConditionCode;
use std::cmp::Ordering;
use yaxpeax_arm::armv8::a64::{Instruction, Opcode, Operand, SizeCode};

/// Runs what jumps; `None` if it does not.
pub(super) fn jump(machine: &mut Machine<'_>, one: &One) -> Result<Option<Flow>, Why> {
    use Opcode::*;
    let operands = one.instruction.operands;
    let target = |operand: Operand| match (one.target(Fill::Branch), operand) {
        (Some(target), _) => Ok(target.clone()),
        (None, Operand::PCOffset(distance)) if one.relocation.is_none() => {
            Ok(Target::Place { section: one.section, offset: one.at(distance) as i64 })
        }
        _ => Err(Why::Operand("what the linker fills in")),
    };
    let (taken, to) = match one.instruction.opcode {
        B => return Ok(Some(Flow::Leave(target(operands[0])?))),
        BL => return Ok(Some(Flow::Call(target(operands[0])?, one.place + SIZE))),
        RET if matches!(operands[0], Operand::Register(_, 30)) => return Ok(Some(Flow::Return)),
        BR | BLR => return Err(Why::External("an address in a register".to_owned())),
        Bcc(code) => (condition(machine, code)?.0, operands[0]),
        CBZ | CBNZ => {
            let is_zero = match read(machine, operands[0], 8)? {
                Word::Bits(all) => {
                    let bits = all.iter().flat_map(|byte| byte.bits);
                    !bits.fold(Edge::FALSE, |any, bit| machine.graph.or(any, bit))
                }
                // The address of a region is not null.
                Word::Address(_) => Edge::FALSE,
                Word::Number(number) => machine.tested(number).condition(machine.graph, ConditionCode::e)?.0,
                Word::Distance(..) | Word::Multiple(..) | Word::Low(_) => return Err(Why::Address),
            };
            (is_zero.complemented_if(one.instruction.opcode == CBNZ), operands[1])
        }
        TBZ | TBNZ => {
            let place = immediate(operands[1])?;
            let bit = bits(machine, operands[0], 8)?[place / 8].bits[place % 8];
            (bit.complemented_if(one.instruction.opcode == TBZ), operands[2])
        }
        _ => return Ok(None),
    };
    if !taken.known().ok_or(Why::SecretBranch)? {
        return Ok(Some(Flow::Next));
    }
    Ok(Some(Flow::Leave(target(to)?)))
}

/// Runs what makes an address of what the linker fills in, or of where it is; whether it does.
pub(super) fn address(machine: &mut Machine<'_>, one: &One) -> Result<bool, Why> {
    let operands = one.instruction.operands;
    let address = match one.instruction.opcode {
        Opcode::ADRP => {
            let target = one.target(Fill::Page).ok_or(Why::Operand("a page without a symbol"))?.clone();
            page(machine, &target)?
        }
        Opcode::ADR => {
            let (section, offset) = match (one.target(Fill::Near), operands[1]) {
                (Some(Target::Place { section, offset }), _) => (*section, *offset),
                (None, Operand::PCOffset(distance)) if one.relocation.is_none() => {
                    (one.section, one.at(distance) as i64)
                }
                _ => return Err(Why::Operand("what the linker fills in")),
            };
            machine.memory.section(section, offset).ok_or(Why::Operand("a section that is not loaded"))?
        }
        Opcode::ADD if one.relocation.is_some() => {
            let target = one.target_in_page().ok_or(Why::Operand("what the linker fills in"))?.clone();
            match (read(machine, operands[1], 8)?, operands[2]) {
                (Word::Address(base), Operand::Immediate(0)) => in_page(machine, base, &target)?,
                _ => return Err(Why::Address),
            }
        }
        _ => return Ok(false),
    };
    write(machine, operands[0], Word::Address(address))?;
    Ok(true)
}

/// A condition, by its number: those of x86 that say the same, carries and borrows apart.
fn condition(machine: &mut Machine<'_>, code: u8) -> Result<(Edge, Lane), Why> {
    use ConditionCode as Is;
    let flags = machine.flags.clone();
    if let Flags::Given([overflow, carry, zero, sign], lane) = flags {
        let graph = &mut *machine.graph;
        let is_less = graph.xor(sign, overflow);
        let holds = match code >> 1 {
            0 => zero,
            1 => carry,
            2 => sign,
            3 => overflow,
            4 => graph.and(carry, !zero),
            5 => !is_less,
            6 => graph.and(!is_less, !zero),
            _ => return Ok((Edge::TRUE, Lane::All)),
        };
        return Ok((holds.complemented_if(code & 1 == 1), lane));
    }
    if let (4, Flags::Sum { borrows: false, .. }) = (code >> 1, &flags) {
        let (carry, lane) = flags.carry(machine.graph)?;
        let (zero, of) = flags.condition(machine.graph, Is::e)?;
        let higher = machine.graph.and(carry, !zero);
        return Ok((higher.complemented_if(code & 1 == 1), lane.mixed(of)?));
    }
    // The carry flag of a difference says that nothing was borrowed.
    let borrows = matches!(flags, Flags::Places(_) | Flags::Numbers(_) | Flags::Sum { borrows: true, .. });
    let is = match code >> 1 {
        0 => Is::e,
        1 if borrows => Is::ae,
        1 => Is::b,
        2 => Is::s,
        3 => Is::o,
        4 if borrows => Is::a,
        4 => return Err(Why::Operand("a condition on the carry of a sum")),
        5 => Is::ge,
        6 => Is::g,
        _ => return Ok((Edge::TRUE, Lane::All)),
    };
    let (edge, lane) = flags.condition(machine.graph, is)?;
    Ok((edge.complemented_if(code & 1 == 1), lane))
}

/// Overflow, carry, zero and sign.
fn all_flags(machine: &mut Machine<'_>) -> Result<([Edge; 4], Lane), Why> {
    let (mut all, mut lane) = ([Edge::FALSE; 4], Lane::All);
    for (flag, code) in all.iter_mut().zip([6, 2, 0, 4]) {
        let of;
        (*flag, of) = condition(machine, code)?;
        lane = lane.mixed(of)?;
    }
    Ok((all, lane))
}

/// The carry flag.
fn carry(machine: &mut Machine<'_>) -> Result<(Edge, Lane), Why> {
    condition(machine, 2)
}

/// Runs an instruction; whether it is one of these.
pub(super) fn step(machine: &mut Machine<'_>, one: &Instruction) -> Result<bool, Why> {
    use Opcode::*;
    let operands = one.operands;
    // `nop`, and what says that jumps may lead here; others change registers.
    if one.opcode == HINT {
        return Ok(matches!(
            operands[..2],
            [Operand::ControlReg(0), Operand::Immediate(0)] | [Operand::ControlReg(4), _]
        ));
    }
    let Some(count) = size(operands[0]) else { return Ok(false) };
    match one.opcode {
        CCMP | CCMN => {
            let Operand::ConditionCode(code) = operands[3] else { return Err(Why::Unknown) };
            let (holds, of) = condition(machine, code)?;
            let given = immediate(operands[2])?;
            let given = [0, 1, 2, 3].map(|place| Edge::constant(given >> place & 1 == 1));
            if holds == Edge::FALSE {
                machine.flags = Flags::Given(given, Lane::All);
            } else {
                let zero = Operand::Register(if count == 8 { SizeCode::X } else { SizeCode::W }, 31);
                let opcode = if one.opcode == CCMP { SUBS } else { ADDS };
                let operands = [zero, operands[0], operands[1], Operand::Nothing];
                sum(machine, &Instruction { opcode, operands }, count)?;
                if holds != Edge::TRUE {
                    let (found, lane) = all_flags(machine)?;
                    let chosen =
                        std::array::from_fn(|place| machine.graph.select(holds, found[place], given[place]));
                    machine.flags = Flags::Given(chosen, lane.mixed(of)?);
                }
            }
        }
        ADD | ADDS | SUB | SUBS | ADC | ADCS | SBC | SBCS => sum(machine, one, count)?,
        AND | ANDS | ORR | ORN | EOR | EON | BIC | BICS => logic(machine, one, count)?,
        MOVZ | MOVN | MOVK => {
            let Operand::ImmShift(number, by) = operands[1] else { return Err(Why::Unknown) };
            let mut word = value::constant(count, u64::from(number) << by);
            if one.opcode == MOVN {
                word = value::complement(&word);
            }
            if one.opcode == MOVK {
                let place = usize::from(by / 8);
                let mut all = bits(machine, operands[0], count)?;
                all[place..place + 2].copy_from_slice(&word[place..place + 2]);
                word = all;
            }
            write(machine, operands[0], Word::Bits(word))?;
        }
        UBFM | SBFM | BFM => field(machine, one, count)?,
        EXTR => {
            let (high, low) = (bits(machine, operands[1], count)?, bits(machine, operands[2], count)?);
            let by = immediate(operands[3])?;
            let result = match high == low {
                true => value::shifted(&high, count, (8 * count - by) % (8 * count), Move::Around)?,
                false => value::double_shifted(machine.graph, &high, &low, count, 8 * count - by)?,
            };
            write(machine, operands[0], Word::Bits(result))?;
        }
        LSLV | LSRV | ASRV | RORV => {
            let (word, by) = (bits(machine, operands[1], count)?, bits(machine, operands[2], count)?);
            let by = value::known(&by).ok_or(Why::Operand("a shift by a number that is not known"))?;
            let (by, all) = (by as usize % (8 * count), 8 * count);
            let (by, way) = match one.opcode {
                LSLV => (by, Move::Left),
                LSRV => (by, Move::Right),
                ASRV => (by, Move::RightSigned),
                _ => ((all - by) % all, Move::Around),
            };
            let result = value::shifted(&word, count, by, way)?;
            write(machine, operands[0], Word::Bits(result))?;
        }
        MADD | MSUB | UMADDL | SMADDL | UMULH => product(machine, one, count)?,
        REV | REV16 | REV32 | RBIT => {
            let word = bits(machine, operands[1], count)?;
            let part = match one.opcode {
                REV16 => 2,
                REV32 => 4,
                _ => count,
            };
            let result = match one.opcode == RBIT {
                true => {
                    let (mut bits, lane) = value::word(&word)?;
                    bits.reverse();
                    value::bytes(&bits, lane)
                }
                false => word.chunks(part).flat_map(|part| part.iter().rev().copied()).collect(),
            };
            write(machine, operands[0], Word::Bits(result))?;
        }
        CLZ => {
            let word = bits(machine, operands[1], count)?;
            let known = value::known(&word).ok_or(Why::Operand("zeros of a word that is not known"))?;
            let zeros = u64::from(known.leading_zeros()) - (64 - 8 * count as u64);
            write(machine, operands[0], Word::Bits(value::constant(count, zeros)))?;
        }
        CSEL | CSINC | CSINV | CSNEG => select(machine, one, count)?,
        UDIV | SDIV => return Err(Why::VariableTime),
        _ => return Ok(false),
    }
    Ok(true)
}

/// Whether an operand is the zero register.
fn is_zero(operand: Operand) -> bool {
    matches!(operand, Operand::Register(_, 31))
}

/// Sums and differences; those of addresses too.
fn sum(machine: &mut Machine<'_>, one: &Instruction, count: usize) -> Result<(), Why> {
    use Opcode::*;
    let [to, first, second, _] = one.operands;
    let borrows = matches!(one.opcode, SUB | SUBS | SBC | SBCS);
    let sets = matches!(one.opcode, ADDS | SUBS | ADCS | SBCS);
    let (first, second) = (read(machine, first, count)?, read_wide(machine, second, count)?);
    let (a, b) = match (first, second) {
        (Word::Bits(a), Word::Bits(b)) => (a, b),
        (first, second)
            if count == 4
                && matches!(one.opcode, ADD | SUB | SUBS)
                && (matches!(first, Word::Low(_)) || matches!(second, Word::Low(_))) =>
        {
            let (word, flags) = low_sum(&first, &second, borrows)?;
            if sets {
                machine.flags = flags;
            }
            return write(machine, to, word);
        }
        (first, second) if count == 8 && matches!(one.opcode, ADD | ADDS | SUB | SUBS) => {
            if let Some((word, flags)) = machine.sum_of_numbers(&first, &second, borrows)? {
                if sets {
                    machine.flags = flags;
                }
                return write(machine, to, word);
            }
            let (word, order) = of_addresses(machine, &first, &second, borrows, is_zero(to))?;
            if sets {
                machine.flags = order.map_or(Flags::Unknown, Flags::Places);
            }
            return word.map_or(Ok(()), |word| write(machine, to, word));
        }
        _ => return Err(Why::Address),
    };
    let words = value::word(&a).and_then(|(a, p)| value::word(&b).and_then(|(b, q)| Ok((a, b, p.mixed(q)?))));
    let (a, b, mut lane) = match words {
        Ok(words) => words,
        // Bits of several instances are not added, but may be put beside each other.
        Err(why) => {
            let sum = if one.opcode == ADD { value::beside(machine.graph, &a, &b)? } else { None };
            return write(machine, to, Word::Bits(sum.ok_or(why)?));
        }
    };
    let mut went_in = Edge::constant(borrows);
    if matches!(one.opcode, ADC | ADCS | SBC | SBCS) {
        let (flag, of) = carry(machine)?;
        (went_in, lane) = (flag, lane.mixed(of)?);
    }
    let b = if borrows { words::not(&b) } else { b };
    let (result, _) = words::add(machine.graph, &a, &b, went_in);
    if sets {
        machine.flags = Flags::Sum { a, b, carry: went_in, borrows, kept: None, lane };
    }
    write(machine, to, Word::Bits(value::bytes(&result, lane)))
}

/// An operand that may be a register of four bytes, which counts with zeros above.
fn read_wide(machine: &mut Machine<'_>, operand: Operand, count: usize) -> Result<Word, Why> {
    match read(machine, operand, count)? {
        Word::Bits(bits) if bits.len() < count => extend(&bits, false, count).map(Word::Bits),
        word => Ok(word),
    }
}

/// What a sum of which an address is a part gives, unless nothing is kept of it, and how the two compare, if they do.
fn of_addresses(
    machine: &mut Machine<'_>,
    first: &Word,
    second: &Word,
    borrows: bool,
    compares: bool,
) -> Result<(Option<Word>, Option<Ordering>), Why> {
    match (first, second) {
        (Word::Address(a), Word::Address(b)) if borrows && a.region == b.region => {
            let distance = a.offset.wrapping_sub(b.offset) as u64;
            Ok((Some(Word::Bits(value::constant(8, distance))), Some(a.offset.cmp(&b.offset))))
        }
        (Word::Address(a), Word::Address(b)) if borrows && compares => Ok((None, machine.ordered(*a, *b))),
        (Word::Address(a), Word::Address(b)) if borrows => Ok((Some(Word::Distance(*a, *b)), None)),
        (Word::Distance(a, b), Word::Bits(number)) if borrows && compares => {
            let number = value::known(number).ok_or(Why::SecretAddress)?;
            Ok((None, Some(machine.is_far(*a, *b, number).ok_or(Why::Address)?)))
        }
        (Word::Address(place), Word::Bits(number)) => {
            let number = value::known(number).ok_or(Why::SecretAddress)? as i64;
            if compares {
                // The address of a region is not null.
                return if number == 0 { Ok((None, Some(Ordering::Greater))) } else { Err(Why::Address) };
            }
            let number = if borrows { number.wrapping_neg() } else { number };
            Ok((Some(Word::Address(place.moved(number))), None))
        }
        (Word::Bits(number), Word::Address(place)) if !borrows => {
            let number = value::known(number).ok_or(Why::SecretAddress)? as i64;
            Ok((Some(Word::Address(place.moved(number))), None))
        }
        _ => Err(Why::Address),
    }
}

fn logic(machine: &mut Machine<'_>, one: &Instruction, count: usize) -> Result<(), Why> {
    use Opcode::*;
    let [to, first, second, _] = one.operands;
    let (first, second) = (
        if is_zero(first) { None } else { Some(read(machine, first, count)?) },
        read(machine, second, count)?,
    );
    let sets = matches!(one.opcode, ANDS | BICS);
    let (a, b) = match (first, second) {
        // A move.
        (None, word) if one.opcode == ORR => return write(machine, to, word),
        (Some(Word::Address(address)), Word::Bits(mask))
            if one.opcode == AND && value::known(&mask).is_some_and(|mask| mask > u64::from(u8::MAX)) =>
        {
            let mask = value::known(&mask).ok_or(Why::Address)?;
            let aligned = machine.aligned(address, mask).ok_or(Why::Address)?;
            return write(machine, to, Word::Address(aligned));
        }
        // Bits that an address does not have are added.
        (Some(Word::Address(address)), Word::Bits(bits)) if one.opcode == ORR => {
            let bits = value::known(&bits).ok_or(Why::Address)?;
            return match machine.lowest(address, bits) {
                Some(0) => write(machine, to, Word::Address(address.moved(bits as i64))),
                _ => Err(Why::Address),
            };
        }
        (Some(Word::Low(address) | Word::Address(address)), Word::Bits(mask))
            if matches!(one.opcode, AND | ANDS)
                && value::known(&mask).is_some_and(|mask| mask < u64::from(u8::MAX)) =>
        {
            let kept = machine.lowest(address, value::known(&mask).unwrap_or(0)).ok_or(Why::Address)?;
            (value::constant(count, kept), mask)
        }
        (Some(Word::Number(number)), Word::Bits(mask)) => {
            let kept = value::known(&mask).filter(|_| matches!(one.opcode, AND | ANDS));
            match kept.and_then(|mask| machine.masked(number, mask)) {
                Some(Word::Number(kept)) => {
                    if sets {
                        // The carry flag is not that of a difference from zero.
                        machine.flags = machine.signed(kept);
                    }
                    return write(machine, to, Word::Number(kept));
                }
                Some(Word::Bits(known)) => (known, mask),
                _ => (machine.bits_of(number), mask),
            }
        }
        (Some(Word::Bits(a)), Word::Bits(b)) => (a, b),
        (None, Word::Bits(b)) => (value::constant(count, 0), b),
        _ => return Err(Why::Address),
    };
    let gate = match one.opcode {
        AND | ANDS => Graph::and,
        ORR => Graph::or,
        EOR => Graph::xor,
        ORN => |graph: &mut Graph, a: Edge, b: Edge| graph.or(a, !b),
        EON => |graph: &mut Graph, a: Edge, b: Edge| graph.xor(a, !b),
        _ => |graph: &mut Graph, a: Edge, b: Edge| graph.and(a, !b),
    };
    let result = bitwise(machine.graph, &a, &b, gate)?;
    if sets {
        machine.flags = match value::word(&result) {
            Ok((bits, lane)) => Flags::Result(bits, lane),
            Err(_) => Flags::Mixed,
        };
    }
    write(machine, to, Word::Bits(result))
}

/// `ubfm`, `sbfm` and `bfm`: a field moves to the right and has something above it, or to the left and has zeros below.
fn field(machine: &mut Machine<'_>, one: &Instruction, count: usize) -> Result<(), Why> {
    let to = one.operands[0];
    let (right, last) = (immediate(one.operands[2])?, immediate(one.operands[3])?);
    let all = 8 * count;
    if let (Word::Number(number), Opcode::UBFM) = (read(machine, one.operands[1], count)?, one.opcode) {
        let whole = match (right, last) {
            (right, 63) => machine.shifted_right(number, right as u32),
            (right, last) if last + 1 == right => machine.shifted_left(number, 64 - right as u32).ok(),
            (0, last) => machine.masked(number, (1 << (last + 1)) - 1),
            _ => None,
        };
        if let Some(word) = whole {
            return write(machine, to, word);
        }
    }
    let word = bits(machine, one.operands[1], count)?;
    // Bits of the field, and where it begins afterwards.
    let (wide, at) = if last >= right { (last + 1 - right, 0) } else { (last + 1, all - right) };
    // To the top, and from there to its place: what is above it comes with the second step.
    let way = if one.opcode == Opcode::SBFM { Move::RightSigned } else { Move::Right };
    let top = value::shifted(&word, count, all - 1 - last, Move::Left)?;
    let moved = value::shifted(&top, count, all - wide, way)?;
    let mut result = value::shifted(&moved, count, at, Move::Left)?;
    if one.opcode == Opcode::BFM {
        let ones = if wide == 64 { u64::MAX } else { ((1u64 << wide) - 1) << at };
        let old = bits(machine, to, count)?;
        let kept = bitwise(machine.graph, &old, &value::constant(count, !ones), Graph::and)?;
        result = bitwise(machine.graph, &kept, &result, Graph::or)?;
    }
    write(machine, to, Word::Bits(result))
}

fn product(machine: &mut Machine<'_>, one: &Instruction, count: usize) -> Result<(), Why> {
    use Opcode::*;
    let [to, first, second, third] = one.operands;
    let narrow = size(first).ok_or(Why::Unknown)?;
    if one.opcode == MADD
        && let (first, second) = (read(machine, first, narrow)?, read(machine, second, narrow)?)
        && let (Word::Number(_), by @ Word::Bits(_)) | (by @ Word::Bits(_), Word::Number(_)) =
            (&first, &second)
        && let Word::Bits(by) = by
        && let Some(by) = value::known(by)
    {
        let number = if matches!(first, Word::Number(_)) { &first } else { &second };
        let word = match read(machine, third, count)? {
            Word::Address(base) => Word::Address(machine.moved(base, number, by as i64)?),
            sum => machine.plus(&sum, number, by as i64)?,
        };
        return write(machine, to, word);
    }
    let (a, b) = (bits(machine, first, narrow)?, bits(machine, second, narrow)?);
    if one.opcode == UMULH {
        let known = |bits: &[Byte]| value::known(bits).ok_or(Why::Operand("the higher half of a product"));
        let product = u128::from(known(&a)?) * u128::from(known(&b)?);
        return write(machine, to, Word::Bits(value::constant(8, (product >> 64) as u64)));
    }
    let is_signed = one.opcode == SMADDL;
    let (a, b) = (extend(&a, is_signed, count)?, extend(&b, is_signed, count)?);
    let c = bits(machine, third, count)?;
    let ((a, p), (b, q), (c, r)) = (value::word(&a)?, value::word(&b)?, value::word(&c)?);
    let lane = p.mixed(q)?.mixed(r)?;
    let product = words::multiply(machine.graph, &a, &b);
    let result = match one.opcode {
        MSUB => words::subtract(machine.graph, &c, &product).0,
        _ => words::add(machine.graph, &product, &c, Edge::FALSE).0,
    };
    write(machine, to, Word::Bits(value::bytes(&result, lane)))
}

/// `csel`, and those that take the second operand incremented, complemented or negated.
fn select(machine: &mut Machine<'_>, one: &Instruction, count: usize) -> Result<(), Why> {
    let [to, first, second, Operand::ConditionCode(code)] = one.operands else { return Err(Why::Unknown) };
    let (edge, lane) = condition(machine, code)?;
    if one.opcode == Opcode::CSEL
        && let Some(chosen) = edge.known()
    {
        let word = read(machine, if chosen { first } else { second }, count)?;
        return write(machine, to, word);
    }
    let (yes, no) = (bits(machine, first, count)?, bits(machine, second, count)?);
    let ((yes, p), (no, q)) = (value::word(&yes)?, value::word(&no)?);
    let lane = lane.mixed(p)?.mixed(q)?;
    let zero = words::constant(no.len(), 0);
    let no = match one.opcode {
        Opcode::CSINC => words::add(machine.graph, &no, &zero, Edge::TRUE).0,
        Opcode::CSINV => words::not(&no),
        Opcode::CSNEG => words::add(machine.graph, &words::not(&no), &zero, Edge::TRUE).0,
        _ => no,
    };
    let chosen: Vec<Edge> =
        yes.iter().zip(&no).map(|(&yes, &no)| machine.graph.select(edge, yes, no)).collect();
    write(machine, to, Word::Bits(value::bytes(&chosen, lane)))
}
