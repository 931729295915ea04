//! What is conserved exactly: populations and times, work and busy time, memory and residence. Integers, no tolerance.

use super::common::{
    Heard, SERVICE_US, accept, client, cluster, engine, listed, poisson, run, run_watched, single_steps,
    two_lengths,
};
use crate::support::scenarios::started;
use std::collections::BTreeMap;
use tokenyard::base::Micros;
use tokenyard::base::rng::{Purpose, Stream};
use tokenyard::engine::{Cluster, Fact, Ignore, RequestFact, RequestState};
use tokenyard::scenario::{Arrivals, KvBlocks, Lengths, OverLimit, RoutingPolicy, Scenario};
use tokenyard::session::Audience;

/// Integrals over time of how many are in the cluster and of how many wait on replicas, as the engine counts them from event
/// to event until nothing is left.
fn areas(s: &Scenario) -> (Cluster, u64, u64) {
    let mut engine = engine(s);
    let (mut present, mut waiting) = (0, 0);
    while let Some(next) = engine.next_event_at() {
        let span = next.0 - engine.last_event_at().0;
        let census = engine.census();
        let gone: u32 = engine.replicas().iter().map(|r| r.totals().completed + r.totals().dropped).sum();
        present += span * u64::from(census.arrived - census.rejected - gone);
        waiting += span * engine.replicas().iter().map(|r| u64::from(r.waiting())).sum::<u64>();
        engine.advance(Micros::MAX, 1, &mut Ignore);
    }
    engine.verify(true);
    (engine, present, waiting)
}

/// Clusters in which requests spend their time in different places.
fn clusters() -> Vec<(&'static str, Scenario)> {
    let mut draw = Stream::new(9, Purpose::Sessions, 0);
    let mut tight = cluster(3, 6, [500.0, 3.0, 7.0]);
    tight.cluster.pools[0].kv.blocks = KvBlocks::Count(12);
    tight.cluster.pools[0].kv.prefix_caching = true;
    tight.workload.requests = (0..300)
        .map(|k| listed(k, u64::from(150 * k + draw.below(400)), 1 + draw.below(90), draw.below(60)))
        .collect();
    let mut pools = tight.clone();
    let mut other = cluster(2, 2, [900.0, 1.0, 0.0]).cluster.pools.remove(0);
    other.kv.blocks = KvBlocks::Count(40);
    other.kv.block_tokens = 4;
    pools.cluster.pools.push(other);
    pools.cluster.routing = RoutingPolicy::RoundRobin;
    pools.cluster.admission_latency_us = 130;
    pools.cluster.routing_latency_us = 70;
    let queue =
        single_steps(cluster(1, 1, [0.0, 1.0, 0.0]), poisson(800.0), two_lengths(400, 0.8, 3400), 5000);
    let held_back = super::common::at_most(queue.clone(), 3, OverLimit::Delay);
    vec![("a queue", queue), ("held back", held_back), ("preemptions", tight), ("pools that differ", pools)]
}

#[test]
fn littles_law_holds_to_the_microsecond() {
    // Over a run that begins and ends empty the integral of the population is the sum of the times in the system. A request
    // that outgrew the cache leaves when it is dropped.
    for (what, s) in clusters() {
        let (engine, present, _) = areas(&s);
        let mut heard = Heard::default();
        run_watched(&s, &mut heard);
        let mut times = 0;
        for (at, fact) in &heard.0 {
            if let Fact::Request(
                RequestFact::Completed { request, .. } | RequestFact::Dropped { request, .. },
            ) = fact
            {
                times += at - engine.records().at(request.index()).arrival.0;
            }
        }
        assert_eq!(present, times, "{what}");
        let left = |r: tokenyard::engine::Record| {
            matches!(r.state(), RequestState::Completed | RequestState::Dropped)
        };
        assert!(engine.records().iter().all(left), "{what} ends empty");
    }
}

#[test]
fn littles_law_holds_to_the_microsecond_in_the_queues() {
    // A request waits from joining the queue, or being preempted, until it joins the batch.
    for (what, s) in clusters() {
        let (_, _, waiting) = areas(&s);
        let mut heard = Heard::default();
        run_watched(&s, &mut heard);
        let (mut since, mut waited) = (BTreeMap::new(), 0);
        for (at, fact) in &heard.0 {
            match fact {
                Fact::Request(
                    RequestFact::Queued { request, .. } | RequestFact::Preempted { request, .. },
                ) => {
                    since.insert(request.0, *at);
                }
                Fact::Request(
                    RequestFact::Scheduled { request, .. } | RequestFact::Dropped { request, .. },
                ) => {
                    waited += at - since.remove(&request.0).unwrap_or(*at);
                }
                _ => {}
            }
        }
        assert_eq!(waiting, waited, "{what}");
    }
}

