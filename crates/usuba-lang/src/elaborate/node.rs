//! The body of a node: variables, assignments, loops.

use super::assignment::{Ledger, Manner, Remark};
use super::types::{
    self, Declared, DeclaredType, Direction, DirectionTerm, Disagreement, Interface, SizeTerm, Width, Word,
    WordType,
};
use super::unify::{Conflict, Unifier};
use super::{ASSIGNMENT, BUDGET, Key, Session, attributes, messages, statics};
use crate::ast::{self, Equation, LoopAttributeKind};
use crate::source::Span;
use crate::typed::{self, Expression, Slot, Step, Use, VariableId};
use std::collections::HashMap;

/// A variable while its body is elaborated.
#[derive(Clone, Debug)]
pub(super) struct Local<'p> {
    pub(super) name: &'p ast::Name,
    /// Dimensions in words.
    pub(super) dimensions: Vec<u32>,
    pub(super) words: u32,
    pub(super) word: Word,
    /// Atoms per word: its bits where atoms are bits, else 1.
    pub(super) atoms_per_word: u32,
    pub(super) constant: bool,
    pub(super) uniform: bool,
}

/// What a name declared by the definition denotes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding {
    Variable(VariableId),
    Nat(i64),
}

/// An enclosing loop at one of its values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'p> {
    pub(super) variable: &'p str,
    pub(super) value: i64,
    pub(super) first: bool,
    pub(super) span: Span,
}

/// An expression with the type of each of its words.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) expression: Expression,
    pub(super) words: Vec<Word>,
}

/// One elaboration of one body.
pub(super) struct Body<'p, 's> {
    pub(super) session: &'s mut Session<'p>,
    pub(super) interface: &'s Interface<'p>,
    pub(super) definition: usize,
    definition_name: &'p ast::Name,
    /// The cipher parameter with what it is bound to.
    pub(super) cipher: Option<(&'p ast::Name, usize)>,
    /// Atoms are words even if the program is elaborated in bits: to find sizes out.
    pub(super) words_only: bool,
    /// Nothing is made, but sizes are found out.
    pub(super) inferring: bool,
    pub(super) variables: Vec<Local<'p>>,
    names: HashMap<&'p str, Binding>,
    pub(super) loops: Vec<Frame<'p>>,
    pub(super) unifier: Unifier,
    pub(super) sizes: Vec<Width>,
    pub(super) directions: Vec<Direction>,
    pub(super) ledger: Ledger,
}

/// What is known of the variables of sizes and directions before a body is elaborated, or after.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Bindings {
    sizes: Vec<Option<u32>>,
    directions: Vec<Option<Direction>>,
}

/// Elaborates a node for one binding of its parameters. In generic checking, errors are reported and `None` returned.
pub(super) fn instance<'p>(
    session: &mut Session<'p>,
    definition: &'p ast::Definition,
    interface: &Interface<'p>,
    body: &'p ast::NodeBody,
    key: &Key,
) -> Option<typed::Instance> {
    let mut bindings = Bindings { sizes: key.sizes.clone(), directions: key.directions.clone() };
    bindings.sizes.resize(interface.variables.sizes.len(), None);
    bindings.directions.resize(interface.variables.directions.len(), None);
    if session.generic {
        let found = run(session, definition, interface, body, key, &bindings, false);
        return found.and_then(|(instance, _)| instance);
    }
    if bindings.sizes.contains(&None) {
        // Where atoms are bits the words may not fit together where the bits do: what is found out counts, what is amiss will
        // be found again.
        let muted = session.bits() && session.report.mute(true);
        let found = run(session, definition, interface, body, key, &bindings, true);
        if session.bits() {
            session.report.mute(muted);
        }
        if let Some((_, found)) = found {
            bindings.sizes = found.sizes;
        }
        let open = interface.variables.sizes.iter().zip(&bindings.sizes).find(|(_, bits)| bits.is_none());
        if let Some(((name, &span), _)) = open {
            session.report.add(messages::open_word(&definition.name, name, span));
            return None;
        }
        if session.report.has_errors() {
            return None;
        }
    }
    // A direction that the body fixes after some call was made with it open must be known from the start. Every round
    // binds at least one more variable.
    loop {
        let (instance, found) = run(session, definition, interface, body, key, &bindings, false)?;
        if found.directions == bindings.directions {
            return instance;
        }
        bindings.directions = found.directions;
    }
}

