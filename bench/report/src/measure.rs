//! Running what measures, and gathering what it prints.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use usuba_report::data::{Code, Compile, Data, Machine, Ours, Peer};

/// What to run and where to write.
pub struct Settings {
    usubac: PathBuf,
    compile_speed: PathBuf,
    peers: PathBuf,
    out: PathBuf,
    quick: bool,
    /// Which of `peers`, `ours`, `varied`, `compile` to measure; the rest stays as it is in the file.
    parts: Vec<String>,
    /// Of `ours` only these; the rows of others stay as they are in the file. All if empty.
    primitives: Vec<String>,
    /// Of `peers` only the rows of these programs, by their file; the rows of others stay as they are. All if empty.
    programs: Vec<String>,
    missing: Vec<String>,
}

impl Settings {
    fn wants(&self, primitive: &str) -> bool {
        self.primitives.is_empty() || self.primitives.iter().any(|one| one == primitive)
    }

    /// The programs of peers that were asked for.
    fn wanted_programs(&self) -> impl Iterator<Item = &'static Program> {
        PROGRAMS
            .iter()
            .filter(|program| self.programs.is_empty() || self.programs.iter().any(|one| one == program.file))
    }

    /// Whether only a few rows of a part are measured, into data whose other rows stay.
    fn again(&self) -> bool {
        !self.primitives.is_empty() || !self.programs.is_empty()
    }

    /// Reads the arguments after `measure`.
    pub fn parse(arguments: &[String]) -> Result<Settings> {
        let mut named: BTreeMap<&str, PathBuf> = BTreeMap::new();
        let (mut quick, mut parts, mut missing) = (false, Vec::new(), Vec::new());
        let (mut primitives, mut programs) = (Vec::new(), Vec::new());
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--quick" => quick = true,
                "--missing" => missing.extend(rest.next().cloned()),
                "--part" => parts.extend(rest.next().cloned()),
                "--primitive" => primitives.extend(rest.next().cloned()),
                "--peer" => programs.extend(rest.next().cloned()),
                name => {
                    let value = rest.next().with_context(|| format!("{name} needs a value"))?;
                    named.insert(name, value.into());
                }
            }
        }
        let known = || FOLDERS.iter().chain(MORE_FOLDERS).map(|(_, primitive)| *primitive);
        if let Some(unknown) = primitives.iter().find(|one| !known().any(|known| known == one.as_str())) {
            let all: Vec<&str> = known().collect();
            bail!("no primitive of the page is called `{unknown}`; there are {}", all.join(", "));
        }
        if !primitives.is_empty() && parts != ["ours"] {
            bail!(
                "single primitives are measured by themselves: `--primitive` needs `--part ours` and no other part"
            );
        }
        let files = || PROGRAMS.iter().map(|program| program.file);
        if let Some(unknown) = programs.iter().find(|one| !files().any(|file| file == one.as_str())) {
            let mut all: Vec<&str> = files().collect();
            all.dedup();
            bail!("no program measures the peer `{unknown}`; there are {}", all.join(", "));
        }
        if !programs.is_empty() && parts != ["peers"] {
            bail!("single peers are measured by themselves: `--peer` needs `--part peers` and no other part");
        }
        let mut take = |name: &str| named.remove(name).with_context(|| format!("{name} is missing"));
        Ok(Settings {
            usubac: take("--usubac")?,
            compile_speed: take("--compile-speed")?,
            peers: take("--peers")?,
            out: take("--out")?,
            quick,
            parts,
            primitives,
            programs,
            missing,
        })
    }
}

/// A program that measures peers: its file, the level it is told, what the environment masks, what it needs to be built.
struct Program {
    file: &'static str,
    argument: &'static str,
    mask: Option<(&'static str, &'static str)>,
}

const fn program(file: &'static str, argument: &'static str) -> Program {
    Program { file, argument, mask: None }
}

const fn masked(
    file: &'static str,
    argument: &'static str,
    name: &'static str,
    value: &'static str,
) -> Program {
    Program { file, argument, mask: Some((name, value)) }
}

