//! The invariants of Usuba0.
//!
//! [`check`] is the definition of a program that makes sense; passes and the interpreter expect one, and code generation
//! takes a [`Checked`] one only. It finds all flaws, in order. Cost: linear in the size of the program.

use crate::block::BlockOp;
use crate::layout::Layout;
pub use crate::messages::{Flaw, Rule};
use crate::program::{
    Affine, BinaryOp, Block, InductionId, Loop, Node, Op, Operation, Parameter, Program, Type, ValueId,
};
use std::collections::BTreeSet;
use std::ops::Deref;

/// The most bits that an atom can have.
pub const MAX_WIDTH: u32 = 128;

/// A program without flaws. [`check`] alone makes one, and the program cannot change as long as it is in use:
///
/// ```compile_fail,E0423
/// let program = usuba_ir::program::Program { files: vec![], nodes: vec![], interleave: 1 };
/// let checked = usuba_ir::check::Checked(&program);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checked<'a>(&'a Program);

impl<'a> Checked<'a> {
    /// The program.
    pub fn program(self) -> &'a Program {
        self.0
    }
}

impl Deref for Checked<'_> {
    type Target = Program;

    fn deref(&self) -> &Program {
        self.0
    }
}

/// Checks all invariants.
///
/// # Errors
/// Every flaw, in the order of the program.
pub fn check(program: &Program) -> Result<Checked<'_>, Vec<Flaw>> {
    let mut flaws = Vec::new();
    let mut program_flaw = |rule| flaws.push(Flaw { node: None, value: None, rule });
    if program.nodes.is_empty() {
        program_flaw(Rule::NoNode);
    }
    if program.interleave == 0 {
        program_flaw(Rule::NoBatch);
    }
    if let (2.., Some(entry)) = (program.interleave, program.nodes.last()) {
        for parameter in entry.inputs.iter().filter(|input| !input.uniform).chain(&entry.outputs) {
            if parameter.shape.first() != Some(&program.interleave) {
                let (name, shape) = (parameter.name.clone(), parameter.shape.clone());
                program_flaw(Rule::Batches { name, shape, batches: program.interleave });
            }
        }
    }
    for file in &program.files {
        if file.contains(['"', '\n', '\r']) {
            program_flaw(Rule::FileName(file.clone()));
        }
    }
    let mut names = BTreeSet::new();
    for node in &program.nodes {
        if !names.insert(&node.name) {
            program_flaw(Rule::NodeTwice(node.name.clone()));
        }
    }
    for (number, node) in program.nodes.iter().enumerate() {
        let scope = vec![Scope::Undefined; node.values.len()];
        let trips = vec![None; node.inductions as usize];
        let looped = vec![false; node.inductions as usize];
        let mut checker =
            Checker { program, number, node, scope, trips, looped, loops: 0, flaws: &mut flaws };
        checker.node();
    }
    if flaws.is_empty() { Ok(Checked(program)) } else { Err(flaws) }
}

/// Whether a layout describes an atom of at least one and at most [`MAX_WIDTH`] bits.
pub fn layout_is_sound(layout: Layout) -> bool {
    let width = u64::from(layout.word) * u64::from(layout.pack);
    layout.instances >= 1
        && (1..=u64::from(MAX_WIDTH)).contains(&width)
        && layout.chunk_bits().is_some_and(|bits| bits <= u64::from(u32::MAX))
}

impl Layout {
    fn chunk_bits(self) -> Option<u64> {
        (u64::from(self.word) * u64::from(self.pack)).checked_mul(u64::from(self.instances))
    }
}

/// The smallest and largest value of an index when induction i goes from 0 to `trips(i)` - 1; `None` if an induction
/// has no trips. Exact, since each term is extreme at an end of its range independently of the others.
pub fn range(index: &Affine, trips: impl Fn(InductionId) -> Option<u32>) -> Option<(i128, i128)> {
    let mut low = i128::from(index.constant);
    let mut high = low;
    for &(induction, coefficient) in &index.terms {
        let last = i128::from(trips(induction)?) - 1;
        let extreme = i128::from(coefficient) * last;
        low += extreme.min(0);
        high += extreme.max(0);
    }
    Some((low, high))
}

#[derive(Clone, Copy, PartialEq)]
enum Scope {
    Undefined,
    Visible,
    /// Defined in a body that has ended.
    Ended,
}

struct Checker<'a> {
    program: &'a Program,
    number: usize,
    node: &'a Node,
    scope: Vec<Scope>,
    /// The trips of the enclosing loops, by induction.
    trips: Vec<Option<u32>>,
    /// The inductions that have a loop.
    looped: Vec<bool>,
    loops: u32,
    flaws: &'a mut Vec<Flaw>,
}

