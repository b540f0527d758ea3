//! Programs as C functions.
//!
//! They are for files that include `usuba_vector.h`: blocks that are written are a `struct usuba_output`, to which data may be
//! added in the same store.

use crate::moves::Machine;
use crate::network::{Operation, Phase, Region, Statement};
use crate::plan::Plan;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use usuba_target::{Instruction, Meaning};

/// What the functions of a machine need before them: loads and stores of registers.
pub fn helpers(machine: &Machine) -> String {
    let bits = machine.target.register_bits;
    if machine.target.single_lane {
        return "USUBA_INLINE void usuba_network_put_64(struct usuba_output to, uint64_t x)\n{\n    \
                usuba_output_part(to, x, 8);\n}\n\n"
            .to_owned();
    }
    let kind = machine.target.register_type(64);
    let mut headers: String =
        machine.target.headers.iter().map(|name| format!("#include <{name}>\n")).collect();
    headers += HIDDEN_INDEX;
    let xor = machine.row(Meaning::Xor, 64).map_or(String::new(), |row| fill(row, &["x", "y"]));
    let mut text = format!(
        "{headers}\nUSUBA_INLINE {kind} usuba_network_get_{bits}(const unsigned char *p)\n{{\n    {kind} x;\n    \
         memcpy(&x, p, sizeof x);\n    return x;\n}}\n\n\
         USUBA_INLINE void usuba_network_put_{bits}(struct usuba_output to, {kind} x)\n{{\n    \
         if (to.with != NULL) {{\n        const {kind} y = usuba_network_get_{bits}(to.with);\n        x = {xor};\n    }}\n    \
         memcpy(to.to, &x, sizeof x);\n}}\n\n\
         USUBA_INLINE {kind} usuba_network_join_{bits}_8(const unsigned char *p, const unsigned char *q)\n{{\n    \
         return ({kind})usuba_halves(p, q);\n}}\n\n\
         USUBA_INLINE void usuba_network_split_{bits}_8(struct usuba_output p, struct usuba_output q, {kind} x)\n{{\n    \
         usuba_output_halves(p, q, (usuba_vector_16)x);\n}}\n\n"
    );
    if bits > 128 {
        // The functions for pieces are of registers of 128 bits.
        let cut = text.find("USUBA_INLINE").unwrap_or(0);
        let end = text.find(&format!("USUBA_INLINE {kind} usuba_network_join")).unwrap_or(text.len());
        let whole = text[cut..end].to_owned();
        let narrow = whole
            .replace(kind, "__m128i")
            .replace(&format!("_{bits}("), "_128(")
            .replace(&xor, "_mm_xor_si128(x, y)");
        text = format!(
            "{headers}\n{narrow}{whole}{NARROW_HALVES}{}",
            if bits == 256 { PIECES_256 } else { PIECES_512 }
        );
    }
    text
}

/// Clang makes other shuffles of some whose index it knows, which take two or three times as long: of a masked byte shuffle a
/// permutation of two registers, for one.
const HIDDEN_INDEX: &str = "
#if defined(__clang__) && defined(__x86_64__)
#define USUBA_HIDDEN_INDEX(x) __asm__(\"\" : \"+v\"(x))
#else
#define USUBA_HIDDEN_INDEX(x) ((void)0)
#endif
";

const NARROW_HALVES: &str = "\
USUBA_INLINE __m128i usuba_network_join_128_8(const unsigned char *p, const unsigned char *q)
{
    return (__m128i)usuba_halves(p, q);
}

USUBA_INLINE void usuba_network_split_128_8(struct usuba_output p, struct usuba_output q, __m128i x)
{
    usuba_output_halves(p, q, (usuba_vector_16)x);
}

";

const PIECES_256: &str = "\
USUBA_INLINE __m256i usuba_network_join_256(__m128i a, __m128i b)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
}

#define usuba_network_piece_256(x, l) ((l) == 0 ? _mm256_castsi256_si128(x) : _mm256_extracti128_si256(x, 1))

";

const PIECES_512: &str = "\
USUBA_INLINE __m512i usuba_network_join_512(__m128i a, __m128i b, __m128i c, __m128i d)
{
    const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
    return _mm512_inserti32x4(_mm512_inserti32x4(_mm512_castsi256_si512(low), c, 2), d, 3);
}

#define usuba_network_piece_512(x, l) ((l) == 0 ? _mm512_castsi512_si128(x) : _mm512_extracti32x4_epi32(x, (l) & 3))

";

fn fill(row: &Instruction, operands: &[&str]) -> String {
    let mut text = row.c.to_owned();
    for (number, operand) in operands.iter().enumerate() {
        text = text.replace(&format!("{{{number}}}"), operand);
    }
    text
}

/// The function `NAME_pack(registers, blocks)`, with a statement after that of the plan, or none.
pub fn pack(plan: &Plan, machine: &Machine, name: &str, rest: &str) -> String {
    let parameters = format!("{name}_pack(void *registers, const unsigned char *blocks)");
    function(plan, &plan.pack, machine, &parameters, true, rest)
}

