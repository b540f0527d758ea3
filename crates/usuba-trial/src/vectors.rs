//! Files of known answers.
//!
//! A file is a JSON object with `vectors`, and perhaps `primitive`, `kind`, `count`, `conventions`, `source`, `checked_by`,
//! `bulk`, `traces` and `chains`. Byte strings are hexadecimal in order of transmission. Fields that are not read here
//! (the paper's words beside the bytes, intermediate states) may be there.

use crate::messages;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fmt;
use thiserror::Error;

/// A file of known answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VectorFile {
    /// The name of the primitive for people, if the file gives one.
    pub primitive: Option<String>,
    /// What kind it is.
    pub kind: Kind,
    /// What the bytes mean; empty if the file does not say.
    pub conventions: String,
    /// Single applications.
    pub vectors: Vec<Vector>,
    /// Many blocks under one key.
    pub bulk: Vec<Bulk>,
    /// Round keys.
    pub traces: Vec<Trace>,
    /// Iterated applications.
    pub chains: Vec<Chain>,
}

/// The kinds of primitives that the format knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A block cipher.
    BlockCipher,
    /// A permutation.
    Permutation,
    /// A stream cipher, or a block cipher in a stream mode.
    Stream,
    /// Authenticated encryption.
    Aead,
    /// A hash function.
    Hash,
    /// A message authentication code.
    Mac,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 6] =
        [Kind::BlockCipher, Kind::Permutation, Kind::Stream, Kind::Aead, Kind::Hash, Kind::Mac];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::BlockCipher => "block-cipher",
            Kind::Permutation => "permutation",
            Kind::Stream => "stream",
            Kind::Aead => "aead",
            Kind::Hash => "hash",
            Kind::Mac => "mac",
        })
    }
}

/// One application of the primitive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vector {
    /// Its name.
    pub id: String,
    /// The key; empty for a primitive without.
    pub key: Vec<u8>,
    /// The nonce, or the first counter block; empty for a primitive without.
    pub nonce: Vec<u8>,
    /// The tweak; empty for a primitive without.
    pub tweak: Vec<u8>,
    /// The block counter to start at.
    pub counter: Option<u32>,
    /// The associated data; empty for a primitive without.
    pub ad: Vec<u8>,
    /// The customization string; empty for a primitive without.
    pub customization: Vec<u8>,
    /// What goes in.
    pub input: Vec<u8>,
    /// What comes out. Authenticated encryption: the ciphertext, then the tag.
    pub output: Vec<u8>,
    /// Whether it is so: authenticated decryption must refuse `output` otherwise, whose `input` means nothing.
    pub valid: bool,
}

/// Consecutive blocks under one key, each by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bulk {
    /// Its name.
    pub id: String,
    /// The key.
    pub key: Vec<u8>,
    /// The tweak of all blocks; empty for a primitive without.
    pub tweak: Vec<u8>,
    /// Number of blocks.
    pub blocks: usize,
    /// The blocks.
    pub input: Vec<u8>,
    /// Their encryptions.
    pub output: Vec<u8>,
}

/// The round keys of a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Its name.
    pub id: String,
    /// The key; empty for a primitive without.
    pub key: Vec<u8>,
    /// The round keys, if the trace has them.
    pub round_keys: Option<RoundKeys>,
}

/// Round keys in one of the two forms of specifications.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RoundKeys {
    /// Byte strings: `round_keys`, `round_keys_48bit`.
    Bytes(Vec<u8>),
    /// Numbers of `width` bits: `round_keys_words`, `round_keys_rows`.
    Words {
        /// Bits of each.
        width: u32,
        /// The words in order.
        words: Vec<u128>,
    },
}

/// `iterations` applications, each to the output of the one before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chain {
    /// Its name.
    pub id: String,
    /// The key; empty for a primitive without.
    pub key: Vec<u8>,
    /// The first input.
    pub start: Vec<u8>,
    /// How many times.
    pub iterations: u32,
    /// The last output.
    pub last: Vec<u8>,
}

