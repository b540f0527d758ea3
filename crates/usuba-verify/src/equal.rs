//! Two programs as bits of one graph, and what is proved of them.

use crate::circuit::Circuit;
use crate::graph::{Edge, Graph, value_of};
use crate::prove::{Answer, Limits, Work, prove, sample};
use crate::shapes::{batch_inputs, batch_outputs, check_inputs, check_shapes, in_order, recut, recut_all};
use crate::symbolic::{Signal, Values, first_signal, fresh, numbers, source, usuba0};
use std::iter::zip;
use usuba_ir::program::Program;
use usuba_lang::typed;

pub use crate::shapes::Unlike;

/// Two programs on the same inputs.
#[derive(Clone, Debug)]
pub struct Problem {
    graph: Graph,
    inputs: Values,
    /// The names of the outputs, as far as they are known.
    names: Vec<String>,
    sides: [Side; 2],
}

#[derive(Clone, Debug, Default)]
struct Side {
    outputs: Values,
    signals: Vec<Signal>,
}

/// How the atoms of a program of Usuba0 hold what a typed program has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Atoms {
    /// The same bits in the same order.
    InOrder,
    /// The typed program is on bytes, and every m of them are eight atoms of m bits, each one bit of all of them.
    Planes,
}

/// Where the bits of the parameters of one program are in those of another. Bits of a parameter are counted in the order of its
/// atoms, each from its most significant bit. A parameter that is not there has its bits in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Places {
    /// For each input of the second program: the place of each of its bits in the same input of the first, a permutation.
    pub inputs: Vec<Vec<usize>>,
    /// The same for outputs.
    pub outputs: Vec<Vec<usize>>,
}

/// An input of a program that another program makes of what stands in its place, as round keys are made of round keys. That
/// program has one input and one output.
#[derive(Clone, Copy, Debug)]
pub struct Made<'a> {
    /// The number of the input.
    pub number: usize,
    /// What makes it.
    pub by: &'a typed::Program,
    /// For each bit that it is given, the place among those that stand there, counted as in [`Places`].
    pub given: &'a [usize],
    /// For each bit of the input the place among those that are made.
    pub taken: &'a [usize],
}

/// The width and the number of atoms of each parameter, in one batch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// Of the inputs.
    pub inputs: Vec<(u32, u32)>,
    /// Of the outputs.
    pub outputs: Vec<(u32, u32)>,
}

impl Parameters {
    /// Those of a program; with those that another one takes in place of the input that all instances have in common, which
    /// it makes of them.
    pub fn of(program: &Program, prepared: Option<&Program>) -> Parameters {
        let mut inputs = batch_inputs(program);
        if let Some(first) = prepared.and_then(|prepared| batch_inputs(prepared).first().copied()) {
            let entry = program.entry().inputs.iter().zip(&mut inputs);
            entry.filter(|(input, _)| input.uniform).for_each(|(_, shape)| *shape = first);
        }
        Parameters { inputs, outputs: batch_outputs(program) }
    }
}

/// What a program is given, of what its callers have: the input that all instances have in common is made by another one, if
/// there is one.
pub(crate) fn prepare(
    graph: &mut Graph,
    program: &Program,
    prepared: Option<&Program>,
    given: &Values,
) -> Values {
    let Some(prepared) = prepared else { return given.clone() };
    let of = |(input, atoms): (&usuba_ir::program::Parameter, &Vec<Vec<Edge>>)| match input.uniform {
        true => usuba0::run(graph, prepared, &vec![atoms.clone()], &mut Vec::new()).concat(),
        false => atoms.clone(),
    };
    program.entry().inputs.iter().zip(given).map(of).collect()
}