fn run<'p>(
    session: &mut Session<'p>,
    definition: &'p ast::Definition,
    interface: &Interface<'p>,
    body: &'p ast::NodeBody,
    key: &Key,
    bindings: &Bindings,
    inferring: bool,
) -> Option<(Option<typed::Instance>, Bindings)> {
    let before = session.report.failures();
    let mut run = Body {
        session,
        interface,
        definition: key.definition,
        definition_name: &definition.name,
        cipher: definition.cipher.as_ref().zip(key.scale.cipher),
        words_only: inferring,
        inferring,
        variables: Vec::new(),
        names: HashMap::new(),
        loops: Vec::new(),
        unifier: Unifier::default(),
        sizes: Vec::new(),
        directions: Vec::new(),
        ledger: Ledger::default(),
    };
    run.bind(bindings);
    let empty = Vec::new();
    let locals = interface.locals.get(key.element).unwrap_or(&empty);
    let mut nats = key.scale.nats.iter().copied();
    let mut inputs = Vec::new();
    for declared in &interface.inputs {
        match &declared.ty {
            DeclaredType::Nat => {
                run.names.insert(&declared.name.text, Binding::Nat(nats.next().unwrap_or(0)));
            }
            DeclaredType::Words(ty) => inputs.push(run.declare(declared, ty, true)?),
        }
    }
    let mut outputs = Vec::new();
    for declared in &interface.outputs {
        if let DeclaredType::Words(ty) = &declared.ty {
            outputs.push(run.declare(declared, ty, false)?);
        }
    }
    for declared in locals {
        if let DeclaredType::Words(ty) = &declared.ty {
            run.declare(declared, ty, false)?;
        }
    }
    let mut steps = run.equations(&body.equations);
    let mut results = Vec::new();
    // An equation that failed defines its targets all the same, but one that the parser lost cannot.
    if contains_errors(&body.equations) {
        run.session.report.note_failure();
        return None;
    }
    for &output in &outputs {
        match run.ledger.results(output) {
            Ok(definitions) => results.push(definitions),
            // What was not reached is not missing.
            Err(_) if run.session.exhausted => return None,
            Err(missing) => run.undefined_output(output, &missing),
        }
    }
    let variables = &run.variables;
    let order = run.ledger.resolve(&mut steps, &|slot| spell(variables, slot), &mut run.session.report);
    if run.session.exhausted {
        return None;
    }
    Some(run.finish(definition, before, inputs, outputs, steps, order, results))
}

/// Whether the parser skipped something among `equations`.
fn contains_errors(equations: &[Equation]) -> bool {
    equations.iter().any(|equation| match equation {
        Equation::Assign(assignment) => matches!(assignment.value.kind, ast::ExpressionKind::Error),
        Equation::Forall(forall) => contains_errors(&forall.body),
        Equation::If(choice) => contains_errors(&choice.then) || contains_errors(&choice.otherwise),
        Equation::Accept(_) => false,
    }) || equations.is_empty()
}

/// Whether an expression is a plain `0`, which as a whole right side is as many zeros as the left side wants.
fn is_zero(e: &ast::Expression) -> bool {
    matches!(&e.kind, ast::ExpressionKind::Constant(integer, None) if integer.value.bits() == 0)
}

