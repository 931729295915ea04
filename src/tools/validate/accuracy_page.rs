//! The accuracy of the simulation in public, as a page: every row that was measured beside what is simulated.
//!
//! The rows are plain HTML. The texts of their links, which have most in common, are one compressed list, from which a script makes the link
//! of the row that the reader opens. Its columns are those that some row of a group has, and settings stand once for all rows with them.

use super::accuracy::{FIGURES, OfVersion, shown};
use super::compare::{Row, median};
use super::pool::gpu_name;
use base::html_text::{escaped, put};
use base::number_text::count;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use document::link::packed_text;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::collections::BTreeMap;
use std::io::Write;

/// Packed links to scenarios, by experiment and stage.
pub type Links = BTreeMap<(String, String), String>;

/// A stage of an experiment: measured and simulated milliseconds and the error, by figure.
struct Line<'a> {
    id: &'a str,
    stage: String,
    settings: &'a str,
    fitted: bool,
    figures: [Option<(f64, f64, Option<f64>)>; 3],
}

const STYLE: &str = include_str!("accuracy.css");
const SCRIPT: &str = include_str!("accuracy.js");
/// Nothing is loaded, and nothing of the page runs but its own script.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const ABOUT: &str = "Every measured figure beside the simulated one, with the built-in latency model: means in milliseconds, and the error of the simulated one. A row in grey, with <em>yes</em> at its end, was fitted to; all others are predictions. Engines other than vLLM, of which only the time per output token is compared, and prefill and decode on different replicas stand last; nothing is fitted to them, and the medians by version do not count them. Rows over the knee are left out, as their latencies are those of a queue. Settings are those of the client and server, as far as the source says them.";

/// The page: a table of versions, then all rows by engine, model, GPU and parallelism. Links follow the address of the site.
pub fn accuracy_page(rows: &[Row], versions: &[OfVersion], (site, links): (&str, &Links)) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Accuracy · Tokenyard</title>\n<style>{STYLE}</style></head><body><main>\n<h1>Accuracy of <a href=\"{}\">Tokenyard</a></h1>\n<p>{ABOUT}</p>\n<noscript><p>With JavaScript each row has a button that opens it as a scenario.</p></noscript>\n",
        escaped(site)
    );
    push_versions(&mut out, versions);
    let mut groups: BTreeMap<(bool, String, String), Vec<&Row>> = BTreeMap::new();
    for row in shown(rows) {
        let name = row.model.rsplit('/').next().unwrap_or(&row.model).to_owned();
        let of = format!("{} × {} · {}", row.tp, gpu_name(&row.gpu), row.engine);
        groups.entry((row.is_apart(), name, of)).or_default().push(row);
    }
    let mut scenarios = Vec::new();
    for ((_, model, of), rows) in &groups {
        push_group(&mut out, &format!("{model} · {of}"), rows, (links, &mut scenarios));
    }
    put(
        &mut out,
        format_args!(
            "<script type=\"application/octet-stream;base64\" id=\"scenarios\" data-site=\"{}\">{}</script>\n<script>\n{SCRIPT}</script>\n</main></body></html>\n",
            escaped(site),
            blob(&scenarios)
        ),
    );
    out
}

/// A list of texts as JSON, deflated, in base64.
fn blob(texts: &[String]) -> String {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(base::json::compact(texts).as_bytes()).expect("memory takes all");
    STANDARD.encode(encoder.finish().expect("memory takes all"))
}

fn percent(share: f64) -> String {
    format!("{:.1}\u{a0}%", share * 100.0)
}

fn push_versions(out: &mut String, versions: &[OfVersion]) {
    out.push_str("<h2>By version</h2>\n<div class=\"t\"><table><thead><tr><th class=\"l\">Version</th><th class=\"l\">Day</th><th>Rows</th><th>Not fitted</th><th>TPOT median</th><th>p90</th><th>TTFT median</th><th>p90</th><th>E2E median</th><th>p90</th></tr></thead><tbody>\n");
    for of in versions.iter().rev() {
        put(
            out,
            format_args!(
                "<tr><td>{}<td>{}<td>{}<td>{}",
                escaped(&of.version),
                escaped(&of.day),
                count(u64::from(of.rows)),
                count(u64::from(of.held_back))
            ),
        );
        for [median, p90] in [of.tpot, of.ttft, of.e2e] {
            put(out, format_args!("<td>{}<td>{}", percent(median), percent(p90)));
        }
        out.push('\n');
    }
    out.push_str("</tbody></table></div>\n<h2>By model, GPU and release</h2>\n");
}

