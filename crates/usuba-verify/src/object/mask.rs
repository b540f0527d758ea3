//! Mask registers: what moves bits there and back, and what instructions do where a bit of their mask is not set.
//!
//! A bit of a mask belongs to no byte of a vector, so it is of no instance: what is of one is refused.

use super::Why;
use super::machine::{Machine, Word};
use super::memory::{Address, Cell};
use super::value::{self, Byte, Lane};
use crate::graph::Edge;
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// Bytes of a mask register.
const MASK: usize = 8;

/// Runs an instruction on mask registers; `None` if it is none of these.
pub(super) fn step(machine: &mut Machine<'_>, one: &Instruction) -> Result<Option<()>, Why> {
    use Mnemonic::*;
    if let Some(size) = match one.mnemonic() {
        Vpmovb2m => Some(1),
        Vpmovw2m => Some(2),
        Vpmovd2m => Some(4),
        Vpmovq2m => Some(8),
        _ => None,
    } {
        let vector = machine.vector(one.op_register(1).number(), one.op_register(1).size());
        let mut bits = vec![Edge::FALSE; 8 * MASK];
        for (bit, element) in bits.iter_mut().zip(vector.chunks(size)) {
            let sign = element[size - 1];
            if sign.lane != Lane::All {
                return Err(Why::Lanes);
            }
            *bit = sign.bits[7];
        }
        machine.masks[one.op_register(0).number()] = Some(value::bytes(&bits, Lane::All));
        return Ok(Some(()));
    }
    let bytes = match one.mnemonic() {
        Kmovb | Knotb | Kandb | Kandnb | Korb | Kxorb | Kxnorb => 1,
        Kmovw | Knotw | Kandw | Kandnw | Korw | Kxorw | Kxnorw => 2,
        Kmovd | Knotd | Kandd | Kandnd | Kord | Kxord | Kxnord => 4,
        Kmovq | Knotq | Kandq | Kandnq | Korq | Kxorq | Kxnorq => 8,
        _ => return Ok(None),
    };
    let result = match one.mnemonic() {
        Kmovb | Kmovw | Kmovd | Kmovq => read(machine, one, 1, bytes)?,
        Knotb | Knotw | Knotd | Knotq => value::complement(&read(machine, one, 1, bytes)?),
        // Whatever was there, it is equal to itself.
        Kxorb | Kxorw | Kxord | Kxorq if one.op_register(1) == one.op_register(2) => {
            vec![Byte::ZERO; bytes]
        }
        Kxnorb | Kxnorw | Kxnord | Kxnorq if one.op_register(1) == one.op_register(2) => {
            vec![Byte::constant(0xff); bytes]
        }
        mnemonic => {
            let (a, b) = (read(machine, one, 1, bytes)?, read(machine, one, 2, bytes)?);
            value::bitwise(machine.graph, &a, &b, |graph, a, b| match mnemonic {
                Kandb | Kandw | Kandd | Kandq => graph.and(a, b),
                Kandnb | Kandnw | Kandnd | Kandnq => graph.and(!a, b),
                Korb | Korw | Kord | Korq => graph.or(a, b),
                Kxorb | Kxorw | Kxord | Kxorq => graph.xor(a, b),
                _ => !graph.xor(a, b),
            })?
        }
    };
    if Machine::is_memory(one, 0) {
        let address = machine.address(one)?;
        let cells: Vec<Cell> = result.into_iter().map(Cell::Bits).collect();
        return machine.memory.write(address, &cells).map(Some);
    }
    let register = one.op_register(0);
    let mut all = result;
    all.resize(MASK, Byte::ZERO);
    if register.is_k() {
        machine.masks[register.number()] = Some(all);
    } else {
        machine.set_general(register.full_register().number(), Word::Bits(all));
    }
    Ok(Some(()))
}

fn read(machine: &mut Machine<'_>, one: &Instruction, operand: u32, bytes: usize) -> Result<Vec<Byte>, Why> {
    if one.op_kind(operand) == OpKind::Memory {
        let address = machine.address(one)?;
        let cells = machine.memory.read(machine.graph, address, bytes)?;
        return machine.bits(&cells);
    }
    let register = one.op_register(operand);
    if register.is_k() {
        return Ok(machine.mask(register)[..bytes].to_vec());
    }
    match machine.general(register.full_register().number()) {
        Word::Bits(all) => Ok(all[..bytes].to_vec()),
        Word::Number(number) => Ok(machine.bits_of(number)[..bytes].to_vec()),
        Word::Address(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_) => Err(Why::Address),
    }
}

