//! A loop that makes any number of turns, by induction: what holds at its head is guessed from the first two turns, and shown to
//! hold again after one turn more.
//!
//! A guess says of each register and of each byte of memory that it is always the same, that it grows by as much in each turn
//! ([`Number`], [`Address`]), or nothing. It need not be right: a turn is run from it, and what it says has to be so again, with
//! one turn less to make and one more made. Strings are seen through a window: in it are the bytes of the turns that are left,
//! from the turn on that is next, so that places in them are those from where this turn begins.

use super::flags::Flags;
use super::machine::{Machine, Word};
use super::memory::{Address, Cell, RegionId};
use super::number::{Growth, Number};
use super::run::Run;
use super::value::{self, Byte};

/// Bytes of a vector register of which some are not known.
type Vector = Vec<Option<Byte>>;

/// A region that may be written: how many of its bytes hold nothing, and those that follow.
type Written = (RegionId, usize, Vec<Cell>);

/// What a machine holds between two instructions, and where it is. What is nothing is not known.
#[derive(Clone)]
pub(super) struct State {
    memory: Vec<Written>,
    general: Vec<Option<Word>>,
    vectors: Vec<Option<Vector>>,
    addresses: Vec<Option<Vec<Cell>>>,
    masks: Vec<Option<Vec<Byte>>>,
    flags: Flags,
    pub run: Run,
}

impl State {
    pub fn of(machine: &Machine<'_>, run: &Run) -> State {
        let memory = &machine.memory;
        let region = |id| {
            let (first, cells) = memory.used(id);
            (id, first, cells.to_vec())
        };
        let vector = |bytes: &Option<Vec<Byte>>| Some(bytes.as_ref()?.iter().copied().map(Some).collect());
        State {
            memory: memory.writable().map(region).collect(),
            general: machine.general.clone(),
            vectors: machine.vectors.iter().map(vector).collect(),
            addresses: machine.addresses.clone(),
            masks: machine.masks.clone(),
            flags: machine.flags.clone(),
            run: run.clone(),
        }
    }

    /// Brings a machine to where this is.
    pub fn restore(&self, machine: &mut Machine<'_>) -> Run {
        for (id, first, cells) in &self.memory {
            machine.memory.set_used(*id, *first, cells);
        }
        machine.general.clone_from(&self.general);
        for (number, vector) in self.vectors.iter().enumerate() {
            let unknown = machine.fresh(vector.as_ref().map_or(0, Vec::len));
            let byte = |(byte, any): (&Option<Byte>, Byte)| byte.unwrap_or(any);
            machine.vectors[number] =
                vector.as_ref().map(|bytes| bytes.iter().zip(unknown).map(byte).collect());
        }
        machine.addresses.clone_from(&self.addresses);
        machine.masks.clone_from(&self.masks);
        machine.flags = self.flags.clone();
        self.run.clone()
    }
}

/// The strings of a loop, and how many bytes of each a turn takes.
pub(super) struct Strings {
    pub regions: Vec<(RegionId, i64)>,
}

impl Strings {
    /// How far the window of a region moves in so many turns.
    fn moved(&self, region: RegionId, turns: i64) -> i64 {
        let found = self.regions.iter().find(|(string, _)| *string == region);
        found.map_or(0, |(_, bytes)| bytes * turns)
    }

    fn contains(&self, region: RegionId) -> bool {
        self.regions.iter().any(|(string, _)| *string == region)
    }

