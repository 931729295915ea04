//! The sessions of agents of one client: their turns, and when these are due.
//!
//! Every draw depends only on client, session and the turn's place in it, so that the turns of a session have the same
//! text whenever they arrive. A session is one long text; the texts of its sub-agents branch off it.

use super::conversations::BITS;
use super::conversations::{draw_rounds, draw_think_time};
use super::lengths::LengthSampler;
use super::places::AFTER_REFUSAL;
use super::{CONTINUES, family};
use base::content::source_name;
use base::lookup::LookupMap;
use base::queue::Queue;
use base::rng::{Purpose, Stream};
use base::{Content, Micros, Piece, Span};
use document::{Agent, Client, limits};
use serde::{Deserialize, Serialize};

/// Bits of a request's place that hold the tokens known before; the bits above hold the number of its sub-agent.
const KNOWN_BITS: u32 = 21;

const _: () =
    assert!(limits::REQUEST_TOKENS < 1 << KNOWN_BITS && limits::SUB_AGENTS < 1 << (31 - KNOWN_BITS));
const _: () = assert!(limits::ROUNDS <= 1 << 10 && limits::SUB_AGENTS < 1 << 6);

/// Leading tokens of a prompt that were said in its session before, from the place of its request.
pub(super) fn known_of(place: u32) -> u32 {
    place & ((1 << KNOWN_BITS) - 1)
}

/// The number of its sub-agent, from the place of a request; 0 for the agent itself.
pub(super) fn branch_of(place: u32) -> u32 {
    place >> KNOWN_BITS
}

/// One turn of a session, or of a sub-agent in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Turn {
    /// Number of the session among those of its client.
    pub(super) session: u32,
    /// Number of the sub-agent, from 1; 0 for the agent itself.
    branch: u32,
    /// Number of the agent's turn, from 0: of a sub-agent, the turn after which it was forked.
    number: u32,
    /// Number of a sub-agent's turn.
    sub: u32,
    /// Prefix group of the session.
    pub(super) group: u32,
    /// Of a sub-agent: tokens of the agent's text that it goes on from.
    base: u32,
    /// Tokens of its own text before this turn.
    before: u32,
    /// Tokens that this turn adds.
    own: u32,
    /// Tokens of the answer.
    output: u32,
    /// Of how many turns the agent itself has.
    turns: u32,
}

/// What is known of a session that goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct AgentSession {
    /// Turns that are due or in flight.
    pending: u32,
    /// Sub-agents that the next turn waits for.
    forked: u32,
    /// When the latest of those that are done was done, and the tokens of their last answers.
    latest: Micros,
    answers: u32,
    /// The turn after which they were forked.
    after: Option<Turn>,
    /// Whether a turn had no answer.
    lost: bool,
}

/// The sessions of one client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Agents {
    settings: Agent,
    /// Whether no more sessions begin.
    ends: bool,
    seed: u64,
    client: u32,
    begun: u32,
    prompt_tokens: LengthSampler,
    output_tokens: LengthSampler,
    /// Tokens of the client's prefix, in every prompt.
    prefix_tokens: u32,
    /// Turns with a known instant.
    due: Queue<(Micros, Turn)>,
    /// Turns in flight, by session and sub-agent.
    sent: LookupMap<u32, Turn>,
    open: LookupMap<u32, AgentSession>,
    not_sent: u32,
}

impl Agents {
    /// The sessions of client number `client`, if it has any.
    pub(super) fn new(client: &Client, seed: u64, number: u32) -> Option<Self> {
        let settings = client.agent.clone()?;
        Some(Self {
            settings,
            ends: false,
            seed,
            client: number,
            begun: 0,
            prompt_tokens: LengthSampler::new(&client.prompt_tokens),
            output_tokens: LengthSampler::new(&client.output_tokens),
            prefix_tokens: client.prefix_tokens(),
            due: Queue::default(),
            sent: LookupMap::default(),
            open: LookupMap::default(),
            not_sent: 0,
        })
    }

