//! Typed programs on sums of symbols, bit by bit; programs of bits and of words.

use crate::sums::{Call, Sum, Symbols};
use crate::why::Why;
use std::collections::BTreeMap;
use usuba_lang::ast::ShiftOp;
use usuba_lang::source::Span;
use usuba_lang::typed::{
    Assignment, AssignmentId, Body, Definition, Equations, Expression, ExpressionKind, Instance, InstanceId,
    LogicOp, Lookup, Program, Slot, Step, Table, Use, VariableId, visit,
};

/// Calls stand at most so deep in each other, so that they fit on a stack.
const DEEPEST: u32 = 200;

/// Matrices have at most so many entries, 32 MiB of them.
const MOST_ENTRIES: usize = 1 << 28;

/// A run names at most so many atoms, those of calls as often as they are called: some seconds of work.
const MOST_ATOMS: u64 = 1 << 23;

/// That matrices of so many rows and columns are small enough.
pub(crate) fn check_size(rows: usize, columns: usize, place: Span) -> Result<(), Why> {
    match rows.checked_mul(columns) {
        Some(entries) if entries <= MOST_ENTRIES => Ok(()),
        _ => Err(Why::new("it has more bits than are looked at", Some(place))),
    }
}

/// Number of bits of all inputs of an instance.
pub fn input_bits(instance: &Instance) -> usize {
    bits_of(instance, &instance.inputs)
}

/// Number of bits of all outputs of an instance.
pub fn output_bits(instance: &Instance) -> usize {
    bits_of(instance, &instance.outputs)
}

/// Number of bits of some variables.
pub fn bits_of(instance: &Instance, variables: &[VariableId]) -> usize {
    let bits = |&id: &VariableId| (instance.variable(id).atoms() * instance.variable(id).width) as usize;
    variables.iter().map(bits).sum()
}

/// The bits of the outputs of an instance, given those of its inputs: parameter by parameter, atom by atom, each from its
/// most significant bit. In a program of bits that is atom by atom.
///
/// # Errors
/// An `accept`, which has no value; calls that stand too deep in each other, or name too many atoms; more terms than can be
/// kept; or not as many bits as the inputs have.
pub fn run(
    symbols: &mut Symbols,
    program: &Program,
    instance: InstanceId,
    inputs: &[Sum],
) -> Result<Vec<Sum>, Why> {
    run_around(symbols, program, instance, inputs, &|_| false)
}

/// The same, but calls of some instances are symbols: they are not looked into. Symbols of several programs would then take
/// one for the other.
///
/// # Errors
/// As [`run`].
pub fn run_around(
    symbols: &mut Symbols,
    program: &Program,
    instance: InstanceId,
    inputs: &[Sum],
    is_kept: &dyn Fn(InstanceId) -> bool,
) -> Result<Vec<Sum>, Why> {
    let expected = input_bits(program.instance(instance));
    if inputs.len() != expected {
        return Err(Why::new(format!("it takes {expected} bits, not {}", inputs.len()), None));
    }
    let atoms = atoms_named(program, instance, is_kept);
    if atoms > MOST_ATOMS {
        let message = format!("a run names {atoms} atoms, and at most {MOST_ATOMS} are looked at");
        return Err(Why::new(message, Some(program.instance(instance).span)));
    }
    let result = Run { symbols, program, is_kept }.call(instance, inputs, 0);
    symbols.place = None;
    result
}

/// How many atoms a run of an instance names, those of calls as often as they are called; the largest number if it is more.
fn atoms_named(program: &Program, instance: InstanceId, is_kept: &dyn Fn(InstanceId) -> bool) -> u64 {
    let mut callees: BTreeMap<InstanceId, (u64, Vec<InstanceId>)> = BTreeMap::new();
    let mut waiting = vec![instance];
    while let Some(id) = waiting.pop() {
        if callees.contains_key(&id) {
            continue;
        }
        let (mut own, mut called) = (1, Vec::new());
        if let (Body::Equations(equations), false) = (&program.instance(id).body, is_kept(id)) {
            visit(&equations.steps, &mut |expression| match &expression.kind {
                ExpressionKind::Atoms(uses) => own += uses.len() as u64,
                ExpressionKind::Call { callee, .. } => called.push(*callee),
                _ => own += 1,
            });
        }
        waiting.extend(&called);
        callees.insert(id, (own, called));
    }
    // Callees have smaller numbers.
    let mut totals: BTreeMap<InstanceId, u64> = BTreeMap::new();
    for (id, (own, called)) in callees {
        let inside = called.iter().map(|callee| totals.get(callee).copied().unwrap_or(u64::MAX));
        let total = inside.fold(own, u64::saturating_add);
        totals.insert(id, total);
    }
    totals.get(&instance).copied().unwrap_or(u64::MAX)
}

