//! Random scenarios whose pools have roles: those of `scenarios.rs` with prefill and decode apart.
//!
//! What is drawn beside that: two to four pools with roles in any order, or mixed ones that get their roles from an edit; the
//! decider with all its bounds, both hand-overs, the first token from either side, a policy of its own for the prefill replica,
//! ports from 1 MB/s to 10 TB/s, shared or not, time to the first byte to 30 ms, overlap; autoscalers and every kind of drain;
//! clients that give up; up to five edits of roles, ratios, ports, hand-over, decider, caches, batches and routing. Two thirds have no
//! horizon: they end when nobody is left.

use super::scenarios::{a_pool, a_scenario, basic_routers, routers};
use super::{edit, flow};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use tokenyard::base::json as written;
use tokenyard::scenario::{
    Change, Compat, Decider, Disaggregation, FirstToken, Handoff, KvBytes, KvCache, Pool, Role,
    RoutingPolicy, Scaling, ScalingPolicy, Scenario, ThresholdDecider, TimedEdit, Transfer, from_value,
};

/// Roles of pools that go together.
fn roles(pools: usize) -> impl Strategy<Value = Vec<Role>> {
    use Role::{Decode, Mixed, Prefill};
    let rest = proptest::collection::vec(select(vec![Prefill, Decode, Mixed]), pools - 2);
    (rest, any::<u8>()).prop_map(|(rest, turn)| {
        let mut all = vec![Prefill, Decode];
        all.extend(rest);
        let by = usize::from(turn) % all.len();
        all.rotate_left(by);
        all
    })
}

fn deciders() -> impl Strategy<Value = Decider> {
    let threshold = (
        select(vec![0_u32, 1, 20, 60, 200]),
        select(vec![0.0_f64, 0.3, 0.8, 1.0]),
        select(vec![0_u32, 0, 1, 3]),
    );
    prop_oneof![
        3 => Just(Decider::Always),
        1 => Just(Decider::Never),
        3 => threshold.prop_map(|(uncached_tokens, uncached_share, prefill_in_flight)| {
            Decider::Threshold(ThresholdDecider { uncached_tokens, uncached_share, prefill_in_flight })
        }),
    ]
}

prop_compose! {
    /// Over the slowest of these ports a prompt travels for a second or two. Replicas that are full meanwhile go round in steps of
    /// microseconds, so slower ports make runs of millions of events.
    fn a_transfer()(
        port_gb_per_s in select(vec![0.02_f64, 0.1, 0.5, 50.0, 10_000.0]),
        base_us in select(vec![0_u64, 0, 1, 50, 2500, 30_000]),
        kv_bytes_per_token in select(vec![KvBytes::Auto, KvBytes::Count(1), KvBytes::Count(1000), KvBytes::Count(300_000)]),
        shared_ports in any::<bool>(),
    ) -> Transfer {
        Transfer { port_gb_per_s, base_us, kv_bytes_per_token, overlap_share: 0.0, shared_ports }
    }
}

prop_compose! {
    pub(crate) fn a_handover()(
        decider in deciders(),
        prefill_routing in proptest::option::of(select(routers())),
        (handoff, overlap_share) in select(vec![
            (Handoff::Pull, 0.0_f64), (Handoff::Pull, 0.0), (Handoff::Push, 0.0), (Handoff::Push, 0.6), (Handoff::Push, 0.999),
        ]),
        first_token in select(vec![FirstToken::Decode, FirstToken::Prefill]),
        transfer in a_transfer(),
    ) -> Disaggregation {
        let transfer = Transfer { overlap_share, ..transfer };
        Disaggregation { decider, prefill_routing, handoff, first_token, transfer }
    }
}

/// Autoscalers that act within seconds, and drains.
fn scalings() -> Vec<Value> {
    let policies = [
        json!("none"),
        json!({"queue-depth": {"up": 2, "down": 0.2, "cooldown_s": 0.1}}),
        json!({"hpa": {"metric": "requests", "target": 3, "behavior": {"rules": {"down": {"stabilization_s": 0.2}}}}}),
        json!({"kpa": {"concurrency": 3, "stable_s": 6, "panic_s": 1, "grace_s": 1}}),
    ];
    let mut all = vec![json!({}); 6];
    for policy in policies {
        for drain in ["wait", "immediate", "redirect"] {
            all.push(json!({"policy": policy, "drain": drain, "min": 1, "max": 5, "tick_s": 0.2, "scrape_s": 0.1, "window_s": 0.3}));
        }
    }
    all
}

fn set_roles(roles: &[Role]) -> Change {
    let path = |i: usize| format!("cluster.pools[{i}].role");
    let first = Change::set(&path(0), roles[0].name());
    (1..roles.len()).fold(first, |change, i| change.and_set(&path(i), roles[i].name()))
}

