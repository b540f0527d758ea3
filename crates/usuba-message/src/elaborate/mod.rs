//! From the syntax tree to the form of messages.
//!
//! Nodes with public lengths are put in the place of their calls. What has a constant size stays as it was written, in
//! *steps* (`step`), which the front end elaborates like any other node; a node that is called with constant sizes alone
//! stays a call of a step. Numbers that the compiler knows have become literals by then.
//!
//! Rooms: `declare` (types and variables), `equation`, `expression`, `call`, `value` (from texts to words and back), `step`,
//! `public` (numbers and conditions), `messages`.

mod call;
mod declare;
mod equation;
mod expression;
mod messages;
mod public;
mod step;
pub(crate) use step::names;
mod value;

use crate::facts::Facts;
use crate::form::{Cipher, Message, Sameness, Statement, Variable, VariableId, Words};
use crate::number::{Number, Term};
use std::collections::{BTreeMap, BTreeSet};
use step::Pending;
use usuba_lang::ast::{self, BaseType, Bodies, ConstantValue, Definition};
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::elaborate as front;
use usuba_lang::typed;

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// The name of the cipher parameter of steps.
const PARAMETER: &str = "C";

/// The message that a node computes, its cipher parameter being the cipher named `cipher` of the program.
///
/// The program has been checked ([`usuba_lang::elaborate::check`]); what was found there is not looked for again.
///
/// # Errors
/// The node is none, or says something that has no form yet: one diagnostic.
pub fn elaborate(program: &ast::Program, entry: &str, cipher: Option<&str>) -> Result<Message> {
    let Some(index) = program.definitions.iter().position(|definition| definition.name.text == entry) else {
        return Err(messages::no_node(entry));
    };
    let definition = &program.definitions[index];
    let cipher = match (&definition.cipher, cipher) {
        (Some(_), Some(name)) => Some(read_cipher(program, name, definition)?),
        (Some(parameter), None) => return Err(messages::open_cipher(parameter)),
        (None, _) => None,
    };
    let mut elaborator = Elaborator {
        program,
        constants: constants(program)?,
        names: program.definitions.iter().map(|definition| definition.name.text.clone()).collect(),
        lengths: Vec::new(),
        indices: Vec::new(),
        conditions: Vec::new(),
        variables: Vec::new(),
        cipher,
        facts: Facts::default(),
        pending: Pending::default(),
        statements: Vec::new(),
        steps: Vec::new(),
        depth: 0,
    };
    let scope = elaborator.entry(definition)?;
    let find = |names: Vec<&ast::Name>| -> Vec<VariableId> {
        names.iter().filter_map(|name| scope.variables.get(&name.text).copied()).collect()
    };
    let inputs = find(definition.inputs.iter().flat_map(|input| &input.names).collect());
    let outputs = find(definition.outputs.iter().flat_map(|output| &output.names).collect());
    elaborator.body(&scope, definition)?;
    elaborator.flush()?;
    let mut program = program.clone();
    program.definitions.append(&mut elaborator.steps);
    let mut message = Message {
        name: definition.name.text.clone(),
        nats: scope.nats,
        lengths: elaborator.lengths,
        indices: elaborator.indices,
        conditions: elaborator.conditions,
        variables: elaborator.variables,
        inputs,
        outputs,
        opens: definition.opens.is_some(),
        body: elaborator.statements,
        program,
        cipher: elaborator.cipher,
    };
    crate::prune::prune(&mut message);
    Ok(message)
}

/// Everything that is not of one node.
struct Elaborator<'p> {
    program: &'p ast::Program,
    /// The constants of the program that are numbers.
    constants: BTreeMap<String, Number>,
    /// Names that are taken.
    names: BTreeSet<String>,
    lengths: Vec<String>,
    indices: Vec<String>,
    conditions: Vec<crate::form::Condition>,
    variables: Vec<Variable>,
    cipher: Option<Cipher>,
    facts: Facts,
    /// The equations of the step that is being made.
    pending: Pending,
    statements: Vec<Statement>,
    /// The definitions of steps.
    steps: Vec<Definition>,
    /// How many nodes are being put in the place of their calls.
    depth: usize,
}

/// How deep calls of nodes with public lengths may go.
const DEPTH: usize = 100;

/// The names of a node.
#[derive(Clone, Default)]
struct Scope {
    /// Lengths, `nat`s, loop variables, constants.
    numbers: BTreeMap<String, Number>,
    variables: BTreeMap<String, VariableId>,
    /// The name of its cipher parameter.
    cipher: Option<String>,
    /// How many of the numbers of an entry are `nat`s.
    nats: usize,
}

