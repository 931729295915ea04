//! Flow control and admission of a router's file.

use crate::epp::map::{CONCURRENCY, PROGRAM_AWARE, SERVICE, UTILIZATION};
use crate::epp::write::draft::Draft;
use crate::export::Row;
use crate::yaml::node::YamlNode;
use crate::yaml::scalar::{Scalar, number};
use crate::yaml::want::{Items, Want};
use document::{
    AdmissionPolicy, Ceilings, ClassPriorities, ConcurrencyMode, Detector, Fairness, FlowBand, FlowControl,
    HoldbackBy, Ordering, Scenario, ShedRule, Write as _,
};

/// Bytes of text in a token, about.
const BYTES_PER_TOKEN: u64 = 4;

/// The rows and sections of both.
pub(crate) fn rows(draft: &mut Draft<'_>, scenario: &Scenario) {
    admission(draft, &scenario.cluster.admission);
    let admitter = "probabilistic-admitter";
    let sheds = matches!(scenario.cluster.admission, AdmissionPolicy::Shed(_));
    if !sheds && draft.there.named(admitter, "").is_some() {
        let why = "the scenario does not shed; the file keeps its admitter";
        draft.rows.push(
            Row::near("cluster.admission", "admission", "no shedding", admitter, why).default_there(true),
        );
    }
    match &scenario.cluster.flow_control {
        Some(own) => control(draft, own),
        None if draft.there.section("flowControl") => {
            let why = "the scenario has none; the file keeps its own";
            draft.rows.push(
                Row::near("cluster.flow_control", "flow control", "none", "flowControl", why)
                    .default_there(true),
            );
        }
        None => {}
    }
}

fn admission(draft: &mut Draft<'_>, own: &AdmissionPolicy) {
    let path = "cluster.admission";
    let (ours, why) = match own {
        AdmissionPolicy::AlwaysAdmit => return,
        AdmissionPolicy::Shed(shed) => {
            let value = "shed";
            match &shed.rule {
                ShedRule::Saturated => {
                    let why =
                        "llm-d's router without flow control sheds negative priorities like this by itself";
                    draft.rows.push(Row::near(path, "admission", value, "", why).default_there(true));
                }
                ShedRule::Probabilistic(p) => {
                    let kind = "probabilistic-admitter";
                    draft.plugin(kind, kind, Vec::new(), "");
                    let same = p.factor.to_bits() == 300.0_f64.to_bits()
                        && p.exponent.to_bits() == 5.0_f64.to_bits();
                    let row = if same {
                        Row::exact(path, "admission", "shed, probabilistic", kind)
                    } else {
                        let why = "llm-d refuses with probability min(300 · saturation⁵, 1)";
                        let value = format!("shed, {} · saturation^{}", number(p.factor), number(p.exponent));
                        Row::near(path, "admission", value, kind, why)
                    };
                    draft.rows.push(row);
                }
            }
            if draft.there.is_empty() || !matches!(shed.rule, ShedRule::Saturated) {
                detector(draft, &shed.detector, "cluster.admission.shed.detector");
            }
            classes(draft, &shed.priorities, "cluster.admission.shed.priorities");
            return;
        }
        AdmissionPolicy::RejectAll => ("reject-all", "llm-d has no such admission"),
        AdmissionPolicy::TokenBucket(_) => {
            ("token-bucket", "limits of tokens belong to the gateway in front of llm-d")
        }
        AdmissionPolicy::RateLimit(_) => {
            ("rate-limit", "limits of rates belong to the gateway in front of llm-d")
        }
        AdmissionPolicy::SessionCap(_) => ("session-cap", "llm-d has no limit on sessions"),
        AdmissionPolicy::SlidingWindow(_) => {
            ("sliding-window", "limits of rates belong to the gateway in front of llm-d")
        }
        AdmissionPolicy::TenantQuota(_) => {
            ("tenant-quota", "the nearest is flow control with fairness between tenants")
        }
        AdmissionPolicy::ConcurrencyLimit(_) => {
            ("concurrency-limit", "the nearest is flow control with the concurrency-detector")
        }
    };
    draft.rows.push(Row::ignored(path, "admission", ours, why));
}

