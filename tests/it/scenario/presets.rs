//! Checks what the notes of the built-in scenarios say, in figures, and that the places they point at exist.

use crate::support::rows::{rows, start, text, whole};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use tokenyard::exchange::export::Table;
use tokenyard::scenario::link::{Selection, View};
use tokenyard::scenario::preset::{PRESETS, Preset};
use tokenyard::scenario::set_path;

/// The requests of a preset with some fields set.
pub(super) struct Run(Vec<Map<String, Value>>);

pub(super) fn run(name: &str, sets: &[(&str, &str)]) -> Run {
    let preset = Preset::named(name).expect("a preset");
    let mut document = serde_json::to_value(preset.scenario()).expect("a scenario is JSON");
    for (path, value) in sets {
        set_path(&mut document, path, value).expect("a field");
    }
    Run(rows(&mut start(&document), Table::Requests))
}

impl Run {
    /// Those of a client, or of all, that arrived between two instants.
    pub(super) fn between<'a>(
        &'a self,
        client: &'a str,
        from_s: f64,
        to_s: f64,
    ) -> Vec<&'a Map<String, Value>> {
        let here = move |row: &&Map<String, Value>| {
            let at_s = whole(row, "arrival_us").expect("an arrival") as f64 / 1e6;
            (client.is_empty() || text(row, "client") == client) && (from_s..to_s).contains(&at_s)
        };
        self.0.iter().filter(here).collect()
    }

    /// A percentile of a latency, in milliseconds.
    pub(super) fn ms(&self, of: &str, percent: usize, client: &str, from_s: f64, to_s: f64) -> f64 {
        let mut all: Vec<u64> =
            self.between(client, from_s, to_s).iter().filter_map(|row| whole(row, of)).collect();
        all.sort_unstable();
        all[(all.len() * percent / 100).min(all.len() - 1)] as f64 / 1000.0
    }

    pub(super) fn ttft(&self, percent: usize, client: &str, from_s: f64, to_s: f64) -> f64 {
        self.ms("ttft_us", percent, client, from_s, to_s)
    }

    /// The share of those that finished which met their objectives.
    pub(super) fn met(&self, client: &str, from_s: f64, to_s: f64) -> f64 {
        let told: Vec<bool> =
            self.between(client, from_s, to_s).iter().filter_map(|row| row["slo_met"].as_bool()).collect();
        told.iter().filter(|met| **met).count() as f64 / told.len() as f64
    }

    /// The share in a state.
    fn share(&self, state: &str, client: &str, from_s: f64, to_s: f64) -> f64 {
        let all = self.between(client, from_s, to_s);
        all.iter().filter(|row| text(row, "state") == state).count() as f64 / all.len() as f64
    }

    /// The share of prompt tokens found in a cache.
    fn cached(&self) -> f64 {
        let sum = |of: &str| self.0.iter().filter_map(|row| whole(row, of)).sum::<u64>() as f64;
        sum("cached_tokens") / sum("prompt_tokens")
    }
}

#[track_caller]
pub(super) fn about(found: f64, from: f64, to: f64) {
    assert!((from..=to).contains(&found), "{found}, not {from} to {to}");
}

/// The links of a note: `[words](t=60;select=request:74)`, keys and values as links of scenarios have them.
fn links(note: &str) -> Vec<(&str, &str)> {
    note.split('[')
        .skip(1)
        .filter_map(|part| part.split_once("]("))
        .map(|(words, rest)| (words, rest.split_once(')').expect("a closed link").0))
        .collect()
}

