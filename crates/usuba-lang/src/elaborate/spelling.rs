//! What a name that is not declared was meant to be: another name, or a declaration that was forgotten.

use crate::ast::{self, Assignment, BaseType, Equation, StaticKind};
use std::collections::BTreeMap;

/// A type without a direction, as it is written.
pub(super) fn spelled(ty: &ast::Type) -> Option<String> {
    let mut text = match &ty.base {
        BaseType::Word { direction: None, size: ast::Size::Bits(size), count } => match count {
            Some(count) => format!("u{size}x{count}"),
            None => format!("u{size}"),
        },
        BaseType::Word { direction: None, size: ast::Size::Variable(size), count: None } => {
            format!("u'{size}")
        }
        BaseType::Bits { direction: None, count } => format!("b{count}"),
        BaseType::Atoms { direction: None, count } => format!("v{count}"),
        _ => return None,
    };
    for dimension in &ty.dimensions {
        match &dimension.kind {
            StaticKind::Integer(size) => text.push_str(&format!("[{}]", size.value)),
            StaticKind::Name(name) => text.push_str(&format!("[{name}]")),
            _ => return None,
        }
    }
    Some(text)
}

/// The first equation that gives each variable a value.
pub(super) fn first_assignments<'p>(
    equations: &'p [Equation],
    found: &mut BTreeMap<&'p str, &'p Assignment>,
) {
    for equation in equations {
        match equation {
            Equation::Assign(assignment) => {
                for target in &assignment.targets {
                    found.entry(target.name.text.as_str()).or_insert(assignment);
                }
            }
            Equation::Forall(forall) => first_assignments(&forall.body, found),
            Equation::If(choice) => {
                first_assignments(&choice.then, found);
                first_assignments(&choice.otherwise, found);
            }
            Equation::Accept(_) => {}
        }
    }
}

/// The candidate that `name` was most likely meant to be: at most a third of its letters differ.
pub(super) fn nearest<'c>(name: &str, candidates: &mut Vec<&'c str>) -> Option<&'c str> {
    // A quadratic comparison is not worth it for names that no one wrote by hand.
    if name.len() > 64 {
        return None;
    }
    candidates.sort_unstable();
    candidates.dedup();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.iter().filter(|candidate| candidate.len() <= 64) {
        let distance = edit_distance(name, candidate);
        let near = distance * 3 <= name.chars().count() || candidate.eq_ignore_ascii_case(name);
        if near && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Levenshtein's distance.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.chars().enumerate() {
        let mut diagonal = i;
        let mut last = i + 1;
        for (cell, r) in row.iter_mut().skip(1).zip(&right) {
            let best = (*cell + 1).min(last + 1).min(diagonal + usize::from(l != *r));
            diagonal = std::mem::replace(cell, best);
            last = best;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}
