//! Looking into the pipeline: dumps, clocks, checks.

use crate::args::Passes;
use crate::output::{Failure, print_error, print_line};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use usuba_codegen::pass::ASSEMBLY;
use usuba_codegen::{Backend, Shape};
use usuba_compiler::pipeline::{Observer, Product, in_planes, stages};
use usuba_ir::layout::Slicing;
use usuba_ir::program::Program;
use usuba_lang::typed;
use usuba_machine::program as machine;
use usuba_verify::compare::{Effort, Verdict, compare};
use usuba_verify::equal::{Atoms, Outcome, Problem, Unlike};
use usuba_verify::machine::examine;
use usuba_verify::prove::Limits;
use usuba_verify::symbolic::usuba0;

/// Random cases for `--verify-each` where there is no proof.
const CASES: u64 = 256;

/// Programs that make more bits than this are compared, not proved.
const PROVED: u64 = 1 << 25;

/// The observer behind `--dump-after`, `--stop-after`, `--time-passes` and `--verify-each`.
pub struct Watch<'a> {
    passes: &'a Passes,
    started: Instant,
    /// The last program of Usuba0 that a stage was given: what the next one, and every machine program, is compared with.
    before: Option<Program>,
    /// The typed program: what lowering is compared with.
    typed: Option<typed::Program>,
    slicing: Slicing,
    times: Vec<(&'static str, Duration)>,
    /// What `--verify-each` found.
    pub disagreement: Option<String>,
}

impl<'a> Watch<'a> {
    /// Checks the names of passes.
    pub fn new(passes: &'a Passes, backend: Backend, slicing: Slicing) -> Result<Watch<'a>, Failure> {
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
        Ok(Watch {
            passes,
            started: Instant::now(),
            before: None,
            typed: None,
            slicing,
            times: Vec::new(),
            disagreement: None,
        })
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
        if let Err(flaws) = usuba_ir::check::check(after) {
            let flaws: Vec<String> = flaws.iter().map(ToString::to_string).collect();
            return self.judge(stage, Err(format!("is malformed: {}", flaws.join("; "))));
        }
        let before = self.before.take();
        let problem: Option<Result<Problem, Unlike>> = match (&before, &self.typed) {
            _ if usuba0::cost(after) > PROVED => None,
            (Some(before), _) => Some(Problem::of_programs(before, after)),
            (None, Some(typed)) => {
                let planes = in_planes(typed, self.slicing);
                let atoms = if planes { Atoms::Planes } else { Atoms::InOrder };
                Some(Problem::of_source(typed, after, atoms))
            }
            (None, None) => None,
        };
        let outcome = problem.and_then(Result::ok).map(|problem| problem.decide(Limits::default()).0);
        match (outcome, before) {
            (Some(Outcome::Proved), _) => {
                print_error(&format!("proved    {stage}"));
                ControlFlow::Continue(())
            }
            (Some(Outcome::Refuted(difference)), _) => {
                let place =
                    difference.signal.map(|signal| format!(", from `{signal}` on")).unwrap_or_default();
                let output = &difference.output;
                self.disagreement =
                    Some(format!("`{stage}` changed what the program computes: {output}{place}"));
                ControlFlow::Break(())
            }
            (_, Some(before)) => {
                let verdict = compare(&before, after, Effort { cases: CASES, ..Effort::default() });
                self.judge(stage, Ok(verdict))
            }
            (_, None) => {
                print_error(&format!("unchecked {stage}"));
                ControlFlow::Continue(())
            }
        }
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
            Ok(Verdict::Equal { .. }) => {
                print_error(&format!("proved    {stage}"));
                return ControlFlow::Continue(());
            }
            Ok(Verdict::Incomparable(_)) => {
                print_error(&format!("unchecked {stage}"));
                return ControlFlow::Continue(());
            }
            Ok(Verdict::Agree { .. }) => {
                print_error(&format!("compared  {stage}"));
                return ControlFlow::Continue(());
            }
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
            Product::Typed(typed) => {
                self.typed = Some(typed.clone());
                ControlFlow::Continue(())
            }
            // Assembly is checked where it is made.
            Product::Generated(_) => ControlFlow::Continue(()),
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
