//! The choices that covering has: for each gate of a block the ways to compute it, without what they mean; and the table of
//! those that were solved exactly.
//!
//! Who wants to know how good the covers are takes them from [`problems`] and solves them. What came out is in [`TABLE`]: data
//! that nothing trusts. Covering takes a choice from it where that is cheaper than what its own search found, after it
//! has seen that it is a choice at all.

use crate::{Missing, mapping};
use std::fmt;
use std::sync::OnceLock;
use usuba_ir::program::Program;
use usuba_target::Target;

/// The table of this repository; `covers/README.md` describes the format.
pub const TABLE: &str = include_str!("../covers/covers.txt");

/// Blocks of more gates are not in the table.
pub const LARGEST: usize = 4_000;

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
    pub(crate) fn of(gates: &[mapping::Gate]) -> Problem {
        let way = |way: &mapping::Way| Way { needs: way.gates.clone(), cost: way.cost };
        let gate =
            |gate: &mapping::Gate| Gate { ways: gate.ways.iter().map(way).collect(), is_root: gate.is_root };
        Problem { gates: gates.iter().map(gate).collect() }
    }

    /// What the table knows a problem by: FNV-1a with 128 bits (Fowler, Noll and Vo) of its
    /// [text](Problem::fmt).
    pub fn digest(&self) -> u128 {
        self.to_string().bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |digest, byte| {
            (digest ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        })
    }

    /// What a choice costs: for each gate the number of its way, `None` for those that are not computed.
    ///
    /// # Errors
    /// Why it is no choice.
    pub fn cost(&self, ways: &[Option<usize>]) -> Result<u32, Flaw> {
        if ways.len() != self.gates.len() {
            return Err(Flaw::Gates);
        }
        let mut total = 0u32;
        for (number, (gate, taken)) in self.gates.iter().zip(ways).enumerate() {
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

/// A choice problem of a program and what covering made of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Covered {
    /// The problem.
    pub problem: Problem,
    /// The cost of the cover that the search found, in micro-operations.
    pub searched: u32,
    /// The cost of the cover that was taken: the one that was found, or a cheaper one of the table.
    pub cost: u32,
}

/// The choice problems of all blocks of a program for a target, those without gates left out, in the order of the nodes and,
/// within a node, outer blocks first.
///
/// # Errors
/// Everything that the target has no code for, as [`select`](crate::select) does.
pub fn problems(program: &Program, target: &Target) -> Result<Vec<Covered>, Vec<Missing>> {
    let mut found = Vec::new();
    let (shape, mut selected) = crate::selected(program, target)?;
    for function in &mut selected.functions {
        mapping::map_logic(function, target, shape.lane, &mut |gates, chosen| {
            if !gates.is_empty() {
                let (searched, cost) = (chosen.searched, chosen.cost);
                found.push(Covered { problem: Problem::of(gates), searched, cost });
            }
        });
    }
    Ok(found)
}

/// What one instruction of a target costs for each function of three bits, in micro-operations; `None` where it takes more
/// than one. The index is the truth table, whose bit `4a + 2b + c` is the value at `a`, `b`, `c`.
pub fn functions(target: &Target) -> Vec<Option<u32>> {
    mapping::costs(target)
}

/// A line of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Solved {
    /// The [digest](Problem::digest) of the problem.
    pub digest: u128,
    /// The number of its gates.
    pub gates: usize,
    /// No cover costs less, in micro-operations.
    pub at_least: u32,
    /// The cheapest cover that is known; it is the least if it costs no more than `at_least`.
    pub at_most: u32,
    /// That cover, where it is cheaper than what the search finds: for each gate the number of its way.
    pub ways: Option<Vec<Option<usize>>>,
    /// Where the problem is met.
    pub place: String,
}

impl fmt::Display for Solved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Solved { digest, gates, at_least, at_most, ways, place } = self;
        let way = |way: &Option<usize>| way.map_or_else(|| ".".to_owned(), |way| way.to_string());
        let ways = match ways {
            Some(ways) => ways.iter().map(way).collect::<Vec<_>>().join(","),
            None => "-".to_owned(),
        };
        write!(f, "{digest:032x} {gates} {at_least} {at_most} {ways} {place}")
    }
}

