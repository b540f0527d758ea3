//! `W-precedence`: mixes of operators that group otherwise than a reader of C expects.
//!
//! An unparenthesised chain is reported when writing its tree in C would take parentheses that are not there. That
//! can be decided edge by edge: a child needs them if its operator binds looser in C than its parent's, or equally
//! tight on the right. (Only bitwise operators mixed with each other, with arithmetic or under a shift differ.)

use super::expressions::{SHIFT_LEVEL, level};
use super::messages;
use crate::ast::{
    Assignment, BinaryOp, Bodies, Cast, Equation, Expression, ExpressionKind, File, Item, ShiftOp,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use std::iter::Peekable;

/// The warnings of a file whose text is `text`.
pub(super) fn warnings(file: &File, text: &str) -> Vec<Diagnostic> {
    let mut search = Search { text, found: Vec::new() };
    for item in &file.items {
        if let Item::Definition(definition) = item
            && let Bodies::Node(bodies) = &definition.bodies
        {
            for body in bodies {
                search.equations(&body.equations);
            }
        }
    }
    search.found
}

struct Search<'t> {
    text: &'t str,
    found: Vec<Diagnostic>,
}

/// An operator: how tight it binds in C and here, and its spelling here.
#[derive(Clone, Copy)]
struct InC {
    strength: u8,
    here: u8,
    spelling: &'static str,
}

fn in_c(expression: &Expression) -> Option<InC> {
    let here = match &expression.kind {
        ExpressionKind::Binary(operator, ..) => level(*operator),
        _ => SHIFT_LEVEL,
    };
    let (strength, spelling) = match &expression.kind {
        ExpressionKind::Binary(operator, ..) => match operator {
            BinaryOp::Or => (1, "|"),
            BinaryOp::Xor => (2, "^"),
            BinaryOp::And => (3, "&"),
            BinaryOp::Add => (5, "+"),
            BinaryOp::Subtract => (5, "-"),
            BinaryOp::Multiply => (6, "*"),
            BinaryOp::Divide => (6, "/"),
            BinaryOp::Modulo => (6, "%"),
        },
        ExpressionKind::Shift(operator, ..) => match operator {
            ShiftOp::Left => (4, "<<"),
            ShiftOp::Right => (4, ">>"),
            ShiftOp::RightArithmetic => (4, ">>!"),
            ShiftOp::RotateLeft => (4, "<<<"),
            ShiftOp::RotateRight => (4, ">>>"),
        },
        _ => return None,
    };
    Some(InC { strength, here, spelling })
}

/// A piece of an unparenthesised chain, in the order of the text.
enum Piece {
    Operand(Span),
    Operator(InC),
}

/// The operands and operators of an unparenthesised chain. The amount of a shift ends at the same place in C.
fn pieces(expression: &Expression, top: bool, found: &mut Vec<Piece>) {
    match (in_c(expression).filter(|_| top || !expression.parenthesised), &expression.kind) {
        (Some(operator), ExpressionKind::Binary(_, left, right)) => {
            pieces(left, false, found);
            found.push(Piece::Operator(operator));
            pieces(right, false, found);
        }
        (Some(operator), ExpressionKind::Shift(_, operand, amount)) => {
            pieces(operand, false, found);
            found.push(Piece::Operator(operator));
            found.push(Piece::Operand(amount.span));
        }
        _ => found.push(Piece::Operand(expression.span)),
    }
}

/// A chain in C's grouping, with the parentheses that it takes here.
struct Regrouped {
    text: String,
    operator: Option<InC>,
}

impl Regrouped {
    /// The text as an operand of `parent`.
    fn beside(self, parent: InC, right: bool) -> String {
        let Regrouped { text, operator } = self;
        match operator {
            Some(own) if own.here < parent.here || (right && own.here == parent.here) => format!("({text})"),
            _ => text,
        }
    }
}

