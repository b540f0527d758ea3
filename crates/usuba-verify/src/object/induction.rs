//! A loop that makes any number of turns, by induction: what holds at its head is guessed from the first two turns, and shown to
//! hold again after one turn more.
//!
//! A guess says of each register and of each byte of memory that it is always the same, that it grows by as much in each turn
//! ([`Number`], [`Address`]), or nothing. It need not be right: a turn is run from it, and what it says has to be so again, with
//! one turn less to make and one more made. Strings are seen through a window: in it are the bytes of the turns that are left,
//! from the turn on that is next, so that places in them are those from where this turn begins.
//!
//! Data that change from turn to turn are not known, unless they have names ([`Names`]): then a guess says what they are in each turn,
//! and that they are is left to be proved.

use super::flags::Flags;
use super::lanes::{self, Lanes};
use super::machine::Word;
use super::memory::{Address, Cell, RegionId};
use super::number::{Growth, Number, Scale};
use super::renaming::Renaming;
use super::state::{Change, State, Vector, Written};
use super::value::{self, Byte};
use crate::graph::{Edge, Graph, Vertex};
use foldhash::fast::FixedState;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// What was seen of the data at the head of a loop.
#[derive(Default)]
pub(super) struct Seen {
    /// What bits are there that are the same after the first turn and after the second.
    pub kept: Rc<Renaming>,
    /// What vertices are there that are one after the first turn and the other after the second, if that is known.
    pub known: HashMap<(Vertex, Vertex), Option<Edge>, FixedState>,
}

/// What data at the head of a loop may be.
pub(super) trait Names {
    /// What a bit is at the head of a loop, in any turn, that is the one after its first turn and the other after its second.
    fn named(&self, graph: &mut Graph, seen: &mut Seen, one: Edge, two: Edge) -> Option<Edge>;
    /// A number that is the one after the first turn and the other after the second: eight bytes.
    fn number(&self, graph: &mut Graph, number: Number) -> Option<Vec<Edge>>;
    /// What bits are at the head of a loop, in any turn, that are the same after its first turn and after its second.
    fn kept(&self, graph: &mut Graph) -> Rc<Renaming>;
    /// What bits of which something was said are after the first turn.
    fn first(&self, graph: &mut Graph) -> Rc<Renaming>;
    /// What they are a turn later.
    fn next(&self, graph: &mut Graph) -> Rc<Renaming>;
    /// What they are before the last turn.
    fn last(&self, graph: &mut Graph) -> Rc<Renaming>;
    /// What numbers of turns that are done before the last turn are where all turns are left.
    fn again(&self, graph: &mut Graph) -> Rc<Renaming>;
}

/// No data have names.
pub(super) struct Nameless;

impl Names for Nameless {
    fn named(&self, _: &mut Graph, _: &mut Seen, _: Edge, _: Edge) -> Option<Edge> {
        None
    }

    fn number(&self, _: &mut Graph, _: Number) -> Option<Vec<Edge>> {
        None
    }

    fn kept(&self, _: &mut Graph) -> Rc<Renaming> {
        Rc::default()
    }

    fn first(&self, _: &mut Graph) -> Rc<Renaming> {
        Rc::default()
    }

    fn next(&self, _: &mut Graph) -> Rc<Renaming> {
        Rc::default()
    }

    fn last(&self, _: &mut Graph) -> Rc<Renaming> {
        Rc::default()
    }

    fn again(&self, _: &mut Graph) -> Rc<Renaming> {
        Rc::default()
    }
}

/// Bits that have to be the same: what something is to be, and what it is.
pub(super) type Pairs = Vec<(Edge, Edge)>;

/// A string of a loop, which is seen through a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moving {
    pub region: RegionId,
    /// Bytes that a turn takes.
    pub turn: i64,
    /// Where the window begins after the first turn.
    pub begin: i64,
}

/// What is said of the head of a loop.
pub(super) struct Guess {
    pub state: State,
    /// Vectors of which only the sum of lanes is known.
    lanes: Vec<Lanes>,
}

