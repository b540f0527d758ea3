//! Public numbers: constants of the program, lengths that inputs bind and what follows from them, ciphers bound to
//! parameters.
//!
//! A definition with public sizes has an [`Interface`](super::types::Interface) for each [`Scale`] that it is used at; in
//! the interpreter's elaboration lengths are numbers like `nat`s.

use super::types::{MAX_WORD, MAX_WORDS, Numbers, WordType};
use super::{Session, messages, statics};
use crate::ast::{self, BaseType, ConstantValue, Fact, Static, StaticKind};
use crate::source::Span;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a call or the options bind of the public numbers of a definition.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Scale {
    /// The values of its `nat` parameters.
    pub(super) nats: Vec<i64>,
    /// The values of its lengths, in the order in which its inputs mention them.
    pub(super) lengths: Vec<i64>,
    /// What its cipher parameter is: a place in [`ast::Program::ciphers`].
    pub(super) cipher: Option<usize>,
}

/// What the text of a definition says about its lengths.
#[derive(Clone, Debug, Default)]
pub(super) struct Profile<'p> {
    /// The lengths that its inputs bind, each with the place of its first mention.
    pub(super) lengths: Vec<(&'p str, Span)>,
    /// Whether its types or its body depend on its scale beyond the values of `nat` parameters.
    pub(super) sized: bool,
}

/// The names of the `nat` parameters of a definition.
pub(super) fn nat_names(definition: &ast::Definition) -> impl Iterator<Item = &ast::Name> {
    let nats = definition.inputs.iter().filter(|input| input.ty.base == BaseType::Nat);
    nats.flat_map(|input| &input.names)
}

/// The lengths of a definition: names in the dimensions of its inputs that mean nothing else.
pub(super) fn profile<'p>(definition: &'p ast::Definition, constants: &Constants) -> Profile<'p> {
    let mut profile = Profile { lengths: Vec::new(), sized: !definition.facts.is_empty() };
    profile.sized |= definition.cipher.is_some();
    let derived = |name: &str| {
        definition.facts.iter().any(|fact| matches!(fact, Fact::Length(length, _) if length.text == name))
    };
    let is_nat = |name: &str| nat_names(definition).any(|nat| nat.text == name);
    for dimension in definition.inputs.iter().flat_map(|input| &input.ty.dimensions) {
        statics::names(dimension, &mut |name, span| {
            let known = constants.numbers.contains_key(name) || name.contains('.');
            let seen = profile.lengths.iter().any(|(length, _)| *length == name);
            if !known && !seen && !is_nat(name) && !derived(name) {
                profile.lengths.push((name, span));
            }
        });
    }
    let locals = match &definition.bodies {
        ast::Bodies::Node(bodies) => bodies.iter().flat_map(|body| &body.locals).collect(),
        _ => Vec::new(),
    };
    for declaration in definition.inputs.iter().chain(&definition.outputs).chain(locals) {
        for dimension in &declaration.ty.dimensions {
            statics::names(dimension, &mut |name, _| profile.sized |= !constants.numbers.contains_key(name));
        }
    }
    profile
}

/// Why lengths do not follow from the sizes of inputs.
#[derive(Clone, Debug)]
pub(super) enum Unsolved {
    /// The number of words of this input is no multiple of what one step of its length adds.
    Multiple {
        /// The input.
        input: usize,
        /// The length.
        length: String,
        /// What its words come in multiples of.
        step: i64,
    },
    /// Nothing tells this length.
    Open(usize),
}

