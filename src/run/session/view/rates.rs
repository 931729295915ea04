//! The speed of a transfer over time, from when others began and landed beside it.

use super::RateStep;
use base::small::sort::sort_pairs;
use base::{Micros, ReplicaId};

/// Most steps.
const STEPS: usize = 128;
/// Bytes per second times microseconds are millionths of bytes.
const MILLIONTHS: i128 = 1_000_000;

/// The steps of a transfer between two replicas that flowed between two instants, with the bytes that it moved: all of them if it is over. `beside` are
/// the ends and instants of others. One step with the mean speed if those do not explain what has moved.
pub(super) fn rates(
    beside: &[([ReplicaId; 2], [Micros; 2])],
    ends: [ReplicaId; 2],
    [since, until]: [Micros; 2],
    (capacity, shared): ([u64; 2], bool),
    (moved, over): (u64, bool),
) -> Vec<RateStep> {
    if until <= since {
        return Vec::new();
    }
    let mut edges: Vec<(u64, u64)> = vec![(since.0, 0), (until.0, 0)];
    let sharers = || {
        beside.iter().filter(|(other, [from, to])| {
            (other[0] == ends[0] || other[1] == ends[1]) && *from < until && *to > since && from < to
        })
    };
    for (_, [from, to]) in sharers() {
        let inside = [from.0, to.0].into_iter().filter(|at| since.0 < *at && *at < until.0);
        edges.extend(inside.map(|at| (at, 0)));
    }
    sort_pairs(&mut edges);
    edges.dedup();
    let mut steps: Vec<RateStep> = Vec::new();
    let (mut sent, mut last) = (0_i128, 0_u64);
    for pair in edges.windows(2) {
        let (from_us, to_us) = (pair[0].0, pair[1].0);
        let here = || sharers().filter(|(_, [from, to])| from.0 <= from_us && to_us <= to.0);
        let share = |end: usize| {
            let flows = 1 + here().filter(|(other, _)| other[end] == ends[end]).count() as u64;
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
    let explained = if over {
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

    const ENDS: [ReplicaId; 2] = [ReplicaId(0), ReplicaId(4)];

    fn steps(beside: &[([u32; 2], [u64; 2])], until: u64, moved: u64, over: bool) -> Vec<[u64; 3]> {
        let beside: Vec<_> = beside.iter().map(|(r, at)| (r.map(ReplicaId), at.map(Micros))).collect();
        let found =
            rates(&beside, ENDS, [Micros(100), Micros(until)], ([6_000_000, 5_000_000], true), (moved, over));
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
