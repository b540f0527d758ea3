//! Files that include each other, made into one.

use crate::OutputFile;

/// The text with the contents of `files` in place of the lines that include them, those that they include in turn
/// included. A file is put in once, but for those in `again`, which are made to be included several times. `seen` has the
/// names of those that are there already.
pub fn inline(text: &str, files: &[OutputFile], again: &[&str], seen: &mut Vec<String>) -> String {
    let mut result = String::new();
    for line in text.lines() {
        let file = included_name(line).and_then(|name| files.iter().find(|file| file.path == name));
        match file {
            Some(file) if again.contains(&file.path.as_str()) => {
                result += &inline(&file.contents, files, again, seen);
            }
            Some(file) if seen.contains(&file.path) => {}
            Some(file) => {
                seen.push(file.path.clone());
                result += &inline(&file.contents, files, again, seen);
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

/// Whether a header is made to be included several times: it has no guard, which would be its first directive.
pub fn is_included_again(header: &OutputFile) -> bool {
    let first = header.contents.lines().find(|line| line.starts_with('#'));
    header.path.ends_with(".h") && first.is_some_and(|line| !line.starts_with("#ifndef "))
}

#[cfg(test)]
mod tests {
    use super::{inline, is_included_again};
    use crate::OutputFile;

    #[test]
    fn once_or_again() {
        let file = |path: &str, contents: &str| OutputFile { path: path.into(), contents: contents.into() };
        let files = [file("a.h", "#include \"b.h\"\na\n"), file("b.h", "b\n"), file("t.h", "t\n")];
        let text =
            "#include \"a.h\"\n#include \"b.h\"\n#include \"t.h\"\n#include \"t.h\"\n#include \"x.h\"\n";
        assert_eq!(inline(text, &files, &["t.h"], &mut Vec::new()), "b\na\nt\nt\n#include \"x.h\"\n");
    }
    #[test]
    fn guarded_or_not() {
        let header = |contents: &str| OutputFile { path: "a.h".into(), contents: contents.into() };
        assert!(!is_included_again(&header("/* a */\n#ifndef A_H\n#define A_H\n#endif\n")));
        assert!(is_included_again(&header("/* a */\n#define V NAME(v)\n#undef V\n")));
        for file in crate::library_runtime() {
            assert_eq!(
                is_included_again(&file),
                crate::INCLUDED_AGAIN.contains(&file.path.as_str()),
                "{}",
                file.path
            );
        }
    }
}
