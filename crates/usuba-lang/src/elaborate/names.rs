//! Names: every one declared once, before its use, and used. Looks at the text of a definition only, so that it also
//! serves nodes whose `nat` parameters have no values yet.

use super::messages;
use super::report::Report;
use super::spelling::{first_assignments, nearest, spelled};
use super::statics;
use crate::ast::{
    self, Assignment, AttributeKind, BaseType, Bodies, Cast, Condition, ConditionKind, ConstantValue,
    Declaration, Definition, Equation, Expression, ExpressionKind, Fact, LoopAttributeKind, Name, Reference,
    Selection, Static, StaticKind,
};
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Names that programs may not define (D13). `refresh` may be called.
pub(super) const BUILTINS: [&str; 4] = ["refresh", "rand", "print", "ref"];

/// How deep an expression may nest, chains of operators included. Later stages recurse over expressions.
pub(super) const MAX_DEPTH: u32 = 500;

/// Where the first definition of each name stands in the program.
pub(super) type Definitions<'p> = HashMap<&'p str, usize>;

/// Numbers the definitions; the first of several with one name counts.
pub(super) fn number(program: &ast::Program) -> Definitions<'_> {
    let mut definitions = Definitions::new();
    for (index, definition) in program.definitions.iter().enumerate() {
        definitions.entry(definition.name.text.as_str()).or_insert(index);
    }
    definitions
}

/// Reports definitions with the name of an earlier one or of a builtin (D12, D13).
pub(super) fn check_definitions(program: &ast::Program, definitions: &Definitions<'_>, report: &mut Report) {
    for (index, definition) in program.definitions.iter().enumerate() {
        let name = &definition.name;
        if BUILTINS.contains(&name.text.as_str()) {
            report.add(messages::reserved_name(name));
        }
        match definitions.get(name.text.as_str()) {
            Some(&first) if first != index => {
                if let Some(first) = program.definitions.get(first) {
                    report.add(messages::duplicate_definition(name, &first.name));
                }
            }
            _ => {}
        }
    }
}

/// What a definition calls, directly.
pub(super) type Callees = BTreeSet<usize>;

/// Checks the names and attributes of one definition. Returns whether the definition may be elaborated, and the
/// definitions it calls.
pub(super) fn check_definition<'p>(
    program: &'p ast::Program,
    definitions: &Definitions<'p>,
    index: usize,
    report: &mut Report,
) -> (bool, Callees) {
    let Some(definition) = program.definitions.get(index) else { return (false, Callees::new()) };
    let before = report.failures();
    attributes(definition, report);
    let mut scope = Scope {
        program,
        definitions,
        index,
        definition,
        report,
        declared: HashMap::new(),
        loops: Vec::new(),
        read: BTreeSet::new(),
        body: None,
        assignments: BTreeMap::new(),
        told: BTreeSet::new(),
        callees: Callees::new(),
    };
    scope.declare(&definition.inputs, Kind::Word);
    scope.declare(&definition.outputs, Kind::Word);
    scope.lengths();
    for output in &definition.outputs {
        scope.ineffective_const(output, "an output");
    }
    let mut read_inputs = BTreeSet::new();
    match &definition.bodies {
        Bodies::Node(bodies) => {
            for body in bodies {
                let outer = scope.declared.clone();
                scope.read.clear();
                scope.declare(&body.locals, Kind::Word);
                scope.body = Some(body);
                scope.assignments.clear();
                scope.told.clear();
                first_assignments(&body.equations, &mut scope.assignments);
                for local in &body.locals {
                    scope.ineffective_const(local, "a local");
                }
                let nats = body.locals.iter().filter(|local| local.ty.base == BaseType::Nat);
                let nats: Vec<&Name> = nats.flat_map(|local| &local.names).collect();
                scope.equations(&body.equations);
                scope.acceptance(body);
                for name in nats.iter().filter(|name| scope.read.contains(name.text.as_str())) {
                    scope.report.add(messages::nat_misplaced(name, "only an input can be a `nat`"));
                }
                // Not where something is wrong: a name that is misspelt is not unused.
                let right = scope.report.failures() == before;
                for name in body.locals.iter().flat_map(|local| &local.names).filter(|_| right) {
                    if !scope.read.contains(name.text.as_str()) && !name.text.starts_with('_') {
                        scope.report.add(messages::unused_local(name));
                    }
                }
                read_inputs.append(&mut scope.read);
                scope.declared = outer;
            }
            let right = scope.report.failures() == before;
            for input in definition.inputs.iter().filter(|input| right && input.constant.is_some()) {
                for name in &input.names {
                    if !read_inputs.contains(name.text.as_str()) && !name.text.starts_with('_') {
                        scope.report.add(messages::unused_const(name));
                    }
                }
            }
        }
        Bodies::Perm(_) | Bodies::Table(_) => {}
    }
    let callees = std::mem::take(&mut scope.callees);
    (report.failures() == before, callees)
}

