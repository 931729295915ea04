//! A map in order of its keys, kept as a sorted list: for few keys, or for keys that are inserted in order.
//!
//! Finding takes O(log n); inserting or removing moves all entries behind. For many keys in any order use
//! [`LookupMap`](crate::lookup::LookupMap).
//!
//! Saves five sixths of the code of the standard library's tree, which does all of it in O(log n). With `decimal`
//! and one sort the first module became 19 KB smaller; alone it is not measured.

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Index;

/// A map in order of its keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// No keys.
    pub fn new() -> Self {
        Self::default()
    }

    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(k, _)| k.borrow().cmp(key))
    }

    /// The value of `key`.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().map(|at| &self.0[at].1)
    }

    /// Sets `key`.
    pub fn insert(&mut self, key: K, value: V) {
        match self.place(&key) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (key, value)),
        }
    }

    /// Removes the keys that are not to stay.
    pub fn retain(&mut self, stays: impl Fn(&K) -> bool) {
        self.0.retain(|(key, _)| stays(key));
    }

    /// All keys with their values, in order of key.
    pub fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.0.iter()
    }

    /// All keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(k, _)| k)
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Ord + Borrow<Q>, Q: Ord + ?Sized, V> Index<&Q> for SortedMap<K, V> {
    type Output = V;

    /// Panics if there is no such key.
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("a key of the map")
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut map = Self::default();
        pairs.into_iter().for_each(|(key, value)| map.insert(key, value));
        map
    }
}

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = &'a (K, V);
    type IntoIter = std::slice::Iter<'a, (K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<K: Serialize, V: Serialize> Serialize for SortedMap<K, V> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.0.iter().map(|(k, v)| (k, v)))
    }
}

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for SortedMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_map(Pairs(PhantomData))
    }
}

/// Reads the pairs of a map.
struct Pairs<K, V>(PhantomData<(K, V)>);

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Pairs<K, V> {
    type Value = SortedMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Self::Value, A::Error> {
        let mut map = SortedMap::default();
        while let Some((key, value)) = pairs.next_entry()? {
            map.insert(key, value);
        }
        Ok(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_after_any_order_of_insertion_and_the_latest_value_counts() {
        let map: SortedMap<u32, char> = [(3, 'c'), (1, 'x'), (2, 'b'), (1, 'a')].into_iter().collect();
        assert_eq!(map.iter().collect::<Vec<_>>(), [&(1, 'a'), &(2, 'b'), &(3, 'c')]);
        assert_eq!((map.len(), map.get(&2), map.get(&4)), (3, Some(&'b'), None));
    }

    #[test]
    fn it_is_written_and_read_as_the_tree_of_the_standard_library_is() {
        let pairs = [("b".to_owned(), 2_u32), ("a".to_owned(), 1)];
        let tree: std::collections::BTreeMap<String, u32> = pairs.iter().cloned().collect();
        let map: SortedMap<String, u32> = pairs.into_iter().collect();
        let bytes = postcard::to_allocvec(&map).unwrap();
        assert_eq!(bytes, postcard::to_allocvec(&tree).unwrap());
        assert_eq!(postcard::from_bytes::<SortedMap<String, u32>>(&bytes).unwrap(), map);
    }
}
