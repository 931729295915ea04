//! Filters before scorers, and pickers after them.

use super::common::{Story, client, cluster, run};
use super::routing::conversations;
use tokenyard::engine::{Decision, Fact, RequestFact, RequestState};
use tokenyard::policy::Reason;
use tokenyard::policy::routing::Excluded;
use tokenyard::scenario::{
    AdmissionPolicy, ConcurrencyLimit, Condition, Fallback, Filter, FilterMetric, OverLimit, Picker, Profile,
    RoutingPolicy, Scenario, Scorer, SessionFilter, Softmax, UtilizationFilter, Weighted, WeightedScorer,
};
use tokenyard::session::{Audience, Session};

/// A crowded cluster under queue-depth alone, with these filters and this picker.
pub(crate) fn filtered(filters: Vec<Filter>, picker: Picker) -> Scenario {
    let mut s = conversations(900.0);
    let scorers = vec![WeightedScorer { scorer: Scorer::QueueDepth, weight: 1.0 }];
    s.cluster.routing = RoutingPolicy::Weighted(Weighted {
        profile: Profile::Custom,
        scorers,
        filters,
        picker,
        ..Weighted::default()
    });
    s
}

pub(crate) fn limit(metric: FilterMetric, max: f64, fallback: Fallback) -> Filter {
    Filter::Utilization(UtilizationFilter { conditions: vec![Condition { metric, max }], fallback })
}

fn refused(story: &Story) -> usize {
    let by_filter = |f: &Fact| {
        matches!(f, Fact::Request(RequestFact::Rejected { reason: Reason::NoCandidate, replica: None, .. }))
    };
    story.facts.iter().filter(|(_, fact)| by_filter(fact)).count()
}

#[test]
fn a_utilization_filter_leaves_out_exactly_the_replicas_over_its_limit() {
    for fallback in [Fallback::All, Fallback::Refuse] {
        let mut s = filtered(vec![limit(FilterMetric::RunningRequests, 5.0, fallback)], Picker::Max);
        s.cluster.snapshot_refresh_us = 3000;
        let (engine, story) = run(&s);
        let (mut some, mut nobody) = (0, 0);
        for d in &story.decisions {
            let over: Vec<bool> = d.seen.iter().map(|v| v.running > 5).collect();
            let all_over = over.iter().all(|&x| x);
            for (i, v) in d.seen.iter().enumerate() {
                let passed_over = all_over && fallback == Fallback::All;
                let why = Excluded::OverLimit {
                    metric: FilterMetric::RunningRequests,
                    value: f64::from(v.running),
                    max: 5.0,
                };
                assert_eq!(d.excluded(i), (over[i] && !passed_over).then_some(why));
            }
            assert_eq!(d.chosen.is_none(), all_over && fallback == Fallback::Refuse);
            some += usize::from(!all_over && over.contains(&true));
            nobody += usize::from(all_over);
        }
        assert!(some > 50 && nobody > 50, "{some} and {nobody}");
        let completed = engine.records().iter().filter(|r| r.state() == RequestState::Completed).count();
        assert_eq!(refused(&story), if fallback == Fallback::Refuse { nobody } else { 0 });
        assert_eq!(completed + refused(&story), 1200);
    }
}

#[test]
fn scorers_see_only_what_the_filters_leave() {
    let (_, story) =
        run(&filtered(vec![limit(FilterMetric::ActiveRequests, 9.0, Fallback::All)], Picker::Max));
    let mut uneven = 0;
    for d in &story.decisions {
        let left: Vec<usize> = (0..4).filter(|&i| d.excluded(i).is_none()).collect();
        let loads = left.iter().map(|&i| d.seen[i].load());
        let (least, most) = (loads.clone().min().expect("one is left"), loads.max().expect("one is left"));
        for i in 0..4 {
            let score = match left.contains(&i) {
                true if least == most => 1.0,
                true => f64::from(most - d.seen[i].load()) / f64::from(most - least),
                false => 0.0,
            };
            assert_eq!(d.scores.totals[i].to_bits(), score.to_bits(), "{d:?}");
        }
        assert!(d.regret() == 0.0 && left.contains(&d.chosen.expect("nobody is refused")));
        assert!(d.ranking()[..left.len()].iter().all(|i| left.contains(i)));
        uneven += usize::from(left.len() < 4 && least < most);
    }
    assert!(uneven > 50, "{uneven} decisions with a part of the fleet and different scores");
}

