//! `usubac build` of cipher folders: a library that picks its code when it runs.

use super::one_level::{self, Chosen};
use crate::args::Build;
use crate::cipher::Cipher;
use crate::compile::refused;
use crate::files;
use crate::output::{Failure, Output, print_json, print_line};
use crate::{front_end, overrides, progress, targets};
use serde_json::json;
use std::path::PathBuf;
use usuba_compiler::pipeline;
use usuba_package::construction;
use usuba_package::engine::{BuildError, Choices};
use usuba_package::library::measured::Measured;
use usuba_package::library::{self, Library, Made, Options};
use usuba_package::manifest::Primitive;
use usuba_target::Target;
use usuba_trial::tuned::Tuned;

/// Makes the library, and writes all files or none.
pub fn run(build: &Build, output: &Output) -> Result<(), Failure> {
    if build.entry.entry.is_some() || build.symbol.is_some() {
        return Err(Failure::general(
            "--entry and --symbol are for programs; the manifest of a cipher names its nodes and functions",
        ));
    }
    check_prefix(&build.prefix)?;
    let wanted = targets::named(&build.compile.target)?;
    let one_level = !build.library && !build.drop_in && !build.compile.target.is_empty();
    if one_level && wanted.is_empty() {
        return Err(Failure::general("no target is named"));
    }
    let mut ciphers: Vec<(Cipher, Tuned)> = Vec::new();
    let mut measured: Vec<Measured> = Vec::new();
    for path in &build.paths {
        let cipher = Cipher::read(path, &build.search, output)?;
        if ciphers.iter().any(|(known, _)| known.manifest.name == cipher.manifest.name) {
            return Err(Failure::general(format!(
                "`{path}`: there are two ciphers `{}`",
                cipher.manifest.name
            )));
        }
        // Who says how many blocks there are asks for what is best for these.
        let untuned = build.compile.no_tuned || one_level && build.compile.blocks.is_some();
        let tuned = cipher.tuned(untuned, output)?;
        measured.push(cipher.measured()?);
        ciphers.push((cipher, tuned));
    }
    check_primitives(&ciphers, &build.primitive)?;
    if !one_level {
        let overrides = overrides::overrides(&build.compile.overrides)?;
        let slicing = build.compile.slicing.0;
        let choose = |cipher: library::Cipher, primitive: &Primitive, target: &'static Target| {
            let tuned = ciphers.iter().find(|(known, _)| known.manifest.name == cipher.manifest.name);
            let tuned = tuned.and_then(|(_, tuned)| tuned.find(&primitive.name, target.name));
            let of = |slicing| {
                let mut choices = Choices::new(slicing);
                if let Some(choice) = tuned.filter(|choice| choice.variant.slicing() == slicing) {
                    choice.variant.apply(&mut choices);
                }
                choices.settings = choices.settings.with(&overrides);
                choices
            };
            let asked = |one: &_| slicing.is_none_or(|slicing| slicing == *one);
            primitive.library.iter().copied().filter(asked).map(of).collect()
        };
        let library = make(build, &ciphers, &measured, None, &wanted, &choose, output)?;
        let library = library.map_err(|error| explain(error, &ciphers, output))?;
        let files = library.files.iter().map(|file| (PathBuf::from(&file.path), file.contents.clone()));
        let files: Vec<_> = files.collect();
        let left_over = files::left_over(&build.output, &files);
        let paths = files::write_generated(&build.output, files, build.force)?;
        files::remove(&left_over)?;
        say(&library.engines, &[], &paths, &left_over, output);
        return Ok(());
    }
    let (mut written, mut left_over) = (Vec::new(), Vec::new());
    let (mut engines, mut all) = (Vec::new(), Vec::new());
    for &target in &wanted {
        let mut chosen: Vec<Chosen> = Vec::new();
        for ((cipher, tuned), path) in ciphers.iter().zip(&build.paths) {
            chosen.extend(one_level::choose(build, path, cipher, tuned, target)?);
        }
        let choose = |_: library::Cipher, primitive: &Primitive, _: &'static Target| {
            let of = chosen.iter().filter(|one| one.primitive == primitive.name);
            of.map(|one| one.choices.clone()).collect()
        };
        let library = make(build, &ciphers, &measured, Some(target), &[], &choose, output)?;
        let library = library.map_err(|error| match refusal(&error, &chosen, target) {
            Some(failure) => failure,
            None => explain(error, &ciphers, output),
        })?;
        // One library for each target, in a folder of its own if there are several.
        let folder = PathBuf::from(if wanted.len() > 1 { target.name } else { "" });
        let files = library.files.into_iter().map(|file| (PathBuf::from(file.path), file.contents));
        let files: Vec<_> = files.collect();
        left_over.extend(files::left_over(&build.output.join(&folder), &files));
        written.extend(files.into_iter().map(|(path, contents)| (folder.join(path), contents)));
        engines.extend(library.engines);
        all.extend(chosen.into_iter().map(|chosen| (chosen, target)));
    }
    let paths = files::write_generated(&build.output, written, build.force)?;
    files::remove(&left_over)?;
    say(&engines, &all, &paths, &left_over, output);
    Ok(())
}

