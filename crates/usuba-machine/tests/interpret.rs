//! The interpreter: programs by hand whose results are known.

use usuba_machine::interpret::Interpreter;
use usuba_machine::{Checked, Fault, Program, check, run};

fn checked(text: &str) -> Checked {
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{error}"));
    check(program).unwrap_or_else(|flaws| panic!("{}", flaws[0]))
}

/// Words of 64 bits as bytes.
fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn carried_registers_change_at_once() {
    let program = checked(
        "target gp64
         function Fibonacci (%0: g64, %1: g64, &0 \"r\": output g64[2]) {
           loop i0 < 10 carry (%2: g64 = %0 next %3, %3: g64 = %1 next %4) {
             %4: g64 = add.64 %2, %3
           }
           store mov &0[0], %2
           store mov &0[1], %3
         }",
    );
    assert_eq!(run(&program, &[words(&[0]), words(&[1])]), Ok(vec![words(&[55, 89])]));
}

#[test]
fn public_counts_and_calls() {
    let program = checked(
        "target gp64
         function Square (%0: g64, &0 \"k\": input g64[1], &1 \"r\": output g64[1]) {
           %1: g64 = load mov &0[0]
           %2: g64 = imul.64 %0, %0
           %3: g64 = xor %1, %2
           store mov &1[0], %3
         }
         function Squares (%0 \"n\": count, &0 \"k\": input g64[2], &1 \"a\": input g64[2*%0], &2 \"r\": output g64[%0]) {
           loop i0 < %0 {
             &3 \"t\": local g64[2]
             %1: g64 = load mov &1[2*i0 + 1]
             call Square(%1, read &0[1], write &3[1])
             copy mov mov &3[0], &3[1] 1
             %2: g64 = load mov &3[0]
             call Square(%2, read &0[0], write &2[i0])
           }
         }",
    );
    let mut interpreter = Interpreter::new(&program);
    let mut call = |keys: [u64; 2], numbers: &[u64]| {
        let pairs: Vec<u64> = numbers.iter().flat_map(|&number| [99, number]).collect();
        interpreter.run(&[words(&[numbers.len() as u64]), words(&keys), words(&pairs)])
    };
    let square = |[first, second]: [u64; 2], number: u64| {
        let once = (number * number) ^ second;
        once.wrapping_mul(once) ^ first
    };
    for numbers in [&[][..], &[3], &[1, 2, 3, 4, 5, 6, 7]] {
        let keys = [5, 8];
        let expected: Vec<u64> = numbers.iter().map(|&number| square(keys, number)).collect();
        assert_eq!(call(keys, numbers), Ok(vec![words(&expected)]));
    }
}

/// Strings of bytes, whole registers and what is left of them: exclusive-or with one byte.
#[test]
fn strings_of_any_length() {
    let program = checked(
        "target avx512
         function F (%0 \"n\": count, &0 \"a\": input u8[%0], &1 \"r\": output u8[%0]) {
           %1: v512 = constant vmovdqa64.8 0x1b
           %2: count = %0 / 64
           %3: count = %0 mod 64
           %4: count = %0 - %3
           loop i0 < %2 {
             %5: v512 = load vmovdqu64.512 &0[64*i0]
             %6: v512 = vpxorq %5, %1
             store vmovdqu64 &1[64*i0], %6
           }
           &2 \"rest\": input u8[%3] = &0 + %4
           &3 \"end\": output u8[%3] = &1 + %4
           %7: count = min(%3, 32)
           %8: count = %3 - %7
           &4 \"last\": input u8[%8] = &2 + %7
           &5 \"very.end\": output u8[%8] = &3 + %7
           %9: v512 = load vmovdqu8.8 &2[0] part %7
           %10: v512 = vpxorq %9, %1
           store vmovdqu8.8 &3[0], %10 part %7
           loop i1 < 1 {
           &6 \"t\": local u8[64]
           copy &6[0], &4[0] part %8
           %11: v512 = load vmovdqu64.512 &6[0]
           %12: v512 = vpxorq %11, %1
           store vmovdqu64 &6[0], %12
           copy &5[0], &6[0] part %8
           }
         }",
    );
    for length in 0..200 {
        let bytes: Vec<u8> = (0..length).map(|at| (at * 7) as u8).collect();
        let expected: Vec<u8> = bytes.iter().map(|byte| byte ^ 0x1b).collect();
        assert_eq!(run(&program, &[words(&[length as u64]), bytes]), Ok(vec![expected]), "{length}");
    }
}