#[test]
fn a_note_points_at_instants_and_requests_that_are_there() {
    let mut pointing = 0;
    for preset in PRESETS {
        let scenario = preset.scenario();
        assert!(f64::from(preset.opens_s) < scenario.run.horizon_s, "{}", preset.name);
        for (words, target) in links(&scenario.note) {
            let mut view = View::default();
            for part in target.split(';') {
                let (key, value) = part.split_once('=').expect("a key and a value");
                let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
                view.take(key, &value)
                    .unwrap_or_else(|e| panic!("{}: [{words}]({target}): {e}", preset.name));
            }
            let at_us = view.at_us.expect("a note points at an instant");
            assert!(
                !words.is_empty() && at_us as f64 / 1e6 <= scenario.run.horizon_s,
                "{}: {target}",
                preset.name
            );
            let mut session = start(&serde_json::to_value(&scenario).expect("a scenario is JSON"));
            match view.selection {
                None => {}
                Some(Selection::Replica(n)) => {
                    assert!(n < scenario.cluster.pools.iter().map(|p| p.replicas).sum());
                }
                Some(Selection::Request(n)) => {
                    session.advance(tokenyard::base::Micros(at_us), u64::MAX);
                    assert!(session.inspect(n).is_some(), "{}: {target} has not arrived", preset.name);
                }
            }
            pointing += 1;
        }
    }
    assert!(pointing >= 15, "{pointing}");
}

/// The note of the scenario that a first visit sees. It opens shortly before chats grow and plays five times as fast as the
/// clock, so that ten seconds after Play have to show what the note says.
#[test]
fn more_chats_than_four_h100s_carry_miss_ttft_within_ten_seconds_of_play_and_a_fifth_keeps_it() {
    let opens_s = f64::from(Preset::named("chat-4xh100").expect("a preset").opens_s);
    let seen_s = opens_s + 10.0 * 5.0;
    let found = run("chat-4xh100", &[]);
    for (from_s, to_s) in [(30.0, 60.0), (opens_s, 60.0)] {
        about(found.met("", from_s, to_s), 0.98, 1.0);
        about(found.ttft(50, "", from_s, to_s), 40.0, 150.0);
    }
    about(found.met("", seen_s - 8.0, seen_s), 0.0, 0.05);
    about(found.ttft(50, "", seen_s - 8.0, seen_s), 1500.0, 2500.0);
    about(found.met("", seen_s, 240.0), 0.0, 0.01);
    let five = run("chat-4xh100", &[("cluster.pools[0].replicas", "5")]);
    for (from_s, to_s) in [(30.0, 60.0), (seen_s - 8.0, seen_s), (60.0, 240.0)] {
        about(five.met("", from_s, to_s), 0.98, 1.0);
        about(five.ttft(50, "", from_s, to_s), 40.0, 150.0);
    }
}

#[test]
fn a_fifth_h100_in_the_middle_of_the_rush_drains_the_queues_in_twelve_seconds() {
    let preset = Preset::named("chat-4xh100").expect("a preset");
    let mut edits = serde_json::to_value(preset.scenario().edits).expect("edits are JSON");
    let fifth = serde_json::json!({ "at_us": 98_000_000, "set": { "cluster.pools[0].replicas": 5 } });
    edits.as_array_mut().expect("a list").push(fifth);
    let found = run("chat-4xh100", &[("edits", &edits.to_string())]);
    about(found.met("", 90.0, 98.0), 0.0, 0.05);
    about(found.met("", 110.0, 240.0), 0.98, 1.0);
    about(found.ttft(50, "", 110.0, 240.0), 40.0, 150.0);
}

#[test]
fn round_robin_buries_a_replica_by_luck_and_least_loaded_does_not() {
    let (found, other) =
        (run("router-showdown", &[]), run("router-showdown", &[("cluster.routing", "\"least-loaded\"")]));
    about(found.ttft(99, "", 20.0, 240.0) / other.ttft(99, "", 20.0, 240.0), 2.5, 4.0);
}

#[test]
fn prefix_affinity_buries_replicas_that_round_robin_spares() {
    let (found, other) =
        (run("regret-and-tail", &[]), run("regret-and-tail", &[("cluster.routing", "\"round-robin\"")]));
    about(found.ttft(50, "", 40.0, 120.0), 2000.0, 5000.0);
    about(other.ttft(99, "", 10.0, 120.0), 20.0, 100.0);
}

