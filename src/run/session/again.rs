//! Tokens of sessions that were computed again, over time.

use serde::{Deserialize, Serialize};

/// From an instant on, tokens that sessions have computed again since the beginning of the run.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgainStep {
    /// The instant: one at which a turn joined a batch.
    pub at_us: u64,
    /// How many tokens.
    pub tokens: u64,
}

/// Most steps between two instants.
#[cfg(any(feature = "cli", feature = "closeup"))]
const STEPS: u64 = 240;

/// The steps between two instants, of tokens by the instant at which their turn joined. What was before them is one step.
#[cfg(any(feature = "cli", feature = "closeup"))]
pub(super) fn again_steps(mut joined: Vec<(u64, u64)>, from: u64, to: u64) -> Vec<AgainStep> {
    base::small::sort::sort_pairs(&mut joined);
    let width = (to.saturating_sub(from) / STEPS).max(1);
    let bin = |at: u64| if at < from { 0 } else { 1 + (at - from) / width };
    let mut steps: Vec<AgainStep> = Vec::new();
    let mut tokens = 0;
    for (at_us, again) in joined.into_iter().filter(|(at, again)| *at <= to && *again > 0) {
        tokens += again;
        match steps.last_mut() {
            Some(last) if bin(last.at_us) == bin(at_us) => *last = AgainStep { at_us, tokens },
            Some(_) | None => steps.push(AgainStep { at_us, tokens }),
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_add_up_and_what_came_before_is_one_of_them() {
        let of = |from, to| -> Vec<(u64, u64)> {
            let joined = vec![(900, 4), (100, 1), (200, 2), (950, 0), (1200, 8)];
            again_steps(joined, from, to).iter().map(|step| (step.at_us, step.tokens)).collect()
        };
        assert_eq!(of(0, 1000), [(100, 1), (200, 3), (900, 7)]);
        assert_eq!(of(300, 2000), [(200, 3), (900, 7), (1200, 15)]);
    }

    #[test]
    fn very_many_turns_have_no_more_steps_than_there_is_room_for() {
        let steps = again_steps((0..10_000).map(|at| (at, 1)).collect(), 0, 9_999);
        assert!((200..=251).contains(&steps.len()), "{}", steps.len());
        assert_eq!(steps.last().map(|step| step.tokens), Some(10_000));
    }
}
