//! The metrics of a run as OpenMetrics text, read by a strict reader of its own: one family after the other, series that
//! do not interleave, rising time stamps, histograms that add up; and its figures are those of the report.

use crate::support::memory::Memory;
use std::collections::{BTreeMap, BTreeSet};
use tokenyard::base::Micros;
use tokenyard::benchmarks::import::benchmark;
use tokenyard::export::{MOST_VALUES, MetricsOutput, Tables};
use tokenyard::scenario::Scenario;
use tokenyard::scenario::preset::Preset;
use tokenyard::session::{Audience, Session, Stop};

/// A preset without warm-up, at its beginning.
fn begin(name: &str, horizon_s: f64) -> Session {
    let mut scenario: Scenario = Preset::named(name).expect("a preset").scenario();
    (scenario.run.horizon_s, scenario.run.warmup_s) = (horizon_s, 0.0);
    Session::start(scenario, None, Audience::Batch).unwrap_or_else(|p| panic!("{p:?}")).0
}

fn text_of(session: &mut Session, start_s: u64, most: usize) -> (String, Option<u64>) {
    let out = Memory::default();
    let asked = MetricsOutput { start_s, most, out: Box::new(out.clone()) };
    let mut tables = Tables::new(session, Vec::new(), 1).with_metrics(session, asked);
    while tables.advance(session, Micros::MAX, 997).expect("memory takes all") != Stop::Finished {}
    while !tables.write_rest(session, 101).expect("memory takes all") {}
    (out.text(), tables.metrics_step_s())
}

/// One series: its labels in order without `le`, and its samples by suffix of the name and edge.
type Labels = BTreeMap<String, String>;

#[derive(Default)]
struct Family {
    kind: String,
    /// By labels without `le`: for each time stamp in milliseconds the samples, (suffix, edge, value).
    metrics: BTreeMap<Labels, Vec<(u64, Vec<Sample>)>>,
}

type Sample = (String, Option<String>, f64);

fn name_is_sound(name: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_' || c == ':';
    name.starts_with(first) && name.chars().all(|c| first(c) || c.is_ascii_digit())
}

/// Labels of a sample, and the text after them.
fn labels(text: &str) -> (Labels, &str) {
    let mut rest = text.strip_prefix('{').expect("labels");
    let mut found = Labels::new();
    loop {
        let (name, after) = rest.split_once("=\"").expect("a label");
        assert!(name_is_sound(name) && !name.contains(':'), "{text}");
        let mut value = String::new();
        let mut chars = after.char_indices();
        let end = loop {
            match chars.next().expect("a label ends") {
                (i, '"') => break i,
                (_, '\\') => match chars.next().expect("an escape ends").1 {
                    'n' => value.push('\n'),
                    c @ ('\\' | '"') => value.push(c),
                    other => panic!("\\{other} in {text}"),
                },
                (_, c) => value.push(c),
            }
        };
        assert!(found.insert(name.to_owned(), value).is_none(), "a label twice: {text}");
        rest = &after[end + 1..];
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return (found, rest.strip_prefix('}').expect("the labels end")),
        }
    }
}

const SUFFIXES: [(&str, &[&str]); 4] = [
    ("gauge", &[""]),
    ("counter", &["_total"]),
    ("histogram", &["_bucket", "_count", "_sum"]),
    ("info", &["_info"]),
];

