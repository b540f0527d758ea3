//! Programs that were compiled wrongly once: every file of `tests/regressions/` means the same in every way to run it, in
//! each slicing, with loops kept, unrolled and as by default.

use usuba_ir::layout::Slicing::{B, V};
use usuba_tests::random::comparison::{Case, agree};

#[test]
fn what_was_wrong_is_right() {
    let folder = usuba_tests::ciphers::root().join("tests/regressions");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the folder is there").flatten().map(|e| e.path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        // The seed chooses inputs, and which loops are kept.
        for seed in 0..40 {
            let case = Case { text: text.clone(), seed, slicings: vec![V, B] };
            if let Err(failure) = agree(&case) {
                panic!("{}: seed {seed}: {failure:?}", file.display());
            }
        }
    }
}
