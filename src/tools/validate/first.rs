//! The first values of a fit: round figures, which decide where the data say nothing.

use document::CalibratedCoefficients;

/// Round figures near those of an H100. Costs of layers with experts and rates of number formats are near a least-squares fit to
/// closed loops of all GPUs at once (docs/explanation/model/latency.md); the others are near a fit to experiments on an H100 alone.
#[must_use]
pub fn first_values() -> CalibratedCoefficients {
    CalibratedCoefficients {
        queueing_us: 3000.0,
        queueing_us_per_prompt_token: 3.0,
        weights_efficiency: 0.93,
        kv_efficiency: 0.85,
        compute_efficiency: 0.63,
        compute_efficiency_8_bit: 0.46,
        compute_efficiency_4_bit: 0.34,
        attention_efficiency: 0.37,
        compute_not_hidden: 0.25,
        step_us: 200.0,
        step_us_per_layer: 55.0,
        step_us_per_expert_layer: 23.0,
        step_us_per_parallel_layer: 3.0,
        step_us_per_parallel_doubling: 1.0,
        reduce_us_per_megabyte: 2.5,
        step_us_per_sequence: 3.0,
        step_us_per_sequence_layer: 0.1,
        step_us_per_prompt: 500.0,
        prefill_us_per_expert_layer: 25.0,
        step_us_with_prefill: 0.0,
        step_us_per_layer_without_graph: 10.0,
        step_us_per_converted_layer: 2.5,
        step_us_per_expert: 0.2,
        step_us_per_shared_layer: 15.0,
        step_us_per_8_bit_expert_layer: 12.0,
        expert_us_per_copy: 0.02,
        expert_tile_rows: 16.0,
        expert_efficiency_weight_only: 0.22,
        front_end_us: 1000.0,
        ..CalibratedCoefficients::default()
    }
}
