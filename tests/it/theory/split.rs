//! Prefill and decode apart: deterministic servers in a row, ports as processor sharing, and what splitting must not change.

use super::common::{accept, client, cluster, constant_lengths, engine, listed, poisson, run, two_lengths};
use tokenyard::base::{Micros, RequestId};
use tokenyard::engine::{Cluster, Direction, Handover, Ignore};
use tokenyard::perf::{self, Plan, Resolved};
use tokenyard::queueing::theory::pollaczek_khinchine;
use tokenyard::scenario::{
    Decider, Disaggregation, FirstToken, FittedCoefficients, Handoff, KvBytes, LatencyModel, Pool, Role,
    RoutingPolicy, Scenario, Transfer, check,
};
use tokenyard::workload::Source;

/// What ports of 1 GB/s carry in a microsecond.
const BYTES_PER_US: u64 = 1000;
/// Tokens of a block, which is a prompt.
const PROMPT: u32 = 16;

/// Replicas of one role whose steps take so long.
fn pool(role: Role, replicas: u32, seqs: u32, steps: [f64; 3]) -> Pool {
    let of = cluster(replicas, seqs, steps);
    Pool { name: role.name().to_owned(), role, ..of.cluster.pools[0].clone() }
}

/// `prefill` and `decode` pools with ports of 1 GB/s; prompts of one block are `us` long in transfers, after `base_us`.
fn split(prefill: Pool, decode: Pool, us: u64, base_us: u64) -> Scenario {
    let mut s = cluster(1, 1, [1.0; 3]);
    s.cluster.pools = vec![decode, prefill];
    s.cluster.routing = RoutingPolicy::RoundRobin;
    s.cluster.disaggregation = Some(Disaggregation {
        transfer: Transfer {
            port_gb_per_s: 1.0,
            base_us,
            kv_bytes_per_token: KvBytes::Count((us * BYTES_PER_US) as u32 / PROMPT),
            ..Transfer::default()
        },
        ..Disaggregation::default()
    });
    s
}

fn settings(s: &mut Scenario) -> &mut Disaggregation {
    s.cluster.disaggregation.as_mut().expect("it is split")
}

/// The hand-overs of all requests, each of which is prefilled elsewhere.
fn handovers(engine: &Cluster) -> Vec<Handover> {
    let of = |i: usize| engine.handover(RequestId(i as u32)).expect("it is routed").clone();
    (0..engine.records().len()).map(of).collect()
}

fn at(instant: tokenyard::base::Maybe<Micros>) -> u64 {
    instant.get().expect("it is known").0
}

fn e2e(engine: &Cluster) -> Vec<u64> {
    engine.records().iter().map(|r| r.e2e.get().expect("it completed").0).collect()
}

fn ttft(engine: &Cluster) -> Vec<u64> {
    engine.records().iter().map(|r| r.ttft.get().expect("it completed").0).collect()
}

#[test]
fn a_slow_prefill_server_is_an_md1_queue_with_a_fixed_delay_behind_it() {
    // S_P = 2000, x = 100 + 400, S_D = 1000: prefills end at least 2000 us apart and never meet again.
    for rho in [0.5, 0.8] {
        let prefill = pool(Role::Prefill, 1, 1, [2000.0, 0.0, 0.0]);
        let decode = pool(Role::Decode, 1, 1, [1000.0, 0.0, 0.0]);
        let s = constant_lengths(split(prefill, decode, 400, 100), poisson(rho * 500.0), PROMPT, 1, 100_000);
        let engine = run(&s);
        let prefilled: Vec<u64> =
            handovers(&engine).iter().map(|h| h.ttft_prefill.get().expect("it is known").0).collect();
        let exact = 2000.0 * (1.0 + pollaczek_khinchine(rho, 0.0).expect("stable"));
        let times: Vec<f64> = prefilled.iter().map(|t| *t as f64).collect();
        accept(&format!("time in the prefill stage at {rho}"), &times, exact);
        for (e2e, prefilled) in e2e(&engine).iter().zip(&prefilled) {
            assert_eq!(e2e - prefilled, 1500, "the delay behind the slower server");
        }
    }
}

