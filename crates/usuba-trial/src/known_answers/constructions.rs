//! Known answers of constructions, which are C over primitives: through that C, and through what the compilers make of the
//! primitives in each slicing.

use super::{Answers, Path, Plan, Progress, Report, WayError, explain};
use crate::harness;
use crate::run::{Compiler, Family};
use crate::variant::Variant;
use crate::vectors::VectorFile;
use usuba_codegen::Backend;
use usuba_ir::layout::Slicing;
use usuba_lang::load::Loaded;
use usuba_package::construction::FilesError;
use usuba_package::engine::BuildError;
use usuba_package::manifest::{Construction, Manifest, Primitive, Scheme};
use usuba_package::{OutputFile, construction, library};
use usuba_target::Target;

/// A request to the program around a construction, and what it must answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// The file and the name in it, such as `ascon-aead128.json: kat-1, opened`.
    pub name: String,
    request: Vec<u8>,
    answer: Vec<u8>,
}

/// The tests in files of known answers that concern a construction, and the names of the vectors whose sizes it does not
/// take. `files` are the parsed files with their names.
///
/// A message of authenticated encryption is sealed, opened, and opened with a bit of its tag changed, which must be refused;
/// one that is not valid must be refused.
pub fn tests_of(construction: &Construction, files: &[(String, VectorFile)]) -> (Vec<Test>, Vec<String>) {
    let (mut tests, mut strangers) = (Vec::new(), Vec::new());
    for (file, content) in files {
        for one in &content.vectors {
            let is = |bytes: &[u8], size: u32| bytes.len() == size as usize;
            let mut add = |what: &str, request: Vec<u8>, answer: Vec<u8>| {
                tests.push(Test { name: format!("{file}: {}{what}", one.id), request, answer });
            };
            let before = match construction.scheme {
                Scheme::Aead { key_bytes, nonce_bytes, tag_bytes } => {
                    let (tag, size) = (tag_bytes as usize, one.output.len());
                    if !is(&one.key, key_bytes) || !is(&one.nonce, nonce_bytes) || size < tag {
                        strangers.push(format!("{file}: {}", one.id));
                        continue;
                    }
                    let (secret, tag) = one.output.split_at(size - tag);
                    let head = |what: u8, length: usize| {
                        let mut request = vec![what];
                        request.extend((one.ad.len() as u64).to_le_bytes());
                        request.extend((length as u64).to_le_bytes());
                        [request, one.key.clone(), one.nonce.clone(), one.ad.clone()].concat()
                    };
                    let refused = [vec![4, 1], vec![0; secret.len()]].concat();
                    let open =
                        |tag: &[u8]| [head(b'O', secret.len()), tag.to_vec(), secret.to_vec()].concat();
                    if one.valid {
                        let seal = [head(b'S', one.input.len()), one.input.clone()].concat();
                        add(", sealed", seal, [vec![0], one.output.clone()].concat());
                        add(", opened", open(tag), [vec![0, 1], one.input.clone()].concat());
                        let mut wrong = tag.to_vec();
                        wrong.iter_mut().last().into_iter().for_each(|byte| *byte ^= 1);
                        add(", with a wrong tag", open(&wrong), refused);
                    } else {
                        add(", refused", open(tag), refused);
                    }
                    continue;
                }
                Scheme::Hash { digest_bytes } => is(&one.output, digest_bytes).then_some(&[][..]),
                Scheme::Xof { customization_bytes: None } => {
                    one.customization.is_empty().then_some(&one.customization[..])
                }
                Scheme::Xof { customization_bytes: Some(most) } => {
                    (one.customization.len() <= most as usize).then_some(&one.customization[..])
                }
                Scheme::Mac { key_bytes, tag_bytes } => {
                    (is(&one.key, key_bytes) && is(&one.output, tag_bytes)).then_some(&one.key[..])
                }
            };
            let Some(before) = before else {
                strangers.push(format!("{file}: {}", one.id));
                continue;
            };
            let mut request = vec![b'D'];
            for part in [&one.output[..], before, &one.input] {
                request.extend((part.len() as u64).to_le_bytes());
            }
            request.extend(before);
            request.extend(&one.input);
            add("", request, [&[0, 1], &one.output[..]].concat());
        }
    }
    (tests, strangers)
}

/// A cipher with the files of its constructions.
pub struct Source<'a> {
    /// Its manifest.
    pub manifest: &'a Manifest,
    /// The program of the manifest's source, free of errors.
    pub loaded: &'a Loaded,
    /// What [`construction::files`] makes of the constructions of the manifest, with the prefix `usuba_`.
    pub files: &'a [OutputFile],
}

