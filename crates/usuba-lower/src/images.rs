//! Images: bytes held as what they are images of.
//!
//! A text may hold bytes as images under an affine map, so that machines that look up whole bytes compute less: SM4 under the
//! map before its inversion. Where a byte is eight atoms, such a map is a circuit, and it is cheaper to hold the byte that it is
//! the image of. So a value here is eight atoms and the map whose image of them is meant, its *form*:
//! - an affine table that can be undone changes the form, and computes nothing;
//! - the sum of two values whose forms have one matrix is the sum of the atoms, and constants go to the form;
//! - what moves whole bytes moves the forms;
//! - for everything else the image is computed.
//!
//! A node is made anew for each list of forms of its inputs. Parameters of the entry are as the source has them. Whoever asks
//! compares the operations of both programs: images that are computed often may cost more.

use crate::reach;
use crate::sliced::{
    Assignment, AssignmentId, Attributes, Body, Constant, Definition, Direction, Equations, Expression,
    ExpressionKind, Instance, InstanceId, LogicOp, Lookup, Loop, Program, Slot, Step, Table, Use, Variable,
    VariableId, flatten,
};
use crate::weight::count;
use std::collections::{BTreeSet, HashMap};
use usuba_ir::bytes::ByteAffine;
use usuba_lang::source::Span;
use usuba_lang::typed::Inline;

/// Atoms of a byte.
const BITS: usize = 8;

/// What bytes are the images of their atoms under, byte by byte.
type Forms = Vec<ByteAffine>;

/// The program with images computed where they are needed; `None` if no table is an affine map that can be undone.
pub(crate) fn held(program: &Program) -> Option<Program> {
    program.instances.iter().find_map(affine)?;
    let mut images = Images { program, made: HashMap::new(), maps: HashMap::new(), instances: Vec::new() };
    let entry = program.instance(program.entry);
    let (entry, _) = images.instance(program.entry, &identities(bytes(entry, &entry.inputs)?))?;
    Some(reach::reachable(Program { atoms: program.atoms, instances: images.instances, entry }))
}

/// The map that a table of bytes is, if it is affine and can be undone.
fn affine(instance: &Instance) -> Option<ByteAffine> {
    match &instance.body {
        Body::Table(Table { lookup: Lookup::Columns { columns: 1 }, inputs: 8, outputs: 8, entries }) => {
            ByteAffine::of_table(entries).filter(|map| map.inverted().is_some())
        }
        _ => None,
    }
}

fn identities(count: usize) -> Forms {
    vec![ByteAffine::IDENTITY; count]
}

fn are_identities(forms: &[ByteAffine]) -> bool {
    forms.iter().all(|form| *form == ByteAffine::IDENTITY)
}

/// The bytes of parameters; `None` if one has a part of a byte.
fn bytes(instance: &Instance, ids: &[VariableId]) -> Option<usize> {
    let of = |&id: &VariableId| {
        let atoms = instance.variable(id).atoms() as usize;
        atoms.is_multiple_of(BITS).then_some(atoms / BITS)
    };
    ids.iter().map(of).sum()
}

/// Where consecutive atoms are a byte of a variable, its first slot.
fn byte(slots: &[Slot]) -> Option<Slot> {
    let first = *slots.first()?;
    let whole = (first.atom as usize).is_multiple_of(BITS)
        && slots.len() == BITS
        && (first.atom..).zip(slots).all(|(atom, slot)| *slot == Slot { atom, ..first });
    whole.then_some(first)
}

/// Where consecutive uses are a byte that was defined as one, its first use.
fn byte_used(uses: &[Use]) -> Option<Use> {
    let first = *uses.first()?;
    byte(&uses.iter().map(|of| of.slot).collect::<Vec<_>>())?;
    let one = (0..).zip(uses).all(|(bit, of)| match (first.definition, of.definition) {
        (Definition::Input, Definition::Input) => true,
        (Definition::Assigned(id, target), Definition::Assigned(other, at)) => {
            id == other && at == target + bit && (target as usize).is_multiple_of(BITS)
        }
        _ => false,
    });
    one.then_some(first)
}

