//! What a loop over a message is: how its iterations depend on one another, and so what may be done at once.
//!
//! Only what a loop carries makes one iteration wait for another. What it carries is followed through the step on sums of symbols
//! ([`usuba_algebra::sums`]): the answer is exact, and names do not count.

use crate::form::{Carried, Loop, Message, Source, Statement, Step, Target, Text, VariableId, Window};
use crate::number::{Number, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use usuba_algebra::orbit::{PowerOfX, linear, power_of_x};
use usuba_algebra::product::{Product, product};
use usuba_algebra::run::run;
use usuba_algebra::sums::{Sum, Symbol, Symbols};
use usuba_algebra::why::Why;
use usuba_lang::elaborate::{Options, elaborate};
use usuba_lang::source::Span;
use usuba_lang::typed;

/// How the iterations of a loop depend on one another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Class {
    /// Nothing is carried: all iterations at once.
    Map,
    /// What is carried is added up: in any order.
    Sum,
    /// What is carried goes through one linear map, the same in each iteration: iteration i by the power i of the map.
    LinearOrbit(Option<PowerOfX>),
    /// What is carried, and what is added to it, goes through a map that is linear in it and the same for all iterations: groups
    /// of iterations by powers of the map.
    LinearScan(Option<Product>),
    /// Anything else: one iteration after the other, in one message.
    Scan(Why),
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Class::Map => f.write_str("map: nothing is carried"),
            Class::Sum => f.write_str("sum: what is carried is added up"),
            Class::LinearOrbit(None) => {
                f.write_str("linear orbit: what is carried goes through one linear map")
            }
            Class::LinearOrbit(Some(power)) => write!(f, "linear orbit: {power}"),
            Class::LinearScan(None) => f.write_str(
                "linear scan: the next is linear in what is carried, by a map that does not change",
            ),
            Class::LinearScan(Some(product)) => write!(f, "linear scan: {product}"),
            Class::Scan(why) => write!(f, "scan: {why}"),
        }
    }
}

/// A loop and what it is.
#[derive(Clone, Debug)]
pub struct Classified {
    /// The variable, and its range.
    pub range: String,
    /// The loop in the source.
    pub span: Span,
    /// For each carried variable its name and class; a map if there is none.
    pub carried: Vec<(String, Class)>,
    /// The numbers that become words, which go up by a constant from one iteration to the next.
    pub counters: Vec<String>,
    /// Windows that lie before or behind those of the iteration itself.
    pub neighbours: Vec<String>,
    /// Whether iterations read what others have written to a string, such as the ciphertext of cipher feedback.
    pub reads_itself: bool,
}

impl Classified {
    /// The class of the whole loop: that of the carried variable that lets least be done at once. A loop that reads what it has
    /// written waits, too, though no variable is carried.
    pub fn class(&self) -> Class {
        if self.reads_itself {
            return Class::Scan(Why::new("a position reads what another one writes", Some(self.span)));
        }
        let rank = |class: &Class| match class {
            Class::Map => 0,
            Class::Sum => 1,
            Class::LinearOrbit(_) => 2,
            Class::LinearScan(_) => 3,
            Class::Scan(_) => 4,
        };
        let worst = self.carried.iter().map(|(_, class)| class).max_by_key(|class| rank(class));
        worst.cloned().unwrap_or(Class::Map)
    }
}

/// The loops of a message that the passes have been over, in order, inner ones after those they stand in.
pub fn classify(message: &Message) -> Vec<Classified> {
    let mut found = Vec::new();
    in_statements(message, &message.body, &mut found);
    found
}

fn in_statements(message: &Message, body: &[Statement], found: &mut Vec<Classified>) {
    for statement in body {
        match statement {
            Statement::Loop(one) => {
                found.push(of_loop(message, one));
                in_statements(message, &one.body, found);
            }
            Statement::If { then, otherwise, .. } => {
                in_statements(message, then, found);
                in_statements(message, otherwise, found);
            }
            Statement::Step(_) | Statement::Define(_) | Statement::Accept { .. } => {}
        }
    }
}

