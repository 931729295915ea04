//! Lanes: single steps, worked out by hand; sums that hold in any run; and the same answer however the run came there.

use super::plain;
use crate::support::scenarios::a_scenario;
use crate::support::{at, preset, start};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tokenyard::base::Micros;
use tokenyard::scenario::Scenario;
use tokenyard::session::closeup::{
    CloseUp, LaneSteps, LanesQuery, PointsQuery, StepChunk, StepDetail, StepQuery, StepTerms, StepTotals,
};
use tokenyard::session::view::SegmentKind;
use tokenyard::session::{Audience, Budget, History, Session, Stop};

/// One replica. A step takes 1000 us, 10 us for each token of prompt, 100 us for each request that decodes and 1 us for each token that it
/// reads, those computed in it included.
fn scenario(limits: &str) -> Scenario {
    let text = r#"{
      "run": {"horizon_s": 60, "warmup_s": 0},
      "cluster": {
        "routing": "round-robin",
        "pools": [{"replicas": 1, "latency": {"fitted": {"step_us": 1000, "step_us_per_prefill_token": 10,
            "step_us_per_decode_token": 100, "step_us_per_context_token": 1}},
          "kv": {"blocks": 100, "block_tokens": 4} LIMITS}]
      },
      "workload": {"clients": [], "requests": [
        {"id": "a", "arrival_us": 0, "prompt": [{"text": 1, "tokens": 40}], "output": {"tokens": 3, "text": 11}},
        {"id": "b", "arrival_us": 2500, "prompt": [{"text": 2, "tokens": 30}], "output": {"tokens": 2, "text": 12}}
      ]}
    }"#;
    serde_json::from_str(&text.replace("LIMITS", limits)).expect("a scenario")
}

fn query(from_us: u64, to_us: u64) -> LanesQuery {
    LanesQuery { from_us, to_us, replica: Some(0), most: 4096, requests: 100, first: 0, count: 2000 }
}

fn step(session: &Session, replica: u32, seq: u64) -> StepDetail {
    session.step_detail(&StepQuery { replica, seq }).expect("it is kept")
}

fn terms(t: &StepTerms) -> [u64; 7] {
    [t.base_us, t.batch_us, t.kv_us, t.prefill_us, t.transfers_us, t.adapters_us, t.others_us]
}

/// The prompt of `a` takes 1000 + 400 + 40 = 1440 us; its second token 1000 + 100 + 41 = 1141; its third beside the prompt of `b` takes
/// 1000 + 100 + 300 + 30 + 42 = 1472; the second token of `b` 1000 + 100 + 31 = 1131. One token with an empty cache takes 1101.
#[test]
fn steps_have_the_terms_that_one_finds_by_hand() {
    let session = at(&scenario(""), 60_000_000);
    let lanes = session.lanes(&query(0, 60_000_000));
    let steps = &lanes.lanes[0].steps;
    assert_eq!(steps.seq, [0, 1, 2, 3]);
    assert_eq!(steps.at_us, [0, 1440, 2581, 4053]);
    assert_eq!(steps.span_us, [1440, 1141, 1472, 1131]);
    assert_eq!(steps.prefill_us, [339, 0, 330, 0]);
    assert_eq!((&steps.prompt_tokens[..], &steps.decode[..]), (&[40, 0, 30, 0][..], &[0, 1, 1, 1][..]));
    let each = [0, 1, 2, 3].map(|seq| terms(&step(&session, 0, seq).terms));
    assert_eq!(
        each,
        [
            [1101, 0, 0, 339, 0, 0, 0],
            [1101, 0, 40, 0, 0, 0, 0],
            [1101, 0, 41, 330, 0, 0, 0],
            [1101, 0, 30, 0, 0, 0, 0]
        ]
    );
    let totals = &lanes.totals;
    // Three tokens of `a` and two of `b`; the median lies between 1141 and 1440.
    assert_eq!((totals.steps, totals.prompt_tokens, totals.output_tokens), (4, 70, 5));
    assert_eq!((totals.p50_us, &lanes.lanes[0].totals), (Some(1291), totals));
    assert_eq!((terms(&totals.terms), totals.time_us), ([4404, 0, 111, 669, 0, 0, 0], 5184));
    assert_eq!((totals.shares.len(), totals.shares[0]), (7, 4404.0 / 5184.0));
    let none = session.lanes(&LanesQuery { first: 1, ..query(0, 60_000_000) });
    assert_eq!((none.lanes[0].steps.seq.len(), &none.lanes[0].totals), (0, totals));
}

