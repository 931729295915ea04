//! Lengths of texts: distributions of token counts.

use crate::limits;
use crate::table::fields::fields;
use base::math;
use serde::{Deserialize, Serialize};

/// How many tokens.
#[apply(choice_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lengths {
    /// Always the same.
    Constant {
        /// How many tokens.
        tokens: u32,
    },
    /// Normal, cut off at both ends and rounded.
    Gaussian {
        /// Mean before cutting.
        mean_tokens: f64,
        /// Standard deviation before cutting.
        sd_tokens: f64,
        /// Fewest tokens.
        min_tokens: u32,
        /// Most tokens.
        max_tokens: u32,
    },
    /// Lognormal, cut off at both ends and rounded: most are short, a few are very long.
    Lognormal {
        /// Median before cutting.
        median_tokens: f64,
        /// Standard deviation of the logarithm; 0 is constant, 1 is a heavy tail.
        sigma: f64,
        /// Fewest tokens.
        min_tokens: u32,
        /// Most tokens.
        max_tokens: u32,
    },
    /// Exponential, cut off at both ends and rounded: the shorter, the more likely.
    Exponential {
        /// Mean before cutting.
        mean_tokens: f64,
        /// Fewest tokens.
        min_tokens: u32,
        /// Most tokens.
        max_tokens: u32,
    },
    /// A mixture: a share of Pareto lengths, which makes the far tail, the rest lognormal. Cut off at both ends and rounded.
    ParetoLognormal {
        /// Share of the Pareto part, 0 to 1.
        pareto_share: f64,
        /// Shortest length of the Pareto part before cutting.
        pareto_min_tokens: f64,
        /// Tail index of the Pareto part: x times its shortest length is exceeded with probability x to the power of minus this. Up to 1 its mean is infinite before cutting.
        pareto_tail: f64,
        /// Median of the lognormal part before cutting.
        median_tokens: f64,
        /// Standard deviation of the logarithm of the lognormal part.
        sigma: f64,
        /// Fewest tokens.
        min_tokens: u32,
        /// Most tokens.
        max_tokens: u32,
    },
    /// As measured: the lengths that occur, each with its weight.
    Empirical {
        /// The lengths, in any order. A length is drawn with probability weight / sum of all weights.
        lengths: Vec<WeightedLength>,
    },
    /// Each length from the fewest to the most tokens, all equally likely.
    Uniform {
        /// Fewest tokens.
        min_tokens: u32,
        /// Most tokens.
        max_tokens: u32,
    },
    /// The lengths of a list, each entry equally likely: a length that stands in it twice comes twice as often.
    List {
        /// The lengths, in any order.
        lengths_tokens: Vec<u32>,
    },
}

fields! {
    enum Lengths [] {
        Constant "constant" {
            tokens: "Tokens" of "tokens" in [1, limits::REQUEST_TOKENS]
                or "a request has at least one token" and { "x-role": "typical" } first 400 => Arrivals;
        }
        Gaussian "gaussian" {
            mean_tokens: "Mean" of "tokens" in [1.0, f64::from(limits::REQUEST_TOKENS)]
                or "the mean before cutting" and { "x-role": "typical" } first 400.0 => Arrivals;
            sd_tokens: "Spread (sd)" of "tokens" in [0.0, f64::from(limits::REQUEST_TOKENS)]
                or "0 makes all lengths equal" first 200.0 => Arrivals;
            min_tokens [one]: "Min" of "tokens" in [1, limits::REQUEST_TOKENS]
                or "a request has at least one token" first 1 => Arrivals;
            max_tokens: "Max" of "tokens" in [1, limits::REQUEST_TOKENS]
                or "a request has at least one token" first 8192 => Arrivals;
        }
        Lognormal "lognormal" {
            median_tokens: "Median" of "tokens" in [1.0, f64::from(limits::REQUEST_TOKENS)]
                or "the median before cutting" and { "x-role": "typical" } first 400.0 => Arrivals;
            sigma: "Spread (sigma)" in [0.0, limits::SIGMA]
                or "0 is constant, 1 is a heavy tail" first 0.7 => Arrivals;
            min_tokens [one]: "Min" of "tokens" in [1, limits::REQUEST_TOKENS]
                or "a request has at least one token" first 1 => Arrivals;
            max_tokens: "Max" of "tokens" in [1, limits::REQUEST_TOKENS]
                or "a request has at least one token" first 8192 => Arrivals;
        }
        Uniform "uniform" {
            min_tokens [one]: "Min" of "tokens" in [1, limits::REQUEST_TOKENS]
                or "a request has at least one token" first 1 => Arrivals;
            max_tokens: "Max" of "tokens" in [1, limits::REQUEST_TOKENS]
                or "a request has at least one token" first 800 => Arrivals;
        }
        Exponential "exponential" {
            mean_tokens: "Mean" of "tokens" in [1.0, f64::from(limits::REQUEST_TOKENS)]
                or "the mean before cutting" and { "x-role": "typical" } first 400.0 => Arrivals;
            min_tokens [one]: "Min" of "tokens" in [1, limits::REQUEST_TOKENS]
                or "a request has at least one token" first 1 => Arrivals;
            max_tokens: "Max" of "tokens" in [1, limits::REQUEST_TOKENS]
                or "a request has at least one token" first 8192 => Arrivals;
        }
        ParetoLognormal "pareto-lognormal" {
            pareto_share: "Pareto share" in [0.0, 1.0]
                or "a share of 0 is lognormal alone, 1 is Pareto alone" first 0.1 => Arrivals;
            pareto_min_tokens: "Pareto from" of "tokens" in [1.0, f64::from(limits::REQUEST_TOKENS)]
                or "no length of the Pareto part is below it" first 4000.0 => Arrivals;
            pareto_tail: "Tail index" in [limits::TAIL_MIN, limits::TAIL]
                or "1 to 3 is a heavy tail; the larger, the lighter" first 1.5 => Arrivals;
            median_tokens: "Median" of "tokens" in [1.0, f64::from(limits::REQUEST_TOKENS)]
                or "the median of the lognormal part before cutting" and { "x-role": "typical" } first 400.0 => Arrivals;
            sigma: "Spread (sigma)" in [0.0, limits::SIGMA]
                or "0 is constant, 1 is a heavy tail" first 0.7 => Arrivals;
            min_tokens [one]: "Min" of "tokens" in [1, limits::REQUEST_TOKENS]
                or "a request has at least one token" first 1 => Arrivals;
            max_tokens: "Max" of "tokens" in [1, limits::REQUEST_TOKENS]
                or "a request has at least one token" first 8192 => Arrivals;
        }
        List "list" {
            lengths_tokens: "Lengths" of "tokens" in [1, limits::REQUEST_TOKENS]
                or "a request has at least one token" up_to [limits::LENGTHS, "lengths", "length"]
                first [128, 512, 2048] => Arrivals;
        }
        Empirical "empirical" {
            lengths: "Lengths" up_to [limits::LENGTHS, "lengths", "length"]
                first [WeightedLength { tokens: 200, weight: 3.0 }, WeightedLength { tokens: 2000, weight: 1.0 }] => Arrivals;
        }
    }
}

