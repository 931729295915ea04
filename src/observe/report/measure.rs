//! The measurement window of a run: which requests count, and their sums.

use super::groups::{Ended, Groups, met_share};
use super::{
    ClassPart, KvPart, LatencyPart, Recorder, SloPart, SlowRequest, ThroughputPart, in_ms, known_share,
    kv_blocks, share,
};
use crate::base::{Maybe, Micros, RequestId, Span};
use crate::engine::{Cluster, Record, RecordColumn, Replica};
use crate::observe::meters::Reading;
use crate::observe::segments::{parts, segments};
use crate::scenario::Scenario;
use crate::stats::{Ranked, Summary, upper_percentile};

/// How many of the slowest requests are named.
const SLOWEST: usize = 10;

/// Sums over requests.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    arrived: u32,
    finished: u32,
    unserved: u32,
    met: u32,
    met_ttft: u32,
    met_tpot: u32,
    met_e2e: u32,
    /// Prompt tokens of requests that got their first token.
    prompt_tokens: u64,
    scheduled: u32,
    hit: u32,
    scheduled_tokens: u64,
    reused_tokens: u64,
}

/// The measurement window of a run: from the end of the warm-up to the latest event.
pub(super) struct MeasurementWindow<'a> {
    engine: &'a Cluster,
    recorder: &'a Recorder,
    readings: Vec<Reading>,
    finished_by_replica: Vec<u32>,
    sums: Sums,
    ttft: Figures,
    tpot: Figures,
    e2e: Figures,
    queue_wait: Figures,
    scheduling_delay: Figures,
    slowest: Vec<u32>,
}

/// What requests are grouped by.
#[derive(Clone, Copy)]
pub(super) enum By {
    Replica,
    Pool,
    Class,
    Tenant,
    Client,
}

const GROUPINGS: [By; 5] = [By::Replica, By::Pool, By::Class, By::Tenant, By::Client];

impl By {
    /// The group of each request; a number beyond all groups for none.
    fn of_all(self, engine: &Cluster) -> Vec<u32> {
        let column = match self {
            By::Replica | By::Pool => RecordColumn::Replica,
            By::Class => RecordColumn::Class,
            By::Tenant => RecordColumn::Tenant,
            By::Client => RecordColumn::Client,
        };
        let mut of = engine.records().column(column);
        if column == RecordColumn::Replica {
            for group in &mut of {
                let replica = group.wrapping_sub(1);
                let pool = || engine.replicas().get(replica as usize).map_or(u32::MAX, Replica::pool);
                *group = if matches!(self, By::Pool) { pool() } else { replica };
            }
        }
        of
    }

    /// How many groups there are.
    fn count(self, engine: &Cluster, pools: usize) -> usize {
        match self {
            By::Replica => engine.replicas().len(),
            By::Pool => pools,
            By::Class => engine.source().classes().len(),
            By::Tenant => engine.source().tenants().len(),
            By::Client => engine.source().clients().len(),
        }
    }
}

/// A latency: of all requests, and of each group of them.
#[derive(Default)]
struct Figures {
    all: Summary,
    by: [Vec<Summary>; GROUPINGS.len()],
}

impl Figures {
    /// Computes them, one grouping after the other: their lists are as long as the run.
    fn new(ranked: &Ranked, engine: &Cluster, pools: usize) -> Self {
        let by = GROUPINGS.map(|by| ranked.by_group(by.count(engine, pools), &by.of_all(engine)));
        Self { all: ranked.summary(), by }
    }
}

/// The mean gap between the tokens of a finished request with at least two.
pub(crate) fn tpot_us(r: &Record) -> Option<u64> {
    let (ttft, e2e) = (r.ttft.get()?, r.e2e.get()?);
    (r.output_tokens > 1).then(|| (e2e.0 - ttft.0) / u64::from(r.output_tokens - 1))
}

/// A latency of each request that counts, with the number of the request.
fn measured<'a>(
    engine: &'a Cluster,
    recorder: &'a Recorder,
    value: fn(&Record) -> Option<u64>,
) -> impl Iterator<Item = (u64, u32)> + 'a {
    let all = (0..).zip(engine.records());
    let counted = all.filter(|(i, r)| recorder.warmup().counts(RequestId(*i), r.arrival));
    counted.filter_map(move |(i, r)| value(&r).map(|v| (v, i)))
}

fn ttft_us(r: &Record) -> Option<u64> {
    r.ttft.get().map(|ttft| ttft.0)
}

fn e2e_us(r: &Record) -> Option<u64> {
    r.e2e.get().map(|e2e| e2e.0)
}

/// The 99th percentiles of TTFT and E2E in milliseconds, as in a report, without computing the rest of it.
pub(crate) fn p99s_ms(engine: &Cluster, recorder: &Recorder) -> [Option<f64>; 2] {
    // One after the other, so that there is one list at a time.
    [ttft_us, e2e_us].map(|value| {
        let mut values: Vec<(u64, u64)> =
            measured(engine, recorder, value).map(|(v, i)| (v, u64::from(i))).collect();
        upper_percentile(&mut values, 99.0).map(|us| us / 1000.0)
    })
}

