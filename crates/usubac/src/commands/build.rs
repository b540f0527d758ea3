//! `usubac build`: one node to a kernel, or a cipher folder to all that encrypts bytes; a [`message`] to a function; a node to
//! a [`circuit`].

mod circuit;
mod message;

use super::packages;
use crate::args::Build;
use crate::cipher::Cipher;
use crate::compile::{backend, candidates, options, refused, usual_symbol};
use crate::files;
use crate::output::{Failure, Output, print_json, print_line};
use crate::prediction::{self, Best, Refusal};
use crate::watch::Watch;
use crate::{front_end, overrides, targets};
use serde_json::{Value, json};
use std::path::PathBuf;
use usuba_codegen::Kernel;
use usuba_compiler::pipeline::{self, Settings, compile};
use usuba_ir::layout::Slicing;
use usuba_lang::load::Loaded;
use usuba_lang::typed::Atoms;
use usuba_target::Target;

/// Compiles, and writes all files or none.
pub fn run(build: &Build, output: &Output) -> Result<(), Failure> {
    if build.passes.dump_after.iter().any(|name| name == "list") {
        pipeline::stages().iter().for_each(|stage| print_line(stage));
        return Ok(());
    }
    if build.mode.is_some() || build.bytes {
        return message::run(build, output);
    }
    if !build.emit.is_empty() {
        return circuit::run(build, output);
    }
    let of_messages = [(build.small, "--small"), (build.keep_first_round, "--keep-first-round")];
    if let Some((_, option)) = of_messages.iter().find(|(is_given, _)| *is_given) {
        return Err(Failure::general(format!(
            "`{option}` is for messages: of a mode (`--mode`) or of a program (`--bytes`)",
        )));
    }
    let folders = build.paths.iter().filter(|path| Cipher::is_at(path)).count();
    if folders > 0 {
        return packages::run(build, output);
    }
    if build.threads {
        return Err(Failure::general("`--threads` is for libraries: of cipher folders"));
    }
    let [path] = &build.paths[..] else {
        return Err(Failure::general("several paths make a library: they must be cipher folders"));
    };
    let chosen = if build.compile.target.is_empty() {
        vec![targets::native()]
    } else {
        targets::named(&build.compile.target)?
    };
    if chosen.is_empty() {
        return Err(Failure::general("no target is named"));
    }
    program(build, path, &chosen, output)
}

/// The settings of the pipeline that the command line asks for.
fn settings(build: &Build, slicing: Slicing) -> Result<Settings, Failure> {
    let mut settings = Settings::new(slicing, None);
    settings.entry = front_end::options(&build.entry, &build.search, Atoms::Words, None)?;
    Ok(settings.with(&overrides::overrides(&build.compile.overrides)?))
}

