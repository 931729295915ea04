//! The life of sessions' KV: what clients and the gateway want kept, and what is due in the pauses between turns.

mod hint;
mod prefetch;
mod rules;

pub use prefetch::{PrefetchOutcome, PrefetchRow};

pub(crate) use prefetch::UnderWay;
pub(crate) use rules::SessionRules;

use super::record::Record;
use crate::kv::{Keeper, Use, UseNews};
use crate::workload::NextTurn;
use base::{Content, Micros, ReplicaId, RequestId, Span};
use document::{PrefetchTo, PrefetchWhen, Scenario};
use hint::Hint;
use rules::{PrefetchRules, Rules};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is due in a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum What {
    Prefetch,
    Demote,
}

/// A turn that was completed: what its session's context is, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Turn {
    pub(crate) request: RequestId,
    pub(crate) session: u32,
    /// Its number in the scenario's list, or in the traffic.
    number: u32,
    listed: u32,
    /// The replica that answered it, and the one that computed its prompt.
    pub(crate) replica: ReplicaId,
    pub(crate) prefilled_by: ReplicaId,
    pub(crate) text: Content,
    /// Tokens of the text whose KV was stored.
    pub(crate) stored: u32,
    pub(crate) rules: SessionRules,
    ended: Micros,
}

impl Turn {
    /// Whether another replica computed its prompt than answered it.
    pub(crate) fn is_apart(&self) -> bool {
        self.replica != self.prefilled_by
    }
}

/// What is known of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Session {
    /// Its latest request, and when that was complete.
    latest: RequestId,
    ended: Option<Micros>,
    /// Smoothed gap between its turns.
    mean: Option<u64>,
    /// The pause that the oracle knows of.
    pause: Option<u32>,
}

/// The life of all sessions' KV.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Life {
    rules: Rules,
    hint: Option<Hint>,
    sessions: BTreeMap<u32, Session>,
    /// By instant, number of the request and order of coming about.
    due: BTreeMap<(Micros, u32, u32), (What, Turn)>,
    scheduled: u32,
    /// All prefetches so far, in order of number.
    rows: Vec<PrefetchRow>,
    pub(crate) under_way: Vec<UnderWay>,
    /// Sizes of blocks for which an oracle follows what is used next.
    followed: Vec<u32>,
    pauses: u32,
    /// Turns that were completed in the event that runs.
    #[serde(skip)]
    completed: Vec<Turn>,
    /// What has become known of uses in the event that runs.
    #[serde(skip)]
    news: Vec<UseNews>,
}

impl Life {
    /// That of a scenario; none if it says nothing of it.
    pub(crate) fn new(scenario: &Scenario) -> Option<Self> {
        let rules = Rules::new(&scenario.workload);
        let hint = scenario.cluster.kv_hint.as_ref().map(Hint::new);
        let followed = rules::followed(scenario);
        if rules.is_nothing() && hint.is_none() && followed.is_empty() {
            return None;
        }
        Some(Self {
            rules,
            hint,
            sessions: BTreeMap::new(),
            due: BTreeMap::new(),
            scheduled: 0,
            rows: Vec::new(),
            under_way: Vec::new(),
            followed,
            pauses: 0,
            completed: Vec::new(),
            news: Vec::new(),
        })
    }

    /// Follows another scenario from now on.
    pub(crate) fn adopt(&mut self, scenario: &Scenario) {
        self.rules = Rules::new(&scenario.workload);
        match (&mut self.hint, &scenario.cluster.kv_hint) {
            (Some(hint), Some(settings)) => hint.adopt(settings),
            (hint, settings) => *hint = settings.as_ref().map(Hint::new),
        }
        self.followed = rules::followed(scenario);
    }

    /// Sizes of blocks for which an oracle follows what is used next.
    pub(crate) fn followed(&self) -> &[u32] {
        &self.followed
    }

    /// Blocks that end within this token of a request may leave the GPU, by what its client says.
    pub(crate) fn may_leave_to(&self, record: &Record) -> u32 {
        self.rules.may_leave_to(record)
    }

    /// What a request wants kept, and for whom.
    pub(crate) fn keeper_of(&self, request: RequestId, record: &Record) -> Keeper {
        let mut directives = self.rules.wanted(record).to_vec();
        if directives.is_empty() {
            directives.extend(self.hint.as_ref().and_then(|hint| hint.of(request)));
        }
        Keeper { scope: scope_of(request, record.session), directives }
    }

