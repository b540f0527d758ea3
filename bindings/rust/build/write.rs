//! The Rust and C that the build writes from what the headers declare.

use crate::header::{Header, Kind, Primitive};
use std::fmt::Write;

/// The C that declares what a context is compared with: it does not compile if the size that Rust allocates is another one.
pub fn size_checks(headers: &[Header]) -> String {
    let mut text = String::from("#include <stddef.h>\n");
    for (place, header) in headers.iter().enumerate() {
        if place == 0 || headers[place - 1].name != header.name {
            let _ = writeln!(text, "#include \"{}\"", header.name);
        }
        let Some(primitive) = &header.primitive else { continue };
        text += &message_checks(primitive);
        for (what, bytes) in [("ctx", primitive.context), ("stream", primitive.stream)] {
            let Some(bytes) = bytes else { continue };
            let structure = format!("{}_{what}", primitive.stem);
            let _ = writeln!(
                text,
                "typedef char {structure}_has_another_size[sizeof({structure}) == {bytes} ? 1 : -1];\n\
                 struct {structure}_after {{ char first; {structure} second; }};\n\
                 typedef char {structure}_has_another_alignment[offsetof(struct {structure}_after, second) <= 8 ? 1 : -1];"
            );
        }
    }
    // All modes of a shape have one type of messages.
    let primitives = || headers.iter().flat_map(|header| &header.primitive).filter(|one| has_batch(one));
    for (message, kinds, members) in [
        ("usuba_chained_message", CHAINED, "iv in length out result"),
        ("usuba_tagged_message", TAGGED, "in length tag tag_bytes result"),
    ] {
        if primitives().any(|one| kinds.contains(&one.kind)) {
            text += &structure_checks(message, members);
        }
    }
    text
}

/// Modes whose batches have messages with a vector.
const CHAINED: &[Kind] = &[Kind::BlockMode, Kind::OutputFeedback];

/// Modes whose batches have messages with a tag.
const TAGGED: &[Kind] = &[Kind::Cmac];

/// The C that compares the message of a batch with the structure of `src/raw.rs` for it.
fn message_checks(primitive: &Primitive) -> String {
    let members = match primitive.kind {
        _ if !has_batch(primitive) => return String::new(),
        Kind::Aead => "key nonce ad ad_length in length out tag result",
        Kind::Hash => "in length digest result",
        Kind::Xof => "in length out out_length result",
        Kind::CustomXof => "custom custom_length in length out out_length result",
        _ => return String::new(),
    };
    structure_checks(&format!("{}_message", primitive.stem), members)
}

/// The C that compares a structure with these members, each as long as a pointer.
fn structure_checks(message: &str, members: &str) -> String {
    let mut text = String::new();
    for (place, member) in members.split(' ').enumerate() {
        let _ = writeln!(
            text,
            "typedef char {message}_{member}_is_elsewhere\
             [offsetof({message}, {member}) == {place} * sizeof(void *) ? 1 : -1];"
        );
    }
    let count = members.split(' ').count();
    text + &format!(
        "typedef char {message}_has_another_size[sizeof({message}) == {count} * sizeof(void *) ? 1 : -1];\n"
    )
}

/// Whether there are functions for many messages.
fn has_batch(primitive: &Primitive) -> bool {
    primitive.functions.iter().any(|name| name.ends_with("_batch"))
}

/// The Rust module of a cipher.
pub fn module(folder: &str, headers: &[Header]) -> String {
    let mut text = format!("/// What `{folder}` has:\n///\n");
    for header in headers.iter().filter(|header| header.primitive.is_some()) {
        let _ = writeln!(text, "/// - {}", header.about);
    }
    let name = folder.replace('-', "_");
    let _ = writeln!(text, "pub mod {name} {{\n// Its C.\nuse usuba_{name}_sys as _;");
    for primitive in headers.iter().flat_map(|header| &header.primitive) {
        text += &wrapper(primitive);
    }
    text + "}\n\n"
}

