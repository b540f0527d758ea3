//! Constants of a text that are others for longer messages, or in later turns: numbers that grow.

use super::number::{Growth, Number};
use crate::graph::{Edge, Graph};
use crate::symbolic::cut::Constants;
use std::collections::BTreeSet;
use usuba_lang::typed::Constant;

/// Turns that are left and done.
pub(super) type Point = (i64, i64);

/// Where a text is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Before the first turn.
    First,
    /// Before any turn.
    Next,
    /// Before the last one.
    Last,
}

/// The constants that grow, by their places, each with its width.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers(Constants<Vec<(usize, Number)>>);

impl Numbers {
    /// Those of a text of which the constants are given where so many turns are left and done.
    ///
    /// # Errors
    /// Some do not grow evenly.
    pub fn of(points: &[(Point, Constants<Vec<Constant>>)]) -> Result<Numbers, &'static str> {
        let mut found = Constants::new();
        let places: BTreeSet<&Vec<i64>> = points.iter().flat_map(|(_, constants)| constants.keys()).collect();
        for place in places {
            let here: Vec<(Point, &Vec<Constant>)> =
                points.iter().filter_map(|(point, all)| Some((*point, all.get(place)?))).collect();
            let first = here[0].1;
            if here.iter().all(|(_, constants)| *constants == first) {
                continue;
            }
            let of = |number: usize| {
                let width = first[number].width;
                let values: Option<Vec<(Point, u128)>> = here
                    .iter()
                    .map(|(point, all)| {
                        Some((*point, all.get(number).filter(|one| one.width == width)?.value))
                    })
                    .collect();
                Some((width as usize, evenly(&values?, width)?))
            };
            let numbers: Option<Vec<(usize, Number)>> = (0..first.len()).map(of).collect();
            found.insert(
                place.clone(),
                numbers.ok_or("constants of the text do not grow by as much in each turn")?,
            );
        }
        Ok(Numbers(found))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What stands for them, where `delay` of the turns that count as done are run.
    pub fn bits(&self, graph: &mut Graph, phase: Phase, delay: i64) -> Constants<Vec<Vec<Edge>>> {
        let mut of = |&(width, number): &(usize, Number)| {
            let number = match phase {
                Phase::First => {
                    let Growth { left, done } = number.growth;
                    let more = number.more.wrapping_add(done.wrapping_sub(left).wrapping_mul(delay));
                    Number { growth: Growth { left, done: 0 }, more }
                }
                Phase::Next => number,
                Phase::Last => number.with_left(1),
            };
            let mut bits = number.bits(graph);
            bits.truncate(width);
            bits
        };
        self.0.iter().map(|(place, all)| (place.clone(), all.iter().map(&mut of).collect())).collect()
    }
}

/// The number that values of so many bits are, if they grow evenly.
fn evenly(values: &[(Point, u128)], width: u32) -> Option<Number> {
    let signed = |number: u128| -> Option<i64> {
        if width > 64 {
            return i64::try_from(number).ok();
        }
        let shift = 64 - width;
        Some((number as u64 as i64) << shift >> shift)
    };
    let at = |point: Point| values.iter().find(|(known, _)| *known == point).map(|(_, value)| *value);
    // What is added where one turn more is left, or done.
    let step = |more: Point| -> Option<i64> {
        let pair = values
            .iter()
            .find_map(|&((left, done), value)| Some((value, at((left + more.0, done + more.1))?)));
        pair.map_or(Some(0), |(less, greater)| signed(greater.wrapping_sub(less)))
    };
    let growth = Growth { left: step((1, 0))?, done: step((0, 1))? };
    let &((left, done), value) = values.first()?;
    let rest = signed(value)?
        .wrapping_sub(growth.left.wrapping_mul(left))
        .wrapping_sub(growth.done.wrapping_mul(done));
    let mask = if width < 64 { (1u64 << width) - 1 } else { u64::MAX };
    let is_so = |&((left, done), value): &(Point, u128)| {
        let sum =
            rest.wrapping_add(growth.left.wrapping_mul(left)).wrapping_add(growth.done.wrapping_mul(done));
        u128::from(sum as u64 & mask) == value
    };
    values.iter().all(is_so).then_some(Number { growth, more: rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_grow_evenly_are_found_and_no_others() {
        let points: Vec<Point> = vec![(2, 0), (3, 0), (2, 1), (3, 1), (2, 2)];
        let with = |value: fn(i64, i64) -> i64| -> Vec<(Point, u128)> {
            let of = |&(left, done): &Point| ((left, done), u128::from(value(left, done) as u64 & 0xff));
            points.iter().map(of).collect()
        };
        let number = |left, done, more| Some(Number { growth: Growth { left, done }, more });
        assert_eq!(evenly(&with(|left, done| 16 * left + 16 * done + 5), 8), number(16, 16, 5));
        assert_eq!(evenly(&with(|_, done| 250 + 3 * done), 8), number(0, 3, -6));
        assert_eq!(evenly(&with(|left, _| -4 * left), 8), number(-4, 0, 0));
        assert_eq!(evenly(&with(|left, done| left * done), 8), None);
    }
}
