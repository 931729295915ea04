//! Weighted scoring: among the replicas that the filters leave, the highest weighted sum of scores wins, or one drawn
//! at random by score. Weights are divided by their sum; scores are clamped to [0, 1] and summed in the order of the
//! configuration, which fixes the last bit. Scorers see only the replicas that the filters leave.

use super::affinity::Known;
use super::filter::{FilterState, Homes};
use super::picker::PickerState;
use super::predictor::Predictor;
use super::scorer::{Facts, Out, PromptMemory, ScorerState, TierPrefix};
use super::sent_tokens::SentTokens;
use super::{Choice, Fleet, Outcome, Router, Scores, Summand, Term};
use crate::policy::{Reason, ReplicaView, RequestView};
use base::{RequestId, math};
use document::{
    Expression, Filter, Scorer, SessionFilter, TokenCount, TokenUntil, Weighted as Settings, limits,
};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// A weighted sum of scores decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weighted {
    rows: Vec<ScorerRow>,
    filters: Vec<FilterState>,
    picker: PickerState,
    /// Whether any scorer reads further signals; cached, as every event of a replica checks it.
    wants_signals: bool,
    /// Whether any scorer reads adapters; cached too.
    wants_adapters: bool,
    /// The memory of prompts, if a scorer or a filter uses it.
    memory: Option<PromptMemory>,
    /// Its counts of tokens: that of filters, then that of scorers if it is another.
    sent: Vec<SentTokens>,
    /// Predictions of latencies, if a scorer or a filter uses them.
    predictor: Option<Box<Predictor>>,
    /// What scorers count.
    token_rule: (TokenCount, TokenUntil),
    /// The priority that goes with the choice, if it gives one, and the latest.
    priority: Option<ScorerState>,
    given: Option<i64>,
    /// The replicas of sessions, if a scorer uses them.
    homes: Option<Homes>,
    /// Number of scores that counted as 0 because they were not finite.
    not_finite: u64,
    /// Buffer for the facts about a decision.
    #[serde(skip)]
    facts: Facts,
    /// Positions and views of the candidates that the filters left at the latest decision.
    kept: Vec<u32>,
    kept_views: Vec<ReplicaView>,
}

/// The largest priority, and minus it the smallest: whole numbers are exact up to it.
const MOST_URGENT: f64 = 9e15;

/// What the filter of prefixes counts: tokens to compute before the first token.
const OF_FILTERS: (TokenCount, TokenUntil) = (TokenCount::Uncached, TokenUntil::FirstToken);

/// A count for each rule that is asked for; equal rules share one.
fn counts_of(rules: [(bool, (TokenCount, TokenUntil)); 2]) -> Vec<SentTokens> {
    let mut counts: Vec<SentTokens> = Vec::new();
    for (_, rule) in rules.into_iter().filter(|(asked, _)| *asked) {
        if !counts.iter().any(|count| count.is_of(rule)) {
            counts.push(SentTokens::new(rule));
        }
    }
    counts
}

/// A scorer and its share of all weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct ScorerRow {
    term: Term,
    weight: f64,
    state: ScorerState,
}

impl ScorerRow {
    fn is(&self, scorer: &Scorer) -> bool {
        matches!(&self.term, Term::Scorer(s) if s == scorer)
    }
}

impl Weighted {
    /// Approximate size of a copy in bytes, beyond its own size.
    pub(super) fn bytes(&self) -> u64 {
        let counts: u64 = self.sent.iter().map(SentTokens::bytes).sum();
        counts + self.memory.as_ref().map_or(0, PromptMemory::bytes)
    }

    pub(super) fn new(s: &Settings, seed: u64) -> Self {
        let scorers = s.scorers();
        let mut sum = 0.0;
        for row in &scorers {
            sum += row.weight;
        }
        let row = |r: &document::WeightedScorer| ScorerRow {
            term: Term::of(&r.scorer),
            weight: r.weight / sum,
            state: ScorerState::new(&r.scorer, s),
        };
        let rows: Vec<ScorerRow> = scorers.iter().map(row).collect();
        let text = || Scorer::Expression(Expression(s.priority.clone()));
        let priority = (!s.priority.is_empty()).then(|| ScorerState::new(&text(), s));
        let any = |asks: fn(&ScorerState) -> bool| {
            rows.iter().any(|row| asks(&row.state)) || priority.iter().any(asks)
        };
        let filters = s.filters();
        let sticks = filters.iter().any(|f| matches!(f, Filter::PrefixAffinity(_)));
        let predicts =
            filters.iter().any(|f| matches!(f, Filter::SloHeadroom(_))) || any(ScorerState::asks_predictions);
        let counts = sticks || predicts;
        let rules = [(counts, OF_FILTERS), (any(ScorerState::asks_tokens), s.token_rule())];
        let sent = counts_of(rules);
        let remembers = counts || any(ScorerState::asks_prefix) || sent.iter().any(SentTokens::asks_prefix);
        let sessions = SessionFilter { max_sessions: limits::EXPRESSION_SESSIONS, ttl_s: 0.0 };
        Self {
            wants_adapters: any(ScorerState::wants_adapters),
            wants_signals: predicts || any(ScorerState::wants_signals),
            memory: remembers.then(|| PromptMemory::of(s)),
            sent,
            predictor: predicts.then(|| Box::new(Predictor::new(&s.prediction, seed))),
            token_rule: s.token_rule(),
            homes: any(ScorerState::asks_session).then(|| Homes::new(&sessions)),
            priority,
            given: None,
            not_finite: 0,
            facts: Facts::default(),
            rows,
            filters: filters.iter().map(|f| FilterState::new(f, seed)).collect(),
            picker: PickerState::new(s, seed),
            kept: Vec::new(),
            kept_views: Vec::new(),
        }
    }

