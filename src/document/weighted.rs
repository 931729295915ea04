//! The weighted router: its scorers, filters and picker, and the profiles that set them.

use super::fields::{fields, without_fields};
use super::{Filter, LatencyPrediction, Picker, PrefixAffinityFilter, Scorer, Ties, limits};
use serde::{Deserialize, Serialize};

/// A weighted sum of scores, each from 0 to 1.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weighted {
    /// Set of scorers and weights. If only `scorers` are given, the profile is `custom`.
    pub profile: Profile,
    /// Scorers of the profile `custom`, in the order of summation. May be written as text, such as `prefix-affinity:3,queue-depth:2`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scorers: Vec<WeightedScorer>,
    /// Filters that remove replicas before scoring, in this order. Those of the profile come first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<Filter>,
    /// How a replica is chosen by the scores.
    #[serde(skip_serializing_if = "Picker::is_max")]
    pub picker: Picker,
    /// Which replica gets a request among equal sums. Only for the picker `max`.
    pub ties: Ties,
    /// Number of blocks that the router remembers per replica for `prefix-affinity`.
    pub prefix_index_blocks: u32,
    /// Tokens of a block in the router's memory. 0 is the profile's size: 64 for llm-d-1.0 and llm-d-1.0-decode, that of the replica's pool for others.
    #[serde(skip_serializing_if = "is_default")]
    pub prefix_block_tokens: u32,
    /// Leading tokens of a prompt that the router remembers and matches. 0 is the profile's limit: 131,072 for llm-d-1.0 and llm-d-1.0-decode, the whole prompt for others.
    #[serde(skip_serializing_if = "is_default")]
    pub prefix_match_tokens: u32,
    /// Score that `prefix-match` gives for a match, 0 to 1.
    #[serde(skip_serializing_if = "is_half")]
    pub prefix_match_bonus: f64,
    /// Tokens in flight at and above which `token-load` scores 0.
    #[serde(skip_serializing_if = "is_token_threshold")]
    pub token_threshold: u32,
    /// Which tokens of a request `token-load` counts. The profile llm-d-1.0 counts `uncached`.
    #[serde(skip_serializing_if = "is_default")]
    pub token_count: TokenCount,
    /// Until when `token-load` counts a request. The profile llm-d-1.0 counts until `first-token`.
    #[serde(skip_serializing_if = "is_default")]
    pub token_until: TokenUntil,
    /// Waiting requests at and above which `load-aware` scores 0.
    #[serde(skip_serializing_if = "is_waiting_threshold")]
    pub waiting_threshold: u32,
    /// Requests in flight up to which `active-requests` scores 1.
    #[serde(skip_serializing_if = "is_default")]
    pub idle_threshold: u32,
    /// Factor of the scores that `active-requests` gives to replicas with more requests than `idle_threshold`, 0 to 1.
    #[serde(skip_serializing_if = "is_one")]
    pub max_busy_score: f64,
    /// Predictions of latency, for the scorer `predicted-latency` and the filter `slo-headroom`.
    #[serde(skip_serializing_if = "is_default")]
    pub prediction: LatencyPrediction,
    /// Priority that the router gives a request with its choice: an expression of the chosen replica, rounded; the larger, the more urgent. Empty leaves it to the engine's priority policy.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub priority: String,
}

