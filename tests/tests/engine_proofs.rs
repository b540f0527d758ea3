//! Engines, proved: what compilers make of a library's file for a cipher and a target brings each block through the kernel
//! once, from bytes in memory to bytes in memory, and the kernel in that file is what the text says.
//!
//! Nothing is run here: code for AVX-512 is proved on any machine.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Instant;
use usuba_ir::layout::Slicing;
use usuba_ir::random::Random;
use usuba_package::engine::Choices;
use usuba_target::machines;
use usuba_tests::ciphers::Cipher;
use usuba_tests::faults::Code;
use usuba_tests::objects::compiler_of;
use usuba_tests::ways;
use usuba_trial::proof::engine::{Claim, Extent, NoEngine, Subject};
use usuba_verify::object::blocks::{Task, Verdict};
use usuba_verify::object::file::{Architecture, Object};
use usuba_verify::object::kernel::{self, Kept};
use usuba_verify::prove::Limits;

/// An engine, and the compiler of its file.
type Way<'a> = (&'a str, &'a str, Slicing, &'a str, &'a str);

/// What a normal run proves.
const USUAL: [Way<'static>; 8] = [
    ("rectangle", "rectangle-80", Slicing::V, "gp64", "gcc"),
    ("rectangle", "rectangle-80", Slicing::B, "gp64", "clang"),
    ("rectangle", "rectangle-80", Slicing::V, "avx512", "gcc"),
    ("serpent", "serpent-128", Slicing::V, "avx2", "gcc"),
    ("gimli", "gimli", Slicing::V, "avx2", "gcc"),
    ("ascon", "ascon-p12", Slicing::V, "gp64", "clang"),
    ("chacha20", "chacha20", Slicing::V, "avx2", "gcc"),
    ("rectangle", "rectangle-80", Slicing::V, "neon", "gcc"),
];

/// The ciphers of a long run.
const LONG: [(&str, &str, &[Slicing]); 13] = [
    ("rectangle", "rectangle-80", &[Slicing::H, Slicing::B]),
    ("present", "present-80", &[Slicing::B]),
    ("serpent", "serpent-128", &[Slicing::V]),
    ("aes", "aes-128", &[Slicing::H]),
    ("gift", "gift-128", &[Slicing::H]),
    ("des", "des", &[Slicing::B]),
    ("chacha20", "chacha20", &[Slicing::V]),
    ("gimli", "gimli", &[Slicing::V]),
    ("ascon", "ascon-p12", &[Slicing::V]),
    ("xoodoo", "xoodoo-12", &[Slicing::V]),
    ("keccak", "keccak-f1600", &[Slicing::V]),
    ("ace", "ace", &[Slicing::V]),
    ("photon", "photon-256", &[Slicing::H]),
];

/// The targets of a long run.
const TARGETS: [&str; 6] = ["gp64", "avx2", "avx512", "avx2-gfni", "avx512-gfni", "neon"];

fn subject(way: Way<'_>) -> Result<Subject, NoEngine> {
    subject_of(way, &Choices::new(way.2))
}

fn subject_of((name, primitive, _, target, _): Way<'_>, choices: &Choices) -> Result<Subject, NoEngine> {
    let cipher = Cipher::read(name);
    let primitive = cipher.manifest.primitives.iter().find(|one| one.name == primitive).expect("a primitive");
    Subject::of(primitive, &cipher.loaded, machines::by_name(target).expect("a target"), choices)
}

fn object(subject: &Subject, (.., target, compiler): Way<'_>) -> Vec<u8> {
    let target = machines::by_name(target).expect("a target");
    subject.object(&compiler_of(compiler, target), &["-O2"]).expect("an object")
}

fn parsed(bytes: &[u8], target: &str) -> Object {
    let platform = machines::by_name(target).expect("a target").toolchains[0].platform;
    let architecture = Architecture::of_platform(platform).expect("an architecture");
    Object::parse_for(bytes, architecture).expect("an object")
}

