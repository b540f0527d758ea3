//! Which layers are a round of AES as machines have it, and tables that are the S-box of AES between affine maps.
//!
//! FIPS 197: byte i of a block is in row i mod 4 and column i div 4. Registers of x86 hold byte i of the block as byte i.

use crate::inversion::inversion_form;
use crate::layers::{Affine, Layer, Layers};
use crate::why::Why;
use std::fmt;
use usuba_ir::aes::after_inversion;
use usuba_ir::bytes::{ByteAffine, inverse, multiply};
use usuba_logic::matrix::{Matrix, Vector};

/// One of the two S-boxes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AesSBox {
    /// That of the cipher, FIPS 197, table 4.
    Forward,
    /// Its inverse, table 6.
    Inverse,
}

impl AesSBox {
    /// The image of a byte.
    pub fn of(self, x: u8) -> u8 {
        self.table()[usize::from(x)]
    }

    /// All images.
    pub fn table(self) -> [u8; 256] {
        let after = after_inversion();
        let mut table = [0; 256];
        for x in 0..=255u8 {
            let image = after.of(inverse(x));
            match self {
                AesSBox::Forward => table[usize::from(x)] = image,
                AesSBox::Inverse => table[usize::from(image)] = x,
            }
        }
        table
    }
}

/// A table as `after(S(before(x)))`, S being one of the S-boxes of AES.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SBoxForm {
    /// What comes before the S-box.
    pub before: ByteAffine,
    /// What comes after it.
    pub after: ByteAffine,
}

/// A table in terms of an S-box of AES; `None` if it is not inversion in GF(2^8) between affine maps. Both maps of the S-box
/// itself are the identity.
pub fn s_box_form(table: &[u8; 256], s_box: AesSBox) -> Option<SBoxForm> {
    let form = inversion_form(&table.map(u64::from))?;
    let after = after_inversion();
    let form = match s_box {
        // 1/x is what undoes `after`, behind the S-box.
        AesSBox::Forward => SBoxForm { before: form.before, after: form.after.after(&after.inverted()?) },
        // 1/x is the inverse S-box behind `after`.
        AesSBox::Inverse => SBoxForm { before: after.after(&form.before), after: form.after },
    };
    let s_box = s_box.table();
    let image = |x: u8| form.after.of(s_box[usize::from(form.before.of(x))]);
    (0..=255u8).all(|x| image(x) == table[usize::from(x)]).then_some(form)
}

impl Layers {
    /// The same with one table, an S-box of AES: what stands before and after it in the tables goes to the affine maps.
    ///
    /// # Errors
    /// A table that is not inversion in GF(2^8) between affine maps.
    pub fn of_s_box(&self, s_box: AesSBox) -> Result<Layers, Why> {
        let form = |(number, table): (usize, &[u8; 256])| {
            s_box_form(table, s_box).ok_or_else(|| {
                let message = format!("table {} is not inversion in GF(2^8) between affine maps", number + 1);
                Why::new(message, None)
            })
        };
        let forms: Vec<SBoxForm> = self.tables.iter().enumerate().map(form).collect::<Result<_, Why>>()?;
        let mut layers = Vec::new();
        let mut behind: Option<(Matrix, Vector)> = None;
        for layer in &self.layers {
            let before: Vec<ByteAffine> = layer.tables.iter().map(|&table| forms[table].before).collect();
            let after: Vec<ByteAffine> = layer.tables.iter().map(|&table| forms[table].after).collect();
            let (matrix, constant) = side_by_side(&before, layer.rest());
            let mut map = preceded(&layer.before, behind.as_ref());
            let mut sum = matrix.of(&map.constant);
            sum.add(&constant);
            map = Affine { data: matrix.after(&map.data), key: matrix.after(&map.key), constant: sum };
            layers.push(Layer { before: map, tables: vec![0; layer.tables.len()] });
            behind = Some(side_by_side(&after, layer.rest()));
        }
        Ok(Layers { tables: vec![s_box.table()], layers, last: preceded(&self.last, behind.as_ref()) })
    }
}

/// Maps of bytes side by side, and so many bits as they are.
fn side_by_side(maps: &[ByteAffine], rest: usize) -> (Matrix, Vector) {
    let size = 8 * maps.len() + rest;
    let mut matrix = Matrix::zero(size, size);
    let mut constant = Vector::zero(size);
    for (number, map) in maps.iter().enumerate() {
        for bit in 0..8 {
            (0..8).filter(|column| map.columns[*column] >> bit & 1 == 1).for_each(|column| {
                matrix.flip(8 * number + bit, 8 * number + column);
            });
            if map.constant >> bit & 1 == 1 {
                constant.flip(8 * number + bit);
            }
        }
    }
    (8 * maps.len()..size).for_each(|bit| matrix.flip(bit, bit));
    (matrix, constant)
}

