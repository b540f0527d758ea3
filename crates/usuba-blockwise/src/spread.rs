//! The order of a turn of a linear scan: products between the rounds of a cipher.

use std::collections::{BTreeMap, BTreeSet};
use usuba_machine::program::{Function, Parameter, RegionId, RegisterId, Step};
use usuba_target::Meaning;

/// Places are counted in these parts of a round.
const UNIT: usize = 64;

/// How far a step stands before the product that needs it. Measured on Zen 4, as the next one.
const LEAD: usize = 2 * UNIT;

/// How far a step stands after the product that it needs: 1 to 6 % fewer cycles of gcc's code than a quarter of it.
const LAG: usize = 8 * UNIT;

/// How far a step stands after another one that it needs, if that is no product.
const STEP: usize = UNIT / 2;

/// Where what follows the last products stands, such as a reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tail {
    /// Among the rounds, so that products stand closer together. Turns with few products: with AES-256 on `avx2-vaes` 16 KiB are
    /// opened in 3 % (gcc) and 6 % (clang) fewer cycles of Zen 4.
    Inside,
    /// After them, beside the rounds of what comes next. Turns with many: on `avx512-vaes` 2 % fewer by gcc.
    Behind,
}

/// Straight code in an order in which what is needed for sums alone is spread evenly over the rest.
pub(crate) fn mingled(mut function: Function, sums: &[Parameter], tail: Tail) -> Function {
    let is_sum = |region: RegionId| sums.contains(&Parameter::Region(region));
    let goes_there = |step: &Step| matches!(step, Step::Store { address, .. } if is_sum(address.region));
    // The registers that are needed for the sums, and for anything else.
    let mut needed: [BTreeSet<RegisterId>; 2] = [BTreeSet::new(), BTreeSet::new()];
    let mut alone = Vec::new();
    for step in function.body.steps.iter().rev() {
        let mut made = Vec::new();
        step.defines(&mut |register| made.push(register));
        let of = |needed: &BTreeSet<RegisterId>| made.iter().any(|register| needed.contains(register));
        let (there, elsewhere) =
            (of(&needed[0]) || goes_there(step), of(&needed[1]) || (made.is_empty() && !goes_there(step)));
        for (needed, wanted) in needed.iter_mut().zip([there, elsewhere]) {
            if wanted {
                step.reads(&mut |register| {
                    needed.insert(register);
                });
            }
        }
        alone.push(there && !elsewhere);
    }
    alone.reverse();
    let steps = std::mem::take(&mut function.body.steps);
    let (some, rest): (Vec<_>, Vec<_>) = steps.into_iter().zip(alone).partition(|(_, alone)| *alone);
    // Rounds of AES are what lasts longest; without them all instructions count.
    let is_product =
        |step: &Step| matches!(step, Step::Compute { row, .. } if row.meaning == Meaning::CarrylessProduct);
    let rounds = rest.iter().filter(|(step, _)| is_round(step)).count();
    let some: Vec<Step> = some.into_iter().map(|(step, _)| step).collect();
    let rest: Vec<Step> = rest.into_iter().map(|(step, _)| step).collect();
    let weight = |step: &Step| {
        usize::from(if rounds == 0 { matches!(step, Step::Compute { .. }) } else { is_round(step) })
    };
    let all: usize = rest.iter().map(weight).sum();
    let mut some: Vec<(usize, Step)> = places(&some, all, &is_product, tail).into_iter().zip(some).collect();
    some.sort_by_key(|(place, _)| *place);
    let mut some = some.into_iter().peekable();
    let mut passed = 0;
    // What the rest has not made yet.
    let mut missing: BTreeSet<RegisterId> = BTreeSet::new();
    for step in &rest {
        step.defines(&mut |register| {
            missing.insert(register);
        });
    }
    for step in rest {
        passed += weight(&step);
        step.defines(&mut |register| {
            missing.remove(&register);
        });
        function.body.steps.push(step);
        let is_ready = |step: &Step| {
            let mut ready = true;
            step.reads(&mut |register| ready &= !missing.contains(&register));
            ready
        };
        while let Some((_, next)) = some.next_if(|(place, next)| *place <= UNIT * passed && is_ready(next)) {
            function.body.steps.push(next);
        }
    }
    function.body.steps.extend(some.map(|(_, step)| step));
    function
}

/// Where steps stand among so many rounds: products evenly, what they need before them, and what needs them after them, so that
/// nothing waits for what has just begun. A step never stands before one that it needs.
fn places(steps: &[Step], all: usize, is_product: &dyn Fn(&Step) -> bool, tail: Tail) -> Vec<usize> {
    let products = steps.iter().filter(|step| is_product(step)).count().max(1);
    let mut made: BTreeMap<RegisterId, usize> = BTreeMap::new();
    for (number, step) in steps.iter().enumerate() {
        step.defines(&mut |register| {
            made.insert(register, number);
        });
    }
    let needs = |step: &Step| {
        let mut needs = Vec::new();
        step.reads(&mut |register| needs.extend(made.get(&register).copied()));
        needs
    };
    // First products, and what has products before it.
    let behind_products = |spacing: usize| {
        let mut places: Vec<Option<usize>> = vec![None; steps.len()];
        let mut number = 0;
        for (at, step) in steps.iter().enumerate() {
            let is_near = |one: usize| tail == Tail::Inside && !is_product(&steps[one]);
            let behind = |one: usize| Some(places[one]? + if is_near(one) { STEP } else { LAG });
            let after = needs(step).into_iter().filter_map(behind).max();
            places[at] = after;
            if is_product(step) {
                places[at] = Some((spacing * number).max(after.unwrap_or(0)));
                number += 1;
            }
        }
        places
    };
    let mut spacing = UNIT * all / products;
    if tail == Tail::Inside {
        let end = behind_products(spacing).into_iter().flatten().max().unwrap_or(0);
        spacing -= (end.saturating_sub(UNIT * all) / products).min(spacing / 2);
    }
    let mut places = behind_products(spacing);
    let has_none_before: Vec<bool> = places.iter().map(Option::is_none).collect();
    for at in (0..steps.len()).rev() {
        if let Some(place) = places[at] {
            for before in needs(&steps[at]) {
                let early = place.saturating_sub(LEAD);
                if has_none_before[before] {
                    places[before] = Some(places[before].map_or(early, |known: usize| known.min(early)));
                }
            }
        }
    }
    places.into_iter().map(Option::unwrap_or_default).collect()
}

/// Whether a step is a round of AES.
pub(crate) fn is_round(step: &Step) -> bool {
    use Meaning::{AesDecrypt, AesDecryptLast, AesEncrypt, AesEncryptLast};
    let rounds = [AesEncrypt, AesEncryptLast, AesDecrypt, AesDecryptLast];
    matches!(step, Step::Compute { row, .. } if rounds.contains(&row.meaning))
}
