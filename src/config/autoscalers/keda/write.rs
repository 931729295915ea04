//! Export of KEDA's autoscaler: one `ScaledObject` for each pool that it scales.

use crate::autoscalers::keda::map;
use crate::autoscalers::objects::{metadata, target, written};
use crate::autoscalers::scaled::{Asked, asked, behavior};
use crate::export::{Language, Row, SystemExport, Written};
use crate::yaml::node::YamlNode;
use crate::yaml::scalar::{Scalar, number};
use crate::yaml::want::{Items, Want};
use document::{
    Behavior, Compat, FurtherTrigger, Keda as Settings, PeakPrefill, Pool, ScalingPolicy, Scenario, TargetOf,
    TokenAware,
};
use engine::perf::resolve;

const KIND: &str = "ScaledObject";
/// Where the metrics stand, to be replaced.
const SERVER: &str = "http://prometheus.monitoring:9090";

/// KEDA.
pub(crate) const EXPORT: SystemExport = SystemExport {
    name: "keda",
    title: "KEDA",
    file_name: "scaledobject.yaml",
    language: Language::Yaml,
    write,
};

fn write(scenario: &Scenario, beside: Option<&str>) -> Written {
    let compat = scenario.cluster.compat;
    let object = |pool: &Pool, at: &str, there: Option<&YamlNode>, rows: &mut Vec<Row>| {
        object(pool, compat, at, there, rows)
    };
    let mut written = written(scenario, KIND, beside, &object);
    if written.text.contains(SERVER) {
        written.notes.push(
            "set serverAddress to your Prometheus, and choose the pool's series in the queries".to_owned(),
        );
    }
    written
}

/// The object of a pool, if KEDA scales it.
fn object(
    pool: &Pool,
    compat: Compat,
    at: &str,
    there: Option<&YamlNode>,
    rows: &mut Vec<Row>,
) -> Option<Want<'static>> {
    let path = format!("{at}.scaling.policy");
    let own = settings(pool, compat, &path, rows)?;
    let path = format!("{path}.keda");
    let mut spec = vec![("scaleTargetRef", target(pool, there))];
    for (key, value) in [
        (map::TICK, pool.scaling.tick_s),
        (map::COOLDOWN, own.cooldown_s),
        (map::MIN, pool.scaling.min.into()),
        (map::MAX, pool.scaling.max.into()),
    ] {
        spec.push(key.write(at, value, there, rows));
    }
    let said =
        there.and_then(|node| node.at(&["spec", "advanced", "horizontalPodAutoscalerConfig", "behavior"]));
    let behavior = behavior(&own.behavior, &Behavior::Default, &format!("{path}.behavior"), said, rows);
    let mut advanced = vec![("horizontalPodAutoscalerConfig", Want::Map(vec![("behavior", behavior)]))];
    if let Some(formula) = formula(&own, &path, there, rows) {
        advanced.push(("scalingModifiers", formula));
    }
    spec.push(("advanced", Want::Map(advanced)));
    spec.push(("triggers", triggers(&own, &path, there, rows)));
    Some(Want::Map(vec![
        ("apiVersion", if there.is_some() { Want::Anything } else { Want::said("keda.sh/v1alpha1") }),
        ("kind", Want::said(KIND)),
        ("metadata", metadata(pool, there)),
        ("spec", Want::Map(spec)),
    ]))
}

/// The settings of KEDA for a pool's policy; nothing if KEDA does not carry it out.
fn settings(pool: &Pool, compat: Compat, path: &str, rows: &mut Vec<Row>) -> Option<Settings> {
    match &pool.scaling.policy {
        ScalingPolicy::None => None,
        ScalingPolicy::Keda(own) => Some(own.clone()),
        ScalingPolicy::TokenAware(own) => token_aware(own, pool, compat, path, rows),
        ScalingPolicy::SloAware(_) => {
            let why = "it needs a recording rule of latency over objective: see llm-d's guide, then a trigger on that rule";
            rows.push(Row::ignored(path, &format!("scaling of {}", pool.name), "slo-aware", why));
            None
        }
        policy => {
            let why = "KEDA does not carry it out";
            rows.push(Row::ignored(path, &format!("scaling of {}", pool.name), policy.name(), why));
            None
        }
    }
}

