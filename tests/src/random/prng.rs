//! The source of chance: small, fast, the same on every machine.

/// A stream of numbers that a seed fixes (SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Random {
        Random { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995_7a3c_22f1 }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number of `width` bits.
    pub fn word(&mut self, width: u32) -> u128 {
        let all = u128::from(self.bits()) << 64 | u128::from(self.bits());
        if width >= 128 { all } else { all & ((1 << width) - 1) }
    }

    /// A number below `n`, which is not zero.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + (self.bits() % u64::from(high - low + 1)) as u32
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.bits() % 100 < u64::from(percent)
    }

    /// One of the choices.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// One of the choices, each with its weight; at least one weight is not zero.
    pub fn weighted<T: Copy>(&mut self, choices: &[(u32, T)]) -> T {
        let total: u32 = choices.iter().map(|c| c.0).sum();
        let mut left = self.between(0, total - 1);
        for &(weight, choice) in choices {
            if left < weight {
                return choice;
            }
            left -= weight;
        }
        choices[choices.len() - 1].1
    }

    /// Puts `items` into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i + 1);
            items.swap(i, j);
        }
    }
}
