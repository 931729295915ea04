//! Faults that are refused, each with one message.

use super::{breaks, crash, in_turn};
use tokenyard::scenario::{
    Compat, Crash, Fault, LateSignals, Outlier, Probe, Scenario, TransferLink, Unreachable,
};
use tokenyard::session::{Audience, Session};

fn problems(s: &Scenario) -> Vec<String> {
    match Session::start(s.clone(), None, Audience::Batch) {
        Ok((_, warnings)) => warnings.iter().map(ToString::to_string).collect(),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

fn only(s: &Scenario, path: &str, found: &str) {
    let all = problems(s);
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(all[0].contains(path) && all[0].contains(found), "{all:?}");
}

#[test]
fn a_fault_names_a_replica_that_is_there_or_a_pool() {
    let s = in_turn(2, &[(0, 1)]);
    let aimed = |replica, pool: Option<&str>| {
        let pool = pool.map(str::to_owned);
        breaks(s.clone(), 1.0, Fault::Crash(Crash { replica, pool, ..Crash::default() }))
    };
    assert_eq!(problems(&aimed(Some(1), None)), Vec::<String>::new());
    assert_eq!(problems(&aimed(None, Some("main"))), Vec::<String>::new());
    only(&aimed(None, None), "edits[0].fault.crash", "either replica or pool");
    only(&aimed(Some(1), Some("main")), "edits[0].fault.crash", "either replica or pool");
    only(&aimed(Some(2), None), "edits[0].fault.crash.replica", "0 to 1");
    only(&aimed(None, Some("other")), "edits[0].fault.crash.pool", "main");
    only(&breaks(s.clone(), 1.0, crash(0, -1.0)), "edits[0].fault.crash.restart_s", "0 to 2,592,000");
}

#[test]
fn late_signals_may_be_those_of_all_replicas_and_what_is_out_of_range_is_refused() {
    let s = in_turn(2, &[(0, 1)]);
    let late = |f: LateSignals| breaks(s.clone(), 1.0, Fault::Signals(f));
    assert_eq!(problems(&late(LateSignals::default())), Vec::<String>::new());
    let both = LateSignals { replica: Some(1), pool: Some("main".to_owned()), ..LateSignals::default() };
    only(&late(both), "edits[0].fault.signals", "either replica or pool");
    let slow = LateSignals { delay_us: u64::MAX, ..LateSignals::default() };
    only(&late(slow), "edits[0].fault.signals.delay_us", "0 to 3,600,000,000");
    let nowhere = breaks(s.clone(), 1.0, Fault::Unreachable(Unreachable::default()));
    only(&nowhere, "edits[0].fault.unreachable", "either replica or pool");
    let probed = |probe: Probe| {
        let mut s = s.clone();
        s.cluster.resilience.probe = Some(probe);
        s
    };
    only(
        &probed(Probe { interval_s: 0.0, ..Probe::default() }),
        "cluster.resilience.probe.interval_s",
        "0.1 to",
    );
    only(
        &probed(Probe { failures: 0, ..Probe::default() }),
        "cluster.resilience.probe.failures",
        "1 to 10,000",
    );
    let mut outlier = s.clone();
    outlier.cluster.resilience.outlier = Some(Outlier { most_share: 1.5, ..Outlier::default() });
    only(&outlier, "cluster.resilience.outlier.most_share", "0 to 1");
}

#[test]
fn what_cannot_break_is_refused() {
    let s = in_turn(2, &[(0, 1)]);
    let mut blis = breaks(s.clone(), 1.0, crash(0, 1.0));
    blis.cluster.compat = Compat::Blis;
    only(&blis, "edits[0].fault.crash", "compat");
    let link = Fault::TransferLink(TransferLink { replica: Some(0), ..TransferLink::default() });
    only(&breaks(s, 1.0, link), "edits[0].fault.transfer-link", "nothing is sent");
}
