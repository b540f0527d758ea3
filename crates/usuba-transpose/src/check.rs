//! The trusted check: a program is run on random bits, so many times that every bit of memory has a number of its own, and
//! what comes out has the numbers that it is to have.
//!
//! A program that takes a bit from elsewhere, or adds others to it, passes with a probability of 2^-24 for each such bit.

use crate::arrangement::{Arrangement, Column};
use crate::moves::Machine;
use crate::program::Transfer;
use usuba_ir::random::Random;
use usuba_machine::interpret::Interpreter;
use usuba_machine::{Checked, Fault};

/// Bits of the number of a bit.
const RUNS: usize = 24;

/// What a program does wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mistake {
    /// An instruction has no meaning for its operands.
    Fault(Fault),
    /// A bit of what is written is not what it is to be.
    Bit {
        /// Its number.
        at: usize,
    },
    /// A byte that belongs to nothing is not always the same.
    Stray {
        /// Its number.
        at: usize,
    },
}

fn bit(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at / 8).map_or(0, |byte| byte >> (at % 8) & 1)
}

/// Whether a program brings every bit of the columns from one side to the other, data added, and writes nothing else.
///
/// # Errors
/// What is wrong.
pub fn check(
    program: &Checked,
    arrangement: &Arrangement,
    columns: &[Column],
    machine: &Machine,
    transfer: Transfer,
) -> Result<(), Mistake> {
    let (blocks, image) = (arrangement.block_bytes(), arrangement.image_bytes());
    let (given, made) = if transfer == Transfer::Pack { (blocks, image) } else { (image, blocks) };
    // For every bit that is made, where it comes from.
    let mut sources: Vec<Option<usize>> = vec![None; 8 * made];
    for column in columns {
        for address in 0..1usize << column.blocks.deltas.len() {
            let (block, register) = (column.blocks.at(address) as usize, column.image.at(address) as usize);
            let (from, to) = if transfer == Transfer::Pack { (block, register) } else { (register, block) };
            if let Some(source) = sources.get_mut(to) {
                *source = Some(from);
            }
        }
    }
    let mut interpreter = Interpreter::new(program);
    if machine.big_endian {
        interpreter = interpreter.on_big_endian();
    }
    let mut random = Random::new(1);
    let mut bytes = |count: usize| -> Vec<u8> { (0..count).map(|_| random.bits() as u8).collect() };
    let mut before: Option<Vec<u8>> = None;
    for _ in 0..RUNS {
        let mut inputs = vec![bytes(given)];
        if transfer == Transfer::UnpackAdd {
            inputs.push(bytes(blocks));
        }
        let output = interpreter.run(&inputs).map_err(Mistake::Fault)?.into_iter().next().unwrap_or_default();
        let given = inputs.first().map_or(&[][..], Vec::as_slice);
        for (byte, sources) in sources.chunks_exact(8).enumerate() {
            let (made, old) = (output.get(byte), before.as_ref().and_then(|before| before.get(byte)));
            let made = made.copied().unwrap_or(0) ^ inputs.get(1).map_or(0, |data| data[byte]);
            let differs = sources.iter().enumerate().find(|(at, source)| match source {
                Some(source) => made >> at & 1 != bit(given, *source),
                None => old.is_some_and(|old| (old ^ output[byte]) >> at & 1 == 1),
            });
            match differs {
                Some((at, Some(_))) => return Err(Mistake::Bit { at: 8 * byte + at }),
                Some((at, None)) => return Err(Mistake::Stray { at: 8 * byte + at }),
                None => {}
            }
        }
        before = Some(output);
    }
    Ok(())
}
