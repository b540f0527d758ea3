//! Random messages: nodes with public lengths, of concatenations, padding, loops that carry and that do not, counters, windows of
//! neighbours, and choices on lengths.

use super::prng::Random;
use std::fmt::Write;

/// The name of the node that [`text`] writes.
pub const NODE: &str = "Message";

/// A program of one node that takes the strings `a` and `b` of public lengths, and `k` of four bytes.
pub fn text(seed: u64) -> String {
    let mut writer =
        Writer { prng: Random::new(seed), locals: Vec::new(), body: Vec::new(), facts: Vec::new(), fresh: 0 };
    writer.write()
}

struct Writer {
    prng: Random,
    locals: Vec<String>,
    body: Vec<String>,
    facts: Vec<String>,
    fresh: usize,
}

/// A string: an expression, and its length.
#[derive(Clone)]
struct Text {
    expression: String,
    length: String,
}

impl Writer {
    fn below(&mut self, bound: u64) -> u64 {
        self.prng.below(bound as usize) as u64
    }

    fn name(&mut self, wanted: &str) -> String {
        self.fresh += 1;
        format!("{wanted}{}", self.fresh)
    }

    /// A piece of the message: all of a string, or a part of it.
    fn piece(&mut self) -> Text {
        let (name, length) = if self.below(2) == 0 { ("a", "la") } else { ("b", "lb") };
        match self.below(4) {
            0 => {
                let half = self.name("h");
                self.facts.push(format!("{half} = {length}/2"));
                if self.below(2) == 0 {
                    Text { expression: format!("{name}[0, {half})"), length: half }
                } else {
                    Text {
                        expression: format!("{name}[{half}, {length})"),
                        length: format!("({length}-{half})"),
                    }
                }
            }
            1 => Text { expression: "k".into(), length: "4".into() },
            _ => Text { expression: name.into(), length: length.into() },
        }
    }

    /// Blocks of `size` bytes of a padded concatenation: the name of the array, and the number of blocks.
    fn blocks(&mut self, size: u64) -> (String, String) {
        let count = 1 + self.below(3);
        let pieces: Vec<Text> = (0..count).map(|_| self.piece()).collect();
        let joined: Vec<&str> = pieces.iter().map(|piece| piece.expression.as_str()).collect();
        let lengths: Vec<&str> = pieces.iter().map(|piece| piece.length.as_str()).collect();
        let (joined, length) = (joined.join(" ++ "), lengths.join("+"));
        let (array, blocks) = (self.name("X"), self.name("m"));
        let padded = match self.below(3) {
            0 => {
                self.facts.push(format!("{blocks} = ({length}+{})/{size}", size - 1));
                format!("Zero({joined}, {size})")
            }
            1 => {
                self.facts.push(format!("{blocks} = ({length})/{size}+1"));
                format!("Pad({joined}, {size}, 0x01)")
            }
            _ => {
                self.facts.push(format!("{blocks} = ({length})/{size}+1"));
                format!("Pad({joined}, {size}, 0x06, 0x80)")
            }
        };
        self.locals.push(format!("{array}:u8[{blocks}][{size}]"));
        self.body.push(format!("{array} = {padded}"));
        (array, blocks)
    }

    /// A function of blocks of `size` bytes.
    fn mixed(&mut self, operands: &[String], size: u64) -> String {
        let mut sum = operands.first().cloned().unwrap_or_default();
        for operand in operands.iter().skip(1) {
            let op = ["^", "^", "&", "|"][self.below(4) as usize];
            sum = format!("({sum} {op} {operand})");
        }
        match self.below(3) {
            0 => format!("Turn{size}({sum})"),
            1 => format!("Add{size}({sum}, {})", operands.last().cloned().unwrap_or_default()),
            _ => sum,
        }
    }

