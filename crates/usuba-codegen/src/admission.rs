//! Whether a target has code for a program, and which targets have.

use crate::life::Life;
use crate::messages::{Missing, Reason, operation_name, type_name};
use crate::operate::operate;
use crate::rules::RULES;
use crate::select::Selector;
use crate::shape::{layouts, of_layouts, reached};
use usuba_ir::layout::Layout;
use usuba_ir::program::{Block, Node, Op, Program, ValueId};
use usuba_target::Target;

/// Calls `see` for each live operation on atoms of the nodes that the entry reaches, until it answers false.
fn all_operations<'a>(
    program: &'a Program,
    mut see: impl FnMut(&'a Node, &'a Op, ValueId, Layout) -> bool,
) -> bool {
    fn walk<'a>(
        node: &'a Node,
        block: &'a Block,
        life: &Life,
        see: &mut impl FnMut(&'a Node, &'a Op, ValueId, Layout) -> bool,
    ) -> bool {
        block.operations.iter().filter(|operation| life.is_wanted(&operation.results)).all(
            |operation| match (&operation.op, operation.results.as_slice()) {
                (Op::Loop(inner), _) => walk(node, &inner.body, life, see),
                (
                    Op::Constant(_) | Op::Not(_) | Op::Binary(..) | Op::Ternary(..) | Op::Shift(..),
                    &[result],
                )
                | (Op::Shuffle(..) | Op::Bitmask(..) | Op::Pack(..) | Op::MapBytes(..), &[result])
                | (Op::Block(..) | Op::InverseMixColumns(_), &[result]) => {
                    see(node, &operation.op, result, node.ty(result).layout)
                }
                _ => true,
            },
        )
    }
    let lives = reached(program);
    let mut nodes = program.nodes.iter().zip(&lives);
    nodes.all(|(node, life)| life.as_ref().is_none_or(|life| walk(node, &node.body, life, &mut see)))
}

/// Whether a target has registers for these layouts and code for this operation.
fn has(target: &Target, layouts: &[Layout], op: &Op, layout: Layout) -> bool {
    let Ok(shape) = of_layouts(layouts, target) else { return false };
    let mut s = Selector::new(target, shape, RULES);
    let operands = s.operands_of(op);
    operate(&mut s, op, layout, &operands).is_ok()
}

/// What to say about an operation that `target` refuses.
pub(crate) fn missing_operation(
    program: &Program,
    node: &Node,
    op: &Op,
    value: ValueId,
    target: &Target,
    reason: Reason,
) -> Missing {
    let layouts = layouts(program);
    let layout = node.ty(value).layout;
    let having = usuba_target::all().iter().filter(|target| has(target, &layouts, op, layout));
    Missing {
        operation: operation_name(op, layout),
        ty: type_name(layout),
        node: node.name.clone(),
        place: place(program, node, value),
        target: target.name,
        reason,
        targets: having.map(|target| target.name).collect(),
    }
}

/// What to say about a program for whose atoms `target` has no registers. It points at the first operation on the largest
/// atoms, a shuffle if there is one.
pub(crate) fn missing_registers(
    program: &Program,
    layouts: &[Layout],
    target: &Target,
    reason: Reason,
) -> Missing {
    // A program without atoms needs no registers, and is not refused any.
    let widest = layouts.iter().copied().max_by_key(|layout| (layout.pack, layout.width()));
    let widest = widest.unwrap_or(Layout::BIT);
    let mut culprit: Option<(&Node, ValueId)> = None;
    all_operations(program, |node, op, value, layout| {
        let shuffle = matches!(op, Op::Shift(..) | Op::Shuffle(..) | Op::Bitmask(..));
        if layout == widest && (culprit.is_none() || shuffle) {
            culprit = Some((node, value));
        }
        !(layout == widest && shuffle)
    });
    let (node, place) = match culprit {
        Some((node, value)) => (node, place(program, node, value)),
        None => (program.entry(), None),
    };
    let operation = match reason {
        Reason::Shuffle(_) | Reason::Elements(_) => {
            format!("shuffle of {} elements", widest.pack)
        }
        Reason::MixedLayouts => {
            let names: Vec<String> = layouts.iter().map(|&layout| type_name(layout)).collect();
            format!("common layout of {}", names.join(", "))
        }
        _ => format!("register of {} atoms", type_name(widest)),
    };
    let having = usuba_target::all().iter().filter(|target| {
        of_layouts(layouts, target).is_ok()
            && all_operations(program, |_, op, _, layout| has(target, layouts, op, layout))
    });
    Missing {
        operation,
        ty: type_name(widest),
        node: node.name.clone(),
        place,
        target: target.name,
        reason,
        targets: having.map(|target| target.name).collect(),
    }
}

/// A row that every target must have is not there: a flaw of its table.
pub(crate) fn missing_row(node: &Node, target: &Target, reason: Reason) -> Missing {
    Missing {
        operation: "move between registers and memory".into(),
        ty: "register".into(),
        node: node.name.clone(),
        place: None,
        target: target.name,
        reason,
        targets: Vec::new(),
    }
}

fn place(program: &Program, node: &Node, value: ValueId) -> Option<(String, u32, u32)> {
    let (file, line, column) = node.value(value).origin.place?;
    Some((program.files.get(file.index())?.clone(), line, column))
}
