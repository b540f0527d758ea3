//! The form of messages means what the reference interpreter says: every mode and sponge, at chosen lengths.

use std::fs;
use usuba_lang::ast::{self, BaseType};
use usuba_lang::diagnostic::Diagnostic;
use usuba_lang::load::load;
use usuba_lang::message::Message as Reference;
use usuba_message::bounds::unproved;
use usuba_message::classes::classify;
use usuba_message::form::{Message, VariableId};
use usuba_message::in_place::in_place;
use usuba_message::interpret::Runner;
use usuba_message::{elaborate, passes, print, strings};
use usuba_package::message::{self, CIPHER, MODES};
use usuba_tests::ciphers::{Disk, root};
use usuba_tests::messages::{SPONGES, bound, bytes, round_keys};
use usuba_tests::random::message::NODE;
use usuba_tests::ways;

fn form(program: &ast::Program, node: &str, cipher: Option<&str>) -> Message {
    elaborate::elaborate(program, node, cipher).unwrap_or_else(|error| panic!("{node}: {error:#?}"))
}

/// Compares one message at some lengths.
fn compare(program: &ast::Program, node: &str, cipher: Option<&'static str>, lengths: &[i64], least: usize) {
    let message = form(program, node, cipher);
    if std::env::var_os("USUBA_SHOW").is_some() {
        println!("{}", print::print(&message));
    }
    // The form, and what the passes make of it.
    let mut runners = vec![Runner::new(&message).unwrap_or_else(|error| panic!("{node}: {error}"))];
    let mut streamed = message.clone();
    let stuck = passes::run(&mut streamed);
    if std::env::var_os("USUBA_SHOW").is_some() {
        println!("after passes {stuck:?}\n{}", print::print(&streamed));
    }
    stuck.unwrap_or_else(|stuck| panic!("{node}: {stuck}"));
    let open = unproved(&streamed);
    let shown: Vec<String> = open
        .iter()
        .map(|one| {
            let (start, length) = (streamed.show(&one.start), streamed.show(&one.length));
            format!("{}[{start}; {length}]", streamed.variable(one.variable).name)
        })
        .collect();
    // In CCM the header has 0, 2 or 6 bytes; that a loop does not run at all is then beyond the prover. So it is for some
    // random messages, in which strings of any lengths meet in a block.
    let beyond = ["SealCCM", "OpenCCM", NODE].contains(&node);
    assert!(shown.len() <= usize::from(beyond), "{node}: {}", shown.join(", "));
    runners.push(Runner::new(&streamed).unwrap_or_else(|error| panic!("{node}, after passes: {error}")));
    let mut fused = streamed.clone();
    passes::fuse(&mut fused).unwrap();
    runners.push(Runner::new(&fused).unwrap_or_else(|error| panic!("{node}, fused: {error}")));
    let mut reference = Reference::new(program, node, cipher).unwrap();
    let definition = program.definitions.iter().find(|d| d.name.text == node).unwrap();
    let inputs: Vec<(&str, bool)> = definition
        .inputs
        .iter()
        .filter(|input| input.ty.base != BaseType::Nat)
        .flat_map(|input| {
            input.names.iter().map(|n| (n.text.as_str(), matches!(input.ty.base, BaseType::Keys(_))))
        })
        .collect();
    let numbers = message.lengths.len();
    let mut compared = 0;
    let rounds = if ways::all() { 3 } else { 2 };
    for seed in 0..(lengths.len() * rounds) as u64 {
        // Lengths that differ in each place.
        let chosen: Vec<i64> = (0..numbers)
            .map(|place| lengths[(seed as usize * (place + 1) + 5 * place) % lengths.len()])
            .collect();
        let value = |term: &usuba_message::number::Term| match term {
            usuba_message::number::Term::Length(length) => chosen[*length as usize],
            _ => 0,
        };
        let sizes: Vec<Option<usize>> = message
            .inputs
            .iter()
            .map(|&id| {
                let variable = message.variable(id);
                let count = variable.count.as_ref().map_or(Ok(1), |count| count.evaluate(&value)).ok()?;
                usize::try_from(count).ok().map(|count| count * variable.words.count as usize)
            })
            .collect();
        let mut strings: Vec<Vec<u8>> = Vec::new();
        let mut words: Vec<Vec<u128>> = Vec::new();
        for (place, size) in sizes.iter().enumerate() {
            let size = size.unwrap_or(0);
            let is_key = inputs[place].1;
            let string = bytes(1000 * seed + place as u64, if is_key { key_bytes(&message) } else { size });
            words.push(match is_key {
                true => round_keys(program, cipher.unwrap(), &string),
                false => string.iter().map(|&byte| byte.into()).collect(),
            });
            strings.push(string);
        }
        let nats: Vec<(&str, i64)> =
            message.lengths[..message.nats].iter().map(String::as_str).zip(chosen.iter().copied()).collect();
        let given: Vec<(&str, &[u8])> =
            inputs.iter().zip(&strings).map(|(&(name, _), string)| (name, string.as_slice())).collect();
        let expected = reference.run(&nats, &given);
        compared += usize::from(expected.is_ok());
        for (stage, runner) in ["form", "passes", "fused"].iter().zip(&mut runners) {
            let found = runner.run(&chosen, &words);
            let Ok(expected) = &expected else {
                assert!(found.is_err(), "{node}, {stage}, takes {chosen:?}");
                continue;
            };
            let found = found.unwrap_or_else(|error| panic!("{node}, {stage}, {chosen:?}: {error}"));
            let (Some(expected), Some(found)) = (expected, &found) else {
                assert_eq!(expected.is_some(), found.is_some(), "{node}, {stage}, {chosen:?}");
                continue;
            };
            for ((name, expected), found) in expected.iter().zip(found) {
                let found: Vec<u8> = found.iter().map(|&word| word as u8).collect();
                assert_eq!(*expected, found, "{node}, {stage}, {chosen:?}: {name}");
            }
        }
    }
    assert!(compared >= least, "{node}: {compared} compared");
}

