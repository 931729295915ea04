//! The glossary of the page: every expression gives a value on a run that has it, and formulas agree with what runs measure.

use crate::support::command::{run, stdout};
use crate::support::{preset, start};
use tokenyard::base::Micros;
use tokenyard::glossary::{GlossaryEntry, Quantity, RestsOn, entries, find, has};
use tokenyard::scenario::{Arrivals, Scenario};
use tokenyard::session::Session;
use tokenyard::session::closeup::CloseUp;

fn all() -> Vec<GlossaryEntry> {
    entries().unwrap_or_else(|problems| panic!("docs/reference/glossary.md: {problems:?}"))
}

fn quantity_of<'a>(all: &'a [GlossaryEntry], word: &str) -> &'a Quantity {
    let found = find(all, word).and_then(|entry| entry.quantity.as_ref());
    found.unwrap_or_else(|| panic!("{word} has a number"))
}

/// The values of expressions at the end of a run, as the page gets them.
fn values(session: &Session, expressions: &[&str]) -> Vec<Option<f64>> {
    let chunks = expressions.chunks(64).map(|chunk| {
        let asked = chunk.iter().map(|&text| text.to_owned()).collect();
        let text = session.close_up(&CloseUp::Figures(asked));
        serde_json::from_str::<Vec<Option<f64>>>(&text).expect("a list of numbers")
    });
    chunks.flatten().collect()
}

fn value(session: &Session, expression: &str) -> Option<f64> {
    values(session, &[expression])[0]
}

fn ended(scenario: &Scenario) -> Session {
    let mut session = start(scenario);
    session.advance(Micros::MAX, u64::MAX);
    session
}

/// Chat and documents on four replicas, steady: the rate rises at 60 s.
fn chat() -> Session {
    let mut scenario = preset("chat-4xh100", 60.0);
    scenario.run.warmup_s = 10.0;
    ended(&scenario)
}

/// A preset whose edits apply from the beginning.
fn edited_at_once(name: &str, horizon_s: f64) -> Scenario {
    let mut scenario = preset(name, horizon_s);
    for edit in &mut scenario.edits {
        edit.at_us = 0;
    }
    scenario
}

/// One request at a time on each of four replicas.
fn one_at_a_time() -> Session {
    let mut scenario = preset("chat-4xh100", 60.0);
    scenario.edits.clear();
    scenario.cluster.pools[0].engine.max_num_seqs = 1_u32.into();
    for client in &mut scenario.workload.clients {
        client.arrivals = Arrivals::Poisson { rate_per_s: 0.4 };
    }
    ended(&scenario)
}

/// Each run with the words of the glossary for what it has.
fn special_runs() -> Vec<(&'static [&'static str], Session)> {
    vec![
        (
            &["an autoscaler", "an autoscaler that started a replica"],
            ended(&preset("spike-cold-starts", 240.0)),
        ),
        (&["prefill apart"], ended(&edited_at_once("llm-d-prefill-decode", 20.0))),
        (&["flow control"], ended(&edited_at_once("queue-at-the-gateway", 20.0))),
        (&["batches of one"], one_at_a_time()),
    ]
}

/// Every expression of a quantity, with the word.
fn expressions(entry: &GlossaryEntry) -> Vec<&str> {
    let Some(quantity) = &entry.quantity else { return Vec::new() };
    let named = quantity.of_run.iter().chain(&quantity.now).map(|value| value.value.as_str());
    let signs = quantity.signs.iter().filter_map(|sign| sign.value.as_deref());
    named.chain(signs).chain(quantity.result.as_deref()).collect()
}

#[test]
fn the_glossary_has_a_number_for_at_least_forty_words_and_all_that_the_page_names() {
    let all = all();
    let numbers = all.iter().filter(|entry| entry.quantity.is_some()).count();
    assert!(numbers >= 40 && all.len() > 200, "{numbers} quantities, {} words", all.len());
    let key_figures = "TTFT p99, TPOT p99, E2E p99, ITL p99, Goodput, Cache hits, Preempted, Cost, Evidence, Hand-over p99, Remote";
    let charts = "TTFT, E2E, ITL, Wait, Throughput, KV in use, Queue depth, Gateway queue, Saturation, Replicas, Requests by stage, \
                  Transfers under way, TTFT density, Ports out, Ports in";
    let rows = "Arrived, Running, Completed, Rejected, Dropped, Preemptions, Jain's index of tenants, Prompt tokens from cache, \
                In flight, Busy, Share of traffic, Step, Queue wait, Cost per million output tokens";
    for label in [key_figures, charts, rows].iter().flat_map(|labels| labels.split(',')) {
        assert!(has(label), "no word for the label {label}");
    }
    for entry in &all {
        assert!(entry.meaning.len() > 10, "{}", entry.word);
        assert!(
            std::path::Path::new(entry.source.split('#').next().unwrap_or_default()).is_file(),
            "{}",
            entry.source
        );
    }
}

#[test]
fn a_name_means_one_word() {
    let all = all();
    let mut seen: Vec<(String, &str)> = Vec::new();
    for entry in &all {
        let words = entry.word.to_lowercase();
        for name in words.split(',').map(str::trim).chain(entry.also.iter().map(String::as_str)) {
            if let Some((_, other)) = seen.iter().find(|(known, _)| known == name) {
                panic!("{name} stands at {other} and at {}", entry.word);
            }
            seen.push((name.to_owned(), &entry.word));
        }
    }
}

