//! The rows of a target in a C program, on random operands, and the same by their executable meaning.
//!
//! The operands are registers cut from one stream of random words, among which are many of all zeros, all ones and the
//! like: operand 0 of tuple i is the i-th register from the start, operand 1 the i-th from the end, operand 2 the i-th from
//! the middle. So every operand sees every word of the stream once. The tuples are dealt to the immediates of the row in
//! blocks, and each block gives a digest of its results.

use std::fmt::Write;
use usuba_ir::random::Random;
use usuba_target::Target;
use usuba_target::encoding::{Encoding, Operand, pointer, register_name};
use usuba_target::instruction::{Instruction, Meaning, ZERO_BYTE};
use usuba_target::semantics::{Constant, Undefined, constant, evaluate_into, immediates};

/// Bytes of a word of the stream.
const WORD: usize = 8;
/// The least number of blocks of a case.
const BLOCKS: usize = 64;
/// Constants that a row is compared on.
const CONSTANTS: usize = 64;

/// Where every eighth word of the stream comes from.
const CORNERS: [u64; 16] = [
    0,
    u64::MAX,
    1,
    1 << 63,
    u64::MAX >> 1,
    0x0101_0101_0101_0101,
    0x8080_8080_8080_8080,
    0x7f7f_7f7f_7f7f_7f7f,
    0x0001_0001_0001_0001,
    0x8000_8000_8000_8000,
    0x7fff_7fff_7fff_7fff,
    0x0000_0001_0000_0001,
    0x8000_0000_8000_0000,
    0x7fff_ffff_7fff_ffff,
    0x00ff_00ff_00ff_00ff,
    0x5555_aaaa_5555_aaaa,
];

/// The words that all operands are cut from.
pub struct Stream {
    /// Bytes in memory order, of little-endian words.
    bytes: Vec<u8>,
    /// The same, each byte made an index of [`Meaning::ShuffleBytes`].
    indices: Vec<u8>,
}

impl Stream {
    /// The stream of so many words, a power of two.
    pub fn new(words: usize) -> Stream {
        let mut random = Random::new(1);
        let mut bytes = Vec::with_capacity(WORD * words);
        for _ in 0..words {
            let (choice, word) = (random.bits(), random.bits());
            let word = if choice & 7 == 0 { CORNERS[(choice >> 8 & 15) as usize] } else { word };
            bytes.extend(word.to_le_bytes());
        }
        let indices = bytes.iter().map(|&byte| if byte & 16 == 0 { byte & 15 } else { ZERO_BYTE }).collect();
        Stream { bytes, indices }
    }

    /// Operand `place` of tuple `number`, for registers of so many bytes.
    fn operand(&self, meaning: Meaning, place: usize, number: usize, bytes: usize) -> &[u8] {
        let step = bytes.max(WORD);
        let start = match place {
            0 => number * step,
            1 => self.bytes.len() - (number + 1) * step,
            _ => (number * step + self.bytes.len() / 2) % self.bytes.len(),
        };
        let from = if meaning == Meaning::ShuffleBytes && place == 1 { &self.indices } else { &self.bytes };
        &from[start..start + bytes]
    }
}

/// What a row is given beside its operands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Given {
    Nothing,
    Immediate(u32),
    Constant(Constant),
}

/// Meaning, bits of a lane, bytes of a register, how many immediates are tried.
pub type Key = (Meaning, u32, usize, usize);

/// A row on registers of one size.
#[derive(Clone, Debug)]
pub struct Case {
    row: Instruction,
    /// Bytes of a register.
    bytes: usize,
    /// The C type of a register.
    register: &'static str,
    given: Vec<Given>,
}

/// The rows of a target as cases: on general-purpose registers those without lanes for words of every width.
///
/// Of the immediates, all are tried where `all` says so of a row, else every seventh and the last.
pub fn cases(target: &Target, rows: &[Instruction], mut all: impl FnMut(&Instruction) -> bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for row in rows {
        let all = all(row);
        let widths: &[u32] = match (target.single_lane, &row.lane) {
            (false, _) => &[target.register_bits],
            (true, 0) => &[8, 16, 32, 64],
            (true, _) if row.meaning == Meaning::RepeatMask => &[64],
            (true, lane) => std::slice::from_ref(lane),
        };
        for &width in widths {
            let bytes = width as usize / 8;
            let mut given = given(row, bytes);
            if !all && row.meaning.has_immediate() {
                let last = given.len() - 1;
                let mut place = 0..=last;
                given.retain(|_| place.next().is_some_and(|place| place % 7 == 0 || place == last));
            }
            cases.push(Case { row: *row, bytes, register: target.register_type(width), given });
        }
    }
    cases
}

