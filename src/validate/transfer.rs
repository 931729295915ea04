//! Transfers the coefficients of an H100 to a GPU without measurements, by published figures of both and without
//! fitted ones: used by level 2, and as the first values of a fit of that GPU.
//!
//! Peaks come from the data sheets anyway, since coefficients are shares of them. The transfer adjusts the reachable
//! share of the memory's peak, the time of kernels besides their data, and the attention kernel of the engine. Host
//! and API server are assumed to be as fast as those of an H100. docs/explanation/model/latency.md has the rules.

use crate::perf::Facts;
use crate::scenario::CalibratedCoefficients;

/// The coefficients of one GPU transferred to another; unchanged if nothing is published of either.
#[must_use]
pub fn carried(c: &CalibratedCoefficients, from: &str, to: &str) -> CalibratedCoefficients {
    let Some((from, to)) = Facts::of(from).zip(Facts::of(to)) else { return c.clone() };
    let memory = to.reached() / from.reached();
    // A slower clock makes kernels start and end later; a faster clock does not make the memory faster.
    let clock = (from.boost_mhz / to.boost_mhz).max(1.0);
    let link = from.link_gb_per_s / to.link_gb_per_s;
    CalibratedCoefficients {
        weights_efficiency: (c.weights_efficiency * memory).min(1.0),
        kv_efficiency: (c.kv_efficiency * memory).min(1.0),
        step_us_per_layer: c.step_us_per_layer * clock,
        step_us_per_expert_layer: c.step_us_per_expert_layer * clock,
        step_us_per_parallel_layer: c.step_us_per_parallel_layer * clock,
        reduce_us_per_megabyte: c.reduce_us_per_megabyte * link,
        attention_rows_with_prefill: to.tile_rows,
        ..c.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_published_figures_are_transferred_and_nothing_to_the_gpu_itself_or_an_unknown_one() {
        let c = CalibratedCoefficients::default();
        assert_eq!(carried(&c, "H100", "H100"), c);
        assert_eq!(carried(&c, "H100", "nobody's"), c);
        let a100 = carried(&c, "H100", "A100-80");
        // 0.849 of the peak against 0.967; 1980 MHz against 1410.
        assert!((a100.weights_efficiency / c.weights_efficiency - 0.878).abs() < 1e-3);
        assert!((a100.step_us_per_layer / c.step_us_per_layer - 1.404).abs() < 1e-3);
        assert!((a100.reduce_us_per_megabyte / c.reduce_us_per_megabyte - 1.5).abs() < 1e-9);
        assert_eq!((a100.step_us, a100.compute_efficiency), (c.step_us, c.compute_efficiency));
        assert!(a100.attention_rows_with_prefill > 0.0);
        let pcie = carried(&c, "H100", "RTX-PRO-6000").reduce_us_per_megabyte;
        assert!((pcie / c.reduce_us_per_megabyte - 900.0 / 128.0).abs() < 1e-9);
        assert_eq!(carried(&c, "H100", "L40S").step_us_per_layer.to_bits(), c.step_us_per_layer.to_bits());
    }
}
