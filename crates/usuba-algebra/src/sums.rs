//! Sums modulo 2 of symbols: what a bit of a program is, whatever its inputs are.
//!
//! A symbol is a bit of an input, or what is not linear: a product of two sums, an output of a table, a bit of an addition
//! into which something is carried. The same of the same is the same symbol. So two bits that are the same sum are equal for
//! all inputs; that two different sums are different functions is not claimed.
//!
//! A sum is kept once, as the ascending numbers of its symbols, and named by a number: sums in ciphers have a few terms each,
//! and comparing, copying and remembering them then costs nothing.

use crate::why::Why;
use std::collections::HashMap;
use std::rc::Rc;
use usuba_lang::source::Span;
use usuba_lang::typed::{ArithmeticOp, InstanceId};

/// A sum, by its number in [`Symbols`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sum(u32);

impl Sum {
    /// No symbol.
    pub const ZERO: Sum = Sum(0);
    /// The symbol that is one alone.
    pub const ONE: Sum = Sum(1);
}

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Symbol {
    /// The constant.
    One,
    /// The bit of the inputs that was numbered so.
    Input(u32),
    /// The product of two sums.
    Product(Sum, Sum),
    /// An output of a table.
    TableBit {
        /// The number of the [`Lookup`].
        lookup: u32,
        /// Which output, from the most significant.
        bit: u32,
    },
    /// A bit of the result of an instance that is kept as it is.
    CallBit {
        /// The number of the [`Call`].
        call: u32,
        /// Which bit, from the first.
        bit: u32,
    },
    /// A bit of an arithmetic operation on words.
    WordBit {
        /// The number of the operation.
        operation: u32,
        /// Which bit, from the least significant.
        bit: u32,
    },
}

/// A table applied to an index.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lookup {
    /// The number of the table.
    pub table: usize,
    /// The bits of the index, the most significant first.
    pub index: Vec<Sum>,
}

/// A call of an instance that is not looked into.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    /// The instance.
    pub callee: InstanceId,
    /// The bits of its inputs.
    pub arguments: Vec<Sum>,
}

/// A table that was met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownTable {
    /// Number of bits of an entry.
    pub outputs: u32,
    /// An entry for each index.
    pub entries: Vec<u64>,
    /// Entry of index 0, and what each bit of the index, the most significant first, adds to it: if the table is affine.
    affine: Option<(u64, Vec<u64>)>,
}

/// What words are made of by an [`Operation`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WordOp {
    /// Arithmetic modulo 2^length.
    Arithmetic(ArithmeticOp),
    /// Products bit by bit; only of [`Symbols::of_words`].
    And,
    /// Sums bit by bit of words that fill many registers ([`WIDE`]), so that each is computed once; only of
    /// [`Symbols::of_words`].
    Xor,
}

/// An operation on words of the same length.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Operation {
    /// The operator.
    pub op: WordOp,
    /// The bits of the left operand, the most significant first.
    pub left: Vec<Sum>,
    /// Those of the right one.
    pub right: Vec<Sum>,
}

/// Words of more bits are wide: what is computed of them is computed as it is written.
pub const WIDE: usize = 128;

/// So many terms are kept at most, 32 MiB of them. Multiplication in GF(2^128) by its definition makes less than two million.
const MOST_TERMS: usize = 8 << 20;

/// The symbols of a run, or of several that are compared, and the sums of them.
#[derive(Debug)]
pub struct Symbols {
    symbols: Vec<(Symbol, Option<Span>)>,
    sums: Vec<Rc<[u32]>>,
    numbers: HashMap<Rc<[u32]>, Sum>,
    inputs: HashMap<u32, Sum>,
    products: HashMap<(Sum, Sum), Sum>,
    tables: Vec<KnownTable>,
    lookups: Vec<Lookup>,
    looked_up: HashMap<Lookup, Vec<Sum>>,
    calls: Vec<Call>,
    called: HashMap<Call, Vec<Sum>>,
    operations: Vec<Operation>,
    operated: HashMap<Operation, u32>,
    word_bits: HashMap<(u32, u32), Sum>,
    terms: usize,
    /// Whether operations on words stay whole.
    whole: bool,
    /// Where the program stands: the place of new symbols.
    pub(crate) place: Option<Span>,
}

