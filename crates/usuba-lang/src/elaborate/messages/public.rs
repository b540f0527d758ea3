//! E10xx: public lengths, ciphers as parameters, casts, and what accepts a message.

use super::plural;
use crate::ast::{CipherDefinition, Condition, Name};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

// ---- Constants of the program ----------------------------------------------------------------------------------

pub(in crate::elaborate) fn duplicate_constant(name: &Name, first: Span) -> Diagnostic {
    Diagnostic::error("E1001", name.span, format!("the constant `{}` is defined twice", name.text))
        .label("defined again")
        .also(first, "first defined here")
        .rule("a program has one constant of each name")
        .help("rename one of them, or remove one")
}

pub(in crate::elaborate) fn constant_type(span: Span) -> Diagnostic {
    Diagnostic::error("E1002", span, "a constant of the program cannot have this type")
        .label("no words of a known size")
        .rule("a constant is a number for the compiler, or words of up to 128 bits, or bits")
        .help("write `const N = 4` for a number, `const K:u32[4] = (…)` for words")
}

pub(in crate::elaborate) fn constant_length(name: &Name, list: Span, words: u64, found: usize) -> Diagnostic {
    let message = format!("`{}` has {}, but {found} are given", name.text, plural(words, "word"));
    Diagnostic::error("E1003", list, message)
        .label(format!("{found} here"))
        .rule("a constant of the program is given word by word, row-major")
        .help("write as many as the type says")
}

pub(in crate::elaborate) fn constant_assigned(name: &Name) -> Diagnostic {
    Diagnostic::error("E1004", name.span, format!("the constant `{}` cannot be assigned", name.text))
        .label("a constant of the program")
        .rule("a constant has one value for good")
        .help("assign to a variable declared after `vars`")
}

// ---- Lengths ---------------------------------------------------------------------------------------------------

pub(in crate::elaborate) fn length_does_not_fit(
    span: Span,
    callee: &Name,
    length: &str,
    count: u64,
    step: i64,
) -> Diagnostic {
    let words = plural(count, "word");
    Diagnostic::error("E1010", span, format!("{words} cannot be what `{}` takes here", callee.text))
        .label(format!("{words}, no multiple of {step}"))
        .also(callee.span, format!("`{length}` counts groups of {step}"))
        .rule("the lengths of a callee follow from the sizes of its arguments")
        .help("pad the argument to whole blocks with `Zero(x, r)` or `Pad(x, r, first)`")
}

pub(in crate::elaborate) fn open_length(callee: &Name, span: Span, length: &str, place: Span) -> Diagnostic {
    Diagnostic::error("E1011", span, format!("nothing tells the length `{length}` of `{}`", callee.text))
        .label("no argument fixes it")
        .also(place, "this length")
        .rule("a length stands alone in a dimension of an input, and its argument has a size of its own")
        .help("give the argument a name and a type, or make the length a `nat` parameter")
}

pub(in crate::elaborate) fn negative_length(span: Span, value: i64) -> Diagnostic {
    Diagnostic::error("E1012", span, format!("this length would be {value}"))
        .label("negative")
        .rule("a length is 0 or more")
        .help("exclude such lengths by `where`, or define them in an `if`")
}

pub(in crate::elaborate) fn condition_violated(
    condition: &Condition,
    name: &Name,
    shown: &str,
) -> Diagnostic {
    let values = if shown.is_empty() { String::new() } else { format!(": {shown}") };
    Diagnostic::error("E1013", condition.span, format!("`{}` is not made for this{values}", name.text))
        .label("does not hold")
        .rule("a definition may be used only where what it says after `where` holds")
        .help("use it with other lengths, or with another cipher")
}

pub(in crate::elaborate) fn argument_count(
    callee: &Name,
    span: Span,
    wanted: usize,
    given: usize,
) -> Diagnostic {
    let message =
        format!("`{}` takes {}, but is given {given}", callee.text, plural(wanted as u64, "argument"));
    Diagnostic::error("E1014", span, message)
        .label("one argument for each parameter")
        .rule("a node with public lengths takes one argument for each parameter, so that their sizes tell the lengths")
        .help("put words of one parameter together with `++` or a tuple")
}

