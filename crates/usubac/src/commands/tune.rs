//! `usubac tune`: the fastest way to compile each primitive for each target, by measurement.

use crate::args::{Part, Tune};
use crate::cipher::Cipher;
use crate::files;
use crate::journal::{Entry, Journal};
use crate::machine::Machine;
use crate::measure::{Candidate, Draft, Samples, Workbench};
use crate::metric::Metric;
use crate::output::{Failure, Output, print_json, print_line};
use crate::prediction;
use crate::{progress, targets};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use usuba_compiler::pipeline::Settings;
use usuba_ir::layout::Slicing;
use usuba_package::manifest::Primitive;
use usuba_target::Target;
use usuba_trial::bench::{block_bytes, median};
use usuba_trial::known_answers::{self, Path, Plan};
use usuba_trial::run::{Family, Program, RunError};
use usuba_trial::tune::{Search, Space, Verdict, least_cycles};
use usuba_trial::tuned::{self, Choice, Tuned};
use usuba_trial::variant::Variant;

/// The journal, beside the manifest.
const JOURNAL: &str = "tuned.journal";

/// How many candidates are timed together.
const TOGETHER: usize = 6;

/// Processes that time a candidate in the search.
const PROCESSES: usize = 2;

/// How many of the best meet the default once more at the end.
const FINALISTS: usize = 3;

/// A candidate must take less than this part of the time of the default: less is noise.
const CLEAR: f64 = 0.98;

/// The share of the budget that the compilation of one candidate may take.
const PATIENCE: u32 = 4;

/// Nothing can be compared with a default that has no time.
const UNSTEADY: &str = "no sample of the default was steady: is the machine overloaded?";

/// Searches, primitive by primitive and target by target.
pub fn run(tune: &Tune, output: &Output) -> Result<(), Failure> {
    let cipher = Cipher::read(&tune.path, &tune.search, output)?;
    let chosen = targets::named(&tune.target)?;
    let mut tuned = cipher.all_tuned(false)?;
    let runner = tune.runner.as_deref().unwrap_or_default();
    let workbench = Workbench::new(&cipher, &tune.opt, tune.blocks, runner, tune.metric);
    let mut machine = Machine::new(runner);
    let families = families(tune)?;
    for target in &chosen {
        for &family in &families {
            if let Ok((compiler, _)) = workbench.compiler(target, &Variant::new(Slicing::V).by(family)) {
                machine.add_compiler(compiler.version());
            }
        }
    }
    let source = tuned::fingerprint(&cipher.loaded.sources);
    let head = json!({
        "usubac": env!("CARGO_PKG_VERSION"), "source": source, "processor": machine.processor,
        "compilers": machine.compilers, "optimisation": workbench.level, "part": tune.part.name(),
        "blocks": tune.blocks, "vary": tune.vary, "metric": tune.metric.name(),
    });
    let mut journal = Journal::open(&cipher.folder.join(JOURNAL), &head, tune.resume)?;
    let bar = progress::bar(output);
    let mut rows = Vec::new();
    let mut path = None;
    for primitive in cipher.primitives(&tune.primitive)? {
        for &target in &chosen {
            let mut session = Session {
                tune,
                workbench: &workbench,
                primitive,
                target,
                families: &families,
                search: Search::new(space(tune, primitive, &families)?),
                texts: BTreeMap::new(),
                default: Vec::new(),
                leaders: Vec::new(),
                bar: &bar,
                deadline: Instant::now() + Duration::from_secs(tune.budget),
            };
            let outcome = session.run(&mut journal)?;
            let row = session.row(&outcome);
            if output.is_json() {
                rows.push(row);
            } else {
                bar.suspend(|| session.say(&outcome));
            }
            match &outcome.best {
                Some(best) => tuned.put(Choice {
                    primitive: primitive.name.clone(),
                    target: target.name.to_owned(),
                    variant: best.variant,
                    source: source.clone(),
                    usubac: env!("CARGO_PKG_VERSION").to_owned(),
                    tools: best.tools.clone(),
                    machine: machine.processor.clone(),
                    measured: format!("{} {}", best.what, tune.metric.name()),
                    cost: best.cost,
                    default_cost: best.default_cost,
                }),
                None => tuned.remove(&primitive.name, target.name),
            }
            // At once: what is found stays found if the rest is interrupted.
            path = write(tune, &cipher, &tuned)?;
        }
    }
    bar.finish_and_clear();
    journal.remove();
    if output.is_json() {
        print_json(&json!({
            "machine": machine.json(), "results": rows, "file": path.map(|path| path.display().to_string()),
        }));
    } else {
        machine.lines().iter().for_each(|line| print_line(line));
        if let Some(path) = path {
            print_line(&format!("wrote {}", path.display()));
        }
    }
    Ok(())
}

