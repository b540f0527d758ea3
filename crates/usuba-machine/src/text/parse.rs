//! Text to machine programs.

use super::{Kind, TextError, TextMessage, rows_called};
use crate::program::{
    Address, Argument, Block, Call, Carried, Element, Function, Length, Loop, Parameter, Program, Public,
    Region, RegionId, Register, RegisterId, RegisterType, Role, Step, Trips,
};
use std::collections::BTreeMap;
use usuba_ir::program::{Affine, FileId, InductionId, Inline};
use usuba_ir::text::reader::{Cursor, Fault, Reader, Unread};
use usuba_target::{Constant, Instruction, Meaning, Target};

/// Loops in loops; deeper ones would overflow the stack.
const MAX_DEPTH: u32 = 64;

impl Program {
    /// The program that a text says. It need not be sound: [`crate::check()`] tells.
    ///
    /// # Errors
    /// The first place that does not fit the form of machine programs ([`crate::text`]).
    pub fn parse(text: &str) -> Result<Program, TextError> {
        let mut parser = Parser {
            cursor: Cursor::new(text),
            target: &usuba_target::machines::GP64,
            functions: Vec::new(),
            own: Own::default(),
        };
        parser.program().map_err(|fault| {
            let (line, column) = fault.place(text);
            TextError { line, column, message: fault.message }
        })
    }
}

impl From<Unread> for TextMessage {
    fn from(unread: Unread) -> TextMessage {
        match unread {
            Unread::Expected { expected, found } => TextMessage::Expected { expected, found },
            // No number of a machine program has more bits.
            Unread::Large(largest) => TextMessage::Large(largest as u64),
            Unread::OpenQuote => TextMessage::OpenQuote,
        }
    }
}

type Parsed<T> = Result<T, Fault<TextMessage>>;

/// What the function that is read has so far.
#[derive(Default)]
struct Own {
    registers: BTreeMap<u32, Register>,
    regions: BTreeMap<u32, Region>,
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    target: &'static Target,
    functions: Vec<Function>,
    own: Own,
}

impl<'a> Reader<'a> for Parser<'a> {
    type Message = TextMessage;

    fn cursor(&mut self) -> &mut Cursor<'a> {
        &mut self.cursor
    }
}

