//! The page in Markdown.

use crate::chart::{Chart, charts};
use crate::data::{Data, Ours, Peer};
use crate::elsewhere::{Known, PUBLISHED};
use crate::expectations::{
    Compared, Expected, Published, compare, mean_ratio, measured, row, slower_when_wider,
};
use crate::query::{
    CIPHERS, COLUMNS, NOISE, TARGETS, geometric_mean, hardest, kernel, kernel_on, peer, slicings, targets,
    title, way, whole_on, width,
};
use crate::svg::number;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The page and its charts.
#[derive(Debug)]
pub struct Page {
    /// Markdown.
    pub markdown: String,
    /// SVG files, for the folder of the page's name.
    pub charts: Vec<Chart>,
}

/// The pages in `docs/`: the core that each is about and its name; data and charts are in the folder of that name beside it.
pub const PAGES: &[(&str, &str)] =
    &[("Zen 5", "performance"), ("Zen 4", "performance-zen-4"), ("Golden Cove", "performance-golden-cove")];

/// Makes the page of the data, which is to have a name.
pub fn page(data: &Data, published: &Published, expected: &[Expected], known: &Known, name: &str) -> Page {
    let core = cores(data);
    let data = &known.beside(data, &core);
    let charts = charts(data);
    let mut text = String::new();
    head(&mut text, data, name);
    for chart in &charts {
        let _ = writeln!(text, "![{}]({name}/{})\n", chart.caption, chart.file);
    }
    behind(&mut text, data, known, &core);
    overview(&mut text, data);
    code(&mut text, data);
    scaling(&mut text, data);
    rectangle(&mut text, data);
    against_published(&mut text, data, published);
    on_the_same_core(&mut text, data);
    varied(&mut text, data);
    limits(&mut text, data, published, expected);
    compile(&mut text, data);
    peers(&mut text, data);
    elsewhere(&mut text, known, &core);
    Page { markdown: text, charts }
}

/// A mark after numbers that were measured while others kept the machine busy.
fn busy(data: &Data, load: Option<f64>) -> &'static str {
    if load.is_some_and(|load| load > f64::from(data.machine.cores.max(1))) { " °" } else { "" }
}

fn cell(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), number)
}

fn ratio(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.2}"))
}

fn name_of(target: &str) -> &str {
    TARGETS.iter().find(|(name, _)| *name == target).map_or(target, |(_, text)| text)
}

fn head(text: &mut String, data: &Data, name: &str) {
    let machine = &data.machine;
    let known = cores(data);
    let on = if known.is_empty() { String::new() } else { format!(" on {known}") };
    let others: Vec<String> = PAGES
        .iter()
        .filter(|(core, page)| *page != name && *core != known)
        .map(|(core, page)| format!("[{core}]({page}.md)"))
        .collect();
    let again = if name == "performance" { String::new() } else { format!(" PAGE=docs/{name}.md") };
    let _ = writeln!(
        text,
        "# Performance{on}\n\n\
         `make bench{again}` measures and writes this page; `make bench-page{again}` writes it again from \
         [{name}/data.json]({name}/data.json). {} about {}.\n\n\
         | | |\n|---|---|\n\
         | machine | {}, {} processors, {} |\n| compilers | {} |\n| date | {}, commit {}, {} run |\n\
         | load average | {:.1} at the beginning, {:.1} at the end |\n\n\
         **All figures are core cycles per byte; less is faster.** The core clock of a machine moves with its load while the \
         time-stamp counter does not, so every sample stands between two chains of dependent additions, one core cycle each; a \
         sample whose chains disagree by more than 1 % is dropped. Everything in one process takes turns. A process reports the \
         tenth percentile of its samples, the page the median over processes for Usuba (`usubac bench`) and the best of them for \
         peers. Two runs of the same code differ by about 2 %, a few kernels by much more (bench/README.md). A figure marked ° was measured while the load average was above the number \
         of processors.\n\n\
         *Kernel*: registers' layout in and out, round keys ready. *Whole path*: bytes in and out, 16 KiB in the cache, one key; \
         counters, transposition and the call included. *Bound*: the time that the instructions need on the ports of {} \
         if nothing else limited them. Peers marked *tables* are not constant time and never the best peer of a table.\n",
        if others.len() > 1 { "Other pages are" } else { "Another page is" },
        others.join(", "),
        machine.processor,
        machine.cores,
        machine.system,
        machine.compilers.join(", "),
        machine.date,
        machine.commit,
        machine.mode,
        machine.load[0],
        machine.load[1],
        if known.is_empty() { "this machine's processor" } else { &known },
    );
    for commit in data.again.values().collect::<BTreeSet<_>>() {
        let of_commit = data.again.iter().filter(|(_, of)| *of == commit);
        let names: Vec<&str> = of_commit.map(|(name, _)| name.as_str()).collect();
        let titles: Vec<&str> = names.iter().map(|name| title(name)).collect();
        let ours = data.ours.iter().filter(|row| names.contains(&row.primitive.as_str()));
        let peers = data.peers.iter().filter(|peer| names.contains(&peer.full_name().as_str()));
        let loads = ours.map(|row| row.load).chain(peers.map(|peer| peer.load)).flatten();
        let under = loads
            .reduce(f64::max)
            .map_or(String::new(), |most| format!(", at a load average of at most {most:.1}"));
        let _ = writeln!(text, "Measured again at commit {commit}{under}: {}.\n", titles.join(", "));
    }
    if !data.missing.is_empty() {
        text.push_str("Not measured here:\n\n");
        for line in &data.missing {
            let _ = writeln!(text, "- {line}");
        }
        text.push('\n');
    }
}

