//! What is kept of the contexts of sessions while they pause, for the page: looked at at the end of each bucket of the timeline. It
//! reads the caches, and changes no run.

use super::texts::Texts;
use base::{Micros, RequestId};
use engine::{Cluster, Record, Replica};
use std::collections::VecDeque;
use std::rc::Rc;

/// Most sessions that are followed: those whose latest turns began last.
const SESSIONS: usize = 128;
/// Most blocks that are looked for, of one context and of all.
const BLOCKS: u32 = 8192;
const ALL_BLOCKS: usize = 1 << 18;
/// Blocks of contexts that are looked for at the end of a bucket; contexts that are left come first at the end of the next.
const BLOCKS_A_BUCKET: usize = 1 << 14;
/// A step is at least this part of its context.
const PART: u32 = 32;
/// Most steps of a pause.
const STEPS: usize = 48;
/// Pauses of a piece, and most pieces that are kept, beside the newest pauses.
const PIECE: usize = 256;
const PIECES: usize = 32;

/// What is kept of a context from an instant on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) at: Micros,
    /// Leading tokens that the GPU has.
    pub(crate) gpu: u32,
    /// Leading tokens that the GPU or a tier below has.
    pub(crate) all: u32,
}

/// A pause: the request before it, and what was kept in it.
#[derive(Clone, Debug)]
struct Pause {
    request: RequestId,
    steps: Box<[Kept]>,
}

/// The latest turn of a session. Without a chain it is under way, or is not followed.
#[derive(Clone, Debug)]
struct Latest {
    session: u32,
    request: RequestId,
    is_over: bool,
    /// The position of its replica, once it is over.
    replica: usize,
    chain: Rc<[u64]>,
    steps: Vec<Kept>,
}

/// The latest pauses of sessions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pauses {
    /// Requests that were looked at.
    read: usize,
    latest: VecDeque<Latest>,
    /// The position of the next one that is looked at.
    next: usize,
    pieces: VecDeque<Rc<[Pause]>>,
    newest: Vec<Pause>,
}

impl Pauses {
    /// A bucket ends.
    pub(super) fn close(&mut self, engine: &Cluster, texts: &Texts, end: Micros) {
        let records = engine.records();
        for number in self.read..records.len() {
            let session = records.at(number).session;
            if session > 0 {
                self.began(session, RequestId(number as u32));
            }
        }
        self.read = records.len();
        let mut blocks: usize = self.latest.iter().map(|turn| turn.chain.len()).sum();
        for turn in &mut self.latest {
            if turn.is_over {
                continue;
            }
            let record = records.at(turn.request.index());
            let (Some(ended), Some(replica)) = (record.finish().get(), replica_of(engine, &record)) else {
                continue;
            };
            turn.is_over = true;
            turn.replica = replica.id().index();
            turn.follow(replica, &record, texts, ended);
            blocks += turn.chain.len();
            if blocks > ALL_BLOCKS {
                blocks -= turn.chain.len();
                turn.leave();
            }
        }
        self.look(engine, end);
    }

    /// Looks at what is kept of the contexts in turn, as many as there is time for.
    fn look(&mut self, engine: &Cluster, end: Micros) {
        let mut left = BLOCKS_A_BUCKET;
        for _ in 0..self.latest.len() {
            let at = self.next % self.latest.len();
            let turn = &mut self.latest[at];
            if turn.chain.len() > left {
                break;
            }
            left -= turn.chain.len();
            self.next = at + 1;
            if let Some(replica) = engine.replicas().get(turn.replica) {
                turn.look(engine, replica, end);
            }
        }
    }

    /// A turn of a session began: its pause is over.
    fn began(&mut self, session: u32, request: RequestId) {
        let at = self.latest.iter().position(|turn| turn.session == session);
        let before = match at {
            Some(at) => self.latest.remove(at),
            None if self.latest.len() >= SESSIONS => self.latest.pop_front(),
            None => None,
        };
        if let Some(before) = before.filter(|turn| !turn.steps.is_empty()) {
            self.newest.push(Pause { request: before.request, steps: before.steps.into() });
        }
        if self.newest.len() >= PIECE {
            self.pieces.push_back(std::mem::take(&mut self.newest).into());
            if self.pieces.len() > PIECES {
                self.pieces.pop_front();
            }
        }
        let (chain, steps) = (Rc::default(), Vec::new());
        self.latest.push_back(Latest { session, request, is_over: false, replica: 0, chain, steps });
    }

