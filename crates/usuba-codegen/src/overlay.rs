//! Local arrays that are not needed at the same time have one place.
//!
//! A cipher that keeps its state in an array makes one for every layer that is not a loop, and a printer gives each its own place:
//! LED on 512-bit registers had half a megabyte of stack. An array is needed from the first to the last step of its block that
//! touches it; a block that runs again finds nothing in its arrays, so what a loop touches is needed while the loop runs. Arrays
//! whose steps do not overlap become one array. Constants are stored right before the first step that needs the array.
//!
//! Arrays by the index of a loop, at fixed places, and both are three kinds, and none takes a place of another kind: C compilers keep
//! arrays at fixed places in registers, and [`crate::hidden`] treats the last kind in its own way. Functions with little memory stay as
//! they are: every array is in the cache then, and has its own name in the text.
//!
//! Golden Cove, gcc and clang, core cycles per byte: LED-128 in `b` 10.0 to 4.5 on AVX-512 and 15 to 9 on AVX2; frames 405 KB to 29 KB.

use std::collections::{BTreeMap, BTreeSet};
use usuba_machine::program::{
    Argument, Block, Element, Function, Length, Region, RegionId, RegisterId, Role, Step,
};

/// Bytes of local arrays of a function that stay as they are.
const LITTLE: usize = 4096;

/// Makes arrays whose lives do not overlap one.
pub(crate) fn overlay(function: &mut Function) {
    let local = |region: &Region| match (region.role, region.length) {
        (Role::Local, Length::Constant(length)) => length as usize * region.element.bytes(),
        _ => 0,
    };
    if function.regions.iter().map(local).sum::<usize>() <= LITTLE {
        return;
    }
    let constants: BTreeSet<RegisterId> = function.constant_registers().collect();
    let locals: BTreeSet<RegionId> = (0..)
        .map(RegionId)
        .zip(&function.regions)
        .filter(|(_, one)| local(one) > 0)
        .map(|(id, _)| id)
        .collect();
    sink(&mut function.body, &constants, &locals);
    let mut lives = Lives::default();
    lives.block(&function.body);
    let mut all: Vec<(RegionId, Life)> =
        lives.of.into_iter().filter(|(region, _)| !lives.viewed.contains(region)).collect();
    all.sort_by_key(|(region, life)| (life.first, *region));
    let mut places: Vec<Place> = Vec::new();
    let mut moved: BTreeMap<RegionId, RegionId> = BTreeMap::new();
    for (region, life) in all {
        let Length::Constant(length) = function.regions[region.index()].length else { continue };
        let element = function.regions[region.index()].element;
        let free = places.iter_mut().filter(|place| {
            (place.element, place.indexed, place.fixed) == (element, life.indexed, life.fixed)
                && place.last < life.first
        });
        // Of the same length, else the shortest that is long enough, else the longest.
        let best = free.min_by_key(|place| match place.length.checked_sub(length) {
            Some(more) => (false, more),
            None => (true, length - place.length),
        });
        match best {
            Some(place) => {
                place.length = place.length.max(length);
                place.last = life.last;
                let common =
                    place.home.iter().zip(&life.home).take_while(|(one, other)| one == other).count();
                place.home.truncate(common);
                moved.insert(region, place.region);
            }
            None => places.push(Place {
                region,
                element,
                length,
                indexed: life.indexed,
                fixed: life.fixed,
                last: life.last,
                home: life.home,
            }),
        }
    }
    if moved.is_empty() {
        return;
    }
    for place in &places {
        function.regions[place.region.index()].length = Length::Constant(place.length);
    }
    let mut homes: BTreeMap<Vec<usize>, Vec<RegionId>> = BTreeMap::new();
    for place in places {
        homes.entry(place.home).or_default().push(place.region);
    }
    let apart: BTreeSet<RegionId> = moved.keys().chain(homes.values().flatten()).copied().collect();
    rename(&mut function.body, &mut Vec::new(), &moved, &apart, &homes);
}

/// Moves stores of constants to local arrays behind what comes before the first other step that touches the array.
fn sink(block: &mut Block, constants: &BTreeSet<RegisterId>, locals: &BTreeSet<RegionId>) {
    let mut waiting: BTreeMap<RegionId, Vec<Step>> = BTreeMap::new();
    let mut steps = Vec::with_capacity(block.steps.len());
    for mut step in std::mem::take(&mut block.steps) {
        match &step {
            Step::Store { address, value, .. } | Step::Fill { address, value, .. }
                if constants.contains(value) && locals.contains(&address.region) =>
            {
                waiting.entry(address.region).or_default().push(step);
                continue;
            }
            _ => {}
        }
        touched(&step, &mut |region| steps.extend(waiting.remove(&region).unwrap_or_default()));
        if let Step::Loop(looped) = &mut step {
            sink(&mut looped.body, constants, locals);
        }
        steps.push(step);
    }
    steps.extend(waiting.into_values().flatten());
    block.steps = steps;
}

