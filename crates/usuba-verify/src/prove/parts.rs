//! Sums of parts: two vertices are equal if their sum falls into parts, each of which is a function of few sums of a cut, and all
//! parts together are nothing.
//!
//! Where S-boxes are computed on other sums of the same bits, a cut of vertices is wide, and a truth table over it too large: eight
//! bits of a sum of four words are 32 vertices. As functions of the eight sums they are small. What is added up of several S-boxes
//! falls into one part for each.

use crate::graph::{Edge, Gate, Graph, Vertex};
use std::collections::{BTreeMap, HashMap};

/// Vertices that are looked into.
const CONE: usize = 40_000;
/// Vertices of the cut.
const WIDEST: usize = 20_000;
/// Terms of a sum.
const TERMS: usize = 20_000;
/// Conjunctions that stand one upon another: as deep as functions call themselves.
const HEIGHT: u32 = 100;

/// How many conjunctions stand one upon another in what is looked into, in the order in which that is tried: in a choice by eight
/// bits, by four and by six; and all that is not part of both.
const LAYERS: [u32; 4] = [7, 3, 5, 0];

/// Whether two vertices, the second complemented if `flip`, are equal, with parts of at most so many sums. `false` says nothing.
/// `depths` has of every vertex how many conjunctions stand one upon another in it.
///
/// The cut is of inputs and of conjunctions of which both vertices are made. They are taken for independent: what is equal for all
/// their values, is equal.
pub(super) fn equal(
    graph: &Graph,
    depths: &[u32],
    (a, b): (Vertex, Vertex),
    flip: bool,
    most: usize,
) -> bool {
    let [one, other] = [a, b].map(|vertex| depths[vertex.index()]);
    let mut layers: Vec<u32> =
        LAYERS.into_iter().filter_map(|layer| one.max(other).checked_sub(layer)).collect();
    // Circuits of one function differ in height: the cut is where the lower one begins.
    for above in LAYERS.into_iter().filter_map(|layer| one.min(other).checked_sub(layer)) {
        if !layers.contains(&above) {
            layers.push(above);
        }
    }
    layers.into_iter().any(|above| {
        let parts = Parts::of(graph, (a, b), |vertex| depths[vertex.index()] > above, most);
        parts.and_then(|mut parts| parts.decide(a, b, flip)).unwrap_or(false)
    })
}

/// Numbers in ascending order, each once: the terms of a sum.
type Terms = Vec<u32>;

/// A sum of vertices of the cut and of conjunctions.
#[derive(Clone, Default)]
struct Sum {
    linear: Terms,
    conjunctions: Terms,
}

/// Sums that are independent, each with a last term that is the last one of no other; in the order of these.
#[derive(Clone, Default)]
struct Basis {
    sums: BTreeMap<u32, Terms>,
}

impl Basis {
    /// What is left of a sum when sums of the basis are added, and which were.
    fn reduced(&self, sum: &Terms) -> (Terms, Vec<u32>) {
        let (mut rest, mut added) = (sum.clone(), Vec::new());
        let mut kept = Terms::new();
        while let Some(&last) = rest.last() {
            match self.sums.get(&last) {
                Some(one) => {
                    added.push(last);
                    rest = added_up(&rest, one);
                }
                None => {
                    kept.push(last);
                    rest.pop();
                }
            }
        }
        kept.reverse();
        (kept, added)
    }

    fn add(&mut self, sum: &Terms) {
        let (rest, _) = self.reduced(sum);
        if let Some(&last) = rest.last() {
            self.sums.insert(last, rest);
        }
    }

    fn with(&self, other: &Basis) -> Basis {
        let mut both = self.clone();
        other.sums.values().for_each(|sum| both.add(sum));
        both
    }

    fn rank(&self) -> usize {
        self.sums.len()
    }
}

/// The terms that are in one of two sums.
fn added_up(a: &Terms, b: &Terms) -> Terms {
    let mut sum = Terms::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while let (Some(&x), Some(&y)) = (a.get(i), b.get(j)) {
        match x.cmp(&y) {
            std::cmp::Ordering::Less => {
                sum.push(x);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                sum.push(y);
                j += 1;
            }
            std::cmp::Ordering::Equal => (i, j) = (i + 1, j + 1),
        }
    }
    sum.extend_from_slice(&a[i..]);
    sum.extend_from_slice(&b[j..]);
    sum
}

