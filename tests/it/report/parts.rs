//! Where a request's time went: the parts add up to its E2E to the microsecond, over all presets and random scenarios.

use crate::support::scenarios::{a_scenario, sound, started};
use proptest::prelude::*;
use std::collections::BTreeSet;
use tokenyard::base::Micros;
use tokenyard::scenario::preset::PRESETS;
use tokenyard::scenario::{Change, Compat, Role, Scenario};
use tokenyard::session::view::{EventKind, EventsQuery, RequestDetail, RequestState, SegmentKind};
use tokenyard::session::{Audience, Session};

/// Time spent in one way.
fn part(d: &RequestDetail, kind: SegmentKind) -> u64 {
    d.parts.iter().filter(|part| part.kind == kind).map(|part| part.us).sum()
}

/// The parts of a request add up, whatever it is doing.
fn adds_up(s: &Session, d: &RequestDetail) {
    let mut at = d.arrival_us;
    for segment in &d.segments {
        assert_eq!(segment.from_us, at, "a gap: {d:?}");
        at = segment.to_us;
    }
    assert_eq!(at - d.arrival_us, d.total_us, "{d:?}");
    assert_eq!(d.parts.iter().map(|part| part.us).sum::<u64>(), d.total_us, "{d:?}");
    let (output, age) = (part(d, SegmentKind::Output), s.now().0 - d.arrival_us);
    match d.state {
        RequestState::Completed => assert_eq!(Some(d.total_us), d.e2e_us, "{d:?}"),
        RequestState::Rejected | RequestState::Dropped | RequestState::Lost => {
            assert_eq!(output, 0, "{d:?}");
            assert!(d.total_us <= age, "{d:?}");
        }
        RequestState::InPipeline
        | RequestState::Queued
        | RequestState::Running
        | RequestState::Transferring
        | RequestState::Landed => {
            assert_eq!(d.total_us - output, age, "{d:?}");
            assert!(d.segments.iter().any(|segment| segment.open), "{d:?}");
        }
    }
}

fn all_add_up(s: &Session) {
    for request in 0..s.engine().records().len() as u32 {
        adds_up(s, &s.inspect(request).expect("it has arrived"));
    }
}

/// The instants at which one of these things happened to a request.
fn instants(s: &Session, request: u32, kinds: Vec<EventKind>) -> BTreeSet<u64> {
    let query = EventsQuery { kinds, request: Some(request), limit: 5000, ..EventsQuery::default() };
    s.event_rows(&query).rows.iter().map(|row| row.at_us).collect()
}

/// The log is long, so not all requests are looked up in it: the first ones, and as many that were preempted.
const MOST: usize = 12;

/// Whatever the log says of a request lies on an edge of a segment of its own, though the segments are not made from the log.
fn agrees_with_the_log(s: &Session) {
    use EventKind::{Admitted, Completed, Dropped, KvLoad, Preempted, Queued, Rejected, Routed, Scheduled};
    let records = s.engine().records();
    let preempted = (0..records.len()).filter(|&i| records.at(i).preemptions > 0).take(MOST);
    for request in (0..records.len().min(MOST)).chain(preempted) {
        let request = request as u32;
        let d = s.inspect(request).expect("it has arrived");
        let edges: BTreeSet<u64> = d
            .segments
            .iter()
            .flat_map(|segment| [segment.from_us, segment.to_us])
            .chain([d.arrival_us])
            .collect();
        let told = vec![Admitted, Rejected, Routed, Queued, Scheduled, Preempted, Completed, Dropped];
        let missing: Vec<u64> = instants(s, request, told).difference(&edges).copied().collect();
        assert!(missing.is_empty(), "{missing:?} of {d:?}");
        let lost = instants(s, request, vec![Preempted]).len();
        let again = d.segments.iter().filter(|segment| segment.kind == SegmentKind::Recompute).count();
        assert!(lost == 0 || lost <= again + 1, "{lost} preemptions, {again} times computed again: {d:?}");
        let loads = instants(s, request, vec![KvLoad]).len();
        let waits = d.segments.iter().filter(|segment| segment.kind == SegmentKind::KvLoad).count();
        assert!(waits <= loads, "{waits} waits for {loads} loads: {d:?}");
    }
}

