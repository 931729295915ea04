//! Import of `ModelServer` objects of kthena: which pods serve a model, and which of them prefill and decode. The servers themselves
//! stand in a `ModelServing`.
//!
//! Source: the API reference of kthena 0.1, networking.serving.volcano.sh/v1alpha1.

use crate::import::configuration::reader::Unknown;
use crate::import::configuration::server_identity::{NamedBy, labels_of};
use crate::import::configuration::{Reader, Report, Settings};
use crate::kubernetes::object::ObjectKind;
use crate::kubernetes::pods::rest;
use document::limits;
use serde_json::{Value, json};

/// An object of this kind.
pub(crate) const MODEL_SERVER: ObjectKind = ObjectKind { kind: "ModelServer", read };

const GROUP: &str = "spec.workloadSelector.pdGroup";

fn read(source: &Value, report: &mut Report) -> Settings {
    let mut r = Reader::new(source);
    for (key, role) in [("prefillLabels", "prefill"), ("decodeLabels", "decode")] {
        let section = format!("{GROUP}.{key}");
        let labels = labels_of(r.get(&section));
        let Some((first, _)) = labels.first() else { continue };
        let path = format!("{section}.{first}");
        r.shape(&section, "the labels of these servers");
        r.role_of_servers(&path, role, NamedBy::Labels(labels));
    }
    let attempts = "spec.trafficPolicy.retry.attempts";
    if let Some(n) = r.whole(attempts, "cluster.resilience.retries") {
        r.set(attempts, "cluster.resilience.retries", json!(n.min(limits::RETRIES.into())));
    }
    let timeout = "spec.trafficPolicy.timeout";
    if let Some(s) = r.duration(timeout, "workload.timeout_s") {
        r.set(timeout, "workload.timeout_s", json!(s));
    }
    for (key, why) in [
        ("spec.model", "the name that clients use"),
        ("spec.inferenceEngine", "the command of the servers says which engine runs"),
        ("spec.workloadPort", "it is an address"),
        ("spec.kvConnector", "cluster.disaggregation.transfer says how caches are handed over"),
    ] {
        r.without_counterpart(key, why);
    }
    r.shape("metadata", "names and labels of the object");
    r.without_counterpart_of_rest("spec", "it says which pods serve the model, not what they do");
    rest(&mut r, &["apiVersion", "kind", "status", "spec"]);
    r.finish(Unknown::LeftOut, report);
    Settings::default()
}
