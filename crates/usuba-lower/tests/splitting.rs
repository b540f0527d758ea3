//! Which nodes are split into the bits of their words, and that they mean the same.

use expect_test::{Expect, expect};
use usuba_ir::layout::Slicing;
use usuba_ir::random::Random;
use usuba_lang::elaborate;
use usuba_lang::interpret;
use usuba_lang::load::{Text, load};
use usuba_lang::render::{Style, render};
use usuba_lower::{Loops, Options, Split, lower};

/// Compares the nodes of a program, with their loops, all bitwise nodes split and all loops kept; and what it computes, split
/// or not, with the typed program.
fn check(text: &str, expected: Expect) {
    check_with(text, Split::All, expected);
}

fn check_with(text: &str, split: Split, expected: Expect) {
    let loaded = load("test.ua", &[], &Text(text));
    let usual = Options { split, ..Options::new(Slicing::B) };
    let (program, diagnostics) = elaborate::elaborate(
        &loaded.program,
        &elaborate::Options { atoms: usual.atoms(), ..elaborate::Options::new() },
    );
    let program =
        program.unwrap_or_else(|| panic!("{}", render(&diagnostics, &loaded.sources, Style::Plain)));
    let lowered = |options: &Options| {
        let lowered = lower(&program, &loaded.sources, options)
            .unwrap_or_else(|found| panic!("{}", render(&found, &loaded.sources, Style::Plain)));
        usuba_ir::check::check(&lowered).unwrap_or_else(|flaws| panic!("{flaws:?}\n{lowered}"));
        lowered
    };
    let mut random = Random::new(7);
    for loops in [Loops::Keep, Loops::Unroll, usual.loops] {
        let split = lowered(&Options { loops, ..usual });
        for _ in 0..8 {
            let inputs: Vec<Vec<u128>> = split
                .entry()
                .inputs
                .iter()
                .map(|input| (0..input.ty.atoms()).map(|_| random.wide() & 1).collect())
                .collect();
            let expected = interpret::interpret(&program, &inputs);
            assert_eq!(usuba_ir::interpret::interpret(&split, &inputs), expected, "{loops:?}\n{split}");
        }
    }
    let text = lowered(&Options { loops: Loops::Keep, ..usual }).to_string();
    let lines: Vec<String> = text
        .lines()
        .filter_map(|line| match line.split_once("= loop ") {
            Some((_, rest)) => Some(format!("  loop {}", rest.split(" carry").next().unwrap_or(rest))),
            None => line.split(" (").next().filter(|start| start.starts_with("node ")).map(str::to_owned),
        })
        .collect();
    expected.assert_eq(&format!("{}\n", lines.join("\n")));
}

/// A round around a node.
fn round(node: &str) -> String {
    format!(
        "{node}
        node Round (x:u16x4) returns (y:u16x4)
        vars z:u16x4
        let z = F(x); y = (z[0] <<< 1, z[1], z[2] >>> 3, z[3]) tel"
    )
}

