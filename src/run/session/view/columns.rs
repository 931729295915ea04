//! Columns of numbers for charts.

pub(super) use crate::observe::recorder::OWN_COLUMN;
use crate::observe::recorder::counter;
use crate::observe::report::known_share;
use crate::observe::rolling::ROLLING_S;
use crate::observe::transit::StageGauge;
use crate::session::Session;
use base::stats::{Histogram, Percentiles, Timeline};
use base::units::{Micros, US_PER_S};
use engine::Direction;
use serde::Deserialize;

/// Which columns.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum View {
    /// `t_s`, `p50_ms`, `p90_ms`, `p99_ms`, `count`: TTFT by time of the first token. Where roles of pools differ, then
    /// `prefill_p50_ms`, `prefill_p99_ms`, `prefill_count`: TTFT as prefill replicas have it, by time of the prefill's end.
    /// Without a window: of each bucket, at its middle. With one, as long as no bucket is longer: of the latest 30 s, as the key
    /// figures have them, at the end of each bucket; the last row is of the playhead, unless more is computed.
    TtftOverTime,
    /// `t_s`, `p50_ms`, `p90_ms`, `p99_ms`, `count`: E2E by time of completion, of buckets or of the latest 30 s as for TTFT.
    E2eOverTime,
    /// `t_s`, `p50_ms`, `p90_ms`, `p99_ms`, `count`: gaps between tokens of the latest 30 s, as the key figures have them, at the end
    /// of each bucket; the last row is of the playhead, unless more is computed. Of watched runs alone.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    ItlOverTime,
    /// The same of the times from arrival to first joining a batch, by the instant of joining.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    WaitOverTime,
    /// `t_s`, `arrived_per_s`, `good_per_s`, `wanted_per_s`: requests per second that arrived and that finished within every
    /// objective, in the 10 s up to the end of each bucket; from a fault until goodput is back, 95 % of that in the minute
    /// before the fault. Buckets of more than 10 s stand for themselves.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    GoodputOverTime,
    /// `t_s`, `of_gateway`, `of_clients`: attempts begun for each request that arrived, and requests for each that is no return of a
    /// client that gave up, in the 10 s up to the end of each bucket.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    AttemptsOverTime,
    /// `t_s`, `arrived_per_s`, `completed_per_s`, `output_tokens_per_s`.
    Throughput,
    /// `t_s`, then `r0`, `r1`, …: requests waiting; beyond 16 replicas `min`, `median`, `max` instead. Last
    /// `gateway`, if requests were held there: requests waiting at the gateway.
    QueueDepth,
    /// `t_s`, then `r0`, `r1`, …: requests that run; beyond 16 replicas `min`, `median`, `max` instead. Of watched runs alone.
    Running,
    /// `t_s`, then `r0`, `r1`, …: share of KV blocks in use, in percent; beyond 16 replicas `min`, `median`, `max` instead.
    KvUse,
    /// `ttft_ms`, `percent`: share of requests with at most this TTFT, of those that got their first token in the window. At most 400 points.
    TtftEcdf,
    /// `e2e_ms`, `percent`: share of requests with at most this E2E, of those that finished in the window. At most 400 points.
    E2eEcdf,
    /// `itl_ms`, `percent`: share of gaps between tokens of at most this length, of those in the window. At most 400 points.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    ItlEcdf,
    /// `wait_ms`, `percent`: share of requests that joined their first batch at most this long after they arrived, of those that
    /// joined it in the window. At most 400 points.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    WaitEcdf,
    /// `t_s`, `serving`, `cold`, `starting`, `draining`, `desired`: replicas by stage of their life, and the wanted
    /// number. Where something broke, in modules with close-ups, also `degraded`, which are slow, stuck, seen late, cut off or have a
    /// thin link, and `down`.
    Replicas,
    /// Each replica while it is in one state: `from_s`, `to_s`, `lane`, `replica`, then 1 in the column of its state and 0 in the
    /// others: `serving`, `cold`, `starting`, `draining`, `slow`, `stuck`, `signals`, `unreachable`, `transfer-link`, `down`; of
    /// several faults the one that leaves least of it. A replica has the lowest lane that is free when it begins. What is broken
    /// at the playhead and has an end goes on to that end. Empty beyond 16 lanes or 4,096 rows.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    ReplicaLanes,
    /// `t_s`, `pool` (its number), `alpha_band_ms`, `beta_band_ms`, `gamma_band_ms` (half of the 95 % interval of
    /// each coefficient), then the figures of each decision of an autoscaler that learns, under the names of the rows
    /// of `--scaling`.
    Estimator,
    /// `t_s`, `missed_percent`, `finished`, `unserved`, `preempted`, `outage`: the share of the requests ended in
    /// each bucket that did not finish within every objective; refused or dropped ones (`unserved`) have missed.
    /// `outage` is 1 if requests waited and none ended for a second or more, else 0.
    Health,
    /// `t_s`, `waiting`, `kv_percent`: requests waiting at all replicas and at the gateway together, and the share of KV blocks in use at the fullest.
    FleetLoad,
    /// `t_s`, `saturation_percent`, then for each band of the gateway's queue the requests that wait in it, as `band 0`, `band -10`, …:
    /// empty without flow control.
    GatewayBands,
    /// `t_s`, then `r0`, `r3`, …: how much of the ports of these replicas was used by what they sent, in percent; beyond 16
    /// replicas `min`, `median`, `max` instead. Empty where nothing was sent.
    PortsOut,
    /// The same of what they received.
    PortsIn,
    /// `t_s`, `under_way`: transfers that have started and not landed. Empty where roles of pools do not differ.
    Transfers,
    /// `t_s`, `waiting`, `prefilling`, `held`, `transferring`, `landed`, `decoding`: requests by stage; those `transferring` are
    /// among those `held`. Empty where roles of pools do not differ.
    Stages,
    /// Little's law from the start of the run: a row for the system, then one for each replica from when it was
    /// added: `inside`, `arrived`, `mean_number` (L), `rate_per_s` (λ), `time_ms` (W), `product` (λ W), `difference`
    /// (the integral of the number minus the time of all requests, in request-microseconds: 0). Requests still
    /// present count with their time so far.
    Little,
}