/// Edits that leave a sound scenario of that many pools, whatever came before.
pub(crate) fn a_split_edit(pools: usize) -> impl Strategy<Value = Change> {
    let pool = 0..pools as u32;
    prop_oneof![
        3 => roles(pools).prop_map(|roles| set_roles(&roles)),
        1 => Just(set_roles(&vec![Role::Mixed; pools])),
        2 => a_handover().prop_map(|d| Change::set("cluster.disaggregation", written::tree(&d))),
        2 => (0_u32..5, 0_u32..5).prop_map(|(a, b)| edit::replicas(0, a)
            .and_set("cluster.pools[1].replicas", b)),
        1 => (pool.clone(), 0_u32..8).prop_map(|(pool, replicas)| edit::replicas(pool, replicas)),
        1 => (pool.clone(), 1_u32..20).prop_map(|(pool, seqs)| edit::max_num_seqs(pool, seqs)),
        1 => (pool.clone(), 1_u32..300).prop_map(|(pool, tokens)| edit::max_num_batched_tokens(pool, tokens)),
        2 => (pool.clone(), select(vec![1_u32, 3, 6, 30, 400])).prop_map(|(pool, blocks)| edit::kv_blocks(pool, blocks)),
        1 => (pool, 50.0..3000.0_f64).prop_map(|(pool, us)| {
            Change::set(&format!("cluster.pools[{pool}].latency"), json!({"fitted": {"step_us": us}}))
        }),
        1 => select(routers()).prop_map(|policy| edit::routing(&policy)),
        1 => select(basic_routers()).prop_map(|policy| {
            Change::set("cluster.disaggregation.prefill_routing", written::tree(&policy))
        }),
        2 => select(vec![0.02_f64, 0.05, 50.0]).prop_map(|gb| Change::set("cluster.disaggregation.transfer.port_gb_per_s", gb)),
        1 => any::<bool>().prop_map(|on| Change::set("cluster.disaggregation.transfer.shared_ports", on)),
        1 => select(vec![0_u64, 40_000]).prop_map(edit::snapshot_refresh),
        1 => (0.0..90.0_f64).prop_map(edit_rate),
        1 => proptest::option::of(flow::a_flow(false)).prop_map(|f| Change::set("cluster.flow_control", written::tree(&f))),
    ]
}

fn edit_rate(rate_per_s: f64) -> Change {
    Change::set("workload.clients[0].arrivals", json!({"poisson": {"rate_per_s": rate_per_s}}))
}

/// Pools with roles; what must be the same in all of them is.
fn pools() -> impl Strategy<Value = (Vec<Pool>, bool)> {
    let block_tokens = select(vec![1_u32, 4, 4, 16]);
    (2_usize..5, any::<bool>(), block_tokens).prop_flat_map(|(n, late, block_tokens)| {
        let of = proptest::collection::vec((a_pool(), select(scalings())), n);
        (of, roles(n), Just(late && n % 2 == 0)).prop_map(move |(pools, roles, late)| {
            let made = |(k, ((pool, scaling), role)): (usize, ((Pool, Value), Role))| {
                let mut pool = Pool { name: format!("pool-{k}"), role, ..pool };
                let (blocks, prefix_caching) = (pool.kv.blocks, pool.kv.prefix_caching);
                pool.kv = KvCache { blocks, block_tokens, prefix_caching, ..KvCache::default() };
                pool.replicas = pool.replicas.min(4);
                pool.scaling = from_settings(&scaling);
                if late {
                    pool.role = Role::Mixed;
                }
                pool
            };
            (pools.into_iter().zip(roles).enumerate().map(made).collect(), late)
        })
    })
}

fn from_settings(scaling: &Value) -> Scaling {
    let document = json!({"cluster": {"pools": [{"scaling": scaling}]}});
    let read: Scenario = from_value(document).unwrap_or_else(|problems| panic!("{problems:?}"));
    read.cluster.pools[0].scaling.clone()
}

prop_compose! {
    pub(crate) fn a_split()(
        (pools, late) in pools(),
    )(
        scenario in a_scenario(),
        disaggregation in a_handover(),
        routing in select(routers()),
        edits in proptest::collection::vec((0.0..1.0_f64, a_split_edit(pools.len())), 0..6),
        become_roles in roles(pools.len()),
        (endless, most) in (0..3, 1_u64..70),
        timeout_s in select(vec![0.0_f64, 0.0, 0.0, 0.05, 0.4]),
        pools in Just(pools),
        late in Just(late),
    ) -> Scenario {
        split(scenario, pools, disaggregation, routing, (endless > 0).then_some(most), timeout_s, {
            let mut edits = edits;
            if late {
                edits.push((0.3, set_roles(&become_roles)));
            }
            edits
        })
    }
}

fn split(
    mut s: Scenario,
    mut pools: Vec<Pool>,
    disaggregation: Disaggregation,
    routing: RoutingPolicy,
    most: Option<u64>,
    timeout_s: f64,
    mut edits: Vec<(f64, Change)>,
) -> Scenario {
    let end = s.run.horizon_s.min(1.5);
    s.run.horizon_s = end;
    if let Some(most) = most {
        (s.run.horizon_s, s.run.warmup_s, s.run.max_requests) = (0.0, 0.0, most);
    } else {
        s.run.warmup_s = s.run.warmup_s.min(end / 2.0);
    }
    for pool in pools.iter_mut().filter(|_| most.is_some()) {
        // Only a run with an end can have an autoscaler that acts so often.
        pool.scaling.policy = ScalingPolicy::None;
    }
    (s.cluster.pools, s.cluster.routing, s.cluster.compat) = (pools, routing, Compat::None);
    s.cluster.disaggregation = Some(disaggregation);
    s.workload.timeout_s = timeout_s;
    edits.sort_by(|a, b| a.0.total_cmp(&b.0));
    s.edits =
        edits.into_iter().map(|(part, change)| TimedEdit::new((part * end * 1e6) as u64, change)).collect();
    s
}
