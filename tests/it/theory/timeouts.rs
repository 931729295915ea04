//! Clients that give up.

use super::common::{cluster, listed, run};
use tokenyard::base::Micros;
use tokenyard::engine::{Cluster, DropReason, RequestState};
use tokenyard::scenario::Scenario;

/// One engine that serves one request at a time, a token each second.
fn slow(requests: &[(u64, u32)], timeout_s: f64) -> Scenario {
    let mut s = cluster(1, 1, [1e6, 0.0, 0.0]);
    let request =
        |(number, (arrival_us, output)): (u32, &(u64, u32))| listed(number, *arrival_us, 5, *output);
    s.workload.requests = (0..).zip(requests).map(request).collect();
    s.workload.timeout_s = timeout_s;
    s
}

fn left(engine: &Cluster) -> Vec<Option<Micros>> {
    engine.records().iter().map(|r| r.left.get()).collect()
}

#[test]
fn at_the_client_timeout_a_queued_request_leaves_at_once_and_a_running_one_when_its_step_ends() {
    // The first gives up after 3.5 s and leaves at 4 s with four tokens. The second joins then and has its only token at 5 s, in the
    // step during which it would give up. The third waits behind it and gives up at 4.5 s.
    let requests = [(0, 10), (1_000_000, 1), (1_000_000, 3)];
    let engine = run(&slow(&requests, 3.5));
    assert_eq!(left(&engine), [4_000_000, 5_000_000, 4_500_000].map(|us| Some(Micros(us))));
    let drops: Vec<_> = engine.records().iter().map(|r| (r.drop, r.generated)).collect();
    let timed_out = Some(DropReason::TimedOut);
    assert_eq!(drops, [(timed_out, 4), (None, 1), (timed_out, 0)]);
    assert!(!engine.records().at(2).first_scheduled.is_known() && engine.records().at(0).ttft.is_known());
    let replica = &engine.replicas()[0];
    assert_eq!((replica.totals().dropped, replica.totals().timed_out, replica.kv().used()), (2, 2, 0));
    assert_eq!(engine.clock(), Micros(5_000_000));
}

#[test]
fn clients_that_give_up_later_than_any_answer_change_nothing_and_keep_no_run_going() {
    let requests: Vec<(u64, u32)> = (0..40).map(|i| (i * 700_000, 1 + i as u32 % 4)).collect();
    let (patient, ever) = (run(&slow(&requests, 1000.0)), run(&slow(&requests, 0.0)));
    assert_eq!((patient.records(), patient.clock()), (ever.records(), ever.clock()));
    assert_eq!(patient.events_done(), ever.events_done());
}

#[test]
fn under_twice_the_load_that_is_served_the_queue_stays_as_long_as_clients_wait() {
    let requests: Vec<(u64, u32)> = (0..400).map(|i| (i * 500_000, 1)).collect();
    let engine = run(&slow(&requests, 10.0));
    let served = engine.records().iter().filter(|r| r.state() == RequestState::Completed);
    let longest = served.clone().filter_map(|r| r.e2e.get()).max();
    assert!(longest.is_some_and(|e2e| (9_000_000..=11_000_000).contains(&e2e.0)), "{longest:?}");
    // One each second for the 200 s of arrivals and the 10 s after them.
    assert!((205..=211).contains(&served.count()), "{:?}", engine.replicas()[0].totals());
}
