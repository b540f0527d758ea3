//! `usubac build` of cipher folders: a library that picks its code when it runs.

use crate::args::Build;
use crate::cipher::Cipher;
use crate::files;
use crate::output::{Failure, Output, print_json, print_line};
use crate::{front_end, knobs, progress, targets};
use serde_json::json;
use std::path::PathBuf;
use usuba_compiler::pipeline;
use usuba_package::construction;
use usuba_package::library::{BuildError, Choices};
use usuba_package::manifest::Primitive;
use usuba_package::package::measured::Measured;
use usuba_package::package::{self, Options, Package};
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
        let tuned = cipher.tuned(build.compile.no_tuned, output)?;
        measured.push(cipher.measured()?);
        ciphers.push((cipher, tuned));
    }
    check_primitives(&ciphers, &build.primitive)?;
    let knobs = knobs::knobs(&build.compile.knobs)?;
    let slicing = targets::slicing(build.compile.slicing);
    let choose = |cipher: package::Cipher, primitive: &Primitive, target: &'static Target| {
        let tuned = ciphers.iter().find(|(known, _)| known.manifest.name == cipher.manifest.name);
        let tuned = tuned.and_then(|(_, tuned)| tuned.find(&primitive.name, target.name));
        let of = |slicing| {
            let mut choices = Choices::new(slicing);
            if let Some(choice) = tuned.filter(|choice| choice.variant.slicing() == slicing) {
                choice.variant.apply(&mut choices);
            }
            choices.settings = choices.settings.with(&knobs);
            choices
        };
        let asked = |one: &_| slicing.is_none_or(|slicing| slicing == *one);
        primitive.library.iter().copied().filter(asked).map(of).collect()
    };
    let names: Vec<&str> = build.paths.iter().map(|path| files::base_name(path)).collect();
    let options = Options {
        prefix: &build.prefix,
        command: &format!("usubac build {}", names.join(" ")),
        primitives: &build.primitive,
        targets: &wanted,
        amalgamated: build.drop_in,
        threads: build.threads,
        choose: &choose,
    };
    let mut constructions = Vec::new();
    for (cipher, _) in &ciphers {
        let read = |path: &str| cipher.read_named(path);
        constructions.push(construction::files(&cipher.manifest.constructions, &build.prefix, read)?);
    }
    let bar = progress::bar(output);
    bar.set_length(ciphers.iter().map(|(cipher, _)| cipher.manifest.primitives.len() as u64).sum());
    let read: Vec<package::Cipher> = ciphers
        .iter()
        .zip(&constructions)
        .zip(&measured)
        .map(|(((cipher, _), constructions), measured)| package::Cipher {
            manifest: &cipher.manifest,
            loaded: &cipher.loaded,
            constructions,
            measured: Some(measured),
        })
        .collect();
    let made = package::build(&read, &options, &|name| {
        bar.set_message(name.to_owned());
        bar.inc(1);
    });
    bar.finish_and_clear();
    let package = made.map_err(|error| explain(error, &ciphers, output))?;
    let written: Vec<(PathBuf, String)> =
        package.files.iter().map(|file| (PathBuf::from(&file.path), file.contents.clone())).collect();
    let paths = files::write_generated(&build.output, written, build.force)?;
    say(&package, &paths, output);
    Ok(())
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
    let (BuildError::Node { primitive, .. } | BuildError::Driver { primitive, .. }) = &error else {
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

fn say(package: &Package, paths: &[PathBuf], output: &Output) {
    if output.is_json() {
        let engines: Vec<_> = package
            .engines
            .iter()
            .map(|made| {
                json!({
                    "primitive": made.primitive, "target": made.target.name, "slicing": made.slicing.to_string(),
                    "backend": if made.assembly { "asm" } else { "c" }, "batch": made.batch,
                })
            })
            .collect();
        let files: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        print_json(&json!({ "engines": engines, "files": files }));
        return;
    }
    let mut last = "";
    for made in &package.engines {
        if made.primitive != last {
            print_line(&made.primitive);
            last = &made.primitive;
        }
        print_line(&format!(
            "  {:<10} slicing {:<3} {:>4} blocks at once{}",
            made.target.name,
            made.slicing.to_string(),
            made.batch,
            if made.assembly { ", assembly" } else { "" }
        ));
    }
    print_line(&format!("wrote {} files", paths.len()));
}
