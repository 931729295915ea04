//! Adapters of requests: their numbers and names, and which one a client's request names.
//!
//! Number 0 is the base model. `adapter-1` and so on have the numbers of their names; any other name has a number above
//! these, in order of appearance.

use super::names::number_of;
use base::rng::{Purpose, Stream};
use base::{Shared, math};
use document::{Adapters, limits};
use serde::{Deserialize, Serialize};

/// What numbered adapters are called before their number.
const NUMBERED: &str = "adapter-";

/// The number of the adapter with that name; a new name is added to `names`.
pub(super) fn adapter_number(names: &mut Vec<String>, name: &str) -> u32 {
    if name.is_empty() {
        return 0;
    }
    let number = name.strip_prefix(NUMBERED).and_then(|n| n.parse::<u32>().ok());
    match number {
        Some(n) if (1..=limits::ADAPTERS).contains(&n) && adapter_name(&[], n) == name => n,
        Some(_) | None => limits::ADAPTERS + 1 + number_of(names, name),
    }
}

/// The number of an adapter of a trace, whose names are those of the trace; `number` is that in the trace, 0 for the base
/// model.
pub(super) fn adapter_of_row(number: u32) -> u32 {
    if number == 0 { 0 } else { limits::ADAPTERS + number }
}

/// The name of an adapter; empty for the base model.
pub(super) fn adapter_name(names: &[String], number: u32) -> String {
    match number {
        0 => String::new(),
        1..=limits::ADAPTERS => format!("{NUMBERED}{number}"),
        _ => names.get((number - limits::ADAPTERS - 1) as usize).cloned().unwrap_or_default(),
    }
}

/// Draws the adapters of one client's requests.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct AdapterSampler {
    seed: u64,
    client: u32,
    /// Number of adapters, of which all are equally likely; 0 where the table decides.
    alike: u32,
    /// Each adapter with the cumulative weight up to it.
    table: Shared<Vec<(u32, f64)>>,
}

impl AdapterSampler {
    /// The adapters of client number `client`, if its requests name any. New names are added to `names`.
    pub(super) fn new(
        adapters: Option<&Adapters>,
        (seed, client): (u64, u32),
        names: &mut Vec<String>,
    ) -> Option<Self> {
        let (mut alike, mut table, mut sum) = (0, Vec::new(), 0.0);
        let mut add = |adapter: u32, weight: f64| {
            if weight > 0.0 {
                sum += weight;
                table.push((adapter, sum));
            }
        };
        match adapters? {
            Adapters::Uniform { count } => alike = *count,
            Adapters::Zipf { count, exponent } => {
                for k in 1..=*count {
                    add(k, math::pow(f64::from(k), -exponent));
                }
            }
            Adapters::Weighted { adapters } => {
                for a in adapters {
                    add(adapter_number(names, &a.name), a.weight);
                }
            }
        }
        Some(Self { seed, client, alike, table: Shared::new(table) })
    }

    /// The adapter of request or conversation number `index`.
    pub(super) fn draw(&self, index: u32) -> u32 {
        let mut stream = Stream::part(self.seed, Purpose::Adapters, self.client, index);
        if self.alike > 0 {
            return 1 + stream.below(self.alike);
        }
        let &(last, sum) = self.table.last().expect("INV-6: drawn adapters have a weight above 0");
        let u = stream.unit() * sum;
        let found = self.table.partition_point(|&(_, up_to)| up_to <= u);
        // The product may round up to the total weight.
        self.table.get(found).map_or(last, |&(adapter, _)| adapter)
    }
}

/// What is drawn.
impl PartialEq for AdapterSampler {
    fn eq(&self, other: &Self) -> bool {
        let same = (self.seed, self.client, self.alike) == (other.seed, other.client, other.alike);
        same && *self.table == *other.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::WeightedAdapter;

    fn shares(adapters: &Adapters, draws: u32) -> Vec<f64> {
        let mut names = Vec::new();
        let sampler = AdapterSampler::new(Some(adapters), (7, 0), &mut names).expect("there are some");
        let mut counts = [0_u32; 5];
        for i in 0..draws {
            counts[sampler.draw(i).min(4) as usize] += 1;
        }
        counts.iter().map(|n| f64::from(*n) / f64::from(draws)).collect()
    }

    #[test]
    fn draws_have_the_shares_of_their_weights() {
        let close = |found: &[f64], expected: [f64; 5]| {
            let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.012);
            assert!(near, "{found:?} {expected:?}");
        };
        close(&shares(&Adapters::Uniform { count: 4 }, 10_000), [0.0, 0.25, 0.25, 0.25, 0.25]);
        // 1 + 1/2 + 1/3 + 1/4 = 25/12
        let zipf = Adapters::Zipf { count: 4, exponent: 1.0 };
        close(&shares(&zipf, 10_000), [0.0, 0.48, 0.24, 0.16, 0.12]);
        let named = |name: &str, weight| WeightedAdapter { name: name.to_owned(), weight };
        let adapters =
            vec![named("adapter-2", 1.0), named("", 2.0), named("none", 0.0), named("adapter-3", 1.0)];
        close(&shares(&Adapters::Weighted { adapters }, 10_000), [0.5, 0.0, 0.25, 0.25, 0.0]);
    }

    #[test]
    fn numbers_and_names_belong_to_each_other() {
        let mut names = Vec::new();
        let all = ["", "adapter-1", "adapter-10000", "sql", "adapter-10001", "adapter-01", "adapter-", "sql"];
        let numbers = all.map(|name| adapter_number(&mut names, name));
        assert_eq!(numbers, [0, 1, 10_000, 10_001, 10_002, 10_003, 10_004, 10_001]);
        assert_eq!(numbers.map(|n| adapter_name(&names, n)), all);
    }
}
