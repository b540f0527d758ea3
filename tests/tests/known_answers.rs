//! Known answers of every cipher on every path: the reference interpreter, Usuba0 after all passes, and C by gcc and by
//! clang for every target, in every slicing that the manifest names. Both directions, round keys, bulk entries, chains of
//! a thousand, counter mode and streams, and for compiled code the modes at all lengths.
//!
//! Foreign targets run under an emulator. A target that this CPU lacks is left out and said so; a missing compiler or
//! emulator is a failure (`make setup` installs them). `USUBA_TARGETS=gp64,avx2` restricts the targets.

use std::time::Instant;
use usuba_kit::known_answers::{Path, Plan, Report, run};
use usuba_kit::run::Family;
use usuba_tests::ciphers::Cipher;

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
    plan.interpreted_iterations = 1000;
    let mut total = Report::default();
    for primitive in &cipher.manifest.primitives {
        let tests = cipher.tests(primitive);
        assert!(tests.len() >= 64, "{} has only {} known answers", primitive.name, tests.len());
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
                assert_eq!(outcome.skipped, 0, "{}: {}", primitive.name, outcome.way);
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

ciphers!(aes, ascon, chacha20, des, gimli, present, rectangle, serpent);

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