/// Where a turn reads depends on its number, and begins anew.
#[test]
fn counts_of_induction_variables() {
    let program = checked(
        "target avx512
         function F (&0 \"table\": input u8[256], &1 \"r\": output u8[640]) {
           loop i0 < 10 {
             %0: count = [i0 + 2]
             %1: count = %0 mod 4
             %2: count = 64*%1
             &2 \"rest\": input u8[64] = &0 + %2
             %3: v512 = load vmovdqu64.512 &2[0]
             store vmovdqu64 &1[64*i0], %3
           }
         }",
    );
    let table: Vec<u8> = (0..=255).collect();
    let expected = (0..640).map(|at| ((at / 64 + 2) % 4 * 64 + at % 64) as u8).collect();
    assert_eq!(run(&program, &[table]), Ok(vec![expected]));
}

#[test]
fn inputs_that_do_not_fit_are_refused() {
    let program = checked("target gp64 function F (%0 \"n\": count, &0 \"a\": input g64[2*%0]) { }");
    assert_eq!(run(&program, &[]), Err(Fault::Inputs { expected: 2, found: 0 }));
    let size = |number, expected, found| Err(Fault::Size { number, expected, found });
    assert_eq!(run(&program, &[vec![0; 4], vec![]]), size(0, 8, 4));
    assert_eq!(run(&program, &[words(&[3]), words(&[1, 2])]), size(1, 48, 16));
}

/// Lanes come from places and go to places in order, later ones over earlier ones, and what is changed can be read again.
#[test]
fn lanes_from_and_to_places() {
    let program = checked(
        "target ssse3
         function F (&0 \"a\": changed u8[24], &1 \"r\": output u8[20]) {
           %0: v128 = load movq+movhps.64 &0[16], &0[3]
           store movq+movhps.64 &0[0], &0[8], %0
           %1: v128 = load movdqu.128 &0[0]
           store movq+movhps.64 &1[0], &1[4], %1
           store movq+movhps.64 &1[4], &1[12], %0
         }",
    );
    let bytes: Vec<u8> = (0..24).collect();
    let expected = [&bytes[16..20], &bytes[16..24], &bytes[3..11]].concat();
    assert_eq!(run(&program, &[bytes]), Ok(vec![expected]));
}

/// On a big-endian machine a lane has its most significant byte first, and constants are numbers there too.
#[test]
fn lanes_of_either_byte_order() {
    let program = checked(
        "target altivec
         function F (&0 \"a\": input u8[16], &1 \"r\": output u8[16]) {
           %0: v128 = constant lvx.64 0x1
           %1: v128 = load lxvw4x.128 &0[0]
           %2: v128 = vsld.64 8 %1
           %3: v128 = vxor %2, %0
           store stxvw4x &1[0], %3
         }",
    );
    let bytes: Vec<u8> = (1..=16).collect();
    let little = [vec![1], (1..8).collect(), vec![1], (9..16).collect()].concat();
    assert_eq!(run(&program, std::slice::from_ref(&bytes)), Ok(vec![little]));
    let big = [(2..=8).collect(), vec![1], (10..=16).collect(), vec![1]].concat();
    let run = usuba_machine::interpret::Interpreter::new(&program).on_big_endian().run(&[bytes]);
    assert_eq!(run, Ok(vec![big]));
}
