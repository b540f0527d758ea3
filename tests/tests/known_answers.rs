//! Known answers of every cipher: through the reference interpreter, through Usuba0 after all passes in every slicing that
//! the manifest names, and through C by gcc and by clang. Both directions, round keys, bulk entries, chains of a thousand,
//! counter mode and streams, and for compiled code the modes at all lengths.
//!
//! A normal run goes a part of the compiled ways, chosen by [`usuba_tests::sample`] so that the first primitive of each folder goes
//! by the portable target, the widest vectors of this CPU, an emulated target and both compilers, and in each of its slicings, every
//! other primitive by one way, and every triple of slicing, target and compiler is gone by some primitives. What a normal run can
//! miss is a fault that shows only in one primitive on one target by one compiler. `USUBA_WAYS=all` goes all ways
//! (`make test-long`), and so does `USUBA_TARGETS=gp64,avx2` for the targets it names.
//!
//! Foreign targets run under an emulator. A target that this CPU lacks is left out and said so; a missing compiler or
//! emulator is a failure (`make setup` installs them). What each cipher costs is printed.

use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;
use usuba_ir::layout::Slicing;
use usuba_target::Target;
use usuba_tests::ciphers::{CIPHERS, Cipher};
use usuba_tests::sample::{Subject, Way, house, offered, sample};
use usuba_tests::ways;
use usuba_trial::known_answers::{Path, Plan, Report, Request, Test, run};
use usuba_trial::run::{Compiler, Family, RunError, SharedObjects, WeakObjects};

/// The longest chain that every way is asked.
const LONGEST: u32 = 1000;

/// The primitives, and the ways of each on the targets that this CPU or an emulator runs.
struct Matrix {
    house: Vec<Subject>,
    ways: Vec<Vec<Way>>,
}

fn matrix() -> &'static Matrix {
    static MATRIX: OnceLock<Matrix> = OnceLock::new();
    MATRIX.get_or_init(|| {
        let chosen = std::env::var("USUBA_TARGETS").ok();
        let all = chosen.is_some() || ways::all();
        let wanted = |name: &str| chosen.as_ref().is_none_or(|names| names.split(',').any(|one| one == name));
        let mut targets: Vec<&'static Target> = Vec::new();
        for target in usuba_target::all().iter().copied().filter(|target| wanted(target.name)) {
            match Compiler::find(target, Family::Gcc) {
                Err(error @ RunError::Features { .. }) => say(&format!("left out: {error}")),
                _ => targets.push(target),
            }
        }
        let house = house(&CIPHERS, &targets);
        let ways = if all { house.iter().map(offered).collect() } else { sample(&house, &targets) };
        Matrix { house, ways }
    })
}

/// The objects that other tests of this program have compiled, or none yet. They go with the last test that has them.
fn objects() -> SharedObjects {
    static OTHERS: Mutex<WeakObjects> = Mutex::new(WeakObjects::new());
    let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    let objects = others.upgrade().unwrap_or_default();
    *others = objects.downgrade();
    objects
}

/// Says something that the test runner does not swallow.
fn say(words: &str) {
    let _ = writeln!(std::io::stderr(), "{words}");
}