    /// What was kept in the pauses after requests, in no order.
    pub(crate) fn all(&self) -> impl Iterator<Item = (RequestId, &[Kept])> {
        let over = self.pieces.iter().flat_map(|piece| piece.iter()).chain(&self.newest);
        let latest = self.latest.iter().map(|turn| (turn.request, &turn.steps[..]));
        over.map(|pause| (pause.request, &pause.steps[..])).chain(latest)
    }

    /// Approximate number of bytes that every copy owns.
    pub(super) fn bytes_alive(&self) -> u64 {
        let open = self.latest.iter().map(|turn| size_of::<Latest>() + bytes_of(&turn.steps));
        (open.sum::<usize>() + 16 * self.pieces.len()) as u64 + bytes(&self.newest)
    }

    /// Bytes that are not shared with `later`, which continued from a copy.
    pub(super) fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        let is_shared = |piece: &Rc<[Pause]>| {
            later.is_some_and(|l| l.pieces.iter().any(|other| Rc::ptr_eq(piece, other)))
        };
        self.pieces.iter().filter(|piece| !is_shared(piece)).map(|piece| bytes(piece)).sum()
    }
}

/// The replica that a request is on, or was on last.
fn replica_of<'a>(engine: &'a Cluster, record: &Record) -> Option<&'a Replica> {
    record.replica().and_then(|replica| engine.replicas().get(replica.index()))
}

fn bytes_of(steps: &[Kept]) -> usize {
    size_of_val(steps)
}

fn bytes(pauses: &[Pause]) -> u64 {
    pauses.iter().map(|pause| size_of::<Pause>() + bytes_of(&pause.steps)).sum::<usize>() as u64
}

impl Latest {
    /// Its pause begins: all full blocks of its context are there.
    fn follow(&mut self, replica: &Replica, record: &Record, texts: &Texts, ended: Micros) {
        let block = replica.kv().block_tokens();
        if !replica.kv().caching() {
            return;
        }
        let Some(text) = texts.of(self.request) else { return };
        let stored = (record.prompt_tokens + record.generated).saturating_sub(1).min(text.whole.len());
        self.chain = text.whole.chain(block, (stored / block).min(BLOCKS)).into();
        let all = self.chain.len() as u32 * block;
        self.steps.push(Kept { at: ended, gpu: all, all });
    }

    /// It is not followed: there are too many blocks.
    fn leave(&mut self) {
        (self.chain, self.steps) = (Rc::default(), Vec::new());
    }

    /// Looks at what is kept now.
    fn look(&mut self, engine: &Cluster, replica: &Replica, now: Micros) {
        let Some(before) = self.steps.last().copied().filter(|_| self.steps.len() < STEPS) else { return };
        let (kv, lower) = (replica.kv(), engine.lower_tiers());
        let is_below = |hash: u64| {
            kv.known_below(&[hash]) > 0 || lower.is_some_and(|lower| lower.has_below(replica.id(), hash))
        };
        let on_gpu = self.chain.iter().take_while(|hash| kv.found_in(**hash).is_some()).count();
        let rest = &self.chain[on_gpu..];
        let below = rest.iter().take_while(|hash| kv.found_in(**hash).is_some() || is_below(**hash)).count();
        let [gpu, all] = [on_gpu, on_gpu + below].map(|blocks| blocks as u32 * kv.block_tokens());
        let least = (self.chain.len() as u32 * kv.block_tokens() / PART).max(1);
        let is_step = |before: u32, now: u32| before.abs_diff(now) >= least || (now == 0 && before > 0);
        if is_step(before.gpu, gpu) || is_step(before.all, all) {
            self.steps.push(Kept { at: now, gpu, all });
        }
    }
}
