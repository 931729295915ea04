//! Scaling of traffic: every rate of a scenario times a factor. Lengths and contents keep their draws, and gaps
//! shrink.

use base::{Diagnostic, json};
use document::{Arrivals, Scenario, limits};
use serde_json::Value;

/// The name for the rates of all clients, or the speed of the trace: its values are factors.
pub(crate) const TRAFFIC: &str = "traffic";

/// Multiplies the rates of all clients, those that edits set included, or the speed of the trace, or the rate at which its sessions start.
pub fn scale_traffic(scenario: &mut Scenario, factor: f64) -> Result<(), Diagnostic> {
    assert!(factor.is_finite() && factor > 0.0, "INV-6: traffic of {factor} times");
    if let Some(trace) = &mut scenario.workload.trace {
        // Sessions that start at a rate have no other.
        *(if trace.session_rate > 0.0 { &mut trace.session_rate } else { &mut trace.speed }) *= factor;
    } else if scenario.workload.clients.iter().any(|c| c.arrivals.rate_per_s() > 0.0) {
        for client in &mut scenario.workload.clients {
            match &mut client.arrivals {
                Arrivals::Poisson { rate_per_s }
                | Arrivals::Gamma { rate_per_s, .. }
                | Arrivals::Weibull { rate_per_s, .. }
                | Arrivals::OnOff { rate_per_s, .. }
                | Arrivals::Constant { rate_per_s } => *rate_per_s *= factor,
                Arrivals::Concurrency { .. } => {}
            }
        }
    } else {
        let allowed = "a client with a rate above 0, or a trace";
        let fix = "requests that are listed one by one have no rate: replay them as a trace";
        return Err(Diagnostic::error("workload", "nothing whose rate could change", allowed, fix));
    }
    let speed = scenario.workload.trace.as_ref().is_some_and(|trace| trace.session_rate <= 0.0);
    for edit in &mut scenario.edits {
        for (path, value) in edit.set.iter_mut().filter(|(path, _)| path.starts_with("workload")) {
            if path.ends_with(".rate_per_s") || path == "workload.trace.speed" && speed {
                times(value, factor);
            } else {
                scale_within(value, factor);
            }
        }
        for (_, entry) in edit.add.iter_mut().filter(|(list, _)| list.as_str() == "workload.clients") {
            if let Some(client) = entry.as_object_mut() {
                client.entry("arrivals").or_insert_with(|| json::tree(&document::Client::default().arrivals));
            }
            scale_within(entry, factor);
        }
    }
    Ok(())
}

/// The largest factor for which no rate leaves its range.
pub(super) fn most(scenario: &Scenario) -> f64 {
    if let Some(trace) = &scenario.workload.trace {
        let by_rate = limits::RATE_PER_S / trace.session_rate;
        return if trace.session_rate > 0.0 { by_rate } else { limits::TRACE_SPEED / trace.speed };
    }
    let rates = scenario.workload.clients.iter().map(|c| c.arrivals.rate_per_s()).filter(|r| *r > 0.0);
    rates.fold(f64::INFINITY, |most, rate| most.min(limits::RATE_PER_S / rate))
}

fn times(value: &mut Value, factor: f64) {
    if let Some(x) = value.as_f64() {
        *value = Value::from(x * factor);
    }
}

/// Every rate in a value. Values of a document are not deep: reading limits their depth.
fn scale_within(value: &mut Value, factor: f64) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                if key == "rate_per_s" { times(value, factor) } else { scale_within(value, factor) }
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| scale_within(entry, factor)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::parse;

    #[test]
    fn rates_of_clients_and_of_edits_are_scaled_and_nothing_else() {
        let mut s = parse(
            r#"{"workload": {"clients": [{"arrivals": {"gamma": {"rate_per_s": 4, "cv": 2}}}]},
                "edits": [{"at_us": 1, "set": {"workload.clients[0].arrivals.gamma.rate_per_s": 6, "workload.timeout_s": 9}},
                          {"at_us": 2, "add": {"workload.clients": {"name": "more"}}},
                          {"at_us": 3, "set": {"workload.clients[0].arrivals": {"poisson": {"rate_per_s": 2}}}}]}"#,
        )
        .unwrap();
        scale_traffic(&mut s, 1.5).unwrap();
        assert_eq!(
            json::compact(&s.workload.clients[0].arrivals),
            r#"{"gamma":{"rate_per_s":6.0,"cv":2.0}}"#
        );
        let edits = json::compact(&s.edits);
        for part in [
            r#"rate_per_s":9.0,"workload.timeout_s":9"#,
            r#"{"poisson":{"rate_per_s":12.0}}"#,
            r#"{"poisson":{"rate_per_s":3.0}}"#,
        ] {
            assert!(edits.contains(part), "{part} is not in {edits}");
        }
        assert!((most(&s) - limits::RATE_PER_S / 6.0).abs() < 1e-9);
    }

    #[test]
    fn listed_requests_have_no_rate() {
        let mut s = parse(r#"{"workload": {"clients": []}}"#).unwrap();
        assert!(scale_traffic(&mut s, 2.0).is_err());
    }
}
