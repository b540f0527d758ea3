//! Programs of bytes in planes of bits: every program of `planes/accepted` means what its source means, in planes and in bits, and
//! every one of `planes/refused` gets the message beside it.

mod programs;

use expect_test::expect_file;
use std::path::Path;
use usuba_ir::layout::Slicing;
use usuba_ir::random::Random;
use usuba_lang::load::{Loaded, Text, load};
use usuba_lang::render::{Style, render};
use usuba_lang::{elaborate, interpret, typed};
use usuba_lower::{Loops, Options, elaborated_for, in_planes, lower};

fn loaded(path: &Path) -> Loaded {
    let text = std::fs::read_to_string(path).expect("it can be read");
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    load(&name, &[], &Text(&text))
}

fn typed(loaded: &Loaded, slicing: Slicing) -> typed::Program {
    let (atoms, direction) = elaborated_for(slicing);
    let options = elaborate::Options { atoms, direction, ..elaborate::Options::new() };
    let (program, diagnostics) = elaborate::elaborate(&loaded.program, &options);
    program.unwrap_or_else(|| panic!("{}", render(&diagnostics, &loaded.sources, Style::Plain)))
}

/// The planes of bytes, `group` to a plane: bit i, from the most significant, of plane k is bit 7 - k of byte i.
fn planes(bytes: &[u128], group: usize) -> Vec<u128> {
    let plane = |of: &[u128], k: usize| of.iter().fold(0, |plane, byte| plane << 1 | byte >> (7 - k) & 1);
    bytes.chunks(group).flat_map(|of| (0..8).map(move |k| plane(of, k))).collect()
}

/// Compares the source with what it becomes, on random inputs; the bytes of a plane.
fn check(path: &Path, slicing: Slicing) -> usize {
    let loaded = loaded(path);
    let meaning = typed(&loaded, Slicing::V);
    let instance = meaning.instance(meaning.entry());
    let sliced = typed(&loaded, slicing);
    assert_eq!(in_planes(&sliced, slicing), slicing == Slicing::H);
    let mut random = Random::new(4);
    let mut group = 1;
    for loops in [Loops::Keep, Loops::Unroll, Loops::Sized { least: 16, body: 24 }] {
        let options = Options { loops, ..Options::new(slicing) };
        let made = lower(&sliced, &loaded.sources, &options)
            .unwrap_or_else(|found| panic!("{}", render(&found, &loaded.sources, Style::Plain)));
        usuba_ir::check::check(&made).unwrap_or_else(|flaws| panic!("{flaws:?}\n{made}"));
        group = made.entry().inputs[0].ty.layout.width() as usize;
        for _ in 0..24 {
            let bytes = |&input: &typed::VariableId| -> Vec<u128> {
                (0..instance.variable(input).atoms()).map(|_| random.wide() & 0xff).collect()
            };
            let inputs: Vec<Vec<u128>> = instance.inputs.iter().map(bytes).collect();
            let of = |words: Vec<Vec<u128>>| -> Vec<Vec<u128>> {
                words.iter().map(|bytes| planes(bytes, group)).collect()
            };
            let expected = of(interpret::interpret(&meaning, &inputs));
            let found = usuba_ir::interpret::interpret(&made, &of(inputs));
            assert_eq!(found, expected, "{} {slicing} {loops:?}\n{made}", path.display());
        }
    }
    group
}

#[test]
fn programs_in_planes_mean_what_their_sources_mean() {
    let mut groups = Vec::new();
    for path in programs::programs("planes/accepted") {
        groups.push(check(&path, Slicing::H));
        assert_eq!(check(&path, Slicing::B), 1);
    }
    // images, loops, operations, pairs, unlike
    assert_eq!(groups, [4, 4, 16, 2, 4]);
}

#[test]
fn what_takes_bytes_out_of_groups_is_refused() {
    for path in programs::programs("planes/refused") {
        let loaded = loaded(&path);
        let found = match lower(&typed(&loaded, Slicing::H), &loaded.sources, &Options::new(Slicing::H)) {
            Ok(made) => panic!("{} is accepted:\n{made}", path.display()),
            Err(found) => found,
        };
        expect_file![path.with_extension("txt")].assert_eq(&render(&found, &loaded.sources, Style::Plain));
    }
}