impl Solved {
    /// A line; `None` if it is not one.
    pub fn parse(line: &str) -> Option<Solved> {
        let mut words = line.splitn(6, ' ');
        let digest = u128::from_str_radix(words.next()?, 16).ok()?;
        let gates = words.next()?.parse().ok()?;
        let at_least = words.next()?.parse().ok()?;
        let at_most = words.next()?.parse().ok()?;
        let way = |word: &str| if word == "." { Some(None) } else { word.parse().ok().map(Some) };
        let ways = match words.next()? {
            "-" => None,
            ways => Some(ways.split(',').map(way).collect::<Option<_>>()?),
        };
        Some(Solved { digest, gates, at_least, at_most, ways, place: words.next()?.to_owned() })
    }

    /// The cover of the line, if this is its problem and the cover is one, costs what the line says, and less than `cost`.
    pub fn cheaper(&self, problem: &Problem, cost: u32) -> Option<&[Option<usize>]> {
        let ways = self.ways.as_deref()?;
        let is_of_it = self.gates == problem.gates.len() && self.digest == problem.digest();
        let is_cheaper = is_of_it && self.at_most < cost && problem.cost(ways) == Ok(self.at_most);
        is_cheaper.then_some(ways)
    }
}

/// The lines of a table, those that are not one left out.
pub fn lines(table: &str) -> impl Iterator<Item = Solved> {
    table.lines().filter(|line| !line.starts_with('#')).filter_map(Solved::parse)
}

/// The cover of the table for these gates, if it is cheaper than `cost`.
pub(crate) fn cheaper(gates: &[mapping::Gate], cost: u32) -> Option<&'static [Option<usize>]> {
    static WITH_WAYS: OnceLock<Vec<Solved>> = OnceLock::new();
    let known = WITH_WAYS.get_or_init(|| lines(TABLE).filter(|line| line.ways.is_some()).collect());
    let mut possible =
        known.iter().filter(|line| line.gates == gates.len() && line.at_most < cost).peekable();
    possible.peek()?;
    let problem = Problem::of(gates);
    possible.find_map(|line| line.cheaper(&problem, cost))
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

    fn line(ways: &[Option<usize>]) -> Solved {
        let digest = problem().digest();
        Solved { digest, gates: 2, at_least: 1, at_most: 1, ways: Some(ways.to_vec()), place: "here".into() }
    }

    #[test]
    fn a_digest_is_that_of_the_text() {
        assert_eq!(problem().to_string(), "g 1:\nr 1:0 1:\n");
        assert_eq!(Problem { gates: vec![] }.digest(), 0x6c62272e07bb014262b821756295c58d);
        assert_eq!(problem().digest(), 0x4c618547f4957c38412c49b112eda177);
    }

    #[test]
    fn a_line_is_what_it_was_printed_from() {
        for ways in [None, Some(vec![None, Some(1)])] {
            let line = Solved { ways, ..line(&[]) };
            assert_eq!(Solved::parse(&line.to_string()), Some(line));
        }
        for wrong in ["", "x 2 1 1 - here", "0 2 1 1 .,x here", "0 2 1 1 -", "0 2 -1 1 - here"] {
            assert_eq!(Solved::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn only_a_cover_that_is_one_is_taken() {
        let right = line(&[None, Some(1)]);
        assert_eq!(right.cheaper(&problem(), 2), Some(&[None, Some(1)][..]));
        assert_eq!(right.cheaper(&problem(), 1), None, "it is not cheaper");
        let wrong = [
            ("another problem", Solved { digest: right.digest ^ 1, ..right.clone() }),
            ("another number of gates", Solved { gates: 3, ..right.clone() }),
            ("a cost too high", Solved { at_most: 2, ..right.clone() }),
            ("a cost too low", Solved { at_most: 0, ..right.clone() }),
            ("a way that does not exist", line(&[None, Some(2)])),
            ("a gate that is needed and not computed", line(&[None, Some(0)])),
            ("a root that is not computed", line(&[Some(0), None])),
            ("a gate too few", line(&[Some(0)])),
            ("a gate more", line(&[None, Some(1), None])),
        ];
        for (what, line) in wrong {
            assert_eq!(line.cheaper(&problem(), 3), None, "{what}");
        }
        let flaws = [vec![None, Some(2)], vec![None, Some(0)], vec![Some(0), None], vec![Some(0)]];
        assert_eq!(
            flaws.map(|ways| problem().cost(&ways)),
            [Err(Flaw::NoSuchWay(1)), Err(Flaw::NotComputed(0)), Err(Flaw::NotComputed(1)), Err(Flaw::Gates)]
        );
    }
}
