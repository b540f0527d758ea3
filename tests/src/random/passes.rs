//! Random programs through the passes of code generation, in process.

use super::comparison::{Agreed, Failure};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use usuba_codegen::{Observer, Options, Product, admits, generate_watched};
use usuba_ir::check::check;
use usuba_ir::program::Program;
use usuba_target::Target;
use usuba_verify::compare::Effort;
use usuba_verify::machine::examine;

/// The machine program after each stage, put to all tests that there are.
struct Watch<'a> {
    program: &'a Program,
    seed: u64,
    found: Option<(&'static str, String)>,
}

impl Observer for Watch<'_> {
    fn after(&mut self, stage: &'static str, product: Product<'_>) -> ControlFlow<()> {
        let Product::Machine(machine, shape) = product else { return ControlFlow::Break(()) };
        let effort = Effort { exhaustive_bits: 0, cases: 1, seed: self.seed };
        let why = match examine(self.program, machine, shape, effort) {
            Ok(verdict) if verdict.is_agreement() => return ControlFlow::Continue(()),
            Ok(verdict) => verdict.to_string(),
            Err(broken) => broken.to_string(),
        };
        self.found = Some((stage, why));
        ControlFlow::Break(())
    }
}

/// Takes all programs of one text, in each slicing that the target has code for, through selection and every pass, with other
/// inputs in each instance. How many programs that were.
///
/// # Errors
/// The first stage that leaves what is no sound program of the same meaning. A panic is a failure too.
pub fn examined(seed: u64, agreed: &Agreed, target: &Target) -> Result<usize, Failure> {
    let mut count = 0;
    for (slicing, program) in &agreed.programs {
        let checked = check(program)
            .map_err(|flaws| Failure::new(format!("check of {slicing}"), flaws[0].to_string()))?;
        if admits(checked, target).is_err() {
            continue;
        }
        count += 1;
        let mut watch = Watch { program, seed, found: None };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let _ = generate_watched(checked, target, &Options::default(), &mut watch);
        }));
        let failure = match (outcome, watch.found) {
            (Err(_), _) => ("code generation", "panic".to_owned()),
            (Ok(()), Some(found)) => found,
            (Ok(()), None) => continue,
        };
        let (stage, why) = failure;
        return Err(Failure::new(format!("{stage} of {slicing}"), format!("{}: {why}", target.name)));
    }
    Ok(count)
}
