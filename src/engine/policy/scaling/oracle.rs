//! The oracle: it knows the future arrival rate, and asks in time for the replicas that carry it. A policy that
//! measures can be better only by the noise of arrivals, so the oracle is the bound for comparing others.

use super::{Bounds, Decision, Rule, rounded_up};

/// Decides at a tick: `future_per_s` is the rate when replicas requested now can serve, and each carries
/// `replica_per_s`.
pub fn decide(current: u32, future_per_s: f64, replica_per_s: f64, bounds: Bounds) -> Decision {
    Decision::direct(current, rounded_up(future_per_s / replica_per_s), Rule::Target, bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_as_carry_what_will_come() {
        let bounds = Bounds { min: 1, max: 6 };
        let asked = [0.0, 4.0, 4.1, 90.0].map(|rate| decide(2, rate, 2.0, bounds).desired);
        assert_eq!(asked, [1, 2, 3, 6]);
    }
}
