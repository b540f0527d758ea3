//! Instructions on general-purpose registers, and all that jump.

use super::Why;
use super::file::{Fill, Relocation, Target};
use super::flags::Flags;
use super::machine::{Flow, Machine, Word};
use super::memory::{Address, Cell};
use super::value::{self, Byte, Lane, Move, bitwise};
use crate::graph::{Edge, Graph, words};
use iced_x86::{ConditionCode, Instruction, Mnemonic, OpKind, Register};

/// Bytes of an operand.
fn size(instruction: &Instruction, operand: u32) -> usize {
    match instruction.op_kind(operand) {
        OpKind::Register => instruction.op_register(operand).size(),
        _ => instruction.memory_size().size(),
    }
}

/// The value of an operand, in so many bytes if it is an immediate.
fn read(
    machine: &mut Machine<'_>,
    instruction: &Instruction,
    operand: u32,
    bytes: usize,
) -> Result<Word, Why> {
    match instruction.op_kind(operand) {
        OpKind::Register => {
            let register = instruction.op_register(operand);
            if !register.is_gpr() {
                return Err(Why::Operand("a register of another kind"));
            }
            let word = machine.general(number(register));
            let first = usize::from(is_high_byte(register));
            let part = |all: &[Byte]| Word::Bits(all[first..first + register.size()].to_vec());
            Ok(match word {
                Word::Address(_)
                | Word::Distance(..)
                | Word::Multiple(..)
                | Word::Number(_)
                | Word::Low(_)
                    if register.size() == 8 =>
                {
                    word
                }
                Word::Address(address) | Word::Low(address) if register.size() == 4 => Word::Low(address),
                Word::Address(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_) => {
                    return Err(Why::Address);
                }
                Word::Number(number) => part(&machine.bits_of(number)),
                Word::Bits(all) => part(&all),
            })
        }
        OpKind::Memory => {
            let address = machine.address(instruction)?;
            machine.load(address, bytes)
        }
        _ => Ok(Word::Bits(value::constant(bytes, instruction.immediate(operand)))),
    }
}

fn bits(
    machine: &mut Machine<'_>,
    instruction: &Instruction,
    operand: u32,
    bytes: usize,
) -> Result<Vec<Byte>, Why> {
    match read(machine, instruction, operand, bytes)? {
        Word::Bits(found) => Ok(found),
        Word::Number(number) => Ok(machine.bits_of(number)),
        Word::Address(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_) => Err(Why::Address),
    }
}

/// Writes an operand. Four bytes clear those above in a register, fewer leave them.
fn write(machine: &mut Machine<'_>, instruction: &Instruction, operand: u32, word: Word) -> Result<(), Why> {
    if Machine::is_memory(instruction, operand) {
        let address = machine.address(instruction)?;
        return machine.store(address, &word);
    }
    let register = instruction.op_register(operand);
    if !register.is_gpr() {
        return Err(Why::Operand("a register of another kind"));
    }
    let place = number(register);
    let word = match word {
        Word::Bits(bytes) if bytes.len() < 8 => {
            // What grows is above the byte that is written.
            if let (true, Word::Number(number), Some(low)) =
                (bytes.len() < 4 && !is_high_byte(register), machine.general(place), value::known(&bytes))
                && let Some(word) = machine.with_lowest(number, 8 * bytes.len() as u32, low)
            {
                machine.set_general(place, word);
                return Ok(());
            }
            let mut all = match (bytes.len(), machine.general(place)) {
                (4, _) => value::constant(8, 0),
                (_, Word::Bits(all)) => all,
                // What is left of the address is any number.
                (_, Word::Address(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_)) => {
                    machine.fresh(8)
                }
                (_, Word::Number(number)) => machine.bits_of(number),
            };
            let first = usize::from(is_high_byte(register));
            all[first..first + bytes.len()].copy_from_slice(&bytes);
            Word::Bits(all)
        }
        whole => whole,
    };
    machine.set_general(place, word);
    Ok(())
}

/// The number of the register that a name is a part of.
fn number(register: Register) -> usize {
    register.full_register().number()
}

/// Whether a name is that of the second byte of a register.
fn is_high_byte(register: Register) -> bool {
    matches!(register, Register::AH | Register::BH | Register::CH | Register::DH)
}

