//! Heat maps, distributions and the table of requests say of each request what its record says, and count each of them once.

use crate::support::documents::{one_at_a_time, scenario};
use crate::support::scenarios::{a_scenario, started};
use crate::support::{at, edit, preset, start};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::json;
use tokenyard::base::Micros;
use tokenyard::scenario::{Scenario, TimedEdit};
use tokenyard::session::closeup::{
    CloseUp, Density, DensityQuery, EcdfQuery, LatencyBox, Measure, RequestFilter, RequestRowsQuery,
    RequestTableRow as RequestRow, SortKey,
};
use tokenyard::session::view::{ColumnsQuery, RequestDetail, View};
use tokenyard::session::{Audience, Budget, History, Session, Stop};

const MEASURES: [Measure; 3] = [Measure::Ttft, Measure::Itl, Measure::E2e];

/// Steps of 1 ms that compute 10 tokens of a prompt, one request at a time; prompts of 20 tokens, answers of three. The first of two
/// that arrive together has its tokens after 2, 3 and 4 ms, the second after 6, 7 and 8.
fn four() -> Scenario {
    let mut document = one_at_a_time(&[0, 0, 20_000, 20_000]);
    document["slo"] = json!({"ttft_ms": 5, "tpot_ms": 0, "e2e_ms": 0});
    scenario(document)
}

fn density(session: &Session, of: Measure, [from_us, to_us]: [u64; 2], columns: u32) -> Density {
    session.density(&DensityQuery { of, from_us, to_us, columns })
}

/// The counts that are not 0: column, a value in the row, count.
fn cells(d: &Density, values: &[f64]) -> Vec<(usize, f64, u32)> {
    let rows = d.edges_us.len() - 1;
    let row_of = |value: f64| d.edges_us.partition_point(|edge| *edge <= value) - 1;
    let mut out = Vec::new();
    for column in 0..d.columns as usize {
        for &value in values {
            let count = d.counts[column * rows + row_of(value)];
            if count > 0 {
                out.push((column, value, count));
            }
        }
    }
    out
}

#[test]
fn four_requests_lie_where_they_were_computed_by_hand() {
    let session = at(&four(), 40_000);
    let ttft = density(&session, Measure::Ttft, [0, 40_000], 5);
    assert_eq!((ttft.from_us, ttft.width_us, ttft.columns, ttft.total, ttft.unknown), (0, 10_000, 4, 4, 0));
    let expected = [(0, 2000.0, 1), (0, 6000.0, 1), (2, 2000.0, 1), (2, 6000.0, 1)];
    assert_eq!((cells(&ttft, &[2000.0, 6000.0]), ttft.slo_us), (expected.to_vec(), 5000));
    let e2e = density(&session, Measure::E2e, [15_000, 40_000], 26);
    assert_eq!((e2e.from_us, e2e.width_us, e2e.total), (15_000, 1000, 2));
    assert_eq!(cells(&e2e, &[4000.0, 8000.0]), [(5, 4000.0, 1), (5, 8000.0, 1)]);
    let itl = density(&session, Measure::Itl, [0, 400_000], 5);
    assert_eq!((itl.width_us, itl.finest_us, itl.by_arrival, itl.total), (100_000, 100_000, false, 8));
    assert_eq!(cells(&itl, &[1000.0]), [(0, 1000.0, 8)]);
    let all = RequestFilter::default();
    let ecdf = session.ecdf(&EcdfQuery { of: Measure::Ttft, filter: all.clone() });
    assert_eq!((ecdf.ms, ecdf.percent, ecdf.within), (vec![2.0, 6.0], vec![50.0, 100.0], Some(50.0)));
    assert_eq!(ecdf.percentiles_ms, [Some(4.0), Some(6.0), Some(6.0)]);
    let tpot = session.ecdf(&EcdfQuery { of: Measure::Itl, filter: all });
    assert_eq!((tpot.ms, tpot.count, tpot.within), (vec![1.0], 4, None));
}

