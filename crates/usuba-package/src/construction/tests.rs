use super::*;
use crate::manifest::{Scheme, Text};

fn fast() -> Fast {
    Fast {
        source: "constructions/mix-hash.c".into(),
        includes: vec!["constructions/mix_state.h".into()],
        functions: Vec::new(),
    }
}

fn construction() -> Construction {
    Construction {
        name: "mix-hash".into(),
        scheme: Scheme::Hash { digest_bytes: 8 },
        text: Text {
            file: "mix.ua".into(),
            nodes: vec!["Mix".into()],
            title: "Mix".into(),
            specification: "none".into(),
            rules: "none".into(),
            fast: Some(fast()),
        },
        over: vec!["mix-p".into()],
        vectors: Vec::new(),
    }
}

const SOURCE: &str = "\
#include \"usuba_mix_p.h\"
#include \"usuba_mix_state.h\"
static int usuba_mix_hash_digested(unsigned char digest[USUBA_MIX_HASH_DIGEST_BYTES])
{
    my_usuba_mix_hash();
    usuba_mix_p_permute(usuba_mix_state_of(digest), 1);
    usuba_wipe(digest, USUBA_MIX_P_STATE_BYTES);
    return USUBA_OK;
}
";

fn read(path: &str) -> Result<String, String> {
    Ok(if path.ends_with(".c") { SOURCE.into() } else { path.into() })
}

#[test]
fn c_by_hand_takes_the_prefix() {
    let mut files = Vec::new();
    let text = fast_form(&construction(), &fast(), "my_", &mut read, &mut files).unwrap();
    let twice = fast_form(&construction(), &fast(), "my_", &mut read, &mut files).unwrap();
    assert_eq!(text, twice);
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["my_mix_state.h"], "what several include is there once");
    assert_eq!(
        text,
        "\
#include \"my_mix_p.h\"
#include \"my_mix_state.h\"
static int my_mix_hash_digested(unsigned char digest[MY_MIX_HASH_DIGEST_BYTES])
{
    my_usuba_mix_hash();
    my_mix_p_permute(my_mix_state_of(digest), 1);
    usuba_wipe(digest, MY_MIX_P_STATE_BYTES);
    return USUBA_OK;
}
"
    );
}

#[test]
fn the_usual_prefix_changes_nothing() {
    assert_eq!(fast_form(&construction(), &fast(), "usuba_", &mut read, &mut Vec::new()).unwrap(), SOURCE);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let made = files(&[construction()], &[], "usuba_", |path| Err::<String, _>(path.to_owned()));
    assert_eq!(made.unwrap_err(), FilesError::Read("constructions/mix_state.h".to_owned()));
}
