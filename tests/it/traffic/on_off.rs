//! Arrivals in on and off periods: the expected rate against counts, what lies in off periods, edits.

use crate::support::documents::{self, put_all};
use serde_json::{Value, json};
use tokenyard::base::Micros;
use tokenyard::scenario::Scenario;
use tokenyard::study::theory::Theorist;
use tokenyard::workload::Source;

const S: u64 = 1_000_000;

fn scenario(on_off: &Value, more: &Value, horizon_s: u64) -> Scenario {
    let mut client = json!({
        "arrivals": { "on-off": on_off },
        "prompt_tokens": { "constant": { "tokens": 5 } }, "output_tokens": { "constant": { "tokens": 2 } },
    });
    put_all(&mut client, more);
    let document = json!({
        "run": { "horizon_s": horizon_s, "warmup_s": 0 }, "workload": { "clients": [client] },
    });
    documents::scenario(document)
}

fn arrivals(s: &Scenario) -> Vec<u64> {
    let mut source = Source::new(s, None);
    std::iter::from_fn(|| source.take()).map(|r| r.arrival.0).collect()
}

#[test]
fn fixed_periods_send_at_their_rate_while_on_and_nothing_while_off() {
    let s =
        scenario(&json!({ "rate_per_s": 50, "on_s": 2, "off_s": 3, "periods": "fixed" }), &json!({}), 1000);
    let all = arrivals(&s);
    assert!(all.is_sorted());
    assert!(all.iter().all(|at| at % (5 * S) < 2 * S), "in the first 2 s of every 5");
    // Poisson with a mean of 50 x 400 = 20,000: four standard deviations are 566.
    assert!((19_434..=20_566).contains(&all.len()), "{}", all.len());
    // Within the on periods they are even.
    let early = all.iter().filter(|at| *at % (5 * S) < S).count();
    assert!((9_600..=10_400).contains(&early), "{early}");
}

#[test]
fn the_expected_rate_of_fixed_periods_is_exact_on_any_stretch() {
    let s =
        scenario(&json!({ "rate_per_s": 50, "on_s": 2, "off_s": 3, "periods": "fixed" }), &json!({}), 1000);
    let source = Source::new(&s, None);
    let expected =
        |from: u64, to: u64| source.expected(Micros(from), Micros(to)) * (to - from) as f64 / S as f64;
    // On from 0 to 2, 5 to 7, 10 to 12, ...
    for (from, to, seconds_on) in [(0, 2, 2.0), (2, 5, 0.0), (1, 6, 2.0), (3, 24, 8.0), (0, 1000, 400.0)] {
        let found = expected(from * S, to * S);
        assert!((found - 50.0 * seconds_on).abs() < 1e-6, "{from} to {to} s: {found}");
    }
}

#[test]
fn random_periods_have_the_mean_rate_at_every_instant() {
    let on_off = json!({ "rate_per_s": 40, "on_s": 1, "off_s": 4 });
    let counts: Vec<f64> = (0..300)
        .map(|seed| {
            let mut s = scenario(&on_off, &json!({}), 20);
            s.seed = seed;
            arrivals(&s).len() as f64
        })
        .collect();
    let mean = counts.iter().sum::<f64>() / 300.0;
    // The mean is 40 x 1/5 x 20 = 160, from the first second on. Its deviation: a count over T has the variance
    // m + 2 r^2 p (1 - p) T / k with k = 1/on + 1/off = 1.25, hence 160 + 2 x 1600 x 0.16 x 20 / 1.25 = 8,352 at most; 91 /
    // sqrt(300) = 5.3.
    assert!((mean - 160.0).abs() < 4.0 * 5.3, "{mean}");
    let spread = counts.iter().map(|c| (c - mean) * (c - mean)).sum::<f64>() / 299.0;
    assert!((4_000.0..12_000.0).contains(&spread), "{spread}, where Poisson has 160");
    let s = scenario(&on_off, &json!({}), 20);
    let expected = Source::new(&s, None).expected(Micros(3 * S), Micros(9 * S));
    assert!((expected - 8.0).abs() < 1e-9, "{expected}");
    assert!((s.workload.clients[0].arrivals.mean_rate_per_s() - 8.0).abs() < 1e-12);
}

