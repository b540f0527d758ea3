//! A loop that only maps, and one that carries something over the same positions, become one: what the first writes the second
//! reads from registers, or both read one string once.
//!
//! The map moves to the other loop. Nothing between them may touch what it touches: strings that it reads count as written, since
//! a caller may give one memory for what is read and what is written. It may pass an `accept`: outputs of a message that is
//! refused are cleared.

use super::substitute::Substitution;
use super::windows;
use crate::form::{Define, Loop, Message, Piece, Source, Statement, Step, Target, Text, VariableId, Window};
use crate::number::{Number, NumberError, Term};
use std::collections::BTreeSet;

/// Puts maps into the loops over the same positions that carry something.
///
/// # Errors
/// A number does not fit.
pub fn fuse(message: &mut Message) -> Result<(), NumberError> {
    let mut body = std::mem::take(&mut message.body);
    while let Some((map, scan)) = pair(message, &body)? {
        let Statement::Loop(moved) = body.remove(map) else { break };
        let scan = if scan > map { scan - 1 } else { scan };
        let Some(Statement::Loop(into)) = body.get_mut(scan) else { break };
        // The position of the map, by that of the other loop.
        let index = Number::from(Term::Index(into.index)).plus(&into.start, -1)?.plus(&moved.start, 1)?;
        let mut all = substituted(&moved, &index)?;
        // What only reads the same strings reads them before they are written, in place too.
        let mut written = Vec::new();
        all.iter().for_each(|statement| targets(statement, &mut written));
        let mut read = Vec::new();
        into.body.iter().for_each(|statement| touched(statement, &mut read));
        let follows = read.iter().any(|window| written.contains(&window.variable));
        if follows {
            all.append(&mut into.body);
            into.body = all;
        } else {
            into.body.append(&mut all);
        }
    }
    message.body = body;
    Ok(())
}

/// The straight body of a loop whose variable is a number.
fn substituted(one: &Loop, value: &Number) -> Result<Vec<Statement>, NumberError> {
    let substitution = Substitution { term: Term::Index(one.index), value };
    let substituted = |statement: &Statement| {
        Ok(match statement {
            Statement::Step(step) => Statement::Step(substitution.step(step)?),
            Statement::Define(define) => Statement::Define(Define {
                target: substitution.window(&define.target)?,
                value: substitution.text(&define.value)?,
                span: define.span,
            }),
            other => other.clone(),
        })
    };
    one.body.iter().map(substituted).collect()
}

/// A loop with a straight body whose variable is less by a number in every iteration.
///
/// # Errors
/// A number does not fit.
pub fn shifted(one: &Loop, by: &Number) -> Result<Loop, NumberError> {
    let body = substituted(one, &Number::from(Term::Index(one.index)).plus(by, 1)?)?;
    Ok(Loop { start: one.start.plus(by, -1)?, stop: one.stop.plus(by, -1)?, body, ..one.clone() })
}

/// The strings that a statement writes.
fn targets(statement: &Statement, found: &mut Vec<VariableId>) {
    match statement {
        Statement::Step(step) => found.extend(step.outputs.iter().filter_map(|target| match target {
            Target::Window(window) => Some(window.variable),
            _ => None,
        })),
        Statement::Define(define) => found.push(define.target.variable),
        _ => {}
    }
}

/// The places of a map and of a loop that it may go into.
fn pair(message: &Message, body: &[Statement]) -> Result<Option<(usize, usize)>, NumberError> {
    let is_straight =
        |one: &Loop| one.body.iter().all(|inner| matches!(inner, Statement::Step(_) | Statement::Define(_)));
    for (place, statement) in body.iter().enumerate() {
        let Statement::Loop(map) = statement else { continue };
        if !map.carried.is_empty() || !is_straight(map) {
            continue;
        }
        for (other, statement) in body.iter().enumerate() {
            let Statement::Loop(scan) = statement else { continue };
            if scan.carried.is_empty() || !is_straight(scan) {
                continue;
            }
            let trips = |one: &Loop| one.stop.plus(&one.start, -1);
            let between = &body[place.min(other) + 1..place.max(other)];
            if trips(map)? == trips(scan)?
                && trips(map)?.as_constant().is_none()
                && shares(map, scan)?
                && between.iter().all(|statement| is_apart(message, map, statement))
            {
                return Ok(Some((place, other)));
            }
        }
    }
    Ok(None)
}

