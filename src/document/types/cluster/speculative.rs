//! Speculative decoding: a drafter guesses tokens, and a step of the model verifies several of them at once.

use crate::limits;
use crate::table::fields::fields;
use serde::{Deserialize, Serialize};

/// Speculative decoding. In each step a decoding request verifies some draft tokens besides its own token, and advances by one token and the accepted drafts.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct Speculative {
    /// Draft tokens that a request verifies in one step (vLLM: `num_speculative_tokens`).
    pub tokens: u32,
    /// Probability that a draft token is accepted if all before it in the same step were. The first rejected draft token ends them. The default is an assumption: take the rate that your engine reports.
    pub acceptance: f64,
    /// The same probability for the first draft tokens of a step, one entry for each position. Positions without an entry have `acceptance`.
    pub positions: Vec<DraftPosition>,
    /// How draft tokens are made, and how long that takes.
    pub drafter: Drafter,
    /// Memory of the drafter's weights and cache on the GPUs of a replica together, in GiB; "auto" KV blocks leave it free. The weights of EAGLE-3 for an 8B model take 0.8. 0 means that it takes none.
    pub memory_gib: f64,
    /// Most requests in a batch that drafts are verified for; a larger batch decodes one token for each request, without drafts. 0 means no bound.
    pub disable_above_batch: u32,
    /// Whether a request whose prompt was computed elsewhere takes dummies in place of drafts in its first step at home, so that all requests of the step have as many tokens; drafts begin with its second step. Of effect in decode pools alone.
    pub pad_first_step: bool,
    /// How much longer a step of a prefill pool takes for the prompts in it, as a share of their time: the drafter passes over them to fill a cache of its own.
    pub prefill_share: f64,
    /// Layers of the drafter that have a KV cache: a token has as many more bytes, in blocks and in hand-overs (1 for MTP and EAGLE).
    pub draft_layers: u32,
}

fields! {
    struct Speculative {
        tokens: "Draft tokens" of "tokens" in [1, limits::DRAFT_TOKENS]
            or "leave `speculative` out for no speculative decoding" => Replace;
        acceptance: "Acceptance" in [0.0, 1.0] or "it is a probability, such as 0.7" => Replace;
        positions [omit]: "By position" up_to [limits::DRAFT_TOKENS as usize, "positions", "position"] => Replace;
        drafter: "Drafter" => Replace;
        memory_gib [omit]: "Memory" of "GiB" in [0.0, limits::MEMORY_GIB] or "use 0 for a drafter without weights" => Replace;
        disable_above_batch [omit]: "Off above batch" in [0, limits::BATCH] or "use 0 for drafts in every batch" => Replace;
        pad_first_step [omit]: "Pad first step" => Replace;
        prefill_share [omit]: "Share of prefill" in [0.0, 10.0] or "use 0 for a drafter without a cache of its own" => Replace;
        draft_layers [omit]: "Drafter's layers" of "layers" in [0, limits::LAYERS] or "use 0 for a drafter without a cache" => Replace;
    }
}

impl Default for Speculative {
    fn default() -> Self {
        Self {
            tokens: 3,
            acceptance: 0.7,
            positions: Vec::new(),
            drafter: Drafter::default(),
            memory_gib: 0.0,
            disable_above_batch: 0,
            pad_first_step: true,
            prefill_share: 0.0,
            draft_layers: 0,
        }
    }
}

impl Speculative {
    /// By position in the drafts of a step: the probability that the token is accepted if all before it were.
    pub fn rates(&self) -> Vec<f64> {
        let of = |i: u32| self.positions.get(i as usize).map_or(self.acceptance, |p| p.acceptance);
        (0..self.tokens).map(of).collect()
    }

    /// Tokens that a step is expected to yield for a request: one, and the drafts accepted. With the same probability a
    /// at all of k positions, (1 - a^(k+1)) / (1 - a).
    pub fn expected_tokens(&self) -> f64 {
        let (mut reached, mut sum) = (1.0, 1.0);
        for rate in self.rates() {
            reached *= rate;
            sum += reached;
        }
        sum
    }
}

/// One position in the drafts of a step.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq)]
pub struct DraftPosition {
    /// Probability that the draft token is accepted if all before it in the same step were.
    pub acceptance: f64,
}

fields! {
    struct DraftPosition {
        acceptance: "Acceptance" in [0.0, 1.0] or "it is a probability, such as 0.7" => Replace;
    }
}

impl Default for DraftPosition {
    fn default() -> Self {
        Self { acceptance: Speculative::default().acceptance }
    }
}

/// How draft tokens are made.
#[apply(choice_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drafter {
    /// One pass of the drafter for each draft token: EAGLE, a small draft model, one layer for multi-token prediction that is used again. The first pass computes all tokens of the step, the others one token of each request.
    Autoregressive(DraftPass),
    /// One pass for all draft tokens of a step: Medusa heads, block-parallel drafters, or n-grams with a share of 0.
    OnePass(DraftPass),
}

fields! {
    choice Drafter [] { Autoregressive "autoregressive" OnePass "one-pass" }
}

impl Default for Drafter {
    fn default() -> Self {
        Self::Autoregressive(DraftPass::default())
    }
}

/// What a pass of the drafter takes.
#[apply(field_schema!)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DraftPass {
    /// Time of one pass of the drafter, as a share of the time that a step of the model takes for the same tokens, 0 to 1. 0.06 is the drafter's share of the weights for EAGLE-3 with an 8B model.
    pub share: f64,
    /// Further time of one pass whatever it computes, in microseconds: what launching its kernels and sampling take.
    pub fixed_us: f64,
}

fields! {
    struct DraftPass {
        share: "Share of a step" in [0.0, 1.0] or "it is a share, such as 0.06"
            and { "x-role": "share" } => Replace;
        fixed_us: "Fixed" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative"
            and { "x-role": "fixed" } => Replace;
    }
}

impl Default for DraftPass {
    fn default() -> Self {
        Self { share: 0.06, fixed_us: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tokens_of_a_step_follow_the_geometric_sum() {
        let even = Speculative { tokens: 4, acceptance: 0.8, ..Speculative::default() };
        let sum = (1.0 - 0.8_f64 * 0.8 * 0.8 * 0.8 * 0.8) / (1.0 - 0.8);
        assert!((even.expected_tokens() - sum).abs() < 1e-12, "{}", even.expected_tokens());
        // 1 + 0.9 + 0.9 * 0.5 + 0.9 * 0.5 * 0.8
        let position = |acceptance| DraftPosition { acceptance };
        let own = Speculative { tokens: 3, positions: vec![position(0.9), position(0.5)], ..even };
        assert_eq!(own.rates(), [0.9, 0.5, 0.8]);
        assert!((own.expected_tokens() - 2.71).abs() < 1e-12, "{}", own.expected_tokens());
    }
}
