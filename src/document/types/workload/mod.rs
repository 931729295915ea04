//! The traffic half of the scenario: clients with arrival and length distributions, explicit requests, or a trace.

pub(crate) mod agent;
pub(crate) mod client_kind;
pub(crate) mod conversation;
pub(crate) mod explicit;
pub(crate) mod lengths;
pub(crate) mod prefix;
pub(crate) mod rate_profile;
pub(crate) mod session_kv;
pub(crate) mod trace_window;

use crate::limits;
use crate::table::fields::fields;
use crate::{
    Adapters, Agent, ClientKind, ContextGrowth, Conversation, ExplicitRequest, Lengths, OnOffPeriods,
    PrefixGroups, RateProfile, Retention, SessionKv, SloClass, TraceWindow,
};

/// The requests that arrive: any mix of generated clients and explicit requests, or a recorded trace.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Sources of generated requests.
    pub clients: Vec<Client>,
    /// Requests given one by one. Used together with the clients.
    pub requests: Vec<ExplicitRequest>,
    /// Replays a recorded trace instead. The trace itself is a file beside the scenario.
    pub trace: Option<TraceSettings>,
    /// Client timeout in seconds, from arrival to the last token: the request leaves the wait queue at once, or the batch when the current step ends. 0 means no timeout.
    pub timeout_s: f64,
    /// How often a client comes again after it gave up. Each time is a new request with the same text, through admission: a retry storm is real load.
    pub client_retries: u32,
    /// How long a client that gave up waits before it comes again.
    pub client_wait_s: f64,
    /// Retry budget of the clients: how often they come again for each request that comes for the first time. At most ten are saved up. 0 means no budget.
    pub client_retry_share: f64,
    /// What becomes of the KV of the sessions of `requests` while they pause: the next turn of one is its next request in the list.
    pub session_kv: Option<SessionKv>,
}

fields! {
    struct Workload {
        clients: "Clients" up_to [limits::CLIENTS, "clients", "client"] => Clients by itself;
        requests: "Requests" up_to [limits::EXPLICIT_REQUESTS, "requests", "request"] => Arrivals by itself;
        trace [omit]: "Trace" => Restart;
        timeout_s [omit]: "Timeout" of "s" in [0.0, limits::HORIZON_S] or "use 0 for clients that wait for ever"
            => Arrivals;
        client_retries [omit]: "Client retries" in [0, limits::RETRIES] or "0 means that clients do not come again" => Arrivals;
        client_wait_s [omit]: "Client waits" of "s" in [0.0, limits::HORIZON_S] or "1 is usual" => Arrivals;
        client_retry_share [omit]: "Client budget" in [0.0, 1.0] or "0 means no budget; 0.1 is usual" => Arrivals;
        session_kv [omit]: "KV in pauses" => Arrivals;
    }
}

impl Default for Workload {
    fn default() -> Self {
        Self {
            clients: vec![Client::default()],
            requests: Vec::new(),
            trace: None,
            timeout_s: 0.0,
            client_retries: 0,
            client_wait_s: USUAL_WAIT_S,
            client_retry_share: 0.0,
            session_kv: None,
        }
    }
}

/// How long a client waits before it comes again, unless the scenario says so.
const USUAL_WAIT_S: f64 = 1.0;

