//! How long a step takes: the families of latency models and their figures, as users write them.
//!
//! Every family has the same three overheads outside the engine, which `family!` declares for all of them.
//! docs/explanation/model/latency.md has the formulas; here are only names, units, defaults and ranges.

use crate::limits;
use crate::table::fields::fields;

/// How long a step takes.
#[apply(choice_schema!)]
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each pool, and it is read far more often than it is moved"
)]
pub enum LatencyModel {
    /// Coefficients fitted to measurements of this model, GPU and tensor parallelism, from the catalogue.
    Catalogue,
    /// Your own coefficients: linear in prefill tokens, decoding requests and tokens of context.
    Fitted(FittedCoefficients),
    /// From the model's shape and the GPU's peaks: a step takes the longer of computing and reading memory.
    Roofline(RooflineSettings),
    /// One set of coefficients for all models, scaled by their layers, KV size, experts and tensor parallelism.
    CrossModel(CrossModelCoefficients),
    /// A prefill rate, and a decode throughput that rises with the batch up to saturation.
    Piecewise(PiecewiseRates),
    /// From the model's shape and the GPU's peaks, with shares of the peaks and costs of the engine that were fitted to measured runs of many models.
    Calibrated(CalibratedSettings),
}

fields! {
    choice LatencyModel [Catalogue "catalogue"] {
        Fitted "fitted" Roofline "roofline" CrossModel "cross-model" Piecewise "piecewise" Calibrated "calibrated"
    }
}

impl Default for LatencyModel {
    fn default() -> Self {
        Self::Calibrated(CalibratedSettings::default())
    }
}

