//! Calls: arguments matched with parameters, `nat` values split off, the callee's sizes and directions bound.

use super::constants::{flatten, has_untyped};
use super::node::{Body, Value, bit_count};
use super::public::{self, Scale, Unsolved};
use super::types::{DeclaredType, Direction, DirectionTerm, Interface, SizeTerm, Width, Word};
use super::{Key, elements, generic_key, messages, statics};
use crate::ast::{self, Name};
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind, InstanceId};

/// A callee's size and direction variables, as variables of the caller.
struct Binding {
    sizes: Vec<Width>,
    directions: Vec<Direction>,
}

impl Binding {
    /// The words of declared parameters or results.
    fn words(&self, ty: &super::types::WordType) -> impl Iterator<Item = Word> {
        let width = match ty.size {
            SizeTerm::Bits(bits) => Width::Bits(bits),
            SizeTerm::Variable(index) => self.sizes.get(index).copied().unwrap_or(Width::Bits(1)),
        };
        let direction = match ty.direction {
            DirectionTerm::V => Direction::V,
            DirectionTerm::H => Direction::H,
            DirectionTerm::B => Direction::B,
            DirectionTerm::Packed(words) => Direction::Packed(words),
            DirectionTerm::Variable(index) => self.directions.get(index).copied().unwrap_or(Direction::B),
        };
        std::iter::repeat_n(Word { width, direction }, ty.words as usize)
    }

    fn all(&self, declared: &[super::types::Declared<'_>]) -> Vec<Word> {
        let types = declared.iter().filter_map(|d| match &d.ty {
            DeclaredType::Words(ty) => Some(ty),
            DeclaredType::Nat => None,
        });
        types.flat_map(|ty| self.words(ty)).collect()
    }
}

/// The definition that a call means.
struct Callee<'c, 'p> {
    name: &'c Name,
    index: usize,
    definition: &'p ast::Definition,
    element: usize,
    cipher: Option<usize>,
}

impl<'p> Body<'p, '_> {
    /// `f(..)`, `f<e>(..)`, `refresh(e)`.
    pub(super) fn call(
        &mut self,
        callee: &Name,
        element: Option<&ast::Static>,
        arguments: &[ast::Expression],
        expected: Option<&[Word]>,
        span: Span,
    ) -> Option<Value> {
        if callee.text == "refresh" {
            let value = self.expression(arguments.first()?, expected)?;
            let kind = ExpressionKind::Refresh(Box::new(value.expression));
            return Some(Value { expression: Expression { kind, span }, words: value.words });
        }
        let index = match callee.text.split_once('.') {
            None => self.session.definitions.get(callee.text.as_str()).copied(),
            Some((_, role)) => self.role(callee, role),
        };
        let index = index.filter(|&index| index < self.definition)?;
        let definition = self.session.program.definitions.get(index)?;
        let (cipher, element) = match (&definition.cipher, element) {
            (None, element) => (None, element),
            (Some(_), element) => (Some(self.bound_cipher(element)?), None),
        };
        let element = match element {
            None => Some(0),
            Some(written) => self.element(written, definition),
        };
        if self.session.profile(index).sized {
            let at = Callee { name: callee, index, definition, element: element?, cipher };
            return self.sized_call(&at, arguments, expected, span);
        }
        let Some(interface) = self.session.interface(index, &Scale::default()) else {
            self.session.report.note_failure();
            return None;
        };
        let (nats, words) = self.split(callee, &interface, arguments, span)?;
        let binding = Binding {
            sizes: (0..interface.visible_sizes).map(|_| self.unifier.fresh_width()).collect(),
            directions: (0..interface.visible_directions).map(|_| self.unifier.fresh_direction()).collect(),
        };
        let parameters = binding.all(&interface.inputs);
        let results = binding.all(&interface.outputs);
        self.charge(parameters.len() + results.len())?;
        // A constant needs its size now, and if no other argument can tell it, the result may.
        if words.iter().all(|argument| has_untyped(argument)) {
            self.bind_results(&results, expected);
        }
        let arguments = if words.is_empty() {
            Value {
                expression: Expression { kind: ExpressionKind::Tuple(Vec::new()), span },
                words: Vec::new(),
            }
        } else {
            self.tuple(&words, Some(&parameters), span)?
        };
        if self.bits() {
            self.bind_bits(&parameters, &arguments.words);
        }
        let parameters: Vec<Word> = parameters.iter().map(|&word| self.call_view(word)).collect();
        if let Err(disagreement) = self.agree(&parameters, &arguments.words) {
            self.arguments_differ(callee, definition, (&parameters, &arguments.words), disagreement, span);
            return None;
        }
        self.bind_results(&results, expected);
        let at = Callee { name: callee, index, definition, element: element?, cipher };
        let scale = Scale { nats, ..Scale::default() };
        let id = self.callee_instance(&at, scale, &interface, &binding, span)?;
        let results: Vec<Word> = results.iter().map(|&word| self.call_view(word)).collect();
        let kind = ExpressionKind::Call { callee: id, arguments: Box::new(arguments.expression) };
        Some(Value { expression: Expression { kind, span }, words: results })
    }

