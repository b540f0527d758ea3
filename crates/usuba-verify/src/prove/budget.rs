//! How long a SAT solver may work: in conflicts, so that the same question gets the same answer on every machine.

use batsat::{Callbacks, ClauseKind, Lit};

/// Counts conflicts, and stops at a limit.
pub(super) struct Budget {
    pub(super) conflicts: u64,
    pub(super) most: u64,
}

impl Callbacks for Budget {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.conflicts += 1;
        }
    }

    fn stop(&self) -> bool {
        self.conflicts >= self.most
    }
}
