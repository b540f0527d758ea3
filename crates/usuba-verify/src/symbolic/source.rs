//! Typed programs on bits of a graph: what `usuba_lang::interpret` computes on numbers, computed on bits. Nothing of the compiler
//! after elaboration is between the text and the graph.

use super::cut::{Cut, collect};
use super::{Signal, Values};
use crate::graph::functions::Role;
use crate::graph::products::{BITS, multiply};
use crate::graph::{Edge, Gate, Graph, value_of, words};
use usuba_lang::ast::ShiftOp;
use usuba_lang::typed::{
    ArithmeticOp, Assignment, Body, Definition, Equations, Expression, ExpressionKind, Instance, InstanceId,
    LogicOp, Lookup, Program, Slot, Table, Use, VariableId,
};

/// Why a program has no value for all inputs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`accept` refuses messages: such a program has no result for all inputs")]
pub struct Refuses;

/// The width and the number of atoms of each input.
pub fn inputs(program: &Program) -> Vec<(u32, u32)> {
    let entry = program.instance(program.entry());
    entry.inputs.iter().map(|&id| entry.variable(id)).map(|one| (one.width, one.atoms())).collect()
}

/// The width and the number of atoms of each output.
pub fn outputs(program: &Program) -> Vec<(u32, u32)> {
    let entry = program.instance(program.entry());
    entry.outputs.iter().map(|&id| entry.variable(id)).map(|one| (one.width, one.atoms())).collect()
}

/// The outputs of the entry, and its named values in the order in which they are made.
///
/// # Errors
/// The program has an `accept`.
///
/// # Panics
/// If the inputs are not those of the entry.
pub fn run(
    graph: &mut Graph,
    program: &Program,
    inputs: &Values,
    signals: &mut Vec<Signal>,
) -> Result<Values, Refuses> {
    let mut run = Run { graph, program, signals: Some(signals), opening: None, cut: None };
    run.entry(inputs)
}

/// What a message is.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The outputs, if it is not refused.
    pub outputs: Values,
    /// Bits that have to be the same, or it is refused.
    pub accepted: Vec<(Edge, Edge)>,
}

/// Nodes of a message that are not run.
#[derive(Clone, Debug, Default)]
pub struct Opaque {
    /// The product in GF(2^128), which is put off ([`Graph::put_off`]).
    pub product: Option<InstanceId>,
    /// Names of nodes that stand for a block cipher of which nothing is known ([`Graph::applied`]).
    pub cipher: Vec<(String, Role)>,
}

impl Opaque {
    /// Whether a node is one of these.
    pub fn has(&self, program: &Program, node: InstanceId) -> bool {
        let name = &program.instance(node).name;
        self.product == Some(node) || self.cipher.iter().any(|(known, _)| known == name)
    }
}

/// The outputs of the entry of a message.
///
/// # Panics
/// If the inputs are not those of the entry.
pub fn open(graph: &mut Graph, program: &Program, inputs: &Values, opaque: &Opaque) -> Opened {
    opened(graph, program, inputs, opaque, None)
}

/// The same of a text that is cut: what is made after the turns that are not run.
///
/// # Panics
/// If the inputs are not those of the entry.
pub fn open_cut(
    graph: &mut Graph,
    program: &Program,
    inputs: &Values,
    opaque: &Opaque,
    cut: &mut Cut,
) -> Opened {
    opened(graph, program, inputs, opaque, Some(cut))
}

fn opened<'a>(
    graph: &'a mut Graph,
    program: &'a Program,
    inputs: &Values,
    opaque: &'a Opaque,
    cut: Option<&'a mut Cut>,
) -> Opened {
    let opening = Opening { accepted: Vec::new(), opaque };
    let mut run = Run { graph, program, signals: None, opening: Some(opening), cut };
    let outputs = run.entry(inputs).unwrap_or_default();
    Opened { outputs, accepted: run.opening.map(|opening| opening.accepted).unwrap_or_default() }
}

