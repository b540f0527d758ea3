//! `usuba_primitives.h` and `.c`: the table of what a library has, for programs that drive all of it.
//!
//! Public functions take contexts of a type each. The table has functions that take `void *` and call them: a call through
//! a pointer of another type is undefined in C.

use super::front::primitive_values;
use super::{Options, batches, head, messages, values};
use crate::OutputFile;
use crate::manifest::{Construction, Function, Primitive, Scheme};
use crate::message::families::Shape;
use crate::template::Values;

/// The rows so far, in the order in which they were added.
#[derive(Default)]
pub struct Table {
    identifiers: Vec<String>,
    rows: String,
}

impl Table {
    /// A row for a primitive.
    pub fn add_primitive(&mut self, primitive: &Primitive, options: &Options) {
        let template = match &primitive.function {
            Function::BlockCipher(_) => include_str!("templates/primitives/block_cipher.c"),
            Function::Stream(_) => include_str!("templates/primitives/stream.c"),
            Function::Generator(_) => include_str!("templates/primitives/generator.c"),
            Function::Permutation(_) => include_str!("templates/primitives/permutation.c"),
        };
        self.add(primitive.identifier(), template, primitive_values(primitive, options));
    }

    /// A row for a construction.
    pub fn add_construction(&mut self, construction: &Construction, options: &Options) {
        let stem = format!("{}{}", options.prefix, construction.identifier());
        let values = values(options)
            .text("name", &construction.name)
            .text("STEM", stem.to_uppercase())
            .text("stem", stem);
        let (template, values) = match construction.scheme {
            Scheme::Aead { key_bytes, nonce_bytes, tag_bytes } => (
                include_str!("templates/primitives/aead.c"),
                values
                    .text("key", key_bytes)
                    .text("nonce", nonce_bytes)
                    .text("tag", tag_bytes)
                    .text("magic", format!("{:#018x}", super::magic(&construction.name))),
            ),
            Scheme::Hash { digest_bytes } => {
                (include_str!("templates/primitives/hash.c"), values.text("digest", digest_bytes))
            }
            Scheme::Xof { customization_bytes } => (
                include_str!("templates/primitives/xof.c"),
                values
                    .text("customization", customization_bytes.unwrap_or(0))
                    .when("customized", customization_bytes.is_some())
                    .when("plain", customization_bytes.is_none()),
            ),
            Scheme::Mac { key_bytes, tag_bytes } => (
                include_str!("templates/primitives/mac.c"),
                values.text("key", key_bytes).text("tag", tag_bytes),
            ),
        };
        self.add(construction.identifier(), template, values);
    }

    /// A row for a mode of a primitive.
    pub fn add_mode(&mut self, mode: &messages::Mode, options: &Options) {
        let identifier = mode.name.replace('-', "_");
        let stem = format!("{}{identifier}", options.prefix);
        let shape = mode.family.shape;
        let name = |number: usize| mode.family.functions.get(number).map_or("", |(name, _)| *name);
        let template = match shape {
            Shape::Chained(_) => include_str!("templates/primitives/chained.c"),
            Shape::Units => include_str!("templates/primitives/units.c"),
            Shape::Authenticator | Shape::NonceAuthenticator => {
                include_str!("templates/primitives/authenticator.c")
            }
            Shape::Aead => include_str!("templates/primitives/sealing.c"),
        };
        let is_with_nonce = shape == Shape::NonceAuthenticator || shape == Shape::Aead;
        let values = values(options)
            .text("id", &identifier)
            .text("name", &mode.name)
            .text("STEM", stem.to_uppercase())
            .text("stem", stem)
            .text("first", name(0))
            .text("second", name(1))
            .text("last", if name(1).is_empty() { name(0) } else { name(1) })
            .when("second", !name(1).is_empty())
            .text("block", mode.block)
            .text("unit", if mode.whole { mode.block } else { 1 })
            .when("pieces", mode.pieces)
            .when("batch", mode.batch)
            .when("nonce", is_with_nonce)
            .when("nonceless", !is_with_nonce)
            .text("nonce_bytes", if is_with_nonce { mode.family.usual_nonce() } else { 0 });
        let keyed = values.fill(include_str!("templates/primitives/keyed.c"));
        self.add(identifier, &(keyed + template), values);
    }

    fn add(&mut self, identifier: String, template: &str, values: Values) {
        self.rows += &values.text("id", &identifier).fill(template);
        self.identifiers.push(identifier);
    }

    /// The header and the source.
    pub fn files(self, options: &Options) -> [OutputFile; 2] {
        let each = |line: &dyn Fn(&String) -> String| self.identifiers.iter().map(line).collect::<String>();
        let values = values(options)
            .text("api", values(options).fill(include_str!("templates/api.h")))
            .text("includes", each(&|name| format!("#include \"{}{name}.h\"\n", options.prefix)))
            .text("list", each(&|name| format!("    &{name}_row,\n")))
            .text("rows", &self.rows)
            .text("messages", batches::message_types(options));
        let file = |extension: &str, template: &str| {
            let path = format!("{}primitives.{extension}", options.prefix);
            let contents = head(&path, "a table of all primitives.", options) + &values.fill(template);
            OutputFile { path, contents }
        };
        [file("h", include_str!("templates/primitives.h")), file("c", include_str!("templates/primitives.c"))]
    }
}