struct Run<'a> {
    symbols: &'a mut Symbols,
    program: &'a Program,
    is_kept: &'a dyn Fn(InstanceId) -> bool,
}

/// The values of the atoms of an instance.
struct Frame<'a> {
    instance: &'a Instance,
    /// The bits of each variable that is an input.
    inputs: Vec<Vec<Sum>>,
    /// The bits of each assignment, and where the atoms end.
    assigned: Vec<(Vec<Sum>, Vec<usize>)>,
    /// How deep the call is.
    depth: u32,
}

/// A list of atoms.
#[derive(Default)]
struct Value {
    /// The bits, each atom from its most significant.
    bits: Vec<Sum>,
    /// The widths of the atoms.
    widths: Vec<u32>,
}

impl Value {
    fn push(&mut self, atom: &[Sum]) {
        self.bits.extend(atom);
        self.widths.push(atom.len() as u32);
    }

    /// The atoms.
    fn atoms(&self) -> impl Iterator<Item = &[Sum]> {
        let mut start = 0;
        self.widths.iter().map(move |&width| {
            let atom = &self.bits[start..start + width as usize];
            start += width as usize;
            atom
        })
    }

    fn of_atoms(atoms: impl IntoIterator<Item = Vec<Sum>>) -> Value {
        let mut value = Value::default();
        atoms.into_iter().for_each(|atom| value.push(&atom));
        value
    }
}

impl Frame<'_> {
    fn atom(&self, slot: Slot, definition: Definition) -> &[Sum] {
        match definition {
            Definition::Input => {
                let width = self.instance.variable(slot.variable).width as usize;
                let start = slot.atom as usize * width;
                &self.inputs[slot.variable.0 as usize][start..start + width]
            }
            Definition::Assigned(AssignmentId(id), number) => {
                let (bits, ends) = &self.assigned[id as usize];
                let start = (number as usize).checked_sub(1).map_or(0, |before| ends[before]);
                &bits[start..ends[number as usize]]
            }
        }
    }
}

impl<'a> Run<'a> {
    fn call(&mut self, id: InstanceId, inputs: &[Sum], depth: u32) -> Result<Vec<Sum>, Why> {
        let instance = self.program.instance(id);
        if depth > DEEPEST {
            let message = format!("calls stand more than {DEEPEST} deep in each other");
            return Err(Why::new(message, Some(instance.span)));
        }
        if (self.is_kept)(id) {
            self.symbols.check_room(instance.span)?;
            self.symbols.place = Some(instance.span);
            let call = Call { callee: id, arguments: inputs.to_vec() };
            return Ok(self.symbols.call(call, output_bits(instance)));
        }
        match &instance.body {
            Body::Permutation { sources } => {
                let width = instance.inputs.first().map_or(1, |&id| instance.variable(id).width as usize);
                let atom = |&source: &u32| &inputs[source as usize * width..(source as usize + 1) * width];
                Ok(sources.iter().flat_map(atom).copied().collect())
            }
            Body::Table(table) => self.table(instance, table, inputs),
            Body::Equations(equations) => self.equations(instance, equations, inputs, depth),
        }
    }

