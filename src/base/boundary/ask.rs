//! Questions of the page: one table for each place that answers some, made by [`questions!`](crate::questions).
//!
//! A question is JSON text, as the table's enum reads it: its kind and what it needs to know. Its answer is JSON text too. Bytes that JSON
//! would make long stand beside the text, and in it by their number.

use crate::{Diagnostics, json};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Most questions at once.
const MOST_AT_ONCE: usize = 16;

/// Bytes beside the text of a question or an answer, by their number.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", ts(type = "Uint8Array<ArrayBuffer>"))]
pub struct AttachedBytes {
    attached: u32,
}

/// All bytes beside one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attachments(Vec<Vec<u8>>);

impl Attachments {
    /// Attachments that came with a text.
    pub fn new(all: Vec<Vec<u8>>) -> Self {
        Self(all)
    }

    /// The bytes that a text names; empty if they did not come.
    pub fn get(&self, named: AttachedBytes) -> &[u8] {
        self.0.get(named.attached as usize).map_or(&[], Vec::as_slice)
    }

    /// Attaches bytes; returns the name under which a text has them.
    pub fn add(&mut self, bytes: Vec<u8>) -> AttachedBytes {
        self.0.push(bytes);
        AttachedBytes { attached: (self.0.len() - 1) as u32 }
    }

    /// All of them in the order of their numbers.
    pub fn into_all(self) -> Vec<Vec<u8>> {
        self.0
    }
}

/// An answer: JSON text, and the bytes that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// The bytes.
    pub attached: Attachments,
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The text is no question of the table: a mistake of the program that asks.
    Malformed(String),
    /// What the question is about is at fault.
    Refused(Diagnostics),
}

/// What a question comes with, and what its answer takes along.
#[derive(Debug, Default)]
pub struct Beside {
    /// Bytes that the question names.
    pub asked: Attachments,
    /// Bytes that the answer names.
    pub answered: Attachments,
}

/// The answer to a question, JSON text, or to each of a list of questions: at most 16, answered at one instant.
pub fn ask<Q: DeserializeOwned>(
    text: &str,
    asked: Attachments,
    mut answer: impl FnMut(Q, &mut Beside) -> Result<String, Diagnostics>,
) -> Result<Answer, Refusal> {
    let malformed = |e: &dyn std::fmt::Display| Refusal::Malformed(format!("a malformed question: {e}"));
    let tree: Value = serde_json::from_str(text).map_err(|e| malformed(&e))?;
    let mut beside = Beside { asked, answered: Attachments::default() };
    let mut one = |tree: &Value| {
        let question = json::data(tree).map_err(|e| malformed(&e))?;
        answer(question, &mut beside).map_err(Refusal::Refused)
    };
    let text = match &tree {
        Value::Array(list) if list.len() > MOST_AT_ONCE => {
            return Err(malformed(&format!("{} at once, of at most {MOST_AT_ONCE}", list.len())));
        }
        Value::Array(list) => {
            let answers = list.iter().map(one).collect::<Result<Vec<String>, _>>()?;
            format!("[{}]", answers.join(","))
        }
        _ => one(&tree)?,
    };
    Ok(Answer { text, attached: beside.answered })
}

/// Declares questions with their answers, and what answers them: a function of the desk (where the table says who has them), what the
/// question has to say, and the bytes beside it. A field of the answers has the name of the question's kind, in snake case.
#[macro_export]
macro_rules! questions {
    (
        $(#[$about:meta])*
        $question:ident, $answers:ident of $desk:ty;
        $($(#[$doc:meta])* $field:ident: $kind:ident($query:ty) -> $answer:ty = $handler:expr;)*
    ) => {
        $(#[$about])*
        #[apply(typescript!)]
        #[derive(Clone, Debug, PartialEq, ::serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $question {
            $($(#[$doc])* $kind($query),)*
        }

        #[doc = concat!("The answers to [`", stringify!($question), "`], by the name of the question.")]
        #[apply(typescript!)]
        #[derive(Clone, Debug)]
        #[cfg_attr(feature = "types", ts(rename_all = "kebab-case"))]
        pub struct $answers {
            $($(#[$doc])* pub $field: $answer,)*
        }

        impl $question {
            /// The answer as JSON text; the error is what is wrong with what the question is about.
            pub fn answer(
                self,
                desk: $desk,
                beside: &mut $crate::ask::Beside,
            ) -> Result<String, $crate::Diagnostics> {
                match self {
                    $(Self::$kind(query) => {
                        let handler: fn($desk, $query, &mut $crate::ask::Beside) -> Result<$answer, $crate::Diagnostics> =
                            $handler;
                        handler(desk, query, beside).map(|answer| $crate::json::compact(&answer))
                    })*
                }
            }
        }
    };
}

#[cfg(test)]
#[expect(dead_code, unreachable_pub, reason = "the macro makes public types, for which Rust has no use")]
mod tests {
    use super::*;
    use crate::Diagnostic;

    questions! {
        /// A question of this test.
        TallyQuestion, TallyAnswers of &mut u32;
        /// Adds the length of some bytes.
        add: Add(AttachedBytes) -> u32 = |sum, named, beside| {
            *sum += beside.asked.get(named).len() as u32;
            Ok(*sum)
        };
        /// The sum as bytes.
        as_bytes: AsBytes(()) -> AttachedBytes = |sum, (), beside| Ok(beside.answered.add(vec![*sum as u8]));
        /// Refuses.
        refuse: Refuse(String) -> () = |_, path, _| Err(vec![Diagnostic::error(path, "", "", "")]);
    }

    fn asked(text: &str) -> Result<Answer, Refusal> {
        let (mut sum, bytes) = (1, Attachments::new(vec![vec![0; 2], vec![0; 40]]));
        ask(text, bytes, |question: TallyQuestion, beside| question.answer(&mut sum, beside))
    }

    #[test]
    fn bytes_travel_beside_the_text_both_ways() {
        assert_eq!(asked(r#"{"add":{"attached":1}}"#).expect("an answer").text, "41");
        let answer = asked(r#"{"as-bytes":null}"#).expect("an answer");
        assert_eq!((answer.text.as_str(), answer.attached.into_all()), (r#"{"attached":0}"#, vec![vec![1]]));
        assert_eq!(asked(r#"{"add":{"attached":7}}"#).expect("an answer").text, "1");
    }

    #[test]
    fn a_list_of_questions_has_a_list_of_answers() {
        let list = r#"[{"add":{"attached":0}},{"add":{"attached":0}}]"#;
        assert_eq!(asked(list).expect("answers").text, "[3,5]");
        let many = format!("[{}]", vec![r#"{"add":{"attached":7}}"#; 20].join(","));
        assert!(matches!(asked(&many), Err(Refusal::Malformed(text)) if text.contains("20 at once")));
    }

    #[test]
    fn a_refusal_is_no_malformed_question() {
        let refused = asked(r#"{"refuse":"seed"}"#);
        assert!(matches!(refused, Err(Refusal::Refused(problems)) if problems[0].path == "seed"));
        for text in ["", "{}", r#"{"subtract":1}"#, r#"{"add":1}"#] {
            assert!(matches!(asked(text), Err(Refusal::Malformed(_))), "{text}");
        }
    }
}