/// Proves an engine: how many functions and tasks are proved, kernels included, and what is not, with the reason.
fn check(subject: &Subject, way: Way<'_>) -> (usize, Vec<String>) {
    let bytes = object(subject, way);
    let object = parsed(&bytes, way.3);
    let (mut proved, mut open) = (0, Vec::new());
    let mut kept: BTreeMap<&str, Kept> = BTreeMap::new();
    for role in subject.roles() {
        match subject.kernel(&object, role, Limits::default()) {
            Ok((kernel::Verdict::Proved, report)) => {
                kept.insert(role, report.kept);
                proved += 1;
            }
            Ok((verdict, _)) => open.push(format!("the kernel of {role}: {verdict:?}")),
            Err(why) => open.push(format!("the kernel of {role}: {why}")),
        }
    }
    let claims = subject.claims(&object, Extent::Some);
    // Then the kernel is proved with each block, which takes as many times as long.
    let mut has_kernel_inside = false;
    for claim in &claims {
        // Both directions have one loop over batches: a normal run looks at one of them.
        if claim.role == "decrypt" && matches!(claim.task, Task::Batches { .. }) && !ways::all() {
            continue;
        }
        // Around a kernel of which nothing is known there is nothing to prove.
        let Some(&kept) = kept.get(claim.role) else { continue };
        if has_kernel_inside
            && !matches!(
                claim.task,
                Task::Load | Task::Same | Task::Apply { blocks: 1, .. } | Task::Permute { states: 1 }
            )
        {
            open.push(format!("{}, {:?}: not tried", claim.function, claim.task));
            continue;
        }
        match subject.prove(&object, claim, kept, Limits::default()) {
            Ok((Verdict::Proved, report)) => {
                proved += 1;
                let is_call = matches!(claim.task, Task::Apply { .. } | Task::Permute { .. });
                has_kernel_inside |= is_call && report.instances == 0;
            }
            Ok((verdict, _)) => open.push(format!("{}, {:?}: {verdict:?}", claim.function, claim.task)),
            Err(why) => open.push(format!("{}, {:?}: {why}", claim.function, claim.task)),
        }
    }
    (proved, open)
}

#[test]
fn engines_bring_each_block_through_the_kernel() {
    for way in USUAL {
        let subject = subject(way).expect("an engine");
        let start = Instant::now();
        let (proved, open) = check(&subject, way);
        println!("{way:?}: {proved} proved, {:?}", start.elapsed());
        // A permutation has one kernel, and one function on one, two and more batches.
        assert!(proved > 2 && open.is_empty(), "{way:?}: {open:#?}");
    }
}

