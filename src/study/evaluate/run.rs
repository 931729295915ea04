//! One run of a case, and its figures. Refused and unfinished requests are misses: in a latency they count as long as the
//! whole run.

use crate::compare::{Metric, Outcome, Outcomes};
use base::math::floor;
use base::{Diagnostics, Micros, json};
use document::Scenario;
use run::session::report::{RunMetric, Statistic};
use run::session::{Session, Trace};
use serde_json::Value;
use std::sync::Arc;

/// What became of the requests of a run, and its report.
#[derive(Clone, Debug)]
pub(super) struct CaseRun {
    pub(super) outcomes: Outcomes,
    /// The report as a tree: suites name any figure of it by its path.
    report: Value,
}

impl CaseRun {
    /// Runs a scenario with a seed and the recorded traffic that it replays.
    pub(super) fn of(scenario: &Scenario, seed: u64, trace: Option<Arc<Trace>>) -> Result<Self, Diagnostics> {
        let scenario = Scenario { seed, ..scenario.clone() };
        let (mut session, _) = Session::start_for_rows(scenario, trace)?;
        session.advance(Micros::MAX, u64::MAX);
        let (outcomes, report) = session.outcomes_and_report();
        Ok(Self { outcomes, report: json::tree(&report) })
    }

    /// Length of the run in milliseconds: to its horizon, or to its latest event.
    pub(super) fn length_ms(&self) -> f64 {
        let run = &self.outcomes.report.run;
        run.clock_us.max(run.horizon_us) as f64 / 1000.0
    }

    /// The requests of the measurement window, of a group if one is named.
    pub(super) fn requests(&self, group: Option<Group<'_>>) -> impl Iterator<Item = &Outcome> {
        let number = group.map(|group| {
            let names = match group.kind {
                GroupKind::Classes => &self.outcomes.classes,
                GroupKind::Tenants => &self.outcomes.tenants,
                GroupKind::Clients => &self.outcomes.clients,
            };
            (group.kind, names.iter().position(|name| name == group.name).unwrap_or(usize::MAX))
        });
        let belongs = move |r: &Outcome| match number {
            None => true,
            Some((GroupKind::Classes, n)) => r.class as usize == n,
            Some((GroupKind::Tenants, n)) => r.tenant as usize == n,
            Some((GroupKind::Clients, n)) => r.client as usize == n,
        };
        self.outcomes.requests.iter().filter(move |r| r.counted && belongs(r))
    }

    /// Requests of the measurement window that finished.
    pub(super) fn served(&self, group: Option<Group<'_>>) -> usize {
        self.requests(group).filter(|r| r.ending.finished()).count()
    }
}

/// What the requests of a group share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupKind {
    Classes,
    Tenants,
    Clients,
}

/// The requests of one class, tenant or client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group<'a> {
    kind: GroupKind,
    name: &'a str,
}

/// A figure, read from its path.
#[derive(Clone, Debug)]
pub(super) struct Figure<'a> {
    path: &'a str,
    /// The requests that it is about, if these are not all.
    pub(super) group: Option<Group<'a>>,
    /// The time and the statistic, if it is one that misses count in.
    time: Option<(Metric, Statistic)>,
}

impl<'a> Figure<'a> {
    pub(super) fn read(path: &'a str) -> Self {
        let parts: Vec<&str> = path.split('.').collect();
        let kind = match parts[0] {
            "classes" => Some(GroupKind::Classes),
            "tenants" => Some(GroupKind::Tenants),
            "clients" => Some(GroupKind::Clients),
            _ => None,
        };
        let group = kind.zip(parts.get(1)).map(|(kind, &name)| Group { kind, name });
        let metric = match (group, &parts[..]) {
            (None, ["latency_ms", metric, statistic]) => Some((*metric, *statistic)),
            (Some(_), [_, _, metric, statistic]) => metric.strip_suffix("_ms").map(|m| (m, *statistic)),
            _ => None,
        };
        let time = metric.and_then(|(name, statistic)| {
            let metric = Metric::ALL.into_iter().find(|metric| metric.name() == name)?;
            // Gaps between tokens are not of one request.
            let statistic = Statistic::named(statistic)?;
            (metric != Metric::Itl).then_some((metric, statistic))
        });
        Self { path, group, time }
    }

    /// Whether it is a rate of requests or tokens: what is missed does not count in it.
    pub(super) fn is_rate(&self) -> bool {
        self.path.starts_with("throughput.")
            || ["arrived_per_s", "completed_per_s", "goodput_per_s", "output_tokens_per_s"]
                .contains(&self.path)
            || self.path.ends_with(".goodput_per_s")
    }

    /// Whether it is a time of requests in milliseconds.
    pub(super) fn is_time(&self) -> bool {
        self.time.is_some()
    }

    /// A figure that misses do not count in: by its path in the report, or by the name of its column.
    fn plain(&self, run: &CaseRun) -> Option<f64> {
        in_report(&run.report, self.path).or_else(|| {
            let metric = RunMetric::all().find(|metric| metric.name() == self.path)?;
            run.outcomes.figure(metric)
        })
    }

    /// Its value in a run; a missed request takes `miss_ms`.
    pub(super) fn of(&self, run: &CaseRun, miss_ms: f64) -> Option<f64> {
        let Some((metric, statistic)) = self.time else { return self.plain(run) };
        let time = |r: &Outcome| match r.time_us(metric) {
            Some(us) => Some(us as f64 / 1000.0),
            // An answer of one token has no gaps.
            None if r.ending.finished() => None,
            None => Some(miss_ms),
        };
        let mut values: Vec<f64> = run.requests(self.group).filter_map(time).collect();
        values.sort_by(f64::total_cmp);
        statistic.rank().map_or_else(
            || (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64),
            |share| percentile(&values, share),
        )
    }
}

/// A percentile of sorted values, between the two around it.
fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let at = share * sorted.len().checked_sub(1)? as f64;
    let low = floor(at);
    let value = |i: usize| sorted.get(i).or(sorted.last()).copied();
    let (a, b) = (value(low as usize)?, value(low as usize + 1)?);
    Some(a + (at - low) * (b - a))
}

/// A number of a report by its path; entries of lists go by name, or by number.
fn in_report(report: &Value, path: &str) -> Option<f64> {
    let mut at = report;
    for part in path.split('.') {
        at = match at {
            Value::Array(entries) => {
                let named = entries.iter().find(|entry| {
                    ["name", "pool", "reason"]
                        .iter()
                        .any(|key| entry.get(key).is_some_and(|name| name == part))
                });
                named.or_else(|| entries.get(part.parse::<usize>().ok()?))?
            }
            other => other.get(part)?,
        };
    }
    at.as_f64()
}
