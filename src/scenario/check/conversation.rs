//! Meaning of conversations: ranges, and what does not go together.

use crate::scenario::report::{Report, grouped};
use crate::scenario::{Client, Conversation, Rounds, ThinkTime, limits};

/// The conversations of a client, at `path`.
pub(super) fn check_conversation(path: &str, client: &Client, r: &mut Report) {
    let Some(conversation) = &client.conversation else { return };
    if client.sessions > 0 {
        r.error(
            format!("{path}.sessions"),
            format!("{} sessions and conversations too", grouped(client.sessions.into())),
            "0, or no `conversation`",
            "each conversation is a session of its own",
        );
    }
    let path = format!("{path}.conversation");
    let Conversation { rounds, think_time, max_context_tokens, .. } = conversation;
    check_rounds(&format!("{path}.rounds"), rounds, r);
    check_think_time(&format!("{path}.think_time"), think_time, r);
    let (field, most) = (format!("{path}.max_context_tokens"), limits::REQUEST_TOKENS);
    r.int(&field, *max_context_tokens, 1, most, "the context length of the model, for instance");
}

fn check_rounds(path: &str, rounds: &Rounds, r: &mut Report) {
    let fix = "a conversation has at least one round";
    match *rounds {
        Rounds::Constant { rounds } => {
            r.int(&format!("{path}.constant.rounds"), rounds, 1, limits::ROUNDS, fix);
        }
        Rounds::Geometric { mean_rounds, max_rounds } => {
            let path = format!("{path}.geometric");
            r.float(&format!("{path}.mean_rounds"), mean_rounds, 1.0, limits::ROUNDS.into(), fix);
            r.int(&format!("{path}.max_rounds"), max_rounds, 1, limits::ROUNDS, fix);
        }
    }
}

fn check_think_time(path: &str, think_time: &ThinkTime, r: &mut Report) {
    let seconds = |path: &str, s, r: &mut Report| {
        r.float(path, s, 0.0, limits::THINK_S, "it is in seconds");
    };
    match *think_time {
        ThinkTime::Constant { think_s } => seconds(&format!("{path}.constant.think_s"), think_s, r),
        ThinkTime::Exponential { mean_s } => seconds(&format!("{path}.exponential.mean_s"), mean_s, r),
        ThinkTime::Lognormal { median_s, sigma } => {
            seconds(&format!("{path}.lognormal.median_s"), median_s, r);
            let fix = "0 is constant, 1 is a heavy tail";
            r.float(&format!("{path}.lognormal.sigma"), sigma, 0.0, limits::SIGMA, fix);
        }
    }
}
