//! GF(2^n), n up to 128: polynomials over GF(2) modulo one of degree n, and how their coefficients lie in a block.

use std::fmt;
use usuba_logic::matrix::{Matrix, Vector};

/// x^degree and lower terms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Polynomial {
    /// The degree, from 1 to 128.
    pub degree: u32,
    /// The other terms: bit i is the coefficient of x^i, below x^degree.
    pub low: u128,
}

impl Polynomial {
    /// That of GCM and XTS: x^128 + x^7 + x^2 + x + 1 (NIST SP 800-38D, section 6.3; IEEE Std 1619-2018, section 5.2).
    pub const GCM: Polynomial = Polynomial { degree: 128, low: 0x87 };
    /// That of POLYVAL: x^128 + x^127 + x^126 + x^121 + 1 (RFC 8452, section 3).
    pub const POLYVAL: Polynomial = Polynomial { degree: 128, low: 1 << 127 | 1 << 126 | 1 << 121 | 1 };

    /// The terms of polynomials of lower degree.
    fn mask(&self) -> u128 {
        u128::MAX >> (128 - self.degree)
    }

    /// `a` times x, modulo this.
    pub fn times_x(&self, a: u128) -> u128 {
        let reduced = if a >> (self.degree - 1) & 1 == 1 { self.low } else { 0 };
        (a << 1 & self.mask()) ^ reduced
    }

    /// The product modulo this.
    pub fn multiply(&self, a: u128, b: u128) -> u128 {
        (0..self.degree).rev().fold(0, |sum, bit| self.times_x(sum) ^ if a >> bit & 1 == 1 { b } else { 0 })
    }

    /// x modulo this.
    fn x(&self) -> u128 {
        self.times_x(1)
    }

    /// x^(2^squarings) modulo this.
    fn frobenius(&self, squarings: u32) -> u128 {
        (0..squarings).fold(self.x(), |power, _| self.multiply(power, power))
    }

    /// Whether it is irreducible, so that there is a field modulo it: Rabin's test. x^(2^n) is x, and x^(2^(n/q)) - x has an
    /// inverse for each prime q that divides the degree n.
    pub fn is_irreducible(&self) -> bool {
        let n = self.degree;
        let primes = (2..=n).filter(|q| n.is_multiple_of(*q) && (2..*q).all(|d| !q.is_multiple_of(d)));
        self.frobenius(n) == self.x()
            && primes.into_iter().all(|q| self.is_invertible(self.frobenius(n / q) ^ self.x()))
    }

    /// Whether an element has an inverse: whether multiplication by it is one to one.
    fn is_invertible(&self, element: u128) -> bool {
        let powers = std::iter::successors(Some(element), |power| Some(self.times_x(*power)));
        let row = |power: u128| -> Vector { (0..self.degree).map(|bit| power >> bit & 1 == 1).collect() };
        let rows = powers.take(self.degree as usize).map(row).collect();
        Matrix::of_rows(self.degree as usize, rows).rank() == self.degree as usize
    }

    /// The k with x^k = `element`, the least in absolute value up to 2n.
    pub fn exponent(&self, element: u128) -> Option<i32> {
        let (mut up, mut down) = (1, element);
        // x^k = element, or x^k · element = 1.
        for k in 0..=2 * self.degree as i32 {
            if up == element {
                return Some(k);
            }
            if down == 1 {
                return Some(-k);
            }
            (up, down) = (self.times_x(up), self.times_x(down));
        }
        None
    }
}

impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x^{}", self.degree)?;
        for power in (0..self.degree).rev().filter(|power| self.low >> power & 1 == 1) {
            match power {
                0 => f.write_str("+1")?,
                1 => f.write_str("+x")?,
                _ => write!(f, "+x^{power}")?,
            }
        }
        Ok(())
    }
}

/// How coefficients lie in a block, whose bits are counted from the most significant of its first byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CoefficientOrder {
    /// The first bit is the coefficient of 1: GCM.
    First,
    /// The least significant bit of the first byte is the coefficient of 1, its most significant bit that of x^7: XTS, POLYVAL.
    Little,
    /// The last bit is the coefficient of 1, as in a number: CMAC, OCB.
    Last,
    /// The most significant bit of the last byte is the coefficient of 1, its least significant bit that of x^7.
    Reversed,
}

