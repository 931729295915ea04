//! All requests of a run, merged in order of arrival.

use super::adapters::adapter_name;
use super::agents::{Agents, known_of};
use super::client::ClientSource;
use super::conversations::conversation_of;
use super::explicit::ExplicitSource;
use super::names::Names;
use super::places::AFTER_REFUSAL;
use super::released::Released;
use super::replay::Replay;
use super::returns::Returns;
use super::{RequestSpec, Trace, place_of};
use base::digest::Digest;
use base::units::US_PER_S;
use base::{Micros, RequestId, math};
use document::{Client, Scenario};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// All requests of a run, in order of arrival. At the same instant clients come first, in their order, then explicit
/// requests. If the scenario replays a trace, its clients and explicit requests are ignored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    clients: Vec<ClientSource>,
    listed: ExplicitSource,
    replay: Option<Replay>,
    returns: Returns,
    names: Names,
    /// Number of session numbers used by clients and lists.
    sessions: u32,
    /// Nothing arrives after this instant.
    horizon: Micros,
    /// How many more requests may be taken.
    left: u64,
    taken: u32,
    /// The earliest request, even if it lies after the horizon; kept up to date so that reading it is free.
    next: Option<(Micros, Origin)>,
}

/// Where a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Origin {
    Client(u32),
    Listed,
    Replay,
    /// A client that comes again.
    Return,
}

impl Source {
    /// The requests of `scenario`; `trace` must be given if it replays one, and is ignored otherwise.
    pub fn new(scenario: &Scenario, trace: Option<&Arc<Trace>>) -> Self {
        Self::of_rows(scenario, replayed(scenario, trace).as_ref())
    }

    /// The same from the rows that the scenario replays, see [`replayed`].
    pub fn of_rows(scenario: &Scenario, trace: Option<&Arc<Trace>>) -> Self {
        let workload = &scenario.workload;
        let replay = workload.trace.as_ref().map(|settings| {
            Replay::new(
                settings,
                scenario.seed,
                trace.expect("INV-6: a scenario that replays a trace comes with it"),
            )
        });
        let mut names = Names::new();
        let mut sessions = 0;
        let (clients, listed) = if replay.is_some() {
            names.clients.push("trace".to_owned());
            names.tenants.push("trace".to_owned());
            names.tenants.extend(trace.into_iter().flat_map(|t| t.tenants()).cloned());
            names.models.extend(trace.into_iter().flat_map(|t| t.models()).cloned());
            names.adapters.extend(trace.into_iter().flat_map(|t| t.adapters()).cloned());
            (Vec::new(), ExplicitSource::none())
        } else {
            names.clients.extend(workload.clients.iter().map(|c| c.name.clone()));
            let make = |(i, c): (u32, &Client)| {
                let source = ClientSource::new(c, scenario.seed, i, &mut names, sessions);
                sessions += c.sessions;
                source
            };
            let clients = (0..).zip(&workload.clients).map(make).collect();
            let listed = ExplicitSource::new(workload, &mut names, sessions);
            sessions += workload.requests.len() as u32;
            (clients, listed)
        };
        let (cap, most) = (scenario.run.max_requests, scenario.observe.keep.most_requests());
        let mut source = Self {
            clients,
            listed,
            replay,
            returns: Returns::default(),
            names,
            sessions,
            horizon: horizon_of(scenario.run.horizon_s),
            left: if cap == 0 { most } else { cap.min(most) },
            taken: 0,
            next: None,
        };
        source.returns.adopt(workload);
        source.find_next();
        source
    }

    /// Attaches the replayed rows to a restored source (a trace is not part of a snapshot).
    pub fn attach(&mut self, trace: Option<&Arc<Trace>>) {
        if let (Some(replay), Some(trace)) = (&mut self.replay, trace) {
            replay.attach(trace);
        }
    }

    /// When the next request arrives; `None` when there is none, or none before the horizon or under the cap.
    pub fn peek(&self) -> Option<Micros> {
        self.peek_beyond().filter(|at| *at <= self.horizon)
    }

