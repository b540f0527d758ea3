//! The file `engines.toml` next to a manifest: what batches of engines took, in a table for each core that was measured.
//!
//! It is written by `usubac engines` and read where a library is built: an engine that was measured costs what it took, one
//! that was not what is [estimated](super::estimate). Unknown fields are errors. What was measured of another number of
//! blocks than the engine now takes at once says nothing about it and is not used; an edited program that still takes as
//! many is taken to cost about as much.

use super::estimate::is_rounds;
use crate::manifest::ManifestError;
use crate::manifest::Primitive;
use crate::messages;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use toml::Spanned;
use usuba_ir::layout::Slicing;
use usuba_target::core::TOLD_APART;
use usuba_target::{Core, Target};

/// The version of the file that is written, and the only one that is read.
pub const VERSION: i64 = 2;

/// The name of the file.
pub const FILE: &str = "engines.toml";

/// What is known of the engines of a cipher.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Measured {
    /// For each core by its [name in files](Core::id), what was measured on it.
    pub cores: BTreeMap<&'static str, Table>,
}

/// What is known of the engines of a cipher on a core.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
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

impl Table {
    /// What was measured of a batch of `blocks`, if that was.
    pub fn find(&self, primitive: &str, engine: &str, blocks: u32) -> Option<Batch> {
        let batch = self.batches.get(primitive)?.get(engine)?;
        (batch.blocks == blocks).then_some(*batch)
    }
}

impl Measured {
    /// The cores that were measured, each with its table.
    pub fn tables(&self) -> impl Iterator<Item = (&'static Core, &Table)> {
        let table = |core: &'static Core| Some((core, self.cores.get(core.id)?));
        TOLD_APART.iter().copied().filter_map(table)
    }

    /// Whether some engine of a primitive for this target was measured on some core.
    pub fn has_target(&self, primitive: &str, target: &Target) -> bool {
        let of = self.cores.values().filter_map(|table| table.batches.get(primitive));
        of.flat_map(BTreeMap::keys).any(|name| is_of(name, target))
    }

    /// What a batch takes with its kernels in assembly, as a part of what it takes in C: the geometric mean over the cores on which
    /// that was compared.
    pub fn assembly(&self, primitive: &str, engine: &str, blocks: u32) -> Option<f64> {
        let found = self.cores.values().filter_map(|table| table.find(primitive, engine, blocks)?.assembly);
        let logarithms: Vec<f64> = found.map(f64::ln).collect();
        let mean = logarithms.iter().sum::<f64>() / logarithms.len() as f64;
        (!logarithms.is_empty()).then(|| mean.exp())
    }
}

/// What tells the engines of a primitive apart: `avx2-h`, or `avx2-h1` and `avx2-h2` where one batch or two of it are computed at once
/// although more would be faster, and `avx512-vaes-v164` where four batches of rounds of AES are, for fewer blocks than usual.
pub fn name(target: &Target, slicing: Slicing, batches: Option<u32>) -> String {
    let named = batches.filter(|&batches| batches <= 2 || slicing == Slicing::BLOCKS && target.has_rounds());
    format!("{}-{slicing}{}", target.name, named.map_or(String::new(), |batches| batches.to_string()))
}

/// Whether what a call of one batch takes says what an engine costs. Of rounds of AES it does not: such a call waits for itself, where
/// in a longer one processors work on several batches. By such figures of Zen 4, numbers of blocks up to 40 that fill no batch took
/// up to 2.4 times as long as by what is estimated, and none less.
pub fn is_timed(primitive: &Primitive, slicing: Slicing, target: &Target) -> bool {
    !is_rounds(primitive, slicing, target)
}

/// Whether a name is that of an engine for a target.
pub fn is_of(name: &str, target: &Target) -> bool {
    name.rsplit_once('-').is_some_and(|(of, _)| of == target.name)
}

