//! Laws of comparisons: what is the same does not differ, sides can be swapped, a router moves no draw of the workload, and an
//! interval of 95 % holds the truth as often as it says.

use crate::support::outcomes::{Normal, compared, made_up, run, scenario};
use crate::support::start;
use tokenyard::base::json;
use tokenyard::scenario::ScalingPolicy;
use tokenyard::session::report::{RunMetric, Statistic};
use tokenyard::study::compare::{Comparing, Difference, Metric, MetricTable, Outcomes, RegretTable, Verdict};
use tokenyard::study::oracle::oracle_of;
use tokenyard::study::sweep::RunRow;

const SHORT: [(&str, &str); 2] = [("run.horizon_s", "60"), ("run.warmup_s", "10")];

fn router(policy: &str) -> Outcomes {
    run(&scenario("router-showdown", &[SHORT[0], SHORT[1], ("cluster.routing", policy)]))
}

/// All differences of a table of metrics.
fn differences(m: &MetricTable) -> Vec<Difference> {
    [&m.ttft_ms, &m.itl_ms, &m.tpot_ms, &m.e2e_ms, &m.queue_wait_ms, &m.scheduling_delay_ms]
        .into_iter()
        .flat_map(|m| [m.mean, m.p50, m.p90, m.p95, m.p99])
        .collect()
}

/// Whether a number is the other one, to the bit but for the sign of zero.
fn same(x: Option<f64>, y: Option<f64>) -> bool {
    match (x, y) {
        (Some(x), Some(y)) => (x - y).abs() <= 0.0,
        (None, None) => true,
        _ => false,
    }
}

#[test]
fn a_run_does_not_differ_from_itself() {
    let one = router("least-loaded");
    let counted = one.requests.iter().filter(|r| r.counted).count() as u64;
    for seeds in [1, 3] {
        let c = compared((0..seeds).map(|_| (one.clone(), one.clone())));
        assert!(c.paired && c.notices.is_empty());
        assert_eq!(c.requests, counted * seeds);
        for d in differences(&c.metrics) {
            assert!([d.diff, d.lo, d.hi].iter().all(|x| same(*x, Some(0.0))), "{d:?}");
            assert_eq!((d.verdict, d.words()), (Verdict::NoneShown, "no difference can be shown"));
        }
        let ttft = c.detail.ttft_ms;
        let paired = ttft.paired.expect("it is paired");
        assert!(
            same(Some(ttft.ecdf.area_ms), Some(0.0))
                && paired.gained_most.is_empty()
                && paired.lost_most.is_empty()
        );
        assert!(same(Some(paired.gained + paired.lost), Some(0.0)));
    }
}

#[test]
fn sides_that_are_swapped_negate_every_difference() {
    let (a, b) = (router("round-robin"), router("least-loaded"));
    let (there, back) = (compared([(a.clone(), b.clone())]), compared([(b, a)]));
    assert!(there.paired);
    let negated = |x: Option<f64>| x.map(|x| 0.0 - x);
    for (x, y) in differences(&there.metrics).into_iter().zip(differences(&back.metrics)) {
        assert!(same(x.a, y.b) && same(x.b, y.a) && same(x.diff, negated(y.diff)), "{x:?} {y:?}");
        assert!(same(x.lo, negated(y.hi)) && same(x.hi, negated(y.lo)), "{x:?} {y:?}");
        let swapped = match y.verdict {
            Verdict::Better => Verdict::Worse,
            Verdict::Worse => Verdict::Better,
            other => other,
        };
        assert_eq!(x.verdict, swapped);
    }
    let (x, y) = (there.detail.e2e_ms, back.detail.e2e_ms);
    assert!((x.ecdf.area_ms - y.ecdf.area_ms).abs() < 1e-9);
    let (x, y) = (x.paired.expect("paired"), y.paired.expect("paired"));
    assert!(same(Some(x.gained), Some(y.lost)) && same(Some(x.mean_ms), Some(-y.mean_ms)));
    let numbers =
        |list: &[tokenyard::study::compare::MovedRequest]| list.iter().map(|m| m.diff_ms).collect::<Vec<_>>();
    let negative: Vec<f64> = numbers(&y.lost_most).iter().map(|d| -d).collect();
    assert_eq!(numbers(&x.gained_most), negative);
}

