//! Runs a built-in scenario to its end and prints figures of its report, then the digest by which the same run is recognised.
//!
//! `cargo run --example report`
#![expect(clippy::print_stdout, reason = "the program prints what it found")]

use tokenyard::base::Micros;
use tokenyard::scenario::preset::Preset;
use tokenyard::session::{Audience, Session};

pub(crate) fn main() {
    let mut scenario = Preset::named("chat-4xh100").expect("a built-in scenario").scenario();
    scenario.run.horizon_s = 30.0;
    scenario.run.warmup_s = 5.0;
    // Its edit is due later than this.
    scenario.edits.clear();

    let (mut session, warnings) =
        Session::start(scenario, None, Audience::Batch).expect("built-in scenarios are sound");
    assert!(warnings.is_empty(), "{warnings:?}");
    session.advance(Micros::MAX, u64::MAX);

    let report = session.report_data();
    let ttft = &report.latency_ms.ttft;
    println!("{} requests arrived, {} were completed", report.requests.arrived, report.requests.completed);
    println!("time to first token: p50 {:.1} ms, p99 {:.1} ms", ttft.p50, ttft.p99);
    println!("completed per second: {:.2}", report.throughput.completed_per_s);
    // `session.report()` is all of it as JSON; docs/reference/report.md explains each name.
    println!("digest {}", session.digest());
}
