//! Compiles the generated C of `csrc/`, and tells the crate `usuba` where its headers are.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=csrc");
    println!("cargo::rerun-if-changed=build.rs");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by Cargo"));
    // What usuba-common-sys has; it has none before it itself.
    let common = env::var_os("DEP_USUBA_COMMON_CSRC").map(PathBuf::from);
    if let Err(message) = build(&root.join("csrc"), common.as_deref()) {
        println!("cargo::error={message}");
        std::process::exit(1);
    }
}

fn build(folder: &Path, common: Option<&Path>) -> Result<(), String> {
    println!("cargo::metadata=csrc={}", folder.display());
    println!("cargo::metadata=cipher={}", "@NAME@");
    let sources = sources(folder, common)?;
    // Documentation and type checks need no C: nothing is linked.
    println!("cargo::rerun-if-env-changed=DOCS_RS");
    if env::var_os("DOCS_RS").is_some() {
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
    compiler.debug(false).warnings(false).files(sources);
    compiler.compile("usuba_@NAME@");
    Ok(())
}

/// The files to compile: those of the folder that the common one does not have.
///
/// # Errors
/// The folder is missing. A file of the common folder is another one here: they were made by different versions of the compiler.
fn sources(folder: &Path, common: Option<&Path>) -> Result<Vec<PathBuf>, String> {
    let make = "in the repository of Usuba, `make rust` makes it; packaged crates have it";
    let entries = fs::read_dir(folder)
        .map_err(|_| format!("the generated C is missing: there is no {}; {make}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "c" || ending == "S"));
    files.sort();
    let mut sources = Vec::new();
    for path in files {
        let shared = common.and_then(|common| Some(common.join(path.file_name()?)));
        match shared.filter(|shared| shared.exists()) {
            None => sources.push(path),
            Some(shared) if text(&shared)? == text(&path)? => {}
            Some(shared) => {
                let (shared, path) = (shared.display(), path.display());
                return Err(format!(
                    "{shared} and {path} were made by different versions of usubac: make all folders with one"
                ));
            }
        }
    }
    Ok(sources)
}

/// The text of a file without the line of its comment that names the ciphers.
fn text(path: &Path) -> Result<String, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text.lines().filter(|line| !line.starts_with(" * Command: ")).collect::<Vec<_>>().join("\n"))
}
