//! Small charts as SVG text: dots on a logarithmic axis, and lines over named places. Colours follow the reader's light or
//! dark setting; every mark is labelled in words as well; numbers are printed with fixed digits, so that the same data give
//! the same bytes.

use std::fmt::Write;

/// Colours that stay apart for readers who see fewer of them, in light and dark; more than these there must not be.
const PALETTE: &[(&str, &str)] = &[
    ("#2a6fdb", "#6ea8ff"),
    ("#c2571a", "#ff9a5c"),
    ("#2a8a4a", "#63c983"),
    ("#8a4fc2", "#c197ff"),
    ("#a8862a", "#e0c060"),
    ("#b03a6e", "#ff86b4"),
    ("#2c8c99", "#6fd0dd"),
];

const WIDTH: f64 = 760.0;
const LEFT: f64 = 165.0;
const RIGHT: f64 = 130.0;
const TOP: f64 = 58.0;

/// A row of a chart of dots: a name, and up to one dot for each series, with a note beside it.
#[derive(Debug)]
pub struct DotRow {
    /// The name, left of the row.
    pub name: String,
    /// A value for each series, and what its mark says.
    pub dots: Vec<Option<(f64, String)>>,
}

/// A line: its name and a value for each place.
#[derive(Debug)]
pub struct Line {
    /// The name, right of its last point.
    pub name: String,
    /// The values.
    pub values: Vec<Option<f64>>,
}

/// Text that may stand in XML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A number with three significant digits.
pub fn number(value: f64) -> String {
    let digits = if value < 1.0 {
        3
    } else if value < 10.0 {
        2
    } else {
        1
    };
    format!("{value:.digits$}")
}

fn head(height: f64, title: &str, subtitle: &str) -> String {
    let mut style = String::from(
        ".s{fill:#ffffff}.t{fill:#1b1f24}.m{fill:#59636e}.g{stroke:#d8dee4}.k{stroke:#b8c0c8}\
         text{font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:12px}.h{font-size:15px;font-weight:600}",
    );
    let mut dark =
        String::from(".s{fill:#0d1117}.t{fill:#e6edf3}.m{fill:#9198a1}.g{stroke:#2b323b}.k{stroke:#4a525c}");
    for (place, (light, night)) in PALETTE.iter().enumerate() {
        let _ = write!(style, ".f{place}{{fill:{light}}}.l{place}{{stroke:{light}}}");
        let _ = write!(dark, ".f{place}{{fill:{night}}}.l{place}{{stroke:{night}}}");
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" \
         aria-label=\"{title}\">\n<style>{style}@media (prefers-color-scheme:dark){{{dark}}}</style>\n\
         <rect class=\"s\" width=\"{WIDTH}\" height=\"{height:.0}\"/>\n\
         <text class=\"t h\" x=\"16\" y=\"24\">{title}</text>\n<text class=\"m\" x=\"16\" y=\"42\">{subtitle}</text>\n",
        title = escape(title),
        subtitle = escape(subtitle),
    )
}

/// The ends of a logarithmic axis that holds these values, and the round numbers on it.
fn logarithmic(values: impl Iterator<Item = f64>) -> (f64, f64, Vec<f64>) {
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    for value in values.filter(|value| *value > 0.0) {
        (low, high) = (low.min(value), high.max(value));
    }
    if low > high {
        (low, high) = (1.0, 10.0);
    }
    let rounds: Vec<f64> =
        (-3..4).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power))).collect();
    let bottom = rounds.iter().copied().rfind(|round| *round <= low * 0.95).unwrap_or(low);
    let top = rounds.iter().copied().find(|round| *round >= high * 1.05).unwrap_or(high);
    let ticks = rounds.into_iter().filter(|round| (bottom..=top).contains(round)).collect();
    (bottom, top, ticks)
}