#[test]
fn servers_in_a_row_make_wait_as_the_slowest_alone_would() {
    // H. Friedman, 1965: in a row of deterministic servers the waits add up to that of the slowest one. The transfer takes 1 us.
    let rho = 0.7;
    let prefill = pool(Role::Prefill, 1, 1, [600.0, 0.0, 0.0]);
    let decode = pool(Role::Decode, 1, 1, [1000.0, 0.0, 0.0]);
    let s = constant_lengths(split(prefill, decode, 1, 0), poisson(rho * 1000.0), PROMPT, 1, 150_000);
    let times: Vec<f64> = e2e(&run(&s)).iter().map(|t| *t as f64).collect();
    let exact = 600.0 + 1000.0 * (1.0 + pollaczek_khinchine(rho, 0.0).expect("stable"));
    accept("time through both stages", &times, exact);
}

#[test]
fn a_port_is_processor_sharing_whatever_the_lengths() {
    // Prefills of a microsecond on many replicas: transfers come as the requests do, and only the port of the home is shared.
    let prefill = pool(Role::Prefill, 60, 4096, [1.0, 0.0, 0.0]);
    let decode = pool(Role::Decode, 1, 4096, [1.0, 0.0, 0.0]);
    let of = split(prefill, decode, 1000, 0);
    for rho in [0.5, 0.7] {
        let s = constant_lengths(of.clone(), poisson(rho * 1000.0), PROMPT, 1, 60_000);
        let times: Vec<f64> =
            handovers(&run(&s)).iter().map(|h| (at(h.landed) - at(h.start)) as f64).collect();
        accept(&format!("transfers of one length at {rho}"), &times, 1000.0 / (1.0 - rho));
    }
    // 400 and 3400 us, 1000 on average; the slowdown is the same for both.
    let mut s = split(pool(Role::Prefill, 60, 4096, [1.0, 0.0, 0.0]), of.cluster.pools[0].clone(), 200, 0);
    let lengths = two_lengths(2 * PROMPT, 0.8, 17 * PROMPT);
    s.workload.clients = vec![client(poisson(600.0), lengths, super::common::two_lengths(1, 1.0, 1))];
    s.run.max_requests = 120_000;
    let engine = run(&s);
    let slowdown = |h: &Handover| (at(h.landed) - at(h.start)) as f64 / (h.bytes / BYTES_PER_US) as f64;
    let all = handovers(&engine);
    for blocks in [2, 17] {
        let of: Vec<f64> = all.iter().filter(|h| h.blocks == blocks).map(slowdown).collect();
        accept(&format!("slowdown of transfers of {blocks} blocks"), &of, 1.0 / (1.0 - 0.6));
    }
}

#[test]
fn a_saturated_port_carries_what_it_can() {
    // All at once: the last of K transfers lands when the port has carried the bytes of all, but for a microsecond each.
    let k = 400;
    let s = split(
        pool(Role::Prefill, 1, 400, [10.0, 0.0, 0.0]),
        pool(Role::Decode, 1, 400, [10.0, 0.0, 0.0]),
        10_000,
        50,
    );
    let at_once = |mut s: Scenario, requests: u32| {
        s.workload.requests = (0..requests).map(|i| listed(i, 0, PROMPT, 1)).collect();
        s
    };
    let all = handovers(&run(&at_once(s.clone(), k)));
    let span = |all: &[Handover]| {
        let (first, last) = (all.iter().map(|h| at(h.flows)).min(), all.iter().map(|h| at(h.landed)).max());
        last.expect("some") - first.expect("some")
    };
    let bytes = u64::from(k) * 10_000;
    assert!(span(&all).abs_diff(bytes) <= u64::from(k), "{} us for {bytes}", span(&all));
    // Prefill replicas with room for four prompts each: they stand still with full caches, and the port never does.
    let mut narrow = at_once(s, 200);
    narrow.cluster.pools[1].replicas = 2;
    narrow.cluster.pools[1].kv.blocks = tokenyard::scenario::KvBlocks::Count(4);
    let mut half = engine(&narrow);
    half.advance(Micros(1_000_000), u64::MAX, &mut Ignore);
    for replica in &half.replicas()[1..] {
        assert_eq!((replica.held_blocks(), replica.running(), replica.kv().used()), (4, 0, 4));
        assert!(replica.waiting() > 40, "{} wait", replica.waiting());
    }
    half.advance(Micros::MAX, u64::MAX, &mut Ignore);
    let took = span(&handovers(&half));
    assert!((2_000_000..2_020_000).contains(&took), "{took} us for 2,000,000");
    let network = half.network().expect("it is split");
    let busy = network.port(half.replicas()[0].id(), Direction::In).busy(half.clock()).0;
    assert!(busy >= 2_000_000, "{busy}");
}