/// All immediates of a row, or some constants.
fn given(row: &Instruction, bytes: usize) -> Vec<Given> {
    let mut random = Random::new(2);
    let mut constants = |one: &mut dyn FnMut(&mut Random) -> Constant| {
        (0..CONSTANTS).map(|_| Given::Constant(one(&mut random))).collect()
    };
    let lane = if row.lane == 0 { 8 * bytes } else { row.lane as usize };
    let bytes_of = |random: &mut Random, count: usize| (0..count).map(|_| random.bits() as u8).collect();
    let number = |random: &mut Random| {
        let corner = random.once_in(4).then(|| *random.choose(&CORNERS));
        corner.unwrap_or_else(|| random.bits()) & u64::MAX >> (64 - lane)
    };
    match row.meaning {
        Meaning::Constant => constants(&mut |random| Constant::Lane(number(random))),
        Meaning::ConstantLanes => {
            constants(&mut |random| Constant::Lanes((0..128 / lane).map(|_| number(random)).collect()))
        }
        Meaning::ConstantGroup => constants(&mut |random| Constant::Bytes(bytes_of(random, 16))),
        Meaning::ConstantBytes => constants(&mut |random| Constant::Bytes(bytes_of(random, bytes))),
        meaning if meaning.has_immediate() => immediates(row, bytes).map(Given::Immediate).collect(),
        _ => vec![Given::Nothing],
    }
}

impl Case {
    /// The row, its width and what it is given in a block: for messages.
    pub fn describe(&self, block: usize) -> String {
        let Instruction { meaning, lane, mnemonic, c, .. } = self.row;
        let given = &self.given[block % self.given.len()];
        format!("{meaning:?} {lane} ({mnemonic}: {c}) on {} bytes with {given:?}", self.bytes)
    }

    /// Whether assembly is made of it: not of words of 8 and 16 bits. Masks are left out, as the line would be given other bytes.
    pub fn has_assembly(&self) -> bool {
        self.bytes >= 4 && self.row.meaning != Meaning::RepeatMask
    }

    /// What of a case its digests depend on.
    pub fn key(&self) -> Key {
        (self.row.meaning, self.row.lane, self.bytes, self.given.len())
    }

    /// How many digests the case gives.
    pub fn blocks(&self) -> usize {
        match self.given[0] {
            Given::Constant(_) => self.given.len(),
            _ => self.given.len().next_power_of_two().max(BLOCKS),
        }
    }

    /// How many tuples of operands it is run on.
    pub fn tuples(&self, words: usize) -> usize {
        WORD * words / self.bytes.max(WORD)
    }

    /// How many operands the row is given when it is run: a store has none for its address.
    fn operands(&self) -> usize {
        self.row.meaning.operands() - usize::from(self.row.meaning.is_store())
    }

    /// Whether its second operand is a public count.
    fn is_part(&self) -> bool {
        matches!(self.row.meaning, Meaning::LoadPart | Meaning::StorePart)
    }

    /// A count that is fewer than all lanes, from random bytes.
    fn count(&self, operand: &[u8]) -> u64 {
        let lanes = self.bytes as u64 * 8 / u64::from(self.row.lane.max(8));
        u64::from(operand.first().copied().unwrap_or(0)) % lanes
    }

    /// The digest of each block, by the meaning of the row.
    ///
    /// # Errors
    /// The meaning is not defined for one of the operands.
    pub fn digests(&self, stream: &Stream) -> Result<Vec<u64>, Undefined> {
        self.digests_by(stream, Way::Registers)
    }