/// `x[1][2]` of an atom.
pub(super) fn spell(variables: &[Local<'_>], slot: Slot) -> String {
    let Some(local) = variables.get(slot.variable.0 as usize) else { return String::new() };
    let mut dimensions = local.dimensions.clone();
    if local.atoms_per_word > 1 {
        dimensions.push(local.atoms_per_word);
    }
    let mut indices = Vec::new();
    let mut rest = slot.atom;
    for dimension in dimensions.iter().rev() {
        indices.push(rest % dimension);
        rest /= dimension;
    }
    let indices: String = indices.iter().rev().map(|index| format!("[{index}]")).collect();
    format!("{}{indices}", local.name.text)
}

impl<'p> Body<'p, '_> {
    /// Whether words are their bits.
    pub(super) fn bits(&self) -> bool {
        self.session.bits() && !self.words_only
    }

    fn bind(&mut self, bindings: &Bindings) {
        for bits in &bindings.sizes {
            let width = match bits {
                Some(bits) => Width::Chosen(*bits),
                None => self.unifier.fresh_width(),
            };
            self.sizes.push(width);
        }
        self.unifier.own_widths_end_here();
        for direction in &bindings.directions {
            let direction = direction.unwrap_or_else(|| self.unifier.fresh_direction());
            self.directions.push(direction);
        }
    }

    fn bindings(&self) -> Bindings {
        let sizes = self.sizes.iter().map(|&width| self.unifier.width(width).bits()).collect();
        let directions = self.directions.iter().map(|&direction| match self.unifier.direction(direction) {
            Direction::Variable(_) => None,
            known => Some(known),
        });
        Bindings { sizes, directions: directions.collect() }
    }

    /// The word that a declared type is made of.
    pub(super) fn word_of(&self, size: SizeTerm, direction: DirectionTerm) -> Word {
        let width = match size {
            SizeTerm::Bits(bits) => Width::Bits(bits),
            SizeTerm::Variable(index) => self.sizes.get(index).copied().unwrap_or(Width::Bits(1)),
        };
        let direction = match direction {
            DirectionTerm::V => Direction::V,
            DirectionTerm::H => Direction::H,
            DirectionTerm::B => Direction::B,
            DirectionTerm::Packed(words) => Direction::Packed(words),
            DirectionTerm::Variable(index) => self.directions.get(index).copied().unwrap_or(Direction::B),
        };
        Word { width, direction }
    }

    fn declare(&mut self, declared: &Declared<'p>, ty: &WordType, input: bool) -> Option<VariableId> {
        let word = self.word_of(ty.size, ty.direction);
        let atoms_per_word = if self.bits() { word.width.bits()? } else { 1 };
        let atoms = ty.words.checked_mul(atoms_per_word)?;
        self.charge_at(atoms as usize, declared.name.span)?;
        let id = VariableId(self.variables.len() as u32);
        self.variables.push(Local {
            name: declared.name,
            dimensions: ty.dimensions.clone(),
            words: ty.words,
            word,
            atoms_per_word,
            constant: declared.constant.is_some(),
            uniform: declared.uniform.is_some(),
        });
        self.names.insert(&declared.name.text, Binding::Variable(id));
        self.ledger.declare(atoms, input);
        Some(id)
    }

    /// What a name denotes that is no loop variable.
    pub(super) fn binding(&self, name: &str) -> Option<Binding> {
        self.names.get(name).copied()
    }

    /// The value of a loop variable or another public number.
    pub(super) fn nat(&self, name: &str) -> Option<i64> {
        if let Some(frame) = self.loops.iter().rev().find(|frame| frame.variable == name) {
            return Some(frame.value);
        }
        match self.names.get(name) {
            Some(Binding::Nat(value)) => Some(*value),
            Some(Binding::Variable(_)) => None,
            None => self.interface.numbers.get(name).copied(),
        }
    }

    /// Evaluates a static expression, or reports why it has no value.
    pub(super) fn static_value(&mut self, expression: &ast::Static) -> Option<i64> {
        let result = statics::evaluate(expression, &|name| self.nat(name));
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                // An unknown name has been reported with the names.
                if !matches!(error.kind, statics::StaticErrorKind::Unknown(_)) {
                    let note = self.iteration_of(expression);
                    self.report(messages::static_error(&error), note);
                }
                None
            }
        }
    }

    /// Reports a finding, with the values of the loop variables if `note` is not empty.
    pub(super) fn report(&mut self, mut diagnostic: crate::diagnostic::Diagnostic, note: String) {
        diagnostic.message.push_str(&note);
        self.session.report.add(diagnostic);
    }

    /// Reports a finding that need not be there in all iterations: the values of the loop variables are mentioned
    /// unless it is found in the very first iteration, where they are no news.
    pub(super) fn report_here(&mut self, diagnostic: crate::diagnostic::Diagnostic) {
        let note = if self.loops.iter().all(|frame| frame.first) { String::new() } else { self.iteration() };
        self.report(diagnostic, note);
    }

    /// ` when i = 3 and j = 0`.
    fn iteration(&self) -> String {
        let values: Vec<String> =
            self.loops.iter().map(|frame| format!("{} = {}", frame.variable, frame.value)).collect();
        if values.is_empty() { String::new() } else { format!(" when {}", values.join(" and ")) }
    }

    /// The same, if `expression` depends on it.
    pub(super) fn iteration_of(&self, expression: &ast::Static) -> String {
        if statics::mentions_name(expression) { self.iteration() } else { String::new() }
    }

    /// The same, if one of two bounds depends on it.
    pub(super) fn iteration_of_both(&self, from: &ast::Static, to: &ast::Static) -> String {
        let note = self.iteration_of(from);
        if note.is_empty() { self.iteration_of(to) } else { note }
    }

    /// Counts atoms against the budget, on the account of the innermost loop.
    pub(super) fn charge(&mut self, atoms: usize) -> Option<()> {
        let (place, is_loop) = match self.loops.last() {
            Some(frame) => (frame.span, true),
            None => (self.definition_name.span, false),
        };
        self.session.charge(atoms, place, is_loop).then_some(())
    }

    pub(super) fn charge_at(&mut self, atoms: usize, place: Span) -> Option<()> {
        self.session.charge(atoms, place, false).then_some(())
    }

    /// The type of words, for messages.
    pub(super) fn describe(&self, words: &[Word]) -> String {
        let words: Vec<Word> = words.iter().map(|&word| self.unifier.word(word)).collect();
        types::describe(&words, &|width| self.size_name(width), false)
    }

    /// The types of two lists of words that disagree, with directions if these are the reason.
    pub(super) fn describe_both(
        &self,
        left: &[Word],
        right: &[Word],
        disagreement: Disagreement,
    ) -> (String, String) {
        let directed = matches!(disagreement, Disagreement::Direction(_));
        let describe = |words: &[Word]| {
            let words: Vec<Word> = words.iter().map(|&word| self.unifier.word(word)).collect();
            types::describe(&words, &|width| self.size_name(width), directed)
        };
        (describe(left), describe(right))
    }

    fn size_name(&self, width: Width) -> String {
        let names = self.interface.variables.sizes.keys();
        let named = names.zip(&self.sizes).find(|&(_, &own)| self.unifier.width(own) == width);
        named.map_or("'?".to_string(), |(name, _)| format!("'{name}"))
    }

    /// Makes two lists of words equal: word by word, or where atoms are bits at least in the number of bits.
    pub(super) fn agree(&mut self, left: &[Word], right: &[Word]) -> Result<(), Disagreement> {
        if self.bits() {
            return if bit_count(left) == bit_count(right) { Ok(()) } else { Err(Disagreement::Bits) };
        }
        if left.len() != right.len() {
            let sliced = bit_count(left).is_some() && bit_count(left) == bit_count(right);
            return Err(if sliced { Disagreement::LengthButNotBits } else { Disagreement::Length });
        }
        for (position, (&l, &r)) in left.iter().zip(right).enumerate() {
            match self.unifier.unify_word(l, r) {
                Ok(()) => {}
                Err(Conflict::Width) => return Err(Disagreement::Width(position)),
                Err(Conflict::Direction) => return Err(Disagreement::Direction(position)),
            }
        }
        Ok(())
    }

    pub(super) fn equations(&mut self, equations: &'p [Equation]) -> Vec<Step> {
        let mut steps = Vec::new();
        for equation in equations {
            if self.session.exhausted {
                break;
            }
            match equation {
                Equation::Assign(assignment) => {
                    let assignment = self.assignment(assignment).filter(|_| self.keeps());
                    steps.extend(assignment.map(Step::Assign));
                }
                Equation::Forall(forall) => {
                    if let Some(one) = self.forall(forall).filter(|one| !one.values.is_empty()) {
                        steps.push(Step::Loop(one));
                    }
                }
                Equation::If(choice) => steps.extend(self.choice(choice)),
                Equation::Accept(accept) => {
                    let accept = self.accept(accept).filter(|_| self.keeps());
                    steps.extend(accept.map(Step::Assign));
                }
            }
        }
        steps
    }

    /// Whether the typed equations are wanted: for the program, or to find an order of evaluation.
    fn keeps(&self) -> bool {
        !self.inferring
    }

    fn forall(&mut self, forall: &'p ast::Forall) -> Option<typed::Loop> {
        let start = self.static_value(&forall.start);
        let stop = self.static_value(&forall.stop);
        let (start, stop) = (start?, stop?);
        let unroll = forall.attributes.iter().fold(typed::Unroll::Auto, |unroll, a| match a.kind {
            LoopAttributeKind::Unroll => typed::Unroll::Always,
            LoopAttributeKind::NoUnroll => typed::Unroll::Never,
            LoopAttributeKind::Pipelined => unroll,
        });
        if start.abs_diff(stop) > BUDGET {
            self.session.charge(usize::MAX, forall.span, true);
            return None;
        }
        let mut values = Vec::new();
        let mut iterations = Vec::new();
        let mut value = start;
        let stop = if forall.half_open { stop.saturating_sub(1) } else { stop };
        while !forall.half_open || value <= stop {
            self.loops.push(Frame {
                variable: &forall.variable.text,
                value,
                first: value == start,
                span: forall.span,
            });
            let steps = self.charge(ASSIGNMENT).map(|()| self.equations(&forall.body));
            self.loops.pop();
            iterations.push(steps?);
            values.push(value);
            if value == stop || self.session.exhausted {
                break;
            }
            value += if start < stop { 1 } else { -1 };
        }
        Some(typed::Loop {
            variable: forall.variable.text.clone(),
            span: forall.span,
            unroll,
            values,
            iterations,
        })
    }

    fn assignment(&mut self, assignment: &'p ast::Assignment) -> Option<typed::Assignment> {
        self.charge(ASSIGNMENT)?;
        let mut slots = Vec::new();
        let mut words = Vec::new();
        let mut known = true;
        for target in &assignment.targets {
            match self.select(target) {
                Some(selected) => {
                    slots.extend(
                        selected.atoms.iter().map(|&atom| Slot { variable: selected.variable, atom }),
                    );
                    words.extend(selected.words);
                }
                None => {
                    known = false;
                    self.forgive(target);
                }
            }
        }
        let value = self.assigned_value(assignment, &slots, known.then_some(words.as_slice()));
        let manner = if assignment.imperative { Manner::Update } else { Manner::Equation };
        let id = self.ledger.assignment();
        // Even if its value is wrong: its targets have a definition, so that no use of them is reported.
        let remark = self.ledger.define(&slots, manner, assignment.span);
        match remark {
            None => {}
            Some(Remark::Redefinition { of_input, first }) => {
                let finding = messages::redefinition(assignment, of_input, first);
                self.report_here(finding);
            }
            Some(Remark::UpdateOfNothing) => self.report_here(messages::update_of_nothing(assignment)),
            Some(Remark::Twice) => self.report_here(messages::twice_on_the_left(assignment)),
        }
        let value = value?;
        known.then_some(typed::Assignment { id, span: assignment.span, targets: slots, value })
    }

    /// A target that cannot be made out may be any atom of its variable: none of them counts as undefined any more.
    fn forgive(&mut self, target: &ast::Reference) {
        if let Some(Binding::Variable(variable)) = self.binding(&target.name.text) {
            self.ledger.forgive(variable);
        }
    }

    fn assigned_value(
        &mut self,
        assignment: &'p ast::Assignment,
        slots: &[Slot],
        expected: Option<&[Word]>,
    ) -> Option<Expression> {
        let value = match (assignment.operator, expected) {
            (Some(op), Some(words)) => {
                let span = assignment.targets.iter().fold(assignment.span, |s, _| s);
                let uses: Vec<Use> = slots.iter().map(|&slot| self.ledger.read(slot, span)).collect();
                let expression = Expression { kind: typed::ExpressionKind::Atoms(uses), span };
                let left = Value { expression, words: words.to_vec() };
                let right = self.expression(&assignment.value, Some(words))?;
                self.combine(op, left, right, assignment.span)?
            }
            (None, Some(words)) if is_zero(&assignment.value) && words.len() != 1 => {
                self.zeros(words, assignment.value.span)?
            }
            _ => self.expression(&assignment.value, expected)?,
        };
        let expected = expected?;
        if let Err(disagreement) = self.agree(expected, &value.words) {
            let (left, right) = self.describe_both(expected, &value.words, disagreement);
            self.report_here(messages::sides_differ(assignment, &left, &right, disagreement));
            return None;
        }
        Some(value.expression)
    }

    fn undefined_output(&mut self, output: VariableId, missing: &[u32]) {
        let Some(local) = self.variables.get(output.0 as usize) else { return };
        let all = missing.len() as u32 == local.words * local.atoms_per_word;
        let examples: Vec<String> = missing
            .iter()
            .take(3)
            .map(|&atom| spell(&self.variables, Slot { variable: output, atom }))
            .collect();
        let finding = messages::undefined_output(local.name, all, &examples, missing.len());
        self.session.report.add(finding);
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of an instance, made in one place")]
    fn finish(
        self,
        definition: &ast::Definition,
        before: usize,
        inputs: Vec<VariableId>,
        outputs: Vec<VariableId>,
        steps: Vec<Step>,
        order: Option<Vec<typed::AssignmentId>>,
        results: Vec<Vec<typed::Definition>>,
    ) -> (Option<typed::Instance>, Bindings) {
        let bindings = self.bindings();
        if self.inferring || self.session.generic || self.session.report.failures() > before {
            return (None, bindings);
        }
        let variables = self.variables.iter().map(|local| self.variable(local)).collect::<Option<Vec<_>>>();
        let instance = variables.map(|variables| typed::Instance {
            name: definition.name.text.clone(),
            symbol: String::new(),

            span: definition.span,
            attributes: attributes(definition),
            variables,
            inputs,
            outputs,
            body: typed::Body::Equations(typed::Equations {
                steps,
                count: self.ledger.count(),
                order,
                results,
            }),
        });
        (instance, bindings)
    }

    fn variable(&self, local: &Local<'_>) -> Option<typed::Variable> {
        let word = self.unifier.word(local.word);
        variable(
            local.name,
            &local.dimensions,
            word.width.bits()?,
            word.direction,
            (local.constant, local.uniform),
            self.bits(),
        )
    }
}

/// A typed variable; where atoms are bits the bits of its words become the innermost dimension.
pub(super) fn variable(
    name: &ast::Name,
    dimensions: &[u32],
    word: u32,
    direction: Direction,
    (constant, uniform): (bool, bool),
    bits: bool,
) -> Option<typed::Variable> {
    let mut shape = dimensions.to_vec();
    if bits && word > 1 {
        shape.push(word);
    }
    let width = if bits { 1 } else { word };
    let direction = match direction {
        _ if width == 1 => typed::Direction::Free,
        Direction::V => typed::Direction::V,
        Direction::H => typed::Direction::H,
        Direction::B => typed::Direction::B,
        Direction::Packed(words) => typed::Direction::Packed(words),
        Direction::Variable(_) => typed::Direction::Free,
    };
    Some(typed::Variable {
        name: name.text.clone(),
        span: name.span,
        shape,
        width,
        word,
        direction,
        constant,
        uniform,
    })
}

/// The number of bits in `words`, if their sizes are known.
pub(super) fn bit_count(words: &[Word]) -> Option<u64> {
    words.iter().map(|word| word.width.bits().map(u64::from)).sum()
}
