//! `tokenyard list`: the names that a scenario can use: models, GPUs, policies, and the built-in scenarios.

use crate::args::{List, Listed};
use crate::commands::many_runs::metrics;
use crate::failed::Failed;
use crate::print::say;
use crate::text::table::{Align, Table, name};
use base::json;
use document::Scenario;
use document::preset::PRESETS;
use export::{Column, Table as TableKind};
use run::session::view::listing::{gpus, models};
use run::session::{pool_evidence, weakest};
use serde_json::{Map, Value, json};

/// `tokenyard list`
pub(crate) fn run(args: &List) -> Result<(), Failed> {
    let all =
        [Listed::Models, Listed::Gpus, Listed::Presets, Listed::Policies, Listed::Columns, Listed::Metrics];
    let wanted: Vec<Listed> =
        all.into_iter().filter(|kind| args.kinds.is_empty() || args.kinds.contains(kind)).collect();
    if args.json {
        let parts = wanted.iter().map(|kind| (title(*kind).to_ascii_lowercase(), as_json(*kind)));
        return say(&format!("{}\n", json::indented(&Value::Object(parts.collect()))));
    }
    let parts: Vec<String> =
        wanted.iter().map(|kind| format!("{}\n{}", title(*kind), as_text(*kind))).collect();
    say(&parts.join("\n"))
}

fn title(kind: Listed) -> &'static str {
    match kind {
        Listed::Models => "Models",
        Listed::Gpus => "GPUs",
        Listed::Presets => "Presets",
        Listed::Policies => "Policies",
        Listed::Columns => "Columns",
        Listed::Metrics => "Metrics",
    }
}

fn as_json(kind: Listed) -> Value {
    match kind {
        Listed::Models => json::tree(&models()),
        Listed::Gpus => json::tree(&gpus()),
        Listed::Presets => PRESETS
            .iter()
            .map(|p| (p.name, p.scenario()))
            .map(|(name, s)| {
                let evidence = pool_evidence(&s, None);
                json!({ "name": name, "title": s.title, "note": s.note, "evidence": evidence })
            })
            .collect(),
        Listed::Policies => {
            let of = |choices: &[Choice]| -> Value {
                choices.iter().map(|c| json!({ "name": c.name, "description": c.description })).collect()
            };
            policies()
                .iter()
                .map(|(path, choices)| ((*path).to_owned(), of(choices)))
                .collect::<Map<_, _>>()
                .into()
        }
        Listed::Metrics => metrics::tree(),
        Listed::Columns => {
            let of = |table: TableKind| -> Value {
                let column = |c: &Column| json!({ "name": c.name, "unit": c.unit, "description": c.help });
                table.columns().iter().map(column).collect()
            };
            TableKind::ALL
                .map(|table| (table.name().to_owned(), of(table)))
                .into_iter()
                .collect::<Map<_, _>>()
                .into()
        }
    }
}

fn as_text(kind: Listed) -> String {
    match kind {
        Listed::Models => models_text(),
        Listed::Gpus => gpus_text(),
        Listed::Presets => {
            let columns = ["name", "evidence", "title"].map(|name| (name, Align::Left, 0));
            let mut table = Table::new(&columns);
            for p in PRESETS {
                let scenario = p.scenario();
                let chip = weakest(&pool_evidence(&scenario, None)).map(|of_pool| of_pool.chip.clone());
                table.row(vec![p.name.to_owned(), chip.unwrap_or_default(), scenario.title]);
            }
            table.text()
        }
        Listed::Policies => {
            let mut table = Table::new(&[
                ("field", Align::Left, 0),
                ("name", Align::Left, 0),
                ("what it does", Align::Left, 0),
            ]);
            for (path, choices) in policies() {
                for choice in choices {
                    table.row(vec![path.to_owned(), choice.name, choice.description]);
                }
            }
            table.text()
        }
        Listed::Columns => columns_text(),
        Listed::Metrics => metrics::text(),
    }
}

