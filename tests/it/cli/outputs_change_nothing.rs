//! Outputs change nothing of a run: with each of them, and with all, its report and its digest are those of the plain run.

use crate::support::command::{TempFile, printed};
use tokenyard::session::Session;

/// The options that ask for a file, and how its name ends.
const OUTPUTS: [(&str, &str); 9] = [
    ("--requests", "csv"),
    ("--requests", "jsonl"),
    ("--decisions", "csv"),
    ("--events", "jsonl"),
    ("--series", "csv"),
    ("--scaling", "csv"),
    ("--perfetto", "json"),
    ("--openmetrics", "txt"),
    ("--html", "html"),
];

/// Scenarios that end in all the ways there are, with edits before and after that and edits that are switched off.
const SCENARIOS: [(&str, &str); 9] = [
    ("a horizon", r#"{"tokenyard": 1, "run": {"horizon_s": 4, "warmup_s": 1}}"#),
    (
        "an edit after the last request",
        r#"{"tokenyard": 1, "run": {"horizon_s": 0, "warmup_s": 0, "max_requests": 3},
            "edits": [{"at_us": 50000000, "set": {"slo.ttft_ms": 5}}]}"#,
    ),
    (
        "replicas added after the last request",
        r#"{"tokenyard": 1, "run": {"horizon_s": 0, "warmup_s": 0, "max_requests": 3},
            "edits": [{"at_us": 40000000, "set": {"cluster.pools[0].replicas": 6}},
                      {"at_us": 90000000, "set": {"cluster.pools[0].replicas": 2}}]}"#,
    ),
    (
        "an edit that is off and could not be made",
        r#"{"tokenyard": 1, "run": {"horizon_s": 4, "warmup_s": 0},
            "edits": [{"at_us": 1000000, "set": {"cluster.pools[3].replicas": 2}, "off": true}]}"#,
    ),
    (
        "edits that are off after the last request",
        r#"{"tokenyard": 1, "run": {"horizon_s": 0, "warmup_s": 0, "max_requests": 3},
            "edits": [{"at_us": 40000000, "set": {"cluster.pools[7].replicas": 6}, "off": true},
                      {"at_us": 90000000, "set": {"slo.ttft_ms": 5}, "off": true}]}"#,
    ),
    (
        "an edit at the start",
        r#"{"tokenyard": 1, "run": {"horizon_s": 3, "warmup_s": 0},
            "edits": [{"at_us": 0, "set": {"cluster.routing": "least-loaded"}}]}"#,
    ),
    (
        "faults and an autoscaler",
        r#"{"tokenyard": 1, "run": {"horizon_s": 20, "warmup_s": 0},
            "cluster": {"pools": [{"replicas": 2, "scaling": {"policy": {"queue-depth": {}}, "min": 1, "max": 4}}],
                        "resilience": {"retries": 2}},
            "edits": [{"at_us": 3000000, "fault": {"crash": {"replica": 0, "restart_s": 5}}},
                      {"at_us": 6000000, "fault": {"slow": {"replica": 1, "factor": 3, "for_s": 4}}}]}"#,
    ),
    (
        "prefill and decode apart, and a link that carries nothing",
        r#"{"tokenyard": 1, "run": {"horizon_s": 0, "warmup_s": 0, "max_requests": 20},
            "cluster": {"pools": [{"name": "p", "role": "prefill", "replicas": 2}, {"name": "d", "role": "decode", "replicas": 2}],
                        "disaggregation": {"first_token": "prefill"}},
            "edits": [{"at_us": 300000, "fault": {"transfer-link": {"pool": "p", "share": 0, "for_s": 30}}}]}"#,
    ),
    (
        "a livelock and an edit after it",
        r#"{"tokenyard": 1, "run": {"horizon_s": 0, "warmup_s": 0, "max_requests": 4},
            "cluster": {"compat": "blis", "pools": [{"replicas": 1, "kv": {"blocks": 12}, "engine": {"max_num_seqs": 4}}]},
            "workload": {"clients": [{"arrivals": {"constant": {"rate_per_s": 1000}},
                "prompt_tokens": {"constant": {"tokens": 60}}, "output_tokens": {"constant": {"tokens": 100}}}]},
            "edits": [{"at_us": 900000000, "set": {"slo.ttft_ms": 5}}]}"#,
    ),
];

#[test]
fn a_run_is_the_same_with_every_output() {
    for (what, scenario) in SCENARIOS {
        let file = TempFile::new("s.json", scenario);
        let plain = printed(&["run", file.path(), "--json"]);
        let digest = printed(&["digest", file.path()]);
        let readable = printed(&["run", file.path()]);
        let mut all = vec!["run", file.path(), "--json", "--itl"];
        let files: Vec<TempFile> =
            OUTPUTS.iter().map(|(_, extension)| TempFile::new(&format!("o.{extension}"), "")).collect();
        for ((option, extension), out) in OUTPUTS.iter().zip(&files) {
            let with = printed(&["run", file.path(), "--json", option, out.path()]);
            assert_eq!(with, plain, "{what}: {option} to .{extension}");
            if !all.contains(option) {
                all.extend([*option, out.path()]);
            }
        }
        assert_eq!(printed(&all), plain, "{what}: all at once");
        let shown = TempFile::new("o.csv", "");
        assert_eq!(printed(&["run", file.path(), "--requests", shown.path()]), readable, "{what}");
        assert_eq!(Session::digest_of(&plain), digest.trim(), "{what}");
    }
}

#[test]
fn gaps_are_kept_in_a_run_that_begins_with_an_edit() {
    let rows = |edits: &str| {
        let text = format!(
            r#"{{"tokenyard": 1, "run": {{"horizon_s": 0, "warmup_s": 0, "max_requests": 3}}, "edits": {edits}}}"#
        );
        let (scenario, out) = (TempFile::new("s.json", text), TempFile::new("o.csv", ""));
        printed(&["run", scenario.path(), "--itl", "--requests", out.path()]);
        std::fs::read_to_string(out.path()).expect("rows were written")
    };
    assert_eq!(rows(r#"[{"at_us": 0, "set": {"slo.ttft_ms": 600}}]"#).len(), rows("[]").len());
}
