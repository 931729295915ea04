//! The weighted router: its scorers, filters and picker, and the profiles that set them.

use crate::table::fields::fields;
use crate::{Filter, LatencyPrediction, Picker, PrefixAffinityFilter, Scorer, limits};

/// A weighted sum of scores, each from 0 to 1.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Weighted {
    /// Set of scorers and weights. If only `scorers` are given, the profile is `custom`.
    pub profile: Profile,
    /// Scorers of the profile `custom`, in the order of summation. May be written as text, such as `prefix-affinity:3,queue-depth:2`.
    pub scorers: Vec<WeightedScorer>,
    /// Filters that remove replicas before scoring, in this order. Those of the profile come first.
    pub filters: Vec<Filter>,
    /// How a replica is chosen by the scores.
    pub picker: Picker,
    /// Which replica gets a request among equal sums. Only for the picker `max`.
    pub ties: Ties,
    /// Number of blocks that the router remembers per replica for `prefix-affinity`.
    pub prefix_index_blocks: u32,
    /// Tokens of a block in the router's memory. 0 is the profile's size: 64 for llm-d-1.0 and llm-d-1.0-decode, that of the replica's pool for others.
    pub prefix_block_tokens: u32,
    /// Leading tokens of a prompt that the router remembers and matches. 0 is the profile's limit: 131,072 for llm-d-1.0 and llm-d-1.0-decode, the whole prompt for others.
    pub prefix_match_tokens: u32,
    /// Score that `prefix-match` gives for a match, 0 to 1.
    pub prefix_match_bonus: f64,
    /// What a leading block of the prompt is worth to `tier-prefix` in each tier: on the GPU, in CPU memory, on the replica's disk, in a store.
    pub tier_weights: TierWeights,
    /// Tokens in flight at and above which `token-load` scores 0.
    pub token_threshold: u32,
    /// Which tokens of a request `token-load` counts. The profile llm-d-1.0 counts `uncached`.
    pub token_count: TokenCount,
    /// Until when `token-load` counts a request. The profile llm-d-1.0 counts until `first-token`.
    pub token_until: TokenUntil,
    /// Waiting requests at and above which `load-aware` scores 0.
    pub waiting_threshold: u32,
    /// Requests in flight up to which `active-requests` scores 1.
    pub idle_threshold: u32,
    /// Factor of the scores that `active-requests` gives to replicas with more requests than `idle_threshold`, 0 to 1.
    pub max_busy_score: f64,
    /// Predictions of latency, for the scorer `predicted-latency` and the filter `slo-headroom`.
    pub prediction: LatencyPrediction,
    /// Priority that the router gives a request with its choice: an expression of the chosen replica, rounded; the larger, the more urgent. Empty leaves it to the engine's priority policy.
    pub priority: String,
}

fields! {
    struct Weighted {
        profile: "Profile" and {
            "x-with": { "custom": { "scorers": crate::Write::write(&Weighted::default().scorers()) } },
            "x-stands-for": { "scorers": Profile::scorers() }
        } => Routing;
        scorers [omit]: "Scorers" up_to [limits::SCORERS, "scorers", "scorer"] => Routing;
        filters [omit]: "Filters" up_to [limits::FILTERS, "filters", "filter"] => Routing;
        picker [omit]: "Picker" => Routing;
        ties: "Ties" => Routing;
        prefix_index_blocks: "Prefix index" of "blocks" in [1, limits::KV_BLOCKS]
            or "10,000 blocks of 16 tokens are 160,000 tokens" and { "x-rare": true } => Routing;
        prefix_block_tokens [omit]: "Prefix block" of "tokens" in [0, limits::BLOCK_TOKENS]
            or "llm-d's router has blocks of 64 tokens"
            and { "x-rare": true } => Routing;
        prefix_match_tokens [omit]: "Prefix match" of "tokens" in [0, limits::REQUEST_TOKENS]
            or "leave it out to match whole prompts"
            and { "x-rare": true } => Routing;
        prefix_match_bonus [omit]: "Match bonus" in [0.0, 1.0] or "0.5 is half of the highest score" and { "x-rare": true } => Routing;
        tier_weights [omit]: "Worth by tier" and { "x-rare": true } => Routing;
        token_threshold [omit]: "Token threshold" of "tokens" in [1, limits::THRESHOLD]
            or "leave it out for llm-d's default"
            and { "x-rare": true } => Routing;
        token_count [omit]: "Tokens counted" and { "x-rare": true } => Routing;
        token_until [omit]: "Counted until" and { "x-rare": true } => Routing;
        waiting_threshold [omit]: "Waiting threshold" of "req" in [1, limits::THRESHOLD]
            or "leave it out for llm-d's default"
            and { "x-rare": true } => Routing;
        idle_threshold [omit]: "Idle threshold" of "req" in [0, limits::IN_FLIGHT]
            or "0 is llm-d's default"
            and { "x-rare": true } => Routing;
        max_busy_score [omit]: "Busy score" in [0.0, 1.0] or "1 is llm-d's default" and { "x-rare": true } => Routing;
        prediction [omit]: "Prediction" and { "x-rare": true } => Routing;
        priority [omit]: "Priority" and { "x-rare": true } => Routing;
    }
}

