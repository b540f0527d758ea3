//! What the primitives of a cipher have in common: engines whose key schedules alone differ, and functions for any number of rounds.
//!
//! Kernels of ciphers that differ in the number of their rounds are made with that number as a parameter
//! ([`usuba_codegen::Rounds`]). Where they and what is around them are then the same text, the functions of the first such engine
//! serve all; of the others only what makes the form of round keys is left, which says how many turns there are.

use super::source::{below_head, source};
use super::{Cipher, Options};
use crate::OutputFile;
use crate::engine::Engine;
use crate::manifest::{Function, Primitive};
use crate::template::Values;
use usuba_target::Target;

/// Whether two primitives look like one cipher with more or fewer rounds: blocks of the same bytes, round keys of other sizes, and
/// nodes whose names differ in numbers only. What they have in common, their code says.
fn differ_in_rounds(one: &Primitive, other: &Primitive) -> bool {
    let (Function::BlockCipher(a), Function::BlockCipher(b)) = (&one.function, &other.function) else {
        return false;
    };
    let name = |node: &str| node.chars().filter(|letter| letter.is_alphabetic()).collect::<String>();
    a.block == b.block
        && (a.tweak.is_none() && b.tweak.is_none())
        && a.round_keys.bytes != b.round_keys.bytes
        && name(&a.encrypt) == name(&b.encrypt)
}

/// Whether a library has another primitive that may use the functions of one. General-purpose registers are too few for what the
/// parameters take of them: bitsliced Camellia took 13 % longer, AES in `h` 2 to 4 % (Zen 4, virtual, gcc 12 -O2).
pub(super) fn has_others(cipher: Cipher, primitive: &Primitive, target: &Target, options: &Options) -> bool {
    if target.single_lane || options.level.is_some() {
        return false;
    }
    let is_wanted =
        |one: &&Primitive| options.primitives.is_empty() || options.primitives.contains(&one.name);
    let mut all = cipher.manifest.primitives.iter().filter(is_wanted);
    all.any(|other| differ_in_rounds(primitive, other))
}

/// What of an engine is its own if others have its functions.
#[derive(Clone)]
pub(super) struct Own {
    /// The C that makes the form of round keys.
    pub(super) source: Values,
    /// All other code, without names.
    pub(super) code: String,
}

/// The parts of an engine, if its kernels take the number of their turns.
pub(super) fn parts(built: &Engine, target: &Target, stem: &str, options: &Options) -> Option<Own> {
    let keys = built.keys_only.as_ref()?;
    let mut alone = built.clone();
    alone.files.retain(|file| !file.path.ends_with(".S"));
    let is_kernel = |file: &OutputFile| {
        built.kernels.iter().any(|(_, one)| file.path == format!("{}.c", one.kernel.symbol))
    };
    alone.files.retain(|file| !is_kernel(file));
    if let Some(driver) = alone.files.iter_mut().find(|file| file.path == built.driver) {
        driver.contents.clone_from(&keys.source);
    }
    alone.kernels.clear();
    let mut code = keys.rest.clone();
    for (_, compiled) in &built.kernels {
        code += &without_comments(below_head(&compiled.kernel.source));
    }
    let code = code.replace(stem, "@").replace(&stem.to_uppercase(), "@");
    Some(Own { source: source(&alone, target, stem, options), code })
}

/// Assembly without what it says of the source.
fn without_comments(text: &str) -> String {
    let code =
        |line: &str| line.split_once(" // ").map_or(line, |(code, _)| code.trim_end()).to_owned() + "\n";
    text.lines().map(code).collect()
}
