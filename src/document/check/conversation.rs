//! Checks conversations: settings that contradict each other.

use crate::table::report::{Report, grouped};
use crate::{Arrivals, Client};

/// The conversations of a client, at `path`.
pub(super) fn check_conversation(path: &str, client: &Client, r: &mut Report) {
    if client.conversation.is_some() && client.agent.is_some() {
        r.error(
            format!("{path}.agent"),
            "sessions of an agent, and conversations too",
            "one of the two",
            "both say how one request follows another: remove `agent` or `conversation`",
        );
    }
    if client.agent.is_some() && client.sessions > 0 {
        r.error(
            format!("{path}.sessions"),
            format!("{} sessions, and sessions of an agent too", grouped(client.sessions.into())),
            "0, or no `agent`",
            "each session of an agent is one of its own; `concurrency` says how many are in flight",
        );
    }
    if client.conversation.is_some() && client.sessions > 0 {
        r.error(
            format!("{path}.sessions"),
            format!("{} sessions and conversations too", grouped(client.sessions.into())),
            "0, or no `conversation`",
            "each conversation is a session of its own",
        );
    }
    if client.conversation.is_some() && client.most_in_flight() > 0 {
        let closed = matches!(client.arrivals, Arrivals::Concurrency { .. });
        r.error(
            format!("{path}.{}", if closed { "arrivals" } else { "concurrency" }),
            format!("at most {} requests in flight, and conversations too", client.most_in_flight()),
            "one of the two",
            "a conversation with `clock: closed` holds its own rounds back: leave the bound out, or the conversation",
        );
    }
    if matches!(client.arrivals, Arrivals::Concurrency { .. }) && !client.rate_profile.is_steady() {
        r.error(
            format!("{path}.rate_profile"),
            "a rate over time, of a closed loop",
            "steady",
            "a closed loop has no rate: leave the profile out, or take arrivals at a rate",
        );
    }
}
