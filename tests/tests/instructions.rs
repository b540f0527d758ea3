//! Every row of every target computes on the processor, or its emulator, what its meaning says.
//!
//! Each operand of a row takes 2^20 words of 64 bits: 2^20 tuples of general-purpose registers, 2^19 of 128 bits, 2^18 of 256
//! and 2^17 of 512, and a million lanes or more of every width. All immediates have their share on the first target of a platform
//! that has such a row, every seventh on others. Rows that make constants are compared on 64 of them. One compiler and the
//! other take turns among the targets. With `USUBA_WAYS=all` both compile for each target and all immediates, and there are
//! eight times as many operands, a million registers of 512 bits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Instant;
use usuba_package::OutputFile;
use usuba_target::instruction::{Instruction, Meaning};
use usuba_target::machines::{GP64, SSE2};
use usuba_target::{Encoding, Target, Toolchain};
use usuba_tests::instructions::{Case, Key, Stream, Way, assembly, cases, program};
use usuba_tests::ways;
use usuba_trial::run::{Compiler, Family, RunError};

fn words() -> usize {
    if ways::all() { 1 << 23 } else { 1 << 20 }
}

/// The digests by meaning, each computed once: targets share rows.
#[derive(Default)]
struct Meanings(Mutex<BTreeMap<(Key, Way), Vec<u64>>>);

/// The first block of every case that the processor computes otherwise than the row means, in its C expression; or, with an
/// encoding, in its lines of assembly.
fn differences(
    target: &Target,
    encoding: Option<Encoding>,
    cases: &[Case],
    compiler: &Compiler,
    stream: &Stream,
    meanings: &Meanings,
) -> Result<Vec<String>, RunError> {
    let start = Instant::now();
    let file = |path: &str, contents| OutputFile { path: path.into(), contents };
    let files = match encoding {
        None => vec![file("rows.c", program(target, cases, words()))],
        Some(encoding) => {
            let (lines, main) = assembly(target, encoding, cases, words());
            vec![file("lines.S", lines), file("rows.c", main)]
        }
    };
    let compiled = compiler.compile(&files, &["-O1"])?;
    let between = start.elapsed();
    let output = compiled.run(&[])?;
    let (kind, ran) = (if encoding.is_some() { "assembly" } else { "C" }, start.elapsed() - between);
    println!("{} {} {kind}: compiled in {between:?}, ran in {ran:?}", target.name, compiler.command);
    let output = String::from_utf8(output).expect("digests");
    let mut lines = output.lines().map(|line| u64::from_str_radix(line, 16).expect("a digest"));
    let mut found = Vec::new();
    for case in cases {
        let ways = if encoding.is_some() { case.ways() } else { vec![Way::Registers] };
        for way in ways {
            // Memory has what registers have.
            let alike = if matches!(way, Way::Memory(_)) { Way::Registers } else { way };
            let mut meanings = meanings.0.lock().expect("no test has failed before");
            let expected = meanings
                .entry((case.key(), alike))
                .or_insert_with(|| case.digests_by(stream, way).expect("the operands are those of the row"));
            let computed: Vec<u64> = lines.by_ref().take(case.blocks()).collect();
            assert_eq!(computed.len(), case.blocks(), "the program printed too little");
            let differs = expected.iter().zip(&computed).position(|(one, other)| one != other);
            let describe = |block| format!("{} {kind} {way:?}: {}", target.name, case.describe(block));
            found.extend(differs.map(describe));
        }
    }
    assert_eq!(lines.next(), None, "the program printed too much");
    Ok(found)
}

/// The compiler for one platform of a target; nothing, with a line that says why, if there is none or the processor lacks
/// something.
fn compiler(target: &Target, toolchain: &Toolchain, family: Family) -> Option<Compiler> {
    // Programs for this machine run if it has the instructions; `find` looks.
    let found = if toolchain.runner.is_empty() {
        Compiler::find(target, family)
    } else {
        Compiler::of(toolchain, family)
    };
    found.map_err(|why| println!("skipped: {} on {}: {why}", target.name, toolchain.platform)).ok()
}

#[test]
fn every_row_is_what_the_processor_does() {
    let (stream, meanings) = (Stream::new(words()), Meanings::default());
    let (mut found, mut compared, mut seen) = (Vec::new(), 0, BTreeSet::new());
    for (number, target) in usuba_target::all().iter().enumerate() {
        let rows: Vec<Instruction> = target.all_instructions().copied().collect();
        for toolchain in target.toolchains {
            for family in [Family::Gcc, Family::Clang] {
                if !ways::all() && (number % 2 == 0) != (family == Family::Gcc) {
                    continue;
                }
                let Some(compiler) = compiler(target, toolchain, family) else { continue };
                let mut first = |row: &Instruction| seen.insert((toolchain.platform, row.meaning, row.lane));
                let cases = cases(target, &rows, |row| first(row) || ways::all());
                let more = differences(target, None, &cases, &compiler, &stream, &meanings)
                    .unwrap_or_else(|why| panic!("{} on {}: {why}", target.name, toolchain.platform));
                found.extend(more);
                compared += cases.len();
            }
        }
    }
    println!("{compared} rows compared");
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(compared > 0, "nothing was compared");
}

