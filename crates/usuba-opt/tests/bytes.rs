//! What is computed of one byte becomes one map, and only where that saves something.

use expect_test::{Expect, expect};
use usuba_ir::check::check;
use usuba_ir::interpret::Interpreter;
use usuba_ir::program::Program;
use usuba_opt::pass::Settings;
use usuba_opt::passes::optimise;

/// What all passes make of a node from a byte to a byte; it has the same images of all bytes.
fn check_maps(body: &str, expected: Expect) {
    let text = format!("node F (%0 x: v8) -> (y: v8) {{\n{body}\n}}\n");
    let before = Program::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut after = before.clone();
    optimise(&mut after, &Settings::default(), &mut ());
    assert_eq!(check(&after).err(), None, "{after}");
    let (mut one, mut other) = (Interpreter::new(&before), Interpreter::new(&after));
    for x in 0..=255 {
        assert_eq!(one.run(&[vec![x]]), other.run(&[vec![x]]), "of {x}\n{after}");
    }
    expected.assert_eq(&after.to_string());
}

/// Multiplication by x in the field of AES, after its S-box: a map of the inverse.
#[test]
fn shifts_and_masks_after_an_inversion_are_part_of_it() {
    check_maps(
        "
        %1: v8 = invertbytes %0, 0xf1e3c78f1f3e7cf8, 0x63
        %2: v8 = shift_left %1, 1
        %3: v8 = shift_right_arithmetic %1, 7
        %4: v8 = constant 0x1b
        %5: v8 = and %3, %4
        %6: v8 = xor %2, %5
        return %6",
        expect![[r#"
            node F (%0 x: v8) -> (y: v8) {
              %1: v8 = invertbytes %0, 0xf809e33f771f3e7c, 0xc6
              return %1
            }
        "#]],
    );
}

/// The sum needs the image and the byte: both are there, so an exclusive-or is as good as a map.
#[test]
fn operators_stay_where_their_operands_do() {
    check_maps(
        "
        %1: v8 = rotate_left %0, 3
        %2: v8 = xor %0, %1
        %3: v8 = invertbytes %1, 0x0102040810204080, 0x0
        %4: v8 = or %2, %3
        return %4",
        expect![[r#"
            node F (%0 x: v8) -> (y: v8) {
              %1: v8 = mapbytes %0, 0x2040800102040810, 0x00
              %2: v8 = xor %0, %1
              %3: v8 = invertbytes %1, 0x0102040810204080, 0x00
              %4: v8 = or %2, %3
              return %4
            }
        "#]],
    );
}

/// Halves that change places: an or of bits that are nowhere set in both is a sum.
#[test]
fn ors_of_other_bits_are_sums() {
    check_maps(
        "
        %1: v8 = shift_left %0, 4
        %2: v8 = shift_right %0, 4
        %3: v8 = or %1, %2
        %4: v8 = invertbytes %3, 0x0102040810204080, 0x0
        return %4",
        expect![[r#"
            node F (%0 x: v8) -> (y: v8) {
              %1: v8 = mapbytes %0, 0x1020408001020408, 0x00
              %2: v8 = invertbytes %1, 0x0102040810204080, 0x00
              return %2
            }
        "#]],
    );
}

/// Maps that undo each other.
#[test]
fn what_is_the_identity_vanishes() {
    check_maps(
        "
        %1: v8 = rotate_left %0, 3
        %2: v8 = not %1
        %3: v8 = rotate_right %2, 3
        %4: v8 = not %3
        %5: v8 = invertbytes %4, 0x0102040810204080, 0x0
        return %5",
        expect![[r#"
            node F (%0 x: v8) -> (y: v8) {
              %1: v8 = invertbytes %0, 0x0102040810204080, 0x00
              return %1
            }
        "#]],
    );
}

/// An or of two images with bits in common is not affine.
#[test]
fn what_is_not_affine_stays() {
    check_maps(
        "
        %1: v8 = shift_left %0, 1
        %2: v8 = or %0, %1
        %3: v8 = invertbytes %2, 0x0102040810204080, 0x0
        return %3",
        expect![[r#"
            node F (%0 x: v8) -> (y: v8) {
              %1: v8 = mapbytes %0, 0x0001020408102040, 0x00
              %2: v8 = or %0, %1
              %3: v8 = invertbytes %2, 0x0102040810204080, 0x00
              return %3
            }
        "#]],
    );
}

/// Other programs are for machines without such instructions.
#[test]
fn programs_without_maps_stay_without() {
    check_maps(
        "
        %1: v8 = shift_left %0, 1
        %2: v8 = xor %0, %1
        return %2",
        expect![[r#"
            node F (%0 x: v8) -> (y: v8) {
              %1: v8 = shift_left %0, 1
              %2: v8 = xor %0, %1
              return %2
            }
        "#]],
    );
}
