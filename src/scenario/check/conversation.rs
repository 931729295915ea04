//! Checks conversations: settings that contradict each other.

use crate::scenario::Client;
use crate::scenario::report::{Report, grouped};

/// The conversations of a client, at `path`.
pub(super) fn check_conversation(path: &str, client: &Client, r: &mut Report) {
    if client.conversation.is_some() && client.sessions > 0 {
        r.error(
            format!("{path}.sessions"),
            format!("{} sessions and conversations too", grouped(client.sessions.into())),
            "0, or no `conversation`",
            "each conversation is a session of its own",
        );
    }
}
