//! The texts of the errors of this crate that concern manifests and measured engines.

use std::fmt::Display;

/// A name that cannot become part of a C identifier and a file name.
pub fn bad_name(what: &str, name: &str) -> String {
    format!(
        "`{name}` is no name for {what}: a name has lower-case letters, digits and single hyphens, and starts with a \
         letter, so that it can become part of a C identifier"
    )
}

/// A name whose header would have the name of one of the library's own.
pub fn own_name(what: &str, name: &str) -> String {
    format!("`{name}` is no name for {what}: libraries have a header of their own by it; choose another")
}

/// A field that this kind of primitive needs.
pub fn missing_field(kind: impl Display, field: &str, meaning: &str) -> String {
    format!("a primitive of kind `{kind}` needs the field `{field}`: {meaning}")
}

/// A field that this kind of primitive does not have.
pub fn foreign_field(kind: impl Display, field: &str, allowed: &[&str]) -> String {
    format!(
        "a primitive of kind `{kind}` has no field `{field}`; its fields are name, kind, slicings, vectors, {}",
        allowed.join(", ")
    )
}

/// A size that this kind of construction needs.
pub fn missing_construction_field(kind: impl Display, field: &str, meaning: &str) -> String {
    format!("a construction of kind `{kind}` needs the field `{field}`: {meaning}")
}

/// A size that this kind of construction does not have.
pub fn foreign_construction_field(kind: impl Display, field: &str, allowed: &[&str]) -> String {
    format!(
        "a construction of kind `{kind}` has no field `{field}`; its fields are name, kind, text, title, \
         specification, rules, over, fast, functions, includes, vectors, {}",
        allowed.join(", ")
    )
}

/// What only C by hand needs, without it.
pub fn without_fast() -> String {
    "`includes` and `functions` are for C in place of what a text becomes: name it as `fast`, or take them out".into()
}

/// A name in `over` that is neither a primitive nor an earlier construction.
pub fn no_foundation(name: &str, known: &[&str]) -> String {
    format!(
        "there is no primitive or earlier construction `{name}` in this manifest; there are {}",
        known.join(", ")
    )
}

/// A list that must not be empty.
pub fn empty(field: &str, fix: &str) -> String {
    format!("`{field}` is empty: {fix}")
}

/// Something named twice.
pub fn twice(what: &str, name: impl Display) -> String {
    format!("{what} `{name}` occurs twice; remove one")
}

/// A size of zero or one beyond reason.
pub fn bad_size(field: &str, bytes: u64, limit: u32) -> String {
    format!("`{field}` has {bytes} bytes: a size is 1 to {limit} bytes")
}

/// One of `schedule` and `round-keys` without the other.
pub fn half_a_schedule(without: &str) -> String {
    format!(
        "`{without}` is missing: `schedule` and `round-keys` belong together; leave out both if the nodes take the key itself"
    )
}

/// A slicing for which the node `initialise` cannot be compiled.
pub fn horizontal_initialiser() -> String {
    "a node that makes the state of a generator has one general-purpose register per value, where `h` does not exist: write `b` or `v`".into()
}

/// `packed` where there are no round keys.
pub fn packed_initialiser() -> String {
    "`packed` is for key schedules of block ciphers: leave it out of `initialise`".into()
}

/// Nodes on blocks of sixteen bytes of a cipher with others.
pub fn packed_blocks() -> String {
    "`packed` is on blocks of 16 bytes, and the cipher has others: leave it out".into()
}

/// Nodes on blocks of a cipher with a tweak.
pub fn packed_tweak() -> String {
    "a cipher with a `tweak` has no nodes on blocks: leave `packed` out".into()
}

/// Nodes on blocks that no slicing is made of.
pub fn packed_slicing() -> String {
    "`packed` is what `v16` is made of: name `v16` among `slicings`, or leave `packed` out".into()
}

/// Nodes on blocks or on words for one direction more, or less, than engines have.
pub fn direction_of_nodes(field: &str, decrypts: bool, by_keys: bool) -> String {
    match (decrypts, by_keys) {
        (true, true) => {
            format!(
                "`{field}` has a `decrypt`, and with `decryption-keys` engines encrypt only: leave one of them out"
            )
        }
        (true, false) => {
            format!("`{field}` has a `decrypt`, and the cipher has none: leave one out or name both")
        }
        (false, _) => {
            let form = if field == "packed" { "blocks" } else { "words" };
            format!("`{field}` has no `decrypt`, and the cipher has: name the node on {form} that decrypts")
        }
    }
}

/// `decryption-keys` without what it needs.
pub fn decryption_keys_without(missing: &str) -> String {
    let why = match missing {
        "decrypt" => "says how round keys become those that decrypt",
        _ => "makes round keys of round keys, in the slicing of the schedule",
    };
    format!("`decryption-keys` {why}, and the cipher has no `{missing}`: name one, or leave it out")
}

/// `words` beside a tweak.
pub fn words_tweak() -> String {
    "a cipher with a `tweak` has no nodes on words: leave `words` out".into()
}

/// `words` without the slicing that is made of them.
pub fn words_slicing() -> String {
    "`words` is what `v` is made of: name `v` among `slicings`, or leave `words` out".into()
}

/// A path that leaves the folder of the cipher.
pub fn bad_path(path: &str) -> String {
    format!("`{path}` is no path inside the folder of the cipher: write a relative path without `..`")
}

/// A tweak that does not go with its block.
pub fn bad_tweak(tweak: u32, block: u32) -> String {
    format!("a tweak of {tweak} bytes for a block of {block}: either both have 8 bytes or neither has")
}

/// A mode that has no place for tweaks.
pub fn tweak_and_counter() -> String {
    "a cipher with a `tweak` has no mode `ctr`: leave it out of `modes`".into()
}

/// A message over the blocks of a cipher that has a tweak.
pub fn tweak_and_message(mode: impl Display) -> String {
    format!("a cipher with a `tweak` has no mode `{mode}`: leave it out of `modes`")
}

/// A message over blocks that no function encrypts.
pub fn message_without_blocks(mode: impl Display) -> String {
    format!("`{mode}` is over the functions for blocks: add `ecb` to `modes`")
}

/// A file of measured engines of another version.
pub fn engines_version(found: i64, known: i64) -> String {
    format!("this is version {found} of the file, and version {known} is known: run `usubac engines` again")
}

/// A table of a core that does not exist.
pub fn engines_core(id: &str) -> String {
    let known: Vec<&str> = usuba_target::core::TOLD_APART.iter().map(|core| core.id).collect();
    format!("`{id}` is no core that libraries tell apart: cores are {}", known.join(", "))
}

/// An engine for a target that does not exist.
pub fn engines_name(name: &str) -> String {
    let names: Vec<&str> = usuba_target::all().iter().map(|target| target.name).collect();
    format!(
        "`{name}` is no engine: write a target and a slicing, such as `avx2-h`; targets are {}",
        names.join(", ")
    )
}

/// Blocks or cycles that cannot be.
pub fn engines_numbers() -> String {
    "a batch is of at least one block, and takes some cycles: write numbers above zero".into()
}

/// What is wrong with the list of slicings for libraries.
pub(crate) fn library_slicing(empty: bool, stranger: Option<&impl Display>) -> Option<String> {
    match stranger {
        Some(slicing) => {
            Some(format!("`library` names the slicing `{slicing}`, which is not among `slicings`"))
        }
        None if empty => {
            Some("`library` is empty: name at least one of `slicings`, or leave the field out".into())
        }
        None => None,
    }
}