fn axis_label(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Rows of dots joined by a thin line, on a logarithmic axis from left to right.
pub fn dots(title: &str, subtitle: &str, series: &[&str], rows: &[DotRow]) -> String {
    const ROW: f64 = 44.0;
    let bottom = TOP + 26.0 + ROW * rows.len() as f64;
    let mut text = head(bottom + 34.0, title, subtitle);
    let values = rows.iter().flat_map(|row| row.dots.iter().flatten().map(|(value, _)| *value));
    let (low, high, ticks) = logarithmic(values);
    let place = |value: f64| LEFT + (value / low).ln() / (high / low).ln() * (WIDTH - LEFT - RIGHT);
    let mut x = LEFT;
    for (number, name) in series.iter().enumerate().take(PALETTE.len()) {
        let _ =
            writeln!(text, "<circle class=\"f{number}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\"/>", x, TOP + 2.0);
        let _ = writeln!(
            text,
            "<text class=\"t\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + 10.0,
            TOP + 6.0,
            escape(name)
        );
        x += 34.0 + 6.6 * name.chars().count() as f64;
    }
    for tick in ticks {
        let x = place(tick);
        let _ = writeln!(
            text,
            "<line class=\"g\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{bottom:.1}\"/>\n\
             <text class=\"m\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            TOP + 16.0,
            bottom + 18.0,
            axis_label(tick)
        );
    }
    for (number, row) in rows.iter().enumerate() {
        let y = TOP + 26.0 + ROW * (number as f64 + 0.5);
        let _ = writeln!(
            text,
            "<text class=\"t\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 12.0,
            y + 4.0,
            escape(&row.name)
        );
        let there: Vec<f64> = row.dots.iter().flatten().map(|(value, _)| place(*value)).collect();
        if let (Some(first), Some(last)) =
            (there.iter().copied().reduce(f64::min), there.iter().copied().reduce(f64::max))
        {
            let _ = writeln!(
                text,
                "<line class=\"k\" x1=\"{first:.1}\" x2=\"{last:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke-width=\"2\"/>"
            );
        }
        for (series, dot) in row.dots.iter().enumerate().take(PALETTE.len()) {
            let Some((value, note)) = dot else { continue };
            let x = place(*value);
            // Notes of the first series stand above their dots, the others' below.
            let note_y = if series == 0 { y - 9.0 } else { y + 18.0 };
            let _ = writeln!(
                text,
                "<circle class=\"f{series}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5.5\"/>\n\
                 <text class=\"m\" x=\"{x:.1}\" y=\"{note_y:.1}\" text-anchor=\"middle\">{}</text>",
                escape(note)
            );
        }
    }
    text.push_str("</svg>\n");
    text
}

/// Lines over places from left to right, on a logarithmic axis upwards.
pub fn lines(title: &str, subtitle: &str, places: &[&str], lines: &[Line]) -> String {
    const HEIGHT: f64 = 300.0;
    const MARGIN: f64 = 56.0;
    let bottom = TOP + HEIGHT;
    let mut text = head(bottom + 34.0, title, subtitle);
    let (low, high, ticks) = logarithmic(lines.iter().flat_map(|line| line.values.iter().flatten().copied()));
    let across = |place: usize| {
        MARGIN + 30.0 + (WIDTH - MARGIN - RIGHT - 60.0) * place as f64 / (places.len().max(2) - 1) as f64
    };
    let up = |value: f64| bottom - (value / low).ln() / (high / low).ln() * (HEIGHT - 14.0);
    for tick in ticks {
        let y = up(tick);
        let _ = writeln!(
            text,
            "<line class=\"g\" x1=\"{MARGIN:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\n\
             <text class=\"m\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            MARGIN - 8.0,
            y + 4.0,
            axis_label(tick)
        );
    }
    for (place, name) in places.iter().enumerate() {
        let _ = writeln!(
            text,
            "<text class=\"t\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            across(place),
            bottom + 20.0,
            escape(name)
        );
    }
    let mut ends = Vec::new();
    for (number, line) in lines.iter().enumerate().take(PALETTE.len()) {
        let points: Vec<(usize, f64)> =
            line.values.iter().enumerate().filter_map(|(place, value)| Some((place, (*value)?))).collect();
        let path: Vec<String> =
            points.iter().map(|(place, value)| format!("{:.1},{:.1}", across(*place), up(*value))).collect();
        let _ = writeln!(
            text,
            "<polyline class=\"l{number}\" points=\"{}\" fill=\"none\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        for (place, value) in &points {
            let _ = writeln!(
                text,
                "<circle class=\"f{number}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"><title>{} {} {}</title></circle>",
                across(*place),
                up(*value),
                escape(&line.name),
                escape(places.get(*place).unwrap_or(&"")),
                self::number(*value)
            );
        }
        if let Some((place, value)) = points.last() {
            ends.push((
                up(*value),
                across(*place),
                number,
                format!("{} {}", line.name, self::number(*value)),
            ));
        }
    }
    // Names at the ends of the lines, moved apart where they would overlap.
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free = f64::NEG_INFINITY;
    for (y, x, number, name) in ends {
        let y = y.max(free);
        free = y + 15.0;
        let _ = writeln!(
            text,
            "<circle class=\"f{number}\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\"/>\n<text class=\"t\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + 14.0,
            x + 22.0,
            y + 4.0,
            escape(&name)
        );
    }
    text.push_str("</svg>\n");
    text
}