    /// [`Case::digests`] of a way to give the operands in assembly.
    ///
    /// # Errors
    /// As for [`Case::digests`].
    pub fn digests_by(&self, stream: &Stream, way: Way) -> Result<Vec<u64>, Undefined> {
        let tuples = self.tuples(stream.bytes.len() / WORD) / self.blocks();
        let operands = self.operands();
        let (mut register, mut repeated) = (vec![0; self.bytes], vec![0; self.bytes]);
        let size = match (self.row.meaning, self.row.lane as usize / 8) {
            (Meaning::Broadcast | Meaning::RepeatMask, 1..) => self.row.lane as usize / 8,
            _ => self.bytes,
        };
        let block = |block: usize| {
            let immediate = match &self.given[block % self.given.len()] {
                Given::Constant(value) => {
                    return Ok(mix(0, &constant(&self.row, self.bytes, value)?));
                }
                Given::Immediate(immediate) => Some(*immediate),
                Given::Nothing => None,
            };
            (block * tuples..(block + 1) * tuples).try_fold(0, |digest, number| {
                let operand = |place| &stream.operand(self.row.meaning, place, number, self.bytes)[..size];
                let mut all = [operand(0), operand(1), operand(2)];
                if let Way::Repeated(place, bits) = way {
                    let piece = bits as usize / 8;
                    repeated.chunks_mut(piece).for_each(|to| to.copy_from_slice(&all[place][..piece]));
                    all[place] = &repeated;
                }
                let count = self.count(all[1]).to_le_bytes();
                if self.is_part() {
                    all[1] = &count;
                }
                let mask = [if all[0][0] >> 7 == 1 { 0xff } else { 0 }];
                if self.row.meaning == Meaning::RepeatMask {
                    all[0] = &mask;
                }
                evaluate_into(&self.row, &all[..operands], immediate, &mut register)?;
                Ok(mix(digest, &register))
            })
        };
        (0..self.blocks()).map(block).collect()
    }
}

/// Where the operands of a line of assembly are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Way {
    /// All in registers; what is loaded, in memory.
    Registers,
    /// The one of this place in memory.
    Memory(usize),
    /// Of the one of this place so many bits in memory, repeated.
    Repeated(usize, u32),
}

impl Case {
    /// The ways in which the row takes its operands in assembly; none if there is no line for it.
    pub fn ways(&self) -> Vec<Way> {
        match (self.row.meaning, self.row.constraints) {
            (Meaning::Load | Meaning::Broadcast | Meaning::RepeatMask, _) => vec![Way::Registers],
            (_, None) => Vec::new(),
            (_, Some(constraints)) => {
                let memory = constraints.memory.map(Way::Memory);
                let repeated = constraints.repeats.iter();
                let repeated =
                    repeated.filter_map(|(bits, _)| Some(Way::Repeated(constraints.memory?, *bits)));
                [Way::Registers].into_iter().chain(memory).chain(repeated).collect()
            }
        }
    }

    /// The lines between the loads of the operands and the store of the result.
    fn lines(&self, encoding: Encoding, way: Way, given: &Given) -> String {
        const ADDRESSES: [&str; 3] = ["[rsi]", "[rdx]", "[rcx]"];
        let bits = 8 * self.bytes as u32;
        let to = first_register(encoding);
        let Some(constraints) = self.row.constraints else {
            return self.row.load_lines(bits, to, ADDRESSES[0]).join("\n    ");
        };
        let sources: Vec<Operand> = (0..self.row.meaning.operands())
            .map(|place| match way {
                Way::Memory(at) if at == place => Operand::Memory(ADDRESSES[place].into()),
                Way::Repeated(at, bits) if at == place => Operand::Repeated(ADDRESSES[place].into(), bits),
                _ => Operand::Register(to + 1 + place as u8),
            })
            .collect();
        let immediate = match given {
            Given::Immediate(immediate) => Some(*immediate),
            _ => None,
        };
        let to = if constraints.overwrites { to + 1 } else { to };
        self.row.line(bits, to, &sources, immediate).expect("a row with constraints")
    }
}

/// A register that only the encoding reaches, so far as it can; the operands are in those after it.
fn first_register(encoding: Encoding) -> u8 {
    match encoding {
        Encoding::Evex => 28,
        Encoding::Legacy | Encoding::Vex => 12,
        // From here on are four that a function may change.
        Encoding::General => 8,
    }
}

