//! Snapshots: saving and restoring a run. Restoring and running on gives the same as an uninterrupted run.

use super::Session;
use super::edits::{Course, EditLog, with_edits};
use crate::observe::StepLog;
use crate::observe::recorder::Recorder;
use base::digest::Digest;
use base::{Micros, diag::has_errors};
use document::{parse, to_json};
use engine::Cluster;
use engine::perf::Plan;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A build without the log of steps lays the bytes out in another way.
const MAGIC: [u8; 8] = if StepLog::KEEPS { *b"tokyard8" } else { *b"tokyar-7" };

/// Why a snapshot could not be used. The session stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// It is not a snapshot of this version.
    Foreign,
    /// Its bytes were changed or cut off.
    Damaged,
    /// It was taken of a run on another trace.
    OtherTrace,
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Foreign => {
                "these bytes are not a snapshot of this version; run the scenario from the start"
            }
            Self::Damaged => "the snapshot is damaged; run the scenario from the start",
            Self::OtherTrace => "the snapshot belongs to another trace; load that trace first",
        })
    }
}

impl std::error::Error for SnapshotError {}

#[derive(Serialize, Deserialize)]
struct Body<E, R> {
    scenario: String,
    trace: Option<u64>,
    applied: u64,
    playhead: Micros,
    engine: E,
    recorder: R,
}

impl Session {
    /// The whole run as bytes: the same whichever checkpoint it continued from.
    pub fn snapshot(&self) -> Vec<u8> {
        let engine = self.engine.clone().as_if_packed();
        let body = Body {
            scenario: to_json(&with_edits(&self.scenario, self.edits.all())),
            trace: self.trace().map(|t| t.digest().value()),
            applied: self.edits.applied() as u64,
            playhead: self.playhead,
            engine: &engine,
            recorder: &self.recorder,
        };
        let body = postcard::to_stdvec(&body).expect("INV-6: state is plain data");
        let mut bytes = Vec::with_capacity(body.len() + 16);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&Digest::of(&body).value().to_le_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }

    /// Goes back (or forward) to a snapshot of this scenario or another one on the same trace.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let (magic, rest) = bytes.split_first_chunk::<8>().ok_or(SnapshotError::Foreign)?;
        if *magic != MAGIC {
            return Err(SnapshotError::Foreign);
        }
        let (digest, body) = rest.split_first_chunk::<8>().ok_or(SnapshotError::Damaged)?;
        if u64::from_le_bytes(*digest) != Digest::of(body).value() {
            return Err(SnapshotError::Damaged);
        }
        let body: Body<Cluster, Recorder> = postcard::from_bytes(body).map_err(|_| SnapshotError::Damaged)?;
        if body.trace != self.trace().map(|t| t.digest().value()) {
            return Err(SnapshotError::OtherTrace);
        }
        let mut scenario = parse(&body.scenario).map_err(|_| SnapshotError::Damaged)?;
        let edits = std::mem::take(&mut scenario.edits);
        let (plan, _) = Plan::new(scenario.clone()).map_err(|_| SnapshotError::Damaged)?;
        let log = EditLog::restored(&edits, body.applied as usize);
        let course = Course::new(plan, &edits[..log.applied()]);
        if has_errors(&course.problems) {
            return Err(SnapshotError::Damaged);
        }
        (self.plan, self.needs) = (course.plan, course.needs);
        self.edits = log;
        self.scenario = scenario;
        self.playhead = body.playhead;
        self.engine = body.engine;
        self.recording = self.recording.take().map(|r| r.under(&self.scenario));
        self.engine.attach(self.recording.as_ref().map(|r| &r.rows));
        self.recorder = body.recorder;
        self.forget_requests();
        Ok(())
    }
}
