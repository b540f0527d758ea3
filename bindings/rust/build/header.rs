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
    /// Bytes of a message that comes in pieces, if there is a structure for it.
    pub stream: Option<u64>,
    /// Bits of the type of the counter of a stream cipher.
    pub counter_bits: u32,
}

/// What a primitive is, told by the functions it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    /// A mode of a block cipher: `_init` with a key, `_encrypt` and `_decrypt` with a vector.
    BlockMode,
    /// A mode of a block cipher: `_init` with a key, and `_xor` with a vector.
    OutputFeedback,
    /// A mode of a block cipher: `_init` with a key, and a message with a stream of its own.
    Cmac,
    /// A mode of a block cipher: `_init` with a key, `_encrypt` and `_decrypt` with the number of a unit.
    Units,
    /// A mode of a block cipher: `_init` with a key, and `_compute` with a nonce.
    NonceMac,
    /// `_squeeze`.
    Xof,
    /// `_squeeze`, and a customization string at the beginning.
    CustomXof,
    /// What only sources include.
    Other,
}

/// What the names of modes of block ciphers end in that are not authenticated ciphers, and what they are.
const MODES: [(&str, Kind); 7] = [
    ("-cbc", Kind::BlockMode),
    ("-cfb", Kind::BlockMode),
    ("-cfb8", Kind::BlockMode),
    ("-ofb", Kind::OutputFeedback),
    ("-cmac", Kind::Cmac),
    ("-xts", Kind::Units),
    ("-gmac", Kind::NonceMac),
];

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
        let mut header = self::part(file, name, part, pointer, &contexts)?;
        if let Some(mode) = &mut header.primitive
            && let Some(block) = block_of_cipher(&mode.name, &headers)
        {
            mode.sizes.entry("BLOCK_BYTES".to_owned()).or_insert(block);
        }
        if let Some(primitive) = &header.primitive
            && let Some(bytes) = primitive.context
        {
            contexts.insert(format!("{}_ctx", primitive.stem), bytes);
        }
        headers.push(header);
    }
    Ok(headers)
}

/// Bytes of a block of the cipher that this is a mode of: its part is before those of its modes.
fn block_of_cipher(name: &str, headers: &[Header]) -> Option<u64> {
    let cipher = MODES.iter().find_map(|(ending, _)| name.strip_suffix(ending))?;
    let mut ciphers = headers.iter().flat_map(|header| &header.primitive);
    ciphers.find(|one| one.name == cipher)?.sizes.get("BLOCK_BYTES").copied()
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
    let functions: BTreeMap<&str, Option<usize>> = functions(&stem, text);
    let has = |function: &str| functions.contains_key(function);
    let structures = Structures { stem: &stem, sizes: &sizes, pointer, contexts };
    let context = structures.bytes("ctx", text)?;
    let stream = structures.bytes("stream", text)?;
    // Headers that only sources include have functions of such names, but no contexts.
    let messages = context.is_some();
    let mode = MODES.iter().find(|(ending, _)| name.ends_with(ending));
    let kind = if let Some(&(_, kind)) = mode {
        // Headers that only sources include have such names, too.
        if messages { kind } else { Kind::Other }
    } else if sizes.contains_key("TWEAK_BYTES") && has("_encrypt_blocks") {
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
    for &(function, wanted) in kind.parameters(context.is_some()) {
        if let Some(&Some(found)) = functions.get(function)
            && found != wanted
        {
            return Err(format!(
                "`{stem}{function}` has {found} parameters, where the crate gives {wanted} to one of kind {kind:?}"
            ));
        }
    }
    let functions = functions.into_keys().map(str::to_owned).collect();
    Ok(Primitive { name: name.to_owned(), stem, kind, sizes, functions, context, stream, counter_bits })
}

/// What functions of a primitive end in, and how many parameters they are declared with.
fn functions<'a>(stem: &str, text: &'a str) -> BTreeMap<&'a str, Option<usize>> {
    let mut functions = BTreeMap::new();
    for (at, _) in text.match_indices(stem) {
        let Some((name, rest)) = text[at + stem.len()..].split_once('(') else { continue };
        if !name.chars().all(|c| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit()) {
            continue;
        }
        let found = functions.entry(name).or_insert(None);
        // Comments name functions, too.
        let is_declared = text[..at].lines().last().is_some_and(|line| line.starts_with("USUBA_API "));
        if let Some((parameters, _)) = rest.split_once(')').filter(|_| is_declared) {
            *found = Some(if parameters == "void" { 0 } else { parameters.split(',').count() });
        }
    }
    functions
}

