//! The title of a scenario that sources made or changed: the model and the GPUs that it has, or the names of the sources'
//! formats.

use crate::import::configuration::changes::FieldChange;
use crate::import::configuration::sets::{Field, SAID, Set};
use document::{Pool, Role, Scenario};
use std::collections::BTreeSet;

/// The fields of a pool that say what fleet it is.
const FLEET: [&str; 5] = ["model", "gpu", "tp", "pp", "replicas"];
/// Most pools, or formats, that a title names one by one.
const NAMED: usize = 2;
/// Words for numbers in titles.
const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
/// What the number in a title may count.
const COUNTED: [&str; 8] = ["gpu", "gpus", "replica", "replicas", "server", "servers", "engine", "engines"];

/// What sources say about a fleet.
#[derive(Clone, Copy, Default)]
pub(crate) struct SaidOfFleet {
    /// Whether they describe a pool, its model or its GPUs.
    pub(crate) fleet: bool,
    /// Whether they name its model.
    pub(crate) model: bool,
}

impl SaidOfFleet {
    /// What sets say; a source that is a whole scenario describes its pools.
    pub(crate) fn of(sets: &[Set], whole: Option<&serde_json::Value>) -> Self {
        let mut said =
            Self { fleet: whole.is_some_and(|whole| whole.get("cluster").is_some()), model: false };
        for set in sets.iter().filter(|set| set.rank == SAID) {
            if let Field::Pool(of, field) = &set.field {
                said.fleet |= of.defines || FLEET.contains(&field.as_str());
                said.model |= field == "model";
            }
        }
        said
    }
}

/// The title of an imported scenario.
pub(crate) fn title(scenario: &Scenario, said: SaidOfFleet, formats: &[&str]) -> String {
    let pools = &scenario.cluster.pools;
    let what = match (said.fleet, formats) {
        (true, _) if pools.len() <= NAMED || same_model(pools) => fleet(pools, said.model),
        (true, _) => {
            let models: BTreeSet<&str> = pools.iter().map(|pool| pool.model.as_str()).collect();
            format!("{} models, {} GPUs", models.len(), gpus(pools))
        }
        (false, [one]) => (*one).to_owned(),
        (false, [one, two]) => format!("{one} and {two}"),
        (false, [one, two, rest @ ..]) => format!("{one}, {two} and {} more", rest.len()),
        (false, []) => "another program's configuration".to_owned(),
    };
    format!("Imported: {what}")
}

/// Whether a title names a value that changes: a part of a name, or a number of GPUs or replicas.
pub(crate) fn speaks_of_change(before: &Scenario, after: &Scenario, changes: &[FieldChange]) -> bool {
    let title = words(&before.title);
    let of_run = |change: &&FieldChange| !matches!(change.field.as_str(), "title" | "note");
    let named = changes.iter().filter(of_run).any(|change| {
        let (old, new) = (name_words(&change.before), name_words(&change.after));
        old.iter().any(|word| !new.contains(word) && title.contains(word))
    });
    let (old, new) = (&before.cluster.pools, &after.cluster.pools);
    let mut counts = Vec::new();
    if gpus(old) != gpus(new) {
        counts.push(gpus(old));
    }
    if replicas(old) != replicas(new) {
        counts.push(replicas(old));
    }
    let things: Vec<String> = old.iter().flat_map(|pool| words(&pool.gpu)).collect();
    named
        || title.windows(2).any(|pair| {
            let is_counted = COUNTED.contains(&pair[1].as_str()) || things.contains(&pair[1]);
            is_counted && counts.iter().any(|count| pair[0] == count.to_string())
        })
}

fn gpus(pools: &[Pool]) -> u64 {
    pools.iter().map(|pool| u64::from(pool.replicas) * of_replica(pool)).sum()
}

fn replicas(pools: &[Pool]) -> u64 {
    pools.iter().map(|pool| u64::from(pool.replicas)).sum()
}

/// GPUs of a replica.
fn of_replica(pool: &Pool) -> u64 {
    u64::from(pool.tp) * u64::from(pool.pp)
}

fn same_model(pools: &[Pool]) -> bool {
    pools.windows(2).all(|pair| pair[0].model == pair[1].model)
}