impl CoefficientOrder {
    /// All of them.
    pub const ALL: [CoefficientOrder; 4] = [
        CoefficientOrder::First,
        CoefficientOrder::Little,
        CoefficientOrder::Last,
        CoefficientOrder::Reversed,
    ];

    /// The bit, counted from the first, that is the coefficient of x^power; also which power bit `power` belongs to. The
    /// block has so many bits; they are whole bytes unless the order is the first or the last.
    pub fn place(self, bits: usize, power: usize) -> usize {
        match self {
            CoefficientOrder::First => power,
            CoefficientOrder::Little => power / 8 * 8 + 7 - power % 8,
            CoefficientOrder::Last => bits - 1 - power,
            CoefficientOrder::Reversed => bits - 8 - power / 8 * 8 + power % 8,
        }
    }

    /// Whether it is an order of blocks of so many bits, other than those before it.
    pub(crate) fn fits(self, bits: usize) -> bool {
        matches!(self, CoefficientOrder::First | CoefficientOrder::Last)
            || (bits > 8 && bits.is_multiple_of(8))
    }
}

impl fmt::Display for CoefficientOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CoefficientOrder::First => "first bit = coefficient of 1",
            CoefficientOrder::Little => "lowest bit of the first byte = coefficient of 1",
            CoefficientOrder::Last => "last bit = coefficient of 1",
            CoefficientOrder::Reversed => "highest bit of the last byte = coefficient of 1",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those that no polynomial of lower degree divides, for all polynomials of degree up to 10.
    #[test]
    fn irreducible_is_what_nothing_divides() {
        let remainder = |mut a: u128, b: u128| {
            while a.ilog2() >= b.ilog2() {
                a ^= b << (a.ilog2() - b.ilog2());
                if a == 0 {
                    break;
                }
            }
            a
        };
        let mut counts = Vec::new();
        for degree in 1..=10 {
            let all = (0..1 << degree).map(|low| Polynomial { degree, low });
            let prime = |one: &Polynomial| (2..1 << degree).all(|d| remainder(1 << degree | one.low, d) != 0);
            let found: Vec<Polynomial> = all.clone().filter(Polynomial::is_irreducible).collect();
            assert_eq!(found, all.filter(prime).collect::<Vec<_>>(), "{degree}");
            counts.push(found.len());
        }
        assert_eq!(counts, [2, 1, 2, 3, 6, 9, 18, 30, 56, 99]);
    }

    #[test]
    fn the_polynomials_of_the_standards_are_irreducible() {
        assert!(Polynomial::GCM.is_irreducible());
        assert!(Polynomial::POLYVAL.is_irreducible());
        assert_eq!(Polynomial::GCM.to_string(), "x^128+x^7+x^2+x+1");
        for bit in 0..128 {
            // An even number of terms: x + 1 divides it.
            let other = Polynomial { degree: 128, low: 0x87 ^ 1 << bit };
            assert!(!other.is_irreducible(), "{other}");
        }
    }

    #[test]
    fn multiplication_is_that_of_the_standards() {
        // FIPS 197, section 4.2; RFC 8452, appendix A: the product with x^-128.
        let aes = Polynomial { degree: 8, low: 0x1b };
        assert_eq!(aes.multiply(0x57, 0x83), 0xc1);
        let inverse = 1 << 127 | 1 << 124 | 1 << 121 | 1 << 114 | 1;
        assert_eq!(Polynomial::POLYVAL.exponent(inverse), Some(-128));
        assert_eq!(Polynomial::POLYVAL.exponent(2), Some(1));
        assert_eq!(Polynomial::GCM.exponent(0x87), Some(128));
        assert_eq!(Polynomial::GCM.exponent(0), None);
        assert_eq!(Polynomial { degree: 1, low: 1 }.multiply(1, 1), 1);
    }

    #[test]
    fn orders_are_their_own_inverses() {
        for order in CoefficientOrder::ALL {
            let mut seen = [false; 64];
            for power in 0..64 {
                assert_eq!(order.place(64, order.place(64, power)), power);
                seen[order.place(64, power)] = true;
            }
            assert_eq!(seen, [true; 64]);
        }
    }
}
