//! The speed of a transfer over time, from when others began and landed beside it.

use super::RateStep;
use base::small::sort::sort_pairs;
use base::{Period, ReplicaId};

/// Most steps.
const STEPS: usize = 128;
/// Bytes per second times microseconds are millionths of bytes.
const MILLIONTHS: i128 = 1_000_000;

/// A transfer that flows or has flowed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flow {
    /// The replica that sends and the one that receives.
    pub(super) ends: [ReplicaId; 2],
    /// From its first byte until it landed, or until now.
    pub(super) period: Period,
}

/// What a transfer moved over the ports of its two ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    /// Bytes so far.
    pub(super) bytes: u64,
    /// Whether these are all.
    pub(super) is_all: bool,
    /// Bytes per second of the port at each end.
    pub(super) capacity: [u64; 2],
    /// Whether transfers over a port share it.
    pub(super) shared: bool,
}

/// The steps of a transfer, of which `beside` are others at the same time. One step with the mean speed if those do not explain what
/// has moved.
pub(super) fn rates(flow: Flow, moved: Moved, beside: &[Flow]) -> Vec<RateStep> {
    let Flow { ends, period: Period { from: since, to: until } } = flow;
    let Moved { bytes: moved, is_all, capacity, shared } = moved;
    if until <= since {
        return Vec::new();
    }
    let mut edges: Vec<(u64, u64)> = vec![(since.0, 0), (until.0, 0)];
    let sharers = || {
        beside.iter().filter(|other| {
            let Period { from, to } = other.period;
            (other.ends[0] == ends[0] || other.ends[1] == ends[1]) && from < until && to > since && from < to
        })
    };
    for other in sharers() {
        let inside =
            [other.period.from.0, other.period.to.0].into_iter().filter(|at| since.0 < *at && *at < until.0);
        edges.extend(inside.map(|at| (at, 0)));
    }
    sort_pairs(&mut edges);
    edges.dedup();
    let mut steps: Vec<RateStep> = Vec::new();
    let (mut sent, mut last) = (0_i128, 0_u64);
    for pair in edges.windows(2) {
        let (from_us, to_us) = (pair[0].0, pair[1].0);
        let here = || sharers().filter(|other| other.period.from.0 <= from_us && to_us <= other.period.to.0);
        let share = |end: usize| {
            let flows = 1 + here().filter(|other| other.ends[end] == ends[end]).count() as u64;
            if shared { capacity[end] / flows } else { capacity[end] }
        };
        let bytes_per_s = share(0).min(share(1)).max(1);
        sent += i128::from(bytes_per_s) * i128::from(to_us - from_us);
        last = bytes_per_s;
        match steps.last_mut().filter(|step| step.bytes_per_s == bytes_per_s) {
            Some(step) => step.to_us = to_us,
            None => steps.push(RateStep { from_us, to_us, bytes_per_s }),
        }
    }
    let wanted = i128::from(moved) * MILLIONTHS;
    let explained = if is_all {
        (wanted..wanted + i128::from(last)).contains(&sent)
    } else {
        (wanted..wanted + MILLIONTHS).contains(&sent)
    };
    if explained && steps.len() <= STEPS {
        return steps;
    }
    let mean = wanted / i128::from(until.0 - since.0);
    vec![RateStep { from_us: since.0, to_us: until.0, bytes_per_s: u64::try_from(mean).unwrap_or(u64::MAX) }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Micros;

    const ENDS: [ReplicaId; 2] = [ReplicaId(0), ReplicaId(4)];

    fn steps(beside: &[([u32; 2], [u64; 2])], until: u64, moved: u64, over: bool) -> Vec<[u64; 3]> {
        let flow =
            |ends, [from, to]: [u64; 2]| Flow { ends, period: Period { from: Micros(from), to: Micros(to) } };
        let beside: Vec<_> = beside.iter().map(|(r, at)| flow(r.map(ReplicaId), *at)).collect();
        let moved = Moved { bytes: moved, is_all: over, capacity: [6_000_000, 5_000_000], shared: true };
        let found = rates(flow(ENDS, [100, until]), moved, &beside);
        found.iter().map(|s| [s.from_us, s.to_us, s.bytes_per_s]).collect()
    }

    #[test]
    fn a_transfer_alone_has_the_smaller_port_to_itself() {
        // 5 bytes a microsecond.
        assert_eq!(steps(&[], 300, 1000, true), [[100, 300, 5_000_000]]);
        assert_eq!(steps(&[([1, 5], [0, 999])], 300, 1000, true), [[100, 300, 5_000_000]]);
    }

    #[test]
    fn one_that_begins_beside_it_takes_half_of_the_port_that_they_share() {
        // 100 µs at 5 bytes each, then 200 at 3, the half of the outgoing port.
        let beside = [([0, 7], [200, 999])];
        assert_eq!(steps(&beside, 400, 1100, true), [[100, 200, 5_000_000], [200, 400, 3_000_000]]);
        // The same while it is under way, with a byte that has not arrived whole.
        assert_eq!(steps(&beside, 399, 1097, false), [[100, 200, 5_000_000], [200, 399, 3_000_000]]);
    }

    #[test]
    fn unexplained_bytes_give_the_mean() {
        assert_eq!(steps(&[], 300, 600, true), [[100, 300, 3_000_000]]);
    }
}
