//! Where the bits of blocks are: in memory, and in the registers of sliced code.

/// How words of m bits lie in bytes (`runtime/usuba_format.h`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Order {
    /// Their bits from the most significant, in sequence.
    Big,
    /// m a multiple of 8: little-endian words; m = 1: bit i is bit i mod 8 of byte i div 8.
    Little,
    /// m bytes make 8 words: bit i, from the most significant, of word k is bit 7 - k of byte i.
    Planes,
    /// m nibbles make 4 words: bit i, from the most significant, of word k is bit 3 - k of nibble i, upper nibbles first.
    Nibbles,
}

/// A byte string and what it means: `words` words of `width` bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Format {
    /// Order of bits.
    pub order: Order,
    /// Bits of a word.
    pub width: usize,
    /// Words of a block.
    pub words: usize,
}

impl Format {
    /// Bytes of a block.
    pub fn bytes(&self) -> usize {
        (self.words * self.width).div_ceil(8)
    }

    /// The number of a bit among the bits of all words, those of a word from the most significant; the place of the bit in its
    /// byte is counted from the least significant. At or beyond `width * words` for the unused bits of a last byte.
    pub fn bit_number(&self, byte: usize, bit: usize) -> usize {
        let m = self.width;
        let cells = |cell_bits: usize| {
            let cell = (8 * byte + 7 - bit) / cell_bits;
            (cell / m * cell_bits + (7 - bit) % cell_bits) * m + cell % m
        };
        match self.order {
            Order::Planes => cells(8),
            Order::Nibbles => cells(4),
            Order::Big => 8 * byte + 7 - bit,
            Order::Little if m == 1 => 8 * byte + bit,
            Order::Little => byte / (m / 8) * m + m - 1 - (8 * (byte % (m / 8)) + bit),
        }
    }
}

/// How atoms lie in registers; lanes in bytes, batches in bits (`runtime/usuba_transpose.h`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Image {
    /// A register per bit.
    B,
    /// A register per word, a lane per instance.
    V {
        /// Bytes of a lane.
        lane: usize,
    },
    /// A register per 128 bits of words, 128 bits of it per instance.
    Packed {
        /// Bytes of a lane.
        lane: usize,
    },
    /// A register per word, an element per bit.
    H {
        /// Bits of an element.
        batch: usize,
    },
    /// An integer of 64 bits per word, the words of `batch` instances interleaved bit by bit.
    BitInterleaved {
        /// Instances.
        batch: usize,
    },
}

/// Blocks of a format, one for each instance, in registers of `register` bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Arrangement {
    /// What blocks mean.
    pub format: Format,
    /// How atoms lie in registers.
    pub image: Image,
    /// Bytes of a register.
    pub register: usize,
    /// Whether words in memory begin with the most significant byte on the machine.
    pub big_endian: bool,
}

impl Arrangement {
    /// Blocks of a batch.
    pub fn instances(&self) -> usize {
        match self.image {
            Image::B => 8 * self.register,
            Image::V { lane } => self.register / lane,
            Image::Packed { .. } => self.register / 16,
            Image::H { .. } => 8 * self.register / self.format.width,
            Image::BitInterleaved { batch } => batch,
        }
    }

    /// Bytes of all blocks.
    pub fn block_bytes(&self) -> usize {
        self.instances() * self.format.bytes()
    }

    /// Bytes of all registers.
    pub fn image_bytes(&self) -> usize {
        let format = &self.format;
        match self.image {
            Image::B => format.words * format.width * self.register,
            Image::Packed { lane } => format.words * lane / 16 * self.register,
            _ => format.words * self.register,
        }
    }

    /// Which instance the runtime gives each block to (`usuba_block_of`): blocks go to the pieces of 16 bytes of a first
    /// register, then to those of the next.
    pub fn instance_of_block(&self, block: usize) -> usize {
        let (pieces, places) = ((self.register / 16).max(1), self.instances() / (self.register / 16).max(1));
        let pair = if self.format.bytes() == 8 && places > 1 { 2 } else { 1 };
        let (place, piece, one) = (block / (pair * pieces), block / pair % pieces, block % pair);
        piece * places + place * pair + one
    }

