//! The codes that public functions return: one list, `runtime/usuba_results.h`, in every header that users include.

const HEADER: &str = include_str!("../../../runtime/usuba_results.h");

/// What a text says that has the list in it; only sources of this project do.
const INCLUDE: &str = "#include \"usuba_results.h\"\n";

/// The definitions of the codes, without the comment before them.
fn definitions() -> &'static str {
    HEADER.find("#ifndef").map_or(HEADER, |start| &HEADER[start..])
}

/// The definitions of the codes and an empty line, for templates of headers.
pub(crate) fn results() -> String {
    format!("{}\n", definitions())
}

/// A text with the definitions in place of the include, so that headers stand alone.
pub(crate) fn with_results(text: &str) -> String {
    text.replace(INCLUDE, definitions())
}
