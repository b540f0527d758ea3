//! Loads and stores.

use super::operand::{self, STACK_POINTER, VECTOR, extend, extended, width};
use super::{One, in_page};
use crate::object::Why;
use crate::object::file::{Fill, Target};
use crate::object::machine::{Machine, Word};
use crate::object::memory::{Address, Cell};
use crate::object::value;
use yaxpeax_arm::armv8::a64::{Opcode, Operand, SIMDSizeCode, ShiftStyle};

/// Bytes in memory of an access to one register, if they are not those of the register, and whether they are a number with a sign.
fn part(opcode: Opcode) -> Option<(Option<usize>, bool)> {
    use Opcode::*;
    Some(match opcode {
        LDR | LDUR | STR | STUR => (None, false),
        LDRB | LDURB | STRB | STURB => (Some(1), false),
        LDRH | LDURH | STRH | STURH => (Some(2), false),
        LDRSB | LDURSB => (Some(1), true),
        LDRSH | LDURSH => (Some(2), true),
        LDRSW | LDURSW => (Some(4), true),
        _ => return None,
    })
}

/// Runs an instruction; whether it is one of these.
pub(super) fn step(machine: &mut Machine<'_>, one: &One) -> Result<bool, Why> {
    use Opcode::*;
    let (opcode, operands) = (one.instruction.opcode, one.instruction.operands);
    if let Some((size, is_signed)) = part(opcode) {
        let at = place(machine, one, operands[1])?;
        let is_store = matches!(opcode, STR | STUR | STRB | STURB | STRH | STURH);
        match is_store {
            true => store(machine, operands[0], at.address, size)?,
            false => load(machine, operands[0], at.address, size, is_signed)?,
        }
        at.written(machine);
        return Ok(true);
    }
    match opcode {
        LDP | LDPSW | LDNP | STP | STNP => {
            let at = place(machine, one, operands[2])?;
            let (size, is_signed) = if opcode == LDPSW { (Some(4), true) } else { (None, false) };
            let step = size.or(register(operands[0])).ok_or(Why::Unknown)?;
            for (number, operand) in operands[..2].iter().enumerate() {
                let address = at.address.moved((number * step) as i64);
                match opcode {
                    STP | STNP => store(machine, *operand, address, size)?,
                    _ => load(machine, *operand, address, size, is_signed)?,
                }
            }
            at.written(machine);
        }
        LD1 | ST1 | LD1R | LD2 | LD3 | LD4 | ST2 | ST3 | ST4 => {
            let at = place(machine, one, operands[1])?;
            structures(machine, opcode, operands[0], at.address)?;
            at.written(machine);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Bytes of a register.
fn register(operand: Operand) -> Option<usize> {
    operand::size(operand).or(operand::shape(operand).map(|(bytes, _)| bytes))
}

fn load(
    machine: &mut Machine<'_>,
    to: Operand,
    address: Address,
    size: Option<usize>,
    is_signed: bool,
) -> Result<(), Why> {
    let whole = register(to).ok_or(Why::Operand("a register of another kind"))?;
    if operand::size(to).is_none() {
        let cells = machine.memory.read(machine.graph, address, whole)?;
        let bytes = machine.bits(&cells)?;
        return operand::set_vector(machine, to, &bytes);
    }
    let word = match machine.load(address, size.unwrap_or(whole))? {
        Word::Bits(bits) => Word::Bits(extend(&bits, is_signed, whole)?),
        whole => whole,
    };
    operand::write(machine, to, word)
}

fn store(machine: &mut Machine<'_>, from: Operand, address: Address, size: Option<usize>) -> Result<(), Why> {
    let whole = register(from).ok_or(Why::Operand("a register of another kind"))?;
    if operand::size(from).is_none() {
        let cells: Vec<Cell> = operand::vector(machine, from)?.0.into_iter().map(Cell::Bits).collect();
        return machine.memory.write(address, &cells);
    }
    let word = match (operand::read(machine, from, whole)?, size) {
        (Word::Bits(bits), Some(size)) => Word::Bits(bits[..size].to_vec()),
        (Word::Bits(bits), None) => Word::Bits(bits),
        (Word::Number(number), Some(size)) => Word::Bits(machine.bits_of(number)[..size].to_vec()),
        (whole, None) => whole,
        _ => return Err(Why::Address),
    };
    machine.store(address, &word)
}

/// `ld1`, `st1` and `ld1r`: whole registers one after the other, an element, or an element for all of a register; `ld2` to `ld4` and
/// `st2` to `st4`: the elements of some registers, which take turns in memory.
fn structures(
    machine: &mut Machine<'_>,
    opcode: Opcode,
    group: Operand,
    address: Address,
) -> Result<(), Why> {
    if let Operand::SIMDRegisterGroupLane(number, element, 1, lane) = group {
        let element = Operand::SIMDRegisterElementsLane(SIMDSizeCode::Q, number, element, lane);
        let (bytes, size) = operand::vector(machine, element)?;
        if opcode == Opcode::ST1 {
            let cells: Vec<Cell> = bytes.into_iter().map(Cell::Bits).collect();
            return machine.memory.write(address, &cells);
        }
        let cells = machine.memory.read(machine.graph, address, size)?;
        let bytes = machine.bits(&cells)?;
        return operand::set_vector(machine, element, &bytes);
    }
    let Operand::SIMDRegisterGroup(size, first, element, count) = group else { return Err(Why::Unknown) };
    let (size, element) = (width(size), width(element));
    if !matches!(opcode, Opcode::LD1 | Opcode::ST1 | Opcode::LD1R) {
        let count = usize::from(count);
        let register = |number: usize| (usize::from(first) + number) % 32;
        if matches!(opcode, Opcode::ST2 | Opcode::ST3 | Opcode::ST4) {
            let all: Vec<_> = (0..count).map(|number| machine.vector(register(number), size)).collect();
            let turn = |place: usize| all.iter().flat_map(move |one| one[place..][..element].to_vec());
            let cells: Vec<Cell> = (0..size).step_by(element).flat_map(turn).map(Cell::Bits).collect();
            return machine.memory.write(address, &cells);
        }
        let cells = machine.memory.read(machine.graph, address, size * count)?;
        let bytes = machine.bits(&cells)?;
        for number in 0..count {
            let turns = bytes.chunks(element * count);
            let all: Vec<_> = turns.flat_map(|turn| turn[number * element..][..element].to_vec()).collect();
            machine.set_vector(register(number), &all, false);
        }
        return Ok(());
    }
    for number in 0..usize::from(count) {
        let register = (usize::from(first) + number) % 32;
        let address = address.moved((number * size) as i64);
        match opcode {
            Opcode::ST1 => {
                let all = machine.vector(register, VECTOR);
                let cells: Vec<Cell> = all[..size].iter().map(|&byte| Cell::Bits(byte)).collect();
                machine.memory.write(address, &cells)?;
            }
            Opcode::LD1R if count > 1 => return Err(Why::Unknown),
            _ => {
                let wanted = if opcode == Opcode::LD1R { element } else { size };
                let cells = machine.memory.read(machine.graph, address, wanted)?;
                let bytes = machine.bits(&cells)?.repeat(size / wanted);
                machine.set_vector(register, &bytes, false);
            }
        }
    }
    Ok(())
}

/// Where an access is, and what its base becomes.
struct Place {
    address: Address,
    base: Option<(usize, Address)>,
}

impl Place {
    fn written(self, machine: &mut Machine<'_>) {
        if let Some((register, address)) = self.base {
            machine.set_general(register, Word::Address(address));
        }
    }
}

fn place(machine: &mut Machine<'_>, one: &One, operand: Operand) -> Result<Place, Why> {
    let base = |machine: &mut Machine<'_>, number: u16| match machine.general(usize::from(number)) {
        // Where the stack pointer is the base it has to be a multiple of 16: as far from the top, which is one.
        Word::Address(address) if number == STACK_POINTER && address.offset.rem_euclid(16) != 0 => {
            Err(Why::Operand("a stack pointer that is not a multiple of 16"))
        }
        Word::Address(address) => Ok(address),
        Word::Number(_) => Err(Why::Turns),
        Word::Bits(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_) => Err(Why::SecretAddress),
    };
    if one.relocation.is_some() {
        // The place in a page, or near: the linker's number takes that of the instruction.
        let address = match (operand, one.target_in_page(), one.target(Fill::NearWords)) {
            (Operand::RegPreIndex(number, 0, false), Some(target), _) => {
                let page = base(machine, number)?;
                in_page(machine, page, target)?
            }
            (Operand::PCOffset(_), _, Some(Target::Place { section, offset })) => machine
                .memory
                .section(*section, *offset)
                .ok_or(Why::Operand("a section that is not loaded"))?,
            _ => return Err(Why::Operand("what the linker fills in")),
        };
        return Ok(Place { address, base: None });
    }
    Ok(match operand {
        Operand::RegPreIndex(number, offset, is_written) => {
            let address = base(machine, number)?.moved(i64::from(offset));
            Place { address, base: is_written.then_some((usize::from(number), address)) }
        }
        Operand::RegPostIndex(number, offset) => {
            let address = base(machine, number)?;
            Place { address, base: Some((usize::from(number), address.moved(i64::from(offset)))) }
        }
        Operand::RegPostIndexReg(number, index) => {
            let address = base(machine, number)?;
            let by = machine.general(usize::from(index));
            let moved = machine.moved(address, &by, 1)?;
            Place { address, base: Some((usize::from(number), moved)) }
        }
        Operand::RegRegOffset(number, index, size, style, by) => {
            let first = match machine.general(usize::from(number)) {
                Word::Address(_) => Word::Address(base(machine, number)?),
                other => other,
            };
            let second = operand::read(machine, Operand::Register(size, index), operand::bytes(size))?;
            let (address, index) = match (first, second) {
                (Word::Address(address), Word::Bits(index)) => (address, index),
                (Word::Bits(index), Word::Address(address)) if by == 0 => (address, index),
                (Word::Address(address), index @ Word::Number(_)) if style == ShiftStyle::LSL => {
                    let address = machine.moved(address, &index, 1 << by)?;
                    return Ok(Place { address, base: None });
                }
                (index @ Word::Number(_), Word::Address(address)) if by == 0 => {
                    return Ok(Place { address: machine.moved(address, &index, 1)?, base: None });
                }
                _ => return Err(Why::SecretAddress),
            };
            let index = extended(&index, style, usize::from(by), 8)?;
            let by = value::known(&index).ok_or(Why::SecretAddress)? as i64;
            Place { address: address.moved(by), base: None }
        }
        Operand::PCOffset(distance) => {
            let at = one.at(distance) as i64;
            let address = machine.memory.section(one.section, at);
            Place { address: address.ok_or(Why::SecretAddress)?, base: None }
        }
        _ => return Err(Why::Operand("a place in memory of another kind")),
    })
}
