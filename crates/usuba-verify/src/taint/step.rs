//! What an instruction that does not jump makes of a state.

use super::Kind;
use super::state::{Compared, LOWEST, Pointer, State, Trail, Value};
use iced_x86::{Instruction, InstructionInfo, Mnemonic, OpAccess, OpKind, Register, RflagsBits, UsedMemory};

/// What a step needs from whoever runs it.
pub(super) trait Watch {
    /// Something depends on a secret.
    fn leak(&mut self, kind: Kind, trail: Trail);
    /// The trail of what this instruction makes of a secret.
    fn through(&mut self, trail: Trail) -> Trail;
    /// What the address of a place that the instruction names is.
    fn linked(&self) -> Pointer;
}

/// The status flags, in the groups of [`State::flags`].
const FLAGS: [u32; 2] = [RflagsBits::CF, RflagsBits::OF | RflagsBits::SF | RflagsBits::ZF | RflagsBits::PF];

fn reads(access: OpAccess) -> bool {
    use OpAccess::*;
    matches!(access, Read | CondRead | ReadWrite | ReadCondWrite)
}

fn writes(access: OpAccess) -> bool {
    use OpAccess::*;
    matches!(access, Write | CondWrite | ReadWrite | ReadCondWrite)
}

/// Whether the result is the same whatever the operands are: `xor a, a` and the like.
fn forgets(one: &Instruction) -> bool {
    use Mnemonic::*;
    let count = one.op_count();
    let is_register = |operand: u32| one.op_kind(operand) == OpKind::Register;
    if count < 2 || !is_register(count - 1) || !is_register(count - 2) {
        return false;
    }
    one.op_register(count - 1) == one.op_register(count - 2)
        && matches!(
            one.mnemonic(),
            Xor | Sub
                | Pxor
                | Xorps
                | Xorpd
                | Psubb
                | Psubw
                | Psubd
                | Psubq
                | Pcmpeqb
                | Pcmpeqw
                | Pcmpeqd
                | Pcmpeqq
                | Vpxor
                | Vxorps
                | Vxorpd
                | Vpxord
                | Vpxorq
                | Vpsubd
                | Vpsubq
                | Vpcmpeqb
                | Vpcmpeqw
                | Vpcmpeqd
                | Vpcmpeqq
        )
}

/// Whether the time of an instruction depends on its operands: divisions, roots, and what some processors do bit by bit.
fn has_variable_time(mnemonic: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        mnemonic,
        Div | Idiv
            | Divss
            | Divsd
            | Divps
            | Divpd
            | Sqrtss
            | Sqrtsd
            | Sqrtps
            | Sqrtpd
            | Vdivss
            | Vdivsd
            | Vdivps
            | Vdivpd
            | Vsqrtss
            | Vsqrtsd
            | Vsqrtps
            | Vsqrtpd
            | Fdiv
            | Fdivp
            | Fdivr
            | Fdivrp
            | Fidiv
            | Fidivr
            | Fsqrt
            | Fprem
            | Fprem1
            | Pdep
            | Pext
    )
}

/// The address of an access, and whether it depends on a secret.
fn address(state: &State, memory: &UsedMemory, watch: &dyn Watch) -> Value {
    if memory.base() == Register::RIP || memory.base() == Register::EIP {
        return Value { secret: None, pointer: watch.linked() };
    }
    let mut sum = Value::constant(memory.displacement() as i64);
    for (register, scale) in [(memory.base(), 1), (memory.index(), memory.scale())] {
        if register == Register::None {
            continue;
        }
        let mut value = state.register(register);
        if scale != 1 {
            value.pointer = match value.pointer {
                Pointer::Constant(number) => Pointer::Constant(number.wrapping_mul(i64::from(scale))),
                _ => Pointer::Elsewhere,
            };
        }
        sum = Value { secret: sum.secret.or(value.secret), pointer: sum.pointer.plus(value.pointer) };
    }
    sum
}

