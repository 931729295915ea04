//! Tests of the roofline model against a summation request by request, and against figures computed by hand.

use super::*;
use crate::perf::Chunk;
use base::rng::{Purpose, Stream};

/// A step of requests as (context, tokens): the work of each is computed separately and added in order.
struct OneByOne<'a> {
    a: &'a Architecture,
    hw: &'a Hardware,
    c: &'a RooflineSettings,
    tp: f64,
}

impl OneByOne<'_> {
    /// Operations of matrix products and of the rest, and bytes besides weights, of one request.
    fn work(&self, context: u32, tokens: u32) -> [f64; 3] {
        let (d, layers, h) = (f64::from(self.a.hidden), f64::from(self.a.layers), f64::from(self.a.heads));
        let dh = d / h;
        let keys = f64::from(self.a.kv_heads()) * dh;
        let (s, t) = (f64::from(context), f64::from(tokens));
        let width = self.a.bytes_per_param;
        let seen = if tokens > 1 { s + (t - 1.0) / 2.0 } else { s };
        let matmul = (2.0 * t * (d * d + 2.0 * d * keys) + 2.0 * t * d * d) * layers
            + 4.0 * h * t * seen * dh * layers
            + 2.0 * t * (3.0 * d * f64::from(self.a.intermediate())) * layers;
        let vector = (5.0 * h * t * seen + 2.0 * t * d) * layers;
        let moved =
            layers * d * width * t + 2.0 * layers * keys * width * s + 2.0 * layers * keys * width * t;
        [matmul, vector, moved]
    }

    fn group(&self, requests: &[(u32, u32)], efficiency: f64) -> f64 {
        if requests.is_empty() {
            return 0.0;
        }
        let mut sums = [0.0; 3];
        for (context, tokens) in requests {
            for (sum, x) in sums.iter_mut().zip(self.work(*context, *tokens)) {
                *sum += x / self.tp;
            }
        }
        let (d, layers) = (f64::from(self.a.hidden), f64::from(self.a.layers));
        let keys = f64::from(self.a.kv_heads()) * (d / f64::from(self.a.heads));
        let ffn = f64::from(self.a.intermediate());
        let weights = (d * (d + 2.0 * keys) + d * d + 3.0 * d * ffn) * layers * self.a.bytes_per_param;
        let peak = self.hw.tflops * 1e12;
        let compute = sums[0] / (peak * efficiency) + sums[1] / (peak * 0.10);
        let bandwidth = self.hw.bandwidth_tb_per_s * 1e12 * self.c.bandwidth_efficiency;
        compute.max((weights / self.tp + sums[2]) / bandwidth)
    }

    fn step(&self, prefill: &[(u32, u32)], decode: &[(u32, u32)]) -> u64 {
        let c = self.c;
        let hardware = self.group(prefill, c.prefill_efficiency) + self.group(decode, c.decode_efficiency);
        let layers = f64::from(self.a.layers);
        let reduce = if self.tp > 1.0 { layers * 2.0 * c.all_reduce_us / 1e6 } else { 0.0 };
        let us = hardware * 1e6 + layers * c.step_us_per_layer / 1e6 * 1e6 + reduce * 1e6 + c.step_us;
        us.round() as u64
    }
}

fn roofline(a: &Architecture, tp: u32) -> Roofline {
    Roofline::new(&RooflineSettings::default(), a, &Hardware::default(), tp)
}

fn step(m: &Roofline, prefill: &[(u32, u32)], decode: &[(u32, u32)]) -> u64 {
    let chunks: Vec<Chunk> =
        prefill.iter().map(|&(context, tokens)| Chunk { context, cached: 0, tokens }).collect();
    let decode_context = decode.iter().map(|d| u64::from(d.0)).sum();
    m.step(&StepLoad { prefill: &chunks, decode: decode.len() as u32, decode_context, drafts: 0, padding: 0 })
        .0
}