    fn table(&mut self, instance: &Instance, table: &Table, inputs: &[Sum]) -> Result<Vec<Sum>, Why> {
        self.symbols.check_room(instance.span)?;
        self.symbols.place = Some(instance.span);
        let number = self.symbols.table(table.inputs, table.outputs, &table.entries);
        let columns = match table.lookup {
            Lookup::Word => return Ok(self.symbols.look_up(number, inputs.to_vec())),
            // A bit of a word is a column of its own: in a program of bits words have one.
            Lookup::Columns { columns } => {
                columns as usize * inputs.len() / (table.inputs * columns) as usize
            }
        };
        let mut outputs = vec![Sum::ZERO; table.outputs as usize * columns];
        for column in 0..columns {
            let index = (0..table.inputs as usize).map(|i| inputs[i * columns + column]).collect();
            for (i, output) in self.symbols.look_up(number, index).into_iter().enumerate() {
                outputs[i * columns + column] = output;
            }
        }
        Ok(outputs)
    }

    fn equations(
        &mut self,
        instance: &'a Instance,
        equations: &'a Equations,
        inputs: &[Sum],
        depth: u32,
    ) -> Result<Vec<Sum>, Why> {
        let mut frame = Frame {
            instance,
            inputs: vec![Vec::new(); instance.variables.len()],
            assigned: vec![Default::default(); equations.count as usize],
            depth,
        };
        let mut start = 0;
        for &variable in &instance.inputs {
            let end = start + bits_of(instance, &[variable]);
            frame.inputs[variable.0 as usize] = inputs[start..end].to_vec();
            start = end;
        }
        let mut assignments = Vec::new();
        collect(&equations.steps, &mut assignments);
        match &equations.order {
            None => assignments.iter().try_for_each(|one| self.assign(one, &mut frame))?,
            Some(order) => {
                assignments.sort_by_key(|one| one.id);
                for id in order {
                    let found = assignments.binary_search_by_key(id, |one| one.id);
                    let Ok(place) = found else { continue };
                    self.assign(assignments[place], &mut frame)?;
                }
            }
        }
        let mut outputs = Vec::new();
        for (&variable, definitions) in instance.outputs.iter().zip(&equations.results) {
            for (atom, &definition) in (0..).zip(definitions) {
                outputs.extend(frame.atom(Slot { variable, atom }, definition));
            }
        }
        Ok(outputs)
    }

    fn assign(&mut self, assignment: &Assignment, frame: &mut Frame<'_>) -> Result<(), Why> {
        let value = self.value(&assignment.value, frame)?;
        let mut end = 0;
        let ends = value.widths.iter().map(|&width| {
            end += width as usize;
            end
        });
        let ends = ends.collect();
        frame.assigned[assignment.id.0 as usize] = (value.bits, ends);
        Ok(())
    }