/// An assembly file with a function for every case, way and immediate, and a C program that prints the digests of them: of
/// a case a line for each block, way by way.
pub fn assembly(target: &Target, encoding: Encoding, cases: &[Case], words: usize) -> (String, String) {
    let mut code = String::from("    .intel_syntax noprefix\n    .text\n");
    let (mut names, mut calls) = (String::new(), String::new());
    let moves = target.instruction(Meaning::Load, 0).expect("every target loads");
    for (number, case) in cases.iter().enumerate() {
        let tuples = case.tuples(words) / case.blocks();
        let (bits, to) = (8 * case.bytes as u32, first_register(encoding));
        for (place, way) in case.ways().into_iter().enumerate() {
            let mut list = Vec::new();
            for (at, given) in case.given.iter().enumerate() {
                let name = format!("line_{number}_{place}_{at}");
                let _ = writeln!(code, "    .globl {name}\n    .type {name}, @function\n{name}:");
                for (operand, address) in ["[rsi]", "[rdx]", "[rcx]"].iter().enumerate() {
                    let register = to + 1 + operand as u8;
                    let _ =
                        writeln!(code, "    {}", moves.load_lines(bits, register, address).join("\n    "));
                }
                let result =
                    to + u8::from(case.row.constraints.is_some_and(|constraints| constraints.overwrites));
                let _ = writeln!(
                    code,
                    "    {}\n    {} {} [rdi], {}\n    ret\n    .size {name}, . - {name}",
                    case.lines(encoding, way, given),
                    moves.mnemonic,
                    pointer(bits),
                    register_name(result, bits)
                );
                let _ = writeln!(names, "extern line {name};");
                list.push(name);
            }
            let _ = writeln!(
                calls,
                "  {{ static line *const f[] = {{{}}};\n    for (size_t b = 0; b < {}; b++) printf(\"%016\" PRIx64 \"\\n\", \
                 run(f[b % {}], b * {tuples}, (b + 1) * {tuples}, {}, {})); }}",
                list.join(", "),
                case.blocks(),
                list.len(),
                case.bytes,
                u8::from(case.row.meaning == Meaning::ShuffleBytes)
            );
        }
    }
    code.push_str("\n    .section .note.GNU-stack, \"\", @progbits\n");
    let main =
        format!("{}{CALLER}{names}\nint main(void) {{\n  fill();\n{calls}  return 0;\n}}\n", head(words));
    (code, main)
}

