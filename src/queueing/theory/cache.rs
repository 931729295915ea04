//! The hit rate of a cache that evicts the least recently used item.

use super::super::trouble::{Trouble, at_least};
use base::math::exp;

/// Hit rates of a cache.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheHits {
    /// Share of all requests.
    pub overall: f64,
    /// Share of the requests for each item.
    pub each: Vec<f64>,
    /// Number of requests after which an item without a request is evicted.
    pub characteristic: f64,
}

/// The hit rate of a cache of `places` items, with least recently used eviction, for items of these weights (Che's
/// approximation), where every request also adds `passing` items that are never requested again, like the unique text
/// of prompts. Needs independent requests; for small caches the approximation is some per cent off.
pub fn lru_hits(weights: &[f64], passing: f64, places: usize) -> Result<CacheHits, Trouble> {
    at_least("what passes through", passing, 0.0, "at least 0 items a request")?;
    for w in weights {
        at_least("a weight", *w, 0.0, "at least 0")?;
    }
    let total: f64 = weights.iter().sum();
    if !(total.is_finite() && total > 0.0) {
        return Err(Trouble::input("the sum of the weights", total, "above 0"));
    }
    let share: Vec<f64> = weights.iter().map(|w| w / total).collect();
    let asked = share.iter().filter(|p| **p > 0.0).count();
    if passing <= 0.0 && places >= asked {
        let each = share.iter().map(|p| if *p > 0.0 { 1.0 } else { 0.0 }).collect();
        return Ok(CacheHits { overall: 1.0, each, characteristic: f64::MAX });
    }
    // The time in which as many different items are requested as there are places.
    let different = |t: f64| passing * t + share.iter().map(|p| 1.0 - exp(-p * t)).sum::<f64>();
    let (mut low, mut high) = (0.0, 1.0);
    while different(high) < places as f64 && high < 1e300 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if different(middle) < places as f64 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let each: Vec<f64> = share.iter().map(|p| 1.0 - exp(-p * low)).collect();
    let overall = share.iter().zip(&each).map(|(p, h)| p * h).sum();
    Ok(CacheHits { overall, each, characteristic: low })
}
