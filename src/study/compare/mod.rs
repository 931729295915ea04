//! Comparison of two runs: which requests are the same, how far they differ, and the confidence in that.
//!
//! Everything works on [`Outcomes`], which runs in other threads or programs have written. Two runs of equal workload
//! are paired request by request, so that effects of the traffic on both cancel out; others are compared as
//! distributions. With several seeds the interval of a difference is over the seeds; with one it comes from a
//! bootstrap over blocks of the run. docs/explanation/compare.md describes the calculation and its limits.

mod answered;
mod certain;
mod cloud;
mod detail;
mod difference;
mod handovers;
mod intervals;
mod pairing;
mod parts;
mod regret;
mod spans;
mod total_comparison;
mod totals;

pub use certain::RunError;
pub(crate) use certain::{Uncertain, percent};
pub use cloud::RequestCloud;
pub use difference::{Difference, Verdict};
pub use handovers::HandoverTable;
pub use parts::*;
pub(crate) use regret::{Held, held};
pub use regret::{OraclePool, Regret, RegretTable, RunRegret};
pub use run::session::outcomes::{Ending, GapBlocks, Gaps, Outcome, Outcomes};
pub use run::session::report::{Direction, Metric};

use crate::policies::run_policies;
use answered::LeftOut;
use base::number_text::count;
use base::stats::{Interval, UNBOUNDED, mean_interval};
use document::Scenario;
use engine::perf::ErrorFigure;
use handovers::HANDOVERS;
use intervals::{Figures, Sample, differences_of_blocks};
#[cfg(feature = "cli")]
pub(crate) use pairing::{Pair as RequestPair, pairs as paired_requests};
use pairing::{Pair, pairs};
use run::session::report::RunMetric;
use spans::Spans;
pub use total_comparison::TotalComparison;
use totals::TOTALS;
pub use totals::{Total, TotalTable};

/// The figures kept from a pair of runs.
struct Seed {
    /// By metric, for A and B: the number of values, and their figures in milliseconds.
    figures: Vec<[Figures; 2]>,
    totals: [[Option<f64>; 2]; TOTALS],
    handovers: [[Option<f64>; 2]; HANDOVERS],
    /// Further figures, in the order in which they were asked for.
    metrics: Vec<[Option<f64>; 2]>,
}

/// Runs being compared: one pair for each seed.
#[derive(Default)]
pub struct Comparing {
    seeds: Vec<Seed>,
    names: Vec<String>,
    sides: [Side; 2],
    requests: u64,
    not_paired: Option<String>,
    /// The times that only one of two runs has, of all seeds.
    left_out: LeftOut,
    /// The edits of the two scenarios, and the instant from which requests are compared.
    spans: Spans,
    since_us: Option<u64>,
    /// By seed, for A and B: their figures and those of their oracles; then the inputs of the oracles.
    bounds: Vec<[[Held; 2]; 2]>,
    oracles: [Vec<OraclePool>; 2],
    /// Further figures that are asked for.
    metrics: Vec<RunMetric>,
    /// The outcomes of the first seed with their pairs.
    first: Option<(Outcomes, Outcomes, Vec<Pair>)>,
}

impl Comparing {
    /// Sets the scenarios of A and B with their edits: blocks of time do not span these, and only requests that
    /// arrived after the last difference between the two are compared. Called before the first pair is added.
    pub fn set_scenarios(&mut self, a: &Scenario, b: &Scenario) {
        self.spans = Spans::of(a, b);
        for (side, scenario) in self.sides.iter_mut().zip([a, b]) {
            side.routers = run_policies(scenario, "cluster.routing").text;
        }
    }

    /// Asks for further figures of whole runs. Called before the first pair is added.
    pub fn set_metrics(&mut self, metrics: Vec<RunMetric>) {
        self.metrics = metrics;
    }