impl Search<'_> {
    fn equations(&mut self, equations: &[Equation]) {
        for equation in equations {
            match equation {
                Equation::Assign(Assignment { value, .. }) => self.chain(value),
                Equation::Forall(forall) => self.equations(&forall.body),
                Equation::If(choice) => {
                    self.equations(&choice.then);
                    self.equations(&choice.otherwise);
                }
                Equation::Accept(accept) => {
                    self.chain(&accept.left);
                    self.chain(&accept.right);
                }
            }
        }
    }

    /// Looks at a maximal chain, then at the chains inside its operands.
    fn chain(&mut self, top: &Expression) {
        let mut wrong = Vec::new();
        self.link(top, &mut wrong);
        let Some((first, tight, loose)) = wrong.first().copied() else {
            return;
        };
        let (mut start, mut end) = (first.start, first.end);
        for (span, ..) in &wrong {
            start = start.min(span.start);
            end = end.max(span.end);
        }
        // The edit covers the parts that get parentheses; several nest, so they are one edit.
        let whole = Span { start, end, ..first };
        let mut marks: Vec<(u32, bool, u32)> = Vec::new();
        for (span, ..) in &wrong {
            marks.push((span.start, true, span.end));
            marks.push((span.end, false, span.start));
        }
        // At equal places the order does not matter, for the inserted signs are equal too.
        marks.sort();
        let mut rewritten = String::new();
        let mut at = start;
        for (place, opens, _) in marks {
            rewritten.push_str(self.text.get(at as usize..place as usize).unwrap_or(""));
            rewritten.push(if opens { '(' } else { ')' });
            at = place;
        }
        let shown = self.shown(top, whole, &rewritten);
        let mut all = Vec::new();
        pieces(top, true, &mut all);
        let in_c = self.in_c_grouping(&mut all.into_iter().peekable(), 0);
        let signs = (tight.spelling, loose.spelling);
        self.found.push(messages::precedence(top.span, whole, signs, &shown, &in_c.text, rewritten));
    }

    /// The pieces up to an operator that binds looser than `least` in C, grouped as C does.
    fn in_c_grouping(&self, pieces: &mut Peekable<impl Iterator<Item = Piece>>, least: u8) -> Regrouped {
        let text = match pieces.next() {
            Some(Piece::Operand(span)) => self.text.get(span.start as usize..span.end as usize).unwrap_or(""),
            _ => "",
        };
        let mut left = Regrouped { text: text.to_string(), operator: None };
        while let Some(Piece::Operator(operator)) = pieces.peek() {
            let operator = *operator;
            if operator.strength < least {
                break;
            }
            pieces.next();
            let right = self.in_c_grouping(pieces, operator.strength + 1).beside(operator, true);
            let text = format!("{} {} {right}", left.beside(operator, false), operator.spelling);
            left = Regrouped { text, operator: Some(operator) };
        }
        left
    }

    /// The whole chain as rewritten.
    fn shown(&self, top: &Expression, whole: Span, rewritten: &str) -> String {
        let (mut start, mut end) = (top.span.start, top.span.end);
        if top.parenthesised {
            (start, end) = (start + 1, end.saturating_sub(1));
        }
        let before = self.text.get(start as usize..whole.start as usize).unwrap_or("");
        let after = self.text.get(whole.end as usize..end as usize).unwrap_or("");
        format!("{before}{rewritten}{after}").trim().to_string()
    }

    fn link<'e>(&mut self, expression: &'e Expression, wrong: &mut Vec<(Span, InC, InC)>) {
        let parent = in_c(expression);
        let mut child = |search: &mut Self, child: &'e Expression, right: bool| {
            if child.parenthesised {
                return search.chain(child);
            }
            search.link(child, wrong);
            // On the right, without parentheses, the same operator is the next piece of a long run.
            if let (Some(parent), Some(inner)) = (parent, in_c(child))
                && inner.spelling != parent.spelling
                && (inner.strength < parent.strength || (right && inner.strength == parent.strength))
            {
                wrong.push((child.span, inner, parent));
            }
        };
        match &expression.kind {
            ExpressionKind::Binary(_, left, right) => {
                child(self, left, false);
                child(self, right, true);
            }
            ExpressionKind::Shift(_, operand, _) => child(self, operand, false),
            ExpressionKind::Not(operand) => child(self, operand, false),
            ExpressionKind::Bitmask(operand, _) => self.chain(operand),
            ExpressionKind::Pack(high, low, _) => {
                self.chain(high);
                self.chain(low);
            }
            ExpressionKind::Tuple(parts)
            | ExpressionKind::Concatenate(parts)
            | ExpressionKind::Cast(Cast { arguments: parts, .. })
            | ExpressionKind::Call { arguments: parts, .. } => {
                for part in parts {
                    self.chain(part);
                }
            }
            ExpressionKind::Constant(..)
            | ExpressionKind::Reference(_)
            | ExpressionKind::Shuffle(..)
            | ExpressionKind::Error => {}
        }
    }
}
