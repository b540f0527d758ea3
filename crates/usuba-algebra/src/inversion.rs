//! Tables of eight bits that are inversion in GF(2^8) between two affine maps: the S-boxes of AES, Camellia, SM4 and ARIA,
//! in both directions. x86 has an instruction for such a table (GFNI).
//!
//! The search guesses, and propagates what follows (Biryukov, De Cannière, Braeken, Preneel, "A Toolbox for Cryptanalysis:
//! Linear and Affine Equivalence Algorithms", EUROCRYPT 2003): if x comes before the inversion as u, then 1/u has to become
//! the entry of x, which by linearity says what many other sums become, and backwards. Multiplication by a constant passes
//! through an inversion, so the image of one difference is free. What is found is compared with every entry.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use usuba_ir::bytes::{ByteAffine, inverse, multiply};

/// A table as `after(1 / before(x))`, where 1 / 0 is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InversionForm {
    /// What comes before the inversion.
    pub before: ByteAffine,
    /// What comes after it.
    pub after: ByteAffine,
}

impl InversionForm {
    /// The table that it computes: entry x is the image of x.
    pub fn table(&self) -> Vec<u64> {
        let inverses = inverses();
        (0..=255).map(|x| u64::from(self.after.of(inverses[usize::from(self.before.of(x))]))).collect()
    }

    /// How many of the two maps are more than the identity.
    fn maps(&self) -> usize {
        [self.before, self.after].iter().filter(|map| **map != ByteAffine::IDENTITY).count()
    }
}

/// The form of a table of 2^8 entries below 2^8, entry x being the image of x; `None` if it has none. Of the 2,040 forms of
/// a table one with as few maps as possible is taken: the S-box of AES needs none before the inversion, its inverse none
/// after it.
pub fn inversion_form(entries: &[u64]) -> Option<InversionForm> {
    let bytes: Vec<u8> = entries.iter().map(|&entry| u8::try_from(entry).ok()).collect::<Option<_>>()?;
    let table: [u8; 256] = bytes.try_into().ok()?;
    let mut seen = [false; 256];
    table.iter().for_each(|&entry| seen[usize::from(entry)] = true);
    if seen.contains(&false) {
        return None;
    }
    // Every engine of a cipher asks for the same few tables, and an answer takes some hundredths of a second.
    static KNOWN: Mutex<BTreeMap<[u8; 256], Option<InversionForm>>> = Mutex::new(BTreeMap::new());
    // A thread that panicked has left the map whole: answers are put into it one by one.
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(form) = known().get(&table) {
        return *form;
    }
    let form = search(&table, entries);
    known().insert(table, form);
    form
}

/// The form of a permutation of bytes, given as bytes and as entries.
fn search(table: &[u8; 256], entries: &[u64]) -> Option<InversionForm> {
    let inverses = inverses();
    // What the map before makes zero of, which the inversion leaves alone.
    (0..=255).find_map(|zero| {
        let mut question = Question { inverses: &inverses, table: [0; 256], places: [0; 256] };
        for x in 0..=255u8 {
            let entry = table[usize::from(x ^ zero)] ^ table[usize::from(zero)];
            question.table[usize::from(x)] = entry;
            question.places[usize::from(entry)] = x;
        }
        let mut known = Known { before: Linear::new(), after: Linear::new() };
        if !known.learn(&question, 1, 1) {
            return None;
        }
        let (before, after) = question.solve(&known)?;
        let form = InversionForm {
            before: ByteAffine::of_function(|x| before.of(x ^ zero)),
            after: ByteAffine::of_function(|y| after.of(y) ^ table[usize::from(zero)]),
        };
        (form.table() == entries).then(|| simplest(form, entries))
    })
}

/// A form of the same table with as few maps as possible. `x -> c x^(2^i)` before an inversion is `y -> y^(2^i) / c` after it.
fn simplest(form: InversionForm, entries: &[u64]) -> InversionForm {
    let mut best = form;
    for squarings in 0..8 {
        for factor in 1..=255u8 {
            let power = |x: u8| (0..squarings).fold(x, |x, _| multiply(x, x));
            // Undone: the square root is seven squarings.
            let root = |y: u8| (0..(8 - squarings) % 8).fold(y, |y, _| multiply(y, y));
            let other = InversionForm {
                before: ByteAffine::of_function(|x| multiply(factor, power(form.before.of(x)))),
                after: ByteAffine::of_function(|y| form.after.of(root(multiply(factor, y)))),
            };
            if other.maps() < best.maps() && other.table() == entries {
                best = other;
            }
        }
    }
    best
}

/// The inverse of each element; 0 for 0.
fn inverses() -> [u8; 256] {
    std::array::from_fn(|x| inverse(x as u8))
}

/// A linear map, as far as it is known: on a subspace.
#[derive(Clone)]
struct Linear {
    images: [Option<u8>; 256],
    /// Where it is known.
    domain: Vec<u8>,
}

impl Linear {
    fn new() -> Linear {
        let mut images = [None; 256];
        images[0] = Some(0);
        Linear { images, domain: vec![0] }
    }

    fn get(&self, x: u8) -> Option<u8> {
        self.images[usize::from(x)]
    }

    /// The image where all is known.
    fn of(&self, x: u8) -> u8 {
        self.get(x).unwrap_or(0)
    }

    fn is_complete(&self) -> bool {
        self.domain.len() == 256
    }

    /// Learns an image, and by linearity others, which are added to `news`; false if it contradicts what is known.
    fn learn(&mut self, x: u8, image: u8, news: &mut Vec<u8>) -> bool {
        if let Some(known) = self.get(x) {
            return known == image;
        }
        for place in 0..self.domain.len() {
            let sum = self.domain[place] ^ x;
            self.images[usize::from(sum)] = Some(self.of(self.domain[place]) ^ image);
            self.domain.push(sum);
            news.push(sum);
        }
        true
    }
}

/// What is to be solved: linear maps with `table[x] = after(1 / before(x))`, all three of which leave zero alone.
struct Question<'a> {
    inverses: &'a [u8; 256],
    table: [u8; 256],
    /// `places[table[x]]` is x.
    places: [u8; 256],
}

/// What is known of the two maps.
#[derive(Clone)]
struct Known {
    before: Linear,
    after: Linear,
}

impl Known {
    /// Learns an image of the map before, and all that follows; false if there is a contradiction.
    fn learn(&mut self, question: &Question<'_>, x: u8, image: u8) -> bool {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        if !self.before.learn(x, image, &mut before) {
            return false;
        }
        loop {
            if let Some(x) = before.pop() {
                let inverse = question.inverses[usize::from(self.before.of(x))];
                if !self.after.learn(inverse, question.table[usize::from(x)], &mut after) {
                    return false;
                }
            } else if let Some(y) = after.pop() {
                let x = question.places[usize::from(self.after.of(y))];
                if !self.before.learn(x, question.inverses[usize::from(y)], &mut before) {
                    return false;
                }
            } else {
                return true;
            }
        }
    }
}

impl Question<'_> {
    /// The maps, by guesses about the first image that is not known.
    fn solve(&self, known: &Known) -> Option<(Linear, Linear)> {
        if known.before.is_complete() && known.after.is_complete() {
            return Some((known.before.clone(), known.after.clone()));
        }
        let x = (1..=255u8).find(|&x| known.before.get(x).is_none())?;
        // The number itself first.
        std::iter::once(x).chain((1..=255).filter(|&image| image != x)).find_map(|image| {
            let mut next = known.clone();
            if next.learn(self, x, image) { self.solve(&next) } else { None }
        })
    }
}
