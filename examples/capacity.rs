//! Searches the highest arrival rate at which 95 % of the requests get their first token within 500 ms.
//!
//! `cargo run --example capacity`
#![expect(clippy::print_stdout, reason = "the program prints what it found")]

use tokenyard::scenario::Scenario;
use tokenyard::study::sweep::{Objective, capacity, capacity_of_seed};

pub(crate) fn main() {
    // One pool of one replica, with the traffic of a new scenario.
    let mut scenario = Scenario::default();
    scenario.run.horizon_s = 20.0;
    scenario.run.warmup_s = 2.0;
    scenario.cluster.pools[0].replicas = 1;
    let objective = Objective::parse("ttft_ms=500").expect("an objective");
    Objective::replace(&[objective], &mut scenario);

    let share = 0.95;
    // Each seed has traffic of its own, and a capacity; the mean of several comes with an interval.
    let seeds = (1..=2).map(|seed| capacity_of_seed(&scenario, None, seed, share));
    let seeds = seeds.collect::<Result<Vec<_>, _>>().expect("the scenario is sound");
    for seed in &seeds {
        println!("seed {}: {:.2?} requests/s after {} runs", seed.seed, seed.rate_per_s, seed.runs);
    }
    println!("{}", capacity(&scenario, share, seeds).text);
}