fn key_bytes(message: &Message) -> usize {
    message.cipher.as_ref().map_or(0, |cipher| cipher.key as usize)
}

const LENGTHS: [i64; 14] = [16, 0, 12, 17, 1, 33, 4, 15, 32, 8, 31, 48, 64, 7];

#[test]
fn modes_mean_what_the_reference_says() {
    for mode in MODES {
        let program = bound("aes", "aes-128", mode).program;
        compare(&program, mode.node, Some(CIPHER), &LENGTHS, 3);
    }
}

#[test]
fn sponges_mean_what_the_reference_says() {
    for (cipher, file, nodes) in SPONGES {
        let path = root().join("ciphers").join(cipher).join(file).to_string_lossy().into_owned();
        let loaded = load(&path, &[], &Disk);
        for node in nodes {
            compare(&loaded.program, node, None, &LENGTHS, 5);
        }
    }
}

/// What each loop is, and why. `UPDATE_EXPECT=1` writes the file anew.
#[test]
fn loops_are_classified() {
    let mut found = String::new();
    let mut add = |name: &str, program: &ast::Program, node: &str, cipher: Option<&str>| {
        let mut message = form(program, node, cipher);
        passes::run(&mut message).unwrap();
        found += &format!("{name}\n");
        for one in classify(&message) {
            found += &format!("  {}: {}\n", one.range, one.class());
            if one.carried.len() > 1 {
                for (name, class) in &one.carried {
                    found += &format!("    {name}: {class}\n");
                }
            }
            for counter in &one.counters {
                found += &format!("    counter: {counter}\n");
            }
            for neighbour in &one.neighbours {
                found += &format!("    neighbours: {neighbour}\n");
            }
        }
    };
    for mode in MODES {
        let program = bound("aes", "aes-128", mode).program;
        add(mode.name, &program, mode.node, Some(CIPHER));
    }
    for (cipher, file, nodes) in SPONGES {
        let path = root().join("ciphers").join(cipher).join(file).to_string_lossy().into_owned();
        let loaded = load(&path, &[], &Disk);
        for node in nodes {
            add(node, &loaded.program, node, None);
        }
    }
    let path = root().join("tests/messages/classes.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &found).unwrap();
    }
    let wanted = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, wanted, "{}: set UPDATE_EXPECT=1 if this is how it should be", path.display());
}

