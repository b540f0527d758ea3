//! How long searches may take.

/// What code is wanted for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Effort {
    /// To be run.
    Full,
    /// To compare the times of drafts, for all of which searches take as long.
    Draft,
}
