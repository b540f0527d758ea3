//! Round keys of block ciphers as kernels read them, made of those that are specified whenever a call begins: the uniform form,
//! or what kernels prepare of it. Bytes that stand as they are specified are read where they are.

use super::text::uniform;
use super::{Format, Image, Kernel, KeyForms, Parameter, Prepare, Rounds};
use crate::order::Order;
use crate::template::Values;

/// The forms of an engine: one for both directions unless they prepare different ones.
pub struct Keys<'a> {
    encrypt: &'a Kernel,
    decrypt: Option<&'a Kernel>,
    /// The bytes that they are made of.
    round_keys: Format,
}

/// Bytes before the round keys of a form of which kernels take the number of turns from their caller: this number, and nothing. The
/// twin of `USUBA_TURNS_BYTES`.
const TURNS_BYTES: u32 = 64;

impl<'a> Keys<'a> {
    /// Those that these kernels read.
    pub fn of(encrypt: &'a Kernel, decrypt: Option<&'a Kernel>, round_keys: Format) -> Keys<'a> {
        let form = |kernel: &Kernel| {
            let prepared = kernel.prepare.as_ref().map(|prepare| prepare.meaning.clone());
            (prepared, kernel.rounds)
        };
        let decrypt = decrypt.filter(|decrypt| form(decrypt) != form(encrypt));
        Keys { encrypt, decrypt, round_keys }
    }

    /// The form that a direction reads: its name, and the kernel.
    fn form(&self, direction: &str) -> (&'static str, &'a Kernel) {
        match (self.decrypt, direction) {
            (None, _) => ("round_keys", self.encrypt),
            (Some(_), "encrypt") => ("encrypt_keys", self.encrypt),
            (Some(decrypt), _) => ("decrypt_keys", decrypt),
        }
    }

    /// The parts of the round keys in bytes as they are specified, if each part has bytes of its own.
    fn in_bytes(&self, kernel: &Kernel, rounds: Rounds) -> Option<Rounds> {
        let Format { order, words, bytes, .. } = self.round_keys;
        let elements = round_keys(kernel)?.elements;
        let together = match order {
            Order::Big | Order::Little => 1,
            Order::Planes => 8,
            Order::Nibbles => 4,
        };
        let part = |count: u32| {
            let is_whole = |all: u32| (count * all).is_multiple_of(elements);
            let fits =
                is_whole(bytes) && is_whole(words) && (count * words / elements).is_multiple_of(together);
            fits.then(|| count * bytes / elements)
        };
        let [before, each, after] = [part(rounds.before)?, part(rounds.each)?, part(rounds.after)?];
        Some(Rounds { before, each, after, ..rounds })
    }

    /// What a direction knows of its form: the type of an element, and the arguments of the kernel that are in it.
    pub fn values(&self, values: Values, direction: &str) -> Values {
        let (_, kernel) = self.form(direction);
        let (mut arguments, mut turns) = (String::from("keys"), "");
        if let Some(Rounds { before, each, after, .. }) = kernel.rounds {
            let part = |atoms: u32, from: String| (atoms > 0).then_some(from);
            let parts = [
                part(before, "keys".into()),
                Some(format!("keys + {before}")),
                part(after, format!("keys + {before} + {each} * turns")),
            ];
            arguments = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
            turns = ", turns";
        }
        values
            .text("key", round_keys(kernel).map_or("", |parameter| &parameter.element))
            .when("turns", kernel.rounds.is_some())
            .when("no_turns", kernel.rounds.is_none())
            .text("key_arguments", arguments)
            .text("turns", turns)
    }

    /// What a library must know of them.
    pub fn forms(&self, stem: &str, directions: &[&str]) -> KeyForms {
        let forms = || directions.iter().map(|direction| self.form(direction));
        KeyForms {
            loads: forms()
                .map(|(name, kernel)| (!is_plain(kernel)).then(|| format!("{stem}_load_{name}")))
                .collect(),
            bytes: forms().map(|(_, kernel)| bytes(kernel)).max().unwrap_or(0),
        }
    }

    /// The functions that make them, from round keys in bytes.
    pub fn load(&self, stem: &str) -> String {
        match self.decrypt {
            None => self.function(stem, "encrypt", "the kernels read them"),
            Some(_) => {
                self.function(stem, "encrypt", "encryption reads them")
                    + &self.function(stem, "decrypt", "decryption reads them")
            }
        }
    }

    fn function(&self, stem: &str, direction: &str, reader: &str) -> String {
        let (name, kernel) = self.form(direction);
        let Some(parameter) = round_keys(kernel).filter(|_| !is_plain(kernel)) else { return String::new() };
        let (mut declarations, mut statements) = (String::new(), String::new());
        match &kernel.prepare {
            None => statements = format!("    {}\n", from_bytes(kernel, "keys", "round_keys")),
            Some(Prepare { symbol, element: taken, given, register, registers, .. }) => {
                let element = &parameter.element;
                let values = Values::default()
                    .text("from_bytes", from_bytes(kernel, "given", "round_keys"))
                    .text("symbol", symbol)
                    .text("registers", registers)
                    .text("each", parameter.elements / registers);
                declarations += &format!("    {taken} given[{given}];\n");
                if register == element {
                    statements += &values.fill(include_str!("templates/prepare.c"));
                } else {
                    declarations += &format!("    {register} made[{registers}];\n    size_t j;\n");
                    statements += &values.fill(include_str!("templates/prepare_registers.c"));
                }
            }
        }
        if let Some(rounds) = kernel.rounds.filter(|rounds| rounds.descending) {
            // Bytes are fewer than what is made of them.
            let in_bytes = self.in_bytes(kernel, rounds).filter(|_| kernel.prepare.is_none());
            let (order, is_apart) =
                in_order(if in_bytes.is_some() { "ordered" } else { "keys" }, in_bytes.unwrap_or(rounds));
            declarations += if is_apart { "    size_t turn;\n" } else { "" };
            if in_bytes.is_some() {
                let bytes = self.round_keys.bytes;
                declarations += &format!("    unsigned char ordered[{bytes}];\n");
                let loaded = from_bytes(kernel, "keys", "ordered");
                statements = format!(
                    "    memcpy(ordered, round_keys, sizeof ordered);\n{order}    {loaded}\n    usuba_wipe(ordered, sizeof ordered);\n"
                );
            } else {
                statements += &order;
            }
        }
        Values::default()
            .when("turns", kernel.rounds.is_some())
            .when("no_turns", kernel.rounds.is_none())
            .text("count", kernel.rounds.map_or(0, |rounds| rounds.turns))
            .text("stem", stem)
            .text("member", name)
            .text("element", &parameter.element)
            .text("reader", reader)
            .text("declarations", declarations)
            .text("statements", statements)
            .fill(include_str!("templates/load.c"))
    }
}

