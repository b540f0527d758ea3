//! Sweeping: a graph is built anew, from the inputs on, of vertices that are proved equal to no earlier one.

use super::cut::{self, Compared, Met};
use super::parts;
use super::simulate::Patterns;
use super::solve::{Reach, Solved, solve};
use super::{Answer, Limits, Work};
use crate::graph::sums::same_sum;
use crate::graph::{Edge, Gate, Graph, Vertex};
use std::collections::HashMap;

/// Vertices of a class that one is compared with: the earliest ones.
const TRIED: usize = 3;

/// Parts are looked for until so many more pairs had none than had some: that takes longer than most questions to the solver.
const MISSES: u64 = 2;

pub(super) struct Sweep<'g> {
    /// What is to be proved something about.
    graph: &'g Graph,
    limits: Limits,
    /// The graph of merged vertices. Its inputs have the numbers of those of `graph`.
    merged: Graph,
    /// What each vertex of `graph` is in `merged`.
    image: Vec<Option<Edge>>,
    /// What each vertex of `merged` is equal to: itself or an earlier one.
    same: Vec<Edge>,
    /// Of each vertex of `merged`: how many conjunctions stand one upon another in it.
    depths: Vec<u32>,
    patterns: Patterns,
    met: Met,
    /// Pairs whose sum was found to be nothing by no parts.
    missed: u64,
    /// The vertices of `merged` that are equal to no earlier one, as far as is known, by class; the earliest first.
    classes: HashMap<u64, Vec<Vertex>>,
    /// How many vertices of `merged` are in their classes, or equal to one that is.
    placed: usize,
    pub(super) work: Work,
}

/// What is known of two vertices.
enum Relation {
    Equal,
    /// These inputs tell them apart; others do not matter.
    Different(Vec<(u32, bool)>),
    Open,
}

