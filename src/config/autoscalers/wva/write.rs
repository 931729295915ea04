//! Export of llm-d's autoscaler: a `VariantAutoscaling` for each pool, and the settings of the analyser in a
//! `ConfigMap`.

use crate::autoscalers::objects::{about, finished, metadata, name_of, nothing, of_kind};
use crate::autoscalers::wva::map::{self, Analyser};
use crate::export::model::hub_id;
use crate::export::{Language, Row, SystemExport, Written};
use crate::yaml::node::YamlNode;
use crate::yaml::scalar::{Scalar, number};
use crate::yaml::want::{Changes, Want, merge, new_file};
use document::{
    Optimizer, Pool, QueueCharge, QueueingModel, SaturationV2, Scaling, ScalingPolicy, Scenario, Write as _,
};

const KIND: &str = "VariantAutoscaling";
/// llm-d's autoscaler.
pub(crate) const EXPORT: SystemExport = SystemExport {
    name: "wva",
    title: "llm-d's autoscaler",
    file_name: "variantautoscaling.yaml",
    language: Language::Yaml,
    write,
};

fn write(scenario: &Scenario, beside: Option<&str>) -> Written {
    let pools = &scenario.cluster.pools;
    let variants = beside.map(|text| of_kind(text, KIND)).unwrap_or_default();
    let maps = beside.map(|text| of_kind(text, "ConfigMap")).unwrap_or_default();
    let (mut rows, mut new, mut changes, mut changed) = (Vec::new(), Vec::new(), Changes::default(), false);
    let mut put = |node: Option<&YamlNode>, want: &Want<'_>| match (beside, node) {
        (Some(text), Some(node)) => {
            merge(text, node, want, &mut changes);
            changed = true;
        }
        _ => new.push(new_file(want)),
    };
    let mut entries: Vec<(usize, &Pool)> = Vec::new();
    for (i, pool) in pools.iter().enumerate() {
        let at = format!("cluster.pools[{i}]");
        let policy = &pool.scaling.policy;
        if *policy == ScalingPolicy::None {
            continue;
        }
        if !policy.name().starts_with("wva-") {
            let ours = format!("scaling of {}", pool.name);
            rows.push(Row::ignored(
                format!("{at}.scaling.policy"),
                &ours,
                policy.name(),
                "it is no analyser of llm-d",
            ));
            continue;
        }
        let node = about(&variants, pool, pools);
        // A file of settings alone gets no objects.
        if node.is_some() || beside.is_none() || maps.is_empty() {
            put(node, &variant(pool, &at, node, &mut rows));
        }
        let differs = |(_, other): &(usize, &Pool)| settings(&pool.scaling) != settings(&other.scaling);
        if entries.is_empty() || entries.iter().all(differs) {
            entries.push((i, pool));
        }
    }
    for (n, (i, pool)) in entries.iter().enumerate() {
        let at = format!("cluster.pools[{i}].scaling");
        let of_model = entries.len() > 1;
        let found = entry_of(beside, &maps);
        // Without a map llm-d has the defaults of its second analyser.
        if beside.is_some() && found.is_none() && is_usual(&pool.scaling) {
            continue;
        }
        let (map, key) =
            found.map_or((None, if of_model { "entry" } else { "default" }), |(map, key)| (Some(map), key));
        let key = if key == "entry" { ENTRIES[n.min(ENTRIES.len() - 1)] } else { key };
        put(map, &config_map(pool, &at, map, key, of_model, &mut rows));
    }
    finished(
        Written { rows, nothing: nothing(scenario), ..Written::default() },
        beside,
        changed,
        changes,
        &new,
        KIND,
    )
}

/// Names of entries of models.
const ENTRIES: [&str; 8] =
    ["model-1", "model-2", "model-3", "model-4", "model-5", "model-6", "model-7", "model-8"];

/// The settings of an analyser: its policy, and how pools share.
fn settings(scaling: &Scaling) -> (&ScalingPolicy, Optimizer, u64) {
    (&scaling.policy, scaling.optimizer, scaling.priority.to_bits())
}

/// Whether an analyser is as it is without a map.
fn is_usual(scaling: &Scaling) -> bool {
    let usual = ScalingPolicy::WvaSaturationV2(SaturationV2::default());
    scaling.policy == usual
        && scaling.optimizer != Optimizer::Greedy
        && scaling.priority.to_bits() == 1.0_f64.to_bits()
}

/// The variant of a pool.
fn variant(pool: &Pool, at: &str, there: Option<&YamlNode>, rows: &mut Vec<Row>) -> Want<'static> {
    let model = hub_id(pool).unwrap_or_else(|name| name);
    let target =
        Want::Map(vec![("kind", Want::said("Deployment")), ("name", Want::said(name_of(pool).as_str()))]);
    let known = there.is_some();
    let keep = |want: Want<'static>| if known { Want::Anything } else { want };
    let mut spec = vec![("scaleTargetRef", keep(target)), ("modelID", keep(Want::said(model.as_str())))];
    let cost = pool.scaling.usd_per_hour;
    if cost > 0.0 {
        let before = there.and_then(|node| node.at(&["spec", "variantCost"])?.scalar());
        let before = before.filter(|text| !Scalar::Quantity(cost).is_said_by(text)).map(str::to_owned);
        let row = Row::exact(format!("{at}.scaling.usd_per_hour"), "cost, $/h", number(cost), "variantCost");
        rows.push(row.default_there(cost.to_bits() == 10.0_f64.to_bits()).was(before));
        spec.push(("variantCost", Want::said(Scalar::Quantity(cost))));
    } else {
        let why = "here the price of the GPUs, there 10";
        let row =
            Row::near(format!("{at}.scaling.usd_per_hour"), "cost, $/h", "of the GPUs", "variantCost", why);
        rows.push(row.default_there(true));
    }
    spec.push(map::MIN.write(at, pool.scaling.min.into(), there, rows));
    spec.push(map::MAX.write(at, pool.scaling.max.into(), there, rows));
    Want::Map(vec![
        ("apiVersion", keep(Want::said("llmd.ai/v1alpha1"))),
        ("kind", Want::said(KIND)),
        ("metadata", metadata(pool, there)),
        ("spec", Want::Map(spec)),
    ])
}

