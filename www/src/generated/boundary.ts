// The types of what crosses the boundary, from Rust: cargo run -- types > www/src/generated/boundary.ts

/** One anomaly. */
export type AnomalyExample = {
  /** What is wrong. */
  kind: AnomalyKind,
  /** When it began, in microseconds. */
  start_us: number,
  /** When it ended, in microseconds; nothing while it goes on. */
  end_us?: number,
  /** The replica; of an imbalance the one with the most to do when it was noticed. */
  replica: number,
  /** The first requests that prove it, and when they do. */
  requests: Array<AnomalyProof>,
  /** What happened, in one sentence. */
  text: string,
};

/** What is wrong. */
export type AnomalyKind = "priority-inversion" | "head-of-line-blocking" | "kv-thrashing" | "livelock" | "load-imbalance";

/** An anomaly on the timeline. */
export type AnomalyMark = {
  /** When it began, in microseconds. */
  at_us: number,
  /** When it ended, in microseconds; nothing while it goes on. */
  end_us?: number,
  /** What is wrong. */
  kind: AnomalyKind,
  /** The replica. */
  replica: number,
  /** The first request that proves it, where there is one. */
  request?: number,
  /** What happened, in one sentence. */
  label: string,
};

/** What the detectors found, warm-up included. */
export type AnomalyPart = {
  /** How many of each kind. */
  counts: { [kind: string]: number },
  /** The first five of each kind, in the order in which they were noticed. */
  first: Array<AnomalyExample>,
};

/** A request, and when it did what proves an anomaly. */
export type AnomalyProof = {
  /** The request. */
  request: number,
  /** When, in microseconds. */
  at_us: number,
};

/** A request in a batch. */
export type BatchBar = {
  /** The request. */
  request: number,
  /** Number of its client. */
  client: number,
  /** Tokens whose KV is in the cache. */
  context: number,
  /** Tokens to prefill before the next output token. */
  prefill: number,
  /** Whether the prompt is done and it decodes. */
  decoding: boolean,
};

/** What BLIS would have said (`compat: blis` only). */
export type BlisPart = {
  /** Pairs of finished requests of one replica and class of which the earlier took more than twice as long; 0 with
   * constant priorities. */
  priority_inversions: number,
  /** Replicas whose mean queue over their steps is more than twice the mean of all replicas. */
  hol_blocking_events: number,
};

/** What the router saw of one replica. */
export type Candidate = {
  /** The replica. */
  replica: number,
  /** Waiting, as seen. */
  waiting: number,
  /** Running, as seen. */
  running: number,
  /** In flight. */
  in_flight: number,
  /** Share of KV blocks in use as seen, 0 to 1. */
  kv_used: number,
  /** Waiting + running + in flight as seen. */
  load: number,
  /** The same as it truly was. */
  true_load: number,
  /** The policy's score; higher is better. */
  score: number,
  /** Whether it was chosen. */
  chosen: boolean,
  /** Why it could not be chosen, such as `wait queue full`; missing if it could. Those that could not stand last. */
  excluded?: string,
  /** What the score is made of; empty for a policy that does not score. */
  parts: Array<ScorePart>,
};

/** The requests of one SLO class, without the warm-up. */
export type ClassPart = {
  /** TTFT objective in milliseconds; 0 if there is none. */
  ttft_objective_ms: number,
  /** TPOT objective in milliseconds; 0 if there is none. */
  tpot_objective_ms: number,
  /** E2E objective in milliseconds; 0 if there is none. */
  e2e_objective_ms: number,
  /** Its name. */
  name: string,
  /** Requests arrived. */
  arrived: number,
  /** Requests finished. */
  finished: number,
  /** Of those, requests that met every objective of their class. */
  met: number,
  /** met / finished, 0 to 1; missing if none finished. */
  attainment?: number,
  /** Requests finished per second that met every objective of their class. */
  goodput_per_s: number,
  /** Output tokens of the requests finished. */
  output_tokens: number,
  /** Preemptions of requests that arrived. */
  preemptions: number,
  /** Time to first token in milliseconds. */
  ttft_ms: Summary,
  /** Mean time between tokens of a request in milliseconds. */
  tpot_ms: Summary,
  /** End-to-end latency in milliseconds. */
  e2e_ms: Summary,
  /** Joining the wait queue to first joining a batch, in milliseconds. */
  queue_wait_ms: Summary,
};

