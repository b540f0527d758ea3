//! Compiling variants of a primitive and timing them side by side: what `bench` and `tune` share.

use crate::cipher::Cipher;
use crate::metric::Metric;
use crate::output::Failure;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use usuba_codegen::{Backend, Kernel};
use usuba_compiler::pipeline::Overrides;
use usuba_package::OutputFile;
use usuba_package::engine::BuildError;
use usuba_package::library::{self, OneLevel};
use usuba_package::manifest::Primitive;
use usuba_target::Target;
use usuba_trial::bench::{self, Timed};
use usuba_trial::disassembly::{self, Code};
use usuba_trial::run::{Compiler, Objects, Program, RunError};
use usuba_trial::variant::Variant;

/// Where variants are made and run.
pub struct Workbench<'a> {
    /// The cipher.
    pub cipher: &'a Cipher,
    /// The optimisation level of the C compilers: `-O3`.
    pub level: String,
    /// Blocks that a call of the whole path gets; some 16 KiB of them if `None`.
    pub blocks: Option<u32>,
    /// What runs the programs; empty for this machine.
    pub runner: Vec<String>,
    /// What the passes do, where variants say nothing.
    pub overrides: Overrides,
    /// What is counted.
    pub metric: Metric,
    /// How many libraries were made: each has names of its own, so that all fit in one program.
    made: AtomicUsize,
}

/// The library of a variant, not yet compiled.
pub struct Draft<'a> {
    /// The primitive.
    pub primitive: &'a Primitive,
    /// The machine.
    pub target: &'static Target,
    /// What was chosen.
    pub variant: Variant,
    /// What its names begin with.
    prefix: String,
    library: OneLevel,
    /// As [`Workbench::blocks`].
    blocks: Option<u32>,
}

/// A compiled variant.
pub struct Candidate {
    /// The machine.
    pub target: &'static Target,
    /// What was chosen.
    pub variant: Variant,
    /// Who compiled it.
    pub compiler: Compiler,
    /// The kernel that the primitive spends its time in.
    pub kernel: Kernel,
    /// What can be timed.
    pub timed: Timed,
    /// What is in the code of the kernel, if there is a disassembler.
    pub code: Option<Code>,
    objects: Objects,
}

/// What came of running a program of [`Workbench::link`] several times.
#[derive(Default)]
pub struct Samples {
    /// For each candidate, what was timed, with the figure of each process.
    pub of: Vec<BTreeMap<String, Vec<f64>>>,
    /// Ticks per core cycle in each process.
    pub clock: Vec<f64>,
}

