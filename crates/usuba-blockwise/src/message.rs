//! A message around its kernels, in C: public numbers, choices and loops on them, and strings cut into blocks. What is secret
//! goes through kernels, copies and exclusive ors of bytes only.

use crate::kernel::{Action, Given, Machine, Plan, Refusal, Slot};
use crate::linear::linear;
use crate::place::{self, Places};
use crate::step::{self, Step};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::rc::Rc;
use usuba_codegen::{inline_definitions, inline_source};
use usuba_ir::program::BinaryOp;
use usuba_machine::Program;
use usuba_message::form::{
    self, ByteOperation, Condition, Define, Loop, Message, Order, Piece, Sameness, Source, Statement, Text,
    VariableId, Window,
};
use usuba_message::number::{Number, Term};

/// Bytes of a block.
const BLOCK: i64 = 16;

/// Registers of positions that a loop computes at once.
const GROUPS: usize = 8;

/// Registers of positions that a linear scan adds up before it reduces.
const SCANNED: usize = 8;

/// A message as C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// The declaration of what is done once for a key.
    pub prepare: String,
    /// Bytes that it writes.
    pub prepared: usize,
    /// The declaration of what is done for a message.
    pub prototype: String,
    /// The source file.
    pub source: String,
    /// What the loops are, in order.
    pub loops: Vec<LoopCode>,
}

/// What a loop of a message is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LoopCode {
    /// A kernel for many positions at once.
    Map,
    /// A kernel that goes on by powers.
    Linear,
    /// A kernel that goes on position by position, and why there is none that goes on by powers.
    Scan(Refusal),
    /// A loop in C that calls the kernels of steps, and why.
    OneByOne(Refusal),
}

impl fmt::Display for LoopCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoopCode::Map => f.write_str("map"),
            LoopCode::Linear => f.write_str("linear scan"),
            LoopCode::Scan(why) => write!(f, "scan: {}", why.0),
            LoopCode::OneByOne(why) => write!(f, "steps: {}", why.0),
        }
    }
}

/// The C of a message that has been through the passes, under the name `symbol`. `wide`: for many positions; `narrow`: for
/// one, with registers of one block.
///
/// `symbol_prepare` gets the inputs that are the same for a key, and where to write what follows from them, aligned to 64 bytes.
/// `symbol` gets the lengths, then that, then the inputs, then the outputs in order; round keys word by word, each from its most
/// significant byte. It returns 0; 1 if the message is refused, all outputs being zero; 2 if the lengths do not fit.
///
/// # Errors
/// A step that is more than blocks.
pub fn code(
    message: &Message,
    wide: &Machine<'_>,
    narrow: &Machine<'_>,
    symbol: &str,
) -> Result<Code, Refusal> {
    let keys = message.inputs.iter().copied();
    let keys: BTreeSet<VariableId> =
        keys.filter(|&id| message.variable(id).sameness == Sameness::Key).collect();
    let mut writer = Writer {
        message,
        wide,
        narrow,
        symbol,
        kernels: String::new(),
        known: BTreeMap::new(),
        steps: BTreeMap::new(),
        of_key: keys.clone(),
        places: BTreeMap::new(),
        prepared: 0,
        preparation: String::new(),
        powers: BTreeMap::new(),
        text: String::new(),
        depth: 1,
        fresh: 0,
        loops: Vec::new(),
    };
    writer.prepare()?;
    writer.body(&message.body)?;
    let (prototype, prepare) = (writer.prototype(), writer.prepare_prototype(&keys));
    let mut source = inline_definitions(wide.target);
    source += "#include <stddef.h>\n\n";
    source += HELPERS;
    let _ = write!(source, "\n{prepare};\n{prototype};\n\n{}", writer.kernels);
    let _ = write!(source, "{prepare}\n{{\n{}}}\n\n", writer.preparation);
    let _ = write!(source, "{prototype}\n{{\n{}{}  return 0;\n}}\n", writer.start(), writer.text);
    Ok(Code { prepare, prepared: writer.prepared, prototype, source, loops: writer.loops })
}

const HELPERS: &str = "/* Rounded down; b > 0. */
static inline int64_t quotient(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
static inline int64_t minimum(int64_t a, int64_t b) { return a < b ? a : b; }
static inline void number(uint8_t block[16], uint64_t value) {
  memset(block, 0, 16);
  for (int i = 0; i < 8; i++) block[i] = (uint8_t)(value >> (8 * i));
}
";

struct Writer<'a> {
    message: &'a Message,
    wide: &'a Machine<'a>,
    narrow: &'a Machine<'a>,
    symbol: &'a str,
    kernels: String,
    /// Kernels by what they do.
    known: BTreeMap<String, String>,
    steps: BTreeMap<String, Rc<Step>>,
    /// Variables that are the same for all messages of a key.
    of_key: BTreeSet<VariableId>,
    /// Where those lie that are prepared.
    places: BTreeMap<VariableId, usize>,
    /// Bytes that are prepared.
    prepared: usize,
    /// What prepares them.
    preparation: String,
    /// Powers of factors, by what makes them: where they are.
    powers: BTreeMap<String, String>,
    text: String,
    depth: usize,
    fresh: u32,
    loops: Vec<LoopCode>,
}

