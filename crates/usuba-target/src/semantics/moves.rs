//! Rows that only move lanes and groups.

use super::GROUP;
use crate::instruction::Meaning::{self, *};

/// Writes what a moving meaning makes of its operands in lanes of `lane` bits; whether it is one. Operands are registers of
/// the size of the result, in memory order; lanes are counted in each group where the meaning speaks of groups.
pub(super) fn moved(meaning: Meaning, lane: u32, operands: &[&[u8]], n: u32, result: &mut [u8]) -> bool {
    let size = (lane / 8) as usize;
    let in_group = GROUP / size.clamp(1, GROUP);
    let at = |operand: usize, from: usize| &operands[operand][from * size..][..size];
    let index = |operand: usize, number: usize| {
        at(operand, number).iter().rev().fold(0usize, |index, &byte| index << 8 | usize::from(byte))
    };
    let all = result.len() / size.max(1);
    // For each lane of the result: the operand and the lane that it comes from.
    let source = |number: usize| -> Option<(usize, usize)> {
        let (group, place) = (number / in_group * in_group, number % in_group);
        let half = in_group / 2;
        Some(match meaning {
            InterleaveLow => (place % 2, group + place / 2),
            InterleaveHigh => (place % 2, group + half + place / 2),
            EvenLanes => (place / half, group + place % half * 2),
            OddLanes => (place / half, group + place % half * 2 + 1),
            ExchangeLow => (number % 2, number / 2 * 2),
            ExchangeHigh => (number % 2, number / 2 * 2 + 1),
            PermuteLanesOfTwo => {
                let from = index(1, number) % (2 * all);
                (if from < all { 0 } else { 2 }, from % all)
            }
            PermuteLanes => (0, index(1, number) % all),
            PermuteQuads => (0, number / 4 * 4 + (n >> (2 * (number % 4)) & 3) as usize),
            Blend => ((n >> (number % in_group.max(8)) & 1) as usize, number),
            _ => return None,
        })
    };
    if meaning == PermuteTwoGroups {
        for (group, to) in result.chunks_exact_mut(GROUP).enumerate() {
            let from = (n >> (4 * group) & 3) as usize;
            to.copy_from_slice(&operands[from / 2][from % 2 * GROUP..][..GROUP]);
        }
        return true;
    }
    if meaning == MergeShuffledBytes {
        for (number, to) in result.iter_mut().enumerate() {
            let from = operands[2][number];
            let shuffled = || match from & 0x80 {
                0 => operands[1][number / GROUP * GROUP + usize::from(from) % GROUP],
                _ => 0,
            };
            let taken = n >> (number % GROUP) & 1 == 1;
            *to = if taken { shuffled() } else { operands[0][number] };
        }
        return true;
    }
    for number in 0..all {
        let Some((operand, from)) = source(number) else { return false };
        result[number * size..][..size].copy_from_slice(at(operand, from));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_go_where_the_meaning_says() {
        let (a, b): (Vec<u8>, Vec<u8>) = ((0..16).collect(), (16..32).collect());
        let of = |meaning, lane, n| {
            let mut result = vec![0; 16];
            assert!(moved(meaning, lane, &[&a, &b], n, &mut result));
            result
        };
        assert_eq!(of(InterleaveLow, 32, 0), [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23]);
        assert_eq!(of(InterleaveHigh, 64, 0), [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]);
        assert_eq!(of(EvenLanes, 32, 0), [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27]);
        assert_eq!(of(OddLanes, 64, 0), [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]);
        assert_eq!(of(ExchangeLow, 32, 0), [0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27]);
        assert_eq!(of(Blend, 16, 0b0000_0010)[..4], [0, 1, 18, 19]);
    }
}
