//! Evaluation of candidates: bounded scores beside the baseline, guards against refusing everything, feedback, and the
//! suites that the program brings.

use serde_json::json;
use tokenyard::cli::{SUITES, SuiteFile, open_suite};
use tokenyard::study::evaluate::{
    CaseSource, Evaluation, Options, Runner, Split, Status, Suite, SuiteDocument, evaluate, evaluate_with,
};

fn suite(name: &str) -> Suite {
    let SuiteFile { suite, .. } = open_suite(name).unwrap_or_else(|all| panic!("{all:?}"));
    suite
}

fn first_stage() -> Options {
    Options { stage: Some(1), ..Options::default() }
}

fn evaluated(candidate: &str, suite: &Suite, options: &Options) -> Evaluation {
    evaluate(candidate, suite, options).unwrap_or_else(|all| panic!("{all:?}"))
}

fn expression(text: &str) -> String {
    format!(
        r#"{{"routing": {{"weighted": {{"scorers": [{{"scorer": {{"expression": "{text}"}}, "weight": 1}}]}}}}}}"#
    )
}

#[test]
fn the_baseline_itself_scores_exactly_half() {
    for (name, _) in SUITES {
        let suite = suite(name);
        let policies = serde_json::to_string(&suite.baseline.policies).expect("JSON");
        let found = evaluated(&policies, &suite, &first_stage());
        assert_eq!(found.status, Status::Success);
        assert_eq!(found.combined_score.to_bits(), 0.5_f64.to_bits(), "{name}: {}", found.combined_score);
        for score in found.scores.values() {
            assert_eq!(score.to_bits(), 0.5_f64.to_bits(), "{name}: {:?}", found.scores);
        }
    }
}