    /// Adds two runs with the same seed. After the first pair only figures are kept.
    pub fn add(&mut self, mut a: Outcomes, mut b: Outcomes) {
        if self.seeds.is_empty() {
            self.since_us = self.spans.since_us(&a, &b);
        }
        if let Some(since_us) = self.since_us {
            a.count_since(since_us);
            b.count_since(since_us);
        }
        let found = pairs(&a, &b);
        let counted = |pair: &&Pair| a.requests[pair.a].counted && b.requests[pair.b].counted;
        let counts: Vec<Pair> = found.iter().flatten().filter(counted).copied().collect();
        match found {
            Ok(_) => {
                self.requests += counts.len() as u64;
                self.left_out = self.left_out.or(LeftOut::of(&mut a, &mut b, &counts));
            }
            Err(why) => {
                self.requests += a.requests.iter().filter(|r| r.counted).count() as u64;
                self.not_paired.get_or_insert(why);
            }
        }
        self.names.push(a.report.run.seed.to_string());
        self.sides[0].add(&a);
        self.sides[1].add(&b);
        let since_us = self.since_us;
        let figures = |m: &Metric| [&a, &b].map(|run| Figures::of(*m, run, since_us));
        let figures = Metric::ALL.iter().map(figures).collect();
        let totals = Total::ALL.map(|t| [&a, &b].map(|run| t.of(run, since_us)));
        let handovers = handovers::figures(&a, &b);
        let metrics = self.metrics.iter().map(|m| [&a, &b].map(|run| run.figure(*m))).collect();
        self.seeds.push(Seed { figures, totals, handovers, metrics });
        if self.first.is_none() {
            self.first = Some((a, b, counts));
        }
    }

    /// Sets the inputs of the oracles of A and B, by pool.
    pub fn set_oracles(&mut self, oracles: [Vec<OraclePool>; 2]) {
        self.oracles = oracles;
    }

    /// Adds the runs of the oracles of A and B with the same seed as two runs to be added next. An oracle on another
    /// workload is no bound: a run without an autoscaler may have got that of the other one.
    pub fn add_bounds(&mut self, own: [&Outcomes; 2], bounds: [&Outcomes; 2]) {
        let pair = |side: usize| {
            let same = own[side].workload_digest == bounds[side].workload_digest;
            [held(own[side]), if same { held(bounds[side]) } else { Held::default() }]
        };
        self.bounds.push([pair(0), pair(1)]);
    }

    /// Both runs against the oracle, if it ran with every seed.
    fn regret(&self) -> Option<RegretTable> {
        let of = |side: usize| RunRegret::of(&self.bounds.iter().map(|both| both[side]).collect::<Vec<_>>());
        let [oracle_a, oracle_b] = self.oracles.clone();
        let whole = !self.bounds.is_empty() && self.bounds.len() == self.seeds.len();
        whole.then(|| RegretTable { a: of(0), b: of(1), oracle_a, oracle_b })
    }

    /// The result of the seeds so far; `None` before the first.
    pub fn result(&self) -> Option<RunComparison> {
        let (a, b, pairs) = self.first.as_ref()?;
        let paired = self.not_paired.is_none();
        let several = self.seeds.len() > 1;
        let of_first = Sample::new(a, b, paired, &self.spans);
        let sample = (!several).then_some(&of_first);
        let metric = |metric: Metric| self.metric(metric, sample);
        let doubted = |of: Metric, named: (&str, ErrorFigure)| self.doubted(metric(of), named);
        let detail = |m| detail::detail(m, &of_first, paired.then_some(pairs.as_slice()));
        let metrics = MetricTable {
            ttft_ms: doubted(Metric::Ttft, ("TTFT", ErrorFigure::Ttft)),
            itl_ms: metric(Metric::Itl),
            tpot_ms: doubted(Metric::Tpot, ("TPOT", ErrorFigure::Tpot)),
            e2e_ms: doubted(Metric::E2e, ("E2E", ErrorFigure::E2e)),
            queue_wait_ms: metric(Metric::QueueWait),
            scheduling_delay_ms: metric(Metric::SchedulingDelay),
        };
        Some(RunComparison {
            paired,
            not_paired: self.not_paired.clone(),
            requests: self.requests,
            seeds: self.names.clone(),
            interval: if several { IntervalBasis::Seeds } else { IntervalBasis::Blocks },
            explained: self.explained(paired, of_first.spans().len()),
            since_s: self.since_us.map(|us| us as f64 / 1e6),
            notices: self.notices(&metrics),
            a: self.sides[0].clone(),
            b: self.sides[1].clone(),
            metrics,
            totals: TotalTable::of(|total| self.total(total, sample)),
            figures: (0..self.metrics.len()).map(|i| self.figure(i)).collect(),
            handovers: self.handovers(),
            regret: self.regret(),
            detail: DetailTable {
                ttft_ms: detail(Metric::Ttft),
                tpot_ms: detail(Metric::Tpot),
                e2e_ms: detail(Metric::E2e),
                queue_wait_ms: detail(Metric::QueueWait),
                scheduling_delay_ms: detail(Metric::SchedulingDelay),
            },
        })
    }

