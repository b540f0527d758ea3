//! From a wanted meaning to instructions: a row of the target's table, else a [`Rule`].

use crate::messages::Reason;
use std::collections::{BTreeMap, BTreeSet};
use usuba_ir::bytes::ByteAffine;
use usuba_ir::program::{FileId, Op};
use usuba_machine::Shape;
use usuba_machine::program::{Block, Register, RegisterId, Step};
use usuba_target::{Constant, Instruction, Meaning, Target};

/// Rules may call for rules; none of them needs more than this many levels.
const DEPTH: u32 = 6;

type Expand = fn(&mut Selector<'_>, u32, &[RegisterId], u32) -> Result<RegisterId, Reason>;

/// A way to compute a meaning by others.
pub(crate) struct Rule {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it computes.
    pub(crate) meaning: Meaning,
    /// In lanes of which widths.
    pub(crate) lanes: &'static [u32],
    /// Why it is right.
    pub(crate) law: &'static str,
    /// Writes it: width of the lanes, operands, immediate.
    pub(crate) expand: Expand,
}

impl crate::Expansion {
    /// What users are told of a rule.
    pub(crate) fn of(rule: &Rule) -> crate::Expansion {
        crate::Expansion { rule: rule.name, law: rule.law }
    }
}

/// Places in the list of rules.
pub(crate) type Used = BTreeSet<usize>;

/// Writes the steps of one function.
pub(crate) struct Selector<'a> {
    pub(crate) target: &'a Target,
    pub(crate) shape: Shape,
    rules: &'static [Rule],
    /// The rules that were taken, in the order in which they were.
    pub(crate) used: Vec<usize>,
    pub(crate) registers: Vec<Register>,
    /// Where in the source the operation stands that is being written.
    pub(crate) place: Option<(FileId, u32, u32)>,
    pub(crate) constants: Vec<Step>,
    known: BTreeMap<(Meaning, u32, Constant), RegisterId>,
    /// Registers that are maps of bytes of others.
    maps: BTreeMap<RegisterId, (RegisterId, ByteAffine)>,
    /// The open blocks, innermost last; never empty.
    open: Vec<Block>,
    /// What was asked for once in each open block.
    once: Vec<BTreeMap<Computation, RegisterId>>,
    depth: u32,
}

/// A meaning in lanes of a width, its operands and its immediate.
type Computation = (Meaning, u32, Vec<RegisterId>, Option<u32>);

impl<'a> Selector<'a> {
    pub(crate) fn new(target: &'a Target, shape: Shape, rules: &'static [Rule]) -> Self {
        Selector {
            target,
            shape,
            rules,
            used: Vec::new(),
            registers: Vec::new(),
            place: None,
            constants: Vec::new(),
            known: BTreeMap::new(),
            maps: BTreeMap::new(),
            open: vec![Block::default()],
            once: vec![BTreeMap::new()],
            depth: 0,
        }
    }

    pub(crate) fn fresh(&mut self) -> RegisterId {
        self.registers.push(Register { place: self.place, ..Register::unnamed(self.shape.register()) });
        RegisterId(self.registers.len() as u32 - 1)
    }

