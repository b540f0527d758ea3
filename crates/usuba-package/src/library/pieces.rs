//! Modes in a library whose messages come in pieces: associated data, then text.

use super::messages::{Public, magic};
use crate::template::Values;
use usuba_message::form::{Message, VariableId};
use usuba_message::incremental::{Incremental, Stream};
use usuba_message::number::{Number, Term};

/// The strings of authenticated encryption that come in pieces.
pub const STRINGS: usize = 2;

/// The parts of its messages.
pub const PARTS: usize = 2 * STRINGS + 1;

/// What the public functions of a message in pieces have to know: where its parts look for what they are given.
pub struct InPieces {
    /// How many lengths the parts know, and how many inputs and outputs the message has.
    lengths: usize,
    inputs: usize,
    outputs: usize,
    /// The places of the lengths of tag and nonce, and of inputs and outputs.
    tag_length: usize,
    nonce_length: usize,
    key: usize,
    nonce: usize,
    tag: usize,
    /// For each string its initialiser in C.
    strings: Vec<String>,
    /// Bytes of text that may wait, and of the room for what waits.
    held: i64,
    room: i64,
}

impl InPieces {
    /// `None` if the message is not made as authenticated encryption in pieces is: with associated data first, then text, and a
    /// tag at the end.
    pub fn of(message: &Message, parts: &Incremental) -> Option<InPieces> {
        let input = |names: &[&str]| place_of(message, &message.inputs, names);
        let [ad, text] = &parts.streams[..] else { return None };
        let is_named = |stream: &Stream, names: &[&str]| {
            names.contains(&message.variable(stream.variable).name.as_str())
        };
        let in_order = is_named(ad, &["aad"]) && is_named(text, &["plain", "cipher"]);
        let [made] = text.outputs[..] else { return None };
        if !in_order || parts.squeezes || ad.element != 1 || text.element != 1 {
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
                let early = parts.parts.iter().take(PARTS - 1);
                if early.into_iter().any(|part| part.message.inputs.contains(&id)) {
                    return None;
                }
                (&message.inputs, place)
            }
            None => (&message.outputs, place_of(message, &message.outputs, &["tag"])?),
        };
        let string = |stream: &Stream, out: usize| {
            let at = message.inputs.iter().position(|&id| id == stream.variable)?;
            Some(format!(
                "{{ NULL, NULL, {}, {}, {}, {}, {at}, {out} }}",
                stream.rate, stream.length, stream.before, stream.now
            ))
        };
        let out = message.outputs.iter().position(|&id| id == made)?;
        Some(InPieces {
            lengths: parts.parts.first()?.message.lengths.len(),
            inputs: message.inputs.len(),
            outputs: message.outputs.len(),
            tag_length: length_of(tags, &["tag"])?,
            nonce_length: length_of(&message.inputs, &["iv", "nonce"])?,
            key: input(&["key"])?,
            nonce: input(&["iv", "nonce"])?,
            tag: tag_at,
            strings: vec![string(ad, 0)?, string(text, out)?],
            held: text.held,
            room: parts.streams.iter().map(|stream| stream.held + stream.rate).max()?,
        })
    }
}

fn place_of(message: &Message, of: &[VariableId], names: &[&str]) -> Option<usize> {
    of.iter().position(|&id| names.contains(&message.variable(id).name.as_str()))
}

/// What the templates of messages in pieces know, if all functions of a mode have parts. What they prepare lies at `places`.
pub(super) fn in_pieces(
    values: Values,
    stem: &str,
    functions: &[Public],
    places: &[usize],
) -> Option<Values> {
    let [seal, open] = functions else { return None };
    let (one, other) = (seal.pieces.as_ref()?, open.pieces.as_ref()?);
    let strings: Vec<&str> = one.strings.iter().chain(&other.strings).map(String::as_str).collect();
    let kept = functions.iter().filter_map(|function| function.around.1.kept).max()?;
    Some(
        values
            .text("stream_magic", format!("{:#018x}", magic(&format!("{stem}_stream"))))
            .text("stream_lengths", one.lengths.max(other.lengths))
            .text("stream_inputs", one.inputs.max(other.inputs))
            .text("stream_outputs", one.outputs.max(other.outputs))
            .text("stream_words", kept.div_ceil(8).max(1))
            .text("stream_room", one.room.max(other.room))
            .text("stream_held", one.held.max(other.held))
            .text("strings", strings.join(",\n        "))
            .text("seal_place", places.first()?)
            .text("open_place", places.get(1)?)
            .text("seal_key", one.key)
            .text("open_key", other.key)
            .text("seal_nonce", one.nonce)
            .text("open_nonce", other.nonce)
            .text("seal_tag_length", one.tag_length)
            .text("open_tag_length", other.tag_length)
            .text("seal_nonce_length", one.nonce_length)
            .text("open_nonce_length", other.nonce_length)
            .text("seal_tag", one.tag)
            .text("open_tag", other.tag),
    )
}
