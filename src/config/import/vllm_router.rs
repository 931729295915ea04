//! Import of the flags of `vllm-router`: of vLLM's production stack (`--routing-logic`), and of the router of the same
//! name that has SMG's flags.

use super::configuration::flag_values::Kind::{List, Number, Switch, Text, Whole};
use super::configuration::flags::{Flag, Flags, Word, flag};
use super::configuration::reader::Unknown;
use super::configuration::router_command::Program;
use super::configuration::{Configuration, Reader, Report, Settings};
use super::{Import, smg};
use serde_json::{Value, json};

/// The flags of the router.
pub(super) struct VllmRouter;

pub(super) const PROGRAM: Program = Program {
    names: &["vllm-router"],
    modules: &["vllm_router", "vllm_router.app", "vllm_router.launch_router"],
};

impl Import<Configuration> for VllmRouter {
    fn name(&self) -> &'static str {
        "vllm-router"
    }

    fn title(&self) -> &'static str {
        "vllm-router"
    }

    fn recognises(&self, source: &Value) -> bool {
        PROGRAM.starts(source)
    }

    fn read(&self, source: &Value, report: &mut Report) -> Settings {
        let mut r = Reader::new(source);
        let words = PROGRAM.words(&mut r);
        read_words(&mut r, &words);
        r.finish(Unknown::Refused, report);
        Settings::default()
    }
}

/// Reads the words after the program: those of the production stack's router, or those that it has from SMG.
pub(super) fn read_words(r: &mut Reader<'_>, words: &[Word]) {
    let of_smg = ["--policy", "--worker-urls"];
    if words.iter().any(|word| of_smg.iter().any(|flag| word.text.starts_with(flag))) {
        smg::read_words(r, words);
        return;
    }
    let mut flags = Flags::of_words(r, words, FLAGS);
    router(r, &mut flags);
    flags.finish(r, FLAGS);
}

const ADDRESS: &str = "it is an address";
const KNOWN: &str = "the router knows every replica at once";
const LOG: &str = "the simulation records everything";
const SIGHT: &str = "the router sees every replica, as often as cluster.snapshot_refresh_us says";

const FLAGS: &[Flag] = &[
    flag(&["routing-logic"], Text, ""),
    flag(&["session-key"], Text, "sessions are known by their clients"),
    flag(&["kv-aware-threshold"], Whole, ""),
    flag(&["prefill-model-labels"], Text, "pools have roles"),
    flag(&["decode-model-labels"], Text, "pools have roles"),
    flag(&["host"], Text, ADDRESS),
    flag(&["port"], Whole, ADDRESS),
    flag(&["lmcache-controller-port"], Whole, ADDRESS),
    flag(&["service-discovery", "service-discovery-type"], Text, KNOWN),
    flag(&["static-backends"], List, KNOWN),
    flag(&["static-models"], List, "pools name their model"),
    flag(&["static-model-types"], List, "pools name their model"),
    flag(&["static-model-labels"], List, "pools have roles"),
    flag(&["static-aliases"], List, "pools name their model"),
    flag(&["static-backend-health-checks"], Switch, "replicas never fail"),
    flag(&["k8s-port"], Whole, KNOWN),
    flag(&["k8s-namespace"], Text, KNOWN),
    flag(&["k8s-label-selector"], Text, KNOWN),
    flag(&["k8s-watcher-timeout-seconds"], Number, KNOWN),
    flag(&["engine-stats-interval"], Number, ""),
    flag(&["request-stats-window"], Number, SIGHT),
    flag(&["log-stats"], Switch, LOG),
    flag(&["log-stats-interval"], Number, LOG),
    flag(&["log-level"], Text, LOG),
    flag(&["dynamic-config-json", "dynamic-config-yaml"], Text, KNOWN),
    flag(&["callbacks"], Text, "requests have no text to change"),
    flag(&["request-rewriter"], Text, "requests have no text to change"),
    flag(&["enable-batch-api"], Switch, "all requests come at their own times"),
    flag(&["file-storage-class"], Text, "all requests come at their own times"),
    flag(&["file-storage-path"], Text, "all requests come at their own times"),
    flag(&["batch-processor"], Text, "all requests come at their own times"),
    flag(&["feature-gates"], Text, "its experiments are not simulated"),
    flag(&["semantic-cache-model"], Text, "answers are not kept"),
    flag(&["semantic-cache-dir"], Text, "answers are not kept"),
    flag(&["semantic-cache-threshold"], Number, "answers are not kept"),
    flag(&["sentry-dsn"], Text, LOG),
    flag(&["max-instance-failover-reroute-attempts"], Whole, "replicas never fail"),
];

fn router(r: &mut Reader<'_>, flags: &mut Flags) {
    const NAME: &str = "routing-logic";
    const LOGICS: [&str; 5] = ["roundrobin", "session", "prefixaware", "kvaware", "disaggregated_prefill"];
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
