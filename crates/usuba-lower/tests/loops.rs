//! Which loops are kept, by how much they compute and where they stand.

use expect_test::{Expect, expect};
use usuba_ir::layout::Slicing;
use usuba_lang::elaborate;
use usuba_lang::load::{Text, load};
use usuba_lang::render::{Style, render};
use usuba_lower::{Loops, Options, lower};

/// The nodes of a bitsliced program with their loops, those inside of others indented.
fn check(text: &str, loops: Loops, expected: Expect) {
    let loaded = load("test.ua", &[], &Text(text));
    let options = Options { loops, ..Options::new(Slicing::B) };
    let (program, diagnostics) = elaborate::elaborate(
        &loaded.program,
        &elaborate::Options { atoms: options.atoms(), ..elaborate::Options::new() },
    );
    let program =
        program.unwrap_or_else(|| panic!("{}", render(&diagnostics, &loaded.sources, Style::Plain)));
    let lowered = lower(&program, &loaded.sources, &options)
        .unwrap_or_else(|found| panic!("{}", render(&found, &loaded.sources, Style::Plain)));
    let text = lowered.to_string();
    let lines: Vec<String> = text
        .lines()
        .filter_map(|line| match line.split_once("= loop ") {
            Some((before, rest)) => {
                let indent = before.len() - before.trim_start().len();
                let trips = rest.split(" carry").next().unwrap_or(rest);
                Some(format!("{}loop {trips}", " ".repeat(indent)))
            }
            None => line.split(" (").next().filter(|start| start.starts_with("node ")).map(str::to_owned),
        })
        .collect();
    expected.assert_eq(&format!("{}\n", lines.join("\n")));
}

const ROUNDS: &str = "
    node Turn (x:u16) returns (y:u16) let y = (x <<< 3) ^ x tel
    node Round (x:u16x8) returns (y:u16x8)
    vars z:u16x8
    let
        forall i in [0,7] { z[i] = Turn(x[i]) & (x[i] >>> 1) }
        forall i in [0,7] { y[i] = z[i] ^ ~z[(i*3)%8] }
    tel
    node Rounds (x:u16x8) returns (y:u16x8)
    vars s:u16x8[5]
    let
        s[0] = x;
        forall i in [0,3] { s[i+1] = Round(s[i]) }
        y = s[4]
    tel";

/// A round is 512 operations. If the body of the loop of rounds may be as large, it has no loops inside.
#[test]
fn inside_of_a_small_body() {
    check(
        ROUNDS,
        Loops::Sized { least: 64, body: 512 },
        expect![[r#"
        node Turn
        node Round
        node Rounds
          loop i0 < 4
    "#]],
    );
}

/// Otherwise a round keeps the loop over its words, but not the one that takes them in another order: that would need an
/// array of them in that order.
#[test]
fn inside_of_a_large_body() {
    check(
        ROUNDS,
        Loops::Sized { least: 64, body: 511 },
        expect![[r#"
        node Turn
        node Round
          loop i0 < 8
        node Rounds
          loop i0 < 4
    "#]],
    );
}

/// As asked for.
#[test]
fn all_and_none() {
    check(
        ROUNDS,
        Loops::Keep,
        expect![[r#"
        node Turn
        node Round
          loop i0 < 8
          loop i1 < 8
        node Rounds
          loop i0 < 4
    "#]],
    );
    check(
        ROUNDS,
        Loops::Unroll,
        expect![[r#"
        node Turn
        node Round
        node Rounds
    "#]],
    );
}

/// Wires of circuits are named after their table, what a loop carries after its variable.
#[test]
fn values_are_named_after_the_source() {
    let text = "
        table Substitute (x:v4) returns (y:v4) { 7, 12, 1, 10, 4, 15, 8, 3, 13, 2, 11, 0, 14, 9, 6, 5 }
        node Rounds (x:u16x4) returns (y:u16x4)
        vars state:u16x4[5]
        let
            state[0] = x;
            forall i in [0,3] { state[i+1] = Substitute(state[i]) }
            y = state[4]
        tel";
    let loaded = load("test.ua", &[], &Text(text));
    let options = Options { loops: Loops::Keep, ..Options::new(Slicing::V) };
    let elaboration = elaborate::Options { atoms: options.atoms(), ..elaborate::Options::new() };
    let (program, _) = elaborate::elaborate(&loaded.program, &elaboration);
    let lowered = lower(&program.expect("it elaborates"), &loaded.sources, &options).expect("it lowers");
    let text = lowered.to_string();
    for name in ["Substitute.t0", "Substitute.y3", "state[0]", "state[3]"] {
        assert!(text.contains(&format!("\"{name}\"")), "no value is {name}:\n{text}");
    }
    let again = usuba_ir::program::Program::parse(&text).expect("it parses");
    assert_eq!(again.to_string(), text);
}
