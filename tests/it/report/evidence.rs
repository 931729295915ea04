//! The evidence line: in every report and summary, outside the digest, near the knee for capacities and autoscaled runs,
//! and a refusal of guesses.

use crate::support::command::{TempFile, TempFolder, printed, printed_json, refused, run, stderr, stdout};
use serde_json::Value;
use tokenyard::scenario::preset::PRESETS;
use tokenyard::session::{Audience, Session, guesses};

const SHORT: [&str; 6] = ["--set", "run.horizon_s=20", "--set", "run.warmup_s=2", "--set", "edits=[]"];

fn json(args: &[&str]) -> Value {
    printed_json(&[args, &SHORT, &["--json"]].concat())
}

#[test]
fn every_pool_of_a_report_has_its_classes_its_regime_and_the_error_measured_there() {
    let report = json(&["run", "mixed-fleet"]);
    let pools = report["evidence"].as_array().expect("a list");
    assert_eq!(pools.len(), report["pools"].as_array().map_or(0, Vec::len));
    for pool in pools {
        for value in ["model", "gpu", "engine", "precision", "tp"] {
            assert!(pool[value]["value"].is_string() && pool[value]["class"].is_string(), "{value}: {pool}");
        }
        assert!(["below", "near", "over"].contains(&pool["regime"].as_str().unwrap_or_default()), "{pool}");
        // Over the knee nothing is validated.
        let place = if pool["regime"] == "over" { "near_knee" } else { "error" };
        let tpot = &pool[place]["tpot"];
        assert!(tpot["n"].as_u64() > Some(0) && tpot["p90"].as_f64() >= tpot["median"].as_f64(), "{pool}");
    }
    let text = stdout(&run(&[&["run", "mixed-fleet"][..], &SHORT].concat()));
    assert_eq!(text.lines().filter(|line| line.starts_with("evidence ")).count(), pools.len(), "{text}");
}

#[test]
fn the_evidence_is_no_result() {
    let report = json(&["run", "router-showdown"]);
    let whole = serde_json::to_string_pretty(&report).expect("text") + "\n";
    let mut without = report;
    assert!(without.as_object_mut().is_some_and(|fields| fields.shift_remove("evidence").is_some()));
    let without = serde_json::to_string_pretty(&without).expect("text") + "\n";
    assert_eq!(Session::digest_of(&whole), Session::digest_of(&without));
}

#[test]
fn a_capacity_and_an_autoscaled_run_live_near_the_knee() {
    let found = json(&[
        "capacity",
        "router-showdown",
        "--objective",
        "ttft_ms=2000",
        "--share",
        "0.5",
        "--seeds",
        "1",
    ]);
    let pool = &found["evidence"][0];
    assert_eq!((&pool["regime"], &pool["regime_by"]), (&"near".into(), &"capacity".into()));
    assert_eq!(pool["error"], pool["near_knee"]);
    let scaled = json(&["run", "spike-cold-starts"]);
    assert_eq!(scaled["evidence"][0]["regime"], "near", "{}", scaled["evidence"]);
    let size = ["size", "--model", "llama-3.1-8b", "--input", "500", "--output", "200"];
    let text = stdout(&run(&size));
    assert!(text.contains("a capacity lies near the knee") && text.contains("\nevidence: "), "{text}");
    let both = json(&["compare", "router-showdown", "router-showdown", "--set-b", "cluster.routing=random"]);
    assert!(both["a"]["evidence"][0]["class"].is_string() && both["b"]["evidence"][0]["text"].is_string());
}

#[test]
fn a_gpu_of_which_only_the_peaks_are_known_is_refused_unless_the_guess_is_accepted() {
    let own = r#"{"run": {"horizon_s": 4, "warmup_s": 1}, "cluster": {"pools": [{"gpu": "X100",
        "hardware": {"memory_gib": 96, "tflops": 700, "bandwidth_tb_per_s": 5}}]}}"#;
    let file = TempFile::new("guess.json", own);
    for command in ["run", "digest", "check"] {
        let told = refused(&[command, file.path()]);
        for part in [
            "cluster.pools[0].hardware: X100 with figures of your own",
            "allowed: H100, A100-80",
            "--allow-guess",
        ] {
            assert!(told.contains(part), "{part} is not in {told}");
        }
        assert_eq!(run(&[command, file.path(), "--allow-guess"]).status.code(), Some(0), "{command}");
    }
    let text = stdout(&run(&["run", file.path(), "--allow-guess"]));
    assert!(text.contains("guessed: X100 (own figures)") && text.contains("A guess:"), "{text}");
    let edit = r#"edits=[{"at_us": 2000000, "set": {"cluster.pools[0].hardware": {"tflops": 700.0}}}]"#;
    let out = run(&["check", "chat-4xh100", "--set", edit]);
    assert!(
        stderr(&out).contains("edits[0]: cluster.pools[0].hardware: H100 with figures"),
        "{}",
        stderr(&out)
    );
    // Formulas read the peaks alone, and the page goes on running what old links have.
    let roofline = ["check", file.path(), "--set", "cluster.pools[0].latency=roofline"];
    assert_eq!(run(&roofline).status.code(), Some(0));
    let scenario = tokenyard::scenario::parse(own).expect("a sound scenario");
    assert_eq!(guesses(&scenario).len(), 1);
    assert!(Session::start(scenario, None, Audience::Live).is_ok());
}

#[test]
fn a_sweep_over_gpus_refuses_a_guess_and_tells_classes_apart() {
    let folder = TempFolder::new("evidence-sweep");
    let base = [&["sweep", "router-showdown"][..], &SHORT, &["-o", folder.here()]].concat();
    let out = printed(&[&base[..], &["--vary", "cluster.pools[0].gpu=H100,A100-80"]].concat());
    let rows = folder.text("rows.csv");
    let head: Vec<&str> = rows.lines().next().unwrap_or_default().split(',').collect();
    let column =
        |name: &str| head.iter().position(|h| *h == name).unwrap_or_else(|| panic!("{name}: {head:?}"));
    for line in rows.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert!(["fitted", "carried"].contains(&cells[column("evidence")]), "{line}");
        assert!(["below", "near", "over"].contains(&cells[column("regime")]), "{line}");
    }
    assert!(out.contains("evidence"), "{out}");
}

#[test]
fn no_preset_is_a_guess_and_the_list_shows_the_evidence_of_each() {
    let lists = printed_json(&["list", "presets", "--json"]);
    let listed = lists["presets"].as_array().expect("a list");
    assert_eq!(listed.len(), PRESETS.len());
    for (preset, shown) in PRESETS.iter().zip(listed) {
        assert_eq!(guesses(&preset.scenario()), [], "{}", preset.name);
        assert!(shown["evidence"][0]["chip"].as_str().is_some_and(|chip| !chip.is_empty()), "{shown}");
    }
    let text = stdout(&run(&["list", "presets"]));
    assert!(text.contains("near the knee ±"), "{text}");
}
