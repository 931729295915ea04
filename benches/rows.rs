//! One row of `scripts/bench --json`: a scenario run once in a process of its own, so that its time and memory are its own.
//!
//! `rows NAME` prints the row as JSON; `rows --names` the names; `rows --scenarios DIR` writes every scenario and what is asked of
//! its frames to files, for the module and for the page. Runs named by requests and replicas go to their last request with nobody watching,
//! over and over: for [`WARM_S`] seconds unmeasured, as a module of WebAssembly is compiled while it runs, then for [`MEASURED_S`], each at
//! least once; the row is their median, `first_s` the very first. `watched-…` play
//! [`PLAYED_S`] seconds of wall time after the cluster is in full swing, as the page's worker does at full speed: slices of
//! 12 ms, then a frame and two charts.

#![expect(clippy::disallowed_methods, reason = "it measures wall time")]
#![expect(clippy::print_stdout, reason = "the row is what it prints")]

mod support;

use serde_json::{Value, json};
use std::time::Instant;
use support::{IN_FULL_SWING, detail, scenario, watched, weighted};
use tokenyard::base::Micros;
use tokenyard::scenario::{Scenario, to_json};
use tokenyard::session::view::{ColumnsQuery, View};
use tokenyard::session::{Audience, Session, Stop};

/// Names, requests (0: watched) and replicas.
const ROWS: [(&str, u64, u32); 8] = [
    ("1k-1", 1_000, 1),
    ("10k-4", 10_000, 4),
    ("100k-16", 100_000, 16),
    ("1m-64", 1_000_000, 64),
    ("watched-8", 0, 8),
    ("watched-64", 0, 64),
    ("watched-256", 0, 256),
    ("watched-1024", 0, 1024),
];

/// Wall seconds for which whole runs go unmeasured, and measured.
const WARM_S: f64 = 2.0;
const MEASURED_S: f64 = 1.0;
/// Wall seconds that a watched row plays, and again with nobody watching.
const PLAYED_S: f64 = 4.0;
/// The page's worker looks at its messages after so many milliseconds.
const SLICE_MS: f64 = 12.0;
/// The charts of the page, two of which are drawn again with each frame.
const VIEWS: [View; 8] = [
    View::TtftOverTime,
    View::E2eOverTime,
    View::Throughput,
    View::QueueDepth,
    View::KvUse,
    View::TtftEcdf,
    View::E2eEcdf,
    View::Health,
];

fn scenario_of(requests: u64, replicas: u32) -> Scenario {
    if requests == 0 { watched(replicas) } else { scenario(requests, replicas, weighted()) }
}

/// How far a run has come: simulated microseconds, requests arrived, events, engine steps.
type Progress = (u64, u64, u64, u64);

fn progress(session: &Session) -> Progress {
    let steps = session.engine().replicas().iter().map(|r| r.totals().steps).sum();
    (session.now().0, session.engine().records().len() as u64, session.events(), steps)
}

/// Runs `turn` for [`PLAYED_S`] seconds in a cluster in full swing, or until the run is over; returns the wall time, the processor
/// time and the progress in it.
fn play(
    replicas: u32,
    audience: Audience,
    mut turn: impl FnMut(&mut Session) -> Stop,
) -> (f64, f64, Progress) {
    let (mut session, _) = Session::start(watched(replicas), None, audience).expect("a sound scenario");
    assert!(session.advance(IN_FULL_SWING, u64::MAX) == Stop::Until, "the run ended early");
    let before = progress(&session);
    let (start, user) = (Instant::now(), user_seconds());
    while start.elapsed().as_secs_f64() < PLAYED_S && turn(&mut session) != Stop::Finished {}
    let (wall, user) = (start.elapsed().as_secs_f64(), user_seconds() - user);
    let after = progress(&session);
    let part = (after.0 - before.0, after.1 - before.1, after.2 - before.2, after.3 - before.3);
    (wall, user, part)
}

/// One slice of work, as the page's worker cuts it.
fn slice(session: &mut Session) -> Stop {
    let start = Instant::now();
    let mut stop = Stop::Events;
    while start.elapsed().as_secs_f64() * 1000.0 < SLICE_MS && stop != Stop::Finished {
        stop = session.advance(Micros::MAX, 1024);
    }
    stop
}

fn row(name: &str, requests: u64, replicas: u32) -> Value {
    if requests > 0 {
        return whole_runs(name, &scenario_of(requests, replicas));
    }
    let (wall, user, progress) = play_watched(replicas);
    let mut row = json_of(name, wall, user, progress);
    let (alone, _, (us, ..)) = play(replicas, Audience::Batch, slice);
    row["unwatched_sim_s_per_s"] = json!(us as f64 / 1e6 / alone);
    row
}

