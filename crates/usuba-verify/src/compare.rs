//! Comparing two programs by running them.
//!
//! What it proves: [`Verdict::Equal`] was seen on every input; the entries compute the same function, provided the
//! interpreter of `usuba-ir` is right. [`Verdict::Differ`] comes with inputs that show it.
//!
//! What it does not prove: [`Verdict::Agree`] is a test. It finds with near certainty a change that shows on a fair share
//! of inputs (a dropped gate, swapped operands, a wrong constant or index), and will miss one that shows on few: a
//! comparison of a wide word with one value, say. It says nothing of uniformity, of masking (a refresh is the identity
//! here) or of time.
//!
//! One instance is compared: instances do not see each other in Usuba0, so what holds for one holds for all of them.

use std::fmt;
use usuba_ir::interpret::{Interpreter, is_sliced, join, part};
use usuba_ir::program::{Parameter, Program};
use usuba_ir::random::Random;

/// How hard to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// All inputs are tried if the entry has at most so many input bits (2^bits runs).
    pub exhaustive_bits: u32,
    /// Otherwise, how many inputs are tried at least.
    pub cases: u64,
    /// The seed of the random inputs.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { exhaustive_bits: 20, cases: 1024, seed: 0 }
    }
}

/// How equality was established.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// Every input was tried.
    Exhaustive,
}

/// What came out of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The same function.
    Equal {
        /// Why.
        how: How,
    },
    /// The same outputs on so many inputs, not all.
    Agree {
        /// The number of inputs tried.
        cases: u64,
    },
    /// Other outputs on an input. Each parameter is given by its atoms as numbers, in order.
    Differ {
        /// The inputs of both.
        inputs: Vec<Vec<u128>>,
        /// The outputs of the first program.
        left: Vec<Vec<u128>>,
        /// The outputs of the second program.
        right: Vec<Vec<u128>>,
    },
    /// The entries do not have inputs and outputs of the same widths and numbers of atoms.
    Incomparable(Mismatch),
}

impl Verdict {
    /// Whether no difference was found.
    pub fn is_agreement(&self) -> bool {
        matches!(self, Verdict::Equal { .. } | Verdict::Agree { .. })
    }
}

/// Why two entries cannot be compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// They have different numbers of inputs or outputs.
    Count {
        /// `inputs` or `outputs`.
        what: &'static str,
        /// Of the first program.
        left: usize,
        /// Of the second program.
        right: usize,
    },
    /// A parameter has other atoms.
    Type {
        /// Its name in the first program.
        name: String,
        /// Its type in the first program.
        left: String,
        /// Its type in the second program.
        right: String,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Count { what, left, right } => {
                write!(f, "the first entry has {left} {what}, the second {right}")
            }
            Mismatch::Type { name, left, right } => {
                write!(f, "`{name}` is {left} in the first entry and {right} in the second")
            }
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Equal { how: How::Exhaustive } => write!(f, "equal (all inputs tried)"),
            Verdict::Agree { cases } => write!(f, "agree on the {cases} inputs tried"),
            Verdict::Differ { inputs, left, right } => {
                writeln!(f, "differ")?;
                for (what, values) in [("inputs", inputs), ("first", left), ("second", right)] {
                    write!(f, "  {what}:")?;
                    for atoms in values {
                        write!(f, " {atoms:x?}")?;
                    }
                    writeln!(f)?;
                }
                Ok(())
            }
            Verdict::Incomparable(mismatch) => write!(f, "cannot be compared: {mismatch}"),
        }
    }
}

/// Compares the entries of two programs, which pass the checker. Layouts may differ as long as atoms have the same
/// widths, since an atom is the same number in all of them. Names do not matter. The programs may be interleaved, each in
/// its way: batch by batch they are compared with each other; only the first batch is given every input of a few bits.
pub fn compare(left: &Program, right: &Program, effort: Effort) -> Verdict {
    let mismatch = mismatch("inputs", left, right).or_else(|| mismatch("outputs", left, right));
    if let Some(mismatch) = mismatch {
        return Verdict::Incomparable(mismatch);
    }
    let batches = common_multiple(left.interleave.max(1), right.interleave.max(1));
    let cases = Cases::of(&parameters(left, "inputs"), effort);
    let uniform: Vec<bool> =
        left.entry().inputs.iter().zip(&right.entry().inputs).map(|(a, b)| a.uniform || b.uniform).collect();
    let sliced = is_sliced(left) && is_sliced(right);
    let mut sides = [(left, Interpreter::new(left)), (right, Interpreter::new(right))];
    let step = if sliced { 128 } else { 1 };
    let mut tried = 0;
    while tried < cases.count {
        let mut inputs: Vec<Vec<Vec<u128>>> = Vec::new();
        for batch in 0..u64::from(batches) {
            let mut given =
                if sliced { cases.slice(tried + batch * step) } else { cases.case(tried + batch * step) };
            if let Some(first) = inputs.first() {
                for (number, _) in uniform.iter().enumerate().filter(|(_, uniform)| **uniform) {
                    given[number].clone_from(&first[number]);
                }
            }
            inputs.push(given);
        }
        let [one, other] = sides.each_mut().map(|(program, interpreter)| {
            let outputs = inputs.chunks(program.interleave.max(1) as usize).flat_map(|group| {
                let joined = join(program, group);
                let outputs = if sliced { interpreter.run_sliced(&joined) } else { interpreter.run(&joined) };
                part(program, &outputs)
            });
            outputs.collect::<Vec<_>>()
        });
        for ((inputs, left), right) in inputs.into_iter().zip(one).zip(other) {
            let Some(lane) = first_difference(&left, &right) else { continue };
            let [inputs, left, right] = if sliced {
                [inputs, left, right].map(|values| instance(&values, lane))
            } else {
                [inputs, left, right]
            };
            return Verdict::Differ { inputs, left, right };
        }
        tried += step;
    }
    let every = cases.exhaustive && batches == 1;
    if every { Verdict::Equal { how: How::Exhaustive } } else { Verdict::Agree { cases: tried } }
}

