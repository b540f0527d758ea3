//! The layers of a block cipher: byte tables side by side, and affine maps between them.
//!
//! A node from a block and round keys to a block has layers if it is
//!
//! ```text
//! x_1 = A_1 · block ⊕ B_1 · key ⊕ c_1,    y_i = S_i(x_i),    x_(i+1) = A_(i+1) · y_i ⊕ B_(i+1) · key ⊕ c_(i+1)
//! ```
//!
//! and its result is such an affine map of the last y, where S_i replaces the first bytes of a state, each by a table, and
//! leaves the rest as it is. Where the tables take the whole state (AES, ARIA) there is no rest; in a Feistel network (SM4,
//! the schedule of AES) it is what later layers still need.
//!
//! Everything is exact: the matrices are read off the sums that the program makes of its inputs.

use crate::run::{check_size, input_bits, output_bits, run};
use crate::sums::{Sum, Symbol, Symbols};
use crate::why::Why;
use usuba_lang::source::Span;
use usuba_lang::typed::{InstanceId, Program};
use usuba_logic::matrix::{Basis, Matrix, Vector};

/// What a bit of an input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputBit {
    /// Bit i mod 8, from the least significant, of byte i div 8 of the block.
    Block(usize),
    /// A bit of the round keys, in an order that the caller chooses.
    Key(usize),
}

/// What the bits of the parameters of a node are, in the order of [`mod@crate::run`]. Which bits of a word are which bits of bytes is
/// said by a manifest. Bit i is always bit i mod 8, from the least significant, of byte i div 8.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// The inputs.
    pub inputs: Vec<InputBit>,
    /// The numbers of the bits of the result.
    pub outputs: Vec<usize>,
}

impl Places {
    /// Those of a node whose first input is the block, other inputs the round keys, and whose words are written with their
    /// first bit first: as `u8[16]`, `b128` or big-endian words have it.
    pub fn big(program: &Program, instance: InstanceId) -> Places {
        let instance = program.instance(instance);
        let big = |bit: usize| bit / 8 * 8 + 7 - bit % 8;
        let block = instance.inputs.first().map_or(0, |&first| crate::run::bits_of(instance, &[first]));
        let input = |bit: usize| match bit.checked_sub(block) {
            None => InputBit::Block(big(bit)),
            Some(bit) => InputBit::Key(big(bit)),
        };
        Places {
            inputs: (0..input_bits(instance)).map(input).collect(),
            outputs: (0..output_bits(instance)).map(big).collect(),
        }
    }

    /// Whether each bit of the block, the keys and the result is there once at most.
    fn are_distinct(&self) -> bool {
        let (mut block, mut key) = (Vec::new(), Vec::new());
        for &input in &self.inputs {
            match input {
                InputBit::Block(bit) => block.push(bit),
                InputBit::Key(bit) => key.push(bit),
            }
        }
        [block, key, self.outputs.clone()].into_iter().all(|mut numbers| {
            let count = numbers.len();
            numbers.sort_unstable();
            numbers.dedup();
            numbers.len() == count
        })
    }

    /// Number of bits of the block.
    pub fn block(&self) -> usize {
        let numbers = self.inputs.iter().filter_map(|input| match input {
            InputBit::Block(bit) => Some(bit + 1),
            InputBit::Key(_) => None,
        });
        numbers.max().unwrap_or(0)
    }

    /// Number of bits of the round keys.
    pub fn key(&self) -> usize {
        let numbers = self.inputs.iter().filter_map(|input| match input {
            InputBit::Key(bit) => Some(bit + 1),
            InputBit::Block(_) => None,
        });
        numbers.max().unwrap_or(0)
    }
}

/// An affine map of data and key: `data · x ⊕ key · k ⊕ constant`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Affine {
    /// What is applied to the data.
    pub data: Matrix,
    /// What is applied to the round keys.
    pub key: Matrix,
    /// What is added.
    pub constant: Vector,
}

impl Affine {
    /// The image.
    ///
    /// # Panics
    /// If there are not as many bits as the matrices have columns.
    pub fn of(&self, data: &Vector, key: &Vector) -> Vector {
        let mut image = self.data.of(data);
        image.add(&self.key.of(key));
        image.add(&self.constant);
        image
    }

    /// The map with its rows in another order: row i is row `sources[i]` of this.
    #[must_use]
    pub fn with_rows(&self, sources: &[usize]) -> Affine {
        let rows = |matrix: &Matrix| {
            let rows = sources.iter().map(|&source| matrix.row(source).clone()).collect();
            Matrix::of_rows(matrix.columns(), rows)
        };
        Affine {
            data: rows(&self.data),
            key: rows(&self.key),
            constant: sources.iter().map(|&source| self.constant.get(source)).collect(),
        }
    }
}

