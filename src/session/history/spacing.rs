//! Where the next checkpoint comes: how many events after the one before.

use super::History;
use crate::base::PACKS;

impl History {
    /// Events between two checkpoints. On the way to an instant packing one may take longer than running them, as one goes about there
    /// next, and as long where the run plays and has time to spare; where it plays as fast as it can, a fifteenth of the time. Those
    /// that would soon have to go are not made.
    pub(super) fn spacing(&self) -> u64 {
        const BYTES_COPIED_PER_EVENT: u64 = 32;
        const DENSER: u64 = 2;
        let kept = &self.line().kept;
        let read = kept.last().map_or(0, |c| c.read);
        let apart = if PACKS { self.events_as_long_as_packing(read) } else { read / BYTES_COPIED_PER_EVENT };
        let even = if self.present.now() < self.on_its_way_to && self.front().is_none() {
            self.events_between_all()
        } else if self.thinned {
            self.present.events() / (DENSER * kept.len() as u64)
        } else {
            0
        };
        self.budget.events.max(apart).max(even)
    }

    /// Events that take as long as the run can afford for packing so many bytes. Nanoseconds are those of a native run:
    /// both take about 1.4 times as long in WebAssembly.
    fn events_as_long_as_packing(&self, bytes: u64) -> u64 {
        /// Lines of the event log since the checkpoint before, as many as are kept.
        const LOGGED_NS: u64 = 150;
        const MOST_LOGGED: u64 = 20_000;
        const BYTE_NS: u64 = 1;
        /// Rows watched-8 to watched-1024 of the benchmarks: 200, 300, 550 and 2,400. Routing looks at each replica, and the more there
        /// are, the less of them is in the caches.
        const EVENT_NS: u64 = 200;
        const EVENT_NS_PER_REPLICA: u64 = 2;
        /// How long it runs between two checkpoints, in percent of what packing one takes.
        const HURRIES: u64 = 1_400;
        const HAS_TIME: u64 = 100;
        const ON_ITS_WAY: u64 = 67;
        let percent = if self.hurries {
            HURRIES
        } else if self.present.now() < self.on_its_way_to {
            ON_ITS_WAY
        } else {
            HAS_TIME
        };
        let event = EVENT_NS + EVENT_NS_PER_REPLICA * self.present.engine.replicas().len() as u64;
        let logged = LOGGED_NS * self.present.events().min(MOST_LOGGED);
        percent * (logged + BYTE_NS * bytes) / (100 * event)
    }

    /// After how many events the next checkpoint is due: not where there is one already, and not shortly before one.
    pub(super) fn next_due(&self) -> u64 {
        let spacing = self.spacing();
        let mut due = self.present.events() + spacing;
        for known in self.line().kept.iter().map(|c| c.session.events()) {
            if known > self.present.events() && known < due + spacing / 2 {
                due = known + spacing;
            }
        }
        due
    }
}
