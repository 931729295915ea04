//! Policies and their parts, made from the settings of a scenario.

use super::Bounds;
use super::estimate::QueueingSettings;
use super::hpa::{Behavior, Hpa, RatePolicy, RateUnit, Rules, Select};
use super::keda::{Combined, Keda, KedaSettings, Trigger};
use super::kpa::KpaSettings;
use super::queueing_model::QueueingModel;
use super::slo_aware::{LatencyFigure, SloAware, SloSettings};
use super::token_aware::TokenAware;
use base::{Micros, Span, math};
use document::{
    self, BESIDE_TRIGGERS, DirectionRules, LimitUnit, PeakPrefill, ScalingMetric, SelectRule, SloQuantile,
};
use queueing::{Mode, Objectives};

pub(super) fn span(seconds: f64) -> Span {
    math::round_to_span(seconds * 1e6)
}

/// KEDA with the metrics of its triggers; with a formula also those of the names beside them.
pub(super) fn keda(p: &document::Keda, bounds: Bounds, now: Micros) -> (Keda, Vec<ScalingMetric>) {
    let (mut triggers, mut metrics) = (Vec::new(), Vec::new());
    for t in p.triggers() {
        triggers.push(Trigger { threshold: t.threshold, target_of: t.target_of, activation: t.activation });
        metrics.push(t.metric);
    }
    let formula = p.formula.as_ref().zip(p.combined()).map(|(f, read)| {
        let formula = read.expect("INV-6: a formula was checked with its scenario");
        let trigger = Trigger { threshold: f.target, target_of: f.target_of, activation: f.activation };
        Combined { formula, trigger }
    });
    if formula.is_some() {
        let beside = |name: &String| BESIDE_TRIGGERS.iter().find(|(beside, _)| beside == name).map(|b| b.1);
        metrics.extend(p.names().iter().skip(metrics.len()).filter_map(beside));
    }
    let settings = KedaSettings { bounds, triggers, cooldown: span(p.cooldown_s), idle: None, formula };
    let mut keda = Keda::new(settings, behavior(&p.behavior));
    keda.begin(now);
    (keda, metrics)
}

/// Settings of Knative's autoscaler.
pub(super) fn kpa(p: &document::Kpa, bounds: Bounds) -> KpaSettings {
    KpaSettings {
        bounds,
        target: p.utilization * p.concurrency,
        stable: span(p.stable_s),
        panic: span(p.panic_s),
        panic_threshold: p.panic_threshold,
        max_up: p.max_up,
        max_down: p.max_down,
    }
}

/// llm-d's token-aware scaling.
pub(super) fn token_aware(p: &document::TokenAware, bounds: Bounds) -> TokenAware {
    let peak_per_s = match p.peak_prefill_tokens_per_s {
        PeakPrefill::Model => None,
        PeakPrefill::TokensPerS(n) => Some(f64::from(n)),
    };
    let hpa = Hpa::new(bounds, behavior(&p.behavior));
    TokenAware { peak_per_s, backlog_s: p.backlog_s, kv: p.kv, hpa }
}

/// llm-d's scaling by objectives.
pub(super) fn slo_aware(p: &document::SloAware, bounds: Bounds) -> SloAware {
    let figure = match p.quantile {
        SloQuantile::Mean => LatencyFigure::Mean,
        SloQuantile::Share(share) => LatencyFigure::Quantile(share),
    };
    let settings = SloSettings {
        objectives_ms: [p.ttft_ms, p.tpot_ms],
        figure,
        most: p.most,
        smoothing: span(p.smoothing_s),
        up: p.up,
        down: p.down,
    };
    SloAware::new(settings, Hpa::new(bounds, behavior(&p.behavior)))
}

pub(super) fn queueing_model(p: &document::QueueingModel) -> QueueingModel {
    let explicit =
        (p.ttft_ms > 0.0 && p.itl_ms > 0.0).then_some(Objectives { ttft_ms: p.ttft_ms, itl_ms: p.itl_ms });
    let mode = match p.mode {
        document::QueueingMode::Corrected => Mode::Corrected,
        document::QueueingMode::AsCoded => Mode::AsCoded,
    };
    let (slo_multiplier, up, down) = (p.slo_multiplier, p.up, p.down);
    QueueingModel::new(QueueingSettings { mode, slo_multiplier, explicit, up, down })
}

/// The behaviour by the settings.
pub(super) fn behavior(settings: &document::Behavior) -> Option<Behavior> {
    match settings {
        document::Behavior::Default => Some(Behavior::default()),
        document::Behavior::Legacy => None,
        document::Behavior::Rules(rules) => {
            Some(Behavior { up: direction(&rules.up), down: direction(&rules.down) })
        }
    }
}

fn direction(rules: &DirectionRules) -> Rules {
    let own = if rules.percent_period_s > 0.0 { rules.percent_period_s } else { rules.period_s };
    let pods = (rules.pods > 0).then_some((RateUnit::Pods(rules.pods), rules.period_s));
    let percent = (rules.percent > 0.0).then_some((RateUnit::Percent(rules.percent), own));
    let both = [percent, pods].into_iter().flatten();
    let listed = rules.policies.iter().map(|limit| {
        let by = match limit.by {
            LimitUnit::Pods => RateUnit::Pods(limit.value as u32),
            LimitUnit::Percent => RateUnit::Percent(limit.value),
        };
        (by, limit.period_s)
    });
    let limits: Vec<(RateUnit, f64)> =
        if rules.policies.is_empty() { both.collect() } else { listed.collect() };
    let policies = limits.iter().map(|(by, s)| RatePolicy { by: *by, period: span(*s) }).collect();
    let select = match rules.select {
        SelectRule::Max => Select::Max,
        SelectRule::Min => Select::Min,
        SelectRule::Disabled => Select::Disabled,
    };
    Rules { window: span(rules.stabilization_s), policies, select, tolerance: rules.tolerance }
}
