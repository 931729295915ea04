//! Checks in figures what the notes of presets about llm-d's router and the gateway's queue say.

use super::presets::{Run, about, run};
use crate::support::rows::whole;

#[test]
fn prompts_that_stay_where_their_beginnings_are_wait_a_quarter_of_a_second() {
    let name = "sticky-until-saturated";
    let median = |found: &Run| found.ttft(50, "", 120.0, 150.0);
    let own = run(name, &[]);
    about(own.ttft(50, "", 50.0, 60.0), 7000.0, 12_000.0);
    about(median(&own), 200.0, 300.0);
    let cached = |from_s, to_s| {
        let rows = own.between("", from_s, to_s);
        let sum = |of: &str| rows.iter().filter_map(|row| whole(row, of)).sum::<u64>() as f64;
        sum("cached_tokens") / sum("prompt_tokens")
    };
    about(cached(30.0, 60.0), 0.25, 0.35);
    about(cached(120.0, 150.0), 0.78, 0.88);
    let with = |edit: &str| run(name, &[("edits", &format!(r#"[{{"at_us": 60000000, "set": {edit}}}]"#))]);
    let others = [
        ("llm-d-default", r#"{"cluster.routing.weighted.profile": "llm-d-default"}"#, 200.0, 300.0),
        ("round robin", r#"{"cluster.routing": "round-robin"}"#, 20_000.0, 40_000.0),
    ];
    for (_, edit, low, high) in others {
        about(median(&with(edit)), low, high);
    }
    let early = r#"{"cluster.routing": {"weighted": {"scorers": "token-load:1", "ties": "random",
        "token_count": "uncached", "token_until": "first-token", "prefix_block_tokens": 64,
        "filters": [{"prefix-affinity": {"max_ttft_penalty_ms": 300}}]}}}"#;
    about(median(&with(early)), 1800.0, 4000.0);
}

#[test]
fn critical_requests_wait_less_where_the_gateway_holds_what_the_replicas_have_no_room_for() {
    let name = "queue-at-the-gateway";
    let (own, without) = (run(name, &[]), run(name, &[("edits", "[]")]));
    // First come, first served: both wait as long.
    about(own.ttft(50, "chat", 20.0, 60.0), 1500.0, 2600.0);
    about(own.ttft(50, "digest", 20.0, 60.0), 1500.0, 2600.0);
    about(own.ttft(90, "chat", 75.0, 150.0), 600.0, 1000.0);
    about(own.ttft(50, "digest", 75.0, 150.0), 3400.0, 4900.0);
    about(without.ttft(50, "chat", 75.0, 150.0), 3300.0, 4700.0);
    about(without.ttft(50, "digest", 75.0, 150.0), 3300.0, 4700.0);
}

#[test]
fn the_longer_between_two_looks_the_more_requests_leave_the_gateway_at_once() {
    let name = "scrape-overshoot";
    let own = run(name, &[]);
    about(own.ttft(99, "chat", 20.0, 60.0), 700.0, 1300.0);
    about(own.ttft(99, "chat", 65.0, 150.0), 5000.0, 7500.0);
    // Of those that had to wait: how many go on in any half second, and in any twentieth of one.
    let crowd = |from_s: f64, to_s: f64, us: u64| {
        let rows = own.between("", from_s, to_s);
        let waited = |row: &&serde_json::Map<String, serde_json::Value>| {
            whole(row, "gateway_sent_us") > whole(row, "gateway_queued_us")
        };
        let mut sent: Vec<u64> =
            rows.iter().copied().filter(waited).filter_map(|row| whole(row, "gateway_sent_us")).collect();
        sent.sort_unstable();
        let within = |i: usize| sent[i..].iter().take_while(|at| **at < sent[i] + us).count();
        (0..sent.len()).map(within).max().unwrap_or_default()
    };
    let (before, after) = (crowd(20.0, 60.0, 50_000), crowd(65.0, 150.0, 500_000));
    // One each millisecond, and one more for each arrival meanwhile.
    assert!((40..=80).contains(&before), "{before} left in 50 ms");
    assert!((300..=600).contains(&after), "{after} left in half a second");
    // A detector that counts what the gateway sent needs no look.
    let concurrency = r#"{"ttl_s": 0, "detector": {"concurrency": {"max_requests": 69}}}"#;
    let counted = run(name, &[("cluster.flow_control", concurrency), ("edits", "[]")]);
    about(counted.ttft(99, "chat", 65.0, 150.0), 200.0, 1300.0);
}
