//! Queueing theory: in degenerate configurations the simulator must give the closed forms.
//!
//! A queue needs requests that compete for the engine only: no latency at the gateway, no queueing delay, no prefix
//! cache, more KV blocks than are ever needed. A request of one output token is one step; the step's duration is its service
//! time. Statistical tests drop the first tenth of the requests, estimate the error of the mean from batch means and accept
//! |simulated - exact| < max(3 standard errors, 1 %), provided the standard error itself is small.

use tokenyard::base::Micros;
use tokenyard::base::math::ln;
use tokenyard::base::rng::{Purpose, Stream};
use tokenyard::engine::{Engine, Halt, Ignore, Record, RequestState};
use tokenyard::scenario::{
    Arrivals, Client, ExplicitOutput, ExplicitPiece, ExplicitRequest, FittedCoefficients, KvBlocks,
    LatencyModel, Lengths, Pool, RoutingPolicy, Scenario,
};
use tokenyard::workload::Source;

/// Mean service time of the single-step queues, in microseconds.
const SERVICE_US: f64 = 1000.0;

/// Step time coefficients in microseconds: fixed, per prompt token, per decoding request.
type Beta = [f64; 3];

/// An empty cluster of `replicas` engines with batches of at most `seqs` requests.
fn cluster(replicas: u32, seqs: u32, [step, prefill, decode]: Beta) -> Scenario {
    let mut s = Scenario::default();
    s.run.horizon_s = 0.0;
    s.run.warmup_s = 0.0;
    s.workload.clients.clear();
    let mut pool = Pool { replicas, ..Pool::default() };
    pool.engine.max_num_seqs = seqs;
    pool.engine.max_num_batched_tokens = 1 << 20;
    pool.kv.blocks = KvBlocks::Count(1 << 20);
    pool.kv.prefix_caching = false;
    pool.latency = LatencyModel::Fitted(FittedCoefficients {
        step_us: step,
        step_us_per_prefill_token: prefill,
        step_us_per_decode_token: decode,
        ..FittedCoefficients::default()
    });
    s.cluster.pools = vec![pool];
    s
}

/// `requests` requests of constant lengths.
fn constant_lengths(
    mut s: Scenario,
    arrivals: Arrivals,
    prompt: u32,
    output: u32,
    requests: u64,
) -> Scenario {
    s.workload.clients = vec![Client {
        arrivals,
        prompt_tokens: Lengths::Constant { tokens: prompt },
        output_tokens: Lengths::Constant { tokens: output },
        ..Client::default()
    }];
    s.run.max_requests = requests;
    s
}

fn poisson(rate_per_s: f64) -> Arrivals {
    Arrivals::Poisson { rate_per_s }
}

/// One request of the list: its text is its own.
fn listed(number: u32, arrival_us: u64, prompt: u32, output: u32) -> ExplicitRequest {
    ExplicitRequest {
        id: format!("r{number}"),
        arrival_us,
        prompt: vec![ExplicitPiece { text: 2 * number, tokens: prompt, offset: 0 }],
        output: ExplicitOutput { text: 2 * number + 1, tokens: output, offset: 0 },
        tenant: String::new(),
        slo_class: String::new(),
        session: String::new(),
    }
}

/// Poisson arrivals of single-step requests whose prompt lengths, at 1 us a token, are exponential service times.
fn exponential_service(mut s: Scenario, rate_per_s: f64, requests: u32) -> Scenario {
    let mut gaps = Stream::new(11, Purpose::Arrivals, 0);
    let mut sizes = Stream::new(11, Purpose::PromptLengths, 0);
    let exponential = |stream: &mut Stream, mean: f64| -ln(1.0 - stream.unit()) * mean;
    let mut now = 0.0;
    for number in 0..requests {
        now += exponential(&mut gaps, 1e6 / rate_per_s);
        let tokens = exponential(&mut sizes, SERVICE_US).ceil().max(1.0) as u32;
        s.workload.requests.push(listed(number, now as u64, tokens, 1));
    }
    s
}