fn attributes(definition: &Definition, report: &mut Report) {
    let place = |wanted: fn(&AttributeKind) -> bool| {
        definition.attributes.iter().find(|attribute| wanted(&attribute.kind)).map(|attribute| attribute.span)
    };
    let contradictions = [
        (place(|k| *k == AttributeKind::Inline), place(|k| *k == AttributeKind::NoInline)),
        (place(|k| *k == AttributeKind::Lsb), place(|k| *k == AttributeKind::Msb)),
    ];
    for (one, other) in contradictions {
        if let (Some(one), Some(other)) = (one, other) {
            let (first, second) = if one.start < other.start { (one, other) } else { (other, one) };
            report.add(messages::contradictory_attributes(second, first));
        }
    }
    for attribute in &definition.attributes {
        match &attribute.kind {
            AttributeKind::Interleave(factor)
                if u32::try_from(&factor.value).map_or(true, |f| f == 0 || f > 64) =>
            {
                report.add(messages::interleave_factor(factor.span));
            }
            AttributeKind::Lsb | AttributeKind::Msb if !matches!(definition.bodies, Bodies::Table(_)) => {
                report.add(messages::table_attribute(attribute.span));
            }
            _ => {}
        }
    }
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Nat,
}

struct Scope<'p, 'r> {
    program: &'p ast::Program,
    definitions: &'r Definitions<'p>,
    index: usize,
    definition: &'p Definition,
    report: &'r mut Report,
    declared: HashMap<&'p str, (Kind, Span)>,
    loops: Vec<&'p Name>,
    read: BTreeSet<&'p str>,
    /// The body that is looked at, and the first equation that gives each name a value in it.
    body: Option<&'p ast::NodeBody>,
    assignments: BTreeMap<&'p str, &'p Assignment>,
    /// The names that have been said to lack a declaration.
    told: BTreeSet<&'p str>,
    callees: Callees,
}