/// The function `NAME_unpack(blocks, registers)`, which changes the registers.
pub fn unpack(plan: &Plan, machine: &Machine, name: &str, rest: &str) -> String {
    let parameters = format!("{name}_unpack(struct usuba_output blocks, void *registers)");
    function(plan, &plan.unpack, machine, &parameters, false, rest)
}

fn function(
    plan: &Plan,
    phases: &[Phase],
    machine: &Machine,
    parameters: &str,
    pack: bool,
    rest: &str,
) -> String {
    let mut printer =
        Printer { machine, constants: BTreeMap::new(), indices: BTreeSet::new(), scratch: false, pack };
    let body: String = phases.iter().map(|phase| printer.phase(phase)).collect();
    let mut constants: Vec<(&String, usize)> =
        printer.constants.iter().map(|(text, number)| (text, *number)).collect();
    constants.sort_by_key(|(_, number)| *number);
    let kind = machine.target.register_type(64);
    let mut head = String::new();
    for (text, number) in &constants {
        let kept = if printer.indices.contains(number) { "" } else { "const " };
        let _ = writeln!(head, "    {kept}{kind} c{number} = {text};");
    }
    for index in &printer.indices {
        let _ = writeln!(head, "    USUBA_HIDDEN_INDEX(c{index});");
    }
    if printer.scratch {
        let bytes = plan.arrangement.image_bytes();
        let _ = writeln!(head, "    unsigned char scratch[{bytes}] __attribute__((aligned(64)));");
    }
    format!(
        "USUBA_INLINE void {parameters}\n{{\n    unsigned char *image = (unsigned char *)registers;\n{head}{body}{rest}}}\n\n"
    )
}

struct Printer<'a> {
    machine: &'a Machine,
    /// Constants by their text, with their numbers.
    constants: BTreeMap<String, usize>,
    /// The constants that say where shuffles take bytes from.
    indices: BTreeSet<usize>,
    scratch: bool,
    pack: bool,
}

