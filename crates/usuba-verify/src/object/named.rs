//! What data are at the head of a loop, in all turns: what the text has there.
//!
//! A bit has the name of what the text makes of which the values are the same after the first turn and after the second; or it is made
//! in the same way of bits that have names, after the one and after the other. That it is what its name says is proved elsewhere.

use super::induction::{Names, Seen};
use super::number::{Growth, Number, Scale};
use super::renaming::Renaming;
use crate::graph::symbols::Values as AtPoints;
use crate::graph::{Edge, Gate, Graph, Vertex, VertexMap, products};
use foldhash::fast::FixedState;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// No more pairs of vertices are looked into.
const MOST_ALIKE: usize = 1 << 20;

/// What data are, in all turns.
pub(super) struct Named {
    /// By what values are after the first turn and after the second, up to complement.
    by_values: HashMap<[AtPoints; 2], Edge, FixedState>,
    /// What they are after the first turn.
    first: VertexMap<Edge>,
    /// What they are a turn later.
    next: VertexMap<Edge>,
    /// What they are before the last turn of the message, if they are something else there.
    last: VertexMap<Edge>,
    /// How many turns there are for those of the message.
    scale: Scale,
    /// After so many turns is what is first.
    done: i64,
    /// What was made of these.
    made: RefCell<BTreeMap<There, Made>>,
}

/// What is somewhere else, where so many things stood for turns.
type Made = (usize, Rc<Renaming>);

/// Where data are looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum There {
    /// Where they are the same after the first turn and after the second.
    Kept,
    First,
    Next,
    Last,
    /// Where another loop begins.
    Again,
}

impl Named {
    /// None, where so many turns are done at the first state of the head that is looked at.
    pub fn after(done: i64) -> Named {
        Named {
            by_values: HashMap::default(),
            first: VertexMap::default(),
            next: VertexMap::default(),
            last: VertexMap::default(),
            scale: Scale::SAME,
            done,
            made: RefCell::default(),
        }
    }

    /// The same of a loop that makes so many turns for those of the message, before whose last turn vertices are something else.
    pub fn in_message(&mut self, scale: Scale, last: VertexMap<Edge>) {
        (self.scale, self.last) = (scale, last);
    }

    /// Others in the place of vertices, and of what stands for numbers of turns.
    fn renaming(
        &self,
        graph: &mut Graph,
        there: There,
        by: Option<&VertexMap<Edge>>,
        number: impl Fn(Growth) -> Option<Number> + 'static,
    ) -> Rc<Renaming> {
        // All that stands for turns has to be there.
        let known = graph.all_turns().len();
        if let Some((count, renaming)) = self.made.borrow().get(&there)
            && *count == known
        {
            return renaming.clone();
        }
        let mut by = by.cloned().unwrap_or_default();
        for ((left, done), bits) in graph.all_turns() {
            let Some(number) = number(Growth { left, done }) else { continue };
            let there = number.bits(graph);
            by.extend(bits.into_iter().map(Edge::vertex).zip(there));
        }
        let renaming = Rc::new(Renaming::of_turns(by, number));
        self.made.borrow_mut().insert(there, (known, renaming.clone()));
        renaming
    }

    /// Something that is `here` before any turn, `one` after the first turn, `two` after the second, and `next` a turn later.
    pub fn add(&mut self, graph: &mut Graph, here: Edge, [one, two]: [Edge; 2], next: Edge) {
        let (vertex, flip) = (here.vertex(), here.is_complemented());
        let [first, next] = [one, next].map(|edge| edge.complemented_if(flip));
        let is_known = self.first.get(&vertex).is_some_and(|known| *known != first)
            || self.next.get(&vertex).is_some_and(|known| *known != next);
        if here.known().is_some() || is_known {
            return;
        }
        self.first.insert(vertex, first);
        self.next.insert(vertex, next);
        let (values, flip) = normal(graph, one, two);
        self.by_values.entry(values).or_insert(here.complemented_if(flip));
    }
}

/// The values of two bits, both complemented where the first one is at the first point.
fn normal(graph: &mut Graph, one: Edge, two: Edge) -> ([AtPoints; 2], bool) {
    let values = graph.values(&[one, two]);
    let flip = values[0][0] & 1 == 1;
    let of = |values: AtPoints| if flip { values.map(|word| !word) } else { values };
    ([of(values[0]), of(values[1])], flip)
}

impl Names for Named {
    fn named(&self, graph: &mut Graph, seen: &mut Seen, one: Edge, two: Edge) -> Option<Edge> {
        Alike { names: self, seen }.bit(graph, one, two)
    }