#[test]
fn figures_are_those_of_the_reports_and_the_first_seed_is_the_one_in_detail() {
    // At its horizon a run has requests that the other has answered; at its end both have answered all.
    let to_the_end = |policy: &str| {
        let set = [("run.horizon_s", "0"), ("run.max_requests", "3000"), ("cluster.routing", policy)];
        run(&scenario("router-showdown", &set))
    };
    let (a, b) = (to_the_end("random"), to_the_end("least-loaded"));
    let c = compared([(a.clone(), b.clone())]);
    let m = &c.metrics;
    for (name, metric) in [
        (Metric::Ttft, &m.ttft_ms),
        (Metric::Itl, &m.itl_ms),
        (Metric::Tpot, &m.tpot_ms),
        (Metric::E2e, &m.e2e_ms),
        (Metric::QueueWait, &m.queue_wait_ms),
        (Metric::SchedulingDelay, &m.scheduling_delay_ms),
    ] {
        for (figure, d) in [
            (Statistic::Mean, metric.mean),
            (Statistic::P50, metric.p50),
            (Statistic::P90, metric.p90),
            (Statistic::P95, metric.p95),
            (Statistic::P99, metric.p99),
        ] {
            for (run, ours) in [(&a, d.a), (&b, d.b)] {
                let report = run.figure(RunMetric::Time(name, figure)).expect("a figure of the report");
                assert!(
                    (report - ours.expect("a value")).abs() < 1e-6,
                    "{name:?} {figure:?}: {report} {ours:?}"
                );
            }
            assert!(d.lo <= d.diff && d.diff <= d.hi && d.lo < d.hi, "{name:?} {figure:?}: {d:?}");
        }
    }
    assert_eq!(c.a.report_digests, std::slice::from_ref(&a.report_digest));
    assert_eq!(c.a.finished, a.requests.iter().filter(|r| r.counted && r.ending.finished()).count() as u64);
}

/// Common random numbers: what is asked of the cluster does not depend on it.
#[test]
fn a_router_moves_no_arrival_length_or_content() {
    let asked = |run: &Outcomes| -> Vec<[u64; 6]> {
        let all = run.requests.iter();
        let numbers =
            all.map(|r| [r.client, r.session, r.class, r.prompt_tokens, r.output_tokens].map(u64::from));
        run.requests.iter().zip(numbers).map(|(r, [a, b, c, d, e])| [r.arrival_us, a, b, c, d, e]).collect()
    };
    let base = router("round-robin");
    for policy in ["random", "least-loaded", "{\"power-of-d\":{\"d\":2}}", "prefix-aware"] {
        let other = router(policy);
        assert_eq!(asked(&base), asked(&other), "{policy}");
        assert_eq!(base.workload_digest, other.workload_digest, "{policy}");
        assert_ne!(base.report_digest, other.report_digest, "{policy} routes in another way");
    }
}

