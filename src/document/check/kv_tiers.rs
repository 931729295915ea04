//! Checks tiers below CPU memory: stores that are named and not there, and what is not simulated beside such tiers.

use crate::table::report::{Report, grouped};
use crate::{
    Cluster, Compat, CpuTier, KvCache, LoadAsked, LoadRule, LoadWait, Pool, Role, SecondaryTier, limits,
    model_key,
};

/// Reports what does not go together among the stores and the tiers of pools.
pub(super) fn check_kv_tiers(c: &Cluster, r: &mut Report) {
    r.distinct("cluster.kv_stores", "name", c.kv_stores.iter().map(|store| store.name.as_str()));
    for (i, store) in c.kv_stores.iter().enumerate() {
        let at = format!("cluster.kv_stores[{i}].name");
        r.not_empty(&at, &store.name);
        if store.name.len() > limits::STORE_NAME_BYTES {
            let (found, most) = (format!("{} bytes", store.name.len()), limits::STORE_NAME_BYTES);
            r.error(at, found, format!("1 to {most} bytes"), "give it a shorter name");
        }
    }
    for (i, pool) in c.pools.iter().enumerate() {
        let path = format!("cluster.pools[{i}]");
        check_rules(&format!("{path}.kv"), &pool.kv, r);
        if !pool.kv.secondary_tiers.is_empty() {
            check_tiers(&path, pool, c, r);
        }
        if pool.kv.write_decode && pool.role != Role::Decode {
            r.error(
                format!("{path}.kv.write_decode"),
                format!("true, in a {} pool", pool.role.name()),
                "false there",
                "such a pool writes its blocks anyway: leave it out, or give the pool the role decode",
            );
        }
    }
    for store in &c.kv_stores {
        check_users(&store.name, c, r);
    }
    let is_blis = |pool: &Pool| pool.kv.cpu_tier == CpuTier::Blis && pool.kv.cpu_blocks > 0;
    if c.kv_event_delay_us > 0 && (c.compat == Compat::Blis || c.pools.iter().any(is_blis)) {
        r.error(
            "cluster.kv_event_delay_us",
            "a delay, with the tier or the semantics of blis",
            "0 there",
            "that simulator's routers see what is there: leave it out",
        );
    }
    if c.kv_source.is_some() && !c.pools.iter().any(|pool| peers(pool).count() > 0) {
        r.warning(
            "cluster.kv_source",
            "no pool with a tier p2p",
            "a pool that pulls blocks",
            "nothing is pulled: add a tier p2p to a pool, or leave this out",
        );
    }
}

/// The tiers of a pool that are CPU memory of other replicas.
fn peers(pool: &Pool) -> impl Iterator<Item = usize> {
    let tiers = pool.kv.secondary_tiers.iter().enumerate();
    tiers.filter(|(_, tier)| matches!(tier, SecondaryTier::P2p(_))).map(|(k, _)| k)
}

/// Blocks are pulled from CPU memory into CPU memory, from the replica that the router names.
fn check_peers(at: &str, pool: &Pool, c: &Cluster, r: &mut Report) {
    let mut all = peers(pool);
    let Some(first) = all.next() else { return };
    let path = format!("{at}[{first}].p2p");
    if pool.kv.cpu_blocks == 0 {
        let fix = "only CPU memory is read, and read into: give the pool cpu_blocks, or leave the tier out";
        r.error(&path, "peers, without a CPU tier", "no such tier there", fix);
    }
    if c.kv_source.is_none() {
        r.warning(
            path,
            "peers, and no source says which",
            "cluster.kv_source beside it",
            "nothing is pulled without cluster.kv_source: write it, {} for its defaults",
        );
    }
    if let Some(again) = all.next() {
        r.error(
            format!("{at}[{again}].p2p"),
            "peers again",
            "one such tier in a pool",
            "leave one of the two out",
        );
    }
}

/// The stores that a pool names.
fn named(pool: &Pool) -> impl Iterator<Item = (usize, &str)> {
    let store = |(k, tier): (usize, _)| match tier {
        &(SecondaryTier::Fs(_) | SecondaryTier::P2p(_)) => None,
        SecondaryTier::Store(store) => Some((k, store.name.as_str())),
    };
    pool.kv.secondary_tiers.iter().enumerate().filter_map(store)
}

