//! Places in the source as comments of generated code name them.

use usuba_machine::program::Register;

/// A definition of the source: a node, a table or a permutation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Definition {
    /// The source file, as programs name it ([`usuba_ir::program::Program::files`]).
    pub file: String,
    /// The line it begins at, from 1.
    pub line: u32,
    /// Its name.
    pub name: String,
}

/// A line of a file by its number.
pub(crate) type Line = (u32, u32);

/// The line in which a register is made.
pub(crate) fn line(register: &Register) -> Option<Line> {
    register.place.map(|(file, line, _)| (file.0, line))
}

/// The name of a line and of the definition around it: `aes.ua:64 MixColumns`.
pub(crate) fn name((file, line): Line, files: &[String], definitions: &[Definition]) -> Option<String> {
    let path = files.get(file as usize)?;
    let below = definitions.partition_point(|one| (&one.file, one.line) <= (path, line));
    let around =
        below.checked_sub(1).and_then(|place| definitions.get(place)).filter(|one| one.file == *path);
    let around = around.map(|one| format!(" {}", one.name)).unwrap_or_default();
    Some(format!("{}:{line}{around}", base_name(path)))
}

/// The last part of a path: output must not depend on where the user stands.
fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_name_of_the_definition_around_it() {
        let one = |file: &str, line, name: &str| Definition { file: file.into(), line, name: name.into() };
        let definitions = [one("a/x.ua", 3, "Round"), one("a/x.ua", 9, "Cipher"), one("b.ua", 2, "Sbox")];
        let files = ["b.ua".to_owned(), "a/x.ua".to_owned()];
        let named = |place| name(place, &files, &definitions);
        assert_eq!(named((1, 8)).as_deref(), Some("x.ua:8 Round"));
        assert_eq!(named((1, 9)).as_deref(), Some("x.ua:9 Cipher"));
        assert_eq!(named((1, 2)).as_deref(), Some("x.ua:2"));
        assert_eq!(named((0, 1)).as_deref(), Some("b.ua:1"));
        assert_eq!(named((2, 1)), None);
    }
}