#[test]
fn transfers_with_ports_to_themselves_take_their_bytes_alone() {
    let mut s = split(
        pool(Role::Prefill, 3, 64, [900.0, 3.0, 0.0]),
        pool(Role::Decode, 2, 64, [500.0, 0.0, 7.0]),
        777,
        123,
    );
    settings(&mut s).transfer.shared_ports = false;
    s.workload.clients = vec![client(poisson(900.0), two_lengths(5, 0.5, 200), two_lengths(3, 0.5, 9))];
    s.run.max_requests = 5000;
    let all = handovers(&run(&s));
    for h in &all {
        assert_eq!(at(h.flows) - at(h.start), 123);
        assert_eq!(at(h.landed) - at(h.flows), h.bytes.div_ceil(BYTES_PER_US));
    }
    let together = all.iter().zip(&all[1..]).filter(|(a, b)| at(a.landed) > at(b.flows)).count();
    assert!(together > 1000, "only {together} transfers meet others");
}

#[test]
fn a_decider_that_never_splits_leaves_the_decode_pool_alone() {
    let decode = pool(Role::Decode, 3, 8, [900.0, 3.0, 7.0]);
    let mut s = split(pool(Role::Prefill, 2, 8, [900.0, 3.0, 7.0]), decode, 300, 50);
    settings(&mut s).decider = Decider::Never;
    s.cluster.routing = RoutingPolicy::LeastLoaded;
    s.workload.clients = vec![client(poisson(700.0), two_lengths(5, 0.5, 200), two_lengths(3, 0.5, 30))];
    s.run.max_requests = 5000;
    let mut alone = s.clone();
    alone.cluster.pools.truncate(1);
    alone.cluster.pools[0].role = Role::Mixed;
    alone.cluster.disaggregation = None;
    let (s, alone) = (run(&s), run(&alone));
    let times = |engine: &Cluster| -> Vec<_> {
        engine.records().iter().map(|r| (r.replica(), r.ttft.get(), r.e2e.get(), r.preemptions)).collect()
    };
    assert_eq!(times(&s), times(&alone));
    assert!(s.replicas()[3..].iter().all(|r| r.totals().steps == 0), "prefill replicas that were asked");
}

/// Requests far apart, of every length.
fn far_apart(mut s: Scenario) -> Scenario {
    s.workload.requests =
        (0..60).map(|i| listed(i, u64::from(i) * 1_000_000, 1 + i * 7 % 90, 1 + i % 5)).collect();
    s
}

#[test]
fn without_load_pull_and_push_are_the_same_and_add_up() {
    for (first_token, decodes) in [(FirstToken::Decode, 0), (FirstToken::Prefill, 1)] {
        let mut s = far_apart(split(
            pool(Role::Prefill, 1, 8, [900.0, 3.0, 0.0]),
            pool(Role::Decode, 1, 8, [500.0, 0.0, 7.0]),
            320,
            50,
        ));
        settings(&mut s).first_token = first_token;
        let pull = run(&s);
        settings(&mut s).handoff = Handoff::Push;
        let push = run(&s);
        assert_eq!((ttft(&pull), e2e(&pull)), (ttft(&push), e2e(&push)), "{first_token:?}");
        for (i, r) in pull.records().iter().enumerate() {
            let h = pull.handover(RequestId(i as u32)).expect("it is routed");
            let prefill = 900 + 3 * u64::from(r.prompt_tokens);
            let transfer = 50 + 320 * u64::from(r.prompt_tokens.div_ceil(PROMPT));
            let (steps, one) = (u64::from(r.output_tokens), decodes == 1 && r.output_tokens == 1);
            let want = if one { prefill } else { prefill + transfer + (steps - decodes) * 507 };
            assert_eq!(r.e2e.get().expect("it completed").0, want, "{first_token:?}, request {i}");
            let first = if decodes == 1 { prefill } else { prefill + transfer + 507 };
            assert_eq!(r.ttft.get().expect("it completed").0, first, "{first_token:?}, request {i}");
            assert_eq!(h.transfer.is_none(), one);
        }
    }
}

