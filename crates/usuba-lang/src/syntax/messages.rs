//! Every text that the lexer and the parser say.
//!
//! Codes: `E01xx` characters and literals, `E02xx` the grammar, `E025x` types as written.

pub(super) mod types;

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// The spelling in backquotes, cut if it is long or spread over lines.
fn quoted(text: &str) -> String {
    let line = text.split('\n').next().unwrap_or("").trim_end_matches('\r');
    let mut short: String = line.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    let shown: String = short.chars().flat_map(visible).collect();
    format!("`{shown}`")
}

/// Control and invisible characters as escapes, so that a message never garbles a terminal.
fn visible(character: char) -> Vec<char> {
    let invisible = matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{a0}' | '\u{ad}');
    if character.is_control() || invisible { character.escape_unicode().collect() } else { vec![character] }
}

// ---- E01xx: characters and literals ----------------------------------------------------------------------------

pub(super) fn unknown_characters(span: Span, text: &str) -> Diagnostic {
    let plural = if text.chars().nth(1).is_some() { "characters" } else { "character" };
    let diagnostic = Diagnostic::error("E0101", span, format!("unknown {plural} {}", quoted(text)))
        .label("means nothing in a program")
        .rule("outside comments a program is written in ASCII letters, digits, blanks and the language's symbols");
    match text {
        "." => diagnostic.help("write `x[1]` for an element and `a..b` for a range"),
        "?" => diagnostic.help("a program has no branches: choose with `(c & a) ^ (~c & b)`"),
        "'" => diagnostic
            .help("a quote is a letter inside a name (`s'`) and introduces variables in types (`u'm`)"),
        "⊕" => diagnostic.help("write `^` for exclusive or").edit(span, "^"),
        _ => diagnostic.help("remove it"),
    }
}

pub(super) fn leading_zero(span: Span, text: &str) -> Diagnostic {
    let digits = text.trim_start_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    Diagnostic::error("E0102", span, format!("the integer {} begins with a zero", quoted(text)))
        .label("superfluous zero")
        .rule("a decimal integer is `0` or begins with a digit from 1 to 9; there are no octal integers")
        .help(format!("write `{digits}`"))
        .edit(span, digits)
}

pub(super) fn hexadecimal_prefix(span: Span, text: &str) -> Diagnostic {
    let diagnostic =
        Diagnostic::error("E0103", span, format!("malformed hexadecimal integer {}", quoted(text)))
            .label("not an integer")
            .rule("a hexadecimal integer is `0x`, with a small x, and at least one digit `0-9a-fA-F`");
    match text.strip_prefix("0X") {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()) => {
            diagnostic.help(format!("write `0x{digits}`")).edit(span, format!("0x{digits}"))
        }
        _ => diagnostic.help("write the digits after `0x`"),
    }
}

pub(super) fn other_radix(span: Span, text: &str) -> Diagnostic {
    let radix = if text.as_bytes().get(1).is_some_and(|b| b.eq_ignore_ascii_case(&b'b')) { 2 } else { 8 };
    let name = if radix == 2 { "a binary" } else { "an octal" };
    let diagnostic = Diagnostic::error(
        "E0104",
        span,
        format!("{} is written as {name} integer, which does not exist", quoted(text)),
    )
    .label("neither decimal nor hexadecimal")
    .rule("integers are decimal (`12`) or hexadecimal (`0xC`)");
    match num_bigint::BigUint::parse_bytes(text.get(2..).unwrap_or("").as_bytes(), radix) {
        Some(value) if text.len() < 200 => {
            diagnostic.help(format!("write `0x{value:x}`")).edit(span, format!("0x{value:x}"))
        }
        _ => diagnostic.help("write it in hexadecimal"),
    }
}

pub(super) fn grouped_digits(span: Span, text: &str) -> Diagnostic {
    let joined = text.replace('_', "");
    Diagnostic::error(
        "E0105",
        span,
        format!("the integer {} has an underscore between its digits", quoted(text)),
    )
    .label("underscore in an integer")
    .rule("the digits of an integer stand together")
    .help(format!("write {}", quoted(&joined)))
    .edit(span, joined)
}

pub(super) fn integer_too_long(span: Span, longest: usize) -> Diagnostic {
    Diagnostic::error("E0106", span, "this integer is too long")
        .label(format!("more than {longest} characters"))
        .rule(format!("an integer has at most {longest} characters"))
        .help("write a constant that fits the word it is meant for")
}

