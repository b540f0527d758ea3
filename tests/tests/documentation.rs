//! The documentation has a page for each cipher, and its links lead somewhere.

use std::path::{Path, PathBuf};
use usuba_tests::ciphers::{CIPHERS, Cipher, root};
use usuba_trial::proof::{CAVEATS, Caveat};

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_primitive_has_a_page() {
    let docs = root().join("docs");
    let summary = text(&docs.join("SUMMARY.md"));
    let index = text(&docs.join("ciphers/index.md"));
    for name in CIPHERS {
        let page = text(&docs.join("ciphers").join(format!("{name}.md")));
        let manifest = Cipher::read(name).manifest;
        let primitives = manifest.primitives.iter().map(|one| &one.name);
        for one in primitives.chain(manifest.constructions.iter().map(|one| &one.name)) {
            assert!(
                page.contains(&format!("\n## {one}\n")),
                "docs/ciphers/{name}.md has nothing on {one}: `make pages`"
            );
        }
        let row = index.lines().find(|row| row.contains(&format!("({name}.md)")));
        let row = row.unwrap_or_else(|| panic!("docs/ciphers/index.md does not name {name}: `make pages`"));
        let primitives = manifest.primitives.iter().map(|one| &one.name);
        for one in primitives.chain(manifest.constructions.iter().map(|one| &one.name)) {
            let named = row.split(['|', ',']).any(|cell| cell.trim() == one);
            assert!(named, "docs/ciphers/index.md does not name {one}: `make pages`");
        }
        assert!(summary.contains(&format!("(ciphers/{name}.md)")), "docs/SUMMARY.md does not name {name}");
    }
}

/// The links of a text that are neither whole addresses nor to a place in the text itself.
fn links(text: &str) -> Vec<&str> {
    let all = text.split("](").skip(1).map(|part| part.split([')', '#']).next().unwrap_or_default());
    all.filter(|link| !link.is_empty() && !link.starts_with("http") && !link.contains(char::is_whitespace))
        .collect()
}

fn markdown(folder: &Path) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(folder).expect("docs are there").flatten().map(|entry| entry.path());
    let mut pages: Vec<PathBuf> =
        listed.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    pages.sort();
    pages
}

/// Documents and vectors have their sources written down.
#[test]
fn every_cipher_names_its_sources() {
    let bibliography = text(&root().join("BIBLIOGRAPHY.md"));
    let vectors = text(&root().join("ciphers/VECTORS.md"));
    for name in CIPHERS {
        assert!(
            bibliography.contains(&format!("`ciphers/{name}")),
            "BIBLIOGRAPHY.md does not name ciphers/{name}"
        );
        let manifest = Cipher::read(name).manifest;
        let files = manifest.primitives.iter().flat_map(|one| &one.vectors);
        for file in files.chain(manifest.constructions.iter().flat_map(|one| &one.vectors)) {
            let row = format!("| `{name}/{file}` |");
            assert!(vectors.contains(&row), "the table of ciphers/VECTORS.md has no row {row}");
        }
    }
}

#[test]
fn links_lead_to_files() {
    let mut found = 0;
    for page in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "bench/README.md",
        "bindings/openssl/README.md",
    ] {
        let page = root().join(page);
        for link in links(&text(&page)) {
            let to = page.parent().expect("a page is in a folder").join(link);
            assert!(to.exists(), "{}: there is no {link}", page.display());
            found += 1;
        }
    }
    assert!(found > 20, "{found} links were found");
}

/// A path in backquotes that begins with a folder of the repository is there.
#[test]
fn paths_lead_to_files() {
    let root = root();
    let mut pages = markdown(&root.join("docs"));
    pages.extend(
        ["README.md", "ARCHITECTURE.md", "SOUNDNESS.md", "bench/README.md"].map(|page| root.join(page)),
    );
    let mut found = 0;
    for page in pages {
        let contents = text(&page);
        let quoted = contents.split('`').skip(1).step_by(2);
        let is_path = |quoted: &&str| {
            ["crates/", "tests/", "runtime/", "scripts/", "bindings/"]
                .iter()
                .any(|folder| quoted.starts_with(folder))
                && quoted.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
        };
        for path in quoted.filter(is_path) {
            assert!(root.join(path).exists(), "{}: there is no {path}", page.display());
            found += 1;
        }
    }
    assert!(found > 20, "{found} paths were found");
}

