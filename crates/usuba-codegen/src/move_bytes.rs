//! Moves of bytes within registers, with fewer instructions than they were written with.
//!
//! Shuffles, masks of whole bytes, and sums of parts that do not meet only move bytes: each byte of such a value is a byte of one
//! register or another, or zero. What nothing else reads on the way from those registers is left out where one instruction, or a
//! shuffle and a blend, makes the same:
//!
//! - a shuffle that sets bytes to zero, for a shuffle and a mask, in either order;
//! - an interleaving or a blend of two registers, for two masks or shuffles and a sum.

use crate::prune::prune;
use std::collections::BTreeMap;
use usuba_machine::program::{Block, Function, Register, RegisterId, RegisterType, Step};
use usuba_target::instruction::ZERO_BYTE;
use usuba_target::{Constant, Instruction, Meaning, Target, semantics};

/// Bytes of a group: what shuffles do not leave.
const GROUP: usize = 16;

/// Meanings that only move the bytes of two registers. The first that fits is taken.
const JOINS: [Meaning; 4] =
    [Meaning::InterleaveLow, Meaning::InterleaveHigh, Meaning::Blend, Meaning::AlignBytes];

/// For each byte of a register, in memory order: the register and the byte of it that it is, or zero.
type Sources = Vec<Option<(RegisterId, usize)>>;

/// Rewrites the moves of a function. Cost: linear in the steps, but for the rows that are tried for each sum of two moves.
pub(crate) fn move_bytes(function: &mut Function, target: &Target) {
    if target.single_lane {
        return;
    }
    let mut uses = vec![0u32; function.registers.len()];
    function.body.steps.iter().for_each(|step| step.reads(&mut |register| uses[register.index()] += 1));
    let mut constants = BTreeMap::new();
    for step in &function.constants {
        if let Step::Constant { row, result, constant } = step
            && let bytes = function.register(*result).ty.bytes()
            && let Ok(bytes) = semantics::constant(row, bytes, constant)
        {
            constants.insert(*result, bytes);
        }
    }
    let mut moves = Moves {
        target,
        uses,
        constants,
        registers: &mut function.registers,
        made: Vec::new(),
        changed: false,
    };
    moves.block(&mut function.body);
    let Moves { made, changed, .. } = moves;
    function.constants.extend(made);
    if changed {
        prune(function);
    }
}

struct Moves<'a> {
    target: &'a Target,
    /// How many operands are each register.
    uses: Vec<u32>,
    /// The bytes of constants.
    constants: BTreeMap<RegisterId, Vec<u8>>,
    registers: &'a mut Vec<Register>,
    /// New constants.
    made: Vec<Step>,
    changed: bool,
}

/// A value of the block that only moves bytes.
struct Moved {
    sources: Sources,
    /// How many instructions make it of its sources.
    size: usize,
}

