//! Tests of each detector on facts made for it: what it must report, and what it must not.

use super::*;
use base::{ReplicaId, Span};
use document::{Client, Role, SloClass};
use engine::workload::class_number;
use engine::{CacheFact, DeciderReason, FleetFact, HandoverFact, ReplicaFact, RequestFact};

fn watch(facts: &[(u64, Fact)], replicas: usize) -> Detectors {
    let mut scenario = Scenario::default();
    scenario.workload.clients = vec![Client::default(); 2];
    scenario.workload.clients[0].slo_class = SloClass::Background;
    scenario.cluster.pools[0].replicas = replicas as u32;
    let mut d = Detectors::new(&scenario, replicas);
    for (at, fact) in facts {
        d.fact(Micros(*at), fact);
    }
    d
}

fn queued(request: u32, class: SloClass) -> Fact {
    Fact::Request(RequestFact::Queued {
        request: RequestId(request),
        replica: ReplicaId(0),
        class: class_number(class),
        urgency: 0,
    })
}

fn scheduled(request: u32, class: SloClass) -> Fact {
    let (request, class) = (RequestId(request), class_number(class));
    Fact::Request(RequestFact::Scheduled {
        request,
        replica: ReplicaId(0),
        class,
        urgency: 0,
        prefill: 1,
        cached: 0,
    })
}

fn preempted(request: u32, times: u32) -> Fact {
    Fact::Request(RequestFact::Preempted {
        request: RequestId(request),
        replica: ReplicaId(0),
        class: 0,
        urgency: 0,
        times,
    })
}

fn step(waiting: u32) -> Fact {
    let replica = ReplicaId(0);
    Fact::Replica(ReplicaFact::StepStarted {
        replica,
        span: Span(1),
        prefill: 0,
        decode: 1,
        running: 1,
        waiting,
        kv_used: 1,
    })
}

fn completed(request: u32, replica: u32) -> Fact {
    let (request, replica) = (RequestId(request), ReplicaId(replica));
    Fact::Request(RequestFact::Completed {
        request,
        replica,
        class: 0,
        ttft: Span(1),
        e2e: Span(1),
        tokens: 1,
    })
}

fn proofs(a: &Anomaly) -> Vec<(u32, u64)> {
    a.proofs.iter().map(|p| (p.request.0, p.at.0)).collect()
}

#[test]
fn an_urgent_request_that_is_left_waiting_is_told_with_those_who_joined() {
    let d = watch(
        &[
            (1, queued(0, SloClass::Critical)),
            (2, queued(1, SloClass::Batch)),
            (3, queued(2, SloClass::Standard)),
            (5, scheduled(1, SloClass::Batch)),
            (5, step(2)),
            (6, scheduled(2, SloClass::Standard)),
            (6, step(1)),
            (9, scheduled(0, SloClass::Critical)),
            (9, step(0)),
        ],
        1,
    );
    let [a, b] = d.kept() else { panic!("two are overtaken: {:?}", d.kept()) };
    assert_eq!((a.kind, b.kind), (AnomalyKind::PriorityInversion, AnomalyKind::PriorityInversion));
    assert_eq!((a.start, a.end, a.figure), (Micros(5), Some(Micros(9)), 2));
    assert_eq!(proofs(a), [(0, 1), (1, 5), (2, 6)]);
    assert_eq!((b.start, b.end, b.figure), (Micros(5), Some(Micros(6)), 1));
    assert_eq!(proofs(b), [(2, 3), (1, 5)]);
    let said = "#0 waited 0.004\u{a0}ms while 2 requests from #1 on, less urgent by SLO class (priorities are constant), \
        went first on r0.";
    assert_eq!(a.sentence(), said);
}

#[test]
fn who_joins_in_the_same_step_or_comes_later_is_not_left_waiting() {
    let (batch, critical) = (SloClass::Batch, SloClass::Critical);
    let together = vec![
        (1, queued(0, batch)),
        (2, queued(1, critical)),
        (3, scheduled(0, batch)),
        (3, scheduled(1, critical)),
    ];
    let later = vec![(1, queued(0, batch)), (3, scheduled(0, batch)), (3, step(0)), (3, queued(1, critical))];
    let urgent_first = vec![(1, queued(0, batch)), (2, queued(1, critical)), (3, scheduled(1, critical))];
    let same_class = vec![(1, queued(0, batch)), (2, queued(1, batch)), (3, scheduled(1, batch))];
    for mut facts in [together, later, urgent_first, same_class] {
        facts.push((3, step(1)));
        assert!(watch(&facts, 1).kept().is_empty(), "{facts:?}");
    }
}

