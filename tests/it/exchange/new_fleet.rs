//! A paste is a new fleet: the scenario that texts make by themselves, the same on the page and on the command line,
//! and what is left of the open one where they are applied to it.

use super::{Text, folder, import_into, samples};
use crate::support::command::{run, stderr, stdout};
use crate::support::start;
use serde_json::{Value, json};
use std::fs;
use tokenyard::base::Micros;
use tokenyard::base::import::Import;
use tokenyard::config::import::CONFIGURATIONS;
use tokenyard::config::import::configuration::{Imported, NewTraffic, TrafficAsked, imported};
use tokenyard::scenario::{self, Scenario};
use tokenyard::session::Stop;

/// An open scenario with words, edits and pools of its own.
const OPEN: &str = r#"{
    "tokenyard": 1, "title": "Four H100s serving Llama 3.1 8B", "note": "Watch the queue.", "seed": 7,
    "cluster": { "pools": [{ "name": "main", "replicas": 4, "engine": { "max_num_seqs": 96 } }], "routing": "round-robin" },
    "workload": { "clients": [{ "name": "evening", "arrivals": { "poisson": { "rate_per_s": 3 } } }] },
    "edits": [{ "at_us": 30000000, "set": { "cluster.routing": "random" } }]
}"#;

const COMMAND: &str = "vllm serve meta-llama/Llama-3.1-70B-Instruct --tensor-parallel-size 4";

/// All samples of configuration: name of the file and text.
fn all_samples() -> Vec<(String, String)> {
    let names = CONFIGURATIONS.map(Import::name);
    names.iter().flat_map(|name| samples(name, &names)).collect()
}

fn parsed(text: &str) -> Scenario {
    scenario::parse(text).unwrap_or_else(|problems| panic!("{problems:?}: {text}"))
}

/// The import of a text into nothing, with the traffic that is asked for.
fn asking(text: &str, asked: TrafficAsked) -> Imported {
    imported(&[Text { name: String::new(), text: text.to_owned() }], "", &[], &asked)
}

#[test]
fn a_paste_on_any_scenario_makes_the_document_of_the_command_line() {
    let mut made = 0;
    for (file, text) in all_samples() {
        let out = run(&["import", &folder().join(&file).to_string_lossy()]);
        for open in ["", OPEN] {
            let new = import_into(open, &[text.trim_end()]).new_scenario;
            assert_eq!(new.scenario.trim_end(), stdout(&out).trim_end(), "{file}: {}", stderr(&out));
            assert_eq!(new.scenario.is_empty(), out.status.code() != Some(0), "{file}: {:?}", new.problems);
        }
        made += u32::from(out.status.code() == Some(0));
    }
    assert!(made > 25, "{made}");
}

#[test]
fn a_new_fleet_has_a_title_of_its_own_and_no_note_and_no_edits() {
    for (file, text) in all_samples() {
        let new = import_into(OPEN, &[&text]).new_scenario;
        if new.scenario.is_empty() {
            assert!(!new.problems.is_empty(), "{file}");
            continue;
        }
        let scenario = parsed(&new.scenario);
        assert!((4..=80).contains(&scenario.title.chars().count()), "{file}: {}", scenario.title);
        assert_ne!(scenario.title, parsed(OPEN).title, "{file}");
        assert_eq!((scenario.note.as_str(), scenario.edits.len()), ("", 0), "{file}");
        // Directives say what is kept of requests, not which arrive.
        let bare = |client: &scenario::Client| scenario::Client { retention: Vec::new(), ..client.clone() };
        let clients: Vec<_> = scenario.workload.clients.iter().map(bare).collect();
        let says = scenario.workload.trace.is_some() || clients != new_clients(new.traffic);
        assert_eq!(new.traffic.is_none(), says, "{file}: {:?}", scenario.workload);
    }
}

/// The clients of a new fleet with this traffic.
fn new_clients(traffic: Option<NewTraffic>) -> Vec<scenario::Client> {
    let usual = scenario::Client::default();
    let rate_per_s = traffic.map_or(0.0, |traffic| traffic.rate_per_s);
    vec![scenario::Client { arrivals: scenario::Arrivals::Poisson { rate_per_s }, ..usual }]
}

#[test]
fn titles_name_the_fleet_or_else_the_formats() {
    let of = |texts: &[&str]| parsed(&import_into("", texts).new_scenario.scenario).title;
    let picker = include_str!("samples/EndpointPickerConfig.yaml");
    let scaler = include_str!("samples/HorizontalPodAutoscaler.yaml");
    assert_eq!(of(&[COMMAND]), "Imported: Llama 3.1 70B, 4 × 4 H100");
    assert_eq!(of(&[picker, COMMAND]), "Imported: Llama 3.1 70B, 4 × 4 H100");
    assert_eq!(of(&["vllm serve acme/own-7b -tp 2"]), "Imported: 4 × 2 H100");
    assert_eq!(of(&[picker]), "Imported: EndpointPickerConfig");
    assert_eq!(of(&[picker, scaler]), "Imported: EndpointPickerConfig and HorizontalPodAutoscaler");
}