/// Runs an instruction; `None` if it is none of these.
pub(super) fn step(machine: &mut Machine<'_>, one: &Instruction) -> Result<Option<Flow>, Why> {
    use Mnemonic::*;
    match one.mnemonic() {
        Nop | Endbr64 | Pause => {}
        Mov | Movbe if is_general(one) => {
            let bytes = size(one, 0).max(size(one, 1).min(8));
            let bytes = if one.op_kind(0) == OpKind::Register { size(one, 0) } else { bytes };
            let mut word = read(machine, one, 1, bytes)?;
            if let (Movbe, Word::Bits(bytes)) = (one.mnemonic(), &mut word) {
                bytes.reverse();
            }
            write(machine, one, 0, word)?;
        }
        Movsxd if Machine::is_memory(one, 1) && linked_distance(machine, one)?.is_some() => {
            let distance = linked_distance(machine, one)?.ok_or(Why::Address)?;
            write(machine, one, 0, distance)?;
        }
        Movzx | Movsx | Movsxd => {
            let narrow = bits(machine, one, 1, size(one, 1))?;
            let wide = size(one, 0);
            let mut all = narrow.clone();
            if one.mnemonic() == Movzx {
                all.resize(wide, Byte::ZERO);
            } else {
                let top = narrow[narrow.len() - 1];
                // The copies of the sign are in other places than the sign, so that they would be of other instances.
                let lane = top.lane.mixed(Lane::All)?;
                all.resize(wide, Byte { bits: [top.bits[7]; 8], lane });
            }
            write(machine, one, 0, Word::Bits(all))?;
        }
        Cdqe | Cwde | Cdq | Cqo => extend(machine, one.mnemonic())?,
        Lea => {
            let bytes = size(one, 0);
            let word = match lea(machine, one)? {
                Word::Bits(all) => Word::Bits(all[..bytes].to_vec()),
                whole if bytes == 8 => whole,
                Word::Number(number) => Word::Bits(machine.bits_of(number)[..bytes].to_vec()),
                Word::Address(address) if bytes == 4 => Word::Low(address),
                Word::Low(_) => return Err(Why::Address),
                Word::Address(_) | Word::Distance(..) | Word::Multiple(..) => return Err(Why::Address),
            };
            write(machine, one, 0, word)?;
        }
        Push => {
            let word = match read(machine, one, 0, 8)? {
                Word::Bits(bytes) if bytes.len() != 8 => return Err(Why::Operand("a push of two bytes")),
                word => word,
            };
            machine.push(&word)?;
        }
        Pop => {
            let word = machine.pop(8)?;
            write(machine, one, 0, word)?;
        }
        Leave => {
            let frame = machine.general(5);
            machine.set_general(4, frame);
            let word = machine.pop(8)?;
            machine.set_general(5, word);
        }
        Xchg => {
            let (a, b) = (read(machine, one, 0, size(one, 0))?, read(machine, one, 1, size(one, 1))?);
            write(machine, one, 0, b)?;
            write(machine, one, 1, a)?;
        }
        Bswap => {
            let mut bytes = bits(machine, one, 0, size(one, 0))?;
            bytes.reverse();
            write(machine, one, 0, Word::Bits(bytes))?;
        }
        Add | Sub | Cmp | Adc | Sbb | Inc | Dec | Neg => sum(machine, one)?,
        And | Or | Xor | Test | Not | Andn => logic(machine, one)?,
        Shl | Sal | Shr | Sar | Rol | Ror | Rorx | Shlx | Shrx | Sarx => shift(machine, one)?,
        Shld | Shrd => double_shift(machine, one)?,
        Imul | Mul | Mulx => product(machine, one)?,
        Bt | Btr | Bts | Btc => bit_test(machine, one)?,
        Tzcnt => count_zeros(machine, one)?,
        Div | Idiv => return Err(Why::VariableTime),
        Ret => return Ok(Some(Flow::Return)),
        Call => {
            if !matches!(one.op_kind(0), OpKind::NearBranch64) {
                let pointer = read(machine, one, 0, 8)?;
                machine.call_pointer(&pointer, 0)?;
                return Ok(Some(Flow::Next));
            }
            return match machine.target() {
                Some(target) => Ok(Some(Flow::Call(target, one.next_ip()))),
                None => Err(Why::External("a place without a symbol".to_owned())),
            };
        }
        Jmp if one.op_kind(0) == OpKind::NearBranch64 => {
            let here = Flow::Jump(one.near_branch_target());
            return Ok(Some(machine.target().map_or(here, Flow::Leave)));
        }
        Jmp => {
            let pointer = read(machine, one, 0, 8)?;
            // A table of places of code, at a place that is public.
            if let Word::Address(address) = pointer
                && let Some((section, offset)) = machine.memory.in_section(address)
            {
                return Ok(Some(Flow::Leave(Target::Place { section, offset })));
            }
            machine.call_pointer(&pointer, 8)?;
            return Ok(Some(Flow::Return));
        }
        Movsq | Movsd | Movsb | Stosq | Stosd | Stosb if one.op_kind(0) != OpKind::Register => {
            string(machine, one)?
        }
        _ if one.is_jcc_short_or_near() => {
            let (edge, _) = machine.flags.clone().condition(machine.graph, one.condition_code())?;
            let taken = machine.taken(edge)?;
            return Ok(Some(if taken { Flow::Jump(one.near_branch_target()) } else { Flow::Next }));
        }
        _ if one.condition_code() != ConditionCode::None => conditional(machine, one)?,
        _ => return Ok(None),
    }
    Ok(Some(Flow::Next))
}