/// Takes the bytes of a register into a digest, eight at a time.
fn mix(digest: u64, register: &[u8]) -> u64 {
    register.chunks(WORD).fold(digest, |digest, bytes| {
        let word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let mixed = (digest ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ mixed >> 32
    })
}

/// What the programs begin with.
fn head(words: usize) -> String {
    let corners: Vec<String> = CORNERS.iter().map(|corner| format!("{corner:#x}ull")).collect();
    HEAD.replace("@WORDS@", &words.to_string())
        .replace("@CORNERS@", &corners.join(", "))
        .replace("@ZERO@", &ZERO_BYTE.to_string())
}

/// A C program that prints the digests of the cases, a line for each block.
pub fn program(target: &Target, cases: &[Case], words: usize) -> String {
    let mut text = head(words);
    for header in target.headers {
        text = format!("#include <{header}>\n{text}");
    }
    let mut calls = String::new();
    for (number, case) in cases.iter().enumerate() {
        let tuples = case.tuples(words) / case.blocks();
        for (place, given) in case.given.iter().enumerate() {
            let name = format!("case_{number}_{place}");
            text.push_str(&case.function(&name, given));
        }
        let names: Vec<String> =
            (0..case.given.len()).map(|place| format!("case_{number}_{place}")).collect();
        let _ = writeln!(
            calls,
            "  {{ static function *const f[] = {{{}}};\n    for (size_t b = 0; b < {}; b++) printf(\"%016\" PRIx64 \"\\n\", \
             f[b % {}](b * {tuples}, (b + 1) * {tuples})); }}",
            names.join(", "),
            case.blocks(),
            names.len()
        );
    }
    let _ = write!(text, "int main(void) {{\n  fill();\n{calls}  return 0;\n}}\n");
    text
}

impl Case {
    /// The C function of one block.
    fn function(&self, name: &str, given: &Given) -> String {
        let Case { row, bytes, register, .. } = self;
        // Lanes are numbers: big-endian machines have their bytes in the opposite order.
        let ordered = match (row.meaning, row.lane / 8) {
            (Meaning::Broadcast, _) | (_, 0) if *bytes > WORD => 1,
            (Meaning::Broadcast | Meaning::RepeatMask, _) => 1,
            (_, 0) => *bytes as u32,
            (_, lane) => lane,
        };
        let step = (*bytes).max(WORD);
        let mut body = String::new();
        let operand = |place: usize, ty: &str, size: &str| {
            let from = match (place, row.meaning) {
                (0, _) => format!("stream + i * {step}"),
                (1, Meaning::ShuffleBytes) => format!("indices + sizeof stream - (i + 1) * {step}"),
                (1, _) => format!("stream + sizeof stream - (i + 1) * {step}"),
                _ => format!("stream + (i * {step} + sizeof stream / 2) % sizeof stream"),
            };
            format!(
                "    {ty} x{place}{size};\n    memcpy(&x{place}, {from}, sizeof x{place});\n    order(&x{place}, sizeof x{place}, {ordered});\n"
            )
        };
        let value = match (row.meaning, given) {
            (_, Given::Constant(value)) => {
                return format!(
                    "static uint64_t {name}(size_t from, size_t to) {{\n  (void)from;\n  (void)to;\n  {register} r = {};\n  \
                     order(&r, sizeof r, {ordered});\n  return mix(0, &r, sizeof r);\n}}\n",
                    row.constant_expression(value)
                );
            }
            (Meaning::Broadcast, _) if row.lane > 64 => {
                body.push_str(&operand(0, "unsigned char", &format!("[{}]", row.lane / 8)));
                row.expression(&["x0"], None)
            }
            (Meaning::Broadcast, _) if row.lane > 0 => {
                body.push_str(&operand(0, &format!("uint{}_t", row.lane), ""));
                row.expression(&["x0"], None)
            }
            (Meaning::RepeatMask, _) => {
                body.push_str(&operand(0, "uint8_t", ""));
                body.push_str("    x0 = x0 >> 7 ? 0xff : 0;\n");
                row.expression(&["x0"], None)
            }
            (Meaning::StoreUnaligned, _) => {
                body.push_str(&operand(0, register, ""));
                let stored = row.expression(&["stored", "x0"], None);
                body.push_str(&format!(
                    "    unsigned char stored[sizeof x0];\n    {stored};\n    {register} y;\n    memcpy(&y, stored, sizeof y);\n"
                ));
                "y".into()
            }
            // Every lane in a place of its own, the last one first.
            (Meaning::Gather | Meaning::Scatter, _) => {
                let (lane, lanes) = (row.lane as usize / 8, 8 * bytes / row.lane as usize);
                let place = |number: usize| 3 + (lanes - 1 - number) * (lane + 5);
                let mut places: Vec<String> =
                    (0..lanes).map(|n| format!("(places + {})", place(n))).collect();
                body.push_str(&operand(0, register, ""));
                body.push_str(&format!(
                    "    unsigned char places[{}];\n    {register} y;\n",
                    place(0) + lane
                ));
                let copies = |to_places: bool| -> String {
                    let one = |n: usize| match (format!("places + {}", place(n)), n * lane) {
                        (at, from) if to_places => {
                            format!("    memcpy({at}, (unsigned char *)&x0 + {from}, {lane});\n")
                        }
                        (at, to) => format!("    memcpy((unsigned char *)&y + {to}, {at}, {lane});\n"),
                    };
                    (0..lanes).map(one).collect()
                };
                if row.meaning == Meaning::Gather {
                    let places: Vec<&str> = places.iter().map(String::as_str).collect();
                    body.push_str(&copies(true));
                    body.push_str(&format!("    y = {};\n", row.expression(&places, None)));
                } else {
                    places.push("x0".into());
                    let operands: Vec<&str> = places.iter().map(String::as_str).collect();
                    body.push_str(&format!("    {};\n", row.expression(&operands, None)));
                    body.push_str(&copies(false));
                }
                "y".into()
            }
            (Meaning::LoadPart | Meaning::StorePart, _) => {
                let lanes = 8 * bytes / row.lane as usize;
                body.push_str(&operand(0, register, ""));
                body.push_str(&operand(1, "unsigned char", &format!("[{bytes}]")));
                body.push_str(&format!(
                    "    size_t count = x1[0] % {lanes};\n    {register} y;\n    memset(&y, 0, sizeof y);\n"
                ));
                match row.meaning {
                    Meaning::LoadPart => {
                        body.push_str(&format!("    y = {};\n", row.expression(&["&x0", "count"], None)));
                    }
                    _ => body.push_str(&format!("    {};\n", row.expression(&["&y", "x0", "count"], None))),
                }
                "y".into()
            }
            (Meaning::Store, _) => {
                body.push_str(&operand(0, register, ""));
                body.push_str(&format!(
                    "    {register} stored;\n    {};\n",
                    row.expression(&["stored", "x0"], None)
                ));
                "stored".into()
            }
            _ => {
                (0..row.meaning.operands()).for_each(|place| body.push_str(&operand(place, register, "")));
                let immediate = match given {
                    Given::Immediate(immediate) => Some(*immediate),
                    _ => None,
                };
                row.expression(&["x0", "x1", "x2"], immediate)
            }
        };
        format!(
            "static uint64_t {name}(size_t from, size_t to) {{\n  uint64_t digest = 0;\n  for (size_t i = from; i < to; i++) \
             {{\n{body}    {register} r = {value};\n    order(&r, sizeof r, {ordered});\n    digest = mix(digest, &r, sizeof \
             r);\n  }}\n  return digest;\n}}\n"
        )
    }
}

const CALLER: &str = r#"typedef void line(void *result, const void *x0, const void *x1, const void *x2);

static uint64_t run(line *call, size_t from, size_t to, size_t bytes, int shuffles) {
  _Alignas(64) unsigned char x0[64], x1[64], x2[64], result[64];
  uint64_t digest = 0;
  const size_t step = bytes < 8 ? 8 : bytes;
  for (size_t i = from; i < to; i++) {
    memcpy(x0, stream + i * step, bytes);
    memcpy(x1, (shuffles ? indices : stream) + sizeof stream - (i + 1) * step, bytes);
    memcpy(x2, stream + (i * step + sizeof stream / 2) % sizeof stream, bytes);
    call(result, x0, x1, x2);
    digest = mix(digest, result, bytes);
  }
  return digest;
}

"#;

const HEAD: &str = r#"#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t function(size_t from, size_t to);

static unsigned char stream[8 * (size_t)@WORDS@], indices[8 * (size_t)@WORDS@];

/* Reverses the bytes of every lane on a big-endian machine. */
static inline void order(void *registers, size_t bytes, size_t lane) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ORDER(BITS) \
  for (size_t from = 0; lane == BITS / 8 && from < bytes; from += lane) { \
    uint##BITS##_t word; \
    memcpy(&word, (unsigned char *)registers + from, lane); \
    word = __builtin_bswap##BITS(word); \
    memcpy((unsigned char *)registers + from, &word, lane); \
  }
  ORDER(16)
  ORDER(32)
  ORDER(64)
#else
  (void)registers, (void)bytes, (void)lane;
#endif
}

static __attribute__((noinline)) uint64_t mix(uint64_t digest, const void *from, size_t bytes) {
  const unsigned char *at = from;
  for (size_t i = 0; i < bytes; i += 8) {
    uint64_t word = 0;
    memcpy(&word, at + i, bytes < 8 ? bytes : 8);
    order(&word, 8, 8);
    digest = (digest ^ word) * 0x9e3779b97f4a7c15ull;
    digest ^= digest >> 32;
  }
  return digest;
}

static uint64_t state = 1;

/* SplitMix64. */
static uint64_t bits(void) {
  state += 0x9e3779b97f4a7c15ull;
  uint64_t x = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

static void fill(void) {
  static const uint64_t corners[] = {@CORNERS@};
  for (size_t i = 0; i < sizeof stream; i += 8) {
    const uint64_t choice = bits(), fresh = bits();
    uint64_t word = choice & 7 ? fresh : corners[choice >> 8 & 15];
    order(&word, 8, 8);
    memcpy(stream + i, &word, 8);
  }
  for (size_t i = 0; i < sizeof stream; i++)
    indices[i] = (unsigned char)(stream[i] & 16 ? @ZERO@ : stream[i] & 15);
}

"#;
