//! Invalid golden files of the queueing model: rows out of order, unknown keys.

use super::lines;
use serde_json::{Value, json};
use tokenyard::golden;
use tokenyard::queueing::Mode;

const FILES: [&str; 6] =
    ["autoscaler_policies", "bootstrap_go", "closed_form", "ekf_trajectories", "queue_analyzer", "theory"];

fn document(name: &str) -> Value {
    let path = format!("tests/goldens/queueing/{name}.json");
    let text = std::fs::read_to_string(path).expect("the golden file is there");
    serde_json::from_str(&text).expect("it is JSON")
}

/// The problems of a document, whether it is compared or only run.
fn refused(document: &Value) -> Vec<String> {
    let found =
        golden::queueing_results(&document.to_string(), Mode::Corrected).expect_err("it cannot be used");
    assert_eq!(lines(&found), super::refused(document));
    lines(&found)
}

/// The case of a policy.
fn case<'a>(document: &'a mut Value, policy: &str) -> &'a mut Value {
    let cases = document["cases"].as_array_mut().expect("a list");
    cases.iter_mut().find(|case| case["policy"] == policy).expect("a case of this policy")
}

#[test]
fn rows_whose_instants_go_back_are_refused_with_their_place() {
    for policy in ["hpa", "kpa"] {
        let mut document = document("autoscaler_policies");
        document["cases"] = json!([case(&mut document, policy).clone()]);
        let latest = document["cases"][0]["rows"][4]["t"].as_f64().expect("a number");
        document["cases"][0]["rows"][5]["t"] = json!(latest - 0.5);
        let told = refused(&document);
        assert_eq!(told.len(), 1, "{told:#?}");
        assert!(told[0].starts_with("cases[0].rows[5].t: "), "{}", told[0]);
        assert!(told[0].contains(&format!("allowed: at least {latest} s")), "{}", told[0]);
    }
}

#[test]
fn instants_of_any_size_are_refused_without_a_panic() {
    for policy in ["hpa", "kpa"] {
        for instant in [json!(-1), json!(1e300), json!(u64::MAX), json!(-1e308), json!("5")] {
            let mut document = document("autoscaler_policies");
            document["cases"] = json!([case(&mut document, policy).clone()]);
            document["cases"][0]["rows"][0]["t"] = instant.clone();
            let told = refused(&document);
            assert!(told[0].starts_with("cases[0].rows[0].t: "), "{instant}: {}", told[0]);
        }
    }
    let mut spans = document("autoscaler_policies");
    spans["cases"] = json!([case(&mut spans, "kpa").clone()]);
    spans["cases"][0]["config"]["stable_s"] = json!(1e300);
    assert!(refused(&spans)[0].starts_with("cases[0].config.stable_s: "));
}

#[test]
fn instants_that_stand_still_are_taken() {
    let mut document = document("autoscaler_policies");
    document["cases"] = json!([case(&mut document, "kpa").clone()]);
    document["cases"][0]["rows"][1]["t"] = document["cases"][0]["rows"][0]["t"].clone();
    golden::queueing_results(&document.to_string(), Mode::Corrected).expect("they are sound");
}

/// Every object below a value, by JSON pointer.
fn objects(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            out.push(at.to_owned());
            map.iter().for_each(|(key, value)| objects(value, &format!("{at}/{key}"), out));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(i, value)| objects(value, &format!("{at}/{i}"), out));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The same with one case of each kind and two entries in every other list.
fn shortened(value: &mut Value) {
    if let Value::Array(list) = value {
        let mut seen = Vec::new();
        list.retain(|entry| {
            let kind = entry.get("kind").or(entry.get("policy")).cloned().unwrap_or_default();
            seen.push(kind.clone());
            seen.iter().filter(|k| **k == kind).count()
                <= if kind.is_null() && entry.is_object() { 2 } else { 1 }
                || !entry.is_object()
        });
    }
    match value {
        Value::Array(list) => list.iter_mut().for_each(shortened),
        Value::Object(map) => map.values_mut().for_each(shortened),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn a_key_that_no_format_has_is_refused_or_a_difference_wherever_it_stands() {
    for name in FILES {
        let mut document = document(name);
        shortened(&mut document);
        let mut places = Vec::new();
        objects(&document, "", &mut places);
        // Names of variants are keys of their own choice.
        let own = ["/params", "/ref_float64", "/seed_params", "/tables", "/tandem"];
        places.retain(|place| !own.iter().any(|end| place.ends_with(end)) || name == "queue_analyzer");
        let mut passed = Vec::new();
        for place in places {
            let mut changed = document.clone();
            changed.pointer_mut(&place).expect("it is there")["zzz_unknown"] = json!(1);
            let told = match golden::differences(&changed.to_string(), &[]) {
                Ok(lines) => lines,
                Err(problems) => problems.iter().map(ToString::to_string).collect(),
            };
            if !told.iter().any(|line| line.contains("zzz_unknown")) {
                passed.push(place);
            }
        }
        assert_eq!(passed, [] as [String; 0], "{name}");
    }
}

#[test]
fn unknown_keys_are_reported_one_by_one_with_the_nearest_name() {
    let mut policies = document("autoscaler_policies");
    let kpa = case(&mut policies, "kpa");
    kpa["config"]["panic_treshold"] = json!(2);
    kpa["rows"][0]["concurency"] = json!(5);
    policies["sorce"] = json!("x");
    let told = refused(&policies);
    assert_eq!(told.len(), 3, "{told:#?}");
    for near in ["`source`", "`panic_threshold`", "`concurrency`"] {
        assert!(told.iter().any(|line| line.contains(&format!("did you mean {near}?"))), "{near}: {told:#?}");
    }
}

#[test]
fn a_key_of_another_kind_of_case_is_unknown() {
    let mut document = document("closed_form");
    let cases = document["cases"].as_array_mut().expect("a list");
    let forward = cases.iter_mut().find(|case| case["kind"] == "forward").expect("a case of this kind");
    forward["input"]["itl_slo_ms"] = json!(5);
    assert!(refused(&document)[0].contains("unknown key `itl_slo_ms`"));
}

#[test]
fn an_unknown_law_is_refused() {
    let mut document = document("theory");
    document["tables"]["mm2"] = json!([{"rho": 0.5}]);
    assert!(refused(&document)[0].contains("tables.mm2: a table called \"mm2\""));
}