/// The model and the GPUs of pools; the model once where all have the same.
fn fleet(pools: &[Pool], with_model: bool) -> String {
    if same_model(pools) {
        let model = pools.first().filter(|_| with_model).map(|pool| format!("{}, ", model_name(&pool.model)));
        let all: Vec<String> = pools.iter().map(shape).collect();
        let shapes = if all.len() <= NAMED {
            all.join(" + ")
        } else {
            format!("{} pools, {} GPUs", all.len(), gpus(pools))
        };
        return model.unwrap_or_default() + &shapes;
    }
    let one = |pool: &Pool| format!("{}, {}", model_name(&pool.model), shape(pool));
    pools.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// The GPUs of a pool: `4 × 2 H100` for four replicas of two GPUs.
fn shape(pool: &Pool) -> String {
    let role = match pool.role {
        Role::Mixed => "",
        Role::Prefill => "prefill ",
        Role::Decode => "decode ",
    };
    match of_replica(pool) {
        1 => format!("{role}{} {}", pool.replicas, pool.gpu),
        gpus => format!("{role}{} × {gpus} {}", pool.replicas, pool.gpu),
    }
}

/// The name of a model as people write it: `Llama 3.1 70B`.
fn model_name(name: &str) -> String {
    let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let word = |word: &str| {
        let is_size = word.chars().any(|c| c.is_ascii_digit()) && !word.contains('.') && word.len() <= 4;
        let of_many =
            |start: &str| word.strip_prefix(start).is_some_and(|rest| rest.starts_with(char::is_numeric));
        let is_format = ["fp", "nvfp", "mxfp", "int"].iter().any(|start| of_many(start));
        let is_parts = word.starts_with(char::is_numeric) || of_many("a") || of_many("w");
        match word {
            "gpt" | "glm" | "oss" => word.to_uppercase(),
            _ if is_format || (is_size && is_parts) => word.to_uppercase().replace('X', "x"),
            _ => {
                let mut chars = word.chars();
                chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
            }
        }
    };
    last.split('-').map(word).collect::<Vec<String>>().join(" ")
}

/// The words of a text in lower case: numbers as digits, and a name such as `H100s` without its plural.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let parts = lower.split(|c: char| !c.is_alphanumeric() && c != '.').map(|word| word.trim_matches('.'));
    let plain = |word: &str| {
        if let Some(n) = NUMBERS.iter().position(|number| *number == word) {
            return (n + 1).to_string();
        }
        let singular = word.strip_suffix('s').filter(|one| one.ends_with(char::is_numeric));
        singular.unwrap_or(word).to_owned()
    };
    parts.filter(|word| !word.is_empty()).map(plain).collect()
}

/// The words of a value that is a name, or the name of its choice. Plain numbers and short words say too little.
fn name_words(value: &str) -> Vec<String> {
    let name = match value.strip_prefix(['{', '[']) {
        Some(rest) => rest.split('"').nth(1).unwrap_or_default(),
        None => value,
    };
    let is_name = |word: &String| word.len() > 2 || word.chars().any(char::is_numeric);
    let says = |word: &String| is_name(word) && word.chars().any(char::is_alphabetic);
    words(name).into_iter().filter(says).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_models_are_written_as_people_do() {
        for (name, written) in [
            ("llama-3.1-70b", "Llama 3.1 70B"),
            ("meta-llama/Llama-3.1-8B-Instruct", "Llama 3.1 8B Instruct"),
            ("qwen3-30b-a3b-fp8", "Qwen3 30B A3B FP8"),
            ("mixtral-8x7b", "Mixtral 8x7B"),
            ("gpt-oss-120b", "GPT OSS 120B"),
            ("phi-4", "Phi 4"),
            ("deepseek-v3", "Deepseek V3"),
            ("", ""),
        ] {
            assert_eq!(model_name(name), written);
        }
    }

    #[test]
    fn words_of_titles_are_compared_without_case_number_and_plural() {
        assert_eq!(words("Four H100s serving Llama 3.1 8B."), ["4", "h100", "serving", "llama", "3.1", "8b"]);
        assert_eq!(name_words("{\"power-of-d\":{\"d\":2}}"), ["power"]);
        assert_eq!(name_words("4"), [""; 0]);
    }
}
