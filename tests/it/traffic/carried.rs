//! Traces that travel inside a scenario, and traces that a scenario names by their digest.

use crate::support::command::{TempFile, printed, printed_json, refused, run, stderr, stdout};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use tokenyard::base::Micros;
use tokenyard::scenario::link::{Link, make};
use tokenyard::scenario::{TraceSettings, from_value, limits, to_json};
use tokenyard::session::{Audience, Session, Stop, TraceReader};
use tokenyard::workload::trace::{carried, carry};

const ROWS: &str = "workload.trace.rows";

/// `n` requests a second apart, as Azure writes them.
fn azure(n: u32) -> String {
    let mut text = "TIMESTAMP,ContextTokens,GeneratedTokens\n".to_owned();
    for i in 0..n {
        let (minute, second) = (i / 60, i % 60);
        writeln!(text, "2023-11-16 18:{minute:02}:{second:02}.0000000,{},{}", 100 + i, 20 + i)
            .expect("a String takes any text");
    }
    text
}

fn digest(text: &str) -> String {
    let mut reader = TraceReader::new("a.csv", 1 << 20);
    reader.push(text.as_bytes());
    reader.finish().0.expect("a good trace").digest().hex()
}

fn document(trace: &Value) -> Value {
    json!({ "run": { "horizon_s": 0, "warmup_s": 0 }, "workload": { "trace": trace } })
}

fn carrying(rows: &str) -> TraceSettings {
    TraceSettings { file: "a.csv".to_owned(), rows: rows.to_owned(), ..TraceSettings::default() }
}

#[test]
fn a_scenario_with_a_carried_trace_runs_as_it_does_with_the_file() {
    let text = azure(20);
    let mut reader = TraceReader::new("a.csv", 1 << 20);
    reader.push(text.as_bytes());
    let file = reader.finish().0;
    let rows = carry(text.as_bytes()).expect("a short trace");
    let done = |trace: &Value, file| {
        let scenario = from_value(document(trace)).expect("a scenario");
        let (mut session, warnings) = Session::start(scenario, file, Audience::Batch).expect("a run");
        assert_eq!(warnings, []);
        assert_eq!(session.advance(Micros::MAX, 1_000_000), Stop::Finished);
        let arrivals: Vec<u64> = session.engine().records().iter().map(|r| r.arrival.0).collect();
        (arrivals, session.trace().map(|t| t.digest().hex()), session.p99s_ms())
    };
    let with_file = done(&json!({ "file": "a.csv" }), file);
    assert_eq!(done(&json!({ "file": "a.csv", "rows": rows }), None), with_file);
    assert_eq!(with_file.0.len(), 20);
    // A text over several lines is as good, and so is one without padding.
    let folded: String = rows
        .chars()
        .enumerate()
        .flat_map(|(i, c)| [Some('\n').filter(|_| i % 60 == 0), Some(c)])
        .flatten()
        .collect();
    assert_eq!(done(&json!({ "file": "a.csv", "rows": folded.trim_end_matches('=') }), None), with_file);
}

#[test]
fn damaged_rows_are_one_problem_at_their_path() {
    let rows = carry(azure(50).as_bytes()).expect("a short trace");
    let half = &rows[..rows.len() / 2 / 4 * 4];
    let mut flipped = rows.clone().into_bytes();
    let middle = flipped.len() / 2;
    flipped[middle] = if flipped[middle] == b'A' { b'B' } else { b'A' };
    let flipped = String::from_utf8(flipped).expect("letters");
    let other = carry(b"{\"a\": 1}\n").expect("short");
    let cases = [
        ("!!!!", "no base64"),
        ("QUJDRA==", "no whole gzip file"),
        (half, "no whole gzip file"),
        (&flipped, "no whole gzip file"),
        (&other, "rows that are not a trace"),
    ];
    for (bad, found) in cases {
        let problems = Session::check(&document(&json!({ "file": "a.csv", "rows": bad })).to_string());
        let [problem] = &problems[..] else { panic!("{problems:?}") };
        assert_eq!(problem.path, ROWS);
        assert!(problem.found.contains(found) && !problem.fix.is_empty(), "{problem}");
    }
}

#[test]
fn a_carried_trace_has_limits_packed_and_unpacked() {
    // 4,000 lines that nothing can compress below the limit: digits of a linear congruence.
    let mut text = "TIMESTAMP,ContextTokens,GeneratedTokens\n".to_owned();
    let mut x = 1_u64;
    for i in 0..24_000_u64 {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let (hour, minute, second) = (i / 3600, i / 60 % 60, i % 60);
        writeln!(
            text,
            "2023-11-16 {hour:02}:{minute:02}:{second:02}.{:07},{},{}",
            x >> 41,
            x % 9973 + 1,
            x % 997 + 1
        )
        .expect("a String takes any text");
    }
    let problem = carry(text.as_bytes()).expect_err("too long when compressed");
    assert!(problem.found.contains("compressed") && problem.allowed.contains("65,536"), "{problem}");
    assert!(problem.fix.contains("workload.trace.digest"), "{problem}");
    let long = vec![b'\n'; limits::CARRIED_TRACE_TEXT_BYTES + 1];
    assert!(carry(&long).expect_err("too long").allowed.contains("8,388,608"));
    // Data that unpacks to more than the limit ends there.
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut bomb, &long).expect("a Vec takes any bytes");
    let bomb = base64::Engine::encode(
        &base64::engine::general_purpose::STANDARD,
        bomb.finish().expect("a Vec takes any bytes"),
    );
    let problem = carried(&carrying(&bomb)).expect_err("too long");
    assert!(problem.path == ROWS && problem.found.contains("unpacked"), "{problem}");
    let most = "A".repeat(limits::CARRIED_TRACE_BYTES.div_ceil(3) * 4 + 4);
    assert!(carried(&carrying(&most)).expect_err("too long").found.contains("compressed"));
    let [problem] = &Session::check(&document(&json!({ "rows": "A".repeat(200_000) })).to_string())[..]
    else {
        panic!("one problem")
    };
    assert_eq!((problem.path.as_str(), problem.found.as_str()), (ROWS, "200,000 letters"));
}

