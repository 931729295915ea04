//! What an autoscaler sees of its pool: counters of replicas read from time to time, and means over the window that ends some time
//! before now.

use super::state::Fleet;
use crate::facts::Present;
use crate::policy::scaling::{Measured, PoolSight};
use crate::replica::Replica;
use crate::request::Book;
use crate::workload::Source;
use base::{Micros, ReplicaId, Span};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Most stretches of the future that an oracle looks at.
const MOST_STRETCHES: u64 = 64;

/// For how long a replica has served that a run begins with, in seconds.
const SETTLED_S: f64 = 3600.0;

/// One replica's gauges and counters at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct ScrapedReplica {
    replica: ReplicaId,
    served_since: Micros,
    /// Whether it has started once at most: its counters are all of this life.
    first_life: bool,
    kv_used: u32,
    running: u32,
    waiting: u32,
    /// All requests that ever came to it.
    came: u64,
    prompt_tokens: u64,
    completed: u64,
    /// Of those, requests that got their last token here.
    finished: u64,
    output_tokens: u64,
    ttft_us: u64,
    itl_us: u64,
    /// Prompt tokens that are not computed yet, of waiting prompts without the recent cached share.
    backlog_tokens: u64,
}

/// All replicas of a pool that serve, at one instant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Scrape {
    at: Micros,
    samples: Vec<ScrapedReplica>,
    held: u32,
    /// Requests at the gateway: held ones and delayed ones.
    at_gateway: u32,
    /// Requests that ever were held for the pool or came to its replicas.
    came: u64,
}

/// The latest measurements of a pool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scrapes(VecDeque<Scrape>);

/// Requests at the gateway that a pool may get.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GatewayQueue {
    /// Those that are held for it.
    pub(crate) held: u32,
    /// Those with all that are delayed.
    pub(crate) all: u32,
}

/// The time that a mean is over.
#[derive(Clone, Copy, Debug)]
struct ScrapeWindow {
    window: Span,
    /// How long before now it ends.
    lag: Span,
}

impl Scrapes {
    /// Forgets what no window reaches back to: one measurement before it stays, from which counters are counted.
    fn forget(&mut self, now: Micros, reach: Span) {
        let old = |s: &Scrape| now.0 - s.at.0 > reach.0;
        while self.0.len() >= 2 && old(&self.0[1]) {
            self.0.pop_front();
        }
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.iter().map(|s| 64 + (s.samples.len() * size_of::<ScrapedReplica>()) as u64).sum()
    }

    /// The means over the window that ends at `now - lag`.
    fn fill(&self, sight: &mut PoolSight, over: ScrapeWindow, block_tokens: u32) {
        let ScrapeWindow { window, lag } = over;
        let end = Micros(sight.now.0.saturating_sub(lag.0));
        let Some(last) = self.0.iter().rposition(|s| s.at <= end) else { return };
        let latest = &self.0[last];
        // Gauges of the window, and counters since the measurement just before it.
        let first =
            self.0.iter().position(|s| end.0 - s.at.0.min(end.0) < window.0).unwrap_or(last).min(last);
        let before = first.saturating_sub(1);
        sight.seen_at = Some(latest.at);
        sight.held = f64::from(latest.held);
        sight.at_gateway = f64::from(latest.at_gateway);
        sight.rate_per_s = rate(latest.came - self.0[before].came, self.0[before].at, latest.at);
        for sample in &latest.samples {
            let of = |s: &Scrape| s.samples.iter().find(|x| x.replica == sample.replica).copied();
            let gauges = self.0.range(first..=last).filter_map(of);
            let since = self.0.range(before..last).find_map(|s| of(s).map(|x| (s.at, x)));
            let since = since.filter(|(_, x)| x.served_since == sample.served_since);
            let mut measured = means(gauges, sight, block_tokens);
            let (since, counted) = since.unwrap_or((sample.served_since, sample.newborn()));
            count(&mut measured, since, counted, sample, latest.at);
            // Replicas that a run begins with have settled long before.
            let before = if sample.served_since == Micros::ZERO { SETTLED_S } else { 0.0 };
            measured.backlog_tokens = sample.backlog_tokens as f64;
            measured.ready_s = before + (latest.at.0 - sample.served_since.0) as f64 / 1e6;
            sight.measured.push(measured);
        }
    }
}

