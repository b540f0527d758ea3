//! Public numbers: sums of lengths, loop variables, quotients and minima, with whole coefficients.

use std::collections::BTreeMap;
use std::fmt;

/// A public number: `constant + Σ coefficient · term`.
///
/// Two numbers that are equal by the laws of sums are equal values. A remainder is a number less a multiple of a quotient, and
/// a maximum a sum with a minimum, so that there are few kinds of [`Term`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Number {
    /// Coefficients, none of them 0, by term.
    terms: BTreeMap<Term, i64>,
    constant: i64,
}

/// What numbers are sums of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Term {
    /// A length or a `nat` of the message, by its place in [`crate::form::Message::lengths`].
    Length(u32),
    /// The variable of a loop.
    Index(u32),
    /// The Euclidean quotient by a positive constant.
    Quotient(Box<Number>, i64),
    /// The smaller of two.
    Minimum(Box<Number>, Box<Number>),
    /// How many zeros a positive number ends with, in binary.
    TrailingZeros(Box<Number>),
}

impl From<i64> for Number {
    fn from(constant: i64) -> Number {
        Number { terms: BTreeMap::new(), constant }
    }
}

impl From<Term> for Number {
    fn from(term: Term) -> Number {
        Number { terms: [(term, 1)].into(), constant: 0 }
    }
}

/// Numbers that do not fit in 64 bits, a division that has no value, or a product of two numbers that are not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberError {
    /// Beyond 64 bits.
    Overflow,
    /// By a number that is not a positive constant.
    Division,
    /// Of two numbers neither of which is a constant.
    Product,
    /// `Ntz` of a constant that is not positive.
    TrailingZeros,
}

type Result = std::result::Result<Number, NumberError>;