#[test]
fn who_is_dropped_or_preempted_ends_and_begins_to_wait() {
    let (batch, critical) = (SloClass::Batch, SloClass::Critical);
    let dropped = Fact::Request(RequestFact::Dropped {
        request: RequestId(0),
        replica: ReplicaId(0),
        class: class_number(critical),
        urgency: 0,
        reason: engine::DropReason::OutgrewKvCache,
        waiting: 1,
    });
    let routed = |k: u32| Fact::Request(RequestFact::Routed { request: RequestId(k), replica: ReplicaId(0) });
    let came = [(1, routed(0)), (1, queued(0, critical)), (1, queued(1, batch)), (1, queued(2, batch))];
    let overtaken =
        [(4, scheduled(1, batch)), (4, step(2)), (7, dropped), (8, scheduled(2, batch)), (8, step(0))];
    let d = watch(&[&came[..], &overtaken[..]].concat(), 1);
    let [a] = d.kept() else { panic!("{:?}", d.kept()) };
    assert_eq!((a.start, a.end, a.figure), (Micros(4), Some(Micros(7)), 1));
    let preempted = Fact::Request(RequestFact::Preempted {
        request: RequestId(0),
        replica: ReplicaId(0),
        class: class_number(critical),
        urgency: 0,
        times: 1,
    });
    let back =
        [(2, scheduled(0, critical)), (2, step(2)), (3, preempted), (4, scheduled(1, batch)), (4, step(2))];
    let d = watch(&[&came[..], &back[..]].concat(), 1);
    let [a] = d.kept() else { panic!("{:?}", d.kept()) };
    assert_eq!((proofs(a), a.end), (vec![(0, 3), (1, 4)], None));
    assert!(a.sentence().starts_with("#0 still waits while #"), "{}", a.sentence());
}

#[test]
fn a_head_in_the_way_is_told_when_it_lasts() {
    let blocked = Fact::Cache(CacheFact::HeadBlocked {
        request: RequestId(7),
        behind: RequestId(9),
        replica: ReplicaId(0),
    });
    let short =
        [(10, blocked), (400_000, step(1)), (450_000, scheduled(7, SloClass::Standard)), (900_000, step(1))];
    assert!(watch(&short, 1).kept().is_empty());
    let long =
        [(10, blocked), (300_000, blocked), (600_000, step(1)), (800_000, scheduled(7, SloClass::Standard))];
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
    facts.push((15_000_001, step(1)));
    let d = watch(&facts, 1);
    let [a] = d.kept() else { panic!("{:?}", d.kept()) };
    assert_eq!((a.start, a.end, a.figure), (Micros(0), Some(Micros(5_000_000)), 6));
    assert_eq!(a.proofs.len(), 6);
}

#[test]
fn a_head_that_joins_after_one_long_step_was_in_the_way_all_the_time() {
    let blocked = Fact::Cache(CacheFact::HeadBlocked {
        request: RequestId(7),
        behind: RequestId(9),
        replica: ReplicaId(0),
    });
    let d = watch(&[(10, blocked), (10, step(2)), (900_010, scheduled(7, SloClass::Standard))], 1);
    let [a] = d.kept() else { panic!("{:?}", d.kept()) };
    assert_eq!((a.start, a.end), (Micros(10), Some(Micros(900_010))));
}

#[test]
fn a_head_blocks_no_request_while_the_batch_is_full() {
    let blocked = Fact::Cache(CacheFact::HeadBlocked {
        request: RequestId(7),
        behind: RequestId(9),
        replica: ReplicaId(0),
    });
    let full = Fact::Cache(CacheFact::HeadUnblocked { request: RequestId(7), replica: ReplicaId(0) });
    let short =
        [(10, blocked), (400_000, full), (900_000, step(2)), (950_000, blocked), (1_400_000, step(2))];
    assert!(watch(&short, 1).kept().is_empty());
    let d = watch(&[(10, blocked), (600_010, full), (900_000, scheduled(7, SloClass::Standard))], 1);
    assert_eq!(d.kept().iter().map(|a| a.end).collect::<Vec<_>>(), [Some(Micros(600_010))]);
}