pub(super) fn unclosed_string(span: Span) -> Diagnostic {
    Diagnostic::error("E0107", span, "this string is not closed")
        .label("opened here")
        .rule("a string begins and ends with `\"`")
        .help("add the closing `\"` after the path")
}

pub(super) fn empty_string(span: Span) -> Diagnostic {
    Diagnostic::error("E0108", span, "this string is empty")
        .label("no path")
        .rule("`include` takes the path of a file in quotes")
        .help("write the path between the quotes, as in `include \"sbox.ua\"`")
}

pub(super) fn too_deep(span: Span, limit: u32) -> Diagnostic {
    Diagnostic::error("E0109", span, "this is nested too deeply")
        .label(format!("level {limit} is here"))
        .rule(format!("parentheses, loops and chains of several operators nest at most {limit} deep"))
        .help("give a part of it a name of its own, in an equation of its own")
}

// ---- E02xx: the grammar ----------------------------------------------------------------------------------------

/// `found` is the spelling of the token, empty at the end of the file.
pub(super) fn expected(span: Span, what: &str, found: &str) -> Diagnostic {
    let finding = Diagnostic::error("E0201", span, format!("expected {what}, found {}", quoted(found)))
        .label(format!("expected {what}"));
    match habit(what, found) {
        Some(advice) => finding.help(advice),
        None => finding,
    }
}

// ---- Habits from C -----------------------------------------------------------------------------------------------

/// What to write in the place of a sign of C.
fn habit(wanted: &str, found: &str) -> Option<&'static str> {
    Some(match (wanted, found) {
        ("an expression", "{" | "[") => "a list is written in parentheses: `(1, 2)`",
        ("`vars` or `let`", "{") => "the body of a node stands between `let` and `tel`",
        ("`=` or `:=`", "++") => "write `x := x + 1`; a loop counts by itself: `forall i in [0, 9] { … }`",
        (_, "{" | "&" | "^" | "|" | "~") if wanted.starts_with("a comparison") => CHOICE,
        ("an operator, or `;` and another equation", "xor") => "write `^`",
        ("an operator, or `;` and another equation", "and") => "write `&`",
        ("an operator, or `;` and another equation", "or") => "write `|`",
        _ => return None,
    })
}

const CHOICE: &str =
    "`if` decides on public numbers, such as `n == 3`; of two words choose with `(c & a) ^ (~c & b)`";

/// Statements of C, and what to write instead.
const STATEMENTS: [(&str, &str); 6] = [
    ("for", "write `forall i in [0, 9] { … }`"),
    ("while", "a loop has fixed bounds: write `forall i in [0, 9] { … }`"),
    ("do", "a loop has fixed bounds: write `forall i in [0, 9] { … }`"),
    ("switch", "put the values in a table, or choose with masks"),
    ("return", "give the outputs values: `y = …`"),
    ("goto", "equations have no order: there is nowhere to go"),
];

/// The advice about a statement of C that begins with `word`.
pub(super) fn statement(word: &str) -> Option<&'static str> {
    STATEMENTS.iter().find(|(known, _)| *known == word).map(|(_, advice)| *advice)
}

pub(super) fn statement_of_c(span: Span, word: &str, advice: &str) -> Diagnostic {
    Diagnostic::error("E0225", span, format!("there is no `{word}`"))
        .label("not an equation")
        .rule("a body is a list of equations, loops `forall` and choices `if`")
        .help(advice)
}

pub(super) fn comparison_of_words(span: Span) -> Diagnostic {
    Diagnostic::error("E0226", span, "there is no `==` between words")
        .label("not an operator")
        .rule("words have no truth value; `==` compares public numbers, after `where` and `if`")
        .help("`~(a ^ b)` has a one where the bits of `a` and `b` are equal")
}

/// A comparison in parentheses behind `if`.
pub(super) fn comparison_in_parentheses(span: Span, opened: Span, sign: &str) -> Diagnostic {
    expected(span, "`)`", sign)
        .also(opened, "`(` opened here")
        .rule("no parentheses stand around the condition of an `if`")
        .help(CHOICE)
}

/// `int x = …` in a body; `ty` is how the type is spelled here.
pub(super) fn declaration_of_c(span: Span, found: &str, name: &str, ty: Option<&str>) -> Diagnostic {
    Diagnostic::error("E0229", span, format!("{} declares nothing here", quoted(found)))
        .label("a type before a name")
        .rule("variables are declared before the body")
        .help(format!("write `vars {name}:{}` before `let`, and `{name} = …` here", ty.unwrap_or("u32")))
}

