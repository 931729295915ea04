//! What is kept of the contexts of sessions while they pause, for the page: looked at at the end of each bucket of the timeline. It
//! reads the caches, and changes no run.

use super::origins::Origins;
use super::texts::Texts;
use base::{Micros, ReplicaId, RequestId};
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
/// Most parts of a context that are wanted for different times.
const WANTED: usize = 4;
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

/// What a directive wants kept of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Up to this token of it.
    pub(crate) tokens: u32,
    /// Until when; [`Micros::MAX`] for ever.
    pub(crate) until: Micros,
}

/// What was seen of a turn and of the pause after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    /// Blocks of its prompt that were found, by level, if any were below the GPU; and on which replica.
    pub(crate) found: &'a [u32],
    pub(crate) replica: ReplicaId,
    /// What was wanted of its context as the pause began.
    pub(crate) wanted: &'a [Wanted],
    /// What was kept in the pause.
    pub(crate) steps: &'a [Kept],
}

/// A pause, and the request before it.
#[derive(Clone, Debug)]
struct Pause {
    request: RequestId,
    replica: ReplicaId,
    found: Box<[u32]>,
    wanted: Box<[Wanted]>,
    steps: Box<[Kept]>,
}

/// The latest turn of a session. Without a chain it is under way, or is not followed.
#[derive(Clone, Debug)]
struct Latest {
    session: u32,
    request: RequestId,
    is_over: bool,
    /// The replica that it found blocks on, or was on when it ended.
    replica: ReplicaId,
    chain: Rc<[u64]>,
    found: Vec<u32>,
    wanted: Vec<Wanted>,
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
    pub(super) fn close(&mut self, engine: &Cluster, texts: &Texts, origins: &Origins, end: Micros) {
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
            turn.find(origins);
            let record = records.at(turn.request.index());
            let (Some(ended), Some(replica)) = (record.finish().get(), replica_of(engine, &record)) else {
                continue;
            };
            turn.is_over = true;
            turn.replica = replica.id();
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
            if let Some(replica) = engine.replicas().get(turn.replica.index()) {
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
        if let Some(turn) = before.filter(|turn| !turn.steps.is_empty() || !turn.found.is_empty()) {
            let Latest { request, replica, .. } = turn;
            let (found, wanted, steps) = (turn.found.into(), turn.wanted.into(), turn.steps.into());
            self.newest.push(Pause { request, replica, found, wanted, steps });
        }
        if self.newest.len() >= PIECE {
            self.pieces.push_back(std::mem::take(&mut self.newest).into());
            if self.pieces.len() > PIECES {
                self.pieces.pop_front();
            }
        }
        self.latest.push_back(Latest {
            session,
            request,
            is_over: false,
            replica: ReplicaId(0),
            chain: Rc::default(),
            found: Vec::new(),
            wanted: Vec::new(),
            steps: Vec::new(),
        });
    }

    /// What was seen of requests and of the pauses after them, in no order.
    pub(crate) fn all(&self) -> impl Iterator<Item = (RequestId, Seen<'_>)> {
        let over = self.pieces.iter().flat_map(|piece| piece.iter()).chain(&self.newest);
        let over = over.map(|p| {
            (p.request, Seen { found: &p.found, replica: p.replica, wanted: &p.wanted, steps: &p.steps })
        });
        let latest = self.latest.iter().map(|t| {
            (t.request, Seen { found: &t.found, replica: t.replica, wanted: &t.wanted, steps: &t.steps })
        });
        over.chain(latest)
    }

    /// Approximate number of bytes that every copy owns.
    pub(super) fn bytes_alive(&self) -> u64 {
        let open = self
            .latest
            .iter()
            .map(|turn| size_of::<Latest>() + size_of_val(&turn.steps[..]) + size_of_val(&turn.found[..]));
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

fn bytes(pauses: &[Pause]) -> u64 {
    let of = |pause: &Pause| {
        let [found, steps] = [size_of_val(&pause.found[..]), size_of_val(&pause.steps[..])];
        size_of::<Pause>() + found + steps + size_of_val(&pause.wanted[..])
    };
    pauses.iter().map(of).sum::<usize>() as u64
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
        self.want(replica);
    }

    /// It is not followed: there are too many blocks.
    fn leave(&mut self) {
        (self.chain, self.steps, self.wanted) = (Rc::default(), Vec::new(), Vec::new());
    }

    /// Where the blocks of its prompt were found, if some were below the GPU.
    fn find(&mut self, origins: &Origins) {
        let Some(origin) = origins.of(self.request) else { return };
        let is_below = origin.found.iter().skip(1).any(|blocks| *blocks > 0);
        if is_below && self.found != origin.found {
            (self.found, self.replica) = (origin.found.clone(), origin.replica);
        }
    }

    /// What its session wants kept of its context.
    fn want(&mut self, replica: &Replica) {
        let (kv, scope) = (replica.kv(), u64::from(self.session));
        if !kv.obeys_directives() {
            return;
        }
        for (hash, blocks) in self.chain.iter().zip(1u32..) {
            let Some(until) = kv.wanted_until(*hash, scope) else { continue };
            let tokens = blocks * kv.block_tokens();
            if let Some(last) = self.wanted.last_mut().filter(|last| last.until == until) {
                last.tokens = tokens;
            } else if self.wanted.len() < WANTED {
                self.wanted.push(Wanted { tokens, until });
            }
        }
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
