//! What if a request had gone elsewhere, and why slow requests are slow: the answers are those of whole runs, and every part of them
//! adds up.

use crate::support::preset;
use crate::support::scenarios::{a_scenario, sound, started};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;
use std::cell::RefCell;
use std::path::Path;
use tokenyard::base::{Micros, json};
use tokenyard::golden;
use tokenyard::scenario::preset::Preset;
use tokenyard::scenario::{Change, Scenario, TimedEdit};
use tokenyard::session::{Audience, Session};
use tokenyard::study::whatif::{
    Account, AccountedTime, Asking, Cause, ExplainQuery, Explaining, Explanation, SpanBy, WhatIf,
    WhatIfQuery, in_ms, in_percent, whole,
};

fn asking(scenario: &Scenario) -> Asking {
    Asking::new(scenario.clone(), None).expect("a sound scenario").0
}

fn all_of(request: u32) -> WhatIfQuery {
    WhatIfQuery { request, ..WhatIfQuery::default() }
}

fn ended(scenario: &Scenario) -> Session {
    let mut session = started(scenario, Audience::Batch);
    session.advance(Micros::MAX, u64::MAX);
    sound(&session);
    session
}

/// The scenario with the edit that sends a request to a replica, and no other one that sends it.
fn edited(scenario: &Scenario, at_us: u64, request: u32, to: u32) -> Scenario {
    let mut edits = scenario.edits.clone();
    edits.retain(|e| e.route.is_none_or(|route| route.request != request));
    let place = edits.partition_point(|e| e.at_us < at_us);
    edits.insert(place, TimedEdit::new(at_us, Change::route(request, to)));
    Scenario { edits, ..scenario.clone() }
}

/// Every alternative of a decision is what a whole run of the scenario with the edit gives.
fn agrees_with_whole_runs(scenario: &Scenario, found: &WhatIf) {
    let base = ended(scenario);
    let was = base.engine().records();
    let ms = |us: Option<u64>| us.map(|us| us as f64 / 1000.0);
    for a in &found.alternatives {
        let run = ended(&edited(scenario, found.routed_us, found.request, a.replica));
        let is = run.engine().records();
        assert_eq!(run.engine().not_redirected().count(), 0, "to r{}", a.replica);
        let own = is.iter().zip(0..).find(|(_, i)| *i == found.request).expect("it arrives").0;
        assert_eq!(own.replica().map(|id| id.0), Some(a.replica));
        assert_eq!(a.ttft_ms, ms(own.ttft.get().map(|t| t.0)), "to r{}", a.replica);
        assert_eq!(a.e2e_ms, ms(own.e2e.get().map(|t| t.0)), "to r{}", a.replica);
        assert_eq!(a.state, own.state());
        if was.len() != is.len() || was.iter().zip(is).any(|(x, y)| x.arrival != y.arrival) {
            // Conversations that wait for their answers: others have other numbers.
            continue;
        }
        let differences = was.iter().zip(is).zip(0..).filter(|(_, i)| *i != found.request);
        let us = differences.filter_map(|((x, y), _)| Some(y.e2e.get()?.0 as i64 - x.e2e.get()?.0 as i64));
        let us: Vec<i64> = us.collect();
        let others = &a.others.e2e;
        assert_eq!(others.compared as usize, us.len());
        let sum_ms = us.iter().sum::<i64>() as f64 / 1000.0;
        assert!((others.sum_ms - sum_ms).abs() < 1e-6, "to r{}", a.replica);
        assert_eq!(others.gained as usize, us.iter().filter(|us| **us < 0).count());
        assert_eq!(others.lost as usize, us.iter().filter(|us| **us > 0).count());
        assert_eq!(a.chosen, a.replica == found.chosen);
        if a.chosen {
            assert!(us.iter().all(|us| *us == 0) && a.others.finished_in_one == 0);
        }
    }
}