impl Moves<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut known: BTreeMap<RegisterId, Moved> = BTreeMap::new();
        let mut steps = Vec::with_capacity(block.steps.len());
        for mut step in std::mem::take(&mut block.steps) {
            if let Step::Loop(looped) = &mut step {
                self.block(&mut looped.body);
            }
            let Some((result, moved)) = self.moved(&step, &known) else {
                steps.push(step);
                continue;
            };
            match self.fewer(result, &moved) {
                Some(fewer) => {
                    self.changed = true;
                    known.insert(result, Moved { size: fewer.len(), ..moved });
                    steps.extend(fewer);
                }
                None => {
                    known.insert(result, moved);
                    steps.push(step);
                }
            }
        }
        block.steps = steps;
    }

    /// What a step moves, if it only does that.
    fn moved(&self, step: &Step, known: &BTreeMap<RegisterId, Moved>) -> Option<(RegisterId, Moved)> {
        let Step::Compute { row, result, operands, immediate } = step else { return None };
        if !matches!(self.registers[result.index()].ty, RegisterType::Vector { .. }) {
            return None;
        }
        let bytes = self.registers[result.index()].ty.bytes();
        let read = |register: RegisterId| match known.get(&register) {
            // What others read too is there anyway.
            Some(Moved { sources, size }) if self.uses[register.index()] == 1 => (sources.clone(), *size),
            _ => ((0..bytes).map(|byte| Some((register, byte))).collect::<Sources>(), 0),
        };
        let (sources, size) = match (row.meaning, operands.as_slice()) {
            (Meaning::ShuffleBytes, &[a, index]) => {
                let (a, size) = read(a);
                let from = |(place, &index): (usize, &u8)| match index {
                    0..=15 => a[place / GROUP * GROUP + usize::from(index)],
                    _ => None,
                };
                (self.constants.get(&index)?.iter().enumerate().map(from).collect(), size)
            }
            (Meaning::ShuffleWords, &[a]) => {
                let (a, size) = read(a);
                let from = |place: usize| {
                    let word = immediate.unwrap_or(0) >> (2 * (place % GROUP / 4)) & 3;
                    a[place / GROUP * GROUP + 4 * word as usize + place % 4]
                };
                ((0..bytes).map(from).collect(), size)
            }
            (Meaning::And, &[a, b]) => {
                let (a, mask) = match (self.constants.get(&a), self.constants.get(&b)) {
                    (None, Some(mask)) => (a, mask),
                    (Some(mask), None) => (b, mask),
                    _ => return None,
                };
                if mask.iter().any(|&byte| byte != 0 && byte != 0xff) {
                    return None;
                }
                let (a, size) = read(a);
                (a.iter().zip(mask).map(|(&from, &byte)| from.filter(|_| byte != 0)).collect(), size)
            }
            (Meaning::Xor | Meaning::Or, &[a, b])
                if !self.constants.contains_key(&a) && !self.constants.contains_key(&b) =>
            {
                let ((a, size), (b, other)) = (read(a), read(b));
                let joined = |(&a, &b): (&Option<_>, &Option<_>)| match (a, b) {
                    (Some(_), Some(_)) => None,
                    (a, b) => Some(a.or(b)),
                };
                (a.iter().zip(&b).map(joined).collect::<Option<_>>()?, size + other)
            }
            _ => return None,
        };
        let moved = Moved { sources, size: size + 1 };
        (self.roots(&moved.sources).len() <= 2).then_some((*result, moved))
    }

    /// The registers that bytes come from.
    fn roots(&self, sources: &Sources) -> Vec<RegisterId> {
        let mut roots: Vec<RegisterId> = sources.iter().flatten().map(|&(register, _)| register).collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// Fewer instructions for what is moved, if any are known.
    fn fewer(&mut self, result: RegisterId, moved: &Moved) -> Option<Vec<Step>> {
        if moved.size < 2 {
            return None;
        }
        match *self.roots(&moved.sources) {
            [root] => {
                let from =
                    moved.sources.iter().map(|source| source.map(|(_, byte)| byte)).collect::<Vec<_>>();
                Some(vec![self.shuffle(result, root, &from)?])
            }
            [a, b] => self.join(result, [a, b], &moved.sources).or_else(|| {
                let blended = self.blend(result, a, b, &moved.sources, moved.size);
                blended.or_else(|| self.blend(result, b, a, &moved.sources, moved.size))
            }),
            _ => None,
        }
    }

    /// One register: its bytes from these places, or zeros.
    fn shuffle(&mut self, result: RegisterId, of: RegisterId, from: &[Option<usize>]) -> Option<Step> {
        let in_place = from.iter().enumerate().all(|(place, from)| from.is_none_or(|from| from == place));
        if in_place {
            let mask = from.iter().map(|from| if from.is_some() { 0xff } else { 0 }).collect();
            let operands = vec![of, self.constant(mask, result)?];
            let row = self.target.instruction(Meaning::And, 0)?;
            return Some(Step::Compute { row, result, operands, immediate: None });
        }
        if from.iter().enumerate().any(|(place, from)| from.is_some_and(|from| from / GROUP != place / GROUP))
        {
            return None;
        }
        if let Some(row) = self.target.instruction(Meaning::ShuffleWords, 32)
            && let Some(immediate) = words(from)
        {
            return Some(Step::Compute { row, result, operands: vec![of], immediate: Some(immediate) });
        }
        let row = self.target.instruction(Meaning::ShuffleBytes, 0)?;
        let index = from.iter().map(|from| from.map_or(ZERO_BYTE, |from| (from % GROUP) as u8)).collect();
        let operands = vec![of, self.constant(index, result)?];
        Some(Step::Compute { row, result, operands, immediate: None })
    }

    /// Two registers by one instruction.
    fn join(&self, result: RegisterId, [a, b]: [RegisterId; 2], sources: &Sources) -> Option<Vec<Step>> {
        let bytes = sources.len();
        for operands in [[a, b], [b, a]] {
            // Bytes numbered through both registers.
            let number = |(register, byte)| byte + if register == operands[0] { 0 } else { bytes };
            let wanted: Vec<usize> =
                sources.iter().map(|source| source.map(number)).collect::<Option<Vec<_>>>()?;
            let numbers: Vec<u8> = (0..2 * bytes as u8).collect();
            let (first, second) = numbers.split_at(bytes);
            let fits = |row: &&'static Instruction, immediate| {
                semantics::evaluate(row, bytes, &[first, second], immediate)
                    .is_ok_and(|moved| moved.iter().map(|&byte| usize::from(byte)).eq(wanted.iter().copied()))
            };
            for row in JOINS.iter().flat_map(|&meaning| self.rows(meaning)) {
                let immediate = if row.meaning.has_immediate() {
                    semantics::immediates(row, bytes).map(Some).find(|&immediate| fits(&row, immediate))
                } else {
                    Some(None).filter(|&immediate| fits(&row, immediate))
                };
                if let Some(immediate) = immediate {
                    return Some(vec![Step::Compute { row, result, operands: operands.to_vec(), immediate }]);
                }
            }
        }
        None
    }

    fn rows(&self, meaning: Meaning) -> impl Iterator<Item = &'static Instruction> + use<> {
        self.target.instructions().filter(move |row| row.meaning == meaning)
    }

    /// The bytes of `kept` that stay where they are, and a shuffle of the other register between them.
    fn blend(
        &mut self,
        result: RegisterId,
        kept: RegisterId,
        other: RegisterId,
        sources: &Sources,
        size: usize,
    ) -> Option<Vec<Step>> {
        let row = self.rows(Meaning::Blend).next().filter(|_| size > 2)?;
        let mut immediate = 0;
        for (number, lane) in sources.chunks((row.lane / 8) as usize).enumerate() {
            let of_other = lane.iter().all(|source| source.is_some_and(|(register, _)| register == other));
            let from = number * lane.len();
            let in_place = lane.iter().enumerate().all(|(at, source)| *source == Some((kept, from + at)));
            if !of_other && !in_place {
                return None;
            }
            immediate |= u32::from(of_other) << number;
        }
        // Where nothing is wanted of the other register, its bytes stay.
        let from: Vec<Option<usize>> = sources
            .iter()
            .enumerate()
            .map(|(place, source)| {
                source.filter(|&(register, _)| register == other).map(|(_, byte)| byte).or(Some(place))
            })
            .collect();
        let shuffled = Function::another(self.registers, result);
        self.uses.push(1);
        let shuffle = self.shuffle(shuffled, other, &from)?;
        let operands = vec![kept, shuffled];
        Some(vec![shuffle, Step::Compute { row, result, operands, immediate: Some(immediate) }])
    }

    /// A register with these bytes: one that is there, or a new one.
    fn constant(&mut self, bytes: Vec<u8>, like: RegisterId) -> Option<RegisterId> {
        if let Some((&register, _)) = self.constants.iter().find(|(_, known)| **known == bytes) {
            return Some(register);
        }
        let (first, others) = bytes.split_at(GROUP);
        let (meaning, kept) = match others.chunks(GROUP).all(|group| group == first) {
            true => (Meaning::ConstantGroup, first),
            false => (Meaning::ConstantBytes, bytes.as_slice()),
        };
        let row = self.target.instruction(meaning, 0)?;
        self.registers.push(Register::unnamed(self.registers[like.index()].ty));
        self.uses.push(1);
        let result = RegisterId(self.registers.len() as u32 - 1);
        self.made.push(Step::Constant { row, result, constant: Constant::Bytes(kept.to_vec()) });
        self.constants.insert(result, bytes);
        Some(result)
    }
}

