//! Shared parts of the horizontal autoscaler and of KEDA: names of metrics, and rules of how fast replicas change.

use crate::autoscalers::measured::measured;
use crate::export::Row;
use crate::import::configuration::Reader;
use crate::yaml::node::YamlNode;
use crate::yaml::scalar::{Scalar, number};
use crate::yaml::want::{Items, Want};
use document::{Behavior, BehaviorRules, ChangeLimit, DirectionRules, LimitUnit, ScalingMetric, SelectRule};
use serde_json::json;

/// How a metric is asked for.
pub(crate) struct Asked {
    /// Its name, where a server or the router writes it.
    pub(crate) name: &'static str,
    /// The query of its value over the pool.
    pub(crate) query: &'static str,
    /// How it differs.
    pub(crate) differs: Option<&'static str>,
    /// Whether each replica reports it.
    pub(crate) of_pods: bool,
}

impl Asked {
    /// The counterpart of a metric.
    pub(crate) fn of(metric: ScalingMetric) -> Option<Self> {
        let row = |name, query, of_pods| Some(Self { name, query, differs: None, of_pods });
        let near = |name, query, of_pods, why| Some(Self { name, query, differs: Some(why), of_pods });
        match metric {
            ScalingMetric::Kv => row("vllm:kv_cache_usage_perc", "avg(vllm:kv_cache_usage_perc)", true),
            ScalingMetric::Waiting => {
                row("vllm:num_requests_waiting", "sum(vllm:num_requests_waiting)", true)
            }
            ScalingMetric::Running => {
                row("vllm:num_requests_running", "sum(vllm:num_requests_running)", true)
            }
            ScalingMetric::Requests => near(
                "requests_in_flight",
                "sum(requests_in_flight)",
                true,
                "no server has this metric: record it as vllm:num_requests_running + vllm:num_requests_waiting",
            ),
            ScalingMetric::Rate => near(
                "vllm:request_success_total",
                "sum(rate(vllm:request_success_total[1m]))",
                true,
                "vLLM counts requests that finished, here those that arrive",
            ),
            ScalingMetric::GatewayQueue => {
                let name = "llm_d_epp_flow_control_queue_size";
                row(name, "sum(llm_d_epp_flow_control_queue_size)", false)
            }
            ScalingMetric::RequestsRunning => {
                row("llm_d_epp_request_running", "sum(llm_d_epp_request_running)", false)
            }
            ScalingMetric::PoolSaturation => {
                let name = "llm_d_epp_flow_control_pool_saturation";
                row(name, "max(llm_d_epp_flow_control_pool_saturation)", false)
            }
            ScalingMetric::PrefillBacklog => {
                row("llm_d_epp_inflight_tokens", "sum(llm_d_epp_inflight_tokens)", false)
            }
            ScalingMetric::Replicas => {
                row("kube_deployment_status_replicas", "max(kube_deployment_status_replicas)", false)
            }
            ScalingMetric::ReadyReplicas => row(
                "kube_deployment_status_replicas_ready",
                "max(kube_deployment_status_replicas_ready)",
                false,
            ),
            ScalingMetric::PendingReplicas => {
                let name = "kube_deployment_status_replicas_unavailable";
                row(name, "max(kube_deployment_status_replicas_unavailable)", false)
            }
            ScalingMetric::Utilization | ScalingMetric::ObjectivesMissed => None,
        }
    }
}

/// The metric that a name or a query of a file means, as the import reads it.
pub(crate) fn asked(text: &str) -> Option<ScalingMetric> {
    let source = json!({ "query": text });
    let name = measured(&mut Reader::new(&source), "query", "")?;
    serde_json::from_value(json!(name)).ok()
}

/// How fast replicas change. `absent` is what a file without rules means.
pub(crate) fn behavior(
    own: &Behavior,
    absent: &Behavior,
    path: &str,
    there: Option<&YamlNode>,
    rows: &mut Vec<Row>,
) -> Want<'static> {
    let rules = match own {
        Behavior::Default => BehaviorRules::default(),
        Behavior::Rules(rules) => rules.clone(),
        Behavior::Legacy => {
            let row = Row::exact(path, "behaviour", "legacy", "behavior");
            rows.push(row.default_there(true));
            return Want::Anything;
        }
    };
    // Without any key the rules would be others; a file that has keys stays as it is.
    let said = *absent != Behavior::Default && there.is_none();
    let usual = BehaviorRules::default();
    let mut of = |own, usual, ours: &str, theirs, said| {
        let policies = there.and_then(|node| node.at(&[theirs, "policies"]));
        direction(own, usual, &format!("{path}.rules.{ours}"), theirs, said, policies, rows)
    };
    let up = of(&rules.up, &usual.up, "up", "scaleUp", false);
    let down = of(&rules.down, &usual.down, "down", "scaleDown", said);
    Want::Map(vec![("scaleUp", up), ("scaleDown", down)])
}

