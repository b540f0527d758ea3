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

/// ROUNDS, where each adds a constant: those of `constants`.
fn with_constants(constants: &str) -> String {
    let (before, after) = ROUNDS.split_once("node Rounds").expect("there is a node of rounds");
    let rounds = after.replace("Round(s[i])", "Round(s[i] ^ (RC[i], RC[i], RC[i], RC[i], 0, 0, 0, 0))");
    format!("const RC:u16[4] = ({constants}) {before} node Rounds{rounds}")
}

/// Constants that are others each time are read from an array, where the loop is long; where they come back, the loop takes
/// as many rounds at once.
#[test]
fn constants_that_change() {
    let usual = Options::new(Slicing::B).loops;
    let kept = expect![[r#"
        node Turn
        node Round
        node Rounds
          loop i0 < 4
    "#]];
    check(&with_constants("1, 2, 4, 9"), usual, kept);
    let in_pairs = expect![[r#"
        node Turn
        node Round
        node Rounds
          loop i0 < 2
    "#]];
    check(&with_constants("1, 2, 1, 2"), usual, in_pairs);
    let short = with_constants("1, 2, 4, 9").replace("u16x8", "u16x2");
    let short = short
        .replace("[0,7]", "[0,1]")
        .replace("%8", "%2")
        .replace("RC[i], RC[i], RC[i], RC[i], 0, 0, 0, 0", "RC[i], 0");
    let unrolled = expect![[r#"
        node Turn
        node Round
        node Rounds
    "#]];
    check(&short, usual, unrolled);
}

/// Each number is one value, and places with the same numbers in the same order read the same array.
#[test]
fn arrays_of_constants() {
    let text = "
        const RC:u16[4] = (1, 2, 2, 4)
        node Rounds (x:u16x2) returns (y:u16x2)
        vars s:u16x2[5]
        let
            s[0] = x;
            forall i in [0,3] { s[i+1] = (s[i][1] ^ RC[i], (s[i][0] + RC[i]) ^ RC[3-i]) }
            y = s[4]
        tel";
    let loaded = load("test.ua", &[], &Text(text));
    let options = Options { loops: Loops::Keep, ..Options::new(Slicing::V) };
    let elaboration = elaborate::Options { atoms: options.atoms(), ..elaborate::Options::new() };
    let (program, _) = elaborate::elaborate(&loaded.program, &elaboration);
    let lowered = lower(&program.expect("it elaborates"), &loaded.sources, &options).expect("it lowers");
    expect![[r#"
        file "test.ua"

        node Rounds (%0 x: v16[2] @3:9) -> (y: v16[2]) {
          %1: v16 = constant 0x1  @3:9
          %2: v16 = constant 0x4  @3:9
          %3: v16 = constant 0x2  @3:9
          %4: v16 = get %0[1]  @3:9
          %5: v16 = get %0[0]  @3:9
          %6: v16[4] = array [%1, %3, %3, %2]  @3:9
          %7: v16[4] = array [%2, %3, %3, %1]  @3:9
          %15: v16 @7:13, %16: v16 @7:13 = loop i0 < 4 carry (%8: v16 @7:13 "s[1]" = %4, %9: v16 @7:13 "s[0]" = %5) {
            %10: v16 = get %6[i0]  @7:43
            %11: v16 = xor %8, %10  @7:43 "s[1][0]"
            %12: v16 = add %9, %10  @7:60
            %13: v16 = get %7[i0]  @7:60
            %14: v16 = xor %12, %13  @7:60 "s[1][1]"
            yield %14, %11
          }
          %17: v16[2] = array [%16, %15]  @3:40 "y"
          return %17
        }
    "#]].assert_eq(&lowered.to_string());
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