/// Declares the figures of a family: type, documentation, defaults and table of fields, the three overheads first. In
/// the document they are next to the other figures, so that they are fields and not a separate part.
macro_rules! family {
    ($(#[doc = $about:literal])* $name:ident, overheads [$queueing:literal, $per_token:literal, $output:literal] {
        $($(#[$about_field:meta])* $field:ident $([$how:ident])?: $type:ty = $default:literal { $($said:tt)* })*
    }) => {
        $(#[doc = $about])*
        #[apply(field_schema!)]
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            /// Delay before a request is queued, whatever its length, in microseconds.
            pub queueing_us: f64,
            /// Further delay before a request is queued, for each prompt token, in microseconds.
            pub queueing_us_per_prompt_token: f64,
            /// Output processing of each token, in microseconds: part of TTFT and ITL, but it does not hold up the engine.
            pub output_us_per_token: f64,
            $($(#[$about_field])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    queueing_us: $queueing,
                    queueing_us_per_prompt_token: $per_token,
                    output_us_per_token: $output,
                    $($field: $default,)*
                }
            }
        }

        impl $name {
            /// The overheads of a request outside the engine, in microseconds: before it is queued, the same for each prompt
            /// token, and for each token of its output.
            pub fn overheads_us(&self) -> [f64; 3] {
                [self.queueing_us, self.queueing_us_per_prompt_token, self.output_us_per_token]
            }
        }

        fields! {
            struct $name {
                queueing_us: "Queueing" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" => Delays;
                queueing_us_per_prompt_token: "Queue/prompt tok" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" => Delays;
                output_us_per_token: "Output/token" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" => Steps;
                $($field $([$how])?: $($said)* => Steps;)*
            }
        }
    };
}

family! {
    /// Coefficients of the fitted latency model.
    FittedCoefficients, overheads [0.0, 0.0, 0.0] {
        /// Fixed part of a step, in microseconds.
        step_us: f64 = 6000.0 { "Step, fixed" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step, for each prompt token it computes, in microseconds.
        step_us_per_prefill_token: f64 = 20.0 { "Step/prefill tok" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step, for each running request it decodes, in microseconds.
        step_us_per_decode_token: f64 = 6.0 { "Step/decode tok" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step, for each token of the KV cache that it reads, those computed in it included, in microseconds: the gamma of the queueing model.
        step_us_per_context_token [omit]: f64 = 0.0 { "Step/context tok" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
    }
}

family! {
    /// What the roofline model adds to the figures of model and GPU. The defaults are those of the simulator BLIS for data centre GPUs.
    RooflineSettings, overheads [0.0, 0.0, 0.0] {
        /// Share of the peak FLOP/s that the matrix products of a prefill reach.
        prefill_efficiency: f64 = 0.65 { "Prefill of peak" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share of the GPU's peak" }
        /// Share of the peak FLOP/s that the matrix products of decoding reach.
        decode_efficiency: f64 = 0.12 { "Decode of peak" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share of the GPU's peak" }
        /// Share of the peak memory bandwidth that is reached.
        bandwidth_efficiency: f64 = 0.72 { "Memory of peak" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share of the GPU's peak" }
        /// Fixed part of a step, in microseconds.
        step_us: f64 = 500.0 { "Step, fixed" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step for each layer of the model, in microseconds: launching kernels.
        step_us_per_layer: f64 = 20.0 { "Step/layer" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Time of one all-reduce between the GPUs of a replica, in microseconds. Each layer has two if tensor parallelism is above 1.
        all_reduce_us: f64 = 20.0 { "All-reduce" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
    }
}

family! {
    /// Coefficients of the cross-model latency model. The defaults are those shipped with the simulator BLIS, fitted over several models on H100.
    CrossModelCoefficients, overheads [13_732.0, 0.0, 860.6] {
        /// Time of a step for each layer of the model, in microseconds.
        step_us_per_layer: f64 = 116.11 { "Step/layer" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step for each decoding request, in microseconds per million keys that one token has in the cache of one GPU.
        step_us_per_decode_token_and_million_keys: f64 = 1226.868 { "Step/token, Mkeys" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step of a mixture-of-experts model, for each token it computes, in microseconds.
        step_us_per_token_with_experts: f64 = 19.943 { "Step/expert tok" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step if tensor parallelism is above 1, in microseconds.
        step_us_with_tensor_parallelism: f64 = 9445.157 { "Step, with TP" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
    }
}

family! {
    /// Rates of the piecewise-linear latency model. The defaults are those of the simulator RouteSim.
    PiecewiseRates, overheads [0.0, 0.0, 0.0] {
        /// Prompt tokens computed per second.
        prefill_tokens_per_s: f64 = 50_000.0 { "Prefill rate" of "tok/s" in [limits::TOKENS_PER_S_MIN, limits::TOKENS_PER_S] or "a rate cannot be zero" }
        /// Tokens per second of a request that decodes alone.
        single_decode_tokens_per_s: f64 = 80.0 { "Decode, alone" of "tok/s" in [limits::TOKENS_PER_S_MIN, limits::TOKENS_PER_S] or "a rate cannot be zero" }
        /// Tokens per second of all requests together, once enough of them decode.
        saturated_decode_tokens_per_s: f64 = 3200.0 { "Decode, full" of "tok/s" in [limits::TOKENS_PER_S_MIN, limits::TOKENS_PER_S] or "a rate cannot be zero" }
        /// How many decoding requests are enough: from there on throughput stays the same.
        saturation_batch: u32 = 64 { "Full from" of "req" in [1, limits::BATCH] or "1 means saturated by a single request" }
    }
}

/// The calibrated latency model: built-in coefficients by engine release, or your own coefficients.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CalibratedSettings {
    /// vLLM release whose costs apply; "latest" is another word for the newest of them.
    pub engine: EngineGeneration,
    /// Where latencies are measured: at a client, including the API server, or in the engine.
    pub clock: LatencyClock,
    /// Your own coefficients, as written by `tokenyard calibrate`, in place of the built-in ones for the GPU.
    pub coefficients: Option<CalibratedCoefficients>,
    /// The measured run to which your own coefficients were calibrated; a calibration fills it in.
    pub rests_on: Option<CoefficientSource>,
}

impl CalibratedCoefficients {
    /// The times of the front end, in microseconds: for each request, for each of its prompt tokens, and for each token that it
    /// writes.
    pub fn front_end(&self) -> [f64; 3] {
        [self.front_end_us, self.front_end_us_per_prompt_token, self.stream_us_per_token]
    }
}

fields! {
    struct CalibratedSettings {
        engine: "Engine" => Steps;
        clock: "Clock" => Delays;
        coefficients [omit]: "Coefficients" => Steps;
        rests_on [omit]: "Rest on" => Name;
    }
}

/// Source of your own coefficients: the measured run that they were calibrated to.
#[apply(field_schema!)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoefficientSource {
    /// Name of the file, or of the pasted text.
    pub file: String,
    /// The tool that wrote it.
    pub tool: String,
    /// Date of the run, as written in the file.
    pub date: String,
    /// Requests measured; 0 if the file has only totals.
    pub requests: u32,
    /// The coefficients that the calibration set; all others are unchanged.
    pub coefficients: Vec<String>,
}

fields! {
    struct CoefficientSource {
        file: "File" => Name;
        tool: "Tool" => Name;
        date: "Date" => Name;
        requests: "Requests" in [0, limits::REQUESTS as u32] or "the number of requests measured" => Name;
        coefficients: "Fixed" up_to [limits::COEFFICIENTS, "coefficients", "coefficient"] => Name by itself;
    }
}

/// Release of the engine, as far as its costs differ.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum EngineGeneration {
    /// vLLM up to 0.9.
    Early,
    /// vLLM 0.10 to 0.13: a step is scheduled once the one before has ended.
    Synchronous,
    /// vLLM 0.14 to 0.17: a step is scheduled while the one before runs.
    Ahead,
    /// vLLM 0.18 to 0.20: as 0.14, with less CPU work for each step.
    #[cfg_attr(feature = "schema", schemars(rename = "v0.18"))]
    V018,
    /// vLLM 0.21 and later: no costs of its own were measured, so that those of 0.18 count as carried.
    #[cfg_attr(feature = "schema", schemars(rename = "v0.21"))]
    V021,
    /// The newest of these.
    #[default]
    Latest,
}

impl EngineGeneration {
    /// The release that it stands for.
    #[must_use]
    pub fn release(self) -> Self {
        if self == Self::Latest { Self::V021 } else { self }
    }
}

fields! {
    names EngineGeneration { Early "early" Synchronous "synchronous" Ahead "ahead" V018 "v0.18" V021 "v0.21" Latest "latest" }
}

/// Where latencies are measured.
#[apply(choice_schema!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LatencyClock {
    /// At a client on the network, including the time of the API server.
    #[default]
    Client,
    /// In the engine.
    Server,
}

fields! {
    names LatencyClock { Client "client" Server "server" }
}

family! {
    /// Coefficients of the calibrated latency model: shares of the GPU's peaks, and times of the engine. The defaults are round figures near those of an H100; a fit begins with them.
    CalibratedCoefficients, overheads [4000.0, 5.0, 0.0] {
        /// Share of the peak memory bandwidth at which weights are read.
        weights_efficiency: f64 = 0.95 { "Weights of peak" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share of the GPU's peak" }
        /// Share of the peak memory bandwidth at which the KV cache is read.
        kv_efficiency: f64 = 0.87 { "KV of peak" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share of the GPU's peak" }
        /// Share of the peak FLOP/s that matrix products reach.
        compute_efficiency: f64 = 0.6 { "Compute of peak" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share of the GPU's peak" }
        /// Share of twice the peak FLOP/s that matrix products with weights of 8 bits reach.
        compute_efficiency_8_bit: f64 = 0.5 { "Compute, 8 bits" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share of the GPU's peak" }
        /// Share of four times the peak FLOP/s that matrix products with weights of 4 bits reach.
        compute_efficiency_4_bit: f64 = 0.12 { "Compute, 4 bits" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share of the GPU's peak" }
        /// Share of the peak FLOP/s that the attention of a prompt reaches.
        attention_efficiency: f64 = 0.3 { "Attention of peak" in [limits::EFFICIENCY_MIN, 1.0] or "it is a share of the GPU's peak" }
        /// Share of the compute time that adds to the time of reading weights; the rest overlaps with it.
        compute_not_hidden: f64 = 0.3 { "Compute shown" in [0.0, 1.0] or "it is a share of the time of computing" }
        /// Fixed part of a step, in microseconds.
        step_us: f64 = 300.0 { "Step, fixed" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step for each layer of the model, in microseconds: kernel time that does not depend on data.
        step_us_per_layer: f64 = 60.0 { "Step/layer" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step for each layer with experts, in microseconds; 1.6 times that where shared experts are computed beside the routed ones.
        step_us_per_expert_layer: f64 = 40.0 { "Step/expert layer" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step for each layer if tensor parallelism is above 1, in microseconds: the fixed cost of two all-reduces.
        step_us_per_parallel_layer: f64 = 3.0 { "Step/TP layer" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Time for a GPU of a replica to pass on one megabyte of activations in an all-reduce, in microseconds.
        reduce_us_per_megabyte: f64 = 3.0 { "Reduce/MB" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step for each running request, in microseconds: scheduling, sampling and sending its token.
        step_us_per_sequence: f64 = 10.0 { "Step/sequence" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step for each running request and each layer, in microseconds: attention time that does not depend on the cache it reads.
        step_us_per_sequence_layer: f64 = 0.2 { "Step/seq layer" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step for each prompt that it computes a piece of, in microseconds.
        step_us_per_prompt: f64 = 300.0 { "Step/prompt" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step that computes a piece of any prompt, for each layer with experts, in microseconds.
        prefill_us_per_expert_layer: f64 = 30.0 { "Prefill/MoE layer" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step with prompts that computes more than 512 tokens, in microseconds: it runs without a recorded CUDA graph.
        step_us_with_prefill: f64 = 500.0 { "Step, no graph" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further query rows that the attention of each sequence computes in a step with more than one prompt token: FlashAttention 2 uses a whole tile for a decoding request. 0 for kernels that do not, such as those on an H100.
        attention_rows_with_prefill [omit]: f64 = 0.0 { "Attention rows" of "rows" in [0.0, limits::ATTENTION_ROWS] or "tiles of a kernel have at most some hundred rows" }
        /// Share of the peak FLOP/s of 16 bits that matrix products of routed experts reach if the GPU cannot compute in the number format of their weights. 0 means `compute_efficiency`.
        expert_efficiency_weight_only [omit]: f64 = 0.0 { "Expert, wt only" in [0.0, 1.0] or "it is a share of the GPU's peak" }
        /// Further time of a step for each layer with experts and each of its routed experts, in microseconds: choosing experts and sorting tokens by them.
        step_us_per_expert [omit]: f64 = 0.0 { "Step/expert" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step for each layer with shared experts, in microseconds. 0 means 0.6 × `step_us_per_expert_layer`.
        step_us_per_shared_layer [omit]: f64 = 0.0 { "Step/shared layer" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step for each layer whose routed experts have weights of 8 bits and are computed in 8 bits, in microseconds: the activations of each expert are converted in blocks.
        step_us_per_8_bit_expert_layer [omit]: f64 = 0.0 { "Step/8-bit expert" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step for each token, routed expert that computes it, and layer, in microseconds.
        expert_us_per_copy [omit]: f64 = 0.0 { "Expert/copy" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Rows of a tile of grouped matrix products: each expert that a step touches computes half a tile more than its tokens on average.
        expert_tile_rows [omit]: f64 = 0.0 { "Expert tile" of "rows" in [0.0, limits::ATTENTION_ROWS] or "tiles of a kernel have at most some hundred rows" }
        /// Further time of a step for each layer and each doubling of tensor parallelism, in microseconds.
        step_us_per_parallel_doubling [omit]: f64 = 0.0 { "Step/TP doubling" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of a step for each layer whose activations are converted to 8 or 4 bits, in microseconds.
        step_us_per_converted_layer [omit]: f64 = 0.0 { "Step/converted" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time, for each layer, of a step with prompts that computes more than 512 tokens, in microseconds: kernels are launched one by one.
        step_us_per_layer_without_graph [omit]: f64 = 0.0 { "No graph/layer" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Time of the replica's front end for a request, whatever its length, in microseconds: HTTP and tokenising. The front end deals with one request after the other.
        front_end_us [omit]: f64 = 0.0 { "Front end" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Further time of the front end for each prompt token, in microseconds.
        front_end_us_per_prompt_token [omit]: f64 = 0.0 { "Front/prompt tok" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
        /// Time of the front end to write a token to its client, in microseconds. The tokens of a step are written together, after the requests and tokens that came to the front end before.
        stream_us_per_token [omit]: f64 = 0.0 { "Stream/token" of "µs" in [0.0, limits::COEFFICIENT_US] or "times cannot be negative" }
    }
}
