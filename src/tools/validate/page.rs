//! docs/data/validation.md and its pictures, from the rows of a replay: aggregates and one point for each stage, no requests.

use super::compare::{Aggregate, Row, aggregates};
use super::orders::{orders, orders_table};
use super::ranking::rankings;
use super::replay::Unmodelled;
use base::math::{log10, pow};
use engine::perf::{Calibration, calibrations};
use std::fmt::Write;

/// A picture of the page.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Name of its file.
    pub name: &'static str,
    /// SVG.
    pub svg: String,
}

/// The pictures: file, metric, title.
const PICTURES: [(&str, &str, &str); 3] = [
    ("validation-tpot.svg", "tpot_ms", "Time per output token, mean"),
    ("validation-e2e.svg", "e2e_ms", "End-to-end latency, mean"),
    ("validation-ttft.svg", "ttft_ms", "Time to first token, mean"),
];

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 64.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 120.0;
const BOTTOM: f64 = 52.0;

/// A colour for each group, distinct also in lightness.
const COLOURS: [(&str, &str); 8] = [
    ("A", "#1b6ca8"),
    ("B", "#0f9d8a"),
    ("C", "#d1495b"),
    ("D", "#8d6a9f"),
    ("E", "#e08e2b"),
    ("F", "#5c8001"),
    ("G", "#6b7280"),
    ("H", "#3c3744"),
];

/// Measured against simulated for each metric, on logarithmic axes.
pub fn pictures(rows: &[Row]) -> Vec<Picture> {
    PICTURES
        .iter()
        .map(|&(name, metric, title)| Picture { name, svg: scatter(rows, metric, title) })
        .collect()
}

/// The axes of a picture: first and last decade.
struct Axes {
    low: f64,
    high: f64,
}

impl Axes {
    fn of(points: &[&Row]) -> Self {
        let values = || points.iter().flat_map(|r| [r.measured, r.simulated]);
        let low = log10(values().fold(f64::INFINITY, f64::min).clamp(1e-3, 1e6)).floor();
        Self { low, high: log10(values().fold(1e-3, f64::max)).ceil().max(low + 1.0) }
    }

    fn across(&self, x: f64) -> f64 {
        LEFT + (log10(x) - self.low) / (self.high - self.low) * (WIDTH - LEFT - RIGHT)
    }

    fn down(&self, y: f64) -> f64 {
        HEIGHT - BOTTOM - (log10(y) - self.low) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)
    }
}

fn put(svg: &mut String, line: &str) {
    writeln!(svg, "{line}").expect("a String takes any text");
}

fn scatter(rows: &[Row], metric: &str, title: &str) -> String {
    let shown = |r: &&Row| r.metric == metric && r.stat == "mean" && r.measured > 0.0 && r.simulated > 0.0;
    let points: Vec<&Row> =
        rows.iter().filter(shown).filter(|r| r.regime.as_deref() != Some("overload")).collect();
    let axes = Axes::of(&points);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\" role=\"img\"><title>{title}: measured against simulated, {} stages</title>\n<rect \
         width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n<text x=\"{LEFT}\" y=\"22\" font-size=\"15\" \
         fill=\"#111827\">{title}</text>\n",
        points.len()
    );
    push_grid(&mut svg, &axes);
    for r in &points {
        let colour = COLOURS.iter().find(|(g, _)| *g == r.group).map_or("#000000", |c| c.1);
        let fill = if r.fitted_on { "none" } else { colour };
        let stage = r.stage.as_str().map_or_else(|| r.stage.to_string(), str::to_owned);
        let (x, y) = (axes.across(r.measured), axes.down(r.simulated));
        let circle = format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\" fill=\"{fill}\" fill-opacity=\"0.75\" \
             stroke=\"{colour}\"><title>{} {stage}</title></circle>",
            r.id
        );
        put(&mut svg, &circle);
    }
    push_legend(&mut svg, &points);
    svg.push_str("</svg>\n");
    svg
}

