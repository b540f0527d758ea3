//! The file `engines.toml` next to a manifest: what batches of engines took on a machine.
//!
//! It is written by `usubac engines` and read where a library is built: an engine that was measured costs what it took, one
//! that was not what is [estimated](super::estimate). Unknown fields are errors. What was measured of another number of
//! blocks than the engine now takes at once says nothing about it and is not used; an edited program that still takes as
//! many is taken to cost about as much.

use super::estimate::is_rounds;
use crate::manifest::ManifestError;
use crate::messages;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use toml::Spanned;
use usuba_ir::layout::Slicing;
use usuba_target::Target;

/// The version of the file that is written, and the only one that is read.
pub const VERSION: i64 = 1;

/// The name of the file.
pub const FILE: &str = "engines.toml";

/// What is known of the engines of a cipher.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Measured {
    /// The machine that ran them.
    pub machine: String,
    /// The compiler that compiled them, as it calls itself, and its optimisation level.
    pub tools: String,
    /// The machine on which kernels in assembly were compared with those in C; empty if none was.
    pub assembly: String,
    /// For each primitive, its engines by their [names](name).
    pub batches: BTreeMap<String, BTreeMap<String, Batch>>,
}

/// What a batch took.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Batch {
    /// Blocks.
    pub blocks: u32,
    /// Core cycles of a call for so many with kernels in C: the mean over encryption of blocks and counter mode.
    pub cycles: f64,
    /// What it takes with kernels in assembly, as a part of that; nothing if there is no assembly, or it was not compared.
    pub assembly: Option<f64>,
}

impl Measured {
    /// What was measured of a batch of `blocks`, if that was.
    pub fn find(&self, primitive: &str, engine: &str, blocks: u32) -> Option<Batch> {
        let batch = self.batches.get(primitive)?.get(engine)?;
        (batch.blocks == blocks).then_some(*batch)
    }
}

/// What tells the engines of a primitive apart: `avx2-h`, or `avx2-h1` where batches of it are not interleaved although several
/// at once would be faster, and `avx512-vaes-v164` where four batches of rounds of AES are, for fewer blocks than usual.
pub fn name(target: &Target, slicing: Slicing, batches: Option<u32>) -> String {
    let named = batches.filter(|&batches| batches == 1 || is_rounds(slicing, target));
    format!("{}-{slicing}{}", target.name, named.map_or(String::new(), |batches| batches.to_string()))
}

/// Whether a name is that of an engine for a target.
pub fn is_of(name: &str, target: &Target) -> bool {
    name.rsplit_once('-').is_some_and(|(of, _)| of == target.name)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: Spanned<i64>,
    machine: String,
    tools: String,
    #[serde(default)]
    assembly: String,
    #[serde(default)]
    engines: BTreeMap<String, BTreeMap<Spanned<String>, Spanned<Fields>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    blocks: u32,
    cycles: f64,
    assembly: Option<f64>,
}

/// Reads a file. `file` is the name to report it under.
///
/// # Errors
/// The first thing that is wrong with the text.
pub fn parse(file: &str, text: &str) -> Result<Measured, ManifestError> {
    let raw: File = toml::from_str(text).map_err(|error| ManifestError::of_toml(file, text, &error))?;
    let wrong = |at: usize, message: String| ManifestError::at(file, text, at, message);
    if *raw.version.get_ref() != VERSION {
        let message = messages::engines_version(*raw.version.get_ref(), VERSION);
        return Err(wrong(raw.version.span().start, message));
    }
    let mut measured =
        Measured { machine: raw.machine, tools: raw.tools, assembly: raw.assembly, batches: BTreeMap::new() };
    for (primitive, engines) in raw.engines {
        for (engine, fields) in engines {
            let target = engine.get_ref().rsplit_once('-').map_or("", |(target, _)| target);
            if usuba_target::by_name(target).is_none() {
                return Err(wrong(engine.span().start, messages::engines_name(engine.get_ref())));
            }
            let at = fields.span().start;
            let Fields { blocks, cycles, assembly } = fields.into_inner();
            let is_time = |time: f64| time.is_finite() && time > 0.0;
            if blocks == 0 || !is_time(cycles) || !assembly.is_none_or(is_time) {
                return Err(wrong(at, messages::engines_numbers()));
            }
            let of = measured.batches.entry(primitive.clone()).or_default();
            of.insert(engine.into_inner(), Batch { blocks, cycles, assembly });
        }
    }
    Ok(measured)
}

