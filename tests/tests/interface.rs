//! The binary interface of a library (docs/stability.md): its name and version, the functions that it shows, and that these, and
//! what programs see of contexts, do not depend on the engines inside.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use usuba_package::engine::Choices;
use usuba_package::library::{self, Options};
use usuba_package::manifest::Primitive;
use usuba_target::{Target, by_name};
use usuba_tests::ciphers::Cipher;

fn first(_: library::Cipher, primitive: &Primitive, _: &'static Target) -> Vec<Choices> {
    primitive.library.iter().take(1).map(|&slicing| Choices::new(slicing)).collect()
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// The library of a block cipher, compiled and installed by its own Makefile; with code for these targets.
fn installed(folder: &Path, targets: &[&'static Target]) -> PathBuf {
    let cipher = Cipher::read("rectangle");
    let read = library::Cipher {
        manifest: &cipher.manifest,
        loaded: &cipher.loaded,
        constructions: &[],
        measured: Some(&cipher.measured),
    };
    let options = Options {
        prefix: "usuba_",
        command: "",
        primitives: &["rectangle-80".to_owned()],
        targets,
        level: None,
        drop_in: false,
        threads: false,
        choose: &first,
    };
    let made = library::build(&[read], &options, &|_| {}).expect("the library is made");
    for file in &made.files {
        let path = folder.join("sources").join(&file.path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, &file.contents).expect("written");
    }
    // With debug information, by which types are compared; nothing is taken out.
    let prefix = folder.join("installed");
    run(Command::new("make")
        .args(["-s", "-C"])
        .arg(folder.join("sources"))
        .args(["install", "CC=gcc", "CFLAGS=-O0 -g", "STRIP=true"])
        .arg(format!("PREFIX={}", prefix.display())));
    prefix
}

/// The functions that a shared object shows, with their versions.
fn shown(object: &Path) -> BTreeSet<String> {
    let all = run(Command::new("nm").args(["-D", "--defined-only"]).arg(object));
    all.lines().filter_map(|line| line.split_whitespace().nth(2)).map(str::to_owned).collect()
}

#[test]
fn name_version_and_functions() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let targets = ["gp64", "avx2"].map(|name| by_name(name).expect("a target"));
    let [all, one] = [("all", &[][..]), ("one", &targets[..])].map(|(name, targets)| {
        let folder = folder.path().join(name);
        (installed(&folder, targets), folder)
    });
    let [(all, _), (one, _)] = [all, one];
    let series: Vec<&str> = env!("CARGO_PKG_VERSION").split('.').take(2).collect();
    let abi = if series[0] == "0" { series.join(".") } else { series[0].to_owned() };

    // The name that programs ask for is that of the installed link, and the version of functions says the same.
    let object = all.join(format!("lib/libusuba.so.{abi}"));
    let name = run(Command::new("readelf").arg("-d").arg(&object));
    assert!(name.contains(&format!("[libusuba.so.{abi}]")), "{name}");
    assert!(name.contains("BIND_NOW"), "{name}");
    let functions = shown(&object);
    let version = format!("USUBA_{abi}");
    assert!(functions.len() > 20, "{functions:?}");
    for function in &functions {
        let is_ours = function.starts_with("usuba_") && function.ends_with(&format!("@@{version}"));
        assert!(is_ours || *function == version, "{function}");
    }

    // Other engines, the same interface.
    let other = one.join(format!("lib/libusuba.so.{abi}"));
    assert_eq!(functions, shown(&other));
    match Command::new("abidiff").args([&object, &other]).output() {
        Ok(difference) => {
            let text = String::from_utf8_lossy(&difference.stdout);
            assert!(difference.status.success() && text.trim().is_empty(), "abidiff: {text}");
        }
        Err(_) => println!("abidiff is not installed: types were not compared"),
    }

    // What a user makes of the static library shows what the user shows.
    let source = folder.path().join("user.c");
    let text = "#include <usuba.h>\n\
                __attribute__((visibility(\"default\"))) int mine(const uint8_t key[10])\n\
                {\n  usuba_rectangle_80_ctx ctx;\n  int result = usuba_rectangle_80_init(&ctx, key);\n  \
                usuba_rectangle_80_wipe(&ctx);\n  return result;\n}\n";
    std::fs::write(&source, text).expect("written");
    let user = folder.path().join("user.so");
    run(Command::new("gcc")
        .args(["-shared", "-fPIC", "-fvisibility=hidden", "-I"])
        .arg(all.join("include"))
        .arg(&source)
        .arg(all.join("lib/libusuba.a"))
        .arg("-o")
        .arg(&user));
    assert_eq!(shown(&user), BTreeSet::from(["mine".to_owned()]));

    // What make installs is found by CMake as well.
    let config = std::fs::read_to_string(all.join("lib/cmake/usuba/usubaConfig.cmake")).expect("installed");
    assert!(config.contains(&format!("libusuba.so.{abi}\"")), "{config}");
    assert!(config.contains(&format!("\"{}/include\"", all.display())), "{config}");
}