    /// The definition that plays a role of the cipher parameter.
    fn role(&mut self, callee: &Name, role: &str) -> Option<usize> {
        let (_, cipher) = self.cipher?;
        let bound = self.session.cipher(cipher);
        let Some(bound) = bound else {
            self.session.report.note_failure();
            return None;
        };
        let found = bound.roles.iter().find(|(known, _)| *known == role).map(|&(_, index)| index);
        let Some(found) = found else {
            let name = self.session.program.ciphers.get(cipher).map(|cipher| &cipher.name)?;
            self.report_here(messages::cipher_without_role(callee, role, name));
            return None;
        };
        if found >= self.definition {
            let name = &self.session.program.definitions.get(found)?.name;
            self.report_here(messages::forward_call(callee, name, false));
            return None;
        }
        Some(found)
    }

    /// The cipher that a call passes on: `f<C>(..)`.
    fn bound_cipher(&mut self, written: Option<&ast::Static>) -> Option<usize> {
        // What it may be has been checked with the names.
        let ast::StaticKind::Name(name) = &written?.kind else { return None };
        match self.cipher {
            Some((parameter, cipher)) if parameter.text == *name => Some(cipher),
            _ => self.session.program.ciphers.iter().position(|cipher| cipher.name.text == *name),
        }
    }

    fn arguments_differ(
        &mut self,
        callee: &Name,
        definition: &ast::Definition,
        (wanted, given): (&[Word], &[Word]),
        disagreement: super::types::Disagreement,
        span: Span,
    ) {
        let (wanted, given) = self.describe_both(wanted, given, disagreement);
        let own = self.cipher.filter(|_| callee.text.contains('.'));
        let name = own.map_or(&definition.name, |(parameter, _)| parameter);
        let finding = messages::arguments_differ(callee, name, span, &wanted, &given, disagreement);
        self.report_here(finding);
    }

    /// A call of a node whose sizes follow from its arguments.
    ///
    /// There is one argument for each parameter. Those that have a type by themselves come first; their sizes tell the
    /// lengths, and the lengths the types of the others.
    fn sized_call(
        &mut self,
        at: &Callee<'_, 'p>,
        arguments: &[ast::Expression],
        expected: Option<&[Word]>,
        span: Span,
    ) -> Option<Value> {
        let callee = at.name;
        let parameters: Vec<(&Name, bool)> = at
            .definition
            .inputs
            .iter()
            .flat_map(|d| d.names.iter().map(|name| (name, d.ty.base == ast::BaseType::Nat)))
            .collect();
        if parameters.len() != arguments.len() {
            self.report_here(messages::argument_count(callee, span, parameters.len(), arguments.len()));
            return None;
        }
        let mut nats = Vec::new();
        let mut values: Vec<Option<Value>> = Vec::new();
        let mut failed = false;
        for (argument, &(parameter, nat)) in arguments.iter().zip(&parameters) {
            let mut value = None;
            if nat {
                let number = self.nat_argument(argument, parameter);
                failed |= number.is_none();
                nats.extend(number);
            } else if !has_untyped(argument) {
                value = self.expression(argument, None);
                failed |= value.is_none();
            }
            values.push(value);
        }
        if failed {
            return None;
        }
        let scale = self.solve(at, nats, arguments, &values, span)?;
        let Some(interface) = self.session.interface(at.index, &scale) else {
            self.session.report.note_failure();
            return None;
        };
        let binding = Binding {
            sizes: (0..interface.visible_sizes).map(|_| self.unifier.fresh_width()).collect(),
            directions: (0..interface.visible_directions).map(|_| self.unifier.fresh_direction()).collect(),
        };
        let results = binding.all(&interface.outputs);
        let (mut wanted, mut given, mut expressions) = (Vec::new(), Vec::new(), Vec::new());
        for ((value, argument), declared) in values.into_iter().zip(arguments).zip(&interface.inputs) {
            let DeclaredType::Words(ty) = &declared.ty else { continue };
            let words: Vec<Word> = binding.words(ty).collect();
            let value = match value {
                Some(value) => value,
                None => self.tuple(&[argument], Some(&words), argument.span)?,
            };
            // Argument by argument, so that no difference of one makes up for that of another.
            if let Err(disagreement) = self.agree(&words, &value.words) {
                let (words, given) = (words.as_slice(), value.words.as_slice());
                self.arguments_differ(callee, at.definition, (words, given), disagreement, argument.span);
                return None;
            }
            wanted.extend(words);
            given.extend(value.words);
            expressions.push(value.expression);
        }
        self.charge(wanted.len() + results.len())?;
        self.bind_results(&results, expected);
        let id = self.callee_instance(at, scale, &interface, &binding, span)?;
        let results: Vec<Word> = results.iter().map(|&word| self.call_view(word)).collect();
        let arguments = Box::new(Expression { kind: ExpressionKind::Tuple(expressions), span });
        let kind = ExpressionKind::Call { callee: id, arguments };
        Some(Value { expression: Expression { kind, span }, words: results })
    }