/// Makes a library, of one level or of those of all machines.
fn make(
    build: &Build,
    ciphers: &[(Cipher, Tuned)],
    measured: &[Measured],
    level: Option<&'static Target>,
    targets: &[&'static Target],
    choose: &library::Choose,
    output: &Output,
) -> Result<Result<Library, BuildError>, Failure> {
    let names: Vec<&str> = build.paths.iter().map(|path| files::base_name(path)).collect();
    let target = level.map_or(String::new(), |target| format!(" --target {}", target.name));
    let options = Options {
        prefix: &build.prefix,
        command: &format!("usubac build {}{target}", names.join(" ")),
        primitives: &build.primitive,
        targets,
        level,
        drop_in: build.drop_in,
        threads: build.threads,
        choose,
    };
    let mut constructions = Vec::new();
    for (cipher, _) in ciphers {
        let read = |path: &str| cipher.read_named(path);
        let manifest = &cipher.manifest;
        let files = construction::files(&manifest.constructions, &manifest.primitives, &build.prefix, read);
        constructions.push(files.map_err(|error| cipher.explain_files(error))?);
    }
    let bar = progress::bar(output);
    bar.set_length(ciphers.iter().map(|(cipher, _)| cipher.manifest.primitives.len() as u64).sum());
    let read: Vec<library::Cipher> = ciphers
        .iter()
        .zip(&constructions)
        .zip(measured)
        .map(|(((cipher, _), constructions), measured)| library::Cipher {
            manifest: &cipher.manifest,
            loaded: &cipher.loaded,
            constructions,
            measured: Some(measured),
        })
        .collect();
    let made = library::build(&read, &options, &|name| {
        bar.set_message(name.to_owned());
        bar.inc(1);
    });
    bar.finish_and_clear();
    Ok(made)
}

/// What the one target lacks, if that is the error.
fn refusal(error: &BuildError, chosen: &[Chosen], target: &Target) -> Option<Failure> {
    let BuildError::Node { primitive, failure: pipeline::Failure::Target(missing), .. } = error else {
        return None;
    };
    let chosen = chosen.iter().find(|chosen| primitive.starts_with(&chosen.primitive))?;
    Some(refused(chosen.choices.slicing(), target, missing))
}

fn check_prefix(prefix: &str) -> Result<(), Failure> {
    let starts = prefix.starts_with(|c: char| c.is_ascii_lowercase());
    if starts
        && prefix.ends_with('_')
        && prefix.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    {
        return Ok(());
    }
    Err(Failure::general(format!(
        "`{prefix}` is no prefix: lower-case letters, digits and underscores, from a letter to an underscore, such as `usuba_`"
    )))
}

fn check_primitives(ciphers: &[(Cipher, Tuned)], names: &[String]) -> Result<(), Failure> {
    let known: Vec<&str> = ciphers
        .iter()
        .flat_map(|(cipher, _)| cipher.manifest.primitives.iter().map(|primitive| primitive.name.as_str()))
        .collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(Failure::general(format!(
            "no manifest has a primitive `{name}`; there are {}",
            known.join(", ")
        ))),
        None => Ok(()),
    }
}

fn explain(error: BuildError, ciphers: &[(Cipher, Tuned)], output: &Output) -> Failure {
    let (BuildError::Node { primitive, .. }
    | BuildError::Driver { primitive, .. }
    | BuildError::Message { primitive, .. }) = &error
    else {
        return Failure::general(error.to_string());
    };
    let of = ciphers
        .iter()
        .map(|(cipher, _)| cipher)
        .find(|cipher| cipher.manifest.primitives.iter().any(|known| primitive.starts_with(&known.name)));
    let Some(cipher) = of else { return Failure::general(error.to_string()) };
    if let BuildError::Node { failure: pipeline::Failure::Program(findings), .. } = &error {
        output.diagnostics(&front_end::all(&cipher.loaded, findings.clone()), &cipher.loaded.sources);
    }
    cipher.explain(&error)
}

/// What was made; `chosen` is what was chosen for the one level of a target, `removed` are files of an earlier library.
fn say(
    engines: &[Made],
    chosen: &[(Chosen, &Target)],
    paths: &[PathBuf],
    removed: &[PathBuf],
    output: &Output,
) {
    let tuned = |made: &Made| {
        let of = |(one, target): &&(Chosen, &Target)| {
            one.primitive == made.primitive && target.name == made.target.name
        };
        chosen.iter().find(of).and_then(|(one, _)| one.tuned)
    };
    if output.is_json() {
        let engines: Vec<_> = engines
            .iter()
            .map(|made| {
                json!({
                    "primitive": made.primitive, "target": made.target.name, "slicing": made.slicing.to_string(),
                    "backend": if made.assembly { "asm" } else { "c" }, "batch": made.batch,
                    "gates": made.report.gates, "instructions": made.report.instructions_run(),
                    "tuned": tuned(made).map(|variant| variant.to_string()),
                })
            })
            .collect();
        let names = |paths: &[PathBuf]| -> Vec<String> {
            paths.iter().map(|path| path.display().to_string()).collect()
        };
        print_json(&json!({ "engines": engines, "files": names(paths), "removed": names(removed) }));
        return;
    }
    let mut last = "";
    for made in engines {
        if made.primitive != last {
            print_line(&made.primitive);
            last = &made.primitive;
        }
        print_line(&format!(
            "  {:<10} slicing {:<3} {:>4} blocks at once, {} gates, {} instructions a call{}{}",
            made.target.name,
            made.slicing.to_string(),
            made.batch,
            made.report.gates,
            made.report.instructions_run(),
            if made.assembly { ", assembly" } else { "" },
            tuned(made).map_or(String::new(), |variant| format!(" (tuned: {variant})"))
        ));
    }
    print_line(&format!("wrote {} files", paths.len()));
    if !removed.is_empty() {
        print_line(&format!("removed {} files of the library that was there before", removed.len()));
    }
}