/// What a node makes of atoms, in the order of its inputs: nothing if it is a message that may be refused.
///
/// # Panics
/// If there are not as many atoms as its inputs have.
pub fn of_node(
    graph: &mut Graph,
    program: &Program,
    node: InstanceId,
    atoms: Vec<Vec<Edge>>,
) -> Option<Vec<Vec<Edge>>> {
    let mut run = Run { graph, program, signals: None, opening: None, cut: None };
    run.call(node, atoms, "").ok()
}

/// The node of a program that is the product in GF(2^128) as GCM writes it, whatever its name. That it is the product is proved: each
/// bit of it is a sum of products of a bit of the one factor and one of the other, and it is right for any two of these.
pub fn product(program: &Program) -> Option<InstanceId> {
    (0..program.instances().len() as u32).map(InstanceId).find(|&id| is_product(program, id))
}

fn is_product(program: &Program, id: InstanceId) -> bool {
    let instance = program.instance(id);
    let is_block = |&id: &VariableId| {
        let variable = instance.variable(id);
        (variable.width, variable.atoms() as usize) == (1, BITS)
    };
    if instance.inputs.len() != 2
        || instance.outputs.len() != 1
        || !instance.inputs.iter().chain(&instance.outputs).all(is_block)
    {
        return false;
    }
    let mut graph = Graph::new();
    let factors = [graph.input_bits(BITS), graph.input_bits(BITS)];
    let mut run = Run { graph: &mut graph, program, signals: None, opening: None, cut: None };
    let atoms: Atoms = factors.concat().into_iter().map(|bit| vec![bit]).collect();
    let Ok(outputs) = run.call(id, atoms, "") else { return false };
    let bits: Vec<Edge> = outputs.concat();
    // Of degree one in each factor, and nothing where one of them is.
    let mut degrees: Vec<Option<[bool; 2]>> = Vec::with_capacity(graph.len());
    for vertex in graph.vertices() {
        let of = |edge: Edge| degrees[edge.vertex().index()].filter(|_| !edge.is_complemented());
        let degree = match graph.gate(vertex) {
            Gate::False => Some([false; 2]),
            Gate::Input(number) => Some([(number as usize) < BITS, number as usize >= BITS]),
            Gate::Xor(a, b) => match (degrees[a.index()], degrees[b.index()]) {
                (Some([false, false]), other) | (other, Some([false, false])) => other,
                (a, b) if a == b => a,
                _ => None,
            },
            Gate::And(a, b) => match (of(a), of(b)) {
                (Some([true, false]), Some([false, true])) | (Some([false, true]), Some([true, false])) => {
                    Some([true, true])
                }
                _ => None,
            },
        };
        degrees.push(degree);
    }
    if bits.iter().any(|edge| degrees[edge.vertex().index()] != Some([true, true]) || edge.is_complemented())
    {
        return false;
    }
    // 64 pairs at once: a bit of the first factor, and half of those of the second.
    (0..BITS).all(|one| {
        [0, 64].into_iter().all(|begin| {
            let values = graph.evaluate(|input| match (input as usize).checked_sub(BITS) {
                None if input as usize == one => u64::MAX,
                Some(other) if (begin..begin + 64).contains(&other) => 1 << (other - begin),
                None | Some(_) => 0,
            });
            (0..64).all(|lane| {
                let expected = multiply(1 << one, 1 << (begin + lane));
                let is_right = |(place, &edge): (usize, &Edge)| {
                    u128::from(value_of(&values, edge) >> lane & 1) == expected >> place & 1
                };
                bits.iter().enumerate().all(is_right)
            })
        })
    })
}

/// Atoms, each as its bits from the least significant.
type Atoms = Vec<Vec<Edge>>;

/// What is done with a message.
struct Opening<'a> {
    accepted: Vec<(Edge, Edge)>,
    opaque: &'a Opaque,
}

struct Run<'a> {
    graph: &'a mut Graph,
    program: &'a Program,
    /// Named values, if they are wanted.
    signals: Option<&'a mut Vec<Signal>>,
    /// Of a program that may refuse messages.
    opening: Option<Opening<'a>>,
    /// Where it is cut, if it is.
    cut: Option<&'a mut Cut>,
}