/// Writes the file of choices, unless there is none to write.
fn write(tune: &Tune, cipher: &Cipher, tuned: &Tuned) -> Result<Option<PathBuf>, Failure> {
    let place = cipher.folder.join(tuned::FILE);
    if tune.dry_run || (tuned.choices.is_empty() && !place.exists()) {
        return Ok(None);
    }
    let files = [(PathBuf::from(tuned::FILE), tuned::print(tuned))];
    Ok(files::write_all(&cipher.folder, &files)?.into_iter().next())
}

fn families(tune: &Tune) -> Result<Vec<Family>, Failure> {
    tune.cc.iter().map(|name| targets::compiler(name)).collect()
}

/// What the command line leaves open.
fn space(tune: &Tune, primitive: &Primitive, families: &[Family]) -> Result<Space, Failure> {
    let wanted: Vec<Slicing> = tune.slicing.iter().filter_map(|slicing| slicing.0).collect();
    let slicings: Vec<Slicing> = primitive
        .slicings
        .iter()
        .copied()
        .filter(|slicing| wanted.is_empty() || wanted.contains(slicing))
        .collect();
    let mut space = Space::new(&slicings);
    let mut narrow = |knob: usize, values: Vec<usize>| {
        if let Some(place) = space.values.get_mut(knob) {
            *place = values;
        }
    };
    if let Some(knob) = usuba_trial::variant::knob("compiler") {
        let any = Variant::new(Slicing::V);
        narrow(knob, families.iter().map(|&family| any.by(family).place(knob)).collect());
    }
    for text in &tune.vary {
        let (knob, values) = targets::knob(text)?;
        narrow(knob, values);
    }
    Ok(space)
}

/// The search for one primitive on one target.
struct Session<'a> {
    tune: &'a Tune,
    workbench: &'a Workbench<'a>,
    primitive: &'a Primitive,
    target: &'static Target,
    families: &'a [Family],
    search: Search,
    /// Which variant has this text.
    texts: BTreeMap<String, Variant>,
    /// What is built without tuning, by each compiler.
    default: Vec<Candidate>,
    /// The fastest so far, compiled, with their ratios to the default; at most [`FINALISTS`].
    leaders: Vec<(f64, Candidate)>,
    bar: &'a ProgressBar,
    deadline: Instant,
}

/// What came of a search.
struct Outcome {
    /// What beats the default, if anything does.
    best: Option<Best>,
    /// What the default takes.
    default_cost: f64,
    /// Whether all that the search looks at is known.
    complete: bool,
}

/// What beats the default.
struct Best {
    variant: Variant,
    what: &'static str,
    cost: f64,
    default_cost: f64,
    tools: String,
}

