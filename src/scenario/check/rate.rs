//! Meaning of rates: their profiles over time, and how many requests that makes.

use crate::base::{Micros, math};
use crate::scenario::fields::{At, Fields};
use crate::scenario::report::{Report, grouped};
use crate::scenario::{Edit, RatePoint, RateProfile, Scenario, Window, limits};

/// Microseconds in a second.
const US_PER_S: f64 = 1e6;

/// A rate of requests in an edit.
pub(super) fn check_rate(path: &str, rate_per_s: f64, r: &mut Report) {
    r.float(path, rate_per_s, 0.0, limits::RATE_PER_S, "requests per second; 0 sends nothing");
}

/// The largest rate that a good profile makes of a good rate.
pub(super) fn check_peak(path: &str, rate_per_s: f64, profile: &RateProfile, r: &mut Report) {
    if !(0.0..=limits::RATE_PER_S).contains(&rate_per_s) || !is_good(profile) {
        return;
    }
    let Some(curve) = profile.curve() else { return };
    let peak = rate_per_s * curve.peak();
    if peak > limits::RATE_PER_S {
        r.error(
            path,
            format!("up to {peak} requests per second, {rate_per_s} times {}", curve.peak()),
            format!("at most {}", grouped(limits::RATE_PER_S as u64)),
            "lower the rate or the factor",
        );
    }
}

fn is_good(profile: &RateProfile) -> bool {
    let mut problems = Report::default();
    profile.check_ranges(&At::path("rate_profile"), &mut problems);
    check_profile("rate_profile", profile, &mut problems);
    problems.finish().is_empty()
}

/// How a rate changes over time: stretches and points in order.
pub(super) fn check_profile(path: &str, profile: &RateProfile, r: &mut Report) {
    match profile {
        RateProfile::Steady
        | RateProfile::Spike { .. }
        | RateProfile::Drain { .. }
        | RateProfile::Diurnal { .. } => {}
        RateProfile::Windows { windows } => check_windows(&format!("{path}.windows.windows"), windows, r),
        RateProfile::Steps { points, repeat_s } => {
            check_points(&format!("{path}.steps"), points, *repeat_s, r);
        }
        RateProfile::Ramps { points, repeat_s } => {
            check_points(&format!("{path}.ramps"), points, *repeat_s, r);
        }
    }
}

fn check_windows(path: &str, windows: &[Window], r: &mut Report) {
    if windows.is_empty() {
        let fix = "add a window, or set the rate to 0 to send nothing";
        r.error(path, "no windows", "at least one", fix);
    }
    let mut free_from = 0.0;
    for (i, w) in windows.iter().enumerate() {
        let path = format!("{path}[{i}]");
        let good = r.is_fine(&path);
        if good && w.end_s <= w.start_s {
            let found = format!("{} s, which is not after its start ({} s)", w.end_s, w.start_s);
            r.error(format!("{path}.end_s"), found, "an end after the start", "swap the two");
        }
        if good && w.start_s < free_from {
            let found = format!("{} s, before the end of the window above it ({free_from} s)", w.start_s);
            let allowed = "windows in order that do not overlap";
            r.error(format!("{path}.start_s"), found, allowed, "sort the list, or make one of the two");
        }
        free_from = w.end_s;
    }
}

fn check_points(path: &str, points: &[RatePoint], repeat_s: f64, r: &mut Report) {
    let list = format!("{path}.points");
    let mut good = r.is_fine(&format!("{path}.repeat_s"));
    let mut latest = 0.0;
    for (i, point) in points.iter().enumerate() {
        let path = format!("{list}[{i}]");
        good &= r.is_fine(&format!("{path}.at_s"));
        if good && point.at_s < latest {
            let found = format!("{} s, before the point above it ({latest} s)", point.at_s);
            r.error(format!("{path}.at_s"), found, "points in order of time", "sort the list");
        }
        latest = point.at_s;
    }
    let first = points.first().map(|p| p.at_s);
    if first.is_none_or(|at_s| at_s > 0.0) {
        let found = first.map_or("no points".to_owned(), |at_s| format!("a first point at {at_s} s"));
        r.error(&list, found, "a first point at 0 s", "put {\"at_s\": 0, \"factor\": 1} in front");
    }
    // Compared as the instants they become.
    let us = |s: f64| math::round_to_span(s * US_PER_S);
    if good && repeat_s > 0.0 && us(repeat_s) <= us(latest) {
        let found = format!("{repeat_s} s, which is not after the last point ({latest} s)");
        let allowed = "a time after the last point, or 0";
        r.error(format!("{path}.repeat_s"), found, allowed, "0 means it does not repeat");
    }
}

/// A run must end, and not after more requests than the limit.
pub(super) fn check_amount(s: &Scenario, r: &mut Report) {
    let (run, w) = (&s.run, &s.workload);
    let good = |rate: f64| (0.0..=limits::RATE_PER_S).contains(&rate);
    let sane = (0.0..=limits::HORIZON_S).contains(&run.horizon_s)
        && w.clients.iter().all(|c| good(c.arrivals.rate_per_s()) && is_good(&c.rate_profile));
    if !sane {
        return;
    }
    let mut expected = 0.0;
    for i in 0..w.clients.len() {
        let Some(sent) = expected_requests(s, i) else {
            if run.max_requests == 0 {
                r.error(
                    "run",
                    "clients that send without end, and no end of the run",
                    "an end",
                    "set run.horizon_s (seconds) or run.max_requests",
                );
            }
            return;
        };
        expected += sent;
    }
    if run.max_requests > 0 {
        expected = expected.min(run.max_requests as f64);
    }
    if expected + w.requests.len() as f64 > limits::REQUESTS as f64 {
        let during = if run.horizon_s > 0.0 { format!(" in {} s", run.horizon_s) } else { String::new() };
        r.error(
            "workload.clients",
            format!("about {expected:.0} requests{during}"),
            format!("at most {}", grouped(limits::REQUESTS)),
            "lower the rates or run.horizon_s, or set run.max_requests",
        );
    }
}

/// How many requests a client sends until the horizon on average, its rate edits included; `None` if that is without end. A
/// conversation counts with all its rounds. The cap of the run is not looked at.
pub fn expected_requests(s: &Scenario, client: usize) -> Option<f64> {
    let end = if s.run.horizon_s > 0.0 { instant(s.run.horizon_s) } else { Micros::MAX };
    let c = &s.workload.clients[client];
    let rounds = c.conversation.as_ref().map_or(1.0, |c| c.rounds.mean().max(1.0));
    let curve = c.rate_profile.curve();
    let area = |at: Micros| match &curve {
        None if at == Micros::MAX => None,
        None => Some(at.0 as f64),
        Some(curve) if at == Micros::MAX => curve.total(),
        Some(curve) => Some(curve.area(at)),
    };
    let (mut since, mut expected, mut rate_per_s) = (Micros::ZERO, 0.0, c.arrivals.rate_per_s());
    for edit in &s.edits {
        if let Edit::ArrivalRate { client: changed, rate_per_s: new } = edit.change
            && changed as usize == client
            && new.is_finite()
        {
            let at = Micros(edit.at_us).min(end).max(since);
            expected += rate_per_s * (area(at)? - area(since)?) / US_PER_S;
            (since, rate_per_s) = (at, new);
        }
    }
    if rate_per_s <= 0.0 {
        return Some(rounds * expected);
    }
    Some(rounds * (expected + rate_per_s * (area(end)? - area(since)?) / US_PER_S))
}

fn instant(s: f64) -> Micros {
    Micros(math::round_to_span(s * US_PER_S).0)
}
