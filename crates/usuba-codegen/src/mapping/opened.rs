//! Gates of three inputs as their formulas of two, so that covering may cut them elsewhere.
//!
//! Circuits of three-input gates are the best by themselves. What is added before and after them, a key or a linear layer, may
//! share an instruction with a part of a gate; then the formulas are the better network. Both are covered, and the cheaper
//! one is taken.

use std::collections::BTreeMap;
use usuba_logic::formula::{Formula, formula, merged};
use usuba_machine::program::{Block, Function, Register, RegisterId, Step};
use usuba_target::{Instruction, Meaning, Target};

/// The function with its gates of three inputs taken apart; `None` if it has none, or the target lacks a gate of two.
/// Gates that are alike in a block are one. Cost: linear.
pub(super) fn opened(function: &Function, target: &Target) -> Option<Function> {
    let gates = Gates {
        and: target.instruction(Meaning::And, 0)?,
        or: target.instruction(Meaning::Or, 0)?,
        xor: target.instruction(Meaning::Xor, 0)?,
        and_not: target.instruction(Meaning::AndNot, 0),
        not_and: target.instruction(Meaning::NotAnd, 0),
        not: target.instruction(Meaning::Not, 0),
        ternary: target.instruction(Meaning::Ternary, 0),
    };
    let mut function = function.clone();
    let Function { registers, body, .. } = &mut function;
    let mut opener = Opener { gates, registers, opened: false };
    opener.block(body)?;
    let opened = opener.opened;
    opened.then_some(function)
}

/// The instructions of two inputs.
struct Gates {
    and: &'static Instruction,
    or: &'static Instruction,
    xor: &'static Instruction,
    and_not: Option<&'static Instruction>,
    not_and: Option<&'static Instruction>,
    not: Option<&'static Instruction>,
    ternary: Option<&'static Instruction>,
}

struct Opener<'a> {
    gates: Gates,
    registers: &'a mut Vec<Register>,
    opened: bool,
}

/// What a gate is: meaning, operands, truth table.
type Key = (Meaning, Vec<RegisterId>, Option<u32>);

impl Opener<'_> {
    fn block(&mut self, block: &mut Block) -> Option<()> {
        let mut made: BTreeMap<Key, RegisterId> = BTreeMap::new();
        let mut steps = Vec::with_capacity(block.steps.len());
        for mut step in std::mem::take(&mut block.steps) {
            match &mut step {
                Step::Loop(looped) => self.block(&mut looped.body)?,
                Step::Compute { row, result, operands, immediate } => {
                    let table = match row.meaning {
                        Meaning::Ternary => immediate.unwrap_or(0) as u8,
                        Meaning::Select => 0xca,
                        _ => {
                            made.entry((row.meaning, operands.clone(), *immediate)).or_insert(*result);
                            steps.push(step);
                            continue;
                        }
                    };
                    let &[a, b, c] = operands.as_slice() else { return None };
                    let of = [a, b, c];
                    self.opened = true;
                    let mut writer = Writer { opener: self, made: &mut made, steps: &mut steps };
                    writer.root(merged(table, &of), of, *result)?;
                    continue;
                }
                _ => {}
            }
            steps.push(step);
        }
        block.steps = steps;
        Some(())
    }
}

struct Writer<'a, 'b> {
    opener: &'a mut Opener<'b>,
    made: &'a mut BTreeMap<Key, RegisterId>,
    steps: &'a mut Vec<Step>,
}

impl Writer<'_, '_> {
    /// Writes the last gate into the register of the gate that is taken apart.
    fn root(&mut self, table: u8, of: [RegisterId; 3], result: RegisterId) -> Option<()> {
        let (row, operands, immediate) = self.gate(table, of, result)?;
        self.made.insert((row.meaning, operands.clone(), immediate), result);
        self.steps.push(Step::Compute { row, result, operands, immediate });
        Some(())
    }

    fn wire(&mut self, table: u8, of: [RegisterId; 3], like: RegisterId) -> Option<RegisterId> {
        if let Some(Formula::Input(place)) = formula(table) {
            return Some(of[place]);
        }
        let (row, operands, immediate) = self.gate(table, of, like)?;
        let key = (row.meaning, operands.clone(), immediate);
        if let Some(&known) = self.made.get(&key) {
            return Some(known);
        }
        let result = Function::another(self.opener.registers, like);
        self.made.insert(key, result);
        self.steps.push(Step::Compute { row, result, operands, immediate });
        Some(result)
    }

    /// The outermost gate of a formula, its operands written.
    fn gate(
        &mut self,
        table: u8,
        of: [RegisterId; 3],
        like: RegisterId,
    ) -> Option<(&'static Instruction, Vec<RegisterId>, Option<u32>)> {
        let two = |writer: &mut Self, a, b| Some([writer.wire(a, of, like)?, writer.wire(b, of, like)?]);
        Some(match formula(table)? {
            // A gate that is one of its inputs is none that anybody writes.
            Formula::Input(_) => return None,
            Formula::Not(a) => {
                let a = self.wire(a, of, like)?;
                match (self.opener.gates.not, self.opener.gates.ternary) {
                    (Some(not), _) => (not, vec![a], None),
                    (None, Some(ternary)) => (ternary, vec![a; 3], Some(0x0f)),
                    (None, None) => return None,
                }
            }
            Formula::And(a, b) => (self.opener.gates.and, two(self, a, b)?.to_vec(), None),
            Formula::Or(a, b) => (self.opener.gates.or, two(self, a, b)?.to_vec(), None),
            Formula::Xor(a, b) => (self.opener.gates.xor, two(self, a, b)?.to_vec(), None),
            Formula::AndNot(a, b) => {
                let [a, b] = two(self, a, b)?;
                match (self.opener.gates.and_not, self.opener.gates.not_and) {
                    (Some(row), _) => (row, vec![a, b], None),
                    (None, Some(row)) => (row, vec![b, a], None),
                    (None, None) => return None,
                }
            }
        })
    }
}
