//! Layers with experts in the calibrated model: the weights that a step reads, and the communication of replicas that
//! share experts (docs/explanation/model/latency.md).

use super::placed::Placed;
use super::powers::power;
use super::spread::Spread;
use document::{Architecture, CalibratedCoefficients};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The weights of experts; a step reads those that its tokens are sent to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Shares", into = "Shares")]
pub(super) struct Experts {
    of: Shares,
    /// Precomputed powers of the idle share, so that a step multiplies once: for each exponent below 32, and each
    /// multiple of 32 below 1024.
    powers: Arc<[[f64; LOW]; 2]>,
}

/// The figures of the experts; all others follow from them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Shares {
    /// Time to read all experts of the replica.
    all_us: f64,
    /// Time to compute what fills a tile in each of them.
    padding_us: f64,
    /// Share of the experts that a token is not sent to; if replicas share them, for one token of each replica.
    idle: f64,
}

const LOW: usize = 32;

impl Experts {
    /// The tokens of all replicas that share experts are sent to those of this one. In lock step their number is known;
    /// otherwise these replicas are assumed to have equal token counts.
    pub(super) fn new(a: &Architecture, all_us: f64, padding_us: f64, spread: Spread) -> Self {
        let idle = 1.0 - f64::from(a.experts_per_token) / f64::from(a.experts);
        let ranks = if spread.lockstep { 1 } else { spread.ranks };
        let part = f64::from(spread.ranks);
        Shares { all_us: all_us / part, padding_us: padding_us / part, idle: power(idle, u64::from(ranks)) }
            .into()
    }

    /// Time to read the experts that a number of tokens are sent to, and to compute what fills their tiles.
    pub(super) fn read(&self, tokens: u64) -> [f64; 2] {
        let (low, high) = (tokens as usize % LOW, tokens as usize / LOW);
        let idle = match self.powers[1].get(high) {
            Some(further) => self.powers[0][low] * further,
            None => power(self.of.idle, tokens),
        };
        [self.of.all_us * (1.0 - idle), self.of.padding_us * (1.0 - idle)]
    }
}

impl Experts {
    /// The same where they are cut, liked unequally or moved; `all` are the tokens of all ranks.
    pub(super) fn read_by(&self, placed: &Placed, sent: u64, all: u64) -> [f64; 2] {
        if let Some(share) = placed.touched(all) {
            return [self.of.all_us, self.of.padding_us].map(|us| us * share);
        }
        let times = if placed.cut.is_some() { 1.0 } else { placed.imbalance() };
        let [read, padding] = self.read(sent);
        [(read * times).min(self.of.all_us), padding]
    }
}

impl From<Shares> for Experts {
    fn from(of: Shares) -> Self {
        let to = |exponent: usize| power(of.idle, exponent as u64);
        Self { of, powers: Arc::new([std::array::from_fn(to), std::array::from_fn(|i| to(i * LOW))]) }
    }
}

impl From<Experts> for Shares {
    fn from(experts: Experts) -> Self {
        experts.of
    }
}

/// The extra cost of layers with experts that replicas share: tokens are sent to the GPUs that have their experts,
/// and back.
pub(super) struct Exchange {
    /// Per step: two transfers of any size in each layer, in place of its second all-reduce, if it has one.
    pub(super) fixed_us: f64,
    /// Per token.
    pub(super) token_us: f64,
}

impl Exchange {
    pub(super) fn new(c: &CalibratedCoefficients, a: &Architecture, spread: Spread) -> Self {
        let tp = f64::from(spread.tp);
        let gpus = tp * f64::from(spread.ranks);
        let layers = f64::from(a.expert_layers());
        let replaced = if spread.tp > 1 { 0.5 } else { 0.0 };
        // A GPU has its share of the replica's tokens; each token is sent at most once to each GPU, and to at most as
        // many GPUs as it has experts.
        let copies = f64::from(a.experts_per_token).min(gpus) * (gpus - 1.0) / gpus / tp;
        let reduced = 2.0 * (tp - 1.0) / tp;
        Self {
            fixed_us: layers * (1.0 - replaced) * c.step_us_per_parallel_layer,
            token_us: layers * (2.0 * copies - reduced) * f64::from(a.hidden) * 2.0 / 1e6
                * c.reduce_us_per_megabyte,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_tokens_reads_what_is_not_idle() {
        let experts = Experts::from(Shares { all_us: 1e6, padding_us: 5e5, idle: 0.992_187_5 });
        for tokens in (0..70).chain(1000..1100).chain([100_000]) {
            let expected = 1e6 * (1.0 - power(0.992_187_5, tokens));
            let [read, padding] = experts.read(tokens);
            assert!((read - expected).abs() < 1e-8, "{tokens}");
            assert!((padding - expected / 2.0).abs() < 1e-8, "{tokens}");
        }
    }
}
