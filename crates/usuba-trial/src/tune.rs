//! The search of `usubac tune`: which variant is tried next, and what is known so far.
//!
//! The search is by steps: the usual code of every slicing, backend and compiler first; then, again and again, what differs
//! from the best in one knob; when that gives nothing new, in one knob from the second best slicings, and at last in two from
//! the best. What comes next depends only on what is known, so that a search that was interrupted goes on where it stopped.
//!
//! Nothing is measured that need not be: see [`least_cycles`], and [`Verdict::Same`].

use crate::variant::{KNOBS, Variant};
use std::collections::BTreeMap;
use usuba_codegen::{Backend, Kernel};
use usuba_ir::layout::Slicing;
use usuba_target::Target;

/// Code that is larger than this no first-level instruction cache of today holds, in bytes.
const INSTRUCTION_CACHE: u64 = 64 << 10;

/// How much code beyond [`INSTRUCTION_CACHE`] is run at best, in bytes per cycle: an x86 fetches 16 from the second level.
const FETCHED: f64 = 16.0;

/// Other slicings are looked into as long as their best takes at most so many times the time of the best of all.
const NEAR: f64 = 1.25;

/// What can be chosen in a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Space {
    /// The slicings, best first.
    pub slicings: Vec<Slicing>,
    /// For each of [`KNOBS`] the places of the values to try; that of slicings is not looked at.
    pub values: Vec<Vec<usize>>,
}

impl Space {
    /// Everything.
    pub fn new(slicings: &[Slicing]) -> Space {
        Space {
            slicings: slicings.to_vec(),
            values: KNOBS.iter().map(|knob| (0..knob.values.len()).collect()).collect(),
        }
    }

    /// Whether a variant is in it.
    pub fn contains(&self, variant: &Variant) -> bool {
        self.slicings.contains(&variant.slicing())
            && self
                .values
                .iter()
                .enumerate()
                .all(|(knob, values)| KNOBS[knob].name == "slicing" || values.contains(&variant.place(knob)))
    }
}

/// What is known of a variant.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// It was measured.
    Measured {
        /// What it takes, per byte.
        cost: f64,
        /// The same divided by what the default took in the same process: below 1 if it is faster.
        ratio: f64,
    },
    /// The model rules it out: why.
    RuledOut(String),
    /// Its code is that of another one.
    Same(Variant),
    /// There is no code, or it cannot be compiled: why.
    Refused(String),
}

/// A search for the best variant of a primitive on a target.
#[derive(Clone, Debug)]
pub struct Search {
    space: Space,
    known: BTreeMap<Variant, Verdict>,
}

impl Search {
    /// Nothing is known.
    pub fn new(space: Space) -> Search {
        Search { space, known: BTreeMap::new() }
    }

    /// Says what is known of a variant; the first word counts.
    pub fn tell(&mut self, variant: Variant, verdict: Verdict) {
        self.known.entry(variant).or_insert(verdict);
    }

    /// What is known of a variant.
    pub fn verdict(&self, variant: &Variant) -> Option<&Verdict> {
        self.known.get(variant)
    }

    /// Everything that is known, in the order of variants.
    pub fn known(&self) -> impl Iterator<Item = (&Variant, &Verdict)> {
        self.known.iter()
    }

    /// What was measured, the fastest first.
    pub fn ranking(&self) -> Vec<(Variant, f64)> {
        let mut ranking: Vec<(Variant, f64)> = self
            .known
            .iter()
            .filter_map(|(variant, verdict)| match verdict {
                Verdict::Measured { ratio, .. } => Some((*variant, *ratio)),
                _ => None,
            })
            .collect();
        ranking.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        ranking
    }

    /// The least cost per byte that was measured.
    pub fn least_cost(&self) -> Option<f64> {
        let costs = self.known.values().filter_map(|verdict| match verdict {
            Verdict::Measured { cost, .. } => Some(*cost),
            _ => None,
        });
        costs.min_by(f64::total_cmp)
    }

    /// What to try next, at most so many; nothing if all that the search looks at is known.
    pub fn next(&self, most: usize) -> Vec<Variant> {
        let ranking = self.ranking();
        let mut centres: Vec<(Variant, f64)> = Vec::new();
        for &(variant, ratio) in &ranking {
            let near = ranking.first().is_some_and(|(_, best)| ratio <= NEAR * best);
            if near && !centres.iter().any(|(known, _)| known.slicing() == variant.slicing()) {
                centres.push((variant, ratio));
            }
        }
        let mut next: Vec<Variant> = Vec::new();
        self.add(self.starts().into_iter(), most, &mut next);
        for (variant, _) in &centres {
            if next.is_empty() {
                self.add(variant.neighbours(), most, &mut next);
            }
        }
        if let Some((best, _)) = centres.first().filter(|_| next.is_empty()) {
            self.add(best.neighbours().flat_map(Variant::neighbours), most, &mut next);
        }
        next
    }

    /// The usual code of every slicing, backend and compiler; assembly first, which is compiled fastest.
    fn starts(&self) -> Vec<Variant> {
        let mut starts = Vec::new();
        for &slicing in &self.space.slicings {
            for backend in [Backend::Assembly, Backend::C] {
                for family in [crate::run::Family::Gcc, crate::run::Family::Clang] {
                    starts.push(Variant::new(slicing).through(backend).by(family));
                }
            }
        }
        starts
    }

    fn add(&self, variants: impl Iterator<Item = Variant>, most: usize, next: &mut Vec<Variant>) {
        for variant in variants {
            if next.len() >= most {
                return;
            }
            if self.space.contains(&variant) && !self.known.contains_key(&variant) && !next.contains(&variant)
            {
                next.push(variant);
            }
        }
    }
}

/// A number of cycles that a call of a kernel cannot stay below, by the target's table: what the ports allow, and for code
/// that no instruction cache holds, what is fetched. Code in loops is in the cache, whatever the rest.
pub fn least_cycles(kernel: &Kernel, target: &Target) -> f64 {
    let ports = kernel.report.port_bound(target).unwrap_or(0.0);
    let standing: u64 = kernel.report.instructions.values().map(|count| count.standing).sum();
    let straight = standing >= kernel.report.instructions_run();
    if straight && kernel.report.code_bytes > INSTRUCTION_CACHE {
        ports.max(kernel.report.code_bytes as f64 / FETCHED)
    } else {
        ports
    }
}

#[cfg(test)]
mod tests;
