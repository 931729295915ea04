//! Capacity: the highest arrival rate at which enough requests still meet their objectives, by bisection.
//!
//! A seed's traffic is the same at every rate except for its pace (`scale_traffic`), so each seed has its own
//! capacity; the result is their mean, with Student's t over the seeds. A request counts once its objectives are
//! decided: a refused, dropped or late request has missed; a request still in the system within its objectives at the
//! end does not count.

use super::row::RunRow;
use super::traffic::{most, scale_traffic};
use crate::compare::{Ending, Outcomes};
use base::stats::{POSITIVE, mean_interval};
use base::{Diagnostic, Diagnostics};
use document::{Scenario, limits};
use run::session::report::RunMetric;
use run::session::{LoadState, PoolEvidence, Regime, RegimeBasis, Trace, pool_evidence};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The lowest and the highest factor tried on the scenario's rates.
const FACTORS: [f64; 2] = [1.0 / 1024.0, 1024.0];
/// The bisection ends when the ratio of the rates that fail and hold is below this.
const CLOSE: f64 = 1.005;
/// Most runs of one seed: ten doublings or halvings, and bisection from 2 down to [`CLOSE`].
const RUNS: u32 = 24;

/// Fewest requests with decided objectives for a share.
const DECIDED: usize = 20;

/// An objective in place of the scenario's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// Time to first token, in milliseconds.
    Ttft(f64),
    /// Mean time between output tokens of a request.
    Tpot(f64),
    /// End-to-end latency.
    E2e(f64),
}

impl Objective {
    /// Reads `ttft_ms=500`.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        let read = || {
            let (name, value) = text.split_once('=')?;
            let ms = value.trim().parse::<f64>().ok().filter(|ms| *ms > 0.0 && *ms <= limits::LATENCY_MS)?;
            match name.trim() {
                "ttft_ms" => Some(Self::Ttft(ms)),
                "tpot_ms" => Some(Self::Tpot(ms)),
                "e2e_ms" => Some(Self::E2e(ms)),
                _ => None,
            }
        };
        read().ok_or_else(|| {
            let allowed = format!("ttft_ms, tpot_ms or e2e_ms = above 0 up to {}", limits::LATENCY_MS);
            let found: String = text.chars().take(60).collect();
            Diagnostic::error("", found, allowed, "such as --objective ttft_ms=500")
        })
    }

    /// Replaces the scenario's objectives, those of classes included.
    pub fn replace(all: &[Self], scenario: &mut Scenario) {
        if all.is_empty() {
            return;
        }
        let slo = &mut scenario.slo;
        (slo.ttft_ms, slo.tpot_ms, slo.e2e_ms) = (0.0, 0.0, 0.0);
        slo.classes.clear();
        for objective in all {
            match objective {
                Self::Ttft(ms) => slo.ttft_ms = *ms,
                Self::Tpot(ms) => slo.tpot_ms = *ms,
                Self::E2e(ms) => slo.e2e_ms = *ms,
            }
        }
    }
}

/// How the search of a seed ended.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CapacityEnd {
    /// Between a rate that holds and one that does not.
    Found,
    /// Even the lowest rate fails.
    LowestFails,
    /// Even the highest rate holds.
    HighestHolds,
}

impl CapacityEnd {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::LowestFails => "lowest-fails",
            Self::HighestHolds => "highest-holds",
        }
    }
}

/// The capacity of one seed.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedCapacity {
    /// The seed, as text.
    pub seed: String,
    /// How the search ended.
    pub end: CapacityEnd,
    /// Requests per second that arrived in the measurement window at the highest rate that holds; null if none does.
    pub rate_per_s: Option<f64>,
    /// The factor on the scenario's rates there.
    pub factor: Option<f64>,
    /// Share of the decided requests that met their objectives there.
    pub share: Option<f64>,
    /// The lowest factor that failed.
    pub fails_at: Option<f64>,
    /// Number of runs.
    pub runs: u32,
    /// The loads that were tried, in order.
    #[serde(default)]
    pub levels: Vec<CapacityLevel>,
}

/// A load that was tried.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapacityLevel {
    /// The factor on the scenario's rates.
    pub factor: f64,
    /// Share of the decided requests that met their objectives; null if too few were decided.
    pub share: Option<f64>,
    /// Whether requests piled up.
    pub load: LoadState,
}

impl SeedCapacity {
    /// Whether requests piled up at its capacity; `None` without one.
    pub fn load(&self) -> Option<LoadState> {
        let own = |level: &&CapacityLevel| Some(level.factor.to_bits()) == self.factor.map(f64::to_bits);
        self.levels.iter().find(own).map(|level| level.load)
    }
}

