//! Maps of bytes where there is no instruction for them: shifts, look-ups of nibbles, and the S-box of AES.
//!
//! A byte x is l ^ 16 h, l and h being its nibbles, so that an affine map of it is a sum of two tables of 16 entries, and a
//! byte shuffle looks up 16 or more of them at once. The S-box of AES is A(1/x) with an affine A: inversion is what is left
//! of a last round with a zero key once A and the permutation of bytes that the round has are undone.

use crate::messages::Reason;
use crate::select::Selector;
use usuba_ir::aes::{after_inversion, shift_rows};
use usuba_ir::bytes::ByteAffine;
use usuba_machine::program::RegisterId;
use usuba_target::Meaning::{self, *};
use usuba_target::Target;

/// Instructions of two look-ups: two shuffles and their sum.
const LOOK_UPS: usize = 3;

/// Instructions that take the nibbles apart: a mask, and a shift of bytes.
fn nibbles(target: &Target) -> usize {
    if shifts_bytes(target) { 2 } else { 3 }
}

/// Whether shifts of bytes are instructions, so that bits do not come from the bytes beside.
fn shifts_bytes(target: &Target) -> bool {
    [ShiftLeft, ShiftRight].into_iter().all(|shift| target.instruction(shift, 8).is_some())
}

/// The map of [`Meaning::MapBytes`] whose matrix is this register. Steps that are selected have it as a constant.
fn map_of(s: &Selector<'_>, matrix: RegisterId, constant: u32) -> Result<ByteAffine, Reason> {
    let matrix = s.constant_of(matrix).ok_or(Reason::Malformed("a map of bytes that is no constant"))?;
    Ok(ByteAffine::of_matrix(matrix, constant as u8))
}

/// A map of each byte of `a`, in a register that later maps may look through.
fn mapped(s: &mut Selector<'_>, a: RegisterId, map: &ByteAffine) -> Result<RegisterId, Reason> {
    if *map == ByteAffine::IDENTITY {
        return Ok(a);
    }
    let matrix = s.splat(64, map.matrix())?;
    s.compute_once(MapBytes, 8, &[a, matrix], Some(u32::from(map.constant)))
}

/// The distances by which bits move, to the left if they are positive, each with a mask of where these bits arrive.
fn diagonals(map: &ByteAffine) -> Vec<(i32, u8)> {
    let arrivals = |distance: i32| {
        (0..).zip(map.columns).fold(0, |mask, (from, column)| match from + distance {
            to @ 0..8 => mask | column & 1 << to,
            _ => mask,
        })
    };
    (-7..8).map(|distance| (distance, arrivals(distance))).filter(|(_, mask)| *mask != 0).collect()
}

/// A sum of masked shifts, where that is fewer instructions than look-ups.
pub(crate) fn map_shifts(
    s: &mut Selector<'_>,
    _: u32,
    of: &[RegisterId],
    constant: u32,
) -> Result<RegisterId, Reason> {
    if s.target.single_lane {
        return Err(Reason::Instruction(MapBytes, 8));
    }
    let map = map_of(s, of[1], constant)?;
    let diagonals = diagonals(&map);
    let lane = if shifts_bytes(s.target) { 8 } else { 16 };
    // Where bits of the byte itself are, if they are all that may be there.
    let arrived = |distance: i32| match distance {
        _ if lane != 8 || distance == 0 => 0xff,
        1.. => 0xff << distance,
        _ => 0xff >> -distance,
    };
    let one =
        |&(distance, mask): &(i32, u8)| usize::from(distance != 0) + usize::from(mask != arrived(distance));
    let instructions = diagonals.iter().map(one).sum::<usize>() + diagonals.len().saturating_sub(1);
    let low_nibbles = s.splat(8, 0x0f)?;
    let apart = s.computed(And, 8, &[of[0], low_nibbles], None).is_some();
    let look_ups = LOOK_UPS + if apart { 0 } else { nibbles(s.target) };
    if instructions + usize::from(map.constant != 0) >= look_ups {
        return Err(Reason::Instruction(MapBytes, 8));
    }
    let mut sum = None;
    for (distance, mask) in diagonals {
        let moved = match distance {
            0 => of[0],
            1.. => s.compute(ShiftLeft, lane, &[of[0]], Some(distance.unsigned_abs()))?,
            _ => s.compute(ShiftRight, lane, &[of[0]], Some(distance.unsigned_abs()))?,
        };
        let kept = if mask == arrived(distance) {
            moved
        } else {
            let mask = s.splat(8, u64::from(mask))?;
            s.compute(And, 8, &[moved, mask], None)?
        };
        sum = Some(match sum {
            None => kept,
            Some(sum) => s.compute(Xor, 8, &[sum, kept], None)?,
        });
    }
    let result = match (sum, map.constant) {
        (None, constant) => s.splat(8, u64::from(constant))?,
        (Some(sum), 0) => sum,
        (Some(sum), constant) => {
            let constant = s.splat(8, u64::from(constant))?;
            s.compute(Xor, 8, &[sum, constant], None)?
        }
    };
    s.is_mapped(result, of[0], map);
    Ok(result)
}

