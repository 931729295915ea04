//! Session affinity: all requests of a session are sent to one replica.
//!
//! `sticky` remembers the replica of a session, as long as that replica takes requests; a new session, or one whose
//! replica was removed, is sent to the least loaded replica. The number of remembered sessions is bounded, the least
//! recently used forgotten first. `consistent-hash` remembers nothing: every replica draws a number from (session,
//! replica) and the highest wins (rendezvous hashing; Thaler and Ravishankar 1998), so that a removed replica moves
//! only its own sessions, and an added one takes its share evenly. The draws are well mixed, so only chance makes
//! shares uneven: of S sessions a replica of N gets S/N, give or take sqrt(S/N). A request without a session counts
//! as its own session. A session that uses several models has a home for each.

use super::least_loaded::least_loaded;
use super::lru::Lru;
use super::{Choice, Fleet, Router, Scores};
use crate::policy::RequestView;
use document::{SessionAffinity as Settings, SessionMode};
use serde::{Deserialize, Serialize};

/// One replica for each session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionAffinity {
    mode: SessionMode,
    max_sessions: u32,
    /// The replica of each session.
    homes: Lru,
}

/// Families of hashes: sessions, and requests without one.
const SESSION: u64 = 1 << 40;
const REQUEST: u64 = 2 << 40;

impl SessionAffinity {
    pub(super) fn new(s: &Settings) -> Self {
        Self { mode: s.mode, max_sessions: s.max_sessions, homes: Lru::default() }
    }

    /// Continues with the sessions of `before`, as many as fit.
    pub(super) fn resume(&mut self, before: Self) {
        self.homes = before.homes;
        while self.homes.len() > self.max_sessions as usize {
            self.homes.pop_oldest();
        }
    }

    fn sticky(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>) -> usize {
        if request.session == 0 {
            return least_loaded(fleet);
        }
        let session = u64::from(request.model) << 32 | u64::from(request.session);
        let home = self.homes.get(session);
        let there = home.and_then(|home| fleet.replicas.iter().position(|v| v.id.0 == home));
        let position = there.unwrap_or_else(|| least_loaded(fleet));
        let new = self.homes.put(session, fleet.replicas[position].id.0);
        if new && self.homes.len() > self.max_sessions as usize {
            self.homes.pop_oldest();
        }
        position
    }
}

/// The position of the highest number drawn from (session, replica).
fn by_hash(request: &RequestView<'_>, fleet: &Fleet<'_>) -> usize {
    let key = if request.session > 0 {
        SESSION | u64::from(request.session)
    } else {
        REQUEST | u64::from(request.id.0)
    };
    let seed = scatter(key);
    let draw = |position: &usize| drawn(seed, fleet.replicas[*position].id.0);
    (0..fleet.replicas.len()).max_by_key(draw).expect("INV-2: there is a replica")
}

/// The number that a replica draws for a session with the number `seed`. Different replicas draw different numbers:
/// every step is invertible.
fn drawn(seed: u64, replica: u32) -> u64 {
    scatter(seed ^ scatter(!u64::from(replica)))
}

/// A permutation of the 64-bit numbers in which every bit of the result depends on every bit of `x`: the finaliser of
/// `SplitMix64` (Steele, Lea and Flood 2014) after a step of its sequence, without which 0 would stay 0.
fn scatter(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Router for SessionAffinity {
    fn pick(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, _: &mut Scores) -> Choice {
        Ok(match self.mode {
            SessionMode::Sticky => self.sticky(request, fleet),
            SessionMode::ConsistentHash => by_hash(request, fleet),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the sessions 1 to `sessions` each of `replicas` replicas gets.
    fn shares(replicas: u32, sessions: u64) -> Vec<u32> {
        let own: Vec<u64> = (0..replicas).map(|r| scatter(!u64::from(r))).collect();
        let mut shares = vec![0; replicas as usize];
        for session in 1..=sessions {
            let seed = scatter(SESSION | session);
            let best = (0..own.len()).max_by_key(|&r| scatter(seed ^ own[r])).expect("a replica");
            shares[best] += 1;
        }
        shares
    }

    /// Pearson's chi squared over its degrees of freedom: 1 for draws at random, with a standard deviation of
    /// sqrt(2 / (N - 1)).
    fn unevenness(shares: &[u32]) -> f64 {
        let expected = shares.iter().map(|&n| f64::from(n)).sum::<f64>() / shares.len() as f64;
        let sum: f64 = shares.iter().map(|&n| (f64::from(n) - expected) * (f64::from(n) - expected)).sum();
        sum / expected / (shares.len() - 1) as f64
    }

    #[test]
    fn hashed_sessions_are_spread_as_evenly_as_chance_allows_over_any_number_of_replicas() {
        for (replicas, sessions) in [
            (2, 200_000),
            (3, 200_000),
            (7, 200_000),
            (10, 200_000),
            (64, 100_000),
            (100, 200_000),
            (1024, 20_000),
        ] {
            let shares = shares(replicas, sessions);
            let (found, noise) = (unevenness(&shares), (2.0 / f64::from(replicas - 1)).sqrt());
            assert!((found - 1.0).abs() < 4.0 * noise, "{replicas} replicas: {found}");
        }
    }

    #[test]
    fn hashed_sessions_are_within_five_per_cent_of_even_on_a_hundred_replicas() {
        // 10,000 sessions each, give or take 100: five per cent are five standard deviations.
        let shares = shares(100, 1_000_000);
        assert!(shares.iter().all(|n| (9_500..=10_500).contains(n)), "{shares:?}");
    }

    #[test]
    fn a_replica_more_takes_its_share_of_the_hashed_sessions_and_moves_no_others() {
        for replicas in [1, 2, 9, 63, 99, 255] {
            let sessions = 40_000;
            let home = |replicas: u32, session: u64| {
                let seed = scatter(SESSION | session);
                (0..replicas).max_by_key(|&r| drawn(seed, r)).expect("a replica")
            };
            let mut moved = 0;
            for session in 1..=sessions {
                let (before, after) = (home(replicas, session), home(replicas + 1, session));
                assert!(after == before || after == replicas, "{session} went from {before} to {after}");
                moved += u32::from(after == replicas);
            }
            let expected = sessions as f64 / f64::from(replicas + 1);
            assert!((f64::from(moved) - expected).abs() < 4.0 * expected.sqrt(), "{replicas}: {moved}");
        }
    }
}