/// The plan of a scenario whose tokens have no bytes: its transfers are free.
fn free(s: &Scenario) -> Cluster {
    let (checked, _) = check(s.clone()).unwrap_or_else(|problems| panic!("{problems:?}"));
    let compat = s.cluster.compat;
    let resolved = s.cluster.pools.iter().map(|pool| {
        let of = perf::resolve(pool, compat, "pool").unwrap_or_else(|problems| panic!("{problems:?}"));
        Resolved { kv_bytes_per_token: Some(0), ..of }
    });
    let plan = Plan::of(checked, resolved.collect());
    let mut engine = Cluster::new(&plan, Source::new(s, None));
    engine.advance(Micros::MAX, u64::MAX, &mut Ignore);
    engine.verify(true);
    engine
}

#[test]
fn splitting_changes_nothing_where_transfers_are_free_and_every_request_has_replicas_to_itself() {
    let steps = |decode: f64| [900.0, 3.0, decode];
    let mut s = split(pool(Role::Prefill, 60, 8, steps(7.0)), pool(Role::Decode, 60, 8, steps(7.0)), 1, 0);
    settings(&mut s).transfer.kv_bytes_per_token = KvBytes::Auto;
    settings(&mut s).first_token = FirstToken::Prefill;
    // Many at the same time, each on replicas of its own.
    s.workload.requests =
        (0..600).map(|i| listed(i, u64::from(i) * 1009, 1 + i * 7 % 300, 1 + i % 40)).collect();
    let mut together = s.clone();
    together.cluster.pools.truncate(1);
    together.cluster.pools[0].role = Role::Mixed;
    together.cluster.disaggregation = None;
    let (apart, together) = (free(&s), run(&together));
    let alone = |r: &tokenyard::engine::Record| r.first_scheduled.get().expect("it ran") == r.arrival;
    assert!(together.records().iter().all(|r| alone(&r)), "somebody waited");
    assert_eq!((ttft(&apart), e2e(&apart)), (ttft(&together), e2e(&together)));
    // With the first token from the home the last prompt token is computed again: one step more.
    settings(&mut s).first_token = FirstToken::Decode;
    let again = free(&s);
    let later: Vec<u64> = e2e(&together).iter().map(|t| t + 907).collect();
    assert_eq!(e2e(&again), later);
}

#[test]
fn a_prompt_among_decodes_makes_no_gap_in_a_split_cluster() {
    // Steps of 6000 + 17 P + 6 D: five chats and a document of 2000 tokens. Together one gap is 6000 + 34,000 + 5 * 6; apart the
    // longest one is a step of all decodes.
    let steps = [6000.0, 17.0, 6.0];
    let mut s = split(pool(Role::Prefill, 1, 64, steps), pool(Role::Decode, 1, 64, steps), 16, 50);
    let LatencyModel::Fitted(FittedCoefficients { .. }) = &s.cluster.pools[0].latency else {
        panic!("fitted")
    };
    s.workload.requests = (0..5).map(|i| listed(i, 0, PROMPT, 100)).collect();
    s.workload.requests.push(listed(5, 200_000, 2000, 20));
    let longest = |s: &Scenario| {
        let mut engine = engine(s);
        engine.record_detail(tokenyard::engine::Detail::new(0));
        engine.advance(Micros::MAX, u64::MAX, &mut Ignore);
        let all = &engine.detail().expect("it is recorded").itl;
        all[..5].iter().flatten().map(|gap| gap.0).max().expect("gaps")
    };
    assert_eq!(longest(&s), 6000 + 6 * 6);
    s.cluster.pools.truncate(1);
    s.cluster.pools[0].role = Role::Mixed;
    s.cluster.disaggregation = None;
    assert_eq!(longest(&s), 6000 + 17 * 2000 + 5 * 6);
}
