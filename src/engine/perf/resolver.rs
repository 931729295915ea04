//! A pool's figures, resolved against the catalogue: all problems are found at once.

use super::batch_limits::batch_limits;
use super::calibrated::Calibrated;
use super::catalogue::{self, Gpu, KnownModel, Row};
use super::cross_model::CrossModel;
use super::fitted::{Fitted, FittedWithContext};
use super::heads::Heads;
use super::memory::Fit;
use super::piecewise::Piecewise;
use super::placed::Placed;
use super::roofline::Roofline;
use super::spread::Spread;
use super::step::{Family, StepModel};
use super::{LoraFigures, StateBlocks, calibration, lora, memory, pipeline, placed};
use base::{Blocks, Diagnostic, Diagnostics};
use document::{
    Architecture, CalibratedSettings, Compat, Hardware, KvBlocks, LatencyClock, LatencyModel, Pool, limits,
};
use serde::{Deserialize, Serialize};

/// A pool's hardware figures, resolved against the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resolved {
    /// Its latency model.
    pub model: StepModel,
    /// Blocks of one replica's KV cache.
    pub blocks: Blocks,
    /// Blocks that a running request holds besides those of its tokens.
    pub states: StateBlocks,
    /// Most requests in one batch.
    pub max_num_seqs: u32,
    /// Most tokens in one step.
    pub max_num_batched_tokens: u32,
    /// Price of one replica in US dollars per hour; 0 if unknown.
    pub usd_per_hour: f64,
    /// Its LoRA adapters, if it serves any.
    pub lora: Option<LoraFigures>,
    /// Stages of a replica, each with a batch of its own.
    pub stages: u32,
    /// Time in which a stage of a pipeline hands one token on to the next, in microseconds.
    pub hop_us: f64,
    /// Bytes of one token in the caches of a replica's GPUs together; none if the model's shape is not known.
    pub kv_bytes_per_token: Option<u64>,
    /// Bytes per second of a replica's network ports in each direction, in place of those of the scenario.
    pub port_bytes_per_s: Option<u64>,
    /// The measurements behind the figures; empty if all are the scenario's own.
    pub source: String,
}

/// The GPU of the catalogue called `name`, if there is one.
pub fn known_gpu(name: &str) -> Option<&'static Gpu> {
    catalogue::gpu(name)
}

/// The model of the catalogue called `name`, if its shape is known.
pub fn known_model(name: &str) -> Option<&'static KnownModel> {
    catalogue::architecture(name)
}

/// Bytes of one token in the KV caches of `tp` GPUs together, for a shape.
pub fn kv_bytes_per_token(shape: &Architecture, tp: u32) -> u64 {
    memory::kv_bytes_per_token(shape, tp, 1.0)
}

/// Resolves a pool; `path` is its path in the scenario, for messages. All problems are reported at once. A pool that gives all figures itself may name any model and GPU; figures left to the catalogue must be in it. The
/// mode decides how "auto" KV blocks are counted.
pub fn resolve(pool: &Pool, compat: Compat, path: &str) -> Result<Resolved, Diagnostics> {
    Resolver { pool, compat, path, heads: Heads::Even, problems: Vec::new() }.resolve()
}

/// As [`resolve`], but also accepts heads that cannot be divided evenly among the GPUs, which formulas allow.
pub fn resolve_uneven(pool: &Pool, compat: Compat, path: &str) -> Result<Resolved, Diagnostics> {
    Resolver { pool, compat, path, heads: Heads::Any, problems: Vec::new() }.resolve()
}

/// A pool with the problems found so far.
pub(super) struct Resolver<'a> {
    pub(super) pool: &'a Pool,
    pub(super) compat: Compat,
    pub(super) path: &'a str,
    pub(super) heads: Heads,
    pub(super) problems: Diagnostics,
}

impl<'a> Resolver<'a> {
    fn resolve(mut self) -> Result<Resolved, Diagnostics> {
        let (model, blocks) = (self.model(), self.blocks());
        let lora = self.lora();
        self.problems.extend(pipeline::too_many_stages(self.pool, self.path));
        if let Some(shape) = catalogue::shape(self.pool) {
            self.problems.extend(placed::problems(self.pool, shape, self.path));
        }
        if let (Some((model, source)), Some(blocks), true) = (model, blocks, self.problems.is_empty()) {
            let [max_num_seqs, max_num_batched_tokens] = batch_limits(self.pool, self.compat);
            let usd_per_hour = catalogue::price(self.pool);
            let states = self.states();
            return Ok(Resolved {
                model,
                blocks,
                states,
                max_num_seqs,
                max_num_batched_tokens,
                usd_per_hour,
                lora,
                stages: self.pool.pp.max(1),
                hop_us: pipeline::hop_us(self.pool),
                kv_bytes_per_token: self.kv_bytes_per_token(),
                port_bytes_per_s: None,
                source,
            });
        }
        Err(self.problems)
    }

