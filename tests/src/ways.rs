//! How much a run of the tests tries: samples (`make test`), or all there is (`make test-long`).

/// Whether everything is tried that there is, as `USUBA_WAYS=all` asks.
pub fn all() -> bool {
    std::env::var("USUBA_WAYS").is_ok_and(|value| value == "all")
}

/// Whether a subject has its turn among so many in a normal run. Subjects that follow each other, such as sealing and opening, have
/// turns that differ from pair to pair, so that none of two is always tried where the other is not.
pub fn has_turn(subject: usize, turn: usize, turns: usize) -> bool {
    all() || (subject + subject / turns + turn).is_multiple_of(turns)
}
