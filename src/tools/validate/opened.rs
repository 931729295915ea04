//! The page's data of the experiments: their figures by stage, measured and simulated, and a scenario for each stage.
//! It has no rows of requests: if an experiment has them, lengths become a distribution of a few values and arrivals
//! become a rate.

use super::closed::Closed;
use super::compare::Row;
use super::experiment::{Experiment, label, number_at};
use super::open::{Length, Prompts};
use super::pool::{Latency, beyond, gpu_name, pool, routing};
use super::{Files, points, recorded};
use base::json;

use document::link::{Link, View, make};
use document::{Arrivals, Client, Cluster, Lengths, Pool, PrefixGroups, WeightedLength};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Longest run of a stage.
const LONGEST_S: f64 = 1200.0;
/// Values of a distribution of lengths.
const LENGTHS: usize = 24;
/// Figures that the page shows.
const SHOWN: [(&str, &str); 14] = [
    ("ttft_ms", "mean"),
    ("ttft_ms", "p50"),
    ("ttft_ms", "p90"),
    ("ttft_ms", "p99"),
    ("tpot_ms", "mean"),
    ("tpot_ms", "p50"),
    ("tpot_ms", "p90"),
    ("tpot_ms", "p99"),
    ("itl_ms", "p50"),
    ("e2e_ms", "mean"),
    ("e2e_ms", "p50"),
    ("e2e_ms", "p90"),
    ("e2e_ms", "p99"),
    ("out_tok_per_s", "value"),
];

/// An experiment as the page has it.
pub fn page_data(e: &Experiment, rows: &[Row], files: &Files<'_>) -> Value {
    let mut stages: Vec<Value> = Vec::new();
    let (measured, tps) = measured(e, files);
    let lengths = row_lengths(e, files);
    for (i, m) in measured.iter().enumerate() {
        let name = label(m);
        let mut figures = Map::new();
        let mut of_stage = rows.iter().filter(|r| r.id == e.id && stage_name(&r.stage) == name).peekable();
        let (regime, fitted) = of_stage.peek().map_or((None, false), |r| (r.regime.clone(), r.fitted_on));
        for r in of_stage.filter(|r| SHOWN.contains(&(r.metric.as_str(), r.stat.as_str()))) {
            figures.insert(
                format!("{} {}", r.metric, r.stat),
                json!([round(r.measured), round(r.simulated), r.error.map(|e| (e * 1e4).round() / 1e4)]),
            );
        }
        let mut stage = json!({"stage": name, "figures": figures});
        if let Some(regime) = regime {
            stage["regime"] = json!(regime);
        }
        if fitted {
            stage["fitted"] = json!(true);
        }
        if let Some(client) = client(e, m, &lengths) {
            stage["client"] = without_defaults(&json::tree(&client), &json::tree(&Client::default()));
            stage["horizon_s"] = json!(seconds(e, m, &client));
        }
        if let Some(tp) = tps.get(i).filter(|tp| e.count("/tp") != Some(**tp)) {
            stage["tp"] = json!(tp);
        }
        stages.push(stage);
    }
    let source = e.text("/source/repo");
    let mut page = json!({
        "id": e.id, "group": e.group, "model": e.model, "gpu": gpu_name(&e.gpu), "tp": e.count("/tp"),
        "engine": e.text("/engine/version"), "source": source, "stages": stages,
    });
    match cluster(e, tps.first().copied()) {
        Ok(cluster) => page["cluster"] = cluster,
        Err(why) => page["why_not"] = json!(why),
    }
    page
}

/// The scenario of each stage as a packed link, by the name of the stage.
pub fn stage_links(e: &Experiment, files: &Files<'_>) -> BTreeMap<String, String> {
    let page = page_data(e, &[], files);
    let stages = page["stages"].as_array().cloned().unwrap_or_default();
    let link = |stage: &Value| {
        let mut cluster = page.get("cluster")?.clone();
        if let Some(tp) = stage.get("tp") {
            cluster["pools"][0]["tp"] = tp.clone();
        }
        let title = format!("{} on {}, {}", e.model, e.gpu, label(stage));
        let scenario = json!({"tokenyard": 1, "title": title, "cluster": cluster,
            "workload": {"clients": [stage.get("client")?]}, "run": {"horizon_s": stage["horizon_s"]}});
        let scenario = document::parse(&scenario.to_string()).ok()?;
        let link = Link { scenario, view: View::default(), trace: None, embed: None, beside: None };
        Some((label(stage), make(&link)?.packed))
    };
    stages.iter().filter_map(link).collect()
}

