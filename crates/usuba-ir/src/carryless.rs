//! Products of polynomials over GF(2): the carry-less product of halves of blocks.

/// Which half of each operand of a product is multiplied: the later eight bytes in memory if true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Halves {
    /// Of the first operand.
    pub first: bool,
    /// Of the second operand.
    pub second: bool,
}

impl Halves {
    /// All four choices.
    pub const ALL: [Halves; 4] = [
        Halves { first: false, second: false },
        Halves { first: true, second: false },
        Halves { first: false, second: true },
        Halves { first: true, second: true },
    ];

    /// The number that names the choice: the immediate of `pclmulqdq`, bit 0 for the first operand and bit 4 for the second.
    pub fn number(self) -> u8 {
        u8::from(self.first) | u8::from(self.second) << 4
    }

    /// The choice of a number, see [`Halves::number`]; `None` if other bits are set.
    pub fn of_number(number: u8) -> Option<Halves> {
        (number & !0x11 == 0).then_some(Halves { first: number & 1 != 0, second: number & 0x10 != 0 })
    }

    /// The carry-less product of those halves of two blocks. Halves and product are little-endian: bit i of byte j is the
    /// coefficient of x^(8j + i).
    pub fn product(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        let half = |block: [u8; 16], later: bool| {
            let number = u128::from_le_bytes(block);
            (if later { number >> 64 } else { number }) as u64
        };
        carryless_product(half(a, self.first), half(b, self.second)).to_le_bytes()
    }
}

/// The product of two polynomials over GF(2), bit i being the coefficient of x^i.
pub fn carryless_product(a: u64, b: u64) -> u128 {
    let set = (0..u64::BITS).filter(|bit| b >> bit & 1 == 1);
    set.fold(0, |sum, bit| sum ^ u128::from(a) << bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn add(a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        std::array::from_fn(|place| a[place] ^ b[place])
    }

    #[test]
    fn products_of_single_bits_are_single_bits() {
        for a in 0..128u32 {
            for b in 0..128u32 {
                for halves in Halves::ALL {
                    let [x, y] = [a, b].map(|bit| (1u128 << bit).to_le_bytes());
                    let counts = (a >= 64) == halves.first && (b >= 64) == halves.second;
                    let expected = if counts { 1u128 << (a % 64 + b % 64) } else { 0 };
                    assert_eq!(halves.product(x, y), expected.to_le_bytes(), "x^{a} x^{b} {halves:?}");
                }
            }
        }
    }

    #[test]
    fn products_are_bilinear_and_commute() {
        let mut random = Random::new(38);
        let samples: Vec<[u8; 16]> = (0..300).map(|_| random.wide().to_le_bytes()).collect();
        for three in samples.windows(3) {
            let [a, b, c] = [three[0], three[1], three[2]];
            for halves in Halves::ALL {
                let sum = halves.product(add(a, b), c);
                assert_eq!(sum, add(halves.product(a, c), halves.product(b, c)));
                let exchanged = Halves { first: halves.second, second: halves.first };
                assert_eq!(halves.product(a, b), exchanged.product(b, a));
                assert_eq!(Halves::of_number(halves.number()), Some(halves));
            }
        }
        assert_eq!(Halves::of_number(2), None);
        assert_eq!(carryless_product(0b1011, 0b110), 0b111010);
    }
}