impl Default for Symbols {
    fn default() -> Symbols {
        Symbols::new()
    }
}

impl Symbols {
    /// The same for code on words: arithmetic and products bit by bit stay operations on words, whatever is known of single bits,
    /// unless an operand is constant.
    pub fn of_words() -> Symbols {
        Symbols { whole: true, ..Symbols::new() }
    }

    /// None but the constant.
    pub fn new() -> Symbols {
        let mut symbols = Symbols {
            symbols: vec![(Symbol::One, None)],
            sums: Vec::new(),
            numbers: HashMap::new(),
            inputs: HashMap::new(),
            products: HashMap::new(),
            tables: Vec::new(),
            lookups: Vec::new(),
            looked_up: HashMap::new(),
            calls: Vec::new(),
            called: HashMap::new(),
            operations: Vec::new(),
            operated: HashMap::new(),
            word_bits: HashMap::new(),
            terms: 0,
            whole: false,
            place: None,
        };
        // Their numbers are Sum::ZERO and Sum::ONE.
        symbols.sum(Vec::new());
        symbols.sum(vec![0]);
        symbols
    }

    /// The numbers of the symbols of a sum, ascending. 0 is the constant.
    pub fn terms(&self, sum: Sum) -> &[u32] {
        &self.sums[sum.0 as usize]
    }

    /// What a symbol stands for.
    pub fn symbol(&self, number: u32) -> Symbol {
        self.symbols[number as usize].0
    }

    /// Where a symbol was first met.
    pub fn place_of(&self, number: u32) -> Option<Span> {
        self.symbols[number as usize].1
    }

    /// All calls of instances that were not looked into, each after those its arguments are made of.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// Whether there is a symbol of this number.
    pub(crate) fn has(&self, number: u32) -> bool {
        (number as usize) < self.symbols.len()
    }

    /// The tables that were applied, in the order in which they were met.
    pub fn tables(&self) -> &[KnownTable] {
        &self.tables
    }

    /// All applications of tables, each after those its index is made of.
    pub fn lookups(&self) -> &[Lookup] {
        &self.lookups
    }

    /// The arithmetic operations that were met, by number.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// That the sums are not too many to go on.
    pub(crate) fn check_room(&self, place: Span) -> Result<(), Why> {
        if self.terms > MOST_TERMS {
            return Err(Why::new("its sums have more terms than are looked at", Some(place)));
        }
        Ok(())
    }

    /// The sum of these symbols, which ascend.
    fn sum(&mut self, terms: Vec<u32>) -> Sum {
        if let Some(&known) = self.numbers.get(terms.as_slice()) {
            return known;
        }
        self.terms += terms.len() + 8;
        let number = Sum(self.sums.len() as u32);
        let terms: Rc<[u32]> = terms.into();
        self.sums.push(terms.clone());
        self.numbers.insert(terms, number);
        number
    }

    fn fresh(&mut self, symbol: Symbol) -> Sum {
        let number = self.symbols.len() as u32;
        self.symbols.push((symbol, self.place));
        self.sum(vec![number])
    }

    /// A bit of an input; the caller numbers them.
    pub fn input(&mut self, number: u32) -> Sum {
        if let Some(&known) = self.inputs.get(&number) {
            return known;
        }
        let sum = self.fresh(Symbol::Input(number));
        self.inputs.insert(number, sum);
        sum
    }

    /// A constant.
    pub fn constant(&self, bit: bool) -> Sum {
        if bit { Sum::ONE } else { Sum::ZERO }
    }

