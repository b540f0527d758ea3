//! Which of several circuits for a table a target takes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use usuba_ir::check::check;
use usuba_lower::circuit::Circuit;
use usuba_target::Target;

/// Places by the name of the target and the circuits.
type Places = BTreeMap<(&'static str, Vec<Circuit>), usize>;

/// The place of the circuit that costs least on a target, registers it lacks counted; of equals the first. It is found once:
/// every engine of a cipher asks for the same tables, and each circuit is mapped to the instructions of the target to be priced.
pub(crate) fn cheapest(candidates: &[Circuit], target: &Target) -> usize {
    static KNOWN: Mutex<Places> = Mutex::new(BTreeMap::new());
    // A thread that panicked has left the map whole: places are put into it one by one.
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (target.name, candidates.to_vec());
    if let Some(place) = known().get(&key) {
        return *place;
    }
    let price = |circuit: &Circuit| {
        let program = circuit.program();
        let checked = check(&program).ok()?;
        usuba_codegen::price(checked, target).ok()
    };
    // What has no price here has no code either: that is said when it is generated, if it is chosen.
    let prices = candidates.iter().map(|circuit| price(circuit).unwrap_or(u64::MAX)).enumerate();
    let place = prices.min_by_key(|&(place, price)| (price, place)).map_or(0, |(place, _)| place);
    known().insert(key, place);
    place
}
