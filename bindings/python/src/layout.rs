//! Where the bits of an instance lie in the registers of a kernel: [`Shape`] of the code generator, the other way round.

use usuba_compiler::codegen::{KernelParameter, Shape};
use usuba_compiler::ir::layout::Slicing;

/// A parameter as callers see it: arrays of words.
pub struct Port {
    /// Its name in the source.
    pub name: String,
    /// Dimensions of an instance's words, outermost first.
    pub shape: Vec<usize>,
    /// Bits of a word.
    pub width: u32,
    /// The same for all instances.
    pub uniform: bool,
    /// How words are made of atoms.
    made_of: Words,
    /// Atoms of an instance.
    atoms: usize,
}

/// How words are made of atoms.
#[derive(Clone, Copy, PartialEq)]
enum Words {
    /// A word is an atom.
    Atom,
    /// A word is as many atoms as it has bits, the most significant first: bitsliced programs of words.
    Bits,
    /// An atom is so many words, the most significant first.
    Lanes(usize),
}

impl Port {
    /// A parameter. `word` is the width of its words where the program has any, which is more than that of the atoms of a
    /// bitsliced program.
    pub fn new(parameter: &KernelParameter, shape: &Shape, word: Option<u32>) -> Port {
        let mut dimensions: Vec<usize> =
            parameter.shape.iter().map(|&dimension| dimension as usize).collect();
        // The batches of a kernel are the outermost dimension; callers see instances only.
        if shape.interleave > 1 && !parameter.uniform {
            dimensions.remove(0);
        }
        let atoms = dimensions.iter().product::<usize>();
        let (mut width, mut made_of) = (parameter.width, Words::Atom);
        if let Slicing::Packed(words) = shape.slicing {
            (width, made_of) = (128 / words, Words::Lanes(words as usize));
            dimensions.push(words as usize);
        } else if let Some(word) = word.filter(|&word| {
            word > 1 && parameter.width == 1 && dimensions.last().is_some_and(|&last| last == word as usize)
        }) {
            (width, made_of) = (word, Words::Bits);
            dimensions.pop();
        }
        let (name, uniform) = (parameter.source_name.clone(), parameter.uniform);
        Port { name, shape: dimensions, width, uniform, made_of, atoms }
    }

    /// Words of an instance.
    pub fn words(&self) -> usize {
        self.shape.iter().product()
    }

    /// Bytes that the kernel is given for it.
    pub fn bytes(&self, shape: &Shape) -> usize {
        if self.uniform {
            self.atoms * shape.uniform_bits() as usize / 8
        } else {
            self.atoms * (shape.register_bits / 8 * shape.interleave) as usize
        }
    }

    /// The atom of a bit, from the least significant, of a word, and the bit of the atom.
    fn atom(&self, word: usize, bit: usize) -> (usize, usize) {
        match self.made_of {
            Words::Atom => (word, bit),
            Words::Bits => (word * self.width as usize + self.width as usize - 1 - bit, 0),
            Words::Lanes(lanes) => (word / lanes, (lanes - 1 - word % lanes) * self.width as usize + bit),
        }
    }

    /// Puts the words of an instance of the batch into memory that holds zeros.
    pub fn put(&self, shape: &Shape, instance: usize, words: &[u64], memory: &mut [u8]) {
        for (number, &word) in words.iter().enumerate() {
            for bit in (0..self.width as usize).filter(|bit| word >> bit & 1 == 1) {
                let (atom, bit) = self.atom(number, bit);
                let place = self.place(shape, instance, atom, bit);
                memory[place / 8] |= 1 << (place % 8);
            }
        }
    }

    /// The words of an instance of the batch.
    pub fn take(&self, shape: &Shape, instance: usize, words: &mut [u64], memory: &[u8]) {
        for (number, word) in words.iter_mut().enumerate() {
            *word = (0..self.width as usize)
                .map(|bit| {
                    let (atom, from) = self.atom(number, bit);
                    let place = self.place(shape, instance, atom, from);
                    u64::from(memory[place / 8] >> (place % 8) & 1) << bit
                })
                .sum();
        }
    }

    /// Puts words that are the same for all instances into memory that holds zeros.
    pub fn put_uniform(&self, shape: &Shape, words: &[u64], memory: &mut [u8]) {
        let each = shape.uniform_bits() as usize;
        for (number, &word) in words.iter().enumerate() {
            for bit in (0..self.width as usize).filter(|bit| word >> bit & 1 == 1) {
                let (atom, bit) = self.atom(number, bit);
                let mut set =
                    |place: usize| memory[(atom * each + place) / 8] |= 1 << ((atom * each + place) % 8);
                match shape.slicing {
                    Slicing::B => (0..each).for_each(set),
                    Slicing::V | Slicing::Packed(_) => set(within(shape, 0, bit)),
                    Slicing::H => {
                        (0..shape.chunk_instances as usize)
                            .for_each(|instance| set(within(shape, instance, bit)));
                    }
                }
            }
        }
    }

    /// The bit of memory that a bit of an atom of an instance is.
    fn place(&self, shape: &Shape, instance: usize, atom: usize, bit: usize) -> usize {
        let each = (shape.instances / shape.interleave) as usize;
        let register = instance / each * self.atoms + atom;
        register * shape.register_bits as usize + within(shape, instance % each, bit)
    }
}

/// The bit of a register that a bit, from the least significant, of the atom of an instance is.
fn within(shape: &Shape, instance: usize, bit: usize) -> usize {
    let (chunk, count, pack) =
        (shape.chunk_bits as usize, shape.chunk_instances as usize, shape.pack as usize);
    match shape.slicing {
        Slicing::B => instance,
        Slicing::V => instance * shape.lane as usize + bit,
        Slicing::H if shape.is_bit_interleaved() => bit * count + instance,
        Slicing::H => instance / count * chunk + (pack - 1 - bit) * count + instance % count,
        Slicing::Packed(words) => {
            let lane = 128 / words as usize;
            instance * 128 + (words as usize - 1 - bit / lane) * lane + bit % lane
        }
    }
}
