//! Export of the horizontal autoscaler of Kubernetes: one object for each pool that it scales, also where it carries out
//! what an analyser wants.

use crate::autoscalers::hpa::map;
use crate::autoscalers::objects::{metadata, target, written};
use crate::autoscalers::scaled::{Asked, asked, behavior};
use crate::export::{Language, Row, SystemExport, Written};
use crate::yaml::node::YamlNode;
use crate::yaml::scalar::{Scalar, number};
use crate::yaml::want::{Items, Want};
use document::{Behavior, CarriedOutBy, FurtherMetric, Horizontal, Pool, ScalingPolicy, Scenario, TargetOf};

const KIND: &str = "HorizontalPodAutoscaler";
/// The metric with the number of replicas that an analyser wants.
const WANTED: &str = "wva_desired_replicas";

/// The horizontal autoscaler.
pub(crate) const EXPORT: SystemExport = SystemExport {
    name: "hpa",
    title: "HorizontalPodAutoscaler",
    file_name: "hpa.yaml",
    language: Language::Yaml,
    write,
};

fn write(scenario: &Scenario, beside: Option<&str>) -> Written {
    written(scenario, KIND, beside, &object)
}

/// The object of a pool, if the autoscaler scales it.
fn object(pool: &Pool, at: &str, there: Option<&YamlNode>, rows: &mut Vec<Row>) -> Option<Want<'static>> {
    let path = format!("{at}.scaling.policy");
    let said = there.and_then(|node| node.at(&["spec", "behavior"]));
    let (metrics, behavior) = match (&pool.scaling.policy, &pool.scaling.carried_out_by) {
        (ScalingPolicy::None, _) => return None,
        (ScalingPolicy::Hpa(own), _) => (
            metrics(own, &path, there, rows),
            behavior(&own.behavior, &Behavior::Legacy, &format!("{path}.hpa.behavior"), said, rows),
        ),
        (policy, CarriedOutBy::Hpa(carrier)) if policy.name().starts_with("wva-") => {
            let path = format!("{at}.scaling.carried_out_by");
            rows.push(Row::exact(&path, "follows", policy.name(), WANTED));
            (
                gauge(pool, there),
                behavior(&carrier.behavior, &Behavior::Legacy, &format!("{path}.hpa.behavior"), said, rows),
            )
        }
        (policy, _) => {
            let why = "it is no horizontal autoscaler";
            rows.push(Row::ignored(path, &format!("scaling of {}", pool.name), policy.name(), why));
            return None;
        }
    };
    let mut spec = vec![("scaleTargetRef", target(pool, there))];
    spec.push(map::MIN.write(at, pool.scaling.min.into(), there, rows));
    spec.push(map::MAX.write(at, pool.scaling.max.into(), there, rows));
    spec.push(("metrics", metrics));
    spec.push(("behavior", behavior));
    tick(pool, at, rows);
    Some(Want::Map(vec![
        ("apiVersion", if there.is_some() { Want::Anything } else { Want::said("autoscaling/v2") }),
        ("kind", Want::said(KIND)),
        ("metadata", metadata(pool, there)),
        ("spec", Want::Map(spec)),
    ]))
}

/// Kubernetes decides at times of its own.
fn tick(pool: &Pool, at: &str, rows: &mut Vec<Row>) {
    let tick_s = pool.scaling.tick_s;
    if tick_s.to_bits() != 15.0_f64.to_bits() {
        let why = "not in this file: the flag --horizontal-pod-autoscaler-sync-period of the controller, 15 s by default";
        let row = Row::near(format!("{at}.scaling.tick_s"), "decides every, s", number(tick_s), "", why);
        rows.push(row.default_there(true));
    }
}

/// The wanted number of an analyser as the only metric.
fn gauge(pool: &Pool, there: Option<&YamlNode>) -> Want<'static> {
    if there.is_some_and(|node| node.at(&["spec", "metrics"]).is_some()) {
        return Want::Anything;
    }
    let labels = Want::Map(vec![("variant_name", Want::said(pool.name.as_str()))]);
    let selector = Want::Map(vec![("matchLabels", labels)]);
    let metric = Want::Map(vec![("name", Want::said(WANTED)), ("selector", selector)]);
    let target = Want::Map(vec![
        ("type", Want::said("AverageValue")),
        ("averageValue", Want::said(Scalar::Quantity(1.0))),
    ]);
    let external = Want::Map(vec![("metric", metric), ("target", target)]);
    Want::rows(vec![Want::Map(vec![("type", Want::said("External")), ("external", external)])])
}

