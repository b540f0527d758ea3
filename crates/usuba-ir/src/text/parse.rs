//! Text to programs.

use super::reader::{Cursor, Fault, Reader, Unread, word_len};
use super::{BINARY, ROUNDS, SHIFTS, TextError, TextMessage};
use crate::block::BlockOp;
use crate::bytes::{ByteAffine, ByteMap};
use crate::carryless::Halves;
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
        let mut parser = Parser { cursor: Cursor::new(text), node: Building::default(), calls: Vec::new() };
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
            Unread::Large(largest) => TextMessage::Large(largest),
            Unread::OpenQuote => TextMessage::OpenQuote,
        }
    }
}

type Parsed<T> = Result<T, Fault<TextMessage>>;

/// What is collected while a node is read.
#[derive(Default)]
struct Building {
    values: HashMap<u32, Value>,
    /// Every use, and where it is.
    uses: Vec<(u32, usize)>,
    loops: u32,
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    node: Building,
    /// The callees of the program, in order: operations hold a place in this list until all names are known.
    calls: Vec<(Callee<'a>, usize)>,
}

impl<'a> Reader<'a> for Parser<'a> {
    type Message = TextMessage;

    fn cursor(&mut self) -> &mut Cursor<'a> {
        &mut self.cursor
    }
}

#[derive(Clone, Copy)]
enum Callee<'a> {
    Name(&'a str),
    Number(u32),
}

impl<'a> Parser<'a> {
    /// The number of the value that comes next, if one does, and the length of its text.
    fn next_value(&mut self) -> Option<(u32, usize)> {
        let digits = self.rest().strip_prefix('%')?;
        let len = word_len(digits);
        Some((digits[..len].parse().ok()?, 1 + len))
    }

    /// A value, by its number, and where it stands.
    fn numbered(&mut self) -> Parsed<(u32, usize)> {
        let at = self.here();
        match self.next_value() {
            Some((number, len)) => {
                self.cursor.at += len;
                Ok((number, at))
            }
            None => self.expected("a value"),
        }
    }

    // Programs and nodes.

    fn program(&mut self) -> Parsed<Program> {
        let mut files = Vec::new();
        while self.take("file") {
            match self.quoted()? {
                Some(name) => files.push(name.to_owned()),
                None => return self.expected("the name of a file in quotes"),
            }
        }
        let interleave = if self.take("interleaved") { self.small("a number of batches")? } else { 1 };
        let mut nodes = Vec::new();
        while !self.rest().is_empty() {
            nodes.push(self.node()?);
        }
        self.name_callees(&mut nodes)?;
        Ok(Program { files, nodes, interleave })
    }

    fn node(&mut self) -> Parsed<Node> {
        self.need("node", "`node`")?;
        self.node = Building::default();
        let name = self.word("the name of the node")?.to_owned();
        let attributes = self.attributes()?;
        self.need("(", "`(` and the inputs")?;
        let inputs = self.list(")", "`,` or `)`", |parser| {
            let id = parser.defined()?;
            let input = parser.parameter()?;
            let origin = parser.origin()?;
            parser.describe(id, input.ty, origin);
            Ok((ValueId(id), input))
        })?;
        self.need("->", "`->`")?;
        self.need("(", "`(` and the outputs")?;
        let outputs = self.list(")", "`,` or `)`", Self::parameter)?;
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
            if self.take("inline") {
                attributes.inline = Inline::Always;
            } else if self.take("no_inline") {
                attributes.inline = Inline::Never;
            } else if self.take("no_opt") {
                attributes.no_opt = true;
            } else if self.take("interleave") {
                self.need("(", "`(`")?;
                attributes.interleave = Some(self.small("a number of instances")?);
                self.need(")", "`)`")?;
            } else {
                return Ok(attributes);
            }
        }
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let name = self.word("the name of a parameter")?.to_owned();
        self.need(":", "`:` and a type")?;
        let uniform = self.take("uniform");
        let ty = self.ty()?;
        let mut shape = ty.len.as_slice().to_vec();
        if self.take("as") {
            shape.clear();
            while self.take("[") {
                if shape.is_empty() && self.take("]") {
                    break;
                }
                shape.push(self.small("a dimension")?);
                self.need("]", "`]`")?;
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
        if !self.take("[") {
            return Ok(Type::atom(layout));
        }
        let len = self.number("a number of elements", MAX_LEN.into())? as u32;
        self.need("]", "`]`")?;
        Ok(Type::array(layout, len))
    }

    fn layout(&mut self) -> Parsed<Layout> {
        let start = self.here();
        if self.take("<") {
            let word = self.small("the bits of a word")?;
            self.need(",", "`,`")?;
            let pack = self.small("the words of an atom")?;
            self.need(",", "`,`")?;
            let instances = self.small("the instances of a chunk")?;
            self.need(">", "`>`")?;
            let layout = Layout { word, pack, instances };
            let sound = layout_is_sound(layout);
            return if sound { Ok(layout) } else { Err(Fault { at: start, message: TextMessage::Width }) };
        }
        let word = self.word("a type")?;
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
            return Err(Fault { at: start, message: TextMessage::Type(word.to_owned(), MAX_LEN) });
        };
        if !(1..=MAX_WIDTH).contains(&width) {
            return Err(Fault { at: start, message: TextMessage::Width });
        }
        Ok(Layout::of(slicing, width))
    }

