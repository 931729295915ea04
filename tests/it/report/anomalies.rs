//! Anomalies in whole runs: worked out by hand in small ones, and by their definition, the long way, in generated ones.

use crate::support;
use crate::support::documents::{explicit, fitted, piece, without_clients};
use crate::support::scenarios::started;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use tokenyard::base::{Micros, ReplicaId};
use tokenyard::engine::{Cluster, Fact, Halt, Record, ReplicaFact, RequestFact, Sink};
use tokenyard::scenario::{
    Arrivals, Change, ClassDeadlines, ClassScores, Client, Compat, ExplicitRequest, FittedCoefficients,
    KvBlocks, LatencyModel, Lengths, PriorityPolicy, RoutingPolicy, Scenario, Scheduler, SloClass,
    TenantScore, TenantScores, TimedEdit,
};
use tokenyard::session::Audience;
use tokenyard::session::report::{AnomalyPart, Report};
use tokenyard::workload::{Source, class_number};

const SCHEDULERS: [Scheduler; 4] =
    [Scheduler::Fcfs, Scheduler::PriorityFcfs, Scheduler::Sjf, Scheduler::ReversePriority];

/// Red comes before all others.
fn red_first() -> TenantScores {
    TenantScores { tenants: vec![TenantScore { tenant: "red".to_owned(), priority: 5 }], others: 0 }
}

fn priorities() -> [PriorityPolicy; 6] {
    [
        PriorityPolicy::Constant,
        PriorityPolicy::SloBased,
        PriorityPolicy::InvertedSlo,
        PriorityPolicy::SloClass(ClassScores::default()),
        PriorityPolicy::TenantPriority(red_first()),
        PriorityPolicy::DeadlineAware(ClassDeadlines::default()),
    ]
}

/// One replica that serves one request at a time, each step a millisecond.
fn one_at_a_time(scheduler: Scheduler, priority: PriorityPolicy) -> Scenario {
    let mut s = without_clients();
    let pool = &mut s.cluster.pools[0];
    pool.replicas = 1;
    pool.engine.max_num_seqs = 1.into();
    pool.engine.scheduler = scheduler;
    pool.engine.priority = priority;
    pool.kv.blocks = KvBlocks::Count(1000);
    pool.latency = fitted(1000.0, 0.0, 0.0);
    s
}

fn request(arrival_us: u64, prompt_tokens: u32, slo_class: &str, tenant: &str) -> ExplicitRequest {
    ExplicitRequest {
        tenant: tenant.to_owned(),
        slo_class: slo_class.to_owned(),
        ..explicit(arrival_us, vec![piece(arrival_us as u32, prompt_tokens)], &piece(1, 1))
    }
}

/// While the first is served, three join the queue: the longest first, the most urgent by class second.
fn three_wait(scheduler: Scheduler, priority: PriorityPolicy) -> Scenario {
    let mut s = one_at_a_time(scheduler, priority);
    s.workload.requests = vec![
        request(0, 40, "standard", "green"),
        request(100, 30, "batch", "blue"),
        request(200, 20, "critical", "red"),
        request(300, 10, "standard", "red"),
    ];
    s
}

fn report(s: &Scenario) -> Report {
    let mut session = started(s, Audience::Batch);
    session.advance(Micros::MAX, u64::MAX);
    session.report_data()
}

fn anomalies(s: &Scenario) -> AnomalyPart {
    report(s).anomalies.expect("detectors are on by default")
}

fn inversions(s: &Scenario) -> u32 {
    anomalies(s).count("priority-inversion")
}

#[test]
fn every_scheduler_under_every_priority_has_the_inversions_worked_out_by_hand() {
    // Rows: constant (so that classes say it), slo-based, inverted-slo, slo-class, tenant-priority, deadline-aware.
    // Requests 1, 2, 3 join in the order 1 2 3 under fcfs, 3 2 1 under sjf; critical before standard before batch, red
    // before blue. A request counts once, even if several overtake it.
    let by_hand = [
        (Scheduler::Fcfs, [2, 0, 2, 2, 2, 2]),
        (Scheduler::PriorityFcfs, [2, 0, 0, 0, 0, 0]),
        (Scheduler::Sjf, [1, 2, 0, 1, 0, 1]),
        (Scheduler::ReversePriority, [2, 2, 2, 2, 2, 2]),
    ];
    for (scheduler, expected) in by_hand {
        for (priority, expected) in priorities().into_iter().zip(expected) {
            let found = anomalies(&three_wait(scheduler, priority.clone()));
            assert_eq!(
                found.count("priority-inversion"),
                expected,
                "{scheduler:?} under {priority:?}: {found:?}"
            );
        }
    }
}