/// Runs to the end, or the horizon.
fn run(s: &Scenario) -> Engine {
    let compat = s.cluster.compat;
    let resolve = |p| tokenyard::perf::resolve(p, compat, "pool").expect("explicit coefficients");
    let resolved: Vec<_> = s.cluster.pools.iter().map(resolve).collect();
    let mut engine = Engine::new(s, &resolved, Source::new(s, None));
    assert_eq!(engine.advance(Micros::MAX, u64::MAX, &mut Ignore), Halt::Finished);
    engine.verify(true);
    engine
}

fn waits(engine: &Engine) -> Vec<f64> {
    engine.records().iter().map(|r| (r.first_scheduled.0 - r.arrival.0) as f64).collect()
}

fn ttfts(engine: &Engine) -> Vec<f64> {
    engine.records().iter().map(|r| r.ttft.0 as f64).collect()
}

/// Mean and its standard error from 30 batch means, the first tenth left out.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let kept = &values[values.len() / 10..];
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let batches: Vec<f64> = kept.chunks_exact(kept.len() / 30).map(mean).collect();
    let centre = mean(&batches);
    let spread = batches.iter().map(|b| (b - centre) * (b - centre)).sum::<f64>();
    let n = batches.len() as f64;
    (mean(kept), (spread / (n - 1.0) / n).sqrt())
}

/// The acceptance rule, for a quantity known to lie between `low` and `high`.
fn accept_between(what: &str, values: &[f64], low: f64, high: f64) {
    let (mean, error) = mean_and_error(values);
    let slack = (3.0 * error).max(0.01 * low);
    assert!(error < 0.04 * low, "{what}: a standard error of {error} says nothing about {low}");
    assert!(
        mean > low - slack && mean < high + slack,
        "{what}: {mean} +- {error} simulated, {low} to {high} exact"
    );
}

fn accept(what: &str, values: &[f64], exact: f64) {
    accept_between(what, values, exact, exact);
}

#[test]
fn md1_waits_as_pollaczek_and_khinchine_say() {
    // Wq = S rho / (2 (1 - rho)).
    for (rho, requests) in [(0.5, 150_000), (0.8, 400_000)] {
        let s = constant_lengths(
            cluster(1, 1, [SERVICE_US, 0.0, 0.0]),
            poisson(rho * 1e6 / SERVICE_US),
            16,
            1,
            requests,
        );
        let engine = run(&s);
        let waits = waits(&engine);
        accept(&format!("mean wait at load {rho}"), &waits, SERVICE_US * rho / (2.0 * (1.0 - rho)));
        let at_once: Vec<f64> = waits.iter().map(|w| f64::from(u8::from(*w < 0.5))).collect();
        accept(&format!("share that does not wait at load {rho}"), &at_once, 1.0 - rho);
        for r in engine.records() {
            assert_eq!(r.ttft.0, r.first_scheduled.0 - r.arrival.0 + 1000, "TTFT = wait + first step");
        }
    }
}

#[test]
fn md1_service_is_the_sum_of_a_requests_steps() {
    // Four steps of 200 us, 8 prompt tokens at 10 us and three decodes at 40 us make the same 1000 us.
    let rho = 0.5;
    let s =
        constant_lengths(cluster(1, 1, [200.0, 10.0, 40.0]), poisson(rho * 1e6 / SERVICE_US), 8, 4, 150_000);
    let engine = run(&s);
    accept("mean wait", &waits(&engine), SERVICE_US * rho / (2.0 * (1.0 - rho)));
    for r in engine.records() {
        let wait = r.first_scheduled.0 - r.arrival.0;
        assert_eq!((r.ttft.0, r.e2e.0), (wait + 280, wait + 1000));
    }
}

#[test]
fn dd1_never_waits_up_to_full_load() {
    for gap_us in [1000.0, 1001.0, 1600.0] {
        let arrivals = Arrivals::Constant { rate_per_s: 1e6 / gap_us };
        let s = constant_lengths(cluster(1, 1, [SERVICE_US, 0.0, 0.0]), arrivals, 16, 1, 20_000);
        let engine = run(&s);
        assert!(engine.records().iter().all(|r| r.e2e.0 == 1000), "one every {gap_us} us");
        assert_eq!(engine.records().len(), 20_000);
    }
}

