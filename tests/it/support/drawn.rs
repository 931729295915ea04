//! Scenarios and edits drawn from the JSON Schema: every field, every kind, with the ends of its range as likely as what lies between.
//!
//! A drawn scenario is often refused. What its messages name is then taken out until it is taken, so that most of what is drawn runs.

use crate::support::repair::take_out;
use crate::support::schema::resolved;
use serde_json::{Map, Value, json};
use tokenyard::base::diag::{Diagnostic, Severity};
use tokenyard::base::math::pow;
use tokenyard::base::rng::{Purpose, Stream};

/// Types within themselves are drawn this deep.
const MOST_LEVELS: u32 = 12;

/// What the simulator gives a run at most, so that a case stays small: requests that arrive, and replicas of a pool.
const MOST_REQUESTS: f64 = 400.0;
const MOST_REPLICAS: u64 = 24;

/// Ends of a run, in seconds.
const HORIZONS: [f64; 6] = [0.05, 1.0, 4.0, 12.0, 40.0, 600.0];

/// Draws what the schema allows.
pub(crate) struct Drawer {
    schema: Value,
    draws: Stream,
}

impl Drawer {
    pub(crate) fn new(seed: u64) -> Self {
        let schema = serde_json::from_str(include_str!("../../../www/src/generated/schema.json"))
            .expect("the schema is JSON");
        Self { schema, draws: Stream::new(seed, Purpose::Arrivals, 0) }
    }

    /// A whole number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.draws.below(n.min(u64::from(u32::MAX)) as u32).into()
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// A scenario that may be refused.
    pub(crate) fn scenario(&mut self) -> Value {
        let mut all = json!({"seed": self.below(1 << 20)});
        for name in ["cluster", "workload", "slo", "run", "observe"] {
            let part = self.schema["properties"][name].clone();
            all[name] = self.value(&part, MOST_LEVELS);
        }
        if all["workload"]["trace"].is_object() {
            all["workload"]["trace"] = Value::Null;
        }
        self.keep_small(&mut all);
        all["edits"] = (0..self.below(4)).map(|_| self.timed_edit(&all)).collect();
        all
    }

    /// Traffic and clusters of a size that thousands of cases can have.
    fn keep_small(&mut self, all: &mut Value) {
        let horizon = HORIZONS[self.below(HORIZONS.len() as u64) as usize];
        all["run"]["horizon_s"] = json!(horizon);
        all["run"]["warmup_s"] = json!(self.draws.unit() * horizon.min(5.0));
        let most = MOST_REQUESTS / horizon;
        smaller(all, &|name, value| match name {
            "rate_per_s" => value.as_f64().filter(|rate| *rate > most).map(|_| json!(most)),
            "replicas" | "max_replicas" | "min_replicas" => {
                value.as_u64().filter(|n| *n > MOST_REPLICAS).map(|n| json!(1 + n % MOST_REPLICAS))
            }
            _ => None,
        });
    }

    /// Any value that the schema allows at `part`.
    fn value(&mut self, part: &Value, levels: u32) -> Value {
        let part = resolved(&self.schema, part);
        if let Some(only) = part.get("const") {
            return only.clone();
        }
        if let Some(all) = part["enum"].as_array() {
            return all[self.below(all.len() as u64) as usize].clone();
        }
        if let Some(choices) = part["oneOf"].as_array().or(part["anyOf"].as_array()) {
            let choice = choices[self.below(choices.len() as u64) as usize].clone();
            return self.value(&choice, levels.saturating_sub(1));
        }
        let kind = part["type"].as_str().or(part["type"][0].as_str());
        match kind {
            Some("object") => self.object(&part, levels),
            Some("array") if levels == 0 => json!([]),
            Some("array") => (0..self.below(4)).map(|_| self.value(&part["items"], levels - 1)).collect(),
            Some("string") => self.string(&part),
            Some("boolean") => json!(self.one_in(2)),
            Some("integer") => {
                let value = self.number(&part).floor();
                if value < 0.0 { json!(value as i64) } else { json!(value as u64) }
            }
            Some("number") => json!(self.number(&part)),
            _ => Value::Null,
        }
    }

