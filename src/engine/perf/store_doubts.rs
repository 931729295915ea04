//! Stores of KV that are too small, or whose leases are too short, for the prompts of the scenario.

use super::{Resolved, gpus};
use base::small::decimal::plain;
use base::{Diagnostic, Diagnostics};
use document::{KvBytes, KvStore, Pool, Scenario, SecondaryTier, StoreEviction};

/// Warnings of stores that cannot hold a prompt, or cannot deliver it within their lease.
pub(super) fn store_doubts(scenario: &Scenario, resolved: &[Resolved]) -> Diagnostics {
    let c = &scenario.cluster;
    let names = |pool: &Pool, name: &str| {
        let named = |tier: &SecondaryTier| matches!(tier, SecondaryTier::Store(s) if s.name == name);
        pool.kv.secondary_tiers.iter().any(named)
    };
    let tokens = prompt_tokens(scenario);
    let mut doubts = Vec::new();
    for (i, store) in c.kv_stores.iter().enumerate() {
        let user = c.pools.iter().zip(resolved).find(|(pool, _)| names(pool, &store.name));
        let Some((pool, figures)) = user.filter(|_| tokens > 0.0) else { continue };
        let transfer = c.disaggregation.clone().unwrap_or_default().transfer;
        let given = match transfer.kv_bytes_per_token {
            KvBytes::Count(n) => Some(u64::from(n)),
            KvBytes::Auto => figures.kv_bytes_per_token,
        };
        let gb = tokens * given.unwrap_or(1) as f64 / 1e9;
        let port = transfer.port_gb_per_s * f64::from(gpus(pool));
        doubts.extend(doubts_of(&format!("cluster.kv_stores[{i}]"), store, (gb, port)));
    }
    doubts
}

fn doubts_of(path: &str, store: &KvStore, (prompt_gb, replica_port): (f64, f64)) -> Diagnostics {
    let (servers, mut doubts) = (f64::from(store.servers), Vec::new());
    let room = servers * store.gb;
    if matches!(store.eviction, StoreEviction::Watermark(_)) && room > 0.0 && room < prompt_gb {
        doubts.push(Diagnostic::warning(
            format!("{path}.gb"),
            format!("{} GB in all, and a prompt has {:.3} GB", plain(room), prompt_gb),
            "room for a prompt at least",
            "give the store more servers or more room",
        ));
    }
    let port = replica_port.min(servers * store.port_gb_per_s);
    let read_ms = store.base_us as f64 / 1000.0 + prompt_gb / port * 1000.0;
    if store.lease_ms > 0.0 && store.lease_ms < read_ms {
        doubts.push(Diagnostic::warning(
            format!("{path}.lease_ms"),
            format!("{} ms, and a prompt takes {read_ms:.1} ms on idle ports", plain(store.lease_ms)),
            "longer than a read of a prompt",
            "reads that take longer than the lease fail: lengthen it, or use 0 for none",
        ));
    }
    doubts
}

/// Tokens of the longest listed prompt, or about as many as the prompts of the client with the longest have.
fn prompt_tokens(scenario: &Scenario) -> f64 {
    let w = &scenario.workload;
    let listed = w.requests.iter().map(|r| r.prompt.iter().map(|piece| f64::from(piece.tokens)).sum::<f64>());
    let drawn = w.clients.iter().map(|client| client.prompt_tokens.about());
    listed.chain(drawn).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::Plan;
    use document::{Lengths, StoreTier, Watermark};

    /// Paths of the warnings about a store of 1 GB with a lease of 10 ms, where prompts have this number of tokens of 128 KB.
    fn warned(tokens: u32) -> Vec<String> {
        let mut s = Scenario::default();
        s.cluster.kv_stores = vec![KvStore {
            gb: 1.0,
            lease_ms: 10.0,
            eviction: StoreEviction::Watermark(Watermark::default()),
            ..KvStore::default()
        }];
        let tier = StoreTier { name: "store".to_owned(), ..StoreTier::default() };
        s.cluster.pools[0].kv.secondary_tiers = vec![SecondaryTier::Store(tier)];
        for client in &mut s.workload.clients {
            client.prompt_tokens = Lengths::Constant { tokens };
        }
        let (_, warnings) = Plan::new(s).expect("a sound scenario");
        warnings.into_iter().map(|d| d.path).filter(|path| path.contains("kv_stores")).collect()
    }

    #[test]
    fn stores_that_cannot_hold_or_deliver_a_prompt_are_told() {
        assert_eq!(warned(1000), Vec::<String>::new());
        // 4,000 tokens are 0.52 GB, which take 10.5 ms; 8,000 are more than the store has.
        assert_eq!(warned(4000), ["cluster.kv_stores[0].lease_ms"]);
        assert_eq!(warned(8000), ["cluster.kv_stores[0].gb", "cluster.kv_stores[0].lease_ms"]);
    }
}
