//! Programs in two halves: what depends on keys only, and the rest.

use expect_test::{Expect, expect};
use usuba_ir::check;
use usuba_ir::interpret::interpret;
use usuba_ir::program::Program;
use usuba_ir::random::{self, Atoms, Random};
use usuba_opt::hoist::{Halves, halve};

/// The outputs of the halves, one run after the other.
fn run(program: &Program, halves: &Halves, inputs: &[Vec<u128>]) -> Vec<Vec<u128>> {
    let parameters = &program.entry().inputs;
    let of = |uniform: bool| {
        let those = inputs.iter().zip(parameters).filter(move |(_, input)| input.uniform == uniform);
        those.map(|(value, _)| value.clone()).collect::<Vec<_>>()
    };
    let hoisted = interpret(&halves.hoisted, &of(true));
    let mut rest = of(false);
    let place = halves.rest.entry().inputs.iter().position(|input| input.uniform);
    rest.insert(place.expect("it takes what was hoisted"), hoisted[0].clone());
    interpret(&halves.rest, &rest)
}

fn check(text: &str, expected: Expect) {
    let program = Program::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(check::check(&program).err(), None);
    let Some(halves) = halve(&program, 64) else {
        expected.assert_eq("whole\n");
        return;
    };
    for half in [&halves.hoisted, &halves.rest] {
        assert_eq!(check::check(half).err(), None, "{half}");
    }
    let mut random = Random::new(1);
    for _ in 0..8 {
        let inputs = random::inputs(&mut random, &program, false);
        assert_eq!(run(&program, &halves, &inputs), interpret(&program, &inputs));
    }
    expected.assert_eq(&format!("{}\n{}", halves.hoisted, halves.rest));
}

