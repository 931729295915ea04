//! Each format that is read has a sample, which only it recognises and reads without a problem, and every key of the
//! sample is reported.

use super::samples;
use serde_json::{Map, Value};
use std::path::Path;
use tokenyard::exchange::import::benchmark::{Text, format, formats, read};
use tokenyard::exchange::import::configuration::{Report, adopt_policies, convert_routesim};
use tokenyard::exchange::import::{BENCHMARKS, CONFIGURATIONS, Import};

/// The document of a sample of configuration.
fn document(file: &str, text: &str) -> Value {
    if Path::new(file).extension().is_some_and(|extension| extension == "toml") {
        toml::from_str(text).unwrap_or_else(|e| panic!("{file}: {e}"))
    } else {
        serde_saphyr::from_str(text).unwrap_or_else(|e| panic!("{file}: {e}"))
    }
}

/// What reading a document says about its keys.
fn report(name: &str, file: &str, document: &Value) -> Report {
    let within = |text: &str| serde_saphyr::from_str(text).ok();
    let found = if name == "routesim" {
        convert_routesim(document).map(|(_, report)| report)
    } else {
        adopt_policies(vec![document.clone()], &within, &mut Value::Object(Map::new()))
    };
    found.unwrap_or_else(|problems| panic!("{file}: {problems:?}"))
}

/// The paths of all values of a document, those of lists by their numbers.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, inner)| leaves(inner, &below(key), found)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, inner)| leaves(inner, &below(&i.to_string()), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => found.push(path.to_owned()),
    }
}

#[test]
fn each_format_of_configuration_has_a_sample_and_reports_each_key() {
    let names = CONFIGURATIONS.map(Import::name);
    for name in names {
        let found = samples(name, &names);
        assert!(!found.is_empty(), "tests/it/exchange/samples/{name}.* is missing");
        for (file, text) in found {
            let document = document(&file, &text);
            let by: Vec<&str> =
                CONFIGURATIONS.iter().filter(|f| f.recognises(&document)).map(|f| f.name()).collect();
            assert_eq!(by, [name], "{file}");
            let report = report(name, &file, &document);
            let mut keys = Vec::new();
            leaves(&document, "", &mut keys);
            for key in keys {
                // A key may be reported with the section that it stands in, or with the parts of its text.
                let about = |other: &str| {
                    let within = |a: &str, b: &str| a == b || a.starts_with(&format!("{b}."));
                    within(&key, other) || within(other, &key)
                };
                let said = report.mappings.iter().any(|m| about(&m.key))
                    || report.problems.iter().any(|p| about(&p.path));
                assert!(said, "{file}: {key} is passed over in silence: {report:?}");
            }
        }
    }
}

/// The router that a configuration of llm-d becomes, and what is said of it.
fn adopted(text: &str) -> (Value, Report) {
    let mut scenario = Value::Object(Map::new());
    let document = serde_saphyr::from_str(text).expect("YAML");
    let report = adopt_policies(vec![document], &|_| None, &mut scenario).expect("a configuration");
    assert!(tokenyard::scenario::from_value(scenario.clone()).and_then(tokenyard::scenario::check).is_ok());
    (scenario["cluster"]["routing"]["weighted"].clone(), report)
}

#[test]
fn a_bundle_may_give_its_scorers_as_text() {
    let (weighted, _) =
        adopted("routing: {policy: weighted, scorers: 'precise-prefix-cache:3,queue-depth:2'}");
    let scorers = serde_json::json!([
        { "scorer": "precise-prefix", "weight": 3.0 }, { "scorer": "queue-depth", "weight": 2.0 },
    ]);
    assert_eq!(weighted, serde_json::json!({ "profile": "custom", "scorers": scorers }));
}