/// Which text may be written over which: all but those whose standard reads a block again that has been written. GIFT-COFB wrote
/// the end of its text before it had read the beginning.
#[test]
fn texts_may_be_written_over_what_they_are_made_of() {
    let mut apart = Vec::new();
    for mode in MODES {
        let program = bound("aes", "aes-128", mode).program;
        let mut message = form(&program, mode.node, Some(CIPHER));
        passes::run(&mut message).unwrap();
        let is_text = |id: &VariableId| ["plain", "cipher"].contains(&message.variable(*id).name.as_str());
        let texts = |all: &[VariableId]| all.iter().copied().find(is_text);
        let (Some(input), Some(output)) = (texts(&message.inputs), texts(&message.outputs)) else { continue };
        if !in_place(&message).contains(&(input, output)) {
            apart.push(mode.name);
        }
    }
    assert_eq!(apart, ["cbc-decrypt", "cfb-decrypt", "cfb8-decrypt"]);
}

/// Random messages mean the same to the reference, to the form, and after the passes.
#[test]
fn random_messages_mean_what_the_reference_says() {
    let programs = std::env::var("USUBA_PROGRAMS").ok().and_then(|many| many.parse().ok());
    let many = programs.map_or(60, |many: u64| many / 10);
    let mut stuck = 0;
    for seed in 0..many {
        let text = usuba_tests::random::message::text(seed);
        let sources = usuba_lang::load::load("message.ua", &[], &Text(&text));
        let said = |findings: &[Diagnostic]| {
            usuba_lang::render::render(findings, &sources.sources, usuba_lang::render::Style::Plain)
        };
        let findings = usuba_lang::elaborate::check(&sources.program, false);
        let wrong = sources.diagnostics.iter().chain(&findings).any(Diagnostic::is_error);
        assert!(!wrong, "{text}{}{}", said(&sources.diagnostics), said(&findings));
        let node = NODE;
        if passes::run(&mut form(&sources.program, node, None)).is_err() {
            stuck += 1;
            continue;
        }
        let outcome = std::panic::catch_unwind(|| compare(&sources.program, node, None, &LENGTHS, 5));
        assert!(outcome.is_ok(), "seed {seed}:\n{text}");
    }
    // Three strings of open lengths in one block and a padding with bits at its end: what the prover does not decide.
    assert!(stuck * 100 <= many, "{stuck} of {many} are refused");
}

/// A loader of one text.
struct Text<'t>(&'t str);

impl usuba_lang::load::Loader for Text<'_> {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.as_bytes().to_vec())
    }

    fn canonical(&self, path: &str) -> Option<String> {
        Some(path.to_owned())
    }
}

