//! Latency objectives in whole microseconds, by SLO class, and what each finished request met of them.
//!
//! A request is judged once, when it completes, by the objectives of that moment. All reports of objectives read that
//! judgement.

use base::math::round_to_span;
use base::{Chunks, RequestId};
use document::{Slo, SloClass};
use engine::RECORD_PIECE;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Objectives of one class; `u64::MAX` for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Objectives {
    pub(crate) ttft_us: u64,
    pub(crate) tpot_us: u64,
    pub(crate) e2e_us: u64,
}

/// Which objectives a finished request met, a bit for each; one that is not set is met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Met(u8);

impl Met {
    const TTFT: u8 = 1;
    const TPOT: u8 = 2;
    const E2E: u8 = 4;
    /// Set in every judgement, so that a request without a judgement has no bits set.
    const JUDGED: u8 = 8;

    fn new(ttft: bool, tpot: bool, e2e: bool) -> Self {
        let bit = |met: bool, bit: u8| if met { bit } else { 0 };
        Self(Self::JUDGED | bit(ttft, Self::TTFT) | bit(tpot, Self::TPOT) | bit(e2e, Self::E2E))
    }

    pub(crate) fn ttft(self) -> bool {
        self.0 & Self::TTFT != 0
    }

    pub(crate) fn tpot(self) -> bool {
        self.0 & Self::TPOT != 0
    }

    pub(crate) fn e2e(self) -> bool {
        self.0 & Self::E2E != 0
    }

    /// Whether it met all of them.
    pub fn all(self) -> bool {
        self.ttft() && self.tpot() && self.e2e()
    }
}

/// The judgements so far, by number of the request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Judgements {
    all: Chunks<Met>,
    /// In a run that keeps no rows: those that are not forgotten, in pieces by number.
    pieces: Option<BTreeMap<u32, Vec<Met>>>,
}

impl Judgements {
    /// None yet; with `forgets`, each can be forgotten.
    pub(super) fn new(forgets: bool) -> Self {
        Self { all: Chunks::default(), pieces: forgets.then(BTreeMap::new) }
    }

    /// Bytes not shared with `later`, which continued from a copy.
    pub(super) fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        self.all.bytes_beside(later.map(|l| &l.all))
    }

    pub(crate) fn enter(&mut self, request: RequestId, met: Met) {
        let i = request.index();
        let judged = if let Some(pieces) = &mut self.pieces {
            &mut pieces.entry((i / RECORD_PIECE) as u32).or_insert_with(|| vec![Met::default(); RECORD_PIECE])
                [i % RECORD_PIECE]
        } else {
            while self.all.len() <= i {
                self.all.push(Met::default());
            }
            &mut self.all[i]
        };
        assert!(*judged == Met::default(), "INV-2: {request:?} completed twice");
        *judged = met;
    }

    /// The objectives that a request met; `None` if it has not completed.
    pub(crate) fn of(&self, request: RequestId) -> Option<Met> {
        let i = request.index();
        let judged = match &self.pieces {
            Some(pieces) => pieces.get(&((i / RECORD_PIECE) as u32)).map(|piece| piece[i % RECORD_PIECE]),
            None => self.all.get(i).copied(),
        };
        judged.filter(|met| *met != Met::default())
    }

    /// Forgets the judgements of the piece of a request: none of its requests is still to complete.
    pub(super) fn forget(&mut self, request: RequestId) {
        if let Some(pieces) = &mut self.pieces {
            pieces.remove(&((request.index() / RECORD_PIECE) as u32));
        }
    }
}

impl Objectives {
    fn new(ttft_ms: f64, tpot_ms: f64, e2e_ms: f64) -> Self {
        let us = |ms: f64| if ms > 0.0 { round_to_span(ms * 1000.0).0 } else { u64::MAX };
        Self { ttft_us: us(ttft_ms), tpot_us: us(tpot_ms), e2e_us: us(e2e_ms) }
    }