/// Four digits.
fn round(x: f64) -> f64 {
    use base::math::{log10, pow};
    if x <= 0.0 {
        return 0.0;
    }
    let scale = pow(10.0, 4.0 - log10(x).ceil());
    (x * scale).round() / scale
}

fn stage_name(stage: &Value) -> String {
    label(&json!({"stage": stage}))
}

/// The measurements stage by stage, and the tensor parallelism of each if they differ.
fn measured(e: &Experiment, files: &Files<'_>) -> (Vec<Value>, Vec<u32>) {
    let own = e.measured();
    if !own.is_empty() {
        return (own.to_vec(), e.count("/tp").into_iter().collect());
    }
    let text = files("points.csv").ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    let found = points::read(&text).unwrap_or_default();
    let of_it = found.into_iter().filter(|p| p.id == e.id);
    of_it
        .map(|p| {
            let mut m = p.measured;
            (m["input_tokens"], m["output_tokens"]) = (json!(p.isl), json!(p.osl));
            (m, p.tp)
        })
        .unzip()
}

/// The cluster without default values.
fn cluster(e: &Experiment, tp: Option<u32>) -> Result<Value, String> {
    if let Some(why) = beyond(e) {
        return Err(why.to_owned());
    }
    let tp = tp.or_else(|| e.count("/tp")).ok_or("no tensor parallelism")?;
    let pool = pool(e, tp, &Latency::Calibrated)?;
    let mut found = without_defaults(
        &json::tree(&Cluster { pools: Vec::new(), routing: routing(e)?, ..Cluster::default() }),
        &json::tree(&Cluster::default()),
    );
    found["pools"] = json!([without_defaults(&json::tree(&pool), &json::tree(&Pool::default()))]);
    Ok(found)
}