/// Statements that put an array, in the order of the text, into the order of the turns: all is turned round, and then the units of
/// each part again. Whether there are several units in a part, so that these are counted.
fn in_order(array: &str, rounds: Rounds) -> (String, bool) {
    let Rounds { turns, before, each, after, .. } = rounds;
    let unit = divisor(each, divisor(before, after));
    let is_apart = [before, each, after].iter().any(|&part| part > unit);
    let values = Values::default()
        .text("array", array)
        .text("unit", unit)
        .text("all", (before + turns * each + after) / unit)
        .text("count", turns)
        .text("before", before / unit)
        .text("each", each / unit)
        .text("after", after / unit)
        .when("apart", is_apart);
    (values.fill(include_str!("templates/keys_in_order.c")), is_apart)
}

/// The greatest number that divides both.
fn divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { divisor(b, a % b) }
}

fn round_keys(kernel: &Kernel) -> Option<&Parameter> {
    kernel.inputs.iter().find(|input| input.uniform)
}

/// Whether the form is the bytes of the round keys as they stand.
pub fn is_plain(kernel: &Kernel) -> bool {
    let of_bytes = matches!(kernel.image, Image::V { lane: 1 } | Image::Packed { lane: 1 });
    of_bytes && kernel.prepare.is_none() && round_keys(kernel).is_some_and(|parameter| parameter.width == 8)
}

/// Bytes of the form, whose elements are integers of C.
fn bytes(kernel: &Kernel) -> u32 {
    let of = |parameter: &Parameter| {
        let bits = parameter.element.strip_prefix("uint").and_then(|rest| rest.strip_suffix("_t"));
        // No integer is longer.
        bits.and_then(|bits| bits.parse::<u32>().ok()).unwrap_or(64) / 8 * parameter.elements
    };
    let turns = if kernel.rounds.is_some() { TURNS_BYTES } else { 0 };
    round_keys(kernel).map_or(0, |parameter| turns + of(parameter))
}

/// The statement that makes the uniform form.
fn from_bytes(kernel: &Kernel, to: &str, from: &str) -> String {
    uniform(&kernel.image, to, from, "round_key_format")
}
