//! Each detector on facts made for it: what it must say, and what it must not.

use super::*;
use crate::base::{ReplicaId, Span};
use crate::scenario::{Client, SloClass};
use crate::workload::class_number;

fn watch(facts: &[(u64, Fact)], replicas: usize) -> Detectors {
    let mut workload = Workload { clients: vec![Client::default(); 2], ..Workload::default() };
    workload.clients[0].slo_class = SloClass::Background;
    let mut d = Detectors::new(&workload, replicas);
    for (at, fact) in facts {
        d.fact(Micros(*at), fact);
    }
    d
}

fn queued(request: u32, class: SloClass) -> Fact {
    Fact::Queued { request: RequestId(request), replica: ReplicaId(0), class: class_number(class) }
}

fn scheduled(request: u32) -> Fact {
    Fact::Scheduled { request: RequestId(request), replica: ReplicaId(0), prefill: 1, cached: 0 }
}

fn preempted(request: u32, times: u32) -> Fact {
    Fact::Preempted { request: RequestId(request), replica: ReplicaId(0), class: 0, times }
}

fn step() -> Fact {
    let replica = ReplicaId(0);
    Fact::StepStarted { replica, span: Span(1), prefill: 0, decode: 1, running: 1, waiting: 1, kv_used: 1 }
}

fn completed(request: u32, replica: u32) -> Fact {
    let (request, replica) = (RequestId(request), ReplicaId(replica));
    Fact::Completed { request, replica, class: 0, ttft: Span(1), e2e: Span(1), tokens: 1 }
}

fn proofs(a: &Anomaly) -> Vec<(u32, u64)> {
    a.proofs.iter().map(|p| (p.request.0, p.at.0)).collect()
}

#[test]
fn an_urgent_request_that_is_overtaken_by_a_younger_one_is_told() {
    let d = watch(
        &[
            (1, queued(0, SloClass::Critical)),
            (2, queued(1, SloClass::Batch)),
            (3, queued(2, SloClass::Standard)),
            (5, scheduled(1)),
            (6, scheduled(2)),
            (9, scheduled(0)),
        ],
        1,
    );
    let [a] = d.kept() else { panic!("one victim, one anomaly: {:?}", d.kept()) };
    assert_eq!(a.kind, AnomalyKind::PriorityInversion);
    assert_eq!((a.start, a.end, a.figure), (Micros(5), Some(Micros(9)), 2));
    assert_eq!(proofs(a), [(0, 5), (1, 5), (2, 6)]);
    assert!(a.sentence().starts_with("#0 waited on r0 while #1"), "{}", a.sentence());
}

#[test]
fn order_of_arrival_and_order_of_urgency_are_no_inversion() {
    let older_first =
        [(1, queued(0, SloClass::Batch)), (2, queued(1, SloClass::Critical)), (3, scheduled(0))];
    let urgent_first =
        [(1, queued(0, SloClass::Batch)), (2, queued(1, SloClass::Critical)), (3, scheduled(1))];
    let same_class = [(1, queued(0, SloClass::Batch)), (2, queued(1, SloClass::Batch)), (3, scheduled(1))];
    for facts in [older_first, urgent_first, same_class] {
        assert!(watch(&facts, 1).kept().is_empty(), "{facts:?}");
    }
}

#[test]
fn a_head_in_the_way_is_told_when_it_lasts() {
    let blocked = Fact::HeadBlocked { request: RequestId(7), behind: RequestId(9), replica: ReplicaId(0) };
    let short = [(10, blocked), (400_000, step()), (450_000, scheduled(7)), (900_000, step())];
    assert!(watch(&short, 1).kept().is_empty());
    let long = [(10, blocked), (300_000, blocked), (600_000, step()), (800_000, scheduled(7))];
    let d = watch(&long, 1);
    let [a] = d.kept() else { panic!("{:?}", d.kept()) };
    assert_eq!(
        (a.kind, a.start, a.end),
        (AnomalyKind::HeadOfLineBlocking, Micros(10), Some(Micros(800_000)))
    );
    assert_eq!(proofs(a), [(7, 10), (9, 10)]);
}

#[test]
fn repeated_preemptions_are_thrashing_and_single_ones_are_not() {
    let single: Vec<(u64, Fact)> = (0..50).map(|k| (k, preempted(k as u32, 1))).collect();
    assert!(watch(&single, 1).kept().is_empty());
    let rare: Vec<(u64, Fact)> = (0..50).map(|k| (k * 4_000_000, preempted(1, 2))).collect();
    assert!(watch(&rare, 1).kept().is_empty());
    let mut facts: Vec<(u64, Fact)> = (0..6).map(|k| (k * 1_000_000, preempted(k as u32 % 2, 2))).collect();
    facts.push((15_000_001, step()));
    let d = watch(&facts, 1);
    let [a] = d.kept() else { panic!("{:?}", d.kept()) };
    assert_eq!((a.start, a.end, a.figure), (Micros(0), Some(Micros(5_000_000)), 6));
    assert_eq!(a.proofs.len(), 6);
}

#[test]
fn a_livelock_ends_when_something_finishes() {
    let found = Fact::Livelock { request: RequestId(3), replica: ReplicaId(0) };
    let routed = Fact::Routed { request: RequestId(3), replica: ReplicaId(0) };
    let d = watch(&[(1, routed), (4, found), (90, completed(3, 0))], 1);
    let [a] = d.kept() else { panic!("{:?}", d.kept()) };
    assert_eq!((a.kind, a.start, a.end), (AnomalyKind::Livelock, Micros(4), Some(Micros(90))));
}

#[test]
fn uneven_load_is_told_when_it_lasts() {
    let routed = |k: u32, replica| Fact::Routed { request: RequestId(k), replica: ReplicaId(replica) };
    let even: Vec<(u64, Fact)> = (0..40).map(|k| (u64::from(k) * 1_000_000, routed(k, k % 4))).collect();
    assert!(watch(&even, 4).kept().is_empty());
    let mut uneven: Vec<(u64, Fact)> = (0..20).map(|k| (u64::from(k) * 1_000_000, routed(k, 2))).collect();
    let d = watch(&uneven, 4);
    let [a] = d.kept() else { panic!("{:?}", d.kept()) };
    // The mean load reaches 2 with the eighth request; one of four replicas with all of it has a cov of √3.
    assert_eq!((a.start, a.end, a.replica, a.figure), (Micros(7_000_000), None, 2, 1732));
    uneven.extend((0..20).map(|k| (20_000_000 + u64::from(k), completed(k, 2))));
    let d = watch(&uneven, 4);
    assert_eq!(d.kept()[0].end, Some(Micros(20_000_012)));
}

#[test]
fn later_anomalies_are_counted_and_not_kept() {
    let mut facts = Vec::new();
    for k in 0..u64::from(KEPT) + 10 {
        let first = 2 * k as u32;
        facts.push((k, queued(first, SloClass::Critical)));
        facts.push((k, queued(first + 1, SloClass::Background)));
        facts.push((k, scheduled(first + 1)));
        facts.push((k, scheduled(first)));
    }
    let mut d = watch(&facts, 1);
    assert_eq!(d.kept().len() as u32, KEPT);
    assert_eq!(d.counts().next(), Some((AnomalyKind::PriorityInversion, KEPT + 10)));
    assert_eq!((d.untold().len() as u32, d.untold().len()), (KEPT, 0));
}
