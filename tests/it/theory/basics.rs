//! The plainest queues, and what is known exactly of a few requests.

use super::common::{
    SERVICE_US, accept, accept_between, cluster, constant_lengths, exponential_lengths, listed,
    mean_and_error, poisson, run, single_steps, ttfts, waits,
};
use tokenyard::base::rng::{Purpose, Stream};
use tokenyard::engine::{Record, RequestState};
use tokenyard::queueing::theory::{md1, mdc_wait, mm1, round_robin, shortest_queue};
use tokenyard::scenario::{Arrivals, KvBlocks, RoutingPolicy};

#[test]
fn md1_waits_as_pollaczek_and_khinchine_say() {
    // Wq = S rho / (2 (1 - rho)), with the deviation that its third moment gives.
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
        let law = md1(rho).expect("stable");
        accept(&format!("mean wait at load {rho}"), &waits, SERVICE_US * law.wait);
        let squares: Vec<f64> =
            waits.iter().map(|w| (w - SERVICE_US * law.wait) * (w - SERVICE_US * law.wait)).collect();
        let variance = SERVICE_US * SERVICE_US * law.wait_deviation * law.wait_deviation;
        // At 0.8 a few long busy periods decide about the fourth moment: no run of this length says anything.
        if rho < 0.6 {
            accept(&format!("variance of the wait at load {rho}"), &squares, variance);
        }
        let at_once: Vec<f64> = waits.iter().map(|w| f64::from(u8::from(*w < 0.5))).collect();
        accept(&format!("share that does not wait at load {rho}"), &at_once, 1.0 - rho);
        for r in engine.records() {
            assert_eq!(
                r.ttft.get().expect("it is known").0,
                r.first_scheduled.get().expect("it is known").0 - r.arrival.0 + 1000,
                "TTFT = wait + first step"
            );
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
        let wait = r.first_scheduled.get().expect("it is known").0 - r.arrival.0;
        assert_eq!(
            (r.ttft.get().expect("it is known").0, r.e2e.get().expect("it is known").0),
            (wait + 280, wait + 1000)
        );
    }
}

#[test]
fn dd1_never_waits_up_to_full_load() {
    for gap_us in [1000.0, 1001.0, 1600.0] {
        let arrivals = Arrivals::Constant { rate_per_s: 1e6 / gap_us };
        let s = constant_lengths(cluster(1, 1, [SERVICE_US, 0.0, 0.0]), arrivals, 16, 1, 20_000);
        let engine = run(&s);
        assert!(
            engine.records().iter().all(|r| r.e2e.get().expect("it is known").0 == 1000),
            "one every {gap_us} us"
        );
        assert_eq!(engine.records().len(), 20_000);
    }
}

#[test]
fn a_batch_of_four_is_nearly_four_servers() {
    // M/D/4 at load 0.7 waits 0.189708 S. Steps of b0 are synchronised: a request that finds a free place joins at the next
    // step, which adds between nothing and b0, and vanishes as a request takes more steps.
    let rho = 0.7;
    let exact = mdc_wait(4, rho).expect("stable");
    for (steps, requests) in [(20_u32, 300_000), (80, 300_000)] {
        let step = 100.0;
        let service = step * f64::from(steps);
        let rate = 4.0 * rho * 1e6 / service;
        let s = constant_lengths(cluster(1, 4, [step, 0.0, 0.0]), poisson(rate), 16, steps, requests);
        let engine = run(&s);
        let what = format!("wait of a batch of four, {steps} steps");
        accept_between(&what, &waits(&engine), exact * service, exact * service + step);
        for r in engine.records() {
            assert_eq!(
                r.e2e.get().expect("it is known").0,
                r.first_scheduled.get().expect("it is known").0 - r.arrival.0 + service as u64
            );
        }
    }
}

#[test]
fn routing_over_four_servers_gives_the_known_response_times() {
    // Exponential service. Random splitting is four M/M/1: 1/(1 - rho). Round robin is E4/M/1: sigma solves
    // sigma = (4 rho / (4 rho + 1 - sigma))^4. Joining the shortest queue is a truncated Markov chain.
    for rho in [0.5, 0.7] {
        let random = mm1(rho).expect("stable").time;
        let in_turn = round_robin(4, rho).expect("stable").time;
        let shortest = shortest_queue(4, rho, 14).expect("stable").time;
        let rate = 4.0 * rho * 1e6 / SERVICE_US;
        let mut s =
            single_steps(cluster(4, 1, [0.0, 1.0, 0.0]), poisson(rate), exponential_lengths(), 300_000);
        let mut means = Vec::new();
        for (policy, exact) in [
            (RoutingPolicy::LeastLoaded, shortest),
            (RoutingPolicy::RoundRobin, in_turn),
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
    // Unlimited batch, steps of constant length b0: a request that finds the engine busy waits half a step on average
    // for the next one, so TTFT = b0 (1 + P(busy) / 2). By PASTA P(busy) is the share of time with a step running.
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
    let r = engine.records().at(0);
    // Eleven tokens: the prompt's step gives the first, ten decodes the rest.
    assert_eq!(
        (r.ttft.get().expect("it is known").0, r.e2e.get().expect("it is known").0),
        (500 + 300, 11 * 500 + 300 + 10 * 7)
    );
}

#[test]
fn equal_requests_that_arrive_together_finish_together() {
    let mut s = cluster(1, 16, [500.0, 3.0, 7.0]);
    s.workload.requests = (0..12).map(|k| listed(k, 0, 50, 9)).collect();
    let engine = run(&s);
    for r in engine.records() {
        assert_eq!(
            (r.ttft.get().expect("it is known").0, r.e2e.get().expect("it is known").0),
            (500 + 12 * 150, 9 * 500 + 12 * 150 + 8 * 12 * 7)
        );
    }
}

#[test]
fn one_at_a_time_the_kth_takes_k_services() {
    let mut s = cluster(1, 1, [500.0, 3.0, 7.0]);
    s.workload.requests = (0..20).map(|k| listed(k, 0, 10, 3)).collect();
    for (k, r) in run(&s).records().iter().enumerate() {
        assert_eq!(r.e2e.get().expect("it is known").0, (k as u64 + 1) * (3 * 500 + 30 + 2 * 7));
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
    let us =
        |r: &Record| [r.ttft.get().map(|s| s.0), r.e2e.get().map(|s| s.0), r.finish().get().map(|at| at.0)];
    let key = |r: &Record| (r.replica(), r.preemptions, r.state(), r.sched_step, r.finish_step);
    for (a, b) in once.records().iter().zip(twice.records()) {
        assert_eq!(key(&a), key(&b));
        assert_eq!(us(&a).map(|us| us.map(|us| 2 * us)), us(&b));
    }
}

#[test]
fn without_load_ttft_is_its_intercept() {
    let s = constant_lengths(cluster(2, 8, [500.0, 3.0, 7.0]), poisson(0.5), 100, 5, 2000);
    let engine = run(&s);
    assert!(engine.records().iter().all(|r| r.state() == RequestState::Completed));
    let alone = engine.records().iter().filter(|r| r.ttft.get().expect("it is known").0 == 800).count();
    assert!(alone >= 1990, "{alone} of 2000 found the system empty");
}
