//! Loads with a rate and a limit of requests in flight: the client holds requests back until others are answered, and
//! counts TTFT from sending.
//!
//! The engine takes requests at fixed times. The times of sending depend on the times of answers, which only a run
//! gives. The durations of the previous run give the next times of sending; after a few runs both agree to within
//! steps of the engine.

use super::simulated::Simulated;
use base::Diagnostics;

/// Runs of a search, including the closed loop that it begins with.
pub(super) const RUNS: usize = 6;

/// Runs requests that are due at these times, in order; `begin` is a closed loop of the same requests, and `run` takes
/// times of sending.
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
        // If requests do not finish, their durations are unknown.
        if found.requests.len() != wanted.len() {
            break;
        }
        for (last, r) in lasts.iter_mut().zip(&found.requests) {
            *last = last.midpoint(r.e2e_us);
        }
    }
    Ok(found)
}

/// The times at which a client with at most `cap` requests in flight sends the requests due at `wanted`, which take
/// `lasts`.
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
