//! Operands of instructions.

use crate::object::Why;
use crate::object::machine::{Machine, Word};
use crate::object::value::{self, Byte, Lane, Move};
use yaxpeax_arm::armv8::a64::{Operand, SIMDSizeCode, ShiftStyle, SizeCode};

/// The number of the zero register, and of the stack pointer where an operand can be one.
const LAST: u16 = 31;

/// The stack pointer.
pub(super) const STACK_POINTER: u16 = LAST;

/// Bytes of a vector register.
pub(super) const VECTOR: usize = 16;

/// Bytes of a general-purpose register.
pub(super) fn bytes(size: SizeCode) -> usize {
    if size == SizeCode::W { 4 } else { 8 }
}

/// Bytes of a vector register, of a part of it, or of an element.
pub(super) fn width(size: SIMDSizeCode) -> usize {
    match size {
        SIMDSizeCode::B => 1,
        SIMDSizeCode::H => 2,
        SIMDSizeCode::S => 4,
        SIMDSizeCode::D => 8,
        SIMDSizeCode::Q => 16,
    }
}

/// Bytes of the general-purpose register that an operand is, if it is one.
pub(super) fn size(operand: Operand) -> Option<usize> {
    match operand {
        Operand::Register(size, _) | Operand::RegisterOrSP(size, _) => Some(bytes(size)),
        _ => None,
    }
}

/// The value of an operand, of so many bytes if it is an immediate.
pub(super) fn read(machine: &mut Machine<'_>, operand: Operand, count: usize) -> Result<Word, Why> {
    match operand {
        Operand::Register(_, LAST) => Ok(Word::Bits(value::constant(count, 0))),
        Operand::Register(size, number) | Operand::RegisterOrSP(size, number) => {
            match machine.general(usize::from(number)) {
                Word::Bits(all) => Ok(Word::Bits(all[..bytes(size)].to_vec())),
                whole if size == SizeCode::X => Ok(whole),
                Word::Address(address) | Word::Low(address) => Ok(Word::Low(address)),
                Word::Number(number) => Ok(Word::Bits(machine.bits_of(number)[..bytes(size)].to_vec())),
                _ => Err(Why::Address),
            }
        }
        Operand::Immediate(number) => Ok(Word::Bits(value::constant(count, u64::from(number)))),
        Operand::Imm64(number) => Ok(Word::Bits(value::constant(count, number))),
        Operand::ImmShift(number, by) => Ok(Word::Bits(value::constant(count, u64::from(number) << by))),
        Operand::RegShift(style, by, size, number) => {
            let word = read(machine, Operand::Register(size, number), bytes(size))?;
            let by = usize::from(by);
            if (style, by) == (ShiftStyle::LSL, 0) && bytes(size) == count {
                return Ok(word);
            }
            let bits = match word {
                Word::Bits(bits) => bits,
                Word::Number(number) if (style, count) == (ShiftStyle::LSL, 8) => {
                    return machine.shifted_left(number, by as u32);
                }
                Word::Number(number) => machine.bits_of(number),
                Word::Address(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_) => {
                    return Err(Why::Address);
                }
            };
            extended(&bits, style, by, count).map(Word::Bits)
        }
        _ => Err(Why::Operand("an operand of another kind")),
    }
}

/// A register that is shifted, or taken in part and then extended and shifted, to so many bytes.
pub(super) fn extended(bits: &[Byte], style: ShiftStyle, by: usize, count: usize) -> Result<Vec<Byte>, Why> {
    let (part, is_signed) = match style {
        ShiftStyle::UXTB => (1, false),
        ShiftStyle::UXTH => (2, false),
        ShiftStyle::UXTW => (4, false),
        ShiftStyle::SXTB => (1, true),
        ShiftStyle::SXTH => (2, true),
        ShiftStyle::SXTW => (4, true),
        _ => (bits.len(), false),
    };
    let bits = extend(&bits[..part], is_signed, count)?;
    let way = match style {
        ShiftStyle::LSR => Move::Right,
        ShiftStyle::ASR => Move::RightSigned,
        ShiftStyle::ROR => return value::shifted(&bits, count, (8 * count - by) % (8 * count), Move::Around),
        _ => Move::Left,
    };
    value::shifted(&bits, count, by, way)
}

