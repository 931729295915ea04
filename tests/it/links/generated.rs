//! Generated links open with what they were made of.

use super::open;
use crate::support::documents::scenario;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};
use tokenyard::scenario::link::{Link, LinkResult, LinkSpan, Selection, View, make};
use tokenyard::scenario::preset::{PRESETS, Preset};
use tokenyard::scenario::{Scenario, check, from_value, limits, set_path};

prop_compose! {
    fn a_view()(
        at_us in proptest::option::of(0..=(limits::HORIZON_S * 1e6) as u64),
        speed in proptest::option::of(prop_oneof![Just(0.0), Just(1.0), 0.0..1e9_f64]),
        selection in proptest::option::of(prop_oneof![
            any::<u32>().prop_map(Selection::Replica),
            any::<u32>().prop_map(Selection::Request),
        ]),
        // Names that read as something else where nothing says that they are text.
        panel in proptest::option::of(prop_oneof![
            "[a-z0-9-]{1,24}",
            select(vec!["run", "7", "-1", "1e5", "true", "null"]).prop_map(str::to_owned),
        ]),
        span in proptest::option::of((0..1_000_000_000_u64, 1..1_000_000_000_u64).prop_map(|(from_us, long)| LinkSpan { from_us, to_us: from_us + long })),
        theory in proptest::option::of("[a-z0-9-]{1,24}"),
        charts in proptest::collection::vec("[a-z0-9-]{1,24}", 0..=limits::LINK_CHARTS),
        closeup in proptest::collection::vec("[a-z0-9._:-]{1,64}", 0..=limits::LINK_CLOSEUP_WORDS),
        result in proptest::option::of(("[0-9A-Za-z.+-]{1,24}", "[0-9a-f]{16}").prop_map(|(version, digest)| LinkResult { version, digest })),
        study in proptest::option::of("[A-Za-z0-9_-]{1,60}"),
    ) -> View {
        View { at_us, speed, selection, panel, span, theory, charts, closeup, result, study }
    }
}

/// Fields of every preset, none within another, and new values for them.
fn settings() -> Vec<(&'static str, Value)> {
    vec![
        ("seed", json!(99)),
        ("title", json!("Mine; not = \"yours\" #1 %41")),
        ("note", json!("true")),
        ("run.horizon_s", json!(333.0)),
        ("cluster.routing", json!("random")),
        ("cluster.admission", json!({"rate-limit": {"requests_per_s": 4.5}})),
        ("cluster.snapshot_refresh_us", json!(123_456)),
        ("cluster.pools[0].replicas", json!(7)),
        ("cluster.pools[0].kv.prefix_caching", json!(false)),
        ("cluster.pools[0].engine.long_prefill_threshold_tokens", json!(777)),
        ("workload.clients[0].slo_class", json!("batch")),
        ("workload.clients[0].output_tokens", json!({"constant": {"tokens": 100}})),
        ("slo.ttft_ms", json!(123.5)),
        ("edits", json!([{"at_us": 5_000_000, "set": {"slo.ttft_ms": 800}}])),
    ]
}

fn with(preset: &Preset, settings: &[(&str, Value)]) -> Scenario {
    let mut document = serde_json::to_value(preset.scenario()).expect("a scenario is JSON");
    for (path, value) in settings {
        set_path(&mut document, path, &value.to_string()).expect("a field");
    }
    scenario(document)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_link_of_any_fields_and_view_comes_back_and_the_order_of_its_changes_leaves_no_trace(
        preset in select(PRESETS.to_vec()),
        view in a_view(),
        (some, shuffled) in subsequence(settings(), 0..=settings().len())
            .prop_flat_map(|some| (Just(some.clone()), Just(some).prop_shuffle())),
    ) {
        let scenario = with(&preset, &some);
        prop_assume!(check(scenario.clone()).is_ok());
        let link = Link { scenario, view, ..Link::default() };
        let made = make(&link).expect("short enough");
        let again = Link { scenario: with(&preset, &shuffled), ..link.clone() };
        prop_assert_eq!(&made, &make(&again).expect("short enough"));
        for text in [Some(&made.link), Some(&made.packed), made.readable.as_ref()].into_iter().flatten() {
            let opened = open(text);
            prop_assert_eq!(opened.problems, Vec::new(), "{}", text);
            prop_assert_eq!(&opened.link, &link, "{}", text);
        }
    }
}

/// Requests that share no text.
fn unlike_requests(n: u32) -> Scenario {
    let request = |i: u32| {
        let [arrival_us, text] = [2_654_435_761_u32, 2_246_822_519].map(|odd| i.wrapping_mul(odd) ^ (i << 7));
        json!({"id": i.to_string(), "arrival_us": arrival_us % 60_000_000,
            "prompt": [{"text": text, "tokens": 1 + text % 977}], "output": {"tokens": 1 + arrival_us % 89}})
    };
    let requests: Vec<Value> = (0..n).map(request).collect();
    from_value(json!({"workload": {"clients": [], "requests": requests}})).expect("a good scenario")
}

#[test]
fn a_scenario_too_long_for_a_link_has_none() {
    let link = |n: u32| Link { scenario: unlike_requests(n), ..Link::default() };
    let long = make(&link(1000)).expect("short enough").link;
    assert!((limits::LINK_CHARS / 3..limits::LINK_CHARS).contains(&long.len()), "{}", long.len());
    assert_eq!(open(&long).link, link(1000));
    let too_long = link(5000);
    assert!(check(too_long.scenario.clone()).is_ok(), "it can be run");
    assert_eq!(make(&too_long), None);
}
