//! Block ciphers that are rounds of AES, for targets that have these as instructions.
//!
//! Which they are is proved (`usuba_algebra::aes`), whatever nodes the cipher calls and however it groups what a round does.

use super::used;
use crate::sliced::{Definition, Expression, ExpressionKind, InstanceId, LogicOp, Slot, VariableId};
use usuba_algebra::aes::{AesInstruction, AesRounds, KeySource, RoundKey, aes};
use usuba_algebra::layers::{Places, layers};
use usuba_ir::aes::Round;
use usuba_lang::source::Span;
use usuba_lang::typed::{self, Body};

/// Bytes of a block.
const BLOCK: u32 = 16;

/// The rounds that an instance from a block and round keys to a block is; `None` if it is something else, or a round key is not
/// 16 bytes of the round keys, as they are or through `InvMixColumns`.
pub(super) fn of(program: &typed::Program, id: InstanceId) -> Option<AesRounds> {
    let instance = program.instance(id);
    let bytes = |id: typed::VariableId| {
        let variable = instance.variable(id);
        (variable.width == 8).then(|| variable.atoms())
    };
    let (&[block, keys], &[result]) = (instance.inputs.as_slice(), instance.outputs.as_slice()) else {
        return None;
    };
    let blocks = bytes(block) == Some(BLOCK) && bytes(result) == Some(BLOCK);
    if !blocks || bytes(keys)? % BLOCK != 0 || !has_tables(program, id) {
        return None;
    }
    let rounds = aes(&layers(program, id, &Places::big(program, id)).ok()?).ok()?;
    let keys = rounds.rounds.iter().map(|round| &round.key).chain([&rounds.first]);
    let known = keys.into_iter().all(|key| group(key).is_some());
    known.then_some(rounds)
}

/// Whether an instance or one before it, which are all that it may call, is a table.
fn has_tables(program: &typed::Program, id: InstanceId) -> bool {
    let up_to = program.instances().iter().take(id.0 as usize + 1);
    up_to.into_iter().any(|one| matches!(one.body, Body::Table(_)))
}

/// The number of the group of 16 bytes that a round key is, and whether it goes through `InvMixColumns`.
fn group(key: &RoundKey) -> Option<(u32, bool)> {
    if !key.constant.is_zero() {
        return None;
    }
    let (first, inverse) = match key.source()? {
        KeySource::AsIs(first) => (first, false),
        KeySource::InverseMixColumns(first) => (first, true),
    };
    let bits = 8 * BLOCK as usize;
    first.is_multiple_of(bits).then_some(((first / bits) as u32, inverse))
}

/// The result of the rounds, of the variables of the block and of the round keys in groups.
pub(super) fn expression(
    rounds: &AesRounds,
    block: VariableId,
    keys: VariableId,
    span: Span,
) -> Option<Expression> {
    let at = |kind| Expression { kind, span };
    let atom =
        |variable, atom| at(ExpressionKind::Atoms(vec![used(Slot { variable, atom }, Definition::Input)]));
    let key = |key: &RoundKey| {
        let (number, inverse) = group(key)?;
        let as_is = atom(keys, number);
        Some(Box::new(if inverse { at(ExpressionKind::InverseMixColumns(Box::new(as_is))) } else { as_is }))
    };
    let first = key(&rounds.first)?;
    let mut state = at(ExpressionKind::Logic(LogicOp::Xor, Box::new(atom(block, 0)), first));
    for round in &rounds.rounds {
        let key = key(&round.key)?;
        let kind = match round.instruction {
            AesInstruction::Encrypt => Round::Encrypt,
            AesInstruction::EncryptLast => Round::EncryptLast,
            AesInstruction::Decrypt => Round::Decrypt,
            AesInstruction::DecryptLast => Round::DecryptLast,
        };
        state = at(ExpressionKind::Round { round: kind, state: Box::new(state), key });
    }
    Some(state)
}