#[test]
fn a_request_under_way_is_left_out_and_never_0() {
    let session = at(&four(), 25_500);
    let ttft = density(&session, Measure::Ttft, [0, 40_000], 5);
    assert_eq!((ttft.total, ttft.unknown), (3, 1));
    let rows = session.request_rows(&RequestRowsQuery {
        sort: SortKey::Ttft,
        descending: true,
        limit: 9,
        ..RequestRowsQuery::default()
    });
    let shown: Vec<_> = rows.rows.iter().map(|r| (r.request, r.ttft_us, r.queue_us, r.prefill_us)).collect();
    let done = [(1, Some(6000), 4000, 2000), (0, Some(2000), 0, 2000), (2, Some(2000), 0, 2000)];
    // It joined its first step at 24 ms.
    assert_eq!((&shown[..3], shown[3]), (&done[..], (3, None, 4000, 1500)));
    assert_eq!((rows.matching, rows.arrived, rows.slo_ttft_us), (4, 4, 5000));
    let missed: Vec<_> = rows.rows.iter().map(|r| r.ttft_missed).collect();
    assert_eq!(missed, [Some(true), Some(false), Some(false), None]);
}

fn details(session: &Session) -> Vec<RequestDetail> {
    (0..session.engine().records().len() as u32).filter_map(|i| session.inspect(i)).collect()
}

fn latency(of: Measure, d: &RequestDetail) -> Option<u64> {
    let gaps = |e2e: u64| {
        (d.output_tokens > 1)
            .then(|| (e2e - d.ttft_us.expect("a finished request")) / u64::from(d.output_tokens - 1))
    };
    match of {
        Measure::Ttft => d.ttft_us,
        Measure::Itl => d.e2e_us.and_then(gaps),
        Measure::E2e => d.e2e_us,
    }
}

/// Heat maps count what there is, once.
fn counts_all(session: &Session) {
    let all = details(session);
    for of in MEASURES {
        for columns in [1, 7, 120] {
            let d = density(session, of, [0, session.now().0 + 1], columns);
            let sum: u64 = d.counts.iter().map(|n| u64::from(*n)).sum();
            assert_eq!((sum, d.most), (d.total, d.counts.iter().copied().max().unwrap_or(0)), "{of:?}");
            if of == Measure::Itl {
                continue;
            }
            let known = all.iter().filter(|r| latency(of, r).is_some()).count() as u64;
            assert_eq!((d.total, d.total + d.unknown), (known, all.len() as u64), "{of:?}");
            let rows = d.edges_us.len().saturating_sub(1);
            let mut expected = vec![0; d.counts.len()];
            for (us, r) in all.iter().filter_map(|r| latency(of, r).map(|us| (us, r))) {
                let row = d.edges_us.partition_point(|edge| *edge <= us.max(1) as f64) - 1;
                expected[((r.arrival_us - d.from_us) / d.width_us) as usize * rows + row] += 1;
            }
            assert_eq!(d.counts, expected, "{of:?} in {columns} columns");
        }
    }
}

/// Tokens but the first ones up to the playhead, by the chart of throughput and the log of first tokens. The playhead lies just before the
/// end of a bucket, so that both have the open one.
fn later_tokens(session: &Session, width_s: f64) -> u64 {
    let columns = |view| session.columns(&ColumnsQuery { view, from_us: 0, to_us: 0, window_s: 0.0 }).columns;
    let (throughput, ttft) = (columns(View::Throughput), columns(View::TtftOverTime));
    let last = throughput[0].len() - 1;
    let length = |i: usize| if i == last { width_s - 1e-6 } else { width_s };
    let all: f64 = throughput[3].iter().enumerate().map(|(i, rate)| rate * length(i)).sum();
    (all - ttft[4].iter().sum::<f64>()).round() as u64
}

#[test]
fn heat_maps_of_presets_count_every_request_and_every_gap_once() {
    for (name, until) in
        [("kv-pressure", 21_300_000), ("chat-4xh100", 30_000_000), ("llm-d-prefill-decode", 9_000_000)]
    {
        let session = at(&preset(name, 25.0), until);
        assert!(session.engine().records().len() > 50, "{name}");
        counts_all(&session);
        let produced =
            details(&session).iter().map(|d| u64::from(d.output_tokens.saturating_sub(1))).sum::<u64>();
        assert_eq!(density(&session, Measure::Itl, [0, until], 30).total, produced, "gaps of {name}");
    }
}