/// Reads a text as strictly as the specification is written.
fn read(text: &str) -> BTreeMap<String, Family> {
    assert!(text.ends_with("# EOF\n") && text.matches("# EOF").count() == 1);
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    let mut now = String::new();
    let mut closed: BTreeSet<(String, Labels)> = BTreeSet::new();
    let mut last: Option<Labels> = None;
    let mut told: BTreeSet<String> = BTreeSet::new();
    for line in text.strip_suffix("# EOF\n").expect("the end").lines() {
        assert!(!line.is_empty() && line.trim() == line, "{line:?}");
        if let Some(rest) = line.strip_prefix("# ") {
            let (what, rest) = rest.split_once(' ').expect("a descriptor");
            let (name, words) = rest.split_once(' ').expect("a name");
            assert!(name_is_sound(name), "{line}");
            if name != now {
                assert!(!families.contains_key(name), "{name} is in two places");
                families.insert(name.to_owned(), Family::default());
                name.clone_into(&mut now);
                (last, told) = (None, BTreeSet::new());
            }
            assert!(told.insert(what.to_owned()), "{what} of {name} twice");
            let family = families.get_mut(name).expect("it is there");
            assert!(family.metrics.is_empty(), "{line} after samples");
            match what {
                "TYPE" => {
                    assert!(SUFFIXES.iter().any(|(kind, _)| *kind == words), "{line}");
                    words.clone_into(&mut family.kind);
                }
                "UNIT" => assert!(name.ends_with(&format!("_{words}")), "{line}"),
                "HELP" => assert!(!words.is_empty(), "{line}"),
                other => panic!("{other}"),
            }
            continue;
        }
        let (name, rest) = line.split_at(line.find('{').expect("labels"));
        let (mut labels, rest) = labels(rest);
        let family = families.get_mut(&now).expect("a type before samples");
        let suffix = name.strip_prefix(now.as_str()).unwrap_or_else(|| panic!("{line} of {now}"));
        let allowed = SUFFIXES.iter().find(|(kind, _)| *kind == family.kind).expect("a type").1;
        assert!(allowed.contains(&suffix), "{line}");
        let edge = labels.remove("le");
        assert_eq!(edge.is_some(), suffix == "_bucket", "{line}");
        let parts: Vec<&str> = rest.strip_prefix(' ').expect("a space").split(' ').collect();
        let [value, stamp] = parts.as_slice() else { panic!("a value and a time stamp: {line}") };
        let value: f64 = value.parse().expect("a number");
        assert!(value.is_finite() && value >= 0.0, "{line}");
        let stamp = (stamp.parse::<f64>().expect("seconds") * 1000.0).round() as u64;
        if last.as_ref() != Some(&labels) {
            if let Some(before) = last.replace(labels.clone()) {
                closed.insert((now.clone(), before));
            }
            assert!(!closed.contains(&(now.clone(), labels.clone())), "series interleave at {line}");
        }
        let points = family.metrics.entry(labels).or_default();
        if points.last().is_none_or(|(at, _)| *at != stamp) {
            assert!(points.last().is_none_or(|(at, _)| *at < stamp), "time goes back at {line}");
            points.push((stamp, Vec::new()));
        }
        let point = points.last_mut().expect("just pushed");
        point.1.push((suffix.to_owned(), edge, value));
    }
    families
}

/// Checks the points of a family; each ends with its value, or the count and sum of a histogram.
fn check(name: &str, family: &Family) {
    for points in family.metrics.values() {
        let mut before: Vec<f64> = Vec::new();
        for (_, samples) in points {
            let values: Vec<f64> = samples.iter().map(|(.., value)| *value).collect();
            if family.kind != "gauge" {
                let falls = before.iter().zip(&values).any(|(a, b)| a > b);
                assert!(!falls, "{name} falls: {before:?} {values:?}");
            }
            if family.kind == "histogram" {
                let edges: Vec<f64> = samples
                    .iter()
                    .filter_map(|(_, edge, _)| edge.as_ref())
                    .map(|edge| {
                        assert!(edge == "+Inf" || edge.contains('.'), "{name}: le={edge}");
                        edge.replace("+Inf", "inf").parse().expect("an edge")
                    })
                    .collect();
                assert!(edges.is_sorted_by(|a, b| a < b) && edges.last() == Some(&f64::INFINITY), "{name}");
                let buckets = &values[..edges.len()];
                assert!(buckets.is_sorted(), "{name}: {buckets:?}");
                assert_eq!(samples.len(), edges.len() + 2, "{name}");
                assert_eq!(samples[edges.len()].0, "_count", "{name}");
                assert_eq!(values[edges.len()].to_bits(), buckets[edges.len() - 1].to_bits(), "{name}");
            } else {
                assert_eq!(samples.len(), 1, "{name}");
            }
            before = values;
        }
    }
}

