//! Published figures of GPUs besides the peaks of their data sheets, each with its source.
//!
//! A GPU with a row here takes the coefficients of another by these figures (`tools::validate::transfer`); a GPU
//! without a row and without coefficients of its own is a guess (`super::evidence`).

use super::catalogue;

/// Published figures of a GPU besides the peaks of its data sheet.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// GPU, as named in the catalogue.
    pub gpu: &'static str,
    /// GB/s at which data far larger than the cache is read, and the GB/s of the measured GPU's data sheet.
    pub read_gb_per_s: [f64; 2],
    /// Highest clock, in MHz.
    pub boost_mhz: f64,
    /// The link of one GPU to others in both directions, in GB/s: NVLink, or PCIe of 16 lanes without one, 4.0 or 5.0.
    pub link_gb_per_s: f64,
    /// Rows of a tile of FlashAttention 2; 0 if vLLM uses another kernel.
    pub tile_rows: f64,
}

/// Rows of a tile with a paged cache: FlashAttention 2 launches ceil(longest query / 64) blocks for each sequence and
/// head, and packs heads together only if no query is longer than 1 (vLLM, pull request 58013; FA3 on Hopper schedules
/// tiles).
const TILE_ROWS: f64 = 64.0;

/// Reading: github.com/te42kyfo/gpu-benches, gpu-l2-cache (H100 PCIe, A100 80 GB, L40; from 1 GB on) and gpu-stream (A100 40 GB, column
/// "read"); RTX 4090: github.com/krrishnarraj/clpeak, issue 106; RTX 5090, whose memory is that of the RTX PRO 6000: github.com/NVIDIA/cccl,
/// pull request 9881. Clocks and links: NVIDIA's data sheets and white papers. An H200 has the chip of an H100 and takes its
/// coefficients; a B200 has no row.
const FACTS: &[Facts] = &[
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
    /// All GPUs with figures, in the order of the table.
    #[must_use]
    pub fn all() -> &'static [Self] {
        FACTS
    }

    /// The figures of a GPU, by its name in the catalogue.
    #[must_use]
    pub fn of(gpu: &str) -> Option<&'static Self> {
        FACTS.iter().find(|f| f.gpu == gpu)
    }

    /// The figures by which coefficients are carried: those of the table, or else of the catalogue.
    #[must_use]
    pub fn published(gpu: &str) -> Option<Published> {
        let own = Self::of(gpu).map(|f| Published {
            reached: f.reached(),
            boost_mhz: f.boost_mhz,
            link_gb_per_s: f.link_gb_per_s,
            tile_rows: f.tile_rows,
        });
        own.or_else(|| {
            let listed = catalogue::gpu(gpu)?;
            let h = &listed.hardware;
            let tiled = FLASH_ATTENTION_2.contains(&listed.name.as_str());
            (h.clock_mhz > 0.0 && h.link_gb_per_s > 0.0).then_some(Published {
                reached: if h.read_share > 0.0 { h.read_share } else { USUAL_SHARE },
                boost_mhz: h.clock_mhz,
                link_gb_per_s: h.link_gb_per_s,
                tile_rows: if tiled { TILE_ROWS } else { 0.0 },
            })
        })
    }

    /// Share of the memory's peak that is reached.
    #[must_use]
    pub fn reached(&self) -> f64 {
        self.read_gb_per_s[0] / self.read_gb_per_s[1]
    }
}

/// What coefficients are carried by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// Share of the memory's peak that is reached.
    pub reached: f64,
    /// Highest clock, in MHz.
    pub boost_mhz: f64,
    /// The link of one GPU to others in both directions, in GB/s.
    pub link_gb_per_s: f64,
    /// Rows of a tile of FlashAttention 2; 0 if vLLM uses another kernel.
    pub tile_rows: f64,
}

/// Share of the memory's peak that a GPU without a measurement of it is assumed to reach: the middle of those above.
const USUAL_SHARE: f64 = 0.92;

/// Whether a GPU is of a maker none of whose GPUs was measured: AMD's.
pub(super) fn is_of_another_maker(gpu: &str) -> bool {
    gpu.starts_with("MI")
}

/// GPUs of the catalogue alone on which vLLM takes FlashAttention 2: those of Ampere and Ada, and Blackwell with GDDR.
const FLASH_ATTENTION_2: [&str; 4] = ["A100-PCIE", "A10G", "L4", "RTX-5090"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf;

    #[test]
    fn what_is_published_makes_physical_sense_and_belongs_to_known_gpus() {
        for f in Facts::all() {
            assert!(perf::known_gpu(f.gpu).is_some_and(|g| g.name == f.gpu), "{}", f.gpu);
            assert!((0.5..=1.0).contains(&f.reached()), "{}", f.gpu);
            assert!((1000.0..3500.0).contains(&f.boost_mhz), "{}", f.gpu);
        }
    }
}
