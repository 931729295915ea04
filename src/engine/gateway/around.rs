//! What the gateway works with.

use crate::clock::Clock;
use crate::fleet::Fleet;
use crate::request::Book;
use base::{Micros, RequestId};

/// What the gateway works with: the clock, the replicas and the book of requests.
pub(crate) struct Around<'a> {
    pub(crate) now: Micros,
    pub(crate) clock: &'a mut Clock,
    pub(crate) fleet: &'a mut Fleet,
    pub(crate) book: &'a mut Book,
}

impl Around<'_> {
    /// A request has left the system from the gateway: nothing of its KV is wanted any more.
    pub(super) fn session_left(&mut self, request: RequestId) {
        if let Some(life) = self.fleet.life_mut() {
            life.left(request, self.book.here(request));
        }
    }
}