fn is_general(one: &Instruction) -> bool {
    (0..2).all(|operand| match one.op_kind(operand) {
        OpKind::Register => one.op_register(operand).is_gpr(),
        _ => true,
    })
}

fn extend(machine: &mut Machine<'_>, mnemonic: Mnemonic) -> Result<(), Why> {
    let Word::Bits(all) = machine.general(0) else { return Err(Why::Address) };
    let half = match mnemonic {
        Mnemonic::Cwde => 2,
        Mnemonic::Cdqe | Mnemonic::Cdq => 4,
        _ => 8,
    };
    let top = all[half - 1];
    let sign = Byte { bits: [top.bits[7]; 8], lane: top.lane.mixed(Lane::All)? };
    let (number, mut word) = match mnemonic {
        Mnemonic::Cdq | Mnemonic::Cqo => (2, vec![sign; half]),
        _ => {
            let mut word = all[..half].to_vec();
            word.resize(2 * half, sign);
            (0, word)
        }
    };
    word.resize(8, Byte::ZERO);
    machine.set_general(number, Word::Bits(word));
    Ok(())
}

/// An address, a constant, or a sum of words that is neither.
fn lea(machine: &mut Machine<'_>, one: &Instruction) -> Result<Word, Why> {
    match machine.effective(one) {
        Err(Why::SecretAddress | Why::Operand(_)) => {}
        other => return other,
    }
    let mut sum = value::constant(8, one.memory_displacement64());
    for (register, scale) in [(one.memory_base(), 1), (one.memory_index(), one.memory_index_scale())] {
        if register == Register::None {
            continue;
        }
        let Word::Bits(bytes) = machine.general(number(register)) else { return Err(Why::Address) };
        let part = value::shifted(&bytes, 8, scale.trailing_zeros() as usize, Move::Left)?;
        sum = match value::beside(machine.graph, &sum, &part)? {
            Some(sum) => sum,
            None => {
                let ((a, p), (b, q)) = (value::word(&sum)?, value::word(&part)?);
                value::bytes(&words::add(machine.graph, &a, &b, Edge::FALSE).0, p.mixed(q)?)
            }
        };
    }
    Ok(Word::Bits(sum))
}

