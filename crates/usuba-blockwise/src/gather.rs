//! Bits of a word that lie a stride apart, put side by side by a multiplication.
//!
//! Let x have bits at 0, s, 2s, …, (n - 1)s and nothing else. In the product of x and the sum of all 2^(c - (s - 1)l), c = (n - 1)(s - 1),
//! bit j of x stands at c + j + (s - 1)(j - l) for every l. With n < s no two of these are the same, so that nothing is carried, and
//! those with j = l are the only ones from c to c + n - 1.

use std::collections::{BTreeMap, BTreeSet};
use usuba_ir::program::ValueId;

/// The fewest bits for which it pays: one by itself takes three operations, a run six.
const FEWEST: u32 = 3;

/// Bits of a word that go to consecutive places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// Where the first is in the word, counted from the least significant.
    pub(crate) from: u32,
    /// From each to the next.
    pub(crate) stride: u32,
    /// Where the first goes.
    pub(crate) to: u32,
    /// How many.
    pub(crate) length: u32,
}

impl Run {
    /// Whether a multiplication of words of so many bits does it.
    fn fits(self, word: u32) -> bool {
        self.length < self.stride && (self.length - 1) * self.stride < word
    }

    /// The bits in the word, the first being bit 0.
    pub(crate) fn mask(self) -> u64 {
        (0..self.length).map(|number| 1 << (self.stride * number)).sum()
    }

    /// What the word is multiplied by.
    pub(crate) fn factor(self) -> u64 {
        (0..self.length).map(|number| 1 << (self.top() - (self.stride - 1) * number)).sum()
    }

    /// Where the first is in the product.
    pub(crate) fn top(self) -> u32 {
        (self.length - 1) * (self.stride - 1)
    }

    /// The bits where they go.
    pub(crate) fn goal(self) -> u64 {
        ((1 << self.length) - 1) << self.to
    }
}

/// Takes runs out of the moves of bits to a word of so many bits: by word and distance to the left, the bits that come so.
pub(crate) fn runs(moves: &mut BTreeMap<(ValueId, i32), u64>, word: u32) -> Vec<(ValueId, Run)> {
    // Bits that come by themselves: from where, by word and goal.
    let mut single: BTreeMap<(ValueId, u32), u32> = BTreeMap::new();
    for (&(source, distance), mask) in &*moves {
        let to = mask.trailing_zeros();
        if mask.is_power_of_two()
            && let Some(from) = to.checked_add_signed(-distance)
        {
            single.insert((source, to), from);
        }
    }
    let mut taken = BTreeSet::new();
    let mut found = Vec::new();
    let goals: Vec<(ValueId, u32)> = single.keys().copied().collect();
    for (source, to) in goals {
        let place = |number: u32| {
            single.get(&(source, to + number)).filter(|_| !taken.contains(&(source, to + number)))
        };
        let (Some(&from), Some(&second)) = (place(0), place(1)) else { continue };
        let Some(stride) = second.checked_sub(from) else { continue };
        let mut run = Run { from, stride, to, length: 2 };
        while place(run.length) == Some(&(from + stride * run.length))
            && (Run { length: run.length + 1, ..run }).fits(word)
        {
            run.length += 1;
        }
        if run.length >= FEWEST {
            taken.extend((0..run.length).map(|number| (source, to + number)));
            found.push((source, run));
        }
    }
    for (source, to) in taken {
        let distance = single.get(&(source, to)).map(|&from| to as i32 - from as i32);
        moves.retain(|key, mask| Some(*key) != distance.map(|by| (source, by)) || *mask != 1 << to);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every run that fits in words of 64 and 32 bits, of words with any bits.
    #[test]
    fn a_product_gathers() {
        let mut word: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut seen = 0;
        for bits in [32, 64] {
            let ones = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            for (stride, length) in
                (2..bits).flat_map(|stride| (2..stride).map(move |length| (stride, length)))
            {
                let run = Run { from: 0, stride, to: 0, length };
                if !run.fits(bits) {
                    continue;
                }
                word = word.wrapping_mul(0x5851_f42d_4c95_7f2d).rotate_left(31) ^ u64::from(stride);
                for word in [word & ones, ones] {
                    let product = (word & run.mask()).wrapping_mul(run.factor()) & ones;
                    let expected: u64 =
                        (0..length).map(|number| (word >> (stride * number) & 1) << number).sum();
                    assert_eq!(product >> run.top() & run.goal(), expected, "{run:?} in {bits} bits");
                    seen += 1;
                }
            }
        }
        assert!(seen > 200, "{seen}");
    }

    #[test]
    fn runs_are_found_and_taken() {
        let source = ValueId(3);
        let mut moves = BTreeMap::new();
        // Bits 5, 17, 29, 41 to 8 to 11, and two others.
        for number in 0..4 {
            moves.insert((source, 8 + number - (5 + 12 * number)), 1 << (8 + number));
        }
        moves.insert((source, 1), 0b110);
        moves.insert((ValueId(4), 20), 1 << 20);
        let found = runs(&mut moves, 64);
        assert_eq!(found, [(source, Run { from: 5, stride: 12, to: 8, length: 4 })]);
        assert_eq!(moves.len(), 2);
    }
}