    /// The public numbers of a callee, its lengths from the sizes of its arguments.
    fn solve(
        &mut self,
        at: &Callee<'_, 'p>,
        nats: Vec<i64>,
        arguments: &[ast::Expression],
        values: &[Option<Value>],
        span: Span,
    ) -> Option<Scale> {
        let known = self.session.known_numbers(at.definition, &nats, at.cipher)?;
        let counts: Vec<Option<u64>> =
            values.iter().map(|value| value.as_ref().map(|value| value.words.len() as u64)).collect();
        let profile = self.session.profile(at.index);
        match public::solve(at.definition, &profile, &known, &counts) {
            Ok(lengths) => Some(Scale { nats, lengths, cipher: at.cipher }),
            Err(Unsolved::Multiple { input, length, step }) => {
                let place = arguments.get(input).map_or(span, |argument| argument.span);
                let count = counts.get(input).copied().flatten().unwrap_or(0);
                let name = &at.definition.name;
                self.report_here(messages::length_does_not_fit(place, name, &length, count, step));
                None
            }
            Err(Unsolved::Open(length)) => {
                let &(length, place) = profile.lengths.get(length)?;
                self.report_here(messages::open_length(at.name, span, length, place));
                None
            }
        }
    }

    /// Where atoms are bits all sizes must be known by now for [`Body::agree`]; elsewhere the variables stay, so that later
    /// uses can still bind them.
    fn call_view(&self, word: Word) -> Word {
        if self.bits() { Word { width: self.unifier.width(word.width), ..word } } else { word }
    }

    fn element(&mut self, written: &ast::Static, definition: &ast::Definition) -> Option<usize> {
        let value = self.static_value(written)?;
        let count = elements(definition);
        match usize::try_from(value) {
            Ok(element) if element < count => Some(element),
            _ => {
                let note = self.iteration_of(written);
                let finding = messages::element_out_of_range(written.span, &definition.name, value, count);
                self.report(finding, note);
                None
            }
        }
    }

