//! Random scenarios for laws that hold for all of them: all are valid, and many have difficult settings.
//!
//! What is drawn, each independently unless said otherwise:
//!
//! | of | is drawn from |
//! |---|---|
//! | pools | two thirds one, one third 2 to 4, every figure of which is drawn anew |
//! | replicas | 1 to 10 in a pool |
//! | cache | 3 to 12 blocks of 1, 4 or 16 tokens in half of the pools, else 8 to 2,000 blocks of 1 to 64; shared prompts on or off |
//! | CPU tier | in half of the pools: 4 to 3,000 blocks, in two thirds of them looked up with the prefix and otherwise that of BLIS, written through or back, links from free to 16 tokens in 1.6 ms |
//! | batch, budget, longest piece | 1 to 64 requests; 1 to 2,048 tokens; none, 1, 7 or 64 tokens; in half of the pools a queue of one or six |
//! | step time | 40 us to 6 ms, with or without a cost per token; queueing delay and output overhead on or off |
//! | scheduler, priority | all |
//! | flow control | in a third of them every detector, ceiling, fairness and ordering policy, with limits, waits and eviction on or off |
//! | routing, admission | all policies with their own settings; the gateway immediate or slow; signals fresh to 50 ms old |
//! | clients | one or two, 1 to 60 requests/s each; Poisson, gamma, Weibull, constant; prompts to 160 tokens, answers to 40 or 200, which is three of the smaller caches; shared prefixes; sessions; conversations |
//! | edits | up to three, at any instant: rate, lengths, routing, admission, flow control, replicas, batch, budget, scheduler, age of signals, caches down to one block, below prompts that wait, what replicas are made of, new pools and clients |
//! | end | a horizon of 0.2 to 2.5 s |

use crate::support::{edit, flow};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use tokenyard::scenario::{
    AdmissionPolicy, Arrivals, BatchLimits, Change, ClassDeadlines, ClassScores, Client, Cluster, Compat,
    ConcurrencyLimit, Conversation, ConversationClock, CostEscalation, CpuTier, FittedCoefficients,
    FlowControl, KvBlocks, KvCache, LatencyModel, Lengths, OverLimit, Pool, PowerOfD, PreemptionVictim,
    PrefixAware, PrefixGroups, PrefixOverlap, PriorityPolicy, Probabilistic, Profile, RateLimit, Resilience,
    Rounds, RoutingPolicy, Run, Scenario, Scheduler, SessionAffinity, SessionCap, SessionMode, Shed,
    ShedRule, SlidingWindow, SloClass, TenantLimit, TenantQuota, TenantScores, ThinkTime, TierWrite,
    TimedEdit, TokenBucket, Weighted, Workload, Write as _,
};
use tokenyard::session::{Audience, Session};

/// The routing policies whose settings no test varies, with these defaults.
pub(crate) fn basic_routers() -> Vec<RoutingPolicy> {
    let affinity =
        |mode| RoutingPolicy::SessionAffinity(SessionAffinity { mode, ..SessionAffinity::default() });
    vec![
        RoutingPolicy::RoundRobin,
        RoutingPolicy::Random,
        RoutingPolicy::LeastLoaded,
        RoutingPolicy::PowerOfD(PowerOfD::default()),
        RoutingPolicy::AlwaysBusiest,
        RoutingPolicy::LeastKv,
        RoutingPolicy::PrefixAware(PrefixAware::default()),
        RoutingPolicy::PrefixOverlap(PrefixOverlap::default()),
        affinity(SessionMode::Sticky),
        affinity(SessionMode::ConsistentHash),
    ]
}

/// Every routing policy.
pub(crate) fn routers() -> Vec<RoutingPolicy> {
    let weighted = |profile| Weighted { profile, ..Weighted::default() };
    let mut all = basic_routers();
    all.extend([
        RoutingPolicy::CostEscalation(CostEscalation::default()),
        RoutingPolicy::Weighted(weighted(Profile::BlisDefault)),
        RoutingPolicy::Weighted(weighted(Profile::LlmDDefault)),
    ]);
    all
}

