//! How expressions group, and where their parts lie.

use usuba_lang::ast::{
    Assignment, BinaryOp, Bodies, Equation, Expression, ExpressionKind, Item, ShiftOp, Static, StaticKind,
    StaticOp,
};
use usuba_lang::source::SourceId;
use usuba_lang::syntax::parse;

/// The equation of a node that has but one.
fn equation(text: &str) -> Assignment {
    let program = format!("node f (x:u8) returns (y:u8) let {text} tel");
    let (file, diagnostics) = parse(SourceId(0), &program);
    assert!(!diagnostics.iter().any(|d| d.is_error()), "{text}: {diagnostics:?}");
    let Some(Item::Definition(definition)) = file.items.into_iter().next() else { panic!("{text}") };
    let Bodies::Node(bodies) = definition.bodies else { panic!("{text}") };
    match bodies.into_iter().next().and_then(|body| body.equations.into_iter().next()) {
        Some(Equation::Assign(assignment)) => assignment,
        _ => panic!("{text}"),
    }
}

fn show_static(expression: &Static) -> String {
    match &expression.kind {
        StaticKind::Integer(integer) => integer.value.to_string(),
        StaticKind::Name(name) => name.clone(),
        StaticKind::Binary(operator, left, right) => {
            let sign = match operator {
                StaticOp::Add => "+",
                StaticOp::Subtract => "-",
                StaticOp::Multiply => "*",
                StaticOp::Divide => "/",
                StaticOp::Modulo => "%",
            };
            format!("({} {sign} {})", show_static(left), show_static(right))
        }
        StaticKind::Apply(..) => panic!("{expression:?}"),
    }
}

/// The expression with all its parentheses.
fn show(expression: &Expression) -> String {
    match &expression.kind {
        ExpressionKind::Constant(integer, _) => integer.value.to_string(),
        ExpressionKind::Reference(reference) => reference.name.text.clone(),
        ExpressionKind::Not(operand) => format!("(~{})", show(operand)),
        ExpressionKind::Binary(operator, left, right) => {
            let sign = match operator {
                BinaryOp::And => "&",
                BinaryOp::Or => "|",
                BinaryOp::Xor => "^",
                BinaryOp::Add => "+",
                BinaryOp::Subtract => "-",
                BinaryOp::Multiply => "*",
                BinaryOp::Divide => "/",
                BinaryOp::Modulo => "%",
            };
            format!("({} {sign} {})", show(left), show(right))
        }
        ExpressionKind::Shift(operator, operand, amount) => {
            let sign = match operator {
                ShiftOp::Left => "<<",
                ShiftOp::Right => ">>",
                ShiftOp::RightArithmetic => ">>!",
                ShiftOp::RotateLeft => "<<<",
                ShiftOp::RotateRight => ">>>",
            };
            format!("({} {sign} {})", show(operand), show_static(amount))
        }
        ExpressionKind::Call { callee, element, arguments } => {
            let element = element.as_ref().map_or(String::new(), |e| format!("<{}>", show_static(e)));
            let arguments: Vec<String> = arguments.iter().map(show).collect();
            format!("{}{element}({})", callee.text, arguments.join(", "))
        }
        other => panic!("{other:?}"),
    }
}

fn check(written: &str, means: &str) {
    assert_eq!(show(&equation(&format!("y = {written}")).value), means, "{written}");
}

#[test]
fn grouping() {
    check("a ^ b & c", "((a ^ b) & c)");
    check("a & b ^ c | d", "(((a & b) ^ c) | d)");
    check("a + b ^ c", "(a + (b ^ c))");
    check("a * b & c", "(a * (b & c))");
    check("a ^ b << 1", "((a ^ b) << 1)");
    check("a << 1 ^ b", "((a << 1) ^ b)");
    check("a & b << 1 & c", "(((a & b) << 1) & c)");
    check("a << 1 << 2", "((a << 1) << 2)");
    check("a << n + b", "(a << (n + b))");
    check("~a << 3", "((~a) << 3)");
    check("~!a ^ ~b", "((~(~a)) ^ (~b))");
    check("a - b - c", "((a - b) - c)");
    check("a / b * c % d", "(((a / b) * c) % d)");
    check("a + b * c - d", "((a + (b * c)) - d)");
    check("a * b << 1 + c", "((a * b) << (1 + c))");
    check("a + b << 1 ^ c", "(((a + b) << 1) ^ c)");
    check("a >>! 1 >>> 2 <<< 3 >> 4", "((((a >>! 1) >>> 2) <<< 3) >> 4)");
    check("a << n - 1 - 2 * 3 % 4 / 5", "(a << ((n - 1) - (((2 * 3) % 4) / 5)))");
    check("a << (n + 1) * 2", "(a << ((n + 1) * 2))");
    check("(a ^ b) & (c)", "((a ^ b) & c)");
    check("f(a + 1, b) ^ g<i%2>(c)", "(f((a + 1), b) ^ g<(i % 2)>(c))");
    check("f()", "f()");
}

#[test]
fn assignments() {
    let forms = [
        ("y = x", None, false),
        ("y := x", None, true),
        ("y : = x", None, true),
        ("y ^= x", Some(BinaryOp::Xor), false),
        ("y ^ : = x", Some(BinaryOp::Xor), true),
        ("y %:= x", Some(BinaryOp::Modulo), true),
        ("(y, z[1..2]) |= x", Some(BinaryOp::Or), false),
    ];
    for (text, operator, imperative) in forms {
        let assignment = equation(text);
        assert_eq!((assignment.operator, assignment.imperative), (operator, imperative), "{text}");
    }
    assert_eq!(show(&equation("x ^= a & b").value), "(a & b)");
}

/// The text at the place of a part reads as that part.
#[test]
fn places() {
    fn parts<'e>(expression: &'e Expression, all: &mut Vec<&'e Expression>) {
        all.push(expression);
        match &expression.kind {
            ExpressionKind::Not(e) | ExpressionKind::Shift(_, e, _) | ExpressionKind::Bitmask(e, _) => {
                parts(e, all)
            }
            ExpressionKind::Binary(_, left, right) | ExpressionKind::Pack(left, right, _) => {
                parts(left, all);
                parts(right, all);
            }
            ExpressionKind::Tuple(elements) | ExpressionKind::Call { arguments: elements, .. } => {
                elements.iter().for_each(|e| parts(e, all));
            }
            _ => {}
        }
    }
    fn shape(expression: &Expression) -> String {
        let printed = format!("{expression:?}");
        printed
            .split("0:")
            .map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'))
            .collect()
    }
    let text = "y = ( a ^ ~ b [ 1 , i + 1 ] ) + f ( (c) , ( d , 5 : b8 [ 2 ] ) ) * g < i * (2 + 1) > ( ) \
                ^ Pack ( a , b ) : u16 << ( 3 + i ) ^ Bitmask ( ( a ) , 3 ) | Shuffle ( b [ 0 .. 1 ] , [ 1 , 0 ] ) & c { 0x1 , 0 }";
    let program = format!("node f (x:u8) returns (y:u8) let {text} tel");
    let assignment = equation(text);
    let mut all = Vec::new();
    parts(&assignment.value, &mut all);
    assert!(all.len() > 20);
    for part in all {
        let words = &program[part.span.start as usize..part.span.end as usize];
        assert_eq!(words.trim(), words);
        assert_eq!(shape(&equation(&format!("y = {words}")).value), shape(part), "{words}");
    }
    assert_eq!(&program[assignment.span.start as usize..assignment.span.end as usize], text);
}
