//! The measurement window of a run: which requests count, and their sums.

use super::groups::{Groups, met_share};
use super::{
    ClassPart, KvPart, LatencyPart, Recorder, SloPart, SlowRequest, ThroughputPart, in_ms, known_share, share,
};
use crate::observe::meters::Reading;
use crate::observe::segments::{parts, segments};
use crate::observe::summaries::{
    Ended, GroupNumbering, GroupSums, Latency, SLOWEST, SlowRow, Summaries, Sums, WindowShare, ended,
    queue_wait_us, scheduling_delay_us, tpot_us,
};
use base::stats::{Ranked, Summary, upper_percentile};
use base::{Maybe, Micros, RequestId, Span};
use document::Scenario;
use engine::policy::Reason;
use engine::{Cluster, Record, RecordColumn, Replica};

/// The measurement window of a run: from the end of the warm-up to the latest event.
pub(super) struct MeasurementWindow<'a> {
    engine: &'a Cluster,
    recorder: &'a Recorder,
    readings: Vec<Reading>,
    finished_by_replica: Vec<u32>,
    sums: Sums,
    ttft: LatencyFigures,
    tpot: LatencyFigures,
    e2e: LatencyFigures,
    queue_wait: LatencyFigures,
    scheduling_delay: LatencyFigures,
    slowest: Vec<u32>,
    /// Of a run that keeps summaries only.
    summed: Option<Summed>,
}

/// The sums of a run that keeps summaries only.
struct Summed {
    all: Summaries,
    /// Each grouping, as in [`GROUPINGS`].
    by: [Vec<GroupSums>; GROUPINGS.len()],
}

impl Summed {
    fn new(all: Summaries, engine: &Cluster, pools: usize) -> Self {
        let by = GROUPINGS.map(|by| {
            let mut groups = vec![GroupSums::default(); by.count(engine, pools)];
            let found = match by {
                By::Replica | By::Pool => all.groups(GroupNumbering::Replica),
                By::Class => all.groups(GroupNumbering::Class),
                By::Tenant => all.groups(GroupNumbering::Tenant),
                By::Client => all.groups(GroupNumbering::Client),
            };
            for (number, sums) in found.iter().enumerate() {
                let pool = || engine.replicas().get(number).map(|r| r.pool() as usize);
                let group = if matches!(by, By::Pool) { pool() } else { Some(number) };
                if let Some(group) = group.and_then(|group| groups.get_mut(group)) {
                    group.merge(sums);
                }
            }
            groups
        });
        Self { all, by }
    }

    fn figures(&self, latency: Latency) -> LatencyFigures {
        let of = |groups: &Vec<GroupSums>| groups.iter().map(|g| g.latency(latency).summary()).collect();
        LatencyFigures { all: self.all.latency(latency).summary(), by: self.by.each_ref().map(of) }
    }
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
struct LatencyFigures {
    all: Summary,
    by: [Vec<Summary>; GROUPINGS.len()],
}

impl LatencyFigures {
    /// Computes them, one grouping after the other: their lists are as long as the run.
    fn new(ranked: &Ranked, engine: &Cluster, pools: usize) -> Self {
        let by = GROUPINGS.map(|by| ranked.by_group(by.count(engine, pools), &by.of_all(engine)));
        Self { all: ranked.summary(), by }
    }
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
    if let Some(all) = recorder.summed_up(engine) {
        let summaries = [Latency::Ttft, Latency::E2e].map(|latency| all.latency(latency).summary());
        return summaries.map(|s| (s.count > 0).then_some(s.p99 / 1000.0));
    }
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
        let pools = scenario.cluster.pools.len();
        match recorder.summed_up(engine) {
            Some(all) => Self::of_sums(Summed::new(all, engine, pools), engine, recorder),
            None => Self::of_rows(pools, engine, recorder),
        }
    }

    /// Of a run that keeps summaries only.
    fn of_sums(summed: Summed, engine: &'a Cluster, recorder: &'a Recorder) -> Self {
        Self {
            engine,
            recorder,
            readings: readings(engine, recorder),
            finished_by_replica: summed.by[By::Replica as usize].iter().map(|g| g.finished).collect(),
            sums: summed.all.sums,
            ttft: summed.figures(Latency::Ttft),
            tpot: summed.figures(Latency::Tpot),
            e2e: summed.figures(Latency::E2e),
            queue_wait: summed.figures(Latency::QueueWait),
            scheduling_delay: LatencyFigures {
                all: summed.all.scheduling_delay.summary(),
                ..LatencyFigures::default()
            },
            slowest: Vec::new(),
            summed: Some(summed),
        }
    }