#[test]
fn gaps_are_counted_over_buckets_that_double() {
    let mut scenario = preset("kv-pressure", 0.0);
    scenario.run.max_requests = 5000;
    scenario.observe.series_points = 60;
    let session = at(&scenario, 40_000_000);
    let itl = density(&session, Measure::Itl, [0, 40_000_000], 1000);
    assert_eq!(itl.finest_us, 800_000, "100 ms, doubled three times");
    counts_all(&session);
}

#[test]
fn distributions_without_the_warm_up_have_the_percentiles_of_the_report() {
    for name in ["kv-pressure", "router-showdown", "prefix-herding"] {
        let Some(_) = tokenyard::scenario::preset::PRESETS.iter().find(|p| p.name == name) else { continue };
        let session = at(&preset(name, 20.0), 25_000_000);
        let report = session.report_data().latency_ms;
        let filter = RequestFilter { measured: true, ..RequestFilter::default() };
        for (of, summary) in
            [(Measure::Ttft, report.ttft), (Measure::Itl, report.tpot), (Measure::E2e, report.e2e)]
        {
            let ecdf = session.ecdf(&EcdfQuery { of, filter: filter.clone() });
            assert_eq!(ecdf.count, summary.count, "{name} {of:?}");
            let near = |a: Option<f64>, b: f64| (a.expect("requests") - b).abs() < 1e-9 * b.max(1.0);
            for (a, b) in ecdf.percentiles_ms.into_iter().zip([summary.p50, summary.p90, summary.p99]) {
                assert!(near(a, b), "{name} {of:?}: {a:?} and {b}");
            }
            assert!(ecdf.ms.is_sorted() && ecdf.percent.is_sorted() && ecdf.ms.len() <= 401);
            assert_eq!(ecdf.percent.last(), Some(&100.0));
        }
    }
}

fn row_value(key: SortKey, r: &RequestRow) -> Option<f64> {
    match key {
        SortKey::Replica => r.replica.map(f64::from),
        SortKey::Prompt => Some(r.prompt_tokens.into()),
        SortKey::Output => Some(r.output_tokens.into()),
        SortKey::Ttft => r.ttft_us.map(|us| us as f64),
        SortKey::Tpot => r.tpot_us,
        SortKey::E2e => r.e2e_us.map(|us| us as f64),
        SortKey::Preemptions => Some(r.preemptions.into()),
        SortKey::State => Some(f64::from(r.state as u8)),
        SortKey::Request | SortKey::Client | SortKey::Class => Some(r.request.into()),
    }
}

fn rows(session: &Session, filter: &RequestFilter, sort: SortKey, descending: bool) -> Vec<RequestRow> {
    let query = RequestRowsQuery { filter: filter.clone(), sort, descending, offset: 0, limit: 100_000 };
    session.request_rows(&query).rows
}

#[test]
fn rows_are_in_order_with_missing_values_last() {
    let session = at(&preset("kv-pressure", 20.0), 15_500_000);
    let all = RequestFilter::default();
    let keys = [
        SortKey::Replica,
        SortKey::Prompt,
        SortKey::Output,
        SortKey::Ttft,
        SortKey::Tpot,
        SortKey::E2e,
        SortKey::Preemptions,
        SortKey::State,
        SortKey::Request,
    ];
    for key in keys {
        for descending in [false, true] {
            let rows = rows(&session, &all, key, descending);
            assert_eq!(rows.len(), session.engine().records().len(), "{key:?}");
            for pair in rows.windows(2) {
                let ordered = match (row_value(key, &pair[0]), row_value(key, &pair[1])) {
                    (Some(a), Some(b)) if a.total_cmp(&b).is_eq() => pair[0].request < pair[1].request,
                    (Some(a), Some(b)) => (a < b) != descending,
                    (Some(_), None) => true,
                    (None, Some(_)) => false,
                    (None, None) => pair[0].request < pair[1].request,
                };
                assert!(ordered, "{key:?} descending {descending}: {pair:?}");
            }
        }
    }
    let by_client = rows(&session, &all, SortKey::Client, false);
    assert!(by_client.is_sorted_by_key(|r| (r.client_name.clone(), r.request)));
    let by_class = rows(&session, &all, SortKey::Class, false);
    assert!(by_class.is_sorted_by_key(|r| (r.class.clone(), r.request)));
    let page = |offset, limit| {
        let query = RequestRowsQuery { sort: SortKey::E2e, offset, limit, ..RequestRowsQuery::default() };
        session.request_rows(&query).rows
    };
    let [first, second] = [page(0, 10), page(10, 10)];
    assert_eq!([first, second].concat(), page(0, 20));
    assert_eq!(page(u32::MAX, 10), []);
}

