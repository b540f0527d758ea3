//! Messages: a program on byte strings, whose lengths follow from them.
//!
//! The entry takes bytes (`u8[len]`), and the round keys of its cipher parameter, for which a key is given; it returns
//! bytes. A program is elaborated once for each list of lengths, and a schedule once.

use crate::ast::{BaseType, Definition, Program};
use crate::diagnostic::Diagnostic;
use crate::elaborate::{self, Options};
use crate::interpret::Interpreter;
use crate::typed;
use std::collections::BTreeMap;
use std::fmt;

/// Byte strings by name.
pub type Strings = Vec<(String, Vec<u8>)>;

/// Why a message cannot be computed.
#[derive(Clone, Debug)]
pub enum MessageError {
    /// What the front end has to say.
    Program(Vec<Diagnostic>),
    /// The inputs do not fit the entry.
    Inputs(String),
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageError::Program(diagnostics) => {
                let error = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
                let notes = error.map(|error| error.related.iter().map(|(_, text)| text.as_str()).collect());
                let notes: Vec<&str> = notes.unwrap_or_default();
                write!(f, "{} ({})", error.map_or("", |error| error.message.as_str()), notes.join("; "))
            }
            MessageError::Inputs(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for MessageError {}

/// A program with the numbers that its entry was elaborated for.
struct Ready {
    numbers: Vec<u64>,
    inputs: Vec<Shape>,
    outputs: Vec<Shape>,
    interpreter: Interpreter,
}

/// A parameter of an elaborated node.
struct Shape {
    name: String,
    width: u32,
    atoms: usize,
}

/// A node of a program, ready for messages of any lengths.
pub struct Message<'p> {
    program: &'p Program,
    entry: &'p Definition,
    cipher: Option<&'p str>,
    /// The programs elaborated last, the youngest first.
    ready: Vec<Ready>,
    schedule: Option<Ready>,
    /// Round keys by key.
    keys: BTreeMap<Vec<u8>, Vec<u128>>,
}

/// How many elaborated programs are kept.
const KEPT: usize = 8;

impl<'p> Message<'p> {
    /// The node named `entry`, its cipher parameter, if it has one, being the cipher named `cipher` of the program.
    ///
    /// # Errors
    /// The program has no such node.
    pub fn new(
        program: &'p Program,
        entry: &str,
        cipher: Option<&'p str>,
    ) -> Result<Message<'p>, MessageError> {
        let found = program.definitions.iter().find(|definition| definition.name.text == entry);
        let entry =
            found.ok_or_else(|| MessageError::Inputs(format!("the program has no node `{entry}`")))?;
        let cipher = cipher.filter(|_| entry.cipher.is_some());
        Ok(Message { program, entry, cipher, ready: Vec::new(), schedule: None, keys: BTreeMap::new() })
    }

