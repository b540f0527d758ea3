//! The texts of the errors of this crate that concern manifests and vector files.

use std::fmt::Display;

/// A name that cannot become part of a C identifier and a file name.
pub fn bad_name(what: &str, name: &str) -> String {
    format!(
        "`{name}` is no name for {what}: a name has lower-case letters, digits and single hyphens, and starts with a \
         letter, so that it can become part of a C identifier"
    )
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

/// A slicing for which a schedule cannot be compiled.
pub fn horizontal_schedule() -> String {
    "a key schedule runs on one general-purpose register per value, where `h` does not exist: write `b` or `v`".into()
}

/// A path that leaves the folder of the cipher.
pub fn bad_path(path: &str) -> String {
    format!("`{path}` is no path inside the folder of the cipher: write a relative path without `..`")
}

/// A value of a vector file that has another shape than the format asks for.
pub fn wrong_shape(expected: &str, found: &str) -> String {
    format!("expected {expected}, found {found}")
}
