//! Wrong inputs: one clear message at the right place, exit status 1, and nothing written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A folder with one program `main.ua`.
struct Case {
    folder: TempDir,
}

impl Case {
    fn new(program: impl AsRef<[u8]>) -> Case {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("main.ua"), program).expect("it can be written");
        Case { folder }
    }

    fn with(self, name: &str, text: &str) -> Case {
        fs::write(self.folder.path().join(name), text).expect("it can be written");
        self
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_usubac"))
            .args(arguments)
            .current_dir(self.path())
            .output()
            .expect("usubac runs")
    }

    /// Runs a command that must fail with `errors` errors, the first of them containing all of `words` and pointing to
    /// `place` (`line:column` of `main.ua`, or nothing for errors about no place).
    #[track_caller]
    fn fails(&self, arguments: &[&str], errors: usize, place: &str, words: &[&str]) {
        let before = listing(self.path());
        let output = self.run(arguments);
        let text = String::from_utf8(output.stderr).expect("messages are text");
        assert_eq!(output.status.code(), Some(1), "exit status; standard error:\n{text}");
        let heads = text.lines().filter(|line| line.starts_with("error")).count();
        assert_eq!(heads, errors, "number of errors in:\n{text}");
        let place = if place.is_empty() { String::new() } else { format!("main.ua:{place}") };
        assert!(text.contains(&place), "no `{place}` in:\n{text}");
        for word in words {
            assert!(text.contains(word), "no `{word}` in:\n{text}");
        }
        assert!(text.len() < 20_000, "a message of {} bytes", text.len());
        assert!(!text.contains("bug of usubac"), "{text}");
        assert_eq!(listing(self.path()), before, "something was written");
    }
}

fn listing(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(listing(&path));
        }
        all.push(path);
    }
    all.sort();
    all
}

const BUILD: &[&str] = &["build", "main.ua", "--slicing", "v", "--target", "gp64", "-o", "out"];

fn node(body: &str) -> String {
    format!("node f (x:u32[4]) returns (y:u32[4])\nlet\n    {body}\ntel\n")
}

#[test]
fn unknown_characters() {
    let case = Case::new("node f (x:u32) returns (y:u32) let y = x § 1 tel\n");
    case.fails(&["check", "main.ua"], 1, "1:42", &["§"]);
    case.fails(BUILD, 1, "1:42", &["§"]);
}

