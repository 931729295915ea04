//! Formulas of autoscalers: names are triggers in place of signals, `a ?? b` stands for `b` where `a` has no value, and numbers
//! may be named before the formula: `let demand = queue / 5; max(demand, 1)`. This is the part of expr-lang that KEDA's
//! formulas use.

use super::parser::{Named, Parser, Problem, Read, Words, of_another_language, parse_with};
use super::token::Token;
use super::{Function, Kind, Op};
use base::alike::nearest;
use serde::{Deserialize, Serialize};

/// A formula with the names of its triggers, in their order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "(String, Vec<String>)", into = "(String, Vec<String>)")]
pub struct TriggerFormula {
    text: String,
    names: Vec<String>,
    ops: Vec<Op>,
}

impl TriggerFormula {
    /// Its operations, in the order in which they are carried out.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }
}

impl TryFrom<(String, Vec<String>)> for TriggerFormula {
    type Error = String;

    fn try_from((text, names): (String, Vec<String>)) -> Result<Self, String> {
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        match parse_with(&text, &known) {
            Ok(formula) => Ok(Self { ops: formula.ops, text, names }),
            Err(problems) => Err(problems.first().map(Problem::to_string).unwrap_or_default()),
        }
    }
}

impl From<TriggerFormula> for (String, Vec<String>) {
    fn from(formula: TriggerFormula) -> Self {
        (formula.text, formula.names)
    }
}

/// Reads a formula; all independent problems are reported at once.
pub fn parse_of_triggers(text: &str, names: Vec<String>) -> Result<TriggerFormula, Vec<Problem>> {
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let formula = parse_with(text, &known)?;
    Ok(TriggerFormula { ops: formula.ops, text: text.to_owned(), names })
}

impl Parser<'_> {
    /// Whether a number is named next.
    pub(super) fn is_let(&self) -> bool {
        self.words != Words::Signals && self.next.token == Token::Word("let")
    }

    /// `let name = value;`
    pub(super) fn name_a_number(&mut self) -> Option<()> {
        self.advance();
        let Token::Word(name) = self.next.token else {
            self.unexpected("a name");
            return None;
        };
        let (start, end) = (self.next.start, self.next.end);
        self.advance();
        if let Words::Triggers(triggers) = self.words
            && (triggers.contains(&name) || self.named.iter().any(|n| n.name == name))
        {
            let found = format!("a second meaning of `{name}`");
            self.problem([start, end], found, "a name of its own".to_owned(), "choose another name");
        }
        self.needs_other("=", "`=`")?;
        let read = self.expression(0, 1)?;
        self.expect(read, Kind::Number, "let");
        self.needs_other(";", "an operator or `;`")?;
        let ops = std::mem::take(&mut self.ops);
        self.named.push(Named { name, ops, read });
        Some(())
    }

    /// A character that is no sign of expressions.
    fn needs_other(&mut self, sign: &str, allowed: &str) -> Option<()> {
        if self.next.token != Token::Other(sign) {
            self.unexpected(allowed);
            return None;
        }
        self.advance();
        Some(())
    }

    /// A trigger, or a number that was named. An unknown name is noted, and counts as a number.
    pub(super) fn trigger(&mut self, word: &str, triggers: &[&str], at: Read) -> Option<Read> {
        if let Some(k) = self.named.iter().position(|n| n.name == word) {
            let (ops, kind, depth) =
                (self.named[k].ops.clone(), self.named[k].read.kind, self.named[k].read.depth);
            for op in ops {
                self.push(op, Read { depth, ..at })?;
            }
            return Some(Read { kind, depth, ..at });
        }
        if let Some(k) = triggers.iter().position(|name| *name == word) {
            return self.push(Op::Trigger(k as u32), at);
        }
        let known: Vec<String> = triggers.iter().map(|&name| name.to_owned()).collect();
        let fix = match (Function::of(word), of_another_language(word)) {
            (_, Some(fix)) => fix.to_owned(),
            (Some(_), None) => format!("`{word}` is a function: give it values in brackets, {word}(…)"),
            (None, None) => nearest(word, &known).map_or_else(
                || "give a trigger this name, or use one of these".to_owned(),
                |near| format!("did you mean `{near}`?"),
            ),
        };
        self.problem([at.start, at.end], format!("unknown name `{word}`"), known.join(", "), &fix);
        self.push(Op::Number(0.0), at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<TriggerFormula, Vec<String>> {
        let names = ["queue", "running", "replicas", "pending"].map(str::to_owned).to_vec();
        parse_of_triggers(text, names).map_err(|all| all.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn names_of_triggers_and_of_numbers_are_read_and_come_back_from_a_snapshot() {
        let text = "let demand = max(queue / 1, running / 16); demand <= replicas ? demand : max(demand - (pending ?? 0), replicas)";
        let formula = read(text).expect("a formula");
        // Three uses of the seven operations of `demand`, two of `replicas`, and five operations and names beside them.
        assert_eq!(formula.ops().len(), 3 * 7 + 2 + 7);
        let saved = serde_json::to_string(&formula).expect("text");
        assert_eq!(serde_json::from_str::<TriggerFormula>(&saved).expect("the same"), formula);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let told = |text: &str| read(text).expect_err("a mistake").join("\n");
        let unknown = told("queu / 2");
        assert!(
            unknown.contains("unknown name `queu` at character 1")
                && unknown.contains("did you mean `queue`?"),
            "{unknown}"
        );
        assert!(told("if (queue > 2) { 1 }").contains("write condition ? a : b"));
        assert!(told("let queue = 2; queue").contains("a second meaning of `queue`"));
        assert!(told("let a = queue").contains("`;`"));
        assert!(told("queue > 1").contains("a condition (yes or no)"));
        assert!(told("").contains("such as queue / 5"));
    }
}
