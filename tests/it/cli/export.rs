//! `tokenyard export`: files on stdout or in a file, the difference to a file beside, and inputs that stay.

use crate::support::command::{TempFile, printed, printed_json, refused, run, run_with, stderr, stdout};

const PICKER: &str = "\
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: theirs
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: queue-scorer
    weight: 2
  - pluginRef: theirs
parser: {pluginRef: openai-parser}
";

#[test]
fn a_file_is_printed_and_stderr_counts_its_settings() {
    let args = ["export", "chat-4xh100", "--set", "cluster.routing=round-robin", "--as", "dynamo"];
    let out = run(&args);
    assert!(out.status.success(), "{}", stderr(&out));
    assert!(stdout(&out).ends_with("python -m dynamo.frontend\n"), "{}", stdout(&out));
    assert!(stderr(&out).contains("Dynamo: 1 exact, 0 near, 0 left out"), "{}", stderr(&out));
}

#[test]
fn json_has_lines_rows_and_the_file() {
    let found = printed_json(&["export", "chat-4xh100", "--as", "vllm", "--json"]);
    assert_eq!(found["system"], "vllm");
    assert_eq!(found["language"], "shell");
    assert!(
        found["text"]
            .as_str()
            .is_some_and(|text| text.contains("vllm serve meta-llama/Llama-3.1-8B-Instruct"))
    );
    assert!(found["rows"].as_array().is_some_and(|rows| !rows.is_empty()));
    assert!(found["lines"][0]["mark"].is_string());
}

#[test]
fn a_file_beside_is_changed_and_stays_itself() {
    let beside = TempFile::new("beside-epp.yaml", PICKER);
    let set = ["--set", "cluster.routing.weighted.scorers[0].weight=5"];
    let adopted =
        ["export", "chat-4xh100", "--policies", beside.path(), "--as", "epp", "--beside", beside.path()];
    let out = run(&adopted);
    assert!(stdout(&out).starts_with(PICKER), "{}", stdout(&out));
    assert!(stderr(&out).contains("lines added 0, removed 0, kept 12,"), "{}", stderr(&out));
    let out = run(&adopted.iter().chain(&set).copied().collect::<Vec<_>>());
    assert!(stdout(&out).starts_with(&PICKER.replace("weight: 2", "weight: 5")), "{}", stdout(&out));
    let told = stderr(&out);
    assert!(told.contains("-     weight: 2\n+     weight: 5\n"), "{told}");
    assert!(told.contains("lines added 1, removed 1, kept 11,"), "{told}");

    // The same bytes from stdin.
    let piped = ["export", "chat-4xh100", "--policies", beside.path(), "--as", "epp", "--beside", "-"];
    let again = run_with(&piped, PICKER.as_bytes());
    assert!(stdout(&again).starts_with(PICKER), "{}", stderr(&again));
}

#[test]
fn an_output_never_replaces_an_input() {
    let beside = TempFile::new("kept-epp.yaml", PICKER);
    let scenario = TempFile::new("kept-scenario.json", "{\"tokenyard\": 3}");
    for input in [beside.path(), scenario.path()] {
        let told =
            refused(&["export", scenario.path(), "--as", "epp", "--beside", beside.path(), "-o", input]);
        assert!(told.contains("a file that is not read in the same run"), "{told}");
    }
    assert_eq!(std::fs::read_to_string(beside.path()).ok().as_deref(), Some(PICKER));
    let new = TempFile::new("new-epp.yaml", "");
    let out = printed(&["export", scenario.path(), "--as", "blis", "-o", new.path()]);
    assert_eq!(out, "");
    assert!(std::fs::read_to_string(new.path()).is_ok_and(|text| text.contains("policy: least-loaded")));
}

#[test]
fn bad_input_gets_a_message() {
    let refused = |args: &[&str], part: &str| {
        let out = run(args);
        assert_eq!(out.status.code(), Some(2), "{}", stderr(&out));
        assert!(stderr(&out).contains(part), "{}", stderr(&out));
        assert_eq!(stdout(&out), "");
    };
    refused(&["export", "chat-4xh100", "--as", "envoy"], "envoy");
    refused(
        &["export", "chat-4xh100", "--as", "epp", "--set", "cluster.pools[0].replicas=x"],
        "cluster.pools[0].replicas",
    );
    refused(&["export", "-", "--as", "epp", "--beside", "-"], "stdin given more than once");
    let missing = run(&["export", "chat-4xh100", "--as", "epp", "--beside", "/no/such/file"]);
    assert_eq!(missing.status.code(), Some(3));
    let other = TempFile::new("other.yaml", "kind: Deployment\n");
    let out = run(&["export", "chat-4xh100", "--as", "epp", "--beside", other.path()]);
    assert!(out.status.success());
    assert!(
        stderr(&out).contains("warning: it has no EndpointPickerConfig that can be followed"),
        "{}",
        stderr(&out)
    );
}
