//! Truth tables of two vertices over a common cut: vertices of which both are functions.

use crate::graph::{Edge, Gate, Graph, Vertex};
use std::collections::{BinaryHeap, HashMap};

/// Vertices that are looked into.
const CONE: usize = 3_000;

/// The cut may grow to so many vertices on the way to a smaller one.
const WIDEST: usize = 160;

/// What truth tables say of two vertices.
pub(super) enum Compared {
    /// They are the same function of the cut, so they are equal.
    Equal,
    /// They differ, and the cut is inputs: here is an assignment of these.
    Different(Vec<(u32, bool)>),
    /// They differ as functions of the cut, which may never have such values; or no cut is small enough.
    Open,
}

/// Which vertices a search for a cut has met: those with the number of the search.
#[derive(Default)]
pub(super) struct Met {
    by: Vec<u32>,
    search: u32,
}

impl Met {
    /// Begins a search of a graph with so many vertices.
    fn begin(&mut self, vertices: usize) {
        self.by.resize(vertices.max(self.by.len()), 0);
        self.search = self.search.checked_add(1).unwrap_or_else(|| {
            self.by.fill(0);
            1
        });
    }

    /// Whether this is the first time that a vertex is met.
    fn is_new(&mut self, vertex: Vertex) -> bool {
        std::mem::replace(&mut self.by[vertex.index()], self.search) != self.search
    }
}

/// Compares two vertices, the second complemented if `flip`, over the deepest cut of at most `most` vertices.
pub(super) fn compare(
    graph: &Graph,
    met: &mut Met,
    (a, b): (Vertex, Vertex),
    flip: bool,
    most: usize,
) -> Compared {
    let Some((leaves, cone)) = deepest(graph, met, (a, b), most) else { return Compared::Open };
    let table = Tables::of(graph, &leaves, &cone);
    match table.difference(a, b, flip) {
        None => Compared::Equal,
        Some(row) => {
            let input = |(place, &leaf): (usize, &Vertex)| match graph.gate(leaf) {
                Gate::Input(number) => Some((number, row >> place & 1 == 1)),
                _ => None,
            };
            leaves
                .iter()
                .enumerate()
                .map(input)
                .collect::<Option<_>>()
                .map_or(Compared::Open, Compared::Different)
        }
    }
}

/// The deepest cut of at most so many vertices that is found by looking into the last vertex first; and the vertices between
/// it and the two, in order. The deeper a cut is, the more is known about its vertices' independence.
fn deepest(
    graph: &Graph,
    met: &mut Met,
    (a, b): (Vertex, Vertex),
    most: usize,
) -> Option<(Vec<Vertex>, Vec<Vertex>)> {
    met.begin(graph.len());
    // A vertex is met before it is looked into, as what it is an operand of comes later.
    let mut leaves: BinaryHeap<Vertex> = [a, b].into_iter().filter(|&vertex| met.is_new(vertex)).collect();
    let mut inside = Vec::new();
    // Inputs stay leaves, and are out of the way.
    let mut inputs = Vec::new();
    let mut best: Option<(usize, Vec<Vertex>)> = None;
    while let Some(last) = leaves.pop() {
        match graph.gate(last) {
            Gate::Input(_) => inputs.push(last),
            _ => {
                inside.push(last);
                leaves.extend(graph.operands(last).into_iter().flatten().filter(|&one| met.is_new(one)));
            }
        }
        let count = leaves.len() + inputs.len();
        if count <= most {
            let mut all: Vec<Vertex> = leaves.iter().copied().collect();
            all.sort_unstable();
            all.extend(inputs.iter().rev());
            best = Some((inside.len(), all));
        }
        if inside.len() >= CONE || count > WIDEST {
            break;
        }
    }
    let (count, leaves) = best?;
    inside.truncate(count);
    inside.reverse();
    Some((leaves, inside))
}

/// The truth tables of some vertices.
struct Tables {
    words: usize,
    place: HashMap<Vertex, usize>,
    bits: Vec<u64>,
}

impl Tables {
    fn of(graph: &Graph, leaves: &[Vertex], cone: &[Vertex]) -> Tables {
        let words = 1usize << leaves.len().saturating_sub(6);
        let mut tables = Tables { words, place: HashMap::new(), bits: Vec::new() };
        for (place, &leaf) in leaves.iter().enumerate() {
            tables.place.insert(leaf, tables.place.len());
            tables.bits.extend((0..words).map(|word| column(place, word)));
        }
        for &vertex in cone {
            let start = tables.bits.len();
            tables.bits.resize(start + words, 0);
            let (known, new) = tables.bits.split_at_mut(start);
            let at = |edge: Edge| &known[tables.place[&edge.vertex()] * words..][..words];
            let mask = |edge: Edge| if edge.is_complemented() { u64::MAX } else { 0 };
            match graph.gate(vertex) {
                Gate::And(a, b) => {
                    let (p, q) = (mask(a), mask(b));
                    for ((to, x), y) in new.iter_mut().zip(at(a)).zip(at(b)) {
                        *to = (x ^ p) & (y ^ q);
                    }
                }
                Gate::Xor(a, b) => {
                    for ((to, x), y) in new.iter_mut().zip(at(a.edge())).zip(at(b.edge())) {
                        *to = x ^ y;
                    }
                }
                Gate::False | Gate::Input(_) => {}
            }
            tables.place.insert(vertex, tables.place.len());
        }
        tables
    }

    /// The first row where two vertices differ, the second complemented if `flip`.
    fn difference(&self, a: Vertex, b: Vertex, flip: bool) -> Option<usize> {
        let at = |vertex: Vertex| &self.bits[self.place[&vertex] * self.words..][..self.words];
        let mask = if flip { u64::MAX } else { 0 };
        let mut rows = at(a).iter().zip(at(b)).enumerate();
        rows.find_map(|(word, (x, y))| {
            let different = x ^ y ^ mask;
            (different != 0).then(|| 64 * word + different.trailing_zeros() as usize)
        })
    }
}

/// 64 rows of the column of variable `place`: bit `place` of the number of each row. Fewer than six variables repeat.
pub(super) fn column(place: usize, word: usize) -> u64 {
    const LOW: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];
    match LOW.get(place) {
        Some(&low) => low,
        None if word >> (place - 6) & 1 == 1 => u64::MAX,
        None => 0,
    }
}
