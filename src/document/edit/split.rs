//! Edits that divide a fleet into prefill and decode replicas, and that move replicas between the two.

use crate::{Change, Cluster, Pool, Role, Write};
use base::Diagnostic;
use serde::{Deserialize, Serialize};

/// A change of the replicas of each role.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum SplitAsked {
    /// Divides a mixed pool.
    Pool {
        /// Number of the pool; the first is 0.
        pool: u32,
        /// Replicas that prefill, half of the pool without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "types", ts(optional))]
        prefill: Option<u32>,
    },
    /// Sets the number of replicas of each role.
    Ratio {
        /// Replicas that prefill.
        prefill: u32,
        /// Replicas that decode.
        decode: u32,
    },
    /// Turns decode replicas into prefill replicas, or prefill into decode replicas if the number is negative.
    Move {
        /// How many.
        by: i32,
    },
}

/// Replicas of each role.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RoleCounts {
    /// Replicas that prefill and decode.
    pub mixed: u32,
    /// Replicas that prefill.
    pub prefill: u32,
    /// Replicas that decode.
    pub decode: u32,
}

impl RoleCounts {
    /// The replicas in the pools of a cluster.
    pub fn of(cluster: &Cluster) -> Self {
        let count = |role| with_role(cluster, role).map(|(_, pool)| pool.replicas).sum();
        Self { mixed: count(Role::Mixed), prefill: count(Role::Prefill), decode: count(Role::Decode) }
    }
}

/// The edit of a cluster that a change of roles needs; it is empty if the cluster is like that already.
pub fn split_change(cluster: &Cluster, asked: SplitAsked) -> Result<Change, Diagnostic> {
    match asked {
        SplitAsked::Pool { pool, prefill } => split_pool(cluster, pool as usize, prefill),
        SplitAsked::Ratio { prefill, decode } => ratio(cluster, prefill, decode),
        SplitAsked::Move { by } => {
            let now = RoleCounts::of(cluster);
            let (prefill, decode) = (now.prefill.checked_add_signed(by), now.decode.checked_sub_signed(by));
            ratio(cluster, prefill.unwrap_or(0), decode.unwrap_or(0))
        }
    }
}

/// Divides a mixed pool: it becomes the decode pool, because requests under way are decoded there, and a prefill pool
/// like it is added.
fn split_pool(cluster: &Cluster, index: usize, prefill: Option<u32>) -> Result<Change, Diagnostic> {
    let path = format!("cluster.pools[{index}]");
    let mixed = "a mixed pool with two replicas or more";
    let Some(pool) = cluster.pools.get(index) else {
        return Err(Diagnostic::error(path, "no pool", mixed, "pools are numbered from 0"));
    };
    if pool.role != Role::Mixed {
        let found = format!("a {} pool", pool.role.name());
        return Err(Diagnostic::error(path + ".role", found, mixed, "change the number of replicas instead"));
    }
    if pool.replicas < 2 {
        let found = format!("{} replicas", pool.replicas);
        let fix = "add replicas first: one of each role is needed";
        return Err(Diagnostic::error(path + ".replicas", found, mixed, fix));
    }
    let wanted = prefill.unwrap_or(pool.replicas / 2);
    if wanted == 0 || wanted >= pool.replicas {
        let allowed = format!("1 to {}", pool.replicas - 1);
        let fix = "leave at least one replica for each role";
        return Err(Diagnostic::error(path + ".replicas", format!("{wanted} to prefill"), allowed, fix));
    }
    let apart =
        Pool { name: free_name(cluster, &pool.name), role: Role::Prefill, replicas: wanted, ..pool.clone() };
    Ok(Change::set(&format!("{path}.role"), Role::Decode.name())
        .and_set(&format!("{path}.replicas"), pool.replicas - wanted)
        .and_add("cluster.pools", apart.write()))
}

