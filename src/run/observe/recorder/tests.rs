//! Tests of the recorder.

use super::*;
use base::ReplicaId;
use document::Observe;
use document::Slo;
use engine::DeciderReason;

#[test]
fn a_request_is_judged_by_the_objectives_of_the_moment_it_completes() {
    let slo = |ttft_ms| Slo { ttft_ms, tpot_ms: 0.0, e2e_ms: 0.0, ..Slo::default() };
    let observe = Observe { anomalies: false, ..Observe::default() };
    let scenario = Scenario { slo: slo(1.0), observe, ..Scenario::default() };
    let mut recorder = Recorder::new(&scenario, 1, true);
    let complete = |recorder: &mut Recorder, number: u32| {
        let (request, replica) = (RequestId(number), ReplicaId(0));
        let (ttft, e2e) = (Span(2000), Span(5000));
        recorder.fact(
            Micros(9000),
            Fact::Request(RequestFact::Completed { request, replica, class: 0, ttft, e2e, tokens: 2 }),
        );
    };
    complete(&mut recorder, 0);
    recorder.targets = Targets::new(&slo(2.0));
    complete(&mut recorder, 1);
    let good = [0, 1, 2].map(|i| recorder.met(RequestId(i)).map(Met::all));
    assert_eq!(good, [Some(false), Some(true), None]);
    let sums = recorder.window.sums(Micros(10_000), 30.0, [1, 1], [0, 5000]);
    assert_eq!((sums.completed, sums.good, sums.within), (2, 1, [0, 2]));
    assert_eq!(recorder.timeline.counter(counter::MISSED).iter().sum::<u64>(), 1);
}

#[test]
fn first_buckets_are_round_and_at_most_240() {
    let widths = [0.0, 24.0, 24.1, 240.0, 3600.0, 86_400.0].map(first_width_us);
    assert_eq!(widths, [100_000, 100_000, 200_000, 1_000_000, 20_000_000, 500_000_000]);
}

#[test]
fn a_request_prefilled_elsewhere_moves_there_and_from_there_to_its_home() {
    let mut recorder = Recorder::new(&Scenario::default(), 2, true);
    let (request, home, from) = (RequestId(4), ReplicaId(1), ReplicaId(0));
    let routed = RequestFact::Routed { request, replica: home };
    let (prefill, reason, uncached) = (Some(from), DeciderReason::Always, None);
    let decided = HandoverFact::Decided { request, home, prefill, reason, uncached };
    let landed = HandoverFact::Landed { request, from, to: home, bytes: 9 };
    recorder.fact(Micros(1), Fact::Request(routed));
    recorder.fact(Micros(1), Fact::Handover(decided));
    recorder.fact(Micros(7), Fact::Handover(landed));
    let moves = recorder.moves.iter().map(|m| (m.at_us, m.kind, m.from, m.replica));
    let expected = [(1, MoveKind::Route, None, Some(0)), (7, MoveKind::Land, Some(0), Some(1))];
    assert!(moves.eq(expected), "{:?}", recorder.moves);
}
