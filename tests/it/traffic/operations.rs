//! Operations on a trace: window, speed, subsample, caps and jitter, each against rows worked out by hand or by chance's
//! own laws.

use super::read;
use crate::support::documents::put_all;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;
use tokenyard::base::{Diagnostics, Micros};
use tokenyard::scenario::{Change, Scenario, TraceSettings, TraceWindow, from_value, to_json};
use tokenyard::session::view::FrameQuery;
use tokenyard::session::{Audience, Session, Stop};
use tokenyard::workload::{Source, Trace, replayed};

/// Ten requests a second apart in two sessions and one row alone; prompts of 1,000 to 10,000 tokens, answers of 10 to 100.
fn ten() -> Arc<Trace> {
    let mut text = String::new();
    for i in 0..10 {
        let session = if i == 4 { String::new() } else { format!(r#","conversation_id":"s{}""#, i % 2) };
        let (at, prompt, output) = (1000 * i, 1000 * (i + 1), 10 * (i + 1));
        writeln!(
            text,
            r#"{{"ts":{at},"prompt_tokens":{prompt},"gen_tokens":{output},"prefix_hash":"p{i}","prefix_len":500{session}}}"#
        )
        .expect("a String takes any text");
    }
    read(&text)
}

fn scenario(settings: &TraceSettings) -> Scenario {
    let mut s = Scenario::default();
    s.run.horizon_s = 0.0;
    s.run.warmup_s = 0.0;
    s.workload.trace = Some(settings.clone());
    s
}

/// What is replayed: arrival in ms, tokens of the prompt and of the answer, session.
fn requests(trace: &Arc<Trace>, settings: &TraceSettings) -> Vec<(u64, u32, u32, u32)> {
    let mut source = Source::new(&scenario(settings), Some(trace));
    std::iter::from_fn(|| source.take())
        .map(|r| (r.arrival.0 / 1000, r.prompt_tokens, r.output.len, r.session))
        .collect()
}

#[expect(clippy::unnecessary_wraps, reason = "as the setting is")]
fn window(start_s: f64, length_s: f64) -> Option<TraceWindow> {
    Some(TraceWindow { start_s, length_s })
}

#[test]
fn a_window_begins_the_run_at_its_start_and_ends_before_its_end() {
    let trace = ten();
    let settings = TraceSettings { window: window(2.5, 2.5), ..TraceSettings::default() };
    // Rows at 3 and 4 s; the one at 5 s is the first after the window.
    assert_eq!(requests(&trace, &settings), [(500, 4000, 40, 2), (1500, 5000, 50, 0)]);
    let rest = TraceSettings { window: window(8.0, 0.0), ..TraceSettings::default() };
    assert_eq!(requests(&trace, &rest), [(0, 9000, 90, 1), (1000, 10_000, 100, 2)]);
    // The speed applies to what the window leaves.
    let fast = TraceSettings { window: window(2.5, 2.5), speed: 2.0, ..TraceSettings::default() };
    assert_eq!(requests(&trace, &fast), [(250, 4000, 40, 2), (750, 5000, 50, 0)]);
}

#[test]
fn windows_side_by_side_hold_each_request_once() {
    let trace = ten();
    let count = |start_s| {
        requests(&trace, &TraceSettings { window: window(start_s, 2.5), ..TraceSettings::default() }).len()
    };
    let counts: Vec<usize> = [0.0, 2.5, 5.0, 7.5].into_iter().map(count).collect();
    assert_eq!(counts, [3, 2, 3, 2]);
}

#[test]
fn caps_cut_prompts_and_answers_and_nothing_else() {
    let trace = ten();
    let settings =
        TraceSettings { max_prompt_tokens: 2500, max_output_tokens: 15, ..TraceSettings::default() };
    let (all, cut) = (requests(&trace, &TraceSettings::default()), requests(&trace, &settings));
    let want: Vec<_> = all.iter().map(|&(at, p, o, s)| (at, p.min(2500), o.min(15), s)).collect();
    assert_eq!(cut, want);
    // The first tokens stay: a prompt still begins with its prefix of 500 tokens.
    let prompt = |settings: &TraceSettings| {
        Source::new(&scenario(settings), Some(&trace)).take().expect("a request").prompt
    };
    assert_eq!(prompt(&settings).pieces()[0], prompt(&TraceSettings::default()).pieces()[0]);
}

/// `sessions` sessions of 1 to 4 requests each, and as many requests alone.
fn many(sessions: u32) -> Arc<Trace> {
    let mut text = String::new();
    let mut at = 0;
    for s in 0..sessions {
        for _ in 0..=s % 4 {
            at += 3;
            writeln!(text, r#"{{"ts":{at},"prompt_tokens":9,"gen_tokens":2,"conversation_id":"{s}"}}"#)
                .expect("a String takes any text");
        }
        at += 1;
        writeln!(text, r#"{{"ts":{at},"prompt_tokens":7,"gen_tokens":2}}"#).expect("a String takes any text");
    }
    read(&text)
}

#[test]
fn a_subsample_keeps_sessions_whole_and_its_share_of_them() {
    let trace = many(4000);
    let kept = |subsample| {
        let settings = TraceSettings { subsample, ..TraceSettings::default() };
        requests(&trace, &settings)
    };
    let quarter = kept(0.25);
    let of = |session: u32, all: &[(u64, u32, u32, u32)]| all.iter().filter(|r| r.3 == session).count();
    let mut sessions: Vec<u32> = quarter.iter().map(|r| r.3).filter(|s| *s > 0).collect();
    sessions.sort_unstable();
    sessions.dedup();
    // Binomial: 4,000 x 1/4, with a standard deviation of 27.4; four of them.
    assert!((890..=1110).contains(&sessions.len()), "{}", sessions.len());
    let alone = of(0, &quarter);
    assert!((890..=1110).contains(&alone), "{alone}");
    // Session k has (k - 1) mod 4 + 1 requests.
    for &session in &sessions {
        assert_eq!(of(session, &quarter), ((session - 1) % 4 + 1) as usize, "session {session}");
    }
    // A larger share keeps those of a smaller one, and the seed does not matter.
    let half = kept(0.5);
    assert!(quarter.iter().all(|r| half.contains(r)));
    let settings = TraceSettings { subsample: 0.25, ..TraceSettings::default() };
    let other_seed = Scenario { seed: 77, ..scenario(&settings) };
    assert_eq!(replayed(&other_seed, Some(&trace)), replayed(&scenario(&settings), Some(&trace)));
}

#[test]
fn jitter_spreads_the_steps_of_a_clock_evenly_and_keeps_the_order_of_a_session() {
    // 200 steps of 3 s with 20 requests each; the requests of every second step and the next one are a session.
    let mut text = String::new();
    for i in 0..4000 {
        let (at, session) = (3000 * (i / 20), if i % 20 < 10 { i % 20 } else { 100 + i });
        writeln!(
            text,
            r#"{{"ts":{at},"prompt_tokens":{},"gen_tokens":2,"conversation_id":"{session}"}}"#,
            i + 1
        )
        .expect("a String takes any text");
    }
    let trace = read(&text);
    let settings = TraceSettings { jitter_s: 3.0, ..TraceSettings::default() };
    let all = requests(&trace, &settings);
    assert_eq!(all.len(), 4000);
    assert!(all.is_sorted_by_key(|r| r.0), "in order of arrival");
    // The prompt tells the row. Each is delayed by 0 to 3 s, evenly: a mean of 1.5 s, a deviation of 0.866 s.
    let delays: Vec<f64> = all.iter().map(|r| r.0 as f64 - f64::from(3000 * ((r.1 - 1) / 20))).collect();
    assert!(delays.iter().all(|d| (0.0..3000.0).contains(d)), "within the step");
    let mean = delays.iter().sum::<f64>() / 4000.0;
    assert!((mean - 1500.0).abs() < 4.0 * 866.0 / 4000_f64.sqrt(), "{mean}");
    let early = delays.iter().filter(|d| **d < 300.0).count() as f64;
    assert!((early - 400.0).abs() < 4.0 * 19.0, "{early} of 4,000 in a tenth of the step");
    // Long jitter mixes steps, but not the requests of one session.
    let long = TraceSettings { jitter_s: 60.0, ..TraceSettings::default() };
    let mixed = requests(&trace, &long);
    assert!(!mixed.is_sorted_by_key(|r| r.1), "steps are mixed");
    for session in 1..=10 {
        let rows: Vec<u32> = mixed.iter().filter(|r| r.3 == session).map(|r| r.1).collect();
        assert!(rows.len() == 200 && rows.is_sorted(), "session {session}");
    }
}

#[test]
fn jitter_of_a_row_depends_on_the_seed_alone_not_on_what_else_is_replayed() {
    let trace = many(50);
    let at_speed_1 = |settings: &TraceSettings, seed| {
        let s = Scenario { seed, ..scenario(settings) };
        let rows = replayed(&s, Some(&trace)).expect("rows");
        (0..rows.len()).map(|i| rows.arrival(i).0).collect::<Vec<u64>>()
    };
    let jitter = TraceSettings { jitter_s: 0.001, ..TraceSettings::default() };
    let all = at_speed_1(&jitter, 42);
    assert_eq!(at_speed_1(&jitter, 42), all);
    assert_ne!(at_speed_1(&jitter, 43), all);
    // With less jitter than gaps the rows of the second half are those of the whole.
    let half = TraceSettings { window: window(0.2, 0.0), ..jitter };
    let late: Vec<u64> = all.iter().filter(|at| **at >= 201_000).map(|at| at - 200_000).collect();
    assert!(at_speed_1(&half, 42).ends_with(&late) && late.len() > 50);
}

fn start(settings: &Value, trace: &Arc<Trace>) -> Result<Session, Diagnostics> {
    let mut document = json!({
        "run": { "horizon_s": 0, "warmup_s": 0 },
        "workload": { "trace": { "file": "my.trace" } },
    });
    put_all(&mut document["workload"]["trace"], settings);
    let scenario = from_value(document)?;
    Session::start(scenario, Some(Arc::clone(trace)), Audience::Live).map(|(session, _)| session)
}

#[test]
fn the_axis_and_the_requests_of_a_run_are_those_of_the_operated_trace() {
    let settings = json!({ "window": { "start_s": 2, "length_s": 4 }, "speed": 0.5 });
    let mut session = start(&settings, &ten()).expect("a run");
    assert_eq!(
        session.frame(&FrameQuery::default()).axis_end_us,
        6_000_000,
        "rows at 0 to 3 s, at half speed"
    );
    assert_eq!(session.requests_asked(), Some(4));
    assert_eq!(session.advance(Micros::MAX, 1_000_000), Stop::Finished);
    assert_eq!(session.engine().records().len(), 4);
    // Links and reports name the file.
    assert_eq!(session.trace().map(Trace::len), Some(10));
}

#[test]
fn a_snapshot_of_an_operated_run_goes_on_as_the_run_does() {
    let settings =
        json!({ "window": { "start_s": 1, "length_s": 7 }, "jitter_s": 2, "max_output_tokens": 30 });
    let mut straight = start(&settings, &ten()).expect("a run");
    straight.advance(Micros(3_000_000), 1_000_000);
    let snapshot = straight.snapshot();
    let mut restored = start(&settings, &ten()).expect("a run");
    restored.restore(&snapshot).expect("a snapshot of the same run");
    for session in [&mut straight, &mut restored] {
        assert_eq!(session.advance(Micros::MAX, 1_000_000), Stop::Finished);
    }
    assert_eq!(restored.digest(), straight.digest());
    // One of other operations brings its own rows along.
    let mut other = start(&json!({}), &ten()).expect("a run");
    other.restore(&snapshot).expect("a snapshot on the same trace");
    assert_eq!(other.advance(Micros::MAX, 1_000_000), Stop::Finished);
    assert_eq!(other.digest(), straight.digest());
}

#[test]
fn operations_change_only_with_a_new_run_and_the_speed_at_once() {
    let mut session = start(&json!({}), &ten()).expect("a run");
    let [refused] = &session.apply(Change::set("workload.trace.jitter_s", 1))[..] else {
        panic!("a restart")
    };
    assert_eq!(refused.path, "workload.trace");
    assert_eq!(session.apply(Change::set("workload.trace.speed", 2)), []);
}

#[test]
fn a_trace_of_which_nothing_is_left_and_values_out_of_range_are_refused_with_their_path() {
    let refused = |settings: &Value| {
        let problems = start(settings, &ten()).expect_err("a problem");
        problems.into_iter().map(|d| (d.path, d.found)).collect::<Vec<_>>()
    };
    let [(path, found)] = &refused(&json!({ "window": { "start_s": 100 } }))[..] else {
        panic!("one problem")
    };
    assert_eq!(path, "workload.trace");
    assert!(found.contains("without any of the 10 requests"), "{found}");
    let paths: Vec<String> = refused(&json!({
        "window": { "start_s": -1, "length_s": 1e12 }, "subsample": 0, "jitter_s": 5000, "digest": "abc",
    }))
    .into_iter()
    .map(|(path, _)| path)
    .collect();
    let under = |field: &str| format!("workload.trace.{field}");
    let want = ["window.start_s", "window.length_s", "subsample", "jitter_s", "digest"].map(under);
    assert_eq!(paths, want);
}

#[test]
fn settings_that_change_nothing_are_not_written() {
    let plain = to_json(&scenario(&TraceSettings::default()));
    for key in ["window", "subsample", "max_prompt_tokens", "max_output_tokens", "jitter_s", "digest", "rows"]
    {
        assert!(!plain.contains(&format!("\"{key}\"")), "{key}");
    }
    let settings = TraceSettings {
        window: window(1.0, 2.0),
        subsample: 0.5,
        max_prompt_tokens: 3,
        max_output_tokens: 4,
        jitter_s: 5.0,
        ..TraceSettings::default()
    };
    let text = to_json(&scenario(&settings));
    assert_eq!(tokenyard::scenario::parse(&text), Ok(scenario(&settings)));
    // Without any of them the rows of the file are replayed, not a copy.
    let trace = ten();
    let rows = replayed(&scenario(&TraceSettings::default()), Some(&trace)).expect("rows");
    assert!(Arc::ptr_eq(&rows, &trace));
}