/// A number in more bytes.
pub(super) fn extend(bits: &[Byte], is_signed: bool, count: usize) -> Result<Vec<Byte>, Why> {
    let mut all = bits.to_vec();
    let above = match bits.last() {
        // The copies of the sign are in other places than the sign, so that they would be of other instances.
        Some(top) if is_signed && bits.len() < count => {
            Byte { bits: [top.bits[7]; 8], lane: top.lane.mixed(Lane::All)? }
        }
        _ => Byte::ZERO,
    };
    all.resize(count, above);
    Ok(all)
}

/// The same, which has to be bits.
pub(super) fn bits(machine: &mut Machine<'_>, operand: Operand, count: usize) -> Result<Vec<Byte>, Why> {
    match read(machine, operand, count)? {
        Word::Bits(bits) => Ok(bits),
        Word::Number(number) => Ok(machine.bits_of(number)),
        Word::Address(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_) => Err(Why::Address),
    }
}

/// Writes a general-purpose register. Four bytes clear those above.
pub(super) fn write(machine: &mut Machine<'_>, operand: Operand, word: Word) -> Result<(), Why> {
    let number = match operand {
        Operand::Register(_, LAST) => return Ok(()),
        Operand::Register(_, number) | Operand::RegisterOrSP(_, number) => number,
        _ => return Err(Why::Operand("an operand that cannot be written")),
    };
    let word = match word {
        Word::Bits(mut bits) => {
            bits.resize(8, Byte::ZERO);
            Word::Bits(bits)
        }
        whole => whole,
    };
    machine.set_general(usize::from(number), word);
    Ok(())
}

/// An operand on vector registers: its bytes, and those of an element.
pub(super) fn vector(machine: &mut Machine<'_>, operand: Operand) -> Result<(Vec<Byte>, usize), Why> {
    match operand {
        Operand::SIMDRegister(size, number) => {
            Ok((machine.vector(usize::from(number), width(size)), width(size)))
        }
        Operand::SIMDRegisterElements(size, number, element) => {
            Ok((machine.vector(usize::from(number), width(size)), width(element)))
        }
        Operand::SIMDRegisterElementsLane(_, number, element, lane) => {
            let (all, size) = (machine.vector(usize::from(number), VECTOR), width(element));
            Ok((all[size * usize::from(lane)..][..size].to_vec(), size))
        }
        _ => Err(Why::Operand("an operand of another kind")),
    }
}

/// Bytes of a vector operand, and of its elements.
pub(super) fn shape(operand: Operand) -> Option<(usize, usize)> {
    match operand {
        Operand::SIMDRegister(size, _) => Some((width(size), width(size))),
        Operand::SIMDRegisterElements(size, _, element) => Some((width(size), width(element))),
        _ => None,
    }
}

/// Writes a vector register, whose other bytes become zero, or an element, which leaves them.
pub(super) fn set_vector(machine: &mut Machine<'_>, operand: Operand, bytes: &[Byte]) -> Result<(), Why> {
    match operand {
        Operand::SIMDRegister(_, number) | Operand::SIMDRegisterElements(_, number, _) => {
            machine.set_vector(usize::from(number), bytes, false);
            Ok(())
        }
        Operand::SIMDRegisterElementsLane(_, number, element, lane) => {
            let mut all = machine.vector(usize::from(number), VECTOR);
            let size = width(element);
            all[size * usize::from(lane)..][..size].copy_from_slice(&bytes[..size]);
            machine.set_vector(usize::from(number), &all, false);
            Ok(())
        }
        _ => Err(Why::Operand("an operand that cannot be written")),
    }
}

/// The number that an operand is.
pub(super) fn immediate(operand: Operand) -> Result<usize, Why> {
    match operand {
        Operand::Immediate(number) => Ok(number as usize),
        Operand::Imm16(number) => Ok(usize::from(number)),
        Operand::Imm64(number) => Ok(number as usize),
        _ => Err(Why::Operand("an operand that is no immediate")),
    }
}
