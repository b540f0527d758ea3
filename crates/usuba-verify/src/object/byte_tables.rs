//! What instructions of both architectures make of bytes one by one, by tables: bytes of a register that others name, and `SubBytes` of
//! AES. Each byte of the result is of the instance that the byte it is made of belongs to.

use super::Why;
use super::value::{self, Byte, Lane};
use crate::graph::{Graph, blocks, words};
use usuba_ir::aes;

/// Bytes of the state of AES.
const STATE: usize = 16;

/// The byte of a table that another byte names, and `beyond` if the table has none there.
///
/// # Errors
/// Neither the table nor the index is known, or the index and what is beyond belong to different instances.
pub(super) fn entry(graph: &mut Graph, table: &[Byte], index: &Byte, beyond: &Byte) -> Result<Byte, Why> {
    if let Some(index) = index.known() {
        return Ok(table.get(usize::from(index)).copied().unwrap_or(*beyond));
    }
    let known: Option<Vec<u8>> = table.iter().map(Byte::known).collect();
    let entries = known.ok_or(Why::Operand("a shuffle of bytes by bytes, of which neither are known"))?;
    let lane = index.lane.mixed(Lane::All)?.met(beyond.lane)?;
    let count = entries.len().next_power_of_two();
    let (low, high) = index.bits.split_at((count.trailing_zeros() as usize).min(index.bits.len()));
    let column = |graph: &mut Graph, of: &dyn Fn(u8) -> bool| {
        let column: Vec<bool> =
            (0..count).map(|place| entries.get(place).is_some_and(|&entry| of(entry))).collect();
        words::look_up(graph, low, &column)
    };
    let mut is_there = column(graph, &|_| true);
    for &bit in high {
        is_there = graph.and(is_there, !bit);
    }
    let bits = std::array::from_fn(|bit| {
        let entry = column(graph, &|entry| entry >> bit & 1 == 1);
        graph.select(is_there, entry, beyond.bits[bit])
    });
    Ok(Byte { bits, lane })
}

/// `ShiftRows` and `SubBytes` of AES, or their inverses.
pub(super) fn substituted(graph: &mut Graph, state: &[Byte], forward: bool) -> Result<Vec<Byte>, Why> {
    let places = aes::shift_rows(std::array::from_fn(|place| place as u8), forward);
    let mut result = Vec::with_capacity(state.len());
    for group in state.chunks(STATE) {
        for &from in &places {
            let byte = group[usize::from(from)];
            let bits = blocks::substitute(graph, &byte.bits, forward);
            result.extend(value::bytes(&bits, byte.lane.mixed(Lane::All)?));
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::{Byte, Lane, entry, substituted};
    use crate::graph::{Edge, Graph, value_of};
    use usuba_ir::aes;

    /// A byte of inputs of an instance.
    fn input(graph: &mut Graph, lane: Lane) -> Byte {
        Byte { bits: std::array::from_fn(|_| graph.input()), lane }
    }

    /// What a byte is where the inputs are the bits of this number, the least significant first.
    fn value(graph: &Graph, byte: &Byte, inputs: u128) -> u8 {
        let values = graph.evaluate(|number| (inputs >> number & 1) as u64);
        let bit = |(place, edge): (usize, &Edge)| ((value_of(&values, *edge) & 1) as u8) << place;
        byte.bits.iter().enumerate().map(bit).sum()
    }

    #[test]
    fn bytes_of_a_table_are_looked_up() {
        for count in [16, 32, 48, 64] {
            let table: Vec<u8> = (0..count).map(|place| (37 * place + 11) as u8).collect();
            let bytes: Vec<Byte> = table.iter().map(|&byte| Byte::constant(byte)).collect();
            let mut graph = Graph::new();
            let index = input(&mut graph, Lane::One(3));
            let beyond = input(&mut graph, Lane::One(3));
            let found = entry(&mut graph, &bytes, &index, &beyond).expect("a byte");
            assert_eq!(found.lane, Lane::One(3));
            for index in 0..=255_u8 {
                let wanted = table.get(usize::from(index)).copied().unwrap_or(0xa6);
                assert_eq!(value(&graph, &found, u128::from(index) | 0xa6 << 8), wanted, "{index}");
            }
            assert!(entry(&mut graph, &[index; 16], &index, &Byte::ZERO).is_err());
            // A byte of another instance beyond the table.
            let other = input(&mut graph, Lane::One(4));
            assert!(entry(&mut graph, &bytes, &index, &other).is_err());
        }
    }

    #[test]
    fn bytes_that_aes_substitutes_stay_those_of_their_instances() {
        for forward in [true, false] {
            let mut graph = Graph::new();
            let state: Vec<Byte> = (0..16).map(|lane| input(&mut graph, Lane::One(lane))).collect();
            let found = substituted(&mut graph, &state, forward).expect("bytes");
            let bytes: [u8; 16] = std::array::from_fn(|place| (91 * place + 200) as u8);
            let wanted = aes::shift_rows(aes::substitute(bytes, forward), forward);
            let places = aes::shift_rows(std::array::from_fn(|place| place as u8), forward);
            for (place, byte) in found.iter().enumerate() {
                assert_eq!(byte.lane, Lane::One(places[place].into()));
                assert_eq!(value(&graph, byte, u128::from_le_bytes(bytes)), wanted[place]);
            }
        }
    }
}