    fn number(&self, graph: &mut Graph, number: Number) -> Option<Vec<Edge>> {
        Some(number.bits(graph))
    }

    fn kept(&self, graph: &mut Graph) -> Rc<Renaming> {
        // Before the first turn all turns count as left.
        self.renaming(graph, There::Kept, None, |Growth { left, done }| {
            (done == 0).then_some(Number { growth: Growth { left, done: left }, more: 0 })
        })
    }

    fn first(&self, graph: &mut Graph) -> Rc<Renaming> {
        let turns = self.done;
        self.renaming(graph, There::First, Some(&self.first), move |Growth { left, done }| {
            let more = done.wrapping_sub(left).wrapping_mul(turns);
            Some(Number { growth: Growth { left, done: 0 }, more })
        })
    }

    fn next(&self, graph: &mut Graph) -> Rc<Renaming> {
        self.renaming(graph, There::Next, Some(&self.next), |growth| {
            Some(Number { growth, more: growth.done.wrapping_sub(growth.left) })
        })
    }

    fn last(&self, graph: &mut Graph) -> Rc<Renaming> {
        let scale = self.scale;
        self.renaming(graph, There::Last, Some(&self.last), move |growth| {
            Number { growth, more: 0 }.with_left(1).of_message(scale)
        })
    }

    fn again(&self, graph: &mut Graph) -> Rc<Renaming> {
        let scale = self.scale;
        self.renaming(graph, There::Again, None, move |growth| {
            Number { growth, more: 0 }.again().and_then(|number| number.of_loop(scale))
        })
    }
}

/// Looks for what bits are in any turn that are the same function of what has names, after the first turn and after the second.
struct Alike<'a> {
    names: &'a Named,
    seen: &'a mut Seen,
}

impl Alike<'_> {
    fn bit(&mut self, graph: &mut Graph, one: Edge, two: Edge) -> Option<Edge> {
        if one == two {
            return Some(self.seen.kept.bit(graph, one));
        }
        let flip = one.is_complemented();
        if let Some(known) = self.seen.known.get(&(one.vertex(), two.vertex())) {
            return known.filter(|_| flip == two.is_complemented()).map(|edge| edge.complemented_if(flip));
        }
        let (values, is_other) = normal(graph, one, two);
        if let Some(named) = self.names.by_values.get(&values) {
            return Some(named.complemented_if(is_other));
        }
        if flip != two.is_complemented() || self.seen.known.len() > MOST_ALIKE {
            return None;
        }
        let found = self.made_alike(graph, one.vertex(), two.vertex());
        self.seen.known.insert((one.vertex(), two.vertex()), found);
        found.map(|edge| edge.complemented_if(flip))
    }

    fn made_alike(&mut self, graph: &mut Graph, one: Vertex, two: Vertex) -> Option<Edge> {
        match (graph.gate(one), graph.gate(two)) {
            (Gate::And(a, b), Gate::And(c, d)) => {
                let [a, b] = self.both(graph, [a, b], [c, d])?;
                Some(graph.and(a, b))
            }
            (Gate::Xor(a, b), Gate::Xor(c, d)) => {
                let [a, b] = self.both(graph, [a, b].map(Vertex::edge), [c, d].map(Vertex::edge))?;
                Some(graph.xor(a, b))
            }
            (Gate::Input(_), Gate::Input(_)) => {
                let (([a, b], bit), ([c, d], other)) = (graph.bit_of_words(one)?, graph.bit_of_words(two)?);
                (bit == other).then_some(())?;
                let [a, b] = [(&c, &d), (&d, &c)]
                    .into_iter()
                    .find_map(|(c, d)| Some([self.words(graph, &a, c)?, self.words(graph, &b, d)?]))?;
                Some(products::carryless(graph, &a, &b)[bit])
            }
            _ => None,
        }
    }

    /// Words, bit by bit.
    fn words(&mut self, graph: &mut Graph, one: &[Edge], two: &[Edge]) -> Option<Vec<Edge>> {
        (one.len() == two.len()).then_some(())?;
        one.iter().zip(two).map(|(&one, &two)| self.bit(graph, one, two)).collect()
    }

    /// Two operands, in one order or the other.
    fn both(&mut self, graph: &mut Graph, [a, b]: [Edge; 2], [c, d]: [Edge; 2]) -> Option<[Edge; 2]> {
        [(c, d), (d, c)].into_iter().find_map(|(c, d)| Some([self.bit(graph, a, c)?, self.bit(graph, b, d)?]))
    }
}
