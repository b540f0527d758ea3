//! Bitsliced ciphers whose bitwise nodes are all split into the bits of their words mean what they mean.

use std::collections::BTreeSet;
use usuba_compiler::pipeline::Settings;
use usuba_ir::layout::Slicing;
use usuba_ir::random::Random;
use usuba_lang::elaborate::elaborate;
use usuba_lang::interpret::Interpreter;
use usuba_lower::{Loops, Split, lower};
use usuba_tests::ciphers::{CIPHERS, Cipher};
use usuba_trial::known_answers::{Path, Plan, run};
use usuba_trial::run::Family;

/// Every primitive on random inputs, with all of these loops kept and with the usual ones; which nodes were split.
#[test]
fn every_cipher_computes_the_same() {
    let mut random = Random::new(11);
    let (mut split, mut compared) = (BTreeSet::new(), 0);
    for name in CIPHERS {
        let cipher = Cipher::read(name);
        let primitives = &cipher.manifest.primitives;
        for primitive in primitives.iter().filter(|one| one.slicings.contains(&Slicing::B)) {
            let mut settings = Settings::new(Slicing::B, Some(primitive.main_node()));
            let (typed, _) = elaborate(&cipher.loaded.program, &settings.elaboration());
            let typed = typed.expect("the repository's own ciphers are right");
            let mut meaning = Interpreter::new(&typed);
            settings.lowering.split = Split::All;
            for loops in [Loops::Keep, settings.lowering.loops] {
                settings.lowering.loops = loops;
                let program = lower(&typed, &cipher.loaded.sources, &settings.lowering);
                let program = program.unwrap_or_else(|found| panic!("{}: {found:?}", primitive.name));
                usuba_ir::check::check(&program).expect("lowering makes what the checker passes");
                let mut lowered = usuba_ir::interpret::Interpreter::new(&program);
                for _ in 0..2 {
                    let inputs: Vec<Vec<u128>> = program
                        .entry()
                        .inputs
                        .iter()
                        .map(|input| (0..input.ty.atoms()).map(|_| random.wide() & 1).collect())
                        .collect();
                    assert_eq!(lowered.run(&inputs), meaning.run(&inputs), "{} {loops:?}", primitive.name);
                    compared += 1;
                }
                for node in &program.nodes {
                    let column = node.name.split_once("'column").filter(|(_, count)| !count.is_empty());
                    split.extend(column.map(|(node, count)| format!("{name} {node} {count}")));
                }
            }
        }
    }
    assert!(compared > 100, "{compared} comparisons");
    for expected in ["keccak Chi 64", "xoodoo Chi 128", "photon MixColumnsSerial 4"] {
        let is_there = split.iter().any(|found| {
            let words = |text: &str| text.split([' ', '\'']).map(str::to_owned).collect::<Vec<_>>();
            let (found, expected) = (words(found), words(expected));
            (&found[0], &found[1], found.last()) == (&expected[0], &expected[1], expected.last())
        });
        assert!(is_there, "{expected} is not among {split:?}");
    }
}

/// Known answers of what was split, compiled.
#[test]
fn known_answers_of_compiled_code() {
    for name in ["xoodoo", "gift"] {
        let cipher = Cipher::read(name);
        let primitive = cipher.manifest.primitives.last().expect("it has one");
        let c = Path::C { target: &usuba_target::machines::GP64, family: Family::Gcc, optimisation: "-O1" };
        let mut plan = Plan::new(vec![Path::Usuba0, c]);
        plan.slicings = Some(vec![Slicing::B]);
        plan.compiled_iterations = 1000;
        plan.overrides.split = Some(Split::All);
        let report = run(primitive, &cipher.loaded, &cipher.tests(primitive), &plan, &mut |_| {});
        assert!(report.is_success(), "{name}: {:#?}", report.failures);
        assert_eq!(report.outcomes.len(), 2, "{name}: {:#?}", report.outcomes);
        assert!(report.outcomes.iter().all(|one| one.passed > 60), "{name}: {:#?}", report.outcomes);
    }
}
