//! Batches: an engine that works in steps, with an unbounded batch.

use super::common::{
    Heard, accept, client, cluster, constant_lengths, poisson, run_watched, ttfts, two_lengths,
};
use tokenyard::engine::Fact;
use tokenyard::scenario::Lengths;

/// Start and duration of every step, and how many requests it has.
fn steps(heard: &Heard) -> Vec<(u64, u64, u32)> {
    let step = |(at, fact): &(u64, Fact)| match fact {
        Fact::StepStarted { span, running, .. } => Some((*at, span.0, *running)),
        _ => None,
    };
    heard.0.iter().filter_map(step).collect()
}

#[test]
fn a_batch_without_bound_and_cost_is_poisson_whatever_the_lengths() {
    // M/G/infinity: steps of 1 ms, 1500 requests/s of 20 tokens on average: 30 in each step, and a variance of 30.
    for output in [Lengths::Constant { tokens: 20 }, two_lengths(10, 0.8, 60)] {
        let mut s = cluster(1, 60_000, [1000.0, 0.0, 0.0]);
        s.workload.clients = vec![client(poisson(1500.0), Lengths::Constant { tokens: 16 }, output.clone())];
        s.run.max_requests = 150_000;
        let mut heard = Heard::default();
        run_watched(&s, &mut heard);
        let sizes: Vec<f64> = steps(&heard).iter().map(|step| f64::from(step.2)).collect();
        accept(&format!("batch, {output:?}"), &sizes, 30.0);
        let squares: Vec<f64> = sizes.iter().map(|n| (n - 30.0) * (n - 30.0)).collect();
        accept(&format!("its variance, {output:?}"), &squares, 30.0);
    }
}

#[test]
fn ttft_is_the_rest_of_a_step_and_the_whole_of_the_next() {
    // Who arrives during a step of length T waits for its end, T^2 / 2 by T on average over time, and then for the next step:
    // as long as the successor of the arrival's step is, weighted by the length of that step because longer steps see more
    // arrivals, with the newcomer's own prompt. Who finds nobody pays an empty step and the prompt.
    for (rate, b0, b1, b2, prompt, output) in [
        (30.0, 2000.0, 10.0, 50.0, 128, 40),
        (60.0, 2000.0, 10.0, 50.0, 128, 100),
        (12.0, 1000.0, 20.0, 400.0, 512, 60),
    ] {
        let requests = 60_000;
        let s = constant_lengths(cluster(1, 60_000, [b0, b1, b2]), poisson(rate), prompt, output, requests);
        let mut heard = Heard::default();
        let engine = run_watched(&s, &mut heard);
        let steps = steps(&heard);
        let (mut busy, mut squares, mut successors) = (0.0, 0.0, 0.0);
        for (k, (start, span, _)) in steps.iter().enumerate() {
            let next =
                steps.get(k + 1).filter(|next| next.0 == start + span).map_or(b0, |next| next.1 as f64);
            let span = *span as f64;
            busy += span;
            squares += span * span;
            successors += span * next;
        }
        let share = busy / engine.clock().0 as f64;
        let own = b1 * f64::from(prompt);
        let found_busy = squares / busy / 2.0 + successors / busy + own;
        let exact = share * found_busy + (1.0 - share) * (b0 + own);
        accept(&format!("TTFT at {rate} requests/s"), &ttfts(&engine), exact);
    }
}