impl Checker<'_> {
    fn flaw(&mut self, value: Option<ValueId>, rule: Rule) {
        self.flaws.push(Flaw { node: Some(self.node.name.clone()), value, rule });
    }

    fn node(&mut self) {
        let node = self.node;
        self.name(&node.name);
        for parameter in node.inputs.iter().chain(&node.outputs) {
            self.parameter(parameter);
        }
        for output in node.outputs.iter().filter(|output| output.uniform) {
            self.flaw(None, Rule::UniformOutput(output.name.clone()));
        }
        for (id, value) in (0..).map(ValueId).zip(&node.values) {
            self.shape_of(id, value.ty);
            if let Some((file, _, _)) = value.origin.place
                && file.index() >= self.program.files.len()
            {
                let rule = Rule::File { file: file.0, files: self.program.files.len() };
                self.flaw(Some(id), rule);
            }
            if let Some(name) = &value.origin.name
                && name.contains(|c: char| c.is_whitespace() || c == '"')
            {
                self.flaw(Some(id), Rule::SourceName(name.to_string()));
            }
        }
        self.block(&node.body, |checker| {
            checker.declared("inputs", &node.inputs, &node.body.parameters);
        });
        // The outputs are looked at by their types alone: whether they are visible was seen in the block.
        self.declared("outputs", &node.outputs, &node.body.results);
        for id in (0..node.values.len() as u32).map(ValueId) {
            if self.scope[id.index()] == Scope::Undefined {
                self.flaw(Some(id), Rule::NeverDefined);
            }
        }
        if self.loops != node.inductions {
            self.flaw(None, Rule::InductionCount { counted: node.inductions, loops: self.loops });
        }
    }

    fn name(&mut self, name: &str) {
        let letter = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        if name.is_empty() || !name.chars().all(letter) {
            self.flaw(None, Rule::Name(name.to_owned()));
        }
    }

    fn parameter(&mut self, parameter: &Parameter) {
        let Parameter { name, ty, shape, .. } = parameter;
        self.name(name);
        let product = shape.iter().try_fold(1u32, |product, &extent| product.checked_mul(extent));
        if product != Some(ty.atoms()) {
            let rule = Rule::Shape {
                name: name.clone(),
                shape: shape.clone(),
                ty: ty.to_string(),
                atoms: ty.atoms(),
            };
            self.flaw(None, rule);
        }
    }

    fn shape_of(&mut self, id: ValueId, ty: Type) {
        if !layout_is_sound(ty.layout) {
            self.flaw(Some(id), Rule::Layout(ty.layout.to_string()));
        }
        if ty.len == Some(0) {
            self.flaw(Some(id), Rule::EmptyArray);
        }
    }

    fn declared(&mut self, what: &'static str, parameters: &[Parameter], values: &[ValueId]) {
        if parameters.len() != values.len() {
            self.flaw(None, Rule::Count { what, parameters: parameters.len(), values: values.len() });
        }
        for (parameter, &value) in parameters.iter().zip(values) {
            self.expect(Some(value), || format!("`{}`", parameter.name), value, parameter.ty);
        }
    }

    /// The operations of a block; `before` is run when its parameters are defined.
    fn block(&mut self, block: &Block, before: impl FnOnce(&mut Self)) {
        let mut own = Vec::new();
        for &parameter in &block.parameters {
            self.define(parameter, &mut own);
        }
        before(self);
        for operation in &block.operations {
            self.operation(operation);
            for &result in &operation.results {
                self.define(result, &mut own);
            }
        }
        for &result in &block.results {
            self.see(result);
        }
        for id in own {
            self.scope[id.index()] = Scope::Ended;
        }
    }

    fn define(&mut self, id: ValueId, own: &mut Vec<ValueId>) {
        match self.scope.get(id.index()) {
            None => self.flaw(Some(id), Rule::NoValue(self.node.values.len())),
            Some(Scope::Undefined) => {
                self.scope[id.index()] = Scope::Visible;
                own.push(id);
            }
            Some(_) => self.flaw(Some(id), Rule::DefinedTwice),
        }
    }

    /// A use.
    fn see(&mut self, id: ValueId) {
        match self.scope.get(id.index()) {
            None => self.flaw(Some(id), Rule::NoValue(self.node.values.len())),
            Some(Scope::Undefined) => self.flaw(Some(id), Rule::UsedBefore),
            Some(Scope::Ended) => self.flaw(Some(id), Rule::OutOfScope),
            Some(Scope::Visible) => {}
        }
    }

    /// The type of a value; `None` if it is no value of the node, of which a use or definition tells.
    fn ty(&self, id: ValueId) -> Option<Type> {
        self.node.values.get(id.index()).map(|value| value.ty)
    }

    fn expect(&mut self, at: Option<ValueId>, what: impl FnOnce() -> String, id: ValueId, expected: Type) {
        if let Some(found) = self.ty(id).filter(|&found| found != expected) {
            let rule = Rule::Type { what: what(), found: found.to_string(), expected: expected.to_string() };
            self.flaw(at, rule);
        }
    }

    fn operation(&mut self, operation: &Operation) {
        operation.op.operands(|id| self.see(id));
        let at = operation.results.first().copied();
        let expected = match &operation.op {
            Op::Call(..) => return self.call(operation),
            Op::Loop(inner) => return self.cycle(operation, inner),
            _ => 1,
        };
        let &[result] = operation.results.as_slice() else {
            return self.flaw(at, Rule::Results { found: operation.results.len(), expected });
        };
        // Types that are unsound were told already; what follows computes with widths.
        let Some(ty) = self.ty(result).filter(|ty| layout_is_sound(ty.layout)) else { return };
        let width = ty.layout.width();
        let operand = |id: ValueId| move || format!("the operand %{}", id.0);
        let mut is_atom = true;
        match &operation.op {
            Op::Constant(number) => {
                if *number > crate::evaluate::ones(width) {
                    self.flaw(at, Rule::Constant { number: *number, width });
                }
            }
            &Op::Not(a) | &Op::Refresh(a) => self.expect(at, operand(a), a, ty),
            &Op::Binary(op, a, b) => {
                self.expect(at, operand(a), a, ty);
                self.expect(at, operand(b), b, ty);
                let arithmetic = matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply);
                if arithmetic && !ty.layout.has_lanes() {
                    self.one_word("arithmetic", at, ty);
                }
            }
            &Op::Ternary(_, of) => of.into_iter().for_each(|a| self.expect(at, operand(a), a, ty)),
            &Op::Shift(_, a, amount) => {
                self.expect(at, operand(a), a, ty);
                let width = if ty.layout.has_lanes() { ty.layout.word } else { width };
                if amount == 0 || amount >= width {
                    self.flaw(at, Rule::Amount { amount, width });
                }
            }
            Op::Shuffle(a, pattern) => {
                self.expect(at, operand(*a), *a, ty);
                if pattern.len() != width as usize {
                    self.flaw(at, Rule::PatternLength { found: pattern.len(), width });
                }
                if let Some(bit) = pattern.iter().flatten().copied().find(|&bit| bit >= width) {
                    self.flaw(at, Rule::PatternBit { bit, width });
                }
            }
            &Op::Bitmask(a, bit) => {
                self.expect(at, operand(a), a, ty);
                if bit >= width {
                    self.flaw(at, Rule::Bit { bit, width });
                }
            }
            &Op::MapBytes(a, _) => {
                self.expect(at, operand(a), a, ty);
                if ty.layout.word != 8 || ty.layout.instances != 1 {
                    let (what, found) = ("a map of bytes".to_owned(), ty.to_string());
                    self.flaw(at, Rule::Type { what, found, expected: "words of 8 bits".to_owned() });
                }
            }
            &Op::Block(op, a, b) => {
                self.expect(at, operand(a), a, ty);
                self.expect(at, operand(b), b, ty);
                self.block_only(at, ty);
                if let BlockOp::AddWords(bits) = op
                    && !matches!(bits, 16 | 32 | 64)
                {
                    self.flaw(at, Rule::WordsOfBlock(bits));
                }
            }
            &Op::InverseMixColumns(a) => {
                self.expect(at, operand(a), a, ty);
                self.block_only(at, ty);
            }
            &Op::Pack(a, b) => {
                let half = Layout { word: ty.layout.word / 2, ..ty.layout };
                self.expect(at, operand(a), a, Type::atom(half));
                self.expect(at, operand(b), b, Type::atom(half));
                self.one_word("a pack", at, ty);
                if ty.layout.word % 2 != 0 {
                    let (what, found) = ("the result".to_owned(), ty.to_string());
                    self.flaw(at, Rule::Type { what, found, expected: "twice an operand's word".to_owned() });
                }
            }
            Op::Array(atoms) => {
                is_atom = false;
                for &atom in atoms {
                    self.expect(at, operand(atom), atom, Type::atom(ty.layout));
                }
                self.expect(
                    at,
                    || "the result".to_owned(),
                    result,
                    Type::array(ty.layout, atoms.len() as u32),
                );
            }
            Op::Get(array, index) => self.access(at, *array, ty.layout, index, 1),
            Op::Set(array, index, atom) => {
                is_atom = false;
                self.access(at, *array, ty.layout, index, 1);
                self.expect(at, operand(*array), *array, ty);
                self.expect(at, operand(*atom), *atom, Type::atom(ty.layout));
            }
            Op::Slice(array, index) => {
                is_atom = false;
                self.access(at, *array, ty.layout, index, ty.atoms());
                self.expect(at, || "the result".to_owned(), result, Type::array(ty.layout, ty.atoms()));
            }
            Op::Splice(array, index, part) => {
                is_atom = false;
                let atoms = self.ty(*part).map_or(1, Type::atoms);
                self.access(at, *array, ty.layout, index, atoms);
                self.expect(at, operand(*array), *array, ty);
                self.expect(at, operand(*part), *part, Type::array(ty.layout, atoms));
            }
            Op::Call(..) | Op::Loop(_) => {}
        }
        if is_atom {
            self.expect(at, || "the result".to_owned(), result, Type::atom(ty.layout));
        }
    }

    fn block_only(&mut self, at: Option<ValueId>, ty: Type) {
        if ty.layout != Layout::BLOCK {
            let (what, found) = ("an operation on blocks".to_owned(), ty.to_string());
            let expected = Type::atom(Layout::BLOCK).to_string();
            self.flaw(at, Rule::Type { what, found, expected });
        }
    }

    fn one_word(&mut self, what: &'static str, at: Option<ValueId>, ty: Type) {
        if ty.layout.pack != 1 {
            self.flaw(at, Rule::Packed { what, found: ty.to_string(), pack: ty.layout.pack });
        }
    }

    /// Reading or writing `part` elements of an array from an index on.
    fn access(&mut self, at: Option<ValueId>, array: ValueId, layout: Layout, index: &Affine, part: u32) {
        let len = self.ty(array).map_or(1, Type::atoms);
        self.expect(at, || format!("the array %{}", array.0), array, Type::array(layout, len));
        let increasing = index.terms.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if !increasing || index.terms.iter().any(|&(_, coefficient)| coefficient == 0) {
            self.flaw(at, Rule::AffineForm);
        }
        let trips = |induction: InductionId| self.trips.get(induction.index()).copied().flatten();
        if let Some(&(induction, _)) = index.terms.iter().find(|&&(induction, _)| trips(induction).is_none())
        {
            return self.flaw(at, Rule::InductionScope(induction));
        }
        if let Some((low, high)) = range(index, trips)
            && (low < 0 || high + i128::from(part) > i128::from(len))
        {
            self.flaw(at, Rule::Index { low, high, len, part });
        }
    }

    fn call(&mut self, operation: &Operation) {
        let Op::Call(callee, arguments) = &operation.op else { return };
        let at = operation.results.first().copied();
        if callee.index() >= self.number {
            return self.flaw(at, Rule::Callee { callee: callee.0 });
        }
        let callee = self.program.node(*callee);
        if callee.inputs.len() != arguments.len() {
            let parameters = callee.inputs.len();
            self.flaw(at, Rule::Count { what: "inputs of the callee", parameters, values: arguments.len() });
        }
        for (input, &argument) in callee.inputs.iter().zip(arguments) {
            let what = || format!("the argument %{} for `{}`", argument.0, input.name);
            self.expect(at, what, argument, input.ty);
        }
        if callee.outputs.len() != operation.results.len() {
            let (found, expected) = (operation.results.len(), callee.outputs.len());
            self.flaw(at, Rule::Results { found, expected });
        }
        for (output, &result) in callee.outputs.iter().zip(&operation.results) {
            self.expect(at, || format!("%{} for `{}`", result.0, output.name), result, output.ty);
        }
    }

    fn cycle(&mut self, operation: &Operation, inner: &Loop) {
        let at = operation.results.first().copied();
        let Loop { induction, trips, initial, body } = inner;
        self.loops += 1;
        if *trips == 0 {
            self.flaw(at, Rule::NoTrip);
        }
        let known = induction.index() < self.looped.len();
        if !known || std::mem::replace(&mut self.looped[induction.index()], true) {
            self.flaw(at, Rule::Induction(*induction, self.node.inductions));
        }
        if known {
            self.trips[induction.index()] = Some(*trips);
        }
        self.block(body, |_| {});
        if known {
            self.trips[induction.index()] = None;
        }
        for (what, values) in [
            ("parameters of the body", &body.parameters),
            ("results of the body", &body.results),
            ("results of the loop", &operation.results),
        ] {
            if values.len() != initial.len() {
                let (parameters, values) = (values.len(), initial.len());
                self.flaw(at, Rule::Count { what, parameters, values });
            }
            for (&value, &first) in values.iter().zip(initial) {
                if let Some(ty) = self.ty(first) {
                    self.expect(at, || format!("the carried value %{}", value.0), value, ty);
                }
            }
        }
    }
}