/// The variables of an instance of which bits are named apart from their bytes.
fn taken_apart(instance: &Instance, equations: &Equations) -> BTreeSet<VariableId> {
    fn in_expression(expression: &Expression, apart: &mut BTreeSet<VariableId>) {
        if let ExpressionKind::Atoms(uses) = &expression.kind {
            let whole = uses.len().is_multiple_of(BITS);
            for of in uses.chunks(BITS) {
                if !whole || byte_used(of).is_none() {
                    apart.extend(of.iter().map(|of| of.slot.variable));
                }
            }
        }
        expression.operands().into_iter().for_each(|operand| in_expression(operand, apart));
    }
    let mut apart = BTreeSet::new();
    for assignment in flatten(&equations.steps) {
        let whole = assignment.targets.len().is_multiple_of(BITS);
        for of in assignment.targets.chunks(BITS) {
            if !whole || byte(of).is_none() {
                apart.extend(of.iter().map(|slot| slot.variable));
            }
        }
        in_expression(&assignment.value, &mut apart);
    }
    for (&output, results) in instance.outputs.iter().zip(&equations.results) {
        let uses: Vec<Use> = results_of(output, results).collect();
        if uses.chunks(BITS).any(|of| byte_used(of).is_none()) {
            apart.insert(output);
        }
    }
    apart
}

/// The uses that the results of an output are.
fn results_of(output: VariableId, results: &[Definition]) -> impl Iterator<Item = Use> {
    let slots = (0..).map(move |atom| Slot { variable: output, atom });
    slots.zip(results).map(|(slot, &definition)| Use { slot, definition })
}

/// The state of making one program.
struct Images<'p> {
    program: &'p Program,
    /// The instance of the new program, and the forms of its outputs, for one of the old with forms of its inputs.
    made: HashMap<(InstanceId, Forms), (InstanceId, Forms)>,
    /// What computes images.
    maps: HashMap<Forms, InstanceId>,
    instances: Vec<Instance>,
}

/// A value and the form of each of its bytes; no forms if it is no whole bytes: then it is what it is.
struct Value {
    expression: Expression,
    forms: Forms,
}

/// The state of making one instance.
struct Node<'a, 'p> {
    images: &'a mut Images<'p>,
    /// Variables that are as the source has them.
    plain: BTreeSet<VariableId>,
    /// Of each byte, named by its first bit.
    forms: HashMap<(Definition, Slot), ByteAffine>,
}

impl<'p> Images<'p> {
    /// The instance for forms of its inputs; `None` if it cannot be made anew.
    fn instance(&mut self, id: InstanceId, forms: &[ByteAffine]) -> Option<(InstanceId, Forms)> {
        let key = (id, forms.to_vec());
        if let Some(known) = self.made.get(&key) {
            return Some(known.clone());
        }
        let instance = self.program.instance(id);
        let (body, outputs) = match &instance.body {
            Body::Equations(equations) => self.equations(id, instance, equations, forms)?,
            other => {
                let outputs =
                    instance.outputs.iter().map(|&id| instance.variable(id).atoms() as usize).sum::<usize>();
                (other.clone(), identities(outputs / BITS))
            }
        };
        let suffix = match self.made.keys().filter(|(other, _)| *other == id).count() {
            0 => String::new(),
            number => format!("'image{number}"),
        };
        let symbol = format!("{}{suffix}", instance.symbol);
        self.instances.push(Instance { symbol, body, ..instance.clone() });
        let made = (InstanceId(self.instances.len() as u32 - 1), outputs);
        self.made.insert(key, made.clone());
        Some(made)
    }

    fn equations(
        &mut self,
        id: InstanceId,
        instance: &'p Instance,
        equations: &'p Equations,
        inputs: &[ByteAffine],
    ) -> Option<(Body, Forms)> {
        if equations.order.is_some() {
            return None;
        }
        let mut plain = taken_apart(instance, equations);
        if id == self.program.entry {
            plain.extend(&instance.outputs);
        }
        let mut node = Node { images: self, plain, forms: HashMap::new() };
        let mut inputs = inputs.iter();
        for &variable in &instance.inputs {
            for atom in (0..instance.variable(variable).atoms()).step_by(BITS) {
                let form = *inputs.next().unwrap_or(&ByteAffine::IDENTITY);
                node.forms.insert((Definition::Input, Slot { variable, atom }), form);
            }
        }
        let steps = node.steps(&equations.steps)?;
        let mut outputs = Forms::new();
        for (&output, results) in instance.outputs.iter().zip(&equations.results) {
            let uses: Vec<Use> = results_of(output, results).collect();
            outputs.extend(uses.chunks(BITS).map(|of| node.form(&of[0])));
        }
        let (count, results) = (equations.count, equations.results.clone());
        Some((Body::Equations(Equations { steps, count, order: None, results }), outputs))
    }