    /// The sum of two.
    pub fn add(&mut self, a: Sum, b: Sum) -> Sum {
        if a == Sum::ZERO {
            return b;
        }
        if b == Sum::ZERO {
            return a;
        }
        let (left, right) = (&self.sums[a.0 as usize], &self.sums[b.0 as usize]);
        let mut terms = Vec::with_capacity(left.len() + right.len());
        let (mut i, mut j) = (0, 0);
        while let (Some(&x), Some(&y)) = (left.get(i), right.get(j)) {
            match x.cmp(&y) {
                std::cmp::Ordering::Less => terms.push(x),
                std::cmp::Ordering::Greater => terms.push(y),
                std::cmp::Ordering::Equal => {}
            }
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
        terms.extend(&left[i..]);
        terms.extend(&right[j..]);
        self.sum(terms)
    }

    /// The complement.
    pub fn not(&mut self, a: Sum) -> Sum {
        self.add(a, Sum::ONE)
    }

    /// The product of two.
    pub fn product(&mut self, a: Sum, b: Sum) -> Sum {
        if a == Sum::ZERO || b == Sum::ONE || a == b {
            return a;
        }
        if b == Sum::ZERO || a == Sum::ONE {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.products.get(&key) {
            return known;
        }
        let sum =
            if self.exclude_each_other(a, b) { Sum::ZERO } else { self.fresh(Symbol::Product(key.0, key.1)) };
        self.products.insert(key, sum);
        sum
    }

    /// Whether a factor of one is the complement of a factor of the other: what is chosen by a mask, and by its complement.
    fn exclude_each_other(&mut self, a: Sum, b: Sum) -> bool {
        let (ours, theirs) = (self.factors(a), self.factors(b));
        ours.into_iter().any(|one| {
            let complement = self.not(one);
            theirs.contains(&complement)
        })
    }

    /// The sums that a sum is the product of: itself, unless it is one symbol.
    fn factors(&self, sum: Sum) -> [Sum; 2] {
        match *self.terms(sum) {
            [symbol] => match self.symbol(symbol) {
                Symbol::Product(a, b) => [a, b],
                _ => [sum; 2],
            },
            _ => [sum; 2],
        }
    }

    /// The number of a table: the same for the same entries.
    pub(crate) fn table(&mut self, inputs: u32, outputs: u32, entries: &[u64]) -> usize {
        let same = |known: &KnownTable| known.outputs == outputs && known.entries == entries;
        if let Some(known) = self.tables.iter().position(same) {
            return known;
        }
        let affine = affine(inputs, entries);
        self.tables.push(KnownTable { outputs, entries: entries.to_vec(), affine });
        self.tables.len() - 1
    }

    /// The bits of an entry, the most significant first.
    pub(crate) fn look_up(&mut self, table: usize, index: Vec<Sum>) -> Vec<Sum> {
        let KnownTable { outputs, entries, affine } = &self.tables[table];
        let outputs = *outputs;
        let bit = |entry: u64, i: u32| entry >> (outputs - 1 - i) & 1 == 1;
        if let Some(index) = constant(&index) {
            let entry = entries.get(index as usize).copied().unwrap_or(0);
            return (0..outputs).map(|i| self.constant(bit(entry, i))).collect();
        }
        if let Some((zero, columns)) = affine.clone() {
            let output = |i: u32| {
                let selected = index.iter().zip(&columns).filter(|(_, column)| bit(**column, i));
                let start = self.constant(bit(zero, i));
                selected.map(|(&sum, _)| sum).fold(start, |sum, other| self.add(sum, other))
            };
            return (0..outputs).map(output).collect();
        }
        let lookup = Lookup { table, index };
        if let Some(known) = self.looked_up.get(&lookup) {
            return known.clone();
        }
        let number = self.lookups.len() as u32;
        let bits: Vec<Sum> =
            (0..outputs).map(|bit| self.fresh(Symbol::TableBit { lookup: number, bit })).collect();
        self.lookups.push(lookup.clone());
        self.looked_up.insert(lookup, bits.clone());
        bits
    }

    /// The bits, so many, of the result of a call that is not looked into.
    pub(crate) fn call(&mut self, call: Call, outputs: usize) -> Vec<Sum> {
        if let Some(known) = self.called.get(&call) {
            return known.clone();
        }
        let number = self.calls.len() as u32;
        let bits: Vec<Sum> =
            (0..outputs as u32).map(|bit| self.fresh(Symbol::CallBit { call: number, bit })).collect();
        self.calls.push(call.clone());
        self.called.insert(call, bits.clone());
        bits
    }

    /// A word made of two words of the same length, most significant bit first: modulo 2^length.
    ///
    /// A bit is exact where nothing can be carried into it: what is added there are then all the terms there are. So the
    /// product of numbers with three zeros between their bits has every fourth bit exact, as long as they have at most 15
    /// bits that are not zero.
    pub fn arithmetic(&mut self, op: ArithmeticOp, a: &[Sum], b: &[Sum]) -> Vec<Sum> {
        let width = a.len();
        let is_zero = |word: &[Sum]| word.iter().all(|&bit| bit == Sum::ZERO);
        let is_known = is_zero(a) || is_zero(b) || (self.is_constant(a) && self.is_constant(b));
        if self.whole && !is_known {
            return self.whole_word(WordOp::Arithmetic(op), a, b);
        }
        let mut columns: Vec<Vec<Sum>> = vec![Vec::new(); width];
        let from_least = |word: &[Sum], bit: usize| word[width - 1 - bit];
        let mut borrows = false;
        match op {
            ArithmeticOp::Add => {
                for (bit, column) in columns.iter_mut().enumerate() {
                    column.extend([from_least(a, bit), from_least(b, bit)]);
                }
            }
            ArithmeticOp::Subtract => {
                // Up to the least bit of what is taken away nothing is borrowed.
                for (bit, column) in columns.iter_mut().enumerate() {
                    column.extend([from_least(a, bit), from_least(b, bit)]);
                }
                borrows = true;
            }
            ArithmeticOp::Multiply => {
                for i in (0..width).filter(|&i| from_least(a, i) != Sum::ZERO) {
                    for j in (0..width - i).filter(|&j| from_least(b, j) != Sum::ZERO) {
                        columns[i + j].push(self.product(from_least(a, i), from_least(b, j)));
                    }
                }
            }
        }
        let commutes = op != ArithmeticOp::Subtract;
        let (first, second) = if commutes && b < a { (b, a) } else { (a, b) };
        let operation =
            Operation { op: WordOp::Arithmetic(op), left: first.to_vec(), right: second.to_vec() };
        // What is carried: exactly so much, or anything up to the second number.
        let (mut carried, mut most) = (Some(0), 0);
        let mut word = vec![Sum::ZERO; width];
        for (bit, mut column) in columns.into_iter().enumerate() {
            column.retain(|&term| term != Sum::ZERO);
            word[width - 1 - bit] = match carried {
                Some(carry) => {
                    let start = self.constant(carry % 2 == 1);
                    column.iter().fold(start, |sum, &term| self.add(sum, term))
                }
                None => self.word_bit(&operation, bit as u32),
            };
            if borrows {
                carried = carried.filter(|_| from_least(b, bit) == Sum::ZERO);
                continue;
            }
            let ones = column.iter().filter(|&&term| term == Sum::ONE).count();
            most = (most + column.len()) / 2;
            carried = match carried {
                Some(carry) if ones == column.len() => Some((carry + ones) / 2),
                _ => (most == 0).then_some(0),
            };
            most = carried.unwrap_or(most);
        }
        word
    }

    fn is_constant(&self, word: &[Sum]) -> bool {
        word.iter().all(|&bit| bit == Sum::ZERO || bit == Sum::ONE)
    }

    fn whole_word(&mut self, op: WordOp, a: &[Sum], b: &[Sum]) -> Vec<Sum> {
        let operation = Operation { op, left: a.to_vec(), right: b.to_vec() };
        (0..a.len() as u32).rev().map(|bit| self.word_bit(&operation, bit)).collect()
    }

    /// Products bit by bit, of two words of the same length, if they stay an operation on words.
    pub fn whole_products(&mut self, a: &[Sum], b: &[Sum]) -> Option<Vec<Sum>> {
        let stays = self.whole && a != b && !self.is_constant(a) && !self.is_constant(b);
        stays.then(|| self.whole_word(WordOp::And, a, b))
    }

    /// Sums bit by bit, of two words of the same length, if they stay an operation on words.
    pub fn whole_sums(&mut self, a: &[Sum], b: &[Sum]) -> Option<Vec<Sum>> {
        let stays = self.whole && a.len() > WIDE && a != b && !self.is_constant(a) && !self.is_constant(b);
        stays.then(|| self.whole_word(WordOp::Xor, a, b))
    }

    fn word_bit(&mut self, operation: &Operation, bit: u32) -> Sum {
        let operation = match self.operated.get(operation) {
            Some(&known) => known,
            None => {
                let number = self.operations.len() as u32;
                self.operations.push(operation.clone());
                self.operated.insert(operation.clone(), number);
                number
            }
        };
        if let Some(&known) = self.word_bits.get(&(operation, bit)) {
            return known;
        }
        let sum = self.fresh(Symbol::WordBit { operation, bit });
        self.word_bits.insert((operation, bit), sum);
        sum
    }

    /// What every symbol is for inputs that have values; `None` if there are calls that were not looked into.
    pub fn values(&self, input: impl Fn(u32) -> bool) -> Option<Values<'_>> {
        let mut values = Values { symbols: self, values: Vec::with_capacity(self.symbols.len()) };
        // A symbol is made of those before it.
        for &(symbol, _) in &self.symbols {
            let value = match symbol {
                Symbol::One => true,
                Symbol::Input(number) => input(number),
                Symbol::Product(a, b) => values.of(a) & values.of(b),
                Symbol::TableBit { lookup, bit } => {
                    let Lookup { table, index } = &self.lookups[lookup as usize];
                    let KnownTable { outputs, entries, .. } = &self.tables[*table];
                    let entry = entries.get(values.word(index) as usize).copied().unwrap_or(0);
                    entry >> (outputs - 1 - bit) & 1 == 1
                }
                Symbol::CallBit { .. } => return None,
                Symbol::WordBit { operation, bit } => {
                    let Operation { op, left, right } = &self.operations[operation as usize];
                    if let WordOp::And | WordOp::Xor = op {
                        let place = left.len() - 1 - bit as usize;
                        let (left, right) = (values.of(left[place]), values.of(right[place]));
                        values.values.push(if *op == WordOp::And { left & right } else { left ^ right });
                        continue;
                    }
                    let (left, right) = (values.word(left), values.word(right));
                    let result = match op {
                        WordOp::And | WordOp::Xor => 0,
                        WordOp::Arithmetic(ArithmeticOp::Add) => left.wrapping_add(right),
                        WordOp::Arithmetic(ArithmeticOp::Subtract) => left.wrapping_sub(right),
                        WordOp::Arithmetic(ArithmeticOp::Multiply) => left.wrapping_mul(right),
                    };
                    result >> bit & 1 == 1
                }
            };
            values.values.push(value);
        }
        Some(values)
    }
}

/// The values of all symbols.
pub struct Values<'a> {
    symbols: &'a Symbols,
    values: Vec<bool>,
}