/// A peer in words, with a mark if it was measured elsewhere.
fn named(peer: &Peer) -> String {
    format!("{}{}", peer.full_name(), if peer.elsewhere { " †" } else { "" })
}

/// The way of a row, and its target if that is another one.
fn way_on(row: &Ours, target: &str) -> String {
    if row.target == target { way(row) } else { format!("{}, {}", way(row), name_of(&row.target)) }
}

/// The rows in which a peer is ahead, the furthest first.
fn behind(text: &mut String, data: &Data, known: &Known, core: &str) {
    let mut rows = Vec::new();
    let (mut compared, mut ahead) = (0, 0);
    for (primitive, title, modes) in CIPHERS {
        for target in targets(data) {
            let Some(one) = hardest(data, primitive, target, modes) else { continue };
            compared += 1;
            if one.ratio() <= 1.0 {
                ahead += 1;
                continue;
            }
            let cause = known.cause(primitive, target, core).unwrap_or("not looked into");
            let line = format!(
                "| {title} | {} | {} | {} by {} | {} {} | {:.2} | {cause} |",
                name_of(target),
                one.mode,
                number(one.ours),
                way_on(one.row, target),
                number(one.theirs),
                named(one.peer),
                one.ratio()
            );
            rows.push((one.ratio(), line));
        }
    }
    if compared == 0 {
        return;
    }
    let _ = writeln!(
        text,
        "## Where a peer is ahead\n\n{ahead} of {compared} rows with a peer are ahead of the fastest constant-time one, kernel beside kernel \
         and whole path beside whole path, by the fastest way of ours that a processor of the row runs. The others:\n"
    );
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    if !rows.is_empty() {
        text.push_str(
            "| cipher | target | | ours | peer | ours / peer | cause |\n|---|---|---|---|---|---:|---|\n",
        );
        rows.iter().for_each(|(_, line)| {
            let _ = writeln!(text, "{line}");
        });
        text.push('\n');
    }
}

/// Where figures come from that the bench did not measure.
fn elsewhere(text: &mut String, known: &Known, core: &str) {
    let mut of = known.elsewhere.iter().filter(|peer| peer.core == core).peekable();
    if of.peek().is_none() {
        return;
    }
    text.push_str("\nPeers marked † are figures of others for the same core, not of this measurement:\n\n");
    for peer in of {
        let version = if peer.version.is_empty() { String::new() } else { format!(" {}", peer.version) };
        let _ = writeln!(text, "- {}{version} ({}): {}.", peer.name, peer.mode, peer.source);
    }
}