fn classes(draft: &mut Draft<'_>, own: &ClassPriorities, path: &str) {
    let ClassPriorities { critical, standard, sheddable, batch, background } = own;
    let value = format!("{critical}, {standard}, {sheddable}, {batch}, {background}");
    let why = "a client of llm-d names an InferenceObjective, whose spec.priority it is; here its class (critical, standard, sheddable, batch, background)";
    draft.rows.push(Row::near(path, "priorities", value, "InferenceObjective", why).default_there(true));
}

/// A number of the file that is not written where it is the default.
fn limit(
    draft: &mut Draft<'_>,
    path: &str,
    [ours, theirs]: [&'static str; 2],
    value: Scalar,
    default: &Scalar,
) -> Want<'static> {
    let before = draft.there.at(&["flowControl", theirs]);
    let before = before.filter(|text| !value.is_said_by(text)).map(str::to_owned);
    let row = Row::exact(format!("cluster.flow_control.{path}"), ours, value.plain(), theirs);
    draft.rows.push(row.default_there(value == *default).was(before));
    Want::Scalar(value, Some(default.clone()))
}

fn control(draft: &mut Draft<'_>, own: &FlowControl) {
    draft.gates.push("flowControl".to_owned());
    let requests = Scalar::Whole(own.max_requests.into());
    let requests =
        limit(draft, "max_requests", ["most waiting requests", "maxRequests"], requests, &Scalar::Whole(0));
    let minute = Scalar::Seconds(60.0);
    let ttl =
        limit(draft, "ttl_s", ["longest wait", "defaultRequestTTL"], Scalar::Seconds(own.ttl_s), &minute);
    // Without a value it follows the other.
    let alone = limit(
        draft,
        "no_replica_ttl_s",
        ["longest wait without replicas", "noEndpointRequestTTL"],
        Scalar::Seconds(own.no_replica_ttl_s),
        &Scalar::Seconds(own.ttl_s),
    );
    let bytes = tokens(draft, own.max_prompt_tokens, "cluster.flow_control.max_prompt_tokens");
    let detector = detector(draft, &own.detector, "cluster.flow_control.detector");
    let ceilings = ceilings(draft, &own.ceilings);
    let eviction = Want::Scalar(Scalar::Flag(own.eviction), Some(Scalar::Flag(false)));
    let row = Row::exact("cluster.flow_control.eviction", "eviction", own.eviction, "enableEviction");
    draft.rows.push(row.default_there(!own.eviction));
    let (fairness, ordering) = policies(draft, own);
    let usual = Want::Map(vec![("fairnessPolicyRef", fairness), ("orderingPolicyRef", ordering)]);
    let bands = bands(draft, own);
    classes(draft, &own.priorities, "cluster.flow_control.priorities");
    let flow = Row::near(
        "cluster.flow_control.flow",
        "flow",
        own.flow.name(),
        "x-gateway-inference-fairness-id",
        "llm-d takes the flow from a header of the request",
    );
    draft.rows.push(flow.default_there(true));
    if own.tick_us != 1000 {
        let why = "llm-d's attempts are 1 ms apart";
        draft.rows.push(Row::ignored(
            "cluster.flow_control.tick_us",
            "tick",
            format!("{} µs", own.tick_us),
            why,
        ));
    }
    let mut flow = vec![
        ("maxRequests", requests),
        ("maxBytes", bytes),
        ("defaultRequestTTL", ttl),
        ("noEndpointRequestTTL", alone),
        ("enableEviction", eviction),
    ];
    flow.extend(ceilings.map(|name| ("usageLimitPolicyPluginRef", Want::said(name.as_str()))));
    flow.extend(
        detector
            .map(|name| ("saturationDetector", Want::Map(vec![("pluginRef", Want::said(name.as_str()))]))),
    );
    flow.push(("defaultPriorityBand", usual));
    flow.push(("priorityBands", bands));
    draft.flow = flow;
}