/// A map after one of its data.
fn preceded(map: &Affine, first: Option<&(Matrix, Vector)>) -> Affine {
    let Some((matrix, constant)) = first else { return map.clone() };
    let mut sum = map.data.of(constant);
    sum.add(&map.constant);
    Affine { data: map.data.after(matrix), key: map.key.clone(), constant: sum }
}

/// A round as machines have it: the S-box on each byte, a linear map, and a round key is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AesInstruction {
    /// MixColumns(ShiftRows(SubBytes(x))) ⊕ k.
    Encrypt,
    /// ShiftRows(SubBytes(x)) ⊕ k.
    EncryptLast,
    /// InvMixColumns(InvShiftRows(InvSubBytes(x))) ⊕ k.
    Decrypt,
    /// InvShiftRows(InvSubBytes(x)) ⊕ k.
    DecryptLast,
}

impl AesInstruction {
    /// All of them.
    pub const ALL: [AesInstruction; 4] = [
        AesInstruction::Encrypt,
        AesInstruction::EncryptLast,
        AesInstruction::Decrypt,
        AesInstruction::DecryptLast,
    ];

    /// The S-box of the round.
    pub fn s_box(self) -> AesSBox {
        match self {
            AesInstruction::Encrypt | AesInstruction::EncryptLast => AesSBox::Forward,
            AesInstruction::Decrypt | AesInstruction::DecryptLast => AesSBox::Inverse,
        }
    }

    /// The linear map behind the S-box.
    pub fn matrix(self) -> Matrix {
        match self {
            AesInstruction::Encrypt => columns([2, 3, 1, 1]).after(&rows(1)),
            AesInstruction::EncryptLast => rows(1),
            AesInstruction::Decrypt => columns([14, 11, 13, 9]).after(&rows(3)),
            AesInstruction::DecryptLast => rows(3),
        }
    }
}

impl fmt::Display for AesInstruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AesInstruction::Encrypt => "aesenc",
            AesInstruction::EncryptLast => "aesenclast",
            AesInstruction::Decrypt => "aesdec",
            AesInstruction::DecryptLast => "aesdeclast",
        })
    }
}

/// Row r moves r times `by` columns to the left: FIPS 197, sections 5.1.2 and 5.3.1.
fn rows(by: usize) -> Matrix {
    let source = |byte: usize| byte % 4 + 4 * ((byte / 4 + byte % 4 * by) % 4);
    Matrix::of_sources(128, (0..128).map(|bit| 8 * source(bit / 8) + bit % 8))
}

/// Each byte of a column becomes the sum of these multiples of itself and of the bytes below it, the first again below the
/// last: FIPS 197, sections 5.1.3 and 5.3.3.
fn columns(factors: [u8; 4]) -> Matrix {
    Matrix::of_function(128, 128, |vector| {
        let bytes = vector.to_bytes();
        let image = |byte: usize| {
            let below = |by: usize| bytes[byte / 4 * 4 + (byte % 4 + by) % 4];
            (0..4).fold(0, |sum, by| sum ^ multiply(factors[by], below(by)))
        };
        Vector::of_bytes(&(0..16).map(image).collect::<Vec<u8>>())
    })
}

/// The inverse of MixColumns: what a round key is mapped by where a cipher adds it before InvMixColumns.
pub fn inverse_mix_columns() -> Matrix {
    columns([14, 11, 13, 9])
}

/// A round key: 128 bits, `matrix · k ⊕ constant` of the round keys of the node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoundKey {
    /// What is applied to the round keys.
    pub matrix: Matrix,
    /// What is added.
    pub constant: Vector,
}

/// Where a round key is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeySource {
    /// It is 128 bits of the round keys from this one on.
    AsIs(usize),
    /// It is InvMixColumns of 128 bits of the round keys from this one on: `aesimc` makes it, once a key.
    InverseMixColumns(usize),
}

impl RoundKey {
    /// Where it is found, but for the constant; `None` if it is another sum of bits of the round keys.
    pub fn source(&self) -> Option<KeySource> {
        let as_is = |matrix: &Matrix| {
            let first = matrix.row(0).ones().next()?;
            let is = (0..matrix.rows()).all(|row| matrix.row(row).ones().eq([first + row]));
            is.then_some(first)
        };
        match as_is(&self.matrix) {
            Some(first) => Some(KeySource::AsIs(first)),
            None => as_is(&columns([2, 3, 1, 1]).after(&self.matrix)).map(KeySource::InverseMixColumns),
        }
    }
}

