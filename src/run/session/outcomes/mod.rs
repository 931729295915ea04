//! Outcomes of the requests of a run, with the figures of its report: what comparisons, sweeps and laws read of a run.
//!
//! Within a program they are data. The page's two runs live in separate threads, and the comparison in a separate module:
//! they go there as bytes.

mod ending;
mod gap_log;

pub use ending::Ending;

use super::{PoolEvidence, RequestRow, RunVerdict, Session};
use crate::observe::Report;
use crate::observe::report::{Metric, RunMetric, RunPart};
use base::digest::Digest;
use base::{Diagnostic, Diagnostics, json};
use document::Workload;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The first bytes: the format and its version.
const MAGIC: [u8; 8] = *b"tokyout2";

/// One request of a run: the values of its row that comparisons read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// When it arrived, in microseconds.
    pub arrival_us: u64,
    /// What became of it.
    pub ending: Ending,
    /// Whether it arrived in the measurement window, so that the report's distributions contain it.
    pub counted: bool,
    /// Number of its session; 0 for none.
    pub session: u32,
    /// Number of its client in [`Outcomes::clients`].
    pub client: u32,
    /// Number of its tenant in [`Outcomes::tenants`].
    pub tenant: u32,
    /// Number of its SLO class in [`Outcomes::classes`].
    pub class: u32,
    /// Prompt length in tokens.
    pub prompt_tokens: u32,
    /// Output length in tokens.
    pub output_tokens: u32,
    /// The replica that has it, or had it when it left.
    pub replica: Option<u32>,
    /// Time to first token in microseconds.
    pub ttft_us: Option<u64>,
    /// End-to-end latency in microseconds.
    pub e2e_us: Option<u64>,
    /// Joining the wait queue to first joining a batch, in microseconds.
    pub queue_wait_us: Option<u64>,
    /// Arrival to first joining a batch, in microseconds.
    pub scheduling_delay_us: Option<u64>,
}

impl Outcome {
    fn new(row: &RequestRow<'_>) -> Self {
        Self {
            arrival_us: row.arrival_us(),
            ending: row.ending(),
            counted: row.measured(),
            session: row.record.session,
            client: row.record.client,
            tenant: row.record.tenant,
            class: row.record.class,
            prompt_tokens: row.record.prompt_tokens,
            output_tokens: row.record.output_tokens,
            replica: row.replica(),
            ttft_us: row.ttft_us(),
            e2e_us: row.e2e_us(),
            queue_wait_us: row.queue_wait_us(),
            scheduling_delay_us: row.scheduling_delay_us(),
        }
    }

    /// Mean gap between its tokens in whole microseconds, of a finished request of two tokens or more: (E2E − TTFT) / (tokens − 1).
    pub fn tpot_us(&self) -> Option<u64> {
        let gaps = self.output_tokens.checked_sub(1).filter(|gaps| *gaps > 0)?;
        Some((self.e2e_us? - self.ttft_us?) / u64::from(gaps))
    }

    /// A time in microseconds. A gap between tokens is not a time of one request.
    pub fn time_us(&self, metric: Metric) -> Option<u64> {
        match metric {
            Metric::Ttft => self.ttft_us,
            Metric::Itl => None,
            Metric::Tpot => self.tpot_us(),
            Metric::E2e => self.e2e_us,
            Metric::QueueWait => self.queue_wait_us,
            Metric::SchedulingDelay => self.scheduling_delay_us,
        }
    }
}

/// The gaps between tokens in one stretch of time: values in microseconds with their counts.
pub type Gaps = Vec<(u64, u32)>;

/// The gaps between tokens by time, if kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapBlocks {
    /// Length of a block of time in microseconds; 0 if gaps were not kept.
    pub width_us: u64,
    /// The blocks, from the start of the run.
    pub blocks: Vec<Gaps>,
}

