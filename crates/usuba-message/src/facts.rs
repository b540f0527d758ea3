//! What is known of public numbers, and what follows from it.

use crate::form::Condition;
use crate::number::{Number, NumberError, Term};
use std::collections::BTreeMap;
use usuba_logic::linear::{self, Linear};

/// Numbers that are known not to be negative.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    known: Vec<Number>,
    /// Numbers that are 0.
    zeros: Vec<Number>,
    /// Conditions that hold, as they were written.
    assumed: Vec<Condition>,
    /// Of each, one alternative holds: numbers that are not negative.
    choices: Vec<Vec<Vec<Number>>>,
}

/// How many minima a proof splits into cases.
const CASES: usize = 5;

impl Facts {
    /// Adds what a condition says. Of a disjunction, whichever side is left is used; where both are, proofs take them as cases.
    pub fn assume(&mut self, condition: &Condition) {
        self.assumed.push(condition.clone());
        match condition {
            Condition::NotNegative(number) => self.known.push(number.clone()),
            Condition::Zero(number) => {
                self.zeros.push(number.clone());
                self.known.push(number.clone());
                self.known.extend(Number::default().plus(number, -1));
            }
            Condition::And(left, right) => {
                self.assume(left);
                self.assume(right);
            }
            Condition::Or(left, right) => {
                // A finite choice of values lies between the smallest and the largest.
                if let Some(bounds) = range(condition) {
                    self.known.extend(bounds);
                }
                if self.refutes(left) {
                    self.assume(right);
                } else if self.refutes(right) {
                    self.assume(left);
                } else {
                    self.choices.push(alternatives(condition));
                }
            }
        }
    }

    /// Whether a number cannot be negative. `false` also where this could not be shown.
    pub fn not_negative(&self, number: &Number) -> bool {
        self.proves(&self.known, &self.choices, number, CASES)
    }

    /// A number without quotients that can only be 0, and without minima of numbers whose order is known.
    ///
    /// # Errors
    /// The result does not fit in 64 bits.
    pub fn simplified(&self, value: &Number) -> Result<Number, NumberError> {
        let mut sum = Number::from(value.constant());
        for (term, coefficient) in value.terms() {
            let own = Number::from(term.clone());
            let known = match term {
                Term::Quotient(number, divisor) => {
                    let below = Number::from(divisor - 1).plus(number, -1)?;
                    let small = self.not_negative(number) && self.not_negative(&below);
                    if small { Number::default() } else { own }
                }
                Term::Minimum(a, b) => {
                    if self.not_negative(&b.plus(a, -1)?) {
                        (**a).clone()
                    } else if self.not_negative(&a.plus(b, -1)?) {
                        (**b).clone()
                    } else {
                        own
                    }
                }
                _ => own,
            };
            sum = sum.plus(&known, coefficient)?;
        }
        if sum == *value { Ok(sum) } else { self.simplified(&sum) }
    }

    /// The larger of two numbers, simplified.
    ///
    /// # Errors
    /// It does not fit in 64 bits.
    pub fn maximum(&self, one: &Number, two: &Number) -> Result<Number, NumberError> {
        self.simplified(&one.maximum(two)?)
    }

    /// The smaller of two numbers, simplified.
    ///
    /// # Errors
    /// It does not fit in 64 bits.
    pub fn minimum(&self, one: &Number, two: &Number) -> Result<Number, NumberError> {
        self.simplified(&one.minimum(two)?)
    }

    /// Whether two numbers are the same.
    pub fn same(&self, one: &Number, two: &Number) -> bool {
        one == two || one.plus(two, -1).is_ok_and(|difference| self.holds(&Condition::Zero(difference)))
    }

    /// Whether a condition always holds. `false` also where this could not be shown.
    pub fn holds(&self, condition: &Condition) -> bool {
        if self.assumed.contains(condition) {
            return true;
        }
        match condition {
            Condition::NotNegative(number) => self.not_negative(number),
            Condition::Zero(number) => {
                let opposite = Number::default().plus(number, -1);
                self.not_negative(number) && opposite.is_ok_and(|opposite| self.not_negative(&opposite))
            }
            Condition::And(left, right) => self.holds(left) && self.holds(right),
            Condition::Or(left, right) => {
                if self.holds(left) || self.holds(right) {
                    return true;
                }
                let mut otherwise = self.clone();
                otherwise.assume(&left.negated());
                otherwise.holds(right)
            }
        }
    }

    /// The value of a number, if only one is left: by what is 0, or one of the given that can be proved.
    pub fn value(&self, number: &Number, likely: &[i64]) -> Option<i64> {
        if let Some(constant) = number.as_constant() {
            return Some(constant);
        }
        let same = self.zeros.iter().find_map(|zero| {
            [1, -1].into_iter().find_map(|sign| number.plus(zero, sign).ok()?.as_constant())
        });
        same.or_else(|| {
            likely.iter().copied().find(|&value| {
                let difference = number.plus(&value.into(), -1);
                difference.is_ok_and(|difference| self.holds(&Condition::Zero(difference)))
            })
        })
    }

    /// Whether a condition never holds. `false` also where this could not be shown.
    pub fn refutes(&self, condition: &Condition) -> bool {
        self.holds(&condition.negated())
    }

