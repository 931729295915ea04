//! Laws of admission.

use super::common::{Story, client, cluster, edit, engine, run};
use crate::support::{adopt, plan};
use tokenyard::base::Micros;
use tokenyard::engine::{Cluster, Fact, Ignore, RequestFact, RequestState};
use tokenyard::policy::Reason;
use tokenyard::scenario::{
    AdmissionPolicy, ConcurrencyLimit, OverLimit, RateLimit, Scenario, SlidingWindow, TenantLimit,
    TenantQuota, TokenBucket,
};

const BOTH: [OverLimit; 2] = [OverLimit::Reject, OverLimit::Delay];

/// Two tenants, each with `requests_per_s`, until 1,500 requests have come.
fn two_tenants(requests_per_s: f64) -> Scenario {
    let mut s = cluster(2, 4);
    s.workload.clients = vec![client("a", requests_per_s), client("b", requests_per_s)];
    s.run.max_requests = 1500;
    s
}

/// The time of admission of each request, with its tenant and prompt length, in order.
fn admissions(engine: &Cluster, story: &Story) -> Vec<(u64, u32, u32)> {
    let admitted = story.facts.iter().filter_map(|(at, fact)| match fact {
        Fact::Request(RequestFact::Admitted { request }) => {
            Some((at.0, engine.records().at(request.index())))
        }
        _ => None,
    });
    admitted.map(|(at, r)| (at, r.client, r.prompt_tokens)).collect()
}

/// In any window the admitted cost stays within capacity + rate x length. `cost` of each entry, in order of time.
fn stays_within(entries: &[(u64, f64)], capacity: f64, per_s: f64) {
    assert!(entries.len() > 100, "only {} entries", entries.len());
    for (i, first) in entries.iter().enumerate() {
        let mut sum = 0.0;
        for last in &entries[i..] {
            sum += last.1;
            let most = capacity + per_s * (last.0 - first.0) as f64 / 1e6;
            // A bucket adds rounded products: one part in 10^9 is its error, not a leak.
            assert!(sum <= most * (1.0 + 1e-9), "{sum} in [{}, {}], at most {most}", first.0, last.0);
        }
    }
}

/// Every request is eventually admitted or refused.
fn all_are_decided(engine: &Cluster, then: OverLimit) {
    let rejected = engine.census().rejected;
    assert_eq!(engine.at_gateway(), 0);
    match then {
        OverLimit::Reject => assert!(rejected > 50, "the limit should bite: {rejected}"),
        OverLimit::Delay => {
            assert_eq!(rejected, 0);
            assert!(engine.records().iter().all(|r| r.state() == RequestState::Completed));
        }
    }
}

/// How many were held back.
fn held_back(story: &Story) -> usize {
    story.facts.iter().filter(|(_, f)| matches!(f, Fact::Request(RequestFact::Delayed { .. }))).count()
}

#[test]
fn a_token_bucket_never_exceeds_its_rate_over_any_window() {
    for (per_tenant, then) in [(false, BOTH[0]), (false, BOTH[1]), (true, BOTH[0]), (true, BOTH[1])] {
        let mut s = two_tenants(60.0);
        let (capacity_tokens, refill_tokens_per_s) = (4000.0, 9000.0);
        s.cluster.admission = AdmissionPolicy::TokenBucket(TokenBucket {
            capacity_tokens,
            refill_tokens_per_s,
            per_tenant,
            then,
        });
        let (engine, story) = run(&s);
        let all = admissions(&engine, &story);
        for tenant in 0..2 {
            let mine = all.iter().filter(|(_, t, _)| !per_tenant || *t == tenant);
            let entries: Vec<_> = mine.map(|(at, _, tokens)| (*at, f64::from(*tokens))).collect();
            stays_within(&entries, capacity_tokens, refill_tokens_per_s);
        }
        if !per_tenant {
            all_are_decided(&engine, then);
            assert_eq!(held_back(&story) > 50, then == OverLimit::Delay);
        }
    }
}