impl View {
    /// Whether its columns are over time.
    pub(in crate::session) fn is_over_time(self) -> bool {
        match self {
            Self::TtftOverTime
            | Self::E2eOverTime
            | Self::Throughput
            | Self::QueueDepth
            | Self::Running
            | Self::KvUse
            | Self::Replicas
            | Self::Estimator
            | Self::Health
            | Self::GatewayBands
            | Self::PortsOut
            | Self::PortsIn
            | Self::Transfers
            | Self::Stages
            | Self::FleetLoad => true,
            Self::TtftEcdf | Self::E2eEcdf | Self::Little => false,
            #[cfg(any(feature = "cli", feature = "closeup"))]
            Self::ItlOverTime
            | Self::WaitOverTime
            | Self::GoodputOverTime
            | Self::AttemptsOverTime
            | Self::ReplicaLanes => true,
            #[cfg(any(feature = "cli", feature = "closeup"))]
            Self::ItlEcdf | Self::WaitEcdf => false,
        }
    }
}

/// A query for columns between two instants.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnsQuery {
    /// Which view.
    pub view: View,
    /// Start, in microseconds.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub from_us: u64,
    /// End, in microseconds; 0 means the playhead.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub to_us: u64,
    /// For a distribution: the length of its window in seconds, as for the key figures; 0 for all values since the
    /// warm-up. For percentiles of TTFT and E2E over time: 0 for those of each bucket.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(optional, as = "Option<_>"))]
    pub window_s: f64,
}

/// Named columns of equal length. A missing value is NaN. The names travel as JSON, each column as an array of floats.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// Names of the columns.
    pub names: Vec<String>,
    /// The columns.
    pub columns: Vec<Vec<f64>>,
}

/// Index of the gauge of requests held at the gateway, after three of queues and three of KV use.
const HELD: usize = 6;
/// What stands for replicas without columns of their own.
const SPREAD: [&str; 3] = ["min", "median", "max"];
/// Most points of an ECDF.
const ECDF_POINTS: u64 = 400;