/// What says what a program is to compute.
#[derive(Clone, Copy, Debug)]
pub enum Meaning<'a> {
    /// A text, and how a program that was made of it holds its atoms.
    Text(&'a typed::Program, Atoms),
    /// A program of Usuba0 for one batch.
    Program(&'a Program),
}

impl Meaning<'_> {
    /// The outputs for these inputs, of one batch: both in the shape of what is to compute them. Named values on the way are added
    /// to `signals`.
    ///
    /// # Errors
    /// Inputs or outputs have other sizes, or there is no result for all inputs.
    pub fn run(
        self,
        graph: &mut Graph,
        shape: &Parameters,
        inputs: &Values,
        signals: &mut Vec<Signal>,
    ) -> Result<Values, Unlike> {
        let wanted = &shape.outputs;
        let sizes = |values: &Values| -> Vec<(u32, u32)> {
            values.iter().map(|atoms| (1, atoms.iter().map(|atom| atom.len() as u32).sum())).collect()
        };
        match self {
            Meaning::Program(meaning) => {
                self.check_inputs(shape)?;
                let inputs = recut(inputs, &batch_inputs(meaning));
                let outputs = usuba0::run(graph, meaning, &inputs, signals);
                check_shapes("outputs", &sizes(&outputs), wanted)?;
                Ok(recut(&outputs, wanted))
            }
            Meaning::Text(text, atoms) => {
                self.check_inputs(shape)?;
                let inputs = self.own_inputs(inputs);
                let outputs = source::run(graph, text, &inputs, signals)?;
                check_shapes("outputs", &sizes(&outputs), wanted)?;
                Ok(match atoms {
                    Atoms::InOrder => recut(&outputs, wanted),
                    Atoms::Planes => planes(&outputs, wanted),
                })
            }
        }
    }

    /// Checks that what was made of it has its inputs.
    ///
    /// # Errors
    /// It has others.
    pub fn check_inputs(self, shape: &Parameters) -> Result<(), Unlike> {
        match self {
            Meaning::Program(meaning) => check_shapes("inputs", &batch_inputs(meaning), &shape.inputs),
            Meaning::Text(text, Atoms::Planes) => {
                check_shapes("inputs", &source::inputs(text), &shape.inputs)
            }
            Meaning::Text(text, Atoms::InOrder) => check_inputs(&source::inputs(text), &shape.inputs),
        }
    }

    /// Its own inputs in the shape of what was made of it.
    pub fn inputs_of(self, shape: &Parameters, own: &Values) -> Values {
        match self {
            Meaning::Text(_, Atoms::Planes) => planes(own, &shape.inputs),
            Meaning::Text(_, Atoms::InOrder) => recut_all(own, &shape.inputs),
            Meaning::Program(_) => recut(own, &shape.inputs),
        }
    }

    /// Inputs of one batch in the shape of what was made of it, in its own.
    pub fn own_inputs(self, inputs: &Values) -> Values {
        match self {
            Meaning::Program(meaning) => recut(inputs, &batch_inputs(meaning)),
            Meaning::Text(text, Atoms::InOrder) => recut_all(inputs, &source::inputs(text)),
            Meaning::Text(_, Atoms::Planes) => bytes(inputs),
        }
    }

    /// Outputs of one batch in the shape of what was made of it, in its own.
    pub fn own_outputs(self, outputs: &Values) -> Values {
        match self {
            Meaning::Program(meaning) => recut(outputs, &batch_outputs(meaning)),
            Meaning::Text(text, Atoms::InOrder) => recut(outputs, &source::outputs(text)),
            Meaning::Text(_, Atoms::Planes) => bytes(outputs),
        }
    }
}

/// What is known of two programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// They compute the same for all inputs.
    Proved,
    /// They do not.
    Refuted(Box<Difference>),
    /// Neither was shown within the limits: for these outputs.
    Unknown(Vec<String>),
}

/// Inputs for which two programs differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The atoms of each input, in the shape of the first program.
    pub inputs: Vec<Vec<u128>>,
    /// The atoms of each output of the first program.
    pub left: Vec<Vec<u128>>,
    /// The atoms of each output of the second program.
    pub right: Vec<Vec<u128>>,
    /// The first bit that differs.
    pub output: String,
    /// The named value of the first program from which on the second has none with its values; where one is found.
    pub signal: Option<String>,
}

/// Bytes as planes, see [`Atoms::Planes`]: m bytes are eight words of m bits, bit i of word k being bit 7 - k of byte i, both
/// counted from the most significant or first.
fn planes(bytes: &Values, shape: &[(u32, u32)]) -> Values {
    let of = |(bytes, &(width, _)): (&Vec<Vec<Edge>>, &(u32, u32))| {
        let words = bytes.chunks(width as usize).flat_map(|group| {
            (0..8).map(|word| group.iter().rev().map(|byte| byte[7 - word]).collect::<Vec<Edge>>())
        });
        words.collect()
    };
    bytes.iter().zip(shape).map(of).collect()
}