/// `(uint32_t) x`.
pub(super) fn cast_of_c(span: Span, ty: &str) -> Diagnostic {
    Diagnostic::error("E0228", span, format!("there is no cast {}", quoted(ty)))
        .label("a type in the place of a value")
        .rule("a word keeps its size; no operator changes it")
        .help("give the operands one size; `Pack(a, b):u32` puts a word above another")
}

/// `const int N = …`; `name` is `N`.
pub(super) fn constant_of_c(span: Span, name: &str) -> Diagnostic {
    expected(span, "`=` and a number, or `:` and a type", name)
        .help(format!("write `const {name} = 4` for a number, `const {name}:u32 = 4` for a word"))
}

pub(super) fn suffix(span: Span, suffix: &str) -> Diagnostic {
    Diagnostic::error("E0227", span, format!("an integer has no suffix {}", quoted(suffix)))
        .label("remove this")
        .rule("a constant takes the type of what it meets; `5:u16` says it")
        .help("remove the suffix")
        .edit(span, "")
}

pub(super) fn function_of_c(span: Span, found: &str) -> Diagnostic {
    expected(span, "`node`, `perm`, `table` or `include`", found).help(
        "a function is a node: `node f (x:u32) returns (y:u32) let y = … tel`; a constant is `const N = 4`",
    )
}

pub(super) fn comment_of_c(span: Span) -> Diagnostic {
    Diagnostic::error("E0111", span, "there are no comments in `/* … */`")
        .label("a comment of C")
        .rule("a comment runs from `//` or `#` to the end of its line")
        .help("begin each line of it with `//`")
}

/// The directive of C's preprocessor that a comment looks like.
pub(super) fn directive(comment: &str) -> Option<&'static str> {
    let known = ["#define ", "#include ", "#if ", "#ifdef ", "#ifndef ", "#endif", "#pragma "];
    known.into_iter().find(|known| comment.starts_with(known)).map(str::trim_end)
}

pub(super) fn directive_is_comment(span: Span, directive: &str) -> Diagnostic {
    Diagnostic::warning("W-directive", span, format!("`{directive}` is a comment"))
        .label("does nothing")
        .rule("`#` begins a comment; there is no preprocessor")
        .help(match directive {
            "#define" => "write `const N = 4` for a number, `const N:u32 = 4` for a word",
            "#include" => "write `include \"file.ua\"`, without `#`",
            _ => "remove it, or put a blank behind `#`",
        })
}

pub(super) fn reserved_name(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error("E0220", span, format!("`{word}` is a reserved word"))
        .label("cannot be a name")
        .rule("the words of the language cannot name definitions or variables")
        .help(format!("choose another name, such as `{word}_`"))
        .edit(span, format!("{word}_"))
}

/// An `=` after a whole equation.
pub(super) fn second_equals(span: Span) -> Diagnostic {
    expected(span, "an operator, or `;` and another equation", "=")
        .help("if another equation begins before this `=`, put `;` before it")
}

pub(super) fn unclosed(span: Span, what: &str, found: &str, opened: Span, opener: &str) -> Diagnostic {
    expected(span, what, found).also(opened, format!("{} opened here", quoted(opener)))
}

/// `opened` is the innermost thing that the file leaves open; `closer` is what would close it.
pub(super) fn end_of_file(opened: Span, thing: &str, closer: &str) -> Diagnostic {
    Diagnostic::error("E0202", opened, format!("the file ends inside {thing}"))
        .label("begins here and never ends")
        .rule(format!("{thing} ends with {closer}"))
        .help(format!("add {closer}"))
}

pub(super) fn missing_semicolon(after: Span, next: Span) -> Diagnostic {
    Diagnostic::error("E0203", after, "a `;` is missing after this equation")
        .label("expected `;`")
        .also(next, "the next equation begins here")
        .rule("equations are separated by `;`, which is optional only before `tel` and `}` and after a `forall`")
        .help("add `;`")
        .edit(after, ";")
}

pub(super) fn missing_tel(span: Span, found: &str, opened: Span) -> Diagnostic {
    Diagnostic::error("E0204", span, format!("expected `tel` before {}", quoted(found)))
        .label("the body before this is not closed")
        .also(opened, "the body begins here")
        .rule("the equations of a node stand between `let` and `tel`")
        .help("add `tel`")
        .edit(Span { end: span.start, ..span }, "tel\n\n")
}

