//! Linear inequalities over integers: what bounds of public lengths are proved with.
//!
//! Elimination of variables (Fourier and Motzkin), with every inequality rounded to integers: sound, and complete enough for
//! sums of lengths, quotients and loop variables. Cost: small numbers of variables and facts are meant; [`LIMIT`] bounds it.

use std::collections::{BTreeMap, BTreeSet};

/// More inequalities than this are not looked at: the answer is then that nothing follows.
const LIMIT: usize = 2_000;

/// `constant + Σ coefficient · variable`; variables are numbers that the user gives a meaning. No coefficient is 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Linear {
    /// By variable.
    terms: BTreeMap<u32, i128>,
    constant: i128,
}

impl Linear {
    /// A number.
    pub fn constant(constant: i128) -> Linear {
        Linear { terms: BTreeMap::new(), constant }
    }

    /// A variable.
    pub fn variable(variable: u32) -> Linear {
        Linear { terms: [(variable, 1)].into(), constant: 0 }
    }

    /// The number, if it is one.
    pub fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// `self + factor · other`; `None` where numbers grow beyond 127 bits.
    #[must_use]
    pub fn plus(&self, other: &Linear, factor: i128) -> Option<Linear> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (&variable, &coefficient) in &other.terms {
            let term = sum.terms.entry(variable).or_default();
            *term = term.checked_add(coefficient.checked_mul(factor)?)?;
        }
        sum.terms.retain(|_, coefficient| *coefficient != 0);
        Some(sum)
    }

    fn coefficient(&self, variable: u32) -> i128 {
        self.terms.get(&variable).copied().unwrap_or(0)
    }

    /// The same inequality `self ≥ 0` over integers with the smallest coefficients.
    fn rounded(mut self) -> Linear {
        let divisor = self.terms.values().fold(0, |a, &b| greatest_common_divisor(a, b.unsigned_abs()));
        if divisor > 1 {
            let divisor = divisor as i128;
            self.terms.values_mut().for_each(|coefficient| *coefficient /= divisor);
            self.constant = self.constant.div_euclid(divisor);
        }
        self
    }
}

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Whether `goal ≥ 0` holds for all integers for which every fact is `≥ 0`. `false` also where this could not be shown.
pub fn follows(facts: &[Linear], goal: &Linear) -> bool {
    if let Some(constant) = goal.as_constant() {
        return constant >= 0;
    }
    // Otherwise -goal - 1 ≥ 0 together with the facts has a solution.
    let Some(opposite) = Linear::constant(-1).plus(goal, -1) else { return false };
    let all: BTreeSet<Linear> = facts.iter().cloned().chain([opposite]).map(Linear::rounded).collect();
    is_contradiction(all)
}