/// Sums and differences; those of addresses too.
fn sum(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    use Mnemonic::*;
    let mnemonic = one.mnemonic();
    let bytes = size(one, 0);
    let first = read(machine, one, 0, bytes)?;
    let second = match mnemonic {
        Inc | Dec => Word::Bits(value::constant(bytes, 1)),
        Neg => first.clone(),
        _ => read(machine, one, 1, bytes)?,
    };
    let first = if mnemonic == Neg { Word::Bits(value::constant(bytes, 0)) } else { first };
    let borrows = matches!(mnemonic, Sub | Cmp | Sbb | Dec | Neg);
    let (a, b) = match (first, second) {
        (Word::Bits(a), Word::Bits(b)) => (a, b),
        (first, second) => return of_addresses(machine, one, first, second, borrows),
    };
    let words = value::word(&a).and_then(|(a, p)| value::word(&b).and_then(|(b, q)| Ok((a, b, p.mixed(q)?))));
    let (a, b, mut lane) = match words {
        Ok(words) => words,
        // Bits of several instances are not added, but may be put beside each other.
        Err(why) => {
            let sum = if mnemonic == Add { value::beside(machine.graph, &a, &b)? } else { None };
            machine.flags = Flags::Mixed;
            return write(machine, one, 0, Word::Bits(sum.ok_or(why)?));
        }
    };
    let mut carry = Edge::constant(borrows);
    if matches!(mnemonic, Adc | Sbb) {
        let (flag, of) = machine.flags.clone().carry(machine.graph)?;
        lane = lane.mixed(of)?;
        carry = flag.complemented_if(borrows);
    }
    let kept = match mnemonic {
        // Not looked at where it is not known.
        Inc | Dec => Some(machine.flags.clone().carry(machine.graph)),
        _ => None,
    };
    let b = if borrows { words::not(&b) } else { b };
    let (result, _) = words::add(machine.graph, &a, &b, carry);
    machine.flags = Flags::Sum { a, b, carry, borrows, kept, lane };
    if mnemonic != Cmp {
        write(machine, one, 0, Word::Bits(value::bytes(&result, lane)))?;
    }
    Ok(())
}

/// A sum or difference of which the lower half of an address is a part: that of another address, or the distance of two in a region.
pub(super) fn low_sum(first: &Word, second: &Word, borrows: bool) -> Result<(Word, Flags), Why> {
    match (first, second) {
        (Word::Low(a), Word::Low(b)) if borrows && a.region == b.region && a.growth == b.growth => {
            let distance = value::constant(4, a.offset.wrapping_sub(b.offset) as u64);
            let (bits, lane) = value::word(&distance)?;
            Ok((Word::Bits(distance), Flags::Shifted(bits, lane)))
        }
        (Word::Low(a), Word::Bits(number)) => {
            let number = value::known(number).ok_or(Why::SecretAddress)? as i64;
            Ok((Word::Low(a.moved(if borrows { -number } else { number })), Flags::Unknown))
        }
        (Word::Bits(number), Word::Low(b)) if !borrows => {
            let number = value::known(number).ok_or(Why::SecretAddress)? as i64;
            Ok((Word::Low(b.moved(number)), Flags::Unknown))
        }
        _ => Err(Why::Address),
    }
}