    /// The addition that shifts vectors by one, where more ports run it than a shift.
    fn doubling(&self, lane: u32) -> Option<&'static Instruction> {
        let row = |meaning| self.target.instruction(meaning, lane);
        let (add, shift) = row(Meaning::Add).zip(row(Meaning::ShiftLeft))?;
        let is_faster = add.ports.count_ones() > shift.ports.count_ones() && add.latency <= shift.latency;
        (is_faster && !self.target.single_lane).then_some(add)
    }

    /// As many new registers as an operation has operands, to ask whether the target has it.
    pub(crate) fn operands_of(&mut self, op: &Op) -> Vec<RegisterId> {
        let mut registers = Vec::new();
        op.operands(|_| registers.push(self.fresh()));
        registers
    }

    pub(crate) fn begin(&mut self) {
        self.open.push(Block::default());
        self.once.push(BTreeMap::new());
    }

    /// Closes the innermost block.
    pub(crate) fn end(&mut self) -> Block {
        self.once.pop();
        self.open.pop().unwrap_or_default()
    }

    pub(crate) fn block(&mut self) -> &mut Block {
        if self.open.is_empty() {
            self.open.push(Block::default());
        }
        let innermost = self.open.len() - 1;
        &mut self.open[innermost]
    }

    pub(crate) fn push(&mut self, step: Step) {
        self.block().steps.push(step);
    }

    /// A row that every target must have.
    pub(crate) fn row(&self, meaning: Meaning, lane: u32) -> Result<&'static Instruction, Reason> {
        self.target.instruction(meaning, lane).ok_or(Reason::Instruction(meaning, lane))
    }

    fn emit(
        &mut self,
        row: &'static Instruction,
        operands: &[RegisterId],
        immediate: Option<u32>,
    ) -> RegisterId {
        let result = self.fresh();
        self.push(Step::Compute { row, result, operands: operands.to_vec(), immediate });
        result
    }

    /// The meaning of `operands`: by the row for it, else by the first rule that leads to rows.
    pub(crate) fn compute(
        &mut self,
        meaning: Meaning,
        lane: u32,
        operands: &[RegisterId],
        immediate: Option<u32>,
    ) -> Result<RegisterId, Reason> {
        if let (Meaning::ShiftLeft, Some(1), &[a], Some(add)) =
            (meaning, immediate, operands, self.doubling(lane))
        {
            return Ok(self.emit(add, &[a, a], None));
        }
        if let Some(row) = self.target.instruction(meaning, lane) {
            return Ok(self.emit(row, operands, immediate));
        }
        let refused = Err(Reason::Instruction(meaning, lane));
        if self.depth == DEPTH {
            return refused;
        }
        self.depth += 1;
        let fits = |(_, rule): &(usize, &Rule)| rule.meaning == meaning && rule.lanes.contains(&lane);
        for (place, rule) in self.rules.iter().enumerate().filter(fits) {
            let (steps, used, registers) = (self.block().steps.len(), self.used.len(), self.registers.len());
            self.used.push(place);
            let made = (rule.expand)(self, lane, operands, immediate.unwrap_or(0));
            if made.is_ok() {
                self.depth -= 1;
                return made;
            }
            self.block().steps.truncate(steps);
            self.used.truncate(used);
            if let Some(once) = self.once.last_mut() {
                once.retain(|_, result| (result.0 as usize) < registers);
            }
        }
        self.depth -= 1;
        refused
    }

    /// As [`Selector::compute`], but what was asked for so before, in this block or around it, is not computed again.
    pub(crate) fn compute_once(
        &mut self,
        meaning: Meaning,
        lane: u32,
        operands: &[RegisterId],
        immediate: Option<u32>,
    ) -> Result<RegisterId, Reason> {
        if let Some(known) = self.computed(meaning, lane, operands, immediate) {
            return Ok(known);
        }
        let result = self.compute(meaning, lane, operands, immediate)?;
        if let Some(once) = self.once.last_mut() {
            once.insert((meaning, lane, operands.to_vec(), immediate), result);
        }
        Ok(result)
    }

    /// What [`Selector::compute_once`] has computed of these operands.
    pub(crate) fn computed(
        &self,
        meaning: Meaning,
        lane: u32,
        operands: &[RegisterId],
        immediate: Option<u32>,
    ) -> Option<RegisterId> {
        let key = (meaning, lane, operands.to_vec(), immediate);
        self.once.iter().rev().find_map(|once| once.get(&key)).copied()
    }

    /// The operands of the exclusive or that a register is, if it is one.
    pub(crate) fn sum(&self, of: RegisterId) -> Option<(RegisterId, RegisterId)> {
        let steps = self.open.iter().rev().flat_map(|block| block.steps.iter().rev());
        steps
            .into_iter()
            .find_map(|step| match step {
                Step::Compute { row, result, operands, .. } if *result == of => Some((row.meaning, operands)),
                _ => None,
            })
            .and_then(|(meaning, operands)| match *operands.as_slice() {
                [a, b] if meaning == Meaning::Xor => Some((a, b)),
                _ => None,
            })
    }

    /// Notes that the bytes of a register are a map of those of another.
    pub(crate) fn is_mapped(&mut self, result: RegisterId, from: RegisterId, map: ByteAffine) {
        self.maps.insert(result, (from, map));
    }

    /// Of which register its bytes are a map, and which, if that was noted.
    pub(crate) fn mapped_from(&self, result: RegisterId) -> Option<(RegisterId, ByteAffine)> {
        self.maps.get(&result).copied()
    }

    /// The 64-bit lane that a register repeats, if it is such a constant.
    pub(crate) fn constant_of(&self, register: RegisterId) -> Option<u64> {
        self.known.iter().find(|(_, known)| **known == register).and_then(|((_, lane, constant), _)| {
            match (constant, lane) {
                (Constant::Lane(value), 64) => Some(*value),
                (Constant::Lane(value), 32) => Some(*value << 32 | *value),
                _ => None,
            }
        })
    }

    /// A bitwise or lane-wise meaning of two operands.
    pub(crate) fn two(
        &mut self,
        meaning: Meaning,
        a: RegisterId,
        b: RegisterId,
    ) -> Result<RegisterId, Reason> {
        self.compute(meaning, self.shape.lane, &[a, b], None)
    }

    pub(crate) fn constant(
        &mut self,
        meaning: Meaning,
        lane: u32,
        constant: Constant,
    ) -> Result<RegisterId, Reason> {
        let key = (meaning, lane, constant.clone());
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let row = self.row(meaning, lane)?;
        let result = self.fresh();
        self.constants.push(Step::Constant { row, result, constant });
        self.known.insert(key, result);
        Ok(result)
    }

    /// `value` in every lane of `lane` bits.
    pub(crate) fn splat(&mut self, lane: u32, value: u64) -> Result<RegisterId, Reason> {
        let ones = if lane >= 64 { u64::MAX } else { (1 << lane) - 1 };
        let value = value & ones;
        if self.target.single_lane {
            return self.constant(Meaning::Constant, lane, Constant::Lane(value));
        }
        // Zeros and ones are the same register in every width of lanes.
        let (lane, value) = match value {
            0 => (32, 0),
            _ if value == ones => (32, 0xffff_ffff),
            _ => (lane, value),
        };
        self.constant(Meaning::Constant, lane, Constant::Lane(value))
    }

    /// All bits clear.
    pub(crate) fn zeros(&mut self) -> Result<RegisterId, Reason> {
        self.splat(self.shape.lane, 0)
    }

    /// All bits set.
    pub(crate) fn ones(&mut self) -> Result<RegisterId, Reason> {
        self.splat(self.shape.lane, u64::MAX)
    }

    /// These bytes, as many as a register has, in memory order.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<RegisterId, Reason> {
        let mut groups = bytes.chunks(16);
        let first = groups.next().unwrap_or(&[]).to_vec();
        if let Some(&byte) = first.first()
            && bytes.iter().all(|&other| other == byte)
        {
            return self.splat(8, u64::from(byte));
        }
        if groups.all(|group| group == first) {
            self.constant(Meaning::ConstantGroup, 0, Constant::Bytes(first))
        } else {
            self.constant(Meaning::ConstantBytes, 0, Constant::Bytes(bytes.to_vec()))
        }
    }
}