#[test]
fn parts_add_up_to_e2e_in_all_presets() {
    for preset in PRESETS {
        let mut scenario = preset.scenario();
        // Hundreds of replicas do in seconds what a few do in a minute.
        scenario.run.horizon_s = if scenario.cluster.pools[0].replicas > 64 { 2.0 } else { 60.0 };
        scenario.run.warmup_s = 0.0;
        // BLIS knows no roles: neither those of pools nor those that edits give them.
        let changes_roles = |change: &Change| change.set.keys().any(|path| path.ends_with("].role"));
        let apart = scenario.cluster.pools.iter().any(|pool| pool.role != Role::Mixed)
            || scenario.edits.iter().any(|edit| changes_roles(&edit.change()));
        // It knows no faults either.
        let breaks = scenario.edits.iter().any(|edit| edit.fault.is_some());
        let all = if apart || breaks { &[Compat::None][..] } else { &[Compat::None, Compat::Blis] };
        for &compat in all {
            scenario.cluster.compat = compat;
            if compat == Compat::Blis {
                // Its clients wait for ever, it has one tier of its own, and it knows no drafts.
                scenario.workload.timeout_s = 0.0;
                for pool in &mut scenario.cluster.pools {
                    pool.kv.secondary_tiers.clear();
                    pool.engine.speculative = None;
                }
                (scenario.cluster.kv_stores, scenario.cluster.kv_source) = (Vec::new(), None);
            }
            let mut s = started(&scenario, Audience::Batch);
            for until in [7_000_000, 19_000_000, u64::MAX] {
                s.advance(Micros(until), u64::MAX);
                all_add_up(&s);
            }
        }
    }
}

#[test]
fn the_parts_of_the_slowest_requests_in_a_report_add_up_to_their_e2e_in_all_presets() {
    let (mut lists, mut kinds) = (0, BTreeSet::new());
    for preset in PRESETS {
        let mut scenario = preset.scenario();
        scenario.run.horizon_s = if scenario.cluster.pools[0].replicas > 64 { 2.0 } else { 60.0 };
        scenario.run.warmup_s = 0.0;
        let mut s = started(&scenario, Audience::Batch);
        s.advance(Micros::MAX, u64::MAX);
        let slowest = s.report_data().slowest;
        lists += usize::from(!slowest.is_empty());
        for slow in slowest {
            let e2e = s.engine().records().at(slow.request as usize).e2e;
            assert_eq!(Some(slow.e2e_us), e2e.get().map(|e2e| e2e.0), "{}: {slow:?}", preset.name);
            let sum = slow.parts.iter().map(|part| part.us).sum::<u64>();
            assert_eq!(sum, slow.e2e_us, "{}: {slow:?}", preset.name);
            kinds.extend(slow.parts.iter().filter(|part| part.us > 0).map(|part| part.kind.name()));
        }
    }
    // Without requests, or with such that only decode, the sums would say little.
    assert!(lists * 10 >= PRESETS.len() * 9, "{lists} of {} presets name their slowest", PRESETS.len());
    for kind in ["delay", "queue", "prefill", "decode", "preempted", "recompute"] {
        assert!(kinds.contains(kind), "no time is spent in {kind}, only in {kinds:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        rng_seed: proptest::test_runner::RngSeed::Fixed(9),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn parts_add_up_to_e2e_in_random_scenarios(scenario in a_scenario(), first in 0_u64..3000) {
        let mut scenario: Scenario = scenario;
        scenario.observe.event_log = 1_000_000;
        let mut s = started(&scenario, Audience::Live);
        s.advance(Micros::MAX, first);
        all_add_up(&s);
        s.advance(Micros::MAX, 6_000_000);
        sound(&s);
        all_add_up(&s);
        agrees_with_the_log(&s);
    }
}