/// The account of every request that has finished adds up to its time, and never has less than nothing.
fn adds_up(scenario: &Scenario) -> usize {
    let (mut explaining, _) = Explaining::new(scenario.clone(), None).expect("a sound scenario");
    let run = explaining.run_to(Micros::MAX).expect("few enough steps").clone();
    let mut finished = 0;
    for (i, r) in (0..).zip(run.engine().records()) {
        let times = [(AccountedTime::E2e, r.e2e), (AccountedTime::Ttft, r.ttft)];
        for (time, want) in times {
            let Some(e2e) = r.e2e.get() else {
                assert_eq!(explaining.account(i, time), None);
                continue;
            };
            let account = explaining.account(i, time).expect("it has finished");
            let want = want.get().expect("it has finished");
            assert_eq!(account.us.iter().sum::<u64>(), want.0, "request {i}, E2E {e2e:?}");
            finished += 1;
        }
    }
    finished / 2
}

/// The scenarios of the golden files that are kept with the tests.
fn goldens() -> Vec<(String, Scenario)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens");
    let mut found = Vec::new();
    for mode in ["compat-blis", "default"] {
        let files = std::fs::read_dir(folder.join(mode)).expect("a folder of golden files");
        let mut files: Vec<_> = files.map(|e| e.expect("a readable folder").path()).collect();
        files.sort();
        for path in files {
            let text = std::fs::read_to_string(&path).expect("a readable file");
            let kept = RefCell::new(None);
            let keep = |scenario: Scenario| {
                *kept.borrow_mut() = Some(scenario.clone());
                scenario
            };
            golden::differences_after(&text, &["nothing".to_owned()], keep).expect("a golden file");
            found.push((path.display().to_string(), kept.into_inner().expect("it was run")));
        }
    }
    assert!(found.len() > 20);
    found
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        rng_seed: RngSeed::Fixed(3),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_parts_of_every_request_add_up_to_its_time(scenario in a_scenario()) {
        adds_up(&scenario);
    }

    #[test]
    fn alternatives_are_what_whole_runs_give(scenario in a_scenario(), which in 0.0..1.0_f64) {
        let run = ended(&scenario);
        let routed = |r: &tokenyard::engine::Record| r.routed.is_known();
        let sent: Vec<u32> = (0..).zip(run.engine().records()).filter(|(_, r)| routed(r)).map(|(i, _)| i).collect();
        prop_assume!(!sent.is_empty());
        let request = sent[(which * sent.len() as f64) as usize];
        let found = asking(&scenario).what_if(&WhatIfQuery { most: 4, ..all_of(request) }).expect("it was routed");
        prop_assert!(found.alternatives.iter().filter(|a| a.chosen).count() == 1);
        agrees_with_whole_runs(&scenario, &found);
    }
}

#[test]
fn the_parts_add_up_in_every_golden_file_and_alternatives_agree_with_whole_runs() {
    let (mut finished, mut decisions) = (0, 0);
    for (name, scenario) in goldens() {
        finished += adds_up(&scenario);
        let run = ended(&scenario);
        let records = run.engine().records();
        let Some(request) = (0..records.len()).rev().find(|i| records.at(*i).routed.is_known()) else {
            continue;
        };
        let found = asking(&scenario).what_if(&all_of(request as u32 / 2));
        let Ok(found) = found else { continue };
        agrees_with_whole_runs(&scenario, &found);
        assert!(found.score_regret >= 0.0, "{name}");
        decisions += usize::from(found.alternatives.len() > 1);
    }
    assert!(finished > 1000 && decisions > 5, "{finished} requests, {decisions} decisions");
}

