//! Includes.

use expect_test::{Expect, expect};
use std::collections::BTreeMap;
use usuba_lang::load::{Loader, load};
use usuba_lang::render::{Style, render, to_json};

/// Files in memory; a path with `..` is the same as one without.
struct Memory(BTreeMap<String, Result<Vec<u8>, String>>);

impl Memory {
    fn new(files: &[(&str, &str)]) -> Memory {
        Memory(files.iter().map(|(path, text)| (path.to_string(), Ok(text.as_bytes().to_vec()))).collect())
    }
}

fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

impl Loader for Memory {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.get(&plain(path)).cloned().unwrap_or(Err("no such file".to_string()))
    }

    fn canonical(&self, path: &str) -> Option<String> {
        Some(plain(path)).filter(|path| self.0.contains_key(path))
    }
}

/// Loads `main.ua` and shows what was defined, read and said.
fn check(files: &Memory, include_dirs: &[&str], expected: Expect) {
    let include_dirs: Vec<String> = include_dirs.iter().map(|dir| dir.to_string()).collect();
    let loaded = load("main.ua", &include_dirs, files);
    let names: Vec<&str> = loaded.program.definitions.iter().map(|d| d.name.text.as_str()).collect();
    let read: Vec<&str> = loaded.files.iter().map(|file| file.path.as_str()).collect();
    let said = render(&loaded.diagnostics, &loaded.sources, Style::Plain);
    expected.assert_eq(&format!("defined: {}\nread: {}\n{said}", names.join(" "), read.join(" ")));
}

fn node(name: &str) -> String {
    format!("node {name} (x:u8) returns (y:u8) let y = x tel\n")
}