/// Decades, the line of equality, and the lines 10 % above and below it.
fn push_grid(svg: &mut String, axes: &Axes) {
    let (floor, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for decade in axes.low as i32..=axes.high as i32 {
        let value = pow(10.0, f64::from(decade));
        let (x, y) = (axes.across(value), axes.down(value));
        put(svg, &format!("<path d=\"M{x:.1} {TOP}V{floor}M{LEFT} {y:.1}H{right}\" stroke=\"#e5e7eb\"/>"));
        let label = |x: f64, y: f64, anchor: &str| {
            format!(
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#374151\">{value}</text>"
            )
        };
        put(svg, &label(x, floor + 18.0, "middle"));
        put(svg, &label(LEFT - 6.0, y + 4.0, "end"));
    }
    let ends = [axes.low, axes.high].map(|d| pow(10.0, d));
    let dashed = " stroke-dasharray=\"4 4\"";
    for (times, dash) in [(1.0, ""), (1.1, dashed), (1.0 / 1.1, dashed)] {
        let [a, b] = ends.map(|end| (axes.across(end), axes.down((end * times).clamp(ends[0], ends[1]))));
        let line = format!("M{:.1} {:.1}L{:.1} {:.1}", a.0, a.1, b.0, b.1);
        put(svg, &format!("<path d=\"{line}\" stroke=\"#9ca3af\"{dash}/>"));
    }
}

fn push_legend(svg: &mut String, points: &[&Row]) {
    let present = COLOURS.iter().filter(|(g, _)| points.iter().any(|r| r.group == *g));
    for (i, (group, colour)) in (0u32..).zip(present) {
        let (x, y) = (WIDTH - RIGHT + 24.0, TOP + 16.0 + f64::from(i) * 18.0);
        put(svg, &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"/>"));
        let (x, y) = (x + 10.0, y + 4.0);
        put(svg, &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"#111827\">group {group}</text>"));
    }
    let (middle, low) = (f64::midpoint(LEFT, WIDTH - RIGHT), HEIGHT - 14.0);
    let text = "text-anchor=\"middle\" fill=\"#111827\"";
    put(svg, &format!("<text x=\"{middle:.1}\" y=\"{low:.1}\" {text}>measured, ms</text>"));
    let half = HEIGHT / 2.0;
    put(svg, &format!("<text transform=\"translate(16 {half:.1}) rotate(-90)\" {text}>simulated, ms</text>"));
}

/// The tables of the page.
pub fn tables(rows: &[Row], unmodelled: &[Unmodelled]) -> String {
    let mut text = String::new();
    let groups = aggregates(rows, false);
    push_below(&mut text, rows);
    text.push_str("## By group, GPU and regime\n\nMedian over experiments of the absolute error, the median with its sign, and the worst experiment. Stages that coefficients were fitted to are left out.\n\n");
    text.push_str("| group | GPU | regime | figure | experiments | median | signed | worst |\n|---|---|---|---|---|---|---|---|\n");
    for g in groups.iter().filter(|g| is_shown(g)) {
        writeln!(
            text,
            "| {} | {} | {} | {} {} | {} | {:.1} % | {:+.1} % | {:.0} % {} |",
            g.group,
            g.gpu,
            g.regime,
            g.metric,
            g.stat,
            g.experiments,
            g.median * 100.0,
            g.signed * 100.0,
            g.worst * 100.0,
            g.worst_id
        )
        .expect("a String takes any text");
    }
    push_coefficients(&mut text);
    push_blocks(&mut text, rows);
    push_rankings(&mut text, rows);
    text.push_str("\n## What is not modelled\n\n");
    for u in unmodelled {
        writeln!(text, "- {} {}: {}", u.id, u.stage, u.why).expect("a String takes any text");
    }
    text
}

fn is_shown(g: &Aggregate) -> bool {
    let figures =
        [("ttft_ms", "mean"), ("tpot_ms", "mean"), ("e2e_ms", "mean"), ("e2e_ms", "p99"), ("itl_ms", "p50")];
    figures.contains(&(g.metric.as_str(), g.stat.as_str()))
}

/// The figures that have a target, over all experiments below the knee, and over those whose engine is known.
fn push_below(text: &mut String, rows: &[Row]) {
    text.push_str("## Below the knee\n\nMedians over experiments, stages that coefficients were fitted to left out. Group D recorded neither release nor limits of the engine.\n\n| figure | experiments | median error | without D | its median | H100, without D | its median | target |\n|---|---|---|---|---|---|---|---|\n");
    for (metric, stat, target) in [
        ("e2e_ms", "mean", "4 %"),
        ("tpot_ms", "mean", "3 %"),
        ("ttft_ms", "mean", "7 %"),
        ("e2e_ms", "p99", "9 %"),
    ] {
        write!(text, "| {metric} {stat} |").expect("a String takes any text");
        let known = |r: &Row| r.group != "D";
        let h100 = |r: &Row| r.group != "D" && r.gpu.starts_with("H100");
        for chosen in [&(|_: &Row| true) as &dyn Fn(&Row) -> bool, &known, &h100] {
            let mut one: Vec<Row> = rows.iter().filter(|r| chosen(r)).cloned().collect();
            one.retain(|r| r.metric == metric && r.stat == stat && r.regime.as_deref() == Some("below"));
            for row in &mut one {
                (row.group, row.gpu) = ("all".to_owned(), "all".to_owned());
            }
            let found = aggregates(&one, false);
            let (count, median) = found.first().map_or((0, 0.0), |g| (g.experiments, g.median));
            write!(text, " {count} | {:.1} % |", median * 100.0).expect("a String takes any text");
        }
        writeln!(text, " {target} |").expect("a String takes any text");
    }
    text.push('\n');
}

