//! Faults, seeded into programs of Usuba0 and into the bytes of objects.

use iced_x86::{ConstantOffsets, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use std::fmt;
use usuba_ir::check::check;
use usuba_ir::program::{BinaryOp, Block, Op, Program, ShiftOp, ValueId};
use usuba_ir::random::Random;
use usuba_verify::object::file::Object;

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    /// A complement is lost.
    Negation,
    /// Another operation.
    Operation,
    /// Another value or register as operand, or operands exchanged.
    Operand,
    /// Rotated or shifted by one more or less.
    Rotation,
    /// The neighbour of an element, another lane or another word in memory.
    Place,
    /// Another constant or truth table.
    Constant,
    /// Another slot of the stack.
    Spill,
    /// A bit of the code that changes more than that, or a byte of what is between instructions.
    Byte,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 8] = [
        Fault::Negation,
        Fault::Operation,
        Fault::Operand,
        Fault::Rotation,
        Fault::Place,
        Fault::Constant,
        Fault::Spill,
        Fault::Byte,
    ];
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Negation => "negation",
            Fault::Operation => "operation",
            Fault::Operand => "operand",
            Fault::Rotation => "rotation",
            Fault::Place => "place",
            Fault::Constant => "constant",
            Fault::Spill => "spill slot",
            Fault::Byte => "other byte",
        })
    }
}

/// How many operations of a program a fault can be in.
pub fn sites(program: &Program) -> usize {
    let mut count = 0;
    for node in &program.nodes {
        visit(&mut node.body.clone(), &mut |_, _| count += 1);
    }
    count
}

/// Shows every operation that a fault can be in, with the result of the one before it.
fn visit(block: &mut Block, see: &mut dyn FnMut(&mut Op, Option<ValueId>)) {
    let mut before = block.parameters.last().copied();
    for operation in &mut block.operations {
        match &mut operation.op {
            Op::Loop(inner) => visit(&mut inner.body, see),
            op @ (Op::Constant(_)
            | Op::Not(_)
            | Op::Binary(..)
            | Op::Ternary(..)
            | Op::Shift(..)
            | Op::Get(..)) => see(op, before),
            _ => {}
        }
        before = operation.results.last().copied();
    }
}

/// A program with one fault at the site with this number: an operand complemented or exchanged, another operator or value, a rotation
/// by one more or less, a bit of a constant or a truth table flipped, a neighbour of an element. `None` if it is malformed then.
pub fn in_program(program: &Program, site: usize, random: &mut Random) -> Option<(Fault, Program)> {
    let mut program = program.clone();
    let (mut number, mut fault) = (0, None);
    for node in &mut program.nodes {
        let types: Vec<_> = node.values.iter().map(|value| value.ty).collect();
        visit(&mut node.body, &mut |op, before| {
            number += 1;
            if number != site + 1 {
                return;
            }
            let way = random.below(4);
            let (kind, other) = match op.clone() {
                Op::Constant(value) => (Fault::Constant, Op::Constant(value ^ 1)),
                Op::Not(a) => (Fault::Negation, Op::Refresh(a)),
                Op::Binary(kind, a, b) => match (kind, way) {
                    (_, 3)
                        if before.is_some_and(|one| {
                            ![a, b].contains(&one) && types[one.index()] == types[b.index()]
                        }) =>
                    {
                        (Fault::Operand, Op::Binary(kind, a, before.unwrap_or(b)))
                    }
                    (BinaryOp::Xor, 0) => (Fault::Operation, Op::Binary(BinaryOp::Or, a, b)),
                    (BinaryOp::Xor, _) => (Fault::Operation, Op::Binary(BinaryOp::AndNot, a, b)),
                    (BinaryOp::And, 0) => (Fault::Negation, Op::Binary(BinaryOp::AndNot, a, b)),
                    (BinaryOp::And, _) => (Fault::Operation, Op::Binary(BinaryOp::Or, a, b)),
                    (BinaryOp::Or, 0) => (Fault::Operation, Op::Binary(BinaryOp::Xor, a, b)),
                    (BinaryOp::Or, _) => (Fault::Operation, Op::Binary(BinaryOp::And, a, b)),
                    (BinaryOp::AndNot, 0) => (Fault::Operand, Op::Binary(BinaryOp::AndNot, b, a)),
                    (BinaryOp::AndNot, _) => (Fault::Negation, Op::Binary(BinaryOp::And, a, b)),
                    (BinaryOp::Add, _) => (Fault::Operation, Op::Binary(BinaryOp::Subtract, a, b)),
                    (BinaryOp::Subtract | BinaryOp::Multiply, _) => {
                        (Fault::Operation, Op::Binary(BinaryOp::Add, a, b))
                    }
                },
                Op::Ternary(table, of) => (Fault::Constant, Op::Ternary(table ^ 1 << random.below(8), of)),
                Op::Shift(kind, a, amount) => {
                    let width = types[a.index()].layout.width();
                    let amount = if way == 0 && amount > 1 { amount - 1 } else { amount + 1 };
                    let shifted = if amount < width {
                        Op::Shift(kind, a, amount)
                    } else {
                        Op::Shift(ShiftOp::Left, a, 1)
                    };
                    (Fault::Rotation, shifted)
                }
                Op::Get(array, mut index) => {
                    index.constant += if way == 0 { -1 } else { 1 };
                    (Fault::Place, Op::Get(array, index))
                }
                other => (Fault::Operation, other),
            };
            fault = Some(kind);
            *op = other;
        });
    }
    check(&program).ok()?;
    Some((fault?, program))
}