#[test]
fn every_expression_has_a_value_on_a_run_that_has_it() {
    let (all, chat) = (all(), chat());
    let mut missing = Vec::new();
    for entry in all.iter().filter(|e| e.quantity.as_ref().is_some_and(|q| q.runs_with.is_empty())) {
        let asked = expressions(entry);
        let found = values(&chat, &asked);
        let absent = asked.iter().zip(found).filter(|(_, value)| value.is_none());
        missing.extend(absent.map(|(text, _)| format!("{}: {text}", entry.word)));
    }
    let special = special_runs();
    for entry in &all {
        let Some(with) = entry.quantity.as_ref().map(|q| q.runs_with.as_str()).filter(|w| !w.is_empty())
        else {
            continue;
        };
        let run = special.iter().find(|(words, _)| words.contains(&with)).map_or(&chat, |(_, run)| run);
        let asked = expressions(entry);
        let found = values(run, &asked);
        // The CPU tier has a test of its own.
        let absent = asked.iter().zip(found).filter(|(_, value)| value.is_none() && with != "a CPU tier");
        missing.extend(absent.map(|(text, _)| format!("{} ({with}): {text}", entry.word)));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn values_of_other_runs_are_missing_not_zero() {
    let (all, chat) = (all(), chat());
    for word in ["cold start", "oscillation", "hand-over", "transfer", "saturation", "CPU tier", "M/M/1"] {
        let quantity = quantity_of(&all, word);
        assert!(!quantity.runs_with.is_empty(), "{word}");
        for expression in quantity.of_run.iter().map(|v| v.value.as_str()).chain(quantity.result.as_deref()) {
            assert_eq!(value(&chat, expression), None, "{word}: {expression}");
        }
    }
}

/// How far a formula may be from what the run measures, as a share: `≈` holds on average and nearly.
fn tolerance(quantity: &Quantity) -> f64 {
    if quantity.formula.iter().any(|piece| piece == "≈") { 0.2 } else { 1e-9 }
}

fn disagreements(run: &Session, most: f64) -> (usize, Vec<String>) {
    let (mut compared, mut off) = (0, Vec::new());
    for entry in all() {
        let Some(quantity) = entry.quantity.filter(|q| tolerance(q) <= most) else { continue };
        let (Some(formula), Some(measured)) = (&quantity.result, quantity.of_run.first()) else { continue };
        let found = values(run, &[formula, &measured.value]);
        let (Some(by_formula), Some(by_run)) = (found[0], found[1]) else { continue };
        compared += 1;
        if (by_formula - by_run).abs() > tolerance(&quantity) * by_run.abs() {
            off.push(format!("{}: {by_formula} by the formula, {by_run} by the run", entry.word));
        }
    }
    (compared, off)
}

#[test]
fn formulas_and_what_runs_measure_agree() {
    let (compared, off) = disagreements(&chat(), 1.0);
    assert!(off.is_empty(), "{}", off.join("\n"));
    assert!(compared >= 18, "{compared}");
    for (words, run) in special_runs() {
        let (compared, off) = disagreements(&run, 1e-6);
        assert!(off.is_empty(), "{words:?}: {}", off.join("\n"));
        assert!(compared >= 8, "{words:?}: {compared}");
    }
}

#[test]
fn littles_law_gives_the_mean_number_inside() {
    let all = all();
    let law = quantity_of(&all, "Little's law").result.clone().expect("a formula");
    let inside =
        (0..4).map(|k| format!("report.replicas.{k}.mean_queued + report.replicas.{k}.mean_running"));
    let inside = inside.collect::<Vec<_>>().join(" + ");
    let found = values(&chat(), &[&law, &inside]);
    let (by_law, by_replicas) = (found[0].expect("L"), found[1].expect("a mean"));
    assert!((by_law / by_replicas - 1.0).abs() < 0.05, "{by_law} against {by_replicas}");
}

#[test]
fn the_load_of_servers_that_take_one_request_at_a_time_is_their_busy_share() {
    let all = all();
    let run = one_at_a_time();
    let rho = quantity_of(&all, "utilisation").result.clone().expect("a formula");
    let found = values(&run, &[&rho, &quantity_of(&all, "busy").of_run[0].value]);
    let (rho, busy) = (found[0].expect("ρ"), found[1].expect("busy"));
    assert!((0.2..0.9).contains(&busy) && (rho / busy - 1.0).abs() < 0.1, "{rho} against {busy}");
    // The wait of M/M/1 is twice that of M/D/1.
    let wait =
        |word: &str| value(&run, quantity_of(&all, word).result.as_deref().expect("a formula")).expect("W");
    assert!((wait("M/M/1") / wait("M/D/1") - 2.0).abs() < 1e-9);
}

#[test]
fn blocks_of_a_cpu_tier_are_counted_where_there_is_one() {
    let mut scenario = preset("chat-4xh100", 20.0);
    scenario.cluster.pools[0].kv.cpu_blocks = 20_000;
    let run = ended(&scenario);
    let all = all();
    let asked = expressions(find(&all, "CPU tier").expect("a word"));
    assert!(values(&run, &asked).iter().all(Option::is_some), "{asked:?}");
}

#[test]
fn evidence_of_quantities_is_said() {
    let all = all();
    for (word, rests_on) in [
        ("seed", RestsOn::Exact),
        ("arrival rate", RestsOn::Exact),
        ("TTFT", RestsOn::Steps),
        ("hit rate", RestsOn::Blocks),
    ] {
        assert_eq!(quantity_of(&all, word).rests_on, rests_on, "{word}");
    }
}

#[test]
fn the_pages_glossary_is_the_one_printed() {
    let kept = std::fs::read_to_string("www/src/generated/glossary.json").expect("the page has a glossary");
    let out = run(&["glossary"]);
    assert!(kept == stdout(&out), "renew it: cargo run -- glossary > www/src/generated/glossary.json");
}
