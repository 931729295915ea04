//! Figures of a report by name: what each is called, how it is written, which values are the better ones, and where the
//! report has it. Texts, pages and studies take figures from this one table, so that a figure has one name and one label
//! everywhere.

use super::{LatencyPart, Report};
use crate::observe::anomaly::AnomalyKind;
use base::number_text::{count, three_digits};
use base::small::decimal::fixed;
use base::stats::{POSITIVE, SHARE, SHARE_DIFFERENCE, Summary, UNBOUNDED};
use engine::policy::Reason;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How a figure is written.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricUnit {
    /// A number of things.
    Count,
    /// A number of things for each of others, or a coefficient.
    Ratio,
    /// From 0 to 1, written in percent.
    Share,
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// A number of things in each second.
    PerSecond,
    /// US dollars.
    Usd,
}

impl MetricUnit {
    /// The bounds of a value.
    pub fn bounds(self) -> [f64; 2] {
        match self {
            Self::Share => SHARE,
            Self::Ratio => UNBOUNDED,
            Self::Count | Self::Seconds | Self::Milliseconds | Self::PerSecond | Self::Usd => POSITIVE,
        }
    }

    /// The bounds of the difference of two values.
    pub fn difference_bounds(self) -> [f64; 2] {
        if self == Self::Share { SHARE_DIFFERENCE } else { UNBOUNDED }
    }
}

/// Which values are the better ones.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Lower ones.
    Lower,
    /// Higher ones.
    Higher,
}

/// Declares an enum of the fields of a type, which go by their names.
macro_rules! fields_of {
    (
        $(#[doc = $doc:literal])+
        $name:ident of $part:ty as $value:ty { $($(#[doc = $note:literal])+ $key:ident $field:ident,)+ }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name {
            $($(#[doc = $note])+ $key,)+
        }

        impl $name {
            /// All of them, in their order, which is that of tables.
            pub const ALL: [Self; [$(stringify!($key)),+].len()] = [$(Self::$key),+];

            /// Its name in tables and reports.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$key => stringify!($field),)+
                }
            }

            fn of(self, part: &$part) -> &$value {
                match self {
                    $(Self::$key => &part.$field,)+
                }
            }
        }
    };
}

fields_of! {
    /// A time of requests.
    Metric of LatencyPart as Summary {
        /// Arrival to first token.
        Ttft ttft,
        /// Between successive tokens.
        Itl itl,
        /// Mean gap of a finished request.
        Tpot tpot,
        /// Arrival to last token.
        E2e e2e,
        /// Joining the wait queue to first joining a batch.
        QueueWait queue_wait,
        /// Arrival to first joining a batch.
        SchedulingDelay scheduling_delay,
    }
}

fields_of! {
    /// A figure of a distribution.
    Statistic of Summary as f64 {
        /// The mean.
        Mean mean,
        /// The least value.
        Min min,
        /// The median.
        P50 p50,
        /// The 75th percentile.
        P75 p75,
        /// The 90th percentile.
        P90 p90,
        /// The 95th percentile.
        P95 p95,
        /// The 99th percentile.
        P99 p99,
        /// The largest value.
        Max max,
    }
}

impl Statistic {
    /// The one with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|figure| figure.name() == name)
    }

    /// The share of the values below it; none for the mean.
    pub fn rank(self) -> Option<f64> {
        match self {
            Self::Mean => None,
            Self::Min => Some(0.0),
            Self::P50 => Some(0.5),
            Self::P75 => Some(0.75),
            Self::P90 => Some(0.9),
            Self::P95 => Some(0.95),
            Self::P99 => Some(0.99),
            Self::Max => Some(1.0),
        }
    }

    /// Its value; `None` without values.
    pub fn known(self, all: &Summary) -> Option<f64> {
        (all.count > 0).then(|| *self.of(all))
    }
}

/// Declares the figures that are neither times of requests nor counts by kind: name, label, unit, direction, value.
macro_rules! run_metrics {
    ($($key:ident $name:literal, $label:literal, $unit:ident, $better:ident, $value:expr;)+) => {
        /// A figure of a report.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum RunMetric {
            /// A figure of the distribution of a time.
            Time(Metric, Statistic),
            /// Refusals for a reason.
            Refused(Reason),
            /// Anomalies of a kind.
            Anomalies(AnomalyKind),
            $(#[doc = $label] $key,)+
        }

        impl RunMetric {
            /// Those that are neither times nor counts by kind.
            const SINGLE: &[Self] = &[$(Self::$key),+];

            /// Its name in columns and options.
            pub fn name(self) -> Cow<'static, str> {
                match self {
                    Self::Time(metric, figure) => format!("{}_{}_ms", metric.name(), figure.name()).into(),
                    Self::Refused(reason) => format!("refused_{}", column(reason.name())).into(),
                    Self::Anomalies(kind) => format!("anomalies_{}", column(kind.name())).into(),
                    $(Self::$key => $name.into(),)+
                }
            }

            /// Its name for people.
            pub fn label(self) -> Cow<'static, str> {
                match self {
                    Self::Time(metric, figure) => format!("{} {}", words(metric.name()), figure.name()).into(),
                    Self::Refused(reason) => format!("Refused: {}", words(reason.name())).into(),
                    Self::Anomalies(kind) => format!("Anomalies: {}", words(kind.name())).into(),
                    $(Self::$key => $label.into(),)+
                }
            }

            /// How it is written.
            pub fn unit(self) -> MetricUnit {
                match self {
                    Self::Time(..) => MetricUnit::Milliseconds,
                    Self::Refused(_) | Self::Anomalies(_) => MetricUnit::Count,
                    $(Self::$key => MetricUnit::$unit,)+
                }
            }

            /// Which values are the better ones.
            pub fn better(self) -> Direction {
                match self {
                    Self::Time(..) | Self::Refused(_) | Self::Anomalies(_) => Direction::Lower,
                    $(Self::$key => Direction::$better,)+
                }
            }

            /// Its value in a report; `None` if it is not known.
            pub fn of(self, report: &Report) -> Option<f64> {
                let value: fn(&Report) -> Option<f64> = match self {
                    Self::Time(metric, figure) => return figure.known(metric.of(&report.latency_ms)),
                    Self::Refused(reason) => return Some(refused(report, reason)),
                    Self::Anomalies(kind) => return anomalies(report, kind),
                    $(Self::$key => $value,)+
                };
                value(report).filter(|x| x.is_finite())
            }
        }
    };
}

