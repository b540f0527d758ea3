//! From the syntax tree to the typed program: names, types, static expressions, loops, assignment.
//!
//! Elaboration is monomorphic, and unrolls every loop. Starting from the entry, every definition is elaborated once for every
//! binding of its parameters (a `Key`); loops are enumerated, static expressions evaluated, references flattened to
//! atoms. A call needs only the interface of the callee, so callees are put into a queue instead of being
//! elaborated by recursion: chains of calls may be as long as a program.
//!
//! Rooms: `names` (declared, used), `spelling` (what was meant), `signature` and `types` (declarations), `unify` (sizes and directions),
//! `statics`, `node` (equations and loops), `selection`, `expression`, `constants`, `call`,
//! `assignment` (which definition a use denotes), `tables` (tables and permutations), `numbering` (callees
//! first), `report` and `messages`.

mod assignment;
mod call;
mod cast;
mod choice;
mod constants;
mod expression;
mod messages;
mod names;
mod node;
mod numbering;
mod public;
mod report;
mod sample;
mod selection;
mod signature;
mod spelling;
mod statics;
mod tables;
mod types;
mod unify;

use crate::ast::{self, AttributeKind, Bodies};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::typed;
use indexmap::IndexMap;
use public::{Cipher, Constants, Profile, Scale};
use report::Report;
pub use statics::of_expression as static_expression;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use types::{Direction, Interface};

/// How much all instances together may mention: one for every atom, and [`ASSIGNMENT`] for every assignment, which
/// together keeps the typed program within some hundred bytes for each.
const BUDGET: u64 = 4_000_000;

/// The code of the warning about a table from a word to a word, which has a meaning but not always code.
pub const TABLE_OF_WORDS: &str = "W-table-lookup";

/// What an assignment or an iteration of a loop costs beyond its atoms.
const ASSIGNMENT: usize = 4;

/// What to elaborate, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The entry: the name of a definition, with its element if it is an array (`S<3>`). The last definition if `None`.
    pub entry: Option<String>,
    /// The element, if the entry is an array and its name does not say.
    pub element: Option<u32>,
    /// Words or bits.
    pub atoms: typed::Atoms,
    /// The value of the entry's implicit direction.
    pub direction: Option<typed::Direction>,
    /// The value of the entry's implicit word size, in bits.
    pub word: Option<u32>,
    /// Values of the entry's `nat` parameters and lengths by name.
    pub nats: Vec<(String, i64)>,
    /// Numbers of words of inputs of the entry by name: what lengths without a value follow from.
    pub words: Vec<(String, u64)>,
    /// The cipher of the program that the entry's cipher parameter is.
    pub cipher: Option<String>,
    /// Whether warnings about what is accepted only for compatibility are errors.
    pub strict: bool,
    /// Whether arithmetic is allowed in [`typed::Atoms::Bits`].
    pub bitslice_arithmetic: bool,
    /// Whether a table from a word to a word may stand in [`typed::Atoms::Words`]: it can be evaluated, not compiled.
    pub keep_tables: bool,
}

impl Options {
    /// The last definition, in words, with nothing bound and nothing special allowed.
    pub fn new() -> Options {
        Options {
            entry: None,
            element: None,
            atoms: typed::Atoms::Words,
            direction: None,
            word: None,
            nats: Vec::new(),
            words: Vec::new(),
            cipher: None,
            strict: false,
            bitslice_arithmetic: false,
            keep_tables: false,
        }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::new()
    }
}

/// Elaborates the entry and everything it reaches.
///
/// Returns the typed program, or `None` if and only if one of the diagnostics is an error, or the parser has reported
/// one about a part that is needed. Definitions that the entry
/// does not reach are not looked at, but for their names.
pub fn elaborate(program: &ast::Program, options: &Options) -> (Option<typed::Program>, Vec<Diagnostic>) {
    let mut session = Session::new(program, options, false);
    names::check_definitions(program, &session.definitions, &mut session.report);
    let typed = session.run(options);
    let failed = session.report.has_errors() || typed.is_none();
    let skipped = session.report.has_skipped();
    let mut diagnostics = session.report.into_diagnostics();
    if failed && !skipped && !diagnostics.iter().any(Diagnostic::is_error) {
        diagnostics.push(messages::unexplained());
    }
    (typed.filter(|_| !failed), diagnostics)
}

