//! Equations of one node.

use super::prng::Random;
use super::program::{Callable, Demand, Profile};
use super::reference::{Reference, Static};
use super::scope::{Role, Scope, Width};

/// A line of a body.
#[derive(Clone, Debug)]
enum Line {
    Equation(String),
    Loop { head: String, body: Vec<Line> },
}

/// A node whose equations are being written.
pub struct Body<'a> {
    /// Chance.
    pub random: &'a mut Random,
    /// What the program must admit.
    pub profile: Profile,
    /// What may be called.
    pub callables: &'a [Callable],
    /// Variables and loops.
    pub scope: Scope,
    /// Whether every atom is defined once, by `=`, so that the order of the equations does not matter.
    pub equational: bool,
    /// Widths of the atoms of the node.
    pub widths: Vec<Width>,
    /// Estimated number of operations on single bits.
    pub weight: u64,
    /// What the weight should not exceed by far.
    pub budget: u64,
    /// Whether something was used that has no bitsliced form without adders.
    pub arithmetic: bool,
    /// Whether the order may be changed: not if an output had to be completed for some values of a `nat` only.
    disordered: bool,
    lines: Vec<Vec<Line>>,
    targets: Vec<Reference>,
}

impl<'a> Body<'a> {
    /// A node without equations.
    pub fn new(
        random: &'a mut Random,
        profile: Profile,
        callables: &'a [Callable],
        scope: Scope,
        widths: Vec<Width>,
        budget: u64,
    ) -> Body<'a> {
        let equational = random.chance(35);
        Body {
            random,
            profile,
            callables,
            scope,
            equational,
            widths,
            weight: 0,
            budget,
            arithmetic: false,
            disordered: true,
            lines: vec![Vec::new()],
            targets: Vec::new(),
        }
    }

    /// Writes `count` equations and loops, then those that the outputs still lack; the text between `let` and `tel`.
    pub fn write(&mut self, count: u32) -> String {
        for _ in 0..count {
            self.step(0);
        }
        self.complete();
        let mut lines = std::mem::take(&mut self.lines[0]);
        if self.equational && self.disordered && self.random.chance(70) {
            scatter(&mut lines, self.random);
        }
        let mut text = String::new();
        print(&lines, 1, &mut text);
        text
    }

    fn charge(&mut self, atoms: u32, width: Width) {
        self.weight += self.scope.repetitions() * u64::from(atoms * width.bits());
    }

    fn rich(&self) -> bool {
        self.weight < self.budget
    }

    fn push(&mut self, line: Line) {
        if let Some(lines) = self.lines.last_mut() {
            lines.push(line);
        }
    }

    fn step(&mut self, depth: u32) {
        match self.random.weighted(&[(50, 0), (25, 1), (14, 2), (11, 3)]) {
            1 if depth < 2 && self.rich() && self.scope.repetitions() < 30 => self.repeat(depth),
            2 if depth == 0 && self.rich() => self.recurrence(),
            3 => self.call_equation(),
            _ => self.equation(),
        }
    }

    fn loop_name(&self) -> String {
        ["i", "j", "k", "l"][self.scope.names.iter().filter(|n| n.len() == 1).count().min(3)].to_string()
    }

    fn attribute(&mut self) -> &'static str {
        self.random.weighted(&[(60, ""), (12, "_unroll "), (22, "_no_unroll "), (6, "_pipelined ")])
    }

    fn open(&mut self, start: Static, stop: Static) -> String {
        let name = self.loop_name();
        let head = format!("{}forall {name} in [{start}, {stop}]", self.attribute());
        self.scope.open(name, &start, &stop);
        self.lines.push(Vec::new());
        head
    }

    fn close(&mut self, head: String) {
        self.scope.close();
        let body = self.lines.pop().unwrap_or_default();
        if !body.is_empty() {
            self.push(Line::Loop { head, body });
        }
    }

    fn repeat(&mut self, depth: u32) {
        let trips = match self.random.below(10) {
            0..=5 => self.random.between(2, 4),
            6..=8 => self.random.between(3, 8),
            _ => self.random.between(9, 24),
        };
        let trips = if depth > 0 { trips.min(4) } else { trips };
        let low = i64::from(if self.random.chance(60) { 0 } else { self.random.between(1, 3) });
        let mut stop = Static::Number(low + i64::from(trips) - 1);
        let mut start = Static::Number(low);
        if !self.equational && !self.scope.names.is_empty() && self.random.chance(15) {
            // A bound that depends on an outer name: the inner loop runs up or down.
            stop = Static::Name(0, self.scope.names[0].clone());
        }
        if self.random.chance(25) {
            std::mem::swap(&mut start, &mut stop);
        }
        let head = self.open(start, stop);
        for _ in 0..self.random.between(1, 3) {
            self.step(depth + 1);
        }
        self.close(head);
    }

    /// A new local array whose elements follow from earlier ones.
    fn recurrence(&mut self) {
        let width = self.random.pick(&self.widths);
        let distance = self.random.between(1, 4);
        let trips =
            if self.random.chance(75) { self.random.between(3, 9) } else { self.random.between(10, 27) };
        let length = distance + trips;
        let row: Vec<u32> = match self.random.below(4) {
            0 | 1 => vec![],
            2 => vec![self.random.between(2, 4)],
            _ => vec![2, self.random.between(1, 2)],
        };
        let dimensions = [vec![length], row.clone()].concat();
        let atoms: u32 = row.iter().product();
        let name = format!("w{}", self.scope.variables.len());
        let array = self.scope.declare(name, width, dimensions, Role::Local);
        let down = self.random.chance(20);
        let base = if down { trips } else { 0 };
        for element in 0..distance {
            let target = self.reference(array, Static::Number(i64::from(base + element)));
            self.assign(vec![target], "=", None);
        }
        let (n, number) = (i64::from, Static::Number);
        let shifted = !down && self.random.chance(40);
        let (start, stop) = match (down, shifted) {
            (true, _) => (n(trips) - 1, 0),
            (_, true) => (0, n(trips) - 1),
            _ => (n(distance), n(length) - 1),
        };
        let head = self.open(number(start), number(stop));
        let level = self.scope.names.len() - 1;
        let i = Static::Name(level, self.scope.names[level].clone());
        let at = |offset: i64| match offset {
            0 => i.clone(),
            1.. => Static::binary('+', i.clone(), number(offset)),
            _ => Static::binary('-', i.clone(), number(-offset)),
        };
        let here = if shifted { n(distance) } else { 0 };
        let back = if down { n(distance) } else { here - n(distance) };
        let target = self.reference(array, at(here));
        let far = self.reference(array, at(back));
        let near = self.reference(array, at(if down { 1 } else { here - 1 }));
        let mut forced = if self.random.chance(30) {
            far.to_string()
        } else {
            format!("{} {} {}", far, self.random.pick(&["^", "^", "&", "|"]), near)
        };
        if self.random.chance(40)
            && let Some(call) = self.call_on(&far.to_string(), width, atoms)
        {
            forced = call;
        }
        self.assign(vec![target], "=", Some(forced));
        if self.random.chance(40) {
            self.step(1);
        }
        self.close(head);
    }

    /// `f(argument, …)` for a callee with one result like its first argument.
    fn call_on(&mut self, argument: &str, width: Width, atoms: u32) -> Option<String> {
        let callables = self.callables;
        let fitting: Vec<&Callable> = callables
            .iter()
            .filter(|c| c.results(width) == Some(atoms))
            .filter(|c| matches!(c.inputs.first(), Some(Demand::Atoms(w, n)) if (*w == width || *w == Width::Open) && *n >= atoms))
            .filter(|c| !c.inputs.iter().any(|d| matches!(d, Demand::Nat(_))) || c.takes(atoms))
            .filter(|c| self.affordable(c))
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let callee = self.random.pick(&fitting).clone();
        let mut demands = callee.inputs.clone();
        if let Demand::Atoms(_, n) = &mut demands[0] {
            *n -= atoms;
        }
        let rest = self.arguments(&demands, width, &callee, 1);
        let arguments = if rest.is_empty() { argument.to_string() } else { format!("{argument}, {rest}") };
        Some(self.applied(&callee, &arguments))
    }

    fn reference(&self, variable: usize, index: Static) -> Reference {
        Reference {
            variable,
            name: self.scope.variables[variable].name.clone(),
            selections: vec![super::reference::Selection::Index(index)],
        }
    }

    fn whole(&self, variable: usize) -> Reference {
        Reference { variable, name: self.scope.variables[variable].name.clone(), selections: Vec::new() }
    }

    /// `targets op [forced ^] expression`.
    fn assign(&mut self, targets: Vec<Reference>, equals: &str, forced: Option<String>) {
        let wanted: Vec<(Width, u32)> = self.runs(&targets);
        self.targets = targets.clone();
        let simple = matches!(wanted.as_slice(), [_]);
        let parts: Vec<String> = wanted
            .iter()
            .map(|&(width, count)| {
                self.expression(count, width, 3, if simple { Untyped::Any } else { Untyped::Word })
            })
            .collect();
        let value = match (forced, parts.as_slice()) {
            (Some(forced), _) if self.random.chance(15) => forced,
            (Some(forced), [one]) => format!("({forced}) ^ {one}"),
            (Some(forced), _) => forced,
            (None, [one]) => one.clone(),
            (None, _) => format!("({})", parts.join(", ")),
        };
        self.targets = Vec::new();
        let left = match targets.as_slice() {
            [one] => one.to_string(),
            several => {
                format!("({})", several.iter().map(Reference::to_string).collect::<Vec<_>>().join(", "))
            }
        };
        self.scope.define(&targets);
        self.push(Line::Equation(format!("{left} {equals} {value}")));
    }

    /// The widths of consecutive atoms, equal neighbours together.
    fn runs(&self, targets: &[Reference]) -> Vec<(Width, u32)> {
        let mut runs: Vec<(Width, u32)> = Vec::new();
        for target in targets {
            let variable = &self.scope.variables[target.variable];
            let values = vec![0; self.scope.names.len()];
            let count = self.count(target, &values);
            match runs.last_mut() {
                Some((width, n)) if *width == variable.width => *n += count,
                _ => runs.push((variable.width, count)),
            }
        }
        runs
    }

    /// How many atoms a target has: no selection of ours depends on the values of names for that.
    fn count(&self, target: &Reference, values: &[i64]) -> u32 {
        let variable = &self.scope.variables[target.variable];
        let mut count = 1;
        for (number, &size) in variable.dimensions.iter().enumerate() {
            use super::reference::Selection::*;
            count *= match target.selections.get(number) {
                None => size,
                Some(Index(_)) => 1,
                Some(Range(a, b)) => a.at(values).abs_diff(b.at(values)) as u32 + 1,
                Some(Slice(entries)) => entries.len() as u32,
            };
        }
        count
    }

    /// A left side for `count` atoms of `width`, or of any width and number.
    fn target(&mut self, wanted: Option<(Width, u32)>, before: &[Reference]) -> Option<Reference> {
        for attempt in 0..10 {
            let variable = self.random.below(self.scope.variables.len());
            let known = self.scope.variables[variable].clone();
            let input_allowed = !self.equational && self.random.chance(25);
            if (known.role == Role::Input && !input_allowed)
                || wanted.is_some_and(|(w, n)| w != known.width || n > known.atoms())
            {
                continue;
            }
            if attempt < 6 && self.scope.undefined(variable).is_empty() {
                continue;
            }
            let count = match wanted {
                Some((_, count)) => count,
                None if self.random.chance(45) => known.atoms(),
                None => self.random.between(1, known.atoms()),
            };
            if count > 16 {
                continue;
            }
            let Some(selections) = self.scope.select(self.random, &known.dimensions, count, true) else {
                continue;
            };
            let reference = Reference { variable, name: known.name, selections };
            let mut all = before.to_vec();
            all.push(reference.clone());
            if self.scope.writable(&all, self.equational) {
                return Some(reference);
            }
        }
        None
    }

    fn equation(&mut self) {
        let mut targets = Vec::new();
        for _ in 0..self.random.weighted(&[(75, 1), (18, 2), (7, 3)]) {
            if let Some(target) = self.target(None, &targets) {
                targets.push(target);
            }
        }
        if targets.is_empty() {
            return;
        }
        let equals = self.equals(&targets);
        self.assign(targets, equals, None);
    }

    /// `=` or one of its kin that fits.
    fn equals(&mut self, targets: &[Reference]) -> &'static str {
        if self.equational {
            return "=";
        }
        if !targets.iter().all(|t| self.scope.readable(t, targets)) {
            return if self.random.chance(5) { ":=" } else { "=" };
        }
        let arithmetic = self.profile.arithmetic()
            && matches!(self.runs(targets).as_slice(), [(width, _)] if adds(*width));
        match self.random.below(10) {
            0..=4 => ":=",
            5 => "=",
            6 => self.random.pick(&["^=", "&=", "|="]),
            7 if arithmetic => {
                self.arithmetic = true;
                let targets: Vec<_> = targets.to_vec();
                for (width, count) in self.runs(&targets) {
                    self.charge(6 * count, width);
                }
                self.random.pick(&["+:=", "-:=", "+="])
            }
            _ => self.random.pick(&["^:=", "&:=", "|:="]),
        }
    }

    /// The results of a callee spread over several targets.
    fn call_equation(&mut self) {
        let callables = self.callables;
        let fitting: Vec<&Callable> = callables.iter().filter(|c| self.affordable(c)).collect();
        if fitting.is_empty() {
            return self.equation();
        }
        let callee = self.random.pick(&fitting).clone();
        let open = self.width_for(&callee);
        let Some(open) = open else { return self.equation() };
        let mut targets = Vec::new();
        for &(width, count) in &callee.outputs {
            let width = if width == Width::Open { open } else { width };
            let mut left = count;
            while left > 0 {
                let piece = if self.random.chance(60) { left } else { self.random.between(1, left) };
                match self.target(Some((width, piece)), &targets) {
                    Some(target) => {
                        targets.push(target);
                        left -= piece;
                    }
                    None => match (piece > 1).then(|| self.target(Some((width, 1)), &targets)).flatten() {
                        Some(target) => {
                            targets.push(target);
                            left -= 1;
                        }
                        None => return self.equation(),
                    },
                }
            }
        }
        let equals = if !self.equational && targets.iter().all(|t| self.scope.readable(t, &targets)) {
            self.random.pick(&[":=", "^:=", "="])
        } else {
            "="
        };
        self.targets = targets.clone();
        let arguments = self.arguments(&callee.inputs, open, &callee, 2);
        let call = self.applied(&callee, &arguments);
        self.targets = Vec::new();
        self.scope.define(&targets);
        let left = match targets.as_slice() {
            [one] => one.to_string(),
            several => {
                format!("({})", several.iter().map(Reference::to_string).collect::<Vec<_>>().join(", "))
            }
        };
        self.push(Line::Equation(format!("{left} {equals} {call}")));
    }

    /// A width of this node for the open width of a callee whose other widths this node has too.
    fn width_for(&mut self, callee: &Callable) -> Option<Width> {
        let has = |w: &Width| *w == Width::Open || self.widths.contains(w);
        if !callee.outputs.iter().all(|(w, _)| has(w)) {
            return None;
        }
        Some(self.random.pick(&self.widths))
    }

    /// Equations for the atoms of outputs that have no value yet.
    fn complete(&mut self) {
        for variable in 0..self.scope.variables.len() {
            let known = self.scope.variables[variable].clone();
            let missing = self.scope.undefined(variable);
            if known.role != Role::Output || missing.is_empty() {
                continue;
            }
            if missing.len() as u32 == known.atoms() {
                let target = self.whole(variable);
                self.disordered &= self.scope.writable(std::slice::from_ref(&target), true);
                self.assign(vec![target], "=", None);
                continue;
            }
            for some in missing.chunks(3) {
                let targets = some
                    .iter()
                    .map(|&atom| {
                        let mut left = atom;
                        let mut indices = Vec::new();
                        for &size in known.dimensions.iter().rev() {
                            indices.push(Static::Number(i64::from(left % size)));
                            left /= size;
                        }
                        indices.reverse();
                        let selections =
                            indices.into_iter().map(super::reference::Selection::Index).collect();
                        Reference { variable, name: known.name.clone(), selections }
                    })
                    .collect::<Vec<_>>();
                self.disordered &= self.scope.writable(&targets, true);
                self.assign(targets, "=", None);
            }
        }
    }

    fn affordable(&self, callee: &Callable) -> bool {
        self.weight + callee.weight * self.scope.repetitions() <= self.budget
    }
}

/// Which untyped constants the context of an expression can type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Untyped {
    /// None.
    No,
    /// Those for one atom of more than one bit.
    Word,
    /// Also one for all the bits that are wanted.
    Any,
}

/// Whether words of this width have sums.
pub(super) fn adds(width: Width) -> bool {
    matches!(width, Width::Bits(2..=64))
}

mod expression;

fn scatter(lines: &mut [Line], random: &mut Random) {
    random.shuffle(lines);
    for line in lines {
        if let Line::Loop { body, .. } = line {
            scatter(body, random);
        }
    }
}

fn print(lines: &[Line], depth: usize, text: &mut String) {
    let margin = "  ".repeat(depth);
    for line in lines {
        match line {
            Line::Equation(equation) => text.push_str(&format!("{margin}{equation};\n")),
            Line::Loop { head, body } => {
                text.push_str(&format!("{margin}{head} {{\n"));
                print(body, depth + 1, text);
                text.push_str(&format!("{margin}}}\n"));
            }
        }
    }
}
