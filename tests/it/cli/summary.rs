//! The readable summary of `tokenyard run`: its figures of parts of the traffic are those of the report of the same
//! run.

use crate::support::command::{TempFile, printed};
use serde_json::Value;

/// Two clients that differ in everything requests are grouped by, two pools with a CPU tier, a fitness score, and routing
/// that leaves regret.
const TWO_OF_EACH: &str = r#"{
    "run": { "horizon_s": 20, "warmup_s": 2 },
    "cluster": {
        "pools": [
            { "name": "wide", "replicas": 2, "kv": { "blocks": 700, "cpu_blocks": 4000 } },
            { "name": "narrow", "replicas": 1, "kv": { "blocks": 700, "cpu_blocks": 4000 } }
        ],
        "routing": "random"
    },
    "workload": { "clients": [
        { "name": "chat", "tenant": "shop", "slo_class": "critical", "arrivals": { "poisson": { "rate_per_s": 5 } },
          "prefix": { "groups": 6, "tokens": 800 } },
        { "name": "reports", "tenant": "office", "slo_class": "batch", "arrivals": { "poisson": { "rate_per_s": 2 } },
          "prefix": { "groups": 6, "tokens": 1200 } }
    ] },
    "slo": { "ttft_ms": 80, "tpot_ms": 25 },
    "observe": {
        "counterfactual_k": 2,
        "fitness": [{ "metric": "p99_ttft", "weight": 1 }, { "metric": "throughput", "weight": 2 }]
    }
}"#;

/// The summary and the report of one run.
fn both(name: &str) -> (String, Value) {
    let file = TempFile::new(name, TWO_OF_EACH);
    let [summary, json] = [&["run", file.path()][..], &["run", "--json", file.path()]].map(printed);
    (summary, serde_json::from_str(&json).expect("the report is JSON"))
}

/// A figure of the report. A zero would look right whatever it stood for.
fn figure(report: &Value, path: &str) -> f64 {
    let value = report.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("no number at {path}"));
    assert!(value > 0.0, "{path} is {value}");
    value
}

/// The table whose first head is this word: its other heads, and its rows.
fn table<'a>(summary: &'a str, first: &str) -> (Vec<&'a str>, Vec<&'a str>) {
    let mut lines = summary.lines().skip_while(|line| line.split_whitespace().next() != Some(first));
    let head = lines.next().unwrap_or_else(|| panic!("no table of {first} in\n{summary}"));
    (head.split_whitespace().skip(1).collect(), lines.take_while(|line| !line.is_empty()).collect())
}

#[test]
fn classes_tenants_clients_and_pools_have_the_percentiles_and_attainment_of_the_report() {
    let (summary, report) = both("groups.json");
    let paths = ["ttft_ms/p50", "ttft_ms/p90", "ttft_ms/p99", "tpot_ms/p99", "e2e_ms/p50", "e2e_ms/p99"];
    for (what, list, requests) in [
        ("class", "classes", ""),
        ("tenant", "tenants", ""),
        ("client", "clients", ""),
        ("pool", "pools", "/requests"),
    ] {
        let (heads, rows) = table(&summary, what);
        assert_eq!(
            heads.join(" "),
            "arrived finished met % TTFT p50 ms TTFT p90 ms TTFT p99 ms TPOT p99 ms E2E p50 ms E2E p99 ms"
        );
        assert_eq!((rows.len(), report[list].as_array().map(Vec::len)), (2, Some(2)), "{what}");
        for (i, row) in rows.iter().enumerate() {
            let of = |path: &str| figure(&report, &format!("/{list}/{i}{requests}/{path}"));
            let mut cells = vec![
                report[list][i]["name"].as_str().expect("a name").to_owned(),
                of("arrived").to_string(),
                of("finished").to_string(),
                format!("{:.2}", of("attainment") * 100.0),
            ];
            cells.extend(paths.map(|path| format!("{:.1}", of(path))));
            assert_eq!(row.split_whitespace().collect::<Vec<_>>(), cells, "{what}");
        }
    }
}

#[test]
fn the_slowest_requests_have_their_times_and_what_took_most_of_them() {
    let (summary, report) = both("slowest.json");
    let (_, rows) = table(&summary, "slowest");
    let slowest = report["slowest"].as_array().expect("a list");
    assert_eq!((rows.len(), slowest.len()), (10, 10));
    for (slow, row) in slowest.iter().zip(rows) {
        let ms = |us: &Value| format!("{:.3}", us.as_f64().expect("a time") / 1000.0);
        let parts = slow["parts"].as_array().expect("a list");
        let most = parts.iter().max_by_key(|part| part["us"].as_u64()).expect("a part");
        let name = format!("#{} on r{}", slow["request"], slow["replica"]);
        let kind = most["kind"].as_str().expect("a kind");
        let expected = format!(
            "{name} {} {} {} {} {kind} {} ms,",
            slow["client"].as_str().expect("a name"),
            ms(&slow["ttft_us"]),
            ms(&slow["e2e_us"]),
            slow["preemptions"],
            ms(&most["us"])
        );
        let found = row.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(found.starts_with(&expected), "{found}\ndoes not begin with\n{expected}");
    }
}

#[test]
fn tokens_fairness_fitness_cpu_tier_and_decisions_have_the_figures_of_the_report() {
    let (summary, report) = both("shares.json");
    let of = |path: &str, decimals: usize| format!("{:.decimals$}", figure(&report, path));
    let tokens = ["prompt", "output", "total"].map(|kind| of(&format!("/throughput/{kind}_tokens_per_s"), 1));
    let [tenants, replicas, queues] =
        ["tenants_jain", "replicas_jain", "max_min_queue_ratio"].map(|x| of(&format!("/fairness/{x}"), 3));
    let found = format!("{:.2}", figure(&report, "/kv/cpu/hit_rate") * 100.0);
    let cpu = |x: &str| of(&format!("/kv/cpu/{x}"), 0);
    let decisions = |x: &str, decimals| of(&format!("/decisions/{x}"), decimals);
    for line in [
        format!("tokens       {} prompt/s, {} output/s, {} in all", tokens[0], tokens[1], tokens[2]),
        format!(
            "fairness     Jain's index {tenants} over tenants, {replicas} over replicas; longest queue by shortest {queues}"
        ),
        format!("fitness      {}", of("/fitness/score", 4)),
        format!(
            "CPU tier     {found} % of the blocks looked for, {} loads of {} ms, {} offloads, {} of {} blocks in use",
            cpu("loads"),
            of("/kv/cpu/mean_load_ms", 3),
            cpu("offloads"),
            cpu("used_blocks"),
            cpu("total_blocks")
        ),
        format!(
            "decisions    {} routed to {} replicas; score regret {} on average, {} at most",
            decisions("routed", 0),
            decisions("unique_targets", 0),
            decisions("score_regret_mean", 4),
            decisions("score_regret_max", 4)
        ),
    ] {
        assert!(summary.lines().any(|told| told == line), "{line}\nis not in\n{summary}");
    }
}
