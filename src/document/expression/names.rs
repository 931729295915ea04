//! The words of expressions: signals with their units, aggregates over all candidates, and functions.

/// A number, or a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Number,
    /// A condition.
    Condition,
}

impl Kind {
    /// What it is called in messages.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Condition => "a condition (yes or no)",
        }
    }
}

/// Declares a closed set of words: the enum, and a table of all with their text and meaning.
macro_rules! words {
    ($(#[$about:meta])* $type:ident $table:ident { $($variant:ident $text:literal $help:literal)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $type {
            $(#[doc = $help] $variant,)*
        }

        #[doc = concat!("Every [`", stringify!($type), "`] and its text.")]
        pub const $table: &[($type, &str)] = &[$(($type::$variant, $text)),*];

        impl $type {
            /// What it means. Separate from the table, as a module that reads expressions without completions does not
            /// need it.
            pub(super) fn help(self) -> &'static str {
                match self {
                    $(Self::$variant => $help),*
                }
            }

            /// As it is written.
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),*
                }
            }

            /// The one that is written so.
            pub(super) fn of(text: &str) -> Option<Self> {
                $table.iter().find(|row| row.1 == text).map(|row| row.0)
            }
        }
    };
}

words! {
    /// A signal: of the candidate that is scored, or, as those from `prompt_tokens` on, the same for all.
    Name NAMES {
        Waiting "waiting" "requests in its wait queue, as seen"
        Running "running" "requests in its batch, as seen"
        InFlight "in_flight" "requests sent there that have not left"
        Load "load" "`waiting` + `running` + `in_flight`"
        KvUse "kv_use" "share of its KV blocks in use, as seen, 0 to 1"
        KvFree "kv_free" "share of its KV blocks not in use, as seen, 0 to 1"
        Cached "cached" "share of the prompt's full blocks in its cache now, from the first one on, 0 to 1"
        Prefix "prefix" "share of the prompt's full blocks that the router sent there lately, from the first one on, 0 to 1"
        UncachedTokens "uncached_tokens" "tokens of the prompt that are not in its cache now"
        TokensInFlight "tokens_in_flight" "prompt tokens of the requests sent there that have not left"
        WaitingTokens "waiting_tokens" "tokens to prefill of the requests in its wait queue, as seen"
        HitRate "hit_rate" "of the tokens to prefill that joined its batch lately, the share that was cached, 0 to 1"
        UsdPerHour "usd_per_hour" "its price in US dollars per hour; 0 if it has none"
        IdleS "idle_s" "seconds it has had nothing to do, as seen; 0 with anything in flight"
        WaitS "wait_s" "seconds until a further prompt would be begun, as seen: for a place in its batch, and for the waiting prompts"
        TokensPerS "tokens_per_s" "output tokens per second, as seen: `running` over the recent time per output token; 0 before any"
        Served "served" "requests that it has completed, as seen"
        RecentTtftMs "recent_ttft_ms" "recent mean TTFT in milliseconds, as seen; 0 before any"
        RecentTpotMs "recent_tpot_ms" "recent mean TPOT in milliseconds, as seen; 0 before any"
        Priority "priority" "priority that its engine's policy gives the request; the larger, the more urgent"
        SessionHere "session_here" "whether the latest request of this session went there"
        PromptTokens "prompt_tokens" "tokens of the prompt"
        TenantInFlight "tenant_in_flight" "requests of the same tenant that were let in and have not left, this one among them"
        Replicas "replicas" "how many candidates there are"
        Class "class" "SLO class of the request: 1 critical, 2 standard, 3 sheddable, 4 batch, 5 background, 0 none of these"
        NowS "now_s" "seconds since the run began"
    }
}

impl Name {
    /// What it is.
    pub fn kind(self) -> Kind {
        if self == Self::SessionHere { Kind::Condition } else { Kind::Number }
    }

    /// Whether it can differ between candidates.
    pub fn of_candidate(self) -> bool {
        !matches!(self, Self::PromptTokens | Self::TenantInFlight | Self::Replicas | Self::Class | Self::NowS)
    }

    /// Whether `min.`, `max.` and `mean.` can precede it.
    pub fn can_be_asked_of_all(self) -> bool {
        self.of_candidate() && self.kind() == Kind::Number
    }
}

words! {
    /// An aggregate over all candidates.
    Aggregate AGGREGATES {
        Min "min" "the smallest of all candidates, as in min.waiting"
        Max "max" "the largest of all candidates, as in max.waiting"
        Mean "mean" "the mean of all candidates, as in mean.waiting"
    }
}

words! {
    /// A function of numbers.
    Function FUNCTIONS {
        Min "min" "min(a, b, …): the smallest of them"
        Max "max" "max(a, b, …): the largest of them"
        Clamp "clamp" "clamp(x, low, high): x, not below low and not above high"
        Abs "abs" "abs(x): without its sign"
        Sqrt "sqrt" "sqrt(x): square root"
        Exp "exp" "exp(x): e to the power of x"
        Ln "ln" "ln(x): natural logarithm"
        Pow "pow" "pow(x, y): x to the power of y"
        Floor "floor" "floor(x): the largest whole number that is not above x"
    }
}

impl Function {
    /// Number of values that it takes: the fewest and the most.
    pub(super) fn values(self) -> [u32; 2] {
        match self {
            Self::Min | Self::Max => [2, 64],
            Self::Clamp => [3, 3],
            Self::Abs | Self::Sqrt | Self::Exp | Self::Ln | Self::Floor => [1, 1],
            Self::Pow => [2, 2],
        }
    }
}
