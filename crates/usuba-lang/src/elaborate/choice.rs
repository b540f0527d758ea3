//! Equations of messages: choices on public facts, and what accepts a message.

use super::node::{Body, Frame};
use super::{BUDGET, messages, statics};
use crate::ast::{self, Equation};
use crate::typed::{Assignment, Expression, ExpressionKind, Slot, Step};
use std::collections::BTreeSet;

impl<'p> Body<'p, '_> {
    /// The steps of the branch that is taken.
    pub(super) fn choice(&mut self, choice: &'p ast::If) -> Vec<Step> {
        let taken = match statics::holds(&choice.condition, &|name| self.nat(name)) {
            Ok(taken) => taken,
            Err(error) => {
                // An unknown name has been reported with the names.
                if !matches!(error.kind, statics::StaticErrorKind::Unknown(_)) {
                    self.report_here(messages::static_error(&error));
                }
                self.session.report.note_failure();
                return Vec::new();
            }
        };
        let before = self.session.report.failures();
        let muted = self.session.report.mute(true);
        let (then, otherwise) = (self.defined(&choice.then), self.defined(&choice.otherwise));
        self.session.report.mute(muted);
        self.session.report.restore(before);
        if let (Some(then), Some(otherwise)) = (then, otherwise)
            && let Some(&slot) = then.symmetric_difference(&otherwise).next()
        {
            let atom = super::node::spell(&self.variables, slot);
            self.report_here(messages::branches_differ(choice.span, &atom, then.contains(&slot)));
        }
        self.equations(if taken { &choice.then } else { &choice.otherwise })
    }

    /// The atoms that equations define, as far as that can be said where they are not meant for these lengths.
    fn defined(&mut self, equations: &'p [Equation]) -> Option<BTreeSet<Slot>> {
        let mut found = BTreeSet::new();
        for equation in equations {
            match equation {
                Equation::Assign(assignment) => {
                    for target in &assignment.targets {
                        let selected = self.select(target)?;
                        let variable = selected.variable;
                        found.extend(selected.atoms.into_iter().map(|atom| Slot { variable, atom }));
                    }
                }
                Equation::Forall(forall) => {
                    let (start, stop) = (self.static_value(&forall.start)?, self.static_value(&forall.stop)?);
                    let values: Vec<i64> = match forall.half_open {
                        _ if start.abs_diff(stop) > BUDGET => return None,
                        true => (start..stop).collect(),
                        false => (start.min(stop)..=start.max(stop)).collect(),
                    };
                    for value in values {
                        let variable = &forall.variable.text;
                        self.loops.push(Frame { variable, value, first: false, span: forall.span });
                        let inner = self.defined(&forall.body);
                        self.loops.pop();
                        found.extend(inner?);
                    }
                }
                Equation::If(choice) => {
                    let taken = statics::holds(&choice.condition, &|name| self.nat(name)).ok()?;
                    found.extend(self.defined(if taken { &choice.then } else { &choice.otherwise })?);
                }
                Equation::Accept(_) => {}
            }
        }
        Some(found)
    }

    /// `accept a == b`: an assignment without targets.
    pub(super) fn accept(&mut self, accept: &ast::Accept) -> Option<Assignment> {
        self.charge(super::ASSIGNMENT)?;
        let left = self.expression(&accept.left, None);
        let right = self.expression(&accept.right, left.as_ref().map(|left| left.words.as_slice()));
        let id = self.ledger.assignment();
        self.ledger.define(&[], super::assignment::Manner::Equation, accept.span);
        let (left, right) = (left?, right?);
        if let Err(disagreement) = self.agree(&left.words, &right.words) {
            let (l, r) = self.describe_both(&left.words, &right.words, disagreement);
            self.report_here(messages::accept_differs(accept.span, &l, &r));
            return None;
        }
        let kind =
            ExpressionKind::Accept { left: Box::new(left.expression), right: Box::new(right.expression) };
        let value = Expression { kind, span: accept.span };
        Some(Assignment { id, span: accept.span, targets: Vec::new(), value })
    }
}
