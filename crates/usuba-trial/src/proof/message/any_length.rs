//! Messages of any length: where a proof by induction is tried, and what is proved one by one beside it.

use super::{NoMessage, Subject};
use std::collections::BTreeSet;
use usuba_verify::object::any_length::{AnyLength, Pace, Turn};
use usuba_verify::object::blocks::Verdict;
use usuba_verify::object::file::Object;
use usuba_verify::object::growing;
use usuba_verify::object::message::Report;
use usuba_verify::object::turn_lengths::{Looped, Seen, turns};
use usuba_verify::prove::Limits;
use usuba_verify::symbolic::source;

/// By so many bytes is a message longer that is run to see how its loops turn: some turns of those over 8 blocks of 16 bytes, over
/// 32, over 64, and over the most bytes at once.
const LONGER: [i64; 4] = [5 * 128, 5 * 512, 5 * 1024, 5 * 4096];

/// A multiple of the units of most lengths.
const BLOCK: i64 = 16;

/// No string is longer: the bytes of an address space.
const MOST: i64 = 1 << 47;

/// No more turns are looked for in what follows a loop.
const SPARE: u64 = 2;

/// So many turns of loops over less than a block are looked at together too.
const SEVERAL: u64 = 16;

/// Turns of less than a word are not looked at alone, where there are greater ones.
const WORD: u64 = 8;

/// Turns of several loops have no more bytes.
const MOST_TOGETHER: u64 = 4096;

/// Longer messages of one length are proved by loops that make turns, if there are such.
const ALONE: i64 = 1024;

/// Lengths of which one grows from here.
#[derive(Clone, Copy, Debug)]
pub struct FromHere<'a> {
    /// The lengths.
    pub lengths: &'a [i64],
    /// Which one grows.
    pub place: usize,
}

/// A pace of loops without its texts: so much follows the turns.
struct Paced {
    turn: Turn,
    rest: i64,
    loops: Vec<Looped>,
}

/// What was proved of a length that grows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proved {
    /// What is known of all of these lengths together.
    pub verdict: Verdict,
    /// By how much the length grows.
    pub by: i64,
    /// The lengths that were proved one by one.
    pub alone: Vec<i64>,
    /// The work of the proof by induction.
    pub report: Report,
}