/// A length and how often it occurs.
#[apply(field_schema!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightedLength {
    /// How many tokens.
    pub tokens: u32,
    /// How often: a share, a percentage or a count; only the proportions matter.
    pub weight: f64,
}

fields! {
    entry WeightedLength {
        tokens: "Tokens" of "tokens" in [1, limits::REQUEST_TOKENS]
            or "a request has at least one token" first 400 => Arrivals;
        weight: "Weight" in [0.0, limits::LENGTH_WEIGHT]
            or "a weight is a share, a percentage or a count" first 1.0 => Arrivals;
    }
}

impl Lengths {
    /// About the mean length: not below it, and above it only by what cutting at the shortest adds.
    pub fn about(&self) -> f64 {
        let lognormal = |median: f64, sigma: f64| median * math::exp(sigma * sigma / 2.0);
        let mean = match self {
            Self::Constant { tokens } => return f64::from(*tokens),
            Self::Gaussian { mean_tokens, sd_tokens, .. } => mean_tokens + sd_tokens,
            Self::Exponential { mean_tokens, .. } => *mean_tokens,
            Self::Uniform { min_tokens, max_tokens } => {
                return f64::midpoint(f64::from(*min_tokens), f64::from(*max_tokens));
            }
            Self::List { lengths_tokens } => {
                let sum = lengths_tokens.iter().map(|tokens| f64::from(*tokens)).sum::<f64>();
                return sum / lengths_tokens.len().max(1) as f64;
            }
            Self::Lognormal { median_tokens, sigma, .. } => lognormal(*median_tokens, *sigma),
            Self::ParetoLognormal {
                pareto_share,
                pareto_min_tokens,
                pareto_tail,
                median_tokens,
                sigma,
                ..
            } => {
                let tail = pareto_tail - 1.0;
                let pareto = if tail > 0.0 { pareto_min_tokens * pareto_tail / tail } else { f64::INFINITY };
                let heavy = if *pareto_share > 0.0 { pareto_share * pareto } else { 0.0 };
                heavy + (1.0 - pareto_share) * lognormal(*median_tokens, *sigma)
            }
            Self::Empirical { lengths } => {
                let sum = |of: fn(&WeightedLength) -> f64| lengths.iter().map(of).sum::<f64>();
                return sum(|l| l.weight * f64::from(l.tokens)) / sum(|l| l.weight).max(f64::MIN_POSITIVE);
            }
        };
        let (shortest, longest) = self.bounds();
        (f64::from(shortest) + mean).min(f64::from(longest))
    }

    /// The shortest and the longest length that can come out; 0 and 0 if there is none.
    pub fn bounds(&self) -> (u32, u32) {
        match self {
            Self::Constant { tokens } => (*tokens, *tokens),
            Self::Gaussian { min_tokens, max_tokens, .. }
            | Self::Lognormal { min_tokens, max_tokens, .. }
            | Self::Uniform { min_tokens, max_tokens }
            | Self::Exponential { min_tokens, max_tokens, .. }
            | Self::ParetoLognormal { min_tokens, max_tokens, .. } => (*min_tokens, *max_tokens),
            Self::List { lengths_tokens: all } => {
                (all.iter().copied().min().unwrap_or_default(), all.iter().copied().max().unwrap_or_default())
            }
            Self::Empirical { lengths } => {
                let occur = lengths.iter().filter(|l| l.weight > 0.0).map(|l| l.tokens);
                (occur.clone().min().unwrap_or_default(), occur.max().unwrap_or_default())
            }
        }
    }
}
