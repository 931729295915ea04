//! Batches: an engine that works in steps, with an unbounded batch.

use super::common::{
    Heard, accept, accept_between, client, cluster, constant_lengths, poisson, run, run_watched, ttfts,
    two_lengths,
};
use tokenyard::engine::{Fact, Record, ReplicaFact};
use tokenyard::queueing::theory::{
    StepMoments, batch_server, infinite_servers, processor_sharing, ttft_identity,
};
use tokenyard::scenario::{Lengths, Scenario};

/// A request of `output` tokens is free in its first step and costs `decode_us` in each of the others.
fn decoders(step_us: f64, decode_us: f64, load: f64, output: Lengths, requests: u64) -> Scenario {
    let mean = match &output {
        Lengths::Empirical { lengths } => lengths.iter().map(|l| f64::from(l.tokens) * l.weight).sum(),
        other => f64::from(other.bounds().0),
    };
    let mut s = cluster(1, 60_000, [step_us, 0.0, decode_us]);
    let rate = load * 1e6 / ((mean - 1.0) * decode_us);
    s.workload.clients = vec![client(poisson(rate), Lengths::Constant { tokens: 1 }, output)];
    s.run.max_requests = requests;
    s
}

/// Start and duration of every step, and how many requests it has.
fn steps(heard: &Heard) -> Vec<(u64, u64, u32)> {
    let step = |(at, fact): &(u64, Fact)| match fact {
        Fact::Replica(ReplicaFact::StepStarted { span, running, .. }) => Some((*at, span.0, *running)),
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
        let law = infinite_servers(30.0).expect("a load");
        accept(&format!("batch, {output:?}"), &sizes, law.mean);
        let squares: Vec<f64> = sizes.iter().map(|n| (n - 30.0) * (n - 30.0)).collect();
        accept(&format!("its variance, {output:?}"), &squares, law.mean);
    }
}

#[test]
fn steps_that_cost_by_the_request_share_the_processor_whatever_the_lengths() {
    // M/G/1 with processor sharing: work x takes x / (1 - rho) on average, for every distribution of lengths. Two per
    // cent for whole steps: a new request waits for the current step, and the others are faster meanwhile.
    let (decode_us, load) = (20.0, 0.5);
    for output in [Lengths::Constant { tokens: 101 }, two_lengths(51, 0.8, 301)] {
        let engine = run(&decoders(0.0, decode_us, load, output.clone(), 40_000));
        let slowdown = |r: Record| {
            r.e2e.get().expect("it is known").0 as f64 / (f64::from(r.output_tokens - 1) * decode_us)
        };
        let slow: Vec<f64> = engine.records().iter().map(slowdown).collect();
        let exact = processor_sharing(load).expect("stable").slowdown;
        accept_between(&format!("slowdown, {output:?}"), &slow, 0.98 * exact, 1.02 * exact);
    }
}

#[test]
fn a_step_with_a_fixed_part_has_the_batch_of_state_dependent_sharing() {
    // T = alpha + n delta, a = alpha / delta: n is negative binomial with mean rho (a + 1) / (1 - rho) = 11, above the mean
    // field's rho a / (1 - rho) = 10. Joining and leaving at the boundaries of steps adds up to a twentieth.
    let law = batch_server(10.0, 0.5).expect("stable");
    let s = decoders(1000.0, 100.0, 0.5, Lengths::Constant { tokens: 201 }, 40_000);
    let mut heard = Heard::default();
    let engine = run_watched(&s, &mut heard);
    let (mut area, mut squares, mut warm) = (0.0, 0.0, 0);
    for (at, fact) in &heard.0 {
        if let Fact::Replica(ReplicaFact::StepStarted { span, decode, .. }) = fact
            && *at > engine.clock().0 / 10
        {
            warm = if warm == 0 { *at } else { warm };
            area += f64::from(*decode) * span.0 as f64;
            squares += f64::from(*decode) * f64::from(*decode) * span.0 as f64;
        }
    }
    let time = (engine.clock().0 - warm) as f64;
    let mean = area / time;
    assert!(mean > 0.98 * law.mean && mean < 1.05 * law.mean, "{mean} decode on average, {} exact", law.mean);
    // The variance of the negative binomial law, 22, and not the 11 of a Poisson law of the same mean.
    let variance = squares / time - mean * mean;
    assert!(
        variance > 0.9 * law.variance && variance < 1.15 * law.variance,
        "a variance of {variance}, {} exact",
        law.variance
    );
}

#[test]
fn ttft_is_the_rest_of_a_step_and_the_whole_of_the_next() {
    // A request that arrives during a step of length T waits for its end, T^2 / 2 by T on average over time, and then
    // for the next step: as long as the successor of the arrival's step is, weighted by the length of that step
    // because longer steps see more arrivals, with the newcomer's own prompt. A request that finds an idle server
    // takes an empty step and the prompt.
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
        let moments = StepMoments {
            busy: share,
            length_biased: squares / busy,
            next: successors / busy,
            empty: b0,
            own,
        };
        accept(&format!("TTFT at {rate} requests/s"), &ttfts(&engine), ttft_identity(&moments));
    }
}