fn of_loop(message: &Message, one: &Loop) -> Classified {
    let index = Term::Index(one.index);
    let name = message.indices.get(one.index as usize).map_or("", String::as_str);
    let range = format!("{name} in [{}, {})", message.show(&one.start), message.show(&one.stop));
    let carried = one.carried.iter().map(|carried| {
        let class = of_carried(message, one, carried).unwrap_or_else(Class::Scan);
        // Elements are called like their array, with a number.
        let name = &message.variable(carried.variable).name;
        (name.rsplit_once('_').map_or(name.as_str(), |(array, _)| array).to_owned(), class)
    });
    let carried = carried.collect();
    let (mut counters, mut neighbours) = (BTreeSet::new(), BTreeSet::new());
    let mut places: BTreeMap<VariableId, BTreeSet<Number>> = BTreeMap::new();
    for source in steps(&one.body).flat_map(|step| &step.inputs) {
        match source {
            Source::Word { number, .. } if number.mentions(&index) => {
                let (_, pace) = number.split(&index);
                if pace != 0 {
                    counters.insert(message.show(number));
                }
            }
            Source::Text(text) | Source::Words { text, .. } => {
                crate::passes::windows(text, &mut |window| {
                    if window.start.mentions(&index) {
                        places.entry(window.variable).or_default().insert(window.start.clone());
                    }
                });
            }
            _ => {}
        }
    }
    for (variable, starts) in places.into_iter().filter(|(_, starts)| starts.len() > 1) {
        let starts: Vec<String> = starts.iter().map(|start| message.show(start)).collect();
        neighbours.insert(format!("{} at {}", message.variable(variable).name, starts.join(" and ")));
    }
    Classified {
        range,
        span: one.span,
        carried,
        counters: counters.into_iter().collect(),
        neighbours: neighbours.into_iter().collect(),
        // Inner loops are looked at by themselves.
        reads_itself: steps_only(&one.body) && reads_itself(&one.body),
    }
}

/// Whether there are no loops and choices inside.
fn steps_only(body: &[Statement]) -> bool {
    body.iter().all(|statement| matches!(statement, Statement::Step(_) | Statement::Define(_)))
}

/// Whether a loop reads bytes of a string that it writes, other than those that the position itself writes; or has other loops or choices,
/// in which it might.
pub fn reads_itself(body: &[Statement]) -> bool {
    let mut written: Vec<&Window> = Vec::new();
    for statement in body {
        match statement {
            Statement::Step(step) => written.extend(step.outputs.iter().filter_map(|target| match target {
                Target::Window(window) => Some(window),
                _ => None,
            })),
            Statement::Define(define) => written.push(&define.target),
            Statement::Loop(_) | Statement::If { .. } | Statement::Accept { .. } => return true,
        }
    }
    let mut found = false;
    let mut see = |text: &Text| {
        crate::passes::windows(text, &mut |read| {
            let same = |one: &&&Window| one.variable == read.variable;
            found |= written.iter().filter(same).any(|one| one.start != read.start);
        });
    };
    for statement in body {
        match statement {
            Statement::Step(step) => step.inputs.iter().for_each(|source| match source {
                Source::Text(text) | Source::Words { text, .. } => see(text),
                _ => {}
            }),
            Statement::Define(define) => see(&define.value),
            _ => {}
        }
    }
    found
}

fn steps(body: &[Statement]) -> impl Iterator<Item = &Step> {
    body.iter().filter_map(|statement| match statement {
        Statement::Step(step) => Some(step),
        _ => None,
    })
}

/// What the bits of a step's input are to the loop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Role {
    /// The carried variable.
    Carried,
    /// The same in all iterations.
    Fixed,
    /// Of the iteration.
    Data,
}