/// What is masked in OPENSSL_ia32cap: bit 57 AES, bit 41 SSSE3; after the colon bit 5 AVX2, 16 AVX512F, 31 AVX512VL.
const PROGRAMS: &[Program] = &[
    program("openssl", "avx512"),
    masked("openssl", "avx512-256", "OPENSSL_ia32cap", ":~0x10000"),
    masked("openssl", "avx2", "OPENSSL_ia32cap", ":~0x80010000"),
    masked("openssl", "ssse3", "OPENSSL_ia32cap", ":~0x80010020"),
    masked("openssl", "gp64", "OPENSSL_ia32cap", "~0x20000000000:~0x80010020"),
    masked("openssl", "without-aes", "OPENSSL_ia32cap", "~0x200000000000000"),
    program("openssl-src", "avx512"),
    masked("openssl-src", "avx512-256", "OPENSSL_ia32cap", ":~0x10000"),
    masked("openssl-src", "avx2", "OPENSSL_ia32cap", ":~0x80010000"),
    masked("openssl-src", "ssse3", "OPENSSL_ia32cap", ":~0x80010020"),
    masked("openssl-src", "gp64", "OPENSSL_ia32cap", "~0x20000000000:~0x80010020"),
    masked("openssl-src", "without-aes", "OPENSSL_ia32cap", "~0x200000000000000"),
    program("gcrypt", "avx2"),
    program("gcrypt", "ssse3"),
    program("sodium", "avx2"),
    program("cryptopp", "avx2"),
    program("botan2", "avx2"),
    program("botan2", "sse2"),
    program("botan2", "without-aes"),
    program("botan3", "avx512"),
    masked("botan3", "avx2", "BOTAN_CLEAR_CPUID", "avx512"),
    program("botan3", "avx512-gfni"),
    masked("botan3", "avx2-gfni", "BOTAN_CLEAR_CPUID", "avx512"),
    masked("botan3", "without-aes", "BOTAN_CLEAR_CPUID", "aesni,avx2_aes,avx512_aes"),
    program("crates", "avx2"),
    program("crates-avx512", "avx512"),
    program("references-gp64", ""),
    program("references-sse2", ""),
    program("references-avx2", ""),
    program("references-avx512-256", ""),
    program("references-avx512", ""),
];

/// The primitives of the page by cipher folder.
const FOLDERS: &[(&str, &str)] = &[
    ("aes", "aes-128"),
    ("ascon", "ascon-p12"),
    ("chacha20", "chacha20"),
    ("des", "des"),
    ("gimli", "gimli"),
    ("rectangle", "rectangle-80"),
    ("serpent", "serpent-128"),
];

/// The others of the page, measured by one C compiler, in fewer runs, and not with each choice in turn.
const MORE_FOLDERS: &[(&str, &str)] = &[
    ("camellia", "camellia-128"),
    ("sm4", "sm4"),
    ("aria", "aria-128"),
    ("xoodoo", "xoodoo-12"),
    ("keccak", "keccak-f1600"),
    ("ace", "ace"),
    ("clyde", "clyde-128"),
    ("pyjamask", "pyjamask-128"),
    ("gift", "gift-128"),
    ("gift", "gift-128-fixsliced"),
    ("photon", "photon-256"),
    ("present", "present-80"),
    ("skinny", "skinny-128-256"),
    ("spongent", "spongent-pi-160"),
    ("subterranean", "subterranean-8rounds"),
];

/// So many compilations are kept, the slowest.
const SLOWEST: usize = 20;

/// The targets of those.
const MORE_WIDTHS: &[&str] = &["gp64", "sse2", "avx2", "avx2-gfni", "avx512-256", "avx512", "avx512-gfni"];

/// The targets of a full run.
const WIDTHS: &[&str] =
    &["gp64", "sse2", "avx2", "avx2-gfni", "avx512-128", "avx512-256", "avx512", "avx512-gfni"];

/// The primitives with horizontal slices.
const HORIZONTAL: &[&str] = &["aes-128", "rectangle-80"];

/// Choices whose effect is measured, as `usubac bench --vary` names them.
const CHOICES: &[&str] = &["inline", "loops", "interleave", "granularity", "order", "circuits"];

fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or_default()
}

/// Runs a program and returns what it prints.
fn output(command: &mut Command) -> Result<String> {
    let result = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !result.status.success() {
        let text = String::from_utf8_lossy(&result.stderr);
        bail!("{command:?} failed: {}", text.lines().next().unwrap_or("it says nothing"));
    }
    Ok(String::from_utf8_lossy(&result.stdout).into_owned())
}

fn first_line(program: &str, argument: &str) -> Option<String> {
    let text = output(Command::new(program).arg(argument)).ok()?;
    text.lines().next().map(str::to_owned)
}