    /// The requests of the first seed as points, by a time that both runs know of them; `None` without pairs.
    pub fn cloud(&self, metric: Metric) -> Option<RequestCloud> {
        let (a, b, pairs) = self.first.as_ref()?;
        self.not_paired.is_none().then(|| RequestCloud::of(metric, [a, b], pairs))
    }

    fn handovers(&self) -> Option<HandoverTable> {
        let seeds: Vec<_> = self.seeds.iter().map(|seed| seed.handovers).collect();
        handovers::table(&seeds)
    }

    fn metric(&self, metric: Metric, sample: Option<&Sample>) -> MetricComparison {
        let i = metric as usize;
        let one = sample.map(|s| differences_of_blocks(s.blocked(metric), s.draws()));
        let difference = |k: usize| {
            let of = |seed: &Seed, side: usize| seed.figures[i][side].ms.map(|ms| ms[k]);
            let pairs: Vec<[Option<f64>; 2]> = self.seeds.iter().map(|s| [of(s, 0), of(s, 1)]).collect();
            Difference::of(&pairs, one.and_then(|halves| halves[k]), Direction::Lower, UNBOUNDED)
        };
        let values = |side: usize| self.seeds.iter().map(|s| s.figures[i][side].count).sum();
        let over = match self.not_paired {
            None => self.left_out.over(metric, values(0)),
            Some(_) => answered::apart(&self.sides),
        };
        MetricComparison {
            count_a: values(0),
            count_b: values(1),
            over,
            doubt: None,
            better: Direction::Lower,
            mean: difference(0),
            p50: difference(1),
            p90: difference(2),
            p95: difference(3),
            p99: difference(4),
        }
    }

    /// A time with the doubt in the order of its means.
    fn doubted(&self, of: MetricComparison, (name, figure): (&str, ErrorFigure)) -> MetricComparison {
        let means = of.mean.a.zip(of.mean.b).map(|(a, b)| [a, b]);
        let compared = |means| certain::Compared { name, figure, means, verdict: of.mean.verdict };
        let doubt = means.and_then(|means| certain::doubt(&self.sides, &compared(means)));
        MetricComparison { doubt, ..of }
    }

    fn total(&self, total: Total, sample: Option<&Sample>) -> TotalComparison {
        let half = sample.and_then(|s| total.half(s, self.since_us));
        let pairs: Vec<[Option<f64>; 2]> = self.seeds.iter().map(|s| s.totals[total as usize]).collect();
        let difference = Difference::of(&pairs, half, total.better(), total.bounds());
        TotalComparison { better: total.better(), difference }
    }

    /// A further figure. It has no interval from one seed.
    fn figure(&self, i: usize) -> FigureComparison {
        let metric = self.metrics[i];
        let pairs: Vec<[Option<f64>; 2]> = self.seeds.iter().map(|s| s.metrics[i]).collect();
        let (name, label) = (metric.name().into_owned(), metric.label().into_owned());
        FigureComparison { name, label, unit: metric.unit(), comparison: TotalComparison::of(metric, &pairs) }
    }

    fn explained(&self, paired: bool, spans: usize) -> String {
        let of = if paired { "the same requests in both" } else { "requests of their own in each" };
        let since = self.since_us.map_or(String::new(), |us| {
            format!(" that arrived from {} s on, after the last difference between A and B", us as f64 / 1e6)
        });
        if self.seeds.len() > 1 {
            let n = self.seeds.len();
            return format!("95 % intervals by Student's t over the differences of {n} seeds, {of}{since}");
        }
        let apart = if spans > 1 { ", none across an edit" } else { "" };
        format!(
            "95 % intervals from one seed, {of}{since}: a bootstrap over {} blocks of time{apart}; several seeds are more reliable",
            intervals::BLOCKS
        )
    }