/// The strings of a loop.
pub(super) struct Strings {
    pub moving: Vec<Moving>,
    /// How many turns are done at the first of the states that are given.
    pub done: i64,
    /// So many loops are before, of those that follow one another.
    pub number: usize,
}

impl Strings {
    /// How far the window of a region moves in a turn.
    fn moved(&self, region: RegionId) -> i64 {
        self.of(region).map_or(0, |one| one.turn)
    }

    pub fn of(&self, region: RegionId) -> Option<&Moving> {
        self.moving.iter().find(|one| one.region == region)
    }

    /// Whether an address is where a string begins, of which the window is seen at its last turn.
    pub fn is_begin(&self, address: Address) -> bool {
        let Some(moving) = self.of(address.region) else { return false };
        let growth = Growth { left: 0, done: -moving.turn };
        address.place() == Number { growth, more: self.done * moving.turn - moving.begin }
    }

    fn contains(&self, region: RegionId) -> bool {
        self.of(region).is_some()
    }

    /// What holds at the head of a loop, as far as its first two turns show, from the turn that is next: states after one turn
    /// and after two, in which all turns that there are count as left.
    pub fn guess(&self, graph: &mut Graph, names: &dyn Names, one: &State, two: &State) -> Guess {
        let mut guess = one.clone();
        let mut lanes = Vec::new();
        let seen = RefCell::new(Seen { kept: names.kept(graph), ..Seen::default() });
        let byte = |graph: &mut Graph, one: &Byte, two: &Byte| {
            let seen = &mut *seen.borrow_mut();
            if one == two {
                return Some(seen.kept.byte(graph, *one));
            }
            let mut bits = one.bits;
            for (bit, other) in bits.iter_mut().zip(two.bits) {
                *bit = match *bit == other {
                    true => seen.kept.bit(graph, *bit),
                    false => names.named(graph, seen, *bit, other)?,
                };
            }
            (one.lane == two.lane).then_some(Byte { bits, lane: one.lane })
        };
        let mut words = |(a, b): (&Option<Word>, &Option<Word>)| match (a.as_ref()?, b.as_ref()?) {
            (Word::Bits(a), Word::Bits(b)) if value::known(a).is_none() || value::known(b).is_none() => {
                a.iter().zip(b).map(|(a, b)| byte(graph, a, b)).collect::<Option<_>>().map(Word::Bits)
            }
            (a, b) => self.word(a, b),
        };
        guess.general = one.general.iter().zip(&two.general).map(&mut words).collect();
        fn same<T: Clone + PartialEq>(a: &[Option<T>], b: &[Option<T>]) -> Vec<Option<T>> {
            a.iter().zip(b).map(|(a, b)| if a == b { a.clone() } else { None }).collect()
        }
        for number in 0..one.vectors.len() {
            (guess.vectors[number], guess.addresses[number]) = (None, None);
            let addresses = [one, two].map(|state| state.addresses[number].as_deref());
            let addresses = self.addresses(graph, names, addresses, &byte);
            let (Some(a), Some(b), Some(addresses)) = (&one.vectors[number], &two.vectors[number], addresses)
            else {
                continue;
            };
            let mut vector = self.vector(graph, names, (a, b), &byte);
            if addresses.is_none() {
                lanes.extend(Lanes::in_register(graph, (number, self.number), [a, b], &mut vector, &byte));
            }
            (guess.vectors[number], guess.addresses[number]) = (Some(vector), addresses);
        }
        guess.masks = same(&one.masks, &two.masks);
        for mask in &mut guess.masks {
            let kept = &seen.borrow().kept;
            mask.take_if(|bytes| bytes.iter().flat_map(|byte| byte.bits).any(|bit| kept.is_of(graph, bit)));
        }
        if one.flags != two.flags || !seen.borrow().kept.is_empty() {
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
            let mut each = |a: &[Cell], b: &[Cell]| self.cells(graph, names, (a, b), &byte);
            let mut found: Vec<Cell> =
                one.chunks(8).zip(two.chunks(8)).flat_map(|(a, b)| each(a, b)).collect();
            lanes.extend(Lanes::in_memory(
                graph,
                (number, start, self.number),
                [one, two],
                &mut found,
                &byte,
            ));
            (*first, *cells) = (start, found);
        }
        Guess { state: guess, lanes }
    }

