//! The figures of a frame and the columns of its charts: each has one population, and no waiting request is left out.

use tokenyard::base::Micros;
use tokenyard::scenario::preset::Preset;
use tokenyard::session::view::{Columns, ColumnsQuery, Frame, FrameQuery, View};
use tokenyard::session::{Audience, Session};

fn live(preset: &str) -> Session {
    let scenario = Preset::named(preset).expect("a preset").scenario();
    Session::start(scenario, None, Audience::Live).expect("presets are valid").0
}

fn at(session: &mut Session, s: u64) -> Frame {
    session.advance(Micros(s * 1_000_000), u64::MAX);
    session.frame(&FrameQuery::default())
}

fn columns(session: &Session, view: View) -> Columns {
    session.columns(&ColumnsQuery { view, from_us: 0, to_us: 0, window_s: 0.0 })
}

fn column<'a>(all: &'a Columns, name: &str) -> &'a [f64] {
    let found = all.names.iter().position(|n| n == name);
    &all.columns[found.unwrap_or_else(|| panic!("no column {name} in {:?}", all.names))]
}

/// The stretches of time in which a column says 1, in seconds, as the middles of their first and last buckets.
fn stretches(all: &Columns, name: &str) -> Vec<(f64, f64)> {
    let mut out: Vec<(f64, f64)> = Vec::new();
    let mut before = false;
    for (&t, &v) in all.columns[0].iter().zip(column(all, name)) {
        match out.last_mut() {
            Some(last) if before && v > 0.0 => last.1 = t,
            _ if v > 0.0 => out.push((t, t)),
            _ => {}
        }
        before = v > 0.0;
    }
    out
}

#[test]
fn health_counts_every_ended_request_and_unserved_ones_have_missed() {
    for preset in ["tenant-quotas", "clients-give-up", "kv-pressure"] {
        let mut session = live(preset);
        let frame = at(&mut session, 90);
        let health = columns(&session, View::Health);
        let [finished, unserved, missed] =
            ["finished", "unserved", "missed_percent"].map(|name| column(&health, name));
        let sum = |column: &[f64]| column.iter().sum::<f64>() as u32;
        let c = frame.counts;
        assert!(sum(finished) <= c.completed && sum(unserved) <= c.rejected + c.dropped);
        for ((&f, &u), &m) in finished.iter().zip(unserved).zip(missed) {
            assert_eq!(m.is_nan(), f + u == 0.0, "{preset}: a share of nobody");
            assert!(m.is_nan() || m >= 100.0 * u / (f + u) - 1e-9, "{preset}: who is not served has missed");
        }
    }
}

#[test]
fn goodput_is_a_part_of_what_ended_in_the_same_span() {
    for preset in ["tenant-quotas", "clients-give-up", "flapping-threshold", "cache-livelock"] {
        let mut session = live(preset);
        for s in 1..=90 {
            let key = at(&mut session, s).key;
            assert!(key.goodput_per_s <= key.completed_per_s && key.completed_per_s <= key.ended_per_s);
            assert!((0.0..=1.0).contains(&key.ttft_within) && (0.0..=1.0).contains(&key.e2e_within));
        }
    }
}

#[test]
fn an_outage_is_where_requests_wait_and_none_ends() {
    let mut session = live("cache-livelock");
    at(&mut session, 90);
    let found = stretches(&columns(&session, View::Health), "outage");
    let (from, to) = *found.last().expect("an outage");
    assert!(from < 50.0 && to > 88.0, "{found:?}");
    let mut session = live("scale-to-zero");
    at(&mut session, 660);
    let health = columns(&session, View::Health);
    for ((&out, &f), &u) in
        column(&health, "outage").iter().zip(column(&health, "finished")).zip(column(&health, "unserved"))
    {
        assert!(out == 0.0 || f + u == 0.0);
    }
    let found = stretches(&health, "outage");
    assert!(found.iter().any(|(from, to)| *from >= 590.0 && to - from > 20.0), "{found:?}");
    assert!(found.iter().all(|(from, _)| !(200.0..590.0).contains(from)), "nobody was there: {found:?}");
}

#[test]
fn requests_held_at_the_gateway_wait() {
    let mut session = live("scale-to-zero");
    let mut most = 0;
    for s in 600..=660 {
        let frame = at(&mut session, s);
        let c = frame.counts;
        assert!(c.held <= c.in_pipeline);
        most = most.max(c.held);
    }
    assert!(most > 100, "{most}");
    let queues = columns(&session, View::QueueDepth);
    assert_eq!(queues.names.last().map(String::as_str), Some("gateway"));
    let top = column(&queues, "gateway").iter().copied().fold(0.0, f64::max);
    assert!(top > 100.0, "{top}");
    let load = columns(&session, View::FleetLoad);
    for (all, held) in column(&load, "waiting").iter().zip(column(&queues, "gateway")) {
        assert!(all >= held);
    }
    let mut session = live("stale-herd");
    at(&mut session, 30);
    let names = columns(&session, View::QueueDepth).names;
    assert!(names.iter().all(|name| name != "gateway"), "nobody was held: {names:?}");
}

#[test]
fn running_requests_by_replica_are_those_of_the_frames() {
    let mut session = live("slow-replica");
    let frames: Vec<_> = (1..=40).map(|s| at(&mut session, s)).collect();
    let running = columns(&session, View::Running);
    assert_eq!(running.names, ["t_s", "r0", "r1", "r2", "r3"]);
    let times = column(&running, "t_s");
    assert!(times.len() >= 39, "a bucket a second: {times:?}");
    for (r, name) in running.names[1..].iter().enumerate() {
        let found: Vec<u32> = column(&running, name).iter().map(|&n| n as u32).collect();
        let told: Vec<u32> = frames.iter().map(|frame| frame.replicas[r].running).take(found.len()).collect();
        assert_eq!(found, told, "{name}");
        assert!(found.iter().any(|&n| n > 3), "{name} runs several");
    }
    let mut fleet = live("fleet-256");
    at(&mut fleet, 4);
    assert_eq!(columns(&fleet, View::Running).names, ["t_s", "min", "median", "max"]);
}

#[test]
fn clients_of_another_tenant_name_it() {
    let of = |preset: &str| -> Vec<Option<String>> {
        at(&mut live(preset), 5).clients.into_iter().map(|c| c.tenant).collect()
    };
    assert_eq!(of("tenant-quotas"), ["shop", "wiki", "lab"].map(|t| Some(t.to_owned())));
    assert_eq!(of("stale-herd"), [None]);
}

#[test]
fn refused_requests_are_misses_of_their_tenant_in_the_report() {
    let mut session = live("tenant-quotas");
    session.advance(Micros::MAX, u64::MAX);
    let report = session.report_data();
    let lab = report.tenants.iter().find(|t| t.name == "lab").expect("a tenant");
    let share = lab.met_share.expect("half of it is refused");
    assert!(share < 0.7 && lab.attainment.is_some_and(|met| met > 0.95), "{share} {:?}", lab.attainment);
    let shop = report.tenants.iter().find(|t| t.name == "shop").expect("a tenant");
    assert_eq!((shop.unserved, shop.met_share), (0, None));
}
