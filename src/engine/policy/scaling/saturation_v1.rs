//! The first saturation analyser of llm-d's variant autoscaler: it adds a replica if the replicas that are not full
//! have little space left, and removes one if the others could take its load.

use super::Rule;
use serde::{Deserialize, Serialize};

/// Thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SaturationSettings {
    /// A replica with this share of its KV cache in use is full,
    pub kv: f64,
    /// and so is one with this number of requests in its queue.
    pub queue: f64,
    /// Below this mean free share of the caches there are too few replicas,
    pub kv_spare: f64,
    /// and also below this mean free space in the queues.
    pub queue_spare: f64,
}

impl Default for SaturationSettings {
    fn default() -> Self {
        Self { kv: 0.8, queue: 5.0, kv_spare: 0.1, queue_spare: 3.0 }
    }
}

/// A replica as measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplicaLoad {
    /// Share of its KV cache in use.
    pub kv: f64,
    /// Requests in its queue.
    pub queue: f64,
}

/// The result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saturation {
    /// Replicas that are not full.
    pub free: u32,
    /// Their mean free share of the cache.
    pub kv_spare: f64,
    /// Their mean free space in the queue.
    pub queue_spare: f64,
    /// There are too few replicas.
    pub up: bool,
    /// The load could be carried with one replica fewer.
    pub down_is_safe: bool,
}

impl Saturation {
    /// The change in replicas, and its rule.
    pub fn change(&self) -> (i32, Rule) {
        if self.up {
            (1, Rule::AboveThreshold)
        } else if self.down_is_safe {
            (-1, Rule::BelowThreshold)
        } else {
            (0, Rule::Hold)
        }
    }
}

/// Analyses all replicas of a model.
pub fn analyze(settings: &SaturationSettings, replicas: &[ReplicaLoad]) -> Saturation {
    let free: Vec<&ReplicaLoad> =
        replicas.iter().filter(|r| r.kv < settings.kv && r.queue < settings.queue).collect();
    let many = free.len() as f64;
    let mean = |value: fn(&ReplicaLoad) -> f64| free.iter().map(|r| value(r)).sum::<f64>() / many;
    let (kv_spare, queue_spare) = if free.is_empty() {
        (0.0, 0.0)
    } else {
        let room = |value: fn(&ReplicaLoad) -> f64, limit: f64| {
            free.iter().map(|r| limit - value(r)).sum::<f64>() / many
        };
        (room(|r| r.kv, settings.kv), room(|r| r.queue, settings.queue))
    };
    let up = kv_spare < settings.kv_spare || queue_spare < settings.queue_spare;
    // The load of one replica is divided among the others.
    let down_is_safe = free.len() >= 2 && {
        let factor = many / (many - 1.0);
        settings.kv - mean(|r| r.kv) * factor >= settings.kv_spare
            && settings.queue - mean(|r| r.queue) * factor >= settings.queue_spare
    };
    Saturation { free: free.len() as u32, kv_spare, queue_spare, up, down_is_safe }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(all: &[(f64, f64)]) -> Saturation {
        let replicas: Vec<ReplicaLoad> = all.iter().map(|&(kv, queue)| ReplicaLoad { kv, queue }).collect();
        analyze(&SaturationSettings::default(), &replicas)
    }

    #[test]
    fn all_full_or_none_at_all_asks_for_one_more() {
        assert_eq!(of(&[(0.85, 9.0), (0.85, 9.0)]).change(), (1, Rule::AboveThreshold));
        assert_eq!(of(&[]).change().0, 1);
    }

    #[test]
    fn one_goes_where_the_others_can_take_its_load() {
        assert_eq!(of(&[(0.2, 0.0); 3]).change(), (-1, Rule::BelowThreshold));
        assert_eq!(of(&[(0.5, 0.0); 2]).change(), (0, Rule::Hold));
    }
}
