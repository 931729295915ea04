//! Tests of the session's guarantees, each on one busy scenario; `tests/it/engine/laws.rs` generates more.

use super::*;
use view::{ColumnsQuery, EventKind, EventsQuery, FrameQuery, Mark, View};

const LIVELY: &str = r#"{
    "run": { "horizon_s": 30, "warmup_s": 2 },
    "cluster": { "pools": [{ "replicas": 3, "kv": { "blocks": 300 } }] },
    "workload": { "clients": [{
        "arrivals": { "poisson": { "rate_per_s": 30 } },
        "prompt_tokens": { "lognormal": { "median_tokens": 300, "sigma": 0.8, "min_tokens": 4, "max_tokens": 3000 } },
        "output_tokens": { "gaussian": { "mean_tokens": 80, "sd_tokens": 40, "min_tokens": 1, "max_tokens": 400 } },
        "prefix": { "groups": 3, "tokens": 100 }
    }] }
}"#;

fn lively() -> Session {
    Session::load(LIVELY, None).unwrap_or_else(|p| panic!("{p:?}")).0
}

mod edit {
    use document::Change;

    pub(super) fn rate(client: u32, rate_per_s: f64) -> Change {
        Change::set(&format!("workload.clients[{client}].arrivals.poisson.rate_per_s"), rate_per_s)
    }

    pub(super) fn replicas(pool: u32, replicas: u32) -> Change {
        Change::set(&format!("cluster.pools[{pool}].replicas"), replicas)
    }

    pub(super) fn kv_blocks(pool: u32, blocks: u32) -> Change {
        Change::set(&format!("cluster.pools[{pool}].kv.blocks"), blocks)
    }
}

#[test]
fn slices_do_not_matter() {
    let (mut whole, mut sliced) = (lively(), lively());
    assert_eq!(whole.advance(Micros::MAX, u64::MAX), Stop::Finished);
    let mut until = 0;
    while sliced.advance(Micros(until), 37) != Stop::Finished {
        until += 7_001;
    }
    // Nothing is left to run before the horizon, but the last slice may end short of it.
    assert_eq!(sliced.advance(Micros::MAX, 37), Stop::Finished);
    assert_eq!(whole.report(), sliced.report());
    assert_eq!(whole.now(), sliced.now());
    let q = ColumnsQuery { view: View::QueueDepth, from_us: 0, to_us: 0, window_s: 0.0 };
    assert_eq!(whole.columns(&q), sliced.columns(&q));
    assert!(whole.report_data().requests.preemptions > 0, "{}", whole.report());
}

#[test]
fn running_requests_of_a_bucket_are_those_at_its_end() {
    let mut s = lively();
    let q = ColumnsQuery { view: View::Running, from_us: 0, to_us: 0, window_s: 0.0 };
    let width = s.recorder.timeline.width_us();
    let mut told = vec![Vec::new(); 3];
    for bucket in 1..=40 {
        s.advance(Micros(bucket * width), u64::MAX);
        for (of, r) in told.iter_mut().zip(s.engine.replicas()) {
            of.push(f64::from(r.running()));
        }
    }
    let found = s.columns(&q);
    assert_eq!(found.names, ["t_s", "r0", "r1", "r2"]);
    let closed = found.columns[0].len();
    assert!(closed >= 39, "{closed}");
    for (column, told) in found.columns[1..].iter().zip(&told) {
        assert_eq!(column, &told[..closed]);
        assert!(column.iter().any(|&n| n > 1.0));
    }
}

#[test]
fn a_restored_run_goes_on_as_if_it_had_never_stopped() {
    let (mut straight, mut other) = (lively(), lively());
    straight.advance(Micros(11_111_111), u64::MAX);
    let saved = straight.snapshot();
    straight.advance(Micros::MAX, u64::MAX);
    other.advance(Micros(20_000_000), 5);
    other.restore(&saved).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(other.now(), Micros(11_111_111));
    other.advance(Micros::MAX, u64::MAX);
    assert_eq!(straight.report(), other.report());
    assert_eq!(straight.snapshot(), other.snapshot());
}

