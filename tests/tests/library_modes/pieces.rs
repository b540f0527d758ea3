//! Messages of a library that come in pieces are what they are at once, on every level that this machine has; one key size of
//! AES, for which levels have rounds of AES, and a cipher for which none has.

use super::{flags, library_of, objects};
use usuba_package::OutputFile;
use usuba_target::machines::GP64;
use usuba_target::{PLATFORMS, Target, by_name};
use usuba_tests::ciphers::Cipher;
use usuba_trial::run::{Compiler, Family};

fn check(name: &str, primitive: &str, modes: &[&str], compiler: &Compiler) {
    let objects = objects();
    let files = library_of(&Cipher::read(name), &[primitive.to_owned()]);
    for mode in modes {
        // The table would have to have all modes.
        let stem = format!("usuba_{}_{mode}", primitive.replace('-', "_"));
        let own = |file: &&OutputFile| {
            let others = ["gcm", "ocb3", "ccm", "gmac", "cmac", "cbc", "cfb", "cfb8", "ofb", "xts"];
            let of = |other: &str| {
                file.path.contains(&format!("_{other}.")) || file.path.contains(&format!("_{other}_"))
            };
            // Files of several modes share texts.
            file.path.ends_with(".inc")
                || !file.path.contains("primitives.")
                    && others.iter().all(|other| other == mode || !of(other))
        };
        let (mut sources, others): (Vec<OutputFile>, Vec<OutputFile>) = files
            .iter()
            .filter(own)
            .cloned()
            .partition(|file| file.path.ends_with(".c") || file.path.ends_with(".S"));
        let program = match *mode {
            "cmac" | "gmac" => include_str!("authenticator.c"),
            _ => include_str!("pieces.c"),
        };
        // The flags are the same for all, so that objects are shared.
        let contents = format!(
            "#define MODE {stem}\n#define HELD {}_HELD_BYTES\n#define NONCE {}\n#include \"{stem}.h\"\n{program}",
            stem.to_uppercase(),
            i32::from(*mode == "gmac")
        );
        sources.push(OutputFile { path: "pieces.c".into(), contents });
        let is_included = |file: &OutputFile| file.path.ends_with(".h") || file.path.ends_with(".inc");
        let headers: Vec<OutputFile> = others.into_iter().filter(is_included).collect();
        let program = objects.compile(compiler, &sources, &headers, &flags());
        let program = program.unwrap_or_else(|error| panic!("{error}"));
        let levels =
            PLATFORMS.iter().find(|platform| platform.name == "x86-64").map_or(&[][..], |one| one.levels);
        let runs = |target: &&&Target| {
            target.name == GP64.name
                || by_name(target.name).is_some_and(|target| Compiler::find(target, Family::Gcc).is_ok())
        };
        let mut ran = 0;
        for target in levels.iter().filter(runs) {
            let environment = [("USUBA_TARGET", target.name)];
            let answer = program.run_asked(&[], &[], &environment);
            let answer = answer.unwrap_or_else(|error| panic!("{stem} on {}: {error}", target.name));
            let said = String::from_utf8_lossy(&answer).into_owned();
            assert_eq!(
                said,
                if mode.ends_with("mac") { "903\n" } else { "1204\n" },
                "{stem} on {}",
                target.name
            );
            ran += 1;
        }
        assert!(ran >= 2, "only {ran} levels ran");
    }
}

#[test]
fn messages_of_aes_in_pieces_are_what_they_are_at_once() {
    let compiler = Compiler::native(Family::Gcc).expect("a compiler");
    check("aes", "aes-256", &["gcm", "ocb3", "cmac", "gmac"], &compiler);
}

#[test]
fn messages_of_serpent_in_pieces_are_what_they_are_at_once() {
    let compiler = Compiler::native(Family::Gcc).expect("a compiler");
    check("serpent", "serpent-128", &["gcm", "cmac"], &compiler);
}
