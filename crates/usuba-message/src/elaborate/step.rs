//! Steps: equations on words of constant numbers, as nodes of their own.

use super::{Elaborator, PARAMETER, Result};
use crate::form::{Piece, Source, Statement, Step, Target, VariableId};
use std::collections::BTreeSet;
use usuba_lang::ast::{
    self, Assignment, Bodies, Declaration, Definition, Equation, Expression, ExpressionKind, Name, NodeBody,
    Reference,
};
use usuba_lang::source::Span;

/// The step that is being made, and the names that stand for what steps are given.
#[derive(Default)]
pub(super) struct Pending {
    equations: Vec<Assignment>,
    /// Names that stand for parts of arrays and for numbers.
    leaves: Vec<(String, Source, ast::Type)>,
    /// Names that stand for parts of arrays that are defined.
    targets: Vec<(String, Target, ast::Type)>,
}

impl<'p> Elaborator<'p> {
    /// An expression that is a name.
    pub(super) fn named(name: &str, span: Span) -> Expression {
        let reference =
            Reference { name: Name { text: name.to_owned(), span }, selections: Vec::new(), span };
        Expression { kind: ExpressionKind::Reference(reference), span, parenthesised: false }
    }

    /// A name for something that a step is given.
    pub(super) fn leaf(&mut self, wanted: &str, source: Source, ty: ast::Type, span: Span) -> Result<String> {
        let known = self.pending.leaves.iter().find(|(_, other, other_type)| {
            *other == source && super::declare::dimensions(other_type) == super::declare::dimensions(&ty)
        });
        if let Some((name, _, _)) = known {
            return Ok(name.clone());
        }
        let names = self.pending.equations.iter().flat_map(|equation| &equation.targets);
        let defined: Vec<Target> = names
            .filter_map(|target| self.variables.iter().position(|variable| variable.name == target.name.text))
            .map(|place| Target::Variable(VariableId(place as u32)))
            .collect();
        let targets = self.pending.targets.iter().map(|(_, target, _)| target);
        if targets.chain(&defined).any(|target| reads(&source, target)) {
            // What this step defines is read by the next.
            self.flush()?;
        }
        let name = self.unused(wanted);
        self.pending.leaves.push((name.clone(), source, ast::Type { span, ..ty }));
        Ok(name)
    }

    /// What a name stands for.
    pub(super) fn leaf_named(&self, name: &str) -> Option<&Source> {
        self.pending.leaves.iter().find(|(known, _, _)| known == name).map(|(_, source, _)| source)
    }

    /// Adds an equation to the step.
    pub(super) fn equation(&mut self, targets: Vec<Reference>, value: Expression, span: Span) {
        self.pending.equations.push(Assignment { targets, operator: None, imperative: false, value, span });
    }

    /// Adds an equation that defines a part of an array.
    pub(super) fn output(
        &mut self,
        wanted: &str,
        target: Target,
        ty: ast::Type,
        value: Expression,
        span: Span,
    ) {
        let name = self.unused(wanted);
        // Within the step the name stands for the part; behind it, the part is read.
        let source = match &target {
            Target::Variable(id) => Source::Variable(*id),
            Target::Element(id, index) => Source::Element(*id, index.clone()),
            Target::Window(window) => Source::Text(vec![Piece::Window(window.clone())]),
        };
        self.pending.leaves.push((name.clone(), source, ty.clone()));
        self.pending.targets.push((name.clone(), target, ty));
        let reference = Reference { name: Name { text: name, span }, selections: Vec::new(), span };
        self.equation(vec![reference], value, span);
    }

    /// Adds a statement that is no step.
    pub(super) fn statement(&mut self, statement: Statement) -> Result<()> {
        self.flush()?;
        self.statements.push(statement);
        Ok(())
    }