#[test]
fn the_regret_is_what_the_best_alternative_would_have_saved() {
    let s = preset("router-showdown", 20.0);
    let found = asking(&s).what_if(&all_of(300)).expect("it was routed");
    agrees_with_whole_runs(&s, &found);
    let own = found.alternatives.iter().find(|a| a.chosen).and_then(|a| a.e2e_ms).expect("it finished");
    let best = found.alternatives.iter().filter_map(|a| a.e2e_ms).fold(f64::INFINITY, f64::min);
    assert_eq!(found.regret_ms, Some(own - best));
    assert!(found.regret_ms > Some(0.0));
    assert_eq!(found.alternatives.len(), 8);
    let scores: Vec<f64> = found.alternatives.iter().map(|a| a.score).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let most = WhatIfQuery { most: 2, ..all_of(300) };
    let few = asking(&s).what_if(&most).expect("it was routed");
    assert_eq!(few.alternatives[..], found.alternatives[..2]);
    assert_eq!(few.left_out, 6);
}

#[test]
fn questions_in_any_order_have_the_same_answers() {
    let s = preset("chat-4xh100", 20.0);
    let mut one = asking(&s);
    let until = |us| WhatIfQuery { until_us: Some(us), ..all_of(100) };
    let queries = [all_of(200), until(9_000_000), all_of(5), until(12_345_678), all_of(200), all_of(0)];
    for query in queries {
        assert_eq!(one.what_if(&query), asking(&s).what_if(&query), "{query:?}");
    }
    let found = one.what_if(&until(9_000_000)).expect("it was routed");
    assert_eq!((found.until_us, found.ended), (9_000_000, false));
}

#[test]
fn a_right_or_wrong_instant_of_routing_changes_no_answer() {
    let s = preset("chat-4xh100", 20.0);
    let mut one = asking(&s);
    for (request, until_us) in [(150, 12_000_000), (151, 12_000_000), (40, 6_000_000), (200, 15_000_000)] {
        let plain = WhatIfQuery { until_us: Some(until_us), ..all_of(request) };
        let wanted = asking(&s).what_if(&plain);
        let right = wanted.as_ref().expect("it was routed").routed_us;
        for told in [right, 0, 1, right - 1, right + 1, 11_000_000, 19_000_000] {
            let query = WhatIfQuery { routed_us: Some(told), ..plain };
            assert_eq!(one.what_if(&query), wanted, "{query:?}");
            // Nor does what was prepared for this question or another.
            let mut prepared = asking(&s);
            prepared.prepare(&query);
            assert_eq!(prepared.what_if(&plain), wanted, "{query:?}");
        }
    }
}

#[test]
fn a_run_that_is_a_counterfactual_itself_can_be_asked() {
    let s = edited(&preset("chat-4xh100", 15.0), 1_000_000, 120, 3);
    let found = asking(&s).what_if(&all_of(120)).expect("it was routed");
    assert_eq!(found.chosen, 3);
    agrees_with_whole_runs(&s, &found);
    let later = edited(&s, found.routed_us, 120, 3);
    assert_eq!(asking(&later).what_if(&all_of(120)), Ok(found));
}

#[test]
fn invalid_questions_are_reported() {
    let s = preset("chat-4xh100", 10.0);
    let said = |query: WhatIfQuery| asking(&s).what_if(&query).expect_err("a problem").to_string();
    assert!(said(all_of(99_999)).starts_with("error: request: request 99999, where "));
    let to = WhatIfQuery { to: Some(9), ..all_of(3) };
    assert!(said(to).starts_with("error: to: replica 9; allowed: "), "{}", said(to));
    let early = WhatIfQuery { until_us: Some(0), ..all_of(3) };
    assert!(said(early).contains("where 0 arrived"), "{}", said(early));
    let why = |query: ExplainQuery| {
        let (mut explaining, _) = Explaining::new(s.clone(), None).expect("a sound scenario");
        explaining.explain(&query).expect_err("a problem").to_string()
    };
    let above = |p| ExplainQuery { above: Some(p), ..ExplainQuery::default() };
    assert!(why(above(100.0)).starts_with("error: above: 100; allowed: "));
    assert!(why(above(f64::NAN)).starts_with("error: above: NaN"));
    let empty = ExplainQuery { from_us: Some(5_000_000), to_us: Some(5_000_000), ..ExplainQuery::default() };
    let said = why(empty);
    assert!(
        said.contains("0 of ") && said.contains("finished requests that arrived from 5 to 5 s"),
        "{said}"
    );
    let whole = ExplainQuery { from_us: Some(0), by: SpanBy::End, ..ExplainQuery::default() };
    assert!(why(whole).contains("and no others"), "{}", why(whole));
}

