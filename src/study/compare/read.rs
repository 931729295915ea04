//! Outcomes of a run, read from the bytes that [`Session::outcomes`](run::session::Session::outcomes) writes: bounded, and checked.

use base::digest::Digest;
use base::{Diagnostic, Diagnostics, Maybe, Span, json};
use document::limits;
use run::session::outcomes::{Ending, MAGIC};
use run::session::{PoolEvidence, RunVerdict, Session};
use serde_json::Value;

/// One request of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Mean gap between its tokens in whole microseconds, of a finished request of two tokens or more: (E2E − TTFT) / (tokens − 1).
    pub fn tpot_us(&self) -> Option<u64> {
        let gaps = self.output_tokens.checked_sub(1).filter(|gaps| *gaps > 0)?;
        Some((self.e2e_us? - self.ttft_us?) / u64::from(gaps))
    }
}

/// The gaps between tokens in one stretch of time: values in microseconds with their counts.
pub type Gaps = Vec<(u64, u32)>;

/// The gaps between tokens by time, if kept: [`GapLog`](super::GapLog).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GapBlocks {
    /// Length of a block of time in microseconds; 0 if gaps were not kept.
    pub width_us: u64,
    /// The blocks, from the start of the run.
    pub blocks: Vec<Gaps>,
}

/// The outcomes of the requests of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcomes {
    /// Digest of the workload: equal for equal arrivals, lengths, contents and draws.
    pub workload_digest: String,
    /// Digest of the report: equal for equal results.
    pub report_digest: String,
    /// The report as JSON.
    pub report: Value,
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
    /// Reads outcomes. Bytes that are cut off, changed or of another version are refused.
    pub fn read(bytes: &[u8]) -> Result<Self, Diagnostics> {
        Self::parts(bytes).ok_or_else(|| {
            let (found, allowed) =
                ("bytes that are not a run's outcomes", "what `outcomes` of a run gave, whole");
            vec![Diagnostic::error("", found, allowed, "make them again with this version")]
        })
    }

    /// Excludes requests that arrived before an instant, and gaps in blocks that began before it.
    pub(super) fn count_since(&mut self, since_us: u64) {
        self.requests.iter_mut().filter(|r| r.arrival_us < since_us).for_each(|r| r.counted = false);
        if let Some(before) = since_us.checked_next_multiple_of(self.gaps.width_us) {
            let blocks = (before / self.gaps.width_us) as usize;
            self.gaps.blocks.iter_mut().take(blocks).for_each(Gaps::clear);
        }
    }

    /// A number of the report by its path, such as `throughput/goodput_per_s`.
    pub fn figure(&self, path: &str) -> Option<f64> {
        self.report.pointer(&format!("/{path}")).and_then(Value::as_f64)
    }

    /// The verdict on its load.
    pub fn load(&self) -> RunVerdict {
        serde_json::from_value(self.report["verdict"].clone()).unwrap_or_default()
    }

    /// The evidence for the latency figures of its pools.
    pub fn evidence(&self) -> Vec<PoolEvidence> {
        json::data(&self.report["evidence"]).unwrap_or_default()
    }

    fn parts(bytes: &[u8]) -> Option<Self> {
        let (body, check) = bytes.split_last_chunk::<8>()?;
        if u64::from_le_bytes(*check) != Digest::of(body).value() {
            return None;
        }
        let mut from = Reading(body.strip_prefix(&MAGIC)?);
        let report = from.text()?;
        let mut read = Self {
            report_digest: Session::digest_of(report),
            report: serde_json::from_str(report).ok()?,
            workload_digest: format!("{:016x}", from.number()?),
            ended: from.number()? > 0,
            classes: from.names()?,
            tenants: from.names()?,
            clients: from.names()?,
            requests: Vec::new(),
            gaps: GapBlocks::default(),
        };
        let most = limits::REQUESTS.min(from.0.len() as u64);
        let requests = from.number().filter(|n| *n <= most)?;
        let mut arrival_us = 0;
        for _ in 0..requests {
            let request = from.request(arrival_us)?;
            let named = (request.class as usize) < read.classes.len()
                && (request.tenant as usize) < read.tenants.len()
                && (request.client as usize) < read.clients.len();
            arrival_us = request.arrival_us;
            read.requests.push(Some(request).filter(|_| named)?);
        }
        if !from.0.is_empty() {
            read.gaps = from.gaps()?;
        }
        from.0.is_empty().then_some(read)
    }
}

/// The bytes not read yet.
struct Reading<'a>(&'a [u8]);

impl<'a> Reading<'a> {
    fn number(&mut self) -> Option<u64> {
        let mut x = 0_u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            let part = u64::from(byte & 0x7f);
            // The tenth byte holds one bit.
            if shift == 63 && part > 1 {
                return None;
            }
            x |= part << shift;
            if byte < 0x80 {
                return Some(x);
            }
        }
        None
    }

    fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    /// A duration or an instant: below 2^53 microseconds.
    fn maybe(&mut self) -> Option<Maybe<Span>> {
        let x = self.number().filter(|x| *x < 1 << 53)?;
        Some(x.checked_sub(1).map_or(Maybe::NONE, |us| Span(us).into()))
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }

    fn names(&mut self) -> Option<Vec<String>> {
        let count = self.number().filter(|n| *n <= self.0.len() as u64)?;
        (0..count).map(|_| self.text().map(str::to_owned)).collect()
    }

    fn request(&mut self, before_us: u64) -> Option<Outcome> {
        let arrival_us = before_us.checked_add(self.number()?).filter(|us| *us < 1 << 53)?;
        let state = self.number()?;
        let ending = *Ending::ALL.get(usize::try_from(state / 2).ok()?)?;
        let [session, client, tenant, class] = [self.small()?, self.small()?, self.small()?, self.small()?];
        let [prompt_tokens, output_tokens] = [self.small()?, self.small()?];
        let replica = self.small()?.checked_sub(1);
        let times = [self.maybe()?, self.maybe()?, self.maybe()?, self.maybe()?];
        let [ttft_us, e2e_us, queue_wait_us, scheduling_delay_us] = times.map(|t| t.get().map(|span| span.0));
        // The last token cannot come before the first.
        let in_order = e2e_us.is_none() || ttft_us.is_some_and(|ttft| e2e_us >= Some(ttft));
        in_order.then_some(Outcome {
            arrival_us,
            ending,
            counted: state % 2 == 1,
            session,
            client,
            tenant,
            class,
            prompt_tokens,
            output_tokens,
            replica,
            ttft_us,
            e2e_us,
            queue_wait_us,
            scheduling_delay_us,
        })
    }

    fn gaps(&mut self) -> Option<GapBlocks> {
        let width_us = self.number().filter(|us| *us > 0 && *us < 1 << 53)?;
        let blocks = self.number().filter(|n| *n <= super::gaps::MOST_BLOCKS as u64)?;
        let mut read = GapBlocks { width_us, blocks: Vec::new() };
        for _ in 0..blocks {
            let runs = self.number().filter(|n| *n <= self.0.len() as u64)?;
            let (mut block, mut value) = (Gaps::new(), 0_u64);
            for _ in 0..runs {
                value = value.checked_add(self.number()?).filter(|us| *us < 1 << 53)?;
                block.push((value, self.small()?));
            }
            read.blocks.push(block);
        }
        Some(read)
    }
}
