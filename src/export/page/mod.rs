//! Export of a run as one page of HTML that needs nothing else: no script, no other file, no network. It has the title
//! and the note, how far the figures can be trusted, the key figures, charts over time, tables, and the scenario.

mod chart;
mod html;

use base::number_text::{count, duration, three_digits};
use base::small::decimal::fixed;
use base::stats::Summary;
use base::yaml_text::yaml_text;
use base::{Micros, json};
use chart::{Chart, LINES};
use document::edit_label;
use html::{Table, escaped, figures, put};
use run::observe::report::{GroupPart, Report, RunMetric};
use run::session::Session;
use run::session::view::{Columns, ColumnsQuery, View};

const STYLE: &str = include_str!("style.css");
/// Most rows of a table.
const ROWS: usize = 64;
/// Values below which there is no 99th percentile to speak of.
const FEW: u64 = 100;

/// A run as a page. `link` is the address at which the page of the simulator opens it, if there is one.
pub fn page(session: &Session, link: Option<&str>) -> String {
    let report = session.assessed_data();
    let scenario = session.scenario();
    let title = if scenario.title.is_empty() { "A run" } else { &scenario.title };
    let mut out = String::new();
    out.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
    out.push_str("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
    put(&mut out, format_args!("<title>{} – Tokenyard</title>\n<style>\n{STYLE}</style>\n", escaped(title)));
    put(&mut out, format_args!("</head>\n<body>\n<header>\n<h1>{}</h1>\n", escaped(title)));
    for line in scenario.note.lines().filter(|line| !line.trim().is_empty()) {
        put(&mut out, format_args!("<p>{}</p>\n", escaped(line)));
    }
    for pool in &report.evidence {
        let of = if report.evidence.len() > 1 { format!("{}: ", pool.pool) } else { String::new() };
        put(&mut out, format_args!("<p class=\"m\">{}{}</p>\n", escaped(&of), escaped(&pool.text)));
    }
    if let Some(verdict) = &report.verdict {
        put(&mut out, format_args!("<p class=\"m\">{}</p>\n", escaped(&verdict.text)));
    }
    out.push_str("</header>\n<main>\n");
    key_figures(&mut out, &report);
    charts(&mut out, session, &report);
    tables(&mut out, session, &report);
    put(
        &mut out,
        format_args!("<h2>Scenario</h2>\n<pre>{}</pre>\n", escaped(&yaml_text(&json::tree(&scenario)))),
    );
    out.push_str("</main>\n<footer>\n");
    put(&mut out, format_args!("<p class=\"m\">Digest of the report: <code>{}</code>. ", session.digest()));
    put(&mut out, format_args!("Made with Tokenyard {}.</p>\n", env!("CARGO_PKG_VERSION")));
    match link {
        Some(link) if link.starts_with("https://") || link.starts_with("http://") => {
            put(&mut out, format_args!("<p><a href=\"{0}\">Open this run</a></p>\n", escaped(link)));
        }
        Some(link) => {
            put(&mut out, format_args!("<p class=\"m\">Link: <code>{}</code></p>\n", escaped(link)));
        }
        None => {}
    }
    out.push_str("</footer>\n</body>\n</html>\n");
    out
}

/// A share as a percentage; a dash if it is not known.
fn percent(share: Option<f64>) -> String {
    share.map_or_else(missing, |share| format!("{}\u{a0}%", fixed(share * 100.0, 1)))
}

/// An instant.
fn seconds(us: u64) -> String {
    format!("{} s", fixed(Micros(us).as_secs(), 3))
}

fn missing() -> String {
    "–".to_owned()
}

/// A figure as the page of the simulator writes it: thousands apart, and money after its sign.
fn said(text: &str) -> String {
    if let Some(money) = text.strip_suffix(" USD") {
        return format!("${}", said(money));
    }
    let (number, rest) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    format!("{}{rest}", number.parse().map_or_else(|_| number.to_owned(), count))
}

/// A figure of a distribution in milliseconds: a dash if there is none.
fn ms(s: &Summary, of: fn(&Summary) -> f64) -> String {
    if s.count == 0 { missing() } else { duration((of(s) * 1000.0).round() as u64) }
}

/// The 99th percentile, or a word where there are too few values for one.
fn p99(s: &Summary) -> String {
    if (1..FEW).contains(&s.count) { "few".to_owned() } else { ms(s, |s| s.p99) }
}

fn key_figures(out: &mut String, r: &Report) {
    let (t, q, l) = (&r.throughput, &r.requests, &r.latency_ms);
    let rate = |x: f64| if t.seconds > 0.0 { said(&format!("{}/s", three_digits(x))) } else { missing() };
    let mut all: Vec<(&str, String)> = vec![
        ("Requests arrived", count(q.arrived.into())),
        ("Completed", count(q.completed.into())),
        ("Refused, dropped", format!("{}, {}", count(q.rejected.into()), count(q.dropped.into()))),
        ("Goodput", format!("{} of {}", rate(t.goodput_per_s), rate(t.completed_per_s))),
        ("Within every objective", percent(r.slo.met_share.or(t.attainment))),
        ("TTFT p50, p99", format!("{}, {}", ms(&l.ttft, |s| s.p50), p99(&l.ttft))),
        ("TPOT p50, p99", format!("{}, {}", ms(&l.tpot, |s| s.p50), p99(&l.tpot))),
        ("E2E p50, p99", format!("{}, {}", ms(&l.e2e, |s| s.p50), p99(&l.e2e))),
        ("Queue wait p50, p99", format!("{}, {}", ms(&l.queue_wait, |s| s.p50), p99(&l.queue_wait))),
        ("Output tokens", rate(t.output_tokens_per_s)),
    ];
    let summarised = RunMetric::SUMMARISED.map(|m| (m.label(), said(&m.text(m.of(r)))));
    all.extend(summarised.iter().map(|(label, text)| (&**label, text.clone())));
    put(out, format_args!("<h2>Key figures</h2>\n{}", figures(&all)));
    let measured = if r.run.warmup_over {
        format!("{} s", said(&three_digits(t.seconds)))
    } else {
        "nothing".to_owned()
    };
    let from = fixed(Micros(r.run.measured_from_us).as_secs(), 3);
    put(
        out,
        format_args!("<p class=\"m\">Measured: {measured}, from {from} s on. Seed {}.</p>\n", r.run.seed),
    );
}

fn charts(out: &mut String, session: &Session, r: &Report) {
    let (scaled, broke) = (!r.scaling.is_empty(), r.faults.is_some());
    let all = [
        (View::TtftOverTime, "TTFT", "ms", true, true),
        (View::E2eOverTime, "E2E", "ms", true, true),
        (View::QueueDepth, "Queue depth", "requests", false, true),
        (View::KvUse, "KV blocks in use", "%", false, true),
        (View::Replicas, "Replicas", "replicas", false, scaled || broke),
        #[cfg(any(feature = "cli", feature = "closeup"))]
        (View::GoodputOverTime, "Goodput, last 10 s", "requests/s", false, broke),
        #[cfg(any(feature = "cli", feature = "closeup"))]
        (View::AttemptsOverTime, "Attempts of a request, last 10 s", "attempts", false, broke),
    ];
    out.push_str("<h2>Over time</h2>\n<div class=\"charts\">\n");
    for (view, title, unit, log, _) in all.into_iter().filter(|(.., shown)| *shown) {
        let query = ColumnsQuery { view, from_us: 0, to_us: 0, window_s: 0.0 };
        let Columns { names, columns } = session.columns(&query);
        let mut lines: Vec<(String, Vec<f64>)> = names.into_iter().zip(columns).collect();
        if lines.is_empty() {
            continue;
        }
        let (_, times_s) = lines.remove(0);
        lines.retain(|(name, _)| !name.ends_with("count") && !name.starts_with("prefill_"));
        if view == View::Replicas {
            lines.retain(|(_, replicas)| replicas.iter().any(|n| *n > 0.0));
        }
        lines.truncate(LINES);
        for (name, _) in &mut lines {
            *name = name.trim_end_matches("_ms").trim_end_matches("_per_s").replace('_', " ");
        }
        let chart = Chart { title, unit, log, times_s, lines };
        if !chart.is_empty() {
            out.push_str(&chart.svg());
        }
    }
    out.push_str("</div>\n");
}

/// Requests by class, tenant or pool.
fn groups(out: &mut String, what: &'static str, caption: &str, groups: &[&GroupPart]) {
    let mut table = Table::new(&[
        (what, true),
        ("arrived", false),
        ("finished", false),
        ("met", false),
        ("TTFT p50", false),
        ("TTFT p99", false),
        ("TPOT p99", false),
        ("E2E p50", false),
        ("E2E p99", false),
    ]);
    for g in groups.iter().take(ROWS) {
        let name = if g.name.is_empty() { missing() } else { g.name.clone() };
        table.row(vec![
            name,
            count(g.arrived.into()),
            count(g.finished.into()),
            percent(g.met_share.or(g.attainment)),
            ms(&g.ttft_ms, |s| s.p50),
            p99(&g.ttft_ms),
            p99(&g.tpot_ms),
            ms(&g.e2e_ms, |s| s.p50),
            p99(&g.e2e_ms),
        ]);
    }
    if !table.is_empty() {
        out.push_str(&table.html(caption));
        more(out, groups.len());
    }
}

/// Says how many rows were left out.
fn more(out: &mut String, rows: usize) {
    if rows > ROWS {
        put(out, format_args!("<p class=\"m\">and {} more</p>\n", count((rows - ROWS) as u64)));
    }
}

fn tables(out: &mut String, session: &Session, r: &Report) {
    out.push_str("<h2>Tables</h2>\n");
    groups(out, "class", "By SLO class", &r.classes.iter().map(|c| &c.requests).collect::<Vec<_>>());
    groups(out, "tenant", "By tenant", &r.tenants.iter().collect::<Vec<_>>());
    groups(out, "pool", "By pool", &r.pools.iter().map(|p| &p.requests).collect::<Vec<_>>());
    replicas(out, r);
    if !r.rejections.is_empty() {
        let mut table = Table::new(&[("reason", true), ("requests", false)]);
        r.rejections.iter().for_each(|p| table.row(vec![p.reason.to_owned(), count(p.requests.into())]));
        out.push_str(&table.html("Refusals by reason"));
    }
    anomalies(out, r);
    faults(out, r);
    edits(out, session);
    let mut table = Table::new(&[("notice", true), ("advice", true)]);
    r.notices.iter().for_each(|n| table.row(vec![n.text.clone(), n.remedy.clone()]));
    if !r.run.trouble.is_empty() {
        table.row(vec![r.run.trouble.clone(), String::new()]);
    }
    if !table.is_empty() {
        out.push_str(&table.html("Notices"));
    }
}

fn replicas(out: &mut String, r: &Report) {
    let mut table = Table::new(&[
        ("replica", true),
        ("pool", true),
        ("completed", false),
        ("steps", false),
        ("busy", false),
        ("preemptions", false),
        ("KV blocks, most", false),
        ("hit share", false),
    ]);
    for p in r.replicas.iter().take(ROWS) {
        table.row(vec![
            format!("r{}", p.replica),
            p.pool.clone(),
            count(p.completed.into()),
            count(p.steps),
            percent((p.up_s > 0.0).then_some(p.busy)),
            count(p.preemptions),
            format!("{} of {}", count(p.kv_peak_blocks.into()), count(p.kv_total_blocks.into())),
            percent((p.steps > 0).then_some(p.kv_hit_rate)),
        ]);
    }
    if !table.is_empty() {
        out.push_str(&table.html("Replicas"));
        more(out, r.replicas.len());
    }
}

fn anomalies(out: &mut String, r: &Report) {
    let Some(part) = &r.anomalies else { return };
    let mut counts = Table::new(&[("kind", true), ("anomalies", false)]);
    for (kind, n) in part.counts.0.iter().filter(|(_, n)| *n > 0) {
        counts.row(vec![kind.replace('-', " "), count((*n).into())]);
    }
    if !counts.is_empty() {
        out.push_str(&counts.html("Anomalies by kind"));
    }
    let mut table = Table::new(&[("at", false), ("kind", true), ("what happened", true)]);
    for a in part.first.iter().take(ROWS) {
        let name = json::tree(&a.kind);
        let at = seconds(a.start_us);
        table.row(vec![at, name.as_str().unwrap_or_default().replace('-', " "), a.text.clone()]);
    }
    if !table.is_empty() {
        out.push_str(&table.html("Anomalies, the first five of each kind"));
    }
}

fn faults(out: &mut String, r: &Report) {
    let Some(part) = &r.faults else { return };
    let mut table = Table::new(&[
        ("fault", true),
        ("replica", true),
        ("at", false),
        ("over at", false),
        ("attempts broken", false),
        ("requests lost", false),
        ("goodput back after", false),
    ]);
    for f in part.each.iter().take(ROWS) {
        table.row(vec![
            f.kind.replace('-', " "),
            f.replica.map_or_else(|| "all".to_owned(), |replica| format!("r{replica}")),
            seconds(f.at_us),
            f.back_us.map_or_else(|| "never".to_owned(), seconds),
            count(f.broken.into()),
            count(f.lost.into()),
            f.recovery_s.map_or_else(|| "not yet".to_owned(), |s| format!("{} s", fixed(s, 0))),
        ]);
    }
    if !table.is_empty() {
        out.push_str(&table.html("Faults"));
        more(out, part.each.len());
    }
}

fn edits(out: &mut String, session: &Session) {
    let mut table = Table::new(&[("at", false), ("edit", true)]);
    let applied = session.edits().iter().filter(|edit| !edit.off && edit.at_us <= session.now().0);
    let applied: Vec<_> = applied.collect();
    for edit in applied.iter().take(ROWS) {
        let at = seconds(edit.at_us);
        table.row(vec![at, edit_label::label(&edit.change())]);
    }
    if !table.is_empty() {
        out.push_str(&table.html("Edits"));
        more(out, applied.len());
    }
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn figures_have_their_thousands_apart_and_money_its_sign() {
        let all = ["9557/s", "100000 s", "0.000044 USD", "1234 USD", "1,234", "–", "98.1 %"].map(said);
        assert_eq!(all, ["9,557/s", "100,000 s", "$0.000044", "$1,234", "1,234", "–", "98.1 %"]);
    }
}
