//! Long functions of a library, written once where several differ in names and numbers only, and with short words.
//!
//! Kernels of one cipher for keys of 128, 192 and 256 bits, or for registers of 128 and 256 bits, are often the same text but for
//! names of types and intrinsics, and a few counts. Such a *text* stands in a file of its own, in which every word or number
//! that differs is a macro; where a function was, there are the definitions of these macros and the line that includes the
//! text. Words that are equal in all of them, but long and frequent, are macros that the text defines itself. Compilers see
//! the tokens that they saw before: `Text::is` expands what was made and compares.
//!
//! Tokens are separated by white space as little as they can be. Short functions stay as they are.

use super::Cipher;
use crate::OutputFile;
use crate::manifest::{Construction, Primitive};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;

/// Shorter functions stay as they are: people read them.
const LONG: usize = 2048;
/// Bytes that sharing a text has to save.
const WORTH_A_FILE: usize = 1024;
/// What macros are called: this and a number.
const MACRO: char = 'U';

/// The first comment of a file, of its path and a sentence about it.
pub type Head<'a> = &'a dyn Fn(&str, &str) -> String;

/// Puts the long functions of sources into texts. Files of one cipher share texts: those whose names begin with one of its
/// `stems`. Other files, and headers, are the same in all libraries, whatever else is there, and share none.
pub fn share(files: &mut Vec<OutputFile>, stems: &[Vec<String>], head: Head) {
    let mut texts: Vec<OutputFile> = Vec::new();
    let mut changes: Vec<(usize, Range<usize>, String)> = Vec::new();
    {
        let units: Vec<Unit> = files.iter().enumerate().flat_map(|(file, of)| units(file, of)).collect();
        let mut alike: BTreeMap<String, Vec<&Unit>> = BTreeMap::new();
        for unit in &units {
            let path = &files[unit.file].path;
            let is_of = |stems: &Vec<String>| stems.iter().any(|stem| path.starts_with(stem.as_str()));
            let whose = match stems.iter().position(is_of).filter(|_| !path.ends_with(".h")) {
                Some(cipher) => cipher.to_string(),
                None => format!("{path} {}", unit.span.start),
            };
            alike.entry(unit.shape() + &whose).or_default().push(unit);
        }
        // In the order of the first of each, so that files come in the order of those that include them.
        let mut alike: Vec<Vec<&Unit>> = alike.into_values().collect();
        alike.sort_by_key(|units| units.first().map(|unit| (unit.file, unit.span.start)));
        let mut paths = BTreeSet::new();
        for same in &alike {
            let mut groups = vec![&same[..]];
            while let Some(group) = groups.pop() {
                // Assembly that is not shared keeps its comments.
                let text = Text::of(group).filter(|_| group.len() > 1 || !group[0].is_assembly);
                let Some(text) = text else { continue };
                let shared = (group.len() > 1).then(|| path(group[0], files, &mut paths));
                match text.written(group, shared.as_deref(), head) {
                    Some(written) => {
                        texts.extend(shared.map(|path| OutputFile { path, contents: written.text }));
                        let places = group.iter().map(|unit| (unit.file, unit.span.clone()));
                        changes
                            .extend(places.zip(written.uses).map(|((file, span), made)| (file, span, made)));
                    }
                    None if group.len() > 1 => groups.extend(group.iter().map(std::slice::from_ref)),
                    None => {}
                }
            }
        }
    }
    changes.sort_by_key(|(file, span, _)| (*file, span.start));
    for (file, span, made) in changes.into_iter().rev() {
        files[file].contents.replace_range(span, &made);
    }
    files.append(&mut texts);
}

/// For each cipher what the names of the files of its primitives and constructions begin with.
pub fn stems(ciphers: &[Cipher], prefix: &str) -> Vec<Vec<String>> {
    let of = |cipher: &Cipher| {
        let primitives = cipher.manifest.primitives.iter().map(Primitive::identifier);
        let constructions = cipher.manifest.constructions.iter().map(Construction::identifier);
        primitives.chain(constructions).map(|name| format!("{prefix}{name}")).collect()
    };
    ciphers.iter().map(of).collect()
}

