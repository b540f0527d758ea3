//! Batch functions of modes that are serial in one message: many messages under one key, of each of which the next block goes
//! through the cipher in the same call of an engine.
//!
//! The messages are lanes, made of the same text as the function for one ([`usuba_blockwise::lanes`]). The code is around engines on
//! all levels, also on those that have code of their own for one message: it is engines that fill a machine with blocks.

use super::Options;
use crate::message::call::Call;
use crate::message::families::{Carried, Shape};
use crate::template::Values;
use usuba_blockwise::lanes;
use usuba_blockwise::schedule::makes_keys;
use usuba_lang::load::Loaded;
use usuba_message::classes::{Class, classify};
use usuba_message::form::Message;

/// With so many messages or more that are not short a level that has code of its own for one message gives all to engines: what was
/// faster with AES on Zen 4, on `avx-aes` and `avx512-vaes`, of 2 to 64 messages of 16 to 1,024 bytes.
const ENOUGH: usize = 4;

/// Bytes from which on a message is not short: what such levels have begun of one message is not over when the next could begin.
const SHORT: usize = 192;

/// Whether a mode has a batch function of a message: its blocks wait for one another, and what it is given fits a row of a table.
pub(super) fn has_batch(shape: Shape, message: &Message) -> bool {
    let fits = matches!(shape, Shape::Chained(_) | Shape::Authenticator);
    let is_serial = || classify(message).iter().any(|one| matches!(one.class(), Class::Scan(_)));
    fits && !makes_keys(message) && is_serial()
}

/// What templates know of what a batch function is given.
fn of_shape(values: Values, shape: Shape) -> Values {
    let is_chained = shape != Shape::Authenticator;
    values
        .text("message", if is_chained { "chained_message" } else { "tagged_message" })
        .when("chained", is_chained)
        .when("tagged", !is_chained)
        .when("keystream", shape == Shape::Chained(Carried::Keystream))
        .when("writes", shape == Shape::Chained(Carried::Cipher))
}

/// The type of a message of a batch, for a header that stands alone.
fn message_type(shape: Shape, options: &Options) -> String {
    of_shape(super::values(options), shape).fill(include_str!("templates/message/batch_message.h"))
}

/// The types of messages of all batches.
pub(super) fn message_types(options: &Options) -> String {
    [Shape::Chained(Carried::Cipher), Shape::Authenticator].map(|shape| message_type(shape, options)).concat()
}

/// A batch function around the engines of any cipher with blocks of so many bytes: its declaration with the type of a message,
/// its code, and what stands in place of the code on machines that there is none for.
///
/// # Errors
/// A step has no code.
pub(super) fn around(
    (message, loaded): (&Message, &Loaded),
    (shape, block): (Shape, u32),
    stem: &str,
    options: &Options,
) -> Result<[String; 3], String> {
    let symbol = format!("{stem}_lane");
    let code = lanes::code(message, &loaded.sources, &[], &symbol).map_err(|refusal| refusal.0)?;
    let call = Call::of(message)?;
    // A lane leaves the cipher to its caller.
    let arguments = call.arguments.iter().map(|one| if one == "key" { "NULL" } else { one });
    let values = of_shape(super::values(options), shape)
        .text("stem", stem)
        .text("around", stem)
        .text("block", block)
        .text("lanes", code.source)
        .text("call", arguments.collect::<Vec<_>>().join(", "))
        .when("whole", call.whole);
    let carry = match shape {
        Shape::Chained(Carried::Cipher) => values.fill(include_str!("templates/message/carry.c")),
        _ => String::new(),
    };
    let values = values.text("carry", carry);
    let declaration = message_type(shape, options) + &values.fill(include_str!("templates/message/batch.h"));
    let source = values.fill(include_str!("templates/message/lanes.c"));
    let none = values.fill(include_str!("templates/message/no_lanes.c"));
    Ok([declaration, source, none])
}

/// The declaration of a public batch function.
pub(super) fn declaration(values: &Values, shape: Shape, options: &Options) -> String {
    let values =
        of_shape(values.clone(), shape).text("batch_message", message_type(shape, options).trim_end());
    values.fill(include_str!("templates/message/batch_function.h"))
}

/// The public batch function of `function`, around the code `stem`, which prepares so many bytes. What the context has is at
/// `place`.
pub(super) fn public(
    values: &Values,
    (function, shape): (&'static str, Shape),
    (stem, prepared): (&str, usize),
    place: usize,
) -> String {
    let values = of_shape(values.clone(), shape)
        .text("function", function)
        .text("around", stem)
        .text("place", place)
        .text("enough", ENOUGH)
        .text("short", SHORT)
        .text("own_words", prepared.div_ceil(8))
        .when("own", prepared > 0);
    values.fill(include_str!("templates/message/batch.h"))
        + &values.fill(include_str!("templates/message/batch.c"))
}
