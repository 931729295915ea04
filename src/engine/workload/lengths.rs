//! Drawing lengths: from one of the distributions, clamped at both ends and rounded half away from zero.

use base::dist;
use base::rng::Stream;
use document::Lengths;
use serde::{Deserialize, Serialize};

/// A distribution prepared for draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LengthSampler {
    lengths: Lengths,
    /// For a measured distribution: each length that occurs, with the cumulative weight up to it.
    table: Vec<(u32, f64)>,
}

/// A whole number from 0 up to and without `count`, all equally likely: one uniform draw each.
fn below(count: u32, stream: &mut Stream) -> u32 {
    // The product may round up to the count.
    ((stream.unit() * f64::from(count)) as u32).min(count - 1)
}

impl LengthSampler {
    pub(super) fn new(lengths: &Lengths) -> Self {
        let mut table = Vec::new();
        if let Lengths::Empirical { lengths } = lengths {
            let mut sum = 0.0;
            for length in lengths.iter().filter(|l| l.weight > 0.0) {
                sum += length.weight;
                table.push((length.tokens, sum));
            }
        }
        Self { lengths: lengths.clone(), table }
    }

    /// A number of tokens.
    pub(super) fn draw(&self, stream: &mut Stream) -> u32 {
        let cut = |x: f64, min: u32, max: u32| x.max(f64::from(min)).min(f64::from(max)).round() as u32;
        match self.lengths {
            Lengths::Constant { tokens } => tokens,
            Lengths::Gaussian { mean_tokens, sd_tokens, min_tokens, max_tokens } => {
                cut(dist::normal(stream, mean_tokens, sd_tokens), min_tokens, max_tokens)
            }
            Lengths::Lognormal { median_tokens, sigma, min_tokens, max_tokens } => {
                cut(dist::lognormal(stream, median_tokens, sigma), min_tokens, max_tokens)
            }
            Lengths::Uniform { min_tokens, max_tokens } => {
                min_tokens + below(max_tokens - min_tokens + 1, stream)
            }
            Lengths::List { ref lengths_tokens } => {
                lengths_tokens[below(lengths_tokens.len() as u32, stream) as usize]
            }
            Lengths::Exponential { mean_tokens, min_tokens, max_tokens } => {
                cut(dist::exponential(stream, mean_tokens), min_tokens, max_tokens)
            }
            Lengths::ParetoLognormal {
                pareto_share,
                pareto_min_tokens,
                pareto_tail,
                median_tokens,
                sigma,
                min_tokens,
                max_tokens,
            } => {
                let x = if stream.unit() < pareto_share {
                    dist::pareto(stream, pareto_min_tokens, pareto_tail)
                } else {
                    dist::lognormal(stream, median_tokens, sigma)
                };
                cut(x, min_tokens, max_tokens)
            }
            Lengths::Empirical { .. } => self.look_up(stream.unit()),
        }
    }

    /// The length at the share `u` of the weights.
    fn look_up(&self, u: f64) -> u32 {
        let &(longest, sum) = self.table.last().expect("INV-6: a measured distribution has a weight above 0");
        let found = self.table.partition_point(|&(_, up_to)| up_to <= u * sum);
        // The product may round up to the total weight.
        self.table.get(found).map_or(longest, |&(tokens, _)| tokens)
    }
}