impl Printer<'_> {
    fn phase(&mut self, phase: &Phase) -> String {
        let (mut text, mut margin) = (String::new(), "    ".to_owned());
        let (mut from, mut to) = (String::new(), String::new());
        for (depth, one) in phase.loops.iter().enumerate() {
            let index = char::from(b'i' + depth as u8);
            let _ =
                writeln!(text, "{margin}for (ptrdiff_t {index} = 0; {index} < {}; {index}++) {{", one.trips);
            margin += "    ";
            let _ = write!(from, " + {index} * {}", one.from);
            let _ = write!(to, " + {index} * {}", one.to);
        }
        if phase.loops.is_empty() {
            let _ = writeln!(text, "{margin}{{");
            margin += "    ";
        }
        for statement in &phase.body {
            let line = match statement {
                Statement::Load(result, pieces) => {
                    let kind = self.machine.target.register_type(64);
                    format!("const {kind} v{result} = {};", self.load(phase.from, pieces, &from))
                }
                Statement::Apply(result, operation, arguments) => {
                    let kind = self.machine.target.register_type(64);
                    format!("const {kind} v{result} = {};", self.operation(operation, arguments))
                }
                Statement::Store(value, pieces) => self.store(phase.to, &format!("v{value}"), pieces, &to),
            };
            let _ = writeln!(text, "{margin}{line}");
        }
        while margin.len() > 4 {
            margin.truncate(margin.len() - 4);
            let _ = writeln!(text, "{margin}}}");
        }
        text
    }

    fn region(&mut self, region: Region) -> &'static str {
        self.scratch |= region == Region::Scratch;
        match region {
            Region::Blocks => "blocks",
            Region::Image => "image",
            Region::Scratch => "scratch",
        }
    }

    fn load(&mut self, region: Region, pieces: &[i64], further: &str) -> String {
        let (name, bits) = (self.region(region), self.machine.target.register_bits);
        let at = |piece: &i64| format!("{name} + ({piece}{further})");
        if self.machine.target.single_lane {
            return format!("usuba_load64({})", at(&pieces[0]));
        }
        if pieces.len() == 1 {
            return format!("usuba_network_get_{bits}({})", at(&pieces[0]));
        }
        let groups: Vec<String> = if pieces.len() == bits as usize / 64 {
            let join = |two: &[i64]| format!("usuba_network_join_128_8({}, {})", at(&two[0]), at(&two[1]));
            pieces.chunks(2).map(join).collect()
        } else {
            pieces.iter().map(|piece| format!("usuba_network_get_128({})", at(piece))).collect()
        };
        match &groups[..] {
            [one] => one.clone(),
            _ => format!("usuba_network_join_{bits}({})", groups.join(", ")),
        }
    }

    fn store(&mut self, region: Region, value: &str, pieces: &[i64], further: &str) -> String {
        let (name, bits) = (self.region(region), self.machine.target.register_bits);
        let at = |piece: &i64| {
            if region == Region::Blocks && !self.pack {
                format!("usuba_output_at({name}, (size_t)({piece}{further}))")
            } else {
                format!("usuba_output({name} + ({piece}{further}), NULL)")
            }
        };
        if pieces.len() == 1 {
            return format!("usuba_network_put_{bits}({}, {value});", at(&pieces[0]));
        }
        let group = |number: usize| {
            if bits == 128 {
                value.to_owned()
            } else {
                format!("usuba_network_piece_{bits}({value}, {number})")
            }
        };
        let mut text = Vec::new();
        if pieces.len() == bits as usize / 64 {
            for (number, two) in pieces.chunks(2).enumerate() {
                text.push(format!(
                    "usuba_network_split_128_8({}, {}, {});",
                    at(&two[0]),
                    at(&two[1]),
                    group(number)
                ));
            }
        } else {
            for (number, piece) in pieces.iter().enumerate() {
                text.push(format!("usuba_network_put_128({}, {});", at(piece), group(number)));
            }
        }
        text.join(" ")
    }

    fn constant(&mut self, text: String) -> usize {
        let next = self.constants.len();
        *self.constants.entry(text).or_insert(next)
    }

    /// A 64-bit word in every lane.
    fn word(&mut self, value: u64) -> String {
        let row = self.machine.row(Meaning::Constant, 64);
        let text = row.map_or(String::new(), |row| row.c.replace("{value}", &format!("0x{value:016x}u")));
        format!("c{}", self.constant(text))
    }

    /// Constant bytes, of a group or of a register.
    fn bytes(&mut self, bytes: &[u8]) -> String {
        let meaning = if bytes.len() == 16 { Meaning::ConstantGroup } else { Meaning::ConstantBytes };
        let list =
            |bytes: &mut dyn Iterator<Item = &u8>| bytes.map(u8::to_string).collect::<Vec<_>>().join(", ");
        let (forward, backward) = (list(&mut bytes.iter()), list(&mut bytes.iter().rev()));
        let row = self.machine.row(meaning, 0);
        let text = row.map_or(String::new(), |row| {
            let text = row.c.replace("{bytes}", &forward).replace("{unsigned}", &forward);
            text.replace("{reversed}", &backward)
        });
        let number = self.constant(text);
        self.indices.insert(number);
        format!("c{number}")
    }

    fn operation(&mut self, operation: &Operation, arguments: &[usize]) -> String {
        let a = format!("v{}", arguments[0]);
        let b = arguments.get(1).map(|value| format!("v{value}")).unwrap_or_default();
        let (operands, immediate) = match operation {
            Operation::Lanes(..) | Operation::Xor => (vec![a, b], String::new()),
            Operation::TwoGroups(n) => (vec![a, b], n.to_string()),
            Operation::LanesOfTwo(index) => (vec![a, self.lanes(index, 8), b], String::new()),
            Operation::Merge(index, mask) => (vec![a, b, self.bytes(index)], format!("0x{mask:016x}u")),
            Operation::Blend(lane, mask) => {
                let mask = if *lane == 32 { mask & 15 | mask << 4 } else { *mask };
                (vec![a, b], mask.to_string())
            }
            Operation::Left(by) | Operation::Right(by) => (vec![a], by.to_string()),
            Operation::And(mask) => (vec![a, self.word(*mask)], String::new()),
            // The result takes the place of what was shifted: second, third and mask in such an order.
            Operation::Select(mask) if mask & 1 == 1 => (vec![b, self.word(*mask), a], "0xb8".to_owned()),
            Operation::Select(mask) => (vec![b, self.word(!*mask), a], "0xe2".to_owned()),
            Operation::Bytes(index) => (vec![a, self.bytes(index)], String::new()),
            Operation::Words(n) | Operation::Quads(_, n) => (vec![a], n.to_string()),
            // Half of a lane, either way.
            Operation::SwapBytes => (vec![a], "8".to_owned()),
            Operation::AllWords(index) => (vec![a, self.lanes(index, 4)], String::new()),
            Operation::Matrix(bytes) => (vec![self.word(u64::from_le_bytes(*bytes)), a], "0".to_owned()),
            Operation::Bits(matrix) => (vec![a, self.word(*matrix)], "0".to_owned()),
        };
        let (meaning, lane) = operation.row();
        let Some(row) = self.machine.row(meaning, lane) else { return String::new() };
        let operands: Vec<&str> = operands.iter().map(String::as_str).collect();
        fill(row, &operands).replace("{imm}", &immediate).replace("{inv}", &immediate)
    }

    /// Lanes of an index, each of some bytes.
    fn lanes(&mut self, index: &[u8], size: usize) -> String {
        let bytes: Vec<u8> = index
            .iter()
            .flat_map(|lane| {
                let mut bytes = vec![0; size];
                bytes[0] = *lane;
                bytes
            })
            .collect();
        self.bytes(&bytes)
    }
}
