//! Nodes that are multiplication in GF(2^n), n up to 128.
//!
//! The matrices of [`bilinear()`] say what the product of each pair of basis vectors is, and that nothing else is added. If the
//! product of x^i and x^j depends on i + j alone, and from each sum to the next it is multiplied by x modulo a polynomial, then
//! the node is the product modulo it times what it makes of 1 and 1.

use crate::bilinear::{BilinearBit, BitClass, bilinear};
use crate::field::{CoefficientOrder, Polynomial};
use crate::run::bits_of;
use crate::why::Why;
use std::fmt;
use usuba_lang::typed::{InstanceId, Program};

/// Multiplication: x · y · factor modulo a polynomial.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Product {
    /// The modulus, which is irreducible.
    pub polynomial: Polynomial,
    /// How coefficients lie in both factors and in the product.
    pub order: CoefficientOrder,
    /// What the product is multiplied by, bit i being the coefficient of x^i: 1, or x^-128 for POLYVAL.
    pub factor: u128,
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Product { polynomial, order, factor } = self;
        write!(f, "multiplication in GF(2^{}) modulo {polynomial}, {order}", polynomial.degree)?;
        match polynomial.exponent(*factor) {
            Some(0) => Ok(()),
            Some(k) => write!(f, ", times x^{k}"),
            None => write!(f, ", times the element 0x{factor:x}"),
        }
    }
}

/// The multiplication that an instance is: of its readings one with the factor 1, if there is one, else the first.
///
/// # Errors
/// Why it is none.
pub fn product(program: &Program, instance: InstanceId) -> Result<Product, Why> {
    let readings = products(program, instance)?;
    let plain = readings.iter().find(|reading| reading.factor == 1);
    let found = plain.or(readings.first()).copied();
    let place = program.instance(instance).span;
    found.ok_or_else(|| {
        Why::new("it is bilinear, and multiplication modulo no irreducible polynomial", Some(place))
    })
}

/// All readings of an instance as multiplication. With the bits of a block in the opposite order it is one modulo the
/// reciprocal polynomial, with another factor.
///
/// # Errors
/// Why it is no bilinear map of two blocks to a block of one size, of 2 to 128 bits.
pub fn products(program: &Program, instance: InstanceId) -> Result<Vec<Product>, Why> {
    let entry = program.instance(instance);
    let sizes: Vec<usize> = entry.inputs.iter().map(|&input| bits_of(entry, &[input])).collect();
    let size = bits_of(entry, &entry.outputs);
    if sizes != [size, size] || !(2..=128).contains(&size) {
        let message = "it does not make a block of two blocks of the same size, up to 128 bits";
        return Err(Why::new(message, Some(entry.span)));
    }
    let bits = bilinear(program, instance)?;
    for (number, bit) in bits.iter().enumerate() {
        let what = match bit.class() {
            BitClass::Bilinear => continue,
            BitClass::Constant => "is constant",
            BitClass::Left => "is linear in the first input, and does not depend on the second",
            BitClass::Right => "is linear in the second input, and does not depend on the first",
            BitClass::Mixed => "is not bilinear throughout",
        };
        return Err(Why::new(format!("bit {number} of the result {what}"), Some(entry.span)));
    }
    let orders = CoefficientOrder::ALL.into_iter().filter(|order| order.fits(size));
    Ok(orders.filter_map(|order| reading(&bits, order)).collect())
}

/// Bilinear bits as a multiplication in an order.
fn reading(bits: &[BilinearBit], order: CoefficientOrder) -> Option<Product> {
    let size = bits.len();
    let place = |power: usize| order.place(size, power);
    let image = |i: usize, j: usize| {
        let set = |power: &usize| bits[place(*power)].pairs.get(place(i), place(j));
        (0..size).filter(set).fold(0u128, |image, power| image | 1 << power)
    };
    // What the product of x^i and x^j is, by i + j.
    let images: Vec<u128> =
        (0..2 * size - 1).map(|sum| image(sum.min(size - 1), sum.saturating_sub(size - 1))).collect();
    // The first that is reduced says by what.
    let top = images.iter().position(|image| image >> (size - 1) & 1 == 1)?;
    let mask = u128::MAX >> (128 - size);
    let polynomial =
        Polynomial { degree: size as u32, low: images.get(top + 1)? ^ (images[top] << 1 & mask) };
    let follows = images.windows(2).all(|pair| polynomial.times_x(pair[0]) == pair[1]);
    if !follows || !polynomial.is_irreducible() {
        return None;
    }
    let all = (0..size).all(|i| (0..size).all(|j| image(i, j) == images[i + j]));
    all.then_some(Product { polynomial, order, factor: images[0] })
}