/// Every admission policy, tight enough to refuse requests.
fn admissions() -> Vec<AdmissionPolicy> {
    let mut all = vec![AdmissionPolicy::RejectAll];
    for then in [OverLimit::Reject, OverLimit::Delay] {
        let bucket = TokenBucket {
            capacity_tokens: 400.0,
            refill_tokens_per_s: 900.0,
            then,
            ..TokenBucket::default()
        };
        all.push(AdmissionPolicy::TokenBucket(bucket));
        let rate = RateLimit { requests_per_s: 9.0, burst: 3, then, ..RateLimit::default() };
        all.push(AdmissionPolicy::RateLimit(rate));
        let tenants = vec![TenantLimit { tenant: "t1".to_owned(), max_in_flight: 1 }];
        all.push(AdmissionPolicy::TenantQuota(TenantQuota { max_in_flight: 2, tenants, then }));
        let window =
            SlidingWindow { window_s: 0.3, max_requests: 4, max_prompt_tokens: 400, per_tenant: false, then };
        all.push(AdmissionPolicy::SlidingWindow(window));
        all.push(AdmissionPolicy::ConcurrencyLimit(ConcurrencyLimit { max_in_flight: 4, then }));
        all.push(AdmissionPolicy::SessionCap(SessionCap { max_sessions: 2, idle_s: 0.2, then }));
    }
    for (detector, rule) in flow::detectors()
        .into_iter()
        .zip([ShedRule::Saturated, ShedRule::Probabilistic(Probabilistic::default())].into_iter().cycle())
    {
        all.push(AdmissionPolicy::Shed(Shed { detector, rule, ..Shed::default() }));
    }
    all.extend(vec![AdmissionPolicy::AlwaysAdmit; 16]);
    all
}

fn priorities() -> Vec<PriorityPolicy> {
    vec![
        PriorityPolicy::Constant,
        PriorityPolicy::SloBased,
        PriorityPolicy::InvertedSlo,
        PriorityPolicy::SloClass(ClassScores::default()),
        PriorityPolicy::TenantPriority(TenantScores::default()),
        PriorityPolicy::DeadlineAware(ClassDeadlines::default()),
    ]
}

/// Blocks and the tokens in one.
fn a_cache() -> impl Strategy<Value = (u32, u32)> {
    let corner = (3_u32..13, select(vec![1_u32, 1, 4, 16]));
    let usual = select(vec![(300, 1), (80, 4), (20, 16), (60, 16), (2000, 16), (8, 64)]);
    prop_oneof![corner, usual]
}

fn conversations() -> Vec<Option<Conversation>> {
    let of = |clock| Conversation {
        rounds: Rounds::Geometric { mean_rounds: 3.0, max_rounds: 9 },
        think_time: ThinkTime::Exponential { mean_s: 0.05 },
        clock,
        ..Conversation::default()
    };
    let mut all = vec![None; 6];
    all.extend([Some(of(ConversationClock::Open)), Some(of(ConversationClock::Closed))]);
    all
}

const SCHEDULERS: [Scheduler; 6] = [
    Scheduler::Fcfs,
    Scheduler::Fcfs,
    Scheduler::Fcfs,
    Scheduler::PriorityFcfs,
    Scheduler::Sjf,
    Scheduler::ReversePriority,
];

prop_compose! {
    fn a_length(most: u32)(kind in 0..3, low in 1..most / 2, sigma in 0.1..1.2_f64) -> Lengths {
        match kind {
            0 => Lengths::Constant { tokens: low },
            1 => Lengths::Gaussian {
                mean_tokens: f64::from(low),
                sd_tokens: f64::from(low) / 2.0,
                min_tokens: 1,
                max_tokens: most,
            },
            _ => Lengths::Lognormal { median_tokens: f64::from(low), sigma, min_tokens: 1, max_tokens: most },
        }
    }
}

