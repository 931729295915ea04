//! Queues with a bound, and users who wait for their answer before they ask again.

use super::common::{
    SERVICE_US, accept, at_most, client, cluster, exponential_lengths, poisson, run, shares, single_steps,
    times, two_lengths,
};
use tokenyard::engine::RequestState;
use tokenyard::queueing::theory::{closed_loop, erlang_b, mm1k};
use tokenyard::scenario::{
    Arrivals, ContextGrowth, Conversation, ConversationClock, Lengths, OverLimit, RateProfile, Rounds,
    ThinkTime, Window,
};

#[test]
fn eight_servers_without_a_queue_lose_what_erlang_says_whatever_the_lengths() {
    // Offered 5.6: Erlang B of eight servers is 0.100152, for every distribution of the same mean.
    for lengths in [Lengths::Constant { tokens: 1000 }, exponential_lengths(), two_lengths(400, 0.8, 3400)] {
        let s = single_steps(cluster(8, 1, [0.0, 1.0, 0.0]), poisson(5600.0), lengths.clone(), 200_000);
        let engine = run(&at_most(s, 8, OverLimit::Reject));
        let lost = shares(engine.records(), |r| r.state() == RequestState::Rejected);
        accept(&format!("share refused, {lengths:?}"), &lost, erlang_b(8, 5.6).expect("a load"));
        let served = engine.records().iter().filter(|r| r.state() == RequestState::Completed);
        assert!(
            served.clone().all(|r| r.e2e.get().expect("it is known").0 == u64::from(r.prompt_tokens)),
            "nobody waits"
        );
    }
}

#[test]
fn a_server_with_five_places_loses_and_delays_as_the_birth_and_death_chain_says() {
    // M/M/1/5: p_n is proportional to rho^n; refused with p_5, time L / (lambda (1 - p_5)).
    for rho in [0.9, 1.2] {
        let law = mm1k(rho, 5).expect("a load");
        let s = single_steps(
            cluster(1, 1, [0.0, 1.0, 0.0]),
            poisson(rho * 1e6 / SERVICE_US),
            exponential_lengths(),
            200_000,
        );
        let engine = run(&at_most(s, 5, OverLimit::Reject));
        let refused = shares(engine.records(), |r| r.state() == RequestState::Rejected);
        accept(&format!("share refused at {rho}"), &refused, law.lost);
        accept(&format!("time at {rho}"), &times(&engine), law.time * SERVICE_US);
    }
}

#[test]
fn ten_users_who_think_get_what_mean_value_analysis_says() {
    // Service S and thinking 9 S, both exponential: R = S (1 + L of one user fewer), X = n / (R + Z), L = X R.
    let response = closed_loop(10, 9.0, 1.0).expect("ten users").response;
    let mut found = Vec::new();
    for seed in 1..=3 {
        let mut s = cluster(1, 1, [0.0, 1.0, 0.0]);
        s.seed = seed;
        // Ten beginnings within a tenth of a second, then no new session.
        let mut users = client(
            Arrivals::Constant { rate_per_s: 100.0 },
            exponential_lengths(),
            Lengths::Constant { tokens: 1 },
        );
        users.rate_profile = RateProfile::Windows { windows: vec![Window { start_s: 0.0, end_s: 0.105 }] };
        users.conversation = Some(Conversation {
            rounds: Rounds::Constant { rounds: 1000 },
            think_time: ThinkTime::Exponential { mean_s: 9.0 * SERVICE_US / 1e6 },
            clock: ConversationClock::Closed,
            context_growth: ContextGrowth::None,
            ..Conversation::default()
        });
        s.workload.clients = vec![users];
        s.run.horizon_s = 10.0;
        let engine = run(&s);
        assert!(engine.records().len() > 7000, "{} rounds", engine.records().len());
        found.extend(times(&engine));
    }
    accept("response time", &found, response * SERVICE_US);
}
