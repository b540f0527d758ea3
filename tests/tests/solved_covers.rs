//! The table of solved covers says what the compiler reaches, and what it says is least is proved again.
//!
//! The circuits of the database and a few ciphers are looked at, and every eighth of their lines is proved; with
//! `USUBA_WAYS=all` all ciphers are, and every line is proved.

use std::collections::BTreeMap;
use usuba_codegen::problems::{Solved, TABLE, lines};
use usuba_tests::ciphers::{CIPHERS, Cipher};
use usuba_tests::covers::{Met, check, machines, of_cipher, of_circuits, ternary};
use usuba_tests::ways;

/// Blocks of all kinds, soon compiled; of the first two the table has covers.
const USUAL: [&str; 7] = ["aes", "photon", "des", "gift", "present", "rectangle", "trivium"];
/// Every so many lines one is proved again, if it has no more gates than this.
const PROVED: (usize, usize) = (8, 150);

fn table() -> BTreeMap<u128, Solved> {
    lines(TABLE).map(|line| (line.digest, line)).collect()
}

/// The problems of the ciphers, those that `usual` or `USUBA_WAYS` names.
fn met() -> Vec<Met> {
    let mut met: Vec<Met> = machines().into_iter().flat_map(of_circuits).collect();
    for name in CIPHERS.into_iter().filter(|name| ways::all() || USUAL.contains(name)) {
        let cipher = Cipher::read(name);
        met.extend(ternary().into_iter().flat_map(|target| of_cipher(name, &cipher, target)));
    }
    met
}

#[test]
fn every_line_is_one_and_different() {
    let written = TABLE.lines().filter(|line| !line.starts_with('#')).count();
    assert!(written > 500, "the table has {written} lines");
    assert_eq!(lines(TABLE).count(), written, "some lines are malformed");
    assert_eq!(table().len(), written, "some lines are about one problem");
}

#[test]
fn the_compiler_reaches_what_the_table_says() {
    let (table, met) = (table(), met());
    let mut seen: BTreeMap<u128, &Met> = BTreeMap::new();
    let (mut wrong, mut proved) = (Vec::new(), 0);
    for one in &met {
        let digest = one.covered.problem.digest();
        if seen.insert(digest, one).is_some() {
            continue;
        }
        let Some(line) = table.get(&digest) else {
            wrong.push(format!("{}: no line", one.place));
            continue;
        };
        let (every, largest) = PROVED;
        let proves = ways::all() || (seen.len().is_multiple_of(every) && line.gates <= largest);
        proved += usize::from(proves);
        if let Err(what) = check(line, one, proves) {
            wrong.push(format!("{}: {what}", one.place));
        }
    }
    let cipher =
        |line: &&Solved| CIPHERS.into_iter().find(|name| line.place.starts_with(&format!("{name}/")));
    let is_met = |line: &&Solved| cipher(line).is_none_or(|name| ways::all() || USUAL.contains(&name));
    let stale = table.values().filter(is_met).filter(|line| !seen.contains_key(&line.digest));
    wrong.extend(stale.map(|line| format!("{}: nobody meets this problem", line.place)));
    assert!(wrong.is_empty(), "`make covers` writes the table again:\n{}", wrong.join("\n"));
    assert!(proved > 30, "only {proved} lines were proved");
}

/// What is planted is found: in a line whose cover is that of the search, and in one that has its own.
#[test]
fn a_wrong_line_is_seen() {
    let table = table();
    let circuits: Vec<Met> = machines().into_iter().flat_map(of_circuits).collect();
    let find = |has_ways: bool| {
        let mut pairs =
            circuits.iter().filter_map(|met| Some((met, table.get(&met.covered.problem.digest())?)));
        pairs.find(|(_, line)| line.ways.is_some() == has_ways && line.gates > 20).expect("there is one")
    };
    let (plain, own) = (find(false), find(true));
    let refused = |(met, line): (&Met, &Solved), what: &str, change: &dyn Fn(&mut Solved)| {
        assert_eq!(check(line, met, true), Ok(()), "{}", met.place);
        let mut wrong = line.clone();
        change(&mut wrong);
        let found = check(&wrong, met, true);
        assert!(found.is_err(), "{}: nobody sees {what}", met.place);
    };
    for one in [plain, own] {
        refused(one, "a cost too low", &|line| {
            (line.at_least, line.at_most) = (line.at_least - 1, line.at_most - 1)
        });
        refused(one, "a cost too high", &|line| {
            (line.at_least, line.at_most) = (line.at_least + 1, line.at_most + 1)
        });
        refused(one, "a bound that is not proved", &|line| line.at_least += 1);
        refused(one, "a bound too low", &|line| line.at_least -= 1);
        refused(one, "another problem", &|line| line.digest ^= 1);
    }
    refused(plain, "a cover that the search finds itself", &|line| {
        line.ways = Some(vec![Some(0); line.gates])
    });
    refused(own, "a cover that is missing", &|line| line.ways = None);
    let first = own.1.ways.iter().flatten().position(Option::is_some).expect("something is computed");
    let set =
        |way: Option<usize>| move |line: &mut Solved| line.ways.iter_mut().for_each(|ways| ways[first] = way);
    refused(own, "a way that does not exist", &set(Some(1000)));
    refused(own, "a gate that is not computed", &set(None));
}
