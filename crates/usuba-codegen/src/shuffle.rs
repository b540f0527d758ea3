//! Shuffles of the elements of H-sliced atoms, and of the words of packed ones, as shuffles of bytes.

use crate::messages::Reason;
use crate::select::Selector;
use usuba_ir::program::ShiftOp;
use usuba_machine::program::RegisterId;
use usuba_target::Meaning;
use usuba_target::instruction::ZERO_BYTE;

/// Bytes of a group.
const GROUP: usize = 16;

/// The pattern of [`Op::Shuffle`] that a shift of `m` bits is.
pub(crate) fn shift_pattern(op: ShiftOp, m: u32, amount: u32) -> Vec<Option<u32>> {
    (0..m)
        .map(|bit| match op {
            ShiftOp::Left => (bit + amount < m).then_some(bit + amount),
            ShiftOp::Right => bit.checked_sub(amount),
            ShiftOp::RightArithmetic => Some(bit.saturating_sub(amount)),
            ShiftOp::RotateLeft => Some((bit + amount) % m),
            ShiftOp::RotateRight => Some((bit + m - amount % m) % m),
        })
        .collect()
}

/// Element i of each chunk of the result is element `pattern[i]` of `a`, or zero.
pub(crate) fn shuffle_elements(
    s: &mut Selector<'_>,
    a: RegisterId,
    pattern: &[Option<u32>],
) -> Result<RegisterId, Reason> {
    let shape = s.shape;
    let refused = Reason::Shuffle(shape.pack);
    if pattern.len() != shape.pack as usize || pattern.iter().flatten().any(|&source| source >= shape.pack) {
        return Err(Reason::Malformed("a shuffle of elements beyond the atom"));
    }
    let element = (shape.chunk_bits / shape.pack / 8) as usize;
    let chunk = (shape.chunk_bits / 8) as usize;
    // For each byte of the register, the byte of `a` that goes there.
    let sources: Vec<Option<usize>> = (0..shape.register_bytes() as usize)
        .map(|byte| {
            let source = pattern[byte % chunk / element]? as usize;
            Some(byte / chunk * chunk + source * element + byte % element)
        })
        .collect();

    if sources.iter().all(Option::is_none) {
        return s.zeros();
    }
    if sources.iter().enumerate().all(|(byte, source)| source.is_none_or(|source| source == byte)) {
        return keep(s, a, &sources);
    }
    if let Some(words) = word_pattern(&sources) {
        let zeros = sources.iter().any(Option::is_none);
        let bytes = s.target.instruction(Meaning::ShuffleBytes, 0).is_some();
        if let Some(row) = s.target.instruction(Meaning::ShuffleWords, 32)
            && !(zeros && bytes)
        {
            let moved = s.compute(row.meaning, 32, &[a], Some(words))?;
            return keep(s, moved, &sources);
        }
    }
    if let Some(immediate) = quad_pattern(&sources)
        && s.target.instruction(Meaning::PermuteQuads, 64).is_some()
    {
        return s.compute(Meaning::PermuteQuads, 64, &[a], Some(immediate));
    }
    if let Some(joined) = joined_groups(s, a, &sources) {
        return joined;
    }
    if s.target.instruction(Meaning::ShuffleBytes, 0).is_none() {
        return Err(refused);
    }
    across_groups(s, a, &sources).map_err(|_| refused)
}

/// Clears the bytes that have no source.
fn keep(s: &mut Selector<'_>, a: RegisterId, sources: &[Option<usize>]) -> Result<RegisterId, Reason> {
    if sources.iter().all(Option::is_some) {
        return Ok(a);
    }
    let mask: Vec<u8> = sources.iter().map(|source| if source.is_some() { 0xff } else { 0 }).collect();
    let mask = s.bytes(&mask)?;
    s.two(Meaning::And, a, mask)
}

/// The immediate of [`Meaning::ShuffleWords`], if the bytes move in aligned words of 32 bits, alike in every group.
fn word_pattern(sources: &[Option<usize>]) -> Option<u32> {
    let mut immediate = 0;
    for word in 0..4 {
        let mut from = None;
        for (byte, source) in sources.iter().enumerate().filter(|(byte, _)| byte % GROUP / 4 == word) {
            let Some(source) = *source else { continue };
            if source / GROUP != byte / GROUP || source % 4 != byte % 4 {
                return None;
            }
            let source = source % GROUP / 4;
            if *from.get_or_insert(source) != source {
                return None;
            }
        }
        immediate |= (from.unwrap_or(word) as u32) << (2 * word);
    }
    Some(immediate)
}

