//! The manifest of a cipher: what the nodes of its source are for and what the bytes around them mean.
//!
//! A manifest is a TOML file next to the source. Unknown fields are errors; every error has a line and a column.
//!
//! | field | meaning |
//! |---|---|
//! | `name`, `title`, `specification` | the cipher: a name for files, one for people, and the document that defines it |
//! | `source` | the source text, relative to the manifest |
//! | `[[primitive]]` | one or more functions of the cipher, each with the fields below |
//! | `[[construction]]` | any number of hashes, authenticators and AEADs over them, in C: see [`Construction`] |
//!
//! Every primitive:
//!
//! | field | meaning |
//! |---|---|
//! | `name` | becomes part of C names: `aes-128` makes `usuba_aes_128_…` |
//! | `kind` | `block-cipher`, `stream`, `generator` or `permutation` |
//! | `slicings` | those worth building, best first: `b`, `v`, `h` |
//! | `library` | those of them that libraries are built from; without the field, all |
//! | `vectors` | files of known answers, relative to the manifest |
//!
//! A block cipher:
//!
//! | field | meaning |
//! |---|---|
//! | `encrypt`, `decrypt` | nodes: the block, the tweak if there is one, then the `const` round keys, to the block; `decrypt` may be left out |
//! | `decryption-keys` | a node from the round keys, as the schedule writes them, to those under which `encrypt` decrypts; with it engines have no code for decryption |
//! | `schedule = { node, slicing, packed }` | the node from the key to the round keys, and the slicing (`b`, `v` or, of bytes, `h`) to compile it in; `packed`, which may be left out, is one on blocks of 16 bytes for machines with vectors; without it and `round-keys` the nodes take the key itself |
//! | `block`, `key` | `{ bytes, order }`, see [`Order`] |
//! | `tweak` | `{ bytes, order }`, one for each block; left out, there is none |
//! | `round-keys` | `{ bytes, schedule-order, cipher-order }`: how the schedule writes them and how the cipher reads them |
//! | `packed = { encrypt, decrypt }` | nodes on blocks of 16 bytes that compute the same, of round keys as bytes; `v16` is made of them |
//! | `words = { encrypt, decrypt }` | nodes on words of the block's bytes, big-endian, that compute the same; `v` is made of them, with `packed` on general-purpose registers only |
//! | `modes` | `ecb`, `ctr` |
//!
//! A stream cipher: `block-function`, a node from the `const` key, the counter and the `const` nonce to the keystream;
//! `key`, `counter`, `nonce`, `keystream`, each `{ bytes, order }`.
//!
//! A generator, which is a stream cipher with a state and without a counter: `initialise = { node, slicing }`, the node from the
//! key and the nonce to the state, and the slicing (`b` or `v`) to compile it in; `generate`, the node from the state to the
//! next state and a word of keystream; `key`, `nonce`, `state`, `keystream`, each `{ bytes, order }`. Both nodes write the state
//! in the same order.
//!
//! A permutation: `permute`, a node from state to state; `state = { bytes, order }`.

use crate::messages;
use crate::order::Order;
use serde::Deserialize;
use std::borrow::Cow;
use std::fmt;
use thiserror::Error;
use toml::Spanned;
use usuba_ir::layout::Slicing;
use usuba_target::Target;

mod block_cipher;
mod construction;
mod mode;

pub use block_cipher::{BlockCipher, Nodes, RoundKeys};
pub use construction::{Construction, Fast, Scheme, Text};
pub use mode::Mode;

/// The largest size of a block, key or state, in bytes.
pub const LARGEST: u32 = 65536;

/// A cipher.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// The name for files and folders.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// The document that defines it.
    pub specification: String,
    /// The path of the source, relative to the manifest.
    pub source: String,
    /// Its functions, at least one.
    pub primitives: Vec<Primitive>,
    /// What is built over them, each after those that it calls.
    pub constructions: Vec<Construction>,
}

