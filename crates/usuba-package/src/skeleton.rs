//! The folder of a cipher to begin with: a manifest, a text and a file of known answers, which pass.

use crate::OutputFile;
use crate::manifest::is_name;
use crate::messages::bad_name;
use crate::template::Values;

/// The files of a new cipher folder, with their paths in it: `usuba.toml`, `NAME.ua` and `vectors/NAME.json`.
///
/// # Errors
/// `name` cannot become part of a C identifier and a file name; the sentence says the rule.
pub fn files(name: &str) -> Result<[OutputFile; 3], String> {
    if !is_name(name) {
        return Err(bad_name("a cipher", name));
    }
    let values = Values::default().text("name", name).text("title", title(name));
    let file = |path: String, template: &str| OutputFile { path, contents: values.fill(template) };
    Ok([
        file("usuba.toml".into(), include_str!("skeleton/usuba.toml")),
        file(format!("{name}.ua"), include_str!("skeleton/cipher.ua")),
        file(format!("vectors/{name}.json"), include_str!("skeleton/vectors.json")),
    ])
}

/// The name for people: with a capital.
fn title(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
}
