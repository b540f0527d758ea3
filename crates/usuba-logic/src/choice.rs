//! The choice of a way to compute each gate of a network, without what the ways mean: the problem of technology mapping.

use std::fmt;

/// The way that each gate takes, by number; `None` for the gates that are not computed.
pub type Ways = Vec<Option<usize>>;

/// A way to compute a gate.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Way {
    /// The gates that it needs, by number: all are earlier than the gate itself, and none is named twice.
    pub needs: Vec<usize>,
    /// What it costs, in micro-operations.
    pub cost: u32,
}

/// A gate, with at least one way to compute it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Gate {
    /// The ways; the first is the gate as it stood.
    pub ways: Vec<Way>,
    /// Whether it has to be computed, because something that is not a gate uses it.
    pub is_root: bool,
}

/// The gates of a block. Wanted is a choice of ways such that all roots and all gates that a chosen way needs are computed,
/// and whose costs have the least sum.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Problem {
    /// The gates, in the order of the block.
    pub gates: Vec<Gate>,
}

impl Problem {
    /// What a table knows the problem by: FNV-1a with 128 bits (Fowler, Noll and Vo) of its
    /// [text](Problem::fmt).
    pub fn digest(&self) -> u128 {
        self.to_string().bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |digest, byte| {
            (digest ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        })
    }

    /// What a choice costs: see [`cost`].
    ///
    /// # Errors
    /// Why it is no choice.
    pub fn cost(&self, ways: &[Option<usize>]) -> Result<u32, Flaw> {
        cost(&self.gates, ways)
    }
}

/// A line for each gate: `r` for a root, else `g`; then for each way a space, its cost, a colon, and the numbers of the gates
/// that it needs with commas between them.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for gate in &self.gates {
            write!(f, "{}", if gate.is_root { "r" } else { "g" })?;
            for way in &gate.ways {
                let needs: Vec<String> = way.needs.iter().map(usize::to_string).collect();
                write!(f, " {}:{}", way.cost, needs.join(","))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Why something is no choice; gates by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// It is for another number of gates.
    Gates,
    /// The gate has no way of the number that it is to take.
    NoSuchWay(usize),
    /// The gate is a root, or needed, and is not computed.
    NotComputed(usize),
}

/// What a choice costs: for each gate the number of its way, `None` for those that are not computed.
///
/// # Errors
/// Why it is no choice.
pub fn cost(gates: &[Gate], ways: &[Option<usize>]) -> Result<u32, Flaw> {
    if ways.len() != gates.len() {
        return Err(Flaw::Gates);
    }
    let mut total = 0u32;
    for (number, (gate, taken)) in gates.iter().zip(ways).enumerate() {
        match taken {
            Some(place) => {
                let way = gate.ways.get(*place).ok_or(Flaw::NoSuchWay(number))?;
                let is_missing = |&&needed: &&usize| ways.get(needed).is_none_or(Option::is_none);
                if let Some(&needed) = way.needs.iter().find(is_missing) {
                    return Err(Flaw::NotComputed(needed));
                }
                total = total.saturating_add(way.cost);
            }
            None if gate.is_root => return Err(Flaw::NotComputed(number)),
            None => {}
        }
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two gates, of which the second can do without the first.
    fn problem() -> Problem {
        let way = |needs: &[usize]| Way { needs: needs.to_vec(), cost: 1 };
        Problem {
            gates: vec![
                Gate { ways: vec![way(&[])], is_root: false },
                Gate { ways: vec![way(&[0]), way(&[])], is_root: true },
            ],
        }
    }

    #[test]
    fn a_digest_is_that_of_the_text() {
        assert_eq!(problem().to_string(), "g 1:\nr 1:0 1:\n");
        assert_eq!(Problem { gates: vec![] }.digest(), 0x6c62272e07bb014262b821756295c58d);
        assert_eq!(problem().digest(), 0x4c618547f4957c38412c49b112eda177);
    }
}