/// The lines of assembly of every row of x86: with all operands in registers, with one in memory and, where the encoding has
/// that, with a part of it repeated.
#[test]
fn every_line_of_assembly_is_what_the_processor_does() {
    let (stream, meanings) = (Stream::new(words()), Meanings::default());
    let (mut found, mut compared, mut seen) = (Vec::new(), 0, BTreeSet::new());
    for target in usuba_target::all() {
        let Some((encoding, toolchain)) = target.assembly().zip(target.toolchains.first()) else { continue };
        let Some(compiler) = compiler(target, toolchain, Family::Gcc) else { continue };
        let rows: Vec<Instruction> = target.instructions().copied().collect();
        let mut cases =
            cases(target, &rows, |row| seen.insert((row.mnemonic, target.register_bits)) || ways::all());
        cases.retain(|case| !case.ways().is_empty() && case.has_assembly());
        found.extend(
            differences(target, Some(encoding), &cases, &compiler, &stream, &meanings)
                .unwrap_or_else(|why| panic!("{}: {why}", target.name)),
        );
        compared += cases.iter().map(|case| case.ways().len()).sum::<usize>();
    }
    println!("{compared} lines compared");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A row whose lines do something else than its meaning says is found.
#[test]
fn a_wrong_line_is_found() {
    let (stream, meanings) = (Stream::new(words()), Meanings::default());
    let row = |meaning, lane| *SSE2.instruction(meaning, lane).expect("a row");
    let planted = [
        row(Meaning::Xor, 0),
        Instruction { mnemonic: "paddw", ..row(Meaning::Add, 32) },
        Instruction { meaning: Meaning::AndNot, ..row(Meaning::NotAnd, 0) },
        Instruction { lines: &["movd {x}, dword ptr {m}"], ..row(Meaning::Broadcast, 32) },
        row(Meaning::ShiftLeft, 64),
    ];
    let compiler = Compiler::native(Family::Gcc).expect("gcc is installed");
    let cases = cases(&SSE2, &planted, |_| true);
    let found = differences(&SSE2, Some(Encoding::Legacy), &cases, &compiler, &stream, &meanings);
    let found = found.expect("it compiles and runs");
    let wrong = |meaning: &str| found.iter().filter(|text| text.contains(meaning)).count();
    // Each with its second operand in a register and in memory.
    let expected = [("Add 32", 2), ("AndNot", 2), ("Broadcast", 1)];
    assert_eq!(expected.map(|(meaning, _)| (meaning, wrong(meaning))), expected, "{found:#?}");
    assert_eq!(found.len(), 5, "{found:#?}");
}

/// A row whose template does something else than its meaning says is found, if it does so for one immediate alone.
#[test]
fn a_wrong_row_is_found() {
    let (stream, meanings) = (Stream::new(words()), Meanings::default());
    let row = |meaning, lane| *GP64.instruction(meaning, lane).expect("a row");
    let planted = [
        row(Meaning::And, 0),
        Instruction { c: "{0} - {1}", ..row(Meaning::Xor, 0) },
        row(Meaning::Add, 32),
        Instruction { c: "(uint8_t)(~{0} & 0x7f)", ..row(Meaning::Not, 8) },
        Instruction { c: "{0} << ({imm} ^ ({imm} == 17))", ..row(Meaning::ShiftLeft, 32) },
        row(Meaning::RotateLeft, 64),
        Instruction { c: "{value} | 1", ..row(Meaning::Constant, 0) },
    ];
    let compiler = Compiler::native(Family::Gcc).expect("gcc is installed");
    let cases = cases(&GP64, &planted, |_| true);
    let found =
        differences(&GP64, None, &cases, &compiler, &stream, &meanings).expect("it compiles and runs");
    let wrong = |meaning: &str| found.iter().filter(|text| text.contains(meaning)).count();
    // Rows without lanes are compared for words of 8, 16, 32 and 64 bits.
    let expected = [("Xor", 4), ("Not 8", 1), ("ShiftLeft", 1), ("Constant", 4)];
    assert_eq!(expected.map(|(meaning, _)| (meaning, wrong(meaning))), expected, "{found:#?}");
    assert_eq!(found.len(), 10, "{found:#?}");
    assert!(found.iter().any(|text| text.contains("Immediate(17)")), "{found:#?}");
}
