// The types of what crosses the boundary, from Rust: cargo run -- types > www/src/generated/boundary.ts

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

/** What reports call the place where a request is. It only moves forward, but for preemption, which leads from running to
 * queued. */
export type RequestState = "in-pipeline" | "queued" | "running" | "completed" | "rejected" | "dropped";

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

/** How far a single step goes. */
export type StepKind = "event" | "engine-step" | "arrival" | "completion" | "preemption";

/** Why `advance` came back. */
export type Stop = "until" | "events" | "finished";

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
