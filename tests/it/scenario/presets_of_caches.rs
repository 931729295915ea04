//! Checks what the notes of the built-in scenarios about KV caches say, in measured figures, with their own seeds and with others.

use super::presets::{about, figure, report, run};

#[test]
fn kv_pressure_preempts_and_with_twice_as_many_blocks_does_not() {
    for seed in 1..13 {
        let seed = ("seed", &*seed.to_string());
        let small = report("kv-pressure", &[seed]);
        let larger = report("kv-pressure", &[seed, ("cluster.pools[0].kv.blocks", "2400")]);
        about(figure(&small, "/requests/preemption_rate"), 0.1, 2.0);
        about(figure(&larger, "/requests/preemptions"), 0.0, 0.0);
        // A preempted answer stands still until its blocks have been computed again.
        about(figure(&small, "/latency_ms/itl/max"), 900.0, 10_000.0);
        about(figure(&larger, "/latency_ms/itl/max"), 1.0, 100.0);
        about(figure(&small, "/latency_ms/ttft/p99"), 500.0, 10_000.0);
        about(figure(&larger, "/latency_ms/ttft/p99"), 30.0, 50.0);
    }
    let found = run("kv-pressure", &[]);
    about(found.ttft(99, "", 15.0, 180.0), 5000.0, 5600.0);
    about(found.ttft(50, "", 56.0, 64.0), 1000.0, 7000.0);
    let preempted =
        found.between("", 56.0, 64.0).iter().filter(|row| row["preemptions"].as_u64() > Some(0)).count();
    assert!(preempted > 20, "{preempted}");
}

#[test]
fn long_chats_find_half_of_their_blocks_under_round_robin_and_nine_tenths_where_they_were() {
    for seed in 5..11 {
        let seed = ("seed", &*seed.to_string());
        let with = |routing| report("long-chats", &[seed, ("cluster.routing", routing)]);
        let [scattered, overlap, affinity] =
            ["round-robin", "{\"prefix-overlap\":{}}", "session-affinity"].map(with);
        about(figure(&scattered, "/kv/hit_rate"), 0.42, 0.47);
        about(figure(&scattered, "/latency_ms/ttft/p99"), 1500.0, 11_000.0);
        // Session affinity looks into no cache and does as well.
        for together in [&overlap, &affinity] {
            about(figure(together, "/kv/hit_rate"), 0.88, 0.93);
            about(figure(together, "/latency_ms/ttft/p99"), 140.0, 350.0);
        }
    }
    let found =
        |routing| figure(&report("long-chats", &[("cluster.routing", routing)]), "/latency_ms/ttft/p99");
    about(found("round-robin"), 7500.0, 8500.0);
    about(found("{\"prefix-overlap\":{}}"), 190.0, 210.0);
}

#[test]
fn the_pause_is_over_in_time_with_an_oracle_and_neither_with_a_guess_nor_with_a_ttl() {
    let client = "workload.clients[0]";
    let [kv, retention] = [format!("{client}.session_kv"), format!("{client}.retention")];
    for seed in ["11", "1", "3"] {
        let order = ("cluster.pools[0].kv.eviction_order", "vllm");
        let with = |path: &str, value: &str| report("the-pause", &[("seed", seed), order, (path, value)]);
        let plain = report("the-pause", &[("seed", seed)]);
        let known = with(&kv, r#"{"prefetch": {"when": "known", "lead_s": 2}}"#);
        let fixed = with(&kv, r#"{"prefetch": {"when": "fixed", "gap_s": 10, "lead_s": 2}}"#);
        let ttl = with(&retention, r#"[{"priority": 70, "duration_s": 30}]"#);
        let [mean, p99, loads] = ["/latency_ms/ttft/mean", "/latency_ms/ttft/p99", "/kv/cpu/loads"];
        about(figure(&plain, mean), 105.0, 135.0);
        about(figure(&plain, p99), 560.0, 850.0);
        about(figure(&known, p99), 190.0, 280.0);
        assert_eq!(figure(&known, "/kv/pauses/late").to_bits(), 0.0_f64.to_bits());
        // The guess comes early or late: half of what it brings is gone before its turn.
        about(figure(&fixed, p99) / figure(&plain, p99), 0.9, 1.2);
        about(figure(&fixed, "/kv/pauses/wasted_blocks") / figure(&fixed, "/kv/pauses/blocks"), 0.4, 0.7);
        about(figure(&ttl, loads) / figure(&plain, loads), 0.3, 0.6);
        about(figure(&ttl, mean) / figure(&plain, mean), 0.7, 0.92);
        about(figure(&ttl, p99), 450.0, 800.0);
    }
}