/// One function of a cipher.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Primitive {
    /// The name, such as `aes-128`.
    pub name: String,
    /// The slicings worth building, best first.
    pub slicings: Vec<Slicing>,
    /// Those of them that libraries are built from.
    pub library: Vec<Slicing>,
    /// The paths of files of known answers, relative to the manifest.
    pub vectors: Vec<String>,
    /// What it is.
    pub function: Function,
}

impl Primitive {
    /// The primitive as it is compiled in a slicing for a target, or for none in particular: see [`BlockCipher::in_slicing`].
    pub fn in_slicing(&self, slicing: Slicing, target: Option<&Target>) -> Cow<'_, Primitive> {
        match &self.function {
            Function::BlockCipher(cipher) => match cipher.in_slicing(slicing, target) {
                Cow::Borrowed(_) => Cow::Borrowed(self),
                Cow::Owned(cipher) => {
                    Cow::Owned(Primitive { function: Function::BlockCipher(cipher), ..self.clone() })
                }
            },
            _ => Cow::Borrowed(self),
        }
    }

    /// The primitive as its kernels see it where bytes have become planes of bits; `None` if
    /// they are planes already.
    pub fn in_planes(&self) -> Option<Primitive> {
        let bytes = |of: Bytes| Some(Bytes { order: of.order.in_planes()?, ..of });
        let function = match self.function.clone() {
            Function::BlockCipher(cipher) => Function::BlockCipher(BlockCipher {
                block: bytes(cipher.block)?,
                tweak: match cipher.tweak {
                    Some(tweak) => Some(bytes(tweak)?),
                    None => None,
                },
                round_keys: RoundKeys {
                    cipher_order: cipher.round_keys.cipher_order.in_planes()?,
                    ..cipher.round_keys
                },
                ..cipher
            }),
            Function::Stream(stream) => Function::Stream(Stream {
                key: bytes(stream.key)?,
                counter: bytes(stream.counter)?,
                nonce: bytes(stream.nonce)?,
                keystream: bytes(stream.keystream)?,
                ..stream
            }),
            Function::Generator(generator) => Function::Generator(Generator {
                state: bytes(generator.state)?,
                keystream: bytes(generator.keystream)?,
                ..generator
            }),
            Function::Permutation(permutation) => {
                Function::Permutation(Permutation { state: bytes(permutation.state)?, ..permutation })
            }
        };
        Some(Primitive { function, ..self.clone() })
    }

    /// Whether it has nodes of its own for blocks of sixteen bytes.
    pub fn has_nodes_on_blocks(&self) -> bool {
        matches!(&self.function, Function::BlockCipher(BlockCipher { packed: Some(_), .. }))
    }

    /// The node that it spends its time in.
    pub fn main_node(&self) -> &str {
        match &self.function {
            Function::BlockCipher(cipher) => &cipher.encrypt,
            Function::Stream(stream) => &stream.block_function,
            Function::Generator(generator) => &generator.generate,
            Function::Permutation(permutation) => &permutation.permute,
        }
    }

    /// Every node that it names.
    pub fn nodes(&self) -> Vec<&str> {
        match &self.function {
            Function::BlockCipher(cipher) => {
                let schedule = cipher.schedule.as_ref();
                let (packed, words) = (cipher.packed.as_ref(), cipher.words.as_ref());
                let nodes = [
                    Some(&cipher.encrypt),
                    cipher.decrypt.as_ref(),
                    cipher.decryption_keys.as_ref(),
                    schedule.map(|schedule| &schedule.node),
                    schedule.and_then(|schedule| schedule.packed.as_ref()),
                    packed.map(|packed| &packed.encrypt),
                    packed.and_then(|packed| packed.decrypt.as_ref()),
                    words.map(|words| &words.encrypt),
                    words.and_then(|words| words.decrypt.as_ref()),
                ];
                nodes.into_iter().flatten().map(String::as_str).collect()
            }
            Function::Stream(stream) => vec![&stream.block_function],
            Function::Generator(generator) => vec![&generator.initialise.node, &generator.generate],
            Function::Permutation(permutation) => vec![&permutation.permute],
        }
    }

    /// The name as part of a C identifier: `aes_128`.
    pub fn identifier(&self) -> String {
        self.name.replace(['-', '.'], "_")
    }
}