/// What is wrong with a file of known answers, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{file}: {path}: {message}")]
pub struct VectorError {
    /// The name of the file as given to [`parse`].
    pub file: String,
    /// The place: `vectors[3].key`, or `line 1, column 7` where the text is not JSON.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

/// Reads a file of known answers of a block cipher, or of what the file says. `file` is the name to report it under.
///
/// # Errors
/// All values that do not have the shape that the format asks for, in the order of the file.
pub fn parse(file: &str, text: &str) -> Result<VectorFile, Vec<VectorError>> {
    parse_for(file, text, Kind::BlockCipher)
}

/// The same of a primitive of the kind `usual`, where the file does not say.
///
/// # Errors
/// As for [`parse`].
pub fn parse_for(file: &str, text: &str, usual: Kind) -> Result<VectorFile, Vec<VectorError>> {
    let error = |Wrong { path, message }| VectorError { file: file.into(), path, message };
    let value: Value = serde_json::from_str(text).map_err(|wrong| {
        let path = format!("line {}, column {}", wrong.line(), wrong.column());
        vec![error(Wrong { path, message: wrong.to_string() })]
    })?;
    let mut wrong = Vec::new();
    match read(&At { value: &value, path: String::new() }, usual, &mut wrong) {
        Ok(file) if wrong.is_empty() => Ok(file),
        Ok(_) => Err(wrong.into_iter().map(error).collect()),
        Err(last) => Err(wrong.into_iter().chain([last]).map(error).collect()),
    }
}

/// A wrong value.
struct Wrong {
    path: String,
    message: String,
}

/// A value and its path.
struct At<'a> {
    value: &'a Value,
    path: String,
}

impl<'a> At<'a> {
    fn wrong(&self, expected: &str) -> Wrong {
        let found = match self.value {
            Value::Null => "null".into(),
            Value::Bool(_) => "a truth value".into(),
            Value::Number(number) => format!("the number {number}"),
            Value::String(text) if text.len() <= 40 => format!("the string {text:?}"),
            Value::String(_) => "a string".into(),
            Value::Array(items) => format!("an array of {}", items.len()),
            Value::Object(_) => "an object".into(),
        };
        self.say(messages::wrong_shape(expected, &found))
    }

    fn say(&self, message: String) -> Wrong {
        let path = if self.path.is_empty() { "the file".into() } else { self.path.clone() };
        Wrong { path, message }
    }

    fn object(&self) -> Result<&'a Map<String, Value>, Wrong> {
        self.value.as_object().ok_or_else(|| self.wrong("an object"))
    }

    fn optional(&self, name: &str) -> Result<Option<At<'a>>, Wrong> {
        let path = if self.path.is_empty() { name.into() } else { format!("{}.{name}", self.path) };
        Ok(self.object()?.get(name).map(|value| At { value, path }))
    }

    fn field(&self, name: &str) -> Result<At<'a>, Wrong> {
        self.optional(name)?
            .ok_or_else(|| self.say(messages::wrong_shape(&format!("a field `{name}`"), "none")))
    }

    /// A field that vectors of a kind have, and those of others may not.
    fn field_of(&self, name: &str, kind: Kind) -> Result<At<'a>, Wrong> {
        self.optional(name)?.ok_or_else(|| self.say(messages::no_field_of_kind(name, &kind.to_string())))
    }

    fn items(&self) -> Result<Vec<At<'a>>, Wrong> {
        let items = self.value.as_array().ok_or_else(|| self.wrong("an array"))?;
        Ok(items
            .iter()
            .enumerate()
            .map(|(number, value)| At { value, path: format!("{}[{number}]", self.path) })
            .collect())
    }

    fn text(&self) -> Result<&'a str, Wrong> {
        self.value.as_str().ok_or_else(|| self.wrong("a string"))
    }

    fn number(&self) -> Result<u32, Wrong> {
        let number = self.value.as_u64().and_then(|n| u32::try_from(n).ok());
        number.ok_or_else(|| self.wrong("a number from 0 to 4294967295"))
    }

    /// The value of a string of hexadecimal digits with its length.
    fn digits(&self) -> Result<Vec<u8>, Wrong> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            b'A'..=b'F' => Some(byte - b'A' + 10),
            _ => None,
        };
        let digits: Option<Vec<u8>> = self.text()?.bytes().map(digit).collect();
        digits.ok_or_else(|| self.wrong("hexadecimal digits"))
    }

    fn bytes(&self) -> Result<Vec<u8>, Wrong> {
        let digits = self.digits()?;
        if !digits.len().is_multiple_of(2) {
            return Err(self.wrong("an even number of hexadecimal digits"));
        }
        Ok(digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
    }
}