/// The values of an instance that is being run.
struct Frame<'a> {
    instance: &'a Instance,
    /// The atoms of each variable that is an input.
    inputs: Vec<Atoms>,
    /// The atoms of each assignment.
    assigned: Vec<Atoms>,
    path: String,
}

impl Frame<'_> {
    fn atom(&self, Use { slot, definition }: Use) -> &Vec<Edge> {
        match definition {
            Definition::Input => &self.inputs[slot.variable.0 as usize][slot.atom as usize],
            Definition::Assigned(assignment, target) => {
                &self.assigned[assignment.0 as usize][target as usize]
            }
        }
    }
}

impl<'a> Run<'a> {
    fn entry(&mut self, inputs: &Values) -> Result<Values, Refuses> {
        let entry = self.program.instance(self.program.entry());
        let mut outputs = self.call(self.program.entry(), inputs.concat(), &entry.name)?.into_iter();
        let of = |&id| outputs.by_ref().take(entry.variable(id).atoms() as usize).collect();
        Ok(entry.outputs.iter().map(of).collect())
    }

    fn call(&mut self, id: InstanceId, arguments: Atoms, path: &str) -> Result<Atoms, Refuses> {
        let instance: &'a Instance = self.program.instance(id);
        let opaque = self.opening.as_ref().map(|opening| opening.opaque);
        if opaque.is_some_and(|opaque| opaque.product == Some(id)) {
            let mut factor = arguments.concat();
            let key = factor.split_off(BITS);
            if let Some(cut) = &mut self.cut {
                cut.note_factor(&factor);
            }
            return Ok(self.graph.put_off(factor, key).into_iter().map(|bit| vec![bit]).collect());
        }
        let mut roles = opaque.iter().flat_map(|opaque| &opaque.cipher);
        if let Some(&(_, role)) = roles.find(|(name, _)| *name == instance.name) {
            let shapes = instance.outputs.iter().map(|&id| instance.variable(id));
            let widths: Vec<usize> =
                shapes.flat_map(|one| vec![one.width as usize; one.atoms() as usize]).collect();
            let mut bits = self.graph.applied(role, &arguments.concat(), widths.iter().sum()).into_iter();
            return Ok(widths.into_iter().map(|width| bits.by_ref().take(width).collect()).collect());
        }
        match &instance.body {
            Body::Permutation { sources } => {
                Ok(sources.iter().map(|&source| arguments[source as usize].clone()).collect())
            }
            Body::Table(table) => Ok(self.table(table, &arguments)),
            Body::Equations(equations) => {
                let mut frame = Frame {
                    instance,
                    inputs: vec![Vec::new(); instance.variables.len()],
                    assigned: vec![Vec::new(); equations.count as usize],
                    path: path.to_owned(),
                };
                let mut arguments = arguments.into_iter();
                for &input in &instance.inputs {
                    let atoms = instance.variable(input).atoms() as usize;
                    frame.inputs[input.0 as usize] = arguments.by_ref().take(atoms).collect();
                }
                self.equations(equations, frame)
            }
        }
    }

    fn equations(&mut self, equations: &'a Equations, mut frame: Frame<'a>) -> Result<Atoms, Refuses> {
        let mut assignments = Vec::new();
        for (step, what) in (0..).zip(&equations.steps) {
            collect(what, step, &mut assignments);
        }
        if let Some(order) = &equations.order {
            let mut place = vec![usize::MAX; equations.count as usize];
            (0..).zip(order).for_each(|(number, id)| place[id.0 as usize] = number);
            assignments.sort_by_key(|(.., assignment)| place[assignment.id.0 as usize]);
        }
        for (turn, standing, assignment) in assignments {
            let instance = frame.instance;
            let widths =
                assignment.targets.iter().map(|slot| instance.variable(slot.variable).width as usize);
            let cut = self.cut.as_mut().map(|cut| cut.go(self.graph, standing, widths));
            let (of_cut, before) = cut.unwrap_or_default();
            let value = match before {
                Some(symbols) => symbols,
                None => self.value(&assignment.value, &frame)?,
            };
            if let (Some(cut), Some(of_cut)) = (&mut self.cut, of_cut) {
                cut.made.insert(of_cut, value.clone());
            }
            self.name(&turn, assignment, &value, &frame);
            frame.assigned[assignment.id.0 as usize] = value;
        }
        let mut outputs = Vec::new();
        for (&variable, definitions) in frame.instance.outputs.iter().zip(&equations.results) {
            for (atom, &definition) in (0..).zip(definitions) {
                outputs.push(frame.atom(Use { slot: Slot { variable, atom }, definition }).clone());
            }
        }
        Ok(outputs)
    }