/// The rules of a direction; `said` writes the window even where it is the default.
fn direction(
    own: &DirectionRules,
    usual: &DirectionRules,
    path: &str,
    theirs: &str,
    said: bool,
    there: Option<&YamlNode>,
    rows: &mut Vec<Row>,
) -> Want<'static> {
    let select = |rule| match rule {
        SelectRule::Max => "Max",
        SelectRule::Min => "Min",
        SelectRule::Disabled => "Disabled",
    };
    let window = Scalar::Number(own.stabilization_s);
    let default = Scalar::Number(usual.stabilization_s);
    let (limits, differs) = limits_of(own);
    let same = limits == limits_of(usual).0;
    let shown: Vec<String> = limits.iter().map(shown).collect();
    let value = format!("{} s, {}: {}", number(own.stabilization_s), select(own.select), shown.join(", "));
    let is_default = same && !said && own.stabilization_s.to_bits() == usual.stabilization_s.to_bits();
    let row = match differs {
        None => Row::exact(path, "behaviour", value, theirs),
        Some(why) => Row::near(path, "behaviour", value, theirs, why),
    };
    rows.push(row.default_there(is_default && own.select == usual.select));
    let policies = if same && there.is_none() { Want::Anything } else { policies(&limits, there) };
    Want::Map(vec![
        ("stabilizationWindowSeconds", Want::Scalar(window, (!said).then_some(default))),
        ("tolerance", Want::unless(Scalar::Quantity(own.tolerance), Scalar::Quantity(0.1))),
        ("selectPolicy", Want::unless(select(own.select), "Max")),
        ("policies", policies),
    ])
}

/// The limits as policies. Their order does not matter: those of a file are known by their types.
fn policies(limits: &[ChangeLimit], there: Option<&YamlNode>) -> Want<'static> {
    let kind = |limit: &ChangeLimit| if limit.by == LimitUnit::Pods { "Pods" } else { "Percent" };
    // The first of a type, the second, and so on.
    let numbered = |kinds: Vec<&str>| -> Vec<String> {
        let number = |i: usize| kinds[..i].iter().filter(|kind| **kind == kinds[i]).count();
        (0..kinds.len()).map(|i| format!("{} {}", kinds[i], number(i))).collect()
    };
    let names = numbered(limits.iter().map(kind).collect());
    let items = there.map(YamlNode::items).unwrap_or_default();
    let kind_of =
        |node: &YamlNode| node.get("type").and_then(YamlNode::scalar).unwrap_or_default().to_owned();
    let kinds: Vec<String> = items.iter().map(|item| kind_of(&item.value)).collect();
    let known = numbered(kinds.iter().map(String::as_str).collect());
    let known: Vec<(usize, String)> = items.iter().map(|item| item.value.span.start).zip(known).collect();
    let policy = |limit: &ChangeLimit| {
        Want::Braces(vec![
            ("type", Want::said(kind(limit))),
            ("value", Want::said(limit.value)),
            ("periodSeconds", Want::said(limit.period_s)),
        ])
    };
    Want::List(Items {
        items: names.into_iter().zip(limits.iter().map(policy)).collect(),
        name_of: Box::new(move |node| {
            let found = known.iter().find(|(start, _)| *start == node.span.start);
            found.map_or_else(String::new, |(_, name)| name.clone())
        }),
        is_ours: Box::new(|_| true),
    })
}

fn shown(limit: &ChangeLimit) -> String {
    let unit = if limit.by == LimitUnit::Pods { "pods" } else { "%" };
    format!("{} {unit}/{} s", number(limit.value), number(limit.period_s))
}

/// The limits of a direction as a list, and how they differ if Kubernetes cannot have them.
fn limits_of(own: &DirectionRules) -> (Vec<ChangeLimit>, Option<&'static str>) {
    let mut limits = own.policies.clone();
    if limits.is_empty() && own.pods > 0 {
        limits.push(ChangeLimit { by: LimitUnit::Pods, value: own.pods.into(), period_s: own.period_s });
    }
    if own.policies.is_empty() && own.percent > 0.0 {
        let period_s = if own.percent_period_s > 0.0 { own.percent_period_s } else { own.period_s };
        limits.push(ChangeLimit { by: LimitUnit::Percent, value: own.percent, period_s });
    }
    if limits.is_empty() {
        let none = ChangeLimit { by: LimitUnit::Percent, value: 100_000.0, period_s: own.period_s.max(1.0) };
        return (vec![none], Some("Kubernetes needs a limit: one that is never reached"));
    }
    let whole = |x: f64| x >= 1.0 && x.fract() == 0.0;
    if limits.iter().all(|limit| whole(limit.value) && whole(limit.period_s)) {
        return (limits, None);
    }
    for limit in &mut limits {
        limit.value = limit.value.round().max(1.0);
        limit.period_s = limit.period_s.round().max(1.0);
    }
    (limits, Some("Kubernetes takes whole numbers of 1 or more, rounded here"))
}