/** One client's traffic over the latest window. */
export type ClientFrame = {
  /** Name of the client. */
  name: string,
  /** Requests per second that arrived in the window. */
  rate_per_s: number,
};

/** Which columns, and between which instants. */
export type ColumnsQuery = {
  /** Which view. */
  view: View,
  /** Start, in microseconds. */
  from_us?: number,
  /** End, in microseconds; 0 means the playhead. */
  to_us?: number,
  /** Of a distribution: the length of its window in seconds, as of the key figures; 0 for all that was measured since the warm-up. */
  window_s?: number,
};

/** What the measurement window cost, from the GPU prices of the catalogue. */
export type CostPart = {
  /** US dollars per hour of the replicas now serving; like every cost missing where one of them has no price. */
  usd_per_hour?: number,
  /** US dollars for all replicas while they existed. */
  usd?: number,
  /** US dollars per request finished; missing without one, like those below it without tokens. */
  usd_per_request?: number,
  /** US dollars per 1,000 tokens, prompt and output. */
  usd_per_1k_tokens?: number,
  /** US dollars per million output tokens. */
  usd_per_million_output_tokens?: number,
  /** GPUs times seconds that their replica existed. */
  gpu_seconds: number,
  /** GPUs times seconds that a step ran on them. */
  gpu_busy_seconds: number,
  /** Busy GPU-seconds per request finished. */
  gpu_busy_seconds_per_request?: number,
};

/** Requests by where they are now. Conservation: arrived = `in_pipeline` + waiting + running + completed + rejected + dropped. */
export type Counts = {
  /** Requests that have arrived. */
  arrived: number,
  /** Between arrival and a wait queue. */
  in_pipeline: number,
  /** In a wait queue. */
  waiting: number,
  /** In a batch. */
  running: number,
  /** Finished. */
  completed: number,
  /** Refused by admission. */
  rejected: number,
  /** Impossible to serve. */
  dropped: number,
  /** Preemptions so far (one request can be preempted several times). */
  preemptions: number,
};

/** The CPU tiers of all replicas together, warm-up included. */
export type CpuTierPart = {
  /** Blocks there is room for. */
  total_blocks: number,
  /** Of those, blocks that hold something now. */
  used_blocks: number,
  /** Blocks written to it. */
  offloads: number,
  /** Blocks forgotten there for want of room. */
  evictions: number,
  /** Loads, each of one block or more for one request. */
  loads: number,
  /** Mean time from asking for a load to having it, in milliseconds. */
  mean_load_ms: number,
  /** Blocks found there and brought back. */
  hits: number,
  /** Blocks of prompts looked for there and not found. With the tier of BLIS: failed allocations for which nothing could
   * be copied back. */
  misses: number,
  /** hits / (hits + misses), 0 to 1. */
  hit_rate: number,
  /** The tier of BLIS: blocks copied back within a millisecond of being copied down. */
  thrash: number,
  /** thrash / offloads. */
  thrash_rate: number,
};

/** What the decisions of a run amount to. */
export type DecisionPart = {
  /** Requests that admission let in or refused. */
  decided: number,
  /** Requests that admission let in. */
  admitted: number,
  /** Requests refused, by whomever. */
  rejected: number,
  /** Requests sent to a replica. */
  routed: number,
  /** How much better the best candidate scored than the chosen one, on average. */
  score_regret_mean: number,
  /** The largest of these differences. */
  score_regret_max: number,
  /** Replicas that got a request. */
  unique_targets: number,
  /** By replica: requests sent there. */
  targets: Array<number>,
};

/** One problem with the user's input. */
export type Diagnostic = {
  /** Error or warning. */
  severity: Severity,
  /** Where: the path of the field, such as `cluster.pools[0].replicas`, or `line 17` of a trace. Empty for the whole. */
  path: string,
  /** What was found. */
  found: string,
  /** What is allowed there. */
  allowed: string,
  /** How to fix it. */
  fix: string,
};

/** What a line of the event log is about. */
export type EventKind = "arrived" | "admitted" | "rejected" | "delayed" | "routed" | "queued" | "kv-load" | "kv-loaded" | "scheduled" | "step" | "step-end" | "prefill" | "first-token" | "tokens" | "preempted" | "kv-offload" | "reload" | "blocked" | "completed" | "dropped" | "livelock" | "anomaly" | "edit" | "replica";

