//! Views of autoscaling: decisions, and the number of replicas in each stage of their life.

use super::columns::{Columns, with_time};
use super::{LifeFrame, LifePhase};
use crate::observe::scaling::Stage;
use crate::session::Session;
use base::Micros;
use document::ScalingMetric;
use engine::policy::ReplicaPhase;
use engine::policy::scaling::FIGURE_NAMES;
use engine::{Replica, ScalingRecord};
use queueing::{Event, ObjectivePath};
use serde::{Deserialize, Serialize};

/// Standard deviations within which 95 % of a normal distribution lie.
const NORMAL_95: f64 = 1.96;
/// Columns of estimates before their figures.
const ESTIMATE_FIRST: &str = "t_s pool alpha_band_ms beta_band_ms gamma_band_ms";

/// A query for decisions.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScalingQuery {
    /// The pool by number; all pools if it is missing.
    #[cfg_attr(feature = "types", ts(optional))]
    pub pool: Option<u32>,
    /// Whether to leave out decisions that changed nothing.
    pub changes_only: bool,
    /// Most decisions, the latest ones.
    pub most: u32,
}

impl Default for ScalingQuery {
    fn default() -> Self {
        Self { pool: None, changes_only: true, most: 200 }
    }
}

/// A decision of an autoscaler.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScalingRow {
    /// When it was made, in microseconds.
    pub at_us: u64,
    /// Name of the pool.
    pub pool: String,
    /// Age of the latest measurement that it saw, in microseconds; missing if it saw none.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_us_ago: Option<u64>,
    /// Replicas present and starting.
    pub current: u32,
    /// The number of replicas by the load alone.
    pub recommended: u32,
    /// The wanted number of replicas.
    pub desired: u32,
    /// The rule that decided.
    pub rule: &'static str,
    /// The effect of the bounds: `to-min`, `to-max` or nothing.
    pub clamped: &'static str,
    /// The metric that asked for the most replicas; empty if there is only one.
    pub metric: &'static str,
    /// Whether it soon reversed the change before: an oscillation.
    pub reverses: bool,
    /// Replicas that served, started and drained.
    pub ready: u32,
    /// Replicas that started or waited for GPUs.
    pub pending: u32,
    /// Replicas that drained.
    pub draining: u32,
    /// Replicas that waited for GPUs after it.
    pub unplaced: u32,
    /// Utilisation as measured, 0 to 1.
    pub utilization: f64,
    /// Requests that waited, as measured.
    pub queued: f64,
    /// Arriving requests per second, as measured.
    pub rate_per_s: f64,
    /// Mean time to first token as measured, in microseconds; 0 if nothing finished.
    pub ttft_us: f64,
    /// Mean time between tokens as measured, in microseconds; 0 if nothing finished.
    pub itl_us: f64,
    /// Figures unseen by the policy, for the time since the latest measurement before it: arriving requests per
    /// second, mean TTFT and ITL in microseconds, 0 if nothing finished; missing if nothing had been measured.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<[f64; 3]>,
    /// For a policy that learns: the status of learning, the event, and the source of the objectives; empty if there
    /// is none.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learnt: Option<[&'static str; 3]>,
}

/// The answer to a [`ScalingQuery`].
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScalingRows {
    /// The decisions, the latest last.
    pub rows: Vec<ScalingRow>,
    /// How many decisions were made so far, including those without a change.
    pub made: u64,
    /// How many decisions changed the number of replicas.
    pub changes: u64,
}

impl Session {
    /// The decisions of autoscalers up to the playhead.
    pub fn scaling_rows(&self, query: &ScalingQuery) -> ScalingRows {
        let log = &self.recorder.scaling;
        let pools = &self.plan.scenario().cluster.pools;
        let asked = |r: &&ScalingRecord| {
            let changes = r.decision.desired != r.decision.current;
            query.pool.is_none_or(|pool| pool == r.pool) && (changes || !query.changes_only)
        };
        let row = |r: &ScalingRecord| ScalingRow {
            at_us: r.at.0,
            pool: pools.get(r.pool as usize).map(|p| p.name.clone()).unwrap_or_default(),
            seen_us_ago: r.seen_at.map(|at| r.at.since(at).0),
            current: r.decision.current,
            recommended: r.decision.recommended,
            desired: r.decision.desired,
            rule: r.decision.rule.name(),
            clamped: r.decision.clamped.name(),
            metric: r.decision.metric.map_or("", ScalingMetric::name),
            reverses: r.reverses,
            ready: r.ready,
            pending: r.pending,
            draining: r.draining,
            unplaced: r.unplaced,
            utilization: r.utilization,
            queued: r.queued,
            rate_per_s: r.rate_per_s,
            ttft_us: 1000.0 * r.ttft_ms,
            itl_us: 1000.0 * r.itl_ms,
            now: r.present.map(|p| [p.rate_per_s, 1000.0 * p.ttft_ms, 1000.0 * p.itl_ms]),
            learnt: r.estimate.as_ref().map(|e| {
                let event = e.event.map_or("", Event::name);
                [e.status.name(), event, e.path.map_or("", ObjectivePath::name)]
            }),
        };
        let mut rows: Vec<ScalingRow> =
            log.kept.iter().rev().filter(asked).take(query.most as usize).map(row).collect();
        rows.reverse();
        let changes = log.pools.iter().map(|p| u64::from(p.ups + p.downs)).sum();
        ScalingRows { rows, made: log.made, changes }
    }