    /// What a vector register is.
    fn vector(
        &self,
        graph: &mut Graph,
        names: &dyn Names,
        (one, two): (&Vector, &Vector),
        byte: &dyn Fn(&mut Graph, &Byte, &Byte) -> Option<Byte>,
    ) -> Vector {
        let whole = |bytes: &[Option<Byte>]| bytes.iter().copied().collect::<Option<Vec<Byte>>>();
        let mut found = Vector::new();
        for (one, two) in one.chunks(WORD).zip(two.chunks(WORD)) {
            let counts = match (whole(one), whole(two)) {
                (Some(one), Some(two)) => counts(graph, names, (&one, &two), self.done),
                _ => None,
            };
            match counts {
                Some(bytes) => found.extend(bytes.into_iter().map(Some)),
                None => found.extend(one.iter().zip(two).map(|(a, b)| byte(graph, a.as_ref()?, b.as_ref()?))),
            }
        }
        found
    }

    /// What addresses a vector register holds, if any; nothing if that is not known.
    fn addresses(
        &self,
        graph: &mut Graph,
        names: &dyn Names,
        both: [Option<&[Cell]>; 2],
        byte: &dyn Fn(&mut Graph, &Byte, &Byte) -> Option<Byte>,
    ) -> Option<Option<Vec<Cell>>> {
        let (one, two) = match both {
            [None, None] => return Some(None),
            [one, two] => (one?, two?),
        };
        let words = one.chunks(WORD).zip(two.chunks(WORD));
        let found: Vec<Cell> = words.flat_map(|both| self.cells(graph, names, both, byte)).collect();
        (!found.contains(&Cell::Unset)).then_some(Some(found))
    }

    /// What eight bytes of memory are.
    fn cells(
        &self,
        graph: &mut Graph,
        names: &dyn Names,
        (a, b): (&[Cell], &[Cell]),
        byte: &dyn Fn(&mut Graph, &Byte, &Byte) -> Option<Byte>,
    ) -> Vec<Cell> {
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
        let bytes = |cells: &[Cell]| -> Option<Vec<Byte>> {
            cells.iter().map(|cell| if let Cell::Bits(byte) = cell { Some(*byte) } else { None }).collect()
        };
        if let (Some(one), Some(two)) = (bytes(a), bytes(b))
            && let Some(counts) = counts(graph, names, (&one, &two), self.done)
        {
            return counts.into_iter().map(Cell::Bits).collect();
        }
        let cell = |(a, b): (&Cell, &Cell)| match (a, b) {
            (Cell::Bits(a), Cell::Bits(b)) => byte(graph, a, b).map_or(Cell::Unset, Cell::Bits),
            (Cell::Linked, Cell::Linked) => Cell::Linked,
            _ => Cell::Unset,
        };
        a.iter().zip(b).map(cell).collect()
    }

