//! Vectors and matrices over GF(2), 64 bits a word.
//!
//! A matrix is its rows. It is applied to a column: bit i of the image is the sum of the bits that row i selects.

use std::fmt;

/// So many bits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Vector {
    len: usize,
    /// Bit i is bit i mod 64, from the least significant, of word i div 64. Bits beyond `len` are zero.
    words: Vec<u64>,
}

impl Vector {
    /// All zeros.
    pub fn zero(len: usize) -> Vector {
        Vector { len, words: vec![0; len.div_ceil(64)] }
    }

    /// A one at place `bit` alone.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn unit(len: usize, bit: usize) -> Vector {
        let mut vector = Vector::zero(len);
        vector.flip(bit);
        vector
    }

    /// The bits of bytes: bit i is bit i mod 8, from the least significant, of byte i div 8.
    pub fn of_bytes(bytes: &[u8]) -> Vector {
        let set = |bit: usize| bytes[bit / 8] >> (bit % 8) & 1 == 1;
        (0..8 * bytes.len()).map(set).collect()
    }

    /// The bytes, in the order of [`Vector::of_bytes`]; what the last one has beyond the bits is zero.
    pub fn to_bytes(&self) -> Vec<u8> {
        let byte = |i: usize| (self.words[i / 8] >> (8 * (i % 8))) as u8;
        (0..self.len.div_ceil(8)).map(byte).collect()
    }

    /// The number of bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether all bits are zero.
    pub fn is_zero(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// A bit.
    ///
    /// # Panics
    /// If there is no such bit.
    pub fn get(&self, bit: usize) -> bool {
        assert!(bit < self.len, "bit {bit} of {}", self.len);
        self.words[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// Adds one to a bit.
    ///
    /// # Panics
    /// If there is no such bit.
    pub fn flip(&mut self, bit: usize) {
        assert!(bit < self.len, "bit {bit} of {}", self.len);
        self.words[bit / 64] ^= 1 << (bit % 64);
    }

    /// Adds a vector of the same length.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn add(&mut self, other: &Vector) {
        assert_eq!(self.len, other.len, "vectors of one length");
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word ^= other);
    }

    /// The places of the ones, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(number, &word)| {
            let next = |rest: &u64| Some(rest & (rest - 1)).filter(|rest| *rest != 0);
            let rests = std::iter::successors(Some(word).filter(|word| *word != 0), next);
            rests.map(move |rest| 64 * number + rest.trailing_zeros() as usize)
        })
    }

    /// The number of ones.
    pub fn weight(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The sum of the products of bits at the same place.
    fn dot(&self, other: &Vector) -> bool {
        let ones = self.words.iter().zip(&other.words).fold(0, |sum, (a, b)| sum ^ (a & b));
        ones.count_ones() % 2 == 1
    }
}

impl FromIterator<bool> for Vector {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Vector {
        let mut vector = Vector::default();
        for bit in bits {
            if vector.len % 64 == 0 {
                vector.words.push(0);
            }
            vector.len += 1;
            if bit {
                vector.flip(vector.len - 1);
            }
        }
        vector
    }
}

impl fmt::Debug for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.len).try_for_each(|bit| f.write_str(if self.get(bit) { "1" } else { "0" }))
    }
}

/// A matrix.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Matrix {
    columns: usize,
    rows: Vec<Vector>,
}

/// The sizes: the entries would be pages.
impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a matrix of {} rows and {} columns", self.rows(), self.columns)
    }
}

impl Matrix {
    /// All zeros.
    pub fn zero(rows: usize, columns: usize) -> Matrix {
        Matrix { columns, rows: vec![Vector::zero(columns); rows] }
    }

    /// Ones on the diagonal.
    pub fn identity(size: usize) -> Matrix {
        Matrix::of_sources(size, 0..size)
    }

    /// Bit i of the image is bit `sources[i]` of the argument, which has `columns` bits.
    ///
    /// # Panics
    /// If there is no such bit.
    pub fn of_sources(columns: usize, sources: impl IntoIterator<Item = usize>) -> Matrix {
        Matrix { columns, rows: sources.into_iter().map(|source| Vector::unit(columns, source)).collect() }
    }

