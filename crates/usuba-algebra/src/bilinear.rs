//! What each bit of a node with two inputs is: constant, linear in one of them, bilinear in both, or a sum of such.
//!
//! The matrices are exact. Products of three bits, and of two bits of one input, are seen and refused, so that nothing hides
//! that vanishes on all pairs of basis vectors.

use crate::run::{bits_of, check_size, output_bits, run};
use crate::sums::{Sum, Symbol, Symbols};
use crate::why::Why;
use usuba_lang::source::Span;
use usuba_lang::typed::{InstanceId, Program};
use usuba_logic::matrix::{Matrix, Vector};

/// A bit of a node with inputs x and y: constant ⊕ left · x ⊕ right · y ⊕ xᵀ · pairs · y.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BilinearBit {
    /// What is added.
    pub constant: bool,
    /// The bits of x that are added.
    pub left: Vector,
    /// The bits of y that are added.
    pub right: Vector,
    /// Entry (i, j) is set if the product of bit i of x and bit j of y is added.
    pub pairs: Matrix,
}

/// The kinds of a bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitClass {
    /// The same for all inputs.
    Constant,
    /// Linear in x.
    Left,
    /// Linear in y.
    Right,
    /// Bilinear in x and y.
    Bilinear,
    /// A sum of several of these.
    Mixed,
}

impl BilinearBit {
    /// What it is; zero is constant.
    pub fn class(&self) -> BitClass {
        let parts = [
            (self.constant, BitClass::Constant),
            (!self.left.is_zero(), BitClass::Left),
            (!self.right.is_zero(), BitClass::Right),
            (!self.pairs.is_zero(), BitClass::Bilinear),
        ];
        let mut there = parts.iter().filter(|(is_there, _)| *is_there).map(|(_, class)| *class);
        match (there.next(), there.next()) {
            (None, _) => BitClass::Constant,
            (Some(class), None) => class,
            (Some(_), Some(_)) => BitClass::Mixed,
        }
    }
}

/// A sum of inputs: whether one is added, and which bits of all inputs.
type Linear = (bool, Vector);

/// The bits of the result of an instance with two inputs, in the order of [`mod@crate::run`].
///
/// # Errors
/// Not two inputs, or inputs that are too large, or a bit that is no such sum.
pub fn bilinear(program: &Program, instance: InstanceId) -> Result<Vec<BilinearBit>, Why> {
    let entry = program.instance(instance);
    let [x, y] = entry.inputs[..] else {
        return Err(Why::new(format!("it has {} inputs, not two", entry.inputs.len()), Some(entry.span)));
    };
    let (left, right) = (bits_of(entry, &[x]), bits_of(entry, &[y]));
    check_size(left * output_bits(entry), right, entry.span)?;
    let mut symbols = Symbols::new();
    let inputs: Vec<Sum> = (0..(left + right) as u32).map(|number| symbols.input(number)).collect();
    let results = run(&mut symbols, program, instance, &inputs)?;
    let expansion = Expansion { symbols: &symbols, left, all: left + right };
    results.into_iter().map(|sum| expansion.bit(sum, entry.span)).collect()
}

struct Expansion<'a> {
    symbols: &'a Symbols,
    /// Number of bits of x, which come first.
    left: usize,
    /// Number of bits of both.
    all: usize,
}

impl Expansion<'_> {
    fn bit(&self, sum: Sum, place: Span) -> Result<BilinearBit, Why> {
        let (left, right) = (self.left, self.all - self.left);
        let (mut constant, mut linear) = (false, Vector::zero(self.all));
        let mut pairs = Matrix::zero(left, right);
        // Products of bits of one input: entry (i, j) with i < j.
        let mut squares = [Matrix::zero(left, left), Matrix::zero(right, right)];
        for &term in self.symbols.terms(sum) {
            match self.symbols.symbol(term) {
                Symbol::One => constant = !constant,
                Symbol::Input(bit) => linear.flip(bit as usize),
                Symbol::Product(a, b) => {
                    let (a, b) = (self.linear(a, term)?, self.linear(b, term)?);
                    constant ^= a.0 & b.0;
                    if a.0 {
                        linear.add(&b.1);
                    }
                    if b.0 {
                        linear.add(&a.1);
                    }
                    let ([a_left, a_right], [b_left, b_right]) = (self.halves(&a.1), self.halves(&b.1));
                    a_left.ones().for_each(|bit| pairs.add_to_row(bit, &b_right));
                    b_left.ones().for_each(|bit| pairs.add_to_row(bit, &a_right));
                    let both = [(a_left, b_left, 0), (a_right, b_right, left)];
                    for (squares, (a, b, start)) in squares.iter_mut().zip(both) {
                        for i in a.ones() {
                            for j in b.ones() {
                                match i.cmp(&j) {
                                    // A bit times itself is itself.
                                    std::cmp::Ordering::Equal => linear.flip(start + i),
                                    std::cmp::Ordering::Less => squares.flip(i, j),
                                    std::cmp::Ordering::Greater => squares.flip(j, i),
                                }
                            }
                        }
                    }
                }
                Symbol::TableBit { .. } => {
                    return Err(Why::new("a table is not linear", self.symbols.place_of(term)));
                }
                Symbol::CallBit { .. } => {
                    let message = "a call that is not looked into is not linear";
                    return Err(Why::new(message, self.symbols.place_of(term)));
                }
                Symbol::WordBit { .. } => {
                    let message = "something may be carried in arithmetic, which is not linear";
                    return Err(Why::new(message, self.symbols.place_of(term)));
                }
            }
        }
        if squares.iter().any(|squares| !squares.is_zero()) {
            return Err(Why::new("bits of one input are multiplied with each other", Some(place)));
        }
        let [left, right] = self.halves(&linear);
        Ok(BilinearBit { constant, left, right, pairs })
    }

    /// The bits of x and those of y.
    fn halves(&self, linear: &Vector) -> [Vector; 2] {
        let part = |range: std::ops::Range<usize>| range.map(|bit| linear.get(bit)).collect();
        [part(0..self.left), part(self.left..self.all)]
    }

    /// A factor of a product, which has to be linear.
    fn linear(&self, sum: Sum, product: u32) -> Result<Linear, Why> {
        let (mut constant, mut linear) = (false, Vector::zero(self.all));
        for &term in self.symbols.terms(sum) {
            match self.symbols.symbol(term) {
                Symbol::One => constant = !constant,
                Symbol::Input(bit) => linear.flip(bit as usize),
                _ => {
                    let message = "what is not linear is multiplied again";
                    return Err(Why::new(message, self.symbols.place_of(product)));
                }
            }
        }
        Ok((constant, linear))
    }
}
