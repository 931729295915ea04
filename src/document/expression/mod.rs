//! Expressions: a small typed language in which a scorer of the weighted router can be written.
//!
//! A scenario holds the text ([`Expression`]); reading it gives a [`Formula`], a list of operations in postfix order,
//! or its problems with their positions. There are numbers and conditions, but no loops or variables, so that the cost
//! of an evaluation is known before the run. The syntax is a part of CEL's.

mod complete;
mod formula;
mod named;
mod names;
mod op;
mod parser;
mod print;
mod terms;
mod token;
mod triggers;
#[cfg(any(feature = "cli", feature = "closeup", feature = "lessons"))]
mod words;

pub use complete::{Completion, complete};
pub use formula::Formula;
pub use named::expression_of;
pub use names::{AGGREGATES, Aggregate, FUNCTIONS, Function, Kind, NAMES, Name};
pub use op::{Binary, Op};
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
