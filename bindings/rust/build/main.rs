//! Compiles the generated C of `csrc/`, one folder for each cipher, and writes the Rust that is about sizes and names: both
//! are read off the headers there, so that this crate has no list of primitives.

mod header;
mod write;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// What the names of files begin with that are the same in all folders, and compiled once: which code runs on this machine, and
/// modes over any cipher with blocks of one size.
const SHARED: [&str; 2] = ["usuba_cpu.", "usuba_any"];

fn main() {
    println!("cargo::rerun-if-changed=csrc");
    println!("cargo::rerun-if-changed=build");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by Cargo"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by Cargo"));
    // Elsewhere for checks that must not change what is there.
    println!("cargo::rerun-if-env-changed=USUBA_CSRC");
    let generated = env::var_os("USUBA_CSRC").map_or(root.join("csrc"), PathBuf::from);
    if let Err(message) = ciphers(&generated).and_then(|ciphers| build(&ciphers, &out)) {
        println!("cargo::error={message}");
        std::process::exit(1);
    }
}

/// A folder with the generated code of a cipher.
struct Cipher {
    folder: PathBuf,
    headers: Vec<header::Header>,
}

/// The folders of the ciphers whose features are on, in the order of their names.
fn ciphers(generated: &Path) -> Result<Vec<Cipher>, String> {
    let make = "in the repository of Usuba, `make rust` makes it; packaged crates have it";
    let entries = fs::read_dir(generated)
        .map_err(|_| format!("the generated C is missing: there is no {}; {make}", generated.display()))?;
    let mut folders: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()).collect();
    folders.sort();
    let mut wanted: Vec<String> = env::vars_os()
        .filter_map(|(name, _)| name.to_str()?.strip_prefix("CARGO_FEATURE_").map(str::to_owned))
        .filter(|feature| !["DEFAULT", "ALL"].contains(&feature.as_str()))
        .collect();
    wanted.sort();
    let mut ciphers = Vec::new();
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let feature = name.to_uppercase().replace('-', "_");
        if let Some(at) = wanted.iter().position(|wanted| *wanted == feature) {
            wanted.remove(at);
            ciphers.push(Cipher { headers: headers(&folder)?, folder });
        }
    }
    match wanted.first() {
        Some(feature) => Err(format!(
            "the feature `{}` has no generated C in {}; {make}",
            feature.to_lowercase(),
            generated.display()
        )),
        None => Ok(ciphers),
    }
}

/// What the headers of a folder declare.
fn headers(folder: &Path) -> Result<Vec<header::Header>, String> {
    let width = env::var("CARGO_CFG_TARGET_POINTER_WIDTH").ok().and_then(|bits| bits.parse::<u64>().ok());
    let pointer = width.unwrap_or(64) / 8;
    let mut headers = Vec::new();
    for path in files(folder, &["h"]) {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        headers.extend(
            header::read(&name, &text, pointer)
                .map_err(|message| format!("{}: {message}", path.display()))?,
        );
    }
    headers.sort_by_key(|header| header.primitive.as_ref().map(|primitive| primitive.stem.clone()));
    Ok(headers)
}

/// The files of a folder with these endings, in the order of their names.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let ending = |path: &PathBuf| {
        path.extension().and_then(|ending| ending.to_str()).is_some_and(|ending| endings.contains(&ending))
    };
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).filter(ending).collect())
        .unwrap_or_default();
    files.sort();
    files
}

/// The files to compile.
///
/// # Errors
/// Files that are the same in all folders are not: they were made by different versions of the compiler.
fn sources(ciphers: &[Cipher]) -> Result<Vec<PathBuf>, String> {
    let mut sources = Vec::new();
    let mut shared: BTreeMap<OsString, (PathBuf, String)> = BTreeMap::new();
    for path in ciphers.iter().flat_map(|cipher| files(&cipher.folder, &["c", "S"])) {
        let name = path.file_name().unwrap_or_default().to_owned();
        if !SHARED.iter().any(|beginning| name.to_string_lossy().starts_with(beginning)) {
            sources.push(path);
            continue;
        }
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        // The comment names the cipher.
        let text =
            text.lines().filter(|line| !line.starts_with(" * Command: ")).collect::<Vec<_>>().join("\n");
        match shared.get(&name) {
            None => {
                sources.push(path.clone());
                shared.insert(name, (path, text));
            }
            Some((_, first)) if *first == text => {}
            Some((first, _)) => {
                let (first, path) = (first.display(), path.display());
                return Err(format!(
                    "{first} and {path} were made by different versions of usubac: make all folders with one"
                ));
            }
        }
    }
    Ok(sources)
}

fn build(ciphers: &[Cipher], out: &Path) -> Result<(), String> {
    // For tests that need a primitive: a folder of the repository may get or lose one.
    println!("cargo::rustc-check-cfg=cfg(primitive, values(any()))");
    for primitive in ciphers.iter().flat_map(|cipher| &cipher.headers).flat_map(|header| &header.primitive) {
        println!("cargo::rustc-cfg=primitive=\"{}\"", primitive.name);
    }
    let names: Vec<String> = ciphers.iter().map(name).collect();
    println!("cargo::rustc-env=USUBA_CIPHERS={}", names.join(" "));
    let modules: String =
        ciphers.iter().map(|cipher| write::module(&name(cipher), &cipher.headers)).collect();
    let tables = write::tables(ciphers.iter().flat_map(|cipher| {
        let module = name(cipher).replace('-', "_");
        cipher.headers.iter().flat_map(|header| &header.primitive).map(move |one| (module.clone(), one))
    }));
    save(&out.join("primitives.rs"), &(modules + &tables));

    // Documentation and type checks need no C: nothing is linked.
    println!("cargo::rerun-if-env-changed=DOCS_RS");
    if ciphers.is_empty() || env::var_os("DOCS_RS").is_some() {
        return Ok(());
    }
    let mut compiler = cc::Build::new();
    println!("cargo::rerun-if-env-changed=USUBA_NO_ASSEMBLY");
    if env::var_os("USUBA_NO_ASSEMBLY").is_none() {
        compiler.define("USUBA_ASSEMBLY", None);
    }
    // No symbol is exported from what the crate is linked into.
    compiler.define("USUBA_API", "").flag_if_supported("-fvisibility=hidden").std("c99").opt_level(2);
    // What is generated is not debugged line by line, and without the lines it compiles faster.
    compiler.debug(false).warnings(false).files(sources(ciphers)?);
    for cipher in ciphers {
        let checks = out.join(format!("sizes_{}.c", name(cipher).replace('-', "_")));
        save(&checks, &write::size_checks(&cipher.headers));
        compiler.file(checks).include(&cipher.folder);
    }
    compiler.compile("usuba");
    Ok(())
}

/// The name of a cipher's folder.
fn name(cipher: &Cipher) -> String {
    cipher.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn save(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