/// A table of 16 for each nibble; that of the lower one has the constant. The nibbles are taken apart once for all maps of a
/// byte.
pub(crate) fn map_nibbles(
    s: &mut Selector<'_>,
    _: u32,
    of: &[RegisterId],
    constant: u32,
) -> Result<RegisterId, Reason> {
    s.row(ShuffleBytes, 0)?;
    let map = map_of(s, of[1], constant)?;
    let groups = s.shape.register_bytes() as usize / 16;
    let mut table = |image: &dyn Fn(u8) -> u8| {
        let entries: Vec<u8> = (0..16).map(image).collect();
        s.bytes(&entries.repeat(groups))
    };
    let low_table = table(&|nibble| map.of(nibble))?;
    let high_table = table(&|nibble| map.of(nibble << 4) ^ map.constant)?;
    let mask = s.splat(8, 0x0f)?;
    let low = s.compute_once(And, 8, &[of[0], mask], None)?;
    let high = s.compute_once(ShiftRight, 8, &[of[0]], Some(4))?;
    let low = s.compute(ShuffleBytes, 0, &[low_table, low], None)?;
    let high = s.compute(ShuffleBytes, 0, &[high_table, high], None)?;
    let result = s.compute(Xor, 8, &[low, high], None)?;
    s.is_mapped(result, of[0], map);
    Ok(result)
}

/// The S-box of AES, or its inverse, of each byte, where it is: that of the round that takes fewer maps around it. A map
/// that comes before is one with what the round wants there.
pub(crate) fn invert_round(
    s: &mut Selector<'_>,
    _: u32,
    of: &[RegisterId],
    constant: u32,
) -> Result<RegisterId, Reason> {
    let refused = Reason::Instruction(MapInverseBytes, 8);
    let map = map_of(s, of[1], constant)?;
    let (root, first) = s.mapped_from(of[0]).unwrap_or((of[0], ByteAffine::IDENTITY));
    let affine = after_inversion();
    let undone = affine.inverted().ok_or(refused)?;
    // 1/x = A⁻¹(S(x)) = S⁻¹(A(x)).
    let forward = (first, map.after(&undone));
    let backward = (affine.after(&first), map);
    let maps = |(before, after): &(ByteAffine, ByteAffine)| {
        [before, after].into_iter().filter(|map| **map != ByteAffine::IDENTITY).count()
    };
    let encrypts = maps(&forward) <= maps(&backward);
    let (before, after) = if encrypts { forward } else { backward };
    let state = if before == first { of[0] } else { mapped(s, root, &before)? };
    let substituted = substituted(s, encrypts, state)?;
    mapped(s, substituted, &after)
}

