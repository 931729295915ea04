//! Input of the command line: traces from files, stdin and gzip, documents with repeated keys or too much nesting,
//! invalid settings.

use crate::support::command::{TempFile, TempFolder, printed, run, run_with, stderr, stdout};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::io::Write as _;
use tokenyard::session::Report;

/// One request a second for twenty seconds.
fn trace() -> String {
    let rows = (0..20).map(|i| format!("2023-11-16 18:15:{i:02}.0000000,{},{}\n", 100 + i, 20 + i));
    format!("TIMESTAMP,ContextTokens,GeneratedTokens\n{}", rows.collect::<String>())
}

fn packed(text: &str) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(text.as_bytes()).expect("a Vec takes any bytes");
    gzip.finish().expect("a Vec takes any bytes")
}

#[track_caller]
fn report(out: &std::process::Output) -> Value {
    assert_eq!(out.status.code(), Some(0), "{}", stderr(out));
    serde_json::from_slice(&out.stdout).expect("the report is JSON")
}

#[track_caller]
fn refused(out: &std::process::Output, parts: &[&str]) {
    let told = stderr(out);
    assert_eq!((out.status.code(), stdout(out).as_str()), (Some(2), ""), "{told}");
    for part in parts {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
}

#[test]
fn a_trace_reads_the_same_from_a_file_from_stdin_and_from_gzip() {
    let text = trace();
    let file = TempFile::new("same.csv", text.as_bytes());
    // The name says nothing: the first bytes do.
    let gzip = TempFile::new("packed.csv", packed(&text));
    let args = |name| ["run", "--json", "chat-4xh100", "--trace", name];
    let want = report(&run(&args(file.path())));
    for got in [
        report(&run(&args(gzip.path()))),
        report(&run_with(&args("-"), text.as_bytes())),
        report(&run_with(&args("-"), &packed(&text))),
    ] {
        for part in ["trace_digest", "requests", "latency_ms"] {
            assert_eq!(got[part], want[part]);
        }
    }
    let cut = &packed(&text)[..60];
    refused(&run_with(&args("-"), cut), &["gzip data that cannot be unpacked"]);
    let both = run_with(&["run", "-", "--trace", "-"], b"{}");
    refused(&both, &["stdin given more than once"]);
    let dropped = run(&["run", "chat-4xh100", "--trace", file.path(), "--set", "workload.trace=null"]);
    refused(&dropped, &["workload.trace: null, together with --trace"]);
}

#[test]
fn a_trace_keeps_what_the_users_scenario_says_of_its_run() {
    let file = TempFile::new("kept.csv", trace().as_bytes());
    let own = br#"{"title": "Mine", "run": {"horizon_s": 9.5, "warmup_s": 4},
        "edits": [{"at_us": 1000, "set": {"cluster.routing": "random"}}]}"#;
    let kept = report(&run_with(&["run", "--json", "-", "--trace", file.path()], own));
    assert_eq!(kept["title"], "Mine");
    assert_eq!(kept["run"]["horizon_us"], 9_500_000);
    assert_eq!(kept["run"]["measured_from_us"], 4_000_000);
    assert_eq!(kept["run"]["edits_applied"], 1);
    assert_eq!(kept["requests"]["arrived"], 10);
    let silent = report(&run_with(&["run", "--json", "-", "--trace", file.path()], b"{}"));
    assert_eq!(silent["run"]["horizon_us"], 0);
    assert_eq!(silent["run"]["measured_from_us"], 0);
    assert!(silent["title"].as_str().is_some_and(|t| t.ends_with("kept.csv")));
    let built_in = run(&["run", "--json", "chat-4xh100", "--trace", file.path()]);
    assert!(
        stderr(&built_in).contains("the built-in scenario's run and edits do not apply"),
        "{}",
        stderr(&built_in)
    );
}

