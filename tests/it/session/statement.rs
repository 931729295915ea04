//! What a run says of itself: the statement about the opening preset before, while and after a replica is slow.

use crate::support::{preset, start};
use tokenyard::base::Micros;
use tokenyard::session::view::{FrameQuery, Statement};

/// The statements about the opening preset at instants in seconds.
fn at<const N: usize>(seconds: [u64; N]) -> [Statement; N] {
    let mut session = start(&preset("slow-replica", 180.0));
    seconds.map(|at| {
        session.advance(Micros(at * 1_000_000), u64::MAX);
        session.frame(&FrameQuery::default()).says
    })
}

fn statement(cluster: &str, seen: &str) -> Statement {
    Statement { cluster: cluster.to_owned(), seen: seen.to_owned() }
}

#[test]
fn the_opening_says_what_is_seen_and_changes_with_it() {
    let turns = "four replicas take turns";
    assert_eq!(
        at([0, 25, 31, 48]),
        [
            statement(turns, "no request has arrived yet"),
            statement(turns, "first tokens come in time"),
            statement(turns, "r2 is slow"),
            statement(turns, "slow r2 falls behind"),
        ]
    );
}
