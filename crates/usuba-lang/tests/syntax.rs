//! The parser.

use expect_test::expect_file;
use usuba_lang::render::{Style, render};
use usuba_lang::source::{SourceId, Sources};
use usuba_lang::syntax::parse;

/// Every program of the repository.
fn ciphers() -> Vec<std::path::PathBuf> {
    let mut folders = vec![concat!(env!("CARGO_MANIFEST_DIR"), "/../../ciphers").into()];
    let mut programs: Vec<std::path::PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir::<std::path::PathBuf>(folder).unwrap() {
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

/// They are read without a word, warnings included.
#[test]
fn ciphers_parse() {
    assert!(ciphers().len() >= 6);
    for path in ciphers() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (_, diagnostics) = parse(SourceId(0), &text);
        assert_eq!(diagnostics, [], "{}", path.display());
    }
}

/// Every text that the parser says, as its user sees it: one small program each.
fn check(path: &std::path::Path) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut sources = Sources::default();
    let source = sources.add(path.file_name().unwrap().to_str().unwrap(), text.as_str());
    let (_, diagnostics) = parse(source, &text);
    let rendered = render(&diagnostics, &sources, Style::Plain);
    expect_file![path.with_extension("stderr")].assert_eq(&rendered);
    for diagnostic in &diagnostics {
        assert!(rendered.contains(&format!("[{}]", diagnostic.code)));
    }
}

#[test]
fn diagnostics() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ui/syntax");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut programs: Vec<_> = entries.filter(|path| path.extension().is_some_and(|e| e == "ua")).collect();
    programs.sort();
    assert!(programs.len() > 80);
    programs.iter().for_each(|path| check(path));
}