fn overview(text: &mut String, data: &Data) {
    text.push_str(
        "## Every cipher and target\n\n\
         Kernel, bound and whole path of a row are of the way under *how*; where another way has a faster whole path, that stands in \
         parentheses. A way that names a target is code for that one, which the processors of the row run as well. *Ours / peer* is \
         the harder of kernel and whole path, each by its fastest way.\n\n\
         | cipher | target | kernel | how | bound | kernel / bound | fastest kernel of a peer | whole path | fastest peer | ours / peer |\n\
         |---|---|---:|---|---:|---:|---|---:|---|---:|\n",
    );
    for (primitive, title, modes) in CIPHERS {
        for target in targets(data) {
            let Some((row, cycles)) = kernel_on(data, primitive, target) else { continue };
            let inner = peer(data, primitive, "kernel", target, true);
            // The first mode in which there is a peer, else the first.
            let mode = modes
                .iter()
                .find(|mode| peer(data, primitive, mode, target, true).is_some())
                .or(modes.first())
                .copied()
                .unwrap_or_default();
            let path = row.whole.get(mode).map(|&cycles| (row, cycles));
            let faster = whole_on(data, primitive, target, mode)
                .filter(|(_, best)| path.is_none_or(|(_, cycles)| cycles > best * NOISE))
                .map_or(String::new(), |(row, cycles)| {
                    format!(" ({} by {})", number(cycles), way_on(row, target))
                });
            let outer = peer(data, primitive, mode, target, true);
            let _ = writeln!(
                text,
                "| {title} | {} | **{}**{} | {} | {} | {} | {} | {} | {} | {} |",
                name_of(target),
                number(cycles),
                busy(data, row.load),
                way_on(row, target),
                cell(row.port_bound),
                ratio(row.port_bound.map(|bound| cycles / bound)),
                inner.map_or("–".to_owned(), |(one, cycles)| format!(
                    "{} {}{}",
                    number(cycles),
                    one.name,
                    if one.elsewhere { " †" } else { "" }
                )),
                path.map_or("–".to_owned(), |(row, cycles)| format!(
                    "{} {mode}{}{faster}",
                    number(cycles),
                    busy(data, row.load)
                )),
                outer.map_or("–".to_owned(), |(one, cycles)| format!(
                    "{} {} ({})",
                    number(cycles),
                    named(one),
                    one.level
                )),
                ratio(hardest(data, primitive, target, modes).map(|one| one.ratio())),
            );
        }
    }
    text.push('\n');
}

/// What the fastest kernels look like as machine code.
fn code(text: &mut String, data: &Data) {
    let mut rows = String::new();
    for (primitive, title, _) in CIPHERS {
        for target in targets(data) {
            let Some((row, _)) = kernel(data, primitive, target, None) else { continue };
            let Some(code) = row.code else { continue };
            let _ = writeln!(
                rows,
                "| {title} | {} | {} | {} | {} | {} / {} |",
                name_of(target),
                row.instances,
                code.bytes,
                code.loop_bytes,
                code.stack_loads,
                code.stack_stores
            );
        }
    }
    if !rows.is_empty() {
        let _ = writeln!(
            text,
            "## The code of the fastest kernels\n\nBytes of machine code, those of the longest loop, and the instructions in the code \
             that load from and store to the stack: spilled registers and local arrays.\n\n\
             | cipher | target | blocks at once | bytes | loop | stack loads / stores |\n|---|---|---:|---:|---:|---:|\n{rows}"
        );
    }
}

fn scaling(text: &mut String, data: &Data) {
    let there = targets(data);
    let _ =
        writeln!(text, "## Wider registers\n\nKernels in every slicing, the fastest way on each target.\n");
    let _ = writeln!(
        text,
        "| cipher | slicing | {} |",
        there.iter().map(|target| name_of(target)).collect::<Vec<_>>().join(" | ")
    );
    let _ = writeln!(text, "|---|---|{}", "---:|".repeat(there.len()));
    for (primitive, title, _) in CIPHERS {
        for slicing in slicings(data, primitive) {
            let cells: Vec<String> = there
                .iter()
                .map(|target| cell(kernel(data, primitive, target, Some(slicing)).map(|(_, cycles)| cycles)))
                .collect();
            let _ = writeln!(text, "| {title} | {} | {} |", slicing.to_uppercase(), cells.join(" | "));
        }
    }
    let slower = slower_when_wider(data);
    if slower.is_empty() {
        text.push_str("\nNo bitsliced cipher gets slower from one target to the next wider one.\n\n");
        return;
    }
    let _ = writeln!(
        text,
        "\nBitsliced code that gets slower on wider registers (by more than {:.0} %, the noise):\n",
        (NOISE - 1.0) * 100.0
    );
    for one in slower {
        let _ = writeln!(
            text,
            "- {}: {} on {}, {} on {}",
            title(&one.primitive),
            number(one.narrow.1),
            name_of(one.narrow.0),
            number(one.wide.1),
            name_of(one.wide.0)
        );
    }
    text.push('\n');
}