fn of_carried(message: &Message, one: &Loop, carried: &Carried) -> Result<Class, Why> {
    let refuse = |text: &str| Why::new(text, Some(one.span));
    let makes = |step: &&Step| step.outputs.contains(&Target::Variable(carried.next));
    let step = steps(&one.body).find(makes).ok_or_else(|| refuse("no step makes what is carried"))?;
    let made: BTreeSet<VariableId> = steps(&one.body)
        .flat_map(|step| &step.outputs)
        .filter_map(|target| match target {
            Target::Variable(id) => Some(*id),
            _ => None,
        })
        .chain(one.carried.iter().map(|carried| carried.variable))
        .collect();
    // What another step of the iteration makes of the carried variable would have to be followed, too.
    let reads = |step: &Step| step.inputs.contains(&Source::Variable(carried.variable));
    let others: BTreeSet<VariableId> = steps(&one.body)
        .filter(|other| reads(other) && !std::ptr::eq(*other, step))
        .flat_map(|other| &other.outputs)
        .filter_map(|target| match target {
            Target::Variable(id) => Some(*id),
            _ => None,
        })
        .collect();
    let index = Term::Index(one.index);
    let role = |source: &Source| match source {
        Source::Variable(id) if *id == carried.variable => Ok(Role::Carried),
        Source::Variable(id) if others.contains(id) => {
            Err(refuse("what is carried goes through several steps"))
        }
        Source::Variable(id) if made.contains(id) => Ok(Role::Data),
        Source::Variable(_) => Ok(Role::Fixed),
        Source::Element(_, at) | Source::Word { number: at, .. } if !at.mentions(&index) => Ok(Role::Fixed),
        _ => Ok(Role::Data),
    };
    let roles = step.inputs.iter().map(role).collect::<Result<Vec<Role>, Why>>()?;
    let options = Options {
        entry: Some(step.node.clone()),
        cipher: message.cipher.as_ref().map(|cipher| cipher.name.clone()),
        keep_tables: true,
        ..Options::new()
    };
    let program = elaborate(&message.program, &options).0.ok_or_else(|| refuse("the step has no form"))?;
    let entry = program.instance(program.entry());
    let bits = |id: typed::VariableId| {
        let variable = entry.variable(id);
        (variable.atoms() * variable.width) as usize
    };
    let mut of_bit: Vec<Role> = Vec::new();
    for (&input, role) in entry.inputs.iter().zip(roles) {
        of_bit.extend(std::iter::repeat_n(role, bits(input)));
    }
    let mut symbols = Symbols::new();
    let inputs: Vec<Sum> = (0..of_bit.len() as u32).map(|bit| symbols.input(bit)).collect();
    let results = run(&mut symbols, &program, program.entry(), &inputs)?;
    let place = step.outputs.iter().position(|target| *target == Target::Variable(carried.next));
    let before: usize = entry.outputs.iter().take(place.unwrap_or(0)).map(|&output| bits(output)).sum();
    let size = place.and_then(|place| entry.outputs.get(place)).map_or(0, |&output| bits(output));
    let next = results.get(before..before + size).unwrap_or_default();
    let mut roles = Roles { symbols: &symbols, of_bit: &of_bit, known: BTreeMap::new() };
    let first = of_bit.iter().position(|role| *role == Role::Carried).unwrap_or(0);
    let (mut data, mut itself, mut mapped) = (false, true, false);
    for (place, &sum) in next.iter().enumerate() {
        let mut own = false;
        for &term in symbols.terms(sum) {
            match symbols.symbol(term) {
                Symbol::One => data = true,
                Symbol::Input(bit) => match of_bit.get(bit as usize) {
                    Some(Role::Carried) => own |= bit as usize == first + place,
                    _ => data = true,
                },
                Symbol::Product(a, b) => {
                    let has = [a, b].map(|factor| roles.of(factor).contains(&Role::Carried));
                    let (with, other) = match has {
                        [false, false] => {
                            data = true;
                            continue;
                        }
                        [true, true] => {
                            let place = symbols.place_of(term);
                            return Err(Why::new("a product has what is carried in both factors", place));
                        }
                        [true, false] => (a, b),
                        [false, true] => (b, a),
                    };
                    if roles.of(other).contains(&Role::Data) || roles.is_deep(with) {
                        let place = symbols.place_of(term);
                        return Err(Why::new("the map of what is carried changes with the data", place));
                    }
                    data |= roles.of(with).contains(&Role::Data);
                    mapped = true;
                }
                Symbol::TableBit { .. } | Symbol::WordBit { .. } | Symbol::CallBit { .. } => {
                    if roles.of_term(term).contains(&Role::Carried) {
                        let what = match symbols.symbol(term) {
                            Symbol::TableBit { .. } => "a table is applied to what is carried",
                            _ => "what is carried is added with carries",
                        };
                        return Err(Why::new(what, symbols.place_of(term)));
                    }
                    data = true;
                }
            }
        }
        let alone = symbols.terms(sum).iter().filter(|&&term| roles.of_term(term).contains(&Role::Carried));
        itself &= own && alone.count() == 1;
    }
    // A step may do more than this; the map is then one of the nodes that it calls.
    let callee = || {
        let ids = (0..program.instances().len() as u32).map(typed::InstanceId);
        ids.filter_map(|id| linear(&program, id).ok()).find(|matrix| power_of_x(matrix).is_some())
    };
    Ok(match (mapped, itself, data) {
        (false, true, _) => Class::Sum,
        (false, false, false) => {
            let matrix = linear(&program, program.entry()).ok();
            Class::LinearOrbit(matrix.or_else(callee).and_then(|matrix| power_of_x(&matrix)))
        }
        _ => Class::LinearScan(
            (0..program.instances().len() as u32)
                .find_map(|id| product(&program, typed::InstanceId(id)).ok()),
        ),
    })
}

