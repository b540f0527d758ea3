//! Arrays whose first content is never read.
//!
//! A loop that fills an array carries it, so the array has a content before the loop, though nothing depends on it. To store
//! that would cost as much as the loop's own stores.

use usuba_ir::program::{Block, Loop, Node, Op, Operation, ValueId};

/// The most elements that are looked at one by one.
const MOST: u64 = 1 << 16;

/// Whether nothing reads the content of `array`, which `block` defines: all its uses are to be carried by loops of the block
/// that do nothing with it but replace each element.
pub(crate) fn is_overwritten(node: &Node, block: &Block, array: ValueId) -> bool {
    if block.results.contains(&array) {
        return false;
    }
    let mut replaced = 0;
    for operation in &block.operations {
        if let Op::Loop(inner) = &operation.op {
            for (place, &initial) in inner.initial.iter().enumerate() {
                if initial == array {
                    if !replaces_all(node, inner, place) {
                        return false;
                    }
                    replaced += 1;
                }
            }
        }
    }
    replaced > 0 && uses(&block.operations, array) == replaced
}

/// Whether a loop replaces every element of what it carries at a place, and reads none of them.
pub(crate) fn replaces_all(node: &Node, inner: &Loop, place: usize) -> bool {
    let Loop { induction, trips, body, .. } = inner;
    let (Some(&parameter), Some(&next)) = (body.parameters.get(place), body.results.get(place)) else {
        return false;
    };
    let mut current = parameter;
    let Some(len) = node.ty(current).len else { return false };
    let mut indices = Vec::new();
    for Operation { results, op } in &body.operations {
        if let (Op::Set(array, index, _), &[result]) = (op, results.as_slice())
            && *array == current
        {
            // One use: this one.
            if uses(&body.operations, current) != 1 || body.results.contains(&current) {
                return false;
            }
            indices.push(index);
            current = result;
        }
    }
    let handed_on = next == current
        && body.results.iter().filter(|&&result| result == current).count() == 1
        && uses(&body.operations, current) == 0;
    let own = indices.iter().all(|index| index.terms.iter().all(|(term, _)| term == induction));
    if indices.is_empty() || !handed_on || !own || u64::from(*trips) * indices.len() as u64 > MOST {
        return false;
    }
    let mut replaced = vec![false; len as usize];
    for trip in 0..i64::from(*trips) {
        for index in &indices {
            let slope: i64 = index.terms.iter().map(|(_, slope)| slope).sum();
            let element = usize::try_from(index.constant + slope * trip).ok();
            if let Some(element) = element.and_then(|element| replaced.get_mut(element)) {
                *element = true;
            }
        }
    }
    replaced.into_iter().all(|replaced| replaced)
}

/// How often operations use a value, those in loop bodies included.
fn uses(operations: &[Operation], value: ValueId) -> usize {
    operations
        .iter()
        .map(|operation| {
            let mut count = 0;
            operation.op.operands(|operand| count += usize::from(operand == value));
            if let Op::Loop(inner) = &operation.op {
                count += uses(&inner.body.operations, value);
                count += inner.body.results.iter().filter(|&&result| result == value).count();
            }
            count
        })
        .sum()
}
