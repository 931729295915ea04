//! The edit log: what was changed when, and what is still to come.

use super::memory::check_memory;
use super::view::Flag;
use super::{Audience, Session};
use crate::base::{Diagnostic, Diagnostics, Micros, diag::has_errors, json};
use crate::scenario::{Edit, Scenario, TimedEdit, check_edit, parse_edit};

/// All edits in order, the first `applied` of them behind the playhead.
#[derive(Clone, Debug)]
pub(super) struct EditLog {
    edits: Vec<TimedEdit>,
    labels: Vec<String>,
    applied: usize,
}

/// The next edit's place on the clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    at_us: u64,
    after_events: Option<u64>,
}

impl Place {
    pub(super) fn at(self) -> Micros {
        Micros(self.at_us)
    }

    /// Up to which instant, and how many events, may run before it, when the next event is at `next`.
    ///
    /// The count only tells the events of the edit's own instant apart. Earlier ones all come first, however many they are:
    /// a change of the scenario changes their number.
    pub(super) fn room(self, done: u64, next: Micros) -> (Micros, u64) {
        match self.after_events {
            Some(n) if next >= self.at() => (self.at(), n.saturating_sub(done)),
            _ => (Micros(self.at_us.saturating_sub(1)), u64::MAX),
        }
    }

    /// Whether its place has been reached, when the next event is at `next`.
    pub(super) fn is_due(self, done: u64, next: Micros) -> bool {
        match self.after_events {
            Some(n) => next > self.at() || (next == self.at() && done >= n),
            None => next >= self.at(),
        }
    }
}

impl EditLog {
    pub(super) fn new(edits: &[TimedEdit]) -> Self {
        let labels = edits.iter().map(|e| label(&e.change)).collect();
        Self { edits: edits.to_vec(), labels, applied: 0 }
    }

    pub(super) fn restored(edits: &[TimedEdit], applied: usize) -> Self {
        Self { applied: applied.min(edits.len()), ..Self::new(edits) }
    }

    pub(super) fn all(&self) -> &[TimedEdit] {
        &self.edits
    }

    pub(super) fn applied(&self) -> usize {
        self.applied
    }

    pub(super) fn next(&self) -> Option<Place> {
        self.edits.get(self.applied).map(|e| Place { at_us: e.at_us, after_events: e.after_events })
    }

    pub(super) fn flags(&self) -> Vec<Flag> {
        let pairs = self.edits.iter().zip(&self.labels).enumerate();
        pairs
            .map(|(i, (e, label))| Flag { at_us: e.at_us, label: label.clone(), applied: i < self.applied })
            .collect()
    }
}

impl Session {
    /// Applies an edit, given as JSON text, at the playhead. With errors nothing changes.
    pub fn apply_text(&mut self, text: &str) -> Diagnostics {
        match parse_edit(text) {
            Ok(edit) => self.apply(edit),
            Err(problems) => problems,
        }
    }

    /// Applies an edit at the playhead. With errors nothing changes.
    pub fn apply(&mut self, change: Edit) -> Diagnostics {
        let mut problems = check_edit(&self.scenario, &change, "");
        if !has_errors(&problems) {
            problems.extend(self.memory_with(&change));
        }
        if has_errors(&problems) {
            return problems;
        }
        let at = self.edits.applied;
        let edit =
            TimedEdit { at_us: self.playhead.0, after_events: Some(self.engine.events_done()), change };
        self.edits.labels.insert(at, label(&edit.change));
        self.edits.edits.insert(at, edit);
        self.apply_next_edit();
        problems
    }

    /// A problem, if the run can come to need too much memory once it is edited.
    fn memory_with(&self, change: &Edit) -> Option<Diagnostic> {
        let mut edited = self.scenario();
        edited.edits.push(TimedEdit { at_us: self.playhead.0, after_events: None, change: change.clone() });
        let pools = 0..self.scenario.cluster.pools.len() as u32;
        let blocks: Vec<u32> = pools.map(|pool| self.engine.blocks_of(pool)).collect();
        let audience = if self.recorder.live { Audience::Live } else { Audience::Batch };
        check_memory(&edited, &blocks, self.trace.as_deref(), audience)
    }

    /// The next edit of the log that happens at all: what comes after the end of the run does not, be that its horizon or the
    /// instant at which a livelock made the engine give up. Events are still due after that one: a later edit would come
    /// before them, and they would run in its past.
    pub(super) fn next_edit(&self) -> Option<Place> {
        let given_up = self.engine.gave_up();
        let end = if given_up { self.engine.last_event_at() } else { self.engine.horizon() };
        self.edits.next().filter(|e| e.at() <= end)
    }

    /// Whether the next edit's place, at or before `until`, has been reached.
    pub(super) fn edit_is_due(&self, until: Micros) -> bool {
        let (done, next) = (self.engine.events_done(), self.next_event());
        self.next_edit().is_some_and(|e| e.at() <= until && e.is_due(done, next))
    }

    /// The instant of the next event; the end of time without one.
    pub(super) fn next_event(&self) -> Micros {
        self.engine.next_event_at().unwrap_or(Micros::MAX)
    }

    pub(super) fn apply_next_edit(&mut self) {
        let edit = &self.edits.edits[self.edits.applied];
        let now = Micros(edit.at_us).max(self.engine.last_event_at());
        let text = label(&edit.change);
        self.engine.apply(&edit.change, now, &mut self.recorder);
        self.recorder.note_edit(now, text);
        self.edits.applied += 1;
        self.playhead = self.playhead.max(now);
    }

    /// The edits on the timeline.
    pub(super) fn flags(&self) -> Vec<Flag> {
        self.edits.flags()
    }
}

/// An edit in a few words.
pub(super) fn label(edit: &Edit) -> String {
    match edit {
        Edit::ArrivalRate { rate_per_s, .. } => {
            format!("arrivals {}/s", super::words::three_digits(*rate_per_s))
        }
        Edit::Routing(policy) => format!("routing {}", kebab(policy)),
        Edit::Admission(policy) => format!("admission {}", kebab(policy)),
        Edit::Replicas { replicas, .. } => format!("replicas {replicas}"),
        Edit::MaxNumSeqs { max_num_seqs, .. } => format!("batch {max_num_seqs}"),
        Edit::MaxNumBatchedTokens { max_num_batched_tokens, .. } => {
            format!("budget {}", super::words::count(u64::from(*max_num_batched_tokens)))
        }
        Edit::KvBlocks { blocks, .. } => format!("KV {} blocks", super::words::count(u64::from(*blocks))),
        Edit::SnapshotRefresh { snapshot_refresh_us } => {
            format!("refresh {}", super::words::duration(*snapshot_refresh_us))
        }
    }
}

/// The name of a policy in a document: the string itself, or the one key of its object.
fn kebab(policy: &impl serde::Serialize) -> String {
    match json::tree(policy) {
        serde_json::Value::String(name) => name,
        serde_json::Value::Object(map) => map.keys().next().cloned().unwrap_or_default(),
        _ => String::new(),
    }
}

/// A scenario with its edit log replaced.
pub(super) fn with_edits(scenario: &Scenario, edits: &[TimedEdit]) -> Scenario {
    Scenario { edits: edits.to_vec(), ..scenario.clone() }
}
