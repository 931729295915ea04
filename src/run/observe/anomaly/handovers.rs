//! Hand-overs that wait: decode replicas without room for prompts that are computed, and ports that transfers share all the time.

use super::{Anomaly, AnomalyIndex, AnomalyKind, AnomalyLog, PROOFS, Proof};
use base::{Micros, ReplicaId, RequestId, Span};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// How long a request whose prompt is computed must wait for room at its home before it is an anomaly.
const NO_ROOM: Span = Span(1_000_000);
/// How long transfers must share a port.
const SHARED: Span = Span(5_000_000);
/// Divisor of the time that gaps may take while transfers count as sharing a port: 10 means a tenth.
const GAPS: u64 = 10;

/// A home, and the requests that wait there for room while their prefill replicas hold their blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Home {
    /// In order of the end of their prefill.
    waiting: VecDeque<Proof>,
    open: Option<AnomalyIndex>,
    most: u64,
}

/// The ports of a replica in one direction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Port {
    /// The requests whose transfers flow, in order of their beginning.
    flows: Vec<RequestId>,
    /// Since when they have been shared, but for gaps.
    since: Option<Micros>,
    /// Since when there has been a gap.
    gap: Option<Micros>,
    /// The gaps before.
    gaps: u64,
    open: Option<AnomalyIndex>,
    most: u64,
}

/// All replicas.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Handovers {
    /// Whether a request was ever prefilled for another replica.
    watched: bool,
    homes: Vec<Home>,
    /// By replica: from it, and to it.
    ports: Vec<[Port; 2]>,
}

impl Home {
    fn look(&mut self, home: usize, now: Micros, log: &mut AnomalyLog) {
        let first = self.waiting.front().copied();
        match (first.filter(|first| now.since(first.at) >= NO_ROOM), self.open) {
            (Some(first), None) => {
                self.most = 0;
                self.open = Some(log.open(Anomaly {
                    kind: AnomalyKind::DecodePoolFull,
                    start: first.at,
                    end: None,
                    replica: home as u32,
                    proofs: self.waiting.iter().take(PROOFS).copied().collect(),
                    figure: 0,
                    measure: None,
                    of: None,
                }));
            }
            (None, Some(place)) => {
                log.close(place, now);
                self.open = None;
            }
            (Some(_), Some(_)) | (None, None) => {}
        }
        self.most = self.most.max(self.waiting.len() as u64);
        if let Some(anomaly) = self.open.and_then(|place| log.at(place)) {
            anomaly.figure = self.most;
        }
    }
}

impl Port {
    /// Judges the time up to `now`, before the transfers change.
    fn look(&mut self, (replica, direction): (usize, &str), now: Micros, log: &mut AnomalyLog) {
        let Some(since) = self.since else { return };
        let gap = self.gap.map_or(0, |gap| now.since(gap).0);
        if (self.gaps + gap) * GAPS > now.since(since).0 {
            if let Some(place) = self.open.take() {
                log.close(place, self.gap.unwrap_or(now));
            }
            (self.since, self.gap, self.gaps) = (None, None, 0);
            return;
        }
        if self.open.is_none() && now.since(since) >= SHARED {
            self.open = Some(log.open(Anomaly {
                kind: AnomalyKind::PortSaturated,
                start: since,
                end: None,
                replica: replica as u32,
                proofs: self.flows.iter().take(PROOFS).map(|&request| Proof { request, at: now }).collect(),
                figure: self.most,
                measure: None,
                of: Some(direction.to_owned()),
            }));
        }
    }

    /// The transfers have changed.
    fn changed(&mut self, now: Micros, log: &mut AnomalyLog) {
        if self.flows.len() < 2 {
            self.gap = self.gap.or(self.since.map(|_| now));
            return;
        }
        if let Some(gap) = self.gap.take() {
            self.gaps += now.since(gap).0;
        }
        if self.since.is_none() {
            (self.since, self.most) = (Some(now), 0);
        }
        self.most = self.most.max(self.flows.len() as u64);
        if let Some(anomaly) = self.open.and_then(|place| log.at(place)) {
            anomaly.figure = self.most;
        }
    }
}

impl Handovers {
    /// Whether a request was ever prefilled for another replica.
    pub(super) fn watched(&self) -> bool {
        self.watched
    }

    /// A prompt is computed, and its blocks are held until there is room at home.
    pub(super) fn waits_for_room(&mut self, request: RequestId, home: ReplicaId, now: Micros) {
        self.watched = true;
        super::entry(&mut self.homes, home.index()).waiting.push_back(Proof { request, at: now });
    }

