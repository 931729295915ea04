//! The autoscaler of a pool's settings, with its state. The match below is the only dispatch.

use super::carrier::Carrier;
use super::dynamo_load::{DynamoLoad, LoadSettings};
use super::dynamo_throughput::{DynamoThroughput, Predictor};
use super::group::{self, Need};
use super::hpa::{Hpa, Metric};
use super::keda::Keda;
use super::kpa::Kpa;
use super::metric::{Wanted, measured, of_name, of_trigger};
use super::plan::{Plan, PlanRule, PlanView};
use super::queueing_model::QueueingModel;
use super::saturation_v1::{self, ReplicaLoad, SaturationSettings};
use super::saturation_v2::{self, QueueCharge, TokenSettings, token_variant};
use super::settings::{behavior, keda, kpa, queueing_model, slo_aware, span, token_aware};
use super::slo_aware::SloAware;
use super::token_aware::TokenAware;
use super::view::{Measured, PoolSight};
use super::{Bounds, Decision, Estimate, Rule, oracle};
use base::{Micros, Span};
use document::{self, CarriedOutBy, Counted, Role, Scaling, ScalingMetric, ScalingPolicy, TargetOf};
use queueing::{Objectives, Params, RequestSize};
use serde::{Deserialize, Serialize};

/// An autoscaler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaler {
    bounds: Bounds,
    kind: ScalerKind,
    /// The horizontal autoscaler that carries out its decisions, if it does not itself.
    carrier: Option<Carrier>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum ScalerKind {
    None,
    Plan { plan: Plan, counted: Counted },
    Hpa { hpa: Hpa, metrics: Vec<Wanted> },
    Keda { keda: Keda, metrics: Vec<ScalingMetric> },
    Kpa { kpa: Kpa, grace: Span, counted: Counted, busy_at: Option<Micros> },
    TokenAware(TokenAware),
    SloAware(Box<SloAware>),
    SaturationV1(SaturationSettings),
    SaturationV2(TokenSettings),
    QueueingModel(Box<QueueingModel>),
    DynamoThroughput(Box<DynamoThroughput>),
    DynamoLoad(DynamoLoad),
    Oracle { replica_per_s: f64 },
}

