//! Computing with numbers that grow with the turns of a loop ([`super::number`]), and with places in memory that do.

use super::Why;
use super::flags::Flags;
use super::machine::{Machine, Word};
use super::memory::{Address, Cell};
use super::number::{FARTHEST, Growth, Number, STEEPEST, Turns};
use super::value::{self, Byte, Lane};
use crate::graph::Edge;
use std::cmp::Ordering;

impl Machine<'_> {
    /// A word that is a number, if it stays where nothing overflows.
    pub(super) fn word(&self, number: Number) -> Result<Word, Why> {
        if number.growth == Growth::NONE {
            return Ok(Word::Bits(value::constant(8, number.more as u64)));
        }
        self.limited(number).map(Word::Number)
    }

    fn limited(&self, number: Number) -> Result<Number, Why> {
        let turns = self.turns.ok_or(Why::Turns)?;
        let steepest = STEEPEST.saturating_mul(turns.bytes);
        let is_steep = |growth: i64| growth.unsigned_abs() > steepest as u64;
        match is_steep(number.growth.left)
            || is_steep(number.growth.done)
            || number.more.unsigned_abs() > FARTHEST as u64
        {
            true => Err(Why::Turns),
            false => Ok(number),
        }
    }

    /// How a number compares with zero, if that is so for all numbers of turns.
    fn sign(&self, number: Number) -> Option<Ordering> {
        let Growth { left, done } = number.growth;
        if number.growth == Growth::NONE {
            return Some(number.more.cmp(&0));
        }
        let turns = self.turns?;
        let number = self.limited(number).ok()?;
        // Where the fewest turns are left and done.
        let first = turns.fewest(number.growth)?.checked_add(number.more)?;
        match (left.min(done) >= 0, left.max(done) <= 0, first.cmp(&0)) {
            (true, _, Ordering::Greater) => Some(Ordering::Greater),
            (_, true, Ordering::Less) => Some(Ordering::Less),
            // Where there are the most turns.
            _ if self.most(number).is_some_and(|most| most < 0) => Some(Ordering::Less),
            _ if self.most(number.times(-1)).is_some_and(|most| most < 0) => Some(Ordering::Greater),
            _ => None,
        }
    }

    /// Whether a number is not below zero, however many turns there are.
    fn is_natural(&self, number: Number) -> bool {
        let Growth { left, done } = number.growth;
        let first = |turns: Turns| turns.fewest(number.growth)?.checked_add(number.more);
        match self.turns {
            _ if number.growth == Growth::NONE => number.more >= 0,
            Some(turns) => left.min(done) >= 0 && first(turns).is_some_and(|first| first >= 0),
            None => false,
        }
    }

    /// What a number is not above, as there are no more than so many turns.
    fn most(&self, number: Number) -> Option<i64> {
        let Growth { left, done } = number.growth;
        left.max(done).max(0).checked_mul(self.turns?.most)?.checked_add(number.more)
    }

    /// How two numbers compare, with a sign or without: both are at least zero.
    pub(super) fn compared(&self, a: Number, b: Number) -> Option<Ordering> {
        (self.is_natural(a) && self.is_natural(b)).then(|| self.sign(a.minus(b))).flatten()
    }

    /// The number of bytes from one address to another in its region.
    pub(super) fn between(&self, from: Address, to: Address) -> Number {
        to.place().minus(from.place())
    }

    /// How two addresses in one region compare.
    pub(super) fn compared_places(&self, a: Address, b: Address) -> Option<Ordering> {
        self.sign(a.place().minus(b.place()))
    }

    /// An address so much further on: a number that is known, or one that grows.
    pub(super) fn moved(&self, address: Address, by: &Word, times: i64) -> Result<Address, Why> {
        match by {
            Word::Bits(bits) => {
                let number = value::known(bits).ok_or(Why::SecretAddress)? as i64;
                Ok(address.moved(number.wrapping_mul(times)))
            }
            Word::Number(number) => {
                let by = self.limited(number.times(times))?;
                let growth = address.growth.plus(by.growth);
                let moved = Address { growth, ..address.moved(by.more) };
                self.limited(moved.place()).map(|_| moved)
            }
            Word::Address(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_) => Err(Why::Address),
        }
    }

    /// A sum or difference with a number that grows or with a place that does, and the flags that it sets; nothing if there is no
    /// such operand.
    pub(super) fn sum_of_numbers(
        &mut self,
        first: &Word,
        second: &Word,
        borrows: bool,
    ) -> Result<Option<(Word, Flags)>, Why> {
        let grows = |word: &Word| match word {
            Word::Number(_) => true,
            Word::Address(address) => address.growth != Growth::NONE,
            Word::Bits(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_) => false,
        };
        if !grows(first) && !grows(second) {
            return Ok(None);
        }
        let order = |order: Option<Ordering>| order.map_or(Flags::Turns, Flags::Numbers);
        Ok(Some(match (first, second) {
            (Word::Address(a), Word::Address(b)) if borrows && a.region == b.region => {
                (self.word(self.between(*b, *a))?, order(self.compared_places(*a, *b)))
            }
            (Word::Address(a), Word::Address(b)) if borrows => {
                (Word::Distance(*a, *b), self.ordered(*a, *b).map_or(Flags::Turns, Flags::Places))
            }
            (Word::Address(a), b) => {
                (Word::Address(self.moved(*a, b, if borrows { -1 } else { 1 })?), Flags::Unknown)
            }
            (a, Word::Address(b)) if !borrows => (Word::Address(self.moved(*b, a, 1)?), Flags::Unknown),
            (a, b) => {
                let (Some(a), Some(b)) = (a.number(), b.number()) else { return Err(Why::Turns) };
                if borrows {
                    // Of numbers below zero the difference without a sign is not known.
                    let compared = self.compared(a, b).map(Flags::Numbers);
                    let difference = a.minus(b);
                    (self.word(difference)?, compared.unwrap_or_else(|| self.signed(difference)))
                } else {
                    let sum = a.plus(b);
                    (self.word(sum)?, self.signed(sum))
                }
            }
        }))
    }

    /// A sum with so many times a number.
    pub(super) fn plus(&self, sum: &Word, part: &Word, times: i64) -> Result<Word, Why> {
        let (Some(sum), Some(part)) = (sum.number(), part.number()) else {
            return Err(if matches!(part, Word::Bits(_)) { Why::SecretAddress } else { Why::Address });
        };
        if sum.growth == Growth::NONE && part.growth == Growth::NONE {
            let known = sum.more.wrapping_add(part.more.wrapping_mul(times));
            return Ok(Word::Bits(value::constant(8, known as u64)));
        }
        self.word(sum.plus(part.times(times)))
    }

    /// How a number compares with zero: what a test of it for zero gives.
    pub(super) fn tested(&self, number: Number) -> Flags {
        self.compared(number, Number::known(0)).map_or(Flags::Turns, Flags::Numbers)
    }

    /// The flags of a result of which the carry is not known.
    pub(super) fn signed(&self, number: Number) -> Flags {
        self.sign(number).map_or(Flags::Turns, Flags::Sign)
    }

    /// A number, shifted to the left.
    pub(super) fn shifted_left(&self, number: Number, by: u32) -> Result<Word, Why> {
        let times = 1i64.checked_shl(by).filter(|times| *times > 0).ok_or(Why::Turns)?;
        self.word(number.times(times))
    }

    /// A number, shifted to the right, if it is one that grows then; nothing else of it is known.
    pub(super) fn shifted_right(&self, number: Number, by: u32) -> Option<Word> {
        let is_natural = self.is_natural(number);
        if is_natural && self.most(number).is_some_and(|most| most >> by.min(63) == 0) {
            return Some(Word::Bits(value::constant(8, 0)));
        }
        let fits = by <= number.known_bits() && is_natural;
        let growth = number.growth.map(number.growth, |one, _| one >> by);
        fits.then(|| self.word(Number { growth, more: number.more >> by }).ok()).flatten()
    }

    /// So many times a number.
    pub(super) fn multiplied(&self, number: Number, by: u64) -> Result<Word, Why> {
        self.word(number.times(by as i64))
    }

    /// Fills a string from somewhere before its window to a place in it, and remembers that.
    pub(super) fn fill(&mut self, begin: Address, length: Number, byte: Byte) -> Result<(), Why> {
        let end = begin.place().plus(length);
        if end.growth != Growth::NONE || end.more < 0 || !self.is_natural(begin.place().times(-1)) {
            return Err(Why::Turns);
        }
        self.memory.write(Address::new(begin.region, 0), &vec![Cell::Bits(byte); end.more as usize])?;
        self.filled.push(begin);
        Ok(())
    }

    /// The bits of a number that a mask keeps, if it keeps or clears all that grow.
    pub(super) fn masked(&self, number: Number, mask: u64) -> Option<Word> {
        let known = number.known_bits();
        let above = u64::MAX << known;
        let more = number.more & mask as i64;
        match mask & above {
            0 => Some(Word::Bits(value::constant(8, more as u64))),
            kept if kept == above => self.word(Number { more, ..number }).ok(),
            _ => None,
        }
    }

    /// A number whose lowest bits, which do not grow, are others.
    pub(super) fn with_lowest(&self, number: Number, bits: u32, lowest: u64) -> Option<Word> {
        let above = u64::MAX << bits;
        let fits = bits <= number.known_bits();
        let more = (number.more as u64 & above | lowest & !above) as i64;
        fits.then(|| self.word(Number { more, ..number }).ok()).flatten()
    }

    /// A number as bits: those that do not grow are known, the others are any, or stand for it.
    pub(super) fn bits_of(&mut self, number: Number) -> Vec<Byte> {
        if self.turns.is_some_and(|turns| turns.are_data) {
            return value::bytes(&number.bits(self.graph), Lane::All);
        }
        self.bounded(number)
    }

    /// The same where bits are clear that are above what the number can be: the text, which may have it too, does not know that.
    pub(super) fn bounded(&mut self, number: Number) -> Vec<Byte> {
        let are_data = self.turns.is_some_and(|turns| turns.are_data);
        let data = are_data.then(|| number.bits(self.graph));
        let known = number.known_bits() as usize;
        let most = if self.is_natural(number) { self.most(number) } else { None };
        let bits: Vec<Edge> = (0..64)
            .map(|place| match place < known {
                true => Edge::constant(number.more >> place & 1 == 1),
                false if most.is_some_and(|most| most >> place == 0) => Edge::FALSE,
                false => data.as_ref().map_or_else(|| self.graph.input(), |bits| bits[place]),
            })
            .collect();
        value::bytes(&bits, Lane::All)
    }
}

impl Word {
    /// The number that a word is, if it is known or how it grows is known.
    pub(super) fn number(&self) -> Option<Number> {
        match self {
            Word::Bits(bits) => value::known(bits).map(|known| Number::known(known as i64)),
            Word::Number(number) => Some(*number),
            Word::Address(_) | Word::Distance(..) | Word::Multiple(..) | Word::Low(_) => None,
        }
    }
}