/// The book has `docs/` only, and a page for each chapter of its table: what leads elsewhere is dead there.
#[test]
fn links_of_the_book_stay_in_it() {
    let docs = root().join("docs").canonicalize().expect("docs are there");
    let summary = docs.join("SUMMARY.md");
    let chapters: Vec<PathBuf> = links(&text(&summary)).iter().map(|link| docs.join(link)).collect();
    let pages: Vec<PathBuf> =
        [docs.clone(), docs.join("ciphers")].iter().flat_map(|folder| markdown(folder)).collect();
    let mut found = 0;
    for page in pages.iter().filter(|page| **page != summary) {
        let name = page.display();
        assert!(chapters.contains(page), "docs/SUMMARY.md does not name {name}");
        let folder = page.parent().expect("a page is in a folder");
        let contents = text(page);
        for link in links(&contents) {
            let to = folder.join(link).canonicalize();
            let to = to.unwrap_or_else(|_| panic!("{name}: there is no {link}"));
            assert!(to.is_file() && to.starts_with(&docs), "{name}: {link} is no file of the book");
            let is_page = to.extension().is_some_and(|extension| extension == "md");
            assert!(!is_page || chapters.contains(&to), "{name}: {link} is no chapter of the book");
            found += 1;
        }
        for include in contents.split("{{#include ").skip(1) {
            let path = include.split([':', '}']).next().unwrap_or_default();
            // Links of an included text would be relative to another folder.
            assert_eq!(links(&text(&folder.join(path))), [""; 0], "{name} includes {path}");
        }
    }
    assert!(found > 30, "{found} links were found");
}

/// The files of the example stand in the tutorial as they are; `scripts/bindings.sh` runs those for Rust and Python.
#[test]
fn the_tutorial_shows_its_files() {
    let tutorial = text(&root().join("docs/tutorial.md"));
    let example = root().join("docs/examples/pebble");
    for file in
        ["usuba.toml", "pebble.json", "pebble.py", "rust/build.rs", "rust/src/size.c", "rust/src/main.rs"]
    {
        let shown = text(&example.join(file));
        let block = format!("\n{}\n```\n", shown.trim_end());
        assert!(tutorial.contains(&block), "docs/tutorial.md does not have {file} as it is");
    }
}

/// The table of ciphers in README.md names all slicings that the manifests have, and no other.
#[test]
fn the_readme_has_the_slicings_of_the_manifests() {
    let readme = text(&root().join("README.md"));
    for name in CIPHERS {
        let row = readme
            .lines()
            .find(|line| line.contains(&format!("](ciphers/{name})")) && line.starts_with("| ["));
        let row = row.unwrap_or_else(|| panic!("README.md has no row for {name}"));
        let cell = row.split('|').nth(3).unwrap_or_default().replace(" with GFNI or rounds of AES", "");
        let mut said: Vec<&str> = cell.split([',', ';']).map(str::trim).collect();
        let primitives = Cipher::read(name).manifest.primitives;
        let mut known: Vec<String> =
            primitives.iter().flat_map(|one| &one.slicings).map(ToString::to_string).collect();
        said.sort();
        known.sort();
        known.dedup();
        assert_eq!(said, known, "the slicings of {name} in README.md");
    }
}

/// The caveats of certificates are those of SOUNDNESS.md.
#[test]
fn caveats_are_written_down() {
    let soundness = text(&root().join("SOUNDNESS.md"));
    for Caveat { code, says } in CAVEATS {
        let row = format!("\n| {code} | {says} |\n");
        assert!(soundness.contains(&row), "SOUNDNESS.md has no row {row}");
    }
    let rows = soundness.lines().filter(|line| line.starts_with("| C"));
    assert_eq!(rows.count(), CAVEATS.len());
}