/// Planes as bytes.
fn bytes(planes: &Values) -> Values {
    let of = |words: &Vec<Vec<Edge>>| {
        let groups = words.chunks(8).flat_map(|group| {
            let width = group.first().map_or(0, Vec::len);
            let byte = move |place: usize| (0..8).map(|bit| group[7 - bit][width - 1 - place]).collect();
            (0..width).map(byte).collect::<Vec<Vec<Edge>>>()
        });
        groups.collect()
    };
    planes.iter().map(of).collect()
}

/// The bits of parameters in the order of other ones, see [`Places`]: as atoms of one bit.
fn taken(values: &Values, places: &[Vec<usize>]) -> Values {
    let of = |(number, atoms): (usize, &Vec<Vec<Edge>>)| match places.get(number) {
        None => atoms.clone(),
        Some(places) => {
            let bits = in_order(atoms);
            places.iter().filter_map(|&place| bits.get(place)).map(|&bit| vec![bit]).collect()
        }
    };
    values.iter().enumerate().map(of).collect()
}

/// What [`taken`] undoes.
fn put_back(values: Values, places: &[Vec<usize>]) -> Values {
    let of = |(number, atoms): (usize, Vec<Vec<Edge>>)| match places.get(number) {
        None => atoms,
        Some(places) => {
            let mut bits: Vec<(usize, Edge)> = places.iter().copied().zip(in_order(&atoms)).collect();
            bits.sort_by_key(|(place, _)| *place);
            bits.into_iter().map(|(_, bit)| vec![bit]).collect()
        }
    };
    values.into_iter().enumerate().map(of).collect()
}

impl Made<'_> {
    /// The inputs with the one that is made.
    fn in_place(
        &self,
        graph: &mut Graph,
        mut inputs: Values,
        signals: &mut Vec<Signal>,
    ) -> Result<Values, Unlike> {
        let shapes = source::inputs(self.by);
        let replaced: Values = inputs.get(self.number).cloned().into_iter().collect();
        let given = taken(&replaced, &[self.given.to_vec()]);
        let bits = |shapes: &[(u32, u32)]| shapes.iter().map(|(width, atoms)| width * atoms).sum::<u32>();
        check_shapes(
            "inputs",
            &[(1, given.iter().map(|atoms| atoms.len() as u32).sum())],
            &[(1, bits(&shapes))],
        )?;
        let made = source::run(graph, self.by, &recut(&given, &shapes), signals)?;
        let made = taken(&made, &[self.taken.to_vec()]);
        for (input, made) in inputs.iter_mut().skip(self.number).zip(made) {
            *input = made;
        }
        Ok(inputs)
    }
}

impl Problem {
    /// Two typed programs. Words and bits may stand for each other: parameters are compared bit by bit, in the order in which
    /// their atoms come, each from its most significant bit.
    ///
    /// # Errors
    /// Inputs or outputs have other sizes, or a program has no result for all inputs.
    pub fn of_sources(left: &typed::Program, right: &typed::Program) -> Result<Problem, Unlike> {
        Problem::of_rearranged_sources(left, right, &Places::default())
    }

    /// Two typed programs whose parameters hold the same bits in other places.
    ///
    /// # Errors
    /// As [`Problem::of_sources`].
    pub fn of_rearranged_sources(
        left: &typed::Program,
        right: &typed::Program,
        places: &Places,
    ) -> Result<Problem, Unlike> {
        Problem::of_made_sources(left, right, places, None)
    }

    /// The same, with an input of the second program that is made of the first one's.
    ///
    /// # Errors
    /// As [`Problem::of_sources`].
    pub fn of_made_sources(
        left: &typed::Program,
        right: &typed::Program,
        places: &Places,
        made: Option<Made>,
    ) -> Result<Problem, Unlike> {
        let shapes = [left, right].map(source::inputs);
        check_shapes("inputs", &shapes[0], &shapes[1])?;
        let mut problem = Problem::on(&shapes[0]);
        let entry = left.instance(left.entry());
        problem.names = entry.outputs.iter().map(|&output| entry.variable(output).name.clone()).collect();
        for (number, program) in [left, right].into_iter().enumerate() {
            let is_right = number == 1;
            let mut given =
                if is_right { taken(&problem.inputs, &places.inputs) } else { problem.inputs.clone() };
            let Problem { graph, sides, .. } = &mut problem;
            let side = &mut sides[number];
            if let Some(made) = made.filter(|_| is_right) {
                given = made.in_place(graph, given, &mut side.signals)?;
            }
            let inputs = recut(&given, &shapes[number]);
            let outputs = source::run(graph, program, &inputs, &mut side.signals)?;
            side.outputs = if is_right { put_back(outputs, &places.outputs) } else { outputs };
        }
        problem.checked()
    }