    /// The instance that computes the images of bytes.
    fn map(&mut self, forms: &[ByteAffine], like: &Variable) -> InstanceId {
        if let Some(&known) = self.maps.get(forms) {
            return known;
        }
        let span = like.span;
        let variable = |name: &str, count: usize| Variable {
            name: name.into(),
            shape: if count == 1 { vec![BITS as u32] } else { vec![count as u32, BITS as u32] },
            direction: Direction::Free,
            constant: false,
            uniform: false,
            ..like.clone()
        };
        let (x, y) = (VariableId(0), VariableId(1));
        let slots = |variable, byte: usize| {
            (0..BITS).map(move |bit| Slot { variable, atom: (byte * BITS + bit) as u32 })
        };
        let body = if let [form] = forms {
            let entries = (0..=255).map(|byte| u64::from(form.of(byte))).collect();
            Body::Table(Table { lookup: Lookup::Columns { columns: 1 }, inputs: 8, outputs: 8, entries })
        } else {
            let image = |(byte, &form): (usize, &ByteAffine)| {
                let uses = slots(x, byte).map(|slot| Use { slot, definition: Definition::Input });
                let kind = ExpressionKind::Atoms(uses.collect());
                self.image(Expression { kind, span }, &[form], like)
            };
            let value = Expression {
                kind: ExpressionKind::Tuple(forms.iter().enumerate().map(image).collect()),
                span,
            };
            let targets: Vec<Slot> = (0..forms.len()).flat_map(|byte| slots(y, byte)).collect();
            let id = AssignmentId(0);
            let results = vec![(0..targets.len() as u32).map(|bit| Definition::Assigned(id, bit)).collect()];
            let steps = vec![Step::Assign(Assignment { id, span, targets, value })];
            Body::Equations(Equations { steps, count: 1, order: None, results })
        };
        self.instances.push(Instance {
            symbol: format!("Image'{}", self.maps.len()),
            span,
            attributes: Attributes { inline: Inline::Always, ..Attributes::default() },
            variables: vec![variable("x", forms.len()), variable("y", forms.len())],
            inputs: vec![x],
            outputs: vec![y],
            body,
        });
        let made = InstanceId(self.instances.len() as u32 - 1);
        self.maps.insert(forms.to_vec(), made);
        made
    }

    /// The images that are meant.
    fn image(&mut self, expression: Expression, forms: &[ByteAffine], like: &Variable) -> Expression {
        if are_identities(forms) {
            return expression;
        }
        let (callee, span) = (self.map(forms, like), expression.span);
        Expression { kind: ExpressionKind::Call { callee, arguments: Box::new(expression) }, span }
    }
}