/// What a conjunction is a function of.
#[derive(Clone)]
struct Support {
    basis: Basis,
    /// How many conjunctions stand one upon another in it.
    height: u32,
}

struct Parts<'g> {
    graph: &'g Graph,
    most: usize,
    /// What the vertices between the cut and the two are.
    sums: HashMap<Vertex, Sum>,
    /// Of conjunctions, as far as that was asked: what they are functions of; nothing if that is too much.
    supports: HashMap<u32, Option<Support>>,
}

impl<'g> Parts<'g> {
    /// Looks into what only one of two vertices is made of, into sums, and into conjunctions that are `near`.
    fn of(
        graph: &'g Graph,
        (a, b): (Vertex, Vertex),
        near: impl Fn(Vertex) -> bool,
        most: usize,
    ) -> Option<Parts<'g>> {
        const BOTH: u8 = 3;
        let mut open = BTreeMap::from([(a, 1u8), (b, 2u8)]);
        let (mut inside, mut sums) = (Vec::new(), HashMap::new());
        while let Some((last, whose)) = open.pop_last() {
            let is_shared = whose == BOTH && matches!(graph.gate(last), Gate::And(..)) && !near(last);
            if is_shared || matches!(graph.gate(last), Gate::Input(_)) {
                sums.insert(last, Sum { linear: vec![last.index() as u32], conjunctions: Terms::new() });
                if sums.len() > WIDEST {
                    return None;
                }
                continue;
            }
            inside.push(last);
            if inside.len() > CONE {
                return None;
            }
            for operand in graph.operands(last).into_iter().flatten() {
                *open.entry(operand).or_default() |= whose;
            }
        }
        for &vertex in inside.iter().rev() {
            let sum = match graph.gate(vertex) {
                Gate::Xor(p, q) => {
                    let (p, q) = (sums.get(&p)?, sums.get(&q)?);
                    Sum {
                        linear: added_up(&p.linear, &q.linear),
                        conjunctions: added_up(&p.conjunctions, &q.conjunctions),
                    }
                }
                Gate::And(..) => Sum { linear: Terms::new(), conjunctions: vec![vertex.index() as u32] },
                Gate::False | Gate::Input(_) => Sum::default(),
            };
            if sum.linear.len() + sum.conjunctions.len() > TERMS {
                return None;
            }
            sums.insert(vertex, sum);
        }
        Some(Parts { graph, most, sums, supports: HashMap::new() })
    }

    fn decide(&mut self, a: Vertex, b: Vertex, flip: bool) -> Option<bool> {
        let (one, other) = (self.sums.get(&a)?, self.sums.get(&b)?);
        let mut linear = added_up(&one.linear, &other.linear);
        let conjunctions = added_up(&one.conjunctions, &other.conjunctions);
        let mut constant = false;
        for (basis, members) in self.groups(&conjunctions)? {
            let (bit, sums) = Tables::of(self, &basis).affine(&members)?;
            constant ^= bit;
            for sum in sums {
                linear = added_up(&linear, &sum);
            }
        }
        Some(linear.is_empty() && constant == flip)
    }

    /// Conjunctions by what they are functions of: such groups have no sum in common.
    fn groups(&mut self, conjunctions: &Terms) -> Option<Vec<(Basis, Terms)>> {
        let mut groups: Vec<(Basis, Terms)> = Vec::new();
        for &conjunction in conjunctions {
            let Support { mut basis, .. } = self.support(conjunction, HEIGHT)?;
            let mut members = vec![conjunction];
            // What is joined may have something in common with what was apart from each.
            while let Some(place) =
                groups.iter().position(|(other, _)| basis.with(other).rank() < basis.rank() + other.rank())
            {
                let (other, others) = groups.swap_remove(place);
                basis = basis.with(&other);
                members.extend(others);
                if basis.rank() > self.most {
                    return None;
                }
            }
            groups.push((basis, members));
        }
        Some(groups)
    }

    /// The sums of the cut that a conjunction is a function of; nothing if they are too many, or if it stands too high. In it so many
    /// others may stand one upon another.
    fn support(&mut self, conjunction: u32, most: u32) -> Option<Support> {
        if let Some(known) = self.supports.get(&conjunction) {
            return known.clone();
        }
        let found = self.found(conjunction, most);
        self.supports.insert(conjunction, found.clone());
        found
    }

    fn found(&mut self, conjunction: u32, most: u32) -> Option<Support> {
        let Gate::And(p, q) = self.graph.gate(Vertex::numbered(conjunction as usize)) else { return None };
        let mut support = Support { basis: Basis::default(), height: 1 };
        for operand in [p, q] {
            let Sum { linear, conjunctions } = self.sums.get(&operand.vertex())?.clone();
            support.basis.add(&linear);
            for one in conjunctions {
                let Support { basis, height } = self.support(one, most.checked_sub(1)?)?;
                support.basis = support.basis.with(&basis);
                support.height = support.height.max(height + 1);
                if support.basis.rank() > self.most || support.height > HEIGHT {
                    return None;
                }
            }
        }
        (support.basis.rank() <= self.most).then_some(support)
    }
}

