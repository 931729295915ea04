//! Speeds of matrix products by number format, in peaks of 16 bits (docs/explanation/model/latency.md).

use document::{Architecture, CalibratedCoefficients, Hardware, Precision};

/// Speeds of the matrix products of a model on a GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rates {
    /// Products that every token passes.
    pub(super) common: f64,
    /// Products of routed experts.
    pub(super) routed: f64,
    /// Layers convert activations to fewer bits.
    pub(super) converts: bool,
    /// Routed experts have weights of 8 bits and are computed in 8 bits.
    pub(super) experts_in_8_bits: bool,
}

impl Rates {
    pub(super) fn new(c: &CalibratedCoefficients, a: &Architecture, hw: &Hardware) -> Self {
        let [common_bytes, routed_bytes] = [a.bytes_per_param, a.bytes_per_expert_param()];
        let own = if a.expert_precision == Precision::Auto && a.bytes_per_expert_param <= 0.0 {
            a.precision
        } else {
            a.expert_precision
        };
        let common = Units::of(a.precision, common_bytes, hw);
        let routed = Units::of(own, routed_bytes, hw);
        let experts = match routed {
            Units::WeightOnly if c.expert_efficiency_weight_only > 0.0 => c.expert_efficiency_weight_only,
            units => units.speed(c, hw),
        };
        let fewer = |units: Units| matches!(units, Units::Fp8 | Units::Int8 | Units::Fp4);
        Self {
            common: common.speed(c, hw),
            routed: experts,
            converts: fewer(common) || fewer(routed),
            // Weights of 4 bits that are computed in 8 have kernels of their own.
            experts_in_8_bits: matches!(routed, Units::Fp8 | Units::Int8) && routed_bytes >= 0.75,
        }
    }
}

/// The units of a GPU that compute a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Units {
    Bits16,
    Fp8,
    Int8,
    Fp4,
    /// 16 bits, with weights of fewer bits that are converted as they are read.
    WeightOnly,
}

impl Units {
    /// The units for a number format: without units of its own, a GPU converts the weights to 16 bits.
    fn of(precision: Precision, bytes: f64, hw: &Hardware) -> Self {
        let has = |peak: f64, units: Self| if peak > 0.0 { units } else { Self::WeightOnly };
        match precision {
            Precision::Auto if bytes >= 1.5 => Self::Bits16,
            Precision::Auto if bytes >= 0.75 => has(hw.tflops_fp8, Self::Fp8),
            Precision::Bf16 => Self::Bits16,
            Precision::Fp8 => has(hw.tflops_fp8, Self::Fp8),
            Precision::Int8 => has(hw.tops_int8, Self::Int8),
            Precision::Nvfp4 => has(hw.tflops_fp4, Self::Fp4),
            // Products with activations of 8 bits, on GPUs that read the format.
            Precision::Mxfp4 => has(hw.tflops_fp4, Self::Fp8),
            Precision::Auto | Precision::Fp8WeightOnly | Precision::W4a16 => Self::WeightOnly,
        }
    }

    /// Peaks of 16 bits that are reached.
    fn speed(self, c: &CalibratedCoefficients, hw: &Hardware) -> f64 {
        let peaks = |peak: f64| peak / hw.tflops;
        match self {
            Self::Bits16 | Self::WeightOnly => c.compute_efficiency,
            Self::Fp8 => c.compute_efficiency_8_bit * peaks(hw.tflops_fp8),
            Self::Int8 => c.compute_efficiency_8_bit * peaks(hw.tops_int8),
            Self::Fp4 => c.compute_efficiency_4_bit * peaks(hw.tflops_fp4),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::known_gpu;

    fn speeds(gpu: &str, precision: Precision, bytes: f64) -> (f64, bool) {
        let hw = &known_gpu(gpu).expect("in the catalogue").hardware;
        let c = CalibratedCoefficients {
            compute_efficiency: 0.6,
            compute_efficiency_8_bit: 0.5,
            compute_efficiency_4_bit: 0.4,
            ..CalibratedCoefficients::default()
        };
        let a = Architecture { precision, bytes_per_param: bytes, ..Architecture::default() };
        let rates = Rates::new(&c, &a, hw);
        (rates.common, rates.converts)
    }

    #[test]
    fn a_gpu_gains_in_compute_from_formats_that_it_has_units_for_and_from_no_other() {
        // An A100 has units for 8-bit integers and none for FP8; an H100 none for 4 bits; a B200 has all.
        assert_eq!(speeds("A100-80", Precision::Fp8, 1.0), (0.6, false));
        assert_eq!(speeds("A100-80", Precision::Int8, 1.0), (1.0, true));
        assert_eq!(speeds("H100", Precision::Nvfp4, 0.5625), (0.6, false));
        assert!(speeds("H100", Precision::Fp8, 1.0).0 > 0.99);
        assert!(speeds("B200", Precision::Nvfp4, 0.5625).0 > speeds("B200", Precision::Fp8, 1.0).0);
        for gpu in ["A100-80", "H100", "B200"] {
            for precision in [Precision::Fp8WeightOnly, Precision::W4a16, Precision::Bf16] {
                assert_eq!(speeds(gpu, precision, 0.5), (0.6, false), "{gpu}");
            }
        }
        assert_eq!(speeds("H100", Precision::Auto, 1.0), speeds("H100", Precision::Fp8, 1.0));
        assert_eq!(speeds("B200", Precision::Auto, 0.5), (0.6, false));
    }
}