run_metrics! {
    ArrivedPerS "arrived_per_s", "Requests arrived per second", PerSecond, Higher, |r| Some(r.throughput.arrived_per_s);
    CompletedPerS "completed_per_s", "Requests finished per second", PerSecond, Higher, |r| Some(r.throughput.completed_per_s);
    GoodputPerS "goodput_per_s", "Requests finished per second within every objective", PerSecond, Higher, |r| Some(r.throughput.goodput_per_s);
    OutputTokensPerS "output_tokens_per_s", "Output tokens per second", PerSecond, Higher, |r| Some(r.throughput.output_tokens_per_s);
    KvHitRate "kv_hit_rate", "Prompt blocks found in a cache", Share, Higher, |r| Some(r.kv.hit_rate);
    ReusedPromptShare "reused_prompt_share", "Prompt tokens from a cache", Share, Higher, |r| Some(r.kv.reused_prompt_share);
    Preemptions "preemptions", "Preemptions", Count, Lower, |r| Some(r.requests.preemptions as f64);
    GpuSeconds "gpu_seconds", "GPU-seconds", Seconds, Lower, |r| Some(r.cost.gpu_seconds);
    Usd "usd", "Cost", Usd, Lower, |r| r.cost.usd;
    UsdPerMillionOutputTokens "usd_per_million_output_tokens", "Cost per million output tokens", Usd, Lower, |r| r.cost.usd_per_million_output_tokens;
    Fitness "fitness", "Fitness score", Ratio, Higher, |r| r.fitness.as_ref().map(|f| f.score);
    RemoteShare "remote_share", "Requests prefilled elsewhere", Share, Lower, |r| r.disaggregation.as_ref()?.remote_share;
    TtftPrefill "ttft_prefill_ms", "Mean TTFT at prefill replicas", Milliseconds, Lower, |r| Statistic::Mean.known(&r.disaggregation.as_ref()?.ttft_prefill_ms);
    Handover "handover_ms", "Mean hand-over", Milliseconds, Lower, |r| Statistic::Mean.known(&r.disaggregation.as_ref()?.handover_ms);
    RoomWait "room_wait_ms", "Mean wait for room", Milliseconds, Lower, |r| Statistic::Mean.known(&r.disaggregation.as_ref()?.room_wait_ms);
    Transfer "transfer_ms", "Mean transfer", Milliseconds, Lower, |r| Statistic::Mean.known(&r.disaggregation.as_ref()?.transfer_ms);
    JoinWait "join_wait_ms", "Mean wait to join", Milliseconds, Lower, |r| Statistic::Mean.known(&r.disaggregation.as_ref()?.join_wait_ms);
    PreemptionRate "preemption_rate", "Preemptions per finished request", Ratio, Lower, |r| Some(r.requests.preemption_rate);
    RequestHitRate "request_hit_rate", "Requests with a cached prefix", Share, Higher, |r| Some(r.kv.request_hit_rate);
    ReplicasCov "replicas_cov", "Variation of load, replicas", Ratio, Lower, |r| Some(r.fairness.replicas_cov);
    TenantsCov "tenants_cov", "Variation of load, tenants", Ratio, Lower, |r| Some(r.fairness.tenants_cov);
    GpuBusySecondsPerRequest "gpu_busy_seconds_per_request", "Busy GPU-seconds per request", Seconds, Lower, |r| r.cost.gpu_busy_seconds_per_request;
    UsdPer1kTokens "usd_per_1k_tokens", "Cost per 1,000 tokens", Usd, Lower, |r| r.cost.usd_per_1k_tokens;
}

