//! Import of a workload of `GuideLLM`: the file of a scenario or its flags, as one client.

use crate::import::configuration::reader::Unknown;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object::is_object;
use crate::workloads::traffic;
use base::Diagnostic;
use base::import::Import;
use document::limits;
use serde_json::{Map, Value, json};

/// A workload.
pub(crate) struct GuideLlmWorkload;

impl Import<Configuration> for GuideLlmWorkload {
    fn name(&self) -> &'static str {
        "workload-guidellm"
    }

    fn title(&self) -> &'static str {
        "a workload of GuideLLM"
    }

    fn recognises(&self, source: &Value) -> bool {
        let has = |key: &str| source.get(key).is_some_and(|value| !value.is_null());
        let kind = has("rate_type") || has("profile") || has("rate-type");
        let beside = has("data") || has("target");
        !is_object(source) && kind && beside && !has("benchmarks")
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let mut client = json!({ "name": "guidellm" });
        data(&mut r, &mut client);
        load(&mut r, &mut client);
        end(&mut r);
        for (key, why) in [
            ("target", "requests go to the pools of the scenario"),
            ("model", "requests go to the pools of the scenario"),
            ("processor", "prompts are counted in tokens here"),
            ("backend", "requests go to the pools of the scenario"),
            ("backend_type", "requests go to the pools of the scenario"),
            ("output_path", "results are written where you say"),
            ("outputs", "results are written where you say"),
        ] {
            r.without_counterpart(key, why);
        }
        let rest = "this setting of the tool has no effect on a simulation";
        for key in [
            "backend_args",
            "backend_kwargs",
            "processor_args",
            "data_args",
            "request_type",
            "data_sampler",
            "data_samples",
            "data_column_mapper",
            "data_request_formatter",
            "sample_requests",
            "output_formats",
            "disable_progress",
            "display_scheduler_stats",
            "output_extras",
            "max_errors",
            "max_error_rate",
            "max_global_error_rate",
            "prefer_response_metrics",
        ] {
            r.without_counterpart(key, rest);
        }
        let at = if r.get("data").is_some() {
            "data"
        } else {
            KIND.into_iter().find(|k| r.get(k).is_some()).unwrap_or("rate")
        };
        r.set(at, "workload.clients", json!([client]));
        r.finish(Unknown::LeftOut, report);
        Settings::default()
    }
}

const INTO: &str = "workload.clients[0]";
const KIND: [&str; 3] = ["rate_type", "profile", "rate-type"];
/// Requests in flight of a test of throughput whose number is not said.
const AT_ONCE: f64 = 512.0;

/// The fields of synthetic data: of a section, or of a text such as `prompt_tokens=512,output_tokens=128`.
fn fields(r: &mut Reader<'_>) -> Option<Map<String, Value>> {
    let value = r.get("data")?;
    if let Value::Object(map) = value {
        // A list of data sets has their numbers as keys: the first is read.
        let first = map.get("0");
        return match first {
            Some(Value::Object(inner)) => Some(inner.clone()),
            Some(Value::String(text)) => pairs(text),
            _ => Some(map.clone()),
        };
    }
    pairs(value.as_str()?)
}

/// The pairs of a text; JSON is read as such.
fn pairs(text: &str) -> Option<Map<String, Value>> {
    if let Ok(Value::Object(map)) = serde_json::from_str(text) {
        return Some(map);
    }
    let mut map = Map::new();
    for pair in text.split(',') {
        let (key, number) = pair.split_once('=')?;
        map.insert(key.trim().to_owned(), json!(number.trim().parse::<f64>().ok()?));
    }
    Some(map)
}

fn data(r: &mut Reader<'_>, client: &mut Value) {
    let Some(value) = r.get("data") else { return };
    let keys = r.set_aside("data");
    let Some(fields) = fields(r) else {
        let found = value.as_str().map_or_else(|| "no synthetic data".to_owned(), |text| format!("{text:?}"));
        let fix = "give it as a trace with --trace, or its lengths as prompt_tokens=512,output_tokens=128";
        let what = format!("{found}, texts that are not part of the file");
        r.problems.push(Diagnostic::warning("data", what, "lengths of prompts and answers", fix));
        r.mappings.retain(|m| m.key != "data");
        r.without_counterpart(
            "data",
            "its texts are not part of the file: lengths stay those of a new client",
        );
        return;
    };
    let number = |key: &str| fields.get(key).and_then(Value::as_f64);
    for (side, field) in [("prompt", "prompt_tokens"), ("output", "output_tokens")] {
        let of = |end: &str| number(&format!("{side}_tokens{end}"));
        let Some(mean) = of("") else { continue };
        client[field] = match (of("_stdev"), of("_min"), of("_max")) {
            // Without a spread, lengths between both ends are equally likely.
            (None, Some(least), Some(most)) => traffic::uniform(least, most),
            (sd, least, most) => traffic::gaussian(mean, sd.unwrap_or(0.0), least, most),
        };
    }
    if let Some(n) = number("prefix_tokens").filter(|n| *n > 0.0) {
        let groups = number("prefix_count").unwrap_or(1.0);
        client["prefix"] = json!({ "groups": traffic::tokens(groups), "tokens": traffic::tokens(n) });
    }
    if let Some(rounds) = number("turns").filter(|n| *n > 1.0) {
        client["conversation"] = json!({
            "rounds": { "constant": { "rounds": traffic::tokens(rounds).min(u64::from(limits::ROUNDS)) } },
            "think_time": { "constant": { "think_s": 0.0 } }, "clock": "closed",
        });
    }
    for (key, _) in keys {
        let name = key.rsplit('.').next().unwrap_or_default().to_owned();
        let known = ["prompt_tokens", "output_tokens", "prefix_tokens", "prefix_count", "turns"];
        if known.iter().any(|known| name.starts_with(known)) || key == "data" || key == "data.0" {
            r.note(&key, &format!("{INTO}: lengths, prefix and rounds"));
        } else {
            r.without_counterpart(&key, "it says nothing of the lengths of texts");
        }
    }
}

