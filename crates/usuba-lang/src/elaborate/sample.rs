//! Checking nodes with public lengths: at some small lengths, with a cipher that stands for any.

use super::{BUDGET, Scale, Session, generic_key, messages, public, statics};
use crate::ast::{
    Assignment, BaseType, BinaryOp, Bodies, CipherDefinition, Declaration, Definition, Equation, Expression,
    ExpressionKind, Fact, Integer, Name, NodeBody, Program, Reference, Size, Static, StaticKind, Type,
};
use crate::source::Span;

/// The lengths that are tried: around one, two and three blocks of 8 or 16 bytes, and the sizes of nonces and tags.
const LENGTHS: [i64; 12] = [17, 0, 16, 12, 1, 33, 4, 15, 32, 8, 31, 48];

/// How far one unknown after the other goes along the lengths from sample to sample: prime to their number.
const PACES: [usize; 4] = [1, 5, 7, 11];

/// How many samples of one node are elaborated.
const SAMPLES: usize = 24;

/// How many are tried for some that fit the conditions of the node.
const TRIES: usize = 600;

/// Bytes of a block, of a key and of the round keys of the cipher that stands for any.
const BLOCK: u32 = 16;

/// The program with a cipher in front of it, if one of its nodes has a cipher parameter.
pub(super) fn with_cipher(program: &Program) -> Option<Program> {
    let place = program.definitions.iter().find_map(|definition| definition.cipher.as_ref())?.span;
    let mut extended = Program { ciphers: vec![cipher(place)], ..program.clone() };
    extended.ciphers.extend(program.ciphers.iter().cloned());
    extended.definitions = vec![
        node("cipher.encrypt", &["block", "key"], place),
        node("cipher.decrypt", &["block", "key"], place),
        node("cipher.schedule", &["key"], place),
    ];
    extended.definitions.extend(program.definitions.iter().cloned());
    Some(extended)
}

fn name(text: &str, span: Span) -> Name {
    Name { text: text.into(), span }
}

fn cipher(span: Span) -> CipherDefinition {
    let role = |role: &str| (name(role, span), name(&format!("cipher.{role}"), span));
    CipherDefinition { name: name("cipher.any", span), roles: public::ROLES.map(role).to_vec(), span }
}

/// A node whose result is the exclusive or of its inputs, all of [`BLOCK`] bytes.
fn node(text: &str, inputs: &[&str], span: Span) -> Definition {
    let size = Integer { value: BLOCK.into(), hexadecimal: false, span };
    let ty = Type {
        base: BaseType::Word { direction: None, size: Size::Bits(8), count: None },
        dimensions: vec![Static { kind: StaticKind::Integer(size), span }],
        span,
    };
    let declaration = |text: &str| Declaration {
        names: vec![name(text, span)],
        constant: None,
        uniform: None,
        lazy_lift: None,
        ty: ty.clone(),
    };
    let reference = |text: &str| Reference { name: name(text, span), selections: Vec::new(), span };
    let operand = |text: &&str| Expression {
        kind: ExpressionKind::Reference(reference(text)),
        span,
        parenthesised: false,
    };
    let sum = |left: Expression, right: Expression| Expression {
        kind: ExpressionKind::Binary(BinaryOp::Xor, Box::new(left), Box::new(right)),
        span,
        parenthesised: false,
    };
    let error = Expression { kind: ExpressionKind::Error, span, parenthesised: false };
    let value = inputs.iter().map(operand).reduce(sum).unwrap_or(error);
    let assignment =
        Assignment { targets: vec![reference("result")], operator: None, imperative: false, value, span };
    let body = NodeBody { locals: Vec::new(), equations: vec![Equation::Assign(assignment)], span };
    Definition {
        attributes: Vec::new(),
        name: name(text, span),
        cipher: None,
        inputs: inputs.iter().map(|text| declaration(text)).collect(),
        opens: None,
        outputs: vec![declaration("result")],
        facts: Vec::new(),
        array: false,
        bodies: Bodies::Node(vec![body]),
        span,
    }
}

impl<'p> Session<'p> {
    /// Requests a node with public sizes at some small lengths that fit its conditions, and elaborates it there.
    pub(super) fn check_samples(&mut self, index: usize, definition: &'p Definition) {
        let profile = self.profile(index);
        let nats = public::nat_names(definition).count();
        let cipher = definition.cipher.as_ref().map(|_| 0);
        // What waits is of other definitions.
        self.run_requests();
        self.requests.clear();
        let before = self.report.failures();
        let mut found = 0;
        let mut seen = Vec::new();
        for number in 0..TRIES {
            // Every unknown walks through the lengths at its own pace.
            let at = |place: usize| {
                let pace = PACES.get(place % PACES.len()).copied().unwrap_or(1);
                let steps = number / LENGTHS.len().pow(place.min(6) as u32 + 1) + number * pace;
                LENGTHS.get((steps + place) % LENGTHS.len()).copied().unwrap_or(0)
            };
            let scale = Scale {
                nats: (0..nats).map(at).collect(),
                lengths: (0..profile.lengths.len()).map(|place| at(nats + place)).collect(),
                cipher,
            };
            if seen.contains(&scale) {
                continue;
            }
            seen.push(scale.clone());
            if !self.admits(index, definition, &scale) {
                continue;
            }
            let key = super::Key {
                definition: index,
                element: 0,
                scale: scale.clone(),
                sizes: Vec::new(),
                directions: Vec::new(),
            };
            let binding = self.binding(&key, None);
            self.report.set_context(binding.map(|binding| (definition.name.span, binding)));
            let interface = self.interface(index, &scale);
            self.report.set_context(None);
            let Some(interface) = interface else { return };
            for element in 0..super::elements(definition) {
                self.request(generic_key(index, element, scale.clone(), &interface), None);
            }
            self.budget = BUDGET;
            self.run_requests();
            self.requests.clear();
            found += 1;
            if found == SAMPLES || self.report.failures() > before {
                return;
            }
        }
        if found == 0 && self.report.failures() == before {
            self.report.add(messages::unchecked(&definition.name));
        }
    }

    /// Whether all conditions of a definition hold at a scale.
    fn admits(&mut self, index: usize, definition: &'p Definition, scale: &Scale) -> bool {
        let muted = self.report.mute(true);
        let numbers = self.numbers(index, scale);
        self.report.mute(muted);
        let Some(numbers) = numbers else { return false };
        definition.facts.iter().all(|fact| match fact {
            Fact::Condition(condition) => {
                statics::holds(condition, &|name| numbers.get(name).copied()).unwrap_or(false)
            }
            Fact::Length(..) => true,
        })
    }
}