#[test]
fn thrashing_of_a_replica_that_fell_idle_ends_while_others_go_on() {
    let mut facts: Vec<(u64, Fact)> = (0..4).map(|k| (k * 1_000_000, preempted(1, 2 + k as u32))).collect();
    facts.push((20_000_000, Fact::Request(RequestFact::Admitted { request: RequestId(5) })));
    let d = watch(&facts, 2);
    assert_eq!(d.kept().iter().map(|a| a.end).collect::<Vec<_>>(), [Some(Micros(3_000_000))]);
}

#[test]
fn a_livelock_names_the_latest_it_took_and_ends_when_something_finishes_or_is_given_up() {
    let found = Fact::Cache(CacheFact::Livelock { request: RequestId(3), replica: ReplicaId(0) });
    let routed = Fact::Request(RequestFact::Routed { request: RequestId(3), replica: ReplicaId(0) });
    let dropped = |reason| {
        Fact::Request(RequestFact::Dropped {
            request: RequestId(3),
            replica: ReplicaId(0),
            class: 0,
            urgency: 0,
            reason,
            waiting: 0,
        })
    };
    let mut facts: Vec<(u64, Fact)> = vec![(1, routed)];
    facts.extend((0..20).map(|k| (k + 2, preempted(3 + k as u32 % 2, 1))));
    facts.extend([(21, found), (30, preempted(9, 1))]);
    let open = watch(&facts, 1);
    let [a] = open.kept() else { panic!("{:?}", open.kept()) };
    assert_eq!((a.kind, a.start, a.end, a.figure), (AnomalyKind::Livelock, Micros(2), None, 21));
    assert_eq!((proofs(a).len(), proofs(a).last()), (PROOFS, Some(&(4, 21))));
    assert!(a.sentence().contains("and still does"), "{}", a.sentence());
    let outgrew = dropped(DropReason::OutgrewKvCache);
    for end in [completed(3, 0), outgrew] {
        let d = watch(&[&facts[..], &[(90, end)]].concat(), 1);
        assert_eq!(d.kept()[0].end, Some(Micros(90)));
    }
    // A request that could never have been served does not count.
    let never = dropped(DropReason::PromptExceedsKvCache);
    assert_eq!(watch(&[&facts[..], &[(90, never)]].concat(), 1).kept()[0].end, None);
}

#[test]
fn an_imbalance_that_lasted_until_it_ended_is_told_though_nothing_happened_meanwhile() {
    let routed = |k: u32, replica| {
        Fact::Request(RequestFact::Routed { request: RequestId(k), replica: ReplicaId(replica) })
    };
    let mut facts: Vec<(u64, Fact)> = (0..4).map(|k| (u64::from(k), routed(k, 1))).collect();
    let short = [&facts[..], &[(4_000_000, routed(4, 0)), (4_000_000, routed(5, 0))]].concat();
    assert!(watch(&short, 2).kept().is_empty());
    facts.extend((4..8).map(|k| (60_000_000, routed(k, 0))));
    let d = watch(&facts, 2);
    let [a] = d.kept() else { panic!("{:?}", d.kept()) };
    assert_eq!((a.start, a.end, a.replica, a.figure), (Micros(3), Some(Micros(60_000_000)), 1, 1000));
    assert_eq!(proofs(a), [(0, 0), (1, 1), (2, 2), (3, 3)]);
}

#[test]
fn a_drained_replica_is_no_part_of_an_imbalance() {
    let routed = |k: u32, replica| {
        Fact::Request(RequestFact::Routed { request: RequestId(k), replica: ReplicaId(replica) })
    };
    let mut facts: Vec<(u64, Fact)> = (0..8).map(|k| (u64::from(k), routed(k, 1))).collect();
    facts.extend([(8, routed(8, 0)), (8, routed(9, 2))]);
    facts.extend([
        (9_000_000, step(0)),
        (9_500_000, Fact::Fleet(FleetFact::Draining { replica: ReplicaId(1) })),
    ]);
    let d = watch(&facts, 3);
    let [a] = d.kept() else { panic!("{:?}", d.kept()) };
    assert_eq!((a.replica, a.end), (1, Some(Micros(9_500_000))));
    // The requests left there finish without an effect; returning counts again.
    facts.extend([
        (9_600_000, completed(0, 1)),
        (10_000_000, Fact::Fleet(FleetFact::Serving { replica: ReplicaId(1), pool: 0 })),
    ]);
    facts.push((15_000_001, step(0)));
    assert_eq!(watch(&facts, 3).kept().len(), 2);
}

