//! Export of a policy bundle as BLIS writes it: admission, routing, priority and scheduler.

use crate::export::{Language, Row, SystemExport, Written};
use crate::simulators::blis::map::{BUCKET, SCORERS};
use crate::yaml::node::{YamlNode, documents};
use crate::yaml::scalar::{Scalar, number, quantity};
use crate::yaml::want::{Changes, Items, Want, merge, new_file};
use document::{
    AdmissionPolicy, OverLimit, Picker, PriorityPolicy, RoutingPolicy, ScalingPolicy, Scenario, Scheduler,
    Scorer, Ties, Weighted, Write as _,
};

type Section = Option<Want<'static>>;

/// BLIS.
pub(crate) const EXPORT: SystemExport =
    SystemExport { name: "blis", title: "BLIS", file_name: "policies.yaml", language: Language::Yaml, write };

fn write(scenario: &Scenario, beside: Option<&str>) -> Written {
    let found = beside.map(|text| (text, documents(text).into_iter().find(is_bundle)));
    let node = found.as_ref().and_then(|(_, node)| node.as_ref());
    let not_beside = (found.is_some() && node.is_none())
        .then(|| "it is no policy bundle as BLIS writes it (policy and its settings)".to_owned());
    let mut rows = Vec::new();
    let sections = [
        ("admission", admission(&scenario.cluster.admission, node, &mut rows)),
        ("routing", routing(&scenario.cluster.routing, node, &mut rows)),
        ("priority", priority(scenario, node, &mut rows)),
        ("scheduler", scheduler(scenario, node, &mut rows)),
    ];
    if scenario.cluster.pools.iter().any(|pool| pool.scaling.policy != ScalingPolicy::None) {
        let why = "BLIS has its autoscaler in another file, with its node pools";
        rows.push(Row::ignored("cluster.pools[0].scaling", "scaling", "", why));
    }
    if scenario.cluster.flow_control.is_some() {
        let why = "BLIS takes it as flags, such as --flow-control and --saturation-detector";
        rows.push(Row::ignored("cluster.flow_control", "flow control", "", why));
    }
    let want = Want::Map(sections.into_iter().filter_map(|(key, want)| Some((key, want?))).collect());
    let text = match (beside, node) {
        (Some(text), Some(node)) => {
            let mut changes = Changes::default();
            merge(text, node, &want, &mut changes);
            changes.made(text)
        }
        _ => new_file(&want),
    };
    let without_comments = node.is_some_and(|node| node.flow);
    Written { text, rows, not_beside, without_comments, ..Written::default() }
}

/// Whether a document is a bundle in the form of BLIS.
fn is_bundle(node: &YamlNode) -> bool {
    let policy = |key: &&str| node.at(&[key, "policy"]).is_some();
    let kind = |key: &&str| node.at(&[key, "type"]).is_some();
    let sections = ["admission", "routing", "priority"];
    !sections.iter().any(kind)
        && (sections.iter().any(policy) || node.get("scheduler").and_then(YamlNode::scalar).is_some())
}

/// The value of a key of a file if it is another.
fn before(node: Option<&YamlNode>, keys: &[&str], value: &Scalar) -> Option<String> {
    let said = node?.at(keys)?.scalar()?;
    (!value.is_said_by(said)).then(|| said.to_owned())
}

/// A section that names a policy.
fn named(policy: &str) -> Want<'static> {
    Want::Map(vec![("policy", Want::said(policy))])
}

