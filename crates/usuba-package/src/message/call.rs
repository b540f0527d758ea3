//! How the public functions of a message call its code, and what their headers say.

use usuba_message::form::{Message, Sameness, VariableId};
use usuba_message::in_place::in_place;
use usuba_message::number::{Number, Term};

/// How a public function calls the code of its message.
pub(crate) struct Call {
    /// The types of the parameters.
    pub(crate) types: Vec<&'static str>,
    /// The same of what prepares.
    pub(crate) prepared_types: Vec<&'static str>,
    /// The arguments, in the names that templates have.
    pub(crate) arguments: Vec<String>,
    /// Whether the text may be the output.
    pub(crate) in_place: bool,
    /// Whether the text has whole blocks.
    pub(crate) whole: bool,
    /// What must not hold of sizes that are no lengths of the message.
    pub(crate) sizes: Vec<String>,
}

impl Call {
    /// How the code of a message is called.
    ///
    /// # Errors
    /// A parameter, or a length, that no public function has.
    pub(crate) fn of(message: &Message) -> Result<Call, String> {
        let is_key = |id: &&VariableId| message.variable(**id).sameness == Sameness::Key;
        let keys = message.inputs.iter().filter(is_key).count();
        let mut names: Vec<(VariableId, &'static str, &'static str)> = Vec::new();
        let mut arguments = Vec::new();
        for (number, &id) in message.inputs.iter().chain(&message.outputs).enumerate() {
            let is_output = number >= message.inputs.len();
            let (pointer, bytes) = match (message.variable(id).name.as_str(), is_output) {
                ("key" | "data", false) => ("key", ""),
                ("tweak", false) => ("tweak_key", ""),
                ("iv" | "nonce" | "unit", false) => ("nonce", "nonce_bytes"),
                ("aad", false) => ("ad", "ad_length"),
                ("tag", _) => ("tag", "tag_bytes"),
                ("plain" | "cipher" | "message", false) => ("in", "length"),
                ("plain" | "cipher", true) => ("out", "length"),
                ("customization", false) => ("custom", "custom_length"),
                ("digest", true) => ("out", "out_length"),
                (name, _) => return Err(format!("what is `{name}` to a user?")),
            };
            names.push((id, pointer, bytes));
        }
        for place in 0..message.lengths.len() as u32 {
            let wanted = Number::from(Term::Length(place));
            let found = names.iter().find_map(|&(id, _, bytes)| {
                let all = message.variable(id).bytes()?;
                let element = message.variable(id).words.bytes()?;
                let counted = message.variable(id).count.as_ref() == Some(&wanted);
                match (all == wanted, counted) {
                    (true, _) => Some(bytes.to_owned()),
                    (_, true) => Some(format!("{bytes} / {element}")),
                    _ => None,
                }
            });
            arguments.push(found.ok_or_else(|| {
                let name = message.lengths.get(place as usize).map_or("", String::as_str);
                format!("of what is `{name}` the length?")
            })?);
        }
        let whole = arguments.iter().any(|argument| argument.contains('/'));
        arguments.push("prepared".into());
        arguments.extend(names.iter().map(|(_, pointer, _)| (*pointer).to_owned()));
        let types = std::iter::repeat_n("size_t", message.lengths.len())
            .chain(std::iter::repeat_n("const uint8_t *", 1 + message.inputs.len()))
            .chain(std::iter::repeat_n("uint8_t *", message.outputs.len()));
        let prepared_types = std::iter::repeat_n("const uint8_t *", keys).chain(["uint8_t *"]);
        let named = |id: VariableId| names.iter().find(|(known, ..)| *known == id).map(|(_, name, _)| *name);
        let is_text = |&(one, other): &(VariableId, VariableId)| {
            (named(one), named(other)) == (Some("in"), Some("out"))
        };
        let size = |&(id, _, bytes): &(VariableId, &str, &'static str)| {
            let wanted = message.variable(id).bytes()?.as_constant()?;
            let is_given =
                ["nonce_bytes", "tag_bytes"].contains(&bytes) && message.variable(id).count.is_none();
            is_given.then(|| format!("{bytes} != {wanted}"))
        };
        let sizes = names.iter().filter_map(size).collect();
        Ok(Call {
            sizes,
            types: types.collect(),
            prepared_types: prepared_types.collect(),
            arguments,
            in_place: in_place(message).iter().any(is_text),
            whole,
        })
    }
}

/// The names of the parameters of a function in C, from its declaration.
pub(crate) fn parameters(declaration: &str) -> impl Iterator<Item = &str> {
    let all = declaration.split_once('(').map_or("", |(_, all)| all).trim_end_matches(')');
    all.split(", ").filter_map(|one| one.rsplit([' ', '*']).next())
}

/// Sentences as lines of a comment, wherever their lines ended.
pub(crate) fn folded(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last().map_or(0, String::len);
        match lines.last_mut() {
            Some(line) if last + word.len() < 115 => {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n * ")
}
