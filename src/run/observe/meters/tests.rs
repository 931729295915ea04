//! Tests of the meters on facts made for them.

use super::*;
use base::RequestId;
use engine::{DeciderReason, DropReason, HandoverFact};

const R: ReplicaId = ReplicaId(0);

fn step(span: u64, running: u32, waiting: u32, kv_used: u32) -> Fact {
    Fact::Replica(ReplicaFact::StepStarted {
        replica: R,
        span: Span(span),
        prefill: 0,
        decode: 0,
        running,
        waiting,
        kv_used,
    })
}

fn queued() -> Fact {
    Fact::Request(RequestFact::Queued { request: RequestId(0), replica: R, class: 0, urgency: 0 })
}

#[test]
fn areas_are_those_under_the_curves() {
    let mut m = Meters::new(1);
    m.fact(Micros(10), &queued());
    m.fact(Micros(20), &step(50, 1, 0, 7));
    m.fact(Micros(30), &queued());
    let r = m.read(Micros(40))[0];
    assert_eq!((r.up_us, r.busy_us, r.waiting_area), (40, 20, 10 + 10));
    assert_eq!((r.running_area, r.kv_area), (20, 140));
    m.fact(Micros(70), &step(30, 2, 0, 9));
    let r = m.read(Micros(200))[0];
    assert_eq!((r.busy_us, r.waiting_area, r.running_area), (80, 50, 50 + 60));
}

#[test]
fn what_lies_before_the_measurement_window_does_not_count() {
    let mut m = Meters::new(1);
    m.fact(Micros(0), &queued());
    m.fact(Micros(0), &step(100, 3, 2, 5));
    m.restart(Micros(60));
    let r = m.read(Micros(100))[0];
    assert_eq!((r.up_us, r.busy_us, r.waiting_area, r.running_area, r.kv_area), (40, 40, 80, 120, 200));
}

#[test]
fn a_replica_exists_until_it_is_drained_and_empty() {
    let mut m = Meters::new(1);
    let request = RequestId(0);
    m.fact(Micros(5), &Fact::Fleet(FleetFact::Serving { replica: ReplicaId(1), pool: 0 }));
    m.fact(Micros(6), &Fact::Request(RequestFact::Routed { request, replica: R }));
    m.fact(Micros(10), &Fact::Fleet(FleetFact::Draining { replica: R }));
    let done = Fact::Request(RequestFact::Completed {
        request,
        replica: R,
        class: 0,
        ttft: Span(1),
        e2e: Span(2),
        tokens: 1,
    });
    m.fact(Micros(25), &done);
    m.fact(Micros(40), &Fact::Fleet(FleetFact::Serving { replica: R, pool: 0 }));
    let up = |m: &Meters, end| -> Vec<u64> { m.read(Micros(end)).iter().map(|r| r.up_us).collect() };
    assert_eq!(up(&m, 100), [25 + 60, 95]);
    // What an edit did after an instant does not count up to it.
    assert_eq!([up(&m, 30), up(&m, 3)], [[25, 25], [3, 0]]);
}

#[test]
fn hours_cost_what_they_cost_when_they_passed() {
    let hour = 3_600_000_000;
    let mut m = Meters::new(1);
    let usd = |m: &Meters, hours: u64, price| m.usd(0, Micros(hours * hour), price);
    assert_eq!(usd(&m, 3, Some(2.0)), Some(6.0));
    assert_eq!(usd(&m, 3, None), None);
    m.reprice(0, Micros(2 * hour), Some(2.0));
    assert_eq!([1, 2, 5].map(|hours| usd(&m, hours, Some(10.0))), [Some(2.0), Some(4.0), Some(34.0)]);
    m.restart(Micros(hour));
    assert_eq!(usd(&m, 5, Some(10.0)), Some(32.0));
    // Hours without a known price make the sum unknown, unless they lie before the window.
    m.reprice(0, Micros(3 * hour), None);
    assert_eq!(usd(&m, 5, Some(1.0)), None);
    m.restart(Micros(4 * hour));
    assert_eq!(usd(&m, 5, Some(1.0)), Some(1.0));
}

