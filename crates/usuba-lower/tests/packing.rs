//! Words packed into groups: every program of `packing/accepted` means what its source means, and every one of
//! `packing/refused` gets the message beside it.

mod programs;

use expect_test::expect_file;
use std::path::Path;
use usuba_ir::layout::Slicing;
use usuba_ir::random::Random;
use usuba_lang::load::{Loaded, Text, load};
use usuba_lang::render::{Style, render};
use usuba_lang::{elaborate, interpret, typed};
use usuba_lower::{Loops, Options, lower};

fn loaded(path: &Path, entry: Option<&str>) -> (Loaded, typed::Program) {
    let text = std::fs::read_to_string(path).expect("it can be read");
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let loaded = load(&name, &[], &Text(&text));
    let options = elaborate::Options { entry: entry.map(str::to_owned), ..elaborate::Options::new() };
    let (program, diagnostics) = elaborate::elaborate(&loaded.program, &options);
    let program =
        program.unwrap_or_else(|| panic!("{}", render(&diagnostics, &loaded.sources, Style::Plain)));
    (loaded, program)
}

/// Compares the source with the packed program on random inputs.
fn check(path: &Path, entry: Option<&str>) {
    let (loaded, program) = loaded(path, entry);
    let instance = program.instance(program.entry());
    let mut random = Random::new(4);
    for loops in [Loops::Keep, Loops::Unroll, Loops::Sized { least: 16, body: 24 }] {
        let options = Options { loops, ..Options::new(Slicing::Packed(4)) };
        let packed = match lower(&program, &loaded.sources, &options) {
            Ok(packed) => packed,
            Err(found) => {
                panic!("{}:\n{}", path.display(), render(&found, &loaded.sources, Style::Plain))
            }
        };
        usuba_ir::check::check(&packed).unwrap_or_else(|flaws| panic!("{flaws:?}\n{packed}"));
        for _ in 0..8 {
            let inputs: Vec<Vec<u128>> = instance
                .inputs
                .iter()
                .map(|&input| {
                    (0..instance.variable(input).atoms()).map(|_| random.wide() & 0xffff_ffff).collect()
                })
                .collect();
            let expected: Vec<u128> = interpret::interpret(&program, &inputs).concat();
            let mut groups = inputs.concat();
            groups = groups
                .chunks(4)
                .map(|words| words.iter().fold(0, |group, word| group << 32 | word))
                .collect();
            let mut groups = groups.into_iter();
            let inputs: Vec<Vec<u128>> = packed
                .entry()
                .inputs
                .iter()
                .map(|input| groups.by_ref().take(input.ty.atoms() as usize).collect())
                .collect();
            let found: Vec<u128> = usuba_ir::interpret::interpret(&packed, &inputs)
                .concat()
                .into_iter()
                .flat_map(|group| (0..4).rev().map(move |word| group >> (32 * word) & 0xffff_ffff))
                .collect();
            assert_eq!(found, expected, "{} {loops:?}\n{packed}", path.display());
        }
    }
}

#[test]
fn packed_programs_mean_what_their_sources_mean() {
    for path in programs::programs("packing/accepted") {
        check(&path, None);
    }
}

#[test]
fn ciphers_on_rows_mean_the_same_packed() {
    let ciphers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ciphers");
    check(&ciphers.join("chacha20/chacha20.ua"), Some("Block"));
    check(&ciphers.join("gimli/gimli.ua"), None);
}

#[test]
fn what_takes_words_out_of_groups_is_refused() {
    for path in programs::programs("packing/refused") {
        let (loaded, program) = loaded(&path, None);
        let found = match lower(&program, &loaded.sources, &Options::new(Slicing::Packed(4))) {
            Ok(packed) => panic!("{} is accepted:\n{packed}", path.display()),
            Err(found) => found,
        };
        expect_file![path.with_extension("txt")].assert_eq(&render(&found, &loaded.sources, Style::Plain));
    }
}
