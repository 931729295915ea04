//! A rate with a limit of requests in flight beside it: the client of a benchmark holds requests back until others are answered, and
//! counts TTFT from sending.
//!
//! The engine takes requests at fixed times. When they are sent depends on when others are answered, which is what a run tells: from how
//! long each took in the run before, the times of sending follow, and a few runs later both agree to within steps of the engine.

use super::simulated::Simulated;
use crate::base::Diagnostics;

/// Runs that a search takes, the closed loop it begins with included.
pub(super) const RUNS: usize = 6;

/// Runs requests that are wanted at these times, in order; `begin` is a closed loop of the same requests, and `run` takes times of sending.
pub(super) fn run_capped(
    cap: u32,
    wanted: &[u64],
    begin: Simulated,
    run: &dyn Fn(&[u64]) -> Result<Simulated, Diagnostics>,
) -> Result<Simulated, Diagnostics> {
    let took: Vec<u64> = begin.requests.iter().map(|r| r.e2e_us).collect();
    let mean = took.iter().sum::<u64>() / took.len().max(1) as u64;
    let mut lasts = vec![mean; wanted.len()];
    let mut found = begin;
    for _ in 1..RUNS {
        found = run(&sent(cap, wanted, &lasts))?;
        // Where requests do not finish, it is not known how long each took.
        if found.requests.len() != wanted.len() {
            break;
        }
        for (last, r) in lasts.iter_mut().zip(&found.requests) {
            *last = last.midpoint(r.e2e_us);
        }
    }
    Ok(found)
}

/// When a client with at most `cap` requests in flight sends those due at `wanted`, which take `lasts`.
fn sent(cap: u32, wanted: &[u64], lasts: &[u64]) -> Vec<u64> {
    let mut free: std::collections::BinaryHeap<std::cmp::Reverse<u64>> =
        (0..(cap as usize).min(wanted.len()).max(1)).map(|_| std::cmp::Reverse(0)).collect();
    let mut times = Vec::with_capacity(wanted.len());
    for (wanted, lasts) in wanted.iter().zip(lasts) {
        let std::cmp::Reverse(slot) = free.pop().expect("there is a slot for each request in flight");
        let at = slot.max(*wanted);
        free.push(std::cmp::Reverse(at + lasts));
        times.push(at);
    }
    times
}

#[cfg(test)]
mod tests {
    use super::sent;

    #[test]
    fn requests_wait_for_a_free_place_in_order_and_no_longer() {
        assert_eq!(sent(2, &[0, 0, 0, 100, 100], &[10, 30, 50, 5, 5]), [0, 0, 10, 100, 100]);
        assert_eq!(sent(1, &[5, 6, 7], &[10, 10, 10]), [5, 15, 25]);
        assert_eq!(sent(9, &[1, 2, 3], &[10, 10, 10]), [1, 2, 3]);
    }
}
