//! What was recognised, in a line.

use crate::aes::{AesInstruction, AesRounds, AesSBox, aes, s_box_form};
use crate::layers::Layers;
use crate::polynomial::FieldPolynomial;
use crate::recognise::Recognised;
use std::fmt;

/// Consecutive numbers with one thing said of them: "1–9 are `aesenc`, 10 is `aesenclast`".
fn runs<T: PartialEq + Copy>(things: &[T], word: &dyn Fn(T) -> String) -> String {
    let mut parts = Vec::new();
    let mut start = 0;
    while let Some(&thing) = things.get(start) {
        let length = things[start..].iter().take_while(|other| **other == thing).count();
        let word = word(thing);
        parts.push(match length {
            1 => format!("{} is {word}", start + 1),
            _ => format!("{}–{} are {word}", start + 1, start + length),
        });
        start += length;
    }
    parts.join(", ")
}

impl fmt::Display for AesRounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instructions: Vec<AesInstruction> = self.rounds.iter().map(|round| round.instruction).collect();
        let is_forward = instructions.iter().all(|one| one.s_box() == AesSBox::Forward);
        let s_box = if is_forward { "AES's S-box" } else { "AES's inverse S-box" };
        let runs = runs(&instructions, &|instruction| format!("`{instruction}`"));
        write!(f, "{} layers of {s_box}; rounds {runs}", self.rounds.len())
    }
}

impl fmt::Display for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match aes(self) {
            Ok(rounds) => return rounds.fmt(f),
            Err(why) => why,
        };
        let sizes: Vec<usize> = self.layers.iter().map(|layer| layer.tables.len()).collect();
        let (least, most) = (sizes.iter().min().unwrap_or(&0), sizes.iter().max().unwrap_or(&0));
        let bytes = if least == most { format!("{most}") } else { format!("{least} to {most}") };
        let tables = match self.tables.len() {
            1 => "a table".to_owned(),
            count => format!("{count} tables"),
        };
        let of_aes = self.tables.iter().filter(|table| {
            [AesSBox::Forward, AesSBox::Inverse].iter().any(|s_box| s_box.table() == **table)
        });
        let affine = self.tables.iter().filter(|table| s_box_form(table, AesSBox::Forward).is_some());
        let what = match (of_aes.count(), affine.count(), self.tables.len()) {
            (ours, _, all) if ours == all => "AES's own",
            (_, affine, all) if affine == all => "AES's S-box between affine maps",
            (_, 0, _) => "not made of inversion in GF(2^8)",
            (..) => "in part AES's S-box between affine maps",
        };
        let layers = self.layers.len();
        write!(f, "{layers} layers of {tables} on {bytes} bytes, {what}; no rounds of AES: {why}")
    }
}

impl fmt::Display for Recognised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Recognised::Product(product) => product.fmt(f),
            Recognised::Polynomial(FieldPolynomial { product, elements, terms }) => {
                let (blocks, count) = (elements.len(), terms.len());
                let degree = terms.iter().map(Vec::len).max().unwrap_or(0);
                write!(f, "a sum of {count} products of up to {degree} of {blocks} blocks by {product}")
            }
            Recognised::PowerOfX(power) => power.fmt(f),
            Recognised::Linear(matrix) => {
                let (from, to) = (matrix.columns(), matrix.rows());
                write!(f, "a linear map from {from} to {to} bits, and no multiplication by a power of x")
            }
            Recognised::Layers(layers) => layers.fmt(f),
        }
    }
}