impl Scaler {
    /// A new one for a pool with `replicas` replicas.
    pub fn new(settings: &Scaling, now: Micros, replicas: u32) -> Self {
        let bounds = Bounds { min: settings.min, max: settings.max };
        let counting = |counted, rule, cooldown_s: f64| ScalerKind::Plan {
            plan: Plan::new(rule, bounds, span(cooldown_s)),
            counted,
        };
        let plan = |rule, cooldown_s: f64| counting(Counted::Present, rule, cooldown_s);
        let kind = match &settings.policy {
            ScalingPolicy::None => ScalerKind::None,
            ScalingPolicy::Threshold(p) => plan(PlanRule::Threshold { up: p.up, down: p.down }, p.cooldown_s),
            ScalingPolicy::TargetUtilization(p) => {
                counting(p.counted, PlanRule::TargetUtilization { target: p.target }, p.cooldown_s)
            }
            ScalingPolicy::QueueDepth(p) => {
                plan(PlanRule::QueueDepth { up: p.up, down: p.down }, p.cooldown_s)
            }
            ScalingPolicy::Hpa(p) => {
                let first = Wanted { metric: p.metric, target: p.target, target_of: p.target_of };
                let metrics = std::iter::once(first).chain(p.more.iter().map(Wanted::from)).collect();
                ScalerKind::Hpa { hpa: Hpa::new(bounds, behavior(&p.behavior)), metrics }
            }
            ScalingPolicy::Keda(p) => {
                let (keda, metrics) = keda(p, bounds, now);
                ScalerKind::Keda { keda, metrics }
            }
            ScalingPolicy::TokenAware(p) => ScalerKind::TokenAware(token_aware(p, bounds)),
            ScalingPolicy::SloAware(p) => ScalerKind::SloAware(Box::new(slo_aware(p, bounds))),
            ScalingPolicy::Kpa(p) => {
                let kpa = Kpa::in_panic(kpa(p, bounds), now, replicas);
                ScalerKind::Kpa { kpa, grace: span(p.grace_s), counted: p.counted, busy_at: Some(now) }
            }
            ScalingPolicy::WvaSaturationV1(p) => ScalerKind::SaturationV1(SaturationSettings {
                kv: p.kv,
                queue: p.queue,
                kv_spare: p.kv_spare,
                queue_spare: p.queue_spare,
            }),
            ScalingPolicy::WvaSaturationV2(p) => {
                let charge = match p.charge {
                    document::QueueCharge::Input => QueueCharge::Input,
                    document::QueueCharge::InputAndOutput => QueueCharge::InputAndOutput,
                };
                ScalerKind::SaturationV2(TokenSettings { kv: p.kv, up: p.up, down: p.down, charge })
            }
            ScalingPolicy::WvaQueueingModel(p) => ScalerKind::QueueingModel(Box::new(queueing_model(p))),
            ScalingPolicy::DynamoThroughput(p) => {
                let predictor = match p.predictor {
                    document::RatePredictor::Constant => Predictor::Constant,
                    document::RatePredictor::Trend => Predictor::Trend,
                };
                let objectives = Objectives { ttft_ms: p.ttft_ms, itl_ms: p.itl_ms };
                ScalerKind::DynamoThroughput(Box::new(DynamoThroughput::new(objectives, predictor)))
            }
            ScalingPolicy::DynamoLoad(p) => ScalerKind::DynamoLoad(DynamoLoad::new(LoadSettings {
                objectives: Objectives { ttft_ms: p.ttft_ms, itl_ms: p.itl_ms },
                sensitivity: p.sensitivity,
                min_observations: p.min_observations,
            })),
            ScalingPolicy::Oracle(p) => ScalerKind::Oracle { replica_per_s: p.replica_per_s },
        };
        let carrier = match &settings.carried_out_by {
            CarriedOutBy::Policy => None,
            CarriedOutBy::Hpa(p) => Some(Carrier::new(bounds, behavior(&p.behavior), span(p.sync_s))),
        };
        Self { bounds, kind, carrier }
    }

    /// The same for the replicas of a role. Waiting prompts of prefill replicas count without their answers, those of decode
    /// replicas with them; Dynamo's planners hold prefill replicas to TTFT, and decode replicas to ITL.
    #[must_use]
    pub fn of_role(mut self, role: Role) -> Self {
        match &mut self.kind {
            ScalerKind::SaturationV2(settings) => match role {
                Role::Mixed => {}
                Role::Prefill => settings.charge = QueueCharge::Input,
                Role::Decode => settings.charge = QueueCharge::InputAndOutput,
            },
            ScalerKind::DynamoLoad(planner) => planner.hold_to(role),
            ScalerKind::DynamoThroughput(planner) => planner.hold_to(role),
            ScalerKind::None
            | ScalerKind::Plan { .. }
            | ScalerKind::Hpa { .. }
            | ScalerKind::Keda { .. }
            | ScalerKind::TokenAware(_)
            | ScalerKind::SloAware(_)
            | ScalerKind::Kpa { .. }
            | ScalerKind::SaturationV1(_)
            | ScalerKind::QueueingModel(_)
            | ScalerKind::Oracle { .. } => {}
        }
        self
    }

    /// Whether it takes away one replica at a time: where replicas are ranks, one server.
    pub fn steps_down_by_one(&self) -> bool {
        matches!(self.kind, ScalerKind::Plan { .. } | ScalerKind::SaturationV1(_) | ScalerKind::DynamoLoad(_))
    }

    /// Takes over what the autoscaler before an edit has learnt about the servers, if it learns in the same way. Its
    /// decisions are forgotten.
    pub fn keep_learnt(&mut self, before: Self) {
        if let (Some(own), Some(before)) = (&mut self.carrier, before.carrier) {
            own.keep_learnt(before);
        }
        if let ScalerKind::QueueingModel(own) = &mut self.kind {
            if let ScalerKind::QueueingModel(before) = before.kind {
                own.keep_learnt(*before);
            }
        } else if let ScalerKind::SloAware(own) = &mut self.kind {
            if let ScalerKind::SloAware(before) = before.kind {
                own.keep_learnt(*before);
            }
        } else if let ScalerKind::DynamoThroughput(own) = &mut self.kind {
            if let ScalerKind::DynamoThroughput(before) = before.kind {
                own.keep_learnt(*before);
            }
        } else if let ScalerKind::DynamoLoad(own) = &mut self.kind
            && let ScalerKind::DynamoLoad(before) = before.kind
        {
            own.keep_learnt(before);
        }
    }

