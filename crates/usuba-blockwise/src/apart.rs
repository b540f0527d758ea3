//! Parts of a message as functions of their own: what is rare, so that what is frequent keeps its registers and has no frame for it.

use crate::glue::{Writer, Written, refuse};
use std::collections::BTreeSet;
use std::fmt::Write;
use usuba_message::form::{Statement, Target, VariableId};

impl Writer<'_> {
    /// A choice of which one side has loops: that is a function of its own, if all that it makes is blocks.
    pub(crate) fn apart_branch(
        &mut self,
        condition: &str,
        (rare, then): (&[Statement], &[Statement]),
        is_otherwise: bool,
    ) -> Written<()> {
        if self.depth != 1 || self.lane.is_some() || self.in_pieces || self.blocks.is_none() {
            return refuse("a part of a message");
        }
        let made = variables(rare);
        let results: Vec<VariableId> = made.intersection(&variables(then)).copied().collect();
        if results.iter().any(|&id| self.bits(id) != 128) {
            return refuse("a choice that makes no blocks");
        }
        let names: Vec<String> = results.iter().map(|&id| self.name(id)).collect();
        let (text, fresh) = (self.text.len(), self.fresh);
        let hidden = std::mem::replace(&mut self.hidden, results.into_iter().collect());
        self.is_rare = true;
        let written = self.function_apart(&names, &[], &made, |writer| writer.body(rare));
        (self.hidden, self.is_rare) = (hidden, false);
        let call = written.inspect_err(|_| {
            self.text.truncate(text);
            self.fresh = fresh;
        })?;
        let not = if is_otherwise { "!" } else { "" };
        self.line(&format!("if ({not}{condition}) {{"));
        self.depth += 1;
        self.text += &call;
        self.depth -= 1;
        self.line("} else {");
        self.depth += 1;
        self.body(then)?;
        self.foot();
        Ok(())
    }

    /// A function of its own that writes blocks of these names, with the code that `write` makes; and the C of its call. `own`: the
    /// variables that it makes. It is given the variables of the caller that it needs, which are blocks, and of `given` (types and
    /// names) what it needs; blocks are copied, so that those of the caller may stay in registers.
    pub(crate) fn function_apart(
        &mut self,
        names: &[String],
        given: &[(&'static str, String)],
        own: &BTreeSet<VariableId>,
        write: impl FnOnce(&mut Self) -> Written<()>,
    ) -> Written<String> {
        let outside = std::mem::take(&mut self.text);
        let (depth, queue_bytes) = (self.depth, self.queue_bytes);
        (self.depth, self.queue_bytes) = (1, 0);
        let written = write(self);
        // Variables of the caller are given.
        let message = self.message;
        let mut outer: Vec<VariableId> = Vec::new();
        for number in 0..message.variables.len() as u32 {
            let id = VariableId(number);
            let is_given = message.inputs.contains(&id) || message.outputs.contains(&id);
            let is_there = is_given || own.contains(&id) || self.is_elsewhere(id);
            if !is_there && message.variable(id).count.is_none() && self.text.contains(&self.name(id)) {
                outer.push(id);
            }
        }
        self.hidden.extend(&outer);
        let locals = self.locals();
        self.hidden.retain(|id| !outer.contains(id));
        let body = std::mem::replace(&mut self.text, outside);
        (self.depth, self.queue_bytes) = (depth, queue_bytes);
        written?;
        if outer.iter().any(|&id| self.bits(id) > 128) {
            return refuse("a variable of what stands around a part that is more than a block");
        }
        let mut lengths = String::new();
        let mut parameters = Vec::new();
        for (ty, name) in self.parameters() {
            let number = ty == "size_t ";
            let place = name.trim_start_matches('l').split('_').next().unwrap_or_default().to_owned();
            let used = match number {
                true => {
                    let long = name.replacen('l', "n", 1);
                    let used = body.contains(&long);
                    if used {
                        let _ = writeln!(lengths, "  const int64_t {long} = (int64_t){name};");
                    }
                    used && !place.is_empty()
                }
                false => body.contains(&name),
            };
            if used {
                parameters.push((ty, name));
            }
        }
        parameters.extend(given.iter().filter(|(_, name)| body.contains(name)).cloned());
        let outer: Vec<String> = outer.into_iter().map(|id| self.name(id)).collect();
        let function = format!("{}_apart_{}", self.symbol, self.kernels.len());
        let mut all: Vec<String> = parameters.iter().map(|(ty, name)| format!("{ty}{name}")).collect();
        all.extend(outer.iter().map(|name| format!("const uint8_t *{name}")));
        all.extend(names.iter().map(|name| format!("uint8_t *{name}")));
        let text = format!(
            "static USUBA_APART void {function}({})\n{{\n{lengths}{locals}{body}}}\n\n",
            all.join(", ")
        );
        self.kernels.push((function.clone(), text));
        let copied: Vec<String> = outer.iter().map(|_| self.fresh("copied")).collect();
        let made: Vec<String> = names.iter().map(|_| self.fresh("apart")).collect();
        let parameters = parameters.iter().map(|(_, name)| name);
        let arguments: Vec<&str> = parameters.chain(&copied).chain(&made).map(String::as_str).collect();
        let indent = "  ".repeat(self.depth + 1);
        let mut call = String::new();
        for name in copied.iter().chain(&made) {
            let _ = writeln!(call, "{indent}_Alignas(16) uint8_t {name}[16];");
        }
        for (copied, name) in copied.iter().zip(&outer) {
            let _ = writeln!(call, "{indent}memcpy({copied}, {name}, 16);");
        }
        let _ = writeln!(call, "{indent}{function}({});", arguments.join(", "));
        for (made, name) in made.iter().zip(names) {
            let _ = writeln!(call, "{indent}memcpy({name}, {made}, 16);");
        }
        Ok(call)
    }
}

/// The variables that statements make.
fn variables(body: &[Statement]) -> BTreeSet<VariableId> {
    let mut all = BTreeSet::new();
    for statement in body {
        match statement {
            Statement::Step(step) => all.extend(step.outputs.iter().filter_map(|target| match target {
                Target::Variable(id) => Some(*id),
                _ => None,
            })),
            Statement::Loop(one) => {
                all.extend(one.carried.iter().flat_map(|carried| [carried.variable, carried.next]));
                all.extend(variables(&one.body));
            }
            Statement::If { then, otherwise, .. } => {
                all.extend(variables(then));
                all.extend(variables(otherwise));
            }
            Statement::Define(_) | Statement::Accept { .. } => {}
        }
    }
    all
}
