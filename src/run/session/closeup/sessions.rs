//! Sessions over time: their turns, what each turn found of what was known before it, and what is kept in a pause that lasts.

use super::pause_map::{Comeback, PauseMap};
use crate::observe::pauses::Seen;
use crate::session::Session;
use crate::session::again::{AgainStep, again_steps};
use base::small::sort::sort_pairs;
use base::{Content, Micros, ReplicaId, RequestId};
use engine::{PrefetchOutcome, Record};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most sessions of an answer.
const SESSIONS: usize = 120;
/// Most turns of an answer.
const TURNS: usize = 6000;
/// Most blocks of a context that are looked for.
const BLOCKS: u32 = 8192;

/// Asks for the sessions between two instants.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionsQuery {
    /// Turns that had not ended at this instant, in microseconds.
    pub from_us: u64,
    /// Turns that arrived up to this instant, in microseconds; 0 means the playhead.
    pub to_us: u64,
    /// A request whose session is among the rows in any case.
    #[cfg_attr(feature = "types", ts(optional))]
    pub request: Option<u32>,
}

/// Sessions over time.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SessionRows {
    /// From this instant.
    pub from_us: u64,
    /// To this one.
    pub to_us: u64,
    /// The sessions with a turn between the two, by their first request. If there are more than 120, or more than 6,000 turns, only that
    /// of the request.
    pub rows: Vec<SessionRow>,
    /// In that case all of them as a map.
    pub map: Option<PauseMap>,
    /// How many there are; the sums below are of all of them.
    pub sessions: u32,
    /// Turns that came back to something known and joined a batch.
    pub returns: u32,
    /// Tokens of their prompts that were known.
    pub known_tokens: u64,
    /// Of these, tokens that no cache had: they were computed again.
    pub again_tokens: u64,
    /// The same from the beginning of the run on, over time; before the first of the two instants one step.
    pub again: Vec<AgainStep>,
    /// Tokens of the longest context of the rows.
    pub longest_tokens: u32,
}

/// One session.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SessionRow {
    /// Its client.
    pub client: String,
    /// Which of the client's sessions it is, by first request: 1 and up.
    pub number: u32,
    /// Its turns between the two instants, by arrival.
    pub turns: Vec<SessionTurn>,
    /// Tokens that its turns between the two instants computed again.
    pub again_tokens: u64,
    /// Tokens of its latest prompt and answer, from the start on, that a replica finds now in its tiers; missing while a turn is under
    /// way.
    pub kept_tokens: Option<u32>,
}

/// What was kept of the context of a turn from an instant of the pause after it on.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KeptStep {
    /// The instant: the end of the turn, then ends of buckets of the timeline.
    pub at_us: u64,
    /// Tokens of its context, from the start on, that the GPU of its replica had.
    pub gpu_tokens: u32,
    /// Tokens that this GPU or a tier below it had.
    pub kept_tokens: u32,
}

/// Tokens of a prompt that were found in one tier.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FoundPart {
    /// `gpu`, `cpu`, `fs`, `p2p`, or the name of a store.
    pub tier: String,
    /// How many.
    pub tokens: u32,
}

/// What a directive wanted kept of a context.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WantedPart {
    /// Up to this token of it.
    pub tokens: u32,
    /// For how long from the end of the turn; null for ever.
    pub for_us: Option<u64>,
}

/// Blocks that a prefetch brought in a pause.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FetchedPart {
    /// When they were there: so long after the end of the turn.
    pub after_us: u64,
    /// Their tokens.
    pub tokens: u32,
    /// Tokens of the context, from the start on, that the GPU had then, as far as that is known.
    pub gpu_tokens: u32,
}

/// One turn.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SessionTurn {
    /// Its request.
    pub request: u32,
    /// When it arrived.
    pub from_us: u64,
    /// How long its session had paused then; missing if the turn before had not ended, or there was none.
    pub pause_us: Option<u64>,
    /// When it joined a batch.
    pub joined_us: Option<u64>,
    /// When its first token was shown.
    pub first_us: Option<u64>,
    /// When it ended.
    pub end_us: Option<u64>,
    /// Tokens of its prompt.
    pub prompt_tokens: u32,
    /// Tokens of its prompt and its answer.
    pub context_tokens: u32,
    /// Tokens of its prompt that were in the turn before.
    pub known_tokens: u32,
    /// Of its prompt, tokens found in a cache; missing before it has joined a batch.
    pub found_tokens: Option<u32>,
    /// Known tokens that were computed again; missing before it has joined a batch.
    pub again_tokens: Option<u32>,
    /// Where that was found, the GPU first; empty if that is not known, or none of it lay below the GPU.
    pub found: Vec<FoundPart>,
    /// What was kept of its context in the pause after it; empty if that was not followed.
    pub kept: Vec<KeptStep>,
    /// What directives wanted kept of it, from the start on.
    pub wanted: Vec<WantedPart>,
    /// What prefetches brought of it in that pause.
    pub fetched: Vec<FetchedPart>,
}

