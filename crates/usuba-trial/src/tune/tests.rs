use super::*;
use crate::run::Family;

fn space() -> Space {
    Space::new(&[Slicing::B, Slicing::H])
}

/// What a variant takes in a world where assembly, `h`, kept loops, and kept loops together with full inlining are good.
fn ratio(variant: &Variant) -> f64 {
    let is = |name: &str, value: &str| variant.value(name) == Some(value);
    let mut ratio = if variant.slicing() == Slicing::H { 1.0 } else { 1.2 };
    if variant.backend() == Backend::Assembly {
        ratio *= 0.95;
    }
    if is("loops", "keep") {
        ratio *= if is("inline", "all") { 0.8 } else { 1.01 };
    } else if is("inline", "all") {
        ratio *= 1.02;
    }
    ratio
}

fn searched(most: usize) -> (Search, Vec<Variant>) {
    let mut search = Search::new(space());
    let mut order = Vec::new();
    loop {
        let next = search.next(most);
        if next.is_empty() {
            return (search, order);
        }
        for variant in next {
            order.push(variant);
            let ratio = ratio(&variant);
            search.tell(variant, Verdict::Measured { cost: 2.0 * ratio, ratio });
        }
    }
}

#[test]
fn a_search_finds_what_only_two_changes_together_give() {
    let (search, order) = searched(4);
    let best = search.ranking()[0].0;
    assert_eq!(best.value("loops"), Some("keep"));
    assert_eq!(best.value("inline"), Some("all"));
    assert_eq!((best.slicing(), best.backend()), (Slicing::H, Backend::Assembly));
    assert_eq!(search.least_cost(), Some(2.0 * ratio(&best)));
    assert!(order.len() < crate::variant::all(&space().slicings).len(), "not everything is tried");
    assert_eq!(order[0], Variant::new(Slicing::B).through(Backend::Assembly));
}

#[test]
fn a_search_is_always_the_same_and_asks_nothing_twice() {
    let (_, order) = searched(4);
    assert_eq!(order, searched(4).1);
    let mut sorted = order.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted.len(), order.len());
}

#[test]
fn a_search_goes_on_from_what_is_known() {
    let (_, order) = searched(1);
    let mut search = Search::new(space());
    for &variant in &order[..order.len() / 2] {
        let ratio = ratio(&variant);
        search.tell(variant, Verdict::Measured { cost: ratio, ratio });
    }
    assert_eq!(search.next(1), [order[order.len() / 2]]);
}

#[test]
fn a_space_can_be_narrowed() {
    let mut space = space();
    let compiler = crate::variant::knob("compiler").unwrap();
    space.values[compiler] = vec![1];
    let search = Search::new(space);
    assert!(search.next(100).iter().all(|variant| variant.compiler() == Family::Clang));
    assert_eq!(search.next(100).len(), 4);
}
