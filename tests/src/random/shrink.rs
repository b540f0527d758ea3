//! Makes a failing program smaller while it fails in the same way.
//!
//! Every step is a change of the text at the places that the syntax tree gives; most do not leave a well-typed program,
//! which the test of failure then finds out. A step is kept only if the text becomes shorter, or as long and
//! alphabetically smaller, so this ends.

use super::stages;
use std::time::{Duration, Instant};
use usuba_lang::ast::{
    Bodies, Declaration, Definition, Equation, Expression, ExpressionKind, Program, Selection,
};
use usuba_lang::source::{SourceId, Span};

/// A replacement of bytes.
type Edit = (usize, usize, String);

/// The smallest text found for which `fails`, within about so much time.
pub fn shrink(text: &str, limit: Duration, mut fails: impl FnMut(&str) -> bool) -> String {
    let deadline = Instant::now() + limit;
    let mut text = text.to_string();
    let mut from = 0;
    loop {
        let (program, _) = stages::syntax_only(SourceId(0), &text);
        let steps = steps(&program, &text);
        // Go on where the last step was found: what failed before it is likely to fail again.
        let order: Vec<usize> =
            (from.min(steps.len())..steps.len()).chain(0..from.min(steps.len())).collect();
        let mut found = None;
        for number in order {
            if Instant::now() > deadline {
                return text;
            }
            let shorter = applied(&text, &steps[number]);
            if (shorter.len(), &shorter) < (text.len(), &text) && fails(&shorter) {
                found = Some((number, shorter));
                break;
            }
        }
        match found {
            Some((number, shorter)) => (from, text) = (number, shorter),
            None => {
                return text
                    .lines()
                    .filter(|line| !line.trim().is_empty())
                    .map(|line| format!("{line}\n"))
                    .collect();
            }
        }
    }
}

fn applied(text: &str, edits: &[Edit]) -> String {
    let mut edits = edits.to_vec();
    edits.sort_by_key(|edit| edit.0);
    let (mut result, mut at) = (String::new(), 0);
    for (start, end, replacement) in edits {
        if start < at || end > text.len() {
            continue;
        }
        result.push_str(&text[at..start]);
        result.push_str(&replacement);
        at = end;
    }
    result.push_str(&text[at..]);
    result
}

fn steps(program: &Program, text: &str) -> Vec<Vec<Edit>> {
    let mut collector = Collector { text, steps: Vec::new() };
    let last = program.definitions.len().saturating_sub(1);
    for definition in &program.definitions[..last] {
        collector.one(definition.span, "");
    }
    // Without the entry, the definition before it is the entry.
    if let (Some(entry), true) = (program.definitions.last(), last > 0) {
        collector.one(entry.span, "");
    }
    for definition in &program.definitions {
        collector.definition(definition);
    }
    collector.steps
}

struct Collector<'a> {
    text: &'a str,
    steps: Vec<Vec<Edit>>,
}

