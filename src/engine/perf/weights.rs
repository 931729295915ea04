//! Weights: how many bytes a replica has to load before it can serve.

use super::{catalogue, memory};
use base::Diagnostic;
use document::{Architecture, LatencyModel, Pool};
use std::fmt;

/// The GPUs over which the weights of a pool's model are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spread {
    /// GPUs of one replica.
    pub(super) tp: u32,
    /// Replicas that share the experts.
    pub(super) ranks: u32,
    /// Whether these step together, so that the tokens of all are known.
    pub(super) lockstep: bool,
}

impl Spread {
    /// The spread of a pool: only calibrated latency supports experts shared by replicas.
    pub(super) fn of(pool: &Pool) -> Self {
        let shared = matches!(pool.latency, LatencyModel::Calibrated(_));
        let ranks = if shared { pool.expert_ranks.max(1) } else { 1 };
        Self { tp: pool.tp, ranks, lockstep: ranks > 1 && pool.expert_ranks_lockstep }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TP {}", self.tp)?;
        match self.ranks {
            0 | 1 => Ok(()),
            ranks if self.lockstep => write!(f, ", experts over {ranks} replicas in lock step"),
            ranks => write!(f, ", experts over {ranks} replicas"),
        }
    }
}

pub(super) fn shape(pool: &Pool) -> Option<&Architecture> {
    pool.architecture
        .as_ref()
        .or_else(|| catalogue::architecture(&pool.model).map(|found| &found.architecture))
}

/// Bytes of the weights that a replica of a pool keeps; 8 billion parameters of two bytes if its model is unknown.
pub fn weight_bytes(pool: &Pool) -> f64 {
    shape(pool).map_or(16e9, |a| memory::weight_bytes(a, Spread::of(pool).ranks))
}

/// The warning about spreading experts of a model without any; `path` is the pool's.
pub(super) fn without_experts(pool: &Pool, path: &str) -> Option<Diagnostic> {
    let dense = Spread::of(pool).ranks > 1 && shape(pool).is_some_and(|a| a.experts == 0);
    dense.then(|| {
        Diagnostic::warning(
            format!("{path}.expert_ranks"),
            format!("experts spread over {} replicas, of a model without experts", pool.expert_ranks),
            "1 for a dense model",
            "leave it out: replicas of a dense model share nothing",
        )
    })
}