/// Names and types.
impl Parser<'_> {
    fn ty(&mut self) -> Parsed<RegisterType> {
        let start = self.cursor.at;
        let word = self.word("a type")?;
        let bits = |text: &str| text.parse().ok().filter(|bits| (1..=512).contains(bits));
        let split = word.split_at_checked(1);
        let found = match (word, split) {
            ("count", _) => Some(RegisterType::Count),
            (_, Some(("g", rest))) => bits(rest).map(|bits| RegisterType::General { bits }),
            (_, Some(("v", rest))) => match rest.split_once('x') {
                None => bits(rest).map(|bits| RegisterType::Vector { bits, lane: 0 }),
                Some((of, lane)) => {
                    bits(of).zip(bits(lane)).map(|(bits, lane)| RegisterType::Vector { bits, lane })
                }
            },
            _ => None,
        };
        match found {
            Some(ty) => Ok(ty),
            None => {
                self.cursor.at = start;
                self.fault(TextMessage::Type(word.into()))
            }
        }
    }

    fn register(&mut self) -> Parsed<RegisterId> {
        self.need("%", "a register")?;
        Ok(RegisterId(self.small("the number of a register")?))
    }

    fn region(&mut self) -> Parsed<RegionId> {
        self.need("&", "a region")?;
        Ok(RegionId(self.small("the number of a region")?))
    }

    fn defined(&mut self) -> Parsed<RegisterId> {
        let start = self.cursor.at;
        let id = self.register()?;
        let name = self.quoted()?.map(Into::into);
        self.need(":", "`:` and a type")?;
        let ty = self.ty()?;
        let place = self.place()?;
        if self.own.registers.insert(id.0, Register { ty, name, place }).is_some() {
            self.cursor.at = start;
            return self.fault(TextMessage::DefinedTwice(id.to_string()));
        }
        Ok(id)
    }

    /// A place in the source, if there is one.
    fn place(&mut self) -> Parsed<Option<(FileId, u32, u32)>> {
        if !self.take("@") {
            return Ok(None);
        }
        let (mut file, mut line) = (0, self.small("a line")?);
        if self.take("/") {
            (file, line) = (line, self.small("a line")?);
        }
        self.need(":", "`:` and a column")?;
        Ok(Some((FileId(file), line, self.small("a column")?)))
    }

    fn declared(&mut self) -> Parsed<RegionId> {
        let start = self.cursor.at;
        let id = self.region()?;
        let Some(name) = self.quoted()? else { return self.expected("a name in quotes") };
        self.need(":", "`:` and a role")?;
        let role = match () {
            () if self.take("input") => Role::Input,
            () if self.take("uniform") => Role::Uniform,
            () if self.take("output") => Role::Output,
            () if self.take("changed") => Role::Changed,
            () if self.take("local") => Role::Local,
            () => return self.expected("`input`, `uniform`, `output` or `local`"),
        };
        let element = self.element()?;
        self.need("[", "`[` and a length")?;
        let length = self.length()?;
        self.need("]", "`]`")?;
        if self.own.regions.insert(id.0, Region { name: name.into(), role, element, length }).is_some() {
            self.cursor.at = start;
            return self.fault(TextMessage::DefinedTwice(id.to_string()));
        }
        Ok(id)
    }

    fn element(&mut self) -> Parsed<Element> {
        let bits = self.rest().strip_prefix('u').map(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if bits != Some(true) {
            return Ok(Element::Register(self.ty()?));
        }
        self.cursor.at += 1;
        let bits = self.number("the bits of a scalar", 512)? as u32;
        let count = if self.take("*") { self.number("a number of scalars", 64)? as u32 } else { 1 };
        Ok(Element::Scalars { bits, count })
    }

    fn length(&mut self) -> Parsed<Length> {
        if self.rest().starts_with('%') {
            return Ok(Length::Public { count: self.register()?, factor: 1 });
        }
        let number = self.small("a length")?;
        if self.take("*") {
            return Ok(Length::Public { count: self.register()?, factor: number });
        }
        Ok(Length::Constant(number))
    }

    fn row(&mut self, kind: Kind) -> Parsed<&'static Instruction> {
        let rest = self.rest();
        let written = &rest[..rest.find(char::is_whitespace).unwrap_or(rest.len())];
        let (name, meaning) =
            written.split_once('!').map_or((written, None), |(name, meaning)| (name, Some(meaning)));
        let found = rows_called(self.target, kind, name)
            .find(|row| meaning.is_none_or(|meaning| format!("{:?}", row.meaning) == meaning));
        match found {
            Some(row) => {
                self.cursor.at += written.len();
                Ok(row)
            }
            None => {
                let (row, target) = (written.to_owned(), self.target.name);
                self.fault(TextMessage::Row { row, target, what: kind.purpose() })
            }
        }
    }

    fn address(&mut self) -> Parsed<Address> {
        let region = self.region()?;
        self.need("[", "`[` and an index")?;
        Ok(Address { region, index: self.index()? })
    }

    /// An index and the bracket behind it.
    fn index(&mut self) -> Parsed<Affine> {
        let largest = i64::MAX as u64;
        let mut index = Affine::constant(0);
        let mut sign = if self.take("-") { -1 } else { 1 };
        loop {
            let is_induction = self.rest().starts_with('i');
            let factor = if is_induction { 1 } else { self.number("an index", largest)? as i64 };
            if is_induction || self.take("*") {
                index.terms.push((self.induction()?, sign * factor));
            } else {
                match index.constant.checked_add(sign * factor) {
                    Some(sum) => index.constant = sum,
                    None => return self.fault(TextMessage::Large(largest)),
                }
            }
            sign = match () {
                () if self.take("+") => 1,
                () if self.take("-") => -1,
                () => {
                    self.need("]", "`]`")?;
                    return Ok(index);
                }
            };
        }
    }

    fn induction(&mut self) -> Parsed<InductionId> {
        let start = self.cursor.at;
        let word = self.word("an induction variable")?;
        // Interpreters have a place for each number up to the largest.
        match word
            .strip_prefix('i')
            .and_then(|number| number.parse().ok())
            .filter(|&number: &u32| number < 1 << 20)
        {
            Some(number) => Ok(InductionId(number)),
            None => {
                self.cursor.at = start;
                self.expected("an induction variable")
            }
        }
    }
}