/// Whether two loops touch the same bytes at the same position.
fn shares(map: &Loop, scan: &Loop) -> Result<bool, NumberError> {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    map.body.iter().for_each(|statement| touched(statement, &mut first));
    scan.body.iter().for_each(|statement| touched(statement, &mut second));
    for a in &first {
        let (rest_a, pace_a) = a.start.split(&Term::Index(map.index));
        for b in &second {
            let (rest_b, pace_b) = b.start.split(&Term::Index(scan.index));
            if a.variable != b.variable || pace_a != pace_b || pace_a == 0 {
                continue;
            }
            if rest_a.plus(&map.start, pace_a)? == rest_b.plus(&scan.start, pace_b)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether a map may pass a statement.
fn is_apart(message: &Message, map: &Loop, statement: &Statement) -> bool {
    let mut of_map = Vec::new();
    map.body.iter().for_each(|inner| touched(inner, &mut of_map));
    let strings: BTreeSet<VariableId> = of_map.iter().map(|window| window.variable).collect();
    let (mut made, mut used) = (BTreeSet::new(), BTreeSet::new());
    map.body.iter().for_each(|inner| values(inner, &mut made, &mut used));
    let (mut makes, mut uses) = (BTreeSet::new(), BTreeSet::new());
    values(statement, &mut makes, &mut uses);
    // A variable that both loops make for themselves is not handed on.
    let is_loop = matches!(statement, Statement::Loop(_));
    if makes.intersection(&used).any(|id| !made.contains(id)) || (!is_loop && !makes.is_disjoint(&made)) {
        return false;
    }
    if !is_loop && !uses.is_disjoint(&made) {
        return false;
    }
    let mut windows = Vec::new();
    touched(statement, &mut windows);
    windows.iter().all(|window| {
        let is_array = message.variable(window.variable).count.is_some();
        !is_array
            || !strings.contains(&window.variable)
            || is_behind(map, statement, window, &of_map)
            || is_before(map, statement, window, &of_map)
    })
}

/// Whether a window of a statement lies behind all that a map touches of the same string.
fn is_behind(map: &Loop, statement: &Statement, window: &Window, of_map: &[Window]) -> bool {
    let lowest = |number: &Number, index: Term, at: &Number| {
        let (rest, pace) = number.split(&index);
        (pace >= 0).then(|| rest.plus(at, pace).ok()).flatten()
    };
    let first = match statement {
        Statement::Loop(one) => lowest(&window.start, Term::Index(one.index), &one.start),
        _ => Some(window.start.clone()),
    };
    let Some(first) = first else { return false };
    of_map.iter().filter(|one| one.variable == window.variable).all(|one| {
        // Where the window of the position after the last would begin.
        let end = lowest(&one.start, Term::Index(map.index), &map.stop);
        let (_, pace) = one.start.split(&Term::Index(map.index));
        let fits = one.length.as_constant().is_some_and(|length| length <= pace);
        let gap = end.and_then(|end| first.plus(&end, -1).ok()).and_then(|gap| gap.as_constant());
        fits && gap.is_some_and(|gap| gap >= 0)
    })
}

/// Whether a window of a loop lies before all that a map touches of the same string.
fn is_before(map: &Loop, statement: &Statement, window: &Window, of_map: &[Window]) -> bool {
    let Statement::Loop(one) = statement else { return false };
    let at = |number: &Number, index: u32, at: &Number| {
        let (rest, pace) = number.split(&Term::Index(index));
        Some((rest.plus(at, pace).ok()?, pace))
    };
    // Where the window of the position after the last would begin.
    let Some((end, pace)) = at(&window.start, one.index, &one.stop) else { return false };
    if pace <= 0 || window.length.as_constant().is_none_or(|length| length > pace) {
        return false;
    }
    of_map.iter().filter(|other| other.variable == window.variable).all(|other| {
        let first = at(&other.start, map.index, &map.start).filter(|(_, pace)| *pace >= 0);
        let gap = first.and_then(|(first, _)| first.plus(&end, -1).ok()).and_then(|gap| gap.as_constant());
        gap.is_some_and(|gap| gap >= 0)
    })
}

/// The windows that a statement reads and writes.
fn touched(statement: &Statement, found: &mut Vec<Window>) {
    let read = |text: &Text, found: &mut Vec<Window>| windows(text, &mut |window| found.push(window.clone()));
    match statement {
        Statement::Step(step) => {
            for source in &step.inputs {
                if let Source::Text(text) | Source::Words { text, .. } = source {
                    read(text, found);
                }
            }
            found.extend(step.outputs.iter().filter_map(|target| match target {
                Target::Window(window) => Some(window.clone()),
                _ => None,
            }));
        }
        Statement::Define(define) => {
            read(&define.value, found);
            found.push(define.target.clone());
        }
        Statement::Loop(one) => one.body.iter().for_each(|inner| touched(inner, found)),
        Statement::If { then, otherwise, .. } => {
            then.iter().chain(otherwise).for_each(|inner| touched(inner, found));
        }
        Statement::Accept { left, right, .. } => {
            read(left, found);
            read(right, found);
        }
    }
}

/// The variables of a constant size that a statement makes, and those that it uses.
fn values(statement: &Statement, makes: &mut BTreeSet<VariableId>, uses: &mut BTreeSet<VariableId>) {
    let read = |text: &[Piece], uses: &mut BTreeSet<VariableId>| {
        windows(text, &mut |window| {
            uses.insert(window.variable);
        });
    };
    match statement {
        Statement::Step(Step { inputs, outputs, .. }) => {
            for source in inputs {
                match source {
                    Source::Variable(id) | Source::Element(id, _) => {
                        uses.insert(*id);
                    }
                    Source::Text(text) | Source::Words { text, .. } => read(text, uses),
                    Source::Word { .. } => {}
                }
            }
            makes.extend(outputs.iter().filter_map(|target| match target {
                Target::Variable(id) => Some(*id),
                _ => None,
            }));
        }
        Statement::Define(define) => read(&define.value, uses),
        Statement::Loop(one) => {
            one.body.iter().for_each(|inner| values(inner, makes, uses));
            for carried in &one.carried {
                makes.insert(carried.variable);
                uses.extend([carried.first, carried.next]);
            }
        }
        Statement::If { then, otherwise, .. } => {
            then.iter().chain(otherwise).for_each(|inner| values(inner, makes, uses));
        }
        Statement::Accept { left, right, .. } => {
            read(left, uses);
            read(right, uses);
        }
    }
}