/// The name of the file of a text that begins in this unit.
fn path(unit: &Unit, files: &[OutputFile], taken: &mut BTreeSet<String>) -> String {
    let file = files.get(unit.file).map_or("", |file| &file.path);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let base = match &*unit.name {
        name if name.starts_with(stem) => name.to_owned(),
        "" => stem.to_owned(),
        name => format!("{stem}_{name}"),
    };
    let names = std::iter::once(base.clone()).chain((1..).map(|number| format!("{base}_{number}")));
    let name = names.into_iter().find(|name| taken.insert(name.clone()));
    format!("{}.inc", name.unwrap_or(base))
}

/// A long function of C, or what an assembly source has inside its condition.
struct Unit<'a> {
    file: usize,
    span: Range<usize>,
    /// The function.
    name: String,
    is_assembly: bool,
    source: &'a str,
    tokens: Vec<Token<'a>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// An identifier, a directive of an assembler, or several words of C one after another but for the last.
    Word,
    Number,
    /// Punctuation, a string, a pragma.
    Other,
    /// The end of a line.
    Line,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Token<'a> {
    kind: Kind,
    text: &'a str,
    /// Where it begins.
    at: usize,
    /// Whether white space comes before it in its line.
    spaced: bool,
}

impl Unit<'_> {
    /// The text without its numbers and with its words numbered: the same for functions that may share one.
    fn shape(&self) -> String {
        let mut words: BTreeMap<&str, usize> = BTreeMap::new();
        let mut shape = String::from(if self.is_assembly { "S" } else { "C" });
        for token in &self.tokens {
            match token.kind {
                Kind::Word => {
                    let next = words.len();
                    let _ = write!(shape, "\u{1}{}", words.entry(token.text).or_insert(next));
                }
                Kind::Number => shape.push('\u{2}'),
                Kind::Other => shape.push_str(token.text),
                Kind::Line => shape.push('\n'),
            }
        }
        shape
    }
}

/// The units of a file.
fn units(file: usize, of: &OutputFile) -> Vec<Unit<'_>> {
    let is_assembly = of.path.ends_with(".S");
    let spans = match is_assembly {
        true => assembly(&of.contents).into_iter().collect(),
        false => functions(&of.contents),
    };
    let long = spans.into_iter().filter(|span| span.len() >= LONG);
    let unit = |span: Range<usize>| {
        let source = of.contents.get(span.clone())?;
        let tokens = tokens(source, is_assembly)?;
        let name = if is_assembly { String::new() } else { name(source).to_owned() };
        let is_free = !source.split(|c| !is_of_a_word(c)).any(is_macro);
        is_free.then_some(Unit { file, span, name, is_assembly, source, tokens })
    };
    long.filter_map(unit).collect()
}

/// What stands between the line of the condition, the comment after it, and the last line.
fn assembly(text: &str) -> Option<Range<usize>> {
    let comment = " */\n";
    let start = text.find(comment)? + comment.len();
    let end = text.rfind("#endif").unwrap_or(text.len());
    let inside = text.get(start..end)?;
    inside.lines().all(|line| !line.starts_with('#')).then_some(start..end)
}

/// The functions: from a line that begins in the first column to the line `}`.
fn functions(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut start, mut inside, mut at) = (None, false, 0);
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        let plain = line.trim_end();
        match (start, inside) {
            (Some(from), true) => {
                if plain == "}" {
                    found.push(from..next);
                }
                if plain.starts_with('}') {
                    (start, inside) = (None, false);
                }
            }
            _ if plain.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                && plain != "extern \"C\" {" =>
            {
                start = start.or(Some(at));
                inside = plain.ends_with('{');
                if plain.ends_with(';') {
                    start = None;
                }
            }
            (Some(_), false) if plain.starts_with(' ') || plain == "{" => {
                inside = plain.ends_with('{');
                if plain.ends_with(';') {
                    start = None;
                }
            }
            _ => start = None,
        }
        at = next;
    }
    found.retain(|span| {
        text.get(span.clone()).is_some_and(|text| has_only_pragmas(text) && text.contains('('))
    });
    found
}

/// Whether no line is for the preprocessor, pragmas apart.
fn has_only_pragmas(text: &str) -> bool {
    text.lines().map(str::trim_start).all(|line| !line.starts_with('#') || line.starts_with("#pragma "))
}

/// The word before the first parenthesis.
fn name(function: &str) -> &str {
    let before = function.split('(').next().unwrap_or_default().trim_end();
    before.rsplit(|c: char| !is_of_a_word(c)).next().unwrap_or_default()
}

