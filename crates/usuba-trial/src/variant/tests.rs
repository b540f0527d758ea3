use super::*;
use expect_test::{Expect, expect};
use std::collections::BTreeSet;

#[test]
fn variants_print_and_parse() {
    for variant in all(&[Slicing::B, Slicing::V, Slicing::H]) {
        assert_eq!(variant.to_string().parse::<Variant>(), Ok(variant));
    }
    let usual = Variant::new(Slicing::H).by(Family::Clang).through(Backend::Assembly);
    assert_eq!(usual.to_string(), "slicing=h backend=asm compiler=clang");
    assert_eq!(usual.compiler(), Family::Clang);
    assert_eq!(usual.backend(), Backend::Assembly);
    assert_eq!(usual.slicing(), Slicing::H);
}

#[test]
fn every_slicing_can_be_chosen() {
    for slicing in Slicing::ALL {
        assert_eq!(Variant::new(slicing).slicing(), slicing);
    }
    assert_eq!(KNOBS[SLICING].values.len(), Slicing::ALL.len());
}

#[test]
fn enumeration_is_complete_and_always_the_same() {
    let variants = all(&[Slicing::B, Slicing::H]);
    let ways: usize = KNOBS.iter().skip(1).map(|knob| knob.values.len()).product();
    assert_eq!(variants.len(), 2 * ways);
    assert_eq!(variants.iter().collect::<BTreeSet<_>>().len(), variants.len());
    assert_eq!(variants, all(&[Slicing::B, Slicing::H]));
    let singles: usize = KNOBS.iter().map(|knob| knob.values.len() - 1).sum();
    let neighbours: Vec<Variant> = Variant::new(Slicing::B).neighbours().collect();
    assert_eq!(neighbours.len(), singles);
    assert!(neighbours.iter().all(|one| one.neighbours().any(|back| back == Variant::new(Slicing::B))));
}

#[test]
fn every_value_but_the_compiler_means_something() {
    // Granularity is of interleaved code alone.
    let usual = Variant::new(Slicing::V).set("interleave", "2").unwrap();
    for variant in usual.neighbours().filter(|one| one.by(Family::Gcc) != usual) {
        assert_ne!(format!("{:?}", variant.choices()), format!("{:?}", usual.choices()), "{variant}");
    }
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&text.parse::<Variant>().unwrap_err());
}

#[test]
fn what_cannot_be_chosen() {
    check("slicing=x", expect!["`slicing` cannot be `x`; it can be b, v, h, v4, v2, v8, v16"]);
    check(
        "slicing=b speed=high",
        expect![
            "there is nothing to choose that is called `speed`; there are slicing, backend, compiler, interleave, granularity, loops, split, inline, circuits, order"
        ],
    );
    check("slicing=b backend", expect!["`backend` is no choice: write NAME=VALUE"]);
    check("backend=c", expect!["the slicing is not chosen: write slicing=b, slicing=v or slicing=h"]);
}

#[test]
fn the_manual_names_every_knob_and_value() {
    let manual = include_str!("../../../../docs/bench.md");
    for knob in &KNOBS {
        let names = |row: &str| knob.values.iter().all(|value| row.contains(&format!("`{value}`")));
        let mut rows = manual.lines().filter(|line| line.starts_with(&format!("| `{}` |", knob.name)));
        assert!(rows.any(names), "docs/bench.md has no row with every value of `{}`", knob.name);
    }
}