/// A plan in the making, and the C of what it is given.
#[derive(Clone, Default)]
struct Draft {
    plan: Plan,
    /// An expression for each given block, number or string.
    given: Vec<String>,
    /// Slots of the variables that are made.
    made: BTreeMap<VariableId, Slot>,
    /// What is carried, among what is given.
    carried: BTreeMap<VariableId, Slot>,
    /// Slots of what is given, by expression.
    slots: BTreeMap<(String, u8), Slot>,
    /// Where the results go.
    results: Vec<String>,
    /// Actions are counted behind what is given: their slots are moved when all that is known.
    pending: Vec<Pending>,
}

/// An action whose slots are not final.
#[derive(Clone)]
enum Pending {
    Step(Rc<Step>, Vec<(Draw, Places)>),
    Binary(BinaryOp, Draw, Draw),
    Not(Draw),
}

/// What an action reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Draw {
    Given(usize),
    Made(usize),
    /// An input that nothing depends on.
    Nothing,
}

impl Draft {
    fn give(&mut self, given: Given, expression: String) -> Draw {
        let kind = match given {
            Given::Each => 0,
            Given::Same => 1,
            Given::Number => 2,
            Given::Keys(_) => 3,
            Given::Carried => 4,
        };
        if let Some(&slot) = self.slots.get(&(expression.clone(), kind)) {
            return Draw::Given(slot);
        }
        self.plan.given.push(given);
        self.given.push(expression.clone());
        let slot = self.given.len() - 1;
        self.slots.insert((expression, kind), slot);
        Draw::Given(slot)
    }

    /// The plan, and the C of what it is given and of its results. What nothing depends on is not given.
    fn finish(mut self, results: &[Draw], next: &[Draw]) -> (Plan, Vec<String>, Vec<String>) {
        for action in &mut self.pending {
            if let Pending::Step(step, inputs) = action {
                let unused = inputs.iter_mut().enumerate().filter(|(place, _)| !step.uses(*place));
                unused.for_each(|(_, (draw, _))| *draw = Draw::Nothing);
            }
        }
        let mut used = vec![false; self.given.len()];
        let mut mark = |draw: &Draw| {
            if let Draw::Given(slot) = draw {
                used[*slot] = true;
            }
        };
        results.iter().chain(next).for_each(&mut mark);
        for action in &self.pending {
            match action {
                Pending::Step(_, inputs) => inputs.iter().for_each(|(draw, _)| mark(draw)),
                Pending::Binary(_, a, b) => [a, b].into_iter().for_each(&mut mark),
                Pending::Not(a) => mark(a),
            }
        }
        // What is carried stays: its next value goes there.
        let kept: Vec<usize> = (0..used.len())
            .filter(|&slot| used[slot] || (self.plan.given[slot] == Given::Carried && !next.is_empty()))
            .collect();
        let place = |slot: usize| kept.iter().position(|&one| one == slot).unwrap_or(usize::MAX);
        let given = kept.len();
        let slot = |draw: &Draw| match draw {
            Draw::Given(slot) => place(*slot),
            Draw::Made(slot) => given + slot,
            Draw::Nothing => usize::MAX,
        };
        for action in &self.pending {
            self.plan.actions.push(match action {
                Pending::Step(step, inputs) => {
                    let inputs = inputs.iter().map(|(draw, places)| (slot(draw), places.clone())).collect();
                    Action::Step(Rc::clone(step), inputs)
                }
                Pending::Binary(op, a, b) => Action::Binary(*op, slot(a), slot(b)),
                Pending::Not(a) => Action::Not(slot(a)),
            });
        }
        self.plan.results = results.iter().map(slot).collect();
        self.plan.next = next.iter().map(slot).collect();
        self.plan.given = kept.iter().map(|&slot| self.plan.given[slot].clone()).collect();
        let given = kept.iter().map(|&slot| self.given[slot].clone()).collect();
        (self.plan, given, self.results)
    }

    fn makes(&self) -> usize {
        let count = |action: &Pending| match action {
            Pending::Step(step, _) => step.blocks(),
            _ => 1,
        };
        self.pending.iter().map(count).sum()
    }
}

type Written<T> = Result<T, Refusal>;