impl<'p> Scope<'p, '_> {
    fn declare(&mut self, declarations: &'p [Declaration], kind: Kind) {
        for declaration in declarations {
            let kind = if declaration.ty.base == BaseType::Nat { Kind::Nat } else { kind };
            for name in &declaration.names {
                match self.declared.get(name.text.as_str()) {
                    Some(&(_, first)) => self.report.add(messages::duplicate_variable(name, first)),
                    None => {
                        self.declared.insert(name.text.as_str(), (kind, name.span));
                    }
                }
            }
        }
    }

    fn ineffective_const(&mut self, declaration: &Declaration, what: &str) {
        if let Some(span) = declaration.constant {
            self.report.add(messages::ineffective_const(span, what));
        }
    }

    /// What a name means here: the innermost loop variable of that name, or what the definition declares.
    fn meaning(&self, name: &str) -> Option<Kind> {
        if self.loops.iter().any(|variable| variable.text == name) {
            return Some(Kind::Nat);
        }
        if let Some(&(kind, _)) = self.declared.get(name) {
            return Some(kind);
        }
        if let Some((cipher, member)) = name.split_once('.') {
            let own = self.definition.cipher.as_ref().is_some_and(|own| own.text == cipher);
            return (own && matches!(member, "block" | "key")).then_some(Kind::Nat);
        }
        let constant = self.program.constants.iter().find(|constant| constant.name.text == name)?;
        Some(match constant.value {
            ConstantValue::Number(_) => Kind::Nat,
            ConstantValue::Words(..) => Kind::Word,
        })
    }

    /// Notes that a name is read: what the definition declares, if no loop variable hides it.
    fn see(&mut self, name: &'p str) {
        if !self.loops.iter().any(|variable| variable.text == name) {
            self.read.insert(name);
        }
    }

    /// Declares the lengths that the inputs bind and those that follow from them.
    fn lengths(&mut self) {
        for declaration in &self.definition.inputs {
            for dimension in &declaration.ty.dimensions {
                statics::names(dimension, &mut |name, span| {
                    let derived = self
                        .definition
                        .facts
                        .iter()
                        .any(|fact| matches!(fact, Fact::Length(length, _) if length.text == name));
                    if self.meaning(name).is_none() && !derived && !name.contains('.') {
                        self.declared.insert(name, (Kind::Nat, span));
                    }
                });
            }
        }
        for fact in &self.definition.facts {
            match fact {
                Fact::Length(name, value) => {
                    self.static_expression(value, 0);
                    match self.declared.get(name.text.as_str()) {
                        Some(&(_, first)) => self.report.add(messages::duplicate_variable(name, first)),
                        None => {
                            self.declared.insert(name.text.as_str(), (Kind::Nat, name.span));
                        }
                    }
                }
                Fact::Condition(condition) => self.condition(condition),
            }
        }
    }

    fn condition(&mut self, condition: &'p Condition) {
        match &condition.kind {
            ConditionKind::Compare(_, left, right) => {
                self.static_expression(left, 0);
                self.static_expression(right, 0);
            }
            ConditionKind::Among(number, _) => self.static_expression(number, 0),
            ConditionKind::And(left, right) | ConditionKind::Or(left, right) => {
                self.condition(left);
                self.condition(right);
            }
        }
    }

    /// Whether a body accepts once if its node opens, and else never: in every branch, and in no loop.
    fn acceptance(&mut self, body: &'p ast::NodeBody) {
        let mut found = Vec::new();
        let most = self.accepts(&body.equations, false, &mut found);
        let definition = self.definition;
        match (definition.opens, most) {
            (Some(opens), 0) => self.report.add(messages::missing_accept(&definition.name, opens)),
            (Some(_), 1) | (None, 0) => {}
            (Some(_), _) => {
                if let [first, second, ..] = found.as_slice() {
                    self.report.add(messages::two_accepts(*second, *first));
                }
            }
            (None, _) => {
                if let Some(first) = found.first() {
                    self.report.add(messages::accept_in_returns(*first, &definition.name));
                }
            }
        }
    }

    /// How often equations accept, by themselves or in a call of a node that opens.
    fn accepts(&mut self, equations: &'p [Equation], in_loop: bool, found: &mut Vec<Span>) -> usize {
        let mut count = 0;
        for equation in equations {
            let before = found.len();
            match equation {
                Equation::Accept(accept) => {
                    found.push(accept.span);
                    count += 1;
                }
                Equation::Assign(assignment) => {
                    let opens = |name: &Name| {
                        let callee = self.definitions.get(name.text.as_str());
                        callee
                            .and_then(|&i| self.program.definitions.get(i))
                            .is_some_and(|d| d.opens.is_some())
                    };
                    calls(&assignment.value, &mut |name| {
                        if opens(name) {
                            found.push(name.span);
                            count += 1;
                        }
                    });
                }
                Equation::Forall(forall) => count += self.accepts(&forall.body, true, found),
                Equation::If(choice) => {
                    let then = self.accepts(&choice.then, in_loop, found);
                    let kept = found.len();
                    let otherwise = self.accepts(&choice.otherwise, in_loop, found);
                    if then != otherwise {
                        self.report.add(messages::accept_in_one_branch(choice.span));
                    }
                    found.truncate(kept.max(before));
                    count += then.max(otherwise);
                }
            }
            if in_loop && let Some(&first) = found.get(before) {
                self.report.add(messages::accept_in_loop(first));
            }
        }
        count
    }

    /// The variables that equations define, each with a place.
    fn defined(equations: &'p [Equation], found: &mut BTreeMap<&'p str, Span>) {
        for equation in equations {
            match equation {
                Equation::Assign(assignment) => {
                    for target in &assignment.targets {
                        found.entry(target.name.text.as_str()).or_insert(target.span);
                    }
                }
                Equation::Forall(forall) => Self::defined(&forall.body, found),
                Equation::If(choice) => {
                    Self::defined(&choice.then, found);
                    Self::defined(&choice.otherwise, found);
                }
                Equation::Accept(_) => {}
            }
        }
    }

    fn choice(&mut self, choice: &'p ast::If) {
        self.condition(&choice.condition);
        self.equations(&choice.then);
        self.equations(&choice.otherwise);
        let (mut then, mut otherwise) = (BTreeMap::new(), BTreeMap::new());
        Self::defined(&choice.then, &mut then);
        Self::defined(&choice.otherwise, &mut otherwise);
        let in_one = |one: &BTreeMap<&'p str, Span>, other: &BTreeMap<&'p str, Span>| {
            one.iter().find(|(name, _)| !other.contains_key(*name)).map(|(name, &span)| (*name, span))
        };
        if let Some((name, span)) = in_one(&then, &otherwise).or(in_one(&otherwise, &then)) {
            self.report.add(messages::defined_in_one_branch(span, choice.span, name));
        }
    }

    fn cast(&mut self, cast: &'p Cast, depth: u32) {
        if self.definitions.contains_key(cast.name.text.as_str()) {
            self.callee(&cast.name, None, cast.arguments.len());
            for argument in &cast.arguments {
                self.expression(argument, depth + 1);
            }
            return;
        }
        for (position, argument) in cast.arguments.iter().enumerate() {
            let public = cast.name.text == "Word" || position > 0;
            match public {
                _ if super::cast::is_order(cast, position) => {}
                true => self.public_number(argument, depth + 1),
                false => self.expression(argument, depth + 1),
            }
        }
        for selection in &cast.selections {
            self.selection(selection);
        }
    }

    /// An expression in the place of a public number. Whether it has the form of one is found out later.
    fn public_number(&mut self, expression: &'p Expression, depth: u32) {
        if depth > MAX_DEPTH {
            self.report.add(messages::too_deep(expression.span));
            return;
        }
        match &expression.kind {
            ExpressionKind::Reference(reference) if reference.selections.is_empty() => {
                let name = reference.name.text.as_str();
                match self.meaning(name) {
                    Some(Kind::Nat) => {
                        self.see(name);
                    }
                    Some(Kind::Word) => self.report.add(messages::not_static(name, expression.span)),
                    None => self.undeclared(name, expression.span),
                }
            }
            ExpressionKind::Binary(_, left, right) => {
                self.public_number(left, depth + 1);
                self.public_number(right, depth + 1);
            }
            ExpressionKind::Call { callee, arguments, .. }
                if ast::StaticFunction::named(&callee.text).is_some() =>
            {
                for argument in arguments {
                    self.public_number(argument, depth + 1);
                }
            }
            _ => self.expression(expression, depth),
        }
    }

    fn undeclared(&mut self, name: &'p str, span: Span) {
        let assignment = self.assignments.get(name).copied();
        let mut candidates: Vec<&str> = self.declared.keys().copied().collect();
        candidates.extend(self.loops.iter().map(|variable| variable.text.as_str()));
        if let Some((assignment, body)) = assignment.zip(self.body) {
            // What gets a value is misspelt only if a variable that lacks one is near.
            let inputs = self.definition.inputs.iter().flat_map(|input| &input.names);
            let inputs: BTreeSet<&str> = inputs.map(|input| input.text.as_str()).collect();
            candidates.retain(|name| !self.assignments.contains_key(name) && !inputs.contains(name));
            if nearest(name, &mut candidates).is_none() {
                // One declaration puts all its uses right.
                if self.told.insert(name) {
                    let ty = self.guess(assignment);
                    let (place, others) = match body.locals.last() {
                        Some(last) => (Span { start: last.ty.span.end, ..last.ty.span }, true),
                        None => (Span { end: body.span.start, ..body.span }, false),
                    };
                    let finding = messages::missing_declaration(name, span, ty.as_deref(), place, others);
                    self.report.add(finding);
                }
                return;
            }
        }
        let near = nearest(name, &mut candidates);
        self.report.add(messages::undeclared_variable(name, span, near));
    }

    /// The type that a variable would have that is wholly given the value of an equation: that of the first variable in it.
    fn guess(&self, assignment: &Assignment) -> Option<String> {
        let mut value = &assignment.value;
        loop {
            value = match &value.kind {
                ExpressionKind::Reference(found) if found.selections.is_empty() => {
                    let alone = assignment.targets.iter().all(|t| t.selections.is_empty())
                        && assignment.targets.len() == 1;
                    let all = self.definition.inputs.iter().chain(&self.definition.outputs);
                    let all = all.chain(self.body.iter().flat_map(|body| &body.locals));
                    let is_it =
                        |one: &&Declaration| one.names.iter().any(|name| name.text == found.name.text);
                    return all.into_iter().find(is_it).filter(|_| alone).and_then(|one| spelled(&one.ty));
                }
                ExpressionKind::Binary(_, left, _) => left,
                ExpressionKind::Not(operand) | ExpressionKind::Shift(_, operand, _) => operand,
                _ => return None,
            };
        }
    }

    fn equations(&mut self, equations: &'p [Equation]) {
        for equation in equations {
            match equation {
                Equation::Assign(assignment) => {
                    for target in &assignment.targets {
                        self.target(target);
                        if assignment.operator.is_some() {
                            self.read.insert(target.name.text.as_str());
                        }
                    }
                    self.expression(&assignment.value, 0);
                }
                Equation::Forall(forall) => {
                    self.loop_attributes(forall);
                    self.static_expression(&forall.start, 0);
                    self.static_expression(&forall.stop, 0);
                    let name = &forall.variable;
                    let outer = self.loops.iter().rev().find(|outer| outer.text == name.text);
                    let outer = outer.map(|outer| outer.span);
                    let hidden =
                        outer.or_else(|| self.declared.get(name.text.as_str()).map(|&(_, span)| span));
                    if let Some(hidden) = hidden {
                        self.report.add(messages::hidden_variable(name, hidden));
                    }
                    self.loops.push(name);
                    self.equations(&forall.body);
                    self.loops.pop();
                }
                Equation::If(choice) => self.choice(choice),
                Equation::Accept(accept) => {
                    self.expression(&accept.left, 0);
                    self.expression(&accept.right, 0);
                }
            }
        }
    }

    fn loop_attributes(&mut self, forall: &ast::Forall) {
        let place = |wanted: LoopAttributeKind| {
            forall
                .attributes
                .iter()
                .find(|attribute| attribute.kind == wanted)
                .map(|attribute| attribute.span)
        };
        if let (Some(one), Some(other)) =
            (place(LoopAttributeKind::Unroll), place(LoopAttributeKind::NoUnroll))
        {
            let (first, second) = if one.start < other.start { (one, other) } else { (other, one) };
            self.report.add(messages::contradictory_attributes(second, first));
        }
        if let Some(span) = place(LoopAttributeKind::Pipelined) {
            self.report.add(messages::pipelined(span));
        }
    }

    fn target(&mut self, target: &'p Reference) {
        match self.meaning(&target.name.text) {
            None => self.undeclared(&target.name.text, target.name.span),
            Some(Kind::Nat) => self.report.add(messages::nat_assigned(&target.name)),
            Some(Kind::Word) if !self.declared.contains_key(target.name.text.as_str()) => {
                self.report.add(messages::constant_assigned(&target.name));
            }
            Some(Kind::Word) => {}
        }
        self.selections(target);
    }

    fn selections(&mut self, reference: &'p Reference) {
        for selection in &reference.selections {
            self.selection(selection);
        }
    }

    fn selection(&mut self, selection: &'p Selection) {
        match selection {
            Selection::Index(index) => self.static_expression(index, 0),
            Selection::Range(from, to) | Selection::HalfOpen(from, to) => {
                self.static_expression(from, 0);
                self.static_expression(to, 0);
            }
            Selection::Slice(indices) => {
                for index in indices {
                    self.static_expression(index, 0);
                }
            }
        }
    }

    fn static_expression(&mut self, expression: &'p Static, depth: u32) {
        if depth > MAX_DEPTH {
            self.report.add(messages::too_deep(expression.span));
            return;
        }
        match &expression.kind {
            StaticKind::Integer(_) => {}
            StaticKind::Name(name) => match self.meaning(name) {
                Some(Kind::Nat) => {
                    self.see(name);
                }
                Some(Kind::Word) => self.report.add(messages::not_static(name, expression.span)),
                None => self.undeclared(name, expression.span),
            },
            StaticKind::Binary(_, left, right) => {
                self.static_expression(left, depth + 1);
                self.static_expression(right, depth + 1);
            }
            StaticKind::Apply(_, arguments) => {
                for argument in arguments {
                    self.static_expression(argument, depth + 1);
                }
            }
        }
    }

    fn reference(&mut self, reference: &'p Reference) {
        match self.meaning(&reference.name.text) {
            None => self.undeclared(&reference.name.text, reference.name.span),
            Some(Kind::Nat) if !reference.selections.is_empty() => {
                self.report.add(messages::nat_indexed(&reference.name));
            }
            Some(_) => {
                self.see(&reference.name.text);
            }
        }
        self.selections(reference);
    }

    fn expression(&mut self, expression: &'p Expression, depth: u32) {
        if depth > MAX_DEPTH {
            self.report.add(messages::too_deep(expression.span));
            return;
        }
        match &expression.kind {
            ExpressionKind::Constant(..) | ExpressionKind::Error => {}
            ExpressionKind::Reference(reference) | ExpressionKind::Shuffle(reference, _) => {
                self.reference(reference);
            }
            ExpressionKind::Tuple(parts) | ExpressionKind::Concatenate(parts) => {
                for part in parts {
                    self.expression(part, depth + 1);
                }
            }
            ExpressionKind::Cast(cast) => self.cast(cast, depth),
            ExpressionKind::Call { callee, element: None, .. }
                if ast::StaticFunction::named(&callee.text).is_some()
                    && !self.definitions.contains_key(callee.text.as_str()) =>
            {
                self.public_number(expression, depth + 1);
            }
            ExpressionKind::Not(operand) => self.expression(operand, depth + 1),
            ExpressionKind::Binary(_, left, right) | ExpressionKind::Pack(left, right, _) => {
                self.expression(left, depth + 1);
                self.expression(right, depth + 1);
            }
            ExpressionKind::Shift(_, operand, amount) | ExpressionKind::Bitmask(operand, amount) => {
                self.expression(operand, depth + 1);
                self.static_expression(amount, 0);
            }
            ExpressionKind::Call { callee, element, arguments } => {
                let cipher = self.callee(callee, element.as_ref(), arguments.len());
                if let Some(element) = element.as_ref().filter(|_| !cipher) {
                    self.static_expression(element, 0);
                }
                for argument in arguments {
                    self.expression(argument, depth + 1);
                }
            }
        }
    }

    /// Checks what a call calls. Returns whether what stands in its angle brackets is a cipher.
    fn callee(&mut self, callee: &Name, element: Option<&Static>, arguments: usize) -> bool {
        if BUILTINS.contains(&callee.text.as_str()) {
            if callee.text != "refresh" {
                self.report.add(messages::reserved_call(callee));
            } else if element.is_some() || arguments != 1 {
                self.report.add(messages::refresh_arguments(callee));
            }
            return false;
        }
        if let Some((cipher, role)) = callee.text.split_once('.') {
            let own = self.definition.cipher.as_ref().is_some_and(|own| own.text == cipher);
            if !own {
                self.report.add(messages::no_cipher_parameter(callee.span, cipher));
            } else if !super::public::ROLES.contains(&role) {
                self.report.add(messages::unknown_member(callee));
            }
            return false;
        }
        let found = self.definitions.get(callee.text.as_str()).copied();
        let Some((found, definition)) =
            found.and_then(|found| Some((found, self.program.definitions.get(found)?)))
        else {
            let mut candidates: Vec<&str> =
                self.program.definitions.iter().take(self.index).map(|d| d.name.text.as_str()).collect();
            let near = nearest(&callee.text, &mut candidates);
            self.report.add(messages::undeclared_definition(callee, near));
            return false;
        };
        if found >= self.index {
            self.report.add(messages::forward_call(callee, &definition.name, found == self.index));
            return false;
        }
        if let Some(parameter) = &definition.cipher {
            self.cipher_argument(callee, element, parameter);
            self.callees.insert(found);
            return true;
        }
        match (definition.array, element) {
            (true, None) => self.report.add(messages::array_without_element(callee, &definition.name)),
            (false, Some(element)) => {
                self.report.add(messages::element_of_plain(callee, element.span, &definition.name));
            }
            _ => {}
        }
        self.callees.insert(found);
        false
    }

    /// What a call passes for a cipher parameter: the caller's own, or a cipher of the program.
    fn cipher_argument(&mut self, callee: &Name, element: Option<&Static>, parameter: &Name) {
        let name = match element.map(|element| &element.kind) {
            Some(StaticKind::Name(name)) => name.as_str(),
            _ => "",
        };
        let own = self.definition.cipher.as_ref();
        let known = own.is_some_and(|own| own.text == name)
            || self.program.ciphers.iter().any(|cipher| cipher.name.text == name);
        if !known {
            let span = element.map_or(callee.span, |element| element.span);
            let own = own.map(|own| own.text.as_str());
            self.report.add(messages::unbound_cipher(span, callee, parameter, own));
        }
    }
}

/// Calls `see` for the name of every callee in an expression.
fn calls<'e>(expression: &'e Expression, see: &mut dyn FnMut(&'e Name)) {
    match &expression.kind {
        ExpressionKind::Constant(..)
        | ExpressionKind::Reference(_)
        | ExpressionKind::Shuffle(..)
        | ExpressionKind::Error => {}
        ExpressionKind::Tuple(parts) | ExpressionKind::Concatenate(parts) => {
            parts.iter().for_each(|part| calls(part, see));
        }
        ExpressionKind::Not(operand)
        | ExpressionKind::Shift(_, operand, _)
        | ExpressionKind::Bitmask(operand, _) => calls(operand, see),
        ExpressionKind::Binary(_, left, right) | ExpressionKind::Pack(left, right, _) => {
            calls(left, see);
            calls(right, see);
        }
        ExpressionKind::Call { callee, arguments, .. } => {
            see(callee);
            arguments.iter().for_each(|argument| calls(argument, see));
        }
        ExpressionKind::Cast(cast) => {
            see(&cast.name);
            cast.arguments.iter().for_each(|argument| calls(argument, see));
        }
    }
}