impl<'a> Workbench<'a> {
    /// A workbench for a cipher; `level` as the user writes it, with or without `-O`.
    pub fn new(
        cipher: &'a Cipher,
        level: &str,
        blocks: Option<u32>,
        runner: &[String],
        metric: Metric,
    ) -> Workbench<'a> {
        let level = format!("-O{}", level.trim_start_matches('-').trim_start_matches('O'));
        Workbench {
            cipher,
            level,
            blocks,
            runner: runner.to_vec(),
            overrides: Overrides::default(),
            metric,
            made: AtomicUsize::new(0),
        }
    }

    /// The compiler of a variant, and whether what it makes can be timed: by the runner, or on this machine.
    ///
    /// # Errors
    /// It is not installed.
    pub fn compiler(&self, target: &Target, variant: &Variant) -> Result<(Compiler, bool), RunError> {
        if !self.runner.is_empty() {
            return Ok((Compiler::with_runner(target, variant.compiler(), &self.runner)?, true));
        }
        let found = Compiler::find(target, variant.compiler());
        if self.metric == Metric::Instructions {
            let emulator = match &found {
                Ok(compiler) if !compiler.runner.is_empty() => compiler.runner.clone(),
                // No version of it has AVX-512: what needs that fails when it runs.
                _ => vec!["qemu-x86_64".to_owned()],
            };
            return Ok((Compiler::with_runner(target, variant.compiler(), &emulator)?, true));
        }
        match found {
            Ok(compiler) => {
                let here = compiler.runner.is_empty();
                Ok((compiler, here))
            }
            Err(RunError::Features { .. }) => {
                Ok((Compiler::with_runner(target, variant.compiler(), &[])?, false))
            }
            Err(error) => Err(error),
        }
    }

    /// Makes the library of a variant.
    ///
    /// # Errors
    /// There is none.
    pub fn draft(
        &self,
        primitive: &'a Primitive,
        target: &'static Target,
        variant: Variant,
    ) -> Result<Draft<'a>, BuildError> {
        let prefix = format!("usuba{}_", self.made.fetch_add(1, Ordering::Relaxed));
        let mut choices = variant.choices_over(&self.overrides);
        choices.prefix = prefix.clone();
        let library = library::one_level(primitive, &self.cipher.loaded, target, &choices)?;
        Ok(Draft { primitive, target, variant, prefix, library, blocks: self.blocks })
    }

    /// Compiles a draft, within a time if one is given.
    ///
    /// # Errors
    /// The compiler says something, or takes too long.
    pub fn compile(
        &self,
        draft: Draft<'_>,
        compiler: &Compiler,
        limit: Option<Duration>,
    ) -> Result<Candidate, Failure> {
        let failure = |error: RunError| Failure::general(error.to_string());
        let Draft { primitive, target, variant, prefix, library, blocks } = draft;
        let timed = bench::functions(primitive, &library, &prefix, blocks);
        let mut files = library.files.clone();
        files.push(timed.file.clone());
        let objects = compiler.objects(&files, &[&self.level], limit).map_err(failure)?;
        let Some(kernel) = bench::main_kernel(&library).cloned() else {
            return Err(Failure::general(format!("`{}` has no kernel to time", primitive.name)));
        };
        // Without a disassembler the figures about the code are left out.
        let assembly = format!("{}.S", kernel.symbol);
        let source = files.iter().map(|file| &file.path).find(|path| **path == assembly);
        let code = objects.disassembly(source.unwrap_or(&library.engine), target).ok();
        let code = code.map(|text| disassembly::parse(&text, &kernel.symbol));
        Ok(Candidate { target, variant, compiler: compiler.clone(), kernel, timed, code, objects })
    }

    /// A program that times all of these in turn; only this of each, if it is said.
    ///
    /// # Errors
    /// The compiler says something, or there is nothing to time.
    pub fn link(&self, candidates: &[&Candidate], only: Option<&str>) -> Result<Program, Failure> {
        let Some(first) = candidates.first() else {
            return Err(Failure::general(
                "there is nothing to measure: no target has code and a compiler here",
            ));
        };
        let timed: Vec<&Timed> = candidates.iter().map(|one| &one.timed).collect();
        let objects: Vec<&Objects> = candidates.iter().map(|one| &one.objects).collect();
        let failure = |error: RunError| Failure::general(error.to_string());
        first.compiler.link(&bench::program(&timed, only), &objects, &["-O2"]).map_err(failure)
    }

    /// Runs a program of [`Workbench::link`] once, made of these candidates and of this alone of each; `first` is the number
    /// of the work that begins.
    ///
    /// # Errors
    /// The program fails.
    pub fn sample(
        &self,
        program: &Program,
        field: &[&Candidate],
        only: Option<&str>,
        first: usize,
        samples: &mut Samples,
    ) -> Result<(), Failure> {
        let failure = |error: RunError| Failure::general(error.to_string());
        if self.metric == Metric::Instructions {
            let works = field.iter().enumerate().flat_map(|(number, one)| {
                let works = one.timed.works.iter().filter(|work| only.is_none_or(|only| only == work.what));
                works.map(move |work| (number, work))
            });
            for (place, (number, work)) in works.enumerate() {
                let place = place.to_string();
                // What two calls take beyond one is a call.
                let once = program.instructions(&[&place, "1"]).map_err(failure)?;
                let twice = program.instructions(&[&place, "2"]).map_err(failure)?;
                let count = twice.saturating_sub(once) as f64 / f64::from(work.bytes.max(1));
                if count > 0.0 {
                    samples.add(number, work.what, count);
                }
            }
            return Ok(());
        }
        let printed = program.run_with(&[&first.to_string()], &[]).map_err(failure)?;
        for one in bench::parse(&String::from_utf8_lossy(&printed)) {
            if one.what == "clock" {
                samples.clock.push(one.low);
            } else if let Some((number, what)) = one.what.split_once(':')
                && let Ok(number) = number.parse()
            {
                samples.add(number, what, one.low);
            }
        }
        Ok(())
    }
}

impl Draft<'_> {
    /// The kernel that the primitive spends its time in.
    pub fn kernel(&self) -> Option<&Kernel> {
        bench::main_kernel(&self.library)
    }

    /// Blocks that a call of the library works on at least.
    pub fn batch(&self) -> u32 {
        self.library.batch
    }

    /// The same with calls that get one batch.
    pub fn by_batch(self) -> Self {
        Draft { blocks: Some(self.library.batch), ..self }
    }

    /// What compilers are given, with the same names for every draft: who has the same text has the same code. The C
    /// compiler is part of it.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.variant.compiler().name());
        for OutputFile { path, contents } in &self.library.files {
            for part in [path, contents] {
                text.push_str(
                    &part.replace(&self.prefix, "usuba_").replace(&self.prefix.to_uppercase(), "USUBA_"),
                );
                text.push('\n');
            }
        }
        text
    }
}

impl Candidate {
    /// The compiler as it is named in a table: its command, or `asm` for assembly.
    pub fn maker(&self) -> String {
        match self.variant.backend() {
            Backend::C => self.compiler.command.clone(),
            Backend::Assembly => "asm".to_owned(),
        }
    }
}

impl Samples {
    /// For so many candidates.
    pub fn new(candidates: usize) -> Samples {
        Samples { of: vec![BTreeMap::new(); candidates], clock: Vec::new() }
    }

    fn add(&mut self, candidate: usize, what: &str, figure: f64) {
        if let Some(of) = self.of.get_mut(candidate) {
            of.entry(what.to_owned()).or_default().push(figure);
        }
    }

    /// The median over processes for a candidate.
    pub fn median(&self, candidate: usize, what: &str) -> Option<f64> {
        bench::median(self.of.get(candidate)?.get(what)?)
    }
}
