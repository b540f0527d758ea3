//! What a generated header declares: its macros for sizes, its functions, and how long its contexts are.

use std::collections::BTreeMap;

/// The part of a header that is about a primitive or a construction.
pub struct Header {
    /// The name of the file.
    pub name: String,
    /// What its first comment says it is about.
    pub about: String,
    /// What it declares, unless nothing is wrapped.
    pub primitive: Option<Primitive>,
}

/// A primitive, or a construction over one.
pub struct Primitive {
    /// The name as people write it: `aes-128`.
    pub name: String,
    /// What its functions begin with: `usuba_aes_128`.
    pub stem: String,
    /// What it is.
    pub kind: Kind,
    /// Its macros with numbers, without what all of them begin with: `KEY_BYTES`.
    pub sizes: BTreeMap<String, u64>,
    /// What its functions end in: `_encrypt_blocks`; nothing for that which is called as the primitive is.
    pub functions: Vec<String>,
    /// Bytes of a context, if it has any.
    pub context: Option<u64>,
    /// Bits of the type of the counter of a stream cipher.
    pub counter_bits: u32,
}

/// What a primitive is, told by the functions it has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `_init` with a key, and `_encrypt_blocks` or `_ctr_xor`.
    BlockCipher,
    /// The same, and a tweak for every block.
    Tweakable,
    /// `_xor`.
    Stream,
    /// `_init` with a key and a nonce, and `_xor`.
    Generator,
    /// `_permute`.
    Permutation,
    /// `_seal` and `_open`.
    Aead,
    /// `_final` to a digest.
    Hash,
    /// `_init` with a key, and `_final` to a tag.
    Mac,
    /// `_squeeze`.
    Xof,
    /// `_squeeze`, and a customization string at the beginning.
    CustomXof,
    /// What only sources include, and modes without a type here.
    Other,
}

/// Modes of block ciphers that have no type here.
const MODES: [&str; 7] = ["-cbc", "-cfb", "-cfb8", "-ofb", "-xts", "-cmac", "-gmac"];

/// Reads the header of a cipher, for a machine whose pointers have so many bytes: one part for each primitive and
/// construction, which begins with its name in a comment.
///
/// # Errors
/// A context has a member of a type that is not known here.
pub fn read(file: &str, text: &str, pointer: u64) -> Result<Vec<Header>, String> {
    let begins = |line: &str| line.starts_with("/* usuba_") && line.contains(".h - ");
    let mut parts: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        if begins(line) {
            parts.push((line["/* ".len()..].split(" - ").next().unwrap_or_default(), String::new()));
        }
        if let Some((_, part)) = parts.last_mut() {
            *part += line;
            part.push('\n');
        }
    }
    let mut headers: Vec<Header> = Vec::new();
    // Contexts hold others, of the headers before.
    let mut contexts = BTreeMap::new();
    for (name, part) in &parts {
        let header = self::part(file, name, part, pointer, &contexts)?;
        if let Some(primitive) = &header.primitive
            && let Some(bytes) = primitive.context
        {
            contexts.insert(format!("{}_ctx", primitive.stem), bytes);
        }
        headers.push(header);
    }
    Ok(headers)
}

fn part(
    file: &str,
    name: &str,
    text: &str,
    pointer: u64,
    contexts: &BTreeMap<String, u64>,
) -> Result<Header, String> {
    let first = text.lines().next().and_then(|line| line.split_once(" - ")).map_or("", |(_, rest)| rest);
    let about = first.split(". Time").next().unwrap_or(first).trim_end_matches("*/").trim().to_owned();
    let name = name.strip_prefix("usuba_").and_then(|name| name.strip_suffix(".h")).unwrap_or(name);
    let primitive = primitive(&name.replace('_', "-"), text, pointer, contexts)?;
    let wrapped = primitive.kind != Kind::Other;
    Ok(Header { name: file.to_owned(), about, primitive: wrapped.then_some(primitive) })
}