/// A limit of tokens as one of bytes.
fn tokens(draft: &mut Draft<'_>, tokens: u64, path: &str) -> Want<'static> {
    if tokens == 0 {
        return Want::Anything;
    }
    let why = "llm-d counts bytes: about four to a token";
    draft.rows.push(Row::near(path, "most waiting tokens", tokens, "maxBytes", why));
    Want::said(Scalar::Whole((tokens * BYTES_PER_TOKEN) as i64))
}

/// The detector of saturation; its name if the file has to name it.
fn detector(draft: &mut Draft<'_>, own: &Detector, path: &str) -> Option<String> {
    let named = |name: String| Some(name);
    match own {
        Detector::Utilization(d) => {
            let kind = "utilization-detector";
            let stale = d.stale_us as f64 / 1e6;
            let document = d.write();
            let stale = Want::Scalar(Scalar::Seconds(stale), Some(Scalar::Seconds(0.2)));
            let own = UTILIZATION.iter().map(|parameter| parameter.want(&document));
            let parameters: Vec<_> = own.chain([("metricsStalenessThreshold", stale)]).collect();
            let value =
                format!("utilization: queue {}, KV {}", number(d.queue_threshold), number(d.kv_threshold));
            let written = parameters.iter().any(|(_, want)| want.is_written());
            draft.rows.push(Row::exact(path, "saturation", value, kind).default_there(!written));
            if d.refresh_us != 50_000 {
                let value = format!("{} ms", number(d.refresh_us as f64 / 1000.0));
                let why = "a flag of the router (--refresh-metrics-interval), 50 ms by default";
                draft.rows.push(
                    Row::near(
                        format!("{path}.utilization.refresh_us"),
                        "saturation, refresh",
                        value,
                        "",
                        why,
                    )
                    .default_there(true),
                );
            }
            if !written && draft.there.named(kind, "").is_none() {
                return None;
            }
            named(draft.plugin(kind, kind, parameters, ""))
        }
        Detector::Concurrency(d) => {
            let kind = "concurrency-detector";
            let mode = match d.mode {
                ConcurrencyMode::Requests => "requests",
                ConcurrencyMode::Tokens => "tokens",
                ConcurrencyMode::Hybrid => "hybrid",
            };
            let document = d.write();
            let mut parameters = vec![("concurrencyMode", Want::unless(mode, "requests"))];
            parameters.extend(CONCURRENCY.iter().map(|parameter| parameter.want(&document)));
            let value =
                format!("concurrency by {mode}: {} requests, {} tokens", d.max_requests, d.max_tokens);
            draft.rows.push(Row::exact(path, "saturation", value, kind));
            named(draft.plugin(kind, kind, parameters, ""))
        }
        Detector::Never => {
            let kind = "utilization-detector";
            let why = "llm-d always has a detector: one with thresholds that are never reached";
            draft.rows.push(Row::near(path, "saturation", "never", kind, why));
            let parameters = vec![
                ("queueDepthThreshold", Want::said(999_999_999_u32)),
                ("kvCacheUtilThreshold", Want::said(1.0)),
            ];
            named(draft.plugin(kind, kind, parameters, ""))
        }
    }
}

/// The policy of ceilings; its name if the file has to name it.
fn ceilings(draft: &mut Draft<'_>, own: &Ceilings) -> Option<String> {
    let path = "cluster.flow_control.ceilings";
    let (kind, parameters, value) = match own {
        Ceilings::Static(own) => {
            let kind = "static-usage-limit-policy";
            let is_default = own.ceiling.to_bits() == 1.0_f64.to_bits();
            if is_default && draft.there.named(kind, "").is_none() {
                draft.rows.push(Row::exact(path, "ceilings", "static 1", kind).default_there(true));
                return None;
            }
            (
                kind,
                vec![("threshold", Want::unless(own.ceiling, 1.0))],
                format!("static {}", number(own.ceiling)),
            )
        }
        Ceilings::PriorityHoldback(own) => {
            let by = if own.by == HoldbackBy::Value { "value" } else { "rank" };
            let parameters = vec![
                ("domain", Want::unless(by, "rank")),
                ("minCeiling", Want::said(own.min)),
                ("maxCeiling", Want::unless(own.max, 1.0)),
            ];
            let value = format!("priority-holdback {} to {} by {by}", number(own.max), number(own.min));
            ("priority-holdback-policy", parameters, value)
        }
        Ceilings::SoftReflective => {
            ("soft-reflective-ceiling-policy", Vec::new(), "soft-reflective".to_owned())
        }
    };
    draft.rows.push(Row::exact(path, "ceilings", value, kind));
    Some(draft.plugin(kind, kind, parameters, ""))
}

/// A fairness policy: its plugin and its parameters.
fn fairness(draft: &mut Draft<'_>, own: &Fairness) -> String {
    let (kind, parameters) = match own {
        Fairness::GlobalStrict => return "global-strict-fairness-policy".to_owned(),
        Fairness::RoundRobin => ("round-robin-fairness-policy", Vec::new()),
        Fairness::ProgramAware(own) => {
            let document = own.write();
            (PROGRAM_AWARE, SERVICE.iter().map(|parameter| parameter.want(&document)).collect())
        }
    };
    draft.plugin(kind, kind, parameters, "")
}

/// An ordering policy: its plugin.
fn ordering(draft: &mut Draft<'_>, own: Ordering) -> String {
    let kind = match own {
        Ordering::Fcfs => return "fcfs-ordering-policy".to_owned(),
        Ordering::Edf => "edf-ordering-policy",
        Ordering::SloDeadline => "slo-deadline-ordering-policy",
    };
    draft.plugin(kind, kind, Vec::new(), "")
}

/// The policies of all bands.
fn policies(draft: &mut Draft<'_>, own: &FlowControl) -> (Want<'static>, Want<'static>) {
    let (fair, order) = (fairness(draft, &own.fairness), ordering(draft, own.ordering));
    let usual = ["global-strict-fairness-policy", "fcfs-ordering-policy"];
    let path = "cluster.flow_control.fairness";
    draft.rows.push(
        Row::exact(path, "fairness", fair.as_str(), "fairnessPolicyRef").default_there(fair == usual[0]),
    );
    if matches!(&own.fairness, Fairness::ProgramAware(p) if p.output_weight.to_bits() != 2.0_f64.to_bits()) {
        let why = "llm-d weighs an output token twice";
        draft.rows.push(Row::ignored(path, "output token of fairness", "", why));
    }
    let path = "cluster.flow_control.ordering";
    draft.rows.push(
        Row::exact(path, "ordering", order.as_str(), "orderingPolicyRef").default_there(order == usual[1]),
    );
    (Want::unless(fair.as_str(), usual[0]), Want::unless(order.as_str(), usual[1]))
}

/// The bands with settings of their own.
fn bands(draft: &mut Draft<'_>, own: &FlowControl) -> Want<'static> {
    let usual = [fairness(draft, &own.fairness), ordering(draft, own.ordering)];
    let band = |(i, band): (usize, &FlowBand)| {
        let path = format!("cluster.flow_control.bands[{i}]");
        let (fair, order) = (fairness(draft, &band.fairness), ordering(draft, band.ordering));
        let value = format!("{} requests, {fair}, {order}", band.max_requests);
        draft.rows.push(Row::exact(&path, &format!("band {}", band.priority), value, "priorityBands"));
        let bytes = tokens(draft, band.max_prompt_tokens, &format!("{path}.max_prompt_tokens"));
        let requests = Want::Scalar(Scalar::Whole(band.max_requests.into()), Some(Scalar::Whole(0)));
        let want = Want::Map(vec![
            ("priority", Want::said(Scalar::Whole(i64::from(band.priority)))),
            ("maxRequests", requests),
            ("maxBytes", bytes),
            ("fairnessPolicyRef", Want::unless(fair.as_str(), usual[0].as_str())),
            ("orderingPolicyRef", Want::unless(order.as_str(), usual[1].as_str())),
        ]);
        (band.priority.to_string(), want)
    };
    let items = own.bands.iter().enumerate().map(band).collect();
    let name_of =
        |node: &YamlNode| node.get("priority").and_then(YamlNode::scalar).unwrap_or_default().to_owned();
    Want::List(Items { items, name_of: Box::new(name_of), is_ours: Box::new(|_| true) })
}