#[test]
fn llm_d_s_routers_become_weighted_with_their_filters_and_keys() {
    let sample = include_str!("samples/EndpointPickerConfig.yaml");
    let token = serde_json::json!({
        "profile": "custom", "ties": "random", "picker": "max",
        "scorers": [{ "scorer": "token-load", "weight": 1.0 }],
        "filters": [{ "prefix-affinity": {
            "threshold": 0.8, "max_ttft_penalty_ms": 18000.0, "peak_prefill_tokens_per_s": 15928,
        } }],
        "token_threshold": 4_194_304, "token_count": "uncached", "token_until": "first-token",
        "prefix_index_blocks": 31_250, "prefix_block_tokens": 64, "prefix_match_tokens": 131_072,
    });
    assert_eq!(adopted(sample).0, token);
    // Before 1.0 blocks were 64 bytes, 16 tokens, and a prompt had at most 256 of them.
    let former = "kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: prefix-cache-scorer
  parameters: {hashBlockSize: 64, maxPrefixBlocksToMatch: 256, lruCapacityPerServer: 31250}
- {type: active-request-scorer, parameters: {idleThreshold: 2, maxBusyScore: 0.5}}
- type: metrics-data-source
schedulingProfiles:
- name: default
  plugins:
  - {pluginRef: queue-scorer, weight: 2}
  - {pluginRef: prefix-cache-scorer, weight: 3}
  - pluginRef: active-request-scorer
";
    let (weighted, report) = adopted(former);
    let want = serde_json::json!({
        "profile": "custom", "ties": "random",
        "scorers": [
            { "scorer": "waiting-requests", "weight": 2.0 },
            { "scorer": "prefix-affinity", "weight": 3.0 },
            { "scorer": "active-requests", "weight": 1.0 },
        ],
        "idle_threshold": 2, "max_busy_score": 0.5, "prefix_index_blocks": 31_250, "prefix_match_tokens": 4096,
    });
    assert_eq!(weighted, want);
    let left_out = |key: &str| report.mappings.iter().any(|m| m.key == key && !m.has_counterpart);
    assert!(left_out("plugins.1.parameters.hashBlockSize") && left_out("plugins.3.type"), "{report:?}");
    // A name that no plugin has, and a profile without a scorer.
    let unknown = serde_saphyr::from_str(
        "kind: EndpointPickerConfig
plugins: [{type: queue-scorer}]
schedulingProfiles: [{name: default, plugins: [{pluginRef: queue-score}]}]
",
    );
    let problems = adopt_policies(vec![unknown.expect("YAML")], &|_| None, &mut Value::Object(Map::new()));
    let paths: Vec<String> = problems.expect_err("nothing to score").into_iter().map(|d| d.path).collect();
    assert_eq!(paths, ["schedulingProfiles.0.plugins.0.pluginRef", "schedulingProfiles"]);
}

#[test]
fn each_format_of_benchmarks_has_a_sample_that_it_alone_recognises() {
    let names = BENCHMARKS.map(Import::name);
    for name in names {
        let found = samples(name, &names);
        assert!(!found.is_empty(), "tests/it/exchange/samples/{name}.* is missing");
        for (file, text) in found {
            let source = Text::new(&text);
            let by: Vec<&str> =
                BENCHMARKS.iter().filter(|f| f.recognises(&source)).map(|f| f.name()).collect();
            assert_eq!(by, [name], "{file}");
            assert_eq!(format(&text).map(Import::name), Some(name), "{file}");
            let (runs, warnings) = read(&text).unwrap_or_else(|problems| panic!("{file}: {problems:?}"));
            assert!(warnings.is_empty() && !runs[0].figures.is_empty(), "{file}: {warnings:?}");
        }
    }
}

#[test]
fn messages_name_every_format_of_benchmarks() {
    let expected = "a result of vllm bench serve, sglang.bench_serving, GuideLLM, inference-perf, AIPerf or LLMPerf, the log of a vLLM \
                    server, or its /metrics";
    assert_eq!(formats(), expected);
}