/** One line of the event log. */
export type EventRow = {
  /** Number of the line; lines are numbered from 0 and the oldest may be gone. */
  seq: number,
  /** When, in microseconds. */
  at_us: number,
  /** What happened. */
  kind: EventKind,
  /** The request, where there is one. */
  request?: number,
  /** The replica, where there is one. */
  replica?: number,
  /** The rest in words, such as `TTFT 24.1 ms`. */
  text: string,
};

/** The answer to an [`EventsQuery`]. */
export type EventRows = {
  /** Lines, oldest first. */
  rows: Array<EventRow>,
  /** Lines of the run so far, matching or not. */
  total: number,
  /** Lines no longer kept. */
  lost: number,
};

/** Which lines of the event log. */
export type EventsQuery = {
  /** Only these kinds; empty means all. */
  kinds: Array<EventKind>,
  /** Only this request. */
  request?: number,
  /** Only this replica. */
  replica?: number,
  /** At most this many, the newest. */
  limit: number,
};

/** How evenly work was spread in the measurement window. */
export type FairnessPart = {
  /** Jain's index over the output tokens of each tenant that sent requests: 1/n (one has all) to 1 (equal). */
  tenants_jain: number,
  /** Coefficient of variation of the same. */
  tenants_cov: number,
  /** Jain's index over the requests finished by each replica. */
  replicas_jain: number,
  /** Coefficient of variation of the same. */
  replicas_cov: number,
  /** Longest mean queue of a replica by the shortest, which counts as one request at least. */
  max_min_queue_ratio: number,
};

/** What a fitness score can count. Each is brought to 0 to 1, where 1 is best. */
export type FitnessMetric = "throughput" | "tokens_per_sec" | "mean_ttft" | "p50_ttft" | "p99_ttft" | "mean_e2e" | "p50_e2e" | "p99_e2e";

/** A score with the weights that the scenario gives. */
export type FitnessPart = {
  /** Sum of weight times norm. */
  score: number,
  /** What it is made of, in the order of the scenario. */
  parts: Array<FitnessTerm>,
};

/** One term of the fitness score. */
export type FitnessTerm = {
  /** What counts. */
  metric: FitnessMetric,
  /** How much it counts. */
  weight: number,
  /** Its value, in requests or tokens per second or in milliseconds. */
  value: number,
  /** The value brought to 0 to 1, where 1 is best; 0 for a latency that nobody had. */
  norm: number,
};

/** An edit on the timeline. */
export type Flag = {
  /** When, in microseconds. */
  at_us: number,
  /** In a few words: `arrivals 9.0 → 9.6`. */
  label: string,
  /** Whether the playhead has passed it. */
  applied: boolean,
};

/** The state of the whole run at one instant, bounded in size whatever the fleet. */
export type Frame = {
  /** The playhead, in microseconds. */
  now_us: number,
  /** End of the run in microseconds, 0 if it ends when all requests are done. */
  horizon_us: number,
  /** Right edge for time axes: the horizon, or a round instant beyond the playhead. */
  axis_end_us: number,
  /** Events run so far. */
  events: number,
  /** Whether nothing is left to run. */
  finished: boolean,
  /** A sentence when the run can no longer make progress or ended early, else empty. */
  trouble: string,
  /** What the reader must know to read the numbers right; most of it is only known once the run has finished. */
  notices: Array<Notice>,
  /** Requests by where they are now. */
  counts: Counts,
  /** The headline numbers over the latest window. */
  key: KeyFigures,
  /** Arrivals by client over the latest window. */
  clients: Array<ClientFrame>,
  /** Every pool, in order. */
  pools: Array<PoolFrame>,
  /** Every replica, in order. */
  replicas: Array<ReplicaFrame>,
  /** What moved since the previous frame: the newest, at most as many as asked for. */
  moves: Array<Move>,
  /** Edits so far and to come, in order. */
  flags: Array<Flag>,
  /** Anomalies so far, the first 64 of them, in the order in which they were noticed. */
  anomalies: Array<AnomalyMark>,
  /** How many anomalies there were so far, those included that are not listed. */
  anomaly_count: number,
};

/** How much detail a frame has. */
export type FrameQuery = {
  /** Length of the window of the key figures, in seconds. */
  window_s: number,
  /** Most queue chips of one replica. */
  queue: number,
  /** Most batch bars of one replica. */
  batch: number,
  /** Most sampled KV cells of one replica. */
  cells: number,
  /** Most moves. */
  moves: number,
  /** A replica that is looked at: as many as 96 of its queue and of its batch are told in any case. */
  focus?: number,
};