/// A source of generated requests.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Client {
    /// Name of this client. A client without a name is called by its kind, or `chat`, with `-2`, `-3` and so on if that name is taken.
    pub name: String,
    /// Kind of its traffic: gives the lengths, the prefix and the conversation that are left out here. What is written here wins.
    pub kind: Option<ClientKind>,
    /// Tenant its requests belong to. Empty means the client's name.
    pub tenant: String,
    /// SLO class of its requests.
    pub slo_class: SloClass,
    /// Model of its requests, as named in a pool: only replicas of pools with that model get them. Publisher, case and `-instruct` are ignored. Empty means any replica.
    pub model: String,
    /// LoRA adapters that its requests name, a conversation the same one in all rounds. The pools that serve them need `lora`. Left out: the base model.
    pub adapters: Option<Adapters>,
    /// When requests arrive.
    pub arrivals: Arrivals,
    /// Most of its requests in flight: the client holds the others back, and the clock of a request starts when it is sent. 0 means no bound. Without `arrivals` it is a closed loop: see `arrivals: concurrency`.
    pub concurrency: u32,
    /// How urgent its requests are, by its own account: larger is more urgent. Only the priority `request` of a pool's engine reads it.
    pub priority: i32,
    /// How the rate changes over time: spikes, ramps, day and night, stretches of silence.
    pub rate_profile: RateProfile,
    /// Tokens in a prompt, the shared prefix not counted.
    pub prompt_tokens: Lengths,
    /// Tokens of an answer.
    pub output_tokens: Lengths,
    /// Text shared by prompts, such as a system prompt or a document.
    pub prefix: PrefixGroups,
    /// Number of concurrent sessions; each request belongs to one of them, all equally likely. 0 means that requests have no session. Only routers with session affinity read it.
    pub sessions: u32,
    /// Turns single requests into conversations of several rounds: every arrival begins one, and the rate counts conversations. Prompt and answer lengths are those of one round, without earlier rounds.
    pub conversation: Option<Conversation>,
    /// Turns single requests into sessions of an agent: every arrival begins one, the rate counts sessions, and `concurrency` is how many are in flight. Prompt lengths are what a turn adds: the task or the results of tools.
    pub agent: Option<Agent>,
    /// What it wants kept of the KV of its requests.
    pub retention: Vec<Retention>,
    /// What becomes of the KV of its sessions while they pause.
    pub session_kv: Option<SessionKv>,
    /// How many of the first tokens of its requests may be written to tiers below the GPU, in whole blocks (vLLM: `max_offload_tokens`). Left out: all of them.
    pub max_offload_tokens: Option<u32>,
}

fields! {
    struct Client {
        name: "Name" => Name;
        kind [omit]: "Kind"
            and { "x-none": "None", "x-none-help": "Lengths, prefix and conversation as they are written here." } => Conversations;
        tenant: "Tenant" => Arrivals;
        slo_class: "SLO class" => Arrivals;
        model [omit]: "Model" => Arrivals;
        adapters [omit]: "Adapters" => Arrivals;
        arrivals: "Arrivals" => Rate;
        concurrency [omit]: "Most in flight" in [0, limits::CONCURRENCY] or "use 0 for no bound" => Rate;
        priority [omit]: "Priority" => Arrivals;
        rate_profile [omit]: "Over time" => Rate;
        prompt_tokens: "Prompt" of "tokens" => Arrivals;
        output_tokens: "Output" of "tokens" => Arrivals;
        prefix: "Prefix" => Arrivals;
        sessions: "Sessions" in [0, limits::SESSIONS] or "use 0 for requests that stand alone" => Arrivals;
        conversation [omit]: "Conversation" => Conversations;
        agent [omit]: "Agent" => Conversations;
        retention [omit]: "Keeps" up_to [limits::RETENTION, "directives", "directive"] => Arrivals;
        session_kv [omit]: "KV in pauses" => Arrivals;
        max_offload_tokens [omit]: "Offloaded" of "tokens" in [0, limits::REQUEST_TOKENS] or "leave it out for all of them" => Arrivals;
    }
}

impl Client {
    /// Most of its requests in flight; 0 for no bound.
    pub fn most_in_flight(&self) -> u32 {
        match self.arrivals {
            Arrivals::Concurrency { requests } if self.concurrency == 0 => requests,
            Arrivals::Concurrency { requests } => requests.min(self.concurrency),
            Arrivals::Poisson { .. }
            | Arrivals::Gamma { .. }
            | Arrivals::Weibull { .. }
            | Arrivals::OnOff { .. }
            | Arrivals::Constant { .. } => self.concurrency,
        }
    }