/// Powers of two divide exactly, so there sums and parts agree to the last bit. Other degrees round each part: they may
/// differ where the exact time lies within 1e-9 us of a half, which no batch here does.
#[test]
fn sums_over_the_batch_give_the_same_microseconds_as_request_by_request() {
    let mut rng = Stream::new(7, Purpose::Routing, 0);
    let (hw, c) = (Hardware::default(), RooflineSettings::default());
    let shapes = [
        (Architecture::default(), 1),
        (Architecture::default(), 4),
        (
            Architecture {
                layers: 80,
                hidden: 8192,
                heads: 64,
                intermediate: 28_672,
                ..Architecture::default()
            },
            8,
        ),
        (
            Architecture {
                layers: 28,
                hidden: 3584,
                heads: 28,
                kv_heads: 4,
                intermediate: 18_944,
                ..Architecture::default()
            },
            7,
        ),
        (
            Architecture {
                layers: 40,
                hidden: 3072,
                heads: 24,
                kv_heads: 0,
                intermediate: 0,
                ..Architecture::default()
            },
            3,
        ),
    ];
    for round in 0..5_000_u32 {
        let (a, tp) = &shapes[round as usize % shapes.len()];
        let mut requests = |most: u32, chunk: u32| -> Vec<(u32, u32)> {
            (0..rng.below(most + 1)).map(|_| (rng.below(40_000), 1 + rng.below(chunk))).collect()
        };
        let (prefill, decode) = (requests(6, 2048), requests(256, 1));
        let slow = OneByOne { a, hw: &hw, c: &c, tp: f64::from(*tp) };
        assert_eq!(
            step(&roofline(a, *tp), &prefill, &decode),
            slow.step(&prefill, &decode),
            "round {round}: {prefill:?}, {decode:?}"
        );
    }
}

#[test]
fn one_decode_reads_the_weights_and_a_long_prefill_computes() {
    let m = roofline(&Architecture::default(), 1);
    // Weights without embeddings: (4096 * (4096 + 2048) + 4096^2 + 3 * 4096 * 14336) * 32 * 2 B = 13.96 GB;
    // at 3.35 * 0.72 TB/s that is 5787.2 us, cache and activations 0.2 us; overheads 500 + 640.
    assert_eq!(step(&m, &[], &[(0, 1)]), 6927);
    // 2048 tokens: 2 * 6.979e9 * 2048 + attention 4 * 4096 * 32 * 2048 * 1023.5 = 2.969e+13 at 989.5e12 * 0.65, and
    // vector 5 * 32 * 32 * 2048 * 1023.5 + 2 * 4096 * 32 * 2048 = 1.127e+10 at 98.95e12: 46155.8 + 113.9 us.
    assert_eq!(step(&m, &[(0, 2048)], &[]), 47_410);
    assert_eq!(step(&m, &[], &[]), 1140);
}

#[test]
fn more_of_anything_never_makes_a_step_shorter() {
    for a in [
        Architecture::default(),
        Architecture { experts: 8, experts_per_token: 2, ..Architecture::default() },
        Architecture { kv_latent: 576, ..Architecture::default() },
    ] {
        let m = roofline(&a, 2);
        let mut last = 0;
        for n in 1..200_u32 {
            let decode: Vec<(u32, u32)> = (0..n).map(|i| (i * 40, 1)).collect();
            let now = step(&m, &[(0, n * 8)], &decode);
            assert!(now >= last, "{n}: {now} < {last}");
            last = now;
        }
    }
}

#[test]
fn experts_are_read_as_far_as_tokens_are_sent_to_them() {
    let dense = roofline(&Architecture::default(), 1);
    let moe = Architecture { experts: 8, experts_per_token: 2, ..Architecture::default() };
    let moe = roofline(&moe, 1);
    // One token reads 2 of 8 experts: 2 * 3 * 4096 * 14336 * 32 * 2 B beside the attention's 2.684 GB = 25.23 GB.
    let bytes = (41_943_040.0 + 2.0 * 176_160_768.0) * 32.0 * 2.0;
    let us = bytes / (3.35e12 * 0.72) * 1e6;
    let found = step(&moe, &[], &[(0, 1)]) - 1140;
    assert!((found as f64 - us).abs() < 2.0, "{found} {us}");
    // A long prefill reads all of them but computes with two.
    let (all, one) = (step(&moe, &[(0, 2048)], &[]) - 1140, step(&dense, &[(0, 2048)], &[]) - 1140);
    assert!((1.7..1.9).contains(&(all as f64 / one as f64)), "{all} {one}");
}

#[test]
fn half_the_weight_bytes_halve_the_time_of_a_lone_decode() {
    let quantised = Architecture { bytes_per_param: 1.0, ..Architecture::default() };
    let whole = step(&roofline(&Architecture::default(), 1), &[], &[(100, 1)]) - 1140;
    let half = step(&roofline(&quantised, 1), &[], &[(100, 1)]) - 1140;
    assert!((whole as f64 / half as f64 - 2.0).abs() < 0.01, "{whole} {half}");
}