fn rectangle(text: &mut String, data: &Data) {
    let there = targets(data);
    text.push_str(
        "## Slicings of RECTANGLE\n\nOne source text, three layouts: blocks at once, kernel, whole path in counter mode.\n\n\
         | target | bitsliced | vertical | horizontal |\n|---|---:|---:|---:|\n",
    );
    for target in there {
        let cells: Vec<String> = ["b", "v", "h"]
            .iter()
            .map(|slicing| {
                kernel(data, "rectangle-80", target, Some(slicing)).map_or(
                    "–".to_owned(),
                    |(row, cycles)| {
                        format!(
                            "{} × {}, {}",
                            row.instances,
                            number(cycles),
                            cell(row.whole.get("ctr").copied())
                        )
                    },
                )
            })
            .collect();
        let _ = writeln!(text, "| {} | {} |", name_of(target), cells.join(" | "));
    }
    text.push('\n');
}

fn against_published(text: &mut String, data: &Data, published: &Published) {
    let rows = compare(data, published);
    let _ = writeln!(
        text,
        "## The published compiler\n\n{}\n\nTheir `sse` and `avx2` are therefore compared with our AVX-512VL targets, in the same \
         slicing, and their `avx512` with the faster of our two AVX-512 targets. On `gp64` their best flags let the C compiler make AVX-512 code of the loops; what counts is their time without \
         that. Where only the vectorised time is known (marked ‡) there is nothing to compare, and the row is left out of the mean.\n\n\
         | cipher | slicing | theirs on | their best flags | theirs | ours | on | ours / theirs |\n|---|---|---|---|---:|---:|---|---:|",
        published.source
    );
    for one in &rows {
        let mark = if one.vectorised { " ‡" } else { "" };
        let flags = if one.row.flags == "-" { "none" } else { &one.row.flags };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} {} | {}{mark} | {} | {} | {}{mark} |",
            title(&one.row.primitive),
            one.row.slicing.to_uppercase(),
            one.row.arch,
            one.row.compiler,
            flags,
            number(one.theirs),
            cell(one.ours.map(|(_, cycles)| cycles)),
            one.ours.map_or("–", |(row, _)| row.target.as_str()),
            ratio(one.ratio()),
        );
    }
    if !rows.iter().any(|one| one.is_alike) {
        text.push_str("\nTheirs was measured on another core, so there are no ratios.\n\n");
        return;
    }
    let _ = writeln!(text, "\nGeometric mean of ours / theirs: **{}**.\n", ratio(mean_ratio(&rows)));
    let slower: Vec<&Compared<'_>> =
        rows.iter().filter(|one| !one.vectorised && one.ratio() > Some(1.0)).collect();
    if slower.is_empty() {
        text.push_str("No row of theirs is faster than ours.\n\n");
        return;
    }
    text.push_str("Rows in which theirs is faster, and why, where that was found.\n\n");
    for one in slower {
        let mut facts = one.ours.map(|(row, _)| facts(row)).unwrap_or_default();
        if let Some((row, cycles)) = one.any.filter(|(_, cycles)| *cycles < one.theirs) {
            let _ = write!(facts, "; in another slicing ours takes {} ({})", number(cycles), way(row));
        }
        let core = one.ours.map(|(row, _)| row.core.as_str()).unwrap_or_default();
        let cause = one.row.causes.on(core).map(|cause| format!(" {cause}.")).unwrap_or_default();
        let _ = writeln!(
            text,
            "- {} {} on {}: {}.{cause} Ours: {facts}.",
            title(&one.row.primitive),
            one.row.slicing.to_uppercase(),
            one.row.arch,
            ratio(one.ratio()),
        );
    }
    text.push('\n');
}

/// The published compiler where it was measured on the core of the page: means over ciphers, the fastest way of each.
fn on_the_same_core(text: &mut String, data: &Data) {
    let theirs = data.peers.iter().filter(|peer| peer.elsewhere && peer.name == PUBLISHED);
    let mut ratios: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for peer in theirs {
        let ours = kernel(data, &peer.primitive, &peer.level, None);
        if let (Some((_, ours)), Some(theirs)) = (ours, peer.cycles) {
            ratios.entry(width(&peer.level)).or_default().push(ours / theirs);
        }
    }
    if ratios.is_empty() {
        return;
    }
    text.push_str(
        "Rebuilt on the core of this page (the figures stand with the peers), fastest kernel beside fastest kernel:\n\n\
         | target | ciphers | geometric mean of ours / theirs | least | most |\n|---|---:|---:|---:|---:|\n",
    );
    for (place, ratios) in ratios {
        let target = TARGETS.get(place).map_or("", |(name, _)| *name);
        let (least, most) =
            (ratios.iter().copied().reduce(f64::min), ratios.iter().copied().reduce(f64::max));
        let mean = geometric_mean(&ratios);
        let _ = writeln!(
            text,
            "| {} | {} | **{}** | {} | {} |",
            name_of(target),
            ratios.len(),
            ratio(mean),
            ratio(least),
            ratio(most)
        );
    }
    text.push('\n');
}