fn is_of_a_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_macro(word: &str) -> bool {
    word.strip_prefix(MACRO)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The tokens without comments and empty lines; `None` where the text is none that is known here.
fn single(text: &str, is_assembly: bool) -> Option<Vec<Token<'_>>> {
    let mut tokens: Vec<Token> = Vec::new();
    let (mut at, mut spaced) = (0, false);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next()?;
        let run = |fits: fn(char) -> bool| rest.find(|c: char| !fits(c)).unwrap_or(rest.len());
        let is_directive = || {
            is_assembly
                && rest.get(1..).is_some_and(|next| next.starts_with(|c: char| c.is_ascii_alphabetic()))
        };
        let (kind, length) = match first {
            '\n' => (Some(Kind::Line), 1),
            ' ' | '\t' => (None, 1),
            '/' if rest.starts_with("/*") => (None, rest.find("*/")? + 2),
            '/' if rest.starts_with("//") => (None, run(|c| c != '\n')),
            '"' => (Some(Kind::Other), quoted(rest)?),
            '#' => (Some(Kind::Other), run(|c| c != '\n')),
            '.' if is_directive() => (Some(Kind::Word), 1 + name_length(rest.get(1..)?)),
            '0'..='9' => (Some(Kind::Number), name_length(rest)),
            _ if is_of_a_word(first) => (Some(Kind::Word), name_length(rest)),
            '\'' => return None,
            _ if first.is_ascii_punctuation() => (Some(Kind::Other), 1),
            _ => return None,
        };
        let begins = tokens.last().is_none_or(|last| last.kind == Kind::Line);
        match kind {
            None => spaced = true,
            Some(Kind::Line) if begins => spaced = false,
            Some(kind) => {
                tokens.push(Token { kind, text: rest.get(..length)?, at, spaced: spaced && !begins });
                spaced = false;
            }
        }
        at += length;
    }
    Some(tokens)
}

/// The length of the name or number that a text begins with.
fn name_length(text: &str) -> usize {
    text.find(|c| !is_of_a_word(c)).unwrap_or(text.len())
}

/// The same, but words of C one after another are one token, without the last: `const __m128i` and `t`.
fn tokens(text: &str, is_assembly: bool) -> Option<Vec<Token<'_>>> {
    let all = single(text, is_assembly)?;
    if is_assembly {
        return Some(all);
    }
    let follows = |before: &Token, token: &Token| {
        let between = text.get(before.at + before.text.len()..token.at);
        before.kind == Kind::Word && token.kind == Kind::Word && between == Some(" ")
    };
    let mut tokens = Vec::with_capacity(all.len());
    for run in all.chunk_by(follows) {
        match run {
            [first, .., before, last] => {
                let text = text.get(first.at..before.at + before.text.len())?;
                tokens.extend([Token { text, ..*first }, *last]);
            }
            _ => tokens.extend_from_slice(run),
        }
    }
    Some(tokens)
}

/// The length of a string, quotes included.
fn quoted(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return Some(at + 1),
            '\n' => return None,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    None
}

/// What units have in common.
struct Text<'a> {
    /// The tokens of the first unit, and of which macro each is.
    tokens: Vec<(Token<'a>, Option<usize>)>,
    /// For each macro what it stands for: of one word in the text itself, of several in the unit of the same place.
    macros: Vec<Vec<&'a str>>,
}

/// The text, and what stands where each unit was.
struct Written {
    text: String,
    uses: Vec<String>,
}

