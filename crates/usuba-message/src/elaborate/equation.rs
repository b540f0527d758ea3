//! Equations, loops, choices.

use super::declare::{dimensions, literal};
use super::value::{Strings, Value};
use super::{Elaborator, Result, Scope, messages};
use crate::form::{Condition, Define, Loop, Order, Piece, Statement, Target, VariableId, Window, length};
use crate::number::{Number, Term};
use num_bigint::BigUint;
use usuba_lang::ast::{Assignment, Equation, Expression, ExpressionKind, Forall, Name, Reference, Selection};
use usuba_lang::source::Span;

/// Loops over constants of more iterations than this are not taken apart.
const ITERATIONS: i64 = 4096;

impl<'p> Elaborator<'p> {
    pub(super) fn equations(&mut self, scope: &mut Scope, equations: &'p [Equation]) -> Result<()> {
        for equation in equations {
            match equation {
                Equation::Assign(assignment) => self.assignment(scope, assignment)?,
                Equation::Forall(forall) => self.forall(scope, forall)?,
                Equation::If(choice) => {
                    let condition = self.condition(scope, &choice.condition)?;
                    if self.facts.holds(&condition) {
                        self.equations(scope, &choice.then)?;
                    } else if self.facts.refutes(&condition) {
                        self.equations(scope, &choice.otherwise)?;
                    } else {
                        let then = self.branch(scope, &condition, &choice.then)?;
                        let otherwise = self.branch(scope, &condition.negated(), &choice.otherwise)?;
                        self.statement(Statement::If { condition, then, otherwise })?;
                    }
                }
                Equation::Accept(accept) => {
                    let left = self.expression(scope, &accept.left)?;
                    let right = self.expression(scope, &accept.right)?;
                    let left = self.text(left, None, accept.left.span)?;
                    let right = self.text(right, None, accept.right.span)?;
                    self.equal(&length(&left), &length(&right), accept.span)?;
                    self.statement(Statement::Accept { left, right, span: accept.span })?;
                }
            }
        }
        Ok(())
    }

    /// The statements of equations that hold under a condition.
    fn branch(
        &mut self,
        scope: &mut Scope,
        condition: &Condition,
        equations: &'p [Equation],
    ) -> Result<Vec<Statement>> {
        self.flush()?;
        let facts = self.facts.clone();
        self.facts.assume(condition);
        let outside = std::mem::take(&mut self.statements);
        self.equations(scope, equations)?;
        self.flush()?;
        self.facts = facts;
        Ok(std::mem::replace(&mut self.statements, outside))
    }

    fn forall(&mut self, scope: &mut Scope, forall: &'p Forall) -> Result<()> {
        let (start, stop) = (self.number(scope, &forall.start)?, self.number(scope, &forall.stop)?);
        let name = &forall.variable.text;
        if let (Some(from), Some(to)) = (self.known(&start), self.known(&stop)) {
            if (to - from).abs() > ITERATIONS {
                return Err(messages::unsupported("a loop of so many iterations", forall.span));
            }
            let values: Vec<i64> = match (forall.half_open, from <= to) {
                (true, _) => (from..to).collect(),
                (false, true) => (from..=to).collect(),
                (false, false) => (to..=from).rev().collect(),
            };
            for value in values {
                scope.numbers.insert(name.clone(), value.into());
                self.equations(scope, &forall.body)?;
            }
            scope.numbers.remove(name);
            return Ok(());
        }
        if !forall.half_open {
            return Err(messages::unsupported("a closed range with public bounds", forall.span));
        }
        let index = self.indices.len() as u32;
        self.indices.push(name.clone());
        let variable = Number::from(Term::Index(index));
        let fail = |error| messages::number(error, forall.span);
        let above = variable.plus(&start, -1).map_err(fail)?;
        let below = stop.plus(&variable, -1).and_then(|n| n.plus(&(-1).into(), 1)).map_err(fail)?;
        let inside =
            Condition::And(Box::new(Condition::NotNegative(above)), Box::new(Condition::NotNegative(below)));
        scope.numbers.insert(name.clone(), variable);
        let body = self.branch(scope, &inside, &forall.body)?;
        scope.numbers.remove(name);
        self.statement(Statement::Loop(Loop {
            index,
            start,
            stop,
            body,
            carried: Vec::new(),
            span: forall.span,
        }))
    }

    fn assignment(&mut self, scope: &mut Scope, written: &'p Assignment) -> Result<()> {
        if written.imperative || written.operator.is_some() {
            return Err(messages::unsupported("`:=` outside of a step", written.span));
        }
        if let Some((callee, element, arguments)) = call_of(&written.value) {
            // The results of a node in the place of its call are the targets themselves.
            let targets: Vec<Option<VariableId>> = written
                .targets
                .iter()
                .map(|target| {
                    scope.variables.get(&target.name.text).copied().filter(|_| target.selections.is_empty())
                })
                .collect();
            let span = written.value.span;
            if self.call_into(scope, callee, element, arguments, &targets, span)? {
                return Ok(());
            }
        }
        if let [target] = written.targets.as_slice() {
            if is_zero(&written.value)
                && let Some(value) = self.zeros(scope, target)?
            {
                return self.assign(scope, target, value, &written.value);
            }
            let value = self.expression(scope, &written.value)?;
            return self.assign(scope, target, value, &written.value);
        }
        let value = self.expression(scope, &written.value)?;
        let block = self.block(value, written.value.span)?;
        let mut targets = Vec::new();
        for target in &written.targets {
            targets.push(self.constant_target(scope, target)?);
        }
        self.equation(targets, block.expression, written.span);
        Ok(())
    }

