//! The traffic of a new fleet where no source says it: what the user asks for, and else a rate that the fleet carries
//! with ease.

use document::{Arrivals, Client, Cluster, Lengths, Pool, Role, Scaling, limits};
use engine::perf::sizing::pool_coefficients;
use queueing::{ClosedForm, RequestSize};
use serde::{Deserialize, Serialize};

/// The share of what the fleet carries that it gets.
const SHARE: f64 = 0.6;
/// The longest request as a multiple of the typical one, where that is above the default's longest.
const LONGEST: f64 = 8.0;

/// What the user says of the traffic; the rest is chosen.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
pub struct TrafficAsked {
    /// Requests per second.
    pub rate_per_s: Option<f64>,
    /// Tokens of a typical prompt: the median.
    pub prompt_tokens: Option<f64>,
    /// Tokens of a typical answer: the median.
    pub output_tokens: Option<f64>,
}

/// The traffic of a new fleet.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NewTraffic {
    /// Requests per second.
    pub rate_per_s: f64,
    /// Tokens of a typical prompt: the median.
    pub prompt_tokens: f64,
    /// Tokens of a typical answer: the median.
    pub output_tokens: f64,
    /// Requests per second of these lengths that the fleet carries, by the queueing model; absent if not known.
    pub carried_per_s: Option<f64>,
}

/// The only client of a new fleet, and its figures.
pub(crate) fn new_traffic(cluster: &Cluster, asked: &TrafficAsked) -> (Client, NewTraffic) {
    let usual = Client::default();
    let prompt = lengths(&usual.prompt_tokens, asked.prompt_tokens);
    let output = lengths(&usual.output_tokens, asked.output_tokens);
    // A request decodes in the steps after its first token.
    let size = RequestSize { input_tokens: prompt.about(), output_tokens: (output.about() - 1.0).max(1.0) };
    let carried_per_s = carried_per_s(&cluster.pools, size);
    let chosen = carried_per_s.map_or(usual.about_rate_per_s(), |rate| two_figures(SHARE * rate));
    let rate_per_s = asked.rate_per_s.unwrap_or(chosen);
    let traffic = NewTraffic {
        rate_per_s,
        prompt_tokens: typical(&prompt),
        output_tokens: typical(&output),
        carried_per_s: carried_per_s.map(two_figures),
    };
    let arrivals = Arrivals::Poisson { rate_per_s };
    (Client { arrivals, prompt_tokens: prompt, output_tokens: output, ..usual }, traffic)
}

/// Lengths of another median in the shape of the usual ones. One out of range is reported when the scenario is
/// checked.
fn lengths(usual: &Lengths, asked: Option<f64>) -> Lengths {
    match (usual, asked) {
        (&Lengths::Lognormal { sigma, min_tokens, max_tokens, .. }, Some(median_tokens)) => {
            let longest = (median_tokens * LONGEST).min(f64::from(limits::REQUEST_TOKENS / 2)) as u32;
            let max_tokens = max_tokens.max(longest);
            Lengths::Lognormal { median_tokens, sigma, min_tokens, max_tokens }
        }
        (usual, _) => usual.clone(),
    }
}

/// The typical length: the median, which the usual lengths have.
fn typical(lengths: &Lengths) -> f64 {
    match lengths {
        Lengths::Lognormal { median_tokens, .. } => *median_tokens,
        Lengths::Constant { .. }
        | Lengths::Gaussian { .. }
        | Lengths::Uniform { .. }
        | Lengths::List { .. }
        | Lengths::Exponential { .. }
        | Lengths::ParetoLognormal { .. }
        | Lengths::Empirical { .. } => lengths.about(),
    }
}

/// Requests per second that pools carry together; where prefill and decode are apart, what the slower stage carries.
fn carried_per_s(pools: &[Pool], size: RequestSize) -> Option<f64> {
    let (mut prefill, mut rest) = (None, None);
    for pool in pools {
        let carried = pool_carries(pool, size)?;
        let stage = if pool.role == Role::Prefill { &mut prefill } else { &mut rest };
        *stage = Some(stage.unwrap_or(0.0) + carried);
    }
    match (prefill, rest) {
        (Some(prefill), Some(rest)) => Some(f64::min(prefill, rest)),
        (one, other) => one.or(other),
    }
}

/// Requests per second that a pool carries: where its batches are full, its KV cache is, or the load is 1.
fn pool_carries(pool: &Pool, size: RequestSize) -> Option<f64> {
    // The figures of a replica depend on neither the other stage nor an autoscaler.
    let alone = Pool { role: Role::Mixed, scaling: Scaling::default(), ..pool.clone() };
    let found = pool_coefficients(&alone, size).ok()?;
    let replicas = f64::from(pool.replicas.max(1));
    if pool.role == Role::Prefill {
        return Some(replicas * found.peak_prefill.0 / size.input_tokens);
    }
    let server = ClosedForm::new(found.params, size).ok()?;
    let fitting = found.kv_tokens as f64 / (size.input_tokens + size.output_tokens);
    let batch = f64::from(found.max_batch).min(fitting).max(1.0) as u32;
    Some(replicas * server.batch_limit_per_s(batch).min(server.saturation_per_s()))
}

/// A rate cut to two significant figures, at least 0.01.
fn two_figures(rate: f64) -> f64 {
    let mut step = 1.0;
    while rate >= 100.0 * step && step < limits::RATE_PER_S {
        step *= 10.0;
    }
    if step > 1.0 || rate >= 10.0 {
        return (rate / step).floor() * step;
    }
    let parts = if rate >= 1.0 { 10.0 } else { 100.0 };
    ((rate * parts).floor() / parts).max(0.01)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_cut_to_two_figures() {
        for (rate, cut) in
            [(0.0, 0.01), (0.128, 0.12), (2.39, 2.3), (23.9, 23.0), (128.0, 120.0), (4567.0, 4500.0)]
        {
            assert_eq!(two_figures(rate).to_bits(), f64::to_bits(cut), "{rate}");
        }
    }

    #[test]
    fn twice_the_replicas_carry_twice_the_rate_and_longer_prompts_fewer() {
        let fleet =
            |replicas| Cluster { pools: vec![Pool { replicas, ..Pool::default() }], ..Cluster::default() };
        let carried = |replicas, prompt_tokens| {
            let asked = TrafficAsked { prompt_tokens, ..TrafficAsked::default() };
            new_traffic(&fleet(replicas), &asked).1.carried_per_s.expect("known figures")
        };
        assert!((carried(8, None) / carried(4, None) - 2.0).abs() < 0.1);
        assert!(carried(4, Some(4000.0)) < carried(4, None) / 2.0);
    }
}