fn refuse<T>(why: impl Into<String>) -> Written<T> {
    Err(Refusal(why.into()))
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "  ".repeat(self.depth));
    }

    fn fresh(&mut self, name: &str) -> String {
        self.fresh += 1;
        format!("{name}{}", self.fresh)
    }

    // ---- The function ----

    fn name(&self, id: VariableId) -> String {
        if let Some(place) = self.places.get(&id) {
            return format!("(prepared + {place})");
        }
        format!("v{}_{}", id.0, identifier(&self.message.variable(id).name))
    }

    fn prototype(&self) -> String {
        let lengths = self.message.lengths.iter().enumerate();
        let lengths = lengths.map(|(place, name)| format!("int64_t n{place}_{}", identifier(name)));
        let inputs = self.message.inputs.iter().map(|&id| format!("const uint8_t *{}", self.name(id)));
        let outputs = self.message.outputs.iter().map(|&id| format!("uint8_t *{}", self.name(id)));
        let prepared = ["const uint8_t *prepared".to_owned()];
        let all: Vec<String> = lengths.chain(prepared).chain(inputs).chain(outputs).collect();
        format!("int {}({})", self.symbol, all.join(", "))
    }

    fn prepare_prototype(&self, keys: &BTreeSet<VariableId>) -> String {
        let inputs = self.message.inputs.iter().filter(|id| keys.contains(id));
        let inputs = inputs.map(|&id| format!("const uint8_t *{}, ", self.name(id)));
        format!("void {}_prepare({}uint8_t *prepared)", self.symbol, inputs.collect::<String>())
    }

    /// Bytes that are prepared, at a place that is a multiple of 64.
    fn room(&mut self, bytes: usize) -> usize {
        let place = self.prepared;
        self.prepared += bytes.next_multiple_of(64);
        place
    }

    /// Does once for a key what depends on nothing else.
    fn prepare(&mut self) -> Written<()> {
        let message = self.message;
        for statement in &message.body {
            let Statement::Step(step) = statement else { continue };
            let of_key = |source: &Source| matches!(source, Source::Variable(id) if self.of_key.contains(id));
            let made = step.outputs.iter().map(|target| match target {
                form::Target::Variable(id) if !message.outputs.contains(id) => Some(*id),
                _ => None,
            });
            let (true, Some(made)) = (step.inputs.iter().all(of_key), made.collect::<Option<Vec<_>>>())
            else {
                continue;
            };
            for &id in &made {
                let place = self.room((self.bits(id) as usize).div_ceil(8));
                self.places.insert(id, place);
            }
            self.single(step)?;
            self.of_key.extend(made);
        }
        self.preparation = std::mem::take(&mut self.text);
        Ok(())
    }

    /// Conditions, and room for the variables of a constant size.
    fn start(&self) -> String {
        let mut text = String::new();
        for condition in &self.message.conditions {
            let _ = writeln!(text, "  if (!{}) return 2;", self.condition(condition));
        }
        for number in 0..self.message.variables.len() as u32 {
            let id = VariableId(number);
            let variable = self.message.variable(id);
            let parameter = self.message.inputs.contains(&id) || self.message.outputs.contains(&id);
            if parameter || variable.count.is_some() || self.places.contains_key(&id) {
                continue;
            }
            let bytes = (variable.words.width * variable.words.count).div_ceil(8).next_multiple_of(16);
            let name = self.name(id);
            if self.text.contains(&name) {
                let _ = writeln!(text, "  _Alignas(16) uint8_t {name}[{bytes}] = {{0}};");
            }
        }
        text
    }

    fn body(&mut self, body: &[Statement]) -> Written<()> {
        for statement in body {
            match statement {
                Statement::Step(step) => {
                    let done = |target: &form::Target| matches!(target, form::Target::Variable(id) if self.places.contains_key(id));
                    if step.outputs.is_empty() || !step.outputs.iter().all(done) {
                        self.single(step)?;
                    }
                }
                Statement::Define(define) => self.define(define)?,
                Statement::Loop(one) => self.repeat(one)?,
                Statement::If { condition, then, otherwise } => {
                    let condition = self.condition(condition);
                    self.line(&format!("if {condition} {{"));
                    self.depth += 1;
                    self.body(then)?;
                    self.depth -= 1;
                    self.line("} else {");
                    self.depth += 1;
                    self.body(otherwise)?;
                    self.depth -= 1;
                    self.line("}");
                }
                Statement::Accept { left, right, .. } => self.accept(left, right)?,
            }
        }
        Ok(())
    }

    fn accept(&mut self, left: &Text, right: &Text) -> Written<()> {
        let length = self.number(&form::length(left));
        let (left, right) = (self.byte(left)?, self.byte(right)?);
        let difference = self.fresh("difference");
        self.line(&format!("unsigned {difference} = 0;"));
        self.line(&format!(
            "for (int64_t at = 0; at < {length}; at++) {difference} |= (unsigned)({left} ^ {right});"
        ));
        self.line(&format!("if ({difference} != 0) {{"));
        for &output in &self.message.outputs {
            let bytes = self.message.variable(output).bytes();
            let bytes = bytes.ok_or_else(|| Refusal("an output that is not bytes".into()))?;
            let (name, bytes) = (self.name(output), self.number(&bytes));
            self.line(&format!("  memset({name}, 0, (size_t)({bytes}));"));
        }
        self.line("  return 1;");
        self.line("}");
        Ok(())
    }

    // ---- Numbers ----

    fn number(&self, number: &Number) -> String {
        let mut parts = Vec::new();
        for (term, factor) in number.terms() {
            let term = match term {
                Term::Length(place) => {
                    let name = self.message.lengths.get(*place as usize);
                    format!("n{place}_{}", identifier(name.map_or("", String::as_str)))
                }
                Term::Index(place) => format!("i{place}"),
                Term::Quotient(of, by) => format!("quotient({}, {by})", self.number(of)),
                Term::Minimum(a, b) => format!("minimum({}, {})", self.number(a), self.number(b)),
                Term::TrailingZeros(of) => {
                    format!("(int64_t)__builtin_ctzll((uint64_t)({}))", self.number(of))
                }
            };
            parts.push(if factor == 1 { term } else { format!("{factor} * {term}") });
        }
        if number.constant() != 0 || parts.is_empty() {
            parts.push(number.constant().to_string());
        }
        parts.join(" + ")
    }

    fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::NotNegative(number) => format!("({} >= 0)", self.number(number)),
            Condition::Zero(number) => format!("({} == 0)", self.number(number)),
            Condition::And(left, right) => {
                format!("({} && {})", self.condition(left), self.condition(right))
            }
            Condition::Or(left, right) => {
                format!("({} || {})", self.condition(left), self.condition(right))
            }
        }
    }

    // ---- Strings ----

    /// The C of a place, and how many bytes lie there. Anything but a window is put together first.
    fn pointer(&mut self, text: &[Piece]) -> Written<(String, String)> {
        if let [Piece::Window(window)] = text {
            return Ok((self.window(window)?, self.number(&window.length)));
        }
        let length = form::length(text);
        let bytes = length.as_constant().filter(|bytes| (0..=64).contains(bytes));
        let Some(bytes) = bytes else { return refuse("a string of pieces that is longer than a block") };
        let name = self.fresh("text");
        self.line(&format!("_Alignas(16) uint8_t {name}[{}] = {{0}};", bytes.max(BLOCK)));
        self.assemble(text, &name)?;
        Ok((name, bytes.to_string()))
    }

    /// Sixteen bytes in C that begin with a text of so many bytes, zeros behind it. For all lengths that fulfil the conditions a
    /// text that a step is given has the length that the step wants.
    fn block(&mut self, text: &Text, bytes: u32) -> Written<String> {
        let length = i64::from(bytes);
        match &text[..] {
            [Piece::Window(window)] if length == BLOCK => self.window(window),
            _ if length <= BLOCK => {
                let name = self.fresh("block");
                self.line(&format!("_Alignas(16) uint8_t {name}[16] = {{0}};"));
                self.assemble(text, &name)?;
                Ok(name)
            }
            _ => refuse("a string that is longer than a block"),
        }
    }

    fn window(&self, window: &Window) -> Written<String> {
        if self.message.variable(window.variable).words.width != 8 && window.order != Order::Big {
            return refuse("words that are little-endian in a string");
        }
        let start = self.number(&window.start);
        let name = self.name(window.variable);
        Ok(if start == "0" { name } else { format!("({name} + {start})") })
    }

    /// Puts the pieces of a text to a place, one after the other.
    fn assemble(&mut self, text: &[Piece], to: &str) -> Written<()> {
        let mut at = Number::default();
        for piece in text {
            let length = piece.length();
            let place = format!("{to} + {}", self.number(&at));
            let bytes = self.number(&length);
            match piece {
                Piece::Window(window) => {
                    let from = self.window(window)?;
                    // A place that does not exist has no address.
                    self.line(&format!("if ({bytes} > 0) memmove({place}, {from}, (size_t)({bytes}));"));
                }
                Piece::Padding { first, last, .. } => {
                    self.line(&format!("if ({bytes} > 0) {{"));
                    self.line(&format!("  memset({place}, 0, (size_t)({bytes}));"));
                    if *first != 0 {
                        self.line(&format!("  ({place})[0] |= {first};"));
                    }
                    if *last != 0 {
                        self.line(&format!("  ({place})[{bytes} - 1] |= {last};"));
                    }
                    self.line("}");
                }
                Piece::Map { .. } => {
                    let value = self.byte(std::slice::from_ref(piece))?;
                    self.line(&format!(
                        "for (int64_t at = 0; at < {bytes}; at++) ({place})[at] = (uint8_t)({value});"
                    ));
                }
            }
            at = at.plus(&length, 1).map_err(|_| Refusal("a string that is too long".into()))?;
        }
        Ok(())
    }

    /// The C of byte `at` of a text.
    fn byte(&mut self, text: &[Piece]) -> Written<String> {
        let [Piece::Map { operation, operands }] = text else {
            return Ok(format!("{}[at]", self.pointer(text)?.0));
        };
        let mut bytes = Vec::new();
        for operand in operands {
            bytes.push(self.byte(operand)?);
        }
        Ok(match (operation, &bytes[..]) {
            (ByteOperation::Not, [a]) => format!("~{a}"),
            (ByteOperation::And, [a, b]) => format!("({a} & {b})"),
            (ByteOperation::Or, [a, b]) => format!("({a} | {b})"),
            (ByteOperation::Xor, [a, b]) => format!("({a} ^ {b})"),
            _ => return refuse("an operation on a wrong number of strings"),
        })
    }

    fn define(&mut self, define: &Define) -> Written<()> {
        let to = self.window(&define.target)?;
        self.assemble(&define.value, &to)
    }

    // ---- Steps ----

    fn form(&mut self, node: &str) -> Written<Rc<Step>> {
        if let Some(known) = self.steps.get(node) {
            return Ok(Rc::clone(known));
        }
        let made = step::step(&self.message.program, node, self.message.cipher.as_ref());
        let made = Rc::new(made.map_err(|why| Refusal(format!("step `{node}`: {why}")))?);
        self.steps.insert(node.to_owned(), Rc::clone(&made));
        Ok(made)
    }

    fn bits(&self, id: VariableId) -> u32 {
        let words = self.message.variable(id).words;
        words.width * words.count
    }

    /// A kernel as a function of its own; the same for what is the same.
    fn kernel(
        &mut self,
        key: String,
        make: impl FnOnce(&str) -> Result<Program, Refusal>,
    ) -> Written<String> {
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let name = format!("{}_{}", self.symbol, self.known.len());
        let checked = usuba_machine::check(make(&name)?)
            .map_err(|flaws| Refusal(format!("malformed: {:?}", flaws.first().map(ToString::to_string))))?;
        self.kernels += &inline_source(&checked, &name, "static");
        self.kernels.push('\n');
        self.known.insert(key, name.clone());
        Ok(name)
    }

    /// A step by itself.
    fn single(&mut self, step: &form::Step) -> Written<()> {
        let mut draft = Draft::default();
        let form = self.form(&step.node)?;
        let mut inputs = Vec::new();
        for (source, &bits) in step.inputs.iter().zip(&form.inputs) {
            let (given, expression, places) = match source {
                Source::Variable(id) => {
                    let bits = self.bits(*id);
                    let given =
                        if bits > place::BITS { Given::Keys(bits / place::BITS) } else { Given::Same };
                    (given, self.name(*id), place::as_is(bits))
                }
                Source::Element(id, index) => {
                    let bits = self.bits(*id);
                    if bits != place::BITS {
                        return refuse("an element that is no block");
                    }
                    let index = self.number(index);
                    (Given::Same, format!("({} + 16 * ({index}))", self.name(*id)), place::as_is(bits))
                }
                Source::Text(text) => (Given::Same, self.block(text, bits / 8)?, place::as_is(bits)),
                Source::Words { text, width, order } => {
                    (Given::Same, self.block(text, bits / 8)?, words(bits, *width, *order))
                }
                Source::Word { number, width } => {
                    let name = self.fresh("number");
                    let value = self.number(number);
                    self.line(&format!("_Alignas(16) uint8_t {name}[16];"));
                    self.line(&format!("number({name}, (uint64_t)({value}));"));
                    (Given::Number, name, place::little_words(*width, *width))
                }
            };
            inputs.push((draft.give(given, expression), places));
        }
        draft.pending.push(Pending::Step(form, inputs));
        let mut after = Vec::new();
        for target in &step.outputs {
            let name = match target {
                form::Target::Variable(id) if self.bits(*id).is_multiple_of(place::BITS) => self.name(*id),
                form::Target::Variable(id) if !self.message.outputs.contains(id) => self.name(*id),
                form::Target::Variable(id) if self.bits(*id) > place::BITS => {
                    return refuse("an output that is several blocks and a part");
                }
                form::Target::Window(window) if window.length.as_constant() == Some(BLOCK) => {
                    self.window(window)?
                }
                form::Target::Variable(id) => {
                    let name = self.fresh("result");
                    self.line(&format!("_Alignas(16) uint8_t {name}[16];"));
                    after.push(format!("memcpy({}, {name}, {});", self.name(*id), self.bits(*id) / 8));
                    name
                }
                form::Target::Window(window) => {
                    let name = self.fresh("result");
                    self.line(&format!("_Alignas(16) uint8_t {name}[16];"));
                    let (to, length) = (self.window(window)?, self.number(&window.length));
                    after.push(format!("memcpy({to}, {name}, (size_t)({length}));"));
                    name
                }
                form::Target::Element(id, index) => {
                    format!("({} + 16 * ({}))", self.name(*id), self.number(index))
                }
            };
            let blocks = match target {
                form::Target::Variable(id) => step::blocks(self.bits(*id)),
                _ => 1,
            };
            draft.results.push(name.clone());
            draft.results.extend((1..blocks).map(|block| format!("{name} + {}", 16 * block)));
        }
        let results: Vec<Draw> = (0..draft.makes()).map(Draw::Made).collect();
        let (plan, given, results) = draft.finish(&results, &[]);
        let narrow = self.narrow;
        let kernel = self.kernel(format!("single {plan:?}"), |name| narrow.single(&plan, name))?;
        let casts = self.call(&kernel, (&plan, &given), None, &results);
        self.line(&casts);
        after.iter().for_each(|line| self.line(line));
        Ok(())
    }

    fn call(
        &self,
        kernel: &str,
        (plan, given): (&Plan, &[String]),
        bytes: Option<&str>,
        results: &[String],
    ) -> String {
        let given = plan.given.iter().zip(given).map(|(kind, one)| match kind {
            Given::Carried => one.clone(),
            _ => format!("(const void *)({one})"),
        });
        let bytes = bytes.map(str::to_owned);
        let results = results.iter().map(|one| format!("(void *)({one})"));
        let all: Vec<String> = given.chain(bytes).chain(results).collect();
        format!("{kernel}({});", all.join(", "))
    }

    // ---- Loops ----

    fn repeat(&mut self, one: &Loop) -> Written<()> {
        let (text, fresh, depth) = (self.text.len(), self.fresh, self.depth);
        let drafted = match one.carried[..] {
            [] => self.positions(one),
            _ => self.linear(one).or_else(|why| {
                self.text.truncate(text);
                (self.fresh, self.depth) = (fresh, depth);
                self.scan(one, why)
            }),
        };
        if let Err(why) = drafted {
            self.text.truncate(text);
            (self.fresh, self.depth) = (fresh, depth);
            self.loops.push(LoopCode::OneByOne(why));
            return self.one_by_one(one);
        }
        Ok(())
    }

    fn one_by_one(&mut self, one: &Loop) -> Written<()> {
        for carried in &one.carried {
            self.copy(carried.variable, carried.first)?;
        }
        let (index, start, stop) = (one.index, self.number(&one.start), self.number(&one.stop));
        self.line(&format!("for (int64_t i{index} = {start}; i{index} < {stop}; i{index}++) {{"));
        self.depth += 1;
        self.body(&one.body)?;
        let carried: Vec<VariableId> = one.carried.iter().map(|one| one.variable).collect();
        let mut late = Vec::new();
        for carried_one in &one.carried {
            if carried.contains(&carried_one.next) && carried_one.next != carried_one.variable {
                let name = self.fresh("kept");
                let bytes = self.bits(carried_one.next).div_ceil(8).next_multiple_of(16);
                self.line(&format!("_Alignas(16) uint8_t {name}[{bytes}];"));
                self.line(&format!("memcpy({name}, {}, {bytes});", self.name(carried_one.next)));
                late.push(format!("memcpy({}, {name}, {bytes});", self.name(carried_one.variable)));
            }
        }
        for one in &one.carried {
            if !carried.contains(&one.next) {
                self.copy(one.variable, one.next)?;
            }
        }
        late.iter().for_each(|line| self.line(line));
        self.depth -= 1;
        self.line("}");
        Ok(())
    }

    fn copy(&mut self, to: VariableId, from: VariableId) -> Written<()> {
        if to == from {
            return Ok(());
        }
        let bytes = self.bits(to).div_ceil(8);
        let line = format!("memcpy({}, {}, {bytes});", self.name(to), self.name(from));
        self.line(&line);
        Ok(())
    }

    /// What the body of a loop does, as a plan whose `next` is what is carried; and the slots of the variables.
    fn draft(&mut self, one: &Loop, draft: &mut Draft) -> Written<Vec<Draw>> {
        let index = Term::Index(one.index);
        let mut results = Vec::new();
        for carried in &one.carried {
            if self.bits(carried.variable) > place::BITS {
                return refuse("more than a block is carried");
            }
            let Draw::Given(slot) = draft.give(Given::Carried, self.name(carried.variable)) else { continue };
            draft.carried.insert(carried.variable, slot);
        }
        for statement in &one.body {
            match statement {
                Statement::Step(step) => {
                    let form = self.form(&step.node)?;
                    let mut inputs = Vec::new();
                    for (source, &bits) in step.inputs.iter().zip(&form.inputs) {
                        inputs.push(self.source(source, bits, &index, draft)?);
                    }
                    let first = draft.makes();
                    draft.pending.push(Pending::Step(form, inputs));
                    for (target, slot) in step.outputs.iter().zip(first..) {
                        match target {
                            form::Target::Variable(id) if self.bits(*id) > place::BITS => {
                                return refuse("a position makes more than a block");
                            }
                            form::Target::Variable(id) => {
                                draft.made.insert(*id, slot);
                            }
                            form::Target::Window(window) => {
                                let place = self.strided(window, &index)?;
                                draft.results.push(place);
                                results.push(Draw::Made(slot));
                            }
                            form::Target::Element(..) => return refuse("an element of an array"),
                        }
                    }
                }
                Statement::Define(define) => {
                    let place = self.strided(&define.target, &index)?;
                    let value = self.value(&define.value, &index, draft)?;
                    draft.results.push(place);
                    results.push(value);
                }
                Statement::Loop(_) | Statement::If { .. } | Statement::Accept { .. } => {
                    return refuse("a loop or a choice inside");
                }
            }
        }
        Ok(results)
    }

    /// The head of a loop that is a kernel: whether it runs at all, its first position and their number.
    fn head(&mut self, one: &Loop) {
        let (start, stop) = (self.number(&one.start), self.number(&one.stop));
        self.line(&format!("if ({stop} > {start}) {{"));
        self.depth += 1;
        self.line(&format!("const int64_t i{} = {start}, many = {stop} - i{};", one.index, one.index));
    }

    fn foot(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// A loop whose positions do not depend on one another.
    fn positions(&mut self, one: &Loop) -> Written<()> {
        self.head(one);
        let mut draft = Draft::default();
        let results = self.draft(one, &mut draft)?;
        let (plan, given, results) = draft.finish(&results, &[]);
        let (wide, narrow) = (self.wide, self.narrow);
        let register = wide.in_register();
        let fast = self.kernel(format!("wide {plan:?}"), |name| wide.positions(&plan, name, GROUPS))?;
        let call = self.call(&fast, (&plan, &given), Some("(size_t)(16 * whole)"), &results);
        self.line(&format!("const int64_t whole = many - many % {register};"));
        self.line(&call);
        if register > 1 {
            let slow = self.kernel(format!("narrow {plan:?}"), |name| narrow.positions(&plan, name, 1))?;
            let moved = |(given, expression): (&Given, &String)| match given {
                Given::Each => format!("{expression} + 16 * whole"),
                _ => expression.clone(),
            };
            let rest: Vec<String> = plan.given.iter().zip(&given).map(moved).collect();
            let goals: Vec<String> = results.iter().map(|goal| format!("{goal} + 16 * whole")).collect();
            self.line("if (many > whole) {");
            for (given, expression) in plan.given.iter().zip(&given) {
                if *given == Given::Number {
                    self.line(&format!("  number({expression}, {expression}_value + (uint64_t)whole);"));
                }
            }
            let call = self.call(&slow, (&plan, &rest), Some("(size_t)(16 * (many - whole))"), &goals);
            self.line(&format!("  {call}"));
            self.line("}");
        }
        self.foot();
        self.loops.push(LoopCode::Map);
        Ok(())
    }

    /// A loop that goes on position by position.
    fn scan(&mut self, one: &Loop, why: Refusal) -> Written<()> {
        for carried in &one.carried {
            self.copy(carried.variable, carried.first)?;
        }
        self.head(one);
        let mut draft = Draft::default();
        let results = self.draft(one, &mut draft)?;
        let next = self.next(one, &draft)?;
        let (plan, given, results) = draft.finish(&results, &next);
        let narrow = self.narrow;
        let name = self.kernel(format!("scan {plan:?}"), |name| narrow.one_by_one(&plan, name))?;
        let call = self.call(&name, (&plan, &given), Some("(size_t)(16 * many)"), &results);
        self.line(&call);
        self.foot();
        self.loops.push(LoopCode::Scan(why));
        Ok(())
    }

    fn next(&self, one: &Loop, draft: &Draft) -> Written<Vec<Draw>> {
        let next = one.carried.iter().map(|carried| {
            let made = draft.made.get(&carried.next).map(|&slot| Draw::Made(slot));
            made.or_else(|| draft.carried.get(&carried.next).map(|&slot| Draw::Given(slot)))
        });
        next.collect::<Option<_>>().ok_or_else(|| Refusal("what is carried is not made in the loop".into()))
    }

    /// A loop that is a linear scan: many positions by powers, the rest one by one.
    fn linear(&mut self, one: &Loop) -> Written<()> {
        let [carried] = &one.carried[..] else { return refuse("not one thing is carried") };
        self.copy(carried.variable, carried.first)?;
        self.head(one);
        let mut draft = Draft::default();
        let results = self.draft(one, &mut draft)?;
        let [Draw::Made(next)] = self.next(one, &draft)?[..] else { return refuse("nothing is made") };
        if !results.is_empty() {
            return refuse("a linear scan with results");
        }
        // The step that makes the next value is the last one.
        let slow_plan = draft.clone().finish(&results, &[Draw::Made(next)]);
        let Some(Pending::Step(step, inputs)) = draft.pending.pop() else { return refuse("no step") };
        let before = draft.makes();
        let output = next.checked_sub(before).filter(|output| *output < step.outputs.len());
        let input = draft.carried.get(&carried.variable).copied();
        let at = inputs.iter().position(|(draw, _)| Some(*draw) == input.map(Draw::Given));
        let (Some(output), Some(at)) = (output, at) else {
            return refuse("another step makes the next value");
        };
        let is_fixed = |place: usize| match inputs.get(place) {
            Some((Draw::Given(slot), _)) => {
                matches!(draft.plan.given.get(*slot), Some(Given::Same | Given::Keys(_)))
            }
            _ => false,
        };
        let Some(linear) = linear(&step, at, output, &is_fixed) else { return refuse("no linear scan") };

        // The powers of the factor.
        let (wide, narrow) = (self.wide, self.narrow);
        let mut factor = Draft::default();
        let mut of_factor = Vec::new();
        for (place, (draw, places)) in inputs.iter().enumerate() {
            let draw = match draw {
                Draw::Given(slot) if is_fixed(place) => {
                    factor.give(draft.plan.given[*slot].clone(), draft.given[*slot].clone())
                }
                _ => Draw::Nothing,
            };
            of_factor.push((draw, places.clone()));
        }
        factor.pending.push(Pending::Step(Rc::new(linear.factor.clone()), of_factor));
        let (plan, given, _) = factor.finish(&[Draw::Made(0)], &[]);
        let counts = (wide.in_register(), SCANNED);
        let key = format!("{} {plan:?} {given:?}", wide.target.name);
        let product = linear.product;
        let maker =
            self.kernel(format!("powers {key}"), |name| narrow.powers(&plan, &product, counts, name))?;
        let bytes = 16 * (counts.0 + counts.1);
        let powers = match self.powers.get(&key) {
            Some(known) => known.clone(),
            None => {
                let of_key = given.iter().all(|one| one.starts_with("(prepared + "));
                let place = match of_key {
                    true => format!("(prepared + {})", self.room(bytes)),
                    false => self.fresh("powers"),
                };
                let call = self.call(&maker, (&plan, &given), None, std::slice::from_ref(&place));
                if of_key {
                    let _ = writeln!(self.preparation, "  {call}");
                    self.powers.insert(key, place.clone());
                } else {
                    self.line(&format!("_Alignas(64) uint8_t {place}[{bytes}];"));
                    self.line(&call);
                }
                place
            }
        };

        // What is added for each position.
        let addend = inputs
            .into_iter()
            .enumerate()
            .map(|(place, (draw, places))| (if place == at { Draw::Nothing } else { draw }, places));
        let addend = Pending::Step(Rc::new(linear.addend.clone()), addend.collect());
        draft.pending.push(addend);
        let (plan, given, _) = draft.finish(&[Draw::Made(before)], &[]);
        let fast =
            self.kernel(format!("linear {plan:?}"), |name| wide.linear(&plan, &product, SCANNED, name))?;
        let name = self.name(carried.variable);
        let register = wide.in_register();
        self.line(&format!("const int64_t whole = many - many % {register};"));
        let bytes = format!("{powers}, {powers} + {}, (size_t)(16 * whole)", 16 * counts.0);
        let call = self.call(&fast, (&plan, &given), Some(&bytes), std::slice::from_ref(&name));
        self.line(&format!("if (whole > 0) {call}"));
        if register > 1 {
            let (plan, given, _) = slow_plan;
            let slow = self.kernel(format!("scan {plan:?}"), |name| narrow.one_by_one(&plan, name))?;
            let moved = |(given, expression): (&Given, &String)| match given {
                Given::Each => format!("{expression} + 16 * whole"),
                _ => expression.clone(),
            };
            let rest: Vec<String> = plan.given.iter().zip(&given).map(moved).collect();
            let call = self.call(&slow, (&plan, &rest), Some("(size_t)(16 * (many - whole))"), &[]);
            self.line(&format!("if (many > whole) {call}"));
        }
        self.foot();
        self.loops.push(LoopCode::Linear);
        Ok(())
    }

    /// The first place of a window that goes on by a block from position to position.
    fn strided(&self, window: &Window, index: &Term) -> Written<String> {
        let (_, pace) = window.start.split(index);
        if window.length.as_constant() != Some(BLOCK) || pace != BLOCK {
            return refuse("a window that is not a block further for each position");
        }
        self.window(window)
    }

    fn source(
        &mut self,
        source: &Source,
        bits: u32,
        index: &Term,
        draft: &mut Draft,
    ) -> Written<(Draw, Places)> {
        Ok(match source {
            Source::Variable(id) => {
                let bits = self.bits(*id);
                let draw = match draft.made.get(id) {
                    Some(&slot) => Draw::Made(slot),
                    None if draft.carried.contains_key(id) => Draw::Given(draft.carried[id]),
                    None if bits > place::BITS => draft.give(Given::Keys(bits / place::BITS), self.name(*id)),
                    None => draft.give(Given::Same, self.name(*id)),
                };
                (draw, place::as_is(bits))
            }
            Source::Text(text) => (self.value(text, index, draft)?, place::as_is(bits)),
            Source::Words { text, width, order } => {
                (self.value(text, index, draft)?, words(bits, *width, *order))
            }
            Source::Word { number, width } => {
                let (_, pace) = number.split(index);
                if pace != 1 && pace != 0 {
                    return refuse("a number that does not go up by one");
                }
                let name = self.fresh("number");
                let value = self.number(number);
                self.line(&format!("const uint64_t {name}_value = (uint64_t)({value});"));
                self.line(&format!("_Alignas(16) uint8_t {name}[16];"));
                self.line(&format!("number({name}, {name}_value);"));
                if pace == 0 {
                    return refuse("a number that is the same for all positions");
                }
                (draft.give(Given::Number, name), place::little_words(*width, *width))
            }
            Source::Element(..) => return refuse("an element of an array"),
        })
    }

    /// A block that a text is, at each position.
    fn value(&mut self, text: &Text, index: &Term, draft: &mut Draft) -> Written<Draw> {
        let [piece] = &text[..] else { return refuse("a block of several pieces") };
        match piece {
            Piece::Window(window) => {
                let made = draft.made.get(&window.variable).map(|&slot| Draw::Made(slot));
                let carried = draft.carried.get(&window.variable).map(|&slot| Draw::Given(slot));
                if let Some(draw) = made.or(carried) {
                    let whole =
                        window.start.as_constant() == Some(0) && window.length.as_constant() == Some(BLOCK);
                    return if whole { Ok(draw) } else { refuse("a part of a block") };
                }
                if window.start.mentions(index) {
                    let place = self.strided(window, index)?;
                    return Ok(draft.give(Given::Each, place));
                }
                let bytes = window.length.as_constant().and_then(|bytes| u32::try_from(bytes).ok());
                let Some(bytes) = bytes else { return refuse("a part of a block") };
                let block = self.block(text, bytes)?;
                Ok(draft.give(Given::Same, block))
            }
            Piece::Padding { .. } => refuse("a block of zeros"),
            Piece::Map { operation, operands } => {
                let mut draws = Vec::new();
                for operand in operands {
                    draws.push(self.value(operand, index, draft)?);
                }
                let made = draft.makes();
                draft.pending.push(match (operation, &draws[..]) {
                    (ByteOperation::Not, [a]) => Pending::Not(*a),
                    (ByteOperation::And, [a, b]) => Pending::Binary(BinaryOp::And, *a, *b),
                    (ByteOperation::Or, [a, b]) => Pending::Binary(BinaryOp::Or, *a, *b),
                    (ByteOperation::Xor, [a, b]) => Pending::Binary(BinaryOp::Xor, *a, *b),
                    _ => return refuse("an operation on a wrong number of strings"),
                });
                Ok(Draw::Made(made))
            }
        }
    }
}

fn words(bits: u32, width: u32, order: Order) -> Places {
    match order {
        Order::Big => place::as_is(bits),
        Order::Little => place::little_words(bits, width),
    }
}

/// Letters, digits and `_`.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