prop_compose! {
    fn a_client(name: &'static str)(
        kind in 0..4,
        rate_per_s in 1.0..60.0_f64,
        cv in 0.3..3.0_f64,
        prompt_tokens in a_length(160),
        output_tokens in prop_oneof![a_length(40), a_length(200)],
        groups in select(vec![0_u32, 0, 1, 5]),
        prefix in 1_u32..80,
        slo_class in select(SloClass::ALL.to_vec()),
        (sessions, conversation) in (select(vec![0_u32, 0, 4]), select(conversations())),
    ) -> Client {
        let arrivals = match kind {
            0 => Arrivals::Poisson { rate_per_s },
            1 => Arrivals::Gamma { rate_per_s, cv },
            2 => Arrivals::Weibull { rate_per_s, cv },
            _ => Arrivals::Constant { rate_per_s },
        };
        let tokens = if groups == 0 { 0 } else { prefix };
        let prefix = PrefixGroups::new(groups, tokens);
        let name = name.to_owned();
        // A conversation is a session of its own.
        let sessions = if conversation.is_some() { 0 } else { sessions };
        Client {
            name, arrivals, prompt_tokens, output_tokens, prefix, slo_class, sessions, conversation, ..Client::default()
        }
    }
}

prop_compose! {
    /// A CPU tier, of either kind and with a link of any speed, or none.
    fn a_tier()(
        cpu_blocks in select(vec![0_u32, 0, 0, 4, 40, 3000]),
        cpu_tier in select(vec![CpuTier::Auto, CpuTier::Auto, CpuTier::Blis]),
        cpu_write in select(vec![TierWrite::WriteThrough, TierWrite::WriteBack]),
        transfer_tokens_per_us in select(vec![1e9_f64, 100.0, 0.01]),
        transfer_base_us in select(vec![0_u64, 0, 300, 30_000]),
    ) -> KvCache {
        KvCache {
            cpu_blocks,
            cpu_tier,
            cpu_write,
            transfer_tokens_per_us,
            transfer_base_us,
            ..KvCache::default()
        }
    }
}

prop_compose! {
    pub(crate) fn a_pool()(
        replicas in select(vec![1_u32, 1, 2, 3, 4, 6, 10]),
        max_num_seqs in select(vec![1_u32, 3, 8, 64]),
        max_num_batched_tokens in select(vec![1_u32, 4, 40, 300, 2048]),
        long_prefill_threshold_tokens in select(vec![0_u32, 0, 1, 7, 64]),
        (scheduler, priority) in (select(SCHEDULERS.to_vec()), select(priorities())),
        (blocks, block_tokens) in a_cache(),
        (tier, max_waiting, (reserve_full_prompt, watermark), (preemption, victim)) in (
            a_tier(),
            select(vec![0_u32, 0, 1, 6]),
            select(vec![(None, 0.0), (Some(true), 0.0), (Some(false), 0.05), (Some(true), 0.4)]),
            select(vec![
                (true, PreemptionVictim::Latest),
                (true, PreemptionVictim::LowestPriority),
                (true, PreemptionVictim::CheapestToRecompute),
                (false, PreemptionVictim::Latest),
            ]),
        ),
        prefix_caching in any::<bool>(),
        step_us in select(vec![40.0_f64, 900.0, 6000.0]),
        per_token in select(vec![0.0_f64, 7.3, 20.0]),
        output_us_per_token in select(vec![0.0_f64, 350.0]),
        queueing_us in select(vec![0.0_f64, 230.0]),
    ) -> Pool {
        Pool {
            replicas,
            engine: BatchLimits {
                max_num_seqs: max_num_seqs.into(),
                max_num_batched_tokens: max_num_batched_tokens.into(),
                long_prefill_threshold_tokens,
                max_waiting,
                reserve_full_prompt,
                watermark,
                preemption,
                victim,
                scheduler,
                priority,
                ..BatchLimits::default()
            },
            kv: KvCache { blocks: KvBlocks::Count(blocks), block_tokens, prefix_caching, ..tier },
            latency: LatencyModel::Fitted(FittedCoefficients {
                queueing_us,
                queueing_us_per_prompt_token: queueing_us / 100.0,
                output_us_per_token,
                step_us,
                step_us_per_prefill_token: per_token,
                step_us_per_decode_token: per_token / 3.0,
                step_us_per_context_token: per_token / 1000.0,
            }),
            ..Pool::default()
        }
    }
}