/// The immediate of [`Meaning::ShuffleWords`], if aligned words of 32 bits move, alike in every group.
fn words(from: &[Option<usize>]) -> Option<u32> {
    let word = |place: usize| Some(from[4 * place]? % GROUP / 4);
    let words = (0..GROUP / 4).map(word).collect::<Option<Vec<_>>>()?;
    let moved = |place: usize| place / GROUP * GROUP + 4 * words[place % GROUP / 4] + place % 4;
    let whole = from.iter().enumerate().all(|(place, &from)| from == Some(moved(place)));
    whole.then(|| words.iter().enumerate().map(|(place, &word)| (word as u32) << (2 * place)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use usuba_machine::Program;
    use usuba_target::by_name;

    fn check(before: &str, after: Expect) {
        let mut program = Program::parse(before).expect("a program");
        let target = by_name(program.target).expect("a target");
        program.functions.iter_mut().for_each(|function| move_bytes(function, target));
        after.assert_eq(&program.to_string());
    }

    #[test]
    fn halves_of_two_registers_are_interleaved() {
        check(
            r#"target avx2

function Halves (&0 "in": input v256[2], &1 "out": output v256[2]) {
  %0: v256x8 = constant vbroadcasti128 bytes ffffffffffffffff0000000000000000
  %1: v256x8 = constant vbroadcasti128 bytes 90909090909090900001020304050607
  %2: v256x8 = load vmovdqa &0[0]
  %3: v256x8 = load vmovdqa &0[1]
  %4: v256x8 = vpand %2, %0
  %5: v256x8 = vpshufb %3, %1
  %6: v256x8 = vpxor %4, %5
  store vmovdqa &1[0], %6
}
"#,
            expect![[r#"
                target avx2

                function Halves (&0 "in": input v256[2], &1 "out": output v256[2]) {
                  unused %0: v256x8
                  unused %1: v256x8
                  unused %4: v256x8
                  unused %5: v256x8
                  %2: v256x8 = load vmovdqa &0[0]
                  %3: v256x8 = load vmovdqa &0[1]
                  %6: v256x8 = vpunpcklqdq.64 %2, %3
                  store vmovdqa &1[0], %6
                }
            "#]],
        );
    }

    #[test]
    fn words_of_two_registers_are_blended() {
        check(
            r#"target avx2

function Words (&0 "in": input v256[2], &1 "out": output v256[2]) {
  %0: v256x8 = constant vbroadcasti128 bytes ffffffff00000000ffffffff00000000
  %1: v256x8 = constant vbroadcasti128 bytes 90909090000102030405060708090a0b
  %2: v256x8 = load vmovdqa &0[0]
  %3: v256x8 = load vmovdqa &0[1]
  %4: v256x8 = vpand %2, %0
  %5: v256x8 = vpand %3, %0
  %6: v256x8 = vpshufb %5, %1
  %7: v256x8 = vpxor %4, %6
  store vmovdqa &1[0], %7
}
"#,
            expect![[r#"
                target avx2

                function Words (&0 "in": input v256[2], &1 "out": output v256[2]) {
                  unused %0: v256x8
                  unused %1: v256x8
                  unused %4: v256x8
                  unused %5: v256x8
                  unused %6: v256x8
                  unused %8: v256x8
                  %2: v256x8 = load vmovdqa &0[0]
                  %3: v256x8 = load vmovdqa &0[1]
                  %9: v256x8 = vpshufd.32 160 %3
                  %7: v256x8 = vpblendd.32 170 %2, %9
                  store vmovdqa &1[0], %7
                }
            "#]],
        );
    }

    #[test]
    fn a_mask_of_a_shuffle_is_a_shuffle_with_zeros() {
        check(
            r#"target ssse3

function Mask (&0 "in": input v128[2], &1 "out": output v128[2]) {
  %0: v128x8 = constant movdqa bytes 0405060708090a0b0c0d0e0f00010203
  %1: v128x8 = constant movdqa bytes ff00ff00ff00ff00ff00ff00ff00ff00
  %2: v128x8 = load movdqa &0[0]
  %3: v128x8 = pshufb %2, %0
  %4: v128x8 = pand %3, %1
  store movdqa &1[0], %4
}
"#,
            expect![[r#"
                target ssse3

                function Mask (&0 "in": input v128[2], &1 "out": output v128[2]) {
                  unused %0: v128x8
                  unused %1: v128x8
                  unused %3: v128x8
                  %5: v128x8 = constant movdqa bytes 0490069008900a900c900e9000900290
                  %2: v128x8 = load movdqa &0[0]
                  %4: v128x8 = pshufb %2, %5
                  store movdqa &1[0], %4
                }
            "#]],
        );
    }

    #[test]
    fn what_others_read_too_stays() {
        let text = r#"target ssse3

function Read (&0 "in": input v128[2], &1 "out": output v128[2]) {
  %0: v128x8 = constant movdqa bytes 0405060708090a0b0c0d0e0f00010203
  %1: v128x8 = constant movdqa bytes ff00ff00ff00ff00ff00ff00ff00ff00
  %2: v128x8 = load movdqa &0[0]
  %3: v128x8 = pshufb %2, %0
  %4: v128x8 = pand %3, %1
  store movdqa &1[0], %4
  store movdqa &1[1], %3
}
"#;
        check(
            text,
            expect![[r#"
            target ssse3

            function Read (&0 "in": input v128[2], &1 "out": output v128[2]) {
              %0: v128x8 = constant movdqa bytes 0405060708090a0b0c0d0e0f00010203
              %1: v128x8 = constant movdqa bytes ff00ff00ff00ff00ff00ff00ff00ff00
              %2: v128x8 = load movdqa &0[0]
              %3: v128x8 = pshufb %2, %0
              %4: v128x8 = pand %3, %1
              store movdqa &1[0], %4
              store movdqa &1[1], %3
            }
        "#]],
        );
    }

    #[test]
    fn parts_that_meet_are_a_sum() {
        check(
            r#"target ssse3

function Sum (&0 "in": input v128[2], &1 "out": output v128[2]) {
  %0: v128x8 = constant movdqa bytes 90909090909090900001020304050607
  %1: v128x8 = load movdqa &0[0]
  %2: v128x8 = load movdqa &0[1]
  %3: v128x8 = pshufb %1, %0
  %4: v128x8 = pshufb %2, %0
  %5: v128x8 = pxor %3, %4
  store movdqa &1[0], %5
}
"#,
            expect![[r#"
                target ssse3

                function Sum (&0 "in": input v128[2], &1 "out": output v128[2]) {
                  %0: v128x8 = constant movdqa bytes 90909090909090900001020304050607
                  %1: v128x8 = load movdqa &0[0]
                  %2: v128x8 = load movdqa &0[1]
                  %3: v128x8 = pshufb %1, %0
                  %4: v128x8 = pshufb %2, %0
                  %5: v128x8 = pxor %3, %4
                  store movdqa &1[0], %5
                }
            "#]],
        );
    }
}
