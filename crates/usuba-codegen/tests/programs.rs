//! Random programs with arrays, loops and calls: in process after every pass, and a sample through C compilers, on random lanes,
//! against the interpreter.

mod harness;

use harness::generate::{bits, blocks, bytes, tangle, words};
use harness::passes::check_passes;
use harness::{Case, case, compare, compilers, is_admitted};
use usuba_codegen::{Scheduling, select, shape};
use usuba_ir::check;
use usuba_ir::program::Program;
use usuba_machine::program::Step;
use usuba_target::{Meaning, all, by_name};
use usuba_verify::compare::Effort;
use usuba_verify::machine::examine;

/// How many programs of each kind go through all targets in process.
const PROGRAMS: u64 = 150;

/// Checks the programs of a kind on every target that has code for them; how many checks that were.
fn check_everywhere(name: &str, count: u64, of: fn(u64) -> Program) -> usize {
    let mut checked = 0;
    for seed in 0..count {
        let program = of(seed);
        for target in all().iter().filter(|target| is_admitted(&program, target)) {
            check_passes(&format!("{name} {seed}"), &program, target);
            checked += 1;
        }
    }
    checked
}

#[test]
fn programs_of_bits_after_every_pass() {
    assert_eq!(check_everywhere("bits", PROGRAMS, bits), PROGRAMS as usize * all().len());
}

#[test]
fn programs_of_words_after_every_pass() {
    assert_eq!(check_everywhere("words", PROGRAMS, words), PROGRAMS as usize * all().len());
}

/// Arrays shared, updated and carried in every way: the places that they get must not overwrite what is still read.
#[test]
fn places_of_arrays_after_every_pass() {
    assert_eq!(check_everywhere("tangle", 4 * PROGRAMS, tangle), 4 * PROGRAMS as usize * all().len());
}

#[test]
fn maps_of_bytes_after_every_pass() {
    // Targets without such maps have code for the programs that map no byte.
    assert!(check_everywhere("bytes", PROGRAMS, bytes) >= 2 * PROGRAMS as usize);
}

/// A change of one instruction is found: the comparison can fail.
#[test]
fn a_wrong_instruction_is_found() {
    let target = by_name("avx2").expect("a target");
    let (mut changed, mut found) = (0, 0);
    for seed in 0..60 {
        let program = words(seed);
        let checked = check::check(&program).expect("it has no flaw");
        let mut machine = select(checked, target, Scheduling::SOURCE).expect("it is admitted");
        let shape = shape(checked, target).expect("it is admitted");
        let Some(entry) = machine.functions.last_mut() else { continue };
        let or = target.instruction(Meaning::Or, 0).expect("a row");
        let last = entry.body.steps.iter_mut().rev().find_map(|step| match step {
            Step::Compute { row, .. } if matches!(row.meaning, Meaning::Xor | Meaning::And) => Some(row),
            _ => None,
        });
        let Some(row) = last else { continue };
        *row = or;
        changed += 1;
        let effort = Effort { exhaustive_bits: 0, cases: 64, seed };
        let verdict = examine(&program, &machine, &shape, effort).expect("it is sound");
        found += usize::from(!verdict.is_agreement());
    }
    // Some change nothing: `x ^ y` is `x | y` where no bit is in both.
    assert!(changed > 25 && 2 * found > changed, "{found} of {changed} were found");
}

// The programs below go through C compilers too. Passes and selection are tested above; what is left to test is the printer,
// the C of the rows and the harness, so that a fifth of the programs that went this way before do.

fn check(name: &str, count: u64) {
    let made = (0..count)
        .flat_map(|seed| [(format!("bits_{seed}"), bits(seed)), (format!("words_{seed}"), words(seed))]);
    check_all(name, made.collect());
}

/// Random programs that map bytes.
fn check_bytes(name: &str, count: u64) {
    let made = (0..count).map(|seed| (format!("bytes_{seed}"), bytes(seed)));
    check_all(name, made.collect());
}

/// Random programs on blocks.
fn check_blocks(name: &str, count: u64) {
    let made = (0..count).map(|seed| (format!("blocks_{seed}"), blocks(seed)));
    check_all(name, made.collect());
}

fn check_all(name: &str, made: Vec<(String, Program)>) {
    let target = by_name(name).expect("a target");
    let count = made.len();
    let cases: Vec<Case> = made
        .into_iter()
        .filter(|(_, program)| is_admitted(program, target))
        .map(|(symbol, program)| case(program, target, &symbol))
        .collect();
    assert_eq!(cases.len(), count, "every program is admitted");
    let folder = tempfile::tempdir().expect("a folder");
    for (compiler, level) in compilers(target).iter().zip(["-O3", "-O1"].into_iter().cycle()) {
        compare(&cases, compiler, level, folder.path());
    }
}

#[test]
fn gp64() {
    check("gp64", 30);
}

#[test]
fn avx2() {
    check("avx2", 8);
}

#[test]
fn avx512() {
    check("avx512", 4);
}

#[test]
fn avx2_gfni() {
    check_bytes("avx2-gfni", 8);
}

#[test]
fn avx512_gfni() {
    check_bytes("avx512-gfni", 8);
}

#[test]
fn avx_aes() {
    check_blocks("avx-aes", 8);
    check_bytes("avx-aes", 4);
}

#[test]
fn avx2_vaes() {
    check_blocks("avx2-vaes", 8);
    check_bytes("avx2-vaes", 4);
}

#[test]
fn avx512_vaes() {
    check_blocks("avx512-vaes", 8);
}

#[test]
fn neon_aes() {
    check_blocks("neon-aes", 4);
    check_bytes("neon-aes", 2);
}

#[test]
fn neon() {
    check("neon", 4);
}

#[test]
fn altivec() {
    check("altivec", 4);
}

#[test]
fn places_of_arrays() {
    let target = by_name("gp64").expect("a target");
    let cases: Vec<Case> =
        (0..50).map(|seed| case(tangle(seed), target, &format!("tangle_{seed}"))).collect();
    let folder = tempfile::tempdir().expect("a folder");
    // What is tested happens before any compiler: one is enough.
    for compiler in compilers(target).iter().take(1) {
        compare(&cases, compiler, "-O0", folder.path());
    }
}
