//! Requests that ask for a model.

use super::common::{client, edit, pool, run, scenario, session};
use crate::support::scenarios::basic_routers;
use tokenyard::base::ReplicaId;
use tokenyard::engine::{Fact, RequestFact, RequestState};
use tokenyard::policy::Reason;
use tokenyard::scenario::{
    AdmissionPolicy, ConcurrencyLimit, CostEscalation, OverLimit, Profile, RoutingPolicy, Scenario, Scorer,
    TimedEdit, TraceSettings, Weighted, WeightedScorer,
};
use tokenyard::session::view::{EventKind, EventsQuery};
use tokenyard::session::{Session, TraceReader};

fn every_policy() -> Vec<RoutingPolicy> {
    let scorers = [
        Scorer::PrefixAffinity,
        Scorer::PrecisePrefix,
        Scorer::QueueDepth,
        Scorer::KvUtilization,
        Scorer::NoHitLru,
        Scorer::Cost,
    ];
    let scorers = scorers.map(|scorer| WeightedScorer { scorer, weight: 1.0 }).to_vec();
    let mut all = basic_routers();
    all.extend([
        RoutingPolicy::CostEscalation(CostEscalation { price: 1.0, ..CostEscalation::default() }),
        RoutingPolicy::Weighted(Weighted::default()),
        RoutingPolicy::Weighted(Weighted { profile: Profile::Custom, scorers, ..Weighted::default() }),
    ]);
    all
}

/// Replicas 0 and 1 serve `small`, 2 and 3 `large`, 4 `other`; clients 0 and 1 ask for the first two, client 2 for any.
fn three_models() -> Scenario {
    let pools = vec![
        pool("small", 2, 16, 900.0, 1.0),
        pool("large", 2, 64, 2500.0, 4.0),
        pool("other", 1, 32, 1500.0, 2.0),
    ];
    let clients = vec![client("a", "small", 40.0), client("b", "large", 25.0), client("c", "", 15.0)];
    scenario(pools, clients, 600)
}

#[test]
fn every_policy_sends_a_request_to_replicas_of_its_model_only() {
    for routing in every_policy() {
        for refresh_us in [0, 40_000] {
            let mut s = three_models();
            s.cluster.routing = routing.clone();
            s.cluster.snapshot_refresh_us = refresh_us;
            let (engine, story) = run(&s);
            let mut anywhere = [0; 5];
            for record in engine.records() {
                let replica = record.replica().expect("it was sent somewhere").0;
                match record.client {
                    0 => assert!(replica < 2, "{routing:?}"),
                    1 => assert!((2..4).contains(&replica), "{routing:?}"),
                    _ => anywhere[replica as usize] += 1,
                }
                assert_eq!(record.state(), RequestState::Completed);
            }
            for decision in &story.decisions {
                let client = engine.records().at(decision.request.expect("a request").index()).client;
                let seen: Vec<u32> = decision.seen.iter().map(|v| v.id.0).collect();
                let want: &[u32] = [&[0, 1][..], &[2, 3], &[0, 1, 2, 3, 4]][client as usize];
                assert_eq!(seen, want, "{routing:?}");
            }
            assert!(anywhere.iter().sum::<u32>() > 50);
        }
    }
}

#[test]
fn models_that_take_turns_each_go_round_their_own_replicas() {
    let mut s = three_models();
    s.cluster.routing = RoutingPolicy::RoundRobin;
    let (engine, _) = run(&s);
    for (client, first) in [(0, 0), (1, 2)] {
        let mine = engine.records().iter().filter(|r| r.client == client);
        for (k, record) in (0u32..).zip(mine) {
            assert_eq!(record.replica(), Some(ReplicaId(first + k % 2)));
        }
    }
}

#[test]
fn requests_whose_model_has_no_replica_left_are_refused_with_a_reason() {
    let limit = |then| AdmissionPolicy::ConcurrencyLimit(ConcurrencyLimit { max_in_flight: 3, then });
    for admission in [AdmissionPolicy::AlwaysAdmit, limit(OverLimit::Delay), limit(OverLimit::Reject)] {
        let mut s = three_models();
        s.cluster.admission = admission;
        s.cluster.routing_latency_us = 700;
        let edit = |at_us, pool, replicas| TimedEdit::new(at_us, edit::replicas(pool, replicas));
        s.edits = vec![edit(1_000_000, 1, 0), edit(3_000_000, 1, 1)];
        let (engine, story) = run(&s);
        let mut refused = 0;
        for (at, fact) in &story.facts {
            if let Fact::Request(RequestFact::Rejected {
                request, reason: Reason::NoReplicaOfModel, ..
            }) = fact
            {
                assert_eq!(engine.records().at(request.index()).client, 1);
                assert!((1_000_000..3_000_000).contains(&at.0));
                refused += 1;
            }
        }
        assert!(refused > 30, "{refused}");
        assert_eq!(engine.census().turned_away, refused);
        let whole = session(&s);
        let r = whole.report_data().requests;
        assert!(r.conserved && r.rejected_by_router == refused, "{r:?}");
        let rows = whole.event_rows(&EventsQuery {
            kinds: vec![EventKind::Rejected],
            limit: 5000,
            ..EventsQuery::default()
        });
        let told = rows.rows.iter().filter(|r| r.text == "no replica serves the model").count();
        assert_eq!(told, refused as usize);
    }
}

