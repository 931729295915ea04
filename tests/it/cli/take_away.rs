//! What a user takes away of a run: a trace, a page, an explanation as Markdown, the gaps between tokens.

use crate::support::command::{TempFile, printed, refused, run, stderr, stdout};
use crate::support::rows::{lines, whole};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs;
use std::io::Read as _;

const SHORT: [&str; 6] =
    ["kv-pressure", "--set", "run.horizon_s=30", "--set", "run.warmup_s=5", "--allow-guess"];

fn with<'a>(command: &'a str, args: &[&'a str]) -> Vec<&'a str> {
    [&[command], &SHORT[..], args].concat()
}

#[test]
fn a_trace_is_compressed_if_its_name_says_so_and_changes_no_result() {
    let files = ["t.json", "t.json.gz"].map(|name| TempFile::new(name, b""));
    let [plain, packed] = files.each_ref().map(TempFile::path);
    let reports = [plain, packed].map(|path| printed(&with("run", &["--json", "--perfetto", path])));
    assert_eq!(reports, [(); 2].map(|()| printed(&with("run", &["--json"]))));
    let text = fs::read_to_string(plain).expect("it was written");
    let mut unpacked = String::new();
    let bytes = fs::read(packed).expect("it was written");
    GzDecoder::new(&bytes[..]).read_to_string(&mut unpacked).expect("it is whole");
    assert!(unpacked == text && text.starts_with("{\"displayTimeUnit\":\"ms\""));
    assert!(bytes.len() * 4 < text.len(), "{} of {}", bytes.len(), text.len());
    let part = TempFile::new("p.json", b"");
    printed(&with("run", &["--perfetto", part.path(), "--perfetto-span", "10-12.5"]));
    let part = fs::read_to_string(part.path()).expect("it was written");
    assert!(part.len() * 3 < text.len(), "{} of {}", part.len(), text.len());
}

#[test]
fn a_span_that_is_none_and_a_file_that_is_read_are_refused() {
    for span in ["12", "5-5", "9-3", "a-b", "-1-4"] {
        let span = format!("--perfetto-span={span}");
        let out = run(&with("run", &["--perfetto", "t.json", &span]));
        assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(2), ""), "{span}");
        assert!(stderr(&out).contains("--perfetto-span: error: "), "{}", stderr(&out));
    }
    assert_eq!(run(&with("run", &["--perfetto-span", "1-2"])).status.code(), Some(2), "a span of nothing");
    let scenario = TempFile::new("s.json", r#"{ "run": { "horizon_s": 1, "warmup_s": 0 } }"#);
    for option in ["--perfetto", "--html", "--openmetrics"] {
        let out = refused(&["run", scenario.path(), option, scenario.path()]);
        let told = format!("{option}: error: {}; allowed: a file that is not read", scenario.path());
        assert!(out.contains(&told), "{out}");
        let out = run(&with("run", &[option, "/no-such-folder/file"]));
        assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(3), ""), "{}", stderr(&out));
    }
}

/// Checks that tags close in order, and gives the text between them.
fn text_of(html: &str) -> String {
    const VOID: [&str; 2] = ["meta", "!doctype"];
    let (mut open, mut text, mut rest) = (Vec::new(), String::new(), html);
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        let end = rest[at..].find('>').expect("a tag ends") + at;
        let tag = &rest[at + 1..end];
        let name = tag.split([' ', '/']).find(|part| !part.is_empty()).expect("a name").to_owned();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{tag} after {text}");
        } else if !tag.ends_with('/') && !VOID.contains(&name.as_str()) {
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?} stay open");
    text
}