    /// Splits the arguments into the values of the `nat` parameters and the others.
    ///
    /// If there is one argument for each parameter, they correspond. Otherwise (several words given apart for one
    /// parameter, or one value for several) leading and trailing `nat` parameters take leading and trailing arguments,
    /// and failing that the arguments that are static by their form are the `nat` ones.
    fn split<'e>(
        &mut self,
        callee: &Name,
        interface: &Interface<'_>,
        arguments: &'e [ast::Expression],
        span: Span,
    ) -> Option<(Vec<i64>, Vec<&'e ast::Expression>)> {
        let given: Vec<&ast::Expression> = arguments.iter().collect();
        let is_nat: Vec<bool> =
            interface.inputs.iter().map(|input| matches!(input.ty, DeclaredType::Nat)).collect();
        let nats = is_nat.iter().filter(|&&nat| nat).count();
        if nats == 0 {
            return Some((Vec::new(), given));
        }
        let flat = flatten(&given);
        let (given, nat_at) = if given.len() == is_nat.len() {
            (given, is_nat)
        } else if flat.len() == is_nat.len() {
            (flat, is_nat)
        } else {
            let leading = is_nat.iter().take_while(|&&nat| nat).count();
            let trailing = is_nat.iter().rev().take_while(|&&nat| nat).count();
            let count = flat.len();
            let at: Vec<bool> = if leading + trailing == nats && count >= nats {
                (0..count).map(|i| i < leading || i >= count - trailing).collect()
            } else {
                let of_nats = |name: &str| self.nat(name).is_some();
                flat.iter().map(|e| is_static(e, &of_nats)).collect()
            };
            if at.iter().filter(|&&nat| nat).count() != nats {
                self.report_here(messages::nat_arguments(callee, span, nats));
                return None;
            }
            (flat, at)
        };
        let mut values = Vec::with_capacity(nats);
        let mut words = Vec::new();
        let mut names = interface.nats();
        let mut failed = false;
        for (argument, nat) in given.into_iter().zip(nat_at) {
            if !nat {
                words.push(argument);
                continue;
            }
            let parameter = names.next()?;
            match self.nat_argument(argument, parameter.name) {
                Some(value) => values.push(value),
                None => failed = true,
            }
        }
        (!failed).then_some((values, words))
    }

    fn nat_argument(&mut self, argument: &ast::Expression, parameter: &Name) -> Option<i64> {
        let of_nats = |name: &str| self.nat(name).is_some();
        let written = if is_static(argument, &of_nats) { statics::of_expression(argument) } else { None };
        let Some(written) = written else {
            self.report_here(messages::nat_argument_not_static(argument.span, parameter));
            return None;
        };
        let value = self.static_value(&written)?;
        if value < 0 {
            let note = self.iteration_of(&written);
            self.report(messages::negative_nat(written.span, &parameter.text, value), note);
            return None;
        }
        Some(value)
    }

    /// Where atoms are bits, finds the sizes of a polymorphic callee from arguments that need not match word by word: if every
    /// open parameter has one size, whatever the number of bits leaves for it.
    fn bind_bits(&mut self, parameters: &[Word], arguments: &[Word]) {
        if parameters.len() == arguments.len() {
            for (parameter, argument) in parameters.iter().zip(arguments) {
                if self.unifier.width(parameter.width).bits().is_none() {
                    self.unifier.unify_width(parameter.width, argument.width);
                }
            }
            return;
        }
        let open: Vec<Width> = parameters
            .iter()
            .map(|p| self.unifier.width(p.width))
            .filter(|width| width.bits().is_none())
            .collect();
        let known: u64 =
            parameters.iter().filter_map(|p| self.unifier.width(p.width).bits()).map(u64::from).sum();
        let Some(&first) = open.first() else { return };
        let total = bit_count(arguments).and_then(|total| total.checked_sub(known));
        let Some(total) = total.filter(|total| total % open.len() as u64 == 0) else { return };
        if open.iter().all(|&width| width == first)
            && let Ok(bits) = u32::try_from(total / open.len() as u64)
            && bits > 0
        {
            self.unifier.unify_width(first, Width::Bits(bits));
        }
    }

    /// What no argument has bound, the expected result may bind.
    fn bind_results(&mut self, results: &[Word], expected: Option<&[Word]>) {
        // Fewer words than expected may be a part of a tuple; more can only match bit by bit, which tells nothing.
        let expected = expected.filter(|expected| results.len() <= expected.len());
        for (result, expected) in results.iter().zip(expected.unwrap_or_default()) {
            if self.unifier.width(result.width).bits().is_none() {
                self.unifier.unify_width(result.width, expected.width);
            }
        }
    }

    fn callee_instance(
        &mut self,
        at: &Callee<'_, 'p>,
        scale: Scale,
        interface: &Interface<'p>,
        binding: &Binding,
        span: Span,
    ) -> Option<InstanceId> {
        let &Callee { name: callee, index: definition, element, .. } = at;
        if self.session.generic {
            // Definitions without public numbers are checked by themselves.
            if scale.is_plain() {
                return Some(InstanceId(0));
            }
            return Some(
                self.session.request(generic_key(definition, element, scale, interface), Some(span)),
            );
        }
        if self.inferring {
            return Some(InstanceId(0));
        }
        let mut sizes = Vec::with_capacity(binding.sizes.len());
        for (&width, name) in binding.sizes.iter().zip(interface.variables.sizes.keys()) {
            match self.unifier.width(width).bits() {
                Some(bits) => sizes.push(Some(bits)),
                None => {
                    self.report_here(messages::open_callee_size(callee, span, name));
                    return None;
                }
            }
        }
        let directions =
            binding.directions.iter().map(|&direction| match self.unifier.direction(direction) {
                Direction::Variable(_) => None,
                known => Some(known).filter(|_| !self.bits()),
            });
        let directions = directions.collect();
        Some(self.session.request(Key { definition, element, scale, sizes, directions }, Some(span)))
    }
}

/// Whether an argument is static by its form: literals, loop variables and other public numbers, and arithmetic on them.
fn is_static(e: &ast::Expression, is_nat: &dyn Fn(&str) -> bool) -> bool {
    statics::of_expression(e).is_some_and(|e| {
        let mut all = true;
        statics::names(&e, &mut |name, _| all &= is_nat(name));
        all
    })
}