impl Session {
    /// Columns of one view.
    pub fn columns(&self, query: &ColumnsQuery) -> Columns {
        let r = &self.recorder;
        let whole = match query.view {
            View::TtftOverTime => self.ttft_over_time(query.window_s),
            View::E2eOverTime => self.percentiles_over_time(1, query.window_s),
            #[cfg(any(feature = "cli", feature = "closeup"))]
            View::ItlOverTime => self.waits_over_time(0),
            #[cfg(any(feature = "cli", feature = "closeup"))]
            View::WaitOverTime => self.waits_over_time(1),
            #[cfg(any(feature = "cli", feature = "closeup"))]
            View::ItlEcdf => return ecdf("itl_ms", &self.gaps_of(query.window_s)),
            #[cfg(any(feature = "cli", feature = "closeup"))]
            View::WaitEcdf => return ecdf("wait_ms", &self.waits_of(query.window_s)),
            #[cfg(any(feature = "cli", feature = "closeup"))]
            View::GoodputOverTime => self.goodput_over_time(),
            #[cfg(any(feature = "cli", feature = "closeup"))]
            View::AttemptsOverTime => self.attempts_over_time(),
            #[cfg(any(feature = "cli", feature = "closeup"))]
            View::ReplicaLanes => return self.replica_lanes(),
            View::Throughput => self.throughput(),
            View::QueueDepth => self.queues(),
            View::Running => self.running(),
            View::KvUse => self.gauges(1, 0.1),
            View::TtftEcdf => return ecdf("ttft_ms", &self.distribution(&r.ttft, true, query.window_s)),
            View::E2eEcdf => return ecdf("e2e_ms", &self.distribution(&r.e2e, false, query.window_s)),
            View::Little => return self.little(),
            View::Health => self.health(),
            View::Replicas => self.replica_stages(),
            View::Estimator => self.estimates(),
            View::FleetLoad => self.fleet_load(),
            View::GatewayBands => self.gateway_bands(),
            View::PortsOut => self.ports(Direction::Out),
            View::PortsIn => self.ports(Direction::In),
            View::Transfers => self.stages(&[(StageGauge::Transferring, "under_way")]),
            View::Stages => self.stages(&StageGauge::ALL),
        };
        cut(whole, query, self.playhead)
    }

    fn little(&self) -> Columns {
        let names = ["inside", "arrived", "mean_number", "rate_per_s", "time_ms", "product", "difference"];
        let mut out = Columns::default();
        for name in names {
            out.push(name, Vec::new());
        }
        for (from, presence) in self.recorder.meters.presence() {
            let seconds = self.playhead.0.saturating_sub(from.0) as f64 / US_PER_S as f64;
            let (inside, number, time) = presence.read(self.playhead);
            let came = f64::from(presence.came);
            let (rate, each_s) = (came / seconds, time as f64 / US_PER_S as f64 / came);
            let row = [
                f64::from(inside),
                came,
                number as f64 / US_PER_S as f64 / seconds,
                rate,
                each_s * 1000.0,
                rate * each_s,
                number.abs_diff(time) as f64,
            ];
            for (column, x) in out.columns.iter_mut().zip(row) {
                column.push(x);
            }
        }
        out
    }

    /// The values of the window, or all values.
    fn distribution(&self, all: &Histogram, ttft: bool, window_s: f64) -> Vec<(u64, u64)> {
        if window_s > 0.0 {
            self.recorder.window.values(self.playhead, window_s, ttft)
        } else {
            all.bins().collect()
        }
    }

    /// Percentiles of TTFT (0), E2E (1) or TTFT as prefill replicas have it (2) by bucket, or of the latest seconds at the end of each.
    pub(super) fn percentiles_over_time(&self, which: usize, window_s: f64) -> Columns {
        let r = &self.recorder;
        let rolls = r.live && window_s > 0.0 && r.timeline.width_us() as f64 <= ROLLING_S * US_PER_S as f64;
        let (mut out, rows) = if rolls {
            let rows = r.rolling.buckets().iter().map(|all| all[which]).collect();
            self.up_to_the_playhead(rows, &|| r.window.latest(self.playhead, ROLLING_S)[which])
        } else {
            let log = [&r.ttft_log, &r.e2e_log, &r.ttft_prefill_log][which];
            (with_time(&r.timeline, true), log.buckets())
        };
        out.push_percentiles(&rows);
        out
    }

    /// Rolling percentiles by bucket with their instants; the last row is that of the playhead.
    pub(super) fn up_to_the_playhead(
        &self,
        mut rows: Vec<Percentiles>,
        latest: &dyn Fn() -> Percentiles,
    ) -> (Columns, Vec<Percentiles>) {
        let r = &self.recorder;
        let mut out = with_time(&r.timeline, false);
        // A bucket that ends at the playhead has no row of its own. A checkpoint has none for its playhead.
        if !r.is_packed() {
            let whole = (self.playhead.0.saturating_sub(1) / r.timeline.width_us()) as usize;
            out.columns[0].truncate(whole);
            rows.truncate(whole);
            out.columns[0].push(self.playhead.0 as f64 / US_PER_S as f64);
            rows.push(latest());
        }
        (out, rows)
    }

    fn throughput(&self) -> Columns {
        let t = &self.recorder.timeline;
        let mut out = with_time(t, true);
        for (name, which) in [
            ("arrived_per_s", counter::ARRIVED),
            ("completed_per_s", counter::COMPLETED),
            ("output_tokens_per_s", counter::TOKENS),
        ] {
            let rate = |(i, &n): (usize, &u64)| n as f64 / self.bucket_seconds(i);
            out.push(name, t.counter(which).iter().enumerate().map(rate).collect());
        }
        out
    }

