//! What rows of a target are called.

use usuba_target::Instruction;

/// What a row is called: its mnemonic, and after a dot the bits of its lanes if it has any.
pub(crate) fn row_name(row: &Instruction) -> String {
    match row.lane {
        0 => row.mnemonic.into(),
        lane => format!("{}.{lane}", row.mnemonic),
    }
}