/// When to load, and how long to wait.
fn check_rules(path: &str, kv: &KvCache, r: &mut Report) {
    if let LoadRule::MinTokens(tokens) = kv.load
        && !(1..=limits::REQUEST_TOKENS).contains(&tokens)
    {
        r.error(
            format!("{path}.load.min_tokens"),
            grouped(tokens.into()),
            format!("1 to {}", grouped(limits::REQUEST_TOKENS.into())),
            "SGLang's threshold is 256; use always to load whatever there is",
        );
    }
    if kv.cpu_blocks > 0 {
        return;
    }
    let fix = "without a CPU tier blocks come straight to the GPU: give it cpu_blocks, or leave this out";
    if kv.load_wait != LoadWait::Complete {
        r.error(format!("{path}.load_wait"), "a timeout, without a CPU tier", "complete there", fix);
    }
    if kv.load_asked != LoadAsked::Turn {
        r.error(format!("{path}.load_asked"), "arrival, without a CPU tier", "turn there", fix);
    }
}

/// The tiers of a pool.
fn check_tiers(path: &str, pool: &Pool, c: &Cluster, r: &mut Report) {
    let at = format!("{path}.kv.secondary_tiers");
    check_peers(&at, pool, c, r);
    for (k, name) in named(pool) {
        let path = format!("{at}[{k}].store.name");
        if !c.kv_stores.iter().any(|store| store.name == name) {
            let names: Vec<&str> = c.kv_stores.iter().map(|store| store.name.as_str()).collect();
            let allowed =
                if names.is_empty() { "a store of cluster.kv_stores".to_owned() } else { names.join(", ") };
            r.error(
                path,
                format!("no store \"{name}\""),
                allowed,
                "name one of cluster.kv_stores, or add it there",
            );
        } else if named(pool).any(|(other, of)| other < k && of == name) {
            r.error(
                path,
                format!("the store \"{name}\" again"),
                "each store once in a pool",
                "leave one of the two out",
            );
        }
    }
    let mut refuse = |found: String, fix: &str| r.error(at.clone(), found, "no such tiers there", fix);
    if !pool.kv.prefix_caching {
        refuse(
            "tiers below, without prefix caching".to_owned(),
            "nothing is ever looked for in them: turn prefix_caching on",
        );
    }
    if c.compat == Compat::Blis || pool.kv.cpu_tier == CpuTier::Blis {
        refuse(
            "tiers below, with the tier of blis".to_owned(),
            "that simulator has one tier of its own: leave them out",
        );
    }
}

