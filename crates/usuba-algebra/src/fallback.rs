//! Texts for what a node is recognised as, where a machine has no instruction for it.
//!
//! They are programs like any other; tests prove, by the same recognition, that each is what it is registered for.

use crate::field::{CoefficientOrder, Polynomial};
use crate::product::Product;

/// A text that computes a multiplication.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fallback {
    /// What it computes, bit by bit in the order of its parameters.
    pub product: Product,
    /// The file, for messages.
    pub file: &'static str,
    /// The text.
    pub text: &'static str,
    /// The node, of two blocks to a block.
    pub node: &'static str,
    /// The width of the words of its parameters: what a machine must be able to multiply, or 1 if it is made of gates alone.
    pub word: u32,
}

const PRODUCTS: &str = include_str!("../../../modes/gf128-products.ua");

/// Multiplication of GCM: the first bit of a block is the coefficient of 1.
const GCM: Product = Product { polynomial: Polynomial::GCM, order: CoefficientOrder::First, factor: 1 };

/// All there are.
pub const FALLBACKS: [Fallback; 2] = [
    Fallback {
        product: GCM,
        file: "modes/gf128-products.ua",
        text: PRODUCTS,
        node: "MultiplyWords",
        word: 64,
    },
    Fallback { product: GCM, file: "modes/gf128-products.ua", text: PRODUCTS, node: "MultiplyBits", word: 1 },
];