/// What sums are made of.
struct Roles<'s> {
    symbols: &'s Symbols,
    of_bit: &'s [Role],
    known: BTreeMap<u32, BTreeSet<Role>>,
}

impl Roles<'_> {
    fn of(&mut self, sum: Sum) -> BTreeSet<Role> {
        let terms = self.symbols.terms(sum).to_vec();
        terms.into_iter().flat_map(|term| self.of_term(term)).collect()
    }

    fn of_term(&mut self, term: u32) -> BTreeSet<Role> {
        if let Some(known) = self.known.get(&term) {
            return known.clone();
        }
        let found: BTreeSet<Role> = match self.symbols.symbol(term) {
            Symbol::One => BTreeSet::new(),
            Symbol::Input(bit) => self.of_bit.get(bit as usize).copied().into_iter().collect(),
            Symbol::Product(a, b) => self.of(a).union(&self.of(b)).copied().collect(),
            // No instance is kept as a call here: nothing would be known of it.
            Symbol::CallBit { .. } => [Role::Carried, Role::Data].into(),
            Symbol::TableBit { lookup, .. } => {
                let index = self.symbols.lookups()[lookup as usize].index.clone();
                index.into_iter().flat_map(|sum| self.of(sum)).collect()
            }
            Symbol::WordBit { operation, .. } => {
                let operation = self.symbols.operations()[operation as usize].clone();
                operation.left.into_iter().chain(operation.right).flat_map(|sum| self.of(sum)).collect()
            }
        };
        self.known.insert(term, found.clone());
        found
    }

    /// Whether what is carried is in a sum otherwise than added.
    fn is_deep(&mut self, sum: Sum) -> bool {
        let terms = self.symbols.terms(sum).to_vec();
        terms.into_iter().any(|term| {
            !matches!(self.symbols.symbol(term), Symbol::Input(_) | Symbol::One)
                && self.of_term(term).contains(&Role::Carried)
        })
    }
}
