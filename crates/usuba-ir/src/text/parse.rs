//! Text to programs.

use super::{BINARY, SHIFTS, TextError, TextMessage};
use crate::bytes::{ByteAffine, ByteMap};
use crate::check::{MAX_WIDTH, layout_is_sound};
use crate::layout::{Layout, Slicing};
use crate::program::{
    Affine, Attributes, Block, FileId, InductionId, Inline, Loop, Node, NodeId, Op, Operation, Origin,
    Parameter, Program, Type, Value, ValueId,
};
use std::collections::HashMap;

/// How deep loops can be nested in a text.
const MAX_DEPTH: u32 = 64;

/// The most elements of an array in a text.
const MAX_LEN: u32 = 1 << 24;

impl Program {
    /// The program that a text describes. It need not pass the checker.
    ///
    /// # Errors
    /// The first place where the text is no program.
    pub fn parse(text: &str) -> Result<Program, TextError> {
        let mut parser =
            Parser { text, at: 0, start: 0, token: Token::End, node: Building::default(), calls: Vec::new() };
        parser.program().map_err(|Fault { at, message }| {
            let before = text.get(..at).unwrap_or(text);
            let line = before.matches('\n').count() as u32 + 1;
            let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) as u32 + 1;
            TextError { line, column, message }
        })
    }
}

/// An error at a byte of the text.
struct Fault {
    at: usize,
    message: TextMessage,
}

type Parsed<T> = Result<T, Fault>;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Token<'a> {
    /// Letters, digits, `_` and `'`.
    Word(&'a str),
    /// A value, by its number.
    Value(u32),
    /// What is between quotes.
    Quoted(&'a str),
    Arrow,
    Sign(char),
    End,
}

impl Token<'_> {
    fn describe(self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Value(number) => format!("`%{number}`"),
            Token::Quoted(text) => format!("\"{text}\""),
            Token::Arrow => "`->`".to_owned(),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end of the text".to_owned(),
        }
    }
}

/// What is collected while a node is read.
#[derive(Default)]
struct Building {
    values: HashMap<u32, Value>,
    /// Every use, and where it is.
    uses: Vec<(u32, usize)>,
    loops: u32,
}

struct Parser<'a> {
    text: &'a str,
    /// Where the token after `token` starts.
    at: usize,
    /// Where `token` starts.
    start: usize,
    token: Token<'a>,
    node: Building,
    /// The callees of the program, in order: operations hold a place in this list until all names are known.
    calls: Vec<(Callee<'a>, usize)>,
}

#[derive(Clone, Copy)]
enum Callee<'a> {
    Name(&'a str),
    Number(u32),
}

impl<'a> Parser<'a> {
    // Tokens.

    fn fault<T>(&self, message: TextMessage) -> Parsed<T> {
        Err(Fault { at: self.start, message })
    }

    fn expected<T>(&self, expected: &'static str) -> Parsed<T> {
        self.fault(TextMessage::Expected { expected, found: self.token.describe() })
    }

    fn advance(&mut self) -> Parsed<()> {
        let rest = loop {
            let rest = self.text.get(self.at..).unwrap_or("");
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                break trimmed;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        };
        self.start = self.at;
        let letter = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let word_len = |text: &str| text.find(|c| !letter(c)).unwrap_or(text.len());
        let mut characters = rest.chars();
        let len;
        (self.token, len) = match characters.next() {
            None => (Token::End, 0),
            Some('%') => {
                let number = characters.as_str();
                let number = &number[..word_len(number)];
                match number.parse() {
                    Ok(value) => (Token::Value(value), 1 + number.len()),
                    Err(_) => (Token::Sign('%'), 1),
                }
            }
            Some('"') => {
                let inside = characters.as_str();
                let end = inside.find(['"', '\n']).filter(|&end| inside[end..].starts_with('"'));
                let Some(end) = end else { return self.fault(TextMessage::OpenQuote) };
                (Token::Quoted(&inside[..end]), end + 2)
            }
            Some(c) if letter(c) => {
                let len = word_len(rest);
                (Token::Word(&rest[..len]), len)
            }
            Some('-') if rest.starts_with("->") => (Token::Arrow, 2),
            Some(c) => (Token::Sign(c), c.len_utf8()),
        };
        self.at += len;
        Ok(())
    }