impl<'g> Sweep<'g> {
    pub(super) fn new(graph: &'g Graph, limits: Limits) -> Sweep<'g> {
        let mut merged = Graph::new();
        let inputs: Vec<Edge> = merged.input_bits(graph.inputs() as usize);
        let mut image = vec![None; graph.len()];
        for vertex in graph.vertices() {
            match graph.gate(vertex) {
                Gate::Input(number) => image[vertex.index()] = Some(inputs[number as usize]),
                Gate::False => image[vertex.index()] = Some(Edge::FALSE),
                _ => {}
            }
        }
        let mut patterns = Patterns::new(graph.inputs(), limits.words, limits.seed);
        patterns.extend(&merged);
        let same = merged.vertices().map(Vertex::edge).collect();
        let depths = vec![0; merged.len()];
        let placed = merged.len();
        let (classes, work) = (HashMap::new(), Work::default());
        let mut sweep = Sweep {
            graph,
            limits,
            merged,
            image,
            same,
            depths,
            patterns,
            met: Met::default(),
            missed: 0,
            classes,
            placed,
            work,
        };
        sweep.classify();
        sweep
    }

    /// Puts every vertex into its class.
    fn classify(&mut self) {
        self.classes.clear();
        for vertex in self.merged.vertices().take(self.placed) {
            if self.same[vertex.index()] == vertex.edge() {
                self.classes.entry(self.patterns.class(vertex)).or_default().push(vertex);
            }
        }
    }

    /// Builds what the pairs are made of.
    pub(super) fn run(&mut self, pairs: &[(Edge, Edge)]) {
        // Pairs that are one vertex already need no proof, and what they are made of is not looked at.
        let open = pairs.iter().filter(|(a, b)| a != b);
        let cone = self.graph.cone(open.flat_map(|&(a, b)| [a, b]));
        self.work.vertices = cone.len();
        for vertex in cone {
            if self.image[vertex.index()].is_some() {
                continue;
            }
            let built = match self.graph.gate(vertex) {
                Gate::And(a, b) => {
                    let (a, b) = (self.of(a), self.of(b));
                    self.merged.and(a, b)
                }
                Gate::Xor(a, b) => {
                    let (a, b) = (self.of(a.edge()), self.of(b.edge()));
                    self.merged.xor(a, b)
                }
                Gate::False | Gate::Input(_) => continue,
            };
            let before = self.same.len();
            if self.merged.len() > before {
                self.same.extend((before..self.merged.len()).map(|number| Vertex::numbered(number).edge()));
                self.depths.extend((before..self.merged.len()).map(|_| 0));
                for number in before..self.merged.len() {
                    self.depths[number] = self.depth(Vertex::numbered(number));
                }
                self.patterns.extend(&self.merged);
                for number in before..self.merged.len() {
                    self.place(Vertex::numbered(number));
                    self.placed = number + 1;
                }
            } else {
                self.work.by_structure += 1;
            }
            self.image[vertex.index()] = Some(self.now(built));
        }
    }

    /// How many conjunctions stand one upon another in a new vertex.
    fn depth(&self, vertex: Vertex) -> u32 {
        let operands = self.merged.operands(vertex).into_iter().flatten();
        let deepest = operands.map(|operand| self.depths[operand.index()]).max().unwrap_or(0);
        deepest + u32::from(matches!(self.merged.gate(vertex), Gate::And(..)))
    }

    /// What an edge of `merged` is known to be.
    fn now(&self, edge: Edge) -> Edge {
        self.same[edge.vertex().index()].complemented_if(edge.is_complemented())
    }

    /// What an edge of `graph` is in `merged`; its vertex has been built.
    fn of(&self, edge: Edge) -> Edge {
        let image = self.image[edge.vertex().index()].unwrap_or(Edge::FALSE);
        image.complemented_if(edge.is_complemented())
    }

    /// Compares a new vertex with those of its class.
    fn place(&mut self, vertex: Vertex) {
        let class = self.patterns.class(vertex);
        let candidates: Vec<Vertex> =
            self.classes.get(&class).into_iter().flatten().take(TRIED).copied().collect();
        for other in candidates {
            // A counter-example of the same loop may have told them apart.
            if !self.patterns.agree(vertex, other) {
                continue;
            }
            let flip = self.patterns.normal(vertex).is_complemented()
                != self.patterns.normal(other).is_complemented();
            match self.relation(vertex, other, flip, self.limits.cut, self.limits.conflicts) {
                Relation::Equal => {
                    self.same[vertex.index()] = other.edge().complemented_if(flip);
                    return;
                }
                Relation::Different(_) => self.work.told_apart += 1,
                Relation::Open => self.work.left += 1,
            }
        }
        let class = self.patterns.class(vertex);
        self.classes.entry(class).or_default().push(vertex);
    }

    /// Whether a vertex is always another one, complemented if `flip`.
    fn relation(&mut self, a: Vertex, b: Vertex, flip: bool, cut: usize, conflicts: u64) -> Relation {
        if !flip && same_sum(&self.merged, a, b) {
            self.work.by_sums += 1;
            return Relation::Equal;
        }
        match cut::compare(&self.merged, &mut self.met, (a, b), flip, cut.min(16)) {
            Compared::Equal => {
                self.work.by_tables += 1;
                return Relation::Equal;
            }
            Compared::Different(inputs) => {
                self.learn(&inputs);
                return Relation::Different(inputs);
            }
            Compared::Open => {}
        }
        if self.missed <= MISSES + self.work.by_parts {
            match self.ask(a, b, flip, (Reach::Near, conflicts)) {
                Relation::Open => {}
                decided => return decided,
            }
            if parts::equal(&self.merged, &self.depths, (a, b), flip, cut.min(12)) {
                self.work.by_parts += 1;
                return Relation::Equal;
            }
            self.missed += 1;
        }
        self.ask(a, b, flip, (Reach::All, conflicts))
    }

    /// What the solver says, whose formula reaches so far, with so many conflicts.
    fn ask(&mut self, a: Vertex, b: Vertex, flip: bool, limits: (Reach, u64)) -> Relation {
        self.work.questions += 1;
        match solve(&self.merged, a, b, flip, limits, &mut self.work.conflicts) {
            Solved::Equal => {
                self.work.by_solver += 1;
                Relation::Equal
            }
            Solved::Different(inputs) => {
                self.learn(&inputs);
                Relation::Different(inputs)
            }
            Solved::Open => Relation::Open,
        }
    }

    fn learn(&mut self, inputs: &[(u32, bool)]) {
        if self.patterns.learn(inputs.to_vec()) {
            self.patterns.refresh(&self.merged);
            self.classify();
        }
    }

    /// What follows for the pairs, which [`Sweep::run`] has built. Pairs that are not the same yet are asked for once more, with
    /// more patience.
    pub(super) fn answer(&mut self, pairs: &[(Edge, Edge)]) -> Answer {
        let mut open = Vec::new();
        for (number, &(a, b)) in pairs.iter().enumerate() {
            if a == b || self.of(a) == self.of(b) {
                continue;
            }
            let (a, b) = (self.of(a), self.of(b));
            let flip = a.is_complemented() != b.is_complemented();
            let relation = match a.vertex() == b.vertex() {
                true => Relation::Different(Vec::new()),
                false => self.relation(a.vertex(), b.vertex(), flip, 16, self.limits.final_conflicts),
            };
            match relation {
                Relation::Equal => {}
                Relation::Open => open.push(number),
                Relation::Different(example) => {
                    let mut inputs = vec![false; self.graph.inputs() as usize];
                    example.iter().for_each(|&(input, value)| inputs[input as usize] = value);
                    return Answer::Refuted { inputs, pair: number };
                }
            }
        }
        if open.is_empty() { Answer::Proved } else { Answer::Unknown { pairs: open } }
    }
}