/// Engines that take the number of their rounds, as libraries of several sizes of keys have them: round keys in the order of the
/// turns, and the number before them. Wrong ones are not proved.
#[test]
fn engines_for_several_sizes_of_keys_are_proved_for_each() {
    const WAYS: [Way<'static>; 4] = [
        ("simon", "simon-64-96", Slicing::V, "avx2", "gcc"),
        ("simon", "simon-64-128", Slicing::V, "avx512", "gcc"),
        ("skinny", "skinny-64-192", Slicing::H, "avx2", "gcc"),
        ("aes", "aes-192", Slicing::H, "ssse3", "gcc"),
    ];
    for way in WAYS.into_iter().take(if ways::all() { 4 } else { 1 }) {
        let choices = Choices { turns: true, ..Choices::new(way.2) };
        let subject = subject_of(way, &choices).expect("an engine");
        let start = Instant::now();
        let (proved, open) = check(&subject, way);
        println!("{way:?}: {proved} proved, {:?}", start.elapsed());
        assert!(proved > 2 && open.is_empty(), "{way:?}: {open:#?}");

        let compiler = compiler_of(way.4, machines::by_name(way.3).expect("a target"));
        let count = |text: &str| text.matches("usuba_count_turns(to, ").count();
        let wrong = [
            ("a turn more", &[("usuba_count_turns(to, ", "usuba_count_turns(to, 1 + ")][..]),
            ("another order", &[(" * sizeof ordered[0]", " * 0"), (" * sizeof keys[0]", " * 0")]),
            ("a turn less in the kernel", &[(", turns);", ", turns - 1);")]),
        ];
        for (what, changes) in wrong {
            let mut files = subject.files();
            let engine = files.iter_mut().find(|file| count(&file.contents) > 0).expect("the engine");
            let change = |text: String, (from, to): &(&str, &str)| text.replace(from, to);
            let changed = changes.iter().fold(engine.contents.clone(), change);
            assert_ne!(changed, engine.contents, "{what}");
            engine.contents = changed;
            let bytes = subject.object_of(&files, &compiler, &["-O2"]).expect("an object");
            let object = parsed(&bytes, way.3);
            let mut refused = 0;
            for role in subject.roles() {
                let Ok((kernel::Verdict::Proved, report)) = subject.kernel(&object, role, Limits::default())
                else {
                    continue;
                };
                for claim in subject.claims(&object, Extent::Some).iter().filter(|claim| claim.role == role) {
                    let is_tried = matches!(claim.task, Task::Load | Task::Apply { blocks: 1, .. });
                    let found =
                        is_tried.then(|| subject.prove(&object, claim, report.kept, Limits::default()));
                    refused += usize::from(!matches!(found, None | Some(Ok((Verdict::Proved, _)))));
                }
            }
            assert!(refused > 0, "{way:?}: {what}");
        }
    }
}

/// Engines of one batch, around whose kernels compilers do what only these allow: a call of a static kernel leaves the stack at
/// another multiple of eight; masks and upper registers stay as they were over a call; bytes are shifted as parts of words, looked up
/// in a register, and substituted by the last round of AES, each that of another instance.
#[test]
fn engines_that_rest_on_what_their_kernels_leave_alone_are_proved() {
    const WAYS: [Way<'static>; 4] = [
        ("speck", "speck-64-96", Slicing::V, "gp64", "gcc"),
        ("gift", "gift-64-fixsliced", Slicing::V, "avx512-gfni", "gcc"),
        ("midori", "midori-64", Slicing::H, "ssse3", "gcc"),
        ("sm4", "sm4", Slicing::V, "avx-aes", "gcc"),
    ];
    for way in WAYS {
        let mut choices = Choices::new(way.2);
        choices.settings.passes.interleave = Some(1);
        let subject = subject_of(way, &choices).expect("an engine");
        let start = Instant::now();
        let (proved, open) = check(&subject, way);
        println!("{way:?}: {proved} proved, {:?}", start.elapsed());
        assert!(proved > 2 && open.is_empty(), "{way:?}: {open:#?}");
        if way.0 == "gift" {
            // Of a kernel that may change the masks, this is not proved; nor is it wrong.
            let object = parsed(&object(&subject, way), way.3);
            let claims = subject.claims(&object, Extent::Some);
            let one = claims.iter().find(|claim| matches!(claim.task, Task::Apply { blocks: 1, .. }));
            let (_, report) = subject.kernel(&object, "encrypt", Limits::default()).expect("it is known");
            let kept = Kept { masks: 0, ..report.kept };
            let found = subject.prove(&object, one.expect("a block"), kept, Limits::default());
            assert!(matches!(found, Ok((Verdict::Unfounded, _))), "{found:?}");
        }
    }
}

/// What is claimed of the first direction of an engine and not proved, first, and what was found; kernels that compilers have put into
/// what calls them are proved there.
fn first_open(subject: &Subject, object: &Object) -> Option<(Claim, Result<Verdict, String>)> {
    let role = subject.roles()[0];
    let kept = object.function(subject.symbol(role)).map_or(Kept::default(), |_| {
        let (verdict, report) = subject.kernel(object, role, Limits::default()).expect("it is known");
        assert_eq!(verdict, kernel::Verdict::Proved);
        report.kept
    });
    let claims = subject.claims(object, Extent::Some).into_iter().filter(|claim| claim.role == role);
    let mut found = claims.map(|claim| {
        let found = subject.prove(object, &claim, kept, Limits::default());
        (claim, found.map(|(verdict, _)| verdict).map_err(|why| why.to_string()))
    });
    found.find(|(_, found)| *found != Ok(Verdict::Proved))
}

