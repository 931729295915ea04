//! One client: arrivals, lengths, prefix groups and sessions, each drawn from a separate stream.

use super::adapters::AdapterSampler;
use super::agents::{Agents, Turn};
use super::arrivals::ArrivalProcess;
use super::conversations::{Conversations, Round, session_of};
use super::lengths::LengthSampler;
use super::names::Names;
use super::places::Places;
use super::prefixes::Prefixes;
use super::{NOT_LISTED, RequestSpec, family};
use base::content::{source_name, under, unique_name};
use base::rng::{Purpose, Stream};
use base::{Content, Micros, Piece};
use document::{Arrivals, Client};
use serde::{Deserialize, Serialize};

/// The future requests of one client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ClientSource {
    /// Its position among the clients, on which its draws and texts depend.
    number: u32,
    /// The number under which its requests are shown.
    shown: u32,
    seed: u64,
    tenant: u32,
    class: u32,
    model: u32,
    /// The adapters of its requests, if they name any.
    adapters: Option<AdapterSampler>,
    /// What it says of the urgency of its requests.
    priority: i32,
    arrivals: ArrivalProcess,
    /// Whether it sends as soon as a place is free, at no rate of its own.
    closed: bool,
    /// Its places, if its requests in flight have a bound.
    places: Option<Places>,
    /// Its conversations, if any; then every arrival begins one.
    conversations: Option<Conversations>,
    /// Its sessions of agents, if any; then every arrival begins one, and its bound is one on sessions.
    agents: Option<Box<Agents>>,
    prompt_tokens: LengthSampler,
    output_tokens: LengthSampler,
    prefixes: Prefixes,
    /// How many requests were made.
    made: u32,
    prompt_draws: Stream,
    output_draws: Stream,
    prefix_draws: Stream,
    /// The number of its sessions, and of those of the clients before it.
    sessions: u32,
    other_sessions: u32,
    session_draws: Stream,
}

impl ClientSource {
    /// The requests of client `number` in a run with `seed`; the first arrives after one gap. The clients before it have
    /// `other_sessions` sessions.
    pub(super) fn new(
        client: &Client,
        seed: u64,
        number: u32,
        names: &mut Names,
        other_sessions: u32,
    ) -> Self {
        let [tenant, model] = names.of(client);
        Self {
            number,
            shown: number,
            seed,
            tenant,
            class: super::class_number(client.slo_class),
            model,
            adapters: AdapterSampler::new(client.adapters.as_ref(), (seed, number), &mut names.adapters),
            priority: client.priority,
            arrivals: ArrivalProcess::new(client, seed, number),
            closed: is_closed(client),
            places: Places::new(client.most_in_flight()),
            conversations: Conversations::new(client, seed, number),
            agents: Agents::new(client, seed, number).map(Box::new),
            prompt_tokens: LengthSampler::new(&client.prompt_tokens),
            output_tokens: LengthSampler::new(&client.output_tokens),
            prefixes: Prefixes::new(&client.prefix, number),
            made: 0,
            prompt_draws: Stream::new(seed, Purpose::PromptLengths, number),
            output_draws: Stream::new(seed, Purpose::OutputLengths, number),
            prefix_draws: Stream::new(seed, Purpose::PrefixGroups, number),
            sessions: client.sessions,
            other_sessions,
            session_draws: Stream::new(seed, Purpose::Sessions, number),
        }
    }

    /// When the next request arrives.
    pub(super) fn next(&self) -> Micros {
        let begins = self.begins();
        let begins = self.conversations.as_ref().map_or(begins, |c| begins.min(c.next()));
        self.agents.as_ref().map_or(begins, |agents| begins.min(agents.next()))
    }

    /// When the next request arrives that does not continue a session.
    fn begins(&self) -> Micros {
        let free = self.places.as_ref().map_or(Micros::ZERO, Places::next);
        if self.closed { free } else { self.arrivals.next().max(free) }
    }