/// The kinds of primitives with what each consists of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Function {
    /// A keyed permutation of blocks.
    BlockCipher(BlockCipher),
    /// A keystream from key, counter and nonce.
    Stream(Stream),
    /// A keystream from a state that goes on.
    Generator(Generator),
    /// A permutation without key.
    Permutation(Permutation),
}

/// A stream cipher with a counter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stream {
    /// The node from key, counter and nonce to keystream.
    pub block_function: String,
    /// The key.
    pub key: Bytes,
    /// The block counter.
    pub counter: Bytes,
    /// The nonce.
    pub nonce: Bytes,
    /// A block of keystream.
    pub keystream: Bytes,
}

/// A stream cipher with a state and without a counter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generator {
    /// The node from key and nonce to the state.
    pub initialise: Schedule,
    /// The node from the state to the next state and a word of keystream.
    pub generate: String,
    /// The key.
    pub key: Bytes,
    /// The nonce.
    pub nonce: Bytes,
    /// The state, as both nodes write it.
    pub state: Bytes,
    /// The keystream of one application.
    pub keystream: Bytes,
}

/// A permutation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Permutation {
    /// The node.
    pub permute: String,
    /// The state.
    pub state: Bytes,
}

/// A node that runs once for a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// The node: from the key to round keys, or from key and nonce to a state.
    pub node: String,
    /// The slicing to compile it in, `B` or `V`.
    pub slicing: Slicing,
    /// A node that makes the same round keys of blocks of sixteen bytes, for machines with vectors: from the key, whose last block
    /// is its last sixteen bytes, to the round keys as bytes that stand as they are specified.
    pub packed: Option<String>,
}

/// The size of a byte string and how words lie in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bytes {
    /// The size.
    pub bytes: u32,
    /// The order of bytes and bits.
    pub order: Order,
}

/// What is wrong with a manifest, or a file of tuned choices beside it, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct ManifestError {
    /// The name of the file as given to [`parse`].
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// What is wrong, the rule and the fix.
    pub message: String,
}

impl ManifestError {
    /// A message about the byte `at` of a text.
    pub fn at(file: &str, text: &str, at: usize, message: impl Into<String>) -> ManifestError {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = text.get(..at).unwrap_or("");
        ManifestError {
            file: file.into(),
            line: before.bytes().filter(|&b| b == b'\n').count() as u32 + 1,
            column: before.rsplit('\n').next().unwrap_or("").chars().count() as u32 + 1,
            message: message.into(),
        }
    }

    /// What the TOML library has against a text.
    pub fn of_toml(file: &str, text: &str, error: &toml::de::Error) -> ManifestError {
        let at = error.span().map_or(0, |span| span.start);
        ManifestError::at(file, text, at, error.message().replace('\n', ": "))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: Spanned<String>,
    title: String,
    specification: String,
    source: Spanned<String>,
    primitive: Spanned<Vec<Spanned<Fields>>>,
    #[serde(default)]
    construction: Vec<construction::Fields>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    BlockCipher,
    Stream,
    Generator,
    Permutation,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::BlockCipher => "block-cipher",
            Kind::Stream => "stream",
            Kind::Generator => "generator",
            Kind::Permutation => "permutation",
        })
    }
}

/// A slicing as a manifest names it.
#[derive(Clone, Copy)]
struct NamedSlicing(Slicing);

impl<'de> Deserialize<'de> for NamedSlicing {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<NamedSlicing, D::Error> {
        struct Name;

