//! Modes in a library give their known answers on every level that this machine has: through the table of what the library has,
//! and with contexts that were wiped, sizes that no mode takes, and messages of which a bit was changed; and many messages at once
//! are what they are one by one; messages in pieces are what they are at once ([`pieces`]). A library is made once for all of it, and
//! its objects too.
//!
//! One key size of AES, for which levels have rounds of AES, and two ciphers for which none has; with `USUBA_WAYS=all` every cipher
//! that has modes, by both compilers.

mod around;
mod pieces;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use usuba_package::OutputFile;
use usuba_package::engine::Choices;
use usuba_package::library::{self, Options};
use usuba_package::manifest::{Function, Primitive};
use usuba_target::machines::GP64;
use usuba_target::{PLATFORMS, Target, by_name};
use usuba_tests::ciphers::{CIPHERS, Cipher, root};
use usuba_tests::lines::{USUAL_CHAINS, lines};
use usuba_tests::ways;
use usuba_trial::run::{Compiler, Family, SharedObjects, WeakObjects};

/// What compares many messages at once with each by itself.
const BATCHES: [&str; 3] = ["batches.c", "batches.h", "guarded.h"];

/// The first slicing of libraries, in the usual way.
fn first(_: library::Cipher, primitive: &Primitive, _: &'static Target) -> Vec<Choices> {
    primitive.library.iter().map(|&slicing| Choices::new(slicing)).collect()
}

/// Ciphers with modes, and which of their primitives are compiled.
fn chosen() -> Vec<(String, Vec<String>)> {
    if !ways::all() {
        return [("aes", "aes-256"), ("rectangle", "rectangle-128"), ("gift", "giftb-128")]
            .map(|(cipher, name)| (cipher.to_owned(), vec![name.to_owned()]))
            .into();
    }
    let has_modes = |one: &Primitive| match &one.function {
        Function::BlockCipher(cipher) => cipher.modes.iter().any(|mode| !mode.is_of_engines()),
        _ => false,
    };
    let all = CIPHERS.iter().map(|name| {
        let primitives = Cipher::read(name).manifest.primitives;
        ((*name).to_owned(), primitives.into_iter().filter(has_modes).map(|one| one.name).collect::<Vec<_>>())
    });
    all.filter(|(_, names)| !names.is_empty()).collect()
}

/// The files of a library of these primitives, by their names without folders.
fn library_of(cipher: &Cipher, primitives: &[String]) -> Arc<Vec<OutputFile>> {
    type Made = Arc<OnceLock<Arc<Vec<OutputFile>>>>;
    static MADE: Mutex<BTreeMap<Vec<String>, Made>> = Mutex::new(BTreeMap::new());
    let entry =
        MADE.lock().unwrap_or_else(PoisonError::into_inner).entry(primitives.to_vec()).or_default().clone();
    let make = || {
        let read = library::Cipher {
            manifest: &cipher.manifest,
            loaded: &cipher.loaded,
            constructions: &[],
            measured: Some(&cipher.measured),
        };
        let options = Options {
            prefix: "usuba_",
            command: "",
            primitives,
            targets: &[],
            level: None,
            drop_in: false,
            threads: false,
            choose: &first,
        };
        let mut files = library::build(&[read], &options, &|_| {}).expect("the library is made").files;
        for file in &mut files {
            file.path = file.path.rsplit('/').next().unwrap_or("").to_owned();
        }
        Arc::new(files)
    };
    entry.get_or_init(make).clone()
}

/// How a library is compiled, beside the level of optimisation.
const FLAGS: [&str; 6] = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-I."];

/// What is optimised away is not seen; compiling is most of the time.
fn flags() -> Vec<&'static str> {
    [if ways::all() { "-O2" } else { "-O0" }].into_iter().chain(FLAGS).collect()
}

/// The objects that other tests of this program have compiled, or none yet. They go with the last test that has them.
fn objects() -> SharedObjects {
    static OTHERS: Mutex<WeakObjects> = Mutex::new(WeakObjects::new());
    let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    let objects = others.upgrade().unwrap_or_default();
    *others = objects.downgrade();
    objects
}

fn check(name: &str, primitives: &[String]) {
    let (cipher, objects) = (Cipher::read(name), objects());
    let mut files: Vec<OutputFile> = library_of(&cipher, primitives).to_vec();
    let table = ["table.c", "lines.h"].map(|file| ("tests/tests/provider", file));
    for (folder, file) in table.into_iter().chain(BATCHES.map(|file| ("tests/library", file))) {
        let contents = std::fs::read_to_string(root().join(folder).join(file)).unwrap();
        files.push(OutputFile { path: file.to_owned(), contents });
    }
    let (sources, others): (Vec<OutputFile>, Vec<OutputFile>) =
        files.into_iter().partition(|file| file.path.ends_with(".c") || file.path.ends_with(".S"));
    let is_included = |file: &OutputFile| file.path.ends_with(".h") || file.path.ends_with(".inc");
    let headers: Vec<OutputFile> = others.into_iter().filter(is_included).collect();
    let is_of = |name: &str, one: &str| {
        name.strip_prefix(one).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    // The name of one primitive may begin with that of another.
    let others: Vec<&String> = cipher
        .manifest
        .primitives
        .iter()
        .map(|one| &one.name)
        .filter(|one| !primitives.contains(one))
        .collect();
    let is_asked = |line: &String| {
        let mut words = line.split(' ').skip(1);
        let name = words.next().unwrap_or("");
        let is_longer =
            |one: &String| others.iter().any(|other| other.len() > one.len() && is_of(name, other));
        primitives.iter().any(|one| is_of(name, one) && !is_longer(one))
    };
    let mut asked = String::new();
    let all = lines(&cipher, USUAL_CHAINS);
    for line in all.iter().filter(|line| line.for_table()).map(ToString::to_string).filter(is_asked) {
        writeln!(asked, "{line}").unwrap();
    }
    for family in if ways::all() { &[Family::Gcc, Family::Clang][..] } else { &[Family::Gcc] } {
        let compiler = Compiler::native(*family).expect("a compiler");
        let program = objects.compile(&compiler, &sources, &headers, &flags());
        let program = program.unwrap_or_else(|error| panic!("{error}"));
        let levels =
            PLATFORMS.iter().find(|platform| platform.name == "x86-64").map_or(&[][..], |one| one.levels);
        let runs = |target: &&&Target| {
            target.name == GP64.name
                || by_name(target.name).is_some_and(|target| Compiler::find(target, Family::Gcc).is_ok())
        };
        for target in levels.iter().filter(runs) {
            let environment = [("USUBA_TARGET", target.name)];
            let answer = program.run_asked(&[], asked.as_bytes(), &environment);
            let answer = answer.unwrap_or_else(|error| panic!("{name} on {}: {error}", target.name));
            let counts = String::from_utf8(answer).unwrap();
            assert!(counts.lines().count() > primitives.len(), "{counts}");
            assert!(!counts.lines().any(|line| line.ends_with(" 0")), "no known answers: {counts}");
        }
    }
    println!("{name}: {} known answers", asked.lines().count());
}

#[test]
fn known_answers() {
    let chosen = chosen();
    // Compilers take the time, for which one core each is enough.
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((cipher, primitives)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(cipher, primitives);
                }
            });
        }
    });
}
