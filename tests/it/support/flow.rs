//! Random settings of flow control: every detector, ceiling, fairness and ordering policy, tight enough for requests to wait.

use proptest::prelude::*;
use proptest::sample::select;
use tokenyard::scenario::{
    Ceilings, ClassPriorities, ConcurrencyDetector, ConcurrencyMode, Detector, Fairness, FlowBand,
    FlowControl, FlowKey, HoldbackBy, Ordering, PriorityHoldback, ProgramAware, StaticCeiling,
    UtilizationDetector,
};

/// Every detector.
pub(crate) fn detectors() -> Vec<Detector> {
    let concurrency =
        |mode| Detector::Concurrency(ConcurrencyDetector { mode, max_requests: 2, max_tokens: 60 });
    let utilization = |refresh_us| {
        Detector::Utilization(UtilizationDetector {
            queue_threshold: 1.0,
            kv_threshold: 0.5,
            refresh_us,
            stale_us: 200_000,
        })
    };
    vec![
        concurrency(ConcurrencyMode::Requests),
        concurrency(ConcurrencyMode::Tokens),
        concurrency(ConcurrencyMode::Hybrid),
        utilization(0),
        utilization(50_000),
        Detector::Never,
    ]
}

/// Every kind of ceilings.
pub(crate) fn ceilings() -> Vec<Ceilings> {
    let holdback = |by| Ceilings::PriorityHoldback(PriorityHoldback { max: 1.0, min: 0.3, by });
    vec![
        Ceilings::Static(StaticCeiling { ceiling: 0.8 }),
        holdback(HoldbackBy::Rank),
        holdback(HoldbackBy::Value),
        Ceilings::SoftReflective,
    ]
}

/// Every fairness policy.
pub(crate) fn fairness() -> Vec<Fairness> {
    vec![Fairness::GlobalStrict, Fairness::RoundRobin, Fairness::ProgramAware(ProgramAware::default())]
}

prop_compose! {
    /// Flow control; `stops` where running requests can be stopped.
    pub(crate) fn a_flow(stops: bool)(
        (detector, ceilings) in (select(detectors()), select(ceilings())),
        (fairness, own_fairness) in (select(fairness()), select(fairness())),
        (ordering, own_ordering) in (a_ordering(), a_ordering()),
        flow in select(vec![FlowKey::Tenant, FlowKey::Client, FlowKey::Session]),
        (max_requests, max_prompt_tokens) in (select(vec![0_u32, 0, 5]), select(vec![0_u64, 0, 900])),
        (ttl_s, no_replica_ttl_s) in (select(vec![0.0_f64, 0.05, 1.2]), select(vec![0.0_f64, 0.5])),
        tick_us in select(vec![1000_u64, 1000, 100, 70_000]),
        eviction in any::<bool>(),
        equal in any::<bool>(),
    ) -> FlowControl {
        let own = FlowBand { priority: 0, fairness: own_fairness, ordering: own_ordering, ..FlowBand::default() };
        let priorities = if equal {
            ClassPriorities { critical: 1, standard: 1, sheddable: 1, batch: -1, background: -1 }
        } else {
            ClassPriorities::default()
        };
        FlowControl {
            detector,
            ceilings,
            priorities,
            flow,
            fairness,
            ordering,
            bands: vec![own],
            max_requests,
            max_prompt_tokens,
            ttl_s,
            no_replica_ttl_s,
            tick_us,
            eviction: eviction && stops,
        }
    }
}

fn a_ordering() -> impl Strategy<Value = Ordering> {
    select(vec![Ordering::Fcfs, Ordering::Edf, Ordering::SloDeadline])
}
