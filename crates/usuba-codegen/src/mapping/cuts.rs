//! Cuts: up to three values from which a gate can be computed, with the truth table that does it.

use super::functions::apply;
use usuba_logic::truth::{depends_on, renamed};
use usuba_target::Instruction;

/// So many cuts of a gate are kept: half of them those with the fewest leaves, and of these the shallowest; the others
/// those that reach deepest.
const KEPT: usize = 48;

/// A value in a network: a gate or an input, by number.
pub(super) type Value = u32;

/// A truth table over at most three values, its leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cut {
    leaves: [Value; 3],
    count: usize,
    pub(super) table: u8,
}

impl Cut {
    /// The value itself.
    pub(super) fn value(value: Value) -> Cut {
        Cut { leaves: [value, 0, 0], count: 1, table: 0xf0 }
    }

    /// The same bit everywhere.
    pub(super) fn constant(bit: bool) -> Cut {
        Cut { leaves: [0; 3], count: 0, table: if bit { 0xff } else { 0 } }
    }

    /// The values, in increasing order; the first is the first variable of the table.
    pub(super) fn leaves(&self) -> &[Value] {
        &self.leaves[..self.count]
    }

    /// Keeps only the leaves that the table depends on.
    fn reduced(mut self) -> Cut {
        let mut count = 0;
        let mut places = [0, 1, 2];
        for (place, to) in places.iter_mut().enumerate().take(self.count) {
            if depends_on(self.table, place) {
                self.leaves[count] = self.leaves[place];
                *to = count;
                count += 1;
            }
        }
        if count < self.count {
            self.table = renamed(self.table, places);
            self.leaves[count..].fill(0);
            self.count = count;
        }
        self
    }
}

/// All leaves of some cuts, in increasing order, if there are at most three.
fn union(cuts: &[Cut]) -> Option<Vec<Value>> {
    let mut leaves: Vec<Value> = cuts.iter().flat_map(|cut| cut.leaves()).copied().collect();
    leaves.sort_unstable();
    leaves.dedup();
    (leaves.len() <= 3).then_some(leaves)
}

/// The cut of a gate on these cuts of its operands.
fn combine(row: &Instruction, immediate: u8, cuts: &[Cut]) -> Option<Cut> {
    let leaves = union(cuts)?;
    let tables: Vec<u8> = cuts
        .iter()
        .map(|cut| {
            let mut places = [0; 3];
            for (place, leaf) in places.iter_mut().zip(cut.leaves()) {
                *place = leaves.iter().position(|other| other == leaf).unwrap_or(0);
            }
            renamed(cut.table, places)
        })
        .collect();
    let table = apply(row.meaning, immediate, &tables)?;
    let mut padded = [0; 3];
    padded[..leaves.len()].copy_from_slice(&leaves);
    Some(Cut { leaves: padded, count: leaves.len(), table }.reduced())
}

/// The cuts of a gate, from those of its operands.
pub(super) fn cuts(row: &Instruction, immediate: u8, operands: &[&[Cut]]) -> Vec<Cut> {
    let mut found: Vec<Cut> = Vec::new();
    let mut offer = |cuts: &[Cut]| {
        if let Some(cut) = combine(row, immediate, cuts)
            && !found.contains(&cut)
        {
            found.push(cut);
        }
    };
    match *operands {
        [a] => a.iter().for_each(|&a| offer(&[a])),
        [a, b] => a.iter().for_each(|&a| b.iter().for_each(|&b| offer(&[a, b]))),
        [a, b, c] => {
            a.iter().for_each(|&a| b.iter().for_each(|&b| c.iter().for_each(|&c| offer(&[a, b, c]))));
        }
        _ => {}
    }
    found.sort_by_key(|cut| cut.count);
    if found.len() > KEPT {
        let shallow = KEPT / 2;
        found[shallow..].sort_by_key(|cut| cut.leaves().iter().map(|&leaf| u64::from(leaf)).sum::<u64>());
        found.truncate(KEPT);
    }
    found
}
