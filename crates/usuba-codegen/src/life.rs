//! Which values of a node are used at all, and until when.
//!
//! A position is the number of an operation in its block; the results of a block are used at the position one past its
//! last operation. A use inside a loop counts, for a value from outside, at the position of the loop.

use usuba_ir::program::{Block, InductionId, Loop, Node, Op, Operation, ValueId};

/// Where the content of an array goes when it is not read any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// Into a value that continues it: a `Set`, a `Splice`, the result of a loop.
    Value(ValueId),
    /// Into a result of the node.
    Output(usize),
    /// Into the next time of the loop, as its carried value of that number.
    Carried(InductionId, usize),
}

/// A value that a loop carries, under its four names.
struct Carried {
    initial: ValueId,
    parameter: ValueId,
    next: ValueId,
    result: ValueId,
}

/// What a loop carries. Lists of unlike lengths are told of where the loop is written.
fn carried<'a>(operation: &'a Operation, inner: &'a Loop) -> impl Iterator<Item = Carried> + 'a {
    let inside = inner.body.parameters.iter().zip(&inner.body.results);
    let outside = inner.initial.iter().zip(&operation.results);
    inside.zip(outside).map(|((&parameter, &next), (&initial, &result))| Carried {
        initial,
        parameter,
        next,
        result,
    })
}

/// Liveness of the values of a node.
pub(crate) struct Life {
    /// Whether the value contributes to a result of the node.
    live: Vec<bool>,
    /// The loop in whose body the value is defined; `None` for the body of the node.
    home: Vec<Option<InductionId>>,
    /// The last position in the home block where it is used.
    last: Vec<usize>,
    /// The last position in the home block of a loop in whose body it is used.
    inside: Vec<Option<usize>>,
    /// The position of the operation that defines it; `None` for parameters.
    defined: Vec<Option<usize>>,
    next: Vec<Option<Next>>,
}

impl Life {
    /// Computes it. Cost: linear in the size of the node for each level of loops whose carried values feed each other.
    pub(crate) fn of(node: &Node) -> Life {
        let count = node.values.len();
        let mut life = Life {
            live: vec![false; count],
            home: vec![None; count],
            last: vec![0; count],
            inside: vec![None; count],
            defined: vec![None; count],
            next: vec![None; count],
        };
        for &result in &node.body.results {
            life.live[result.index()] = true;
        }
        while life.mark(&node.body) {}
        life.homes(&node.body, None);
        life.uses(&node.body, &mut Vec::new(), None);
        for (number, &result) in node.body.results.iter().enumerate().rev() {
            life.use_at(result, &[(None, node.body.operations.len())]);
            life.next[result.index()] = Some(Next::Output(number));
        }
        life
    }

    /// Whether the value contributes to a result of the node.
    pub(crate) fn is_live(&self, value: ValueId) -> bool {
        self.live[value.index()]
    }

    /// Whether an operation has a live result.
    pub(crate) fn is_wanted(&self, results: &[ValueId]) -> bool {
        results.iter().any(|&result| self.is_live(result))
    }

    /// The loop in whose body the value is defined.
    pub(crate) fn home(&self, value: ValueId) -> Option<InductionId> {
        self.home[value.index()]
    }

    /// The last position of use in the home block.
    pub(crate) fn last(&self, value: ValueId) -> usize {
        self.last[value.index()]
    }

    /// The last position in the home block of a loop in whose body the value is used.
    pub(crate) fn inside(&self, value: ValueId) -> Option<usize> {
        self.inside[value.index()]
    }

    /// The position in the home block of the operation that defines the value; `None` for parameters.
    pub(crate) fn defined(&self, value: ValueId) -> Option<usize> {
        self.defined[value.index()]
    }

    /// Where the content of an array goes next.
    pub(crate) fn next(&self, value: ValueId) -> Option<Next> {
        self.next[value.index()]
    }

    fn mark(&mut self, block: &Block) -> bool {
        let mut changed = false;
        let mut set = |live: &mut Vec<bool>, value: ValueId| {
            changed |= !live[value.index()];
            live[value.index()] = true;
        };
        let mut inner_changed = false;
        for operation in block.operations.iter().rev() {
            if let Op::Loop(inner) = &operation.op {
                for Carried { initial, parameter, next, result } in carried(operation, inner) {
                    if self.live[parameter.index()] || self.live[result.index()] {
                        for value in [parameter, next, initial] {
                            set(&mut self.live, value);
                        }
                    }
                }
                if self.is_wanted(&operation.results) {
                    inner_changed |= self.mark(&inner.body);
                }
            } else if self.is_wanted(&operation.results) {
                operation.op.operands(|operand| set(&mut self.live, operand));
            }
        }
        changed | inner_changed
    }

    fn homes(&mut self, block: &Block, home: Option<InductionId>) {
        for &parameter in &block.parameters {
            self.home[parameter.index()] = home;
        }
        for (position, operation) in block.operations.iter().enumerate() {
            for &result in &operation.results {
                self.home[result.index()] = home;
                self.defined[result.index()] = Some(position);
            }
            if let Op::Loop(inner) = &operation.op {
                self.homes(&inner.body, Some(inner.induction));
            }
        }
    }

    fn use_at(&mut self, value: ValueId, open: &[(Option<InductionId>, usize)]) {
        let home = self.home(value);
        if let Some(depth) = open.iter().position(|(block, _)| *block == home) {
            let position = open[depth].1;
            let last = &mut self.last[value.index()];
            *last = (*last).max(position);
            if depth + 1 < open.len() {
                self.inside[value.index()] = Some(position);
            }
        }
    }

    fn uses(
        &mut self,
        block: &Block,
        open: &mut Vec<(Option<InductionId>, usize)>,
        home: Option<InductionId>,
    ) {
        open.push((home, 0));
        for (position, operation) in block.operations.iter().enumerate() {
            if !self.is_wanted(&operation.results) {
                continue;
            }
            if let Some(innermost) = open.last_mut() {
                innermost.1 = position;
            }
            match &operation.op {
                Op::Loop(inner) => {
                    for Carried { initial, parameter, result, .. } in carried(operation, inner) {
                        if self.is_live(parameter) {
                            self.use_at(initial, open);
                            self.next[initial.index()] = Some(Next::Value(result));
                        }
                    }
                    self.uses(&inner.body, open, Some(inner.induction));
                    let end = inner.body.operations.len();
                    open.push((Some(inner.induction), end));
                    for (number, Carried { parameter, next, .. }) in carried(operation, inner).enumerate() {
                        if self.is_live(parameter) {
                            self.use_at(next, open);
                            self.next[next.index()] = Some(Next::Carried(inner.induction, number));
                        }
                    }
                    open.pop();
                }
                op => {
                    op.operands(|operand| self.use_at(operand, open));
                    match op {
                        Op::Set(array, ..) | Op::Splice(array, ..) | Op::Refresh(array) => {
                            self.next[array.index()] = Some(Next::Value(operation.results[0]));
                        }
                        _ => {}
                    }
                }
            }
        }
        open.pop();
    }
}