#[test]
fn a_filter_has_the_requests_that_meet_all_of_it() {
    let session = at(&preset("kv-pressure", 20.0), 18_000_000);
    let every = rows(&session, &RequestFilter::default(), SortKey::Request, false);
    let median = every[every.len() / 2].ttft_us.expect("it has its first token") as f64;
    let inside = |from_us, to_us, least_us, most_us| LatencyBox {
        of: Measure::Ttft,
        from_us,
        to_us,
        least_us,
        most_us,
    };
    let boxes = vec![inside(2_000_000, 6_000_000, 0.0, median), inside(5_000_000, 9_000_000, median, 1e9)];
    let in_boxes = |r: &RequestRow| {
        let is_in = |b: &LatencyBox| {
            let ttft = r.ttft_us.map(|us| us as f64);
            (b.from_us..=b.to_us).contains(&r.arrival_us)
                && ttft.is_some_and(|us| (b.least_us..=b.most_us).contains(&us))
        };
        boxes.iter().any(is_in)
    };
    let check = |filter: &RequestFilter, passes: &dyn Fn(&RequestRow) -> bool| {
        let expected: Vec<RequestRow> = every.iter().filter(|r| passes(r)).cloned().collect();
        assert!(!expected.is_empty() && expected.len() < every.len(), "{filter:?}");
        assert_eq!(rows(&session, filter, SortKey::Request, false), expected, "{filter:?}");
        let summary = session.selection_summary(filter);
        assert_eq!(summary.these.count, expected.len() as u64);
    };
    let none = RequestFilter::default;
    check(&RequestFilter { boxes: boxes.clone(), ..none() }, &in_boxes);
    check(&RequestFilter { from_us: 3_000_000, to_us: 4_000_000, ..none() }, &|r| {
        (3_000_000..=4_000_000).contains(&r.arrival_us)
    });
    check(&RequestFilter { measured: true, ..none() }, &|r| r.arrival_us >= 1_000_000);
    let state = every[0].state;
    check(&RequestFilter { state: Some(state), ..none() }, &|r| r.state == state);
    if session.engine().replicas().len() > 1 {
        check(&RequestFilter { replica: Some(1), ..none() }, &|r| r.replica == Some(1));
    }
}

#[test]
fn a_summary_counts_both_sides_and_says_what_differs_most() {
    let session = at(&preset("kv-pressure", 20.0), 18_000_000);
    let every = rows(
        &session,
        &RequestFilter { measured: true, ..RequestFilter::default() },
        SortKey::Request,
        false,
    );
    let slow = |r: &&RequestRow| r.prompt_tokens > 1024 && r.preemptions > 0;
    assert!(every.iter().any(|r| slow(&r)) || !every.is_empty());
    let from_us = 9_000_000;
    let filter = RequestFilter { from_us, measured: true, ..RequestFilter::default() };
    let summary = session.selection_summary(&filter);
    let (these, rest): (Vec<&RequestRow>, Vec<&RequestRow>) =
        every.iter().partition(|r| r.arrival_us >= from_us);
    for (side, rows) in [(&summary.these, &these), (&summary.rest, &rest)] {
        assert_eq!(side.count, rows.len() as u64);
        let known: Vec<&&RequestRow> = rows.iter().filter(|r| r.ttft_us.is_some()).collect();
        let [queue, ttft] =
            known.iter().fold([0, 0], |[q, t], r| [q + r.queue_us, t + r.ttft_us.unwrap_or(0)]);
        assert_eq!(side.ttft.count, known.len() as u64);
        assert_eq!(side.queue_percent, Some(100.0 * queue as f64 / ttft as f64));
        assert_eq!(side.queue_percent.zip(side.prefill_percent).map(|(q, p)| (q + p).round()), Some(100.0));
        assert_eq!(side.slowest_us, known.iter().filter_map(|r| r.ttft_us).max());
    }
    let slowest = these.iter().max_by_key(|r| (r.ttft_us, std::cmp::Reverse(r.request))).expect("some");
    assert_eq!(summary.slowest, Some(slowest.request));
    assert!(summary.apart.len() <= 8 && !summary.apart.is_empty(), "{summary:?}");
    assert!(summary.apart.is_sorted_by(|a, b| (a.these - a.rest).abs() >= (b.these - b.rest).abs()));
    let share = |rows: &[&RequestRow], has: &dyn Fn(&RequestRow) -> bool| {
        100.0 * rows.iter().filter(|r| has(r)).count() as f64 / rows.len() as f64
    };
    for apart in &summary.apart {
        if apart.what == "preempted" {
            let has = |r: &RequestRow| r.preemptions > 0;
            assert_eq!((apart.these, apart.rest), (share(&these, &has), share(&rest, &has)));
        }
        if let Some(replica) = apart.what.strip_prefix("on r") {
            let has = |r: &RequestRow| r.replica == replica.parse().ok();
            assert_eq!((apart.these, apart.rest), (share(&these, &has), share(&rest, &has)));
        }
    }
    assert!(summary.sentence.contains("of them") && summary.sentence.ends_with('.'), "{}", summary.sentence);
    let empty = session.selection_summary(&RequestFilter { from_us: u64::MAX, ..RequestFilter::default() });
    assert_eq!((empty.these.count, empty.apart.len(), empty.slowest), (0, 0, None));
    assert_eq!(empty.sentence, "No request is selected.");
    assert_eq!(empty.rest.count, every.len() as u64);
}

