//! Programs to text.

use super::{BINARY, ROUNDS, SHIFTS};
use crate::block::BlockOp;
use crate::layout::{Layout, Slicing};
use crate::program::{
    Affine, Block, Inline, Loop, Node, Op, Operation, Origin, Parameter, Program, Type, ValueId,
};
use std::fmt::{self, Display, Formatter};

impl Display for Layout {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let of = |slicing, width| crate::check::layout_is_sound(*self) && Layout::of(slicing, width) == *self;
        match *self {
            Layout::BIT => f.write_str("b1"),
            Layout { word, .. } if of(Slicing::V, word) => write!(f, "v{word}"),
            Layout { pack, .. } if of(Slicing::H, pack) => write!(f, "h{pack}"),
            Layout { word, pack, instances } => write!(f, "<{word},{pack},{instances}>"),
        }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.len {
            None => self.layout.fmt(f),
            Some(len) => write!(f, "{}[{len}]", self.layout),
        }
    }
}

impl Display for ValueId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl Display for Affine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut first = true;
        let mut sign = |f: &mut Formatter<'_>, negative: bool| {
            let text = match (std::mem::replace(&mut first, false), negative) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            f.write_str(text)
        };
        for &(induction, coefficient) in &self.terms {
            sign(f, coefficient < 0)?;
            if coefficient.unsigned_abs() != 1 {
                write!(f, "{}*", coefficient.unsigned_abs())?;
            }
            write!(f, "i{}", induction.0)?;
        }
        if self.constant != 0 || self.terms.is_empty() {
            sign(f, self.constant < 0)?;
            write!(f, "{}", self.constant.unsigned_abs())?;
        }
        Ok(())
    }
}

/// With a leading blank, nothing if there is no origin.
impl Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some((file, line, column)) = self.place {
            match file.0 {
                0 => write!(f, " @{line}:{column}")?,
                file => write!(f, " @{file}/{line}:{column}")?,
            }
        }
        if let Some(name) = &self.name {
            write!(f, " \"{name}\"")?;
        }
        Ok(())
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            writeln!(f, "file \"{file}\"")?;
        }
        if self.interleave != 1 {
            writeln!(f, "interleaved {}", self.interleave)?;
        }
        for (number, node) in self.nodes.iter().enumerate() {
            if number > 0 || !self.files.is_empty() || self.interleave != 1 {
                writeln!(f)?;
            }
            Printer { program: self, node }.node(f)?;
        }
        Ok(())
    }
}

impl Program {
    /// An operation of a node in a line, without types and origins; of a loop the head.
    pub fn line(&self, node: &Node, operation: &Operation) -> String {
        struct Line<'a>(Printer<'a>, &'a Operation);
        impl Display for Line<'_> {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                let Line(printer, Operation { results, op }) = self;
                list(f, results, |f, value| value.fmt(f))?;
                if !results.is_empty() {
                    f.write_str(" = ")?;
                }
                match op {
                    Op::Loop(inner) => write!(f, "loop i{} < {}", inner.induction.0, inner.trips),
                    op => printer.op(f, op, 0),
                }
            }
        }
        Line(Printer { program: self, node }, operation).to_string()
    }
}

struct Printer<'a> {
    program: &'a Program,
    node: &'a Node,
}

