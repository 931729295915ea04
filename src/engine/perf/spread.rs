//! The GPUs of a replica, and of the replicas that share its experts.

use document::{LatencyModel, Pool};
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

/// GPUs of one replica.
pub fn gpus(pool: &Pool) -> u32 {
    pool.tp.saturating_mul(pool.pp.max(1))
}