/// The rows of a group by experiment and stage. Those with equal settings stand together, else as they came.
fn lines<'a>(rows: &[&'a Row]) -> Vec<Line<'a>> {
    let mut all: Vec<Line<'a>> = Vec::new();
    let mut places: BTreeMap<(&str, String), usize> = BTreeMap::new();
    for row in rows {
        let stage = row.stage.as_str().map_or_else(|| row.stage.to_string(), str::to_owned);
        let place = *places.entry((row.id.as_str(), stage.clone())).or_insert(all.len());
        if place == all.len() {
            let settings = row.settings.as_str();
            all.push(Line { id: row.id.as_str(), stage, settings, fitted: false, figures: [None; 3] });
        }
        all[place].fitted |= row.fitted_on;
        if let Some(figure) = FIGURES.iter().position(|(metric, _)| *metric == row.metric) {
            all[place].figures[figure] = Some((row.measured, row.simulated, row.error));
        }
    }
    all.sort_by(|a, b| a.settings.cmp(b.settings));
    all
}

/// Milliseconds with about three digits.
fn ms(x: f64) -> String {
    match x {
        x if x >= 999.5 => count(x.round() as u64),
        x if x >= 99.95 => format!("{x:.0}"),
        x if x >= 9.995 => format!("{x:.1}"),
        x => format!("{x:.2}"),
    }
}

/// A group of rows. The texts of their links follow those of earlier groups; a row without one has the class `n`.
fn push_group(out: &mut String, name: &str, rows: &[&Row], (links, texts): (&Links, &mut Vec<String>)) {
    put(out, format_args!("<details class=\"g\"><summary>{}", escaped(name)));
    for (metric, figure) in FIGURES {
        let of = rows.iter().filter(|r| r.metric == metric && !r.fitted_on);
        let errors: Vec<f64> = of.filter_map(|r| r.error).map(f64::abs).collect();
        if !errors.is_empty() {
            put(out, format_args!(" · {figure} {} of {}", percent(median(errors.clone())), errors.len()));
        }
    }
    if rows.iter().all(|r| r.fitted_on) {
        out.push_str(" · all fitted");
    }
    let lines = lines(rows);
    let has: Vec<usize> = (0..3).filter(|i| lines.iter().any(|line| line.figures[*i].is_some())).collect();
    let fitted = lines.iter().any(|line| line.fitted);
    push_head(out, &has, if fitted { "<th rowspan=2>Fitted" } else { "" });
    let mut before: Option<&Line<'_>> = None;
    for line in &lines {
        if before.map_or("", |b| b.settings) != line.settings {
            let columns = 2 + 3 * has.len() + usize::from(fitted);
            put(
                out,
                format_args!("<tr class=s><th colspan={columns}>Settings: {}\n", escaped(line.settings)),
            );
        }
        let link = links.get(&(line.id.to_owned(), line.stage.clone()));
        let text = link.and_then(|link| packed_text(link));
        let class = match (line.fitted, text.is_some()) {
            (false, true) => "",
            (true, true) => " class=f",
            (false, false) => " class=n",
            (true, false) => " class=\"f n\"",
        };
        texts.extend(text);
        let id = if before.is_some_and(|b| b.id == line.id) { "" } else { line.id };
        put(out, format_args!("<tr{class}><td>{}<td>{}", escaped(id), escaped(&line.stage)));
        for figure in &has {
            match line.figures[*figure] {
                Some((measured, simulated, error)) => {
                    let error = error.map_or_else(String::new, |e| format!("{:+.1}", e * 100.0));
                    put(out, format_args!("<td>{}<td>{}<td>{error}", ms(measured), ms(simulated)));
                }
                None => out.push_str("<td><td><td>"),
            }
        }
        out.push_str(match (fitted, line.fitted) {
            (true, true) => "<td>yes\n",
            (true, false) => "<td>\n",
            (false, _) => "\n",
        });
        before = Some(line);
    }
    out.push_str("</tbody></table></div></details>\n");
}

/// The heads of the columns, for the figures that some row has; `last` is that of a further one.
fn push_head(out: &mut String, has: &[usize], last: &str) {
    out.push_str(
        "</summary>\n<div class=\"t\"><table><thead><tr><th rowspan=2 class=l>Row<th rowspan=2 class=l>Stage",
    );
    for figure in has {
        put(out, format_args!("<th colspan=3>{}, ms", FIGURES[*figure].1));
    }
    out.extend([last, "<tr>"]);
    for _ in has {
        out.push_str("<th>measured<th>simulated<th>error, %");
    }
    out.push_str("<tbody>\n");
}

