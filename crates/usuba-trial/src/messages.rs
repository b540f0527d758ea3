//! The texts of the errors of this crate that concern vector files, variants and tuned choices.

/// A value of a vector file that has another shape than the format asks for.
pub fn wrong_shape(expected: &str, found: &str) -> String {
    format!("expected {expected}, found {found}")
}

/// A field that is not there, and that vectors of a kind have.
pub fn no_field_of_kind(name: &str, kind: &str) -> String {
    format!("expected a field `{name}`, which vectors of the kind {kind} have, found none")
}

/// The name of an item of a vector file that another one has.
pub fn used_twice(id: &str) -> String {
    format!("another one is called {id:?} too")
}

/// A vector file that says that it is for something else.
pub fn of_another(found: &str, wanted: &str) -> String {
    format!("is not for `{wanted}`: it has vectors of {found}")
}

/// A vector file of another kind.
pub fn of_another_kind(found: &str, wanted: &str, name: &str) -> String {
    format!("is not for `{name}`: it has vectors of the kind {found}, not {wanted}")
}

/// A knob that is none of those `known`.
pub fn no_knob(name: &str, known: &[&str]) -> String {
    format!("there is nothing to choose that is called `{name}`; there are {}", known.join(", "))
}

/// A value that a knob does not have.
pub fn no_value(name: &str, value: &str, values: &[&str]) -> String {
    format!("`{name}` cannot be `{value}`; it can be {}", values.join(", "))
}

/// A word that is no pair of name and value.
pub fn no_choice(word: &str) -> String {
    format!("`{word}` is no choice: write NAME=VALUE")
}

/// A variant without a slicing.
pub fn no_slicing() -> String {
    "the slicing is not chosen: write slicing=b, slicing=v or slicing=h".into()
}

/// A file of tuned choices of another version.
pub fn tuned_version(found: i64, known: i64) -> String {
    format!("this is version {found} of the file, and version {known} is known: run `usubac tune` again")
}

/// A number that is no time.
pub fn tuned_number(field: &str) -> String {
    format!("`{field}` is no time: write a number above zero")
}

/// A target that does not exist.
pub fn tuned_target(name: &str) -> String {
    let names: Vec<&str> = usuba_target::all().iter().map(|target| target.name).collect();
    format!("there is no target `{name}`; there are {}", names.join(", "))
}

/// A primitive for which something is chosen twice.
pub fn tuned_twice(primitive: &str, target: &str) -> String {
    format!("the choice for `{primitive}` on `{target}` occurs twice; remove one")
}

/// A choice that was made for another text of the program.
pub fn tuned_stale(primitive: &str, target: &str) -> String {
    format!(
        "the tuned choice for `{primitive}` on `{target}` was made for another text of the program and is not used: \
         run `usubac tune` again"
    )
}
