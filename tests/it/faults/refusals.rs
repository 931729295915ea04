//! Faults that are refused, each with one message.

use super::{breaks, crash, in_turn};
use tokenyard::scenario::{Compat, Crash, Fault, Scenario, TransferLink};
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
fn what_cannot_break_is_refused() {
    let s = in_turn(2, &[(0, 1)]);
    let mut blis = breaks(s.clone(), 1.0, crash(0, 1.0));
    blis.cluster.compat = Compat::Blis;
    only(&blis, "edits[0].fault.crash", "compat");
    let link = Fault::TransferLink(TransferLink { replica: Some(0), ..TransferLink::default() });
    only(&breaks(s, 1.0, link), "edits[0].fault.transfer-link", "nothing is sent");
}
