//! Import of objects with a list of roles, each with pods of its own: `StormService` of AIBrix and `ModelServing` of kthena. A role that
//! runs an engine is a pool, one that runs a router the router.
//!
//! Sources: the API references of AIBrix 0.5 (orchestration.aibrix.ai/v1alpha1) and kthena 0.1 (workload.serving.volcano.sh/v1alpha1).

use crate::import::configuration::reader::Unknown;
use crate::import::configuration::server_identity::ServerIdentity;
use crate::import::configuration::sets::{Field, PoolOf};
use crate::import::configuration::{Reader, Report, Settings};
use crate::kubernetes::object::{ObjectKind, no_engine};
use crate::kubernetes::pods::{Pods, name_of, pods, rest};
use crate::routers::container::router_in;
use document::limits;
use serde_json::{Value, json};

/// Where the parts of such an object stand.
struct Shape {
    /// The path of its roles.
    roles: &'static str,
    /// The key of the pods of a role.
    template: &'static str,
    /// The key of the number of pods of a server, or of those besides the first.
    size: &'static str,
    first: u64,
    /// The labels that its pods get by themselves: of the role, and of the object.
    labels: [&'static str; 2],
}

const STORM: Shape = Shape {
    roles: "spec.template.spec.roles",
    template: "template",
    size: "podGroupSize",
    first: 0,
    labels: ["role-name", "storm-service-name"],
};
const SERVING: Shape = Shape {
    roles: "spec.template.roles",
    template: "entryTemplate",
    size: "workerReplicas",
    first: 1,
    labels: ["modelserving.volcano.sh/role", "modelserving.volcano.sh/name"],
};

/// An object of this kind.
pub(crate) const STORM_SERVICE: ObjectKind =
    ObjectKind { kind: "StormService", read: |source, report| read(source, report, &STORM) };

/// An object of this kind.
pub(crate) const MODEL_SERVING: ObjectKind =
    ObjectKind { kind: "ModelServing", read: |source, report| read(source, report, &SERVING) };

/// The path of the number of groups: each has all roles.
const GROUPS: &str = "spec.replicas";

fn read(source: &Value, report: &mut Report, shape: &Shape) -> Settings {
    let mut r = Reader::new(source);
    let name = name_of(&mut r);
    let groups = r.whole(GROUPS, "groups of servers, each with all roles").unwrap_or(1);
    let mut read = 0;
    for i in 0..r.entries(shape.roles) {
        read += usize::from(role(&mut r, shape, &format!("{}.{i}", shape.roles), &name, groups));
    }
    if read == 0 {
        no_engine(&mut r, &[shape.roles]);
    }
    r.shape("metadata", "each role is a pool with the name of the object and its own");
    r.without_counterpart_of_rest("spec", "it says where and how pods are made, not what they serve");
    rest(&mut r, &["apiVersion", "kind", "status", "spec"]);
    r.finish(Unknown::LeftOut, report);
    Settings::default()
}

/// Reads a role; returns whether it is an engine or a router.
fn role(r: &mut Reader<'_>, shape: &Shape, at: &str, object: &str, groups: u64) -> bool {
    let name_at = format!("{at}.name");
    let own = r.get(&name_at).and_then(Value::as_str).unwrap_or("main").to_owned();
    let template = format!("{at}.{}", shape.template);
    if router_in(r, &format!("{template}.spec")) {
        r.shape(&name_at, "the role that is the router");
        r.without_counterpart(&format!("{at}.replicas"), "there is one router here");
        r.without_counterpart_of_rest(at, "the flags say what the router does");
        return true;
    }
    let role = match own.to_ascii_lowercase().as_str() {
        "prefill" => Some("prefill"),
        "decode" => Some("decode"),
        _ => None,
    };
    let pool = format!("{object}-{own}");
    let of = PoolOf::defined(&pool);
    let size_at = format!("{at}.{}", shape.size);
    let nodes = r.whole(&size_at, "pods of a server, whose GPUs are counted together");
    let nodes = (nodes.unwrap_or(1 - shape.first) + shape.first).max(1);
    let replicas = format!("{at}.replicas");
    let before = r.sets.len();
    let servers = Pods { name: &pool, replicas: &replicas, nodes, role, extra: Vec::new() };
    if !pods(r, &template, &servers) {
        r.without_counterpart(at, "a role that runs no engine that is read");
        return false;
    }
    if let Some(role) = role {
        r.note(&name_at, &format!("role {role}"));
        r.set_pool_default(&of, "role", json!(role), 2);
    } else {
        r.shape(&name_at, "the name of the pool");
    }
    let [of_role, of_object] = shape.labels.map(str::to_owned);
    r.servers.push(ServerIdentity {
        of: of.clone(),
        labels: vec![(of_role, own), (of_object, object.to_owned())],
        ..ServerIdentity::default()
    });
    if groups != 1 {
        times(r, before, groups, &replicas);
    }
    let workers = "the first pod's command says what the group serves";
    r.without_counterpart(&format!("{at}.workerTemplate"), workers);
    r.without_counterpart_of_rest(at, "it does not change what the servers serve");
    true
}

/// Multiplies the replicas that a role has set by the groups of the object.
fn times(r: &mut Reader<'_>, from: usize, groups: u64, path: &str) {
    let mut all = 0;
    for set in r.sets.iter_mut().skip(from) {
        let is_replicas = matches!(&set.field, Field::Pool(_, field) if field == "replicas");
        if let Some(n) = set.value.as_u64().filter(|_| is_replicas) {
            all = n.saturating_mul(groups).min(limits::REPLICAS.into());
            set.value = json!(all);
        }
    }
    for row in r.mappings.iter_mut().filter(|row| row.key == path) {
        row.becomes = format!("replicas {all}: those of a group, times {groups} groups");
        row.value = all.to_string();
    }
}