#[test]
fn a_session_filter_keeps_sessions_where_they_are_unless_a_filter_before_it_has_left_that_out() {
    let session = || Filter::Session(SessionFilter::default());
    let homes = |filters| {
        let (engine, _) = run(&filtered(filters, Picker::Max));
        let mut home = [None; 41];
        let mut moves = 0;
        for r in engine.records() {
            moves +=
                usize::from(home[r.session as usize].replace(r.replica()).is_some_and(|h| h != r.replica()));
        }
        moves
    };
    assert_eq!(homes(vec![session()]), 0);
    let busy = || limit(FilterMetric::ActiveRequests, 12.0, Fallback::All);
    let moves = homes(vec![busy(), session()]);
    assert!(moves > 10, "{moves}");
    assert!(homes(Vec::new()) > 4 * moves, "without the filter they go anywhere");
    // After it, the limit finds one replica only, and is passed over if that is busy.
    assert_eq!(homes(vec![session(), busy()]), 0);
}

#[test]
fn a_request_that_all_filters_refuse_frees_its_place_in_admission() {
    let mut s = filtered(vec![limit(FilterMetric::WaitingRequests, 0.0, Fallback::Refuse)], Picker::Max);
    let limit = ConcurrencyLimit { max_in_flight: 40, then: OverLimit::Delay };
    s.cluster.admission = AdmissionPolicy::ConcurrencyLimit(limit);
    let (engine, story) = run(&s);
    let completed = engine.records().iter().filter(|r| r.state() == RequestState::Completed).count();
    assert!(refused(&story) > 50 && completed > 200, "{} refused", refused(&story));
    assert_eq!(completed + refused(&story), 1200, "nobody is stuck at the door");
    let (mut run, _) = Session::start(s, None, Audience::Live).expect("a good scenario");
    run.advance(tokenyard::base::Micros::MAX, u64::MAX);
    let told = (0..1200).filter_map(|k| run.inspect(k));
    let summary = "Refused by the router: no replica passes the filters.";
    let told: Vec<_> = told.filter(|d| d.summary == summary).collect();
    assert_eq!(told.len(), refused(&story));
    let why = |d: &tokenyard::session::view::RequestDetail| {
        d.candidates.iter().all(|c| {
            c.excluded
                .as_deref()
                .is_some_and(|w| w.starts_with("waiting-requests ") && w.ends_with(" above 0"))
        })
    };
    assert!(told.iter().all(why), "{:?}", told[0].candidates);
}

/// How often each replica was chosen, and how often its score alone would have it, over decisions with different scores.
fn draws(decisions: &[Decision], weight: impl Fn(f64) -> f64) -> (f64, f64, f64) {
    let (mut found, mut expected, mut variance) = (0.0, 0.0, 0.0);
    for d in decisions {
        let weights: Vec<f64> = d.scores.totals.iter().map(|&t| weight(t)).collect();
        let sum: f64 = weights.iter().sum();
        let best = d.ranking()[0];
        let p = if sum > 0.0 { weights[best] / sum } else { 0.25 };
        found += f64::from(u8::from(d.chosen == Some(best)));
        expected += p;
        variance += p * (1.0 - p);
    }
    (found, expected, variance.sqrt())
}

#[test]
fn random_pickers_choose_with_the_probabilities_they_promise() {
    let check = |picker: Picker, weight: &dyn Fn(f64) -> f64| {
        let (_, story) = run(&filtered(Vec::new(), picker.clone()));
        let (found, expected, deviation) = draws(&story.decisions, weight);
        assert!((found - expected).abs() < 3.5 * deviation, "{picker:?}: {found}, expected {expected}");
        assert!(deviation > 5.0 || matches!(picker, Picker::Softmax(_)), "{deviation}");
    };
    check(Picker::WeightedRandom, &|x| x);
    for temperature in [0.1, 0.5, 5.0] {
        let weight = move |x: f64| tokenyard::base::math::exp(x / temperature);
        check(Picker::Softmax(Softmax { temperature }), &weight);
    }
}

#[test]
fn softmax_is_max_at_low_and_random_at_high_temperature() {
    let under = |picker| {
        let mut s = filtered(Vec::new(), picker);
        s.workload.clients = vec![client("steady", 300.0)];
        run(&s).1.decisions
    };
    let cold = under(Picker::Softmax(Softmax { temperature: 1e-6 }));
    assert!(cold.iter().all(|d| d.regret() == 0.0));
    let hot = under(Picker::Softmax(Softmax { temperature: 1e6 }));
    for r in 0..4 {
        let n = hot.iter().filter(|d| d.chosen == Some(r)).count();
        assert!((250..350).contains(&n), "{n} of 1,200 to r{r}");
    }
}

#[test]
fn filters_over_one_idle_replica_change_nothing() {
    let mut s = cluster(1, 64);
    s.workload.clients = vec![client("few", 20.0)];
    s.run.max_requests = 200;
    let plain = run(&s).0;
    let RoutingPolicy::Weighted(weighted) = filtered(
        vec![Filter::Utilization(UtilizationFilter::default()), Filter::Session(SessionFilter::default())],
        Picker::WeightedRandom,
    )
    .cluster
    .routing
    else {
        panic!("weighted")
    };
    s.cluster.routing = RoutingPolicy::Weighted(weighted);
    assert_eq!(run(&s).0.records(), plain.records());
}
