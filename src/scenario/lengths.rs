//! How long texts are: distributions of token counts.

#[cfg(feature = "cli")]
use super::limits;
use crate::base::math;
use serde::{Deserialize, Serialize};

/// How many tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Lengths {
    /// Always the same.
    Constant {
        /// How many tokens.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::REQUEST_TOKENS)))]
        tokens: u32,
    },
    /// Normal, cut off at both ends and rounded.
    Gaussian {
        /// Mean before cutting.
        #[cfg_attr(feature = "cli", schemars(range(min = 1.0, max = f64::from(limits::REQUEST_TOKENS))))]
        mean_tokens: f64,
        /// Standard deviation before cutting.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = f64::from(limits::REQUEST_TOKENS))))]
        sd_tokens: f64,
        /// Fewest tokens.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::REQUEST_TOKENS)))]
        min_tokens: u32,
        /// Most tokens.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::REQUEST_TOKENS)))]
        max_tokens: u32,
    },
    /// Lognormal, cut off at both ends and rounded: most are short, a few are very long.
    Lognormal {
        /// Median before cutting.
        #[cfg_attr(feature = "cli", schemars(range(min = 1.0, max = f64::from(limits::REQUEST_TOKENS))))]
        median_tokens: f64,
        /// Standard deviation of the logarithm; 0 is constant, 1 is a heavy tail.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::SIGMA)))]
        sigma: f64,
        /// Fewest tokens.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::REQUEST_TOKENS)))]
        min_tokens: u32,
        /// Most tokens.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::REQUEST_TOKENS)))]
        max_tokens: u32,
    },
    /// Exponential, cut off at both ends and rounded: the shorter, the more likely.
    Exponential {
        /// Mean before cutting.
        #[cfg_attr(feature = "cli", schemars(range(min = 1.0, max = f64::from(limits::REQUEST_TOKENS))))]
        mean_tokens: f64,
        /// Fewest tokens.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::REQUEST_TOKENS)))]
        min_tokens: u32,
        /// Most tokens.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::REQUEST_TOKENS)))]
        max_tokens: u32,
    },
    /// A mixture: a share of Pareto lengths, which makes the far tail, the rest lognormal. Cut off at both ends and rounded.
    ParetoLognormal {
        /// Share of the Pareto part, 0 to 1.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = 1.0)))]
        pareto_share: f64,
        /// Shortest length of the Pareto part before cutting.
        #[cfg_attr(feature = "cli", schemars(range(min = 1.0, max = f64::from(limits::REQUEST_TOKENS))))]
        pareto_min_tokens: f64,
        /// Tail index of the Pareto part: x times its shortest length is exceeded with probability x to the power of minus this. Up to 1 its mean is infinite before cutting.
        #[cfg_attr(feature = "cli", schemars(range(min = limits::TAIL_MIN, max = limits::TAIL)))]
        pareto_tail: f64,
        /// Median of the lognormal part before cutting.
        #[cfg_attr(feature = "cli", schemars(range(min = 1.0, max = f64::from(limits::REQUEST_TOKENS))))]
        median_tokens: f64,
        /// Standard deviation of the logarithm of the lognormal part.
        #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::SIGMA)))]
        sigma: f64,
        /// Fewest tokens.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::REQUEST_TOKENS)))]
        min_tokens: u32,
        /// Most tokens.
        #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::REQUEST_TOKENS)))]
        max_tokens: u32,
    },
    /// As measured: the lengths that occur, each with its weight.
    Empirical {
        /// The lengths, in any order. A length is drawn with probability weight / sum of all weights.
        lengths: Vec<WeightedLength>,
    },
}

/// A length and how often it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WeightedLength {
    /// How many tokens.
    #[cfg_attr(feature = "cli", schemars(range(min = 1, max = limits::REQUEST_TOKENS)))]
    pub tokens: u32,
    /// How often: a share, a percentage or a count; only the proportions matter.
    #[cfg_attr(feature = "cli", schemars(range(min = 0.0, max = limits::LENGTH_WEIGHT)))]
    pub weight: f64,
}

impl Lengths {
    /// About the mean length: not below it, and above it only by what cutting at the shortest adds.
    pub fn about(&self) -> f64 {
        let lognormal = |median: f64, sigma: f64| median * math::exp(sigma * sigma / 2.0);
        let mean = match self {
            Self::Constant { tokens } => return f64::from(*tokens),
            Self::Gaussian { mean_tokens, sd_tokens, .. } => mean_tokens + sd_tokens,
            Self::Exponential { mean_tokens, .. } => *mean_tokens,
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
            | Self::Exponential { min_tokens, max_tokens, .. }
            | Self::ParetoLognormal { min_tokens, max_tokens, .. } => (*min_tokens, *max_tokens),
            Self::Empirical { lengths } => {
                let occur = lengths.iter().filter(|l| l.weight > 0.0).map(|l| l.tokens);
                (occur.clone().min().unwrap_or_default(), occur.max().unwrap_or_default())
            }
        }
    }
}
