//! The ciphers of this repository: their known answers on every path.
//!
//! `USUBA_KIT_TARGETS` (names separated by commas, or `all`) chooses other targets than the default of general-purpose
//! registers and the vectors of this machine.

use std::path::{Path as FilePath, PathBuf};
use usuba_kit::known_answers::{self, Path, Plan, Report};
use usuba_kit::manifest;
use usuba_kit::run::Family;
use usuba_kit::vectors;
use usuba_lang::load::{Loader, load};

struct Disk;

impl Loader for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| error.to_string())
    }

    fn canonical(&self, path: &str) -> Option<String> {
        Some(FilePath::new(path).canonicalize().ok()?.to_string_lossy().into_owned())
    }
}

fn folder(cipher: &str) -> PathBuf {
    FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers").join(cipher)
}

fn read(path: &FilePath) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A wrong answer in a file of vectors is found on every path.
#[test]
fn wrong_answers_are_reported() {
    let folder = folder("chacha20");
    let manifest = manifest::parse("usuba.toml", &read(&folder.join("usuba.toml"))).unwrap();
    let loaded = load(&folder.join(&manifest.source).to_string_lossy(), &[], &Disk);
    let primitive = &manifest.primitives[0];
    let path = &primitive.vectors[0];
    let mut file = vectors::parse(path, &read(&folder.join(path))).unwrap();
    let wrong = file.vectors.iter_mut().find(|vector| vector.output.len() > 100).unwrap();
    wrong.output[77] ^= 4;
    let name = format!("{path}: {}", wrong.id);
    let tests = known_answers::tests_of(primitive, &[(path.clone(), file)]);
    let c = Path::C { target: &usuba_target::machines::GP64, family: Family::Gcc, optimisation: "-O0" };
    let plan = Plan::new(vec![Path::Interpreter, Path::Usuba0, c]);
    let report = known_answers::run(primitive, &loaded, &tests, &plan, &mut |_| {});
    assert!(!report.is_success());
    assert_eq!(report.failures.len(), plan.paths.len(), "{:?}", report.failures);
    for failure in &report.failures {
        assert_eq!(failure.test, name);
        assert!(failure.found.ends_with("(from byte 64)"), "{}", failure.found);
    }
}

/// Runs all tests of all primitives of a cipher on some paths.
fn check(cipher: &str, paths: &[Path], iterations: u32) {
    let folder = folder(cipher);
    let manifest = manifest::parse("usuba.toml", &read(&folder.join("usuba.toml"))).unwrap();
    let loaded = load(&folder.join(&manifest.source).to_string_lossy(), &[], &Disk);
    assert!(!loaded.diagnostics.iter().any(|d| d.is_error()), "{:?}", loaded.diagnostics);
    let mut report = Report::default();
    for primitive in &manifest.primitives {
        let files: Vec<_> = primitive
            .vectors
            .iter()
            .map(|path| (path.clone(), vectors::parse(path, &read(&folder.join(path))).unwrap()))
            .collect();
        let tests = known_answers::tests_of(primitive, &files);
        assert!(tests.len() >= 64, "{} has {} tests", primitive.name, tests.len());
        let mut plan = Plan::new(paths.to_vec());
        plan.interpreted_iterations = iterations;
        report.extend(known_answers::run(primitive, &loaded, &tests, &plan, &mut |_| {}));
    }
    for outcome in &report.outcomes {
        let note = outcome.left_out.as_ref().or(outcome.broken.as_ref());
        println!(
            "{cipher}: {}: {} passed, {} failed, {} skipped {}",
            outcome.way,
            outcome.passed,
            outcome.failed,
            outcome.skipped,
            note.map_or("", String::as_str)
        );
    }
    let broken: Vec<_> = report.outcomes.iter().filter_map(|outcome| outcome.broken.as_ref()).collect();
    assert!(report.is_success(), "{broken:#?}\n{:#?}", report.failures.iter().take(8).collect::<Vec<_>>());
}

fn compiled() -> Vec<Path> {
    let names = std::env::var("USUBA_KIT_TARGETS").unwrap_or_else(|_| "gp64,avx2".into());
    usuba_target::all()
        .iter()
        .filter(|target| names == "all" || names.split(',').any(|name| name == target.name))
        .map(|target| Path::C { target, family: Family::Gcc, optimisation: "-O1" })
        .collect()
}

macro_rules! ciphers {
    ($($name:ident),*) => { $(
        mod $name {
            use super::*;

            #[test]
            fn interpreter() {
                check(stringify!($name), &[Path::Interpreter], 0);
            }

            #[test]
            fn normal_form() {
                check(stringify!($name), &[Path::Usuba0], 100);
            }

            #[test]
            fn compiled_code() {
                check(stringify!($name), &compiled(), 0);
            }
        }
    )* };
}

ciphers!(aes, ascon, chacha20, des, rectangle, serpent);
