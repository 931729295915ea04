//! Every field under `cluster`, `workload` and `slo` can be edited at any instant: the run goes on, loses no request,
//! replays to the same digest, and an edit at time zero equals a changed scenario. The fields are those that the
//! schema names.

use crate::support;
use crate::support::schema::resolved;
use serde_json::{Map, Value, json};
use tokenyard::base::Micros;
use tokenyard::base::diag::has_errors;
use tokenyard::base::rng::{Purpose, Stream};
use tokenyard::engine::{Fact, FleetFact, Replica, RequestFact};
use tokenyard::scenario::{Change, Scenario, TimedEdit, from_value};
use tokenyard::session::{Audience, Session};

/// Types within themselves are walked into this often.
const MOST_LEVELS: usize = 16;

/// What no edit can change: the run starts again.
const FIXED: [&str; 2] = ["cluster.compat", "workload.trace"];

/// A value and what stands around it at the path that is set.
type Wrap<'a> = &'a dyn Fn(Value) -> Value;

/// Two pools, two clients and a list of requests, busy for a second and a half.
fn base() -> Value {
    let pool = |name: &str, blocks: u32| {
        json!({
            "name": name, "replicas": 2,
            "engine": {"max_num_seqs": 6, "max_num_batched_tokens": 200},
            "kv": {"blocks": blocks},
            "latency": {"fitted": {"step_us": 3000.0, "step_us_per_prefill_token": 20.0}},
        })
    };
    let client = |name: &str, rate: f64| {
        json!({
            "name": name, "arrivals": {"poisson": {"rate_per_s": rate}}, "sessions": 4,
            "prompt_tokens": {"constant": {"tokens": 60}}, "output_tokens": {"constant": {"tokens": 20}},
            "prefix": {"groups": 2, "tokens": 32},
        })
    };
    let request = |id: &str, arrival_us: u64| json!({"id": id, "arrival_us": arrival_us, "prompt": [{"text": 1, "tokens": 40}], "output": {"text": 2, "tokens": 9}, "session": "s"});
    json!({
        "run": {"horizon_s": 1.5, "warmup_s": 0.0},
        "cluster": {"pools": [pool("main", 400), pool("other", 40)], "routing": {"weighted": {}}},
        "workload": {
            "clients": [client("chat", 60.0), client("batch", 30.0)],
            "requests": [request("a", 1_300_000), request("b", 1_400_000)],
        },
        "slo": {"classes": [{"class": "critical", "ttft_ms": 100}]},
    })
}

struct Walker {
    schema: Value,
    base: Scenario,
    /// What there is at each path of the base.
    document: Value,
    draws: Stream,
    edited: u32,
    impossible: Vec<String>,
}

impl Walker {
    /// Values that the field may have, likely ones first.
    fn candidates(&self, part: &Value) -> Vec<Value> {
        let part = resolved(&self.schema, part);
        if let Some(only) = part.get("const") {
            return vec![only.clone()];
        }
        if let Some(all) = part["enum"].as_array() {
            return all.clone();
        }
        if let Some(choices) = part["oneOf"].as_array().or(part["anyOf"].as_array()) {
            return choices.iter().flat_map(|choice| self.candidates(choice)).collect();
        }
        let bound = |key: &str| part[key].as_f64();
        let within = |x: &f64| {
            bound("minimum").is_none_or(|least| *x >= least) && bound("maximum").is_none_or(|most| *x <= most)
        };
        let numbers = || [3.0, 2.0, 1.0, 40.0, 0.5, 0.0, 900.0, 1e5, 1e8, 1e12].into_iter().filter(within);
        match part["type"].as_str() {
            Some("object") => vec![Value::Object(self.required(&part))],
            Some("array") => vec![json!([])],
            Some("string") if part["x-expression"] == true => {
                vec![json!("1 / (2 + waiting)"), json!("prefix")]
            }
            Some("string") => {
                ["new", "llama-3.1-8b", "qwen3-14b", "H100", "A100-80"].map(Value::from).to_vec()
            }
            Some("boolean") => vec![json!(false), json!(true)],
            Some("integer") => numbers().filter(|x| x.fract() == 0.0).map(|x| json!(x as u64)).collect(),
            Some("number") => numbers().map(Value::from).collect(),
            _ => vec![Value::Null],
        }
    }