#[test]
fn uneven_load_is_told_when_it_lasts() {
    let routed = |k: u32, replica| {
        Fact::Request(RequestFact::Routed { request: RequestId(k), replica: ReplicaId(replica) })
    };
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
        facts.push((k, scheduled(first + 1, SloClass::Background)));
        facts.push((k, step(1)));
        facts.push((k, scheduled(first, SloClass::Critical)));
        facts.push((k, step(0)));
    }
    let mut d = watch(&facts, 1);
    assert_eq!(d.kept().len() as u32, KEPT);
    assert_eq!(d.counts().next(), Some((AnomalyKind::PriorityInversion, KEPT + 10)));
    assert_eq!((d.unreported().len() as u32, d.unreported().len()), (KEPT, 0));
}

fn handover(fact: HandoverFact) -> Fact {
    Fact::Handover(fact)
}

#[test]
fn blocks_set_aside_overtake_who_waited_then_and_no_later_request() {
    let (batch, critical) = (SloClass::Batch, SloClass::Critical);
    let reserved = handover(HandoverFact::Reserved {
        request: RequestId(0),
        replica: ReplicaId(0),
        class: class_number(batch),
        urgency: 0,
        blocks: 3,
        cached: 0,
    });
    let waiting = [(1, queued(0, batch)), (2, queued(1, critical)), (3, reserved), (9, step(1))];
    let d = watch(&waiting, 1);
    let [a] = d.kept() else { panic!("{:?}", d.kept()) };
    assert_eq!((a.kind, proofs(a)), (AnomalyKind::PriorityInversion, vec![(1, 2), (0, 9)]));
    let later = [(1, queued(0, batch)), (3, reserved), (4, queued(1, critical)), (9, step(1))];
    assert!(watch(&later, 1).kept().is_empty());
    let overtaken_later = [&later[..], &[(10, queued(2, batch)), (11, scheduled(2, batch)), (11, step(1))]];
    assert_eq!(watch(&overtaken_later.concat(), 1).kept().len(), 1, "the later one is not forgotten");
}

#[test]
fn prefill_replicas_are_compared_with_each_other_and_homes_with_each_other() {
    let mut scenario = Scenario::default();
    scenario.cluster.pools = vec![scenario.cluster.pools[0].clone(); 2];
    for (pool, role) in scenario.cluster.pools.iter_mut().zip([Role::Prefill, Role::Decode]) {
        (pool.role, pool.replicas) = (role, 2);
    }
    let mut d = Detectors::new(&scenario, 4);
    let mut come = |at: u64, request: u32, [home, prefill]: [u32; 2]| {
        let (request, home, prefill) = (RequestId(request), ReplicaId(home), Some(ReplicaId(prefill)));
        d.fact(Micros(at), &Fact::Request(RequestFact::Routed { request, replica: home }));
        let (reason, uncached) = (DeciderReason::Always, None);
        d.fact(Micros(at), &handover(HandoverFact::Decided { request, home, prefill, reason, uncached }));
    };
    // Homes have three each, prefill replicas six and none.
    for k in 0..6 {
        come(0, k, [2 + k % 2, 0]);
    }
    d.fact(Micros(5_000_000), &step(0));
    let [a] = d.kept() else { panic!("{:?}", d.kept()) };
    assert_eq!((a.kind, a.replica, a.end), (AnomalyKind::LoadImbalance, 0, None));
    let prefilled = |request| {
        let (request, replica, home) = (RequestId(request), ReplicaId(0), ReplicaId(2));
        handover(HandoverFact::Prefilled { request, replica, home, ttft: Span(1), blocks: 1 })
    };
    for k in 0..3 {
        d.fact(Micros(6_000_000), &prefilled(k));
    }
    assert_eq!(d.kept()[0].end, Some(Micros(6_000_000)), "three in flight are too few to spread");
    // The pool becomes one of homes: its replicas and what they have count among these.
    scenario.cluster.pools[0].role = Role::Mixed;
    d.adopt(&scenario, Micros(7_000_000));
    d.fact(Micros(7_000_000), &Fact::Fleet(FleetFact::Draining { replica: ReplicaId(1) }));
    d.fact(Micros(12_000_000), &step(0));
    assert_eq!(d.kept().len(), 1, "three, three and three");
}