fn admission(own: &AdmissionPolicy, node: Option<&YamlNode>, rows: &mut Vec<Row>) -> Section {
    let path = "cluster.admission";
    let keys = ["admission", "policy"];
    let mut exact = |name: &str| {
        rows.push(Row::exact(path, "admission", name, "policy").was(before(
            node,
            &keys,
            &Scalar::text(name),
        )));
        Some(named(name))
    };
    let ours = match own {
        AdmissionPolicy::AlwaysAdmit => return exact("always-admit"),
        AdmissionPolicy::RejectAll => return exact("reject-all"),
        AdmissionPolicy::TokenBucket(own) => {
            let why = "BLIS has one bucket for all tenants, and refuses over the limit";
            let row = Row::exact(path, "admission", "token-bucket", "policy");
            let same = !own.per_tenant && own.then == OverLimit::Reject;
            let row = if same { row } else { Row::near(path, "admission", "token-bucket", "policy", why) };
            rows.push(row.was(before(node, &keys, &Scalar::text("token-bucket"))));
            let mut section = vec![("policy", Want::said("token-bucket"))];
            let values = [own.capacity_tokens, own.refill_tokens_per_s];
            for ((theirs, key, ours), value) in BUCKET.into_iter().zip(values) {
                let was = before(node, &["admission", theirs], &Scalar::Number(value));
                rows.push(
                    Row::exact(format!("{path}.token-bucket.{key}"), ours, number(value), theirs).was(was),
                );
                section.push((theirs, Want::said(value)));
            }
            return Some(Want::Map(section));
        }
        AdmissionPolicy::RateLimit(_) => "rate-limit",
        AdmissionPolicy::TenantQuota(_) => "tenant-quota",
        AdmissionPolicy::ConcurrencyLimit(_) => "concurrency-limit",
        AdmissionPolicy::SlidingWindow(_) => "sliding-window",
        AdmissionPolicy::SessionCap(_) => "session-cap",
        AdmissionPolicy::Shed(_) => "shed",
    };
    rows.push(Row::ignored(path, "admission", ours, "BLIS has always-admit, reject-all and token-bucket"));
    None
}

fn routing(own: &RoutingPolicy, node: Option<&YamlNode>, rows: &mut Vec<Row>) -> Section {
    let path = "cluster.routing";
    let name = match own {
        RoutingPolicy::RoundRobin => "round-robin",
        RoutingPolicy::Random => "random",
        RoutingPolicy::LeastLoaded => "least-loaded",
        RoutingPolicy::AlwaysBusiest => "always-busiest",
        RoutingPolicy::Weighted(own) => return weighted(own, node, rows),
        RoutingPolicy::PowerOfD(_)
        | RoutingPolicy::LeastKv
        | RoutingPolicy::PrefixAware(_)
        | RoutingPolicy::PrefixOverlap(_)
        | RoutingPolicy::SessionAffinity(_)
        | RoutingPolicy::CostEscalation(_)
        | RoutingPolicy::KvCost(_)
        | RoutingPolicy::CacheAware(_) => {
            let value = own.write();
            let of_map = value.as_object().and_then(|map| map.keys().next().cloned());
            let ours = of_map.or_else(|| value.as_str().map(str::to_owned)).unwrap_or_default();
            rows.push(Row::ignored(path, "routing", ours, "BLIS has round-robin, least-loaded and weighted"));
            return None;
        }
    };
    let was = before(node, &["routing", "policy"], &Scalar::text(name));
    rows.push(Row::exact(path, "routing", name, "policy").was(was));
    let scorers = if node.and_then(|node| node.at(&["routing", "scorers"])).is_some() {
        Want::Nothing
    } else {
        Want::Anything
    };
    Some(Want::Map(vec![("policy", Want::said(name)), ("scorers", scorers)]))
}

/// The name of a scorer there.
fn scorer(own: &Scorer) -> Option<&'static str> {
    SCORERS.iter().find(|(_, ours)| *ours == own.name()).map(|(theirs, _)| *theirs)
}

