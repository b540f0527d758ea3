//! The steps of a message by themselves: the kernel of each, and the C that calls it.

use crate::draft::{Draft, Draw, Pending};
use crate::glue::{BLOCK, Parts, WordStep, Writer, Written, refuse, words};
use crate::phases::{CipherCall, phases};
use crate::place::{self, Places};
use crate::plan::{Given, Plan, Refusal};
use crate::step::{self, Step, in_memory, node_of};
use crate::words::{self, Kernel};
use std::rc::Rc;
use usuba_codegen::{Stop, assembly_function, inline_source};
use usuba_lang::elaborate::{Options, elaborate};
use usuba_lang::typed::Direction;
use usuba_machine::Program;
use usuba_message::form::{self, Piece, Source, Text, VariableId};

/// Bits of the longest word.
const WORD: u32 = 64;

/// Of a function that is a part of what calls it.
const INSIDE: &str = "static inline USUBA_INSIDE";

impl Writer<'_> {
    /// A step by itself: on blocks if it can be, else on words.
    pub(crate) fn single(&mut self, step: &form::Step) -> Written<()> {
        let (text, fresh) = (self.text.len(), self.fresh);
        let Err(blocks) = self.on_blocks(step) else { return Ok(()) };
        self.text.truncate(text);
        self.fresh = fresh;
        self.on_words(step).map_err(|words| match self.blocks {
            Some(_) => Refusal(format!(
                "the step at {} has no code: on blocks: {}; on words: {}",
                self.place(&step.node),
                blocks.0,
                words.0
            )),
            None => Refusal(format!("the step at {} has no code: {}", self.place(&step.node), words.0)),
        })
    }

    /// File, line and column of the text that a step is made of.
    fn place(&self, node: &str) -> String {
        let mut definitions = self.message.program.definitions.iter();
        let Some(step) = definitions.find(|step| step.name.text == node) else { return node.to_owned() };
        let (line, column) = self.sources.line_column(step.span);
        format!("{}:{line}:{column}", self.sources.get(step.span.source).name)
    }

    /// A step by itself on words.
    fn on_words(&mut self, step: &form::Step) -> Written<()> {
        let parts = self.parts(step)?;
        let mut after: Vec<Vec<String>> = Vec::new();
        for (phase, calls) in parts.form.phases.calls.iter().enumerate() {
            if self.lane.is_some() {
                let last = phase + 1 == parts.form.phases.calls.len();
                after.push(vec![self.wait(&parts, phase, &after.concat(), last)?]);
                continue;
            }
            // Blocks for the same cipher and key are one call, where they fill what kernels write.
            let together = |a: &CipherCall, b: &CipherCall| a == b && a.bytes.is_multiple_of(16);
            let groups: Vec<&[CipherCall]> = calls.chunk_by(together).collect();
            let mut names = Vec::new();
            let (mut blocks, mut results) = (Vec::new(), Vec::new());
            for group in &groups {
                let (block, result) = (self.fresh("block"), self.fresh("result"));
                let bytes: usize = group.iter().map(|call| call.bytes.next_multiple_of(16)).sum();
                self.line(&format!("_Alignas(16) uint8_t {block}[{bytes}];"));
                let at = |name: &String, number: usize| match number {
                    0 => name.clone(),
                    _ => format!("({name} + {})", 16 * number),
                };
                blocks.extend((0..group.len()).map(|number| at(&block, number)));
                results.extend((0..group.len()).map(|number| at(&result, number)));
                names.push((block, result, bytes));
            }
            self.phase(&parts, phase, &after.concat(), &blocks)?;
            for (group, (block, result, bytes)) in groups.iter().zip(&names) {
                self.line(&format!("_Alignas(16) uint8_t {result}[{bytes}] = {{0}};"));
                if let Some(call) = group.first() {
                    let count = group.len();
                    match self.functions {
                        true => self.cipher(&parts, call, (block, result), &count.to_string())?,
                        false => self.cipher_on_few(&parts, call, (block, result), count)?,
                    }
                }
            }
            after.push(results);
        }
        let (results, copies) = self.results(step, &parts)?;
        self.phase(&parts, parts.form.phases.calls.len(), &after.concat(), &results)?;
        copies.iter().for_each(|line| self.line(line));
        Ok(())
    }

    /// What a step on words is given, in C.
    pub(crate) fn parts(&mut self, step: &form::Step) -> Written<Parts> {
        self.parts_for(step, &|_| true)
    }

    /// The same for what is needed of it: the round keys, and inputs that are `wanted`.
    pub(crate) fn parts_for(&mut self, step: &form::Step, wanted: &dyn Fn(usize) -> bool) -> Written<Parts> {
        let form = self.word_step(&step.node)?;
        let keys: Vec<usize> = form.phases.calls.iter().flatten().filter_map(|call| call.keys).collect();
        let mut given = Vec::new();
        let mut places = Vec::new();
        let first = form.phases.phases.first().ok_or_else(|| Refusal("a step without a phase".into()))?;
        for (number, (source, &bits)) in step.inputs.iter().zip(&first.inputs).enumerate() {
            if !wanted(number) && !keys.contains(&number) {
                given.push(String::new());
                places.push(Places::new());
                continue;
            }
            let computes = form.phases.phases.iter().any(|phase| phase.uses(number));
            let (expression, at) = match source {
                Source::Variable(id) if !computes => (self.name(*id), Places::new()),
                Source::Variable(id) => {
                    let width = self.message.variable(*id).words.width;
                    let name = match bits.is_multiple_of(WORD) {
                        true => self.name(*id),
                        false => self.aligned(*id, bits),
                    };
                    (name, in_memory(bits, width))
                }
                Source::Element(..) => return refuse("an element of an array of words"),
                Source::Text(text) => (self.whole_words(text, bits / 8)?, place::as_is(bits)),
                Source::Words { text, width, order } => {
                    (self.whole_words(text, bits / 8)?, words(bits, *width, *order))
                }
                Source::Word { number, width } => {
                    let name = self.declare("number", 16, true);
                    let value = self.number(number);
                    self.line(&format!("put64({name}, (uint64_t)({value}));"));
                    (name, place::little_words(*width, *width))
                }
            };
            given.push(expression);
            places.push(at);
        }
        Ok(Parts { node: step.node.clone(), form, given, places })
    }

    /// So many bytes in C that are a text, in whole words: where they lie, if that is one place.
    fn whole_words(&mut self, text: &Text, bytes: u32) -> Written<String> {
        if let [Piece::Window(window)] = &text[..]
            && (8 * bytes).is_multiple_of(WORD)
            && window.length.as_constant() == Some(i64::from(bytes))
            && let Ok(place) = self.window(window)
        {
            return Ok(place);
        }
        self.bytes(text, bytes)
    }

    /// Where the results of a step on words go, and what is done after it.
    pub(crate) fn results(
        &mut self,
        step: &form::Step,
        parts: &Parts,
    ) -> Written<(Vec<String>, Vec<String>)> {
        let (mut results, mut after) = (Vec::new(), Vec::new());
        let last = parts.form.phases.phases.last().ok_or_else(|| Refusal("a step without a phase".into()))?;
        for (number, (target, bits)) in step.outputs.iter().zip(&last.outputs).enumerate() {
            let bytes = bits.len().div_ceil(8);
            results.push(match target {
                form::Target::Variable(id) if last.schedules.contains(&number) => {
                    let name = self.fresh("key");
                    self.line(&format!("_Alignas(16) uint8_t {name}[{}];", bytes.next_multiple_of(16)));
                    after.push(self.schedule(*id, &name)?);
                    name
                }
                form::Target::Variable(id) if !self.message.outputs.contains(id) => self.name(*id),
                other => {
                    let name = self.declare("result", bytes.next_multiple_of(16) as u32, false);
                    let to = match other {
                        form::Target::Variable(id) => self.name(*id),
                        form::Target::Window(window) => self.window(window)?,
                        form::Target::Element(..) => return refuse("an element of an array of words"),
                    };
                    after.push(format!("memcpy({to}, {name}, {bytes});"));
                    name
                }
            });
        }
        Ok((results, after))
    }

    /// The call of a phase of a step. `blocks`: what the cipher has made; `results`: where the outputs go.
    pub(crate) fn phase(
        &mut self,
        parts: &Parts,
        number: usize,
        blocks: &[String],
        results: &[String],
    ) -> Written<()> {
        let form = Rc::clone(&parts.form);
        self.phase_by(parts, &form.phases.phases[number], (number, ""), blocks, results)
    }

    /// The same by other code than that of the phase, which `name` tells apart.
    pub(crate) fn phase_by(
        &mut self,
        parts: &Parts,
        phase: &Step,
        (number, name): (usize, &str),
        blocks: &[String],
        results: &[String],
    ) -> Written<()> {
        let known = parts.form.phases.calls.iter().take(number).flatten().map(|call| call.places.clone());
        let places: Vec<Places> = parts.places.iter().cloned().chain(known).collect();
        let (target, sources, typed) = (self.words, self.sources, &parts.form.typed);
        let calls = &parts.form.phases.calls;
        let known = calls.iter().take(number).flatten().map(|call| call.big);
        let big_inputs = parts.given.iter().map(|_| false).chain(known).enumerate();
        let big_inputs: Vec<bool> =
            big_inputs.filter(|(input, _)| phase.uses(*input)).map(|(_, big)| big).collect();
        let mut big_outputs: Vec<bool> =
            calls.iter().skip(number).take(1).flatten().map(|call| call.big).collect();
        if !name.is_empty() {
            big_outputs.resize(phase.outputs.len(), false);
        }
        let key = format!("words {} {number}{name} {places:?} {big_inputs:?} {big_outputs:?}", parts.node);
        let kernel = self.word_kernel(key, (&big_inputs, &big_outputs), |name| {
            words::single(phase, typed, sources, &places, target, name)
        })?;
        let given = parts.given.iter().chain(blocks).enumerate().filter(|(input, _)| phase.uses(*input));
        let arguments = given.map(|(_, one)| one.clone());
        let arguments: Vec<String> = arguments.chain(results.iter().cloned()).collect();
        self.line(&format!("{kernel}({});", arguments.join(", ")));
        Ok(())
    }

    /// The call of the cipher on so many blocks.
    pub(crate) fn cipher(
        &mut self,
        parts: &Parts,
        call: &CipherCall,
        (from, to): (&str, &str),
        blocks: &str,
    ) -> Written<()> {
        if !self.functions {
            return refuse("the target has no instructions for the cipher");
        }
        let keys = call.keys.and_then(|keys| parts.given.get(keys)).cloned().unwrap_or_default();
        if self.made_key.is_some_and(|made| self.name(made) != keys) {
            return refuse("a key of the message after it has made another one");
        }
        let role = self.roles.iter().find(|(_, node)| *node == call.node).map(|(role, _)| *role);
        let role = role.ok_or_else(|| Refusal("a cipher without a role".into()))?;
        let function = format!("{}_{role}", self.symbol);
        self.ciphers.insert(format!(
            "void {function}(const uint8_t *key, const uint8_t *from, uint8_t *to, size_t blocks)"
        ));
        self.line(&format!("{function}({keys}, {from}, {to}, (size_t)({blocks}));"));
        Ok(())
    }

    fn word_step(&mut self, node: &str) -> Written<Rc<WordStep>> {
        if let Some(known) = self.word_steps.get(node) {
            return Ok(Rc::clone(known));
        }
        let options = Options {
            entry: Some(node.to_owned()),
            cipher: self.message.cipher.as_ref().map(|cipher| cipher.name.clone()),
            direction: Some(Direction::V),
            keep_tables: true,
            ..Options::new()
        };
        let typed = elaborate(&self.message.program, &options).0;
        let typed = typed.ok_or_else(|| Refusal("the step has no form".into()))?;
        let roles: Vec<String> = self.roles.iter().map(|(_, node)| node.clone()).collect();
        let cipher = self.message.cipher.as_ref();
        let schedule = cipher.and_then(|cipher| node_of(&self.message.program, &cipher.name, "schedule"));
        let step = step::with_calls(&typed, &roles, schedule.as_deref())
            .map_err(|why| Refusal(why.at(self.sources)))?;
        let apart = |callee| {
            let lane = self.lane.as_ref().filter(|lane| lane.waits)?;
            lane.apart.iter().find(|one| one.node == typed.instance(callee).name).cloned()
        };
        let phases = phases(&step, &apart);
        let made = Rc::new(WordStep { phases, typed });
        self.word_steps.insert(node.to_owned(), Rc::clone(&made));
        Ok(made)
    }

    /// A variable in aligned memory, in whole words.
    fn aligned(&mut self, id: VariableId, bits: u32) -> String {
        if !self.message.inputs.contains(&id) {
            return self.name(id);
        }
        let bytes = bits.div_ceil(8);
        let (copy, from) = (self.declare("copy", bytes.next_multiple_of(16), true), self.name(id));
        self.line(&format!("memcpy({copy}, {from}, {bytes});"));
        copy
    }

    /// A step in a loop.
    pub(crate) fn form(&mut self, node: &str) -> Written<Rc<Step>> {
        let form = self.any_form(node)?;
        if form.schedules.is_empty() { Ok(form) } else { refuse("a key schedule in a loop") }
    }

    fn any_form(&mut self, node: &str) -> Written<Rc<Step>> {
        if let Some(known) = self.steps.get(node) {
            return Ok(Rc::clone(known));
        }
        // What it is does not depend on the target.
        let shared = self.blocks.map(|(machine, _)| &machine.known.steps);
        let key = (node.to_owned(), self.functions);
        let made = match shared.and_then(|steps| steps.borrow().get(&key).cloned()) {
            Some(made) => made,
            None => {
                let made =
                    step::step(&self.message.program, node, self.message.cipher.as_ref(), self.functions);
                Rc::new(made.map_err(|why| Refusal(why.at(self.sources)))?)
            }
        };
        if let Some(steps) = shared {
            steps.borrow_mut().insert(key, Rc::clone(&made));
        }
        self.steps.insert(node.to_owned(), Rc::clone(&made));
        Ok(made)
    }

    pub(crate) fn bits(&self, id: VariableId) -> u32 {
        let words = self.message.variable(id).words;
        words.width * words.count
    }

    /// A kernel as a function of its own; the same for what is the same.
    pub(crate) fn kernel(
        &mut self,
        key: String,
        make: impl FnOnce(&str) -> Result<Program, Refusal>,
    ) -> Written<String> {
        self.function(key, "static", make)
    }

    /// A kernel on words, as a function on bytes: a part of what calls it inside of a loop.
    fn word_kernel(
        &mut self,
        key: String,
        big: (&[bool], &[bool]),
        make: impl FnOnce(&str) -> Result<Kernel, Refusal>,
    ) -> Written<String> {
        let key = format!("{} {key}", self.in_loop);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let name = format!("{}_{}", self.symbol, self.known.len());
        let inner = format!("{name}_words");
        let kernel = make(&inner)?;
        let checked = usuba_machine::check(kernel.program.clone())
            .map_err(|flaws| Refusal(format!("malformed: {:?}", flaws.first().map(ToString::to_string))))?;
        let linkage = if kernel.is_one() { INSIDE } else { "static" };
        let text = inline_source(&checked, &inner, linkage);
        let around = kernel.around(&name, &inner, if self.in_loop { INSIDE } else { "static" }, big);
        self.kernels.push((name.clone(), format!("{text}{around}\n")));
        self.known.insert(key, name.clone());
        Ok(name)
    }

    /// A kernel that is a part of what calls it, so that what it is given stays in registers.
    pub(crate) fn inline_kernel(
        &mut self,
        key: String,
        make: impl FnOnce(&str) -> Result<Program, Refusal>,
    ) -> Written<String> {
        self.function(format!("inline {key}"), INSIDE, make)
    }

    /// A kernel for what is long or rare: never a part of what calls it, whose registers it would take.
    pub(crate) fn apart_kernel(
        &mut self,
        key: String,
        make: impl FnOnce(&str) -> Result<Program, Refusal>,
    ) -> Written<String> {
        self.function(format!("apart {key}"), "static USUBA_APART", make)
    }

    fn function(
        &mut self,
        key: String,
        linkage: &str,
        make: impl FnOnce(&str) -> Result<Program, Refusal>,
    ) -> Written<String> {
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let name = format!("{}_{}", self.symbol, self.known.len());
        let checked = usuba_machine::check(make(&name)?)
            .map_err(|flaws| Refusal(format!("malformed: {:?}", flaws.first().map(ToString::to_string))))?;
        let mut text = inline_source(&checked, &name, linkage);
        if self.blocks.is_some_and(|(wide, _)| wide.choices.is_assembly) && linkage != INSIDE {
            match assembly_function(&checked, 8 * BLOCK as u32, &name) {
                Ok(function) => {
                    text = text.replacen(linkage, "USUBA_ELSEWHERE", 1);
                    text.truncate(text.find(" {\n").unwrap_or(text.len()));
                    text += ";\n";
                    self.assembly.push((name.clone(), function));
                }
                // It stays C.
                Err(Stop::Limit(_)) => {}
                Err(fault @ Stop::Fault(_)) => return refuse(fault.to_string()),
            }
        }
        self.kernels.push((name.clone(), format!("{text}\n")));
        self.known.insert(key, name.clone());
        Ok(name)
    }

    /// A step by itself on blocks.
    fn on_blocks(&mut self, step: &form::Step) -> Written<()> {
        let Some((_, narrow)) = self.blocks else { return refuse("no machine of blocks") };
        let mut draft = Draft::default();
        let form = self.any_form(&step.node)?;
        let mut inputs = Vec::new();
        for (source, &bits) in step.inputs.iter().zip(&form.inputs) {
            let (given, expression, places) = match source {
                Source::Variable(id) => {
                    let bits = self.bits(*id);
                    let given = match bits {
                        0..=place::BITS => Given::Same,
                        _ if bits.is_multiple_of(place::BITS) => Given::Keys(bits / place::BITS),
                        _ => return refuse("a variable of several blocks and a part"),
                    };
                    let name = if bits < place::BITS { self.aligned(*id, bits) } else { self.name(*id) };
                    (given, name, in_memory(bits, self.message.variable(*id).words.width))
                }
                Source::Element(id, index) => {
                    let bits = self.bits(*id);
                    if bits != place::BITS {
                        return refuse("an element that is no block");
                    }
                    let index = self.number(index);
                    (
                        Given::Same,
                        format!("({} + 16 * ({index}))", self.name(*id)),
                        in_memory(bits, self.message.variable(*id).words.width),
                    )
                }
                Source::Text(text) => (Given::Same, self.block(text, bits / 8)?, place::as_is(bits)),
                Source::Words { text, width, order } => {
                    (Given::Same, self.block(text, bits / 8)?, words(bits, *width, *order))
                }
                Source::Word { number, width } => {
                    let name = self.fresh("number");
                    let value = self.number(number);
                    self.line(&format!("_Alignas(16) uint8_t {name}[16];"));
                    self.line(&format!("number({name}, (uint64_t)({value}));"));
                    (Given::Number, name, place::little_words(*width, *width))
                }
            };
            inputs.push((draft.give(given, expression), places));
        }
        draft.pending.push(Pending::Step(Rc::clone(&form), inputs));
        let mut after = Vec::new();
        for (number, target) in step.outputs.iter().enumerate() {
            let key_bits =
                form.outputs.get(number).filter(|_| form.schedules.contains(&number)).map(Vec::len);
            let name = match target {
                form::Target::Variable(id) if key_bits.is_some() => {
                    let bytes = key_bits.unwrap_or(0) / 8;
                    if !bytes.is_multiple_of(16) {
                        return refuse("a key that is no whole number of blocks");
                    }
                    let name = self.fresh("key");
                    self.line(&format!("_Alignas(16) uint8_t {name}[{bytes}];"));
                    after.push(self.schedule(*id, &name)?);
                    name
                }
                form::Target::Variable(id) if self.bits(*id).is_multiple_of(place::BITS) => self.name(*id),
                form::Target::Variable(id) if !self.message.outputs.contains(id) => self.name(*id),
                form::Target::Variable(id) if self.bits(*id) > place::BITS => {
                    return refuse("an output that is several blocks and a part");
                }
                form::Target::Window(window) if window.length.as_constant() == Some(BLOCK) => {
                    self.window(window)?
                }
                form::Target::Variable(id) => {
                    let name = self.fresh("result");
                    self.line(&format!("_Alignas(16) uint8_t {name}[16];"));
                    after.push(format!("memcpy({}, {name}, {});", self.name(*id), self.bits(*id) / 8));
                    name
                }
                form::Target::Window(window) => {
                    let name = self.fresh("result");
                    self.line(&format!("_Alignas(16) uint8_t {name}[16];"));
                    let (to, length) = (self.window(window)?, self.number(&window.length));
                    after.push(format!("memcpy({to}, {name}, (size_t)({length}));"));
                    name
                }
                form::Target::Element(id, index) => {
                    format!("({} + 16 * ({}))", self.name(*id), self.number(index))
                }
            };
            let blocks = match (target, key_bits) {
                (_, Some(bits)) => step::blocks(bits as u32),
                (form::Target::Variable(id), None) => step::blocks(self.bits(*id)),
                _ => 1,
            };
            draft.results.push(name.clone());
            draft.results.extend((1..blocks).map(|block| format!("{name} + {}", 16 * block)));
        }
        let results: Vec<Draw> = (0..draft.makes()).map(Draw::Made).collect();
        let (plan, given, results) = draft.finish(&results, &[]);
        let kernel = self.inline_kernel(format!("single {plan:?}"), |name| narrow.single(&plan, name))?;
        let casts = self.call(&kernel, (&plan, &given), None, &results);
        self.line(&casts);
        after.iter().for_each(|line| self.line(line));
        Ok(())
    }

    pub(crate) fn call(
        &self,
        kernel: &str,
        (plan, given): (&Plan, &[String]),
        bytes: Option<&str>,
        results: &[String],
    ) -> String {
        let given = plan.given.iter().zip(given).map(|(kind, one)| match kind {
            Given::Carried | Given::Orbit(_) => one.clone(),
            _ => format!("(const void *)({one})"),
        });
        let bytes = bytes.map(str::to_owned);
        let results = results.iter().map(|one| format!("(void *)({one})"));
        let all: Vec<String> = given.chain(bytes).chain(results).collect();
        format!("{kernel}({});", all.join(", "))
    }
}