fields! {
    struct Weighted {
        profile: "Profile" and {
            "x-with": { "custom": { "scorers": Weighted::default().scorers() } },
            "x-stands-for": { "scorers": Profile::scorers() }
        } => Routing;
        scorers: "Scorers" up_to [limits::SCORERS, "scorers", "scorer"] and { "default": [] } => Routing;
        filters: "Filters" up_to [limits::FILTERS, "filters", "filter"] and { "default": [] } => Routing;
        picker: "Picker" and { "default": Picker::Max } => Routing;
        ties: "Ties" => Routing;
        prefix_index_blocks: "Prefix index" of "blocks" in [1, limits::KV_BLOCKS]
            or "10,000 blocks of 16 tokens are 160,000 tokens" and { "x-rare": true } => Routing;
        prefix_block_tokens: "Prefix block" of "tokens" in [0, limits::BLOCK_TOKENS]
            or "llm-d's router has blocks of 64 tokens"
            and { "x-rare": true, "default": 0 } => Routing;
        prefix_match_tokens: "Prefix match" of "tokens" in [0, limits::REQUEST_TOKENS]
            or "leave it out to match whole prompts"
            and { "x-rare": true, "default": 0 } => Routing;
        prefix_match_bonus: "Match bonus" in [0.0, 1.0] or "0.5 is half of the highest score" and { "x-rare": true, "default": 0.5 } => Routing;
        token_threshold: "Token threshold" of "tokens" in [1, limits::THRESHOLD]
            or "leave it out for llm-d's default"
            and { "x-rare": true, "default": TOKEN_THRESHOLD } => Routing;
        token_count: "Tokens counted" and { "x-rare": true, "default": TokenCount::Prompt } => Routing;
        token_until: "Counted until" and { "x-rare": true, "default": TokenUntil::End } => Routing;
        waiting_threshold: "Waiting threshold" of "req" in [1, limits::THRESHOLD]
            or "leave it out for llm-d's default"
            and { "x-rare": true, "default": WAITING_THRESHOLD } => Routing;
        idle_threshold: "Idle threshold" of "req" in [0, limits::IN_FLIGHT]
            or "0 is llm-d's default"
            and { "x-rare": true, "default": 0 } => Routing;
        max_busy_score: "Busy score" in [0.0, 1.0] or "1 is llm-d's default" and { "x-rare": true, "default": 1.0 } => Routing;
        priority: "Priority" and { "x-rare": true, "default": "" } => Routing;
        prediction: "Prediction" and { "x-rare": true, "default": LatencyPrediction::default() } => Routing;
    }
}

/// The defaults of llm-d.
const TOKEN_THRESHOLD: u32 = 4_194_304;
const WAITING_THRESHOLD: u32 = 128;
const PREFIX_BLOCK_TOKENS: u32 = 64;
const PREFIX_MATCH_TOKENS: u32 = 131_072;

fn is_default<T: Default + PartialEq>(x: &T) -> bool {
    *x == T::default()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_token_threshold(x: &u32) -> bool {
    *x == TOKEN_THRESHOLD
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_waiting_threshold(x: &u32) -> bool {
    *x == WAITING_THRESHOLD
}

// A reference is smaller than the number in WebAssembly alone.
#[cfg_attr(
    not(target_arch = "wasm32"),
    expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")
)]
fn is_half(x: &f64) -> bool {
    x.to_bits() == 0.5_f64.to_bits()
}

// A reference is smaller than the number in WebAssembly alone.
#[cfg_attr(
    not(target_arch = "wasm32"),
    expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")
)]
fn is_one(x: &f64) -> bool {
    x.to_bits() == 1.0_f64.to_bits()
}

impl Default for Weighted {
    fn default() -> Self {
        Self {
            profile: Profile::BlisDefault,
            scorers: Vec::new(),
            filters: Vec::new(),
            picker: Picker::Max,
            ties: Ties::Lowest,
            prefix_index_blocks: 10_000,
            prefix_block_tokens: 0,
            prefix_match_tokens: 0,
            prefix_match_bonus: 0.5,
            token_threshold: TOKEN_THRESHOLD,
            token_count: TokenCount::Prompt,
            token_until: TokenUntil::End,
            waiting_threshold: WAITING_THRESHOLD,
            idle_threshold: 0,
            max_busy_score: 1.0,
            prediction: LatencyPrediction::default(),
            priority: String::new(),
        }
    }
}

impl Weighted {
    /// The scorers in force.
    pub fn scorers(&self) -> Vec<WeightedScorer> {
        let (queue, waiting) = (Scorer::QueueDepth, Scorer::WaitingRequests);
        let three = |second| vec![(Scorer::PrefixAffinity, 3.0), (second, 2.0), (Scorer::KvUtilization, 2.0)];
        let rows = match self.profile {
            Profile::BlisDefault => three(queue),
            Profile::LlmDDefault => three(waiting),
            Profile::LlmD1 => vec![(Scorer::TokenLoad, 1.0)],
            Profile::LlmD1Decode | Profile::LlmD1Home => vec![(Scorer::ActiveRequests, 1.0)],
            Profile::Custom => return self.scorers.clone(),
        };
        rows.into_iter().map(|(scorer, weight)| WeightedScorer { scorer, weight }).collect()
    }

