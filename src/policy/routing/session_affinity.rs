//! All requests of a session go to one replica.
//!
//! `sticky` remembers where a session went, as long as that replica takes requests; a new session, or one whose replica has
//! been taken away, goes to the least loaded replica. At most so many sessions are remembered, the least recently used
//! forgotten first. `consistent-hash` remembers nothing: every replica draws a number from (session, replica) and the
//! highest wins (rendezvous hashing), so that a replica that leaves moves only its own sessions, and one that comes takes
//! its share evenly. A request without a session counts as a session of its own.

use super::least_loaded::least_loaded;
use super::lru::Lru;
use super::{Fleet, Router, Scores};
use crate::base::content::source_name;
use crate::policy::RequestView;
use crate::scenario::{SessionAffinity as Settings, SessionMode};
use serde::{Deserialize, Serialize};

/// One replica for each session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionAffinity {
    mode: SessionMode,
    most_sessions: u32,
    /// Where each session goes.
    homes: Lru,
}

/// Families of hashes: sessions, and requests without one.
const SESSION: u64 = 1 << 40;
const REQUEST: u64 = 2 << 40;

impl SessionAffinity {
    pub(super) fn new(s: &Settings) -> Self {
        Self { mode: s.mode, most_sessions: s.most_sessions, homes: Lru::default() }
    }

    fn sticky(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>) -> usize {
        if request.session == 0 {
            return least_loaded(fleet);
        }
        let session = u64::from(request.session);
        let home = self.homes.get(session);
        let there = home.and_then(|home| fleet.replicas.iter().position(|v| v.id.0 == home));
        let position = there.unwrap_or_else(|| least_loaded(fleet));
        let new = self.homes.put(session, fleet.replicas[position].id.0);
        if new && self.homes.len() > self.most_sessions as usize {
            self.homes.pop_oldest();
        }
        position
    }
}

/// The position of the highest number drawn from (session, replica).
fn by_hash(request: &RequestView<'_>, fleet: &Fleet<'_>) -> usize {
    let key = if request.session > 0 {
        SESSION | u64::from(request.session)
    } else {
        REQUEST | u64::from(request.id.0)
    };
    let draw = |position: &usize| source_name(key, u64::from(fleet.replicas[*position].id.0));
    (0..fleet.replicas.len()).max_by_key(draw).expect("INV-2: there is a replica")
}

impl Router for SessionAffinity {
    fn pick(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, _: &mut Scores) -> usize {
        match self.mode {
            SessionMode::Sticky => self.sticky(request, fleet),
            SessionMode::ConsistentHash => by_hash(request, fleet),
        }
    }
}