impl SessionTurn {
    fn comeback(&self) -> Option<Comeback> {
        let again = self.again_tokens.filter(|_| self.known_tokens > 0)?;
        let (request, from_us, pause_us, known) =
            (self.request, self.from_us, self.pause_us, self.known_tokens);
        Some(Comeback { request, from_us, pause_us, known, again })
    }
}

impl Session {
    /// Sessions between two instants.
    pub fn sessions(&self, query: &SessionsQuery) -> SessionRows {
        let to = if query.to_us == 0 { self.playhead.0 } else { query.to_us.min(self.playhead.0) };
        let mut all = self.sessions_until(to);
        let turns = all.iter().flat_map(|row| &row.turns);
        let joined = turns.filter_map(|turn| turn.joined_us.zip(turn.again_tokens.map(u64::from)));
        let again = again_steps(joined.collect(), query.from_us, to);
        for row in &mut all {
            row.turns.retain(|turn| turn.end_us.is_none_or(|end| end >= query.from_us));
            row.again_tokens = row.turns.iter().filter_map(|turn| turn.again_tokens).map(u64::from).sum();
        }
        all.retain(|row| !row.turns.is_empty());
        let answer = SessionRows { from_us: query.from_us, to_us: to, again, ..SessionRows::default() };
        self.answer_of(answer, all, query.request)
    }

    /// All sessions that have begun, with all their turns.
    fn sessions_until(&self, to: u64) -> Vec<SessionRow> {
        let records = self.engine.records();
        let mut all: Vec<(u64, u64)> = (0u32..)
            .zip(records)
            .filter(|(_, r)| r.session > 0 && r.arrival.0 <= to)
            .map(|(i, r)| (u64::from(r.session), u64::from(i)))
            .collect();
        sort_pairs(&mut all);
        let mut sessions: Vec<&[(u64, u64)]> = all.chunk_by(|a, b| a.0 == b.0).collect();
        sessions.sort_by_key(|session| session.first().map(|(_, first)| *first));
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        let mut rows = Vec::with_capacity(sessions.len());
        for session in sessions {
            let mut turns = Vec::with_capacity(session.len());
            let mut before: Option<Record> = None;
            for &(_, i) in session {
                let r = records.at(i as usize);
                turns.push(self.turn_of(i as u32, &r, before.as_ref()));
                before = Some(r);
            }
            let client = before.map_or(0, |r| r.client);
            let number = numbers.entry(client).or_insert(0);
            *number += 1;
            let name = self.engine.source().clients().get(client as usize);
            let client = name.cloned().unwrap_or_default();
            rows.push(SessionRow { client, number: *number, turns, ..SessionRow::default() });
        }
        rows
    }

    /// The rows or the map of them, and the sums of all.
    fn answer_of(
        &self,
        mut answer: SessionRows,
        mut rows: Vec<SessionRow>,
        request: Option<u32>,
    ) -> SessionRows {
        answer.sessions = rows.len() as u32;
        let back = || rows.iter().flat_map(|row| &row.turns).filter_map(SessionTurn::comeback);
        for turn in back() {
            answer.returns += 1;
            answer.known_tokens += u64::from(turn.known);
            answer.again_tokens += u64::from(turn.again);
        }
        let turns: usize = rows.iter().map(|row| row.turns.len()).sum();
        if rows.len() > SESSIONS || turns > TURNS {
            answer.map = Some(PauseMap::of(back(), answer.from_us, answer.to_us));
            rows.retain(|row| row.turns.iter().any(|turn| Some(turn.request) == request));
        }
        self.look_for_contexts(&mut rows);
        self.add_pauses(&mut rows, answer.to_us);
        let contexts = rows.iter().flat_map(|row| &row.turns).map(|turn| turn.context_tokens);
        answer.longest_tokens = contexts.max().unwrap_or(0);
        answer.rows = rows;
        answer
    }

    fn turn_of(&self, request: u32, r: &Record, before: Option<&Record>) -> SessionTurn {
        let source = self.engine.source();
        let followed = source.is_followed(r.listed).then(|| source.known_tokens(r.listed));
        let context = |r: &Record| r.prompt_tokens + r.generated;
        let known = followed.unwrap_or_else(|| before.map_or(0, |b| context(b).min(r.prompt_tokens)));
        let joined = r.first_scheduled.get();
        let found = joined.map(|_| r.cached_tokens.min(r.prompt_tokens));
        let first = r.ttft.get().map(|ttft| r.arrival.saturating_add(ttft).0);
        SessionTurn {
            request,
            from_us: r.arrival.0,
            pause_us: before.and_then(|b| b.left.get()).and_then(|end| r.arrival.0.checked_sub(end.0)),
            joined_us: joined.map(|at| at.0),
            first_us: first,
            end_us: r.left.get().map(|at| at.0),
            prompt_tokens: r.prompt_tokens,
            context_tokens: context(r),
            known_tokens: known,
            found_tokens: found,
            again_tokens: found.map(|found| known.saturating_sub(found)),
            ..SessionTurn::default()
        }
    }