/// Each replica in the measurement window, up to the latest event: edits after that change nothing.
fn readings(engine: &Cluster, recorder: &Recorder) -> Vec<Reading> {
    let all = recorder.meters.read(engine.last_event_at());
    if recorder.warmup().is_over() { all } else { vec![Reading::default(); all.len()] }
}

impl<'a> MeasurementWindow<'a> {
    pub(super) fn new(scenario: &Scenario, engine: &'a Cluster, recorder: &'a Recorder) -> Self {
        let warmup = recorder.warmup();
        let pools = scenario.cluster.pools.len();
        let ranked = |value| Ranked::new(engine.records().len(), measured(engine, recorder, value));
        // One latency after the other, so that only one of them is sorted at a time.
        let figures = |value| Figures::new(&ranked(value), engine, pools);
        let (e2e, slowest) = {
            let e2e = ranked(e2e_us);
            (Figures::new(&e2e, engine, pools), e2e.last(SLOWEST).collect())
        };
        let mut m = Self {
            engine,
            recorder,
            readings: readings(engine, recorder),
            finished_by_replica: vec![0; engine.replicas().len()],
            sums: Sums::default(),
            ttft: figures(ttft_us),
            tpot: figures(tpot_us),
            e2e,
            queue_wait: figures(|r| Some(r.first_scheduled.get()?.since(r.queued.get()?).0)),
            scheduling_delay: Figures {
                all: ranked(|r| Some(r.first_scheduled.get()?.since(r.arrival).0)).summary(),
                ..Figures::default()
            },
            slowest,
        };
        for (i, r) in (0..).zip(engine.records()) {
            if warmup.counts(RequestId(i), r.arrival) {
                m.sums.arrived += 1;
                if r.first_scheduled.is_known() {
                    let reused = r.cached_tokens.min(r.prompt_tokens);
                    m.sums.scheduled += 1;
                    m.sums.hit += u32::from(reused > 0);
                    m.sums.scheduled_tokens += u64::from(r.prompt_tokens);
                    m.sums.reused_tokens += u64::from(reused);
                }
            }
            if r.ttft.get().is_some_and(|ttft| r.arrival + ttft >= m.from()) {
                m.sums.prompt_tokens += u64::from(r.prompt_tokens);
            }
            let ended = m.ended(RequestId(i), &r);
            m.sums.unserved += u32::from(matches!(ended, Some(Ended::Unserved)));
            if let (Some(Ended::Finished(met)), Some(replica)) = (ended, r.replica()) {
                m.sums.finished += 1;
                m.finished_by_replica[replica.index()] += 1;
                m.sums.met += u32::from(met.all());
                m.sums.met_ttft += u32::from(met.ttft());
                m.sums.met_tpot += u32::from(met.tpot());
                m.sums.met_e2e += u32::from(met.e2e());
            }
        }
        m
    }

