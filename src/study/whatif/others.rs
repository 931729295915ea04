//! The effect of a rerouted request on all others: the differences of the same requests in two runs.

use base::small::sort::sort_pairs;
use base::{Maybe, RequestId};
use engine::{Cluster, Record, Records};
use serde::Serialize;

/// Gains and losses of all other requests.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Others {
    /// Requests that are in both runs, whatever their outcome.
    pub requests: u64,
    /// Requests that finished in only one of the two.
    pub finished_in_one: u64,
    /// Their TTFT.
    pub ttft: OthersTime,
    /// Their E2E.
    pub e2e: OthersTime,
}

/// The differences of one time of the others, in milliseconds: alternative minus actual.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OthersTime {
    /// Requests that have the time in both runs.
    pub compared: u64,
    /// Requests faster there, by any microsecond.
    pub gained: u64,
    /// Requests slower there.
    pub lost: u64,
    /// Sum of all differences.
    pub sum_ms: f64,
    /// Their mean.
    pub mean_ms: f64,
    /// The 99th percentile of the differences by nearest rank: the largest losses.
    pub p99_ms: f64,
    /// The largest difference.
    pub most_ms: f64,
    /// The smallest: the largest gains.
    pub least_ms: f64,
}

/// One request, by its number in both runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) a: usize,
    pub(super) b: usize,
}

/// The requests of two runs that share everything up to an instant. Rounds of conversations that wait for their
/// answers can arrive in another order if answers come at other times: they are identified by client, conversation
/// and place in it.
pub(super) fn pairs_of(a: &Cluster, b: &Cluster) -> Vec<Pair> {
    let key = |r: &Record| (u64::from(r.client) << 32) | u64::from(r.session);
    let same = |(x, y): &(Record, Record)| x.arrival == y.arrival && key(x) == key(y);
    let (records_a, records_b) = (a.records(), b.records());
    let alike = records_a.iter().zip(records_b).take_while(same).count();
    let mut pairs: Vec<Pair> = (0..alike).map(|i| Pair { a: i, b: i }).collect();
    if alike == records_a.len().min(records_b.len()) {
        return pairs;
    }
    // Both have equally many earlier rounds of a conversation, so the rest pairs in order.
    let rest = |all: &Records| {
        let mut keys: Vec<(u64, u64)> = all.iter().map(|r| key(&r)).zip(0_u64..).skip(alike).collect();
        sort_pairs(&mut keys);
        let mut places: Vec<((u64, u32), usize)> = Vec::with_capacity(keys.len());
        for (key, i) in keys {
            let before = places.last().filter(|((k, _), _)| *k == key).map_or(0, |((_, n), _)| n + 1);
            places.push(((key, before), i as usize));
        }
        places
    };
    let (of_a, of_b) = (rest(records_a), rest(records_b));
    let mut further = of_b.iter().peekable();
    for &(place, i) in &of_a {
        while further.next_if(|(other, _)| *other < place).is_some() {}
        if let Some(&(_, j)) = further.next_if(|(other, _)| *other == place) {
            pairs.push(Pair { a: i, b: j });
        }
    }
    pairs
}

impl Others {
    /// Compares all pairs except that of `id`, by its number in `a`.
    pub(super) fn of(a: &Cluster, b: &Cluster, pairs: &[Pair], id: RequestId) -> Self {
        let (records_a, records_b) = (a.records(), b.records());
        let mut others = Self::default();
        let mut differences = [Vec::new(), Vec::new()];
        for pair in pairs.iter().filter(|pair| pair.a != id.index()) {
            let (x, y) = (records_a.at(pair.a), records_b.at(pair.b));
            others.requests += 1;
            others.finished_in_one += u64::from(x.e2e.is_known() != y.e2e.is_known());
            for (of, times) in differences.iter_mut().zip([[x.ttft, y.ttft], [x.e2e, y.e2e]]) {
                let [was, is] = times.map(Maybe::get);
                of.extend(is.zip(was).map(|(is, was)| is.0 as i64 - was.0 as i64));
            }
        }
        [others.ttft, others.e2e] = differences.map(OthersTime::of);
        others
    }
}

impl OthersTime {
    /// The summary of differences in microseconds.
    fn of(differences: Vec<i64>) -> Self {
        /// Added to a difference so that it sorts as a whole number.
        const ZERO: u64 = 1 << 60;
        let sortable = |us: i64| (ZERO.wrapping_add_signed(us), 0);
        let mut sorted: Vec<(u64, u64)> = differences.into_iter().map(sortable).collect();
        sort_pairs(&mut sorted);
        let us = |i: usize| sorted[i].0 as i64 - ZERO as i64;
        let n = sorted.len();
        if n == 0 {
            return Self::default();
        }
        let ms = |us: i64| us as f64 / 1000.0;
        let sum: i64 = (0..n).map(us).sum();
        Self {
            compared: n as u64,
            gained: (0..n).filter(|&i| us(i) < 0).count() as u64,
            lost: (0..n).filter(|&i| us(i) > 0).count() as u64,
            sum_ms: ms(sum),
            mean_ms: ms(sum) / n as f64,
            p99_ms: ms(us((n * 99).div_ceil(100) - 1)),
            most_ms: ms(us(n - 1)),
            least_ms: ms(us(0)),
        }
    }
}