fn is_contradiction(mut facts: BTreeSet<Linear>) -> bool {
    loop {
        if facts.iter().any(|fact| fact.as_constant().is_some_and(|constant| constant < 0)) {
            return true;
        }
        let variables: BTreeSet<u32> = facts.iter().flat_map(|fact| fact.terms.keys().copied()).collect();
        // Where one side has units only, no solution in integers is gained: such variables go first.
        let cost = |variable: &u32| {
            let of = |sign: i128| {
                let coefficients = facts.iter().map(|fact| fact.coefficient(*variable) * sign);
                coefficients.filter(|coefficient| *coefficient > 0).collect::<Vec<i128>>()
            };
            let (above, below) = (of(1), of(-1));
            let units = |side: &[i128]| side.iter().all(|coefficient| *coefficient == 1);
            (!units(&above) && !units(&below), above.len() * below.len())
        };
        let Some(variable) = variables.into_iter().min_by_key(cost) else { return false };
        let (with, mut without): (BTreeSet<Linear>, BTreeSet<Linear>) =
            facts.into_iter().partition(|fact| fact.coefficient(variable) != 0);
        let (above, below): (Vec<&Linear>, Vec<&Linear>) =
            with.iter().partition(|fact| fact.coefficient(variable) > 0);
        for one in above {
            for other in &below {
                let (a, b) = (one.coefficient(variable), -other.coefficient(variable));
                let sum = Linear::default().plus(one, b).and_then(|sum| sum.plus(other, a));
                let Some(sum) = sum else { return false };
                if sum.as_constant().is_none_or(|constant| constant < 0) {
                    without.insert(sum.rounded());
                }
                if without.len() > LIMIT {
                    return false;
                }
            }
        }
        facts = without;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(constant: i128, terms: &[(u32, i128)]) -> Linear {
        terms.iter().fold(Linear::constant(constant), |sum, &(variable, coefficient)| {
            sum.plus(&Linear::variable(variable), coefficient).expect("small")
        })
    }

    /// q = n / 64 of a length n: the i-th of q parts of 64 bytes lies inside, one more does not.
    #[test]
    fn parts_of_a_length_lie_inside() {
        let (n, q, i) = (0, 1, 2);
        let facts = [
            sum(0, &[(n, 1), (q, -64)]),
            sum(63, &[(n, -1), (q, 64)]),
            sum(0, &[(i, 1)]),
            sum(-1, &[(q, 1), (i, -1)]),
        ];
        assert!(follows(&facts, &sum(-64, &[(n, 1), (i, -64)])));
        assert!(!follows(&facts, &sum(-65, &[(n, 1), (i, -64)])));
        assert!(!follows(&facts, &sum(-128, &[(n, 1), (i, -64)])));
    }

    /// Rounding to integers: 2 x ≥ 1 and 2 x ≤ 3 leave x = 1.
    #[test]
    fn between_halves_lies_one_integer() {
        let facts = [sum(-1, &[(0, 2)]), sum(3, &[(0, -2)])];
        assert!(follows(&facts, &sum(-1, &[(0, 1)])));
        assert!(follows(&facts, &sum(1, &[(0, -1)])));
        assert!(!follows(&facts, &sum(-2, &[(0, 1)])));
    }

    /// Nothing follows from facts that numbers are too large for.
    #[test]
    fn large_numbers_prove_nothing() {
        let facts = [sum(0, &[(0, i128::MAX), (1, 1)]), sum(0, &[(0, -i128::MAX), (1, 2)])];
        assert!(!follows(&facts, &sum(0, &[(1, 1), (2, 3)])));
    }

    /// Against all points of a small box: what is said to follow does.
    #[test]
    fn what_follows_holds_everywhere() {
        let mut state = 1_u64;
        let mut small = |span: i128| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i128::from(state >> 33) % (2 * span + 1) - span
        };
        let (mut shown, mut open) = (0, 0);
        for _ in 0..2_000 {
            let mut facts: Vec<Linear> =
                (0..3).map(|_| sum(small(6), &[(0, small(3)), (1, small(3)), (2, small(2))])).collect();
            for variable in 0..3 {
                facts.push(sum(0, &[(variable, 1)]));
                facts.push(sum(4, &[(variable, -1)]));
            }
            let goal = sum(small(8), &[(0, small(3)), (1, small(3)), (2, small(2))]);
            let value = |linear: &Linear, point: [i128; 3]| {
                linear.constant + (0..3).map(|v| linear.coefficient(v as u32) * point[v]).sum::<i128>()
            };
            let points = (0..125).map(|n: i128| [n % 5, n / 5 % 5, n / 25]);
            let holds = points
                .filter(|&point| facts.iter().all(|fact| value(fact, point) >= 0))
                .all(|point| value(&goal, point) >= 0);
            let said = follows(&facts, &goal);
            assert!(holds || !said, "{facts:?} {goal:?}");
            shown += usize::from(said);
            open += usize::from(holds && !said);
        }
        assert!(shown > 300 && open < shown / 20, "{shown} shown, {open} left open");
    }
}
