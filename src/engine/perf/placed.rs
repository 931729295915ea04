//! Experts that are cut over the ranks of a server, liked unequally or moved, and a cache that is divided over the GPUs of a replica:
//! what these change in a step of the calibrated model (docs/explanation/model/latency.md).

use super::parts::Parts;
use super::powers::power;
use super::spread::Spread;
use base::math::round_to_span;
use base::{Diagnostic, Span};
use document::{
    Architecture, CalibratedCoefficients, ContextParallelism, ExpertPlacement, ExpertSkew, ExpertSplit, Pool,
};
use serde::{Deserialize, Serialize};

/// What differs from experts that lie whole and in order on their ranks and are liked alike, and from a cache that is whole on each GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Placed {
    /// Experts cut over all ranks.
    pub(super) cut: Option<Cut>,
    /// How many times the mean the rank with the most computes for its experts: as they lie in order, and after rebalancing.
    spread_out: [f64; 2],
    /// What a token is sent to the experts of the busiest rank with, if shares are given; then those of all.
    shares: [Vec<f64>; 2],
    /// Ranks that share the experts.
    ranks: u32,
    /// Whether the tokens of all are known; if not, all are taken to have as many.
    lockstep: bool,
    /// Steps between two rebalancings, and how much longer the step takes in which experts move.
    rebalancing: Option<(u32, Span)>,
    /// Whether experts have moved.
    is_balanced: bool,
    /// A divided cache.
    pub(super) divided: Divided,
}

/// Communication where every expert is cut over all GPUs of a server.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Cut {
    /// For each token of the rank, in place of what whole experts take: less, as the layer's second all-reduce goes.
    pub(super) own_us: f64,
    /// For each token of the server.
    pub(super) all_us: f64,
}

/// What a cache divided by tokens changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Divided {
    /// Share of the time to read the cache that decoding requests do without.
    pub(super) spared: f64,
    /// For each decoding request.
    pub(super) request_us: f64,
    /// In each step that decodes.
    pub(super) step_us: f64,
}

impl Placed {
    /// That of a pool; none where nothing differs.
    pub(super) fn new(
        placement: &ExpertPlacement,
        dcp: Option<&ContextParallelism>,
        c: &CalibratedCoefficients,
        a: &Architecture,
        spread: Spread,
    ) -> Option<Self> {
        let divided = dcp.filter(|dcp| dcp.size > 1).map(|dcp| Divided::new(dcp, c, a, spread.tp));
        let is_cut = placement.split == ExpertSplit::Tensor && spread.ranks > 1;
        let has_experts = a.expert_layers() > 0 && spread.ranks > 1;
        let is_skewed = placement.skew != ExpertSkew::Even && !is_cut && has_experts;
        let eplb = placement.eplb.as_ref().filter(|_| has_experts && !is_cut);
        if divided.is_none() && !is_cut && !is_skewed && eplb.is_none() {
            return None;
        }
        let ranks = spread.ranks as usize;
        let weights = if is_skewed { weights(&placement.skew, a.experts) } else { Vec::new() };
        let shares = weights
            .iter()
            .map(|share| (share * f64::from(a.experts_per_token)).min(1.0))
            .collect::<Vec<f64>>();
        let (linear, busiest) = in_order(&weights, ranks);
        let linear = match placement.skew {
            ExpertSkew::Imbalance(f) if is_skewed => f,
            _ => linear,
        };
        let balanced = eplb.map_or(linear, |eplb| {
            let best = if weights.is_empty() { 1.0 } else { balanced(&weights, ranks, eplb.redundant) };
            1.0 + (1.0 - eplb.coverage) * (linear - 1.0) + eplb.coverage * (best - 1.0)
        });
        let each = shares.len() / ranks.max(1);
        let of_busiest = shares.iter().skip(busiest * each).take(each).copied().collect();
        Some(Self {
            cut: is_cut.then(|| Cut::new(c, a, spread)),
            spread_out: [linear, balanced],
            shares: [of_busiest, shares],
            ranks: spread.ranks,
            lockstep: spread.lockstep,
            rebalancing: eplb
                .map(|eplb| (eplb.interval_steps.max(1), round_to_span(eplb.rebalance_ms * 1000.0))),
            is_balanced: false,
            divided: divided.unwrap_or_default(),
        })
    }