    /// What holds at the head of a loop, as far as its first two turns show, from the turn that is next: states after one turn
    /// and after two, in which all turns that there are count as left.
    pub fn guess(&self, one: &State, two: &State) -> State {
        let mut guess = one.clone();
        let words = |(a, b): (&Option<Word>, &Option<Word>)| self.word(a.as_ref()?, b.as_ref()?);
        guess.general = one.general.iter().zip(&two.general).map(words).collect();
        fn same<T: Clone + PartialEq>(a: &[Option<T>], b: &[Option<T>]) -> Vec<Option<T>> {
            a.iter().zip(b).map(|(a, b)| if a == b { a.clone() } else { None }).collect()
        }
        for (number, vector) in guess.vectors.iter_mut().enumerate() {
            *vector = match (&one.vectors[number], &two.vectors[number]) {
                // Addresses would have to grow.
                (Some(a), Some(b)) if one.addresses[number].is_none() && two.addresses[number].is_none() => {
                    Some(same(a, b))
                }
                _ => None,
            };
        }
        guess.addresses.fill(None);
        guess.masks = same(&one.masks, &two.masks);
        if one.flags != two.flags {
            guess.flags = Flags::Unknown;
        }
        for (number, (id, first, cells)) in guess.memory.iter_mut().enumerate() {
            let (_, other, others) = &two.memory[number];
            if self.contains(*id) {
                continue;
            }
            // From the first word on that both have.
            let start = (*first).max(*other).next_multiple_of(8);
            let [one, two] = [(&*cells, *first), (others, *other)]
                .map(|(cells, first)| cells.get(start - first..).unwrap_or_default());
            *cells = one.chunks(8).zip(two.chunks(8)).flat_map(|(a, b)| self.cells(a, b)).collect();
            *first = start;
        }
        guess
    }

    /// What eight bytes of memory are.
    fn cells(&self, a: &[Cell], b: &[Cell]) -> Vec<Cell> {
        let word = |cells: &[Cell]| -> Option<Word> {
            match cells.first()? {
                &Cell::Part(whole, 0) => Some(Word::Address(whole)),
                &Cell::Digit(number, 0) => Some(Word::Number(number)),
                Cell::Bits(_) => {
                    let bytes: Option<Vec<Byte>> = cells
                        .iter()
                        .map(|cell| if let Cell::Bits(byte) = cell { Some(*byte) } else { None })
                        .collect();
                    bytes.filter(|bytes| value::known(bytes).is_some()).map(Word::Bits)
                }
                _ => None,
            }
        };
        // A whole word, if the bytes are those of one.
        let whole = |cells: &[Cell]| word(cells).filter(|word| word.cells().as_deref() == Some(cells));
        if a.len() == 8
            && let (Some(one), Some(two)) = (whole(a), whole(b))
            && let Some(cells) = self.word(&one, &two).and_then(|word| word.cells())
        {
            return cells;
        }
        let plain = |cell: &Cell| matches!(cell, Cell::Bits(_) | Cell::Linked);
        a.iter().zip(b).map(|(a, b)| if a == b && plain(a) { *a } else { Cell::Unset }).collect()
    }

    /// A word in the first two turns: the same, or one that grows.
    fn word(&self, one: &Word, two: &Word) -> Option<Word> {
        match (one, two) {
            (Word::Address(a), Word::Address(b)) if a.region == b.region => {
                let window =
                    |address: &Address, turns| address.moved(-self.moved(address.region, turns)).place();
                let Number { growth, more } = guessed(window(a, 1), window(b, 2))?;
                Some(Word::Address(Address { region: a.region, offset: more, growth }))
            }
            (a, b) => match (a.number(), b.number()) {
                (Some(a), Some(b)) => {
                    let number = guessed(a, b)?;
                    Some(match number.growth {
                        Growth::NONE => Word::Bits(value::constant(8, number.more as u64)),
                        _ => Word::Number(number),
                    })
                }
                _ => self.same(a, b),
            },
        }
    }

    /// A word that is the same after each turn.
    fn same(&self, one: &Word, two: &Word) -> Option<Word> {
        // Windows move: the distance stays that of two places in those that move alike, or of two that are in none.
        let is_fixed = match one {
            Word::Distance(a, b) => {
                (a.growth, b.growth) == (Growth::NONE, Growth::NONE)
                    && self.moved(a.region, 1) == self.moved(b.region, 1)
            }
            Word::Bits(_) | Word::Address(_) | Word::Number(_) => true,
            Word::Multiple(..) | Word::Low(_) => false,
        };
        (is_fixed && one == two).then(|| one.clone())
    }