/// Measures everything, or the parts that were asked for, and writes the data.
pub fn run(settings: &Settings) -> Result<()> {
    let wanted = |part: &str| settings.parts.is_empty() || settings.parts.iter().any(|one| one == part);
    let mut data = match std::fs::read_to_string(&settings.out) {
        Ok(text) if !settings.parts.is_empty() => {
            serde_json::from_str(&text).with_context(|| format!("{} is no data", settings.out.display()))?
        }
        _ => Data::default(),
    };
    let machine = machine(settings.quick);
    let commit = machine.commit.clone();
    if !settings.again() {
        data.machine = machine;
        data.machine.load[0] = load();
        data.again.clear();
    } else if machine.processor != data.machine.processor {
        bail!("the other figures are of {}, this is {}", data.machine.processor, machine.processor);
    }
    data.again.extend(settings.primitives.iter().map(|one| (one.clone(), commit.clone())));
    let rounds = if settings.quick { 1 } else { 3 };
    let samples = if settings.quick { 25 } else { 60 };
    let mut programs = Vec::new();
    if wanted("peers") {
        if !settings.again() {
            data.peers.clear();
            data.missing.clone_from(&settings.missing);
        }
        let known = data.missing.len();
        let rows;
        (programs, rows) = agreeing(settings, &mut data)?;
        if settings.again() {
            if programs.len() < settings.wanted_programs().count() {
                let mut reasons = data.missing.split_off(known);
                reasons.extend_from_slice(&settings.missing);
                bail!("not all of {} can be measured: {}", settings.programs.join(", "), reasons.join("; "));
            }
            data.peers.retain(|known| !rows.iter().any(|row| same(row, known)));
            data.again.extend(rows.iter().map(|row| (row.full_name(), commit.clone())));
        }
        peers(settings, &programs, samples, &mut data);
    }
    if wanted("ours") || wanted("varied") {
        data.missing.retain(|line| !line.starts_with("Usuba's "));
    }
    if wanted("ours") {
        data.ours.retain(|row| !settings.wants(&row.primitive));
        ours(settings, &mut data);
    }
    // The other rounds of the peers stand between and after ours.
    if rounds > 1 {
        peers(settings, &programs, samples, &mut data);
        if wanted("varied") {
            data.varied.clear();
            varied(settings, &mut data);
        }
        peers(settings, &programs, samples, &mut data);
    }
    if wanted("compile")
        && let Err(error) = compile(settings, &mut data)
    {
        data.missing.push(format!("compile times: {error}"));
    }
    if !settings.again() {
        data.machine.load[1] = load();
    }
    let mut text = serde_json::to_string_pretty(&data)?;
    text.push('\n');
    std::fs::write(&settings.out, text)
        .with_context(|| format!("cannot write {}", settings.out.display()))?;
    println!("wrote {}", settings.out.display());
    Ok(())
}

fn machine(quick: bool) -> Machine {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        cpu.lines()
            .find(|line| line.starts_with(name))
            .and_then(|line| line.split(": ").nth(1))
            .map(str::to_owned)
    };
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let compilers = [("clang-19", "clang"), ("gcc", "gcc"), ("rustc", "rustc")];
    Machine {
        processor: format!(
            "{} (family {}, model {})",
            field("model name").unwrap_or_else(|| "an unknown processor".into()),
            field("cpu family").unwrap_or_default(),
            field("model\t").unwrap_or_default()
        ),
        cores: cpu.lines().filter(|line| line.starts_with("processor")).count() as u32,
        system: format!("Linux {}", release.trim()),
        compilers: compilers
            .iter()
            .filter_map(|(first, second)| {
                first_line(first, "--version").or_else(|| first_line(second, "--version"))
            })
            .collect(),
        commit: output(Command::new("git").args(["rev-parse", "--short", "HEAD"]))
            .map_or_else(|_| "unknown".to_owned(), |text| text.trim().to_owned()),
        date: first_line("date", "+%Y-%m-%d").unwrap_or_default(),
        mode: if quick { "quick" } else { "full" }.to_owned(),
        load: [0.0; 2],
    }
}

/// What a program of peers prints.
fn measure_peers(folder: &Path, program: &Program, arguments: &[&str]) -> Result<Vec<Peer>> {
    let mut command = Command::new(folder.join(program.file));
    if !program.argument.is_empty() {
        command.arg(program.argument);
    }
    command.args(arguments);
    if let Some((name, value)) = program.mask {
        command.env(name, value);
    }
    output(&mut command)?
        .lines()
        .map(|line| serde_json::from_str(line).with_context(|| format!("{} prints: {line}", program.file)))
        .collect()
}

