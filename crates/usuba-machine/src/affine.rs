//! The values that an index takes.

use crate::messages::Rule;
use crate::program::{Length, RegionId, RegisterId, Trips};
use usuba_ir::program::{Affine, InductionId};

/// An open loop: its induction variable and how often it runs.
pub(crate) type Open = (InductionId, Trips);

/// The values of an index: from `low` to `high`, and further by `step` for each time after the first that a public loop runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) low: i128,
    pub(crate) high: i128,
    /// A public count n, and a step s > 0: the index reaches `high + s (n - 1)`.
    pub(crate) public: Option<(RegisterId, i128)>,
}

/// The values of `index` in these loops.
///
/// # Errors
/// The index is malformed, names a loop that is not open, falls with a public loop, or moves with several public counts.
pub(crate) fn range(region: RegionId, index: &Affine, open: &[Open]) -> Result<Range, Rule> {
    let increasing = index.terms.windows(2).all(|pair| pair[0].0 < pair[1].0);
    if !increasing || index.terms.iter().any(|&(_, coefficient)| coefficient == 0) {
        return Err(Rule::AffineForm);
    }
    let constant = i128::from(index.constant);
    let mut range = Range { low: constant, high: constant, public: None };
    for &(induction, coefficient) in &index.terms {
        let Some(&(_, trips)) = open.iter().find(|(other, _)| *other == induction) else {
            return Err(Rule::InductionScope(induction));
        };
        let coefficient = i128::from(coefficient);
        match (trips, range.public) {
            (Trips::Constant(trips), _) => {
                let last = coefficient * i128::from(trips.max(1) - 1);
                range.low += last.min(0);
                range.high += last.max(0);
            }
            (Trips::Public(_), _) if coefficient < 0 => return Err(Rule::MayBeEmpty(region)),
            (Trips::Public(count), None) => range.public = Some((count, coefficient)),
            (Trips::Public(count), Some((other, step))) if count == other => {
                range.public = Some((count, step + coefficient));
            }
            _ => return Err(Rule::SeveralCounts(region)),
        }
    }
    Ok(range)
}

/// Checks that `part` elements from every value of an index on lie in a region.
///
/// With a public length `factor · n`, n ≥ 1 where a loop over n is open: `high + s (n - 1) + part ≤ factor · n` holds for all
/// such n if and only if it does for n = 1 and `s ≤ factor`.
pub(crate) fn inside(
    region: RegionId,
    length: Length,
    index: &Affine,
    part: u32,
    open: &[Open],
) -> Result<Range, Rule> {
    let found = range(region, index, open)?;
    let end = found.high + i128::from(part);
    let fits = match (length, found.public) {
        (Length::Constant(length), None) => end <= i128::from(length),
        (Length::Constant(_), Some(_)) => false,
        (Length::Public { count, factor }, public) => {
            if !open.iter().any(|&(_, trips)| trips == Trips::Public(count)) {
                return Err(Rule::MayBeEmpty(region));
            }
            let steps = public.is_none_or(|(other, step)| other == count && step <= i128::from(factor));
            steps && end <= i128::from(factor)
        }
    };
    if found.low >= 0 && fits {
        return Ok(found);
    }
    Err(Rule::Index {
        region,
        low: found.low,
        high: found.high,
        public: found.public.map(|(count, step)| format!(" + {step}*({count} - 1)")).unwrap_or_default(),
        length: length.to_string(),
        part,
    })
}

/// Whether `part` elements from one index on may share one with `others` from another index on, in the same region.
pub(crate) fn may_overlap(one: (&Affine, u32), other: (&Affine, u32), open: &[Open]) -> bool {
    let Ok(distance) = range(RegionId(0), &other.0.minus(one.0), open) else { return true };
    let behind = distance.low >= i128::from(one.1);
    let before = distance.public.is_none() && distance.high + i128::from(other.1) <= 0;
    !(behind || before)
}