    /// A request arrives. `text` is its prompt.
    pub(crate) fn arrived(&mut self, request: RequestId, record: &Record, text: &Content, now: Micros) {
        if !self.followed.is_empty() && !record.is_listed() {
            let of = Use::Drawn(request.0);
            self.know(of, now, text, record.prompt_tokens);
        }
        if record.session == 0 {
            return;
        }
        let weight = self.rules.of(record).and_then(|rules| rules.prefetch).map(|p| p.weight_milli);
        let fresh = Session { latest: request, ended: None, mean: None, pause: None };
        let session = self.sessions.entry(record.session).or_insert(fresh);
        if let Some(ended) = session.ended.take() {
            let gap = now.since(ended).0;
            if let Some(hint) = &mut self.hint {
                hint.saw(gap);
            }
            if let Some(weight) = weight {
                session.mean = Some(session.mean.map_or(gap, |old| smoothed(old, gap, weight)));
            }
        }
        session.latest = request;
        if let Some(pause) = session.pause.take() {
            self.news.push(UseNews::Over(Use::Pause(pause)));
        }
    }

    /// The router decides on a request: the gateway may want some of it kept.
    pub(crate) fn routed(&mut self, request: RequestId, record: &Record, now: Micros) {
        if record.session > 0
            && self.rules.wanted(record).is_empty()
            && let Some(hint) = &mut self.hint
        {
            hint.give(request, (record.session, record.prompt_tokens), now);
        }
    }

    /// A request has left, or its attempt is over.
    pub(crate) fn left(&mut self, request: RequestId, record: &Record) {
        if let Some(hint) = &mut self.hint {
            hint.forget(request);
        }
        self.used(request, record);
    }

    /// A request joins a batch: an oracle waits for it no more.
    pub(crate) fn used(&mut self, request: RequestId, record: &Record) {
        if !self.followed.is_empty() {
            self.news.push(UseNews::Over(use_of(request, record)));
        }
    }

    /// The rules of a request's session.
    pub(crate) fn rules_of(&self, record: &Record) -> Option<SessionRules> {
        self.rules.of(record).filter(|_| record.session > 0)
    }

    /// A turn is complete.
    pub(crate) fn completed(
        &mut self,
        (request, record): (RequestId, &Record),
        (text, stored): (&Content, u32),
        (replica, prefilled_by): (ReplicaId, ReplicaId),
        now: Micros,
    ) {
        if record.session == 0 {
            return;
        }
        if let Some(session) = self.sessions.get_mut(&record.session).filter(|s| s.latest == request) {
            session.ended = Some(now);
        }
        let rules = self.rules.of(record);
        if rules.is_none() && self.followed.is_empty() {
            return;
        }
        let number = if record.is_listed() { record.listed } else { request.0 };
        self.completed.push(Turn {
            request,
            session: record.session,
            number,
            listed: record.listed,
            replica,
            prefilled_by,
            text: text.clone(),
            stored,
            rules: rules.unwrap_or_default(),
            ended: now,
        });
    }

    /// Whether turns were completed in the event that runs.
    #[inline]
    pub(crate) fn has_completed(&self) -> bool {
        !self.completed.is_empty()
    }

    /// Turns that were completed in the event that runs, and supersede blocks on another replica too.
    pub(crate) fn superseding_elsewhere(&self) -> Vec<Turn> {
        self.completed.iter().filter(|turn| turn.rules.supersede && turn.is_apart()).cloned().collect()
    }

    /// What follows from the turns that were completed. `next` says when the session of one goes on.
    pub(crate) fn plan(&mut self, next: impl Fn(u32, u32) -> NextTurn) {
        for turn in std::mem::take(&mut self.completed) {
            let now = turn.ended;
            let has_come = self.has_come(&turn);
            let next = if has_come { NextTurn::At(now) } else { next(turn.session, turn.listed) };
            if let NextTurn::At(at) = next
                && !has_come
                && !self.followed.is_empty()
                && turn.listed >> 31 == 1
            {
                self.pauses += 1;
                let pause = self.pauses;
                self.know(Use::Pause(pause), at, &turn.text, turn.stored.saturating_add(1));
                if let Some(session) = self.sessions.get_mut(&turn.session) {
                    session.pause = Some(pause);
                }
            }
            if let Some(after) = turn.rules.demote_after {
                self.schedule(now.saturating_add(after), What::Demote, turn.clone());
            }
            let Some(p) = turn.rules.prefetch.filter(|_| next != NextTurn::Ended) else { continue };
            let mean = self.sessions.get(&turn.session).and_then(|session| session.mean);
            let at = match (p.when, next) {
                (PrefetchWhen::Pause, _) => Some(now),
                (PrefetchWhen::Known, NextTurn::At(at)) => Some(earlier(at, p.lead)),
                (PrefetchWhen::Known, _) => None,
                (PrefetchWhen::Fixed, _) => Some(earlier(now.saturating_add(p.gap), p.lead)),
                (PrefetchWhen::Ewma, _) => mean.map(|mean| earlier(now.saturating_add(Span(mean)), p.lead)),
            };
            if let Some(at) = at {
                self.schedule(at.max(now), What::Prefetch, turn);
            }
        }
    }