/// `main-prefill`, or `main-prefill-2` and so on if that name is taken.
fn free_name(cluster: &Cluster, of: &str) -> String {
    let stem = format!("{of}-prefill");
    let numbered = (2u32..).map(|n| format!("{stem}-{n}"));
    let taken = |name: &String| cluster.pools.iter().any(|pool| pool.name == *name);
    std::iter::once(stem.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(stem)
}

/// Sets the number of replicas of each role.
fn ratio(cluster: &Cluster, prefill: u32, decode: u32) -> Result<Change, Diagnostic> {
    let allowed = "at least one replica of each role";
    let fix = "set a pool's own number of replicas to 0 to do without its role";
    let found = format!("{prefill} prefill and {decode} decode replicas");
    if prefill == 0 || decode == 0 {
        return Err(Diagnostic::error("cluster.pools", found, allowed, fix));
    }
    let mut change = Change::default();
    for (role, wanted) in [(Role::Prefill, prefill), (Role::Decode, decode)] {
        if with_role(cluster, role).next().is_none() {
            let found = format!("no {} pool", role.name());
            let fix = "split a mixed pool first";
            return Err(Diagnostic::error("cluster.pools", found, "a prefill pool and a decode pool", fix));
        }
        for (index, replicas) in spread(cluster, role, wanted) {
            change = change.and_set(&format!("cluster.pools[{index}].replicas"), replicas);
        }
    }
    Ok(change)
}

/// The pools of a role whose number of replicas changes so that they have `wanted` in all: the first one that has
/// replicas gets those that are added, and the last ones lose those that are removed.
fn spread(cluster: &Cluster, role: Role, wanted: u32) -> Vec<(usize, u32)> {
    let pools: Vec<_> = with_role(cluster, role).map(|(i, pool)| (i, pool.replicas)).collect();
    let now: u32 = pools.iter().map(|(_, replicas)| replicas).sum();
    if wanted >= now {
        let first = pools.iter().find(|(_, replicas)| *replicas > 0).or(pools.first());
        return first.filter(|_| wanted > now).map(|(i, n)| (*i, n + wanted - now)).into_iter().collect();
    }
    let mut left = now - wanted;
    let mut changed = Vec::new();
    for (i, replicas) in pools.into_iter().rev() {
        let gone = left.min(replicas);
        left -= gone;
        if gone > 0 {
            changed.push((i, replicas - gone));
        }
    }
    changed
}

/// The pools of a role, with their numbers.
fn with_role(cluster: &Cluster, role: Role) -> impl Iterator<Item = (usize, &Pool)> {
    cluster.pools.iter().enumerate().filter(move |(_, pool)| pool.role == role)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scenario, check_start};
    use serde_json::json;

    fn pool(name: &str, role: Role, replicas: u32) -> Pool {
        Pool { name: name.to_owned(), role, replicas, ..Pool::default() }
    }

    fn cluster(pools: Vec<Pool>) -> Cluster {
        Cluster { pools, ..Cluster::default() }
    }

    fn set(change: &Change) -> serde_json::Value {
        serde_json::Value::Object(change.set.clone())
    }

    #[test]
    fn a_mixed_pool_becomes_a_decode_pool_beside_a_prefill_pool_like_it() {
        let five = cluster(vec![Pool { tp: 2, ..pool("main", Role::Mixed, 5) }]);
        let change = split_change(&five, SplitAsked::Pool { pool: 0, prefill: None }).unwrap();
        assert_eq!(set(&change), json!({"cluster.pools[0].role": "decode", "cluster.pools[0].replicas": 3}));
        let added = &change.add["cluster.pools"];
        assert_eq!((&added["name"], &added["role"]), (&json!("main-prefill"), &json!("prefill")));
        assert_eq!((&added["replicas"], &added["tp"]), (&json!(2), &json!(2)));
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let two = cluster(vec![pool("main", Role::Mixed, 4), pool("main-prefill", Role::Mixed, 2)]);
        let change = split_change(&two, SplitAsked::Pool { pool: 0, prefill: Some(1) }).unwrap();
        assert_eq!(change.add["cluster.pools"]["name"], "main-prefill-2");
        assert_eq!(change.add["cluster.pools"]["replicas"], 1);
    }

    #[test]
    fn a_ratio_changes_the_first_pool_that_grows_and_the_last_that_shrink() {
        let fleet = cluster(vec![
            pool("d", Role::Decode, 4),
            pool("p", Role::Prefill, 3),
            pool("q", Role::Prefill, 1),
            pool("m", Role::Mixed, 2),
        ]);
        assert_eq!(RoleCounts::of(&fleet), RoleCounts { mixed: 2, prefill: 4, decode: 4 });
        let change = split_change(&fleet, SplitAsked::Ratio { prefill: 2, decode: 6 }).unwrap();
        let expected = json!({
            "cluster.pools[2].replicas": 0, "cluster.pools[1].replicas": 2, "cluster.pools[0].replicas": 6
        });
        assert_eq!(set(&change), expected);
        let moved = split_change(&fleet, SplitAsked::Move { by: 1 }).unwrap();
        assert_eq!(set(&moved), json!({"cluster.pools[1].replicas": 4, "cluster.pools[0].replicas": 3}));
        assert!(split_change(&fleet, SplitAsked::Move { by: 0 }).unwrap().is_empty());
    }

    #[test]
    fn each_role_keeps_a_replica() {
        let fleet = cluster(vec![pool("d", Role::Decode, 1), pool("p", Role::Prefill, 3)]);
        for asked in [SplitAsked::Move { by: 1 }, SplitAsked::Move { by: -3 }, SplitAsked::Move { by: -9 }] {
            assert_eq!(split_change(&fleet, asked).unwrap_err().allowed, "at least one replica of each role");
        }
    }

    #[test]
    fn what_cannot_be_split_says_why() {
        let fleet = cluster(vec![pool("m", Role::Mixed, 1), pool("d", Role::Decode, 4)]);
        let found = |asked| split_change(&fleet, asked).unwrap_err().found;
        assert_eq!(found(SplitAsked::Pool { pool: 0, prefill: None }), "1 replicas");
        assert_eq!(found(SplitAsked::Pool { pool: 1, prefill: None }), "a decode pool");
        assert_eq!(found(SplitAsked::Pool { pool: 2, prefill: None }), "no pool");
        assert_eq!(found(SplitAsked::Ratio { prefill: 2, decode: 2 }), "no prefill pool");
        let four = cluster(vec![pool("m", Role::Mixed, 4)]);
        let all = split_change(&four, SplitAsked::Pool { pool: 0, prefill: Some(4) }).unwrap_err();
        assert_eq!((all.found.as_str(), all.allowed.as_str()), ("4 to prefill", "1 to 3"));
    }

    #[test]
    fn a_run_takes_the_edits_one_after_the_other() {
        let (mixed, _) = check_start(Scenario::default()).unwrap();
        let split = split_change(&mixed.get().cluster, SplitAsked::Pool { pool: 0, prefill: None }).unwrap();
        let (apart, _) = mixed.edited(&split).unwrap();
        assert_eq!(RoleCounts::of(&apart.get().cluster), RoleCounts { mixed: 0, prefill: 2, decode: 2 });
        let step = split_change(&apart.get().cluster, SplitAsked::Move { by: 1 }).unwrap();
        let (moved, _) = apart.edited(&step).unwrap();
        assert_eq!(RoleCounts::of(&moved.get().cluster), RoleCounts { mixed: 0, prefill: 3, decode: 1 });
    }
}
