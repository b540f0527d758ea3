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

/// Any text is read without a panic; a tree comes without errors or with places inside the text; and what is said
/// can be shown.
fn survive(text: &str) {
    let mut sources = Sources::default();
    let source = sources.add("any.ua", text);
    let (_, diagnostics) = parse(source, text);
    for diagnostic in &diagnostics {
        let span = diagnostic.span.unwrap();
        assert!(span.start <= span.end && span.end as usize <= text.len(), "{diagnostic:?}\n{text}");
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{diagnostic:?}\n{text}");
        if let Some(edit) = &diagnostic.edit {
            assert!(
                text.get(edit.span.start as usize..edit.span.end as usize).is_some(),
                "{diagnostic:?}\n{text}"
            );
        }
    }
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    assert_eq!(usuba_lang::format::format(text).is_err(), errors > 0, "{text}");
    // Showing all would take most of the time of the test.
    render(&diagnostics[..diagnostics.len().min(2)], &sources, Style::Plain);
}

fn small_programs() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/");
    ["format/everything.ua", "format/comments.ua", "ui/syntax/precedence_inside.ua"]
        .iter()
        .map(|name| std::fs::read_to_string(format!("{folder}{name}")).unwrap())
        .collect()
}

#[test]
fn every_prefix_survives() {
    for text in small_programs() {
        for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
            survive(&text[..end]);
        }
    }
}

#[test]
fn every_deletion_survives() {
    for text in small_programs() {
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes.remove(at);
            if let Ok(text) = String::from_utf8(bytes) {
                survive(&text);
            }
        }
    }
}

#[test]
fn soups_survive() {
    let tokens = "node perm table [] ( ) [ ] { } let tel vars returns forall in Shuffle Bitmask Pack include const \
        lazyLift _inline _interleave _unroll _lsb x y' u8 u<V>16x4 v<3>4 nat bool b1 0 7 0x1f 007 0b1 \"p\" \" = : := ; , .. . & | ^ \
        ~ ! + - * / % << >> <<< >>> >>! < > # // \n \r\n @ é __END__x";
    let tokens: Vec<&str> = tokens.split(' ').chain(["\n"]).collect();
    let mut random = Random(0x243f_6a88_85a3_08d3);
    let wholes = small_programs();
    for round in 0..10_000 {
        let mut text = String::new();
        if round % 2 == 0 {
            for _ in 0..random.below(60) {
                text.push_str(tokens[random.below(tokens.len())]);
                text.push_str(["", " "][random.below(2)]);
            }
        } else if round % 4 == 1 {
            let bytes: Vec<u8> = (0..random.below(200)).map(|_| random.below(256) as u8).collect();
            text = String::from_utf8_lossy(&bytes).into_owned();
        } else {
            // Programs with words replaced.
            for word in wholes[round % wholes.len()].split_inclusive(' ') {
                text.push_str(if random.below(40) == 0 { tokens[random.below(tokens.len())] } else { word });
            }
        }
        survive(&text);
    }
}

/// Texts that are large in one way or another take no more than linear time and a bounded stack.
#[test]
fn large_texts_survive() {
    let many = 200_000;
    let node = |body: &str| format!("node f (x:u8) returns (y:u8)\nlet\n{body}\ntel\n");
    for text in [
        "(".repeat(many),
        "@ ".repeat(many),
        node(&format!("y = {}x", "x ^ ".repeat(many))),
        node(&format!("y = {}x", "~".repeat(many))),
        node(&format!("y = {}x{}", "(".repeat(10_000), ")".repeat(10_000))),
        node(&format!("y = {}x{}", "f(".repeat(10_000), ")".repeat(10_000))),
        node(&format!("y = x[{}1]", "1+".repeat(many))),
        node(&format!("y = x[{}1]", "(".repeat(many))),
        node(&format!("y = x{}", "[0]".repeat(many))),
        node(&"forall i in [0,1] { ".repeat(10_000)),
        node(&"y = x; ".repeat(many)),
        node(&"y = x ^ x & x; ".repeat(many)),
        node(&"y = ; ".repeat(many)),
        format!("table T (x:v2) returns (y:v2) {{ {}1 }}", "1, ".repeat(many)),
        "9".repeat(1_000_000),
        "é".repeat(500_000),
        format!("node f (x:{})", "u".repeat(1_000_000)),
    ] {
        survive(&text);
    }
}

/// Whatever `W-precedence` proposes removes it and leaves the tree as it was, but for the parentheses.
#[test]
fn precedence_edits() {
    let mut random = Random(0x1319_8a2e_0370_7344);
    let operators = ["&", "|", "^", "+", "-", "*", "<<", ">>>"];
    let mut warned = 0;
    for _ in 0..2000 {
        let mut text = "node f (x:u8) returns (y:u8) let y = a".to_string();
        for name in 0..random.below(7) {
            let operator = operators[random.below(operators.len())];
            let operand = if operator.len() > 1 { "1".to_string() } else { format!("b{name}") };
            text.push_str(&format!(" {operator} {operand}"));
        }
        text.push_str(" tel");
        let (file, diagnostics) = parse(SourceId(0), &text);
        if diagnostics.iter().any(|d| d.is_error()) {
            continue;
        }
        for diagnostic in &diagnostics {
            warned += 1;
            let edit = diagnostic.edit.as_ref().unwrap();
            let mut edited = text.clone();
            edited.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.replacement);
            let (again, rest) = parse(SourceId(0), &edited);
            assert_eq!(rest, [], "{text}\n{edited}");
            assert_eq!(shape(&file), shape(&again), "{text}\n{edited}");
        }
    }
    assert!(warned > 500);
}

/// The tree without places and parentheses.
fn shape(file: &usuba_lang::ast::File) -> String {
    let printed = format!("{file:?}").replace("parenthesised: true", "parenthesised: false");
    let mut words = String::new();
    let mut rest = printed.as_str();
    while let Some(at) = rest.find("0:") {
        let place = rest[at + 2..].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(0);
        words.push_str(&rest[..at]);
        rest = &rest[at + 2 + place..];
    }
    words + rest
}
