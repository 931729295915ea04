//! Where the time of one request went, cause by cause: the causes add up to its time, to the microsecond.
//!
//! The segments of its life (`observe::segments`) follow each other without gaps. Segments that depend on other
//! requests are divided by what its replica's steps were spent on meanwhile.

use super::steps::{Spent, StepLog};
use base::{Micros, ReplicaId, RequestId};
use engine::{Cluster, Handover};
use run::observe::{SegmentKind, segments};
use serde::{Deserialize, Serialize};

/// The time of a request that is explained.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccountedTime {
    /// Arrival to first token.
    Ttft,
    /// Arrival to last token.
    #[default]
    E2e,
}

/// The cause of a part of a request's time.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Held back by admission, or on its way there.
    Admission,
    /// In the gateway's queue, while the replicas were saturated.
    Gateway,
    /// On its way to the router and to the replica.
    Way,
    /// In the front end of its replica before it was queued.
    FrontEnd,
    /// In the wait queue, while prompts of others were computed.
    QueuePrompts,
    /// In the wait queue, while others decoded.
    QueueDecoding,
    /// In the wait queue, while no step ran.
    QueueIdle,
    /// Waiting for blocks to be loaded from the CPU tier, or for adapters to be loaded to the GPU.
    Load,
    /// Its own prompt: its share of what prompts added to the steps that computed it.
    Prompt,
    /// The rest of these steps: prompts of others, and decoding.
    PromptOthers,
    /// In the queue of its decode replica until blocks were set aside for it.
    Room,
    /// Its KV on the way from the prefill to the decode replica, with the time before the first byte.
    Transfer,
    /// All its KV there, waiting to join the batch of its decode replica.
    Join,
    /// Its decoding steps, as long as they would have been without prompts of others.
    Decoding,
    /// What prompts of others added to its decoding steps.
    Interference,
    /// In the wait queue again, after it lost its blocks.
    Preempted,
    /// Recomputing the tokens that it lost.
    Recompute,
    /// Its last token in the front end, or its first one in an account of TTFT.
    Streaming,
    /// Output processing of its tokens.
    Output,
    /// In attempts that broke, and before the next one.
    Retry,
}

/// How many causes there are.
pub const CAUSES: usize = 20;

impl Cause {
    /// All of them, in order of occurrence.
    pub const ALL: [Self; CAUSES] = [
        Self::Admission,
        Self::Gateway,
        Self::Way,
        Self::FrontEnd,
        Self::QueuePrompts,
        Self::QueueDecoding,
        Self::QueueIdle,
        Self::Load,
        Self::Prompt,
        Self::PromptOthers,
        Self::Room,
        Self::Transfer,
        Self::Join,
        Self::Decoding,
        Self::Interference,
        Self::Preempted,
        Self::Recompute,
        Self::Streaming,
        Self::Output,
        Self::Retry,
    ];

    /// Its name in a list.
    pub fn name(self) -> &'static str {
        match self {
            Self::Admission => "Held back by admission",
            Self::Gateway => "Waiting in the gateway's queue",
            Self::Way => "On the way to the replica",
            Self::FrontEnd => "In the front end",
            Self::QueuePrompts => "Waiting behind prompts",
            Self::QueueDecoding => "Waiting behind decoding",
            Self::QueueIdle => "Waiting, no step running",
            Self::Load => "Loading KV or adapters",
            Self::Prompt => "Own prompt",
            Self::PromptOthers => "Others in the steps of its prompt",
            Self::Room => "Waiting for room at the decode replica",
            Self::Transfer => "KV transfer",
            Self::Join => "Waiting to join the decode batch",
            Self::Decoding => "Decoding",
            Self::Interference => "Prompts of others while decoding",
            Self::Preempted => "Preempted, waiting again",
            Self::Recompute => "Recomputing lost tokens",
            Self::Streaming => "Tokens in the front end",
            Self::Output => "Output processing",
            Self::Retry => "Attempts that broke, and back-offs",
        }
    }

    /// The same within a sentence.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Self::Admission => "being held back by admission",
            Self::Gateway => "waiting in the gateway's queue",
            Self::Way => "the way to the replica",
            Self::FrontEnd => "the front end, which tokenises one prompt after the other",
            Self::QueuePrompts => "waiting while prompts of others were computed",
            Self::QueueDecoding => "waiting while others decoded",
            Self::QueueIdle => "waiting while no step ran",
            Self::Load => "loading KV from the CPU tier or adapters",
            Self::Prompt => "their own prompts",
            Self::PromptOthers => "sharing the steps of their prompts with others",
            Self::Room => "waiting for room at their decode replica",
            Self::Transfer => "the transfer of their KV to the decode replica",
            Self::Join => "waiting to join the batch of their decode replica",
            Self::Decoding => "decoding",
            Self::Interference => "prompts of others in their decoding steps",
            Self::Preempted => "waiting again after they were preempted",
            Self::Recompute => "recomputing lost tokens",
            Self::Streaming => "tokens that wait for the front end to write them",
            Self::Output => "output processing",
            Self::Retry => "attempts that broke, and the back-offs after them",
        }
    }

    /// Whether only requests that move from a prefill to a decode replica have it.
    pub fn is_of_handover(self) -> bool {
        matches!(self, Self::Room | Self::Transfer | Self::Join)
    }

    /// Whether the time went to prompts of other requests.
    pub(super) fn is_prompts_of_others(self) -> bool {
        matches!(self, Self::QueuePrompts | Self::PromptOthers | Self::Interference)
    }
}