fn of_addresses(
    machine: &mut Machine<'_>,
    one: &Instruction,
    first: Word,
    second: Word,
    borrows: bool,
) -> Result<(), Why> {
    machine.flags = Flags::Unknown;
    if matches!(first, Word::Low(_)) || matches!(second, Word::Low(_)) {
        let known = matches!(one.mnemonic(), Mnemonic::Add | Mnemonic::Sub) && size(one, 0) == 4;
        let (word, flags) =
            if known { low_sum(&first, &second, borrows)? } else { return Err(Why::Address) };
        machine.flags = flags;
        return write(machine, one, 0, word);
    }
    if !matches!(one.mnemonic(), Mnemonic::Adc | Mnemonic::Sbb)
        && let Some((word, flags)) = machine.sum_of_numbers(&first, &second, borrows)?
    {
        // Those that count by one leave the carry flag as it was.
        machine.flags = match flags {
            Flags::Numbers(order) if matches!(one.mnemonic(), Mnemonic::Inc | Mnemonic::Dec) => {
                Flags::Sign(order)
            }
            flags => flags,
        };
        return match one.mnemonic() {
            Mnemonic::Cmp => Ok(()),
            _ => write(machine, one, 0, word),
        };
    }
    let moved = match (&first, &second) {
        (Word::Distance(a, b), Word::Bits(number)) if one.mnemonic() == Mnemonic::Cmp => {
            let number = value::known(number).ok_or(Why::SecretAddress)?;
            machine.flags = Flags::Places(machine.is_far(*a, *b, number).ok_or(Why::Address)?);
            return Ok(());
        }
        (Word::Distance(to, from), Word::Address(base)) | (Word::Address(base), Word::Distance(to, from))
            if one.mnemonic() == Mnemonic::Add
                && base.region == from.region
                && base.growth == from.growth =>
        {
            Word::Address(to.moved(base.offset.wrapping_sub(from.offset)))
        }
        (Word::Address(a), Word::Address(b)) if one.mnemonic() == Mnemonic::Sub && a.region != b.region => {
            Word::Distance(*a, *b)
        }
        (Word::Address(a), Word::Address(b)) if one.mnemonic() == Mnemonic::Cmp => {
            machine.flags = machine.ordered(*a, *b).map_or(Flags::Turns, Flags::Places);
            return Ok(());
        }
        (Word::Address(a), Word::Address(b)) if borrows && a.region == b.region => {
            machine.flags = Flags::Places(a.offset.cmp(&b.offset));
            Word::Bits(value::constant(8, a.offset.wrapping_sub(b.offset) as u64))
        }
        (Word::Multiple(..), other)
        | (other, Word::Multiple(..))
        | (other @ (Word::Bits(_) | Word::Address(_)), Word::Address(_))
            if matches!(one.mnemonic(), Mnemonic::Add | Mnemonic::Sub | Mnemonic::Neg) =>
        {
            let why = if matches!(other, Word::Bits(_)) { Why::SecretAddress } else { Why::Address };
            let sum = first.plus_times(&second, if borrows { -1 } else { 1 }).ok_or(why)?;
            return write(machine, one, 0, sum);
        }
        (Word::Address(place), Word::Bits(number)) | (Word::Bits(number), Word::Address(place)) => {
            let is_reversed = matches!(first, Word::Bits(_));
            if borrows && (is_reversed || one.mnemonic() == Mnemonic::Cmp) {
                return Err(Why::Address);
            }
            let number = value::known(number).ok_or(Why::SecretAddress)? as i64;
            let number = if borrows { number.wrapping_neg() } else { number };
            Word::Address(Address { offset: place.offset.wrapping_add(number), ..*place })
        }
        _ => return Err(Why::Address),
    };
    match one.mnemonic() {
        Mnemonic::Cmp => Ok(()),
        Mnemonic::Adc | Mnemonic::Sbb | Mnemonic::Neg => Err(Why::Address),
        _ => write(machine, one, 0, moved),
    }
}

fn logic(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    use Mnemonic::*;
    let bytes = size(one, 0);
    if one.mnemonic() == Not {
        let operand = bits(machine, one, 0, bytes)?;
        return write(machine, one, 0, Word::Bits(value::complement(&operand)));
    }
    let (first, second) = if one.mnemonic() == Andn { (1, 2) } else { (0, 1) };
    // Nothing of the register is left.
    let is_same = one.op_kind(first) == OpKind::Register
        && one.op_kind(second) == OpKind::Register
        && one.op_register(first) == one.op_register(second);
    if one.mnemonic() == Xor && is_same {
        machine.flags = Flags::Result(words::constant(8 * bytes, 0), Lane::All);
        return write(machine, one, 0, Word::Bits(value::constant(bytes, 0)));
    }
    // The address of a region is not null.
    if one.mnemonic() == Test
        && is_same
        && let Word::Address(_) = read(machine, one, first, bytes)?
    {
        machine.flags = Flags::Places(std::cmp::Ordering::Greater);
        return Ok(());
    }
    if one.mnemonic() == Test
        && is_same
        && let Word::Number(number) = read(machine, one, first, bytes)?
    {
        machine.flags = machine.tested(number);
        return Ok(());
    }
    let a = match read(machine, one, first, bytes)? {
        Word::Bits(a) => a,
        Word::Address(address) if one.mnemonic() == And => {
            let mask = value::known(&bits(machine, one, second, bytes)?).ok_or(Why::Address)?;
            let aligned = machine.aligned(address, mask).ok_or(Why::Address)?;
            machine.flags = Flags::Unknown;
            return write(machine, one, 0, Word::Address(aligned));
        }
        Word::Number(number) => {
            let mask = value::known(&bits(machine, one, second, bytes)?);
            let masked = mask.filter(|_| matches!(one.mnemonic(), And | Test));
            match masked.and_then(|mask| machine.masked(number, mask)) {
                Some(Word::Number(kept)) => {
                    machine.flags = machine.tested(kept);
                    return if one.mnemonic() == And {
                        write(machine, one, 0, Word::Number(kept))
                    } else {
                        Ok(())
                    };
                }
                Some(Word::Bits(known)) => known,
                _ => machine.bounded(number),
            }
        }
        Word::Low(address) if matches!(one.mnemonic(), And | Test) => {
            let mask = value::known(&bits(machine, one, second, bytes)?).ok_or(Why::Address)?;
            value::constant(bytes, machine.lowest(address, mask).ok_or(Why::Address)?)
        }
        Word::Address(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_) => {
            return Err(Why::Address);
        }
    };
    let b = match read(machine, one, second, bytes)? {
        Word::Number(number) => machine.bounded(number),
        _ => bits(machine, one, second, bytes)?,
    };
    let gate = match one.mnemonic() {
        And | Test => Graph::and,
        Or => Graph::or,
        Xor => Graph::xor,
        _ => |graph: &mut Graph, a: Edge, b: Edge| graph.and(!a, b),
    };
    let result = bitwise(machine.graph, &a, &b, gate)?;
    machine.flags = match value::word(&result) {
        Ok((bits, lane)) => Flags::Result(bits, lane),
        Err(_) => Flags::Mixed,
    };
    if one.mnemonic() != Test {
        write(machine, one, 0, Word::Bits(result))?;
    }
    Ok(())
}

