//! Messages of a library that come in pieces are what they are at once, on every level that this machine has; one key size of
//! AES, for which levels have rounds of AES, and a cipher for which none has.

use usuba_package::OutputFile;
use usuba_package::engine::Choices;
use usuba_package::library::{self, Options};
use usuba_package::manifest::Primitive;
use usuba_target::machines::GP64;
use usuba_target::{PLATFORMS, Target, by_name};
use usuba_tests::ciphers::Cipher;
use usuba_trial::run::{Compiler, Family};

/// The first slicing of libraries, in the usual way.
fn first(_: library::Cipher, primitive: &Primitive, _: &'static Target) -> Vec<Choices> {
    primitive.library.iter().map(|&slicing| Choices::new(slicing)).collect()
}

fn check(name: &str, primitive: &str, modes: &[&str], compiler: &Compiler) {
    let cipher = Cipher::read(name);
    let read = library::Cipher {
        manifest: &cipher.manifest,
        loaded: &cipher.loaded,
        constructions: &[],
        measured: Some(&cipher.measured),
    };
    let options = Options {
        prefix: "usuba_",
        command: "",
        primitives: &[primitive.to_owned()],
        targets: &[],
        level: None,
        drop_in: false,
        threads: false,
        choose: &first,
    };
    let made = library::build(&[read], &options, &|_| {}).expect("the library is made");
    let mut files: Vec<OutputFile> = made.files;
    for file in &mut files {
        file.path = file.path.rsplit('/').next().unwrap_or("").to_owned();
    }
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
        let contents = match *mode {
            "cmac" | "gmac" => include_str!("authenticator.c"),
            _ => include_str!("pieces.c"),
        };
        let contents = contents.to_owned();
        sources.push(OutputFile { path: "pieces.c".into(), contents });
        let is_included = |file: &OutputFile| file.path.ends_with(".h") || file.path.ends_with(".inc");
        let headers: Vec<OutputFile> = others.into_iter().filter(is_included).collect();
        let defined = [
            format!("-DMODE={stem}"),
            format!("-DHEADER=\"{stem}.h\""),
            format!("-DHELD={}_HELD_BYTES", stem.to_uppercase()),
            format!("-DNONCE={}", i32::from(*mode == "gmac")),
        ];
        let flags = ["-O1", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-I."];
        let flags: Vec<&str> = flags.into_iter().chain(defined.iter().map(String::as_str)).collect();
        let program =
            compiler.compile_with(&sources, &headers, &flags).unwrap_or_else(|error| panic!("{error}"));
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
    check("aes", "aes-128", &["gcm", "ocb3", "cmac", "gmac"], &compiler);
}

#[test]
fn messages_of_serpent_in_pieces_are_what_they_are_at_once() {
    let compiler = Compiler::native(Family::Gcc).expect("a compiler");
    check("serpent", "serpent-128", &["gcm", "cmac"], &compiler);
}