#[test]
fn a_rate_over_time_multiplies_the_rate_while_on() {
    let profile = json!({ "rate_profile": { "windows": { "windows": [{ "start_s": 100, "end_s": 200 }] } } });
    let s = scenario(&json!({ "rate_per_s": 50, "on_s": 2, "off_s": 3, "periods": "fixed" }), &profile, 1000);
    let all = arrivals(&s);
    assert!(all.iter().all(|at| (100 * S..200 * S).contains(at) && at % (5 * S) < 2 * S));
    assert!((1_750..=2_250).contains(&all.len()), "{} of 50 x 40", all.len());
    let source = Source::new(&s, None);
    assert!((source.expected(Micros(0), Micros(1000 * S)) * 1000.0 - 2000.0).abs() < 1e-6);
}

#[test]
fn another_rate_in_the_middle_of_an_off_period_counts_from_the_next_on_period() {
    let on_off = json!({ "rate_per_s": 0.001, "on_s": 2, "off_s": 3, "periods": "fixed" });
    let slow = scenario(&on_off, &json!({}), 1000);
    let mut source = Source::new(&slow, None);
    // Nothing is sent for a long time; at 503.5 s, in an off period, the rate rises.
    let on_off = json!({ "rate_per_s": 100, "on_s": 2, "off_s": 3, "periods": "fixed" });
    let fast = scenario(&on_off, &json!({}), 1000);
    while source.peek().is_some_and(|at| at < Micros(503_500_000)) {
        source.take();
    }
    source.adopt(&slow, &fast, Micros(503_500_000));
    let first = source.take().expect("a request").arrival.0;
    assert!((505 * S..506 * S).contains(&first), "{first}");
    let rest = std::iter::from_fn(|| source.take()).map(|r| r.arrival.0);
    let in_the_next: Vec<u64> = rest.take_while(|at| *at < 507 * S).collect();
    assert!((150..=250).contains(&in_the_next.len()), "{} of 200", in_the_next.len());
}

#[test]
fn a_low_rate_finds_its_end_and_no_rate_sends_nothing() {
    let low = json!({ "rate_per_s": 1e-9, "on_s": 0.1, "off_s": 0.1 });
    assert_eq!(arrivals(&scenario(&low, &json!({}), 1000)), [0_u64; 0]);
    let none = json!({ "rate_per_s": 0, "on_s": 1, "off_s": 1 });
    assert_eq!(arrivals(&scenario(&none, &json!({}), 1000)), [0_u64; 0]);
}

#[test]
fn laws_that_need_poisson_arrivals_say_that_periods_are_not() {
    let theory = |on_off: &Value| {
        let s = scenario(on_off, &json!({}), 1000);
        Theorist::of_plan(&s, None).expect("a law").theory(None)
    };
    // Periods so long that the gaps of a plan look like Poisson ones.
    let found = theory(&json!({ "rate_per_s": 20, "on_s": 1000, "off_s": 1000, "periods": "fixed" }));
    assert!((found.rate_per_s - 10.0).abs() < 1e-9, "{}", found.rate_per_s);
    let assumed: Vec<String> = found
        .laws
        .iter()
        .flat_map(|l| &l.assumptions)
        .map(|a| a.text.clone())
        .filter(|t| t.contains("Poisson"))
        .collect();
    assert!(!assumed.is_empty() && assumed.iter().all(|t| t.contains("on and off periods")), "{assumed:?}");
}

#[test]
fn periods_out_of_range_are_refused_with_their_path() {
    let s = scenario(&json!({ "rate_per_s": 5, "on_s": 0.01, "off_s": 0 }), &json!({}), 10);
    let problems = tokenyard::scenario::check(s).expect_err("problems");
    let paths: Vec<&str> = problems.iter().map(|d| d.path.as_str()).collect();
    let at = |key| format!("workload.clients[0].arrivals.on-off.{key}");
    assert_eq!(paths, [at("on_s"), at("off_s")]);
}
