//! The summands of an expression: `a + b - c` has three. A decision shows their values.

use super::print::print;
use super::{Binary, Formula, Op};

/// Most summands whose values are shown; an expression with more is shown as a whole.
const MOST: usize = 8;

/// A summand: its value is the last one on the list after this operation.
#[derive(Clone, Debug, PartialEq)]
pub struct SummandEnd {
    /// Position of its last operation.
    pub op: usize,
    /// Whether it is subtracted.
    pub negative: bool,
    /// Its text, with its sign.
    pub text: String,
}

impl Formula {
    /// Its summands, in order; empty if it is not a sum or has too many summands.
    pub fn summands(&self) -> Vec<SummandEnd> {
        let starts = self.starts();
        let mut found = Vec::new();
        let Some(mut last) = self.ops.len().checked_sub(1) else { return found };
        let summand = |op: usize, negative| {
            let mut ops = self.ops[starts[op]..=op].to_vec();
            if negative {
                ops.push(Op::Negate);
            }
            let text = print(&Self { ops });
            SummandEnd { op, negative, text }
        };
        while let Op::Binary(op @ (Binary::Add | Binary::Subtract)) = self.ops[last] {
            let right = last - 1;
            found.push(summand(right, op == Binary::Subtract));
            last = starts[right] - 1;
        }
        if found.is_empty() || found.len() >= MOST {
            return Vec::new();
        }
        found.push(summand(last, false));
        found.reverse();
        found
    }

    /// For each operation, the position of the first operation that its value depends on.
    fn starts(&self) -> Vec<usize> {
        let mut open: Vec<usize> = Vec::new();
        let mut starts = Vec::with_capacity(self.ops.len());
        for (i, op) in self.ops.iter().enumerate() {
            let taken = open.split_off(open.len() - op.takes());
            let start = taken.first().copied().unwrap_or(i);
            open.push(start);
            starts.push(start);
        }
        starts
    }
}
