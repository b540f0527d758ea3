//! `usubac bench`: core cycles per byte of compiled ciphers, kernel only and whole path, beside the port bound.

use crate::args::{BackendArg, Bench};
use crate::cipher::Cipher;
use crate::machine::Machine;
use crate::measure::{Candidate, Draft, Samples, Workbench};
use crate::metric::Metric;
use crate::output::{Failure, Output, print_json, print_line};
use crate::{overrides, progress, targets};
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use usuba_codegen::Backend;
use usuba_ir::layout::Slicing;
use usuba_package::manifest::Primitive;
use usuba_target::{Core, Target};
use usuba_trial::bench::block_bytes;
use usuba_trial::run::Compiler;
use usuba_trial::tuned::Tuned;
use usuba_trial::variant::Variant;

/// A line of the table.
struct Row {
    primitive: String,
    block: f64,
    tuned: bool,
    candidate: Candidate,
    /// Whose ports the bound is about.
    core: &'static Core,
    /// Why it was not timed, if it was not.
    untimed: Option<String>,
    /// Medians over processes, by what was timed.
    times: BTreeMap<String, f64>,
}

/// Compiles everything of a primitive first, then times it in one process, several times.
pub fn run(bench: &Bench, output: &Output) -> Result<(), Failure> {
    let cipher = Cipher::read(&bench.path, &bench.search, output)?;
    let tuned = cipher.tuned(bench.no_tuned, output)?;
    let runner = bench.runner.as_deref().unwrap_or_default();
    let mut workbench = Workbench::new(&cipher, &bench.opt, bench.blocks, runner, bench.metric);
    workbench.overrides = overrides::overrides(&bench.overrides)?;
    let mut machine = Machine::new(runner);
    let bar = progress::bar(output);
    let mut rows = Vec::new();
    for primitive in cipher.primitives(&bench.primitive)? {
        let mut compiled = compile(bench, &workbench, primitive, &tuned, machine.core(), &bar)?;
        for row in &compiled {
            machine.add_compiler(row.candidate.compiler.version());
        }
        let clock = time(&workbench, &mut compiled, bench.runs, &bar)?;
        machine.ticks_per_cycle = machine.ticks_per_cycle.into_iter().chain(clock).reduce(f64::min);
        rows.append(&mut compiled);
    }
    bar.finish_and_clear();
    if rows.is_empty() {
        return Err(Failure::general("there is nothing to measure: no target has code and a compiler here"));
    }
    if output.is_json() {
        let rows: Vec<Value> = rows.iter().map(|row| json_row(row, bench.metric)).collect();
        print_json(&json!({
            "machine": machine.json(), "metric": bench.metric.name(), "processes": bench.runs,
            "optimisation": workbench.level, "rows": rows,
        }));
    } else {
        say(&rows, &machine, bench);
    }
    Ok(())
}

/// The variants that the command line asks for, on each target.
fn variants(bench: &Bench, primitive: &Primitive) -> Result<Vec<Variant>, Failure> {
    let wanted: Vec<Slicing> = bench.slicing.iter().filter_map(|slicing| slicing.0).collect();
    let mut variants = Vec::new();
    for &slicing in primitive.slicings.iter().filter(|one| wanted.is_empty() || wanted.contains(one)) {
        for backend in &bench.backend {
            for (number, name) in bench.cc.iter().enumerate() {
                let family = targets::compiler(name)?;
                let variant = Variant::new(slicing).by(family);
                match backend {
                    BackendArg::C => variants.push(variant),
                    // The assembler makes the same of it, whichever compiler calls it.
                    BackendArg::Asm if number == 0 => variants.push(variant.through(Backend::Assembly)),
                    BackendArg::Asm => {}
                }
            }
        }
    }
    targets::varied(&variants, &bench.vary)
}