    /// Ranks that share the experts.
    pub(super) fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Tokens of all ranks, where `sent` are known.
    pub(super) fn all(&self, sent: u64) -> u64 {
        if self.lockstep { sent } else { sent * u64::from(self.ranks) }
    }

    /// How many times the mean the rank with the most computes for its experts now.
    pub(super) fn imbalance(&self) -> f64 {
        self.spread_out[usize::from(self.is_balanced)]
    }

    /// Share of its experts that the busiest rank reads for these tokens of all ranks; none where no shares are given.
    pub(super) fn touched(&self, all: u64) -> Option<f64> {
        let of = &self.shares[usize::from(self.is_balanced)];
        if of.is_empty() {
            return None;
        }
        let sum: f64 = of.iter().map(|share| 1.0 - power(1.0 - share, all)).sum();
        Some(sum / of.len() as f64)
    }

    /// Steps between two rebalancings, and how much longer the step takes in which experts move.
    pub(super) fn rebalancing(&self) -> Option<(u32, Span)> {
        self.rebalancing
    }

    /// Whether experts lie as they were last moved, not in order.
    pub(super) fn is_balanced(&self) -> bool {
        self.is_balanced
    }

    /// Experts were moved, or lie in order again. Without rebalancing they stay in order.
    pub(super) fn set_balanced(&mut self, is_balanced: bool) {
        self.is_balanced = is_balanced && self.rebalancing.is_some();
    }
}

impl Cut {
    /// A layer gathers the tokens of all GPUs and scatters the results, in place of its second all-reduce.
    fn new(c: &CalibratedCoefficients, a: &Architecture, spread: Spread) -> Self {
        let tp = f64::from(spread.tp);
        let gpus = tp * f64::from(spread.ranks);
        let megabytes = f64::from(a.expert_layers()) * f64::from(a.hidden) * 2.0 / 1e6;
        let us = megabytes * c.reduce_us_per_megabyte;
        Self { own_us: -2.0 * (tp - 1.0) / tp * us, all_us: 2.0 * (gpus - 1.0) / gpus * us }
    }
}

impl Divided {
    /// Queries and the logarithms of sums are gathered in each layer, and results scattered.
    fn new(dcp: &ContextParallelism, c: &CalibratedCoefficients, a: &Architecture, tp: u32) -> Self {
        let (d, layers) = (f64::from(dcp.size), f64::from(a.layers));
        let heads = f64::from(a.heads) / f64::from(tp.max(1));
        let [queries, results] = if a.kv_latent > 0 {
            [f64::from(a.kv_latent), f64::from(a.kv_latent.saturating_sub(ROTARY))]
        } else {
            [f64::from(a.head_dim()); 2]
        };
        let gathered = heads * queries * 2.0 * (d - 1.0) + heads * d * 4.0 * (d - 1.0);
        let scattered = heads * d * results * 2.0 * (d - 1.0) / d;
        Self {
            spared: 1.0 - 1.0 / d,
            request_us: layers * (gathered + scattered) / 1e6 * c.reduce_us_per_megabyte,
            step_us: layers * dcp.us_per_layer,
        }
    }
}

/// Numbers of a latent that carry positions alone and are no part of results (`qk_rope_head_dim` of models with a latent).
const ROTARY: u32 = 64;

/// Shares of the experts in what tokens are sent, which add up to 1.
fn weights(skew: &ExpertSkew, experts: u32) -> Vec<f64> {
    let all: Vec<f64> = match skew {
        ExpertSkew::Zipf(s) => (1..=experts).map(|e| base::math::pow(f64::from(e), -s)).collect(),
        ExpertSkew::Weights(weights) => weights.clone(),
        ExpertSkew::Even | ExpertSkew::Imbalance(_) => Vec::new(),
    };
    let sum: f64 = all.iter().sum();
    all.into_iter().map(|weight| weight / sum).collect()
}

/// The largest load of a rank over the mean, with experts in order, and that rank.
fn in_order(weights: &[f64], ranks: usize) -> (f64, usize) {
    let each = weights.len() / ranks;
    if each == 0 {
        return (1.0, 0);
    }
    let mut most = (0.0, 0);
    for (rank, of) in weights.chunks(each).take(ranks).enumerate() {
        let load: f64 = of.iter().sum();
        if load > most.0 {
            most = (load, rank);
        }
    }
    (most.0 * ranks as f64, most.1)
}

