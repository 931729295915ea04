//! Decisions of autoscalers, one row each, in order.

use super::sheet::{Cell, Field};
use crate::engine::ScalingRecord;

type Value = for<'a> fn(&ScalingRecord, &'a [String]) -> Cell<'a>;

const fn field(name: &'static str, unit: &'static str, help: &'static str, value: Value) -> Field<Value> {
    Field { name, unit, help, value }
}

/// A figure that only replicas that were measured have.
fn measured(r: &ScalingRecord, value: f64) -> Cell<'static> {
    if r.measured > 0 { Cell::Real(value) } else { Cell::Unknown }
}

/// A mean that only requests that finished have.
fn known(value: f64) -> Cell<'static> {
    if value > 0.0 { Cell::Real(value) } else { Cell::Unknown }
}

/// The columns, in order.
#[rustfmt::skip]
pub(super) const FIELDS: &[Field<Value>] = &[
    field("time_us", "us", "when it was decided", |r, _| r.at.into()),
    field("pool", "", "name of the pool", |r, pools| pools.get(r.pool as usize).map(String::as_str).into()),
    field("decision", "", "its number among those of the pool since its settings last changed", |r, _| r.number.into()),
    field("seen_us", "us", "when the latest measurement was taken that it saw", |r, _| r.seen_at.into()),
    field("ready", "replicas", "that serve, now and not as measured", |r, _| r.ready.into()),
    field("pending", "replicas", "that start or wait for GPUs", |r, _| r.pending.into()),
    field("draining", "replicas", "that drain", |r, _| r.draining.into()),
    field("measured", "replicas", "that serve and have been measured", |r, _| r.measured.into()),
    field("utilization", "", "their mean of the larger of the shares of KV blocks and of the batch in use", |r, _| measured(r, r.utilization)),
    field("kv_use", "", "their mean share of KV blocks in use", |r, _| measured(r, r.kv)),
    field("queued", "requests", "that waited, at replicas and at the gateway", |r, _| r.queued.into()),
    field("running", "requests", "that ran", |r, _| r.running.into()),
    field("rate_per_s", "requests/s", "that came", |r, _| r.rate_per_s.into()),
    field("future_per_s", "requests/s", "that will come; an oracle knows", |r, _| r.future_per_s.into()),
    field("ttft_ms", "ms", "mean time to first token of requests that finished", |r, _| known(r.ttft_ms)),
    field("itl_ms", "ms", "mean time between their tokens", |r, _| known(r.itl_ms)),
    field("current", "replicas", "that there are and will be", |r, _| r.decision.current.into()),
    field("recommended", "replicas", "that the load alone asks for", |r, _| r.decision.recommended.into()),
    field("stabilised", "replicas", "what the stabilisation window leaves of that", |r, _| r.decision.stabilised.into()),
    field("desired", "replicas", "what is wanted, within all limits", |r, _| r.decision.desired.into()),
    field("rule", "", "the rule that decided", |r, _| r.decision.rule.name().into()),
    field("clamped", "", "what the bounds did: `to-min` or `to-max`", |r, _| r.decision.clamped.name().into()),
    field("reverses", "", "whether it is the opposite of the change before, soon after it (an oscillation)", |r, _| r.reverses.into()),
    field("unplaced", "replicas", "that wait for GPUs after it", |r, _| r.unplaced.into()),
];
