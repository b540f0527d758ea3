//! `usubac new` writes a folder that passes its own tests, or nothing; `usubac man` has a page for each command.

use std::path::Path;
use std::process::{Command, Output};

fn usubac(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_usubac"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("usubac was built")
}

fn succeeds(arguments: &[&str], folder: &Path) -> String {
    let output = usubac(arguments, folder);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn fails(arguments: &[&str], folder: &Path) -> String {
    let output = usubac(arguments, folder);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

/// What lies in a folder, and below it, sorted.
fn listed(folder: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).expect("a folder").flatten() {
            match entry.path().is_dir() {
                true => open.push(entry.path()),
                false => {
                    let path = entry.path();
                    paths.push(path.strip_prefix(folder).expect("below it").to_string_lossy().into_owned());
                }
            }
        }
    }
    paths.sort();
    paths
}

#[test]
fn a_new_cipher_passes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let said = succeeds(&["new", "ciphers/my-cipher2"], folder.path());
    assert_eq!(
        said,
        "wrote ciphers/my-cipher2/usuba.toml\n\
         wrote ciphers/my-cipher2/my-cipher2.ua\n\
         wrote ciphers/my-cipher2/vectors/my-cipher2.json\n\
         usubac test ciphers/my-cipher2 runs its known answers\n"
    );
    let cipher = folder.path().join("ciphers/my-cipher2");
    assert_eq!(listed(&cipher), ["my-cipher2.ua", "usuba.toml", "vectors/my-cipher2.json"]);
    succeeds(&["check", "--strict", "my-cipher2.ua"], &cipher);
    succeeds(&["fmt", "--check", "my-cipher2.ua"], &cipher);
    // Two vectors in both directions, in three slicings.
    let said = succeeds(&["test", ".", "--target", "gp64"], &cipher);
    for way in ["interpreter", "Usuba0, slicing b", "Usuba0, slicing v", "Usuba0, slicing h", "gp64 gcc -O2"]
    {
        assert!(said.contains(way), "{said}");
    }
    assert!(said.trim_end().ends_with(" passed, 0 failed"), "{said}");
    // Its vectors are looked at: with another answer it fails.
    let path = cipher.join("vectors/my-cipher2.json");
    let vectors = std::fs::read_to_string(&path).expect("it was written").replace("d84fe836", "d84fe837");
    std::fs::write(&path, vectors).expect("it can be written");
    let output = usubac(&["test", ".", "--target", "none"], &cipher);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));

    let said = succeeds(&["new", "other", "--format", "json"], folder.path());
    let document: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(document["wrote"][1], "other/other.ua");
}

#[test]
fn what_is_there_is_left_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("empty")).expect("it can be made");
    std::fs::write(folder.path().join("file"), "mine").expect("it can be written");
    std::os::unix::fs::symlink("nowhere", folder.path().join("link")).expect("it can be made");
    for name in ["empty", "file", "link", "file/below"] {
        let said = fails(&["new", name], folder.path());
        assert!(said.starts_with("error: cannot make the folder `"), "{name}: {said}");
    }
    assert_eq!(listed(folder.path()), ["file", "link"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("file")).expect("it is there"), "mine");
}

#[test]
fn names_are_those_of_primitives() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["", ".", "..", "/", "AES", "a_b", "2fish", "-", "a-", "a--b", "a b", "é", "new/Two"] {
        let output = usubac(&["new", "--", name], folder.path());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.starts_with("error: "), "{name}: {said}");
    }
    let said = fails(&["new", "Two"], folder.path());
    assert_eq!(
        said,
        "error: `Two` is no name for a cipher: a name has lower-case letters, digits and single hyphens, and starts with \
         a letter, so that it can become part of a C identifier\n"
    );
    assert_eq!(listed(folder.path()), Vec::<String>::new());
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    succeeds(&["man", "--output", "pages"], folder.path());
    let help = succeeds(&["--help"], folder.path());
    let commands =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let mut wanted: Vec<String> = commands
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !["", "help"].contains(name))
        .map(|name| format!("usubac-{name}.1"))
        .collect();
    assert!(wanted.len() > 10, "{help}");
    for file in &wanted {
        let page = std::fs::read_to_string(folder.path().join("pages").join(file)).expect("it is there");
        let name = file.trim_end_matches(".1");
        assert!(
            page.contains(&format!("\n.TH {name} 1  \"usubac {}\"", env!("CARGO_PKG_VERSION"))),
            "{page}"
        );
        assert!(page.contains(&format!("\n.SH NAME\n{}", name.replace('-', "\\-"))), "{page}");
        assert!(page.contains("Example"), "{file}");
        let printed = succeeds(&["man", name.trim_start_matches("usubac-")], folder.path());
        assert_eq!(printed, page);
    }
    wanted.push("usubac.1".into());
    wanted.sort();
    assert_eq!(listed(&folder.path().join("pages")), wanted);
    assert!(
        fails(&["man", "nothing"], folder.path())
            .contains("there is no command `nothing`; there are check, fmt")
    );
}