#[test]
fn stale_signals_send_all_requests_to_one_replica() {
    let found = run("stale-herd", &[]);
    about(found.ttft(99, "", 10.0, 40.0), 150.0, 300.0);
    about(found.ttft(99, "", 42.0, 120.0), 5000.0, 7000.0);
    // The routing of two seconds is to a single replica.
    let mut of: BTreeMap<u64, usize> = BTreeMap::new();
    for row in found.between("", 42.0, 43.9) {
        *of.entry(whole(row, "replica").expect("routed")).or_default() += 1;
    }
    assert!(of.len() <= 2 && of.values().max() > Some(&180), "{of:?}");
    let other = run("stale-herd", &[("cluster.routing", "\"least-loaded\"")]);
    about(other.ttft(99, "", 42.0, 120.0), 50.0, 200.0);
}

#[test]
fn counts_of_the_routers_own_keep_llm_d_1_from_the_herd_that_catches_its_default() {
    let p99 = |profile: &str| {
        let routing = format!(r#"{{"weighted": {{"profile": "{profile}"}}}}"#);
        run("stale-herd", &[("cluster.routing", &routing)]).ttft(99, "", 50.0, 120.0)
    };
    about(p99("llm-d-default"), 4500.0, 8000.0);
    about(p99("llm-d-1.0"), 80.0, 200.0);
    about(p99("llm-d-1.0-decode"), 80.0, 200.0);
}

#[test]
fn a_request_that_outgrows_the_cache_stops_everything_and_without_blis_is_dropped() {
    let found = run("cache-livelock", &[]);
    let long = &found.0[74];
    assert_eq!((text(long, "name"), text(long, "state")), ("long", "running"));
    assert!(whole(long, "preemptions") > Some(1000));
    assert!(found.share("completed", "chat", 44.0, 120.0) < 0.01);
    let other = run("cache-livelock", &[("cluster.compat", "\"none\"")]);
    assert_eq!(text(&other.0[74], "reason"), "outgrew-kv-cache");
    about(other.share("completed", "chat", 44.0, 110.0), 0.98, 1.0);
}

#[test]
fn chunks_take_the_stalls_from_chats_and_cost_the_reports_a_third() {
    let found = run("chunked-prefill", &[]);
    about(found.ttft(99, "chat", 10.0, 60.0), 450.0, 650.0);
    about(found.ttft(99, "chat", 60.0, 120.0), 50.0, 120.0);
    about(found.ttft(50, "reports", 60.0, 120.0) / found.ttft(50, "reports", 10.0, 60.0), 1.25, 1.45);
}

#[test]
fn a_very_long_prompt_delays_all_requests_after_it_unless_it_is_chunked() {
    let found = run("long-prompt", &[]);
    assert_eq!(text(&found.0[188], "name"), "book");
    about(found.ttft(50, "chat", 10.0, 31.0), 20.0, 40.0);
    about(found.ttft(99, "chat", 31.0, 43.0), 11_000.0, 13_000.0);
    let cut = run("long-prompt", &[("cluster.pools[0].engine.long_prefill_threshold_tokens", "256")]);
    about(cut.ttft(50, "chat", 31.0, 43.0), 80.0, 200.0);
    assert!(cut.ms("tpot_us", 50, "chat", 31.0, 43.0) > 2.0 * found.ms("tpot_us", 50, "chat", 31.0, 43.0));
}

#[test]
fn patience_makes_the_queue_and_a_short_queue_serves_all_it_takes() {
    let found = run("clients-give-up", &[]);
    about(found.share("dropped", "", 60.0, 90.0), 0.6, 0.7);
    about(found.ttft(50, "", 65.0, 90.0), 8500.0, 10_000.0);
    assert!(found.ttft(99, "", 90.0, 100.0) > 5000.0, "it lasts longer than the spike");
    let short = run("clients-give-up", &[("cluster.pools[0].engine.max_waiting", "8")]);
    about(short.met("", 60.0, 90.0), 0.99, 1.0);
    about(short.share("dropped", "", 60.0, 90.0), 0.0, 0.0);
}

/// The decisions of a preset.
pub(super) fn decisions(name: &str) -> Vec<Map<String, Value>> {
    let preset = Preset::named(name).expect("a preset");
    let document = serde_json::to_value(preset.scenario()).expect("a scenario is JSON");
    rows(&mut start(&document), Table::Scaling)
}

/// A preset with some fields set: the share of requests that met their objectives, and what it cost.
fn met_and_usd(name: &str, change: impl FnOnce(&mut Value)) -> (f64, f64) {
    let preset = Preset::named(name).expect("a preset");
    let mut document = serde_json::to_value(preset.scenario()).expect("a scenario is JSON");
    change(&mut document);
    let found = Run(rows(&mut start(&document), Table::Requests));
    let mut session = start(&document);
    session.advance(tokenyard::base::Micros::MAX, u64::MAX);
    (found.met("", 0.0, 720.0), session.report_data().cost.usd.expect("GPUs with prices"))
}

#[test]
fn cheap_variants_start_first_and_expensive_ones_stop_first() {
    let found = decisions("two-variants@2");
    let changes = |pool: &str| -> Vec<(u64, u64)> {
        let of_pool = found.iter().filter(|row| text(row, "pool") == pool);
        let changes = of_pool.filter(|row| row["current"] != row["desired"]);
        changes
            .map(|row| (whole(row, "time_us").unwrap() / 1_000_000, whole(row, "desired").unwrap()))
            .collect()
    };
    assert_eq!(changes("l40s"), [(135, 3), (165, 4), (570, 3), (615, 2)]);
    assert_eq!(changes("h100"), [(15, 0), (255, 1), (300, 2), (450, 3), (480, 4), (570, 2), (585, 0)]);
    let mean = |pool: &str| {
        let of_pool = found.iter().filter(|row| text(row, "pool") == pool);
        let each: Vec<f64> = of_pool.filter_map(|row| row["replica_per_s"].as_f64()).collect();
        each.iter().sum::<f64>() / each.len() as f64
    };
    about(mean("h100") / mean("l40s"), 2.8, 2.86);
    // Every instant has a decision about both.
    assert_eq!(found.len(), 2 * 48);

    let (met, usd) = met_and_usd("two-variants@2", |_| {});
    about(met, 0.965, 0.975);
    let only = |index: usize, most: u64| {
        met_and_usd("two-variants@2", move |document| {
            let pools = document["cluster"]["pools"].as_array_mut().expect("pools");
            let mut pool = pools.remove(index);
            (pool["scaling"]["min"], pool["scaling"]["max"]) = (1.into(), most.into());
            *pools = vec![pool];
        })
    };
    let (dear, cheap) = (only(1, 8), only(0, 4));
    about(dear.0, 0.999, 1.0);
    about(usd / dear.1, 0.75, 0.79);
    about(cheap.0, 0.24, 0.26);
    let (_, apart) = met_and_usd("two-variants@2", |document| {
        for pool in document["cluster"]["pools"].as_array_mut().expect("pools") {
            pool["scaling"]["optimizer"] = "alone".into();
        }
    });
    about(apart / usd, 1.18, 1.22);
}

#[test]
fn on_a_slow_decline_a_whole_dear_replica_is_too_much_later_than_a_cheap_one() {
    let preset = Preset::named("two-variants@2").expect("a preset");
    let mut document = serde_json::to_value(preset.scenario()).expect("a scenario is JSON");
    document["workload"]["clients"][0]["rate_profile"]["ramps"]["points"][4]["at_s"] = 720.into();
    document["run"]["horizon_s"] = 800.into();
    let found = rows(&mut start(&document), Table::Scaling);
    let fewer = found.iter().filter(|row| {
        whole(row, "time_us") > Some(540_000_000) && whole(row, "desired") < whole(row, "current")
    });
    let order: Vec<&str> = fewer.map(|row| text(row, "pool")).collect();
    assert_eq!(order, ["l40s", "l40s", "l40s", "h100", "h100", "h100"]);
}

#[test]
fn a_quota_keeps_one_tenants_flood_from_the_others() {
    let found = run("tenant-quotas", &[]);
    about(found.share("rejected", "batch", 50.0, 120.0), 0.45, 0.55);
    for client in ["chat", "search"] {
        about(found.share("rejected", client, 0.0, 120.0), 0.0, 0.0);
        about(found.met(client, 50.0, 120.0), 0.97, 1.0);
    }
    let open = run("tenant-quotas", &[("cluster.admission", "\"always-admit\"")]);
    about(open.met("", 50.0, 120.0), 0.0, 0.07);
}

#[test]
fn priority_decides_which_request_is_next_and_blocks_decide_which_run() {
    let found = run("priority-inversion", &[]);
    about(found.ttft(50, "alarms", 10.0, 60.0), 3000.0, 4000.0);
    about(found.ttft(50, "alarms", 62.0, 120.0), 700.0, 1200.0);
    let roomy = run("priority-inversion", &[("cluster.pools[0].kv.blocks", "6000")]);
    about(roomy.ttft(50, "alarms", 60.0, 120.0), 200.0, 300.0);
}

#[test]
fn eight_gpus_as_one_are_faster_and_as_eight_carry_more() {
    let found = run("one-wide-eight-narrow", &[]);
    let of = |of: &str, from_s: f64, to_s: f64| found.ms(of, 50, "", from_s, to_s);
    about(of("tpot_us", 10.0, 30.0) / of("tpot_us", 30.0, 60.0), 1.9, 2.5);
    assert!(of("ttft_us", 30.0, 60.0) < of("ttft_us", 10.0, 30.0));
    about(found.ttft(50, "", 75.0, 90.0), 300.0, 1000.0);
    about(found.ttft(99, "", 92.0, 120.0), 50.0, 200.0);
}

#[test]
fn bursts_of_code_miss_what_conversations_meet() {
    let found = run("azure-twin", &[]);
    about(found.met("conversation", 20.0, 240.0), 0.88, 0.97);
    about(found.met("code", 20.0, 240.0), 0.3, 0.5);
    let median = |of: &str, client: &str| found.ms(of, 50, client, 0.0, 240.0) * 1000.0;
    about(median("prompt_tokens", "conversation"), 950.0, 1100.0);
    about(median("target_output_tokens", "conversation"), 115.0, 145.0);
    about(median("prompt_tokens", "code"), 1350.0, 1650.0);
    about(median("target_output_tokens", "code"), 11.0, 15.0);
}

#[test]
fn most_prompts_of_mooncake_begin_like_another_and_a_router_that_looks_finds_it() {
    let found = run("mooncake-twin", &[]);
    about(found.cached(), 0.25, 0.4);
    let mean =
        |of: &str| found.0.iter().filter_map(|row| whole(row, of)).sum::<u64>() as f64 / found.0.len() as f64;
    about(mean("prompt_tokens"), 6500.0, 7600.0);
    about(mean("target_output_tokens"), 170.0, 200.0);
    let other = run("mooncake-twin", &[("cluster.routing", "{\"prefix-overlap\":{}}")]);
    about(other.cached(), 0.6, 0.75);
    about(found.ttft(99, "", 20.0, 240.0) / other.ttft(99, "", 20.0, 240.0), 1.6, 2.5);
}

/// Two and a half million events: about two seconds.
#[test]
fn two_choices_even_out_256_replicas() {
    let found = run("fleet-256", &[]);
    about(found.met("", 10.0, 30.0), 0.79, 0.86);
    about(found.ttft(99, "", 10.0, 30.0), 2000.0, 2600.0);
    about(found.ttft(99, "", 34.0, 60.0), 50.0, 100.0);
}

/// docs/how-to/write-a-scorer.md.
#[test]
fn a_scorer_of_load_and_uncached_tokens_beats_the_default_where_prefixes_outweigh_load() {
    let scorer = r#"{"expression": "1 / (1 + in_flight + uncached_tokens / 1000)"}"#;
    let routing = format!(
        r#"{{"weighted": {{"profile": "custom", "scorers": [{{"scorer": {scorer}, "weight": 1}}]}}}}"#
    );
    let (default, own) =
        (run("regret-and-tail", &[]), run("regret-and-tail", &[("cluster.routing", &routing)]));
    assert!(default.ttft(99, "", 10.0, 120.0) > 3000.0);
    about(own.ttft(99, "", 10.0, 120.0), 50.0, 70.0);
}
