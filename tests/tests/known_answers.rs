//! Known answers of every cipher on every path: the reference interpreter, Usuba0 after all passes, and C by gcc and by
//! clang for every target, in every slicing that the manifest names. Both directions, round keys, bulk entries, chains of
//! a thousand, counter mode and streams, and for compiled code the modes at all lengths.
//!
//! Foreign targets run under an emulator. A target that this CPU lacks is left out and said so; a missing compiler or
//! emulator is a failure (`make setup` installs them). `USUBA_TARGETS=gp64,avx2` restricts the targets.

use std::time::Instant;
use usuba_ir::layout::Slicing;
use usuba_kit::known_answers::{Path, Plan, Report, Request, Test, run};
use usuba_kit::run::Family;
use usuba_tests::ciphers::Cipher;

/// The longest chain that every way is asked.
const LONGEST: u32 = 1000;

/// Why a way may be left out.
const GOOD_REASONS: [&str; 2] = ["has no code", "its CPU lacks"];

fn paths() -> Vec<Path> {
    let chosen = std::env::var("USUBA_TARGETS").ok();
    let wanted = |name: &str| chosen.as_ref().is_none_or(|names| names.split(',').any(|one| one == name));
    let compiled =
        usuba_target::all().iter().copied().filter(|target| wanted(target.name)).flat_map(|target| {
            [Family::Gcc, Family::Clang].map(|family| Path::C { target, family, optimisation: "-O1" })
        });
    [Path::Interpreter, Path::Usuba0].into_iter().chain(compiled).collect()
}

fn check(name: &str) {
    let started = Instant::now();
    let cipher = Cipher::read(name);
    let mut plan = Plan::new(paths());
    plan.interpreted_iterations = LONGEST;
    plan.compiled_iterations = LONGEST;
    let mut total = Report::default();
    for primitive in &cipher.manifest.primitives {
        let tests = cipher.tests(primitive);
        assert!(tests.len() >= 64, "{} has only {} known answers", primitive.name, tests.len());
        let longer =
            |test: &&Test| matches!(test.request, Request::Chain { iterations, .. } if iterations > LONGEST);
        let skipped = tests.iter().filter(longer).count();
        let report = run(primitive, &cipher.loaded, &tests, &plan, &mut |_| {});
        for outcome in &report.outcomes {
            if let Some(reason) = &outcome.left_out {
                println!("{}: {}: left out: {reason}", primitive.name, outcome.way);
                assert!(GOOD_REASONS.iter().any(|good| reason.contains(good)), "{}: {reason}", outcome.way);
            } else {
                println!(
                    "{}: {}: {} passed, {} failed",
                    primitive.name, outcome.way, outcome.passed, outcome.failed
                );
                assert_eq!(outcome.skipped, skipped, "{}: {}", primitive.name, outcome.way);
            }
        }
        total.extend(report);
    }
    println!("{name}: {} passed, {} failed in {:.0?}", total.passed, total.failed, started.elapsed());
    let broken: Vec<_> = total.outcomes.iter().filter_map(|outcome| outcome.broken.as_ref()).collect();
    assert!(total.is_success(), "{broken:#?}\n{:#?}", total.failures.iter().take(8).collect::<Vec<_>>());
}

macro_rules! ciphers {
    ($($name:ident),*) => { $(#[test] fn $name() { check(stringify!($name)); })* };
}

ciphers!(
    ace,
    aes,
    aria,
    ascon,
    camellia,
    chacha20,
    des,
    gift,
    gimli,
    keccak,
    photon,
    present,
    pyjamask,
    rectangle,
    serpent,
    shadow,
    skinny,
    sm4,
    spongent,
    subterranean,
    xoodoo
);

/// The standard of SM4 has a chain of a million blocks; one way is enough for it.
#[test]
fn chains_of_a_million() {
    let cipher = Cipher::read("sm4");
    let primitive = &cipher.manifest.primitives[0];
    let mut tests = cipher.tests(primitive);
    tests.retain(|test| matches!(test.request, Request::Chain { iterations, .. } if iterations > LONGEST));
    let gp64 = usuba_target::by_name("gp64").expect("a target");
    let mut plan = Plan::new(vec![Path::C { target: gp64, family: Family::Gcc, optimisation: "-O2" }]);
    plan.slicings = Some(vec![Slicing::H]);
    plan.modes = false;
    let report = run(primitive, &cipher.loaded, &tests, &plan, &mut |_| {});
    assert_eq!((report.passed, report.failed, report.skipped), (1, 0, 0), "{:#?}", report.outcomes);
}

#[test]
fn every_cipher_is_listed() {
    let mut folders: Vec<String> = std::fs::read_dir(usuba_tests::ciphers::root().join("ciphers"))
        .expect("the ciphers are there")
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    assert_eq!(folders, usuba_tests::ciphers::CIPHERS);
}