/// Token-aware scaling as KEDA's triggers: seconds of backlog as tokens, and KV cache in use.
fn token_aware(
    own: &TokenAware,
    pool: &Pool,
    compat: Compat,
    path: &str,
    rows: &mut Vec<Row>,
) -> Option<Settings> {
    let by_model = || resolve(pool, compat, "").ok().map(|r| r.peak_prefill_tokens_per_s());
    let peak = match own.peak_prefill_tokens_per_s {
        PeakPrefill::TokensPerS(n) => Some(f64::from(n)),
        PeakPrefill::Model => by_model(),
    };
    let Some(peak) = peak.filter(|peak| peak.is_finite() && *peak >= 1.0) else {
        let why = "the pool's latency model gives no peak of prompt tokens: say one";
        rows.push(Row::ignored(path, &format!("scaling of {}", pool.name), "token-aware", why));
        return None;
    };
    let why = "as two triggers, where llm-d's guide divides in the query";
    let value = format!("token-aware, {} tokens/s", number(peak.floor()));
    rows.push(Row::near(path, "policy", value, "triggers", why));
    let backlog = FurtherTrigger {
        metric: document::ScalingMetric::PrefillBacklog,
        threshold: peak.floor() * own.backlog_s,
        ..FurtherTrigger::default()
    };
    let kv = FurtherTrigger {
        metric: document::ScalingMetric::Kv,
        threshold: own.kv,
        ..FurtherTrigger::default()
    };
    let FurtherTrigger { metric, threshold, .. } = backlog;
    Some(Settings {
        metric,
        threshold,
        more: vec![kv],
        behavior: own.behavior.clone(),
        ..Settings::default()
    })
}

/// The number made of all triggers.
fn formula(
    own: &Settings,
    path: &str,
    there: Option<&YamlNode>,
    rows: &mut Vec<Row>,
) -> Option<Want<'static>> {
    let Some(formula) = &own.formula else {
        let has = there.is_some_and(|node| node.at(&["spec", "advanced", "scalingModifiers"]).is_some());
        return has.then_some(Want::Nothing);
    };
    let said = there.and_then(|node| node.at(&["spec", "advanced", "scalingModifiers", "formula"]));
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let same = said.and_then(YamlNode::scalar).is_some_and(|text| words(text) == words(&formula.formula));
    // A text over several lines stays as it is.
    let keep = same || said.is_some_and(|node| node.scalar().is_none());
    rows.push(Row::exact(
        format!("{path}.formula"),
        "formula",
        words(&formula.formula),
        "scalingModifiers.formula",
    ));
    let kind = if formula.target_of == TargetOf::Pool { "Value" } else { "AverageValue" };
    Some(Want::Map(vec![
        ("formula", if keep { Want::Anything } else { Want::said(words(&formula.formula).as_str()) }),
        ("target", Want::said(Scalar::Quantity(formula.target))),
        ("activationTarget", Want::unless(Scalar::Quantity(formula.activation), Scalar::Quantity(0.0))),
        ("metricType", Want::unless(kind, "AverageValue")),
    ]))
}