/** The requests of one client, tenant or SLO class, without the warm-up. */
export type GroupPart = {
  /** Its name. */
  name: string,
  /** Requests arrived. */
  arrived: number,
  /** Requests finished. */
  finished: number,
  /** Of those, requests that met every objective of their class. */
  met: number,
  /** met / finished, 0 to 1; missing if none finished. */
  attainment?: number,
  /** Requests finished per second that met every objective of their class. */
  goodput_per_s: number,
  /** Output tokens of the requests finished. */
  output_tokens: number,
  /** Preemptions of requests that arrived. */
  preemptions: number,
  /** Time to first token in milliseconds. */
  ttft_ms: Summary,
  /** Mean time between tokens of a request in milliseconds. */
  tpot_ms: Summary,
  /** End-to-end latency in milliseconds. */
  e2e_ms: Summary,
  /** Joining the wait queue to first joining a batch, in milliseconds. */
  queue_wait_ms: Summary,
};

/** The headline numbers over the latest window. */
export type KeyFigures = {
  /** Length of the window in seconds. */
  window_s: number,
  /** Time to first token of requests that got it in the window. */
  ttft: Percentiles,
  /** Time between tokens produced in the window. */
  itl: Percentiles,
  /** Mean time between the tokens of each request that finished in the window. */
  tpot: Percentiles,
  /** End-to-end latency of requests that finished in the window. */
  e2e: Percentiles,
  /** Requests per second that arrived in the window. */
  offered_per_s: number,
  /** Requests per second that finished in the window. */
  completed_per_s: number,
  /** Requests per second that finished in the window and met every objective. */
  goodput_per_s: number,
  /** Output tokens per second in the window. */
  output_tokens_per_s: number,
  /** Share of prompt blocks found in the prefix cache since the start, not only in the window, 0 to 1. */
  cache_hit_rate: number,
  /** Of the prompt blocks looked for in CPU tiers since the start, the share found there, 0 to 1; 0 without any tier. */
  cpu_hit_rate: number,
  /** US dollars per million output tokens of the window, at the price of the replicas that serve now; 0 if unknown or nothing came out. */
  usd_per_million_tokens: number,
  /** TTFT objective in microseconds, 0 if none. */
  slo_ttft_us: number,
  /** TPOT objective in microseconds, 0 if none. */
  slo_tpot_us: number,
  /** E2E objective in microseconds, 0 if none. */
  slo_e2e_us: number,
  /** How TTFT stands against its objective. */
  ttft_mark: Mark,
  /** How TPOT stands against its objective. */
  tpot_mark: Mark,
  /** How E2E stands against its objective. */
  e2e_mark: Mark,
  /** How goodput stands against what finished. */
  goodput_mark: Mark,
};

/** Blocks of one KV cache: total = used + cached + free. */
export type KvFrame = {
  /** All blocks. */
  total: number,
  /** Held by at least one request. */
  used: number,
  /** Of those, held by two or more. */
  shared: number,
  /** Held by nobody, but their content can still be hit. */
  cached: number,
  /** Empty. */
  free: number,
  /** A sample of the blocks by position, one character each: `u` used, `s` shared, `c` cached, `.` free. */
  cells: string,
  /** Blocks that the CPU tier below has room for; 0 without one. */
  cpu_total: number,
  /** Of those, blocks that hold something. */
  cpu_used: number,
  /** Of the prompt blocks looked for in the CPU tier since the start, the share found there, 0 to 1. */
  cpu_hit_rate: number,
};

/** The KV caches of all replicas together. Counts of blocks include the warm-up, shares of requests do not. */
export type KvPart = {
  /** Blocks of prompts found in a cache. */
  hits: number,
  /** Blocks of prompts that were not found and had to be computed. */
  misses: number,
  /** Share of prompt blocks found, those loaded from a CPU tier included, 0 to 1: hits / (hits + misses) without one. */
  hit_rate: number,
  /** Blocks opened in all: the misses, the blocks loaded from a CPU tier and the blocks of answers. */
  opened: number,
  /** Cached contents lost because their block was needed. */
  evictions: number,
  /** Share of the scheduled requests that found any of their prompt cached, 0 to 1. */
  request_hit_rate: number,
  /** Share of the prompt tokens of scheduled requests that came from the cache, 0 to 1. */
  reused_prompt_share: number,
  /** The CPU tier below them; nothing without one. */
  cpu?: CpuTierPart,
};