impl Subject<'_> {
    /// Proves a function for lengths of which one is as said, or longer by any number of turns of the loop of the code. Where that is
    /// not known, a difference is no refutation; lengths of few turns are proved one by one.
    ///
    /// # Errors
    /// The text does not elaborate, the code is refused, or no loop of it does for each turn what the text says.
    pub fn prove_growing(
        &self,
        object: &Object,
        (symbol, prepared): (&str, usize),
        from: FromHere<'_>,
        limits: Limits,
    ) -> Result<Proved, NoMessage> {
        let mut tried = Vec::new();
        let mut all: BTreeSet<Turn> = BTreeSet::new();
        for bytes in LONGER {
            // A text with a turn for each byte may become too large.
            let (seen, unit) = match self.seen(object, (symbol, prepared), (from, bytes)) {
                Err(_) if !tried.is_empty() => break,
                seen => seen?,
            };
            let candidates = together(&seen, unit).into_iter().filter(|turn| turn.spare <= SPARE);
            for turn in candidates.filter(|turn| all.insert(*turn)).collect::<Vec<_>>() {
                let own = smaller(&seen, turn, unit);
                let at = |turn: &Turn| paced(&seen, *turn, from.lengths[from.place]);
                let paces: Vec<Paced> = std::iter::once(&turn).chain(&own).map(at).collect();
                let rest = paces[0].rest;
                let try_at =
                    |delay| self.prove_any(object, (symbol, prepared), from, (&paces, delay), limits);
                // Code may have products of a turn that it adds up in the next one.
                let (delay, found) = match try_at(0) {
                    found @ Ok((Verdict::Proved, _)) => (0, found),
                    found => match try_at(1) {
                        later @ Ok((Verdict::Proved, _)) => (1, later),
                        _ => (0, found),
                    },
                };
                match found {
                    Ok((Verdict::Proved, report)) => {
                        let shortest = turn.shortest(rest as u64, delay) as i64;
                        let alone: Vec<i64> =
                            (from.lengths[from.place]..shortest).step_by(turn.by as usize).collect();
                        let proved = Proved { verdict: Verdict::Proved, by: turn.by as i64, alone, report };
                        let own = (seen.as_slice(), own.as_slice());
                        return self.prove_alone(object, (symbol, prepared), (from, proved), own, limits);
                    }
                    Ok(_) => tried.push(format!("by {}: neither proved nor refuted in the limits", turn.by)),
                    Err(NoMessage::Text(_)) => {}
                    Err(why) => tried.push(format!("by {}: {why}", turn.by)),
                }
            }
        }
        Err(NoMessage::NoTurn(match tried.is_empty() {
            true => "no loop goes on by as much in each turn".to_owned(),
            false => tried.join("; "),
        }))
    }

    /// Proves the lengths that are proved one by one, with loops that make smaller turns, if there are such.
    fn prove_alone(
        &self,
        object: &Object,
        code: (&str, usize),
        (from, mut proved): (FromHere<'_>, Proved),
        (seen, smaller): (&[Seen], &[Turn]),
        limits: Limits,
    ) -> Result<Proved, NoMessage> {
        let mut lengths = from.lengths.to_vec();
        for &length in &proved.alone {
            lengths[from.place] = length;
            if !self.form.fits(&lengths) {
                continue;
            }
            if length > ALONE && !smaller.is_empty() {
                let whole = Turn { by: 0, lead: 0, spare: 0 };
                let whole = Paced { turn: whole, rest: length, loops: Vec::new() };
                let own = smaller.iter().map(|turn| paced(seen, *turn, length));
                let paces: Vec<Paced> = std::iter::once(whole).chain(own).collect();
                let found = self.prove_any(object, code, from, (&paces, 0), limits);
                if matches!(found, Ok((Verdict::Proved, _))) {
                    continue;
                }
            }
            let (verdict, _) = self.prove(object, code, &lengths, limits)?;
            if verdict != Verdict::Proved {
                proved.verdict = verdict;
                break;
            }
        }
        Ok(proved)
    }

    /// The loops of the code that may make turns of a message that is so many bytes longer, with the unit of its length.
    fn seen(
        &self,
        object: &Object,
        (symbol, prepared): (&str, usize),
        (FromHere { lengths, place }, bytes): (FromHere<'_>, i64),
    ) -> Result<(Vec<Seen>, u64), NoMessage> {
        let longer = |by: i64| {
            let mut all = lengths.to_vec();
            all[place] += by;
            all
        };
        // Bytes of a unit of the length: those by which the strings are longer that grow.
        let sizes = |lengths: &[i64]| -> Result<Vec<i64>, NoMessage> {
            let program = self.elaborated(lengths)?;
            let strings = source::inputs(&program).into_iter().chain(source::outputs(&program));
            Ok(strings.map(|(_, atoms)| i64::from(atoms)).collect())
        };
        let (some, more) = (sizes(&longer(BLOCK))?, sizes(&longer(2 * BLOCK))?);
        let unit = some.iter().zip(&more).map(|(some, more)| (more - some) / BLOCK).max().unwrap_or(1).max(1);
        let longest = longer(bytes / unit);
        let (text, shorter) = (self.elaborated(&longest)?, self.elaborated(&longer(bytes / unit - 1))?);
        let numbers: Vec<u64> = longest.iter().map(|&length| length as u64).collect();
        let in_place = self.in_place();
        let message = self.message((symbol, prepared), (&text, object), &numbers, &in_place);
        let mut seen = turns(&message, &shorter, object)?;
        seen.retain(|one| one.lead <= 2 * one.by);
        Ok((seen, unit as u64))
    }

    /// Proves a function for all lengths that leave as much after the turns of the first pace, of [`Turn::shortest`] or more.
    fn prove_any(
        &self,
        object: &Object,
        (symbol, prepared): (&str, usize),
        FromHere { lengths, place }: FromHere<'_>,
        (paces, delay): (&[Paced], usize),
        limits: Limits,
    ) -> Result<(Verdict, Report), NoMessage> {
        let from = lengths[place];
        let mut lengths = lengths.to_vec();
        let mut texts = Vec::new();
        for Paced { turn, rest, .. } in paces {
            for turns in growing::turns(delay) {
                lengths[place] = (turn.lead + turns as u64 * turn.by) as i64 + rest;
                texts.push(self.elaborated(&lengths)?);
            }
        }
        let paces: Vec<Pace<'_>> = paces
            .iter()
            .zip(texts.chunks(3))
            .map(|(Paced { turn, rest, loops }, texts)| Pace {
                turn: *turn,
                rest: *rest as u64,
                texts: [&texts[0], &texts[1], &texts[2]],
                loops,
            })
            .collect();
        let Some((&whole, smaller)) = paces.split_first() else {
            return Err(NoMessage::NoTurn(String::new()));
        };
        let (turn, rest) = (whole.turn, whole.rest as i64);
        let shortest = (turn.shortest(whole.rest, delay) as i64).max(from);
        let turns = |length: i64| ((length - rest) as u64).checked_div(turn.by).unwrap_or(0);
        let (least, most) =
            (turns(shortest - turn.lead as i64), turns(self.longest(&lengths, place, shortest)));
        lengths[place] = rest;
        let numbers: Vec<u64> = lengths.iter().map(|&length| length as u64).collect();
        let in_place = self.in_place();
        let message = self.message((symbol, prepared), (whole.texts[1], object), &numbers, &in_place);
        if message.schedule.is_some() {
            let why = "code that makes a key of its own is proved for lengths that are said only".to_owned();
            return Err(NoMessage::Refused(why));
        }
        let any = AnyLength { message, delay, grows: place, whole, smaller, least, most };
        any.prove(object, limits).map_err(|why| NoMessage::NoTurn(why.to_string()))
    }

    /// The greatest that a length may be beside the others, below all that fit in memory.
    fn longest(&self, lengths: &[i64], place: usize, least: i64) -> i64 {
        let fits = |length: i64| {
            let mut all = lengths.to_vec();
            all[place] = length;
            self.form.fits(&all)
        };
        let (mut within, mut beyond) = (least, MOST);
        if fits(beyond) {
            return beyond;
        }
        while beyond - within > 1 {
            let middle = within + (beyond - within) / 2;
            if fits(middle) {
                within = middle;
            } else {
                beyond = middle;
            }
        }
        within
    }
}

/// The turns at which a message may be looked at of which loops were seen: those of each loop, several of those of short ones, and those
/// that several loops make in whole turns of their own.
fn together(seen: &[Seen], unit: u64) -> Vec<Turn> {
    let turn = |one: &Seen, times: u64| Turn {
        by: times * one.by,
        lead: one.lead,
        spare: if times == 1 { one.spare } else { 0 },
    };
    let seen = || seen.iter().filter(|one| !one.is_counted);
    let mut singles: Vec<Seen> = seen().copied().collect();
    singles.sort_unstable();
    singles.dedup_by_key(|one| one.by);
    let mut found: Vec<Turn> = singles.iter().map(|one| turn(one, 1)).collect();
    let short = singles.iter().filter(|one| one.by * unit < SEVERAL);
    found.extend(short.map(|one| turn(one, SEVERAL)));
    for one in seen() {
        for other in seen().filter(|other| other.head != one.head) {
            let by = common(one.by, other.by);
            let left = (one.spare * one.by).max(other.spare * other.by);
            let turn = Turn { by, lead: one.lead.max(other.lead), spare: left.div_ceil(by) };
            if by * unit <= MOST_TOGETHER && !found.contains(&turn) {
                found.push(turn);
            }
        }
    }
    found
}

/// The loops that make such turns.
fn looped(seen: &[Seen], turn: Turn) -> Vec<Looped> {
    let all: BTreeSet<Looped> = seen.iter().filter_map(|one| in_turns(*one, turn)).collect();
    all.into_iter().collect()
}

/// The turns of loops that go on by less than the message in one.
fn smaller(seen: &[Seen], whole: Turn, unit: u64) -> Vec<Turn> {
    let is_smaller = |one: &&Seen| {
        !one.is_counted
            && one.by < whole.by
            && whole.by.is_multiple_of(one.by)
            && one.by * unit >= WORD
            && one.spare <= SPARE
    };
    let turns = seen.iter().filter(is_smaller);
    let turns: BTreeSet<Turn> =
        turns.map(|one| Turn { by: one.by, lead: one.lead, spare: one.spare }).collect();
    turns.into_iter().collect()
}

/// The pace of loops that make such turns, in messages of which one has that length and the others whole turns more or less.
fn paced(seen: &[Seen], turn: Turn, length: i64) -> Paced {
    let rest = (length - turn.lead as i64).rem_euclid(turn.by as i64) + (turn.spare * turn.by) as i64;
    Paced { turn, rest, loops: looped(seen, turn) }
}

/// How a loop makes such turns, if it makes whole ones.
fn in_turns(seen: Seen, turn: Turn) -> Option<Looped> {
    let more = (turn.lead + turn.by).checked_sub(seen.lead + seen.by)?;
    let is_whole = turn.by.is_multiple_of(seen.by) && more.is_multiple_of(seen.by);
    let Seen { head, first, .. } = seen;
    let each = (turn.by / seen.by) as usize;
    is_whole.then_some(Looped { head, first: first + (more / seen.by) as usize, each })
}

/// The least common multiple.
fn common(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