    fn schedule(&mut self, at: Micros, what: What, turn: Turn) {
        self.scheduled += 1;
        self.due.insert((at, turn.number, self.scheduled), (what, turn));
    }

    /// Whether the turn after this one is there.
    pub(crate) fn has_come(&self, turn: &Turn) -> bool {
        self.sessions.get(&turn.session).is_some_and(|session| session.latest != turn.request)
    }

    /// When the next of what is due is; [`Micros::MAX`] if nothing is.
    #[inline]
    pub(crate) fn next_at(&self) -> Micros {
        self.due.first_key_value().map_or(Micros::MAX, |((at, ..), _)| *at)
    }

    /// Takes the next of what is due.
    pub(crate) fn pop(&mut self) -> Option<(What, Turn)> {
        self.due.pop_first().map(|(_, due)| due)
    }

    /// The requests of a list are known beforehand to an oracle.
    pub(crate) fn know_listed(&mut self, listed: u32, at: Micros, prompt: &Content) {
        self.know(Use::Listed(listed), at, prompt, prompt.len());
    }

    /// A text of which a prompt of `tokens` tokens may find all blocks but the one with its last token.
    fn know(&mut self, of: Use, at: Micros, text: &Content, tokens: u32) {
        let mut hashes = Vec::new();
        for &block in &self.followed {
            hashes.extend(text.chain(block, tokens.saturating_sub(1) / block));
        }
        self.news.push(UseNews::Known { of, at, hashes });
    }

    /// What has become known of uses since the last call.
    pub(crate) fn take_news(&mut self) -> Vec<UseNews> {
        std::mem::take(&mut self.news)
    }

    /// Whether anything has.
    #[inline]
    pub(crate) fn has_news(&self) -> bool {
        !self.news.is_empty()
    }

    /// All prefetches so far.
    pub(crate) fn rows(&self) -> &[PrefetchRow] {
        &self.rows
    }

    /// A prefetch is asked for; its number.
    pub(crate) fn add_row(&mut self, turn: &Turn, now: Micros) -> u32 {
        self.rows.push(PrefetchRow::new(turn.request, turn.prefilled_by, now));
        self.rows.len() as u32 - 1
    }

    pub(crate) fn row(&mut self, prefetch: u32) -> &mut PrefetchRow {
        &mut self.rows[prefetch as usize]
    }

    /// Directives of the gateway that live, in tokens.
    pub(crate) fn hinted_tokens(&self, now: Micros) -> u64 {
        self.hint.as_ref().map_or(0, |hint| hint.live_tokens(now))
    }
}

/// Whose word it is what is to be kept of a request: its session's, or its own.
pub(crate) fn scope_of(request: RequestId, session: u32) -> u64 {
    if session > 0 { session.into() } else { 1 << 32 | u64::from(request.0) }
}

fn use_of(request: RequestId, record: &Record) -> Use {
    if record.is_listed() { Use::Listed(record.listed) } else { Use::Drawn(request.0) }
}

fn earlier(at: Micros, lead: Span) -> Micros {
    Micros(at.0.saturating_sub(lead.0))
}

/// The mean after one more gap, which has a weight in thousandths.
fn smoothed(old: u64, gap: u64, weight_milli: u64) -> u64 {
    let by = (i128::from(gap) - i128::from(old)) * i128::from(weight_milli);
    (i128::from(old) + by.div_euclid(1000)).max(0) as u64
}

/// Whether a prefetch goes to the GPU.
pub(crate) fn goes_to_gpu(rules: &PrefetchRules) -> bool {
    rules.to == PrefetchTo::Gpu
}
