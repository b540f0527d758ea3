//! A message around its kernels, in C: public numbers, choices and loops on them, and strings cut into blocks. What is secret
//! goes through kernels, copies and exclusive ors of bytes only.

use crate::glue::{BLOCK, LoopCode, Writer, Written, refuse};
use crate::helpers;
use crate::machine::Machine;
use crate::plan::Refusal;
use crate::step::node_of;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use usuba_codegen::{assembly_file, inline_definitions};
use usuba_lang::source::Sources;
use usuba_message::form::{
    self, ByteOperation, Condition, Define, Message, Order, Piece, Sameness, Source, Statement, Text,
    VariableId, Window,
};
use usuba_message::incremental::Incremental;
use usuba_message::number::{Number, Term};
use usuba_message::passes::fuse;

/// Bits of the lengths that messages take, in bytes or in elements.
pub const LENGTH_BITS: u32 = 48;

/// A message as C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// The declaration of what is done once for a key.
    pub prepare: String,
    /// Bytes that it writes.
    pub prepared: usize,
    /// What is done once for a key, whatever the message is called: of two messages with the same text here, one may read what the
    /// other has prepared.
    pub preparation: String,
    /// The declaration of what is done for a message.
    pub prototype: String,
    /// The declarations of the functions that the cipher is, where it is not on blocks: of so many blocks, by the key that the
    /// message is given.
    pub ciphers: Vec<String>,
    /// The source file.
    pub source: String,
    /// The functions in assembly that it calls, as a file; empty if there are none.
    pub assembly: String,
    /// What the loops are, in order.
    pub loops: Vec<LoopCode>,
    /// The functions for strings that come in pieces, if they were asked for.
    pub pieces: Option<Pieces>,
}

impl Code {
    /// The declarations of the functions that are called for a message: the whole, the parts and their counts.
    pub fn functions(&self) -> impl Iterator<Item = &String> {
        let pieces = self.pieces.iter().flat_map(|pieces| pieces.parts.iter().chain(&pieces.counts));
        std::iter::once(&self.prototype).chain(pieces)
    }
}

/// The functions of a message in parts, which the source defines and does not declare.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pieces {
    /// The declarations of `symbol_part0` and so on, one for each part: all of one type. They are given the lengths by their
    /// places in the message of the parts, what is prepared, what is kept between parts, and inputs and outputs by their places
    /// in the whole message; what a part does not know is not looked at.
    pub parts: Vec<String>,
    /// The declarations of `symbol_count0` and so on, one for each string: how many blocks of it are taken once so much of it
    /// has come, more of which may follow.
    pub counts: Vec<String>,
    /// Bytes of what is kept, aligned to 8 bytes.
    pub kept: usize,
}