#[test]
fn an_inversion_names_both_sides_their_times_and_the_measure() {
    let found = anomalies(&three_wait(Scheduler::Sjf, PriorityPolicy::SloBased));
    let [first, second] = &found.first[..] else { panic!("{found:?}") };
    let proof = |k: usize| first.requests.iter().map(|p| (p.request, p.at_us)).nth(k);
    // Request 3, the shortest, joins when the first step ends, and request 2 a step later; request 1 waits since 100 µs.
    assert_eq!((proof(0), proof(1), proof(2)), (Some((1, 100)), Some((3, 1000)), Some((2, 2000))));
    assert_eq!((first.start_us, first.end_us), (1000, Some(3000)));
    assert_eq!((second.requests[0].request, second.start_us, second.end_us), (2, 1000, Some(2000)));
    assert!(
        first
            .text
            .contains("while 2 requests from #3 on, less urgent by age (slo-based priority), went first"),
        "{}",
        first.text
    );
    let words = ["constant", "slo-based", "inverted-slo", "slo-class", "tenant-priority", "deadline-aware"];
    for (priority, word) in priorities().into_iter().zip(words) {
        let found = anomalies(&three_wait(Scheduler::ReversePriority, priority));
        assert!(found.first.iter().all(|a| a.text.contains(word)), "{word}: {found:?}");
    }
}

#[test]
fn equal_priorities_and_one_class_leave_nothing_to_invert() {
    let mut s = three_wait(Scheduler::Sjf, PriorityPolicy::Constant);
    for request in &mut s.workload.requests {
        request.slo_class = "batch".to_owned();
    }
    assert_eq!(inversions(&s), 0);
}

#[test]
fn an_edit_of_the_priority_changes_which_requests_can_be_overtaken_from_then_on() {
    let edited = |at_us: u64| {
        let mut s = three_wait(Scheduler::Sjf, PriorityPolicy::Constant);
        for request in &mut s.workload.requests {
            request.slo_class = "batch".to_owned();
        }
        s.edits = vec![TimedEdit::new(at_us, Change::set("cluster.pools[0].engine.priority", "slo-based"))];
        inversions(&s)
    };
    // By age, as in the table above: the two that came first are overtaken by the shortest.
    assert_eq!(edited(50), 2);
    // The first request has waited since before the edit; of the two after it, the first is overtaken.
    assert_eq!(edited(150), 1);
    assert_eq!(edited(350), 0);
}

/// Facts as they come.
#[derive(Default)]
struct Story(Vec<(Micros, Fact)>);

impl Sink for Story {
    fn fact(&mut self, at: Micros, fact: Fact) {
        self.0.push((at, fact));
    }
}

fn run(s: &Scenario) -> (Cluster, Story) {
    let mut engine = support::cluster(s);
    let mut story = Story::default();
    assert_eq!(engine.advance(Micros::MAX, u64::MAX, &mut story), Halt::Finished);
    (engine, story)
}

/// How urgent a request is by the definition of each policy; larger is more urgent.
fn urgency(policy: &PriorityPolicy, tenants: &[String], r: &Record) -> i64 {
    let class = SloClass::ALL.into_iter().find(|c| class_number(*c) == r.class).unwrap_or_default();
    match policy {
        PriorityPolicy::Constant => -i64::from(class.rank()),
        PriorityPolicy::SloBased => -(r.arrival.0 as i64),
        PriorityPolicy::InvertedSlo => r.arrival.0 as i64,
        PriorityPolicy::SloClass(scores) => i64::from(scores.of(class.name())),
        PriorityPolicy::TenantPriority(_) => i64::from(tenants[r.tenant as usize] == "red") * 5,
        PriorityPolicy::DeadlineAware(d) => -(r.arrival.0 as i64 + i64::from(d.of(class.name())) * 1000),
        PriorityPolicy::Request => 0,
    }
}