    fn proves(&self, known: &[Number], choices: &[Vec<Vec<Number>>], goal: &Number, cases: usize) -> bool {
        if let Some(constant) = goal.as_constant() {
            return constant >= 0;
        }
        let mut terms = Terms::default();
        let mut facts: Vec<Linear> = known.iter().filter_map(|number| terms.linear(number)).collect();
        let Some(wanted) = terms.linear(goal) else { return false };
        // What terms are, and terms inside of them.
        let mut seen = 0;
        while seen < terms.order.len() {
            let term = terms.order[seen].clone();
            seen += 1;
            for fact in of_term(&term) {
                facts.extend(terms.linear(&fact));
            }
            if let Term::TrailingZeros(number) = &term
                && cases > 0
            {
                // A number below 2^32 ends with 31 zeros at most.
                let below = Number::from(i64::from(u32::MAX)).plus(number, -1);
                if below.is_ok_and(|below| self.proves(known, choices, &below, 0)) {
                    let fact = Number::from(31).plus(&term.into(), -1);
                    facts.extend(fact.ok().and_then(|fact| terms.linear(&fact)));
                }
            }
        }
        if linear::follows(&facts, &wanted) {
            return true;
        }
        if cases == 0 {
            return false;
        }
        let minimum = terms.order.iter().find_map(|term| match term {
            Term::Minimum(a, b) => Some((term.clone(), (**a).clone(), (**b).clone())),
            _ => None,
        });
        let Some((term, a, b)) = minimum else {
            let Some((choice, rest)) = choices.split_first() else { return false };
            return choice.iter().all(|alternative| {
                let known = [known, alternative].concat();
                self.proves(&known, rest, goal, cases - 1)
            });
        };
        [(&a, &b), (&b, &a)].into_iter().all(|(small, large)| {
            let replaced = |number: &Number| replace(number, &term, small);
            let mut known: Vec<Number> = known.iter().filter_map(replaced).collect();
            known.extend(large.plus(small, -1));
            let in_choice = |choice: &Vec<Vec<Number>>| {
                choice.iter().map(|one| one.iter().filter_map(replaced).collect()).collect()
            };
            let choices: Vec<Vec<Vec<Number>>> = choices.iter().map(in_choice).collect();
            replaced(goal).is_some_and(|goal| self.proves(&known, &choices, &goal, cases - 1))
        })
    }
}

/// A condition as alternatives, each a list of numbers that are not negative.
fn alternatives(condition: &Condition) -> Vec<Vec<Number>> {
    match condition {
        Condition::NotNegative(number) => vec![vec![number.clone()]],
        Condition::Zero(number) => {
            let opposite = Number::default().plus(number, -1);
            vec![std::iter::once(number.clone()).chain(opposite).collect()]
        }
        Condition::Or(left, right) => [alternatives(left), alternatives(right)].concat(),
        Condition::And(left, right) => {
            let (left, right) = (alternatives(left), alternatives(right));
            left.iter()
                .flat_map(|one| right.iter().map(move |two| [one.clone(), two.clone()].concat()))
                .collect()
        }
    }
}

/// The number with another for a minimum, wherever that stands.
fn replace(number: &Number, term: &Term, by: &Number) -> Option<Number> {
    let mut sum = Number::from(number.constant());
    for (one, coefficient) in number.terms() {
        let value = if one == term {
            by.clone()
        } else {
            match one {
                Term::Quotient(inner, divisor) => {
                    replace(inner, term, by)?.quotient(&(*divisor).into()).ok()?
                }
                Term::Minimum(a, b) => replace(a, term, by)?.minimum(&replace(b, term, by)?).ok()?,
                other => other.clone().into(),
            }
        };
        sum = sum.plus(&value, coefficient).ok()?;
    }
    Some(sum)
}

/// What holds of a term by itself.
fn of_term(term: &Term) -> Vec<Number> {
    let own = Number::from(term.clone());
    match term {
        Term::Length(_) | Term::TrailingZeros(_) => vec![own],
        Term::Index(_) => Vec::new(),
        Term::Quotient(number, divisor) => {
            // 0 ≤ number - divisor · q ≤ divisor - 1
            let rest = number.plus(&own, -divisor);
            let above = rest
                .as_ref()
                .map_err(|error| *error)
                .and_then(|rest| Number::from(divisor - 1).plus(rest, -1));
            rest.into_iter().chain(above).collect()
        }
        Term::Minimum(a, b) => [a, b].into_iter().filter_map(|one| one.plus(&own, -1).ok()).collect(),
    }
}

/// The smallest and the largest of a finite choice of values of one number, as two inequalities.
fn range(condition: &Condition) -> Option<[Number; 2]> {
    let mut values = Vec::new();
    let mut open = vec![condition];
    while let Some(condition) = open.pop() {
        match condition {
            Condition::Or(left, right) => open.extend([&**left, &**right]),
            Condition::Zero(number) => values.push(number.clone()),
            _ => return None,
        }
    }
    let first = values.first()?;
    let offsets: Option<Vec<i64>> =
        values.iter().map(|value| value.plus(first, -1).ok()?.as_constant()).collect();
    let offsets = offsets?;
    // number + offset = 0 for one of them.
    let (least, most) = (*offsets.iter().min()?, *offsets.iter().max()?);
    let above = first.plus(&most.into(), 1).ok()?;
    let below = Number::default().plus(&first.plus(&least.into(), 1).ok()?, -1).ok()?;
    Some([above, below])
}

/// Terms as variables of the prover.
#[derive(Default)]
struct Terms {
    numbers: BTreeMap<Term, u32>,
    order: Vec<Term>,
}

impl Terms {
    fn linear(&mut self, number: &Number) -> Option<Linear> {
        let mut sum = Linear::constant(number.constant().into());
        for (term, coefficient) in number.terms() {
            let next = self.order.len() as u32;
            let variable = *self.numbers.entry(term.clone()).or_insert(next);
            if variable == next {
                self.order.push(term.clone());
            }
            sum = sum.plus(&Linear::variable(variable), coefficient.into())?;
        }
        Some(sum)
    }
}