    /// Continues with the state of the scorers and filters that `before` has too, and with its draws.
    pub(super) fn resume(&mut self, before: Self) {
        self.not_finite = before.not_finite;
        if let (Some(new), Some(old)) = (&mut self.memory, before.memory) {
            new.resume(old);
        }
        if let (Some(new), Some(old)) = (&mut self.homes, before.homes) {
            new.resume(old);
        }
        if let (Some(new), Some(old)) = (&mut self.predictor, before.predictor) {
            new.resume(*old);
        }
        for old in &before.sent {
            self.sent.iter_mut().for_each(|sent| sent.resume(old));
        }
        for old in before.rows {
            if let Some(row) = self.rows.iter_mut().find(|row| row.term == old.term) {
                row.state.resume(old.state);
            }
        }
        for old in before.filters {
            self.filters.iter_mut().for_each(|filter| filter.resume(&old));
        }
        self.picker.resume(before.picker);
    }

    /// Forgets the prompts that were sent to a replica.
    pub(super) fn forget(&mut self, replica: u32) {
        if let Some(memory) = &mut self.memory {
            memory.forget(replica);
        }
    }

    /// What it remembers of the prompts it sent.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn memory(&self) -> Option<&PromptMemory> {
        self.memory.as_ref()
    }

    /// Whether it asks the caches.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn asks_caches(&self) -> bool {
        self.rows.iter().map(|row| &row.state).chain(&self.priority).any(ScorerState::asks_cached)
    }

    /// What blocks are worth in each tier, if a scorer asks what tiers have.
    pub(super) fn tier_prefix(&self) -> Option<TierPrefix> {
        self.rows.iter().map(|row| &row.state).chain(&self.priority).find_map(ScorerState::tier_prefix)
    }

    pub(super) fn wants_signals(&self) -> bool {
        self.wants_signals
    }

    pub(super) fn wants_adapters(&self) -> bool {
        self.wants_adapters
    }

    pub(super) fn wants_departures(&self) -> bool {
        !self.sent.is_empty() || self.rows.iter().any(|row| row.state.wants_departures())
    }

    pub(super) fn not_finite(&self) -> u64 {
        self.not_finite
    }

    /// Determines what the candidates in `fleet` were sent of the prompt before.
    fn recall(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>) {
        let (n, facts) = (fleet.replicas.len(), &mut self.facts);
        facts.prefix.clear();
        facts.matched.clear();
        if let Some(memory) = &mut self.memory {
            facts.prefix.resize(n, 0.0);
            facts.matched.resize(n, 0);
            memory.look_up(request, fleet, |position, found| {
                facts.prefix[position] = found.share;
                facts.matched[position] = found.tokens;
            });
        }
        if let Some(predictor) = &mut self.predictor {
            let sent = self.sent.first();
            let ahead = |replica| sent.map_or(0, |sent| sent.on(replica));
            predictor.predict(request, fleet, &ahead, &facts.matched, &mut facts.headroom);
        }
    }

    /// Determines the further facts that the scorers use about the candidates in `fleet`.
    fn find_out(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>) {
        let facts = &mut self.facts;
        facts.known = false;
        facts.home = self.homes.as_ref().and_then(|homes| homes.home(request.session));
        facts.load.clear();
        if let Some(sent) = self.sent.iter().find(|sent| sent.is_of(self.token_rule)) {
            for (position, view) in fleet.replicas.iter().enumerate() {
                let matched = facts.matched.get(position).copied().unwrap_or_default();
                facts.load.push(sent.with(view.id, request.prompt_tokens, matched));
            }
        }
        facts.cached.clear();
        let mut states = self.rows.iter().map(|row| &row.state).chain(&self.priority);
        if states.any(ScorerState::asks_cached) {
            // A prompt that no other request could share is in no cache.
            let can = fleet.can_share(request);
            let share = |v: &ReplicaView| if can { (fleet.cached_share)(v.id, request) } else { 0.0 };
            facts.cached.extend(fleet.replicas.iter().map(share));
        }
    }

    /// Scores the candidates in `fleet`.
    fn score(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, scores: &mut Scores) {
        let terms = self.rows.iter().map(|r| (r.term.clone(), r.weight));
        scores.begin(fleet.replicas.len(), terms);
        self.find_out(request, fleet);
        // Scorers that need to know whether any replica has the prompt run after those that determine it.
        for late in [false, true] {
            for (i, row) in self.rows.iter_mut().enumerate() {
                if row.is(&Scorer::NoHitLru) != late {
                    continue;
                }
                let first = scores.summands.len();
                let new =
                    |text: &Rc<str>| Summand { part: i as u32, text: Rc::clone(text), values: Vec::new() };
                scores.summands.extend(row.state.summands().map(new));
                let part = &mut scores.parts[i];
                let out = Out { values: &mut part.values, summands: &mut scores.summands[first..] };
                self.not_finite += row.state.score(request, fleet, &self.facts, out);
                for value in &mut part.values {
                    *value = value.clamp(0.0, 1.0);
                }
                if [Scorer::PrefixAffinity, Scorer::PrecisePrefix, Scorer::TierPrefix]
                    .iter()
                    .any(|s| row.is(s))
                {
                    self.facts.known |= part.values.iter().any(|&v| v > 0.0);
                }
            }
        }
        scores.sum_up();
    }

    /// Scores, picks, and passes the picked replica to the scorers.
    fn pick_of(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, scores: &mut Scores) -> usize {
        self.score(request, fleet, scores);
        let position = self.picker.pick(&scores.totals);
        self.given = self.priority_at(request, fleet, position);
        let matched = self.facts.matched.get(position).copied().unwrap_or_default();
        for sent in &mut self.sent {
            sent.send(request, fleet.replicas[position].id, matched);
        }
        if let Some(memory) = &mut self.memory {
            memory.chosen(request, fleet, position);
        }
        if let Some(homes) = &mut self.homes {
            homes.settle(request, fleet.replicas[position].id);
        }
        for row in &mut self.rows {
            row.state.chosen(request, fleet, position, self.facts.known);
        }
        position
    }

    /// The priority that goes with the choice of the replica at this position.
    fn priority_at(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, position: usize) -> Option<i64> {
        let state = self.priority.as_mut()?;
        let mut values = vec![0.0; fleet.replicas.len()];
        let out = Out { values: &mut values, summands: &mut [] };
        self.not_finite += state.score(request, fleet, &self.facts, out);
        Some(math::floor(values[position].clamp(-MOST_URGENT, MOST_URGENT) + 0.5) as i64)
    }

    /// The priority that went with the latest choice.
    pub(super) fn given_priority(&self) -> Option<i64> {
        self.given
    }

    /// Leaves the positions that pass all filters in `kept`.
    fn filter(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        scores: &mut Scores,
    ) -> Result<(), Reason> {
        self.kept.clear();
        self.kept.extend(0..fleet.replicas.len() as u32);
        scores.excluded.resize(fleet.replicas.len(), None);
        let sent = self.sent.first();
        let uncached = |replica| sent.map_or(0, |sent| sent.on(replica));
        let headroom = &self.facts.headroom;
        let known = Known { shares: &self.facts.prefix, uncached: &uncached, headroom };
        for filter in &mut self.filters {
            filter.keep(request, fleet, known, &mut self.kept, &mut scores.excluded)?;
        }
        Ok(())
    }
}

impl Router for Weighted {
    fn pick(&mut self, request: &RequestView<'_>, fleet: &Fleet<'_>, scores: &mut Scores) -> Choice {
        self.given = None;
        self.recall(request, fleet);
        if self.filters.is_empty() {
            return Ok(self.pick_of(request, fleet, scores));
        }
        self.filter(request, fleet, scores)?;
        self.facts.keep(&self.kept);
        let mut views = std::mem::take(&mut self.kept_views);
        views.clear();
        views.extend(self.kept.iter().map(|&position| fleet.replicas[position as usize]));
        let left = Fleet { replicas: &views, ..*fleet };
        let picked = self.pick_of(request, &left, scores);
        for filter in &mut self.filters {
            filter.chosen(request, views[picked].id);
        }
        self.kept_views = views;
        scores.spread(&self.kept, fleet.replicas.len());
        Ok(self.kept[picked] as usize)
    }

    fn prefilled(&mut self, request: RequestId) {
        for sent in &mut self.sent {
            sent.prefilled(request);
        }
    }

    fn left(&mut self, gone: &Outcome) {
        for sent in &mut self.sent {
            sent.release(gone.request);
        }
        for row in &mut self.rows {
            row.state.left(gone);
        }
    }
}