#[test]
fn a_step_says_what_its_prompts_cost_the_requests_that_decode() {
    let session = at(&scenario(""), 3000);
    let found = step(&session, 0, 2);
    assert_eq!((found.decode, found.context_tokens, found.prompt_tokens), (1, 41, 30));
    assert_eq!(found.chunks, [StepChunk { request: 1, from: 0, to: 30, tokens: 30, of: 30 }]);
    assert_eq!((found.running, found.waiting, found.without_prefill_us), (2, 0, Some(1142)));
    // It is under way.
    let text = "It takes 1.47 ms. Without the chunk of #1 it would take 1.14 ms: 1 answer get its token 0.33 ms later.";
    assert_eq!(plain(&found.sentence), text.replace("get", "gets"));
    let session = at(&scenario(""), 60_000_000);
    let text = "It took 1.47 ms. Without the chunk of #1 it would have taken 1.14 ms: 1 answer got its token 0.33 ms later.";
    assert_eq!(plain(&step(&session, 0, 2).sentence), text);
    assert_eq!(plain(&step(&session, 0, 1).sentence), "It took 1.14 ms, a token for 1 answer.");
    let first = step(&session, 0, 0);
    assert_eq!(plain(&first.sentence), "It took 1.44 ms for the chunk of #0. No request decoded in it.");
    assert_eq!(first.without_prefill_us, None);
    assert_eq!(session.step_detail(&StepQuery { replica: 0, seq: 4 }), None);
    assert_eq!(session.step_detail(&StepQuery { replica: 9, seq: 0 }), None);
}