#[test]
fn a_page_needs_nothing_else_and_has_the_figures_of_the_report() {
    let scenario = TempFile::new(
        "page.json",
        r#"{
            "title": "<img src=x onerror=alert(1)>", "note": "A \"note\" & <b>more</b>",
            "run": { "horizon_s": 20, "warmup_s": 2 },
            "cluster": { "pools": [{ "name": "<i>", "replicas": 2 }], "admission": { "rate-limit": { "requests_per_s": 3, "burst": 2 } } },
            "workload": { "clients": [{ "name": "a", "tenant": "</td><script>", "arrivals": { "poisson": { "rate_per_s": 6 } } }] }
        }"#,
    );
    let page = TempFile::new("run.html", b"");
    let json = printed(&["run", "--json", scenario.path(), "--html", page.path()]);
    let report: Value = serde_json::from_str(&json).expect("a report is JSON");
    let html = fs::read_to_string(page.path()).expect("it was written");
    let text = text_of(&html);
    for banned in
        ["<script", "<img", "<b>", "<i>", "javascript:", "<link", "src=\"", " onload", "@import", "url("]
    {
        assert!(!html.contains(banned), "{banned}");
    }
    let digest = printed(&["digest", scenario.path()]);
    assert!(text.contains(digest.trim()), "no digest");
    assert!(text.contains("&lt;img src=x onerror=alert(1)&gt;") && text.contains("&lt;b&gt;more"), "{text}");
    let refused = report["rejections"][0]["requests"].as_u64().expect("some were refused");
    assert!(html.contains(&format!("<td>{refused}</td>")), "{refused}");
    let share = report["fairness"]["replicas_cov"].as_f64().expect("a number");
    assert!(share >= 0.0 && text.contains("Variation of load, replicas"), "{text}");
    for chart in ["TTFT, ms", "E2E, ms", "Queue depth, requests", "KV blocks in use, %"] {
        assert!(text.contains(chart), "{chart}");
    }
    assert!(!text.contains("Replicas, replicas"), "nothing scales");
    assert!(text.contains("horizon_s: 20") && html.contains("prefers-color-scheme:dark"));
    let again = TempFile::new("again.html", b"");
    printed(&["run", scenario.path(), "--html", again.path()]);
    assert!(fs::read_to_string(again.path()).expect("it was written") == html, "other bytes");
}

#[test]
fn an_explanation_as_markdown_has_the_sentences_and_the_causes_of_the_json() {
    let markdown = printed(&with("explain", &["--markdown"]));
    let json: Value = serde_json::from_str(&printed(&with("explain", &["--json"]))).expect("JSON");
    assert!(
        markdown.starts_with("# A KV cache that is too small: where the E2E of the slow requests went\n\n")
    );
    for sentence in json["sentences"].as_array().expect("a list") {
        let text = sentence["text"].as_str().expect("a text");
        assert!(markdown.contains(text), "{text}\nis not in\n{markdown}");
    }
    let causes = json["causes"].as_array().expect("a list");
    let some: Vec<&Value> = causes
        .iter()
        .filter(|c| c["slow_ms"].as_f64() > Some(0.0) || c["fast_ms"].as_f64() > Some(0.0))
        .collect();
    let rows = markdown.lines().filter(|line| line.starts_with("| ")).count();
    assert_eq!(rows, some.len() + 2, "head, causes and sum in\n{markdown}");
    for cause in some {
        let name = cause["name"].as_str().expect("a name");
        assert!(markdown.contains(&format!("| {name} | ")), "{name}");
    }
    assert_eq!(run(&with("explain", &["--markdown", "--json"])).status.code(), Some(2));
}

#[test]
fn gaps_between_tokens_add_up_to_the_time_after_the_first_one() {
    let files = ["r.jsonl", "r.csv"].map(|name| TempFile::new(name, b""));
    let [json, csv] = files.each_ref().map(TempFile::path);
    for path in [json, csv] {
        printed(&with("run", &["--set", "run.horizon_s=45", "--requests", path, "--itl"]));
    }
    let rows = lines(&fs::read_to_string(json).expect("it was written"));
    let gaps = |row: &serde_json::Map<String, Value>| -> Vec<u64> {
        row["itl_us"].as_array().expect("a list").iter().map(|gap| gap.as_u64().expect("a number")).collect()
    };
    let completed: Vec<_> = rows.iter().filter(|row| row["state"] == "completed").collect();
    assert!(completed.len() > 50 && completed.iter().any(|row| whole(row, "preemptions") > Some(0)));
    for row in completed {
        let (tokens, gaps) = (whole(row, "output_tokens").expect("a number"), gaps(row));
        assert_eq!(gaps.len() as u64, tokens - 1, "{row:?}");
        let rest = whole(row, "e2e_us").expect("a time") - whole(row, "ttft_us").expect("a time");
        // Output processing of a token is not part of the next step.
        assert_eq!(gaps.iter().sum::<u64>(), rest, "{row:?}");
    }
    let text = fs::read_to_string(csv).expect("it was written");
    let mut read = csv::Reader::from_reader(text.as_bytes());
    let at = read.headers().expect("heads").iter().position(|name| name == "itl_us").expect("a column");
    for (line, row) in read.records().zip(&rows) {
        let cell = line.expect("a line")[at].to_owned();
        let told: Vec<u64> = cell.split(';').filter_map(|gap| gap.parse().ok()).collect();
        assert_eq!(told, gaps(row));
    }
    let without = TempFile::new("w.csv", b"");
    printed(&with("run", &["--requests", without.path()]));
    assert!(!fs::read_to_string(without.path()).expect("it was written").contains("itl_us"));
    assert_eq!(run(&with("run", &["--itl"])).status.code(), Some(2), "there is no file for them");
}

