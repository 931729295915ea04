//! The names in the text of an expression, for readers whose names are not known before.

use super::Function;
use super::token::{Token, token_at};

/// The names in a text in order, each once. Functions and what is named by `let` are no names.
pub fn names_in(text: &str) -> Vec<String> {
    let (mut names, mut named): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    let (mut at, mut after_let) = (0, false);
    loop {
        let next = token_at(text, at);
        at = next.end;
        let Token::Word(word) = next.token else {
            if next.token == Token::End {
                return names;
            }
            after_let = false;
            continue;
        };
        let is_call = token_at(text, at).token == Token::Sign("(") && Function::of(word).is_some();
        if after_let {
            named.push(word);
        } else if !is_call && word != "let" && !named.contains(&word) && !names.iter().any(|n| n == word) {
            names.push(word.to_owned());
        }
        after_let = word == "let";
    }
}

#[cfg(test)]
mod tests {
    use super::names_in;

    #[test]
    fn functions_and_named_numbers_are_no_names() {
        let text = "let half = low.ttft / 2; max(half, high.ttft.p99) > 2 * low.ttft ? pools.0.x : 1";
        assert_eq!(names_in(text), ["low.ttft", "high.ttft.p99", "pools.0.x"]);
        assert!(names_in("1 + sqrt(4)").is_empty() && names_in("").is_empty());
    }
}
