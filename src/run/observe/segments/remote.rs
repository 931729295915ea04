//! The segments of a request that is prefilled on one replica and decoded on another.

use super::{Path, SegmentKind, first_token};
use base::{Maybe, Micros, RequestId};
use engine::{Cluster, Handover, Progress, Record};

impl Path {
    /// Adds the segments from the router's decision on.
    pub(super) fn remote(
        &mut self,
        engine: &Cluster,
        id: RequestId,
        (r, p): (&Record, &Progress),
        h: &Handover,
    ) {
        if let Some(lost) = h.lost.get() {
            self.lost(engine, id, (r, p), (h, lost));
            return;
        }
        if (!h.push || self.room(h))
            && self.prefill(engine, id, r, h)
            && (h.push || self.room(h))
            && self.until(SegmentKind::FirstByte, h.flows.get(), 0)
            && self.until(SegmentKind::Transfer, h.landed.get(), 0)
            && self.until(SegmentKind::Join, h.joined.get(), 0)
        {
            self.home(engine, id, (r, p), h);
        }
    }

    /// As far as its hand-over went until its KV was lost, and at home from then on.
    fn lost(
        &mut self,
        engine: &Cluster,
        id: RequestId,
        (r, p): (&Record, &Progress),
        (h, lost): (&Handover, Micros),
    ) {
        let end = std::mem::replace(&mut self.end, lost.0);
        let open = std::mem::replace(&mut self.open, false);
        let before = |at: Maybe<Micros>| at.get().filter(|at| *at <= lost).map_or(Maybe::NONE, Micros::into);
        let known = Handover { reserved: before(h.reserved), flows: before(h.flows), ..h.clone() };
        let _ = (!known.push || self.room(&known))
            && self.prefill(engine, id, r, &known)
            && (known.push || self.room(&known))
            && self.until(SegmentKind::FirstByte, known.flows.get(), 0)
            && self.until(SegmentKind::Transfer, None, 0);
        (self.end, self.open) = (end, open);
        self.again(engine, id, (r, p), (h.ahead.min(p.generated), lost));
    }

    /// From the wait queue of its home on, after it lost its KV, with `shown` tokens by then.
    fn again(
        &mut self,
        engine: &Cluster,
        id: RequestId,
        (r, p): (&Record, &Progress),
        (mut shown, since): (u32, Micros),
    ) {
        for stay in engine.stays(id).filter(|stay| stay.from >= since) {
            self.until(SegmentKind::Preempted, Some(stay.from), 0);
            let computed = stay.decoding_from().unwrap_or(stay.to);
            self.until(SegmentKind::Recompute, Some(computed), stay.prefilled);
            self.until(SegmentKind::Decode, Some(stay.to), stay.generated.saturating_sub(shown));
            shown = stay.generated;
        }
        let over = !self.open && self.since == self.end;
        let again = r.scheduled.get().filter(|at| at.0 >= self.since && *at >= since);
        let computed = if self.open { p.decoding_from } else { None };
        if !over
            && self.until(SegmentKind::Preempted, again, 0)
            && self.until(SegmentKind::Recompute, computed, p.stored.min(p.prefill))
        {
            self.until(SegmentKind::Decode, None, p.generated.saturating_sub(shown));
        }
    }

    /// To the wait queue of its home, and there until blocks are set aside.
    fn room(&mut self, h: &Handover) -> bool {
        self.until(SegmentKind::Delay, h.home_queued.get(), 0)
            && self.until(SegmentKind::Room, h.reserved.get(), 0)
    }

    /// From there to the end of its prefill, with the stays on the prefill replica that it lost.
    fn prefill(&mut self, engine: &Cluster, id: RequestId, r: &Record, h: &Handover) -> bool {
        let first = h.prefill_first.get();
        let queued = r.queued.get().filter(|at| at.0 >= self.since && first.is_none_or(|first| *at <= first));
        if let Some(at) = queued {
            self.until(SegmentKind::Delay, Some(at), 0);
        }
        let (mut wait, mut work) = (SegmentKind::Queue, SegmentKind::Prefill);
        let ended = h.prefill_end.get();
        let lost = |to: Micros| ended.is_none_or(|ended| to < ended);
        for stay in engine.stays(id).filter(|stay| lost(stay.to)) {
            self.until(wait, Some(stay.from), 0);
            self.until(work, Some(stay.to), stay.prefilled);
            (wait, work) = (SegmentKind::Preempted, SegmentKind::Recompute);
        }
        let joined = h.prefill_scheduled.get().filter(|at| at.0 >= self.since);
        self.until(wait, joined, 0)
            && self.until(work, ended, r.prompt_tokens.saturating_sub(r.cached_tokens))
    }

    /// From joining the batch of its home on.
    fn home(&mut self, engine: &Cluster, id: RequestId, (r, p): (&Record, &Progress), h: &Handover) {
        let since = h.joined.get().unwrap_or(Micros::MAX);
        // The first token is no part of its decoding.
        let mut shown = 1;
        let mut lost = false;
        for stay in engine.stays(id).filter(|stay| stay.from >= since) {
            if lost {
                self.until(SegmentKind::Preempted, Some(stay.from), 0);
                self.until(
                    SegmentKind::Recompute,
                    Some(stay.decoding_from().unwrap_or(stay.to)),
                    stay.prefilled,
                );
            } else if h.ahead == 0 {
                self.until(SegmentKind::FirstToken, Some(first_token(r).unwrap_or(stay.to).min(stay.to)), 1);
            }
            self.until(SegmentKind::Decode, Some(stay.to), stay.generated.saturating_sub(shown));
            (shown, lost) = (stay.generated, true);
        }
        if lost {
            let over = !self.open && self.since == self.end;
            let again = r.scheduled.get().filter(|at| at.0 >= self.since);
            let computed = if self.open { p.decoding_from } else { None };
            if !over
                && self.until(SegmentKind::Preempted, again, 0)
                && self.until(SegmentKind::Recompute, computed, p.stored.min(p.prefill))
            {
                self.until(SegmentKind::Decode, None, p.generated.saturating_sub(shown));
            }
            return;
        }
        let first = if h.ahead == 0 { first_token(r) } else { h.joined.get() };
        if self.until(SegmentKind::FirstToken, first, u32::from(h.ahead == 0)) {
            self.until(SegmentKind::Decode, None, p.generated.saturating_sub(shown));
        }
    }
}