/// The triggers of a pool; those of a file that are not measured here stay.
fn triggers(own: &Settings, path: &str, there: Option<&YamlNode>, rows: &mut Vec<Row>) -> Want<'static> {
    let items =
        there.and_then(|node| node.at(&["spec", "triggers"])).map(YamlNode::items).unwrap_or_default();
    let query = |node: &YamlNode| node.at(&["metadata", "query"]).and_then(YamlNode::scalar).and_then(asked);
    let said: Vec<&YamlNode> =
        items.iter().map(|item| &item.value).filter(|node| query(node).is_some()).collect();
    let starts: Vec<usize> = said.iter().map(|node| node.span.start).collect();
    let mut items = Vec::new();
    for (i, trigger) in own.triggers().iter().enumerate() {
        let path = if i == 0 { path.to_owned() } else { format!("{path}.more[{}]", i - 1) };
        let known = said.get(i).filter(|node| query(node) == Some(trigger.metric));
        let want = trigger_of(trigger, own.formula.is_some(), &path, known.copied(), rows);
        items.extend(want.map(|want| (format!("t{i}"), want)));
    }
    let place = move |node: &YamlNode| starts.iter().position(|start| *start == node.span.start);
    let (name_of, is_ours) = (place.clone(), place);
    Want::List(Items {
        items,
        name_of: Box::new(move |node| name_of(node).map_or_else(String::new, |i| format!("t{i}"))),
        is_ours: Box::new(move |node| is_ours(node).is_some()),
    })
}

fn trigger_of(
    own: &FurtherTrigger,
    in_formula: bool,
    path: &str,
    there: Option<&YamlNode>,
    rows: &mut Vec<Row>,
) -> Option<Want<'static>> {
    let Some(Asked { query, differs, .. }) = Asked::of(own.metric) else {
        rows.push(Row::ignored(path, "trigger", own.metric.name(), "no program has such a metric"));
        return None;
    };
    let pool = own.target_of == TargetOf::Pool;
    let said = |key: &str| there.and_then(|node| node.at(&["metadata", key])?.scalar());
    // A query that divides tokens by a rate has its threshold in seconds.
    let per = said("query")
        .filter(|_| own.metric == document::ScalingMetric::PrefillBacklog)
        .and_then(map::divisor);
    let threshold = Scalar::Quantity(own.threshold / per.unwrap_or(1.0));
    let activation = Scalar::Quantity(own.activation / per.unwrap_or(1.0));
    let before =
        said("threshold").filter(|text| !in_formula && !threshold.is_said_by(text)).map(str::to_owned);
    let shown = if in_formula {
        own.named()
    } else {
        format!("{} per {}", number(own.threshold), if pool { "pool" } else { "replica" })
    };
    let row = match differs {
        None => Row::exact(path, own.metric.name(), shown, query),
        Some(why) => Row::near(path, own.metric.name(), shown, query, why),
    };
    rows.push(row.was(before));
    let zero = Scalar::Quantity(0.0);
    let metadata = if in_formula {
        // KEDA wants a threshold beside a formula too.
        vec![("threshold", if there.is_some() { Want::Anything } else { Want::said(Scalar::Quantity(1.0)) })]
    } else {
        vec![
            ("threshold", Want::said(threshold)),
            ("activationThreshold", Want::Scalar(activation, Some(zero))),
        ]
    };
    let kind = Want::unless(if pool { "Value" } else { "AverageValue" }, "AverageValue");
    let inner = there.and_then(|node| node.at(&["metadata", "metricType"])).is_some();
    if there.is_some() {
        let mut metadata = metadata;
        let outer = if inner {
            Want::Anything
        } else {
            Want::unless(if pool { "Value" } else { "AverageValue" }, "AverageValue")
        };
        if inner {
            metadata.push(("metricType", kind));
        }
        let name = if in_formula { Want::said(own.named().as_str()) } else { Want::Anything };
        return Some(Want::Map(vec![
            ("name", name),
            ("metadata", Want::Map(metadata)),
            ("metricType", outer),
        ]));
    }
    let mut all = vec![("serverAddress", Want::said(SERVER)), ("query", Want::said(query))];
    all.extend(metadata);
    let mut trigger = vec![("type", Want::said("prometheus"))];
    if in_formula {
        trigger.push(("name", Want::said(own.named().as_str())));
    }
    trigger.push(("metadata", Want::Map(all)));
    trigger.push(("metricType", kind));
    Some(Want::Map(trigger))
}