/** Distributions in milliseconds over requests that arrived in the measurement window. */
export type LatencyPart = {
  /** Arrival to first token shown. */
  ttft: Summary,
  /** Between successive tokens of a request, all tokens shown in the measurement window pooled. */
  itl: Summary,
  /** Mean gap of each completed request with two tokens or more: (E2E - TTFT) / (tokens - 1), whole microseconds. */
  tpot: Summary,
  /** Arrival to last token shown, completed requests. */
  e2e: Summary,
  /** Joining the wait queue to first joining a batch. */
  queue_wait: Summary,
  /** Arrival to first joining a batch. */
  scheduling_delay: Summary,
};

/** How a figure stands against its objective. */
export type Mark = "none" | "risk" | "miss";

/** A request that moved since the previous frame. */
export type Move = {
  /** When, in microseconds. */
  at_us: number,
  /** What it did. */
  kind: MoveKind,
  /** The request. */
  request: number,
  /** Number of its client. */
  client: number,
  /** The replica, where there is one. */
  replica?: number,
};

/** What kind of move a dot on the stage makes. */
export type MoveKind = "arrive" | "route" | "reject" | "complete";

/** Something the reader of a run must know. */
export type Notice = {
  /** What it is about. */
  kind: NoticeKind,
  /** Path of the scenario's field that brought it about. */
  path: string,
  /** What there is to know, in one or two sentences. */
  text: string,
  /** What to do about it. */
  remedy: string,
};

/** What a notice is about. */
export type NoticeKind = "nothing-measured" | "saturated" | "unfinished" | "dropped" | "no-price" | "cut-short" | "trace-rows";

/** All of a request's time that was spent in one way. */
export type Part = {
  /** What it waited for or did. */
  kind: SegmentKind,
  /** How long, in microseconds. */
  us: number,
  /** Tokens computed, produced or processed in it. */
  tokens: number,
  /** In how many segments. */
  segments: number,
};

/** Percentiles of a set of durations. All zero when `count` is 0: show a dash. */
export type Percentiles = {
  /** How many values. */
  count: number,
  /** Median, in microseconds. */
  p50_us: number,
  /** 90th percentile, in microseconds. */
  p90_us: number,
  /** 99th percentile, in microseconds. */
  p99_us: number,
};

/** A pool of equal replicas, with the edits so far. */
export type PoolFrame = {
  /** Its name. */
  name: string,
  /** The model that it serves. */
  model: string,
  /** Its GPU. */
  gpu: string,
  /** GPUs of one replica. */
  tp: number,
  /** Replicas that get new requests. */
  serving: number,
  /** US dollars per hour of one replica; missing if no price is known. */
  usd_per_hour?: number,
  /** The same of all that get new requests. */
  serving_usd_per_hour?: number,
  /** KV blocks of one replica, worked out if the scenario says `auto`. */
  kv_blocks: number,
  /** Tokens in a block. */
  block_tokens: number,
  /** Most requests in a batch, worked out if the scenario says `auto`. */
  max_num_seqs: number,
  /** Output processing of each token, in microseconds: an ITL is a step and this. */
  output_us: number,
  /** Most tokens computed in a step, worked out if the scenario says `auto`. */
  max_num_batched_tokens: number,
};

/** One pool: what its settings came to, and what its replicas did together. */
export type PoolPart = {
  /** Its name. */
  name: string,
  /** Its model. */
  model: string,
  /** Replicas that take new requests. */
  replicas: number,
  /** Most requests in a batch; what "auto" came to, or the latest edit. */
  max_num_seqs: number,
  /** Most tokens in a step; what "auto" came to, or the latest edit. */
  max_num_batched_tokens: number,
  /** Tokens in a KV block. */
  block_tokens: number,
  /** Blocks in the KV cache of one replica; what "auto" came to, or the latest edit. */
  kv_blocks: number,
  /** US dollars per hour of one replica, if its price is known. */
  usd_per_hour?: number,
  /** Requests finished on its replicas. */
  completed: number,
  /** The requests sent there, without the warm-up. */
  requests: GroupPart,
  /** Cached prompt blocks / all prompt blocks, 0 to 1. */
  kv_hit_rate: number,
  /** US dollars for its replicas while they existed, if their price is known. */
  usd?: number,
};

