//! Each format that is read has a sample, which only it recognises and reads without a problem, and every key of the
//! sample is reported.

use super::samples;
use serde_json::{Map, Value};
use tokenyard::base::import::Import;
use tokenyard::benchmarks::import::BENCHMARKS;
use tokenyard::benchmarks::import::benchmark::{Text, format, formats, read};
use tokenyard::config::import::CONFIGURATIONS;
use tokenyard::config::import::configuration::{Report, adopt_policies, formats_of};
use tokenyard::config::import::documents::{self, yaml};

/// The documents of a sample of configuration.
fn documents_of(file: &str, text: &str) -> Vec<Value> {
    let texts = [documents::Text { name: String::new(), text: text.to_owned() }];
    let found = documents::documents(&texts).unwrap_or_else(|problems| panic!("{file}: {problems:?}"));
    found.into_iter().map(|document| document.tree.value).collect()
}

/// What reading documents says about their keys.
fn report(file: &str, documents: Vec<Value>) -> Report {
    let found = adopt_policies(documents, &|_| None, &mut Value::Object(Map::new()));
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
            let by = formats_of(&text).unwrap_or_else(|problems| panic!("{file}: {problems:?}"));
            assert!(!by.is_empty() && by.iter().all(|names| *names == [name]), "{file}: {by:?}");
            let documents = documents_of(&file, &text);
            let mut keys = Vec::new();
            for document in &documents {
                leaves(document, "", &mut keys);
            }
            let report = report(&file, documents);
            for key in keys {
                // A key may be reported with the section that it stands in, or with the parts of its text.
                let about = |other: &str| {
                    let within = |a: &str, b: &str| a == b || a.starts_with(&format!("{b}."));
                    within(&key, other) || within(other, &key)
                };
                let said = report.mappings.iter().any(|m| about(&m.key) || m.value_at() == key)
                    || report.problems.iter().any(|p| about(&p.path));
                assert!(said, "{file}: {key} is passed over in silence: {report:?}");
            }
        }
    }
}

/// The router that a configuration of llm-d becomes, and what is said of it.
fn adopted(text: &str) -> (Value, Report) {
    let mut scenario = Value::Object(Map::new());
    let document = yaml::value(text).expect("YAML");
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
        "idle_threshold": 2, "max_busy_score": 0.5, "prefix_index_blocks": 31_250, "prefix_block_tokens": 16,
        "prefix_match_tokens": 4096,
    });
    assert_eq!(weighted, want);
    let left_out = |key: &str| report.mappings.iter().any(|m| m.key == key && !m.has_counterpart());
    assert!(left_out("plugins.3.type") && !left_out("plugins.1.parameters.hashBlockSize"), "{report:?}");
    // A name that no plugin has, and a profile without a scorer.
    let unknown = yaml::value(
        "kind: EndpointPickerConfig
plugins: [{type: queue-scorer}]
schedulingProfiles: [{name: default, plugins: [{pluginRef: queue-score}]}]
",
    );
    let problems = adopt_policies(vec![unknown.expect("YAML")], &|_| None, &mut Value::Object(Map::new()));
    let paths: Vec<String> = problems.expect_err("nothing to score").into_iter().map(|d| d.path).collect();
    assert_eq!(paths, ["schedulingProfiles.0.plugins.0.pluginRef", "schedulingProfiles"]);
}

/// The cluster that a configuration of llm-d makes of one, and what is said of each key.
fn cluster_of(text: &str, cluster: &Value) -> Result<(Value, Report), Vec<String>> {
    let mut scenario = serde_json::json!({ "cluster": cluster });
    let document = yaml::value(text).expect("YAML");
    match adopt_policies(vec![document], &|_| None, &mut scenario) {
        Ok(report) => Ok((scenario["cluster"].clone(), report)),
        Err(problems) => Err(problems.into_iter().map(|d| d.path).collect()),
    }
}

#[test]
fn llm_d_s_profiles_of_prefill_and_decode_become_two_routers() {
    let sample = include_str!("samples/EndpointPickerConfig-disagg.yaml");
    // Transfers are kept: a router's configuration says nothing of them.
    let pools = serde_json::json!([{ "name": "p", "role": "prefill" }, { "name": "d", "role": "decode" }]);
    let before = serde_json::json!({ "pools": pools, "disaggregation": { "transfer": { "base_us": 7 } } });
    let (cluster, report) = cluster_of(sample, &before).expect("a configuration");
    let memory = |mut router: Value| {
        for (key, value) in [
            ("profile", serde_json::json!("custom")),
            ("ties", serde_json::json!("random")),
            ("token_count", serde_json::json!("uncached")),
            ("token_until", serde_json::json!("first-token")),
            ("prefix_index_blocks", serde_json::json!(31_250)),
            ("prefix_block_tokens", serde_json::json!(64)),
            ("prefix_match_tokens", serde_json::json!(131_072)),
            ("idle_threshold", serde_json::json!(2)),
        ] {
            router[key] = value;
        }
        serde_json::json!({ "weighted": router })
    };
    let home = serde_json::json!({ "scorers": [{ "scorer": "active-requests", "weight": 2.0 }] });
    assert_eq!(cluster["routing"], memory(home));
    let prefill = serde_json::json!({
        "picker": "max",
        "scorers": [{ "scorer": "token-load", "weight": 1.0 }],
        "filters": [{ "prefix-affinity": { "threshold": 0.8, "peak_prefill_tokens_per_s": 33_821 } }],
    });
    let apart = serde_json::json!({
        "decider": { "threshold": { "uncached_tokens": 16 } },
        "prefill_routing": memory(prefill),
        "transfer": { "base_us": 7 },
    });
    assert_eq!(cluster["disaggregation"], apart);
    let scenario = serde_json::json!({ "cluster": cluster });
    let (_, warnings) =
        tokenyard::scenario::from_value(scenario).and_then(tokenyard::scenario::check).expect("good");
    assert_eq!(warnings, []);
    let becomes = |key: &str| {
        let of_key: Vec<_> = report.mappings.iter().filter(|m| m.key == key).collect();
        assert_eq!(of_key.len(), 1, "{key}: {of_key:?}");
        (of_key[0].becomes.as_str(), of_key[0].has_counterpart())
    };
    assert_eq!(becomes("plugins.1.type"), ("cluster.disaggregation.decider = threshold", true));
    assert_eq!(becomes("plugins.4.type"), ("the pools with the role prefill", true));
    assert_eq!(becomes("schedulingProfiles.0.name"), ("cluster.disaggregation.prefill_routing", true));
    assert!(!becomes("plugins.2.type").1, "a decider that nothing names");
    // The filter stands in one profile of two, and is read once.
    assert!(becomes("plugins.7.parameters.affinityThreshold").1);
}

