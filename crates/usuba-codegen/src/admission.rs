//! Whether a target has code for a program, and which targets have.

use crate::messages::{Missing, Reason, operation_name, type_name};
use crate::node::op_dummies;
use crate::operate::operate;
use crate::select::Selector;
use crate::shape::{layouts, of_layouts};
use usuba_ir::program::{Node, Op, Program, ValueId};
use usuba_target::Target;

/// The targets that have code for one operation of a program (or, without one, registers for its atoms).
fn having(program: &Program, operation: Option<(&Op, usuba_ir::layout::Layout)>) -> Vec<&'static str> {
    let layouts = layouts(program);
    usuba_target::all()
        .iter()
        .filter(|target| {
            let Ok(shape) = of_layouts(&layouts, target) else { return false };
            operation.is_none_or(|(op, layout)| {
                let mut s = Selector::new(target, shape);
                let operands = op_dummies(op, &mut s);
                operate(&mut s, op, layout, &operands).is_ok()
            })
        })
        .map(|target| target.name)
        .collect()
}

/// What to say about an operation (or, without one, about the atoms of a node) that `target` refuses.
pub(crate) fn missing(
    program: &Program,
    node: &Node,
    operation: Option<(&Op, ValueId)>,
    target: &Target,
    reason: Reason,
) -> Missing {
    let value = operation.map(|(_, value)| value).or_else(|| widest(node));
    let layout = value.map_or(usuba_ir::layout::Layout::BIT, |value| node.ty(value).layout);
    let place = value
        .and_then(|value| node.value(value).origin.place)
        .and_then(|(file, line, column)| Some((program.files.get(file.index())?.clone(), line, column)));
    let name = match operation {
        Some((op, _)) => operation_name(op, layout),
        None if layout.pack > 1 => format!("shuffle of {} elements", layout.pack),
        None => format!("register of {} atoms", type_name(layout)),
    };
    Missing {
        operation: name,
        ty: type_name(layout),
        node: node.name.clone(),
        place,
        target: target.name,
        reason,
        targets: having(program, operation.map(|(op, _)| (op, layout))),
    }
}

/// The value of a node with the largest atom; the first of several.
fn widest(node: &Node) -> Option<ValueId> {
    let mut best: Option<ValueId> = None;
    for number in 0..node.values.len() as u32 {
        let value = ValueId(number);
        if best.is_none_or(|best| node.ty(best).layout.width() < node.ty(value).layout.width()) {
            best = Some(value);
        }
    }
    best
}
