//! The traffic half of the scenario: clients with arrival and length distributions, explicit requests, or a trace.

#[cfg(feature = "cli")]
use super::limits;
use super::{Conversation, Lengths, RateProfile, SloClass};
use serde::{Deserialize, Serialize};

/// The requests that arrive: any mix of generated clients and explicit requests, or a recorded trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Workload {
    /// Sources of generated requests.
    pub clients: Vec<Client>,
    /// Requests given one by one. Used together with the clients.
    pub requests: Vec<ExplicitRequest>,
    /// Replays a recorded trace instead. The trace itself is a file beside the scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceSettings>,
}

impl Default for Workload {
    fn default() -> Self {
        Self { clients: vec![Client::default()], requests: Vec::new(), trace: None }
    }
}

/// A source of generated requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Client {
    /// Name of this client.
    pub name: String,
    /// Tenant its requests belong to. Empty means the client's name.
    pub tenant: String,
    /// SLO class of its requests.
    pub slo_class: SloClass,
    /// Model that its requests ask for, as named in a pool: only replicas of pools with that model get them. Publisher, case and `-instruct` make no difference. Empty means any replica.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "cli", schemars(extend("default" = "")))]
    pub model: String,
    /// When requests arrive.
    pub arrivals: Arrivals,
    /// How the rate changes over time: spikes, ramps, day and night, stretches of silence.
    #[serde(skip_serializing_if = "RateProfile::is_steady")]
    #[cfg_attr(feature = "cli", schemars(extend("default" = "steady")))]
    pub rate_profile: RateProfile,
    /// Tokens in a prompt, the shared prefix not counted.
    pub prompt_tokens: Lengths,
    /// Tokens of an answer.
    pub output_tokens: Lengths,
    /// Text that prompts have in common, such as a system prompt or a document.
    pub prefix: PrefixGroups,
    /// How many sessions go on at the same time; each request belongs to one of them, all equally likely. 0 means every request stands alone. Only routers with session affinity look at it.
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::SESSIONS)))]
    pub sessions: u32,
    /// Makes conversations of several rounds out of single requests: every arrival begins one, and rate and its edits count those beginnings. Prompt and answer lengths are those of one round, without what came before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<Conversation>,
}

impl Default for Client {
    fn default() -> Self {
        Self {
            name: "chat".to_owned(),
            tenant: String::new(),
            slo_class: SloClass::Standard,
            model: String::new(),
            arrivals: Arrivals::Poisson { rate_per_s: 8.0 },
            rate_profile: RateProfile::Steady,
            prompt_tokens: Lengths::Lognormal {
                median_tokens: 400.0,
                sigma: 0.8,
                min_tokens: 4,
                max_tokens: 8192,
            },
            output_tokens: Lengths::Lognormal {
                median_tokens: 200.0,
                sigma: 0.7,
                min_tokens: 1,
                max_tokens: 2048,
            },
            prefix: PrefixGroups::default(),
            sessions: 0,
            conversation: None,
        }
    }
}

/// When requests arrive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Arrivals {
    /// Independent users: exponential gaps.
    Poisson {
        /// Requests per second.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::RATE_PER_S)))]
        rate_per_s: f64,
    },
    /// Burstier (cv above 1) or more regular (cv below 1) than Poisson: gamma-distributed gaps.
    Gamma {
        /// Requests per second.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::RATE_PER_S)))]
        rate_per_s: f64,
        /// Coefficient of variation of the gaps; 1 is Poisson.
        #[cfg_attr(feature = "cli", schemars(range(min = limits::CV_MIN, max = limits::CV)))]
        cv: f64,
    },
    /// Burstier or more regular than Poisson too: Weibull-distributed gaps. At the same cv above 1, long pauses are rarer than with gamma, and longer.
    Weibull {
        /// Requests per second.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::RATE_PER_S)))]
        rate_per_s: f64,
        /// Coefficient of variation of the gaps; 1 is Poisson.
        #[cfg_attr(feature = "cli", schemars(range(min = limits::CV_MIN, max = limits::CV)))]
        cv: f64,
    },
    /// One request every 1 / rate seconds, the first after one such gap.
    Constant {
        /// Requests per second.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::RATE_PER_S)))]
        rate_per_s: f64,
    },
}

impl Arrivals {
    /// Requests per second.
    pub fn rate_per_s(&self) -> f64 {
        match self {
            Self::Poisson { rate_per_s }
            | Self::Gamma { rate_per_s, .. }
            | Self::Weibull { rate_per_s, .. }
            | Self::Constant { rate_per_s } => *rate_per_s,
        }
    }
}

/// Text that prompts have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PrefixGroups {
    /// How many different prefixes there are; each request starts with one of them, all equally likely. 0 means none.
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::PREFIX_GROUPS)))]
    pub groups: u32,
    /// Length of each prefix in tokens.
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::REQUEST_TOKENS)))]
    pub tokens: u32,
}

/// One request, given in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExplicitRequest {
    /// Name of the request; breaks ties in alphabetical order.
    #[serde(default)]
    pub id: String,
    /// When it arrives, in microseconds after the start.
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::HORIZON_S as u64 * 1_000_000)))]
    pub arrival_us: u64,
    /// The prompt: pieces of text. Equal pieces are equal tokens.
    pub prompt: Vec<ExplicitPiece>,
    /// The answer: its length, and which text it is.
    pub output: ExplicitOutput,
    /// Tenant it belongs to. Requests without one belong to the tenant "default".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tenant: String,
    /// SLO class it belongs to. Empty, or a name that is none of the classes, means the objectives of `slo` itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub slo_class: String,
    /// Model that it asks for, as named in a pool. Empty means any replica.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// Session (conversation) it belongs to, by any name. Requests without one stand alone. Only routers with session affinity look at it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
}

/// A piece of text: `tokens` tokens of text number `text`, from position `offset`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExplicitPiece {
    /// Which text.
    pub text: u32,
    /// How many tokens of it.
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::REQUEST_TOKENS)))]
    pub tokens: u32,
    /// Position of the first one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offset: u32,
}

/// The answer to an explicit request: `tokens` tokens of text number `text`, from position `offset`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExplicitOutput {
    /// Which text.
    #[serde(default)]
    pub text: u32,
    /// How many tokens of it.
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::REQUEST_TOKENS)))]
    pub tokens: u32,
    /// Position of the first one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offset: u32,
}

/// How to replay a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TraceSettings {
    /// Name of the file the trace came from, to find it again.
    pub file: String,
    /// How much faster than recorded the requests arrive; 2 halves every gap.
    #[cfg_attr(feature = "cli", schemars(range(min = limits::TRACE_SPEED_MIN, max = limits::TRACE_SPEED)))]
    pub speed: f64,
    /// Tokens in one block of the trace's block hashes. 0 means worked out from the trace.
    #[cfg_attr(feature = "cli", schemars(range(min = 0, max = limits::REQUEST_TOKENS)))]
    pub hash_block_tokens: u32,
}

impl Default for TraceSettings {
    fn default() -> Self {
        Self { file: String::new(), speed: 1.0, hash_block_tokens: 0 }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(x: &u32) -> bool {
    *x == 0
}