/// What is read first: files of other versions have other fields.
#[derive(Deserialize)]
struct Versioned {
    version: Spanned<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "version")]
    _version: i64,
    #[serde(default)]
    cores: BTreeMap<Spanned<String>, OfCore>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfCore {
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
    let of_toml = |error: toml::de::Error| ManifestError::of_toml(file, text, &error);
    let wrong = |at: usize, message: String| ManifestError::at(file, text, at, message);
    let Versioned { version } = toml::from_str(text).map_err(of_toml)?;
    if *version.get_ref() != VERSION {
        return Err(wrong(version.span().start, messages::engines_version(*version.get_ref(), VERSION)));
    }
    let raw: File = toml::from_str(text).map_err(of_toml)?;
    let mut measured = Measured::default();
    for (id, of_core) in raw.cores {
        let Some(core) = TOLD_APART.iter().find(|core| core.id == id.get_ref()) else {
            return Err(wrong(id.span().start, messages::engines_core(id.get_ref())));
        };
        let OfCore { machine, tools, assembly, engines } = of_core;
        let mut table = Table { machine, tools, assembly, batches: BTreeMap::new() };
        for (primitive, engines) in engines {
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
                let of = table.batches.entry(primitive.clone()).or_default();
                of.insert(engine.into_inner(), Batch { blocks, cycles, assembly });
            }
        }
        measured.cores.insert(core.id, table);
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
    for (core, Table { machine, tools, assembly, batches }) in &measured.cores {
        let _ = writeln!(text, "\n[cores.{core}]");
        let _ = writeln!(text, "machine = {}", quoted(machine));
        let _ = writeln!(text, "tools = {}", quoted(tools));
        let mut all = batches.values().flat_map(BTreeMap::values);
        if all.any(|batch| batch.assembly.is_some()) {
            let _ = writeln!(text, "assembly = {}", quoted(assembly));
        }
        for (primitive, engines) in batches {
            let _ = writeln!(text, "\n[cores.{core}.engines.{primitive}]");
            for (engine, Batch { blocks, cycles, assembly }) in engines {
                let assembly = assembly.map_or(String::new(), |part| format!(", assembly = {part:.2}"));
                let _ = writeln!(text, "{engine} = {{ blocks = {blocks}, cycles = {cycles:.1}{assembly} }}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use usuba_target::machines::{AVX_AES, AVX512_VAES, GP64_BMI};

    const SAMPLE: &str = r#"# Made by `usubac engines`, read by `usubac build`; docs/manifest.md says what it means.
version = 2

[cores.zen-4]
machine = "Some CPU @ 2.10GHz"
tools = "gcc 12, -O2"
assembly = "Another CPU"

[cores.zen-4.engines.aes-128]
avx2-h = { blocks = 16, cycles = 800.0, assembly = 0.80 }
avx2-h1 = { blocks = 8, cycles = 512.5 }

[cores.zen-4.engines.aes-256]
avx512-gfni-v16 = { blocks = 4, cycles = 97.0 }

[cores.zen-5]
machine = "A third CPU"
tools = "gcc 13, -O2"
assembly = "A third CPU"

[cores.zen-5.engines.aes-128]
avx2-h = { blocks = 16, cycles = 700.0, assembly = 1.25 }
gp64-bmi-v = { blocks = 1, cycles = 2000.0 }
"#;

    #[test]
    fn what_is_printed_is_read() {
        let measured = parse(FILE, SAMPLE).unwrap();
        assert_eq!(print(&measured), SAMPLE);
        let cores: Vec<&str> = measured.tables().map(|(core, _)| core.name).collect();
        assert_eq!(cores, ["Zen 4", "Zen 5"]);
        let [zen_4, zen_5] = ["zen-4", "zen-5"].map(|core| measured.cores.get(core).unwrap());
        let batch = |blocks, cycles, assembly| Some(Batch { blocks, cycles, assembly });
        assert_eq!(zen_4.find("aes-128", "avx2-h", 16), batch(16, 800.0, Some(0.8)));
        assert_eq!(zen_5.find("aes-128", "avx2-h", 16), batch(16, 700.0, Some(1.25)));
        assert_eq!(zen_4.find("aes-128", "avx2-h1", 8), batch(8, 512.5, None));
        assert_eq!(zen_4.find("aes-128", "avx2-h1", 4), None);
        assert_eq!(zen_4.find("aes-128", "avx512-h", 32), None);
        assert_eq!(zen_4.find("aes-192", "avx2-h", 16), None);
        // 0.8 times 1.25 is 1.
        assert!((measured.assembly("aes-128", "avx2-h", 16).unwrap() - 1.0).abs() < 1e-9);
        assert_eq!(measured.assembly("aes-128", "avx2-h1", 8), None);
        assert!(measured.has_target("aes-128", &GP64_BMI) && !measured.has_target("aes-256", &GP64_BMI));
    }

    #[test]
    fn engines_for_fewer_blocks_are_told_apart() {
        let first = |text| crate::manifest::parse("usuba.toml", text).unwrap().primitives.remove(0);
        let aes = first(include_str!("../../../../ciphers/aes/usuba.toml"));
        let sm4 = first(include_str!("../../../../ciphers/sm4/usuba.toml"));
        let names = |primitive: &Primitive, slicing, target: &Target, most| -> Vec<String> {
            let fewer = crate::library::fewer_at_once(primitive, slicing, target, most);
            fewer.into_iter().map(|batches| name(target, slicing, Some(batches))).collect()
        };
        let none: [&str; 0] = [];
        assert_eq!(
            names(&aes, Slicing::BLOCKS, &AVX512_VAES, 8),
            ["avx512-vaes-v161", "avx512-vaes-v162", "avx512-vaes-v164"]
        );
        assert_eq!(names(&aes, Slicing::BLOCKS, &AVX512_VAES, 2), ["avx512-vaes-v161"]);
        assert_eq!(names(&aes, Slicing::BLOCKS, &AVX512_VAES, 1), none);
        assert_eq!(names(&aes, Slicing::BLOCKS, &AVX_AES, 8), ["avx-aes-v161"]);
        assert_eq!(names(&aes, Slicing::V, &AVX512_VAES, 4), ["avx512-vaes-v1", "avx512-vaes-v2"]);
        assert_eq!(names(&aes, Slicing::V, &AVX512_VAES, 3), ["avx512-vaes-v1"]);
        // Nodes on blocks are no rounds of AES.
        assert_eq!(names(&sm4, Slicing::BLOCKS, &AVX_AES, 4), ["avx-aes-v161", "avx-aes-v162"]);
        assert!(is_timed(&sm4, Slicing::BLOCKS, &AVX_AES) && !is_timed(&aes, Slicing::BLOCKS, &AVX_AES));
        // Three at once may be the usual number of something that was tuned.
        assert_eq!(name(&AVX512_VAES, Slicing::V, Some(3)), "avx512-vaes-v");
    }

    fn check(text: &str, expected: Expect) {
        expected.assert_eq(&parse(FILE, text).unwrap_err().to_string());
    }

    #[test]
    fn what_is_wrong_is_said() {
        check(
            "version = 1\nmachine = \"one\"\n",
            expect![
                "engines.toml:1:11: this is version 1 of the file, and version 2 is known: run `usubac engines` again"
            ],
        );
        check(&SAMPLE.replace("version = 2", ""), expect!["engines.toml:1:1: missing field `version`"]);
        check(
            &SAMPLE.replace("cores.zen-5", "cores.zen-3"),
            expect![
                "engines.toml:16:8: `zen-3` is no core that libraries tell apart: cores are golden-cove, zen-4, zen-5"
            ],
        );
        check(
            &SAMPLE.replace("machine = \"Some", "engine = \"Some"),
            expect![
                "engines.toml:5:1: unknown field `engine`, expected one of `machine`, `tools`, `assembly`, `engines`"
            ],
        );
        check(
            &SAMPLE.replace("version = 2", "version = 2\nmachine = \"one\""),
            expect!["engines.toml:3:1: unknown field `machine`, expected `version` or `cores`"],
        );
        check(
            &SAMPLE.replace("avx2-h1", "avx3-h1"),
            expect![
                "engines.toml:11:1: `avx3-h1` is no engine: write a target and a slicing, such as `avx2-h`; targets are gp64, gp64-bmi, sse2, ssse3, sse4.2, avx, avx-aes, avx2, avx2-vaes, avx2-gfni, avx512-128, avx512-256, avx512, avx512-gfni, avx512-vaes, neon, neon-aes, altivec"
            ],
        );
        check(
            &SAMPLE.replace("512.5", "-512.5"),
            expect![
                "engines.toml:11:11: a batch is of at least one block, and takes some cycles: write numbers above zero"
            ],
        );
        check(
            &SAMPLE.replacen("blocks = 16", "blocks = 0", 1),
            expect![
                "engines.toml:10:10: a batch is of at least one block, and takes some cycles: write numbers above zero"
            ],
        );
        check(
            &SAMPLE.replacen("blocks = 16", "blocks = 16, bytes = 256", 1),
            expect![
                "engines.toml:10:25: unknown field `bytes`, expected one of `blocks`, `cycles`, `assembly`"
            ],
        );
    }
}