/// `SubBytes`, or its inverse, by a last round.
fn substituted(s: &mut Selector<'_>, encrypts: bool, state: RegisterId) -> Result<RegisterId, Reason> {
    let (adds_last, adds_first) = match encrypts {
        true => (AesEncryptLast, AesAddSubstitute),
        false => (AesDecryptLast, AesAddInverseSubstitute),
    };
    let moved = if s.target.instruction(adds_last, 0).is_some() {
        let zero = s.zeros()?;
        s.compute_once(adds_last, 8, &[state, zero], None)?
    } else {
        s.row(adds_first, 0)?;
        add_first(s, 8, adds_first, state)?
    };
    let places = shift_rows(std::array::from_fn(|place| place as u8), !encrypts);
    let places = s.bytes(&places.repeat(s.shape.register_bytes() as usize / 16))?;
    s.compute_once(ShuffleBytes, 0, &[moved, places], None)
}

/// A step that adds a key first. Where `a` is a sum, as after a round, it adds what `a` adds; else nothing.
pub(crate) fn add_first(
    s: &mut Selector<'_>,
    lane: u32,
    meaning: Meaning,
    a: RegisterId,
) -> Result<RegisterId, Reason> {
    let (state, key) = match s.sum(a) {
        Some(sum) => sum,
        None => (a, s.zeros()?),
    };
    s.compute_once(meaning, lane, &[state, key], None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operate::operate;
    use crate::rules::RULES;
    use crate::shape::of_layouts;
    use std::collections::{BTreeMap, BTreeSet};
    use usuba_ir::bytes::ByteMap;
    use usuba_ir::layout::Layout;
    use usuba_ir::program::{Op, ValueId};
    use usuba_ir::random::Random;
    use usuba_machine::program::Step;
    use usuba_target::semantics::{constant, evaluate};
    use usuba_target::{Target, by_name};

    const BYTES: Layout = Layout { word: 8, pack: 1, instances: 1 };

    fn affine(map: ByteAffine) -> ByteMap {
        ByteMap { inverts: false, affine: map }
    }

    fn inverting(map: ByteAffine) -> ByteMap {
        ByteMap { inverts: true, affine: map }
    }

    fn random_affine(random: &mut Random) -> ByteAffine {
        ByteAffine::of_matrix(random.bits(), random.bits() as u8)
    }

    /// Selects the sum of two registers; these.
    fn begun<'a>(target: &'a Target, layout: Layout) -> (Selector<'a>, [RegisterId; 2], RegisterId) {
        let shape = of_layouts(&[layout], target).unwrap_or_else(|_| panic!("{}", target.name));
        let mut s = Selector::new(target, shape, RULES);
        let operands = [s.fresh(), s.fresh()];
        let sum = s.compute(Xor, 8, &operands, None).unwrap_or_else(|_| panic!("{}", target.name));
        (s, operands, sum)
    }

    fn map_one(s: &mut Selector<'_>, layout: Layout, map: ByteMap, of: RegisterId) -> RegisterId {
        operate(s, &Op::MapBytes(ValueId(0), map), layout, &[of])
            .unwrap_or_else(|_| panic!("{map:?} on {}", s.target.name))
    }

    /// Compares a result with these maps, one of the other, of all 256 bytes in every position of a register.
    fn compare(mut s: Selector<'_>, operands: [RegisterId; 2], result: RegisterId, maps: &[ByteMap]) {
        let name = s.target.name;
        let bytes = s.shape.register_bytes() as usize;
        let mut fixed = BTreeMap::new();
        for step in &s.constants {
            let Step::Constant { row, result, constant: of } = step else { panic!("{step:?}") };
            fixed.insert(*result, constant(row, bytes, of).expect("a constant"));
        }
        let steps = s.end().steps;
        for first in 0..=255u8 {
            let given: Vec<u8> =
                (0..bytes).map(|place| first.wrapping_add(37u8.wrapping_mul(place as u8))).collect();
            let key: Vec<u8> = (0..bytes).map(|place| 91u8.wrapping_mul(place as u8)).collect();
            let mut values = fixed.clone();
            values.insert(operands[0], given.iter().zip(&key).map(|(byte, key)| byte ^ key).collect());
            values.insert(operands[1], key);
            for step in &steps {
                let Step::Compute { row, result, operands, immediate } = step else { panic!("{step:?}") };
                let of: Vec<&[u8]> = operands.iter().map(|operand| values[operand].as_slice()).collect();
                let value = evaluate(row, bytes, &of, *immediate).expect("a meaning");
                values.insert(*result, value);
            }
            let expected: Vec<u8> =
                given.iter().map(|&byte| maps.iter().fold(byte, |byte, map| map.of(byte))).collect();
            assert_eq!(values[&result], expected, "{maps:?} on {name}");
        }
    }

    /// Selects these maps, one of the other, and compares what comes out.
    fn check(target: &Target, layout: Layout, maps: &[ByteMap]) {
        let (mut s, operands, sum) = begun(target, layout);
        let result = maps.iter().fold(sum, |of, map| map_one(&mut s, layout, *map, of));
        compare(s, operands, result, maps);
    }

    /// Affine maps that are few diagonals, and others, among them some that are not bijective.
    fn affines() -> Vec<ByteAffine> {
        let mut random = Random::new(6);
        let of = |map: fn(u8) -> u8| ByteAffine::of_function(map);
        let mut list = vec![
            ByteAffine::IDENTITY,
            of(|x| !x),
            of(|_| 0),
            of(|_| 0x5a),
            of(|x| x << 3),
            of(|x| x >> 5 ^ 0x80),
            of(|x| x.rotate_left(1)),
            of(|x| x.rotate_left(6) ^ 1),
            of(|x| x & 0x3c),
            after_inversion(),
            after_inversion().inverted().expect("a bijection"),
        ];
        list.extend((0..8).map(|_| random_affine(&mut random)));
        list
    }

    #[test]
    fn affine_maps_are_what_they_replace() {
        for name in ["ssse3", "avx2", "avx-aes", "neon", "altivec", "avx512"] {
            let target = by_name(name).expect("a target");
            for layout in [BYTES, Layout::BLOCK] {
                affines().into_iter().for_each(|map| check(target, layout, &[affine(map)]));
            }
        }
    }

    #[test]
    fn inverting_maps_are_what_they_replace() {
        for name in ["avx-aes", "avx2-vaes", "neon-aes"] {
            let target = by_name(name).expect("a target");
            for (number, &map) in affines().iter().enumerate() {
                let layout = if number % 2 == 0 { BYTES } else { Layout::BLOCK };
                check(target, layout, &[inverting(map)]);
                // What comes before is seen through, whichever round is taken.
                let others = affines();
                let first = others[(number * 5 + 2) % others.len()];
                check(target, layout, &[affine(first), inverting(map)]);
                check(target, layout, &[affine(map), inverting(ByteAffine::IDENTITY)]);
            }
        }
    }

    /// How many of the steps are wanted for these results.
    fn wanted_steps(mut s: Selector<'_>, results: &[RegisterId]) -> usize {
        let mut wanted: BTreeSet<RegisterId> = results.iter().copied().collect();
        let mut count = 0;
        for step in s.end().steps.iter().rev() {
            let Step::Compute { result, operands, .. } = step else { panic!("{step:?}") };
            if wanted.contains(result) {
                count += 1;
                wanted.extend(operands);
            }
        }
        count
    }

    /// The rounds are chosen, and nothing is computed that is not wanted.
    #[test]
    fn s_boxes_take_as_many_maps_as_they_need() {
        let target = by_name("avx-aes").expect("a target");
        let mut random = Random::new(9);
        let (one, two) = (random_affine(&mut random), random_affine(&mut random));
        let undone = after_inversion().inverted().expect("a bijection");
        let count = |maps: &[ByteMap]| {
            let (mut s, _, sum) = begun(target, BYTES);
            let result = maps.iter().fold(sum, |of, map| map_one(&mut s, BYTES, *map, of));
            wanted_steps(s, &[result])
        };
        // The sum that all begin with, a round and a shuffle, and six for each map.
        assert_eq!(count(&[inverting(after_inversion())]), 3);
        assert_eq!(count(&[affine(undone), inverting(ByteAffine::IDENTITY)]), 3);
        assert_eq!(count(&[inverting(one)]), 9);
        assert_eq!(count(&[affine(one), inverting(after_inversion())]), 9);
        assert_eq!(count(&[affine(one), inverting(ByteAffine::IDENTITY)]), 9);
        assert_eq!(count(&[affine(one), inverting(two)]), 15);
    }

    /// Maps of one byte take its nibbles apart once, and invert it once.
    #[test]
    fn maps_of_one_byte_share_what_they_can() {
        let mut random = Random::new(10);
        let (one, two) = (random_affine(&mut random), random_affine(&mut random));
        let count = |name: &str, maps: [ByteMap; 2]| {
            let (mut s, _, sum) = begun(by_name(name).expect("a target"), BYTES);
            let results = maps.map(|map| map_one(&mut s, BYTES, map, sum));
            wanted_steps(s, &results)
        };
        assert_eq!(count("avx2", [affine(one), affine(two)]), 1 + 3 + 3 + 3);
        assert_eq!(count("avx-aes", [inverting(one), inverting(two)]), 1 + 2 + 3 + 3 + 3);
        // A shift, a mask, a bit that stays and a constant: five, but no less than looking up where nibbles are there.
        let shifted = ByteAffine::of_function(|x| x << 2 ^ x & 1 ^ 0x80);
        assert_eq!(count("avx2", [affine(shifted), affine(ByteAffine::IDENTITY)]), 1 + 5);
        assert_eq!(count("avx2", [affine(one), affine(shifted)]), 1 + 3 + 3 + 3);
        // Bytes themselves are shifted where they can be.
        let shifted = ByteAffine::of_function(|x| x << 2);
        assert_eq!(count("avx2", [affine(shifted), affine(ByteAffine::IDENTITY)]), 1 + 2);
        assert_eq!(count("neon", [affine(shifted), affine(ByteAffine::IDENTITY)]), 1 + 1);
        assert_eq!(count("neon", [affine(one), affine(two)]), 1 + 2 + 3 + 3);
    }

    /// What a rule has written is not looked for once the rule has failed.
    #[test]
    fn what_was_given_up_is_not_shared() {
        let target = by_name("ssse3").expect("a target");
        let (mut s, operands, sum) = begun(target, BYTES);
        // Made of shifts. Its inverse is looked up in another map of the same byte, before there is no round.
        let rotated = ByteAffine::of_function(|x| x.rotate_left(1));
        let image = map_one(&mut s, BYTES, affine(rotated), sum);
        let inverse = Op::MapBytes(ValueId(0), inverting(ByteAffine::IDENTITY));
        let steps = s.block().steps.len();
        assert!(operate(&mut s, &inverse, BYTES, &[image]).is_err());
        assert_eq!(s.block().steps.len(), steps);
        let map = random_affine(&mut Random::new(11));
        let result = map_one(&mut s, BYTES, affine(map), sum);
        compare(s, operands, result, &[affine(map)]);
    }
    /// What is computed in a loop is computed again behind it.
    #[test]
    fn what_a_block_has_computed_stays_in_it() {
        let map = random_affine(&mut Random::new(12));
        let (mut s, operands, sum) = begun(by_name("avx2").expect("a target"), BYTES);
        s.begin();
        map_one(&mut s, BYTES, affine(map), sum);
        assert!(!s.end().steps.is_empty());
        let result = map_one(&mut s, BYTES, affine(map), sum);
        compare(s, operands, result, &[affine(map)]);
    }
}