/** A built-in scenario. */
export type PresetInfo = {
  /** Its name, as used in links and on the command line. */
  name: string,
  /** Its title. */
  title: string,
  /** What to look at in it. */
  note: string,
  /** The scenario as JSON text. */
  text: string,
};

/** A request in a wait queue. */
export type QueueChip = {
  /** The request. */
  request: number,
  /** Number of its client. */
  client: number,
  /** Whether it was running before and lost its blocks. */
  preempted: boolean,
  /** Whether it waits for blocks on their way from the CPU tier. */
  loading: boolean,
};

/** Requests that were refused for one reason, warm-up included. */
export type RejectionPart = {
  /** Why. */
  reason: string,
  /** How many. */
  requests: number,
};

/** One replica now. */
export type ReplicaFrame = {
  /** Number of the replica. */
  id: number,
  /** Name of its pool. */
  pool: string,
  /** Whether it gets new requests; one that was taken away finishes what it has. */
  serving: boolean,
  /** Requests in its wait queue. */
  waiting: number,
  /** Of those, how many wait for blocks on their way from the CPU tier. */
  loading: number,
  /** Requests in its batch. */
  running: number,
  /** Of those, how many still compute their prompt. */
  prefilling: number,
  /** Share of the latest window in which a step was running, 0 to 1. */
  busy: number,
  /** Duration of the running step, or of the latest one, in microseconds. */
  step_us: number,
  /** Share of the routing decisions of the latest window that came here, 0 to 1. */
  share: number,
  /** Requests sent here that have not left: those on their way to its queue, waiting and running. */
  in_flight: number,
  /** Of those, how many are on their way to its queue. */
  arriving: number,
  /** TTFT of requests that got their first token here in the latest window. */
  ttft: Percentiles,
  /** Blocks of its KV cache. */
  kv: KvFrame,
  /** The head of its wait queue, in order, at most as many as asked for. */
  queue: Array<QueueChip>,
  /** Its batch, in order, at most as many as asked for. */
  batch: Array<BatchBar>,
};

/** One replica. Counts include the warm-up; means over time and distributions do not. */
export type ReplicaPart = {
  /** Its number. */
  replica: number,
  /** Its pool. */
  pool: string,
  /** Whether it gets new requests. */
  serving: boolean,
  /** Requests finished. */
  completed: number,
  /** Requests waiting. */
  queued: number,
  /** Requests in its batch. */
  running: number,
  /** Requests dropped. */
  dropped: number,
  /** Requests that came and were refused, because its wait queue was full. */
  rejected: number,
  /** Preemptions. */
  preemptions: number,
  /** Steps begun. */
  steps: number,
  /** Mean number of requests in a step. */
  mean_batch: number,
  /** Seconds that it existed in the measurement window; the means over time are over these. */
  up_s: number,
  /** Share of that time in which a step ran, 0 to 1. */
  busy: number,
  /** Mean over time of the requests waiting. */
  mean_queued: number,
  /** Mean over time of the requests in the batch. */
  mean_running: number,
  /** Mean over time of the KV blocks in use. */
  mean_kv_blocks: number,
  /** Most KV blocks in use at the beginning of a step. */
  kv_peak_blocks: number,
  /** KV blocks in all. */
  kv_total_blocks: number,
  /** Share of prompt blocks found in its cache, 0 to 1. */
  kv_hit_rate: number,
  /** Its CPU tier; nothing without one. */
  cpu?: CpuTierPart,
  /** Time to first token in milliseconds. */
  ttft_ms: Summary,
  /** End-to-end latency in milliseconds. */
  e2e_ms: Summary,
};