/// The fields that differ from the defaults. Lists and choices are kept whole.
fn without_defaults(value: &Value, usual: &Value) -> Value {
    let (Value::Object(own), Value::Object(usual)) = (value, usual) else { return value.clone() };
    let mut kept = Map::new();
    for (key, value) in own {
        match usual.get(key) {
            Some(same) if same == value => {}
            // A choice is an object with one variant: it is kept whole or left out.
            Some(other) if value.as_object().is_some_and(|o| o.len() > 1) && other.is_object() => {
                kept.insert(key.clone(), without_defaults(value, other));
            }
            _ => {
                kept.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(kept)
}

/// The seconds of sending of a stage; 0 for a closed loop, which ends when all is done.
fn seconds(e: &Experiment, m: &Value, client: &Client) -> f64 {
    if client.conversation.is_some() || client.agent.is_some() {
        return 0.0;
    }
    let told = |of: &Value| ["send_window_s", "duration_s"].iter().find_map(|key| number_at(of, key));
    let spec = e.list("/workload/stages").first().unwrap_or(&Value::Null);
    let counted = |of: &Value| number_at(of, "n").or_else(|| number_at(of, "requests"));
    let rate = client.arrivals.rate_per_s();
    let by_count = counted(m).or_else(|| counted(spec)).map(|n| n / rate);
    let seconds = told(m).or(by_count).or_else(|| told(spec)).unwrap_or(LONGEST_S);
    seconds.round().clamp(1.0, LONGEST_S)
}

/// Lengths of recorded requests by stage: a few values of each.
fn row_lengths(e: &Experiment, files: &Files<'_>) -> BTreeMap<String, Sent> {
    let name = e.text("/workload/requests_file");
    if name.is_empty() || e.at("/workload/input_tokens").is_some() {
        return BTreeMap::new();
    }
    let rows = files(name).and_then(|bytes| recorded::rows(&bytes)).unwrap_or_default();
    let mut by_stage: BTreeMap<String, ([Vec<u32>; 2], u64)> = BTreeMap::new();
    for row in rows {
        let (lengths, last_us) = by_stage.entry(row.stage.clone()).or_default();
        lengths[0].push(row.input.max(1));
        lengths[1].push(row.output.unwrap_or(1).max(1));
        *last_us = row.arrival_us.max(*last_us);
    }
    let sent = |(stage, (lengths, last_us)): (String, ([Vec<u32>; 2], u64))| {
        let per_s = lengths[0].len() as f64 / (last_us.max(1) as f64 / 1e6);
        (stage, Sent { lengths: lengths.map(few), per_s: per_s.min(1000.0) })
    };
    by_stage.into_iter().map(sent).collect()
}

/// How recorded requests were sent.
struct Sent {
    lengths: [Lengths; 2],
    per_s: f64,
}

/// A distribution by a few of its values.
fn few(mut all: Vec<u32>) -> Lengths {
    all.sort_unstable();
    let last = all.len().saturating_sub(1);
    let at = |i: usize| all[(last * (2 * i + 1)) / (2 * LENGTHS)];
    let lengths = (0..LENGTHS).map(|i| WeightedLength { tokens: at(i), weight: 1.0 });
    Lengths::Empirical { lengths: lengths.collect() }
}

fn drawn(length: &Length) -> Lengths {
    match *length {
        Length::Fixed(tokens) => Lengths::Constant { tokens: tokens.max(1) },
        Length::Uniform { min, max } => few((min.max(1)..=max.max(1)).collect()),
        Length::Lognormal { median, sigma, min, max, .. } => Lengths::Lognormal {
            median_tokens: median.max(1.0),
            sigma,
            min_tokens: min.max(1.0) as u32,
            max_tokens: max.max(1.0) as u32,
        },
    }
}

/// The traffic of a stage.
fn client(e: &Experiment, m: &Value, by_stage: &BTreeMap<String, Sent>) -> Option<Client> {
    let length = |key: &str| {
        let own = m.get(key).and_then(|v| Length::read(v, None));
        own.or_else(|| e.at(&format!("/workload/{key}")).and_then(|v| Length::read(v, None)))
    };
    let spec = e.list("/workload/stages").first().unwrap_or(&Value::Null);
    let concurrency = number_at(m, "concurrency").or_else(|| number_at(spec, "concurrency"));
    let offered = number_at(m, "offered_req_per_s");
    let closed = e.text("/workload/loop").starts_with("closed") || e.count("/workload/points").is_some();
    if let (Some(n), true, None) = (concurrency.filter(|n| *n >= 1.0), closed, offered) {
        let requests = number_at(m, "n").unwrap_or(4.0 * n).clamp(n, 20_000.0) as u32;
        let (input, output) = (length("input_tokens")?, length("output_tokens")?);
        let [prompt_tokens, output_tokens] = [drawn(&input), drawn(&output)];
        let client = Closed { in_flight: n as u32, requests, input, output }.client();
        return Some(Client { prompt_tokens, output_tokens, ..client });
    }
    let name = label(m);
    let sent = by_stage.get(name.trim_start_matches("qps")).or_else(|| by_stage.get(""));
    let of_rows = sent.map(|s| s.per_s);
    let rate_per_s = offered.or(of_rows).or_else(|| number_at(m, "req_per_s")).filter(|r| *r > 0.0)?;
    let mut client = Client { arrivals: Arrivals::Poisson { rate_per_s }, ..Client::default() };
    if let Some(sent) = sent {
        [client.prompt_tokens, client.output_tokens] = sent.lengths.clone();
        return Some(client);
    }
    let input = length("input_tokens")?;
    let prompts = Prompts::read(e);
    if prompts.distinct > 0
        && let Length::Fixed(tokens) = input
    {
        // Whole prompts repeat: each, without its last token, is the prefix of a group.
        let (groups, tokens) = (prompts.distinct, tokens.saturating_sub(1));
        client.prefix = PrefixGroups { groups, tokens, ..PrefixGroups::default() };
        client.prompt_tokens = Lengths::Constant { tokens: 1 };
    } else {
        client.prompt_tokens = drawn(&input);
    }
    client.output_tokens = drawn(&length("output_tokens")?);
    Some(client)
}