#[test]
fn spliced_in_place() {
    let main = format!("{}include \"a.ua\"\n{}include \"b.ua\"", node("first"), node("second"));
    let files = Memory::new(&[("main.ua", &main), ("a.ua", &node("a")), ("b.ua", &node("b"))]);
    check(
        &files,
        &[],
        expect![[r#"
        defined: first a second b
        read: main.ua a.ua b.ua
    "#]],
    );
}

#[test]
fn relative_to_the_including_file_first() {
    let files = Memory::new(&[
        ("main.ua", "include \"dir/a.ua\" include \"c.ua\" include \"d.ua\""),
        ("dir/a.ua", "include \"b.ua\" include \"../e.ua\""),
        ("b.ua", &node("wrong")),
        ("dir/b.ua", &node("beside")),
        ("e.ua", &node("above")),
        ("lib/c.ua", &node("library")),
        ("more/c.ua", &node("wrong")),
        ("more/d.ua", &node("second_library")),
    ]);
    check(
        &files,
        &["lib", "more"],
        expect![[r#"
        defined: beside above library second_library
        read: main.ua dir/a.ua dir/b.ua dir/../e.ua lib/c.ua more/d.ua
    "#]],
    );
}

#[test]
fn once_each() {
    let files = Memory::new(&[
        ("main.ua", "include \"a.ua\" include \"b.ua\" include \"./dir/../a.ua\""),
        ("a.ua", &format!("include \"c.ua\" {}", node("a"))),
        ("b.ua", &format!("include \"c.ua\" {}", node("b"))),
        ("c.ua", &node("c")),
    ]);
    check(
        &files,
        &[],
        expect![[r#"
        defined: c a b
        read: main.ua a.ua c.ua b.ua
    "#]],
    );
}

#[test]
fn missing() {
    let files = Memory::new(&[("main.ua", &format!("include \"dir/a.ua\"\n{}", node("main")))]);
    check(
        &files,
        &["lib"],
        expect![[r#"
        defined: main
        read: main.ua
        error[E0271]: there is no file `dir/a.ua` to include
         --> main.ua:1:1
          |
        1 | include "dir/a.ua"
          | ^^^^^^^^^^^^^^^^^^ tried `dir/a.ua`, `lib/dir/a.ua`
          |
          = rule: a path is relative to the folder of the including file, to a folder given with `-I`, or to the working directory, in this order
          = help: correct the path, or give the folder with `-I`
    "#]],
    );
}

#[test]
fn missing_main() {
    check(
        &Memory::new(&[]),
        &[],
        expect![[r#"
        defined: 
        read: 
        error[E0272]: cannot read `main.ua`: no such file
         |
         = help: check that it is a file and may be read
    "#]],
    );
}

#[test]
fn unreadable() {
    let mut files = Memory::new(&[("main.ua", &format!("include \"a.ua\"\n{}", node("main")))]);
    files.0.insert("a.ua".to_string(), Err("permission denied".to_string()));
    check(
        &files,
        &[],
        expect![[r#"
        defined: main
        read: main.ua
        error[E0272]: cannot read `a.ua`: permission denied
         --> main.ua:1:1
          |
        1 | include "a.ua"
          | ^^^^^^^^^^^^^^ included here
          |
          = help: check that it is a file and may be read
    "#]],
    );
}

#[test]
fn not_utf8() {
    let mut files = Memory::new(&[("main.ua", &format!("include \"a.ua\"\n{}", node("main")))]);
    files.0.insert("a.ua".to_string(), Ok(b"# latin\n# caf\xe9\n".to_vec()));
    check(
        &files,
        &[],
        expect![[r#"
        defined: main
        read: main.ua
        error[E0273]: `a.ua` is not UTF-8: the byte at offset 13, in line 2, begins no character
         --> main.ua:1:1
          |
        1 | include "a.ua"
          | ^^^^^^^^^^^^^^ included here
          |
          = rule: source files are text in UTF-8
          = help: save the file as UTF-8, and check that it is a source file
    "#]],
    );
    files.0.insert("main.ua".to_string(), Ok(b"\xff\xfe".to_vec()));
    check(
        &files,
        &[],
        expect![[r#"
        defined: 
        read: 
        error[E0273]: `main.ua` is not UTF-8: the byte at offset 0, in line 1, begins no character
         |
         = rule: source files are text in UTF-8
         = help: save the file as UTF-8, and check that it is a source file
    "#]],
    );
}

#[test]
fn cycles() {
    let files = Memory::new(&[("main.ua", &format!("include \"main.ua\"\n{}", node("main")))]);
    check(
        &files,
        &[],
        expect![[r#"
        defined: main
        read: main.ua
        error[E0274]: `main.ua` includes itself
         --> main.ua:1:1
          |
        1 | include "main.ua"
          | ^^^^^^^^^^^^^^^^^ closes the cycle
          |
          = rule: a file cannot include itself: `main.ua` → `main.ua`
          = help: move what both files need into a third
    "#]],
    );
    let files = Memory::new(&[
        ("main.ua", "include \"a.ua\""),
        ("a.ua", &format!("{}include \"b.ua\"", node("a"))),
        ("b.ua", "\n\ninclude \"c.ua\""),
        ("c.ua", &format!("include \"a.ua\"\n{}", node("c"))),
    ]);
    check(
        &files,
        &[],
        expect![[r#"
        defined: a c
        read: main.ua a.ua b.ua c.ua
        error[E0274]: `a.ua` includes itself
         --> c.ua:1:1
          |
        1 | include "a.ua"
          | ^^^^^^^^^^^^^^ closes the cycle
          |
         ::: a.ua:2:1
          |
        2 | include "b.ua"
          | -------------- through this include
          |
         ::: b.ua:3:1
          |
        3 | include "c.ua"
          | -------------- through this include
          |
          = rule: a file cannot include itself: `a.ua` → `b.ua` → `c.ua` → `a.ua`
          = help: move what both files need into a third
    "#]],
    );
}

#[test]
fn errors_in_several_files() {
    let files = Memory::new(&[
        ("main.ua", "include \"a.ua\"\nnode f (x:bool) returns (y:u8) let y = x tel\n"),
        ("a.ua", "node g (x:u8) returns (y:u8) let y = x ^ tel\n"),
    ]);
    check(
        &files,
        &[],
        expect![[r#"
        defined: g f
        read: main.ua a.ua
        error[E0251]: malformed type `bool`
         --> main.ua:2:11
          |
        2 | node f (x:bool) returns (y:u8) let y = x tel
          |           ^^^^ not a type
          |
          = rule: a type is `nat`, `u16`, `u16x4`, `u'm`, `b8` or `v4`, where a direction `<V>`, `<H>`, `<B>` or `<'D>` may follow the letter, and sizes in brackets the whole
        help: did you mean `b1`?
          |
        2 - node f (x:bool) returns (y:u8) let y = x tel
        2 + node f (x:b1) returns (y:u8) let y = x tel
          |

        error[E0201]: expected an expression, found `tel`
         --> a.ua:1:42
          |
        1 | node g (x:u8) returns (y:u8) let y = x ^ tel
          |                                          ^^^ expected an expression
    "#]],
    );
}

/// A chain of includes of any length takes no stack.
#[test]
fn long_chain() {
    let files: BTreeMap<String, Result<Vec<u8>, String>> = (0..20_000)
        .map(|i| {
            let name = if i == 0 { "main.ua".to_string() } else { format!("f{i}.ua") };
            (name, Ok(format!("include \"f{}.ua\" {}", i + 1, node("n")).into_bytes()))
        })
        .chain([("f20000.ua".to_string(), Ok(node("last").into_bytes()))])
        .collect();
    let loaded = load("main.ua", &[], &Memory(files));
    assert_eq!(loaded.diagnostics, []);
    assert_eq!(loaded.program.definitions.len(), 20_001);
    assert_eq!(loaded.program.definitions[0].name.text, "last");
}

#[test]
fn json() {
    let files = Memory::new(&[(
        "main.ua",
        "include \"a.ua\"\n\n# é\nnode f (é x:bool) returns (y:u8) let y = (x tel\n",
    )]);
    let loaded = load("main.ua", &[], &files);
    let json = to_json(&loaded.diagnostics, &loaded.sources);
    expect![[r#"
        [
          {
            "severity": "error",
            "code": "E0101",
            "message": "unknown character `é`",
            "label": "means nothing in a program",
            "rule": "outside comments a program is written in ASCII letters, digits, blanks and the language's symbols",
            "help": "remove it",
            "place": {
              "file": "main.ua",
              "line": 4,
              "column": 9,
              "end_line": 4,
              "end_column": 10,
              "start": 29,
              "end": 31
            },
            "related": [],
            "edit": null
          },
          {
            "severity": "error",
            "code": "E0201",
            "message": "expected `)`, found `tel`",
            "label": "expected `)`",
            "rule": null,
            "help": null,
            "place": {
              "file": "main.ua",
              "line": 4,
              "column": 45,
              "end_line": 4,
              "end_column": 48,
              "start": 66,
              "end": 69
            },
            "related": [
              {
                "file": "main.ua",
                "line": 4,
                "column": 42,
                "end_line": 4,
                "end_column": 43,
                "start": 63,
                "end": 64,
                "label": "`(` opened here"
              }
            ],
            "edit": null
          },
          {
            "severity": "error",
            "code": "E0271",
            "message": "there is no file `a.ua` to include",
            "label": "tried `a.ua`",
            "rule": "a path is relative to the folder of the including file, to a folder given with `-I`, or to the working directory, in this order",
            "help": "correct the path, or give the folder with `-I`",
            "place": {
              "file": "main.ua",
              "line": 1,
              "column": 1,
              "end_line": 1,
              "end_column": 15,
              "start": 0,
              "end": 14
            },
            "related": [],
            "edit": null
          }
        ]"#]].assert_eq(&serde_json::to_string_pretty(&json).unwrap());
}

/// Colours are the only difference of style, and none slips into the plain one.
#[test]
fn colours() {
    let files = Memory::new(&[("main.ua", "node f (x:bool) returns (y:u8) let y = x ^ y & x tel\n")]);
    let loaded = load("main.ua", &[], &files);
    let plain = render(&loaded.diagnostics, &loaded.sources, Style::Plain);
    let coloured = render(&loaded.diagnostics, &loaded.sources, Style::Coloured);
    assert!(!plain.contains('\u{1b}') && coloured.contains('\u{1b}'));
    let mut stripped = String::new();
    for (number, part) in coloured.split('\u{1b}').enumerate() {
        stripped.push_str(if number == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    // The plain style has signs for changed lines where the other has colours.
    assert_eq!(plain.lines().next(), stripped.lines().next());
}