#[test]
fn a_cluster_without_replicas_refuses_all_requests() {
    let mut s = three_models();
    let drain = |pool| TimedEdit::new(1, edit::replicas(pool, 0));
    s.edits = vec![drain(0), drain(1), drain(2)];
    for routing in every_policy() {
        s.cluster.routing = routing;
        let r = session(&s).report_data().requests;
        assert_eq!((r.arrived, r.rejected_by_router, r.conserved), (600, 600, true));
    }
    let whole = session(&s);
    let said = |client| {
        let at = whole.engine().records().iter().position(|r| r.client == client).expect("a request");
        whole.inspect(at as u32).expect("it arrived").summary
    };
    assert_eq!(said(0), "Refused by the router: no replica serves the model.");
    assert_eq!(said(2), "Refused by the router: no replica takes requests.");
}

#[test]
fn a_model_that_no_pool_serves_is_an_error_with_the_models_there_are() {
    let mut s = three_models();
    s.workload.clients[1].model = "lage".to_owned();
    s.workload.requests =
        vec![super::common::listed(5, "Small", 10, 0), super::common::listed(6, "huge", 10, 0)];
    let problems = Session::check(&tokenyard::scenario::to_json(&s));
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    let fix = "name the model of a pool, add a pool for it, or leave it empty for any replica";
    assert_eq!(
        lines,
        [
            format!(
                "error: workload.clients[1].model: model \"lage\", which no pool serves; allowed: small, large, other; {fix}"
            ),
            format!(
                "error: workload.requests[1].model: model \"huge\", which no pool serves; allowed: small, large, other; {fix}"
            ),
        ]
    );
}

/// A session that replays `text` on the three models.
fn replay(file: &str, text: &str) -> (Session, Vec<String>) {
    let mut reader = TraceReader::new(file, 1 << 20);
    reader.push(text.as_bytes());
    let (trace, problems, _) = reader.finish();
    assert_eq!(problems, []);
    let mut s = three_models();
    s.workload.trace = Some(TraceSettings { file: file.to_owned(), ..TraceSettings::default() });
    s.run.horizon_s = 0.0;
    s.cluster.routing = RoutingPolicy::RoundRobin;
    let (mut session, warnings) =
        Session::start(s, trace, tokenyard::session::Audience::Batch).expect("a good scenario");
    session.advance(tokenyard::base::Micros::MAX, u64::MAX);
    session.engine().verify(true);
    (session, warnings.iter().map(ToString::to_string).collect())
}

fn homes(session: &Session) -> Vec<u32> {
    session.engine().records().iter().map(|r| r.replica().map_or(u32::MAX, |id| id.0)).collect()
}

#[test]
fn traces_name_models_in_a_column_or_under_a_key() {
    let csv = "arrived_at,num_prefill_tokens,num_decode_tokens,model\n\
        0.3,10,2,large\n0.0,10,2,small\n0.1,10,2,\n0.2,10,2,large\n0.4,10,2,small\n";
    let (session, warnings) = replay("rows.csv", csv);
    assert_eq!(warnings, [] as [&str; 0]);
    assert_eq!(homes(&session), [0, 0, 2, 3, 1]);
    let lines = "{\"timestamp\": 0, \"input_length\": 9, \"output_length\": 2}\n\
        {\"timestamp\": 10, \"input_length\": 9, \"output_length\": 2, \"model\": \"large\"}\n\
        {\"timestamp\": 20, \"input_length\": 9, \"output_length\": 2, \"model\": \"small\"}\n";
    assert_eq!(homes(&replay("rows.jsonl", lines).0), [0, 2, 0]);
}

#[test]
fn rows_that_ask_for_a_model_that_no_pool_serves_go_anywhere_and_a_warning_says_how_many() {
    let csv = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n\
        0,GPT-4,10,2,12,x\n1,large,10,2,12,x\n2,ChatGPT,10,2,12,x\n3,GPT-4,10,2,12,x\n";
    let (session, warnings) = replay("burst.csv", csv);
    assert_eq!(
        warnings,
        [
            "warning: workload.trace: 3 of 4 requests ask for a model that no pool serves: GPT-4, ChatGPT; allowed: \
          small, large, other; they go to any replica; to change that, rename the models in the trace or in the pools"
        ]
    );
    assert_eq!(session.report_data().requests.completed, 4);
    assert_eq!(homes(&session)[1], 2);
}