/// What is read of the report of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportFigures {
    /// Title of the scenario.
    pub title: String,
    /// Digest of the scenario, with the edits applied so far.
    pub scenario_digest: String,
    /// Digest of the trace's requests; empty without a trace.
    pub trace_digest: String,
    /// The clock.
    pub run: RunPart,
    /// Length of the measurement window in seconds.
    pub seconds: f64,
    /// Whether requests wait for the answers of others.
    pub follows_sessions: bool,
    /// Number of gaps between tokens.
    pub itl_count: u64,
    /// By replica: seconds that it existed in the measurement window.
    pub up_s: Vec<f64>,
    /// The verdict on its load.
    pub verdict: RunVerdict,
    /// The evidence for the latency figures of its pools.
    #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
    pub evidence: Vec<PoolEvidence>,
    /// The figures that are known.
    pub known: Vec<(RunMetric, f64)>,
}

impl ReportFigures {
    fn new(report: &Report) -> Self {
        Self {
            title: report.title.clone(),
            scenario_digest: report.scenario_digest.clone(),
            trace_digest: report.trace_digest.clone(),
            run: report.run.clone(),
            seconds: report.throughput.seconds,
            follows_sessions: report.sessions.is_some(),
            itl_count: report.latency_ms.itl.count,
            up_s: report.replicas.iter().map(|r| r.up_s).collect(),
            verdict: report.verdict.clone().unwrap_or_default(),
            evidence: report.evidence.clone(),
            known: RunMetric::all().filter_map(|metric| Some((metric, metric.of(report)?))).collect(),
        }
    }

    /// A figure; `None` if it is not known.
    pub fn figure(&self, metric: RunMetric) -> Option<f64> {
        self.known.iter().find(|(known, _)| *known == metric).map(|(_, value)| *value)
    }
}

/// The form in bytes has each field; JSON leaves out what is not known of the evidence.
fn as_text<S: Serializer>(evidence: &[PoolEvidence], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&json::compact(evidence))
}

fn from_text<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PoolEvidence>, D::Error> {
    let text = String::deserialize(from)?;
    let tree = serde_json::from_str(&text).map_err(de::Error::custom)?;
    json::data(&tree).map_err(de::Error::custom)
}

/// The outcomes of the requests of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcomes {
    /// Digest of the workload: equal for equal arrivals, lengths, contents and draws.
    pub workload_digest: String,
    /// Digest of the report: equal for equal results.
    pub report_digest: String,
    /// The figures of the report.
    pub report: ReportFigures,
    /// Whether the run had ended.
    pub ended: bool,
    /// Names of SLO classes by number.
    pub classes: Vec<String>,
    /// Names of tenants by number.
    pub tenants: Vec<String>,
    /// Names of clients by number.
    pub clients: Vec<String>,
    /// The requests, in order of arrival.
    pub requests: Vec<Outcome>,
    /// The gaps between their tokens.
    pub gaps: GapBlocks,
}

impl Outcomes {
    /// The outcomes as bytes for another thread. Equal runs give equal bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out =
            postcard::to_extend(self, MAGIC.to_vec()).expect("INV-6: plain data, written to memory");
        let check = Digest::of(&out).value();
        out.extend_from_slice(&check.to_le_bytes());
        out
    }

    /// Reads outcomes from bytes. Bytes that are cut off, changed or of another version are refused.
    pub fn read(bytes: &[u8]) -> Result<Self, Diagnostics> {
        let read = || {
            let (body, check) = bytes.split_last_chunk::<8>()?;
            let whole = u64::from_le_bytes(*check) == Digest::of(body).value();
            let read: Self = postcard::from_bytes(body.strip_prefix(&MAGIC).filter(|_| whole)?).ok()?;
            read.requests.iter().all(|r| read.has(r)).then_some(read)
        };
        read().ok_or_else(|| {
            let (found, allowed) =
                ("bytes that are not a run's outcomes", "what `outcomes` of a run gave, whole");
            vec![Diagnostic::error("", found, allowed, "make them again with this version")]
        })
    }

    /// Whether the names of a request are known, and its last token does not come before its first.
    fn has(&self, r: &Outcome) -> bool {
        let lists = [(&self.classes, r.class), (&self.tenants, r.tenant), (&self.clients, r.client)];
        let named = lists.iter().all(|(names, number)| (*number as usize) < names.len());
        named && r.e2e_us.is_none_or(|e2e| r.ttft_us.is_some_and(|ttft| ttft <= e2e))
    }

    /// A figure of the report; `None` if it is not known.
    pub fn figure(&self, metric: RunMetric) -> Option<f64> {
        self.report.figure(metric)
    }

    /// Excludes requests that arrived before an instant, and gaps in blocks that began before it.
    pub fn count_since(&mut self, since_us: u64) {
        self.requests.iter_mut().filter(|r| r.arrival_us < since_us).for_each(|r| r.counted = false);
        if let Some(before) = since_us.checked_next_multiple_of(self.gaps.width_us) {
            let blocks = (before / self.gaps.width_us) as usize;
            self.gaps.blocks.iter_mut().take(blocks).for_each(Gaps::clear);
        }
    }
}