    fn name(&mut self, turn: &str, assignment: &Assignment, value: &Atoms, frame: &Frame<'_>) {
        let Some(signals) = &mut self.signals else { return };
        for (slot, bits) in assignment.targets.iter().zip(value) {
            let variable = frame.instance.variable(slot.variable);
            let indices: String = variable.indices(slot.atom).map(|index| format!("[{index}]")).collect();
            let name = format!("{}{turn}/{}{indices}", frame.path, variable.name);
            signals.push(Signal { name, bits: bits.clone() });
        }
    }

    fn table(&mut self, table: &Table, arguments: &Atoms) -> Atoms {
        if table.lookup == Lookup::Word {
            let value = words::look_up_word(self.graph, &arguments[0], &table.entries, table.outputs);
            return vec![value];
        }
        let Lookup::Columns { columns } = table.lookup else { return Vec::new() };
        let (columns, count) = (columns as usize, table.inputs as usize);
        let width = arguments.first().map_or(1, Vec::len);
        let mut outputs = vec![vec![Edge::FALSE; width]; table.outputs as usize * columns];
        for column in 0..columns {
            for bit in 0..width {
                // The first atom is the most significant bit of the index, and of the value.
                let index: Vec<Edge> =
                    (0..count).rev().map(|i| arguments[i * columns + column][bit]).collect();
                let value = words::look_up_word(self.graph, &index, &table.entries, table.outputs);
                for (place, edge) in value.into_iter().rev().enumerate() {
                    outputs[place * columns + column][bit] = edge;
                }
            }
        }
        outputs
    }

