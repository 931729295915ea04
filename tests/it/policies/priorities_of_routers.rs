//! Priorities that a router gives with its choice.

use super::common::run;
use super::real_routers::{request, two};
use tokenyard::scenario::{PriorityPolicy, RoutingPolicy, Scenario, Scheduler, Weighted, check};

/// One replica with a batch of one request. While the first runs, three come with 2, 6 and 4 blocks.
fn queueing(priority: &str, scheduler: Scheduler) -> Scenario {
    let weighted = Weighted { priority: priority.to_owned(), ..Weighted::default() };
    let mut list = vec![request(0, 1, 1, 40), request(1, 2, 2, 1), request(2, 3, 6, 1), request(3, 4, 4, 1)];
    for (entry, tenant) in list.iter_mut().zip(["a", "b", "a", "c"]) {
        tenant.clone_into(&mut entry.tenant);
    }
    let mut s = two(RoutingPolicy::Weighted(weighted), list);
    s.cluster.pools[0].replicas = 1;
    let engine = &mut s.cluster.pools[0].engine;
    engine.max_num_seqs = 1.into();
    engine.scheduler = scheduler;
    engine.priority = PriorityPolicy::InvertedSlo;
    s
}

/// The requests in the order in which they were done.
fn order(s: &Scenario) -> Vec<usize> {
    let (engine, _) = run(s);
    let mut done: Vec<_> = engine.records().iter().map(|r| r.left.get().expect("done")).zip(0..).collect();
    done.sort_unstable();
    done.into_iter().map(|(_, request)| request).collect()
}

#[test]
fn schedulers_by_priority_follow_the_routers_in_place_of_the_engines() {
    // The engine's own policy has the latest first.
    assert_eq!(order(&queueing("", Scheduler::PriorityFcfs)), [0, 3, 2, 1]);
    assert_eq!(order(&queueing("prompt_tokens", Scheduler::PriorityFcfs)), [0, 2, 3, 1]);
    assert_eq!(order(&queueing("-prompt_tokens", Scheduler::PriorityFcfs)), [0, 1, 3, 2]);
    assert_eq!(order(&queueing("prompt_tokens", Scheduler::ReversePriority)), [0, 1, 3, 2]);
    assert_eq!(order(&queueing("prompt_tokens", Scheduler::Fcfs)), [0, 1, 2, 3]);
    // Equal ones in order of arrival; all round to 0.
    assert_eq!(order(&queueing("0.001 * prompt_tokens", Scheduler::PriorityFcfs)), [0, 1, 2, 3]);
}

#[test]
fn tenants_with_less_in_flight_can_go_first() {
    // The third request is its tenant's second.
    assert_eq!(order(&queueing("-tenant_in_flight", Scheduler::PriorityFcfs)), [0, 1, 3, 2]);
    // The priority of the engine itself can be part of it: what came later is more urgent, by 1 million a second.
    assert_eq!(order(&queueing("priority - 1e6 * tenant_in_flight", Scheduler::PriorityFcfs)), [0, 3, 1, 2]);
}

#[test]
fn a_text_that_is_no_expression_is_refused() {
    let problems = check(queueing("prompt_tokns", Scheduler::Fcfs)).expect_err("no such name");
    assert_eq!(problems[0].path, "cluster.routing.weighted.priority");
    assert!(problems[0].fix.contains("prompt_tokens"), "{problems:?}");
}
