//! Memory sizes of recorders: the part that changes, and the part at rest that copies share.

use super::recorder::Recorder;
use base::stats::Timeline;

impl Recorder {
    /// Approximate number of bytes that every copy owns.
    pub(crate) fn bytes_alive(&self) -> u64 {
        let packed = self.packed.as_ref().map_or(0, |packed| 8 * packed.len() as u64);
        #[cfg(any(feature = "cli", feature = "closeup"))]
        let waits = self.rolling_waits.bytes() + self.window.bytes_alive() + self.pauses.bytes_alive();
        #[cfg(not(any(feature = "cli", feature = "closeup")))]
        let waits = 0;
        let alive = waits
            + self.timeline.bytes()
            + self.spread.bytes()
            + self.batches.as_ref().map_or(0, Timeline::bytes)
            + self.transit.bytes()
            + self.itl.bytes()
            + self.rolling.bytes()
            + self.origins.bytes()
            + self.texts.bytes_alive()
            + 8 * (1 << 12);
        alive + packed + self.scaling.bytes() + self.faults.bytes()
    }

    /// Approximate number of bytes that packing reads.
    pub(crate) fn bytes_packed_from(&self) -> u64 {
        self.bytes_alive() + self.decisions.bytes_to_pack()
    }

    /// Bytes at rest that are not shared with `later`, which continued from a copy.
    pub(crate) fn bytes_at_rest(&self, later: Option<&Self>) -> u64 {
        #[cfg(any(feature = "cli", feature = "closeup"))]
        let gaps = self.gap_counts.bytes_beside(later.map(|l| &l.gap_counts))
            + self.pauses.bytes_beside(later.map(|l| &l.pauses));
        #[cfg(not(any(feature = "cli", feature = "closeup")))]
        let gaps = 0;
        gaps + self.judgements.bytes_beside(later.map(|l| &l.judgements))
            + self.ttft_log.bytes_beside(later.map(|l| &l.ttft_log))
            + self.e2e_log.bytes_beside(later.map(|l| &l.e2e_log))
            + self.ttft_prefill_log.bytes_beside(later.map(|l| &l.ttft_prefill_log))
            + self.log.bytes_beside(later.map(|l| &l.log))
            + self.steps.bytes_beside(later.map(|l| &l.steps))
            + self.window.bytes_beside(later.map(|l| &l.window))
            + self.decisions.bytes_beside(later.map(|l| &l.decisions))
            + self.texts.bytes_beside(later.map(|l| &l.texts))
            + self.meters.bytes_beside(later.map(|l| &l.meters))
            + self
                .detectors
                .as_ref()
                .map_or(0, |d| d.bytes_beside(later.and_then(|l| l.detectors.as_deref())))
    }
}