fn bytes_or_none(at: &At, name: &str) -> Result<Vec<u8>, Wrong> {
    at.optional(name)?.map_or(Ok(Vec::new()), |field| field.bytes())
}

/// The items of a list that may be missing. What is wrong with one of them does not keep the others from being read.
fn list<T>(
    at: &At,
    name: &str,
    wrong: &mut Vec<Wrong>,
    read: impl Fn(&At) -> Result<T, Wrong>,
) -> Result<Vec<T>, Wrong> {
    let Some(field) = at.optional(name)? else { return Ok(Vec::new()) };
    let mut ids = BTreeSet::new();
    let mut items = Vec::new();
    for item in field.items()? {
        match read(&item) {
            Ok(value) => items.push(value),
            Err(error) => wrong.push(error),
        }
        if let Ok(Some(id)) = item.optional("id")
            && let Ok(text) = id.text()
            && !ids.insert(text)
        {
            wrong.push(id.say(messages::used_twice(text)));
        }
    }
    Ok(items)
}

fn read(at: &At, usual: Kind, wrong: &mut Vec<Wrong>) -> Result<VectorFile, Wrong> {
    let kind = match at.optional("kind")? {
        None => usual,
        Some(kind) => {
            let text = kind.text()?;
            Kind::ALL
                .into_iter()
                .find(|k| k.to_string() == text)
                .ok_or_else(|| kind.wrong("block-cipher, permutation, stream, aead, hash or mac"))?
        }
    };
    let text_or_none =
        |name: &str| at.optional(name)?.map(|field| field.text().map(str::to_owned)).transpose();
    let vectors = at.field("vectors")?;
    let found = vectors.items()?.len();
    if found == 0 {
        return Err(vectors.wrong("at least one vector"));
    }
    if let Some(count) = at.optional("count")?
        && count.value.as_u64() != Some(found as u64)
    {
        wrong.push(count.wrong(&format!("{found}, as many as there are in `vectors`")));
    }
    Ok(VectorFile {
        primitive: text_or_none("primitive")?,
        kind,
        conventions: text_or_none("conventions")?.unwrap_or_default(),
        vectors: list(at, "vectors", wrong, |item| vector(kind, item))?,
        bulk: list(at, "bulk", wrong, bulk)?,
        traces: list(at, "traces", wrong, trace)?,
        chains: list(at, "chains", wrong, chain)?,
    })
}

/// The name of an item: its `id`, else its place.
fn id(at: &At) -> Result<String, Wrong> {
    at.optional("id")?.map_or(Ok(at.path.clone()), |id| id.text().map(str::to_owned))
}

