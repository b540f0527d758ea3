//! Operands of instructions on vector registers.

use super::Why;
use super::machine::{Machine, Word};
use super::memory::Cell;
use super::value::Byte;
use iced_x86::{EncodingKind, Instruction, Mnemonic, OpKind};

/// Bytes of a group.
pub(super) const GROUP: usize = 16;

/// Bytes of the register that is written, or of the largest operand.
pub(super) fn width(one: &Instruction) -> usize {
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
pub(super) fn read(
    machine: &mut Machine<'_>,
    one: &Instruction,
    operand: u32,
    bytes: usize,
) -> Result<Vec<Byte>, Why> {
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
                Word::Number(number) => Ok(machine.bits_of(number)[..bytes.min(8)].to_vec()),
                Word::Address(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_) => {
                    Err(Why::Address)
                }
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
pub(super) fn must_be_aligned(one: &Instruction, bytes: usize) -> bool {
    use Mnemonic::*;
    match one.mnemonic() {
        Movdqa | Movaps | Movapd | Movntdq | Movntps | Vmovdqa | Vmovaps | Vmovapd | Vmovntdq | Vmovdqa32
        | Vmovdqa64 => true,
        Movdqu | Movups | Movupd | Lddqu => false,
        _ => one.encoding() == EncodingKind::Legacy && bytes == GROUP,
    }
}

/// Writes operand 0.
pub(super) fn write(machine: &mut Machine<'_>, one: &Instruction, bytes: &[Byte]) -> Result<(), Why> {
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
pub(super) fn two(machine: &mut Machine<'_>, one: &Instruction, bytes: usize) -> Result<[Vec<Byte>; 2], Why> {
    let first = first(one);
    Ok([read(machine, one, first, bytes)?, read(machine, one, first + 1, bytes)?])
}

pub(super) fn first(one: &Instruction) -> u32 {
    u32::from(one.encoding() != EncodingKind::Legacy)
}

/// The last operand, an immediate.
pub(super) fn immediate(one: &Instruction) -> Result<u8, Why> {
    let last = one.op_count() - 1;
    match one.op_kind(last) {
        OpKind::Immediate8 => Ok(one.immediate8()),
        _ => Err(Why::Operand("an operand that is no immediate")),
    }
}
