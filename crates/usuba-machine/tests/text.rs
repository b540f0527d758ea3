//! The text of machine programs.

use expect_test::{Expect, expect};
use usuba_machine::Program;

/// The example of the documentation, with everything that the form has.
const EXAMPLE: &str = r#"target avx512

function Inner no_inline (%0 "x": v512x32, &0 "r": output v512x32[1]) {
  unused %1 "gone": v512x32
  unused &1 "left": local v512x32[2]
  store vmovdqa64 &0[0], %0
}

function Mix inline (%0 "x": v512x32, &0 "key": uniform u32[9], %1 "n": count, &1 "a": input v512[4*%1], &2 "y": output v512x32[8]) {
  &3 "t": local v512x32[8]
  %2: v512x32 = constant vmovdqa64.32 0x1
  %3: v512x32 = constant vbroadcasti32x4 bytes 000102030405060708090a0b0c0d0e0f
  loop i0 < 8 carry (%4: v512x32 = %0 next %7) {
    %5 "k": v512x32 = load vpbroadcastd.32 &0[i0 + 1]
    %6: v512x32 = vprold.32 7 %4
    %7: v512x32 = vpternlogq 0x96 %6, %5, %2  // %6 ^ %5 ^ %2
    store vmovdqa64 &3[-i0 + 7], %7
  }
  loop i1 < %1 {
    %8: v512 = load vmovdqa64 &1[4*i1 + 3]
  }
  fill vmovdqa64 &3[0], %3 4
  call Inner(%4, write &3[7])
  call Inner(%4, result %9 "z": v512x32)
  copy vmovdqa64 vmovdqa64 &2[0], &3[0] 8
}

function Message (%0 "length": count, &0 "plain": input u8[%0], &1 "cipher": output u8[%0]) {
  %1: count = %0 / 64
  %2: count = %0 mod 64
  %3: count = -%2 + %0
  loop i0 < %1 {
    %4: v512 = load vmovdqu64.512 &0[64*i0]
    store vmovdqu64 &1[64*i0], %4
  }
  &2 "plain.rest": input u8[%2] = &0 + %3
  &3 "cipher.rest": output u8[%2] = &1 + %3
  %5: count = min(%2, 1)
  loop i1 < %5 {
    &4 "buffer": local u8[64]
    %6: v512 = load vmovdqu8.8 &2[0] part %2
    store vmovdqu8.8 &3[0], %6 part %2
    copy &4[0], &2[0] part %2
  }
}

function Turns (&0 "table": input u8[256], &1 "r": output u8[640]) {
  loop i0 < 10 {
    %0: count = [i0 + 2]
    %1: count = %0 mod 4
    %2: count = 64*%1
    &2 "table.rest": input u8[64] = &0 + %2
    %3: v512 = load vmovdqu64.512 &2[0]
    store vmovdqu64 &1[64*i0], %3
  }
}

function Lanes (&0 "bytes": input u8[192], &1 "spent": changed u8[128]) {
  %0 "v": v512x64 = load vmovdqu64+vinserti32x4.128 &0[0], &0[48], &0[96], &0[176]
  %1 "w": v512x64 = vpunpckhqdq.64 %0, %0
  loop i0 < 2 {
    store vmovdqu64+vextracti32x4.128 &1[16*i0], &1[16*i0 + 32], &1[16*i0 + 64], &1[16*i0 + 96], %1
  }
}
"#;

#[test]
fn what_is_parsed_prints_the_same() {
    let program = Program::parse(EXAMPLE).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(program.to_string(), EXAMPLE);
    usuba_machine::check(program).unwrap_or_else(|flaws| panic!("{}", flaws[0]));
}

/// Every row of every target is found again by what it is called, those that an earlier row hides left out.
#[test]
fn rows_are_told_apart() {
    for target in usuba_target::all() {
        for row in target.all_instructions() {
            if !row.meaning.is_computation() {
                continue;
            }
            let ty = if target.single_lane { "g64".into() } else { format!("v{}", target.register_bits) };
            let step = usuba_machine::program::Step::Compute {
                row,
                result: usuba_machine::program::RegisterId(0),
                operands: vec![usuba_machine::program::RegisterId(0); row.meaning.operands()],
                immediate: row.meaning.has_immediate().then_some(1),
            };
            let text = format!("target {}\n\nfunction F () {{\n}}\n", target.name);
            let mut program = Program::parse(&text).unwrap_or_else(|error| panic!("{error}"));
            let register =
                Program::parse(&format!("target {} function F () {{ unused %0: {ty} }}", target.name));
            program.functions = register.unwrap_or_else(|error| panic!("{error}")).functions;
            program.functions[0].body.steps.push(step);
            let again =
                Program::parse(&program.to_string()).unwrap_or_else(|error| panic!("{error}\n{program}"));
            let same = again == program || target.instruction(row.meaning, row.lane) != Some(row);
            assert!(same, "{}: {row:?}\n{program}", target.name);
        }
    }
}

fn refused(text: &str, expected: Expect) {
    let error = Program::parse(text).expect_err("it is not the text of a program");
    expected.assert_eq(&error.to_string());
}

#[test]
fn texts_that_are_none() {
    refused("", expect!["1:1: expected `target` and its name, found the end of the text"]);
    refused("target z80", expect!["1:8: there is no target `z80`"]);
    refused(
        "target avx2 function F (%0: w64) { }",
        expect!["1:29: `w64` is no type; types are such as v256x32, v256, g64 and count"],
    );
    refused("target avx2 function F (%0: v256, %0: v256) { }", expect!["1:35: %0 is defined twice"]);
    refused(
        "target avx2 function F (%1: v256) { }",
        expect!["1:38: the numbers of registers or regions leave gaps: %0 is not defined"],
    );
    refused(
        "target avx2\nfunction F (%0: v256) {\n  %1: v256 = vpternlogq 0x96 %0, %0, %0\n}",
        expect!["3:14: `vpternlogq` is no instruction of avx2 that computes something of registers"],
    );
    refused("target avx2 function F () { call G() }", expect!["1:34: `G` is no function before this one"]);
    refused(
        "target avx2 function F () { loop i0 < 99999999999 { } }",
        expect!["1:39: the number is too large here; the largest is 4294967295"],
    );
    refused(
        "target avx2 function F (&0 \"a: input v256[1]) { }",
        expect!["1:28: the text in quotes has no end on its line"],
    );
    refused(
        &format!("target avx2 function F () {{ {} }}", "loop i0 < 1 { ".repeat(99)),
        expect!["1:939: loops are nested more than 64 deep"],
    );
}

/// Broken texts get a message, never a panic.
#[test]
fn every_change_of_a_text_is_parsed_or_refused() {
    for at in (0..EXAMPLE.len()).filter(|&at| EXAMPLE.is_char_boundary(at)) {
        for with in ["", "%", "&", "(", "9", "\"", "i7", "*"] {
            let text = format!("{}{with}{}", &EXAMPLE[..at], EXAMPLE.get(at + 1..).unwrap_or(""));
            if let Ok(program) = Program::parse(&text) {
                // Sound or not, the checker ends, and what it takes prints again.
                if let Ok(checked) = usuba_machine::check(program) {
                    assert!(Program::parse(&checked.to_string()).is_ok(), "{text}");
                }
            }
        }
    }
}