    pub(super) fn engine(&self) -> &'a Cluster {
        self.engine
    }

    /// Whether it has begun.
    pub(super) fn has_begun(&self) -> bool {
        self.recorder.warmup().is_over()
    }

    /// Where it begins; at the latest event if it has not begun.
    pub(super) fn from(&self) -> Micros {
        if self.has_begun() { self.recorder.warmup().from() } else { self.engine.last_event_at() }
    }

    /// Requests that arrived in it.
    pub(super) fn arrived(&self) -> u32 {
        self.sums.arrived
    }

    /// Requests that finished in it.
    pub(super) fn finished_requests(&self) -> u32 {
        self.sums.finished
    }

    /// Output tokens shown in it.
    pub(super) fn output_tokens(&self) -> u64 {
        self.recorder.tokens
    }

    /// Prompt tokens of requests that got their first token in it.
    pub(super) fn prompt_tokens(&self) -> u64 {
        self.sums.prompt_tokens
    }

    /// Its length in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.engine.last_event_at().0.saturating_sub(self.from().0) as f64 / 1e6
    }

    /// Each replica in it.
    pub(super) fn readings(&self) -> &[Reading] {
        &self.readings
    }

    /// What a replica cost in it, in US dollars.
    pub(super) fn usd_of(&self, r: &Replica) -> Option<f64> {
        let end = self.engine.last_event_at();
        if self.has_begun() {
            self.recorder.meters.usd(r.id().index(), end, r.usd_per_hour())
        } else {
            r.usd_per_hour().map(|_| 0.0)
        }
    }

    /// By replica: requests that finished in it.
    pub(super) fn finished_by_replica(&self) -> &[u32] {
        &self.finished_by_replica
    }

    /// How a request ended, if it ended in the window.
    fn ended(&self, request: RequestId, r: &Record) -> Option<Ended> {
        if !self.has_begun() || r.left.get()? < self.from() {
            return None;
        }
        if r.finish().is_known() {
            self.recorder.met(request).map(Ended::Finished)
        } else {
            Some(Ended::Unserved)
        }
    }

    pub(super) fn latencies(&self) -> LatencyPart {
        LatencyPart {
            ttft: in_ms(self.ttft.all),
            itl: in_ms(self.recorder.itl.summary()),
            tpot: in_ms(self.tpot.all),
            e2e: in_ms(self.e2e.all),
            queue_wait: in_ms(self.queue_wait.all),
            scheduling_delay: in_ms(self.scheduling_delay.all),
        }
    }

    pub(super) fn throughput(&self) -> ThroughputPart {
        let seconds = self.seconds();
        let s = &self.sums;
        let rate = |n: f64| share(n, seconds);
        let (prompt, output) = (s.prompt_tokens as f64, self.output_tokens() as f64);
        ThroughputPart {
            seconds,
            arrived_per_s: rate(f64::from(s.arrived)),
            completed_per_s: rate(f64::from(s.finished)),
            goodput_per_s: rate(f64::from(s.met)),
            attainment: known_share(f64::from(s.met), f64::from(s.finished)),
            prompt_tokens_per_s: rate(prompt),
            output_tokens_per_s: rate(output),
            total_tokens_per_s: rate(prompt + output),
        }
    }

    pub(super) fn slo(&self) -> SloPart {
        let s = &self.sums;
        let of_finished = |n: u32| known_share(f64::from(n), f64::from(s.finished));
        SloPart {
            finished: s.finished,
            met: s.met,
            unserved: s.unserved,
            met_share: met_share(s.met, s.finished, s.unserved),
            ttft_attainment: of_finished(s.met_ttft),
            tpot_attainment: of_finished(s.met_tpot),
            e2e_attainment: of_finished(s.met_e2e),
        }
    }

    pub(super) fn kv(&self) -> KvPart {
        let s = &self.sums;
        KvPart {
            request_hit_rate: share(f64::from(s.hit), f64::from(s.scheduled)),
            reused_prompt_share: share(s.reused_tokens as f64, s.scheduled_tokens as f64),
            ..kv_blocks(self.engine)
        }
    }

    /// By replica: TTFT and E2E.
    pub(super) fn by_replica(&self) -> [&[Summary]; 2] {
        [&self.ttft, &self.e2e].map(|figures| &figures.by[By::Replica as usize][..])
    }

    /// The requests in groups, one for each of `names`.
    pub(super) fn groups(&self, names: &[String], by: By) -> Groups {
        let mut groups = Groups::new(names);
        for ((i, r), group) in (0..).zip(self.engine.records()).zip(by.of_all(self.engine)) {
            let counts = self.recorder.warmup().counts(RequestId(i), r.arrival);
            groups.add(group, &r, counts, self.ended(RequestId(i), &r));
        }
        groups.fill(&self.ttft.by[by as usize], |g| &mut g.ttft_ms);
        groups.fill(&self.tpot.by[by as usize], |g| &mut g.tpot_ms);
        groups.fill(&self.e2e.by[by as usize], |g| &mut g.e2e_ms);
        groups.fill(&self.queue_wait.by[by as usize], |g| &mut g.queue_wait_ms);
        groups.rates(self.seconds());
        groups
    }

    /// The slowest requests whose E2E counts: the slowest first, among equals the later.
    pub(super) fn slowest(&self) -> Vec<SlowRequest> {
        let clients = self.engine.source().clients();
        let slow = |request: u32| {
            let r = self.engine.records().at(request as usize);
            let us = |span: Maybe<Span>| span.get().map_or(0, |span| span.0);
            SlowRequest {
                request,
                client: clients.get(r.client as usize).cloned().unwrap_or_default(),
                replica: r.replica().map_or(0, |id| id.0),
                arrival_us: r.arrival.0,
                ttft_us: us(r.ttft),
                e2e_us: us(r.e2e),
                preemptions: r.preemptions,
                parts: parts(&segments(self.engine, RequestId(request), self.engine.last_event_at())),
            }
        };
        self.slowest.iter().copied().map(slow).collect()
    }

    /// Each class that sent requests, warm-up included.
    pub(super) fn classes(&self) -> Vec<ClassPart> {
        let names = self.engine.source().classes();
        let groups = self.groups(names, By::Class);
        let ms = |us: u64| if us == u64::MAX { 0.0 } else { us as f64 / 1000.0 };
        let part = |(class, requests)| {
            let o = self.recorder.targets.of(class);
            ClassPart {
                requests,
                ttft_objective_ms: ms(o.ttft_us),
                tpot_objective_ms: ms(o.tpot_us),
                e2e_objective_ms: ms(o.e2e_us),
            }
        };
        groups.into_sent().map(part).collect()
    }
}