/// Pools that share a store have blocks of the same model and size.
fn check_users(name: &str, c: &Cluster, r: &mut Report) {
    let mut users = c.pools.iter().enumerate().filter(|(_, pool)| named(pool).any(|(_, of)| of == name));
    let Some((_, first)) = users.next() else { return };
    for (i, pool) in users {
        let of = |p: &Pool| (model_key(&p.model), p.kv.block_tokens, p.architecture.clone());
        if of(pool) != of(first) {
            r.error(
                format!("cluster.pools[{i}].kv.secondary_tiers"),
                format!("the store \"{name}\", which the pool \"{}\" uses with other blocks", first.name),
                "the same model and block_tokens in all pools of a store",
                "give the pool a store of its own",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FsTier, KvSource, KvStore, P2pTier, Scenario, StoreTier, check};

    fn scenario() -> Scenario {
        let mut s = Scenario::default();
        s.cluster.kv_stores = vec![KvStore::default()];
        s.cluster.pools[0].kv.secondary_tiers = vec![
            SecondaryTier::Fs(FsTier::default()),
            SecondaryTier::Store(StoreTier { name: "store".to_owned(), ..StoreTier::default() }),
        ];
        s
    }

    /// What is refused: path and what was found.
    fn refused(change: impl FnOnce(&mut Cluster)) -> Vec<(String, String)> {
        let mut s = scenario();
        change(&mut s.cluster);
        let found = check(s).err().unwrap_or_default();
        found.into_iter().map(|d| (d.path, d.found)).collect()
    }

    #[test]
    fn tiers_that_go_together_are_accepted() {
        assert_eq!(refused(|_| ()), []);
        assert_eq!(refused(|c| c.pools[0].kv.cpu_blocks = 10), []);
    }

    #[test]
    fn caches_of_the_other_simulator_are_not_seen_late() {
        assert_eq!(refused(|c| c.kv_event_delay_us = 7), []);
        let found = refused(|c| {
            c.pools[0].kv = KvCache { cpu_blocks: 10, cpu_tier: CpuTier::Blis, ..KvCache::default() };
            c.kv_event_delay_us = 7;
        });
        assert_eq!(
            found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(),
            ["cluster.kv_event_delay_us"]
        );
        let found = refused(|c| {
            c.pools[0].kv = KvCache::default();
            (c.compat, c.kv_event_delay_us) = (Compat::Blis, 7);
        });
        assert_eq!(
            found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(),
            ["cluster.kv_event_delay_us"]
        );
        assert_eq!(refused(|c| c.kv_event_delay_us = limits::LATENCY_US + 1).len(), 1);
    }

    #[test]
    fn a_store_is_there_once_and_its_pools_have_equal_blocks() {
        let at = "cluster.pools[0].kv.secondary_tiers[1].store.name".to_owned();
        assert_eq!(refused(|c| c.kv_stores.clear()), [(at, "no store \"store\"".to_owned())]);
        let twice = refused(|c| {
            let again = c.pools[0].kv.secondary_tiers[1].clone();
            c.pools[0].kv.secondary_tiers.push(again);
        });
        assert_eq!(twice[0].1, "the store \"store\" again");
        let unlike = refused(|c| {
            let mut other = c.pools[0].clone();
            "other".clone_into(&mut other.name);
            other.kv.block_tokens = 32;
            c.pools.push(other);
        });
        assert_eq!(unlike[0].0, "cluster.pools[1].kv.secondary_tiers");
    }

    #[test]
    fn a_store_has_a_name_that_is_not_too_long() {
        let name = "s".repeat(limits::STORE_NAME_BYTES + 1);
        let long = refused(|c| c.kv_stores.push(KvStore { name: name.clone(), ..KvStore::default() }));
        assert_eq!(long, [("cluster.kv_stores[1].name".to_owned(), "65 bytes".to_owned())]);
    }

    #[test]
    fn peers_have_a_cpu_tier_and_a_source_that_names_them() {
        let peers = || SecondaryTier::P2p(P2pTier::default());
        let at = |k: usize| format!("cluster.pools[0].kv.secondary_tiers[{k}].p2p");
        let without = refused(|c| {
            c.kv_source = Some(KvSource::default());
            c.pools[0].kv.secondary_tiers.push(peers());
        });
        assert_eq!(without, [(at(2), "peers, without a CPU tier".to_owned())]);
        let twice = refused(|c| {
            c.kv_source = Some(KvSource::default());
            c.pools[0].kv.cpu_blocks = 10;
            c.pools[0].kv.secondary_tiers.extend([peers(), peers()]);
        });
        assert_eq!(twice, [(at(3), "peers again".to_owned())]);
        let warned = |tiers: Vec<SecondaryTier>, source: Option<KvSource>| {
            let mut s = scenario();
            s.cluster.pools[0].kv.cpu_blocks = 10;
            s.cluster.pools[0].kv.secondary_tiers = tiers;
            s.cluster.kv_source = source;
            let (_, warnings) = check(s).expect("a sound scenario");
            warnings.into_iter().map(|d| d.path).collect::<Vec<_>>()
        };
        assert_eq!(warned(vec![peers()], None), [at(0)]);
        assert_eq!(warned(vec![peers()], Some(KvSource::default())), Vec::<String>::new());
        assert_eq!(warned(Vec::new(), Some(KvSource::default())), ["cluster.kv_source".to_owned()]);
    }

    #[test]
    fn tiers_go_with_roles_and_only_a_decode_pool_chooses_whether_it_writes() {
        let apart = |c: &mut Cluster| {
            c.pools.push(Pool { role: Role::Decode, name: "decode".to_owned(), ..c.pools[0].clone() });
            c.pools[0].role = Role::Prefill;
        };
        let found = refused(|c| {
            apart(c);
            c.pools[1].kv.write_decode = true;
        });
        assert_eq!(found, []);
        let found = refused(|c| {
            apart(c);
            c.pools[0].kv.write_decode = true;
        });
        let at = "cluster.pools[0].kv.write_decode".to_owned();
        assert_eq!(found, [(at, "true, in a prefill pool".to_owned())]);
    }

    #[test]
    fn what_is_not_simulated_beside_tiers_is_refused() {
        let all: [fn(&mut Cluster); 5] = [
            |c| c.pools[0].kv.prefix_caching = false,
            |c| c.compat = Compat::Blis,
            |c| c.pools[0].kv.load_asked = LoadAsked::Arrival,
            |c| c.pools[0].kv.load_wait = LoadWait::Timeout(crate::LoadTimeout::default()),
            |c| c.pools[0].kv.load = LoadRule::MinTokens(0),
        ];
        for (i, change) in all.into_iter().enumerate() {
            assert!(refused(change).iter().any(|(path, _)| path.starts_with("cluster.pools[0].kv.")), "{i}");
        }
    }
}