/// What a block is worth to a router, by the best tier that has it. A block in a store counts the same for all replicas that read it.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TierWeights {
    /// On the GPU.
    pub gpu: f64,
    /// In CPU memory.
    pub cpu: f64,
    /// On a disk of the replica (`fs`).
    pub disk: f64,
    /// In a store that replicas share.
    pub store: f64,
}

fields! {
    struct TierWeights {
        gpu: "GPU" in [0.0, 1.0] or "1 is the whole block" => Routing;
        cpu: "CPU" in [0.0, 1.0] or "Dynamo's default is 0.75" => Routing;
        disk: "Disk" in [0.0, 1.0] or "Dynamo's default is 0.25" => Routing;
        store: "Store" in [0.0, 1.0] or "0 leaves blocks in stores out" => Routing;
    }
}

impl Default for TierWeights {
    fn default() -> Self {
        Self { gpu: 1.0, cpu: 0.75, disk: 0.25, store: 0.25 }
    }
}

/// The defaults of llm-d.
const TOKEN_THRESHOLD: u32 = 4_194_304;
const WAITING_THRESHOLD: u32 = 128;
const PREFIX_BLOCK_TOKENS: u32 = 64;
const PREFIX_MATCH_TOKENS: u32 = 131_072;

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
            tier_weights: TierWeights::default(),
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
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// The default of BLIS: prefix-affinity 3, queue-depth 2, kv-utilization 2.
    #[default]
    BlisDefault,
    /// llm-d's router without a configuration, not what its guides deploy: prefix-affinity 3, waiting-requests 2, kv-utilization 2; ties are broken at random.
    LlmDDefault,
    /// What llm-d's guides deploy since 1.0 where prompts decide: the filter prefix-affinity, then token-load of uncached tokens until the first token; ties are broken at random.
    #[cfg_attr(feature = "schema", schemars(rename = "llm-d-1.0"))]
    LlmD1,
    /// The same where answers decide: the filter prefix-affinity, then active-requests; ties are broken at random.
    #[cfg_attr(feature = "schema", schemars(rename = "llm-d-1.0-decode"))]
    LlmD1Decode,
    /// What llm-d's guide deploys for decode replicas beside prefill replicas: active-requests alone; ties are broken at random.
    #[cfg_attr(feature = "schema", schemars(rename = "llm-d-1.0-home"))]
    LlmD1Home,
    /// The scorers listed under `scorers`.
    Custom,
}

fields! {
    names Profile {
        BlisDefault "blis-default" LlmDDefault "llm-d-default" LlmD1 "llm-d-1.0"
        LlmD1Decode "llm-d-1.0-decode" LlmD1Home "llm-d-1.0-home" Custom "custom"
    }
}

impl Profile {
    /// The scorers of each profile that names some, by the profile's name.
    #[cfg(feature = "schema")]
    fn scorers() -> std::collections::BTreeMap<&'static str, serde_json::Value> {
        [Self::BlisDefault, Self::LlmDDefault, Self::LlmD1, Self::LlmD1Decode, Self::LlmD1Home]
            .map(|profile| {
                let scorers = Weighted { profile, ..Weighted::default() }.scorers();
                (profile.name(), crate::Write::write(&scorers))
            })
            .into()
    }

    fn is_llm_d_1(self) -> bool {
        matches!(self, Self::LlmD1 | Self::LlmD1Decode)
    }
}

/// Which replica gets a request among equal scores.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// The replica with the lowest number.
    #[default]
    Lowest,
    /// A random one, all equally likely.
    Random,
}

fields! {
    names Ties { Lowest "lowest" Random "random" }
}

/// Which tokens of a request count.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenCount {
    /// The whole prompt.
    #[default]
    Prompt,
    /// The prompt without the leading blocks that the router sent to the replica before. The prompt that is being routed counts too.
    Uncached,
}

fields! {
    names TokenCount { Prompt "prompt" Uncached "uncached" }
}

/// Until when the tokens of a request count.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TokenUntil {
    /// Until it leaves its replica.
    #[default]
    End,
    /// Until its first token.
    FirstToken,
}

fields! {
    names TokenUntil { End "end" FirstToken "first-token" }
}

/// One scorer and its weight.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedScorer {
    /// The scorer.
    pub scorer: Scorer,
    /// Weight of the scorer; only the proportions of the weights matter.
    pub weight: f64,
}

fields! {
    entry WeightedScorer {
        scorer: "Scorer" => Routing;
        weight: "Weight" in [limits::WEIGHT_MIN, limits::WEIGHT]
            or "remove a scorer that should not count" and { "x-row-of": "scorer" } first 1.0 => Routing;
    }
}