/// Engines with a tweak for each block, and those whose kernel takes the counter and the nonce side by side in a group of words, are
/// proved; wrong ones are not.
#[test]
fn engines_of_more_parameters_are_proved() {
    // Four blocks in a batch, and two.
    const CLYDE: Way<'static> = ("clyde", "clyde-128", Slicing::V, "ssse3", "gcc");
    const CHACHA: Way<'static> = ("chacha20", "chacha20", Slicing::Packed(4), "avx2", "gcc");
    let wrong = [
        // All batches have the tweaks of the first one.
        (CLYDE, "state->tweaks += ", "state->tweaks += 0 * "),
        // So have the first ones of many.
        (CLYDE, "state->tweaks += ", "state->tweaks += (state->blocks < 14) * "),
        // A batch that is not full has those of other blocks.
        (CLYDE, "memcpy(last, tweaks, ", "memcpy(last + 1, tweaks, "),
        // Blocks are their own tweaks.
        (CLYDE, "tweak_pack(tweaks, given)", "(void)given, tweak_pack(tweaks, in)"),
        // More tweaks are read than there are.
        (CLYDE, "state->blocks < ", "state->blocks == 0 * "),
        (CHACHA, "nonce[2] << high", "nonce[1] << high"),
        (CHACHA, "count(state, ", "count(state, 2 * "),
        (CHACHA, "counters[j].lanes[0], nonce)", "counters[j].lanes[0] + 1, nonce)"),
    ];
    for way in [CLYDE, CHACHA] {
        let mut choices = Choices::new(way.2);
        choices.settings.passes.interleave = Some(1);
        let subject = subject_of(way, &choices).expect("an engine");
        let compiler = compiler_of(way.4, machines::by_name(way.3).expect("a target"));
        assert_eq!(first_open(&subject, &parsed(&object(&subject, way), way.3)), None, "{way:?}");
        let every = if ways::all() { 1 } else { 2 };
        for (_, from, to) in wrong.iter().step_by(every).filter(|(of, ..)| *of == way) {
            let mut files = subject.files();
            assert!(files.iter().any(|file| file.contents.contains(from)), "{way:?}: {from}");
            files.iter_mut().for_each(|file| file.contents = file.contents.replace(from, to));
            let bytes = subject.object_of(&files, &compiler, &["-O2"]).expect("an object");
            let found = first_open(&subject, &parsed(&bytes, way.3));
            println!("{to:?}: {found:?}");
            assert!(found.is_some(), "{way:?}: {to}");
        }
    }
}

