//! Known answers can fail. That they pass, on every target, is tested across crates in `tests/known_answers.rs`.

use std::path::{Path as FilePath, PathBuf};
use usuba_ir::layout::Slicing;
use usuba_lang::load::{Loader, load};
use usuba_package::manifest;
use usuba_trial::known_answers::{self, Path, Plan};
use usuba_trial::run::Family;
use usuba_trial::vectors;

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

/// A text of bytes answers in planes, in bits and as it stands, and on general-purpose registers as a text on words.
#[test]
fn bytes_answer_in_all_slicings() {
    let folder = folder("sm4");
    let c = Path::C { target: &usuba_target::machines::GP64, family: Family::Gcc, optimisation: "-O1" };
    let manifest = manifest::parse("usuba.toml", &read(&folder.join("usuba.toml"))).unwrap();
    let loaded = load(&folder.join(&manifest.source).to_string_lossy(), &[], &Disk);
    let primitive = &manifest.primitives[0];
    let path = &primitive.vectors[0];
    let file = vectors::parse(path, &read(&folder.join(path))).unwrap();
    let tests = known_answers::tests_of(primitive, &[(path.clone(), file)]);
    let mut plan = Plan::new(vec![Path::Interpreter, Path::Usuba0, c]);
    plan.compiled_iterations = 1000;
    let report = known_answers::run(primitive, &loaded, &tests, &plan, &mut |_| {});
    assert!(report.is_success(), "{:#?}", report.failures);
    let answered = report.outcomes.iter().filter(|one| one.passed > 100).map(|one| one.way.as_str());
    let expected = [
        "interpreter",
        "Usuba0, slicing b",
        "Usuba0, slicing h",
        "Usuba0, slicing v",
        "Usuba0, slicing v16",
        "gp64 gcc -O1, slicing b",
        "gp64 gcc -O1, slicing h",
        "gp64 gcc -O1, slicing v",
    ];
    assert_eq!(answered.collect::<Vec<_>>(), expected);
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
    let c = Path::C { target: &usuba_target::machines::GP64, family: Family::Gcc, optimisation: "-O1" };
    let mut plan = Plan::new(vec![Path::Interpreter, Path::Usuba0, c]);
    plan.slicings = Some(vec![Slicing::V]);
    let report = known_answers::run(primitive, &loaded, &tests, &plan, &mut |_| {});
    assert!(!report.is_success());
    assert_eq!(report.failures.len(), plan.paths.len(), "{:?}", report.failures);
    for failure in &report.failures {
        assert_eq!(failure.test, name);
        assert!(failure.found.ends_with("(from byte 64)"), "{}", failure.found);
    }
}