impl<'a> Session<'a> {
    fn run(&mut self, journal: &mut Journal) -> Result<Outcome, Failure> {
        self.bar.set_length(self.tune.budget);
        self.default = self.defaults()?;
        // The default must be compiled whatever it takes: the budget is for the search.
        self.deadline = Instant::now() + Duration::from_secs(self.tune.budget);
        let what = self.what();
        for entry in &journal.entries {
            if entry.primitive == self.primitive.name && entry.target == self.target.name {
                self.search.tell(entry.variant, entry.verdict.clone());
            }
        }
        let mut complete = false;
        while Instant::now() < self.deadline {
            let next = self.search.next(TOGETHER);
            if next.is_empty() {
                complete = true;
                break;
            }
            let found = self.find(next, what)?;
            for (variant, verdict) in found {
                journal.add(&Entry {
                    primitive: self.primitive.name.clone(),
                    target: self.target.name.to_owned(),
                    variant,
                    verdict: verdict.clone(),
                })?;
                self.search.tell(variant, verdict);
            }
        }
        let (best, default_cost) = self.decide(what)?;
        Ok(Outcome { best, default_cost, complete })
    }

    /// What `build` makes, by every compiler that is there.
    fn defaults(&self) -> Result<Vec<Candidate>, Failure> {
        let with = |slicing: Slicing| {
            let primitive = self.primitive.in_slicing(slicing, Some(self.target));
            Settings::new(slicing, Some(primitive.main_node()))
        };
        let prediction::Best { slicing, batches } = prediction::fastest(
            &self.workbench.cipher.loaded,
            &with,
            &self.primitive.slicings,
            self.target,
            self.tune.blocks.map(u64::from),
        )
        .map_err(|_| {
            Failure::general(format!("`{}` has no code for `{}`", self.primitive.name, self.target.name))
        })?;
        let mut defaults = Vec::new();
        for &family in self.families {
            let usual = Variant::new(slicing).by(family);
            let variant = match batches {
                Some(batches) => usual.set("interleave", &batches.to_string()).unwrap_or(usual),
                None => usual,
            };
            let (compiler, timed) = match self.workbench.compiler(self.target, &variant) {
                Ok(found) => found,
                Err(RunError::Missing { .. }) => continue,
                Err(error) => return Err(Failure::general(error.to_string())),
            };
            if !timed {
                return Err(Failure::general(format!(
                    "code for `{}` cannot be timed here: {}; give --runner CMD, which runs it on another machine, or \
                     --metric instructions",
                    self.target.name,
                    match compiler.runner.first() {
                        Some(emulator) => format!("under {emulator} cycles mean nothing"),
                        None => "this machine cannot run it".to_owned(),
                    }
                )));
            }
            self.show(&format!("compiling {variant}"));
            let draft = self
                .workbench
                .draft(self.primitive, self.target, variant)
                .map_err(|error| Failure::general(error.to_string()))?;
            defaults.push(self.workbench.compile(draft, &compiler, None)?);
        }
        if defaults.is_empty() {
            return Err(Failure::general(format!("no compiler for `{}` is installed", self.target.name)));
        }
        Ok(defaults)
    }

