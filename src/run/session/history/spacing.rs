//! The spacing of checkpoints: how many events after the one before the next is taken.

use super::History;
use base::PACKS;

impl History {
    /// Events between two checkpoints. During a seek, packing one may take longer than running the events, as further
    /// seeks near the target are likely. It may take as long as the events while the run plays with time to spare,
    /// and a fifteenth of the time while it plays as fast as it can. Checkpoints that would soon be dropped are not
    /// made.
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

    /// The number of events that justifies the time for packing `bytes` bytes. Nanoseconds are those of a native run:
    /// both take about 1.4 times as long in WebAssembly.
    fn events_as_long_as_packing(&self, bytes: u64) -> u64 {
        /// Lines of the event log since the checkpoint before, as many as are kept.
        const LOGGED_NS: u64 = 150;
        const MOST_LOGGED: u64 = 20_000;
        const BYTE_NS: u64 = 1;
        /// Rows watched-8 to watched-1024 of the benchmarks: 200, 300, 550 and 2,400. Routing reads each replica, and
        /// with more replicas fewer of them are in the CPU's caches.
        const EVENT_NS: u64 = 200;
        const EVENT_NS_PER_REPLICA: u64 = 2;
        /// Running time between two checkpoints, in percent of the time to pack one.
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

    /// Number of events after which the next checkpoint is due: not where one exists already, and not shortly before
    /// one.
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