/// Whether two rows are of one implementation.
fn same(a: &Peer, b: &Peer) -> bool {
    (&a.name, &a.version, &a.primitive, &a.mode, &a.level)
        == (&b.name, &b.version, &b.primitive, &b.mode, &b.level)
}

/// The programs, of those asked for, whose peers all make the bytes that ours make, and their rows, not timed; what is not
/// there or does not agree is named in the data.
fn agreeing(settings: &Settings, data: &mut Data) -> Result<(Vec<&'static Program>, Vec<Peer>)> {
    let mut digests: BTreeMap<(String, String), (String, String)> = BTreeMap::new();
    let own = measure_peers(&settings.peers, &program("ours", ""), &["--check"])
        .context("our own libraries must be there to compare the peers with")?;
    for peer in own {
        digests.insert((peer.primitive, peer.mode), (peer.digest, peer.name));
    }
    let (mut good, mut rows) = (Vec::new(), Vec::new());
    for program in settings.wanted_programs() {
        if !settings.peers.join(program.file).exists() {
            continue;
        }
        let checked = match measure_peers(&settings.peers, program, &["--check"]) {
            Ok(checked) => checked,
            Err(error) => {
                data.missing.push(format!("{} {}: {error}", program.file, program.argument));
                continue;
            }
        };
        let mut agrees = true;
        for peer in checked.iter().filter(|peer| peer.mode != "kernel") {
            let place = (peer.primitive.clone(), peer.mode.clone());
            let (digest, name) = digests.entry(place).or_insert((peer.digest.clone(), peer.name.clone()));
            if *digest != peer.digest {
                agrees = false;
                data.missing.push(format!(
                    "{} {}: other bytes than {name} for {} {}",
                    peer.name, peer.version, peer.primitive, peer.mode
                ));
            }
        }
        if agrees {
            good.push(program);
            rows.extend(checked);
        }
    }
    Ok((good, rows))
}

