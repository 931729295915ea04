//! The part of a report about sessions whose requests wait for the answers of others: how long they took, how many
//! turns they had, and how much of their prompts was in the cache.

use super::{in_ms, known_share};
use crate::observe::recorder::Recorder;
use base::small::sort::sort_pairs;
use base::stats::{Ranked, Summary};
use base::{Micros, RequestId};
use engine::{Cluster, Record};
use serde::Serialize;

/// The sessions whose first request arrived in the measurement window.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionPart {
    /// Sessions that began.
    pub begun: u32,
    /// Of these, sessions with an answer to every turn.
    pub finished: u32,
    /// Sessions that are over and had a turn without an answer.
    pub cut_short: u32,
    /// Turns of all sessions that were not sent, because a turn before them had no answer. Includes the warm-up.
    pub turns_not_sent: u32,
    /// From the first arrival to the last answer of finished sessions, in milliseconds.
    pub time_ms: Summary,
    /// Turns of finished sessions.
    pub turns: Summary,
    /// Prompts by their turn in the session: 1, 2, 3 to 4, 5 to 8 and so on.
    pub by_turn: Vec<TurnPart>,
    /// Prompt tokens that were in prompts of the session before.
    pub known_tokens: u64,
    /// Of these, tokens that were not in the cache and were computed again.
    pub recomputed_tokens: u64,
}

/// Prompts of some turns that joined a batch.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TurnPart {
    /// The first of these turns.
    pub from: u32,
    /// The last of these turns.
    pub to: u32,
    /// Prompts.
    pub requests: u32,
    /// Their tokens.
    pub prompt_tokens: u64,
    /// Of these, tokens found in the cache.
    pub cached_tokens: u64,
    /// Share of the tokens found in the cache.
    pub hit_rate: Option<f64>,
}

/// Turns are put together by powers of two: which power a turn belongs to.
fn power(turn: u32) -> u32 {
    (turn - 1).checked_ilog2().map_or(0, |power| power + 1)
}

impl SessionPart {
    /// A request is turn number `turn` of its session.
    fn turn(&mut self, turn: u32, r: &Record, known: u32) {
        if !r.first_scheduled.is_known() {
            return;
        }
        let cached = r.cached_tokens.min(r.prompt_tokens);
        self.known_tokens += u64::from(known);
        self.recomputed_tokens += u64::from(known.saturating_sub(cached));
        while self.by_turn.len() as u32 <= power(turn) {
            let to = 1 << self.by_turn.len();
            let from = to / 2 + 1;
            let none = TurnPart { from, to, requests: 0, prompt_tokens: 0, cached_tokens: 0, hit_rate: None };
            self.by_turn.push(none);
        }
        let part = &mut self.by_turn[power(turn) as usize];
        part.requests += 1;
        part.prompt_tokens += u64::from(r.prompt_tokens);
        part.cached_tokens += u64::from(cached);
    }
}

/// The part; `None` where no request waits for others.
pub(super) fn sessions(engine: &Cluster, recorder: &Recorder) -> Option<SessionPart> {
    let source = engine.source();
    if !source.follows_sessions() || recorder.summaries.is_some() {
        return None;
    }
    let of = |(i, r): (u32, Record)| {
        (r.session > 0 && source.is_followed(r.listed)).then(|| (u64::from(r.session), u64::from(i)))
    };
    let mut requests: Vec<(u64, u64)> = (0..).zip(engine.records()).filter_map(of).collect();
    sort_pairs(&mut requests);
    let mut part = SessionPart {
        begun: 0,
        finished: 0,
        cut_short: 0,
        turns_not_sent: source.not_sent(),
        time_ms: Summary::default(),
        turns: Summary::default(),
        by_turn: Vec::new(),
        known_tokens: 0,
        recomputed_tokens: 0,
    };
    let (mut times, mut turns) = (Vec::new(), Vec::new());
    for session in requests.chunk_by(|a, b| a.0 == b.0) {
        let record = |&(_, i): &(u64, u64)| engine.records().at(i as usize);
        let Some(first) = session.first() else { continue };
        let begin = record(first).arrival;
        if !recorder.warmup().counts(RequestId(first.1 as u32), begin) {
            continue;
        }
        part.begun += 1;
        let mut end = Some(Micros::ZERO);
        for (turn, r) in (1..).zip(session.iter().map(record)) {
            part.turn(turn, &r, source.known_tokens(r.listed));
            end = end.zip(r.e2e.get()).map(|(end, e2e)| end.max(r.arrival.saturating_add(e2e)));
        }
        let any = record(first);
        if source.is_session_open(any.session, any.listed) {
            continue;
        }
        match end {
            Some(end) => {
                part.finished += 1;
                times.push((end.since(begin).0, part.finished));
                turns.push((session.len() as u64, part.finished));
            }
            None => part.cut_short += 1,
        }
    }
    part.time_ms = in_ms(Ranked::new(times.len(), times.iter().copied()).summary());
    part.turns = Ranked::new(turns.len(), turns.iter().copied()).summary();
    for turns in &mut part.by_turn {
        turns.hit_rate = known_share(turns.cached_tokens as f64, turns.prompt_tokens as f64);
    }
    Some(part)
}

#[cfg(test)]
mod tests {
    use super::power;

    #[test]
    fn turns_are_put_together_by_powers_of_two() {
        assert_eq!([1, 2, 3, 4, 5, 8, 9, 16, 17].map(power), [0, 1, 2, 2, 3, 3, 4, 4, 5]);
    }
}
