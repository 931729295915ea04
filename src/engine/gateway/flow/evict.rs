//! Eviction: a request in flight of negative priority makes room for a higher band that has to wait.

use super::queue::FlowQueue;
use crate::gateway::around::Around;
use base::RequestId;

impl FlowQueue {
    /// A request of that priority is sent to a replica.
    pub(super) fn note_sent(&mut self, request: RequestId, priority: i32) {
        if self.settings.eviction && priority < 0 {
            self.evictable.push((priority, request));
        }
    }

    /// A request has left its replica.
    pub(super) fn note_left(&mut self, request: RequestId) {
        if self.evicting == Some(request) {
            self.evicting = None;
        }
        if !self.evictable.is_empty() {
            self.evictable.retain(|(_, other)| *other != request);
        }
    }

    /// A band of that priority has to wait: of the requests in flight below it and below 0, the newest of the lowest priority is
    /// stopped. The next one is stopped after it has left.
    pub(super) fn evict_below(&mut self, priority: i32, around: &mut Around<'_>) {
        if self.evicting.is_some() || self.evictable.is_empty() {
            return;
        }
        let mut victim: Option<(i32, RequestId)> = None;
        for &(of, request) in &self.evictable {
            let can = of < priority && around.book.here(request).location().is_in_replica();
            if can && victim.is_none_or(|(lowest, _)| of <= lowest) {
                victim = Some((of, request));
            }
        }
        let Some((_, request)) = victim else { return };
        self.evicting = Some(request);
        let replica = around.book.here(request).replica().expect("INV-2: a request in a replica has one");
        let next_at = around.fleet.evict(replica, request, around.now);
        around.clock.set_replica(replica.index(), next_at);
    }
}