/// Loops that look like one another and are not of one class.
#[test]
fn classes_are_proved_not_guessed() {
    let program = |step: &str| {
        format!(
            "table S (x:b4) returns (y:b4) {{ 6, 5, 12, 10, 1, 14, 7, 9, 11, 0, 3, 13, 8, 15, 4, 2 }}\n\
             node Twice (x:b16) returns (y:b16)\nlet y = (x << 1) ^ (0:b12, x[0], 0:b1, x[0], x[0]) tel\n\
             node Times (x, h:b16) returns (y:b16)\nvars z, v:b16[17]\nlet\n    z[0] = 0;\n    v[0] = x;\n    \
             forall i in [0,15] {{\n        forall j in [0,15] {{ z[i+1][j] = z[i][j] ^ (v[i][j] & h[15-i]) }}\n        \
             v[i+1] = Twice(v[i])\n    }}\n    y = z[16]\ntel\n\
             node Message (h:const u8[2], a:u8[n][2]) returns (t:u8[2])\nvars y:b16[n+1], H, A:b16\nlet\n    \
             H = Bits(h);\n    y[0] = 0;\n    \
             forall i in [0, n) {{ y[i+1] = {step} }}\n    t = Bytes(y[n])\ntel\n"
        )
    };
    for (step, class) in [
        ("y[i] ^ Bits(a[i])", "sum"),
        ("y[i] ^ Twice(Bits(a[i]))", "sum"),
        ("y[i] ^ Times(Bits(a[i]), Bits(a[i]))", "sum"),
        ("Twice(y[i])", "linear orbit"),
        ("Twice(y[i]) ^ H", "linear scan"),
        ("Twice(y[i] ^ Bits(a[i]))", "linear scan"),
        ("Times(y[i] ^ Bits(a[i]), H)", "linear scan"),
        ("Times(y[i], H ^ Twice(H)) ^ Bits(a[i])", "linear scan"),
        ("Times(y[i], Bits(a[i]))", "scan: the map of what is carried changes with the data"),
        ("Times(y[i] ^ H, H ^ Bits(a[i]))", "scan: the map of what is carried changes with the data"),
        ("Times(y[i], y[i])", "scan: a product has what is carried in both factors"),
        ("Times(y[i], H ^ y[i])", "scan: a product has what is carried in both factors"),
        ("S(y[i][0..3]) ++ y[i][4..15]", "scan: a table is applied to what is carried"),
    ] {
        let text = program(step).replace(", A:b16", ":b16");
        let loaded = load("message.ua", &[], &Text(&text));
        let findings = usuba_lang::elaborate::check(&loaded.program, false);
        let wrong = loaded.diagnostics.iter().chain(&findings).find(|finding| finding.is_error());
        assert!(wrong.is_none(), "{text}{wrong:?}");
        let mut message = form(&loaded.program, "Message", None);
        passes::run(&mut message).unwrap();
        let loops = classify(&message);
        assert!(loops[0].class().to_string().starts_with(class), "{step}: {}", loops[0].class());
    }
}

/// A message that is too long to be elaborated: sealed, opened, and refused with one bit changed.
#[test]
fn long_messages_open_again() {
    let mode = |name: &str| message::named(name).unwrap();
    let program = bound("aes", "aes-128", mode("gcm-seal")).program;
    let (seal, open) = (form(&program, "SealGCM", Some(CIPHER)), form(&program, "OpenGCM", Some(CIPHER)));
    let (key, iv, aad, plain) = (bytes(1, 16), bytes(2, 12), bytes(3, 20), bytes(4, 40_001));
    let common: [(&str, &[u8]); 3] = [("key", &key), ("iv", &iv), ("aad", &aad)];
    let with = |more: &[(&'static str, Vec<u8>)]| {
        let more: Vec<(&str, &[u8])> = more.iter().map(|(name, value)| (*name, value.as_slice())).collect();
        let node = if more.len() == 1 { &seal } else { &open };
        let numbers: &[(&str, i64)] = if more.len() == 1 { &[("t", 16)] } else { &[] };
        strings::run(node, numbers, &[common.as_slice(), more.as_slice()].concat()).unwrap()
    };
    let mut sealed = with(&[("plain", plain.clone())]).expect("a seal has results");
    let (tag, mut cipher) = (sealed.remove(1).1, sealed.remove(0).1);
    let opened = with(&[("cipher", cipher.clone()), ("tag", tag.clone())]).expect("the tag is right");
    assert_eq!(opened[0].1, plain);
    cipher[40_000] ^= 1;
    assert_eq!(with(&[("cipher", cipher), ("tag", tag)]), None);
    let short = strings::run(&open, &[], &common);
    assert!(short.is_err(), "an input is missing");
}
