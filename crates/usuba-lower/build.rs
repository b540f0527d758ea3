//! Collects the netlists of `circuits/` into one table, so that the library needs no file at run time.

use std::fmt::Write;
use std::path::Path;

fn main() {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("circuits");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .map(|entries| entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect())
        .unwrap_or_default();
    files.sort();
    let mut text = String::from("const NETLISTS: &[(&str, &str)] = &[\n");
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "json")) {
        let name = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        writeln!(text, "    ({name:?}, include_str!({:?})),", file.display().to_string())
            .expect("a string grows");
    }
    text.push_str("];\n");
    let out = Path::new(&std::env::var("OUT_DIR").expect("set by cargo")).join("netlists.rs");
    std::fs::write(out, text).expect("the output directory is writable");
}
