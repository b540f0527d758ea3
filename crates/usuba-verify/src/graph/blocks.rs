//! Operations on blocks of 16 bytes: rounds of AES and products without carries.
//!
//! A block is 128 bits in memory order: bit i of byte j is bit 8j + i. What they compute is read off the functions of
//! `usuba_ir` that compute it on bytes.

use super::products::carryless;
use super::words::{add, look_up_word};
use super::{Edge, Graph};
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::sync::LazyLock;
use usuba_ir::aes::{self, Round};
use usuba_ir::block::BlockOp;
use usuba_ir::bytes::{ByteMap, inverse};

/// What an operation makes of two blocks.
pub fn block(graph: &mut Graph, op: BlockOp, a: &[Edge], b: &[Edge]) -> Vec<Edge> {
    match op {
        BlockOp::Aes(round) => round_of(graph, round, a, b),
        BlockOp::Product(halves) => {
            [a, b].into_iter().for_each(|block| graph.note_multiplied(block));
            let half = |later: bool| if later { 64..128 } else { 0..64 };
            carryless(graph, &a[half(halves.first)], &b[half(halves.second)])
        }
        BlockOp::AddWords(bits) => {
            let words = a.chunks(bits as usize).zip(b.chunks(bits as usize));
            words.flat_map(|(a, b)| add(graph, a, b, Edge::FALSE).0).collect()
        }
        BlockOp::JoinHalves(later) => {
            let half = if later { 64..128 } else { 0..64 };
            [&a[half.clone()], &b[half]].concat()
        }
    }
}

/// Rounds that were made, by the block and the round key: code is run several times, and computes mostly the same.
pub(super) type Rounds = HashMap<(Round, Vec<Edge>), Vec<Edge>, FixedState>;

/// A round of AES.
fn round_of(graph: &mut Graph, round: Round, block: &[Edge], key: &[Edge]) -> Vec<Edge> {
    let operands = (round, [block, key].concat());
    if let Some(known) = graph.rounds.get(&operands) {
        return known.clone();
    }
    let state = substitute(graph, block, round.encrypts());
    let state = shift_rows(&state, round.encrypts());
    let state = match round {
        Round::Encrypt => mix_columns(graph, &state),
        Round::Decrypt => inverse_mix_columns(graph, &state),
        Round::EncryptLast | Round::DecryptLast => state,
    };
    let made = super::words::each(graph, &state, key, Graph::xor);
    if graph.symbols.is_some() {
        graph.rounds.insert(operands, made.clone());
    }
    made
}

/// The image of a byte.
pub fn map_byte(graph: &mut Graph, byte: &[Edge], map: &ByteMap) -> Vec<Edge> {
    let inverted = match map.inverts {
        true => {
            let table: Vec<u64> = (0..=255).map(|x| inverse(x).into()).collect();
            look_up_word(graph, byte, &table, 8)
        }
        false => byte.to_vec(),
    };
    Affine::of(8, |x| map.affine.of(x as u8).into()).apply(graph, &inverted)
}

/// `SubBytes` of AES, or its inverse.
pub fn substitute(graph: &mut Graph, state: &[Edge], forward: bool) -> Vec<Edge> {
    static TABLES: LazyLock<[Vec<u64>; 2]> = LazyLock::new(|| {
        let table = |forward| (0..=255).map(|byte| aes::substitute([byte; 16], forward)[0].into()).collect();
        [false, true].map(table)
    });
    let table = &TABLES[usize::from(forward)];
    state.chunks(8).flat_map(|byte| look_up_word(graph, byte, table, 8)).collect()
}

/// `ShiftRows` of AES, or its inverse.
pub fn shift_rows(state: &[Edge], forward: bool) -> Vec<Edge> {
    let places = aes::shift_rows(std::array::from_fn(|place| place as u8), forward);
    places.iter().flat_map(|&from| state[8 * usize::from(from)..][..8].to_vec()).collect()
}

/// `MixColumns` of AES.
pub fn mix_columns(graph: &mut Graph, state: &[Edge]) -> Vec<Edge> {
    static MAP: LazyLock<Affine> =
        LazyLock::new(|| Affine::of(128, |x| u128::from_le_bytes(aes::mix_columns(x.to_le_bytes()))));
    MAP.apply(graph, state)
}

/// `InvMixColumns` of AES.
pub fn inverse_mix_columns(graph: &mut Graph, state: &[Edge]) -> Vec<Edge> {
    static MAP: LazyLock<Affine> =
        LazyLock::new(|| Affine::of(128, |x| u128::from_le_bytes(aes::inverse_mix_columns(x.to_le_bytes()))));
    MAP.apply(graph, state)
}

/// An affine map of bits to as many bits.
struct Affine {
    /// For each bit of the image whether it is complemented, and the bits that it is the sum of.
    rows: Vec<(bool, Vec<usize>)>,
}

impl Affine {
    /// A function of numbers of so many bits.
    fn of(bits: usize, map: impl Fn(u128) -> u128) -> Affine {
        let constant = map(0);
        let columns: Vec<u128> = (0..bits).map(|bit| map(1 << bit) ^ constant).collect();
        let terms = |to: usize| (0..bits).filter(|&from| columns[from] >> to & 1 == 1).collect();
        Affine { rows: (0..bits).map(|to| (constant >> to & 1 == 1, terms(to))).collect() }
    }

    fn apply(&self, graph: &mut Graph, bits: &[Edge]) -> Vec<Edge> {
        let sum = |(constant, terms): &(bool, Vec<usize>)| {
            terms.iter().fold(Edge::constant(*constant), |sum, &from| graph.xor(sum, bits[from]))
        };
        self.rows.iter().map(sum).collect()
    }
}