/// The capacity of a scenario.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Capacity {
    /// How the searches ended: found if those of all seeds did.
    pub end: CapacityEnd,
    /// The mean over the seeds, in requests per second; null unless it was found.
    pub rate_per_s: Option<f64>,
    /// Lower end of the 95 % interval of the mean; null for one seed.
    pub lo: Option<f64>,
    /// Upper end.
    pub hi: Option<f64>,
    /// The mean factor on the scenario's rates.
    pub factor: Option<f64>,
    /// The share that must meet the objectives.
    pub share: f64,
    /// The objectives in words.
    pub at: String,
    /// The seeds.
    pub seeds: Vec<SeedCapacity>,
    /// The result in a sentence.
    pub text: String,
    /// How far it can be trusted, by pool: a capacity lies near the knee.
    pub evidence: Vec<PoolEvidence>,
}

/// The result of a run at a factor.
#[derive(Clone, Debug)]
struct Seen {
    rate_per_s: f64,
    /// Share of the decided requests that met their objectives; `None` for too few.
    share: Option<f64>,
}

/// The search for the capacity of one seed: the next run, and the result after it. Threads of the command line or
/// workers of the page make the runs.
#[derive(Clone, Debug)]
pub struct CapacitySearch {
    scenario: Scenario,
    share: f64,
    highest: f64,
    /// The factor of the next run; `None` at the end.
    next: Option<f64>,
    holds: Option<(f64, Seen)>,
    fails: Option<f64>,
    runs: u32,
    levels: Vec<CapacityLevel>,
    /// The run at the scenario's own rates.
    own: Option<RunRow>,
}

impl CapacitySearch {
    /// The search for a seed, before its first run.
    pub fn new(scenario: &Scenario, seed: u64, share: f64) -> Self {
        let scenario = Scenario { seed, ..scenario.clone() };
        let highest = FACTORS[1].min(most(&scenario));
        let next = Some(1.0_f64.min(highest));
        Self {
            scenario,
            share,
            highest,
            next,
            holds: None,
            fails: None,
            runs: 0,
            levels: Vec::new(),
            own: None,
        }
    }

    /// Makes all runs that are left.
    pub fn finish(&mut self, trace: Option<&Arc<Trace>>) -> Result<(), Diagnostics> {
        while let Some(case) = self.case() {
            match case.map_err(|d| vec![d]).and_then(|scaled| Outcomes::of_run(scaled, trace.cloned())) {
                Ok(run) => self.saw(&run),
                Err(problems) => self.refused(problems)?,
            }
        }
        Ok(())
    }

    /// The number of runs so far.
    pub(super) fn runs(&self) -> u32 {
        self.runs
    }

    /// Whether the search has ended.
    pub(super) fn ended(&self) -> bool {
        self.next.is_none()
    }

    /// The run at the scenario's own rates, the first one; `None` before it, or if these rates are above the limits.
    pub(super) fn at_own_rates(&self) -> Option<&RunRow> {
        self.own.as_ref()
    }

    /// The scenario of the next run; `None` once the search has ended.
    pub fn case(&self) -> Option<Result<Scenario, Diagnostic>> {
        let factor = self.next?;
        let mut scaled = self.scenario.clone();
        Some(scale_traffic(&mut scaled, factor).map(|()| scaled))
    }

    /// Takes the outcomes of the run.
    pub fn saw(&mut self, run: &Outcomes) {
        let Some(factor) = self.next else { return };
        self.runs += 1;
        let decided = || run.requests.iter().filter(|r| r.counted && r.ending != Ending::Open);
        let met = decided().filter(|r| r.ending == Ending::Met).count() as f64;
        let rate_per_s = run.figure(RunMetric::ArrivedPerS).unwrap_or(0.0);
        let count = decided().count();
        let load = run.report.verdict.state;
        let seen = Seen { rate_per_s, share: (count >= DECIDED).then(|| met / count as f64) };
        self.levels.push(CapacityLevel { factor, share: seen.share, load });
        if self.runs == 1 && factor >= 1.0 {
            self.own = Some(RunRow::new(run));
        }
        match seen.share {
            Some(met) if met < self.share => self.fails = Some(factor),
            // Too few requests to tell, below a load that fails.
            None if self.fails.is_some() => {
                self.next = None;
                return;
            }
            Some(_) | None => self.holds = Some((factor, seen)),
        }
        self.next = self.after().filter(|_| self.runs < RUNS);
    }

