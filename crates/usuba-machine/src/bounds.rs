//! What is known of public counts, and what follows from it: every address is inside of its region.

use crate::messages::Rule;
use crate::program::{Address, Length, Public, RegisterId, Trips};
use std::collections::BTreeMap;
use usuba_ir::program::{Affine, InductionId};
use usuba_logic::linear::{Linear, follows};

/// Public counts and the inductions of open loops as variables, and the inequalities between them.
pub(crate) struct Bounds {
    counts: BTreeMap<RegisterId, Linear>,
    /// The quotients that were taken: of what, and by what.
    quotients: BTreeMap<(Linear, u32), Linear>,
    variables: u32,
    facts: Vec<Linear>,
    open: Vec<(InductionId, Linear, usize)>,
}

/// Numbers that are too large to reason about.
const LARGE: Rule = Rule::LargeIndex;

impl Bounds {
    /// Nothing is known yet.
    pub(crate) fn new() -> Bounds {
        Bounds {
            counts: BTreeMap::new(),
            quotients: BTreeMap::new(),
            variables: 0,
            facts: Vec::new(),
            open: Vec::new(),
        }
    }

    fn variable(&mut self) -> Linear {
        self.variables += 1;
        let variable = Linear::variable(self.variables - 1);
        self.facts.push(variable.clone());
        variable
    }

    /// A count that the function is given: any number.
    pub(crate) fn given(&mut self, count: RegisterId) {
        let variable = self.variable();
        self.counts.insert(count, variable);
    }

    /// A count that is made of others.
    ///
    /// # Errors
    /// It may be negative, or numbers are too large.
    pub(crate) fn made(&mut self, result: RegisterId, value: &Public) -> Result<(), Rule> {
        let made = match value {
            Public::Sum { constant, terms } => {
                let mut sum = Linear::constant(i128::from(*constant));
                for (count, coefficient) in terms {
                    sum = sum.plus(&self.count(*count)?, i128::from(*coefficient)).ok_or(LARGE)?;
                }
                if !follows(&self.facts, &sum) {
                    return Err(Rule::Negative(result));
                }
                sum
            }
            Public::Index(index) => {
                let sum = self.index(index)?;
                if !follows(&self.facts, &sum) {
                    return Err(Rule::Negative(result));
                }
                sum
            }
            Public::Quotient { of, by } => self.quotient(*of, *by)?,
            Public::Remainder { of, by } => {
                let quotient = self.quotient(*of, *by)?;
                self.count(*of)?.plus(&quotient, -i128::from(*by)).ok_or(LARGE)?
            }
            Public::Least { of, bound } => {
                let of = self.count(*of)?;
                let least = self.variable();
                self.facts.push(of.plus(&least, -1).ok_or(LARGE)?);
                self.facts.push(Linear::constant(i128::from(*bound)).plus(&least, -1).ok_or(LARGE)?);
                least
            }
        };
        self.counts.insert(result, made);
        Ok(())
    }

    fn quotient(&mut self, of: RegisterId, by: u32) -> Result<Linear, Rule> {
        if by == 0 {
            return Err(Rule::DividesByZero);
        }
        let of = self.count(of)?;
        if let Some(known) = self.quotients.get(&(of.clone(), by)) {
            return Ok(known.clone());
        }
        let quotient = self.variable();
        let rest = of.plus(&quotient, -i128::from(by)).ok_or(LARGE)?;
        let most = Linear::constant(i128::from(by) - 1).plus(&rest, -1).ok_or(LARGE)?;
        self.facts.extend([rest, most]);
        self.quotients.insert((of, by), quotient.clone());
        Ok(quotient)
    }

    fn count(&self, count: RegisterId) -> Result<Linear, Rule> {
        self.counts.get(&count).cloned().ok_or(Rule::NotCount(count))
    }

