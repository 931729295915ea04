//! Kinds of faults that last for a while, each with all its words and how bad it is: one table, which reports, logs, charts and the
//! stage read.

use serde::{Deserialize, Serialize};

/// What a fault that lasts for a while is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FaultKind {
    /// Its steps take longer.
    Slow,
    /// No step of it begins or ends.
    Stuck,
    /// The gateway sees it late.
    Signals,
    /// The gateway cannot reach it.
    Unreachable,
    /// Its network ports carry less.
    TransferLink,
    /// A store of KV is down.
    KvStore,
}

impl FaultKind {
    /// All of them, in order.
    pub const ALL: [Self; 6] =
        [Self::Slow, Self::Stuck, Self::Signals, Self::Unreachable, Self::TransferLink, Self::KvStore];

    /// All of them, the worst first: that which leaves the least of a replica.
    pub const WORST_FIRST: [Self; 6] =
        [Self::Stuck, Self::Unreachable, Self::Slow, Self::TransferLink, Self::Signals, Self::KvStore];

    /// Whether it is about replicas.
    pub fn is_of_replicas(self) -> bool {
        self != Self::KvStore
    }

    /// What it is called, and what it does.
    pub const fn words(self) -> FaultWords {
        match self {
            Self::Slow => FaultWords {
                name: "slow",
                short: "slow",
                state: "slow",
                of_one: "is slow",
                of_all: "is slow",
                breaks_what_comes: false,
            },
            Self::Stuck => FaultWords {
                name: "stuck",
                short: "stuck",
                state: "stuck",
                of_one: "is stuck",
                of_all: "is stuck",
                breaks_what_comes: true,
            },
            Self::Signals => FaultWords {
                name: "signals",
                short: "seen late",
                state: "seen late",
                of_one: "its signals are late",
                of_all: "signals of all replicas are late",
                breaks_what_comes: false,
            },
            Self::Unreachable => FaultWords {
                name: "unreachable",
                short: "cut off",
                state: "cut off",
                of_one: "cannot be reached",
                of_all: "cannot be reached",
                breaks_what_comes: true,
            },
            Self::TransferLink => FaultWords {
                name: "transfer-link",
                short: "thin link",
                state: "behind a thin link",
                of_one: "its network ports carry less",
                of_all: "its network ports carry less",
                breaks_what_comes: false,
            },
            Self::KvStore => FaultWords {
                name: "kv-store",
                short: "no store",
                state: "without its store",
                of_one: "its KV store is down",
                of_all: "a KV store is down",
                breaks_what_comes: false,
            },
        }
    }

    /// Its name in scenarios, reports and logs.
    pub fn name(self) -> &'static str {
        self.words().name
    }
}

/// What a kind of fault is called, and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultWords {
    /// Its name in scenarios, reports and logs.
    pub name: &'static str,
    /// The word at a replica.
    pub short: &'static str,
    /// What a replica that has it is: "r2 is slow".
    pub state: &'static str,
    /// What is wrong with a replica that has it, in a sentence.
    pub of_one: &'static str,
    /// The same if all replicas have it.
    pub of_all: &'static str,
    /// Whether requests that are sent there meanwhile break or stay.
    pub breaks_what_comes: bool,
}

#[cfg(test)]
mod tests {
    use super::FaultKind;

    #[test]
    fn the_order_by_badness_has_each_kind_once() {
        let mut order = FaultKind::WORST_FIRST.map(|kind| kind as usize);
        order.sort_unstable();
        assert_eq!(order, FaultKind::ALL.map(|kind| kind as usize));
    }
}
