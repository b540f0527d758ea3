//! What registers and memory hold: bytes of bits, each byte of an instance or of all; or addresses.

use super::Why;
use crate::graph::{Edge, Graph, words};

/// Which instances the bits of a byte belong to.
///
/// A bit of a byte is a function of one instance, the same for all: an edge of a graph whose inputs are those of one instance.
/// This says of which instance its value is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lane {
    /// None in particular: constants, and what is the same for all instances.
    All,
    /// All bits are of this instance.
    One(u16),
    /// Bit t is of instance 8i + t.
    Each(u16),
    /// Bit t is of instance t modulo this number, which is 2 or 4.
    Every(u16),
}

impl Lane {
    /// What bits that are computed from two at the same place of a byte belong to.
    pub fn met(self, other: Lane) -> Result<Lane, Why> {
        match (self, other) {
            (Lane::All, lane) | (lane, Lane::All) => Ok(lane),
            (a, b) if a == b => Ok(a),
            _ => Err(Why::Lanes),
        }
    }

    /// What bits that are computed from bits at other places belong to.
    pub fn mixed(self, other: Lane) -> Result<Lane, Why> {
        match self.met(other)? {
            Lane::Each(_) | Lane::Every(_) => Err(Why::Lanes),
            lane => Ok(lane),
        }
    }

    /// What bits that are computed from bits so many places away in their bytes belong to.
    fn moved(self, other: Lane, by: usize) -> Result<Lane, Why> {
        let stays = match other {
            // The same for all instances at whichever place.
            Lane::All => true,
            Lane::Every(count) => by.is_multiple_of(usize::from(count)),
            _ => by == 0,
        };
        if stays { self.met(other) } else { self.mixed(other) }
    }
}

/// A byte of bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Byte {
    /// From the least significant.
    pub bits: [Edge; 8],
    /// Whose they are.
    pub lane: Lane,
}

impl Byte {
    /// Eight zeros.
    pub const ZERO: Byte = Byte { bits: [Edge::FALSE; 8], lane: Lane::All };

    /// A constant.
    pub fn constant(value: u8) -> Byte {
        Byte { bits: std::array::from_fn(|bit| Edge::constant(value >> bit & 1 == 1)), lane: Lane::All }
    }

    /// Its value, if it is a constant.
    pub fn known(&self) -> Option<u8> {
        words::known(&self.bits).map(|value| value as u8)
    }
}

/// Bytes of a constant, the least significant first.
pub fn constant(bytes: usize, value: u64) -> Vec<Byte> {
    (0..bytes).map(|place| Byte::constant(if place < 8 { (value >> (8 * place)) as u8 } else { 0 })).collect()
}

/// The number that bytes are, if they are constants.
pub fn known(bytes: &[Byte]) -> Option<u64> {
    bytes.iter().rev().try_fold(0, |number, byte| Some(number << 8 | u64::from(byte.known()?)))
}

/// A function of two bits, bit by bit.
pub fn bitwise(
    graph: &mut Graph,
    a: &[Byte],
    b: &[Byte],
    mut function: impl FnMut(&mut Graph, Edge, Edge) -> Edge,
) -> Result<Vec<Byte>, Why> {
    let bytes = a.iter().zip(b);
    // Sliced code has the same operands in many places.
    let mut last: Option<(Edge, Edge, Edge)> = None;
    let mut at = |a: Edge, b: Edge| match last {
        Some((x, y, result)) if (x, y) == (a, b) => result,
        _ => {
            let result = function(graph, a, b);
            last = Some((a, b, result));
            result
        }
    };
    bytes
        .map(|(a, b)| {
            let bits = std::array::from_fn(|bit| at(a.bits[bit], b.bits[bit]));
            settled(bits, a.lane.met(b.lane)?)
        })
        .collect()
}

/// A byte of these bits; constants belong to no instance.
fn settled(bits: [Edge; 8], lane: Lane) -> Result<Byte, Why> {
    let is_constant = bits.iter().all(|bit| bit.known().is_some());
    Ok(Byte { bits, lane: if is_constant { Lane::All } else { lane } })
}