    /// Length of a bucket up to the playhead; a bucket that has just begun counts as at least a tenth.
    pub fn bucket_seconds(&self, bucket: usize) -> f64 {
        let t = &self.recorder.timeline;
        let start = bucket as u64 * t.width_us();
        let passed = self.playhead.0.saturating_sub(start).clamp(t.width_us() / 10, t.width_us());
        passed as f64 / US_PER_S as f64
    }

    fn health(&self) -> Columns {
        let t = &self.recorder.timeline;
        let mut out = with_time(t, true);
        let counts =
            [counter::COMPLETED, counter::UNSERVED, counter::PREEMPTED].map(|which| t.counter(which));
        let [completed, unserved, _] = counts;
        let ended: Vec<u64> = completed.iter().zip(unserved).map(|(c, u)| c + u).collect();
        let missed = t.counter(counter::MISSED).iter().zip(unserved).zip(&ended);
        let share = |((&m, &u), &n): ((&u64, &u64), &u64)| known_share((m + u) as f64, n as f64);
        out.push("missed_percent", missed.map(|all| share(all).map_or(f64::NAN, |x| 100.0 * x)).collect());
        for (name, count) in ["finished", "unserved", "preempted"].into_iter().zip(counts) {
            out.push(name, count.iter().map(|&n| n as f64).collect());
        }
        out.push("outage", self.outages(&ended));
        out
    }

    /// By bucket: 1 if requests waited at its start and end and none ended in it, in stretches of a second or more.
    fn outages(&self, ended: &[u64]) -> Vec<f64> {
        let t = &self.recorder.timeline;
        let mut waiting = self.waiting();
        // The open bucket ends at the playhead.
        waiting.push(
            u64::from(self.engine.held_back())
                + self.engine.replicas().iter().map(|r| u64::from(r.waiting())).sum::<u64>(),
        );
        let stuck = |i: usize| ended[i] == 0 && waiting[i] > 0 && (i == 0 || waiting[i - 1] > 0);
        let least = US_PER_S.div_ceil(t.width_us()) as usize;
        let mut out = vec![0.0; ended.len()];
        let mut from = 0;
        for i in 0..=ended.len() {
            if i < ended.len() && stuck(i) {
                continue;
            }
            if i - from >= least {
                out[from..i].fill(1.0);
            }
            from = i + 1;
        }
        out
    }

    /// By closed bucket: how many requests wait at its end, at all replicas and at the gateway.
    fn waiting(&self) -> Vec<u64> {
        let t = &self.recorder.timeline;
        let mut waiting = vec![0_u64; t.closed()];
        let queues = (0..self.engine.replicas().len()).filter_map(|r| t.gauge(2 * r));
        for gauge in queues.chain(self.recorder.spread.gauge(HELD)) {
            for (sum, &n) in waiting.iter_mut().zip(gauge) {
                *sum += u64::from(n);
            }
        }
        waiting
    }

    /// The gauges of all replicas in one column each.
    fn fleet_load(&self) -> Columns {
        let t = &self.recorder.timeline;
        let mut fullest = vec![0_u32; t.closed()];
        for r in 0..self.engine.replicas().len() {
            for (most, &use_of) in fullest.iter_mut().zip(t.gauge(2 * r + 1).unwrap_or(&[])) {
                *most = (*most).max(use_of);
            }
        }
        let mut out = with_time(t, false);
        out.push("waiting", self.waiting().into_iter().map(|n| n as f64).collect());
        out.push("kv_percent", fullest.into_iter().map(|n| f64::from(n) * 0.1).collect());
        out
    }

    /// The saturation and the bands of the gateway's queue.
    fn gateway_bands(&self) -> Columns {
        let Some((_, bands)) = self.engine.gateway_gauges(self.playhead) else { return Columns::default() };
        let mut out = with_time(&self.recorder.timeline, false);
        let gauge = |i: usize| self.recorder.spread.gauge(HELD + 1 + i).unwrap_or(&[]);
        out.push("saturation_percent", gauge(0).iter().map(|&n| f64::from(n) * 0.1).collect());
        for (i, (priority, _)) in bands.enumerate() {
            out.push(&format!("band {priority}"), gauge(1 + i).iter().map(|&n| f64::from(n)).collect());
        }
        out
    }