    /// A request has room, or is gone.
    pub(super) fn has_room(
        &mut self,
        request: RequestId,
        home: ReplicaId,
        now: Micros,
        log: &mut AnomalyLog,
    ) {
        let Some(h) = self.homes.get_mut(home.index()) else { return };
        h.look(home.index(), now, log);
        h.waiting.retain(|proof| proof.request != request);
        h.look(home.index(), now, log);
    }

    /// A step begins there: what has lasted is reported.
    #[inline]
    pub(super) fn step(&mut self, replica: usize, now: Micros, log: &mut AnomalyLog) {
        if let Some(h) = self.homes.get_mut(replica).filter(|h| !h.waiting.is_empty()) {
            h.look(replica, now, log);
        }
    }

    /// A transfer begins to flow.
    pub(super) fn flows(
        &mut self,
        request: RequestId,
        [from, to]: [ReplicaId; 2],
        now: Micros,
        log: &mut AnomalyLog,
    ) {
        self.watched = true;
        self.change([from, to], now, log, |flows| flows.push(request));
    }

    /// A transfer no longer flows, if it did.
    pub(super) fn ends(
        &mut self,
        request: RequestId,
        [from, to]: [ReplicaId; 2],
        now: Micros,
        log: &mut AnomalyLog,
    ) {
        self.change([from, to], now, log, |flows| flows.retain(|&other| other != request));
    }

    fn change(
        &mut self,
        [from, to]: [ReplicaId; 2],
        now: Micros,
        log: &mut AnomalyLog,
        change: impl Fn(&mut Vec<RequestId>),
    ) {
        for (replica, side, direction) in [(from.index(), 0, "out of"), (to.index(), 1, "into")] {
            let port: &mut Port = &mut super::entry(&mut self.ports, replica)[side];
            port.look((replica, direction), now, log);
            change(&mut port.flows);
            port.changed(now, log);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000;

    #[test]
    fn a_home_without_room_for_a_second_is_full_until_nobody_has_waited_that_long() {
        let (mut all, mut log) = (Handovers::default(), AnomalyLog::default());
        let home = ReplicaId(3);
        assert!(!all.watched());
        all.waits_for_room(RequestId(0), home, Micros(0));
        all.has_room(RequestId(0), home, Micros(S - 1), &mut log);
        assert!(log.kept.is_empty(), "not for long");
        all.waits_for_room(RequestId(1), home, Micros(2 * S));
        all.waits_for_room(RequestId(2), home, Micros(4 * S));
        all.step(3, Micros(4 * S), &mut log);
        all.has_room(RequestId(1), home, Micros(4 * S + 1), &mut log);
        let [a] = &log.kept[..] else { panic!("{:?}", log.kept) };
        assert_eq!((a.kind, a.replica, a.start), (AnomalyKind::DecodePoolFull, 3, Micros(2 * S)));
        assert_eq!((a.end, a.figure, a.proofs.len()), (Some(Micros(4 * S + 1)), 2, 2));
        assert!(a.sentence().contains("2 prompts") && a.sentence().contains("r3"), "{}", a.sentence());
    }

    #[test]
    fn a_port_is_saturated_while_transfers_share_it_with_short_gaps() {
        let (mut all, mut log) = (Handovers::default(), AnomalyLog::default());
        let ends = |i: u32| [ReplicaId(i), ReplicaId(9)];
        all.flows(RequestId(0), ends(0), Micros(0), &mut log);
        all.flows(RequestId(1), ends(1), Micros(S), &mut log);
        // A gap of 0.2 s in 6 s.
        all.ends(RequestId(1), ends(1), Micros(4 * S), &mut log);
        all.flows(RequestId(2), ends(2), Micros(4 * S + S / 5), &mut log);
        all.flows(RequestId(3), ends(3), Micros(7 * S), &mut log);
        let found: Vec<_> = log.kept.iter().map(|a| (a.kind, a.replica, a.start, a.end)).collect();
        assert_eq!(found, [(AnomalyKind::PortSaturated, 9, Micros(S), None)], "others sent one at a time");
        assert_eq!(log.kept[0].figure, 3);
        for (request, at) in [(0, 8), (2, 9)] {
            all.ends(RequestId(request), ends(request), Micros(at * S), &mut log);
        }
        assert_eq!(log.kept[0].end, None);
        all.ends(RequestId(3), ends(3), Micros(20 * S), &mut log);
        assert_eq!(log.kept[0].end, Some(Micros(9 * S)), "from when one was left");
        assert!(log.kept[0].sentence().contains("into r9"), "{}", log.kept[0].sentence());
    }
}