    /// The latency model and its source.
    fn model(&mut self) -> Option<(StepModel, String)> {
        let tp = self.pool.tp;
        let (family, alpha_us, source) = match &self.pool.latency {
            LatencyModel::Catalogue => {
                let row = self.row()?;
                let family = Family::Fitted(Fitted { beta_us: row.beta_us });
                return Some((StepModel::new(row.alpha_us, family), measured(row)));
            }
            LatencyModel::Fitted(c) => {
                let beta_us = [c.step_us, c.step_us_per_prefill_token, c.step_us_per_decode_token];
                let source = match (self.pool.kv.blocks, self.derives()) {
                    (KvBlocks::Auto, false) => {
                        catalogue::find(self.pool, self.path).map_or_else(|_| String::new(), measured)
                    }
                    _ => String::new(),
                };
                let (line, context_us) = (Fitted { beta_us }, c.step_us_per_context_token);
                let family = if context_us > 0.0 {
                    Family::FittedWithContext(FittedWithContext { line, context_us })
                } else {
                    Family::Fitted(line)
                };
                (family, c.overheads_us(), source)
            }
            LatencyModel::Roofline(c) => {
                let (shape, gpu) = (self.shape(), self.gpu());
                let ((shape, model), (gpu, hardware)) = (shape?, gpu?);
                (
                    Family::Roofline(Roofline::new(c, shape, gpu, tp)),
                    c.overheads_us(),
                    format!("roofline of {model} on {hardware}, TP {tp}"),
                )
            }
            LatencyModel::CrossModel(c) => {
                let (shape, model) = self.shape()?;
                (
                    Family::CrossModel(CrossModel::new(c, shape, tp)),
                    c.overheads_us(),
                    format!("cross-model coefficients for {model}, TP {tp}"),
                )
            }
            LatencyModel::Calibrated(s) => return self.calibrated(s),
            LatencyModel::Piecewise(c) => {
                (Family::Piecewise(Piecewise::new(c)), c.overheads_us(), String::new())
            }
        };
        Some((StepModel::new(alpha_us, family), source))
    }

    /// The calibrated model: with the scenario's coefficients, or those of the GPU and the release of the engine.
    fn calibrated(&mut self, s: &CalibratedSettings) -> Option<(StepModel, String)> {
        let (shape, gpu) = (self.shape(), self.gpu());
        let ((shape, model), (gpu, hardware)) = (shape?, gpu?);
        let spread = Spread::of(self.pool);
        let (c, from) = if let Some(own) = &s.coefficients {
            (own.clone(), "coefficients of its own".to_owned())
        } else {
            let built_in = calibration(&self.pool.gpu, s.engine);
            (built_in.of_model(&self.pool.model), built_in.says(&self.pool.gpu, s.engine))
        };
        let (overheads, front_end) = match (s.clock, self.compat) {
            (LatencyClock::Client, Compat::None) => (c.overheads_us(), c.front_end()),
            (LatencyClock::Client, Compat::Blis) => (c.overheads_us(), [0.0; 3]),
            (LatencyClock::Server, _) => ([0.0; 3], [0.0; 3]),
        };
        let placed = Placed::new(&self.pool.experts, self.pool.dcp.as_ref(), &c, shape, spread);
        let family = Family::Calibrated(Calibrated::new(s.engine, &c, shape, gpu, spread).with(placed));
        Some((
            StepModel::new(overheads, family).behind(front_end),
            format!("calibrated: {model} on {hardware}, {spread}; {from}"),
        ))
    }

    /// Whether "auto" blocks are computed from model and memory, not from the catalogue's count.
    pub(super) fn derives(&self) -> bool {
        let pool = self.pool;
        let own = pool.architecture.is_some() || pool.hardware.is_some() || pool.pp > 1;
        match &pool.latency {
            LatencyModel::Catalogue => pool.pp > 1,
            LatencyModel::Roofline(_) | LatencyModel::CrossModel(_) | LatencyModel::Calibrated(_) => true,
            LatencyModel::Fitted(_) | LatencyModel::Piecewise(_) => own,
        }
    }