/// The lengths of a definition from the numbers of words of its inputs (`None` for a `nat`, and where it is not known).
///
/// Every length must stand alone in a dimension of some input whose other dimensions are known.
pub(super) fn solve(
    definition: &ast::Definition,
    profile: &Profile<'_>,
    numbers: &Numbers,
    counts: &[Option<u64>],
) -> Result<Vec<i64>, Unsolved> {
    let mut numbers = numbers.clone();
    let types = definition.inputs.iter().flat_map(|input| input.names.iter().map(|_| &input.ty));
    let inputs: Vec<(usize, &ast::Type, i64)> = types
        .zip(counts)
        .enumerate()
        .filter_map(|(number, (ty, count))| Some((number, ty, i64::try_from((*count)?).ok()?)))
        .collect();
    loop {
        let before = numbers.len();
        derive(definition, &mut numbers);
        for &(input, ty, count) in &inputs {
            let mut step = match &ty.base {
                BaseType::Word { count, .. } => i64::from(count.unwrap_or(1)),
                BaseType::Bits { count, .. } | BaseType::Atoms { count, .. } => i64::from(*count),
                BaseType::Nat | BaseType::Keys(_) => continue,
            };
            let mut open: Vec<&Static> = Vec::new();
            for dimension in &ty.dimensions {
                match statics::evaluate(dimension, &|name| numbers.get(name).copied()) {
                    Ok(value) => step = step.saturating_mul(value),
                    Err(_) => open.push(dimension),
                }
            }
            let [Static { kind: StaticKind::Name(name), .. }] = open.as_slice() else { continue };
            if !profile.lengths.iter().any(|(length, _)| length == name) {
                continue;
            }
            if step < 1 || count % step != 0 {
                return Err(Unsolved::Multiple { input, length: name.clone(), step });
            }
            numbers.insert(name.clone(), count / step);
        }
        if numbers.len() == before {
            break;
        }
    }
    let value = |(number, (name, _)): (usize, &(&str, Span))| {
        numbers.get(*name).copied().ok_or(Unsolved::Open(number))
    };
    profile.lengths.iter().enumerate().map(value).collect()
}

/// Adds the lengths that follow from those known; those that do not yet follow are left out.
fn derive(definition: &ast::Definition, numbers: &mut Numbers) {
    for fact in &definition.facts {
        if let Fact::Length(name, value) = fact
            && let Ok(value) = statics::evaluate(value, &|name| numbers.get(name).copied())
        {
            numbers.insert(name.text.clone(), value);
        }
    }
}

/// The constants of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Constants {
    /// The numbers.
    pub(super) numbers: Numbers,
    /// The others.
    pub(super) words: BTreeMap<String, WordConstant>,
}

/// A constant that is words.
#[derive(Clone, Debug)]
pub(super) struct WordConstant {
    pub(super) dimensions: Vec<u32>,
    /// Bits of each word.
    pub(super) width: u32,
    /// The words, row-major.
    pub(super) values: Rc<Vec<u128>>,
}

/// A cipher as bound to a parameter.
#[derive(Clone, Debug)]
pub(super) struct Cipher {
    /// The definitions of its roles, with what plays them.
    pub(super) roles: Vec<(&'static str, usize)>,
    /// Bytes of a block.
    pub(super) block: i64,
    /// Bytes of a key; 0 if it has no schedule.
    pub(super) key: i64,
    /// The round keys.
    pub(super) keys: WordType,
}

/// What the nodes of a cipher are for.
pub(super) const ROLES: [&str; 3] = ["encrypt", "decrypt", "schedule"];

impl<'p> Session<'p> {
    /// Evaluates the constants of the program, in order.
    pub(super) fn read_constants(&mut self) {
        for constant in &self.program.constants {
            let name = &constant.name;
            let taken = &self.constants;
            if taken.numbers.contains_key(&name.text) || taken.words.contains_key(&name.text) {
                let first = self.program.constants.iter().find(|other| other.name.text == name.text);
                let first = first.map_or(name.span, |first| first.name.span);
                self.report.add(messages::duplicate_constant(name, first));
                continue;
            }
            match &constant.value {
                ConstantValue::Number(value) => {
                    let numbers = &self.constants.numbers;
                    match statics::evaluate(value, &|name| numbers.get(name).copied()) {
                        Ok(value) => {
                            self.constants.numbers.insert(name.text.clone(), value);
                        }
                        Err(error) => self.report.add(messages::static_error(&error)),
                    }
                }
                ConstantValue::Words(ty, list) => {
                    if let Some(words) = self.word_constant(name, ty, list) {
                        self.constants.words.insert(name.text.clone(), words);
                    }
                }
            }
        }
    }

