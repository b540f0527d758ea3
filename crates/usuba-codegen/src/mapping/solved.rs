//! The table of choice problems that were solved exactly: data that nothing trusts. A choice is taken from it where it is
//! cheaper than what the search found, after it was seen to be a choice at all.

use super::choice::{self, problem};
use std::fmt;
use std::sync::OnceLock;
use usuba_logic::choice::Problem;

/// The table of this repository; `covers/README.md` describes the format.
pub const TABLE: &str = include_str!("../../covers/covers.txt");

/// Blocks of more gates are not in the table.
pub const LARGEST: usize = 4_000;

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
pub(super) fn cheaper(gates: &[choice::Gate], cost: u32) -> Option<&'static [Option<usize>]> {
    static WITH_WAYS: OnceLock<Vec<Solved>> = OnceLock::new();
    let known = WITH_WAYS.get_or_init(|| lines(TABLE).filter(|line| line.ways.is_some()).collect());
    let mut possible =
        known.iter().filter(|line| line.gates == gates.len() && line.at_most < cost).peekable();
    possible.peek()?;
    let problem = problem(gates);
    possible.find_map(|line| line.cheaper(&problem, cost))
}

#[cfg(test)]
mod tests {
    use super::*;
    use usuba_logic::choice::{Flaw, Gate, Way};

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
