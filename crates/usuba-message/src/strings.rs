//! Messages on strings of bytes by name, of any length.

use crate::form::{Message, VariableId};
use crate::interpret::{RunError, Runner};
use crate::number::{Number, Term};
use usuba_lang::ast::BaseType;
use usuba_lang::elaborate::{Options, elaborate};
use usuba_lang::interpret::interpret;

/// Byte strings by name; nothing if the message is refused.
pub type Results = Option<Vec<(String, Vec<u8>)>>;

/// The results for one message. `numbers` are its `nat`s; of a key of the cipher the round keys are made.
///
/// # Errors
/// A name is missing, or the lengths are not what the message is made for; a step has no form.
pub fn run(
    message: &Message,
    numbers: &[(&str, i64)],
    strings: &[(&str, &[u8])],
) -> Result<Results, RunError> {
    let mut lengths: Vec<Option<i64>> = message
        .lengths
        .iter()
        .map(|length| numbers.iter().find(|(name, _)| name == length).map(|&(_, number)| number))
        .collect();
    let mut inputs = Vec::new();
    for &id in &message.inputs {
        let variable = message.variable(id);
        let wrong = || RunError::Input(variable.name.clone());
        let (_, bytes) = strings.iter().find(|(name, _)| *name == variable.name).ok_or_else(wrong)?;
        if let Some((length, element)) = open_length(message, id) {
            let known = lengths.get_mut(length).ok_or_else(wrong)?;
            let size = i64::try_from(bytes.len()).map_err(|_| wrong())?;
            if size % element != 0 || known.is_some_and(|known| known != size / element) {
                return Err(wrong());
            }
            *known = Some(size / element);
        }
        inputs.push(match variable.ty.base {
            BaseType::Keys(_) => round_keys(message, bytes).ok_or_else(wrong)?,
            _ if variable.words.width == 8 => bytes.iter().map(|&byte| byte.into()).collect(),
            _ => return Err(wrong()),
        });
    }
    let missing = message.lengths.iter().zip(&lengths).find(|(_, length)| length.is_none());
    if let Some((name, _)) = missing {
        return Err(RunError::Input(name.clone()));
    }
    let lengths: Vec<i64> = lengths.into_iter().flatten().collect();
    let Some(outputs) = Runner::new(message)?.run(&lengths, &inputs)? else { return Ok(None) };
    let named = message.outputs.iter().zip(outputs).map(|(&id, words)| {
        let variable = message.variable(id);
        let bytes = words.into_iter().map(|word| word as u8).collect();
        (variable.words.width == 8)
            .then(|| (variable.name.clone(), bytes))
            .ok_or_else(|| RunError::Input(variable.name.clone()))
    });
    named.collect::<Result<_, _>>().map(Some)
}

/// The length that an input binds, and the bytes of one element.
fn open_length(message: &Message, input: VariableId) -> Option<(usize, i64)> {
    let variable = message.variable(input);
    let count: &Number = variable.count.as_ref()?;
    let element = i64::from(variable.words.bytes()?);
    match count.terms().collect::<Vec<_>>().as_slice() {
        [(Term::Length(length), 1)] if count.constant() == 0 => Some((*length as usize, element)),
        _ => None,
    }
}

/// The round keys of a key, by the schedule of the cipher.
fn round_keys(message: &Message, key: &[u8]) -> Option<Vec<u128>> {
    let cipher = message.cipher.as_ref()?;
    let written = message.program.ciphers.iter().find(|known| known.name.text == cipher.name)?;
    let (_, node) = written.roles.iter().find(|(role, _)| role.text == "schedule")?;
    if key.len() != cipher.key as usize {
        return None;
    }
    let options = Options { entry: Some(node.text.clone()), keep_tables: true, ..Options::new() };
    let typed = elaborate(&message.program, &options).0?;
    let key = key.iter().map(|&byte| byte.into()).collect();
    interpret(&typed, &[key]).into_iter().next()
}
