//! Outcomes of the requests of a run, as bytes that another module, thread or program can compare with those of
//! another run.
//!
//! The page's two runs live in separate threads, and the comparison in a separate module: this file writes the bytes,
//! `study/compare/read.rs` reads them. They hold the report's text, the digest of the workload, names, and for each
//! request some numbers of few bytes each.

use super::{RequestRow, Session};
use base::digest::Digest;
use base::json;
use document::Workload;

/// The first bytes: the format and its version.
pub const MAGIC: [u8; 8] = *b"tokyout1";

/// The outcome of a request, as its number in the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Ending {
    /// Completed, every objective of its class met.
    Met = 0,
    /// Completed, some objective missed.
    Missed = 1,
    /// Refused by admission, the router or a full wait queue.
    Refused = 2,
    /// Impossible to serve, or timed out.
    Dropped = 3,
    /// In the system, and beyond an objective already.
    Late = 4,
    /// In the system, and within its objectives so far.
    Open = 5,
}

impl Ending {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Met, Self::Missed, Self::Refused, Self::Dropped, Self::Late, Self::Open];

    /// Whether all its tokens were shown.
    pub fn finished(self) -> bool {
        matches!(self, Self::Met | Self::Missed)
    }

    /// Whether its objectives are decided: it finished, was refused or was dropped. Shares of requests that met their
    /// objectives are among these; requests still in the system do not count.
    pub fn decided(self) -> bool {
        !self.unfinished()
    }

    /// Whether it was still in the system.
    pub fn unfinished(self) -> bool {
        matches!(self, Self::Late | Self::Open)
    }
}

/// A writer of numbers in few bytes: seven bits in each, the lowest first; the highest bit marks that more follow.
#[derive(Default)]
pub struct Written(pub Vec<u8>);

impl Written {
    /// Adds a number.
    #[inline(never)]
    pub fn number(&mut self, mut x: u64) {
        while x >= 0x80 {
            self.0.push(x as u8 | 0x80);
            x >>= 7;
        }
        self.0.push(x as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    fn names(&mut self, names: &[String]) {
        self.number(names.len() as u64);
        for name in names {
            self.text(name);
        }
    }

    /// 0 for none, else the number plus 1.
    fn maybe(&mut self, x: Option<u64>) {
        self.number(x.map_or(0, |x| x + 1));
    }
}

impl Session {
    /// The outcome of each request up to the playhead, as bytes. Equal runs give equal bytes.
    pub fn outcomes(&self) -> Vec<u8> {
        self.outcomes_and(&[])
    }

    /// The same; `gaps` are further bytes, those of the gaps between tokens by time.
    pub fn outcomes_and(&self, gaps: &[u8]) -> Vec<u8> {
        let mut out = Written(MAGIC.to_vec());
        out.text(&self.assessed());
        out.number(self.workload_digest().value());
        out.number(u64::from(self.has_ended()));
        let source = self.engine.source();
        for names in [source.classes(), source.tenants(), source.clients()] {
            out.names(names);
        }
        out.number(self.engine.records().len() as u64);
        let mut before = 0;
        for row in self.rows() {
            out.number(row.arrival_us() - before);
            before = row.arrival_us();
            write_request(&mut out, &row);
        }
        out.0.extend_from_slice(gaps);
        let check = Digest::of(&out.0).value();
        out.0.extend_from_slice(&check.to_le_bytes());
        out.0
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

fn write_request(out: &mut Written, row: &RequestRow<'_>) {
    let r = &row.record;
    out.number(2 * row.ending() as u64 + u64::from(row.measured()));
    for x in [r.session, r.client, r.tenant, r.class, r.prompt_tokens, r.output_tokens] {
        out.number(x.into());
    }
    out.maybe(row.replica().map(u64::from));
    out.maybe(row.ttft_us());
    out.maybe(row.e2e_us());
    out.maybe(row.queue_wait_us());
    out.maybe(row.scheduling_delay_us());
}

fn draws(workload: &Workload) -> bool {
    match &workload.trace {
        Some(trace) => trace.jitter_s > 0.0,
        None => !workload.clients.is_empty(),
    }
}
