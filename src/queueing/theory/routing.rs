//! Several servers with a queue each, and a router.

use super::super::trouble::Trouble;
use super::{power, stable};
use base::math::pow;

/// Most terms of a series, and most rounds of an iteration.
const MOST: u32 = 1_000_000;
/// Terms below this share of the sum end it.
const NEGLIGIBLE: f64 = 1e-17;
/// Most states of a chain.
const MOST_STATES: usize = 200_000;

/// Each request joins the shortest of d queues drawn at random.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerOfD {
    /// Mean time in the system.
    pub time: f64,
    /// Fractions of the queues with at least 1, 2, 3, ... requests.
    pub tail: Vec<f64>,
}

/// The power of d choices for infinitely many servers, with `terms` fractions of the tail. Needs Poisson arrivals,
/// exponential service, fresh queue lengths; with a finite number n of servers it is slower by a share of order 1/n.
pub fn power_of_d(d: u32, rho: f64, terms: usize) -> Result<PowerOfD, Trouble> {
    stable(rho)?;
    if d == 0 {
        return Err(Trouble::input("the number of choices", 0.0, "at least 1"));
    }
    // The exponents (d^i - 1) / (d - 1) are 1, d + 1, d (d + 1) + 1, ...; the time sums rho to the exponents less 1.
    let (mut time, mut exponent) = (0.0, 1.0_f64);
    // With one choice the series ends.
    let rounds = if d == 1 { 0 } else { MOST };
    for _ in 0..rounds {
        let term = pow(rho, exponent - 1.0);
        time += term;
        if term <= NEGLIGIBLE * time {
            break;
        }
        exponent = f64::from(d) * exponent + 1.0;
    }
    let mut tail = Vec::with_capacity(terms);
    let mut exponent = 1.0;
    for _ in 0..terms {
        tail.push(pow(rho, exponent));
        exponent = f64::from(d) * exponent + 1.0;
    }
    let time = if d == 1 { 1.0 / (1.0 - rho) } else { time };
    Ok(PowerOfD { time, tail })
}

/// Requests are sent to the servers in turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundRobin {
    /// Probability that an arrival finds its server busy.
    pub sigma: f64,
    /// Mean time in the system.
    pub time: f64,
}

/// Round robin over `servers`: each sees Erlang arrivals, and sigma is the root of its transform. Needs Poisson arrivals and
/// exponential service.
pub fn round_robin(servers: u32, rho: f64) -> Result<RoundRobin, Trouble> {
    stable(rho)?;
    if servers == 0 {
        return Err(Trouble::input("the number of servers", 0.0, "at least 1"));
    }
    let offered = f64::from(servers) * rho;
    let transform = |sigma: f64| power(offered / (offered + 1.0 - sigma), u64::from(servers));
    // Below the root the transform is above the diagonal, and between the root and 1 below it.
    let (mut low, mut high) = (0.0, 1.0 - 1e-12);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if transform(middle) > middle {
            low = middle;
        } else {
            high = middle;
        }
    }
    let sigma = f64::midpoint(low, high);
    Ok(RoundRobin { sigma, time: 1.0 / (1.0 - sigma) })
}

/// Each request joins the shortest queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShortestQueue {
    /// Requests in all queues.
    pub number: f64,
    /// Mean time in the system.
    pub time: f64,
    /// Share of the arrivals lost to the limit of the queues: the error is of this order.
    pub lost: f64,
}

/// Joining the shortest of `servers` queues of at most `places` each, by solving the chain of their sorted lengths. Needs Poisson
/// arrivals, exponential service and fresh queue lengths.
pub fn shortest_queue(servers: usize, rho: f64, places: u32) -> Result<ShortestQueue, Trouble> {
    stable(rho)?;
    let chain = SortedQueues::new(servers, places)?;
    Ok(chain.solve(rho))
}

/// All sorted lengths of some queues, shortest first, with the moves between them.
struct SortedQueues {
    servers: usize,
    totals: Vec<u32>,
    /// The next state after an arrival; the state itself if every queue is full.
    arrival: Vec<u32>,
    /// The next states after departures, each with its number of servers.
    departures: Vec<Vec<(u32, f64)>>,
}

