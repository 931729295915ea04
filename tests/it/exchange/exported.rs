//! What tests of exported configuration share.

use serde_json::{Value, json};
use tokenyard::config::export::{Exported, LineMark, Standing};
use tokenyard::config::import::configuration::adopt_policies;
use tokenyard::config::import::documents::yaml;
use tokenyard::scenario::{Scenario, from_value, to_json};

/// A scenario from its document.
pub(super) fn scenario(document: Value) -> Scenario {
    from_value(document).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// The scenario with what a file says.
pub(super) fn imported(base: &Scenario, file: &str) -> Scenario {
    let documents: Vec<Value> = file
        .split("---\n")
        .map(|part| yaml::value(part).unwrap_or_else(|all| panic!("{all:?}: {part}")))
        .filter(|document: &Value| !document.is_null())
        .collect();
    let mut document: Value = serde_json::from_str(&to_json(base)).expect("JSON");
    let within = |text: &str| yaml::value(text).ok();
    adopt_policies(documents, &within, &mut document)
        .unwrap_or_else(|problems| panic!("{file}: {problems:?}"));
    scenario(document)
}

/// The lines of a difference that are new or gone, with their signs.
pub(super) fn changed(found: &Exported) -> Vec<String> {
    let sign = |mark| match mark {
        LineMark::Added => Some('+'),
        LineMark::Removed => Some('-'),
        LineMark::Same | LineMark::Comment => None,
    };
    found.lines.iter().filter_map(|line| Some(format!("{}{}", sign(line.mark)?, line.text))).collect()
}

/// The file without the lines of comment.
pub(super) fn plain(found: &Exported) -> String {
    found.text.lines().filter(|line| !line.starts_with('#')).flat_map(|line| [line, "\n"]).collect()
}

/// The rows with a standing, by their names here.
pub(super) fn rows(found: &Exported, standing: Standing) -> Vec<&str> {
    found.rows.iter().filter(|row| row.standing == standing).map(|row| row.ours.as_str()).collect()
}

pub(super) fn weighted(scorers: &Value) -> Scenario {
    scenario(json!({ "tokenyard": 1, "cluster": {
        "snapshot_refresh_us": 50_000,
        "routing": { "weighted": { "profile": "custom", "ties": "random", "scorers": scorers,
            "prefix_index_blocks": 31_250, "prefix_block_tokens": 64, "prefix_match_tokens": 131_072 } },
    } }))
}

pub(super) fn scaled(scaling: &Value) -> Scenario {
    let pool = json!({ "name": "llama-8b", "model": "llama-3.1-8b", "scaling": scaling });
    scenario(json!({ "tokenyard": 1, "cluster": { "pools": [pool] } }))
}
