//! The vector instructions of x86, as one table, and the rows that it gives for each encoding and width.

mod entry;
mod table;

use crate::encoding::Encoding;
use crate::instruction::Instruction;
use std::sync::LazyLock;
use table::TABLE;

/// The encodings with the widths that they have.
const WAYS: [(Encoding, u32); 6] = [
    (Encoding::Legacy, 128),
    (Encoding::Vex, 128),
    (Encoding::Vex, 256),
    (Encoding::Evex, 128),
    (Encoding::Evex, 256),
    (Encoding::Evex, 512),
];

/// The rows for each of [`WAYS`], made once.
static ROWS: LazyLock<[Vec<Instruction>; WAYS.len()]> = LazyLock::new(|| {
    WAYS.map(|(encoding, bits)| TABLE.iter().filter_map(|entry| entry.row(encoding, bits)).collect())
});

/// All rows of an encoding for registers of `bits` bits, whatever a CPU needs for them; none if it has no such registers.
pub(crate) fn rows(encoding: Encoding, bits: u32) -> &'static [Instruction] {
    let way = WAYS.iter().position(|way| *way == (encoding, bits));
    way.map_or(&[], |way| ROWS[way].as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::Meaning;
    use crate::machines::all;
    use std::collections::BTreeSet;

    /// No line is dead, and each gives a row only once: what the table saves is the difference of the two numbers.
    #[test]
    fn every_entry_serves_a_target() {
        let mut rows = 0;
        let mut serving = BTreeSet::new();
        for target in all().iter().filter(|target| target.encoding().is_some()) {
            let encoding = target.encoding().expect("a vector of x86");
            for (place, entry) in TABLE.iter().enumerate() {
                let row = entry.row(encoding, target.register_bits);
                let Some(row) = row.filter(|row| target.instructions().any(|other| other == row)) else {
                    continue;
                };
                let preferred = target.instruction(row.meaning, row.lane) == Some(&row);
                rows += usize::from(preferred);
                if preferred {
                    serving.insert(place);
                }
            }
        }
        println!("{} entries give {rows} rows to the targets", TABLE.len());
        assert!((0..TABLE.len()).all(|place| serving.contains(&place)), "{serving:?}");
    }

    /// A row computes on registers or moves; what moves reads or writes memory by its name or its lines.
    #[test]
    fn what_computes_has_a_form() {
        use Meaning::*;
        for row in ROWS.iter().flatten() {
            assert_eq!(row.constraints.is_some(), row.meaning.is_computation(), "{}", row.mnemonic);
            let memory = row.constraints.and_then(|constraints| constraints.memory);
            assert!(memory.is_none_or(|place| place + 1 == row.meaning.operands()), "{}", row.mnemonic);
            assert!(row.lines.is_empty() || row.meaning == Broadcast, "{}", row.mnemonic);
            assert!(
                !row.c.contains("{mm}") && !row.c.contains("{bits}") && !row.c.contains("{x}"),
                "{}",
                row.c
            );
        }
    }
}
