//! What rows of a target are called and used for.

use usuba_target::{Instruction, Meaning};

/// What a row is called: its mnemonic, and after a dot the bits of its lanes if it has any.
pub(crate) fn row_name(row: &Instruction) -> String {
    match row.lane {
        0 => row.mnemonic.into(),
        lane => format!("{}.{lane}", row.mnemonic),
    }
}

/// Whether an instruction computes from registers.
pub(crate) fn is_computation(meaning: Meaning) -> bool {
    use Meaning::*;
    !matches!(meaning, Load | Store | Broadcast | StoreUnaligned | LoadPart | StorePart)
        && !is_constant(meaning)
}

/// Whether an instruction makes constants.
pub(crate) fn is_constant(meaning: Meaning) -> bool {
    use Meaning::*;
    matches!(meaning, Constant | ConstantGroup | ConstantLanes | ConstantBytes)
}
