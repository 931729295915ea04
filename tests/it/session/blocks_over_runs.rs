//! The blocks of replicas over drawn runs: sums that hold, and an order of eviction that comes true.

use crate::support::start;
use tokenyard::base::Micros;
use tokenyard::base::rng::{Purpose, Stream};
use tokenyard::scenario::Scenario;
use tokenyard::session::closeup::{Blocks, BlocksQuery};
use tokenyard::session::{Session, Stop};

/// Small caches under traffic with shared prefixes and conversations.
fn drawn(seed: u64) -> Scenario {
    let mut dice = Stream::new(seed, Purpose::PromptLengths, 3);
    let mut pick = |of: &[u32]| of[dice.below(of.len() as u32) as usize];
    let routing =
        [r#""round-robin""#, r#"{"cache-aware": {}}"#, r#"{"weighted": {}}"#, r#"{"prefix-aware": {}}"#]
            [pick(&[0, 1, 2, 3]) as usize];
    let text = format!(
        r#"{{"run": {{"horizon_s": 4, "warmup_s": 0}}, "seed": {seed},
        "cluster": {{"routing": {routing}, "pools": [{{"name": "p", "replicas": {},
          "latency": {{"fitted": {{"step_us": 8000, "step_us_per_prefill_token": 9, "step_us_per_decode_token": 30,
            "step_us_per_context_token": 0}}}},
          "kv": {{"block_tokens": {}, "blocks": {}, "cpu_blocks": {}}}}}]}},
        "workload": {{"clients": [
          {{"name": "chat", "arrivals": {{"poisson": {{"rate_per_s": 20}}}},
            "prompt_tokens": {{"constant": {{"tokens": 30}}}}, "output_tokens": {{"constant": {{"tokens": 12}}}},
            "prefix": {{"groups": {}, "tokens": 40}}}},
          {{"name": "talk", "arrivals": {{"poisson": {{"rate_per_s": 5}}}},
            "prompt_tokens": {{"constant": {{"tokens": 20}}}}, "output_tokens": {{"constant": {{"tokens": 9}}}},
            "conversation": {{"rounds": {{"constant": {{"rounds": 4}}}}, "think_time": {{"constant": {{"think_s": 0.3}}}}}}}}
        ]}}}}"#,
        pick(&[1, 2]),
        pick(&[4, 16]),
        pick(&[40, 90, 300]),
        pick(&[0, 0, 50]),
        pick(&[1, 3, 9]),
    );
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn asked(session: &Session, replica: u32) -> Blocks {
    let query = BlocksQuery { replica, page: 0, strip: 7, nodes: 500 };
    session.blocks(&query).expect("there is such a replica")
}

fn sums_hold(b: &Blocks, case: &str) {
    assert!(b.conserved, "{case}");
    assert_eq!(b.own + b.shared + b.cached + b.free, b.total, "{case}");
    assert_eq!(b.grid.counts, [b.own + b.shared, b.cached, b.free], "{case}: one page has them all");
    assert!((b.percent.iter().sum::<f64>() - 100.0).abs() < 1e-9, "{case}");
    let letter = |l: char| b.grid.states.chars().filter(|x| *x == l).count() as u32;
    assert_eq!(
        [letter('u'), letter('s'), letter('c'), letter('.')],
        [b.own, b.shared, b.cached, b.free],
        "{case}"
    );
    // The order of the cached blocks is a permutation, and no block is younger than one behind it.
    let mut order: Vec<(i64, i64)> =
        b.grid.order.iter().zip(&b.grid.idle_ms).filter(|(o, _)| **o >= 0).map(|(o, i)| (*o, *i)).collect();
    order.sort_unstable();
    assert!(order.iter().enumerate().all(|(i, (o, _))| *o == i as i64), "{case}");
    assert!(order.windows(2).all(|pair| pair[0].1 >= pair[1].1 && pair[1].1 >= 0), "{case}: {order:?}");
    assert_eq!((order.len() as u32, b.next.is_some()), (b.cached, b.cached > 0), "{case}");
    for (i, node) in b.tree.iter().enumerate() {
        let parent = node.parent.map(|parent| &b.tree[parent as usize]);
        assert!(node.parent.is_none_or(|parent| (parent as usize) < i), "{case}");
        assert_eq!(
            node.from,
            parent.map_or(0, |parent| parent.from + parent.blocks),
            "{case}: it follows its parent"
        );
        assert!(parent.is_none_or(|parent| parent.group == node.group), "{case}");
        assert!(
            node.cached <= node.blocks && node.believed.is_none_or(|n| n <= node.blocks),
            "{case}: {node:?}"
        );
    }
    // Every block of a request is in a run.
    let free =
        b.grid.owner.iter().zip(&b.grid.node).filter(|(owner, node)| **owner >= 0 && **node < 0).count();
    assert_eq!(free, 0, "{case}");
    assert!(b.groups.len() <= 6 && b.more == 0, "{case}");
}

#[test]
fn the_sums_hold_at_any_instant_of_any_run() {
    let (mut shared, mut cached, mut only_cached) = (0, 0, 0);
    for seed in 0..24 {
        let mut s = start(&drawn(seed));
        for at in 1..8 {
            s.advance(Micros(at * 450_000), u64::MAX);
            for replica in 0..s.engine().replicas().len() as u32 {
                let b = asked(&s, replica);
                sums_hold(&b, &format!("case {seed}, r{replica} at {at}"));
                shared += b.shared;
                cached += b.cached;
                only_cached += b.tree.iter().filter(|node| node.refs == 0 && node.cached > 0).count();
            }
        }
    }
    assert!(shared > 100 && cached > 100 && only_cached > 20, "{shared} {cached} {only_cached}");
}

#[test]
fn the_blocks_that_are_to_go_next_are_the_ones_that_go() {
    let mut came_true = 0;
    for seed in 0..12 {
        let mut s = start(&drawn(seed));
        let mut before = asked(&s, 0);
        while s.advance(Micros::MAX, 1) != Stop::Finished && came_true < 40 * (seed + 1) {
            let after = asked(&s, 0);
            // Hits take blocks out of the middle of the order; releases add to its end.
            let is_evicted = after.evictions > before.evictions && after.hits == before.hits;
            if is_evicted {
                // A block can be released and evicted in one event.
                let stays =
                    |at: usize| after.grid.states[at..].starts_with('c') && after.grid.idle_ms[at] != 0;
                let gone = (after.evictions - before.evictions) as i64;
                let first = (before.grid.order.iter().enumerate())
                    .filter(|(_, order)| (0..gone).contains(*order))
                    .map(|(at, _)| at);
                for at in first.chain(before.next.map(|next| next as usize)) {
                    // `changeOf` in www/src/closeup/kvPicture.ts marks these as evicted, and others as hit.
                    assert!(!stays(at), "case {seed}: block {at} is early in the order, and stays");
                    came_true += 1;
                }
            }
            before = after;
        }
    }
    assert!(came_true > 100, "{came_true}");
}

#[test]
fn looking_at_blocks_changes_nothing_and_a_restored_run_shows_the_same() {
    let scenario = drawn(5);
    let mut straight = start(&scenario);
    straight.advance(Micros(1_500_000), u64::MAX);
    let seen = asked(&straight, 0);
    let snapshot = straight.snapshot();
    assert_eq!(asked(&straight, 0), seen);
    assert!(straight.snapshot() == snapshot);
    let mut restored = start(&Scenario::default());
    restored.restore(&snapshot).expect("its own snapshot");
    let again = asked(&restored, 0);
    assert_eq!((&again.grid, &again.tree, again.next), (&seen.grid, &seen.tree, seen.next));
}
