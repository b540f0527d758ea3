//! What is printed, and where: warnings of every command, and output that cannot be written.

use std::fs::{self, File, OpenOptions};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A cipher with a warning: the sum is grouped otherwise than in C.
const SOURCE: &str = "node Encrypt (plain:u16[4], keys:const u16[4]) returns (cipher:u16[4])\n\
                      let cipher = plain - keys ^ keys tel\n";

/// A cipher that an old source reads the other way round: an error with `--strict`.
const LEGACY: &str = "node Encrypt (plain:u16[4], keys:const u16[4]) returns (cipher:u16[4])\n\
                      let cipher = plain; cipher = cipher ^ keys tel\n";

const MANIFEST: &str = r#"
name = "pebble"
title = "Pebble"
specification = "a test"
source = "pebble.ua"

[[primitive]]
name = "pebble"
kind = "block-cipher"
slicings = ["v"]
encrypt = "Encrypt"
block = { bytes = 8, order = "big" }
key = { bytes = 8, order = "big" }
modes = ["ecb"]
vectors = ["pebble.json"]
"#;

const VECTORS: &str = r#"{ "primitive": "Pebble", "kind": "block-cipher", "conventions": "big",
  "vectors": [{ "id": "zero", "key": "0000000000000000", "input": "0000000000000000", "output": "0000000000000000" }] }"#;

fn folder(source: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().join("pebble");
    fs::create_dir(&place).expect("it can be made");
    for (name, text) in [("pebble.ua", source), ("usuba.toml", MANIFEST), ("pebble.json", VECTORS)] {
        fs::write(place.join(name), text).expect("it can be written");
    }
    folder
}

fn command(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_usubac"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str], folder: &Path) -> Output {
    command(arguments, folder).output().expect("usubac runs")
}

/// The commands that read a program or a folder.
const READERS: [&[&str]; 8] = [
    &["check", "pebble/pebble.ua"],
    &["run", "pebble/pebble.ua", "plain=0,0,0,0", "keys=0,0,0,0"],
    &["build", "pebble/pebble.ua", "--target", "gp64", "--slicing", "v", "-o", "node"],
    &["build", "pebble", "--target", "gp64", "-o", "one"],
    &["build", "pebble", "--drop-in", "-o", "library"],
    &["explain", "pebble/pebble.ua", "--target", "gp64"],
    &["explain", "pebble", "--target", "gp64"],
    &["test", "pebble", "--target", "none"],
];

#[test]
fn every_command_shows_warnings_once() {
    let folder = folder(SOURCE);
    for arguments in READERS {
        let output = run(arguments, folder.path());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
        assert_eq!(said.matches("warning[W-precedence]").count(), 1, "{arguments:?}: {said}");
    }
}

#[test]
fn strict_is_strict_in_every_command() {
    let folder = folder(LEGACY);
    for arguments in READERS {
        let lax = run(arguments, folder.path());
        let said = String::from_utf8_lossy(&lax.stderr);
        assert_eq!(lax.status.code(), Some(0), "{arguments:?}: {said}");
        assert_eq!(said.matches("warning[W-redefinition]").count(), 1, "{arguments:?}: {said}");
        let strict = run(&[arguments, &["--strict"]].concat(), folder.path());
        let said = String::from_utf8_lossy(&strict.stderr);
        assert_eq!(strict.status.code(), Some(1), "{arguments:?}: {said}");
        assert_eq!(said.matches("error[W-redefinition]").count(), 1, "{arguments:?}: {said}");
    }
}

#[test]
fn strict_wants_parentheses() {
    let folder = folder(SOURCE);
    for arguments in READERS {
        let strict = run(&[arguments, &["--strict"]].concat(), folder.path());
        let said = String::from_utf8_lossy(&strict.stderr);
        assert_eq!(strict.status.code(), Some(1), "{arguments:?}: {said}");
        assert_eq!(said.matches("error[W-precedence]").count(), 1, "{arguments:?}: {said}");
    }
}

/// A file that takes nothing; `None` where the system has none.
fn full() -> Option<File> {
    OpenOptions::new().write(true).open("/dev/full").ok()
}

#[test]
fn output_that_is_lost_is_an_error() {
    let folder = folder(SOURCE);
    let printers: [&[&str]; 17] = [
        &["--help"],
        &["--version"],
        &["run", "--help"],
        &["check", "--format", "json", "pebble/pebble.ua"],
        &["run", "pebble/pebble.ua", "plain=0,0,0,0", "keys=0,0,0,0"],
        &["run", "--format", "json", "pebble/pebble.ua", "plain=0,0,0,0", "keys=0,0,0,0"],
        &["build", "pebble/pebble.ua", "--target", "gp64", "--slicing", "v", "-o", "node"],
        &["build", "pebble/pebble.ua", "--target", "gp64", "--slicing", "v", "--stop-after", "lower"],
        &["build", "pebble", "--target", "gp64", "-o", "one"],
        &["build", "--dump-after", "list", "pebble"],
        &["explain", "pebble", "--target", "gp64"],
        &["test", "pebble", "--target", "none"],
        &["fmt", "--check", "pebble/pebble.ua"],
        &["synth", "--hex", "c56b90ad3ef84712", "--conflicts", "0", "--visits", "10"],
        &["targets"],
        &["targets", "--native"],
        &["completions", "bash"],
    ];
    for arguments in printers {
        let Some(full) = full() else { return };
        let output = command(arguments, folder.path()).stdout(full).output().expect("usubac runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("no space left on device"), "{arguments:?}: {said}");
        assert!(!said.contains("bug of usubac"), "{arguments:?}: {said}");
    }
    let Some(full) = full() else { return };
    let source = File::open(folder.path().join("pebble/pebble.ua")).expect("it is there");
    let output =
        command(&["fmt", "-"], folder.path()).stdin(source).stdout(full).output().expect("usubac runs");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: cannot write to standard output: no space left on device\n"
    );
}

#[test]
fn messages_that_are_lost_are_an_error() {
    let folder = folder(SOURCE);
    for arguments in [READERS[0], READERS[1], READERS[7], &["check", "nowhere.ua"], &["test", "nowhere"]] {
        let Some(full) = full() else { return };
        let output = command(arguments, folder.path()).stderr(full).output().expect("usubac runs");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn who_closes_a_pipe_has_read_enough() {
    let folder = folder(SOURCE);
    for arguments in [&["targets"] as &[&str], &["completions", "bash"], &["--help"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = command(arguments, folder.path()).stdout(writer).output().expect("usubac runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), said.as_ref()), (Some(0), ""), "{arguments:?}");
    }
}
