//! Export of autoscaler decisions: one row each, in order.

use super::cell::Cell;
use super::export::{Begun, Column, Export, columns_of};
use super::rows::{Destination, Rows};
use super::sheet::{Field, Sheet};
use document::ScalingMetric;
use engine::policy::scaling::Estimate;
use engine::{Present, ScalingRecord};
use queueing::{Event, ObjectivePath};

/// The rows of autoscalers' decisions.
pub(super) struct Scaling;

impl Export for Scaling {
    fn name(&self) -> &'static str {
        "scaling"
    }

    fn columns(&self) -> Vec<Column> {
        columns_of(FIELDS)
    }

    fn begin(&self, run: Begun<'_>) -> Box<dyn Rows> {
        let pools = run.pools.clone();
        Box::new(File { sheet: run.sheet(FIELDS), pools })
    }
}

struct File {
    sheet: Sheet,
    pools: Vec<String>,
}

impl Rows for File {
    fn out(&mut self) -> &mut dyn Destination {
        &mut self.sheet
    }

    fn scaled(&mut self, record: &ScalingRecord) {
        for field in FIELDS {
            self.sheet.cell((field.value)(record, &self.pools));
        }
        self.sheet.end_row();
    }
}

type Value = for<'a> fn(&ScalingRecord, &'a [String]) -> Cell<'a>;

const fn field(name: &'static str, unit: &'static str, help: &'static str, value: Value) -> Field<Value> {
    Field { name, unit, help, value }
}

/// A figure that exists only if replicas were measured.
fn measured(r: &ScalingRecord, value: f64) -> Cell<'static> {
    if r.measured > 0 { Cell::Real(value) } else { Cell::Unknown }
}

/// A mean that exists only if requests finished.
fn known(value: f64) -> Cell<'static> {
    if value > 0.0 { Cell::Real(value) } else { Cell::Unknown }
}

/// What the policy does not see.
fn present(r: &ScalingRecord, of: fn(&Present) -> f64) -> Cell<'static> {
    r.present.as_ref().map(of).into()
}

/// A figure that the policy learnt, by its index.
fn figure(r: &ScalingRecord, k: usize) -> Cell<'static> {
    let figure = r.estimate.as_ref().map_or(f64::NAN, |e| e.figures()[k]);
    if figure.is_finite() { Cell::Real(figure) } else { Cell::Unknown }
}

/// A whole number that the policy learnt, by its index.
fn whole(r: &ScalingRecord, k: usize) -> Cell<'static> {
    match figure(r, k) {
        Cell::Real(x) => Cell::Whole(x as u64),
        unknown => unknown,
    }
}

/// A name that the policy learnt, by its index.
fn name(r: &ScalingRecord, of: fn(&Estimate) -> Option<&'static str>) -> Cell<'static> {
    r.estimate.as_ref().and_then(|e| of(e)).into()
}

/// The columns, in order.
#[rustfmt::skip]
const FIELDS: &[Field<Value>] = &[
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
    field("true_rate_per_s", "requests/s", "that really came since the latest measurement before the decision", |r, _| present(r, |p| p.rate_per_s)),
    field("true_ttft_ms", "ms", "mean time to first token of requests that finished since then", |r, _| known(r.present.map_or(0.0, |p| p.ttft_ms))),
    field("true_itl_ms", "ms", "mean time between their tokens", |r, _| known(r.present.map_or(0.0, |p| p.itl_ms))),
    field("tuning", "", "how learning went in the cycle, by the last replica: `accepted`, `rejected`, `saturated`, `nothing_measured`, `tuner_not_created`, `undefined_h_in_update`", |r, _| name(r, |e| Some(e.status.name()))),
    field("tuning_event", "", "what else happened: `guessed`, `guess_failed`, `widened`", |r, _| name(r, |e| e.event.map(Event::name))),
    field("goal_path", "", "where the objectives come from: `explicit`, `inferred`, `observed`", |r, _| name(r, |e| e.path.map(ObjectivePath::name))),
    field("alpha_ms", "ms", "estimate of α after the cycle", |r, _| figure(r, 0)),
    field("beta_ms", "ms per token", "of β", |r, _| figure(r, 1)),
    field("gamma_ms", "ms per token", "of γ", |r, _| figure(r, 2)),
    field("alpha_sd_ms", "ms", "standard deviation of the estimate of α", |r, _| figure(r, 3)),
    field("beta_sd_ms", "ms per token", "of β", |r, _| figure(r, 4)),
    field("gamma_sd_ms", "ms per token", "of γ", |r, _| figure(r, 5)),
    field("nis", "", "normalised innovation squared of the last update", |r, _| figure(r, 6)),
    field("nis_gate", "", "from which on it was rejected, the 97.5 % point of χ² with two degrees of freedom; unknown where every update passed", |r, _| figure(r, 7)),
    field("updates_accepted", "updates", "that were accepted in the cycle", |r, _| whole(r, 8)),
    field("updates_rejected", "updates", "that were rejected in the cycle", |r, _| whole(r, 9)),
    field("goal_ttft_ms", "ms", "objective for the mean time to first token", |r, _| figure(r, 10)),
    field("goal_itl_ms", "ms", "objective for the mean time between tokens", |r, _| figure(r, 11)),
    field("replica_per_s", "requests/s", "that one replica carries within the objectives, λ*", |r, _| figure(r, 12)),
    field("demand_per_s", "requests/s", "that came to the replicas measured", |r, _| figure(r, 13)),
    field("required", "replicas", "that carry them, ⌈demand / λ*⌉", |r, _| whole(r, 14)),
    field("needed", "replicas", "below which more are asked for: demand / (`up` λ*)", |r, _| figure(r, 15)),
    field("enough", "replicas", "above which some could go: demand / (`down` λ*)", |r, _| figure(r, 16)),
    field("input_tokens", "tokens", "mean prompt of the requests measured", |r, _| figure(r, 17)),
    field("output_tokens", "tokens", "mean answer", |r, _| figure(r, 18)),
    field("predicted_ttft_ms", "ms", "time to first token by the closed form, at the rate of the mean replica; unknown if more comes than it carries", |r, _| figure(r, 19)),
    field("predicted_itl_ms", "ms", "time between tokens by the closed form", |r, _| figure(r, 20)),
    field("predicted_batch", "requests", "of its batch by the closed form", |r, _| figure(r, 21)),
    field("true_alpha_ms", "ms", "true α, where the pool's latency model is `fitted` with a cost of context", |r, _| figure(r, 22)),
    field("true_beta_ms", "ms per token", "true β", |r, _| figure(r, 23)),
    field("true_gamma_ms", "ms per token", "true γ", |r, _| figure(r, 24)),
    field("true_replica_per_s", "requests/s", "λ* by the true coefficients; inferred objectives are inferred from them, too", |r, _| figure(r, 25)),
    field("replica_error_percent", "%", "by how much more than that a replica is found to carry", |r, _| figure(r, 26)),
    field("metric", "", "which of several metrics or triggers asked for the most", |r, _| r.decision.metric.map(ScalingMetric::name).into()),
];

#[cfg(test)]
mod tests {
    use super::*;
    use engine::policy::scaling::FIGURE_NAMES;

    #[test]
    fn the_figures_of_an_estimate_are_columns_in_order() {
        let figures: Vec<&str> = FIGURE_NAMES.split(' ').collect();
        let columns: Vec<&str> = FIELDS.iter().map(|f| f.name).collect();
        let first = columns.iter().position(|c| *c == figures[0]).expect("a column");
        assert_eq!(columns[first..][..figures.len()], figures);
    }
}