#[test]
fn a_prompt_longer_than_the_bucket_is_refused_even_where_others_wait() {
    let mut s = two_tenants(60.0);
    s.cluster.admission = AdmissionPolicy::TokenBucket(TokenBucket {
        capacity_tokens: 500.0,
        refill_tokens_per_s: 1e6,
        then: OverLimit::Delay,
        ..TokenBucket::default()
    });
    let (engine, _) = run(&s);
    for r in engine.records() {
        assert_eq!(r.state() == RequestState::Rejected, r.prompt_tokens > 500, "{r:?}");
        assert_eq!(r.refused, (r.prompt_tokens > 500).then_some(Reason::InsufficientTokens));
    }
}

#[test]
fn a_rate_limit_never_exceeds_its_rate_over_any_window() {
    for then in BOTH {
        let mut s = two_tenants(60.0);
        s.cluster.admission =
            AdmissionPolicy::RateLimit(RateLimit { requests_per_s: 80.0, burst: 5, per_tenant: false, then });
        let (engine, story) = run(&s);
        let entries: Vec<_> = admissions(&engine, &story).iter().map(|(at, _, _)| (*at, 1.0)).collect();
        stays_within(&entries, 5.0, 80.0);
        all_are_decided(&engine, then);
        if then == OverLimit::Delay {
            // No request overtakes another and no capacity is wasted: while requests wait, the gap is that of the
            // rate.
            assert!(entries.windows(2).any(|w| w[1].0 - w[0].0 == 12_500), "{entries:?}");
        }
    }
}

/// The most requests inside at any instant, of those for which `counts` holds by tenant.
fn most_inside(engine: &Cluster, story: &Story, counts: impl Fn(u32) -> bool) -> i32 {
    let (mut inside, mut most) = (0, 0);
    for (_, fact) in &story.facts {
        let (request, change) = match fact {
            Fact::Request(RequestFact::Admitted { request }) => (request, 1),
            Fact::Request(RequestFact::Completed { request, .. } | RequestFact::Dropped { request, .. }) => {
                (request, -1)
            }
            _ => continue,
        };
        if counts(engine.records().at(request.index()).client) {
            inside += change;
            most = most.max(inside);
        }
    }
    assert_eq!(inside, 0, "everybody left");
    most
}

#[test]
fn a_tenant_quota_holds_for_each_tenant_and_leaves_the_others_alone() {
    for then in BOTH {
        let mut s = two_tenants(60.0);
        s.workload.clients[1] = client("b", 2.0);
        s.cluster.admission =
            AdmissionPolicy::TenantQuota(TenantQuota { max_in_flight: 3, then, ..TenantQuota::default() });
        let (engine, story) = run(&s);
        assert_eq!(most_inside(&engine, &story, |t| t == 0), 3);
        assert!(most_inside(&engine, &story, |t| t == 1) <= 3);
        all_are_decided(&engine, then);
        let waits = |tenant: u32| {
            let held = story.facts.iter().filter(|(_, f)| match f {
                Fact::Request(
                    RequestFact::Delayed { request, .. } | RequestFact::Rejected { request, .. },
                ) => engine.records().at(request.index()).client == tenant,
                _ => false,
            });
            held.count()
        };
        assert!(waits(0) > 50 && waits(1) < 5, "{} and {}", waits(0), waits(1));
    }
}

#[test]
fn a_concurrency_limit_holds_and_waiting_requests_are_admitted_in_order() {
    for then in BOTH {
        let mut s = two_tenants(80.0);
        s.cluster.routing_latency_us = 70;
        s.cluster.admission = AdmissionPolicy::ConcurrencyLimit(ConcurrencyLimit { max_in_flight: 6, then });
        let (engine, story) = run(&s);
        assert_eq!(most_inside(&engine, &story, |_| true), 6);
        all_are_decided(&engine, then);
        let order: Vec<u32> = story
            .facts
            .iter()
            .filter_map(|(_, f)| {
                if let Fact::Request(RequestFact::Admitted { request }) = f { Some(request.0) } else { None }
            })
            .collect();
        assert!(order.is_sorted(), "first come, first served");
    }
}