/// Edits; those of a pool are for the first one, which is always there.
pub(crate) fn an_edit() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0.0..90.0_f64).prop_map(|rate| Change::set(
            "workload.clients[0].arrivals",
            json!({"poisson": {"rate_per_s": rate}})
        )),
        select(routers()).prop_map(|policy| edit::routing(&policy)),
        select(admissions()).prop_map(|policy| edit::admission(&policy)),
        proptest::option::of(flow::a_flow(false)).prop_map(|f| Change::set("cluster.flow_control", f.write())),
        (0_u32..11).prop_map(|replicas| edit::replicas(0, replicas)),
        (1_u32..20).prop_map(|max_num_seqs| edit::max_num_seqs(0, max_num_seqs)),
        (1_u32..300).prop_map(|n| edit::max_num_batched_tokens(0, n)),
        (1_u32..400).prop_map(|blocks| edit::kv_blocks(0, blocks)),
        (1_u32..6).prop_map(|blocks| edit::kv_blocks(0, blocks)),
        select(vec![0_u64, 1, 40_000]).prop_map(edit::snapshot_refresh),
        what_replicas_are_made_of(),
        select(vec!["fcfs", "sjf", "reverse-priority"])
            .prop_map(|name| Change::set("cluster.pools[0].engine.scheduler", name)),
        (1_u32..40, 0_u32..3).prop_map(|(tokens, sessions)| {
            Change::set("workload.clients[0].prompt_tokens", json!({"constant": {"tokens": tokens}}))
                .and_set("workload.clients[0].conversation", Value::Null)
                .and_set("workload.clients[0].sessions", sessions)
        }),
        (1_u32..4, any::<u32>()).prop_map(|(replicas, number)| {
            let pool = json!({"name": format!("added-{number}"), "replicas": replicas, "kv": {"blocks": 30},
                "latency": {"fitted": {"step_us": 900.0}}});
            Change::add("cluster.pools", pool)
        }),
        (1.0..60.0_f64, any::<u32>()).prop_map(|(rate_per_s, number)| {
            let client = json!({"name": format!("added-{number}"), "arrivals": {"poisson": {"rate_per_s": rate_per_s}},
                "prompt_tokens": {"constant": {"tokens": 50}}, "output_tokens": {"constant": {"tokens": 9}}});
            Change::add("workload.clients", client)
        }),
    ]
}

/// Edits after which the replicas of the first pool are replaced.
fn what_replicas_are_made_of() -> impl Strategy<Value = Change> {
    let field = |field: &str, value: Value| Change::set(&format!("cluster.pools[0].{field}"), value);
    prop_oneof![
        select(vec![1_u32, 3, 16]).prop_map(move |tokens| field("kv.block_tokens", json!(tokens))),
        any::<bool>().prop_map(move |on| field("kv.prefix_caching", json!(on))),
        select(vec![0_u32, 20, 500]).prop_map(move |blocks| field("kv.cpu_blocks", json!(blocks))),
        (50.0..3000.0_f64).prop_map(move |us| field("latency", json!({"fitted": {"step_us": us}}))),
    ]
}

/// Modes, with how long clients wait in each.
fn timeouts() -> Vec<(Compat, f64)> {
    let patient = [Compat::None, Compat::None, Compat::None, Compat::Blis, Compat::Blis].map(|c| (c, 0.0));
    patient.into_iter().chain([0.02, 0.2].map(|timeout_s| (Compat::None, timeout_s))).collect()
}

