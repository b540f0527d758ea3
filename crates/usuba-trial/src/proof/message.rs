//! Messages to be proved: a mode of operation over a block cipher, or a node of a program such as a sponge, and the code of it for a
//! machine.

mod any_length;

pub use any_length::{FromHere, Proved};

use super::CAVEATS;
use thiserror::Error;
use usuba_blockwise::schedule::makes_keys;
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::elaborate::{Options, elaborate};
use usuba_lang::load::Loaded;
use usuba_lang::typed::{self, InstanceId};
use usuba_message::form::{Message as Form, Sameness, Variable};
use usuba_message::in_place::in_place;
use usuba_message::incremental::incremental;
use usuba_message::number::Term;
use usuba_package::message::files::{Machines, whole_code};
use usuba_package::message::{self, CIPHER};
use usuba_verify::graph::functions::Role;
use usuba_verify::object::blocks::Verdict;
use usuba_verify::object::file::Object;
use usuba_verify::object::kernel::NoProof;
use usuba_verify::object::machine::Sizes;
use usuba_verify::object::message::{Message, Report};
use usuba_verify::prove::Limits;
use usuba_verify::symbolic::source;

/// Lengths that strings have where none are said: parts of blocks, whole ones, and more than all that code computes at once.
const LENGTHS: [i64; 14] = [12, 0, 16, 33, 1, 100, 13, 15, 64, 17, 257, 4, 7, 48];

/// Lengths that most modes have.
const BASES: [i64; 6] = [12, 16, 13, 8, 1, 0];

/// What libraries have that says something of the processor.
const ASKED: &str = "usuba_shares_ports";

/// Lengths are below this.
const LONGEST: i64 = 1 << 20;

/// The codes of what a proof of a mode rests on. That ciphers are called is said of code that does: around engines, or where it makes
/// keys of its own; C16 is about lengths that grow.
pub fn caveats(calls_ciphers: bool, is_growing: bool) -> Vec<&'static str> {
    let is_said = |code: &&str| match *code {
        "C7" | "C11" | "C13" => false,
        "C15" => calls_ciphers,
        "C16" => is_growing,
        _ => true,
    };
    CAVEATS.iter().map(|caveat| caveat.code).filter(is_said).collect()
}

/// Why a mode is not looked at.
#[derive(Debug, Error)]
pub enum NoMessage {
    /// The text does not elaborate for these lengths.
    #[error("the text does not elaborate for these lengths")]
    Text(Vec<Diagnostic>),
    /// There is no such code, or there are no such lengths.
    #[error("{0}")]
    Refused(String),
    /// The object is refused.
    #[error(transparent)]
    NoProof(#[from] NoProof),
    /// No loop was shown to do for each turn what the text says: why not, for each length of a turn that was tried.
    #[error("{0}")]
    NoTurn(String),
}

/// The code of a mode.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// The machine.
    pub machines: Machines,
    /// Whether it calls engines through `struct usuba_blocks`, and is not on rounds of the cipher.
    pub around: bool,
}

/// Lengths of messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lists {
    /// The lists.
    pub lists: Vec<Vec<i64>>,
    /// The length that may be any number of turns of the loop of the code longer, if there is one.
    pub grows: Option<usize>,
}

/// A message, and the code of it.
#[derive(Debug)]
pub struct Subject<'a> {
    form: &'a Form,
    loaded: &'a Loaded,
    /// The name of its node.
    node: &'a str,
    /// The name of the cipher that it is over.
    cipher: Option<&'a str>,
    code: Code,
    /// The names of the nodes of the cipher, and what they do.
    nodes: Vec<(String, Role)>,
    of_key: Vec<bool>,
}