    /// The bit of the image (8 times its byte, plus the place from the least significant) that a bit of an instance's block
    /// goes to; `None` for the unused bits of a last byte.
    pub fn image_bit(&self, instance: usize, byte: usize, bit: usize) -> Option<usize> {
        let Format { width, words, .. } = self.format;
        let number = self.format.bit_number(byte, bit);
        if number >= width * words {
            return None;
        }
        let (word, from_top) = (number / width, number % width);
        // Bit `place` of a number of `bytes` bytes at byte `at`.
        let in_number = |at: usize, bytes: usize, place: usize| {
            let byte = if self.big_endian { bytes - 1 - place / 8 } else { place / 8 };
            8 * (at + byte) + place % 8
        };
        Some(match self.image {
            Image::B => 8 * number * self.register + instance,
            Image::V { lane } => {
                in_number(word * self.register + instance * lane, lane, width - 1 - from_top)
            }
            Image::Packed { lane } => {
                let at = word * lane / 16 * self.register + 16 * instance + word * lane % 16;
                in_number(at, lane, width - 1 - from_top)
            }
            Image::H { batch } => {
                let element = (instance / batch * width + from_top) * batch;
                8 * word * self.register + element + instance % batch
            }
            Image::BitInterleaved { batch } => {
                in_number(8 * word, 8, (width - 1 - from_top) * batch + instance)
            }
        })
    }
}

/// A bit of an address, as bits of memory that it stands for: where it is 1, a bit of data is `delta` bits further on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// The bit of memory where all bits of the address are 0.
    pub base: i64,
    /// What each bit of the address adds.
    pub deltas: Vec<i64>,
}

impl Side {
    /// The bit of memory at an address.
    pub fn at(&self, address: usize) -> i64 {
        let added = self.deltas.iter().enumerate().filter(|(k, _)| address >> k & 1 == 1);
        self.base + added.map(|(_, delta)| delta).sum::<i64>()
    }
}

/// Consecutive bytes of all blocks, as many as a power of two, between memory and registers: a bijection of address bits.
/// The bits of an address are, from the lowest, that in a byte, that of the byte in the column, and that of the block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// The first byte.
    pub first: usize,
    /// Bytes.
    pub width: usize,
    /// Where bits are in memory.
    pub blocks: Side,
    /// Where bits are in registers, blocks going to instances as [`Arrangement::instance_of_block`] says.
    pub image: Side,
}

impl Column {
    /// Bits of an address that are inside of a block.
    pub fn inner(&self) -> usize {
        3 + self.width.trailing_zeros() as usize
    }

    fn of(arrangement: &Arrangement, first: usize, width: usize) -> Option<Column> {
        let instances = arrangement.instances();
        if !instances.is_power_of_two() || !width.is_power_of_two() {
            return None;
        }
        let stride = arrangement.format.bytes();
        let inner = 3 + width.trailing_zeros() as usize;
        let bits = inner + instances.trailing_zeros() as usize;
        let image = |address: usize| {
            let (block, byte, bit) = (address >> inner, address >> 3 & (width - 1), address & 7);
            arrangement.image_bit(arrangement.instance_of_block(block), first + byte, bit)
        };
        let base = image(0)? as i64;
        let deltas: Option<Vec<i64>> =
            (0..bits).map(|k| image(1 << k).map(|place| place as i64 - base)).collect();
        let image_side = Side { base, deltas: deltas? };
        let affine = (0..1usize << bits).all(|at| image(at).map(|bit| bit as i64) == Some(image_side.at(at)));
        let in_blocks = |k: usize| if k < inner { 1 << k } else { (8 * stride as i64) << (k - inner) };
        let blocks = Side { base: 8 * first as i64, deltas: (0..bits).map(in_blocks).collect() };
        affine.then_some(Column { first, width, blocks, image: image_side })
    }
}

/// The columns of a block, from its first byte on, each as wide as can be but not wider than `most` bytes. They end before the
/// first byte that belongs to none, as its bits are not all in one place of the address: words of 24 bits, unused bits, lanes
/// wider than words.
pub fn columns(arrangement: &Arrangement, most: usize) -> Vec<Column> {
    let filled = match arrangement.image {
        Image::V { lane } | Image::Packed { lane } => 8 * lane == arrangement.format.width,
        _ => true,
    };
    let bytes = if filled { arrangement.format.bytes() } else { 0 };
    let (mut columns, mut first) = (Vec::new(), 0);
    while first < bytes {
        let widest = (bytes - first).next_power_of_two().min(most);
        let widths = (0..=widest.trailing_zeros()).rev().map(|k| 1 << k);
        let mut fitting = widths.filter(|width| first + width <= bytes);
        let Some(column) = fitting.find_map(|width| Column::of(arrangement, first, width)) else { break };
        first += column.width;
        columns.push(column);
    }
    columns
}
