//! Import of `LeaderWorkerSet` objects whose pods run a vLLM engine: a server is a group of `size` pods.

use super::Import;
use super::configuration::kubernetes::{is_of, no_engine};
use super::configuration::pods::{Pods, name_of, pods, rest};
use super::configuration::reader::Unknown;
use super::configuration::{Configuration, Reader, Report, Settings};
use serde_json::Value;

const WORKERS: &str = "spec.leaderWorkerTemplate.workerTemplate";
const LEADER: &str = "spec.leaderWorkerTemplate.leaderTemplate";

/// An object of this kind.
pub(super) struct LeaderWorkerSet;

impl Import<Configuration> for LeaderWorkerSet {
    fn name(&self) -> &'static str {
        "LeaderWorkerSet"
    }

    fn title(&self) -> &'static str {
        "LeaderWorkerSet"
    }

    fn recognises(&self, source: &Value) -> bool {
        is_of(source, self.name())
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
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
}
