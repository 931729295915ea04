//! Every count, size and duration in a scenario has a limit, so that no document can ask for unbounded work.

/// Longest age of the counts of a server's ranks, and longest wait of a prompt for those of other ranks, in milliseconds.
pub const RANK_WAIT_MS: f64 = 3_600_000.0;

/// Most replicas in all pools together.
pub const REPLICAS: u32 = 1024;
/// Most replicas that a run starts one after the other, those that replace others included.
pub const REPLICAS_STARTED: u32 = 16_384;
/// Most requests of one run.
pub const REQUESTS: u64 = 5_000_000;
/// Most requests of one run that keeps summaries only: requests are numbered in four bytes.
pub const REQUESTS_SUMMARISED: u64 = 100_000_000;
/// Most gaps between tokens that a run keeps request by request.
pub const GAPS: u64 = 10_000_000;
/// Most requests of a run that came from a link.
pub const REQUESTS_FROM_LINK: u64 = 1_000_000;
/// Events after which the way to a link's instant goes on only when the reader says so: some seconds of work.
pub const EVENTS_UNASKED: u64 = 3_000_000;
/// Characters of a link: more than any mail or chat takes.
pub const LINK_CHARS: usize = 32_768;
/// Longest readable link that is used by default.
pub const LINK_CHARS_PLAIN: usize = 240;
/// Longest readable link: what a message of a chat takes.
pub const LINK_CHARS_CHAT: usize = 2000;
/// Longest link that a post takes.
pub const LINK_CHARS_POST: usize = 300;
/// Longest link that a camera reads as a QR code from a screen.
pub const LINK_CHARS_QR: usize = 1200;
/// Above this chats and mails cut links: the page offers the file first.
pub const LINK_CHARS_FILE: usize = 4000;
/// Most edits that the description of a link names one by one.
pub const LINK_NAMED_EDITS: usize = 3;
/// Most charts that a link names.
pub const LINK_CHARTS: usize = 16;
/// Most settings of a readable link.
pub const LINK_SETTINGS: usize = 100;
/// Longest name of a panel or a chart in a link, in bytes.
pub const LINK_VIEW_NAME_BYTES: usize = 24;
/// Most words of a close-up in a link: its name and its settings.
pub const LINK_CLOSEUP_WORDS: usize = 12;
/// Longest of these words, in bytes.
pub const LINK_CLOSEUP_WORD_BYTES: usize = 64;
/// Longest study in a link, in bytes.
pub const LINK_STUDY_BYTES: usize = 2000;
/// Longest version of a program in a link, in bytes.
pub const LINK_VERSION_BYTES: usize = 24;
/// Characters of a note that the description of a link shows.
pub const LINK_NOTE_SHOWN: usize = 160;
/// Longest name of a run, in characters.
pub const RUN_NAME_CHARS: usize = 40;
/// Most bytes that a run may come to take, as estimated before it begins: 16 GiB.
pub const MEMORY_BYTES: u64 = 16 << 30;
/// Bytes from which on the command line warns: 4 GiB.
pub const MEMORY_BYTES_WARNED: u64 = 4 << 30;
/// Most bytes that a run on a page may come to take: 1 GiB.
pub const MEMORY_BYTES_PAGE: u64 = 1 << 30;
/// Longest run, in seconds: 30 days.
pub const HORIZON_S: f64 = 2_592_000.0;
/// The same in milliseconds.
pub const HORIZON_MS: f64 = HORIZON_S * 1000.0;
/// The same in microseconds.
pub const HORIZON_US: u64 = HORIZON_S as u64 * 1_000_000;
/// Most KV blocks of one replica.
pub const KV_BLOCKS: u32 = 4 * 1024 * 1024;
/// Most requests that must have had a block before it is written to a tier.
pub const WRITE_HITS: u32 = 1000;
/// Highest priority of a directive.
pub const KEEP_PRIORITY: u32 = 100;
/// Most directives of a client or a request.
pub const RETENTION: usize = 16;
/// Smallest quantile of gaps.
pub const QUANTILE_MIN: f64 = 0.001;
/// Largest quantile of gaps.
pub const QUANTILE: f64 = 0.999;
/// Most gaps before the first hint.
pub const LEAST_GAPS: u32 = 10_000;
/// Shortest duration of a hint.
pub const HINT_S_MIN: f64 = 0.001;
/// Longest duration of a hint.
pub const HINT_S: f64 = 86_400.0;
/// Most tokens under hints.
pub const HINT_BUDGET_TOKENS: u64 = 1_000_000_000_000;
/// Smallest weight of the latest gap in the mean of a session's gaps.
pub const EWMA_WEIGHT_MIN: f64 = 0.001;
/// Most tiers of a pool below CPU memory.
pub const SECONDARY_TIERS: usize = 8;
/// Most stores of KV blocks.
pub const KV_STORES: usize = 64;
/// Bytes of the name of a store.
pub const STORE_NAME_BYTES: usize = 64;
/// Most servers of a store.
pub const STORE_SERVERS: u32 = 1024;
/// Largest capacity of a tier in GB.
pub const TIER_GB: f64 = 1e6;
/// Speeds of tiers in GB/s.
pub const TIER_GB_PER_S_MIN: f64 = 0.001;
/// The same, the fastest.
pub const TIER_GB_PER_S: f64 = 10_000.0;
/// Most threads of a disk.
pub const TIER_THREADS: u32 = 4096;
/// Most tokens of one request, prompt and output together.
pub const REQUEST_TOKENS: u32 = 1024 * 1024;
/// Most tokens in one KV block.
pub const BLOCK_TOKENS: u32 = 4096;
/// Largest share of the KV blocks that stay free when requests join a batch.
pub const WATERMARK: f64 = 0.9999;
/// Most clients.
pub const CLIENTS: usize = 256;
/// Most numbered LoRA adapters of one client.
pub const ADAPTERS: u32 = 10_000;
/// Most LoRA adapters with names of their own of one client.
pub const NAMED_ADAPTERS: usize = 256;
/// Largest exponent of a Zipf distribution.
pub const ZIPF_EXPONENT: f64 = 10.0;
/// Most LoRA adapters in the GPU memory of one replica.
pub const LORA_SLOTS: u32 = 1024;
/// Most LoRA adapters in the CPU memory of one replica.
pub const CPU_LORAS: u32 = 10_000;
/// Highest rank of a LoRA adapter.
pub const LORA_RANK: u32 = 4096;
/// Largest LoRA adapter, in MiB.
pub const ADAPTER_MIB: f64 = 1_048_576.0;
/// Slowest load of an adapter, in GB/s.
pub const LOAD_GB_PER_S_MIN: f64 = 1e-6;
/// Fastest load of an adapter, in GB/s.
pub const LOAD_GB_PER_S: f64 = 1e6;
/// Most pools.
pub const POOLS: usize = 64;
/// Most edits.
pub const EDITS: usize = 1000;
/// Most times as long as usual that a step of a slow replica takes.
pub const SLOW_FACTOR: f64 = 1000.0;
/// Shortest time between two probes of a replica, and shortest ejection.
pub const PROBE_S_MIN: f64 = 0.1;
/// Most restarts of a run that follow from probes.
pub const PROBE_RESTARTS: u32 = 10_000;
/// Most probes, or broken attempts, in a row that are asked for.
pub const PROBES: u32 = 10_000;
/// Most further attempts of one request.
pub const RETRIES: u32 = 100;
/// Shortest mean time between crashes of a replica that are drawn at random.
pub const CRASH_MTBF_S: f64 = 1.0;
/// Most crashes of a run that are drawn at random.
pub const RANDOM_CRASHES: u32 = 10_000;
/// Most explicit requests.
pub const EXPLICIT_REQUESTS: usize = 100_000;
/// Most pieces of one explicit prompt: a conversation has two for each turn.
pub const PROMPT_PIECES: usize = 1024;
/// Most bytes of a scenario document.
pub const SCENARIO_BYTES: usize = 1024 * 1024;
/// Largest config.json of a model.
pub const MODEL_BYTES: usize = 16 * 1024 * 1024;
/// Most bytes of a trace dropped on the page.
pub const TRACE_BYTES_PAGE: u64 = 64 * 1024 * 1024;
/// Most bytes of a trace given to the CLI.
pub const TRACE_BYTES_CLI: u64 = 1024 * 1024 * 1024;
/// Most bytes of a trace that travels inside a scenario, compressed.
pub const CARRIED_TRACE_BYTES: usize = 64 * 1024;
/// Most bytes of its text, uncompressed.
pub const CARRIED_TRACE_TEXT_BYTES: usize = 8 * 1024 * 1024;
/// Longest trace, in seconds: ten years.
pub const TRACE_S: f64 = 315_576_000.0;
/// Smallest share of a trace's sessions.
pub const TRACE_SHARE_MIN: f64 = 1e-6;
/// Longest random delay of the requests of a trace, in seconds: one hour.
pub const TRACE_JITTER_S: f64 = 3600.0;
/// Fastest arrivals of one client, requests per second.
pub const RATE_PER_S: f64 = 100_000.0;
/// Shortest on or off period of a client's arrivals, in seconds.
pub const ON_OFF_S_MIN: f64 = 0.1;
/// Slowest link to a CPU tier, in tokens per microsecond.
pub const TRANSFER_TOKENS_PER_US_MIN: f64 = 1e-6;
/// Fastest link to a CPU tier, in tokens per microsecond: a load takes no time but the fixed one.
pub const TRANSFER_TOKENS_PER_US: f64 = 1e9;
/// Longest latency or interval setting, in microseconds: one hour.
pub const LATENCY_US: u64 = 3_600_000_000;
/// The same in milliseconds.
pub const LATENCY_MS: f64 = LATENCY_US as f64 / 1000.0;
/// Largest coefficient of a latency model, in microseconds.
pub const COEFFICIENT_US: f64 = 1e9;
/// Most that a step without a recorded graph takes longer, in microseconds.
pub const MIXED_STEP_US: u32 = 1_000_000_000;
/// Most query rows in a tile of an attention kernel.
pub const ATTENTION_ROWS: f64 = 1024.0;
/// Most coefficients that are named as calibrated.
pub const COEFFICIENTS: usize = 32;
/// Most requests in one batch.
pub const BATCH: u32 = 65_536;
/// Most tokens in one step.
pub const STEP_TOKENS: u32 = 1024 * 1024;
/// Most draft tokens that a request verifies in one step.
pub const DRAFT_TOKENS: u32 = 32;
/// Most GPUs of one replica.
pub const TP: u32 = 64;
/// Most stages of one replica.
pub const PP: u32 = 64;
/// Slowest link between two stages of a replica, in GB/s.
pub const PP_LINK_GB_PER_S_MIN: f64 = 0.001;
/// Fastest link between two stages of a replica, in GB/s.
pub const PP_LINK_GB_PER_S: f64 = 1_000_000.0;
/// Most weights of experts.
pub const EXPERT_WEIGHTS: usize = 1024;
/// The largest of them.
pub const EXPERT_WEIGHT: f64 = 1e6;
/// Most copies of experts beside the first of each.
pub const REDUNDANT_EXPERTS: u32 = 4096;
/// Most steps of a window or an interval of rebalancing.
pub const EPLB_STEPS: u32 = 1_000_000_000;
/// Most replicas that experts are spread over.
pub const EXPERT_RANKS: u32 = 72;
/// Most events kept for the event log.
pub const EVENT_LOG: u32 = 1_000_000;
/// Most points of a time series.
pub const SERIES_POINTS: u32 = 4096;
/// Longest text field, in bytes.
pub const TEXT_BYTES: usize = 4096;
/// Fewest points of a time series.
pub const SERIES_POINTS_MIN: u32 = 16;
/// Most regular arrivals: smallest coefficient of variation of the gaps.
pub const CV_MIN: f64 = 0.05;
/// Burstiest arrivals: largest coefficient of variation of the gaps.
pub const CV: f64 = 20.0;
/// Widest lognormal lengths: largest standard deviation of the logarithm.
pub const SIGMA: f64 = 4.0;
/// Most different prefixes of one client.
pub const PREFIX_GROUPS: u32 = 1_000_000;
/// Most different tenants of a trace.
pub const TRACE_TENANTS: usize = 1024;
/// Slowest replay of a trace.
pub const TRACE_SPEED_MIN: f64 = 0.001;
/// Fastest replay of a trace.
pub const TRACE_SPEED: f64 = 1000.0;
/// Largest weight of one part of the fitness score.
pub const FITNESS_WEIGHT: f64 = 1e6;
/// Smallest bucket and slowest flow of an admission policy.
pub const BUCKET_MIN: f64 = 1e-6;
/// Largest bucket and fastest flow of an admission policy, in tokens (per second).
pub const BUCKET_TOKENS: f64 = 1e12;
/// Largest limit on requests in the cluster.
pub const IN_FLIGHT: u32 = 5_000_000;
/// Most layers of a model.
pub const LAYERS: u32 = 1024;
/// Widest hidden state, feed-forward layer or cached latent of a model.
pub const WIDTH: u32 = 1_048_576;
/// Most attention heads of a model.
pub const HEADS: u32 = 4096;
/// Most tokens in a model's vocabulary.
pub const VOCABULARY: u32 = 16_777_216;
/// Most experts of a layer.
pub const EXPERTS: u32 = 4096;
/// Most numbers that one token has in the caches of all layers.
pub const KV_VALUES: u32 = 16_777_216;
/// Most weights, in millions.
pub const PARAMS_MILLIONS: f64 = 1e9;
/// Fewest bytes of a number: two bits.
pub const NUMBER_BYTES_MIN: f64 = 0.25;
/// Most bytes of a number.
pub const NUMBER_BYTES: f64 = 8.0;
/// Largest state of the linear layers for one request, in KiB: 1 TiB.
pub const STATE_KIB: f64 = 1_073_741_824.0;
/// Fastest link of one GPU to others, in GB/s.
pub const LINK_GB_PER_S: f64 = 1e6;
/// Highest clock of a GPU, in MHz.
pub const CLOCK_MHZ: f64 = 100_000.0;
/// Most memory of one GPU, in GiB.
pub const MEMORY_GIB: f64 = 65_536.0;
/// Slowest GPU, in TFLOP/s.
pub const TFLOPS_MIN: f64 = 0.1;
/// Fastest GPU, in TFLOP/s.
pub const TFLOPS: f64 = 1_000_000.0;
/// Slowest GPU memory, in TB/s.
pub const BANDWIDTH_TB_PER_S_MIN: f64 = 0.001;
/// Fastest GPU memory, in TB/s.
pub const BANDWIDTH_TB_PER_S: f64 = 10_000.0;
/// Highest price of one GPU, in US dollars per hour.
pub const USD_PER_HOUR: f64 = 100_000.0;
/// Smallest share of a hardware peak.
pub const EFFICIENCY_MIN: f64 = 0.001;
/// Smallest share of GPU memory.
pub const MEMORY_SHARE_MIN: f64 = 0.01;
/// Slowest engine, in tokens per second.
pub const TOKENS_PER_S_MIN: f64 = 0.01;
/// Fastest engine, in tokens per second.
pub const TOKENS_PER_S: f64 = 1e9;
/// Most requests of one client in flight, where it has a bound.
pub const CONCURRENCY: u32 = 65_536;
/// Most sessions of one client, and most that a router remembers.
pub const SESSIONS: u32 = 1_000_000;
/// Longest time for which a router remembers what it sent where, in seconds: one day.
pub const ROUTER_TTL_S: f64 = 86_400.0;
/// Largest cost setting of a routing policy.
pub const COST: f64 = 1e6;
/// Smallest weight of a scorer.
pub const WEIGHT_MIN: f64 = 1e-6;
/// Largest weight of a scorer.
pub const WEIGHT: f64 = 1e6;
/// Largest threshold of a scorer, in tokens or requests.
pub const THRESHOLD: u32 = 1_000_000_000;
/// Most filters of one routing policy, and most limits of one filter.
pub const FILTERS: usize = 8;
/// Lowest softmax temperature: at it nearly every choice has the highest score.
pub const TEMPERATURE_MIN: f64 = 1e-6;
/// Highest softmax temperature: at it every choice is about as likely as any other.
pub const TEMPERATURE: f64 = 1e6;
/// Longest expression, in bytes.
pub const EXPRESSION_BYTES: usize = 1024;
/// Most names, numbers and operations of an expression.
pub const EXPRESSION_NODES: usize = 64;
/// Deepest nesting of operations in an expression.
pub const EXPRESSION_DEPTH: u32 = 32;
/// Most sessions that an expression remembers, the longest unused forgotten first.
pub const EXPRESSION_SESSIONS: u32 = 100_000;
/// Most scorers of one routing policy.
pub const SCORERS: usize = 32;
/// Heaviest tail of Pareto lengths.
pub const TAIL_MIN: f64 = 0.1;
/// Lightest tail of Pareto lengths.
pub const TAIL: f64 = 100.0;
/// Most different lengths in a measured distribution.
pub const LENGTHS: usize = 4096;
/// Largest weight of a measured length.
pub const LENGTH_WEIGHT: f64 = 1e12;
/// Largest factor of a rate profile, and largest ratio of the busiest to the quietest hour.
pub const RATE_FACTOR: f64 = 1000.0;
/// Most points, or windows, of a rate profile.
pub const RATE_POINTS: usize = 1000;
/// Shortest day of a rate profile, in seconds.
pub const DAY_S_MIN: f64 = 1.0;
/// Number of the last hour of a day.
pub const LAST_HOUR: u32 = 23;
/// Most rounds of a conversation.
pub const ROUNDS: u32 = 1000;
/// Most sub-agents of a fork.
pub const SUB_AGENTS: u32 = 63;
/// Longest think time between two rounds, in seconds: one day.
pub const THINK_S: f64 = 86_400.0;
/// Most objects of Kubernetes in a file of policies.
pub const OBJECTS: usize = 64;
/// Most bytes of all texts of an import together: a whole `/metrics` page has less.
pub const IMPORT_BYTES: usize = 4 * 1024 * 1024;
/// Most cases of a sweep, seeds included.
pub const CASES: usize = 10_000;
/// The same on a page.
pub const CASES_PAGE: usize = 1000;
/// Largest file of a study, in bytes.
pub const STUDY_BYTES: usize = 16 << 20;
/// Most entrants of a race.
pub const ENTRANTS: usize = 32;
/// Longest name of an entrant or an axis in a file of a study, in bytes.
pub const STUDY_NAME_BYTES: usize = 200;
/// Most points of a small picture of a run in a file of a study.
pub const STUDY_PICTURE: usize = 1000;
/// Most paths that a sweep varies.
pub const VARIED: usize = 8;
/// Most values of one of them.
pub const VARIED_VALUES: usize = 1000;
/// Most ratios of prefill to decode replicas that one study compares; of more, this many evenly spread ones.
pub const RATIOS: usize = 31;
/// Most GPUs of a pool's budget.
pub const GPUS: u32 = 65_536;
/// Shortest time between two decisions of an autoscaler, or two measurements, in seconds.
pub const SCALING_PERIOD_S_MIN: f64 = 0.1;
/// Longest time of an autoscaler or of a phase of a start, in seconds: one day.
pub const SCALING_S: f64 = 86_400.0;
/// Most decisions and measurements of all autoscalers of a run together.
pub const SCALING_TICKS: f64 = 20e6;
/// Most measurements in the window of an autoscaler.
pub const SCALING_SCRAPES: u32 = 120;
/// Most further metrics, or triggers, of an autoscaler.
pub const SCALING_METRICS: usize = 4;
/// Most limits of the change in one direction.
pub const SCALING_LIMITS: usize = 8;
/// Smallest multiplier from which objectives are inferred.
pub const SLO_MULTIPLIER_MIN: f64 = 1.01;
/// Most varied times of a start: standard deviation over mean.
pub const START_CV: f64 = 2.0;
/// Shortest window of admitted requests, in seconds.
pub const WINDOW_S_MIN: f64 = 0.001;
/// Most bands of the gateway's queue with settings of their own.
pub const FLOW_BANDS: usize = 16;
/// Most prompt tokens that may wait at the gateway, or be in flight to one replica.
pub const FLOW_TOKENS: u64 = 1_000_000_000_000;
/// Smallest threshold of a saturation detector, and lowest ceiling of a band.
pub const FLOW_THRESHOLD_MIN: f64 = 0.001;
/// Largest threshold of a saturation detector, and highest ceiling of a band.
pub const FLOW_THRESHOLD: f64 = 1e6;
/// Shortest time between two attempts of the gateway's queue, in microseconds.
pub const FLOW_TICK_US_MIN: u64 = 100;
/// Longest time between two attempts of the gateway's queue, in microseconds.
pub const FLOW_TICK_US: u64 = 1_000_000;
/// Slowest network port of a GPU, in GB/s.
pub const PORT_GB_PER_S_MIN: f64 = 0.001;
/// Fastest network port of a GPU, in GB/s.
pub const PORT_GB_PER_S: f64 = 10_000.0;
/// Most bytes of one token in a KV cache.
pub const KV_BYTES_PER_TOKEN: u32 = 100_000_000;
/// Largest share of a transfer that leaves while the prefill runs.
pub const OVERLAP_SHARE: f64 = 0.999;
/// Longest text of a lesson.
pub const LESSON_BYTES: usize = 256 * 1024;
/// Most steps of a lesson.
pub const LESSON_STEPS: usize = 12;
/// Most words of the text of a step.
pub const LESSON_WORDS: usize = 120;
/// Longest lesson, in minutes.
pub const LESSON_MINUTES: u32 = 60;
/// Most scenarios, and most runs, that a lesson names.
pub const LESSON_RUNS: usize = 24;
/// Most seeds of a lesson.
pub const LESSON_SEEDS: u32 = 100;
/// Most runs of a step over all seeds.
pub const LESSON_CASES: usize = 2000;
/// Most claims of a step.
pub const LESSON_CLAIMS: usize = 4;
/// Most figures of the text of a step.
pub const LESSON_FIGURES: usize = 8;
/// Most events of one run of a lesson.
pub const LESSON_EVENTS: u64 = 3_000_000;

/// Longest candidate of an evaluation, in bytes.
pub const CANDIDATE_BYTES: usize = 256 * 1024;
/// Most cases of a suite.
pub const SUITE_CASES: usize = 256;
/// Most seeds of a case of a suite.
pub const SUITE_SEEDS: usize = 256;
/// Most objectives of a suite.
pub const SUITE_OBJECTIVES: usize = 16;
/// Most stages of a suite.
pub const SUITE_STAGES: usize = 16;
/// Longest feedback of an evaluation, in bytes.
pub const FEEDBACK_BYTES: u32 = 1 << 20;
/// Most evaluations in the report of an evolution.
pub const LAB_RECORDS: usize = 20_000;
/// Longest feedback of an evaluation in such a report, in bytes; the rest is cut.
pub const LAB_FEEDBACK_BYTES: usize = 16_000;
/// Most bytes of all feedback in such a report: that of the worst candidates is left out.
pub const LAB_TEXT_BYTES: usize = 16 << 20;
/// Largest file of records, in bytes: 1 GiB.
pub const LAB_BYTES: u64 = 1 << 30;