    /// The queues of the replicas, and that of the gateway if there was one.
    fn queues(&self) -> Columns {
        let mut out = self.gauges(0, 1.0);
        let held = self.recorder.spread.gauge(HELD).filter(|held| held.iter().any(|&n| n > 0));
        if let Some(held) = held {
            out.push("gateway", held.iter().map(|&n| f64::from(n)).collect());
        }
        out
    }

    /// The batches of the replicas.
    fn running(&self) -> Columns {
        let t = &self.recorder.timeline;
        let n = self.engine.replicas().len();
        let mut out = with_time(t, false);
        let (from, names): (usize, Vec<String>) = if n <= OWN_COLUMN {
            (SPREAD.len(), (0..n).map(|r| format!("r{r}")).collect())
        } else {
            (0, SPREAD.map(str::to_owned).to_vec())
        };
        for (k, name) in names.iter().enumerate() {
            let values = self.recorder.batches.as_ref().and_then(|all| all.gauge(from + k)).unwrap_or(&[]);
            let mut column: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
            column.resize(t.closed(), f64::NAN);
            out.push(name, column);
        }
        out
    }

    /// One gauge of each replica; for many replicas the smallest, median and largest value.
    fn gauges(&self, which: usize, unit: f64) -> Columns {
        let t = &self.recorder.timeline;
        let n = self.engine.replicas().len();
        let mut out = with_time(t, false);
        let of = |r: usize| t.gauge(2 * r + which).unwrap_or(&[]);
        if n <= OWN_COLUMN {
            for r in 0..n {
                let mut column: Vec<f64> = of(r).iter().map(|&v| f64::from(v) * unit).collect();
                column.resize(t.closed(), f64::NAN);
                out.push(&format!("r{r}"), column);
            }
            return out;
        }
        for (k, name) in SPREAD.into_iter().enumerate() {
            let values = self.recorder.spread.gauge(3 * which + k).unwrap_or(&[]);
            out.push(name, values.iter().map(|&v| f64::from(v) * unit).collect());
        }
        out
    }
}

impl Columns {
    pub(super) fn push(&mut self, name: &str, column: Vec<f64>) {
        self.names.push(name.to_owned());
        self.columns.push(column);
    }

    /// Three percentiles in milliseconds, and of how many values they are.
    pub(super) fn push_percentiles(&mut self, rows: &[Percentiles]) {
        for (k, name) in ["p50_ms", "p90_ms", "p99_ms"].into_iter().enumerate() {
            self.push(name, rows.iter().map(|b| b.map_or(f64::NAN, |(_, p)| p[k] / 1000.0)).collect());
        }
        self.push("count", rows.iter().map(|b| b.map_or(0.0, |(n, _)| n as f64)).collect());
    }
}

/// Adds the time: the middle of each bucket for sums, its end for gauges.
pub(super) fn with_time(t: &Timeline, sums: bool) -> Columns {
    let width = t.width_us() as f64 / US_PER_S as f64;
    let (n, offset) = if sums { (t.closed() + 1, 0.5) } else { (t.closed(), 1.0) };
    let mut out = Columns::default();
    out.push("t_s", (0..n).map(|i| (i as f64 + offset) * width).collect());
    out
}

/// The share of values at or below each of at most 400 of them.
fn ecdf(name: &str, bins: &[(u64, u64)]) -> Columns {
    let total: u64 = bins.iter().map(|(_, count)| count).sum();
    let (mut x, mut y) = (Vec::new(), Vec::new());
    let (mut passed, mut due) = (0_u64, 0_u64);
    for (i, &(value, count)) in bins.iter().enumerate() {
        passed += count;
        if passed * ECDF_POINTS >= due * total || i + 1 == bins.len() {
            x.push(value as f64 / 1000.0);
            y.push(100.0 * passed as f64 / total as f64);
            due = passed * ECDF_POINTS / total + 1;
        }
    }
    let mut out = Columns::default();
    out.push(name, x);
    out.push("percent", y);
    out
}

/// Rows whose time lies between the instants of the query.
fn cut(mut whole: Columns, query: &ColumnsQuery, playhead: Micros) -> Columns {
    let from = query.from_us as f64 / US_PER_S as f64;
    // The open bucket is shown once the playhead has passed its middle: before, a few requests would represent all of
    // it.
    let to_us = if query.to_us == 0 { playhead.0 } else { query.to_us };
    let to = to_us as f64 / US_PER_S as f64;
    let Some(times) = whole.columns.first() else { return whole };
    let (start, end) = (times.partition_point(|&t| t < from), times.partition_point(|&t| t <= to));
    for column in &mut whole.columns {
        column.truncate(end.max(start));
        column.drain(..start);
    }
    whole
}
