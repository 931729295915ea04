//! The result of an explanation: where the time of slow requests went beside that of fast ones, and the sentences that
//! say so.

use super::account::{AccountedTime, Cause};
use super::saying::Sentence;
use super::tiers::TierFindings;
use serde::Serialize;

/// Where the time of slow requests went, beside that of fast ones.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The time to explain.
    pub time: AccountedTime,
    /// The explained requests, in words.
    pub slow_words: String,
    /// The requests compared with.
    pub fast_words: String,
    /// The shortest time of the explained requests, in milliseconds.
    pub threshold_ms: f64,
    /// The explained requests.
    pub slow: RequestGroup,
    /// The requests compared with.
    pub fast: RequestGroup,
    /// By how much longer the slow ones took on average, in milliseconds.
    pub diff_ms: f64,
    /// Requests of the same span that were lost, and so have no time.
    pub lost: u64,
    /// The causes of their time, in order of occurrence. They add up to the means of the groups.
    pub causes: Vec<CausePart>,
    /// What keeps tiers below the GPU from finding more; missing where nothing does, and without any.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiers: Option<TierFindings>,
    /// The sentences of the explanation.
    pub sentences: Vec<Sentence>,
}

/// A group of requests: the explained ones, or those compared with.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RequestGroup {
    /// How many.
    pub requests: u64,
    /// The mean of their times, in milliseconds.
    pub mean_ms: f64,
    /// The mean of their prompts, in tokens.
    pub prompt_tokens: f64,
    /// The mean of their answers, in tokens.
    pub output_tokens: f64,
    /// Share of their prompt tokens that were in the cache of their replica, 0 to 1.
    pub cached_share: f64,
    /// Share of them that were preempted.
    pub preempted_share: f64,
    /// Share of them that were sent to a replica with more load than the router saw.
    pub stale_share: f64,
    /// Share of them that needed another attempt.
    pub retried_share: f64,
}

/// One cause in both groups.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CausePart {
    /// The cause.
    pub cause: Cause,
    /// Its name.
    pub name: String,
    /// The mean over the slow requests, in milliseconds.
    pub slow_ms: f64,
    /// The mean over the fast ones.
    pub fast_ms: f64,
    /// The difference of the two.
    pub diff_ms: f64,
    /// The difference as a share of that of the whole times; negative if the slow ones took less.
    pub diff_share: f64,
    /// The slow requests that had most of it, the most first.
    pub evidence: Vec<CauseEvidence>,
    /// The clients of these prompts, if the time went to prompts of others: the largest share first.
    pub clients: Vec<ClientShare>,
}

/// A request that shows a cause.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CauseEvidence {
    /// The request.
    pub request: u32,
    /// Its replica.
    pub replica: u32,
    /// When this began, in microseconds.
    pub at_us: u64,
    /// Its time for this cause, in milliseconds.
    pub ms: f64,
}

/// A client's share.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClientShare {
    /// The client.
    pub client: String,
    /// Its share, 0 to 1.
    pub share: f64,
}