/// The least common multiple of two positive numbers.
fn common_multiple(a: u32, b: u32) -> u32 {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    a / divisor * b
}

/// The width and the number of atoms, in one batch, of the inputs or outputs of an entry.
fn parameters(program: &Program, what: &'static str) -> Vec<(u32, u32)> {
    let entry = program.entry();
    let list = if what == "inputs" { &entry.inputs } else { &entry.outputs };
    let atoms = |parameter: &Parameter| match parameter.uniform {
        true => parameter.ty.atoms(),
        false => parameter.ty.atoms() / program.interleave.max(1),
    };
    list.iter().map(|parameter| (parameter.ty.layout.width(), atoms(parameter))).collect()
}

fn mismatch(what: &'static str, left: &Program, right: &Program) -> Option<Mismatch> {
    let (one, other) = (parameters(left, what), parameters(right, what));
    if one.len() != other.len() {
        return Some(Mismatch::Count { what, left: one.len(), right: other.len() });
    }
    let place = one.iter().zip(&other).position(|(a, b)| a != b)?;
    let of = |program: &Program| {
        let entry = program.entry();
        let list = if what == "inputs" { &entry.inputs } else { &entry.outputs };
        list.get(place)
            .map(|parameter| (parameter.name.clone(), parameter.ty.to_string()))
            .unwrap_or_default()
    };
    let ((name, left), (_, right)) = (of(left), of(right));
    Some(Mismatch::Type { name, left, right })
}

/// The lowest instance in which sliced values differ.
fn first_difference(left: &[Vec<u128>], right: &[Vec<u128>]) -> Option<u32> {
    let pairs = left.iter().flatten().zip(right.iter().flatten());
    let different = pairs.fold(0, |different, (a, b)| different | (a ^ b));
    (different != 0).then(|| different.trailing_zeros())
}

/// One instance of sliced values.
fn instance(values: &[Vec<u128>], lane: u32) -> Vec<Vec<u128>> {
    values.iter().map(|atoms| atoms.iter().map(|atom| atom >> lane & 1).collect()).collect()
}

/// The inputs to try, by number.
pub(crate) struct Cases {
    /// The width and number of atoms of each input.
    inputs: Vec<(u32, u32)>,
    bits: u64,
    pub(crate) count: u64,
    pub(crate) exhaustive: bool,
    seed: u64,
    /// How many cases have a single bit set, and how many a single bit clear.
    single: u64,
}

impl Cases {
    pub(crate) fn of(inputs: &[(u32, u32)], effort: Effort) -> Cases {
        let inputs = inputs.to_vec();
        let bits = inputs.iter().map(|&(width, atoms)| u64::from(width) * u64::from(atoms)).sum();
        let exhaustive = bits <= u64::from(effort.exhaustive_bits.min(63));
        let count = if exhaustive { 1u64 << bits } else { effort.cases };
        Cases { inputs, bits, count, exhaustive, seed: effort.seed, single: bits.min(effort.cases / 4) }
    }

    /// Case `number`: if exhaustive the bits of the number, the first input bit its lowest; else first all bits clear,
    /// all set, single bits set, single bits clear (spread evenly if there are too many), then random bits.
    pub(crate) fn case(&self, number: u64) -> Vec<Vec<u128>> {
        let mut random = Random::new(self.seed.wrapping_add(number.wrapping_mul(0x2545_f491_4f6c_dd1d)));
        let mut place = 0u64;
        let spread = |index: u64| u128::from(index) * u128::from(self.bits) / u128::from(self.single.max(1));
        let mut bit = || {
            let here = place;
            place += 1;
            match number {
                _ if self.exhaustive => number >> here & 1 == 1,
                0 => false,
                1 => true,
                _ if number - 2 < self.single => spread(number - 2) == u128::from(here),
                _ if number - 2 < 2 * self.single => spread(number - 2 - self.single) != u128::from(here),
                _ => random.bits() >> 63 == 1,
            }
        };
        let mut atom = |width| (0..width).fold(0, |atom, place| atom | u128::from(bit()) << place);
        let mut atoms = |&(width, atoms): &(u32, u32)| (0..atoms).map(|_| atom(width)).collect();
        self.inputs.iter().map(&mut atoms).collect()
    }

    /// Cases `number` and the 127 after it, case j in bit j. Beyond the count, exhaustive cases start again.
    fn slice(&self, number: u64) -> Vec<Vec<u128>> {
        let mut sliced: Vec<Vec<u128>> =
            self.inputs.iter().map(|&(_, atoms)| vec![0; atoms as usize]).collect();
        for lane in 0..128 {
            let case = self.case(number + lane);
            for (sliced, bit) in sliced.iter_mut().flatten().zip(case.iter().flatten()) {
                *sliced |= bit << lane;
            }
        }
        sliced
    }
}
