//! `usubac test`: known answers through a cipher.

use crate::args::{AUTO, BackendArg, Test};
use crate::cipher::Cipher;
use crate::files;
use crate::output::{Failure, Output, print_json, print_line};
use crate::{overrides, prediction, progress, targets};
use serde_json::{Value, json};
use usuba_compiler::pipeline::Settings;
use usuba_ir::layout::Slicing;
use usuba_lang::diagnostic::MOST_TOLD;
use usuba_package::manifest::{Construction, Scheme};
use usuba_target::Target;
use usuba_trial::known_answers::constructions::Source;
use usuba_trial::known_answers::{self, Outcome, Path, Plan, Report};
use usuba_trial::vectors::{self, Kind, VectorFile};

/// Failures that are printed in full.
const SHOWN: usize = 20;

/// Runs every way through every test; the last line is `N passed, M failed`.
pub fn run(test: &Test, output: &Output) -> Result<(), Failure> {
    let cipher = Cipher::read(&test.path, &test.search, output)?;
    let mut general = plan(test)?;
    let tuned = cipher.tuned(test.no_tuned, output)?;
    let chosen = targets::named(&test.target)?;
    if test.slicing.contains(&AUTO) && chosen.is_empty() {
        return Err(Failure::general(
            "with `--target none` there is no target on which `--slicing auto` is fastest: name slicings",
        ));
    }
    let mut total = Report::default();
    let mut rows = Vec::new();
    // Why files of vectors, or parts of the manifest, were not used.
    let mut unused: Vec<String> = Vec::new();
    let (primitives, constructions) = cipher.parts(&test.primitive)?;
    if test.slicing.contains(&AUTO) {
        let fastest = fastest(&cipher, &general, &chosen)?;
        if fastest.is_empty() {
            return Err(Failure::general("no slicing has code on these targets"));
        }
        let slicings = general.slicings.get_or_insert_default();
        slicings
            .extend(fastest.into_iter().filter(|slicing| !slicings.contains(slicing)).collect::<Vec<_>>());
    }
    for primitive in primitives {
        let usual = known_answers::kind_of(primitive);
        let files = read_vectors(test, &cipher, &primitive.vectors, usual, output)?;
        if files.is_empty() {
            unused.push(no_vectors(&primitive.name));
            continue;
        }
        let strange = files.iter().filter_map(|(name, file)| {
            Some(format!("{name} {}", known_answers::is_for(primitive, file).err()?))
        });
        unused.extend(strange);
        if test.vectors.is_empty()
            && let Some((name, reason)) = files
                .iter()
                .find_map(|(name, file)| Some((name, known_answers::is_for(primitive, file).err()?)))
        {
            return Err(Failure::general(format!("{name} {reason}")));
        }
        let mut tests = known_answers::tests_of(primitive, &files);
        if test.vectors.is_empty() {
            if let Some(stranger) = tests.iter().find(|one| !one.request.fits(primitive)) {
                return Err(Failure::general(of_another_size(&stranger.name, &primitive.name)));
            }
        } else {
            // Files given on the command line go to the primitives that they are for.
            let strangers = tests.iter().filter(|one| !one.request.fits(primitive));
            unused.extend(strangers.map(|one| of_another_size(&one.name, &primitive.name)).take(1));
            tests.retain(|one| one.request.fits(primitive));
            if tests.is_empty() {
                continue;
            }
        }
        let mut plan = general.clone();
        for &target in &chosen {
            // The optimisation level that the measurement had.
            let choice = tuned.find(&primitive.name, target.name);
            plan.paths.extend(choice.map(|choice| Path::Variant {
                target,
                variant: choice.variant,
                optimisation: "-O3",
            }));
        }
        let bar = progress::bar(output);
        let report = known_answers::run(primitive, &cipher.loaded, &tests, &plan, &mut |step| {
            bar.set_length(step.ways as u64);
            bar.set_position(step.number as u64);
            bar.set_message(format!("{} {}", primitive.name, step.way));
        });
        bar.finish_and_clear();
        say(&primitive.name, &report, output, &mut rows);
        total.extend(report);
    }
    if !constructions.is_empty() {
        let read = |path: &str| cipher.read_named(path);
        let files = known_answers::constructions::files(&cipher.manifest, read)
            .map_err(|error| cipher.explain_files(error))?;
        let source = Source { manifest: &cipher.manifest, loaded: &cipher.loaded, files: &files };
        for construction in constructions {
            if chosen.is_empty() {
                leave_out(construction, output, &mut rows);
                continue;
            }
            if test.vectors.is_empty() && construction.vectors.is_empty() {
                unused.push(no_vectors(&construction.name));
                continue;
            }
            let report = of_construction(test, &cipher, &source, construction, &general, output)?;
            say(&construction.name, &report, output, &mut rows);
            total.extend(report);
        }
    }
    if total.outcomes.is_empty() && chosen.is_empty() && !test.primitive.is_empty() {
        return Err(Failure::general(
            "there is no test: constructions are C, and `--target none` compiles none",
        ));
    }
    if total.outcomes.is_empty() {
        return Err(Failure::general(no_test(&test.path, &unused)));
    }
    if output.is_json() {
        let failures: Vec<_> = total
            .failures
            .iter()
            .map(|one| json!({ "way": one.way, "test": one.test, "found": one.found, "expected": one.expected }))
            .collect();
        print_json(&json!({
            "passed": total.passed, "failed": total.failed, "skipped": total.skipped, "ways": rows,
            "failures": failures,
        }));
    } else {
        for failure in total.failures.iter().take(SHOWN) {
            print_line(&format!(
                "FAILED {} ({}): found {}, expected {}",
                failure.test, failure.way, failure.found, failure.expected
            ));
        }
        print_line(&format!("{} passed, {} failed", total.passed, total.failed));
    }
    if total.is_success() { Ok(()) } else { Err(Failure::Said) }
}