    /// Notes that the case could not run, because it exceeds the requests or memory of a run: the load before it was
    /// the highest. Without such a load the problems are returned.
    pub fn refused(&mut self, problems: Diagnostics) -> Result<(), Diagnostics> {
        self.runs += 1;
        self.next = None;
        if self.holds.is_none() { Err(problems) } else { Ok(()) }
    }

    /// The factor after those known to hold and to fail.
    fn after(&self) -> Option<f64> {
        match (self.holds.as_ref().map(|h| h.0), self.fails) {
            (Some(low), Some(high)) => (high / low > CLOSE).then(|| libm::sqrt(low * high)),
            (Some(low), None) => (low < self.highest).then(|| (low * 2.0).min(self.highest)),
            (None, Some(high)) => (high > FACTORS[0]).then(|| high / 2.0),
            (None, None) => None,
        }
    }

    /// The result of the search.
    pub fn found(&self) -> SeedCapacity {
        // A load with too few requests does not count as held.
        let holds = self.holds.as_ref().filter(|(_, seen)| seen.share.is_some() || self.fails.is_none());
        let end = match (holds, self.fails) {
            (Some(_), Some(_)) => CapacityEnd::Found,
            (Some(_), None) => CapacityEnd::HighestHolds,
            (None, _) => CapacityEnd::LowestFails,
        };
        SeedCapacity {
            seed: self.scenario.seed.to_string(),
            end,
            rate_per_s: holds.map(|(_, s)| s.rate_per_s),
            factor: holds.map(|(factor, _)| *factor),
            share: holds.and_then(|(_, s)| s.share),
            fails_at: self.fails,
            runs: self.runs,
            levels: self.levels.clone(),
        }
    }
}

/// Searches the highest load of one seed at which a share of its requests meets the objectives.
pub fn capacity_of_seed(
    scenario: &Scenario,
    trace: Option<&Arc<Trace>>,
    seed: u64,
    share: f64,
) -> Result<SeedCapacity, Diagnostics> {
    let mut search = CapacitySearch::new(scenario, seed, share);
    search.finish(trace)?;
    Ok(search.found())
}

/// The capacity from all seeds.
pub fn capacity(scenario: &Scenario, share: f64, seeds: Vec<SeedCapacity>) -> Capacity {
    let ended = |end: CapacityEnd| seeds.iter().filter(|s| s.end == end).count();
    let end = if ended(CapacityEnd::LowestFails) > 0 {
        CapacityEnd::LowestFails
    } else if ended(CapacityEnd::HighestHolds) > 0 {
        CapacityEnd::HighestHolds
    } else {
        CapacityEnd::Found
    };
    let found = (end == CapacityEnd::Found).then_some(&seeds);
    let of = |value: fn(&SeedCapacity) -> Option<f64>| {
        found.and_then(|all| all.iter().map(value).collect::<Option<Vec<f64>>>())
    };
    let rates = of(|s| s.rate_per_s);
    let interval = rates.as_deref().and_then(|rates| mean_interval(rates, POSITIVE));
    let alone = rates.as_deref().and_then(<[f64]>::first).copied();
    let factors = of(|s| s.factor);
    let mut capacity = Capacity {
        end,
        rate_per_s: interval.map(|i| i.value).or(alone),
        lo: interval.map(|i| i.lo),
        hi: interval.map(|i| i.hi),
        factor: factors.map(|f| f.iter().sum::<f64>() / f.len() as f64),
        share,
        at: at(scenario, share),
        seeds,
        text: String::new(),
        evidence: pool_evidence(scenario, Some((Regime::Near, RegimeBasis::Capacity))),
    };
    capacity.text = capacity.to_string();
    capacity
}

/// Whether there is an objective that could be missed.
fn has_objectives(scenario: &Scenario) -> bool {
    let slo = &scenario.slo;
    let classes = slo.classes.iter().flat_map(|c| [c.ttft_ms, c.tpot_ms, c.e2e_ms]);
    [slo.ttft_ms, slo.tpot_ms, slo.e2e_ms].into_iter().chain(classes).any(|ms| ms > 0.0)
}

impl Capacity {
    /// The seeds whose run is overloaded at their capacity.
    fn overloaded(&self) -> Vec<&str> {
        let is = |s: &&SeedCapacity| s.load() == Some(LoadState::Overloaded);
        self.seeds.iter().filter(is).map(|s| s.seed.as_str()).collect()
    }

    /// Why a scenario has no capacity; `None` if it has one.
    pub fn refuses(scenario: &Scenario) -> Option<Diagnostic> {
        if !has_objectives(scenario) {
            let fix = "such as --objective ttft_ms=500";
            return Some(Diagnostic::error("slo", "no objective", "one objective at least", fix));
        }
        scale_traffic(&mut scenario.clone(), 1.0).err()
    }
}