    /// When the next request would arrive if there were no horizon.
    pub fn peek_beyond(&self) -> Option<Micros> {
        self.next.map(|(at, _)| at)
    }

    /// Takes the next request.
    pub fn take(&mut self) -> Option<RequestSpec> {
        let (at, origin) = self.next.filter(|(at, _)| *at <= self.horizon)?;
        self.returns.first_time();
        let spec = match origin {
            Origin::Client(i) => self.clients[i as usize].take(self.taken),
            Origin::Listed => self.listed.take(),
            Origin::Replay => {
                self.replay.as_mut().expect("INV-6: a replayed request comes from a trace").take()
            }
            Origin::Return => self.returns.take(self.taken).expect("INV-6: a client comes again"),
        };
        assert!(spec.arrival == at, "INV-3: announced for {at}, arrived at {}", spec.arrival);
        self.left -= 1;
        self.taken += 1;
        self.find_next();
        Some(spec)
    }

    /// Follows `new` instead of `old` from `now` on; clients of `old` have the same positions in `new`. The random
    /// numbers stay the same: a client's next length is drawn from another distribution with the same numbers.
    pub fn adopt(&mut self, old: &Scenario, new: &Scenario, now: Micros) {
        let (was, is) = (&old.workload, &new.workload);
        if was == is {
            return;
        }
        self.returns.adopt(is);
        if let (Some(replay), Some(settings)) = (&mut self.replay, &is.trace) {
            replay.set_speed(settings.speed, now);
            self.find_next();
            return;
        }
        for (i, client) in is.clients.iter().enumerate() {
            let before = was.clients.get(i);
            if before == Some(client) {
                continue;
            }
            let names = &mut self.names;
            if let (Some(source), Some(before)) = (self.clients.get_mut(i), before) {
                names.clients[source.shown() as usize].clone_from(&client.name);
                let more = (client.sessions > before.sessions).then_some(self.sessions);
                source.adopt(client, names, more, now);
                self.sessions = next_session(self.sessions, more.map_or(0, |_| client.sessions));
            } else {
                let shown = names.clients.len() as u32;
                names.clients.push(client.name.clone());
                let source = ClientSource::new(client, new.seed, i as u32, names, self.sessions);
                self.clients.push(source.begun(shown, now));
                self.sessions = next_session(self.sessions, client.sessions);
            }
        }
        if was.requests != is.requests {
            let more = self.listed.adopt(is, was.requests.len(), &mut self.names, self.sessions, now);
            self.sessions = next_session(self.sessions, more);
        }
        self.find_next();
    }

    /// Another rate of one client from `now` on, and nothing else.
    #[cfg(test)]
    pub(super) fn set_rate(&mut self, client: u32, rate_per_s: f64, now: Micros) {
        if let Some(client) = self.clients.get_mut(client as usize) {
            client.set_rate(rate_per_s, now);
            self.find_next();
        }
    }

    /// The request that was taken last is in the system under this number.
    pub fn sent(&mut self, request: RequestId, spec: RequestSpec) {
        self.returns.sent(request, spec);
    }

    /// A request has left, and its client gave up on it, or not. Whether the client comes again: then nothing of it has ended.
    pub fn comes_again(&mut self, request: RequestId, now: Micros, gave_up: bool) -> bool {
        let comes = self.returns.left(request, now, gave_up);
        if comes {
            self.find_next();
        }
        comes
    }

    /// How many clients came or come again.
    pub fn returns(&self) -> u32 {
        self.returns.count()
    }

    /// How many clients would have come again and had no budget left.
    pub fn returns_denied(&self) -> u32 {
        self.returns.denied()
    }

    /// How often the client of the request that was taken last has come again.
    pub fn times_again(&self) -> u32 {
        self.returns.times()
    }

    /// The user of a request of `session` has the whole answer at `shown`, or will never have one. This matters only
    /// for conversations with a closed clock: their next round arrives after that.
    pub fn ended(&mut self, session: u32, shown: Option<Micros>) {
        if let Some((client, conversation)) = conversation_of(session) {
            self.clients[client as usize].ended(conversation, shown);
            self.find_next();
        }
    }

