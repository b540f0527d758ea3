//! Modes in a library whose messages come in pieces: associated data, then text, or a message of which a tag is made.

use super::magic;
use crate::template::Values;
use usuba_message::form::{Message, VariableId};
use usuba_message::incremental::{Incremental, Stream};
use usuba_message::number::{Number, Term};

/// What the public functions of a message in pieces have to know: where its parts look for what they are given.
pub struct InPieces {
    /// How many lengths the parts know, and how many inputs and outputs the message has.
    lengths: usize,
    inputs: usize,
    outputs: usize,
    /// The places of the lengths of tag and nonce, and of inputs and outputs.
    tag_length: usize,
    nonce_length: Option<usize>,
    key: usize,
    nonce: Option<usize>,
    tag: usize,
    /// For each string its initialiser in C.
    strings: Vec<String>,
    /// Bytes of text that may wait, and of the room for what waits.
    held: i64,
    room: i64,
}

impl InPieces {
    /// How many strings come in pieces.
    pub fn strings(&self) -> usize {
        self.strings.len()
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        2 * self.strings() + 1
    }

    /// `None` if the message is not made as authenticated encryption in pieces is, with associated data first, then text, and a
    /// tag at the end; nor as an authenticator is, with a message and a tag.
    pub fn of(message: &Message, parts: &Incremental) -> Option<InPieces> {
        let input = |names: &[&str]| place_of(message, &message.inputs, names);
        let is_named = |stream: &Stream, names: &[&str]| {
            names.contains(&message.variable(stream.variable).name.as_str())
        };
        let in_order = match &parts.streams[..] {
            [ad, text] => {
                is_named(ad, &["aad"]) && is_named(text, &["plain", "cipher"]) && text.outputs.len() == 1
            }
            [text] => is_named(text, &["message"]) && text.outputs.is_empty(),
            _ => false,
        };
        if !in_order || parts.squeezes || parts.streams.iter().any(|stream| stream.element != 1) {
            return None;
        }
        let length_of = |of: &[VariableId], names: &[&str]| {
            let id = *of.get(place_of(message, of, names)?)?;
            let count = message.variable(id).count.clone()?;
            (0..message.lengths.len()).find(|&place| count == Number::from(Term::Length(place as u32)))
        };
        // An opening that has to know its tag before the text could not be ended with it.
        let (tags, tag_at) = match input(&["tag"]) {
            Some(place) => {
                let id = message.inputs[place];
                let early = parts.parts.iter().rev().skip(1);
                if early.into_iter().any(|part| part.message.inputs.contains(&id)) {
                    return None;
                }
                (&message.inputs, place)
            }
            None => (&message.outputs, place_of(message, &message.outputs, &["tag"])?),
        };
        let string = |stream: &Stream| {
            // What makes nothing is given the place of something that it does not look at.
            let out =
                stream.outputs.first().and_then(|made| message.outputs.iter().position(|id| id == made));
            let out = out.unwrap_or(0);
            let at = message.inputs.iter().position(|&id| id == stream.variable)?;
            Some(format!(
                "{{ NULL, NULL, {}, {}, {}, {}, {at}, {out} }}",
                stream.rate, stream.length, stream.before, stream.now
            ))
        };
        let strings = parts.streams.iter().map(string).collect::<Option<Vec<String>>>()?;
        let held = parts.streams.last()?.held;
        Some(InPieces {
            lengths: parts.parts.first()?.message.lengths.len(),
            inputs: message.inputs.len(),
            outputs: message.outputs.len(),
            tag_length: length_of(tags, &["tag"])?,
            nonce_length: length_of(&message.inputs, &["iv", "nonce"]),
            key: input(&["key"])?,
            nonce: input(&["iv", "nonce"]),
            tag: tag_at,
            strings,
            held,
            room: parts.streams.iter().map(|stream| stream.held + stream.rate).max()?,
        })
    }
}

fn place_of(message: &Message, of: &[VariableId], names: &[&str]) -> Option<usize> {
    of.iter().position(|&id| names.contains(&message.variable(id).name.as_str()))
}

/// What the templates of messages in pieces know, of all functions of a mode. They keep so many bytes between pieces; what they
/// prepare lies at `places`.
pub(super) fn in_pieces(
    values: Values,
    stem: &str,
    (all, kept): (&[&InPieces], usize),
    places: &[usize],
) -> Option<Values> {
    let most = |of: &dyn Fn(&InPieces) -> usize| all.iter().map(|one| of(one)).max().unwrap_or(0);
    let strings: Vec<&str> = all.iter().flat_map(|one| &one.strings).map(String::as_str).collect();
    let values = values
        .text("stream_magic", format!("{:#018x}", magic(&format!("{stem}_stream"))))
        .text("stream_lengths", most(&|one| one.lengths))
        .text("stream_inputs", most(&|one| one.inputs))
        .text("stream_outputs", most(&|one| one.outputs))
        .text("stream_words", kept.div_ceil(8).max(1))
        .text("stream_room", all.iter().map(|one| one.room).max()?)
        .text("stream_held", all.iter().map(|one| one.held).max()?)
        .text("strings", strings.join(",\n        "));
    let nonce = |place: Option<usize>| place.unwrap_or(0);
    match (all, places) {
        ([one], [place]) => Some(
            values
                .text("stream_place", place)
                .text("stream_key", one.key)
                .text("stream_nonce", nonce(one.nonce))
                .text("stream_tag_length", one.tag_length)
                .text("stream_nonce_length", nonce(one.nonce_length))
                .text("stream_tag", one.tag),
        ),
        ([one, other], [seal, open]) => Some(
            values
                .text("seal_place", seal)
                .text("open_place", open)
                .text("seal_key", one.key)
                .text("open_key", other.key)
                .text("seal_nonce", nonce(one.nonce))
                .text("open_nonce", nonce(other.nonce))
                .text("seal_tag_length", one.tag_length)
                .text("open_tag_length", other.tag_length)
                .text("seal_nonce_length", nonce(one.nonce_length))
                .text("open_nonce_length", nonce(other.nonce_length))
                .text("seal_tag", one.tag)
                .text("open_tag", other.tag),
        ),
        _ => None,
    }
}