/// Calls `see` for every region that a step touches, those of the body of a loop included.
fn touched(step: &Step, see: &mut impl FnMut(RegionId)) {
    match step {
        Step::Loop(looped) => looped.body.steps.iter().for_each(|step| touched(step, see)),
        Step::View { of, .. } => see(*of),
        step => step.addresses(&mut |address| see(address.region)),
    }
}

/// A place that several arrays have, one after the other.
struct Place {
    /// The first of them, by whose name it goes.
    region: RegionId,
    element: Element,
    length: u32,
    indexed: bool,
    fixed: bool,
    last: usize,
    /// The block that has it.
    home: Vec<usize>,
}

/// When an array is needed, in numbers of steps, and how it is used.
struct Life {
    /// Its block: the places of loops in the blocks around it.
    home: Vec<usize>,
    first: usize,
    last: usize,
    indexed: bool,
    fixed: bool,
}

#[derive(Default)]
struct Lives {
    of: BTreeMap<RegionId, Life>,
    homes: BTreeMap<RegionId, Vec<usize>>,
    /// Arrays that views are of: what is done to the view is done to them.
    viewed: BTreeSet<RegionId>,
    /// The places of the loops around, and the numbers at which they begin.
    around: Vec<(usize, usize)>,
    /// By the loop in which they are touched: arrays that are needed until it ends.
    until: Vec<Vec<RegionId>>,
    number: usize,
}

impl Lives {
    fn block(&mut self, block: &Block) {
        let home: Vec<usize> = self.around.iter().map(|&(place, _)| place).collect();
        for &region in &block.locals {
            self.homes.insert(region, home.clone());
        }
        for (place, step) in block.steps.iter().enumerate() {
            self.number += 1;
            match step {
                Step::Loop(looped) => {
                    self.around.push((place, self.number));
                    self.until.push(Vec::new());
                    self.block(&looped.body);
                    self.around.pop();
                    self.number += 1;
                    for region in self.until.pop().unwrap_or_default() {
                        if let Some(life) = self.of.get_mut(&region) {
                            life.last = self.number;
                        }
                    }
                }
                Step::View { region, of, .. } => self.viewed.extend([*region, *of]),
                Step::Call(call) => {
                    for argument in &call.arguments {
                        if let Argument::Read(address) | Argument::Write(address) = argument {
                            self.touch(address.region, true);
                        }
                    }
                }
                step => step.addresses(&mut |address| {
                    self.touch(address.region, !address.index.terms.is_empty());
                }),
            }
        }
    }

    fn touch(&mut self, region: RegionId, indexed: bool) {
        let Some(home) = self.homes.get(&region) else { return };
        // The step of its own block: this one, or the loop around it.
        let around = self.around.get(home.len());
        let first = around.map_or(self.number, |&(_, begin)| begin);
        if around.is_some()
            && let Some(until) = self.until.get_mut(home.len())
        {
            until.push(region);
        }
        let life = self.of.entry(region).or_insert_with(|| Life {
            home: home.clone(),
            first,
            last: first,
            indexed: false,
            fixed: false,
        });
        life.last = self.number;
        life.indexed |= indexed;
        life.fixed |= !indexed;
    }
}