    /// What is required, and a third of what may be left out.
    fn object(&mut self, part: &Value, levels: u32) -> Value {
        let required: Vec<&str> =
            part["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut object = Map::new();
        for (name, field) in part["properties"].as_object().into_iter().flatten() {
            if required.contains(&name.as_str()) || (levels > 0 && self.one_in(3)) {
                object.insert(name.clone(), self.value(field, levels.saturating_sub(1)));
            }
        }
        Value::Object(object)
    }

    fn string(&mut self, part: &Value) -> Value {
        let own: &[&str] = match part["x-label"].as_str() {
            _ if part["x-expression"] == true => {
                &["1 / (1 + waiting)", "prefix", "kv * 0", "waiting - running", "1 / 0"]
            }
            Some("Model") => &["llama-3.1-8b", "qwen3-14b", "mixtral-8x7b", ""],
            Some("GPU") => &["H100", "A100-80", "L40S"],
            Some("SLO class") => &["critical", "standard", "batch"],
            _ => &["main", "chat", "shop", "", "=1+1", "a long name with blanks and ü"],
        };
        json!(own[self.below(own.len() as u64) as usize])
    }

    /// The ends of the range, what the field has otherwise, or anything between, evenly by order of magnitude.
    fn number(&mut self, part: &Value) -> f64 {
        let least = part["minimum"].as_f64().or(part["exclusiveMinimum"].as_f64()).unwrap_or(0.0);
        let most = part["maximum"].as_f64().or(part["exclusiveMaximum"].as_f64()).unwrap_or(1e6);
        let usual = part["x-first"].as_f64().or(part["default"].as_f64());
        match (self.below(10), usual) {
            (0, _) => least,
            (1, _) => most,
            (2, _) => (least + 1.0).min(most),
            (3, _) => (least + most * 1e-6).min(most),
            (4..=6, Some(usual)) => usual,
            _ => {
                let (low, high) = (least.max(1e-3), most.clamp(1e-3, 1e6));
                (low * pow((high / low).max(1.0), self.draws.unit())).clamp(least, most)
            }
        }
    }

    /// An edit of a field of `all`, or a new entry in one of its lists, as text for [`tokenyard::session::Session::apply_text`].
    pub(crate) fn edit(&mut self, all: &Value) -> Value {
        if self.one_in(8) {
            let (list, name) =
                [("cluster.pools", "Pool"), ("workload.clients", "Client")][self.below(2) as usize];
            let mut entry = self.value(&json!({"$ref": format!("#/$defs/{name}")}), 4);
            self.keep_small_entry(&mut entry);
            return json!({"add": {list: entry}});
        }
        let top = ["cluster", "workload", "slo"][self.below(3) as usize];
        let mut part = self.schema["properties"][top].clone();
        let (mut path, mut here) = (top.to_owned(), &all[top]);
        loop {
            part = resolved(&self.schema, &part);
            if let Some(items) = part.get("items").cloned() {
                let there = here.as_array().map_or(0, Vec::len);
                if there == 0 || self.one_in(6) {
                    break;
                }
                let at = self.below(there as u64);
                (path, here, part) = (format!("{path}[{at}]"), &here[at as usize], items);
            } else if let Some(fields) = part["properties"].as_object().filter(|fields| !fields.is_empty()) {
                let name = fields.keys().nth(self.below(fields.len() as u64) as usize).expect("one of them");
                (path, here, part) = (format!("{path}.{name}"), &here[name.as_str()], fields[name].clone());
            } else {
                break;
            }
            if part.get("oneOf").is_some() || self.one_in(5) && !path.ends_with("pools") {
                break;
            }
        }
        let mut value = self.value(&part, 4);
        self.keep_small_entry(&mut value);
        json!({"set": {path: value}})
    }

    fn keep_small_entry(&mut self, entry: &mut Value) {
        let most = [0.0, 1.0, 20.0][self.below(3) as usize];
        smaller(entry, &|name, value| match name {
            "rate_per_s" => value.as_f64().filter(|rate| *rate > most).map(|_| json!(most)),
            "replicas" | "max_replicas" => {
                value.as_u64().filter(|n| *n > MOST_REPLICAS).map(|n| json!(1 + n % MOST_REPLICAS))
            }
            _ => None,
        });
        if let Some(n) = entry.as_u64().filter(|n| *n > 4096) {
            *entry = json!(n % 4096);
        }
    }

    fn timed_edit(&mut self, all: &Value) -> Value {
        let mut edit = self.edit(all);
        let end_us = (all["run"]["horizon_s"].as_f64().unwrap_or(1.0) * 1e6) as u64;
        edit["at_us"] = json!(if self.one_in(8) { 0 } else { self.below(end_us + end_us / 8 + 1) });
        edit
    }

    /// Takes out what the messages name; `false` if there was nothing to take out.
    pub(crate) fn without(all: &mut Value, problems: &[Diagnostic]) -> bool {
        let mut changed = false;
        for problem in problems.iter().filter(|p| p.severity == Severity::Error) {
            changed |= take_out(all, &problem.path);
        }
        changed
    }
}

/// Every number under a name is what `change` makes of it.
fn smaller(value: &mut Value, change: &dyn Fn(&str, &Value) -> Option<Value>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                if let Some(new) = change(name, field) {
                    *field = new;
                }
                smaller(field, change);
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|one| smaller(one, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