fn columns_text() -> String {
    let mut table = Table::new(&[
        ("table", Align::Left, 0),
        ("column", Align::Left, 0),
        ("unit", Align::Left, 0),
        ("what it says", Align::Left, 0),
    ]);
    for kind in TableKind::ALL {
        for Column { name, unit, help } in kind.columns() {
            table.row([kind.name(), name, unit, help].map(str::to_owned).to_vec());
        }
    }
    table.text()
}

fn models_text() -> String {
    let mut table = Table::new(&[
        ("name", Align::Left, 0),
        ("shape", Align::Left, 0),
        ("measured on", Align::Left, 0),
        ("also called", Align::Left, 0),
    ]);
    for m in models() {
        let mut on: Vec<String> = Vec::new();
        let mut latest = "";
        for row in &m.measured {
            // Groups the tensor parallelisms by GPU: H100 tp 1, 2, 4; A100-80 tp 1.
            match on.last_mut().filter(|_| latest == row.gpu) {
                Some(text) => text.extend([", ", &row.tp.to_string()]),
                None => on.push(format!("{} tp {}", row.gpu, row.tp)),
            }
            latest = &row.gpu;
        }
        let shape = if m.architecture.is_some() { "known" } else { "–" };
        let on = if on.is_empty() { "–".to_owned() } else { on.join("; ") };
        table.row(vec![m.name.clone(), shape.to_owned(), on, m.aliases.join(", ")]);
    }
    table.text()
}

fn gpus_text() -> String {
    let mut table = Table::new(&[
        ("name", Align::Left, 0),
        ("GiB", Align::Right, 0),
        ("TFLOP/s", Align::Right, 0),
        ("TB/s", Align::Right, 0),
        ("USD/h", Align::Right, 0),
        ("also called", Align::Left, 0),
    ]);
    for g in gpus() {
        let h = &g.hardware;
        let figures = [h.memory_gib, h.tflops, h.bandwidth_tb_per_s, h.usd_per_hour].map(|x| x.to_string());
        let mut row = vec![name(&g.name)];
        row.extend(figures);
        row.push(g.aliases.join(", "));
        table.row(row);
    }
    table.text()
}

/// A policy that a field can name.
struct Choice {
    name: String,
    description: String,
}

/// The fields that name a policy, and the types that list the policies.
const FIELDS: [(&str, &str); 11] = [
    ("cluster.admission", "AdmissionPolicy"),
    ("cluster.routing", "RoutingPolicy"),
    ("cluster.routing.weighted.profile", "Profile"),
    ("cluster.routing.weighted.scorers[].scorer", "Scorer"),
    ("cluster.routing.weighted.filters[]", "Filter"),
    ("cluster.routing.weighted.picker", "Picker"),
    ("cluster.disaggregation.decider", "Decider"),
    ("cluster.pools[].engine.scheduler", "Scheduler"),
    ("cluster.pools[].engine.priority", "PriorityPolicy"),
    ("cluster.pools[].scaling.policy", "ScalingPolicy"),
    ("cluster.pools[].scaling.optimizer", "Optimizer"),
];

/// The policies of each field, with the first sentence of their descriptions, as the schema has them.
fn policies() -> Vec<(&'static str, Vec<Choice>)> {
    let schema = schemars::generate::SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<Scenario>();
    let choices = |type_name: &str| {
        let variants = schema.pointer(&format!("/$defs/{type_name}/oneOf")).and_then(Value::as_array);
        variants.into_iter().flatten().flat_map(choices_of).collect()
    };
    FIELDS.iter().map(|&(path, type_name)| (path, choices(type_name))).collect()
}

/// The choices of one entry of `oneOf`: a name, several names without descriptions, or an object with one key.
fn choices_of(variant: &Value) -> Vec<Choice> {
    let description = variant["description"].as_str().unwrap_or_default();
    let first = description.split_once(". ").map_or(description, |(first, _)| first).trim_end_matches('.');
    let several = variant["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let keys = variant["properties"].as_object().into_iter().flat_map(|p| p.keys().map(String::as_str));
    let names = variant["const"].as_str().into_iter().chain(several).chain(keys);
    names.map(|name| Choice { name: name.to_owned(), description: first.to_owned() }).collect()
}
