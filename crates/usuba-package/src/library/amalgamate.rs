//! Files that include each other, made into one.

use crate::OutputFile;

/// The text with the contents of `files` in place of the lines that include them, those that they include in turn
/// included. A file is put in once. `seen` has the names of those that are there already.
pub fn inline(text: &str, files: &[OutputFile], seen: &mut Vec<String>) -> String {
    let mut result = String::new();
    for line in text.lines() {
        let file = included_name(line).and_then(|name| files.iter().find(|file| file.path == name));
        match file {
            Some(file) if seen.contains(&file.path) => {}
            Some(file) => {
                seen.push(file.path.clone());
                result += &inline(&file.contents, files, seen);
            }
            None => {
                result += line;
                result.push('\n');
            }
        }
    }
    result
}

/// The name of the file of one's own that a line includes.
pub fn included_name(line: &str) -> Option<&str> {
    line.strip_prefix("#include \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::inline;
    use crate::OutputFile;

    #[test]
    fn a_file_is_put_in_once() {
        let file = |path: &str, contents: &str| OutputFile { path: path.into(), contents: contents.into() };
        let files = [file("a.h", "#include \"b.h\"\na\n"), file("b.h", "b\n")];
        let text = "#include \"a.h\"\n#include \"b.h\"\n#include \"x.h\"\n";
        assert_eq!(inline(text, &files, &mut Vec::new()), "b\na\n#include \"x.h\"\n");
    }
}