    /// The names of the numbers that the node takes: its `nat` parameters.
    pub fn numbers(&self) -> Vec<&'p str> {
        let nats = self.entry.inputs.iter().filter(|input| input.ty.base == BaseType::Nat);
        nats.flat_map(|input| &input.names).map(|name| name.text.as_str()).collect()
    }

    /// The names of the byte strings that the node takes.
    pub fn strings(&self) -> Vec<&'p str> {
        let inputs = self.entry.inputs.iter().filter(|input| input.ty.base != BaseType::Nat);
        inputs.flat_map(|input| &input.names).map(|name| name.text.as_str()).collect()
    }

    /// Whether a string is a key, of which the node takes the round keys.
    pub fn is_key(&self, name: &str) -> bool {
        let inputs = self.entry.inputs.iter().filter(|input| matches!(input.ty.base, BaseType::Keys(_)));
        inputs.flat_map(|input| &input.names).any(|input| input.text == name)
    }

    /// The results for one message; `None` if it is refused.
    ///
    /// # Errors
    /// A name is unknown, missing, or twice there; the lengths are not what the node is made for; the node does not work
    /// on bytes.
    pub fn run(
        &mut self,
        numbers: &[(&str, i64)],
        strings: &[(&str, &[u8])],
    ) -> Result<Option<Strings>, MessageError> {
        let entry = self.entry.name.text.as_str();
        let known = |name: &str| self.strings().contains(&name);
        if let Some((name, _)) = strings.iter().find(|(name, _)| !known(name)) {
            return Err(MessageError::Inputs(format!("`{entry}` has no input `{name}`")));
        }
        let mut values: Vec<(&str, &[u8])> = Vec::new();
        for name in self.strings() {
            let mut given = strings.iter().filter(|(given, _)| *given == name);
            match (given.next(), given.next()) {
                (Some(&(_, bytes)), None) => values.push((name, bytes)),
                (None, _) => {
                    return Err(MessageError::Inputs(format!("`{entry}` needs the input `{name}`")));
                }
                _ => return Err(MessageError::Inputs(format!("the input `{name}` is given twice"))),
            }
        }
        let place = self.elaborated(numbers, &values)?;
        let mut inputs = Vec::with_capacity(values.len());
        for (position, &(name, bytes)) in values.iter().enumerate() {
            let words = if self.is_key(name) {
                self.round_keys(bytes)?
            } else {
                let shape = self.ready.get(place).and_then(|ready| ready.inputs.get(position));
                bytes_as_atoms(shape, bytes)?
            };
            inputs.push(words);
        }
        let Some(ready) = self.ready.get_mut(place) else { return Ok(None) };
        let Some(results) = ready.interpreter.open(&inputs) else { return Ok(None) };
        let strings = ready.outputs.iter().zip(results).map(|(shape, atoms)| {
            if shape.width != 8 {
                let name = &shape.name;
                return Err(MessageError::Inputs(format!("the output `{name}` of `{entry}` is no bytes")));
            }
            Ok((shape.name.clone(), atoms.into_iter().map(|atom| atom as u8).collect()))
        });
        strings.collect::<Result<Strings, _>>().map(Some)
    }

    /// The place among those kept of the program elaborated for these numbers and sizes.
    fn elaborated(
        &mut self,
        numbers: &[(&str, i64)],
        strings: &[(&str, &[u8])],
    ) -> Result<usize, MessageError> {
        let sizes = strings.iter().filter(|(name, _)| !self.is_key(name));
        let sizes: Vec<(String, u64)> =
            sizes.map(|(name, bytes)| ((*name).to_string(), bytes.len() as u64)).collect();
        let mut key: Vec<u64> = sizes.iter().map(|(_, size)| *size).collect();
        key.extend(numbers.iter().map(|(_, number)| *number as u64));
        if let Some(place) = self.ready.iter().position(|ready| ready.numbers == key) {
            return Ok(place);
        }
        let options = Options {
            entry: Some(self.entry.name.text.clone()),
            nats: numbers.iter().map(|(name, number)| ((*name).to_string(), *number)).collect(),
            words: sizes,
            cipher: self.cipher.map(str::to_string),
            keep_tables: true,
            ..Options::new()
        };
        let ready = elaborated(self.program, &options, key)?;
        self.ready.truncate(KEPT - 1);
        self.ready.insert(0, ready);
        Ok(0)
    }

    /// The words of the round keys of a key.
    fn round_keys(&mut self, key: &[u8]) -> Result<Vec<u128>, MessageError> {
        if let Some(known) = self.keys.get(key) {
            return Ok(known.clone());
        }
        if self.schedule.is_none() {
            let cipher =
                self.program.ciphers.iter().find(|cipher| Some(cipher.name.text.as_str()) == self.cipher);
            let role =
                cipher.and_then(|cipher| cipher.roles.iter().find(|(role, _)| role.text == "schedule"));
            let (_, node) = role.ok_or_else(|| MessageError::Inputs("the cipher has no schedule".into()))?;
            let entry = Some(node.text.clone());
            let options = Options { entry, keep_tables: true, ..Options::new() };
            self.schedule = Some(elaborated(self.program, &options, Vec::new())?);
        }
        let Some(schedule) = &mut self.schedule else { return Ok(Vec::new()) };
        let shape = schedule.inputs.first();
        if let Some(shape) = shape.filter(|shape| shape.atoms != key.len()) {
            let (wanted, given) = (shape.atoms, key.len());
            return Err(MessageError::Inputs(format!(
                "a key of this cipher has {wanted} bytes, not {given}"
            )));
        }
        let atoms = bytes_as_atoms(shape, key)?;
        let words = schedule.interpreter.run(&[atoms]).into_iter().next().unwrap_or_default();
        self.keys.insert(key.to_vec(), words.clone());
        Ok(words)
    }
}

fn bytes_as_atoms(shape: Option<&Shape>, bytes: &[u8]) -> Result<Vec<u128>, MessageError> {
    let Some(shape) = shape else { return Ok(Vec::new()) };
    let name = &shape.name;
    if shape.width != 8 {
        return Err(MessageError::Inputs(format!("the input `{name}` is no bytes")));
    }
    if shape.atoms != bytes.len() {
        let (wanted, given) = (shape.atoms, bytes.len());
        return Err(MessageError::Inputs(format!("the input `{name}` has {wanted} bytes, not {given}")));
    }
    Ok(bytes.iter().map(|&byte| byte.into()).collect())
}

fn elaborated(program: &Program, options: &Options, numbers: Vec<u64>) -> Result<Ready, MessageError> {
    let (typed, diagnostics) = elaborate::elaborate(program, options);
    let typed = typed.ok_or(MessageError::Program(diagnostics))?;
    let entry = typed.instance(typed.entry);
    let shapes = |ids: &[typed::VariableId]| {
        let shape = |&id: &typed::VariableId| {
            let variable = entry.variable(id);
            Shape { name: variable.name.clone(), width: variable.width, atoms: variable.atoms() as usize }
        };
        ids.iter().map(shape).collect()
    };
    let (inputs, outputs) = (shapes(&entry.inputs), shapes(&entry.outputs));
    Ok(Ready { numbers, inputs, outputs, interpreter: Interpreter::new(&typed) })
}