/// Kernels that the compiler makes a part of the functions: all blocks are proved as one. What is wrong for one block alone, or in
/// the keys, is refuted.
#[test]
fn inlined_kernels_are_proved_and_wrong_ones_refuted() {
    let way = ("aes", "aes-128", Slicing::Packed(16), "avx512-vaes", "gcc");
    let mut choices = Choices::new(way.2);
    choices.settings.passes.interleave = Some(1);
    let subject = subject_of(way, &choices).expect("an engine");
    let compiler = compiler_of(way.4, machines::by_name(way.3).expect("a target"));
    let role = "encrypt";
    let kernel = subject.symbol(role);
    let mut files = subject.files();
    for file in &mut files {
        let inlined = format!("static inline __attribute__((always_inline)) void {kernel}(");
        file.contents = file.contents.replace(&format!("void {kernel}("), &inlined);
    }
    let batch = format!("    block_pack(blocks, in);\n    {kernel}(blocks, keys, results);\n");
    let counted = format!("    {kernel}(state->blocks, (const uint8_t *)state->keys, results);\n");
    const KEY: &str = "    uint8_t copy[176];\n    memcpy(copy, keys, 176);\n    copy[85] ^= 16;\n    usuba";
    let wrong = [
        // The kernel as it is.
        (&batch, batch.clone()),
        // A bit of the second block of a batch is another one, before the kernel and behind it.
        (&batch, batch.replace("in);\n", "in);\n    ((unsigned char *)blocks)[20] ^= 4;\n")),
        (&batch, format!("{batch}    ((unsigned char *)results)[20] ^= 4;\n")),
        // The third block is the second one.
        (
            &batch,
            format!("{batch}    memcpy((unsigned char *)results + 32, (unsigned char *)results + 16, 16);\n"),
        ),
        // A bit of a round key is another one.
        (&batch, batch.replace("keys,", "copy,").replace("    usuba", KEY)),
        // A byte of a counter is another one, and a byte of what is made of it.
        (&counted, format!("    ((unsigned char *)state->blocks)[29] ^= 1;\n{counted}")),
        (&counted, format!("{counted}    ((unsigned char *)results)[3] ^= 1;\n")),
    ];
    let tried = if ways::all() { wrong.len() } else { 4 };
    for (number, (from, to)) in wrong.into_iter().take(tried).enumerate() {
        let mut files = files.clone();
        let engine = files.iter_mut().find(|file| file.contents.contains(from.as_str())).expect("the engine");
        engine.contents = engine.contents.replace(from.as_str(), &to);
        let object = parsed(&subject.object_of(&files, &compiler, &["-O2"]).expect("an object"), way.3);
        assert!(object.function(kernel).is_err(), "the kernel is a function");
        let start = Instant::now();
        // Of wrong ones a few blocks: to refute is to look at each of them.
        let is_tried = |claim: &&Claim| {
            let is_few = matches!(claim.task, Task::Apply { .. } | Task::Counter { .. });
            claim.role == role && claim.task != Task::Same && (is_few || number == 0)
        };
        let mut open = 0;
        for claim in subject.claims(&object, Extent::Some).iter().filter(is_tried) {
            let is_counter = matches!(claim.task, Task::Counter { .. });
            match subject.prove(&object, claim, Kept::default(), Limits::default()) {
                Ok((Verdict::Proved, report)) => assert_eq!(report.instances, 0),
                Ok((Verdict::Refuted { .. }, _)) => {
                    assert_eq!(is_counter, from == &counted, "{to}: {claim:?}");
                    open += 1;
                }
                found => panic!("{to}: {claim:?}: {found:?}"),
            }
        }
        println!("{number}: {open} refuted, {:?}", start.elapsed());
        assert_eq!(open > 0, number > 0, "{to}");
    }
}

/// Each number of blocks that there can be, in place and not: few of them one by one, the others by induction.
#[test]
fn every_number_of_blocks_is_brought_through_the_kernel() {
    const WAYS: [Way<'static>; 2] = [
        ("rectangle", "rectangle-80", Slicing::V, "gp64", "gcc"),
        ("ascon", "ascon-p12", Slicing::V, "gp64", "clang"),
    ];
    for way in WAYS {
        let subject = subject(way).expect("an engine");
        let object = parsed(&object(&subject, way), way.3);
        let start = Instant::now();
        let mut proved = 0;
        for role in subject.roles() {
            let (verdict, report) = subject.kernel(&object, role, Limits::default()).expect("it is known");
            assert_eq!(verdict, kernel::Verdict::Proved);
            for claim in subject.claims(&object, Extent::All).iter().filter(|claim| claim.role == role) {
                let found = subject.prove(&object, claim, report.kept, Limits::default());
                assert!(matches!(found, Ok((Verdict::Proved, _))), "{way:?}, {claim:?}: {found:?}");
                proved += 1;
            }
        }
        println!("{way:?}: {proved} proved, {:?}", start.elapsed());
    }
}