#[cfg(test)]
mod tests {
    use super::super::experiment::{Experiment, read};
    use super::super::stage_links;
    use super::*;
    use serde_json::json;
    use std::io::Read;

    fn experiment(id: &str, settings: &str) -> Experiment {
        let measured = |users: u32| json!({"stage": users.to_string(), "concurrency": users, "n": 8});
        let document = json!({"id": id, "group": "B", "model": "Qwen/Qwen3-14B", "gpu": "H100", "tp": 1,
            "settings": settings, "engine": {"version": "0.15.1"}, "measured": [measured(2), measured(4)],
            "workload": {"loop": "closed", "input_tokens": 100, "output_tokens": 20}});
        read(&document.to_string()).expect("an experiment").0.remove(0)
    }

    /// TPOT and TTFT of both stages, fitted in the first.
    fn rows(e: &Experiment) -> Vec<Row> {
        let row = |stage: &str, metric: &str, simulated: f64| Row {
            fitted_on: stage == "2",
            ..Row::of(e, 1, (json!(stage), metric, "mean"), 10.0, simulated)
        };
        vec![
            row("2", "tpot_ms", 9.0),
            row("2", "ttft_ms", 10.0),
            row("4", "tpot_ms", 11.0),
            row("4", "ttft_ms", 1200.0),
        ]
    }

    fn links_of(all: &[Experiment]) -> Links {
        let of = |e: &Experiment| {
            let links = stage_links(e, &|_| Err("no file".to_owned()));
            links.into_iter().map(|(stage, link)| ((e.id.clone(), stage), link)).collect::<Vec<_>>()
        };
        all.iter().flat_map(of).collect()
    }

    /// The texts of the blob of a page.
    fn unpacked(page: &str) -> Vec<String> {
        let (_, behind) = page.split_once("id=\"scenarios\"").expect("a blob");
        let (letters, _) = behind.split_once('>').expect("its start").1.split_once('<').expect("its end");
        let bytes = STANDARD.decode(letters).expect("base64");
        let mut text = String::new();
        flate2::read::DeflateDecoder::new(&bytes[..]).read_to_string(&mut text).expect("deflated text");
        serde_json::from_str(&text).expect("a list of texts")
    }

    #[test]
    fn a_stage_is_one_row_with_the_figures_that_its_group_has_and_settings_stand_once() {
        let e = experiment("x<1>", "budget 8192");
        let page = accuracy_page(&rows(&e), &[], ("./", &links_of(std::slice::from_ref(&e))));
        assert!(page.contains("Qwen3-14B · 1 × H100 · vLLM 0.15.1 · TPOT 10.0\u{a0}% of 1"), "{page}");
        assert!(
            page.contains(
                "<tr class=f><td>x&lt;1&gt;<td>2<td>10.0<td>9.00<td>-10.0<td>10.0<td>10.0<td>+0.0<td>yes\n"
            ),
            "{page}"
        );
        assert!(
            page.contains("<tr><td><td>4<td>10.0<td>11.0<td>+10.0<td>10.0<td>1,200<td>+11900.0<td>\n"),
            "{page}"
        );
        assert_eq!(page.matches("Settings: budget 8192").count(), 1);
        assert_eq!((page.matches("TPOT, ms").count(), page.matches("E2E, ms").count()), (1, 0));
    }

    #[test]
    fn the_blob_has_a_text_for_each_row_with_a_link_which_is_that_of_its_link() {
        let all = [experiment("b", "unknown"), experiment("a", "budget 8192")];
        let mut links = links_of(&all);
        assert_eq!(links.len(), 4);
        links.remove(&("b".to_owned(), "2".to_owned()));
        let rows: Vec<Row> = all.iter().flat_map(rows).collect();
        let page = accuracy_page(&rows, &[], ("./", &links));
        let texts = unpacked(&page);
        assert_eq!((texts.len(), page.matches("<tr class=\"f n\">").count()), (3, 1));
        // Settings order the rows: both of a, then the second of b.
        for (text, (id, stage)) in texts.iter().zip([("a", "2"), ("a", "4"), ("b", "4")]) {
            let link = &links[&(id.to_owned(), stage.to_owned())];
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text.as_bytes()).expect("memory takes all");
            let bytes = encoder.finish().expect("memory takes all");
            let letters = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes);
            let opened = document::link::open(&format!("#v1.{letters}"), &|_| Vec::new());
            assert_eq!(opened.problems, []);
            assert_eq!(opened, document::link::open(link, &|_| Vec::new()), "{id} {stage}");
        }
        assert_eq!(page, accuracy_page(&rows, &[], ("./", &links)));
    }
}