#[test]
fn overlapping_steps_are_busy_once_and_last_as_long_as_their_replica() {
    let mut m = Meters::new(1);
    m.fact(Micros(0), &Fact::Request(RequestFact::Routed { request: RequestId(0), replica: R }));
    m.fact(Micros(10), &step(50, 1, 0, 7));
    // Its only request is done at once, so the next one need not wait.
    let done = |e2e| {
        Fact::Request(RequestFact::Completed {
            request: RequestId(0),
            replica: R,
            class: 0,
            ttft: Span(1),
            e2e: Span(e2e),
            tokens: 1,
        })
    };
    m.fact(Micros(10), &done(50));
    m.fact(Micros(20), &Fact::Request(RequestFact::Routed { request: RequestId(1), replica: R }));
    m.fact(Micros(20), &step(60, 2, 0, 9));
    m.fact(Micros(20), &Fact::Fleet(FleetFact::Draining { replica: R }));
    m.fact(Micros(20), &done(60));
    let r = m.read(Micros(100))[0];
    assert_eq!((r.up_us, r.busy_us, r.running_area), (80, 70, 10 + 2 * 60));
    let r = m.read(Micros(40))[0];
    assert_eq!((r.up_us, r.busy_us, r.running_area), (40, 30, 10 + 2 * 20));
    // It comes back before its last step is over: it was never away.
    m.fact(Micros(70), &Fact::Fleet(FleetFact::Serving { replica: R, pool: 0 }));
    assert_eq!(m.read(Micros(100))[0].up_us, 100);
}

#[test]
fn the_largest_counts_for_the_longest_time_add_up() {
    let mut m = Meters::new(1);
    let long = Micros::END.0 / 4;
    for k in 0..4 {
        m.fact(Micros(k * long), &step(long, u32::MAX, u32::MAX, u32::MAX));
    }
    let r = m.read(Micros::END)[0];
    let most = u128::from(u32::MAX) << 52;
    assert_eq!((r.kv_area, r.running_area, r.waiting_area), (most, most, most));
}

fn handover(fact: HandoverFact) -> Fact {
    Fact::Handover(fact)
}

/// A request that is prefilled on replica 0 and decoded on replica 1, up to the landing at 100.
fn until_landed() -> Meters {
    let (request, home, bytes) = (RequestId(3), ReplicaId(1), 0);
    let mut m = Meters::new(2);
    m.fact(Micros(10), &Fact::Request(RequestFact::Routed { request, replica: home }));
    let (prefill, reason) = (Some(R), DeciderReason::Always);
    m.fact(Micros(10), &handover(HandoverFact::Decided { request, home, prefill, reason, uncached: None }));
    let queued = |replica| Fact::Request(RequestFact::Queued { request, replica, class: 0, urgency: 0 });
    m.fact(Micros(20), &queued(R));
    m.fact(Micros(20), &step(30, 1, 0, 5));
    m.fact(
        Micros(50),
        &handover(HandoverFact::Prefilled { request, replica: R, home, ttft: Span(40), blocks: 5 }),
    );
    m.fact(Micros(50), &queued(home));
    let (class, urgency, blocks, cached) = (0, 0, 4, 1);
    m.fact(
        Micros(70),
        &handover(HandoverFact::Reserved { request, replica: home, class, urgency, blocks, cached }),
    );
    m.fact(Micros(100), &handover(HandoverFact::Landed { request, from: R, to: home, bytes }));
    m
}

#[test]
fn a_request_between_two_replicas_is_on_both_until_it_lands() {
    let m = until_landed();
    let inside = |m: &Meters, replica: usize, at| m.replicas[replica].presence.read(Micros(at));
    assert_eq!(inside(&m, 0, 150), (0, 90, 90), "from 10 to 100");
    assert_eq!(inside(&m, 1, 150), (1, 140, 140), "since 10");
    let [prefill, home] = [0, 1].map(|i| m.read(Micros(120))[i]);
    assert_eq!((prefill.waiting_area, home.waiting_area), (0, 20));
    assert_eq!(prefill.moving, MovingAreas { outgoing: 5 * 50, ..MovingAreas::default() });
    assert_eq!(home.moving, MovingAreas { incoming: 5 * 30, landed: 5 * 20, outgoing: 0 });
    assert_eq!((prefill.kv_area, prefill.kv_running_area), (150, 150));
}

#[test]
fn blocks_of_a_hand_over_are_no_part_of_the_batch() {
    let mut m = until_landed();
    let (request, home) = (RequestId(3), ReplicaId(1));
    let step = |span, kv_used| {
        let (prefill, decode, running, waiting) = (0, 1, 1, 0);
        let span = Span(span);
        Fact::Replica(ReplicaFact::StepStarted {
            replica: home,
            span,
            prefill,
            decode,
            running,
            waiting,
            kv_used,
        })
    };
    m.fact(Micros(110), &step(10, 9));
    m.fact(Micros(120), &handover(HandoverFact::Joined { request, replica: home, class: 0, urgency: 0 }));
    m.fact(Micros(120), &step(10, 9));
    let r = m.read(Micros(130))[1];
    assert_eq!((r.kv_area, r.kv_running_area), (180, 4 * 10 + 9 * 10));
    assert_eq!(r.moving, MovingAreas { incoming: 150, landed: 100, outgoing: 0 });
    let (ttft, e2e) = (Span(1), Span(2));
    m.fact(
        Micros(130),
        &Fact::Request(RequestFact::Completed { request, replica: home, class: 0, ttft, e2e, tokens: 1 }),
    );
    assert_eq!([0, 1].map(|i| m.replicas[i].presence.read(Micros(200)).0), [0, 0]);
}

