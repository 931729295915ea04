//! A limit on sessions: a request of another session waits until one of those let in has sent nothing for a while.

use super::{Admission, Circumstances, RetryWhen, Verdict};
use crate::policy::Reason;
use crate::policy::RequestView;
use base::units::US_PER_S;
use base::{Micros, Span, math};
use document::{OverLimit, SessionCap as Settings};
use serde::{Deserialize, Serialize};

/// A limit on the sessions that were let in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionCap {
    max_sessions: u32,
    idle: Span,
    then: OverLimit,
    /// The sessions that were let in, in order of number.
    active: Vec<Active>,
}

/// A session that was let in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Active {
    session: u32,
    in_flight: u32,
    /// When its latest request left.
    since: Micros,
}

impl SessionCap {
    pub(super) fn new(s: &Settings) -> Self {
        let idle = math::round_to_span(s.idle_s * US_PER_S as f64);
        Self { max_sessions: s.max_sessions, idle, then: s.then, active: Vec::new() }
    }

    /// Continues with the sessions of `before`.
    pub(super) fn resume(&mut self, before: Self) {
        self.active = before.active;
    }

    /// When a session gives its place back, if it sends nothing; `None` while a request of it is in flight.
    fn gone_at(&self, active: &Active) -> Option<Micros> {
        (active.in_flight == 0).then(|| active.since.saturating_add(self.idle))
    }

    fn is_active(&self, active: &Active, now: Micros) -> bool {
        self.gone_at(active).is_none_or(|at| at > now)
    }

    fn place(&self, session: u32) -> Result<usize, usize> {
        self.active.binary_search_by(|active| active.session.cmp(&session))
    }
}

impl Admission for SessionCap {
    fn decide(&mut self, request: &RequestView<'_>, _: Circumstances) -> Verdict {
        let (session, now) = (request.session, request.now);
        if session == 0 {
            return Verdict::Admit;
        }
        let mut active = std::mem::take(&mut self.active);
        active.retain(|a| self.is_active(a, now));
        self.active = active;
        match self.place(session) {
            Ok(at) => self.active[at].in_flight += 1,
            Err(at) if (self.active.len() as u32) < self.max_sessions => {
                self.active.insert(at, Active { session, in_flight: 1, since: now });
            }
            Err(_) if self.then == OverLimit::Reject => return Verdict::Reject(Reason::SessionCap),
            Err(_) => {
                let free = self.active.iter().filter_map(|active| self.gone_at(active)).min();
                let when = free.map_or(RetryWhen::WhenOneLeaves, RetryWhen::At);
                return Verdict::Delay(Reason::SessionCap, when);
            }
        }
        Verdict::Admit
    }

    fn overtakes(&self, session: u32, now: Micros) -> bool {
        session == 0 || self.place(session).is_ok_and(|at| self.is_active(&self.active[at], now))
    }

    fn left(&mut self, session: u32, now: Micros) {
        if let Ok(at) = self.place(session) {
            let active = &mut self.active[at];
            // One that was let in by another policy was not counted.
            active.in_flight = active.in_flight.saturating_sub(1);
            active.since = now;
        }
    }
}
