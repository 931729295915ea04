//! The accuracy of the simulation in public: every row that was measured beside what is simulated, and how the medians moved from
//! version to version.

use super::compare::{Row, median};
use base::html_text::{escaped, put};
use benchmarks::import::benchmark::statistics::quantile;
use serde::Serialize;
use std::collections::BTreeMap;

/// The errors of a version, over the rows that nothing was fitted to, below and near the knee.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfVersion {
    /// Version of Tokenyard.
    pub version: String,
    /// Day of the measurement, as the caller gives it.
    pub day: String,
    /// Rows, fitted ones included.
    pub rows: u32,
    /// Rows that nothing was fitted to.
    pub held_back: u32,
    /// Median and 90th percentile of the absolute error of the mean time per output token.
    pub tpot: [f64; 2],
    /// The same of the mean time to first token.
    pub ttft: [f64; 2],
    /// The same of the mean end-to-end latency.
    pub e2e: [f64; 2],
}

document::shape! { read entry OfVersion { version day rows held_back tpot ttft e2e } }

const FIGURES: [(&str, &str); 3] = [("tpot_ms", "TPOT"), ("ttft_ms", "TTFT"), ("e2e_ms", "E2E")];

fn shown(rows: &[Row]) -> impl Iterator<Item = &Row> {
    let is = |r: &&Row| {
        r.stat == "mean"
            && FIGURES.iter().any(|(metric, _)| *metric == r.metric)
            && r.regime.as_deref() != Some("overload")
    };
    rows.iter().filter(is)
}

/// The errors of this version.
pub fn of_version(rows: &[Row], day: &str) -> OfVersion {
    let figure = |metric: &str| {
        let held = shown(rows).filter(|r| r.metric == metric && !r.fitted_on && !r.is_of_another_engine());
        let mut errors: Vec<f64> = held.filter_map(|r| r.error).map(f64::abs).collect();
        errors.sort_by(f64::total_cmp);
        [0.5, 0.9].map(|share| (quantile(&errors, share).unwrap_or(0.0) * 1e4).round() / 1e4)
    };
    OfVersion {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        day: day.to_owned(),
        rows: shown(rows).count() as u32,
        held_back: shown(rows).filter(|r| !r.fitted_on).count() as u32,
        tpot: figure("tpot_ms"),
        ttft: figure("ttft_ms"),
        e2e: figure("e2e_ms"),
    }
}

/// The list of versions with this one, which takes the place of an earlier list of the same version and day.
pub fn with_version(mut all: Vec<OfVersion>, new: OfVersion) -> Vec<OfVersion> {
    all.retain(|of| (&of.version, &of.day) != (&new.version, &new.day));
    all.push(new);
    all
}

/// Links to scenarios, by experiment and stage.
pub type Links = BTreeMap<(String, String), String>;

/// The page: a table of versions, then all rows by engine, model, GPU and parallelism. Links follow the address of the site.
pub fn accuracy_page(rows: &[Row], versions: &[OfVersion], (site, links): (&str, &Links)) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>Accuracy · Tokenyard</title>\n<style>{STYLE}</style></head><body><main>\n<h1>Accuracy</h1>\n"
    );
    out.push_str("<p>Every measured figure beside the simulated one, with the built-in latency model. A row in grey was fitted to; all others are predictions. Rows of engines other than vLLM stand last: only their time per output token is compared, and nothing is fitted to them. Rows over the knee are left out, as their latencies are those of a queue. <em>Settings</em> are those of the client and server, as far as the source says them.</p>\n");
    push_versions(&mut out, versions);
    let mut groups: BTreeMap<(bool, String, String), Vec<&Row>> = BTreeMap::new();
    for row in shown(rows) {
        let name = row.model.rsplit('/').next().unwrap_or(&row.model).to_owned();
        let of = format!("{} × {} · {}", row.tp, row.gpu, row.engine);
        groups.entry((row.is_of_another_engine(), name, of)).or_default().push(row);
    }
    for ((_, model, of), rows) in &groups {
        push_group(&mut out, &format!("{model} · {of}"), rows, (site, links));
    }
    out.push_str("</main></body></html>\n");
    out
}

const STYLE: &str = ":root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}main{max-width:72rem;margin:0 auto;padding:1.5rem}table{border-collapse:collapse;font-variant-numeric:tabular-nums;width:100%}.t{overflow-x:auto}th,td{padding:.15rem .6rem;text-align:right;font-weight:400;white-space:nowrap}th:first-child,td:first-child,.x{text-align:left}thead th{border-bottom:1px solid;font-weight:600}summary{cursor:pointer;padding:.35rem 0}details{border-bottom:1px solid #8884}.fitted{opacity:.6}";

fn percent(share: f64) -> String {
    format!("{:.1}\u{a0}%", share * 100.0)
}