#[test]
fn a_limit_of_one_serves_one_after_the_other_without_a_gap() {
    let mut s = two_tenants(500.0);
    s.cluster.admission =
        AdmissionPolicy::ConcurrencyLimit(ConcurrencyLimit { max_in_flight: 1, then: OverLimit::Delay });
    let (engine, story) = run(&s);
    let records = engine.records();
    assert!(held_back(&story) > 1000);
    for (last, next) in records.iter().zip(records.iter().skip(1)) {
        // The next one starts at the instant the last one ends, or when it arrives.
        assert_eq!(next.first_scheduled.get(), last.finish().get().max(Some(next.arrival)));
    }
}

#[test]
fn reject_all_admits_no_request() {
    let mut s = two_tenants(60.0);
    s.cluster.admission = AdmissionPolicy::RejectAll;
    let (engine, _) = run(&s);
    assert_eq!(engine.census().rejected, 1500);
    assert!(engine.records().iter().all(|r| r.refused == Some(Reason::RejectAll)));
}

#[test]
fn a_new_policy_decides_about_waiting_requests() {
    let mut s = two_tenants(200.0);
    s.cluster.admission =
        AdmissionPolicy::ConcurrencyLimit(ConcurrencyLimit { max_in_flight: 1, then: OverLimit::Delay });
    for (policy, waits) in [
        (AdmissionPolicy::AlwaysAdmit, false),
        (AdmissionPolicy::RejectAll, false),
        (AdmissionPolicy::RateLimit(RateLimit { then: OverLimit::Delay, ..RateLimit::default() }), true),
    ] {
        let (mut engine, mut plan) = (engine(&s), plan(&s));
        let at = Micros(2_000_001);
        engine.advance(at, u64::MAX, &mut Ignore);
        let waiting = engine.at_gateway();
        assert!(waiting > 100, "{waiting} wait");
        let mut story = Story::default();
        adopt(&mut engine, &mut plan, &edit::admission(&policy), at, &mut story);
        engine.verify(true);
        assert!(story.facts.iter().all(|(t, _)| *t == at));
        let held = story
            .facts
            .iter()
            .filter(|(_, f)| matches!(f, Fact::Request(RequestFact::Delayed { .. })))
            .count();
        assert_eq!(held > 0, waits, "{policy:?}");
        engine.advance(Micros::MAX, u64::MAX, &mut Ignore);
        engine.verify(true);
        assert_eq!(engine.at_gateway(), 0, "{policy:?}");
    }
}

#[test]
fn a_tenant_can_have_a_limit_of_its_own() {
    let mut s = two_tenants(40.0);
    s.workload.clients.push(client("c", 5.0));
    let limit = |tenant: &str, max_in_flight| TenantLimit { tenant: tenant.to_owned(), max_in_flight };
    s.cluster.admission = AdmissionPolicy::TenantQuota(TenantQuota {
        max_in_flight: 4,
        tenants: vec![limit("b", 2), limit("c", 0)],
        then: OverLimit::Delay,
    });
    let (engine, story) = run(&s);
    assert_eq!([0, 1].map(|tenant| most_inside(&engine, &story, |t| t == tenant)), [4, 2]);
    // A limit of 0 refuses: waiting would be in vain.
    assert!(engine.records().iter().all(|r| (r.tenant == 2) == (r.refused == Some(Reason::TenantQuota))));
    assert_eq!(engine.at_gateway(), 0);
}

#[test]
fn a_sliding_window_never_admits_more_than_it_says_in_any_window() {
    for then in BOTH {
        let mut s = two_tenants(60.0);
        s.cluster.admission = AdmissionPolicy::SlidingWindow(SlidingWindow {
            window_s: 0.5,
            max_requests: 20,
            max_prompt_tokens: 1500,
            per_tenant: true,
            then,
        });
        let (engine, story) = run(&s);
        let all = admissions(&engine, &story);
        for tenant in 0..2 {
            let own: Vec<_> = all.iter().filter(|(_, t, _)| *t == tenant).collect();
            assert!(own.len() > 100);
            for (i, first) in own.iter().enumerate() {
                let window = own[i..].iter().take_while(|a| a.0 < first.0 + 500_000);
                let (n, tokens) = window.fold((0, 0), |(n, sum), a| (n + 1, sum + a.2));
                assert!(n <= 20 && tokens <= 1500, "{n} requests of {tokens} tokens from {}", first.0);
            }
        }
        all_are_decided(&engine, then);
        assert!(then == OverLimit::Reject || held_back(&story) > 50);
    }
}
