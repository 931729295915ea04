//! Comparisons of runs that are edited while they go on: blocks of time do not reach over an edit, and what is compared arrived after
//! the last difference.

use crate::support::outcomes::{Normal, compared, compared_of, made_up, run, scenario};
use tokenyard::scenario::Scenario;
use tokenyard::study::compare::{Difference, Outcomes, RunComparison, Verdict};

const RUNS: u64 = 300;

fn edited(edits: &str) -> Scenario {
    scenario("chat-4xh100", &[("edits", edits)])
}

/// An edit at 60 s of 200 s.
fn at_60(routing: &str) -> Scenario {
    edited(&format!(r#"[{{"at_us": 60000000, "set": {{"cluster.routing": "{routing}"}}}}]"#))
}

/// Requests that wait about a second up to 60 s and 100 ms from then on, as one waits nearly as long as the one before; in the other run
/// `apart_ms` longer, with waits of their own beside those that the traffic makes in both.
fn cured_at_60(n: u64, apart_ms: f64) -> [Outcomes; 2] {
    let (mut common, mut own) = (Normal::new(2 * n), Normal::new(2 * n + 1));
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let (mut wait, mut other) = (0.0, 0.0);
    for i in 0..2100 {
        let shared = common.draw();
        wait = 0.8 * wait + 0.6 * shared;
        other = 0.8 * other + 0.6 * (0.8 * shared + 0.6 * own.draw());
        if i >= 100 {
            let level = if i < 700 { 1000.0 } else { 100.0 };
            a.push(((level + 10.0 * wait) * 1000.0) as u64);
            b.push(((level + apart_ms + 10.0 * other) * 1000.0) as u64);
        }
    }
    [made_up(n, a.into_iter()), made_up(n, b.into_iter())]
}

fn figures(c: &RunComparison) -> [Difference; 4] {
    let m = &c.metrics.ttft_ms;
    [m.mean, m.p50, m.p90, m.p99]
}

/// Takes seconds: hundreds of comparisons of a thousand resamples each are what the promise is about.
#[test]
fn without_an_effect_no_difference_is_shown_in_93_to_97_percent_and_one_that_is_there_is_shown() {
    let both = at_60("random");
    let (mut none, mut medians, mut shown) = ([0; 4], 0, [0; 4]);
    for n in 0..RUNS {
        let c = compared_of([&both, &both], cured_at_60(n, 0.0));
        for (count, d) in none.iter_mut().zip(figures(&c)) {
            *count += u64::from(d.verdict == Verdict::NoneShown);
        }
        let paired = c.detail.ttft_ms.paired.expect("it is paired");
        medians += u64::from(paired.p50_verdict == Verdict::NoneShown);
        if n % 10 == 0 {
            let c = compared_of([&both, &both], cured_at_60(n, 5.0));
            for (count, d) in shown.iter_mut().zip(figures(&c)) {
                *count += u64::from(d.verdict == Verdict::Worse);
            }
        }
    }
    let most = RUNS * 97 / 100 + 3;
    assert!(none.iter().all(|n| (RUNS * 93 / 100..=most).contains(n)), "{none:?} of {RUNS}");
    assert!((RUNS * 93 / 100..=most).contains(&medians), "{medians} of {RUNS}");
    assert!(shown[..2].iter().all(|n| *n == RUNS / 10), "{shown:?} of {}", RUNS / 10);
}

#[test]
fn an_edit_of_both_runs_makes_no_interval_longer_than_what_lies_on_either_side() {
    let both = at_60("random");
    let length = |d: Difference| d.hi.expect("an interval") - d.lo.expect("an interval");
    for n in 0..5 {
        let [a, b] = cured_at_60(n, 5.0);
        let mixed = compared([(a.clone(), b.clone())]);
        let cut = compared_of([&both, &both], [a, b]);
        assert!(cut.since_s.is_none() && cut.requests == 2000, "nothing is left out");
        assert!(length(cut.metrics.ttft_ms.p50) < 4.0, "{:?}", cut.metrics.ttft_ms.p50);
        assert_eq!(
            (mixed.metrics.ttft_ms.p50.diff, mixed.metrics.ttft_ms.p50.a),
            (cut.metrics.ttft_ms.p50.diff, cut.metrics.ttft_ms.p50.a),
            "figures are the same"
        );
    }
}

#[test]
fn requests_count_from_the_last_difference_on_and_the_answer_says_so() {
    let (plain, random) = (edited("[]"), at_60("random"));
    let [a, b] = cured_at_60(1, 5.0);
    let whole = compared_of([&plain, &plain], [a.clone(), b.clone()]);
    assert_eq!((whole.since_s, whole.requests), (None, 2000));
    let c = compared_of([&plain, &random], [a.clone(), b.clone()]);
    assert_eq!((c.since_s, c.requests, c.a.requests, c.b.met), (Some(60.0), 1400, 1400, 1400));
    assert!(c.explained.contains("arrived from 60 s on, after the last difference"), "{}", c.explained);
    assert!(c.metrics.ttft_ms.mean.a.is_some_and(|ms| ms < 120.0), "{:?}", c.metrics.ttft_ms.mean);
    let strip = &c.detail.ttft_ms.paired.as_ref().expect("it is paired").strip;
    assert!(strip.iter().all(|point| point.t_s >= 60.0));
    let late = edited(r#"[{"at_us": 900000000, "set": {"cluster.routing": "random"}}]"#);
    let c = compared_of([&plain, &late], [a.clone(), b.clone()]);
    assert_eq!(c.since_s, None, "nothing arrived after it");
    let sent = edited(r#"[{"at_us": 60000000, "route": {"request": 7, "to": 1}}]"#);
    assert_eq!(compared_of([&plain, &sent], [a, b]).since_s, None, "one request is not a span");
}

/// A herd that follows stale signals from 40 s on, and a router that does not.
#[test]
fn a_cure_of_the_herd_is_shown_as_the_requests_show_it() {
    let own = scenario("stale-herd", &[]);
    let cured = scenario("stale-herd", &[("cluster.routing", "least-loaded")]);
    let c = compared_of([&own, &cured], [run(&own), run(&cured)]);
    let p50 = c.metrics.ttft_ms.p50;
    assert!(p50.a > Some(700.0) && p50.b < Some(50.0), "{p50:?}");
    assert_eq!(p50.verdict, Verdict::Better, "{p50:?}");
    let paired = c.detail.ttft_ms.paired.expect("it is paired");
    assert_eq!(paired.p50_verdict, Verdict::Better);
    assert!(paired.gained > 0.9 && paired.p50_hi_ms < Some(-100.0), "{:?}", paired.p50_hi_ms);
}
