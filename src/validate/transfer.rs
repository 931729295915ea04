//! Transfers the coefficients of an H100 to a GPU without measurements, by published figures of both and without
//! fitted ones: used by level 2, and as the first values of a fit of that GPU.
//!
//! Peaks come from the data sheets anyway, since coefficients are shares of them. The transfer adjusts the reachable
//! share of the memory's peak, the time of kernels besides their data, and the attention kernel of the engine. Host
//! and API server are assumed to be as fast as those of an H100. docs/explanation/model/latency.md has the rules.

use crate::scenario::CalibratedCoefficients;

/// Published figures of a GPU besides the peaks of its data sheet.
struct Facts {
    gpu: &'static str,
    /// GB/s at which data far larger than the cache is read, and the GB/s of the measured GPU's data sheet.
    read_gb_per_s: [f64; 2],
    /// Highest clock, in MHz.
    boost_mhz: f64,
    /// The link of one GPU to others in both directions, in GB/s: NVLink, or PCIe of 16 lanes without one, 4.0 or 5.0.
    link_gb_per_s: f64,
    /// Rows of a tile of FlashAttention 2; 0 if vLLM uses another kernel.
    tile_rows: f64,
}

/// Rows of a tile with a paged cache: FlashAttention 2 launches ceil(longest query / 64) blocks for each sequence and
/// head, and packs heads together only if no query is longer than 1 (vLLM, pull request 58013; FA3 on Hopper schedules
/// tiles).
const TILE_ROWS: f64 = 64.0;

/// Reading: github.com/te42kyfo/gpu-benches, gpu-l2-cache (H100 PCIe, A100 80 GB, L40; from 1 GB on) and gpu-stream (A100 40 GB, column
/// "read"); RTX 4090: github.com/krrishnarraj/clpeak, issue 106; RTX 5090, whose memory is that of the RTX PRO 6000: github.com/NVIDIA/cccl,
/// pull request 9881. Clocks and links: NVIDIA's data sheets and white papers. An H200 has the chip of an H100 and takes its
/// coefficients; a B200 has no row.
const FACTS: [Facts; 6] = [
    Facts {
        gpu: "H100",
        read_gb_per_s: [1971.0, 2039.0],
        boost_mhz: 1980.0,
        link_gb_per_s: 900.0,
        tile_rows: 0.0,
    },
    Facts {
        gpu: "A100-80",
        read_gb_per_s: [1731.0, 2039.0],
        boost_mhz: 1410.0,
        link_gb_per_s: 600.0,
        tile_rows: TILE_ROWS,
    },
    Facts {
        gpu: "A100-40",
        read_gb_per_s: [1490.0, 1555.0],
        boost_mhz: 1410.0,
        link_gb_per_s: 600.0,
        tile_rows: TILE_ROWS,
    },
    Facts {
        gpu: "L40S",
        read_gb_per_s: [796.5, 864.0],
        boost_mhz: 2520.0,
        link_gb_per_s: 64.0,
        tile_rows: TILE_ROWS,
    },
    Facts {
        gpu: "RTX-4090",
        read_gb_per_s: [921.0, 1008.0],
        boost_mhz: 2520.0,
        link_gb_per_s: 64.0,
        tile_rows: TILE_ROWS,
    },
    Facts {
        gpu: "RTX-PRO-6000",
        read_gb_per_s: [1573.0, 1792.0],
        boost_mhz: 2617.0,
        link_gb_per_s: 128.0,
        tile_rows: TILE_ROWS,
    },
];

impl Facts {
    fn of(gpu: &str) -> Option<&'static Self> {
        FACTS.iter().find(|f| f.gpu == gpu)
    }

    /// Share of the memory's peak that is reached.
    fn reached(&self) -> f64 {
        self.read_gb_per_s[0] / self.read_gb_per_s[1]
    }
}

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
    use crate::perf;

    #[test]
    fn what_is_published_makes_physical_sense_and_belongs_to_known_gpus() {
        for f in &FACTS {
            assert!(perf::known_gpu(f.gpu).is_some_and(|g| g.name == f.gpu), "{}", f.gpu);
            assert!((0.5..=1.0).contains(&f.reached()), "{}", f.gpu);
            assert!((1000.0..3500.0).contains(&f.boost_mhz), "{}", f.gpu);
        }
    }

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