impl Printer<'_> {
    fn node(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let node = self.node;
        write!(f, "node {}", node.name)?;
        match node.attributes.inline {
            Inline::Auto => {}
            Inline::Always => f.write_str(" inline")?,
            Inline::Never => f.write_str(" no_inline")?,
        }
        if node.attributes.no_opt {
            f.write_str(" no_opt")?;
        }
        if let Some(count) = node.attributes.interleave {
            write!(f, " interleave({count})")?;
        }
        f.write_str(" (")?;
        list(f, node.inputs.iter().zip(&node.body.parameters), |f, (input, &value)| {
            write!(f, "{value} ")?;
            parameter(f, input)?;
            self.origin(f, value)
        })?;
        f.write_str(") -> (")?;
        list(f, &node.outputs, parameter)?;
        f.write_str(") {\n")?;
        self.block(f, &node.body, 1)?;
        f.write_str("  return")?;
        values(f, " ", &node.body.results)?;
        f.write_str("\n}\n")
    }

    fn block(&self, f: &mut Formatter<'_>, block: &Block, depth: usize) -> fmt::Result {
        block.operations.iter().try_for_each(|operation| self.operation(f, operation, depth))
    }

    fn operation(&self, f: &mut Formatter<'_>, operation: &Operation, depth: usize) -> fmt::Result {
        let Operation { results, op } = operation;
        let one_line = results.len() == 1 && !matches!(op, Op::Loop(_));
        write!(f, "{:1$}", "", 2 * depth)?;
        list(f, results, |f, &value| {
            self.typed(f, value)?;
            if one_line { Ok(()) } else { self.origin(f, value) }
        })?;
        if !results.is_empty() {
            f.write_str(" = ")?;
        }
        self.op(f, op, depth)?;
        if one_line {
            let origin = self.origin_of(results[0]);
            if origin.is_some_and(|origin| *origin != Origin::default()) {
                f.write_str(" ")?;
            }
            self.origin(f, results[0])?;
        }
        f.write_str("\n")
    }

    fn op(&self, f: &mut Formatter<'_>, op: &Op, depth: usize) -> fmt::Result {
        match op {
            Op::Constant(number) => write!(f, "constant {number:#x}"),
            Op::Not(a) => write!(f, "not {a}"),
            Op::Binary(op, a, b) => write!(f, "{} {a}, {b}", word(&BINARY, op)),
            Op::Ternary(table, [a, b, c]) => write!(f, "ternary {table:#04x} {a}, {b}, {c}"),
            Op::Shift(op, a, amount) => write!(f, "{} {a}, {amount}", word(&SHIFTS, op)),
            Op::Shuffle(a, pattern) => {
                write!(f, "shuffle {a}, [")?;
                list(f, pattern, |f, bit| match bit {
                    Some(bit) => write!(f, "{bit}"),
                    None => f.write_str("_"),
                })?;
                f.write_str("]")
            }
            Op::Bitmask(a, bit) => write!(f, "bitmask {a}, {bit}"),
            Op::MapBytes(a, map) => {
                let name = if map.inverts { "invertbytes" } else { "mapbytes" };
                write!(f, "{name} {a}, {:#018x}, {:#04x}", map.affine.matrix(), map.affine.constant)
            }
            Op::Block(BlockOp::Aes(round), a, b) => write!(f, "{} {a}, {b}", word(&ROUNDS, round)),
            Op::Block(BlockOp::Product(halves), a, b) => {
                write!(f, "carryless {:#04x} {a}, {b}", halves.number())
            }
            Op::Block(BlockOp::AddWords(bits), a, b) => write!(f, "addwords {bits} {a}, {b}"),
            Op::Block(BlockOp::JoinHalves(later), a, b) => {
                write!(f, "{} {a}, {b}", if *later { "laterhalves" } else { "firsthalves" })
            }
            Op::InverseMixColumns(a) => write!(f, "inversemixcolumns {a}"),
            Op::Pack(high, low) => write!(f, "pack {high}, {low}"),
            Op::Refresh(a) => write!(f, "refresh {a}"),
            Op::Array(atoms) => {
                f.write_str("array [")?;
                values(f, "", atoms)?;
                f.write_str("]")
            }
            Op::Get(array, index) => write!(f, "get {array}[{index}]"),
            Op::Set(array, index, atom) => write!(f, "set {array}[{index}], {atom}"),
            Op::Slice(array, index) => write!(f, "slice {array}[{index}]"),
            Op::Splice(array, index, part) => write!(f, "splice {array}[{index}], {part}"),
            Op::Call(callee, arguments) => {
                f.write_str("call ")?;
                // A number stands for a node whose name would be taken for another.
                match self.program.nodes.get(callee.index()) {
                    Some(node) if self.is_first(node) => f.write_str(&node.name)?,
                    _ => write!(f, "#{}", callee.0)?,
                }
                f.write_str("(")?;
                values(f, "", arguments)?;
                f.write_str(")")
            }
            Op::Loop(inner) => self.cycle(f, inner, depth),
        }
    }

    /// Whether no node before this one has its name. Names are compared only when the checker would object.
    fn is_first(&self, node: &Node) -> bool {
        self.program
            .nodes
            .iter()
            .find(|other| other.name == node.name)
            .is_some_and(|first| std::ptr::eq(first, node))
    }

    fn cycle(&self, f: &mut Formatter<'_>, inner: &Loop, depth: usize) -> fmt::Result {
        write!(f, "loop i{} < {} carry (", inner.induction.0, inner.trips)?;
        list(f, inner.body.parameters.iter().zip(&inner.initial), |f, (&parameter, initial)| {
            self.typed(f, parameter)?;
            self.origin(f, parameter)?;
            write!(f, " = {initial}")
        })?;
        f.write_str(") {\n")?;
        self.block(f, &inner.body, depth + 1)?;
        write!(f, "{:1$}yield", "", 2 * depth + 2)?;
        values(f, " ", &inner.body.results)?;
        write!(f, "\n{:1$}}}", "", 2 * depth)
    }

    fn typed(&self, f: &mut Formatter<'_>, id: ValueId) -> fmt::Result {
        match self.node.values.get(id.index()) {
            Some(value) => write!(f, "{id}: {}", value.ty),
            None => write!(f, "{id}: ?"),
        }
    }

    fn origin_of(&self, id: ValueId) -> Option<&Origin> {
        self.node.values.get(id.index()).map(|value| &value.origin)
    }

    fn origin(&self, f: &mut Formatter<'_>, id: ValueId) -> fmt::Result {
        self.origin_of(id).map_or(Ok(()), |origin| origin.fmt(f))
    }
}

fn parameter(f: &mut Formatter<'_>, parameter: &Parameter) -> fmt::Result {
    let Parameter { name, ty, shape, uniform } = parameter;
    write!(f, "{name}: {}{ty}", if *uniform { "uniform " } else { "" })?;
    if shape.as_slice() != ty.len.as_slice() {
        f.write_str(" as ")?;
        if shape.is_empty() {
            f.write_str("[]")?;
        }
        for extent in shape {
            write!(f, "[{extent}]")?;
        }
    }
    Ok(())
}

fn values(f: &mut Formatter<'_>, before: &str, values: &[ValueId]) -> fmt::Result {
    if !values.is_empty() {
        f.write_str(before)?;
    }
    list(f, values, |f, value| value.fmt(f))
}

fn list<T>(
    f: &mut Formatter<'_>,
    items: impl IntoIterator<Item = T>,
    mut print: impl FnMut(&mut Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    for (number, item) in items.into_iter().enumerate() {
        if number > 0 {
            f.write_str(", ")?;
        }
        print(f, item)?;
    }
    Ok(())
}

fn word<T: PartialEq>(words: &[(&'static str, T)], op: &T) -> &'static str {
    words.iter().find(|(_, other)| other == op).map_or("?", |(word, _)| word)
}
