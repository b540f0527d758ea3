//! A cipher cut behind its first round.

use std::collections::{BTreeMap, BTreeSet};
use usuba_ir::aes::Round;
use usuba_ir::block::BlockOp;
use usuba_ir::program::{Affine, BinaryOp, Node, Op, Operation, ValueId};

/// A node that does a cipher, of blocks and round keys, in two: what is done of one block up to the first round, and what is done from
/// there on. `None`: its blocks go another way.
pub(crate) fn cut(node: &Node) -> Option<[Node; 2]> {
    let [blocks, keys] = node.body.parameters[..] else { return None };
    let (mut of_key, mut plain, mut whitened) = (BTreeSet::new(), BTreeMap::new(), BTreeMap::new());
    let mut first: BTreeMap<i64, ValueId> = BTreeMap::new();
    let count = node.inputs.first()?.ty.len;
    if count.is_none() {
        plain.insert(blocks, 0);
    }
    let mut before = Vec::new();
    let mut behind = Vec::new();
    for operation in &node.body.operations {
        let [result] = operation.results[..] else { return None };
        match &operation.op {
            Op::Get(array, at) if *array == keys && at.terms.is_empty() => {
                of_key.insert(result);
                before.push(operation.clone());
                behind.push(operation.clone());
                continue;
            }
            Op::Get(array, at) if *array == blocks && at.terms.is_empty() => {
                plain.insert(result, at.constant);
            }
            Op::Binary(BinaryOp::Xor, a, b) if plain.contains_key(a) && of_key.contains(b) => {
                whitened.insert(result, plain[a]);
            }
            Op::Binary(BinaryOp::Xor, a, b) if plain.contains_key(b) && of_key.contains(a) => {
                whitened.insert(result, plain[b]);
            }
            Op::Block(BlockOp::Aes(Round::Encrypt), state, key)
                if whitened.contains_key(state) && of_key.contains(key) =>
            {
                first.insert(whitened[state], result);
                if count.is_some() {
                    let get = Op::Get(blocks, Affine::constant(whitened[state]));
                    behind.push(Operation { results: vec![result], op: get });
                }
            }
            other => {
                let mut strays = false;
                other.operands(|value| {
                    strays |= value == blocks || plain.contains_key(&value) || whitened.contains_key(&value);
                });
                if strays {
                    return None;
                }
                behind.push(operation.clone());
                continue;
            }
        }
        before.push(operation.clone());
    }
    let is_all = (0..i64::from(count.unwrap_or(1))).all(|number| first.contains_key(&number));
    let is_left = |value: &ValueId| plain.contains_key(value) || whitened.contains_key(value);
    if !is_all || first.len() != plain.len() || node.body.results.iter().any(is_left) {
        return None;
    }
    let made = *first.get(&0)?;
    let (mut head, mut rest) = (node.clone(), node.clone());
    head.name += "'first";
    head.body.operations = before;
    head.body.results = vec![made];
    rest.name += "'rest";
    rest.body.operations = behind;
    if count.is_none() {
        rest.body.parameters[0] = made;
    }
    let mut parts = [head, rest];
    parts.iter_mut().for_each(Node::renumber);
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::BLOCK as BLOCK_TYPE;
    use usuba_ir::builder::NodeBuilder;
    use usuba_ir::layout::Layout;
    use usuba_ir::program::{Parameter, Type};

    /// Two rounds of one block, with something else between the round keys and the first round, and added at the end.
    fn node(before: impl Fn(&mut NodeBuilder, ValueId, ValueId) -> ValueId, feeds_forward: bool) -> Node {
        let mut node = NodeBuilder::new("Cipher");
        let input = |node: &mut NodeBuilder, name: &str, ty: Type| {
            node.input(Parameter {
                name: name.into(),
                ty,
                shape: ty.len.into_iter().collect(),
                uniform: false,
            })
        };
        let block = input(&mut node, "block", BLOCK_TYPE);
        let keys = input(&mut node, "keys", Type::array(Layout::BLOCK, 3));
        let keys = [0, 1, 2].map(|number| node.get(keys, Affine::constant(number)));
        let whitened = before(&mut node, block, keys[0]);
        let first = node.block_of(BlockOp::Aes(Round::Encrypt), whitened, keys[1]);
        let mut made = node.block_of(BlockOp::Aes(Round::EncryptLast), first, keys[2]);
        if feeds_forward {
            made = node.binary(BinaryOp::Xor, made, block);
        }
        let result = Parameter { name: "made".into(), ty: BLOCK_TYPE, shape: Vec::new(), uniform: false };
        node.output(result, made);
        node.finish()
    }

    #[test]
    fn a_cipher_is_cut_behind_its_first_round() {
        let xor = |node: &mut NodeBuilder, a, b| node.binary(BinaryOp::Xor, a, b);
        let [first, rest] = cut(&node(xor, false)).expect("it has a first round");
        let rounds = |node: &Node| {
            let is_round = |operation: &&Operation| matches!(operation.op, Op::Block(BlockOp::Aes(_), ..));
            node.body.operations.iter().filter(is_round).count()
        };
        assert_eq!([rounds(&first), rounds(&rest)], [1, 1]);
        for part in [first, rest] {
            let program = usuba_ir::program::Program { files: Vec::new(), nodes: vec![part], interleave: 1 };
            let flaws = usuba_ir::check::check(&program).err().unwrap_or_default();
            assert!(flaws.is_empty(), "{flaws:?}");
        }
    }

    #[test]
    fn what_goes_another_way_is_not_cut() {
        let xor = |node: &mut NodeBuilder, a, b| node.binary(BinaryOp::Xor, a, b);
        let and = |node: &mut NodeBuilder, a, b| node.binary(BinaryOp::And, a, b);
        let sum = |node: &mut NodeBuilder, a, b| node.block_of(BlockOp::AddWords(64), a, b);
        let twice = |node: &mut NodeBuilder, a, b| {
            let once = node.binary(BinaryOp::Xor, a, b);
            node.block_of(BlockOp::Aes(Round::Decrypt), once, b)
        };
        assert!(cut(&node(xor, true)).is_none(), "the block is added at the end");
        assert!(cut(&node(and, false)).is_none());
        assert!(cut(&node(sum, false)).is_none(), "carries");
        assert!(cut(&node(twice, false)).is_none(), "another round before it");
    }
}