/// The invocations of the macros of `src/` that make the types of a primitive.
fn wrapper(primitive: &Primitive) -> String {
    let Primitive { name, stem, .. } = primitive;
    let kind = type_name(name);
    let size = |what: &str| primitive.sizes.get(&format!("{what}_BYTES")).copied().unwrap_or(0);
    let has = |function: &str| primitive.functions.iter().any(|name| name == function);
    let context = primitive.context.unwrap_or(0).div_ceil(8);
    let (key, block, nonce, tag) = (size("KEY"), size("BLOCK"), size("NONCE"), size("TAG"));
    let batch = if has_batch(primitive) { format!(", batch {stem}_batch") } else { String::new() };
    match primitive.kind {
        Kind::BlockCipher => {
            let optional: String = [
                ("_encrypt_blocks", "encrypt"),
                ("_decrypt_blocks", "decrypt"),
                ("_ctr_xor", "counter"),
                ("_ctr32_xor", "counter32"),
            ]
            .into_iter()
            .filter(|(function, _)| has(function))
            .map(|(function, word)| format!(", {word} {stem}{function}"))
            .collect();
            let mut text = format!(
                "crate::block::block_cipher!({kind}, {name:?}, key {key} U{key}, block {block} U{block}, \
                 context {context}, {stem}_init, {stem}_wipe{optional});\n"
            );
            if has("_ctr_xor") {
                let _ = writeln!(
                    text,
                    "/// {kind} in counter mode: see [`Ctr`](crate::Ctr).\npub type {kind}Ctr = crate::Ctr<{kind}>;"
                );
            }
            text
        }
        Kind::Tweakable => {
            let tweak = size("TWEAK");
            let decrypt = if has("_decrypt_blocks") {
                format!(", decrypt {stem}_decrypt_blocks")
            } else {
                String::new()
            };
            format!(
                "crate::tweakable::tweakable_block_cipher!({kind}, {name:?}, key {key} U{key}, block {block} U{block}, \
                 tweak {tweak} U{tweak}, context {context}, {stem}_init, {stem}_wipe, \
                 encrypt {stem}_encrypt_blocks{decrypt});\n"
            )
        }
        Kind::Generator => format!(
            "crate::generator::generator!({kind}, {name:?}, key {key} U{key}, nonce {nonce} U{nonce}, block {block}, \
             context {context}, {stem}_init, {stem}_xor, {stem}_xor_batch, {stem}_wipe);\n"
        ),
        Kind::Mac => format!(
            "crate::authenticator::mac!({kind}, {name:?}, key {key} U{key}, tag {tag} U{tag}, context {context}, \
             {stem}_init, {stem}_update, {stem}_final, {stem}_wipe);\n"
        ),
        Kind::BlockMode => block_mode(primitive),
        Kind::OutputFeedback => {
            let batch =
                if has_batch(primitive) { format!(", batch {stem}_xor_batch") } else { String::new() };
            format!(
                "crate::chained::output_feedback!({kind}Key, {name:?}, key {key} U{key}, block {block} U{block}, \
                 context {context}, {stem}_init, {stem}_wipe, xor {stem}_xor{batch});\n\
                 /// `{name}` as a stream cipher: see [`Ofb`](crate::Ofb).\n\
                 pub type {kind} = crate::Ofb<{kind}Key>;\n"
            )
        }
        Kind::Cmac => {
            let batch =
                if has_batch(primitive) { format!(", batch {stem}_compute_batch") } else { String::new() };
            let stream = primitive.stream.unwrap_or(0).div_ceil(8);
            format!(
                "crate::cmac::cmac!({kind}, {kind}Key, {name:?}, key {key} U{key}, tag {tag} U{tag}, context {context}, \
                 stream {stream}, {stem}_init, {stem}_wipe, {stem}_compute, {stem}_begin, {stem}_update, {stem}_end, \
                 {stem}_stream_wipe{batch});\n",
                tag = if tag == 0 { block } else { tag },
            )
        }
        Kind::Units => format!(
            "crate::units::units!({kind}, {name:?}, key {key} U{key}, unit {}, context {context}, {stem}_init, {stem}_wipe, \
             encrypt {stem}_encrypt, decrypt {stem}_decrypt);\n",
            size("UNIT")
        ),
        Kind::NonceMac => format!(
            "crate::nonce_mac::nonce_mac!({kind}, {name:?}, key {key} U{key}, nonce {nonce}, tag {tag} U{tag}, context {context}, \
             {stem}_init, {stem}_wipe, {stem}_compute);\n"
        ),
        Kind::Stream => {
            // Positions are of 32 or 64 bits for the traits; shorter counters are asked by the first.
            let position = if primitive.counter_bits > 32 { 64 } else { 32 };
            let function = format!("{}_xor", name.replace('-', "_"));
            format!(
                "crate::stream::stream_cipher!({kind}, {kind}Core, {function}, {name:?}, key {key} U{key}, nonce {nonce} U{nonce}, \
                 block {block} U{block}, counter u{} u{position}, {stem}_xor);\n",
                primitive.counter_bits
            )
        }
        Kind::Permutation => format!(
            "crate::permutation::permutation!({kind}, {name:?}, state {}, {stem}_permute);\n",
            size("STATE")
        ),
        Kind::Aead => format!(
            "crate::authenticated::aead!({kind}, {name:?}, key {key} U{key}, nonce {nonce} U{nonce}, tag {tag} U{tag}, \
             context {}, {}{});\n",
            primitive.context.unwrap_or(key).div_ceil(8),
            match primitive.context {
                Some(_) => format!("keyed {stem}_init {stem}_seal {stem}_open {stem}_wipe"),
                None => format!("plain {stem}_seal {stem}_open"),
            },
            if has_batch(primitive) {
                format!(", batch {stem}_seal_batch {stem}_open_batch")
            } else {
                String::new()
            }
        ),
        Kind::Hash => {
            let digest = size("DIGEST");
            format!(
                "crate::hash::hash!({kind}, {name:?}, digest {digest} U{digest}, block {block}, context {context}, {stem}_init, \
                 {stem}_update, {stem}_final, {stem}_wipe{batch});\n"
            )
        }
        Kind::Xof => format!(
            "crate::hash::xof!({kind}, {kind}Reader, {name:?}, block {block}, context {context}, {stem}_init, {stem}_update, \
             {stem}_squeeze, {stem}_wipe{batch});\n"
        ),
        Kind::CustomXof => format!(
            "crate::hash::custom_xof!({kind}, {kind}Reader, {name:?}, block {block}, context {context}, customization {}, {stem}_init, \
             {stem}_update, {stem}_squeeze, {stem}_wipe{batch});\n",
            size("CUSTOMIZATION")
        ),
        Kind::Other => String::new(),
    }
}