#[test]
fn a_batch_of_four_is_nearly_four_servers() {
    // M/D/4 at load 0.7 waits 0.189708 S. Steps of b0 are synchronised: a request that finds a free place joins at the next
    // step, which adds between nothing and b0, and vanishes as a request takes more steps.
    let (rho, exact) = (0.7, 0.189_708);
    for (steps, requests) in [(20_u32, 300_000), (80, 300_000)] {
        let step = 100.0;
        let service = step * f64::from(steps);
        let rate = 4.0 * rho * 1e6 / service;
        let s = constant_lengths(cluster(1, 4, [step, 0.0, 0.0]), poisson(rate), 16, steps, requests);
        let engine = run(&s);
        let what = format!("wait of a batch of four, {steps} steps");
        accept_between(&what, &waits(&engine), exact * service, exact * service + step);
        for r in engine.records() {
            assert_eq!(r.e2e.0, r.first_scheduled.0 - r.arrival.0 + service as u64);
        }
    }
}

#[test]
fn routing_over_four_servers_gives_the_known_response_times() {
    // Exponential service. Random splitting is four M/M/1: 1/(1 - rho). Round robin is E4/M/1: sigma solves
    // sigma = (4 rho / (4 rho + 1 - sigma))^4. Joining the shortest queue is a truncated Markov chain.
    for (rho, [random, round_robin, shortest]) in
        [(0.5, [2.0, 1.432_52, 1.158_15]), (0.7, [3.333_33, 2.236_69, 1.511_44])]
    {
        let rate = 4.0 * rho * 1e6 / SERVICE_US;
        let mut s = exponential_service(cluster(4, 1, [0.0, 1.0, 0.0]), rate, 300_000);
        let mut means = Vec::new();
        for (policy, exact) in [
            (RoutingPolicy::LeastLoaded, shortest),
            (RoutingPolicy::RoundRobin, round_robin),
            (RoutingPolicy::Random, random),
        ] {
            s.cluster.routing = policy.clone();
            let times = ttfts(&run(&s));
            accept(&format!("{policy:?} at load {rho}"), &times, exact * SERVICE_US);
            means.push(mean_and_error(&times).0);
        }
        assert!(means[0] < means[1] && means[1] < means[2], "least-loaded, round robin, random: {means:?}");
    }
}

#[test]
fn ttft_of_the_pure_overhead_engine() {
    // Unlimited batch, steps of constant length b0: who finds the engine busy waits half a step on average for the next
    // one, so TTFT = b0 (1 + P(busy) / 2). By PASTA P(busy) is the share of time with a step running.
    for rate in [5.0, 20.0, 60.0] {
        let step = 1000.0;
        let s = constant_lengths(cluster(1, 60_000, [step, 0.0, 0.0]), poisson(rate), 16, 50, 60_000);
        let engine = run(&s);
        let replica = &engine.replicas()[0];
        let busy = replica.totals().step_time.0 as f64 / replica.clock().0 as f64;
        let times = ttfts(&engine);
        accept(&format!("TTFT at {rate} requests/s"), &times, step * (1.0 + busy / 2.0));
        assert!(times.iter().all(|t| (step..2.0 * step).contains(t)), "TTFT is within [b0, 2 b0)");
    }
}

