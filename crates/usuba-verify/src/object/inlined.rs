//! Kernels that a compiler has made a part of the function: what is found of each block is what a kernel computes.
//!
//! All blocks go through the same kernel, and code does the same to each. So what is found of a block is written on the inputs
//! of one that stands for all: where the code is the same, this is one computation, which is proved once.
//!
//! It stands for all in this way. In place of the vertices that the bits of a block are, what is found has new inputs; and an
//! input that all blocks have in common may become its complement. The bits wanted and found of the block are those wanted and
//! found of the new inputs, with what stood in their place put back: so if the latter are equal for all inputs, the former are.
//! The opposite does not follow, as what is put back may never have some values; so nothing is refuted here.

use super::value::Byte;
use crate::graph::{Edge, Gate, Graph, Vertex, VertexMap};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The bits of a string of bytes.
type Bits = Vec<Edge>;

/// The block that stands for all.
pub(super) struct Inlined {
    /// New inputs.
    block: Bits,
    /// What the kernel makes of them.
    wanted: Bits,
    /// The inputs that all blocks have in common.
    common: BTreeSet<Vertex>,
    /// Of each bit of the block the common input that it is added to, if both are in nothing else that is wanted.
    added: Vec<Option<Vertex>>,
    /// What is wanted if some bits of the block are zero, by which.
    with_zeros: BTreeMap<Vec<bool>, Bits>,
}

impl Inlined {
    /// Of a block of new inputs, and of what the kernel makes of it.
    pub fn new(
        graph: &Graph,
        block: &[Byte],
        wanted: &[[Edge; 8]],
        common: impl IntoIterator<Item = Vertex>,
    ) -> Inlined {
        let block: Bits = block.iter().flat_map(|byte| byte.bits).collect();
        let wanted: Bits = wanted.iter().flatten().copied().collect();
        let common: BTreeSet<Vertex> = common.into_iter().collect();
        let added = added(graph, &block, &wanted, &common);
        Inlined { block, wanted, common, added, with_zeros: BTreeMap::new() }
    }

    /// What is wanted and what is found of a block, written on the one that stands for all; nothing if what is found is made of
    /// something else too.
    pub fn pairs(
        &mut self,
        graph: &mut Graph,
        block: &[Byte],
        found: &[[Edge; 8]],
    ) -> Option<Vec<(Edge, Edge)>> {
        let mut by: VertexMap<Edge> = VertexMap::default();
        let mut zeros = vec![false; self.block.len()];
        for (place, bit) in block.iter().flat_map(|byte| byte.bits).enumerate() {
            let (vertex, new) = match bit.known() {
                None => (bit.vertex(), *self.block.get(place)?),
                // A bit that is known is part of a sum with a common input, and of nothing else: in place of that input
                // there is the sum. What is wanted is then that of a bit that is zero.
                Some(_) => {
                    *zeros.get_mut(place)? = true;
                    let common = (*self.added.get(place)?)?;
                    (common, common.edge())
                }
            };
            // A vertex that two bits are would have to become two.
            if by.insert(vertex, new.complemented_if(bit.is_complemented())).is_some() {
                return None;
            }
        }
        let wanted = self.with_zeros(graph, zeros)?;
        let found: Bits = found.iter().flatten().copied().collect();
        let found = graph.replaced(&found, &by, |input| self.common.contains(&input))?;
        Some(wanted.into_iter().zip(found).collect())
    }

    fn with_zeros(&mut self, graph: &mut Graph, zeros: Vec<bool>) -> Option<Bits> {
        if let Some(known) = self.with_zeros.get(&zeros) {
            return Some(known.clone());
        }
        let is_zero = self.block.iter().zip(&zeros).filter(|(_, is_zero)| **is_zero);
        let by = is_zero.map(|(bit, _)| (bit.vertex(), Edge::FALSE)).collect();
        let wanted = graph.replaced(&self.wanted, &by, |_| true)?;
        self.with_zeros.insert(zeros, wanted.clone());
        Some(wanted)
    }
}

/// Of each bit of a block the common input that it is added to, if `wanted` is made of their sum alone and of neither by itself.
fn added(graph: &Graph, block: &[Edge], wanted: &[Edge], common: &BTreeSet<Vertex>) -> Vec<Option<Vertex>> {
    /// What a vertex is an operand of.
    enum User {
        Sum(Vertex),
        Other,
    }
    let own: HashSet<Vertex> = block.iter().map(|bit| bit.vertex()).collect();
    let mut users: VertexMap<User> = VertexMap::default();
    let mut use_by = |operand: Vertex, user: User| {
        if own.contains(&operand) || common.contains(&operand) {
            users.entry(operand).and_modify(|user| *user = User::Other).or_insert(user);
        }
    };
    wanted.iter().for_each(|bit| use_by(bit.vertex(), User::Other));
    for vertex in graph.cone(wanted.iter().copied()) {
        let is_sum = matches!(graph.gate(vertex), Gate::Xor(..));
        for operand in graph.operands(vertex).into_iter().flatten() {
            use_by(operand, if is_sum { User::Sum(vertex) } else { User::Other });
        }
        graph.stands_for(vertex).iter().for_each(|bit| use_by(bit.vertex(), User::Other));
    }
    let partner = |bit: &Edge| {
        let Some(User::Sum(sum)) = users.get(&bit.vertex()) else { return None };
        let other = graph.operands(*sum).into_iter().flatten().find(|&other| other != bit.vertex())?;
        let is_lone = matches!(users.get(&other), Some(User::Sum(only)) if only == sum);
        (is_lone && common.contains(&other)).then_some(other)
    };
    block.iter().map(partner).collect()
}