#[test]
fn damaged_snapshots_are_refused() {
    let mut s = lively();
    let mut bytes = s.snapshot();
    assert_eq!(s.restore(b"nonsense"), Err(SnapshotError::Foreign));
    assert_eq!(s.restore(b""), Err(SnapshotError::Foreign));
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    assert_eq!(s.restore(&bytes), Err(SnapshotError::Damaged));
}

#[test]
fn live_edits_replay_from_the_scenario_they_leave_behind() {
    let mut live = lively();
    live.advance(Micros(5_000_000), u64::MAX);
    assert!(live.apply(edit::rate(0, 45.0)).is_empty());
    live.advance(Micros(9_000_000), 4000);
    assert!(live.apply(edit::replicas(0, 5)).is_empty());
    assert!(live.apply(edit::kv_blocks(0, 250)).is_empty());
    live.advance(Micros(15_000_000), u64::MAX);
    assert!(live.apply_text(r#"{"set":{"cluster.routing":"random"}}"#).is_empty());
    assert!(live.apply(edit::replicas(0, 2)).is_empty());
    live.advance(Micros::MAX, u64::MAX);
    let text = document::to_json(&live.scenario());
    let (mut replay, _) = Session::load(&text, None).unwrap_or_else(|p| panic!("{p:?}"));
    replay.advance(Micros::MAX, u64::MAX);
    assert_eq!(live.report(), replay.report());
    assert_eq!(live.report_data().run.edits_applied, 5);
}

#[test]
fn an_edit_keeps_its_instant_in_a_scenario_with_other_events() {
    let mut live = lively();
    live.advance(Micros(10_000_000), u64::MAX);
    assert_eq!(live.apply(edit::replicas(0, 1)), []);
    let mut slower = live.scenario();
    for rate in ["10", "90"] {
        let mut document = json::tree(&slower);
        let path = "workload.clients[0].arrivals.poisson.rate_per_s";
        document::set_path(&mut document, path, rate).unwrap();
        slower = document::from_value(document).unwrap();
        let (mut run, _) = Session::start(slower.clone(), None, Audience::Live).unwrap();
        assert_eq!(run.advance(Micros(9_999_999), u64::MAX), Stop::Until);
        assert_eq!((run.now(), run.edits.applied()), (Micros(9_999_999), 0), "{rate} requests a second");
        assert_eq!(run.advance(Micros(10_000_000), u64::MAX), Stop::Until);
        assert_eq!((run.now(), run.edits.applied()), (Micros(10_000_000), 1), "{rate} requests a second");
    }
}

#[test]
fn an_edit_at_the_start_comes_before_what_arrives_then() {
    let text = r#"{
        "workload": { "clients": [], "requests": [
            { "arrival_us": 0, "prompt": [{ "text": 1, "tokens": 10 }], "output": { "tokens": 5 } }
        ] },
        "edits": [{ "at_us": 0, "set": { "cluster.admission": "reject-all" } }]
    }"#;
    let mut run = Session::load(text, None).unwrap_or_else(|p| panic!("{p:?}")).0;
    run.advance(Micros::MAX, u64::MAX);
    assert_eq!(run.report_data().requests.rejected, 1);
}

#[test]
fn a_bad_edit_changes_nothing() {
    let mut s = lively();
    s.advance(Micros(1_000_000), u64::MAX);
    assert!(!s.apply_text(r#"{"replicas":{"pool":9,"replicas":1}}"#).is_empty());
    assert!(!s.apply_text("{").is_empty());
    assert!(s.edits().is_empty());
}

#[test]
fn a_frame_shows_what_the_report_counts() {
    let mut s = lively();
    s.advance(Micros(12_000_000), u64::MAX);
    let frame = s.frame(&FrameQuery::default());
    let report = s.report_data();
    assert_eq!(frame.counts.completed, report.requests.completed);
    assert_eq!(frame.replicas.len(), 3);
    assert!(frame.key.ttft.count > 0 && frame.key.itl.p50_us > 0.0);
    for r in &frame.replicas {
        assert_eq!(r.kv.total, r.kv.used + r.kv.cached + r.kv.free);
        assert_eq!(r.kv.cells.len(), 168);
    }
    assert!(frame.replicas.iter().map(|r| r.share).sum::<f64>() > 0.999);
    s.engine().verify(true);
}

#[test]
fn a_batch_lists_those_that_decode_before_those_in_prefill() {
    let text = LIVELY.replace("\"kv\"", "\"engine\": { \"max_num_batched_tokens\": 64 }, \"kv\"");
    let mut s = Session::load(&text, None).unwrap_or_else(|p| panic!("{p:?}")).0;
    let mut in_prefill = 0;
    for second in 1..25 {
        s.advance(Micros(second * 1_000_000), u64::MAX);
        let frame = s.frame(&FrameQuery { batch: 5, ..FrameQuery::default() });
        for (told, replica) in frame.replicas.iter().zip(s.engine().replicas()) {
            let batch: Vec<_> = s.engine().batch(replica).take(5).collect();
            let of = |decoding: bool| {
                let progress = |id: &base::RequestId| (id.0, s.engine().progress(*id));
                batch.iter().map(progress).filter(move |(_, p)| p.decoding == decoding)
            };
            let requests: Vec<u32> = of(true).chain(of(false)).map(|(id, _)| id).collect();
            let contexts: Vec<u32> = of(true).chain(of(false)).map(|(_, p)| p.stored).collect();
            let prefill: Vec<u32> = of(false).map(|(_, p)| p.prefill).collect();
            assert_eq!(told.batch.decoding as usize + prefill.len(), batch.len());
            assert_eq!((&told.batch.requests, &told.batch.contexts), (&requests, &contexts));
            assert_eq!(told.batch.prefill, prefill);
            in_prefill += prefill.len();
        }
    }
    assert!(in_prefill > 5, "{in_prefill}");
}

#[test]
fn every_request_can_be_inspected_without_gaps() {
    let mut s = lively();
    s.advance(Micros(6_000_000), u64::MAX);
    for request in 0..s.engine().records().len() as u32 {
        let d = s.inspect(request).unwrap_or_else(|| panic!("#{request} is unknown"));
        let mut at = d.arrival_us;
        for segment in &d.segments {
            assert_eq!(segment.from_us, at, "{d:?}");
            at = segment.to_us;
        }
    }
    assert!(s.inspect(u32::MAX).is_none());
}

#[test]
fn the_event_log_answers_by_kind_and_request() {
    let mut s = lively();
    s.advance(Micros(3_000_000), u64::MAX);
    let all = s.event_rows(&EventsQuery { limit: 100, ..EventsQuery::default() });
    assert_eq!(all.rows.len(), 100);
    let q = EventsQuery { kinds: vec![EventKind::Completed], limit: 9, ..EventsQuery::default() };
    assert!(s.event_rows(&q).rows.iter().all(|r| r.kind == EventKind::Completed));
    let q = EventsQuery { request: Some(1), limit: 50, ..EventsQuery::default() };
    let rows = s.event_rows(&q).rows;
    assert_eq!(rows.first().map(|r| r.kind), Some(EventKind::Arrived));
}

#[test]
fn anomalies_are_in_the_report_the_log_and_the_frame() {
    let text = LIVELY
        .replace("\"blocks\": 300", "\"blocks\": 200")
        .replace("\"rate_per_s\": 30", "\"rate_per_s\": 90")
        .replace("\"mean_tokens\": 80", "\"mean_tokens\": 300")
        .replace("\"max_tokens\": 400", "\"max_tokens\": 900");
    let mut s = Session::load(&text, None).unwrap_or_else(|p| panic!("{p:?}")).0;
    s.advance(Micros::MAX, u64::MAX);
    let found = s.report_data().anomalies.unwrap_or_else(|| panic!("detectors are on by default"));
    assert!(found.count("kv-thrashing") > 0 && found.count("head-of-line-blocking") > 0, "{found:?}");
    assert!(
        found.first.iter().all(|a| !a.requests.is_empty() && a.end_us.is_none_or(|end| end >= a.start_us))
    );
    let frame = s.frame(&FrameQuery::default());
    let marks = frame.anomalies;
    assert_eq!(frame.anomaly_count, found.counts.0.iter().map(|(_, n)| n).sum::<u32>());
    assert_eq!(marks.len() as u32, frame.anomaly_count.min(64));
    assert_eq!(marks[0].request, Some(found.first[0].requests[0].request));
    let q = EventsQuery { kinds: vec![EventKind::Anomaly], limit: 500, ..EventsQuery::default() };
    let rows = s.event_rows(&q).rows;
    assert!(rows.iter().any(|r| r.text.starts_with("kv-thrashing: KV blocks on r")), "{rows:?}");
    let off = text.replacen('{', r#"{"observe":{"anomalies":false},"#, 1);
    let mut s = Session::load(&off, None).unwrap_or_else(|p| panic!("{p:?}")).0;
    s.advance(Micros::MAX, u64::MAX);
    assert!(s.report_data().anomalies.is_none() && s.frame(&FrameQuery::default()).anomalies.is_empty());
}

#[test]
fn a_frame_says_what_its_pools_are_and_what_auto_came_to() {
    let text = r#"{ "cluster": { "pools": [
        { "name": "known", "replicas": 2, "model": "llama-3.1-8b", "gpu": "H100" },
        { "name": "own", "replicas": 1, "hardware": { "usd_per_hour": 0 }, "latency": { "roofline": {} },
          "engine": { "max_num_seqs": 7 }, "kv": { "blocks": 900 } }
    ] } }"#;
    let mut s = Session::load(text, None).unwrap_or_else(|p| panic!("{p:?}")).0;
    let pools = s.frame(&FrameQuery::default()).pools;
    assert_eq!((&*pools[0].name, &*pools[0].gpu, pools[0].tp, pools[0].serving), ("known", "H100", 1, 2));
    assert!(pools[0].kv_blocks > 1000 && pools[0].max_num_seqs > 0, "{:?}", pools[0]);
    let price = pools[0].usd_per_hour.expect("the catalogue has one");
    assert_eq!(pools[0].serving_usd_per_hour, Some(2.0 * price));
    assert_eq!((pools[1].kv_blocks, pools[1].max_num_seqs, pools[1].usd_per_hour), (900, 7, None));
    let edits = [edit::kv_blocks(0, 50), edit::replicas(0, 3)];
    for edit in edits {
        assert!(s.apply(edit).is_empty());
    }
    let pools = s.frame(&FrameQuery::default()).pools;
    assert_eq!((pools[0].kv_blocks, pools[0].serving_usd_per_hour), (50, Some(3.0 * price)));
}

/// A step that computes the prompt of another request as well makes one gap between tokens long, and hardly moves the mean.
#[test]
fn tpot_is_marked_by_the_means_of_requests_and_not_by_the_gaps_between_tokens() {
    let preset = document::preset::Preset::named("chat-4xh100").expect("a preset");
    let mark_at = |tpot_ms: f64| {
        let mut scenario = preset.scenario();
        scenario.slo.tpot_ms = tpot_ms;
        let mut s = Session::start(scenario, None, Audience::Live).unwrap_or_else(|p| panic!("{p:?}")).0;
        s.advance(Micros(48_000_000), u64::MAX);
        let key = s.frame(&FrameQuery::default()).key;
        assert!(key.tpot.count > 100, "{key:?}");
        assert!(key.itl.p99_us > 1.5 * key.slo_tpot_us, "gaps alone would miss it: {key:?}");
        (key.tpot.p99_us / key.slo_tpot_us, key.tpot_mark)
    };
    for (tpot_ms, expected) in [(36.0, Mark::None), (19.0, Mark::Risk), (12.0, Mark::Miss)] {
        let (share, mark) = mark_at(tpot_ms);
        assert_eq!(mark, expected, "TPOT p99 at {share} of {tpot_ms} ms");
    }
}

/// A step of a kind in slices of a number of events.
fn step_in_slices(s: &mut Session, kind: StepKind, max_events: u64) -> Stop {
    let step = s.begin_step(kind);
    loop {
        match s.advance_step(&step, max_events) {
            Stop::Events => {}
            ended => return ended,
        }
    }
}

#[test]
fn a_step_ends_with_the_first_event_of_its_kind_however_it_is_sliced() {
    let kinds = [
        StepKind::Event,
        StepKind::EngineStep,
        StepKind::Arrival,
        StepKind::Completion,
        StepKind::Preemption,
    ];
    for kind in kinds {
        let (mut whole, mut sliced) = (lively(), lively());
        for _ in 0..3 {
            assert_eq!(step_in_slices(&mut whole, kind, u64::MAX), Stop::Until, "{kind:?}");
            let (before, counts) = (sliced.events(), sliced.recorder.fact_counts);
            assert_eq!(step_in_slices(&mut sliced, kind, 7), Stop::Until, "{kind:?}");
            assert_eq!((whole.now(), whole.events()), (sliced.now(), sliced.events()), "{kind:?}");
            let after = sliced.recorder.fact_counts;
            let times = match kind {
                StepKind::Event => sliced.events() - before,
                StepKind::EngineStep => after.steps - counts.steps,
                StepKind::Arrival => after.arrivals - counts.arrivals,
                StepKind::Completion => after.completions - counts.completions,
                StepKind::Preemption => after.preemptions - counts.preemptions,
            };
            assert_eq!(times, 1, "{kind:?}");
        }
        assert_eq!(whole.report(), sliced.report(), "{kind:?}");
    }
}

#[test]
fn a_step_left_before_its_end_is_as_if_it_had_been_advanced() {
    let (mut stepped, mut advanced) = (lively(), lively());
    let step = stepped.begin_step(StepKind::Preemption);
    assert_eq!(stepped.advance_step(&step, 50), Stop::Events);
    assert_eq!(advanced.advance(Micros::MAX, 50), Stop::Events);
    assert_eq!(stepped.report(), advanced.report());
    assert_eq!(stepped.now(), advanced.now());
}

#[test]
fn a_step_to_what_never_happens_ends_with_the_run() {
    let quiet = LIVELY.replace("\"blocks\": 300", "\"blocks\": 30000");
    let mut s = Session::load(&quiet, None).unwrap_or_else(|p| panic!("{p:?}")).0;
    assert_eq!(step_in_slices(&mut s, StepKind::Preemption, 1000), Stop::Finished);
    assert_eq!((s.now(), s.recorder.fact_counts.preemptions), (Micros(30_000_000), 0));
}

#[test]
fn the_axis_of_a_replay_ends_with_its_last_arrival_and_goes_on_with_the_playhead() {
    use document::TraceSettings;
    let mut reader = engine::workload::TraceReader::new("my.csv", 1 << 20);
    reader.push(b"arrived_at,num_prefill_tokens,num_decode_tokens\n");
    for i in 0..300 {
        reader.push(format!("{},100,{}\n", f64::from(i) * 0.5, 10 + 4000 * (i / 299)).as_bytes());
    }
    let trace = reader.finish().0.expect("a good trace");
    for speed in [1.0, 2.0] {
        let mut scenario = Scenario::default();
        scenario.run.horizon_s = 0.0;
        scenario.workload.trace = Some(TraceSettings { speed, ..TraceSettings::default() });
        let started = Session::start(scenario, Some(trace.clone()), Audience::Live);
        let mut s = started.unwrap_or_else(|p| panic!("{p:?}")).0;
        let end = |s: &mut Session| s.frame(&FrameQuery::default()).axis_end_us;
        let last = (149_500_000.0 / speed) as u64;
        assert_eq!(end(&mut s), last, "before it began");
        s.advance(Micros(last / 2), u64::MAX);
        assert_eq!(end(&mut s), last, "in its middle");
        s.advance(Micros::MAX, u64::MAX);
        let now = s.frame(&FrameQuery::default()).now_us;
        assert!(now > last && (now..now + now / 8).contains(&end(&mut s)), "{now} {}", end(&mut s));
    }
}
