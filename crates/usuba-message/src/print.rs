//! Messages as text, to be read: `usubac build --dump-after message`.

use crate::form::{ByteOperation, Message, Order, Piece, Source, Statement, Target, Window};
use std::fmt::{self, Write};

/// A message as text.
pub fn print(message: &Message) -> String {
    let mut text = String::new();
    // A string takes all that is written to it.
    let _ = Printer { message, text: &mut text }.message();
    text
}

struct Printer<'m> {
    message: &'m Message,
    text: &'m mut String,
}

impl Printer<'_> {
    fn message(&mut self) -> fmt::Result {
        let message = self.message;
        let list = |ids: &[crate::form::VariableId]| {
            let one = |&id: &crate::form::VariableId| {
                let variable = message.variable(id);
                let count = variable.count.as_ref().map(|count| format!("[{}]", message.show(count)));
                let words = variable.words;
                format!("{}:{}x{}{}", variable.name, words.width, words.count, count.unwrap_or_default())
            };
            ids.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        writeln!(self.text, "message {} ({})", message.name, message.lengths.join(", "))?;
        writeln!(self.text, "  given {}", list(&message.inputs))?;
        let returns = if message.opens { "opens" } else { "returns" };
        writeln!(self.text, "  {returns} {}", list(&message.outputs))?;
        for condition in &message.conditions {
            writeln!(self.text, "  where {}", self.message.show_condition(condition))?;
        }
        self.statements(&message.body, 1)
    }

    fn statements(&mut self, body: &[Statement], depth: usize) -> fmt::Result {
        let margin = "  ".repeat(depth);
        let message = self.message;
        for statement in body {
            match statement {
                Statement::Step(step) => {
                    let inputs: Vec<String> = step.inputs.iter().map(|source| self.source(source)).collect();
                    let target = |target: &Target| match target {
                        Target::Variable(id) => message.variable(*id).name.clone(),
                        Target::Element(id, index) => {
                            format!("{}[{}]", message.variable(*id).name, message.show(index))
                        }
                        Target::Window(window) => self.window(window),
                    };
                    let outputs: Vec<String> = step.outputs.iter().map(target).collect();
                    let (outputs, inputs) = (outputs.join(", "), inputs.join(", "));
                    writeln!(self.text, "{margin}{outputs} = {}({inputs})", step.node)?;
                }
                Statement::Define(define) => {
                    let (target, value) = (self.window(&define.target), self.texts(&define.value));
                    writeln!(self.text, "{margin}{target} := {value}")?;
                }
                Statement::Loop(one) => {
                    let (start, stop) = (message.show(&one.start), message.show(&one.stop));
                    let index = message.indices.get(one.index as usize).map_or("", String::as_str);
                    writeln!(self.text, "{margin}forall {index} in [{start}, {stop}) {{")?;
                    self.statements(&one.body, depth + 1)?;
                    for carried in &one.carried {
                        let name = |id| &message.variable(id).name;
                        let (variable, next) = (name(carried.variable), name(carried.next));
                        let first = name(carried.first);
                        writeln!(self.text, "{margin}  carry {variable} = {first} next {next}")?;
                    }
                    writeln!(self.text, "{margin}}}")?;
                }
                Statement::If { condition, then, otherwise } => {
                    let condition = self.message.show_condition(condition);
                    writeln!(self.text, "{margin}if {condition} {{")?;
                    self.statements(then, depth + 1)?;
                    writeln!(self.text, "{margin}}} else {{")?;
                    self.statements(otherwise, depth + 1)?;
                    writeln!(self.text, "{margin}}}")?;
                }
                Statement::Accept { left, right, .. } => {
                    let (left, right) = (self.texts(left), self.texts(right));
                    writeln!(self.text, "{margin}accept {left} == {right}")?;
                }
            }
        }
        Ok(())
    }

    fn source(&self, source: &Source) -> String {
        match source {
            Source::Variable(id) => self.message.variable(*id).name.clone(),
            Source::Element(id, index) => {
                format!("{}[{}]", self.message.variable(*id).name, self.message.show(index))
            }
            Source::Text(text) => self.texts(text),
            Source::Words { text, width, order } => {
                let order = if *order == Order::Big { "big" } else { "little" };
                format!("Words({}, {order}):u{width}", self.texts(text))
            }
            Source::Word { number, width } => format!("Word({}):u{width}", self.message.show(number)),
        }
    }

    fn window(&self, window: &Window) -> String {
        let (start, length) = (self.message.show(&window.start), self.message.show(&window.length));
        format!("{}[{start}; {length}]", self.message.variable(window.variable).name)
    }

    fn texts(&self, text: &[Piece]) -> String {
        if text.is_empty() {
            return "nothing".to_owned();
        }
        text.iter().map(|piece| self.piece(piece)).collect::<Vec<_>>().join(" ++ ")
    }

    fn piece(&self, piece: &Piece) -> String {
        match piece {
            Piece::Window(window) => self.window(window),
            Piece::Padding { length, first, last } => {
                format!("pad({}, {first:#04x}, {last:#04x})", self.message.show(length))
            }
            Piece::Map { operation, operands } => {
                let operands: Vec<String> = operands.iter().map(|text| self.texts(text)).collect();
                let name = match operation {
                    ByteOperation::Not => return format!("~({})", operands.join("")),
                    ByteOperation::And => " & ",
                    ByteOperation::Or => " | ",
                    ByteOperation::Xor => " ^ ",
                };
                format!("({})", operands.join(name))
            }
        }
    }
}