#[test]
fn the_digest_of_a_workload_follows_what_is_asked_and_nothing_else() {
    let digest =
        |set: &[(&str, &str)]| run(&scenario("router-showdown", &[&SHORT, set].concat())).workload_digest;
    let own = digest(&[]);
    for same in [
        ("cluster.pools[0].replicas", "9"),
        ("cluster.pools[0].engine.max_num_seqs", "32"),
        ("slo.ttft_ms", "100"),
        ("title", "another"),
        ("workload.clients[0].tenant", "bursts"),
        ("edits", "[{\"at_us\": 1000000, \"set\": {\"cluster.routing\": \"random\"}}]"),
        ("edits", "[{\"at_us\": 1, \"off\": true, \"set\": {\"workload.clients[0].sessions\": 3}}]"),
    ] {
        assert_eq!(digest(&[same]), own, "{same:?}");
    }
    for other in [
        ("seed", "12"),
        ("run.horizon_s", "61"),
        ("workload.clients[1].arrivals.gamma.cv", "1"),
        ("workload.clients[0].slo_class", "batch"),
        ("workload.timeout_s", "50"),
        ("edits", "[{\"at_us\": 1000000, \"set\": {\"workload.clients[0].sessions\": 3}}]"),
    ] {
        assert_ne!(digest(&[other]), own, "{other:?}");
    }
}

#[test]
fn requests_of_unlike_workloads_are_not_paired_and_it_says_why() {
    let (a, b) = (router("random"), run(&scenario("router-showdown", &[SHORT[0], SHORT[1], ("seed", "12")])));
    let c = compared([(a, b)]);
    assert!(!c.paired && c.detail.ttft_ms.paired.is_none());
    let why = c.not_paired.expect("a reason");
    assert!(why.starts_with("the workloads are not the same: seed 11 and 12"), "{why}");
    assert!(c.metrics.ttft_ms.mean.lo < c.metrics.ttft_ms.mean.hi, "distributions are compared all the same");
}

/// Conversations that wait for their answers arrive in another order under another router.
#[test]
fn rounds_of_conversations_that_wait_are_paired_by_their_place() {
    let chats = |policy: &str| {
        let closed = ("workload.clients[0].conversation.clock", "closed");
        let short = [("run.horizon_s", "90"), ("run.warmup_s", "10"), closed, ("cluster.routing", policy)];
        run(&scenario("long-chats", &short))
    };
    let (one, other) = (chats("round-robin"), chats("prefix-overlap"));
    let moved =
        one.requests.iter().zip(&other.requests).filter(|(x, y)| x.arrival_us != y.arrival_us).count();
    assert!(moved > 100, "arrivals depend on the answers: {moved}");
    let c = compared([(one.clone(), other.clone())]);
    let paired = c.detail.ttft_ms.paired.expect("paired all the same");
    assert!(c.paired && paired.count > 500, "{}", paired.count);
    for m in paired.gained_most.iter().chain(&paired.lost_most) {
        let (x, y) = (&one.requests[m.request_a as usize], &other.requests[m.request_b as usize]);
        assert_eq!(
            (x.session, x.prompt_tokens, x.output_tokens),
            (y.session, y.prompt_tokens, y.output_tokens)
        );
    }
}

#[test]
fn what_is_detailed_adds_up_and_is_bounded() {
    let c = compared([(router("round-robin"), router("least-loaded"))]);
    let p = c.detail.e2e_ms.paired.expect("paired");
    assert!(p.strip.len() <= 400 && p.strip.iter().map(|s| u64::from(s.count)).sum::<u64>() == p.count);
    assert!(p.strip.iter().all(|s| s.min_ms <= s.p50_ms && s.p50_ms <= s.max_ms));
    assert!(p.p1_ms <= p.p5_ms && p.p5_ms <= p.p50_ms && p.p50_ms <= p.p95_ms && p.p95_ms <= p.p99_ms);
    let mut by = std::collections::BTreeMap::new();
    for g in &p.groups {
        let key = json::compact(&g.by);
        let (count, sum) = by.get(&key).copied().unwrap_or((0, 0.0));
        by.insert(key, (count + g.count, sum + g.mean_ms * g.count as f64));
    }
    assert_eq!(by.len(), 5);
    for (key, (count, sum)) in by {
        assert_eq!(count, p.count, "{key}");
        assert!((sum / count as f64 - p.mean_ms).abs() < 1e-6, "{key}");
    }
    assert!(c.detail.e2e_ms.ecdf.a.len() == 200 && c.detail.e2e_ms.ecdf.area_ms >= p.mean_ms.abs() - 1e-6);
}