impl Kind {
    /// How many parameters functions have as the macros of `src/` declare them. A header that is taken for what it is not must not
    /// become calls with other arguments.
    fn parameters(self, has_context: bool) -> &'static [(&'static str, usize)] {
        match self {
            Kind::BlockCipher => &[
                ("_init", 2),
                ("_wipe", 1),
                ("_encrypt_blocks", 4),
                ("_decrypt_blocks", 4),
                ("_ctr_xor", 5),
                ("_ctr32_xor", 5),
            ],
            Kind::Tweakable => &[("_init", 2), ("_wipe", 1), ("_encrypt_blocks", 5), ("_decrypt_blocks", 5)],
            Kind::Stream => &[("_xor", 6)],
            Kind::Generator => &[("_init", 3), ("_wipe", 1), ("_xor", 4), ("_xor_batch", 5)],
            Kind::Permutation => &[("_permute", 2)],
            Kind::Aead if has_context => &[("_init", 2), ("_wipe", 1), ("_seal", 10), ("_open", 10)],
            Kind::Aead => &[("_seal", 8), ("_open", 8), ("_seal_batch", 2), ("_open_batch", 2)],
            Kind::Hash => &[("_init", 1), ("_update", 3), ("_final", 2), ("_wipe", 1), ("_batch", 2)],
            Kind::Mac => &[("_init", 2), ("_update", 3), ("_final", 2), ("_wipe", 1)],
            Kind::BlockMode => {
                &[("_init", 2), ("_wipe", 1), ("_encrypt", 5), ("_decrypt", 5), ("_encrypt_batch", 3)]
            }
            Kind::OutputFeedback => &[("_init", 2), ("_wipe", 1), ("_xor", 5), ("_xor_batch", 3)],
            Kind::Units => &[("_init", 2), ("_wipe", 1), ("_encrypt", 5), ("_decrypt", 5)],
            Kind::NonceMac => &[("_init", 2), ("_wipe", 1), ("_compute", 7)],
            Kind::Cmac => &[
                ("_init", 2),
                ("_wipe", 1),
                ("_compute", 5),
                ("_compute_batch", 3),
                ("_begin", 3),
                ("_update", 4),
                ("_end", 4),
                ("_stream_wipe", 1),
            ],
            Kind::Xof => &[("_init", 1), ("_update", 3), ("_squeeze", 3), ("_wipe", 1), ("_batch", 2)],
            Kind::CustomXof => &[("_init", 3), ("_update", 3), ("_squeeze", 3), ("_wipe", 1), ("_batch", 2)],
            Kind::Other => &[],
        }
    }
}

/// What the sizes of structures depend on.
struct Structures<'a> {
    stem: &'a str,
    sizes: &'a BTreeMap<String, u64>,
    pointer: u64,
    contexts: &'a BTreeMap<String, u64>,
}

impl Structures<'_> {
    /// Bytes of `STEM_ctx`, or of another structure: its members one after another, each where its type may be. The C compiler
    /// checks the sum.
    fn bytes(&self, what: &str, text: &str) -> Result<Option<u64>, String> {
        let name = format!("{}_{what}", self.stem);
        let Some((_, body)) = text.split_once(&format!("typedef struct {name} {{")) else {
            return Ok(None);
        };
        let body = body.split_once(&format!("}} {name};")).map_or(body, |(body, _)| body);
        let (mut sum, mut most) = (0_u64, 1);
        for member in body.lines().filter_map(|line| line.trim().strip_suffix(';')) {
            let (bytes, alignment) =
                self.member(member).ok_or_else(|| format!("the size of `{member}` is not known"))?;
            sum = sum.next_multiple_of(alignment) + bytes;
            most = most.max(alignment);
        }
        Ok(Some(sum.next_multiple_of(most)))
    }

    /// Bytes of a member, and what its place is a multiple of.
    fn member(&self, member: &str) -> Option<(u64, u64)> {
        let (declared, count) = member.split_once('[').unwrap_or((member, "1]"));
        let (each, alignment) = match declared.rsplit_once(' ')?.0 {
            "unsigned char" | "uint8_t" => (1, 1),
            "uint16_t" => (2, 2),
            "uint32_t" => (4, 4),
            "uint64_t" => (8, 8),
            "size_t" => (self.pointer, self.pointer),
            // All contexts begin with a word of 64 bits.
            other => (*self.contexts.get(other)?, 8),
        };
        let factors = count.strip_suffix(']')?.split('*').map(|factor| self.number(factor.trim()));
        Some((factors.product::<Option<u64>>()? * each, alignment))
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
