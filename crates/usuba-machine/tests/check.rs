//! The checker: each broken program with what it is told.

use expect_test::{Expect, expect};
use usuba_machine::{Program, check};

/// What the checker says of a text, a line for each flaw.
fn refused(text: &str, expected: Expect) {
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let flaws = check(program).expect_err("it is not sound");
    let lines: Vec<String> = flaws.iter().map(|flaw| format!("{flaw}\n")).collect();
    expected.assert_eq(&lines.concat());
}

/// A function of `avx2` that reads `&0`, a whole register at a time, and `&1`, by scalars, and writes `&2`.
fn body(body: &str) -> String {
    format!(
        "target avx2\nfunction F (&0 \"a\": input v256x32[4], &1 \"k\": uniform u32[2], &2 \"r\": output v256x32[4]) {{\n{body}\n}}\n"
    )
}

#[test]
fn registers_are_defined_once_and_before() {
    refused(
        &body(
            "unused %1: v256x32
             %0: v256x32 = load vmovdqa &0[0]
             %2: v256x32 = vpxor %0, %1
             %3: v256x32 = vpxor %4, %0
             %4: v256x32 = vpxor %0, %0
             store vmovdqa &2[0], %9
             unknown",
        )
        .replace("             unknown", ""),
        expect![[r#"
            function `F`, %2: %1 is used where it is not defined
            function `F`, %3: %4 is used where it is not defined
            function `F`: %9 is not a register of the function
        "#]],
    );
}

#[test]
fn what_a_loop_defines_stays_in_it() {
    refused(
        &body(
            "%0: v256x32 = load vmovdqa &0[0]
             loop i0 < 4 carry (%1: v256x32 = %0 next %2) {
               %2: v256x32 = vpxor %1, %0
               %3: v256x32 = vpxor %2, %0
             }
             store vmovdqa &2[0], %1
             store vmovdqa &2[1], %3
             loop i0 < 2 {
             }
             loop i1 < 0 {
             }",
        ),
        expect![[r#"
            function `F`: %3 is used where it is not defined
            function `F`: i0 is the induction variable of two loops
            function `F`: a loop is run at least once, and a part has at least one element
        "#]],
    );
}

#[test]
fn instructions_fit_their_operands() {
    refused(
        &body(
            "%0: v256x32 = load vmovdqa &0[0]
             %1: v256x32 = vpxor %0
             %2: v256x32 = vpslld.32 32 %0
             %3: v256x32 = vpslld.32 %0
             %4: v128x32 = vpxor %0, %0
             %5: v256x16 = vpxor %0, %0
             %6: v256x32 = vpaddd.32 7 %0, %0
             %7: v256x32 = load vmovdqa &1[0]
             %8: v256x32 = load vpbroadcastq.64 &1[0]
             %9: g64 = vpxor %0, %0
             %10: v128x32 = load vmovdqa &0[1]
             store vmovdqa &2[0], %10",
        ),
        expect![[r#"
            function `F`, %1: `vpxor`: it takes 2 operands, not 1
            function `F`, %2: `vpslld.32`: it has no meaning for this immediate: Some(32)
            function `F`, %3: `vpslld.32`: it has no meaning for this immediate: None
            function `F`, %4: %0 has the type v256x32, but v128x32 is needed
            function `F`, %6: `vpaddd.32`: it has no meaning for this immediate: Some(7)
            function `F`, %7: `vmovdqa` does not repeat what it loads
            function `F`, %8: what is repeated has the type u32, but 8 bytes is needed
            function `F`, %9: %0 has the type v256x32, but g64 is needed
            function `F`, %10: what is loaded has the type v256x32, but v128x32 is needed
            function `F`: what is stored has the type v128x32, but v256x32 is needed
        "#]],
    );
}

#[test]
fn addresses_are_inside_for_all_inductions() {
    refused(
        &body(
            "&3 \"t\": local v256x32[3]
             loop i0 < 4 {
               %0: v256x32 = load vmovdqa &0[i0 + 1]
               %1: v256x32 = load vmovdqa &0[-i0 + 2]
               store vmovdqa &0[0], %0
               store vmovdqa &3[i0], %1
             }
             %2: v256x32 = load vmovdqa &0[i0]
             fill vmovdqa &2[1], %2 4
             copy vmovdqa vmovdqa &3[1], &3[0] 2
             copy vmovdqa vmovdqa &3[2], &3[0] 2
             copy vmovdqa vmovdqa &2[0], &0[0] 0",
        ),
        expect![[r#"
            function `F`, %0: &0[i0 + 1] may lie outside of the 4 elements of its region (elements used from there on: 1)
            function `F`, %1: &0[-i0 + 2] may lie outside of the 4 elements of its region (elements used from there on: 1)
            function `F`: &0 is an input; it is not written
            function `F`: &3[i0] may lie outside of the 3 elements of its region (elements used from there on: 1)
            function `F`, %2: i0 is used outside of its loop
            function `F`: &2[1] may lie outside of the 4 elements of its region (elements used from there on: 4)
            function `F`: two places of &3 that the step reads and writes overlap
            function `F`: &3[2] may lie outside of the 3 elements of its region (elements used from there on: 2)
            function `F`: a loop is run at least once, and a part has at least one element
        "#]],
    );
}

#[test]
fn calls_fit_their_callee() {
    let callee = "function G (%0: v256x32, &0 \"a\": input v256x32[2], &1 \"r\": output v256x32[1]) {
          store vmovdqa &1[0], %0
        }
        function F ";
    refused(
        &body(
            "&3 \"t\": local v256x32[3]
             %0: v256x32 = load vmovdqa &0[0]
             call G(%0, read &0[3], write &2[0])
             call G(%0, read &1[0], write &2[0])
             call G(%0, read &0[0], write &0[0])
             call G(%0, read &3[0], write &3[1])
             call G(%0, write &3[0], result %1: v256x32)
             call G(%0, read &3[0])
             call G(read &3[0], %0, result %2: v256x32)
             call G(%0, read &3[1], write &3[0])",
        )
        .replace("function F ", callee),
        expect![[r#"
            function `F`: &0[3] may lie outside of the 4 elements of its region (elements used from there on: 2)
            function `F`: argument 1 does not fit its parameter: the elements differ
            function `F`: &0 is an input; it is not written
            function `F`: two places of &3 that the step reads and writes overlap
            function `F`, %1: argument 1 does not fit its parameter: one is for reading, the other for writing
            function `F`: the call has 2 arguments for 3 parameters
            function `F`, %2: argument 0 does not fit its parameter: one is a register, the other memory
        "#]],
    );
}

#[test]
fn public_counts_bound_their_loops_and_regions() {
    refused(
        "target avx2
         function F (%0 \"n\": count, %1 \"m\": count, %2: v256x32, &0 \"a\": input v256x32[2*%0], &1 \"r\": output v256x32[%0]) {
           &2 \"t\": local v256x32[%0]
           loop i0 < %0 {
             %3: v256x32 = load vmovdqa &0[2*i0 + 1]
             store vmovdqa &1[i0], %3
             %4: v256x32 = load vmovdqa &0[2*i0 + 2]
             %5: v256x32 = load vmovdqa &0[3*i0]
             %6: v256x32 = load vmovdqa &0[-i0]
           }
           loop i1 < %1 {
             %7: v256x32 = load vmovdqa &0[i1]
             loop i2 < %0 {
               %8: v256x32 = load vmovdqa &0[i1 + i2]
             }
           }
           %9: v256x32 = load vmovdqa &0[0]
           loop i3 < %2 {
           }
         }",
        expect![[r#"
            function `F`: the length of &2 is not constant or is 0; memory of the function's own has a constant size
            function `F`, %4: &0[2*i0 + 2] may lie outside of the 2*%0 elements of its region (elements used from there on: 1)
            function `F`, %5: &0[3*i0] may lie outside of the 2*%0 elements of its region (elements used from there on: 1)
            function `F`, %6: &0[-i0] may lie outside of the 2*%0 elements of its region (elements used from there on: 1)
            function `F`, %7: &0[i1] may lie outside of the 2*%0 elements of its region (elements used from there on: 1)
            function `F`, %8: &0[i1 + i2] may lie outside of the 2*%0 elements of its region (elements used from there on: 1)
            function `F`, %9: &0[0] may lie outside of the 2*%0 elements of its region (elements used from there on: 1)
            function `F`: %2 is no public count: a register of the type `count`, for the length of a parameter one of the parameters
        "#]],
    );
}

#[test]
fn constants_are_of_their_rows() {
    refused(
        &body(
            "%0: v256x32 = constant vmovdqa.32 lanes 0x1 0x2
             %1: v256x32 = constant vbroadcasti128 bytes 0001
             loop i0 < 2 {
               %2: v256x32 = constant vmovdqa.32 0x1
             }",
        ),
        expect![[r#"
            function `F`, %0: `vmovdqa.32`: it takes another kind of constant, or one of another size
            function `F`, %1: `vbroadcasti128`: it takes another kind of constant, or one of another size
            function `F`, %2: a constant stands among the steps; constants come first
        "#]],
    );
}

#[test]
fn a_program_has_functions_of_different_names() {
    refused(
        "target avx2",
        expect![[r#"
        the program has no function; the last function is its entry
    "#]],
    );
    refused(
        "target avx2 function F () { } function F () { }",
        expect![[r#"
        `F` is the name of two functions; names are unique
    "#]],
    );
}

#[test]
fn counts_of_induction_variables_have_bounds() {
    refused(
        "target avx512
         function F (&0 \"a\": input u8[256]) {
           loop i0 < 10 {
             %0: count = [i0 - 1]
             %1: count = [i0]
             %2: count = %1 mod 5
             %3: count = 64*%2
             &1 \"rest\": input u8[64] = &0 + %3
             %4: count = [i1]
           }
         }",
        expect![[r#"
            function `F`, %0: %0 may be negative; a public count is not
            function `F`: &1 may reach beyond the end of &0, of which it is a view
            function `F`, %4: i1 is used outside of its loop
        "#]],
    );
}

#[test]
fn parts_and_views_are_inside() {
    refused(
        "target avx512
         function F (%0 \"n\": count, &0 \"a\": input u8[%0], &1 \"r\": output u8[%0], &2 \"t\": output v512[4]) {
           %1: count = %0 - 1
           %2: count = %0 / 64
           %3: count = %0 mod 65
           %4: count = %0 / 0
           %5: count = 64*%2 + 1
           &3 \"beyond\": input u8[%2] = &0 + %5
           &4 \"other\": output u8[%2] = &0 + %2
           &5 \"twice\": input u8[%2] = &0 + %2
           %6: v512 = load vmovdqu8.8 &0[0] part %3
           %7: v512 = load vmovdqu8.8 &5[1] part %2
           %8: count = min(%2, 63)
           %9: v512 = load vmovdqu8.8 &5[0] part %8
           store vmovdqu8.8 &2[0], %9 part %8
           store vmovdqu8.8 &0[0], %9 part %8
           store vmovdqu64 &1[0], %9
           store vmovdqa64 &1[0], %9
           copy &1[0], &1[0] part %8
           copy &2[0], &1[0] part %8
         }",
        expect![[r#"
            function `F`, %1: %1 may be negative; a public count is not
            function `F`, %4: a public count is divided by 0
            function `F`: &3 may reach beyond the end of &0, of which it is a view
            function `F`: &4 has another role or other elements than &0, of which it is a view
            function `F`, %6: %3 may be as many elements as v512 has; a part is fewer
            function `F`, %7: %2 may be as many elements as v512 has; a part is fewer
            function `F`: what is moved in part has the type v512, but 1 bytes is needed
            function `F`: &0 is an input; it is not written
            function `F`: &1[0] may lie outside of the %0 elements of its region (elements used from there on: 64)
            function `F`: `vmovdqa64` does not store a register anywhere
            function `F`: two places of &1 that the step reads and writes overlap
            function `F`: &2[0] may lie outside of the 4 elements of its region (elements used from there on: %8)
        "#]],
    );
}

#[test]
fn lanes_have_a_place_each() {
    refused(
        "target avx2
         function F (&0 \"a\": input u8[64], &1 \"r\": changed u8[64], &2 \"t\": output v256[4]) {
           %0: v256 = load vmovdqu+vinserti128.128 &0[0], &1[48]
           %1: v256 = load vmovdqu+vinserti128.128 &0[0]
           %2: v256 = load vmovdqu+vinserti128.128 &0[0], &0[49]
           %3: v256 = load vmovdqu+vinserti128.128 &0[0], &2[0]
           loop i0 < 2 {
             store vmovdqu+vextracti128.128 &1[16*i0], &1[16*i0 + 32], %0
             store vmovdqu+vextracti128.128 &1[16*i0], &1[16*i0 + 33], %0
           }
           store vmovdqu+vextracti128.128 &1[0], &0[16], %0
           store vmovdqu+vextracti128.128 &1[0], &1[16], &1[32], %0
         }",
        expect![[r#"
            function `F`, %1: `vmovdqu+vinserti128.128` moves a lane for each of 2 places, not of 1
            function `F`, %2: &0[49] may lie outside of the 64 elements of its region (elements used from there on: 16)
            function `F`, %3: a lane in memory has the type v256, but 16 bytes is needed
            function `F`: &1[16*i0 + 33] may lie outside of the 64 elements of its region (elements used from there on: 16)
            function `F`: &0 is an input; it is not written
            function `F`: `vmovdqu+vextracti128.128` moves a lane for each of 2 places, not of 3
        "#]],
    );
}