    /// About how many requests it sends in a second. A closed loop depends on the cluster: 10 ms for each token of an
    /// answer is taken.
    pub fn about_rate_per_s(&self) -> f64 {
        match self.arrivals {
            Arrivals::Concurrency { .. } => {
                f64::from(self.most_in_flight()) / (0.01 * self.output_tokens.about().max(1.0))
            }
            Arrivals::Poisson { .. }
            | Arrivals::Gamma { .. }
            | Arrivals::Weibull { .. }
            | Arrivals::OnOff { .. }
            | Arrivals::Constant { .. } => self.arrivals.mean_rate_per_s(),
        }
    }

    /// Tokens of the prefix in each of its prompts.
    pub fn prefix_tokens(&self) -> u32 {
        if self.prefix.groups == 0 { 0 } else { self.prefix.tokens }
    }

    /// Mean number of requests that follow from an arrival.
    pub fn requests_of_an_arrival(&self) -> f64 {
        let rounds = self.conversation.as_ref().map_or(1.0, |c| c.rounds.mean().max(1.0));
        self.agent.as_ref().map_or(rounds, Agent::mean_requests)
    }

    /// About how many tokens one of its requests has, prompt and answer.
    pub fn tokens_of_a_request(&self) -> f64 {
        let prefix = f64::from(self.prefix_tokens());
        let round = self.prompt_tokens.about() + self.output_tokens.about();
        if let Some(agent) = &self.agent {
            return (prefix + round * agent.turns.mean())
                .min(f64::from(agent.max_context_tokens).max(prefix + round));
        }
        let grows = |c: &&Conversation| c.context_growth == ContextGrowth::Accumulate;
        let Some(c) = self.conversation.as_ref().filter(grows) else { return prefix + round };
        (prefix + round * c.rounds.mean()).min(f64::from(c.max_context_tokens).max(prefix + round))
    }
}

impl Default for Client {
    fn default() -> Self {
        Self {
            name: "chat".to_owned(),
            kind: None,
            tenant: String::new(),
            slo_class: SloClass::Standard,
            model: String::new(),
            adapters: None,
            arrivals: Arrivals::Poisson { rate_per_s: 8.0 },
            concurrency: 0,
            priority: 0,
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
            agent: None,
            retention: Vec::new(),
            session_kv: None,
            max_offload_tokens: None,
        }
    }
}

/// When requests arrive.
#[apply(choice_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Independent users: exponential gaps.
    Poisson {
        /// Requests per second.
        rate_per_s: f64,
    },
    /// Burstier (cv above 1) or more regular (cv below 1) than Poisson: gamma-distributed gaps.
    Gamma {
        /// Requests per second.
        rate_per_s: f64,
        /// Coefficient of variation of the gaps; 1 is Poisson.
        cv: f64,
    },
    /// Burstier or more regular than Poisson: Weibull-distributed gaps. At the same cv above 1, long pauses are rarer and longer than with gamma.
    Weibull {
        /// Requests per second.
        rate_per_s: f64,
        /// Coefficient of variation of the gaps; 1 is Poisson.
        cv: f64,
    },
    /// One request every 1 / rate seconds, the first after one such gap.
    Constant {
        /// Requests per second.
        rate_per_s: f64,
    },
    /// Bursts: Poisson while on, nothing while off. Over a long time the rate is the given one times on / (on + off).
    OnOff {
        /// Requests per second while on.
        rate_per_s: f64,
        /// Length of an on period in seconds; of random ones, the mean.
        on_s: f64,
        /// Length of an off period in seconds; of random ones, the mean.
        off_s: f64,
        /// How the lengths vary.
        periods: OnOffPeriods,
    },
    /// A closed loop, as of a benchmark tool: that many requests are in flight, and each next one is sent when the user of one has the whole answer. `concurrency: N` for short.
    Concurrency {
        /// Requests in flight.
        requests: u32,
    },
}