impl Number {
    /// The number, if it does not depend on lengths or loop variables.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The terms with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (&Term, i64)> {
        self.terms.iter().map(|(term, &coefficient)| (term, coefficient))
    }

    /// What is added to the terms.
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// `self + factor · other`.
    ///
    /// # Errors
    /// It does not fit in 64 bits; so everywhere below.
    pub fn plus(&self, other: &Number, factor: i64) -> Result {
        let overflow = NumberError::Overflow;
        let mut sum = self.clone();
        let more = other.constant.checked_mul(factor).ok_or(overflow)?;
        sum.constant = sum.constant.checked_add(more).ok_or(overflow)?;
        for (term, coefficient) in &other.terms {
            let more = coefficient.checked_mul(factor).ok_or(overflow)?;
            let entry = sum.terms.entry(term.clone()).or_default();
            *entry = entry.checked_add(more).ok_or(overflow)?;
        }
        sum.terms.retain(|_, coefficient| *coefficient != 0);
        Ok(sum)
    }

    /// The product, one factor being a constant.
    ///
    /// # Errors
    /// Neither is.
    pub fn times(&self, other: &Number) -> Result {
        match (self.as_constant(), other.as_constant()) {
            (_, Some(factor)) => Number::default().plus(self, factor),
            (Some(factor), _) => Number::default().plus(other, factor),
            _ => Err(NumberError::Product),
        }
    }

    /// The Euclidean quotient. What is a multiple of the divisor is divided by itself: `(16 n + r) / 16 = n + r / 16`.
    ///
    /// # Errors
    /// The divisor is not a positive constant.
    pub fn quotient(&self, divisor: &Number) -> Result {
        let divisor = divisor.as_constant().filter(|&divisor| divisor > 0).ok_or(NumberError::Division)?;
        let mut whole = Number::from(self.constant.div_euclid(divisor));
        let mut rest = Number::from(self.constant.rem_euclid(divisor));
        for (term, &coefficient) in &self.terms {
            let part = coefficient.div_euclid(divisor);
            // A negative coefficient that is no multiple stays as it is, which keeps the rest readable.
            let (part, left) = if coefficient % divisor == 0 {
                (part, 0)
            } else {
                (coefficient / divisor, coefficient % divisor)
            };
            whole = whole.plus(&term.clone().into(), part)?;
            rest = rest.plus(&term.clone().into(), left)?;
        }
        match rest.as_constant() {
            Some(rest) => whole.plus(&rest.div_euclid(divisor).into(), 1),
            None => whole.plus(&Term::Quotient(Box::new(rest), divisor).into(), 1),
        }
    }

    /// The Euclidean remainder.
    ///
    /// # Errors
    /// The divisor is not a positive constant.
    pub fn remainder(&self, divisor: &Number) -> Result {
        let quotient = self.quotient(divisor)?;
        self.plus(&quotient.times(divisor)?, -1)
    }

    /// The smaller of two numbers.
    ///
    /// # Errors
    /// They are too far apart.
    pub fn minimum(&self, other: &Number) -> Result {
        if let Some(difference) = self.plus(other, -1)?.as_constant() {
            return Ok(if difference <= 0 { self } else { other }.clone());
        }
        // What both have is taken out: min(n + 4, len) is always written the same way.
        let (one, two) = if self <= other { (self, other) } else { (other, self) };
        Ok(Term::Minimum(Box::new(one.clone()), Box::new(two.clone())).into())
    }

    /// The larger of two numbers.
    ///
    /// # Errors
    /// They are too far apart.
    pub fn maximum(&self, other: &Number) -> Result {
        self.plus(other, 1)?.plus(&self.minimum(other)?, -1)
    }

    /// How many zeros the number ends with, in binary.
    ///
    /// # Errors
    /// It is a constant that is not positive.
    pub fn trailing_zeros(&self) -> Result {
        match self.as_constant() {
            Some(constant) if constant > 0 => Ok(i64::from(constant.trailing_zeros()).into()),
            Some(_) => Err(NumberError::TrailingZeros),
            None => Ok(Term::TrailingZeros(Box::new(self.clone())).into()),
        }
    }

    /// The value where lengths and loop variables have the given values.
    ///
    /// # Errors
    /// It has none.
    pub fn evaluate(&self, value: &dyn Fn(&Term) -> i64) -> std::result::Result<i64, NumberError> {
        let mut sum = self.constant;
        for (term, &coefficient) in &self.terms {
            let one = term.evaluate(value)?;
            let more = one.checked_mul(coefficient).ok_or(NumberError::Overflow)?;
            sum = sum.checked_add(more).ok_or(NumberError::Overflow)?;
        }
        Ok(sum)
    }

    /// The number with another in the place of some lengths and loop variables.
    ///
    /// # Errors
    /// The result does not fit in 64 bits, or is no sum.
    pub fn substitute(&self, with: &dyn Fn(&Term) -> Option<Number>) -> Result {
        let mut sum = Number::from(self.constant);
        for (term, &coefficient) in &self.terms {
            let one = match term {
                Term::Length(_) | Term::Index(_) => with(term).unwrap_or_else(|| term.clone().into()),
                Term::Quotient(number, divisor) => number.substitute(with)?.quotient(&(*divisor).into())?,
                Term::Minimum(a, b) => a.substitute(with)?.minimum(&b.substitute(with)?)?,
                Term::TrailingZeros(number) => number.substitute(with)?.trailing_zeros()?,
            };
            sum = sum.plus(&one, coefficient)?;
        }
        Ok(sum)
    }

    /// A number that is the same modulo 2^width: without terms that are multiples of it.
    #[must_use]
    pub fn modulo_word(&self, width: u32) -> Number {
        let Some(modulus) = 1i64.checked_shl(width).filter(|&modulus| modulus > 0 && width < 63) else {
            return self.clone();
        };
        let mut rest = self.clone();
        rest.terms.retain(|_, coefficient| *coefficient % modulus != 0);
        rest
    }

    /// Whether a term occurs, inside of others too.
    pub fn mentions(&self, wanted: &Term) -> bool {
        self.terms.keys().any(|term| {
            term == wanted
                || match term {
                    Term::Length(_) | Term::Index(_) => false,
                    Term::Quotient(number, _) | Term::TrailingZeros(number) => number.mentions(wanted),
                    Term::Minimum(a, b) => a.mentions(wanted) || b.mentions(wanted),
                }
        })
    }

    /// The number without the multiple of a term that it has outside of other terms, and the coefficient of that.
    pub fn split(&self, term: &Term) -> (Number, i64) {
        let mut rest = self.clone();
        let coefficient = rest.terms.remove(term).unwrap_or(0);
        (rest, coefficient)
    }
}

