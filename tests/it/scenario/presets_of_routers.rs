//! Checks what the notes of the built-in scenarios about routers and traffic say, with their own seeds and with others.

use super::presets::{Run, about, document, figure, report, run, seeded};
use crate::support::rows::{rows, start, text, whole};
use std::collections::BTreeMap;
use tokenyard::export::Table;

const ROUTING: &str = "cluster.routing";
const LEAST_LOADED: (&str, &str) = (ROUTING, "\"least-loaded\"");
const ROUND_ROBIN: (&str, &str) = (ROUTING, "\"round-robin\"");

#[test]
fn round_robin_buries_a_replica_by_luck_and_least_loaded_does_not() {
    let (found, other) = (run("router-showdown", &[]), run("router-showdown", &[LEAST_LOADED]));
    about(found.ttft(99, "", 20.0, 240.0), 2100.0, 2300.0);
    about(found.ttft(50, "", 20.0, 240.0), 33.0, 35.0);
    about(other.ttft(99, "", 20.0, 240.0), 380.0, 450.0);
    for seed in 11..31 {
        let both = [&[][..], &[LEAST_LOADED]].map(|sets| seeded("router-showdown", seed, sets));
        let [p99, p50] = [99, 50].map(|p| both.each_ref().map(|run| run.ttft(p, "", 20.0, 240.0)));
        assert!(p99[0] > 1.5 * p99[1], "seed {seed}: {p99:?}");
        assert!((0.7..1.0).contains(&(p50[0] / p50[1])), "seed {seed}: {p50:?}");
    }
    let reports = found.between("reports", 0.0, 240.0);
    about(found.between("", 0.0, 240.0).len() as f64 / reports.len() as f64, 14.0, 16.5);
    let answer = |client: &str| found.ms("target_output_tokens", 50, client, 0.0, 240.0);
    about(answer("reports") / answer("bursts"), 9.0, 13.0);
}

#[test]
fn prefix_affinity_buries_replicas_that_round_robin_spares() {
    for seed in 1..13 {
        let (found, other) =
            (seeded("regret-and-tail", seed, &[]), seeded("regret-and-tail", seed, &[ROUND_ROBIN]));
        about(found.ttft(50, "", 40.0, 120.0), 2500.0, 12_000.0);
        about(other.ttft(99, "", 10.0, 120.0), 30.0, 45.0);
    }
    about(run("regret-and-tail", &[]).ttft(50, "", 40.0, 120.0), 6000.0, 7000.0);
}

#[test]
fn a_router_that_takes_its_best_score_has_no_regret_and_round_robin_has_it_for_most_decisions() {
    let found = report("regret-and-tail", &[]);
    about(figure(&found, "/decisions/score_regret_max"), 0.0, 0.0);
    about(figure(&found, "/decisions/unique_targets"), 2.0, 2.0);
    let all = rows(&mut start(&document("regret-and-tail", &[ROUND_ROBIN])), Table::Decisions);
    let chosen: Vec<f64> = all
        .iter()
        .filter(|row| row["chosen"] == true)
        .filter_map(|row| row["score_regret"].as_f64())
        .collect();
    let regretted = chosen.iter().filter(|regret| **regret > 0.0).count() as f64;
    about(regretted / chosen.len() as f64, 0.5, 1.0);
}

/// docs/how-to/write-a-scorer.md.
#[test]
fn a_scorer_of_load_and_uncached_tokens_beats_the_default_where_prefixes_outweigh_load() {
    let scorer = r#"{"expression": "1 / (1 + in_flight + uncached_tokens / 1000)"}"#;
    let routing = format!(
        r#"{{"weighted": {{"profile": "custom", "scorers": [{{"scorer": {scorer}, "weight": 1}}]}}}}"#
    );
    let (default, own) = (run("regret-and-tail", &[]), run("regret-and-tail", &[(ROUTING, &routing)]));
    assert!(default.ttft(99, "", 10.0, 120.0) > 3000.0);
    about(own.ttft(99, "", 10.0, 120.0), 30.0, 70.0);
}

/// The share of the chats that arrived in the measurement window, and of those of a pool, which met their objectives.
fn chats(found: &Run, pool: &str) -> (f64, f64) {
    let all = found.between("chat", 20.0, 180.0);
    let own: Vec<_> =
        all.iter().filter(|row| text(row, "pool") == pool && row["slo_met"].is_boolean()).collect();
    let met = own.iter().filter(|row| row["slo_met"] == true).count();
    (own.len() as f64 / all.len() as f64, met as f64 / own.len() as f64)
}

#[test]
fn a_router_by_load_spares_old_gpus_and_round_robin_makes_all_their_chats_miss() {
    for seed in 11..17 {
        let found = seeded("mixed-fleet", seed, &[]);
        about(chats(&found, "h100").0, 0.57, 0.63);
        about(found.met("chat", 20.0, 180.0), 0.99, 1.0);
        let evenly = seeded("mixed-fleet", seed, &[ROUND_ROBIN]);
        about(chats(&evenly, "h100").1, 0.97, 1.0);
        about(chats(&evenly, "a100").1, 0.0, 0.01);
        let sent =
            evenly.between("chat", 20.0, 180.0).iter().filter(|row| text(row, "pool") == "a100").count();
        about(sent as f64 / evenly.between("chat", 20.0, 180.0).len() as f64, 0.59, 0.61);
    }
}