    fn write(&mut self) -> String {
        let size = [4, 8][self.below(2) as usize];
        let mut out = String::new();
        let rotated: Vec<String> = (0..size).map(|i| format!("x[{}]", (i + 3) % size)).collect();
        let _ = write!(
            out,
            "node Turn{size} (x:u8[{size}]) returns (y:u8[{size}])\nlet y = ({}) tel\n\n\
             node Add{size} (x, y:u8[{size}]) returns (z:u8[{size}])\n\
             let z = Bytes(Words(x, little):u32 + Words(y, little):u32, little) tel\n\n",
            rotated.join(", ")
        );
        let outputs = 1 + self.below(2);
        let mut results = Vec::new();
        for _ in 0..outputs {
            results.push(match self.below(3) {
                0 => self.scan(size),
                1 => self.map(size),
                _ => self.chain(size),
            });
        }
        self.facts.sort_by_key(|fact| {
            // In the order in which they were made: a fact is named by a number at its end.
            fact.split(' ').next().and_then(|name| name[1..].parse::<usize>().ok())
        });
        let facts =
            if self.facts.is_empty() { String::new() } else { format!("where {}\n", self.facts.join(", ")) };
        let locals = format!("vars {}\n", self.locals.join(", "));
        let _ = write!(
            out,
            "node {NODE} (a:u8[la], k:uniform u8[4], b:u8[lb]) returns ({})\n{facts}{locals}let\n    {}\ntel\n",
            results.join(", "),
            self.body.join(";\n    ")
        );
        out.replace("};\n", "}\n")
    }

    /// The last of a chain of blocks.
    fn scan(&mut self, size: u64) -> String {
        let (array, blocks) = self.blocks(size);
        let (state, result) = (self.name("s"), self.name("t"));
        self.locals.push(format!("{state}:u8[{blocks}+1][{size}]"));
        self.body.push(format!("{state}[0] = 0"));
        let next = self.mixed(&[format!("{state}[i]"), format!("{array}[i]")], size);
        self.body.push(format!("forall i in [0, {blocks}) {{ {state}[i+1] = {next} }}"));
        if self.below(2) == 0 {
            let last = format!("{state}[{blocks}]");
            let other = self.mixed(&[last.clone(), last.clone()], size);
            self.body.push(format!(
                "if la%{size} == 0 {{ {result} = {last} }} else {{ {result} = Turn{size}({other}) }}"
            ));
        } else {
            self.body.push(format!("{result} = {state}[{blocks}]"));
        }
        format!("{result}:u8[{size}]")
    }

    /// A string, with a stream that a counter makes, or blocks and those before them.
    fn map(&mut self, size: u64) -> String {
        let (text, length) = if self.below(2) == 0 { ("a", "la") } else { ("b", "lb") };
        let (stream, result, blocks) = (self.name("r"), self.name("t"), self.name("n"));
        self.facts.push(format!("{blocks} = ({length}+{})/{size}", size - 1));
        self.locals.push(format!("{stream}:u8[{blocks}][{size}]"));
        let word = format!("Bytes(Word(i+{}):u{}, big)", self.prng.below(300), 8 * size);
        let before = if self.below(2) == 0 {
            let chain = self.name("c");
            self.locals.push(format!("{chain}:u8[{length}+{size}]"));
            let bits = 8 * size;
            self.body.push(format!("{chain} = Bytes(Word(7):u{bits}, big) ++ {text}"));
            format!("{chain}[{size}*i, {size}*i+{size})")
        } else {
            word.clone()
        };
        let made = self.mixed(&[word, before], size);
        self.body.push(format!("forall i in [0, {blocks}) {{ {stream}[i] = {made} }}"));
        self.body.push(format!("{result} = {text} ^ Bytes({stream})[0, {length})"));
        format!("{result}:u8[{length}]")
    }

    /// Whole blocks of a string, each chained to the one before, and what is left.
    fn chain(&mut self, size: u64) -> String {
        let (text, length) = if self.below(2) == 0 { ("a", "la") } else { ("b", "lb") };
        let (chain, result, blocks, last) = (self.name("c"), self.name("t"), self.name("n"), self.name("z"));
        self.facts.push(format!("{blocks} = {length}/{size}"));
        self.locals.push(format!("{chain}:u8[{blocks}+1][{size}], {last}:u8[{size}]"));
        self.body.push(format!("{chain}[0] = 0"));
        let block = format!("{text}[{size}*i, {size}*i+{size})");
        let next = self.mixed(&[format!("{chain}[i]"), block], size);
        self.body.push(format!("forall i in [0, {blocks}) {{ {chain}[i+1] = {next} }}"));
        self.body.push(format!("{last} = Turn{size}({chain}[{blocks}])"));
        self.body.push(format!(
            "{result} = Bytes({chain}[1, {blocks}+1)) ++ ({text}[{size}*{blocks}, {length}) ^ {last}[0, {length}-{size}*{blocks}))"
        ));
        format!("{result}:u8[{length}]")
    }
}