/// Bytes of a run: what comes from another thread is read whole or not at all.
#[test]
fn outcomes_survive_the_journey_and_damaged_ones_are_refused() {
    use tokenyard::base::Micros;
    let short = scenario("clients-give-up", &[("run.horizon_s", "30"), ("run.warmup_s", "5")]);
    let mut session = start(&short);
    let half = session.advance(Micros(15_000_000), u64::MAX);
    assert_eq!(half, tokenyard::session::Stop::Until);
    let bytes = session.outcomes().bytes();
    let read = Outcomes::read(&bytes).expect("what was written reads");
    assert!(!read.ended && read.requests.iter().any(|r| r.ending.unfinished()));
    session.advance(Micros::MAX, u64::MAX);
    let whole = Outcomes::read(&session.outcomes().bytes()).expect("it reads");
    assert_eq!(
        Outcomes { gaps: whole.gaps.clone(), ..run(&short) },
        whole,
        "whoever watches, the outcomes are the same"
    );
    assert_eq!(whole.report_digest, session.digest());
    for cut in [0, 7, 8, 16, bytes.len() / 2, bytes.len() - 1] {
        assert!(Outcomes::read(&bytes[..cut]).is_err(), "{cut}");
    }
    for at in [0, 9, bytes.len() / 3, bytes.len() - 20, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x40;
        assert!(Outcomes::read(&damaged).is_err(), "{at}");
    }
}

/// How many of the intervals hold the truth.
fn held(differences: impl Iterator<Item = Difference>, truth: f64) -> usize {
    differences.filter(|d| d.lo.is_some_and(|lo| lo <= truth) && d.hi.is_some_and(|hi| hi >= truth)).count()
}

fn hold_95_percent(counts: &[(&str, usize)]) {
    assert!(counts.iter().all(|(_, count)| (930..=970).contains(count)), "of 1,000: {counts:?}");
}

#[test]
fn of_a_thousand_comparisons_over_seeds_the_interval_holds_the_truth_in_93_to_97_percent() {
    let one = |n: u64| {
        let mut draws = Normal::new(n);
        let runs = (0..8).map(|seed| {
            // What the seed does to both, and what it does to the difference: 3 ms on average.
            let (both, apart) = (draws.draw() * 20.0, 3.0 + draws.draw() * 2.0);
            let run =
                |ms: f64| made_up(seed, (0..20).map(move |i| ((100.0 + ms + f64::from(i)) * 1000.0) as u64));
            (run(both), run(both + apart))
        });
        compared(runs).metrics.ttft_ms
    };
    let all: Vec<_> = (0..1000).map(one).collect();
    hold_95_percent(&[
        ("mean", held(all.iter().map(|m| m.mean), 3.0)),
        ("p50", held(all.iter().map(|m| m.p50), 3.0)),
        ("p99", held(all.iter().map(|m| m.p99), 3.0)),
    ]);
}

/// A run of requests each of which waits nearly as long as the one before, and another one that is 3 ms slower and has waits of its
/// own beside those that the traffic makes in both.
fn dependent(n: u64) -> (Outcomes, Outcomes) {
    let (mut common, mut own) = (Normal::new(2 * n), Normal::new(2 * n + 1));
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let (mut wait, mut other) = (0.0, 0.0);
    for i in 0..2100 {
        let shared = common.draw();
        // Autoregressive with a half-life of three requests, and a correlation of 0.8 between the two.
        wait = 0.8 * wait + 0.6 * shared;
        other = 0.8 * other + 0.6 * (0.8 * shared + 0.6 * own.draw());
        if i >= 100 {
            a.push(((100.0 + 10.0 * wait) * 1000.0) as u64);
            b.push(((103.0 + 10.0 * other) * 1000.0) as u64);
        }
    }
    (made_up(n, a.into_iter()), made_up(n, b.into_iter()))
}