/// One round: every program once. The least time of a row over the rounds is kept.
fn peers(settings: &Settings, programs: &[&'static Program], samples: u32, data: &mut Data) {
    for program in programs {
        eprintln!("peers: {} {}", program.file, program.argument);
        let load = load();
        let printed = match measure_peers(&settings.peers, program, &["--samples", &samples.to_string()]) {
            Ok(printed) => printed,
            Err(error) => {
                data.missing.push(format!("{} {}: {error}", program.file, program.argument));
                continue;
            }
        };
        for mut peer in printed {
            peer.load = Some(load);
            match data.peers.iter_mut().find(|other| same(other, &peer)) {
                Some(known)
                    if known.cycles.is_some_and(|known| peer.cycles.is_none_or(|new| new >= known)) => {}
                Some(known) => *known = peer,
                None => data.peers.push(peer),
            }
        }
    }
}

/// A run of `usubac bench`.
fn bench(settings: &Settings, folder: &str, primitive: &str, arguments: &[&str]) -> Result<Vec<Ours>> {
    let load = load();
    let text = output(
        Command::new(&settings.usubac)
            .args(["bench", &format!("ciphers/{folder}"), "--primitive", primitive, "--format", "json"])
            .args(arguments),
    )?;
    let value: Value = serde_json::from_str(&text).context("usubac bench prints no JSON")?;
    let rows = value["rows"].as_array().cloned().unwrap_or_default();
    Ok(rows.iter().map(|row| row_of(row, load)).filter(|row| row.kernel.is_some()).collect())
}

/// A row as `usubac bench --format json` prints it; what is not there stays empty.
fn row_of(row: &Value, load: f64) -> Ours {
    let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
    Ours {
        primitive: text("primitive"),
        slicing: text("slicing"),
        target: text("target"),
        compiler: text("compiler"),
        choices: row["choices"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect(),
        tuned: row["tuned"].as_bool().unwrap_or_default(),
        instances: row["instances"].as_u64().unwrap_or_default() as u32,
        kernel: row["kernel"].as_f64(),
        port_bound: row["port_bound"].as_f64(),
        core: text("core"),
        whole: row["whole"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(mode, value)| Some((mode.clone(), value.as_f64()?)))
            .collect(),
        code: row["code"].as_object().map(|code| {
            let number = |key: &str| code.get(key).and_then(Value::as_u64).unwrap_or_default();
            Code {
                bytes: number("bytes"),
                loop_bytes: number("loop_bytes"),
                instructions: number("instructions"),
                stack_loads: number("stack_loads"),
                stack_stores: number("stack_stores"),
            }
        }),
        load: Some(load),
    }
}

/// Those of some targets that this `usubac` knows, separated by commas.
fn targets(settings: &Settings, wanted: &[&str]) -> String {
    let text = output(Command::new(&settings.usubac).arg("targets")).unwrap_or_default();
    let known: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let found: Vec<&str> = wanted.iter().copied().filter(|target| known.contains(target)).collect();
    found.join(",")
}

fn ours(settings: &Settings, data: &mut Data) {
    let wide =
        targets(settings, if settings.quick { &["gp64", "avx2", "avx512", "avx512-gfni"] } else { WIDTHS });
    let effort =
        if settings.quick { ["--cc", "clang", "--runs", "1"] } else { ["--cc", "gcc,clang", "--runs", "3"] };
    for (folder, primitive) in FOLDERS.iter().filter(|(_, primitive)| settings.wants(primitive)) {
        eprintln!("Usuba: {primitive}");
        // Below AVX2 only horizontal slices need more than SSE2: the byte shuffles of SSSE3.
        let mut calls = vec![vec!["--target", &wide]];
        if !settings.quick && HORIZONTAL.contains(primitive) {
            calls.push(vec!["--target", "ssse3", "--slicing", "h"]);
        }
        for call in calls {
            let mut arguments = vec!["--backend", "c,asm"];
            arguments.extend(effort);
            arguments.extend(call);
            match bench(settings, folder, primitive, &arguments) {
                Ok(mut rows) => data.ours.append(&mut rows),
                Err(error) => data.missing.push(format!("Usuba's {primitive}: {error}")),
            }
        }
    }
    if settings.quick {
        return;
    }
    let wide = targets(settings, MORE_WIDTHS);
    for (folder, primitive) in MORE_FOLDERS.iter().filter(|(_, primitive)| settings.wants(primitive)) {
        eprintln!("Usuba: {primitive}");
        let mut arguments = vec!["--backend", "c,asm", "--target", &wide];
        arguments.extend(effort);
        match bench(settings, folder, primitive, &arguments) {
            Ok(mut rows) => data.ours.append(&mut rows),
            Err(error) => data.missing.push(format!("Usuba's {primitive}: {error}")),
        }
    }
}

/// Each choice in turn at all its values. Rows as usual come with each run, so that what is compared was timed together;
/// of rows as usual that come again the first is kept.
fn varied(settings: &Settings, data: &mut Data) {
    for choice in CHOICES {
        let vary = format!("{choice}=all");
        for (folder, primitive) in FOLDERS {
            eprintln!("Usuba: {primitive}, {choice}");
            let arguments = [
                "--target",
                "avx2,avx512",
                "--backend",
                "asm",
                "--cc",
                "clang",
                "--runs",
                "2",
                "--no-tuned",
                "--vary",
                &vary,
            ];
            match bench(settings, folder, primitive, &arguments) {
                Ok(rows) => {
                    for row in rows {
                        let known = data.varied.iter().any(|other| {
                            (&other.primitive, &other.target, &other.choices)
                                == (&row.primitive, &row.target, &row.choices)
                        });
                        if !known {
                            data.varied.push(row);
                        }
                    }
                }
                Err(error) => {
                    data.missing.push(format!("Usuba's {primitive} with every value of {choice}: {error}"));
                    break;
                }
            }
        }
    }
}

/// Compile times and memory, from the program that measures them.
fn compile(settings: &Settings, data: &mut Data) -> Result<()> {
    eprintln!("compile times");
    let text = output(Command::new(&settings.compile_speed).args(["--json", "--runs", "1"]))?;
    let value: Value = serde_json::from_str(&text).context("compile-speed prints no JSON")?;
    let mut rows = serde_json::from_value::<Vec<Compile>>(value["rows"].clone())?;
    data.compile_count = rows.len() as u64;
    data.compile_milliseconds = rows.iter().map(|row| row.milliseconds).sum();
    rows.sort_by(|a, b| b.milliseconds.total_cmp(&a.milliseconds));
    rows.truncate(SLOWEST);
    data.compile = rows;
    data.compile_peak_kib = value["peak_kib"].as_u64();
    Ok(())
}
