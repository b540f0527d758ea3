//! Several messages side by side: a message as a function that goes on until it needs a permutation, or its cipher.
//!
//! What a message computes one block after the other leaves a machine's vectors empty; other messages can fill them. Here a message
//! is a *lane*: memory for what it knows, and a function that goes on from where it was, puts what is to be permuted to a place
//! that it is given, and says which permutation it needs, or that it needs the cipher. Who calls it has many lanes, and computes that of
//! all their states at once.
//!
//! It is the same text as that of one message ([`crate::message`]); the nodes that are computed for all lanes are calls of
//! functions ([`crate::phases`]), and variables are members of a structure.

use crate::glue::{Lane, Parts, Writer, Written, refuse};
use crate::helpers;
use crate::message::{LENGTH_BITS, identifier, roles};
use crate::phases::Apart;
use crate::plan::Refusal;
use crate::schedule::makes_keys;
use std::fmt::Write;
use usuba_codegen::inline_definitions;
use usuba_lang::source::Sources;
use usuba_message::form::{Message, Sameness};

/// The lanes of a message as C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Code {
    /// The structure and the functions, all of them static: `symbol_begin`, which takes a lane and what the message takes, whose
    /// result is 2 if the lengths do not fit, else 0; and `symbol_step`, which goes on, and returns 0 at the end, the result of the
    /// message being `result`, or the number of the node that is to be computed on what lies at `state`: from 1 on those that are
    /// apart, then encryption, then decryption by the cipher.
    pub source: String,
}

/// The lanes of a message that has been through the passes, all steps being on words. `apart`: the nodes that are computed for
/// all lanes at once; so is the cipher of the message, if it has one. What is prepared is what [`crate::message::code`] prepares for
/// words.
///
/// # Errors
/// A step that has no code, or a message that makes keys of its own.
pub fn code(message: &Message, sources: &Sources, apart: &[Apart], symbol: &str) -> Result<Code, Refusal> {
    if makes_keys(message) {
        return refuse("a message with keys of its own: lanes have one key");
    }
    let words = usuba_target::by_name("gp64").ok_or_else(|| Refusal("no machine of words".into()))?;
    let mut writer = Writer::new(message, sources, None, symbol, words);
    writer.roles = roles(message);
    writer.functions = message.cipher.is_some();
    let keys = message.inputs.iter().copied();
    writer.of_key = keys.filter(|&id| message.variable(id).sameness == Sameness::Key).collect();
    writer.prepare()?;
    writer.word_steps.clear();
    let lane = Lane { apart: apart.to_vec(), fields: Vec::new(), points: 0, waits: true };
    writer.lane = Some(lane);
    writer.text.clear();
    writer.depth = 2;
    writer.in_loop = true;
    writer.body(&message.body)?;
    writer.locals();
    let main = std::mem::take(&mut writer.text);
    let conditions = writer.conditions();
    let fields = writer.lane.take().map_or_else(Vec::new, |lane| lane.fields);
    let (main, fields, locals) = passing(main, fields, symbol);
    let (mut members, mut parameters, mut begin) = (String::new(), Vec::new(), String::new());
    for (place, name) in message.lengths.iter().enumerate() {
        let name = identifier(name);
        let _ = writeln!(members, "  int64_t n{place}_{name};");
        parameters.push(format!("size_t l{place}_{name}"));
        let _ = writeln!(begin, "  if ((uint64_t)l{place}_{name} >> {LENGTH_BITS} != 0) return 2;");
        let _ = writeln!(begin, "  s->n{place}_{name} = (int64_t)l{place}_{name};");
    }
    for index in 0..message.indices.len() {
        let _ = writeln!(members, "  int64_t i{index};");
    }
    let pointers = [("const ", "prepared".to_owned())].into_iter();
    let pointers = pointers.chain(message.inputs.iter().map(|&id| ("const ", writer.name(id))));
    for (constant, name) in pointers.chain(message.outputs.iter().map(|&id| ("", writer.name(id)))) {
        parameters.push(format!("{constant}uint8_t *{name}"));
        // The key is for whoever computes the cipher.
        if main.contains(&format!("s->{name}")) {
            let _ = writeln!(members, "  {constant}uint8_t *{name};");
            let _ = writeln!(begin, "  s->{name} = {name};");
        } else {
            let _ = writeln!(begin, "  (void){name};");
        }
    }
    for field in fields {
        let _ = writeln!(members, "  {field}");
    }
    let called = writer.called(&[&main]);
    let mut source = inline_definitions(words);
    source += "#include <stddef.h>\n\n";
    source += &helpers::definitions(&[&called, &main]);
    source += &helpers::helpers(&[&main, &called, &conditions]);
    let _ = write!(
        source,
        "\n/* GCC makes pairs of words that have just been stored one by one, and has to wait for them. */\n\
         #if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC push_options\n\
         #pragma GCC optimize(\"no-tree-slp-vectorize\")\n#endif\n{called}\
         struct {symbol} {{\n  unsigned at;\n  int result;\n  uint8_t *state;\n{members}}};\n\n\
         static int {symbol}_begin(struct {symbol} *s, {})\n{{\n  memset(s, 0, sizeof *s);\n{begin}\
         {conditions}  return 0;\n}}\n\n\
         static unsigned {symbol}_step(struct {symbol} *s)\n{{\n{locals}  switch (s->at) {{\n  case 0:;\n{main}  }}\n  return 0;\n}}\n\
         #if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC pop_options\n#endif\n",
        parameters.join(", ")
    );
    Ok(Code { source })
}