/** The results of a run up to its playhead. */
export type Report = {
  /** Version of the report's format. */
  tokenyard_report: number,
  /** Title of the scenario. */
  title: string,
  /** Digest of the scenario's canonical JSON, edits included as far as they were applied. */
  scenario_digest: string,
  /** Digest of the trace's requests; empty without a trace. */
  trace_digest: string,
  /** How percentiles are computed. */
  percentiles: string,
  /** What the reader must know to read the numbers right. */
  notices?: Array<Notice>,
  /** The clock. */
  run: RunPart,
  /** Requests by where they are. */
  requests: RequestPart,
  /** Why requests were refused; missing if none were. */
  rejections?: Array<RejectionPart>,
  /** Distributions in milliseconds. */
  latency_ms: LatencyPart,
  /** Rates over the measurement window. */
  throughput: ThroughputPart,
  /** What the requests finished met of their objectives. */
  slo: SloPart,
  /** The KV caches together. */
  kv: KvPart,
  /** How evenly work was spread. */
  fairness: FairnessPart,
  /** The score with the scenario's own weights; nothing without weights. */
  fitness?: FitnessPart,
  /** What it cost. */
  cost: CostPart,
  /** What the routing decisions amount to, where `observe.counterfactual_k` is above 0. */
  decisions?: DecisionPart,
  /** Each pool. */
  pools: Array<PoolPart>,
  /** Each replica. */
  replicas: Array<ReplicaPart>,
  /** Each SLO class that sent requests, the most urgent first. */
  classes: Array<ClassPart>,
  /** Each tenant. */
  tenants: Array<GroupPart>,
  /** Each client. */
  clients: Array<GroupPart>,
  /** The requests measured that took longest, the slowest first, at most ten. */
  slowest: Array<SlowRequest>,
  /** What looks wrong; nothing if the scenario does not want to know. */
  anomalies?: AnomalyPart,
  /** What BLIS would have counted; only with its semantics. */
  blis?: BlisPart,
};

/** Everything known about one request. */
export type RequestDetail = {
  /** Number of the request. */
  request: number,
  /** Its own name, where it has one. */
  label: string,
  /** Name of its client. */
  client: string,
  /** Where it is in its life. */
  state: RequestState,
  /** In one sentence, what happened to it. */
  summary: string,
  /** Its replica, where it has one. */
  replica?: number,
  /** Prompt length in tokens. */
  prompt_tokens: number,
  /** Output tokens produced so far; how many it will have is not shown before the last. */
  output_tokens: number,
  /** Prompt tokens that came from the prefix cache when it was last scheduled. */
  cached_tokens: number,
  /** How often it was preempted. */
  preemptions: number,
  /** KV blocks it holds now. */
  blocks: number,
  /** When it arrived, in microseconds. */
  arrival_us: number,
  /** Time to first token in microseconds, once known. */
  ttft_us?: number,
  /** Mean time between its tokens in microseconds, once known. */
  tpot_us?: number,
  /** End-to-end latency in microseconds, once known. */
  e2e_us?: number,
  /** Where its time went, in order and without gaps. */
  segments: Array<Segment>,
  /** The same by what it was spent on, in the order in which each began. */
  parts: Array<Part>,
  /** Sum of the parts in microseconds: E2E of a finished request, else its age and the output processing of its tokens so far. */
  total_us: number,
  /** What the router saw of each replica when it chose, the best first, where that is still kept. */
  candidates: Array<Candidate>,
};

/** Requests by where they are, warm-up included. */
export type RequestPart = {
  /** Arrived. */
  arrived: number,
  /** Between arrival and a wait queue. */
  in_pipeline: number,
  /** In a wait queue. */
  queued: number,
  /** In a batch. */
  running: number,
  /** Finished. */
  completed: number,
  /** Refused. */
  rejected: number,
  /** Of those, refused by the router, because no replica that takes requests serves the model asked for. Left out if there are none. */
  rejected_by_router?: number,
  /** Impossible to serve. */
  dropped: number,
  /** Whether the six add up to those that arrived. */
  conserved: boolean,
  /** Preemptions. */
  preemptions: number,
  /** Preemptions for each request finished. */
  preemption_rate: number,
};

/** What reports call the place where a request is. It only moves forward, but for preemption, which leads from running to
 * queued. */
export type RequestState = "in-pipeline" | "queued" | "running" | "completed" | "rejected" | "dropped";

/** The clock of a run. */
export type RunPart = {
  /** Seed. */
  seed: number,
  /** Instant of the latest event, in microseconds. */
  clock_us: number,
  /** End of the run in microseconds; 0 if it ends when all requests are done. */
  horizon_us: number,
  /** Whether the warm-up is over. While it is not, nothing has been measured yet. */
  warmup_over: boolean,
  /** Start of the measurement window in microseconds; of the latest event while the warm-up is not over. */
  measured_from_us: number,
  /** Requests left out of distributions because they arrived in the warm-up. */
  warmup_requests: number,
  /** Events run. */
  events: number,
  /** Edits applied. */
  edits_applied: number,
  /** Why the run cannot make progress; empty if it can. */
  trouble: string,
};