/// The same after rebalancing: copies go one by one to the expert with the largest load a copy, then the heaviest copy to the
/// lightest rank with a free slot.
fn balanced(weights: &[f64], ranks: usize, redundant: u32) -> f64 {
    let mut copies = vec![1_u32; weights.len()];
    let load = |copies: &[u32], i: usize| weights[i] / f64::from(copies[i]);
    for _ in 0..redundant {
        let mut at = 0;
        for i in 1..weights.len() {
            if load(&copies, i) > load(&copies, at) {
                at = i;
            }
        }
        copies[at] += 1;
    }
    let mut items: Vec<(f64, usize)> = Vec::new();
    for i in 0..weights.len() {
        items.extend(std::iter::repeat_n((load(&copies, i), i), copies[i] as usize));
    }
    items.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let slots = items.len() / ranks;
    let mut loads = vec![(0.0_f64, 0_usize); ranks];
    for (load, _) in items {
        let free = loads.iter_mut().filter(|(_, used)| *used < slots);
        let lightest = free.min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((sum, used)) = lightest {
            (*sum, *used) = (*sum + load, *used + 1);
        }
    }
    loads.iter().map(|(sum, _)| *sum).fold(0.0, f64::max) * ranks as f64
}

/// By how much a token's cache is larger with that of the layers of the pool's drafter, and smaller where it is divided.
pub(super) fn token_share(pool: &Pool, a: &Architecture) -> f64 {
    let own = pool.engine.speculative.as_ref().map_or(0, |s| s.draft_layers);
    let with = if own == 0 { 1.0 } else { f64::from(a.layers + own) / f64::from(a.layers.max(1)) };
    with / pool.dcp.as_ref().map_or(1.0, |dcp| f64::from(dcp.size.max(1)))
}

/// Bytes of copies of experts on a replica, where `ranks` replicas share them.
pub(super) fn redundant_bytes(a: &Architecture, ranks: u32, redundant: u32) -> f64 {
    if ranks < 2 {
        return 0.0;
    }
    Parts::of(a).expert * a.bytes_per_expert_param() * f64::from(redundant) / f64::from(ranks)
}

