//! Compares two routers on the same traffic: the difference of TTFT, with the interval that holds the true one with 95 %.
//!
//! `cargo run --example compare_routers`
#![expect(clippy::print_stdout, reason = "the program prints what it found")]

use tokenyard::base::Diagnostics;
use tokenyard::scenario::preset::Preset;
use tokenyard::scenario::{RoutingPolicy, Scenario};
use tokenyard::study::compare::{Comparing, Outcomes};

/// Half a minute of a built-in scenario with another router.
fn routed_by(routing: RoutingPolicy, seed: u64) -> Scenario {
    let mut scenario = Preset::named("router-showdown").expect("a built-in scenario").scenario();
    scenario.seed = seed;
    scenario.run.horizon_s = 30.0;
    scenario.run.warmup_s = 5.0;
    scenario.cluster.routing = routing;
    scenario
}

fn compared() -> Result<(), Diagnostics> {
    let mut comparing = Comparing::default();
    // A seed draws the same requests under either router, so that the two runs of a seed are compared request by request.
    for seed in 1..=3 {
        let a = Outcomes::of_run(routed_by(RoutingPolicy::RoundRobin, seed), None)?;
        let b = Outcomes::of_run(routed_by(RoutingPolicy::LeastLoaded, seed), None)?;
        comparing.add(a, b);
    }
    let comparison = comparing.result().expect("there are runs");
    let ttft = comparison.metrics.ttft_ms;
    for (name, difference) in [("mean", ttft.mean), ("p50", ttft.p50), ("p99", ttft.p99)] {
        let [diff, lo, hi] = [difference.diff, difference.lo, difference.hi].map(|x| x.unwrap_or(f64::NAN));
        println!("TTFT {name}: {diff:+.1} ms, from {lo:+.1} to {hi:+.1}: {}", difference.words());
    }
    Ok(())
}

pub(crate) fn main() {
    compared().expect("the scenarios are sound");
}