impl SortedQueues {
    fn new(servers: usize, places: u32) -> Result<Self, Trouble> {
        let mut count = 1_usize;
        for k in 1..=servers {
            count = count.saturating_mul(places as usize + k) / k;
        }
        if servers == 0 || servers > 8 || places == 0 || count > MOST_STATES {
            let allowed = "1 to 8 servers with at most 200000 states of their queues";
            return Err(Trouble::input("the number of states", count as f64, allowed));
        }
        let mut states = Vec::with_capacity(count);
        sorted(&mut vec![0; servers], 0, places, &mut states);
        // By total, then by lengths: the order of a sweep.
        states.sort_by_key(|s: &Vec<u32>| (s.iter().sum::<u32>(), s.clone()));
        let position = |s: &Vec<u32>| {
            let key = (s.iter().sum::<u32>(), s.clone());
            let found = states.binary_search_by_key(&key, |s| (s.iter().sum(), s.clone()));
            found.expect("every sorted list of lengths is a state") as u32
        };
        let (mut arrival, mut departures) = (Vec::new(), Vec::new());
        for (k, s) in states.iter().enumerate() {
            let mut next = s.clone();
            next[0] += 1;
            next.sort_unstable();
            arrival.push(if s[0] < places { position(&next) } else { k as u32 });
            let mut leave: Vec<(u32, f64)> = Vec::new();
            for (i, n) in s.iter().enumerate().filter(|(_, n)| **n > 0) {
                let mut next = s.clone();
                next[i] = n - 1;
                next.sort_unstable();
                let to = position(&next);
                match leave.iter_mut().find(|(other, _)| *other == to) {
                    Some((_, many)) => *many += 1.0,
                    None => leave.push((to, 1.0)),
                }
            }
            departures.push(leave);
        }
        let totals = states.iter().map(|s| s.iter().sum()).collect();
        Ok(Self { servers, totals, arrival, departures })
    }

    /// Sweeps over the balance equations, up and down, until nothing changes.
    fn solve(&self, rho: f64) -> ShortestQueue {
        let rate = rho * self.servers as f64;
        let states = self.totals.len();
        let mut into: Vec<Vec<(u32, f64)>> = vec![Vec::new(); states];
        let mut out = vec![0.0; states];
        for from in 0..states {
            if self.arrival[from] as usize != from {
                into[self.arrival[from] as usize].push((from as u32, rate));
                out[from] += rate;
            }
            for &(to, many) in &self.departures[from] {
                into[to as usize].push((from as u32, many));
                out[from] += many;
            }
        }
        let mut p: Vec<f64> = self.totals.iter().map(|n| pow(rho, f64::from(*n))).collect();
        for _ in 0..20_000 {
            let mut moved = 0.0_f64;
            for k in (0..states).chain((0..states).rev()) {
                let flow: f64 = into[k].iter().map(|(from, rate)| p[*from as usize] * rate).sum();
                let new = flow / out[k];
                moved = moved.max((new - p[k]).abs() / new.max(f64::MIN_POSITIVE));
                p[k] = new;
            }
            self.match_levels(rate, &mut p);
            if moved < 1e-14 {
                break;
            }
        }
        let total: f64 = p.iter().sum();
        let number = p.iter().zip(&self.totals).map(|(p, n)| p * f64::from(*n)).sum::<f64>() / total;
        let full = self.arrival.iter().enumerate().filter(|(k, to)| *k == **to as usize);
        let lost: f64 = full.map(|(k, _)| p[k]).sum::<f64>() / total;
        ShortestQueue { number, time: number / (rate * (1.0 - lost)), lost }
    }

    /// The flows between totals n and n + 1 balance: each level is scaled to that, as sweeps alone converge slowly.
    fn match_levels(&self, rate: f64, p: &mut [f64]) {
        let mut from = 0;
        let (mut up, mut scale) = (0.0, 1.0);
        while from < p.len() {
            let total = self.totals[from];
            let to = from + self.totals[from..].iter().take_while(|n| **n == total).count();
            let down: f64 =
                (from..to).map(|k| p[k] * self.departures[k].iter().map(|(_, many)| many).sum::<f64>()).sum();
            if total > 0 && down > 0.0 {
                scale = up / down;
            }
            up = 0.0;
            for (k, p) in p.iter_mut().enumerate().take(to).skip(from) {
                *p *= scale;
                if self.arrival[k] as usize != k {
                    up += *p * rate;
                }
            }
            from = to;
        }
    }
}

/// All non-decreasing lists of lengths up to `most`.
fn sorted(lengths: &mut Vec<u32>, at: usize, most: u32, out: &mut Vec<Vec<u32>>) {
    if at == lengths.len() {
        out.push(lengths.clone());
        return;
    }
    let least = if at == 0 { 0 } else { lengths[at - 1] };
    for n in least..=most {
        lengths[at] = n;
        sorted(lengths, at + 1, most, out);
    }
}