/// The types of a mode that encrypts and decrypts with a vector.
fn block_mode(primitive: &Primitive) -> String {
    let Primitive { name, stem, .. } = primitive;
    let kind = type_name(name);
    let size = |what: &str| primitive.sizes.get(&format!("{what}_BYTES")).copied().unwrap_or(0);
    let (key, block, context) = (size("KEY"), size("BLOCK"), primitive.context.unwrap_or(0).div_ceil(8));
    // What the traits call a block, and whether other lengths are taken.
    let (segment, lengths) = match name.rsplit('-').next() {
        Some("cbc") => (block, format!("lengths {block}")),
        Some("cfb8") => (1, "lengths 1 AnyLength".to_owned()),
        _ => (block, "lengths 1 AnyLength".to_owned()),
    };
    let batch = if has_batch(primitive) { format!(", batch {stem}_encrypt_batch") } else { String::new() };
    format!(
        "crate::chained::block_mode!({kind}Key, {name:?}, key {key} U{key}, block {block} U{block}, segment U{segment}, \
         {lengths}, context {context}, {stem}_init, {stem}_wipe, encrypt {stem}_encrypt, decrypt {stem}_decrypt{batch});\n\
         /// Encryption with `{name}`: see [`Encryptor`](crate::Encryptor).\n\
         pub type {kind}Enc = crate::Encryptor<{kind}Key>;\n\
         /// Decryption with `{name}`: see [`Decryptor`](crate::Decryptor).\n\
         pub type {kind}Dec = crate::Decryptor<{kind}Key>;\n"
    )
}