#[test]
fn a_span_of_time_has_the_requests_that_began_or_ended_in_it() {
    let s = preset("chat-4xh100", 20.0);
    let run = ended(&s);
    let mut spans = Vec::new();
    for (time, by) in [
        (AccountedTime::E2e, SpanBy::Arrival),
        (AccountedTime::E2e, SpanBy::End),
        (AccountedTime::Ttft, SpanBy::End),
    ] {
        let query = ExplainQuery {
            time,
            by,
            from_us: Some(8_000_000),
            to_us: Some(11_000_000),
            ..ExplainQuery::default()
        };
        let e = explained(&s, &query);
        let mut us = Vec::new();
        for r in run.engine().records() {
            let Some(e2e) = r.e2e.get() else { continue };
            let long = if time == AccountedTime::E2e { e2e } else { r.ttft.get().expect("it has finished") };
            let at = if by == SpanBy::Arrival { r.arrival } else { r.arrival + long };
            if r.arrival.0 as f64 >= s.run.warmup_s * 1e6 && (8_000_000..11_000_000).contains(&at.0) {
                us.push(long.0);
            }
        }
        assert_eq!(e.slow.requests, us.len() as u64, "{time:?} {by:?}");
        let mean_ms = us.iter().sum::<u64>() as f64 / us.len() as f64 / 1000.0;
        assert!((e.slow.mean_ms - mean_ms).abs() < 1e-9 * mean_ms, "{time:?} {by:?}");
        let parts: f64 = e.causes.iter().map(|c| c.slow_ms).sum();
        assert!((parts - mean_ms).abs() < 1e-9 * mean_ms, "{time:?} {by:?}");
        is_true(&e);
        spans.push((e.slow.requests, e.slow_words));
    }
    let words: Vec<&str> = spans.iter().map(|(_, words)| words.as_str()).collect();
    assert_eq!(
        words,
        [
            "the requests that arrived from 8 to 11 s",
            "the requests that finished from 8 to 11 s",
            "the requests that got their first token from 8 to 11 s"
        ]
    );
    assert!(spans[0].0 != spans[1].0, "{spans:?}");
}

pub(crate) fn explained(scenario: &Scenario, query: &ExplainQuery) -> Explanation {
    let (mut explaining, _) = Explaining::new(scenario.clone(), None).expect("a sound scenario");
    explaining.explain(query).expect("there are requests")
}

/// Every number of a sentence is the field it names, and no digit stands there that is not one of them.
pub(crate) fn is_true(e: &Explanation) {
    let tree: Value = json::tree(e);
    for (i, sentence) in e.sentences.iter().enumerate() {
        // The first begins with the words for whom it is about.
        let mut rest = &sentence.text[if i == 0 { e.slow_words.len() } else { 0 }..];
        for quoted in &sentence.numbers {
            let field = tree.pointer(&quoted.path).unwrap_or_else(|| panic!("no field {}", quoted.path));
            let x = field.as_f64().expect("a number");
            let want = match quoted.path.rsplit('/').next() {
                Some(name) if name.ends_with("share") => in_percent(x),
                Some(name) if name.ends_with("_ms") => in_ms(x),
                _ => whole(x),
            };
            assert_eq!(quoted.text, want, "{}", quoted.path);
            let at = rest.find(&quoted.text).expect("the number stands in the sentence, in order");
            let words = &rest[..at];
            let known = words.replace("E2E", "");
            assert!(!known.contains(|c: char| c.is_ascii_digit()) || known.contains('“'), "{words:?}");
            rest = &rest[at + quoted.text.len()..];
        }
        assert!(!rest.contains(|c: char| c.is_ascii_digit()), "{rest:?}");
    }
}