/// Every question of this view, as the page asks it.
fn asked() -> Vec<CloseUp> {
    let query = json!([
        {"density": {"of": "ttft", "from_us": 0, "to_us": 0, "columns": 120}},
        {"density": {"of": "itl", "from_us": 3_000_000, "to_us": 9_000_000, "columns": 40}},
        {"density": {"of": "e2e", "from_us": 9, "to_us": 3, "columns": 0}},
        {"ecdf": {"of": "e2e", "filter": {"measured": true, "to_us": 9_000_000}}},
        {"rows": {"filter": {"boxes": [{"of": "itl", "from_us": 0, "to_us": 1e7 as u64, "least_us": 0, "most_us": 20_000.5}]},
            "sort": "tpot", "descending": true, "limit": 50}},
        {"summary": {"from_us": 4_000_000}},
    ]);
    serde_json::from_value(query).expect("questions")
}

fn answers(session: &Session) -> Vec<String> {
    asked().iter().map(|question| session.close_up(question)).collect()
}

#[test]
fn answers_do_not_depend_on_how_a_run_got_there() {
    let base = preset("kv-pressure", 20.0);
    let edits = vec![TimedEdit::new(6_000_000, edit::rate(0, 30.0))];
    let scenario = Scenario { edits, ..base };
    let until = Micros(11_500_000);
    let straight = answers(&at(&scenario, until.0));
    let mut sliced = start(&scenario);
    while sliced.advance(until, 313) == Stop::Events {}
    assert_eq!(answers(&sliced), straight, "in slices");
    let mut history = History::new(start(&scenario), Budget { bytes: 12 << 20, events: 500 });
    for to in [14_000_000, 2_000_000, 17_000_000, until.0] {
        history.seek(Micros(to));
        while history.advance(Micros(to), 777) == Stop::Events {}
    }
    assert_eq!(answers(history.present()), straight, "after seeking");
    let mut restored = start(&scenario);
    restored.restore(&at(&scenario, 8_000_000).snapshot()).expect("a good snapshot");
    restored.advance(until, u64::MAX);
    assert_eq!(answers(&restored), straight, "from a snapshot");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        rng_seed: RngSeed::Fixed(11),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn heat_maps_of_random_runs_count_everything_once(scenario in a_scenario(), tenths in 1..25_u64) {
        let mut session = started(&scenario, Audience::Live);
        session.advance(Micros(tenths * 100_000 - 1), u64::MAX);
        counts_all(&session);
        if session.now() == Micros(tenths * 100_000 - 1) {
            let itl = density(&session, Measure::Itl, [0, tenths * 100_000], 40);
            prop_assert_eq!(itl.total, later_tokens(&session, 0.1));
        }
        for question in asked() {
            prop_assert!(!session.close_up(&question).is_empty());
        }
    }
}
