//! The ciphers of this repository, read from their folders.

use std::path::{Path, PathBuf};
use usuba_ir::layout::Slicing;
use usuba_lang::load::{Loaded, Loader, load};
use usuba_package::library::measured::{self, Measured};
use usuba_package::manifest::{self, Construction, Function, Manifest, Primitive};
use usuba_package::{OutputFile, construction};
use usuba_trial::known_answers::{Test, tests_of};
use usuba_trial::vectors::{self, Vector};

/// The files of this machine.
pub struct Disk;

impl Loader for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| error.to_string())
    }

    fn canonical(&self, path: &str) -> Option<String> {
        Some(Path::new(path).canonicalize().ok()?.to_string_lossy().into_owned())
    }
}

/// The names of the cipher folders, sorted.
pub const CIPHERS: [&str; 32] = [
    "ace",
    "aes",
    "aria",
    "ascon",
    "camellia",
    "chacha20",
    "clyde",
    "des",
    "gift",
    "gimli",
    "keccak",
    "kuznyechik",
    "lea",
    "led",
    "magma",
    "midori",
    "noekeon",
    "photon",
    "present",
    "prince",
    "pyjamask",
    "rectangle",
    "serpent",
    "shadow",
    "simon",
    "skinny",
    "sm4",
    "speck",
    "spongent",
    "subterranean",
    "trivium",
    "xoodoo",
];

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests live in the workspace").to_path_buf()
}

/// A cipher folder, read.
pub struct Cipher {
    folder: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
    /// Its program, free of errors.
    pub loaded: Loaded,
    /// What its engines took where they were measured.
    pub measured: Measured,
}

impl Cipher {
    /// Reads a folder below `ciphers/`.
    ///
    /// # Panics
    /// If it is not as it should be: these are the repository's own files.
    pub fn read(name: &str) -> Cipher {
        Cipher::at(root().join("ciphers").join(name), "usuba.toml")
    }

    /// Reads this manifest of a folder.
    ///
    /// # Panics
    /// As [`Cipher::read`].
    pub fn at(folder: PathBuf, name: &str) -> Cipher {
        let manifest = manifest::parse(name, &text(&folder.join(name))).expect("a valid manifest");
        let loaded = load(&folder.join(&manifest.source).to_string_lossy(), &[], &Disk);
        assert!(!loaded.diagnostics.iter().any(|finding| finding.is_error()), "{:?}", loaded.diagnostics);
        let measured = folder.join(measured::FILE);
        let measured = match measured.exists() {
            true => measured::parse(measured::FILE, &text(&measured)).expect("valid measurements"),
            false => Measured::default(),
        };
        Cipher { folder, manifest, loaded, measured }
    }

    /// The nodes that a manifest names, each with its slicings.
    pub fn nodes(&self) -> Vec<(String, Vec<Slicing>)> {
        let mut nodes: Vec<(String, Vec<Slicing>)> = Vec::new();
        let mut add =
            |node: &str, slicings: &[Slicing]| match nodes.iter_mut().find(|(known, _)| known == node) {
                Some((_, known)) => {
                    let new = slicings.iter().filter(|slicing| !known.contains(slicing)).copied();
                    known.extend(new.collect::<Vec<_>>());
                }
                None => nodes.push((node.to_owned(), slicings.to_vec())),
            };
        for primitive in &self.manifest.primitives {
            let slicings = primitive.slicings.clone();
            match &primitive.function {
                Function::BlockCipher(block) => {
                    // On general-purpose registers `v` may be made of other nodes.
                    for (slicing, target) in slicings
                        .into_iter()
                        .flat_map(|one| [(one, None), (one, Some(&usuba_target::machines::GP64))])
                    {
                        let block = block.in_slicing(slicing, target);
                        add(&block.encrypt, &[slicing]);
                        if let Some(decrypt) = &block.decrypt {
                            add(decrypt, &[slicing]);
                        }
                    }
                    if let Some(schedule) = &block.schedule {
                        add(&schedule.node, &[schedule.slicing]);
                        if let Some(keys) = &block.decryption_keys {
                            add(keys, &[schedule.slicing]);
                        }
                    }
                }
                Function::Stream(stream) => add(&stream.block_function, &slicings),
                Function::Generator(generator) => {
                    add(&generator.generate, &slicings);
                    add(&generator.initialise.node, &[generator.initialise.slicing]);
                }
                Function::Permutation(permutation) => add(&permutation.permute, &slicings),
            }
        }
        nodes
    }

    /// The known answers of a primitive.
    ///
    /// # Panics
    /// If a vector file is not as it should be.
    pub fn tests(&self, primitive: &Primitive) -> Vec<Test> {
        let files: Vec<_> = primitive
            .vectors
            .iter()
            .map(|path| {
                (path.clone(), vectors::parse(path, &text(&self.folder.join(path))).expect("valid vectors"))
            })
            .collect();
        tests_of(primitive, &files)
    }

    /// The known answers of a construction.
    ///
    /// # Panics
    /// If a vector file is not as it should be.
    pub fn vectors(&self, construction: &Construction) -> Vec<Vector> {
        let read = |path: &String| {
            vectors::parse(path, &text(&self.folder.join(path))).expect("valid vectors").vectors
        };
        construction.vectors.iter().flat_map(read).collect()
    }

    /// The files of its constructions in a library with this prefix.
    pub fn constructions(&self, prefix: &str) -> Vec<OutputFile> {
        let read = |path: &str| Ok::<_, std::convert::Infallible>(text(&self.folder.join(path)));
        construction::files(&self.manifest.constructions, &self.manifest.primitives, prefix, read)
            .expect("reading panics or succeeds")
    }
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