/// The C of a message that has been through the passes, under the name `symbol`. `blocks`: a
/// machine for many positions, and one with registers of one block, for steps that are on blocks; other steps are on words of
/// general-purpose registers, and if `functions` is set the cipher is then functions that the source declares and does not
/// define ([`Code::ciphers`]). With both, products are on blocks around these functions.
///
/// `symbol_prepare` gets the inputs that are the same for a key, and where to write what follows from them, aligned to 64 bytes.
/// `symbol` gets the lengths, then that, then the inputs, then the outputs in order; round keys word by word, each from its least
/// significant byte. It returns 0; 1 if the message is refused, all outputs being zero; 2 if the lengths do not fit. The source
/// declares neither of the two: that is left to a header, which it does not include.
///
/// With `pieces`, the parts of the message, the source has functions for these too ([`Pieces`]), which read what the same function
/// has prepared.
///
/// # Errors
/// A step that is more than blocks.
pub fn code(
    message: &Message,
    sources: &Sources,
    blocks: Option<(&Machine<'_>, &Machine<'_>)>,
    functions: bool,
    symbol: &str,
    pieces: Option<&Incremental>,
) -> Result<Code, Refusal> {
    let fused = |message: &Message| {
        let mut fused = message.clone();
        // Around a function of the cipher, its loop is one by itself.
        if blocks.is_some() && !functions {
            fuse(&mut fused).map_err(|_| Refusal("a number that does not fit".into()))?;
        }
        Ok(fused)
    };
    let whole = message;
    let message = &fused(message)?;
    let parts = pieces.map_or(&[][..], |pieces| &pieces.parts);
    let parts: Vec<Message> = parts.iter().map(|part| fused(&part.message)).collect::<Result<_, _>>()?;
    let words = usuba_target::by_name("gp64").ok_or_else(|| Refusal("no machine of words".into()))?;
    let keys = message.inputs.iter().copied();
    let keys: BTreeSet<VariableId> =
        keys.filter(|&id| message.variable(id).sameness == Sameness::Key).collect();
    let mut writer = Writer::new(message, sources, blocks, symbol, words);
    writer.roles = roles(message);
    writer.functions = functions;
    writer.of_key = keys.clone();
    writer.prepare()?;
    writer.body(&message.body)?;
    let (prototype, prepare) = (writer.prototype(), writer.prepare_prototype(&keys));
    let loops = std::mem::take(&mut writer.loops);
    let main = writer.function_of_message(&prototype);
    let (made, in_pieces) = match pieces {
        Some(pieces) => {
            let (made, pieces) = writer.pieces(whole, pieces, &parts)?;
            (made, Some(pieces))
        }
        None => (String::new(), None),
    };
    let mut source = inline_definitions(blocks.map_or(words, |(wide, _)| wide.target));
    source += "#include <stddef.h>\n\n";
    let called = writer.called(&[&main, &made, &writer.preparation]);
    source += &helpers::definitions(&[&called, &main, &made]);
    source += &helpers::helpers(&[&main, &made, &writer.preparation, &called]);
    let ciphers: Vec<String> = writer.ciphers.iter().cloned().collect();
    for cipher in &ciphers {
        let _ = write!(source, "\n{cipher};");
    }
    let _ = write!(source, "\n{called}");
    let inputs = keys.iter().map(|&id| writer.name(id)).chain(["prepared".into()]);
    let unused = inputs.filter(|name| !writer.preparation.contains(name));
    let unused: String = unused.map(|name| format!("  (void){name};\n")).collect();
    let _ = write!(source, "{prepare}\n{{\n{unused}{}}}\n\n", writer.preparation);
    let _ = write!(source, "{main}{made}");
    let assembly: Vec<String> = writer
        .assembly
        .iter()
        .filter(|(name, _)| source.contains(&format!("{name}(")))
        .map(|(_, text)| text.clone())
        .collect();
    let assembly = if assembly.is_empty() { String::new() } else { assembly_file(&assembly) };
    let preparation = writer.called(&[&writer.preparation]) + &writer.preparation;
    Ok(Code {
        prepare,
        prepared: writer.prepared,
        preparation: renumbered(&preparation, symbol),
        prototype,
        ciphers,
        source,
        assembly,
        loops,
        pieces: in_pieces,
    })
}

impl<'a> Writer<'a> {
    pub(crate) fn new(
        message: &'a Message,
        sources: &'a Sources,
        blocks: Option<(&'a Machine<'a>, &'a Machine<'a>)>,
        symbol: &'a str,
        words: &'static usuba_target::Target,
    ) -> Writer<'a> {
        Writer {
            message,
            sources,
            blocks,
            words,
            word_steps: BTreeMap::new(),
            roles: Vec::new(),
            functions: false,
            made_key: None,
            in_pieces: false,
            ciphers: BTreeSet::new(),
            symbol,
            kernels: Vec::new(),
            assembly: Vec::new(),
            known: BTreeMap::new(),
            steps: BTreeMap::new(),
            of_key: BTreeSet::new(),
            places: BTreeMap::new(),
            kept: BTreeMap::new(),
            prepared: 0,
            preparation: String::new(),
            powers: BTreeMap::new(),
            queue: None,
            queue_bytes: 0,
            text: String::new(),
            depth: 1,
            fresh: 0,
            in_loop: false,
            carried: BTreeMap::new(),
            lane: None,
            loops: Vec::new(),
            hidden: BTreeSet::new(),
            is_rare: false,
        }
    }
}