    /// Ends the step.
    pub(super) fn flush(&mut self) -> Result<()> {
        let equations = std::mem::take(&mut self.pending.equations);
        let pending_targets = std::mem::take(&mut self.pending.targets);
        let Some(span) = equations.first().map(|equation| equation.span) else { return Ok(()) };
        let mut defined: Vec<&str> = Vec::new();
        for target in equations.iter().flat_map(|equation| &equation.targets) {
            if !defined.contains(&target.name.text.as_str()) {
                defined.push(&target.name.text);
            }
        }
        let mut used: Vec<&str> = Vec::new();
        let mut seen = BTreeSet::new();
        for equation in &equations {
            names(&equation.value, &mut |name| {
                if seen.insert(name) {
                    used.push(name);
                }
            });
        }
        let declaration = |name: &str, ty: &ast::Type| Declaration {
            names: vec![Name { text: name.to_owned(), span }],
            constant: None,
            uniform: None,
            lazy_lift: None,
            ty: ty.clone(),
        };
        let number = |name: &str| {
            let place = self.variables.iter().position(|variable| variable.name == name)?;
            Some((VariableId(place as u32), &self.variables[place].ty))
        };
        let (mut inputs, mut sources) = (Vec::new(), Vec::new());
        for name in used.iter().filter(|name| !defined.contains(name)) {
            if let Some((_, source, ty)) = self.pending.leaves.iter().find(|(known, _, _)| known == name) {
                inputs.push(declaration(name, ty));
                sources.push(source.clone());
            } else if let Some((id, ty)) = number(name) {
                inputs.push(declaration(name, ty));
                sources.push(Source::Variable(id));
            }
        }
        let (mut outputs, mut targets) = (Vec::new(), Vec::new());
        for name in &defined {
            let target = pending_targets.iter().find(|(known, _, _)| known == name);
            if let Some((_, target, ty)) = target {
                outputs.push(declaration(name, ty));
                targets.push(target.clone());
            } else if let Some((id, ty)) = number(name) {
                outputs.push(declaration(name, ty));
                targets.push(Target::Variable(id));
            }
        }
        let parameter = self.cipher.as_ref().map(|_| Name { text: PARAMETER.to_owned(), span });
        let equations = equations.into_iter().map(Equation::Assign).collect();
        let body = NodeBody { locals: Vec::new(), equations, span };
        let node = self.unused(&format!("Step{}", self.steps.len() + 1));
        self.steps.push(Definition {
            attributes: Vec::new(),
            name: Name { text: node.clone(), span },
            cipher: parameter,
            inputs,
            opens: None,
            outputs,
            facts: Vec::new(),
            array: false,
            bodies: Bodies::Node(vec![body]),
            span,
        });
        self.statements.push(Statement::Step(Step { node, inputs: sources, outputs: targets }));
        Ok(())
    }
}

/// Whether a source is of the variable of a target.
fn reads(source: &Source, target: &Target) -> bool {
    let of = match target {
        Target::Variable(id) | Target::Element(id, _) => *id,
        Target::Window(window) => window.variable,
    };
    fn in_text(text: &[Piece], of: VariableId) -> bool {
        text.iter().any(|piece| match piece {
            Piece::Window(window) => window.variable == of,
            Piece::Padding { .. } => false,
            Piece::Map { operands, .. } => operands.iter().any(|text| in_text(text, of)),
        })
    }
    match source {
        Source::Variable(id) | Source::Element(id, _) => *id == of,
        Source::Text(text) | Source::Words { text, .. } => in_text(text, of),
        Source::Word { .. } => false,
    }
}

/// Calls `see` for every name of a variable, and perhaps for some others.
pub(crate) fn names<'e>(expression: &'e Expression, see: &mut dyn FnMut(&'e str)) {
    match &expression.kind {
        ExpressionKind::Constant(..) | ExpressionKind::Error => {}
        ExpressionKind::Reference(reference) | ExpressionKind::Shuffle(reference, _) => {
            see(&reference.name.text);
        }
        ExpressionKind::Tuple(parts) | ExpressionKind::Concatenate(parts) => {
            parts.iter().for_each(|part| names(part, see));
        }
        ExpressionKind::Not(operand)
        | ExpressionKind::Shift(_, operand, _)
        | ExpressionKind::Bitmask(operand, _) => names(operand, see),
        ExpressionKind::Binary(_, left, right) | ExpressionKind::Pack(left, right, _) => {
            names(left, see);
            names(right, see);
        }
        ExpressionKind::Call { arguments, .. } => arguments.iter().for_each(|part| names(part, see)),
        ExpressionKind::Cast(cast) => cast.arguments.iter().for_each(|part| names(part, see)),
    }
}
