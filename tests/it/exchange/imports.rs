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