/// Whatever the number of words, and with loops of its own; the node around it rotates.
#[test]
fn bitwise_equations() {
    check(
        &round(
            "node F (x:u16x4) returns (y:u16x4)
            vars t:u16[4]
            let
                forall i in [0,3] { t[i] = x[i] ^ (~x[(i+1)%4] & x[(i+2)%4]) }
                y = (t[3], t[0] ^ 0xffff, t[1] | 0, x[2])
            tel",
        ),
        expect![[r#"
            node F'column16
              loop i0 < 4
            node F
              loop i0 < 16
            node Round
        "#]],
    );
}

/// Equations on vectors of four words have 64 columns; on rows of them they have one equation.
#[test]
fn the_largest_number_of_columns() {
    check(
        "node Chi (x:u16x4[3]) returns (y:u16x4[3])
        let forall i in [0,2] { y[i] = x[i] ^ (~x[(i+1)%3] & x[(i+2)%3]) } tel",
        expect![[r#"
            node Chi'column64
              loop i0 < 3
            node Chi
              loop i0 < 64
        "#]],
    );
}

/// In the columns of a node are those of what it calls: a table, a permutation that moves whole words, a node, though alone
/// that has four times as many.
#[test]
fn callees_are_split_along() {
    check(
        "table S (x:v4) returns (y:v4) { 12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2 }
            perm Words (x:u2[4]) returns (y:u2[4]) { 3, 4, 1, 2, 5, 6, 7, 8 }
            node Mix (x, k:u2x4) returns (y:u2x4) let y = x ^ ~k tel
            node F (x:u2x4) returns (y:u2x4)
            let y = Mix(S(x), Words(x) << 1) tel",
        expect![[r#"
            node Mix'column2
            node S'column2
            node F'column2
            node F
              loop i0 < 2
        "#]],
    );
}

/// A bit that goes to another place, in the node or in what it calls.
#[test]
fn what_moves_bits_is_not_split() {
    check(
        &round("node F (x:u16x4) returns (y:u16x4) let y = (x[0] ^ (x[1] <<< 3), x[1..3]) tel"),
        expect![[r#"
            node F
            node Round
        "#]],
    );
    check(
        &round(
            "node Mix (x, k:u16) returns (y:u16) let y = x & k tel
            node F (x:u16x4) returns (y:u16x4)
            let y = (Mix(x[0], Shuffle(x[1], [1,0,2,3,4,5,6,7,8,9,10,11,12,13,14,15])), x[1..3]) tel",
        ),
        expect![[r#"
            node Mix'column16
            node Mix
              loop i0 < 16
            node F
            node Round
        "#]],
    );
}

/// A constant is in every column the same, or the columns are not alike; the last bit counts as the first.
#[test]
fn constants_that_are_not_all_ones_or_zeros() {
    for constant in ["0x7fff", "0xfffe", "1", "0x8000", "0x5555"] {
        check(
            &round(&format!("node F (x:u16x4) returns (y:u16x4) let y = (x[0] ^ {constant}, x[1..3]) tel")),
            expect![[r#"
            node F
            node Round
        "#]],
        );
    }
}

/// Words of two sizes have no common column.
#[test]
fn words_of_two_sizes() {
    check(
        "node F (x, y:u16, k:u8[3]) returns (z:u16, l:u8[3]) let z = x & y; l = ~k tel",
        expect![[r#"
            node F
        "#]],
    );
}

/// `_no_opt` means that a node stays as it is.
#[test]
fn what_must_not_be_touched() {
    check(
        &round("_no_opt node F (x:u16x4) returns (y:u16x4) let y = x ^ x[1,2,3,0] tel"),
        expect![[r#"
            node F no_opt
            node Round
        "#]],
    );
}

/// A node pays that computes at least two values for each atom that goes in or out, in at least sixteen columns.
#[test]
fn what_pays() {
    let node = |word: &str, steps: u32| {
        format!(
            "node F (x:{word}x4) returns (y:{word}x4)
            vars t:{word}x4[{}]
            let
                t[0] = x;
                forall i in [1,{steps}] {{ t[i] = t[i-1][1,2,3,0] ^ (t[i-1] & x[2,3,0,1]) }}
                y = t[{steps}]
            tel",
            steps + 1
        )
    };
    let split = expect![[r#"
        node F'column16
          loop i0 < 2
        node F
          loop i0 < 16
    "#]];
    check_with(&node("u16", 2), Split::Sized, split);
    check_with(
        &node("u16", 1),
        Split::Sized,
        expect![[r#"
            node F
        "#]],
    );
    check_with(
        &node("u8", 9),
        Split::Sized,
        expect![[r#"
            node F
              loop i0 < 9
        "#]],
    );
}

/// A word may be put together bit by bit; equations may stand in any order.
#[test]
fn equations_on_bits_and_in_any_order() {
    check(
        "node F (x, k:b4) returns (y, z:b4)
        vars t:b4
        let
            y = t ^ (k[0], k[1], k[2], k[3]);
            t = x & k;
            z = (x[0], x[1], x[2..3])
        tel",
        expect![[r#"
            node F'column4
            node F
              loop i0 < 4
        "#]],
    );
}