/// The members that hold nothing beyond a place where a lane may wait, loop or choose become variables of the function: those that
/// are used between two such places alone, since nothing is read before it is written, and those that are always written first.
fn passing(mut main: String, fields: Vec<String>, symbol: &str) -> (String, Vec<String>, String) {
    let mut stretches = vec![String::new()];
    // Of each block that is open, whether it only holds variables.
    let mut blocks: Vec<bool> = Vec::new();
    for line in main.lines() {
        let is_plain = match line.trim() {
            "{" => {
                blocks.push(true);
                true
            }
            "}" => blocks.pop().unwrap_or(false),
            other => {
                if other.ends_with('{') && !other.starts_with('}') {
                    blocks.push(false);
                }
                false
            }
        };
        if !is_plain && (line.contains('{') || line.contains('}') || line.contains("case ")) {
            // What a line itself reads is on both of its sides.
            stretches.push(line.to_owned());
            stretches.push(String::new());
        } else if let Some(last) = stretches.last_mut() {
            *last += line;
            last.push('\n');
        }
    }
    let (mut kept, mut locals) = (Vec::new(), String::new());
    for field in fields {
        let name = field.split([' ', '[']).nth(1).unwrap_or_default();
        let member = format!("s->{name}");
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mentions = |text: &&String| {
            text.match_indices(&member).any(|(at, _)| !text[at + member.len()..].starts_with(is_name))
        };
        let used: Vec<&String> = stretches.iter().filter(mentions).collect();
        if used.len() == 1 || used.iter().all(|stretch| is_written_first(stretch, &member, symbol)) {
            let mut rest = main.as_str();
            let mut made = String::new();
            while let Some((before, after)) = rest.split_once(&member) {
                made += before;
                made += if after.starts_with(is_name) { &member } else { name };
                rest = after;
            }
            main = made + rest;
            locals += &format!("  {field}\n");
        } else {
            kept.push(field);
        }
    }
    (main, kept, locals)
}

/// Whether lines that run one after the other write all of a member before they read it: a copy, or a kernel whose last result it is.
fn is_written_first(stretch: &str, member: &str, symbol: &str) -> bool {
    let Some(place) = stretch.lines().position(|line| line.contains(member)) else { return true };
    let line = stretch.lines().nth(place).unwrap_or_default().trim();
    let is_chosen = place > 0 && stretch.lines().nth(place - 1).is_some_and(|line| line.ends_with("else"));
    let is_copy = line.starts_with(&format!("memcpy({member} + 0, "))
        || line.starts_with(&format!("memcpy({member}, "));
    let is_result = line.starts_with(&format!("{symbol}_")) && line.ends_with(&format!("{member});"));
    !is_chosen && (is_copy || is_result) && line.matches(member).count() == 1
}

impl Writer<'_> {
    /// The call of a node that is computed for all lanes: what comes before it, and the place of what it makes.
    pub(crate) fn wait(
        &mut self,
        parts: &Parts,
        phase: usize,
        after: &[String],
        last: bool,
    ) -> Written<String> {
        let [call] = &parts.form.phases.calls[phase][..] else {
            return refuse("two calls of a message at once");
        };
        // States lie one behind the other, and kernels write whole words.
        let bytes = call.bytes as u32;
        let is_whole = bytes.is_multiple_of(8);
        if is_whole {
            self.phase(parts, phase, after, &["s->state".to_owned()])?;
        } else {
            let given = self.declare("given", bytes.next_multiple_of(16), false);
            self.phase(parts, phase, after, std::slice::from_ref(&given))?;
            self.line(&format!("memcpy(s->state, {given}, {bytes});"));
        }
        let Some(lane) = &mut self.lane else { return refuse("no lane") };
        let apart = lane.apart.iter().map(|one| &one.node);
        let mut known = apart.chain(self.roles.iter().map(|(_, node)| node));
        let wanted = known.position(|node| *node == call.node);
        let wanted = wanted.ok_or_else(|| Refusal("a node that is not computed for all lanes".into()))? + 1;
        lane.points += 1;
        let point = lane.points;
        self.line(&format!("s->at = {point}; return {wanted}; case {point}:;"));
        if last && is_whole {
            return Ok("s->state".into());
        }
        let result = self.declare("result", bytes.next_multiple_of(16), !is_whole);
        self.line(&format!("memcpy({result}, s->state, {bytes});"));
        Ok(result)
    }
}
