//! Import of `LeaderWorkerSet` objects whose pods run a vLLM engine: a server is a group of `size` pods.

use crate::import::configuration::reader::Unknown;
use crate::import::configuration::{Reader, Report, Settings};
use crate::kubernetes::object::{ObjectKind, no_engine};
use crate::kubernetes::pods::{Pods, name_of, pods, rest};
use serde_json::Value;

const WORKERS: &str = "spec.leaderWorkerTemplate.workerTemplate";
const LEADER: &str = "spec.leaderWorkerTemplate.leaderTemplate";

/// An object of this kind.
pub(crate) const LEADER_WORKER_SET: ObjectKind = ObjectKind { kind: "LeaderWorkerSet", read };

fn read(source: &Value, report: &mut Report) -> Settings {
    let mut r = Reader::new(source);
    let name = name_of(&mut r);
    let size = "spec.leaderWorkerTemplate.size";
    let nodes = r.whole(size, "pods of a server, whose GPUs are counted together").unwrap_or(1).max(1);
    let own = Pods { name: &name, replicas: "spec.replicas", nodes, role: None, extra: Vec::new() };
    if pods(&mut r, LEADER, &own) {
        r.without_counterpart(WORKERS, "the leader's command says what the group serves");
    } else if !pods(&mut r, WORKERS, &own) {
        no_engine(&mut r, &[LEADER, WORKERS, "spec.replicas"]);
    }
    r.shape("metadata", "the pool has the name of the object");
    let known = [
        "apiVersion",
        "kind",
        "status",
        LEADER,
        WORKERS,
        "spec.leaderWorkerTemplate.restartPolicy",
        "spec.leaderWorkerTemplate.resourceClaimTemplates",
        "spec.leaderWorkerTemplate.subGroupPolicy",
        "spec.leaderWorkerTemplate.volumeClaimTemplates",
        "spec.rolloutStrategy",
        "spec.startupPolicy",
        "spec.networkConfig",
    ];
    rest(&mut r, &known);
    r.finish(Unknown::LeftOut, report);
    Settings::default()
}
