//! Kinds of clients: lengths, prefixes and conversations under one name. The values of a kind fill the keys that a client
//! leaves out.

use crate::table::fields::fields;
use serde_json::{Map, Value};

/// A kind of traffic. It gives the lengths, the prefix and the conversation that the client leaves out.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientKind {
    /// Short questions, answers of the same length: 256 ± 100 tokens each. BLIS's preset.
    Chatbot,
    /// Texts written to order: prompts of 1,024 ± 150 tokens, answers of 1,024 ± 200. BLIS's preset.
    Contentgen,
    /// Summaries: prompts of 4,096 ± 500 tokens, answers of 512 ± 150. BLIS's preset.
    Summarization,
    /// Questions about several documents: prompts of 10,240 ± 1,200 tokens, answers of 1,536 ± 300. BLIS's preset.
    Multidoc,
    /// Retrieved documents before a question: 200 documents of 4,096 tokens, a few of them used most (Zipf 1), 400 tokens of question and history, answers of 180 ± 60. Tokenyard's own values, none measured.
    Rag,
    /// Agents that call tools: about 12 rounds, each 2 s after the answer to the one before and with all earlier text, 600 tokens of tool output a round, answers of 150, a prompt of 2,000 tokens for all. Tokenyard's own values, none measured.
    ToolLoops,
    /// Work that nobody waits for, of the SLO class `batch`: prompts of 6,000 ± 1,500 tokens, answers of 700 ± 200. Tokenyard's own values, none measured.
    Batch,
}

fields! {
    names ClientKind {
        Chatbot "chatbot" Contentgen "contentgen" Summarization "summarization" Multidoc "multidoc"
        Rag "rag" ToolLoops "tool-loops" Batch "batch"
    }
}

/// Values of a client as its kind has them, as text: a module of the page that never reads a kind carries no code for it.
const VALUES: [(&str, &str); 7] = [
    (
        "chatbot",
        r#"{"prompt_tokens":{"gaussian":{"mean_tokens":256,"sd_tokens":100,"min_tokens":2,"max_tokens":800}},
            "output_tokens":{"gaussian":{"mean_tokens":256,"sd_tokens":100,"min_tokens":1,"max_tokens":1024}}}"#,
    ),
    (
        "contentgen",
        r#"{"prompt_tokens":{"gaussian":{"mean_tokens":1024,"sd_tokens":150,"min_tokens":10,"max_tokens":2048}},
            "output_tokens":{"gaussian":{"mean_tokens":1024,"sd_tokens":200,"min_tokens":10,"max_tokens":2048}}}"#,
    ),
    (
        "summarization",
        r#"{"prompt_tokens":{"gaussian":{"mean_tokens":4096,"sd_tokens":500,"min_tokens":100,"max_tokens":8192}},
            "output_tokens":{"gaussian":{"mean_tokens":512,"sd_tokens":150,"min_tokens":10,"max_tokens":2048}}}"#,
    ),
    (
        "multidoc",
        r#"{"prompt_tokens":{"gaussian":{"mean_tokens":10240,"sd_tokens":1200,"min_tokens":500,"max_tokens":20480}},
            "output_tokens":{"gaussian":{"mean_tokens":1536,"sd_tokens":300,"min_tokens":50,"max_tokens":4096}}}"#,
    ),
    (
        "rag",
        r#"{"prompt_tokens":{"lognormal":{"median_tokens":400,"sigma":0.8,"min_tokens":16,"max_tokens":8192}},
            "output_tokens":{"gaussian":{"mean_tokens":180,"sd_tokens":60,"min_tokens":16,"max_tokens":512}},
            "prefix":{"groups":200,"tokens":4096,"zipf":1}}"#,
    ),
    (
        "tool-loops",
        r#"{"prompt_tokens":{"lognormal":{"median_tokens":600,"sigma":0.9,"min_tokens":16,"max_tokens":16384}},
            "output_tokens":{"lognormal":{"median_tokens":150,"sigma":0.7,"min_tokens":8,"max_tokens":2048}},
            "prefix":{"groups":1,"tokens":2000},
            "conversation":{"rounds":{"geometric":{"mean_rounds":12,"max_rounds":100}},
                "think_time":{"exponential":{"mean_s":2}},"clock":"closed","context_growth":"accumulate",
                "max_context_tokens":131072}}"#,
    ),
    (
        "batch",
        r#"{"prompt_tokens":{"gaussian":{"mean_tokens":6000,"sd_tokens":1500,"min_tokens":1000,"max_tokens":12000}},
            "output_tokens":{"gaussian":{"mean_tokens":700,"sd_tokens":200,"min_tokens":100,"max_tokens":1500}},
            "slo_class":"batch"}"#,
    ),
];

/// The values of a kind; `None` for a name that is none.
fn values_of(kind: &str) -> Option<Map<String, Value>> {
    let (_, text) = VALUES.iter().find(|(name, _)| *name == kind)?;
    serde_json::from_str(text).ok()
}

/// Keys of a part that a written document always has; those of the prefix that are left out there have one meaning.
const ALWAYS_WRITTEN: [(&str, &[&str]); 2] = [
    ("prefix", &["groups", "tokens"]),
    ("conversation", &["rounds", "think_time", "clock", "context_growth", "max_context_tokens"]),
];

/// Fills in what a client leaves to its kind. A client without the conversation of its kind is of no kind: a written
/// document does not tell that from one that leaves it out.
pub(crate) fn fill(client: &mut Map<String, Value>) {
    let Some(values) = client.get("kind").and_then(Value::as_str).and_then(values_of) else {
        return;
    };
    if values.contains_key("conversation") && client.get("conversation").is_some_and(Value::is_null) {
        client.shift_remove("kind");
    }
    for (key, value) in values {
        let Some(own) = client.get_mut(&key) else {
            client.insert(key, value);
            continue;
        };
        let parts = ALWAYS_WRITTEN.iter().find(|(part, _)| *part == key).map_or(&[][..], |(_, keys)| *keys);
        if let (Value::Object(own), Value::Object(value)) = (own, value) {
            for (part, value) in value.into_iter().filter(|(part, _)| parts.contains(&part.as_str())) {
                own.entry(part).or_insert(value);
            }
        }
    }
}

/// Takes out what another kind decides, where an edit sets the kind of a client: the edit fills it in.
pub(crate) fn let_decide(client: &mut Map<String, Value>) {
    if client.get("kind").is_some_and(Value::is_string) {
        for key in ["prompt_tokens", "output_tokens", "prefix", "conversation"] {
            client.shift_remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_values_under_the_name_that_it_has_in_documents() {
        use ClientKind as K;
        for kind in [K::Chatbot, K::Contentgen, K::Summarization, K::Multidoc, K::Rag, K::ToolLoops, K::Batch]
        {
            assert!(values_of(kind.name()).is_some(), "{}", kind.name());
        }
        assert_eq!(values_of("chat"), None);
    }
}