pub(in crate::elaborate) fn unchecked(name: &Name) -> Diagnostic {
    Diagnostic::warning("W-unchecked", name.span, format!("`{}` was not checked at any length", name.text))
        .label("no small lengths satisfy what it says after `where`")
        .help("check the conditions; those who use it will still be told what is wrong")
}

pub(in crate::elaborate) fn entry_length(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E1015", span, format!("the entry needs a value for the length `{name}`"))
        .label("a public length of the entry")
        .rule("programs of public length are only interpreted so far, with the lengths of their inputs")
        .help(format!("run it on inputs with `usubac run`, or pass `--nat {name}=N`"))
}

pub(in crate::elaborate) fn entry_length_multiple(
    name: &Name,
    length: &str,
    count: u64,
    step: i64,
) -> Diagnostic {
    let words = plural(count, "word");
    Diagnostic::error("E1016", name.span, format!("`{}` cannot be {words}", name.text))
        .label(format!("comes in multiples of {step}"))
        .rule(format!("the length `{length}` follows from the size of this input"))
        .help("give whole blocks, or choose a mode that takes any length")
}

pub(in crate::elaborate) fn word_indexed(name: &Name) -> Diagnostic {
    Diagnostic::error("E1017", name.span, format!("this selects within a word of `{}`", name.text))
        .label("one selection too many")
        .rule("a constant has the dimensions that it is declared with, and the result of a cast has one")
        .help("remove a selection")
}

// ---- Choices ---------------------------------------------------------------------------------------------------

const BRANCHES: &str = "both branches of an `if` define the same atoms";

pub(in crate::elaborate) fn defined_in_one_branch(span: Span, choice: Span, name: &str) -> Diagnostic {
    Diagnostic::error("E1020", span, format!("only one branch defines `{name}`"))
        .label("defined here only")
        .also(choice, "in this choice")
        .rule(BRANCHES)
        .help(format!("define `{name}` in the other branch, too, or move it out of the choice"))
}

pub(in crate::elaborate) fn branches_differ(span: Span, atom: &str, in_first: bool) -> Diagnostic {
    let which = if in_first { "first" } else { "second" };
    Diagnostic::error("E1020", span, format!("only the {which} branch defines `{atom}`"))
        .label("the branches define different atoms")
        .rule(BRANCHES)
        .help("define it in the other branch, too, or move it out of the choice")
}

// ---- Accepting -------------------------------------------------------------------------------------------------

const ACCEPT: &str = "a node that `opens` accepts exactly once, in every branch and in no loop, itself or by calling one that opens";

pub(in crate::elaborate) fn missing_accept(name: &Name, opens: Span) -> Diagnostic {
    Diagnostic::error("E1030", opens, format!("`{}` opens a message, but accepts nothing", name.text))
        .label("there are results only if a tag is right")
        .rule(ACCEPT)
        .help("write `accept tag == expected`, or `returns` instead of `opens`")
}

pub(in crate::elaborate) fn two_accepts(second: Span, first: Span) -> Diagnostic {
    Diagnostic::error("E1031", second, "this message is accepted twice")
        .label("accepts again")
        .also(first, "accepts first")
        .rule(ACCEPT)
        .help("compare once, with `++` if several things must be right")
}

pub(in crate::elaborate) fn accept_in_returns(span: Span, name: &Name) -> Diagnostic {
    Diagnostic::error("E1032", span, format!("`{}` accepts, but does not say so", name.text))
        .label("may leave it without results")
        .also(name.span, "declared with `returns`")
        .rule(ACCEPT)
        .help("write `opens` instead of `returns`")
}

pub(in crate::elaborate) fn accept_in_one_branch(choice: Span) -> Diagnostic {
    Diagnostic::error("E1033", choice, "only one branch of this choice accepts")
        .label("the branches differ")
        .rule(ACCEPT)
        .help("accept behind the choice")
}

pub(in crate::elaborate) fn accept_in_loop(span: Span) -> Diagnostic {
    Diagnostic::error("E1034", span, "a message is accepted in a loop")
        .label("as often as the loop runs")
        .rule(ACCEPT)
        .help("collect what must be right in the loop, and compare behind it")
}

pub(in crate::elaborate) fn accept_differs(span: Span, left: &str, right: &str) -> Diagnostic {
    Diagnostic::error("E1035", span, format!("{left} is compared with {right}"))
        .label("different types")
        .rule("`accept a == b` compares words of the same sizes")
        .help("cut the longer one with `[0, n)`")
}