/// The complement.
pub fn complement(bytes: &[Byte]) -> Vec<Byte> {
    bytes.iter().map(|byte| Byte { bits: byte.bits.map(|bit| !bit), ..*byte }).collect()
}

/// The bits of a word, which may be mixed, and whose they are.
pub fn word(bytes: &[Byte]) -> Result<(Vec<Edge>, Lane), Why> {
    let lane = bytes.iter().try_fold(Lane::All, |lane, byte| lane.mixed(byte.lane))?;
    Ok((bytes.iter().flat_map(|byte| byte.bits).collect(), lane))
}

/// The bytes of a word.
pub fn bytes(bits: &[Edge], lane: Lane) -> Vec<Byte> {
    let byte = |bits: &[Edge]| {
        let bits = std::array::from_fn(|bit| bits[bit]);
        let is_constant = bits.iter().all(|bit: &Edge| bit.known().is_some());
        Byte { bits, lane: if is_constant { Lane::All } else { lane } }
    };
    bits.chunks_exact(8).map(byte).collect()
}

/// A function of each word of so many bytes.
pub fn each_word(
    operands: &[&[Byte]],
    size: usize,
    mut function: impl FnMut(Vec<Vec<Edge>>) -> Vec<Edge>,
) -> Result<Vec<Byte>, Why> {
    let mut result = Vec::new();
    for start in (0..operands[0].len()).step_by(size) {
        let mut lane = Lane::All;
        let mut given = Vec::new();
        for operand in operands {
            let (bits, of) = word(&operand[start..start + size])?;
            lane = lane.mixed(of)?;
            given.push(bits);
        }
        result.extend(bytes(&function(given), lane));
    }
    Ok(result)
}

/// The sum of two words of which one has zeros where the other has bits, which is bit by bit; nothing if there are no such words.
pub fn beside(graph: &mut Graph, a: &[Byte], b: &[Byte]) -> Result<Option<Vec<Byte>>, Why> {
    let bits = |bytes: &[Byte]| bytes.iter().flat_map(|byte| byte.bits).collect::<Vec<_>>();
    let meet = bits(a).into_iter().zip(bits(b)).any(|(a, b)| a != Edge::FALSE && b != Edge::FALSE);
    if meet { Ok(None) } else { bitwise(graph, a, b, |graph, a, b| graph.or(a, b)).map(Some) }
}

/// How bits move in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// Towards the most significant bit, zeros in.
    Left,
    /// Towards the least significant bit, zeros in.
    Right,
    /// Towards the least significant bit, copies of the most significant in.
    RightSigned,
    /// Towards the most significant bit, around.
    Around,
}

/// Each word of so many bytes, shifted or rotated. Whole bytes move whoever they belong to.
pub fn shifted(operand: &[Byte], size: usize, by: usize, way: Move) -> Result<Vec<Byte>, Why> {
    shifted_with(operand, size, by, way, |_, _, why| Err(why))
}

/// The same, where a byte may get bits of other instances beside those of its own, as code has it that shifts bytes by words and then
/// clears these bits: they are bits of which nothing is known.
pub fn shifted_apart(
    graph: &mut Graph,
    operand: &[Byte],
    size: usize,
    by: usize,
    way: Move,
) -> Result<Vec<Byte>, Why> {
    shifted_with(operand, size, by, way, |lane, sources, why| {
        let Lane::One(_) = lane else { return Err(why) };
        let bits = sources.map(|source| match source {
            None => Edge::FALSE,
            Some((bit, of)) if of == lane || of == Lane::All => bit,
            Some(_) => graph.unknown(),
        });
        Ok(Byte { bits, lane })
    })
}