fn shift(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    use Mnemonic::*;
    let bytes = size(one, 0);
    let is_new = matches!(one.mnemonic(), Rorx | Shlx | Shrx | Sarx);
    let source = u32::from(is_new);
    let word = read(machine, one, source, bytes)?;
    let amount = bits(machine, one, source + 1, 1)?;
    // A shift by a register takes a constant time on the processors that are aimed at, but has a meaning here for constants only.
    let amount = value::known(&amount[..1]).ok_or(Why::Operand("a shift by a number that is not known"))?;
    let amount = amount as usize & if bytes == 8 { 63 } else { 31 };
    let count = 8 * bytes;
    let operand = match word {
        Word::Bits(operand) => operand,
        Word::Number(number) => {
            let whole = match one.mnemonic() {
                Shl | Sal | Shlx => machine.shifted_left(number, amount as u32).ok(),
                Shr | Shrx | Sar | Sarx => machine.shifted_right(number, amount as u32),
                _ => None,
            };
            if let Some(word) = whole {
                if !is_new && amount > 0 {
                    machine.flags = match word.number() {
                        Some(number) => machine.signed(number),
                        None => Flags::Unknown,
                    };
                }
                return write(machine, one, 0, word);
            }
            machine.bounded(number)
        }
        Word::Address(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_) => {
            return Err(Why::Address);
        }
    };
    let result = match one.mnemonic() {
        Shl | Sal | Shlx => value::shifted(&operand, bytes, amount.min(count), Move::Left)?,
        Shr | Shrx => value::shifted(&operand, bytes, amount.min(count), Move::Right)?,
        Sar | Sarx => value::shifted(&operand, bytes, amount.min(count), Move::RightSigned)?,
        Rol => value::shifted(&operand, bytes, amount % count, Move::Around)?,
        _ => value::shifted(&operand, bytes, (count - amount % count) % count, Move::Around)?,
    };
    if !is_new && amount > 0 {
        // The carry is the last bit that left; nothing here needs it. Rotations set no other flag.
        machine.flags = match (one.mnemonic(), value::word(&result)) {
            (Rol | Ror, _) => Flags::Unknown,
            (_, Ok((bits, lane))) => Flags::Shifted(bits, lane),
            (_, Err(_)) => Flags::Mixed,
        };
    }
    write(machine, one, 0, Word::Bits(result))
}

fn double_shift(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    let bytes = size(one, 0);
    let (a, b) = (bits(machine, one, 0, bytes)?, bits(machine, one, 1, bytes)?);
    let amount = value::known(&bits(machine, one, 2, 1)?[..1])
        .ok_or(Why::Operand("a shift by a number that is not known"))?;
    let amount = amount as usize & if bytes == 8 { 63 } else { 31 };
    if amount > 8 * bytes {
        return Err(Why::Operand("a double shift of two bytes by more"));
    }
    let result = match one.mnemonic() {
        Mnemonic::Shld => value::double_shifted(machine.graph, &a, &b, bytes, amount)?,
        _ => value::double_shifted(machine.graph, &b, &a, bytes, 8 * bytes - amount)?,
    };
    machine.flags = Flags::Unknown;
    write(machine, one, 0, Word::Bits(result))
}