#[test]
fn keys_that_are_given_twice_are_all_named_in_json_and_yaml() {
    let json = br#"{"seed": 1, "run": {"horizon_s": 5, "horizon_s": 6}, "cluster": {"pools": [{}, {"tp": 1, "tp": 2}]}, "seed": 2}"#;
    let yaml = b"seed: 1\nrun:\n  horizon_s: 5\n  horizon_s: 6\ncluster:\n  pools:\n  - {}\n  - tp: 1\n    tp: 2\nseed: 2\n";
    for text in [&json[..], yaml] {
        let out = run_with(&["check", "-"], text);
        refused(
            &out,
            &[
                "run.horizon_s: the same key twice",
                "cluster.pools[1].tp: the same key twice",
                "seed: the same key twice",
            ],
        );
    }
    let out = run(&["check", "kv-pressure", "--set", r#"run={"horizon_s": 5, "horizon_s": 6}"#]);
    refused(&out, &["run.horizon_s: the same key twice"]);
    // A merge is no repetition: what stands beside it overrides it.
    let merged = b"run: &r\n  horizon_s: 50\nobserve: {}\n";
    assert_eq!(stdout(&run_with(&["check", "-"], merged)), "ok\n");
}

#[test]
fn paths_and_documents_of_any_depth_are_refused_in_words() {
    let deep_path = format!("{}=1", vec!["a"; 30_000].join("."));
    refused(&run(&["check", "kv-pressure", "--set", &deep_path]), &["a.a.a", "not a path"]);
    let deep_index = format!("cluster.pools{}=1", "[0]".repeat(30_000));
    refused(&run(&["check", "kv-pressure", "--set", &deep_index]), &["not a path"]);
    let deep_value = format!("title={}", "[".repeat(30_000));
    refused(&run(&["check", "kv-pressure", "--set", &deep_value]), &["title: "]);
    for (open, close) in [("{\"a\":", "}"), ("[", "]")] {
        let text = format!("{}1{}", open.repeat(50_000), close.repeat(50_000));
        refused(&run_with(&["check", "-"], text.as_bytes()), &["deep"]);
        let file = TempFile::new(&format!("deep{}.yaml", open.len()), text.as_bytes());
        refused(&run(&["check", file.path()]), &["nested too deeply to read"]);
    }
}

#[test]
fn settings_below_values_that_have_no_fields_are_refused() {
    let out =
        run(&["check", "kv-pressure", "--set", "run.horizon_s.x=1", "--set", "cluster.pools.replicas=3"]);
    refused(
        &out,
        &["run.horizon_s: 180, which has no `x`", "which has no `replicas`", "name one of its entries"],
    );
    // A list in the place of a scenario is not replaced by what is set.
    refused(&run_with(&["check", "-", "--set", "seed=1"], b"[1, 2]"), &["allowed: a scenario"]);
    // The bare name of a choice gives way to its settings.
    let weighted =
        ["--set", "cluster.routing=weighted", "--set", "cluster.routing.weighted.profile=\"least-loaded\""];
    let out = run(&[&["check", "kv-pressure"], &weighted[..2]].concat());
    assert_eq!(stdout(&out), "ok\n", "{}", stderr(&out));
    let out = run(&["check", "kv-pressure", "--set", "seed=1", "--set", "seed=2"]);
    assert_eq!(stdout(&out), "ok\n");
    assert!(stderr(&out).contains("seed: set more than once"), "{}", stderr(&out));
}

#[test]
fn an_empty_policy_bundle_is_reported() {
    let out = run_with(&["check", "kv-pressure", "--policies", "-"], b"{}");
    assert_eq!(stdout(&out), "ok\n");
    assert!(stderr(&out).contains("warning: nothing at all; allowed: a policy bundle"), "{}", stderr(&out));
    let empty = run_with(&["check", "kv-pressure", "--policies", "-"], b"# nothing\n");
    refused(&empty, &["an empty text; allowed: a policy bundle"]);
}

#[test]
fn line_ends_and_byte_order_marks_of_other_systems_do_not_matter() {
    let want = stdout(&run_with(&["digest", "-"], br#"{"run": {"horizon_s": 4, "warmup_s": 1}}"#));
    for text in [
        "\u{feff}{\"run\":\r\n{\"horizon_s\": 4, \"warmup_s\": 1}}\r\n",
        "\u{feff}run:\r\n  horizon_s: 4\r\n  warmup_s: 1\r\n",
    ] {
        let out = run_with(&["digest", "-"], text.as_bytes());
        assert_eq!(stdout(&out), want, "{}", stderr(&out));
    }
}

#[test]
fn control_characters_of_a_document_do_not_reach_the_terminal() {
    let text = br#"{"title": "a\u001b[2Jb", "run": {"horizon_s": 2, "warmup_s": 0}}"#;
    let out = run_with(&["run", "-"], text);
    assert!(stdout(&out).starts_with("a\\u{1b}[2Jb\n"), "{}", stdout(&out));
    let out = run_with(&["check", "-"], b"{\"a\\u001b[2J\": 1}");
    assert!(!out.stderr.contains(&0x1b) && stderr(&out).contains("\\u{1b}[2J"), "{}", stderr(&out));
}

#[test]
fn a_model_card_exits_as_other_input_does() {
    refused(&run_with(&["model", "-"], b"\xff\xfe"), &["not UTF-8"]);
    refused(&run_with(&["model", "-"], b""), &["an empty text"]);
    assert_eq!(run(&["model", "no/such/config.json"]).status.code(), Some(3));
    assert_eq!(run(&["model", "tests"]).status.code(), Some(3));
    let large = br#"{"num_hidden_layers": 80, "hidden_size": 8192, "num_attention_heads": 64, "num_key_value_heads": 8,
        "intermediate_size": 28672, "vocab_size": 128256, "torch_dtype": "bfloat16"}"#;
    refused(&run_with(&["model", "-"], large), &["memory"]);
    let out = run_with(&["model", "-", "--gpu", "H100", "--tp", "4"], large);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert_eq!(stdout(&run_with(&["check", "-"], &out.stdout)), "ok\n");
}

#[test]
fn a_link_is_taken_wherever_a_scenario_is_and_a_run_prints_its_own() {
    let short = ["--set", "run.horizon_s=5", "--set", "run.warmup_s=1", "--set", "edits=[]"];
    let with = |args: &[&str]| run(&[args, &short[..]].concat());
    let made = with(&["link", "chat-4xh100", "--set", "cluster.routing=random", "--at", "3.5"]);
    let link = stdout(&made).trim().to_owned();
    assert!(link.starts_with('#') && link.contains("t=3.5"), "{link}");
    assert!(stderr(&made).contains("opens at 3.5 s"), "{}", stderr(&made));
    assert_eq!(stdout(&run(&["check", &link])), "ok\n");
    let told = run(&["run", &link, "--json"]);
    let report = report(&told);
    let own = report["link"].as_str().expect("the report has the link of what ran");
    let parts = |link: &str| -> Vec<String> {
        link.split(';').filter(|part| !part.starts_with("length=")).map(str::to_owned).collect()
    };
    assert_eq!(parts(&format!("{own};t=3.5")), parts(&link));
    assert!(stderr(&told).contains(&format!("link: {own}")));
    let without = stdout(&told).replacen(&format!("  \"link\": \"{own}\",\n"), "", 1);
    assert_ne!(without, stdout(&told));
    assert_eq!(Report::with_link(&without, own), stdout(&told), "a report saved by the page");
    let digests = [&link, own].map(|link| stdout(&run(&["digest", link])));
    assert_eq!(digests[0], digests[1]);
    let direct = with(&["digest", "chat-4xh100", "--set", "cluster.routing=random"]);
    assert_eq!(digests[0], stdout(&direct));
    let json = with(&["link", "chat-4xh100", "--site", "https://example.org/", "--json"]);
    let all: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert!(
        all["link"].as_str().is_some_and(|l| l.starts_with("https://example.org/#chat-4xh100;")),
        "{all}"
    );
    assert_eq!(all["characters"].as_u64(), all["link"].as_str().map(|l| l.len() as u64));
    assert_eq!(stdout(&run(&["check", all["link"].as_str().expect("a text")])), "ok\n");
}

#[test]
fn every_command_that_takes_a_scenario_takes_a_link() {
    let link = "#chat-4xh100;run.horizon_s=3;run.warmup_s=1;edits=[]";
    let named = ["chat-4xh100", "--set", "run.horizon_s=3", "--set", "run.warmup_s=1", "--set", "edits=[]"];
    for (command, args) in [
        ("run", &[][..]),
        ("check", &[]),
        ("digest", &[]),
        ("link", &[]),
        ("explain", &[]),
        ("theory", &[]),
        ("regret", &[]),
        ("capacity", &["--seeds", "1"]),
        ("what-if", &["--request", "3"]),
    ] {
        let by_link = run(&[&[command, link], args].concat());
        assert_eq!(by_link.status.code(), Some(0), "{command}: {}", stderr(&by_link));
        let by_name = run(&[&[command], &named[..], args].concat());
        assert!(!by_link.stdout.is_empty(), "{command}");
        assert_eq!(stdout(&by_link), stdout(&by_name), "{command}");
    }
    let by_link = run(&["compare", link, &format!("{link};cluster.routing=random")]);
    assert_eq!(by_link.status.code(), Some(0), "{}", stderr(&by_link));
    let second = ["chat-4xh100", "--set-b", "cluster.routing=random"];
    let by_name = run(&[&["compare"], &named[..], &second].concat());
    // The first lines say what each of the two was called.
    let figures = |out| stdout(out).lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    assert!(figures(&by_link).len() > 3, "{}", stdout(&by_link));
    assert_eq!(figures(&by_link), figures(&by_name));
    let rows = ["by-link", "by-name"].map(|name| {
        let folder = TempFolder::new(&format!("sweep-{name}"));
        let scenario = if name == "by-link" { &[link][..] } else { &named };
        let varied = ["--vary", "cluster.pools[0].replicas=2,3", "-o", folder.here()];
        printed(&[&["sweep"], scenario, &varied].concat());
        folder.text("rows.csv")
    });
    assert_eq!(rows[0].lines().count(), 3, "a heading and two runs:\n{}", rows[0]);
    assert_eq!(rows[0], rows[1]);
}

#[test]
fn a_link_of_two_runs_is_run_as_its_first_one_and_says_so() {
    let short = "chat-4xh100;run.horizon_s=5;run.warmup_s=1;edits=[]";
    let [first, second] = [format!("#{short}"), format!("#{short};cluster.routing=random")];
    let made = run(&["link", &first, "--beside", &second, "--beside-name", "Random router"]);
    let link = stdout(&made).trim().to_owned();
    assert!(stderr(&made).contains("second run “Random router”"), "{}", stderr(&made));
    let told = run(&["digest", &link]);
    assert_eq!(stdout(&told), stdout(&run(&["digest", &first])));
    assert!(stderr(&told).contains("second run, “Random router”"), "{}", stderr(&told));
    refused(&run(&["link", &first, "--beside", "no-such-thing"]), &["no-such-thing"]);
}

#[test]
fn a_damaged_link_is_not_run_and_every_problem_of_it_is_reported() {
    refused(
        &run(&["run", "#chat-4xh100;cluster.pools[0].replicas=5000;sed=3"]),
        &["cluster.pools[0].replicas", "`seed`"],
    );
    refused(&run(&["check", "#v1.NU3bCoAg"]), &["end is missing"]);
    refused(&run(&["run", "#v9.NU3bCoAg"]), &["version 9", "newer Tokenyard"]);
    refused(&run(&["link", "chat-4xh100", "--at", "-4"]), &["t: -4"]);
}

#[test]
fn a_link_of_a_trace_asks_for_the_file_and_checks_it() {
    let (file, other) =
        (TempFile::new("linked.csv", trace()), TempFile::new("other.csv", trace().replace(",100,", ",101,")));
    let scenario = TempFile::new("linked.json", "{}");
    let link = stdout(&run(&["link", scenario.path(), "--trace", file.path()]));
    let link = link.trim();
    refused(&run(&["run", link]), &["linked.csv of 20 rows", "--trace FILE"]);
    refused(&run(&["run", link, "--trace", other.path()]), &["digest"]);
    assert_eq!(
        stdout(&run(&["digest", link, "--trace", file.path()])),
        stdout(&run(&["digest", scenario.path(), "--trace", file.path()]))
    );
}