/// Truth tables of conjunctions over the sums of a basis.
struct Tables<'p, 'g> {
    parts: &'p Parts<'g>,
    basis: &'p Basis,
    words: usize,
    /// The place of each sum among the variables, by its last term.
    variables: HashMap<u32, usize>,
    known: HashMap<u32, Vec<u64>>,
}

impl<'p, 'g> Tables<'p, 'g> {
    fn of(parts: &'p Parts<'g>, basis: &'p Basis) -> Tables<'p, 'g> {
        let variables = basis.sums.keys().copied().zip(0..).collect();
        let words = 1usize << basis.rank().saturating_sub(6);
        Tables { parts, basis, words, variables, known: HashMap::new() }
    }

    /// What these conjunctions add up to, if that is a sum of the basis and a constant.
    fn affine(&mut self, conjunctions: &Terms) -> Option<(bool, Vec<Terms>)> {
        let mut table = vec![0; self.words];
        for &conjunction in conjunctions {
            self.add(&mut table, conjunction)?;
        }
        let bit = |row: usize| table[row / 64] >> (row % 64) & 1 == 1;
        let constant = bit(0);
        let (mut sums, mut left) = (Vec::new(), table.clone());
        for (place, sum) in self.basis.sums.values().enumerate() {
            if bit(1 << place) != constant {
                sums.push(sum.clone());
                left.iter_mut().enumerate().for_each(|(word, bits)| *bits ^= super::cut::column(place, word));
            }
        }
        let rest = if constant { u64::MAX } else { 0 };
        left.iter().all(|&bits| bits == rest).then_some((constant, sums))
    }

    /// Adds the table of a conjunction.
    fn add(&mut self, table: &mut [u64], conjunction: u32) -> Option<()> {
        if !self.known.contains_key(&conjunction) {
            let Gate::And(p, q) = self.parts.graph.gate(Vertex::numbered(conjunction as usize)) else {
                return None;
            };
            let (mut made, other) = (self.operand(p)?, self.operand(q)?);
            made.iter_mut().zip(other).for_each(|(bits, other)| *bits &= other);
            self.known.insert(conjunction, made);
        }
        let bits = self.known.get(&conjunction)?;
        table.iter_mut().zip(bits).for_each(|(to, bits)| *to ^= bits);
        Some(())
    }

    fn operand(&mut self, edge: Edge) -> Option<Vec<u64>> {
        let Sum { linear, conjunctions } = self.parts.sums.get(&edge.vertex())?;
        let mut table = vec![if edge.is_complemented() { u64::MAX } else { 0 }; self.words];
        let (rest, added) = self.basis.reduced(linear);
        if !rest.is_empty() {
            return None;
        }
        for last in added {
            let place = *self.variables.get(&last)?;
            table.iter_mut().enumerate().for_each(|(word, bits)| *bits ^= super::cut::column(place, word));
        }
        for &conjunction in conjunctions {
            self.add(&mut table, conjunction)?;
        }
        Some(table)
    }
}

#[cfg(test)]
mod tests;