impl<'a> Text<'a> {
    /// The text of units of one shape; `None` if they are not that.
    fn of(units: &[&Unit<'a>]) -> Option<Text<'a>> {
        let first = units.first()?;
        // For each word or number of them: how often, and where first.
        let mut found: BTreeMap<Vec<&str>, (usize, usize)> = BTreeMap::new();
        let column = |place: usize| -> Option<Vec<&'a str>> {
            let of = |unit: &&Unit<'a>| unit.tokens.get(place).map(|token| token.text);
            let mut texts = units.iter().map(of).collect::<Option<Vec<&str>>>()?;
            if texts.windows(2).all(|pair| pair[0] == pair[1]) {
                texts.truncate(1);
            }
            Some(texts)
        };
        let given = given_to_macros(&first.tokens);
        for (place, token) in first.tokens.iter().enumerate() {
            if given[place] && column(place)?.len() > 1 {
                return None;
            }
            if matches!(token.kind, Kind::Word | Kind::Number) && !given[place] {
                found.entry(column(place)?).or_insert((0, place)).0 += 1;
            }
        }
        let mut chosen: Vec<(usize, usize, Vec<&str>)> = found
            .into_iter()
            .filter(|(texts, (count, _))| match &texts[..] {
                [word] => saves(word, *count) && !first.is_assembly,
                _ => true,
            })
            .map(|(texts, (count, place))| {
                (count * texts.iter().map(|text| text.len()).max().unwrap_or(0), place, texts)
            })
            .collect();
        chosen.sort_by_key(|(bytes, place, _)| (std::cmp::Reverse(*bytes), *place));
        let macros: Vec<Vec<&str>> = chosen.into_iter().map(|(_, _, texts)| texts).collect();
        let numbers: BTreeMap<&[&str], usize> =
            macros.iter().enumerate().map(|(number, texts)| (&texts[..], number)).collect();
        let tokens = first.tokens.iter().enumerate().map(|(place, &token)| {
            let known = match token.kind {
                Kind::Word | Kind::Number if !given[place] => numbers.get(&column(place)?[..]),
                _ => None,
            };
            Some((token, known.copied()))
        });
        Some(Text { tokens: tokens.collect::<Option<_>>()?, macros })
    }

    /// The tokens, with white space where it is needed: between words, between signs that could be one, and in assembly.
    fn body(&self, is_assembly: bool) -> String {
        let is_word = |kind: Kind| matches!(kind, Kind::Word | Kind::Number);
        let is_sign = |token: &Token| token.text.contains(|c| "+-&|<>=!/*".contains(c));
        let mut text = String::new();
        let mut before: Option<&Token> = None;
        for (token, number) in &self.tokens {
            let needed = before.is_some_and(|before| {
                (is_word(before.kind) && is_word(token.kind))
                    || (is_sign(before) && is_sign(token))
                    || is_assembly
            });
            if token.spaced && token.kind != Kind::Line && needed {
                text.push(' ');
            }
            match number {
                Some(number) => {
                    let _ = write!(text, "{MACRO}{number}");
                }
                None => text.push_str(token.text),
            }
            before = Some(token);
        }
        text
    }

    /// Whether a compiler reads of the body, with the macros of this unit, what it reads of the unit.
    fn is(&self, body: &str, place: usize, unit: &Unit) -> bool {
        let expanded = || {
            let mut expanded: Vec<&str> = Vec::new();
            for token in single(body, unit.is_assembly)? {
                match is_macro(token.text).then(|| token.text[1..].parse::<usize>().ok()) {
                    None => expanded.push(token.text),
                    Some(number) => {
                        let texts = self.macros.get(number?)?;
                        let tokens = single(texts.get(place).or(texts.first())?, unit.is_assembly)?;
                        expanded.extend(tokens.iter().map(|token| token.text));
                    }
                }
            }
            Some(expanded)
        };
        let read = single(unit.source, unit.is_assembly);
        let read = read.map(|tokens| tokens.iter().map(|token| token.text).collect::<Vec<_>>());
        read.is_some() && read == expanded()
    }

    /// The text in the file that is given, or in place of the only unit; `None` if that saves too little.
    fn written(&self, units: &[&Unit], shared: Option<&str>, head: Head) -> Option<Written> {
        let first = units.first()?;
        let own = |texts: &Vec<&str>| texts.len() == 1;
        let body = self.body(first.is_assembly);
        if !units.iter().enumerate().all(|(place, unit)| self.is(&body, place, unit)) {
            return None;
        }
        let mut text = String::new();
        for (number, texts) in self.macros.iter().enumerate().filter(|(_, texts)| own(texts)) {
            let _ = writeln!(text, "#define {MACRO}{number} {}", texts[0]);
        }
        text.push_str(&body);
        for number in 0..self.macros.len() {
            let _ = writeln!(text, "#undef {MACRO}{number}");
        }
        let uses: Vec<String> = (0..units.len())
            .map(|place| {
                let Some(path) = shared else { return text.clone() };
                let name = path.rsplit('/').next().unwrap_or(path);
                let given = self.macros.iter().enumerate().filter(|(_, texts)| !own(texts));
                let defined =
                    given.map(|(number, texts)| format!("#define {MACRO}{number} {}\n", texts[place]));
                format!("{}#include \"{name}\"\n", defined.collect::<String>())
            })
            .collect();
        let text = match shared {
            Some(path) => format!(
                "{}{text}",
                head(
                    path,
                    &format!("what {} functions have in common, but for what they define.", units.len())
                )
            ),
            None => String::new(),
        };
        let made = text.len() + uses.iter().map(String::len).sum::<usize>();
        let were: usize = units.iter().map(|unit| unit.span.len()).sum();
        (made + WORTH_A_FILE <= were).then_some(Written { text, uses })
    }
}

/// Which tokens stand in the parentheses of a function-like macro, whose name has no small letter: it may join an argument to
/// other letters (`##`), which are then not those of a macro that stands for it.
fn given_to_macros(tokens: &[Token]) -> Vec<bool> {
    let is_macro = |token: &Token| {
        token.kind == Kind::Word
            && token.text.len() > 1
            && !token.text.contains(|c: char| c.is_ascii_lowercase())
    };
    let mut given = vec![false; tokens.len()];
    let mut depth = 0usize;
    for (place, token) in tokens.iter().enumerate() {
        given[place] = depth > 0;
        match token.text {
            "(" if depth > 0 => depth += 1,
            "(" if place > 0 && is_macro(&tokens[place - 1]) => depth = 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    given
}

/// Whether a macro for a word that stands so often saves bytes.
fn saves(word: &str, count: usize) -> bool {
    let name = 3;
    count * word.len() > count * name + "#define  \n#undef \n".len() + word.len() + 2 * name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems() -> Vec<Vec<String>> {
        vec![vec!["f".to_owned(), "a.".to_owned(), "b.".to_owned()]]
    }

    const HEAD: Head = &|path, _| format!("/* {path} */\n");

    /// A long function with a loop, a pragma, a comment, and signs that must not run into each other.
    fn function(name: &str, ty: &str, xor: &str, trips: u32) -> String {
        let mut text =
            format!("/* Before. */\nvoid {name}(const {ty} *in, {ty} *out) {{\n#pragma GCC unroll 1\n");
        let _ = writeln!(text, "  for (size_t _i = 0; _i < {trips}; _i++) {{ /* a loop */");
        for place in 0..60 {
            let _ = writeln!(text, "    const {ty} t{place} = {xor}(in[{place} + _i], in[_i - -1]);");
        }
        text + "    state->moved = 1;\n  }\n}\n\nint after(void);\n"
    }

    fn shared(contents: &[String]) -> Vec<OutputFile> {
        let file = |(number, text): (usize, &String)| OutputFile {
            path: format!("f{number}.c"),
            contents: text.clone(),
        };
        let mut files: Vec<OutputFile> = contents.iter().enumerate().map(file).collect();
        share(&mut files, &stems(), HEAD);
        files
    }

    /// What a preprocessor makes of the first file.
    fn preprocessed(files: &[OutputFile]) -> String {
        let whole = super::super::amalgamate::inline(&files[0].contents, files, &mut Vec::new());
        let mut macros: Vec<(String, String)> = Vec::new();
        let mut text = String::new();
        for line in whole.lines() {
            if let Some(definition) = line.strip_prefix("#define ") {
                let (name, value) = definition.split_once(' ').unwrap();
                macros.push((name.into(), value.into()));
            } else if let Some(name) = line.strip_prefix("#undef ") {
                macros.retain(|(known, _)| known != name);
            } else {
                for token in single(&format!("{line}\n"), false).unwrap() {
                    let value = macros.iter().find(|(name, _)| name == token.text).map(|(_, value)| &**value);
                    text += &format!("{} ", value.unwrap_or(token.text));
                }
            }
        }
        text
    }

    fn plain(text: &str) -> String {
        single(text, false).unwrap().iter().map(|token| format!("{} ", token.text)).collect()
    }

    #[test]
    fn functions_that_differ_in_names_and_numbers_share_a_text() {
        let wide = function("wide", "__m256i", "_mm256_xor_si256", 12);
        let narrow = function("narrow", "__m128i", "_mm_xor_si128", 10);
        let files = shared(&[wide.clone(), narrow]);
        let paths: Vec<&str> = files.iter().map(|file| &*file.path).collect();
        assert_eq!(paths, ["f0.c", "f1.c", "f0_wide.inc"]);
        assert!(
            files[1].contents.contains("/* Before. */\n#define U0 _mm_xor_si128\n#define U1 const __m128i\n"),
            "{}",
            files[1].contents
        );
        assert!(
            files[1].contents.ends_with("#include \"f0_wide.inc\"\n\nint after(void);\n"),
            "{}",
            files[1].contents
        );
        assert!(files[2].contents.contains("\nU1 t7=U0(in[7+_i],in[_i- -1]);\n"), "{}", files[2].contents);
        assert_eq!(preprocessed(&files), plain(&wide));
    }

    #[test]
    fn a_function_that_is_like_no_other_has_its_words_shortened_where_it_is() {
        let one = function("wide", "__m256i", "_mm256_xor_si256", 12);
        let files = shared(std::slice::from_ref(&one));
        assert_eq!(files.len(), 1);
        assert!(files[0].contents.len() + WORTH_A_FILE < one.len());
        assert_eq!(preprocessed(&files), plain(&one));
    }

    #[test]
    fn what_macros_are_given_stays() {
        let text = function("f", "__m128i", "NAME", 12).replace("in[", "long_input[");
        let files = shared(std::slice::from_ref(&text));
        let line = "\nU0 t7=U1(long_input[7+_i],long_input[_i- -1]);\n";
        assert!(files[0].contents.contains(line), "{}", files[0].contents);
        let other = text.replace("long_input[7 + _i]", "long_input[8 + _i]");
        assert_eq!(shared(&[text, other]).len(), 2);
    }

    #[test]
    fn files_of_no_cipher_share_nothing() {
        let file = |path: &str, ty| OutputFile { path: path.into(), contents: function("g", ty, "x", 12) };
        let mut files = vec![file("f.h", "__m256i"), file("f.c", "__m128i"), file("any.c", "uint64_t")];
        share(&mut files, &stems(), HEAD);
        assert_eq!(files.len(), 3);
        let alone = shared(&[function("g", "__m128i", "x", 12)]);
        assert_eq!(files[1].contents, alone[0].contents);
    }

    #[test]
    fn what_is_short_or_has_such_words_already_stays() {
        let short = "void f(void) {\n  g();\n}\n".to_owned();
        let taken = function("U7", "__m128i", "_mm_xor_si128", 10);
        let asked =
            function("f", "__m128i", "_mm_xor_si128", 10).replace("#pragma GCC unroll 1", "#if X\n#endif");
        for text in [short, taken, asked] {
            let files = shared(std::slice::from_ref(&text));
            assert_eq!((files.len(), &files[0].contents), (1, &text));
        }
    }

    #[test]
    fn assembly_is_shared_from_its_first_comment_to_its_condition() {
        let kernel = |name: &str, trips: u32| {
            let mut text = format!(
                "#if defined(__ELF__)\n/*\n * A kernel.\n */\n\n    .text\n{name}:\n    mov ecx, {trips}\n"
            );
            for place in 0..100 {
                let _ = writeln!(
                    text,
                    "    vpxor zmm{}, zmm1, zmmword ptr [rsp + {}] // a",
                    place % 32,
                    64 * place
                );
            }
            text + "    .section .note.GNU-stack, \"\", @progbits\n#endif\n"
        };
        let file = |path: &str, contents| OutputFile { path: path.into(), contents };
        let mut files = vec![file("a.S", kernel("a", 10)), file("b.S", kernel("b", 12))];
        share(&mut files, &stems(), HEAD);
        assert_eq!(
            files[1].contents,
            "#if defined(__ELF__)\n/*\n * A kernel.\n */\n#define U0 12\n#define U1 b\n#include \"a.inc\"\n#endif\n"
        );
        let text = &files[2].contents;
        assert!(
            text.contains("\n.text\nU1:\nmov ecx, U0\nvpxor zmm0, zmm1, zmmword ptr [rsp + 0]\n"),
            "{text}"
        );
        assert!(text.contains("\n.section .note.GNU-stack, \"\", @progbits\n"), "{text}");
        let mut alone = vec![file("a.S", kernel("a", 10))];
        share(&mut alone, &stems(), HEAD);
        assert_eq!(alone[0].contents, kernel("a", 10));
    }
}
