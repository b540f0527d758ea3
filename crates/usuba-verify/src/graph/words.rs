//! Operations on words of bits. A word is its bits from the least significant.
//!
//! Each operation is made of gates in one way, so that the same operation of the same bits is the same vertices.

use super::{Edge, Graph};
use foldhash::fast::FixedState;
use std::collections::HashMap;

/// The bits of a number.
pub fn constant(width: usize, number: u128) -> Vec<Edge> {
    (0..width).map(|bit| Edge::constant(bit < 128 && number >> bit & 1 == 1)).collect()
}

/// The number that bits are, if all are constants. Words of up to 128 bits.
pub fn known(word: &[Edge]) -> Option<u128> {
    word.iter().rev().try_fold(0, |number, bit| Some(number << 1 | u128::from(bit.known()?)))
}

/// A function of two bits, bit by bit.
pub fn each(
    graph: &mut Graph,
    a: &[Edge],
    b: &[Edge],
    mut function: impl FnMut(&mut Graph, Edge, Edge) -> Edge,
) -> Vec<Edge> {
    a.iter().zip(b).map(|(&a, &b)| function(graph, a, b)).collect()
}

/// The complement.
pub fn not(word: &[Edge]) -> Vec<Edge> {
    word.iter().map(|&bit| !bit).collect()
}

/// The function of three bits with this truth table, bit by bit: bit `4a + 2b + c` of the table is the value at `a`, `b`, `c`.
pub fn ternary(graph: &mut Graph, table: u8, [a, b, c]: [&[Edge]; 3]) -> Vec<Edge> {
    let mut made: HashMap<[Edge; 3], Edge> = HashMap::new();
    let bits = a.iter().zip(b).zip(c);
    bits.map(|((&a, &b), &c)| {
        *made.entry([a, b, c]).or_insert_with(|| match table {
            0x96 | 0x69 => {
                let sum = graph.xor(a, b);
                graph.xor(sum, c).complemented_if(table == 0x69)
            }
            _ => look_up(graph, &[c, b, a], &(0..8).map(|row| table >> row & 1 == 1).collect::<Vec<_>>()),
        })
    })
    .collect()
}

/// The sum of two words of one width and a carry: the sum and the carry out.
pub fn add(graph: &mut Graph, a: &[Edge], b: &[Edge], carry: Edge) -> (Vec<Edge>, Edge) {
    if graph.symbols.is_none() {
        return ripple(graph, a, b, carry);
    }
    // Code that counts adds to a sum what the text adds to a word: the same bits are to be the same vertices.
    let [a, b] = if known(a).is_some() { [b, a] } else { [a, b] };
    let (sum, out) = ripple(graph, a, b, carry);
    let (None, Some(number), Some(more)) = (known(a), known(b), carry.known()) else { return (sum, out) };
    if a.len() > 64 {
        return (sum, out);
    }
    let number = number + u128::from(more);
    let (word, number) = match graph.added.get(a) {
        Some((word, before)) => (word.clone(), (number + before) & ((1 << a.len()) - 1)),
        None => (a.to_vec(), number),
    };
    let (sum, _) = ripple(graph, &word, &constant(a.len(), number), Edge::FALSE);
    graph.added.insert(sum.clone(), (word, number));
    (sum, out)
}

fn ripple(graph: &mut Graph, a: &[Edge], b: &[Edge], carry: Edge) -> (Vec<Edge>, Edge) {
    let mut carry = carry;
    let bits = each(graph, a, b, |graph, a, b| {
        let half = graph.xor(a, b);
        let sum = graph.xor(half, carry);
        let (both, passed) = (graph.and(a, b), graph.and(half, carry));
        // The two are never set together.
        carry = graph.xor(both, passed);
        sum
    });
    (bits, carry)
}

/// The difference of two words of one width, modulo the width; and whether nothing was borrowed.
pub fn subtract(graph: &mut Graph, a: &[Edge], b: &[Edge]) -> (Vec<Edge>, Edge) {
    add(graph, a, &not(b), Edge::TRUE)
}

/// Products that were made, with carries or without, by the two words.
pub(super) type Multiplied = HashMap<(bool, Vec<Edge>, Vec<Edge>), Vec<Edge>, FixedState>;

/// The product of two words of one width, modulo the width.
pub fn multiply(graph: &mut Graph, a: &[Edge], b: &[Edge]) -> Vec<Edge> {
    let width = a.len();
    let key = (true, a.to_vec(), b.to_vec());
    if let Some(known) = graph.multiplied.get(&key) {
        return known.clone();
    }
    if let Some(columns) = columns_apart(a, b) {
        let product = counted(graph, &columns, a, b);
        graph.multiplied.insert(key, product.clone());
        return product;
    }
    let mut sum = vec![Edge::FALSE; width];
    for (place, &digit) in b.iter().enumerate() {
        let row: Vec<Edge> = a[..width - place].iter().map(|&bit| graph.and(bit, digit)).collect();
        let (upper, _) = add(graph, &sum[place..], &row, Edge::FALSE);
        sum.splice(place.., upper);
    }
    sum
}

