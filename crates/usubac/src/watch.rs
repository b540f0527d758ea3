//! Looking into the pipeline: dumps, clocks, checks.

use crate::args::Passes;
use crate::output::{Failure, print_line};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use usuba_compiler::pipeline::{Observer, Product, stages};
use usuba_ir::program::Program;
use usuba_verify::compare::{Effort, Verdict, compare};

/// Random cases per pass for `--verify-each`.
const CASES: u64 = 256;

/// The observer behind `--dump-after`, `--stop-after`, `--time-passes` and `--verify-each`.
pub struct Watch<'a> {
    passes: &'a Passes,
    started: Instant,
    before: Option<Program>,
    times: Vec<(&'static str, Duration)>,
    /// What `--verify-each` found.
    pub disagreement: Option<String>,
}

impl<'a> Watch<'a> {
    /// Checks the names of passes.
    pub fn new(passes: &'a Passes) -> Result<Watch<'a>, Failure> {
        let known = stages();
        for name in passes.dump_after.iter().chain(&passes.stop_after) {
            let special = name == "all" || name == "list";
            if !special && !known.contains(&name.as_str()) {
                return Err(Failure::general(format!(
                    "there is no pass `{name}`; there are {}",
                    known.join(", ")
                )));
            }
        }
        Ok(Watch { passes, started: Instant::now(), before: None, times: Vec::new(), disagreement: None })
    }

    /// Prints the times, if they are asked for.
    pub fn report(&self) {
        if self.passes.time_passes {
            for (stage, time) in &self.times {
                eprintln!("{:>9.3} ms  {stage}", time.as_secs_f64() * 1e3);
            }
        }
    }

    fn verify(&mut self, stage: &str, after: &Program) -> ControlFlow<()> {
        let Some(before) = self.before.take() else { return ControlFlow::Continue(()) };
        if let Err(flaws) = usuba_ir::check::check(after) {
            let flaws: Vec<String> = flaws.iter().map(ToString::to_string).collect();
            self.disagreement =
                Some(format!("after `{stage}` the program is malformed: {}", flaws.join("; ")));
            return ControlFlow::Break(());
        }
        if let Verdict::Differ { .. } = compare(&before, after, Effort { cases: CASES, ..Effort::default() })
        {
            self.disagreement = Some(format!("`{stage}` changed what the program computes"));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
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
        let Product::Usuba0(program) = product else {
            let stop = self.passes.stop_after.as_deref() == Some(stage);
            return if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        };
        if self.passes.verify_each && self.verify(stage, program).is_break() {
            return ControlFlow::Break(());
        }
        let stop = self.passes.stop_after.as_deref() == Some(stage);
        if stop || self.passes.dump_after.iter().any(|name| name == stage || name == "all") {
            print_line(&format!("# after {stage}\n{program}"));
        }
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