impl Term {
    fn evaluate(&self, value: &dyn Fn(&Term) -> i64) -> std::result::Result<i64, NumberError> {
        Ok(match self {
            Term::Length(_) | Term::Index(_) => value(self),
            Term::Quotient(number, divisor) => number.evaluate(value)?.div_euclid(*divisor),
            Term::Minimum(a, b) => a.evaluate(value)?.min(b.evaluate(value)?),
            Term::TrailingZeros(number) => {
                let number = number.evaluate(value)?;
                if number <= 0 {
                    return Err(NumberError::TrailingZeros);
                }
                i64::from(number.trailing_zeros())
            }
        })
    }
}

/// Numbers with the names of lengths: `16*n + len/16 - 1`.
pub struct Named<'n>(pub &'n Number, pub &'n dyn Fn(&Term) -> String);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named(number, name) = self;
        let mut first = true;
        for (term, coefficient) in number.terms() {
            let sign = match (first, coefficient < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            first = false;
            f.write_str(sign)?;
            if coefficient.unsigned_abs() != 1 {
                write!(f, "{}*", coefficient.unsigned_abs())?;
            }
            match term {
                Term::Length(_) | Term::Index(_) => f.write_str(&name(term))?,
                Term::Quotient(number, divisor) if number.terms.len() == 1 && number.constant == 0 => {
                    write!(f, "{}/{divisor}", Named(number, name))?;
                }
                Term::Quotient(number, divisor) => write!(f, "({})/{divisor}", Named(number, name))?,
                Term::Minimum(a, b) => write!(f, "min({}, {})", Named(a, name), Named(b, name))?,
                Term::TrailingZeros(number) => write!(f, "Ntz({})", Named(number, name))?,
            }
        }
        match number.constant {
            0 if !first => Ok(()),
            constant if first => write!(f, "{constant}"),
            constant if constant < 0 => write!(f, " - {}", constant.unsigned_abs()),
            constant => write!(f, " + {constant}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length() -> Number {
        Term::Length(0).into()
    }

    #[test]
    fn remainders_and_quotients_cancel() {
        let sixteen = Number::from(16);
        let (n, r) = (length().quotient(&sixteen).unwrap(), length().remainder(&sixteen).unwrap());
        let rest = length().plus(&n, -16).unwrap();
        assert_eq!(rest, r);
        let whole = length().plus(&16.into(), 1).unwrap().quotient(&sixteen).unwrap();
        assert_eq!(whole, n.plus(&1.into(), 1).unwrap());
        assert_eq!(n.times(&sixteen).unwrap().quotient(&sixteen).unwrap(), n);
    }

    #[test]
    fn values_are_those_of_the_parts() {
        for len in -40..40i64 {
            let value = |_: &Term| len;
            let number = length().times(&3.into()).unwrap().plus(&7.into(), 1).unwrap();
            let q = number.quotient(&8.into()).unwrap().evaluate(&value).unwrap();
            assert_eq!(q, (3 * len + 7).div_euclid(8));
            let number = length().times(&(-19).into()).unwrap().plus(&5.into(), 1).unwrap();
            let q = number.quotient(&8.into()).unwrap().evaluate(&value).unwrap();
            assert_eq!(q, (5 - 19 * len).div_euclid(8));
            let number = length().plus(&(-9).into(), 1).unwrap();
            assert_eq!(number.maximum(&3.into()).unwrap().evaluate(&value).unwrap(), (len - 9).max(3));
        }
    }
}
