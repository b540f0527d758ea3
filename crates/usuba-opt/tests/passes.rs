//! What each pass makes of small programs.

use expect_test::{Expect, expect};
use usuba_ir::check;
use usuba_ir::program::Program;
use usuba_opt::pass::{Clock, Machine, Settings};
use usuba_opt::passes::{self, optimise};

fn parse(text: &str) -> Program {
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(check::check(&program).err(), None);
    program
}

/// What a pass (or all of them) makes of a program.
fn check(name: &str, settings: Settings, text: &str, expected: Expect) {
    let mut program = parse(text);
    match passes::find(name) {
        Some(pass) => (pass.run)(&mut program, &settings),
        None => optimise(&mut program, &settings, &mut ()),
    }
    assert_eq!(check::check(&program).err(), None);
    expected.assert_eq(&program.to_string());
}

#[test]
fn fold() {
    let text = "
        node N (%0 x: v8, %1 y: v8) -> (a: v8, b: v8, c: v8, d: v16) {
          %2: v8 = constant 0xff
          %3: v8 = constant 0x0f
          %4: v8 = xor %0, %2
          %5: v8 = and %1, %4
          %6: v8 = not %4
          %7: v8 = xor %6, %0
          %8: v8 = or %7, %3
          %9: v8 = rotate_left %8, 4
          %10: v16 = pack %9, %3
          return %5, %6, %8, %10
        }";
    check(
        "fold",
        Settings::default(),
        text,
        expect![[r#"
        node N (%0 x: v8, %1 y: v8) -> (a: v8, b: v8, c: v8, d: v16) {
          %2: v8 = constant 0xff
          %3: v8 = constant 0xf
          %4: v8 = not %0
          %5: v8 = andnot %1, %0
          %6: v8 = constant 0x0
          %7: v8 = constant 0xf
          %8: v8 = constant 0xf0
          %9: v16 = constant 0xf00f
          return %5, %0, %7, %9
        }
    "#]],
    );
}

#[test]
fn share() {
    let text = "
        node Id no_inline (%0 x: b1) -> (r: b1) { return %0 }
        node Mask no_inline (%0 x: b1) -> (r: b1) { %1: b1 = refresh %0 return %1 }
        node N (%0 x: b1, %1 y: b1) -> (a: b1, b: b1, c: b1, d: b1, e: b1, f: b1, g: b1) {
          %2: b1 = and %0, %1
          %3: b1 = and %1, %0
          %4: b1 = call Id(%2)
          %5: b1 = call Id(%3)
          %6: b1 = call Mask(%2)
          %7: b1 = call Mask(%3)
          %8: b1 = refresh %2
          %9: b1 = refresh %3
          %10: b1 = loop i0 < 3 carry (%11: b1 = %0) {
            %12: b1 = and %0, %1
            %13: b1 = xor %12, %11
            yield %13
          }
          %14: b1 = xor %2, %0
          %15: b1 = andnot %14, %10
          return %4, %5, %6, %7, %8, %9, %15
        }";
    check(
        "share",
        Settings::default(),
        text,
        expect![[r#"
        node Id no_inline (%0 x: b1) -> (r: b1) {
          return %0
        }

        node Mask no_inline (%0 x: b1) -> (r: b1) {
          %1: b1 = refresh %0
          return %1
        }

        node N (%0 x: b1, %1 y: b1) -> (a: b1, b: b1, c: b1, d: b1, e: b1, f: b1, g: b1) {
          %2: b1 = and %0, %1
          %3: b1 = call Id(%2)
          %4: b1 = call Mask(%2)
          %5: b1 = call Mask(%2)
          %6: b1 = refresh %2
          %7: b1 = refresh %2
          %8: b1 = loop i0 < 3 carry (%9: b1 = %0) {
            %10: b1 = xor %2, %9
            yield %10
          }
          %11: b1 = xor %2, %0
          %12: b1 = andnot %11, %8
          return %3, %3, %4, %5, %6, %7, %12
        }
    "#]],
    );
}

/// Slices of one place are the same only if they are as long.
#[test]
fn share_slices() {
    let text = "
        node N (%0 x: b1[4]) -> (a: b1[2], b: b1[3], c: b1[2]) {
          %1: b1[2] = slice %0[1]
          %2: b1[3] = slice %0[1]
          %3: b1[2] = slice %0[1]
          return %1, %2, %3
        }";
    check(
        "share",
        Settings::default(),
        text,
        expect![[r#"
        node N (%0 x: b1[4]) -> (a: b1[2], b: b1[3], c: b1[2]) {
          %1: b1[2] = slice %0[1]
          %2: b1[3] = slice %0[1]
          return %1, %2, %1
        }
    "#]],
    );
}

#[test]
fn dead() {
    let text = "
        node Unused (%0 x: b1) -> (r: b1) { return %0 }
        node Two no_inline (%0 x: b1) -> (r: b1, s: b1) { %1: b1 = not %0 return %0, %1 }
        node N (%0 x: b1, %1 y: b1[4]) -> (r: b1) {
          %2: b1 = not %0
          %3: b1, %4: b1, %5: b1[4] = loop i0 < 4 carry (%6: b1 = %0, %7: b1 = %2, %8: b1[4] = %1) {
            %9: b1 = get %8[i0]
            %10: b1 = xor %9, %6
            %11: b1 = xor %10, %7
            %12: b1[4] = set %8[i0], %10
            yield %10, %11, %12
          }
          %13: b1, %14: b1 = call Two(%3)
          return %14
        }";
    check(
        "dead",
        Settings::default(),
        text,
        expect![[r#"
        node Two no_inline (%0 x: b1) -> (r: b1, s: b1) {
          %1: b1 = not %0
          return %0, %1
        }

        node N (%0 x: b1, %1 y: b1[4]) -> (r: b1) {
          %2: b1, %3: b1[4] = loop i0 < 4 carry (%4: b1 = %0, %5: b1[4] = %1) {
            %6: b1 = get %5[i0]
            %7: b1 = xor %6, %4
            %8: b1[4] = set %5[i0], %7
            yield %7, %8
          }
          %9: b1, %10: b1 = call Two(%2)
          return %10
        }
    "#]],
    );
}

#[test]
fn copies() {
    let text = "
        node N (%0 x: b1[4], %1 k: b1[8], %2 b: b1) -> (r: b1[4], s: b1, t: b1[4], u: b1) {
          %3: b1[4], %4: b1[8], %5: b1, %6: b1 = loop i0 < 4 carry (%7: b1[4] = %0, %8: b1[8] = %1, %9: b1 = %2, %10: b1 = %2) {
            %11: b1[4] = set %7[i0], %9
            %12: b1[4] = slice %8[i0 + 1]
            %13: b1 = get %12[3]
            %14: b1[4] = set %11[-i0 + 3], %13
            %15: b1 = get %14[-i0 + 3]
            %16: b1 = get %14[i0]
            %17: b1 = xor %15, %16
            %18: b1 = get %8[2*i0]
            %19: b1[8] = set %8[2*i0], %18
            yield %14, %19, %17, %2
          }
          %20: b1 = get %3[0]
          %21: b1 = get %3[1]
          %22: b1 = get %3[2]
          %23: b1 = get %3[3]
          %24: b1[4] = array [%20, %21, %22, %23]
          %25: b1[4] = slice %4[4]
          %26: b1[4] = splice %24[0], %25
          return %26, %5, %24, %6
        }";
    check(
        "copies",
        Settings::default(),
        text,
        expect![[r#"
        node N (%0 x: b1[4], %1 k: b1[8], %2 b: b1) -> (r: b1[4], s: b1, t: b1[4], u: b1) {
          %3: b1[4], %4: b1 = loop i0 < 4 carry (%5: b1[4] = %0, %6: b1 = %2) {
            %7: b1[4] = set %5[i0], %6
            %8: b1[4] = slice %1[i0 + 1]
            %9: b1 = get %1[i0 + 4]
            %10: b1[4] = set %7[-i0 + 3], %9
            %11: b1 = get %10[i0]
            %12: b1 = xor %9, %11
            %13: b1 = get %1[2*i0]
            yield %10, %12
          }
          %14: b1 = get %3[0]
          %15: b1 = get %3[1]
          %16: b1 = get %3[2]
          %17: b1 = get %3[3]
          %18: b1[4] = slice %1[4]
          return %18, %4, %3, %2
        }
    "#]],
    );
}

/// Atoms that are put back where they were read stay where they are, whatever was written elsewhere in between.
#[test]
fn copies_of_what_is_there() {
    let text = "
        node N (%0 x: b1[4], %1 b: b1) -> (r: b1[4], s: b1[4]) {
          %2: b1 = get %0[1]
          %3: b1 = get %0[3]
          %4: b1[4] = set %0[0], %1
          %5: b1[4] = set %4[1], %2
          %6: b1[4] = set %5[2], %1
          %7: b1[4] = set %6[3], %3
          %8: b1[4] = set %7[1], %3
          %9: b1[4] = set %8[1], %2
          return %7, %9
        }";
    check(
        "copies",
        Settings::default(),
        text,
        expect![[r#"
            node N (%0 x: b1[4], %1 b: b1) -> (r: b1[4], s: b1[4]) {
              %2: b1 = get %0[1]
              %3: b1 = get %0[3]
              %4: b1[4] = set %0[0], %1
              %5: b1[4] = set %4[2], %1
              %6: b1[4] = set %5[1], %3
              %7: b1[4] = set %5[1], %2
              return %5, %7
            }
        "#]],
    );
}

/// Of reads near a written part: those beside it find the older array's atom, those within the part's, and what may be
/// either stays.
#[test]
fn copies_of_parts() {
    let text = "
        node N (%0 b: b1, %1 c: b1, %2 part: b1[2]) -> (r: b1[6], s: b1[3], t: b1[2]) {
          %3: b1[6] = array [%0, %1, %0, %1, %0, %1]
          %4: b1[6] = splice %3[2], %2
          %5: b1 = get %4[1]
          %6: b1 = get %4[2]
          %7: b1 = get %4[3]
          %8: b1 = get %4[4]
          %9: b1[6] = loop i0 < 3 carry (%10: b1[6] = %4) {
            %11: b1 = get %4[i0]
            %12: b1[6] = set %10[i0], %11
            %13: b1 = get %12[i0 + 1]
            %14: b1[6] = set %12[i0 + 3], %13
            yield %14
          }
          %15: b1[6] = array [%5, %6, %7, %8, %5, %5]
          %16: b1[6] = splice %9[0], %15
          %17: b1[3] = slice %3[1]
          %18: b1[3] = slice %4[2]
          %19: b1[2] = slice %18[1]
          %20: b1[2] = slice %4[2]
          %21: b1[2] = slice %4[3]
          %22: b1 = get %19[0]
          %23: b1 = get %20[1]
          %24: b1 = get %21[0]
          %25: b1[3] = array [%22, %23, %24]
          %26: b1[3] = set %25[0], %8
          %27: b1[3] = set %26[0], %5
          return %16, %27, %21
        }";
    check(
        "copies",
        Settings::default(),
        text,
        expect![[r#"
        node N (%0 b: b1, %1 c: b1, %2 part: b1[2]) -> (r: b1[6], s: b1[3], t: b1[2]) {
          %3: b1[6] = array [%0, %1, %0, %1, %0, %1]
          %4: b1[6] = splice %3[2], %2
          %5: b1 = get %4[2]
          %6: b1 = get %4[3]
          %7: b1[6] = loop i0 < 3 carry (%8: b1[6] = %4) {
            %9: b1 = get %4[i0]
            %10: b1[6] = set %8[i0], %9
            %11: b1 = get %10[i0 + 1]
            %12: b1[6] = set %10[i0 + 3], %11
            yield %12
          }
          %13: b1[6] = array [%1, %5, %6, %0, %1, %1]
          %14: b1[3] = array [%1, %0, %1]
          %15: b1[3] = slice %4[2]
          %16: b1[2] = slice %4[3]
          %17: b1[2] = slice %4[3]
          %18: b1 = get %4[3]
          %19: b1 = get %2[1]
          %20: b1 = get %4[3]
          %21: b1[3] = array [%18, %19, %20]
          %22: b1[3] = set %21[0], %0
          %23: b1[3] = set %21[0], %1
          return %13, %23, %17
        }
    "#]],
    );
}

/// An atom may be read where it was written on one trip, and elsewhere on the next.
#[test]
fn copies_across_trips() {
    let text = "
        node N (%0 x: b1[4], %1 b: b1) -> (r: b1) {
          %2: b1[4], %3: b1 = loop i0 < 4 carry (%4: b1[4] = %0, %5: b1 = %1) {
            %6: b1[4] = set %4[i0], %5
            %7: b1 = get %6[3]
            %8: b1 = get %6[-i0 + 3]
            %9: b1 = xor %7, %8
            yield %6, %9
          }
          return %3
        }";
    check(
        "copies",
        Settings::default(),
        text,
        expect![[r#"
        node N (%0 x: b1[4], %1 b: b1) -> (r: b1) {
          %2: b1[4], %3: b1 = loop i0 < 4 carry (%4: b1[4] = %0, %5: b1 = %1) {
            %6: b1[4] = set %4[i0], %5
            %7: b1 = get %6[3]
            %8: b1 = get %6[-i0 + 3]
            %9: b1 = xor %7, %8
            yield %6, %9
          }
          return %3
        }
    "#]],
    );
}

/// Forty nodes, each of which calls the one before twice: copies are made up to a limit.
#[test]
fn inline_ends() {
    let mut text =
        "node N0 inline (%0 x: v8) -> (r: v8) { %1: v8 = rotate_left %0, 1 return %1 }\n".to_owned();
    for number in 1..=40 {
        let callee = format!("N{}", number - 1);
        text.push_str(&format!(
            "node N{number} inline (%0 x: v8) -> (r: v8) {{ %1: v8 = call {callee}(%0) %2: v8 = call {callee}(%1) return %2 }}\n"
        ));
    }
    let mut program = parse(&text);
    let inline = passes::find("inline").expect("it is a pass");
    (inline.run)(&mut program, &Settings::default());
    let sizes: Vec<usize> = program.nodes.iter().map(|node| node.body.size()).collect();
    assert_eq!(sizes, [1 << 18, 1 << 18, 1 << 4]);
}

const CALLS: &str = "
    node Small (%0 x: b1) -> (r: b1, s: b1) { %1: b1 = not %0 \"n\" return %1, %0 }
    node Always inline (%0 x: b1[4]) -> (r: b1[4]) {
      %1: b1[4] = loop i0 < 4 carry (%2: b1[4] = %0) {
        %3: b1 = get %2[i0]
        %4: b1, %5: b1 = call Small(%3)
        %6: b1[4] = set %2[i0], %4
        yield %6
      }
      return %1
    }
    node Never no_inline (%0 x: b1) -> (r: b1) { return %0 }
    node Fixed no_opt (%0 x: b1[4]) -> (r: b1[4]) { %1: b1[4] = call Always(%0) return %1 }
    node N (%0 x: b1[4]) -> (r: b1[4], s: b1) {
      %1: b1[4] = loop i0 < 2 carry (%2: b1[4] = %0) {
        %3: b1[4] = call Always(%2)
        yield %3
      }
      %4: b1[4] = call Fixed(%1)
      %5: b1 = get %4[0]
      %6: b1 = call Never(%5)
      return %4, %6
    }";

#[test]
fn inline() {
    check(
        "inline",
        Settings::default(),
        CALLS,
        expect![[r#"
        node Always inline (%0 x: b1[4]) -> (r: b1[4]) {
          %1: b1[4] = loop i0 < 4 carry (%2: b1[4] = %0) {
            %3: b1 = get %2[i0]
            %4: b1 = not %3  "n"
            %5: b1[4] = set %2[i0], %4
            yield %5
          }
          return %1
        }

        node Never no_inline (%0 x: b1) -> (r: b1) {
          return %0
        }

        node Fixed no_opt (%0 x: b1[4]) -> (r: b1[4]) {
          %1: b1[4] = call Always(%0)
          return %1
        }

        node N (%0 x: b1[4]) -> (r: b1[4], s: b1) {
          %1: b1[4] = loop i0 < 2 carry (%2: b1[4] = %0) {
            %3: b1[4] = loop i1 < 4 carry (%4: b1[4] = %2) {
              %5: b1 = get %4[i1]
              %6: b1 = not %5  "n"
              %7: b1[4] = set %4[i1], %6
              yield %7
            }
            yield %3
          }
          %8: b1[4] = call Fixed(%1)
          %9: b1 = get %8[0]
          %10: b1 = call Never(%9)
          return %8, %10
        }
    "#]],
    );
}

/// Loops are numbered afresh, outer before inner, and the terms of an index follow.
#[test]
fn loops_are_numbered() {
    let text = "
        node N (%0 x: b1[8]) -> (r: b1[8]) {
          %1: b1[8] = loop i1 < 3 carry (%2: b1[8] = %0) {
            %3: b1[8] = loop i0 < 2 carry (%4: b1[8] = %2) {
              %5: b1 = get %4[4*i0 + i1]
              %6: b1[8] = set %4[2*i0 + i1 + 1], %5
              yield %6
            }
            yield %3
          }
          return %1
        }";
    check(
        "dead",
        Settings::default(),
        text,
        expect![[r#"
        node N (%0 x: b1[8]) -> (r: b1[8]) {
          %1: b1[8] = loop i0 < 3 carry (%2: b1[8] = %0) {
            %3: b1[8] = loop i1 < 2 carry (%4: b1[8] = %2) {
              %5: b1 = get %4[i0 + 4*i1]
              %6: b1[8] = set %4[i0 + 2*i1 + 1], %5
              yield %6
            }
            yield %3
          }
          return %1
        }
    "#]],
    );
}

#[test]
fn inline_nothing() {
    let mut program = parse(CALLS);
    let settings = Settings { no_inline: true, inline_all: true, ..Settings::default() };
    (passes::find("inline").expect("it is in the list").run)(&mut program, &settings);
    // Values are numbered afresh, so the text is compared with one that is.
    let mut expected = parse(CALLS);
    expected.nodes.iter_mut().for_each(|node| node.renumber());
    assert_eq!(program, expected);
}

#[test]
fn all() {
    check(
        "",
        Settings::default(),
        CALLS,
        expect![[r#"
        node Always inline (%0 x: b1[4]) -> (r: b1[4]) {
          %1: b1[4] = loop i0 < 4 carry (%2: b1[4] = %0) {
            %3: b1 = get %2[i0]
            %4: b1 = not %3  "n"
            %5: b1[4] = set %2[i0], %4
            yield %5
          }
          return %1
        }

        node Never no_inline (%0 x: b1) -> (r: b1) {
          return %0
        }

        node Fixed no_opt (%0 x: b1[4]) -> (r: b1[4]) {
          %1: b1[4] = call Always(%0)
          return %1
        }

        node N (%0 x: b1[4]) -> (r: b1[4], s: b1) {
          %1: b1[4] = loop i0 < 2 carry (%2: b1[4] = %0) {
            %3: b1[4] = loop i1 < 4 carry (%4: b1[4] = %2) {
              %5: b1 = get %4[i1]
              %6: b1 = not %5  "n"
              %7: b1[4] = set %4[i1], %6
              yield %7
            }
            yield %3
          }
          %8: b1[4] = call Fixed(%1)
          %9: b1 = get %8[0]
          %10: b1 = call Never(%9)
          return %8, %10
        }
    "#]],
    );
}

#[test]
fn interleave() {
    let text = "
        node Mix (%0 a: v8, %1 k: v8) -> (r: v8) {
          %2: v8 = xor %0, %1
          return %2
        }

        node N interleave(2) (%0 x: v8[2], %1 k: uniform v8[4], %2 y: v8) -> (r: v8[2], s: v8) {
          %3: v8 = constant 0x1
          %4: v8[2] = loop i0 < 4 carry (%5: v8[2] = %0) {
            %6: v8 = get %1[i0]
            %7: v8 = xor %6, %3
            %8: v8 = get %5[0]
            %9: v8 = get %5[1]
            %10: v8 = call Mix(%8, %7)
            %11: v8 = and %10, %9
            %12: v8[2] = array [%11, %10]
            yield %12
          }
          %13: v8 = xor %2, %3
          return %4, %13
        }";
    check(
        "interleave",
        Settings::default(),
        text,
        expect![[r#"
        interleaved 2

        node Mix (%0 a_0: v8, %1 a_1: v8, %2 k: v8) -> (r_0: v8, r_1: v8) {
          %3: v8 = xor %0, %2
          %4: v8 = xor %1, %2
          return %3, %4
        }

        node N interleave(2) (%0 x: v8[4] as [2][2], %1 k: uniform v8[4], %2 y: v8[2]) -> (r: v8[4] as [2][2], s: v8[2]) {
          %3: v8[2] = slice %0[0]
          %4: v8[2] = slice %0[2]
          %5: v8 = get %2[0]
          %6: v8 = get %2[1]
          %7: v8 = constant 0x1
          %8: v8[2], %9: v8[2] = loop i0 < 4 carry (%10: v8[2] = %3, %11: v8[2] = %4) {
            %12: v8 = get %1[i0]
            %13: v8 = xor %12, %7
            %14: v8 = get %10[0]
            %15: v8 = get %11[0]
            %16: v8 = get %10[1]
            %17: v8 = get %11[1]
            %18: v8, %19: v8 = call Mix(%14, %15, %13)
            %20: v8 = and %18, %16
            %21: v8 = and %19, %17
            %22: v8[2] = array [%20, %18]
            %23: v8[2] = array [%21, %19]
            yield %22, %23
          }
          %24: v8 = xor %5, %7
          %25: v8 = xor %6, %7
          %26: v8 = get %8[0]
          %27: v8 = get %8[1]
          %28: v8 = get %9[0]
          %29: v8 = get %9[1]
          %30: v8[4] = array [%26, %27, %28, %29]
          %31: v8[2] = array [%24, %25]
          return %30, %31
        }
    "#]],
    );
}

/// What is asked for on the command line comes before the attribute, that before the rule.
#[test]
fn factors() {
    let batches = |attribute: &str, settings: Settings| {
        let steps: String = (1..200)
            .map(|step| {
                format!(
                    "%{}: v32 = rotate_left %{}, 7\n%{}: v32 = xor %{}, %{}\n",
                    2 * step,
                    2 * step - 2,
                    2 * step + 1,
                    2 * step,
                    2 * step - 1
                )
            })
            .collect();
        let text = format!("node N {attribute} (%0 x: v32, %1 y: v32) -> (r: v32) {{ {steps} return %399 }}");
        let mut program = parse(&text);
        optimise(&mut program, &settings, &mut ());
        assert_eq!(check::check(&program).err(), None);
        program.interleave
    };
    let asked = |interleave, granularity| Settings { interleave, granularity, ..Settings::default() };
    let machine = |room, in_flight| Settings {
        machine: Some(Machine { room, in_flight, rounds_in_flight: 0 }),
        ..Settings::default()
    };
    // One chain through nearly all operations; two atoms come in.
    assert_eq!(batches("", Settings::default()), 1);
    assert_eq!(batches("interleave(3)", Settings::default()), 3);
    assert_eq!(batches("interleave(3)", asked(Some(1), None)), 1);
    assert_eq!(batches("interleave(3)", asked(None, Some(4))), 2);
    assert_eq!(batches("interleave(2)", machine(32, 2)), 2);
    assert_eq!(batches("", machine(64, 2)), 4);
    assert_eq!(batches("", machine(6, 2)), 3);
    assert_eq!(batches("", machine(3, 2)), 1);
    assert_eq!(batches("no_opt interleave(3)", asked(Some(2), None)), 1);
}

/// Products of the same halves are one, in either order; rounds of the same state are not if the keys are exchanged with it.
#[test]
fn share_blocks() {
    let text = "
        node N (%0 a: <8,16,1>, %1 b: <8,16,1>) -> (r: <8,16,1>, s: <8,16,1>, t: <8,16,1>) {
          %2: <8,16,1> = carryless 0x01 %0, %1
          %3: <8,16,1> = carryless 0x10 %1, %0
          %4: <8,16,1> = carryless 0x10 %0, %1
          %5: <8,16,1> = aesencrypt %0, %1
          %6: <8,16,1> = aesencrypt %1, %0
          %7: <8,16,1> = addwords 32 %0, %1
          %8: <8,16,1> = addwords 32 %1, %0
          %9: <8,16,1> = xor %3, %4
          %10: <8,16,1> = xor %5, %6
          %11: <8,16,1> = xor %2, %9
          %12: <8,16,1> = subtract %7, %8
          return %10, %11, %12
        }";
    check(
        "share",
        Settings::default(),
        text,
        expect![[r#"
        node N (%0 a: <8,16,1>, %1 b: <8,16,1>) -> (r: <8,16,1>, s: <8,16,1>, t: <8,16,1>) {
          %2: <8,16,1> = carryless 0x01 %0, %1
          %3: <8,16,1> = carryless 0x10 %0, %1
          %4: <8,16,1> = aesencrypt %0, %1
          %5: <8,16,1> = aesencrypt %1, %0
          %6: <8,16,1> = addwords 32 %0, %1
          %7: <8,16,1> = xor %2, %3
          %8: <8,16,1> = xor %4, %5
          %9: <8,16,1> = xor %2, %7
          %10: <8,16,1> = subtract %6, %6
          return %8, %9, %10
        }
    "#]],
    );
}

/// Chains of rounds of AES are filled, whatever else is beside them; sums in GF(2^128) wait for other things.
#[test]
fn factors_of_rounds() {
    let batches = |blocks: u32, rounds_in_flight, room| {
        let outputs = |what: &dyn Fn(u32) -> String| (0..blocks).map(what).collect::<Vec<_>>().join(", ");
        let rounds = (0..10).flat_map(|round| (0..blocks).map(move |block| (round, block)));
        let steps = rounds.map(|(round, block)| {
            let (to, from) = (1 + (round + 1) * blocks + block, 1 + round * blocks + block);
            format!("%{to}: <8,16,1> = aesencrypt %{from}, %0\n")
        });
        let text = format!(
            "node N (%0 k: uniform <8,16,1>, {}) -> ({}) {{ {} return {} }}",
            outputs(&|block| format!("%{} x{block}: <8,16,1>", block + 1)),
            outputs(&|block| format!("r{block}: <8,16,1>")),
            steps.collect::<String>(),
            outputs(&|block| format!("%{}", 1 + 10 * blocks + block)),
        );
        let mut program = parse(&text);
        let machine = Some(Machine { room, in_flight: 2, rounds_in_flight });
        optimise(&mut program, &Settings { machine, ..Settings::default() }, &mut ());
        program.interleave
    };
    assert_eq!(batches(1, 8, 64), 8);
    assert_eq!(batches(1, 4, 32), 4);
    assert_eq!(batches(3, 8, 64), 3);
    assert_eq!(batches(8, 8, 64), 1);
    assert_eq!(batches(1, 16, 64), 8);
    assert_eq!(batches(1, 8, 5), 5);
}

#[test]
fn arrays() {
    let text = "
        node N (%0 a: b1, %1 b: b1, %2 k: uniform b1[3], %3 n: v8) -> (r: b1, s: b1, t: v8) {
          %4: b1, %5: v8, %6: b1 = loop i0 < 3 carry (%7: b1 = %0, %8: v8 = %3, %9: b1 = %1) {
            %10: b1 = get %2[i0]
            %11: b1 = xor %7, %10
            %12: v8 = not %8
            yield %9, %12, %11
          }
          %13: b1[8] = array [%0, %0, %0, %0, %0, %0, %0, %0]
          %14: b1 = get %13[0]
          %15: b1 = get %13[1]
          %16: b1 = get %13[3]
          %17: b1[4] = slice %13[4]
          %18: b1 = get %17[0]
          %19: b1 = get %17[1]
          %20: b1 = get %17[2]
          %21: b1[4] = array [%18, %19, %20, %4]
          %22: b1 = get %21[3]
          return %22, %6, %5
        }";
    let settings = Settings { carried_atoms: 1, ..Settings::default() };
    check(
        "arrays",
        settings,
        text,
        expect![[r#"
        node N (%0 a: b1, %1 b: b1, %2 k: uniform b1[3], %3 n: v8) -> (r: b1, s: b1, t: v8) {
          %4: b1[2] = array [%0, %1]
          %5: v8, %6: b1[2] = loop i0 < 3 carry (%7: v8 = %3, %8: b1[2] = %4) {
            %9: b1 = get %2[i0]
            %10: b1 = get %8[0]
            %11: b1 = xor %10, %9
            %12: v8 = not %7
            %13: b1 = get %8[1]
            %14: b1[2] = array [%13, %11]
            yield %12, %14
          }
          %15: b1[8] = array [%0, %0, %0, %0, %0, %0, %0, %0]
          %16: b1 = get %15[0]
          %17: b1 = get %15[1]
          %18: b1 = get %15[3]
          %19: b1[4] = slice %15[4]
          %20: b1 = get %19[0]
          %21: b1 = get %19[1]
          %22: b1 = get %19[2]
          %23: b1 = get %6[0]
          %24: b1[4] = set %19[3], %23
          %25: b1 = get %24[3]
          %26: b1 = get %6[1]
          return %25, %26, %5
        }
    "#]],
    );
}

/// A node that computes no more values than atoms go in and out is inlined wherever it is called; one that computes more stays
/// if there are two calls.
#[test]
fn what_is_no_longer_than_its_call_is_inlined() {
    let text = "
        node Swap (%0 x: b1[2]) -> (r: b1[2]) {
          %1: b1 = get %0[0]
          %2: b1 = get %0[1]
          %3: b1[2] = array [%2, %1]
          return %3
        }

        node Flip (%0 x: b1, %1 y: b1) -> (r: b1) {
          %2: b1 = and %0, %1
          %3: b1 = not %2
          %4: b1 = xor %3, %1
          return %4
        }

        node Long (%0 x: b1, %1 y: b1) -> (r: b1) {
          %2: b1 = and %0, %1
          %3: b1 = not %2
          %4: b1 = xor %3, %1
          %5: b1 = or %4, %0
          %6: b1 = and %5, %3
          %7: b1 = xor %6, %2
          %8: b1 = or %7, %5
          %9: b1 = and %8, %6
          return %9
        }

        node N (%0 x: b1[2]) -> (r: b1[2]) {
          %1: b1[2] = call Swap(%0)
          %2: b1 = get %1[0]
          %3: b1 = get %1[1]
          %4: b1 = call Flip(%2, %3)
          %5: b1 = call Long(%2, %4)
          %6: b1 = call Flip(%5, %4)
          %7: b1 = call Long(%6, %5)
          %8: b1[2] = array [%6, %7]
          %9: b1[2] = call Swap(%8)
          return %9
        }";
    check(
        "inline",
        Settings::default(),
        text,
        expect![[r#"
            node Long (%0 x: b1, %1 y: b1) -> (r: b1) {
              %2: b1 = and %0, %1
              %3: b1 = not %2
              %4: b1 = xor %3, %1
              %5: b1 = or %4, %0
              %6: b1 = and %5, %3
              %7: b1 = xor %6, %2
              %8: b1 = or %7, %5
              %9: b1 = and %8, %6
              return %9
            }

            node N (%0 x: b1[2]) -> (r: b1[2]) {
              %1: b1 = get %0[0]
              %2: b1 = get %0[1]
              %3: b1[2] = array [%2, %1]
              %4: b1 = get %3[0]
              %5: b1 = get %3[1]
              %6: b1 = and %4, %5
              %7: b1 = not %6
              %8: b1 = xor %7, %5
              %9: b1 = call Long(%4, %8)
              %10: b1 = and %9, %8
              %11: b1 = not %10
              %12: b1 = xor %11, %8
              %13: b1 = call Long(%12, %9)
              %14: b1[2] = array [%12, %13]
              %15: b1 = get %14[0]
              %16: b1 = get %14[1]
              %17: b1[2] = array [%16, %15]
              return %17
            }
        "#]],
    );
}

/// Most atoms of the result are where they were in an array; the others come from another one, or by themselves.
#[test]
fn pieces() {
    let atoms = |from: u32, to: u32, array: u32, first: u32| -> (String, Vec<String>) {
        let lines =
            (from..to).map(|place| format!("%{}: b1 = get %{array}[{place}]\n", first + place - from));
        (lines.collect(), (0..to - from).map(|number| format!("%{}", first + number)).collect())
    };
    let (keys, mut names) = atoms(0, 20, 0, 3);
    let (rest, more) = atoms(21, 64, 1, 23);
    names.push("%2".into());
    names.extend(more);
    let text = format!(
        "node N (%0 a: b1[20], %1 b: b1[64], %2 x: b1) -> (r: b1[64]) {{ {keys} {rest} %66: b1[64] = array [{}] return %66 }}",
        names.join(", ")
    );
    check(
        "",
        Settings::default(),
        &text,
        expect![[r#"
        node N (%0 a: b1[20], %1 b: b1[64], %2 x: b1) -> (r: b1[64]) {
          %3: b1[64] = splice %1[0], %0
          %4: b1[64] = set %3[20], %2
          return %4
        }
    "#]],
    );
}

/// A node of eight values for two atoms in and two out, called twice.
const LONG: &str = "
    node Long (%0 x: b1, %1 y: b1) -> (r: b1, s: b1) {
      %2: b1 = xor %0, %1
      %3: b1 = and %0, %2
      %4: b1 = or %1, %3
      %5: b1 = xor %2, %4
      %6: b1 = and %4, %5
      %7: b1 = or %3, %6
      %8: b1 = xor %6, %7
      %9: b1 = and %5, %8
      return %8, %9
    }
    node N (%0 x: b1, %1 y: b1) -> (r: b1, s: b1) {
      %2: b1, %3: b1 = call Long(%0, %1)
      %4: b1, %5: b1 = call Long(%2, %3)
      return %4, %5
    }";

/// How many nodes all passes leave of a program.
fn nodes_left(text: &str, settings: &Settings) -> usize {
    let mut program = parse(text);
    optimise(&mut program, settings, &mut ());
    assert_eq!(check::check(&program).err(), None);
    program.nodes.len()
}

/// Where nothing is known of the machine, two values an atom are few enough, and 2.75 are not.
#[test]
fn inline_what_is_little_longer_than_its_call() {
    assert_eq!(nodes_left(LONG, &Settings::default()), 1);
    let longer = LONG.replace(
        "return %8, %9",
        "%10: b1 = xor %8, %9 %11: b1 = and %7, %10 %12: b1 = or %9, %11 return %10, %12",
    );
    assert_eq!(nodes_left(&longer, &Settings::default()), 2);
}

/// Where there is a model of the machine, it decides: all calls are inlined if that saves enough, on each core.
#[test]
fn inline_what_a_model_finds_faster() {
    let nodes_left = |cycles: fn(&Program, &'static str) -> Option<Vec<u64>>| {
        nodes_left(LONG, &Settings { clock: Some(Clock::new("any", cycles)), ..Settings::default() })
    };
    // One node is one with all calls inlined.
    assert_eq!(nodes_left(|program, _| Some(vec![100 * program.nodes.len() as u64; 2])), 1);
    assert_eq!(nodes_left(|program, _| Some(vec![100 - 2 * (2 - program.nodes.len() as u64); 2])), 2);
    assert_eq!(nodes_left(|program, _| Some(vec![50 * program.nodes.len() as u64, 100])), 2);
    assert_eq!(nodes_left(|program, _| Some(vec![200 / program.nodes.len() as u64; 2])), 2);
    assert_eq!(nodes_left(|_, _| None), 2);
}
