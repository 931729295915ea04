//! The runs of a case, one for each seed, and the samples kept of them.

use super::experiment::Experiment;
use super::open::Length;
use super::pool::{routing, signal_refresh_us};
use super::replay::{Case, Options, Traffic};
use super::sample::{Finished, Sample};
use super::split_pools::{handover, pools, split_routing};
use base::Diagnostic;
use benchmarks::replayed::{ended, send_closed_loop};
use document::{Pool, RoutingPolicy, Run, Scenario, limits};
use run::session::Session;

impl Case<'_> {
    /// The samples of all seeds.
    pub(super) fn run(&self, e: &Experiment, options: &Options) -> Result<Vec<Sample>, String> {
        let pools = pools(e, self.tp, &options.latency)?;
        let routing = split_routing(e, routing(e)?);
        let drawn = matches!(&self.traffic, Traffic::Drawn(_))
            || matches!(&self.traffic, Traffic::Closed(c) if !matches!(c.input, Length::Fixed(_)))
            || matches!(routing, RoutingPolicy::Random | RoutingPolicy::Weighted(_));
        let averages_out =
            e.is_split() && matches!(&self.traffic, Traffic::Closed(c) if c.requests >= ENOUGH_FOR_ONE_SEED);
        let seeds = if drawn && !averages_out { options.seeds.max(1) } else { 1 };
        let mut samples = Vec::new();
        for seed in 1..=u64::from(seeds) {
            samples.push(self.one(e, &pools, &routing, seed)?);
        }
        Ok(samples)
    }

    fn one(
        &self,
        e: &Experiment,
        pools: &[Pool],
        routing: &RoutingPolicy,
        seed: u64,
    ) -> Result<Sample, String> {
        let mut scenario = Scenario { seed, ..Scenario::default() };
        scenario.run = Run { horizon_s: 0.0, warmup_s: 0.0, warmup_requests: 0, max_requests: 0 };
        scenario.observe.anomalies = false;
        scenario.cluster.pools = pools.to_vec();
        scenario.cluster.disaggregation = handover(e);
        scenario.workload.timeout_s =
            e.number("/client/timeout_s").filter(|s| *s <= limits::HORIZON_S).unwrap_or(0.0);
        scenario.cluster.routing = routing.clone();
        scenario.cluster.snapshot_refresh_us = signal_refresh_us(e, routing);
        scenario.workload.clients = Vec::new();
        let mut stage_of = Vec::new();
        match &self.traffic {
            Traffic::Listed(requests, stages) => {
                scenario.workload.requests.clone_from(requests);
                stage_of.clone_from(stages);
            }
            Traffic::Drawn(open) => (scenario.workload.requests, stage_of) = open.requests(seed),
            Traffic::Closed(closed) => send_closed_loop(&mut scenario, closed.client()),
        }
        let words = |p: &Diagnostic| match p.path.as_str() {
            "" => p.found.clone(),
            path => format!("{path}: {}", p.found),
        };
        let session = ended(scenario, MOST_EVENTS)
            .map_err(|problems| problems.iter().map(words).collect::<Vec<_>>().join("; "))?;
        let warms_up = e.text("/workload/warm_up") == "the first stage" && self.stages > 1;
        let gpus = pools.iter().map(|p| p.replicas * p.tp * p.pp).sum();
        Ok(Sample { first_scored: u32::from(warms_up), gpus, ..sample(&session, &stage_of, self.stages) })
    }
}

/// Requests of prefill and decode apart over whose lengths one seed averages. Their fleets are large, and so are their runs.
const ENOUGH_FOR_ONE_SEED: u32 = 500;

/// Most events of one run.
const MOST_EVENTS: u64 = 50_000_000;

/// The finished requests of a run. Others have failed.
fn sample(session: &Session, stage_of: &[u32], stages: u32) -> Sample {
    let mut sample = Sample { failed: vec![0; stages.max(1) as usize], ..Sample::default() };
    for row in session.rows() {
        let stage = stage_of.get(row.record.listed as usize).copied().unwrap_or(0);
        sample.preemptions += row.record.preemptions;
        match (row.ttft_us(), row.e2e_us()) {
            (Some(ttft_us), Some(e2e_us)) => sample.finished.push(Finished {
                stage,
                arrival_us: row.arrival_us(),
                ttft_us,
                e2e_us,
                queue_us: row.queue_wait_us().unwrap_or(0),
                prompt_tokens: row.record.prompt_tokens,
                output_tokens: row.record.output_tokens,
            }),
            _ => sample.failed[stage as usize] += 1,
        }
    }
    sample.gaps_ms = session.report_data().latency_ms.itl;
    sample
}