impl<'a> Subject<'a> {
    /// A mode of this name. `form` has been through the passes; `loaded` is the program that it was made of.
    ///
    /// # Errors
    /// There is no mode of this name.
    pub fn of_mode(
        form: &'a Form,
        loaded: &'a Loaded,
        mode: &str,
        code: Code,
    ) -> Result<Subject<'a>, NoMessage> {
        let named =
            message::named(mode).ok_or_else(|| NoMessage::Refused(format!("there is no mode `{mode}`")))?;
        Ok(Subject::of_node((form, loaded), named.node, Some(CIPHER), code))
    }

    /// A node, over a cipher of the program or over none. The form has been through the passes.
    pub fn of_node(
        (form, loaded): (&'a Form, &'a Loaded),
        node: &'a str,
        cipher: Option<&'a str>,
        code: Code,
    ) -> Subject<'a> {
        let role = |name: &str| match name {
            "encrypt" => Some(Role::Encrypt),
            "decrypt" => Some(Role::Decrypt),
            "schedule" => Some(Role::Schedule),
            _ => None,
        };
        let bound = loaded.program.ciphers.iter().filter(|one| cipher == Some(&one.name.text));
        let roles = bound.flat_map(|cipher| &cipher.roles);
        let nodes = roles.filter_map(|(name, node)| Some((node.text.clone(), role(&name.text)?))).collect();
        let is_key = |&id| form.variable(id).sameness == Sameness::Key;
        let of_key = form.inputs.iter().map(is_key).collect();
        Subject { form, loaded, node, cipher, code, nodes, of_key }
    }

    /// Whether the code calls functions of a cipher, which are not proved with it.
    pub fn calls_ciphers(&self) -> bool {
        self.code.around || makes_keys(self.form)
    }

    /// The lists of lengths that are tried where none is said: some that fit.
    ///
    /// # Errors
    /// None was found.
    pub fn some_lengths(&self) -> Result<Vec<Vec<i64>>, NoMessage> {
        let count = self.form.lengths.len();
        // One list that fits, and what may stand in place of each of its lengths.
        let mut base: Vec<i64> = vec![BASES[0]; count];
        if !fitting(self.form, &mut base, 0) {
            let why = "no lengths that fit were found: say some with `--lengths`";
            return Err(NoMessage::Refused(why.to_owned()));
        }
        let choices: Vec<Vec<i64>> = (0..count)
            .map(|place| {
                let with = |length: &i64| {
                    let mut all = base.clone();
                    all[place] = *length;
                    self.form.fits(&all)
                };
                LENGTHS.into_iter().filter(with).collect()
            })
            .collect();
        let mut lists: Vec<Vec<i64>> = vec![base.clone()];
        for seed in 0..LENGTHS.len() {
            let choice = |(place, choices): (usize, &Vec<i64>)| {
                let own = (seed + seed / choices.len().max(1)) * (place + 1) + 5 * place;
                choices.get(own % choices.len().max(1)).copied().unwrap_or(base[place])
            };
            let chosen: Vec<i64> = choices.iter().enumerate().map(choice).collect();
            if self.form.fits(&chosen) && !lists.contains(&chosen) {
                lists.push(chosen);
            }
        }
        Ok(lists)
    }

    /// Lists of lengths from `name=number,…`: one, or one for each number of the one length that has several, as `name=first..last`.
    /// With `+` behind it a length grows: which one that is, is said too.
    ///
    /// # Errors
    /// A name or number is none, one is missing, two grow, or the mode has no messages of such lengths; of a range those are left out
    /// that it has none of.
    pub fn lists(&self, text: &str) -> Result<Lists, NoMessage> {
        let form = self.form;
        let refused = |why: String| Err(NoMessage::Refused(why));
        let mut found: Vec<Option<(i64, i64)>> = vec![None; form.lengths.len()];
        let mut growing: Vec<usize> = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let number = |text: &str| text.parse::<i64>().ok().filter(|number| (0..LONGEST).contains(number));
            let place = part.split_once('=').and_then(|(name, range)| {
                let place = form.lengths.iter().position(|known| known == name.trim())?;
                let (range, grows) = range.strip_suffix('+').map_or((range, false), |range| (range, true));
                growing.extend(grows.then_some(place));
                let (first, last) = range.split_once("..").unwrap_or((range, range));
                Some((place, (number(first)?, number(last)?)))
            });
            let Some((place, range)) = place else {
                return refused(format!(
                    "`{part}` is no length: write NAME=NUMBER or NAME=FIRST..LAST, perhaps with `+` behind it, where names are {}, and numbers below 2^20",
                    form.lengths.join(", ")
                ));
            };
            found[place] = Some(range);
        }
        if let Some(missing) = found.iter().position(Option::is_none) {
            return refused(format!("`--lengths {text}` does not say `{}`", form.lengths[missing]));
        }
        if let Some(&place) = growing.iter().find(|place| **place < form.nats) {
            let name = &form.lengths[place];
            return refused(format!(
                "`--lengths {text}`: `{name}` is no length of a string, and cannot grow"
            ));
        }
        let mut lists: Vec<Vec<i64>> = vec![Vec::new()];
        for (first, last) in found.into_iter().flatten() {
            let with = |list: &Vec<i64>| {
                let of = |length| list.iter().copied().chain([length]).collect::<Vec<_>>();
                (first..=last).map(of).collect::<Vec<_>>()
            };
            lists = lists.iter().flat_map(with).collect();
            if lists.len() as i64 > LONGEST {
                return refused(format!("`--lengths {text}` are more than 2^20 lists of lengths"));
            }
        }
        lists.retain(|list| form.fits(list));
        match (lists.is_empty(), &growing[..]) {
            (true, _) => refused(format!("the message has no such lengths: {text}")),
            (false, [] | [_]) => Ok(Lists { lists, grows: growing.first().copied() }),
            (false, _) => refused(format!("`--lengths {text}`: one length may grow at a time")),
        }
    }

    /// Lengths in words.
    pub fn said(&self, lengths: &[i64]) -> String {
        let pairs = self.form.lengths.iter().zip(lengths).map(|(name, length)| format!("{name}={length}"));
        pairs.collect::<Vec<_>>().join(" ")
    }

    /// Bytes of what a function prepares. Libraries have functions for strings in pieces beside, which prepare more.
    ///
    /// # Errors
    /// There is no such code.
    pub fn prepared(&self, symbol: &str) -> Result<usize, NoMessage> {
        let parts = incremental(self.form).ok();
        let Code { machines, around } = self.code;
        let code = |pieces| whole_code(self.form, self.loaded, machines, around, symbol, pieces);
        let whole = code(None).map_err(|refusal| NoMessage::Refused(refusal.0))?.prepared;
        let in_pieces = parts.as_ref().and_then(|parts| code(Some(parts)).ok());
        Ok(in_pieces.map_or(whole, |code| whole.max(code.prepared)))
    }

    /// Proves a function that prepares so many bytes, for lengths that fit: with the output apart, and where an input is if it may be
    /// there.
    ///
    /// # Errors
    /// The text does not elaborate, or the code is refused.
    pub fn prove(
        &self,
        object: &Object,
        (symbol, prepared): (&str, usize),
        lengths: &[i64],
        limits: Limits,
    ) -> Result<(Verdict, Report), NoMessage> {
        let program = self.elaborated(lengths)?;
        let numbers: Vec<u64> = lengths.iter().map(|&length| length as u64).collect();
        let in_place = self.in_place();
        let message = self.message((symbol, prepared), (&program, object), &numbers, &in_place);
        Ok(message.prove(object, limits)?)
    }

    /// The message of a text.
    fn message<'m>(
        &'m self,
        (symbol, prepared): (&'m str, usize),
        (program, object): (&'m typed::Program, &Object),
        numbers: &'m [u64],
        in_place: &'m [(usize, usize)],
    ) -> Message<'m> {
        Message {
            symbol,
            program,
            product: source::product(program),
            numbers,
            of_key: &self.of_key,
            cipher: self.code.around.then(|| (&self.nodes[..], self.sizes(program))),
            schedule: self.schedule(program).filter(|_| !self.code.around),
            prepared,
            in_place,
            asks: object.calls(ASKED).then_some(ASKED),
        }
    }

    /// Bytes of what the nodes of the cipher take.
    fn sizes(&self, program: &typed::Program) -> Sizes {
        let first = |is: fn(Role) -> bool| {
            let is_it = |instance: &&typed::Instance| {
                self.nodes.iter().any(|(name, role)| *name == instance.name && is(*role))
            };
            let instance = program.instances().iter().find(is_it)?;
            Some(instance.variable(*instance.inputs.first()?).atoms() as usize)
        };
        Sizes {
            block: first(|role| role != Role::Schedule).unwrap_or(0),
            key: first(|role| role == Role::Schedule).unwrap_or(0),
        }
    }

    /// The node that makes round keys, if the message makes some.
    fn schedule(&self, program: &typed::Program) -> Option<InstanceId> {
        let (name, _) = self.nodes.iter().find(|(_, role)| *role == Role::Schedule)?;
        (0..).map(InstanceId).zip(program.instances()).find(|(_, one)| one.name == *name).map(|(id, _)| id)
    }

    /// The text for a list of lengths.
    fn elaborated(&self, lengths: &[i64]) -> Result<typed::Program, NoMessage> {
        let form = self.form;
        let nats = form.lengths[..form.nats].iter().cloned().zip(lengths.iter().copied()).collect();
        let strings = form.inputs.iter().map(|&id| form.variable(id));
        let strings = strings.filter(|variable| variable.sameness != Sameness::Key);
        let words = strings
            .filter_map(|variable| {
                Some((variable.name.clone(), u64::try_from(bytes(variable, lengths)?).ok()?))
            })
            .collect();
        let options = Options {
            entry: Some(self.node.to_owned()),
            nats,
            words,
            cipher: self.cipher.map(str::to_owned),
            keep_tables: true,
            ..Options::new()
        };
        let (program, diagnostics) = elaborate(&self.loaded.program, &options);
        program.ok_or(NoMessage::Text(diagnostics))
    }

    /// Inputs where an output may be, each with that.
    pub fn in_place(&self) -> Vec<(usize, usize)> {
        let form = self.form;
        let place = |(input, output): (_, _)| {
            let from = form.inputs.iter().position(|id| *id == input)?;
            let to = form.outputs.iter().position(|id| *id == output)?;
            Some((from, to))
        };
        in_place(form).into_iter().filter_map(place).collect()
    }
}

/// The bytes of a variable for these lengths.
fn bytes(variable: &Variable, lengths: &[i64]) -> Option<i64> {
    let value = |term: &Term| match term {
        Term::Length(place) => lengths.get(*place as usize).copied().unwrap_or(0),
        _ => 0,
    };
    variable.bytes()?.evaluate(&value).ok()
}

/// Finds lengths that fit, those before `place` being as they are.
fn fitting(form: &Form, lengths: &mut Vec<i64>, place: usize) -> bool {
    if form.fits(lengths) {
        return true;
    }
    place < lengths.len()
        && BASES.iter().any(|&length| {
            lengths[place] = length;
            fitting(form, lengths, place + 1)
        })
}
