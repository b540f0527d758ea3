//! Known answers of every cipher through the assembly, in every slicing that the manifest names; the driver is compiled by
//! gcc with little optimisation, for it is not what is tested. `USUBA_TARGETS=sse2,avx512` chooses the targets.

use usuba_ir::layout::Slicing;
use usuba_tests::ciphers::Cipher;
use usuba_trial::known_answers::{Path, Plan, run};
use usuba_trial::run::Family;

fn check(name: &str) {
    let chosen = std::env::var("USUBA_TARGETS").unwrap_or_else(|_| "avx2,gp64-bmi".into());
    let cipher = Cipher::read(name);
    check_slicings(name, &cipher, &chosen, None);
    // What looks up bytes.
    if name == "aes" {
        check_slicings(name, &cipher, "avx512-gfni", Some(vec![Slicing::V, Slicing::BLOCKS]));
    }
}

fn check_slicings(name: &str, cipher: &Cipher, targets: &str, slicings: Option<Vec<Slicing>>) {
    let targets = targets.split(',').filter_map(usuba_target::by_name);
    let paths =
        targets.map(|target| Path::Assembly { target, family: Family::Gcc, optimisation: "-O1" }).collect();
    let mut plan = Plan::new(paths);
    plan.modes = false;
    plan.slicings = slicings;
    // The others differ from the first in the number of rounds.
    let Some(primitive) = cipher.manifest.primitives.first() else { panic!("{name} has no primitive") };
    let tests = cipher.tests(primitive);
    let report = run(primitive, &cipher.loaded, &tests, &plan, &mut |_| {});
    for outcome in &report.outcomes {
        let reason = outcome.left_out.as_deref().unwrap_or("");
        println!("{}: {} passed {reason}", outcome.way, outcome.passed);
        // A CPU without the instructions, a slicing that the C has no code for either, or one that takes more general-purpose
        // registers for addresses than there are (Serpent in `b`).
        let good = reason.is_empty()
            || reason.contains("its CPU lacks")
            || reason.contains("no instructions shuffle")
            || reason.contains("it is for words of 32 and 64 bits")
            || reason.contains("general-purpose registers hold one word")
            || reason.contains("more loops and distances than general-purpose registers")
            || reason.contains("there is no map of bytes");
        assert!(good, "{}: {reason}", outcome.way);
    }
    let lacking =
        |reason: &Option<String>| reason.as_ref().is_some_and(|reason| reason.contains("its CPU lacks"));
    let nothing_runs = report.outcomes.iter().all(|outcome| lacking(&outcome.left_out));
    assert!(
        report.is_success() || nothing_runs && report.failed == 0,
        "{:#?}",
        report.failures.iter().take(8).collect::<Vec<_>>()
    );
}

macro_rules! ciphers {
    ($($name:ident),*) => { $(#[test] fn $name() { check(stringify!($name)); })* };
}

ciphers!(aes, ascon, chacha20, des, gimli, keccak, rectangle, serpent);
