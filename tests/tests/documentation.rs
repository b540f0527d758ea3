//! The documentation has a page for each cipher, and its links lead somewhere.

use std::path::Path;
use usuba_tests::ciphers::{CIPHERS, Cipher, root};

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
        assert!(summary.contains(&format!("(ciphers/{name}.md)")), "docs/SUMMARY.md does not name {name}");
        assert!(
            index.contains(&format!("({name}.md)")),
            "docs/ciphers/index.md does not name {name}: `make pages`"
        );
    }
}

#[test]
fn links_lead_to_files() {
    let docs = root().join("docs");
    let mut pages = vec![root().join("README.md"), root().join("ARCHITECTURE.md")];
    let listed = std::fs::read_dir(&docs).expect("docs are there").flatten().map(|entry| entry.path());
    pages.extend(listed.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    let mut links = 0;
    for page in pages {
        let text = text(&page);
        for part in text.split("](").skip(1) {
            let link = part.split([')', '#']).next().unwrap_or_default();
            if link.is_empty() || link.starts_with("http") || link.contains(char::is_whitespace) {
                continue;
            }
            let to = page.parent().expect("a page is in a folder").join(link);
            assert!(to.exists(), "{}: there is no {link}", page.display());
            links += 1;
        }
    }
    assert!(links > 20, "{links} links were found");
}

/// The files of the example stand in the tutorial as they are; `scripts/bindings.sh` runs those for Rust and Python.
#[test]
fn the_tutorial_shows_its_files() {
    let tutorial = text(&root().join("docs/tutorial.md"));
    let example = root().join("docs/examples/pebble");
    for file in ["usuba.toml", "pebble.py", "rust/build.rs", "rust/src/size.c", "rust/src/main.rs"] {
        let shown = text(&example.join(file));
        let block = format!("\n{}\n```\n", shown.trim_end());
        assert!(tutorial.contains(&block), "docs/tutorial.md does not have {file} as it is");
    }
}
