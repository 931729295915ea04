//! A run with all of flow control, for the tests of results and of laws.

use serde_json::json;
use tokenyard::scenario::preset::Preset;
use tokenyard::scenario::{
    Arrivals, Ceilings, Change, Compat, Fairness, FlowControl, Ordering, ProgramAware, Scenario, SloClass,
    TimedEdit,
};

/// Bursts that wait at the gateway: every band, llm-d's router, and eviction where `compat` has it.
pub(crate) fn gateway(compat: Compat) -> Scenario {
    let mut s = Preset::named("queue-at-the-gateway").expect("a preset").scenario();
    s.run.horizon_s = 24.0;
    s.run.warmup_s = 2.0;
    s.edits.clear();
    s.workload.clients[1].arrivals = Arrivals::Gamma { rate_per_s: 90.0, cv: 3.0 };
    s.workload.clients[1].slo_class = SloClass::Background;
    s.cluster.flow_control = Some(FlowControl {
        ceilings: Ceilings::SoftReflective,
        fairness: Fairness::ProgramAware(ProgramAware::default()),
        ordering: Ordering::SloDeadline,
        ttl_s: 1.0,
        eviction: compat == Compat::None,
        ..FlowControl::default()
    });
    let set = |path: &str, value| Change::set(path, value);
    let detector = json!({ "concurrency": { "mode": "hybrid", "max_requests": 40, "max_tokens": 20_000 } });
    let holdback = json!({ "priority-holdback": { "by": "value" } });
    s.edits = vec![
        TimedEdit::new(6_000_000, set("cluster.flow_control.detector", detector)),
        TimedEdit::new(9_000_000, set("cluster.flow_control.ceilings", holdback)),
        TimedEdit::new(12_000_000, set("cluster.flow_control.fairness", json!("round-robin"))),
        TimedEdit::new(
            15_000_000,
            set("cluster.admission", json!({ "shed": { "rule": { "probabilistic": {} } } })),
        ),
        TimedEdit::new(18_000_000, set("cluster.routing", json!({ "weighted": { "profile": "llm-d-1.0" } }))),
        TimedEdit::new(21_000_000, set("cluster.flow_control", json!(null))),
    ];
    s
}