    /// What is kept of the contexts of sessions in a pause.
    fn look_for_contexts(&self, rows: &mut [SessionRow]) {
        let is_paused = |row: &SessionRow| row.turns.iter().all(|turn| turn.end_us.is_some());
        let latest = |row: &SessionRow| row.turns.last().map(|turn| turn.request);
        let mut texts: BTreeMap<u32, Option<&Content>> = rows
            .iter()
            .filter(|row| is_paused(row))
            .filter_map(latest)
            .map(|request| (request, None))
            .collect();
        for text in self.recorder.texts.all() {
            if let Some(known) = texts.get_mut(&text.request.0) {
                *known = Some(&text.whole);
            }
        }
        for row in rows {
            let text = latest(row).and_then(|request| texts.get(&request).copied().flatten());
            row.kept_tokens = text.map(|text| self.kept_of(text));
        }
    }

    /// What was seen of turns and of the pauses between them.
    fn add_pauses(&self, rows: &mut [SessionRow], to: u64) {
        let mut turns: BTreeMap<u32, &mut SessionTurn> =
            rows.iter_mut().flat_map(|row| &mut row.turns).map(|turn| (turn.request, turn)).collect();
        for (request, seen) in self.recorder.pauses.all() {
            if let Some(turn) = turns.get_mut(&request.0) {
                self.add_pause(turn, &seen);
            }
        }
        for (request, turn) in &mut turns {
            if let Some(origin) = self.recorder.origins.of(RequestId(*request)) {
                turn.found = self.found_parts(turn, (origin.replica, &origin.found));
            }
        }
        for row in self.engine.prefetches() {
            let Some(done) = row.done.get().filter(|done| done.0 <= to) else { continue };
            let Some(turn) = turns.get_mut(&row.after.0) else { continue };
            if row.outcome == PrefetchOutcome::Landed {
                let tokens = row.blocks * self.block_tokens(row.replica);
                let step = turn.kept.iter().find(|step| step.at_us >= done.0);
                let gpu_tokens = step.map_or(0, |step| step.gpu_tokens).max(tokens);
                let after_us = done.0.saturating_sub(turn.end_us.unwrap_or(done.0));
                turn.fetched.push(FetchedPart { after_us, tokens, gpu_tokens });
            }
        }
    }

    fn add_pause(&self, turn: &mut SessionTurn, seen: &Seen<'_>) {
        let steps = seen.steps.iter();
        turn.kept = steps
            .map(|kept| KeptStep { at_us: kept.at.0, gpu_tokens: kept.gpu, kept_tokens: kept.all })
            .collect();
        let (wanted, end) = (seen.wanted.iter(), turn.end_us.unwrap_or(0));
        turn.wanted = wanted
            .map(|part| WantedPart {
                tokens: part.tokens,
                for_us: Some(part.until).filter(|until| *until < Micros::MAX).map(|until| until.0 - end),
            })
            .collect();
        turn.found = self.found_parts(turn, (seen.replica, seen.found));
    }

    /// Where tokens of a prompt were found: on a replica, as many blocks by level.
    fn found_parts(&self, turn: &SessionTurn, (replica, blocks): (ReplicaId, &[u32])) -> Vec<FoundPart> {
        if blocks.iter().skip(1).all(|blocks| *blocks == 0) {
            return Vec::new();
        }
        let block = self.block_tokens(replica);
        let mut left = turn.found_tokens.unwrap_or(0);
        let mut parts = Vec::new();
        for (level, blocks) in (0..).zip(blocks) {
            let tokens = left.min(blocks * block);
            left -= tokens;
            if let Some(tier) = self.tier_name(replica, level).filter(|_| tokens > 0) {
                parts.push(FoundPart { tier, tokens });
            }
        }
        parts
    }

    fn block_tokens(&self, replica: ReplicaId) -> u32 {
        self.engine.replicas().get(replica.index()).map_or(0, |replica| replica.kv().block_tokens())
    }

    /// The most leading tokens of a text that a replica finds in its tiers.
    fn kept_of(&self, text: &Content) -> u32 {
        let mut chains: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        let mut most = 0;
        let lower = self.engine.lower_tiers();
        for (id, kv) in self.engine.replicas().iter().map(|r| (r.id(), r.kv())).filter(|(_, kv)| kv.caching())
        {
            let block = kv.block_tokens();
            let chain =
                chains.entry(block).or_insert_with(|| text.chain(block, (text.len() / block).min(BLOCKS)));
            let is_here = |hash: &&u64| {
                kv.found_in(**hash).is_some()
                    || kv.known_below(&[**hash]) > 0
                    || lower.is_some_and(|lower| lower.has_below(id, **hash))
            };
            most = most.max(chain.iter().take_while(is_here).count() as u32 * block);
        }
        most
    }
}