/// Changes the state as an instruction does that is neither a jump nor a call nor a return.
pub(super) fn step(state: &mut State, one: &Instruction, info: &InstructionInfo, watch: &mut dyn Watch) {
    use Mnemonic::*;
    // Loads: what is read, and whether from where depends on a secret.
    let mut secret: Option<Trail> = None;
    let mut loaded: Option<Value> = None;
    for memory in info.used_memory() {
        if memory.access() == OpAccess::NoMemAccess {
            continue;
        }
        let place = address(state, memory, watch);
        if let Some(trail) = place.secret {
            watch.leak(Kind::Address, trail);
            secret = secret.or(Some(trail));
        }
        if reads(memory.access()) {
            let value = match one.has_rep_prefix() || one.has_repne_prefix() {
                true => Value::number(state.secret_behind(place.pointer)),
                false => state.load(place.pointer, memory.memory_size().size() as i64),
            };
            secret = secret.or(value.secret);
            loaded = Some(value);
        }
    }
    let forgets = forgets(one);
    for register in info.used_registers().iter().filter(|one| reads(one.access())) {
        if !forgets {
            secret = secret.or(state.register(register.register()).secret);
        }
    }
    secret = secret.or(flags_read(state, one));
    if forgets {
        secret = None;
    }
    if has_variable_time(one.mnemonic())
        && let Some(trail) = secret
    {
        watch.leak(Kind::Time, trail);
    }
    if one.has_rep_prefix() || one.has_repne_prefix() {
        let compares = matches!(one.mnemonic(), Cmpsb | Cmpsw | Cmpsq | Scasb | Scasw | Scasd | Scasq);
        let length = state.register(Register::RCX).secret;
        // A comparison ends where there is a difference.
        if one.is_string_instruction()
            && let Some(trail) = length.or(if compares { secret } else { None })
        {
            watch.leak(Kind::Length, trail);
        }
    }
    let secret = secret.map(|trail| watch.through(trail));
    let value = result(state, one, secret, loaded, watch);
    let compared = compared(state, one, loaded, value);
    for memory in info.used_memory().iter().filter(|memory| writes(memory.access())) {
        let mut place = address(state, memory, watch).pointer;
        let repeats = one.has_rep_prefix() && one.is_string_instruction();
        if repeats {
            place = place.moved(None);
        }
        let is_certain = matches!(memory.access(), OpAccess::Write | OpAccess::ReadWrite) && !repeats;
        let bytes = memory.memory_size().size() as i64;
        let value = if is_certain { value } else { value.met(state.load(place, bytes)) };
        state.store(place, bytes, value);
    }
    for register in info.used_registers().iter().filter(|one| writes(one.access())) {
        let name = register.register();
        let old = state.register(name);
        let keeps = matches!(register.access(), OpAccess::CondWrite | OpAccess::ReadCondWrite)
            || name.is_gpr8()
            || name.is_gpr16();
        let mut new = value;
        if one.is_stack_instruction() && name.full_register() == Register::RSP {
            new = Value {
                secret: None,
                pointer: old.pointer.moved(Some(i64::from(one.stack_pointer_increment()))),
            };
        } else if one.is_string_instruction() {
            new = Value { secret: old.secret, pointer: old.pointer.moved(None) };
            if name.full_register() == Register::RAX {
                new = value;
            }
        } else if keeps {
            new = Value { secret: value.secret.or(old.secret), pointer: value.pointer.met(old.pointer) };
        }
        state.set_register(name, new);
    }
    let modified = one.rflags_modified();
    if modified != 0 {
        state.compared = compared;
    }
    // A shift by a register may leave all of them.
    let may_keep = matches!(one.mnemonic(), Shl | Shr | Sar | Rol | Ror | Rcl | Rcr | Shld | Shrd);
    for (flag, group) in state.flags.iter_mut().zip(FLAGS) {
        if modified & group != 0 {
            let keeps = may_keep || modified & group != group;
            *flag = if keeps { secret.or(*flag) } else { secret };
        }
    }
}

/// The secret in the flags that an instruction reads.
pub(super) fn flags_read(state: &State, one: &Instruction) -> Option<Trail> {
    let read = one.rflags_read();
    state.flags.iter().zip(FLAGS).find_map(|(flag, group)| if read & group != 0 { *flag } else { None })
}