    fn required(&self, object: &Value) -> Map<String, Value> {
        let names = object["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        names
            .map(|name| {
                let part = resolved(&self.schema, &object["properties"][name]);
                let first = || self.candidates(&part).into_iter().next().unwrap_or(Value::Null);
                (name.to_owned(), part.get("default").cloned().unwrap_or_else(first))
            })
            .collect()
    }

    /// Edits every field of `part`, which is set at `path` as `wrap` makes it; `whole` says that it stands there itself.
    fn walk(&mut self, part: &Value, path: &str, wrap: Wrap<'_>, whole: bool, levels: usize) {
        if levels == 0 || FIXED.contains(&path) {
            return;
        }
        let part = resolved(&self.schema, part);
        for choice in part["oneOf"].as_array().or(part["anyOf"].as_array()).into_iter().flatten() {
            self.walk(choice, path, wrap, false, levels - 1);
        }
        if let Some(fields) = part["properties"].as_object() {
            let others = self.required(&part);
            for (key, field) in fields {
                if whole {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    self.walk(field, &path, &|value| value, true, levels - 1);
                } else {
                    let within = |value: Value| {
                        let mut object = others.clone();
                        object.insert(key.clone(), value);
                        wrap(Value::Object(object))
                    };
                    self.walk(field, path, &within, false, levels - 1);
                }
            }
        } else if part["items"].is_object() {
            let entry = format!("{path}[0]");
            if whole && self.stands(&entry) {
                self.walk(&part["items"], &entry, &|value| value, true, levels - 1);
            } else {
                self.walk(&part["items"], path, &|value| wrap(json!([value])), false, levels - 1);
            }
        } else if part["oneOf"].is_null() && part["anyOf"].is_null() {
            self.edit(&part, path, wrap);
        }
    }

    fn stands(&self, path: &str) -> bool {
        let pointer = path.replace(['.', '['], "/").replace(']', "");
        self.document.pointer(&format!("/{pointer}")).is_some()
    }

    /// Edits one field at some instant, to the first value that is allowed beside the others.
    fn edit(&mut self, part: &Value, path: &str, wrap: Wrap<'_>) {
        let at = Micros(u64::from(self.draws.below(1_400_000)));
        let mut refused = String::new();
        for value in self.candidates(part) {
            let change = beside(path, wrap(value));
            let mut session = start(&self.base, Vec::new());
            session.advance(at, u64::MAX);
            let problems = session.apply(change.clone());
            if has_errors(&problems) {
                refused = format!("{change:?}: {problems:?}");
                continue;
            }
            self.edited += 1;
            finish(&mut session);
            let mut again = start(&session.scenario(), session.edits().to_vec());
            finish(&mut again);
            assert_eq!(session.digest(), again.digest(), "{change:?} at {at:?}");
            self.check_at_zero(&change);
            return;
        }
        self.impossible.push(refused);
    }

    /// An edit before anything has happened is the scenario changed.
    fn check_at_zero(&self, change: &Change) {
        let mut edited = start(&self.base, vec![TimedEdit::new(0, change.clone())]);
        finish(&mut edited);
        let mut changed = self.document.clone();
        for (path, value) in &change.set {
            // A kind that an edit sets decides the lengths and prompts; one in a document fills what is left out.
            if let Some(client) = path.strip_suffix(".kind").filter(|_| value.is_string()) {
                let pointer = format!("/{}", client.replace(['.', '['], "/").replace(']', ""));
                let client = changed.pointer_mut(&pointer).and_then(Value::as_object_mut).expect("a client");
                for key in ["prompt_tokens", "output_tokens", "prefix", "conversation"] {
                    client.remove(key);
                }
            }
            tokenyard::scenario::set_path(&mut changed, path, &value.to_string())
                .expect("a path of the document");
        }
        let mut plain = start(&from_value(changed).expect("a good document"), Vec::new());
        finish(&mut plain);
        let results = |s: &Session| {
            let mut report: Value = serde_json::from_str(&s.report()).expect("a report is JSON");
            // What is said of the document itself differs: one has an edit.
            report["run"]["edits_applied"] = json!(0);
            report["scenario_digest"] = json!("");
            report
        };
        assert_eq!(results(&edited), results(&plain), "{change:?}");
    }
}

/// The edit that sets a field, and what that needs beside it.
fn beside(path: &str, mut value: Value) -> Change {
    let head = json!({"at_s": 0, "factor": 1});
    for kind in ["steps", "ramps"] {
        let Some(profile) = value.get_mut(kind) else { continue };
        let mut points = profile["points"].as_array().cloned().unwrap_or_default();
        if points.first().is_none_or(|first| first["at_s"].as_f64() > Some(0.0)) {
            points.insert(0, head.clone());
        }
        let last = points.last().and_then(|point| point["at_s"].as_f64()).unwrap_or(0.0);
        if profile["repeat_s"].as_f64().is_some_and(|s| s > 0.0 && s <= last) {
            profile["repeat_s"] = json!(last + 1.0);
        }
        profile["points"] = Value::Array(points);
    }
    let router =
        if value.get("prefill_routing").is_some() { "/prefill_routing/weighted" } else { "/weighted" };
    if let Some(weighted) = value.pointer_mut(router) {
        if weighted["profile"] == "custom" && weighted["scorers"].is_null() {
            weighted["scorers"] = json!([{"scorer": "queue-depth", "weight": 1}]);
        } else if weighted["scorers"].is_array() {
            weighted["profile"] = json!("custom");
        }
        if weighted["priority"].is_string() {
            weighted["priority"] = json!("0 - waiting");
        }
        if weighted.pointer("/scorers/0/scorer") == Some(&json!("no-hit-lru")) {
            let known = weighted["scorers"].as_array_mut().expect("it has an entry");
            known.push(json!({"scorer": "prefix-affinity", "weight": 1}));
        }
        if let Some(limit) = weighted.pointer_mut("/filters/0/utilization/conditions/0")
            && limit["metric"] == "kv-utilization"
        {
            limit["max"] = json!(0.5);
        }
    }
    if let Some(formula) = value.pointer_mut("/keda/formula").filter(|formula| formula.is_object()) {
        formula["formula"] = json!("requests / 8");
    }
    if value.get("heads").is_some() {
        value["kv_heads"] = json!(1);
    }
    let prefills = path.ends_with("].role") && value == "prefill";
    if let Some(change) = beside_tiers(path, &mut value).or_else(|| beside_ranks(path, &mut value)) {
        return change;
    }
    beside_hint(path, &mut value);
    let change = Change::set(path, value.clone());
    if let Some(client) = path.strip_suffix(".session_kv").filter(|of| of.contains("clients")) {
        return change
            .and_set(&format!("{client}.conversation"), json!({}))
            .and_set(&format!("{client}.sessions"), 0);
    }
    if path.ends_with(".home_hits") || value.get("home_hits").is_some() {
        return change
            .and_set("cluster.pools[1].role", "decode")
            .and_set("cluster.pools[1].kv.cpu_blocks", 30);
    }
    if prefills {
        return change.and_set("cluster.pools[1].role", "decode");
    }
    // Kinds with conversations, and clients that have sessions of their own.
    let has_sessions = path.strip_suffix(".conversation").or(path.strip_suffix(".agent"));
    if let Some(client) = has_sessions.or(path.strip_suffix(".kind").filter(|_| value == "tool-loops")) {
        return change.and_set(&format!("{client}.sessions"), 0);
    }
    if path.ends_with(".adapters") || path.ends_with(".adapter") {
        let pools = [0, 1].map(|i| format!("cluster.pools[{i}].lora"));
        return pools.iter().fold(change, |change, lora| change.and_set(lora, json!({"max_loras": 2})));
    }
    match path.strip_suffix(".optimizer") {
        Some(scaling) => change.and_set(&format!("{scaling}.policy"), json!({"wva-saturation-v2": {}})),
        None => change,
    }
}

/// The same of a hint, whose bounds and budget belong together, and of directives.
fn beside_hint(path: &str, value: &mut Value) {
    if path.ends_with(".kv_hint") && value.is_object() {
        if !value["budget_tokens"].is_null() {
            value["head_tokens"] = json!(0);
        }
        if !value["min_s"].is_null() {
            value["max_s"] = json!(86_400);
        } else if !value["max_s"].is_null() {
            value["min_s"] = json!(0.001);
        }
    }
    if let Some(end) = value.pointer("/0/end").and_then(Value::as_u64) {
        value[0]["start"] = json!(end.saturating_sub(1));
    }
}

/// The same of ranks, experts and a divided cache: a model with experts that two ranks share in lock step, on as many GPUs as the cache is
/// divided among.
fn beside_ranks(path: &str, value: &mut Value) -> Option<Change> {
    let parts = [".ranks", ".experts", ".dcp", ".engine.mixed_step_us"];
    let at = parts.iter().find_map(|part| path.find(part))?;
    let pool = &path[..at];
    for pointer in ["/weights", "/skew/weights"] {
        if let Some(weights) = value.pointer_mut(pointer) {
            *weights = json!([1, 2, 3, 4, 5, 6, 7, 8]);
        }
    }
    for pointer in ["/imbalance", "/skew/imbalance"] {
        if let Some(f) = value.pointer_mut(pointer).filter(|f| f.as_f64() > Some(2.0)) {
            *f = json!(2.0);
        }
    }
    for pointer in ["/redundant", "/eplb/redundant"] {
        if let Some(n) = value.pointer(pointer).and_then(Value::as_u64) {
            *value.pointer_mut(pointer).expect("it was there") = json!(n / 2 * 2);
        }
    }
    let tp = if path.ends_with(".dcp.size") { value.as_u64() } else { value["size"].as_u64() };
    let architecture = json!({"layers": 4, "hidden": 512, "heads": 64, "kv_heads": 1, "kv_latent": 64, "head_dim": 8,
        "vocab": 1000, "experts": 8, "experts_per_token": 2});
    let change = Change::set(path, value.clone())
        .and_set(&format!("{pool}.architecture"), architecture)
        .and_set(&format!("{pool}.latency"), json!({"calibrated": {}}))
        .and_set(&format!("{pool}.expert_ranks"), 2)
        .and_set(&format!("{pool}.expert_ranks_lockstep"), true);
    Some(change.and_set(&format!("{pool}.tp"), tp.filter(|_| path.contains(".dcp")).unwrap_or(1)))
}

/// The same of tiers below the GPU: a store that is named is there, and what waits for loads has CPU memory to wait for.
fn beside_tiers(path: &str, value: &mut Value) -> Option<Change> {
    let fields = [".secondary_tiers", ".load_wait", ".load_asked", ".cpu_eviction"];
    let kv = fields.iter().find_map(|field| path.strip_suffix(field))?;
    if let Some(store) = value.pointer_mut("/0/store") {
        store["name"] = json!("shared");
    }
    let change = Change::set(path, value.clone()).and_set("cluster.kv_stores", json!([{"name": "shared"}]));
    Some(change.and_set(&format!("{kv}.cpu_blocks"), 30))
}

fn start(scenario: &Scenario, edits: Vec<TimedEdit>) -> Session {
    match Session::start(Scenario { edits, ..scenario.clone() }, None, Audience::Live) {
        Ok((session, _)) => session,
        Err(problems) => panic!("not a sound scenario: {problems:?}"),
    }
}

/// Runs to the end; every request is in one place.
fn finish(session: &mut Session) {
    session.advance(Micros::MAX, u64::MAX);
    session.engine().verify(true);
    let r = session.requests();
    assert_eq!(
        r.arrived,
        r.in_pipeline + r.queued + r.running + r.completed + r.rejected + r.dropped + r.lost,
        "{r:?}"
    );
}

#[test]
fn what_a_replica_is_made_of_replaces_the_replicas_one_after_the_other() {
    let mut s = from_value(base()).expect("a good document");
    s.cluster.pools.truncate(1);
    s.cluster.pools[0].replicas = 3;
    let at = Micros(500_000);
    s.edits = vec![TimedEdit::new(at.0, Change::set("cluster.pools[0].kv.block_tokens", 4))];
    let (cluster, story) = support::run(&s);
    let mut life = Vec::new();
    let mut in_flight = [0_i32; 6];
    for (t, fact) in &story.facts {
        match *fact {
            Fact::Fleet(FleetFact::Draining { replica }) => life.push((*t, 'd', replica.0)),
            Fact::Fleet(FleetFact::Serving { replica, .. }) if *t >= at => life.push((*t, 's', replica.0)),
            Fact::Request(RequestFact::Routed { replica, .. }) => in_flight[replica.index()] += 1,
            Fact::Request(RequestFact::Completed { replica, .. } | RequestFact::Dropped { replica, .. }) => {
                in_flight[replica.index()] -= 1;
            }
            _ => {}
        }
        if let Some((_, 'd', next @ 1..)) = life.last() {
            assert_eq!(in_flight[*next as usize - 1], 0, "the one before it is not empty yet");
        }
    }
    let order: Vec<_> = life.iter().map(|&(_, what, replica)| (what, replica)).collect();
    assert_eq!(order, [('d', 0), ('s', 3), ('d', 1), ('s', 4), ('d', 2), ('s', 5)]);
    assert!(life[0].0 == at && life[2].0 > at && life[4].0 > life[2].0, "{life:?}");
    let sizes: Vec<u32> = cluster.replicas().iter().map(|r| r.kv().block_tokens()).collect();
    assert_eq!(sizes, [16, 16, 16, 4, 4, 4]);
}

#[test]
fn replaced_replicas_cost_what_they_cost_and_not_what_the_new_ones_do() {
    let mut base = from_value(base()).expect("a good document");
    base.cluster.pools.truncate(1);
    base.workload.requests.clear();
    let usd =
        |replicas: &[(f64, f64)]| replicas.iter().map(|(per_hour, s)| per_hour * s / 3600.0).sum::<f64>();
    let change = Change::set("cluster.pools[0].gpu", "A100-80").and_set("cluster.pools[0].tp", 2);
    let mut session = start(&base, vec![TimedEdit::new(1_000_000, change)]);
    let old = session.engine().replicas()[0].usd_per_hour().expect("a price");
    finish(&mut session);
    let report = session.report_data();
    let replicas = session.engine().replicas();
    let new = replicas[2].usd_per_hour().expect("a price");
    assert!((old - new).abs() > 0.1, "{old} {new}");
    assert_eq!(replicas.iter().map(Replica::gpus).collect::<Vec<_>>(), [1, 1, 2, 2]);
    let up: Vec<f64> = report.replicas.iter().map(|r| r.up_s).collect();
    let expected = usd(&[(old, up[0]), (old, up[1]), (new, up[2]), (new, up[3])]);
    assert!((report.cost.usd.expect("a cost") - expected).abs() < 1e-9, "{:?} {expected}", report.cost);
    let gpu_s = up[0] + up[1] + 2.0 * (up[2] + up[3]);
    assert!((report.cost.gpu_seconds - gpu_s).abs() < 1e-6, "{:?} {gpu_s}", report.cost);
}

#[test]
fn another_model_replaces_all_replicas_at_once() {
    let mut s = from_value(base()).expect("a good document");
    s.cluster.pools.truncate(1);
    s.edits = vec![TimedEdit::new(500_000, Change::set("cluster.pools[0].model", "qwen3-14b"))];
    let (_, story) = support::run(&s);
    let drained = |(t, fact): &&(Micros, Fact)| {
        matches!(fact, Fact::Fleet(FleetFact::Draining { .. })) && *t == Micros(500_000)
    };
    assert_eq!(story.facts.iter().filter(drained).count(), 2);
}

#[test]
fn pools_and_clients_are_added_to_and_silenced_in_a_run() {
    let pool = json!({"name": "burst", "replicas": 3, "latency": {"fitted": {"step_us": 900.0}}});
    let client = json!({"name": "bot", "arrivals": {"constant": {"rate_per_s": 100.0}}});
    let added = Change::add("cluster.pools", pool).and_add("workload.clients", client);
    let silenced = Change::set("workload.clients[2].arrivals.constant.rate_per_s", 0)
        .and_set("cluster.pools[2].replicas", 0);
    let mut base = from_value(base()).expect("a good document");
    base.workload.requests.clear();
    let edits = vec![TimedEdit::new(500_000, added), TimedEdit::new(1_000_000, silenced)];
    let mut session = start(&base, edits);
    finish(&mut session);
    let report = session.report_data();
    let bot = &session.engine().source().clients()[2..];
    assert_eq!(bot.len(), 1, "{bot:?}");
    // One gap after it was added, then every 10 ms until it was silenced.
    let of_bot = session.engine().records().iter().filter(|r| r.client == 2);
    assert_eq!(of_bot.clone().map(|r| r.arrival.0).min(), Some(510_000));
    assert_eq!(of_bot.count(), 49);
    assert_eq!((report.pools.len(), report.pools[2].replicas), (3, 0));
    assert!(session.engine().replicas().iter().filter(|r| r.pool() == 2).all(|r| r.totals().completed > 0));
}

#[test]
fn every_field_of_cluster_workload_and_objectives_is_edited_while_the_run_goes_on() {
    let schema: Value = serde_json::from_str(include_str!("../../../www/src/generated/schema.json"))
        .expect("the schema is JSON");
    let base = from_value(base()).expect("a good document");
    let document = tokenyard::base::json::tree(&base);
    let draws = Stream::new(7, Purpose::Routing, 0);
    let mut walker =
        Walker { schema: schema.clone(), base, document, draws, edited: 0, impossible: Vec::new() };
    for root in ["cluster", "workload", "slo"] {
        walker.walk(&schema["properties"][root], root, &|value| value, true, MOST_LEVELS);
    }
    assert_eq!(walker.impossible, [] as [String; 0]);
    assert!(walker.edited > 200, "only {} fields found", walker.edited);
}
