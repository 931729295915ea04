//! Import of the flags of `vllm-router`: of vLLM's production stack (`--routing-logic`), and of the router of the same
//! name that has SMG's flags.

use crate::command::flags::{Flags, Word};
use crate::import::configuration::Reader;
use crate::import::configuration::server_identity::NamedBy;
use crate::routers::failures::{FailureFlag, failures};
use crate::routers::program::Program;
use crate::routers::smg::read as smg;
use crate::routers::vllm_router::map::FLAGS;
use document::limits;
use serde_json::{Value, json};

/// The program.
pub(crate) const PROGRAM: Program = Program {
    format: "vllm-router",
    title: "vllm-router",
    names: &["vllm-router"],
    modules: &["vllm_router", "vllm_router.app", "vllm_router.launch_router"],
    read_words,
};

/// Reads the words after the program: those of the production stack's router, or those that it has from SMG.
fn read_words(r: &mut Reader<'_>, words: &[Word]) {
    let of_smg = ["--policy", "--worker-urls", "--prefill", "--decode"];
    let is_one = |word: &Word| of_smg.contains(&word.text.split('=').next().unwrap_or_default());
    if words.iter().any(is_one) {
        smg::read_words(r, words);
        return;
    }
    let mut flags = Flags::of_words(r, words, FLAGS);
    router(r, &mut flags);
    roles(r, &flags);
    failures(r, &mut flags, &FAILURES, &[]);
    let probes = "static-backend-health-checks";
    if flags.switch(probes) == Some(true) {
        flags.near(r, probes, "cluster.resilience.probe", "with the interval and the time-out of Kubernetes");
        flags.set(r, probes, "cluster.resilience.probe", json!({}));
    }
    flags.finish(r, FLAGS);
}

/// The servers of both stages, which the router names by the label of their model: of pods, or of the addresses in its list.
fn roles(r: &mut Reader<'_>, flags: &Flags) {
    let list = |name: &str| -> Vec<String> {
        let texts = match flags.value(name) {
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(text)) => vec![text.as_str()],
            _ => Vec::new(),
        };
        let parts = texts.iter().flat_map(|text| text.split([',', ' ']));
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let (backends, labels) = (list("static-backends"), list("static-model-labels"));
    for (name, role) in [("prefill-model-labels", "prefill"), ("decode-model-labels", "decode")] {
        let Some(path) = flags.path(name).map(str::to_owned) else { continue };
        for label in list(name) {
            let listed = backends.iter().zip(&labels).filter(|(_, own)| **own == label);
            let addresses: Vec<NamedBy> = listed.filter_map(|(at, _)| NamedBy::address(at)).collect();
            if addresses.is_empty() {
                r.role_of_servers(&path, role, NamedBy::Labels(vec![("model".to_owned(), label)]));
            }
            for by in addresses {
                r.role_of_servers(&path, role, by);
            }
        }
    }
}

/// The flags about replicas that fail.
const FAILURES: [FailureFlag; 1] = [FailureFlag {
    name: "max-instance-failover-reroute-attempts",
    field: "retries",
    range: [0.0, limits::RETRIES as f64],
    differs: "",
}];

fn router(r: &mut Reader<'_>, flags: &mut Flags) {
    const NAME: &str = "routing-logic";
    const LOGICS: [&str; 6] =
        ["roundrobin", "session", "prefixaware", "kvaware", "disaggregated_prefill", "priority"];
    let field = "cluster.routing";
    let alone = |scorer: &str| json!({ "weighted": { "profile": "custom", "scorers": [{ "scorer": scorer, "weight": 1.0 }] } });
    let routing = match flags.text(NAME).map(str::to_owned).as_deref() {
        Some("roundrobin") => {
            flags.note(r, NAME, field);
            Some(json!("round-robin"))
        }
        Some("session") => {
            let differs = "requests without a session go to the least loaded replica";
            flags.near(r, NAME, "cluster.routing.session-affinity", differs);
            Some(json!({ "session-affinity": { "mode": "consistent-hash" } }))
        }
        Some("prefixaware") => {
            let differs = "prompts are compared in blocks of tokens, not in chunks of letters";
            flags.near(r, NAME, "cluster.routing.weighted with the scorer prefix-affinity alone", differs);
            Some(alone("prefix-affinity"))
        }
        Some("kvaware") => {
            let differs = "the caches are known as they are, whatever the length of the match";
            flags.near(r, NAME, "cluster.routing.weighted with the scorer precise-prefix alone", differs);
            flags.ignore(r, "kv-aware-threshold", "short matches count as well");
            Some(alone("precise-prefix"))
        }
        Some("priority") => {
            let why = "this logic is not simulated: cluster.routing stays as it is";
            flags.ignore(r, NAME, why);
            None
        }
        Some("disaggregated_prefill") => {
            let why = "pools with the roles prefill and decode, and cluster.disaggregation, say it";
            flags.ignore(r, NAME, why);
            None
        }
        Some(_) => {
            flags.not_among(r, NAME, &LOGICS);
            None
        }
        None => None,
    };
    flags.ignore(r, "kv-aware-threshold", "only the logic kvaware reads it");
    if let Some(routing) = routing {
        flags.set(r, NAME, field, routing);
    }
    if let Some(s) = flags.number_in(r, "engine-stats-interval", [0.0, 1000.0]) {
        flags.note(r, "engine-stats-interval", "cluster.snapshot_refresh_us");
        flags.set(r, "engine-stats-interval", "cluster.snapshot_refresh_us", json!((s * 1e6).round() as u64));
    }
}