/// Checks every definition, polymorphic ones too, in [`typed::Atoms::Words`].
///
/// Sizes that a definition leaves to its callers stay open while it is checked. A node with `nat` parameters is checked
/// for its names, and altogether for each list of values that a caller passes. A node with public lengths is checked at
/// some small lengths, its cipher parameter being a cipher that is not in the program. If nothing is wrong by then,
/// definitions that leave nothing open are also elaborated with all their callees, as entries.
pub fn check(program: &ast::Program, strict: bool) -> Vec<Diagnostic> {
    check_in(program, typed::Atoms::Words, strict)
}

/// The same in words or in bits.
pub fn check_in(program: &ast::Program, atoms: typed::Atoms, strict: bool) -> Vec<Diagnostic> {
    let options = Options { strict, atoms, keep_tables: true, ..Options::new() };
    let extended = sample::with_cipher(program);
    let program = extended.as_ref().unwrap_or(program);
    let mut session = Session::new(program, &options, true);
    names::check_definitions(program, &session.definitions, &mut session.report);
    session.run_generic();
    if !session.report.has_errors() {
        session.run_closed();
    }
    session.report.into_diagnostics()
}

/// A definition with its parameters bound.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Key {
    /// Its place in the program.
    definition: usize,
    /// The element of an array.
    element: usize,
    /// Its public numbers.
    scale: Scale,
    /// Its visible size variables; `None` only for the entry and in generic checking.
    sizes: Vec<Option<u32>>,
    /// Its visible direction variables; always `None` in [`typed::Atoms::Bits`].
    directions: Vec<Option<Direction>>,
}

/// Everything that is not of one body.
struct Session<'p> {
    program: &'p ast::Program,
    definitions: names::Definitions<'p>,
    atoms: typed::Atoms,
    keep_tables: bool,
    bitslice_arithmetic: bool,
    /// Checking definitions for all sizes at once; the typed program is thrown away.
    generic: bool,
    report: Report,
    constants: Constants,
    ciphers: BTreeMap<usize, Option<Rc<Cipher>>>,
    profiles: BTreeMap<usize, Rc<Profile<'p>>>,
    interfaces: BTreeMap<(usize, Scale), Option<Rc<Interface<'p>>>>,
    /// What to elaborate, in order of discovery, with the first call; the position is a provisional instance number.
    requests: IndexMap<Key, Option<Span>>,
    names: BTreeMap<usize, (bool, names::Callees)>,
    budget: u64,
    /// The budget is spent: nothing more is elaborated.
    exhausted: bool,
}

impl Scale {
    fn is_plain(&self) -> bool {
        *self == Scale::default()
    }
}

impl<'p> Session<'p> {
    fn new(program: &'p ast::Program, options: &Options, generic: bool) -> Session<'p> {
        let mut session = Session {
            program,
            definitions: names::number(program),
            atoms: options.atoms,
            keep_tables: options.keep_tables,
            bitslice_arithmetic: options.bitslice_arithmetic,
            generic,
            report: Report::new(options.strict),
            constants: Constants::default(),
            ciphers: BTreeMap::new(),
            profiles: BTreeMap::new(),
            interfaces: BTreeMap::new(),
            requests: IndexMap::new(),
            names: BTreeMap::new(),
            budget: BUDGET,
            exhausted: false,
        };
        session.read_constants();
        session
    }

    fn bits(&self) -> bool {
        self.atoms == typed::Atoms::Bits
    }

    /// Checks the names of a definition, once. False if it cannot be elaborated.
    fn names_are_right(&mut self, definition: usize) -> bool {
        if !self.names.contains_key(&definition) {
            let checked =
                names::check_definition(self.program, &self.definitions, definition, &mut self.report);
            self.names.insert(definition, checked);
        }
        self.names.get(&definition).is_some_and(|(right, _)| *right)
    }

    /// What a definition shows its callers at a scale; `None` if its declarations are wrong.
    fn interface(&mut self, definition: usize, scale: &Scale) -> Option<Rc<Interface<'p>>> {
        let scale = if self.profile(definition).sized { scale.clone() } else { Scale::default() };
        let key = (definition, scale);
        if let Some(known) = self.interfaces.get(&key) {
            return known.clone();
        }
        let muted = self.report.mute(false);
        let read = self.read_interface(definition, &key.1);
        self.report.mute(muted);
        let read = read.map(Rc::new);
        self.interfaces.insert(key, read.clone());
        read
    }

