//! Prints operations as text, with only the brackets that are needed to read the same operations.

use super::formula::Formula;
use super::op::{Binary, Op};
use crate::limits;
use base::json;

/// A piece of text and how strongly its outermost operator binds.
struct Piece {
    text: String,
    strength: u8,
}

const CHOICE: u8 = 1;
const PREFIX: u8 = 20;
const LEAF: u8 = 30;

/// The text of an expression: with blanks around its operators, unless it would be too long with them.
pub fn print(formula: &Formula) -> String {
    let text = written(formula, Blanks::Some);
    if text.len() <= limits::EXPRESSION_BYTES { text } else { written(formula, Blanks::None) }
}

impl From<Formula> for String {
    fn from(formula: Formula) -> Self {
        print(&formula)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Blanks {
    Some,
    None,
}

/// The text, operation by operation.
fn written(formula: &Formula, blanks: Blanks) -> String {
    let mut pieces: Vec<Piece> = Vec::new();
    let (gap, comma) = if blanks == Blanks::Some { (" ", ", ") } else { ("", ",") };
    for op in &formula.ops {
        let mut taken = pieces.split_off(pieces.len() - op.takes()).into_iter();
        let mut next = || taken.next().expect("INV-6: a formula's operations have their values");
        let leaf = |text: &str| Piece { text: text.to_owned(), strength: LEAF };
        pieces.push(match *op {
            Op::Number(x) => leaf(&number(x, blanks)),
            Op::Name(name) => leaf(name.text()),
            Op::Trigger(number) => leaf(&format!("trigger_{number}")),
            Op::Over(all, name) => leaf(&format!("{}.{}", all.text(), name.text())),
            Op::Negate => prefix('-', &next()),
            Op::Not => prefix('!', &next()),
            Op::Binary(op) => {
                let (sign, strength) = sign_of(op);
                let (left, right) = (next().at_least(strength), next().at_least(strength + 1));
                Piece { text: format!("{left}{gap}{sign}{gap}{right}"), strength }
            }
            Op::Choose => {
                let (condition, yes, no) = (next().at_least(CHOICE + 1), next().text, next().text);
                let text = format!("{condition}{gap}?{gap}{yes}{gap}:{gap}{no}");
                Piece { text, strength: CHOICE }
            }
            Op::Call(function, _) => {
                let values: Vec<String> = taken.map(|piece| piece.text).collect();
                leaf(&format!("{}({})", function.text(), values.join(comma)))
            }
        });
    }
    pieces.pop().map(|piece| piece.text).unwrap_or_default()
}

impl Piece {
    /// In brackets, unless it binds strongly enough.
    fn at_least(self, strength: u8) -> String {
        if self.strength >= strength { self.text } else { format!("({})", self.text) }
    }
}

fn prefix(sign: char, of: &Piece) -> Piece {
    let text =
        if of.strength >= PREFIX { format!("{sign}{}", of.text) } else { format!("{sign}({})", of.text) };
    Piece { text, strength: PREFIX }
}

/// The number in the fewest digits that identify it.
fn number(x: f64, blanks: Blanks) -> String {
    let text = json::compact(&x);
    let text = text.strip_suffix(".0").unwrap_or(&text);
    let short = text.strip_prefix('0').filter(|rest| blanks == Blanks::None && rest.starts_with('.'));
    short.unwrap_or(text).to_owned()
}

fn sign_of(op: Binary) -> (&'static str, u8) {
    match op {
        Binary::Or => ("||", 2),
        Binary::And => ("&&", 3),
        Binary::Less => ("<", 4),
        Binary::AtMost => ("<=", 4),
        Binary::More => (">", 4),
        Binary::AtLeast => (">=", 4),
        Binary::Equal => ("==", 4),
        Binary::Unequal => ("!=", 4),
        Binary::Add => ("+", 5),
        Binary::Subtract => ("-", 5),
        Binary::Multiply => ("*", 6),
        Binary::Divide => ("/", 6),
        Binary::Remainder => ("%", 6),
        Binary::Else => ("??", 7),
    }
}