    fn origin(&mut self) -> Parsed<Origin> {
        let mut origin = Origin::default();
        if self.take("@") {
            let mut file = 0;
            let mut line = self.small("a line")?;
            if self.take("/") {
                file = line;
                line = self.small("a line")?;
            }
            self.need(":", "`:` and a column")?;
            origin.place = Some((FileId(file), line, self.small("a column")?));
        }
        origin.name = self.quoted()?.map(Into::into);
        Ok(origin)
    }

    /// The value that is defined here.
    fn defined(&mut self) -> Parsed<u32> {
        let (id, at) = self.numbered()?;
        let unknown = Value { ty: Type::atom(Layout::BIT), origin: Origin::default() };
        match self.node.values.insert(id, unknown) {
            Some(_) => Err(Fault { at, message: TextMessage::DefinedTwice(id) }),
            None => Ok(id),
        }
    }

    fn describe(&mut self, id: u32, ty: Type, origin: Origin) {
        self.node.values.insert(id, Value { ty, origin });
    }

    fn value(&mut self) -> Parsed<ValueId> {
        let (id, at) = self.numbered()?;
        self.node.uses.push((id, at));
        Ok(ValueId(id))
    }

    /// Values between commas, perhaps none, as far as they go.
    fn values(&mut self) -> Parsed<Vec<ValueId>> {
        let mut values = Vec::new();
        if self.next_value().is_some() {
            values.push(self.value()?);
            while self.take(",") {
                values.push(self.value()?);
            }
        }
        Ok(values)
    }

    fn comma_value(&mut self) -> Parsed<ValueId> {
        self.need(",", "`,`")?;
        self.value()
    }

    // Operations.

    fn block(&mut self, parameters: Vec<ValueId>, end: &'static str, depth: u32) -> Parsed<Block> {
        self.need("{", "`{`")?;
        let mut operations = Vec::new();
        while !self.take(end) {
            operations.push(self.operation(depth)?);
        }
        let results = self.values()?;
        self.need("}", "`}`")?;
        Ok(Block { parameters, operations, results })
    }

