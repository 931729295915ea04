//! Import of `Deployment` and `StatefulSet` objects whose pods run a vLLM engine: one pool each.

use crate::import::configuration::reader::Unknown;
use crate::import::configuration::{Configuration, Reader, Report, Settings};
use crate::kubernetes::object::no_engine;
use crate::kubernetes::object::{ObjectKind, is_of};
use crate::kubernetes::pods::{Pods, name_of, pods, rest};
use crate::routers::aibrix_gateway::AibrixGateway;
use crate::routers::container::router_in;
use base::import::Import;
use serde_json::Value;

/// Keys of their specifications that do not change a run.
const REST: [&str; 17] = [
    "apiVersion",
    "kind",
    "metadata",
    "status",
    "spec.template",
    "spec.selector",
    "spec.strategy",
    "spec.minReadySeconds",
    "spec.revisionHistoryLimit",
    "spec.progressDeadlineSeconds",
    "spec.paused",
    "spec.serviceName",
    "spec.volumeClaimTemplates",
    "spec.updateStrategy",
    "spec.podManagementPolicy",
    "spec.persistentVolumeClaimRetentionPolicy",
    "spec.ordinals",
];

/// An object of this kind.
pub(crate) struct Deployment;

/// An object of this kind.
pub(crate) const STATEFUL_SET: ObjectKind = ObjectKind { kind: "StatefulSet", read };

impl Import<Configuration> for Deployment {
    fn name(&self) -> &'static str {
        "Deployment"
    }

    fn title(&self) -> &'static str {
        "Deployment"
    }

    fn recognises(&self, source: &Value) -> bool {
        is_of(source, self.name()) && !AibrixGateway.recognises(source)
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        read(source, report)
    }
}

fn read(source: &Value, report: &mut Report) -> Settings {
    let mut r = Reader::new(source);
    let name = name_of(&mut r);
    let own = Pods { name: &name, replicas: "spec.replicas", nodes: 1, role: None, extra: Vec::new() };
    if router_in(&mut r, "spec.template.spec") {
        r.shape("metadata", "names and labels of the object");
        r.without_counterpart("spec.replicas", "there is one router here");
    } else if pods(&mut r, "spec.template", &own) {
        r.shape("metadata", "the pool has the name of the object");
    } else {
        no_engine(&mut r, &["spec.template", "spec.replicas"]);
    }
    rest(&mut r, &REST);
    r.finish(Unknown::LeftOut, report);
    Settings::default()
}
