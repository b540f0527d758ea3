//! Machine programs in process: after selection and after every pass the program is sound, is the same when it is printed and
//! parsed, and computes what it was made from. No compiler is needed.

use std::ops::ControlFlow;
use usuba_codegen::{Backend, Failure, Observer, Options, PASSES, Product, generate_watched};
use usuba_ir::program::Program;
use usuba_machine::Program as Machine;
use usuba_target::Target;
use usuba_verify::compare::Effort;
use usuba_verify::machine::examine;

/// Looks at a program after each stage.
struct Watch<'a> {
    program: &'a Program,
    before: Option<Machine>,
    seen: usize,
    found: Option<String>,
}

impl Observer for Watch<'_> {
    fn after(&mut self, stage: &'static str, product: Product<'_>) -> ControlFlow<()> {
        let Product::Machine(machine, shape) = product else { return ControlFlow::Break(()) };
        self.seen += 1;
        if self.before.as_ref() == Some(machine) {
            return ControlFlow::Continue(());
        }
        self.before = Some(machine.clone());
        let effort = Effort { exhaustive_bits: 0, cases: 1, seed: 5 };
        let found = match examine(self.program, machine, shape, effort) {
            Ok(verdict) if verdict.is_agreement() => return ControlFlow::Continue(()),
            Ok(verdict) => verdict.to_string(),
            Err(broken) => broken.to_string(),
        };
        self.found = Some(format!("after {stage}: {found}\n{machine}"));
        ControlFlow::Break(())
    }
}

/// Checks a program that the target admits after each stage up to the last pass, on random inputs in every instance.
pub fn check_passes(name: &str, program: &Program, target: &Target) {
    let options = Options { backend: Backend::C, ..Options::default() };
    let mut watch = Watch { program, before: None, seen: 0, found: None };
    let checked = usuba_ir::check::check(program).unwrap_or_else(|flaws| panic!("{name}: {}", flaws[0]));
    let made = generate_watched(checked, target, &options, &mut watch);
    assert!(
        watch.found.is_none(),
        "{name} on {}, {}\n{program}",
        target.name,
        watch.found.unwrap_or_default()
    );
    assert_eq!(made, Err(Failure::Stopped), "{name} on {}", target.name);
    assert_eq!(watch.seen, 1 + PASSES.len());
}