    /// What is timed: the kernel, or the last of the whole paths.
    fn what(&self) -> &'static str {
        let works = self.default.first().map_or(&[][..], |one| &one.timed.works);
        match self.tune.part {
            Part::Kernel => "kernel",
            Part::Whole => works.last().map_or("kernel", |work| work.what),
        }
    }

    /// Finds out about variants: by the model, else by measurement beside the default.
    fn find(
        &mut self,
        variants: Vec<Variant>,
        what: &'static str,
    ) -> Result<Vec<(Variant, Verdict)>, Failure> {
        let mut found = Vec::new();
        let mut candidates = Vec::new();
        let mut of_default = false;
        for variant in variants {
            if self.default.iter().any(|one| one.variant == variant) {
                of_default = true;
                continue;
            }
            self.show(&format!("compiling {variant}"));
            match self.prepare(variant) {
                Ok(candidate) => candidates.push(candidate),
                Err(verdict) => found.push((variant, verdict)),
            }
            if Instant::now() > self.deadline {
                break;
            }
        }
        if candidates.is_empty() && !of_default {
            return Ok(found);
        }
        self.show(&format!("timing {} variants", candidates.len()));
        let field: Vec<&Candidate> = self.default.iter().chain(&candidates).collect();
        let program = self.workbench.link(&field, Some(what))?;
        let mut times: Vec<Vec<f64>> = vec![Vec::new(); field.len()];
        let processes = self.processes(PROCESSES);
        for process in 0..processes {
            let costs = self.run_once(&program, &field, what, process * field.len() / processes)?;
            for (all, cost) in times.iter_mut().zip(costs) {
                all.extend(cost);
            }
        }
        let costs: Vec<Option<f64>> = times.iter().map(|of| median(of)).collect();
        let Some(default) = least(costs.get(..self.default.len()).unwrap_or_default()) else {
            return Err(Failure::general(UNSTEADY));
        };
        for (candidate, cost) in field.iter().zip(&costs) {
            let verdict = match *cost {
                Some(cost) => Verdict::Measured { cost, ratio: cost / default },
                None => Verdict::Refused("no sample was steady".into()),
            };
            found.push((candidate.variant, verdict));
        }
        let of_candidates = costs.into_iter().skip(self.default.len());
        for (candidate, cost) in candidates.into_iter().zip(of_candidates) {
            self.leaders.extend(cost.map(|cost| (cost / default, candidate)));
        }
        self.leaders.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.leaders.truncate(FINALISTS);
        Ok(found)
    }

    /// Compiles a variant unless there is no need to measure it.
    fn prepare(&mut self, variant: Variant) -> Result<Candidate, Verdict> {
        let refused = |error: String| Verdict::Refused(error);
        let (compiler, _) =
            self.workbench.compiler(self.target, &variant).map_err(|error| refused(error.to_string()))?;
        let draft = self
            .workbench
            .draft(self.primitive, self.target, variant)
            .map_err(|error| refused(error.to_string()))?;
        if let Some(reason) = self.ruled_out(&draft) {
            return Err(Verdict::RuledOut(reason));
        }
        let other = *self.texts.entry(draft.text()).or_insert(variant);
        if other != variant {
            return Err(Verdict::Same(other));
        }
        let patience = Duration::from_secs(self.tune.budget) / PATIENCE;
        self.workbench.compile(draft, &compiler, Some(patience.max(Duration::from_secs(5)))).map_err(
            |failure| match failure {
                Failure::General(message) => refused(message.lines().next().unwrap_or_default().to_owned()),
                Failure::Said | Failure::Unknown(_) | Failure::Undecided => {
                    refused("it does not compile".into())
                }
            },
        )
    }

    /// Why a variant cannot be the fastest, by the tables alone.
    fn ruled_out(&self, draft: &Draft<'_>) -> Option<String> {
        if self.workbench.metric == Metric::Instructions {
            return None;
        }
        let best = self.search.least_cost()?;
        let kernel = draft.kernel()?;
        let bytes = f64::from(kernel.instances.max(1) * block_bytes(self.primitive));
        let least = least_cycles(kernel, self.target) / bytes;
        (least > best).then(|| {
            format!("it takes at least {least:.3} cycles per byte by the table, and {best:.3} were measured")
        })
    }

    /// How many processes are worth while: counts are always the same.
    fn processes(&self, most: usize) -> usize {
        match self.workbench.metric {
            Metric::Cycles => most.max(1),
            Metric::Instructions => 1,
        }
    }

    /// The costs of one process, by candidate; `None` where no sample was steady.
    fn run_once(
        &self,
        program: &Program,
        field: &[&Candidate],
        what: &str,
        first: usize,
    ) -> Result<Vec<Option<f64>>, Failure> {
        let mut samples = Samples::new(field.len());
        self.workbench.sample(program, field, Some(what), first, &mut samples)?;
        Ok((0..field.len()).map(|number| samples.median(number, what)).collect())
    }

    /// The best few meet the default once more; the winner must be clearly faster and give the right answers.
    fn decide(&mut self, what: &'static str) -> Result<(Option<Best>, f64), Failure> {
        let ranking = self.search.ranking();
        let mut finalists = Vec::new();
        for (variant, ratio) in ranking {
            if finalists.len() == FINALISTS || ratio > 1.0 {
                break;
            }
            if self.default.iter().any(|one| one.variant == variant) {
                continue;
            }
            if let Some(place) = self.leaders.iter().position(|(_, leader)| leader.variant == variant) {
                finalists.push(self.leaders.swap_remove(place).1);
                continue;
            }
            // Known from a journal alone.
            self.show(&format!("compiling {variant}"));
            let Ok((compiler, _)) = self.workbench.compiler(self.target, &variant) else { continue };
            let Ok(draft) = self.workbench.draft(self.primitive, self.target, variant) else { continue };
            let Ok(candidate) = self.workbench.compile(draft, &compiler, None) else { continue };
            finalists.push(candidate);
        }
        self.show(&format!("timing the best {}", finalists.len()));
        let field: Vec<&Candidate> = self.default.iter().chain(&finalists).collect();
        let program = self.workbench.link(&field, Some(what))?;
        // Ratios within a process are what counts: the default has the same disturbances.
        let mut ratios: Vec<Vec<f64>> = vec![Vec::new(); finalists.len()];
        let mut default_costs = Vec::new();
        let processes = self.processes(self.tune.runs as usize);
        for process in 0..processes {
            let costs = self.run_once(&program, &field, what, process * field.len() / processes)?;
            let Some(default) = least(costs.get(..self.default.len()).unwrap_or_default()) else { continue };
            default_costs.push(default);
            for (ratios, cost) in ratios.iter_mut().zip(costs.iter().skip(self.default.len())) {
                ratios.extend(cost.map(|cost| cost / default));
            }
        }
        let Some(default_cost) = median(&default_costs) else {
            return Err(Failure::general(UNSTEADY));
        };
        let medians =
            ratios.iter().zip(&finalists).filter_map(|(of, candidate)| Some((median(of)?, candidate)));
        let Some((ratio, winner)) =
            medians.filter(|(ratio, _)| *ratio < CLEAR).min_by(|a, b| a.0.total_cmp(&b.0))
        else {
            return Ok((None, default_cost));
        };
        self.show(&format!("testing {}", winner.variant));
        self.check(winner.variant).map_err(|reason| {
            // Wrong code is a bug, not a slow variant: say so, and take none of it.
            Failure::general(format!(
                "`{}` gives wrong answers ({reason}); it was not chosen: this is a bug of usubac",
                winner.variant
            ))
        })?;
        let tools = winner.compiler.version();
        let best = Best { variant: winner.variant, what, cost: ratio * default_cost, default_cost, tools };
        Ok((Some(best), default_cost))
    }

    /// Puts all known answers to a variant.
    fn check(&self, variant: Variant) -> Result<(), String> {
        let cipher = self.workbench.cipher;
        let mut vectors = Vec::new();
        for file in &self.primitive.vectors {
            let path = cipher.folder.join(file);
            let Ok(text) = files::read_text(&path) else { return Err(format!("cannot read {file}")) };
            let file = usuba_trial::vectors::parse(file, &text)
                .map_err(|errors| errors.first().map(ToString::to_string).unwrap_or_default())?;
            vectors.push((path.to_string_lossy().into_owned(), file));
        }
        let tests = known_answers::tests_of(self.primitive, &vectors);
        let path = Path::Variant { target: self.target, variant, optimisation: "-O3" };
        let mut plan = Plan::new(vec![path]);
        plan.runner = self.workbench.runner.clone();
        let report = known_answers::run(self.primitive, &cipher.loaded, &tests, &plan, &mut |_| {});
        if report.is_success() {
            return Ok(());
        }
        let broken = report.outcomes.iter().find_map(|one| one.broken.clone().or(one.left_out.clone()));
        let failed = report.failures.first().map(|one| one.test.clone());
        Err(broken.or(failed).unwrap_or_else(|| "no test was run".into()))
    }

    fn show(&self, doing: &str) {
        let left = self.deadline.saturating_duration_since(Instant::now()).as_secs();
        self.bar.set_position(self.tune.budget.saturating_sub(left));
        let best = match self.search.ranking().first() {
            Some((variant, ratio)) => format!("best {:+.1} % {variant}", (ratio - 1.0) * 100.0),
            None => "nothing timed yet".to_owned(),
        };
        self.bar.set_message(format!("{} {}: {best}; {doing}", self.primitive.name, self.target.name));
        self.bar.tick();
    }

    /// How many variants are known in which way.
    fn counts(&self) -> (usize, usize, usize, usize) {
        let count = |is: fn(&Verdict) -> bool| self.search.known().filter(|(_, verdict)| is(verdict)).count();
        (
            count(|verdict| matches!(verdict, Verdict::Measured { .. })),
            count(|verdict| matches!(verdict, Verdict::RuledOut(_))),
            count(|verdict| matches!(verdict, Verdict::Same(_))),
            count(|verdict| matches!(verdict, Verdict::Refused(_))),
        )
    }

    fn row(&self, outcome: &Outcome) -> Value {
        let (measured, ruled_out, same, refused) = self.counts();
        let best = outcome.best.as_ref();
        json!({
            "primitive": self.primitive.name,
            "target": self.target.name,
            "choice": best.map(|best| best.variant.to_string()),
            "measured": self.what(),
            "metric": self.workbench.metric.name(),
            "cost": best.map_or(outcome.default_cost, |best| best.cost),
            "default_cost": outcome.default_cost,
            "variants": {
                "timed": measured, "ruled_out": ruled_out, "same": same, "refused": refused,
            },
            "complete": outcome.complete,
            "tried": self.search.known().map(tried).collect::<Vec<Value>>(),
        })
    }

    fn say(&self, outcome: &Outcome) {
        let (measured, ruled_out, same, refused) = self.counts();
        let name = format!("{} {} ({})", self.primitive.name, self.target.name, self.what());
        let unit = self.workbench.metric.name();
        let found = match &outcome.best {
            Some(best) => format!(
                "{:.3} {unit} per byte, {:.1} % less than the {:.3} of the default: {}",
                best.cost,
                (1.0 - best.cost / best.default_cost) * 100.0,
                best.default_cost,
                best.variant
            ),
            None => {
                format!(
                    "nothing is clearly faster than the default, {:.3} {unit} per byte",
                    outcome.default_cost
                )
            }
        };
        print_line(&format!("{name}: {found}"));
        let end = if outcome.complete { "the search is complete" } else { "the budget is spent" };
        print_line(&format!(
            "  {measured} timed, {ruled_out} ruled out by the model, {same} with the code of another, {refused} refused; \
             {end}"
        ));
    }
}

/// A finding, for programs.
fn tried((variant, verdict): (&Variant, &Verdict)) -> Value {
    let variant = variant.to_string();
    match verdict {
        Verdict::Measured { cost, ratio } => json!({ "variant": variant, "cost": cost, "ratio": ratio }),
        Verdict::RuledOut(reason) => json!({ "variant": variant, "ruled_out": reason }),
        Verdict::Same(other) => json!({ "variant": variant, "same": other.to_string() }),
        Verdict::Refused(reason) => json!({ "variant": variant, "refused": reason }),
    }
}

/// The least of what is known.
fn least(costs: &[Option<f64>]) -> Option<f64> {
    costs.iter().flatten().copied().reduce(f64::min)
}