/// Gives arrays their places, and places their blocks.
fn rename(
    block: &mut Block,
    around: &mut Vec<usize>,
    moved: &BTreeMap<RegionId, RegionId>,
    apart: &BTreeSet<RegionId>,
    homes: &BTreeMap<Vec<usize>, Vec<RegionId>>,
) {
    block.locals.retain(|region| !apart.contains(region));
    block.locals.extend(homes.get(around).into_iter().flatten());
    block.locals.sort_unstable();
    for (place, step) in block.steps.iter_mut().enumerate() {
        if let Step::Loop(looped) = step {
            around.push(place);
            rename(&mut looped.body, around, moved, apart, homes);
            around.pop();
        }
        step.addresses_mut(&mut |address| {
            address.region = moved.get(&address.region).copied().unwrap_or(address.region);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::overlay;
    use expect_test::{Expect, expect};
    use usuba_machine::Program;

    fn check(before: &str, after: Expect) {
        let mut program = Program::parse(before).expect("a program");
        program.functions.iter_mut().for_each(overlay);
        after.assert_eq(&program.to_string());
    }

    #[test]
    fn arrays_of_one_layer_after_the_other_take_turns() {
        check(
            r#"target avx512
function Layers (&0 "in": input v512[48], &1 "out": output v512[32]) {
  &2 "short": local v512[32]
  &3 "first": local v512[48]
  &4 "second": local v512[48]
  &5 "third": local v512[48]
  copy vmovdqa64 vmovdqa64 &2[0], &0[0] 32
  loop i0 < 32 {
    %0: v512 = load vmovdqa64 &2[i0]
    store vmovdqa64 &3[i0], %0
  }
  loop i1 < 32 {
    &6 "inner": local v512[16]
    %1: v512 = load vmovdqa64 &3[i1]
    fill vmovdqa64 &6[0], %1 16
    %2: v512 = load vmovdqa64 &6[3]
    store vmovdqa64 &4[i1], %2
  }
  loop i2 < 32 {
    %3: v512 = load vmovdqa64 &4[i2]
    store vmovdqa64 &5[i2], %3
  }
  loop i3 < 32 {
    %4: v512 = load vmovdqa64 &5[i3]
    store vmovdqa64 &1[i3], %4
  }
}
"#,
            expect![[r#"
                target avx512

                function Layers (&0 "in": input v512[48], &1 "out": output v512[32]) {
                  unused &5 "third": local v512[48]
                  &2 "short": local v512[32]
                  &3 "first": local v512[48]
                  &4 "second": local v512[48]
                  copy vmovdqa64 vmovdqa64 &2[0], &0[0] 32
                  loop i0 < 32 {
                    %0: v512 = load vmovdqa64 &2[i0]
                    store vmovdqa64 &3[i0], %0
                  }
                  loop i1 < 32 {
                    &6 "inner": local v512[16]
                    %1: v512 = load vmovdqa64 &3[i1]
                    fill vmovdqa64 &6[0], %1 16
                    %2: v512 = load vmovdqa64 &6[3]
                    store vmovdqa64 &4[i1], %2
                  }
                  loop i2 < 32 {
                    %3: v512 = load vmovdqa64 &4[i2]
                    store vmovdqa64 &3[i2], %3
                  }
                  loop i3 < 32 {
                    %4: v512 = load vmovdqa64 &3[i3]
                    store vmovdqa64 &1[i3], %4
                  }
                }
            "#]],
        );
    }

    #[test]
    fn an_array_that_is_read_after_a_loop_keeps_its_place_while_the_loop_runs() {
        check(
            r#"target avx512
function Kept (&0 "in": input v512[64], &1 "out": output v512[64]) {
  &2 "kept": local v512[64]
  &3 "other": local v512[64]
  loop i0 < 64 {
    %0: v512 = load vmovdqa64 &0[i0]
    store vmovdqa64 &2[i0], %0
    store vmovdqa64 &3[i0], %0
    %1: v512 = load vmovdqa64 &3[0]
    store vmovdqa64 &1[i0], %1
  }
  loop i1 < 64 {
    %2: v512 = load vmovdqa64 &2[i1]
    store vmovdqa64 &1[i1], %2
  }
}
"#,
            expect![[r#"
                target avx512

                function Kept (&0 "in": input v512[64], &1 "out": output v512[64]) {
                  &2 "kept": local v512[64]
                  &3 "other": local v512[64]
                  loop i0 < 64 {
                    %0: v512 = load vmovdqa64 &0[i0]
                    store vmovdqa64 &2[i0], %0
                    store vmovdqa64 &3[i0], %0
                    %1: v512 = load vmovdqa64 &3[0]
                    store vmovdqa64 &1[i0], %1
                  }
                  loop i1 < 64 {
                    %2: v512 = load vmovdqa64 &2[i1]
                    store vmovdqa64 &1[i1], %2
                  }
                }
            "#]],
        );
    }

    #[test]
    fn little_memory_stays() {
        let text = r#"target avx512

function Little (&0 "in": input v512[8], &1 "out": output v512[8]) {
  &2 "one": local v512[8]
  &3 "other": local v512[8]
  copy vmovdqa64 vmovdqa64 &2[0], &0[0] 8
  copy vmovdqa64 vmovdqa64 &1[0], &2[0] 8
  copy vmovdqa64 vmovdqa64 &3[0], &0[0] 8
  copy vmovdqa64 vmovdqa64 &1[0], &3[0] 8
}
"#;
        let mut program = Program::parse(text).expect("a program");
        program.functions.iter_mut().for_each(overlay);
        assert_eq!(program.to_string(), text);
        // With more memory the second array takes the place of the first.
        let mut program = Program::parse(&text.replace("[8]", "[64]")).expect("a program");
        program.functions.iter_mut().for_each(overlay);
        assert!(program.to_string().contains("unused &3"), "{program}");
    }
}