    /// A word in the first two turns: the same, or one that grows.
    fn word(&self, one: &Word, two: &Word) -> Option<Word> {
        match (one, two) {
            (Word::Address(a), Word::Address(b)) if a.region == b.region => {
                let window = |address: &Address, later: i64| {
                    let begin = self.of(address.region).map_or(0, |one| one.begin + later * one.turn);
                    address.moved(-begin).place()
                };
                let Number { growth, more } = guessed(window(a, 0), window(b, 1), self.done)?;
                Some(Word::Address(Address { region: a.region, offset: more, growth }))
            }
            (a, b) => match (a.number(), b.number()) {
                (Some(a), Some(b)) => {
                    let number = guessed(a, b, self.done)?;
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
                    && self.moved(a.region) == self.moved(b.region)
            }
            Word::Bits(_) | Word::Address(_) | Word::Number(_) => true,
            Word::Multiple(..) | Word::Low(_) => false,
        };
        (is_fixed && one == two).then(|| one.clone())
    }

    /// What has to be proved for what a guess says of data to hold after the first turn, of which the state is given; nothing if it
    /// does not.
    pub fn holds_first(
        &self,
        graph: &mut Graph,
        names: &dyn Names,
        Guess { state: guess, lanes }: &Guess,
        one: &State,
    ) -> Option<Pairs> {
        let mut pairs = Pairs::new();
        let mut byte = |guess: &Byte, one: &Byte| pairs.extend(guess.bits.into_iter().zip(one.bits));
        for (guess, one) in guess.general.iter().zip(&one.general) {
            if let (Some(Word::Bits(guess)), Some(Word::Bits(one))) = (guess, one) {
                guess.iter().zip(one).for_each(|(guess, one)| byte(guess, one));
            }
        }
        for (guess, one) in guess.vectors.iter().zip(&one.vectors) {
            for (guess, one) in guess.iter().flatten().zip(one.iter().flatten()) {
                if let (Some(guess), Some(one)) = (guess, one) {
                    byte(guess, one);
                }
            }
        }
        for (guess, one) in guess.addresses.iter().zip(&one.addresses) {
            for (guess, one) in guess.iter().flatten().zip(one.iter().flatten()) {
                if let (Cell::Bits(guess), Cell::Bits(one)) = (guess, one) {
                    byte(guess, one);
                }
            }
        }
        for ((_, first, guess), (_, other, one)) in guess.memory.iter().zip(&one.memory) {
            for (place, guess) in guess.iter().enumerate() {
                let one = (first + place).checked_sub(*other).and_then(|place| one.get(place));
                if let (Cell::Bits(guess), Some(Cell::Bits(one))) = (guess, one) {
                    byte(guess, one);
                }
            }
        }
        let kept = names.kept(graph);
        let are_kept = !guess.keys.iter().flatten().any(|&bit| kept.is_of(graph, bit));
        let first = names.first(graph);
        are_kept.then(|| renamed(graph, &first, (lanes, one), pairs)).flatten()
    }

    /// What has to be proved for what a guess says to hold after one turn more; nothing if it does not.
    pub fn holds_again(
        &self,
        graph: &mut Graph,
        names: &dyn Names,
        Guess { state: guess, lanes }: &Guess,
        after: &State,
    ) -> Option<Pairs> {
        let mut pairs = Pairs::new();
        let mut byte = |guess: &Byte, after: &Byte| {
            pairs.extend(guess.bits.into_iter().zip(after.bits));
            guess.lane == after.lane || guess.bits.iter().all(|bit| bit.known().is_some())
        };
        let mut words = |(guess, after): (&Option<Word>, &Option<Word>)| match (guess, after) {
            (None, _) => true,
            (Some(Word::Bits(guess)), Some(Word::Bits(after))) => {
                guess.iter().zip(after).all(|(guess, after)| byte(guess, after))
            }
            (Some(guess), after) => after.as_ref() == Some(&self.next(guess)),
        };
        let general = guess.general.iter().zip(&after.general).all(&mut words);
        let mut vectors = |(guess, after): (&Option<Vector>, &Option<Vector>)| match (guess, after) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(guess), Some(after)) => {
                let mut after = after.iter().copied().chain(std::iter::repeat(None));
                guess.iter().all(|guess| match (guess, after.next().flatten()) {
                    (None, _) => true,
                    (Some(guess), Some(after)) => byte(guess, &after),
                    (Some(_), None) => false,
                })
            }
        };
        let vectors = guess.vectors.iter().zip(&after.vectors).all(&mut vectors);
        let mut addresses = |(guess, after): (&Option<Vec<Cell>>, &Option<Vec<Cell>>)| {
            let Some(guess) = guess else { return true };
            let after = after.iter().flatten().map(Some).chain(std::iter::repeat(None));
            guess.iter().zip(after).all(|pair| match pair {
                (Cell::Bits(guess), Some(Cell::Bits(after))) => byte(guess, after),
                (guess, after) => after == Some(&self.next_cell(guess)),
            })
        };
        let addresses = guess.addresses.iter().zip(&after.addresses).all(&mut addresses);
        // A number that is data after the turn.
        let has_numbers = names.number(graph, Number::known(0)).is_some();
        let mut digits: Vec<(Number, u8, Byte)> = Vec::new();
        let mut cells = |((id, first, cells), (_, other, after)): (&Written, &Written)| {
            let mut is_again = |(place, cell): (usize, &Cell)| {
                let found = (first + place).checked_sub(*other).and_then(|place| after.get(place));
                match (cell, found) {
                    (Cell::Unset, _) => true,
                    (Cell::Bits(guess), Some(Cell::Bits(after))) => byte(guess, after),
                    (&Cell::Digit(number, part), Some(&Cell::Bits(after))) if has_numbers => {
                        digits.push((number, part, after));
                        true
                    }
                    (cell, found) => found == Some(&self.next_cell(cell)),
                }
            };
            self.contains(*id) || cells.iter().enumerate().all(&mut is_again)
        };
        let memory = guess.memory.iter().zip(&after.memory).all(&mut cells);
        let same =
            |(guess, after): (&Option<Vec<Byte>>, &Option<Vec<Byte>>)| guess.is_none() || guess == after;
        let masks = guess.masks.iter().zip(&after.masks).all(same);
        let flags = guess.flags == Flags::Unknown || guess.flags == after.flags;
        let keys = guess.keys == after.keys;
        for (number, part, after) in digits {
            let bits = names.number(graph, number).unwrap_or_default();
            pairs.extend(bits.into_iter().skip(8 * usize::from(part)).zip(after.bits));
        }
        let next = names.next(graph);
        let holds = general && vectors && addresses && memory && masks && flags && keys;
        holds.then(|| renamed(graph, &next, (lanes, after), pairs)).flatten()
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
        let more = address.place().later().more + self.moved(address.region);
        Address { offset: more, ..address }
    }

    fn next_cell(&self, cell: &Cell) -> Cell {
        match *cell {
            Cell::Part(address, part) => Cell::Part(self.next_address(address), part),
            Cell::Digit(number, part) => Cell::Digit(number.later(), part),
            other => other,
        }
    }

    /// A state where one turn is left, seen from the message.
    pub fn before_last(&self, graph: &mut Graph, names: &dyn Names, guess: &Guess, end: End<'_>) -> State {
        let last = names.last(graph);
        guess.state.changed(graph, &mut BeforeLast { last, end })
    }
}

