//! Expressions while they are typed: problems and completions for the page. Positions in a text are counted in UTF-16
//! units, as in JavaScript.

use document::expression::{Completion, complete, expression_of, parse};
use document::{Weighted, data_from_value};
use serde::Serialize;

/// An expression as typed so far.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExpressionReading {
    /// Its problems, in order; empty if it can be used.
    pub problems: Vec<ExpressionProblem>,
    /// Where the word at the caret begins.
    pub from: u32,
    /// Completions of the word at the caret, the likeliest first.
    pub words: Vec<Completion>,
}

/// One problem of an expression.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExpressionProblem {
    /// Where it begins in the text.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// What was found, and at which character.
    pub found: String,
    /// What is allowed there.
    pub allowed: String,
    /// How to fix it.
    pub fix: String,
}

impl ExpressionReading {
    /// Reads `text`, in which the caret stands at `caret`.
    pub fn of(text: &str, caret: u32) -> Self {
        let place = |byte: usize| text[..byte].encode_utf16().count() as u32;
        let (from, words) = complete(text, byte_of(text, caret));
        let problems = parse(text).err().unwrap_or_default().into_iter().map(|p| ExpressionProblem {
            start: place(p.start),
            end: place(p.end),
            found: p.found_at(),
            allowed: p.allowed,
            fix: p.fix,
        });
        Self { problems: problems.collect(), from: place(from), words }
    }
}

/// The byte position after `caret` units of UTF-16.
fn byte_of(text: &str, caret: u32) -> usize {
    let mut units = 0;
    for (byte, c) in text.char_indices() {
        if units >= caret {
            return byte;
        }
        units += c.len_utf16() as u32;
    }
    text.len()
}

/// Scorer number `index` of the settings of a weighted router, JSON text, as an expression. `None` if it has no
/// expression, or if there is no such scorer.
pub fn scorer_as_expression(weighted: &str, index: usize) -> Option<String> {
    let settings: Weighted =
        data_from_value(&serde_json::from_str(weighted).ok()?, "a weighted router").ok()?;
    let scorers = settings.scorers();
    Some(expression_of(&scorers.get(index)?.scorer, &settings)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::json;

    #[test]
    fn places_are_those_of_javascript() {
        let reading = ExpressionReading::of("1 + 🙂 + wai", 11);
        assert_eq!((reading.problems[0].start, reading.problems[0].end), (4, 6));
        assert_eq!((reading.from, reading.words[0].text.as_str()), (9, "waiting"));
        let reading = ExpressionReading::of("prefix", 99);
        assert!(reading.problems.is_empty() && reading.words[0].text == "prefix");
    }

    #[test]
    fn a_named_scorer_of_a_router_becomes_its_expression() {
        let settings = json::compact(&Weighted::default());
        assert_eq!(scorer_as_expression(&settings, 0).as_deref(), Some("prefix"));
        assert_eq!(scorer_as_expression(&settings, 2).as_deref(), Some("kv_free"));
        assert_eq!(scorer_as_expression(&settings, 3), None);
        assert_eq!(scorer_as_expression("{", 0), None);
    }
}