/// A rate with three digits.
pub(super) fn rate(x: f64) -> String {
    if x >= 100.0 {
        format!("{x:.0}")
    } else if x >= 10.0 {
        format!("{x:.1}")
    } else {
        format!("{x:.2}")
    }
}

/// The objectives in words: "p99 TTFT ≤ 500 ms".
pub(super) fn at(scenario: &Scenario, share: f64) -> String {
    let slo = &scenario.slo;
    let named = [("TTFT", slo.ttft_ms), ("TPOT", slo.tpot_ms), ("E2E", slo.e2e_ms)];
    let set: Vec<String> =
        named.iter().filter(|(_, ms)| *ms > 0.0).map(|(name, ms)| format!("{name} ≤ {ms} ms")).collect();
    let percent = (share * 1e6).round() / 1e4;
    match (set.as_slice(), slo.classes.is_empty()) {
        ([one], true) => format!("p{percent} {one}"),
        (_, true) => format!("{percent} % of requests with {}", set.join(" and ")),
        (_, false) => format!("{percent} % of requests with the objectives of their classes"),
    }
}

impl fmt::Display for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |end: CapacityEnd| {
            let all: Vec<&str> =
                self.seeds.iter().filter(|s| s.end == end).map(|s| s.seed.as_str()).collect();
            all.join(", ")
        };
        match (self.end, self.rate_per_s) {
            (CapacityEnd::Found, Some(x)) => match self.lo.zip(self.hi) {
                Some((lo, hi)) => {
                    write!(f, "{} req/s ({} to {}) at {}", rate(x), rate(lo), rate(hi), self.at)
                }
                None => write!(f, "{} req/s (one seed: no interval) at {}", rate(x), self.at),
            }
            .and_then(|()| match self.overloaded() {
                seeds if seeds.is_empty() => Ok(()),
                seeds => write!(
                    f,
                    "; there the run of seed {} is overloaded: it lasts too short for all to miss",
                    seeds.join(", ")
                ),
            }),
            (CapacityEnd::HighestHolds, _) => write!(
                f,
                "no capacity found at {}: the highest load that was tried holds with seed {}, up to 1,024 times the scenario's rates or as \
                 many requests as a run may have",
                self.at,
                named(CapacityEnd::HighestHolds)
            ),
            (CapacityEnd::LowestFails | CapacityEnd::Found, _) => write!(
                f,
                "no capacity at {}: even the lowest load fails with seed {}, down to 1/1,024 of the scenario's rates or 20 requests in a run",
                self.at,
                named(CapacityEnd::LowestFails)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(end: CapacityEnd, rate: f64) -> SeedCapacity {
        let (rate_per_s, factor) = (Some(rate), Some(rate / 8.0));
        SeedCapacity {
            seed: "1".to_owned(),
            end,
            rate_per_s,
            factor,
            share: None,
            fails_at: None,
            runs: 9,
            levels: Vec::new(),
        }
    }

    #[test]
    fn it_is_one_number_with_its_interval() {
        let mut s = Scenario::default();
        Objective::replace(&[Objective::parse("ttft_ms=500").unwrap()], &mut s);
        let found = |rates: &[f64]| {
            capacity(&s, 0.99, rates.iter().map(|r| seed(CapacityEnd::Found, *r)).collect()).text
        };
        assert_eq!(found(&[11.3, 11.4, 11.5]), "11.4 req/s (11.2 to 11.6) at p99 TTFT ≤ 500 ms");
        assert_eq!(found(&[120.4]), "120 req/s (one seed: no interval) at p99 TTFT ≤ 500 ms");
        let fails =
            capacity(&s, 0.999, vec![seed(CapacityEnd::Found, 1.0), seed(CapacityEnd::LowestFails, 1.0)]);
        assert!(
            fails.text.starts_with("no capacity at p99.9 TTFT ≤ 500 ms: even the lowest load fails")
                && fails.rate_per_s.is_none()
        );
    }

    #[test]
    fn objectives_are_read_or_refused() {
        for text in ["ttft_ms", "ttft_ms=0", "ttft_ms=-1", "ttft_ms=x", "ttft=500", "e2e_ms=inf"] {
            assert!(Objective::parse(text).is_err(), "{text}");
        }
        let mut s = Scenario::default();
        Objective::replace(&[Objective::E2e(9000.0)], &mut s);
        assert_eq!((at(&s, 0.95), Capacity::refuses(&s)), ("p95 E2E ≤ 9000 ms".to_owned(), None));
        s.slo.e2e_ms = 0.0;
        assert!(Capacity::refuses(&s).is_some());
    }
}
