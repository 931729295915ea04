//! Checks what the notes of the built-in scenarios about large models with experts say, with their own seeds and with others.

use super::presets::{about, figure, report, run, seeded};
use serde_json::Value;

const TPOT: &str = "/latency_ms/tpot/mean";
const P99: &str = "/latency_ms/ttft/p99";

/// Tokens that the caches of all replicas hold.
fn room(report: &Value) -> f64 {
    let replicas = report["replicas"].as_array().expect("a list");
    replicas.iter().map(|r| r["kv_total_blocks"].as_f64().expect("a number") * 16.0).sum()
}

#[test]
fn one_replica_of_eight_gpus_is_faster_and_eight_ranks_have_room() {
    let name = "one-latent-eight-gpus";
    let ranks = ("edits[0].off", "false");
    let divided = ("cluster.pools[0].dcp", r#"{"size": 8}"#);
    let few = ("workload.clients[0].arrivals.poisson.rate_per_s", "0.5");
    for seed in ["1", "2", "3"] {
        let with = |sets: &[(&str, &str)]| report(name, &[&[("seed", seed)][..], sets].concat());
        let [one, eight, apart] = [with(&[]), with(&[ranks]), with(&[divided])];
        about(room(&one), 690e3, 710e3);
        about(room(&eight) - room(&one), 3.6e6, 3.8e6);
        about(room(&apart), 5.5e6, 5.7e6);
        about(figure(&one, P99), 35_000.0, 50_000.0);
        about(figure(&one, "/requests/preemptions"), 300.0, 500.0);
        about(figure(&one, TPOT), 51.0, 55.0);
        about(figure(&eight, P99), 1000.0, 2000.0);
        about(figure(&eight, TPOT), 81.0, 95.0);
        about(figure(&apart, "/latency_ms/ttft/p50"), 170.0, 200.0);
        about(figure(&apart, TPOT), 52.0, 58.0);
        let [one, eight] = [with(&[few]), with(&[few, ranks])];
        about(figure(&one, "/latency_ms/ttft/p50"), 95.0, 110.0);
        about(figure(&eight, "/latency_ms/ttft/p50"), 200.0, 250.0);
        about(figure(&one, TPOT), 15.0, 19.0);
        about(figure(&eight, TPOT) / figure(&one, TPOT), 1.2, 1.4);
    }
    let found = run(name, &[]);
    about(found.ttft(99, "", 20.0, 80.0), 150.0, 1000.0);
    about(found.ttft(99, "", 110.0, 200.0), 30_000.0, 60_000.0);
}

#[test]
fn a_divided_cache_keeps_the_contexts_of_all_agents() {
    let name = "divided-cache";
    let divided = ("cluster.pools[0].dcp.size", "8");
    for seed in ["1", "2"] {
        let whole = report(name, &[("seed", seed)]);
        let apart = report(name, &[("seed", seed), divided]);
        about(room(&whole), 2.7e6, 2.8e6);
        about(room(&apart), 22e6, 22.2e6);
        about(figure(&whole, TPOT), 100.0, 150.0);
        about(figure(&apart, TPOT), 38.0, 43.0);
        about(figure(&apart, "/kv/reused_prompt_share"), 0.88, 0.93);
        let output = "/throughput/output_tokens_per_s";
        about(figure(&apart, output) / figure(&whole, output), 2.2, 3.5);
        let found = |sets: &[(&str, &str)], from_s: f64, to_s: f64| {
            let run = seeded(name, seed.parse().expect("a number"), sets);
            let of = |name: &str| -> f64 {
                run.between("", from_s, to_s).iter().filter_map(|row| row[name].as_f64()).sum()
            };
            of("cached_tokens") / of("prompt_tokens")
        };
        about(found(&[], 90.0, 110.0), 0.8, 0.95);
        about(found(&[], 180.0, 260.0), 0.15, 0.4);
        about(found(&[divided], 180.0, 260.0), 0.85, 0.95);
    }
}

#[test]
fn drafts_gain_less_where_many_requests_are_in_flight() {
    let name = "drafts-by-load";
    for seed in ["1", "2", "3"] {
        let median = |sets: &[(&str, &str)], from_s: f64, to_s: f64| {
            let run = seeded(name, seed.parse().expect("a number"), sets);
            let gap = |row: &&serde_json::Map<String, Value>| {
                let [e2e, ttft, tokens] =
                    ["e2e_us", "ttft_us", "output_tokens"].map(|column| row[column].as_f64());
                Some((e2e? - ttft?) / (tokens? - 1.0) / 1000.0)
            };
            let mut gaps: Vec<f64> = run.between("", from_s, to_s).iter().filter_map(gap).collect();
            gaps.sort_by(f64::total_cmp);
            gaps[gaps.len() / 2]
        };
        let none = [("cluster.pools[0].engine.speculative", "null")];
        let [few, many] = [[10.0, 45.0], [80.0, 140.0]];
        about(median(&[], few[0], few[1]), 8.0, 8.8);
        about(median(&none, few[0], few[1]), 14.6, 15.8);
        about(median(&[], many[0], many[1]), 33.0, 36.5);
        about(median(&none, many[0], many[1]), 49.5, 53.0);
        let gain = |[from, to]: [f64; 2]| median(&none, from, to) / median(&[], from, to);
        about(gain(few), 1.7, 1.9);
        about(gain(many), 1.42, 1.55);
    }
    let mut report = report(name, &[]);
    let drafts = report["pools"][0]["speculative"].take();
    // Two of three are accepted.
    about(figure(&drafts, "/accepted_tokens") / figure(&drafts, "/draft_tokens"), 0.62, 0.69);
}

#[test]
fn bound_sessions_find_their_contexts_on_gpus_of_their_own() {
    let name = "gpt-oss-agents";
    let at = |seed: u64, sets: &[(&str, &str)], from_s: f64, to_s: f64| {
        let run = seeded(name, seed, sets);
        let sum = |of: &str| -> f64 {
            run.between("", from_s, to_s).iter().filter_map(|row| row[of].as_f64()).sum()
        };
        let done = |row: &&&serde_json::Map<String, Value>| {
            row["end_us"].as_f64().is_some_and(|us| (from_s..to_s).contains(&(us / 1e6)))
        };
        let all = run.between("", 0.0, to_s);
        let written: f64 = all.iter().filter(done).filter_map(|row| row["output_tokens"].as_f64()).sum();
        let found = sum("cached_tokens") / sum("prompt_tokens");
        let (ttft, tpot) = (run.ttft(50, "", from_s, to_s), run.ms("tpot_us", 50, "", from_s, to_s));
        [found, ttft, tpot, written / (to_s - from_s) / 8.0]
    };
    let own = &[][..];
    for seed in [1, 2, 3] {
        let [found, ttft, tpot, written] = at(seed, own, 60.0, 170.0);
        about(found, 0.65, 0.72);
        about(ttft, 1800.0, 2300.0);
        about(tpot, 30.0, 35.0);
        about(written, 380.0, 420.0);
        let [found, ttft, tpot, written] = at(seed, own, 240.0, 350.0);
        about(found, 0.92, 0.95);
        about(ttft, 820.0, 980.0);
        about(tpot, 15.5, 17.2);
        about(written, 740.0, 800.0);
    }
    let [_, _, tpot, written] = at(1, &[("cluster.pools[0].engine.speculative", "null")], 240.0, 350.0);
    about(tpot, 21.5, 24.0);
    about(written, 580.0, 630.0);
    let many = [("workload.clients[0].arrivals.concurrency.requests", "256")];
    about(at(1, &many, 240.0, 350.0)[3], 850.0, 920.0);
    // The tier holds what the caches of GPUs hold too, but for a few contexts.
    let report = report(name, &[]);
    about(figure(&report, "/kv/cpu/hits") / figure(&report, "/kv/hits"), 0.0, 0.001);
    let drafts = &report["pools"][0]["speculative"];
    // (0.746 + 0.746² + 0.746³) / 3 of three drafts.
    about(figure(drafts, "/accepted_tokens") / figure(drafts, "/draft_tokens"), 0.56, 0.59);
}