fn program(build: &Build, path: &str, chosen: &[&'static Target], output: &Output) -> Result<(), Failure> {
    let loaded = front_end::read(path, &build.search, output)?;
    let mut written = Vec::new();
    let mut kernels = Vec::new();
    let mut warned = false;
    for &target in chosen {
        let Best { slicing, batches } = choose(build, &loaded, target, output)?;
        let mut settings = settings(build, slicing)?;
        settings.passes.interleave = settings.passes.interleave.or(batches);
        let symbol = symbol(build, &loaded, slicing, target)?;
        let naming = usuba_codegen::Options {
            symbol: symbol.clone(),
            header_name: format!("{symbol}.h"),
            command: format!(
                "usubac build {} --slicing {slicing} --target {}{}",
                files::base_name(path),
                target.name,
                options(&build.compile)
            ),
            description: vec![format!("Made from {}.", files::base_name(path))],
            backend: backend(&build.compile),
            ..usuba_codegen::Options::default()
        };
        let mut watch = Watch::new(&build.passes, naming.backend, slicing)?;
        let outcome = compile(&loaded, &settings, target, &naming, &mut watch);
        watch.report();
        if let Some(disagreement) = watch.disagreement {
            return Err(Failure::general(format!(
                "{disagreement}; no output was made: this is a bug of usubac"
            )));
        }
        let compiled = match outcome {
            Ok(compiled) => compiled,
            Err(pipeline::Failure::Stopped) => return Ok(()),
            Err(pipeline::Failure::Program(findings)) => {
                output.diagnostics(&front_end::all(&loaded, findings), &loaded.sources);
                return Err(Failure::Said);
            }
            Err(pipeline::Failure::Target(missing)) => return Err(refused(slicing, target, &missing)),
            Err(pipeline::Failure::Internal(error)) => return Err(Failure::general(error)),
        };
        if !warned && !output.is_json() {
            output.diagnostics(&front_end::all(&loaded, compiled.warnings.clone()), &loaded.sources);
            warned = true;
        }
        written.push((
            PathBuf::from(format!("{symbol}.{}", naming.backend.extension())),
            compiled.kernel.source.clone(),
        ));
        written.push((PathBuf::from(format!("{symbol}.h")), compiled.kernel.header.clone()));
        kernels.push((symbol, slicing, target, compiled.kernel));
    }
    let paths = files::write_generated(&build.output, written, build.force)?;
    let rows: Vec<Value> = kernels
        .iter()
        .map(|(name, slicing, target, kernel)| summary(name, *slicing, target, kernel))
        .collect();
    say(&rows, &paths, output);
    Ok(())
}

fn choose(build: &Build, loaded: &Loaded, target: &'static Target, output: &Output) -> Result<Best, Failure> {
    let among = match candidates(&build.compile, &targets::TRIED) {
        Ok(among) => among,
        Err(asked) => return Ok(asked),
    };
    let base = settings(build, Slicing::V)?;
    let with = |slicing: Slicing| {
        let mut settings = base.clone();
        settings.lowering.slicing = slicing;
        settings
    };
    prediction::fastest(loaded, &with, &among, target, build.compile.blocks).map_err(|refusals| {
        // What is wrong in every slicing is wrong with the program: the last one speaks for all.
        match refusals.into_iter().next_back() {
            Some((slicing, Refusal::Target(missing))) => refused(slicing, target, &missing),
            Some((_, Refusal::Internal(error))) => Failure::general(error),
            Some((_, Refusal::Program(findings))) => {
                output.diagnostics(&front_end::all(loaded, findings), &loaded.sources);
                Failure::Said
            }
            None => Failure::general(format!("no slicing has code for `{}`", target.name)),
        }
    })
}

fn symbol(build: &Build, loaded: &Loaded, slicing: Slicing, target: &Target) -> Result<String, Failure> {
    let target_name = target.name.replace(['-', '.'], "_");
    let symbol = match &build.symbol {
        Some(pattern) => pattern.replace("{target}", &target_name).replace("{slicing}", &slicing.to_string()),
        None => usual_symbol(build.entry.entry.as_deref(), loaded, slicing, target),
    };
    check_symbol(build, symbol)
}

/// A name that is to be that of a function, and of files.
fn check_symbol(build: &Build, symbol: String) -> Result<String, Failure> {
    if let Some(reason) = usuba_codegen::unfit_for_a_function(&symbol) {
        return Err(Failure::general(format!("`{symbol}` {reason}; `--symbol` gives another name")));
    }
    if build.compile.target.len() > 1
        && build.symbol.as_ref().is_some_and(|symbol| !symbol.contains("{target}"))
    {
        return Err(Failure::general(
            "several targets need `{target}` in the symbol, or their files would collide",
        ));
    }
    Ok(symbol)
}

fn summary(name: &str, slicing: Slicing, target: &Target, kernel: &Kernel) -> Value {
    json!({
        "name": name,
        "symbol": kernel.symbol,
        "slicing": slicing.to_string(),
        "target": target.name,
        "instances": kernel.instances,
        "gates": kernel.report.gates,
        "instructions": kernel.report.instructions_run(),
        "code_bytes": kernel.report.code_bytes,
        "port_bound_cycles": kernel.report.port_bound(target),
    })
}

fn say(rows: &[Value], paths: &[PathBuf], output: &Output) {
    if output.is_json() {
        let files: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        print_json(&json!({ "kernels": rows, "files": files }));
        return;
    }
    for row in rows {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        print_line(&format!(
            "{:<24} slicing {}  {:<10} {:>4} instances, {} gates, {} instructions a call",
            text("name"),
            text("slicing"),
            text("target"),
            row["instances"],
            row["gates"],
            row["instructions"],
        ));
    }
    for path in paths {
        print_line(&format!("wrote {}", path.display()));
    }
}