pub(super) fn array_without_brackets(body: Span, brackets: Span) -> Diagnostic {
    Diagnostic::error("E0205", body, "the body of this array of definitions is not in brackets")
        .label("expected `[`")
        .also(brackets, "`[]` makes it an array")
        .rule("`[]` after `node`, `perm` or `table` goes with a body `[ … ; … ]` that holds one body per element")
        .help("put the bodies in `[` and `]`, separated by `;`, or remove `[]`")
}

pub(super) fn brackets_without_array(body: Span, keyword: Span, word: &str) -> Diagnostic {
    let after = Span { start: keyword.end, ..keyword };
    Diagnostic::error("E0205", body, "a body in brackets needs `[]` after the keyword")
        .label("several bodies")
        .also(keyword, "not declared as an array")
        .rule("`[]` after `node`, `perm` or `table` goes with a body `[ … ; … ]` that holds one body per element")
        .help(format!("write `{word}[]`"))
        .edit(after, "[]")
}

pub(super) fn split_brackets(span: Span) -> Diagnostic {
    Diagnostic::error("E0206", span, "blank inside `[]`")
        .label("two tokens")
        .rule("the mark of an array of definitions is the single token `[]`")
        .help("write `[]`")
        .edit(span, "[]")
}

pub(super) fn no_results(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("E0207", span, format!("`{name}` returns nothing"))
        .label("no results")
        .rule("a definition is a function and has at least one result; it may have no parameters")
        .help("name the results, as in `returns (y:u8)`")
}

pub(super) fn no_equations(span: Span) -> Diagnostic {
    Diagnostic::error("E0208", span, "there is no equation here")
        .label("empty")
        .rule("the body of a node and of a `forall` has at least one equation")
        .help("write an equation, as in `y = x`")
}

pub(super) fn selection_of_expression(span: Span, whole: Span) -> Diagnostic {
    Diagnostic::error("E0209", span, "only a variable can be indexed")
        .label("selects from an expression")
        .also(whole, "this is not a variable")
        .rule("`[…]` follows the name of a variable")
        .help("give the expression a name in an equation of its own, then index that")
}

pub(super) fn trailing_separator(span: Span, separator: &str, closer: &str) -> Diagnostic {
    Diagnostic::error("E0210", span, format!("`{separator}` before {}", quoted(closer)))
        .label("nothing follows")
        .rule(format!("`{separator}` stands between two things of a list, not after the last"))
        .help("remove it")
        .edit(span, "")
}

pub(super) fn shift_assignment(span: Span, target: &str, operator: &str) -> Diagnostic {
    Diagnostic::error("E0211", span, format!("there is no `{operator}=`"))
        .label("not an assignment operator")
        .rule("the operators that combine with `=` and `:=` are `& | ^ + - * / %`")
        .help(format!("write out the shift: `{target} := {target} {operator} …`"))
}

pub(super) fn doubled_operator(span: Span, operator: &str) -> Diagnostic {
    Diagnostic::error("E0212", span, format!("there is no `{operator}{operator}`"))
        .label("not an operator")
        .rule("words are combined bit by bit with `&`, `|` and `^`; there are no truth values")
        .help(format!("write `{operator}`"))
        .edit(span, operator)
}

pub(super) fn unary_minus(span: Span) -> Diagnostic {
    Diagnostic::error("E0213", span, "there is no unary minus")
        .label("needs a left operand")
        .rule("integers have no sign, and `-` stands between two operands")
        .help("write `0 - x`, or `~x` for the complement")
        .edit(Span { end: span.start, ..span }, "0 ")
}

pub(super) fn result_ignored(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("E0214", span, "a call is not an equation")
        .label("expected `=`")
        .rule("an equation gives a value to variables, and a call has no effect but its results")
        .help(format!("write `(results) = {name}(…)`"))
}

pub(super) fn range_bounds(span: Span) -> Diagnostic {
    Diagnostic::error("E0215", span, "the bounds of a loop are separated by a comma")
        .label("expected `,`")
        .rule("`forall i in [a, b]` runs from a to b, both included; `a..b` selects elements of a variable")
        .help("write `,`")
        .edit(span, ",")
}

pub(super) fn unknown_attribute(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error("E0216", span, format!("unknown attribute {}", quoted(word)))
        .label("not an attribute")
        .rule("the attributes of a definition are `_inline`, `_no_inline`, `_no_opt`, `_interleave(n)`, `_lsb` and `_msb`")
        .help("remove it")
}

