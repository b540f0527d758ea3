//! The trusted check: every bit of memory has a number, and the program is run on numbers.
//!
//! A bit of a register is the exclusive or of bits of memory, at most three of them at any time, or zero.

use crate::arrangement::Side;
use crate::moves::Machine;
use crate::network::{Operation, Phase, Region, Statement};
use std::collections::BTreeMap;
use usuba_target::Meaning;

/// What a program does wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mistake {
    /// A bit is more than three others together.
    TooMany,
    /// A register is not there.
    Value,
    /// A bit of memory is not what it is to be.
    Bit {
        /// Its number.
        at: i64,
    },
    /// A bit is written that belongs to nothing.
    Stray {
        /// Its number.
        at: i64,
    },
}

/// Up to three numbers of 21 bits, the largest lowest; 0 is none.
type Name = u64;

const FIELD: u32 = 21;

fn xor(a: Name, b: Name) -> Result<Name, Mistake> {
    if a == 0 || b == 0 {
        return Ok(a | b);
    }
    let mut numbers = [0u64; 6];
    for k in 0..3 {
        numbers[k] = a >> (FIELD * k as u32) & ((1 << FIELD) - 1);
        numbers[k + 3] = b >> (FIELD * k as u32) & ((1 << FIELD) - 1);
    }
    numbers.sort_unstable_by(|x, y| y.cmp(x));
    let (mut name, mut count, mut k) = (0, 0, 0);
    while k < 6 && numbers[k] != 0 {
        if k + 1 < 6 && numbers[k] == numbers[k + 1] {
            k += 2;
            continue;
        }
        if count == 3 {
            return Err(Mistake::TooMany);
        }
        name |= numbers[k] << (FIELD * count);
        count += 1;
        k += 1;
    }
    Ok(name)
}

type Register = Vec<Name>;

struct Run<'a> {
    machine: &'a Machine,
    memory: BTreeMap<u8, Vec<Name>>,
}

/// Whether the phases bring every bit from one side to the other, and write nothing else.
///
/// # Errors
/// What is wrong.
pub fn check(
    phases: &[Phase],
    machine: &Machine,
    (from, source): (&Side, Region),
    (to, target): (&Side, Region),
) -> Result<(), Mistake> {
    let count = 1usize << from.deltas.len();
    let mut run = Run { machine, memory: BTreeMap::new() };
    for address in 0..count {
        *run.bit(source, from.at(address)) = address as u64 + 1;
    }
    for phase in phases {
        run.phase(phase)?;
    }
    let mut own = vec![false; run.memory.get(&key(target)).map_or(0, Vec::len)];
    for address in 0..count {
        let at = to.at(address);
        if *run.bit(target, at) != address as u64 + 1 {
            return Err(Mistake::Bit { at });
        }
        own[at as usize] = true;
    }
    let written = run.memory.get(&key(target)).into_iter().flatten();
    match written.zip(own).position(|(name, own)| *name != 0 && !own) {
        Some(at) => Err(Mistake::Stray { at: at as i64 }),
        None => Ok(()),
    }
}

fn key(region: Region) -> u8 {
    region as u8
}