#[test]
fn the_mean_queue_of_the_report_is_arrivals_by_mean_wait() {
    let (_, s) = clusters().swap_remove(0);
    let (engine, _, waiting) = areas(&s);
    let mut session = started(&s, Audience::Batch);
    session.advance(Micros::MAX, u64::MAX);
    let replica = &session.report_data().replicas[0];
    let area = replica.mean_queued * replica.up_s * 1e6;
    assert!((area - waiting as f64).abs() < 1e-6 * waiting as f64, "{area} reported, {waiting} counted");
    let waits: u64 = engine
        .records()
        .iter()
        .map(|r| r.first_scheduled.get().expect("it is known").0 - r.queued.get().expect("it is known").0)
        .sum();
    assert_eq!(waiting, waits);
}

#[test]
fn a_server_is_busy_for_the_sum_of_its_services() {
    // The law of utilisation, U = X S, in whole microseconds; several at a time share their steps.
    let s =
        single_steps(cluster(2, 1, [0.0, 1.0, 0.0]), poisson(1500.0), two_lengths(400, 0.8, 3400), 30_000);
    let engine = run(&s);
    for replica in engine.replicas() {
        let mine = engine.records().iter().filter(|r| r.replica() == Some(replica.id()));
        let work: u64 = mine.map(|r| u64::from(r.prompt_tokens)).sum();
        assert_eq!(replica.totals().step_time.0, work);
    }
}

#[test]
fn a_cache_for_five_requests_is_a_batch_of_five() {
    // Every request has 20 prompt tokens and at most 12 output tokens: two blocks of 16 from its first chunk to its end.
    let bound = |seqs: u32, blocks: u32| {
        let mut s = cluster(1, seqs, [300.0, 2.0, 5.0]);
        s.cluster.pools[0].kv.blocks = KvBlocks::Count(blocks);
        let output = Lengths::Gaussian { mean_tokens: 6.0, sd_tokens: 3.0, min_tokens: 1, max_tokens: 12 };
        s.workload.clients = vec![client(poisson(1900.0), Lengths::Constant { tokens: 20 }, output)];
        s.run.max_requests = 20_000;
        run(&s)
    };
    let (by_memory, by_count) = (bound(1000, 10), bound(5, 1 << 20));
    assert_eq!(by_memory.records(), by_count.records());
    let busiest = by_memory.replicas()[0].totals();
    assert_eq!(
        (busiest.kv_peak, busiest.preemptions),
        (10, 0),
        "the cache was full, and nobody lost a block"
    );
    // Little's law of the blocks: two for as long as each request is in the batch.
    let residence: u64 = by_memory
        .records()
        .iter()
        .map(|r| r.finish().get().expect("it is known").0 - r.first_scheduled.get().expect("it is known").0)
        .sum();
    assert_eq!(busiest.kv_block_us, u128::from(2 * residence));
}

/// Shares of time with 0, 1, 2 and at least 3 in the system, and what each arrival finds.
fn seen(engine: &Cluster) -> ([f64; 4], Vec<usize>) {
    let mut changes: Vec<(u64, i64)> = Vec::new();
    for r in engine.records() {
        changes.extend([(r.finish().get().expect("it is known").0, -1), (r.arrival.0, 1)]);
    }
    changes.sort_unstable();
    let (mut inside, mut before, mut time, mut found) = (0_i64, changes[0].0, [0.0; 4], Vec::new());
    for (at, change) in &changes {
        time[inside.min(3) as usize] += (at - before) as f64;
        before = *at;
        if *change > 0 {
            found.push(inside.min(3) as usize);
        }
        inside += change;
    }
    let all: f64 = time.iter().sum();
    (time.map(|t| t / all), found)
}

#[test]
fn poisson_arrivals_see_time_averages_and_regular_ones_do_not() {
    let of = |arrivals: Arrivals| {
        seen(&run(&single_steps(
            cluster(1, 1, [SERVICE_US, 0.0, 0.0]),
            arrivals,
            Lengths::Constant { tokens: 16 },
            150_000,
        )))
    };
    let (time, found) = of(poisson(600.0));
    for (n, share) in time.iter().enumerate() {
        let hits: Vec<f64> = found.iter().map(|f| f64::from(u8::from(*f == n))).collect();
        accept(&format!("arrivals that find {n}"), &hits, *share);
    }
    // M/D/1: nobody is there for 1 - rho of the time, one for (1 - rho) (e^rho - 1).
    let one = 0.4 * (tokenyard::base::math::exp(0.6) - 1.0);
    assert!((time[0] - 0.4).abs() < 0.008 && (time[1] - one).abs() < 0.008, "{time:?}");
    let (time, found) = of(Arrivals::Constant { rate_per_s: 625.0 });
    assert!((time[1] - 0.625).abs() < 1e-3, "{time:?}");
    assert!(found.iter().all(|f| *f == 0), "a regular arrival finds nobody, however busy the server is");
}
