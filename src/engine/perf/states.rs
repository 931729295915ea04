//! What a request holds in the cache besides the blocks of its tokens: the windows of sliding layers, and the states of
//! linear layers (docs/explanation/model/cache.md).

use super::parts::Parts;
use document::Architecture;
use serde::{Deserialize, Serialize};

/// Blocks that a running request holds besides those of its tokens. Blocks are those of the layers with full attention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateBlocks {
    /// For the states of linear layers, whatever the length of the request.
    states: u32,
    /// Layers with a window, layers with full attention, and tokens of the window.
    sliding: u32,
    full: u32,
    window: u32,
}

impl StateBlocks {
    /// Those of a shape whose tokens take `token_bytes` in all layers with full attention and on all GPUs together.
    pub(super) fn new(a: &Architecture, token_bytes: f64, block_tokens: u32) -> Self {
        let block = token_bytes * f64::from(block_tokens.max(1));
        let states = if block > 0.0 { (a.state_kib_per_request * 1024.0 / block).ceil() } else { 0.0 };
        Self {
            states: states.min(f64::from(u32::MAX)) as u32,
            sliding: a.sliding_layers,
            full: a.full_layers(),
            window: a.sliding_window,
        }
    }

    /// Whether requests hold none.
    pub fn is_none(&self) -> bool {
        *self == Self::default() || self.states == 0 && self.sliding == 0
    }

    /// Those of a request of `tokens` tokens, prompt and output.
    pub fn of(&self, tokens: u32, block_tokens: u32) -> u32 {
        if self.sliding == 0 || self.full == 0 {
            return self.states;
        }
        // The window begins inside a block, and the newest token may open another.
        let blocks = tokens.min(self.window.saturating_sub(1)).div_ceil(block_tokens);
        let blocks = u64::from((blocks + 1).min(tokens.div_ceil(block_tokens)));
        let (sliding, full) = (u64::from(self.sliding), u64::from(self.full));
        // Layers share blocks in groups as large as the smaller kind: a group that is not full counts whole.
        let windows =
            if sliding >= full { sliding.div_ceil(full) * blocks } else { (sliding * blocks).div_ceil(full) };
        self.states.saturating_add(windows.min(u32::MAX.into()) as u32)
    }
}

/// Whether the cache of a shape is counted by kinds of layers: where some have full attention, and others have not.
pub(super) fn counts_by_kind(a: &Architecture) -> bool {
    let others = a.sliding_layers > 0 || a.linear_layers > 0 || a.state_kib_per_request > 0.0;
    others && a.full_layers() > 0 && Parts::of(a).cached_full > 0.0
}

#[cfg(test)]
mod tests {
    use super::super::catalogue;
    use super::*;

    fn of(model: &str) -> (Architecture, StateBlocks) {
        let a = catalogue::architecture(model).expect("in the catalogue").architecture.clone();
        assert!(counts_by_kind(&a), "{model}");
        let states = StateBlocks::new(&a, Parts::of(&a).cached_full * a.bytes_per_kv_value, 16);
        (a, states)
    }

    #[test]
    fn windows_are_held_up_to_their_length() {
        // 18 of 36 layers with a window of 128: 127 earlier tokens in 8 blocks, and one for the newest.
        let (_, oss) = of("gpt-oss-120b");
        assert_eq!([1, 16, 17, 127, 128, 129, 4000].map(|tokens| oss.of(tokens, 16)), [1, 1, 2, 8, 8, 9, 9]);
        // 52 layers with a window of 1024, and 10 without: six groups, each of 64 + 1 blocks.
        let (_, gemma) = of("gemma-3-27b");
        assert_eq!([100, 1024, 1040, 9000].map(|tokens| gemma.of(tokens, 16)), [42, 384, 390, 390]);
    }

    #[test]
    fn states_of_linear_layers_do_not_depend_on_the_length() {
        // 36 states of 2 * (3 * 8192 + 32 * 128 * 128) bytes, and blocks of 16 * 12 * 2 * 2 * 256 * 2 bytes: 100.5.
        let (a, next) = of("qwen3-next-80b-a3b");
        assert_eq!((a.state_kib_per_request, next.of(1, 16), next.of(100_000, 16)), (38_592.0, 101, 101));
    }

    /// As a server logged it: vLLM 0.19.0 with Qwen3.5-27B has 371 * 4 + 3 blocks of 784 tokens (290,864 tokens for each of
    /// four groups of layers), and room for 33.04 requests of 32,768 tokens (vLLM, issue 40691).
    #[test]
    fn a_server_with_linear_layers_has_room_for_as_many_requests_as_it_logged() {
        let (a, _) = of("qwen3.5-27b");
        let token_bytes = Parts::of(&a).cached_full * a.bytes_per_kv_value;
        let states = StateBlocks::new(&a, token_bytes, 784).of(32_768, 784);
        assert_eq!(states, 3);
        let room = 1487.0 / f64::from(32_768_u32.div_ceil(784) + states);
        assert!((room - 33.04).abs() < 0.005, "{room}");
        // Blocks of 16 tokens of the same memory.
        let small = StateBlocks::new(&a, token_bytes, 16).of(32_768, 16);
        let room = 1487.0 * 784.0 / 16.0 / f64::from(32_768 / 16 + small);
        assert_eq!(small, 147);
        assert!((room / 33.04 - 1.0).abs() < 0.005, "{room}");
    }

    #[test]
    fn a_shape_of_one_kind_holds_none() {
        let llama = Architecture::default();
        assert!(!counts_by_kind(&llama));
        assert!(StateBlocks::new(&llama, 131_072.0, 16).is_none());
        assert_eq!(StateBlocks::default().of(5000, 16), 0);
        // Windows in every layer: no layer has full blocks.
        assert!(!counts_by_kind(&Architecture { sliding_layers: 32, sliding_window: 4096, ..llama }));
    }

    #[test]
    fn few_sliding_layers_take_their_share_of_a_block() {
        let a = Architecture { sliding_layers: 8, sliding_window: 33, ..Architecture::default() };
        let states = StateBlocks::new(&a, 1.0, 16);
        // Three blocks in 8 layers, where a block has 24 layers.
        assert_eq!((states.of(16, 16), states.of(1000, 16)), (1, 1));
        // Thirteen blocks in 8 layers: 104 / 24.
        let longer = StateBlocks { window: 193, ..states };
        assert_eq!(longer.of(1000, 16), 5);
    }
}
