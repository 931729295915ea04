//! Several servers: one queue for all, a queue for each, and how a router splits the traffic.

use super::common::{
    SERVICE_US, accept, accept_between, at_most, cluster, constant_lengths, exponential_lengths,
    mean_and_error, poisson, run, shares, single_steps, times, ttfts, waits,
};
use tokenyard::base::ReplicaId;
use tokenyard::base::math::exp;
use tokenyard::engine::Cluster;
use tokenyard::queueing::theory::{mdc_wait, mmc, power_of_d, shortest_queue};
use tokenyard::scenario::{Lengths, OverLimit, PowerOfD, RoutingPolicy, Scenario};

/// Servers whose service takes 1 us for each prompt token.
fn servers(n: u32) -> Scenario {
    cluster(n, 1, [0.0, 1.0, 0.0])
}

/// `n` servers with a queue each, Poisson arrivals and exponential services.
fn exponential_queues(n: u32, rate_per_s: f64, requests: u64) -> Scenario {
    single_steps(servers(n), poisson(rate_per_s), exponential_lengths(), requests)
}

/// One queue for all of `n` servers: the gateway holds back whom no free server awaits.
fn one_queue(s: Scenario, n: u32) -> Scenario {
    at_most(s, n, OverLimit::Delay)
}

fn any_two() -> RoutingPolicy {
    RoutingPolicy::PowerOfD(PowerOfD { d: 2 })
}

#[test]
fn four_servers_with_one_queue_wait_as_erlang_and_crommelin_say() {
    // Load 0.7: M/D/4 waits 0.189708 S; M/M/4 waits C / (4 (1 - rho)) = 0.357212 S, and a share C = 0.428654 waits at all.
    let rate = 2800.0;
    let constant = Lengths::Constant { tokens: 1000 };
    let engine = run(&one_queue(single_steps(servers(4), poisson(rate), constant, 200_000), 4));
    accept("M/D/4", &waits(&engine), mdc_wait(4, 0.7).expect("stable") * SERVICE_US);
    let law = mmc(4, 0.7).expect("stable");
    let engine = run(&one_queue(single_steps(servers(4), poisson(rate), exponential_lengths(), 300_000), 4));
    accept("M/M/4", &waits(&engine), law.wait * SERVICE_US);
    accept(
        "share that waits",
        &shares(engine.records(), |r| r.first_scheduled.get() > Some(r.arrival)),
        law.waits,
    );
}

#[test]
fn two_choices_of_two_different_servers_are_the_shortest_queue() {
    // Drawn without replacement, both of two servers are looked at; drawn with replacement it would be 2.46 S, not 2.10820 S.
    let mut s = exponential_queues(2, 1400.0, 250_000);
    for (policy, what) in [(any_two(), "any two"), (RoutingPolicy::LeastLoaded, "least loaded")] {
        s.cluster.routing = policy;
        accept(
            &format!("{what} of two at load 0.7"),
            &ttfts(&run(&s)),
            shortest_queue(2, 0.7, 40).expect("stable").time * SERVICE_US,
        );
    }
    let mut s = exponential_queues(3, 2100.0, 250_000);
    s.cluster.routing = RoutingPolicy::PowerOfD(PowerOfD { d: 3 });
    let three = shortest_queue(3, 0.7, 20).expect("stable").time;
    accept("any three of three at load 0.7", &ttfts(&run(&s)), three * SERVICE_US);
}

#[test]
fn two_choices_of_a_hundred_servers_come_near_the_limit() {
    // Exponential service, load 0.7: 1.61445 S for infinitely many servers; 1.620 S was measured for a hundred drawn with
    // replacement, which is worse than drawing two different ones.
    let mut s = exponential_queues(100, 70_000.0, 250_000);
    s.cluster.routing = any_two();
    let limit = power_of_d(2, 0.7, 0).expect("stable").time;
    accept_between("any two of a hundred", &ttfts(&run(&s)), limit * SERVICE_US, 1.620 * SERVICE_US);
}

