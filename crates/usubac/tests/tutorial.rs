//! The tutorial's commands up to its C program, run as they stand there; `scripts/bindings.sh` runs those for Rust and Python.

use std::path::Path;
use std::process::Command;

/// The commands of a page's blocks of shell between two headings, each with the lines that the page shows as its answer.
fn commands<'a>(page: &'a str, from: &str, to: &str) -> Vec<(&'a str, Vec<&'a str>)> {
    let after = page.split_once(from).expect("the heading is there").1;
    let part = after.split_once(to).expect("the next heading is there").0;
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for block in part.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        // Where answers are shown, commands begin with a dollar sign.
        let answers = block.starts_with("$ ");
        for line in block.lines() {
            match (answers, line.strip_prefix("$ ")) {
                (true, None) => commands.last_mut().expect("a command is first").1.push(line),
                (_, command) => commands.push((command.unwrap_or(line), Vec::new())),
            }
        }
    }
    commands
}

#[test]
fn the_c_program_does_what_the_tutorial_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("it is there");
    let page = std::fs::read_to_string(root.join("docs/tutorial.md")).expect("it is there");
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::os::unix::fs::symlink(root.join("docs"), folder.path().join("docs")).expect("it can be made");
    let binary = Path::new(env!("CARGO_BIN_EXE_usubac")).parent().expect("it is in a folder");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").expect("there is one"));
    let mut compared = 0;
    for (command, answer) in commands(&page, "## Write it", "## Use it from Rust") {
        let output = Command::new("sh")
            .args(["-c", command])
            .current_dir(folder.path())
            .env("PATH", &path)
            .output()
            .expect("a shell runs");
        let said = String::from_utf8(output.stderr).expect("text");
        assert!(output.status.success(), "{command}: {said}");
        let text = String::from_utf8(output.stdout).expect("text");
        // Some lines are shown, and of them the beginning only where an ellipsis ends them. How many gates and instructions
        // there are changes with the compiler.
        for line in answer {
            let (shown, whole) = match line.split_once('…').or_else(|| line.split_once(" gates ")) {
                Some((shown, _)) => (shown.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' '), false),
                None => (line, true),
            };
            let found =
                text.lines().any(|found| if whole { found == shown } else { found.starts_with(shown) });
            assert!(found, "{command}: there is no line `{line}` in:\n{text}");
            compared += 1;
        }
    }
    assert!(compared >= 7, "{compared} lines were compared");
}

/// The page that follows an S-box shows what the stages print.
#[test]
fn the_walkthrough_shows_what_the_stages_make() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("it is there");
    let page = std::fs::read_to_string(root.join("docs/walkthrough.md")).expect("it is there");
    let binary = env!("CARGO_BIN_EXE_usubac");
    let mut compared = 0;
    for (command, answer) in commands(&page, "# From a table", "## What is what") {
        let arguments = command.split_whitespace().skip(1);
        let output = Command::new(binary).args(arguments).current_dir(&root).output().expect("it runs");
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("text");
        let mut lines = text.lines();
        for line in answer {
            assert!(
                lines.any(|found| found.trim_end() == line),
                "{command}: there is no line `{line}` in:\n{text}"
            );
            compared += 1;
        }
    }
    assert!(compared > 40, "{compared} lines were compared");
}

/// The equations and the text of the manifest stand in the page as they are in the files.
#[test]
fn the_cipher_is_shown_as_it_is() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let text = |path: &str| std::fs::read_to_string(docs.join(path)).expect("it is there");
    let sources = text("examples/pebble/pebble.ua") + &text("examples/gravel/gravel.ua");
    let page = text("tutorial.md");
    let mut compared = 0;
    for (number, block) in page.split("```").enumerate() {
        // Every second piece is a block; those of programs have no language.
        let Some(program) = block.strip_prefix('\n').filter(|_| number % 2 == 1) else { continue };
        for definition in program.trim_end().split("\n\n") {
            assert!(sources.contains(definition), "the programs do not have\n{definition}");
            compared += 1;
        }
    }
    assert!(compared >= 7, "{compared} definitions were compared");
}