impl Session {
    /// The outcome of each request up to the playhead.
    pub fn outcomes(&self) -> Outcomes {
        self.outcomes_and_report().0
    }

    /// The same with the report, whose figures they hold.
    pub fn outcomes_and_report(&self) -> (Outcomes, Report) {
        let results = self.report_data();
        let report_digest = Self::digest_of_data(&results);
        let (report, source) = (self.assess(results), self.engine.source());
        let outcomes = Outcomes {
            workload_digest: self.workload_digest().hex(),
            report_digest,
            report: ReportFigures::new(&report),
            ended: self.has_ended(),
            classes: source.classes().to_vec(),
            tenants: source.tenants().to_vec(),
            clients: source.clients().to_vec(),
            requests: self.rows().map(|row| Outcome::new(&row)).collect(),
            gaps: GapBlocks::default(),
        };
        (outcomes, report)
    }

    /// A digest of the workload, independent of the cluster and its policies: seed, clients, listed requests or the
    /// trace, the end of the run, and the edits of these. Equal digests mean the same arrivals, lengths, contents and
    /// draws; only the times of conversations that wait for their answers depend on the cluster too. Names of clients
    /// do not count, those of tenants and classes do; the seed does not count if nothing of the workload is drawn.
    pub fn workload_digest(&self) -> Digest {
        let mut asked = self.scenario.workload.clone();
        if let Some(trace) = &mut asked.trace {
            trace.file.clear();
            (asked.clients, asked.requests) = (Vec::new(), Vec::new());
        }
        for client in &mut asked.clients {
            let name = std::mem::take(&mut client.name);
            if client.tenant.is_empty() {
                client.tenant = name;
            }
        }
        let mut digest = Digest::default();
        digest.u64(if draws(&asked) { self.scenario.seed } else { 0 });
        digest.u64(self.scenario.run.horizon_s.to_bits());
        digest.u64(self.scenario.run.max_requests);
        digest.u64(self.trace().map_or(0, |t| t.digest().value()));
        digest.bytes(json::compact(&asked).as_bytes());
        for edit in self.edits.all().iter().filter(|e| !e.off) {
            for (path, value) in edit.set.iter().chain(&edit.add) {
                if path.starts_with("workload") {
                    digest.u64(edit.at_us);
                    digest.bytes(path.as_bytes());
                    digest.bytes(json::compact(value).as_bytes());
                }
            }
        }
        digest
    }

    /// Whether another seed is another workload.
    pub fn draws_workload(&self) -> bool {
        draws(&self.scenario.workload)
            || self.edits.all().iter().any(|e| e.change().paths().any(|p| p.starts_with("workload.clients")))
    }
}

fn draws(workload: &Workload) -> bool {
    match &workload.trace {
        Some(trace) => trace.jitter_s > 0.0,
        None => !workload.clients.is_empty(),
    }
}