/// For each bit of a product the pairs of bits that meet there, if no sum of these reaches the next bit that has some: words with holes
/// in them, by which code multiplies without carries.
fn columns_apart(a: &[Edge], b: &[Edge]) -> Option<Vec<Vec<(usize, usize)>>> {
    let set = |word: &[Edge]| (0..word.len()).filter(|&bit| word[bit] != Edge::FALSE).collect::<Vec<_>>();
    let mut columns = vec![Vec::new(); a.len()];
    for (i, j) in set(a).into_iter().flat_map(|i| set(b).into_iter().map(move |j| (i, j))) {
        if let Some(column) = columns.get_mut(i + j) {
            column.push((i, j));
        }
    }
    let mut free = 0;
    for (place, column) in columns.iter().enumerate().filter(|(_, column)| !column.is_empty()) {
        if place < free {
            return None;
        }
        free = place + (usize::BITS - column.len().leading_zeros()) as usize;
    }
    Some(columns)
}

/// A product whose columns are counted each by itself.
fn counted(graph: &mut Graph, columns: &[Vec<(usize, usize)>], a: &[Edge], b: &[Edge]) -> Vec<Edge> {
    let mut product = vec![Edge::FALSE; columns.len()];
    for (place, column) in columns.iter().enumerate() {
        for (number, &(i, j)) in (1usize..).zip(column) {
            let mut carry = graph.and(a[i], b[j]);
            let digits = (usize::BITS - number.leading_zeros()) as usize;
            for digit in product.iter_mut().skip(place).take(digits) {
                let sum = graph.xor(*digit, carry);
                carry = graph.and(*digit, carry);
                *digit = sum;
            }
        }
    }
    product
}

/// The entry of a table of bits at an index, whose bits come from the least significant: the table has 2^n entries for n of
/// them. A tree of choices, in which equal parts are made once.
pub fn look_up(graph: &mut Graph, index: &[Edge], table: &[bool]) -> Edge {
    look_up_with(graph, index, table, &mut HashMap::new())
}

/// The entry of a table of words at an index: `width` bits from the least significant.
pub fn look_up_word(graph: &mut Graph, index: &[Edge], entries: &[u64], width: u32) -> Vec<Edge> {
    graph.look_up(index, entries, width)
}

/// The same, of gates.
pub(super) fn tree(graph: &mut Graph, index: &[Edge], entries: &[u64], width: u32) -> Vec<Edge> {
    let mut made = HashMap::new();
    let column = |bit: u32| entries.iter().map(|entry| entry >> bit & 1 == 1).collect::<Vec<_>>();
    (0..width).map(|bit| look_up_with(graph, index, &column(bit), &mut made)).collect()
}

/// Functions of so many bits come up in a table again and again.
const FEW: usize = 2;

fn look_up_with(
    graph: &mut Graph,
    index: &[Edge],
    table: &[bool],
    made: &mut HashMap<Vec<bool>, Edge>,
) -> Edge {
    let Some((&top, rest)) = index.split_last() else {
        return Edge::constant(table.first() == Some(&true));
    };
    let first = table[0];
    if table.iter().all(|&bit| bit == first) {
        return Edge::constant(first);
    }
    // Up to complement, so that it begins with a zero. A part of another size belongs to other bits of the index.
    let key: Vec<bool> = table.iter().map(|&bit| bit != first).collect();
    if let Some(&edge) = made.get(&key) {
        return edge.complemented_if(first);
    }
    let (low, high) = key.split_at(key.len() / 2);
    let no = look_up_with(graph, rest, low, made);
    // The difference of two functions of few bits is one of these too, which is there or will be: so it is one vertex.
    let difference = if rest.len() <= FEW {
        let differs: Vec<bool> = low.iter().zip(high).map(|(low, high)| low != high).collect();
        look_up_with(graph, rest, &differs, made)
    } else {
        let yes = look_up_with(graph, rest, high, made);
        graph.xor(yes, no)
    };
    let changed = graph.and(top, difference);
    let edge = graph.xor(changed, no);
    made.insert(key, edge);
    edge.complemented_if(first)
}

