//! A crate is a floor; a floor knows only those below it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Which crates of the house each may name: all the arrows there are.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("usuba-logic", &[]),
    ("usuba-lang", &[]),
    ("usuba-ir", &["usuba-logic"]),
    ("usuba-algebra", &["usuba-logic", "usuba-lang", "usuba-ir"]),
    ("usuba-message", &["usuba-logic", "usuba-lang", "usuba-algebra"]),
    ("usuba-lower", &["usuba-logic", "usuba-algebra", "usuba-lang", "usuba-ir"]),
    ("usuba-synth", &["usuba-logic", "usuba-ir", "usuba-lower"]),
    ("usuba-opt", &["usuba-logic", "usuba-ir"]),
    ("usuba-target", &["usuba-ir"]),
    ("usuba-machine", &["usuba-logic", "usuba-ir", "usuba-target"]),
    ("usuba-codegen", &["usuba-logic", "usuba-ir", "usuba-target", "usuba-machine"]),
    ("usuba-verify", &["usuba-lang", "usuba-ir", "usuba-target", "usuba-machine"]),
    ("usuba-transpose", &["usuba-ir", "usuba-target", "usuba-machine"]),
    (
        "usuba-compiler",
        &["usuba-lang", "usuba-ir", "usuba-lower", "usuba-opt", "usuba-target", "usuba-codegen"],
    ),
    (
        "usuba-blockwise",
        &[
            "usuba-lang",
            "usuba-algebra",
            "usuba-message",
            "usuba-ir",
            "usuba-lower",
            "usuba-opt",
            "usuba-target",
            "usuba-machine",
            "usuba-codegen",
            "usuba-compiler",
        ],
    ),
    (
        "usuba-package",
        &[
            "usuba-algebra",
            "usuba-lang",
            "usuba-message",
            "usuba-ir",
            "usuba-target",
            "usuba-codegen",
            "usuba-transpose",
            "usuba-compiler",
            "usuba-blockwise",
        ],
    ),
    (
        "usuba-trial",
        &[
            "usuba-lang",
            "usuba-ir",
            "usuba-lower",
            "usuba-target",
            "usuba-codegen",
            "usuba-verify",
            "usuba-compiler",
            "usuba-message",
            "usuba-blockwise",
            "usuba-package",
        ],
    ),
    (
        "usubac",
        &[
            "usuba-algebra",
            "usuba-lang",
            "usuba-ir",
            "usuba-lower",
            "usuba-opt",
            "usuba-target",
            "usuba-machine",
            "usuba-message",
            "usuba-codegen",
            "usuba-verify",
            "usuba-compiler",
            "usuba-blockwise",
            "usuba-package",
            "usuba-trial",
            "usuba-synth",
        ],
    ),
];

/// What only the edge of the house may touch, and the one module of `usuba-trial` that runs compilers.
const WORLD: &[&str] = &["std::fs", "std::process", "std::net", "std::env", "std::time", "std::thread"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests live in the workspace").to_path_buf()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).expect("a crate has sources").flatten().collect();
    entries.sort_by_key(|entry| entry.path());
    for entry in entries {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_crate_of_the_house_has_a_floor() {
    let listed: BTreeSet<String> = MAY_KNOW.iter().map(|(name, _)| (*name).to_owned()).collect();
    let there: BTreeSet<String> = std::fs::read_dir(root().join("crates"))
        .expect("the crates are there")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(listed, there);
}

#[test]
fn a_floor_knows_only_those_below_it() {
    for (name, allowed) in MAY_KNOW {
        let text =
            std::fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).expect("a manifest");
        let manifest: toml::Table = text.parse().expect("valid TOML");
        let dependencies =
            manifest.get("dependencies").and_then(|table| table.as_table()).expect("dependencies");
        for dependency in dependencies.keys().filter(|dependency| dependency.starts_with("usuba-")) {
            assert!(allowed.contains(&dependency.as_str()), "{name} must not know {dependency}");
        }
    }
}

#[test]
fn the_core_touches_no_file_process_or_clock() {
    for (name, _) in MAY_KNOW.iter().filter(|(name, _)| *name != "usubac") {
        let folder = root().join("crates").join(name).join("src");
        let mut files = Vec::new();
        sources(&folder, &mut files);
        for file in files {
            let runs_compilers = *name == "usuba-trial"
                && file
                    .strip_prefix(&folder)
                    .is_ok_and(|path| path.starts_with("run") || path == Path::new("run.rs"));
            let text = std::fs::read_to_string(&file).expect("a source");
            // Unit tests may read their data.
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            for word in WORLD {
                assert!(runs_compilers || !code.contains(word), "{} names {word}", file.display());
            }
        }
    }
}
