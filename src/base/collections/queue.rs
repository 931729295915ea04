//! Queues with a total order.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A queue whose items have a unique, total order; the smallest comes out first. Serialised in that order.
#[derive(Clone, Debug)]
pub struct Queue<T: Ord>(BinaryHeap<Reverse<T>>);

impl<T: Ord> Default for Queue<T> {
    fn default() -> Self {
        Self(BinaryHeap::new())
    }
}

impl<T: Ord> Queue<T> {
    /// Adds an item.
    pub fn push(&mut self, item: T) {
        self.0.push(Reverse(item));
    }

    /// Takes the smallest item out.
    pub fn pop(&mut self) -> Option<T> {
        self.0.pop().map(|Reverse(item)| item)
    }

    /// The smallest item.
    pub fn peek(&self) -> Option<&T> {
        self.0.peek().map(|Reverse(item)| item)
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All items, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|Reverse(item)| item)
    }

    /// Removes all items.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<T: Ord + Clone> PartialEq for Queue<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.clone().into_sorted_vec() == other.0.clone().into_sorted_vec()
    }
}

impl<T: Ord + Clone + Serialize> Serialize for Queue<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        // Sorted by reversed items, so that the smallest item is last.
        s.collect_seq(self.0.clone().into_sorted_vec().iter().rev().map(|Reverse(item)| item))
    }
}

impl<'de, T: Ord + Deserialize<'de>> Deserialize<'de> for Queue<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Ok(Self(Vec::<T>::deserialize(d)?.into_iter().map(Reverse).collect()))
    }
}
