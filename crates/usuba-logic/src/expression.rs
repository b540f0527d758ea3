//! Functions of three bits as short expressions.

use crate::truth::VARIABLES as INPUTS;
use std::sync::LazyLock;

/// The operators of a formula, by how they are written.
#[derive(Clone, Copy)]
enum Node {
    Constant(bool),
    Input(usize),
    Not(u8),
    Binary(char, u8, u8),
    /// The first chooses between the other two.
    Choice(usize, usize, usize),
}

/// For each truth table, a formula of the fewest operators: its outermost one, over the tables of its operands.
static SHORTEST: LazyLock<[Node; 256]> = LazyLock::new(shortest);

fn shortest() -> [Node; 256] {
    let mut found: [Option<Node>; 256] = [None; 256];
    let mut layers: Vec<Vec<u8>> = vec![Vec::new()];
    let mut meet = |layer: &mut Vec<u8>, table: u8, node: Node| {
        if found[usize::from(table)].is_none() {
            found[usize::from(table)] = Some(node);
            layer.push(table);
        }
    };
    for (input, &table) in INPUTS.iter().enumerate() {
        meet(&mut layers[0], table, Node::Input(input));
    }
    // Constants are operands of nothing.
    let mut constants = Vec::new();
    meet(&mut constants, 0, Node::Constant(false));
    meet(&mut constants, 0xff, Node::Constant(true));
    while layers.iter().chain([&constants]).map(Vec::len).sum::<usize>() < 256 {
        let cost = layers.len();
        let mut layer = Vec::new();
        if cost == 1 {
            for (a, b, c) in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)] {
                let table = INPUTS[a] & INPUTS[b] | !INPUTS[a] & INPUTS[c];
                meet(&mut layer, table, Node::Choice(a, b, c));
            }
        }
        for &a in &layers[cost - 1] {
            meet(&mut layer, !a, Node::Not(a));
        }
        for left in 0..cost {
            for &a in &layers[left] {
                for &b in &layers[cost - 1 - left] {
                    meet(&mut layer, a & b, Node::Binary('&', a, b));
                    meet(&mut layer, a | b, Node::Binary('|', a, b));
                    meet(&mut layer, a ^ b, Node::Binary('^', a, b));
                }
            }
        }
        layers.push(layer);
    }
    found.map(|node| node.unwrap_or(Node::Constant(false)))
}

/// A short expression for the function of three bits with this truth table, over the names of its inputs: `a ^ b ^ c`,
/// `a ? b : c`.
pub fn expression(table: u8, inputs: [&str; 3]) -> String {
    written(table, inputs, None)
}

/// The formula of a table, in parentheses if it is an operand of another operator than its own.
fn written(table: u8, inputs: [&str; 3], around: Option<char>) -> String {
    let (own, text) = match SHORTEST[usize::from(table)] {
        Node::Constant(bit) => return u8::from(bit).to_string(),
        Node::Input(input) => return inputs[input].into(),
        Node::Not(a) => return format!("~{}", written(a, inputs, Some('~'))),
        Node::Binary(operator, a, b) => {
            let [a, b] = [a, b].map(|operand| written(operand, inputs, Some(operator)));
            (operator, format!("{a} {operator} {b}"))
        }
        Node::Choice(a, b, c) => ('?', format!("{} ? {} : {}", inputs[a], inputs[b], inputs[c])),
    };
    if around.is_none_or(|around| around == own) { text } else { format!("({text})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a formula, read again: operators of one kind, parentheses, choices.
    fn value(text: &str) -> u8 {
        let mut depth = 0;
        let mut parts = vec![String::new()];
        let mut operators = Vec::new();
        for c in text.chars().filter(|c| *c != ' ') {
            depth += i32::from(c == '(') - i32::from(c == ')');
            if depth == 0 && "&|^?:".contains(c) {
                operators.push(c);
                parts.push(String::new());
            } else if let Some(part) = parts.last_mut() {
                part.push(c);
            }
        }
        let values: Vec<u8> = match parts.as_slice() {
            [one] => {
                return match one.as_bytes() {
                    b"a" => 0xf0,
                    b"b" => 0xcc,
                    b"c" => 0xaa,
                    b"0" => 0,
                    b"1" => 0xff,
                    [b'~', ..] => !value(&one[1..]),
                    _ => value(&one[1..one.len() - 1]),
                };
            }
            several => several.iter().map(|part| value(part)).collect(),
        };
        match operators[0] {
            '?' => values[0] & values[1] | !values[0] & values[2],
            first => {
                assert!(operators.iter().all(|&other| other == first), "{text}");
                let apply = |a: u8, b: &u8| match first {
                    '&' => a & b,
                    '|' => a | b,
                    _ => a ^ b,
                };
                values[1..].iter().fold(values[0], apply)
            }
        }
    }

    #[test]
    fn every_table_has_its_formula() {
        for table in 0..=255 {
            let text = expression(table, ["a", "b", "c"]);
            assert_eq!(value(&text), table, "{text}");
        }
        let short = |table| expression(table, ["a", "b", "c"]);
        assert_eq!(
            [0x96, 0xca, 0xfe, 0x0f, 0x78].map(short),
            ["a ^ b ^ c", "a ? b : c", "a | b | c", "~a", "a ^ (b & c)"]
        );
    }
}