        impl serde::de::Visitor<'_> for Name {
            type Value = NamedSlicing;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a slicing")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<NamedSlicing, E> {
                let unknown = || E::unknown_variant(name, &Slicing::NAMES);
                Slicing::named(name).map(NamedSlicing).ok_or_else(unknown)
            }
        }

        // What the visitor refuses, the format says at its place.
        deserializer.deserialize_str(Name)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScheduleFields {
    node: String,
    slicing: Spanned<NamedSlicing>,
    packed: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Fields {
    name: Spanned<String>,
    kind: Kind,
    slicings: Spanned<Vec<NamedSlicing>>,
    library: Option<Spanned<Vec<NamedSlicing>>>,
    #[serde(default)]
    vectors: Vec<Spanned<String>>,
    encrypt: Option<Spanned<String>>,
    decrypt: Option<Spanned<String>>,
    decryption_keys: Option<Spanned<String>>,
    schedule: Option<Spanned<ScheduleFields>>,
    block: Option<Spanned<Bytes>>,
    key: Option<Spanned<Bytes>>,
    tweak: Option<Spanned<Bytes>>,
    round_keys: Option<Spanned<RoundKeys>>,
    packed: Option<Spanned<Nodes>>,
    words: Option<Spanned<Nodes>>,
    modes: Option<Spanned<Vec<Mode>>>,
    block_function: Option<Spanned<String>>,
    counter: Option<Spanned<Bytes>>,
    nonce: Option<Spanned<Bytes>>,
    keystream: Option<Spanned<Bytes>>,
    initialise: Option<Spanned<ScheduleFields>>,
    generate: Option<Spanned<String>>,
    permute: Option<Spanned<String>>,
    state: Option<Spanned<Bytes>>,
}

/// Whether this can be the name of a primitive, a construction or a folder of a cipher: lower-case letters, digits and
/// single hyphens, a letter first.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && !text.ends_with('-')
        && !text.contains("--")
}

