//! How far a capacity can be trusted.

use crate::text::table::visible;
use run::session::PoolEvidence;

/// How far a capacity can be trusted, by pool.
pub(crate) fn near_the_knee(evidence: &[PoolEvidence]) -> String {
    let of_pool = |of_pool: &PoolEvidence| {
        let pool = if evidence.len() > 1 { format!("{}: ", of_pool.pool) } else { String::new() };
        format!("evidence: {}\n", visible(&format!("{pool}{}", of_pool.text)))
    };
    let lines: String = evidence.iter().map(of_pool).collect();
    format!("a capacity lies near the knee, where a few per cent in the time of a step decide\n{lines}")
}
