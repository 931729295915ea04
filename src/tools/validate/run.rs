//! The runs of a case, one for each seed, and the samples kept of them.

use super::experiment::Experiment;
use super::open::Length;
use super::pool::{pool, routing, signal_refresh_us};
use super::replay::{Case, Options, Traffic};
use super::sample::{Finished, Sample};
use base::Micros;
use document::{Client, Pool, RoutingPolicy, Run, Scenario, limits};
use run::session::{Audience, Session, Stop};

impl Case<'_> {
    /// The samples of all seeds.
    pub(super) fn run(&self, e: &Experiment, options: &Options) -> Result<Vec<Sample>, String> {
        let pool = pool(e, self.tp, &options.latency)?;
        let routing = routing(e)?;
        let drawn = matches!(&self.traffic, Traffic::Drawn(_))
            || matches!(&self.traffic, Traffic::Closed(c) if !matches!(c.input, Length::Fixed(_)))
            || matches!(routing, RoutingPolicy::Random | RoutingPolicy::Weighted(_));
        let seeds = if drawn { options.seeds.max(1) } else { 1 };
        let mut samples = Vec::new();
        for seed in 1..=u64::from(seeds) {
            samples.push(self.one(e, &pool, &routing, seed)?);
        }
        Ok(samples)
    }

    fn one(&self, e: &Experiment, pool: &Pool, routing: &RoutingPolicy, seed: u64) -> Result<Sample, String> {
        let mut scenario = Scenario { seed, ..Scenario::default() };
        scenario.run = Run { horizon_s: 0.0, warmup_s: 0.0, warmup_requests: 0, max_requests: 0 };
        scenario.observe.anomalies = false;
        scenario.cluster.pools = vec![pool.clone()];
        scenario.workload.timeout_s =
            e.number("/client/timeout_s").filter(|s| *s <= limits::HORIZON_S).unwrap_or(0.0);
        scenario.cluster.routing = routing.clone();
        scenario.cluster.snapshot_refresh_us = signal_refresh_us(e, routing);
        let no_clients: Vec<Client> = Vec::new();
        let mut stage_of = Vec::new();
        (scenario.workload.clients, scenario.workload.requests) = match &self.traffic {
            Traffic::Listed(requests, stages) => {
                stage_of.clone_from(stages);
                (no_clients, requests.clone())
            }
            Traffic::Drawn(open) => {
                let (requests, stages) = open.requests(seed);
                stage_of = stages;
                (no_clients, requests)
            }
            Traffic::Closed(closed) => {
                scenario.run.horizon_s = 1_000_000.0;
                (vec![closed.client()], Vec::new())
            }
        };
        let started = Session::start(scenario, None, Audience::Batch);
        let (mut session, _) = started.map_err(|problems| {
            problems.iter().map(|p| format!("{}: {}", p.path, p.found)).collect::<Vec<_>>().join("; ")
        })?;
        if session.advance(Micros::MAX, MOST_EVENTS) != Stop::Finished {
            return Err(format!("a run that is not over after {MOST_EVENTS} events"));
        }
        let warms_up = e.text("/workload/warm_up") == "the first stage" && self.stages > 1;
        Ok(Sample { first_scored: u32::from(warms_up), ..sample(&session, &stage_of, self.stages) })
    }
}

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
                output_tokens: row.record.output_tokens,
            }),
            _ => sample.failed[stage as usize] += 1,
        }
    }
    sample.gaps_ms = session.report_data().latency_ms.itl;
    sample
}