/// Loops over batches that are right for as many blocks as other claims are about, and wrong for some number: none is proved.
#[test]
fn wrong_loops_over_batches_are_not_proved() {
    const LOOP: &str = "        out += size;\n        in += size;\n";
    let wrong = [
        // The fifth batch goes elsewhere.
        "        out += size;\n        in += length == 5 * size ? 0 : size;\n",
        // From the fifth on, every other one is that before it.
        "        out += size;\n        in += length > 4 * size ? 2 * size : size;\n",
        // A turn depends on what was read.
        "        out += size + (in[0] & 1);\n        in += size;\n",
        // The output moves less than a batch.
        "        out += size - 1;\n        in += size;\n",
        // A byte behind the batch is written as well.
        "        out += size;\n        in += size;\n        out[0] = 0;\n",
        // The input of the batch after the next one is read.
        "        out += size;\n        in += size;\n        ((volatile unsigned char *)in)[2 * size];\n",
        // What is left after the last batch but one is forgotten, if that is a batch.
        "        out += size;\n        in += size;\n        if (length == 2 * size) return;\n",
    ];
    let way = USUAL[0];
    let subject = subject(way).expect("an engine");
    let files = subject.files();
    let compiler = compiler_of(way.4, machines::by_name(way.3).expect("a target"));
    let right = parsed(&object(&subject, way), way.3);
    let role = "encrypt";
    let (_, report) = subject.kernel(&right, role, Limits::default()).expect("it is known");
    let is_of_batches = |claim: &&Claim| claim.role == role && matches!(claim.task, Task::Batches { .. });
    let claims = subject.claims(&right, Extent::Some);
    for change in std::iter::once(LOOP).chain(wrong) {
        let mut files = files.clone();
        let drivers = files.iter_mut().find(|file| file.path.ends_with("usuba_drivers.h")).expect("drivers");
        assert_eq!(drivers.contents.matches(LOOP).count(), 1);
        drivers.contents = drivers.contents.replace(LOOP, change);
        let object = parsed(&subject.object_of(&files, &compiler, &["-O2"]).expect("an object"), way.3);
        let prove = |claim: &Claim| subject.prove(&object, claim, report.kept, Limits::default());
        let found: Vec<_> = claims.iter().filter(is_of_batches).map(prove).collect();
        let are_proved = found.iter().all(|found| matches!(found, Ok((Verdict::Proved, _))));
        assert_eq!(are_proved, change == LOOP, "{change}: {found:?}");
        println!("{change:?}: {found:?}");
    }
}

/// The loop over batches in other shapes, and at other levels of optimisation, is proved as well.
#[test]
fn loops_of_other_shapes_are_proved() {
    const LOOP: &str = "    for (; length >= size; length -= size) {\n        apply(context, out, in);\n        out += size;\n        \
                        in += size;\n    }\n";
    let shapes = [
        LOOP,
        // An index that counts bytes.
        "    size_t at = 0;\n    for (; length - at >= size; at += size) apply(context, out + at, in + at);\n    \
         out += at; in += at; length -= at;\n",
        // The end of the last whole batch.
        "    const unsigned char *end = in + length / size * size;\n    for (; in != end; in += size, out += size) \
         apply(context, out, in);\n    length %= size;\n",
        // The number of batches, counted down behind the turn.
        "    size_t turns = length / size;\n    if (turns) do {\n        apply(context, out, in);\n        out += size;\n        \
         in += size;\n    } while (--turns);\n    length %= size;\n",
        // Numbers with a sign.
        "    for (ptrdiff_t left = (ptrdiff_t)(length / size); left > 0; left--) {\n        apply(context, out, in);\n        \
         out += size;\n        in += size;\n    }\n    length %= size;\n",
    ];
    // Clang is not to make the kernel a part of the function.
    let ways: [(&str, &[&str]); 4] = [
        ("gcc", &["-O2"]),
        ("clang", &["-O2", "-fno-inline-functions"]),
        ("gcc", &["-O1"]),
        ("gcc", &["-Os"]),
    ];
    let ways = if ways::all() { &ways[..] } else { &ways[..2] };
    let target = machines::by_name("avx2").expect("a target");
    // A batch has a power of two bytes, so that quotients are shifts.
    let mut choices = Choices::new(Slicing::H);
    choices.settings.passes.interleave = Some(2);
    let cipher = Cipher::read("rectangle");
    let primitive = cipher.manifest.primitives.first().expect("a primitive");
    let subject = Subject::of(primitive, &cipher.loaded, target, &choices).expect("an engine");
    for &(compiler, flags) in ways {
        let compiler = compiler_of(compiler, target);
        let mut kept: Option<Kept> = None;
        for shape in shapes {
            let mut files = subject.files();
            let drivers =
                files.iter_mut().find(|file| file.path.ends_with("usuba_drivers.h")).expect("drivers");
            assert_eq!(drivers.contents.matches(LOOP).count(), 1);
            drivers.contents = drivers.contents.replace(LOOP, shape);
            let object =
                parsed(&subject.object_of(&files, &compiler, flags).expect("an object"), target.name);
            let kept = *kept.get_or_insert_with(|| {
                subject.kernel(&object, "encrypt", Limits::default()).expect("it is known").1.kept
            });
            let claims = subject.claims(&object, Extent::Some);
            let is_of_batches =
                |claim: &&Claim| claim.role == "encrypt" && matches!(claim.task, Task::Batches { .. });
            let claim = claims.iter().find(is_of_batches).expect("a loop over batches");
            let found = subject.prove(&object, claim, kept, Limits::default());
            assert!(matches!(found, Ok((Verdict::Proved, _))), "{flags:?}: {shape}: {found:?}");
        }
    }
}

