//! The parser.

use usuba_lang::source::SourceId;
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
