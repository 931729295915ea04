//! Expressions: a small typed language in which a scorer of the weighted router can be written.
//!
//! A scenario holds the text ([`Expression`]); reading it gives a [`Formula`], a list of operations in postfix order,
//! or its problems with their positions. There are numbers and conditions, but no loops or variables, so that the cost
//! of an evaluation is known before the run. The syntax is a part of CEL's.

mod complete;
mod named;
mod names;
mod parser;
mod print;
mod terms;
mod token;
mod triggers;
#[cfg(any(feature = "cli", feature = "closeup", feature = "lessons"))]
mod words;

pub use complete::{Completion, complete};
pub use named::expression_of;
pub use names::{AGGREGATES, Aggregate, FUNCTIONS, Function, Kind, NAMES, Name};
pub use parser::{Problem, parse};
pub use print::print;
pub use terms::SummandEnd;
pub use triggers::{TriggerFormula, parse_of_triggers};
#[cfg(any(feature = "cli", feature = "closeup", feature = "lessons"))]
pub use words::names_in;

#[cfg(feature = "schema")]
use crate::limits;
use crate::table::fields::without_fields;
use crate::{At, Problems, Read, Write};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A scorer written as an expression, clamped to 0 to 1. At most 1,024 bytes and 64 names, numbers and operations, nested at most 32 deep.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(inline, transform = describe)
)]
#[serde(transparent)]
pub struct Expression(pub String);

impl Read for Expression {
    fn read(value: &Value, at: &At<'_>, problems: &mut Problems) -> Option<Self> {
        String::read(value, at, problems).map(Self)
    }
}

impl Write for Expression {
    fn write(&self) -> Value {
        Value::from(self.0.as_str())
    }
}

without_fields! { Expression }

/// Its notes for a form: its length, its first value, and the effect of an edit.
#[cfg(feature = "schema")]
fn describe(schema: &mut schemars::Schema) {
    let routing = crate::table::notes::Effect::Routing;
    for (key, said) in [
        ("maxLength", serde_json::json!(limits::EXPRESSION_BYTES)),
        ("x-label", serde_json::json!("Expression")),
        ("x-first", serde_json::json!("1 / (1 + waiting)")),
        ("x-expression", serde_json::json!(true)),
        ("x-edit", serde_json::json!(routing.kind())),
        ("x-edit-help", serde_json::json!(routing.help())),
    ] {
        schema.insert(key.to_owned(), said);
    }
}

impl Expression {
    /// Its operations, or all its problems.
    pub fn formula(&self) -> Result<Formula, Vec<Problem>> {
        parse(&self.0)
    }
}

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

/// An expression that has been read: its operations in postfix order. The only way to make one is to read a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Formula {
    ops: Vec<Op>,
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

impl TryFrom<String> for Formula {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        parse(&text).map_err(|problems| problems.first().map(Problem::to_string).unwrap_or_default())
    }
}

impl From<Formula> for String {
    fn from(formula: Formula) -> Self {
        print(&formula)
    }
}