/// Runs all tests on every compiled way of a plan; there is nothing else that could run C. `progress` is called before each
/// way. A way without slicing is that of a construction over nothing.
pub fn run(
    source: &Source<'_>,
    construction: &Construction,
    tests: &[Test],
    plan: &Plan,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Report {
    let (constructions, primitives) = under(source.manifest, construction);
    let in_all = |slicing: &Slicing| primitives.iter().all(|one| one.slicings.contains(slicing));
    let slicings: Vec<Option<Slicing>> = match (primitives.first(), &plan.slicings) {
        (None, _) => vec![None],
        (Some(_), Some(asked)) => asked.iter().copied().map(Some).collect(),
        (Some(first), None) => first.slicings.iter().copied().filter(in_all).map(Some).collect(),
    };
    let ways: Vec<(Path, Option<Slicing>)> = plan
        .paths
        .iter()
        .filter(|path| matches!(path, Path::C { .. } | Path::Assembly { .. }))
        .flat_map(|&path| slicings.iter().map(move |&slicing| (path, slicing)))
        .collect();
    let expected: Vec<_> = tests.iter().map(|test| (test.name.as_str(), &test.answer[..])).collect();
    let mut report = Report::default();
    for (number, &(path, slicing)) in ways.iter().enumerate() {
        let way = slicing.map_or(path.to_string(), |slicing| format!("{path}, slicing {slicing}"));
        progress(Progress { way: &way, number, ways: ways.len() });
        let answers = answers(source, &constructions, &primitives, (path, slicing), tests, plan);
        report.add(way, &expected, answers);
    }
    report
}

/// A construction with those that it is over, and the primitives below all of them.
fn under<'a>(
    manifest: &'a Manifest,
    construction: &'a Construction,
) -> (Vec<&'a Construction>, Vec<&'a Primitive>) {
    let mut constructions = vec![construction];
    let mut primitives: Vec<&Primitive> = Vec::new();
    let mut next = 0;
    while let Some(one) = constructions.get(next).copied() {
        for name in &one.over {
            let below = manifest.constructions.iter().find(|other| other.name == *name);
            constructions
                .extend(below.filter(|below| constructions.iter().all(|one| one.name != below.name)));
            let below = manifest.primitives.iter().find(|other| other.name == *name);
            primitives.extend(below.filter(|below| primitives.iter().all(|one| one.name != below.name)));
        }
        next += 1;
    }
    (constructions, primitives)
}

fn answers(
    source: &Source<'_>,
    constructions: &[&Construction],
    primitives: &[&Primitive],
    (path, slicing): (Path, Option<Slicing>),
    tests: &[Test],
    plan: &Plan,
) -> Result<Answers, WayError> {
    let slicing = slicing.unwrap_or(Slicing::V);
    let (target, family, backend, optimisation): (&'static Target, Family, Backend, &str) = match path {
        Path::C { target, family, optimisation } => (target, family, Backend::C, optimisation),
        Path::Assembly { target, family, optimisation } => (target, family, Backend::Assembly, optimisation),
        _ => return Err(WayError::Absent("nothing is compiled".into())),
    };
    let compiler = if plan.runner.is_empty() {
        Compiler::find(target, family)?
    } else {
        Compiler::with_runner(target, family, &plan.runner)?
    };
    let choices = Variant::new(slicing).by(family).through(backend).choices_over(&plan.overrides);
    let mut files: Vec<OutputFile> = Vec::new();
    for primitive in primitives {
        let library =
            library::one_level(primitive, source.loaded, target, &choices).map_err(|error| match &error {
                BuildError::Node { node, failure, .. } => explain(node, failure),
                BuildError::Driver { .. } | BuildError::Portable { .. } | BuildError::Message { .. } => {
                    WayError::Broken(error.to_string())
                }
            })?;
        files.extend(library.files);
    }
    files.extend(usuba_package::runtime());
    // The sources of other constructions may call what is not here.
    let needed = |file: &OutputFile| {
        let of = |one: &&Construction| file.path == format!("usuba_{}.c", one.identifier());
        !file.path.ends_with(".c") || constructions.iter().any(of)
    };
    files.extend(source.files.iter().filter(|file| needed(file)).cloned());
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    if let Some(first) = constructions.first() {
        files.push(harness::of_construction(first));
    }
    let program = plan.objects.compile(&compiler, &files, &[], &[optimisation])?;
    let requests: Vec<u8> = tests.iter().flat_map(|test| test.request.iter().copied()).collect();
    let output = program.run(&requests)?;
    let mut rest = &output[..];
    let mut found = Vec::new();
    for test in tests {
        let (answer, more) = rest
            .split_at_checked(test.answer.len())
            .ok_or_else(|| WayError::Broken("the compiled program answers less than it was asked".into()))?;
        rest = more;
        found.push(Some(answer.to_vec()));
    }
    Ok(Answers { tests: found, modes: None })
}

/// The files of all constructions of a manifest, as [`Source`] wants them.
///
/// # Errors
/// Those of `read`, which gives the text at a path relative to the manifest; those of [`construction::files`].
pub fn files<E>(
    manifest: &Manifest,
    read: impl FnMut(&str) -> Result<String, E>,
) -> Result<Vec<OutputFile>, FilesError<E>> {
    construction::files(&manifest.constructions, &manifest.primitives, "usuba_", read)
}