impl Writer<'_> {
    pub(crate) fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "  ".repeat(self.depth));
    }

    pub(crate) fn fresh(&mut self, name: &str) -> String {
        self.fresh += 1;
        format!("{name}{}", self.fresh)
    }

    // ---- The function ----

    /// What stands before the names of variables: a lane has them in memory of its own.
    pub(crate) fn within(&self) -> &'static str {
        if self.lane.is_some() { "s->" } else { "" }
    }

    /// Memory for so many bytes, of which `zero` says whether it has zeros at first.
    pub(crate) fn declare(&mut self, name: &str, bytes: u32, zero: bool) -> String {
        let name = self.fresh(name);
        let Some(lane) = &mut self.lane else {
            let zeros = if zero { " = {0}" } else { "" };
            self.line(&format!("_Alignas(16) uint8_t {name}[{bytes}]{zeros};"));
            return name;
        };
        lane.fields.push(format!("uint8_t {name}[{bytes}];"));
        let name = format!("s->{name}");
        if zero {
            self.line(&format!("memset({name}, 0, {bytes});"));
        }
        name
    }

    pub(crate) fn name(&self, id: VariableId) -> String {
        if let Some(name) = self.carried.get(&id) {
            return name.clone();
        }
        if let Some(place) = self.places.get(&id) {
            return format!("({}prepared + {place})", self.within());
        }
        if let Some(place) = self.kept.get(&id) {
            return format!("(kept + {place})");
        }
        format!("{}v{}_{}", self.within(), id.0, identifier(&self.message.variable(id).name))
    }

    pub(crate) fn prototype(&self) -> String {
        let all: Vec<String> = self.parameters().iter().map(|(ty, name)| format!("{ty}{name}")).collect();
        format!("int {}({})", self.symbol, all.join(", "))
    }

    /// The parameters of the function of a message, each with its type before it.
    pub(crate) fn parameters(&self) -> Vec<(&'static str, String)> {
        let lengths = self.message.lengths.iter().enumerate();
        let lengths = lengths.map(|(place, name)| ("size_t ", format!("l{place}_{}", identifier(name))));
        let inputs = self.message.inputs.iter().map(|&id| ("const uint8_t *", self.name(id)));
        let outputs = self.message.outputs.iter().map(|&id| ("uint8_t *", self.name(id)));
        lengths.chain([("const uint8_t *", "prepared".to_owned())]).chain(inputs).chain(outputs).collect()
    }

    pub(crate) fn prepare_prototype(&self, keys: &BTreeSet<VariableId>) -> String {
        let inputs = self.message.inputs.iter().filter(|id| keys.contains(id));
        let inputs = inputs.map(|&id| format!("const uint8_t *{}, ", self.name(id)));
        format!("void {}_prepare({}uint8_t *prepared)", self.symbol, inputs.collect::<String>())
    }

    /// Bytes that are prepared, at a place that is a multiple of 64.
    pub(crate) fn room(&mut self, bytes: usize) -> usize {
        let place = self.prepared;
        self.prepared += bytes.next_multiple_of(64);
        place
    }

    /// Does once for a key what depends on nothing else.
    pub(crate) fn prepare(&mut self) -> Written<()> {
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
            if made.iter().all(|id| self.places.contains_key(id)) {
                continue;
            }
            for &id in &made {
                let place = self.room((self.bits(id) as usize).div_ceil(8));
                self.places.insert(id, place);
            }
            self.single(step)?;
            self.of_key.extend(made);
        }
        self.preparation += &std::mem::take(&mut self.text);
        Ok(())
    }

    /// The function of a message, whose text has been written.
    fn function_of_message(&mut self, prototype: &str) -> String {
        let checks = self.lengths(true) + &self.conditions();
        let any = self.unused() + &self.locals() + &std::mem::take(&mut self.text);
        format!("{prototype}\n{{\n{checks}{any}  return 0;\n}}\n")
    }

    /// The lengths as numbers. `checked`: so that nothing that is made of them is beyond 64 bits.
    fn lengths(&self, checked: bool) -> String {
        let mut text = String::new();
        for (place, name) in self.message.lengths.iter().enumerate() {
            let name = identifier(name);
            if checked {
                let _ = writeln!(text, "  if ((uint64_t)l{place}_{name} >> {LENGTH_BITS} != 0) return 2;");
            }
            let _ = writeln!(text, "  const int64_t n{place}_{name} = (int64_t)l{place}_{name};");
            let _ = writeln!(text, "  (void)n{place}_{name};");
        }
        text
    }

    /// What the text does not need of what the function is given.
    fn unused(&self) -> String {
        let inputs = self.message.inputs.iter().map(|&id| self.name(id));
        let unused = inputs.chain(["prepared".into()]).filter(|name| !self.text.contains(name));
        unused.map(|name| format!("  (void){name};\n")).collect()
    }

    /// That the conditions hold.
    pub(crate) fn conditions(&self) -> String {
        let mut text = String::new();
        for condition in &self.message.conditions {
            let _ = writeln!(text, "  if (!{}) return 2;", self.condition(condition));
        }
        text
    }

    /// Room for the variables of a constant size.
    pub(crate) fn locals(&mut self) -> String {
        let mut text = String::new();
        if self.queue_bytes > 0 {
            let _ = writeln!(text, "  _Alignas(64) uint8_t queue[{}] = {{0}};", self.queue_bytes);
            let _ = writeln!(text, "  int64_t queued = 0;");
        }
        for number in 0..self.message.variables.len() as u32 {
            let id = VariableId(number);
            let variable = self.message.variable(id);
            let parameter = self.message.inputs.contains(&id) || self.message.outputs.contains(&id);
            if parameter || variable.count.is_some() || self.is_elsewhere(id) {
                continue;
            }
            let bytes = (variable.words.width * variable.words.count).div_ceil(8).next_multiple_of(16);
            let name = self.name(id);
            if let Some(lane) = &mut self.lane {
                if self.text.contains(&name) {
                    lane.fields.push(format!("uint8_t {}[{bytes}];", name.trim_start_matches("s->")));
                }
                continue;
            }
            // Steps on words store whole words, so that nothing is read which was not stored. GCC does not see that of one word
            // with as many bytes behind it.
            let bits = variable.words.width * variable.words.count;
            let whole = self.blocks.is_none() && bits > 64 && bits.is_multiple_of(64);
            let zeros = if whole { "" } else { " = {0}" };
            if self.text.contains(&name) {
                let _ = writeln!(text, "  _Alignas(16) uint8_t {name}[{bytes}]{zeros};");
            }
        }
        text
    }

    /// Whether a variable is no local of the function.
    pub(crate) fn is_elsewhere(&self, id: VariableId) -> bool {
        let is_kept = self.places.contains_key(&id) || self.kept.contains_key(&id);
        is_kept || self.made_key == Some(id) || self.hidden.contains(&id)
    }

    /// Statements, after which nothing waits.
    pub(crate) fn body(&mut self, body: &[Statement]) -> Written<()> {
        self.statements(body)?;
        self.empty();
        Ok(())
    }

    pub(crate) fn statements(&mut self, body: &[Statement]) -> Written<()> {
        let mut behind = 0;
        for (place, statement) in body.iter().enumerate() {
            if place < behind {
                continue;
            }
            self.empty_before(statement);
            let (text, fresh, loops) = (self.text.len(), self.fresh, self.loops.len());
            match self.chain(&body[place..]) {
                Ok(statements) => {
                    behind = place + statements;
                    continue;
                }
                Err(_) => {
                    self.text.truncate(text);
                    self.fresh = fresh;
                    self.loops.truncate(loops);
                }
            }
            match statement {
                Statement::Step(step) => {
                    let done = |target: &form::Target| matches!(target, form::Target::Variable(id) if self.places.contains_key(id));
                    if step.outputs.is_empty() || !step.outputs.iter().all(done) {
                        self.single(step)?;
                    }
                }
                Statement::Define(define) => self.define(define)?,
                Statement::Loop(one) => self.repeat(one)?,
                Statement::If { condition, then, otherwise }
                    if has_loops(then) != has_loops(otherwise) && {
                        let condition = self.condition(condition);
                        let (rare, frequent) =
                            if has_loops(then) { (then, otherwise) } else { (otherwise, then) };
                        self.apart_branch(&condition, (rare, frequent), has_loops(otherwise)).is_ok()
                    } => {}
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

    pub(crate) fn accept(&mut self, left: &Text, right: &Text) -> Written<()> {
        let length = self.number(&form::length(left));
        let (left, right) = (self.byte(left)?, self.byte(right)?);
        let difference = self.fresh("difference");
        let (refused, lane) = match self.lane {
            Some(_) => ("  { s->result = 1; return 0; }", true),
            None => ("  return 1;", false),
        };
        if lane {
            self.line("{");
        }
        self.line(&format!("unsigned {difference} = 0;"));
        let bytewise = format!(
            "for (int64_t at = 0; at < {length}; at++) {difference} |= (unsigned)({left} ^ {right});"
        );
        match (left.strip_suffix("[at]"), right.strip_suffix("[at]")) {
            (Some(left), Some(right)) => {
                self.line(&format!("if ({length} == 16) {difference} = differ({left}, {right});"));
                self.line(&format!("else {bytewise}"));
            }
            _ => self.line(&bytewise),
        }
        self.line(&format!("if ({difference} != 0) {{"));
        for &output in &self.message.outputs {
            let bytes = self.message.variable(output).bytes();
            let bytes = bytes.ok_or_else(|| Refusal("an output that is not bytes".into()))?;
            let (name, bytes) = (self.name(output), self.number(&bytes));
            self.line(&format!("  if ({bytes} > 0) memset({name}, 0, (size_t)({bytes}));"));
        }
        self.line(refused);
        self.line("}");
        if lane {
            self.line("}");
        }
        Ok(())
    }

    /// The kernels that are called by texts.
    pub(crate) fn called(&self, callers: &[&str]) -> String {
        let mut kept: Vec<&str> = Vec::new();
        let calls = |text: &str, name: &str| text.contains(&format!("{name}("));
        for (name, text) in self.kernels.iter().rev() {
            let used = callers.iter().any(|text| calls(text, name));
            if used || kept.iter().any(|text| calls(text, name)) {
                kept.push(text);
            }
        }
        kept.reverse();
        kept.concat()
    }

    // ---- Numbers ----

    pub(crate) fn number(&self, number: &Number) -> String {
        let mut parts = Vec::new();
        for (term, factor) in number.terms() {
            let term = match term {
                Term::Length(place) => {
                    let name = self.message.lengths.get(*place as usize);
                    format!("{}n{place}_{}", self.within(), identifier(name.map_or("", String::as_str)))
                }
                Term::Index(place) => format!("{}i{place}", self.within()),
                // Rounded down, as shifts to the right are.
                Term::Quotient(of, by) if by.count_ones() == 1 => {
                    format!("(({}) >> {})", self.number(of), by.trailing_zeros())
                }
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

    pub(crate) fn condition(&self, condition: &Condition) -> String {
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
    pub(crate) fn pointer(&mut self, text: &[Piece]) -> Written<(String, String)> {
        if let [Piece::Window(window)] = text {
            return Ok((self.window(window)?, self.number(&window.length)));
        }
        let length = form::length(text);
        let bytes = length.as_constant().filter(|bytes| (0..=64).contains(bytes));
        let Some(bytes) = bytes else { return refuse("a string of pieces that is longer than a block") };
        let name = self.declare("text", bytes.max(BLOCK) as u32, true);
        self.assemble(text, &name)?;
        Ok((name, bytes.to_string()))
    }

    /// So many bytes in C that are a text, in aligned memory, with zeros behind it to whole blocks.
    pub(crate) fn bytes(&mut self, text: &Text, bytes: u32) -> Written<String> {
        let room = bytes.next_multiple_of(16).max(16);
        if let [Piece::Window(window), Piece::Padding { first, last, .. }] = &text[..]
            && self.blocks.is_none()
            && bytes.is_multiple_of(8)
            && let Ok(from) = self.window(window)
        {
            let length = self.number(&window.length);
            let name = self.declare("text", room, false);
            self.line(&format!("padded({name}, {bytes}, {from}, {length}, {first}, {last});"));
            return Ok(name);
        }
        let name = self.declare("text", room, true);
        self.assemble(text, &name)?;
        Ok(name)
    }

    /// Sixteen bytes in C that begin with a text of so many bytes, zeros behind it. For all lengths that fulfil the conditions a
    /// text that a step is given has the length that the step wants.
    pub(crate) fn block(&mut self, text: &Text, bytes: u32) -> Written<String> {
        let length = i64::from(bytes);
        match &text[..] {
            [Piece::Window(window)] if length == BLOCK => self.window(window),
            _ if length <= BLOCK => {
                let name = self.fresh("block");
                self.line(&format!("_Alignas(16) uint8_t {name}[16] = {{0}};"));
                // Two pieces in whole words, which never are stored by themselves.
                if let [Piece::Window(first), Piece::Window(second)] = &text[..]
                    && self.blocks.is_some()
                    && let Some(behind @ (4 | 8 | 12)) = second.length.as_constant()
                    && length == BLOCK
                {
                    let (at, end, bytes) =
                        (self.window(first), self.window(second), self.number(&first.length));
                    if let (Ok(at), Ok(end)) = (at, end) {
                        let front = BLOCK - behind;
                        self.line(&format!("if ({bytes} == {front}) joined({name}, {at}, {end}, {front});"));
                        self.line("else {");
                        self.depth += 1;
                        self.assemble(text, &name)?;
                        self.foot();
                        return Ok(name);
                    }
                }
                self.assemble(text, &name)?;
                Ok(name)
            }
            _ => refuse("a string that is longer than a block"),
        }
    }

    /// Whether a variable lies in memory of the function, in whole words.
    fn is_local(&self, id: VariableId) -> bool {
        let variable = self.message.variable(id);
        let parameter = self.message.inputs.contains(&id) || self.message.outputs.contains(&id);
        !parameter && variable.count.is_none() && !self.is_elsewhere(id)
    }

    pub(crate) fn window(&self, window: &Window) -> Written<String> {
        if self.reversed(window) != 0 {
            return refuse("words that are big-endian in a string");
        }
        let start = self.number(&window.start);
        let name = self.name(window.variable);
        Ok(if start == "0" { name } else { format!("({name} + {start})") })
    }

    /// What is added modulo 2 to the place of a byte in a string for its place in memory, where words are little-endian.
    fn reversed(&self, window: &Window) -> u32 {
        let bytes = self.message.variable(window.variable).words.width / 8;
        if bytes.is_power_of_two() && window.order == Order::Big { bytes - 1 } else { 0 }
    }

    /// Puts the pieces of a text to a place, one after the other.
    pub(crate) fn assemble(&mut self, text: &[Piece], to: &str) -> Written<()> {
        let mut at = Number::default();
        for piece in text {
            let length = piece.length();
            let place = format!("{to} + {}", self.number(&at));
            let bytes = self.number(&length);
            match piece {
                Piece::Window(window) if self.reversed(window) == 0 => {
                    let from = self.window(window)?;
                    if self.blocks.is_none()
                        && text.len() == 1
                        && length.as_constant().is_none()
                        && window.start.as_constant() == Some(0)
                        && self.is_local(window.variable)
                    {
                        self.line(&format!("give({place}, {from}, {bytes});"));
                        continue;
                    }
                    // A block is moved as such, for which compilers need no memory.
                    if text.len() == 1 && length.as_constant().is_none() {
                        self.line(&format!("if ({bytes} == 16) memcpy({place}, {from}, 16);"));
                        self.line("else");
                    }
                    // A place that does not exist has no address.
                    let exists = match length.as_constant() {
                        Some(1..) => String::new(),
                        _ => format!("if ({bytes} > 0) "),
                    };
                    self.line(&format!("{exists}memmove({place}, {from}, (size_t)({bytes}));"));
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
                Piece::Window(_) | Piece::Map { .. } => {
                    let piece = std::slice::from_ref(piece);
                    // A length that is not known is that of a last block. GCC makes vectors of bytes that it cannot have.
                    if let Some(whole) = length.as_constant()
                        && let Some(value) = self.word(piece)?
                    {
                        self.line("{");
                        self.depth += 1;
                        self.line("int64_t at = 0;");
                        self.line(&format!(
                            "for (; at + 8 <= {whole}; at += 8) put64({place} + at, {value});"
                        ));
                        if whole % 8 != 0 {
                            let value = self.byte(piece)?;
                            let one = format!("({place})[at] = (uint8_t)({value});");
                            self.line(&format!("for (; at < {whole}; at++) {one}"));
                        }
                        self.foot();
                    } else {
                        let value = self.byte(piece)?;
                        self.line(&format!(
                            "for (int64_t at = 0; at < {bytes}; at++) ({place})[at] = (uint8_t)({value});"
                        ));
                    }
                }
            }
            at = at.plus(&length, 1).map_err(|_| Refusal("a string that is too long".into()))?;
        }
        Ok(())
    }

    /// The C of the eight bytes of an operation on strings from byte `at` on, as a word, if these lie one behind the other.
    fn word(&mut self, text: &[Piece]) -> Written<Option<String>> {
        Ok(match text {
            [Piece::Map { operation, operands }] => {
                let mut words = Vec::new();
                for operand in operands {
                    let Some(word) = self.word(operand)? else { return Ok(None) };
                    words.push(word);
                }
                Some(operated(*operation, &words)?)
            }
            [Piece::Window(window)] if self.reversed(window) == 0 => {
                Some(format!("word64({} + at)", self.window(window)?))
            }
            _ => None,
        })
    }

    /// The C of byte `at` of a text.
    pub(crate) fn byte(&mut self, text: &[Piece]) -> Written<String> {
        if let [Piece::Window(window)] = text
            && self.reversed(window) != 0
        {
            let (name, start) = (self.name(window.variable), self.number(&window.start));
            return Ok(format!("{name}[({start} + at) ^ {}]", self.reversed(window)));
        }
        let [Piece::Map { operation, operands }] = text else {
            return Ok(format!("{}[at]", self.pointer(text)?.0));
        };
        let bytes = operands.iter().map(|operand| self.byte(operand)).collect::<Written<Vec<_>>>()?;
        operated(*operation, &bytes)
    }

    pub(crate) fn define(&mut self, define: &Define) -> Written<()> {
        let to = self.window(&define.target)?;
        self.assemble(&define.value, &to)
    }
}

/// An operation on bytes, or words of them, in C.
fn operated(operation: ByteOperation, operands: &[String]) -> Written<String> {
    Ok(match (operation, operands) {
        (ByteOperation::Not, [a]) => format!("~{a}"),
        (ByteOperation::And, [a, b]) => format!("({a} & {b})"),
        (ByteOperation::Or, [a, b]) => format!("({a} | {b})"),
        (ByteOperation::Xor, [a, b]) => format!("({a} ^ {b})"),
        _ => return refuse("an operation on a wrong number of strings"),
    })
}

/// Whether statements have a loop.
fn has_loops(body: &[Statement]) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Loop(_) => true,
        Statement::If { then, otherwise, .. } => has_loops(then) || has_loops(otherwise),
        Statement::Step(_) | Statement::Define(_) | Statement::Accept { .. } => false,
    })
}

/// The roles of the cipher of a message with their nodes.
pub(crate) fn roles(message: &Message) -> Vec<(&'static str, String)> {
    let role = |role: &'static str| {
        let cipher = message.cipher.as_ref()?;
        Some((role, node_of(&message.program, &cipher.name, role)?))
    };
    ["encrypt", "decrypt"].into_iter().filter_map(role).collect()
}

/// A text whose functions are numbered as they come, under a name that all messages have: what else a message calls has numbers too.
fn renumbered(text: &str, symbol: &str) -> String {
    let mut numbers: Vec<&str> = Vec::new();
    let mut parts = text.split(symbol);
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        made += "message";
        let digits =
            part.strip_prefix('_').map_or(0, |rest| rest.chars().take_while(char::is_ascii_digit).count());
        if digits == 0 {
            made += part;
            continue;
        }
        let (number, rest) = part[1..].split_at(digits);
        let place = numbers.iter().position(|known| *known == number).unwrap_or_else(|| {
            numbers.push(number);
            numbers.len() - 1
        });
        made += &format!("_{place}{rest}");
    }
    made
}

/// Letters, digits and `_`.
pub(crate) fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::renumbered;

    #[test]
    fn what_messages_prepare_is_told_apart_by_what_it_does() {
        let one = "void seal_0_words(); seal_0(); seal_15(x); seal_encrypt(x); seal_0();";
        let other = "void open_2_words(); open_2(); open_1(x); open_encrypt(x); open_2();";
        assert_eq!(renumbered(one, "seal"), renumbered(other, "open"));
        assert_ne!(renumbered("seal_0(); seal_1();", "seal"), renumbered("open_0(); open_0();", "open"));
    }
}
