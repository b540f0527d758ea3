//! `usuba-report measure` runs `usubac bench` and the peers and writes what they say as one file of data;
//! `usuba-report page` makes the page of such a file.

mod measure;

use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use usuba_report::data::Data;
use usuba_report::{elsewhere, expectations, page};

const USAGE: &str = "usage: usuba-report measure --usubac FILE --compile-speed FILE --peers DIR --out FILE [--quick] \
                     [--part NAME]… [--primitive NAME]… \
                     [--peer PROGRAM]… [--missing TEXT]…\n       usuba-report page DATA MARKDOWN";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["measure", ..] => measure::run(&measure::Settings::parse(&arguments[1..])?),
        ["page", data, markdown] => write_page(Path::new(data), Path::new(markdown)),
        _ => bail!("{USAGE}"),
    }
}

/// Writes the page, and its charts into the folder of its name beside it.
fn write_page(data: &Path, markdown: &Path) -> Result<()> {
    let text = fs::read_to_string(data).with_context(|| format!("cannot read {}", data.display()))?;
    let data: Data = serde_json::from_str(&text).with_context(|| format!("{} is no data", data.display()))?;
    let name = markdown.file_stem().and_then(OsStr::to_str).context("the page has no name")?;
    let page = page::page(
        &data,
        &expectations::published()?,
        &expectations::expected()?,
        &elsewhere::known()?,
        name,
    );
    let folder: PathBuf = markdown.with_extension("");
    fs::create_dir_all(&folder)?;
    for chart in &page.charts {
        fs::write(folder.join(chart.file), &chart.svg)?;
    }
    fs::write(markdown, &page.markdown).with_context(|| format!("cannot write {}", markdown.display()))?;
    println!("wrote {} and {} charts in {}", markdown.display(), page.charts.len(), folder.display());
    Ok(())
}
