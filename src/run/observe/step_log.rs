//! The latest steps of a watched run, with what the time of each was made of and the parts of prompts in it: what the lanes of the page
//! show. A run that is not watched keeps none.

mod packed;

use base::{Micros, ReplicaId, SharedQueue, Span};
use engine::{PromptChunk, ReplicaFact, StepTerms};
use serde::{Deserialize, Serialize};

/// Most steps kept, of all replicas together.
pub(crate) const STEPS: usize = 131_072;

/// Most parts of prompts kept.
pub(crate) const CHUNKS: usize = 131_072;

/// Entries of a piece.
const PIECE: usize = 256;

/// A step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeptStep {
    pub(crate) replica: u32,
    /// Its number among the steps of its replica, from 0.
    pub(crate) seq: u64,
    pub(crate) at: u64,
    pub(crate) span: u64,
    /// Prompt tokens computed.
    pub(crate) prefill: u32,
    /// Requests that decode.
    pub(crate) decode: u32,
    /// Tokens of their contexts.
    pub(crate) context: u64,
    /// Prompts that it finishes, and that have a token from it.
    pub(crate) finished: u32,
    pub(crate) running: u32,
    pub(crate) waiting: u32,
    pub(crate) kv_used: u32,
    /// Parts of prompts in it.
    pub(crate) chunks: u32,
    /// Number of the first of these among all of the run.
    first_chunk: u64,
    pub(crate) terms: StepTerms,
}

impl KeptStep {
    /// When it ends.
    pub(crate) fn end(&self) -> u64 {
        self.at.saturating_add(self.span)
    }
}

/// What the engine has reported of the step that is about to begin.
#[derive(Clone, Copy, Debug, Default)]
struct ComingStep {
    terms: StepTerms,
    context: u64,
    chunks: u32,
    finished: u32,
}

/// A part of a prompt in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeptChunk(PromptChunk);

/// The latest steps.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct StepLog {
    steps: SharedQueue<KeptStep, PIECE>,
    chunks: SharedQueue<KeptChunk, PIECE>,
    /// Number of the first part of a prompt that is kept.
    first_chunk: u64,
    /// By replica: how many steps it has begun.
    begun: Vec<u64>,
    /// All steps that began at or after this instant are kept.
    kept_from: u64,
    /// No step that was kept took longer.
    longest: u64,
    #[serde(skip)]
    told: ComingStep,
}

impl StepLog {
    /// Whether this build keeps steps.
    pub(crate) const KEEPS: bool = true;

    pub(crate) fn terms(&mut self, terms: StepTerms, context: u64) {
        self.told = ComingStep { terms, context, ..ComingStep::default() };
    }

    pub(crate) fn chunk(&mut self, chunk: PromptChunk) {
        self.told.chunks += 1;
        self.told.finished += u32::from(chunk.ends);
        if self.chunks.len() >= CHUNKS {
            self.first_chunk += 1;
            self.chunks.drop_first();
        }
        self.chunks.push(KeptChunk(chunk));
    }

    pub(crate) fn fact(&mut self, at: Micros, fact: ReplicaFact) {
        let ReplicaFact::StepStarted { replica, span, prefill, decode, running, waiting, kv_used } = fact
        else {
            return;
        };
        if self.begun.len() <= replica.index() {
            self.begun.resize(replica.index() + 1, 0);
        }
        let begun = &mut self.begun[replica.index()];
        let ComingStep { terms, context, chunks, finished } = std::mem::take(&mut self.told);
        let first_chunk = self.first_chunk + self.chunks.len() as u64 - u64::from(chunks);
        let (replica, seq, at, span) = (replica.0, *begun, at.0, span.0);
        *begun += 1;
        self.longest = self.longest.max(span);
        if self.steps.len() >= STEPS {
            self.kept_from = self.steps.get(0).map_or(at, |gone| gone.at) + 1;
            self.steps.drop_first();
        }
        self.steps.push(KeptStep {
            replica,
            seq,
            at,
            span,
            prefill,
            decode,
            context,
            finished,
            running,
            waiting,
            kv_used,
            chunks,
            first_chunk,
            terms,
        });
    }

    /// All steps that began at or after this instant are kept.
    pub(crate) fn kept_from(&self) -> u64 {
        self.kept_from
    }

    /// The kept steps of which a part lies between two instants, in order of their begin.
    pub(crate) fn between(&self, from: u64, to: u64) -> impl Iterator<Item = &KeptStep> {
        let first = self.first_at(from.saturating_sub(self.longest));
        let kept = (first..self.steps.len()).map_while(|i| self.steps.get(i));
        kept.take_while(move |step| step.at < to).filter(move |step| step.end() > from || step.at >= from)
    }

    /// What the step of a replica that began then and took that long waited for others; none if it is not kept.
    pub(crate) fn waits(&self, replica: ReplicaId, at: Micros, span: Span) -> Option<Span> {
        let began = (self.first_at(at.0)..self.steps.len()).map_while(|i| self.steps.get(i));
        let mut began = began.take_while(|step| step.at == at.0);
        began.find(|step| step.replica == replica.0 && step.span == span.0).map(|step| step.terms.others)
    }

    /// The position of the first step that began at an instant or later.
    fn first_at(&self, at: u64) -> usize {
        let (mut low, mut high) = (0, self.steps.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.steps.get(middle).is_some_and(|step| step.at < at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// A step of a replica, if it is kept.
    pub(crate) fn step(&self, replica: u32, seq: u64) -> Option<&KeptStep> {
        self.steps
            .iter()
            .rev()
            .find(|step| step.replica == replica && step.seq <= seq)
            .filter(|s| s.seq == seq)
    }

    /// The parts of prompts in a step, in batch order; none if they are no longer kept.
    pub(crate) fn chunks_of(&self, step: &KeptStep) -> impl Iterator<Item = &PromptChunk> {
        let first = step.first_chunk.checked_sub(self.first_chunk);
        let (first, count) = first.map_or((0, 0), |first| (first as usize, step.chunks as usize));
        (first..first + count).filter_map(|i| self.chunks.get(i)).map(|KeptChunk(chunk)| chunk)
    }

    /// Packs what is kept.
    pub(crate) fn pack(&mut self) {
        self.steps.pack();
        self.chunks.pack();
    }

    /// Restores it; pieces are unpacked when they are read.
    pub(crate) fn unpack(&mut self) {
        self.steps.unpack();
        self.chunks.unpack();
    }

    /// Bytes not shared with `later`, which continued from a copy of this log.
    pub(crate) fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        self.steps.bytes_beside(later.map(|l| &l.steps)) + self.chunks.bytes_beside(later.map(|l| &l.chunks))
    }
}

#[cfg(test)]
mod tests;
