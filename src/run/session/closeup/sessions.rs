//! Sessions over time: their turns, what each turn found of what was known before it, and what is kept in a pause that lasts.

use crate::observe::pauses::Kept;
use crate::session::Session;
use base::Content;
use base::small::sort::sort_pairs;
use engine::Record;
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
}

/// Sessions over time.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SessionRows {
    /// From this instant.
    pub from_us: u64,
    /// To this one.
    pub to_us: u64,
    /// The sessions with a turn between the two, by their first request; at most 120, with at most 6,000 turns.
    pub rows: Vec<SessionRow>,
    /// Sessions beyond these.
    pub more: u32,
    /// All of them; the sums below are theirs.
    pub sessions: u32,
    /// Turns that came back to something known and joined a batch.
    pub returns: u32,
    /// Tokens of their prompts that were known.
    pub known_tokens: u64,
    /// Of these, tokens that no cache had: they were computed again.
    pub again_tokens: u64,
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

/// One turn.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SessionTurn {
    /// Its request.
    pub request: u32,
    /// When it arrived.
    pub from_us: u64,
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
    /// What was kept of its context in the pause after it; empty if that was not followed.
    pub kept: Vec<KeptStep>,
}

impl Session {
    /// Sessions between two instants.
    pub fn sessions(&self, query: &SessionsQuery) -> SessionRows {
        let to = if query.to_us == 0 { self.playhead.0 } else { query.to_us.min(self.playhead.0) };
        let within = |r: &Record| {
            r.session > 0 && r.arrival.0 <= to && r.left.get().is_none_or(|left| left.0 >= query.from_us)
        };
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
        let mut rows = Vec::new();
        for session in sessions {
            let mut turns = Vec::new();
            let mut before: Option<Record> = None;
            for &(_, i) in session {
                let r = records.at(i as usize);
                if within(&r) {
                    turns.push(self.turn_of(i as u32, &r, before.as_ref()));
                }
                before = Some(r);
            }
            let client = before.map_or(0, |r| r.client);
            let number = numbers.entry(client).or_insert(0);
            *number += 1;
            if !turns.is_empty() {
                let name = self.engine.source().clients().get(client as usize);
                rows.push(SessionRow {
                    client: name.cloned().unwrap_or_default(),
                    number: *number,
                    again_tokens: turns.iter().filter_map(|t| t.again_tokens).map(u64::from).sum(),
                    turns,
                    kept_tokens: None,
                });
            }
        }
        self.answer_of([query.from_us, to], rows)
    }

    /// The first rows, and the sums of all.
    fn answer_of(&self, [from_us, to_us]: [u64; 2], mut rows: Vec<SessionRow>) -> SessionRows {
        let mut answer =
            SessionRows { from_us, to_us, sessions: rows.len() as u32, ..SessionRows::default() };
        for turn in rows.iter().flat_map(|row| &row.turns) {
            let Some(again) = turn.again_tokens.filter(|_| turn.known_tokens > 0) else { continue };
            answer.returns += 1;
            answer.known_tokens += u64::from(turn.known_tokens);
            answer.again_tokens += u64::from(again);
        }
        let mut turns = 0;
        rows.truncate(SESSIONS);
        rows.retain(|row| {
            turns += row.turns.len();
            turns <= TURNS
        });
        self.look_for_contexts(&mut rows);
        self.add_pauses(&mut rows);
        answer.more = answer.sessions - rows.len() as u32;
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
            joined_us: joined.map(|at| at.0),
            first_us: first,
            end_us: r.left.get().map(|at| at.0),
            prompt_tokens: r.prompt_tokens,
            context_tokens: context(r),
            known_tokens: known,
            found_tokens: found,
            again_tokens: found.map(|found| known.saturating_sub(found)),
            kept: Vec::new(),
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

    /// What was kept in the pauses between turns.
    fn add_pauses(&self, rows: &mut [SessionRow]) {
        let mut turns: BTreeMap<u32, &mut SessionTurn> =
            rows.iter_mut().flat_map(|row| &mut row.turns).map(|turn| (turn.request, turn)).collect();
        for (request, steps) in self.recorder.pauses.all() {
            if let Some(turn) = turns.get_mut(&request.0) {
                let step =
                    |kept: &Kept| KeptStep { at_us: kept.at.0, gpu_tokens: kept.gpu, kept_tokens: kept.all };
                turn.kept = steps.iter().map(step).collect();
            }
        }
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