/// A stretch of a request's time that is divided in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// Start in microseconds.
    pub(super) from: u64,
    /// End.
    pub(super) to: u64,
    /// The kind of its segment.
    pub(super) kind: SegmentKind,
    /// The replica where it was, on its way there included.
    pub(super) replica: ReplicaId,
}

/// The account of one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// By cause, in microseconds.
    pub us: [u64; CAUSES],
    /// The stretches that it was made from.
    pub(super) stretches: Vec<Stretch>,
}

impl Account {
    /// The account of a request that has the time in question.
    pub(super) fn of(engine: &Cluster, log: &StepLog, id: RequestId, time: AccountedTime) -> Option<Self> {
        let r = engine.records().at(id.index());
        let e2e = r.e2e.get()?;
        let span = if time == AccountedTime::E2e { e2e } else { r.ttft.get()? };
        let (end, last) = ((r.arrival + span).0, r.replica()?);
        let handover = engine.handover(id).filter(|h| h.prefill.is_some());
        // The client sees the first token before the hand-over if the prefill replica shows it.
        let shown_early = time == AccountedTime::Ttft && handover.is_some_and(|h| h.ahead > 0);
        let computed = (end - r.first_output.0.min(span.0)).max(r.arrival.0);
        let mut account = Self::default();
        for segment in segments::segments(engine, id, r.arrival + e2e) {
            let (from, to) = (segment.from_us, segment.to_us.min(end));
            if from >= to {
                continue;
            }
            // The time between a prompt and the first token is that token's way through the front end and its output processing.
            let early = time == AccountedTime::Ttft && segment.kind == SegmentKind::Decode
                || shown_early && from >= computed;
            let parts = if early {
                let begin = if shown_early { computed } else { from };
                let written = (begin + r.streamed[0].0).clamp(from, to);
                [(SegmentKind::Streaming, from, written), (SegmentKind::Output, written, to)]
            } else {
                [(segment.kind, from, to), (segment.kind, to, to)]
            };
            let replica = handover.map_or(last, |h| place(h, from));
            for (kind, from, to) in parts.into_iter().filter(|(_, from, to)| from < to) {
                account.stretches.push(Stretch { from, to, kind, replica });
                let spent = || log.spent(replica, from, to);
                account.divide(kind, to - from, log.of(id).own_prompt_us, spent);
            }
        }
        let sum: u64 = account.us.iter().sum();
        assert!(sum == span.0, "INV-3: the parts of {id:?} come to {sum} us of {}", span.0);
        Some(account)
    }

    fn add(&mut self, cause: Cause, us: u64) {
        self.us[cause as usize] += us;
    }

    fn divide(&mut self, kind: SegmentKind, whole: u64, own_prompt: u64, spent: impl Fn() -> Spent) {
        match kind {
            SegmentKind::Admission => self.add(Cause::Admission, whole),
            SegmentKind::Gateway => self.add(Cause::Gateway, whole),
            SegmentKind::Router | SegmentKind::Delay => self.add(Cause::Way, whole),
            SegmentKind::FrontEnd => self.add(Cause::FrontEnd, whole),
            SegmentKind::Streaming => self.add(Cause::Streaming, whole),
            SegmentKind::KvLoad | SegmentKind::AdapterLoad => self.add(Cause::Load, whole),
            SegmentKind::Preempted => self.add(Cause::Preempted, whole),
            SegmentKind::Recompute => self.add(Cause::Recompute, whole),
            SegmentKind::Output => self.add(Cause::Output, whole),
            SegmentKind::Broken | SegmentKind::BackOff => self.add(Cause::Retry, whole),
            SegmentKind::Queue => {
                let s = spent();
                self.add(Cause::QueuePrompts, s.prompts);
                self.add(Cause::QueueDecoding, s.decoding + s.transfers);
                self.add(Cause::QueueIdle, s.idle);
            }
            SegmentKind::Prefill => {
                let s = spent();
                let own = own_prompt.min(s.prompts);
                self.add(Cause::Prompt, own + s.idle);
                self.add(Cause::PromptOthers, s.prompts - own + s.decoding);
                self.add(Cause::Load, s.transfers);
            }
            SegmentKind::Room => self.add(Cause::Room, whole),
            SegmentKind::FirstByte | SegmentKind::Transfer => self.add(Cause::Transfer, whole),
            SegmentKind::Join => self.add(Cause::Join, whole),
            SegmentKind::FirstToken | SegmentKind::Decode => {
                let s = spent();
                self.add(Cause::Interference, s.prompts);
                self.add(Cause::Decoding, s.decoding + s.idle);
                self.add(Cause::Load, s.transfers);
            }
        }
    }
}

/// Where a request that is prefilled elsewhere is at an instant: on its prefill replica from the reservation (push) or the
/// routing (pull) to the end of its prefill, else at home.
fn place(h: &Handover, at: u64) -> ReplicaId {
    let before = |instant: Option<Micros>| instant.is_none_or(|instant| at < instant.0);
    match h.prefill {
        Some(prefill) if before(h.prefill_end.get()) && !(h.push && before(h.reserved.get())) => prefill,
        Some(_) | None => h.home,
    }
}