    /// The objectives that a finished request met. TPOT is (E2E - TTFT) / (tokens - 1).
    pub(crate) fn met(&self, ttft: u64, e2e: u64, tokens: u32) -> Met {
        let gaps = u64::from(tokens.max(1) - 1);
        let tpot = self.tpot_us == u64::MAX || e2e - ttft <= self.tpot_us.saturating_mul(gaps);
        Met::new(ttft <= self.ttft_us, tpot, e2e <= self.e2e_us)
    }
}

/// The objectives of all classes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Targets {
    /// By number of the class; classes beyond the list get the first entry, which belongs to no class.
    by_class: Vec<Objectives>,
}

impl Targets {
    pub(crate) fn new(slo: &Slo) -> Self {
        let default = Objectives::new(slo.ttft_ms, slo.tpot_ms, slo.e2e_ms);
        let of = |class: SloClass| {
            let own = slo.classes.iter().find(|c| c.class == class);
            own.map_or(default, |c| Objectives::new(c.ttft_ms, c.tpot_ms, c.e2e_ms))
        };
        Self { by_class: std::iter::once(default).chain(SloClass::ALL.map(of)).collect() }
    }

    /// The objectives of a class, by its number in the source of requests.
    pub(crate) fn of(&self, class: u32) -> Objectives {
        self.by_class.get(class as usize).copied().unwrap_or(self.by_class[0])
    }

    /// The objectives of classes without their own.
    pub(crate) fn default_ones(&self) -> Objectives {
        self.by_class[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::ClassTargets;
    use engine::workload::class_number;

    #[test]
    fn a_class_has_its_own_objectives_or_the_common_ones() {
        let own = ClassTargets { class: SloClass::Critical, ttft_ms: 200.0, tpot_ms: 0.0, e2e_ms: 9000.0 };
        let targets = Targets::new(&Slo { classes: vec![own], ..Slo::default() });
        let critical = targets.of(class_number(SloClass::Critical));
        assert_eq!(critical, Objectives { ttft_us: 200_000, tpot_us: u64::MAX, e2e_us: 9_000_000 });
        let common = Objectives { ttft_us: 1_000_000, tpot_us: 50_000, e2e_us: u64::MAX };
        for other in [0, class_number(SloClass::Batch), 99] {
            assert_eq!(targets.of(other), common);
        }
    }

    #[test]
    fn objectives_are_met_at_their_edge_and_missed_beyond() {
        let o = Objectives { ttft_us: 100, tpot_us: 10, e2e_us: 150 };
        assert!(o.met(100, 150, 6).all());
        assert_eq!(o.met(101, 150, 6), Met::new(false, true, true));
        assert_eq!(o.met(99, 150, 6), Met::new(true, false, true));
        assert_eq!(o.met(100, 151, 100), Met::new(true, true, false));
    }

    #[test]
    fn a_request_has_a_judgement_once_it_completed_even_if_it_met_nothing() {
        let mut all = Judgements::default();
        all.enter(RequestId(2), Met::new(false, false, false));
        all.enter(RequestId(0), Met::new(true, true, true));
        let met = [0, 1, 2, 3].map(|i| all.of(RequestId(i)).map(Met::all));
        assert_eq!(met, [Some(true), None, Some(false), None]);
    }

    #[test]
    fn judgements_of_a_piece_are_forgotten_together() {
        let mut all = Judgements::new(true);
        let met = Met::new(true, true, true);
        for i in [0, 511, 512, 9000] {
            all.enter(RequestId(i), met);
        }
        all.forget(RequestId(512));
        let known = [0, 511, 512, 513, 9000].map(|i| all.of(RequestId(i)).is_some());
        assert_eq!(known, [true, true, false, false, true]);
    }

    #[test]
    #[should_panic(expected = "INV-2: ")]
    fn no_request_is_judged_twice() {
        let mut all = Judgements::default();
        all.enter(RequestId(0), Met::new(false, false, false));
        all.enter(RequestId(0), Met::new(true, true, true));
    }
}