    /// A typed program and one of Usuba0 that was made from it. Of an interleaved program every batch is compared.
    ///
    /// # Errors
    /// As [`Problem::of_sources`].
    pub fn of_source(left: &typed::Program, right: &Program, atoms: Atoms) -> Result<Problem, Unlike> {
        let shape = source::inputs(left);
        let batches = right.interleave.max(1);
        let mut problem = Problem::on(&[]);
        let entry = left.instance(left.entry());
        let mut groups = Vec::new();
        let inputs = batch_inputs(right);
        check_shapes("inputs", &shape, &inputs)?;
        for batch in 0..batches {
            let given = problem.batch(&shape, right, groups.first());
            problem.names.extend(
                entry.outputs.iter().map(|&output| in_batch(&entry.variable(output).name, batch, batches)),
            );
            let Problem { graph, sides, .. } = &mut problem;
            sides[0].outputs.extend(source::run(graph, left, &given, &mut sides[0].signals)?);
            groups.push(given);
        }
        let cut = match atoms {
            Atoms::InOrder => recut,
            Atoms::Planes => planes,
        };
        let given: Vec<Values> = groups.iter().map(|group| cut(group, &inputs)).collect();
        let outputs = problem.run(right, &given, 1);
        problem.sides[1].outputs = if atoms == Atoms::Planes { bytes(&outputs) } else { outputs };
        problem.checked()
    }

    /// Two programs of Usuba0 that pass the checker. They may be interleaved in different ways.
    ///
    /// # Errors
    /// As [`Problem::of_sources`].
    pub fn of_programs(left: &Program, right: &Program) -> Result<Problem, Unlike> {
        let shapes = [left, right].map(batch_inputs);
        check_shapes("inputs", &shapes[0], &shapes[1])?;
        let mut problem = Problem::on(&[]);
        let factors = [left, right].map(|program| program.interleave.max(1));
        let batches = (1..=factors[0] * factors[1])
            .find(|count| factors.iter().all(|factor| count % factor == 0))
            .unwrap_or(1);
        let mut groups: Vec<Values> = Vec::new();
        for batch in 0..batches {
            let given = problem.batch_uniform(&shapes[0], &uniform(left, right), groups.first());
            let names = left.entry().outputs.iter().map(|output| in_batch(&output.name, batch, batches));
            problem.names.extend(names);
            groups.push(given);
        }
        for (number, program) in [left, right].into_iter().enumerate() {
            let given: Vec<Values> = groups.iter().map(|group| recut(group, &shapes[number])).collect();
            problem.sides[number].outputs = problem.run(program, &given, number);
        }
        problem.checked()
    }

    fn on(shape: &[(u32, u32)]) -> Problem {
        let mut graph = Graph::new();
        let inputs = fresh(&mut graph, shape);
        Problem { graph, inputs, names: Vec::new(), sides: Default::default() }
    }

    /// The inputs of one more batch; uniform ones are those of the first.
    fn batch(&mut self, shape: &[(u32, u32)], program: &Program, first: Option<&Values>) -> Values {
        let uniform: Vec<bool> = program.entry().inputs.iter().map(|input| input.uniform).collect();
        self.batch_uniform(shape, &uniform, first)
    }

    fn batch_uniform(&mut self, shape: &[(u32, u32)], uniform: &[bool], first: Option<&Values>) -> Values {
        let mut given = Vec::new();
        for (number, parameter) in shape.iter().enumerate() {
            match first {
                Some(first) if uniform[number] => given.push(first[number].clone()),
                _ => given.extend(fresh(&mut self.graph, &[*parameter])),
            }
        }
        self.inputs.extend(given.clone());
        given
    }

