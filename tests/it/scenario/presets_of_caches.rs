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

const FOUND: &str = "/kv/reused_prompt_share";
const MEDIAN: &str = "/latency_ms/ttft/p50";
const MEAN: &str = "/latency_ms/ttft/mean";

#[test]
fn more_cache_has_a_lower_hit_rate_where_blocks_wait_for_a_slow_disk() {
    let name = "more-cache-lower-hit-rate";
    let below = "cluster.pools[0].kv.secondary_tiers";
    let cpu = "cluster.pools[0].kv.cpu_blocks";
    let write = format!("{below}[0].fs.write");
    for seed in ["1", "2", "3"] {
        let seed = ("seed", seed);
        let without = |blocks: &str| report(name, &[seed, (below, "[]"), (cpu, blocks)]);
        let [gpu, equal, large] = ["0", "1500", "3600"].map(without);
        let disk = report(name, &[seed]);
        let selective = report(name, &[seed, (&write, r#"{"selective": {"hits": 2}}"#)]);
        about(figure(&gpu, FOUND), 0.39, 0.46);
        about(figure(&equal, FOUND) - figure(&gpu, FOUND), 0.02, 0.045);
        about(figure(&large, FOUND), 0.82, 0.85);
        about(figure(&disk, FOUND), 0.58, 0.68);
        about(figure(&selective, FOUND), 0.88, 0.9);
        // The hit rate in blocks falls as well.
        about(figure(&large, "/kv/hit_rate") - figure(&disk, "/kv/hit_rate"), 0.12, 0.2);
        about(figure(&disk, MEDIAN), 76.0, 86.0);
        about(figure(&disk, MEDIAN) / figure(&gpu, MEDIAN), 0.95, 1.03);
        about(figure(&selective, MEDIAN) / figure(&large, MEDIAN), 0.95, 1.05);
        about(figure(&selective, MEAN) / figure(&large, MEAN), 0.95, 1.05);
        // What is new, in GB/s, and the share of it that CPU memory takes in above the disk.
        let offloads = "/kv/cpu/offloads";
        about(figure(&large, offloads) * 2_097_152.0 / 180.0 / 1e9, 3.0 * 0.125, 4.5 * 0.125);
        about(figure(&disk, offloads) / figure(&large, offloads), 0.32, 0.42);
    }
}

#[test]
fn one_store_finds_four_times_what_eight_small_caches_find_unless_its_port_is_thin() {
    let name = "eight-small-caches-or-one-store";
    let split = [
        ("cluster.pools[0].kv.secondary_tiers", "[]"),
        ("cluster.kv_stores", "[]"),
        ("cluster.pools[0].kv.cpu_blocks", "2000"),
    ];
    for seed in ["1", "2"] {
        let seed = ("seed", seed);
        let store = report(name, &[seed]);
        let small = report(name, &[&[seed][..], &split].concat());
        let overlap = ("cluster.routing", r#"{"prefix-overlap": {}}"#);
        let sent_there = report(name, &[&[seed, overlap][..], &split].concat());
        let thin = report(name, &[seed, ("cluster.kv_stores[0].port_gb_per_s", "4")]);
        about(figure(&small, "/kv/cpu/total_blocks"), 16_000.0, 16_000.0);
        about(figure(&store, "/kv_tiers/0/place/blocks"), 15_990.0, 16_000.0);
        about(figure(&store, FOUND), 0.82, 0.86);
        about(figure(&small, FOUND), 0.19, 0.23);
        about(figure(&sent_there, FOUND), 0.75, 0.8);
        about(figure(&thin, FOUND), 0.82, 0.89);
        about(figure(&store, MEDIAN), 51.0, 53.0);
        about(figure(&small, MEDIAN), 140.0, 142.0);
        about(figure(&thin, MEDIAN), 30_000.0, 50_000.0);
    }
}

#[test]
fn books_are_better_pulled_and_notes_better_computed() {
    let name = "pull-or-compute";
    let lead = ("cluster.kv_source.min_cached_token_delta", "1");
    let even = ("cluster.pools[0].kv.load", r#"{"break_even": {}}"#);
    let [notes, books] = ["/clients/0/ttft_ms/mean", "/clients/1/ttft_ms/mean"];
    for seed in ["1", "2", "3"] {
        let seed = ("seed", seed);
        let from_2048 = report(name, &[seed]);
        let none = report(name, &[seed, ("cluster.kv_source", "null")]);
        let all = report(name, &[seed, lead]);
        let weighed = report(name, &[seed, lead, even]);
        about(figure(&from_2048, books), 150.0, 170.0);
        about(figure(&none, books), 208.0, 245.0);
        about(figure(&from_2048, notes), 35.0, 38.5);
        about(figure(&none, notes), 52.0, 61.0);
        about(figure(&all, FOUND) - figure(&from_2048, FOUND), 0.09, 0.12);
        about(figure(&all, books) / figure(&from_2048, books), 0.98, 1.02);
        about(figure(&all, notes), 43.0, 47.0);
        for path in [notes, books] {
            about(figure(&weighed, path) / figure(&from_2048, path), 0.98, 1.02);
        }
        // More is found and the median is longer.
        about(figure(&all, MEDIAN) / figure(&from_2048, MEDIAN), 1.25, 1.45);
    }
}