impl RunMetric {
    /// Those that readable summaries have beside latencies and rates.
    pub const SUMMARISED: [Self; 6] = [
        Self::PreemptionRate,
        Self::RequestHitRate,
        Self::ReplicasCov,
        Self::TenantsCov,
        Self::GpuBusySecondsPerRequest,
        Self::UsdPer1kTokens,
    ];

    /// Those that rows and comparisons have only if they are asked for: those of summaries, then refusals by reason, then
    /// anomalies by kind.
    pub fn further() -> impl Iterator<Item = Self> {
        let refused = Reason::ALL.into_iter().map(Self::Refused);
        let anomalies = AnomalyKind::ALL.into_iter().map(Self::Anomalies);
        Self::SUMMARISED.into_iter().chain(refused).chain(anomalies)
    }

    /// All figures.
    pub fn all() -> impl Iterator<Item = Self> {
        let of = |metric| Statistic::ALL.into_iter().map(move |figure| Self::Time(metric, figure));
        let times = Metric::ALL.into_iter().flat_map(of);
        let single = Self::SINGLE.iter().copied().filter(|m| !Self::SUMMARISED.contains(m));
        times.chain(single).chain(Self::further())
    }

    /// The further ones with these names, or the first name that none has.
    pub fn named(names: &[String]) -> Result<Vec<Self>, &str> {
        let find = |name: &'_ String| Self::further().find(|m| m.name() == name.as_str());
        names.iter().map(|name| find(name).ok_or(name.as_str())).collect()
    }

    /// Its value as text; a dash if it is not known.
    pub fn text(self, value: Option<f64>) -> String {
        let Some(value) = value else { return "–".to_owned() };
        match self.unit() {
            MetricUnit::Count => count(value as u64),
            MetricUnit::Ratio => three_digits(value),
            MetricUnit::Share => format!("{} %", fixed(value * 100.0, 1)),
            MetricUnit::Seconds => format!("{} s", three_digits(value)),
            MetricUnit::Milliseconds => format!("{} ms", three_digits(value)),
            MetricUnit::PerSecond => format!("{}/s", three_digits(value)),
            MetricUnit::Usd => format!("{} USD", three_digits(value)),
        }
    }
}

/// Requests refused for a reason.
fn refused(report: &Report, reason: Reason) -> f64 {
    let found = report.rejections.iter().find(|part| part.reason == reason.name());
    found.map_or(0.0, |part| f64::from(part.requests))
}

/// Anomalies of a kind; `None` if they are not watched.
fn anomalies(report: &Report, kind: AnomalyKind) -> Option<f64> {
    let counts = &report.anomalies.as_ref()?.counts.0;
    counts.iter().find(|(name, _)| *name == kind.name()).map(|(_, n)| f64::from(*n))
}

/// A name as that of a column.
fn column(name: &str) -> String {
    name.replace(['-', ' '], "_")
}

fn words(name: &str) -> String {
    name.replace(['-', '_'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_one_figure() {
        let mut names: Vec<_> = RunMetric::all().map(RunMetric::name).collect();
        assert!(names.len() == RunMetric::SINGLE.len() + 48 + Reason::ALL.len() + AnomalyKind::ALL.len());
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RunMetric::all().count());
    }
}
