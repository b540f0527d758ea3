//! What was recognised, in a line.

use crate::aes::{AesInstruction, AesRounds, AesSBox, aes, s_box_form};
use crate::layers::Layers;
use std::fmt;

/// Consecutive numbers with one thing said of them: "1–9 are `aesenc`, 10 is `aesenclast`".
fn runs<T: PartialEq + Copy>(things: &[T], word: &dyn Fn(T) -> String) -> String {
    let mut parts = Vec::new();
    let mut start = 0;
    while let Some(&thing) = things.get(start) {
        let length = things[start..].iter().take_while(|other| **other == thing).count();
        let word = word(thing);
        parts.push(match length {
            1 => format!("{} is {word}", start + 1),
            _ => format!("{}–{} are {word}", start + 1, start + length),
        });
        start += length;
    }
    parts.join(", ")
}

impl fmt::Display for AesRounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instructions: Vec<AesInstruction> = self.rounds.iter().map(|round| round.instruction).collect();
        let is_forward = instructions.iter().all(|one| one.s_box() == AesSBox::Forward);
        let s_box = if is_forward { "AES's S-box" } else { "AES's inverse S-box" };
        let runs = runs(&instructions, &|instruction| format!("`{instruction}`"));
        write!(f, "{} layers of {s_box}; rounds {runs}", self.rounds.len())
    }
}

impl fmt::Display for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<usize> = self.layers.iter().map(|layer| layer.tables.len()).collect();
        let (least, most) = (sizes.iter().min().unwrap_or(&0), sizes.iter().max().unwrap_or(&0));
        let bytes = if least == most { format!("{most}") } else { format!("{least} to {most}") };
        write!(f, "{} layers of tables on {bytes} bytes; ", self.layers.len())?;
        let of_aes = |table: &[u8; 256]| {
            let boxes = [AesSBox::Forward, AesSBox::Inverse];
            boxes.iter().any(|s_box| s_box.table() == *table)
        };
        let [count, affine, ours] = [
            self.tables.len(),
            self.tables.iter().filter(|table| s_box_form(table, AesSBox::Forward).is_some()).count(),
            self.tables.iter().filter(|table| of_aes(table)).count(),
        ];
        let tables = if count == 1 { "its table is" } else { "its tables are" };
        if ours == count {
            f.write_str("its tables are AES's S-boxes")?;
        } else if affine == count {
            write!(f, "{tables} AES's S-box between affine maps")?;
        } else {
            write!(f, "{affine} of {count} different tables are AES's S-box between affine maps")?;
        }
        match aes(self) {
            Ok(rounds) => write!(f, "; {rounds}"),
            Err(why) => write!(f, "; no rounds of AES: {why}"),
        }
    }
}
