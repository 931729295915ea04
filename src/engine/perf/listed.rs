//! The rows of the catalogue as a list to choose from.

use super::catalogue::{self, Row, catalogue};
use base::Blocks;
use serde::Serialize;

/// One entry of the catalogue, for lists to choose from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelEntry {
    /// Model, as named in scenarios.
    pub model: &'static str,
    /// GPU.
    pub gpu: &'static str,
    /// Tensor parallelism.
    pub tp: u32,
    /// Default value of `"auto"` KV blocks, in blocks of 16 tokens.
    pub kv_blocks: Blocks,
    /// Price of one replica in US dollars per hour; 0 if unknown.
    pub usd_per_hour: f64,
}

/// All models of the catalogue, by name, GPU and tensor parallelism.
pub fn models() -> Vec<ModelEntry> {
    let entry = |row: &'static Row| ModelEntry {
        model: &row.name,
        gpu: &row.gpu,
        tp: row.tp,
        kv_blocks: Blocks(row.fitting_blocks()),
        usd_per_hour: catalogue::gpu(&row.gpu).map_or(0.0, |g| g.hardware.usd_per_hour * f64::from(row.tp)),
    };
    catalogue().coefficients.iter().map(entry).collect()
}