/// The map and the key of a file's settings of analysers.
fn entry_of<'m>(beside: Option<&str>, maps: &'m [YamlNode]) -> Option<(&'m YamlNode, &'static str)> {
    let text = beside?;
    let is_analyser = |node: &&YamlNode| {
        let entry = node.at(&["data", "default"]);
        entry.is_some_and(|entry| map::keys().iter().any(|key| text[entry.span.clone()].contains(key)))
    };
    maps.iter().find(is_analyser).map(|map| (map, "default"))
}

/// The settings of the analyser of a pool.
fn config_map(
    pool: &Pool,
    at: &str,
    there: Option<&YamlNode>,
    key: &'static str,
    of_model: bool,
    rows: &mut Vec<Row>,
) -> Want<'static> {
    let scaling = &pool.scaling;
    let (name, mut entry) = entry(&scaling.policy, at, rows);
    if of_model {
        let model = hub_id(pool).unwrap_or_else(|name| name);
        entry.insert(0, ("model_id", Want::said(model.as_str())));
    }
    let optimizer =
        Row::exact(format!("{at}.optimizer"), "optimiser", scaling.optimizer.name(), "enableLimiter");
    match scaling.optimizer {
        Optimizer::Greedy => entry.push(("enableLimiter", Want::said(Scalar::Flag(true)))),
        Optimizer::CostAware => {
            entry.push(("enableLimiter", Want::Scalar(Scalar::Flag(false), Some(Scalar::Flag(false)))));
        }
        Optimizer::Alone => {}
    }
    rows.push(match scaling.optimizer {
        Optimizer::Greedy => optimizer,
        Optimizer::CostAware => optimizer.default_there(true),
        Optimizer::Alone => {
            let why = "llm-d's analysers always share replicas between variants of a model";
            Row::near(format!("{at}.optimizer"), "optimiser", "alone", "", why).default_there(true)
        }
    });
    if scaling.priority.to_bits() != 1.0_f64.to_bits() && scaling.priority > 0.0 {
        rows.push(Row::exact(format!("{at}.priority"), "priority", number(scaling.priority), "priority"));
        entry.push(("priority", Want::said(scaling.priority)));
    }
    let known = there.is_some();
    let keep = |want: Want<'static>| if known { Want::Anything } else { want };
    let name = Want::Map(vec![("name", Want::said(name))]);
    Want::Map(vec![
        ("apiVersion", keep(Want::said("v1"))),
        ("kind", Want::said("ConfigMap")),
        ("metadata", keep(name)),
        ("data", Want::Map(vec![(key, Want::Document(Box::new(Want::Map(entry))))])),
    ])
}

type Entries = Vec<(&'static str, Want<'static>)>;

/// The keys of an analyser, and the name of its map.
fn entry(policy: &ScalingPolicy, at: &str, rows: &mut Vec<Row>) -> (&'static str, Entries) {
    let at = format!("{at}.policy.{}", policy.name());
    unmatched(policy, &at, rows);
    let Some(analyser) = Analyser::ALL.into_iter().find(|one| one.policy() == policy.name()) else {
        return (Analyser::SaturationV1.config_map(), Entries::new());
    };
    let document = policy.write();
    let value = |field: &str| document[analyser.policy()][field].as_f64();
    let mut keys = Entries::new();
    for setting in analyser.settings() {
        // llm-d takes both targets, or neither.
        let is_target = ["ttft_ms", "itl_ms"].contains(&setting.field);
        let both = ["ttft_ms", "itl_ms"].iter().all(|field| value(field).is_some_and(|ms| ms > 0.0));
        if let Some(x) = value(setting.field).filter(|_| both || !is_target) {
            let path = format!("{at}.{}", setting.field);
            rows.push(Row::exact(path, setting.ours, number(x), setting.theirs));
            keys.push((setting.theirs, Want::said(x)));
        }
    }
    (analyser.config_map(), keys)
}

/// Settings of an analyser that its map does not have.
fn unmatched(policy: &ScalingPolicy, at: &str, rows: &mut Vec<Row>) {
    match policy {
        ScalingPolicy::WvaSaturationV2(own) if own.charge != QueueCharge::InputAndOutput => {
            let why = "llm-d counts prompt and answer of a waiting request";
            rows.push(Row::ignored(format!("{at}.charge"), "waiting counts", "input", why));
        }
        ScalingPolicy::WvaQueueingModel(own) => {
            let usual = QueueingModel::default();
            let why = "llm-d's queueing model has one of its own";
            for (key, ours, value, default) in
                [("up", "up above", own.up, usual.up), ("down", "down below", own.down, usual.down)]
            {
                if value.to_bits() != default.to_bits() {
                    rows.push(Row::ignored(format!("{at}.{key}"), ours, number(value), why));
                }
            }
            if own.mode != usual.mode {
                rows.push(Row::ignored(
                    format!("{at}.mode"),
                    "mode",
                    "",
                    "llm-d runs the program as it is coded",
                ));
            }
            if (own.ttft_ms > 0.0) != (own.itl_ms > 0.0) {
                let why = "llm-d takes both targets, or neither";
                rows.push(Row::ignored(at.to_owned(), "one target alone", "", why));
            }
        }
        _ => {}
    }
}
