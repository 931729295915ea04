//! Export of the page's time series: for each bucket a row for the whole cluster and one for each replica.

use super::cell::Cell;
use super::export::{Begun, Column, Export, columns_of};
use super::rows::{Destination, Rows};
use super::sheet::{Field, Sheet};
use base::stats::{BucketLog, Percentiles};
use engine::Direction;
use run::observe::recorder::counter;
use run::observe::roles_differ;
use run::observe::transit::{StageGauge, Transit};
use run::session::Session;

/// The rows of time series.
pub(super) struct Series;

impl Export for Series {
    fn name(&self) -> &'static str {
        "series"
    }

    fn columns(&self) -> Vec<Column> {
        columns_of(FIELDS).into_iter().chain(columns_of(HANDOVER_FIELDS)).collect()
    }

    fn begin(&self, run: Begun<'_>) -> Box<dyn Rows> {
        let handovers = run.course.iter().any(roles_differ);
        let fields = || FIELDS.iter().chain(HANDOVER_FIELDS.iter().filter(|_| handovers));
        Box::new(File { sheet: run.sheet(fields()), fields: fields().map(|f| f.value).collect() })
    }
}

struct File {
    sheet: Sheet,
    fields: Vec<Value>,
}

impl Rows for File {
    fn out(&mut self) -> &mut dyn Destination {
        &mut self.sheet
    }

    fn end(&mut self, session: &Session) {
        self.write(session);
    }
}

/// A bucket of the cluster, or of one replica.
#[derive(Clone, Debug, Default)]
struct Row {
    start_us: u64,
    width_us: u64,
    replica: Option<u32>,
    arrived: Option<u64>,
    completed: Option<u64>,
    missed: Option<u64>,
    preempted: Option<u64>,
    tokens: Option<u64>,
    per_s: Option<[f64; 3]>,
    ttft: Percentiles,
    e2e: Percentiles,
    waiting: Option<u32>,
    kv_permille: Option<u32>,
    ttft_prefill: Percentiles,
    /// Requests by stage, but those that wait.
    stages: Option<[u32; 5]>,
    ports: Option<[f64; 2]>,
}

type Value = fn(&Row) -> Cell<'static>;

const fn field(name: &'static str, unit: &'static str, help: &'static str, value: Value) -> Field<Value> {
    Field { name, unit, help, value }
}

/// The columns, in order.
#[rustfmt::skip]
const FIELDS: &[Field<Value>] = &[
    field("bucket_start_us", "us", "where the bucket begins", |r| r.start_us.into()),
    field("bucket_width_us", "us", "how long it is; the last one reaches to the end of the run", |r| r.width_us.into()),
    field("replica", "", "number of the replica; empty in the row of the whole cluster", |r| r.replica.into()),
    field("arrived", "requests", "cluster: requests that arrived in the bucket", |r| r.arrived.into()),
    field("completed", "requests", "cluster: requests that completed", |r| r.completed.into()),
    field("slo_missed", "requests", "cluster: of these, requests that missed an objective of their class", |r| r.missed.into()),
    field("preemptions", "times", "cluster: how often a request was preempted", |r| r.preempted.into()),
    field("output_tokens", "tokens", "cluster: output tokens shown", |r| r.tokens.into()),
    field("arrived_per_s", "1/s", "cluster: the same per second", |r| r.per_s.map(|x| x[0]).into()),
    field("completed_per_s", "1/s", "cluster: the same per second", |r| r.per_s.map(|x| x[1]).into()),
    field("output_tokens_per_s", "1/s", "cluster: the same per second", |r| r.per_s.map(|x| x[2]).into()),
    field("ttft_count", "requests", "cluster: first tokens in the bucket", |r| r.arrived.map(|_| r.ttft.map_or(0, |x| x.0)).into()),
    field("ttft_p50_us", "us", "cluster: median of their TTFT", |r| r.ttft.map(|x| x.1[0]).into()),
    field("ttft_p90_us", "us", "cluster: 90th percentile", |r| r.ttft.map(|x| x.1[1]).into()),
    field("ttft_p99_us", "us", "cluster: 99th percentile", |r| r.ttft.map(|x| x.1[2]).into()),
    field("e2e_p50_us", "us", "cluster: median E2E of the requests that completed", |r| r.e2e.map(|x| x.1[0]).into()),
    field("e2e_p90_us", "us", "cluster: 90th percentile", |r| r.e2e.map(|x| x.1[1]).into()),
    field("e2e_p99_us", "us", "cluster: 99th percentile", |r| r.e2e.map(|x| x.1[2]).into()),
    field("waiting", "requests", "requests in the wait queue of the replica, or of all replicas, when the bucket ended", |r| r.waiting.into()),
    field("kv_usage", "share", "replica: KV blocks in use when the bucket ended, from 0 to 1", |r| r.kv_permille.map(|x| f64::from(x) / 1000.0).into()),
];

