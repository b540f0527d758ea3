//! A local array that begins as a copy of another one takes its place, and there is nothing to copy.
//!
//! A loop that replaces elements of an array makes a new one, which begins as the old one. Both are one array where nothing
//! reads from the old one what the new one has replaced. A cipher whose layers are loops over one array would else have two of
//! them on the stack, and copy the state in every layer.

use std::collections::BTreeMap;
use usuba_ir::check::range;
use usuba_ir::program::InductionId;
use usuba_machine::program::{
    Address, Block, Element, Function, Length, Region, RegionId, Role, Step, Trips,
};

/// Makes one array of each pair of local arrays of a block that can be one.
pub(crate) fn coalesce(function: &mut Function) {
    let Function { regions, body, .. } = function;
    block(body, regions, &mut BTreeMap::new());
}

/// How often the loops around run; those of which it is not known are not there.
type AllTrips = BTreeMap<InductionId, u32>;

fn block(block_: &mut Block, regions: &mut [Region], trips: &mut AllTrips) {
    for step in &mut block_.steps {
        if let Step::Loop(looped) = step {
            if let Trips::Constant(number) = looped.trips {
                trips.insert(looped.induction, number);
            }
            block(&mut looped.body, regions, trips);
        }
    }
    let mut place = 0;
    while let Some(step) = block_.steps.get(place) {
        match copied(step, block_, regions) {
            Some(copy) if is_one(&copy, place, block_, trips) => {
                let (Length::Constant(first), Length::Constant(second)) =
                    (regions[copy.from.index()].length, regions[copy.to.index()].length)
                else {
                    unreachable!("arrays of a known length")
                };
                regions[copy.from.index()].length = Length::Constant(first.max(second));
                block_.steps.remove(place);
                block_.locals.retain(|region| *region != copy.to);
                rename(block_, copy.to, copy.from);
            }
            _ => place += 1,
        }
    }
}

/// A step that copies elements from an array to the same places of another one.
struct Copied {
    from: RegionId,
    to: RegionId,
    /// The first place and the last.
    places: Range,
}

/// The first place in an array and the last one.
type Range = (i128, i128);

/// What a step copies from one array of the block to another.
fn copied(step: &Step, block: &Block, regions: &[Region]) -> Option<Copied> {
    let Step::Copy { from, to, len, .. } = step else { return None };
    let is_local = |address: &Address| {
        let region = &regions[address.region.index()];
        // Of scalars one load takes several elements.
        region.role == Role::Local
            && matches!(region.element, Element::Register(_))
            && matches!(region.length, Length::Constant(_))
            && block.locals.contains(&address.region)
    };
    let is_same = from.region != to.region
        && from.index == to.index
        && from.index.terms.is_empty()
        && regions[from.region.index()].element == regions[to.region.index()].element;
    let first = i128::from(from.index.constant);
    (is_same && is_local(from) && is_local(to)).then(|| Copied {
        from: from.region,
        to: to.region,
        places: (first, first + i128::from(*len) - 1),
    })
}

/// What a step of the block does with one of the two arrays.
struct Access {
    /// The place of the step in the block; a loop is one step.
    time: usize,
    is_new: bool,
    is_write: bool,
    places: Range,
}

/// Whether both arrays can be one: no step reads from one of them what was written to the other, but for what is copied.
fn is_one(copy: &Copied, place: usize, block: &Block, trips: &AllTrips) -> bool {
    let mut accesses = Vec::new();
    for (time, step) in block.steps.iter().enumerate() {
        if time != place && !see(step, time, copy, trips, &mut accesses) {
            return false;
        }
    }
    let apart = |one: Range, other: Range| one.1 < other.0 || other.1 < one.0;
    let (of_new, of_old): (Vec<&Access>, Vec<&Access>) = accesses.iter().partition(|access| access.is_new);
    let begins =
        of_new.iter().all(|new| new.time > place || (new.is_write && apart(new.places, copy.places)));
    begins
        && of_new.iter().all(|new| {
            of_old.iter().all(|old| {
                let clashes = match (new.is_write, old.is_write) {
                    (true, false) => new.time <= old.time,
                    (false, true) => place < old.time && old.time <= new.time,
                    (true, true) => new.time <= old.time && old.time < place,
                    (false, false) => false,
                };
                !clashes || apart(new.places, old.places)
            })
        })
}