#[test]
fn a_candidate_that_rejects_everybody_scores_worst() {
    for (name, _) in SUITES {
        let suite = suite(name);
        let all = evaluated(r#"{"admission": "reject-all"}"#, &suite, &first_stage());
        let bad = evaluated(r#"{"routing": "always-busiest"}"#, &suite, &first_stage());
        let half = r#"{"admission": {"rate-limit": {"requests_per_s": 10, "burst": 1}}}"#;
        let half = evaluated(half, &suite, &first_stage());
        assert_eq!(all.combined_score.to_bits(), 0.0_f64.to_bits(), "{name}");
        assert!(bad.combined_score > 0.0 && bad.combined_score < 0.5, "{name}: {}", bad.combined_score);
        assert!(half.combined_score > 0.0 && half.combined_score < 0.5, "{name}: {}", half.combined_score);
        assert!(all.artifacts.feedback.contains("worse"), "{}", all.artifacts.feedback);
    }
}

#[test]
fn an_expression_beats_the_default_on_cases_held_back() {
    let test = Options { split: Split::Test, text_bytes: 0, ..Options::default() };
    let by_classes = expression("1 / (1 + in_flight)").replacen('{', r#"{"scheduler": "priority-fcfs", "#, 1);
    let better = [
        ("herding", expression("1 / (1 + in_flight)")),
        ("prefix-reuse", expression("1 / (1 + in_flight + uncached_tokens / 200)")),
        ("mixed-classes", by_classes),
    ];
    for (name, candidate) in better {
        let found = evaluated(&candidate, &suite(name), &test);
        assert!(found.combined_score > 0.55, "{name}: {}", found.combined_score);
        assert!(
            found
                .cases
                .iter()
                .all(|case| case.split == Split::Test && case.seeds == 5 && case.ci95.is_some())
        );
    }
}

/// Carries out the last piece first.
struct Backwards;

impl Runner for Backwards {
    fn each<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        let mut done: Vec<T> = (0..count).rev().map(work).collect();
        done.reverse();
        done
    }
}

#[test]
fn the_order_of_the_work_changes_no_byte() {
    let candidate = expression("0.5 * prefix + 0.5 / (1 + waiting)");
    let options = Options { stage: Some(2), ..Options::default() };
    let one = evaluated(&candidate, &suite("prefix-reuse"), &options);
    let other = evaluate_with(&candidate, &suite("prefix-reuse"), &options, &Backwards).expect("it runs");
    assert_eq!(one.json(), other.json());
}

#[test]
fn feedback_names_who_lost_most_and_why_and_is_cut_on_a_line_end() {
    let suite = suite("herding");
    let found = evaluated(r#"{"routing": "always-busiest"}"#, &suite, &first_stage());
    let text = &found.artifacts.feedback;
    let parts = [
        "score 0.",
        "by case: chat-1s",
        "lost most",
        "time: Waiting behind",
        "yours r",
        "better r",
        "anomalies: load-imbalance",
    ];
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
    for bytes in [10, 200, 900] {
        let options = Options { text_bytes: bytes, ..first_stage() };
        let short = evaluated(r#"{"routing": "always-busiest"}"#, &suite, &options).artifacts.feedback;
        assert!(short.len() <= bytes && text.starts_with(&short), "{short}");
        assert!(short.is_empty() || short.ends_with('\n'), "{short}");
    }
    // The text changes no result.
    let silent =
        evaluated(r#"{"routing": "always-busiest"}"#, &suite, &Options { text_bytes: 0, ..first_stage() });
    assert_eq!(silent.digest, found.digest);
}

#[test]
fn a_bad_candidate_is_a_result_and_a_bad_suite_is_not() {
    let suite = suite("herding");
    for (candidate, path) in [
        ("routnig: random", "routnig"),
        ("cluster: {pools: []}", "cluster"),
        (
            "routing: { weighted: { scorers: [{ scorer: { expression: \"1 / wating\" }, weight: 1 }] } }",
            "routing.weighted",
        ),
        ("routing: [", ""),
        ("", ""),
        ("# nothing but a comment", ""),
    ] {
        let found = evaluated(candidate, &suite, &first_stage());
        assert_eq!((found.status, found.combined_score.to_bits()), (Status::Error, 0), "{candidate}");
        assert!(found.problems[0].path.starts_with(path), "{candidate}: {:?}", found.problems);
        assert!(found.artifacts.feedback.contains("error: "), "{candidate}");
    }
    for options in [
        Options { stage: Some(9), ..Options::default() },
        Options { stage: Some(0), ..Options::default() },
        Options { cases: vec!["chat-1".to_owned()], ..Options::default() },
    ] {
        assert!(evaluate("routing: random", &suite, &options).is_err(), "{options:?}");
    }
}

#[test]
fn a_case_named_is_evaluated_whatever_its_split() {
    let options = Options { cases: vec!["chat-3s".to_owned()], text_bytes: 0, ..Options::default() };
    let found = evaluated("routing: least-loaded", &suite("herding"), &options);
    assert_eq!(
        found.cases.iter().map(|case| (case.id.as_str(), case.split)).collect::<Vec<_>>(),
        [("chat-3s", Split::Test)]
    );
}

/// A suite made of a tree, with the default scenario in its only case.
fn made(change: impl Fn(&mut serde_json::Value)) -> Result<Suite, Vec<String>> {
    let mut tree = json!({
        "cases": [{"id": "one", "scenario": {"run": {"horizon_s": 4, "warmup_s": 1}}}],
        "baseline": {"routing": "random"},
        "objectives": [{"metric": "latency_ms.ttft.p99", "direction": "lower"}],
    });
    change(&mut tree);
    let words =
        |all: Vec<tokenyard::base::Diagnostic>| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    let document = SuiteDocument::read(tree).map_err(words)?;
    let sources =
        document.cases.iter().map(|case| CaseSource { scenario: case.scenario.clone(), trace: None });
    Suite::new(&document, sources.collect(), |_| Ok(serde_json::Value::Null)).map_err(words)
}

#[test]
fn problems_of_a_suite_name_their_place() {
    assert!(made(|_| {}).is_ok());
    let problem = |path: &str, value: serde_json::Value| {
        let all =
            made(|tree| *tree.pointer_mut(path).expect("a place") = value.clone()).expect_err("a problem");
        all.join("\n")
    };
    assert!(problem("/objectives", json!([])).contains("objectives: 0 entries"));
    assert!(problem("/objectives/0", json!({"metric": "x"})).contains("objectives[0].direction: nothing"));
    assert!(problem("/cases/0/id", json!("")).contains("cases[0].id: nothing"));
    assert!(problem("/baseline", json!({"rooting": 1})).contains("baseline.rooting"));
    assert!(
        problem("/cases/0/scenario/run", json!({"horizon_s": 0})).contains("cases[0].scenario.run.horizon_s")
    );
    let edits =
        json!({"run": {"horizon_s": 4}, "edits": [{"at_us": 1, "set": {"cluster.routing": "random"}}]});
    assert!(
        problem("/cases/0/scenario", edits)
            .contains("cases[0].scenario.edits[0]: an edit of cluster.routing")
    );
    let unknown = made(|tree| tree["stages"] = json!([{"cases": ["on"]}])).expect_err("a problem");
    assert!(unknown[0].contains("stages[0].cases[0]: on; allowed: one; did you mean `one`?"), "{unknown:?}");
    let suite =
        made(|tree| tree["objectives"][0]["metric"] = json!("latency.ttft")).expect("found when it runs");
    let all = evaluate(r#"{"routing": "random"}"#, &suite, &Options::default()).expect_err("a problem");
    assert!(all[0].path == "objectives[0].metric" && all[0].found.contains("latency.ttft"), "{all:?}");
}