fn vector(kind: Kind, at: &At) -> Result<Vector, Wrong> {
    let keyed = !matches!(kind, Kind::Permutation | Kind::Hash);
    let vector = Vector {
        id: id(at)?,
        key: if keyed { at.field_of("key", kind)?.bytes()? } else { Vec::new() },
        nonce: match kind {
            Kind::Stream | Kind::Aead => at.field_of("nonce", kind)?.bytes()?,
            _ => bytes_or_none(at, "nonce")?,
        },
        tweak: bytes_or_none(at, "tweak")?,
        counter: at.optional("counter")?.map(|field| field.number()).transpose()?,
        ad: if kind == Kind::Aead { at.field_of("ad", kind)?.bytes()? } else { Vec::new() },
        customization: bytes_or_none(at, "customization")?,
        input: at.field("input")?.bytes()?,
        output: at.field("output")?.bytes()?,
        valid: match at.optional("result")? {
            None => true,
            Some(result) => match result.text()? {
                "valid" => true,
                "invalid" if kind == Kind::Aead => false,
                _ if kind == Kind::Aead => return Err(result.wrong("valid or invalid")),
                _ => return Err(result.wrong("valid")),
            },
        },
    };
    let of_one_size = matches!(kind, Kind::BlockCipher | Kind::Permutation);
    if of_one_size && vector.input.len() != vector.output.len() {
        let expected = format!("as many bytes as in `input` ({})", vector.input.len());
        return Err(at
            .field("output")?
            .say(messages::wrong_shape(&expected, &vector.output.len().to_string())));
    }
    Ok(vector)
}

fn bulk(at: &At) -> Result<Bulk, Wrong> {
    let blocks = at.field("blocks")?;
    let bulk = Bulk {
        id: id(at)?,
        key: bytes_or_none(at, "key")?,
        tweak: bytes_or_none(at, "tweak")?,
        blocks: blocks.number()? as usize,
        input: at.field("input")?.bytes()?,
        output: at.field("output")?.bytes()?,
    };
    if bulk.blocks == 0 || !bulk.input.len().is_multiple_of(bulk.blocks) {
        return Err(blocks.wrong("a number that divides the size of `input`"));
    }
    if bulk.input.len() != bulk.output.len() {
        let expected = format!("as many bytes as in `input` ({})", bulk.input.len());
        return Err(at
            .field("output")?
            .say(messages::wrong_shape(&expected, &bulk.output.len().to_string())));
    }
    Ok(bulk)
}

fn trace(at: &At) -> Result<Trace, Wrong> {
    let mut round_keys = None;
    for name in ["round_keys", "round_keys_48bit"] {
        if let Some(field) = at.optional(name)? {
            let keys: Result<Vec<Vec<u8>>, Wrong> = field.items()?.iter().map(At::bytes).collect();
            round_keys = Some(RoundKeys::Bytes(keys?.concat()));
        }
    }
    for name in ["round_keys_words", "round_keys_rows"] {
        if let Some(field) = at.optional(name)? {
            round_keys = Some(words(&field)?);
        }
    }
    Ok(Trace { id: id(at)?, key: bytes_or_none(at, "key")?, round_keys })
}

/// A list per round of numbers, all of one number of digits.
fn words(at: &At) -> Result<RoundKeys, Wrong> {
    let mut width = None;
    let mut words = Vec::new();
    for round in at.items()? {
        for word in round.items()? {
            let digits = word.digits()?;
            if digits.is_empty() || digits.len() > 32 || width.is_some_and(|w| w != digits.len()) {
                return Err(word.wrong("1 to 32 hexadecimal digits, as many in every word"));
            }
            width = Some(digits.len());
            words.push(digits.iter().fold(0, |value, digit| value << 4 | u128::from(*digit)));
        }
    }
    let width = width.ok_or_else(|| at.wrong("at least one word"))?;
    Ok(RoundKeys::Words { width: 4 * width as u32, words })
}

fn chain(at: &At) -> Result<Chain, Wrong> {
    let chain = Chain {
        id: id(at)?,
        key: bytes_or_none(at, "key")?,
        start: at.field("start")?.bytes()?,
        iterations: at.field("iterations")?.number()?,
        last: at.field("final")?.bytes()?,
    };
    if chain.start.len() != chain.last.len() {
        let expected = format!("as many bytes as in `start` ({})", chain.start.len());
        return Err(at.field("final")?.say(messages::wrong_shape(&expected, &chain.last.len().to_string())));
    }
    Ok(chain)
}

#[cfg(test)]
mod tests;