    fn of_rows(pools: usize, engine: &'a Cluster, recorder: &'a Recorder) -> Self {
        let warmup = recorder.warmup();
        let ranked = |value| Ranked::new(engine.records().len(), measured(engine, recorder, value));
        // One latency after the other, so that only one of them is sorted at a time.
        let figures = |value| LatencyFigures::new(&ranked(value), engine, pools);
        let (e2e, slowest) = {
            let e2e = ranked(e2e_us);
            (LatencyFigures::new(&e2e, engine, pools), e2e.last(SLOWEST).collect())
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
            queue_wait: figures(queue_wait_us),
            scheduling_delay: LatencyFigures {
                all: ranked(scheduling_delay_us).summary(),
                ..LatencyFigures::default()
            },
            slowest,
            summed: None,
        };
        for (i, r) in (0..).zip(engine.records()) {
            let counts = warmup.counts(RequestId(i), r.arrival);
            let answered = r.ttft.get().is_some_and(|ttft| r.arrival + ttft >= m.from());
            let ended = m.ended(RequestId(i), &r);
            m.sums.add(&r, WindowShare { arrived: counts, answered, ended });
            if let (Some(Ended::Finished(_)), Some(replica)) = (ended, r.replica()) {
                m.finished_by_replica[replica.index()] += 1;
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
        ended(r, self.recorder.met(request), self.recorder.warmup())
    }

    pub(super) fn latencies(&self) -> LatencyPart {
        LatencyPart {
            ttft: in_ms(self.ttft.all),
            itl: in_ms(match &self.summed {
                Some(summed) => summed.all.itl.summary(),
                None => self.recorder.itl.summary(),
            }),
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
            ..super::kv::kv_blocks_and_loads(self.engine)
        }
    }

    /// By replica: TTFT and E2E.
    pub(super) fn by_replica(&self) -> [&[Summary]; 2] {
        [&self.ttft, &self.e2e].map(|figures| &figures.by[By::Replica as usize][..])
    }

    /// The requests in groups, one for each of `names`.
    pub(super) fn groups(&self, names: &[String], by: By) -> Groups {
        let mut groups = match &self.summed {
            Some(summed) => Groups::of_sums(names, &summed.by[by as usize]),
            None => self.groups_of_rows(names, by),
        };
        groups.fill(&self.ttft.by[by as usize], |g| &mut g.ttft_ms);
        groups.fill(&self.tpot.by[by as usize], |g| &mut g.tpot_ms);
        groups.fill(&self.e2e.by[by as usize], |g| &mut g.e2e_ms);
        groups.fill(&self.queue_wait.by[by as usize], |g| &mut g.queue_wait_ms);
        groups.rates(self.seconds());
        groups
    }

    fn groups_of_rows(&self, names: &[String], by: By) -> Groups {
        let mut groups = Groups::new(names);
        for ((i, r), group) in (0..).zip(self.engine.records()).zip(by.of_all(self.engine)) {
            let counts = self.recorder.warmup().counts(RequestId(i), r.arrival);
            groups.add(group, &r, counts, self.ended(RequestId(i), &r));
        }
        groups
    }

    /// How many requests were refused for a reason; `None` in a run that keeps rows.
    pub(super) fn refused(&self, reason: Reason) -> Option<u32> {
        self.summed.as_ref().map(|summed| summed.all.refused(reason))
    }

    /// Whether its percentiles are estimates.
    pub(super) fn estimates(&self) -> bool {
        self.summed.is_some()
    }

    /// The slowest requests whose E2E counts: the slowest first, among equals the later.
    pub(super) fn slowest(&self) -> Vec<SlowRequest> {
        let clients = self.engine.source().clients();
        if let Some(summed) = &self.summed {
            let slow = |row: &SlowRow| SlowRequest {
                request: row.request,
                client: clients.get(row.client as usize).cloned().unwrap_or_default(),
                replica: row.replica,
                arrival_us: row.arrival_us,
                ttft_us: row.ttft_us,
                e2e_us: row.e2e_us,
                preemptions: row.preemptions,
                parts: Vec::new(),
            };
            return summed.all.slowest().iter().map(slow).collect();
        }
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
