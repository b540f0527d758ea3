//! Text that differs between platforms, as the C preprocessor tells them apart.

use std::fmt::Write;

/// The texts, each for where its condition holds and none before it did; an empty condition, the last one, always holds.
pub fn alternatives(texts: impl IntoIterator<Item = (String, String)>) -> String {
    let mut all = String::new();
    for (number, (condition, text)) in texts.into_iter().enumerate() {
        let _ = match (number, condition.as_str()) {
            (_, "") => writeln!(all, "#else"),
            (0, condition) => writeln!(all, "#if {condition}"),
            (_, condition) => writeln!(all, "#elif {condition}"),
        };
        all += &text;
    }
    all + "#endif\n"
}

/// An initialiser of C: `{ 1, 2 }`.
pub fn initialiser(values: &[String]) -> String {
    format!("{{ {} }}", values.join(", "))
}
