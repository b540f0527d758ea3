//! Rows as C: their templates, filled.

use crate::instruction::Instruction;
use crate::semantics::Constant;

impl Instruction {
    /// The C expression of the row, of operands in their order. An operand is a variable of the register type; of a load or a
    /// store the first is what is read or written, of a broadcast of more than 64 bits a pointer to that.
    pub fn expression(&self, operands: &[&str], immediate: Option<u32>) -> String {
        let mut text = self.c.to_string();
        if let Some(immediate) = immediate {
            text = text.replace("{imm}", &immediate.to_string());
            text = text.replace("{inv}", &self.lane.saturating_sub(immediate).to_string());
        }
        for (number, operand) in operands.iter().enumerate() {
            text = text.replace(&format!("{{{number}}}"), operand);
        }
        text
    }

    /// The C expression of a row that makes a constant.
    pub fn constant_expression(&self, constant: &Constant) -> String {
        match constant {
            Constant::Lane(value) => self.c.replace("{value}", &lane_text(*value)),
            Constant::Lanes(values) => {
                let lanes: Vec<String> = values.iter().map(|&value| lane_text(value)).collect();
                self.c.replace("{lanes}", &lanes.join(", "))
            }
            Constant::Bytes(bytes) => {
                let list = |words: Vec<String>| words.join(", ");
                let signed: Vec<String> = bytes.iter().map(|&byte| (byte as i8).to_string()).collect();
                let reversed = signed.iter().rev().cloned().collect();
                let unsigned = bytes.iter().map(|byte| byte.to_string()).collect();
                self.c
                    .replace("{bytes}", &list(signed))
                    .replace("{reversed}", &list(reversed))
                    .replace("{unsigned}", &list(unsigned))
            }
        }
    }
}

/// A constant of a lane.
fn lane_text(value: u64) -> String {
    let suffix = if value > u64::from(u32::MAX) { "ull" } else { "u" };
    format!("{value:#x}{suffix}")
}