/// The sum over all replicas of the last value of a counter.
fn total(families: &BTreeMap<String, Family>, name: &str, suffix: &str) -> f64 {
    let of = |points: &Vec<(u64, Vec<Sample>)>| {
        let (_, samples) = points.last().expect("a sample");
        samples.iter().find(|(s, ..)| s == suffix).expect("the sample").2
    };
    families[name].metrics.values().map(of).sum()
}

#[test]
fn the_text_is_valid_and_its_totals_are_those_of_the_report() {
    for name in ["chat-4xh100", "kv-pressure"] {
        let mut session = begin(name, 70.0);
        let (text, step) = text_of(&mut session, 0, MOST_VALUES);
        assert_eq!(step, None);
        let families = read(&text);
        for (name, family) in &families {
            check(name, family);
        }
        let stamps: BTreeSet<u64> =
            families["vllm:num_requests_running"].metrics.values().flatten().map(|(at, _)| *at).collect();
        assert_eq!(stamps.into_iter().collect::<Vec<_>>(), [0, 15_000, 30_000, 45_000, 60_000, 70_000]);
        let report = session.report_data();
        let same = |found: f64, wanted: f64| {
            assert!(
                (found - wanted).abs() <= 1e-6 * wanted.abs().max(1.0),
                "{name}: {found} is not {wanted}"
            );
        };
        let all = |name: &str, suffix: &str| total(&families, name, suffix);
        same(all("vllm:e2e_request_latency_seconds", "_count"), f64::from(report.requests.completed));
        same(all("vllm:num_preemptions", "_total"), report.requests.preemptions as f64);
        let ttft = "vllm:time_to_first_token_seconds";
        let firsts: Vec<u64> =
            session.engine().records().iter().filter_map(|r| r.ttft.get()).map(|span| span.0).collect();
        same(all(ttft, "_count"), firsts.len() as f64);
        same(all(ttft, "_sum"), firsts.iter().sum::<u64>() as f64 / 1e6);
        same(
            all("vllm:generation_tokens", "_total"),
            all(ttft, "_count") + all("vllm:inter_token_latency_seconds", "_count"),
        );
    }
}

#[test]
fn what_is_written_is_read_back_as_metrics_of_the_same_run() {
    let mut session = begin("chat-4xh100", 40.0);
    let (text, _) = text_of(&mut session, 1_700_000_000, MOST_VALUES);
    assert!(text.contains(" 1700000015\n"));
    let (runs, warnings) = benchmark::read(&text).expect("it is a page of metrics");
    assert!(warnings.is_empty() && runs.len() == 1);
    let b = &runs[0];
    assert_eq!(b.model, "llama-3.1-8b");
    let completed: Vec<f64> = session
        .engine()
        .records()
        .iter()
        .filter_map(|r| r.e2e.get())
        .map(|span| span.0 as f64 / 1e3)
        .collect();
    assert_eq!(b.load.requests, Some(completed.len() as u32));
    let mean = completed.iter().sum::<f64>() / completed.len() as f64;
    let e2e = b.figures.iter().find(|f| f.metric == "e2e_ms" && f.stat == "mean").expect("E2E");
    assert!((e2e.low - mean).abs() < 1e-3, "{} is not {mean}", e2e.low);
    assert_eq!(b.engine.blocks, Some(session.engine().kv_blocks(0)));
}

#[test]
fn a_long_run_has_fewer_samples_and_ends_with_the_same_values() {
    let whole = text_of(&mut begin("kv-pressure", 200.0), 0, MOST_VALUES).0;
    let (thin, step) = text_of(&mut begin("kv-pressure", 200.0), 0, 2_000);
    assert!(step.is_some_and(|step| step > 15), "{step:?}");
    let [whole, thin] = [whole, thin].map(|text| read(&text));
    for (name, family) in &thin {
        check(name, family);
        for (labels, points) in &family.metrics {
            let full = &whole[name].metrics[labels];
            assert!(points.len() < full.len(), "{name}");
            assert_eq!(points.last(), full.last(), "{name}");
        }
    }
}