/// The columns that follow where roles of pools differ at any time of the run.
#[rustfmt::skip]
const HANDOVER_FIELDS: &[Field<Value>] = &[
    field("ttft_prefill_count", "requests", "cluster: prompts computed in the bucket for other replicas", |r| r.arrived.map(|_| r.ttft_prefill.map_or(0, |x| x.0)).into()),
    field("ttft_prefill_p50_us", "us", "cluster: median of their TTFT as the prefill replica has it", |r| r.ttft_prefill.map(|x| x.1[0]).into()),
    field("ttft_prefill_p90_us", "us", "cluster: 90th percentile", |r| r.ttft_prefill.map(|x| x.1[1]).into()),
    field("ttft_prefill_p99_us", "us", "cluster: 99th percentile", |r| r.ttft_prefill.map(|x| x.1[2]).into()),
    field("prefilling", "requests", "cluster: requests in the batches of prefill replicas when the bucket ended", |r| r.stages.map(|n| n[0]).into()),
    field("held", "requests", "cluster: prefilled requests whose blocks the prefill replica still held", |r| r.stages.map(|n| n[1]).into()),
    field("transferring", "requests", "cluster: of these, requests with a transfer under way", |r| r.stages.map(|n| n[2]).into()),
    field("landed", "requests", "cluster: requests at their home with their KV, not in the batch yet", |r| r.stages.map(|n| n[3]).into()),
    field("decoding", "requests", "cluster: requests in the batches of homes", |r| r.stages.map(|n| n[4]).into()),
    field("port_out", "share", "replica: how much of its ports was used by what it sent in the bucket, from 0 to 1", |r| r.ports.map(|x| x[0]).into()),
    field("port_in", "share", "replica: the same of what it received", |r| r.ports.map(|x| x[1]).into()),
];

impl File {
    /// Writes the buckets of a run up to its playhead. The number of buckets is bounded.
    fn write(&mut self, session: &Session) {
        let (recorder, timeline) = (session.recorder(), &session.recorder().timeline);
        let [ttft, e2e, ttft_prefill] =
            [&recorder.ttft_log, &recorder.e2e_log, &recorder.ttft_prefill_log].map(BucketLog::buckets);
        let replicas = session.engine().replicas().len();
        let ports: Vec<[Vec<f64>; 2]> = (0..replicas)
            .map(|r| [Direction::Out, Direction::In].map(|direction| recorder.transit.port(r, direction)))
            .collect();
        for i in 0..=timeline.closed() {
            let start_us = i as u64 * timeline.width_us();
            let width_us = timeline.width_us().min(session.now().0.saturating_sub(start_us));
            let count = |which| timeline.counter(which)[i];
            let (arrived, completed, tokens) =
                (count(counter::ARRIVED), count(counter::COMPLETED), count(counter::TOKENS));
            let empty = Row { start_us, width_us, ..Row::default() };
            let gauge = |which: usize| timeline.gauge(which).and_then(|values| values.get(i)).copied();
            let waiting: Vec<u32> = (0..replicas).filter_map(|r| gauge(2 * r)).collect();
            let seconds = session.bucket_seconds(i);
            if width_us == 0 && arrived + completed + tokens == 0 {
                // Skips an empty last bucket.
                continue;
            }
            let cluster = Row {
                arrived: Some(arrived),
                completed: Some(completed),
                missed: Some(count(counter::MISSED)),
                preempted: Some(count(counter::PREEMPTED)),
                tokens: Some(tokens),
                per_s: Some([arrived, completed, tokens].map(|n| n as f64 / seconds)),
                ttft: ttft.get(i).copied().flatten(),
                e2e: e2e.get(i).copied().flatten(),
                ttft_prefill: ttft_prefill.get(i).copied().flatten(),
                stages: stages(&recorder.transit, i),
                waiting: (!waiting.is_empty()).then(|| waiting.iter().sum()),
                ..empty.clone()
            };
            self.write_row(&cluster);
            for (replica, waiting) in (0..).zip(waiting) {
                let kv_permille = gauge(2 * replica as usize + 1);
                let [out, into] = [0, 1].map(|side: usize| ports[replica as usize][side].get(i).copied());
                let ports = out.zip(into).map(|(out, into)| [out, into]);
                let row = Row {
                    replica: Some(replica),
                    waiting: Some(waiting),
                    kv_permille,
                    ports,
                    ..empty.clone()
                };
                self.write_row(&row);
            }
        }
    }

    fn write_row(&mut self, row: &Row) {
        for value in &self.fields {
            self.sheet.cell(value(row));
        }
        self.sheet.end_row();
    }
}

/// The requests of a bucket by stage, but those that wait.
fn stages(transit: &Transit, bucket: usize) -> Option<[u32; 5]> {
    let at = |stage| transit.stage(stage).get(bucket).copied();
    let [_, prefilling, held, transferring, landed, decoding] = StageGauge::ALL.map(|(stage, _)| at(stage));
    Some([prefilling?, held?, transferring?, landed?, decoding?])
}