/// What is known of a row that may tell what limits it.
fn facts(row: &Ours) -> String {
    let mut text = way(row);
    if let Some(bound) = row.port_bound {
        let _ = write!(text, ", bound {}", number(bound));
    }
    if let Some(code) = row.code {
        let _ = write!(
            text,
            ", {:.1} KB of code, {} of its {} instructions load from or store to the stack",
            code.bytes as f64 / 1024.0,
            code.stack_loads + code.stack_stores,
            code.instructions
        );
    }
    text
}

/// The only choice in which two rows differ, apart from columns of their own.
fn difference<'a>(usual: &Ours, row: &'a Ours) -> Option<(&'a str, String)> {
    let names: BTreeSet<&str> = usual.choices.keys().chain(row.choices.keys()).map(String::as_str).collect();
    let mut found = None;
    for name in names {
        if usual.choices.get(name) == row.choices.get(name) {
            continue;
        }
        if found.is_some() || COLUMNS.contains(&name) {
            return None;
        }
        let (name, _) = row.choices.get_key_value(name).or(usual.choices.get_key_value(name))?;
        let name = name.as_str();
        // A choice that is as usual may be left unsaid.
        found = row.choices.get_key_value(name).map(|(name, value)| (name.as_str(), value.clone()));
    }
    found
}

fn varied(text: &mut String, data: &Data) {
    let usual: Vec<&Ours> = data
        .varied
        .iter()
        .filter(|row| !row.tuned && row.choices.keys().all(|name| COLUMNS.contains(&name.as_str())))
        .collect();
    if usual.is_empty() {
        return;
    }
    text.push_str(
        "## With and without each pass\n\nOne choice at a time is changed from what is usual; kernels, and the time as a multiple of the \
         usual one (above 1: the change makes it slower). Blank where the choice changes nothing that was measured.\n\n",
    );
    let mut changes: BTreeSet<(String, String)> = BTreeSet::new();
    for row in &data.varied {
        for base in &usual {
            if same(base, row)
                && let Some((name, value)) = difference(base, row)
            {
                changes.insert((name.to_owned(), value));
            }
        }
    }
    let names: BTreeSet<&String> = changes.iter().map(|(name, _)| name).collect();
    for name in names {
        let values: Vec<&String> =
            changes.iter().filter(|(other, _)| other == name).map(|(_, value)| value).collect();
        let _ =
            writeln!(text, "### {name}\n\n| cipher | slicing | target | by | usual | {} |", join(&values));
        let _ = writeln!(text, "|---|---|---|---|---:|{}", "---:|".repeat(values.len()));
        for base in &usual {
            let cells: Vec<String> = values
                .iter()
                .map(|value| {
                    let found = data.varied.iter().find(|row| {
                        same(base, row)
                            && difference(base, row).is_some_and(|(n, v)| n == *name && v == **value)
                    });
                    let times = found.and_then(|row| Some(row.kernel? / base.kernel?));
                    times.map_or(String::new(), |times| format!("{times:.2}"))
                })
                .collect();
            if cells.iter().all(String::is_empty) {
                continue;
            }
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} |",
                title(&base.primitive),
                base.slicing.to_uppercase(),
                name_of(&base.target),
                base.compiler,
                cell(base.kernel),
                cells.join(" | ")
            );
        }
        text.push('\n');
    }
}

fn join(values: &[&String]) -> String {
    values.iter().map(|value| value.as_str()).collect::<Vec<_>>().join(" | ")
}

/// Whether two rows are of one primitive, slicing, target and compiler.
fn same(a: &Ours, b: &Ours) -> bool {
    a.primitive == b.primitive && a.slicing == b.slicing && a.target == b.target && a.compiler == b.compiler
}