/// A layer: bit b, from the least significant, of the byte of table j is bit 8j + b of its state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layer {
    /// From the state behind the layer before, or the block, to the state before the tables.
    pub before: Affine,
    /// The numbers of the tables in [`Layers::tables`], applied to the first bytes of the state.
    pub tables: Vec<usize>,
}

impl Layer {
    /// How many bits of the state no table is applied to.
    pub fn rest(&self) -> usize {
        self.before.data.rows() - 8 * self.tables.len()
    }
}

/// A node in layers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layers {
    /// The tables from bytes to bytes, in the order in which they are met.
    pub tables: Vec<[u8; 256]>,
    /// The layers in order, one at least.
    pub layers: Vec<Layer>,
    /// From the state behind the last layer to the result.
    pub last: Affine,
}

impl Layers {
    /// Number of bits of the block.
    pub fn block(&self) -> usize {
        self.layers.first().map_or(0, |layer| layer.before.data.columns())
    }

    /// Number of bits of the round keys.
    pub fn key(&self) -> usize {
        self.last.key.columns()
    }

    /// The result for a block and round keys.
    ///
    /// # Panics
    /// If they have other lengths than [`Layers::block`] and [`Layers::key`].
    pub fn of(&self, block: &Vector, key: &Vector) -> Vector {
        let through = |state: Vector, layer: &Layer| {
            let mut bytes = layer.before.of(&state, key);
            for (number, &table) in layer.tables.iter().enumerate() {
                let bits = 8 * number..8 * number + 8;
                let index = bits.clone().rev().fold(0, |index, bit| index << 1 | usize::from(bytes.get(bit)));
                let changed = self.tables[table][index] ^ index as u8;
                bits.filter(|bit| changed >> (bit % 8) & 1 == 1).for_each(|bit| bytes.flip(bit));
            }
            bytes
        };
        self.last.of(&self.layers.iter().fold(block.clone(), through), key)
    }
}

/// The layers of an instance.
///
/// In the first layer bytes are in the order of the first bit of the block that they depend on, in the others in the order in
/// which the program looks them up. The rest of a state is what later layers need of older ones: the reduced echelon basis of
/// it, without what the key adds, which is added where it is used.
///
/// # Errors
/// What is not affine and no table of bytes, or a table that is applied to the key alone.
pub fn layers(program: &Program, instance: InstanceId, places: &Places) -> Result<Layers, Why> {
    let entry = program.instance(instance);
    if places.inputs.len() != input_bits(entry) || places.outputs.len() != output_bits(entry) {
        return Err(Why::new("the places of its bits are not those of its parameters", Some(entry.span)));
    }
    if !places.are_distinct() {
        return Err(Why::new("two of its bits have the same place", Some(entry.span)));
    }
    let mut symbols = Symbols::new();
    let inputs: Vec<Sum> = (0..places.inputs.len() as u32).map(|number| symbols.input(number)).collect();
    let results = run(&mut symbols, program, instance, &inputs)?;
    let mut outputs = vec![Sum::ZERO; results.len()];
    for (&place, &sum) in places.outputs.iter().zip(&results) {
        let output = outputs.get_mut(place);
        *output.ok_or_else(|| Why::new("its result is not whole bytes", Some(entry.span)))? = sum;
    }
    let reading = Reading::new(&symbols, places, &outputs)?;
    reading.layers(&outputs, entry.span)
}

/// The tables that are applied, each with its layer.
struct Reading<'a> {
    symbols: &'a Symbols,
    places: &'a Places,
    block: usize,
    key: usize,
    /// For each lookup its layer, from 1, if the outputs depend on it.
    depths: Vec<Option<usize>>,
    /// For each layer the lookups in order.
    members: Vec<Vec<usize>>,
}

/// A part of a sum.
enum Term {
    One,
    Block(usize),
    Key(usize),
    /// A bit, from the least significant, of the value of a lookup.
    Table(usize, usize),
}