/// What is so before the last turn of a loop, in terms of the message.
#[derive(Clone, Copy)]
pub(super) struct End<'a> {
    /// What data are there that are symbols before.
    pub data: &'a Renaming,
    /// How many turns the loop has for those of the message.
    pub scale: Scale,
    /// By how much the windows of strings begin before those of the loop.
    pub before: &'a [(RegionId, i64)],
}

/// What is held before the last turn.
struct BeforeLast<'a> {
    last: Rc<Renaming>,
    end: End<'a>,
}

impl Change for BeforeLast<'_> {
    fn byte(&mut self, graph: &mut Graph, byte: Byte) -> Byte {
        let byte = self.last.byte(graph, byte);
        self.end.data.byte(graph, byte)
    }

    fn number(&self, number: Number) -> Option<Number> {
        number.with_left(1).of_message(self.end.scale)
    }

    fn address(&self, address: Address) -> Option<Address> {
        let Number { growth, more } = self.number(address.place())?;
        let before = self.end.before.iter().find(|(region, _)| *region == address.region);
        let offset = more.checked_add(before.map_or(0, |(_, bytes)| *bytes))?;
        Some(Address { offset, growth, ..address })
    }
}

/// Bits that have to be what others are at another turn, where lanes that stand for anything are what they are in a state; nothing if
/// those are not known.
fn renamed(
    graph: &mut Graph,
    renaming: &Renaming,
    (lanes, state): (&[Lanes], &State),
    pairs: Pairs,
) -> Option<Pairs> {
    let there = lanes::in_state(lanes, state)?;
    // Nothing else is made of these.
    let is_of_lanes = |bit: &Edge| lanes.iter().any(|one| one.contains(bit.vertex()));
    let (wanted, found): (Vec<Edge>, Vec<Edge>) = pairs.into_iter().unzip();
    let mut renamed = renaming.of(graph, &wanted);
    for (_, bit) in wanted.iter().zip(&mut renamed).filter(|(wanted, _)| is_of_lanes(wanted)) {
        *bit = there.bit(graph, *bit);
    }
    Some(renamed.into_iter().zip(found).filter(|(wanted, found)| wanted != found).collect())
}