    /// The filters in force: those of the profile, then its own.
    pub fn filters(&self) -> Vec<Filter> {
        let affinity =
            self.profile.is_llm_d_1().then(|| Filter::PrefixAffinity(PrefixAffinityFilter::default()));
        affinity.into_iter().chain(self.filters.iter().cloned()).collect()
    }

    /// How ties are settled.
    pub fn ties(&self) -> Ties {
        match self.profile {
            Profile::LlmDDefault | Profile::LlmD1 | Profile::LlmD1Decode | Profile::LlmD1Home => Ties::Random,
            Profile::BlisDefault | Profile::Custom => self.ties,
        }
    }

    /// Tokens of a block in the router's memory; `None` for as many as in a block of the replica's pool.
    pub fn prefix_block_tokens(&self) -> Option<u32> {
        let of_profile = if self.profile.is_llm_d_1() { PREFIX_BLOCK_TOKENS } else { 0 };
        [self.prefix_block_tokens, of_profile].into_iter().find(|&tokens| tokens > 0)
    }

    /// Leading tokens of a prompt that the router remembers; `None` for all of them.
    pub fn prefix_match_tokens(&self) -> Option<u32> {
        let of_profile = if self.profile.is_llm_d_1() { PREFIX_MATCH_TOKENS } else { 0 };
        [self.prefix_match_tokens, of_profile].into_iter().find(|&tokens| tokens > 0)
    }

    /// Which tokens `token-load` counts, and until when.
    pub fn token_rule(&self) -> (TokenCount, TokenUntil) {
        if self.profile.is_llm_d_1() {
            (TokenCount::Uncached, TokenUntil::FirstToken)
        } else {
            (self.token_count, self.token_until)
        }
    }
}

/// A set of scorers with their weights.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The default of BLIS: prefix-affinity 3, queue-depth 2, kv-utilization 2.
    #[default]
    BlisDefault,
    /// llm-d's router without a configuration, not what its guides deploy: prefix-affinity 3, waiting-requests 2, kv-utilization 2; ties are broken at random.
    LlmDDefault,
    /// What llm-d's guides deploy since 1.0 where prompts decide: the filter prefix-affinity, then token-load of uncached tokens until the first token; ties are broken at random.
    #[serde(rename = "llm-d-1.0")]
    LlmD1,
    /// The same where answers decide: the filter prefix-affinity, then active-requests; ties are broken at random.
    #[serde(rename = "llm-d-1.0-decode")]
    LlmD1Decode,
    /// What llm-d's guide deploys for decode replicas beside prefill replicas: active-requests alone; ties are broken at random.
    #[serde(rename = "llm-d-1.0-home")]
    LlmD1Home,
    /// The scorers listed under `scorers`.
    Custom,
}

without_fields! { Profile }

impl Profile {
    /// The scorers of each profile that names some, by the profile's name.
    #[cfg(feature = "schema")]
    fn scorers() -> std::collections::BTreeMap<String, Vec<WeightedScorer>> {
        [Self::BlisDefault, Self::LlmDDefault, Self::LlmD1, Self::LlmD1Decode, Self::LlmD1Home]
            .map(|profile| {
                let name = serde_json::json!(profile).as_str().expect("a profile is a word").to_owned();
                (name, Weighted { profile, ..Weighted::default() }.scorers())
            })
            .into()
    }

    fn is_llm_d_1(self) -> bool {
        matches!(self, Self::LlmD1 | Self::LlmD1Decode)
    }
}

/// Which tokens of a request count.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenCount {
    /// The whole prompt.
    #[default]
    Prompt,
    /// The prompt without the leading blocks that the router sent to the replica before. The prompt that is being routed counts too.
    Uncached,
}

without_fields! { TokenCount }

/// Until when the tokens of a request count.
#[apply(schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenUntil {
    /// Until it leaves its replica.
    #[default]
    End,
    /// Until its first token.
    FirstToken,
}

without_fields! { TokenUntil }

/// One scorer and its weight.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightedScorer {
    /// The scorer.
    pub scorer: Scorer,
    /// Weight of the scorer; only the proportions of the weights matter.
    pub weight: f64,
}

fields! {
    struct WeightedScorer {
        scorer: "Scorer" => Routing;
        weight: "Weight" in [limits::WEIGHT_MIN, limits::WEIGHT]
            or "remove a scorer that should not count" and { "x-row-of": "scorer" } first 1.0 => Routing;
    }
}