#[test]
fn the_more_a_router_knows_the_shorter_the_time() {
    // On the same traffic: one queue, shortest queue, two choices, random; and round robin before random.
    for rate in [2000.0, 3400.0] {
        let s = exponential_queues(4, rate, 100_000);
        let under = |policy: RoutingPolicy| {
            let mut s = s.clone();
            s.cluster.routing = policy;
            mean_and_error(&times(&run(&s))).0
        };
        let central = mean_and_error(&times(&run(&one_queue(s.clone(), 4)))).0;
        let (shortest, two) = (under(RoutingPolicy::LeastLoaded), under(any_two()));
        let (random, turns) = (under(RoutingPolicy::Random), under(RoutingPolicy::RoundRobin));
        assert!(central < shortest && shortest < two && two < random, "{central} {shortest} {two} {random}");
        assert!(turns < random, "{turns} {random}");
    }
}

/// Gaps between the requests of each replica, one replica after the other.
fn gaps(engine: &Cluster, replicas: u32) -> Vec<f64> {
    let mut all = Vec::new();
    for k in 0..replicas {
        let mine: Vec<u64> = engine
            .records()
            .iter()
            .filter(|r| r.replica() == Some(ReplicaId(k)))
            .map(|r| r.routed.get().expect("it is known").0)
            .collect();
        all.extend(mine.windows(2).map(|w| (w[1] - w[0]) as f64));
    }
    all
}

#[test]
fn a_random_split_of_poisson_traffic_is_poisson_and_a_split_by_turns_is_not() {
    let n = 4;
    let mut s = constant_lengths(cluster(n, 1, [SERVICE_US, 0.0, 0.0]), poisson(2400.0), 16, 1, 300_000);
    let mean = f64::from(n) * 1e6 / 2400.0;
    let square = |x: &[f64]| x.iter().map(|g| g * g).collect::<Vec<f64>>();
    s.cluster.routing = RoutingPolicy::Random;
    let engine = run(&s);
    let thinned = gaps(&engine, n);
    accept("gaps at a replica", &thinned, mean);
    accept("their squares, exponential", &square(&thinned), 2.0 * mean * mean);
    let long: Vec<f64> = thinned.iter().map(|g| f64::from(u8::from(*g > mean))).collect();
    accept("share above the mean", &long, exp(-1.0));
    // So each replica is an M/D/1 of load 0.6.
    accept("wait", &waits(&engine), SERVICE_US * 0.6 / (2.0 * 0.4));
    s.cluster.routing = RoutingPolicy::RoundRobin;
    let turns = gaps(&run(&s), n);
    accept("squares of gaps by turns, Erlang of four", &square(&turns), 1.25 * mean * mean);
}

#[test]
fn poisson_streams_add_up_to_a_poisson_stream() {
    // Three clients of 100, 200 and 300 requests/s: an M/D/1 of load 0.6, each client with its share of the requests.
    let constant = |tokens| Lengths::Constant { tokens };
    let mut s = single_steps(cluster(1, 1, [SERVICE_US, 0.0, 0.0]), poisson(100.0), constant(16), 200_000);
    for rate in [200.0, 300.0] {
        let mut another = s.workload.clients[0].clone();
        another.arrivals = poisson(rate);
        s.workload.clients.push(another);
    }
    let engine = run(&s);
    accept("wait", &waits(&engine), SERVICE_US * 0.6 / (2.0 * 0.4));
    let arrivals: Vec<u64> = engine.records().iter().map(|r| r.arrival.0).collect();
    let gaps: Vec<f64> = arrivals.windows(2).map(|w| (w[1] - w[0]) as f64).collect();
    accept("gaps", &gaps, 1e6 / 600.0);
    let squares: Vec<f64> = gaps.iter().map(|g| g * g).collect();
    accept("their squares", &squares, 2.0 * (1e6_f64 / 600.0) * (1e6 / 600.0));
    for (client, share) in [(0, 1.0 / 6.0), (1, 2.0 / 6.0), (2, 3.0 / 6.0)] {
        accept("share of a client", &shares(engine.records(), |r| r.client == client), share);
    }
}