#[cfg(test)]
mod tests {
    use super::super::value::Lane;
    use super::*;
    use crate::prove::{Answer, Limits, prove};

    fn byte(bits: &[Edge]) -> Byte {
        Byte { bits: std::array::from_fn(|place| bits[place]), lane: Lane::All }
    }

    /// Eight bits under 16 bits of keys: added, each mixed with the next one, and added.
    fn kernel(graph: &mut Graph, block: &[Edge], keys: &[Edge]) -> [Edge; 8] {
        let sums: Vec<Edge> = block.iter().zip(keys).map(|(&bit, &key)| graph.xor(bit, key)).collect();
        std::array::from_fn(|place| {
            let both = graph.and(sums[place], !sums[(place + 1) % 8]);
            let mixed = graph.xor(both, sums[(place + 3) % 8]);
            graph.xor(mixed, keys[8 + place])
        })
    }

    struct Case {
        graph: Graph,
        keys: Vec<Edge>,
        inlined: Inlined,
    }

    impl Case {
        fn new() -> Case {
            let mut graph = Graph::new();
            let (keys, block) = (graph.input_bits(16), graph.input_bits(8));
            let wanted = kernel(&mut graph, &block, &keys);
            let common: Vec<Vertex> = keys.iter().map(|key| key.vertex()).collect();
            let inlined = Inlined::new(&graph, &[byte(&block)], &[wanted], common);
            Case { graph, keys, inlined }
        }

        /// Whether the pairs for a block are proved; nothing if there are none.
        fn proved(&mut self, block: &[Edge], found: [Edge; 8]) -> Option<bool> {
            let pairs = self.inlined.pairs(&mut self.graph, &[byte(block)], &[found])?;
            assert_eq!(pairs.len(), 8);
            Some(prove(&self.graph, &pairs, Limits::default()).0 == Answer::Proved)
        }
    }

    /// Blocks of inputs, of sums with carries, and with bits that are known are the one block, if what is found is right.
    #[test]
    fn each_block_is_the_one_that_stands_for_all() {
        let mut case = Case::new();
        let number = case.graph.input_bits(8);
        let next = crate::graph::words::add(&mut case.graph, &number, &[Edge::FALSE; 8], Edge::TRUE).0;
        let mut known = number.clone();
        known[..4].copy_from_slice(&[Edge::TRUE, Edge::FALSE, Edge::TRUE, Edge::TRUE]);
        for block in [number, next, known] {
            let found = kernel(&mut case.graph, &block, &case.keys);
            assert_eq!(case.proved(&block, found), Some(true));
            // One bit of what is found is another one.
            let mut wrong = found;
            wrong[5] = !wrong[5];
            assert_eq!(case.proved(&block, wrong), Some(false));
            // Keys in another order.
            let mut keys = case.keys.clone();
            keys.swap(8, 9);
            let wrong = kernel(&mut case.graph, &block, &keys);
            assert_eq!(case.proved(&block, wrong), Some(false));
        }
    }

    /// A known bit that is another one, or a block that is another one, is not proved.
    #[test]
    fn another_block_is_not_proved() {
        let mut case = Case::new();
        let [block, other] = [case.graph.input_bits(8), case.graph.input_bits(8)];
        let found = kernel(&mut case.graph, &other, &case.keys);
        assert_eq!(case.proved(&block, found), None);
        let mut known = block.clone();
        known[2] = Edge::TRUE;
        let found = kernel(&mut case.graph, &known, &case.keys);
        known[2] = Edge::FALSE;
        assert_eq!(case.proved(&known, found), Some(false));
        // What is found of the bit is not known where it is wanted.
        let found = kernel(&mut case.graph, &block, &case.keys);
        assert_eq!(case.proved(&known, found), None);
        // One vertex would have to become two.
        let mut twice = block.clone();
        twice[1] = !block[0];
        let found = kernel(&mut case.graph, &twice, &case.keys);
        assert_eq!(case.proved(&twice, found), None);
    }

    /// Where a key is used a second time, its complement is another key.
    #[test]
    fn known_bits_need_a_key_that_is_only_added_to_them() {
        let mut case = Case::new();
        let block = case.graph.input_bits(8);
        let with_key = |graph: &mut Graph, block: &[Edge], keys: &[Edge]| {
            let mut made = kernel(graph, block, keys);
            made[7] = graph.xor(made[7], keys[2]);
            made
        };
        let wanted = with_key(&mut case.graph, &block, &case.keys);
        let common: Vec<Vertex> = case.keys.iter().map(|key| key.vertex()).collect();
        case.inlined = Inlined::new(&case.graph, &[byte(&block)], &[wanted], common);
        for (place, expected) in [(2, None), (3, Some(true))] {
            let mut known = block.clone();
            known[place] = Edge::TRUE;
            let found = with_key(&mut case.graph, &known, &case.keys);
            assert_eq!(case.proved(&known, found), expected, "{place}");
        }
    }
}
