//! Looking into the pipeline: dumps, clocks, checks.

use crate::args::Passes;
use crate::output::{Failure, print_error, print_line};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use usuba_codegen::pass::ASSEMBLY;
use usuba_codegen::{Backend, Shape};
use usuba_compiler::pipeline::{Observer, Product, stages};
use usuba_ir::program::Program;
use usuba_machine::program as machine;
use usuba_verify::compare::{Effort, Verdict, compare};
use usuba_verify::machine::examine;

/// Random cases per pass for `--verify-each`.
const CASES: u64 = 256;

/// The observer behind `--dump-after`, `--stop-after`, `--time-passes` and `--verify-each`.
pub struct Watch<'a> {
    passes: &'a Passes,
    started: Instant,
    /// The last program of Usuba0 that a stage was given: what the next one, and every machine program, is compared with.
    before: Option<Program>,
    times: Vec<(&'static str, Duration)>,
    /// What `--verify-each` found.
    pub disagreement: Option<String>,
}

impl<'a> Watch<'a> {
    /// Checks the names of passes.
    pub fn new(passes: &'a Passes, backend: Backend) -> Result<Watch<'a>, Failure> {
        let known = stages();
        for name in passes.dump_after.iter().chain(&passes.stop_after) {
            let special = name == "all" || name == "list";
            if !special && !known.contains(&name.as_str()) {
                return Err(Failure::general(format!(
                    "there is no pass `{name}`; there are {}",
                    known.join(", ")
                )));
            }
            if backend != Backend::Assembly && ASSEMBLY.contains(&name.as_str()) {
                return Err(Failure::general(format!(
                    "`{name}` is a pass of assembly alone; add `--backend asm`"
                )));
            }
        }
        Ok(Watch { passes, started: Instant::now(), before: None, times: Vec::new(), disagreement: None })
    }

    /// Prints the times, if they are asked for.
    pub fn report(&self) {
        if self.passes.time_passes {
            for (stage, time) in &self.times {
                print_error(&format!("{:>9.3} ms  {stage}", time.as_secs_f64() * 1e3));
            }
        }
    }

    fn verify(&mut self, stage: &str, after: &Program) -> ControlFlow<()> {
        let Some(before) = self.before.take() else { return ControlFlow::Continue(()) };
        let verdict = match usuba_ir::check::check(after) {
            Err(flaws) => {
                let flaws: Vec<String> = flaws.iter().map(ToString::to_string).collect();
                Err(format!("is malformed: {}", flaws.join("; ")))
            }
            Ok(_) => Ok(compare(&before, after, Effort { cases: CASES, ..Effort::default() })),
        };
        self.judge(stage, verdict)
    }

    fn verify_machine(&mut self, stage: &str, after: &machine::Program, shape: &Shape) -> ControlFlow<()> {
        let Some(before) = &self.before else { return ControlFlow::Continue(()) };
        // All inputs of a small program are many runs of wide registers; a sample does.
        let effort = Effort { cases: CASES, exhaustive_bits: 8, ..Effort::default() };
        let verdict = examine(before, after, shape, effort).map_err(|broken| broken.to_string());
        self.judge(stage, verdict)
    }

    fn judge(&mut self, stage: &str, verdict: Result<Verdict, String>) -> ControlFlow<()> {
        self.disagreement = match verdict {
            Ok(Verdict::Differ { .. }) => Some(format!("`{stage}` changed what the program computes")),
            Err(why) => Some(format!("after `{stage}` the program {why}")),
            Ok(_) => return ControlFlow::Continue(()),
        };
        ControlFlow::Break(())
    }
}

impl Observer for Watch<'_> {
    fn before(&mut self, _stage: &'static str, product: Option<Product<'_>>) {
        if let (true, Some(Product::Usuba0(program))) = (self.passes.verify_each, product) {
            self.before = Some(program.clone());
        }
        self.started = Instant::now();
    }

    fn after(&mut self, stage: &'static str, product: Product<'_>) -> ControlFlow<()> {
        self.times.push((stage, self.started.elapsed()));
        let flow = match product {
            _ if !self.passes.verify_each => ControlFlow::Continue(()),
            Product::Usuba0(program) => self.verify(stage, program),
            Product::Generated(usuba_codegen::Product::Machine(program, shape)) => {
                self.verify_machine(stage, program, shape)
            }
            // The typed program is what all is compared with; assembly is checked where it is made.
            Product::Typed(_) | Product::Generated(_) => ControlFlow::Continue(()),
        };
        flow?;
        let stop = self.passes.stop_after.as_deref() == Some(stage);
        let dump = stop || self.passes.dump_after.iter().any(|name| name == stage || name == "all");
        if let (true, Some(text)) = (dump, text(product)) {
            print_line(&format!("# after {stage}\n{text}"));
        }
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// What a stage has made, as text; the typed program has none.
fn text(product: Product<'_>) -> Option<String> {
    Some(match product {
        Product::Typed(_) => return None,
        Product::Usuba0(program) => program.to_string(),
        Product::Generated(usuba_codegen::Product::Machine(program, _)) => program.to_string(),
        Product::Generated(usuba_codegen::Product::Assembly(listing)) => listing.to_string(),
        Product::Generated(usuba_codegen::Product::Kernel(kernel)) => kernel.source.clone(),
    })
}
