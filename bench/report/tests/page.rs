//! The page and the charts of a small set of data, as they should be.

use expect_test::expect_file;
use usuba_report::data::Data;
use usuba_report::{elsewhere, expectations, page, query};

fn small() -> Data {
    serde_json::from_str(include_str!("small.json")).expect("data")
}

fn small_page() -> page::Page {
    let published = expectations::published().expect("the published rows parse");
    let expected = expectations::expected().expect("the expectations parse");
    let known = elsewhere::known().expect("what was measured elsewhere parses");
    page::page(&small(), &published, &expected, &known, "performance")
}

#[test]
fn the_page_of_small_data() {
    expect_file!["small.md"].assert_eq(&small_page().markdown);
}

#[test]
fn the_charts_of_small_data() {
    for chart in small_page().charts {
        expect_file![format!("{}/tests/small-{}", env!("CARGO_MANIFEST_DIR"), chart.file)]
            .assert_eq(&chart.svg);
    }
}

#[test]
fn a_page_of_no_data_has_no_numbers_and_does_not_fail() {
    let published = expectations::published().expect("the published rows parse");
    let page = page::page(&Data::default(), &published, &[], &Default::default(), "performance");
    assert!(page.markdown.contains("# Performance"));
    assert!(page.charts.iter().all(|chart| chart.svg.starts_with("<svg") && !chart.svg.contains("NaN")));
}

#[test]
fn the_best_peer_is_constant_time_and_uses_no_more_than_the_target_has() {
    let data = small();
    let best = |target, constant_time| {
        query::peer(&data, "des", "ecb", target, constant_time).map(|(peer, _)| peer.name.as_str())
    };
    assert_eq!(best("avx512", true), Some("Botan"));
    assert_eq!(best("avx512", false), Some("tables of someone"));
    let chacha = |target| query::peer(&data, "chacha20", "xor", target, true).map(|(_, cycles)| cycles);
    assert_eq!((chacha("avx2"), chacha("avx512")), (Some(1.17), Some(0.58)));
    // Registers of 128 bits are not compared with those of 256, nor what lacks GFNI with what has it.
    let mut data = data.clone();
    assert_eq!((chacha("avx512-128"), chacha("avx512-256")), (None, Some(1.17)));
    let peer = data.peers.iter_mut().find(|peer| peer.level == "avx2").expect("there is one");
    peer.level = "avx2-gfni".into();
    let best = |target| query::peer(&data, "chacha20", "xor", target, true).map(|(_, cycles)| cycles);
    assert_eq!((best("avx512-256"), best("avx512-gfni")), (None, Some(0.58)));
}

#[test]
fn what_is_faster_in_the_published_compiler_and_slower_when_wider_is_found() {
    let data = small();
    let mut published = expectations::published().expect("the published rows parse");
    let is_alike = |published| expectations::compare(&data, published).iter().any(|one| one.is_alike);
    assert!(!is_alike(&published), "a ratio of two cores is none");
    published.core = "Zen 5".into();
    let rows = expectations::compare(&data, &published);
    let des = rows.iter().find(|one| one.row.primitive == "des" && one.row.arch == "avx512").expect("there");
    assert!(des.ratio().is_some_and(|ratio| (ratio - 0.55 / 0.74).abs() < 1e-9));
    assert!(
        rows.iter()
            .filter(|one| one.row.arch == "sse")
            .all(|one| { one.ours.is_none_or(|(row, _)| row.target.starts_with("avx512-")) })
    );
    let slower = expectations::slower_when_wider(&data);
    assert_eq!(slower.len(), 1);
    assert_eq!((slower[0].narrow.0, slower[0].wide.0), ("gp64", "avx2"));
    assert_eq!(query::geometric_mean(&[0.5, 2.0]), Some(1.0));
    assert_eq!(query::geometric_mean(&[]), None);
}