#[test]
fn an_explanation_adds_up_and_its_sentences_are_true() {
    let span = ExplainQuery {
        from_us: Some(5_000_000),
        to_us: Some(9_000_000),
        time: AccountedTime::Ttft,
        ..ExplainQuery::default()
    };
    let both = ExplainQuery { above: Some(90.0), ..span };
    for name in ["chat-4xh100", "router-showdown", "kv-pressure", "stale-herd"] {
        let Some(preset_found) = Preset::named(name) else { continue };
        let mut s = preset_found.scenario();
        s.run.horizon_s = s.run.horizon_s.min(40.0);
        s.run.warmup_s = 1.0;
        for query in [ExplainQuery::default(), span, both] {
            let e = explained(&s, &query);
            // Nothing broke and nothing moves: no attempts, no hand-overs.
            let listed = |cause: &&Cause| !cause.is_of_handover() && **cause != Cause::Retry;
            assert_eq!(e.causes.len(), Cause::ALL.iter().filter(listed).count());
            let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * (1.0 + a.abs());
            assert!(near(e.causes.iter().map(|c| c.slow_ms).sum(), e.slow.mean_ms), "{name}");
            assert!(near(e.causes.iter().map(|c| c.fast_ms).sum(), e.fast.mean_ms), "{name}");
            assert!(near(e.causes.iter().map(|c| c.diff_ms).sum(), e.diff_ms), "{name}");
            assert!((1..=2).contains(&e.sentences.len()), "{:?}", e.sentences);
            is_true(&e);
            for part in &e.causes {
                let shares: f64 = part.clients.iter().map(|c| c.share).sum();
                assert!(shares <= 1.0 + 1e-9, "{name} {part:?}");
                assert!(part.evidence.is_empty() == (part.slow_ms == 0.0), "{name} {part:?}");
            }
        }
    }
}

#[test]
fn prompts_of_others_slow_decoding_down_by_what_they_add_to_its_steps() {
    let text = r#"{
        "run": {"horizon_s": 0, "warmup_s": 0},
        "cluster": {"pools": [{"replicas": 1, "latency": {"fitted": {"step_us": 1000, "step_us_per_prefill_token": 10, "step_us_per_decode_token": 0}}}]},
        "workload": {"clients": [], "requests": [
            {"arrival_us": 0, "prompt": [{"text": 1, "tokens": 10}], "output": {"text": 2, "tokens": 4}},
            {"arrival_us": 1500, "prompt": [{"text": 3, "tokens": 100}], "output": {"text": 4, "tokens": 1}}
        ]}
    }"#;
    let scenario = tokenyard::scenario::parse(text).unwrap_or_else(|all| panic!("{all:?}"));
    let (mut explaining, _) = Explaining::new(scenario, None).unwrap_or_else(|all| panic!("{all:?}"));
    explaining.run_to(Micros::MAX).expect("few enough steps");
    // Steps: [0, 1100) the first prompt; [1100, 2100) and [4100, 5100) decoding alone; [2100, 4100) decoding and the second prompt,
    // which adds its 1000 us and has waited for 600.
    let first = explaining.account(0, AccountedTime::E2e).expect("it has finished");
    let second = explaining.account(1, AccountedTime::E2e).expect("it has finished");
    let of = |account: &Account, cause: Cause| account.us[cause as usize];
    assert_eq!(of(&first, Cause::Prompt), 1100);
    assert_eq!(of(&first, Cause::Decoding), 3000);
    assert_eq!(of(&first, Cause::Interference), 1000);
    assert_eq!(of(&second, Cause::QueueDecoding), 600);
    assert_eq!(of(&second, Cause::Prompt), 1000);
    assert_eq!(of(&second, Cause::PromptOthers), 1000);
}