/// Functions and steps.
impl Parser<'_> {
    fn program(&mut self) -> Parsed<Program> {
        self.need("target", "`target` and its name")?;
        let rest = self.rest();
        let name = &rest[..rest.find(char::is_whitespace).unwrap_or(rest.len())];
        match usuba_target::by_name(name) {
            Some(target) => self.target = target,
            None => return self.fault(TextMessage::Target(name.into())),
        }
        self.cursor.at += name.len();
        let mut files = Vec::new();
        while self.take("file") {
            match self.quoted()? {
                Some(file) => files.push(file.to_owned()),
                None => return self.expected("the name of a file in quotes"),
            }
        }
        while !self.rest().is_empty() {
            self.need("function", "`function`")?;
            let function = self.function()?;
            self.functions.push(function);
        }
        Ok(Program { target: self.target.name, files, functions: std::mem::take(&mut self.functions) })
    }

    fn function(&mut self) -> Parsed<Function> {
        self.own = Own::default();
        let name = self.word("the name of a function")?.to_owned();
        let inline = match () {
            () if self.take("inline") => Inline::Always,
            () if self.take("no_inline") => Inline::Never,
            () => Inline::Auto,
        };
        self.need("(", "`(` and the parameters")?;
        let parameters = self.list(")", "`,` or `)`", |parser| {
            Ok(match parser.rest().starts_with('%') {
                true => Parameter::Register(parser.defined()?),
                false => Parameter::Region(parser.declared()?),
            })
        })?;
        self.need("{", "`{`")?;
        while self.take("unused") {
            if self.rest().starts_with('%') {
                self.defined()?;
            } else {
                self.declared()?;
            }
        }
        let mut body = self.block(0)?;
        let constants = body.steps.iter().take_while(|step| matches!(step, Step::Constant { .. })).count();
        let constants = body.steps.drain(..constants).collect();
        let Own { registers, regions } = std::mem::take(&mut self.own);
        let gap = |numbers: Vec<u32>, sign| {
            let gap = (0u32..).zip(numbers).find(|(expected, found)| expected != found);
            gap.map(|(expected, _)| format!("{sign}{expected}"))
        };
        let gaps =
            gap(registers.keys().copied().collect(), '%').or(gap(regions.keys().copied().collect(), '&'));
        if let Some(gap) = gaps {
            return self.fault(TextMessage::Gap(gap));
        }
        let (registers, regions) = (registers.into_values().collect(), regions.into_values().collect());
        Ok(Function { name, inline, parameters, registers, regions, constants, body })
    }

    /// A block whose `{` was read.
    fn block(&mut self, depth: u32) -> Parsed<Block> {
        if depth > MAX_DEPTH {
            return self.fault(TextMessage::Deep(MAX_DEPTH));
        }
        let mut block = Block::default();
        while !self.take("}") {
            if !self.rest().starts_with('&') {
                block.steps.push(self.step(depth)?);
                continue;
            }
            let region = self.declared()?;
            if self.take("=") {
                let of = self.region()?;
                self.need("+", "`+` and how many elements further")?;
                block.steps.push(Step::View { region, of, offset: self.register()? });
            } else if block.steps.is_empty() {
                block.locals.push(region);
            } else {
                return self.expected("`=` and the region that this is a view of");
            }
        }
        Ok(block)
    }

    fn step(&mut self, depth: u32) -> Parsed<Step> {
        match () {
            () if self.take("store") => {
                let (row, address) = (self.row(Kind::Store)?, self.address()?);
                if row.meaning == Meaning::Scatter {
                    let addresses = self.further(address, |parser| !parser.rest().starts_with('%'))?;
                    return Ok(Step::Scatter { row, addresses, value: self.register()? });
                }
                self.need(",", "`,`")?;
                let value = self.register()?;
                Ok(match self.part()? {
                    Some(count) => Step::StorePart { row, address, value, count },
                    None => Step::Store { row, address, value },
                })
            }
            () if self.take("fill") => {
                let (store, address) = (self.row(Kind::Store)?, self.address()?);
                self.need(",", "`,`")?;
                let value = self.register()?;
                Ok(Step::Fill { store, address, len: self.small("a number of elements")?, value })
            }
            () if self.take("copy") => self.copy(),
            () if self.take("call") => self.call(),
            () if self.take("loop") => self.looped(depth),
            () if self.rest().starts_with('%') => self.definition(),
            () => self.expected("a step or `}`"),
        }
    }

    fn copy(&mut self) -> Parsed<Step> {
        let whole = !self.rest().starts_with('&');
        let rows = if whole { Some((self.row(Kind::Load)?, self.row(Kind::Store)?)) } else { None };
        let to = self.address()?;
        self.need(",", "`,`")?;
        let from = self.address()?;
        match (rows, self.part()?) {
            (Some((load, store)), None) => {
                Ok(Step::Copy { load, store, from, to, len: self.small("a number of elements")? })
            }
            (None, Some(count)) => Ok(Step::CopyPart { from, to, count }),
            (None, None) => self.expected("`part` and a public count"),
            (Some(_), Some(_)) => self.fault(TextMessage::CopyPart),
        }
    }

    fn definition(&mut self) -> Parsed<Step> {
        let result = self.defined()?;
        self.need("=", "`=`")?;
        if self.own.registers.get(&result.0).is_some_and(|register| register.ty == RegisterType::Count) {
            return Ok(Step::Count { result, value: self.public()? });
        }
        if self.take("load") {
            let (row, address) = (self.row(Kind::Load)?, self.address()?);
            if row.meaning == Meaning::Gather {
                let addresses = self.further(address, |_| true)?;
                return Ok(Step::Gather { row, result, addresses });
            }
            return Ok(match self.part()? {
                Some(count) => Step::LoadPart { row, result, address, count },
                None => Step::Load { row, result, address },
            });
        }
        if self.take("constant") {
            return Ok(Step::Constant { row: self.row(Kind::Constant)?, result, constant: self.constant()? });
        }
        let row = self.row(Kind::Compute)?;
        let is_number = self.rest().starts_with(|c: char| c.is_ascii_digit());
        let immediate = if is_number { Some(self.small("an immediate")?) } else { None };
        let mut operands = vec![self.register()?];
        while self.take(",") {
            operands.push(self.register()?);
        }
        Ok(Step::Compute { row, result, operands, immediate })
    }

    /// An address and those after it, each behind a comma, as long as after a comma there is one.
    fn further(&mut self, first: Address, is_address: fn(&mut Self) -> bool) -> Parsed<Vec<Address>> {
        let mut addresses = vec![first];
        while self.take(",") && is_address(self) {
            addresses.push(self.address()?);
        }
        Ok(addresses)
    }

    /// How many elements, if only the first are moved.
    fn part(&mut self) -> Parsed<Option<RegisterId>> {
        if self.take("part") { self.register().map(Some) } else { Ok(None) }
    }

    fn public(&mut self) -> Parsed<Public> {
        let positive = |parser: &mut Self| parser.small("a number");
        if self.take("[") {
            return Ok(Public::Index(self.index()?));
        }
        if self.take("min") {
            self.need("(", "`(`")?;
            let of = self.register()?;
            self.need(",", "`,`")?;
            let bound = positive(self)?;
            self.need(")", "`)`")?;
            return Ok(Public::Least { of, bound });
        }
        let largest = i64::MAX as u64;
        let (mut constant, mut terms) = (0_i64, Vec::new());
        let mut sign = if self.take("-") { -1 } else { 1 };
        loop {
            let is_count = self.rest().starts_with('%');
            let factor = if is_count { 1 } else { self.number("a count or a number", largest)? as i64 };
            if is_count || self.take("*") {
                terms.push((self.register()?, sign * factor));
            } else {
                match constant.checked_add(sign * factor) {
                    Some(sum) => constant = sum,
                    None => return self.fault(TextMessage::Large(largest)),
                }
            }
            if let ([(of, 1)], 0) = (terms.as_slice(), constant) {
                let of = *of;
                if self.take("/") {
                    return Ok(Public::Quotient { of, by: positive(self)? });
                }
                if self.take("mod") {
                    return Ok(Public::Remainder { of, by: positive(self)? });
                }
            }
            sign = match () {
                () if self.take("+") => 1,
                () if self.take("-") => -1,
                () => return Ok(Public::Sum { constant, terms }),
            };
        }
    }

    fn constant(&mut self) -> Parsed<Constant> {
        if self.take("lanes") {
            let mut values = Vec::new();
            while self.rest().starts_with(|c: char| c.is_ascii_digit()) {
                values.push(self.number("a lane", u64::MAX)?);
            }
            return Ok(Constant::Lanes(values));
        }
        if self.take("bytes") {
            let start = self.cursor.at;
            let word = self.word("bytes in hexadecimal")?;
            let bytes: Option<Vec<u8>> = word
                .as_bytes()
                .chunks(2)
                .map(|pair| std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2))
                .map(|pair| pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()))
                .collect();
            return match bytes {
                Some(bytes) => Ok(Constant::Bytes(bytes)),
                None => {
                    self.cursor.at = start;
                    self.expected("bytes in hexadecimal")
                }
            };
        }
        Ok(Constant::Lane(self.number("the value of a lane, `lanes` or `bytes`", u64::MAX)?))
    }

    fn call(&mut self) -> Parsed<Step> {
        let start = self.cursor.at;
        let name = self.word("the name of a function")?;
        let Some(function) = self.functions.iter().position(|function| function.name == name) else {
            self.cursor.at = start;
            return self.fault(TextMessage::NoFunction(name.into()));
        };
        self.need("(", "`(` and the arguments")?;
        let arguments = self.list(")", "`,` or `)`", |parser| {
            Ok(match () {
                () if parser.take("read") => Argument::Read(parser.address()?),
                () if parser.take("write") => Argument::Write(parser.address()?),
                () if parser.take("result") => Argument::Result(parser.defined()?),
                () => Argument::Value(parser.register()?),
            })
        })?;
        Ok(Step::Call(Call { function, arguments }))
    }

    fn looped(&mut self, depth: u32) -> Parsed<Step> {
        let induction = self.induction()?;
        self.need("<", "`<`")?;
        let trips = match self.rest().starts_with('%') {
            true => Trips::Public(self.register()?),
            false => Trips::Constant(self.small("the trips")?),
        };
        let mut carried = Vec::new();
        if self.take("carry") {
            self.need("(", "`(` and the carried registers")?;
            carried = self.list(")", "`,` or `)`", |parser| {
                let register = parser.defined()?;
                parser.need("=", "`=` and the first value")?;
                let initial = parser.register()?;
                parser.need("next", "`next` and the next value")?;
                Ok(Carried { register, initial, next: parser.register()? })
            })?;
        }
        self.need("{", "`{`")?;
        Ok(Step::Loop(Loop { induction, trips, carried, body: self.block(depth + 1)? }))
    }
}