impl<'a> Reading<'a> {
    fn new(symbols: &'a Symbols, places: &'a Places, outputs: &[Sum]) -> Result<Reading<'a>, Why> {
        let (block, key) = (places.block(), places.key());
        let depths = vec![None; symbols.lookups().len()];
        let mut reading = Reading { symbols, places, block, key, depths, members: Vec::new() };
        // A lookup is met after those that it depends on: which are needed is seen backwards, and how deep they are forwards.
        let mut needed = vec![false; symbols.lookups().len()];
        reading.mark(outputs, &mut needed)?;
        for (number, lookup) in symbols.lookups().iter().enumerate().rev() {
            if needed[number] {
                reading.mark(&lookup.index, &mut needed)?;
            }
        }
        for (number, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
            let depth = reading.depth(number)?;
            reading.depths[number] = Some(depth);
            reading.members.resize_with(reading.members.len().max(depth), Vec::new);
            reading.members[depth - 1].push(number);
        }
        if let Some(first) = reading.members.first_mut() {
            let least = |&number: &usize| {
                let index = symbols.lookups()[number].index.iter();
                let terms = index.flat_map(|&sum| symbols.terms(sum));
                let block = terms.filter_map(|&term| match symbols.symbol(term) {
                    Symbol::Input(input) => Some(places.inputs[input as usize]),
                    _ => None,
                });
                block.filter_map(|bit| if let InputBit::Block(bit) = bit { Some(bit) } else { None }).min()
            };
            first.sort_by_key(least);
        }
        Ok(reading)
    }

    /// The terms of a sum.
    ///
    /// # Errors
    /// One that is no input and no output of a table of bytes.
    fn terms(&self, sum: Sum) -> Result<Vec<Term>, Why> {
        let term = |&number: &u32| {
            let place = self.symbols.place_of(number);
            match self.symbols.symbol(number) {
                Symbol::One => Ok(Term::One),
                Symbol::Input(input) => Ok(match self.places.inputs[input as usize] {
                    InputBit::Block(bit) => Term::Block(bit),
                    InputBit::Key(bit) => Term::Key(bit),
                }),
                Symbol::Product(..) => Err(Why::new("`&` or `|` of two values is not affine", place)),
                Symbol::CallBit { .. } => {
                    Err(Why::new("a call that is not looked into is not affine", place))
                }
                Symbol::WordBit { .. } => Err(Why::new("carries of arithmetic are not affine", place)),
                Symbol::TableBit { lookup, bit } => {
                    let table = &self.symbols.tables()[self.symbols.lookups()[lookup as usize].table];
                    if (table.entries.len(), table.outputs) != (256, 8) {
                        let inputs = table.entries.len().trailing_zeros();
                        let outputs = table.outputs;
                        let message =
                            format!("a table from {inputs} to {outputs} bits is none from bytes to bytes");
                        return Err(Why::new(message, place));
                    }
                    Ok(Term::Table(lookup as usize, 7 - bit as usize))
                }
            }
        };
        self.symbols.terms(sum).iter().map(term).collect()
    }

    /// Marks the lookups that sums have terms of.
    fn mark(&self, sums: &[Sum], needed: &mut [bool]) -> Result<(), Why> {
        for &sum in sums {
            for term in self.terms(sum)? {
                if let Term::Table(lookup, _) = term {
                    needed[lookup] = true;
                }
            }
        }
        Ok(())
    }

    /// The layer of a lookup; those that it depends on have theirs.
    fn depth(&self, number: usize) -> Result<usize, Why> {
        let mut depth = None;
        for &sum in &self.symbols.lookups()[number].index {
            for term in self.terms(sum)? {
                depth = match term {
                    Term::Block(_) => depth.max(Some(0)),
                    Term::Table(lookup, _) => depth.max(self.depths[lookup]),
                    Term::One | Term::Key(_) => depth,
                };
            }
        }
        depth.map(|depth| depth + 1).ok_or_else(|| {
            let place = self.place(number);
            Why::new("a table is applied to the key alone: its schedule is not cut off", place)
        })
    }

    /// Where a lookup stands.
    fn place(&self, number: usize) -> Option<Span> {
        let is = |symbol: &u32| matches!(self.symbols.symbol(*symbol), Symbol::TableBit { lookup, .. } if lookup as usize == number);
        (0..)
            .take_while(|&symbol| self.symbols.has(symbol))
            .find(is)
            .and_then(|symbol| self.symbols.place_of(symbol))
    }

    fn layers(&self, outputs: &[Sum], place: Span) -> Result<Layers, Why> {
        if self.members.is_empty() {
            return Err(Why::new("its result does not depend on any table of bytes", Some(place)));
        }
        let lookups = self.symbols.lookups();
        // What is computed of the states: the indices of each layer, least significant bits first, and the result.
        let indices = |members: &Vec<usize>| -> Vec<Sum> {
            members.iter().flat_map(|&member| lookups[member].index.iter().rev().copied()).collect()
        };
        let mut uses: Vec<Vec<Sum>> = self.members.iter().map(indices).collect();
        uses.push(outputs.to_vec());
        // The rest of each state: what uses beyond the layer itself take of what stands before it.
        let mut rests = Vec::new();
        for layer in 0..self.members.len() {
            let mut basis = Basis::new(self.columns());
            for &sum in uses[layer + 1..].iter().flatten() {
                basis.insert(self.older(sum, layer)?);
                check_size(basis.rows().len() * self.members.len(), self.columns(), place)?;
            }
            rests.push(basis);
        }
        // All maps together.
        let bits = (0..self.members.len()).map(|layer| self.state(Some(layer), &rests));
        let (rows, widest) =
            bits.fold((outputs.len(), self.block), |(sum, most), bits| (sum + bits, most.max(bits)));
        check_size(rows, widest + self.key, place)?;
        let mut layers = Vec::new();
        for (number, members) in self.members.iter().enumerate() {
            let before = number.checked_sub(1);
            let rows = uses[number].iter().map(|&sum| self.row(sum, before, &rests));
            let mut rows: Vec<Row> = rows.collect::<Result<_, Why>>()?;
            for form in rests[number].rows() {
                let data = self.coordinates(form, before, &rests);
                rows.push(Row { data, key: Vector::zero(self.key), constant: false });
            }
            let tables = members.iter().map(|&member| lookups[member].table).collect();
            layers.push(Layer { before: affine(rows, self.state(before, &rests), self.key), tables });
        }
        let last = self.members.len().checked_sub(1);
        let rows = outputs.iter().map(|&sum| self.row(sum, last, &rests)).collect::<Result<_, Why>>()?;
        let last = affine(rows, self.state(last, &rests), self.key);
        Ok(self.with_tables(layers, last))
    }

    /// The layers with the tables that they name alone.
    fn with_tables(&self, mut layers: Vec<Layer>, last: Affine) -> Layers {
        let mut numbers: Vec<usize> = Vec::new();
        for table in layers.iter_mut().flat_map(|layer| &mut layer.tables) {
            let known = numbers.iter().position(|number| number == table);
            let place = known.unwrap_or_else(|| {
                numbers.push(*table);
                numbers.len() - 1
            });
            *table = place;
        }
        let entries = |&number: &usize| -> [u8; 256] {
            let table = &self.symbols.tables()[number];
            std::array::from_fn(|index| table.entries[index] as u8)
        };
        Layers { tables: numbers.iter().map(entries).collect(), layers, last }
    }

    /// How many bits older data can have: the block and all values of tables.
    fn columns(&self) -> usize {
        self.block + 8 * self.depths.len()
    }

    /// The place of a term in vectors of older data.
    fn column(&self, term: &Term) -> Option<usize> {
        match *term {
            Term::Block(bit) => Some(bit),
            Term::Table(lookup, bit) => Some(self.block + 8 * lookup + bit),
            Term::One | Term::Key(_) => None,
        }
    }

    /// What a sum takes of the block and of the tables of the first layers, so many.
    fn older(&self, sum: Sum, layers: usize) -> Result<Vector, Why> {
        let mut vector = Vector::zero(self.columns());
        for term in self.terms(sum)? {
            let is_older = match term {
                Term::Table(lookup, _) => self.depths[lookup].is_some_and(|depth| depth <= layers),
                _ => true,
            };
            if let Some(column) = self.column(&term).filter(|_| is_older) {
                vector.flip(column);
            }
        }
        Ok(vector)
    }

    /// Number of bits behind a layer, or of the block before the first.
    fn state(&self, layer: Option<usize>, rests: &[Basis]) -> usize {
        layer.map_or(self.block, |layer| 8 * self.members[layer].len() + rests[layer].rows().len())
    }

    /// A vector of older data in terms of the state behind a layer.
    fn coordinates(&self, form: &Vector, layer: Option<usize>, rests: &[Basis]) -> Vector {
        let Some(layer) = layer else { return (0..self.block).map(|bit| form.get(bit)).collect() };
        let members = self.members[layer].iter();
        let tables = members.flat_map(|&member| (0..8).map(move |bit| self.block + 8 * member + bit));
        tables.chain(rests[layer].pivots().iter().copied()).map(|column| form.get(column)).collect()
    }

    /// A sum in terms of the state behind a layer and of the key.
    fn row(&self, sum: Sum, layer: Option<usize>, rests: &[Basis]) -> Result<Row, Why> {
        let mut row = Row { data: Vector::default(), key: Vector::zero(self.key), constant: false };
        for term in self.terms(sum)? {
            match term {
                Term::One => row.constant = true,
                Term::Key(bit) => row.key.flip(bit),
                Term::Block(_) | Term::Table(..) => {}
            }
        }
        let form = self.older(sum, layer.map_or(0, |layer| layer + 1))?;
        row.data = self.coordinates(&form, layer, rests);
        Ok(row)
    }
}

/// A row of an affine map.
struct Row {
    data: Vector,
    key: Vector,
    constant: bool,
}

fn affine(rows: Vec<Row>, state: usize, key: usize) -> Affine {
    let constant = rows.iter().map(|row| row.constant).collect();
    let (data, keys) = rows.into_iter().map(|row| (row.data, row.key)).unzip();
    Affine { data: Matrix::of_rows(state, data), key: Matrix::of_rows(key, keys), constant }
}