/// Adds what a step does with both arrays; whether that is known.
fn see(step: &Step, time: usize, copy: &Copied, trips: &AllTrips, accesses: &mut Vec<Access>) -> bool {
    let mut add = |address: &Address, is_write: bool, count: u32| {
        if address.region != copy.from && address.region != copy.to {
            return true;
        }
        let Some((first, last)) = range(&address.index, |loop_| trips.get(&loop_).copied()) else {
            return false;
        };
        let places = (first, last + i128::from(count) - 1);
        accesses.push(Access { time, is_new: address.region == copy.to, is_write, places });
        true
    };
    match step {
        Step::Load { address, .. } => add(address, false, 1),
        Step::Store { address, .. } => add(address, true, 1),
        Step::Fill { address, len, .. } => add(address, true, *len),
        Step::Gather { addresses, .. } => addresses.iter().all(|address| add(address, false, 1)),
        Step::Scatter { addresses, .. } => addresses.iter().all(|address| add(address, true, 1)),
        Step::Copy { from, to, len, .. } => add(from, false, *len) && add(to, true, *len),
        Step::Loop(looped) => looped.body.steps.iter().all(|step| see(step, time, copy, trips, accesses)),
        Step::View { of, .. } => *of != copy.from && *of != copy.to,
        // How far the others reach is not looked at.
        other => {
            let mut touches = false;
            other.addresses(&mut |address| touches |= [copy.from, copy.to].contains(&address.region));
            !touches
        }
    }
}

fn rename(block: &mut Block, old: RegionId, new: RegionId) {
    for step in &mut block.steps {
        if let Step::Loop(looped) = step {
            rename(&mut looped.body, old, new);
        }
        step.addresses_mut(&mut |address| {
            if address.region == old {
                address.region = new;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::coalesce;
    use expect_test::{Expect, expect};
    use usuba_machine::Program;

    fn check(before: &str, after: Expect) {
        let mut program = Program::parse(before).expect("a program");
        program.functions.iter_mut().for_each(coalesce);
        after.assert_eq(&program.to_string());
    }

    /// The same program with the place at which the loop reads the old array.
    fn reads(place: &str) -> String {
        format!(
            r#"target avx2
function Layer (&0 "in": input v256[32], &1 "out": output v256[32]) {{
  &2 "old": local v256[32]
  &3 "new": local v256[32]
  loop i0 < 16 {{
    %0: v256 = load vmovdqa &0[i0]
    store vmovdqa &2[i0 + 16], %0
  }}
  copy vmovdqa vmovdqa &3[0], &2[0] 32
  loop i1 < 16 {{
    %1: v256 = load vmovdqa &3[16 - i1]
    %2: v256 = load vmovdqa &2[{place}]
    %3: v256 = vpxor %1, %2
    store vmovdqa &3[15 - i1], %3
  }}
  loop i2 < 16 {{
    %4: v256 = load vmovdqa &3[i2]
    store vmovdqa &1[i2], %4
  }}
}}
"#
        )
    }

    #[test]
    fn a_copy_takes_the_place_of_an_array_that_is_read_elsewhere() {
        check(
            &reads("31 - i1"),
            expect![[r#"
            target avx2

            function Layer (&0 "in": input v256[32], &1 "out": output v256[32]) {
              unused &3 "new": local v256[32]
              &2 "old": local v256[32]
              loop i0 < 16 {
                %0: v256 = load vmovdqa &0[i0]
                store vmovdqa &2[i0 + 16], %0
              }
              loop i1 < 16 {
                %1: v256 = load vmovdqa &2[-i1 + 16]
                %2: v256 = load vmovdqa &2[-i1 + 31]
                %3: v256 = vpxor %1, %2
                store vmovdqa &2[-i1 + 15], %3
              }
              loop i2 < 16 {
                %4: v256 = load vmovdqa &2[i2]
                store vmovdqa &1[i2], %4
              }
            }
        "#]],
        );
    }

    #[test]
    fn an_array_that_is_read_where_its_copy_is_written_stays() {
        let before = reads("i1 + 15");
        let mut program = Program::parse(&before).expect("a program");
        let text = program.to_string();
        program.functions.iter_mut().for_each(coalesce);
        assert_eq!(program.to_string(), text);
    }
}