    /// The matrix with these rows, each of `columns` bits.
    ///
    /// # Panics
    /// If a row has another length.
    pub fn of_rows(columns: usize, rows: Vec<Vector>) -> Matrix {
        assert!(rows.iter().all(|row| row.len() == columns), "rows of one length");
        Matrix { columns, rows }
    }

    /// The matrix of a linear function of `columns` bits to `rows` bits, from its images of single ones.
    ///
    /// # Panics
    /// If an image has another length.
    pub fn of_function(rows: usize, columns: usize, image: impl Fn(Vector) -> Vector) -> Matrix {
        let images = (0..columns).map(|bit| image(Vector::unit(columns, bit))).collect();
        Matrix::of_rows(rows, images).transpose()
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &Vector {
        &self.rows[row]
    }

    /// An entry.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn get(&self, row: usize, column: usize) -> bool {
        self.rows[row].get(column)
    }

    /// Adds one to an entry.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn flip(&mut self, row: usize, column: usize) {
        self.rows[row].flip(column);
    }

    /// Adds a vector to a row.
    ///
    /// # Panics
    /// If there is no such row or it has another length.
    pub fn add_to_row(&mut self, row: usize, vector: &Vector) {
        self.rows[row].add(vector);
    }

    /// Whether all entries are zero.
    pub fn is_zero(&self) -> bool {
        self.rows.iter().all(Vector::is_zero)
    }

    /// The image of a vector.
    ///
    /// # Panics
    /// If it has not one bit a column.
    pub fn of(&self, vector: &Vector) -> Vector {
        assert_eq!(self.columns, vector.len(), "a bit a column");
        self.rows.iter().map(|row| row.dot(vector)).collect()
    }

    /// This map after `first`.
    ///
    /// # Panics
    /// If `first` has not one row for each column of this.
    #[must_use]
    pub fn after(&self, first: &Matrix) -> Matrix {
        assert_eq!(self.columns, first.rows(), "a row for each column");
        let image = |row: &Vector| {
            row.ones().fold(Vector::zero(first.columns), |mut sum, one| {
                sum.add(&first.rows[one]);
                sum
            })
        };
        Matrix { columns: first.columns, rows: self.rows.iter().map(image).collect() }
    }

    /// The matrix whose rows are the columns of this.
    #[must_use]
    pub fn transpose(&self) -> Matrix {
        let mut transposed = Matrix::zero(self.columns, self.rows());
        for (number, row) in self.rows.iter().enumerate() {
            row.ones().for_each(|one| transposed.flip(one, number));
        }
        transposed
    }

    /// The dimension of what the rows span.
    pub fn rank(&self) -> usize {
        let mut basis = Basis::new(self.columns);
        self.rows.iter().for_each(|row| basis.insert(row.clone()));
        basis.rows.len()
    }

    /// The inverse, if there is one.
    pub fn inverse(&self) -> Option<Matrix> {
        let size = self.columns;
        if self.rows() != size {
            return None;
        }
        // The rows with the unit matrix beside them, reduced: where the pivots are the first columns, it is the inverse.
        let mut basis = Basis::new(2 * size);
        for (number, row) in self.rows.iter().enumerate() {
            basis.insert(row.ones().chain([size + number]).fold(Vector::zero(2 * size), |mut both, one| {
                both.flip(one);
                both
            }));
        }
        let inverse = basis.rows.iter().enumerate().map(|(number, row)| {
            (basis.pivots[number] == number).then(|| (size..2 * size).map(|column| row.get(column)).collect())
        });
        Some(Matrix { columns: size, rows: inverse.collect::<Option<_>>()? })
    }
}

/// A basis in reduced echelon form: each row begins with a one, its pivot, where all other rows have a zero; pivots ascend.
/// So the coordinates of a vector of the span are its bits at the pivots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Basis {
    columns: usize,
    pivots: Vec<usize>,
    rows: Vec<Vector>,
}