    /// The same of a request that may have a place in its session, where others wait for it.
    pub fn settled(&mut self, session: u32, listed: u32, now: Micros, shown: Option<Micros>) {
        let Some(place) = place_of(listed) else { return self.ended(session, shown) };
        if let Some(replay) = &mut self.replay {
            replay.ended(place, now, shown);
        } else if let Some((client, number)) = conversation_of(session) {
            self.clients[client as usize].settled(number, place, now, shown);
        }
        self.find_next();
    }

    /// Whether sessions are followed: a request may wait for the end of others of its session.
    pub fn follows_sessions(&self) -> bool {
        self.replay.as_ref().is_some_and(|replay| replay.released().is_some())
            || self.clients.iter().any(|client| client.agents().is_some())
    }

    /// Whether the session of such a request is followed.
    pub fn is_followed(&self, listed: u32) -> bool {
        place_of(listed).is_some()
    }

    /// Whether more requests of the session of this one are to come, or have not ended.
    pub fn is_session_open(&self, session: u32, listed: u32) -> bool {
        let Some(place) = place_of(listed) else { return false };
        if let Some(replay) = &self.replay {
            return replay.released().is_some_and(|released| released.is_open(place));
        }
        let agents = |client: u32| self.clients[client as usize].agents();
        conversation_of(session)
            .is_some_and(|(client, number)| agents(client).is_some_and(|a| a.is_open(number)))
    }

    /// Leading tokens of a prompt that are in prompts of its session which it waited for.
    pub fn known_tokens(&self, listed: u32) -> u32 {
        let Some(place) = place_of(listed) else { return 0 };
        self.replay.as_ref().map_or_else(|| known_of(place), |replay| replay.known_tokens(place))
    }

    /// Requests that are not sent, because one that they waited for had no answer.
    pub fn not_sent(&self) -> u32 {
        let released = self.replay.as_ref().and_then(|replay| replay.released());
        let agents = self.clients.iter().filter_map(ClientSource::agents).map(Agents::not_sent);
        released.map_or(0, Released::not_sent) + agents.sum::<u32>()
    }

    /// A request of client `client` has ended: the user has the whole answer at `shown`, or will never have one. This
    /// matters only for clients with a bound on their requests in flight.
    pub fn freed(&mut self, client: u32, now: Micros, shown: Option<Micros>) {
        let bounded = self.clients.iter_mut().find(|c| c.shown() == client).filter(|c| c.is_bounded());
        if let Some(bounded) = bounded {
            bounded.freed(shown.unwrap_or_else(|| now.saturating_add(AFTER_REFUSAL)));
            self.find_next();
        }
    }

    /// The future arrival rate between two instants, per second; only an oracle may use it. Of conversations only the
    /// beginnings count.
    pub fn expected(&self, from: Micros, to: Micros) -> f64 {
        let seconds = to.since(from).0.max(1) as f64 / US_PER_S as f64;
        let to = to.min(self.horizon).max(from);
        let clients: f64 = self.clients.iter().map(|c| c.expected(from, to)).sum();
        let replayed = self.replay.as_ref().map_or(0.0, |r| r.expected(from, to));
        (clients + self.listed.expected(from, to) + replayed) / seconds
    }

    /// The trace that is replayed.
    pub(super) fn replay(&self) -> Option<&Replay> {
        self.replay.as_ref()
    }

    /// The requests of the scenario's list.
    pub(super) fn listed(&self) -> &ExplicitSource {
        &self.listed
    }

    /// A client.
    pub(super) fn client(&self, client: u32) -> Option<&ClientSource> {
        self.clients.get(client as usize)
    }

    /// The clients.
    #[cfg(any(feature = "cli", feature = "closeup"))]
    pub(super) fn client_sources(&self) -> &[ClientSource] {
        &self.clients
    }

