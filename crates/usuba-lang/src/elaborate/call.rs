//! Calls: arguments matched with parameters, `nat` values split off, the callee's sizes and directions bound.

use super::constants::{flatten, has_untyped};
use super::node::{Body, Value, bit_count};
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
        let index = self.session.definitions.get(callee.text.as_str()).copied();
        let index = index.filter(|&index| index < self.definition)?;
        let definition = self.session.program.definitions.get(index)?;
        let Some(interface) = self.session.interface(index) else {
            self.session.report.note_failure();
            return None;
        };
        let element = match element {
            None => Some(0),
            Some(written) => self.element(written, definition),
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
            let (wanted, given) = self.describe_both(&parameters, &arguments.words, disagreement);
            self.report_here(messages::arguments_differ(
                callee,
                &definition.name,
                span,
                &wanted,
                &given,
                disagreement,
            ));
            return None;
        }
        self.bind_results(&results, expected);
        let element = element?;
        let id = self.callee_instance(callee, index, element, nats, &interface, &binding, span)?;
        let results: Vec<Word> = results.iter().map(|&word| self.call_view(word)).collect();
        let kind = ExpressionKind::Call { callee: id, arguments: Box::new(arguments.expression) };
        Some(Value { expression: Expression { kind, span }, words: results })
    }

    /// In bits mode all sizes must be known by now for [`Body::agree`]; elsewhere the variables stay, so that later
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

    /// In bits mode, finds the sizes of a polymorphic callee from arguments that need not match word by word: if every
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

    #[expect(clippy::too_many_arguments, reason = "the parts of a key, as the call gives them")]
    fn callee_instance(
        &mut self,
        callee: &Name,
        definition: usize,
        element: usize,
        nats: Vec<i64>,
        interface: &Interface<'p>,
        binding: &Binding,
        span: Span,
    ) -> Option<InstanceId> {
        if self.session.generic {
            // Definitions without `nat` parameters are checked by themselves.
            if nats.is_empty() {
                return Some(InstanceId(0));
            }
            return Some(self.session.request(generic_key(definition, element, nats, interface), Some(span)));
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
        Some(self.session.request(Key { definition, element, nats, sizes, directions }, Some(span)))
    }
}

/// Whether an argument is static by its form: literals, loop variables and `nat` parameters, and arithmetic on them.
fn is_static(e: &ast::Expression, is_nat: &dyn Fn(&str) -> bool) -> bool {
    fn names(e: &ast::Static, is_nat: &dyn Fn(&str) -> bool) -> bool {
        match &e.kind {
            ast::StaticKind::Integer(_) => true,
            ast::StaticKind::Name(name) => is_nat(name),
            ast::StaticKind::Binary(_, left, right) => names(left, is_nat) && names(right, is_nat),
        }
    }
    statics::of_expression(e).is_some_and(|e| names(&e, is_nat))
}