#[test]
fn a_chat_on_the_cheaper_gpu_costs_four_tenths_more() {
    for seed in 11..17 {
        let found = report("mixed-fleet", &[("seed", &seed.to_string())]);
        let of = |pool: usize, what: &str| figure(&found, &format!("/pools/{pool}/{what}"));
        let each = |pool: usize| of(pool, "usd") / of(pool, "completed");
        about(each(1) / each(0), 1.33, 1.47);
        assert!(of(1, "usd_per_hour") < of(0, "usd_per_hour"));
    }
}

#[test]
fn stale_signals_send_all_requests_to_one_replica() {
    for seed in 3..9 {
        let found = seeded("stale-herd", seed, &[]);
        about(found.ttft(99, "", 10.0, 40.0), 150.0, 300.0);
        about(found.ttft(99, "", 42.0, 120.0), 4900.0, 5700.0);
        // The routing of two seconds is to a single replica.
        let mut of: BTreeMap<u64, usize> = BTreeMap::new();
        for row in found.between("", 42.0, 43.9) {
            *of.entry(whole(row, "replica").expect("routed")).or_default() += 1;
        }
        assert!(of.len() == 1 && of.values().max() > Some(&160), "{of:?}");
        let other = seeded("stale-herd", seed, &[LEAST_LOADED]);
        about(other.ttft(99, "", 42.0, 120.0), 90.0, 130.0);
    }
}

/// docs/explanation/model/policies.md.
#[test]
fn counts_of_the_routers_own_keep_llm_d_1_from_the_herd_that_catches_its_default() {
    let p99 = |profile: &str| {
        let routing = format!(r#"{{"weighted": {{"profile": "{profile}"}}}}"#);
        run("stale-herd", &[(ROUTING, &routing)]).ttft(99, "", 10.0, 120.0)
    };
    about(p99("llm-d-default"), 4500.0, 8000.0);
    about(p99("llm-d-1.0"), 70.0, 200.0);
    about(p99("llm-d-1.0-decode"), 70.0, 200.0);
}

#[test]
fn bursts_of_code_miss_what_conversations_meet() {
    for seed in 23..29 {
        let found = seeded("azure-twin", seed, &[]);
        about(found.met("conversation", 20.0, 240.0), 0.88, 0.97);
        about(found.met("code", 20.0, 240.0), 0.3, 0.5);
    }
    let found = run("azure-twin", &[]);
    let median = |of: &str, client: &str| found.ms(of, 50, client, 0.0, 240.0) * 1000.0;
    about(median("prompt_tokens", "conversation"), 950.0, 1100.0);
    about(median("target_output_tokens", "conversation"), 115.0, 145.0);
    about(median("prompt_tokens", "code"), 1350.0, 1650.0);
    about(median("target_output_tokens", "code"), 11.0, 15.0);
    // The burst of the note, beside a mean of five a second.
    about(found.between("code", 56.0, 60.0).len() as f64 / 4.0, 10.0, 30.0);
}

#[test]
fn most_prompts_of_mooncake_begin_like_another_and_a_router_that_looks_finds_it() {
    let look = [(ROUTING, "{\"prefix-overlap\":{}}")];
    let (found, other) = (run("mooncake-twin", &[]), run("mooncake-twin", &look));
    let mean = |of: &str| {
        let all = found.between("", 0.0, 240.0);
        all.iter().filter_map(|row| whole(row, of)).sum::<u64>() as f64 / all.len() as f64
    };
    about(mean("prompt_tokens"), 6500.0, 7600.0);
    about(mean("target_output_tokens"), 170.0, 200.0);
    about(found.ttft(99, "", 20.0, 240.0), 1750.0, 1950.0);
    about(other.ttft(99, "", 20.0, 240.0), 1150.0, 1250.0);
    for seed in 31..37 {
        let both = [&[][..], &look].map(|sets| seeded("mooncake-twin", seed, sets));
        about(both[0].cached(), 0.28, 0.38);
        about(both[1].cached(), 0.62, 0.68);
        let [p50, p99] = [50, 99].map(|p| both.each_ref().map(|run| run.ttft(p, "", 20.0, 240.0)));
        about(p50[0] / p50[1], 1.75, 2.1);
        assert!(p99[0] > p99[1], "seed {seed}: {p99:?}");
    }
}

/// Two and a half million events each: some seconds.
#[test]
fn two_choices_even_out_256_replicas_nearly_as_well_as_all_of_them() {
    let found = run("fleet-256", &[]);
    about(found.met("", 10.0, 30.0), 0.82, 0.86);
    about(found.ttft(99, "", 10.0, 30.0), 2000.0, 2300.0);
    about(found.ttft(99, "", 34.0, 60.0), 50.0, 100.0);
    let all = r#"[{"at_us": 30000000, "set": {"cluster.routing": "least-loaded"}}]"#;
    let knowing = run("fleet-256", &[("edits", all)]);
    about(found.ttft(99, "", 34.0, 60.0) / knowing.ttft(99, "", 34.0, 60.0), 0.95, 1.1);
}