    /// Names of the clients by number.
    pub fn clients(&self) -> &[String] {
        &self.names.clients
    }

    /// Names of the tenants by number: those of the clients, then those of explicit requests in order of appearance.
    pub fn tenants(&self) -> &[String] {
        &self.names.tenants
    }

    /// Names of the SLO classes by number: "default", those of [`SloClass::ALL`], then other names of explicit requests.
    pub fn classes(&self) -> &[String] {
        &self.names.classes
    }

    /// Names of the requested models, by number; number 0, without a name, is any model.
    pub fn models(&self) -> &[String] {
        &self.names.models
    }

    /// The name of an adapter by number; empty for the base model.
    pub fn adapter(&self, number: u32) -> String {
        adapter_name(&self.names.adapters, number)
    }

    /// Whether the requests come from a recorded trace, which may name its own models.
    pub fn is_recorded(&self) -> bool {
        self.replay.is_some()
    }

    /// Finds the earliest request; among several at one instant, the first one in order of origin.
    fn find_next(&mut self) {
        let mut best = (Micros::MAX, Origin::Listed);
        for (i, client) in self.clients.iter().enumerate() {
            if client.next() < best.0 {
                best = (client.next(), Origin::Client(i as u32));
            }
        }
        if self.listed.next() < best.0 {
            best = (self.listed.next(), Origin::Listed);
        }
        if let Some(replay) = &self.replay {
            best = (replay.next(), Origin::Replay);
        }
        if self.returns.next() < best.0 {
            best = (self.returns.next(), Origin::Return);
        }
        let exists = best.0 < Micros::MAX && self.left > 0;
        self.next = exists.then_some(best);
    }
}

/// The rows of a trace that a scenario replays; all of them if it replays none.
pub fn replayed(scenario: &Scenario, trace: Option<&Arc<Trace>>) -> Option<Arc<Trace>> {
    let trace = trace?;
    let settings = scenario.workload.trace.as_ref();
    Some(settings.map_or_else(|| Arc::clone(trace), |settings| trace.operated(settings, scenario.seed)))
}

/// A digest of the first `n` requests of a scenario: equal for equal traffic, whatever the cluster. Conversations
/// with a closed clock and clients with a bound on requests in flight go on as if every answer came at once.
pub fn digest_of(scenario: &Scenario, trace: Option<&Arc<Trace>>, n: u64) -> Digest {
    let mut source = Source::new(scenario, trace);
    let mut digest = Digest::default();
    for _ in 0..n {
        let Some(spec) = source.take() else { break };
        source.settled(spec.session, spec.listed, spec.arrival, Some(spec.arrival));
        source.freed(spec.client, spec.arrival, Some(spec.arrival));
        digest.u64(spec.arrival.0);
        digest.u64((u64::from(spec.client) << 32) | u64::from(spec.class));
        digest.u64(u64::from(spec.tenant));
        if spec.session > 0 {
            digest.u64(u64::from(spec.session));
        }
        if spec.model > 0 {
            digest.u64(u64::from(spec.model));
        }
        if spec.adapter > 0 {
            digest.u64(spec.adapter.into());
        }
        if spec.priority != 0 {
            digest.u64(u64::from(spec.priority.cast_unsigned()));
        }
        digest.u64((u64::from(spec.rank) << 32) | u64::from(spec.listed));
        digest.u64(spec.prompt.pieces().len() as u64);
        for piece in spec.prompt.pieces().iter().chain([&spec.output]) {
            digest.u64(piece.source);
            digest.u64(piece.start);
            digest.u64(u64::from(piece.len));
        }
    }
    digest
}

/// The first session number after `count` more of them. After very many edits the numbers start again, below those of
/// conversations.
fn next_session(first: u32, count: u32) -> u32 {
    (first + count) % (1 << 30)
}

/// The horizon as an instant; without one, never.
fn horizon_of(horizon_s: f64) -> Micros {
    if horizon_s > 0.0 { Micros(math::round_to_span(horizon_s * US_PER_S as f64).0) } else { Micros::MAX }
}