    fn is(&self, sign: char) -> bool {
        self.token == Token::Sign(sign)
    }

    fn take(&mut self, sign: char) -> Parsed<bool> {
        let there = self.is(sign);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    fn take_word(&mut self, word: &str) -> Parsed<bool> {
        let there = self.token == Token::Word(word);
        if there {
            self.advance()?;
        }
        Ok(there)
    }

    fn need(&mut self, sign: char, expected: &'static str) -> Parsed<()> {
        if self.take(sign)? { Ok(()) } else { self.expected(expected) }
    }

    fn need_word(&mut self, word: &str, expected: &'static str) -> Parsed<()> {
        if self.take_word(word)? { Ok(()) } else { self.expected(expected) }
    }

    fn word(&mut self, expected: &'static str) -> Parsed<&'a str> {
        let Token::Word(word) = self.token else { return self.expected(expected) };
        self.advance()?;
        Ok(word)
    }

    /// A number, decimal or hexadecimal, at most `largest`.
    fn number(&mut self, expected: &'static str, largest: u128) -> Parsed<u128> {
        let Token::Word(word) = self.token else { return self.expected(expected) };
        let (digits, radix) = word.strip_prefix("0x").map_or((word, 10), |digits| (digits, 16));
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return self.expected(expected);
        }
        match u128::from_str_radix(digits, radix) {
            Ok(number) if number <= largest => {
                self.advance()?;
                Ok(number)
            }
            _ => self.fault(TextMessage::Large(largest)),
        }
    }

    fn small(&mut self, expected: &'static str) -> Parsed<u32> {
        Ok(self.number(expected, u128::from(u32::MAX))? as u32)
    }

    /// Items between commas, until `end`, which is consumed.
    fn list<T>(
        &mut self,
        end: char,
        expected: &'static str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.take(end)? {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.take(end)? {
                return Ok(items);
            }
            self.need(',', expected)?;
        }
    }

    // Programs and nodes.

    fn program(&mut self) -> Parsed<Program> {
        self.advance()?;
        let mut files = Vec::new();
        while self.take_word("file")? {
            let Token::Quoted(name) = self.token else {
                return self.expected("the name of a file in quotes");
            };
            files.push(name.to_owned());
            self.advance()?;
        }
        let interleave = if self.take_word("interleaved")? { self.small("a number of batches")? } else { 1 };
        let mut nodes = Vec::new();
        while self.token != Token::End {
            nodes.push(self.node()?);
        }
        self.name_callees(&mut nodes)?;
        Ok(Program { files, nodes, interleave })
    }

    fn node(&mut self) -> Parsed<Node> {
        self.need_word("node", "`node`")?;
        self.node = Building::default();
        let name = self.word("the name of the node")?.to_owned();
        let attributes = self.attributes()?;
        self.need('(', "`(` and the inputs")?;
        let inputs = self.list(')', "`,` or `)`", |parser| {
            let id = parser.defined()?;
            let input = parser.parameter()?;
            let origin = parser.origin()?;
            parser.describe(id, input.ty, origin);
            Ok((ValueId(id), input))
        })?;
        if self.token != Token::Arrow {
            return self.expected("`->`");
        }
        self.advance()?;
        self.need('(', "`(` and the outputs")?;
        let outputs = self.list(')', "`,` or `)`", Self::parameter)?;
        let (parameters, inputs) = inputs.into_iter().unzip();
        let body = self.block(parameters, "return", 0)?;
        let Building { mut values, uses, loops } = std::mem::take(&mut self.node);
        let count = values.len() as u32;
        for (id, at) in uses {
            if !values.contains_key(&id) {
                return Err(Fault { at, message: TextMessage::NeverDefined(id) });
            }
            if id >= count {
                return Err(Fault { at, message: TextMessage::Gap(id) });
            }
        }
        let mut dense = Vec::with_capacity(values.len());
        for id in 0..count {
            match values.remove(&id) {
                Some(value) => dense.push(value),
                None => return self.fault(TextMessage::Gap(count)),
            }
        }
        Ok(Node { name, attributes, inputs, outputs, values: dense, inductions: loops, body })
    }

    fn attributes(&mut self) -> Parsed<Attributes> {
        let mut attributes = Attributes::default();
        loop {
            if self.take_word("inline")? {
                attributes.inline = Inline::Always;
            } else if self.take_word("no_inline")? {
                attributes.inline = Inline::Never;
            } else if self.take_word("no_opt")? {
                attributes.no_opt = true;
            } else if self.take_word("interleave")? {
                self.need('(', "`(`")?;
                attributes.interleave = Some(self.small("a number of instances")?);
                self.need(')', "`)`")?;
            } else {
                return Ok(attributes);
            }
        }
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let name = self.word("the name of a parameter")?.to_owned();
        self.need(':', "`:` and a type")?;
        let uniform = self.take_word("uniform")?;
        let ty = self.ty()?;
        let mut shape = ty.len.as_slice().to_vec();
        if self.take_word("as")? {
            shape.clear();
            while self.take('[')? {
                if shape.is_empty() && self.take(']')? {
                    break;
                }
                shape.push(self.small("a dimension")?);
                self.need(']', "`]`")?;
            }
        }
        Ok(Parameter { name, ty, shape, uniform })
    }

    /// Callees may be named before they are read, so that the checker can say what is wrong with their order.
    fn name_callees(&mut self, nodes: &mut [Node]) -> Parsed<()> {
        let mut numbers = HashMap::new();
        for (number, node) in (0..).zip(nodes.iter()) {
            numbers.entry(node.name.clone()).or_insert(number);
        }
        let mut numbered = Vec::with_capacity(self.calls.len());
        for &(callee, at) in &self.calls {
            numbered.push(match callee {
                Callee::Number(number) => number,
                Callee::Name(name) => match numbers.get(name) {
                    Some(&number) => number,
                    None => return Err(Fault { at, message: TextMessage::NoNode(name.to_owned()) }),
                },
            });
        }
        fn name(block: &mut Block, numbered: &[u32]) {
            for operation in &mut block.operations {
                match &mut operation.op {
                    Op::Call(callee, _) => {
                        callee.0 = numbered.get(callee.index()).copied().unwrap_or(callee.0)
                    }
                    Op::Loop(inner) => name(&mut inner.body, numbered),
                    _ => {}
                }
            }
        }
        nodes.iter_mut().for_each(|node| name(&mut node.body, &numbered));
        Ok(())
    }

    // Types, origins, values.

    fn ty(&mut self) -> Parsed<Type> {
        let layout = self.layout()?;
        if !self.take('[')? {
            return Ok(Type::atom(layout));
        }
        let len = self.number("a number of elements", u128::from(MAX_LEN))? as u32;
        self.need(']', "`]`")?;
        Ok(Type::array(layout, len))
    }

    fn layout(&mut self) -> Parsed<Layout> {
        let start = self.start;
        if self.take('<')? {
            let word = self.small("the bits of a word")?;
            self.need(',', "`,`")?;
            let pack = self.small("the words of an atom")?;
            self.need(',', "`,`")?;
            let batch = self.small("the instances of a chunk")?;
            self.need('>', "`>`")?;
            let layout = Layout { word, pack, batch };
            let sound = layout_is_sound(layout);
            return if sound { Ok(layout) } else { Err(Fault { at: start, message: TextMessage::Width }) };
        }
        let Token::Word(word) = self.token else { return self.expected("a type") };
        let parts = word.split_at_checked(1).and_then(|(slicing, width)| {
            let slicing = match slicing {
                "b" => Slicing::B,
                "v" => Slicing::V,
                "h" => Slicing::H,
                _ => return None,
            };
            Some((slicing, width.parse::<u32>().ok()?))
        });
        let Some((slicing, width)) = parts else {
            return self.fault(TextMessage::Type(word.to_owned(), MAX_LEN));
        };
        if !(1..=MAX_WIDTH).contains(&width) {
            return self.fault(TextMessage::Width);
        }
        self.advance()?;
        Ok(Layout::of(slicing, width))
    }

    fn origin(&mut self) -> Parsed<Origin> {
        let mut origin = Origin::default();
        if self.take('@')? {
            let mut file = 0;
            let mut line = self.small("a line")?;
            if self.take('/')? {
                file = line;
                line = self.small("a line")?;
            }
            self.need(':', "`:` and a column")?;
            origin.place = Some((FileId(file), line, self.small("a column")?));
        }
        if let Token::Quoted(name) = self.token {
            origin.name = Some(name.into());
            self.advance()?;
        }
        Ok(origin)
    }

    /// The value that is defined at the token.
    fn defined(&mut self) -> Parsed<u32> {
        let Token::Value(id) = self.token else { return self.expected("a value") };
        if self
            .node
            .values
            .insert(id, Value { ty: Type::atom(Layout::BIT), origin: Origin::default() })
            .is_some()
        {
            return self.fault(TextMessage::DefinedTwice(id));
        }
        self.advance()?;
        Ok(id)
    }

    fn describe(&mut self, id: u32, ty: Type, origin: Origin) {
        self.node.values.insert(id, Value { ty, origin });
    }

    fn value(&mut self) -> Parsed<ValueId> {
        let Token::Value(id) = self.token else { return self.expected("a value") };
        self.node.uses.push((id, self.start));
        self.advance()?;
        Ok(ValueId(id))
    }

    /// Values between commas, perhaps none, as far as they go.
    fn values(&mut self) -> Parsed<Vec<ValueId>> {
        let mut values = Vec::new();
        if let Token::Value(_) = self.token {
            values.push(self.value()?);
            while self.take(',')? {
                values.push(self.value()?);
            }
        }
        Ok(values)
    }

    fn comma_value(&mut self) -> Parsed<ValueId> {
        self.need(',', "`,`")?;
        self.value()
    }

    // Operations.

    fn block(&mut self, parameters: Vec<ValueId>, end: &'static str, depth: u32) -> Parsed<Block> {
        self.need('{', "`{`")?;
        let mut operations = Vec::new();
        while !self.take_word(end)? {
            operations.push(self.operation(depth)?);
        }
        let results = self.values()?;
        self.need('}', "`}`")?;
        Ok(Block { parameters, operations, results })
    }

    fn operation(&mut self, depth: u32) -> Parsed<Operation> {
        let mut defined = Vec::new();
        if let Token::Value(_) = self.token {
            loop {
                let id = self.defined()?;
                self.need(':', "`:` and a type")?;
                let ty = self.ty()?;
                defined.push((id, ty, self.origin()?));
                if !self.take(',')? {
                    break;
                }
            }
            self.need('=', "`=` and an operation")?;
        }
        let results = defined.iter().map(|&(id, ..)| ValueId(id)).collect();
        let op = self.op(depth)?;
        if let [(_, _, origin)] = defined.as_mut_slice()
            && *origin == Origin::default()
        {
            *origin = self.origin()?;
        }
        for (id, ty, origin) in defined {
            self.describe(id, ty, origin);
        }
        Ok(Operation { results, op })
    }

    fn op(&mut self, depth: u32) -> Parsed<Op> {
        let Token::Word(word) = self.token else { return self.expected("an operation") };
        let start = self.start;
        self.advance()?;
        if let Some(&(_, op)) = BINARY.iter().find(|(name, _)| *name == word) {
            return Ok(Op::Binary(op, self.value()?, self.comma_value()?));
        }
        if let Some(&(_, op)) = SHIFTS.iter().find(|(name, _)| *name == word) {
            let operand = self.value()?;
            self.need(',', "`,`")?;
            return Ok(Op::Shift(op, operand, self.small("an amount")?));
        }
        Ok(match word {
            "constant" => Op::Constant(self.number("a number", u128::MAX)?),
            "not" => Op::Not(self.value()?),
            "ternary" => {
                let table = self.number("a truth table", 0xff)? as u8;
                Op::Ternary(table, [self.value()?, self.comma_value()?, self.comma_value()?])
            }
            "shuffle" => {
                let operand = self.value()?;
                self.need(',', "`,`")?;
                self.need('[', "`[`")?;
                let pattern = self.list(']', "`,` or `]`", |parser| {
                    Ok(if parser.take_word("_")? { None } else { Some(parser.small("a bit or `_`")?) })
                })?;
                Op::Shuffle(operand, pattern)
            }
            "bitmask" => {
                let operand = self.value()?;
                self.need(',', "`,`")?;
                Op::Bitmask(operand, self.small("a bit")?)
            }
            "mapbytes" | "invertbytes" => {
                let operand = self.value()?;
                self.need(',', "`,`")?;
                let matrix = self.number("a matrix", u128::from(u64::MAX))? as u64;
                self.need(',', "`,`")?;
                let constant = self.number("a byte", 0xff)? as u8;
                let affine = ByteAffine::of_matrix(matrix, constant);
                Op::MapBytes(operand, ByteMap { inverts: word == "invertbytes", affine })
            }
            "pack" => Op::Pack(self.value()?, self.comma_value()?),
            "refresh" => Op::Refresh(self.value()?),
            "array" => {
                self.need('[', "`[` and the atoms")?;
                Op::Array(self.list(']', "`,` or `]`", Self::value)?)
            }
            "get" => Op::Get(self.value()?, self.index()?),
            "set" => Op::Set(self.value()?, self.index()?, self.comma_value()?),
            "slice" => Op::Slice(self.value()?, self.index()?),
            "splice" => Op::Splice(self.value()?, self.index()?, self.comma_value()?),
            "call" => self.call()?,
            "loop" => self.cycle(depth)?,
            _ => return Err(Fault { at: start, message: TextMessage::Operation(word.to_owned()) }),
        })
    }

    fn call(&mut self) -> Parsed<Op> {
        let place = self.calls.len() as u32;
        let start = self.start;
        let callee = match self.take('#')? {
            true => Callee::Number(self.small("the number of a node")?),
            false => Callee::Name(self.word("the name of a node")?),
        };
        self.calls.push((callee, start));
        self.need('(', "`(` and the arguments")?;
        let arguments = self.list(')', "`,` or `)`", Self::value)?;
        Ok(Op::Call(NodeId(place), arguments))
    }

    fn cycle(&mut self, depth: u32) -> Parsed<Op> {
        if depth == MAX_DEPTH {
            return self.fault(TextMessage::Deep(MAX_DEPTH));
        }
        let induction = self.induction()?;
        self.need('<', "`<`")?;
        let trips = self.small("the trips")?;
        self.need_word("carry", "`carry`")?;
        self.need('(', "`(` and the carried values")?;
        let carried = self.list(')', "`,` or `)`", |parser| {
            let id = parser.defined()?;
            parser.need(':', "`:` and a type")?;
            let ty = parser.ty()?;
            let origin = parser.origin()?;
            parser.describe(id, ty, origin);
            parser.need('=', "`=` and the first value")?;
            Ok((ValueId(id), parser.value()?))
        })?;
        let (parameters, initial) = carried.into_iter().unzip();
        let body = self.block(parameters, "yield", depth + 1)?;
        self.node.loops += 1;
        Ok(Op::Loop(Loop { induction, trips, initial, body }))
    }

    fn induction(&mut self) -> Parsed<InductionId> {
        let Token::Word(word) = self.token else { return self.expected("an induction variable") };
        match word.strip_prefix('i').and_then(|number| number.parse().ok()) {
            Some(number) => {
                self.advance()?;
                Ok(InductionId(number))
            }
            None => self.expected("an induction variable"),
        }
    }

    /// `[` a sum of a constant and multiples of inductions `]`.
    fn index(&mut self) -> Parsed<Affine> {
        let largest = i64::MAX as u128;
        let mut index = Affine::constant(0);
        self.need('[', "`[` and an index")?;
        let mut sign = if self.take('-')? { -1 } else { 1 };
        loop {
            let is_induction = matches!(self.token, Token::Word(word) if word.starts_with('i'));
            let factor = if is_induction { 1 } else { self.number("an index", largest)? as i64 };
            if is_induction || self.take('*')? {
                index.terms.push((self.induction()?, sign * factor));
            } else {
                match index.constant.checked_add(sign * factor) {
                    Some(sum) => index.constant = sum,
                    None => return self.fault(TextMessage::Large(largest)),
                }
            }
            sign = if self.take('+')? {
                1
            } else if self.take('-')? {
                -1
            } else {
                self.need(']', "`]`")?;
                return Ok(index);
            };
        }
    }
}