/// Compiles all that is to be timed, on all processors.
fn compile<'a>(
    bench: &Bench,
    workbench: &Workbench<'a>,
    primitive: &'a Primitive,
    tuned: &Tuned,
    core: &'static Core,
    bar: &indicatif::ProgressBar,
) -> Result<Vec<Row>, Failure> {
    let mut work: Vec<(&'static Target, Variant, bool)> = Vec::new();
    for target in targets::named(&bench.target)? {
        let best = tuned.find(&primitive.name, target.name).map(|choice| choice.variant);
        let asked = variants(bench, primitive)?;
        // What was tuned is shown too, but where the command line asks for other slicings or languages alone.
        let fits = |best: &Variant| {
            asked.iter().any(|one| one.slicing() == best.slicing() && one.backend() == best.backend())
                || (bench.slicing.is_empty() && bench.vary.is_empty())
        };
        work.extend(asked.iter().map(|&variant| (target, variant, best == Some(variant))));
        if let Some(best) = best.filter(|best| !asked.contains(best) && fits(best)) {
            work.push((target, best, true));
        }
    }
    bar.set_length(work.len() as u64);
    bar.set_position(0);
    bar.set_message(format!("compiling {}", primitive.name));
    bar.tick();
    let drafts: Vec<_> = work
        .into_par_iter()
        .map(|(target, variant, is_tuned)| {
            let compiler = workbench.compiler(target, &variant).ok()?;
            Some((compiler, workbench.draft(primitive, target, variant).ok()?, is_tuned))
        })
        .collect();
    let mut wanted: Vec<((Compiler, bool), Draft<'a>, bool)> = Vec::new();
    for draft in drafts {
        let adds = |(_, draft, _): &(_, Draft<'_>, _)| {
            let is_on =
                |known: &Draft<'_>, other: &str| known.target.name == other && known.variant == draft.variant;
            let has = |other: &str| wanted.iter().any(|(_, known, _)| is_on(known, other));
            draft.target.adds_to(draft.variant.slicing(), has)
        };
        match draft.filter(adds) {
            Some(draft) => wanted.push(draft),
            None => bar.inc(1),
        }
    }
    let compiled = |((compiler, timed), draft, is_tuned): ((Compiler, bool), Draft<'a>, bool)| {
        let untimed = (!timed).then(|| match compiler.runner.first() {
            Some(emulator) => format!("{emulator} runs it here, under which cycles mean nothing"),
            None => "this machine cannot run it".to_owned(),
        });
        let row = Row {
            primitive: primitive.name.clone(),
            block: f64::from(block_bytes(primitive)),
            tuned: is_tuned,
            candidate: workbench.compile(draft, &compiler, None)?,
            core,
            untimed,
            times: BTreeMap::new(),
        };
        bar.inc(1);
        Ok(row)
    };
    // Of several errors the first one is told.
    let rows: Vec<Result<Row, Failure>> = wanted.into_par_iter().map(compiled).collect();
    rows.into_iter().collect()
}

/// Times all that can be; the ticks per core cycle at the highest clock seen.
fn time(
    workbench: &Workbench<'_>,
    rows: &mut [Row],
    processes: u32,
    bar: &indicatif::ProgressBar,
) -> Result<Option<f64>, Failure> {
    let timed: Vec<&mut Row> = rows.iter_mut().filter(|row| row.untimed.is_none()).collect();
    if timed.is_empty() {
        return Ok(None);
    }
    if workbench.metric == Metric::Instructions {
        // Programs of different machines do not fit together, and need not: a count is no matter of the neighbours.
        for row in timed {
            bar.set_message(format!("counting {} {}", row.primitive, row.candidate.variant));
            bar.tick();
            let mut samples = Samples::new(1);
            let field = [&row.candidate];
            let program = workbench.link(&field, None)?;
            match workbench.sample(&program, &field, None, 0, &mut samples) {
                Ok(()) => row.take(&samples, 0),
                Err(Failure::General(reason)) => {
                    row.untimed = reason.lines().next().map(|line| line.trim_end_matches(':').to_owned());
                }
                Err(said) => return Err(said),
            }
        }
        return Ok(None);
    }
    let field: Vec<&Candidate> = timed.iter().map(|row| &row.candidate).collect();
    let program = workbench.link(&field, None)?;
    let works: usize = timed.iter().map(|row| row.candidate.timed.works.len()).sum();
    let mut samples = Samples::new(timed.len());
    bar.set_length(processes.into());
    bar.set_position(0);
    for process in 0..processes as usize {
        bar.set_message(format!("timing {} variants", field.len()));
        workbench.sample(&program, &field, None, process * works / processes as usize, &mut samples)?;
        bar.inc(1);
    }
    for (number, row) in timed.into_iter().enumerate() {
        row.take(&samples, number);
    }
    Ok(samples.clock.iter().copied().reduce(f64::min))
}

impl Row {
    /// Takes the medians of a candidate.
    fn take(&mut self, samples: &Samples, number: usize) {
        for work in &self.candidate.timed.works {
            if let Some(median) = samples.median(number, work.what) {
                self.times.insert(work.what.to_owned(), median);
            }
        }
    }

    /// Core cycles per byte that the ports allow.
    fn bound(&self) -> Option<f64> {
        let kernel = &self.candidate.kernel;
        let cycles = kernel.report.port_bound_on(self.candidate.target, self.core)?;
        Some(cycles / f64::from(kernel.instances.max(1)) / self.block)
    }

    /// Instructions per byte that a call runs, before the C compiler.
    fn instructions(&self) -> f64 {
        let kernel = &self.candidate.kernel;
        kernel.report.instructions_run() as f64 / f64::from(kernel.instances.max(1)) / self.block
    }

    /// What the kernel takes, divided by the bound, or by the instructions that were to be compiled.
    fn ratio(&self, metric: Metric) -> Option<f64> {
        let bound = match metric {
            Metric::Cycles => self.bound(),
            Metric::Instructions => Some(self.instructions()),
        };
        self.times.get("kernel").zip(bound).map(|(kernel, bound)| kernel / bound)
    }

    fn whole(&self) -> impl Iterator<Item = (&String, &f64)> {
        self.times.iter().filter(|(what, _)| *what != "kernel")
    }
}

fn json_row(row: &Row, metric: Metric) -> Value {
    let candidate = &row.candidate;
    let choices: Map<String, Value> =
        candidate.variant.words().iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    let whole: Map<String, Value> = row.whole().map(|(what, time)| (what.clone(), json!(time))).collect();
    let code = candidate.code.map(|code| {
        json!({
            "bytes": code.bytes, "loop_bytes": code.loop_bytes, "instructions": code.instructions,
            "stack_loads": code.stack_loads, "stack_stores": code.stack_stores,
        })
    });
    json!({
        "primitive": row.primitive,
        "slicing": candidate.variant.slicing().to_string(),
        "target": candidate.target.name,
        "compiler": candidate.maker(),
        "choices": choices,
        "tuned": row.tuned,
        "instances": candidate.kernel.instances,
        "gates": candidate.kernel.report.gates,
        "instructions": candidate.kernel.report.instructions_run(),
        "code": code,
        "kernel": row.times.get("kernel"),
        "core": row.core.name,
        "port_bound": row.bound(),
        "ratio": row.ratio(metric),
        "whole": whole,
        "untimed": row.untimed,
    })
}

fn say(rows: &[Row], machine: &Machine, bench: &Bench) {
    machine.lines().iter().for_each(|line| print_line(line));
    let counted = match bench.metric {
        Metric::Cycles => format!("core cycles per byte, median of {} processes", bench.runs),
        Metric::Instructions => "instructions per byte".to_owned(),
    };
    print_line(&format!(
        "{counted}; code of the kernel as compiled: bytes (longest loop), instructions, stack loads/stores"
    ));
    print_line(&format!(
        "{:<14} {:<2} {:<11} {:<9} {:>5} {:>8} {:>8} {:>6}  {:<26} {:>15} {:>7} {:>11}",
        "primitive",
        "",
        "target",
        "compiler",
        "batch",
        "kernel",
        match bench.metric {
            Metric::Cycles => "bound",
            Metric::Instructions => "made",
        },
        "ratio",
        "whole path",
        "bytes",
        "instr",
        "stack"
    ));
    let number =
        |value: Option<f64>, digits: usize| value.map_or("-".to_owned(), |value| format!("{value:.digits$}"));
    for row in rows {
        let candidate = &row.candidate;
        let whole: Vec<String> = row.whole().map(|(what, time)| format!("{what} {time:.2}")).collect();
        let (bytes, instructions, stack) = match candidate.code {
            Some(code) => (
                format!("{} ({})", code.bytes, code.loop_bytes),
                code.instructions.to_string(),
                format!("{}/{}", code.stack_loads, code.stack_stores),
            ),
            None => ("-".into(), "-".into(), "-".into()),
        };
        let mut line = format!(
            "{:<14} {:<2} {:<11} {:<9} {:>5} {:>8} {:>8} {:>6}  {:<26} {bytes:>15} {instructions:>7} {stack:>11}",
            row.primitive,
            candidate.variant.slicing().to_string(),
            candidate.target.name,
            candidate.maker(),
            candidate.kernel.instances,
            number(row.times.get("kernel").copied(), 3),
            match bench.metric {
                Metric::Cycles => number(row.bound(), 3),
                Metric::Instructions => number(Some(row.instructions()), 3),
            },
            number(row.ratio(bench.metric), 2),
            whole.join(", "),
        );
        // What the columns do not say.
        let rest: Vec<String> =
            candidate.variant.words().iter().skip(3).map(|(name, value)| format!("{name}={value}")).collect();
        if !rest.is_empty() {
            line.push_str(&format!("  {}", rest.join(" ")));
        }
        if row.tuned {
            line.push_str("  tuned");
        }
        if let Some(reason) = &row.untimed {
            line.push_str(&format!("  not timed: {reason}"));
        }
        print_line(line.trim_end());
    }
}