/// What does not fit the shape of the model of the pool at `path`.
pub(super) fn problems(pool: &Pool, a: &Architecture, path: &str) -> Vec<Diagnostic> {
    let (e, mut all) = (&pool.experts, Vec::new());
    let dense = a.expert_layers() == 0;
    for (key, is_set) in [("skew", e.skew != ExpertSkew::Even), ("eplb", e.eplb.is_some())] {
        if is_set && dense {
            let fix = "choose a model with experts, or leave it out";
            let found = "settings of experts, with a dense model";
            all.push(Diagnostic::error(format!("{path}.experts.{key}"), found, "a model with experts", fix));
        }
    }
    let ranks = pool.expert_ranks.max(1);
    if let ExpertSkew::Weights(weights) = &e.skew
        && !dense
        && weights.len() != a.experts as usize
    {
        let found = format!("{} weights for {} experts", weights.len(), a.experts);
        let fix = "give one for each expert, in their order";
        all.push(Diagnostic::error(
            format!("{path}.experts.skew.weights"),
            found,
            a.experts.to_string(),
            fix,
        ));
    }
    let copies = e.eplb.as_ref().map_or(0, |eplb| eplb.redundant);
    let counts = e.eplb.is_some() || matches!(e.skew, ExpertSkew::Zipf(_) | ExpertSkew::Weights(_));
    if !dense && counts && e.split == ExpertSplit::Ranks && !(a.experts + copies).is_multiple_of(ranks) {
        let key = if e.eplb.is_some() { "eplb.redundant" } else { "skew" };
        let found = format!("{} experts and {copies} copies over {ranks} ranks", a.experts);
        let fix = "every rank has as many: choose other copies or another expert_ranks";
        let allowed = format!("a multiple of {ranks} together");
        all.push(Diagnostic::error(format!("{path}.experts.{key}"), found, allowed, fix));
    }
    if let Some(dcp) = pool.dcp.as_ref().filter(|dcp| dcp.size > 1) {
        let copies = if a.kv_latent > 0 { pool.tp } else { (pool.tp / a.kv_heads().max(1)).max(1) };
        if !copies.is_multiple_of(dcp.size) {
            let found = format!("{} GPUs, where each token is on {copies}", dcp.size);
            let fix = "a cache is divided among the GPUs that have copies of it: tp for a latent, tp over the KV heads otherwise";
            let allowed = format!("a divisor of {copies}");
            all.push(Diagnostic::error(format!("{path}.dcp.size"), found, allowed, fix));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::Eplb;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    #[test]
    fn experts_in_order_are_unequal_and_copies_make_them_even() {
        let w = weights(&ExpertSkew::Zipf(0.6), 64);
        assert!(close(w.iter().sum(), 1.0));
        // together: t22, t23, t24.
        assert!(close(in_order(&w, 8).0, 2.788_209) && in_order(&w, 8).1 == 0);
        assert!(close(balanced(&w, 8, 0), 1.172_695), "{}", balanced(&w, 8, 0));
        assert!(close(balanced(&w, 8, 8), 1.001_822), "{}", balanced(&w, 8, 8));
        assert_eq!((in_order(&[], 8), weights(&ExpertSkew::Even, 8)), ((1.0, 0), vec![]));
    }

    fn placed(placement: &ExpertPlacement, a: &Architecture, ranks: u32) -> Placed {
        let spread = Spread { tp: 1, ranks, lockstep: true };
        Placed::new(placement, None, &CalibratedCoefficients::default(), a, spread)
            .expect("something differs")
    }

    #[test]
    fn fewer_experts_are_touched_where_some_are_liked_more() {
        // together: t27, over all experts.
        let a = Architecture { experts: 64, experts_per_token: 4, ..Architecture::default() };
        let placement = ExpertPlacement {
            skew: ExpertSkew::Zipf(0.6),
            eplb: Some(Eplb::default()),
            ..Default::default()
        };
        let mut found = placed(&placement, &a, 8);
        assert!(found.touched(16).expect("shares") > 36.334_503 / 64.0, "the busiest rank reads more");
        found.set_balanced(true);
        assert!(close(found.touched(16).expect("shares") * 64.0, 36.334_503));
    }

    #[test]
    fn coverage_says_how_much_rebalancing_helps() {
        // together: t38, with f of 2.0 in order and 1.0 after.
        let a = Architecture { experts: 64, experts_per_token: 4, ..Architecture::default() };
        let eplb = Eplb { coverage: 0.8, ..Eplb::default() };
        let placement =
            ExpertPlacement { skew: ExpertSkew::Imbalance(2.0), eplb: Some(eplb), ..Default::default() };
        let mut found = placed(&placement, &a, 8);
        assert!(close(found.imbalance(), 2.0));
        found.set_balanced(true);
        assert!(close(found.imbalance(), 1.2));
    }

    #[test]
    fn cut_experts_pass_on_as_many_bytes_as_spread_ones_if_a_token_has_as_many_as_there_are_gpus() {
        // together: t42. A token is 2 · 7,168 bytes; 112 of them a layer in both splits.
        let a = Architecture {
            layers: 58,
            hidden: 7168,
            experts: 256,
            experts_per_token: 8,
            ..Architecture::default()
        };
        let c = CalibratedCoefficients { reduce_us_per_megabyte: 1.0, ..CalibratedCoefficients::default() };
        let bytes = |tp: u32, ranks: u32, own: f64, all: f64| {
            let cut = Cut::new(&c, &a, Spread { tp, ranks, lockstep: true });
            (cut.own_us * own + cut.all_us * all) * 1e6
        };
        assert!((bytes(1, 8, 8.0, 64.0) - 93_126_656.0).abs() < 1.0);
        // With two GPUs a rank: 2 · 7/8 · 64 - 16 = 96 tokens.
        assert!((bytes(2, 4, 16.0, 64.0) - 96.0 * 14_336.0 * 58.0).abs() < 1.0);
    }

    #[test]
    fn a_divided_cache_gathers_queries_and_scatters_results() {
        // together: t20.
        let a = Architecture { layers: 61, heads: 64, kv_latent: 576, ..Architecture::default() };
        let c = CalibratedCoefficients { reduce_us_per_megabyte: 1.0, ..CalibratedCoefficients::default() };
        let found = Divided::new(&ContextParallelism { size: 8, us_per_layer: 2.0 }, &c, &a, 8);
        assert!((found.request_us * 32.0 * 1e6 - 241_360_896.0).abs() < 1.0, "{}", found.request_us);
        assert!(close(found.spared, 0.875) && close(found.step_us, 122.0));
    }
}