    fn value(&mut self, expression: &Expression, frame: &Frame<'_>) -> Result<Atoms, Refuses> {
        Ok(match &expression.kind {
            ExpressionKind::Atoms(uses) => uses.iter().map(|&one| frame.atom(one).clone()).collect(),
            ExpressionKind::Constants(constants) => {
                let atom = |one: &usuba_lang::typed::Constant| words::constant(one.width as usize, one.value);
                match self.cut.as_mut().and_then(|cut| cut.constant()) {
                    Some(numbers) => numbers.clone(),
                    None => constants.iter().map(atom).collect(),
                }
            }
            ExpressionKind::Tuple(parts) => {
                let mut atoms = Vec::new();
                for part in parts {
                    atoms.extend(self.value(part, frame)?);
                }
                atoms
            }
            ExpressionKind::Not(value) => {
                self.value(value, frame)?.iter().map(|atom| words::not(atom)).collect()
            }
            ExpressionKind::Refresh(value) => self.value(value, frame)?,
            ExpressionKind::Logic(op, left, right) => {
                let (left, right) = (self.value(left, frame)?, self.value(right, frame)?);
                let gate = match op {
                    LogicOp::And => Graph::and,
                    LogicOp::Or => Graph::or,
                    LogicOp::Xor => Graph::xor,
                };
                left.iter().zip(&right).map(|(a, b)| words::each(self.graph, a, b, gate)).collect()
            }
            ExpressionKind::Arithmetic { op, width, left, right } => {
                let (left, right) = (self.value(left, frame)?, self.value(right, frame)?);
                self.arithmetic(*op, *width as usize, &left, &right)
            }
            ExpressionKind::Shift { op, amount, value } => {
                let value = self.value(value, frame)?;
                value.iter().map(|atom| shift(*op, atom, *amount as usize)).collect()
            }
            ExpressionKind::Gather { sources, value } => {
                let value = self.value(value, frame)?;
                let zero = vec![Edge::FALSE; value.first().map_or(1, Vec::len)];
                let atom = |source: &Option<u32>| {
                    source.map_or_else(|| zero.clone(), |source| value[source as usize].clone())
                };
                sources.iter().map(atom).collect()
            }
            ExpressionKind::Shuffle { pattern, value } => {
                let value = self.value(value, frame)?;
                let shuffled = |atom: &Vec<Edge>| {
                    pattern.iter().rev().map(|&from| atom[atom.len() - 1 - from as usize]).collect()
                };
                value.iter().map(shuffled).collect()
            }
            ExpressionKind::Bitmask { bit, value } => {
                let value = self.value(value, frame)?;
                value.iter().map(|atom| vec![atom[*bit as usize]; atom.len()]).collect()
            }
            ExpressionKind::Pack { high, low } => {
                let (high, low) = (self.value(high, frame)?, self.value(low, frame)?);
                high.iter().zip(&low).map(|(high, low)| [low.as_slice(), high].concat()).collect()
            }
            ExpressionKind::Regroup { width, value } => {
                let value = self.value(value, frame)?;
                let bits: Vec<Edge> = value.iter().flat_map(|atom| atom.iter().rev()).copied().collect();
                bits.chunks(*width as usize).map(|atom| atom.iter().rev().copied().collect()).collect()
            }
            ExpressionKind::Call { callee, arguments } => {
                let arguments = self.value(arguments, frame)?;
                let path = format!("{}/{}", frame.path, self.program.instance(*callee).name);
                let was = self.cut.as_mut().map(|cut| cut.enter());
                let made = self.call(*callee, arguments, &path)?;
                if let (Some(cut), Some(was)) = (&mut self.cut, was) {
                    cut.leave(was);
                }
                made
            }
            ExpressionKind::Accept { left, right } => {
                let [left, right] = [self.value(left, frame)?, self.value(right, frame)?];
                let Some(opening) = &mut self.opening else { return Err(Refuses) };
                opening.accepted.extend(left.concat().into_iter().zip(right.concat()));
                Vec::new()
            }
        })
    }

    /// On words of `width` bits: each is an atom, or so many atoms of a bit, the most significant first.
    fn arithmetic(&mut self, op: ArithmeticOp, width: usize, left: &Atoms, right: &Atoms) -> Atoms {
        let is_spread = left.first().is_some_and(|atom| atom.len() != width);
        let words = |atoms: &Atoms| -> Atoms {
            match is_spread {
                true => {
                    atoms.chunks(width).map(|bits| bits.iter().rev().map(|bit| bit[0]).collect()).collect()
                }
                false => atoms.clone(),
            }
        };
        let results = words(left).into_iter().zip(words(right)).map(|(a, b)| match op {
            ArithmeticOp::Add => words::add(self.graph, &a, &b, Edge::FALSE).0,
            ArithmeticOp::Subtract => words::subtract(self.graph, &a, &b).0,
            ArithmeticOp::Multiply => words::multiply(self.graph, &a, &b),
        });
        match is_spread {
            true => results.flat_map(|word| word.into_iter().rev().map(|bit| vec![bit])).collect(),
            false => results.collect(),
        }
    }
}

/// A word shifted or rotated by less than its width.
fn shift(op: ShiftOp, word: &[Edge], amount: usize) -> Vec<Edge> {
    let width = word.len();
    let bit = |place: usize| match op {
        ShiftOp::Left => place.checked_sub(amount).map_or(Edge::FALSE, |from| word[from]),
        ShiftOp::Right => word.get(place + amount).copied().unwrap_or(Edge::FALSE),
        ShiftOp::RightArithmetic => word[(place + amount).min(width - 1)],
        ShiftOp::RotateLeft => word[(place + width - amount) % width],
        ShiftOp::RotateRight => word[(place + amount) % width],
    };
    (0..width).map(bit).collect()
}