/// Takes seconds: a thousand comparisons of a thousand resamples each are what the promise is about.
#[test]
fn of_a_thousand_comparisons_of_one_run_the_interval_holds_the_truth_in_93_to_97_percent() {
    let all: Vec<_> = (0..1000).map(|n| compared([dependent(n)]).metrics.ttft_ms).collect();
    hold_95_percent(&[
        ("mean", held(all.iter().map(|m| m.mean), 3.0)),
        ("p50", held(all.iter().map(|m| m.p50), 3.0)),
        ("p90", held(all.iter().map(|m| m.p90), 3.0)),
        ("p95", held(all.iter().map(|m| m.p95), 3.0)),
        ("p99", held(all.iter().map(|m| m.p99), 3.0)),
    ]);
}

#[test]
fn refused_requests_have_missed_and_unfinished_ones_are_in_no_share() {
    let short = [("run.horizon_s", "40"), ("run.warmup_s", "5")];
    let limit = ("cluster.admission", r#"{"concurrency-limit": {"max_in_flight": 20, "then": "reject"}}"#);
    let (base, refusing) =
        (scenario("router-showdown", &short), scenario("router-showdown", &[short[0], short[1], limit]));
    let c = compared([(run(&base), run(&refusing))]);
    let met = c.totals.met_share.difference;
    assert_eq!(c.b.decided, c.b.finished + c.b.refused + c.b.dropped);
    assert!(c.b.decided < c.b.requests, "the end cuts some off");
    let expected = c.b.met as f64 / c.b.decided as f64;
    assert!((met.b.expect("a share") - expected).abs() < 1e-12);
    assert!(c.b.refused > 100 && c.notices.len() == 1, "{:?}", c.b);
    assert_eq!(c.b.requests, c.b.finished + c.b.refused + c.b.dropped + c.b.unfinished);
    let row = RunRow::new(&run(&refusing));
    assert!(same(met.b, row.met_share), "a race and a sweep have the same share");
    let t = &c.totals;
    for (total, has) in [
        (&t.met_share, true),
        (&t.finished_share, true),
        (&t.goodput_per_s, true),
        (&t.output_tokens_per_s, true),
        (&t.usd_per_million_output_tokens, true),
        (&t.kv_hit_rate, false),
        (&t.preemptions, false),
    ] {
        let d = total.difference;
        assert_eq!(d.lo.is_some(), has, "requests say how it came about, or do not: {d:?}");
        assert!(!has || (d.lo < d.diff && d.diff < d.hi), "{d:?}");
    }
}

const DAY: &str = "day-in-ten-minutes";
const POLICY: &str = "cluster.pools[0].scaling.policy";

/// The preset with a policy and with the one that it has, both against their oracle.
fn against_the_oracle(policy: &str) -> RegretTable {
    let (own, other) = (scenario(DAY, &[]), scenario(DAY, &[(POLICY, policy)]));
    let oracle = oracle_of(&own, None).expect("it has one").expect("it has an autoscaler");
    assert_eq!(
        oracle_of(&other, None).expect("it has one").as_ref(),
        Some(&oracle),
        "policies have one oracle"
    );
    let (a, b, bound) = (run(&own), run(&other), run(&oracle.scenario));
    assert_eq!(a.workload_digest, bound.workload_digest);
    let mut comparing = Comparing::default();
    comparing.set_oracles([oracle.pools.clone(), oracle.pools]);
    comparing.add_bounds([&a, &b], [&bound, &bound]);
    comparing.add(a, b);
    comparing.result().expect("there is a pair").regret.expect("the oracle ran")
}

fn near(found: Option<f64>, quoted: f64, within: f64) -> bool {
    found.is_some_and(|x| (x - quoted).abs() <= within)
}

/// Takes seconds: docs/explanation/scaling.md quotes these figures.
#[test]
fn policies_of_the_day_have_the_regrets_that_are_quoted() {
    let quoted = [
        (r#"{"kpa": {"concurrency": 24}}"#, [96.0, 3640.0, 3.54], [3.9, 910.0, 0.88]),
        (r#"{"threshold": {"up": 0.7, "down": 0.3}}"#, [14.3, 2883.0, 2.80], [85.6, 153.0, 0.15]),
        (r#"{"target-utilization": {"target": 0.6}}"#, [66.2, 3160.0, 3.07], [33.7, 430.0, 0.42]),
        (r#"{"wva-queueing-model": {}}"#, [100.0, 3758.0, 3.65], [-0.1, 1029.0, 1.00]),
    ];
    for (policy, own, regret) in quoted {
        let table = against_the_oracle(policy);
        let of = |r: &tokenyard::study::compare::RunRegret| {
            [r.attainment_regret, r.replica_seconds_regret, r.usd_regret]
        };
        let hpa = [([95.6, 99.9, 4.3], 0.05), ([3581.0, 2730.0, 851.0], 0.5), ([3.48, 2.65, 0.83], 0.005)];
        for (r, (figures, within)) in of(&table.a).into_iter().zip(hpa) {
            for (found, figure) in [r.own, r.bound, r.regret].into_iter().zip(figures) {
                assert!(near(found, figure, within), "hpa: {r:?}, {figure}");
            }
        }
        for (k, r) in of(&table.b).into_iter().enumerate() {
            let within = [0.05, 0.5, 0.005][k];
            assert!(near(r.own, own[k], within) && near(r.regret, regret[k], within), "{policy}: {r:?}");
        }
        let beats = if policy.contains("wva") { &["objectives met"][..] } else { &[] };
        assert_eq!(table.b.beats(), beats, "{policy}");
        let told = &table.oracle_b[0];
        assert_eq!((told.pool.as_str(), told.binding), ("main", "batch"));
        assert!(
            near(Some(told.replica_per_s), 18.24, 0.005) && near(Some(told.ahead_s), 42.6, 0.05),
            "{told:?}"
        );
    }
}

#[test]
fn the_oracle_has_no_regret_against_itself_and_is_its_own_oracle() {
    let own = scenario(DAY, &[("run.horizon_s", "90")]);
    let oracle = oracle_of(&own, None).expect("it has one").expect("it has an autoscaler");
    let again = oracle_of(&oracle.scenario, None).expect("it has one").expect("it has an autoscaler");
    assert_eq!(again, oracle);
    let ScalingPolicy::Oracle(told) = &oracle.scenario.cluster.pools[0].scaling.policy else {
        panic!("{:?}", oracle.scenario.cluster.pools[0].scaling.policy)
    };
    assert!(same(Some(told.replica_per_s), Some(oracle.pools[0].replica_per_s)));
    let a = run(&oracle.scenario);
    let mut comparing = Comparing::default();
    comparing.add_bounds([&a, &a], [&a, &a]);
    comparing.add(a.clone(), a);
    let table = comparing.result().expect("there is a pair").regret.expect("the oracle ran");
    for r in [table.a.attainment_regret, table.a.replica_seconds_regret, table.b.usd_regret] {
        assert!(same(r.regret, Some(0.0)) && same(r.own, r.bound) && r.own > Some(0.0), "{r:?}");
    }
    assert!(table.a.beats().is_empty());
}

#[test]
fn an_oracle_on_another_workload_is_no_bound() {
    let short = [("run.horizon_s", "60")];
    let own = scenario(DAY, &short);
    let fixed = scenario(DAY, &[short[0], (POLICY, "none"), ("seed", "21")]);
    let oracle = oracle_of(&own, None).expect("it has one").expect("it has an autoscaler");
    let (a, b, bound) = (run(&own), run(&fixed), run(&oracle.scenario));
    let mut comparing = Comparing::default();
    comparing.add_bounds([&a, &b], [&bound, &bound]);
    comparing.add(a, b);
    let table = comparing.result().expect("there is a pair").regret.expect("the oracle ran");
    assert!(table.a.attainment_regret.regret.is_some());
    assert_eq!(table.b, tokenyard::study::compare::RunRegret::default());
}

#[test]
fn only_autoscalers_have_an_oracle_and_obstacles_are_reported() {
    assert_eq!(oracle_of(&scenario("router-showdown", &[]), None), Ok(None));
    let why =
        |set: &[(&str, &str)]| oracle_of(&scenario(DAY, set), None).expect_err("a problem")[0].to_string();
    let edit = r#"[{"at_us": 1000000, "set": {"cluster.pools[0].scaling.max": 4}}]"#;
    assert!(why(&[("edits", edit)]).contains("an edit of the autoscaler"), "{}", why(&[("edits", edit)]));
    let off = edit.replace("\"set\"", "\"off\": true, \"set\"");
    assert!(oracle_of(&scenario(DAY, &[("edits", &off)]), None).is_ok());
    let short = why(&[("slo.ttft_ms", "0.1")]);
    assert!(short.starts_with("error: cluster.pools[0]: "), "{short}");
    let nobody = why(&[("workload.clients", "[]")]);
    assert!(nobody.contains("workload"), "{nobody}");
}

#[test]
fn each_request_against_itself_shows_what_medians_between_two_regimes_do_not() {
    // Two regimes of equally many requests, 40 and 2,000 ms; every request is 20 to 39 ms faster in B. The medians lie
    // between the regimes, so that their difference is uncertain; that of each request is not.
    let slow = |i: u64| if i.is_multiple_of(2) { 40_000 } else { 2_000_000 };
    let b = |i: u64| slow(i) - 20_000 - (i % 20) * 1000;
    let c = compared([(made_up(1, (0..640).map(slow)), made_up(1, (0..640).map(b)))]);
    let paired = c.detail.ttft_ms.paired.expect("it is paired");
    assert!((paired.mean_ms + 29.5).abs() < 1e-9, "{}", paired.mean_ms);
    let (lo, hi) = (paired.mean_lo_ms.expect("there are 32 blocks"), paired.mean_hi_ms.expect("the same"));
    assert!(lo <= -29.5 && -29.5 <= hi && hi - lo < 1.0, "{lo} to {hi}");
    assert_eq!(paired.mean_verdict, Verdict::Better);
    assert_eq!((paired.blocks, paired.blocks_gained, paired.blocks_lost), (32, 32, 0));
    let groups = &paired.groups;
    assert!(groups.iter().all(|g| (g.p1_ms + 39.0).abs() < 1e-9), "{groups:?}");
}

#[test]
fn requests_as_points_are_evenly_many_of_the_pairs() {
    let a = made_up(1, (0..5000).map(|i| 1000 * i));
    let b = made_up(1, (0..5000).map(|i| 1000 * i + 500));
    let mut comparing = Comparing::default();
    assert!(comparing.cloud(Metric::Ttft).is_none(), "nothing is compared");
    comparing.add(a.clone(), b);
    let cloud = comparing.cloud(Metric::Ttft).expect("it is paired");
    assert_eq!((cloud.every, cloud.t_s.len()), (3, 1667));
    assert_eq!((cloud.request_a[1], cloud.request_b[1]), (3, 3));
    let row = [cloud.t_s[1], cloud.a_ms[1], cloud.b_ms[1], cloud.diff_ms[1]];
    assert_eq!(row.map(f64::to_bits), [0.3, 3.0, 3.5, 0.5].map(f64::to_bits));
    let mut other = made_up(1, 0..9);
    other.workload_digest = "another".to_owned();
    let mut apart = Comparing::default();
    apart.add(a, other);
    assert!(apart.cloud(Metric::Ttft).is_none(), "without pairs there are no points");
}
