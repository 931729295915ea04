//! What breaks: crashes and returns, attempts and budgets, what is lost.

mod at_random;
mod attempts;
mod columns;
mod crash;
mod ejection;
mod explained;
mod lanes;
mod late;
mod refusals;
mod restart;
mod returns;
mod roles;
mod standstill;
mod windows;

use tokenyard::base::Micros;
use tokenyard::engine::{Attempt, FaultFact};
use tokenyard::scenario::{Change, Crash, Fault, RoutingPolicy, Scenario, Stuck, TimedEdit, Unreachable};
use tokenyard::session::{Audience, Session};

use crate::support::scenarios::{sound, started};
use crate::theory::common::{cluster, listed};

/// A crash of a replica.
fn crash(replica: u32, restart_s: f64) -> Fault {
    Fault::Crash(Crash { replica: Some(replica), restart_s, ..Crash::default() })
}

fn stuck(replica: u32, for_s: f64) -> Fault {
    Fault::Stuck(Stuck { replica: Some(replica), for_s, ..Stuck::default() })
}

fn unreachable(replica: u32, for_s: f64) -> Fault {
    Fault::Unreachable(Unreachable { replica: Some(replica), for_s, ..Unreachable::default() })
}

/// The same scenario in which something breaks at that second.
fn breaks(mut s: Scenario, at_s: f64, fault: Fault) -> Scenario {
    s.edits.push(TimedEdit::new((at_s * 1e6 + 0.5) as u64, Change::fault(fault)));
    s
}

/// Replicas that serve one request at a time, a token each second, in turn; requests with their arrival in microseconds and their
/// answer.
fn in_turn(replicas: u32, requests: &[(u64, u32)]) -> Scenario {
    let mut s = cluster(replicas, 1, [1e6, 0.0, 0.0]);
    s.cluster.routing = RoutingPolicy::RoundRobin;
    let request =
        |(number, (arrival_us, output)): (u32, &(u64, u32))| listed(number, *arrival_us, 5, *output);
    s.workload.requests = (0..).zip(requests).map(request).collect();
    s
}

/// Runs to the end, checking the invariants after every event.
fn run(s: &Scenario) -> Session {
    let mut session = started(s, Audience::Live);
    while session.advance(Micros::MAX, 1) == tokenyard::session::Stop::Events {
        session.engine().verify(true);
    }
    sound(&session);
    session
}

/// When each request left, in seconds; 0 for one that is here.
fn left_s(session: &Session) -> Vec<f64> {
    session.engine().records().iter().map(|r| r.left.get().map_or(0.0, Micros::as_secs)).collect()
}

/// The attempts of a request that broke.
fn attempts(session: &Session, request: u32) -> Vec<Attempt> {
    session.engine().attempts(tokenyard::base::RequestId(request)).copied().collect()
}

/// A fact of a fault, if it is one.
fn fault_of(fact: &tokenyard::engine::Fact) -> Option<FaultFact> {
    match fact {
        tokenyard::engine::Fact::Fault(fact) => Some(*fact),
        _ => None,
    }
}