// ---- Ciphers ---------------------------------------------------------------------------------------------------

pub(in crate::elaborate) fn no_cipher_parameter(span: Span, cipher: &str) -> Diagnostic {
    Diagnostic::error("E1040", span, format!("there is no cipher parameter `{cipher}` here"))
        .label("not declared")
        .rule("a node over any block cipher declares it behind its name: `node CTR <C: cipher> (…)`")
        .help(format!("write `<{cipher}: cipher>` behind the name of the node"))
}

pub(in crate::elaborate) fn unknown_member(callee: &Name) -> Diagnostic {
    Diagnostic::error("E1041", callee.span, format!("there is no `{}` to call", callee.text))
        .label("not a node of a cipher")
        .rule("a cipher has the nodes `encrypt`, `decrypt` and `schedule`, the numbers `block` and `key` (of bytes), and the type `keys`")
        .help("use one of these")
}

pub(in crate::elaborate) fn unbound_cipher(
    span: Span,
    callee: &Name,
    parameter: &Name,
    own: Option<&str>,
) -> Diagnostic {
    let name = &callee.text;
    let finding = Diagnostic::error(
        "E1042",
        span,
        format!("nothing tells the cipher `{}` of `{name}`", parameter.text),
    )
    .label("no cipher")
    .also(parameter.span, "this parameter")
    .rule(
        "a call passes a cipher in angle brackets: the caller's own parameter, or a `cipher` of the program",
    );
    match own {
        Some(own) => finding.help(format!("write `{name}<{own}>(…)`")),
        None => finding.help(format!("write `{name}<…>(…)` with a cipher of the program")),
    }
}

pub(in crate::elaborate) fn cipher_without_role(callee: &Name, role: &str, cipher: &Name) -> Diagnostic {
    Diagnostic::error("E1043", callee.span, format!("the cipher `{}` has no `{role}`", cipher.text))
        .label("called here")
        .also(cipher.span, "the cipher")
        .rule("a mode runs over the ciphers that have what it calls")
        .help("choose another mode, or another cipher")
}

pub(in crate::elaborate) fn unknown_role(role: &Name) -> Diagnostic {
    Diagnostic::error("E1044", role.span, format!("a cipher has no `{}`", role.text))
        .label("not a part of a cipher")
        .rule("a cipher is `encrypt`, and as far as they exist `decrypt` and `schedule`")
        .help("use one of these")
}

pub(in crate::elaborate) fn cipher_shape(cipher: &CipherDefinition, why: &str) -> Diagnostic {
    Diagnostic::error("E1045", cipher.name.span, format!("`{}` does not fit as a cipher: {why}", cipher.name.text))
        .label("not a block cipher on bytes")
        .rule("`encrypt` and `decrypt` take a block `u8[b]` and the round keys, and return a block; `schedule` takes a key `u8[k]` and returns the round keys")
        .help("write nodes that convert with `Words`, `Bits` and `Bytes`")
}

pub(in crate::elaborate) fn entry_cipher(parameter: &Name) -> Diagnostic {
    Diagnostic::error("E1046", parameter.span, format!("the entry needs a cipher for `{}`", parameter.text))
        .label("a cipher parameter of the entry")
        .rule("a mode is a program only together with a cipher")
        .help("run it with a cipher folder: `usubac run ciphers/aes --mode ctr …`")
}

pub(in crate::elaborate) fn no_such_cipher(entry: &Name, cipher: &str, exists: bool) -> Diagnostic {
    let message = if exists {
        format!("the entry `{}` has no cipher parameter", entry.text)
    } else {
        format!("the program has no cipher `{cipher}`")
    };
    Diagnostic::error("E1047", entry.span, message)
        .label("the entry")
        .rule("the cipher parameter of the entry is one of the ciphers of the program")
        .help("define it: `cipher Name (encrypt = …)`")
}

// ---- Casts -----------------------------------------------------------------------------------------------------

const CAST: &str = "`Bits(x)`, `Bytes(x)`, `Words(x, big):u32`, `Word(n):u64`, `Pad(x, r, first, last)` and `Zero(x, r)`; `Bits`, `Bytes` and `Words` may take `big` or `little`";