    /// The outputs of a program of Usuba0, batch by batch.
    fn run(&mut self, program: &Program, batches: &[Values], side: usize) -> Values {
        let factor = program.interleave.max(1) as usize;
        let mut outputs = Vec::new();
        for group in batches.chunks(factor) {
            let joined =
                program.entry().inputs.iter().enumerate().map(|(number, input)| match input.uniform {
                    true => group[0][number].clone(),
                    false => group.iter().flat_map(|batch| batch[number].clone()).collect(),
                });
            let joined = joined.collect();
            let found = usuba0::run(&mut self.graph, program, &joined, &mut self.sides[side].signals);
            for batch in 0..group.len() {
                let part = |atoms: &Vec<Vec<Edge>>| {
                    let size = atoms.len() / factor;
                    atoms[batch * size..(batch + 1) * size].to_vec()
                };
                outputs.extend(found.iter().map(part));
            }
        }
        outputs
    }

    fn checked(self) -> Result<Problem, Unlike> {
        let shape = |values: &Values| -> Vec<(u32, u32)> {
            let of = |atoms: &Vec<Vec<Edge>>| (1, atoms.iter().map(|atom| atom.len() as u32).sum());
            values.iter().map(of).collect()
        };
        check_shapes("outputs", &shape(&self.sides[0].outputs), &shape(&self.sides[1].outputs))?;
        Ok(self)
    }

    /// The bits that have to be equal.
    fn pairs(&self) -> Vec<(Edge, Edge)> {
        let [left, right] = &self.sides;
        let of = |(a, b): (&Vec<Vec<Edge>>, &Vec<Vec<Edge>>)| {
            in_order(a).into_iter().zip(in_order(b)).collect::<Vec<_>>()
        };
        left.outputs.iter().zip(&right.outputs).flat_map(of).collect()
    }

    /// For 64 random inputs, numbered by bits, whether the two sides differ.
    pub fn sample(&self, seed: u64) -> u64 {
        sample(&self.graph, &self.pairs(), seed)
    }

    /// Both sides as circuits with the same inputs and as many outputs, for another prover.
    pub fn sides(&self) -> [Circuit; 2] {
        let (left, right): (Vec<Edge>, Vec<Edge>) = self.pairs().into_iter().unzip();
        [Circuit::of_bits("left", &self.graph, left), Circuit::of_bits("right", &self.graph, right)]
    }

    /// How many vertices both sides are together.
    pub fn vertices(&self) -> usize {
        self.graph.len()
    }

    /// Proves or refutes that both sides compute the same for all inputs.
    pub fn decide(&self, limits: Limits) -> (Outcome, Work) {
        let pairs = self.pairs();
        let (answer, work) = prove(&self.graph, &pairs, limits);
        let outcome = match answer {
            Answer::Proved => Outcome::Proved,
            Answer::Unknown { pairs } => {
                Outcome::Unknown(pairs.iter().map(|&pair| self.output(pair)).collect())
            }
            Answer::Refuted { inputs, pair } => Outcome::Refuted(Box::new(self.difference(&inputs, pair))),
        };
        (outcome, work)
    }

    /// The name of the bit of a pair.
    fn output(&self, mut pair: usize) -> String {
        for (atoms, name) in self.sides[0].outputs.iter().zip(&self.names) {
            for (place, atom) in atoms.iter().enumerate() {
                if pair < atom.len() {
                    let index = if atoms.len() > 1 { format!("[{place}]") } else { String::new() };
                    let bit = atom.len() - 1 - pair;
                    return match atom.len() {
                        1 => format!("{name}{index}"),
                        _ => format!("{name}{index}, bit {bit}"),
                    };
                }
                pair -= atom.len();
            }
        }
        String::new()
    }

    fn difference(&self, inputs: &[bool], pair: usize) -> Difference {
        let values = self.graph.evaluate(|number| u64::from(inputs.get(number as usize) == Some(&true)));
        let of = |side: &Values| numbers(side, |edge| value_of(&values, edge) & 1 == 1);
        Difference {
            inputs: of(&self.inputs),
            left: of(&self.sides[0].outputs),
            right: of(&self.sides[1].outputs),
            output: self.output(pair),
            signal: first_signal(&self.graph, inputs, &self.sides[0].signals, &self.sides[1].outputs),
        }
    }
}

/// Which inputs all batches have in common.
fn uniform(left: &Program, right: &Program) -> Vec<bool> {
    zip(&left.entry().inputs, &right.entry().inputs).map(|(a, b)| a.uniform || b.uniform).collect()
}

fn in_batch(name: &str, batch: u32, batches: u32) -> String {
    if batches == 1 { name.to_owned() } else { format!("{name} of batch {batch}") }
}