impl Basis {
    /// That of zero alone, among vectors of so many bits.
    pub fn new(columns: usize) -> Basis {
        Basis { columns, pivots: Vec::new(), rows: Vec::new() }
    }

    /// Makes the span contain a vector.
    ///
    /// # Panics
    /// If it has another length.
    pub fn insert(&mut self, mut vector: Vector) {
        assert_eq!(vector.len(), self.columns, "vectors of one length");
        for (&pivot, row) in self.pivots.iter().zip(&self.rows) {
            if vector.get(pivot) {
                vector.add(row);
            }
        }
        let first = vector.ones().next();
        let Some(pivot) = first else { return };
        for row in &mut self.rows {
            if row.get(pivot) {
                row.add(&vector);
            }
        }
        let place = self.pivots.partition_point(|&other| other < pivot);
        self.pivots.insert(place, pivot);
        self.rows.insert(place, vector);
    }

    /// The vectors.
    pub fn rows(&self) -> &[Vector] {
        &self.rows
    }

    /// The places of the first ones of the rows.
    pub fn pivots(&self) -> &[usize] {
        &self.pivots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits that look like any, from a linear congruence.
    fn matrix(rows: usize, columns: usize, seed: u64) -> Matrix {
        let mut state = seed;
        let mut bit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 63 == 1
        };
        Matrix::of_rows(columns, (0..rows).map(|_| (0..columns).map(|_| bit()).collect()).collect())
    }

    #[test]
    fn inverses_are_inverses() {
        let mut inverted = 0;
        for seed in 0..20 {
            let matrix = matrix(70, 70, seed);
            match matrix.inverse() {
                Some(inverse) => {
                    assert_eq!(matrix.rank(), 70);
                    assert_eq!(matrix.after(&inverse), Matrix::identity(70));
                    assert_eq!(inverse.after(&matrix), Matrix::identity(70));
                    inverted += 1;
                }
                None => assert!(matrix.rank() < 70),
            }
        }
        // 29 of 100 are invertible.
        assert!((2..18).contains(&inverted), "{inverted}");
        assert_eq!(matrix(3, 4, 1).inverse(), None);
    }

    #[test]
    fn a_product_is_one_map_after_the_other() {
        let (a, b) = (matrix(40, 90, 3), matrix(90, 65, 4));
        for bit in 0..65 {
            let unit = Vector::unit(65, bit);
            assert_eq!(a.after(&b).of(&unit), a.of(&b.of(&unit)));
            assert_eq!(b.of(&unit), *b.transpose().row(bit));
        }
        assert_eq!(Matrix::of_function(40, 90, |vector| a.of(&vector)), a);
        assert_eq!(a.after(&b).transpose(), b.transpose().after(&a.transpose()));
    }

    #[test]
    fn vectors_are_their_bytes() {
        let bytes = [0x81, 0, 7, 0xff, 1, 2, 3, 4, 0x40];
        let vector = Vector::of_bytes(&bytes);
        assert_eq!(vector.to_bytes(), bytes);
        assert_eq!(vector.ones().take(5).collect::<Vec<_>>(), [0, 7, 16, 17, 18]);
        assert_eq!(vector.weight(), vector.ones().count());
        assert_eq!(vector.ones().last(), Some(70));
    }

    #[test]
    fn coordinates_stand_at_the_pivots() {
        let mut basis = Basis::new(80);
        let rows = matrix(12, 80, 9);
        (0..12).for_each(|row| basis.insert(rows.row(row).clone()));
        let mut sum = rows.row(2).clone();
        basis.insert(sum.clone());
        sum.add(rows.row(7));
        assert_eq!(basis.rows().len(), rows.rank());
        let mut again = Vector::zero(80);
        for (pivot, row) in basis.pivots().iter().zip(basis.rows()) {
            if sum.get(*pivot) {
                again.add(row);
            }
        }
        assert_eq!(again, sum);
    }
}