fn product(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    if one.mnemonic() != Mnemonic::Imul || one.op_count() < 2 {
        return whole_product(machine, one);
    }
    let bytes = size(one, 0);
    let first = if one.op_count() == 3 { 1 } else { 0 };
    if let Word::Number(number) = read(machine, one, first, bytes)?
        && let Some(by) = value::known(&bits(machine, one, first + 1, bytes)?)
        && let Ok(word) = machine.multiplied(number, by)
    {
        machine.flags = Flags::Unknown;
        return write(machine, one, 0, word);
    }
    let (a, b) = (bits(machine, one, first, bytes)?, bits(machine, one, first + 1, bytes)?);
    let ((a, p), (b, q)) = (value::word(&a)?, value::word(&b)?);
    let lane = p.mixed(q)?;
    let result = words::multiply(machine.graph, &a, &b);
    machine.flags = Flags::Unknown;
    write(machine, one, 0, Word::Bits(value::bytes(&result, lane)))
}

/// The registers of products.
const RAX: usize = 0;
const RDX: usize = 2;

/// `mul` and `mulx` of 64 bits, whose products have twice as many: of numbers that are known, such as lengths.
fn whole_product(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    let is_mulx = one.mnemonic() == Mnemonic::Mulx;
    let operand = if is_mulx { 2 } else { 0 };
    if one.mnemonic() == Mnemonic::Imul || size(one, operand) != 8 {
        return Err(Why::Operand("a product of two words"));
    }
    let known = |bytes: &[Byte]| value::known(bytes).ok_or(Why::Operand("a product of two words"));
    let other = match machine.general(if is_mulx { RDX } else { RAX }) {
        Word::Bits(all) => known(&all)?,
        Word::Address(_) | Word::Distance(..) | Word::Multiple(..) | Word::Number(_) | Word::Low(_) => {
            return Err(Why::Address);
        }
    };
    let product = u128::from(other) * u128::from(known(&bits(machine, one, operand, 8)?)?);
    let [low, high] =
        [product as u64, (product >> 64) as u64].map(|half| Word::Bits(value::constant(8, half)));
    if is_mulx {
        write(machine, one, 1, low)?;
        return write(machine, one, 0, high);
    }
    machine.set_general(RAX, low);
    machine.set_general(RDX, high);
    machine.flags = Flags::Unknown;
    Ok(())
}

/// `bt` of a register: the carry flag is one of its bits, by a number that is known. `btr`, `bts` and `btc` clear, set or
/// complement it.
fn bit_test(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    let bytes = size(one, 0);
    if Machine::is_memory(one, 0) {
        return Err(Why::Operand("a bit of memory"));
    }
    let number = match one.op_kind(1) {
        OpKind::Immediate8 => u64::from(one.immediate8()),
        _ => {
            value::known(&bits(machine, one, 1, bytes)?).ok_or(Why::Operand("a bit that depends on data"))?
        }
    };
    let place = number as usize % (8 * bytes);
    let mut word = bits(machine, one, 0, bytes)?;
    let byte = word[place / 8];
    let bit = byte.bits[place % 8];
    let lane = byte.lane.mixed(Lane::All)?;
    machine.flags = Flags::Carry(bit, lane);
    let changed = match one.mnemonic() {
        Mnemonic::Btr => Edge::FALSE,
        Mnemonic::Bts => Edge::TRUE,
        Mnemonic::Btc => !bit,
        _ => return Ok(()),
    };
    word[place / 8].bits[place % 8] = changed;
    word[place / 8].lane = lane;
    write(machine, one, 0, Word::Bits(word))
}