fields! {
    enum Arrivals [] {
        Poisson "poisson" {
            rate_per_s: "Rate" of "req/s" in [0.0, limits::RATE_PER_S]
                or "requests per second; 0 sends nothing" first 8.0 => Rate;
        }
        Gamma "gamma" {
            rate_per_s: "Rate" of "req/s" in [0.0, limits::RATE_PER_S]
                or "requests per second; 0 sends nothing" first 8.0 => Rate;
            cv: "Variation (cv)" in [limits::CV_MIN, limits::CV]
                or "1 is Poisson, above 1 comes in bursts" first 2.0 => Rate;
        }
        Weibull "weibull" {
            rate_per_s: "Rate" of "req/s" in [0.0, limits::RATE_PER_S]
                or "requests per second; 0 sends nothing" first 8.0 => Rate;
            cv: "Variation (cv)" in [limits::CV_MIN, limits::CV]
                or "1 is Poisson, above 1 comes in bursts" first 2.0 => Rate;
        }
        Constant "constant" {
            rate_per_s: "Rate" of "req/s" in [0.0, limits::RATE_PER_S]
                or "requests per second; 0 sends nothing" first 8.0 => Rate;
        }
        OnOff "on-off" {
            rate_per_s: "Rate while on" of "req/s" in [0.0, limits::RATE_PER_S]
                or "requests per second; 0 sends nothing" first 8.0 => Rate;
            on_s: "On" of "s" in [limits::ON_OFF_S_MIN, limits::HORIZON_S]
                or "how long requests arrive, in seconds" first 10.0 => Rate;
            off_s: "Off" of "s" in [limits::ON_OFF_S_MIN, limits::HORIZON_S]
                or "how long none arrive, in seconds; for none at all take Poisson arrivals" first 20.0 => Rate;
            periods [default]: "Periods" and { "default": OnOffPeriods::default() } => Rate;
        }
        Concurrency "concurrency" {
            requests: "In flight" of "requests" in [1, limits::CONCURRENCY]
                or "it is how many requests are in flight, such as 32" first 32 => Rate;
        }
    }
}

impl Arrivals {
    /// Requests per second, of arrivals with off periods while they are on; 0 for a closed loop, which sends as fast as the
    /// cluster answers.
    pub fn rate_per_s(&self) -> f64 {
        match self {
            Self::Poisson { rate_per_s }
            | Self::Gamma { rate_per_s, .. }
            | Self::Weibull { rate_per_s, .. }
            | Self::OnOff { rate_per_s, .. }
            | Self::Constant { rate_per_s } => *rate_per_s,
            Self::Concurrency { .. } => 0.0,
        }
    }

    /// The same over a long time, off periods included.
    pub fn mean_rate_per_s(&self) -> f64 {
        match self {
            Self::OnOff { rate_per_s, on_s, off_s, .. } => rate_per_s * (on_s / (on_s + off_s)),
            Self::Poisson { .. }
            | Self::Gamma { .. }
            | Self::Weibull { .. }
            | Self::Constant { .. }
            | Self::Concurrency { .. } => self.rate_per_s(),
        }
    }
}