/// A line for each engine of a few ciphers, by both compilers; of the primitive `USUBA_PRIMITIVE` alone if it is set, and on the
/// targets `USUBA_TARGETS` alone.
#[test]
#[ignore = "long: `make prove`"]
fn engines_of_a_long_run() {
    let only = std::env::var("USUBA_PRIMITIVE").ok();
    let wanted = |primitive: &str| only.as_ref().is_none_or(|only| only == primitive);
    let chosen = std::env::var("USUBA_TARGETS").ok();
    let is_chosen = |name: &str| chosen.as_ref().is_none_or(|names| names.split(',').any(|one| one == name));
    for (name, primitive, slicings) in LONG.into_iter().filter(|(_, primitive, _)| wanted(primitive)) {
        for &slicing in slicings {
            // Only bytes that are mapped have instructions of their own there.
            let has_code =
                |target: &&str| is_chosen(target) && (primitive == "aes-128" || !target.ends_with("gfni"));
            for target in TARGETS.into_iter().filter(has_code) {
                for compiler in ["gcc", "clang"] {
                    let way = (name, primitive, slicing, target, compiler);
                    let Ok(subject) = subject(way) else { continue };
                    let start = Instant::now();
                    let (proved, open) = check(&subject, way);
                    let seconds = start.elapsed().as_secs_f64();
                    let first = open.first().map_or("", String::as_str);
                    println!(
                        "| `{primitive}` | `{slicing}` | `{target}` | {compiler} | {proved} | {} | {seconds:.1} | {first} |",
                        open.len()
                    );
                }
            }
        }
    }
}

/// A fault in what brings a batch there and back is refused or refuted; or the processor sees no difference either.
#[test]
fn patched_engines_are_refuted() {
    let way = USUAL[0];
    let subject = subject(way).expect("an engine");
    let bytes = object(&subject, way);
    let whole = Object::parse(&bytes).expect("an object");
    let (_, report) = subject.kernel(&whole, "encrypt", Limits::default()).expect("it is known");
    let claims: Vec<_> =
        subject.claims(&whole, Extent::Some).into_iter().filter(|one| one.role == "encrypt").collect();
    let right = outputs(&bytes);
    let code = Code::of(&bytes, "encrypt_batch");
    let mut random = Random::new(65);
    let (mut refused, mut refuted, mut harmless) = (0, 0, 0);
    let all = ways::all();
    let count = if all { 500 } else { 40 };
    for _ in 0..count {
        let (fault, patched) = code.faulty(&bytes, &mut random);
        let object = Object::parse(&patched).expect("an object");
        let prove = |one| subject.prove(&object, one, report.kept, Limits::default());
        // The first claim that is not proved decides.
        match claims.iter().map(prove).find(|one| !matches!(one, Ok((Verdict::Proved, _)))) {
            Some(Err(_) | Ok((Verdict::Unfounded, _))) => refused += 1,
            Some(Ok((Verdict::Unknown, _))) => panic!("{fault} is not decided"),
            Some(Ok(_)) => refuted += 1,
            None => {
                harmless += 1;
                assert_eq!(outputs(&patched), right, "{fault}");
            }
        }
    }
    println!("{refused} refused, {refuted} refuted, {harmless} without effect");
    assert!(refused + refuted > count / 2 && refuted > 0, "{refused}, {refuted}, {harmless}");
}