#[test]
fn the_summary_has_what_was_in_the_report_alone() {
    let scenario = TempFile::new(
        "refusing.json",
        r#"{ "run": { "horizon_s": 20, "warmup_s": 2 },
             "cluster": { "pools": [{ "replicas": 2, "kv": { "blocks": 150 } }], "admission": { "rate-limit": { "requests_per_s": 4, "burst": 2 } } },
             "workload": { "clients": [{ "name": "a", "arrivals": { "poisson": { "rate_per_s": 6 } },
                 "output_tokens": { "constant": { "tokens": 700 } }, "prefix": { "groups": 3, "tokens": 400 } }] } }"#,
    );
    let (summary, report) =
        (printed(&["run", scenario.path()]), printed(&["run", "--json", scenario.path()]));
    let report: Value = serde_json::from_str(&report).expect("a report is JSON");
    let of = |path: &str, factor: f64, decimals: usize| {
        let figure = report.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {path}"));
        format!("{:.decimals$}", figure * factor)
    };
    let figure = |path: &str| report.pointer(path).and_then(Value::as_u64).filter(|n| *n > 0).expect("some");
    let some = |kinds: &serde_json::Map<String, Value>| -> Vec<String> {
        let some = kinds.iter().filter(|(_, n)| n.as_u64() > Some(0));
        some.map(|(kind, n)| format!("{n} {}", kind.replace('-', " "))).collect()
    };
    let anomalies = some(report["anomalies"]["counts"].as_object().expect("counts"));
    let anomalies = if anomalies.is_empty() { "none".to_owned() } else { anomalies.join(", ") };
    for line in [
        format!("refused      {} rate limit", report["rejections"][0]["requests"]),
        format!(
            "preemptions  {}, {} per finished request",
            figure("/requests/preemptions"),
            of("/requests/preemption_rate", 1.0, 3)
        ),
        format!(
            "cache hits   {} % of prompt blocks, {} % of prompt tokens, {} % of requests",
            of("/kv/hit_rate", 100.0, 2),
            of("/kv/reused_prompt_share", 100.0, 2),
            of("/kv/request_hit_rate", 100.0, 2)
        ),
        format!(
            "GPU time     {} busy GPU-seconds per finished request",
            of("/cost/gpu_busy_seconds_per_request", 1.0, 4)
        ),
        format!(
            "variation    {} of output tokens over tenants, {} of finished requests over replicas",
            of("/fairness/tenants_cov", 1.0, 3),
            of("/fairness/replicas_cov", 1.0, 3)
        ),
        format!("anomalies    {anomalies}"),
    ] {
        assert!(summary.lines().any(|told| told == line), "{line}\nis not in\n{summary}");
    }
    let cost = of("/cost/usd_per_1k_tokens", 1.0, 5);
    assert!(summary.contains(&format!(", {cost} per 1,000 tokens of both kinds\n")), "{summary}");
}

#[test]
fn a_page_of_a_run_in_which_something_broke_says_what() {
    let scenario = TempFile::new(
        "broken.json",
        r#"{
            "run": { "horizon_s": 40 },
            "cluster": { "pools": [{ "replicas": 2 }] },
            "workload": { "clients": [{ "arrivals": { "poisson": { "rate_per_s": 6 } } }] },
            "edits": [{ "at_us": 15000000, "fault": { "crash": { "replica": 1, "restart_s": 10 } } }]
        }"#,
    );
    let page = TempFile::new("broken.html", b"");
    printed(&["run", "--json", scenario.path(), "--html", page.path()]);
    let text = text_of(&fs::read_to_string(page.path()).expect("it was written"));
    for part in
        ["Replicas, replicas", "Goodput, last 10 s", "Attempts of a request", "Faults", "goodput back after"]
    {
        assert!(text.contains(part), "{part}");
    }
    assert!(text.contains("crash") && text.contains("25.000 s"), "{text}");
}