fn load(r: &mut Reader<'_>, client: &mut Value) {
    let Some(kind_at) = KIND.into_iter().find(|key| r.get(key).is_some()) else { return };
    let kind = r.word(kind_at).unwrap_or_default();
    let rate = rate(r);
    let arrivals = format!("{INTO}.arrivals");
    let at_once = |n: f64| json!({ "concurrency": { "requests": n.round().clamp(1.0, f64::from(limits::CONCURRENCY)) as u64 } });
    match kind {
        "synchronous" => {
            r.note(kind_at, &format!("{arrivals}.concurrency = 1"));
            client["arrivals"] = at_once(1.0);
        }
        "concurrent" => {
            r.note(kind_at, &format!("{arrivals}.concurrency"));
            client["arrivals"] = at_once(rate.unwrap_or(1.0));
        }
        "throughput" => {
            let differs = "as many at once as rate says, or 512";
            r.near(kind_at, &format!("{arrivals}.concurrency"), differs);
            client["arrivals"] = at_once(rate.unwrap_or(AT_ONCE));
        }
        "constant" | "poisson" | "async" => {
            let process = if kind == "poisson" { "poisson" } else { "constant" };
            r.note(kind_at, &format!("{arrivals}.{process}"));
            client["arrivals"] = json!({ process: { "rate_per_s": rate.unwrap_or(1.0) } });
        }
        "sweep" => {
            let fix = "set workload.clients[0].arrivals, or look for the rate with `tokenyard capacity`";
            let found = "a sweep, which finds its rates while it runs";
            r.problems.push(Diagnostic::warning(kind_at, found, "one rate", fix));
            let why =
                "its rates are found while it runs: the client sends 8 requests a second until you set it";
            r.without_counterpart(kind_at, why);
        }
        other => {
            let known = ["synchronous", "concurrent", "throughput", "constant", "poisson", "sweep"];
            r.unknown_name(kind_at, other, &known);
        }
    }
}

/// The first rate.
fn rate(r: &mut Reader<'_>) -> Option<f64> {
    let value = r.get("rate")?;
    if let Value::Object(list) = value {
        for i in 1..list.len() {
            r.without_counterpart(
                &format!("rate.{i}"),
                "one run has one rate: the first; import the file again for another",
            );
        }
        return r.number("rate.0", &format!("{INTO}.arrivals"));
    }
    r.quantity("rate", &format!("{INTO}.arrivals"))
}

/// The end of the run.
fn end(r: &mut Reader<'_>) {
    let seconds = r.quantity("max_seconds", "run.horizon_s");
    let requests = r.whole("max_requests", "run.max_requests");
    let warmup = ["warmup", "warmup_percent"].into_iter().find(|key| r.get(key).is_some());
    let share = warmup.and_then(|key| r.get(key).and_then(Value::as_f64));
    let warmup_s = match share {
        Some(x) if x >= 1.0 => x,
        Some(x) => x * seconds.unwrap_or(0.0),
        None => 0.0,
    };
    if let Some(key) = warmup {
        r.near(key, &format!("run.warmup_s = {warmup_s}"), "a share of max_seconds, or seconds");
    }
    r.without_counterpart("cooldown", "all requests until the end count");
    r.without_counterpart("cooldown_percent", "all requests until the end count");
    if let Some(n) = requests {
        r.set("max_requests", "run.warmup_s", json!(warmup_s));
        if seconds.is_none() {
            r.set("max_requests", "run.horizon_s", json!(0.0));
        }
        r.set("max_requests", "run.max_requests", json!(n));
    }
    if let Some(s) = seconds {
        r.set("max_seconds", "run.warmup_s", json!(warmup_s));
        r.set("max_seconds", "run.horizon_s", json!(s));
    }
    if let Some(seed) = r.whole("random_seed", "seed") {
        r.set("random_seed", "seed", json!(seed));
    }
}