/// A round: an instruction and its round key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AesRound {
    /// The instruction.
    pub instruction: AesInstruction,
    /// What it is given.
    pub key: RoundKey,
}

/// A block cipher that is rounds of AES: the first key is added to the block, then come the rounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AesRounds {
    /// What is added to the block.
    pub first: RoundKey,
    /// The rounds in order.
    pub rounds: Vec<AesRound>,
}

/// Layers as rounds of AES, byte i of the block being byte i of the register.
///
/// # Errors
/// The first layer that is no round.
pub fn aes(layers: &Layers) -> Result<AesRounds, Why> {
    let refused = |message: String| Err(Why::new(message, None));
    if layers.block() != 128 {
        return refused(format!("its block has {} bits, not 128", layers.block()));
    }
    let tables: Vec<Option<AesSBox>> = layers
        .tables
        .iter()
        .map(|table| [AesSBox::Forward, AesSBox::Inverse].into_iter().find(|one| one.table() == *table))
        .collect();
    let mut s_boxes = Vec::new();
    for (number, layer) in (1..).zip(&layers.layers) {
        if layer.tables.len() != 16 || layer.rest() != 0 {
            let (tables, rest) = (layer.tables.len(), layer.rest());
            return refused(format!("layer {number} has {tables} tables, and {rest} bits pass them"));
        }
        let s_box = layer.tables.first().and_then(|&table| tables[table]);
        match s_box.filter(|_| layer.tables.iter().all(|table| tables[*table] == s_box)) {
            Some(s_box) => s_boxes.push(s_box),
            None => return refused(format!("layer {number} has other tables than the S-box of AES")),
        }
    }
    let key = |map: &Affine| RoundKey { matrix: map.key.clone(), constant: map.constant.clone() };
    // The bytes of a layer are in any order: for each position of a register the byte that belongs there.
    let mut order: Vec<usize> = (0..16).collect();
    let mut rounds = Vec::new();
    let mut first = None;
    let maps = layers.layers.iter().map(|layer| &layer.before).chain([&layers.last]);
    for (number, map) in maps.enumerate() {
        let Some(&s_box) = number.checked_sub(1).and_then(|before| s_boxes.get(before)) else {
            if map.data != Matrix::identity(128) {
                return refused("its first tables are not applied to the bytes of the block".into());
            }
            first = Some(key(map));
            continue;
        };
        // With columns where the register has them.
        let places: Vec<usize> = order.iter().flat_map(|&byte| 8 * byte..8 * byte + 8).collect();
        let data = map.data.transpose();
        let moved = places.iter().map(|&place| data.row(place).clone()).collect();
        let data = Matrix::of_rows(128, moved).transpose();
        let is_last = number == layers.layers.len();
        let candidates = AesInstruction::ALL.into_iter().filter(|one| one.s_box() == s_box);
        let mut nearest = (0, String::new());
        let mut found = None;
        for instruction in candidates {
            let bytes = bytes_in(&instruction.matrix(), &data, is_last);
            if let Some(rows) = bytes.iter().copied().collect::<Option<Vec<usize>>>() {
                found = Some((instruction, rows));
                break;
            }
            let count = bytes.iter().flatten().count();
            if count > nearest.0 {
                nearest = (count, format!("{count} of 16 bytes are those of `{instruction}`"));
            }
        }
        let Some((instruction, rows)) = found else {
            let bytes = if nearest.0 > 0 { nearest.1 } else { "no byte is that of a round".into() };
            return refused(format!("what follows layer {number} is no round of AES: {bytes}"));
        };
        let bits: Vec<usize> = rows.iter().flat_map(|&byte| 8 * byte..8 * byte + 8).collect();
        rounds.push(AesRound { instruction, key: key(&map.with_rows(&bits)) });
        order = rows;
    }
    match first {
        Some(first) => Ok(AesRounds { first, rounds }),
        None => refused("it has no layers".into()),
    }
}

/// For each byte of rows of a matrix the byte of another that has these rows, at its own place if `in_place`.
fn bytes_in(matrix: &Matrix, other: &Matrix, in_place: bool) -> Vec<Option<usize>> {
    let same = |byte: usize, theirs: usize| {
        (!in_place || byte == theirs)
            && (0..8).all(|bit| matrix.row(8 * byte + bit) == other.row(8 * theirs + bit))
    };
    // The rows of an invertible matrix are distinct, so none is taken twice.
    (0..16).map(|byte| (0..16).find(|&theirs| same(byte, theirs))).collect()
}
