//! Proves the engines of a shared library of all ciphers for x86-64, from the objects that its build has left, and writes the table
//! of `docs/proofs-library.md`.
//!
//! `make prove-library` runs it: `prove-library LIBRARY [PRIMITIVE…]`, where `LIBRARY` is what `make lib` has made. An engine whose
//! functions are those of another size of keys is not there. What proves is `usubac verify`, which has to lie beside this program,
//! in a process for each engine. The exit status is 1 if something was refuted.

use std::path::{Path, PathBuf};
use std::process::Command;
use usuba_target::PLATFORMS;
use usuba_tests::ciphers::{CIPHERS, Cipher, root};
use usuba_tests::proof_page::{ENGINES, Name};
use usuba_tests::renewal::{Row, renew};
use usuba_verify::object::file::{Architecture, Object};

/// Where the table stands.
const PAGE: &str = "docs/proofs-library.md";

/// The slicings as they begin what names say after the target, those first that begin as others do.
const SLICINGS: [&str; 6] = ["v16", "v8", "v4", "v", "h", "b"];

/// An engine of the library.
struct Engine {
    /// The folder of its cipher.
    folder: PathBuf,
    name: Name,
    slicing: &'static str,
    /// How many batches at once, if that is not the usual number.
    batches: String,
    /// Its object, and those of its kernels.
    objects: Vec<PathBuf>,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(library) = arguments.next() else {
        eprintln!("usage: prove-library LIBRARY [PRIMITIVE…]");
        std::process::exit(2);
    };
    let wanted: Vec<String> = arguments.collect();
    let built = Path::new(&library).join("build");
    let engines = engines(&built);
    if engines.is_empty() {
        eprintln!("error: `{}` has no objects of engines: `make lib` makes them", built.display());
        std::process::exit(2);
    }
    std::process::exit(renew(PAGE, &ENGINES, &engines, &wanted));
}

/// The engines of a library, those of a cipher together.
fn engines(built: &Path) -> Vec<Engine> {
    let listed = std::fs::read_dir(built).into_iter().flatten().flatten();
    let mut files: Vec<String> = listed.filter_map(|file| file.file_name().into_string().ok()).collect();
    files.sort();
    let x86 = PLATFORMS.iter().find(|platform| platform.name == "x86-64").expect("a platform");
    let beside = x86.levels.iter().filter_map(|level| usuba_target::beside(level));
    let targets: Vec<&str> = x86.levels.iter().copied().chain(beside).map(|target| target.name).collect();
    let mut engines = Vec::new();
    for cipher in CIPHERS {
        for primitive in Cipher::read(cipher).manifest.primitives {
            for target in &targets {
                let start = format!("usuba_{}_{}_", primitive.identifier(), target.replace('-', "_"));
                for file in files.iter().filter(|file| file.starts_with(&start)) {
                    let Some(rest) = file[start.len()..].strip_suffix(".c.o") else { continue };
                    let (way, kernels) =
                        rest.strip_suffix("_asm").map_or((rest, "C"), |way| (way, "assembly"));
                    let found =
                        SLICINGS.iter().find_map(|&slicing| Some((slicing, way.strip_prefix(slicing)?)));
                    let Some((slicing, batches)) = found else { continue };
                    let stem = format!("{start}{rest}");
                    let is_kernel =
                        |other: &&String| other.starts_with(&format!("{stem}_")) && other.ends_with(".S.o");
                    let own = files.iter().filter(is_kernel).filter(|_| kernels == "assembly");
                    if batches.chars().all(|digit| digit.is_ascii_digit())
                        && has_functions(&built.join(file), &stem)
                    {
                        engines.push(Engine {
                            folder: root().join("ciphers").join(cipher),
                            name: [primitive.name.as_str(), target, way, kernels].map(str::to_owned),
                            slicing,
                            batches: batches.to_owned(),
                            objects: [file].into_iter().chain(own).map(|file| built.join(file)).collect(),
                        });
                    }
                }
            }
        }
    }
    engines
}

/// Whether an object has the functions of an engine of this name, and not only what makes its round keys.
fn has_functions(object: &Path, stem: &str) -> bool {
    let Ok(bytes) = std::fs::read(object) else { return false };
    let Ok(object) = Object::parse_for(&bytes, Architecture::X86_64) else { return false };
    let does = ["encrypt_blocks", "ctr_xor", "permute", "xor"];
    object.functions.iter().any(|function| {
        function.name.strip_prefix(stem).is_some_and(|rest| does.contains(&rest.trim_start_matches('_')))
    })
}

impl Row for Engine {
    fn name(&self) -> &Name {
        &self.name
    }

    fn command(&self, usubac: &Path, folder: &Path) -> Result<Command, String> {
        let object = folder.join("engine.o");
        let joined = Command::new("ld").arg("-r").arg("-o").arg(&object).args(&self.objects).output();
        if !joined.is_ok_and(|output| output.status.success()) {
            return Err("the linker does not join its objects".into());
        }
        let [primitive, target, ..] = &self.name;
        let mut command = Command::new(usubac);
        command.arg("verify").arg(&self.folder).arg(&object);
        command.args(["--primitive", primitive, "--slicing", self.slicing, "--target", target]);
        if !self.batches.is_empty() {
            command.args(["--inter-factor", &self.batches]);
        }
        Ok(command)
    }
}