/// Number of waiting requests that are overtaken for the first time since they wait.
fn overtaken(s: &Scenario, engine: &Cluster, story: &Story, tenants: &[String]) -> u32 {
    let policy = &s.cluster.pools[0].engine.priority;
    let urgency = |id: u32| urgency(policy, tenants, &engine.records().at(id as usize));
    let mut waiting: BTreeMap<(ReplicaId, u32), bool> = BTreeMap::new();
    let mut joined: Vec<u32> = Vec::new();
    let mut count = 0;
    for (_, fact) in &story.0 {
        match *fact {
            Fact::Request(
                RequestFact::Queued { request, replica, .. }
                | RequestFact::Preempted { request, replica, .. },
            ) => {
                waiting.insert((replica, request.0), false);
            }
            Fact::Request(RequestFact::Dropped { request, replica, .. }) => {
                waiting.remove(&(replica, request.0));
            }
            Fact::Request(RequestFact::Scheduled { request, replica, .. }) => {
                waiting.remove(&(replica, request.0));
                joined.push(request.0);
            }
            Fact::Replica(ReplicaFact::StepStarted { replica, .. }) => {
                for ((_, left), told) in waiting.iter_mut().filter(|((r, _), told)| *r == replica && !**told)
                {
                    *told = joined.iter().any(|&j| urgency(j) < urgency(*left));
                    count += u32::from(*told);
                }
                joined.clear();
            }
            _ => {}
        }
    }
    count
}

fn client(name: &str, slo_class: SloClass, rate_per_s: f64) -> Client {
    let lengths = |median_tokens, max_tokens| Lengths::Lognormal {
        median_tokens,
        sigma: 0.8,
        min_tokens: 1,
        max_tokens,
    };
    Client {
        name: name.to_owned(),
        slo_class,
        arrivals: Arrivals::Poisson { rate_per_s },
        prompt_tokens: lengths(60.0, 300),
        output_tokens: lengths(12.0, 100),
        ..Client::default()
    }
}

prop_compose! {
    fn a_busy_fleet()(
        seed in any::<u64>(),
        compat in select(vec![Compat::None, Compat::Blis]),
        scheduler in select(SCHEDULERS.to_vec()),
        priority in select(priorities().to_vec()),
        replicas in 1_u32..4,
        max_num_seqs in select(vec![1_u32, 3, 16]),
        max_num_batched_tokens in select(vec![40_u32, 300, 2048]),
        blocks in select(vec![30_u32, 90, 2000]),
        rates in (20.0..90.0_f64, 20.0..90.0_f64),
        classes in (select(SloClass::ALL.to_vec()), select(SloClass::ALL.to_vec())),
    ) -> Scenario {
        let mut s = one_at_a_time(scheduler, priority);
        s.seed = seed;
        s.run.horizon_s = 1.5;
        s.cluster.compat = compat;
        s.cluster.routing = RoutingPolicy::RoundRobin;
        let pool = &mut s.cluster.pools[0];
        pool.replicas = replicas;
        pool.engine.max_num_seqs = max_num_seqs.into();
        pool.engine.max_num_batched_tokens = max_num_batched_tokens.into();
        pool.kv.blocks = KvBlocks::Count(blocks);
        pool.latency = LatencyModel::Fitted(FittedCoefficients {
            queueing_us_per_prompt_token: 2.0,
            step_us: 3000.0,
            step_us_per_prefill_token: 10.0,
            ..FittedCoefficients::default()
        });
        s.workload.clients = vec![client("red", classes.0, rates.0), client("blue", classes.1, rates.1)];
        s
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn inversions_are_what_their_definition_says(s in a_busy_fleet()) {
        let (engine, story) = run(&s);
        let tenants = Source::new(&s, None).tenants().to_vec();
        prop_assert_eq!(inversions(&s), overtaken(&s, &engine, &story, &tenants));
    }

    #[test]
    fn a_queue_ordered_by_its_own_priorities_has_no_inversions(mut s in a_busy_fleet(), one_class in any::<bool>()) {
        let engine = &mut s.cluster.pools[0].engine;
        engine.scheduler = Scheduler::PriorityFcfs;
        if one_class {
            s.workload.clients[1].slo_class = s.workload.clients[0].slo_class;
        } else if engine.priority == PriorityPolicy::Constant {
            engine.priority = PriorityPolicy::SloClass(ClassScores::default());
        }
        prop_assert_eq!(inversions(&s), 0, "{:?}", anomalies(&s));
    }

    #[test]
    fn a_queue_in_reverse_order_has_inversions(mut s in a_busy_fleet()) {
        let pool = &mut s.cluster.pools[0];
        pool.replicas = 1;
        pool.engine.scheduler = Scheduler::ReversePriority;
        pool.engine.max_num_seqs = 1.into();
        s.workload.clients[0].slo_class = SloClass::Background;
        s.workload.clients[1].slo_class = SloClass::Critical;
        for client in &mut s.workload.clients {
            client.arrivals = Arrivals::Poisson { rate_per_s: 60.0 };
        }
        prop_assert!(inversions(&s) > 0);
    }
}