fn primitive(
    name: &str,
    text: &str,
    pointer: u64,
    contexts: &BTreeMap<String, u64>,
) -> Result<Primitive, String> {
    let stem = format!("usuba_{}", name.replace('-', "_"));
    let prefix = format!("#define {}_", stem.to_uppercase());
    let sizes: BTreeMap<String, u64> = text
        .lines()
        .filter_map(|line| line.strip_prefix(prefix.as_str())?.split_once(' '))
        .filter_map(|(name, value)| Some((name.to_owned(), value.trim().parse().ok()?)))
        .collect();
    let mut functions: Vec<String> = text
        .match_indices(&stem)
        .map(|(at, _)| &text[at + stem.len()..])
        .filter_map(|rest| rest.split_once('(').map(|(name, _)| name))
        .filter(|name| name.chars().all(|c| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit()))
        .map(str::to_owned)
        .collect();
    functions.sort();
    functions.dedup();
    let has = |function: &str| functions.iter().any(|name| name == function);
    let context = Contexts { stem: &stem, sizes: &sizes, pointer, contexts }.bytes(text)?;
    // Headers that only sources include have functions of such names, but no contexts.
    let messages = context.is_some();
    let kind = if sizes.contains_key("TWEAK_BYTES") && has("_encrypt_blocks") {
        Kind::Tweakable
    } else if has("_encrypt_blocks") || has("_ctr_xor") {
        Kind::BlockCipher
    } else if has("_xor") && context.is_none() && text.contains("_t counter") {
        Kind::Stream
    } else if messages && has("_xor") && has("_xor_batch") {
        Kind::Generator
    } else if has("_permute") {
        Kind::Permutation
    } else if has("_seal") && has("_open") {
        Kind::Aead
    } else if MODES.iter().any(|mode| name.ends_with(mode)) {
        Kind::Other
    } else if messages && has("_final") && sizes.contains_key("DIGEST_BYTES") {
        Kind::Hash
    } else if messages && has("_final") && sizes.contains_key("TAG_BYTES") {
        Kind::Mac
    } else if messages && has("_squeeze") && sizes.contains_key("CUSTOMIZATION_BYTES") {
        Kind::CustomXof
    } else if messages && has("_squeeze") {
        Kind::Xof
    } else {
        Kind::Other
    };
    let counter_bits = [8, 16, 32, 64]
        .into_iter()
        .find(|bits| text.contains(&format!("uint{bits}_t counter")))
        .unwrap_or(64);
    Ok(Primitive { name: name.to_owned(), stem, kind, sizes, functions, context, counter_bits })
}

/// What the sizes of contexts depend on.
struct Contexts<'a> {
    stem: &'a str,
    sizes: &'a BTreeMap<String, u64>,
    pointer: u64,
    contexts: &'a BTreeMap<String, u64>,
}

impl Contexts<'_> {
    /// Bytes of `STEM_ctx`: its members one after another. The C compiler checks the sum.
    fn bytes(&self, text: &str) -> Result<Option<u64>, String> {
        let stem = self.stem;
        let Some((_, body)) = text.split_once(&format!("typedef struct {stem}_ctx {{")) else {
            return Ok(None);
        };
        let body = body.split_once(&format!("}} {stem}_ctx;")).map_or(body, |(body, _)| body);
        let mut sum = 0;
        for member in body.lines().filter_map(|line| line.trim().strip_suffix(';')) {
            sum += self.member(member).ok_or_else(|| format!("the size of `{member}` is not known"))?;
        }
        Ok(Some(if body.contains("uint64_t") { sum.next_multiple_of(8) } else { sum }))
    }

    fn member(&self, member: &str) -> Option<u64> {
        let (declared, count) = member.split_once('[').unwrap_or((member, "1]"));
        let each = match declared.rsplit_once(' ')?.0 {
            "unsigned char" | "uint8_t" => 1,
            "uint16_t" => 2,
            "uint32_t" => 4,
            "uint64_t" => 8,
            "size_t" => self.pointer,
            other => *self.contexts.get(other)?,
        };
        let factors = count.strip_suffix(']')?.split('*').map(|factor| self.number(factor.trim()));
        factors.product::<Option<u64>>().map(|count| count * each)
    }

    /// A number, or a macro of the header that is one.
    fn number(&self, text: &str) -> Option<u64> {
        let of_macro = || {
            let name = text.strip_prefix(&self.stem.to_uppercase())?.strip_prefix('_')?;
            self.sizes.get(name).copied()
        };
        text.parse().ok().or_else(of_macro)
    }
}