#[test]
fn a_draining_prefill_replica_lasts_until_its_blocks_are_released() {
    let (request, home) = (RequestId(0), ReplicaId(1));
    let mut m = Meters::new(2);
    m.fact(Micros(0), &Fact::Request(RequestFact::Routed { request, replica: home }));
    let (prefill, reason) = (Some(R), DeciderReason::Long);
    m.fact(Micros(0), &handover(HandoverFact::Decided { request, home, prefill, reason, uncached: Some(9) }));
    m.fact(Micros(5), &Fact::Fleet(FleetFact::Draining { replica: R }));
    m.fact(
        Micros(10),
        &handover(HandoverFact::Prefilled { request, replica: R, home, ttft: Span(9), blocks: 2 }),
    );
    assert_eq!(m.read(Micros(30))[0].up_us, 30);
    m.fact(Micros(40), &handover(HandoverFact::GivenUp { request, replica: R, blocks: 2 }));
    let reason = DropReason::TimedOut;
    let dropped = RequestFact::Dropped { request, replica: home, class: 0, urgency: 0, reason, waiting: 0 };
    m.fact(Micros(40), &Fact::Request(dropped));
    let [prefill, home] = [0, 1].map(|i| m.read(Micros(90))[i]);
    assert_eq!((prefill.up_us, prefill.moving.outgoing, home.up_us), (40, 60, 90));
    assert_eq!([0, 1].map(|i| m.replicas[i].presence.read(Micros(90)).0), [0, 0]);
}

#[test]
fn an_answer_of_one_token_ends_where_its_prompt_is_computed() {
    let (request, home) = (RequestId(0), ReplicaId(1));
    let mut m = Meters::new(2);
    m.fact(Micros(0), &Fact::Request(RequestFact::Routed { request, replica: home }));
    let (prefill, reason) = (Some(R), DeciderReason::Always);
    m.fact(Micros(0), &handover(HandoverFact::Decided { request, home, prefill, reason, uncached: None }));
    let (class, urgency, blocks, cached) = (0, 0, 3, 0);
    m.fact(
        Micros(10),
        &handover(HandoverFact::Reserved { request, replica: home, class, urgency, blocks, cached }),
    );
    let (ttft, e2e) = (Span(1), Span(2));
    m.fact(
        Micros(30),
        &Fact::Request(RequestFact::Completed { request, replica: R, class, ttft, e2e, tokens: 1 }),
    );
    m.fact(Micros(30), &handover(HandoverFact::GivenUp { request, replica: home, blocks }));
    assert_eq!(m.read(Micros(50))[1].moving.incoming, 60);
    assert_eq!([0, 1].map(|i| m.replicas[i].presence.read(Micros(50)).0), [0, 0]);
}

#[test]
fn what_flows_over_a_port_is_counted_in_the_window() {
    let (request, other, home) = (RequestId(0), RequestId(1), ReplicaId(1));
    let mut m = Meters::new(2);
    for request in [request, other] {
        let (prefill, reason) = (Some(R), DeciderReason::Always);
        m.fact(
            Micros(0),
            &handover(HandoverFact::Decided { request, home, prefill, reason, uncached: None }),
        );
        let (from, to) = (R, home);
        m.fact(
            Micros(10),
            &handover(HandoverFact::TransferStarted { request, from, to, bytes: 1000, early: 200 }),
        );
    }
    let flows = |request| handover(HandoverFact::Flows { request, from: R, to: home });
    let landed = |request| handover(HandoverFact::Landed { request, from: R, to: home, bytes: 1000 });
    m.fact(Micros(20), &flows(request));
    m.fact(Micros(30), &flows(other));
    m.restart(Micros(40));
    m.fact(Micros(60), &landed(request));
    m.fact(Micros(80), &landed(other));
    let [out, into] = [0, 1].map(|i| m.read(Micros(100))[i].ports[i]);
    assert_eq!(out, into);
    assert_eq!((out.flow_area, out.busy_us, out.landed, out.bytes), (20 + 40, 40, 2, 2000));
    // Half of the time of one lies in the window, and four fifths of that of the other.
    assert_eq!(out.flowed, 400 + 640);
    assert_eq!(m.read(Micros(100))[1].ports[0], PortReading::default());
}
