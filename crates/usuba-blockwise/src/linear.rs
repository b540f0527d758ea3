//! Linear scans: loops whose next value is (what is carried + something) · factor, the factor being the same for all positions.
//!
//! By powers of the factor several positions are one sum of products with one reduction, and the blocks of a register are
//! chains of their own: with C blocks in a register, block c of the sum Z collects the positions that are c modulo C, each
//! register of positions makes Z · factor^C + (what is added), and at the end block c goes through factor^(C - c).

use crate::montgomery::of_product;
use crate::place;
use crate::step::{Bit, Step, Value};
use usuba_algebra::product::Product;

/// A step as a linear scan.
#[derive(Clone, Debug)]
pub struct Linear {
    /// The multiplication.
    pub product: Product,
    /// What is added to what is carried, as Montgomery's product wants it: a step of the same inputs.
    pub addend: Step,
    /// The factor, the same way.
    pub factor: Step,
}

/// The step whose input `carried` is what is carried, and whose output `next` is so in the next position; `is_fixed` says which
/// inputs are the same for all positions. `None` if it is anything else.
pub fn linear(step: &Step, carried: usize, next: usize, is_fixed: &dyn Fn(usize) -> bool) -> Option<Linear> {
    let value = |id: usize| step.values.get(id);
    // Values that depend on what is carried, and those that are fixed.
    let mut depends: Vec<bool> = Vec::new();
    let mut fixed: Vec<bool> = Vec::new();
    for value in &step.values {
        let of = |bits: &[Bit], which: &[bool]| {
            bits.iter().flat_map(|bit| &bit.terms).any(|(id, _)| which.get(*id).copied().unwrap_or(false))
        };
        let all = |bits: &[Bit]| {
            bits.iter().flat_map(|bit| &bit.terms).all(|(id, _)| fixed.get(*id).copied().unwrap_or(false))
        };
        let (on_carried, same) = match value {
            Value::Input(input) => (*input == carried, is_fixed(*input)),
            Value::Cipher { block, keys, .. } => (of(block, &depends), all(block) && is_fixed(*keys)),
            Value::Call { arguments, .. } => (of(arguments, &depends), all(arguments)),
            Value::Product { left, right, .. }
            | Value::Word { left, right, .. }
            | Value::Xor { left, right }
            | Value::And { left, right } => {
                (of(left, &depends) || of(right, &depends), all(left) && all(right))
            }
        };
        depends.push(on_carried);
        fixed.push(same);
    }
    let output = step.outputs.get(next)?;
    // The next value is a product as it is.
    let (product_id, _) = *output.first()?.terms.first()?;
    let as_is = |(place, bit): (usize, &Bit)| !bit.constant && bit.terms[..] == [(product_id, place as u32)];
    let Value::Product { product, left, right } = value(product_id)? else { return None };
    if output.len() != place::BITS as usize || !output.iter().enumerate().all(as_is) {
        return None;
    }
    let is_same = |bits: &[Bit]| {
        bits.iter().flat_map(|bit| &bit.terms).all(|(id, _)| fixed.get(*id).copied().unwrap_or(false))
    };
    let (sum, factor) = if is_same(right) { (left, right) } else { (right, left) };
    if !is_same(factor) {
        return None;
    }
    // In the sum, what is carried stands once, bit by bit.
    let input = step.values.iter().position(|value| *value == Value::Input(carried))?;
    let mut addend = Vec::new();
    for (place, bit) in sum.iter().enumerate() {
        let mut bit = bit.clone();
        let own = bit.terms.iter().position(|term| *term == (input, place as u32))?;
        bit.terms.remove(own);
        if bit.terms.iter().any(|(id, _)| depends.get(*id).copied().unwrap_or(true)) {
            return None;
        }
        addend.push(bit);
    }
    let places = of_product(product);
    let placed = |bits: &[Bit]| {
        let mut moved = vec![Bit::default(); place::BITS as usize];
        for (bit, &to) in bits.iter().zip(&places) {
            moved[to as usize] = bit.clone();
        }
        Step { outputs: vec![moved], ..step.clone() }.needed()
    };
    Some(Linear { product: *product, addend: placed(&addend), factor: placed(factor) })
}

/// A block from where its bits are to where Montgomery's product wants them, or back.
pub fn turned(product: &Product, back: bool) -> Step {
    let mut bits = vec![Bit::default(); place::BITS as usize];
    for (from, &to) in (0u32..).zip(&of_product(product)) {
        let (from, to) = if back { (to, from) } else { (from, to) };
        bits[to as usize].terms.push((0, from));
    }
    Step {
        inputs: vec![place::BITS],
        values: vec![Value::Input(0)],
        outputs: vec![bits],
        schedules: Vec::new(),
    }
}