    /// As many zeros as an array of public length has bytes.
    fn zeros(&mut self, scope: &Scope, target: &Reference) -> Result<Option<Value>> {
        let Some(&id) = scope.variables.get(&target.name.text) else { return Ok(None) };
        let variable = self.of(id);
        if variable.count.is_none() || !target.selections.is_empty() {
            return Ok(None);
        }
        let length = variable.bytes().ok_or_else(|| messages::unsupported("bits here", target.span))?;
        let words = (variable.words.width != 8).then_some((variable.words.width, None));
        let text = vec![Piece::Padding { length, first: 0, last: 0 }];
        Ok(Some(Value::String(Strings { text, words })))
    }

    /// A target of a constant size.
    fn constant_target(&mut self, scope: &Scope, target: &'p Reference) -> Result<Reference> {
        let name = &target.name;
        let Some(&id) = scope.variables.get(&name.text) else {
            return Err(messages::unknown_name(&name.text, name.span));
        };
        let variable = self.of(id).clone();
        if variable.count.is_some() {
            return Err(messages::unsupported(
                "an array of public length among several targets",
                target.span,
            ));
        }
        let (selections, _) = self.selections(scope, &target.selections, &dimensions(&variable.ty))?;
        let name = Name { text: variable.name, span: name.span };
        Ok(Reference { name, selections, span: target.span })
    }

    fn assign(
        &mut self,
        scope: &Scope,
        target: &'p Reference,
        value: Value,
        written: &Expression,
    ) -> Result<()> {
        let name = &target.name;
        let span = target.span;
        let Some(&id) = scope.variables.get(&name.text) else {
            return Err(messages::unknown_name(&name.text, name.span));
        };
        let variable = self.of(id).clone();
        let Some(count) = &variable.count else {
            let block = self.block(value, written.span)?;
            let target = self.constant_target(scope, target)?;
            self.equation(vec![target], block.expression, written.span);
            return Ok(());
        };
        let fail = |error| messages::number(error, span);
        let (index, end) = match target.selections.as_slice() {
            [] => (Number::default(), count.clone()),
            [Selection::Index(index)] => {
                let index = self.number(scope, index)?;
                let end = index.plus(&1.into(), 1).map_err(fail)?;
                (index, end)
            }
            [Selection::HalfOpen(from, to)] => (self.number(scope, from)?, self.number(scope, to)?),
            _ => return Err(messages::unsupported("this part of an array of public length", span)),
        };
        let is_element = matches!(target.selections.as_slice(), [Selection::Index(_)]);
        let order = match &value {
            Value::String(strings) => strings.words.and_then(|(_, order)| order),
            Value::Block(_) => None,
        };
        let elements = end.plus(&index, -1).map_err(fail)?;
        match value {
            Value::Block(block) => {
                let ty = if is_element {
                    variable.ty.clone()
                } else {
                    let mut ty = variable.ty.clone();
                    let known = self.known(&elements).filter(|&elements| elements > 0);
                    let count = known.ok_or_else(|| messages::not_constant(&self.show(&elements), span))?;
                    ty.dimensions.insert(0, literal(count, span));
                    ty
                };
                let name = format!("{}_element", variable.name);
                let target = if is_element && variable.words.width != 8 {
                    Target::Element(id, index)
                } else {
                    Target::Window(self.window(id, index, elements, Order::Big, span)?)
                };
                self.output(&name, target, ty, block.expression, written.span);
                Ok(())
            }
            Value::String(strings) => {
                let target = self.window(id, index, elements, order.unwrap_or(Order::Big), span)?;
                let text = self.text(Value::String(strings), order, span)?;
                self.equal(&target.length, &length(&text), span)?;
                self.statement(Statement::Define(Define { target, value: text, span }))
            }
        }
    }

    /// Elements of an array of public length, in bytes.
    fn window(
        &self,
        variable: VariableId,
        index: Number,
        elements: Number,
        order: Order,
        span: Span,
    ) -> Result<Window> {
        let words = self.of(variable).words;
        let bytes = words.bytes().filter(|_| words.width.is_multiple_of(8));
        let bytes = bytes.ok_or_else(|| messages::unsupported("a string of bits", span))?;
        let size = Number::from(i64::from(bytes));
        let fail = |error| messages::number(error, span);
        let (start, length) = (index.times(&size).map_err(fail)?, elements.times(&size).map_err(fail)?);
        Ok(Window { variable, order, start, length })
    }
}

/// A call by itself.
type Call<'e> = (&'e Name, Option<&'e usuba_lang::ast::Static>, &'e [Expression]);

fn call_of(e: &Expression) -> Option<Call<'_>> {
    match &e.kind {
        ExpressionKind::Call { callee, element, arguments } => {
            Some((callee, element.as_ref(), arguments.as_slice()))
        }
        _ => None,
    }
}

/// `0` without a type.
fn is_zero(e: &Expression) -> bool {
    matches!(&e.kind, ExpressionKind::Constant(integer, None) if integer.value == BigUint::ZERO)
}
