//! What a loop over positions does, as actions on numbered blocks.

use crate::affine::Map;
use crate::node::Blocks;
use crate::place::Places;
use crate::step;
use std::collections::BTreeSet;
use std::rc::Rc;
use usuba_ir::program::BinaryOp;

/// What a loop is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Given {
    /// Sixteen bytes for each position, one after the other.
    Each,
    /// Sixteen bytes that are the same for all positions.
    Same,
    /// A little-endian number of 64 bits, in sixteen bytes: that of the first position, from which it goes up by one.
    Number,
    /// Round keys, in rows of sixteen bytes.
    Keys(u32),
    /// Sixteen bytes that go from one position to the next, and are there after the last.
    Carried,
    /// Sixteen bytes that go through this linear map from one position to the next, and are there after the last.
    Orbit(Map),
    /// Sixteen bytes for each turn, the same for all of its positions. A turn is as many positions as are computed at once.
    Turn,
    /// Sixteen bytes for each position of a turn, the same in all turns.
    Pattern,
    /// Sixteen bytes of a table, by the number of zeros at the end of the position's number. No function takes that.
    Chosen,
}

/// A number of a block in a [`Plan`]: what it is given, then what the actions make, in order.
pub type Slot = usize;

/// What is done for a position.
#[derive(Clone, Debug)]
pub enum Action {
    /// A step, of blocks and where the bits of its inputs lie in them; it makes the blocks of its outputs.
    Step(Rc<step::Step>, Vec<(Slot, Places)>),
    /// An operation on two blocks.
    Binary(BinaryOp, Slot, Slot),
    /// The complement.
    Not(Slot),
    /// The first, but the second in the last position of a turn.
    Last(Slot, Slot),
}

/// What a loop does for each position, or a step by itself.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What it is given, in order.
    pub given: Vec<Given>,
    /// What is done, in order.
    pub actions: Vec<Action>,
    /// The blocks that it makes for each position, in order.
    pub results: Vec<Slot>,
    /// What each [`Given::Carried`] is in the next position, in order.
    pub next: Vec<Slot>,
    /// Blocks of all positions that are added up, in order.
    pub sums: Vec<Slot>,
}

impl Plan {
    /// Whether it is of whole turns alone.
    pub(crate) fn is_of_turns(&self) -> bool {
        self.given.iter().any(|given| matches!(given, Given::Turn | Given::Pattern))
    }

    /// Whether the last position of a turn is another one.
    pub(crate) fn tells_last(&self) -> bool {
        self.actions.iter().any(|action| matches!(action, Action::Last(..)))
    }

    /// The nodes of the cipher that it calls.
    pub(crate) fn ciphers(&self) -> BTreeSet<String> {
        let steps = self.actions.iter().filter_map(|action| match action {
            Action::Step(step, _) => Some(step),
            _ => None,
        });
        let node = |value: &step::Value| match value {
            step::Value::Cipher { node, .. } => Some(node.clone()),
            _ => None,
        };
        steps.flat_map(|step| &step.values).filter_map(node).collect()
    }

    /// The results, then what is carried and what is added up, among the blocks of all slots.
    pub(crate) fn made(&self, slots: &[Option<Blocks>]) -> Result<Vec<Blocks>, Refusal> {
        let block = |slot: &Slot| slots.get(*slot).cloned().flatten();
        let all =
            self.results.iter().chain(&self.next).chain(&self.sums).map(block).collect::<Option<Vec<_>>>();
        all.ok_or_else(|| Refusal::new("a result that is no block"))
    }
}

/// Why there is no code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal(pub String);

impl Refusal {
    pub(crate) fn new(why: impl Into<String>) -> Refusal {
        Refusal(why.into())
    }
}