/// The same of a permutation and a stream cipher, whose functions are not run: most faults are refused or refuted.
#[test]
fn patched_engines_without_round_keys_are_refuted() {
    // Compilers make what brings a batch there and back a part of these.
    let functions = [("gimli", "usuba_gimli_avx2_v_permute"), ("chacha20", "usuba_chacha20_avx2_v_xor")];
    for (primitive, function) in functions {
        let way = *USUAL.iter().find(|way| way.1 == primitive).expect("an engine");
        let subject = subject(way).expect("an engine");
        let bytes = object(&subject, way);
        let whole = Object::parse(&bytes).expect("an object");
        let role = subject.roles()[0];
        let (_, report) = subject.kernel(&whole, role, Limits::default()).expect("it is known");
        let claims = subject.claims(&whole, Extent::Some);
        let code = Code::of(&bytes, function);
        let mut random = Random::new(66);
        let (mut refused, mut refuted) = (0, 0);
        const COUNT: usize = 8;
        for _ in 0..COUNT {
            let (fault, patched) = code.faulty(&bytes, &mut random);
            let object = Object::parse(&patched).expect("an object");
            let prove = |one| subject.prove(&object, one, report.kept, Limits::default());
            match claims.iter().map(prove).find(|one| !matches!(one, Ok((Verdict::Proved, _)))) {
                Some(Err(_) | Ok((Verdict::Unfounded, _))) => refused += 1,
                Some(Ok((Verdict::Unknown, _))) => panic!("{primitive}: {fault} is not decided"),
                Some(Ok(_)) => refuted += 1,
                None => {}
            }
        }
        println!("{primitive}: {refused} refused, {refuted} refuted");
        assert!(refused + refuted > COUNT / 2, "{primitive}: {refused}, {refuted}");
    }
}

/// What this processor makes of a few blocks by an object of [`USUAL`]'s first engine.
fn outputs(object: &[u8]) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("it.o"), object).expect("written");
    let main = "#include <stdint.h>\n#include <stdio.h>\n\
                void usuba_rectangle_80_gp64_v_encrypt_blocks(const void *, unsigned char *, const unsigned char *, size_t);\n\
                int main(void) {\n  static uint64_t keys[256], in[16], out[16], x = 1;\n  \
                for (int i = 0; i < 256; i++) keys[i] = x = x * 6364136223846793005u + 1;\n  \
                for (int i = 0; i < 16; i++) in[i] = x = x * 6364136223846793005u + 1;\n  \
                for (size_t n = 0; n < 16; n++) {\n    \
                usuba_rectangle_80_gp64_v_encrypt_blocks(keys, (void *)out, (void *)in, n);\n    \
                fwrite(out, 1, sizeof out, stdout);\n  }\n}\n";
    std::fs::write(path("main.c"), main).expect("written");
    let arguments = ["-O1", "main.c", "it.o", "-o", "it"];
    let linked = Command::new("gcc").args(arguments).current_dir(folder.path()).output().expect("gcc");
    assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
    let output = Command::new(path("it")).output().expect("it runs");
    assert!(output.status.success(), "{:?}", output.status);
    output.stdout
}