#[test]
fn deciders_of_llm_d_are_read_as_their_handlers_use_them() {
    let split = |handler: &str, deciders: &str| {
        let text = format!(
            "kind: EndpointPickerConfig
plugins: [{deciders}{handler}, {{type: decode-filter}}, {{type: prefill-filter}}, {{type: random-picker}}]
schedulingProfiles:
- {{name: prefill, plugins: [{{pluginRef: prefill-filter}}, {{pluginRef: random-picker}}]}}
- {{name: decode, plugins: [{{pluginRef: decode-filter}}, {{pluginRef: random-picker}}]}}
- {{name: encode, plugins: []}}
"
        );
        cluster_of(&text, &serde_json::json!({})).map(|(cluster, _)| {
            assert_eq!(cluster["routing"], "random");
            assert_eq!(cluster["disaggregation"]["prefill_routing"], "random");
            cluster["disaggregation"]["decider"].clone()
        })
    };
    let by_prefix =
        |n: u32| format!("{{type: prefix-based-pd-decider, parameters: {{nonCachedTokens: {n}}}}}, ");
    let always = "{type: always-disagg-pd-decider, name: always}, ";
    let naming = |name: &str| {
        format!("{{type: disagg-profile-handler, parameters: {{deciders: {{prefill: {name}}}}}}}")
    };
    let former = "{type: pd-profile-handler, parameters: {deciderPluginName: prefix-based-pd-decider}}";
    assert_eq!(split(&naming("always"), always), Ok("always".into()));
    let threshold = |n: u32| Ok(serde_json::json!({ "threshold": { "uncached_tokens": n } }));
    assert_eq!(split(&naming("prefix-based-pd-decider"), &by_prefix(512)), threshold(512));
    assert_eq!(split(former, &by_prefix(8)), threshold(8));
    // 0 switches prefill replicas off; a handler without a decider has none, its former form always uses them.
    assert_eq!(split(&naming("prefix-based-pd-decider"), &by_prefix(0)), Ok("never".into()));
    assert_eq!(split("{type: disagg-profile-handler}", always), Ok("never".into()));
    assert_eq!(split("{type: pd-profile-handler}", ""), Ok("always".into()));
    let path = |handler: usize| Err(vec![format!("plugins.{handler}.parameters.deciders.prefill")]);
    assert_eq!(split(&naming("alway"), always), path(1));
    assert_eq!(split(&naming("decode-filter"), ""), path(0));
    // A stage without a profile.
    let one = "kind: EndpointPickerConfig
plugins: [{type: disagg-profile-handler}, {type: queue-scorer}]
schedulingProfiles: [{name: decode, plugins: [{pluginRef: queue-scorer}]}]
";
    assert_eq!(cluster_of(one, &serde_json::json!({})), Err(vec!["schedulingProfiles".to_owned()]));
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
            let has_figures = !runs[0].figures.is_empty() || runs[0].series.is_some();
            assert!(warnings.is_empty() && has_figures, "{file}: {warnings:?}");
        }
    }
}

#[test]
fn the_table_of_formats_has_every_format_and_only_files_that_are_there() {
    let table = include_str!("../../../docs/reference/formats.md");
    let named =
        |name: &str| table.lines().any(|line| line.starts_with('|') && line.contains(&format!("`{name}`")));
    for name in CONFIGURATIONS.map(Import::name).into_iter().chain(BENCHMARKS.map(Import::name)) {
        assert!(named(name), "docs/reference/formats.md lacks `{name}`");
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    for file in table.split('`').filter(|word| word.strip_suffix(".rs").is_some() && !word.contains('/')) {
        let is_there = ["exchange", "measured"].iter().any(|folder| root.join(folder).join(file).is_file());
        assert!(is_there, "{file}");
    }
}

#[test]
fn messages_name_every_format_of_benchmarks() {
    let expected = "a result of vllm bench serve, sglang.bench_serving, InferenceX, GuideLLM, inference-perf, AIPerf, LLMPerf or llm-d-benchmark, \
                    the log of a vLLM server, or its /metrics, or a range query of these metrics in Prometheus";
    assert_eq!(formats(), expected);
}
