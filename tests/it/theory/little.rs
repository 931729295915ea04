//! Little's law as the page shows it: exact at every instant of every run, and the same times that each request shows of itself.

use crate::support;
use crate::support::scenarios::{a_scenario, started};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tokenyard::base::Micros;
use tokenyard::session::view::{ColumnsQuery, SegmentKind, View};
use tokenyard::session::{Audience, Session};

/// A row of the columns: the system, or a replica.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) inside: f64,
    pub(crate) arrived: f64,
    pub(crate) number: f64,
    pub(crate) time_ms: f64,
    pub(crate) product: f64,
    pub(crate) difference: f64,
}

pub(crate) fn rows(session: &Session) -> Vec<Row> {
    let query = ColumnsQuery { view: View::Little, from_us: 0, to_us: 0, window_s: 0.0 };
    let found = session.columns(&query);
    let of = |name: &str| {
        let at = found.names.iter().position(|n| n == name).expect("the column");
        found.columns[at].clone()
    };
    let columns = ["inside", "arrived", "mean_number", "time_ms", "product", "difference"].map(of);
    let row = |i: usize| {
        let [inside, arrived, number, time_ms, product, difference] =
            [0, 1, 2, 3, 4, 5].map(|c: usize| columns[c][i]);
        Row { inside, arrived, number, time_ms, product, difference }
    };
    (0..columns[0].len()).map(row).collect()
}

/// Both sides of the law are equal in every row; of a run that has not `begun` there is nothing to divide by.
pub(crate) fn agree(all: &[Row], begun: bool) {
    for (i, r) in all.iter().enumerate() {
        assert!(r.difference.abs() < 0.5, "row {i} is off by {} request-microseconds", r.difference);
        if r.arrived > 0.0 && begun && r.number.is_finite() {
            let slack = 1e-9 * r.number.max(1e-9);
            assert!((r.number - r.product).abs() <= slack, "row {i}: L {} and {}", r.number, r.product);
        }
    }
}

/// What must hold of any run at any instant.
fn holds(session: &Session) {
    let all = rows(session);
    agree(&all, session.now() > Micros::ZERO);
    // Requests are where the engine says, and the times are those of the requests.
    let p = session.requests();
    assert_eq!(all[0].inside as u32, p.in_pipeline + p.queued + p.running);
    assert_eq!(all[0].arrived as u32, p.arrived);
    // Output processing is on the client's clock, and under compat blis so is a last step: the engine is done with the request before.
    if p.arrived > 0 {
        let time = (all[0].time_ms * 1000.0 * all[0].arrived).round();
        let shown: u64 = (0..p.arrived).map(|request| within_the_engine(session, request)).sum();
        assert_eq!(time as u64, shown, "the times of all requests, in microseconds");
    }
}

/// Microseconds of the parts of a request up to where the engine was done with it.
fn within_the_engine(session: &Session, request: u32) -> u64 {
    let record = session.engine().records().at(request as usize);
    let done = record.left.get().unwrap_or(session.now()).0;
    let segments = session.inspect(request).expect("it has arrived").segments;
    let own = segments.iter().filter(|segment| segment.kind != SegmentKind::Output);
    own.map(|segment| segment.to_us.min(done) - segment.from_us.min(done)).sum()
}

#[test]
fn both_sides_are_equal_in_every_preset() {
    for preset in tokenyard::scenario::preset::PRESETS {
        let mut session = support::start(&support::preset(preset.name, 12.0));
        for at_s in [1, 5, 12] {
            session.advance(Micros(at_s * 1_000_000), u64::MAX);
            for r in rows(&session) {
                assert!(r.difference.abs() < 0.5, "{}: {r:?}", preset.name);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_sides_are_equal_at_every_instant_and_however_the_run_is_sliced(
        scenario in a_scenario(), slice in 1..400_u64, at_us in 1..3_000_000_u64
    ) {
        let mut whole = started(&scenario, Audience::Live);
        whole.advance(Micros(at_us), u64::MAX);
        holds(&whole);
        let mut sliced = started(&scenario, Audience::Live);
        while sliced.now() < Micros(at_us) {
            let before = (sliced.now(), sliced.events());
            sliced.advance(Micros(at_us), slice);
            if before == (sliced.now(), sliced.events()) {
                break;
            }
        }
        prop_assert_eq!(format!("{:?}", rows(&whole)), format!("{:?}", rows(&sliced)));
        whole.advance(Micros::MAX, u64::MAX);
        holds(&whole);
    }
}
