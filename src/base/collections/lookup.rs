//! A hash map for look-ups only. It cannot be iterated, so its order, which differs between targets, cannot leak into a
//! result; serialised, it is sorted by key.

#![expect(clippy::disallowed_types, reason = "this wrapper is what the rest uses instead of HashMap")]

use crate::small::sort::sort_by_key;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Mixes one integer key; keys here are hashes or small ids already.
#[derive(Clone, Copy, Debug, Default)]
pub struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.write_u64(u64::from(b));
        }
    }

    fn write_u32(&mut self, x: u32) {
        self.write_u64(u64::from(x));
    }

    fn write_u64(&mut self, x: u64) {
        let x = (self.0 ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = x ^ (x >> 32);
    }
}

/// A map from integer keys to small values, without iteration.
#[derive(Clone, Debug)]
pub struct LookupMap<K, V>(HashMap<K, V, BuildHasherDefault<MixHasher>>);

impl<K, V> Default for LookupMap<K, V> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<K: Eq + std::hash::Hash, V: PartialEq> PartialEq for LookupMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<K: Copy + Eq + std::hash::Hash, V: Copy> FromIterator<(K, V)> for LookupMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl<K: Copy + Eq + std::hash::Hash + Ord, V: Copy> LookupMap<K, V> {
    /// An empty map with room for `keys` keys.
    #[must_use]
    pub fn with_capacity(keys: usize) -> Self {
        Self(HashMap::with_capacity_and_hasher(keys, BuildHasherDefault::default()))
    }

    /// The value of `key`.
    pub fn get(&self, key: K) -> Option<V> {
        self.0.get(&key).copied()
    }

    /// Sets `key`, and returns its previous value.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.0.insert(key, value)
    }

    /// Removes `key`, and returns its previous value.
    pub fn remove(&mut self, key: K) -> Option<V> {
        self.0.remove(&key)
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All pairs in order of key: O(n log n), for snapshots and checks.
    pub fn sorted(&self) -> Vec<(K, V)>
    where
        K: Into<u64>,
    {
        let mut all: Vec<(K, V)> = self.0.iter().map(|(k, v)| (*k, *v)).collect();
        sort_by_key(&mut all, |(k, _)| (*k).into());
        all
    }
}

impl<K, V> Serialize for LookupMap<K, V>
where
    K: Copy + Eq + std::hash::Hash + Ord + Into<u64> + Serialize,
    V: Copy + Serialize,
{
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.sorted().serialize(s)
    }
}

impl<'de, K, V> Deserialize<'de> for LookupMap<K, V>
where
    K: Copy + Eq + std::hash::Hash + Ord + Deserialize<'de>,
    V: Copy + Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let pairs = Vec::<(K, V)>::deserialize(d)?;
        Ok(pairs.into_iter().collect())
    }
}