fn weighted(own: &Weighted, node: Option<&YamlNode>, rows: &mut Vec<Row>) -> Section {
    let at = "cluster.routing.weighted";
    let list = node.and_then(|node| node.at(&["routing", "scorers"]));
    let said = |name: &str| {
        let items = list.map(YamlNode::items).unwrap_or_default();
        let item =
            items.iter().find(|item| item.value.get("name").and_then(YamlNode::scalar) == Some(name))?;
        item.value.get("weight")?.scalar().map(str::to_owned)
    };
    let mut found: Vec<(&'static str, f64)> = Vec::new();
    for (i, row) in own.scorers().iter().enumerate() {
        let path = format!("{at}.scorers[{i}]");
        let weight = number(row.weight);
        match scorer(&row.scorer) {
            Some(name) => {
                let was = said(name).filter(|text| !Scalar::Number(row.weight).is_said_by(text));
                rows.push(Row::exact(path, row.scorer.name(), weight, name).was(was));
                found.push((name, row.weight));
            }
            None if row.scorer == Scorer::WaitingRequests => {
                let why = "queue-depth counts running and sent requests too; BLIS has none of those that wait alone";
                rows.push(Row::near(path, "waiting-requests", weight, "queue-depth", why));
                found.push(("queue-depth", row.weight));
            }
            None => {
                let ours = match &row.scorer {
                    Scorer::Expression(text) => format!("expression '{}'", text.0),
                    named => named.name().to_owned(),
                };
                rows.push(Row::ignored(path, &ours, weight, "BLIS has no such scorer"));
            }
        }
    }
    if own.ties() == Ties::Random {
        rows.push(
            Row::near(format!("{at}.ties"), "ties", "random", "", "BLIS takes the first of equals")
                .default_there(true),
        );
    }
    if own.picker != Picker::Max {
        rows.push(Row::ignored(format!("{at}.picker"), "picker", "random", "BLIS takes the highest score"));
    }
    for (i, _) in own.filters().iter().enumerate() {
        rows.push(Row::ignored(format!("{at}.filters[{i}]"), "filter", "", "BLIS has no filters"));
    }
    if found.is_empty() {
        return None;
    }
    Some(Want::Map(vec![("policy", Want::said("weighted")), ("scorers", scorers(&found, list))]))
}

/// The scorers as a list, or as the text that a file has.
fn scorers(found: &[(&'static str, f64)], list: Option<&YamlNode>) -> Want<'static> {
    if let Some(text) = list.and_then(YamlNode::scalar).filter(|text| !text.is_empty()) {
        let said: Vec<(&str, Option<f64>)> = text
            .split(',')
            .map(|part| {
                part.split_once(':').map_or((part.trim(), None), |(name, w)| (name.trim(), quantity(w)))
            })
            .collect();
        let same = said.len() == found.len()
            && said.iter().zip(found).all(|((name, w), (own, weight))| {
                name == own && w.is_some_and(|w| w.to_bits() == weight.to_bits())
            });
        let own: Vec<String> =
            found.iter().map(|(name, weight)| format!("{name}:{}", number(*weight))).collect();
        return if same { Want::Anything } else { Want::said(own.join(",").as_str()) };
    }
    let item = |(name, weight): &(&'static str, f64)| {
        ((*name).to_owned(), Want::Braces(vec![("name", Want::said(*name)), ("weight", Want::said(*weight))]))
    };
    let name_of =
        |node: &YamlNode| node.get("name").and_then(YamlNode::scalar).unwrap_or_default().to_owned();
    Want::List(Items {
        items: found.iter().map(item).collect(),
        name_of: Box::new(name_of),
        is_ours: Box::new(|_| true),
    })
}

fn priority(scenario: &Scenario, node: Option<&YamlNode>, rows: &mut Vec<Row>) -> Section {
    let path = "cluster.pools[0].engine.priority";
    let own = scenario.cluster.pools.first().map(|pool| &pool.engine.priority)?;
    let name = match own {
        PriorityPolicy::Constant => "constant",
        PriorityPolicy::SloBased => "slo-based",
        PriorityPolicy::InvertedSlo => "inverted-slo",
        PriorityPolicy::SloClass(_)
        | PriorityPolicy::TenantPriority(_)
        | PriorityPolicy::DeadlineAware(_)
        | PriorityPolicy::Request => {
            let why = "BLIS has constant, slo-based (by age) and inverted-slo";
            rows.push(Row::ignored(path, "priority", "", why));
            return None;
        }
    };
    let same = scenario.cluster.pools.iter().all(|pool| pool.engine.priority == *own);
    let why = "BLIS has one priority for all instances";
    let row = if same {
        Row::exact(path, "priority", name, "policy")
    } else {
        Row::near(path, "priority", name, "policy", why)
    };
    rows.push(row.was(before(node, &["priority", "policy"], &Scalar::text(name))));
    Some(named(name))
}

fn scheduler(scenario: &Scenario, node: Option<&YamlNode>, rows: &mut Vec<Row>) -> Section {
    let path = "cluster.pools[0].engine.scheduler";
    let own = scenario.cluster.pools.first()?.engine.scheduler;
    let name = match own {
        Scheduler::Fcfs => "fcfs",
        Scheduler::PriorityFcfs => "priority-fcfs",
        Scheduler::Sjf => "sjf",
        Scheduler::ReversePriority => "reverse-priority",
    };
    let same = scenario.cluster.pools.iter().all(|pool| pool.engine.scheduler == own);
    let why = "BLIS has one scheduler for all instances";
    let row = if same {
        Row::exact(path, "scheduler", name, "scheduler")
    } else {
        Row::near(path, "scheduler", name, "scheduler", why)
    };
    rows.push(row.was(before(node, &["scheduler"], &Scalar::text(name))));
    Some(Want::said(name))
}
