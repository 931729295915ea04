//! The permanent record of each request: what stays known of it.

use super::location::{Location, LocationCounts};
use super::slot::Slot;
use crate::facts::DropReason;
use crate::policy::Reason;
use crate::workload::RequestSpec;
use base::{Maybe, Micros, ReplicaId, Span};
use serde::{Deserialize, Serialize};

/// What reports call the place where a request is. It only moves forward, but for preemption, which leads from running to
/// queued.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestState {
    /// Between arrival and a wait queue.
    InPipeline,
    /// In a wait queue.
    Queued,
    /// In a batch.
    Running,
    /// All tokens shown.
    Completed,
    /// Refused by admission, the router or a full wait queue.
    Rejected,
    /// Impossible to serve.
    Dropped,
    /// Between its prefill replica and its home, where blocks are set aside for its KV.
    Transferring,
    /// At home with its KV, not in the batch yet.
    Landed,
    /// Its last attempt broke.
    Lost,
}

impl RequestState {
    /// Its name in reports and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::InPipeline => "in-pipeline",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Transferring => "transferring",
            Self::Landed => "landed",
            Self::Completed => "completed",
            Self::Rejected => "rejected",
            Self::Dropped => "dropped",
            Self::Lost => "lost",
        }
    }
}

/// What stays known of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// When it arrived.
    pub arrival: Micros,
    /// Number of its client.
    pub client: u32,
    /// Number of its tenant.
    pub tenant: u32,
    /// Number of its SLO class.
    pub class: u32,
    /// Number of its session; 0 if it stands alone.
    pub session: u32,
    /// Position in the scenario's list of explicit requests; `u32::MAX` otherwise.
    pub listed: u32,
    /// Prompt length.
    pub prompt_tokens: u32,
    /// Output length. No policy knows it in advance.
    pub output_tokens: u32,
    /// Where it is; it goes elsewhere by [`Self::relocate`].
    pub(super) location: Location,
    /// When it joined the gateway's queue; unknown without flow control.
    pub entered: Maybe<Micros>,
    /// When it went on to the router.
    pub admitted: Maybe<Micros>,
    /// When the router decided.
    pub routed: Maybe<Micros>,
    /// When the front end of its replica had dealt with its prompt; unknown without a front end.
    pub tokenised: Maybe<Micros>,
    /// When it joined the wait queue.
    pub queued: Maybe<Micros>,
    /// When it first joined a batch.
    pub first_scheduled: Maybe<Micros>,
    /// When it last joined a batch.
    pub scheduled: Maybe<Micros>,
    /// The replica's step that it last joined.
    pub sched_step: u32,
    /// Prompt tokens found in the cache when it last joined.
    pub cached_tokens: u32,
    /// How often it was preempted.
    pub preemptions: u32,
    /// Time to first token.
    pub ttft: Maybe<Span>,
    /// End-to-end latency.
    pub e2e: Maybe<Span>,
    /// When it left: completed, dropped or refused.
    pub left: Maybe<Micros>,
    /// The replica's step that completed it.
    pub finish_step: u32,
    /// Tokens whose KV was in the cache when it left (completed or dropped).
    pub progress: u32,
    /// Tokens it had produced when it left.
    pub generated: u32,
    /// Sum of the gaps between its tokens when it left.
    pub itl_sum: Span,
    /// Output processing of its first token, with its time in the front end.
    pub first_output: Span,
    /// Output processing of all its tokens when it left, each as long as it took when the token was shown; with the time of the
    /// last token in the front end if it completed.
    pub output_time: Span,
    /// Time of its first token in the front end, and of its last one if it completed.
    pub streamed: [Span; 2],
    /// Why it was dropped.
    pub drop: Option<DropReason>,
    /// Why it was refused, or is held back.
    pub refused: Option<Reason>,
    /// Its slot while it is in the system.
    pub(crate) slot: Slot,
}