    /// Fewest and most replicas that it asks for.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The horizontal autoscaler that carries out its decisions, if it does not itself.
    pub fn carrier(&mut self) -> Option<&mut Carrier> {
        self.carrier.as_mut()
    }

    /// Time between two decisions of the horizontal autoscaler that carries out its own.
    pub fn carrier_period(&self) -> Option<Span> {
        self.carrier.as_ref().map(Carrier::period)
    }

    /// Whether it wants to know the requests that finish.
    pub fn wants_finished(&self) -> bool {
        let missed = |metric: &ScalingMetric| *metric == ScalingMetric::ObjectivesMissed;
        match &self.kind {
            ScalerKind::SloAware(_) => true,
            ScalerKind::Hpa { metrics, .. } => metrics.iter().any(|wanted| missed(&wanted.metric)),
            ScalerKind::Keda { metrics, .. } => metrics.iter().any(missed),
            ScalerKind::None
            | ScalerKind::Plan { .. }
            | ScalerKind::Kpa { .. }
            | ScalerKind::TokenAware(_)
            | ScalerKind::SaturationV1(_)
            | ScalerKind::SaturationV2(_)
            | ScalerKind::QueueingModel(_)
            | ScalerKind::DynamoThroughput(_)
            | ScalerKind::DynamoLoad(_)
            | ScalerKind::Oracle { .. } => false,
        }
    }

    /// Whether a request held at the gateway wakes it at once, without a measurement.
    pub fn wakes_at_once(&self) -> bool {
        matches!(self.kind, ScalerKind::Kpa { .. })
    }

    /// Takes the estimate of the tick just before, if the policy learns about the server: see
    /// [`QueueingModel::take_estimate`].
    pub fn take_estimate(
        &mut self,
        truth: impl FnOnce(RequestSize) -> Option<Params>,
    ) -> Option<Box<Estimate>> {
        if let ScalerKind::QueueingModel(model) = &mut self.kind { model.take_estimate(truth) } else { None }
    }

    /// The common need of a model's variants, if the policy determines one.
    pub fn assess(&mut self, variants: &[(u32, &PoolSight)]) -> Need {
        if variants.iter().any(|(_, s)| s.seen_at.is_none()) {
            return Need::hold(variants.len());
        }
        match &mut self.kind {
            ScalerKind::SaturationV1(settings) => group::saturation(settings, variants),
            ScalerKind::SaturationV2(settings) => group::tokens(settings, variants),
            ScalerKind::QueueingModel(model) => model.assess(variants),
            ScalerKind::None
            | ScalerKind::Plan { .. }
            | ScalerKind::Hpa { .. }
            | ScalerKind::Keda { .. }
            | ScalerKind::Kpa { .. }
            | ScalerKind::TokenAware(_)
            | ScalerKind::SloAware(_)
            | ScalerKind::DynamoThroughput(_)
            | ScalerKind::DynamoLoad(_)
            | ScalerKind::Oracle { .. } => Need::hold(variants.len()),
        }
    }

    /// Starts one replica for a waiting request when none is present or starting.
    pub fn wake(&mut self, now: Micros) -> Decision {
        if let ScalerKind::Kpa { busy_at, .. } = &mut self.kind {
            *busy_at = Some(now);
        }
        Decision::direct(0, self.bounds.min.max(1), Rule::Woken, self.bounds)
    }