/// Reads a manifest. `file` is the name to report it under.
///
/// # Errors
/// The first thing that is wrong with the text.
pub fn parse(file: &str, text: &str) -> Result<Manifest, ManifestError> {
    let raw: File = toml::from_str(text).map_err(|error| ManifestError::of_toml(file, text, &error))?;
    Reader { file, text }.manifest(raw)
}

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn error(&self, at: usize, message: impl Into<String>) -> ManifestError {
        ManifestError::at(self.file, self.text, at, message)
    }

    fn manifest(&self, raw: File) -> Result<Manifest, ManifestError> {
        self.check_name("a cipher", &raw.name)?;
        self.check_path(&raw.source)?;
        if raw.primitive.get_ref().is_empty() {
            return Err(self
                .error(raw.primitive.span().start, messages::empty("primitive", "write a `[[primitive]]`")));
        }
        let mut primitives: Vec<Primitive> = Vec::new();
        for fields in raw.primitive.into_inner() {
            let place = fields.get_ref().name.span().start;
            let primitive = self.primitive(fields)?;
            // Two names that differ in a hyphen alone cannot occur: a name has no underscore.
            if primitives.iter().any(|other| other.name == primitive.name) {
                return Err(self.error(place, messages::twice("the primitive", &primitive.name)));
            }
            primitives.push(primitive);
        }
        let constructions = self.constructions(raw.construction, &primitives)?;
        Ok(Manifest {
            name: raw.name.into_inner(),
            title: raw.title,
            specification: raw.specification,
            source: raw.source.into_inner(),
            primitives,
            constructions,
        })
    }

    fn primitive(&self, fields: Spanned<Fields>) -> Result<Primitive, ManifestError> {
        let at = fields.get_ref().name.span().start;
        let mut fields = fields.into_inner();
        self.check_name("a primitive", &fields.name)?;
        let slicings = self.slicings(&fields.slicings)?;
        self.check_foreign(&fields)?;
        let library = match &fields.library {
            None => slicings.clone(),
            Some(names) => {
                let library: Vec<Slicing> = names.get_ref().iter().map(|name| name.0).collect();
                let stranger = library.iter().find(|slicing| !slicings.contains(slicing));
                if let Some(message) = messages::library_slicing(library.is_empty(), stranger) {
                    return Err(self.error(names.span().start, message));
                }
                library
            }
        };
        for path in &fields.vectors {
            self.check_path(path)?;
        }
        let need = Need { reader: self, kind: fields.kind, at };
        let function = match fields.kind {
            Kind::BlockCipher => Function::BlockCipher(need.block_cipher(&mut fields, &slicings)?),
            Kind::Stream => Function::Stream(Stream {
                block_function: need.field(
                    fields.block_function,
                    "block-function",
                    "the node from key, counter and nonce to keystream",
                )?,
                key: need.bytes(fields.key, "key")?,
                counter: need.bytes(fields.counter, "counter")?,
                nonce: need.bytes(fields.nonce, "nonce")?,
                keystream: need.bytes(fields.keystream, "keystream")?,
            }),
            Kind::Generator => Function::Generator(Generator {
                initialise: need.initialiser(
                    fields.initialise,
                    "initialise",
                    "{ node, slicing } of the node from key and nonce to the state",
                )?,
                generate: need.field(
                    fields.generate,
                    "generate",
                    "the node from the state to the next state and keystream",
                )?,
                key: need.bytes(fields.key, "key")?,
                nonce: need.bytes(fields.nonce, "nonce")?,
                state: need.bytes(fields.state, "state")?,
                keystream: need.bytes(fields.keystream, "keystream")?,
            }),
            Kind::Permutation => Function::Permutation(Permutation {
                permute: need.field(fields.permute, "permute", "the node from state to state")?,
                state: need.bytes(fields.state, "state")?,
            }),
        };
        Ok(Primitive {
            name: fields.name.into_inner(),
            slicings,
            library,
            vectors: fields.vectors.into_iter().map(Spanned::into_inner).collect(),
            function,
        })
    }

    /// The slicings of a field that names at least one, and none of `others`.
    fn slicings(&self, names: &Spanned<Vec<NamedSlicing>>) -> Result<Vec<Slicing>, ManifestError> {
        if names.get_ref().is_empty() {
            let message = messages::empty("slicings", "name at least one of `b`, `v`, `v4` and `h`");
            return Err(self.error(names.span().start, message));
        }
        let mut slicings: Vec<Slicing> = Vec::new();
        for slicing in names.get_ref().iter().map(|name| name.0) {
            if slicings.contains(&slicing) {
                let message = messages::twice("the slicing", slicing);
                return Err(self.error(names.span().start, message));
            }
            slicings.push(slicing);
        }
        Ok(slicings)
    }

    /// Fields that are known, but not for this kind.
    fn check_foreign(&self, fields: &Fields) -> Result<(), ManifestError> {
        fn place<T>(field: &Option<Spanned<T>>) -> Option<usize> {
            field.as_ref().map(|spanned| spanned.span().start)
        }
        let present = [
            ("encrypt", place(&fields.encrypt)),
            ("decrypt", place(&fields.decrypt)),
            ("decryption-keys", place(&fields.decryption_keys)),
            ("schedule", place(&fields.schedule)),
            ("block", place(&fields.block)),
            ("key", place(&fields.key)),
            ("tweak", place(&fields.tweak)),
            ("round-keys", place(&fields.round_keys)),
            ("packed", place(&fields.packed)),
            ("words", place(&fields.words)),
            ("modes", place(&fields.modes)),
            ("block-function", place(&fields.block_function)),
            ("counter", place(&fields.counter)),
            ("nonce", place(&fields.nonce)),
            ("keystream", place(&fields.keystream)),
            ("initialise", place(&fields.initialise)),
            ("generate", place(&fields.generate)),
            ("permute", place(&fields.permute)),
            ("state", place(&fields.state)),
        ];
        let allowed: &[&str] = match fields.kind {
            Kind::BlockCipher => &[
                "encrypt",
                "decrypt",
                "decryption-keys",
                "schedule",
                "block",
                "key",
                "tweak",
                "round-keys",
                "packed",
                "words",
                "modes",
            ],
            Kind::Stream => &["block-function", "key", "counter", "nonce", "keystream"],
            Kind::Generator => &["initialise", "generate", "key", "nonce", "state", "keystream"],
            Kind::Permutation => &["permute", "state"],
        };
        for (field, at) in present {
            if let Some(at) = at
                && !allowed.contains(&field)
            {
                return Err(self.error(at, messages::foreign_field(fields.kind, field, allowed)));
            }
        }
        Ok(())
    }

    fn check_name(&self, what: &str, name: &Spanned<String>) -> Result<(), ManifestError> {
        let text = name.get_ref();
        if !is_name(text) {
            return Err(self.error(name.span().start, messages::bad_name(what, text)));
        }
        if crate::is_own_name(text) {
            return Err(self.error(name.span().start, messages::own_name(what, text)));
        }
        Ok(())
    }

    fn check_path(&self, path: &Spanned<String>) -> Result<(), ManifestError> {
        let text = path.get_ref();
        let good = !text.is_empty()
            && !text.starts_with('/')
            && !text.contains('\\')
            && text.split('/').all(|part| part != "..");
        if good { Ok(()) } else { Err(self.error(path.span().start, messages::bad_path(text))) }
    }

    fn check_size(&self, field: &str, bytes: u32, at: usize) -> Result<(), ManifestError> {
        if (1..=LARGEST).contains(&bytes) {
            return Ok(());
        }
        Err(self.error(at, messages::bad_size(field, bytes.into(), LARGEST)))
    }
}

