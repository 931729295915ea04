//! When the session of a request goes on, as the traffic knows it: for oracles and prefetches alone.

use super::agents::{Agents, branch_of};
use super::client::ClientSource;
use super::conversations::conversation_of;
use super::explicit::ExplicitSource;
use super::next_turn::NextTurn;
use super::source::Source;
use super::{RequestSpec, place_of};
use base::{Content, Micros};

impl Source {
    /// When the session of a request that has ended goes on.
    pub fn next_turn(&self, session: u32, listed: u32) -> NextTurn {
        if let Some(replay) = self.replay() {
            return replay.next_turn(session, place_of(listed));
        }
        match conversation_of(session) {
            Some((client, number)) => {
                let client = self.client(client);
                client.map_or(NextTurn::Ended, |client| client.next_turn(number, place_of(listed)))
            }
            None => self.listed().next_turn(session),
        }
    }

    /// The requests of the scenario's list that are to come: place in the list, arrival and prompt.
    pub fn listed_to_come(&self) -> impl Iterator<Item = (u32, Micros, &Content)> {
        self.listed().to_come().map(|r| (r.listed, r.arrival, &r.prompt))
    }
}

impl ExplicitSource {
    fn next_turn(&self, session: u32) -> NextTurn {
        let next = self.to_come().find(|r: &&RequestSpec| r.session == session);
        NextTurn::at(next.map(|r| r.arrival), false)
    }
}

impl ClientSource {
    fn next_turn(&self, number: u32, place: Option<u32>) -> NextTurn {
        if let Some(agents) = self.agents() {
            return next_of_agent(agents, number, place);
        }
        let at = self.conversations().and_then(|conversations| conversations.due_of(number));
        let waits = self.conversations().is_some_and(|conversations| conversations.waits(number));
        NextTurn::at(at, waits)
    }
}

/// Of an agent itself: what its sub-agents do is over with their last turn.
fn next_of_agent(agents: &Agents, number: u32, place: Option<u32>) -> NextTurn {
    if place.is_none_or(|place| branch_of(place) > 0) {
        return NextTurn::Ended;
    }
    NextTurn::at(agents.due_of(number), agents.is_open(number))
}