    fn word_constant(&mut self, name: &ast::Name, ty: &ast::Type, list: &ast::List) -> Option<WordConstant> {
        let (width, count) = match &ty.base {
            BaseType::Word { size: ast::Size::Bits(bits), count, .. } => (*bits, count.unwrap_or(1)),
            BaseType::Bits { count, .. } => (1, *count),
            _ => {
                self.report.add(messages::constant_type(ty.span));
                return None;
            }
        };
        let mut dimensions = Vec::new();
        for dimension in &ty.dimensions {
            let numbers = &self.constants.numbers;
            match statics::evaluate(dimension, &|name| numbers.get(name).copied()) {
                Ok(value) => match u32::try_from(value) {
                    Ok(value) if value > 0 => dimensions.push(value),
                    _ => {
                        self.report.add(messages::zero_size(dimension.span));
                        return None;
                    }
                },
                Err(error) => {
                    self.report.add(messages::size_error(&error));
                    return None;
                }
            }
        }
        if count > 1 {
            dimensions.push(count);
        }
        if width == 0 || count == 0 || width > MAX_WORD {
            self.report.add(messages::constant_type(ty.span));
            return None;
        }
        let words = dimensions.iter().fold(1u64, |product, &d| product.saturating_mul(u64::from(d)));
        if words != list.entries.len() as u64 {
            self.report.add(messages::constant_length(name, list.span, words, list.entries.len()));
            return None;
        }
        let mut values = Vec::with_capacity(list.entries.len());
        for entry in &list.entries {
            match u128::try_from(&entry.value).ok().filter(|_| entry.value.bits() <= u64::from(width)) {
                Some(value) => values.push(value),
                None => {
                    self.report.add(messages::constant_too_big(entry, width, entry.span));
                    return None;
                }
            }
        }
        Some(WordConstant { dimensions, width, values: Rc::new(values) })
    }

    /// The lengths of a definition.
    pub(super) fn profile(&mut self, definition: usize) -> Rc<Profile<'p>> {
        if let Some(known) = self.profiles.get(&definition) {
            return known.clone();
        }
        let found = self.program.definitions.get(definition).map(|d| profile(d, &self.constants));
        let found = Rc::new(found.unwrap_or_default());
        self.profiles.insert(definition, found.clone());
        found
    }

    /// The numbers that are known when nothing but `nat`s and the cipher is: what lengths are solved with.
    pub(super) fn known_numbers(
        &mut self,
        definition: &ast::Definition,
        nats: &[i64],
        cipher: Option<usize>,
    ) -> Option<Numbers> {
        let mut numbers = self.constants.numbers.clone();
        numbers.extend(nat_names(definition).map(|name| name.text.clone()).zip(nats.iter().copied()));
        if let (Some(parameter), Some(cipher)) = (&definition.cipher, cipher) {
            let cipher = self.cipher(cipher)?;
            numbers.insert(format!("{}.block", parameter.text), cipher.block);
            numbers.insert(format!("{}.key", parameter.text), cipher.key);
        }
        Some(numbers)
    }

    /// All public numbers of a definition at a scale; `None` if one of them has no value, which has then been reported.
    pub(super) fn numbers(&mut self, definition: usize, scale: &Scale) -> Option<Numbers> {
        let text = self.program.definitions.get(definition)?;
        let mut numbers = self.known_numbers(text, &scale.nats, scale.cipher)?;
        let profile = self.profile(definition);
        let lengths = profile.lengths.iter().map(|(name, _)| (*name).to_string());
        numbers.extend(lengths.zip(scale.lengths.iter().copied()));
        for fact in &text.facts {
            if let Fact::Length(name, value) = fact {
                match statics::evaluate(value, &|name| numbers.get(name).copied()) {
                    Ok(value) => {
                        numbers.insert(name.text.clone(), value);
                    }
                    Err(error) => {
                        self.report.add(messages::size_error(&error));
                        return None;
                    }
                }
            }
        }
        Some(numbers)
    }

    /// Whether the conditions of a definition hold; those that do not are reported.
    pub(super) fn conditions_hold(&mut self, definition: &'p ast::Definition, numbers: &Numbers) -> bool {
        let mut all = true;
        for fact in &definition.facts {
            let Fact::Condition(condition) = fact else { continue };
            match statics::holds(condition, &|name| numbers.get(name).copied()) {
                Ok(true) => {}
                Ok(false) => {
                    all = false;
                    let shown = shown(condition, numbers);
                    self.report.add(messages::condition_violated(condition, &definition.name, &shown));
                }
                Err(error) => {
                    all = false;
                    self.report.add(messages::size_error(&error));
                }
            }
        }
        all
    }