/// Fields that a kind of primitive needs.
struct Need<'a> {
    reader: &'a Reader<'a>,
    kind: Kind,
    at: usize,
}

impl Need<'_> {
    fn field<T>(&self, field: Option<Spanned<T>>, name: &str, meaning: &str) -> Result<T, ManifestError> {
        field
            .map(Spanned::into_inner)
            .ok_or_else(|| self.reader.error(self.at, messages::missing_field(self.kind, name, meaning)))
    }

    fn schedule(
        &self,
        field: Option<Spanned<ScheduleFields>>,
        name: &str,
        meaning: &str,
    ) -> Result<Schedule, ManifestError> {
        let ScheduleFields { node, slicing, packed } = self.field(field, name, meaning)?;
        let NamedSlicing(slicing) = slicing.into_inner();
        Ok(Schedule { node, slicing, packed: packed.map(Spanned::into_inner) })
    }

    /// The same of a node of which only what `b` and `v` make can be read back.
    fn initialiser(
        &self,
        field: Option<Spanned<ScheduleFields>>,
        name: &str,
        meaning: &str,
    ) -> Result<Schedule, ManifestError> {
        let at = field.as_ref().map_or(self.at, |field| field.get_ref().slicing.span().start);
        let packed = field.as_ref().and_then(|field| field.get_ref().packed.as_ref());
        if let Some(packed) = packed {
            return Err(self.reader.error(packed.span().start, messages::packed_initialiser()));
        }
        let schedule = self.schedule(field, name, meaning)?;
        if schedule.slicing == Slicing::H {
            return Err(self.reader.error(at, messages::horizontal_initialiser()));
        }
        Ok(schedule)
    }

    fn bytes(&self, field: Option<Spanned<Bytes>>, name: &str) -> Result<Bytes, ManifestError> {
        let at = field.as_ref().map_or(self.at, |spanned| spanned.span().start);
        let bytes = self.field(field, name, "{ bytes, order }")?;
        self.reader.check_size(name, bytes.bytes, at)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests;
