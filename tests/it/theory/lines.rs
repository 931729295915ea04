//! Laws over time: what they say of waiting, of throughput and of queues, beside the run.

use super::law_beside_run::{client, exponential, queue, theorist, with};
use serde_json::{Value, json};
use tokenyard::study::theory::{Law, TheoryLine};

fn line(s: &Value, law: Law) -> TheoryLine {
    let line = theorist(s).line(law);
    let n = line.t_s.len();
    let same = [line.wait_ms.len(), line.finished_per_s.len(), line.waiting.len(), line.violated.len()];
    assert!(n > 50 && same == [n; 4]);
    line
}

/// The mean of what is there.
fn mean(values: &[Option<f64>]) -> f64 {
    let known: Vec<f64> = values.iter().flatten().copied().collect();
    assert!(known.len() + 2 >= values.len(), "{} of {}", known.len(), values.len());
    known.iter().sum::<f64>() / known.len() as f64
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}

/// A service of 1 ms, and `r` requests a second: of each stretch the wait is `rho (1 + SCV) / (2 (1 - rho))` ms, and the queue
/// `lambda W`.
#[test]
fn one_server_has_the_wait_and_the_queue_of_pollaczek_and_khinchine() {
    let constant = queue(1, 1, [1000.0, 0.0, 0.0], 600.0);
    for (s, law, scv) in
        [(&constant, Law::Md1, 0.0), (&exponential(1, 600.0), Law::Mm1, 1.0), (&constant, Law::Mg1, 0.0)]
    {
        let line = line(s, law);
        let service = if law == Law::Mm1 { theorist(s).at(law, 100.0).rho * 10.0 } else { 1.0 };
        for (i, rate) in line.rate_per_s.iter().enumerate() {
            let rho = rate * service / 1000.0;
            let wait = service * rho * (1.0 + scv) / 2.0 / (1.0 - rho);
            let [w, x, q] =
                [line.wait_ms[i], line.finished_per_s[i], line.waiting[i]].map(|v| v.expect("stable"));
            assert!(
                close(w, wait) && close(x, *rate) && close(q, rate * wait / 1000.0),
                "{law:?} at {rate}: {w} {x} {q}"
            );
        }
    }
}

#[test]
fn more_than_the_servers_can_do_is_not_finished() {
    // 1,500 a second arrive and a server can do 1,000: throughput is that, and nothing is said of waiting.
    let s = with(queue(1, 1, [1000.0, 0.0, 0.0], 1500.0), &[("/run/max_requests", json!(10_000))]);
    let over = line(&s, Law::Md1);
    assert!(over.finished_per_s.iter().flatten().all(|x| close(*x, 1000.0)));
    assert!(over.wait_ms.iter().chain(&over.waiting).all(Option::is_none));
    assert!(over.violated.iter().all(|v| *v));
    // Four places, and 900 a second for a server of 1,000: rho^4 (1 - rho) / (1 - rho^5) of the arrivals are turned away.
    let places = json!({ "concurrency-limit": { "max_in_flight": 4, "then": "reject" } });
    let lossy =
        line(&with(queue(1, 1, [1000.0, 0.0, 0.0], 900.0), &[("/cluster/admission", places)]), Law::Mm1k);
    for (rate, x) in lossy.rate_per_s.iter().zip(&lossy.finished_per_s) {
        let rho = rate / 1000.0;
        let fourth = rho * rho * rho * rho;
        let lost = fourth * (1.0 - rho) / (1.0 - fourth * rho);
        assert!((x.expect("it is finite") - rate * (1.0 - lost)).abs() < 1e-6, "{rate} {x:?}");
    }
}

#[test]
fn littles_law_gives_each_figure_of_a_run_from_the_other_two() {
    for s in [queue(1, 1, [1000.0, 0.0, 0.0], 700.0), queue(1, 8, [1000.0, 0.0, 200.0], 2000.0)] {
        let t = theorist(&s);
        let theory = t.theory(None);
        assert_ne!(theory.chosen, Law::Little, "it is not chosen by itself");
        let found = theory.laws.iter().find(|l| l.law == Law::Little).expect("all laws are there");
        assert_eq!(
            (found.fits, found.violated, found.assumptions.len()),
            (true, 0, 1),
            "{:?}",
            found.assumptions
        );
        let line = line(&s, Law::Little);
        let [wait, e2e] =
            [theory.simulated.wait_ms, theory.simulated.e2e_ms].map(|m| m.expect("measured").mean);
        let near = |what: &str, a: f64, b: f64| assert!((a / b - 1.0).abs() < 0.05, "{what}: {a} and {b}");
        near("wait", found.predicted.wait_ms.expect("a number"), wait);
        near("E2E", found.predicted.e2e_ms.expect("a number"), e2e);
        near("rate", mean(&line.finished_per_s), theory.rate_per_s);
        // The mean over stretches of equal length of what each has waiting.
        near("queue", mean(&line.waiting), theory.rate_per_s * wait / 1000.0);
    }
}

#[test]
fn littles_law_says_where_more_arrives_than_leaves() {
    let s = with(
        queue(1, 1, [1000.0, 0.0, 0.0], 1500.0),
        &[
            ("/run/max_requests", json!(10_000)),
            ("/run/horizon_s", json!(5)),
            (&client("name"), json!("all")),
        ],
    );
    let t = theorist(&s);
    let found = t.theory(Some(Law::Little));
    let little = found.laws.iter().find(|l| l.law == found.chosen).expect("the law asked for");
    assert_eq!(little.violated, 1);
    assert!(little.assumptions[0].text.starts_with("more arrives than leaves: "), "{:?}", little.assumptions);
    assert!(line(&s, Law::Little).violated.iter().filter(|v| **v).count() > 40);
}