/// BLIS admits by a rule of its own.
pub(crate) fn by_the_rules_of(compat: Compat, mut pools: Vec<Pool>) -> Vec<Pool> {
    for pool in pools.iter_mut().filter(|_| compat == Compat::Blis) {
        (pool.engine.reserve_full_prompt, pool.engine.watermark) = (None, 0.0);
        (pool.engine.preemption, pool.engine.victim) = (true, PreemptionVictim::Latest);
    }
    pools
}

/// One pool or several that have nothing in common but the cluster.
fn pools() -> impl Strategy<Value = Vec<Pool>> {
    prop_oneof![
        2 => proptest::collection::vec(a_pool(), 1..2),
        1 => proptest::collection::vec(a_pool(), 2..5),
    ]
    .prop_map(|mut pools| {
        for (k, pool) in pools.iter_mut().enumerate() {
            pool.name = format!("pool-{k}");
        }
        pools
    })
}

prop_compose! {
    pub(crate) fn a_scenario()(
        seed in any::<u64>(),
        horizon_s in 0.2..2.5_f64,
        warmup in select(vec![0.0_f64, 0.0, 0.2]),
        pools in pools(),
        (compat, timeout_s) in select(timeouts()),
        (routing, admission) in (select(routers()), select(admissions())),
        flow_control in prop_oneof![2 => Just(None), 1 => flow::a_flow(true).prop_map(Some)],
        snapshot_refresh_us in select(vec![0_u64, 0, 700, 50_000]),
        (admission_latency_us, routing_latency_us) in select(vec![(0_u64, 0_u64), (0, 0), (120, 45)]),
        first in a_client("first"),
        second in proptest::option::of(a_client("second")),
        mut edits in proptest::collection::vec((0.0..1.0_f64, an_edit()), 0..4),
    ) -> Scenario {
        edits.sort_by(|a, b| a.0.total_cmp(&b.0));
        let at = |part: f64| (part * horizon_s * 1e6) as u64;
        let timed = |(part, change)| TimedEdit::new(at(part), change);
        let stopping = |f: FlowControl| FlowControl { eviction: f.eviction && compat == Compat::None, ..f };
        Scenario {
            seed,
            run: Run { horizon_s, warmup_s: warmup * horizon_s, ..Run::default() },
            cluster: Cluster {
                faults: tokenyard::scenario::RandomFaults::default(),
                pools: by_the_rules_of(compat, pools),
                admission,
                flow_control: flow_control.map(stopping),
                routing,
                disaggregation: None,
                kv_stores: Vec::new(),
                kv_source: None,
                kv_hint: None,
                kv_event_delay_us: 0,
                resilience: Resilience::default(),
                snapshot_refresh_us,
                admission_latency_us,
                routing_latency_us,
                compat,
            },
            workload: Workload {
                clients: std::iter::once(first).chain(second).collect(),
                timeout_s,
                ..Workload::default()
            },
            edits: edits.into_iter().map(timed).collect(),
            ..Scenario::default()
        }
    }
}

/// A session at the beginning of a scenario, which is valid.
pub(crate) fn started(scenario: &Scenario, audience: Audience) -> Session {
    match Session::start(scenario.clone(), None, audience) {
        Ok((session, _)) => session,
        Err(problems) => panic!("a generated scenario is not valid: {problems:?}"),
    }
}

/// INV-1 to the request, and every other invariant, wherever the run stands.
pub(crate) fn sound(session: &Session) {
    session.engine().verify(true);
    let r = session.report_data().requests;
    let moving = r.transferring + r.landed;
    let places =
        r.in_pipeline + r.queued + r.running + moving + r.completed + r.rejected + r.dropped + r.lost;
    assert!(r.conserved && r.arrived == places, "{r:?}");
    let mut seen = [0_u32; 9];
    for record in session.engine().records() {
        seen[record.state() as usize] += 1;
    }
    let told = [r.in_pipeline, r.queued, r.running, r.completed, r.rejected, r.dropped];
    assert_eq!((&seen[..6], &seen[6..]), (&told[..], &[r.transferring, r.landed, r.lost][..]));
}