/// A scatter: each element of a register to an address of its own, in their order. All of these are known.
pub(super) fn scatter(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    use Mnemonic::*;
    let (index, element) = match one.mnemonic() {
        Vpscatterdd | Vscatterdps => (4, 4),
        Vpscatterdq | Vscatterdpd => (4, 8),
        Vpscatterqd | Vscatterqps => (8, 4),
        _ => (8, 8),
    };
    let (indices, source) = (one.memory_index(), one.op_register(1));
    let elements = (indices.size() / index).min(source.size() / element);
    let mask = machine.mask_bits(one, elements)?;
    let indices = machine.vector(indices.number(), elements * index);
    let value = machine.vector(source.number(), elements * element);
    let Word::Address(base) = machine.general(one.memory_base().number()) else {
        return Err(Why::SecretAddress);
    };
    for (place, set) in mask.iter().enumerate() {
        if !set.known().ok_or(Why::Operand("a mask that is not known"))? {
            continue;
        }
        let number = value::known(&indices[place * index..][..index]).ok_or(Why::SecretAddress)?;
        let number = if index == 4 { i64::from(number as i32) } else { number as i64 };
        let offset = number.wrapping_mul(i64::from(one.memory_index_scale()));
        let offset = offset.wrapping_add(one.memory_displacement64() as i64).wrapping_add(base.offset);
        let cells = value[place * element..][..element].iter().map(|&byte| Cell::Bits(byte));
        machine.memory.write(Address { offset, ..base }, &cells.collect::<Vec<_>>())?;
    }
    machine.clear_mask(one);
    Ok(())
}

impl Machine<'_> {
    /// A mask register.
    fn mask(&mut self, register: Register) -> Vec<Byte> {
        if self.masks[register.number()].is_none() {
            self.masks[register.number()] = Some(self.held(MASK));
        }
        self.masks[register.number()].clone().unwrap_or_default()
    }

    /// Clears the mask of an instruction, as scatters do.
    pub(super) fn clear_mask(&mut self, one: &Instruction) {
        self.masks[one.op_mask().number()] = Some(vec![Byte::ZERO; MASK]);
    }

    /// For each element of the operand that is written, the bit of the mask.
    pub(super) fn mask_bits(&mut self, one: &Instruction, elements: usize) -> Result<Vec<Edge>, Why> {
        let bytes = self.mask(one.op_mask());
        if bytes.iter().any(|byte| byte.lane != Lane::All) {
            return Err(Why::Lanes);
        }
        Ok(bytes.iter().flat_map(|byte| byte.bits).take(elements).collect())
    }
}

/// The bytes of an element that a bit of the mask is about: of what is written, for instructions of which that is known.
pub(super) fn element(one: &Instruction) -> Result<usize, Why> {
    use Mnemonic::*;
    match one.mnemonic() {
        Vmovdqu8 | Vpblendmb | Vpaddb | Vpsubb | Vpshufb | Vpunpcklbw | Vpunpckhbw | Vpalignr | Vpermb
        | Vpermt2b | Vpermi2b | Vpbroadcastb => Ok(1),
        Vmovdqu16 | Vpblendmw | Vpaddw | Vpsubw | Vpmullw | Vpmulhuw | Vpsllw | Vpsrlw | Vpsraw | Vpsllvw
        | Vpsrlvw | Vpsravw | Vpshuflw | Vpshufhw | Vpunpcklwd | Vpunpckhwd | Vpermw | Vpermt2w
        | Vpermi2w | Vpbroadcastw => Ok(2),
        Vmovdqu32 | Vmovdqa32 | Vmovaps | Vmovups | Vpblendmd | Vblendmps | Vpaddd | Vpsubd | Vpmulld
        | Vpslld | Vpsrld | Vpsrad | Vpsllvd | Vpsrlvd | Vpsravd | Vprold | Vprord | Vpandd | Vpord
        | Vpxord | Vpandnd | Vpternlogd | Vpshufd | Vpunpckldq | Vpunpckhdq | Vpermd | Vpermt2d
        | Vpermi2d | Valignd | Vpbroadcastd | Vshufi32x4 | Vinserti32x4 | Vbroadcasti32x4 => Ok(4),
        Vmovdqu64 | Vmovdqa64 | Vmovapd | Vmovupd | Vpblendmq | Vblendmpd | Vpaddq | Vpsubq | Vpmullq
        | Vpsllq | Vpsrlq | Vpsraq | Vpsllvq | Vpsrlvq | Vpsravq | Vprolq | Vprorq | Vpandq | Vporq
        | Vpxorq | Vpandnq | Vpternlogq | Vpunpcklqdq | Vpunpckhqdq | Vpermq | Vpermt2q | Vpermi2q
        | Valignq | Vpbroadcastq | Vshufi64x2 | Vinserti64x2 | Vinserti64x4 | Vbroadcasti64x2
        | Vbroadcasti64x4 => Ok(8),
        _ => Err(Why::Operand("a mask of an instruction that is known without")),
    }
}

/// Elements of `new` where a bit of the mask is set, of `old` elsewhere.
pub(super) fn merged(
    machine: &mut Machine<'_>,
    mask: &[Edge],
    size: usize,
    new: &[Byte],
    old: &[Byte],
) -> Result<Vec<Byte>, Why> {
    let mut result = Vec::with_capacity(new.len());
    for (place, (new, old)) in new.iter().zip(old).enumerate() {
        result.push(match mask[place / size].known() {
            Some(true) => *new,
            Some(false) => *old,
            None => {
                let lane = new.lane.met(old.lane)?;
                let select =
                    |bit: usize| machine.graph.select(mask[place / size], new.bits[bit], old.bits[bit]);
                let bits: Vec<Edge> = (0..8).map(select).collect();
                value::bytes(&bits, lane)[0]
            }
        });
    }
    Ok(result)
}
