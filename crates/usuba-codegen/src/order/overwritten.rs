//! Which operand of a ternary operation the result overwrites.
//!
//! `vpternlog` writes its result over its first operand. On Zen 5 the result follows that operand after two cycles and the
//! other two after three, on Zen 4 after one and two (`bench/core.sh`, 2026-11; on Golden Cove all three are alike), so the
//! operand that is there last stands first. Where it lives on it has to be copied: renaming does that, and it takes no time. GCC
//! keeps the operands of the intrinsic where they stand; Clang moves them to save copies.

use crate::block::{Block, Function, RegisterId, Step};
use usuba_target::Meaning;
use usuba_target::semantics::permuted;

/// Instructions that start a cycle on that core.
const STARTED: u64 = 4;
/// Cycles from an operation to one that reads its result.
const LATENCY: u64 = 2;

/// Lets every ternary operation of a function overwrite the operand that is there last.
pub(crate) fn last_first(function: &mut Function) {
    let mut arranging = Arranging { there: vec![0; function.registers.len()], position: 0 };
    arranging.block(&mut function.body);
}

struct Arranging {
    /// The cycle in which a register has its value, about: if nothing but operands and [`STARTED`] delays it.
    there: Vec<u64>,
    position: u64,
}

impl Arranging {
    fn block(&mut self, block: &mut Block) {
        for step in &mut block.steps {
            self.position += 1;
            match step {
                Step::Compute { row, result, operands, immediate } => {
                    let mut late = 0;
                    if let (Meaning::Ternary, &[a, b, c], Some(table)) =
                        (row.meaning, operands.as_slice(), *immediate)
                    {
                        late = 1;
                        let when = |operand: RegisterId| self.there[operand.index()];
                        let order = if when(b) > when(a) && when(b) >= when(c) {
                            [1, 0, 2]
                        } else if when(c) > when(a) {
                            [2, 1, 0]
                        } else {
                            [0, 1, 2]
                        };
                        *operands = order.iter().map(|&from| [a, b, c][from]).collect();
                        *immediate = Some(permuted(table, order));
                    }
                    let ready = operands.iter().enumerate();
                    let ready = ready
                        .map(|(at, operand)| self.there[operand.index()] + if at > 0 { late } else { 0 });
                    let ready = ready.max().unwrap_or(0).max(self.position / STARTED);
                    self.there[result.index()] = ready + LATENCY;
                }
                Step::Load { result, .. } => self.there[result.index()] = self.position / STARTED,
                Step::Loop(looped) => self.block(&mut looped.body),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use usuba_ir::program::Inline;
    use usuba_target::by_name;

    /// `b` is made of `a`, so it is there last; the majority with `a` negated reads them as `(a, b, c)`, then as `(b, a, c)`.
    #[test]
    fn the_operand_that_is_there_last_comes_first() {
        let target = by_name("avx512").expect("a target");
        let ternary = target.instruction(Meaning::Ternary, 0).expect("a row");
        let [a, b, c, d] = [0, 1, 2, 3].map(RegisterId);
        let compute = |operands: [RegisterId; 3], result, table| Step::Compute {
            row: ternary,
            result,
            operands: operands.to_vec(),
            immediate: Some(table),
        };
        let steps = vec![compute([a, a, c], b, 0x96), compute([a, b, c], d, 0b1000_1110)];
        let mut function = Function {
            name: "majority".into(),
            parameters: Vec::new(),
            registers: vec![None; 4],
            buffers: Vec::new(),
            constants: Vec::new(),
            body: Block { steps, locals: Vec::new() },
            inline: Inline::Auto,
        };
        last_first(&mut function);
        let expected = vec![compute([a, a, c], b, 0x96), compute([b, a, c], d, 0b1011_0010)];
        assert_eq!(function.body.steps, expected);
    }
}