fn push_versions(out: &mut String, versions: &[OfVersion]) {
    out.push_str("<h2>By version</h2>\n<div class=\"t\"><table><thead><tr><th>Version</th><th>Day</th><th>Rows</th><th>Not fitted</th><th>TPOT median</th><th>p90</th><th>TTFT median</th><th>p90</th><th>E2E median</th><th>p90</th></tr></thead><tbody>\n");
    for of in versions.iter().rev() {
        put(
            out,
            format_args!(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
                escaped(&of.version),
                escaped(&of.day),
                of.rows,
                of.held_back
            ),
        );
        for [median, p90] in [of.tpot, of.ttft, of.e2e] {
            put(out, format_args!("<td>{}</td><td>{}</td>", percent(median), percent(p90)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n<h2>By model, GPU and release</h2>\n");
}

fn push_group(out: &mut String, name: &str, rows: &[&Row], (site, links): (&str, &Links)) {
    put(out, format_args!("<details><summary>{}", escaped(name)));
    for (metric, figure) in FIGURES {
        let of = rows.iter().filter(|r| r.metric == metric && !r.fitted_on);
        let errors: Vec<f64> = of.filter_map(|r| r.error).map(f64::abs).collect();
        if !errors.is_empty() {
            put(out, format_args!(" · {figure} {} of {}", percent(median(errors.clone())), errors.len()));
        }
    }
    out.push_str("</summary>\n<div class=\"t\"><table><thead><tr><th>Row</th><th>Stage</th><th>Figure</th><th>Measured ms</th><th>Simulated ms</th><th>Error</th><th class=\"x\">Fitted</th><th class=\"x\">Settings</th><th class=\"x\">Scenario</th></tr></thead><tbody>\n");
    let mut before = None;
    for row in rows {
        let stage = row.stage.as_str().map_or_else(|| row.stage.to_string(), str::to_owned);
        let figure = FIGURES.iter().find(|(metric, _)| *metric == row.metric).map_or("", |(_, name)| *name);
        let error = row.error.map_or_else(String::new, |e| format!("{:+.1}\u{a0}%", e * 100.0));
        let class = if row.fitted_on { " class=\"fitted\"" } else { "" };
        put(
            out,
            format_args!(
                "<tr{class}><td>{}</td><td>{}</td><td>{figure}</td><td>{:.2}</td><td>{:.2}</td><td>{error}</td><td class=\"x\">{}</td><td class=\"x\">{}</td>",
                escaped(&row.id),
                escaped(&stage),
                row.measured,
                row.simulated,
                if row.fitted_on { "yes" } else { "" },
                escaped(&row.settings)
            ),
        );
        // The figures of a stage are of one scenario.
        let of = (row.id.clone(), stage);
        let link = links.get(&of).filter(|_| before.as_ref() != Some(&of));
        before = Some(of);
        match link {
            Some(link) => put(
                out,
                format_args!(
                    "<td class=\"x\"><a href=\"{}{}\">open</a></td></tr>\n",
                    escaped(site),
                    escaped(link)
                ),
            ),
            None => out.push_str("<td class=\"x\"></td></tr>\n"),
        }
    }
    out.push_str("</tbody></table></div></details>\n");
}

#[cfg(test)]
mod tests {
    use super::super::experiment::read;
    use super::*;
    use serde_json::json;

    fn row(id: &str, fitted_on: bool, simulated: f64) -> Row {
        let document = json!({"id": id, "group": "B", "model": "org/m<1>", "gpu": "H100", "measured": [],
            "settings": "unknown", "engine": {"version": "0.15.1"}});
        let e = read(&document.to_string()).expect("an experiment").0.remove(0);
        Row { fitted_on, ..Row::of(&e, 2, (json!("0"), "tpot_ms", "mean"), 10.0, simulated) }
    }

    #[test]
    fn a_version_counts_what_was_not_fitted_and_takes_the_place_of_its_earlier_list() {
        let of = of_version(&[row("a", true, 99.0), row("b", false, 11.0)], "2026-11-30");
        assert_eq!((of.rows, of.held_back, of.tpot, of.ttft), (2, 1, [0.1, 0.1], [0.0, 0.0]));
        let older = OfVersion { version: "0.0.1".to_owned(), ..of.clone() };
        let all = with_version(vec![older.clone(), of.clone()], of.clone());
        assert_eq!(all, [older, of.clone()]);
        let tree = serde_json::to_value(&of).expect("JSON");
        assert_eq!(document::data_from_value(&tree, "a version"), Ok(of));
    }

    #[test]
    fn each_row_is_on_the_page_with_its_settings_and_its_link_and_names_are_escaped() {
        let rows = [row("a", true, 9.0), row("b", false, 11.0)];
        let links = Links::from([(("b".to_owned(), "0".to_owned()), "#p1".to_owned())]);
        let page = accuracy_page(&rows, &[of_version(&rows, "2026-11-30")], ("../", &links));
        assert!(page.contains("m&lt;1&gt; · 2 × H100 · vLLM 0.15.1 · TPOT 10.0\u{a0}% of 1"), "{page}");
        assert!(page.contains("<tr class=\"fitted\"><td>a</td>"), "{page}");
        assert!(
            page.contains("+10.0\u{a0}%") && page.contains("unknown") && page.contains("href=\"../#p1\"")
        );
    }
}
