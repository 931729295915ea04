//! Checks what the notes of the built-in scenarios say, in figures, and that the places they point at exist.

use crate::support::rows::{rows, start, text, whole};
use serde_json::{Map, Value};
use tokenyard::export::Table;
use tokenyard::scenario::link::{Selection, View};
use tokenyard::scenario::preset::{PRESETS, Preset};
use tokenyard::scenario::set_path;

/// The requests of a preset with some fields set.
pub(super) struct Run(Vec<Map<String, Value>>);

pub(super) fn run(name: &str, sets: &[(&str, &str)]) -> Run {
    Run(rows(&mut start(&document(name, sets)), Table::Requests))
}

/// The document of a preset with some fields set.
pub(super) fn document(name: &str, sets: &[(&str, &str)]) -> Value {
    let preset = Preset::named(name).expect("a preset");
    let mut document = serde_json::to_value(preset.scenario()).expect("a scenario is JSON");
    for (path, value) in sets {
        set_path(&mut document, path, value).expect("a field");
    }
    document
}

/// The same with another seed.
pub(super) fn seeded(name: &str, seed: u64, sets: &[(&str, &str)]) -> Run {
    run(name, &[&[("seed", seed.to_string().as_str())][..], sets].concat())
}

/// The report of a preset with some fields set.
pub(super) fn report(name: &str, sets: &[(&str, &str)]) -> Value {
    let mut session = start(&document(name, sets));
    session.advance(tokenyard::base::Micros::MAX, u64::MAX);
    serde_json::to_value(session.report_data()).expect("a report is JSON")
}

