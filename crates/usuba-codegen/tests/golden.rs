//! The text of generated C for tiny programs, and what is said about what a target lacks.

mod harness;

use expect_test::{Expect, expect};
use harness::{case, compare, compilers};
use usuba_codegen::{Definition, NoCode, Options, admits, generate};
use usuba_ir::check::check as check_program;
use usuba_ir::program::Program;
use usuba_target::by_name;

/// Compares the code after the head of the file, and runs it.
fn check(target: &str, text: &str, expected: Expect) {
    let target = by_name(target).expect("a target");
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{error:?}"));
    let cases = [case(program, target, "toy")];
    let source = &cases[0].kernel.source;
    expected.assert_eq(source.split_once("*/\n").expect("a head").1);
    let folder = tempfile::tempdir().expect("a folder");
    for compiler in compilers(target) {
        compare(&cases, &compiler, "-O2", folder.path());
    }
}

/// Locals have the names of the source; comments have the formula of three-input logic, and the place where it changes.
#[test]
fn names_formulas_and_places() {
    let text = "file \"ciphers/toy.ua\"
        node Toy (%0 a: v64, %1 b: v64, %2 c: v64[2]) -> (r: v64) {
           %3: v64 = get %2[1]  @4:9
           %4: v64 = xor %0, %1  @4:9
           %5: v64 = xor %4, %3  @4:5 \"Sbox.t14\"
           %6: v64 = constant 0xf0  @9:5
           %7: v64 = add %5, %6  @9:5 \"state[3]\"
           %8: v64 = add %7, %1  @9:5
           return %8
         }";
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{error:?}"));
    let checked = check_program(&program).expect("a valid program");
    let definition = |line, name: &str| Definition { file: "ciphers/toy.ua".into(), line, name: name.into() };
    let definitions = vec![definition(3, "Sbox"), definition(8, "Toy")];
    let options = Options { symbol: "toy".into(), definitions, ..Options::default() };
    let kernel = generate(checked, by_name("avx512").expect("a target"), &options).expect("it has code");
    let (_, body) = kernel.source.rsplit_once(" {\n").expect("a function");
    expect![[r#"
          const __m512i constant_0xf0 = _mm512_set1_epi64((long long)0xf0u);
          const __m512i a_0 = a[0];
          const __m512i b_0 = b[0];
          const __m512i c_1 = c[1];
          const __m512i Sbox_t14 = _mm512_ternarylogic_epi64(a_0, b_0, c_1, 150); /* 0x96: a_0 ^ b_0 ^ c_1    toy.ua:4 Sbox */
          const __m512i state_3 = _mm512_add_epi64(Sbox_t14, constant_0xf0); /* toy.ua:9 Toy */
          const __m512i t_1 = _mm512_add_epi64(state_3, b_0);
          r[0] = t_1;
        }
    "#]].assert_eq(body);
}

#[test]
fn loop_with_carried_atoms() {
    check(
        "gp64",
        "node Fibonacci (%0 a: v16, %1 b: v16) -> (r: v16, s: v16) {
           %6: v16, %7: v16 = loop i0 < 10 carry (%2: v16 \"x\" = %0, %3: v16 \"y\" = %1) {
             %4: v16 = add %2, %3 \"sum\"
             %5: v16 = rotate_left %4, 3 \"turned\"
             yield %3, %5
           }
           return %6, %7
         }",
        expect![[r#"
            #include <stddef.h>
            #include <stdint.h>

            void toy(
                const uint16_t *restrict a,
                const uint16_t *restrict b,
                uint16_t *restrict r,
                uint16_t *restrict s);

            void toy(
                const uint16_t *restrict a,
                const uint16_t *restrict b,
                uint16_t *restrict r,
                uint16_t *restrict s) {
              const uint16_t a_0 = a[0];
              const uint16_t b_0 = b[0];
              uint16_t x = a_0;
              uint16_t y = b_0;
            #pragma GCC unroll 1
              for (size_t _i0 = 0; _i0 < 5; _i0++) {
                const uint16_t sum = (uint16_t)(x + y);
                const uint16_t turned = (uint16_t)((sum << 3) | (sum >> 13));
                const uint16_t sum_1 = (uint16_t)(y + turned);
                const uint16_t turned_1 = (uint16_t)((sum_1 << 3) | (sum_1 >> 13));
                x = turned;
                y = turned_1;
              }
              r[0] = x;
              s[0] = y;
            }
        "#]],
    );
}

#[test]
fn loop_over_an_array() {
    check(
        "avx2",
        "node Rounds (%0 plain: b1[2], %1 key: uniform b1[8] as [4][2]) -> (cipher: b1[2]) {
           %9: b1[2] = loop i0 < 4 carry (%2: b1[2] = %0) {
             %3: b1 = get %2[0] \"st[0]\"
             %4: b1 = get %2[1] \"st[1]\"
             %5: b1 = get %1[2*i0] \"k[0]\"
             %6: b1 = xor %3, %5
             %7: b1 = andnot %4, %6
             %8: b1[2] = array [%7, %6]
             yield %8
           }
           return %9
         }",
        expect![[r#"
            #include <stddef.h>
            #include <stdint.h>
            #include <immintrin.h>

            void toy(
                const __m256i *restrict plain /* [2] */,
                const uint32_t *restrict key /* [4][2] */,
                __m256i *restrict cipher /* [2] */);

            /* Clang keeps vectors on the stack as it finds it, across lines of the cache. */
            #if defined(__clang__)
            #define USUBA_ALIGNED_STACK __attribute__((force_align_arg_pointer))
            #else
            #define USUBA_ALIGNED_STACK
            #endif

            USUBA_ALIGNED_STACK void toy(
                const __m256i *restrict plain /* [2] */,
                const uint32_t *restrict key /* [4][2] */,
                __m256i *restrict cipher /* [2] */) {
              for (size_t _k = 0; _k < 2; _k++) cipher[_k] = plain[_k];
            #pragma GCC unroll 1
              for (size_t _i0 = 0; _i0 < 4; _i0++) {
                const __m256i st_0 = cipher[0];
                const __m256i st_1 = cipher[1];
                const __m256i k_0 = _mm256_set1_epi32((int)key[2 * _i0]);
                const __m256i t = _mm256_xor_si256(st_0, k_0);
                cipher[1] = t;
                const __m256i t_1 = _mm256_andnot_si256(t, st_1);
                cipher[0] = t_1;
              }
            }
        "#]],
    );
}

#[test]
fn calls() {
    check(
        "avx512",
        "node Swap no_inline (%0 x: h16, %1 y: h16) -> (a: h16, b: h16) {
           %2: h16 = rotate_left %0, 5
           %3: h16 = xor %1, %2
           return %3, %0
         }
         node Toy (%0 in: h16[2], %1 k: uniform h16) -> (out: h16[2]) {
           %2: h16 = get %0[0]
           %3: h16 = get %0[1]
           %4: h16 = xor %3, %1
           %5: h16, %6: h16 = call Swap(%2, %4)
           %7: h16[2] = array [%5, %6]
           return %7
         }",
        expect![[r#"
            #include <stddef.h>
            #include <stdint.h>
            #include <immintrin.h>

            void toy(
                const __m512i *restrict in /* [2] */,
                const uint8_t *restrict k /* [16] */,
                __m512i *restrict out /* [2] */);

            /* Clang keeps vectors on the stack as it finds it, across lines of the cache. */
            #if defined(__clang__)
            #define USUBA_ALIGNED_STACK __attribute__((force_align_arg_pointer))
            #else
            #define USUBA_ALIGNED_STACK
            #endif

            USUBA_ALIGNED_STACK __attribute__((noinline)) static void toy_Swap(__m512i x, __m512i y, __m512i *restrict a, __m512i *restrict b) {
              const __m512i constant = _mm512_broadcast_i32x4(_mm_setr_epi8(5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4));
              const __m512i t = _mm512_shuffle_epi8(x, constant);
              const __m512i t_1 = _mm512_xor_si512(y, t);
              a[0] = t_1;
              b[0] = x;
            }

            USUBA_ALIGNED_STACK void toy(
                const __m512i *restrict in /* [2] */,
                const uint8_t *restrict k /* [16] */,
                __m512i *restrict out /* [2] */) {
              const __m512i k_0 = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)(k + 16 * (0))));
              const __m512i in_0 = in[0];
              const __m512i in_1 = in[1];
              const __m512i t = _mm512_xor_si512(in_1, k_0);
              __m512i t_1, t_2;
              toy_Swap(in_0, t, &t_1, &t_2);
              out[0] = t_1;
              out[1] = t_2;
            }
        "#]],
    );
}

/// Rotations across groups of a register join two groups, or move words of 64 bits; the exchange of groups is made once.
#[test]
fn rotations_across_groups() {
    check(
        "avx2",
        "file \"toy.ua\"
node Toy (%0 a: h32) -> (r: h32) {
  %1: h32 = rotate_left %0, 1
  %2: h32 = rotate_right %0, 2
  %3: h32 = rotate_left %0, 8
  %4: h32 = and %1, %2
  %5: h32 = xor %4, %3
  return %5
}",
        expect![[r#"
            #include <stddef.h>
            #include <stdint.h>
            #include <immintrin.h>

            void toy(
                const __m256i *restrict a,
                __m256i *restrict r);

            /* Clang keeps vectors on the stack as it finds it, across lines of the cache. */
            #if defined(__clang__)
            #define USUBA_ALIGNED_STACK __attribute__((force_align_arg_pointer))
            #else
            #define USUBA_ALIGNED_STACK
            #endif

            USUBA_ALIGNED_STACK void toy(
                const __m256i *restrict a,
                __m256i *restrict r) {
              const __m256i a_0 = a[0];
              const __m256i t = _mm256_permute2x128_si256(a_0, a_0, 1);
              const __m256i t_3 = _mm256_permute4x64_epi64(a_0, 57);
              const __m256i t_1 = _mm256_alignr_epi8(t, a_0, 1);
              const __m256i t_2 = _mm256_alignr_epi8(a_0, t, 14);
              const __m256i t_4 = _mm256_and_si256(t_1, t_2);
              const __m256i t_5 = _mm256_xor_si256(t_4, t_3);
              r[0] = t_5;
            }
        "#]],
    );
}

/// Two loops that start from one array and replace all of it start from no content; what they write by index and others
/// read at fixed places has a base of its own on general-purpose registers.
/// GCC is told to take in what is called twice; on general-purpose registers only where arguments are many beside the body.
#[test]
fn what_gcc_takes_into_callers() {
    let program = |body: &str| {
        format!(
            "node Round (%0 a: v16) -> (r: v16) {{
               {body}
             }}
             node Rounds (%0 a: v16) -> (r: v16) {{
               %1: v16 = call Round(%0)
               %2: v16 = call Round(%1)
               return %2
             }}"
        )
    };
    let short = program("%1: v16 = rotate_left %0, 3\n%2: v16 = xor %1, %0\nreturn %2");
    let long: String =
        (1..12).map(|n| format!("%{n}: v16 = rotate_left %{}, {n}\n", n - 1)).collect::<String>();
    let long = program(&format!("{long} return %11"));
    let takes_in = |target: &str, text: &str| {
        let target = by_name(target).expect("a target");
        let program = Program::parse(text).unwrap_or_else(|error| panic!("{error:?}"));
        case(program, target, "toy").kernel.source.contains("USUBA_INTO_CALLER void toy_Round")
    };
    assert!(takes_in("gp64", &short) && takes_in("avx2", &short) && takes_in("avx2", &long));
    assert!(!takes_in("gp64", &long));
    let bits = |text: &str| text.replace("v16", "b1").replace("rotate_left %0, 3", "not %0");
    assert!(!takes_in("avx2", &bits(&short)));
}

#[test]
fn arrays_that_loops_replace() {
    check(
        "gp64",
        "node Twice (%0 x: b1[4], %1 key: b1[4]) -> (a: b1, b: b1[4]) {
           %2: b1 = constant 0x0
           %3: b1[4] = array [%2, %2, %2, %2]
           %4: b1[4] = loop i0 < 4 carry (%5: b1[4] = %3) {
             %6: b1 = get %0[i0]
             %7: b1 = get %1[i0]
             %8: b1 = xor %6, %7
             %9: b1[4] = set %5[-i0 + 3], %8
             yield %9
           }
           %10: b1[4] = loop i1 < 4 carry (%11: b1[4] = %3) {
             %12: b1 = get %4[i1]
             %13: b1 = get %0[i1]
             %14: b1 = and %12, %13
             %15: b1[4] = set %11[i1], %14
             yield %15
           }
           %16: b1 = get %4[0]
           return %16, %10
         }",
        expect![[r##"
            #include <stddef.h>
            #include <stdint.h>

            void toy(
                const uint64_t *restrict x /* [4] */,
                const uint64_t *restrict key /* [4] */,
                uint64_t *restrict a,
                uint64_t *restrict b /* [4] */);

            void toy(
                const uint64_t *restrict x /* [4] */,
                const uint64_t *restrict key /* [4] */,
                uint64_t *restrict a,
                uint64_t *restrict b /* [4] */) {
              uint64_t memory[4];
              uint64_t *locals = memory;
              /* The compiler shall not know that they are on the stack. */
              __asm__("" : "+r"(locals));
              uint64_t *const array = locals;
            #pragma GCC unroll 1
              for (size_t _i0 = 0; _i0 < 4; _i0++) {
                const uint64_t x_i0 = x[_i0];
                const uint64_t key_i0 = key[_i0];
                const uint64_t t_1 = x_i0 ^ key_i0;
                array[3 - _i0] = t_1;
              }
            #pragma GCC unroll 1
              for (size_t _i1 = 0; _i1 < 4; _i1++) {
                const uint64_t array_i1 = array[_i1];
                const uint64_t x_i1 = x[_i1];
                const uint64_t t_2 = array_i1 & x_i1;
                b[_i1] = t_2;
              }
              const uint64_t array_0 = array[0];
              a[0] = array_0;
            }
        "##]],
    );
}

/// A window that goes along an array: where it is longer than what registers hold, GCC is told to read it again in every turn.
#[test]
fn what_gcc_reads_again() {
    let has = |target: &str, window: usize| {
        let mut text = "node Window (%0 x: b1[64]) -> (r: b1[64]) {
           %1: b1[64] = loop i0 < 8 carry (%2: b1[64] = %0) {\n"
            .to_owned();
        for place in 0..window {
            let (read, sum) = (3 + 2 * place, 4 + 2 * place);
            let operand = if place == 0 { read } else { sum - 2 };
            text += &format!("%{read}: b1 = get %2[i0 + {place}]\n%{sum}: b1 = xor %{read}, %{operand}\n");
        }
        let (last, set) = (2 + 2 * window, 3 + 2 * window);
        text += &format!("%{set}: b1[64] = set %2[i0 + 50], %{last}\nyield %{set}\n}}\nreturn %1\n}}");
        let program = Program::parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        let cases = [case(program, by_name(target).expect("a target"), "toy")];
        let folder = tempfile::tempdir().expect("a folder");
        for compiler in compilers(by_name(target).expect("a target")) {
            compare(&cases, &compiler, "-O2", folder.path());
        }
        cases[0].kernel.source.contains("\n    USUBA_READ_AGAIN(")
    };
    assert!(has("gp64", 24) && has("avx2", 24) && has("avx512", 40));
    assert!(!has("gp64", 8) && !has("avx2", 8) && !has("avx512", 24));
}

#[test]
fn many_atoms_go_through_memory() {
    check(
        "gp64",
        "node Turn (%0 a: b1, %1 b: b1, %2 c: b1, %3 d: b1, %4 e: b1, %5 f: b1, %6 g: b1, %7 h: b1, %8 i: b1)
           -> (p: b1, q: b1, r: b1, s: b1, t: b1, u: b1, v: b1, w: b1, x: b1) {
           %9: b1 = xor %0, %8
           return %1, %2, %3, %4, %5, %6, %7, %8, %9
         }
         node Toy (%0 in: b1[2]) -> (out: b1, other: b1) {
           %1: b1 = get %0[0]
           %2: b1 = get %0[1]
           %3: b1, %4: b1, %5: b1, %6: b1, %7: b1, %8: b1, %9: b1, %10: b1, %11: b1 = call Turn(%1, %2, %1, %2, %1, %2, %1, %2, %2)
           return %3, %11
         }",
        expect![[r#"
            #include <stddef.h>
            #include <stdint.h>

            void toy(
                const uint64_t *restrict in /* [2] */,
                uint64_t *restrict out,
                uint64_t *restrict other);

            static void toy_Turn(const uint64_t *restrict atoms, uint64_t *restrict results) {
              const uint64_t atoms_0 = atoms[0];
              const uint64_t atoms_1 = atoms[1];
              const uint64_t atoms_2 = atoms[2];
              const uint64_t atoms_3 = atoms[3];
              const uint64_t atoms_4 = atoms[4];
              const uint64_t atoms_5 = atoms[5];
              const uint64_t atoms_6 = atoms[6];
              const uint64_t atoms_7 = atoms[7];
              const uint64_t atoms_8 = atoms[8];
              const uint64_t t = atoms_0 ^ atoms_8;
              results[8] = t;
              results[0] = atoms_1;
              results[1] = atoms_2;
              results[2] = atoms_3;
              results[3] = atoms_4;
              results[4] = atoms_5;
              results[5] = atoms_6;
              results[6] = atoms_7;
              results[7] = atoms_8;
            }

            void toy(
                const uint64_t *restrict in /* [2] */,
                uint64_t *restrict out,
                uint64_t *restrict other) {
              uint64_t atoms[9];
              uint64_t results[9];
              const uint64_t in_0 = in[0];
              const uint64_t in_1 = in[1];
              atoms[0] = in_0;
              atoms[1] = in_1;
              atoms[2] = in_0;
              atoms[3] = in_1;
              atoms[4] = in_0;
              atoms[5] = in_1;
              atoms[6] = in_0;
              atoms[7] = in_1;
              atoms[8] = in_1;
              toy_Turn(atoms, results);
              const uint64_t results_0 = results[0];
              const uint64_t results_8 = results[8];
              out[0] = results_0;
              other[0] = results_8;
            }
        "#]],
    );
}

#[test]
fn header() {
    let target = by_name("avx2").expect("a target");
    let program = Program::parse(
        "node Toy (%0 in: h32[2], %1 k: uniform h32[2]) -> (out: h32) {\n  %2: h32 = get %0[0]\n  return %2\n}",
    );
    let case = case(program.unwrap_or_else(|error| panic!("{error:?}")), target, "usuba_toy_avx2");
    expect![[r#"
        /*
         * Generated by usubac 0.1.0. Do not edit.
         * Command: test
         * Slicing: H, 32 elements of 8 instances in each 256 bits, 8 instances a call.
         * Target: avx2 (256-bit AVX2); requires avx && avx2.
         * ABI: C. Every parameter is the address of its atoms, row-major, aligned as __m256i is;
         *      inputs are not written; an output overlaps neither an input nor another output.
         * Layout: byte 32 c + 1 e + j / 8 of the register in memory has, as bit j mod 8, bit e from the most
         *         significant of the atom of instance 8 c + j, for j < 8, in either byte order.
         * Uniform inputs: per atom 32 bytes, those of one chunk: element e is all ones if bit e from the most significant is set.
         * No branch and no address depends on the data.
         */
        #ifndef USUBA_TOY_AVX2_H
        #define USUBA_TOY_AVX2_H

        #include <stdint.h>
        #include <immintrin.h>

        #ifndef USUBA_RESTRICT
        #if defined(__cplusplus)
        #define USUBA_RESTRICT __restrict
        #else
        #define USUBA_RESTRICT restrict
        #endif
        #endif

        #ifdef __cplusplus
        extern "C" {
        #endif

        /* Parallel instances that a call computes. */
        #define USUBA_TOY_AVX2_INSTANCES 8

        void usuba_toy_avx2(
            const __m256i *USUBA_RESTRICT in /* [2] */,
            const uint8_t *USUBA_RESTRICT k /* [2][32] */,
            __m256i *USUBA_RESTRICT out);

        #ifdef __cplusplus
        }
        #endif

        #endif
    "#]].assert_eq(&case.kernel.header);
}

fn refused(target: &str, text: &str, expected: Expect) {
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{error:?}"));
    let checked = check_program(&program).expect("the program has no flaw");
    let Err(NoCode::Missing(missing)) = admits(checked, by_name(target).expect("a target")) else {
        panic!("something is missing");
    };
    let lines: Vec<String> = missing.iter().map(|missing| format!("{missing}\n")).collect();
    expected.assert_eq(&lines.concat());
}

#[test]
fn what_is_missing() {
    let shuffle = |width: u32| {
        format!(
            "file \"toy.ua\"\nnode Toy (%0 a: h{width}) -> (r: h{width}) {{\n  %1: h{width} = rotate_left %0, 1 @7:12 \"r\"\n  return %1\n}}\n"
        )
    };
    refused(
        "ssse3",
        &shuffle(32),
        expect![[r#"
            toy.ua:7:12: in node `Toy`: there is no shuffle of 32 elements on ssse3; gp64, gp64-bmi, avx2, avx2-vaes, avx2-gfni, avx512-256, avx512, avx512-gfni, avx512-vaes have one (u<H>32: no instructions shuffle 32 elements)
        "#]],
    );
    refused(
        "sse2",
        &shuffle(8),
        expect![[r#"
            toy.ua:7:12: in node `Toy`: there is no shuffle of 8 elements on sse2; gp64, gp64-bmi, ssse3, sse4.2, avx, avx-aes, avx2, avx2-vaes, avx2-gfni, avx512-128, avx512-256, avx512, avx512-gfni, avx512-vaes, neon, neon-aes, altivec have one (u<H>8: no instructions shuffle 8 elements)
        "#]],
    );
    refused(
        "avx512",
        &shuffle(12),
        expect![[r#"
            toy.ua:7:12: in node `Toy`: there is no shuffle of 12 elements on avx512; no target has one (u<H>12: 12 elements do not fit a register; H needs a width of 2, 4, 8, 16, 32 or 64)
        "#]],
    );
    refused(
        "avx2",
        "file \"toy.ua\"\nnode Toy (%0 a: b1, %1 b: b1) -> (r: b1) {\n  %2: b1 = add %0, %1 @3:9\n  return %2\n}",
        expect![[r#"
            toy.ua:3:9: in node `Toy`: there is no addition on avx2; no target has one (b1: arithmetic needs the bits of a word side by side, and B spreads them; use -V)
        "#]],
    );
    refused(
        "avx2",
        "file \"toy.ua\"\nnode Toy (%0 a: v128) -> (r: v128) {\n  %1: v128 = not %0 @4:1\n  return %1\n}",
        expect![[r#"
            toy.ua:4:1: in node `Toy`: there is no register of u<V>128 atoms on avx2; no target has one (u<V>128: a lane has at most 64 bits, the atom has 128; use -B)
        "#]],
    );
    refused(
        "avx2",
        "node Toy (%0 a: h16, %1 b: v16) -> (r: h16) {\n  return %0\n}",
        expect![[r#"
            in node `Toy`: there is no common layout of u<H>16, u<V>16 on avx2; no target has one (u<H>16: an H-sliced program must have atoms of one width only; use -V or -B)
        "#]],
    );
}