    fn notices(&self, metrics: &MetricTable) -> Vec<String> {
        let doubts = [&metrics.ttft_ms, &metrics.tpot_ms, &metrics.e2e_ms].map(|of| of.doubt.as_ref());
        let mut all: Vec<String> = doubts.into_iter().flatten().map(|doubt| doubt.text.clone()).collect();
        let [a, b] = &self.sides;
        if a.finished != b.finished {
            let counts = [
                ("unfinished", a.unfinished, b.unfinished),
                ("refused", a.refused, b.refused),
                ("dropped", a.dropped, b.dropped),
            ];
            let some = counts.iter().filter(|(_, a, b)| a + b > 0);
            let listed: Vec<String> = some
                .map(|(what, a, b)| format!("{} (A) and {} (B) requests are {what}", count(*a), count(*b)))
                .collect();
            let compared = if self.not_paired.is_none() {
                "latencies are compared over the requests that both runs answered; the others"
            } else {
                "their missing times are left out here, and"
            };
            all.push(format!(
                "{}: {compared} count as infinitely slow in the p99 of a race",
                listed.join(", ")
            ));
        }
        if self.since_us.is_some() {
            all.push(
                "output tokens, cache hits, preemptions and cost are of the whole measurement window"
                    .to_owned(),
            );
        }
        all
    }
}

impl Side {
    fn add(&mut self, run: &Outcomes) {
        if self.report_digests.is_empty() {
            self.title.clone_from(&run.report.title);
            self.scenario_digest.clone_from(&run.report.scenario_digest);
            self.workload_digest.clone_from(&run.workload_digest);
        }
        let load = &run.report.verdict;
        if self.report_digests.is_empty() || self.load.state.worse(load.state) != self.load.state {
            self.load.clone_from(load);
            self.evidence.clone_from(&run.report.evidence);
        }
        self.report_digests.push(run.report_digest.clone());
        for r in run.requests.iter().filter(|r| r.counted) {
            self.requests += 1;
            self.finished += u64::from(r.ending.finished());
            self.decided += u64::from(r.ending.decided());
            self.unfinished += u64::from(r.ending.unfinished());
            self.met += u64::from(r.ending == Ending::Met);
            self.refused += u64::from(r.ending == Ending::Refused);
            self.dropped += u64::from(r.ending == Ending::Dropped);
        }
    }
}

impl TotalComparison {
    /// A figure of reports, by seed. It has no interval from one seed.
    fn of(metric: RunMetric, pairs: &[[Option<f64>; 2]]) -> Self {
        let better = metric.better();
        Self { better, difference: Difference::of(pairs, None, better, metric.unit().difference_bounds()) }
    }
}

impl Difference {
    /// The difference of the values of A and B by seed. With one seed the interval is ± `half`, if known, within the
    /// bounds of the difference.
    pub(crate) fn of(
        pairs: &[[Option<f64>; 2]],
        half: Option<f64>,
        better: Direction,
        bounds: [f64; 2],
    ) -> Self {
        let known: Vec<[f64; 2]> = pairs.iter().filter_map(|[a, b]| Some([(*a)?, (*b)?])).collect();
        // If a seed lacks a value on one side, there is no result: the other seeds would be a biased sample.
        if known.len() < pairs.len() || known.is_empty() {
            let side = |i: usize| mean(pairs.iter().filter_map(|p| p[i]));
            let (a, b) = (side(0), side(1));
            return Self { a, b, diff: None, lo: None, hi: None, verdict: Verdict::Unknown };
        }
        let (a, b) = (mean(known.iter().map(|p| p[0])), mean(known.iter().map(|p| p[1])));
        let differences: Vec<f64> = known.iter().map(|[a, b]| b - a).collect();
        let alone = || half.map(|half| Interval::within(differences[0], half, bounds));
        let found = mean_interval(&differences, bounds).or_else(alone);
        Self {
            a,
            b,
            diff: Some(found.map_or(differences[0], |i| i.value)),
            lo: found.map(|i| i.lo),
            hi: found.map(|i| i.hi),
            verdict: found.map_or(Verdict::Unknown, |i| verdict(i.lo, i.hi, better)),
        }
    }

    /// The verdict in words, without the requests that it is over.
    pub fn words(&self) -> &'static str {
        match self.verdict {
            Verdict::Better => "B is better",
            Verdict::Worse => "B is worse",
            Verdict::NoneShown => "no difference can be shown",
            Verdict::Unknown => "no interval",
        }
    }
}

fn verdict(lo: f64, hi: f64, better: Direction) -> Verdict {
    if lo <= 0.0 && hi >= 0.0 {
        Verdict::NoneShown
    } else if (hi < 0.0) == (better == Direction::Lower) {
        Verdict::Better
    } else {
        Verdict::Worse
    }
}

/// The mean; that of equal values is the value, to the bit.
fn mean(mut values: impl Iterator<Item = f64>) -> Option<f64> {
    let first = values.next()?;
    let (count, sum) = values.fold((1.0, 0.0), |(n, sum), v| (n + 1.0, sum + (v - first)));
    Some(first + sum / count)
}