/// How to replay a trace.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct TraceSettings {
    /// Name of the trace file.
    pub file: String,
    /// How much faster than recorded the requests arrive; 2 halves every gap.
    pub speed: f64,
    /// Tokens in one block of the trace's block hashes. 0 means derived from the trace.
    pub hash_block_tokens: u32,
    /// The stretch of the trace that is replayed. Left out: all of it. Window, speed, subsample, longest prompt and answer, and jitter apply in this order.
    pub window: Option<TraceWindow>,
    /// Share of the sessions that are replayed, each with all its requests in the window; of requests without a session, share of the requests. Which ones does not depend on the seed, and a larger share keeps those of a smaller one.
    pub subsample: f64,
    /// Longest prompt: of longer ones the first tokens are kept. 0 means as recorded.
    pub max_prompt_tokens: u32,
    /// Longest answer. 0 means as recorded.
    pub max_output_tokens: u32,
    /// Delays every request by a random time below this, in recorded seconds, for a trace whose clock has steps: take the length of a step. At twice the speed it is half as long. A request never comes before an earlier one of its session. 0 means as recorded.
    pub jitter_s: f64,
    /// Digest of the rows of the trace, as `tokenyard link` and the report give it: a file with another one is refused. Empty means any file.
    pub digest: String,
    /// The trace itself, so that no file is needed: its text in any format of a trace, compressed with gzip or zlib to at most 64 KB, in base64. `tokenyard link --carry` writes it. Empty means that the trace is a file.
    pub rows: String,
    /// Sessions under way at once: each next one starts when all turns of one have ended. 0 means that they start at their recorded times.
    pub sessions_in_flight: u32,
    /// Sessions that start in a second, with exponential gaps. 0 means that they start at their recorded times.
    pub session_rate: f64,
    /// Longest recorded delay between an answer and the next turn of its session, in seconds; a longer one is cut to it. 0 means that none is cut.
    pub max_gap_s: f64,
    /// What becomes of the KV of its sessions while they pause.
    pub session_kv: Option<SessionKv>,
}

fields! {
    struct TraceSettings {
        file: "File" and { "x-max-bytes": limits::TRACE_BYTES_PAGE } => Restart;
        speed: "Speed" in [limits::TRACE_SPEED_MIN, limits::TRACE_SPEED]
            or "1 replays the trace as it was recorded, 2 twice as fast" => TraceSpeed;
        hash_block_tokens: "Hash block" of "tokens" in [0, limits::REQUEST_TOKENS]
            or "use 0 to work it out from the trace" => Restart;
        window [omit]: "Window" => Restart;
        subsample [omit]: "Subsample" in [limits::TRACE_SHARE_MIN, 1.0]
            or "1 keeps all sessions, 0.25 a quarter of them" => Restart;
        max_prompt_tokens [omit]: "Prompt at most" of "tokens" in [0, limits::REQUEST_TOKENS]
            or "use 0 for prompts as recorded" => Restart;
        max_output_tokens [omit]: "Output at most" of "tokens" in [0, limits::REQUEST_TOKENS]
            or "use 0 for answers as recorded" => Restart;
        jitter_s [omit]: "Jitter" of "s" in [0.0, limits::TRACE_JITTER_S]
            or "use 0 for arrivals as recorded" => Restart;
        digest [omit]: "Digest" and { "x-rare": true } => Restart;
        rows [omit]: "Carried rows" and { "x-rare": true } => Restart by itself;
        sessions_in_flight [omit]: "Sessions at once" of "sessions" in [0, limits::CONCURRENCY]
            or "use 0 for sessions at their recorded times" => Restart;
        session_rate [omit]: "Session rate" of "sessions/s" in [0.0, limits::RATE_PER_S]
            or "use 0 for sessions at their recorded times" => Restart;
        max_gap_s [omit]: "Longest gap" of "s" in [0.0, limits::HORIZON_S] or "use 0 to keep all gaps" => Restart;
        session_kv [omit]: "KV in pauses" => Arrivals;
    }
}

impl Default for TraceSettings {
    fn default() -> Self {
        Self {
            file: String::new(),
            speed: 1.0,
            hash_block_tokens: 0,
            window: None,
            subsample: 1.0,
            max_prompt_tokens: 0,
            max_output_tokens: 0,
            jitter_s: 0.0,
            digest: String::new(),
            rows: String::new(),
            sessions_in_flight: 0,
            session_rate: 0.0,
            max_gap_s: 0.0,
            session_kv: None,
        }
    }
}
