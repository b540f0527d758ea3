//! Nodes that are polynomials in elements of a field: sums of products of blocks, such as GHASH of so many blocks.
//!
//! A node is run around the instance that is multiplication, whose calls are symbols. Since multiplication distributes over sums
//! and does not depend on the order of its factors, a result that is a sum of such calls and of blocks is a polynomial, which
//! says all that a re-association needs: any way to compute the polynomial computes the node.

use crate::product::{Product, product};
use crate::run::{check_size, input_bits, output_bits, run_around};
use crate::sums::{Sum, Symbol, Symbols};
use crate::why::Why;
use std::collections::BTreeSet;
use usuba_lang::source::Span;
use usuba_lang::typed::{InstanceId, Program};
use usuba_logic::matrix::{Matrix, Vector};

/// A block of a node's inputs: an affine map of all their bits, in the order of [`mod@crate::run`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    /// What is applied to the inputs: one input block as it stands is rows of single ones.
    pub matrix: Matrix,
    /// What is added.
    pub constant: Vector,
}

impl Element {
    /// The first bit of the inputs that it is, if it is so many consecutive bits of them as they stand.
    pub fn input(&self) -> Option<usize> {
        let first = self.matrix.row(0).ones().next()?;
        let is = |row: usize| self.matrix.row(row).ones().eq([first + row]);
        (self.constant.is_zero() && (0..self.matrix.rows()).all(is)).then_some(first)
    }
}

/// A sum of products of elements. Sums of blocks of the inputs as they stand are taken apart, so that nodes over whole blocks
/// which are the same polynomial have the same terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldPolynomial {
    /// The multiplication. A product of n elements has its factor to the power n - 1.
    pub product: Product,
    /// The elements, none twice.
    pub elements: Vec<Element>,
    /// The products, ascending, none twice: each the ascending numbers of its elements, as often as they are factors.
    pub terms: Vec<Vec<usize>>,
}

/// So many terms a polynomial has at most.
const MOST_TERMS: usize = 1 << 16;

/// An instance as a polynomial by the multiplication that another instance is. Its result is one block.
///
/// # Errors
/// The other instance is no multiplication, or bits are used otherwise than in whole blocks.
pub fn field_polynomial(
    program: &Program,
    instance: InstanceId,
    multiplication: InstanceId,
) -> Result<FieldPolynomial, Why> {
    let product = product(program, multiplication)?;
    let entry = program.instance(instance);
    let size = product.polynomial.degree as usize;
    if output_bits(entry) != size {
        return Err(Why::new(format!("its result is no block of {size} bits"), Some(entry.span)));
    }
    let mut symbols = Symbols::new();
    let inputs: Vec<Sum> = (0..input_bits(entry) as u32).map(|number| symbols.input(number)).collect();
    let result = run_around(&mut symbols, program, instance, &inputs, &|id| id == multiplication)?;
    let mut reading =
        Reading { symbols: &symbols, size, inputs: inputs.len(), place: entry.span, elements: Vec::new() };
    // What each call is: its factors are made of those before it.
    let mut calls: Vec<BTreeSet<Vec<usize>>> = Vec::new();
    for call in symbols.calls() {
        let (left, right) = call.arguments.split_at(size);
        let (left, right) = (reading.terms(left, &calls)?, reading.terms(right, &calls)?);
        calls.push(reading.times(&left, &right)?);
    }
    let terms = reading.terms(&result, &calls)?;
    Ok(FieldPolynomial { product, elements: reading.elements, terms: terms.into_iter().collect() })
}

struct Reading<'a> {
    symbols: &'a Symbols,
    /// Number of bits of a block.
    size: usize,
    /// Number of bits of the inputs.
    inputs: usize,
    place: Span,
    elements: Vec<Element>,
}

impl Reading<'_> {
    /// A block as a sum of calls, as they stand, and of an element.
    fn terms(&mut self, block: &[Sum], calls: &[BTreeSet<Vec<usize>>]) -> Result<BTreeSet<Vec<usize>>, Why> {
        let mut of_calls: Option<BTreeSet<u32>> = None;
        let mut matrix = Matrix::zero(self.size, self.inputs);
        let mut constant = Vector::zero(self.size);
        for (row, &sum) in block.iter().enumerate() {
            let mut here = BTreeSet::new();
            for &term in self.symbols.terms(sum) {
                match self.symbols.symbol(term) {
                    Symbol::One => constant.flip(row),
                    Symbol::Input(bit) => matrix.flip(row, bit as usize),
                    Symbol::CallBit { call, bit } if bit as usize == row => {
                        here.insert(call);
                    }
                    Symbol::CallBit { .. } => {
                        let message = "bits of a product are used at other places than their own";
                        return Err(Why::new(message, Some(self.place)));
                    }
                    Symbol::Product(..) | Symbol::TableBit { .. } | Symbol::WordBit { .. } => {
                        let message = "its blocks are not made by sums and multiplication alone";
                        return Err(Why::new(message, self.symbols.place_of(term)));
                    }
                }
            }
            if *of_calls.get_or_insert_with(|| here.clone()) != here {
                let message = "a part of a product is used, and not all of it";
                return Err(Why::new(message, Some(self.place)));
            }
        }
        let mut terms = BTreeSet::new();
        for call in of_calls.unwrap_or_default() {
            calls[call as usize].iter().for_each(|term| toggle(&mut terms, term.clone()));
        }
        for element in apart(matrix, constant) {
            let known = self.elements.iter().position(|other| *other == element);
            let number = match known {
                Some(known) => known,
                None => {
                    check_size(self.size * (self.elements.len() + 1), self.inputs, self.place)?;
                    self.elements.push(element);
                    self.elements.len() - 1
                }
            };
            toggle(&mut terms, vec![number]);
        }
        Ok(terms)
    }

    /// The products of all terms of one with all of another.
    fn times(
        &self,
        left: &BTreeSet<Vec<usize>>,
        right: &BTreeSet<Vec<usize>>,
    ) -> Result<BTreeSet<Vec<usize>>, Why> {
        if left.len().saturating_mul(right.len()) > MOST_TERMS {
            return Err(Why::new("the polynomial has more terms than are looked at", Some(self.place)));
        }
        let mut terms = BTreeSet::new();
        for one in left {
            for other in right {
                let mut factors = [one.as_slice(), other].concat();
                factors.sort_unstable();
                toggle(&mut terms, factors);
            }
        }
        Ok(terms)
    }
}

/// A block as a sum of elements: blocks of the inputs as they stand, and a constant, if it is such a sum; else itself.
fn apart(matrix: Matrix, constant: Vector) -> Vec<Element> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let firsts: Vec<usize> = matrix.row(0).ones().collect();
    let is_sum = (0..rows).all(|row| matrix.row(row).ones().eq(firsts.iter().map(|first| first + row)));
    let mut elements = Vec::new();
    if is_sum {
        let input = |first: usize| Matrix::of_sources(columns, first..first + rows);
        elements.extend(
            firsts.into_iter().map(|first| Element { matrix: input(first), constant: Vector::zero(rows) }),
        );
        if !constant.is_zero() {
            elements.push(Element { matrix: Matrix::zero(rows, columns), constant });
        }
    } else {
        elements.push(Element { matrix, constant });
    }
    elements
}

/// Adds a term modulo 2.
fn toggle(terms: &mut BTreeSet<Vec<usize>>, term: Vec<usize>) {
    if !terms.remove(&term) {
        terms.insert(term);
    }
}