#[test]
fn a_full_batch_serves_what_its_steps_allow() {
    // Offered 1.2 times the capacity, a batch of M is always full: of its members one in N computes a prompt of no cost and
    // the others decode, so X = M / (N (b0 + b2 M (1 - 1/N))).
    let (m, n, b0, b2) = (8.0, 20.0, 1000.0, 100.0);
    let capacity = m / (n * (b0 + b2 * m * (1.0 - 1.0 / n))) * 1e6;
    let mut s =
        constant_lengths(cluster(1, m as u32, [b0, 0.0, b2]), poisson(1.2 * capacity), 16, n as u32, 0);
    s.run.horizon_s = 400.0;
    let engine = run(&s);
    let completed = f64::from(engine.replicas()[0].totals().completed);
    let rate = completed / s.run.horizon_s;
    assert!((rate - capacity).abs() < 0.01 * capacity, "{rate} requests/s, capacity {capacity}");
    // What is left grows by the difference of the rates.
    let left = engine.records().len() as f64 - completed;
    let grown = 0.2 * capacity * s.run.horizon_s;
    let noise = 3.0 * (1.2 * capacity * s.run.horizon_s).sqrt() + 0.01 * capacity * s.run.horizon_s;
    assert!((left - grown).abs() < noise, "{left} left, {grown} expected");
}

#[test]
fn one_request_in_an_empty_system_takes_the_sum_of_its_steps() {
    let mut s = cluster(1, 8, [500.0, 3.0, 7.0]);
    s.workload.requests = vec![listed(0, 40, 100, 11)];
    let engine = run(&s);
    let r = &engine.records()[0];
    // Eleven tokens: the prompt's step gives the first, ten decodes the rest.
    assert_eq!((r.ttft.0, r.e2e.0), (500 + 300, 11 * 500 + 300 + 10 * 7));
}

#[test]
fn equal_requests_that_arrive_together_finish_together() {
    let mut s = cluster(1, 16, [500.0, 3.0, 7.0]);
    s.workload.requests = (0..12).map(|k| listed(k, 0, 50, 9)).collect();
    let engine = run(&s);
    for r in engine.records() {
        assert_eq!((r.ttft.0, r.e2e.0), (500 + 12 * 150, 9 * 500 + 12 * 150 + 8 * 12 * 7));
    }
}

#[test]
fn one_at_a_time_the_kth_takes_k_services() {
    let mut s = cluster(1, 1, [500.0, 3.0, 7.0]);
    s.workload.requests = (0..20).map(|k| listed(k, 0, 10, 3)).collect();
    for (k, r) in run(&s).records().iter().enumerate() {
        assert_eq!(r.e2e.0, (k as u64 + 1) * (3 * 500 + 30 + 2 * 7));
    }
}

#[test]
fn twice_the_step_times_and_half_the_rate_is_twice_the_time() {
    let scaled = |factor: u32| {
        let f = f64::from(factor);
        let mut s = cluster(3, 6, [500.0 * f, 3.0 * f, 7.0 * f]);
        s.cluster.pools[0].kv.blocks = KvBlocks::Count(12);
        s.cluster.pools[0].kv.prefix_caching = true;
        let mut draw = Stream::new(5, Purpose::Sessions, 0);
        s.workload.requests = (0..400)
            .map(|k| {
                let arrival = u64::from(factor) * u64::from(150 * k + draw.below(400));
                listed(k, arrival, 1 + draw.below(90), draw.below(60))
            })
            .collect();
        run(&s)
    };
    let (once, twice) = (scaled(1), scaled(2));
    assert!(once.replicas().iter().any(|r| r.totals().preemptions > 0), "the cache should be tight");
    let double = |x: Micros| if x == Micros::MAX { x } else { Micros(2 * x.0) };
    let key = |r: &Record| (r.replica, r.preemptions, r.state, r.sched_step, r.finish_step);
    for (a, b) in once.records().iter().zip(twice.records()) {
        assert_eq!(key(a), key(b));
        assert_eq!((double(a.ttft), double(a.e2e), double(a.finish)), (b.ttft, b.e2e, b.finish));
    }
}

#[test]
fn without_load_ttft_is_its_intercept() {
    let s = constant_lengths(cluster(2, 8, [500.0, 3.0, 7.0]), poisson(0.5), 100, 5, 2000);
    let engine = run(&s);
    assert!(engine.records().iter().all(|r| r.state == RequestState::Completed));
    let alone = engine.records().iter().filter(|r| r.ttft.0 == 800).count();
    assert!(alone >= 1990, "{alone} of 2000 found the system empty");
}