fn json_of(name: &str, wall: f64, user: f64, (us, requests, events, steps): Progress) -> Value {
    json!({
        "name": name, "target": "native", "wall_s": wall, "user_s": user,
        "sim_s_per_s": us as f64 / 1e6 / wall,
        "requests": requests, "events": events, "steps": steps, "peak_mb": peak_mb(),
    })
}

/// Runs to the end, unmeasured and measured.
fn whole_runs(name: &str, scenario: &Scenario) -> Value {
    let begun = Instant::now();
    let (first, _) = run_to_the_end(scenario.clone());
    while begun.elapsed().as_secs_f64() < WARM_S {
        run_to_the_end(scenario.clone());
    }
    let (begun, user) = (Instant::now(), user_seconds());
    let mut walls = Vec::new();
    let progress = loop {
        let (wall, progress) = run_to_the_end(scenario.clone());
        walls.push(wall);
        if begun.elapsed().as_secs_f64() >= MEASURED_S {
            break progress;
        }
    };
    walls.sort_by(f64::total_cmp);
    let user = (user_seconds() - user) / walls.len() as f64;
    let mut row = json_of(name, walls[walls.len() / 2], user, progress);
    row["first_s"] = json!(first);
    row
}

fn run_to_the_end(scenario: Scenario) -> (f64, Progress) {
    let start = Instant::now();
    let (mut session, _) = Session::start(scenario, None, Audience::Batch).expect("a sound scenario");
    assert!(session.advance(Micros::MAX, u64::MAX) == Stop::Finished, "the run ended early");
    std::hint::black_box(session.report());
    (start.elapsed().as_secs_f64(), progress(&session))
}

/// As the page's worker plays: slices, and between them a frame and two charts, which take at most a sixth of the time.
fn play_watched(replicas: u32) -> (f64, f64, Progress) {
    let query = detail(replicas as usize);
    let mut views = VIEWS.iter().copied().cycle();
    let mut due = Instant::now();
    play(replicas, Audience::Live, |session| {
        let stop = slice(session);
        let begun = Instant::now();
        if begun < due {
            return stop;
        }
        std::hint::black_box(tokenyard::base::json::compact(&session.frame(&query)));
        for view in views.by_ref().take(2) {
            std::hint::black_box(session.columns(&ColumnsQuery {
                view,
                from_us: 0,
                to_us: 0,
                window_s: 30.0,
            }));
        }
        due = begun + 6 * begun.elapsed();
        stop
    })
}

/// CPU time of this process in user mode, in seconds; 0 where there is no /proc.
fn user_seconds() -> f64 {
    const TICKS_PER_S: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may hold blanks; it ends with a bracket. User time is the twelfth field after it.
    let after = stat.rsplit(") ").next().unwrap_or_default();
    after.split(' ').nth(11).and_then(|t| t.parse::<f64>().ok()).map_or(0.0, |t| t / TICKS_PER_S)
}

/// Most memory that this process has held, in MB; 0 where there is no /proc.
fn peak_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kb| kb.parse::<f64>().ok()).map_or(0.0, |kb| kb / 1000.0)
}

fn main() {
    // `cargo bench` adds `--bench`.
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["--names"] => ROWS.iter().for_each(|(name, ..)| println!("{name}")),
        ["--scenarios", folder] => {
            let write = |file: String, text: String| {
                std::fs::write(std::path::Path::new(folder).join(file), text).expect("a folder to write to");
            };
            for (name, requests, replicas) in ROWS {
                write(format!("{name}.json"), to_json(&scenario_of(requests, replicas)));
                let q = detail(replicas as usize);
                let asked = json!({
                    "window_s": q.window_s, "moves": q.moves, "queue": q.queue, "batch": q.batch, "cells": q.cells,
                });
                write(format!("{name}.query"), asked.to_string());
            }
        }
        [name] => match ROWS.iter().find(|(n, ..)| *n == name) {
            Some(&(name, requests, replicas)) => println!("{}", row(name, requests, replicas)),
            None => panic!("no row is called {name:?}: see --names"),
        },
        // `cargo test --benches` gives no name: that the scenarios are sound is all there is to test.
        _ => ROWS.iter().for_each(|&(_, requests, replicas)| {
            Session::start(scenario_of(requests, replicas), None, Audience::Batch).expect("a sound scenario");
        }),
    }
}