impl Run<'_> {
    fn bit(&mut self, region: Region, at: i64) -> &mut Name {
        let memory = self.memory.entry(key(region)).or_default();
        let at = at as usize;
        if memory.len() <= at {
            memory.resize(at + 1, 0);
        }
        &mut memory[at]
    }

    fn phase(&mut self, phase: &Phase) -> Result<(), Mistake> {
        let trips: usize = phase.loops.iter().map(|one| one.trips).product();
        for trip in 0..trips {
            let (mut rest, mut from, mut to) = (trip, 0, 0);
            for one in phase.loops.iter().rev() {
                from += (rest % one.trips) as i64 * one.from;
                to += (rest % one.trips) as i64 * one.to;
                rest /= one.trips;
            }
            let mut values: BTreeMap<usize, Register> = BTreeMap::new();
            for statement in &phase.body {
                match statement {
                    Statement::Load(result, pieces) => {
                        let each = 8 * self.machine.register() / pieces.len();
                        let mut register = Vec::new();
                        for piece in pieces {
                            let first = 8 * (from + piece);
                            register.extend((0..each).map(|k| *self.bit(phase.from, first + k as i64)));
                        }
                        values.insert(*result, register);
                    }
                    Statement::Apply(result, operation, arguments) => {
                        let found = arguments.iter().map(|one| values.get(one)).collect::<Option<Vec<_>>>();
                        let register = self.apply(operation, &found.ok_or(Mistake::Value)?)?;
                        values.insert(*result, register);
                    }
                    Statement::Store(value, pieces) => {
                        let register = values.get(value).ok_or(Mistake::Value)?;
                        let each = 8 * self.machine.register() / pieces.len();
                        for (number, piece) in pieces.iter().enumerate() {
                            for k in 0..each {
                                let name = register[number * each + k];
                                *self.bit(phase.to, 8 * (to + piece) + k as i64) = name;
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The place of a bit in its 64-bit word, for what moves bits of words.
    fn place(&self, bit: usize) -> usize {
        if self.machine.big_endian && !self.machine.target.single_lane {
            (bit % 64) ^ 0b11_1000
        } else {
            bit % 64
        }
    }

    fn apply(&self, operation: &Operation, arguments: &[&Register]) -> Result<Register, Mistake> {
        let a = *arguments.first().ok_or(Mistake::Value)?;
        let b = *arguments.last().ok_or(Mistake::Value)?;
        let count = a.len();
        let words = |index: &dyn Fn(usize) -> (usize, usize), size: usize| -> Register {
            // Lane `out` is a lane of the first or of the second.
            let bit = |k: usize| {
                let (which, lane) = index(k / size);
                if which == 0 { a[lane * size + k % size] } else { b[lane * size + k % size] }
            };
            (0..count).map(bit).collect()
        };
        Ok(match operation {
            Operation::Lanes(meaning, lane) => {
                let (lane, each) = (*lane as usize, 128 / *lane as usize);
                words(
                    &|out| {
                        let (group, k) = (out / each * each, out % each);
                        let (which, from) = match meaning {
                            Meaning::InterleaveLow => (k % 2, k / 2),
                            Meaning::InterleaveHigh => (k % 2, each / 2 + k / 2),
                            Meaning::EvenLanes => (k / (each / 2), 2 * k % each),
                            Meaning::OddLanes => (k / (each / 2), 2 * k % each + 1),
                            Meaning::ExchangeLow => (k % 2, k / 2 * 2),
                            _ => (k % 2, k / 2 * 2 + 1),
                        };
                        (which, group + from)
                    },
                    lane,
                )
            }
            Operation::TwoGroups(n) => words(
                &|out| {
                    let from = usize::from(n >> (4 * out) & 3);
                    (from / 2, from % 2)
                },
                128,
            ),
            Operation::LanesOfTwo(index) => {
                words(&|out| (usize::from(index[out] / 8), usize::from(index[out] % 8)), 64)
            }
            Operation::Merge(index, mask) => words(
                &|out| {
                    if mask >> out & 1 == 1 {
                        (1, out / 16 * 16 + usize::from(index[out % 16]))
                    } else {
                        (0, out)
                    }
                },
                8,
            ),
            Operation::Blend(lane, mask) => {
                let each = 128 / *lane as usize;
                words(&|out| (usize::from(mask >> (out % each) & 1), out), *lane as usize)
            }
            Operation::Left(by) | Operation::Right(by) => {
                let by = *by as usize;
                let left = matches!(operation, Operation::Left(_));
                let mut result = vec![0; count];
                for (bit, name) in result.iter_mut().enumerate() {
                    let place = self.place(bit);
                    let from =
                        if left { place.checked_sub(by) } else { Some(place + by).filter(|from| *from < 64) };
                    if let Some(from) = from {
                        *name = a[bit / 64 * 64 + self.place(from)];
                    }
                }
                result
            }
            Operation::And(mask) => {
                let kept = |bit: usize| if mask >> self.place(bit) & 1 == 1 { a[bit] } else { 0 };
                (0..count).map(kept).collect()
            }
            Operation::Xor => a.iter().zip(b).map(|(a, b)| xor(*a, *b)).collect::<Result<_, _>>()?,
            Operation::Select(mask) => {
                let one = |bit: usize| if mask >> self.place(bit) & 1 == 1 { a[bit] } else { b[bit] };
                (0..count).map(one).collect()
            }
            Operation::Bytes(index) => words(&|out| (0, out / 16 * 16 + usize::from(index[out % 16])), 8),
            Operation::Words(n) => words(&|out| (0, out / 4 * 4 + usize::from(n >> (2 * (out % 4)) & 3)), 32),
            Operation::Quads(lane, n) => {
                words(&|out| (0, out / 4 * 4 + usize::from(n >> (2 * (out % 4)) & 3)), *lane as usize)
            }
            Operation::SwapBytes => words(&|out| (0, out ^ 1), 8),
            Operation::AllWords(index) => words(&|out| (0, usize::from(index[out])), 32),
            Operation::Matrix(bytes) => {
                // Bit j of byte i is the parity of byte i of the constant and byte 7 - j of the matrix.
                let bit = |k: usize| {
                    let (word, byte, bit) = (k / 64 * 64, k / 8 % 8, k % 8);
                    let from = (0..8).filter(|b| bytes[byte] >> b & 1 == 1);
                    from.map(|b| a[word + 8 * (7 - bit) + b]).try_fold(0, xor)
                };
                (0..count).map(bit).collect::<Result<_, _>>()?
            }
            Operation::Bits(matrix) => {
                let bit = |k: usize| {
                    let row = matrix >> (8 * (7 - k % 8)) & 0xff;
                    let from = (0..8).filter(|b| row >> b & 1 == 1);
                    from.map(|b| a[k / 8 * 8 + b]).try_fold(0, xor)
                };
                (0..count).map(bit).collect::<Result<_, _>>()?
            }
        })
    }
}
