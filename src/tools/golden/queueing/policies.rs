//! Recorded decisions of scaling policies: traces tick by tick, and snapshots. A row's state of the cluster at its
//! tick is the input; the policy's decision is compared.

use super::figures::{self, Figures, Tolerance, numbers};
use super::lines::Lines;
use super::reader::Reader;
use base::{Diagnostic, Micros, Span};
use engine::policy::scaling::Bounds;
use engine::policy::scaling::hpa::{Behavior, Hpa, Metric};
use engine::policy::scaling::kpa::{Kpa, KpaSettings};
use engine::policy::scaling::saturation_v1::{self, ReplicaLoad, SaturationSettings};
use engine::policy::scaling::saturation_v2::{self, QueueCharge, TokenLoad, TokenSettings, TokenVariant};
use serde_json::{Value, json};

/// Policies of recorded decisions.
pub(super) const POLICIES: [&str; 4] = ["hpa", "kpa", "wva-sat-v1", "wva-sat-v2"];

const EXACT: Tolerance = Tolerance { relative: 1e-9, absolute: 0.0 };

/// All cases of a file.
pub(super) fn check(file: &Reader<'_>, lines: &mut Lines<'_>) {
    for case in file.list("cases") {
        let policy = case.text("policy");
        if !lines.wants(policy) {
            continue;
        }
        match (result(&case), case.maybe("rows")) {
            (Some(Value::Array(got)), Some(rows)) => {
                for (row, got) in rows.entries().iter().zip(&got) {
                    compare(row, got, lines);
                }
            }
            (Some(got), None) => compare(&case.get("expect"), &got, lines),
            _ => {}
        }
    }
}

fn compare(want: &Reader<'_>, got: &Value, lines: &mut Lines<'_>) {
    if let Some(got) = got.as_object() {
        figures::compare(want, got, &|_| EXACT, lines);
    }
}

/// The result of a case: a list for a trace, an object for a snapshot.
pub(super) fn result(case: &Reader<'_>) -> Option<Value> {
    Some(match case.text("policy") {
        "hpa" => hpa(case),
        "kpa" => kpa(case),
        "wva-sat-v1" => saturation(&case.get("input")),
        "wva-sat-v2" => tokens(case),
        other => {
            let path = format!("{}.policy", case.path());
            let found = format!("{other:?}");
            case.refuse(Diagnostic::error(path, found, POLICIES.join(", "), "write one of these"));
            return None;
        }
    })
}

/// Reads the instants of rows, which must ascend.
#[derive(Default)]
struct Clock {
    latest: Option<(Micros, f64)>,
}

impl Clock {
    /// The instant of a row; after a problem, the instant of the previous row.
    fn read(&mut self, row: &Reader<'_>) -> Micros {
        let (at, seconds) = (row.instant("t"), row.value().get("t").and_then(Value::as_f64).unwrap_or(0.0));
        match self.latest {
            Some((latest, before)) if at < latest => {
                let (path, found) =
                    (format!("{}.t", row.path()), format!("{seconds} s, before the row above it"));
                let allowed = format!("at least {before} s");
                let fix = "put the rows in the order of their instants";
                row.refuse(Diagnostic::error(path, found, allowed, fix));
                latest
            }
            Some(_) | None => {
                self.latest = Some((at, seconds));
                at
            }
        }
    }
}

/// The row with the policy's decision.
fn row(given: &Reader<'_>, made: Figures) -> Value {
    let mut all = given.value().as_object().cloned().unwrap_or_default();
    all.extend(made);
    Value::Object(all)
}

fn hpa(case: &Reader<'_>) -> Value {
    let config = case.get("config");
    let bounds = Bounds { min: config.whole("min"), max: config.whole("max") };
    let target = config.number("target_average");
    let behavior = (!config.text("behavior").starts_with("absent")).then(Behavior::default);
    let mut scaler = Hpa::new(bounds, behavior);
    let mut clock = Clock::default();
    let mut tick = |at: &Reader<'_>| {
        let metric = Metric::AverageValue { value: at.number("total_metric"), target };
        let d = scaler.tick(clock.read(at), at.whole("current"), &[metric]);
        let made = [("raw", d.recommended), ("stabilized", d.stabilised), ("desired", d.desired)];
        row(at, made.into_iter().map(|(name, n)| (name.to_owned(), json!(n))).collect())
    };
    case.list("rows").iter().map(&mut tick).collect()
}

fn kpa(case: &Reader<'_>) -> Value {
    let config = case.get("config");
    let span = |key: &str| Span(config.instant(key).0);
    let settings = KpaSettings {
        target: config.number("container_concurrency") * config.number("target_utilization"),
        stable: span("stable_s"),
        panic: span("panic_s"),
        panic_threshold: config.number("panic_threshold"),
        max_up: config.number("max_up"),
        max_down: config.number("max_down"),
        ..KpaSettings::of_concurrency(1.0, Bounds { min: 0, max: u32::MAX })
    };
    let mut scaler = Kpa::new(settings);
    let mut clock = Clock::default();
    let mut tick = |at: &Reader<'_>| {
        let (d, w) = scaler.tick(clock.read(at), at.whole("ready"), at.number("concurrency"));
        let mut made = numbers([("stable", w.stable), ("panic_value", w.panic)]);
        made.insert("in_panic".into(), json!(w.panicking));
        made.insert("desired".into(), json!(d.desired));
        row(at, made)
    };
    case.list("rows").iter().map(&mut tick).collect()
}

fn saturation(input: &Reader<'_>) -> Value {
    let load = |at: &Reader<'_>| ReplicaLoad { kv: at.number("kv"), queue: at.number("q") };
    let replicas: Vec<ReplicaLoad> = input.entries().iter().map(load).collect();
    let found = saturation_v1::analyze(&SaturationSettings::default(), &replicas);
    json!({
        "non_saturated": found.free,
        "avg_spare_kv": found.kv_spare,
        "avg_spare_queue": found.queue_spare,
        "scale_up": found.up,
        "scale_down_safe": found.down_is_safe,
        "delta": found.change().0,
    })
}

/// The end of the case's name says how a queued request is counted.
fn tokens(case: &Reader<'_>) -> Value {
    let input = case.get("input");
    let charge =
        if case.text("id").ends_with("_i") { QueueCharge::Input } else { QueueCharge::InputAndOutput };
    let load = |at: &Reader<'_>| TokenLoad { tokens: at.number("tokens"), queue: at.number("q") };
    let variant = TokenVariant {
        ready: input.whole("ready"),
        pending: input.whole("pending"),
        kv_tokens: input.number("kv_capacity_tokens"),
        compute_tokens: None,
        replicas: input.list("replicas").iter().map(load).collect(),
        input_tokens: input.number("avg_in"),
        output_tokens: input.number("avg_out"),
    };
    let found = saturation_v2::analyze(&TokenSettings { charge, ..TokenSettings::default() }, &variant);
    json!({
        "prc": found.per_replica,
        "demand": found.demand,
        "supply": found.supply,
        "anticipated": found.anticipated,
        "required": found.required,
        "spare": found.spare,
        "delta": found.change,
    })
}