impl Values<'_> {
    /// The value of a sum.
    pub fn of(&self, sum: Sum) -> bool {
        self.symbols.terms(sum).iter().fold(false, |value, &term| value ^ self.values[term as usize])
    }

    /// The number that at most 128 sums are, the most significant bit first.
    pub fn word(&self, sums: &[Sum]) -> u128 {
        sums.iter().fold(0, |word, &sum| word << 1 | u128::from(self.of(sum)))
    }
}

/// The number that bits are, the most significant first, if all are constant.
fn constant(bits: &[Sum]) -> Option<u64> {
    bits.iter().try_fold(0, |number, &bit| match bit {
        Sum::ZERO => Some(number << 1),
        Sum::ONE => Some(number << 1 | 1),
        _ => None,
    })
}

/// Entry 0 and the columns of a table that is affine.
fn affine(inputs: u32, entries: &[u64]) -> Option<(u64, Vec<u64>)> {
    let zero = *entries.first()?;
    let column = |bit: u32| entries.get(1 << (inputs - 1 - bit)).map(|entry| entry ^ zero);
    let columns = (0..inputs).map(column).collect::<Option<Vec<u64>>>()?;
    let is = |(index, &entry): (usize, &u64)| {
        let selected =
            columns.iter().enumerate().filter(|(bit, _)| index >> (inputs as usize - 1 - bit) & 1 == 1);
        selected.fold(zero, |sum, (_, column)| sum ^ column) == entry
    };
    entries.iter().enumerate().all(is).then_some((zero, columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(symbols: &mut Symbols, numbers: std::ops::Range<u32>) -> Vec<Sum> {
        numbers.map(|number| symbols.input(number)).collect()
    }

    #[test]
    fn what_is_chosen_by_a_mask_and_by_its_complement_excludes_itself() {
        let mut symbols = Symbols::new();
        let [a, b, mask] = inputs(&mut symbols, 0..3)[..] else { panic!() };
        let complement = symbols.not(mask);
        let (one, other) = (symbols.product(a, mask), symbols.product(b, complement));
        assert_eq!(symbols.product(one, other), Sum::ZERO);
        assert_eq!(symbols.product(mask, complement), Sum::ZERO);
        assert_ne!(symbols.product(one, b), Sum::ZERO);
        assert_eq!(symbols.product(one, b), symbols.product(b, one));
    }

    /// Every bit that is not a symbol of its own is what arithmetic makes it, for all operands of four bits.
    #[test]
    fn exact_bits_of_arithmetic_are_exact() {
        for (op, of) in [
            (ArithmeticOp::Add, u32::wrapping_add as fn(u32, u32) -> u32),
            (ArithmeticOp::Subtract, u32::wrapping_sub),
            (ArithmeticOp::Multiply, u32::wrapping_mul),
        ] {
            // Each bit is zero, one, or given.
            let mut exact = 0;
            for shape in 0..81 * 81u32 {
                let mut symbols = Symbols::new();
                let given = inputs(&mut symbols, 0..8);
                let kind = |place: u32| shape / 3u32.pow(place) % 3;
                let bits: Vec<Sum> = (0..8)
                    .map(|place| [Sum::ZERO, Sum::ONE, given[place as usize]][kind(place) as usize])
                    .collect();
                let result = symbols.arithmetic(op, &bits[..4], &bits[4..]);
                let is_exact = |sum: &Sum| {
                    let terms = symbols.terms(*sum).iter();
                    terms.copied().all(|term| !matches!(symbols.symbol(term), Symbol::WordBit { .. }))
                };
                exact += result.iter().filter(|sum| is_exact(sum)).count();
                assert!(is_exact(&result[3]), "nothing is carried into the last bit");
                for values in (0..256u32).step_by(if shape % 7 == 0 { 1 } else { 37 }) {
                    let value = |place: u32| [0, 1, values >> place & 1][kind(place) as usize];
                    let word =
                        |places: std::ops::Range<u32>| places.fold(0, |word, place| word << 1 | value(place));
                    let expected = of(word(0..4), word(4..8)) % 16;
                    let found = symbols.values(|input| values >> input & 1 == 1);
                    let found = found.map(|values| values.word(&result));
                    assert_eq!(found, Some(u128::from(expected)), "{op:?} {shape} {values}");
                }
            }
            // Of 26,244 bits.
            assert!(exact > 9_000, "{op:?}: {exact} bits are exact");
        }
    }

    /// Bits with three zeros between them: what is carried from at most 15 terms does not reach the next four places. With two
    /// zeros it does.
    #[test]
    fn integers_with_holes_multiply_like_polynomials() {
        for (step, is_exact) in [(4, true), (3, false)] {
            let mut symbols = Symbols::new();
            let given = inputs(&mut symbols, 0..128);
            let word = |start: usize| -> Vec<Sum> {
                let bit = |bit| if bit % step == 0 { given[start + bit] } else { Sum::ZERO };
                (0..64).rev().map(bit).collect()
            };
            let (a, b) = (word(0), word(64));
            let product = symbols.arithmetic(ArithmeticOp::Multiply, &a, &b);
            let mut polynomial = vec![Sum::ZERO; 64];
            for i in (0..64).step_by(step) {
                for j in (0..64 - i).step_by(step) {
                    let term = symbols.product(a[63 - i], b[63 - j]);
                    polynomial[63 - i - j] = symbols.add(polynomial[63 - i - j], term);
                }
            }
            let same = (0..64).step_by(step).all(|bit| product[63 - bit] == polynomial[63 - bit]);
            assert_eq!(same, is_exact, "every {step} places");
        }
    }
}