    /// Enters a loop: in its body the induction is below the trips, and there is at least one.
    pub(crate) fn open(&mut self, induction: InductionId, trips: Trips) -> Result<(), Rule> {
        let trips = match trips {
            Trips::Constant(trips) => Linear::constant(i128::from(trips)),
            Trips::Public(count) => self.count(count)?,
        };
        let before = self.facts.len();
        let variable = self.variable();
        let below = Linear::constant(-1).plus(&trips, 1).and_then(|last| last.plus(&variable, -1));
        self.facts.push(below.ok_or(LARGE)?);
        self.open.push((induction, variable, before));
        Ok(())
    }

    /// Leaves the loop that was entered last. What was made of counts in it is forgotten.
    pub(crate) fn close(&mut self) {
        if let Some((_, _, before)) = self.open.pop() {
            self.facts.truncate(before);
            let known = &self.facts;
            self.quotients.retain(|_, quotient| known.contains(quotient));
        }
    }

    fn index(&self, index: &Affine) -> Result<Linear, Rule> {
        let increasing = index.terms.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if !increasing || index.terms.iter().any(|&(_, coefficient)| coefficient == 0) {
            return Err(Rule::AffineForm);
        }
        let mut sum = Linear::constant(i128::from(index.constant));
        for &(induction, coefficient) in &index.terms {
            let open = self.open.iter().find(|(other, ..)| *other == induction);
            let (_, variable, _) = open.ok_or(Rule::InductionScope(induction))?;
            sum = sum.plus(variable, i128::from(coefficient)).ok_or(Rule::LargeIndex)?;
        }
        Ok(sum)
    }

    /// So many elements as a sum.
    ///
    /// # Errors
    /// It is of a count that cannot be seen.
    pub(crate) fn length(&self, length: Length) -> Result<Linear, Rule> {
        Ok(match length {
            Length::Constant(length) => Linear::constant(i128::from(length)),
            Length::Public { count, factor } => {
                Linear::default().plus(&self.count(count)?, i128::from(factor)).ok_or(LARGE)?
            }
        })
    }

    /// Checks that `part` elements from an index on lie among so many, for all values of the inductions.
    ///
    /// # Errors
    /// They may not.
    pub(crate) fn inside(&self, address: &Address, length: Length, part: Length) -> Result<(), Rule> {
        let low = self.index(&address.index)?;
        let end = low.plus(&self.length(part)?, 1).ok_or(LARGE)?;
        let room = self.length(length)?.plus(&end, -1).ok_or(LARGE)?;
        if follows(&self.facts, &low) && follows(&self.facts, &room) {
            return Ok(());
        }
        Err(Rule::Index { address: address.to_string(), part: part.to_string(), length: length.to_string() })
    }

    /// Whether a view of so many elements, `offset` further, lies inside of so many.
    pub(crate) fn contains(&self, whole: Length, offset: RegisterId, part: Length) -> Result<bool, Rule> {
        let end = self.count(offset)?.plus(&self.length(part)?, 1).ok_or(LARGE)?;
        Ok(follows(&self.facts, &self.length(whole)?.plus(&end, -1).ok_or(LARGE)?))
    }

    /// Whether a count is at most a number.
    pub(crate) fn at_most(&self, count: RegisterId, most: usize) -> Result<bool, Rule> {
        let room = Linear::constant(most as i128).plus(&self.count(count)?, -1).ok_or(LARGE)?;
        Ok(follows(&self.facts, &room))
    }

    /// Whether `part` elements from one index on may share one with `others` from another index on, in the same region.
    pub(crate) fn may_overlap(&self, one: (&Affine, Length), other: (&Affine, Length)) -> bool {
        let behind = |first: (&Affine, Length), second: &Affine| -> Option<bool> {
            let (first_at, at) = (self.index(first.0).ok()?, self.index(second).ok()?);
            let room = at.plus(&first_at, -1)?.plus(&self.length(first.1).ok()?, -1)?;
            Some(follows(&self.facts, &room))
        };
        behind(one, other.0) != Some(true) && behind(other, one.0) != Some(true)
    }
}