/** One part of a score. */
export type ScorePart = {
  /** What is scored, such as `queue-depth`. */
  name: string,
  /** The score, 0 to 1 for most. */
  value: number,
  /** Its weight. */
  weight: number,
  /** Value times weight; the candidate's score is the sum of these. */
  product: number,
};

/** A part of a request's time, spent in one way. */
export type Segment = {
  /** What it waited for or did. */
  kind: SegmentKind,
  /** Start in microseconds. */
  from_us: number,
  /** End in microseconds; the playhead for one that goes on. */
  to_us: number,
  /** Tokens computed, produced or processed in it. */
  tokens: number,
  /** Whether it still goes on. */
  open: boolean,
};

/** What a request waits for or does in a part of its time. */
export type SegmentKind = "admission" | "router" | "delay" | "queue" | "kv-load" | "prefill" | "decode" | "preempted" | "recompute" | "output";

/** How bad it is. */
export type Severity = "error" | "warning";

/** Requests finished in the measurement window, by what they met of the objectives of their class. */
export type SloPart = {
  /** Requests finished. */
  finished: number,
  /** Of those, requests that met every objective. */
  met: number,
  /** Share that met the TTFT objective, 0 to 1; missing if none finished. */
  ttft_attainment?: number,
  /** Share that met the TPOT objective. */
  tpot_attainment?: number,
  /** Share that met the E2E objective. */
  e2e_attainment?: number,
};

/** A request that took long, and where its time went. */
export type SlowRequest = {
  /** Its number. */
  request: number,
  /** Name of its client. */
  client: string,
  /** The replica that completed it. */
  replica: number,
  /** When it arrived, in microseconds. */
  arrival_us: number,
  /** Time to first token in microseconds. */
  ttft_us: number,
  /** End-to-end latency in microseconds. */
  e2e_us: number,
  /** How often it was preempted. */
  preemptions: number,
  /** Where its time went; they add up to `e2e_us`. */
  parts: Array<Part>,
};

/** How far a single step goes. */
export type StepKind = "event" | "engine-step" | "arrival" | "completion" | "preemption";

/** Why `advance` came back. */
export type Stop = "until" | "events" | "finished";

/** The figures of a distribution. All zero when `count` is 0; written down without them then. */
export type Summary = {
  /** How many values. */
  count: number,
  /** Arithmetic mean. */
  mean?: number,
  /** Smallest value. */
  min?: number,
  /** Median. */
  p50?: number,
  /** 75th percentile. */
  p75?: number,
  /** 90th percentile. */
  p90?: number,
  /** 95th percentile. */
  p95?: number,
  /** 99th percentile. */
  p99?: number,
  /** Largest value. */
  max?: number,
};

/** Rates over the measurement window, which ends with the latest event. */
export type ThroughputPart = {
  /** Length of the measurement window in seconds. */
  seconds: number,
  /** Requests arrived per second. */
  arrived_per_s: number,
  /** Requests finished per second. */
  completed_per_s: number,
  /** Requests finished per second that met every objective of their class. */
  goodput_per_s: number,
  /** Share of the requests finished that met every objective of their class, 0 to 1; missing if none finished. */
  attainment?: number,
  /** Prompt tokens per second, cached ones included, of requests that got their first token. */
  prompt_tokens_per_s: number,
  /** Output tokens shown per second. */
  output_tokens_per_s: number,
  /** Both together. */
  total_tokens_per_s: number,
};

/** What a trace file turned out to hold. */
export type TraceOutcome = {
  /** Whether it can be replayed. */
  ok: boolean,
  /** What is wrong with it. */
  diagnostics: Array<Diagnostic>,
  /** What it holds, if it can be replayed. */
  summary: TraceSummary | null,
};

/** What a trace holds, in a few numbers. */
export type TraceSummary = {
  /** Name of its format. */
  format: string,
  /** How many requests. */
  requests: number,
  /** From the first to the last arrival, in seconds. */
  duration_s: number,
  /** Tokens of all prompts. */
  prompt_tokens: number,
  /** Tokens of all answers. */
  output_tokens: number,
  /** Tokens in a block of its prompt hashes; 0 if it has none. */
  hash_block_tokens: number,
};

/** Which columns. */
export type View = "ttft-over-time" | "e2e-over-time" | "throughput" | "queue-depth" | "kv-use" | "ttft-ecdf" | "e2e-ecdf" | "health";