    /// The estimates of learning policies at each decision.
    pub(super) fn estimates(&self) -> Columns {
        let names: Vec<String> =
            ESTIMATE_FIRST.split(' ').chain(FIGURE_NAMES.split(' ')).map(str::to_owned).collect();
        let mut columns = vec![Vec::new(); names.len()];
        for record in &self.recorder.scaling.kept {
            let Some(estimate) = &record.estimate else { continue };
            let figures = estimate.figures();
            let [alpha, beta, gamma] = [3, 4, 5].map(|k| NORMAL_95 * figures[k]);
            let first = [record.at.0 as f64 / 1e6, f64::from(record.pool), alpha, beta, gamma];
            for (k, column) in columns.iter_mut().enumerate() {
                column.push(if k < first.len() { first[k] } else { figures[k - first.len()] });
            }
        }
        Columns { names, columns }
    }

    /// The phase of a replica's life; `None` if it serves and is warm.
    pub(super) fn life_of(&self, r: &Replica) -> Option<LifeFrame> {
        let now = self.playhead;
        let start = r.start_phase(now);
        let back = r.down_until().filter(|until| *until != Micros::MAX);
        let phase = match r.phase() {
            ReplicaPhase::Starting | ReplicaPhase::WarmingUp => LifePhase::Starting,
            ReplicaPhase::Serving if self.engine.is_ejected(r.id()) => LifePhase::Ejected,
            ReplicaPhase::Serving if r.cold() > 0 => LifePhase::Cold,
            ReplicaPhase::Draining => LifePhase::Draining,
            ReplicaPhase::Stopped => LifePhase::Stopped,
            ReplicaPhase::Failed => LifePhase::Down,
            ReplicaPhase::Ejected => LifePhase::Ejected,
            ReplicaPhase::Serving => return None,
        };
        Some(LifeFrame {
            phase,
            step: start.map_or("", |(step, ..)| step.name()),
            since_us: r.since().0,
            step_until_us: start.map_or(0, |(.., end)| end.0),
            ready_us: r.ready_at().or(back).map_or(0, |at| at.0),
            cold_requests: r.cold(),
        })
    }

    /// At the end of each bucket: how many replicas served warm, served cold, started and drained, and how many were
    /// wanted.
    pub(super) fn replica_stages(&self) -> Columns {
        let t = &self.recorder.timeline;
        let mut out = with_time(t, false);
        let log = &self.recorder.scaling;
        let gone = self.recorder.meters.ends();
        let (mut changes, mut wants) = (log.stages.iter().peekable(), log.wanted.iter().peekable());
        let mut stages: Vec<Stage> = Vec::new();
        let mut wanted: Vec<u32> = log.first_wanted.clone();
        let names = ["serving", "cold", "starting", "draining", "desired"];
        let mut columns: [Vec<f64>; 5] = Default::default();
        for bucket in 0..t.closed() as u64 {
            let end = (bucket + 1) * t.width_us();
            while let Some(change) = changes.next_if(|c| c.at.0 <= end) {
                let index = change.replica.index();
                if stages.len() <= index {
                    stages.resize(index + 1, Stage::Gone);
                }
                stages[index] = change.stage;
            }
            while let Some(&(_, pool, to)) = wants.next_if(|(at, ..)| at.0 <= end) {
                if wanted.len() <= pool as usize {
                    wanted.resize(pool as usize + 1, 0);
                }
                wanted[pool as usize] = to;
            }
            let left = |i: usize| gone.get(i).is_some_and(|ends| ends.iter().any(|at| at.0 <= end));
            let count = |stage: Stage| {
                let there =
                    |(i, s): &(usize, &Stage)| **s == stage && !(stage == Stage::Draining && left(*i));
                stages.iter().enumerate().filter(there).count() as f64
            };
            let of_bucket = [Stage::Serving, Stage::Cold, Stage::Starting, Stage::Draining].map(count);
            for (column, value) in columns.iter_mut().zip(of_bucket) {
                column.push(value);
            }
            columns[4].push(f64::from(wanted.iter().sum::<u32>()));
        }
        for (name, column) in names.into_iter().zip(columns) {
            out.push(name, column);
        }
        #[cfg(any(feature = "cli", feature = "closeup"))]
        self.push_broken_replicas(&mut out);
        out
    }
}