/// The code of a function in an object file, whose bytes can be patched.
pub struct Code {
    /// Where it begins in the file.
    place: usize,
    bytes: Vec<u8>,
    /// The instructions and where they begin.
    instructions: Vec<(usize, Instruction)>,
}

impl Code {
    /// The code of a function of an object file.
    ///
    /// # Panics
    /// If the object has no such function.
    pub fn of(file: &[u8], function: &str) -> Code {
        let object = Object::parse(file).expect("an object");
        let bytes = object.code(object.function(function).expect("a function")).to_vec();
        let place = file.windows(bytes.len()).position(|window| window == bytes).expect("it is in the file");
        let mut decoder = Decoder::with_ip(64, &bytes, 0, DecoderOptions::NONE);
        let mut instructions = Vec::new();
        while decoder.can_decode() {
            let at = decoder.position();
            instructions.push((at, decoder.decode()));
        }
        Code { place, bytes, instructions }
    }

    /// Bytes of the function.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The file with one random bit of the function flipped, or now and then a rotation by one more or less, or a slot of the stack
    /// replaced by the next one; and what kind of fault that is.
    pub fn faulty(&self, file: &[u8], random: &mut Random) -> (Fault, Vec<u8>) {
        let mut bytes = self.bytes.clone();
        let way = random.below(4);
        let targeted = match way {
            0 => self.rotation(random).inspect(|&(at, value)| bytes[at] = value),
            1 => self.slot(random).inspect(|&(at, value)| bytes[at] = value),
            _ => None,
        };
        if targeted.is_none() {
            let at = random.below(bytes.len() as u32) as usize;
            bytes[at] ^= 1 << random.below(8);
        }
        let fault = self.fault(&bytes);
        let mut patched = file.to_vec();
        patched[self.place..][..bytes.len()].copy_from_slice(&bytes);
        (fault, patched)
    }

    /// The place of an amount of a rotation or shift, and one more or less.
    fn rotation(&self, random: &mut Random) -> Option<(usize, u8)> {
        let all: Vec<usize> = self
            .instructions
            .iter()
            .filter(|(_, one)| is_shift(one.mnemonic()))
            .filter_map(|&(at, _)| {
                let offsets = offsets(&self.bytes[at..]);
                (offsets.has_immediate() && offsets.immediate_size() == 1)
                    .then(|| at + offsets.immediate_offset())
            })
            .collect();
        let &at = all.get(random.below(all.len().max(1) as u32) as usize)?;
        let value = self.bytes[at];
        Some((at, if random.below(2) == 0 { value.wrapping_sub(1) } else { value.wrapping_add(1) }))
    }

