//! Requests: generated from client descriptions, given one by one, or read from a recorded trace.
//!
//! A [`Source`] is an iterator of requests in order of arrival, drawing from its own random streams. It does not
//! depend on the cluster, so the same scenario and seed give the same requests under every policy.

mod adapters;
mod agents;
mod arrivals;
mod client;
mod conversations;
mod explicit;
mod lengths;
mod names;
mod next_turn;
mod on_off;
mod places;
mod prefixes;
mod released;
mod replay;
mod returns;
#[cfg(any(feature = "cli", feature = "closeup"))]
mod shared_texts;
mod source;
#[cfg(test)]
mod tests;
pub mod trace;
mod turns;

pub use next_turn::NextTurn;
#[cfg(any(feature = "cli", feature = "closeup"))]
pub use shared_texts::SharedText;
pub use source::{Source, digest_of, replayed};
pub use trace::{Trace, TraceColumns, TraceFound, TraceLines, TraceReader, TraceReading, TraceSummary};

use base::{Content, Micros, Piece};
use document::SloClass;
use serde::{Deserialize, Serialize};

/// One request as it arrives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestSpec {
    /// When it arrives.
    pub arrival: Micros,
    /// Number of its client: clients first, then the tenants of explicit requests in order of first appearance.
    pub client: u32,
    /// Number of its tenant in [`Source::tenants`].
    pub tenant: u32,
    /// Number of its SLO class name in [`Source::classes`].
    pub class: u32,
    /// Number of its model in [`Source::models`]; 0 for any.
    pub model: u32,
    /// Number of its adapter, see [`Source::adapter`]; 0 for the base model.
    pub adapter: u32,
    /// Number of its session; 0 for none. Conversations have the highest bit set.
    pub session: u32,
    /// How urgent its client says it is; larger is more urgent.
    pub priority: i32,
    /// Rank of its name among all explicit requests in alphabetical order; position in order of arrival otherwise.
    pub rank: u32,
    /// Position in the scenario's list of explicit requests. Otherwise the highest bit is set, and the bits below are its place in its
    /// session, if others wait for its end, or all set.
    pub listed: u32,
    /// The prompt.
    pub prompt: Content,
    /// Its length.
    pub prompt_tokens: u32,
    /// The answer; no policy may know its length before it is produced.
    pub output: Piece,
}

/// The value of [`RequestSpec::listed`] for a request that is not in the scenario's list.
pub const NOT_LISTED: u32 = u32::MAX;

/// The bit of [`RequestSpec::listed`] for a request that is not in that list.
const CONTINUES: u32 = 1 << 31;

impl RequestSpec {
    /// Whether it is one of the scenario's explicit requests.
    fn is_listed(&self) -> bool {
        self.listed & CONTINUES == 0
    }
}

/// The place of a request in its session, if the source noted one.
fn place_of(listed: u32) -> Option<u32> {
    (listed & CONTINUES != 0 && listed != NOT_LISTED).then_some(listed & !CONTINUES)
}

/// Number of a class in [`Source::classes`].
pub fn class_number(class: SloClass) -> u32 {
    class.rank() + 1
}

/// Families of text names for [`base::content::source_name`]. Part of every result: never renumber.
mod family {
    /// Own part of a generated prompt, by client and number.
    pub(super) const CLIENT_PROMPT: u64 = 1;
    /// Generated answer, by client and number.
    pub(super) const CLIENT_OUTPUT: u64 = 2;
    /// Shared prefix, by client and group.
    pub(super) const CLIENT_PREFIX: u64 = 3;
    /// Block of a trace, by its hash id.
    pub(super) const TRACE_BLOCK: u64 = 4;
    /// Part of a trace prompt that no hash id covers, by row.
    pub(super) const TRACE_PROMPT: u64 = 5;
    /// Answer of a trace request, by row.
    pub(super) const TRACE_OUTPUT: u64 = 6;
    /// Named prefix of a trace, by the digest of its name.
    pub(super) const TRACE_PREFIX: u64 = 7;
    /// Whole text of a conversation, by client and number.
    pub(super) const CONVERSATION: u64 = 8;
    /// Text of a sub-agent, by client, session, turn and number.
    pub(super) const SUB_AGENT: u64 = 9;
    /// No text: whether a session of a trace is in a share of them, by its number.
    pub(super) const TRACE_SESSION_IN_SHARE: u64 = 30;
    /// No text: whether a row of a trace without a session is in a share of them, by its number.
    pub(super) const TRACE_ROW_IN_SHARE: u64 = 31;
    /// Shared prefix of clients that name a set of them, by the digest of its name and the group.
    pub(super) const SHARED_PREFIX: u64 = 32;
}