/// A figure of a report.
pub(super) fn figure(report: &Value, pointer: &str) -> f64 {
    report.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {pointer}"))
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
    pub(super) fn share(&self, state: &str, client: &str, from_s: f64, to_s: f64) -> f64 {
        let all = self.between(client, from_s, to_s);
        all.iter().filter(|row| text(row, "state") == state).count() as f64 / all.len() as f64
    }

    /// The share of prompt tokens found in a cache.
    pub(super) fn cached(&self) -> f64 {
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

/// Ten seconds after Play, at five times the speed of the clock, the page has to show what the note says.
#[test]
fn more_chats_than_four_h100s_carry_miss_ttft_within_ten_seconds_of_play_and_a_fifth_keeps_it() {
    let opens_s = f64::from(Preset::named("chat-4xh100").expect("a preset").opens_s);
    let seen_s = opens_s + 10.0 * 5.0;
    let found = run("chat-4xh100", &[]);
    about(found.met("", opens_s, 60.0), 0.98, 1.0);
    about(found.met("", seen_s - 8.0, seen_s), 0.0, 0.0);
    about(found.ttft(50, "", seen_s - 8.0, seen_s), 2300.0, 2900.0);
    for seed in 1..12 {
        let found = seeded("chat-4xh100", seed, &[]);
        about(found.met("", 30.0, 60.0), 0.98, 1.0);
        about(found.ttft(50, "", 30.0, 60.0), 40.0, 100.0);
        about(found.met("", 98.0, 240.0), 0.0, 0.01);
        let five = seeded("chat-4xh100", seed, &[("cluster.pools[0].replicas", "5")]);
        about(five.met("", 30.0, 240.0), 0.98, 1.0);
    }
}

#[test]
fn a_fifth_h100_in_the_middle_of_the_rush_drains_the_queues_in_a_quarter_of_a_minute() {
    let mut edits = document("chat-4xh100", &[])["edits"].clone();
    let fifth = serde_json::json!({ "at_us": 98_000_000, "set": { "cluster.pools[0].replicas": 5 } });
    edits.as_array_mut().expect("a list").push(fifth);
    let found = run("chat-4xh100", &[("edits", &edits.to_string())]);
    about(found.met("", 90.0, 98.0), 0.0, 0.05);
    about(found.met("", 113.0, 240.0), 0.98, 1.0);
    about(found.ttft(50, "", 113.0, 240.0), 40.0, 100.0);
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
    let found = decisions("two-variants");
    let changes = |pool: &str| -> Vec<(u64, u64)> {
        let of_pool = found.iter().filter(|row| text(row, "pool") == pool);
        let changes = of_pool.filter(|row| row["current"] != row["desired"]);
        changes
            .map(|row| (whole(row, "time_us").unwrap() / 1_000_000, whole(row, "desired").unwrap()))
            .collect()
    };
    assert_eq!(changes("l40s"), [(150, 3), (180, 4), (585, 3), (600, 2)]);
    assert_eq!(changes("h100"), [(15, 0), (210, 1), (390, 2), (435, 3), (570, 1), (585, 0)]);
    let mean = |pool: &str| {
        let of_pool = found.iter().filter(|row| text(row, "pool") == pool);
        let each: Vec<f64> = of_pool.filter_map(|row| row["replica_per_s"].as_f64()).collect();
        each.iter().sum::<f64>() / each.len() as f64
    };
    about(mean("h100") / mean("l40s"), 3.15, 3.25);
    // Every instant has a decision about both.
    assert_eq!(found.len(), 2 * 48);

    let (met, usd) = met_and_usd("two-variants", |_| {});
    about(met, 0.965, 0.98);
    let only = |index: usize, most: u64| {
        met_and_usd("two-variants", move |document| {
            let pools = document["cluster"]["pools"].as_array_mut().expect("pools");
            let mut pool = pools.remove(index);
            (pool["scaling"]["min"], pool["scaling"]["max"]) = (1.into(), most.into());
            *pools = vec![pool];
        })
    };
    let (dear, cheap) = (only(1, 8), only(0, 4));
    about(dear.0, 0.999, 1.0);
    about(usd / dear.1, 0.82, 0.84);
    about(cheap.0, 0.28, 0.3);
    let (_, apart) = met_and_usd("two-variants", |document| {
        for pool in document["cluster"]["pools"].as_array_mut().expect("pools") {
            pool["scaling"]["optimizer"] = "alone".into();
        }
    });
    about(apart / usd, 1.21, 1.25);
}

/// The traffic of some seeds turns both ways at once, so that the order holds for most and not for all.
#[test]
fn cheap_variants_are_all_asked_for_before_a_second_expensive_one_and_stay_longer_with_most_seeds() {
    let of_seed = |seed: u64| {
        let found =
            rows(&mut start(&document("two-variants", &[("seed", &seed.to_string())])), Table::Scaling);
        let first = |pool: &str, is: &dyn Fn(u64, u64) -> bool, from_s: u64| {
            let mut of_pool = found.iter().filter(|row| text(row, "pool") == pool);
            let there = of_pool.find(|row| {
                let counts = [whole(row, "current"), whole(row, "desired")].map(|n| n.expect("a count"));
                whole(row, "time_us") >= Some(from_s * 1_000_000) && is(counts[0], counts[1])
            });
            there.map_or(u64::MAX, |row| whole(row, "time_us").expect("an instant"))
        };
        let all_cheap = first("l40s", &|_, desired| desired == 4, 0);
        let second_dear = first("h100", &|current, desired| desired >= 2 && desired > current, 0);
        let fewer = |pool: &str| first(pool, &|current, desired| desired < current, 540);
        (all_cheap <= second_dear, fewer("h100") <= fewer("l40s"))
    };
    let found: Vec<(bool, bool)> = (1..13).map(of_seed).collect();
    let most = |of: fn(&(bool, bool)) -> bool| found.iter().filter(|pair| of(pair)).count();
    assert!(most(|pair| pair.0) == 12 && most(|pair| pair.1) >= 10, "{found:?}");
}

#[test]
fn on_a_slow_decline_a_whole_dear_replica_is_too_much_later_than_a_cheap_one() {
    let preset = Preset::named("two-variants").expect("a preset");
    let mut document = serde_json::to_value(preset.scenario()).expect("a scenario is JSON");
    document["workload"]["clients"][0]["rate_profile"]["ramps"]["points"][4]["at_s"] = 720.into();
    document["run"]["horizon_s"] = 800.into();
    let found = rows(&mut start(&document), Table::Scaling);
    let fewer = found.iter().filter(|row| {
        whole(row, "time_us") > Some(540_000_000) && whole(row, "desired") < whole(row, "current")
    });
    let order: Vec<&str> = fewer.map(|row| text(row, "pool")).collect();
    assert_eq!(order, ["l40s", "l40s", "h100", "h100"]);
}