impl ScrapedReplica {
    fn of(r: &Replica) -> Self {
        let t = r.totals();
        // A prefill that is passed on is done here.
        let done = u64::from(t.completed) + u64::from(r.moving.handed_over);
        let gone = done + u64::from(t.dropped) + u64::from(t.refused);
        Self {
            replica: r.id(),
            served_since: r.life.served_since,
            first_life: r.life.starts <= 1,
            kv_used: r.kv().used(),
            running: r.running(),
            waiting: r.waiting() + r.arriving() + r.incoming() + r.landed(),
            came: gone + u64::from(r.in_flight()),
            prompt_tokens: t.prompt_tokens + r.moving.prompt_tokens,
            completed: done,
            finished: t.completed.into(),
            output_tokens: t.output_tokens,
            ttft_us: t.ttft_sum.0.saturating_add(r.moving.ttft_sum),
            itl_us: t.itl_sum.0,
            backlog_tokens: 0,
        }
    }

    /// The same replica when it began to serve, as far as that is known: counters of an earlier life are none of this one's.
    fn newborn(&self) -> Self {
        if !self.first_life {
            return *self;
        }
        let [came, prompt_tokens, completed, finished, output_tokens, ttft_us, itl_us] = [0; 7];
        Self { came, prompt_tokens, completed, finished, output_tokens, ttft_us, itl_us, ..*self }
    }
}

fn rate(count: u64, from: Micros, to: Micros) -> f64 {
    if to > from { count as f64 / ((to.0 - from.0) as f64 / 1e6) } else { 0.0 }
}

fn means(gauges: impl Iterator<Item = ScrapedReplica>, sight: &PoolSight, block_tokens: u32) -> Measured {
    let (mut n, mut kv, mut running, mut waiting) = (0.0_f64, 0.0, 0.0, 0.0);
    for s in gauges {
        n += 1.0;
        kv += f64::from(s.kv_used);
        running += f64::from(s.running);
        waiting += f64::from(s.waiting);
    }
    let kv_tokens = kv / n.max(1.0) * f64::from(block_tokens);
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    Measured {
        kv: share(kv_tokens, sight.kv_capacity_tokens),
        kv_tokens,
        batch: share(running / n.max(1.0), f64::from(sight.max_batch)),
        waiting: waiting / n.max(1.0),
        running: running / n.max(1.0),
        ..Measured::default()
    }
}

/// What the counters say since `since`.
fn count(measured: &mut Measured, since: Micros, before: ScrapedReplica, now: &ScrapedReplica, at: Micros) {
    let came = now.came.saturating_sub(before.came);
    measured.rate_per_s = rate(came, since, at);
    let mean = |sum: u64, n: u64| if n > 0 { sum as f64 / n as f64 } else { 0.0 };
    let done = now.completed - before.completed;
    let tokens = now.output_tokens - before.output_tokens;
    measured.input_tokens = mean(now.prompt_tokens.saturating_sub(before.prompt_tokens), came);
    measured.output_tokens = mean(tokens, done);
    measured.ttft_ms = mean(now.ttft_us - before.ttft_us, done) / 1000.0;
    measured.itl_ms =
        mean(now.itl_us - before.itl_us, tokens.saturating_sub(now.finished - before.finished)) / 1000.0;
}

