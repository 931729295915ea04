//! Decides which pools serve the model that a request names.

use crate::{Pool, limits};

const _: () = assert!(limits::POOLS <= u64::BITS as usize);

/// The models of a cluster's pools.
#[derive(Clone, Debug)]
pub struct Served {
    /// By pool: the identity of its model.
    keys: Vec<String>,
}

impl Served {
    /// The models that `pools` serve.
    pub fn new(pools: &[Pool]) -> Self {
        Self { keys: pools.iter().map(|p| model_key(&p.model)).collect() }
    }

    /// The pools that serve `model`, as bits by number. An empty name is served by all.
    pub fn pools_of(&self, model: &str) -> u64 {
        if model.is_empty() {
            return u64::MAX;
        }
        let key = model_key(model);
        let bits = (0..u64::BITS).zip(&self.keys).filter(|(_, k)| **k == key).map(|(bit, _)| 1 << bit);
        bits.fold(0, |all, bit: u64| all | bit)
    }

    /// By pool: the number of its model, from 1 in order of appearance.
    pub fn numbers(&self) -> Vec<u32> {
        let mut known: Vec<&str> = Vec::new();
        let mut number = |key| {
            let at = known.iter().position(|k| *k == key).unwrap_or_else(|| {
                known.push(key);
                known.len() - 1
            });
            at as u32 + 1
        };
        self.keys.iter().map(|key| number(key)).collect()
    }
}

/// Drops parts that do not distinguish models: case, publisher, `-instruct`, `-hf` and release numbers.
pub fn model_key(model: &str) -> String {
    let lower = model.trim().to_ascii_lowercase();
    let base = lower.rsplit('/').next().unwrap_or_default();
    let kept: Vec<&str> = base
        .split('-')
        .filter(|part| !matches!(*part, "instruct" | "hf" | "v0.1" | "2501" | "2503"))
        .collect();
    kept.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_found_by_any_of_its_names_and_no_name_means_all() {
        let pool = |model: &str| Pool { model: model.to_owned(), ..Pool::default() };
        let pools = [pool("llama-3.1-8b"), pool("mixtral-8x7b"), pool("meta-llama/Llama-3.1-8B-Instruct")];
        let served = Served::new(&pools);
        assert_eq!(served.numbers(), [1, 2, 1]);
        assert_eq!(served.pools_of("Llama-3.1-8b"), 0b101);
        assert_eq!(served.pools_of("mistralai/Mixtral-8x7B-Instruct-v0.1"), 0b010);
        assert_eq!(served.pools_of("qwen3-14b"), 0);
        assert_eq!(served.pools_of(""), u64::MAX);
    }
}