pub(in crate::elaborate) fn cast_arguments(name: &Name, span: Span) -> Diagnostic {
    Diagnostic::error("E1050", span, format!("`{}` is used differently", name.text))
        .label("a wrong number of arguments")
        .rule(CAST)
        .help("write it in one of these forms")
}

pub(in crate::elaborate) fn cast_type(name: &Name, span: Span) -> Diagnostic {
    Diagnostic::error("E1051", span, format!("the type of this `{}` is not clear", name.text))
        .label("a type is missing, or too much")
        .rule("`Words` and `Word` have the type of one word behind a colon; the others say it by their name")
        .help("write `Words(x, big):u32`, `Word(n):u64`, `Bits(x)` or `Bytes(x)`")
}

pub(in crate::elaborate) fn byte_order(span: Span) -> Diagnostic {
    Diagnostic::error("E1052", span, "this is no byte order")
        .label("expected `big` or `little`")
        .rule("`big`: the most significant byte (or bit of a byte) comes first; `little`: the least significant")
        .help("write `big` or `little`")
}

pub(in crate::elaborate) fn missing_order(name: &Name, span: Span) -> Diagnostic {
    Diagnostic::error("E1053", span, format!("this `{}` needs a byte order", name.text))
        .label("which byte comes first?")
        .rule("words of several bytes are big-endian or little-endian")
        .help(format!("write `{}(x, big)` or `{}(x, little)`", name.text, name.text))
}

pub(in crate::elaborate) fn little_bits(span: Span, width: u32) -> Diagnostic {
    Diagnostic::error("E1054", span, format!("words of {width} bits have no such order"))
        .label("pieces that are no bytes")
        .rule("`little` reverses the bytes of words, or the bits of bytes")
        .help("make bytes of them first")
}

pub(in crate::elaborate) fn cast_does_not_fit(
    name: &Name,
    span: Span,
    words: &str,
    width: u32,
) -> Diagnostic {
    Diagnostic::error("E1055", span, format!("{words} are no whole words of {width} bits"))
        .label(format!("`{}` leaves some bits over", name.text))
        .rule("a cast keeps all bits and adds none")
        .help("pad with `Zero(x, r)` first, or select what is meant")
}

pub(in crate::elaborate) fn cast_of_unequal_words(span: Span, words: &str) -> Diagnostic {
    Diagnostic::error("E1056", span, format!("a cast of {words}"))
        .label("words of several sizes")
        .rule("a cast takes words of one size")
        .help("cast each part by itself, and put the results together with `++`")
}

pub(in crate::elaborate) fn cast_of_open_size(span: Span) -> Diagnostic {
    Diagnostic::error("E1057", span, "a cast of words whose size is open")
        .label("how many bits?")
        .rule("a cast takes words whose size the definition declares")
        .help("declare the words with a size, as in `u32`")
}

pub(in crate::elaborate) fn number_does_not_fit(span: Span, number: i64, width: u32) -> Diagnostic {
    Diagnostic::error("E1058", span, format!("{number} does not fit in {}", plural(u64::from(width), "bit")))
        .label(format!("is {number}"))
        .rule("a number as a word is never cut, and never negative")
        .help("take a wider word, a remainder `% n`, or exclude it by `where`")
}

pub(in crate::elaborate) fn not_public(span: Span) -> Diagnostic {
    Diagnostic::error("E1059", span, "this is no public number")
        .label("not known to the compiler")
        .rule("public numbers are literals, constants, lengths, loop variables and `nat` parameters with `+ - * / %`, `min`, `max` and `Ntz`")
        .help("a word needs no `Word(…)`")
}

pub(in crate::elaborate) fn block_size(span: Span, number: i64) -> Diagnostic {
    Diagnostic::error("E1060", span, format!("there are no blocks of {number} bytes"))
        .label(format!("is {number}"))
        .rule("padding makes whole blocks of 1 byte or more")
        .help("change the number")
}

pub(in crate::elaborate) fn padding_of_words(name: &Name, span: Span, words: &str) -> Diagnostic {
    Diagnostic::error("E1061", span, format!("`{}` of {words}", name.text))
        .label("no bytes")
        .rule("`Pad` and `Zero` append bytes to bytes")
        .help("make bytes of it with `Bytes(x)` first")
}