    /// Makes the next request; `position` is its place in the order of arrival.
    pub(super) fn take(&mut self, position: u32) -> RequestSpec {
        let arrival = self.next();
        if let Some(agents) = &mut self.agents
            && agents.next() <= arrival
        {
            // A continued session comes before one that begins at the same instant.
            let (turn, place) = agents.take();
            return self.turn(arrival, position, turn, place);
        }
        if let Some(places) = &mut self.places {
            places.take();
        }
        if let Some(conversations) = &mut self.conversations
            && (conversations.begin_more() || conversations.next() <= arrival)
        {
            // A continued conversation comes before one that begins at the same instant.
            let round = if conversations.next() <= arrival {
                conversations.take()
            } else {
                self.arrivals.advance();
                let group = self.prefixes.draw(&mut self.prefix_draws);
                conversations.begin(arrival, group)
            };
            let (prompt, output) = self.texts_of(&round);
            let session = session_of(self.number, round.conversation);
            return self.request(arrival, position, (session, round.conversation), prompt, output);
        }
        if let Some(agents) = self.agents.as_mut().filter(|agents| agents.begin_more()) {
            self.arrivals.advance();
            let (turn, place) = agents.begin(self.prefixes.draw(&mut self.prefix_draws));
            return self.turn(arrival, position, turn, place);
        }
        let own = self.prompt_tokens.draw(&mut self.prompt_draws);
        let output_tokens = self.output_tokens.draw(&mut self.output_draws);
        let index = (u64::from(self.number) << 32) | u64::from(self.made);
        let group = self.prefixes.draw(&mut self.prefix_draws);
        let mut prompt = self.prefixes.text(group);
        // A prompt has at least one token.
        let own = if prompt.is_empty() { own.max(1) } else { own };
        prompt.push(Piece { source: unique_name(family::CLIENT_PROMPT, index), start: 0, len: own });
        let made = self.made;
        self.made += 1;
        self.arrivals.advance();
        let output =
            Piece { source: unique_name(family::CLIENT_OUTPUT, index), start: 0, len: output_tokens };
        let session = self.draw_session();
        self.request(arrival, position, (session, made), prompt, output)
    }

