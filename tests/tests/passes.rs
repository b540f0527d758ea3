//! Every pass on every cipher: what comes out means what went in, whichever other passes are left out.
//!
//! What goes in and comes out of each pass is run on random inputs (`usubac build --verify-each` does the same); then the
//! known answers go through the interpreter of Usuba0 with each pass left out in turn.

use std::ops::ControlFlow;
use usuba_compiler::pipeline::{Settings, optimised};
use usuba_ir::check;
use usuba_ir::program::Program;
use usuba_opt::pass::{self, Observer, Pass};
use usuba_opt::passes::{PASSES, optimise};
use usuba_tests::ciphers;
use usuba_trial::known_answers::{self, Path, Plan};
use usuba_verify::compare::{Effort, compare};

/// Compares what each pass leaves with what it was given.
struct Comparison {
    before: Program,
    found: Vec<String>,
}

impl Observer for Comparison {
    fn before(&mut self, _: &Pass, program: &Program) {
        self.before = program.clone();
    }

    fn after(&mut self, pass: &Pass, program: &Program) -> ControlFlow<()> {
        if let Err(flaws) = check::check(program) {
            self.found.push(format!("{}: {}", pass.name, flaws[0]));
        } else if self.before != *program {
            let verdict = compare(&self.before, program, Effort { exhaustive_bits: 0, cases: 3, seed: 7 });
            if !verdict.is_agreement() {
                self.found.push(format!("{}: not the same function", pass.name));
            }
        }
        ControlFlow::Continue(())
    }
}

/// Names of passes to leave out.
fn without(names: impl IntoIterator<Item = &'static str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

#[test]
fn each_pass_keeps_the_meaning_of_each_cipher() {
    for name in ciphers::CIPHERS {
        let cipher = ciphers::Cipher::read(name);
        let primitive = &cipher.manifest.primitives[0];
        for &slicing in &primitive.slicings {
            let mut settings = Settings::new(slicing, Some(primitive.in_slicing(slicing, None).main_node()));
            settings.passes.disabled = without(PASSES.iter().map(|pass| pass.name));
            let (_, lowered, _) = optimised(&cipher.loaded, &settings, &mut ()).expect("it compiles");
            let chosen = [
                pass::Settings { interleave: Some(2), granularity: Some(3), ..pass::Settings::default() },
                pass::Settings { inline_all: true, carried_atoms: 3, ..pass::Settings::default() },
            ];
            for settings in chosen {
                let mut comparison = Comparison { before: lowered.clone(), found: Vec::new() };
                let mut program = lowered.clone();
                optimise(&mut program, &settings, &mut comparison);
                assert_eq!(comparison.found, Vec::<String>::new(), "{name}, slicing {slicing}, {settings:?}");
                assert_eq!(program.interleave, settings.interleave.unwrap_or(1), "{name}");
            }
        }
    }
}

#[test]
fn no_pass_is_needed_for_the_known_answers() {
    for name in ciphers::CIPHERS {
        let cipher = ciphers::Cipher::read(name);
        let primitive = &cipher.manifest.primitives[0];
        let mut tests = cipher.tests(primitive);
        tests.truncate(6);
        for pass in PASSES {
            let mut plan = Plan::new(vec![Path::Usuba0]);
            plan.interpreted_iterations = 1;
            plan.overrides.passes.disabled = without([pass.name]);
            let report = known_answers::run(primitive, &cipher.loaded, &tests, &plan, &mut |_| {});
            assert!(report.is_success(), "{name} without {}: {:#?}", pass.name, report.failures);
        }
    }
}