/// The slicings that are predicted fastest for the primitives of a folder on these targets.
fn fastest(cipher: &Cipher, plan: &Plan, targets: &[&'static Target]) -> Result<Vec<Slicing>, Failure> {
    let mut found: Vec<Slicing> = Vec::new();
    for primitive in &cipher.manifest.primitives {
        for target in targets {
            let with = |slicing| {
                let primitive = primitive.in_slicing(slicing, Some(target));
                Settings::new(slicing, Some(primitive.main_node())).with(&plan.overrides)
            };
            let best = prediction::fastest(&cipher.loaded, &with, &primitive.slicings, target, None);
            // What has no code on a target is left out there, and says so.
            found.extend(best.ok().map(|best| best.slicing).filter(|slicing| !found.contains(slicing)));
        }
    }
    Ok(found)
}

fn no_vectors(name: &str) -> String {
    format!(
        "`{name}` has none: write `vectors = [\"{name}.json\"]` into the manifest, or name a file with `--vectors`"
    )
}

fn of_another_size(test: &str, name: &str) -> String {
    format!("{test} is not for `{name}`: its key, tweak or block has another size")
}

/// That nothing could be tested, and why each file is for nothing in the folder.
fn no_test(path: &str, unused: &[String]) -> String {
    let mut reasons: Vec<&String> = Vec::new();
    unused.iter().for_each(|reason| {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    });
    let more = reasons.len().saturating_sub(SHOWN);
    let told = reasons.into_iter().take(SHOWN).map(|reason| format!("\n  {reason}"));
    let rest = (more > 0).then(|| format!("\n  and {more} more"));
    format!("there is no test: no vector is for what `{path}` has{}", told.chain(rest).collect::<String>())
}

/// Says that nothing is asked of a construction where nothing is compiled.
fn leave_out(construction: &Construction, output: &Output, rows: &mut Vec<Value>) {
    let outcome = Outcome {
        way: "C".into(),
        passed: 0,
        failed: 0,
        skipped: 0,
        left_out: Some("it is C, and `--target none` compiles none".into()),
        broken: None,
    };
    say(&construction.name, &Report { outcomes: vec![outcome], ..Report::default() }, output, rows);
}

/// Prints what came of the ways of a primitive or of a construction, or keeps it as JSON.
fn say(name: &str, report: &Report, output: &Output, rows: &mut Vec<Value>) {
    for outcome in &report.outcomes {
        if output.is_json() {
            rows.push(json!({
                "primitive": name, "way": outcome.way, "passed": outcome.passed,
                "failed": outcome.failed, "skipped": outcome.skipped, "left_out": outcome.left_out,
                "broken": outcome.broken,
            }));
            continue;
        }
        let mut line = format!("{:<12} {:<36}", name, outcome.way);
        match (&outcome.left_out, &outcome.broken) {
            (Some(reason), _) => line.push_str(&format!(" left out: {reason}")),
            (_, Some(reason)) => line.push_str(&format!(" BROKEN: {reason}")),
            _ => {
                line.push_str(&format!(" {:>5} passed, {} failed", outcome.passed, outcome.failed));
                if outcome.skipped > 0 {
                    line.push_str(&format!(", {} skipped", outcome.skipped));
                }
            }
        }
        print_line(&line);
    }
}

fn of_construction(
    test: &Test,
    cipher: &Cipher,
    source: &Source<'_>,
    construction: &Construction,
    plan: &Plan,
    output: &Output,
) -> Result<Report, Failure> {
    let wanted = match construction.scheme {
        Scheme::Aead { .. } => Kind::Aead,
        Scheme::Hash { .. } | Scheme::Xof { .. } => Kind::Hash,
        Scheme::Mac { .. } => Kind::Mac,
    };
    let mut files = read_vectors(test, cipher, &construction.vectors, wanted, output)?;
    let is_for = |file: &VectorFile| known_answers::is_named(&construction.name, file);
    if test.vectors.is_empty() {
        if let Some((name, file)) = files.iter().find(|(_, file)| file.kind != wanted) {
            return Err(Failure::general(format!(
                "{name} is not for `{}`: it has vectors of the kind {}, not {wanted}",
                construction.name, file.kind
            )));
        }
        if let Some((name, reason)) = files.iter().find_map(|(name, file)| Some((name, is_for(file).err()?)))
        {
            return Err(Failure::general(format!("{name} {reason}")));
        }
    } else {
        // Files given on the command line go to the parts that they are for.
        files.retain(|(_, file)| file.kind == wanted && is_for(file).is_ok());
    }
    let (tests, strangers) = known_answers::constructions::tests_of(construction, &files);
    if let (true, Some(stranger)) = (test.vectors.is_empty(), strangers.first()) {
        return Err(Failure::general(format!(
            "{stranger} is not for `{}`: its key, nonce or output has another size",
            construction.name
        )));
    }
    if tests.is_empty() {
        return Ok(Report::default());
    }
    let bar = progress::bar(output);
    let report = known_answers::constructions::run(source, construction, &tests, plan, &mut |step| {
        bar.set_length(step.ways as u64);
        bar.set_position(step.number as u64);
        bar.set_message(format!("{} {}", construction.name, step.way));
    });
    bar.finish_and_clear();
    Ok(report)
}

fn plan(test: &Test) -> Result<Plan, Failure> {
    let mut paths = vec![Path::Interpreter, Path::Usuba0];
    for target in targets::named(&test.target)? {
        for compiler in &test.cc {
            let family = targets::compiler(compiler)?;
            for level in &test.opt {
                let optimisation = match level.trim_start_matches("-").trim_start_matches('O') {
                    "0" => "-O0",
                    "1" => "-O1",
                    "2" => "-O2",
                    "3" => "-O3",
                    "s" => "-Os",
                    _ => {
                        return Err(Failure::general(format!(
                            "`{level}` is no level of optimisation; there are 0, 1, 2, 3, s"
                        )));
                    }
                };
                paths.push(match test.backend {
                    BackendArg::C => Path::C { target, family, optimisation },
                    BackendArg::Asm => Path::Assembly { target, family, optimisation },
                });
            }
        }
    }
    let mut plan = Plan::new(paths);
    plan.overrides = overrides::overrides(&test.overrides)?;
    plan.interpreted_iterations = 1000;
    let slicings: Vec<Slicing> = test.slicing.iter().filter_map(|slicing| slicing.0).collect();
    plan.slicings = (!slicings.is_empty()).then_some(slicings);
    Ok(plan)
}

/// The files of vectors: those of the command line, else those of the manifest.
fn read_vectors(
    test: &Test,
    cipher: &Cipher,
    named: &[String],
    usual: Kind,
    output: &Output,
) -> Result<Vec<(String, VectorFile)>, Failure> {
    let parse = |name: String, text: String| match vectors::parse_for(&name, &text, usual) {
        Ok(file) => Ok((name, file)),
        Err(errors) => {
            let more = errors.len().saturating_sub(MOST_TOLD);
            let told = errors.iter().take(MOST_TOLD).map(ToString::to_string);
            let rest = (more > 0).then(|| format!("{name}: {more} more errors are not told"));
            let told: Vec<String> = told.chain(rest).collect();
            if output.is_json() {
                return Err(Failure::general(told.join("\n")));
            }
            told.into_iter().for_each(|error| output.failure(&Failure::general(error)));
            Err(Failure::Said)
        }
    };
    if !test.vectors.is_empty() {
        return test
            .vectors
            .iter()
            .map(|path| parse(path.clone(), files::read_text(path.as_ref())?))
            .collect();
    }
    named
        .iter()
        .map(|path| parse(cipher.folder.join(path).to_string_lossy().into_owned(), cipher.read_named(path)?))
        .collect()
}