    /// Decides at a tick.
    pub fn tick(&mut self, sight: &PoolSight) -> Decision {
        let (now, current) = (sight.now, sight.current());
        let hold = Decision::direct(current, current, Rule::Hold, self.bounds);
        if let ScalerKind::Oracle { replica_per_s } = self.kind {
            return oracle::decide(current, sight.future_per_s, replica_per_s, self.bounds);
        }
        if sight.seen_at.is_none() {
            return hold;
        }
        match &mut self.kind {
            ScalerKind::None | ScalerKind::Oracle { .. } => hold,
            ScalerKind::Plan { plan, counted } => {
                let utilization = sight.mean(Measured::utilization);
                let (counted, queued) = (sight.counted(*counted), sight.queued() as u64);
                plan.tick(now, &PlanView { current, counted, utilization, queued })
            }
            ScalerKind::Hpa { hpa, metrics } => {
                let seen: Vec<Metric> = metrics.iter().map(|m| measured(m, sight)).collect();
                let decision = hpa.tick(now, current, &seen);
                decision.by_metric((metrics.len() > 1).then(|| metrics[hpa.asked_by()].metric))
            }
            ScalerKind::Keda { keda, metrics } => {
                let triggers = &keda.settings.triggers;
                let combined = keda.settings.formula.is_some();
                let value = |(k, metric): (usize, &ScalingMetric)| {
                    if combined {
                        let target_of = triggers.get(k).map_or(TargetOf::Pool, |t| t.target_of);
                        return of_name(*metric, target_of, sight);
                    }
                    of_trigger(*metric, &triggers[k], sight)
                };
                let values: Vec<f64> = metrics.iter().enumerate().map(value).collect();
                let decision = keda.tick(now, current, sight.ready, &values);
                decision.by_metric((metrics.len() > 1 && !combined).then(|| metrics[keda.asked_by()]))
            }
            ScalerKind::Kpa { kpa, grace, counted, busy_at } => {
                let at_once = sight.sum(|r| r.running + r.waiting) + sight.held;
                if at_once > 0.0 {
                    *busy_at = Some(now);
                }
                let (mut decision, windows) = kpa.tick_of(now, [current, sight.counted(*counted)], at_once);
                let rested =
                    busy_at.is_none_or(|at| now.0 - at.0 >= kpa.settings.stable.0.saturating_add(grace.0));
                if decision.desired == 0 && current > 0 && !(rested && windows.stable <= 0.0) {
                    decision = Decision { rule: Rule::Cooldown, desired: 1.min(self.bounds.max), ..decision };
                } else if decision.desired == 0 && current > 0 {
                    decision.rule = Rule::Idle;
                }
                decision
            }
            ScalerKind::TokenAware(policy) => policy.tick(sight, self.bounds),
            ScalerKind::SloAware(policy) => policy.tick(sight, self.bounds),
            ScalerKind::SaturationV1(settings) => saturation(settings, sight, self.bounds),
            ScalerKind::SaturationV2(settings) => tokens(settings, sight, self.bounds),
            ScalerKind::QueueingModel(model) => model.tick(sight, self.bounds),
            ScalerKind::DynamoThroughput(planner) => planner.tick(sight, self.bounds),
            ScalerKind::DynamoLoad(planner) => planner.tick(sight, self.bounds),
        }
    }
}

/// Adds or removes one replica; nothing while replicas start or drain.
fn saturation(settings: &SaturationSettings, sight: &PoolSight, bounds: Bounds) -> Decision {
    let current = sight.current();
    if sight.pending > 0 || sight.measured.len() as u32 != sight.ready {
        return Decision::direct(current, current, Rule::Transition, bounds);
    }
    let loads: Vec<ReplicaLoad> = sight.measured.iter().map(Measured::replica_load).collect();
    let (change, rule) = saturation_v1::analyze(settings, &loads).change();
    Decision::direct(current, current.saturating_add_signed(change), rule, bounds)
}

/// Decides by demand and supply in tokens.
fn tokens(settings: &TokenSettings, sight: &PoolSight, bounds: Bounds) -> Decision {
    let current = sight.current();
    let found = saturation_v2::analyze(settings, &token_variant(sight, sight.mean_size()));
    let rule = match found.change {
        1.. => Rule::AboveThreshold,
        0 => Rule::WithinTolerance,
        _ => Rule::BelowThreshold,
    };
    let change = found.change.clamp(-i64::from(u16::MAX), i64::from(u16::MAX)) as i32;
    Decision::direct(current, current.saturating_add_signed(change), rule, bounds)
}
