//! What newcomers and the forge are told to run exists: the targets of make, scripts and tests that `CONTRIBUTING.md`,
//! `SECURITY.md` and the workflows name.

use std::path::{Path, PathBuf};
use usuba_tests::ciphers::root;

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The commands of a page: its blocks of shell, and what stands in backquotes.
fn commands_of_page(page: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut block: Option<bool> = None;
    for line in page.lines() {
        let line = line.trim();
        if let Some(language) = line.strip_prefix("```") {
            block = if block.is_none() { Some(language == "sh") } else { None };
        } else if block == Some(true) {
            commands.push(line.to_owned());
        } else if block.is_none() {
            commands.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    commands
}

/// The commands of a workflow.
fn commands_of_workflow(workflow: &str) -> Vec<String> {
    let steps = workflow.lines().filter_map(|line| line.trim().strip_prefix("- run: "));
    steps.map(str::to_owned).collect()
}

fn targets_of_make() -> Vec<String> {
    let makefile = text(&root().join("Makefile"));
    let rules = makefile.lines().filter(|line| !line.starts_with(['\t', '#', '.', ' ']));
    let heads = rules.filter_map(|line| line.split_once(':')).filter(|(_, rest)| !rest.starts_with('='));
    heads.flat_map(|(names, _)| names.split_whitespace()).map(str::to_owned).collect()
}

/// What of a command is not there, and how many parts of it were looked at.
fn missing(command: &str, targets: &[String]) -> (Vec<String>, usize) {
    let root = root();
    let command = command.split(" #").next().unwrap_or_default();
    let words: Vec<&str> =
        command.split_whitespace().map(|word| word.trim_matches([';', ',', '(', ')'])).collect();
    let after = |flag: &str| {
        let place = words.iter().position(|word| *word == flag)?;
        words.get(place + 1).copied()
    };
    let (mut absent, mut looked) = (Vec::new(), 0);
    let mut look = |there: bool, what: String| {
        looked += 1;
        if !there {
            absent.push(what);
        }
    };
    if words.first() == Some(&"make") {
        let named = words.iter().skip(1).filter(|word| !word.contains('=') && !word.starts_with('-'));
        for target in named {
            look(targets.iter().any(|known| known == target), format!("make has no target {target}"));
        }
    }
    for script in words.iter().filter(|word| word.starts_with("scripts/") && word.ends_with(".sh")) {
        look(root.join(script).is_file(), format!("there is no {script}"));
    }
    if words.first() == Some(&"sh") && words.len() > 2 && words[1].starts_with("scripts/") {
        let usage = std::fs::read_to_string(root.join(words[1])).unwrap_or_default();
        let names = |line: &str| line.split(['|', ' ', ')', '[', ']']).any(|word| word == words[2]);
        look(usage.lines().any(names), format!("{} does not know {}", words[1], words[2]));
    }
    if words.contains(&"cargo") && words.contains(&"test") {
        let folder = after("-p").map(|package| match package {
            "usuba-tests" => root.join("tests"),
            package => root.join("crates").join(package),
        });
        if let Some(folder) = &folder {
            look(folder.join("Cargo.toml").is_file(), format!("there is no crate at {}", folder.display()));
        }
        if let (Some(folder), Some(test)) = (folder, after("--test")) {
            let tests = folder.join("tests");
            let there =
                tests.join(format!("{test}.rs")).is_file() || tests.join(test).join("main.rs").is_file();
            look(there, format!("{} has no test {test}", folder.display()));
        }
    }
    (absent, looked)
}

fn workflows() -> Vec<PathBuf> {
    let folder = root().join(".github/workflows");
    let listed = std::fs::read_dir(folder).expect("there are workflows").flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        listed.filter(|path| path.extension().is_some_and(|end| end == "yml")).collect();
    files.sort();
    files
}

#[test]
fn every_command_exists() {
    let targets = targets_of_make();
    assert!(targets.iter().any(|target| target == "lib"), "{targets:?}");
    let mut sources = Vec::new();
    for page in ["CONTRIBUTING.md", "SECURITY.md"] {
        sources.push((page.to_owned(), commands_of_page(&text(&root().join(page)))));
    }
    for file in workflows() {
        sources.push((file.display().to_string(), commands_of_workflow(&text(&file))));
    }
    let (mut wrong, mut all) = (Vec::new(), 0);
    for (source, commands) in sources {
        for command in commands {
            let (absent, looked) = missing(&command, &targets);
            all += looked;
            wrong.extend(absent.into_iter().map(|what| format!("{source}: `{command}`: {what}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(all > 25, "only {all} names were looked up");
}

#[test]
fn commands_that_do_not_exist_are_noticed() {
    let targets = targets_of_make();
    for command in [
        "make nothing",
        "sh scripts/nothing.sh",
        "sh scripts/setup.sh nothing",
        "cargo test --release -p usuba-nothing",
        "cargo test --release -p usuba-tests --test nothing",
    ] {
        assert_eq!(missing(command, &targets).0.len(), 1, "{command}: {:?}", missing(command, &targets).0);
    }
}

/// A push is linted and tested on both architectures, and packages are made on both; proofs are made every night.
#[test]
fn the_workflows_run_what_is_promised() {
    let file = |name: &str| text(&root().join(".github/workflows").join(name));
    let (test, packages) = (file("test.yml"), file("packages.yml"));
    for (workflow, commands) in [
        (&test, &["make lint", "make test"][..]),
        (&packages, &["make lib", "make rust", "make python", "make provider"][..]),
    ] {
        let known = commands_of_workflow(workflow);
        for command in commands {
            assert!(known.iter().any(|one| one == command), "{command} is in no step");
        }
        assert!(workflow.contains("machine: [ubuntu-24.04, ubuntu-24.04-arm]"));
    }
    let proofs = commands_of_workflow(&file("proofs.yml"));
    for command in ["make prove", "make second-opinion", "make mutants"] {
        assert!(proofs.iter().any(|one| one == command), "{command} is in no step");
    }
}

/// The newest part of the changes is what is not yet released, and the version of the workspace has a part.
#[test]
fn the_changes_have_the_version() {
    let changes = text(&root().join("CHANGELOG.md"));
    let parts: Vec<&str> = changes.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(parts.first(), Some(&"Unreleased"));
    let version = env!("CARGO_PKG_VERSION");
    assert!(parts.contains(&version), "CHANGELOG.md has no part for {version}: {parts:?}");
}