fn check(name: &str) {
    let matrix = matrix();
    let started = Instant::now();
    let cipher = Cipher::read(name);
    let mut plan = Plan::new(vec![Path::Interpreter, Path::Usuba0]);
    plan.interpreted_iterations = LONGEST;
    plan.compiled_iterations = LONGEST;
    plan.objects = objects();
    let mut total = Report::default();
    for primitive in &cipher.manifest.primitives {
        let tests = cipher.tests(primitive);
        assert!(tests.len() >= 64, "{} has only {} known answers", primitive.name, tests.len());
        let longer =
            |test: &&Test| matches!(test.request, Request::Chain { iterations, .. } if iterations > LONGEST);
        let skipped = tests.iter().filter(longer).count();
        let mut report = run(primitive, &cipher.loaded, &tests, &plan, &mut |_| {});
        let subject = format!("{name}/{}", primitive.name);
        let Some(place) = matrix.house.iter().position(|one| one.name == subject) else {
            panic!("{subject} is not in the house")
        };
        for &slicing in &primitive.slicings {
            let mut plan = plan.clone();
            plan.slicings = Some(vec![slicing]);
            let ways = matrix.ways[place].iter().filter(|way| way.slicing == slicing);
            let path =
                |way: &Way| Path::C { target: way.target, family: way.family, optimisation: way.level };
            plan.paths = ways.map(path).collect();
            let compiled = run(primitive, &cipher.loaded, &tests, &plan, &mut |_| {});
            let nowhere = compiled.outcomes.iter().all(|outcome| outcome.left_out.is_some());
            assert!(
                !nowhere || plan.paths.is_empty(),
                "{subject}, slicing {slicing}: {:?}",
                compiled.outcomes
            );
            report.extend(compiled);
        }
        for outcome in &report.outcomes {
            if let Some(reason) = &outcome.left_out {
                say(&format!("{}: {}: left out: {reason}", primitive.name, outcome.way));
                assert!(reason.contains("has no code"), "{}: {reason}", outcome.way);
            } else {
                println!(
                    "{}: {}: {} passed, {} failed",
                    primitive.name, outcome.way, outcome.passed, outcome.failed
                );
                assert_eq!(outcome.skipped, skipped, "{}: {}", primitive.name, outcome.way);
            }
        }
        total.extend(report);
    }
    say(&format!(
        "{name}: {} ways, {} passed, {} failed in {:.0?}",
        total.outcomes.len(),
        total.passed,
        total.failed,
        started.elapsed()
    ));
    let broken: Vec<_> = total.outcomes.iter().filter_map(|outcome| outcome.broken.as_ref()).collect();
    assert!(total.is_success(), "{broken:#?}\n{:#?}", total.failures.iter().take(8).collect::<Vec<_>>());
}

macro_rules! ciphers {
    ($($name:ident),*) => {
        const TESTED: &[&str] = &[$(stringify!($name)),*];
        $(#[test] fn $name() { check(stringify!($name)); })*
    };
}

ciphers!(
    ace,
    aes,
    aria,
    ascon,
    camellia,
    chacha20,
    clyde,
    des,
    gift,
    gimli,
    keccak,
    kuznyechik,
    lea,
    led,
    magma,
    midori,
    noekeon,
    photon,
    present,
    prince,
    pyjamask,
    rectangle,
    serpent,
    shadow,
    simon,
    skinny,
    sm4,
    speck,
    spongent,
    subterranean,
    trivium,
    xoodoo
);

/// The standard of SM4 has a chain of a million blocks; one way is enough for it.
#[test]
fn chains_of_a_million() {
    let cipher = Cipher::read("sm4");
    let primitive = &cipher.manifest.primitives[0];
    let mut tests = cipher.tests(primitive);
    tests.retain(|test| matches!(test.request, Request::Chain { iterations, .. } if iterations > LONGEST));
    let gp64 = usuba_target::by_name("gp64").expect("a target");
    let mut plan = Plan::new(vec![Path::C { target: gp64, family: Family::Gcc, optimisation: "-O2" }]);
    plan.slicings = Some(vec![Slicing::H]);
    plan.modes = false;
    let report = run(primitive, &cipher.loaded, &tests, &plan, &mut |_| {});
    assert_eq!((report.passed, report.failed, report.skipped), (1, 0, 0), "{:#?}", report.outcomes);
}

#[test]
fn every_cipher_is_listed() {
    let mut folders: Vec<String> = std::fs::read_dir(usuba_tests::ciphers::root().join("ciphers"))
        .expect("the ciphers are there")
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    assert_eq!(folders, CIPHERS, "left: folders; right: CIPHERS in tests/src/ciphers.rs");
    assert_eq!(folders, TESTED, "left: folders; right: ciphers!(…) in this file");
}