impl Fleet {
    /// The replicas of a pool that serve, read at `now`.
    fn reading(&self, pool: u32, now: Micros, queue: GatewayQueue) -> Scrape {
        let GatewayQueue { held, all: at_gateway } = queue;
        let of_pool = || self.replicas.iter().filter(|r| r.pool == pool);
        let samples: Vec<ScrapedReplica> =
            of_pool().filter(|r| r.serving()).map(ScrapedReplica::of).collect();
        let came = of_pool().map(|r| ScrapedReplica::of(r).came).sum::<u64>() + u64::from(held);
        let latest = self.scalers.get(pool as usize).and_then(|p| p.scrapes.0.back());
        // What came to replicas that were taken away may count twice for requests sent on; it never goes back.
        let came = came.max(latest.map_or(0, |s| s.came));
        Scrape { at: now, samples, held, at_gateway, came }
    }

    /// Reads the replicas of a pool that serve.
    pub(crate) fn scrape(&mut self, pool: u32, now: Micros, queue: GatewayQueue, book: &Book) {
        let mut reading = self.reading(pool, now, queue);
        for sample in &mut reading.samples {
            sample.backlog_tokens = self.replicas[sample.replica.index()].prefill_backlog(book);
        }
        let p = &mut self.scalers[pool as usize];
        p.scrapes.0.push_back(reading);
        p.scrapes.forget(now, p.window + p.lag);
    }

    /// What would be measured now, without window and lag: since the latest measurement before this instant.
    pub(super) fn present(&self, pool: u32, now: Micros, held: u32) -> Option<Present> {
        let scrapes = &self.scalers.get(pool as usize)?.scrapes.0;
        let before = scrapes.iter().rev().find(|s| s.at < now)?.clone();
        let mut sight = PoolSight { now, ..PoolSight::default() };
        Scrapes(VecDeque::from([before, self.reading(pool, now, GatewayQueue { held, all: held })])).fill(
            &mut sight,
            ScrapeWindow { window: Span::ZERO, lag: Span::ZERO },
            1,
        );
        let (ttft_ms, itl_ms) = (sight.mean_by_rate(|r| r.ttft_ms), sight.mean_by_rate(|r| r.itl_ms));
        Some(Present { rate_per_s: sight.rate_per_s, ttft_ms, itl_ms })
    }

    /// A pool as its autoscaler sees it now.
    pub(super) fn sight(&self, pool: u32, now: Micros, source: &Source) -> PoolSight {
        let b = &self.pools[pool as usize];
        let counts = self.pool_counts(pool);
        let mut sight = PoolSight {
            now,
            ready: counts.serving,
            pending: counts.starting + counts.unplaced,
            draining: counts.draining,
            kv_capacity_tokens: f64::from(b.resolved.blocks.0) * f64::from(b.block_tokens),
            max_batch: b.limits.max_num_seqs,
            usd_per_hour: b.resolved.usd_per_hour,
            peak_prefill_tokens_per_s: b.resolved.peak_prefill_tokens_per_s(),
            ..PoolSight::default()
        };
        let Some(p) = self.scalers.get(pool as usize) else { return sight };
        if let Some(ahead) = p.ahead {
            sight.future_per_s = busiest(source, now, ahead + p.tick, p.tick) * self.share_of_each_pool();
        }
        p.scrapes.fill(&mut sight, ScrapeWindow { window: p.window, lag: p.lag }, b.block_tokens);
        if let Some(at) = sight.seen_at {
            sight.finished = p.finishes.within(at, p.window, &self.objectives);
        }
        sight
    }
}

/// The highest rate of requests in any stretch as long as a tick from now on: who goes away now is missing until then, and who
/// is asked for now serves by then.
fn busiest(source: &Source, now: Micros, reach: Span, tick: Span) -> f64 {
    let stretches = (reach.0 / tick.0.max(1)).clamp(1, MOST_STRETCHES);
    let length = reach.0 / stretches;
    let rate = |k: u64| {
        let from = now.saturating_add(Span(k * length));
        source.expected(from, from.saturating_add(Span(length)))
    };
    (0..stretches).map(rate).fold(0.0, f64::max)
}
