use super::*;
use crate::manifest::Scheme;

fn construction(name: &str, over: &[&str]) -> Construction {
    Construction {
        name: name.into(),
        scheme: Scheme::Hash { digest_bytes: 8 },
        source: Source::Hand(Hand {
            source: format!("constructions/{name}.c"),
            header: format!("constructions/{name}.h"),
            includes: vec!["constructions/mix_state.h".into()],
        }),
        over: over.iter().map(|name| name.to_string()).collect(),
        vectors: Vec::new(),
    }
}

const SOURCE: &str = "\
#include \"usuba_mix_hash.h\"
#include \"usuba_mix_p.h\"
#include \"usuba_mix_state.h\"
int usuba_mix_hash(unsigned char digest[USUBA_MIX_HASH_DIGEST_BYTES])
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
fn files_and_names_take_the_prefix() {
    let hashes = [construction("mix-hash", &["mix-p"]), construction("mix-more", &["mix-p", "mix-hash"])];
    let made = files(&hashes, &[], "my_", read).unwrap();
    let paths: Vec<&str> = made.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["my_mix_hash.c", "my_mix_hash.h", "my_mix_state.h", "my_mix_more.c", "my_mix_more.h"]);
    assert_eq!(
        made[0].contents,
        "\
#include \"my_mix_hash.h\"
#include \"my_mix_p.h\"
#include \"my_mix_state.h\"
int my_mix_hash(unsigned char digest[MY_MIX_HASH_DIGEST_BYTES])
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
    let made = files(&[construction("mix-hash", &["mix-p"])], &[], "usuba_", read).unwrap();
    assert_eq!((made[0].path.as_str(), made[0].contents.as_str()), ("usuba_mix_hash.c", SOURCE));
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let made =
        files(&[construction("mix-hash", &[])], &[], "usuba_", |path| Err::<String, _>(path.to_owned()));
    assert_eq!(made.unwrap_err(), FilesError::Read("constructions/mix-hash.c".to_owned()));
}