#[test]
fn a_prompt_cut_into_chunks_says_where_each_begins() {
    let session =
        at(&scenario(r#", "engine": {"max_num_batched_tokens": 16, "max_num_seqs": 8}"#), 60_000_000);
    let chunks: Vec<StepChunk> = (0..5).flat_map(|seq| step(&session, 0, seq).chunks).collect();
    let of = |request, from, tokens, of| StepChunk { request, from, to: from + tokens, tokens, of };
    // The third chunk of `a` has 8 tokens, which leaves 8 for `b` if it has arrived.
    assert_eq!(chunks[..3], [of(0, 0, 16, 40), of(0, 16, 16, 40), of(0, 32, 8, 40)]);
    assert_eq!(step(&session, 0, 0).token_budget, 16);
    let b: u32 = chunks.iter().filter(|c| c.request == 1).map(|c| c.tokens).sum();
    assert!(b <= 30 && chunks.iter().filter(|c| c.request == 1).all(|c| c.of == 30));
}

#[test]
fn the_open_lane_has_its_requests_in_rows_and_the_size_of_its_batch() {
    let session = at(&scenario(""), 60_000_000);
    let open = session.lanes(&query(1000, 3000)).open.expect("it was asked for");
    let rows: Vec<_> = open.requests.iter().map(|r| (r.request, r.row, r.from_us, r.to_us)).collect();
    assert_eq!(rows, [(0, 0, 0, 4053), (1, 1, 2500, 5184)]);
    assert_eq!((open.rows, open.more), (2, 0));
    assert_eq!(open.requests.iter().map(|r| r.first_step_us).collect::<Vec<_>>(), [Some(0), Some(2581)]);
    let parts: Vec<_> = open.requests[1].parts.iter().map(|s| (s.kind, s.from_us, s.to_us)).collect();
    assert_eq!(parts, [(SegmentKind::Queue, 2500, 2581), (SegmentKind::Prefill, 2581, 3000)]);
    let parts: Vec<_> = open.requests[0].parts.iter().map(|s| (s.kind, s.from_us, s.to_us)).collect();
    assert_eq!(parts, [(SegmentKind::Prefill, 1000, 1440), (SegmentKind::Decode, 1440, 3000)]);
    assert_eq!((&open.batch_us[..], &open.running[..]), (&[0, 2581][..], &[1, 2][..]));
    // `a` has left: `b` stays in its row.
    let open = session.lanes(&query(4500, 5000)).open.expect("it was asked for");
    assert_eq!((open.requests.len(), open.requests[0].row, open.rows), (1, 1, 2));
    let one = session.lanes(&LanesQuery { requests: 1, ..query(0, 60_000_000) }).open.expect("asked");
    assert_eq!((one.requests.len(), one.more), (1, 1));
    let marks = session.lanes(&query(0, 2499)).marks;
    assert_eq!(marks.iter().map(|m| (m.at_us, m.request, m.replica)).collect::<Vec<_>>(), [(0, 0, 0)]);
}

#[test]
fn points_of_steps_lie_beside_the_line_of_the_model() {
    let session = at(&scenario(""), 60_000_000);
    let points = session.step_points(&PointsQuery { from_us: 1, to_us: 60_000_000, replica: None });
    assert_eq!((points.steps, &points.running[..]), (3, &[1, 2, 1][..]));
    assert_eq!((&points.ms[..], &points.chunk[..]), (&[1.141, 1.472, 1.131][..], &[false, true, false][..]));
    // Two steps that only decode have contexts of 40 and 30: 35 on average.
    assert_eq!(points.line, [vec![1.0, 2.0], vec![1.136, 1.272]]);
    let none = session.step_points(&PointsQuery { from_us: 9_000_000, to_us: 10_000_000, replica: Some(0) });
    assert_eq!((none.steps, none.line[0].len()), (0, 0));
}

fn add(sum: &mut StepTotals, other: &StepTotals) {
    sum.steps += other.steps;
    sum.prompt_tokens += other.prompt_tokens;
    sum.output_tokens += other.output_tokens;
    sum.time_us += other.time_us;
    let t = &mut sum.terms;
    let o = &other.terms;
    t.base_us += o.base_us;
    t.batch_us += o.batch_us;
    t.kv_us += o.kv_us;
    t.prefill_us += o.prefill_us;
    t.transfers_us += o.transfers_us;
    t.adapters_us += o.adapters_us;
    t.others_us += o.others_us;
}

/// Terms add up to the steps, lanes to the totals, and merged slices to single ones. Returns how many steps there were.
fn adds_up(session: &Session) -> u64 {
    let end = session.now().0;
    let whole = session.lanes(&LanesQuery { replica: None, ..query(0, end + 1) });
    if whole.kept_from_us > 0 || whole.lanes.iter().any(|lane| lane.steps.steps.iter().any(|n| *n > 1)) {
        return 0;
    }
    let mut sum = StepTotals::default();
    for lane in &whole.lanes {
        let spans: u64 = lane.steps.span_us.iter().sum();
        assert_eq!(terms(&lane.totals.terms).iter().sum::<u64>(), spans, "r{}", lane.replica);
        assert_eq!(lane.totals.steps, lane.steps.seq.len() as u64);
        assert!(lane.steps.seq.iter().copied().eq(0..lane.totals.steps));
        for seq in [0, lane.totals.steps / 2] {
            let Some(found) = session.step_detail(&StepQuery { replica: lane.replica, seq }) else {
                continue;
            };
            assert_eq!(terms(&found.terms).iter().sum::<u64>(), found.span_us);
            assert_eq!(found.chunks.iter().map(|c| c.tokens).sum::<u32>(), found.prompt_tokens);
            assert!(found.chunks.iter().all(|c| c.from + c.tokens <= c.of));
            assert!(found.without_prefill_us.is_none_or(|without| without <= found.span_us));
        }
        add(&mut sum, &lane.totals);
    }
    assert_eq!(sum, StepTotals { p50_us: None, p99_us: None, shares: Vec::new(), ..whole.totals.clone() });
    let few = session.lanes(&LanesQuery { replica: None, most: 7, ..query(0, end + 1) });
    for (single, merged) in whole.lanes.iter().zip(&few.lanes) {
        assert_eq!(single.totals, merged.totals);
        merges(&single.steps, &merged.steps, 7);
    }
    sum.steps
}

fn merges(single: &LaneSteps, merged: &LaneSteps, most: usize) {
    assert!(merged.seq.len() <= most);
    let sum = |list: &[u32]| list.iter().map(|n| u64::from(*n)).sum::<u64>();
    assert_eq!(sum(&merged.steps), single.seq.len() as u64);
    assert_eq!(sum(&merged.prompt_tokens), sum(&single.prompt_tokens));
    assert_eq!(merged.prefill_us.iter().sum::<u64>(), single.prefill_us.iter().sum::<u64>());
    for (i, first) in merged.seq.iter().enumerate() {
        let (first, count) = (*first as usize, merged.steps[i] as usize);
        assert_eq!(merged.at_us[i], single.at_us[first]);
        let ends = (first..first + count).map(|s| single.at_us[s] + single.span_us[s]).max();
        assert_eq!(Some(merged.at_us[i] + merged.span_us[i]), ends);
        assert!(merged.busy_us[i] <= merged.span_us[i]);
    }
}

#[test]
fn terms_add_up_in_presets_of_all_kinds() {
    for name in ["kv-pressure", "router-showdown", "long-chats", "scale-to-zero", "prompts-among-decodes"] {
        let scenario = preset(name, 20.0);
        let mut session = start(&scenario);
        session.advance(Micros::MAX, u64::MAX);
        let steps = adds_up(&session);
        // All tokens that the report counts come from steps.
        let report = session.report_data();
        let lanes = session.lanes(&LanesQuery { most: 0, replica: None, ..query(0, u64::MAX) });
        assert_eq!(steps, lanes.totals.steps, "{name}");
        assert_eq!(lanes.totals.steps, report.replicas.iter().map(|r| r.steps).sum::<u64>(), "{name}");
        assert!(lanes.lanes.iter().all(|lane| lane.steps.seq.is_empty()) && lanes.marks.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        rng_seed: RngSeed::Fixed(39),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn terms_of_any_run_add_up_and_slicing_changes_no_lane(scenario in a_scenario()) {
        let session = at(&scenario, u64::MAX);
        adds_up(&session);
        let mut sliced = start(&scenario);
        while sliced.advance(Micros::MAX, 77) == Stop::Events {}
        let end = session.now().0 + 1;
        for asked in [CloseUp::Lanes(query(0, end)), CloseUp::Lanes(LanesQuery { most: 5, ..query(end / 3, end / 2) })] {
            prop_assert_eq!(session.close_up(&asked), sliced.close_up(&asked));
        }
    }
}

#[test]
fn lanes_after_going_back_are_those_of_a_run_straight_there() {
    let scenario = preset("kv-pressure", 30.0);
    let mut history = History::new(start(&scenario), Budget { bytes: 12 << 20, events: 500 });
    for until in [15_000_000, 6_000_000, 20_000_000, 9_500_000] {
        history.seek(Micros(until));
        while history.advance(Micros(until), 777) == Stop::Events {}
        let straight = at(&scenario, until);
        for asked in [
            CloseUp::Lanes(query(until - 3_000_000, until)),
            CloseUp::Step(StepQuery { replica: 0, seq: 40 }),
            CloseUp::Points(PointsQuery { from_us: 0, to_us: until, replica: None }),
        ] {
            assert_eq!(history.present().close_up(&asked), straight.close_up(&asked), "at {until}");
        }
    }
}

#[test]
fn questions_beyond_all_limits_have_bounded_answers() {
    let session = at(&preset("kv-pressure", 30.0), 20_000_000);
    let huge = LanesQuery {
        from_us: 0,
        to_us: u64::MAX,
        replica: Some(u32::MAX),
        most: u32::MAX,
        requests: u32::MAX,
        first: 0,
        count: u32::MAX,
    };
    let lanes = session.lanes(&huge);
    assert_eq!((lanes.open, lanes.to_us), (None, u64::MAX));
    assert!(lanes.lanes.iter().all(|lane| lane.steps.seq.len() <= 4096));
    assert!(lanes.marks.len() <= 2000 && lanes.overview[0].len() <= 240);
    let open = session.lanes(&LanesQuery { replica: Some(0), ..huge }).open.expect("there is such a replica");
    assert!(open.requests.len() <= 2000 && open.batch_us.len() <= 2000);
    // A span that ends before it begins is empty.
    let turned = session.lanes(&query(9_000_000, 3_000_000));
    assert_eq!((turned.from_us, turned.to_us, turned.totals.steps), (9_000_000, 9_000_000, 0));
}

#[test]
fn the_overview_counts_all_tokens_and_a_batch_run_keeps_no_step() {
    let scenario = preset("kv-pressure", 30.0);
    let session = at(&scenario, 20_000_000);
    let [start_s, prompt, output] = session.lanes(&query(0, 1)).overview;
    let width = start_s[1] - start_s[0];
    let sum = |rates: &[f64]| rates[..rates.len() - 1].iter().map(|rate| rate * width).sum::<f64>();
    let steps = session.lanes(&LanesQuery { most: 0, replica: None, ..query(0, 20_000_000) }).totals;
    assert!((sum(&prompt) - steps.prompt_tokens as f64).abs() < 0.02 * steps.prompt_tokens as f64);
    assert!((sum(&output) - steps.output_tokens as f64).abs() < 0.02 * steps.output_tokens as f64);
    let (mut batch, _) = Session::start(scenario, None, Audience::Batch).expect("it is sound");
    batch.advance(Micros(20_000_000), u64::MAX);
    let none = batch.lanes(&query(0, 20_000_000));
    assert_eq!((none.totals, none.kept_from_us), (StepTotals::default(), 0));
    assert_eq!(batch.report(), session.report());
}
