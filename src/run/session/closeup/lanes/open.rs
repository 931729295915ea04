//! The requests of one replica, packed into rows, and the size of its batch.

use super::{CHANGES, LaneRequest, OpenLane};
use crate::observe::Segment;
use crate::observe::segments::segments;
use crate::observe::step_log::KeptStep;
use crate::session::Session;
use base::small::sort::sort_by_key;
use base::{ReplicaId, RequestId};
use engine::Record;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The time of a request at a replica.
#[derive(Clone, Copy, Debug)]
struct Visit {
    request: u32,
    client: u32,
    from: u64,
    /// When it left; none while it is there.
    left: Option<u64>,
    first_step: Option<u64>,
}

/// Rows, each free or taken.
#[derive(Debug, Default)]
struct Rows {
    free: BinaryHeap<Reverse<u32>>,
    /// When it becomes free, and the row.
    taken: BinaryHeap<Reverse<(u64, u32)>>,
    all: u32,
}

impl Rows {
    /// The first row that is free at `from` is taken until `left`. Calls come in order of `from`.
    fn take(&mut self, from: u64, left: Option<u64>) -> u32 {
        while let Some(&Reverse((until, row))) = self.taken.peek()
            && until <= from
        {
            self.taken.pop();
            self.free.push(Reverse(row));
        }
        let row = self.free.pop().map_or(self.all, |Reverse(row)| row);
        self.all = self.all.max(row + 1);
        self.taken.push(Reverse((left.unwrap_or(u64::MAX), row)));
        row
    }
}

/// The part of a segment between two instants, if there is one.
fn clipped(s: &Segment, from: u64, to: u64) -> Option<Segment> {
    let (from_us, to_us) = (s.from_us.max(from), s.to_us.min(to));
    let shows = from_us < to_us || s.open && from_us == to_us;
    shows.then(|| Segment { from_us, to_us, ..s.clone() })
}

impl Session {
    /// The requests of a replica between two instants, and its batch by its steps there.
    pub(super) fn open_lane(
        &self,
        replica: u32,
        (from, to): (u64, u64),
        limit: usize,
        steps: &[&KeptStep],
    ) -> OpenLane {
        let now = self.playhead.0;
        let (mut rows, mut requests, mut more) = (Rows::default(), Vec::new(), 0);
        for visit in self.visits(replica, to) {
            let row = rows.take(visit.from, visit.left);
            let until = visit.left.unwrap_or(now);
            if until < from {
                continue;
            }
            if requests.len() >= limit {
                more += 1;
                continue;
            }
            let parts = segments(&self.engine, RequestId(visit.request), self.playhead);
            requests.push(LaneRequest {
                request: visit.request,
                client: visit.client,
                row,
                from_us: visit.from,
                to_us: until,
                first_step_us: visit.first_step,
                parts: parts.iter().filter_map(|part| clipped(part, from.max(visit.from), to)).collect(),
            });
        }
        sort_by_key(&mut requests, |r| u64::from(r.request));
        let rows = requests.iter().map(|r| r.row + 1).max().unwrap_or(0);
        let [batch_us, running, waiting] = batch(steps, from, to);
        let [running, waiting] = [running, waiting].map(|all| all.into_iter().map(|n| n as u32).collect());
        let count = requests.len() as u32 + more;
        OpenLane { replica, requests, count, more, rows, batch_us, running, waiting }
    }

    /// The requests that were routed to a replica or prefilled there up to an instant, in order of routing.
    fn visits(&self, replica: u32, to: u64) -> Vec<Visit> {
        let id = ReplicaId(replica);
        let roles = self.engine.network().is_some();
        let prefilled = |request: u32| {
            self.engine.handover(RequestId(request)).is_some_and(|handover| handover.prefill == Some(id))
        };
        let visit = |(request, r): (u32, Record)| {
            let from = r.routed.get().map(|at| at.0).filter(|at| *at <= to)?;
            let here = r.replica() == Some(id) || roles && prefilled(request);
            here.then(|| Visit {
                request,
                client: r.client,
                from,
                left: r.left.get().map(|at| at.0),
                first_step: r.first_scheduled.get().map(|at| at.0),
            })
        };
        let arrived = (0..).zip(self.engine.records()).take_while(|(_, r)| r.arrival.0 <= to);
        let mut visits: Vec<Visit> = arrived.filter_map(visit).collect();
        sort_by_key(&mut visits, |v| v.from);
        visits
    }
}

/// The instants at which the running and waiting requests changed, and both from then on; of more than [`CHANGES`] the last of each of
/// as many equal parts of the span.
fn batch(steps: &[&KeptStep], from: u64, to: u64) -> [Vec<u64>; 3] {
    let mut changes: Vec<[u64; 3]> = Vec::new();
    for step in steps {
        let (running, waiting) = (u64::from(step.running), u64::from(step.waiting));
        if changes.last().is_none_or(|last| last[1..] != [running, waiting]) {
            changes.push([step.at, running, waiting]);
        }
    }
    if changes.len() as u64 > CHANGES {
        let width = (to - from).div_ceil(CHANGES).max(1);
        let column = |change: &[u64; 3]| change[0].saturating_sub(from) / width;
        let mut kept: Vec<[u64; 3]> = Vec::new();
        for change in changes {
            if kept.last().is_some_and(|last| column(last) == column(&change)) {
                kept.pop();
            }
            kept.push(change);
        }
        changes = kept;
    }
    [0, 1, 2].map(|i| changes.iter().map(|change| change[i]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_takes_the_first_row_that_is_free() {
        let mut rows = Rows::default();
        let visits =
            [(0, Some(10)), (2, Some(4)), (3, None), (4, Some(6)), (5, Some(9)), (10, Some(11)), (12, None)];
        assert_eq!(visits.map(|(from, left)| rows.take(from, left)), [0, 1, 2, 1, 3, 0, 0]);
    }
}
