//! `usubac build`: one node to a kernel, or a cipher folder to all that encrypts bytes.

use super::packages;
use crate::args::{BackendArg, Build, Compile};
use crate::cipher::Cipher;
use crate::estimate::{self, Best, Refusal};
use crate::files;
use crate::output::{Failure, Output, print_json, print_line};
use crate::watch::Watch;
use crate::{front_end, knobs, targets};
use serde_json::{Value, json};
use std::path::PathBuf;
use usuba_codegen::{Backend, Kernel, Missing};
use usuba_compiler::pipeline::{self, Settings, compile};
use usuba_ir::layout::Slicing;
use usuba_lang::load::Loaded;
use usuba_lang::typed::Mode;
use usuba_target::Target;
use usuba_trial::variant::Variant;

/// Compiles, and writes all files or none.
pub fn run(build: &Build, output: &Output) -> Result<(), Failure> {
    if build.passes.dump_after.iter().any(|name| name == "list") {
        pipeline::stages().iter().for_each(|stage| print_line(stage));
        return Ok(());
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
    settings.entry = front_end::options(&build.entry, &build.search, Mode::Words, None)?;
    Ok(settings.with(&knobs::knobs(&build.compile.knobs)?))
}

/// The language of the kernels that is asked for.
pub fn backend(choices: &Compile) -> Backend {
    match choices.backend {
        None | Some(BackendArg::C) => Backend::C,
        Some(BackendArg::Asm) => Backend::Assembly,
    }
}

/// The options that say so, where they must be said.
pub fn options(choices: &Compile) -> String {
    let backend = match backend(choices) {
        Backend::C => "",
        Backend::Assembly => " --backend asm",
    };
    format!("{backend}{}", knobs::options(&choices.knobs))
}

/// Whether a variant is what the options ask for, as far as they say anything.
pub fn agrees(variant: &Variant, choices: &Compile) -> bool {
    let slicing = targets::slicing(choices.slicing).is_none_or(|slicing| slicing == variant.slicing());
    let backend = choices.backend.is_none() || backend(choices) == variant.backend();
    slicing && backend && knobs::agree(variant, &choices.knobs)
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
            order: build.compile.knobs.order,
            definitions: Vec::new(),
        };
        let mut watch = Watch::new(&build.passes, naming.backend)?;
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

/// The slicings among which the command line lets choose, and whether there is a choice to make.
pub fn candidates(build: &Build, all: &[Slicing]) -> Result<Vec<Slicing>, Best> {
    match (targets::slicing(build.compile.slicing), build.compile.blocks) {
        (Some(slicing), None) => Err(Best::of(slicing)),
        (Some(slicing), Some(_)) => Ok(vec![slicing]),
        (None, _) => Ok(all.to_vec()),
    }
}

fn choose(build: &Build, loaded: &Loaded, target: &'static Target, output: &Output) -> Result<Best, Failure> {
    let among = match candidates(build, &targets::SLICINGS) {
        Ok(among) => among,
        Err(asked) => return Ok(asked),
    };
    let base = settings(build, Slicing::V)?;
    let with = |slicing: Slicing| {
        let mut settings = base.clone();
        settings.lowering.slicing = slicing;
        settings
    };
    estimate::fastest(loaded, &with, &among, target, build.compile.blocks).map_err(|refusals| {
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

/// What a target lacks for a program in a slicing.
pub fn refused(slicing: Slicing, target: &Target, missing: &[Missing]) -> Failure {
    let mut reasons: Vec<String> = Vec::new();
    for reason in missing.iter().map(ToString::to_string) {
        if reasons.len() < 5 && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    Failure::general(format!(
        "`{}` has no code for this program under `--slicing {slicing}`: {}",
        target.name,
        reasons.join("; ")
    ))
}

fn symbol(build: &Build, loaded: &Loaded, slicing: Slicing, target: &Target) -> Result<String, Failure> {
    let target_name = target.name.replace(['-', '.'], "_");
    let symbol = match &build.symbol {
        Some(pattern) => pattern.replace("{target}", &target_name).replace("{slicing}", &slicing.to_string()),
        None => {
            let last = loaded.program.definitions.last().map(|definition| definition.name.text.as_str());
            let entry = build.entry.entry.as_deref().or(last).unwrap_or("kernel");
            let entry: String =
                entry.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
            format!("usuba_{}_{slicing}_{target_name}", entry.to_lowercase().trim_end_matches('_'))
        }
    };
    let mut characters = symbol.chars();
    let starts = characters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    if !starts || !characters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(Failure::general(format!("`{symbol}` is not a C identifier")));
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