    fn read_interface(&mut self, definition: usize, scale: &Scale) -> Option<Interface<'p>> {
        let numbers = self.numbers(definition, scale)?;
        let cipher = match scale.cipher {
            Some(cipher) => Some(self.cipher(cipher)?),
            None => None,
        };
        let keys = cipher.as_ref().map(|cipher| &cipher.keys);
        let definition = self.program.definitions.get(definition)?;
        signature::interface(definition, numbers, keys, &mut self.report)
    }

    /// The provisional number of an instance, which will be elaborated if it has not been.
    fn request(&mut self, key: Key, call: Option<Span>) -> typed::InstanceId {
        let entry = self.requests.entry(key);
        let index = entry.index();
        entry.or_insert(call);
        typed::InstanceId(index as u32)
    }

    /// Counts elaborated atoms. False, with an error that names `place`, when there are too many.
    fn charge(&mut self, atoms: usize, place: Span, is_loop: bool) -> bool {
        if self.exhausted {
            return false;
        }
        match self.budget.checked_sub(atoms as u64) {
            Some(left) => {
                self.budget = left;
                true
            }
            None => {
                self.exhausted = true;
                let muted = self.report.mute(false);
                self.report.add(messages::budget(place, is_loop));
                self.report.mute(muted);
                false
            }
        }
    }

    fn run(&mut self, options: &Options) -> Option<typed::Program> {
        let key = self.entry(options)?;
        self.request(key, None);
        let instances = self.run_requests();
        if self.report.has_errors() {
            return None;
        }
        let instances: Option<Vec<typed::Instance>> = instances.into_iter().collect();
        Some(numbering::number(self.atoms, instances?, &self.requests, self.program))
    }

    /// Elaborates what is requested and what that requests, in order.
    fn run_requests(&mut self) -> Vec<Option<typed::Instance>> {
        let mut instances = Vec::new();
        while let Some((key, &call)) = self.requests.get_index(instances.len()) {
            let key = key.clone();
            let instance = if self.exhausted { None } else { self.instance(&key, call) };
            instances.push(instance);
        }
        instances
    }

    fn instance(&mut self, key: &Key, call: Option<Span>) -> Option<typed::Instance> {
        let definition = self.program.definitions.get(key.definition)?;
        // Both checks are made, so that one run reports the findings of both.
        let named = self.names_are_right(key.definition);
        let place = call.or(self.entry_place(key));
        let binding = self.binding(key, None);
        self.report.set_context(place.zip(binding));
        let interface = self.interface(key.definition, &key.scale);
        self.report.set_context(None);
        let interface = interface.filter(|_| named)?;
        if key.element >= elements(definition) {
            // The parser could not read the body.
            self.report.note_failure();
            return None;
        }
        let binding = self.binding(key, Some(&interface));
        self.report.set_context(place.zip(binding.filter(|_| !self.generic || !key.scale.is_plain())));
        if !self.conditions_hold(definition, &interface.numbers) {
            self.report.set_context(None);
            return None;
        }
        let instance = match &definition.bodies {
            Bodies::Node(bodies) => {
                let body = bodies.get(key.element)?;
                node::instance(self, definition, &interface, body, key)
            }
            Bodies::Perm(lists) | Bodies::Table(lists) => {
                let list = lists.get(key.element)?;
                tables::instance(self, definition, &interface, list, key)
            }
        };
        self.report.set_context(None);
        instance
    }

    /// What a call binds: `'m = 16, n = 3`; `None` if nothing.
    fn binding(&mut self, key: &Key, interface: Option<&Interface<'_>>) -> Option<String> {
        let definition = self.program.definitions.get(key.definition)?;
        let profile = self.profile(key.definition);
        let none = types::Variables::default();
        let variables = interface.map_or(&none, |interface| &interface.variables);
        let sizes = variables.sizes.keys().zip(&key.sizes);
        let sizes = sizes.filter_map(|(name, bits)| bits.map(|bits| format!("'{name} = {bits}")));
        let nats = public::nat_names(definition).zip(&key.scale.nats);
        let nats = nats.map(|(nat, value)| format!("{} = {value}", nat.text));
        let lengths = profile.lengths.iter().zip(&key.scale.lengths);
        let lengths = lengths.map(|((name, _), value)| format!("{name} = {value}"));
        let directions = variables.directions.keys().zip(&key.directions);
        let directions = directions.filter_map(|(name, direction)| {
            let letter = match direction.as_ref()? {
                Direction::V => "V".to_owned(),
                Direction::H => "H".to_owned(),
                Direction::B => "B".to_owned(),
                Direction::Packed(words) => words.to_string(),
                Direction::Variable(_) => return None,
            };
            Some(format!("'{name} = {letter}"))
        });
        let parts: Vec<String> = sizes.chain(directions).chain(nats).chain(lengths).collect();
        let when = if profile.lengths.is_empty() { "when called here, with" } else { "with" };
        (!parts.is_empty()).then(|| format!("{when} {}", parts.join(", ")))
    }

    /// The entry as the options describe it.
    fn entry(&mut self, options: &Options) -> Option<Key> {
        let (name, written) = match &options.entry {
            None => (None, None),
            Some(text) => match text.strip_suffix('>').and_then(|t| t.split_once('<')) {
                Some((name, element)) => (Some(name.trim()), Some(element.trim())),
                None => (Some(text.as_str()), None),
            },
        };
        let index = match name {
            Some(name) => match self.definitions.get(name) {
                Some(&index) => index,
                None => {
                    let known =
                        self.program.definitions.iter().map(|d| d.name.text.as_str()).collect::<Vec<_>>();
                    self.report.add(messages::unknown_entry(name, &known));
                    return None;
                }
            },
            None => match self.program.definitions.len().checked_sub(1) {
                Some(last) => last,
                None => {
                    self.report.add(messages::empty_program());
                    return None;
                }
            },
        };
        let definition = self.program.definitions.get(index)?;
        let element = match written {
            Some(text) => match text.parse::<u32>() {
                Ok(element) => Some(element),
                Err(_) => {
                    self.report.add(messages::entry_element(&definition.name, text));
                    return None;
                }
            },
            None => options.element,
        };
        let count = elements(definition);
        let element = match (definition.array, element) {
            (false, None) => 0,
            (true, Some(element)) if (element as usize) < count => element as usize,
            (array, element) => {
                self.report.add(messages::entry_is_array(&definition.name, array, element, count));
                return None;
            }
        };
        let Some(scale) = self.entry_scale(options, index, definition) else {
            self.names_are_right(index);
            return None;
        };
        let Some(interface) = self.interface(index, &scale) else {
            self.names_are_right(index);
            return None;
        };
        let variables = &interface.variables;
        if let Some(word) = options.word
            && !(1..=types::MAX_WORD).contains(&word)
        {
            self.report.add(messages::entry_word(word, types::MAX_WORD));
            return None;
        }
        let sizes = variables.sizes.keys().take(interface.visible_sizes);
        let sizes = sizes.map(|name| options.word.filter(|_| name == "m")).collect();
        let chosen = match options.direction {
            Some(typed::Direction::V) => Some(Direction::V),
            Some(typed::Direction::H) => Some(Direction::H),
            Some(typed::Direction::B) => Some(Direction::B),
            Some(typed::Direction::Packed(words)) => Some(Direction::Packed(words)),
            Some(typed::Direction::Free) | None => None,
        };
        let chosen = chosen.filter(|_| !self.bits());
        if let Some(chosen) = chosen {
            self.check_entry_direction(definition, &interface, chosen);
        }
        let directions = variables.directions.keys().take(interface.visible_directions);
        let directions = directions.map(|name| chosen.filter(|_| name == "D")).collect();
        Some(Key { definition: index, element, scale, sizes, directions })
    }

    /// The public numbers of the entry; `None` if some are missing or wrong, which has then been reported.
    fn entry_scale(
        &mut self,
        options: &Options,
        index: usize,
        definition: &'p ast::Definition,
    ) -> Option<Scale> {
        let profile = self.profile(index);
        let before = self.report.failures();
        let given = |name: &str| options.nats.iter().rev().find(|(n, _)| n == name).map(|&(_, value)| value);
        let mut nats = Vec::new();
        for name in public::nat_names(definition) {
            match given(&name.text) {
                Some(value) if value < 0 => {
                    self.report.add(messages::negative_nat(name.span, &name.text, value));
                }
                Some(value) => nats.push(value),
                None => self.report.add(messages::entry_nat(name)),
            }
        }
        for (name, _) in &options.nats {
            let is_length = profile.lengths.iter().any(|(length, _)| length == name);
            if !is_length && !public::nat_names(definition).any(|nat| nat.text == *name) {
                self.report.add(messages::unknown_nat(name, &definition.name));
            }
        }
        let cipher = match (&definition.cipher, &options.cipher) {
            (None, None) => None,
            (Some(parameter), None) => {
                self.report.add(messages::entry_cipher(parameter));
                None
            }
            (_, Some(name)) => {
                let found = self.program.ciphers.iter().position(|cipher| cipher.name.text == *name);
                if found.is_none() || definition.cipher.is_none() {
                    self.report.add(messages::no_such_cipher(&definition.name, name, found.is_some()));
                }
                found
            }
        };
        if self.report.failures() > before {
            return None;
        }
        let mut known = self.known_numbers(definition, &nats, cipher)?;
        for &(name, span) in &profile.lengths {
            if let Some(value) = given(name) {
                if value < 0 {
                    self.report.add(messages::negative_nat(span, name, value));
                    return None;
                }
                known.insert(name.to_string(), value);
            }
        }
        let names = definition.inputs.iter().flat_map(|input| &input.names);
        let count =
            |name: &ast::Name| options.words.iter().find(|(n, _)| *n == name.text).map(|&(_, count)| count);
        let counts: Vec<Option<u64>> = names.clone().map(count).collect();
        match public::solve(definition, &profile, &known, &counts) {
            Ok(lengths) => Some(Scale { nats, lengths, cipher }),
            Err(public::Unsolved::Multiple { input, length, step }) => {
                let name = names.clone().nth(input)?;
                let count = counts.get(input).copied().flatten().unwrap_or(0);
                self.report.add(messages::entry_length_multiple(name, &length, count, step));
                None
            }
            Err(public::Unsolved::Open(length)) => {
                let &(name, span) = profile.lengths.get(length)?;
                self.report.add(messages::entry_length(name, span));
                None
            }
        }
    }

    /// Where to say what an instance binds that no call asked for: at its name, if it is made for its lengths alone.
    fn entry_place(&self, key: &Key) -> Option<Span> {
        let lengths = !key.scale.lengths.is_empty();
        self.program.definitions.get(key.definition).filter(|_| lengths).map(|d| d.name.span)
    }

    /// Explicit directions of the entry must agree with the chosen one (D33).
    fn check_entry_direction(
        &mut self,
        definition: &ast::Definition,
        interface: &Interface<'p>,
        chosen: Direction,
    ) {
        for declared in interface.inputs.iter().chain(&interface.outputs) {
            let types::DeclaredType::Words(ty) = &declared.ty else { continue };
            let fixed = match ty.direction {
                types::DirectionTerm::V => Direction::V,
                types::DirectionTerm::H => Direction::H,
                types::DirectionTerm::B => Direction::B,
                types::DirectionTerm::Packed(words) => Direction::Packed(words),
                types::DirectionTerm::Variable(_) => continue,
            };
            if fixed != chosen && ty.size != types::SizeTerm::Bits(1) {
                self.report.add(messages::entry_direction(declared.name, &definition.name, fixed, chosen));
            }
        }
    }

    /// Checks all definitions generically.
    fn run_generic(&mut self) {
        for index in 0..self.program.definitions.len() {
            let Some(definition) = self.program.definitions.get(index) else { continue };
            let named = self.names_are_right(index);
            if self.profile(index).sized {
                if named {
                    self.check_samples(index, definition);
                }
                continue;
            }
            let Some(interface) = self.interface(index, &Scale::default()) else { continue };
            if interface.nats().next().is_some() {
                continue;
            }
            for element in 0..elements(definition) {
                self.request(generic_key(index, element, Scale::default(), &interface), None);
            }
        }
        self.run_requests();
        if !self.report.has_errors() {
            self.report_unused();
        }
    }

    /// Elaborates all definitions that leave nothing open.
    fn run_closed(&mut self) {
        self.generic = false;
        self.budget = BUDGET;
        self.requests.clear();
        for index in 0..self.program.definitions.len() {
            let Some(definition) = self.program.definitions.get(index) else { continue };
            if self.profile(index).sized {
                continue;
            }
            let Some(interface) = self.interface(index, &Scale::default()) else { continue };
            if interface.nats().next().is_some() || interface.visible_sizes > 0 {
                continue;
            }
            for element in 0..elements(definition) {
                self.request(generic_key(index, element, Scale::default(), &interface), None);
            }
        }
        self.run_requests();
    }

    /// A table or permutation, or anything that cannot be an entry by itself, should be called by something. Only the
    /// main text is looked at: a library that is included is there to be chosen from.
    fn report_unused(&mut self) {
        let Some((last, definitions)) = self.program.definitions.split_last() else { return };
        let mut called = BTreeSet::new();
        for (_, callees) in self.names.values() {
            called.extend(callees.iter().copied());
        }
        for (index, definition) in definitions.iter().enumerate() {
            let may_be_entry = matches!(definition.bodies, Bodies::Node(_))
                && !definition.array
                && !definition.attributes.iter().any(|a| a.kind == AttributeKind::Inline)
                && (self.profiles.get(&index).is_some_and(|profile| profile.sized)
                    || !definition.inputs.iter().any(|input| input.ty.base == ast::BaseType::Nat));
            let main = definition.span.source == last.span.source;
            let played = self
                .program
                .ciphers
                .iter()
                .any(|cipher| cipher.roles.iter().any(|(_, node)| node.text == definition.name.text));
            if main
                && !played
                && !may_be_entry
                && !called.contains(&index)
                && !definition.name.text.starts_with('_')
            {
                self.report.add(messages::unused_definition(&definition.name));
            }
        }
    }
}

/// The number of elements of a definition: 1 unless it is an array.
fn elements(definition: &ast::Definition) -> usize {
    match &definition.bodies {
        Bodies::Node(bodies) => bodies.len(),
        Bodies::Perm(lists) | Bodies::Table(lists) => lists.len(),
    }
}

/// A definition with everything open but its public numbers.
fn generic_key(definition: usize, element: usize, scale: Scale, interface: &Interface<'_>) -> Key {
    Key {
        definition,
        element,
        scale,
        sizes: vec![None; interface.visible_sizes],
        directions: vec![None; interface.visible_directions],
    }
}

/// The attributes of a definition that later stages honour.
fn attributes(definition: &ast::Definition) -> typed::Attributes {
    let mut attributes = typed::Attributes::default();
    for attribute in &definition.attributes {
        match &attribute.kind {
            AttributeKind::Inline => attributes.inline = typed::Inline::Always,
            AttributeKind::NoInline => attributes.inline = typed::Inline::Never,
            AttributeKind::NoOpt => attributes.no_opt = true,
            AttributeKind::Interleave(factor) => attributes.interleave = u32::try_from(&factor.value).ok(),
            AttributeKind::Lsb | AttributeKind::Msb => {}
        }
    }
    attributes
}
