//! An expression as operations in postfix order.

use super::names::Name;
use super::op::Op;
use serde::{Deserialize, Serialize};

/// An expression that has been read: its operations in postfix order. The only way to make one is to read a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Formula {
    pub(super) ops: Vec<Op>,
}

impl Formula {
    /// The operations, in the order in which they are carried out.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// Most values on the list at one time.
    pub fn most_values(&self) -> usize {
        let (mut now, mut most) = (0, 0);
        for op in &self.ops {
            now = now + 1 - op.takes();
            most = most.max(now);
        }
        most
    }

    /// Whether it reads one of these signals, alone or over all candidates.
    pub fn looks_at(&self, names: &[Name]) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Name(n) | Op::Over(_, n) if names.contains(n)))
    }
}
