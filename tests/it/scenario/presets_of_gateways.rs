//! Checks in figures what the notes of presets about llm-d's router and the gateway's queue say.

use super::presets::{Run, about, run};
use super::presets_of_scaling::{OTHER_SEEDS, report, under_other_seeds};
use crate::support::rows::whole;

/// The share of prompt tokens that came from the cache.
fn cached(found: &Run, from_s: f64, to_s: f64) -> f64 {
    let rows = found.between("", from_s, to_s);
    let sum = |of: &str| rows.iter().filter_map(|row| whole(row, of)).sum::<u64>() as f64;
    sum("cached_tokens") / sum("prompt_tokens")
}

#[test]
fn prompts_that_stay_where_their_beginnings_are_wait_a_fifth_of_a_second() {
    let name = "sticky-until-saturated";
    let own = run(name, &[]);
    about(own.ttft(50, "", 50.0, 60.0), 9000.0, 11_000.0);
    about(own.ttft(50, "", 120.0, 150.0), 180.0, 230.0);
    about(cached(&own, 30.0, 60.0), 0.27, 0.33);
    // Tokens of the cache for each of the beginnings.
    let blocks = report(name, &[]).replicas[0].kv_total_blocks;
    about(f64::from(blocks) * 16.0 / (150.0 * 6000.0), 0.3, 0.4);
    let with = |seed: &str, edit: &str| {
        let edits = format!(r#"[{{"at_us": 60000000, "set": {edit}}}]"#);
        run(name, &[("seed", seed), ("edits", &edits)]).ttft(50, "", 120.0, 150.0)
    };
    let early = r#"{"cluster.routing": {"weighted": {"scorers": "token-load:1", "ties": "random",
        "token_count": "uncached", "token_until": "first-token", "prefix_block_tokens": 64,
        "filters": [{"prefix-affinity": {"max_ttft_penalty_ms": 300}}]}}}"#;
    about(with("10", early), 11_000.0, 13_000.0);
    for seed in ["10", OTHER_SEEDS[0], OTHER_SEEDS[1]] {
        let own = run(name, &[("seed", seed)]);
        about(own.ttft(50, "", 50.0, 60.0), 4000.0, 16_000.0);
        let median = own.ttft(50, "", 120.0, 150.0);
        about(median, 150.0, 300.0);
        about(cached(&own, 120.0, 150.0), 0.78, 0.88);
        let weighed = with(seed, r#"{"cluster.routing.weighted.profile": "llm-d-default"}"#);
        about(weighed / median, 0.85, 1.2);
        about(with(seed, r#"{"cluster.routing": "round-robin"}"#), 20_000.0, 50_000.0);
        assert!(with(seed, early) > 5.0 * median, "beginnings that move");
    }
}

#[test]
fn critical_requests_wait_less_where_the_gateway_holds_what_the_replicas_have_no_room_for() {
    let name = "queue-at-the-gateway";
    let (own, without) = (run(name, &[]), run(name, &[("edits", "[]")]));
    // First come, first served: both wait as long.
    about(own.ttft(50, "chat", 20.0, 60.0), 1700.0, 2400.0);
    about(own.ttft(50, "digest", 20.0, 60.0), 1700.0, 2400.0);
    about(own.ttft(50, "digest", 75.0, 150.0), 3700.0, 4500.0);
    about(without.ttft(50, "chat", 75.0, 150.0), 3500.0, 4300.0);
    about(without.ttft(50, "digest", 75.0, 150.0), 3500.0, 4300.0);
    for seed in ["5", OTHER_SEEDS[0], OTHER_SEEDS[1]] {
        let own = run(name, &[("seed", seed)]);
        let without = run(name, &[("seed", seed), ("edits", "[]")]);
        about(own.ttft(90, "chat", 75.0, 150.0), 400.0, 1000.0);
        let median = |client: &str| without.ttft(50, client, 75.0, 150.0);
        about(median("digest") / median("chat"), 0.85, 1.2);
        assert!(own.ttft(50, "digest", 75.0, 150.0) > 2.0 * own.ttft(50, "chat", 75.0, 150.0));
    }
}

/// The most requests that leave the queue of the gateway within a span.
fn crowd(found: &Run, from_s: f64, to_s: f64, us: u64) -> usize {
    let rows = found.between("", from_s, to_s);
    let waited = |row: &&serde_json::Map<String, serde_json::Value>| {
        whole(row, "gateway_sent_us") > whole(row, "gateway_queued_us")
    };
    let mut sent: Vec<u64> =
        rows.iter().copied().filter(waited).filter_map(|row| whole(row, "gateway_sent_us")).collect();
    sent.sort_unstable();
    let within = |i: usize| sent[i..].iter().take_while(|at| **at < sent[i] + us).count();
    (0..sent.len()).map(within).max().unwrap_or_default()
}

#[test]
fn the_longer_between_two_looks_the_more_requests_leave_the_gateway_at_once() {
    let name = "scrape-overshoot";
    let own = run(name, &[]);
    about(own.ttft(99, "chat", 20.0, 60.0), 700.0, 990.0);
    about(own.ttft(99, "chat", 65.0, 150.0), 5100.0, 6500.0);
    let others = under_other_seeds(name, &[]);
    for found in [&own, &others[0], &others[1]] {
        let (before, after) = (crowd(found, 20.0, 60.0, 50_000), crowd(found, 65.0, 150.0, 500_000));
        // One each millisecond, and one more for each arrival meanwhile.
        assert!((30..=95).contains(&before), "{before} left in 50 ms");
        assert!((300..=650).contains(&after), "{after} left in half a second");
        let late = |from_s: f64, to_s: f64| found.ttft(99, "chat", from_s, to_s);
        assert!(late(65.0, 150.0) > 3.0 * late(20.0, 60.0));
    }
    // A detector that counts what the gateway sent needs no look.
    let concurrency = r#"{"ttl_s": 0, "detector": {"concurrency": {"max_requests": 69}}}"#;
    let counts = [("cluster.flow_control", concurrency), ("edits", "[]")];
    let counted = under_other_seeds(name, &counts);
    for found in [&run(name, &counts), &counted[0], &counted[1]] {
        about(found.ttft(99, "chat", 65.0, 150.0), 200.0, 1000.0);
    }
}