    fn value(&mut self, expression: &Expression, frame: &Frame<'_>) -> Result<Value, Why> {
        let mut result = Value::default();
        match &expression.kind {
            ExpressionKind::Atoms(uses) => {
                uses.iter().for_each(|&Use { slot, definition }| result.push(frame.atom(slot, definition)));
            }
            ExpressionKind::Constants(constants) => {
                for constant in constants {
                    let bit = |shift: u32| self.symbols.constant(constant.value >> shift & 1 == 1);
                    result.bits.extend((0..constant.width).rev().map(bit));
                    result.widths.push(constant.width);
                }
            }
            ExpressionKind::Tuple(parts) => {
                for part in parts {
                    let part = self.value(part, frame)?;
                    result.bits.extend(part.bits);
                    result.widths.extend(part.widths);
                }
            }
            ExpressionKind::Not(value) => {
                result = self.value(value, frame)?;
                result.bits.iter_mut().for_each(|bit| *bit = self.symbols.not(*bit));
            }
            ExpressionKind::Refresh(value) => result = self.value(value, frame)?,
            ExpressionKind::Logic(op, left, right) => {
                result = self.value(left, frame)?;
                let right = self.value(right, frame)?;
                self.symbols.place = Some(expression.span);
                let whole = match op {
                    LogicOp::Xor => self.symbols.whole_sums(&result.bits, &right.bits),
                    LogicOp::And | LogicOp::Or => self.symbols.whole_products(&result.bits, &right.bits),
                };
                for (place, (a, b)) in result.bits.iter_mut().zip(right.bits).enumerate() {
                    self.symbols.check_room(expression.span)?;
                    let product = |symbols: &mut Symbols, a, b| match &whole {
                        Some(products) => products[place],
                        None => symbols.product(a, b),
                    };
                    *a = match op {
                        LogicOp::Xor => match &whole {
                            Some(sums) => sums[place],
                            None => self.symbols.add(*a, b),
                        },
                        LogicOp::And => product(self.symbols, *a, b),
                        LogicOp::Or => {
                            let (sum, product) = (self.symbols.add(*a, b), product(self.symbols, *a, b));
                            self.symbols.add(sum, product)
                        }
                    };
                }
            }
            ExpressionKind::Arithmetic { op, width, left, right } => {
                result = self.value(left, frame)?;
                let right = self.value(right, frame)?;
                self.symbols.place = Some(expression.span);
                let width = *width as usize;
                let mut words = Vec::with_capacity(result.bits.len());
                for (a, b) in result.bits.chunks(width).zip(right.bits.chunks(width)) {
                    self.symbols.check_room(expression.span)?;
                    words.extend(self.symbols.arithmetic(*op, a, b));
                }
                result.bits = words;
            }
            ExpressionKind::Shift { op, amount, value } => {
                let value = self.value(value, frame)?;
                result = Value::of_atoms(value.atoms().map(|atom| shifted(*op, *amount as usize, atom)));
            }
            ExpressionKind::Gather { sources, value } => {
                let value = self.value(value, frame)?;
                let atoms: Vec<&[Sum]> = value.atoms().collect();
                let zero = vec![Sum::ZERO; atoms.first().map_or(1, |atom| atom.len())];
                for source in sources {
                    result.push(source.map_or(&zero, |source| atoms[source as usize]));
                }
            }
            ExpressionKind::Shuffle { pattern, value } => {
                let value = self.value(value, frame)?;
                let shuffled = |atom: &[Sum]| pattern.iter().map(|&source| atom[source as usize]).collect();
                result = Value::of_atoms(value.atoms().map(shuffled));
            }
            ExpressionKind::Bitmask { bit, value } => {
                let value = self.value(value, frame)?;
                let mask = |atom: &[Sum]| vec![atom[atom.len() - 1 - *bit as usize]; atom.len()];
                result = Value::of_atoms(value.atoms().map(mask));
            }
            ExpressionKind::Pack { high, low } => {
                let (high, low) = (self.value(high, frame)?, self.value(low, frame)?);
                result =
                    Value::of_atoms(high.atoms().zip(low.atoms()).map(|(high, low)| [high, low].concat()));
            }
            ExpressionKind::Regroup { width, value } => {
                result.bits = self.value(value, frame)?.bits;
                result.widths = vec![*width; result.bits.len() / (*width).max(1) as usize];
            }
            ExpressionKind::Call { callee, arguments } => {
                let arguments = self.value(arguments, frame)?;
                result.bits = self.call(*callee, &arguments.bits, frame.depth + 1)?;
                let callee = self.program.instance(*callee);
                for &output in &callee.outputs {
                    let output = callee.variable(output);
                    result.widths.extend(vec![output.width; output.atoms() as usize]);
                }
            }
            ExpressionKind::Accept { .. } => {
                let message = "`accept` refuses messages: there is not always a result";
                return Err(Why::new(message, Some(expression.span)));
            }
        }
        Ok(result)
    }
}

/// All assignments, in textual order.
fn collect<'a>(steps: &'a [Step], assignments: &mut Vec<&'a Assignment>) {
    for step in steps {
        match step {
            Step::Assign(assignment) => assignments.push(assignment),
            Step::Loop(looped) => looped.iterations.iter().for_each(|body| collect(body, assignments)),
        }
    }
}

/// A word, most significant bit first, shifted or rotated by less than its width.
fn shifted(op: ShiftOp, amount: usize, word: &[Sum]) -> Vec<Sum> {
    let width = word.len();
    let bit = |place: usize| match op {
        ShiftOp::Left => word.get(place + amount).copied().unwrap_or(Sum::ZERO),
        ShiftOp::Right => place.checked_sub(amount).map_or(Sum::ZERO, |source| word[source]),
        ShiftOp::RightArithmetic => word[place.saturating_sub(amount)],
        ShiftOp::RotateLeft => word[(place + amount) % width],
        ShiftOp::RotateRight => word[(place + width - amount) % width],
    };
    (0..width).map(bit).collect()
}