    /// New turns follow the settings of `client`; no sessions begin if it has none.
    pub(super) fn adopt(&mut self, client: &Client) {
        self.ends = client.agent.is_none();
        if let Some(settings) = &client.agent {
            self.settings = settings.clone();
        }
        self.prompt_tokens = LengthSampler::new(&client.prompt_tokens);
        self.output_tokens = LengthSampler::new(&client.output_tokens);
        self.prefix_tokens = client.prefix_tokens();
    }

    /// Whether sessions still begin.
    pub(super) fn begin_more(&self) -> bool {
        !self.ends
    }

    /// When the next turn after a first one is due; [`Micros::MAX`] if none is.
    pub(super) fn next(&self) -> Micros {
        self.due.peek().map_or(Micros::MAX, |(at, _)| *at)
    }

    /// When the next turn of the agent of a session is due, if that is known.
    pub(super) fn due_of(&self, session: u32) -> Option<Micros> {
        let next = self.due.iter().find(|(_, turn)| turn.session == session && turn.branch == 0);
        next.map(|(at, _)| *at)
    }

    /// Whether turns of a session are to come, or have not ended.
    pub(super) fn is_open(&self, session: u32) -> bool {
        self.open.get(session).is_some()
    }

    /// Turns of sessions that a turn without an answer ended.
    pub(super) fn not_sent(&self) -> u32 {
        self.not_sent
    }

    /// The first turn of a new session, and its place.
    pub(super) fn begin(&mut self, group: u32) -> (Turn, u32) {
        let session = self.begun;
        self.begun += 1;
        let mut turn = Turn {
            session,
            branch: 0,
            number: 0,
            sub: 0,
            group,
            base: 0,
            before: 0,
            own: 0,
            output: 0,
            turns: draw_rounds(&self.settings.turns, &mut self.stream(Purpose::Rounds, session, 0)),
        };
        self.draw_lengths(&mut turn, 0);
        self.open.insert(session, AgentSession { pending: 1, ..AgentSession::default() });
        self.send(turn)
    }

    /// The turn that is due, which must exist, and its place.
    pub(super) fn take(&mut self) -> (Turn, u32) {
        let (_, turn) = self.due.pop().expect("INV-3: a turn was due and none came");
        self.send(turn)
    }

    fn send(&mut self, turn: Turn) -> (Turn, u32) {
        self.sent.insert(key(turn.session, turn.branch), turn);
        let said = turn.base + turn.before;
        let known = if said > 0 { said + self.prefix_tokens } else { 0 };
        (turn, turn.branch << KNOWN_BITS | known)
    }

    /// The request at `place` of a session has ended: the user has the answer at `shown`, or will never have one. Returns when the
    /// session is over, if it is.
    pub(super) fn ended(
        &mut self,
        session: u32,
        place: u32,
        now: Micros,
        shown: Option<Micros>,
    ) -> Option<Micros> {
        let branch = place >> KNOWN_BITS;
        let (turn, mut open) = (self.sent.remove(key(session, branch))?, self.open.remove(session)?);
        open.pending -= 1;
        let at = shown.unwrap_or_else(|| now.saturating_add(AFTER_REFUSAL));
        match shown {
            None => {
                open.lost = true;
                let left = turn.turns - turn.number - 1;
                self.not_sent +=
                    if branch > 0 { self.settings.sub_turns.saturating_sub(turn.sub + 1) } else { left };
            }
            Some(_) if branch > 0 => self.sub_answered(turn, at, &mut open),
            Some(_) => self.answered(turn, at, &mut open),
        }
        if open.pending > 0 {
            self.open.insert(session, open);
            return None;
        }
        if let Some(after) = open.after.filter(|_| open.lost && open.forked > 0) {
            self.not_sent += after.turns - after.number - 1;
        }
        Some(at)
    }

    /// The agent has an answer: sub-agents follow, or its next turn.
    fn answered(&mut self, turn: Turn, at: Micros, open: &mut AgentSession) {
        if turn.number + 1 >= turn.turns {
            return;
        }
        let forks = self.settings.fork > 0.0
            && self.stream(Purpose::Forks, turn.session, turn.place()).unit() < self.settings.fork;
        if !forks {
            self.follow(turn, 0, at, open);
            return;
        }
        let base = turn.before + turn.own + turn.output;
        for branch in 1..=self.settings.sub_agents {
            let mut first = Turn { branch, sub: 0, base, before: 0, ..turn };
            self.draw_lengths(&mut first, 0);
            if self.fits(&first) {
                self.schedule(first, at, open);
                open.forked += 1;
            }
        }
        (open.latest, open.answers, open.after) = (at, 0, Some(turn));
        if open.forked == 0 {
            self.follow(turn, 0, at, open);
        }
    }