/// The built-in coefficients with their intervals.
fn push_coefficients(text: &mut String) {
    let all = calibrations();
    text.push_str(
        "\n## Coefficients\n\nEach with half of its 95 % interval; with a star if fewer than three \
    experiments determine it, in brackets if none does and it is the first value of the fit.\n\n|  |",
    );
    for c in all {
        let release = serde_json::to_value(c.engine).unwrap_or_default();
        write!(text, " {} {} |", c.gpu, release.as_str().unwrap_or_default())
            .expect("a String takes any text");
    }
    write!(text, "\n|---|{}\n| experiments |", "---|".repeat(all.len())).expect("a String takes any text");
    for c in all {
        write!(text, " {} |", c.rests_on.len()).expect("a String takes any text");
    }
    text.push('\n');
    let values: Vec<_> =
        all.iter().map(|c| serde_json::to_value(&c.coefficients).unwrap_or_default()).collect();
    // A coefficient without effect is left out.
    let mut names: Vec<&String> = Vec::new();
    for name in values.iter().filter_map(|v| v.as_object()).flat_map(|map| map.keys()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names.into_iter().filter(|name| *name != "output_us_per_token") {
        write!(text, "| {name} |").expect("a String takes any text");
        for (c, value) in all.iter().zip(&values) {
            push_cell(text, c, name, value[name].as_f64().unwrap_or(0.0));
        }
        text.push('\n');
    }
    for c in all.iter().filter(|c| !c.models.is_empty()) {
        writeln!(
            text,
            "\nMicroseconds by which a layer of a model takes longer than those of others (of the \
        {} experiments of {}):\n\n| model | further | experiments |\n|---|---|---|",
            c.rests_on.len(),
            c.gpu
        )
        .expect("a String takes any text");
        for (model, further) in &c.models {
            let half = c.intervals.get(model).copied().flatten();
            let half = half.map_or_else(String::new, |h| format!(" ± {h:.1}"));
            let experiments = c.experiments.get(model).copied().unwrap_or(0);
            writeln!(text, "| {model} | {further:+.1}{half} | {experiments} |")
                .expect("a String takes any text");
        }
    }
}

fn push_cell(text: &mut String, c: &Calibration, name: &str, value: f64) {
    let digits = if value.abs() >= 100.0 { 0 } else { 2 };
    let half = c.intervals.get(name).copied().flatten();
    match (half, c.experiments.get(name).copied().unwrap_or(0)) {
        (Some(half), n) => {
            let star = if n < 3 { "*" } else { "" };
            write!(text, " {value:.digits$} ± {half:.digits$}{star} |").expect("a String takes any text");
        }
        (None, _) => write!(text, " ({value:.digits$}) |").expect("a String takes any text"),
    }
}

fn push_blocks(text: &mut String, rows: &[Row]) {
    text.push_str("\n## KV blocks\n\n`auto` against what servers recorded.\n\n| experiment | recorded | auto | error |\n|---|---|---|---|\n");
    for r in rows.iter().filter(|r| r.metric == "kv_blocks") {
        writeln!(
            text,
            "| {} | {} | {} | {:+.1} % |",
            r.id,
            r.measured,
            r.simulated,
            r.error.unwrap_or(0.0) * 100.0
        )
        .expect("a String takes any text");
    }
}

fn push_rankings(text: &mut String, rows: &[Row]) {
    text.push_str("\n## Rankings\n\nKendall's tau-b of configurations; measured pairs closer than 3 % (TTFT: 10 %) are ties.\n\n| configurations | by | number | pairs | tau-b |\n|---|---|---|---|---|\n");
    for r in rankings(rows) {
        let tau = r.tau_b.map_or_else(|| "no pair apart".to_owned(), |t| format!("{t:.2}"));
        writeln!(text, "| {} | {} | {} | {} | {tau} |", r.set, r.metric, r.configurations, r.pairs)
            .expect("a String takes any text");
    }
    text.push_str(ORDERS);
    text.push_str(&orders_table(&orders(rows)));
}

const ORDERS: &str = "\n## Orders\n\nGPUs by mean time per output token, with the same lengths, users and parallelism; configurations (parallelism, users) of one GPU and release by tokens per second and GPU, with the same lengths. Measured pairs closer than 3 % are ties. A reversed pair is outside the error where its simulated values are further apart than the median errors of both allow.\n\n";