impl<'p> Elaborator<'p> {
    /// The names of the node that is the message: its parameters are as open as its caller left them.
    fn entry(&mut self, definition: &'p Definition) -> Result<Scope> {
        let mut scope = self.scope(definition);
        for name in call::nats(definition) {
            self.open_length(&mut scope, &name.text);
        }
        scope.nats = self.lengths.len();
        for (name, _) in call::lengths(self, definition) {
            self.open_length(&mut scope, name);
        }
        for name in call::nats(definition) {
            let number = scope.numbers.get(&name.text).cloned().unwrap_or_default();
            self.facts.assume(&crate::form::Condition::NotNegative(number));
        }
        self.facts_of(&mut scope, definition, true)?;
        for input in definition.inputs.iter().filter(|input| input.ty.base != BaseType::Nat) {
            let sameness = match (input.constant, input.uniform) {
                (Some(_), _) => Sameness::Key,
                (None, Some(_)) => Sameness::Message,
                (None, None) => Sameness::Open,
            };
            for name in &input.names {
                self.declare(&mut scope, name, &input.ty, sameness)?;
            }
        }
        for output in &definition.outputs {
            for name in &output.names {
                self.declare(&mut scope, name, &output.ty, Sameness::Open)?;
            }
        }
        Ok(scope)
    }

    fn scope(&self, definition: &Definition) -> Scope {
        let mut scope = Scope { numbers: self.constants.clone(), ..Scope::default() };
        if let (Some(parameter), Some(cipher)) = (&definition.cipher, &self.cipher) {
            scope.numbers.insert(format!("{}.block", parameter.text), i64::from(cipher.block).into());
            scope.numbers.insert(format!("{}.key", parameter.text), i64::from(cipher.key).into());
            scope.cipher = Some(parameter.text.clone());
        }
        scope
    }

    fn open_length(&mut self, scope: &mut Scope, name: &str) {
        let number = Number::from(Term::Length(self.lengths.len() as u32));
        self.lengths.push(name.to_owned());
        scope.numbers.insert(name.to_owned(), number);
    }

    /// The locals and equations of a node whose parameters are declared.
    fn body(&mut self, scope: &Scope, definition: &'p Definition) -> Result<()> {
        let Bodies::Node(bodies) = &definition.bodies else { return Err(messages::no_equations(definition)) };
        let [body] = bodies.as_slice() else { return Err(messages::no_equations(definition)) };
        let mut scope = scope.clone();
        for local in &body.locals {
            for name in &local.names {
                self.declare(&mut scope, name, &local.ty, Sameness::Open)?;
            }
        }
        self.equations(&mut scope, &body.equations)
    }
}

fn constants(program: &ast::Program) -> Result<BTreeMap<String, Number>> {
    let mut numbers = BTreeMap::new();
    for constant in &program.constants {
        if let ConstantValue::Number(value) = &constant.value {
            let value = public::number(&numbers, value)?;
            numbers.insert(constant.name.text.clone(), value);
        }
    }
    Ok(numbers)
}

/// The sizes of a cipher, from its nodes.
fn read_cipher(program: &ast::Program, name: &str, definition: &Definition) -> Result<Cipher> {
    let wrong = || messages::wrong_cipher(name, definition.span);
    let written = program.ciphers.iter().find(|cipher| cipher.name.text == name).ok_or_else(wrong)?;
    let inputs = |role: &str| -> Option<Vec<Words>> {
        let (_, node) = written.roles.iter().find(|(known, _)| known.text == role)?;
        let options =
            front::Options { entry: Some(node.text.clone()), keep_tables: true, ..front::Options::new() };
        let (typed, _) = front::elaborate(program, &options);
        let typed = typed?;
        let entry = typed.instance(typed.entry());
        let words = |&id: &typed::VariableId| {
            let variable = entry.variable(id);
            Words { width: variable.width, count: variable.atoms() }
        };
        Some(entry.inputs.iter().map(words).collect())
    };
    let encrypt = inputs("encrypt").ok_or_else(wrong)?;
    let &[block, keys] = encrypt.as_slice() else { return Err(wrong()) };
    let schedule = inputs("schedule").unwrap_or_default();
    let key = schedule.first().and_then(|key| key.bytes()).unwrap_or(0);
    Ok(Cipher { name: name.to_owned(), block: block.bytes().ok_or_else(wrong)?, key, keys })
}
