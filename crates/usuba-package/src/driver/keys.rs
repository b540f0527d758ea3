//! Round keys in the contexts of block ciphers: the uniform form, or what kernels prepare of it.

use super::text::{array_declaration, uniform};
use super::{Kernel, Parameter, Prepare};
use crate::template::Values;

/// The arrays of a context, one for both directions unless they prepare different ones.
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

    /// Each array with the kernel that reads it.
    fn arrays(&self) -> Vec<(&'static str, &'a Kernel)> {
        let mut arrays = vec![(self.member("encrypt"), self.encrypt)];
        arrays.extend(self.decrypt.map(|decrypt| (self.member("decrypt"), decrypt)));
        arrays
    }

    /// The member of the context that a direction reads.
    pub fn member(&self, direction: &str) -> &'static str {
        match (self.decrypt, direction) {
            (None, _) => "round_keys",
            (Some(_), "encrypt") => "encrypt_keys",
            (Some(_), _) => "decrypt_keys",
        }
    }

    /// The declarations of the members, without the last semicolon.
    pub fn declarations(&self) -> String {
        let declared = self.arrays().into_iter().filter_map(|(member, kernel)| {
            round_keys(kernel).map(|parameter| array_declaration(parameter, member))
        });
        declared.collect::<Vec<_>>().join(";\n    ")
    }

    /// `load`, from round keys in bytes to the context.
    pub fn load(&self, stem: &str) -> String {
        let (mut declarations, mut statements, mut steps) = (String::new(), String::new(), "");
        if let (None, None) = (&self.encrypt.prepare, self.decrypt) {
            statements += &format!("    {}\n", from_bytes(self.encrypt, "ctx->round_keys"));
        } else {
            for (member, kernel) in self.arrays() {
                let Some(parameter) = round_keys(kernel) else { continue };
                let Some(Prepare { symbol, given, register, registers, .. }) = &kernel.prepare else {
                    statements += &format!("    {}\n", from_bytes(kernel, &format!("ctx->{member}")));
                    continue;
                };
                let element = &parameter.element;
                let values = Values::default()
                    .text("from_bytes", from_bytes(kernel, &format!("{member}_given")))
                    .text("symbol", symbol)
                    .text("member", member)
                    .text("registers", registers)
                    .text("each", parameter.elements / registers);
                declarations += &format!("    {element} {member}_given[{given}];\n");
                if register == element {
                    statements += &values.fill(include_str!("templates/prepare.c"));
                } else {
                    steps = "    size_t j;\n";
                    declarations += &format!("    {register} {member}_made[{registers}];\n");
                    statements += &values.fill(include_str!("templates/prepare_registers.c"));
                }
            }
            declarations += steps;
        }
        Values::default()
            .text("stem", stem)
            .text("declarations", declarations)
            .text("statements", statements)
            .fill(include_str!("templates/load.c"))
    }
}

fn round_keys(kernel: &Kernel) -> Option<&Parameter> {
    kernel.inputs.iter().find(|input| input.uniform)
}

/// The statement that makes the uniform form.
fn from_bytes(kernel: &Kernel, to: &str) -> String {
    uniform(&kernel.image, to, "round_keys", "round_key_format")
}
