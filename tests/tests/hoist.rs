//! Ciphers whose nodes take the key and have the key schedule inside: it is computed once a key, and the answers are those
//! of the ciphers with a schedule apart.

use usuba_ir::layout::Slicing;
use usuba_package::engine::Choices;
use usuba_package::library;
use usuba_tests::ciphers::{Cipher, root};
use usuba_trial::known_answers::{CipherFunction, Path, Plan, Request, Test, run};
use usuba_trial::run::Family;

fn inside(name: &str) -> Cipher {
    Cipher::at(root().join("tests/ciphers/schedule-inside"), &format!("{name}.toml"))
}

const ROLES: [&str; 2] = ["encrypt", "decrypt"];

/// Operations of the kernel of each direction, as they run for one batch.
fn operations(cipher: &Cipher, slicing: Slicing, target: &str) -> [u64; 2] {
    let target = usuba_target::by_name(target).expect("a target");
    let library =
        library::one_level(&cipher.manifest.primitives[0], &cipher.loaded, target, &Choices::new(slicing));
    let library = library.unwrap_or_else(|error| panic!("{error}"));
    ROLES.map(|role| {
        let kernel = library.kernels.iter().find(|(name, _)| *name == role).expect("it has this role");
        kernel.1.kernel.report.instructions_run()
    })
}

fn check(name: &str, foreign: &str) {
    let (inside, apart) = (inside(name), Cipher::read(name));
    let [whole, ..] = &inside.manifest.primitives[..] else { panic!("it has a primitive") };
    let [ordinary, ..] = &apart.manifest.primitives[..] else { panic!("it has a primitive") };
    assert_eq!(whole.name, ordinary.name);
    for &slicing in &whole.slicings {
        for target in ["gp64", "avx2", "avx512", "neon"] {
            let [inside, apart] = [&inside, &apart].map(|cipher| operations(cipher, slicing, target));
            for (role, (with, without)) in ROLES.into_iter().zip(inside.into_iter().zip(apart)) {
                // Reads may be one more or less; a schedule is hundreds of operations.
                assert!(
                    100 * with <= 102 * without,
                    "{name}, {slicing}, {target}, {role}: {with} instructions, {without} with the schedule apart"
                );
            }
        }
    }
    let mut tests = apart.tests(ordinary);
    // There are no round keys to ask for.
    tests.retain(|test| {
        !matches!(test.request, Request::RoundKeys { .. })
            && !matches!(test.request, Request::Chain { iterations, .. } if iterations > 1000)
    });
    assert!(tests.len() >= 50, "{} known answers", tests.len());
    let decrypts =
        |test: &Test| matches!(test.request, Request::Blocks { direction: CipherFunction::Inverse, .. });
    assert!(tests.iter().any(decrypts));
    let mut paths = vec![Path::Interpreter, Path::Usuba0];
    for (target, family) in
        [("gp64", Family::Gcc), ("avx2", Family::Clang), ("avx512", Family::Gcc), (foreign, Family::Gcc)]
    {
        if let Some(target) = usuba_target::by_name(target) {
            paths.push(Path::C { target, family, optimisation: "-O1" });
        }
    }
    let mut plan = Plan::new(paths);
    plan.interpreted_iterations = 1000;
    plan.compiled_iterations = 1000;
    let report = run(whole, &inside.loaded, &tests, &plan, &mut |_| {});
    assert!(report.is_success(), "{name}: {:#?}", report.failures.iter().take(4).collect::<Vec<_>>());
    assert!(report.passed > 0);
}

#[test]
fn present() {
    check("present", "neon");
}

#[test]
fn rectangle() {
    check("rectangle", "altivec");
}

/// Round keys become masks in registers of 64 bits, for which there has to be room on the stack: where what is made of them saves
/// little of a batch, nothing is made.
#[test]
fn what_is_made_of_a_key_is_worth_its_stack() {
    for (cipher, primitive, is_made) in [("gift", "gift-64", true), ("skinny", "skinny-128-256", false)] {
        let cipher = Cipher::read(cipher);
        let primitive =
            cipher.manifest.primitives.iter().find(|one| one.name == primitive).expect("a primitive");
        let target = usuba_target::by_name("avx2").expect("a target");
        let library = library::one_level(primitive, &cipher.loaded, target, &Choices::new(Slicing::B))
            .expect("it compiles");
        let makes = library.files.iter().any(|file| file.contents.contains("uint64_t made["));
        assert_eq!(makes, is_made, "{}", primitive.name);
    }
}