/// Forty nodes that call each other twice: nothing that goes through all calls begins.
#[test]
fn runs_without_end() {
    let mut text = "node N0 (a:u16) returns (r:u16) let r = a ^ (a <<< 1) tel\n".to_owned();
    for number in 1..=40 {
        let callee = number - 1;
        text.push_str(&format!(
            "node N{number} (a:u16) returns (r:u16) let r = N{callee}(N{callee}(a)) tel\n"
        ));
    }
    let case = Case::new(text);
    case.fails(&["run", "main.ua", "a=1"], 1, "", &["`N40` takes 4398046511102 operations"]);
    let output = case.run(&["explain", "main.ua", "--target", "gp64"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("not recognised: main.ua:41:1: a run names"), "{said}");
}

/// Selection, and the check of assembly, once took half a minute for this.
#[test]
fn long_permutations_take_seconds() {
    let count = 60_000;
    let entries: Vec<String> = (0..count).map(|place| (place * 7 % count + 1).to_string()).collect();
    let case = Case::new(format!(
        "perm P (x:b{count}) returns (y:b{count}) {{ {} }}\n\
         node f (x:b{count}) returns (y:b{count}) let y = P(x) tel\n",
        entries.join(", ")
    ));
    let build = ["build", "main.ua", "--slicing", "b", "--target", "avx2", "--backend", "asm", "-o", "out"];
    let begin = Instant::now();
    let output = case.run(&build);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(begin.elapsed() < Duration::from_secs(12), "{:?}", begin.elapsed());
}

#[test]
fn symbols_that_c_has_already() {
    let case = Case::new(node("y = ~x"));
    for (symbol, reason) in [
        ("int", "has a meaning in C or C++"),
        ("memcpy", "has a meaning in C or C++"),
        ("uint8_t", "ends with `_t`"),
        ("__m128i", "begins as the names of compilers"),
        ("a-b", "is not a C identifier"),
        ("", "is not a C identifier"),
    ] {
        case.fails(&[BUILD, &["--symbol", symbol]].concat(), 1, "", &[&format!("`{symbol}` {reason}")]);
    }
}

#[test]
fn truncated_files() {
    let whole = node("forall i in [0,3] { y[i] = ~x[i] }");
    for end in [20, 41, 50, whole.len() - 8] {
        Case::new(&whole[..end]).fails(BUILD, 1, "", &["error[E0"]);
    }
}

#[test]
fn lines_of_a_megabyte() {
    let blanks = format!("node f (x:u32) returns (y:u32) let y = {}z tel\n", " ".repeat(1 << 20));
    Case::new(blanks).fails(&["check", "main.ua"], 1, "1:1048616", &["`z`"]);
    let identifier = format!("node f (x:u32) returns (y:u32) let y = {} tel\n", "a".repeat(1 << 20));
    Case::new(identifier).fails(&["check", "main.ua"], 1, "1:40", &["error[E0"]);
    let digits = format!("node f (x:u32) returns (y:u32) let y = x ^ {} tel\n", "9".repeat(1 << 20));
    Case::new(digits).fails(&["check", "main.ua"], 1, "1:44", &["error[E0"]);
}

#[test]
fn nesting_without_end() {
    let deep =
        |open: &str, close: &str| node(&format!("y = {}x{}", open.repeat(10_000), close.repeat(10_000)));
    Case::new(deep("(", ")")).fails(&["check", "main.ua"], 1, "3:", &["nested"]);
    Case::new(deep("~", "")).fails(&["check", "main.ua"], 1, "3:", &["nested"]);
    Case::new(node(&format!("y = x[{}0{}]", "(".repeat(10_000), ")".repeat(10_000)))).fails(
        &["check", "main.ua"],
        1,
        "3:",
        &["nested"],
    );
    let sum = format!("y = x{}", " ^ x".repeat(10_000));
    let output = Case::new(node(&sum)).run(&["check", "main.ua"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "a long sum is accepted or refused, not fatal");
}

#[test]
fn include_cycles() {
    Case::new("include \"other.ua\"\nnode f (x:b1) returns (y:b1) let y = x tel\n")
        .with("other.ua", "include \"main.ua\"\n")
        .fails(&["check", "main.ua"], 1, "", &["other.ua", "main.ua", "include"]);
}

#[test]
fn a_table_with_a_missing_entry() {
    Case::new("table T (x:v2) returns (y:v2) { 3, 2, 1 }\n").fails(
        &["check", "main.ua"],
        1,
        "1:",
        &["3", "4"],
    );
}

#[test]
fn an_index_one_past_the_end() {
    Case::new(node("forall i in [0,3] { y[i] = x[i+1] }")).fails(BUILD, 1, "3:", &["4", "i = 3"]);
}

#[test]
fn a_rotation_by_a_negative_amount() {
    Case::new(node("forall i in [0,3] { y[i] = x[i] <<< (2 - i) }")).fails(BUILD, 1, "3:", &["-1"]);
}

#[test]
fn arithmetic_that_a_slicing_lacks() {
    let case = Case::new(node("y = x + x"));
    case.fails(&["build", "main.ua", "--slicing", "b", "--target", "gp64", "-o", "out"], 1, "3:", &["`+`"]);
    case.fails(&["build", "main.ua", "--slicing", "h", "--target", "avx2", "-o", "out"], 1, "3:", &["`+`"]);
    case.fails(&["run", "main.ua", "--slicing", "b", "x=0,1,2,3"], 1, "3:", &["`+`"]);
}

#[test]
fn a_horizontal_rotation_without_byte_shuffles() {
    Case::new("node f (x:u16) returns (y:u16)\nlet\n    y = x <<< 3\ntel\n").fails(
        &["build", "main.ua", "--slicing", "h", "--target", "sse2", "-o", "out"],
        1,
        "",
        &["sse2", "ssse3"],
    );
}

#[test]
fn unreadable_files() {
    let case = Case::new("include \"absent.ua\"\nnode f (x:b1) returns (y:b1) let y = x tel\n");
    case.fails(&["check", "main.ua"], 1, "1:1", &["absent.ua"]);
    case.fails(&["check", "nothing.ua"], 1, "", &["nothing.ua"]);
    case.fails(&["build", "nothing.ua", "-o", "out"], 1, "", &["nothing.ua"]);
    case.fails(&["fmt", "nothing.ua"], 1, "", &["nothing.ua"]);
    case.fails(&["check", "."], 1, "", &["."]);
    Case::new([b'n', b'o', 0xff, 0xfe]).fails(&["check", "main.ua"], 1, "", &["UTF-8"]);
}

#[test]
fn output_paths_that_cannot_be_written() {
    let case = Case::new(node("y = ~x")).with("occupied", "a file\n");
    case.fails(
        &["build", "main.ua", "--slicing", "v", "--target", "gp64", "-o", "occupied/below"],
        1,
        "",
        &["occupied"],
    );
    case.fails(
        &["build", "main.ua", "--slicing", "v", "--target", "gp64", "-o", "occupied"],
        1,
        "",
        &["occupied"],
    );
}

/// A table that is indexed by a byte has code outside of B only if it is a map in GF(2^8), and the machine has such maps.
#[test]
fn tables_of_bytes() {
    let table = |entry: fn(u32) -> u32| {
        let entries: Vec<String> = (0..256).map(|x| entry(x).to_string()).collect();
        let entries = entries.join(", ");
        format!(
            "table T (x:u8) returns (y:u8) {{ {entries} }}\nnode f (x:u8) returns (y:u8) let y = T(x) tel\n"
        )
    };
    let square = Case::new(table(|x| x * x % 256));
    square.fails(BUILD, 1, "1:1", &["E0902", "indexed by the value of a `u8`", "GF(2^8)", "`--slicing b`"]);
    let affine = Case::new(table(|x| x ^ 0x63));
    affine.fails(BUILD, 1, "1:1", &["map of bytes", "gp64", "sse2, ssse3", "neon-aes, altivec have one"]);
}

#[test]
fn inputs_of_run() {
    let case = Case::new(node("y = ~x"));
    case.fails(&["run", "main.ua"], 1, "", &["x"]);
    case.fails(&["run", "main.ua", "x=0,1,2"], 1, "", &["4"]);
    case.fails(&["run", "main.ua", "x=0,1,2,100000000"], 1, "", &["x"]);
    case.fails(&["run", "main.ua", "x=0,1,2,g"], 1, "", &["`g`"]);
    case.fails(&["run", "main.ua", "z=0"], 1, "", &["`z`"]);
    case.fails(&["run", "main.ua", "--entry", "g", "x=0,1,2,3"], 1, "", &["`g`"]);
}

#[test]
fn wrong_command_lines() {
    let case = Case::new(node("y = ~x"));
    for arguments in
        [&["chekc", "main.ua"][..], &["build"], &["run", "main.ua", "--slicing", "q"], &["check", "--nope"]]
    {
        let output = case.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty());
    }
    case.fails(&["build", "main.ua", "--target", "avx3", "-o", "out"], 1, "", &["avx3", "avx2"]);
    case.fails(&["build", "main.ua", "--threads", "-o", "out"], 1, "", &["--threads", "libraries"]);
}

#[test]
fn findings_as_json() {
    let case = Case::new(node("y = ~z"));
    let output = case.run(&["check", "main.ua", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
    let finding = &document[0]["diagnostics"][0];
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["place"]["line"], 3);
    assert!(output.stderr.is_empty());
}