    fn operation(&mut self, depth: u32) -> Parsed<Operation> {
        let mut defined = Vec::new();
        if self.next_value().is_some() {
            loop {
                let id = self.defined()?;
                self.need(":", "`:` and a type")?;
                let ty = self.ty()?;
                defined.push((id, ty, self.origin()?));
                if !self.take(",") {
                    break;
                }
            }
            self.need("=", "`=` and an operation")?;
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
        let start = self.here();
        let word = self.word("an operation")?;
        if let Some(&(_, op)) = BINARY.iter().find(|(name, _)| *name == word) {
            return Ok(Op::Binary(op, self.value()?, self.comma_value()?));
        }
        if let Some(&(_, op)) = SHIFTS.iter().find(|(name, _)| *name == word) {
            let operand = self.value()?;
            self.need(",", "`,`")?;
            return Ok(Op::Shift(op, operand, self.small("an amount")?));
        }
        if let Some(&(_, round)) = ROUNDS.iter().find(|(name, _)| *name == word) {
            return Ok(Op::Block(BlockOp::Aes(round), self.value()?, self.comma_value()?));
        }
        Ok(match word {
            "constant" => Op::Constant(self.large_number("a number", u128::MAX)?),
            "not" => Op::Not(self.value()?),
            "ternary" => {
                let table = self.number("a truth table", 0xff)? as u8;
                Op::Ternary(table, [self.value()?, self.comma_value()?, self.comma_value()?])
            }
            "shuffle" => {
                let operand = self.value()?;
                self.need(",", "`,`")?;
                self.need("[", "`[`")?;
                let pattern = self.list("]", "`,` or `]`", |parser| {
                    Ok(if parser.take("_") { None } else { Some(parser.small("a bit or `_`")?) })
                })?;
                Op::Shuffle(operand, pattern)
            }
            "bitmask" => {
                let operand = self.value()?;
                self.need(",", "`,`")?;
                Op::Bitmask(operand, self.small("a bit")?)
            }
            "mapbytes" | "invertbytes" => {
                let operand = self.value()?;
                self.need(",", "`,`")?;
                let matrix = self.number("a matrix", u64::MAX)?;
                self.need(",", "`,`")?;
                let constant = self.number("a byte", 0xff)? as u8;
                let affine = ByteAffine::of_matrix(matrix, constant);
                Op::MapBytes(operand, ByteMap { inverts: word == "invertbytes", affine })
            }
            "carryless" => {
                let at = self.here();
                let number = self.number("the halves: 0x00, 0x01, 0x10 or 0x11", 0x11)? as u8;
                let halves =
                    Halves::of_number(number).ok_or(Fault { at, message: TextMessage::Halves(number) })?;
                Op::Block(BlockOp::Product(halves), self.value()?, self.comma_value()?)
            }
            "addwords" => {
                let bits = self.small("the bits of a word")?;
                Op::Block(BlockOp::AddWords(bits), self.value()?, self.comma_value()?)
            }
            "firsthalves" | "laterhalves" => {
                let op = BlockOp::JoinHalves(word == "laterhalves");
                Op::Block(op, self.value()?, self.comma_value()?)
            }
            "inversemixcolumns" => Op::InverseMixColumns(self.value()?),
            "pack" => Op::Pack(self.value()?, self.comma_value()?),
            "refresh" => Op::Refresh(self.value()?),
            "array" => {
                self.need("[", "`[` and the atoms")?;
                Op::Array(self.list("]", "`,` or `]`", Self::value)?)
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
        let start = self.here();
        let callee = match self.take("#") {
            true => Callee::Number(self.small("the number of a node")?),
            false => Callee::Name(self.word("the name of a node")?),
        };
        self.calls.push((callee, start));
        self.need("(", "`(` and the arguments")?;
        let arguments = self.list(")", "`,` or `)`", Self::value)?;
        Ok(Op::Call(NodeId(place), arguments))
    }

    fn cycle(&mut self, depth: u32) -> Parsed<Op> {
        if depth == MAX_DEPTH {
            return self.fault(TextMessage::Deep(MAX_DEPTH));
        }
        let induction = self.induction()?;
        self.need("<", "`<`")?;
        let trips = self.small("the trips")?;
        self.need("carry", "`carry`")?;
        self.need("(", "`(` and the carried values")?;
        let carried = self.list(")", "`,` or `)`", |parser| {
            let id = parser.defined()?;
            parser.need(":", "`:` and a type")?;
            let ty = parser.ty()?;
            let origin = parser.origin()?;
            parser.describe(id, ty, origin);
            parser.need("=", "`=` and the first value")?;
            Ok((ValueId(id), parser.value()?))
        })?;
        let (parameters, initial) = carried.into_iter().unzip();
        let body = self.block(parameters, "yield", depth + 1)?;
        self.node.loops += 1;
        Ok(Op::Loop(Loop { induction, trips, initial, body }))
    }

    fn induction(&mut self) -> Parsed<InductionId> {
        let start = self.here();
        let word = self.word("an induction variable")?;
        match word.strip_prefix('i').and_then(|number| number.parse().ok()) {
            Some(number) => Ok(InductionId(number)),
            None => {
                self.cursor.at = start;
                self.expected("an induction variable")
            }
        }
    }

    /// `[` a sum of a constant and multiples of inductions `]`.
    fn index(&mut self) -> Parsed<Affine> {
        let largest = i64::MAX as u64;
        let mut index = Affine::constant(0);
        self.need("[", "`[` and an index")?;
        let mut sign = if self.take("-") { -1 } else { 1 };
        loop {
            let is_induction = self.rest().starts_with('i');
            let factor = if is_induction { 1 } else { self.number("an index", largest)? as i64 };
            if is_induction || self.take("*") {
                index.terms.push((self.induction()?, sign * factor));
            } else {
                match index.constant.checked_add(sign * factor) {
                    Some(sum) => index.constant = sum,
                    None => return self.fault(TextMessage::Large(largest.into())),
                }
            }
            sign = if self.take("+") {
                1
            } else if self.take("-") {
                -1
            } else {
                self.need("]", "`]`")?;
                return Ok(index);
            };
        }
    }
}
