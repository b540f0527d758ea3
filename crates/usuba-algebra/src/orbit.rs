//! Nodes that are linear in their input, and those that multiply by a power of x: what a tweak is followed by.

use crate::field::{CoefficientOrder, Polynomial};
use crate::run::{check_size, input_bits, output_bits, run};
use crate::sums::{Sum, Symbol, Symbols};
use crate::why::Why;
use std::fmt;
use usuba_lang::typed::{InstanceId, Program};
use usuba_logic::matrix::{Matrix, Vector};

/// The matrix of an instance that is linear: the bits of its result from those of all inputs, in the order of
/// [`mod@crate::run`].
///
/// # Errors
/// What is not linear, or added to what is.
pub fn linear(program: &Program, instance: InstanceId) -> Result<Matrix, Why> {
    let entry = program.instance(instance);
    let size = input_bits(entry);
    check_size(output_bits(entry), size, entry.span)?;
    let mut symbols = Symbols::new();
    let inputs: Vec<Sum> = (0..size as u32).map(|number| symbols.input(number)).collect();
    let results = run(&mut symbols, program, instance, &inputs)?;
    let row = |sum: Sum| {
        let mut row = Vector::zero(size);
        for &term in symbols.terms(sum) {
            let place = symbols.place_of(term);
            match symbols.symbol(term) {
                Symbol::Input(bit) => row.flip(bit as usize),
                Symbol::One => {
                    return Err(Why::new("a constant is added, so that it is affine only", Some(entry.span)));
                }
                Symbol::Product(..) => {
                    return Err(Why::new("`&` or `|` of two values is not linear", place));
                }
                Symbol::TableBit { .. } => return Err(Why::new("a table is not linear", place)),
                Symbol::CallBit { .. } => {
                    return Err(Why::new("a call that is not looked into is not linear", place));
                }
                Symbol::WordBit { .. } => {
                    return Err(Why::new("carries of arithmetic are not linear", place));
                }
            }
        }
        Ok(row)
    };
    let rows = results.into_iter().map(row).collect::<Result<_, Why>>()?;
    Ok(Matrix::of_rows(size, rows))
}

/// Multiplication by a power of x modulo a polynomial.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PowerOfX {
    /// The modulus, which is irreducible.
    pub polynomial: Polynomial,
    /// How coefficients lie in the block.
    pub order: CoefficientOrder,
    /// The power, not zero, less than the degree in absolute value.
    pub exponent: i32,
}

impl fmt::Display for PowerOfX {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PowerOfX { polynomial, order, exponent } = self;
        let power = if *exponent == 1 { "x".to_owned() } else { format!("x^{exponent}") };
        write!(f, "multiplication by {power} in GF(2^{}) modulo {polynomial}, {order}", polynomial.degree)
    }
}

/// The multiplication by a power of x that a matrix on blocks of 2 to 128 bits is; by a positive one, if it can be read so.
pub fn power_of_x(matrix: &Matrix) -> Option<PowerOfX> {
    let size = matrix.columns();
    if matrix.rows() != size || !(2..=128).contains(&size) {
        return None;
    }
    let columns = matrix.transpose();
    let orders: Vec<CoefficientOrder> =
        CoefficientOrder::ALL.into_iter().filter(|order| order.fits(size)).collect();
    let image = |order: CoefficientOrder, power: usize| {
        let ones = columns.row(order.place(size, power)).ones();
        ones.fold(0u128, |image, bit| image | 1 << order.place(size, bit))
    };
    let positive = orders.iter().find_map(|&order| {
        // 1 becomes x^k, and x^(n-k) the lower terms of the modulus.
        let one = image(order, 0);
        let exponent = one.trailing_zeros();
        if !one.is_power_of_two() || exponent == 0 {
            return None;
        }
        let low = image(order, size - exponent as usize);
        Some(PowerOfX {
            polynomial: Polynomial { degree: size as u32, low },
            order,
            exponent: exponent as i32,
        })
        .filter(|power| is(power, &|bit| image(order, bit)))
    });
    let negative = || {
        orders.iter().find_map(|&order| {
            // x^(n-1) becomes x^(n-1-k), and x^(k-1) becomes 1/x, which is the modulus without its 1 over x.
            let last = image(order, size - 1);
            let exponent = last.is_power_of_two().then(|| size - 1 - last.trailing_zeros() as usize)?;
            let inverse = image(order, exponent.checked_sub(1)?);
            let mask = u128::MAX >> (128 - size);
            let polynomial = Polynomial { degree: size as u32, low: (inverse << 1 & mask) | 1 };
            Some(PowerOfX { polynomial, order, exponent: -(exponent as i32) })
                .filter(|power| is(power, &|bit| image(order, bit)))
        })
    };
    positive.or_else(negative)
}

/// Whether each power of x becomes what it should.
fn is(power: &PowerOfX, image: &dyn Fn(usize) -> u128) -> bool {
    let PowerOfX { polynomial, exponent, .. } = power;
    let times = |element: u128| (0..exponent.unsigned_abs()).fold(element, |one, _| polynomial.times_x(one));
    let all = (0..polynomial.degree as usize).all(|bit| match exponent.is_positive() {
        true => image(bit) == times(1 << bit),
        false => times(image(bit)) == 1 << bit,
    });
    all && polynomial.is_irreducible()
}