#[test]
fn a_mask_of_every_round_key() {
    check(
        "
        node N (%0 x: v16, %1 key: uniform v16[4]) -> (y: v16) {
          %2: v16 = constant 0xff00
          %3: v16 = loop i0 < 4 carry (%4: v16 = %0) {
            %5: v16 = get %1[i0]
            %6: v16 = and %5, %2
            %7: v16 = xor %4, %6
            %8: v16 = rotate_left %7, 3
            yield %8
          }
          return %3
        }",
        expect![[r#"
            node N (%0 key: uniform v16[4]) -> (hoisted: v16[4]) {
              %1: v16 = constant 0x0
              %2: v16[4] = array [%1, %1, %1, %1]
              %3: v16 = constant 0xff00
              %4: v16[4] = loop i0 < 4 carry (%5: v16[4] = %2) {
                %6: v16 = get %0[i0]
                %7: v16 = and %6, %3
                %8: v16[4] = set %5[i0], %7
                yield %8
              }
              return %4
            }

            node N (%0 x: v16, %1 hoisted: uniform v16[4]) -> (y: v16) {
              %2: v16 = loop i0 < 4 carry (%3: v16 = %0) {
                %4: v16 = get %1[i0]
                %5: v16 = xor %3, %4
                %6: v16 = rotate_left %5, 3
                yield %6
              }
              return %2
            }
        "#]],
    );
}

/// A key schedule in the loop of the rounds: two loops, and an element for each trip.
#[test]
fn a_schedule_among_the_rounds() {
    check(
        "
        node N (%0 x: v16, %1 key: uniform v16) -> (y: v16) {
          %2: v16, %3: v16 = loop i0 < 4 carry (%4: v16 = %0, %5: v16 = %1) {
            %6: v16 = xor %4, %5
            %7: v16 = rotate_left %6, 3
            %8: v16 = add %5, %5
            yield %7, %8
          }
          %9: v16 = xor %2, %3
          return %9
        }",
        expect![[r#"
            node N (%0 key: uniform v16) -> (hoisted: v16[5]) {
              %1: v16 = constant 0x0
              %2: v16[5] = array [%1, %1, %1, %1, %1]
              %3: v16, %4: v16[5] = loop i0 < 4 carry (%5: v16 = %0, %6: v16[5] = %2) {
                %7: v16[5] = set %6[i0 + 1], %5
                %8: v16 = add %5, %5
                yield %8, %7
              }
              %9: v16[5] = set %4[0], %3
              return %9
            }

            node N (%0 x: v16, %1 hoisted: uniform v16[5]) -> (y: v16) {
              %2: v16 = loop i0 < 4 carry (%3: v16 = %0) {
                %4: v16 = get %1[i0 + 1]
                %5: v16 = xor %3, %4
                %6: v16 = rotate_left %5, 3
                yield %6
              }
              %7: v16 = get %1[0]
              %8: v16 = xor %2, %7
              return %8
            }
        "#]],
    );
}

/// What is added to data beside a key is added to the key, unless somebody else uses the sum.
#[test]
fn constants_go_to_keys() {
    check(
        "
        node N (%0 x: v16, %1 z: v16, %2 key: uniform v16[3]) -> (y: v16, u: v16, v: v16) {
          %3: v16 = constant 0x1234
          %4: v16 = get %2[0]
          %5: v16 = xor %0, %4
          %6: v16 = xor %5, %3
          %7: v16 = get %2[1]
          %8: v16 = xor %1, %7
          %9: v16 = not %8
          %10: v16 = add %8, %9
          %11: v16 = not %1
          %12: v16 = get %2[2]
          %13: v16 = xor %12, %11
          return %6, %10, %13
        }",
        expect![[r#"
            node N (%0 key: uniform v16[3]) -> (hoisted: v16[3]) {
              %1: v16 = constant 0x0
              %2: v16[3] = array [%1, %1, %1]
              %3: v16 = constant 0x1234
              %4: v16 = get %0[0]
              %5: v16 = xor %4, %3
              %6: v16[3] = set %2[0], %5
              %7: v16 = get %0[1]
              %8: v16[3] = set %6[1], %7
              %9: v16 = get %0[2]
              %10: v16 = not %9
              %11: v16[3] = set %8[2], %10
              return %11
            }

            node N (%0 x: v16, %1 z: v16, %2 hoisted: uniform v16[3]) -> (y: v16, u: v16, v: v16) {
              %3: v16 = get %2[0]
              %4: v16 = xor %0, %3
              %5: v16 = get %2[1]
              %6: v16 = xor %1, %5
              %7: v16 = not %6
              %8: v16 = add %6, %7
              %9: v16 = get %2[2]
              %10: v16 = xor %1, %9
              return %4, %8, %10
            }
        "#]],
    );
}

/// Nothing but keys as they are.
#[test]
fn keys_as_they_are_stay() {
    check(
        "
        node N (%0 x: v16, %1 key: uniform v16[2]) -> (y: v16) {
          %2: v16 = get %1[0]
          %3: v16 = xor %0, %2
          %4: v16 = get %1[1]
          %5: v16 = add %3, %4
          return %5
        }",
        expect![[r#"
            whole
        "#]],
    );
}

#[test]
fn random_programs_in_halves_mean_the_same() {
    let (mut cut, mut loops) = (0, 0);
    for seed in 0..6000 {
        let atoms = [Atoms::Bits, Atoms::Bytes, Atoms::Bits, Atoms::Blocks][seed as usize % 4];
        let program = random::program(seed, atoms);
        let Some(halves) = halve(&program, 64) else { continue };
        cut += 1;
        loops += u32::from(halves.hoisted.entry().inductions > 0 && halves.rest.entry().inductions > 0);
        let told = || format!("seed {seed}\n{program}\nbecame\n{}\n{}", halves.hoisted, halves.rest);
        assert_eq!(check::check(&halves.hoisted).err(), None, "{}", told());
        assert_eq!(check::check(&halves.rest).err(), None, "{}", told());
        let mut random = Random::new(seed);
        for _ in 0..4 {
            let inputs = random::inputs(&mut random, &program, false);
            assert_eq!(run(&program, &halves, &inputs), interpret(&program, &inputs), "{}", told());
        }
    }
    assert!(cut > 200 && loops > 30, "{cut} programs are cut, in {loops} of them a loop");
}