/// What is written: a number, or an address where the instruction moves or adds up addresses.
fn result(
    state: &State,
    one: &Instruction,
    secret: Option<Trail>,
    loaded: Option<Value>,
    watch: &dyn Watch,
) -> Value {
    use Mnemonic::*;
    let number = Value::number(secret);
    let operand = |operand: u32| operand_of(state, one, operand, loaded);
    let bytes = operand_bytes(one);
    if bytes != 8 && bytes != 4 {
        return number;
    }
    let pointer = match one.mnemonic() {
        _ if forgets(one) && matches!(one.mnemonic(), Xor | Sub) => Pointer::Constant(0),
        Mov | Movq => operand(1),
        Push => operand(0),
        Pop => loaded.map_or(Pointer::Elsewhere, |value| value.pointer),
        Lea => {
            if one.is_ip_rel_memory_operand() {
                watch.linked()
            } else {
                let scaled = |pointer: Pointer| match (pointer, one.memory_index_scale()) {
                    (pointer, 1) => pointer,
                    (Pointer::Constant(number), scale) => {
                        Pointer::Constant(number.wrapping_mul(i64::from(scale)))
                    }
                    _ => Pointer::Elsewhere,
                };
                let mut sum = Pointer::Constant(one.memory_displacement64() as i64);
                if one.memory_base() != Register::None {
                    sum = sum.plus(state.register(one.memory_base()).pointer);
                }
                if one.memory_index() != Register::None {
                    sum = sum.plus(scaled(state.register(one.memory_index()).pointer));
                }
                sum
            }
        }
        Add => operand(0).plus(operand(1)),
        Inc => operand(0).moved(Some(1)),
        Dec => operand(0).moved(Some(-1)),
        Sub => match (operand(0), operand(1)) {
            (pointer, Pointer::Constant(by)) => pointer.moved(Some(by.wrapping_neg())),
            (Pointer::Stack { .. }, _) => Pointer::Stack { from: LOWEST, exact: false },
            (pointer, _) => pointer.moved(None),
        },
        // Aligned down: nothing else is between there and here.
        And => match (operand(0), operand(1)) {
            (Pointer::Constant(a), Pointer::Constant(b)) => Pointer::Constant(a & b),
            (pointer @ (Pointer::Stack { .. } | Pointer::Regions(_)), Pointer::Constant(by)) if by < 0 => {
                pointer
            }
            _ => Pointer::Elsewhere,
        },
        _ if one.condition_code() != iced_x86::ConditionCode::None && one.op_count() == 2 => {
            operand(1).met(operand(0))
        }
        _ => Pointer::Elsewhere,
    };
    // Of four bytes only constants are followed.
    let pointer = match pointer {
        pointer if bytes == 8 => pointer,
        Pointer::Constant(number) => Pointer::Constant(i64::from(number as u32)),
        _ => Pointer::Elsewhere,
    };
    Value { pointer, ..number }
}

/// Bytes of the first operand, if it is a general-purpose register or memory.
fn operand_bytes(one: &Instruction) -> usize {
    match one.op_kind(0) {
        _ if one.is_stack_instruction() => 8,
        OpKind::Register if one.op_register(0).is_gpr() => one.op_register(0).size(),
        OpKind::Memory => one.memory_size().size(),
        _ => 0,
    }
}

/// What an operand may point to, or the constant that it is.
fn operand_of(state: &State, one: &Instruction, operand: u32, loaded: Option<Value>) -> Pointer {
    match one.op_kind(operand) {
        OpKind::Register => {
            match (one.op_register(operand), state.register(one.op_register(operand)).pointer) {
                (register, pointer) if register.is_gpr64() => pointer,
                (register, Pointer::Constant(number)) if register.is_gpr32() => {
                    Pointer::Constant(i64::from(number as u32))
                }
                _ => Pointer::Elsewhere,
            }
        }
        OpKind::Memory => loaded.map_or(Pointer::Elsewhere, |value| value.pointer),
        _ => Pointer::Constant(one.immediate(operand) as i64),
    }
}

/// What an instruction compares, if both are constants, or places of the stack.
fn compared(state: &State, one: &Instruction, loaded: Option<Value>, result: Value) -> Option<Compared> {
    use Mnemonic::*;
    let bytes = operand_bytes(one);
    if bytes != 8 && bytes != 4 || one.op_count() == 0 {
        return None;
    }
    let bits = 8 * bytes as u32;
    let (a, b, is_difference) = match one.mnemonic() {
        Cmp | Sub => (operand_of(state, one, 0, loaded), operand_of(state, one, 1, loaded), true),
        Test if one.op_kind(1) == OpKind::Register && one.op_register(0) == one.op_register(1) => {
            (operand_of(state, one, 0, loaded), Pointer::Constant(0), true)
        }
        Add | Inc | Dec | And => (result.pointer, Pointer::Constant(0), false),
        _ => return None,
    };
    match (a, b) {
        (Pointer::Constant(a), Pointer::Constant(b)) => Some(Compared { a, b, bits, is_difference }),
        (Pointer::Stack { from: a, exact: true }, Pointer::Stack { from: b, exact: true }) => {
            // As they lie in memory: both are in one half.
            Some(Compared { a, b, bits, is_difference }).filter(|_| bytes == 8 && (a < 0) == (b < 0))
        }
        _ => None,
    }
}