    /// A cipher of the program, its nodes looked up; `None` if it is wrong, which has then been reported.
    pub(super) fn cipher(&mut self, index: usize) -> Option<Rc<Cipher>> {
        if let Some(known) = self.ciphers.get(&index) {
            return known.clone();
        }
        let read = self.program.ciphers.get(index).and_then(|cipher| self.read_cipher(cipher)).map(Rc::new);
        self.ciphers.insert(index, read.clone());
        read
    }

    fn read_cipher(&mut self, written: &'p ast::CipherDefinition) -> Option<Cipher> {
        let mut roles = Vec::new();
        for (role, node) in &written.roles {
            let Some(known) = ROLES.iter().copied().find(|known| *known == role.text) else {
                self.report.add(messages::unknown_role(role));
                return None;
            };
            let Some(&definition) = self.definitions.get(node.text.as_str()) else {
                self.report.add(messages::undeclared_definition(node, None));
                return None;
            };
            roles.push((known, definition));
        }
        let of = |role: &str| roles.iter().find(|(known, _)| *known == role).map(|&(_, index)| index);
        let Some(encrypt) = of("encrypt") else {
            self.report.add(messages::cipher_shape(written, "it has no `encrypt`"));
            return None;
        };
        let block = match self.words_of_node(encrypt)?.as_slice() {
            [block, keys, result] if is_bytes(block) && is_bytes(result) && block.words == result.words => {
                (i64::from(block.words), keys.clone())
            }
            _ => {
                self.report.add(messages::cipher_shape(
                    written,
                    "`encrypt` is no node from a block of bytes and round keys to a block of bytes",
                ));
                return None;
            }
        };
        let key = match of("schedule") {
            None => 0,
            Some(schedule) => match self.words_of_node(schedule)?.as_slice() {
                [key, keys] if is_bytes(key) && keys.words == block.1.words => i64::from(key.words),
                _ => {
                    self.report.add(messages::cipher_shape(
                        written,
                        "`schedule` is no node from a key of bytes to the round keys",
                    ));
                    return None;
                }
            },
        };
        Some(Cipher { roles, block: block.0, key, keys: block.1 })
    }

    /// The inputs and outputs of a node without public sizes.
    fn words_of_node(&mut self, definition: usize) -> Option<Vec<WordType>> {
        let interface = self.interface(definition, &Scale::default())?;
        let declared = interface.inputs.iter().chain(&interface.outputs);
        let words = declared.filter_map(|d| match &d.ty {
            super::types::DeclaredType::Words(ty) => Some(ty.clone()),
            super::types::DeclaredType::Nat => None,
        });
        Some(words.collect())
    }
}

fn is_bytes(ty: &WordType) -> bool {
    ty.size == super::types::SizeTerm::Bits(8) && u64::from(ty.words) <= MAX_WORDS
}

/// `len = 17, n = 2`: the numbers that a condition mentions.
fn shown(condition: &ast::Condition, numbers: &Numbers) -> String {
    let mut found: Vec<(&str, i64)> = Vec::new();
    mentioned(condition, &mut |name| {
        if let Some(&value) = numbers.get(name)
            && !found.iter().any(|(seen, _)| *seen == name)
        {
            found.push((name, value));
        }
    });
    found.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

fn mentioned<'c>(condition: &'c ast::Condition, see: &mut dyn FnMut(&'c str)) {
    match &condition.kind {
        ast::ConditionKind::Compare(_, left, right) => {
            statics::names(left, &mut |name, _| see(name));
            statics::names(right, &mut |name, _| see(name));
        }
        ast::ConditionKind::Among(number, _) => statics::names(number, &mut |name, _| see(name)),
        ast::ConditionKind::And(left, right) | ast::ConditionKind::Or(left, right) => {
            mentioned(left, see);
            mentioned(right, see);
        }
    }
}
