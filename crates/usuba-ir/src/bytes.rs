//! Maps of bytes: affine ones over GF(2), and such a one after inversion in GF(2^8).
//!
//! The field is that of AES, polynomials modulo x^8 + x^4 + x^3 + x + 1, bit i of a byte being the coefficient of x^i; x86
//! computes these maps with GFNI.

use std::sync::LazyLock;

/// x^8 + x^4 + x^3 + x + 1.
const MODULUS: u16 = 0x11b;

/// An affine map of eight bits: the sum of a column for each bit that is set, and of the constant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ByteAffine {
    /// The image of bit i, from the least significant, before the constant is added.
    pub columns: [u8; 8],
    /// The image of zero.
    pub constant: u8,
}

impl ByteAffine {
    /// Leaves everything as it is.
    pub const IDENTITY: ByteAffine = ByteAffine { columns: [1, 2, 4, 8, 16, 32, 64, 128], constant: 0 };

    /// The image of `x`.
    pub fn of(&self, x: u8) -> u8 {
        let set = self.columns.iter().enumerate().filter(|(bit, _)| x >> bit & 1 == 1);
        set.fold(self.constant, |sum, (_, column)| sum ^ column)
    }

    /// The map of a function that is affine.
    pub fn of_function(map: impl Fn(u8) -> u8) -> ByteAffine {
        let constant = map(0);
        ByteAffine { columns: std::array::from_fn(|bit| map(1 << bit) ^ constant), constant }
    }

    /// The map of a table of 256 bytes, entry x being the image of x; `None` if it is not affine.
    pub fn of_table(entries: &[u64]) -> Option<ByteAffine> {
        let bytes: Vec<u8> = entries.iter().map(|&entry| u8::try_from(entry).ok()).collect::<Option<_>>()?;
        let table: [u8; 256] = bytes.try_into().ok()?;
        let map = ByteAffine::of_function(|x| table[usize::from(x)]);
        (0..=255u8).all(|x| map.of(x) == table[usize::from(x)]).then_some(map)
    }

    /// This map after `first`.
    #[must_use]
    pub fn after(&self, first: &ByteAffine) -> ByteAffine {
        ByteAffine::of_function(|x| self.of(first.of(x)))
    }

    /// The map that undoes this one, if one does.
    pub fn inverted(&self) -> Option<ByteAffine> {
        let mut images: [Option<u8>; 256] = [None; 256];
        (0..=255u8).for_each(|x| images[usize::from(self.of(x))] = Some(x));
        let table: Vec<u64> = images.iter().map(|image| image.map(u64::from)).collect::<Option<_>>()?;
        ByteAffine::of_table(&table)
    }

    /// The matrix as the second operand of `gf2p8affineqb` and `gf2p8affineinvqb` has it: byte 7 - i, from the least
    /// significant, has the bits of the argument that bit i of the result is the sum of. The constant is the immediate.
    pub fn matrix(&self) -> u64 {
        (0..8).fold(0, |matrix, bit| {
            let columns = self.columns.iter().enumerate();
            let row = columns.fold(0, |row, (j, column)| row | u64::from(column >> bit & 1) << j);
            matrix | row << (8 * (7 - bit))
        })
    }

    /// The map of a matrix, see [`ByteAffine::matrix`], and a constant.
    pub fn of_matrix(matrix: u64, constant: u8) -> ByteAffine {
        let row = |bit: u32| (matrix >> (8 * (7 - bit))) as u8;
        let column = |j: usize| (0..8).fold(0, |column, bit| column | (row(bit) >> j & 1) << bit);
        ByteAffine { columns: std::array::from_fn(column), constant }
    }
}

/// A map of bytes that has an operation of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ByteMap {
    /// Whether the byte is inverted first; zero stays zero.
    pub inverts: bool,
    /// What comes then.
    pub affine: ByteAffine,
}

impl ByteMap {
    /// The image of `x`.
    pub fn of(&self, x: u8) -> u8 {
        self.affine.of(if self.inverts { inverse(x) } else { x })
    }
}

/// The product in the field.
pub fn multiply(a: u8, b: u8) -> u8 {
    let product = (0..8).filter(|bit| b >> bit & 1 == 1).fold(0u16, |sum, bit| sum ^ u16::from(a) << bit);
    let reduced = (8..15)
        .rev()
        .fold(product, |sum, bit| if sum >> bit & 1 == 1 { sum ^ MODULUS << (bit - 8) } else { sum });
    reduced as u8
}

/// The inverse in the field; 0 for 0.
pub fn inverse(x: u8) -> u8 {
    // Programs that map bytes are interpreted with millions of them.
    static INVERSES: LazyLock<[u8; 256]> = LazyLock::new(|| std::array::from_fn(|x| power_254(x as u8)));
    INVERSES[usize::from(x)]
}

/// x^254, which is 1 / x: the product of x^2, x^4, …, x^128.
fn power_254(x: u8) -> u8 {
    let squares = (0..7).scan(x, |power, _| {
        *power = multiply(*power, *power);
        Some(*power)
    });
    squares.fold(1, multiply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_are_inverses() {
        assert_eq!(inverse(0), 0);
        assert!((1..=255).all(|x| multiply(x, inverse(x)) == 1));
        // FIPS 197, section 4.2.
        assert_eq!(multiply(0x57, 0x83), 0xc1);
    }

    #[test]
    fn maps_survive_their_matrix_and_compose() {
        // FIPS 197, section 5.1.1: what comes after the inversion in the S-box of AES.
        let sbox = ByteAffine::of_matrix(0xf1e3_c78f_1f3e_7cf8, 0x63);
        assert_eq!(sbox.matrix(), 0xf1e3_c78f_1f3e_7cf8);
        assert_eq!(ByteMap { inverts: true, affine: sbox }.of(0x53), 0xed);
        let double = ByteAffine::of_function(|x| multiply(2, x));
        let both = sbox.after(&double);
        assert!((0..=255).all(|x| both.of(x) == sbox.of(multiply(2, x))));
        assert_eq!(ByteAffine::IDENTITY.matrix(), 0x0102_0408_1020_4080);
        let table: Vec<u64> = (0..=255).map(|x| u64::from(sbox.of(x))).collect();
        assert_eq!(ByteAffine::of_table(&table), Some(sbox));
        let inverses: Vec<u64> = (0..=255).map(|x| u64::from(inverse(x))).collect();
        assert_eq!(ByteAffine::of_table(&inverses), None);
    }
}