/// The carry-less product of two words, made of gates: as many bits as both have, less one, and a zero.
pub fn carryless_of_gates(graph: &mut Graph, a: &[Edge], b: &[Edge]) -> Vec<Edge> {
    let mut product = vec![Edge::FALSE; a.len() + b.len()];
    if a == b {
        // The terms of two different bits are there twice.
        a.iter().enumerate().for_each(|(place, &bit)| product[2 * place] = bit);
        return product;
    }
    // In one order, so that the products a b and b a are the same vertices.
    let [a, b] = if a <= b { [a, b] } else { [b, a] };
    let key = (false, a.to_vec(), b.to_vec());
    if let Some(known) = graph.multiplied.get(&key) {
        return known.clone();
    }
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let term = graph.and(x, y);
            product[i + j] = graph.xor(product[i + j], term);
        }
    }
    graph.multiplied.insert(key, product.clone());
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use usuba_ir::random::Random;

    /// What a function of two words of eight bits computes, for 64 random pairs.
    fn check(
        function: impl Fn(&mut Graph, &[Edge], &[Edge]) -> Vec<Edge>,
        expected: impl Fn(u32, u32) -> u32,
    ) {
        let mut graph = Graph::new();
        let (a, b) = (graph.input_bits(8), graph.input_bits(8));
        let result = function(&mut graph, &a, &b);
        let mut random = Random::new(3);
        let columns: Vec<u64> = (0..16).map(|_| random.bits()).collect();
        let values = graph.evaluate(|input| columns[input as usize]);
        let number = |bits: &[Edge], lane: u32| {
            let bit = |edge: &Edge| (super::super::value_of(&values, *edge) >> lane & 1) as u32;
            bits.iter().rev().fold(0, |number, edge| number << 1 | bit(edge))
        };
        for lane in 0..64 {
            let mask = (1 << result.len()) - 1;
            let expected = expected(number(&a, lane), number(&b, lane)) & mask;
            assert_eq!(number(&result, lane), expected);
        }
    }

    #[test]
    fn words_are_computed_with() {
        check(|graph, a, b| add(graph, a, b, Edge::FALSE).0, |a, b| a + b);
        check(|graph, a, b| vec![add(graph, a, b, Edge::TRUE).1], |a, b| (a + b + 1) >> 8);
        check(|graph, a, b| subtract(graph, a, b).0, u32::wrapping_sub);
        check(multiply, |a, b| a * b);
        check(carryless_of_gates, |a, b| {
            (0..8).fold(0, |sum, i| sum ^ if b >> i & 1 == 1 { a << i } else { 0 })
        });
        for table in 0..=255u8 {
            check(
                |graph, a, b| ternary(graph, table, [a, b, &a.iter().rev().copied().collect::<Vec<_>>()]),
                |a, b| {
                    let c = (a as u8).reverse_bits();
                    usuba_ir::evaluate::ternary(8, table, [a.into(), b.into(), c.into()]) as u32
                },
            );
        }
        let table: Vec<u64> = (0..256u64).map(|x| x.wrapping_mul(0x9e37) >> 5 & 0xff).collect();
        check(|graph, a, _| look_up_word(graph, a, &table, 8), |a, _| table[a as usize] as u32);
    }

    #[test]
    fn constants_stay_constants() {
        let mut graph = Graph::new();
        let product = multiply(&mut graph, &constant(16, 300), &constant(16, 70));
        assert_eq!(known(&product), Some(21_000));
        assert!(graph.is_empty());
    }

    /// Words with holes, of which each product is the one without carries in its lowest bits: all four pairs of bits in turn.
    #[test]
    fn words_with_holes_are_multiplied_column_by_column() {
        let mut graph = Graph::new();
        let bits = graph.input_bits(32);
        let spread = |bits: &[Edge], first: usize| {
            let mut word = vec![Edge::FALSE; 64];
            bits.iter().enumerate().for_each(|(place, &bit)| word[4 * place + first] = bit);
            word
        };
        let (a, b) = (spread(&bits[..16], 1), spread(&bits[16..], 2));
        let product = multiply(&mut graph, &a, &b);
        let without = carryless_of_gates(&mut graph, &a, &b);
        for place in (3..64).step_by(4) {
            assert!(graph.is_same_sum(product[place], without[place]));
        }
        let mut random = Random::new(5);
        let columns: Vec<u64> = (0..32).map(|_| random.bits()).collect();
        let values = graph.evaluate(|input| columns[input as usize]);
        let at = |word: &[Edge], lane: u32| {
            word.iter()
                .rev()
                .fold(0u64, |all, &bit| all << 1 | super::super::value_of(&values, bit) >> lane & 1)
        };
        for lane in 0..64 {
            assert_eq!(at(&product, lane), at(&a, lane).wrapping_mul(at(&b, lane)));
        }
    }
}