/// The immediate of [`Meaning::PermuteQuads`], if the bytes move in aligned words of 64 bits across groups, alike in every four.
fn quad_pattern(sources: &[Option<usize>]) -> Option<u32> {
    const FOUR: usize = 2 * GROUP;
    let words: Vec<usize> =
        (0..4).map(|word| Some(sources.get(8 * word).copied()?? / 8)).collect::<Option<_>>()?;
    let whole = sources.len().is_multiple_of(FOUR)
        && sources.iter().enumerate().all(|(byte, source)| {
            *source == Some(byte / FOUR * FOUR + 8 * words[byte % FOUR / 8] + byte % 8)
        });
    // What only exchanges groups is [`Meaning::PermuteGroups`], which every core runs as fast.
    let groups = words[1] == words[0] + 1 && words[3] == words[2] + 1;
    (whole && words.iter().all(|&word| word < 4) && !groups)
        .then(|| words.iter().enumerate().map(|(place, &word)| (word as u32) << (2 * place)).sum())
}

/// Two groups side by side, of which each group of the result is the bytes from a place on, as a rotation of several groups has
/// them; `None` if the bytes do not move so, or the target has no instruction for it.
fn joined_groups(
    s: &mut Selector<'_>,
    a: RegisterId,
    sources: &[Option<usize>],
) -> Option<Result<RegisterId, Reason>> {
    s.target.instruction(Meaning::AlignBytes, 0)?;
    let amount = sources.first().copied()?? % GROUP;
    let ends =
        |group: usize| Some((sources[group * GROUP]? / GROUP, sources[group * GROUP + GROUP - 1]? / GROUP));
    let (low, high): (Vec<usize>, Vec<usize>) =
        (0..sources.len() / GROUP).map(ends).collect::<Option<Vec<_>>>()?.into_iter().unzip();
    let joined = sources.iter().enumerate().all(|(byte, source)| {
        let (group, place) = (byte / GROUP, byte % GROUP + amount);
        let from = if place < GROUP { low[group] } else { high[group] };
        *source == Some(from * GROUP + place % GROUP)
    });
    // In groups alone a shuffle does it.
    if amount == 0 || !joined || low == high && low.iter().enumerate().all(|(group, &from)| group == from) {
        return None;
    }
    let mut placed =
        |from: &[usize]| place_groups(s, a, &from.iter().map(|&from| Some(from)).collect::<Vec<_>>());
    let both = placed(&high).and_then(|high| Ok((high, placed(&low)?)));
    Some(both.and_then(|(high, low)| s.compute(Meaning::AlignBytes, 0, &[high, low], Some(amount as u32))))
}

/// Each group of the result draws from one or more groups of `a`. Round r brings the r-th group that each group needs into
/// its place and picks the bytes that come from it; the rounds are or-ed. A rotation needs two rounds, a shuffle at most
/// as many as a chunk has groups.
fn across_groups(
    s: &mut Selector<'_>,
    a: RegisterId,
    sources: &[Option<usize>],
) -> Result<RegisterId, Reason> {
    let groups = sources.len() / GROUP;
    let needs: Vec<Vec<usize>> = (0..groups)
        .map(|group| {
            let mut needed: Vec<usize> =
                sources[group * GROUP..][..GROUP].iter().flatten().map(|source| source / GROUP).collect();
            needed.sort_unstable();
            needed.dedup();
            // The own group first: a round that moves no group is free.
            needed.sort_by_key(|&source| source != group);
            needed
        })
        .collect();
    let rounds = needs.iter().map(Vec::len).max().unwrap_or(0);
    let mut result: Option<RegisterId> = None;
    for round in 0..rounds {
        let from: Vec<Option<usize>> = needs.iter().map(|needed| needed.get(round).copied()).collect();
        let placed = place_groups(s, a, &from)?;
        let indices: Vec<u8> = sources
            .iter()
            .enumerate()
            .map(|(byte, source)| match (source, from[byte / GROUP]) {
                (Some(source), Some(group)) if source / GROUP == group => (source % GROUP) as u8,
                _ => ZERO_BYTE,
            })
            .collect();
        let picked = if indices.iter().enumerate().all(|(byte, &index)| usize::from(index) == byte % GROUP) {
            placed
        } else {
            let indices = s.bytes(&indices)?;
            s.compute(Meaning::ShuffleBytes, 0, &[placed, indices], None)?
        };
        result = Some(match result {
            Some(before) => s.two(Meaning::Or, before, picked)?,
            None => picked,
        });
    }
    match result {
        Some(result) => Ok(result),
        None => s.zeros(),
    }
}

/// Group i of the result is group `from[i]` of `a`, or anything.
fn place_groups(s: &mut Selector<'_>, a: RegisterId, from: &[Option<usize>]) -> Result<RegisterId, Reason> {
    if from.iter().enumerate().all(|(group, source)| source.is_none_or(|source| source == group)) {
        return Ok(a);
    }
    let bits = if from.len() == 2 { 4 } else { 2 };
    let immediate = from
        .iter()
        .enumerate()
        .map(|(group, source)| (source.unwrap_or(group) as u32) << (bits * group as u32));
    let immediate = immediate.sum();
    // Rotations of one word by several amounts exchange the same groups.
    s.compute_once(Meaning::PermuteGroups, 0, &[a], Some(immediate))
}
