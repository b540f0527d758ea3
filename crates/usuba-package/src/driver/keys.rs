//! Round keys of block ciphers as kernels read them, made of those that are specified whenever a call begins: the uniform form,
//! or what kernels prepare of it. Bytes that stand as they are specified are read where they are.

use super::text::uniform;
use super::{Image, Kernel, KeyForms, Parameter, Prepare};
use crate::template::Values;

/// The forms of an engine: one for both directions unless they prepare different ones.
pub struct Keys<'a> {
    encrypt: &'a Kernel,
    decrypt: Option<&'a Kernel>,
}

impl<'a> Keys<'a> {
    /// Those that these kernels read.
    pub fn of(encrypt: &'a Kernel, decrypt: Option<&'a Kernel>) -> Keys<'a> {
        let meaning = |kernel: &Kernel| kernel.prepare.as_ref().map(|prepare| prepare.meaning.clone());
        Keys { encrypt, decrypt: decrypt.filter(|decrypt| meaning(decrypt) != meaning(encrypt)) }
    }

    /// The form that a direction reads: its name, and the kernel.
    fn form(&self, direction: &str) -> (&'static str, &'a Kernel) {
        match (self.decrypt, direction) {
            (None, _) => ("round_keys", self.encrypt),
            (Some(_), "encrypt") => ("encrypt_keys", self.encrypt),
            (Some(decrypt), _) => ("decrypt_keys", decrypt),
        }
    }

    /// What a direction knows of its form: the type of an element.
    pub fn values(&self, values: Values, direction: &str) -> Values {
        let (_, kernel) = self.form(direction);
        values.text("key", round_keys(kernel).map_or("", |parameter| &parameter.element))
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
            None => statements = format!("    {}\n", from_bytes(kernel, "keys")),
            Some(Prepare { symbol, element: taken, given, register, registers, .. }) => {
                let element = &parameter.element;
                let values = Values::default()
                    .text("from_bytes", from_bytes(kernel, "given"))
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
        Values::default()
            .text("stem", stem)
            .text("member", name)
            .text("element", &parameter.element)
            .text("reader", reader)
            .text("declarations", declarations)
            .text("statements", statements)
            .fill(include_str!("templates/load.c"))
    }
}

fn round_keys(kernel: &Kernel) -> Option<&Parameter> {
    kernel.inputs.iter().find(|input| input.uniform)
}

/// Whether the form is the bytes of the round keys as they stand.
fn is_plain(kernel: &Kernel) -> bool {
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
    round_keys(kernel).map_or(0, of)
}

/// The statement that makes the uniform form.
fn from_bytes(kernel: &Kernel, to: &str) -> String {
    uniform(&kernel.image, to, "round_keys", "round_key_format")
}
