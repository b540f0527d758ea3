//! What a slicing cannot express: every program of `admission/SLICING` gets the message beside it, and none reaches the
//! lowering proper.

mod programs;

use expect_test::expect_file;
use usuba_ir::layout::Slicing;
use usuba_lang::elaborate;
use usuba_lang::load::{Text, load};
use usuba_lang::render::{Style, render};
use usuba_lower::{Options, lower};

fn refused(slicing: Slicing) {
    for path in programs::programs(&format!("admission/{slicing}")) {
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let name = path.file_name().expect("it has a name").to_string_lossy();
        let loaded = load(&name, &[], &Text(&text));
        let (program, diagnostics) = elaborate::elaborate(&loaded.program, &elaborate::Options::new());
        let program =
            program.unwrap_or_else(|| panic!("{}", render(&diagnostics, &loaded.sources, Style::Plain)));
        let found = match lower(&program, &loaded.sources, &Options::new(slicing)) {
            Ok(lowered) => panic!("{} is accepted:\n{lowered}", path.display()),
            Err(found) => found,
        };
        expect_file![path.with_extension("txt")].assert_eq(&render(&found, &loaded.sources, Style::Plain));
    }
}

#[test]
fn what_has_no_horizontal_form_is_refused() {
    refused(Slicing::H);
}

#[test]
fn what_has_no_vertical_form_is_refused() {
    refused(Slicing::V);
}
