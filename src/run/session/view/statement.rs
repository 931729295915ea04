//! What a run shows at an instant, in words.

use serde::Serialize;

/// What a run shows at an instant, in words: two clauses without a capital letter and a full stop, to be joined by "and".
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// How requests get to the replicas that serve: "four replicas take turns"; empty while `trouble` says more.
    pub cluster: String,
    /// What stands out most: "slow r2 falls behind"; empty if nothing does.
    pub seen: String,
}