    /// A sub-agent has an answer: its next turn follows or, after the last one of all, the agent's next turn.
    fn sub_answered(&mut self, turn: Turn, at: Micros, open: &mut AgentSession) {
        if turn.sub + 1 < self.settings.sub_turns {
            let before = turn.before + turn.own + turn.output;
            let mut next = Turn { sub: turn.sub + 1, before, ..turn };
            self.draw_lengths(&mut next, 0);
            if self.fits(&next) {
                self.schedule(next, at, open);
                return;
            }
        }
        open.forked -= 1;
        open.latest = open.latest.max(at);
        open.answers += turn.output;
        if let Some(after) = open.after.filter(|_| open.forked == 0 && !open.lost) {
            self.follow(after, open.answers, open.latest, open);
        }
    }

    /// The agent's turn after `turn`, with the answers of its sub-agents in its prompt.
    fn follow(&mut self, turn: Turn, answers: u32, at: Micros, open: &mut AgentSession) {
        let before = turn.before + turn.own + turn.output;
        let mut next = Turn { number: turn.number + 1, before, ..turn };
        self.draw_lengths(&mut next, answers);
        if self.fits(&next) {
            self.schedule(next, at, open);
        }
    }

    /// A turn comes when the tools are done that begin at `at`.
    fn schedule(&mut self, turn: Turn, at: Micros, open: &mut AgentSession) {
        let tools = draw_think_time(
            &self.settings.tools,
            &mut self.stream(Purpose::ThinkTimes, turn.session, turn.place()),
        );
        self.due.push((at.saturating_add(tools.max(Span(1))), turn));
        open.pending += 1;
    }

    fn fits(&self, turn: &Turn) -> bool {
        let tokens = [self.prefix_tokens, turn.base, turn.before, turn.own, turn.output];
        tokens.into_iter().map(u64::from).sum::<u64>() <= u64::from(self.settings.max_context_tokens)
    }

    fn draw_lengths(&self, turn: &mut Turn, answers: u32) {
        let stream = |purpose| self.stream(purpose, turn.session, turn.place());
        let own = self.prompt_tokens.draw(&mut stream(Purpose::RoundPrompts)).max(1);
        let output = self.output_tokens.draw(&mut stream(Purpose::RoundOutputs));
        (turn.own, turn.output) = (own.saturating_add(answers), output);
    }

    fn stream(&self, purpose: Purpose, session: u32, part: u32) -> Stream {
        Stream::part(self.seed, purpose, (self.client << BITS) | session, part)
    }

    /// Prompt, without the client's prefix, and answer of a turn.
    pub(super) fn texts_of(&self, turn: &Turn, mut prompt: Content) -> (Content, Piece) {
        let index = (u64::from(self.client) << 32) | u64::from(turn.session);
        let main = source_name(family::CONVERSATION, index);
        let mut source = main;
        if turn.branch > 0 {
            prompt.push(Piece { source: main, start: 0, len: turn.base });
            let branch = u64::from(turn.number) << 6 | u64::from(turn.branch);
            source = source_name(family::SUB_AGENT, index << 16 | branch);
        }
        let asked = turn.before + turn.own;
        prompt.push(Piece { source, start: 0, len: asked });
        (prompt, Piece { source, start: asked.into(), len: turn.output })
    }

    /// What a request notes of its place.
    pub(super) fn listed(place: u32) -> u32 {
        CONTINUES | place
    }
}

impl Turn {
    /// A number that no other turn of its session has.
    fn place(&self) -> u32 {
        self.number << 16 | self.branch << 10 | self.sub
    }
}

/// A turn in flight: a sub-agent has one at a time.
fn key(session: u32, branch: u32) -> u32 {
    session << 6 | branch
}