/// The metrics of a pool; those of a file that are not measured here stay.
fn metrics(own: &Horizontal, path: &str, there: Option<&YamlNode>, rows: &mut Vec<Row>) -> Want<'static> {
    let items = there.and_then(|node| node.at(&["spec", "metrics"])).map(YamlNode::items).unwrap_or_default();
    let said: Vec<(String, &YamlNode)> = items
        .iter()
        .filter_map(|item| {
            let section = item.value.get("type")?.scalar()?.to_lowercase();
            let name = item.value.at(&[&section, "metric", "name"])?.scalar()?;
            asked(name).map(|_| (section, &item.value))
        })
        .collect();
    let starts: Vec<usize> = said.iter().map(|(_, node)| node.span.start).collect();
    let first = FurtherMetric { metric: own.metric, target: own.target, target_of: own.target_of };
    let all = std::iter::once(&first).chain(&own.more).enumerate();
    let one = |(i, metric): (usize, &FurtherMetric)| {
        let path = if i == 0 { format!("{path}.hpa") } else { format!("{path}.hpa.more[{}]", i - 1) };
        (format!("m{i}"), metric_of(metric, &path, said.get(i), rows))
    };
    let items = all.map(one).filter_map(|(name, want)| want.map(|want| (name, want))).collect();
    let place = move |node: &YamlNode| starts.iter().position(|start| *start == node.span.start);
    let (name_of, is_ours) = (place.clone(), place);
    Want::List(Items {
        items,
        name_of: Box::new(move |node| name_of(node).map_or_else(String::new, |i| format!("m{i}"))),
        is_ours: Box::new(move |node| is_ours(node).is_some()),
    })
}

/// A metric and its target; nothing if there is no such metric.
fn metric_of(
    own: &FurtherMetric,
    path: &str,
    there: Option<&(String, &YamlNode)>,
    rows: &mut Vec<Row>,
) -> Option<Want<'static>> {
    let Asked { name, differs, of_pods, .. } = Asked::of(own.metric).or_else(|| {
        let why = "no program has such a metric";
        rows.push(Row::ignored(path, "metric", own.metric.name(), why));
        None
    })?;
    let pool = own.target_of == TargetOf::Pool;
    let (kind, key, other) =
        if pool { ("Value", "value", "averageValue") } else { ("AverageValue", "averageValue", "value") };
    let value = Scalar::Quantity(own.target);
    let target = |known: bool| {
        let mut target = vec![(key, Want::said(value.clone())), (other, Want::Nothing)];
        if !known {
            target.insert(0, ("type", Want::said(kind)));
        }
        Want::Map(target)
    };
    let known = there.filter(|(section, node)| {
        let of = |keys: &[&str]| node.at(keys).and_then(YamlNode::scalar);
        let named = of(&[section, "metric", "name"]).and_then(asked);
        named == Some(own.metric) && of(&[section, "target", "type"]).is_none_or(|said| said == kind)
    });
    let before =
        known.and_then(|(section, node)| node.at(&[section, "target", key])?.scalar().map(str::to_owned));
    let before = before.filter(|text| !value.is_said_by(text));
    let shown = format!("{} per {}", number(own.target), if pool { "pool" } else { "replica" });
    let row = match differs {
        None => Row::exact(path, own.metric.name(), shown, name),
        Some(why) => Row::near(path, own.metric.name(), shown, name, why),
    };
    rows.push(row.was(before));
    if let Some((section, _)) = known {
        let section = if section == "pods" {
            "pods"
        } else if section == "object" {
            "object"
        } else {
            "external"
        };
        return Some(Want::Map(vec![(section, Want::Map(vec![("target", target(true))]))]));
    }
    let (kind, section) = if of_pods && !pool { ("Pods", "pods") } else { ("External", "external") };
    let metric = Want::Map(vec![("name", Want::said(name))]);
    let inner = Want::Map(vec![("metric", metric), ("target", target(false))]);
    Some(Want::Map(vec![("type", Want::said(kind)), (section, inner)]))
}
