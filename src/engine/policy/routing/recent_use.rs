//! What was used recently: keys with a value, by the instant of their latest use, with limits on their age and number. The least
//! recently used is forgotten first.

use super::lru::Lru;
use base::lookup::LookupMap;
use base::math::round_to_span;
use base::{Micros, Span};
use serde::{Deserialize, Serialize};

/// Keys that are forgotten some time after their latest use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RecentUse {
    ttl: Span,
    most: u32,
    order: Lru,
    /// By key: the instant of its latest use, in microseconds.
    used: LookupMap<u64, u64>,
}

impl RecentUse {
    /// Remembers at most `most` keys, each for `ttl_s` seconds.
    pub(super) fn new(ttl_s: f64, most: u32) -> Self {
        let ttl = round_to_span(ttl_s * 1e6);
        Self { ttl, most, order: Lru::default(), used: LookupMap::default() }
    }

    /// Approximate size of a copy in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.order.bytes() + 24 * self.used.len() as u64
    }

    /// The value of `key`, if it was used less than the time ago; look-up does not count as use.
    pub(super) fn get(&self, key: u64, now: Micros) -> Option<u32> {
        let used = self.used.get(key)?;
        if now.0 - used < self.ttl.0 { self.order.get(key) } else { None }
    }

    /// Uses `key` at `now` with this value. Nothing before `now` is used after it.
    pub(super) fn put(&mut self, key: u64, value: u32, now: Micros) {
        self.order.put(key, value);
        self.used.insert(key, now.0);
        while let Some((oldest, _)) = self.order.oldest_mut() {
            let expired = self.used.get(oldest).is_some_and(|used| now.0 - used >= self.ttl.0);
            if !expired && self.order.len() <= self.most as usize {
                return;
            }
            self.order.pop_oldest();
            self.used.remove(oldest);
        }
    }

    /// The same memory with other limits.
    #[must_use]
    pub(super) fn with(mut self, ttl_s: f64, most: u32) -> Self {
        let Self { ttl, most, .. } = Self::new(ttl_s, most);
        (self.ttl, self.most) = (ttl, most);
        while self.order.len() > self.most as usize {
            if let Some((oldest, _)) = self.order.pop_oldest() {
                self.used.remove(oldest);
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_forgotten_with_time_and_above_the_limit() {
        let mut recent = RecentUse::new(1.0, 3);
        let at = |ms: u64| Micros(1000 * ms);
        recent.put(1, 10, at(0));
        recent.put(2, 20, at(500));
        assert_eq!((recent.get(1, at(999)), recent.get(1, at(1000))), (Some(10), None));
        // Used again, it is remembered from then on; the other one is gone after its second.
        recent.put(1, 11, at(900));
        assert_eq!((recent.get(1, at(1899)), recent.get(2, at(1899))), (Some(11), None));
        recent.put(3, 30, at(1000));
        recent.put(4, 40, at(1100));
        // Four within a second are one too many: the second goes.
        assert_eq!((recent.get(2, at(1100)), recent.order.len(), recent.used.len()), (None, 3, 3));
        recent.put(5, 50, at(5000));
        assert_eq!((recent.order.len(), recent.used.len()), (1, 1));
        recent.put(6, 60, at(5000));
        let fewer = recent.with(9.0, 1);
        assert_eq!((fewer.get(5, at(6000)), fewer.get(6, at(6000))), (None, Some(60)));
    }
}
