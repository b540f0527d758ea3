//! Messages: one function for strings of any length, and its header.

use super::check_symbol;
use crate::args::{Build, SlicingArg};
use crate::compile::backend;
use crate::message::{self, Named};
use crate::output::{Failure, Output, print_json, print_line};
use crate::{files, targets};
use serde_json::{Value, json};
use std::path::PathBuf;
use usuba_blockwise::machine::Choices;
use usuba_codegen::Backend;
use usuba_package::message::files::{self as code, Labels, Machines};
use usuba_target::{Target, all};

/// Compiles a message for each target, and writes all files or none.
pub fn run(build: &Build, output: &Output) -> Result<(), Failure> {
    let [path] = &build.paths[..] else {
        return Err(Failure::general("a message is made of one folder or of one program"));
    };
    if build.primitive.len() > 1 {
        return Err(Failure::general("a mode is built over one primitive: name it with one `--primitive`"));
    }
    check_options(build)?;
    let named = match &build.mode {
        Some(mode) => message::of_mode(path, mode, build.primitive.first(), &build.search, output)?,
        None => message::of_program(path, build.entry.entry.as_deref(), &build.search, output)?,
    };
    let is_assembly = backend(&build.compile) == Backend::Assembly;
    let mut written = Vec::new();
    let mut rows = Vec::new();
    for target in chosen(build)? {
        if is_assembly && !(target.has_rounds() && target.encoding().is_some()) {
            return Err(no_assembly(target));
        }
        let machines = Machines::of(target).map_err(Failure::general)?;
        let choices =
            Choices { is_small: build.small, keeps_first_round: build.keep_first_round, is_assembly };
        let machines = machines.with(choices);
        let labels = labels(build, path, &named, target)?;
        let made = code::files(&named.message, &named.loaded, machines, &labels)
            .map_err(|refusal| refused(&named, target, &refusal.0))?;
        let loops: Vec<String> = made.loops.iter().map(ToString::to_string).collect();
        rows.push(json!({
            "name": named.name, "symbol": labels.symbol, "target": target.name, "prepared_bytes": made.prepared,
            "flags": machines.flags(), "loops": loops,
        }));
        for file in [made.source, made.header].into_iter().chain(made.assembly) {
            written.push((PathBuf::from(file.path), file.contents));
        }
    }
    let paths = files::write_generated(&build.output, written, build.force)?;
    if output.is_json() {
        let files: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        print_json(&json!({ "messages": rows, "files": files }));
        return Ok(());
    }
    for row in &rows {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let loops = row["loops"].as_array().map_or(0, Vec::len);
        print_line(&format!("{:<24} {}  {} loops", text("symbol"), text("target"), loops));
        for one in row["loops"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            print_line(&format!("  {one}"));
        }
    }
    paths.iter().for_each(|path| print_line(&format!("wrote {}", path.display())));
    Ok(())
}

/// What says how a kernel is compiled says nothing of a message, and is not silently left aside.
fn check_options(build: &Build) -> Result<(), Failure> {
    let (compile, passes) = (&build.compile, &build.passes);
    let foreign = [
        (compile.slicing != SlicingArg(None), "--slicing"),
        (compile.blocks.is_some(), "--blocks"),
        (passes.stop_after.is_some() || !passes.dump_after.is_empty(), "--dump-after or --stop-after"),
        (passes.time_passes, "--time-passes"),
        (passes.verify_each, "--verify-each"),
        (!build.entry.nats.is_empty(), "--nat"),
    ];
    match foreign.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(Failure::general(format!(
            "`{option}` is for kernels; the code of a message is made in one way"
        ))),
        None => Ok(()),
    }
}

/// The targets that are named; of this machine, the best that messages have code for.
fn chosen(build: &Build) -> Result<Vec<&'static Target>, Failure> {
    let names = &build.compile.target;
    if !names.is_empty() && names.iter().all(|name| name != "native") {
        let targets = targets::named(names)?;
        // Of all targets and of those of this machine, those that there is code for.
        let several = names.iter().any(|name| name == "all" || name == "here");
        let has_code = |target: &&'static Target| !several || Machines::of(target).is_ok();
        return Ok(targets.into_iter().filter(has_code).collect());
    }
    let here =
        all().iter().copied().filter(|target| Machines::of(target).is_ok() && targets::runs_here(target));
    let best = here.max_by_key(|target| target.register_bits);
    best.map(|target| vec![target]).ok_or_else(|| {
        Failure::general("this machine runs no target that messages have code for; name one with `--target`")
    })
}

fn labels(build: &Build, path: &str, named: &Named, target: &Target) -> Result<Labels, Failure> {
    let target_name = target.name.replace('-', "_");
    let several = build.compile.target.len() > 1
        || build.compile.target.iter().any(|name| name == "all" || name == "here");
    let suffix = if several && build.symbol.is_none() { format!("_{target_name}") } else { String::new() };
    let (symbol, stem) = match &build.symbol {
        Some(pattern) => {
            let symbol = pattern.replace("{target}", &target_name);
            (symbol.clone(), symbol)
        }
        None => {
            (format!("{}{}{suffix}", build.prefix, named.identifier), format!("{}{suffix}", named.identifier))
        }
    };
    let what = match (&build.mode, build.primitive.first(), &build.entry.entry) {
        (Some(mode), Some(primitive), _) => format!(" --mode {mode} --primitive {primitive}"),
        (Some(mode), None, _) => format!(" --mode {mode}"),
        (None, _, Some(entry)) => format!(" --bytes --entry {entry}"),
        (None, _, None) => " --bytes".to_owned(),
    };
    let small = if build.small { " --small" } else { "" };
    let kept = if build.keep_first_round { " --keep-first-round" } else { "" };
    let assembly = if backend(&build.compile) == Backend::Assembly { " --backend asm" } else { "" };
    let prefix = if build.prefix == "usuba_" { String::new() } else { format!(" --prefix {}", build.prefix) };
    let chosen = build.symbol.as_ref().map(|symbol| format!(" --symbol {symbol}")).unwrap_or_default();
    let command = format!(
        "usubac build {}{what}{small}{kept}{assembly} --target {}{prefix}{chosen}",
        files::base_name(path),
        target.name
    );
    Ok(Labels { symbol: check_symbol(build, symbol)?, stem, summary: named.name.clone(), command })
}

/// That a message has no assembly on a target, and where it has.
fn no_assembly(target: &Target) -> Failure {
    let has = |target: &&&Target| target.has_rounds() && target.encoding().is_some();
    let names: Vec<&str> = all().iter().filter(has).map(|target| target.name).collect();
    Failure::general(format!(
        "messages have no assembly for `{}`; there is assembly for {}",
        target.name,
        names.join(", ")
    ))
}

/// Why there is no code; the reason has the place of the step that has none.
fn refused(named: &Named, target: &Target, reason: &str) -> Failure {
    Failure::general(format!("{} has no code for `{}`: {reason}", named.name, target.name))
}