/// The tables of [`raw`](../src/raw.rs): everything by name.
pub fn tables<'a>(primitives: impl Iterator<Item = (String, &'a Primitive)>) -> String {
    let rows = [
        (&[Kind::BlockCipher][..], "BLOCK_CIPHERS", "BlockCipher", "Every block cipher of this build."),
        (
            &[Kind::Tweakable],
            "TWEAKABLE_BLOCK_CIPHERS",
            "TweakableBlockCipher",
            "Every block cipher with tweaks of this build.",
        ),
        (&[Kind::Generator], "GENERATORS", "Generator", "Every stream cipher with a state of this build."),
        (
            CHAINED,
            "BLOCK_MODES",
            "BlockMode",
            "Every mode of a block cipher of this build that carries a vector.",
        ),
        (&[Kind::Mac, Kind::Cmac], "MACS", "Mac", "Every authenticator of this build."),
        (
            &[Kind::Units],
            "UNIT_MODES",
            "UnitMode",
            "Every mode of a block cipher of this build for units of storage.",
        ),
        (
            &[Kind::NonceMac],
            "NONCE_MACS",
            "NonceMac",
            "Every authenticator of this build that takes a nonce.",
        ),
        (&[Kind::Stream], "STREAM_CIPHERS", "StreamCipher", "Every stream cipher of this build."),
        (&[Kind::Permutation], "PERMUTATIONS", "Permutation", "Every permutation of this build."),
        (&[Kind::Aead], "AEADS", "Aead", "Every authenticated cipher of this build."),
        (&[Kind::Hash], "HASHES", "Hash", "Every hash function of this build."),
        (
            &[Kind::Xof],
            "XOFS",
            "Xof",
            "Every extendable-output function of this build, without those that are customized.",
        ),
        (
            &[Kind::CustomXof],
            "CUSTOM_XOFS",
            "CustomXof",
            "Every extendable-output function of this build whose messages have a customization string.",
        ),
    ];
    let primitives: Vec<(String, &Primitive)> = primitives.collect();
    let mut text = String::from("mod tables {\n");
    for (kinds, name, row, about) in rows {
        let entries: String = primitives
            .iter()
            .filter(|(_, primitive)| kinds.contains(&primitive.kind))
            .map(|(module, primitive)| {
                let ending = match primitive.kind {
                    Kind::Stream => "Core",
                    Kind::BlockMode | Kind::OutputFeedback => "Key",
                    _ => "",
                };
                format!("    &crate::{module}::{}{ending}::RAW,\n", type_name(&primitive.name))
            })
            .collect();
        let _ = write!(text, "/// {about}\npub const {name}: &[&crate::raw::{row}] = &[\n{entries}];\n");
    }
    text + "}\n"
}

/// `aes-128` is `Aes128`, `gift-64-128` is `Gift64_128`.
fn type_name(name: &str) -> String {
    let mut text = String::new();
    for part in name.split('-') {
        let part = part.replace("chacha", "chaCha");
        if part.starts_with(|c: char| c.is_ascii_digit()) && text.ends_with(|c: char| c.is_ascii_digit()) {
            text.push('_');
        }
        let mut letters = part.chars();
        text.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        text.push_str(letters.as_str());
    }
    text
}
