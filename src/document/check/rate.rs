//! Checks rates: their profiles over time, and the resulting number of requests.

use crate::At;
use crate::table::fields::Fields;
use crate::table::report::{Report, grouped};
use crate::{Client, RatePoint, RateProfile, Scenario, Window, limits};
use base::small::decimal::{fixed, plain};
use base::{Diagnostic, Diagnostics, Micros, math};

/// Microseconds in a second.
const US_PER_S: f64 = 1e6;

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
            format!(
                "up to {} requests per second, {} times {}",
                plain(peak),
                plain(rate_per_s),
                plain(curve.peak())
            ),
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
        if !r.is_fine(&path) {
            continue;
        }
        if w.end_s <= w.start_s {
            let found =
                format!("{} s, which is not after its start ({} s)", plain(w.end_s), plain(w.start_s));
            r.error(format!("{path}.end_s"), found, "an end after the start", "swap the two");
        }
        if w.start_s < free_from {
            let found = format!(
                "{} s, before the end of the window above it ({} s)",
                plain(w.start_s),
                plain(free_from)
            );
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
            let found = format!("{} s, before the point above it ({} s)", plain(point.at_s), plain(latest));
            r.error(format!("{path}.at_s"), found, "points in order of time", "sort the list");
        }
        latest = point.at_s;
    }
    let first = points.first().map(|p| p.at_s);
    if first.is_none_or(|at_s| at_s > 0.0 && r.is_fine(&format!("{list}[0].at_s"))) {
        let found =
            first.map_or("no points".to_owned(), |at_s| format!("a first point at {} s", plain(at_s)));
        r.error(&list, found, "a first point at 0 s", "put {\"at_s\": 0, \"factor\": 1} in front");
    }
    // Compared as the instants they become.
    let us = |s: f64| math::round_to_span(s * US_PER_S);
    if good && repeat_s > 0.0 && us(repeat_s) <= us(latest) {
        let found = format!("{} s, which is not after the last point ({} s)", plain(repeat_s), plain(latest));
        let allowed = "a time after the last point, or 0";
        r.error(format!("{path}.repeat_s"), found, allowed, "0 means it does not repeat");
    }
}

/// How many requests and tokens the clients of a run send on average until its end, edits included. The cap of the run is
/// not looked at. A conversation counts with all its rounds.
#[derive(Clone, Debug)]
pub struct RequestCount {
    /// The clients now, and since when they are like that.
    clients: Vec<Client>,
    since: Micros,
    end: Micros,
    sent: Sent,
}

/// The sent load: the number of requests, which may be infinite, and of their tokens.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sent {
    /// Requests.
    pub requests: f64,
    /// Their tokens, prompts and answers.
    pub tokens: f64,
    /// Requests per second of clients that send without end, and their tokens per second.
    pub endless: (f64, f64),
}

impl RequestCount {
    /// Of a run that begins with `s`.
    pub fn new(s: &Scenario) -> Self {
        // A horizon out of its range is not an instant: `problems` counts nothing then.
        let ends = s.run.horizon_s > 0.0 && s.run.horizon_s <= limits::HORIZON_S;
        let end = if ends { instant(s.run.horizon_s) } else { Micros::MAX };
        let clients = if s.workload.trace.is_some() { Vec::new() } else { s.workload.clients.clone() };
        Self { clients, since: Micros::ZERO, end, sent: Sent::default() }
    }

    /// From `at` on, which lies after all earlier changes, the run goes on as `s`.
    pub fn change(&mut self, at: Micros, s: &Scenario) {
        let at = at.min(self.end).max(self.since);
        let next = Self { since: at, end: self.end, sent: self.until(at), ..Self::new(s) };
        *self = next;
    }

    /// The whole run.
    pub fn total(&self) -> Sent {
        self.until(self.end)
    }

    fn until(&self, at: Micros) -> Sent {
        let mut all = self.sent;
        for c in &self.clients {
            let rate = c.about_rate_per_s() * c.requests_of_an_arrival();
            let tokens = c.tokens_of_a_request();
            match active_us(c, self.since, at) {
                _ if rate <= 0.0 => {}
                Some(us) => {
                    all.requests += rate * us / US_PER_S;
                    all.tokens += rate * us / US_PER_S * tokens;
                }
                None => {
                    all.requests = f64::INFINITY;
                    all.endless.0 += rate;
                    all.endless.1 += rate * tokens;
                }
            }
        }
        all
    }

    /// A run must end, and not after more requests than the limit; `s` is what it began with.
    pub fn problems(&self, s: &Scenario) -> Diagnostics {
        let run = &s.run;
        let good = |rate: f64| (0.0..=limits::RATE_PER_S).contains(&rate);
        let sane = (0.0..=limits::HORIZON_S).contains(&run.horizon_s)
            && run.max_requests <= s.observe.keep.most_requests()
            && self.clients.iter().all(|c| good(c.arrivals.rate_per_s()) && is_good(&c.rate_profile));
        if !sane {
            return Diagnostics::new();
        }
        let mut expected = self.total().requests;
        if expected.is_infinite() {
            if run.max_requests > 0 {
                return Diagnostics::new();
            }
            return vec![Diagnostic::error(
                "run",
                "clients that send without end, and no end of the run",
                "an end",
                "set run.horizon_s (seconds) or run.max_requests",
            )];
        }
        if run.max_requests > 0 {
            expected = expected.min(run.max_requests as f64);
        }
        let most = s.observe.keep.most_requests();
        if expected + s.workload.requests.len() as f64 <= most as f64 {
            return Diagnostics::new();
        }
        let during =
            if run.horizon_s > 0.0 { format!(" in {} s", plain(run.horizon_s)) } else { String::new() };
        vec![Diagnostic::error(
            "workload.clients",
            format!("about {} requests{during}", fixed(expected, 0)),
            format!("at most {}", grouped(most)),
            "lower the rates or run.horizon_s, or set run.max_requests",
        )]
    }
}

/// Microseconds between two instants, weighted with the factor of the client's rate; `None` if that is without end.
fn active_us(c: &Client, from: Micros, to: Micros) -> Option<f64> {
    let Some(curve) = c.rate_profile.curve() else {
        return (to < Micros::MAX).then_some(to.0 as f64 - from.0 as f64);
    };
    let until = if to == Micros::MAX { curve.total()? } else { curve.area(to) };
    Some(until - curve.area(from))
}

fn instant(s: f64) -> Micros {
    Micros(math::round_to_span(s * US_PER_S).0)
}
