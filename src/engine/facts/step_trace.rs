//! A recorder of everything, for golden files and debugging: it touches every running request at every step, so it is
//! off unless asked for.

use base::{Micros, ReplicaId, RequestId, Span};
use serde::{Deserialize, Serialize};

/// One step as it began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTrace {
    /// When it began.
    pub at: Micros,
    /// How long it takes.
    pub span: Span,
    /// Requests waiting once the batch was formed.
    pub waiting: u32,
    /// Blocks in use once the batch was formed.
    pub kv_used: u32,
    /// In batch order: the request, its progress before the step, its tokens in the step.
    pub batch: Vec<(RequestId, u32, u32)>,
}

/// What the recorder keeps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// Steps kept of each replica.
    pub steps_kept: u32,
    /// By replica: its first steps.
    pub steps: Vec<Vec<StepTrace>>,
    /// By request: the gaps between its tokens.
    pub itl: Vec<Vec<Span>>,
    /// Gaps that can still be kept.
    gaps_left: u64,
    /// Preemptions in order.
    pub preemptions: Vec<(Micros, ReplicaId, RequestId)>,
    /// By request: when it got its latest token.
    last_token: Vec<Micros>,
    /// By replica: the running step's batch (request, tokens in the step, whether it yields a token).
    running: Vec<Vec<(RequestId, u32, bool)>>,
}

impl Detail {
    /// A recorder that keeps the first `steps_kept` steps of each replica.
    #[must_use]
    pub fn new(steps_kept: u32) -> Self {
        Self { steps_kept, gaps_left: u64::MAX, ..Self::default() }
    }

    /// A recorder that keeps gaps between tokens and nothing else, at most that many: the first ones.
    #[must_use]
    pub fn of_gaps(most: u64) -> Self {
        Self { gaps_left: most, ..Self::default() }
    }

    /// Whether there was no room for a gap.
    pub fn is_full(&self) -> bool {
        self.gaps_left == 0
    }

    /// A step has formed its batch: (request, progress, tokens, whether it yields a token at the end).
    pub(crate) fn step_started(
        &mut self,
        replica: ReplicaId,
        trace: StepTrace,
        batch: Vec<(RequestId, u32, bool)>,
    ) {
        let r = replica.index();
        if self.steps.len() <= r {
            self.steps.resize(r + 1, Vec::new());
            self.running.resize(r + 1, Vec::new());
        }
        if self.steps[r].len() < self.steps_kept as usize {
            self.steps[r].push(trace);
        }
        self.running[r] = batch;
    }

    /// A step has ended at `now`: each request with a token got it now, or with its latest one if another front end shows that later.
    pub(crate) fn step_ended(&mut self, replica: ReplicaId, now: Micros, overhead: Span) {
        let Some(batch) = self.running.get_mut(replica.index()).map(std::mem::take) else { return };
        for (request, tokens, yields) in batch {
            if tokens > 0 && yields {
                let i = self.reach(request);
                let before = self.last_token[i];
                let shown = if before == Micros::MAX { now } else { now.max(before) };
                self.last_token[i] = shown;
                if before != Micros::MAX {
                    self.keep(i, shown.since(before) + overhead);
                }
            }
        }
    }

    /// `compat: blis`: a decode step of `gap` for `request`.
    pub(crate) fn gap(&mut self, request: RequestId, gap: Span) {
        let i = self.reach(request);
        self.keep(i, gap);
    }

    fn keep(&mut self, i: usize, gap: Span) {
        if self.gaps_left > 0 {
            self.gaps_left -= 1;
            self.itl[i].push(gap);
        }
    }

    /// `compat: blis`: preemption starts the output again.
    pub(crate) fn forget(&mut self, request: RequestId) {
        let i = self.reach(request);
        self.itl[i].clear();
    }

    fn reach(&mut self, request: RequestId) -> usize {
        let i = request.index();
        if self.itl.len() <= i {
            self.itl.resize(i + 1, Vec::new());
            self.last_token.resize(i + 1, Micros::MAX);
        }
        i
    }
}