#[test]
fn a_link_carries_the_trace_with_the_scenario_and_asks_for_no_file() {
    let text = azure(40);
    let rows = carry(text.as_bytes()).expect("a short trace");
    let scenario = from_value(document(&json!({ "file": "a.csv", "rows": rows }))).expect("a scenario");
    let mut reader = TraceReader::new("a.csv", 1 << 20);
    reader.push(text.as_bytes());
    let trace = reader.finish().0.expect("a trace");
    let mark = tokenyard::session::trace_mark(&scenario, &trace);
    let made =
        make(&Link { scenario: scenario.clone(), trace: Some(mark), ..Link::default() }).expect("a link");
    let opened = Session::open_link(&made.link, Audience::Live);
    assert_eq!(opened.problems, []);
    assert_eq!((opened.link.trace, opened.link.scenario), (None, scenario));
}

#[test]
fn a_trace_named_by_its_digest_is_checked_and_both_digests_are_said() {
    let (right, wrong) = (TempFile::new("right.csv", azure(5)), TempFile::new("wrong.csv", azure(6)));
    let (want, other) = (digest(&azure(5)), digest(&azure(6)));
    let scenario = document(&json!({ "file": "right.csv", "digest": want.to_uppercase() })).to_string();
    let scenario = TempFile::new("s.json", scenario);
    printed(&["run", scenario.path(), "--trace", right.path()]);
    for command in ["run", "link"] {
        let told = refused(&[command, scenario.path(), "--trace", wrong.path()]);
        assert!(told.contains("workload.trace.digest"), "{told}");
        assert!(told.contains(&want.to_uppercase()) && told.contains(&other), "{told}");
    }
    // Without a file it is asked for.
    let asked = run(&["run", scenario.path()]);
    assert!(asked.status.code() == Some(2) && stderr(&asked).contains("--trace"), "{}", stderr(&asked));
}

#[test]
fn the_command_writes_a_scenario_with_its_trace_and_a_link_that_both_run_alone() {
    let trace = TempFile::new("a.csv", azure(30));
    let carried: PathBuf =
        std::env::temp_dir().join(format!("tokenyard-{}-carried.json", std::process::id()));
    let path = carried.to_str().expect("a path in UTF-8");
    let link = printed(&["link", "chat-4xh100", "--trace", trace.path(), "--carry", path]);
    let report = |args: &[&str]| -> Value { printed_json(args) };
    let alone = report(&["run", path, "--json"]);
    let by_link = report(&["run", link.trim(), "--json"]);
    let with_file = report(&["run", "chat-4xh100", "--trace", trace.path(), "--json"]);
    for key in ["requests", "latency_ms"] {
        assert_eq!(alone[key], with_file[key], "{key}");
        assert_eq!(by_link[key], with_file[key], "{key}");
    }
    assert_eq!(alone["requests"]["completed"], json!(30));
    assert_eq!(stdout(&run(&["check", path])), "ok\n");
    // The carried one gives way to a file that is given, whose digest is then another.
    let other = TempFile::new("b.csv", azure(31));
    let refused = run(&["run", path, "--trace", other.path()]);
    assert!(stderr(&refused).contains(&digest(&azure(31))), "{}", stderr(&refused));
    // An input is never overwritten, and there must be a trace.
    let onto = run(&["link", "chat-4xh100", "--trace", trace.path(), "--carry", trace.path()]);
    assert!(onto.status.code() == Some(2) && stderr(&onto).contains("--carry"), "{}", stderr(&onto));
    let none = run(&["link", "chat-4xh100", "--carry", path]);
    assert!(
        none.status.code() == Some(2) && stderr(&none).contains("no trace to carry"),
        "{}",
        stderr(&none)
    );
    std::fs::remove_file(&carried).ok();
}

#[test]
fn a_carried_trace_is_written_with_the_scenario_and_read_again() {
    let rows = carry(azure(3).as_bytes()).expect("a short trace");
    let scenario =
        from_value(document(&json!({ "file": "a.csv", "rows": rows, "digest": digest(&azure(3)) })));
    let scenario = scenario.expect("a scenario");
    assert_eq!(tokenyard::scenario::parse(&to_json(&scenario)), Ok(scenario));
}
