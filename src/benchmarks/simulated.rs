//! A simulated run with the figures that benchmarks have.

use super::replayed::ended;
use crate::import::benchmark::Request;
use crate::import::benchmark::statistics::{of_request, sort, statistic};
use base::stats::Summary;
use base::{Diagnostic, Diagnostics};
use document::Scenario;
use run::session::report::Statistic;

/// Most events of one run.
const MOST_EVENTS: u64 = 20_000_000;

/// A finished run.
pub(super) struct Simulated {
    /// The requests that finished.
    pub(super) requests: Vec<Request>,
    /// Time in the wait queue, and from the first batch to the first token and to the last, in ascending order.
    queue_ms: Vec<f64>,
    prefill_ms: Vec<f64>,
    inference_ms: Vec<f64>,
    /// The gaps between tokens, in milliseconds, if they are known.
    gaps_ms: Summary,
    /// Time in batches and in queues of all requests, and the length of the run, in seconds.
    running_s: f64,
    waiting_s: f64,
    seconds: f64,
    /// Finished requests and their tokens, including those that are not counted: rates are of the whole run.
    finished: f64,
    tokens: f64,
    preemptions: f64,
    reused_prompt_share: f64,
}

/// Runs a scenario to its end. Its figures cover the requests that `counted` selects in order of arrival, and all
/// beyond its end.
pub(super) fn run(scenario: Scenario, counted: &[bool]) -> Result<Simulated, Diagnostics> {
    let session = ended(scenario, MOST_EVENTS)?;
    let report = session.report_data();
    let mut out = Simulated {
        requests: Vec::new(),
        queue_ms: Vec::new(),
        prefill_ms: Vec::new(),
        inference_ms: Vec::new(),
        // Gaps are known only for all requests together.
        gaps_ms: if counted.contains(&false) { Summary::default() } else { report.latency_ms.itl },
        running_s: 0.0,
        waiting_s: 0.0,
        seconds: 0.0,
        finished: 0.0,
        tokens: 0.0,
        preemptions: report.requests.preemptions as f64,
        reused_prompt_share: report.kv.reused_prompt_share,
    };
    let (mut first, mut last) = (u64::MAX, 0);
    for (i, row) in session.rows().enumerate() {
        let (Some(ttft_us), Some(e2e_us)) = (row.ttft_us(), row.e2e_us()) else { continue };
        let (arrival, r) = (row.arrival_us(), &row.record);
        let left = arrival + e2e_us;
        (first, last) = (first.min(arrival), last.max(left));
        (out.finished, out.tokens) = (out.finished + 1.0, out.tokens + f64::from(r.output_tokens));
        if counted.get(i) == Some(&false) {
            continue;
        }
        if let Some((waited, delay)) = row.queue_wait_us().zip(row.scheduling_delay_us()) {
            out.queue_ms.push(waited as f64 / 1e3);
            out.waiting_s += waited as f64 / 1e6;
            out.running_s += e2e_us.saturating_sub(delay) as f64 / 1e6;
            out.prefill_ms.push(ttft_us.saturating_sub(delay) as f64 / 1e3);
            out.inference_ms.push(e2e_us.saturating_sub(delay) as f64 / 1e3);
        }
        out.requests.push(Request {
            start_us: i64::try_from(arrival).ok(),
            prompt_tokens: r.prompt_tokens,
            output_tokens: r.output_tokens,
            ttft_us: Some(ttft_us),
            e2e_us,
            counted: true,
        });
    }
    for times in [&mut out.queue_ms, &mut out.prefill_ms, &mut out.inference_ms] {
        sort(times);
    }
    out.seconds = last.saturating_sub(first) as f64 / 1e6;
    if out.requests.is_empty() {
        let fix = "give a scenario that serves requests of this length";
        return Err(vec![Diagnostic::error(
            "",
            "a run in which no request finishes",
            "a run that ends",
            fix,
        )]);
    }
    Ok(out)
}

impl Simulated {
    /// A metric of all requests, in ascending order.
    pub(super) fn values(&self, metric: &str) -> Vec<f64> {
        match metric {
            "queue_ms" => return self.queue_ms.clone(),
            "prefill_ms" => return self.prefill_ms.clone(),
            "inference_ms" => return self.inference_ms.clone(),
            _ => {}
        }
        let mut values: Vec<f64> = self.requests.iter().filter_map(|r| of_request(r, metric)).collect();
        sort(&mut values);
        values
    }

    /// A figure in the form of benchmarks; `None` if a run does not have it.
    pub(super) fn figure(&self, metric: &str, stat: &str) -> Option<f64> {
        let rate = |n: f64| (self.seconds > 0.0).then(|| n / self.seconds);
        match metric {
            "itl_ms" => Statistic::named(stat)?.known(&self.gaps_ms),
            "req_per_s" => rate(self.finished),
            "out_tok_per_s" => rate(self.tokens),
            "running" => rate(self.running_s),
            "waiting" => rate(self.waiting_s),
            "preemptions" => Some(self.preemptions),
            "reused_prompt_share" => Some(self.reused_prompt_share),
            _ => statistic(&self.values(metric), stat),
        }
    }
}