impl Record {
    /// A request of `spec` that has just arrived at the gateway.
    pub(crate) fn new(spec: &RequestSpec, slot: Slot, locations: &mut LocationCounts) -> Self {
        locations.enter(Location::Gateway);
        Self {
            client: spec.client,
            tenant: spec.tenant,
            class: spec.class,
            session: spec.session,
            listed: spec.listed,
            prompt_tokens: spec.prompt_tokens,
            output_tokens: spec.output.len,
            slot,
            ..Self::at_rest(spec.arrival, Location::Gateway)
        }
    }

    /// A request that arrived then, is there and in no slot, and of which nothing else is known yet.
    pub(crate) fn at_rest(arrival: Micros, location: Location) -> Self {
        Self {
            arrival,
            client: 0,
            tenant: 0,
            class: 0,
            session: 0,
            listed: 0,
            prompt_tokens: 0,
            output_tokens: 0,
            location,
            entered: Maybe::NONE,
            admitted: Maybe::NONE,
            routed: Maybe::NONE,
            tokenised: Maybe::NONE,
            queued: Maybe::NONE,
            first_scheduled: Maybe::NONE,
            scheduled: Maybe::NONE,
            sched_step: 0,
            cached_tokens: 0,
            preemptions: 0,
            ttft: Maybe::NONE,
            e2e: Maybe::NONE,
            left: Maybe::NONE,
            finish_step: 0,
            progress: 0,
            generated: 0,
            itl_sum: Span::ZERO,
            first_output: Span::ZERO,
            output_time: Span::ZERO,
            streamed: [Span::ZERO; 2],
            drop: None,
            refused: None,
            slot: Slot::NONE,
        }
    }

    /// What stands for the record of a request that has left, in a run that keeps no rows.
    pub(crate) fn forgotten() -> Self {
        Self { left: Micros::ZERO.into(), ..Self::at_rest(Micros::MAX, Location::Rejected) }
    }

    /// Whether it stands for another record. No request arrives at that instant.
    pub(crate) fn is_forgotten(&self) -> bool {
        self.arrival == Micros::MAX
    }

    /// Whether it is one of the scenario's list.
    pub(crate) fn is_listed(&self) -> bool {
        self.listed >> 31 == 0
    }

    /// Where it is.
    pub fn location(&self) -> Location {
        self.location
    }

    /// The same record of a request elsewhere.
    #[cfg(test)]
    pub(crate) fn at(self, location: Location) -> Self {
        Self { location, ..self }
    }

    /// What reports call that.
    pub fn state(&self) -> RequestState {
        self.location.state()
    }

    /// The replica that has it, or had it when it left.
    pub fn replica(&self) -> Option<ReplicaId> {
        self.location.replica()
    }

    /// When it completed.
    pub fn finish(&self) -> Maybe<Micros> {
        if self.e2e.is_known() { self.left } else { Maybe::NONE }
    }

    /// It goes to another place: the only way to get there.
    #[inline]
    pub(crate) fn relocate(&mut self, to: Location, locations: &mut LocationCounts) {
        let from = self.location;
        assert!(
            from.leads_to(to),
            "INV-2: a request that arrived at {:?} went from {from:?} to {to:?}",
            self.arrival
        );
        locations.leave(from);
        locations.enter(to);
        self.location = to;
    }
}

/// What one request has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Tokens whose KV is in the cache.
    pub stored: u32,
    /// Output tokens produced.
    pub generated: u32,
    /// Tokens to prefill before the next output token.
    pub prefill: u32,
    /// Sum of the gaps between its tokens.
    pub itl_sum: Span,
    /// Number of these gaps.
    pub itl_count: u32,
    /// Blocks it holds.
    pub blocks: u32,
    /// Whether it decodes.
    pub decoding: bool,
    /// When the prompt was computed of one that decodes or did so in its batch last; not of one that has left.
    pub decoding_from: Option<Micros>,
    /// Output processing of these tokens.
    pub output_time: Span,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_stays_small_for_there_is_one_for_each_request_of_a_run() {
        assert!(size_of::<Record>() <= 200, "{} bytes", size_of::<Record>());
    }
}
