//! The operations of an expression.

use super::names::{Aggregate, Function, Name};

/// An operation of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`
    Divide,
    /// `a % b`: the remainder of a division, with the sign of `a`.
    Remainder,
    /// `a < b`
    Less,
    /// `a <= b`
    AtMost,
    /// `a > b`
    More,
    /// `a >= b`
    AtLeast,
    /// `a == b`
    Equal,
    /// `a != b`
    Unequal,
    /// `a && b`
    And,
    /// `a || b`
    Or,
    /// `a ?? b`: `b` where `a` has no value. Formulas of autoscalers have it.
    Else,
}

/// One operation; it takes its values from the end of a list and puts its result there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// A number of the text.
    Number(f64),
    /// A signal by its name.
    Name(Name),
    /// A trigger of an autoscaler, by its number. Formulas of autoscalers have them in place of signals.
    Trigger(u32),
    /// A signal over all candidates: `min.waiting`.
    Over(Aggregate, Name),
    /// `-a`
    Negate,
    /// `!a`
    Not,
    /// An operation of two values.
    Binary(Binary),
    /// `condition ? a : b`
    Choose,
    /// A function of this many values.
    Call(Function, u32),
}

impl Op {
    /// How many values it takes.
    pub fn takes(self) -> usize {
        match self {
            Self::Number(_) | Self::Name(_) | Self::Trigger(_) | Self::Over(..) => 0,
            Self::Negate | Self::Not => 1,
            Self::Binary(_) => 2,
            Self::Choose => 3,
            Self::Call(_, n) => n as usize,
        }
    }
}