    /// Whether what a guess says holds after one turn more.
    pub fn holds_again(&self, guess: &State, after: &State) -> bool {
        let words = |(guess, after): (&Option<Word>, &Option<Word>)| match (guess, after) {
            (None, _) => true,
            (Some(guess), after) => after.as_ref() == Some(&self.next(guess)),
        };
        fn same<T: PartialEq>(a: &[Option<T>], b: &[Option<T>]) -> bool {
            a.iter().zip(b).all(|(a, b)| a.is_none() || a == b)
        }
        let vectors = |(guess, after): (&Option<Vector>, &Option<Vector>)| match guess {
            None => true,
            Some(guess) => after.as_ref().is_some_and(|after| same(guess, after)),
        };
        let cells = |((id, first, cells), (_, other, after)): (&Written, &Written)| {
            let is_again = |(place, cell): (usize, &Cell)| {
                let found = (first + place).checked_sub(*other).and_then(|place| after.get(place));
                *cell == Cell::Unset || found == Some(&self.next_cell(cell))
            };
            self.contains(*id) || cells.iter().enumerate().all(is_again)
        };
        guess.general.iter().zip(&after.general).all(words)
            && guess.vectors.iter().zip(&after.vectors).all(vectors)
            && same(&guess.masks, &after.masks)
            && (guess.flags == Flags::Unknown || guess.flags == after.flags)
            && guess.memory.iter().zip(&after.memory).all(cells)
    }

    /// What a word is a turn later.
    fn next(&self, word: &Word) -> Word {
        match word {
            Word::Address(address) => Word::Address(self.next_address(*address)),
            Word::Number(number) => Word::Number(number.later()),
            other => other.clone(),
        }
    }

    fn next_address(&self, address: Address) -> Address {
        let more = address.place().later().more + self.moved(address.region, 1);
        Address { offset: more, ..address }
    }

    fn next_cell(&self, cell: &Cell) -> Cell {
        match *cell {
            Cell::Part(address, part) => Cell::Part(self.next_address(address), part),
            Cell::Digit(number, part) => Cell::Digit(number.later(), part),
            other => other,
        }
    }

    /// A state where so many turns are left.
    pub fn with_left(&self, guess: &State, left: i64) -> State {
        let word = |word: &Word| match word {
            Word::Address(address) => Word::Address(with_left(*address, left)),
            Word::Number(number) => match number.with_left(left) {
                Number { growth: Growth::NONE, more } => Word::Bits(value::constant(8, more as u64)),
                number => Word::Number(number),
            },
            other => other.clone(),
        };
        let mut state = guess.clone();
        for one in state.general.iter_mut().flatten() {
            *one = word(one);
        }
        let cell = |cell: &Cell| match *cell {
            Cell::Part(address, part) => Cell::Part(with_left(address, left), part),
            Cell::Digit(number, part) => match number.with_left(left) {
                Number { growth: Growth::NONE, more } => {
                    Cell::Bits(Byte::constant((more >> (8 * i64::from(part))) as u8))
                }
                number => Cell::Digit(number, part),
            },
            other => other,
        };
        for (_, _, cells) in &mut state.memory {
            *cells = cells.iter().map(cell).collect();
        }
        state
    }
}

/// A number that grows with the turns that are left and done, of which is known what it was after one turn and after two, when all
/// turns that there are counted as left.
fn guessed(one: Number, two: Number) -> Option<Number> {
    let left = one.growth.left;
    if one.growth != two.growth || one.growth.done != 0 {
        return None;
    }
    // Of the turns that there are, one is done, or two.
    let done = left.checked_add(two.more)?.checked_sub(one.more)?;
    let more = one.more.checked_add(left)?.checked_sub(done)?;
    Some(Number { growth: Growth { left, done }, more })
}

impl Number {
    /// The same a turn later, by the turns that are left and done then: what it was, of the turns that are left and done now.
    fn later(self) -> Number {
        let Growth { left, done } = self.growth;
        Number { more: self.more.wrapping_sub(left).wrapping_add(done), ..self }
    }

    fn with_left(self, left: i64) -> Number {
        let growth = Growth { left: 0, ..self.growth };
        Number { growth, more: self.more.wrapping_add(self.growth.left.wrapping_mul(left)) }
    }
}

fn with_left(address: Address, left: i64) -> Address {
    let Number { growth, more } = address.place().with_left(left);
    Address { offset: more, growth, ..address }
}