pub(super) fn loop_attribute_on_definition(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error("E0216", span, format!("{} is an attribute of loops", quoted(word)))
        .label("before a definition")
        .rule("`_unroll`, `_no_unroll` and `_pipelined` stand before `forall`")
        .help("move it to the loop, or remove it")
}

pub(super) fn definition_attribute_on_loop(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error("E0216", span, format!("{} is an attribute of definitions", quoted(word)))
        .label("inside a body")
        .rule("the attributes of a loop are `_unroll`, `_no_unroll` and `_pipelined`")
        .help("move it before `node`, `perm` or `table`, or remove it")
}

pub(super) fn qualifier_before_name(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error("E0217", span, format!("`{word}` stands before the type, not before the name"))
        .label("misplaced")
        .rule("a declaration is `name : type`, and `const` and `lazyLift` come after the colon")
        .help(format!("write `name : {word} type`"))
}

pub(super) fn empty_tuple(span: Span) -> Diagnostic {
    Diagnostic::error("E0218", span, "there is nothing between these parentheses")
        .label("empty")
        .rule("parentheses hold an expression or a tuple of two or more")
        .help("write an expression")
}

pub(super) fn missing_index(span: Span) -> Diagnostic {
    Diagnostic::error("E0219", span, "there is nothing between these brackets")
        .label("empty")
        .rule("brackets hold a number, a range `a..b` or a list `a, b, c`; in a type, a size")
        .help("write an index or a size")
}

pub(super) fn shuffled(span: Span, what: &str, found: &str) -> Diagnostic {
    expected(span, what, found)
        .rule("`Shuffle` moves the bits of a variable, which may be selected from, as in `Shuffle(x[0], [1, 0])`")
        .help("give the value a name of its own, `t = …`, and write `Shuffle(t, […])`")
}

pub(super) fn entry(span: Span, found: &str) -> Diagnostic {
    expected(span, "an integer", found)
        .rule("the entries of tables, permutations and shuffles are plain integers")
}

// ---- Warnings --------------------------------------------------------------------------------------------------

/// `shown` is the whole chain with its parentheses, `in_c` is how C groups it; `rewritten` is the part of it at `changed`.
pub(super) fn precedence(
    span: Span,
    changed: Span,
    (tight, loose): (&str, &str),
    shown: &str,
    in_c: &str,
    rewritten: String,
) -> Diagnostic {
    let is_short = |text: &str| text.chars().count() <= 80 && !text.contains('\n');
    let short = is_short(shown);
    let mix = format!("`{tight}` and `{loose}` without parentheses group otherwise than in C");
    Diagnostic::warning(super::PRECEDENCE, span, mix)
        .label(if short { format!("means `{shown}`") } else { "groups from the left".to_string() })
        .rule("`& ^ |` bind equally tight and group from the left; they bind tighter than `* / %`, these than `+ -`, and these than shifts")
        .help(match is_short(in_c) {
            true => format!("write the parentheses; for the grouping of C write `{in_c}`"),
            false => "write the parentheses".to_string(),
        })
        .edit(changed, rewritten)
}

// ---- Messages and their lengths --------------------------------------------------------------------------------

pub(super) fn dotted_name(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error("E0221", span, format!("{} cannot be declared", quoted(name)))
        .label("has a dot")
        .rule("a dot stands between a cipher parameter and what the cipher has: `C.encrypt`, `C.keys`, `C.block`")
        .help("choose a name without a dot")
}

/// `choice` has no second branch; `next` is what stands in its place.
pub(super) fn missing_else(choice: Span, next: Span) -> Diagnostic {
    Diagnostic::error("E0222", next, "this choice has one branch only")
        .label("expected `else`")
        .also(choice, "the choice")
        .rule("both branches of an `if` define the same atoms, so there are always two")
        .help("write `else { … }` with what holds otherwise")
}

pub(super) fn half_open_bounds(span: Span) -> Diagnostic {
    Diagnostic::error("E0223", span, "a half-open range has two bounds")
        .label("ends with `)`")
        .rule("`x[a, b)` selects the elements from a to b - 1; it may be empty")
        .help("write `[a, b)`, or end the selection with `]`")
}

pub(super) fn static_function(span: Span) -> Diagnostic {
    Diagnostic::error("E0224", span, "a wrong number of arguments")
        .label("called differently")
        .rule("`min` and `max` take two public numbers, and `Ntz` one")
        .help("write `min(a, b)`, `max(a, b)` or `Ntz(a)`")
}
