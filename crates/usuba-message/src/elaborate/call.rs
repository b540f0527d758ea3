//! Calls: of nodes with constant sizes, which stay calls in steps, and of others, whose equations take the place of the call.

use super::declare::literal;
use super::value::{Block, Value};
use super::{DEPTH, Elaborator, PARAMETER, Result, Scope, messages};
use crate::form::{Define, Order, Piece, Sameness, Statement, VariableId, Window, Words, length};
use crate::number::Number;
use usuba_lang::ast::{
    self, BaseType, Definition, Expression, ExpressionKind, Fact, Name, Reference, Size, Static, StaticKind,
};
use usuba_lang::source::Span;

/// The names of the `nat` parameters of a definition.
pub(super) fn nats(definition: &Definition) -> impl Iterator<Item = &Name> {
    definition.inputs.iter().filter(|input| input.ty.base == BaseType::Nat).flat_map(|input| &input.names)
}

/// The lengths of a definition: names in the dimensions of its inputs that mean nothing else.
pub(super) fn lengths<'d>(elaborator: &Elaborator<'_>, definition: &'d Definition) -> Vec<(&'d str, Span)> {
    let mut found: Vec<(&'d str, Span)> = Vec::new();
    for dimension in definition.inputs.iter().flat_map(|input| &input.ty.dimensions) {
        names(dimension, &mut |name, span| {
            let derived = definition
                .facts
                .iter()
                .any(|fact| matches!(fact, Fact::Length(length, _) if length.text == name));
            let is_nat = nats(definition).any(|nat| nat.text == name);
            let known = elaborator.constants.contains_key(name) || name.contains('.');
            if !derived && !is_nat && !known && !found.iter().any(|(other, _)| *other == name) {
                found.push((name, span));
            }
        });
    }
    found
}

fn names<'s>(written: &'s Static, see: &mut dyn FnMut(&'s str, Span)) {
    match &written.kind {
        StaticKind::Integer(_) => {}
        StaticKind::Name(name) => see(name, written.span),
        StaticKind::Binary(_, left, right) => {
            names(left, see);
            names(right, see);
        }
        StaticKind::Apply(_, arguments) => arguments.iter().for_each(|argument| names(argument, see)),
    }
}

/// A call with its arguments evaluated.
enum Prepared<'p> {
    /// It stays one.
    Constant(Block),
    /// Its equations take its place.
    Placed { definition: &'p Definition, scope: Scope, values: Vec<Option<Value>> },
}

impl<'p> Elaborator<'p> {
    /// A call in an expression.
    pub(super) fn call(
        &mut self,
        scope: &Scope,
        callee: &'p Name,
        element: Option<&'p Static>,
        arguments: &'p [Expression],
        span: Span,
    ) -> Result<Value> {
        match self.prepared(scope, callee, element, arguments, span)? {
            Prepared::Constant(block) => Ok(Value::Block(block)),
            Prepared::Placed { definition, scope, values } => {
                let outputs = self.placed(definition, scope, values, &[], span)?;
                let &[output] = outputs.as_slice() else {
                    return Err(messages::unsupported("a node with several results in an expression", span));
                };
                let variable = self.of(output).clone();
                match variable.count {
                    None => Ok(Value::block(Self::named(&variable.name, span), Some(variable.words))),
                    Some(_) => {
                        let length = variable.bytes();
                        let length = length.ok_or_else(|| messages::unsupported("a string of bits", span))?;
                        let start = Number::default();
                        let window = Window { variable: output, order: Order::Big, start, length };
                        let words = (variable.words.width != 8).then_some((variable.words.width, None));
                        let text = vec![Piece::Window(window)];
                        Ok(Value::String(super::value::Strings { text, words }))
                    }
                }
            }
        }
    }

    /// A call whose results are the given variables; a `None` among them, or one that does not fit, gets a variable of its own
    /// first. False if nothing was done, because the call is one of a step.
    pub(super) fn call_into(
        &mut self,
        scope: &Scope,
        callee: &'p Name,
        element: Option<&'p Static>,
        arguments: &'p [Expression],
        targets: &[Option<VariableId>],
        span: Span,
    ) -> Result<bool> {
        if targets.iter().any(Option::is_none) || !self.is_sized(callee) {
            return Ok(false);
        }
        let (definition, inner, values) = match self.prepared(scope, callee, element, arguments, span)? {
            Prepared::Constant(block) => {
                let mut references = Vec::new();
                for target in targets.iter().flatten() {
                    if self.of(*target).count.is_some() {
                        return Err(messages::unsupported("this call for a string", span));
                    }
                    let name = Name { text: self.of(*target).name.clone(), span };
                    references.push(Reference { name, selections: Vec::new(), span });
                }
                self.equation(references, block.expression, span);
                return Ok(true);
            }
            Prepared::Placed { definition, scope, values } => (definition, scope, values),
        };
        let wanted: Vec<VariableId> = targets.iter().flatten().copied().collect();
        let outputs = self.placed(definition, inner, values, &wanted, span)?;
        for (&output, &target) in outputs.iter().zip(&wanted) {
            if output != target {
                self.same_string(output, target, span)?;
            }
        }
        Ok(true)
    }

    /// One variable is another.
    fn same_string(&mut self, from: VariableId, to: VariableId, span: Span) -> Result<()> {
        let (source, target) = (self.of(from).clone(), self.of(to).clone());
        if source.count.is_none() && target.count.is_none() {
            let name = Name { text: target.name, span };
            let reference = Reference { name, selections: Vec::new(), span };
            self.equation(vec![reference], Self::named(&source.name, span), span);
            return Ok(());
        }
        let bits = || messages::unsupported("a string of bits", span);
        let (length, wanted) = (source.bytes().ok_or_else(bits)?, target.bytes().ok_or_else(bits)?);
        self.equal(&wanted, &length, span)?;
        let window = |variable| Window {
            variable,
            order: Order::Big,
            start: Number::default(),
            length: length.clone(),
        };
        let value = vec![Piece::Window(window(from))];
        self.statement(Statement::Define(Define { target: window(to), value, span }))
    }

    /// Whether a callee has sizes that follow from its arguments, or numbers.
    fn is_sized(&self, callee: &Name) -> bool {
        let definition = self.program.definitions.iter().find(|node| node.name.text == callee.text);
        definition.is_some_and(|definition| {
            nats(definition).next().is_some()
                || definition.cipher.is_some()
                || !definition.facts.is_empty()
                || !lengths(self, definition).is_empty()
        })
    }

    fn prepared(
        &mut self,
        scope: &Scope,
        callee: &'p Name,
        element: Option<&'p Static>,
        arguments: &'p [Expression],
        span: Span,
    ) -> Result<Prepared<'p>> {
        if let Some((_, role)) = callee.text.split_once('.') {
            let Some(cipher) = self.cipher.clone() else {
                return Err(messages::unknown_name(&callee.text, callee.span));
            };
            let block = Words::of_bytes(cipher.block);
            let words = if role == "schedule" { cipher.keys } else { block };
            let callee = Name { text: format!("{PARAMETER}.{role}"), span: callee.span };
            let mut blocks = Vec::new();
            for argument in arguments {
                let value = self.expression(scope, argument)?;
                blocks.push(self.block(value, argument.span)?.expression);
            }
            let kind = ExpressionKind::Call { callee, element: None, arguments: blocks };
            let expression = Expression { kind, span, parenthesised: false };
            return Ok(Prepared::Constant(Block { expression, words: Some(words) }));
        }
        let program = self.program;
        let definition = program.definitions.iter().find(|node| node.name.text == callee.text);
        let definition = definition.ok_or_else(|| messages::unknown_name(&callee.text, callee.span))?;
        let element = match element {
            None => None,
            Some(_) if definition.cipher.is_some() => {
                Some(Static { kind: StaticKind::Name(PARAMETER.to_owned()), span })
            }
            Some(written) => Some(literal(self.constant(scope, written)?, written.span)),
        };
        let parameters: Vec<(&Name, &ast::Type)> = definition
            .inputs
            .iter()
            .flat_map(|input| input.names.iter().map(move |name| (name, &input.ty)))
            .collect();
        let mut inner = self.scope(definition);
        let mut values: Vec<Option<Value>> = Vec::new();
        let mut is_constant = true;
        let by_parameter = parameters.len() == arguments.len();
        for (place, argument) in arguments.iter().enumerate() {
            let parameter = parameters.get(place).filter(|_| by_parameter);
            if let Some((name, ty)) = parameter
                && ty.base == BaseType::Nat
            {
                let number = self.argument(scope, argument)?;
                let number = self.known(&number).map_or(number, Number::from);
                is_constant &= number.as_constant().is_some();
                inner.numbers.insert(name.text.clone(), number);
                values.push(None);
                continue;
            }
            let value = self.expression(scope, argument)?;
            if let Value::String(strings) = &value {
                is_constant &= self.known(&length(&strings.text)).is_some_and(|bytes| bytes > 0);
            }
            values.push(Some(value));
        }
        if by_parameter {
            self.solve(definition, &parameters, &values, &mut inner, span)?;
        } else if !is_constant || !lengths(self, definition).is_empty() {
            return Err(messages::unsupported("a call without one argument for each parameter", span));
        }
        if !is_constant {
            return Ok(Prepared::Placed { definition, scope: inner, values });
        }
        let mut blocks = Vec::new();
        for (value, argument) in values.into_iter().zip(arguments) {
            blocks.push(match value {
                Some(value) => self.block(value, argument.span)?.expression,
                None => {
                    let number = self.argument(scope, argument)?;
                    let known = self.known(&number);
                    let known = known.ok_or_else(|| messages::not_constant(&self.show(&number), span))?;
                    match literal(known, argument.span).kind {
                        StaticKind::Integer(integer) => {
                            let kind = ExpressionKind::Constant(integer, None);
                            Expression { kind, span: argument.span, parenthesised: false }
                        }
                        _ => return Err(messages::not_public(argument.span)),
                    }
                }
            });
        }
        let words = self.results(definition, &inner);
        let callee = callee.clone();
        let kind = ExpressionKind::Call { callee, element, arguments: blocks };
        let expression = Expression { kind, span, parenthesised: false };
        Ok(Prepared::Constant(Block { expression, words }))
    }

    /// The results of a node of constant sizes as one list of words, if they are all alike.
    fn results(&mut self, definition: &Definition, inner: &Scope) -> Option<Words> {
        let mut inner = inner.clone();
        for fact in &definition.facts {
            if let Fact::Length(name, value) = fact {
                let value = self.number(&inner, value).ok()?;
                inner.numbers.insert(name.text.clone(), value);
            }
        }
        let mut sum: Option<Words> = None;
        for output in &definition.outputs {
            let (_, words, count) = self.read_type(&inner, &output.ty).ok()?;
            let count = words.count * output.names.len() as u32 * u32::from(count.is_none());
            sum = match sum {
                None => Some(Words { count, ..words }),
                Some(sum) if sum.width == words.width => Some(Words { count: sum.count + count, ..sum }),
                Some(_) => return None,
            };
        }
        sum
    }

    /// The lengths of a callee, from the sizes of its arguments.
    fn solve(
        &mut self,
        definition: &Definition,
        parameters: &[(&Name, &ast::Type)],
        values: &[Option<Value>],
        inner: &mut Scope,
        span: Span,
    ) -> Result<()> {
        let open: Vec<String> =
            lengths(self, definition).into_iter().map(|(name, _)| name.to_owned()).collect();
        loop {
            let before = inner.numbers.len();
            for fact in &definition.facts {
                if let Fact::Length(name, value) = fact
                    && let Ok(value) = self.number(inner, value)
                {
                    inner.numbers.insert(name.text.clone(), value);
                }
            }
            for (&(_, ty), value) in parameters.iter().zip(values) {
                let Some(value) = value else { continue };
                let (width, count) = match &ty.base {
                    BaseType::Word { size: Size::Bits(width), count, .. } => (*width, count.unwrap_or(1)),
                    BaseType::Bits { count, .. } => (1, *count),
                    _ => continue,
                };
                let mut step = Number::from(i64::from(count));
                let mut unknown: Vec<&Static> = Vec::new();
                for dimension in &ty.dimensions {
                    match self.number(inner, dimension) {
                        Ok(size) => {
                            step = step.times(&size).map_err(|error| messages::number(error, ty.span))?;
                        }
                        Err(_) => unknown.push(dimension),
                    }
                }
                let [Static { kind: StaticKind::Name(name), .. }] = unknown.as_slice() else { continue };
                if !open.contains(name) {
                    continue;
                }
                let given = match value {
                    Value::Block(block) => block.words.map(|words| i64::from(words.count).into()),
                    Value::String(strings) => {
                        length(&strings.text).quotient(&i64::from((width / 8).max(1)).into()).ok()
                    }
                };
                let Some(given) = given else { continue };
                let size = given.quotient(&step).map_err(|error| messages::number(error, span))?;
                let size = self.known(&size).map_or(size, Number::from);
                let whole = size.times(&step).map_err(|error| messages::number(error, span))?;
                self.equal(&whole, &given, span)?;
                inner.numbers.insert(name.clone(), size);
            }
            if inner.numbers.len() == before {
                break;
            }
        }
        match open.iter().find(|name| !inner.numbers.contains_key(*name)) {
            Some(name) => Err(messages::unknown_number(name, span)),
            None => Ok(()),
        }
    }

    /// Puts the equations of a node in the place of its call. Returns its outputs, which are the wanted variables where these
    /// are of the same shape.
    fn placed(
        &mut self,
        definition: &'p Definition,
        mut inner: Scope,
        values: Vec<Option<Value>>,
        wanted: &[VariableId],
        span: Span,
    ) -> Result<Vec<VariableId>> {
        if self.depth >= DEPTH {
            return Err(messages::too_deep(span));
        }
        self.facts_of(&mut inner, definition, false)?;
        let parameters: Vec<(&Name, &ast::Type)> = definition
            .inputs
            .iter()
            .flat_map(|input| input.names.iter().map(move |name| (name, &input.ty)))
            .collect();
        for ((name, ty), value) in parameters.into_iter().zip(values) {
            let Some(value) = value else { continue };
            let (ty, words, count) = self.read_type(&inner, ty)?;
            let id = match count {
                None => {
                    let block = self.block(value, span)?;
                    self.parameter(&name.text, block, ty, words, span)
                }
                Some(count) => {
                    let text = self.text(value, None, span)?;
                    self.string_parameter(&name.text, text, ty, words, count, span)?
                }
            };
            inner.variables.insert(name.text.clone(), id);
        }
        let mut outputs = Vec::new();
        let mut wanted = wanted.iter();
        for declaration in &definition.outputs {
            for name in &declaration.names {
                let (_, words, count) = self.read_type(&inner, &declaration.ty)?;
                let own = wanted.next().copied().filter(|&id| {
                    let variable = self.of(id);
                    variable.words == words
                        && match (&variable.count, &count) {
                            (None, None) => true,
                            (Some(one), Some(two)) => self.same(one, two),
                            _ => false,
                        }
                });
                let id = match own {
                    Some(id) => {
                        inner.variables.insert(name.text.clone(), id);
                        id
                    }
                    None => self.declare(&mut inner, name, &declaration.ty, Sameness::Open)?,
                };
                outputs.push(id);
            }
        }
        self.depth += 1;
        let body = self.body(&inner, definition);
        self.depth -= 1;
        body.map(|()| outputs)
    }

    /// The variable that a parameter of a constant size is.
    fn parameter(&mut self, name: &str, block: Block, ty: ast::Type, words: Words, span: Span) -> VariableId {
        if let ExpressionKind::Reference(reference) = &block.expression.kind
            && reference.selections.is_empty()
            && let Some(place) =
                self.variables.iter().position(|variable| variable.name == reference.name.text)
            && super::declare::dimensions(&self.variables[place].ty) == super::declare::dimensions(&ty)
        {
            return VariableId(place as u32);
        }
        let id = self.variable(name, ty, words, None, Sameness::Open, span);
        let name = Name { text: self.of(id).name.clone(), span };
        let target = Reference { name, selections: Vec::new(), span };
        self.equation(vec![target], block.expression, span);
        id
    }

    /// The variable that a parameter of public length is.
    fn string_parameter(
        &mut self,
        name: &str,
        text: Vec<Piece>,
        ty: ast::Type,
        words: Words,
        count: Number,
        span: Span,
    ) -> Result<VariableId> {
        if let [Piece::Window(window)] = text.as_slice() {
            let variable = self.of(window.variable);
            let is_whole = variable.words == words
                && window.start.as_constant() == Some(0)
                && variable.count.as_ref().is_some_and(|whole| self.same(whole, &count));
            if is_whole {
                return Ok(window.variable);
            }
        }
        let id = self.variable(name, ty, words, Some(count), Sameness::Open, span);
        let bytes = self.of(id).bytes().ok_or_else(|| messages::unsupported("a string of bits", span))?;
        self.equal(&bytes, &length(&text), span)?;
        let target = Window { variable: id, order: Order::Big, start: Number::default(), length: bytes };
        self.statement(Statement::Define(Define { target, value: text, span }))?;
        Ok(id)
    }
}