/// The text of a file; [`parse`] reads it back.
pub fn print(measured: &Measured) -> String {
    let mut text = String::from(
        "# Made by `usubac engines`, read by `usubac build`; docs/manifest.md says what it means.\n",
    );
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let _ = writeln!(text, "version = {VERSION}");
    let _ = writeln!(text, "machine = {}", quoted(&measured.machine));
    let _ = writeln!(text, "tools = {}", quoted(&measured.tools));
    let mut all = measured.batches.values().flat_map(BTreeMap::values);
    if all.any(|batch| batch.assembly.is_some()) {
        let _ = writeln!(text, "assembly = {}", quoted(&measured.assembly));
    }
    for (primitive, engines) in &measured.batches {
        let _ = writeln!(text, "\n[engines.{primitive}]");
        for (engine, Batch { blocks, cycles, assembly }) in engines {
            let assembly = assembly.map_or(String::new(), |part| format!(", assembly = {part:.2}"));
            let _ = writeln!(text, "{engine} = {{ blocks = {blocks}, cycles = {cycles:.1}{assembly} }}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use usuba_target::machines::{AVX_AES, AVX512_VAES};

    const SAMPLE: &str = r#"# Made by `usubac engines`, read by `usubac build`; docs/manifest.md says what it means.
version = 1
machine = "Some CPU @ 2.10GHz"
tools = "gcc 12, -O2"
assembly = "Another CPU"

[engines.aes-128]
avx2-h = { blocks = 16, cycles = 800.0, assembly = 0.85 }
avx2-h1 = { blocks = 8, cycles = 512.5 }

[engines.aes-256]
avx512-gfni-v16 = { blocks = 4, cycles = 97.0 }
"#;

    #[test]
    fn what_is_printed_is_read() {
        let measured = parse(FILE, SAMPLE).unwrap();
        assert_eq!(print(&measured), SAMPLE);
        let batch = |blocks, cycles, assembly| Some(Batch { blocks, cycles, assembly });
        assert_eq!(measured.find("aes-128", "avx2-h", 16), batch(16, 800.0, Some(0.85)));
        assert_eq!(measured.find("aes-128", "avx2-h1", 8), batch(8, 512.5, None));
        assert_eq!(measured.find("aes-128", "avx2-h1", 4), None);
        assert_eq!(measured.find("aes-128", "avx512-h", 32), None);
        assert_eq!(measured.find("aes-192", "avx2-h", 16), None);
    }

    #[test]
    fn engines_for_fewer_blocks_are_told_apart() {
        let names = |slicing, target: &Target, most| -> Vec<String> {
            let fewer = crate::library::fewer_at_once(slicing, target, most);
            fewer.into_iter().map(|batches| name(target, slicing, Some(batches))).collect()
        };
        let none: [&str; 0] = [];
        assert_eq!(
            names(Slicing::BLOCKS, &AVX512_VAES, 8),
            ["avx512-vaes-v161", "avx512-vaes-v162", "avx512-vaes-v164"]
        );
        assert_eq!(names(Slicing::BLOCKS, &AVX512_VAES, 2), ["avx512-vaes-v161"]);
        assert_eq!(names(Slicing::BLOCKS, &AVX512_VAES, 1), none);
        assert_eq!(names(Slicing::BLOCKS, &AVX_AES, 8), ["avx-aes-v161"]);
        assert_eq!(names(Slicing::V, &AVX512_VAES, 4), ["avx512-vaes-v1"]);
        // Three at once may be the usual number of something that was tuned.
        assert_eq!(name(&AVX512_VAES, Slicing::V, Some(3)), "avx512-vaes-v");
    }

    fn check(text: &str, expected: Expect) {
        expected.assert_eq(&parse(FILE, text).unwrap_err().to_string());
    }

    #[test]
    fn what_is_wrong_is_said() {
        check(
            &SAMPLE.replace("version = 1", "version = 2"),
            expect![
                "engines.toml:2:11: this is version 2 of the file, and version 1 is known: run `usubac engines` again"
            ],
        );
        check(
            &SAMPLE.replace("machine = ", "engine = "),
            expect![
                "engines.toml:3:1: unknown field `engine`, expected one of `version`, `machine`, `tools`, `assembly`, `engines`"
            ],
        );
        check(
            &SAMPLE.replace("avx2-h1", "avx3-h1"),
            expect![
                "engines.toml:9:1: `avx3-h1` is no engine: write a target and a slicing, such as `avx2-h`; targets are gp64, gp64-bmi, sse2, ssse3, sse4.2, avx, avx-aes, avx2, avx2-vaes, avx2-gfni, avx512-128, avx512-256, avx512, avx512-gfni, avx512-vaes, neon, neon-aes, altivec"
            ],
        );
        check(
            &SAMPLE.replace("512.5", "-512.5"),
            expect![
                "engines.toml:9:11: a batch is of at least one block, and takes some cycles: write numbers above zero"
            ],
        );
        check(
            &SAMPLE.replace("blocks = 16", "blocks = 0"),
            expect![
                "engines.toml:8:10: a batch is of at least one block, and takes some cycles: write numbers above zero"
            ],
        );
        check(
            &SAMPLE.replace("blocks = 16", "blocks = 16, bytes = 256"),
            expect![
                "engines.toml:8:25: unknown field `bytes`, expected one of `blocks`, `cycles`, `assembly`"
            ],
        );
    }
}