/// What the linker fills in at the place that is read, as tables of jumps have it: how far a place in the object is from there.
fn linked_distance(machine: &mut Machine<'_>, one: &Instruction) -> Result<Option<Word>, Why> {
    let from = machine.address(one)?;
    let Some((section, place)) = machine.memory.in_section(from) else { return Ok(None) };
    let relocations = machine.object.sections.get(&section).map(|section| &section.relocations);
    let relocation = relocations.and_then(|all| all.get(&u64::try_from(place).ok()?));
    let Some(Relocation { target: Target::Place { section, offset }, fill: Fill::Relative }) = relocation
    else {
        return Ok(None);
    };
    let to = machine.memory.section(*section, *offset).filter(|to| to.region != from.region);
    Ok(to.map(|to| Word::Distance(to, from)))
}

/// `tzcnt` of a number that is known.
fn count_zeros(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    let bytes = size(one, 0);
    if Machine::is_memory(one, 1) {
        return Err(Why::Operand("zeros of memory that are counted"));
    }
    let number = value::known(&bits(machine, one, 1, bytes)?);
    let number = number.ok_or(Why::Operand("zeros that are counted and depend on data"))?;
    let zeros = number.trailing_zeros().min(8 * bytes as u32);
    machine.flags = Flags::Unknown;
    write(machine, one, 0, Word::Bits(value::constant(bytes, zeros.into())))
}

/// `setcc` and `cmovcc`.
fn conditional(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    let (edge, lane) = machine.flags.clone().condition(machine.graph, one.condition_code())?;
    if one.op_count() == 1 {
        let mut bits = vec![edge];
        bits.resize(8, Edge::FALSE);
        return write(machine, one, 0, Word::Bits(value::bytes(&bits, lane)));
    }
    let bytes = size(one, 0);
    if let Some(chosen) = edge.known() {
        // In 32 bits the upper half is cleared in any case.
        let word = read(machine, one, u32::from(chosen), bytes)?;
        return write(machine, one, 0, word);
    }
    let (no, yes) = (bits(machine, one, 0, bytes)?, bits(machine, one, 1, bytes)?);
    let ((no, p), (yes, q)) = (value::word(&no)?, value::word(&yes)?);
    let lane = lane.mixed(p)?.mixed(q)?;
    let chosen: Vec<Edge> =
        no.iter().zip(&yes).map(|(&no, &yes)| machine.graph.select(edge, yes, no)).collect();
    write(machine, one, 0, Word::Bits(value::bytes(&chosen, lane)))
}

/// `movs` and `stos`, once or as often as rcx says.
fn string(machine: &mut Machine<'_>, one: &Instruction) -> Result<(), Why> {
    use Mnemonic::*;
    let bytes = match one.mnemonic() {
        Movsb | Stosb => 1,
        Movsd | Stosd => 4,
        _ => 8,
    };
    let copies = matches!(one.mnemonic(), Movsb | Movsd | Movsq);
    let repeats = one.has_rep_prefix();
    let count = match (repeats, machine.general(1)) {
        (false, _) => 1,
        (_, Word::Bits(count)) => value::known(&count).ok_or(Why::SecretAddress)?,
        (_, Word::Number(_)) => return Err(Why::Turns),
        (_, Word::Address(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_)) => {
            return Err(Why::Address);
        }
    };
    let place = |machine: &mut Machine<'_>, register| match machine.general(register) {
        Word::Address(address) => Ok(address),
        Word::Bits(_) | Word::Distance(..) | Word::Multiple(..) | Word::Number(_) | Word::Low(_) => {
            Err(Why::SecretAddress)
        }
    };
    for _ in 0..count {
        let to = place(machine, 7)?;
        let cells = if copies {
            let from = place(machine, 6)?;
            machine.set_general(6, Word::Address(Address { offset: from.offset + bytes, ..from }));
            machine.memory.read(machine.graph, from, bytes as usize)?
        } else {
            match machine.general(0) {
                Word::Bits(all) => all[..bytes as usize].iter().map(|&byte| Cell::Bits(byte)).collect(),
                Word::Address(_)
                | Word::Distance(..)
                | Word::Multiple(..)
                | Word::Number(_)
                | Word::Low(_) => {
                    return Err(Why::Address);
                }
            }
        };
        machine.memory.write(to, &cells)?;
        machine.set_general(7, Word::Address(Address { offset: to.offset + bytes, ..to }));
    }
    if repeats {
        machine.set_general(1, Word::Bits(value::constant(8, 0)));
    }
    Ok(())
}