impl Collector<'_> {
    fn at(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    fn one(&mut self, span: Span, replacement: &str) {
        self.steps.push(vec![(span.start as usize, span.end as usize, replacement.to_string())]);
    }

    /// An equation with what separates it from the next.
    fn removal(&self, span: Span) -> Edit {
        let end = span.end as usize;
        let rest = &self.text[end..];
        let separators = rest.len() - rest.trim_start_matches([' ', '\n', ';']).len();
        (span.start as usize, end + separators, String::new())
    }

    fn definition(&mut self, definition: &Definition) {
        for attribute in &definition.attributes {
            self.one(attribute.span, "");
        }
        self.declarations(&definition.inputs, &[]);
        match &definition.bodies {
            Bodies::Node(bodies) => {
                if let [first, .., last] = bodies.as_slice() {
                    // The last body goes with the `;` before it.
                    let before = bodies[bodies.len() - 2].span;
                    let _ = first;
                    self.steps.push(vec![(before.end as usize, last.span.end as usize, String::new())]);
                }
                for body in bodies {
                    self.declarations(&definition.outputs, &body.equations);
                    self.declarations(&body.locals, &body.equations);
                    self.equations(&body.equations);
                }
            }
            Bodies::Perm(lists) | Bodies::Table(lists) => {
                if let [.., before, last] = lists.as_slice() {
                    self.steps.push(vec![(before.span.end as usize, last.span.end as usize, String::new())]);
                }
                self.declarations(&definition.outputs, &[]);
                for entry in lists.iter().flat_map(|list| &list.entries) {
                    self.one(entry.span, "1");
                    self.one(entry.span, "0");
                }
            }
        }
    }

    /// One name fewer, and the equations that define only it.
    fn declarations(&mut self, declarations: &[Declaration], equations: &[Equation]) {
        let (Some(first), Some(last)) = (declarations.first(), declarations.last()) else { return };
        let Some(start) = first.names.first().map(|name| name.span.start as usize) else { return };
        for skipped in declarations.iter().flat_map(|d| &d.names) {
            let mut kept = Vec::new();
            for declaration in declarations {
                let names: Vec<&str> = declaration
                    .names
                    .iter()
                    .filter(|n| n.span != skipped.span)
                    .map(|n| n.text.as_str())
                    .collect();
                if !names.is_empty() {
                    let constant = if declaration.constant.is_some() { "const " } else { "" };
                    kept.push(format!("{}: {constant}{}", names.join(", "), self.at(declaration.ty.span)));
                }
            }
            let mut edits = vec![(start, last.ty.span.end as usize, kept.join(", "))];
            self.defining(&skipped.text, equations, &mut edits);
            self.steps.push(edits);
        }
        for declaration in declarations {
            if let Some(span) = declaration.constant {
                self.one(span, "");
            }
            for dimension in &declaration.ty.dimensions {
                self.one(dimension.span, "1");
                self.one(dimension.span, "2");
            }
        }
    }

    fn defining(&self, name: &str, equations: &[Equation], edits: &mut Vec<Edit>) {
        for equation in equations {
            match equation {
                Equation::Assign(assignment) => {
                    if assignment.targets.iter().all(|target| target.name.text == name) {
                        edits.push(self.removal(assignment.span));
                    }
                }
                Equation::Forall(forall) => self.defining(name, &forall.body, edits),
                Equation::If(_) | Equation::Accept(_) => {}
            }
        }
    }

    fn equations(&mut self, equations: &[Equation]) {
        for equation in equations {
            self.steps.push(vec![self.removal(span_of(equation))]);
        }
        for equation in equations {
            match equation {
                Equation::Assign(assignment) => {
                    let value = self.at(assignment.value.span).to_string();
                    for target in &assignment.targets {
                        let left = self.at(target.span).to_string();
                        if assignment.targets.len() > 1 {
                            self.one(assignment.span, &format!("{left} = {value}"));
                        }
                        for selection in &target.selections {
                            self.selection(selection);
                        }
                    }
                    if assignment.targets.len() > 1 {
                        self.split(assignment);
                    }
                    self.expression(&assignment.value);
                }
                Equation::Forall(forall) => {
                    for attribute in &forall.attributes {
                        self.one(attribute.span, "");
                    }
                    let (start, stop) =
                        (self.at(forall.start.span).to_string(), self.at(forall.stop.span).to_string());
                    if start != stop {
                        self.one(forall.stop.span, &start);
                        self.one(forall.start.span, &stop);
                    }
                    for bound in [&start, &stop] {
                        if let (Some(first), Some(last)) = (forall.body.first(), forall.body.last()) {
                            let from = span_of(first).start as usize;
                            let body = &self.text[from..span_of(last).end as usize];
                            let body = replaced(body, &forall.variable.text, bound);
                            let (start, end) = (forall.span.start as usize, forall.span.end as usize);
                            self.steps.push(vec![(start, end, format!("{body};"))]);
                        }
                    }
                    for number in ["0", "1", "2", "3"] {
                        self.one(forall.start.span, number);
                        self.one(forall.stop.span, number);
                    }
                    self.equations(&forall.body);
                }
                Equation::If(choice) => {
                    self.equations(&choice.then);
                    self.equations(&choice.otherwise);
                }
                Equation::Accept(_) => {}
            }
        }
    }

    /// `(a, b) = (c, d)` as two equations.
    fn split(&mut self, assignment: &usuba_lang::ast::Assignment) {
        let ExpressionKind::Tuple(parts) = &assignment.value.kind else { return };
        for target in &assignment.targets {
            for part in parts {
                let text = format!("{} = {}", self.at(target.span), self.at(part.span));
                self.one(assignment.span, &text);
            }
        }
    }

    fn selection(&mut self, selection: &Selection) {
        match selection {
            Selection::Index(e) => self.number(e.span),
            Selection::Range(a, b) | Selection::HalfOpen(a, b) => {
                self.number(a.span);
                self.number(b.span);
                let first = self.at(a.span).to_string();
                self.one(a.span.to(b.span), &first);
            }
            Selection::Slice(entries) => {
                let texts: Vec<String> = entries.iter().map(|e| self.at(e.span).to_string()).collect();
                if let (Some(first), Some(last)) = (entries.first(), entries.last()) {
                    for skipped in 0..texts.len() {
                        let kept: Vec<&str> = texts
                            .iter()
                            .enumerate()
                            .filter(|(n, _)| *n != skipped)
                            .map(|(_, t)| t.as_str())
                            .collect();
                        self.one(first.span.to(last.span), &kept.join(", "));
                    }
                }
                entries.iter().for_each(|e| self.number(e.span));
            }
        }
    }

    fn number(&mut self, span: Span) {
        if span.end - span.start > 1 {
            for number in ["0", "1", "i", "j"] {
                self.one(span, number);
            }
        }
    }

    fn expression(&mut self, e: &Expression) {
        let children: Vec<&Expression> = match &e.kind {
            ExpressionKind::Tuple(parts) => {
                for skipped in 0..parts.len() {
                    let kept: Vec<&str> = parts
                        .iter()
                        .enumerate()
                        .filter(|(number, _)| *number != skipped)
                        .map(|(_, part)| self.at(part.span))
                        .collect();
                    let text = format!("({})", kept.join(", "));
                    self.one(e.span, &text);
                }
                parts.iter().collect()
            }
            ExpressionKind::Call { arguments, .. } => arguments.iter().collect(),
            kind => operands(kind),
        };
        for child in &children {
            let text = self.at(child.span).to_string();
            self.one(e.span, &text);
        }
        if !matches!(e.kind, ExpressionKind::Constant(..)) {
            self.one(e.span, "0");
        }
        if let ExpressionKind::Constant(integer, _) = &e.kind {
            self.one(integer.span, "0");
            self.one(integer.span, "1");
        }
        if let ExpressionKind::Reference(reference) = &e.kind {
            for selection in &reference.selections {
                self.selection(selection);
            }
            let name = self.at(reference.name.span).to_string();
            self.one(e.span, &name);
        }
        for child in children {
            self.expression(child);
        }
    }
}

fn span_of(equation: &Equation) -> Span {
    match equation {
        Equation::Assign(assignment) => assignment.span,
        Equation::Forall(forall) => forall.span,
        Equation::If(choice) => choice.span,
        Equation::Accept(accept) => accept.span,
    }
}

/// The operands of an operator.
fn operands(kind: &ExpressionKind) -> Vec<&Expression> {
    match kind {
        ExpressionKind::Not(value) => vec![value],
        ExpressionKind::Binary(_, left, right) => vec![left, right],
        ExpressionKind::Shift(_, value, _) => vec![value],
        ExpressionKind::Bitmask(value, _) => vec![value],
        ExpressionKind::Pack(high, low, _) => vec![high, low],
        _ => Vec::new(),
    }
}

/// `text` with every whole word `name` replaced.
fn replaced(text: &str, name: &str, by: &str) -> String {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
    let mut result = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\0']) {
        if is_letter(c) {
            word.push(c);
            continue;
        }
        result.push_str(if word == name { by } else { &word });
        word.clear();
        if c != '\0' {
            result.push(c);
        }
    }
    result
}