/// Each word, shifted or rotated. Of a byte whose bits meet those of others are handed over whose it was, and what its bits would be:
/// a bit, and whose that is.
fn shifted_with(
    operand: &[Byte],
    size: usize,
    by: usize,
    way: Move,
    mut met: impl FnMut(Lane, [Option<(Edge, Lane)>; 8], Why) -> Result<Byte, Why>,
) -> Result<Vec<Byte>, Why> {
    let mut result = Vec::with_capacity(operand.len());
    for word_bytes in operand.chunks_exact(size) {
        let count = 8 * size;
        let from = |place: usize| match way {
            Move::Left => place.checked_sub(by),
            Move::Right => (place + by < count).then_some(place + by),
            Move::RightSigned => Some((place + by).min(count - 1)),
            Move::Around => Some((place + count - by % count) % count),
        };
        for byte in 0..size {
            let sources: [Option<usize>; 8] = std::array::from_fn(|bit| from(8 * byte + bit));
            let source = |from: usize| (word_bytes[from / 8].bits[from % 8], word_bytes[from / 8].lane);
            let lane = (0..8).try_fold(Lane::All, |lane, bit| match sources[bit] {
                Some(from) => lane.moved(word_bytes[from / 8].lane, (from % 8).abs_diff(bit)),
                None => Ok(lane),
            });
            result.push(match lane {
                Ok(lane) => {
                    settled(sources.map(|from| from.map_or(Edge::FALSE, |from| source(from).0)), lane)?
                }
                Err(why) => met(word_bytes[byte].lane, sources.map(|from| from.map(source)), why)?,
            });
        }
    }
    Ok(result)
}

/// Each word of `high` with that of `low` below it, shifted by so many bits towards the most significant: the higher half.
pub fn double_shifted(
    graph: &mut Graph,
    high: &[Byte],
    low: &[Byte],
    size: usize,
    by: usize,
) -> Result<Vec<Byte>, Why> {
    let high = shifted(high, size, by, Move::Left)?;
    let low = shifted(low, size, 8 * size - by, Move::Right)?;
    bitwise(graph, &high, &low, |graph, a, b| graph.or(a, b))
}

#[cfg(test)]
mod tests {
    use super::{Byte, Lane, Move, shifted, shifted_apart};
    use crate::graph::{Edge, Graph};

    #[test]
    fn constants_move_beside_bits_of_instances_that_take_turns() {
        let mut graph = Graph::new();
        let bits = std::array::from_fn(|bit| if bit < 4 { graph.input() } else { Edge::FALSE });
        let word = [Byte { bits, lane: Lane::Every(2) }, Byte::constant(0x5a), Byte::ZERO];
        let moved = shifted(&word, 3, 4, Move::Left).expect("bytes");
        assert_eq!(moved[0].bits[4..], bits[..4]);
        assert_eq!(
            moved.iter().map(|byte| byte.lane).collect::<Vec<_>>(),
            [Lane::Every(2), Lane::All, Lane::All]
        );
        let moved = shifted(&word, 3, 2, Move::Right).expect("bytes");
        assert_eq!(
            moved[0].bits[..6],
            [bits[2], bits[3], Edge::FALSE, Edge::FALSE, Edge::FALSE, Edge::FALSE]
        );
        assert_eq!(moved[0].lane, Lane::Every(2));
        assert!(shifted(&word, 3, 3, Move::Right).is_err());
    }

    #[test]
    fn bits_of_other_instances_are_unknown_where_a_word_is_shifted() {
        let mut graph = Graph::new();
        let mut byte = |lane| Byte { bits: std::array::from_fn(|_| graph.input()), lane: Lane::One(lane) };
        let word = [byte(0), byte(1)];
        assert!(shifted(&word, 2, 4, Move::Right).is_err());
        let moved = shifted_apart(&mut graph, &word, 2, 4, Move::Right).expect("bytes");
        for (place, (was, is)) in word.iter().zip(&moved).enumerate() {
            assert_eq!(is.lane, was.lane);
            assert_eq!(is.bits[..4], was.bits[4..]);
            // Above the own bits are those of the next byte, or zeros.
            let is_unknown = |edge: &Edge| graph.rest_on_unknown([*edge]);
            assert!(!is.bits[..4].iter().any(is_unknown));
            match place {
                0 => assert!(is.bits[4..].iter().all(is_unknown)),
                _ => assert_eq!(is.bits[4..], [Edge::FALSE; 4]),
            }
        }
        // Where nothing meets, it is the same as any shift.
        let alone = [word[0], word[0]];
        assert_eq!(
            shifted_apart(&mut graph, &alone, 2, 4, Move::Left).expect("bytes"),
            shifted(&alone, 2, 4, Move::Left).expect("bytes")
        );
    }
}