impl<'p> Node<'_, 'p> {
    fn steps(&mut self, steps: &'p [Step]) -> Option<Vec<Step>> {
        steps
            .iter()
            .map(|step| {
                Some(match step {
                    Step::Assign(assignment) => Step::Assign(self.assignment(assignment)?),
                    Step::Loop(looped) => Step::Loop(Loop {
                        span: looped.span,
                        unroll: looped.unroll,
                        iterations: looped
                            .iterations
                            .iter()
                            .map(|body| self.steps(body))
                            .collect::<Option<_>>()?,
                    }),
                })
            })
            .collect()
    }

    fn assignment(&mut self, assignment: &'p Assignment) -> Option<Assignment> {
        let mut value = self.value(&assignment.value)?;
        if assignment.targets.iter().any(|slot| self.plain.contains(&slot.variable)) {
            value = self.plain(value);
        }
        for ((number, of), form) in assignment.targets.chunks(BITS).enumerate().zip(&value.forms) {
            let definition = Definition::Assigned(assignment.id, (number * BITS) as u32);
            self.forms.insert((definition, of[0]), *form);
        }
        let (id, span, targets) = (assignment.id, assignment.span, assignment.targets.clone());
        Some(Assignment { id, span, targets, value: value.expression })
    }

    /// The form of the byte whose first bit is used.
    fn form(&self, first: &Use) -> ByteAffine {
        let known = self.forms.get(&(first.definition, first.slot));
        known.copied().filter(|_| !self.plain.contains(&first.slot.variable)).unwrap_or(ByteAffine::IDENTITY)
    }

    /// The value with its images computed.
    fn plain(&mut self, value: Value) -> Value {
        let like = self.images.program.instance(self.images.program.entry).variables[0].clone();
        let like = Variable { span: value.expression.span, ..like };
        let expression = self.images.image(value.expression, &value.forms, &like);
        Value { expression, forms: identities(value.forms.len()) }
    }

    fn plain_value(&mut self, expression: &'p Expression) -> Option<Box<Expression>> {
        let value = self.value(expression)?;
        Some(Box::new(self.plain(value).expression))
    }

    fn value(&mut self, expression: &'p Expression) -> Option<Value> {
        let span = expression.span;
        let atoms = count(self.images.program, expression) as usize;
        let mut forms = identities(if atoms.is_multiple_of(BITS) { atoms / BITS } else { 0 });
        let kind = match &expression.kind {
            ExpressionKind::Atoms(uses) => {
                if !forms.is_empty() {
                    forms = uses.chunks(BITS).map(|of| self.form(&of[0])).collect();
                }
                ExpressionKind::Atoms(uses.clone())
            }
            ExpressionKind::Constants(constants) => ExpressionKind::Constants(constants.clone()),
            ExpressionKind::Tuple(parts) => {
                let mut values = parts.iter().map(|part| self.value(part)).collect::<Option<Vec<_>>>()?;
                let whole = |value: &Value| !value.forms.is_empty();
                if values.iter().all(whole) {
                    forms = values.iter().flat_map(|value| value.forms.clone()).collect();
                } else {
                    values = values.into_iter().map(|value| self.plain(value)).collect();
                }
                ExpressionKind::Tuple(values.into_iter().map(|value| value.expression).collect())
            }
            ExpressionKind::Logic(LogicOp::Xor, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                return Some(self.sum(left, right, span));
            }
            ExpressionKind::Shuffle { pattern, value } => {
                // The same places in every atom of a byte.
                let value = self.value(value)?;
                forms = value.forms;
                ExpressionKind::Shuffle { pattern: pattern.clone(), value: Box::new(value.expression) }
            }
            ExpressionKind::Gather { sources, value } => {
                let sources = sources.clone();
                return self.gather(sources, value, span);
            }
            ExpressionKind::Call { callee, arguments } => return self.call(*callee, arguments, span),
            ExpressionKind::Not(value) => ExpressionKind::Not(self.plain_value(value)?),
            ExpressionKind::Refresh(value) => ExpressionKind::Refresh(self.plain_value(value)?),
            ExpressionKind::Logic(op, left, right) => {
                ExpressionKind::Logic(*op, self.plain_value(left)?, self.plain_value(right)?)
            }
            ExpressionKind::Arithmetic { op, width, left, right } => ExpressionKind::Arithmetic {
                op: *op,
                width: *width,
                left: self.plain_value(left)?,
                right: self.plain_value(right)?,
            },
            // Of words that are one atom.
            ExpressionKind::Shift { .. }
            | ExpressionKind::Bitmask { .. }
            | ExpressionKind::Pack { .. }
            | ExpressionKind::MoveWords { .. }
            | ExpressionKind::Round { .. }
            | ExpressionKind::InverseMixColumns(_) => return None,
        };
        Some(Value { expression: Expression { kind, span }, forms })
    }

    /// The sum of two values.
    fn sum(&mut self, left: Value, right: Value, span: Span) -> Value {
        let xor = |left: Expression, right: Expression, forms| {
            let kind = ExpressionKind::Logic(LogicOp::Xor, Box::new(left), Box::new(right));
            Value { expression: Expression { kind, span }, forms }
        };
        let moved = |of: &Value, constants: Vec<u8>| {
            let form = |(form, constant): (&ByteAffine, u8)| ByteAffine {
                constant: form.constant ^ constant,
                ..*form
            };
            of.forms.iter().zip(constants).map(form).collect()
        };
        match (constant_bytes(&left.expression), constant_bytes(&right.expression)) {
            (None, Some(constants)) if !are_identities(&left.forms) => {
                let forms = moved(&left, constants);
                return Value { forms, ..left };
            }
            (Some(constants), None) if !are_identities(&right.forms) => {
                let forms = moved(&right, constants);
                return Value { forms, ..right };
            }
            _ => {}
        }
        let mut pairs = left.forms.iter().zip(&right.forms);
        if pairs.all(|(one, other)| one.columns == other.columns) {
            let constants = right.forms.iter().map(|form| form.constant).collect();
            let forms = moved(&left, constants);
            return xor(left.expression, right.expression, forms);
        }
        let (left, right) = (self.plain(left), self.plain(right));
        xor(left.expression, right.expression, left.forms)
    }

    /// Atoms of a value, or zeros, in another order.
    fn gather(&mut self, sources: Vec<Option<u32>>, value: &'p Expression, span: Span) -> Option<Value> {
        let value = self.value(value)?;
        let whole = |of: &[Option<u32>]| match of[0] {
            Some(first) => {
                let run = (first..).zip(of).all(|(source, other)| *other == Some(source));
                (run && of.len() == BITS && (first as usize).is_multiple_of(BITS)).then_some(Some(first))
            }
            None => (of.len() == BITS && of.iter().all(Option::is_none)).then_some(None),
        };
        let moved: Option<Vec<Option<u32>>> = sources.chunks(BITS).map(whole).collect();
        let (value, forms) = match moved {
            Some(moved) if !value.forms.is_empty() => {
                let form = |from: Option<u32>| match from {
                    Some(first) => value.forms[first as usize / BITS],
                    None => ByteAffine::IDENTITY,
                };
                let forms = moved.into_iter().map(form).collect();
                (value.expression, forms)
            }
            _ => {
                let count = if sources.len().is_multiple_of(BITS) { sources.len() / BITS } else { 0 };
                (self.plain(value).expression, identities(count))
            }
        };
        let kind = ExpressionKind::Gather { sources, value: Box::new(value) };
        Some(Value { expression: Expression { kind, span }, forms })
    }

    fn call(&mut self, callee: InstanceId, arguments: &'p Expression, span: Span) -> Option<Value> {
        let instance = self.images.program.instance(callee);
        if let Body::Permutation { sources } = &instance.body {
            return self.gather(sources.iter().map(|&source| Some(source)).collect(), arguments, span);
        }
        let mut value = self.value(arguments)?;
        if let Some(map) = affine(instance) {
            let forms = value.forms.iter().map(|form| map.after(form)).collect();
            return Some(Value { forms, ..value });
        }
        let whole =
            bytes(instance, &instance.inputs).is_some() && bytes(instance, &instance.outputs).is_some();
        let apart = match &instance.body {
            Body::Equations(equations) => {
                let apart = taken_apart(instance, equations);
                instance.inputs.iter().any(|input| apart.contains(input))
            }
            _ => true,
        };
        if apart || !whole {
            value = self.plain(value);
        }
        let (callee, mut forms) = self.images.instance(callee, &value.forms)?;
        if !whole {
            let atoms: u32 = instance.outputs.iter().map(|&id| instance.variable(id).atoms()).sum();
            forms = identities(if (atoms as usize).is_multiple_of(BITS) { atoms as usize / BITS } else { 0 });
        }
        let kind = ExpressionKind::Call { callee, arguments: Box::new(value.expression) };
        Some(Value { expression: Expression { kind, span }, forms })
    }
}

/// The bytes that constants are, the same in all places of their atoms.
fn constant_bytes(expression: &Expression) -> Option<Vec<u8>> {
    let ExpressionKind::Constants(constants) = &expression.kind else { return None };
    let bit = |constant: &Constant| {
        let ones = usuba_ir::evaluate::ones(constant.width);
        [0, ones].iter().position(|all| *all == constant.value).map(|bit| bit as u8)
    };
    let byte = |of: &[Constant]| of.iter().try_fold(0, |byte: u8, constant| Some(byte << 1 | bit(constant)?));
    constants.len().is_multiple_of(BITS).then(|| constants.chunks(BITS).map(byte).collect())?
}
