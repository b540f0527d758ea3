//! What a step computes, as an expression for the reader of a listing or of generated code.

use usuba_logic::expression::expression;
use usuba_target::{Instruction, Meaning};

/// What a row computes of operands with these names: `a ^ b ^ c`, `x <<< 7`, `shuffle(x, p)`.
pub fn computed(row: &Instruction, operands: &[&str], immediate: Option<u32>) -> String {
    let number = immediate.unwrap_or(0);
    match (row.meaning, operands) {
        (Meaning::And, [a, b]) => format!("{a} & {b}"),
        (Meaning::Or, [a, b]) => format!("{a} | {b}"),
        (Meaning::Xor, [a, b]) => format!("{a} ^ {b}"),
        (Meaning::AndNot, [a, b]) => format!("{a} & ~{b}"),
        (Meaning::NotAnd, [a, b]) => format!("~{a} & {b}"),
        (Meaning::OrNot, [a, b]) => format!("{a} | ~{b}"),
        (Meaning::Not, [a]) => format!("~{a}"),
        (Meaning::Ternary, &[a, b, c]) => expression(number as u8, [a, b, c]),
        (Meaning::Select, [a, b, c]) => format!("{a} ? {b} : {c}"),
        (Meaning::Xor3, [a, b, c]) => format!("{a} ^ {b} ^ {c}"),
        (Meaning::Add, [a, b]) => format!("{a} + {b}"),
        (Meaning::Subtract, [a, b]) => format!("{a} - {b}"),
        (Meaning::Multiply, [a, b]) => format!("{a} * {b}"),
        (Meaning::ShiftLeft, [a]) => format!("{a} << {number}"),
        (Meaning::ShiftRight, [a]) => format!("{a} >> {number}"),
        (Meaning::ShiftRightArithmetic, [a]) => format!("{a} >>! {number}"),
        (Meaning::RotateLeft, [a]) => format!("{a} <<< {number}"),
        (
            Meaning::ShuffleBytes | Meaning::ShuffleWords | Meaning::PermuteGroups | Meaning::PermuteQuads,
            operands,
        ) => {
            let immediate = immediate.map(|immediate| format!(", {immediate:#x}")).unwrap_or_default();
            format!("shuffle({}{immediate})", operands.join(", "))
        }
        (Meaning::AlignBytes, [a, b]) => format!("({a} ++ {b}) >> {number} bytes"),
        (Meaning::MapBytes, [a, matrix]) => format!("affine({a}, {matrix}, {number:#04x})"),
        (Meaning::MapInverseBytes, [a, matrix]) => format!("affine(1 / {a}, {matrix}, {number:#04x})"),
        (Meaning::CarrylessProduct, operands) => format!("product({}, {number:#04x})", operands.join(", ")),
        (meaning, operands) => format!("{meaning:?}({})", operands.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use usuba_target::machines::AVX512;

    #[test]
    fn steps_read_as_formulas() {
        let shown = |meaning, lane, operands: &[&str], immediate| {
            let row = AVX512.instruction(meaning, lane).expect("a row");
            computed(row, operands, immediate)
        };
        assert_eq!(shown(Meaning::Ternary, 0, &["t61", "t55", "key[89]"], Some(0x96)), "t61 ^ t55 ^ key[89]");
        assert_eq!(shown(Meaning::Ternary, 0, &["a", "b", "c"], Some(0xca)), "a ? b : c");
        assert_eq!(shown(Meaning::NotAnd, 0, &["a", "b"], None), "~a & b");
        assert_eq!(shown(Meaning::RotateLeft, 32, &["x"], Some(7)), "x <<< 7");
        assert_eq!(shown(Meaning::ShuffleWords, 32, &["x"], Some(0x1b)), "shuffle(x, 0x1b)");
    }
}