    /// Its number, on which its texts depend.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// How many different prefixes there are.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn groups(&self) -> u32 {
        self.prefixes.groups()
    }

    /// Whether other clients may have the same prefixes.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn shares_prefixes(&self) -> bool {
        self.prefixes.is_shared()
    }

    /// The prefixes with their numbers, at most `most`.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn prefixes(&self, most: u32) -> impl Iterator<Item = (u32, Content)> + '_ {
        (0..self.groups().min(most)).map(|group| (group, self.prefixes.text(group)))
    }

    /// The conversations that go on, by number: their text so far.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn open_conversations(&self) -> Vec<(u32, Content)> {
        let open = self.conversations.iter().filter(|c| c.accumulates());
        let text = |mut round: Round| {
            round.own = 0;
            let (prompt, _) = self.texts_of(&round);
            (round.conversation, prompt)
        };
        open.flat_map(Conversations::open).map(text).collect()
    }

    /// The request of a turn, with its place in its session.
    fn turn(&self, arrival: Micros, position: u32, turn: Turn, place: u32) -> RequestSpec {
        let prefix = self.prefixes.text(turn.group);
        let (prompt, output) = match &self.agents {
            Some(agents) => agents.texts_of(&turn, prefix),
            None => (prefix, Piece { source: 0, start: 0, len: 0 }),
        };
        let session = session_of(self.number, turn.session);
        let request = self.request(arrival, position, (session, turn.session), prompt, output);
        RequestSpec { listed: Agents::listed(place), ..request }
    }

    /// The sessions of agents, if it has any.
    pub(super) fn agents(&self) -> Option<&Agents> {
        self.agents.as_deref()
    }

    /// Its conversations, if any.
    pub(super) fn conversations(&self) -> Option<&Conversations> {
        self.conversations.as_ref()
    }

    /// A turn of one of its agents has ended: the user has the answer at `shown`, or will never have it.
    pub(super) fn settled(&mut self, session: u32, place: u32, now: Micros, shown: Option<Micros>) {
        let over = self.agents.as_mut().and_then(|agents| agents.ended(session, place, now, shown));
        if let (Some(at), Some(places)) = (over, &mut self.places) {
            places.free(at);
        }
    }

    fn request(
        &self,
        arrival: Micros,
        rank: u32,
        (session, index): (u32, u32),
        prompt: Content,
        output: Piece,
    ) -> RequestSpec {
        let adapter = self.adapters.as_ref().map_or(0, |adapters| adapters.draw(index));
        RequestSpec {
            arrival,
            client: self.shown,
            tenant: self.tenant,
            class: self.class,
            model: self.model,
            adapter,
            priority: self.priority,
            session,
            rank,
            listed: NOT_LISTED,
            prompt_tokens: prompt.len(),
            prompt: prompt.under(adapter),
            output: Piece { source: under(output.source, adapter), ..output },
        }
    }

    /// Prompt and answer of a round: stretches of the conversation's single text. If prompts leave out earlier
    /// rounds, no stretch occurs twice.
    fn texts_of(&self, round: &Round) -> (Content, Piece) {
        let accumulates = self.conversations.as_ref().is_some_and(Conversations::accumulates);
        let index = (u64::from(self.number) << 32) | u64::from(round.conversation);
        let (name, start): (fn(u64, u64) -> u64, _) =
            if accumulates { (source_name, 0) } else { (unique_name, round.before) };
        let source = name(family::CONVERSATION, index);
        let asked = round.before + round.own;
        let mut prompt = self.prefixes.text(round.group);
        prompt.push(Piece { source, start: start.into(), len: asked - start });
        (prompt, Piece { source, start: asked.into(), len: round.output })
    }

    /// A round of one of its conversations has ended: the user has the answer at `shown`, or will never have it.
    pub(super) fn ended(&mut self, conversation: u32, shown: Option<Micros>) {
        if let Some(conversations) = &mut self.conversations {
            conversations.ended(conversation, shown);
        }
    }

    /// Whether its requests in flight have a bound.
    pub(super) fn is_bounded(&self) -> bool {
        self.places.is_some() && self.agents.as_ref().is_none_or(|agents| !agents.begin_more())
    }

    /// One of its requests has ended: its place is free at `at`.
    pub(super) fn freed(&mut self, at: Micros) {
        if let Some(places) = &mut self.places {
            places.free(at);
        }
    }

    /// The same client, added at `now` and shown under another number.
    pub(super) fn begun(mut self, shown: u32, now: Micros) -> Self {
        self.shown = shown;
        self.arrivals.begin(now);
        let most = self.places.as_ref().map_or(0, Places::most);
        self.bound(most, now);
        self
    }

    /// How many of its requests are expected between two instants; of conversations, how many begin.
    pub(super) fn expected(&self, from: Micros, to: Micros) -> f64 {
        self.arrivals.expected(from, to)
    }

    /// The number under which its requests are shown.
    pub(super) fn shown(&self) -> u32 {
        self.shown
    }

    /// Changes only the rate from `now` on.
    #[cfg(test)]
    pub(super) fn set_rate(&mut self, rate_per_s: f64, now: Micros) {
        self.arrivals.set_rate(rate_per_s, now);
    }

    /// Follows the settings of `client` from `now` on. Conversations in progress continue unchanged; if the number of
    /// sessions grows, all of them are new ones after `other_sessions`.
    pub(super) fn adopt(
        &mut self,
        client: &Client,
        names: &mut Names,
        other_sessions: Option<u32>,
        now: Micros,
    ) {
        [self.tenant, self.model] = names.of(client);
        let whose = (self.seed, self.number);
        self.adapters = AdapterSampler::new(client.adapters.as_ref(), whose, &mut names.adapters);
        self.class = super::class_number(client.slo_class);
        self.priority = client.priority;
        self.arrivals.adopt(client, now);
        if std::mem::replace(&mut self.closed, is_closed(client)) && !self.closed {
            self.arrivals.open(now);
        }
        self.bound(client.most_in_flight(), now);
        self.prompt_tokens = LengthSampler::new(&client.prompt_tokens);
        self.output_tokens = LengthSampler::new(&client.output_tokens);
        self.prefixes = Prefixes::new(&client.prefix, self.number);
        self.sessions = client.sessions;
        self.other_sessions = other_sessions.unwrap_or(self.other_sessions);
        match &mut self.conversations {
            Some(conversations) => conversations.adopt(client),
            None => self.conversations = Conversations::new(client, self.seed, self.number),
        }
        match &mut self.agents {
            Some(agents) => agents.adopt(client),
            None => self.agents = Agents::new(client, self.seed, self.number).map(Box::new),
        }
    }

    /// At most `most` of its requests are in flight from `now` on; 0 for no bound. Those sent before without one do not count.
    fn bound(&mut self, most: u32, now: Micros) {
        match &mut self.places {
            Some(places) if most == 0 => places.lift(now),
            Some(places) if !places.is_lifted() => places.change(most, now),
            Some(_) | None => self.places = Places::new(most).map(|places| places.begun(now)),
        }
    }

    /// The session of the next request; sessions are numbered from 1 through all clients.
    fn draw_session(&mut self) -> u32 {
        if self.sessions == 0 {
            return 0;
        }
        self.other_sessions + 1 + self.session_draws.below(self.sessions)
    }
}

fn is_closed(client: &Client) -> bool {
    matches!(client.arrivals, Arrivals::Concurrency { .. })
}