/// An expectation in words.
fn words(expected: &Expected) -> String {
    let subject = || {
        let slicing = expected
            .slicing
            .as_deref()
            .map_or(String::new(), |slicing| format!(" {}", slicing.to_uppercase()));
        format!(
            "{}{slicing}, {}",
            expected.primitive.as_deref().map_or("", title),
            expected.target.as_deref().map_or("", name_of)
        )
    };
    match expected.measure.as_str() {
        "kernel" => format!("kernel: {}", subject()),
        "bound" => format!("kernel / bound: {}", subject()),
        "whole" => format!("whole path ({}): {}", expected.mode.as_deref().unwrap_or_default(), subject()),
        "published-mean" => "ours / the published compiler's, geometric mean".to_owned(),
        "published-rows" => "rows in which the published compiler is faster".to_owned(),
        "wider-slower" => "bitsliced ciphers slower on wider registers".to_owned(),
        "compile-seconds" => "source to output, slowest node and target, seconds".to_owned(),
        "compile-megabytes" => "memory of the process that compiles everything, MB".to_owned(),
        other => other.to_owned(),
    }
}

fn limits(text: &mut String, data: &Data, published: &Published, expected: &[Expected]) {
    text.push_str(
        "## What limits what\n\nWhat was set as the goal for Intel's cores of the generation Golden Cove, what was measured here, and where it is missed \
         the cause. How it was found: `sh bench/limits.sh` times copies of kernels in assembly from which stores, dependences and loads were \
         taken; core cycles per byte on the same core, in bench/README.md with the rest of that table.\n\n| goal | at most | measured | |\n|---|---:|---:|---|\n",
    );
    let mut met = 0;
    for one in expected {
        let found = measured(data, published, one);
        let verdict = match found {
            None => "not measured".to_owned(),
            Some(value) if value <= one.limit => {
                met += 1;
                "met".to_owned()
            }
            Some(_) => {
                let row = row(data, one);
                let facts = row.map(|row| format!(" ({})", facts(row))).unwrap_or_default();
                let core = row.map_or_else(|| cores(data), |row| row.core.clone());
                let cause = one.causes.on(&core).unwrap_or("why was not looked into");
                format!("**missed**: {cause}{facts}")
            }
        };
        let counts = one.measure == "published-rows" || one.measure == "wider-slower";
        let show = |value: f64| if counts { format!("{value:.0}") } else { number(value) };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {verdict} |",
            words(one),
            show(one.limit),
            found.map_or("–".to_owned(), show),
        );
    }
    let _ = writeln!(text, "\n{met} of {} met.\n", expected.len());
}

fn compile(text: &mut String, data: &Data) {
    if data.compile.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "## Compile time\n\nSource text to C or assembly, in one process on all processors; {} compilations of every node, slicing and target take \
         {:.1} s together{}. The slowest:\n\n| node | slicing | target | to | ms | gates |\n|---|---|---|---|---:|---:|",
        data.compile_count,
        data.compile_milliseconds / 1000.0,
        data.compile_peak_kib
            .map_or(String::new(), |kib| format!(", in at most {:.0} MB of memory", kib as f64 / 1024.0))
    );
    for row in data.compile.iter().take(8) {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.0} | {} |",
            row.node,
            row.slicing.to_uppercase(),
            row.target,
            row.backend,
            row.milliseconds,
            row.gates
        );
    }
    text.push('\n');
}

fn peers(text: &mut String, data: &Data) {
    text.push_str(
        "## Peers\n\nEverything that was measured beside Usuba, each from its package; versions are read from the libraries. All whole \
         paths of one cipher and mode give the same bytes as Usuba's, checked before they were timed; *kernel* rows check a known answer. \
         *Plain C* is bench/references/references.c, written from the specifications, which clang vectorises over many states; what a \
         level lacks is switched off in the library.\n\n\
         | cipher | mode | may use | peer | c/B | |\n|---|---|---|---|---:|---|\n",
    );
    let mut rows: Vec<_> = data.peers.iter().filter(|peer| peer.cycles.is_some()).collect();
    rows.sort_by(|a, b| {
        let key = |peer: &crate::data::Peer| (peer.primitive.clone(), peer.mode.clone(), width(&peer.level));
        key(a).cmp(&key(b)).then(a.cycles.unwrap_or_default().total_cmp(&b.cycles.unwrap_or_default()))
    });
    for peer in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {}{} | {} |",
            title(&peer.primitive),
            peer.mode,
            name_of(&peer.level),
            named(peer),
            cell(peer.cycles),
            busy(data, peer.load),
            if peer.method == "constant time" { "" } else { &peer.method },
        );
    }
}

/// The cores that bounds are about, in words; nothing if there are none.
fn cores(data: &Data) -> String {
    let mut names: Vec<&str> =
        data.ours.iter().map(|row| row.core.as_str()).filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    names.join(", ")
}
