//! What the gateway works with.

use crate::clock::Clock;
use crate::fleet::Fleet;
use crate::request::Book;
use base::Micros;

/// What the gateway works with: the clock, the replicas and the book of requests.
pub(crate) struct Around<'a> {
    pub(crate) now: Micros,
    pub(crate) clock: &'a mut Clock,
    pub(crate) fleet: &'a mut Fleet,
    pub(crate) book: &'a mut Book,
}
