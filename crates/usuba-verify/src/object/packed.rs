//! Addresses in vector registers: compilers put two side by side to store them at once.

use super::Why;
use super::machine::{Machine, Word};
use super::memory::Cell;
use super::value::Byte;
use iced_x86::{EncodingKind, Instruction, Mnemonic, OpKind, Register};

/// Bytes of an address.
const ADDRESS: usize = 8;

/// Runs an instruction that moves addresses into, between and out of vector registers; whether it is one. What else is done
/// with such a register has bits of which nothing is known.
pub(super) fn step(machine: &mut Machine<'_>, one: &Instruction) -> Result<bool, Why> {
    use Mnemonic::*;
    // Of what a mask leaves out only bits are known.
    if one.op_mask() != Register::None {
        return Ok(false);
    }
    let cells = match one.mnemonic() {
        Movq | Vmovq if one.op_kind(1) == OpKind::Register && one.op_register(1).is_gpr() => {
            let low = general(machine, one, 1);
            [low, vec![Cell::Bits(Byte::ZERO); ADDRESS]].concat()
        }
        Pinsrq | Vpinsrq
            if one.op_kind(one.op_count() - 2) == OpKind::Register && one.immediate8() & 1 == 1 =>
        {
            let from = u32::from(one.op_count() == 4);
            let low = low(machine, one, from);
            [low, general(machine, one, one.op_count() - 2)].concat()
        }
        Punpcklqdq | Vpunpcklqdq
            if one.op_register(0).is_xmm() && one.op_kind(one.op_count() - 1) == OpKind::Register =>
        {
            let last = one.op_count() - 1;
            [low(machine, one, last - 1), low(machine, one, last)].concat()
        }
        Movq | Vmovq | Pextrq | Vpextrq
            if one.op_kind(0) == OpKind::Register
                && one.op_register(0).is_gpr()
                && one.op_register(1).is_xmm() =>
        {
            let half = match one.mnemonic() {
                Movq | Vmovq => 0,
                _ => usize::from(one.immediate8() & 1),
            };
            let cells = machine.addresses[one.op_register(1).number()].as_ref();
            let word = match cells.and_then(|cells| cells.get(half * ADDRESS)) {
                Some(&Cell::Part(whole, 0)) => Word::Address(whole),
                Some(&Cell::Digit(number, 0)) => Word::Number(number),
                Some(&Cell::Scaled(sum, 0)) => Word::Multiple(sum),
                _ => return Ok(false),
            };
            machine.set_general(one.op_register(0).number(), word);
            return Ok(true);
        }
        Movdqa | Movdqu | Movaps | Movups | Vmovdqa | Vmovdqu | Vmovaps | Vmovups
            if (0..2).all(|operand| {
                one.op_kind(operand) == OpKind::Register && one.op_register(operand).is_xmm()
            }) =>
        {
            let Some(cells) = machine.addresses[one.op_register(1).number()].clone() else {
                return Ok(false);
            };
            cells
        }
        Movdqa | Movdqu | Movaps | Movups | Vmovdqa | Vmovdqu | Vmovaps | Vmovups | Vmovdqa32 | Vmovdqa64
        | Vmovdqu32 | Vmovdqu64
            if Machine::is_memory(one, 0) && one.op_register(1).is_xmm() =>
        {
            let Some(cells) = machine.addresses[one.op_register(1).number()].clone() else {
                return Ok(false);
            };
            let address = machine.address(one)?;
            machine.memory.write(address, &cells)?;
            return Ok(true);
        }
        Movq | Vmovq | Movlps | Movlpd | Vmovlps | Vmovlpd | Movhps | Movhpd | Vmovhps | Vmovhpd
            if Machine::is_memory(one, 0) && one.op_register(1).is_xmm() =>
        {
            let Some(cells) = machine.addresses[one.op_register(1).number()].clone() else {
                return Ok(false);
            };
            let is_high = matches!(one.mnemonic(), Movhps | Movhpd | Vmovhps | Vmovhpd);
            let address = machine.address(one)?;
            let (low, high) = cells.split_at(ADDRESS);
            machine.memory.write(address, if is_high { high } else { low })?;
            return Ok(true);
        }
        _ => return Ok(false),
    };
    if cells.iter().all(|cell| matches!(cell, Cell::Bits(_))) {
        return Ok(false);
    }
    let register = one.op_register(0).number();
    let unknown = machine.fresh(2 * ADDRESS);
    let are_data = machine.turns.is_some_and(|turns| turns.are_data);
    let mut byte = |(cell, unknown): (&Cell, Byte)| match *cell {
        Cell::Bits(byte) => byte,
        Cell::Digit(number, part) if are_data => machine.bits_of(number)[usize::from(part)],
        _ => unknown,
    };
    let bytes: Vec<Byte> = cells.iter().zip(unknown).map(&mut byte).collect();
    machine.set_vector(register, &bytes, one.encoding() == EncodingKind::Legacy);
    machine.addresses[register] = Some(cells);
    Ok(true)
}

/// A general-purpose register as cells.
fn general(machine: &mut Machine<'_>, one: &Instruction, operand: u32) -> Vec<Cell> {
    let word = machine.general(one.op_register(operand).full_register().number());
    word.cells().unwrap_or_else(|| machine.fresh(ADDRESS).into_iter().map(Cell::Bits).collect())
}

/// The lower half of a vector register of 16 bytes.
fn low(machine: &mut Machine<'_>, one: &Instruction, operand: u32) -> Vec<Cell> {
    let register = one.op_register(operand).number();
    match &machine.addresses[register] {
        Some(cells) => cells[..ADDRESS].to_vec(),
        None => machine.vector(register, ADDRESS).into_iter().map(Cell::Bits).collect(),
    }
}
