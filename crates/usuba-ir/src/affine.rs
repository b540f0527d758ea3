//! Arithmetic of indices.

use crate::program::Affine;

impl Affine {
    /// The sum.
    pub fn plus(&self, other: &Affine) -> Affine {
        self.combine(other, 1)
    }

    /// The difference.
    pub fn minus(&self, other: &Affine) -> Affine {
        self.combine(other, -1)
    }

    /// Its value, if it is the same for all inductions.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    fn combine(&self, other: &Affine, factor: i64) -> Affine {
        let mut terms = self.terms.clone();
        for &(induction, coefficient) in &other.terms {
            match terms.binary_search_by_key(&induction, |&(induction, _)| induction) {
                Ok(place) => terms[place].1 += factor * coefficient,
                Err(place) => terms.insert(place, (induction, factor * coefficient)),
            }
        }
        terms.retain(|&(_, coefficient)| coefficient != 0);
        Affine { constant: self.constant + factor * other.constant, terms }
    }
}
