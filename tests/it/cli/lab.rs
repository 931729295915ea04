//! `tokenyard lab`: the report of an evolution.

use crate::support::command::{TempFile, printed, refused};
use serde_json::{Value, json};

fn evaluation(split: &str, score: f64) -> Value {
    json!({
        "status": "success", "combined_score": score, "metrics": {"score": score}, "scores": {},
        "cases": [{
            "id": format!("case-{split}"), "split": split, "score": score, "ci95": [score - 0.01, score + 0.01], "digest": "", "seeds": 2,
            "objectives": [{"metric": "latency_ms.ttft.p99", "baseline": 600.0, "candidate": 400.0, "score": score}], "feedback": "",
        }],
        "artifacts": {"feedback": format!("score {score}\n</script><b>told</b>\n")}, "candidate": {}, "problems": [],
        "suite": {"title": "Herd <1>", "digest": "abcd", "split": split, "stage": null}, "digest": "ef01",
    })
}

fn records() -> Vec<Value> {
    let refused = json!({
        "status": "error", "combined_score": 0.0, "metrics": {}, "scores": {}, "cases": [], "artifacts": {"feedback": "error: x"},
        "candidate": null, "problems": [], "suite": {"title": "", "digest": "", "split": "train", "stage": null}, "digest": "",
    });
    vec![
        json!({"generation": 0, "candidate": "routing: random", "evaluation": evaluation("train", 0.48)}),
        json!({"generation": 0, "candidate": "rooting: random", "evaluation": refused}),
        json!({"generation": 1, "candidate": "routing: least-loaded", "parent": 0, "evaluation": evaluation("train", 0.61)}),
        json!({"generation": 2, "candidate": "routing: round-robin", "parent": 2, "evaluation": evaluation("train", 0.55)}),
        json!({"generation": 1, "candidate": "routing: least-loaded", "evaluation": evaluation("val", 0.57)}),
        json!({"generation": 1, "candidate": "routing: least-loaded", "evaluation": evaluation("test", 0.48)}),
    ]
}

fn lines(records: &[Value]) -> String {
    let mut lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    lines.push(String::new());
    lines.join("\n")
}

#[test]
fn the_report_has_every_candidate_and_the_best_case_by_case() {
    let (file, page) = (TempFile::new("results.jsonl", lines(&records())), TempFile::new("report.html", ""));
    printed(&["lab", file.path(), "-o", page.path()]);
    let html = std::fs::read_to_string(page.path()).expect("the page was written");
    assert_eq!(html.matches("class=\"dot\"").count(), 3, "three ran");
    assert_eq!(html.matches("class=\"cross\"").count(), 1, "one did not");
    assert_eq!(html.matches("class=\"mark\"").count(), 2, "two were the best of their time");
    for part in [
        "case-train",
        "case-val",
        "case-test",
        "1 did not run",
        "best 0.610",
        "on val 0.570",
        "600 ms → <b>400 ms",
    ] {
        assert!(html.contains(part), "{part}");
    }
    assert!(html.contains("2 of 3 better and 1 worse beyond the interval"));
    // Texts of users are no markup, and end no script.
    assert!(html.contains("Herd &lt;1&gt;") && html.matches("</script>").count() == 2);
    assert!(!html.contains("src=") && !html.contains("href=\""), "it needs no other file");
}

#[test]
fn records_that_cannot_be_read_name_their_lines() {
    let page = TempFile::new("report.html", "kept");
    let told = |text: &str| {
        let file = TempFile::new("results.jsonl", text);
        refused(&["lab", file.path(), "-o", page.path()])
    };
    let good = lines(&records()[..1]);
    assert!(told(&format!("{good}{{\"candidate\": \"x\"}}\n")).contains("line 2: generation: nothing"));
    assert!(told(&format!("{good}\n{{")).contains("line 3"));
    assert!(told("").contains("no evaluation on train"));
    assert!(
        told(&good.replacen("\"generation\"", "\"generaton\"", 1)).contains("did you mean `generation`?")
    );
    assert_eq!(std::fs::read_to_string(page.path()).expect("a file"), "kept");
    let file = TempFile::new("results.jsonl", &good);
    refused(&["lab", file.path(), "-o", file.path()]);
}
