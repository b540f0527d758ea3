//! Writes the Rust that is about sizes and names: both are read off the generated headers, which the crates of the families have
//! (`family/build.rs` compiles their C), so that this crate has no list of primitives.

mod header;
mod write;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by Cargo"));
    if let Err(message) = ciphers().and_then(|ciphers| build(&ciphers, &out)) {
        println!("cargo::error={message}");
        std::process::exit(1);
    }
}

/// The generated code of a family of ciphers.
struct Cipher {
    /// The name of the folder in `ciphers/`.
    name: String,
    /// Where the header is.
    folder: PathBuf,
    headers: Vec<header::Header>,
}

/// The families whose features are on, in the order of their names: their crates say where they are.
fn ciphers() -> Result<Vec<Cipher>, String> {
    let mut names: Vec<(String, PathBuf)> = env::vars_os()
        .filter_map(|(variable, name)| {
            let family = variable.to_str()?.strip_prefix("DEP_USUBA_")?.strip_suffix("_CIPHER")?;
            let folder = env::var_os(format!("DEP_USUBA_{family}_CSRC"))?;
            Some((name.into_string().ok()?, PathBuf::from(folder)))
        })
        .filter(|(name, _)| name != "common")
        .collect();
    names.sort();
    let read = |(name, folder): (String, PathBuf)| {
        headers(&name, &folder).map(|headers| Cipher { name, folder, headers })
    };
    names.into_iter().map(read).collect()
}

/// What the header of a family declares.
fn headers(name: &str, folder: &Path) -> Result<Vec<header::Header>, String> {
    let width = env::var("CARGO_CFG_TARGET_POINTER_WIDTH").ok().and_then(|bits| bits.parse::<u64>().ok());
    let pointer = width.unwrap_or(64) / 8;
    let file = format!("usuba_{}.h", name.replace('-', "_"));
    let path = folder.join(&file);
    println!("cargo::rerun-if-changed={}", path.display());
    let failed = |message: &dyn std::fmt::Display| format!("{}: {message}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| failed(&error))?;
    let mut headers = header::read(&file, &text, pointer).map_err(|message| failed(&message))?;
    headers.sort_by_key(|header| header.primitive.as_ref().map(|primitive| primitive.stem.clone()));
    Ok(headers)
}

fn build(ciphers: &[Cipher], out: &Path) -> Result<(), String> {
    // For tests that need a primitive: a folder of the repository may get or lose one.
    println!("cargo::rustc-check-cfg=cfg(primitive, values(any()))");
    for primitive in ciphers.iter().flat_map(|cipher| &cipher.headers).flat_map(|header| &header.primitive) {
        println!("cargo::rustc-cfg=primitive=\"{}\"", primitive.name);
    }
    let names: Vec<&str> = ciphers.iter().map(|cipher| cipher.name.as_str()).collect();
    println!("cargo::rustc-env=USUBA_CIPHERS={}", names.join(" "));
    let modules: String = ciphers.iter().map(|cipher| write::module(&cipher.name, &cipher.headers)).collect();
    let tables = write::tables(ciphers.iter().flat_map(|cipher| {
        let module = cipher.name.replace('-', "_");
        cipher.headers.iter().flat_map(|header| &header.primitive).map(move |one| (module.clone(), one))
    }));
    save(&out.join("primitives.rs"), &(modules + &tables));

    // Documentation and type checks need no C: nothing is linked.
    println!("cargo::rerun-if-env-changed=DOCS_RS");
    if ciphers.is_empty() || env::var_os("DOCS_RS").is_some() {
        return Ok(());
    }
    let mut compiler = cc::Build::new();
    compiler.define("USUBA_API", "").std("c99").debug(false).warnings(false);
    for cipher in ciphers {
        let checks = out.join(format!("sizes_{}.c", cipher.name.replace('-', "_")));
        save(&checks, &write::size_checks(&cipher.headers));
        compiler.file(checks).include(&cipher.folder);
    }
    compiler.compile("usuba_sizes");
    Ok(())
}

fn save(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
