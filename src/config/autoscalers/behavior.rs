//! Import of `behavior`, which limits how fast the horizontal autoscaler changes the number of replicas in either
//! direction.

use crate::import::configuration::Reader;
use base::Diagnostic;
use serde_json::{Value, json};

/// A policy of a direction: the largest change in a period.
struct Rate {
    key: &'static str,
    value: f64,
    period_s: f64,
}

/// The rules of both directions; `None` if there are none. `into` is the field that they set.
pub(crate) fn behavior(r: &mut Reader<'_>, at: &str, into: &str) -> Option<Value> {
    r.get(at)?;
    let up = direction(r, &format!("{at}.scaleUp"), &format!("{into}.up"), json!({ "stabilization_s": 0.0 }));
    let default = json!({ "stabilization_s": 300.0, "pods": 0 });
    let down = direction(r, &format!("{at}.scaleDown"), &format!("{into}.down"), default);
    Some(json!({ "rules": { "up": up, "down": down } }))
}

fn direction(r: &mut Reader<'_>, at: &str, into: &str, default: Value) -> Value {
    let mut rules = default;
    if let Some(s) = r.number(&format!("{at}.stabilizationWindowSeconds"), &format!("{into}.stabilization_s"))
    {
        rules["stabilization_s"] = json!(s);
    }
    if let Some(share) = r.quantity(&format!("{at}.tolerance"), &format!("{into}.tolerance")) {
        rules["tolerance"] = json!(share);
    }
    let path = format!("{at}.selectPolicy");
    match r.word(&path) {
        Some(select @ ("Max" | "Min" | "Disabled")) => {
            r.note(&path, &format!("{into}.select"));
            rules["select"] = json!(select.to_lowercase());
        }
        Some(other) => r.unknown_name(&path, other, &["Max", "Min", "Disabled"]),
        None => {}
    }
    let count = r.entries(&format!("{at}.policies"));
    let rates = |i: usize| rate(r, &format!("{at}.policies.{i}"), into);
    let found: Vec<Rate> = (0..count).filter_map(rates).collect();
    // Two of a type need a list; one of each has keys of its own.
    let listed = found.iter().enumerate().any(|(i, one)| found[..i].iter().any(|o| o.key == one.key));
    if count > 0 {
        (rules["pods"], rules["percent"]) = (json!(0), json!(0.0));
    }
    if listed {
        let start = format!("{at}.policies.");
        for mapping in r.mappings.iter_mut().filter(|m| m.key.starts_with(&start)) {
            mapping.becomes = format!("{into}.policies");
        }
        let limit = |rate: &Rate| json!({ "by": rate.key, "value": rate.value, "period_s": rate.period_s });
        rules["policies"] = found.iter().map(limit).collect();
        return rules;
    }
    // The percentage has its own period only next to a number of replicas.
    for rate in &found {
        let period = if rate.key == "percent" && found.len() > 1 { "percent_period_s" } else { "period_s" };
        rules[rate.key] = if rate.key == "pods" { json!(rate.value as u64) } else { json!(rate.value) };
        rules[period] = json!(rate.period_s);
    }
    if found.len() > 1 && rules["period_s"] == rules["percent_period_s"] {
        rules["percent_period_s"] = json!(0.0);
    }
    rules
}

fn rate(r: &mut Reader<'_>, at: &str, into: &str) -> Option<Rate> {
    let type_at = format!("{at}.type");
    let key = match r.word(&type_at) {
        Some("Pods") => "pods",
        Some("Percent") => "percent",
        found => {
            let found = found.map_or_else(|| "nothing".to_owned(), |f| format!("{f:?}"));
            let fix = "name the unit of the value";
            r.problems.push(Diagnostic::error(type_at, found, "\"Pods\" or \"Percent\"", fix));
            r.set_aside(at);
            return None;
        }
    };
    r.note(&type_at, &format!("{into}.{key}"));
    let value_at = format!("{at}.value");
    let value = r.whole(&value_at, &format!("{into}.{key}"));
    if value.is_none_or(|n| n == 0) {
        let found = if value.is_none() { "nothing" } else { "0" };
        let fix = "selectPolicy: Disabled allows no change";
        r.problems.push(Diagnostic::error(value_at, found, "a whole number, 1 or more", fix));
    }
    let period_at = format!("{at}.periodSeconds");
    let period_s = r.number(&period_at, &format!("{into}.period_s, of the {key}"));
    if r.get(&period_at).is_none() {
        let fix = "give the period in seconds";
        r.problems.push(Diagnostic::error(period_at, "nothing", "a number of seconds", fix));
    }
    Some(Rate { key, value: value? as f64, period_s: period_s? })
}