/// Bytes of a word.
const WORD: usize = 8;

/// A word that grows by more in a turn is two counters side by side, or none.
const WORD_STEP: u64 = 1 << 31;

/// What counters grow by in a turn is less.
const STEP: u64 = 1 << 20;

/// What eight bytes are that are counters, or what they are added to: of one word or two, in one order or the other; as they are after
/// the first turn and after the second.
fn counts(
    graph: &mut Graph,
    names: &dyn Names,
    (one, two): (&[Byte], &[Byte]),
    turns: i64,
) -> Option<Vec<Byte>> {
    // Bits of counters are complements or not, of nothing or of what is the same in both.
    let is_alike = |(a, b): (&Byte, &Byte)| {
        let bits = a.bits.iter().zip(b.bits);
        a.lane == b.lane && bits.into_iter().all(|(a, b)| a.vertex() == b.vertex())
    };
    if one == two || one.len() != WORD || !one.iter().zip(two).all(is_alike) {
        return None;
    }
    let mut widths = [(WORD, false), (WORD, true), (WORD / 2, false), (WORD / 2, true)];
    // What is not known beside a counter is no part of it.
    if one.iter().any(|byte| byte.known().is_none()) {
        widths.rotate_left(2);
    }
    widths.into_iter().find_map(|(bytes, is_swapped)| {
        let turned = |all: &[Byte]| -> Vec<Byte> {
            if is_swapped { all.iter().rev().copied().collect() } else { all.to_vec() }
        };
        let number = |all: &[Byte]| {
            let bits = all.iter().flat_map(|byte| byte.bits).rev();
            bits.fold(0, |all, bit| all << 1 | u64::from(bit.is_complemented())) as i64
        };
        let mut found = Vec::new();
        for (one, two) in one.chunks(bytes).zip(two.chunks(bytes)) {
            let (one, two) = (turned(one), turned(two));
            let (a, b) = (number(&one), number(&two));
            if b.abs_diff(a) >= STEP {
                return None;
            }
            let bits = names.number(graph, guessed(Number::known(a), Number::known(b), turns)?)?;
            let word: Vec<Byte> = one
                .iter()
                .zip(bits.chunks(8))
                .map(|(byte, number)| {
                    let bit = |bit: usize| graph.xor(byte.bits[bit].vertex().edge(), number[bit]);
                    Byte { bits: std::array::from_fn(bit), ..*byte }
                })
                .collect();
            found.extend(turned(&word));
        }
        Some(found)
    })
}

/// A number that grows with the turns that are left and done, of which is known what it was after so many turns and after one more,
/// when all turns that there are counted as left.
fn guessed(one: Number, two: Number, turns: i64) -> Option<Number> {
    let left = one.growth.left;
    if one.growth != two.growth || one.growth.done != 0 {
        return None;
    }
    // Of the turns that there are, so many are done, or one more.
    let done = left.checked_add(two.more)?.checked_sub(one.more)?;
    let more = one.more.checked_add(left.checked_sub(done)?.checked_mul(turns)?)?;
    if done.unsigned_abs() > WORD_STEP {
        return None;
    }
    Some(Number { growth: Growth { left, done }, more })
}

impl Number {
    /// The same a turn later, by the turns that are left and done then: what it was, of the turns that are left and done now.
    fn later(self) -> Number {
        let Growth { left, done } = self.growth;
        Number { more: self.more.wrapping_sub(left).wrapping_add(done), ..self }
    }

    /// The same where so many turns are left.
    pub(super) fn with_left(self, left: i64) -> Number {
        let growth = Growth { left: 0, ..self.growth };
        Number { growth, more: self.more.wrapping_add(self.growth.left.wrapping_mul(left)) }
    }
}