    fn blocks(&mut self) -> Option<Blocks> {
        if let KvBlocks::Count(n) = self.pool.kv.blocks {
            return Some(Blocks(n));
        }
        let pool = self.pool;
        let block_tokens = pool.kv.block_tokens.max(1);
        let count = if self.derives() {
            let (shape, gpu) = (self.shape(), self.gpu());
            let ((architecture, _), (hardware, _)) = (shape?, gpu?);
            let fit = Fit::of(pool, architecture, hardware, self.compat);
            self.keep(fit.blocks(self.path))?
        } else {
            let row = self.row()?;
            let tokens = match self.compat {
                Compat::None => row.listed_tokens() / u64::from(row.tp.max(1)),
                Compat::Blis => row.listed_tokens(),
            };
            self.beside_slots(tokens / u64::from(block_tokens))?
        };
        if count > u64::from(limits::KV_BLOCKS) {
            let tokens = count * u64::from(block_tokens);
            self.problems.push(Diagnostic::error(
                format!("{}.kv.block_tokens", self.path),
                format!("{block_tokens}, which makes {count} blocks of the {tokens} tokens that fit"),
                format!("at most {} blocks", limits::KV_BLOCKS),
                format!("use blocks of at least {} tokens", tokens.div_ceil(u64::from(limits::KV_BLOCKS))),
            ));
            return None;
        }
        Some(Blocks(count as u32))
    }

    /// The blocks of the catalogue that are left beside the slots of adapters.
    fn beside_slots(&mut self, blocks: u64) -> Option<u64> {
        let slots = lora::memory_bytes(self.pool);
        if slots <= 0.0 {
            return Some(blocks);
        }
        let (architecture, _) = self.shape()?;
        let tokens = self.pool.kv.block_tokens.max(1);
        let block = memory::block_bytes(architecture, self.pool.tp, self.compat, tokens);
        let left = blocks.saturating_sub((slots / block).ceil() as u64);
        if left == 0 {
            self.problems.push(memory::no_room_for_slots(slots, blocks as f64 * block, self.path));
            return None;
        }
        Some(left)
    }

    pub(super) fn row(&mut self) -> Option<&'static Row> {
        let found = catalogue::find(self.pool, self.path);
        self.keep(found)
    }

    /// The model's shape and name.
    pub(super) fn shape(&mut self) -> Option<(&'a Architecture, String)> {
        let (shape, name) = if let Some(own) = &self.pool.architecture {
            (own, "a model of its own".to_owned())
        } else {
            let found = self.keep(catalogue::find_architecture(self.pool, self.path))?;
            (&found.architecture, found.name.clone())
        };
        let even = self.heads.check(shape, self.pool.tp, self.path);
        self.keep(even)?;
        Some((shape, name))
    }

    /// The GPU's figures and name.
    pub(super) fn gpu(&mut self) -> Option<(&'a Hardware, String)> {
        if let Some(own) = &self.pool.hardware {
            return Some((own, "a GPU of its own".to_owned()));
        }
        let found = self.keep(catalogue::find_gpu(self.pool, self.path))?;
        Some((&found.hardware, found.name.clone()))
    }

    /// Keeps a problem once, however often it occurs.
    pub(super) fn keep<T>(&mut self, found: Result<T, Diagnostic>) -> Option<T> {
        found
            .map_err(|problem| {
                if !self.problems.contains(&problem) {
                    self.problems.push(problem);
                }
            })
            .ok()
    }
}

