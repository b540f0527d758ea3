//! How long a SAT solver may work: in conflicts, so that the same question gets the same answer on every machine.

use batsat::{Callbacks, ClauseKind, Lit};

/// Counts conflicts, and stops at the budget.
pub(crate) struct Budget {
    conflicts: u64,
    most: u64,
}

impl Budget {
    /// At most so many conflicts, over all questions to one solver.
    pub(crate) fn of(most: u64) -> Budget {
        Budget { conflicts: 0, most }
    }

    /// Stops after so many more conflicts, if not earlier. What is given back is the budget for [`Budget::resume`].
    pub(crate) fn pause(&mut self, more: u64) -> u64 {
        let most = self.most;
        self.most = most.min(self.conflicts.saturating_add(more));
        most
    }

    /// Goes on with the whole budget.
    pub(crate) fn resume(&mut self, most: u64) {
        self.most = most;
    }
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