#[test]
fn the_traffic_that_is_chosen_is_carried_with_ease_and_another_one_is_taken_as_it_is_asked_for() {
    for text in
        [COMMAND, "vllm serve Qwen/Qwen3-8B --max-num-seqs 16", include_str!("samples/Deployment.yaml")]
    {
        let new = asking(text, TrafficAsked::default()).new_scenario;
        let traffic = new.traffic.expect("a command says no traffic");
        let carried = traffic.carried_per_s.expect("a known model");
        assert!((0.5..0.65).contains(&(traffic.rate_per_s / carried)), "{traffic:?}");
        let mut scenario = parsed(&new.scenario);
        scenario.run.horizon_s = 120.0;
        let mut session = start(&scenario);
        assert_eq!(session.advance(Micros::MAX, u64::MAX), Stop::Finished, "{text}");
        let requests = session.report_data().requests;
        assert!(
            requests.arrived > 100 && requests.completed > requests.arrived / 10 * 8,
            "{text}: {requests:?}"
        );
        assert!(requests.queued < 5, "{text}: {requests:?}");
    }
    let asked = TrafficAsked { rate_per_s: Some(2.5), prompt_tokens: Some(3000.0), output_tokens: None };
    let new = asking(COMMAND, asked).new_scenario;
    let client = parsed(&new.scenario).workload.clients.remove(0);
    let text = serde_json::to_value(&client).expect("plain data");
    assert_eq!(text["arrivals"], json!({ "poisson": { "rate_per_s": 2.5 } }));
    assert_eq!(text["prompt_tokens"]["lognormal"]["median_tokens"], 3000.0);
    assert_eq!(text["output_tokens"]["lognormal"]["median_tokens"], 200.0);
}

#[test]
fn traffic_out_of_range_is_one_message_and_leaves_what_is_applied_alone() {
    for (rate, prompt) in [(-1.0, 400.0), (1e9, 400.0), (1.0, 0.0), (1.0, 1e9)] {
        let asked = TrafficAsked { rate_per_s: Some(rate), prompt_tokens: Some(prompt), output_tokens: None };
        let texts = [Text { name: String::new(), text: COMMAND.to_owned() }];
        let found = imported(&texts, OPEN, &[], &asked);
        assert!(
            found.new_scenario.scenario.is_empty() && found.new_scenario.problems.len() == 1,
            "{found:?}"
        );
        assert!(found.new_scenario.problems[0].path.starts_with("workload.clients[0]."), "{found:?}");
        assert_eq!((found.problems.len(), found.scenario.is_empty()), (0, false));
    }
}

#[test]
fn an_import_changes_only_what_it_names_and_a_title_that_is_no_longer_true() {
    let into = |text: &str| parsed(&import_into(OPEN, &[text]).scenario);
    let open = parsed(OPEN);
    // Another model on more GPUs: the title named both.
    let found = into(COMMAND);
    let mut want = open.clone();
    "Imported: Llama 3.1 70B, 4 × 4 H100".clone_into(&mut want.title);
    "llama-3.1-70b".clone_into(&mut want.cluster.pools[0].model);
    want.cluster.pools[0].tp = 4;
    assert_eq!(found, want);
    // What the title does not speak of.
    let found = into("vllm serve meta-llama/Llama-3.1-8B-Instruct --max-num-seqs 128");
    let mut want = open.clone();
    want.cluster.pools[0].engine.max_num_seqs = scenario::BatchLimit::Count(128);
    assert_eq!(found, want);
    let router = into(include_str!("samples/EndpointPickerConfig.yaml"));
    assert_eq!((router.title.as_str(), &router.workload), (open.title.as_str(), &open.workload));
    assert_ne!(router.cluster.routing, open.cluster.routing);
    // A title that names the router.
    let of_router = OPEN.replace("Four H100s serving Llama 3.1 8B", "Round robin in the evening");
    let title = |text: &str| parsed(&import_into(&of_router, &[text]).scenario).title;
    assert_eq!(title(include_str!("samples/EndpointPickerConfig.yaml")), "Imported: EndpointPickerConfig");
    assert_eq!(title(COMMAND), "Round robin in the evening");
}

#[test]
fn a_whole_configuration_applied_to_a_scenario_keeps_what_it_does_not_say() {
    let text = fs::read_to_string(folder().join("routesim.toml")).expect("a sample");
    let found = import_into(OPEN, &[&text]);
    let (scenario, new) = (parsed(&found.scenario), parsed(&found.new_scenario.scenario));
    assert_eq!(scenario.cluster.pools, new.cluster.pools);
    assert_eq!(scenario.note, "Watch the queue.");
    assert_eq!(scenario.edits.len(), 1);
}

#[test]
fn the_command_line_says_the_traffic_it_chose_and_takes_another() {
    let said = |args: &[&str]| {
        let out = run(&[&["import"], args].concat());
        (out.status.code(), stdout(&out), stderr(&out))
    };
    let command = folder().join("vllm-serve.sh").to_string_lossy().into_owned();
    let (code, _, told) = said(&[&command]);
    assert_eq!(code, Some(0), "{told}");
    assert!(
        told.contains("traffic, which no file says: ") && told.contains("the fleet carries about "),
        "{told}"
    );
    let (_, made, told) = said(&[&command, "--rate", "1.5", "--output-tokens", "64"]);
    let scenario: Value = serde_json::from_str(&made).unwrap_or_else(|e| panic!("{e}: {told}"));
    let client = &scenario["workload"]["clients"][0];
    assert_eq!(client["arrivals"]["poisson"]["rate_per_s"], 1.5);
    assert_eq!(client["output_tokens"]["lognormal"]["median_tokens"], 64.0);
    let workload = folder().join("blis-workload.yaml").to_string_lossy().into_owned();
    let (code, made, told) = said(&[&workload, "--rate", "1.5"]);
    assert_eq!((code, made.as_str()), (Some(2), ""), "{told}");
    assert!(told.contains("--rate: error: files that say the traffic"), "{told}");
    assert_eq!(said(&[&command, "--rate", "-3"]).0, Some(2));
    assert_eq!(said(&[&command, "--rate", "3", "--into", "chat-4xh100"]).0, Some(2));
}