fn measured(row: &Row) -> String {
    format!("{}, {}, TP {}, vLLM {}", row.id, row.gpu, row.tp, row.vllm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::catalogue::catalogue;
    use crate::perf::{Chunk, StepLoad, models};
    use base::Span;
    use document::{FittedCoefficients, KvCache};

    #[test]
    fn the_default_pool_is_llama_8b_on_one_h100_with_calibrated_step_times() {
        let r = resolve(&Pool::default(), Compat::None, "p").unwrap();
        assert!(r.source.starts_with("calibrated: llama-3.1-8b on H100, TP 1; "), "{}", r.source);
        assert!((28_000..30_000).contains(&r.blocks.0), "{:?}", r.blocks);
    }

    /// The default pool with the catalogue's coefficients.
    fn from_catalogue() -> Pool {
        Pool { latency: LatencyModel::Catalogue, ..Pool::default() }
    }

    #[test]
    fn the_catalogue_has_llama_8b_on_one_h100() {
        let r = resolve(&from_catalogue(), Compat::None, "p").unwrap();
        assert_eq!(r.source, "meta-llama/llama-3.1-8b-instruct, H100, TP 1, vLLM 0.8.4");
        assert_eq!(r.blocks, Blocks(29_205));
        assert!((r.usd_per_hour - 3.5).abs() < 1e-12);
        // 232.46191091038054 + 1.752360364195244 * 1000 = 1984.82
        assert_eq!(r.model.queueing(1000), Span(1984));
        assert_eq!(r.model.output_overhead(), Span(3357));
        // 5752.705191348184 + 17.25086436834028 * 512 + 5.999143920128404 * 10 = 14645.14
        let prefill = [Chunk { context: 0, cached: 0, tokens: 512 }];
        assert_eq!(
            r.model.step(&StepLoad {
                prefill: &prefill,
                decode: 10,
                decode_context: 4000,
                drafts: 0,
                padding: 0
            }),
            Span(14_645)
        );
    }

    #[test]
    fn blocks_of_another_size_hold_the_same_bytes() {
        let with = |block_tokens| {
            let kv = KvCache { block_tokens, ..KvCache::default() };
            resolve(&Pool { kv, ..from_catalogue() }, Compat::None, "p").map(|r| r.blocks)
        };
        // 29,205 * 16 = 467,280 tokens
        assert_eq!(with(32), Ok(Blocks(14_602)));
        assert_eq!(with(1), Ok(Blocks(467_280)));
        let kv = KvCache { block_tokens: 1, ..KvCache::default() };
        let big = Pool { model: "llama-3.3-70b".into(), tp: 8, kv, ..from_catalogue() };
        let e = resolve(&big, Compat::Blis, "p").unwrap_err().remove(0);
        assert_eq!(e.path, "p.kv.block_tokens");
        // 728,405 * 16 = 11,654,480 tokens need blocks of 3 to stay below 4,194,304
        assert_eq!(e.fix, "use blocks of at least 3 tokens");
    }

    #[test]
    fn the_catalogue_counts_what_all_gpus_hold_once_and_blis_once_for_each() {
        let blocks = |model: &str, tp, block_tokens, compat| {
            let kv = KvCache { block_tokens, ..KvCache::default() };
            let pool = Pool { model: model.into(), tp, kv, ..from_catalogue() };
            resolve(&pool, compat, "p").map(|r| r.blocks)
        };
        assert_eq!(blocks("llama-3.1-8b", 1, 16, Compat::None), Ok(Blocks(29_205)));
        assert_eq!(blocks("llama-3.1-8b", 1, 16, Compat::Blis), Ok(Blocks(29_205)));
        // (144 GiB - 8,030,261,248 * 2 B) / 2 MiB = 66,069.7, of which each GPU holds its half.
        assert_eq!(blocks("llama-3.1-8b", 2, 16, Compat::None), Ok(Blocks(66_069)));
        assert_eq!(blocks("llama-3.1-8b", 2, 16, Compat::Blis), Ok(Blocks(132_139)));
        // 132,139 * 16 / 2 / 32 = 33,034.75
        assert_eq!(blocks("llama-3.1-8b", 2, 32, Compat::None), Ok(Blocks(33_034)));
        // 23,146,322 listed for eight GPUs would be above the limit of a cache; an eighth of them is not.
        assert_eq!(blocks("gpt-oss-20b", 8, 16, Compat::None), Ok(Blocks(2_893_290)));
        assert!(blocks("gpt-oss-20b", 8, 16, Compat::Blis).is_err());
        let listed = models().into_iter().find(|m| m.model == "llama-3.1-8b" && m.tp == 2);
        assert_eq!(listed.map(|m| m.kv_blocks), Some(Blocks(66_069)));
    }

    #[test]
    fn derived_blocks_follow_the_mode_too() {
        let blocks = |tp, compat| {
            let latency = LatencyModel::Roofline(document::RooflineSettings::default());
            resolve(&Pool { tp, latency, ..Pool::default() }, compat, "p").map(|r| r.blocks)
        };
        assert_eq!(blocks(1, Compat::None), blocks(1, Compat::Blis));
        // (144 - 14.958 - 5.5 - 1.2) GiB: 62,639.1 times 2 MiB on both GPUs, 125,278.3 times 1 MiB on one of them.
        assert_eq!(blocks(2, Compat::None), Ok(Blocks(62_639)));
        assert_eq!(blocks(2, Compat::Blis), Ok(Blocks(125_278)));
    }

    #[test]
    fn a_pool_that_says_everything_itself_needs_no_catalogue() {
        let own = FittedCoefficients { step_us: 7.0, ..FittedCoefficients::default() };
        let mut pool = Pool {
            model: "mine".into(),
            gpu: "X100".into(),
            tp: 2,
            latency: LatencyModel::Fitted(own),
            kv: KvCache { blocks: KvBlocks::Count(9), ..KvCache::default() },
            ..Pool::default()
        };
        let r = resolve(&pool, Compat::None, "p").unwrap();
        assert_eq!((r.blocks, r.source.as_str()), (Blocks(9), ""));
        assert_eq!(r.model.step(&StepLoad::default()), Span(7));
        assert!(r.usd_per_hour.abs() < 1e-12);
        pool.kv.blocks = KvBlocks::Auto;
        assert_eq!(resolve(&pool, Compat::None, "p").unwrap_err()[0].path, "p.model");
    }

    fn roofline(change: impl FnOnce(&mut Pool)) -> Result<Resolved, Diagnostics> {
        let latency = LatencyModel::Roofline(document::RooflineSettings::default());
        let mut pool = Pool { latency, ..Pool::default() };
        change(&mut pool);
        resolve(&pool, Compat::None, "p")
    }

    #[test]
    fn roofline_pools_derive_their_blocks_from_model_and_memory() {
        let blocks = |change: fn(&mut Pool)| roofline(change).map(|r| r.blocks);
        assert_eq!(blocks(|_| {}), Ok(Blocks(26_312)));
        assert_eq!(blocks(|p| p.kv.blocks = KvBlocks::Count(7)), Ok(Blocks(7)));
        assert_eq!(blocks(|p| p.kv.block_tokens = 32), Ok(Blocks(13_156)));
        // 4 GiB less are 2,048 blocks of 2 MiB less.
        assert_eq!(blocks(|p| p.kv.gpu_memory_utilization = 0.85), Ok(Blocks(24_264)));
        let own = |p: &mut Pool| {
            p.hardware = Some(Hardware { memory_gib: 40.0, usd_per_hour: 1.25, ..Hardware::default() });
        };
        let r = roofline(own).unwrap();
        assert_eq!(r.blocks, Blocks(26_312 - 36 * 512));
        assert!((r.usd_per_hour - 1.25).abs() < 1e-12);
        assert_eq!(r.source, "roofline of llama-3.1-8b on a GPU of its own, TP 1");
    }

    #[test]
    fn every_known_shape_runs_on_some_number_of_gpus() {
        for shape in &catalogue().architectures {
            let fits = [1, 2, 4, 8, 16, 32].into_iter().any(|tp| {
                roofline(|p| {
                    p.model.clone_from(&shape.name);
                    p.tp = tp;
                })
                .is_ok()
            });
            assert!(fits, "{}", shape.name);
        }
    }

    #[test]
    fn all_problems_of_a_pool_come_at_once_and_each_of_them_once() {
        let problems = roofline(|p| {
            p.model = "nobody".into();
            p.gpu = "B9000".into();
        });
        let problems = problems.unwrap_err();
        let paths: Vec<&str> = problems.iter().map(|d| d.path.as_str()).collect();
        assert_eq!(paths, ["p.model", "p.gpu"]);
        let problems = roofline(|p| p.tp = 3).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!((problems[0].path.as_str(), problems[0].found.as_str()), ("p.tp", "32 heads on 3 GPUs"));
        let problems = roofline(|p| {
            p.architecture =
                Some(Architecture { heads: 24, kv_heads: 6, hidden: 3072, ..Architecture::default() });
            p.tp = 4;
        });
        assert_eq!(problems.unwrap_err()[0].found, "6 KV heads on 4 GPUs");
        assert!(roofline(|p| p.model = "yi-34b".into()).is_ok());
    }

    #[test]
    fn the_list_to_choose_from_is_sorted_and_has_no_doubles() {
        let keys: Vec<_> = models().iter().map(|m| (m.model, m.gpu, m.tp)).collect();
        assert_eq!(keys.len(), 85);
        assert!(keys.is_sorted() && keys.windows(2).all(|w| w[0] != w[1]));
    }
}