    /// The place of a distance from the stack pointer, and the distance to the next or last slot.
    fn slot(&self, random: &mut Random) -> Option<(usize, u8)> {
        let all: Vec<(usize, u8)> = self
            .instructions
            .iter()
            .filter(|(_, one)| one.memory_base() == Register::RSP)
            .filter_map(|&(at, one)| {
                let offsets = offsets(&self.bytes[at..]);
                let place = at + offsets.displacement_offset();
                // A distance of one byte is counted in registers in EVEX.
                let is_scaled = self.bytes[at] == 0x62 && offsets.displacement_size() == 1;
                let step = if is_scaled { 1 } else { one.memory_size().size() as u8 };
                offsets.has_displacement().then_some((place, step))
            })
            .collect();
        let &(at, step) = all.get(random.below(all.len().max(1) as u32) as usize)?;
        let value = self.bytes[at];
        Some((at, if random.below(2) == 0 { value.wrapping_sub(step) } else { value.wrapping_add(step) }))
    }

    /// What kind of fault changed bytes are: the first instruction that is another one says.
    fn fault(&self, bytes: &[u8]) -> Fault {
        let Some(changed) = self.bytes.iter().zip(bytes).position(|(a, b)| a != b) else {
            return Fault::Byte;
        };
        let place = self.instructions.iter().rposition(|&(at, _)| at <= changed).unwrap_or(0);
        let (at, was) = self.instructions[place];
        let is = Decoder::with_ip(64, &bytes[at..], at as u64, DecoderOptions::NONE).decode();
        if is.is_invalid() || is.len() != was.len() {
            return Fault::Byte;
        }
        if is.mnemonic() != was.mnemonic() || is.op_count() != was.op_count() {
            let pair = [was.mnemonic(), is.mnemonic()];
            let loses = pair.iter().any(|one| {
                matches!(
                    one,
                    Mnemonic::Pandn | Mnemonic::Vpandn | Mnemonic::Vpandnd | Mnemonic::Andn | Mnemonic::Not
                )
            });
            return if loses { Fault::Negation } else { Fault::Operation };
        }
        let kinds = (0..was.op_count()).map(|n| (was.op_kind(n), is.op_kind(n)));
        if kinds.clone().any(|(a, b)| a != b) {
            return Fault::Byte;
        }
        let registers = (0..was.op_count())
            .any(|n| was.op_kind(n) == OpKind::Register && was.op_register(n) != is.op_register(n));
        let addressed = (was.memory_base(), was.memory_index(), was.memory_displacement64())
            != (is.memory_base(), is.memory_index(), is.memory_displacement64());
        let immediate =
            offsets(&bytes[at..]).has_immediate() && offsets(&bytes[at..]).immediate_offset() <= changed - at;
        match () {
            () if registers => Fault::Operand,
            () if addressed && was.memory_base() == Register::RSP => Fault::Spill,
            () if addressed => Fault::Place,
            () if immediate && is_shift(was.mnemonic()) => Fault::Rotation,
            () if immediate && is_shuffle(&was) => Fault::Place,
            () if immediate => Fault::Constant,
            () => Fault::Byte,
        }
    }
}

/// Where in the bytes of an instruction its numbers are. Only a decoder that has just read it knows.
fn offsets(bytes: &[u8]) -> ConstantOffsets {
    let mut decoder = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE);
    let instruction = decoder.decode();
    decoder.get_constant_offsets(&instruction)
}

fn is_shift(mnemonic: Mnemonic) -> bool {
    use Mnemonic::*;
    matches!(
        mnemonic,
        Rol | Ror
            | Rorx
            | Shl
            | Shr
            | Sar
            | Psllw
            | Pslld
            | Psllq
            | Psrlw
            | Psrld
            | Psrlq
            | Vpsllw
            | Vpslld
            | Vpsllq
            | Vpsrlw
            | Vpsrld
            | Vpsrlq
            | Vprold
            | Vprolq
            | Vprord
            | Vprorq
    )
}

/// Whether the immediate says which elements go where.
fn is_shuffle(instruction: &Instruction) -> bool {
    let name = format!("{:?}", instruction.mnemonic());
    let name = name.to_lowercase();
    ["shuf", "perm", "insert", "extract", "blend", "align"].iter().any(|part| name.contains(part))
}
