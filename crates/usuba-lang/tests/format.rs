//! The formatter.

use expect_test::expect_file;
use std::path::{Path, PathBuf};
use usuba_lang::format::format;
use usuba_lang::source::SourceId;
use usuba_lang::syntax::parse;

fn programs(folder: &str) -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut programs = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ua") {
                programs.push(path);
            }
        }
    }
    programs.sort();
    programs
}

/// The tree of a program without the places, as text.
fn tree(text: &str) -> String {
    let (file, diagnostics) = parse(SourceId(0), text);
    assert!(!diagnostics.iter().any(|d| d.is_error()), "{diagnostics:?}\n{text}");
    let printed = format!("{file:?}");
    let mut words = String::new();
    let mut rest = printed.as_str();
    // A place prints as `0:12..34`.
    while let Some(at) = rest.find("0:") {
        let place = rest[at + 2..].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(0);
        words.push_str(&rest[..at]);
        rest = &rest[at + 2 + place..];
    }
    words + rest
}

/// The words of all comments; the formatter may join two that trail one line.
fn comments(text: &str) -> Vec<String> {
    let program = text.split("__END__").next().unwrap();
    let comments = program.lines().filter_map(|line| line.find(['#']).map(|at| line[at..].to_string()));
    let mut words: Vec<String> =
        comments.flat_map(|c| c.split_whitespace().map(str::to_string).collect::<Vec<_>>()).collect();
    words.sort();
    words
}

/// The laws: the same tree, the same comments, and nothing to change the second time. Returns the formatted text.
fn check(name: &str, text: &str) -> String {
    let once = format(text).unwrap_or_else(|diagnostics| panic!("{name}: {diagnostics:?}\n{text}"));
    assert_eq!(tree(text), tree(&once), "{name}: another tree\n{text}\n----\n{once}");
    assert_eq!(comments(text), comments(&once), "{name}: other comments\n{text}\n----\n{once}");
    let twice = format(&once).unwrap();
    assert_eq!(once, twice, "{name}: not stable\n{text}");
    let program = once.split("__END__").next().unwrap();
    assert!(
        !program.lines().any(|line| line.ends_with([' ', '\t'])),
        "{name}: blanks at the end of a line\n{once}"
    );
    once
}

#[test]
fn golden() {
    let programs = programs("tests/format");
    assert!(programs.len() >= 3);
    for path in programs {
        let text = std::fs::read_to_string(&path).unwrap();
        let formatted = check(&path.display().to_string(), &text);
        expect_file![path.with_extension("formatted")].assert_eq(&formatted);
        let program = formatted.split("__END__").next().unwrap();
        for line in program.lines().filter(|line| !line.contains('#')) {
            assert!(line.chars().count() <= 110, "{}: too wide\n{line}", path.display());
        }
    }
}

#[test]
fn ciphers() {
    let programs = programs("../../ciphers");
    assert!(programs.len() >= 6);
    for path in programs {
        check(&path.display().to_string(), &std::fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn nothing_at_all() {
    assert_eq!(format("").unwrap(), "");
    assert_eq!(format(" \n\n").unwrap(), "");
    assert_eq!(format("\n\n# only\n\n\n\n# comments").unwrap(), "# only\n\n# comments\n");
    assert_eq!(format("__END__ x").unwrap(), "__END__ x");
    assert!(format("node").is_err());
}

/// A deterministic source of numbers (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// The words of a program, cut where a blank may stand.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for line in text.split("__END__").next().unwrap().lines() {
        let code = line.split(['#']).next().unwrap().split("//").next().unwrap();
        for word in code.split_whitespace() {
            // Only at commas and semicolons, where a cut needs no lexer.
            words.extend(word.split_inclusive([',', ';']).map(str::to_string));
        }
    }
    words
}

/// The laws hold wherever comments and line ends are put.
#[test]
fn comments_everywhere() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let texts: Vec<String> = programs("tests/format")
        .iter()
        .chain(&programs("../../ciphers"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    for round in 0..200 {
        let words = words(&texts[round % texts.len()]);
        let often = 2 + random.below(40);
        let mut text = String::new();
        let mut number = 0;
        for word in &words {
            text.push_str(word);
            match random.below(often) {
                0 => text.push_str(["\n", "\n\n", "\n\n\n", "  ", "\r\n"][random.below(5)]),
                1 => {
                    let before = ["\n", " ", "\n\n", ""][random.below(4)];
                    let after = ["\n", "\n\n", "\n  \n"][random.below(3)];
                    number += 1;
                    text.push_str(&format!("{before}# comment{number}{after}"));
                }
                _ => text.push(' '),
            }
        }
        check(&format!("round {round}"), &text);
    }
}
