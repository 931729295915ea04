// The types of what crosses the boundary, from Rust: cargo run -p project-tools -- types > www/src/generated/boundary.ts

/** The time of a request that is explained. */
export type AccountedTime = "ttft" | "e2e";

/** From an instant on, tokens that sessions have computed again since the beginning of the run. */
export type AgainStep = {
  /** The instant: one at which a turn joined a batch. */
  at_us: number,
  /** How many tokens. */
  tokens: number,
};

/** A part of a request's time that is still to come. */
export type AheadPart = {
  /** The activity or wait. */
  kind: SegmentKind,
  /** Its expected end in microseconds. */
  to_us: number,
};

/** A replica that could have had the request, with the result. */
export type Alternative = {
  /** The replica. */
  replica: number,
  /** Whether it was chosen: then this is the actual result. */
  chosen: boolean,
  /** Its score; higher is better. */
  score: number,
  /** Why the router could not choose it; missing if it could. */
  excluded?: string,
  /** The state of the request there. */
  state: RequestState,
  /** Its TTFT there, in milliseconds. */
  ttft_ms: number | null,
  /** Its E2E there. */
  e2e_ms: number | null,
  /** Its TTFT there minus the actual one. */
  ttft_diff_ms: number | null,
  /** Its E2E there minus the actual one. */
  e2e_diff_ms: number | null,
  /** Gains and losses of all other requests. */
  others: Others,
  /** Total E2E of all requests, this one included, minus the actual one, in milliseconds: over requests that
   * finished in both. */
  total_diff_ms: number,
};

/** One anomaly. */
export type AnomalyExample = {
  /** What is wrong. */
  kind: AnomalyKind,
  /** When it began, in microseconds. */
  start_us: number,
  /** When it ended, in microseconds; missing while it lasts. */
  end_us?: number,
  /** The replica; for an imbalance the most loaded one when it was noticed. */
  replica: number,
  /** The first requests that prove it, and when. */
  requests: Array<AnomalyProof>,
  /** What happened, in one sentence. */
  text: string,
};

/** What is wrong. */
export type AnomalyKind = "priority-inversion" | "head-of-line-blocking" | "kv-thrashing" | "livelock" | "load-imbalance" | "oscillation" | "capacity-never-reached" | "tuner-locked-out" | "starved-band" | "decode-pool-full" | "port-saturated" | "retry-storm" | "unavailable-pool" | "slow-recovery";

/** An anomaly on the timeline. */
export type AnomalyMark = {
  /** When it began, in microseconds. */
  at_us: number,
  /** When it ended, in microseconds; missing while it lasts. */
  end_us?: number,
  /** What is wrong. */
  kind: AnomalyKind,
  /** The replica. */
  replica: number,
  /** The first request that proves it, if there is one. */
  request?: number,
  /** What happened, in one sentence. */
  label: string,
};

/** The findings of the detectors, warm-up included. */
export type AnomalyPart = {
  /** How many of each kind. */
  counts: { [kind: string]: number },
  /** The first five of each kind, in the order in which they were noticed. */
  first: Array<AnomalyExample>,
};

/** A request that proves an anomaly, and when. */
export type AnomalyProof = {
  /** The request. */
  request: number,
  /** When, in microseconds. */
  at_us: number,
};

/** A property that the filtered requests have more or less often than the rest. */
export type Apart = {
  /** The property in words, such as `on r2`. */
  what: string,
  /** Percent of the filtered requests. */
  these: number,
  /** Percent of the rest. */
  rest: number,
};

/** A run for questions. */
export type AskedRun = {
  /** The scenario, JSON text. */
  scenario: string,
  /** The packed rows of the trace that it replays. */
  trace?: AttachedBytes,
};

/** Which of the two decisions on a request is asked about. */
export type AskedStage = "home" | "prefill";

/** An assumption of a law, judged. */
export type Assumption = {
  /** The assumption. */
  kind: AssumptionKind,
  /** Whether it holds. */
  verdict: AssumptionVerdict,
  /** The finding, with its figure. */
  text: string,
};

/** What a law assumes. */
export type AssumptionKind = "poisson-arrivals" | "steady-rate" | "open-arrivals" | "closed-users" | "stable-load" | "one-at-a-time" | "alike-replicas" | "fixed-replicas" | "no-edits" | "random-split" | "router-of-law" | "fresh-signals" | "many-servers" | "one-queue" | "served-in-order" | "served-by-class" | "nobody-lost" | "limited-places" | "constant-service" | "exponential-service" | "whole-prompts" | "short-prompts" | "many-steps" | "batch-not-full" | "straight-steps" | "steps-in-sequence" | "no-fixed-part" | "no-reuse" | "no-preemption" | "in-balance";

/** The verdict on an assumption. */
export type AssumptionVerdict = "kept" | "violated" | "unknown";

/** Bytes beside the text of a question or an answer, by their number. */
export type AttachedBytes = Uint8Array<ArrayBuffer>;

/** An attempt of a request that broke. */
export type AttemptDetail = {
  /** The replica that it was sent to; missing if no replica was known to serve. */
  replica?: number,
  /** When it was routed, in microseconds. */
  routed_us: number,
  /** When it joined a batch, in microseconds; missing if it did not. */
  scheduled_us?: number,
  /** When it broke, in microseconds. */
  broke_us: number,
  /** Why: the reasons of the report. */
  reason: string,
  /** What it waited for before it joined a batch: its place in the queue, or a connection. */
  wait: string,
  /** Prompt tokens computed in vain. */
  prefilled_tokens: number,
  /** Tokens of the answer that were shown. */
  shown_tokens: number,
  /** From its break until the answer went on elsewhere, in microseconds; missing while it has not, and for an attempt that showed
   * no token of its own. */
  pause_us?: number,
};

/** An axis. */
export type Axis = {
  /** What it shows, at most 40 characters. */
  label: string,
  /** The unit. */
  unit: string,
  /** The ends. */
  from: number,
  /** The upper end. */
  to: number,
  /** Whether it is logarithmic. */
  log: boolean,
};

/** A distribution with its band. */
export type Band = {
  /** Metric. */
  metric: string,
  /** Values in ascending order at equal distances of their rank. */
  values: Array<number>,
  /** Lower edge of the band at each of them. */
  low: Array<number>,
  /** Upper edge. */
  high: Array<number>,
  /** Median with its edges: low, value, high. */
  p50: [number, number, number],
  /** The same of the 99th percentile. */
  p99: [number, number, number],
};

/** One band of the gateway's queue now. */
export type BandFrame = {
  /** Its priority. */
  priority: number,
  /** The SLO classes of that priority, in order. */
  classes: Array<string>,
  /** Requests that wait in it. */
  waiting: number,
  /** Their prompt tokens. */
  prompt_tokens: number,
  /** How long the one that has waited longest waits, in microseconds; 0 if none waits. */
  longest_us: number,
  /** Its ceiling: the saturation at and above which its requests wait. */
  ceiling: number,
  /** The first of its requests in order of joining. */
  queue: Array<QueueChip>,
};

/** The requests of one band, by the priority that their class has now; counts include the warm-up. */
export type BandPart = {
  /** Its priority; 0 for all bands together. */
  priority: number,
  /** Requests that joined. */
  entered: number,
  /** Of these, requests that went on to the router. */
  dispatched: number,
  /** Requests refused because the queue or the band was full. */
  refused_full: number,
  /** Requests that waited for as long as they may. */
  expired: number,
  /** Running requests stopped to make room for a higher band. */
  evicted: number,
  /** Requests that wait now. */
  waiting: number,
  /** Mean number of requests that waited, over the measurement window. */
  mean_waiting: number,
  /** Most requests that waited at once in the measurement window. */
  max_waiting: number,
  /** Time in the gateway's queue of requests that went on and arrived in the measurement window, in milliseconds. */
  wait_ms: Summary,
};

/** The basis of a number, the weakest last. */
export type Basis = "measured" | "calibrated" | "modelled";

/** Requests of a batch, column by column: first decoding ones, then those in prefill. */
export type BatchFrame = {
  /** Their numbers. */
  requests: Array<number>,
  /** By request: tokens with KV in the cache. */
  contexts: Array<number>,
  /** How many of them decode. */
  decoding: number,
  /** By request in prefill: tokens to prefill before its next output token. */
  prefill: Array<number>,
};

/** One run of a benchmark, or the counters of a server. */
export type Benchmark = {
  /** Common name of the tool that wrote it. */
  tool: string,
  /** Name of the run in a file with several runs; empty if there is only one. */
  name: string,
  /** Model as written in the file; may be empty. */
  model: string,
  /** Date as written in the file; may be empty. */
  date: string,
  /** What was measured. */
  figures: Array<Figure>,
  /** Requests that failed. */
  failed: number,
  /** How requests were sent. */
  load: Load,
  /** Facts of the engine. */
  engine: EngineFacts,
  /** Notes on these figures, in sentences. */
  notes: Array<string>,
};

/** A second run that a link carries. */
export type BesideRun = {
  /** Its name. */
  name: string,
  /** Its scenario as JSON text, as far as it could be read. */
  scenario: string,
};

/** The counts that BLIS would report (`compat: blis` only). */
export type BlisPart = {
  /** Pairs of finished requests of one replica and class where the earlier took more than twice as long; 0 with
   * constant priorities. */
  priority_inversions: number,
  /** Replicas whose mean queue over their steps is more than twice the mean of all replicas. */
  hol_blocking_events: number,
};

/** One block in full. */
export type BlockDetail = {
  /** Number of the replica. */
  replica: number,
  /** Number of the block. */
  block: number,
  /** Its letter, as in [`BlockPage::states`]. */
  state: string,
  /** Requests that hold it. */
  holders: Array<number>,
  /** Its place among the blocks of the request, of the first holder. */
  position: number | null,
  /** Blocks of that request. */
  of: number | null,
  /** Tokens of the context that it holds: the first, and the one after the last. */
  tokens: [number, number] | null,
  /** Name of its prefix group, if it has one. */
  group: string | null,
  /** Hash of its content, in hexadecimal, if it can be hit. */
  hash: string | null,
  /** Hash of the content before it, if known. */
  before: string | null,
  /** For how long no request has held it; missing while one does and if it is empty. */
  idle_us: number | null,
  /** Its place in the order of eviction, 0 for the next; missing unless it is cached. */
  order: number | null,
  /** Blocks that are taken before it, cached or empty; missing while it is held. */
  before_it: number | null,
  /** Cached blocks in that order. */
  cached: number,
  /** Empty blocks. */
  free: number,
  /** The next block to be evicted. */
  next: number | null,
  /** When it goes, in a sentence. */
  sentence: string,
};

/** Something that happened to blocks. */
export type BlockEvent = {
  /** When. */
  at_us: number,
  /** `hit`, `evicted`, `preempted`, `to-cpu` or `from-cpu`. */
  kind: string,
  /** The request, if there is one. */
  request: number | null,
  /** How many blocks; missing where that is not recorded. */
  blocks: number | null,
  /** The rest in words. */
  text: string,
};

/** A page of blocks, as columns of equal length in the order of their numbers. -1 stands for none. */
export type BlockPage = {
  /** Number of the first block. */
  first: number,
  /** A letter for each block: `u` held by one, `s` by two or more, `c` cached, `.` free, `h` held for a hand-over, `r` set aside
   * for one, `x` taken out of service by a smaller cache. */
  states: string,
  /** The request that holds it, the first of several. */
  owner: Array<number>,
  /** How many requests hold it. */
  refs: Array<number>,
  /** Index of its prefix group in [`Blocks::groups`]. */
  group: Array<number>,
  /** Index of its run in [`Blocks::tree`]. */
  node: Array<number>,
  /** For how long no request has held it, in milliseconds; 0 while one does, -1 if it is empty. */
  idle_ms: Array<number>,
  /** Its place among the cached blocks in the order of eviction, 0 for the next; -1 unless it is cached. */
  order: Array<number>,
  /** Counts of the page: used, cached, free. */
  counts: [number, number, number],
};

/** A query for one block. */
export type BlockQuery = {
  /** Number of the replica. */
  replica: number,
  /** Number of the block. */
  block: number,
};

/** The KV cache of a replica. */
export type Blocks = {
  /** The playhead. */
  now_us: number,
  /** Number of the replica. */
  replica: number,
  /** Tokens of a block. */
  block_tokens: number,
  /** Blocks in all. */
  total: number,
  /** Blocks held by one request. */
  own: number,
  /** Blocks held by two or more. */
  shared: number,
  /** Blocks held by none whose content can be hit. */
  cached: number,
  /** Empty blocks. */
  free: number,
  /** Blocks used, cached and free, in percent of all. */
  percent: [number, number, number],
  /** Whether used + cached + free = total, counted block by block. */
  conserved: boolean,
  /** Events of the run after each of which the sum was checked. */
  checked: number,
  /** Why single blocks are not shown, else empty. */
  hidden: string,
  /** Whether prefixes are cached. */
  caching: boolean,
  /** Pages of 4,096 blocks. */
  pages: number,
  /** All blocks in columns: of each column the blocks held by one, shared, cached, free. */
  strip: Array<[number, number, number, number]>,
  /** The page asked for; the last one if there are fewer. */
  page: number,
  /** Its blocks. */
  grid: BlockPage,
  /** The tree of prefixes of requests on this replica and of groups in its cache, parents before children. */
  tree: Array<PrefixNode>,
  /** Nodes beyond the limit. */
  more: number,
  /** Where the router knows from what is cached: `asked` of the replica, `remembered` of the prompts it sent there, or empty if
   * it does not look at caches. */
  picture: string,
  /** The prefix groups that take most blocks, at most six, in the order of the tree; what is beyond belongs to none. */
  groups: Array<GroupBelief>,
  /** The CPU tier. */
  cpu: CpuBlocks | null,
  /** The next block to be evicted. */
  next: number | null,
  /** Cached blocks evicted so far because they were needed. */
  evictions: number,
  /** Prompt blocks found in the cache so far. */
  hits: number,
  /** What happened lately, the newest first, at most 200. */
  happened: Array<BlockEvent>,
  /** The share of blocks in use over the run: end of each bucket in seconds, percent. */
  over_time: [Array<number>, Array<number>],
};

/** The blocks of a request at both ends. */
export type BlocksDetail = {
  /** Blocks of its prompt. */
  prompt: number,
  /** Blocks that its prefill replica holds for its home now. */
  held: number,
  /** Blocks of its prompt found in the cache of its home. */
  cached: number,
  /** Blocks set aside at home whose KV is not there. */
  reserved: number,
  /** Bytes of a block that travels; 0 before its transfer. */
  bytes: number,
};

/** A query for the blocks of a replica. */
export type BlocksQuery = {
  /** Number of the replica. */
  replica: number,
  /** Which 4,096 blocks in order of their numbers, from 0. */
  page: number,
  /** Columns of the strip of all blocks. */
  strip: number,
  /** Most nodes of the tree of prefixes. */
  nodes: number,
};

/** Attempts that broke for one reason. */
export type BrokenPart = {
  /** The reason. */
  reason: string,
  /** Attempts that broke. */
  attempts: number,
  /** Requests that were lost with them. */
  lost: number,
};

/** A run of a file to calibrate with. */
export type CalibrateQuery = {
  /** The run. */
  measured: MeasuredQuery,
  /** The name of the file. */
  file: string,
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
  /** The true load. */
  true_load: number,
  /** The policy's score; higher is better. */
  score: number,
  /** Whether it was chosen. */
  chosen: boolean,
  /** Why it was excluded, such as `wait queue full`; missing if it was not. Excluded replicas come last. */
  excluded?: string,
  /** The parts of the score; empty for a policy that does not score. */
  parts: Array<ScorePart>,
};

/** The capacity of a scenario. */
export type Capacity = {
  /** How the searches ended: found if those of all seeds did. */
  end: CapacityEnd,
  /** The mean over the seeds, in requests per second; null unless it was found. */
  rate_per_s: number | null,
  /** Lower end of the 95 % interval of the mean; null for one seed. */
  lo: number | null,
  /** Upper end. */
  hi: number | null,
  /** The mean factor on the scenario's rates. */
  factor: number | null,
  /** The share that must meet the objectives. */
  share: number,
  /** The objectives in words. */
  at: string,
  /** The seeds. */
  seeds: Array<SeedCapacity>,
  /** The result in a sentence. */
  text: string,
  /** How far it can be trusted, by pool: a capacity lies near the knee. */
  evidence: Array<PoolEvidence>,
};

/** How the search of a seed ended. */
export type CapacityEnd = "found" | "lowest-fails" | "highest-holds";

/** A load that was tried. */
export type CapacityLevel = {
  /** The factor on the scenario's rates. */
  factor: number,
  /** Share of the decided requests that met their objectives; null if too few were decided. */
  share: number | null,
  /** Whether requests piled up. */
  load: LoadState,
};

/** A built-in scenario on a card. */
export type Card = {
  /** Its name. */
  name: string,
  /** Its title. */
  title: string,
  /** A hint what to look at, with its instant between two `*`. */
  look: string,
  /** Its topics. */
  tags: Array<string>,
  /** The instant at which it opens, in seconds. */
  opens_s: number,
  /** Its picture. */
  picture: Picture,
  /** How far its latencies can be trusted: the class of the pool of which least is known. */
  class: EvidenceClass,
  /** The same with its measured error, in a few words. */
  evidence: string,
};

/** The figures of such a run. */
export type CaseFigures = {
  /** The run. */
  run: string,
  /** The number of its seed. */
  seed: number,
  /** The values in the order of the paths. */
  values: Array<number | null>,
};

/** A run of a sweep, as text. */
export type CaseText = {
  /** Its number among all cases. */
  number: number,
  /** Values of the paths as JSON text, in their order. */
  values: Array<string>,
  /** Digest of the scenario and the trace. */
  digest: string,
  /** The scenario to run, as JSON text. */
  scenario: string,
  /** How far the latency figures of each pool can be trusted, in whatever regime it will run. */
  evidence: Array<PoolEvidence>,
};

/** The prediction of a law for a case of a sweep. */
export type CaseTheory = {
  /** Which law: the one asked for, or the one that fits the first case. */
  law: Law,
  /** Its title. */
  title: string,
  /** Its prediction at the rate of the case. */
  predicted: Prediction,
  /** Its assumptions that the case violates, as far as the scenario tells. */
  violated: Array<string>,
};

/** A query for the laws of the cases of a sweep. */
export type CaseTheoryQuery = {
  /** The scenarios of the cases. */
  scenarios: Array<string>,
  /** The law. */
  law: string,
};

/** A query for the cases of a sweep or a race. */
export type CasesQuery = {
  /** The scenario. */
  scenario: string,
  /** What varies, as arguments of `--vary`. */
  varied: Array<string>,
  /** The number of seeds. */
  seeds: number,
};

/** The cause of a part of a request's time. */
export type Cause = "admission" | "gateway" | "way" | "front-end" | "queue-prompts" | "queue-decoding" | "queue-idle" | "load" | "prompt" | "prompt-others" | "room" | "transfer" | "join" | "decoding" | "interference" | "preempted" | "recompute" | "streaming" | "output" | "retry";

/** A request that shows a cause. */
export type CauseEvidence = {
  /** The request. */
  request: number,
  /** Its replica. */
  replica: number,
  /** When this began, in microseconds. */
  at_us: number,
  /** Its time for this cause, in milliseconds. */
  ms: number,
};

/** One cause in both groups. */
export type CausePart = {
  /** The cause. */
  cause: Cause,
  /** Its name. */
  name: string,
  /** The mean over the slow requests, in milliseconds. */
  slow_ms: number,
  /** The mean over the fast ones. */
  fast_ms: number,
  /** The difference of the two. */
  diff_ms: number,
  /** The difference as a share of that of the whole times; negative if the slow ones took less. */
  diff_share: number,
  /** The slow requests that had most of it, the most first. */
  evidence: Array<CauseEvidence>,
  /** The clients of these prompts, if the time went to prompts of others: the largest share first. */
  clients: Array<ClientShare>,
};

/** A field that differs between two documents. */
export type ChangedField = {
  /** Its path. */
  path: string,
  /** Its value in the first document; missing if that leaves it out. */
  from?: unknown,
  /** Its value in the second document; missing if that leaves it out. */
  to?: unknown,
};

/** The checkpoints of a run. */
export type CheckpointFigures = {
  /** How many there are. */
  count: number,
  /** About how many bytes they take besides the run itself. */
  bytes: number,
};

/** One of several values for a field. */
export type Choice = {
  /** The number of the key that says it, in the list of keys. */
  key: number,
  /** The value. */
  value: string,
};

/** An answer to choose. */
export type ChooseAnswer = {
  /** The answer, at most 120 characters. */
  text: string,
  /** A condition over the runs that makes it the right one, in the language of expressions. */
  right: string,
  /** What the page says once it was chosen, at most 240 characters. */
  because: string,
};

/** A question with 2 to 5 answers. */
export type ChooseQuestion = {
  /** The question, at most 120 characters. */
  question: string,
  /** The answers, exactly one of which is right. */
  answers: Array<ChooseAnswer>,
};

/** In how many seeds a claim holds. */
export type ClaimCount = {
  /** In how many it holds. */
  held: number,
  /** Of how many. */
  of: number,
  /** Whether these are as many as the claim says. */
  holds: boolean,
};

/** A claim and what the runs say of it. */
export type ClaimVerdict = {
  /** Its value. */
  value: FigureVerdict,
  /** In how many seeds it holds. */
  held: number,
  /** In how many it must. */
  needed: number,
  /** Whether it holds in as many as it must, all seeds having run. */
  holds: boolean,
  /** By how much it is missed at worst: the distance of the worst seed from the bound, 0 if it holds in all. */
  missed_by: number,
  /** The worst seed by number, where it does not hold in all. */
  worst: number | null,
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
  /** Finished requests that met every objective of their class. */
  met: number,
  /** Requests refused, dropped or timed out, which count as missed. Left out if there are none. */
  unserved?: number,
  /** met / (finished + unserved), 0 to 1. Left out without unserved ones: it is the attainment then. */
  met_share?: number,
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

/** A value of a pool with its class. */
export type ClassifiedValue = {
  /** The value. */
  value: string,
  /** Its class. */
  class: EvidenceClass,
};

/** One client's traffic over the latest window. */
export type ClientFrame = {
  /** Name of the client. */
  name: string,
  /** Its tenant, if that has another name. */
  tenant?: string,
  /** Requests per second that arrived in the window. */
  rate_per_s: number,
  /** The priority of its requests at the gateway; missing without flow control. */
  priority?: number,
};

/** A client's share. */
export type ClientShare = {
  /** The client. */
  client: string,
  /** Its share, 0 to 1. */
  share: number,
};

/** A question of a close-up. */
export type CloseUp = { "lanes": LanesQuery } | { "step": StepQuery } | { "blocks": BlocksQuery } | { "block": BlockQuery } | { "density": DensityQuery } | { "ecdf": EcdfQuery } | { "points": PointsQuery } | { "rows": RequestRowsQuery } | { "summary": RequestFilter } | { "figures": Array<string> } | { "tiers": TiersQuery } | { "reuse": ReuseQuery } | { "sessions": SessionsQuery } | { "scaling": ScalingQuery };

/**
 *The answers to [`CloseUp`], by the name of the question. */
export type CloseUpAnswers = {
  /** The lanes between two instants. */
  lanes: Lanes,
  /** One step, if it is kept. */
  step: StepDetail | null,
  /** The blocks of a replica, if there is such a one. */
  blocks: Blocks | null,
  /** One block, if there is such a one. */
  block: BlockDetail | null,
  /** A heat map. */
  density: Density,
  /** A distribution over the requests of a filter. */
  ecdf: Ecdf,
  /** Steps by batch size. */
  points: StepPoints,
  /** Rows of the table of requests. */
  rows: RequestRows,
  /** What sets the requests of a filter apart. */
  summary: SelectionSummary,
  /** The values of expressions over `report`, `frame` and `scenario` of the run, at most 64, in their order: conditions are 1 and 0, a
   * missing value is null. */
  figures: Array<number | null>,
  /** Where blocks lie, in tiers and stores, and what moves between them. */
  tiers: Tiers,
  /** What caches of any size could find again of the latest prompts. */
  reuse: Reuse | null,
  /** Sessions over time, with what each turn found. */
  sessions: SessionRows,
  /** The decisions of autoscalers. */
  scaling: ScalingRows,
};

/** A coefficient, before and after. */
export type CoefficientChange = {
  /** Its name in the scenario. */
  coefficient: string,
  /** Before. */
  before: number,
  /** After. */
  after: number,
  /** Half of the 95 % interval, from the spread of the measured requests and the remaining distance of the search;
   * missing if the file has neither requests nor their standard deviation. */
  half?: number,
  /** The figure that fixed it, in words. */
  told_by: string,
};

/** A coefficient with its interval. */
export type CoefficientEvidence = {
  /** Its name in the scenario. */
  name: string,
  /** Its value. */
  value: number,
  /** Half of its 95 % interval; missing if the data do not determine it. */
  half?: number,
};

/** A query for columns between two instants. */
export type ColumnsQuery = {
  /** Which view. */
  view: View,
  /** Start, in microseconds. */
  from_us?: number,
  /** End, in microseconds; 0 means the playhead. */
  to_us?: number,
  /** For a distribution: the length of its window in seconds, as for the key figures; 0 for all values since the
   * warm-up. For percentiles of TTFT and E2E over time: 0 for those of each bucket. */
  window_s?: number,
};

/** A figure, measured and simulated. */
export type Compared = {
  /** The mean over the seeds. */
  simulated: number,
  /** Smallest value of a seed. */
  lowest: number,
  /** Largest value of a seed. */
  highest: number,
  /** Signed relative error of the simulated figure: 0 between the bounds of the measured one, missing if 0 was
   * measured. */
  error?: number,
  /** Whether the simulated figure lies between the bounds of the measured one; missing if that is exact, or if the load
   * is assumed. */
  inside?: boolean,
  /** Metric with its unit: `ttft_ms`, `tpot_ms`, `itl_ms`, `e2e_ms`, `queue_ms`, `prefill_ms`, `decode_ms`, `inference_ms`, `req_per_s`, `out_tok_per_s`, `running`,
   * `waiting`, `preemptions`, `reused_prompt_share`. */
  metric: string,
  /** mean, p50, p90, p95, p99, or `value` for a single value. */
  stat: string,
  /** The figure, or its lower bound. */
  low: number,
  /** The figure, or its upper bound: a histogram gives only bounds. */
  high: number,
};

/** Runs to compare. */
export type ComparedRuns = {
  /** Both scenarios with their edits, which divide the run into spans. */
  scenarios: ComparedScenarios,
  /** The outcomes of the runs, a pair for each seed. */
  pairs: Array<OutcomesPair>,
  /** For each pair those of the runs of their oracles, if there are any. */
  bounds?: Array<OutcomesPair>,
};

/** Two scenarios to compare, JSON text. */
export type ComparedScenarios = {
  /** That of A. */
  a: string,
  /** That of B. */
  b: string,
};

/** The result of a comparison. */
export type Comparison = {
  /** Tool that wrote the file. */
  tool: string,
  /** Name of the run; empty if the file has only one. */
  name: string,
  /** Model as written in the file. */
  model: string,
  /** Date as written in the file. */
  date: string,
  /** Requests in the file with a time of sending. */
  requests: number,
  /** Requests that failed. */
  failed: number,
  /** The simulated load, in words. */
  says: string,
  /** Whether the load is assumed, as the file does not give it; then no errors are shown. */
  assumed: boolean,
  /** The parts of the load that the file lacks, if the load is assumed: `sending`, `requests`, `prompt_tokens`,
   * `output_tokens`. The user can give them. */
  missing: Array<string>,
  /** Reasons not to trust the comparison, in sentences. */
  warnings: Array<string>,
  /** Notes on these figures. */
  notes: Array<string>,
  /** The figures. */
  rows: Array<Compared>,
  /** Distributions of TTFT, TPOT and E2E, as far as the file contains them. */
  curves: Array<Curves>,
  /** Series over time, if the file has them. */
  series: Array<SeriesCompared>,
  /** Seeds. */
  seeds: number,
};

/**
 *The answers to [`ComparisonQuestion`], by the name of the question. */
export type ComparisonAnswers = {
  /** Two runs beside each other, or a pair of runs for each seed; null if there is nothing to compare yet. */
  compare: RunsCompared | null,
  /** The scenarios of a race or a sweep. */
  cases: Array<CaseText>,
  /** The policies that a run has at a path, one after the other. */
  policies: RunPolicies,
  /** The scenario of an entrant. */
  entrant: string,
  /** About how long a sweep takes on the page, and its command for another machine. */
  elsewhere: SweepElsewhere,
  /** The figures of one run, from its outcomes. */
  row: RunRow,
  /** The ranking of a race so far. */
  rank: RaceRanking,
  /** The file of a study, as text. */
  "write-study": string,
  /** Reads the file of a study. */
  "read-study": StudyRead,
  /** The runs of a study as CSV. */
  "study-csv": string,
  /** The scenario of the oracle of a scenario; null if no pool has an autoscaler. */
  oracle: string | null,
  /** The policies for the KV of sessions, for a scenario as it is in force. */
  "kv-policies": Array<KvPolicyChoice>,
  /** The runs of these policies, as far as a scenario can have them. */
  "kv-policy-cases": Array<KvPolicyCase>,
  /** What such runs computed again beyond that of the oracle. */
  "kv-policy-regrets": Array<KvPolicyRegret>,
  /** The results of a sweep so far. */
  summary: SweepSummary,
  /** Begins a search for the capacity of a scenario; it replaces the previous one. */
  search: null,
  /** The scenario that runs next for a seed, by its index; null once its search has ended. */
  "search-next": string | null,
  /** Takes the outcomes of the run requested last. */
  "search-saw": null,
  /** The run requested last for a seed cannot be made; answers whether a lower load is known to hold. */
  "search-refused": boolean,
  /** The result of the search; null before the first one. */
  "search-found": Capacity | null,
  /** Begins the searches for the best ratio of prefill to decode replicas, which replace the previous ones; answers the number of rows. */
  ratios: number,
  /** The scenario that runs next for a row and a seed; null once its search has ended. */
  "ratio-next": string | null,
  /** Takes the outcomes of the run requested last. */
  "ratio-saw": null,
  /** The run requested last cannot be made; answers whether a lower load is known to hold. */
  "ratio-refused": boolean,
  /** The result so far; null before the first search. */
  "ratios-found": RatioResult | null,
  /** Opens a lesson, JSON text; it replaces the previous one. */
  lesson: LessonRead,
  /** The runs of a step of the lesson, by its number from 0. */
  "lesson-cases": Array<LessonCase>,
  /** What the runs of a step show that have ended, and what became of the reader's guess. */
  "lesson-verdict": StepVerdict,
};

/** A question about runs beside each other, sweeps, races, searches or lessons. Scenarios are JSON text. */
export type ComparisonQuestion = { "compare": ComparedRuns } | { "cases": CasesQuery } | { "policies": PoliciesQuery } | { "entrant": EntrantQuery } | { "elsewhere": ElsewhereQuery } | { "row": AttachedBytes } | { "rank": RankQuery } | { "write-study": StudyFile } | { "read-study": string } | { "study-csv": StudyFile } | { "oracle": string } | { "kv-policies": string } | { "kv-policy-cases": string } | { "kv-policy-regrets": Array<KvPolicyRun> } | { "summary": SummaryQuery } | { "search": SearchQuery } | { "search-next": number } | { "search-saw": SearchRunEnded } | { "search-refused": number } | { "search-found": null } | { "ratios": SearchQuery } | { "ratio-next": RatioRun } | { "ratio-saw": RatioRunEnded } | { "ratio-refused": RatioRun } | { "ratios-found": null } | { "lesson": string } | { "lesson-cases": number } | { "lesson-verdict": VerdictQuery };

/** A word that is valid at a position. */
export type Completion = {
  /** The text that replaces the word there, such as `waiting` or `clamp(`. */
  text: string,
  /** What it means. */
  help: string,
};

/** A field that sources give different values. */
export type Conflict = {
  /** The field, as a path of the scenario. */
  field: string,
  /** Its values. */
  choices: Array<Choice>,
  /** The number of the chosen one, if the user chose. */
  chosen: number | null,
  /** How it comes about, if not by a contradiction, and how to avoid it. */
  note: string,
};

/** The cost of the measurement window, from the GPU prices of the catalogue. */
export type CostPart = {
  /** US dollars per hour of the replicas now serving; missing, like every cost, if one of them has no price. */
  usd_per_hour?: number,
  /** US dollars for all replicas while they existed. */
  usd?: number,
  /** US dollars per request finished; missing without one. The costs per token are missing without tokens. */
  usd_per_request?: number,
  /** US dollars per 1,000 tokens, prompt and output. */
  usd_per_1k_tokens?: number,
  /** US dollars per million output tokens. */
  usd_per_million_output_tokens?: number,
  /** GPUs times the seconds that their replica existed. */
  gpu_seconds: number,
  /** GPUs times the seconds in which a step ran on them. */
  gpu_busy_seconds: number,
  /** Busy GPU-seconds per request finished. */
  gpu_busy_seconds_per_request?: number,
};

/** Requests by where they are now, or how they ended. */
export type Counts = {
  /** Requests that have arrived. */
  arrived: number,
  /** Between arrival and a wait queue. */
  in_pipeline: number,
  /** Requests in the pipeline that wait at the gateway: delayed by admission, or held until a replica serves. */
  held: number,
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
  /** Given up because their last attempts broke. */
  lost: number,
  /** Whether every request that arrived is in one of these places, or between its prefill replica and the batch of its home. */
  conserved: boolean,
  /** Preemptions so far (one request can be preempted several times). */
  preemptions: number,
};

/** The CPU tier of a replica. */
export type CpuBlocks = {
  /** Blocks that it has room for. */
  total: number,
  /** Blocks in it. */
  used: number,
  /** Bytes of a block on all GPUs of the replica; missing where the model's size is not known. */
  block_bytes: number | null,
  /** Bytes of the blocks in it, and of those that it has room for. */
  bytes: [number, number] | null,
  /** Time to move one block, in microseconds. */
  block_us: number,
  /** Blocks written to it so far. */
  written: number,
  /** Blocks loaded from it so far. */
  loaded: number,
};

/** The CPU tiers of all replicas together, warm-up included. */
export type CpuTierPart = {
  /** Capacity in blocks. */
  total_blocks: number,
  /** Blocks in use now. */
  used_blocks: number,
  /** Blocks written to it. */
  offloads: number,
  /** Blocks evicted there because it was full. */
  evictions: number,
  /** Loads, each of one block or more for one request. */
  loads: number,
  /** Mean time from the request for a load to its end, in milliseconds. */
  mean_load_ms: number,
  /** Blocks found there and loaded back. */
  hits: number,
  /** Prompt blocks looked up there and not found. With the tier of BLIS: failed allocations for which nothing could
   * be copied back. */
  misses: number,
  /** hits / (hits + misses), 0 to 1. */
  hit_rate: number,
  /** The tier of BLIS: blocks copied back within a millisecond of being copied down. */
  thrash: number,
  /** thrash / offloads. */
  thrash_rate: number,
  /** Blocks that were not written because nothing could be evicted. Like the two figures that follow only of all replicas
   * together, and missing with the tier of BLIS. */
  refused?: number,
  /** Blocks that were not used for longer than they are kept. */
  expired?: number,
  /** How it served requests. */
  served?: TierServedPart,
};

/** What the crash of a replica that is down did so far. */
export type CrashFrame = {
  /** Requests that it had, or whose KV was lost with it: each broke off once. */
  inside: number,
  /** Attempts that broke because of it: those, and what was sent there before routers knew. */
  broken: number,
  /** Requests lost with them; the others go on elsewhere or finished. */
  lost: number,
  /** Whether it is a planned restart. */
  planned: boolean,
};

/** The knee of a curve, or why it has none. */
export type CurveKnee = {
  /** Its position, interpolated linearly between two points; null if there is none. */
  x: number | null,
  /** The value of the curve there. */
  threshold: number | null,
  /** The same in a sentence. */
  explained: string,
};

/** A point of a curve. */
export type CurvePoint = {
  /** On the horizontal axis. */
  x: number,
  /** On the vertical axis. */
  y: FigureVerdict,
};

/** A curve over seeds. */
export type CurveVerdict = {
  /** Its points, in order. */
  points: Array<CurvePoint>,
  /** Where it becomes steeper than the slope of the knee, on the horizontal axis; null if nowhere. */
  knee: number | null,
};

/** A measured and a simulated distribution. */
export type Curves = {
  /** Metric. */
  metric: string,
  /** Simulated values in ascending order at equal distances: the first is the smallest, the last the largest. */
  simulated: Array<number>,
  /** Measured: pairs of a percentage of the requests and the value. */
  measured: Array<[number, number]>,
  /** Largest distance between the two in percentage points, if all requests are known. Values that differ by less
   * than 1 % count as equal: if many requests have nearly the same value, the share below it would mean nothing. */
  largest_gap?: number,
};

/** Decisions in a window. */
export type DecidedFrame = {
  /** Share of the requests that a prefill replica prefills, 0 to 1. */
  remote_share: number,
  /** Share of the requests prefilled at home, 0 to 1. */
  local_share: number,
  /** Requests per second for prefill replicas. */
  remote_per_s: number,
  /** Requests per second prefilled at home. */
  local_per_s: number,
  /** Why most of those prefilled at home were: `mixed`, `never`, `no-prefill`, `short`, `busy` or `resumed`; empty if none was. */
  local_because: string,
};

/** How the decider divides requests. */
export type DeciderFrame = {
  /** `never`, `always` or `threshold`. */
  name: string,
  /** Requests with fewer tokens to compute stay at home; 0 if it does not count. */
  uncached_tokens: number,
  /** Requests with less than this share of their prompt to compute stay at home; 0 if it does not count. */
  uncached_share: number,
};

/** One decision. */
export type DecisionMark = {
  /** The request. */
  request: number,
  /** When, in microseconds. */
  at_us: number,
  /** Its home. */
  home: number,
  /** Its prefill replica; missing if it is prefilled at home. */
  prefill?: number,
  /** Why: `mixed`, `never`, `no-prefill`, `always`, `short`, `busy`, `long` or `resumed`. */
  reason: string,
  /** Tokens of its prompt. */
  prompt_tokens: number,
  /** Tokens that its home would have had to compute, where the decider looked; otherwise those of its prompt. */
  uncached: number,
};

/** A summary of the decisions of a run. */
export type DecisionPart = {
  /** Requests that admission admitted or refused. */
  decided: number,
  /** Requests that admission admitted. */
  admitted: number,
  /** Requests refused, by any stage. */
  rejected: number,
  /** Requests sent to a replica. */
  routed: number,
  /** Mean of the best candidate's score minus the chosen one's. */
  score_regret_mean: number,
  /** The largest of these differences. */
  score_regret_max: number,
  /** Replicas that got a request. */
  unique_targets: number,
  /** By replica: requests sent there. */
  targets: Array<number>,
  /** The decisions on who prefills a request; missing if there were none. */
  prefill?: StageDecisionPart,
};

/** A heat map: columns of equal width in time, rows of equal width on a logarithmic axis of latency. */
export type Density = {
  /** The playhead. */
  now_us: number,
  /** Which latency. */
  of: Measure,
  /** Start of the first column. */
  from_us: number,
  /** Width of a column. */
  width_us: number,
  /** Number of columns. */
  columns: number,
  /** Lower edge of each row, and the upper edge of the last, in microseconds. */
  edges_us: Array<number>,
  /** Counts, column by column from the lowest row up. */
  counts: Array<number>,
  /** The largest count. */
  most: number,
  /** Everything counted. */
  total: number,
  /** Requests in the span that are not counted, because the latency is not known yet or never will be. */
  unknown: number,
  /** Whether columns are by arrival; gaps between tokens are by the instant of the later token. */
  by_arrival: boolean,
  /** The objective of the strictest class, 0 without one. */
  slo_us: number,
  /** Width in time of the buckets that gaps were counted in: narrower columns are not possible for them. */
  finest_us: number,
};

/** A query for the heat map of a latency over time. */
export type DensityQuery = {
  /** Which latency. */
  of: Measure,
  /** Start, in microseconds. */
  from_us: number,
  /** End, in microseconds; 0 means the right edge of the time axes. */
  to_us: number,
  /** About how many columns; their width is a round number of seconds. */
  columns: number,
};

/** A model described by its `config.json`. */
export type DescribedModel = {
  /** The model's shape as JSON text. */
  architecture: string,
  /** A summary of the shape in words. */
  summary: string,
  /** Defaults taken for missing values, and properties that the shape cannot express. */
  warnings: Array<Diagnostic>,
};

/** The times of single requests of the first seed. ITL is not a time of one request. */
export type DetailTable = {
  /** Arrival to first token. */
  ttft_ms: MetricDetail,
  /** Mean gap of each finished request. */
  tpot_ms: MetricDetail,
  /** Arrival to last token. */
  e2e_ms: MetricDetail,
  /** Joining the wait queue to first joining a batch. */
  queue_wait_ms: MetricDetail,
  /** Arrival to first joining a batch. */
  scheduling_delay_ms: MetricDetail,
};

/** One problem with the user's input. */
export type Diagnostic = {
  /** Error or warning. */
  severity: Severity,
  /** Path of the field, such as `cluster.pools[0].replicas`, or `line 17` of a trace. Empty for the whole. */
  path: string,
  /** What was found. */
  found: string,
  /** What is allowed there. */
  allowed: string,
  /** How to fix it. */
  fix: string,
};

/** A figure of both, and its difference with a 95 % confidence interval. Over several seeds `a` and `b` are means
 * over the seeds. */
export type Difference = {
  /** In A; null without values. */
  a: number | null,
  /** In B. */
  b: number | null,
  /** B minus A. */
  diff: number | null,
  /** Lower end of the interval of the difference. */
  lo: number | null,
  /** Its upper end. */
  hi: number | null,
  /** The verdict. */
  verdict: Verdict,
};

/** A query for the fields that differ between two documents, JSON texts. */
export type DifferencesQuery = {
  /** The first document. */
  from: string,
  /** The second document. */
  to: string,
  /** The instant at which the first is in force, in microseconds; without one it is taken without its edits. */
  from_us?: number,
};

/** Which values are the better ones. */
export type Direction = "lower" | "higher";

/** Requests that are prefilled on one replica and decoded on another. Distributions and counts of requests are over those that
 * arrived in the measurement window. */
export type DisaggregationPart = {
  /** Requests by what the decider said; kinds that did not occur are left out. */
  decisions: { [kind: string]: number },
  /** Share of them that a prefill replica prefilled, 0 to 1; missing without a decision. */
  remote_share?: number,
  /** Arrival to the end of the prefill, as the prefill replica has it, in milliseconds. */
  ttft_prefill_ms: Summary,
  /** Arrival to the first token that the home made, of requests prefilled elsewhere, in milliseconds. */
  ttft_decode_ms: Summary,
  /** End of the prefill to joining the batch of the home, in milliseconds. */
  handover_ms: Summary,
  /** The wait for room at home: pull, from the end of the prefill until blocks are set aside; push, from joining the wait queue
   * of the home until then. In milliseconds. */
  room_wait_ms: Summary,
  /** Start of the transfer to the landing, in milliseconds. */
  transfer_ms: Summary,
  /** Landing to joining the batch of the home, in milliseconds. */
  join_wait_ms: Summary,
  /** Bytes of each transfer. */
  transfer_bytes: Summary,
  /** Transfers that landed in the measurement window. */
  transfers: number,
  /** Their bytes. */
  bytes: number,
  /** Of these, bytes that left while the prefill ran. */
  overlapped_bytes: number,
  /** Transfers under way now. */
  transfers_under_way: number,
  /** Most transfers that flowed at one instant, warm-up included. */
  peak_flows: number,
  /** KV blocks that prefill replicas held for homes, times seconds. */
  held_block_seconds: number,
  /** KV blocks set aside or pinned at homes for requests whose KV was not there yet, times seconds. */
  reserved_block_seconds: number,
  /** What homes read from their CPU memory; only with `home_hits: gpu+cpu`. */
  home_reads?: HomeReadsPart,
  /** What ratio the loads suggest; missing without both roles, or without load. */
  hint?: HintPart,
};

/** A question for a curve. */
export type DrawQuestion = {
  /** The question, at most 120 characters. */
  question: string,
  /** The run that is varied. */
  run: string,
  /** The field that varies, as in `set` of a run; `traffic` for the rates of all clients. */
  path: string,
  /** Its values, 3 to 12, in rising order. */
  values: Array<number>,
  /** The horizontal axis. */
  x: Axis,
  /** The vertical axis. */
  y: Axis,
  /** The value there: an expression over `run`, such as `run.latency_ms.ttft.p99`. */
  value: string,
  /** The slope of the knee: from where one unit more along the horizontal axis costs more than this. 0 for no knee. */
  knee: number,
};

/** A distribution: the share of requests with at most this latency. At most 400 points. */
export type Ecdf = {
  /** Latencies in milliseconds, rising. */
  ms: Array<number>,
  /** Percent of the requests. */
  percent: Array<number>,
  /** How many requests. */
  count: number,
  /** 50th, 90th and 99th percentile in milliseconds; missing without requests. */
  percentiles_ms: [number | null, number | null, number | null],
  /** The share within the objective, in percent; missing without an objective or without requests. */
  within: number | null,
};

/** Two distributions. */
export type EcdfPart = {
  /** A: milliseconds, and the percentage of requests with at most this value. */
  a: Array<[number, number]>,
  /** Of B. */
  b: Array<[number, number]>,
  /** The area between the two curves in milliseconds: their mean distance over all ranks. */
  area_ms: number,
};

/** A query for a distribution. */
export type EcdfQuery = {
  /** Which latency. */
  of: Measure,
  /** Which requests. */
  filter: RequestFilter,
};

/** What becomes of one edit of the list. */
export type EditRevision = { "move": {
  /** The instant, in microseconds. */
  at_us: number, } } | { "stretch": {
  /** The instant, in microseconds. */
  until_us: number, } } | "switch" | { "set": {
  /** The path of the field. */
  path: string,
  /** The value. */
  value: unknown, } };

/** An edit as values by path. */
export type EditValues = {
  /** The fields that it sets. */
  set: { [path: string]: unknown },
  /** The lists that it adds an entry to. */
  add: { [path: string]: unknown },
};

/** A query for the time of a sweep. */
export type ElsewhereQuery = {
  /** The scenario. */
  scenario: string,
  /** What varies, as arguments of `--vary`. */
  varied: Array<string>,
  /** The number of seeds. */
  seeds: number,
  /** The number of threads that make runs. */
  workers: number,
  /** The milliseconds of one run, if some have ended. */
  case_ms?: number,
};

/** A server's facts about its KV cache. */
export type EngineFacts = {
  /** KV blocks of a replica. */
  blocks?: number,
  /** Tokens of KV cache of a replica, if the number of blocks is missing. */
  kv_tokens?: number,
  /** Tokens in a block. */
  block_tokens?: number,
  /** Share of the GPU's memory that the engine may use. */
  gpu_memory_utilization?: number,
  /** Whether prefixes are cached. */
  prefix_caching?: boolean,
};

/** A query for the scenario of an entrant of a race: it has its settings from an instant on, and no edits of the same fields from then on. */
export type EntrantQuery = {
  /** The scenario. */
  scenario: string,
  /** The settings by path. */
  set: { [path: string]: unknown },
  /** The instant, in microseconds. */
  from_us: number,
};

/** An absolute error over experiments or rows, as a share. */
export type ErrorBand = {
  /** Median. */
  median: number,
  /** 90th percentile. */
  p90: number,
  /** Number of experiments; of rows where errors are known by the kind of run. */
  n: number,
};

/** The kind of a line of the event log. */
export type EventKind = "arrived" | "admitted" | "rejected" | "delayed" | "gateway-queue" | "routed" | "queued" | "kv-load" | "kv-loaded" | "adapter-load" | "scheduled" | "step" | "step-end" | "prefill" | "first-token" | "tokens" | "preempted" | "kv-offload" | "reload" | "blocked" | "completed" | "dropped" | "livelock" | "anomaly" | "edit" | "replica" | "scaling" | "redirected" | "decided" | "prefill-done" | "reserved" | "transfer" | "landed" | "joined" | "handover-given-up" | "fault" | "broken" | "retried" | "lost";

/** One line of the event log. */
export type EventRow = {
  /** Number of the line; lines are numbered from 0, and the oldest may have been dropped. */
  seq: number,
  /** When, in microseconds. */
  at_us: number,
  /** What happened. */
  kind: EventKind,
  /** The request, if there is one. */
  request?: number,
  /** The replica, if there is one. */
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

/** A query for lines of the event log. */
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

/** The evidence for the numbers of a run. */
export type Evidence = {
  /** By pool. */
  parts: Array<EvidencePart>,
  /** Sentences on how the run is outside the measured range; empty if it is inside. */
  outside: Array<string>,
  /** How far the latency figures of each pool can be trusted, in the regime of the run so far. */
  pools: Array<PoolEvidence>,
  /** The coefficients of the first pool, if its latency model is calibrated. */
  coefficients: Array<CoefficientEvidence>,
};

/** How the coefficients behind a figure relate to a value, the best first. */
export type EvidenceClass = "fitted" | "same-chip" | "carried" | "own" | "guessed";

/** The kinds of numbers with evidence. */
export type EvidenceOf = "steps" | "blocks";

/** The basis of one kind of number in a pool. */
export type EvidencePart = {
  /** Number of the pool. */
  pool: number,
  /** The kind of number: step times, delays or KV blocks. */
  what: EvidenceOf,
  /** Its basis. */
  basis: Basis,
  /** The same in words. */
  says: string,
};

/**
 *The answers to [`ExchangeQuestion`], by the name of the question. */
export type ExchangeAnswers = {
  /** What the keys of texts mean for a scenario, and the new scenario that they make. */
  import: Imported,
  /** A scenario as the configuration of a system. */
  export: Exported,
};

/** A question about configuration of other programs. */
export type ExchangeQuestion = { "import": ImportQuery } | { "export": ExportQuery };

/** How evenly experts are computed. At the end of the run. */
export type ExpertsPart = {
  /** How many times the mean the rank with the most computes for its experts, on the replica where that is highest. */
  imbalance: number,
  /** How often experts were moved, of all replicas together. */
  rebalanced: number,
};

/** Which requests to explain. */
export type ExplainQuery = {
  /** The time to explain. */
  time: AccountedTime,
  /** Only requests above this percentile; by default the slowest 1 %, or all of the span of time. */
  above?: number,
  /** Start of the span of time, in microseconds. */
  from_us?: number,
  /** End of the span of time. */
  to_us?: number,
  /** Which requests belong to the span. */
  by: SpanBy,
  /** The instant up to which the run goes; by default its end. */
  until_us?: number,
};

/** Where the time of slow requests went, beside that of fast ones. */
export type Explanation = {
  /** The time to explain. */
  time: AccountedTime,
  /** The explained requests, in words. */
  slow_words: string,
  /** The requests compared with. */
  fast_words: string,
  /** The shortest time of the explained requests, in milliseconds. */
  threshold_ms: number,
  /** The explained requests. */
  slow: RequestGroup,
  /** The requests compared with. */
  fast: RequestGroup,
  /** By how much longer the slow ones took on average, in milliseconds. */
  diff_ms: number,
  /** Requests of the same span that were lost, and so have no time. */
  lost: number,
  /** The causes of their time, in order of occurrence. They add up to the means of the groups. */
  causes: Array<CausePart>,
  /** What keeps tiers below the GPU from finding more; missing where nothing does, and without any. */
  tiers?: TierFindings,
  /** The sentences of the explanation. */
  sentences: Array<Sentence>,
};

/** A scenario to export. */
export type ExportQuery = {
  /** The scenario, JSON text. */
  scenario: string,
  /** The system that has the configuration. */
  system: System,
  /** A file of the user, which what is written stands beside. */
  beside?: string,
};

/** The configuration of a system from a scenario. */
export type Exported = {
  /** The system. */
  system: System,
  /** Its name for a heading, such as `llm-d`. */
  title: string,
  /** Name of the file, such as `epp.yaml`. */
  file_name: string,
  /** The language of the file. */
  language: Language,
  /** All lines; with a file beside it also those that are no longer there. */
  lines: Array<ExportedLine>,
  /** The settings of the scenario that the system could have, one by one. */
  rows: Array<ExportedRow>,
  /** Number of rows that mean the same there. */
  exact: number,
  /** Number of rows whose counterpart differs. */
  near: number,
  /** Number of rows without a counterpart. */
  left_out: number,
  /** Why the file beside it was not changed in place, if it was not: the lines are a new file then. */
  not_beside: string | null,
  /** The file. */
  text: string,
};

/** A line of a file or of its difference. */
export type ExportedLine = {
  /** Its text, without the end of the line. */
  text: string,
  /** How it stands to the file beside it. */
  mark: LineMark,
};

/** A setting of the scenario and its counterpart. */
export type ExportedRow = {
  /** Its path in the scenario, such as `cluster.routing.weighted.scorers[0]`. */
  path: string,
  /** Its name here. */
  ours: string,
  /** Its value here. */
  value: string,
  /** Its name there; empty if it has none. */
  theirs: string,
  /** The value in the file beside it, if that differs. */
  before: string | null,
  /** How well it has a counterpart. */
  standing: ExportedStanding,
  /** How it differs, or why it has none; empty if exact. */
  why: string,
  /** Whether it is written; otherwise it is the system's default, or it has no counterpart. */
  written: boolean,
};

/** How well a setting has a counterpart. */
export type ExportedStanding = "exact" | "near" | "ignored";

/** One problem of an expression. */
export type ExpressionProblem = {
  /** Where it begins in the text. */
  start: number,
  /** Where it ends. */
  end: number,
  /** What was found, and at which character. */
  found: string,
  /** What is allowed there. */
  allowed: string,
  /** How to fix it. */
  fix: string,
};

/** A query about an expression. */
export type ExpressionQuery = {
  /** The expression. */
  text: string,
  /** The place of the caret. */
  caret: number,
};

/** An expression as typed so far. */
export type ExpressionReading = {
  /** Its problems, in order; empty if it can be used. */
  problems: Array<ExpressionProblem>,
  /** Where the word at the caret begins. */
  from: number,
  /** Completions of the word at the caret, the likeliest first. */
  words: Array<Completion>,
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
  /** Longest mean queue of a replica divided by the shortest, which counts as at least one request. */
  max_min_queue_ratio: number,
};

/** What broke so far, in figures. */
export type FaultFigures = {
  /** Share of the replicas' time since the start in which they were not down, 0 to 1. */
  availability: number,
  /** Requests completed, as a share of those that ended: completed, lost, timed out or dropped. */
  success: number,
  /** Attempts for each request that arrived. */
  attempts_per_arrival: number,
  /** Requests whose first attempt broke and that wait for another one, or are in one. */
  retrying: number,
  /** Requests lost. */
  lost: number,
  /** How often replicas were ejected. */
  ejections: number,
  /** Replicas that are slow, stuck, seen late, cut off or have a thin link now, and are not down. */
  degraded: number,
  /** Replicas that are down now. */
  down: number,
};

/** What an edit breaks, and for how long. */
export type FaultFlag = {
  /** Its kind, as in the scenario: `crash`. */
  kind: string,
  /** Number of the replica, if the edit names one. */
  replica?: number,
  /** Name of the pool, if the edit names one. */
  pool?: string,
  /** When it is over, in microseconds; missing if never. */
  until_us?: number,
};

/** What broke, and what became of it. */
export type FaultPart = {
  /** Share of the replicas' time in the measurement window in which they were not down. */
  availability: number,
  /** Requests completed, as a share of those that ended: completed, lost, timed out or dropped. Includes the warm-up. */
  success: number,
  /** Attempts begun. */
  attempts: number,
  /** Attempts for each request that arrived. */
  retry_amplification: number,
  /** Attempts that broke, by reason. */
  broken: Array<BrokenPart>,
  /** Attempts that broke and were followed by another one. */
  retried: number,
  /** Requests lost. */
  lost: number,
  /** Of these, requests that had an attempt left and no retry budget. */
  budget_denied: number,
  /** Requests whose clients gave up. */
  timed_out: number,
  /** How often clients that gave up came again, or are to. Each time is a request that arrived. */
  client_retries: number,
  /** How often a client would have come again and the budget of the clients was spent. */
  client_denied: number,
  /** Prompt tokens computed by attempts that broke. */
  wasted_prefill_tokens: number,
  /** Tokens of answers that were shown and given up. */
  wasted_decode_tokens: number,
  /** How often replicas were ejected: by probes that failed, or as outliers. */
  ejections: number,
  /** KV blocks of prefill replicas that were held for homes that had crashed, times seconds. Includes the warm-up. */
  stranded_block_s: number,
  /** Each fault, in order. */
  each: Array<OneFaultPart>,
};

/** Blocks that a prefetch brought in a pause. */
export type FetchedPart = {
  /** When they were there: so long after the end of the turn. */
  after_us: number,
  /** Their tokens. */
  tokens: number,
  /** Tokens of the context, from the start on, that the GPU had then, as far as that is known. */
  gpu_tokens: number,
};

/** A field with its value before and after. */
export type FieldChange = {
  /** The field, as a path of the scenario. */
  field: string,
  /** Its value before; empty if it was absent. */
  before: string,
  /** Its value after; empty if it is absent. */
  after: string,
};

/** A query for what sets a field at the playhead. */
export type FieldQuery = {
  /** The path of the field, or of all that lies under it. */
  path: string,
  /** Its new value. */
  value: unknown,
  /** The numbers of the edits that stay whatever the value was before them. */
  kept: Array<number>,
};

/** What sets a field at the playhead. */
export type FieldSetting = {
  /** The edits; null if no edit can. */
  edits: Array<EditValues> | null,
  /** The document without the edits of this instant that set the field, JSON text, if it has the value then; else null. */
  without: string | null,
};

/** One figure: a metric and a statistic of it, exact or between two bounds. */
export type Figure = {
  /** Metric with its unit: `ttft_ms`, `tpot_ms`, `itl_ms`, `e2e_ms`, `queue_ms`, `prefill_ms`, `decode_ms`, `inference_ms`, `req_per_s`, `out_tok_per_s`, `running`,
   * `waiting`, `preemptions`, `reused_prompt_share`. */
  metric: string,
  /** mean, p50, p90, p95, p99, or `value` for a single value. */
  stat: string,
  /** The figure, or its lower bound. */
  low: number,
  /** The figure, or its upper bound: a histogram gives only bounds. */
  high: number,
};

/** A further figure of whole runs, by its name. */
export type FigureComparison = {
  /** Its name in columns and options. */
  name: string,
  /** Its name for people. */
  label: string,
  /** How it is written. */
  unit: MetricUnit,
  /** Which values are the better ones. */
  better: Direction,
  /** In A; null without values. */
  a: number | null,
  /** In B. */
  b: number | null,
  /** B minus A. */
  diff: number | null,
  /** Lower end of the interval of the difference. */
  lo: number | null,
  /** Its upper end. */
  hi: number | null,
  /** The verdict. */
  verdict: Verdict,
};

/** The errors of the three figures; missing where nothing was measured. */
export type FigureErrors = {
  /** Mean time per output token. */
  tpot?: ErrorBand,
  /** Mean time to first token. */
  ttft?: ErrorBand,
  /** Mean end-to-end latency. */
  e2e?: ErrorBand,
};

/** A value over seeds. */
export type FigureVerdict = {
  /** The mean over the seeds that have one. */
  mean: number | null,
  /** Lower end of its 95 % interval; null for fewer than two seeds. */
  lo: number | null,
  /** Upper end. */
  hi: number | null,
  /** Its value with each seed, in order. */
  values: Array<number | null>,
};

/** Metrics of the fitness score. Each is mapped to 0 to 1, where 1 is best. */
export type FitnessMetric = "throughput" | "tokens_per_sec" | "mean_ttft" | "p50_ttft" | "p99_ttft" | "mean_e2e" | "p50_e2e" | "p99_e2e";

/** A score with the scenario's weights. */
export type FitnessPart = {
  /** Sum of weight times norm. */
  score: number,
  /** Its terms, in the order of the scenario. */
  parts: Array<FitnessTerm>,
};

/** One term of the fitness score. */
export type FitnessTerm = {
  /** The metric. */
  metric: FitnessMetric,
  /** Weight of the metric. */
  weight: number,
  /** Its value, in requests or tokens per second or in milliseconds. */
  value: number,
  /** The value scaled to 0 to 1, where 1 is best; 0 for a latency without values. */
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
  /** Whether it is switched off: it stays on the timeline and changes nothing. */
  off: boolean,
  /** What it breaks; missing if it breaks nothing. */
  fault?: FaultFlag,
};

/** Tokens of a prompt that were found in one tier. */
export type FoundPart = {
  /** `gpu`, `cpu`, `fs`, `p2p`, or the name of a store. */
  tier: string,
  /** How many. */
  tokens: number,
};

/** The state of the whole run at one instant, bounded in size for any fleet. */
export type Frame = {
  /** The playhead, in microseconds. */
  now_us: number,
  /** End of the run in microseconds, 0 if it ends when all requests are done. */
  horizon_us: number,
  /** Right edge for time axes: the horizon, or a round instant beyond the playhead. */
  axis_end_us: number,
  /** How far the run was computed, in microseconds; beyond the playhead after a step back. */
  computed_us: number,
  /** Events run so far. */
  events: number,
  /** Whether nothing is left to run. */
  finished: boolean,
  /** A sentence when the run can no longer make progress or ended early, else empty. */
  trouble: string,
  /** What it shows, for a reader who sees it for the first time. */
  says: Statement,
  /** What a reader must know to interpret the numbers; most notices appear only once the run has finished. */
  notices: Array<Notice>,
  /** Requests by where they are now. */
  counts: Counts,
  /** The headline numbers over the latest window. */
  key: KeyFigures,
  /** Arrivals by client over the latest window. */
  clients: Array<ClientFrame>,
  /** The gateway's queue; missing without flow control. */
  gateway?: GatewayFrame,
  /** Prefill and decode apart; missing where all pools are mixed. */
  split?: SplitFrame,
  /** Every pool, in order. */
  pools: Array<PoolFrame>,
  /** Every replica, in order. */
  replicas: Array<ReplicaFrame>,
  /** Servers whose ranks step together, in order; missing if there are none. */
  servers?: Array<ServerFrame>,
  /** Moves since the previous frame: the newest, up to the limit of the query. */
  moves: Array<Move>,
  /** Edits so far and to come, in order. */
  flags: Array<Flag>,
  /** Faults so far, in order: the latest 32; missing if none. */
  faults?: Array<OneFaultPart>,
  /** Anomalies so far, the first 64 of them, in the order in which they were noticed. */
  anomalies: Array<AnomalyMark>,
  /** How many anomalies there were so far, unlisted ones included. */
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
  /** Most sampled KV cells of one replica, in a cluster of at most 8 replicas. */
  cells: number,
  /** Most moves. */
  moves: number,
  /** The inspected replica: up to 96 requests of its queue and of its batch are always included. */
  focus?: number,
};

/** The gateway's queue now. */
export type GatewayFrame = {
  /** How saturated an attempt would find the replicas now; 1 is saturated. */
  saturation: number,
  /** Its bands and those that clients will use, the highest priority first. */
  bands: Array<BandFrame>,
};

/** The gateway's queue under flow control. */
export type GatewayPart = {
  /** All bands together. */
  all: BandPart,
  /** Each band in which a request waited, the highest priority first. */
  bands: Array<BandPart>,
};

/** A word of the glossary. */
export type GlossaryEntry = {
  /** The word. */
  word: string,
  /** What it means, as plain text. */
  meaning: string,
  /** Other names, and the labels of the page that mean it, in small letters. */
  also?: Array<string>,
  /** The document that explains it, as a path from the top of the repository. */
  source: string,
  /** Its number; missing for a word without one. */
  quantity?: Quantity,
};

/** A sign of a formula. */
export type GlossarySign = {
  /** The sign; what follows a `_` is a subscript. */
  sign: string,
  /** What it stands for. */
  meaning: string,
  /** Its unit; `%` for a share. */
  unit: string,
  /** An expression over `report`, `frame` and `scenario`; missing if runs have no number for it. */
  value?: string,
};

/** A prefix group on this replica: what the router believes, and what is true. */
export type GroupBelief = {
  /** Its name. */
  name: string,
  /** Blocks that the whole shared prefix takes. */
  blocks: number,
  /** Leading blocks of it in the cache. */
  cached: number,
  /** Leading blocks of it that the router believes to be there; missing where the router keeps no such picture. */
  believed: number | null,
  /** Requests that hold blocks of it. */
  refs: number,
};

/** The differences of a group of requests. */
export type GroupDifference = {
  /** The property that they are grouped by. */
  by: Grouping,
  /** Its name. */
  name: string,
  /** Its requests. */
  count: number,
  /** Their mean difference in milliseconds. */
  mean_ms: number,
  /** The 1st percentile of their differences: the largest gains. */
  p1_ms: number,
  /** The median of their differences. */
  p50_ms: number,
  /** Share that gained, 0 to 1. */
  gained: number,
  /** Share that lost. */
  lost: number,
};

/** The requests of one client, tenant or SLO class, without the warm-up. */
export type GroupPart = {
  /** Its name. */
  name: string,
  /** Requests arrived. */
  arrived: number,
  /** Requests finished. */
  finished: number,
  /** Finished requests that met every objective of their class. */
  met: number,
  /** Requests refused, dropped or timed out, which count as missed. Left out if there are none. */
  unserved?: number,
  /** met / (finished + unserved), 0 to 1. Left out without unserved ones: it is the attainment then. */
  met_share?: number,
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

/** What requests are grouped by. */
export type Grouping = "class" | "tenant" | "prompt-tokens" | "replica-a" | "replica-b";

/** The reader's answer to a question. */
export type Guess = { "choose": number } | { "order": Array<number> } | { "number": number } | { "draw": Array<[number, number]> };

/** Guess and engine at a point of a curve. */
export type GuessRow = {
  /** On the horizontal axis. */
  x: number,
  /** The guess; null where nothing was drawn. */
  guess: number | null,
  /** The engine's mean. */
  engine: number | null,
  /** Lower end of its 95 % interval. */
  lo: number | null,
  /** Upper end. */
  hi: number | null,
  /** Engine by guess. */
  factor: number | null,
};

/** What became of a guess. */
export type GuessVerdict = {
  /** Whether it was right: for a number and a curve, whether it was within the question's share, or 25 %, everywhere. */
  right: boolean | null,
  /** For a number or a curve: engine by guess, of a curve where the two differ most. */
  factor: number | null,
  /** For an order: how many of the items stand where they belong. */
  in_place: number,
  /** For a curve: guess and engine at each point. */
  rows: Array<GuessRow>,
};

/** How a request is prefilled and handed over. */
export type HandoverDetail = {
  /** The replica that answers it. */
  home: number,
  /** The replica that prefills it; missing if that is its home. */
  prefill?: number,
  /** Why: `mixed`, `never`, `no-prefill`, `always`, `short`, `busy`, `long` or `resumed`. */
  reason: string,
  /** Tokens of its prompt that its home would have had to compute; missing where the decider did not look. */
  uncached?: number,
  /** Where it is: `prefill`, `room`, `first-byte`, `transfer`, `join`, `home`. */
  stage: string,
  /** Whether its home set blocks aside before the prefill. */
  push: boolean,
  /** Time to first token as the prefill replica has it, in microseconds, once known. */
  ttft_prefill_us?: number,
  /** Its transfer, once it has started. */
  transfer?: TransferDetail,
  /** Its blocks at both ends. */
  blocks: BlocksDetail,
  /** What is still to come up to its first token, with the ends as they are expected now. */
  ahead: Array<AheadPart>,
  /** The prefill replicas as their router saw them, the best first, if still kept. */
  prefill_candidates: Array<Candidate>,
};

/** Figures of hand-overs, without an interval from one seed. A run without roles has none of them. */
export type HandoverTable = {
  /** Share of requests that a prefill replica prefilled, 0 to 1. */
  remote_share: TotalComparison,
  /** Mean time to first token as the prefill replicas have it. */
  ttft_prefill_ms: TotalComparison,
  /** Mean time from the end of the prefill to joining the batch of the decode replica. */
  handover_ms: TotalComparison,
  /** Mean wait for room at the decode replica. */
  room_wait_ms: TotalComparison,
  /** Mean time of a transfer. */
  transfer_ms: TotalComparison,
  /** Mean wait to join the batch of the decode replica after it. */
  join_wait_ms: TotalComparison,
};

/** The ratio of prefill to decode replicas that would load both alike, by how loaded they were. It is never applied. */
export type HintPart = {
  /** Prefill replicas that take requests now. */
  prefill_replicas: number,
  /** Decode replicas that take requests now. */
  decode_replicas: number,
  /** Share of the time in which the prefill replicas ran a step, 0 to 1. */
  prefill_load: number,
  /** The larger of two means of the decode replicas, 0 to 1: KV blocks in use, and requests in the batch / `max_num_seqs`. */
  decode_load: number,
  /** The same number of replicas in all, in proportion to the loads: prefill replicas. */
  suggested_prefill: number,
  /** Decode replicas. */
  suggested_decode: number,
};

/** What homes read from their CPU memory of prompts that were computed elsewhere. Requests are those that arrived in the
 * measurement window. */
export type HomeReadsPart = {
  /** Requests whose home read blocks. */
  requests: number,
  /** Blocks that it read for them. */
  blocks: number,
  /** Setting blocks aside to having the last of those that are read, in milliseconds. */
  read_ms: Summary,
  /** Of these requests, those that landed before that and waited for it. */
  waited: number,
};

/** Texts to import. */
export type ImportQuery = {
  /** The texts. */
  texts: Array<Text>,
  /** The scenario that they change, JSON text. */
  into: string,
  /** Choices between the values of a field. */
  settled: Array<Settled>,
  /** The traffic of the new scenario; what is missing is chosen. */
  asked?: TrafficAsked,
};

/** An import of texts into a scenario. */
export type Imported = {
  /** The documents in the texts. */
  documents: Array<ImportedDocument>,
  /** The result of each key, in the order of the documents. */
  keys: Array<Mapping>,
  /** Fields that sources give different values. */
  conflicts: Array<Conflict>,
  /** The fields that change. */
  changes: Array<FieldChange>,
  /** The memory of one GPU of each pool afterwards, as far as model and GPU are known. */
  memory: Array<PoolMemory>,
  /** Keys by how they stand. */
  counts: KeyCounts,
  /** The scenario as JSON text; empty while a conflict is not settled, or if there is a problem. */
  scenario: string,
  /** The scenario of its own that the texts make. */
  new_scenario: NewScenario,
  /** Warnings. */
  warnings: Array<Diagnostic>,
  /** Errors; the scenario is then empty. */
  problems: Array<Diagnostic>,
};

/** A document of an import. */
export type ImportedDocument = {
  /** The name of its format. */
  title: string,
  /** Its version, or what tells it from others of its kind. */
  detail: string,
  /** The name of its text; empty for a paste. */
  file: string,
  /** Its first line in the text, from 1. */
  first_line: number,
  /** Its lines. */
  lines: Array<string>,
  /** Whether its format is read. */
  is_read: boolean,
};

/** A change of the document in force. */
export type InForce = {
  /** The instant from which on it holds, in microseconds. */
  from_us: number,
  /** The fields that have other values from then on, by path. */
  set: { [path: string]: unknown },
};

/** How intervals were computed. */
export type IntervalBasis = "seeds" | "blocks";

/** What was kept of the context of a turn from an instant of the pause after it on. */
export type KeptStep = {
  /** The instant: the end of the turn, then ends of buckets of the timeline. */
  at_us: number,
  /** Tokens of its context, from the start on, that the GPU of its replica had. */
  gpu_tokens: number,
  /** Tokens that this GPU or a tier below it had. */
  kept_tokens: number,
};

/** Keys by how they stand to the scenario. */
export type KeyCounts = {
  /** With the same meaning. */
  exact: number,
  /** With nearly the same meaning. */
  near: number,
  /** Without a counterpart. */
  ignored: number,
  /** Not known. */
  unknown: number,
  /** Said differently by another source. */
  conflict: number,
  /** That give a document its shape. */
  shape: number,
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
  /** Requests per second that ended in the window: finished, were refused or were dropped. */
  ended_per_s: number,
  /** Requests per second that finished and met every objective. */
  goodput_per_s: number,
  /** Output tokens per second in the window. */
  output_tokens_per_s: number,
  /** Share of prompt blocks found in the prefix cache since the start, not only in the window, 0 to 1. */
  cache_hit_rate: number,
  /** Share of the prompt blocks looked up in CPU tiers since the start that were found there, 0 to 1; 0 without any tier. */
  cpu_hit_rate: number,
  /** US dollars per million output tokens of the window, for all replicas that existed in it; 0 without output, and
   * missing if one of them has no price. */
  usd_per_million_tokens?: number,
  /** TTFT objective in microseconds, 0 if none. */
  slo_ttft_us: number,
  /** TPOT objective in microseconds, 0 if none. */
  slo_tpot_us: number,
  /** E2E objective in microseconds, 0 if none. */
  slo_e2e_us: number,
  /** Share of the window's TTFTs within the objective, 0 to 1; 0 if there are none. */
  ttft_within: number,
  /** Share of the window's E2Es within the objective, 0 to 1; 0 if there are none. */
  e2e_within: number,
  /** How TTFT compares with its objective. */
  ttft_mark: Mark,
  /** How TPOT compares with its objective. */
  tpot_mark: Mark,
  /** How E2E compares with its objective. */
  e2e_mark: Mark,
  /** How goodput compares with ended requests. */
  goodput_mark: Mark,
  /** What broke; missing if nothing did. */
  faults?: FaultFigures,
};

/** Blocks of one KV cache: total = used + cached + free. */
export type KvFrame = {
  /** All blocks. */
  total: number,
  /** Held by at least one request. */
  used: number,
  /** Used blocks held by two or more requests. */
  shared: number,
  /** Held by no request, but their content can still be hit. */
  cached: number,
  /** Empty. */
  free: number,
  /** A sample of the blocks by position, one character each: `u` used, `s` shared, `c` cached, `.` free; where pools have roles also
   * `h` held for a home, and `r` set aside for KV that is not there. Empty in a cluster of more than 8 replicas. */
  cells: string,
  /** Capacity of the CPU tier below in blocks; 0 without one. */
  cpu_total: number,
  /** Used blocks of the CPU tier. */
  cpu_used: number,
  /** Share of the prompt blocks looked up in the CPU tier since the start that were found there, 0 to 1. */
  cpu_hit_rate: number,
  /** How full each disk of the replica is, 0 to 1, in their order; missing without one. One without an end is at 0. */
  disks?: Array<number>,
};

/** Blocks of prompts that came from tiers below the GPU of all replicas, warm-up included. */
export type KvLoadsPart = {
  /** Share of all blocks of prompts that were on the GPU, 0 to 1. */
  gpu_share: number,
  /** Blocks that were loaded to the GPU for requests, those under way included. */
  loaded_blocks: number,
  /** Of these, blocks that spared computing. */
  useful_blocks: number,
  /** Of these, blocks that were given back before their request joined a batch, as others needed them. */
  wasted_blocks: number,
  /** Blocks of the GPU that requests held which load or have loaded and do not run yet, on average over the run. */
  mean_held_blocks: number,
  /** Tokens that were computed although a tier had them, as they were not worth their way. */
  refused_tokens: number,
  /** Tokens that found no room in CPU memory, or took longer than a request waits. */
  cut_tokens: number,
  /** Tokens whose read failed. */
  failed_tokens: number,
  /** Share of all blocks of prompts that these three are, 0 to 1. */
  computed_though_stored_share: number,
};

/** The KV caches of all replicas together. Counts of blocks include the warm-up, shares of requests do not. */
export type KvPart = {
  /** Blocks of prompts found in a cache. */
  hits: number,
  /** Blocks of prompts that were not found and had to be computed. */
  misses: number,
  /** Share of prompt blocks found, those loaded from tiers below included, 0 to 1: hits / (hits + misses) without any. */
  hit_rate: number,
  /** Blocks opened in all: the misses, the blocks loaded from a CPU tier and the blocks of answers. */
  opened: number,
  /** Cached blocks evicted because they were needed. */
  evictions: number,
  /** Share of the scheduled requests that found any of their prompt cached, 0 to 1. */
  request_hit_rate: number,
  /** Share of the prompt tokens of scheduled requests that came from the cache, 0 to 1. */
  reused_prompt_share: number,
  /** The CPU tier below them; missing without one. */
  cpu?: CpuTierPart,
  /** Blocks of prompts that came from tiers below the GPU; missing without any, and with the tier of BLIS. */
  loads?: KvLoadsPart,
  /** What was kept and fetched for sessions in their pauses; missing where the scenario asks for none of that. */
  pauses?: PausesPart,
};

/** A place below CPU memory: the disks of a pool's replicas together, or a store. */
export type KvPlacePart = {
  /** Blocks in it now. */
  blocks: number,
  /** Blocks looked up. */
  lookups: number,
  /** Of these found. */
  found: number,
  /** Blocks that found no room. */
  refused: number,
  /** Blocks that made room for others. */
  evicted: number,
  /** Blocks that were not used for longer than they are kept. */
  expired: number,
};

/** A policy for the KV of sessions in their pauses. */
export type KvPolicy = "lru" | "ttl" | "hint" | "prefetch" | "oracle";

/** A run with a policy from its beginning on. */
export type KvPolicyCase = {
  /** The policy. */
  policy: KvPolicy,
  /** The scenario, JSON text. Edits of what the policy sets are left out. */
  scenario: string,
};

/** A policy, and what a run has to change for it. */
export type KvPolicyChoice = {
  /** Which. */
  policy: KvPolicy,
  /** Its name. */
  name: string,
  /** What it does. */
  words: string,
  /** Why this scenario cannot have it; null if it can. */
  refused: string | null,
  /** The fields that an edit sets, by path; empty if the scenario has it. */
  set: { [path: string]: unknown },
};

/** A policy beside the oracle. */
export type KvPolicyRegret = {
  /** The policy. */
  policy: KvPolicy,
  /** Its name. */
  name: string,
  /** Tokens of sessions that its run computed again. */
  again_tokens: number,
  /** The same over time. */
  again: Array<AgainStep>,
  /** How many more that are than the oracle's; negative if fewer, null without a run of the oracle. */
  over_tokens: number | null,
  /** `over_tokens` as a share of the largest one, 0 to 1. */
  share: number,
  /** Blocks that its run loaded from below the GPU. */
  loaded_blocks: number,
};

/** What a run with a policy computed and loaded. */
export type KvPolicyRun = {
  /** The policy. */
  policy: KvPolicy,
  /** Tokens of sessions that were computed again. */
  again_tokens: number,
  /** The same over time. */
  again: Array<AgainStep>,
  /** The report, JSON text. */
  report: string,
};

/** KV blocks in use as shares of all blocks, 0 to 1, by what holds them. */
export type KvSplitPart = {
  /** Requests in the batch: what is left of the blocks in use while a step runs. */
  running: number,
  /** Set aside or pinned for requests whose KV is not there yet. */
  incoming: number,
  /** Requests whose KV is there and that are not in the batch yet. */
  landed: number,
  /** Held for requests until their KV is at home. */
  outgoing: number,
};

/** A tier below CPU memory of a pool's replicas together, warm-up included. */
export type KvTierPart = {
  /** Name of the pool. */
  pool: string,
  /** `fs`, `p2p`, or the name of the store. */
  tier: string,
  /** Blocks read from it: of `p2p`, pulled. */
  read_blocks: number,
  /** Their bytes, in GB. */
  read_gb: number,
  /** Blocks written to it. */
  written_blocks: number,
  /** Their bytes, in GB. */
  written_gb: number,
  /** Reads and writes that failed. */
  failed_flows: number,
  /** Blocks that wait to be written to it now. */
  waiting_blocks: number,
  /** What is in it; missing for `p2p`. Of a store it is what all pools have there. */
  place?: KvPlacePart,
  /** How it served requests. */
  served: TierServedPart,
};

/** The lane of a replica. */
export type Lane = {
  /** Number of the replica. */
  replica: number,
  /** Its slices. */
  steps: LaneSteps,
  /** Figures of the span. */
  totals: StepTotals,
};

/** A routing decision. */
export type LaneMark = {
  /** When. */
  at_us: number,
  /** The request. */
  request: number,
  /** Number of its client. */
  client: number,
  /** The replica chosen. */
  replica: number,
};

/** A request in the open lane. */
export type LaneRequest = {
  /** Its number. */
  request: number,
  /** Number of its client. */
  client: number,
  /** The row that it is packed into: the first that is free when it is routed. It is the same whichever span is shown. */
  row: number,
  /** When it was routed. */
  from_us: number,
  /** When it left, or the playhead. */
  to_us: number,
  /** When it first joined a batch: the step that computed its first chunk. */
  first_step_us: number | null,
  /** What it did and waited for, clipped to the span. */
  parts: Array<Segment>,
};

/** The slices of a lane, as columns of equal length, in order. A slice is a step, or neighbouring steps merged. */
export type LaneSteps = {
  /** Number of the first step of the slice among those of its replica, from 0. */
  seq: Array<number>,
  /** How many steps it is. */
  steps: Array<number>,
  /** Start. */
  at_us: Array<number>,
  /** From the start of its first step to the end of its last. */
  span_us: Array<number>,
  /** The part of it in which steps ran. */
  busy_us: Array<number>,
  /** Time for prompt tokens. */
  prefill_us: Array<number>,
  /** Prompt tokens computed. */
  prompt_tokens: Array<number>,
  /** Requests that decoded; the mean, rounded, of merged steps. */
  decode: Array<number>,
  /** Time in which a rank waited for the slowest of its server; missing where the replica is no such rank. */
  wait_us?: Array<number>,
};

/** The lanes of all replicas. */
export type Lanes = {
  /** The playhead. */
  now_us: number,
  /** Start of the span. */
  from_us: number,
  /** End of the span. */
  to_us: number,
  /** Steps are kept from this instant on; earlier ones come back by going back to them. */
  kept_from_us: number,
  /** A lane for each replica, in order. */
  lanes: Array<Lane>,
  /** Routing decisions in the span, at most 2,000 of them, the latest. */
  marks: Array<LaneMark>,
  /** Figures over all replicas. */
  totals: StepTotals,
  /** The requests of the replica asked for. */
  open: OpenLane | null,
  /** The whole run in buckets: start of each, prompt tokens a second, tokens produced a second. */
  overview: [Array<number>, Array<number>, Array<number>],
};

/** A query for the lanes between two instants. */
export type LanesQuery = {
  /** Start, in microseconds. */
  from_us: number,
  /** End, in microseconds; what is after the playhead is empty. */
  to_us: number,
  /** The replica whose requests are listed. */
  replica?: number,
  /** Most slices of a lane: with more steps than that, neighbours are merged. 0 asks for the totals alone. */
  most: number,
  /** Most requests listed. */
  requests: number,
  /** Number of the first replica whose slices are listed. */
  first: number,
  /** How many replicas have their slices listed; the others have their figures alone. */
  count: number,
};

/** The language of a file. */
export type Language = "yaml" | "shell";

/** A box of a heat map: arrivals between two instants with a latency between two values, all in microseconds. */
export type LatencyBox = {
  /** Which latency. */
  of: Measure,
  /** First arrival. */
  from_us: number,
  /** Last arrival. */
  to_us: number,
  /** Least latency. */
  least_us: number,
  /** Largest latency. */
  most_us: number,
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

/** The latest edit behind the playhead. */
export type LatestEdit = {
  /** Its number in the list of edits. */
  index: number,
  /** What takes it back, and what makes it again. */
  undo: Undo,
};

/** A law of a textbook queue, or of the batch server. */
export type Law = "priority" | "closed-loop" | "mm1k" | "shortest-queue" | "power-of-d" | "round-robin" | "mdc" | "mmc" | "md1" | "mm1" | "mg1" | "batch-server" | "limited-batch" | "processor-sharing" | "closed-form" | "little";

/** A law beside a run. */
export type LawFound = {
  /** The assumption. */
  law: Law,
  /** Its title. */
  title: string,
  /** Whether the cluster is of the law's kind, so that the law may be chosen. */
  fits: boolean,
  /** How many of its assumptions are violated. */
  violated: number,
  /** Its assumptions, judged. */
  assumptions: Array<Assumption>,
  /** Its prediction at the mean rate. */
  predicted: Prediction,
};

/** A lesson: steps beside the live page, and statements that the engine checks. */
export type Lesson = {
  /** The version of the format: 1. */
  lesson: number,
  /** Its title, at most 80 characters. */
  title: string,
  /** What the reader does in it, in one or two sentences, at most 160 characters. */
  about: string,
  /** Whom it is for, at most 120 characters. */
  audience: string,
  /** How long it takes, in minutes, 1 to 60. */
  minutes: number,
  /** The scenarios that steps and runs name; presets need no entry. */
  scenarios: { [key in string]: LessonScenario },
  /** The runs that the engine makes over the seeds, for claims, figures and the truth of predictions. */
  runs: { [key in string]: LessonRun },
  /** How many seeds the runs have, 1 to 100: the seed of the scenario and those after it. */
  seeds: number,
  /** Its steps, 1 to 12. */
  steps: Array<LessonStep>,
};

/** A lesson on a card. */
export type LessonCard = {
  /** The name of its file, without the extension. */
  name: string,
  /** Its number on the road; 0 for a lesson that is not on it. */
  number: number,
  /** The chapter of the road; empty for a lesson that is not on it. */
  chapter: string,
  /** Its title. */
  title: string,
  /** What the reader does in it. */
  about: string,
  /** How long it takes, in minutes. */
  minutes: number,
  /** How many seeds its runs have. */
  seeds: number,
  /** Its steps. */
  steps: Array<LessonCardStep>,
  /** How the reader answers: `choose`, `draw`, `order`, `number`, each once. */
  asks: Array<string>,
  /** What the runs say of its claims; empty where they were not run. */
  claims: Array<ClaimCount>,
  /** Its picture. */
  picture: Picture,
};

/** A step on a card. */
export type LessonCardStep = {
  /** What it is about. */
  kind: StepType,
  /** Its title. */
  title: string,
};

/** One run of a step. */
export type LessonCase = {
  /** The run by its name, or `x0`, `x1` and so on for the points of a curve. */
  run: string,
  /** The number of its seed, from 0. */
  seed: number,
  /** The scenario as JSON text. */
  scenario: string,
  /** The paths into its report that are needed, for the close-up `figures`. */
  paths: Array<string>,
};

/** A statement that holds over the seeds. */
export type LessonClaim = {
  /** The statement, at most 120 characters. */
  says: string,
  /** An expression over the runs. */
  value: string,
  /** Its unit, as of a figure. */
  unit: string,
  /** The value is above this. */
  above: number | null,
  /** The value is below this. */
  below: number | null,
  /** In how many of the seeds it holds at least; 0 for all. */
  holds_in: number,
};

/** A figure of a text: an expression over the runs, or over `report`, `frame` and `scenario` of the live run. */
export type LessonFigure = {
  /** What it is, at most 60 characters. */
  label: string,
  /** The expression. */
  value: string,
  /** The unit: `ms`, `s`, `req/s`, `%` (the value is a share), `×`, `tokens`, `tokens/s`, or any word of at most 12
   * characters; empty for a plain number. */
  unit: string,
};

/** Something on the page to look at. */
export type LessonLook = {
  /** What it is: `field:PATH`, `chart:NAME`, `replica:NUMBER`, `figure:NAME` (of the row of key figures), `area:lanes`,
   * `area:kv`, `area:density`, `area:tiers`, `area:sessions`, `stage`, `timeline`, `play`, `speed`, `inspector`. */
  at: string,
  /** What to do there or what is there, at most 60 characters. */
  says: string,
};

/** A lesson that was read, for the page. */
export type LessonRead = {
  /** The lesson. */
  lesson: Lesson,
  /** Where each step opens. */
  opened: Array<OpenedStep>,
  /** How many runs each step needs, over all seeds. */
  runs: Array<number>,
};

/** A run of a lesson. */
export type LessonRun = {
  /** The name of its scenario: one of the lesson's, or a preset. */
  scenario: string,
  /** Values of fields by path, as `--set` takes them; `traffic` multiplies the rates of all clients. */
  set: { [path: string]: unknown },
};

/** A scenario of a lesson: a preset or a whole document, with fields set to other values. */
export type LessonScenario = {
  /** The name of a preset; empty with a document. */
  preset: string,
  /** A scenario, as in a file of its own. */
  document: unknown,
  /** Values of fields by path, as `--set` takes them. */
  set: { [path: string]: unknown },
};

/** A step: one card, one idea. */
export type LessonStep = {
  /** What it is about. */
  kind: StepType,
  /** Its title, at most 60 characters. */
  title: string,
  /** What it says, at most 120 words in paragraphs with an empty line between: `**bold**`, `[[word of the glossary]]`,
   * `[[word of the glossary|other words]]`, and `{name}` for one of its figures. */
  text: string,
  /** Where it opens, as a readable link: the name of a scenario of the lesson or of a preset, then values of fields
   * and of the view with `;` between, such as `busy;t=60;charts=queue-depth`. Empty to stay where the page is. */
  open: string,
  /** What to look at, at most 3. */
  look: Array<LessonLook>,
  /** The question of a prediction. */
  ask: Question | null,
  /** What the reader shall reach. */
  task: LessonTask | null,
  /** Three hints at most: the concept, the principle, the answer. */
  hints: Array<string>,
  /** Figures that its text shows, at most 8, by name. */
  figures: { [key in string]: LessonFigure },
  /** Statements that hold over the seeds, at most 4. */
  claims: Array<LessonClaim>,
};

/** What the reader shall reach in the live run. */
export type LessonTask = {
  /** What to reach, at most 120 characters. */
  goal: string,
  /** The condition: over `report`, `frame` and `scenario` of the live run, in the language of expressions. */
  until: string,
  /** Why it worked, at most 240 characters. */
  done: string,
};

/** The phase of a replica's life. */
export type LifeFrame = {
  /** Its phase. */
  phase: LifePhase,
  /** What it waits for while it starts: `scheduling`, `node`, `pulling`, `loading`, `initialising` or `probing`; else empty. */
  step: string,
  /** Since when it is in its phase, in microseconds. */
  since_us: number,
  /** When the current step of its start ends, in microseconds; 0 if it is not starting. */
  step_until_us: number,
  /** When it will serve, in microseconds; 0 if it is not starting, or never will. */
  ready_us: number,
  /** How many more requests will find it cold. */
  cold_requests: number,
};

/** A phase of a replica's life other than serving warm. */
export type LifePhase = "starting" | "cold" | "draining" | "stopped" | "down" | "ejected";

/** How a line stands to the file beside which it is written. */
export type LineMark = "same" | "added" | "removed" | "comment";

/**
 *The answers to [`LinkQuestion`], by the name of the question. */
export type LinkAnswers = {
  /** The contents of a link, as far as they can be read and run. */
  open: OpenedLink,
  /** The link of a scenario; null if it would be too long. */
  make: MadeLink | null,
  /** The digest of a report's main figures, which links carry; null for a text that is no report. */
  figures: string | null,
  /** A report under other words; null if it is of another scenario. */
  renamed: RunReport | null,
  /** A report with the link of its run. */
  report: string,
  /** The problem if a trace is not the one that a link names; null if it is. */
  trace: Diagnostic | null,
  /** The problems of an expression, and the completions of the word at the caret. */
  "read-expression": ExpressionReading,
  /** A scorer of a weighted router as an expression; null if there is none for it. */
  "as-expression": string | null,
  /** The edit, JSON text, that a change of roles needs in a scenario. */
  split: string,
  /** The shape of the model that a Hugging Face config.json describes. */
  architecture: DescribedModel,
  /** Opens a trace file, which replaces the previous one. */
  "trace-open": null,
  /** Takes the next piece of the file. */
  "trace-push": null,
  /** Ends the file. */
  "trace-finish": TraceRead,
  /** Takes the packed rows of a trace, for figures. */
  "trace-rows": null,
  /** The figures of what a run replays of them; null if no row is left. */
  "trace-figures": TraceFigures | null,
};

/** Contents of a link besides the scenario. */
export type LinkAsked = {
  /** The page's view of it. */
  view: LinkView,
  /** The trace that it replays. */
  trace: TraceMark | null,
  /** The charts of a page that is part of another one. */
  embed: Array<string> | null,
  /** The name of a second run, whose scenario is given separately. */
  beside: string | null,
};

/** A part of what a link contains. */
export type LinkHolding = {
  /** Which part. */
  part: string,
  /** What of it. */
  text: string,
};

/** The network ports of one replica in one direction, over the measurement window. */
export type LinkPart = {
  /** The replica. */
  replica: number,
  /** `out` or `in`. */
  direction: string,
  /** Transfers that landed. */
  transfers: number,
  /** Their bytes, those that left during the prefill included. */
  bytes: number,
  /** Share of the time that the replica existed in which a transfer flowed, 0 to 1. */
  busy: number,
  /** Bytes that flowed, of what the port could have carried in that time, 0 to 1. */
  utilisation: number,
  /** Mean over that time of the transfers that flowed. */
  mean_flows: number,
};

/** A question about links, traces, models or expressions. Scenarios and reports are JSON text. */
export type LinkQuestion = { "open": string } | { "make": MakeQuery } | { "figures": string } | { "renamed": RenamedQuery } | { "report": LinkedReportQuery } | { "trace": TraceCheckQuery } | { "read-expression": ExpressionQuery } | { "as-expression": ScorerQuery } | { "split": SplitQuery } | { "architecture": string } | { "trace-open": TraceFileQuery } | { "trace-push": AttachedBytes } | { "trace-finish": null } | { "trace-rows": AttachedBytes } | { "trace-figures": TraceFiguresQuery };

/** The result of the run at the instant of the view, as the maker of the link saw it. */
export type LinkResult = {
  /** The version of Tokenyard that computed it. */
  version: string,
  /** The digest of its figures: `Report::figures_digest`. */
  digest: string,
};

/** What is selected. */
export type LinkSelection = { "replica": number } | { "request": number };

/** A span of time that is selected on the charts. */
export type LinkSpan = {
  /** Its beginning, in microseconds after the start. */
  from_us: number,
  /** Its end, later than the beginning. */
  to_us: number,
};

/** The page's view of a run. Missing values stay as they are on the page. */
export type LinkView = {
  /** The instant, in microseconds after the start. */
  at_us: number | null,
  /** Simulated seconds in a second; 0 for full speed. */
  speed: number | null,
  /** What is selected. */
  selection: LinkSelection | null,
  /** The panel that is open, as the page calls it. */
  panel: string | null,
  /** The span of time that is selected on the charts. */
  span: LinkSpan | null,
  /** The law of queueing theory beside the charts; `best` for the one that fits best. */
  theory: string | null,
  /** The charts on screen in their order; none for the page's own choice. */
  charts: Array<string>,
  /** The close-up on screen: its name, then its settings as `key:value`; none for the charts. */
  closeup: Array<string>,
  /** The result at the instant. */
  result: LinkResult | null,
  /** The study of the open comparison, as the page writes it: a race or a sweep with its settings. */
  study: string | null,
};

/** A query for a report with its link. */
export type LinkedReportQuery = {
  /** The report. */
  report: string,
  /** The link. */
  link: string,
};

/** How requests were sent, as far as the file says. */
export type Load = {
  /** Requests sent. */
  requests?: number,
  /** Rate of sending; missing if all were sent at once or the rate is unknown. */
  rate_per_s?: number,
  /** Coefficient of variation of the gaps; 1 is Poisson. */
  gap_cv?: number,
  /** Most requests in flight. */
  concurrency?: number,
  /** Whether all were sent at once, except for the limit of requests in flight. */
  at_once: boolean,
  /** Whether the user says that the traffic of the scenario was sent. */
  own_traffic: boolean,
  /** Mean prompt length. */
  prompt_tokens?: number,
  /** Mean length of an answer. */
  output_tokens?: number,
};

/** Whether requests piled up. */
export type LoadState = "stable" | "backlogged" | "overloaded" | "too-short";

/** The look of a shape. */
export type Look = "plain" | "dashed" | "missed" | "waiting" | "prefill" | "chunk" | "decode";

/** The LoRA adapters of a pool's replicas, warm-up included. */
export type LoraPart = {
  /** Adapters on the GPU of one replica at once. */
  max_loras: number,
  /** Adapters in CPU memory of one replica, those on the GPU among them. */
  max_cpu_loras: number,
  /** Size of one adapter in MiB. */
  adapter_mib: number,
  /** Requests that joined a batch with their adapter in a GPU slot. */
  hits: number,
  /** hits / (hits + loads), 0 to 1. */
  hit_rate: number,
  /** Adapters loaded from CPU memory. */
  cpu_loads: number,
  /** Adapters loaded from disk. */
  disk_loads: number,
  /** Adapters that lost their GPU slot to another. */
  evictions: number,
  /** Time that steps waited for loads, in seconds. */
  load_s: number,
  /** Time that adapters added to steps, in seconds. */
  step_s: number,
};

/** A link that was made. */
export type MadeLink = {
  /** The link: `#` and the text after it. */
  link: string,
  /** What it contains, in words. */
  contains: string,
  /** The same, part by part. */
  holds: Array<LinkHolding>,
  /** The readable link, if it has at most 2,000 characters. */
  readable: string | null,
  /** The link that is packed. */
  packed: string,
};

/** A query for the link of a scenario. */
export type MakeQuery = {
  /** The scenario. */
  scenario: string,
  /** What the link has besides. */
  asked: LinkAsked,
  /** A second scenario, if `asked` names a second run. */
  beside?: string,
};

/** The result of one key. */
export type Mapping = {
  /** Number of its document, from 0. */
  document: number,
  /** Its line in the document, from 1; 0 if it is not in the text. */
  line: number,
  /** The column of its first character, from 0. */
  from: number,
  /** The column after its last character. */
  to: number,
  /** Its path in the source. */
  key: string,
  /** Its value in the source. */
  found: string,
  /** How it stands to the scenario. */
  standing: Standing,
  /** The scenario's field that it sets, as a path; empty if there is none. */
  field: string,
  /** The value of that field. */
  value: string,
  /** The field that it sets, how it differs, or why there is none. */
  becomes: string,
  /** The known key that an unknown one resembles; empty if it resembles none. */
  nearest: string,
};

/** How a figure compares with its objective. */
export type Mark = "none" | "risk" | "miss";

/** A latency of requests. */
export type Measure = "ttft" | "itl" | "e2e";

/** A mean with its standard error. */
export type Measured = {
  /** The mean. */
  mean: number,
  /** Its standard error from 30 batches of requests in order of arrival; null for fewer than 60 requests. */
  error: number | null,
};

/**
 *The answers to [`MeasuredQuestion`], by the name of the question. */
export type MeasuredAnswers = {
  /** The runs in what a benchmark tool or a server wrote. */
  read: Array<Benchmark>,
  /** A run of a file beside the same traffic on a scenario's cluster. */
  compare: Comparison,
  /** The scenario with the coefficients that a run of a file fixes. */
  calibrate: OneRun,
  /** The bands of TTFT and TPOT from the intervals of built-in coefficients. */
  bands: Array<Band>,
  /** Begins a run for a file, which replaces the previous one. */
  "rows-open": null,
  /** The next piece of the file; null after the last. */
  "rows-next": RowPiece | null,
  /** What the file holds, if it has no room for all; empty otherwise. */
  "rows-note": string,
};

/** A run of a file, with a scenario for it. */
export type MeasuredQuery = {
  /** The text of the file. */
  text: string,
  /** The number of the run, from 0. */
  run: number,
  /** The scenario. */
  scenario: string,
  /** The load that the user gives. */
  load: ToldLoad,
};

/** A question about a benchmark, or for a file of a run. Scenarios are JSON text. */
export type MeasuredQuestion = { "read": string } | { "compare": MeasuredQuery } | { "calibrate": CalibrateQuery } | { "bands": string } | { "rows-open": RowsQuery } | { "rows-next": null } | { "rows-note": null };

/** The memory of one GPU of a pool, in GiB. */
export type MemoryShares = {
  /** GPUs of a replica, which share weights and blocks evenly. */
  gpus: number,
  /** All of its memory. */
  total_gib: number,
  /** Weights. */
  weights_gib: number,
  /** Blocks of the KV cache. */
  kv_gib: number,
  /** Activations, and memory of the driver and communication. */
  activations_gib: number,
  /** The rest, which stays free; negative if all of this does not fit. */
  free_gib: number,
  /** KV blocks of a replica. */
  blocks: number,
  /** A block of a replica, in MiB on all its GPUs together. */
  block_mib: number,
};

/** A time of requests, in milliseconds: figures of the requests that arrived in the measurement window and have it, in both runs if
 * requests are paired. */
export type MetricComparison = {
  /** Values of A, of all seeds. */
  count_a: number,
  /** Values of B. */
  count_b: number,
  /** The requests that the verdicts are over; missing if both runs have the time of the same ones. */
  over?: Over,
  /** Why the order of the means is not certain; missing where it survives the error of the simulation. */
  doubt?: OrderDoubt,
  /** Which values are the better ones. */
  better: Direction,
  /** The mean. */
  mean: Difference,
  /** The median. */
  p50: Difference,
  /** The 90th percentile. */
  p90: Difference,
  /** The 95th percentile. */
  p95: Difference,
  /** The 99th percentile. */
  p99: Difference,
};

/** One time of the requests of one seed. */
export type MetricDetail = {
  /** Both distributions: at most 200 points each. */
  ecdf: EcdfPart,
  /** The differences of the same requests; missing without pairs. */
  paired?: PairedPart,
};

/** The times of requests. */
export type MetricTable = {
  /** Arrival to first token. */
  ttft_ms: MetricComparison,
  /** Between successive tokens, all of them pooled; without an interval if the gaps were not kept by time. */
  itl_ms: MetricComparison,
  /** Mean gap of each finished request: (E2E - TTFT) / (tokens - 1). */
  tpot_ms: MetricComparison,
  /** Arrival to last token. */
  e2e_ms: MetricComparison,
  /** Joining the wait queue to first joining a batch. */
  queue_wait_ms: MetricComparison,
  /** Arrival to first joining a batch. */
  scheduling_delay_ms: MetricComparison,
};

/** How a figure is written. */
export type MetricUnit = "count" | "ratio" | "share" | "seconds" | "milliseconds" | "per-second" | "usd";

/** Steps for which the engine had no recorded graph. Whole run. */
export type MixedStepsPart = {
  /** How many there were; of ranks each counts for itself. */
  steps: number,
  /** Their share of all steps, 0 to 1; missing without steps. */
  share?: number,
  /** How much longer they took together, in seconds. */
  longer_s: number,
};

/** A move of a request since the previous frame. */
export type Move = {
  /** When, in microseconds. */
  at_us: number,
  /** What it did. */
  kind: MoveKind,
  /** The request. */
  request: number,
  /** Number of its client. */
  client: number,
  /** The replica, if there is one. */
  replica?: number,
  /** The replica that it comes from: of a landing. */
  from?: number,
};

/** What kind of move a dot on the stage makes. */
export type MoveKind = "arrive" | "route" | "reject" | "complete" | "land";

/** A request of both runs. */
export type MovedRequest = {
  /** Its number in A. */
  request_a: number,
  /** Its number in B, the same except in conversations that wait for their answers. */
  request_b: number,
  /** When it arrived in A, in seconds. */
  arrival_s: number,
  /** Its time in A, in milliseconds. */
  a_ms: number,
  /** Its time in B. */
  b_ms: number,
  /** B minus A. */
  diff_ms: number,
  /** Its replica in A. */
  replica_a: number | null,
  /** Its replica in B. */
  replica_b: number | null,
};

/** What a replica has of prefills and decodes apart. */
export type MovingFrame = {
  /** The role of its pool: `mixed`, `prefill` or `decode`. */
  role: string,
  /** Requests whose blocks are set aside here and whose KV is not here. */
  incoming: number,
  /** Requests whose KV is here and that wait for the next step. */
  landed: number,
  /** Requests prefilled here whose blocks are held for their home. */
  outgoing: number,
  /** Requests bound for here that wait or are prefilled elsewhere. */
  bound: number,
  /** Blocks held for the homes of outgoing requests. */
  held_blocks: number,
  /** Blocks set aside for incoming requests, with those of their prompts that were cached. */
  reserved_blocks: number,
  /** Time between two tokens by its latest step, in microseconds; 0 before the first. */
  itl_us: number,
  /** Its port to others. */
  out: PortFrame,
  /** Its port from others. */
  into: PortFrame,
};

/** A value of a run. */
export type NamedValue = {
  /** Its name; empty if there is one value only. */
  name: string,
  /** An expression over `report`, `frame` and `scenario`. */
  value: string,
};

/** A scenario that texts make by themselves. */
export type NewScenario = {
  /** The scenario as JSON text; empty if there is a problem. */
  scenario: string,
  /** Its traffic, if no text says it. */
  traffic: NewTraffic | null,
  /** Errors, and conflicts that are not settled. */
  problems: Array<Diagnostic>,
};

/** The traffic of a new fleet. */
export type NewTraffic = {
  /** Requests per second. */
  rate_per_s: number,
  /** Tokens of a typical prompt: the median. */
  prompt_tokens: number,
  /** Tokens of a typical answer: the median. */
  output_tokens: number,
  /** Requests per second of these lengths that the fleet carries, by the queueing model; absent if not known. */
  carried_per_s: number | null,
};

/** A notice for the reader of a run. */
export type Notice = {
  /** What it is about. */
  kind: NoticeKind,
  /** Path of the scenario's field that caused it. */
  path: string,
  /** The notice, in one or two sentences. */
  text: string,
  /** How to avoid it. */
  remedy: string,
};

/** What a notice is about. */
export type NoticeKind = "nothing-measured" | "saturated" | "unfinished" | "dropped" | "no-price" | "cut-short" | "trace-rows" | "not-finite" | "not-sent" | "stuck";

/** A question for a number. */
export type NumberQuestion = {
  /** The question, at most 120 characters. */
  question: string,
  /** The engine's answer: an expression over the runs. */
  value: string,
  /** The unit. */
  unit: string,
  /** The ends of the scale. */
  from: number,
  /** The upper end. */
  to: number,
  /** Whether the scale is logarithmic. */
  log: boolean,
  /** How far a good guess is from the engine's answer, as a share of that: 0.2 is 20 %. */
  within: number,
};

/** An occasion to run to: the next time that it happens. */
export type Occasion = "preemption" | "missed" | "refusal" | { "queue-above": number } | { "kv-above": number } | "any-anomaly" | { "anomaly": AnomalyKind } | { "event": EventKind } | { "request": number } | "edit" | "transfer" | "landing";

/** An occasion to choose. */
export type OccasionChoice = {
  /** Its name in an `Occasion`. */
  name: string,
  /** Its label, after `next`. */
  label: string,
  /** Its parameter. */
  takes: Takes,
  /** The initial number. */
  first: number,
};

/** One fault. */
export type OneFaultPart = {
  /** `crash`, `restart`, or the name of what lasts for a while. */
  kind: string,
  /** When, in microseconds. */
  at_us: number,
  /** The replica; missing if the fault is about all. */
  replica?: number,
  /** Its pool; missing if the fault is about all. */
  pool?: string,
  /** When the replica served or worked again, or will, in microseconds; missing if never. */
  back_us?: number,
  /** Attempts that broke there: those under way, and those sent before routers knew. */
  broken: number,
  /** Requests lost with them. */
  lost: number,
  /** From the beginning to the last request that was sent there while the replica was down, stuck or unreachable, in seconds; 0 if
   * none was. */
  detection_s: number,
  /** From a crash until routers knew of it, in seconds; missing if they do not know yet, and for other faults. */
  known_s?: number,
  /** Prompt tokens computed by the attempts that broke there. */
  wasted_prefill_tokens: number,
  /** Tokens of answers that they showed. */
  wasted_decode_tokens: number,
  /** KV blocks that the replica had in use or cached when it went down; missing for other faults. */
  kv_blocks_lost?: number,
  /** What the replica cost while it was down, so far, in US dollars; missing for other faults, and without a price. */
  usd_while_down?: number,
  /** Goodput in the minute before, in requests per second. */
  goodput_before_per_s: number,
  /** Seconds after the fault from which on goodput over 10 s is at least 95 % of what it was in the minute before; missing
   * while it is not. */
  recovery_s?: number,
};

/** A calibration to one run. */
export type OneRun = {
  /** The scenario with these coefficients, their origin, and the file's facts about the engine: JSON text. */
  scenario: string,
  /** What changed. */
  changes: Array<CoefficientChange>,
  /** How many coefficients the model has. */
  of: number,
  /** Requests behind the figures. */
  requests: number,
  /** Requests that failed and are in no figure. */
  failed: number,
  /** Reasons not to trust these coefficients, in sentences. */
  warnings: Array<string>,
  /** The figures before. */
  before: Array<Compared>,
  /** The figures after. */
  after: Array<Compared>,
  /** What could not be fixed, and why. */
  notes: Array<string>,
};

/** The requests of one replica. */
export type OpenLane = {
  /** Number of the replica. */
  replica: number,
  /** Its requests in the span, in order of arrival. */
  requests: Array<LaneRequest>,
  /** Its requests in the span. */
  count: number,
  /** Those of them beyond the limit, which are not listed. */
  more: number,
  /** Rows down to the lowest of them. */
  rows: number,
  /** Instants at which its batch changed, and from then on the running and the waiting requests. */
  batch_us: Array<number>,
  /** Running requests from that instant on. */
  running: Array<number>,
  /** Waiting requests from that instant on. */
  waiting: Array<number>,
};

/** The contents of a link. */
export type OpenedLink = {
  /** The scenario as JSON text, as far as it could be read. */
  scenario: string,
  /** The preset that it differs from; empty if unknown. */
  preset: string,
  /** The scenario of that preset as JSON text. */
  original: string | null,
  /** The view of the page. */
  view: LinkView,
  /** The trace that it replays, whose file the page asks for. */
  trace: TraceMark | null,
  /** The charts of an embedded page. */
  embed: Array<string> | null,
  /** A second run of the same trace. */
  beside: BesideRun | null,
  /** Events after which the run to its instant continues only when the reader confirms. */
  events_unasked: number,
  /** Parts that could not be used. */
  problems: Array<Diagnostic>,
};

/** What the page shows at a step. */
export type OpenedStep = {
  /** The scenario as JSON text; null to stay where the page is. */
  scenario: string | null,
  /** The view. */
  view: LinkView,
};

/** The inputs of the oracle of a pool. */
export type OraclePool = {
  /** Name of the pool. */
  pool: string,
  /** Requests per second that a replica carries within the objectives. */
  replica_per_s: number,
  /** What limits this rate: `ttft`, `itl`, `batch` or `stability`. */
  binding: string,
  /** How far it looks ahead, in seconds. */
  ahead_s: number,
  /** Mean length of the prompts, in tokens. */
  prompt_tokens: number,
  /** Mean length of the answers, in tokens. */
  output_tokens: number,
};

/** Why the order of two means is not certain, and what either may be. */
export type OrderDoubt = {
  /** In a sentence. */
  text: string,
  /** The mean of A, in milliseconds, less and plus the median of the errors that are named for it. */
  a: [number, number],
  /** The mean of B. */
  b: [number, number],
};

/** A thing to put in order. */
export type OrderItem = {
  /** Its name, at most 60 characters. */
  label: string,
  /** Its value: an expression over the runs. */
  value: string,
};

/** A question for an order of 2 to 6 things; the engine's order is that of their values. */
export type OrderQuestion = {
  /** The question, at most 120 characters; the thing with the smallest value comes first. */
  question: string,
  /** The things, in the order in which they are shown first. */
  items: Array<OrderItem>,
  /** The unit of the values. */
  unit: string,
};

/** Blocks of a prompt that came from one place. */
export type OriginPart = {
  /** `gpu`, `cpu`, `fs`, `p2p`, `computed`, or the name of a store. */
  tier: string,
  /** The replica that they were pulled from. */
  source: number | null,
  /** How many. */
  blocks: number,
  /** How fast they came, in GB/s: their bytes over the time from the first byte to the last. */
  gb_per_s: number | null,
  /** From the asking to the last byte. */
  took_us: number | null,
};

/** Gains and losses of all other requests. */
export type Others = {
  /** Requests that are in both runs, whatever their outcome. */
  requests: number,
  /** Requests that finished in only one of the two. */
  finished_in_one: number,
  /** Their TTFT. */
  ttft: OthersTime,
  /** Their E2E. */
  e2e: OthersTime,
};

/** The differences of one time of the others, in milliseconds: alternative minus actual. */
export type OthersTime = {
  /** Requests that have the time in both runs. */
  compared: number,
  /** Requests faster there, by any microsecond. */
  gained: number,
  /** Requests slower there. */
  lost: number,
  /** Sum of all differences. */
  sum_ms: number,
  /** Their mean. */
  mean_ms: number,
  /** The 99th percentile of the differences by nearest rank: the largest losses. */
  p99_ms: number,
  /** The largest difference. */
  most_ms: number,
  /** The smallest: the largest gains. */
  least_ms: number,
};

/** The outcomes of two runs with one seed, as bytes that their simulations wrote. */
export type OutcomesPair = {
  /** Those of A. */
  a: AttachedBytes,
  /** Those of B. */
  b: AttachedBytes,
};

/** What a verdict is over where two runs answered different requests, in words that go after it. */
export type Over = {
  /** In two words. */
  short: string,
  /** With the number of requests. */
  text: string,
};

/** What flows from one replica to another. */
export type PairFrame = {
  /** The prefill replica. */
  from: number,
  /** The home. */
  to: number,
  /** Bytes per second in the window of the flows. */
  bytes_per_s: number,
  /** The use of the fuller one of its two ports in that window, 0 to 1. */
  fullness: number,
  /** Transfers under way. */
  flows: number,
  /** Bytes per second now. */
  now_per_s: number,
};

/** The differences of the same requests, B minus A, in milliseconds. */
export type PairedPart = {
  /** Requests that have the time in both runs. */
  count: number,
  /** Their mean difference. */
  mean_ms: number,
  /** Lower end of the 95 % interval of the mean difference; null for too few. */
  mean_lo_ms: number | null,
  /** Its upper end. */
  mean_hi_ms: number | null,
  /** The verdict on the mean difference. */
  mean_verdict: Verdict,
  /** Blocks of time with such requests, those of the intervals from one seed. */
  blocks: number,
  /** Blocks in which the mean difference is a gain. */
  blocks_gained: number,
  /** Blocks in which it is a loss. */
  blocks_lost: number,
  /** The 1st percentile of the differences: the largest gains. */
  p1_ms: number,
  /** The 5th percentile. */
  p5_ms: number,
  /** The median. */
  p50_ms: number,
  /** Lower end of the 95 % interval of the median of the differences; null for too few. */
  p50_lo_ms: number | null,
  /** Its upper end. */
  p50_hi_ms: number | null,
  /** The verdict on the median. */
  p50_verdict: Verdict,
  /** The 95th percentile. */
  p95_ms: number,
  /** The 99th percentile: the largest losses. */
  p99_ms: number,
  /** Share of the requests that were faster in B, by any microsecond, 0 to 1. */
  gained: number,
  /** Share of those that were slower in B. */
  lost: number,
  /** The ten requests that gained most, the most first. */
  gained_most: Array<MovedRequest>,
  /** The ten that lost most. */
  lost_most: Array<MovedRequest>,
  /** The differences by class, tenant, prompt length and replica: at most 50 groups of each, those that add most to
   * all differences. */
  groups: Array<GroupDifference>,
  /** The differences along the time of arrival: at most 400 stretches of equally many requests. */
  strip: Array<StripPoint>,
};

/** All of a request's time spent on one activity. */
export type Part = {
  /** The activity or wait. */
  kind: SegmentKind,
  /** How long, in microseconds. */
  us: number,
  /** Tokens computed, produced or processed in it. */
  tokens: number,
  /** In how many segments. */
  segments: number,
};

/** The turns of a column and a row. */
export type PauseCell = {
  /** Its column: 0 and up. */
  column: number,
  /** Its row: 0, the shortest pauses, and up. */
  row: number,
  /** Turns that have joined a batch. */
  returns: number,
  /** Tokens of their prompts that were known. */
  known_tokens: number,
  /** Of these, tokens that were computed again. */
  again_tokens: number,
  /** That as a share, 0 to 1. */
  again_share: number,
  /** The request that computed most again. */
  request: number,
  /** How much that is, in tokens. */
  most_tokens: number,
};

/** The turns of sessions that came back to something known, by the instant of their arrival and the length of the pause before it. */
export type PauseMap = {
  /** Columns, of equal length, from the first instant to the last. */
  columns: number,
  /** The lengths of pauses at which rows begin, and at which the last one ends. */
  edges_us: Array<number>,
  /** The cells that have turns, by column and row. */
  cells: Array<PauseCell>,
};

/** What was kept and fetched for sessions in their pauses, warm-up included. */
export type PausesPart = {
  /** Blocks under directives that live now. */
  protected_blocks: number,
  /** Tokens under the gateway's hints that live now. */
  hinted_tokens: number,
  /** Prefetches asked for. */
  prefetches: number,
  /** Of these, how many brought their blocks. */
  landed: number,
  /** The turn was there first. */
  late: number,
  /** There were too few free blocks. */
  refused: number,
  /** A request that ran needed their blocks, or the replica was lost. */
  stopped: number,
  /** Nothing was missing that could be brought. */
  nothing: number,
  /** What they read broke. */
  failed: number,
  /** Blocks that landed. */
  blocks: number,
  /** Of these to the GPU, hit before they went. */
  useful_blocks: number,
  /** Evicted before they were hit. */
  wasted_blocks: number,
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

/** A picture. */
export type Picture = {
  /** The caption. */
  caption: string,
  /** The range shown. */
  range: string,
  /** Its shapes, the first at the back. */
  shapes: Array<Shape>,
};

/** A query for steps by batch size. */
export type PointsQuery = {
  /** Start, in microseconds. */
  from_us: number,
  /** End, in microseconds. */
  to_us: number,
  /** Of this replica alone. */
  replica?: number,
};

/** A query for the policies of a run. */
export type PoliciesQuery = {
  /** The scenario. */
  scenario: string,
  /** The path of the policy. */
  path: string,
};

/** A policy that a run has from an instant on. */
export type PolicyPart = {
  /** From when on, in microseconds. */
  from_us: number,
  /** The policy, by its name in the document. */
  tag: string,
};

/** The evidence for the latency figures of a pool. */
export type PoolEvidence = {
  /** Name of the pool. */
  pool: string,
  /** Its latency model. */
  latency: string,
  /** Model. */
  model: ClassifiedValue,
  /** GPU. */
  gpu: ClassifiedValue,
  /** Release of the engine. */
  engine: ClassifiedValue,
  /** Precision. */
  precision: ClassifiedValue,
  /** Tensor parallelism. */
  tp: ClassifiedValue,
  /** The worst of the five classes. */
  class: EvidenceClass,
  /** Where the load lies; missing if it is not known. */
  regime?: Regime,
  /** What the regime was taken from. */
  regime_by?: RegimeBasis,
  /** Measured errors of this latency model in this class and regime, below the knee if it is not known; none over the knee. */
  error: FigureErrors,
  /** The same near the knee. */
  near_knee: FigureErrors,
  /** Class and error in a few words. */
  chip: string,
  /** All of it in sentences. */
  text: string,
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
  /** US dollars per hour of all replicas that get new requests. */
  serving_usd_per_hour?: number,
  /** KV blocks of one replica, computed if the scenario says `auto`. */
  kv_blocks: number,
  /** Tokens in a block. */
  block_tokens: number,
  /** Most requests in a batch, computed if the scenario says `auto`. */
  max_num_seqs: number,
  /** Output processing of each token, in microseconds: an ITL is a step plus this. */
  output_us: number,
  /** Most tokens computed in a step, computed if the scenario says `auto`. */
  max_num_batched_tokens: number,
  /** What speculative decoding came to since the start; missing without it. */
  speculative?: SpeculativePart,
};

/** The memory of a GPU of a pool. */
export type PoolMemory = {
  /** The name of the pool. */
  pool: string,
  /** What its memory holds. */
  shares: MemoryShares,
};

/** One pool: its resolved settings, and the sums over its replicas. */
export type PoolPart = {
  /** Its name. */
  name: string,
  /** Its model. */
  model: string,
  /** Replicas that take new requests. */
  replicas: number,
  /** Most requests in a batch; the resolved value of "auto", or the latest edit. */
  max_num_seqs: number,
  /** Most tokens in a step; the resolved value of "auto", or the latest edit. */
  max_num_batched_tokens: number,
  /** Tokens in a KV block. */
  block_tokens: number,
  /** Blocks in the KV cache of one replica; the resolved value of "auto", or the latest edit. */
  kv_blocks: number,
  /** US dollars per hour of one replica, if its price is known. */
  usd_per_hour?: number,
  /** Requests finished on its replicas. */
  completed: number,
  /** The requests sent there, warm-up excluded. */
  requests: GroupPart,
  /** Share of prompt blocks found on its replicas, those loaded from tiers below included, 0 to 1. */
  kv_hit_rate: number,
  /** Cost in US dollars of its replicas while they existed, if their price is known. */
  usd?: number,
  /** Their LoRA adapters; missing without any. */
  lora?: LoraPart,
  /** What speculative decoding came to; missing without it. */
  speculative?: SpeculativePart,
  /** Ranks in lock step; missing where replicas step by themselves. */
  ranks?: RanksPart,
  /** Steps without a recorded graph; missing where `mixed_step_us` is not set. */
  mixed_steps?: MixedStepsPart,
  /** Experts; missing where they are liked alike, lie in order and stay. */
  experts?: ExpertsPart,
  /** Its role and what its replicas did; missing where all pools are mixed. */
  split?: PoolSplitPart,
};

/** What the replicas of one pool did in its role. Means over time are over the time that they existed in the measurement window. */
export type PoolSplitPart = {
  /** The role now. */
  role: string,
  /** Requests that arrived in the measurement window and were sent there, to be prefilled or to be answered. */
  requests: number,
  /** Prompt tokens of those of them whose prompt was computed there. */
  tokens_in: number,
  /** Output tokens that they got from there. */
  tokens_out: number,
  /** Steps begun, warm-up included. */
  steps: number,
  /** Share of the time in which a step ran, 0 to 1. */
  busy: number,
  /** Mean number of requests in a step, warm-up included. */
  mean_batch: number,
  /** Mean over time of the requests waiting on one replica. */
  mean_queued: number,
  /** Mean over time of the KV blocks in use. */
  kv: KvSplitPart,
  /** Preemptions, warm-up included. */
  preemptions: number,
  /** Prefills passed on to homes, warm-up included. */
  handed_over: number,
  /** Blocks opened for transfers, warm-up included: neither found in the cache nor computed. */
  received_blocks: number,
  /** KV blocks held for homes, times seconds. */
  held_block_seconds: number,
  /** KV blocks set aside or pinned for requests whose KV was not there yet, times seconds. */
  reserved_block_seconds: number,
};

/** One direction of a replica's ports. */
export type PortFrame = {
  /** Bytes per second that it carries. */
  capacity: number,
  /** Share of that used in the window of the flows, 0 to 1. */
  used: number,
  /** Bytes per second now. */
  now_per_s: number,
  /** Transfers that use it now. */
  flows: number,
};

/** Means at a rate; null if the law does not give them, or if the load is 1 or more. */
export type Prediction = {
  /** Requests per second to the whole cluster. */
  rate_per_s: number,
  /** The load of a replica: 1 is its capacity. */
  rho: number,
  /** Arrival to first joining a batch. */
  wait_ms: number | null,
  /** Arrival to first token. */
  ttft_ms: number | null,
  /** Between successive tokens. */
  itl_ms: number | null,
  /** Arrival to last token. */
  e2e_ms: number | null,
};

/** A run of blocks in the tree of prefixes. */
export type PrefixNode = {
  /** Index of its parent in the list; missing for a root. */
  parent: number | null,
  /** A letter, with a number below it, for the run of a prefix group; else empty. */
  mark: string,
  /** Its name: that of the shared text, or the request. */
  label: string,
  /** Index of its prefix group in [`Blocks::groups`], if it has one. */
  group: number | null,
  /** The request, if the run belongs to one alone. */
  request: number | null,
  /** Number of the client of that request. */
  client: number | null,
  /** Position of its first block in the prompt. */
  from: number,
  /** Its blocks. */
  blocks: number,
  /** How many requests hold it. */
  refs: number,
  /** How many of its blocks are on the replica: held by it, or its leading ones in the cache. */
  cached: number,
  /** How many of its leading blocks the router believes to be there, where the router keeps such a picture. */
  believed: number | null,
};

/** A built-in scenario in menus. The page reads its text when it is opened. */
export type PresetInfo = {
  /** Its name, as used in links and on the command line. */
  name: string,
  /** Its title. */
  title: string,
  /** The instant at which it opens, shortly before the point of interest. */
  opens_us: number,
};

/** Where the blocks of a prompt came from. */
export type PromptOrigin = {
  /** The request. */
  request: number,
  /** The replica. */
  replica: number,
  /** Tokens of its prompt. */
  prompt_tokens: number,
  /** Of these, tokens that were computed. */
  computed_tokens: number,
  /** Full blocks of its prompt. */
  blocks: number,
  /** What came from where; what was computed is last. */
  parts: Array<OriginPart>,
  /** What computing the tokens that were found would have taken at least: by the time that a step of the largest size takes for
   * each of its tokens. */
  spared_us: number,
  /** From the first flow asked for to the last one over. */
  read_us: number | null,
};

/** A number of a run. */
export type Quantity = {
  /** Its unit; `%` for a share. */
  unit: string,
  /** Its formula in pieces, each a sign of `signs` or text; empty without a formula. */
  formula: Array<string>,
  /** The formula over a run, as an expression; missing if a run lacks one of its signs. */
  result?: string,
  /** Values since the warm-up, or settings. */
  of_run: Array<NamedValue>,
  /** The latest values. */
  now: Array<NamedValue>,
  /** Whether the latest values are of the latest seconds, instead of the instant. */
  latest: boolean,
  /** Which runs have it; empty for all of them. */
  runs_with: string,
  /** What it rests on. */
  rests_on: RestsOn,
  /** The signs of its formula, in order, without the one that it defines. */
  signs: Array<GlossarySign>,
};

/** A question, whose answer the reader gives before the engine does. */
export type Question = { "choose": ChooseQuestion } | { "order": OrderQuestion } | { "number": NumberQuestion } | { "draw": DrawQuestion };

/** A request in a wait queue. */
export type QueueChip = {
  /** The request. */
  request: number,
  /** Number of its client. */
  client: number,
  /** Whether it was running before and lost its blocks. */
  preempted: boolean,
  /** Whether it waits for blocks to be loaded from the CPU tier. */
  loading: boolean,
  /** Whether its prompt is computed on a prefill replica, and it waits for room at its home; missing if not. */
  prefilled?: boolean,
  /** Whether an attempt of it broke before; missing if not. */
  retried?: boolean,
};

/** A number of a sentence. */
export type Quoted = {
  /** The number as written in the sentence. */
  text: string,
  /** Its field, as a path in the explanation, such as `/causes/2/diff_ms`. */
  path: string,
};

/** The figures of the oracle on the same work. */
export type RaceBound = {
  /** The deciding figure, a mean over the seeds so far; null if a run has none. */
  mean: number | null,
  /** Its figures against themselves, for comparison. */
  figures: RunRegret,
};

/** A run of an entry in the race. */
export type RaceEntry = {
  /** Name of the entry. */
  name: string,
  /** Its figures. */
  run: RunRow,
};

/** A place in the race. */
export type RacePlace = {
  /** The place, from 1. */
  place: number,
  /** Name of the entry. */
  name: string,
  /** Mean over the seeds. */
  mean: number,
  /** Lower end of the 95 % interval of the mean; null for one seed. */
  lo: number | null,
  /** Upper end. */
  hi: number | null,
  /** Difference to the first entry, seed by seed: A is the first, B this one. */
  to_first: Difference,
  /** The difference with each seed, in the order of the seeds. */
  by_seed: Array<number>,
  /** Whether no difference to the first can be shown, or too few seeds ran to tell. */
  tied: boolean,
  /** Why its order against the first is not certain; missing where it survives the error of the simulation. */
  doubt?: string,
  /** Against the oracle, if it ran with every seed. */
  regret: RunRegret | null,
};

/** The order of a race so far. */
export type RaceRanking = {
  /** The deciding figure. */
  by: RankBy,
  /** Which values are the better ones. */
  better: Direction,
  /** The best first. */
  places: Array<RacePlace>,
  /** Entries without a place, and why. */
  unranked: Array<Unranked>,
  /** What the ranked entries were offered; missing without any. */
  work: RaceWork | null,
  /** The oracle's runs, if autoscalers are raced: the bound, without a place. */
  bound: RaceBound | null,
  /** What a reader must know of the order; missing where there is nothing. */
  notices?: Array<string>,
};

/** The work that was offered to all ranked entries. */
export type RaceWork = {
  /** The seeds, as text. */
  seeds: Array<string>,
  /** Fewest requests that arrived in the measurement window with one of them. */
  requests_least: number,
  /** Most. */
  requests_most: number,
  /** Digest of the workload of the first seed. */
  workload_digest: string,
};

/** The figure that decides the order. */
export type RankBy = "met-share" | "ttft-p99" | "e2e-p99" | "goodput" | "usd" | "fitness";

/** A rank of a server: its own part of the server's step, and what it waited for. */
export type RankFrame = {
  /** Number of the replica. */
  replica: number,
  /** How long its own batch takes in the step of its server, in microseconds; 0 without work in it. */
  own_us: number,
  /** The rest of that step, in which it waits. */
  wait_us: number,
  /** Share of the time of its server's steps in which it waited for the slowest, in steps in which some rank had a prompt, 0 to 1.
   * These shares and what follows are of the time since the start. */
  wait_prompts: number,
  /** The same in steps without prompts. */
  wait_decodes: number,
  /** Share of the time of its server's steps in which it had no work. */
  wait_empty: number,
  /** The three together. */
  wait_share: number,
  /** Rows of no request that it computed. */
  padding_tokens: number,
};

/** A query for the ranking of a race. */
export type RankQuery = {
  /** The entrants with their runs. */
  entries: Array<RaceEntry>,
  /** The runs of the oracle, where autoscalers race. */
  bound: Array<RunRow>,
  /** The figure that ranks. */
  by: RankBy,
  /** The number of seeds: an entry without a run for each of them has no place. */
  seeds: number,
};

/** What ranks in lock step wait for each other, and what steps without a recorded graph take longer. Whole run. */
export type RanksPart = {
  /** Rows of no request that ranks computed so that all had as many. */
  padding_tokens: number,
  /** Seconds that ranks waited in steps of their server in which some rank had a prompt, for the slowest. */
  wait_prompts_s: number,
  /** The same in steps without prompts. */
  wait_decodes_s: number,
  /** Seconds of steps of their server in which they had no work. */
  wait_empty_s: number,
};

/** A stretch of a transfer at one speed. */
export type RateStep = {
  /** Start in microseconds. */
  from_us: number,
  /** End in microseconds; the playhead for the present one. */
  to_us: number,
  /** Bytes per second. */
  bytes_per_s: number,
};

/** A way to divide the replicas, in numbers. */
export type RatioCase = {
  /** Its name: prefill to decode replicas, such as 2:6, or `mixed`. */
  ratio: string,
  /** Prefill replicas. */
  prefill: number,
  /** Decode replicas. */
  decode: number,
  /** Replicas that prefill and decode their own requests. */
  mixed: number,
  /** GPUs of all of them. */
  gpus: number,
};

/** The capacity with each ratio. */
export type RatioResult = {
  /** The ratios in order of their prefill replicas; the mixed arrangement last. */
  rows: Array<RatioRow>,
  /** The row of the ratio with the highest capacity; null while none is known. The mixed arrangement is no ratio. */
  best: number | null,
  /** Number of seeds. */
  seeds: number,
  /** The share that must meet the objectives. */
  share: number,
  /** The objectives in words. */
  at: string,
  /** GPUs that every row may use. */
  gpus: number,
  /** Number of ratios that are left out because there are too many. */
  left_out: number,
  /** The result in a sentence. */
  text: string,
  /** How far it can be trusted, by pool of the best row: a capacity lies near the knee. */
  evidence: Array<PoolEvidence>,
};

/** The capacity with one ratio. */
export type RatioRow = {
  /** The ratio. */
  case: RatioCase,
  /** Seeds whose search has ended. */
  ended: number,
  /** Runs so far. */
  runs: number,
  /** Its capacity; null until the searches of all seeds have ended. */
  capacity: Capacity | null,
  /** Share that met every objective at the scenario's own rates; null until every seed ran there. */
  met_share: SweepValue | null,
  /** Goodput at the scenario's own rates, in requests per second. */
  goodput_per_s: SweepValue | null,
  /** Difference to the capacity of the best ratio, seed by seed: A is the best, B this one. Null if one is unknown. */
  to_best: Difference | null,
  /** Whether no difference to the best can be shown, or too few seeds ran to tell. */
  tied: boolean,
};

/** Which of the searches for the best ratio. */
export type RatioRun = {
  /** The row of its ratio. */
  row: number,
  /** The seed, by its index. */
  seed: number,
};

/** A run of the searches for the best ratio. */
export type RatioRunEnded = {
  /** Its search. */
  of: RatioRun,
  /** The outcomes. */
  outcomes: AttachedBytes,
};

/** Where a load lies, seen from the knee of the latency curve. */
export type Regime = "below" | "near" | "over";

/** What a regime was taken from. */
export type RegimeBasis = "load" | "waiting" | "autoscaler" | "capacity";

/** A figure of a run and of the oracle: means over the seeds. */
export type Regret = {
  /** Its value in the run. */
  own: number | null,
  /** Its value with the oracle. */
  bound: number | null,
  /** How much worse the run is than the oracle; negative if it is better. */
  regret: number | null,
  /** Lower end of the 95 % interval of the regret; null for one seed. */
  lo: number | null,
  /** Its upper end. */
  hi: number | null,
};

/** Both runs of a comparison against their oracles. */
export type RegretTable = {
  /** The first run. */
  a: RunRegret,
  /** The second run. */
  b: RunRegret,
  /** The inputs of the oracle of A, by pool. A run without an autoscaler uses the oracle of the other run. */
  oracle_a: Array<OraclePool>,
  /** The inputs of the oracle of B. */
  oracle_b: Array<OraclePool>,
};

/** Requests refused for one reason, warm-up included. */
export type RejectionPart = {
  /** Why. */
  reason: string,
  /** How many. */
  requests: number,
};

/** A query for a report of a run under another title and note. */
export type RenamedQuery = {
  /** The report of the same run under other words. */
  report: string,
  /** The scenario. */
  scenario: string,
  /** The title. */
  title: string,
  /** The note. */
  note: string,
};

/** What is wrong with a replica for a while. */
export type ReplicaFault = {
  /** `slow`, `stuck`, `signals`, `unreachable` or `transfer-link`. */
  kind: string,
  /** What the replica is because of it, in one or two short words. */
  short: string,
  /** How many times as long its steps take because of it, or the share that its ports carry; 1 if that is not what it does. */
  factor: number,
  /** When it is over, in microseconds; missing if never. */
  until_us?: number,
};

/** One replica now. */
export type ReplicaFrame = {
  /** Number of the replica. */
  id: number,
  /** Name of its pool. */
  pool: string,
  /** Whether it gets new requests; a removed replica finishes its requests. */
  serving: boolean,
  /** The phase of its life, if `serving` is not enough: while it starts or drains, is cold, or has stopped under an autoscaler. */
  life?: LifeFrame,
  /** What is wrong with it for a while; missing if nothing is. */
  faults?: Array<ReplicaFault>,
  /** What its crash broke; missing unless it is down. */
  crash?: CrashFrame,
  /** What it has of prefills and decodes apart; missing where all pools are mixed. */
  split?: MovingFrame,
  /** Requests in its wait queue. */
  waiting: number,
  /** Waiting requests whose blocks are being loaded from the CPU tier. */
  loading: number,
  /** Requests in its batch. */
  running: number,
  /** Running requests that still compute their prompt. */
  prefilling: number,
  /** Share of the latest window in which a step was running, 0 to 1. */
  busy: number,
  /** Duration of the running step, or of the latest one, in microseconds. */
  step_us: number,
  /** Share of the routing decisions of the latest window for this replica, 0 to 1. */
  share: number,
  /** Requests sent here that have not left: on their way to its queue, waiting or running. */
  in_flight: number,
  /** Requests in flight that are on their way to its queue. */
  arriving: number,
  /** TTFT of requests that got their first token here in the latest window. */
  ttft: Percentiles,
  /** Blocks of its KV cache. */
  kv: KvFrame,
  /** The head of its wait queue, in order, up to the limit of the query. */
  queue: Array<QueueChip>,
  /** Its batch, up to the limit of the query. */
  batch: BatchFrame,
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
  /** Requests refused because its wait queue was full. */
  rejected: number,
  /** Preemptions. */
  preemptions: number,
  /** Steps begun. */
  steps: number,
  /** Mean number of requests in a step. */
  mean_batch: number,
  /** Seconds that it existed in the measurement window; means over time refer to these. */
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
  /** Its CPU tier; missing without one. */
  cpu?: CpuTierPart,
  /** Time to first token in milliseconds. */
  ttft_ms: Summary,
  /** End-to-end latency in milliseconds. */
  e2e_ms: Summary,
};

/** The tiers of one replica. */
export type ReplicaTiers = {
  /** Its number. */
  replica: number,
  /** Requests that wait or run there. */
  in_hand: number,
  /** Its layers: GPU, CPU memory, disks. */
  layers: Array<TierLayer>,
  /** Its network ports, in and out, as flows between tiers use them; none where no tier needs them. */
  ports: [TierPort, TierPort] | null,
};

/** The results of a run up to its playhead. */
export type Report = {
  /** Version of the report's format. */
  tokenyard_report: number,
  /** Title of the scenario. */
  title: string,
  /** Digest of the scenario's canonical JSON, with the edits applied so far. */
  scenario_digest: string,
  /** Digest of the trace's requests; empty without a trace. */
  trace_digest: string,
  /** The link to the run, which the command line adds when it prints the report. Digests are of the report without
   * it. */
  link?: string,
  /** How percentiles are computed. */
  percentiles: string,
  /** Largest relative error of a percentile, where percentiles are estimates: in a run that keeps summaries only. */
  percentile_error?: number,
  /** What a reader must know to interpret the numbers. */
  notices?: Array<Notice>,
  /** Whether requests piled up: an assessment of the results. Digests are of the report without it. */
  verdict?: RunVerdict,
  /** How far the latency figures of each pool can be trusted: an assessment of the results. Digests are of the report
   * without it. */
  evidence?: Array<PoolEvidence>,
  /** The clock. */
  run: RunPart,
  /** Requests by where they are. */
  requests: RequestPart,
  /** Why requests were refused; missing if none were. */
  rejections?: Array<RejectionPart>,
  /** The gateway's queue; missing without flow control. */
  gateway?: GatewayPart,
  /** Sessions whose requests wait for the answers of others; missing if there are none. */
  sessions?: SessionPart,
  /** What broke, and what became of it; missing if nothing did. */
  faults?: FaultPart,
  /** Distributions in milliseconds. */
  latency_ms: LatencyPart,
  /** Rates over the measurement window. */
  throughput: ThroughputPart,
  /** How many finished requests met their objectives. */
  slo: SloPart,
  /** The KV caches together. */
  kv: KvPart,
  /** The tiers below CPU memory, by pool; missing where there are none. */
  kv_tiers?: Array<KvTierPart>,
  /** How evenly work was spread. */
  fairness: FairnessPart,
  /** The score with the scenario's weights; missing without weights. */
  fitness?: FitnessPart,
  /** What it cost. */
  cost: CostPart,
  /** A summary of the routing decisions, if `observe.counterfactual_k` is above 0. */
  decisions?: DecisionPart,
  /** Each pool. */
  pools: Array<PoolPart>,
  /** Requests that are prefilled on one replica and decoded on another; missing where all pools are mixed. */
  disaggregation?: DisaggregationPart,
  /** The ports of replicas; missing where all pools are mixed. */
  links?: Array<LinkPart>,
  /** Each pool's autoscaler; missing if there is none. */
  scaling?: Array<ScalingPart>,
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
  /** Anomalies; missing if the scenario disables them. */
  anomalies?: AnomalyPart,
  /** The counts that BLIS would report; only with its semantics. */
  blis?: BlisPart,
};

/** The same requests in both runs, in order of arrival; columns of equal length. */
export type RequestCloud = {
  /** Of the requests with the time in both runs, every n-th is a point; 1 if all are. */
  every: number,
  /** When the request arrived in A, in seconds. */
  t_s: Array<number>,
  /** Its time in A, in milliseconds. */
  a_ms: Array<number>,
  /** Its time in B. */
  b_ms: Array<number>,
  /** B minus A. */
  diff_ms: Array<number>,
  /** Its number in A. */
  request_a: Array<number>,
  /** Its number in B. */
  request_b: Array<number>,
};

/** Everything known about one request. */
export type RequestDetail = {
  /** Number of the request. */
  request: number,
  /** Its own name, if it has one. */
  label: string,
  /** When it arrived by the calendar of the trace, in UTC; missing without such a trace. */
  recorded_at?: string,
  /** Name of its client. */
  client: string,
  /** Name of its LoRA adapter; missing for the base model. */
  adapter?: string,
  /** Its state. */
  state: RequestState,
  /** Its summary, in one sentence. */
  summary: string,
  /** Its replica, if it has one. */
  replica?: number,
  /** Prompt length in tokens. */
  prompt_tokens: number,
  /** Output tokens produced so far; their final number is not shown before the last. */
  output_tokens: number,
  /** Prompt tokens that came from the prefix cache when it was last scheduled. */
  cached_tokens: number,
  /** How often it was preempted. */
  preemptions: number,
  /** KV blocks it holds now. */
  blocks: number,
  /** When it arrived, in microseconds. */
  arrival_us: number,
  /** When it was routed, in microseconds, once known. */
  routed_us?: number,
  /** Time to first token in microseconds, once known. */
  ttft_us?: number,
  /** Mean time between its tokens in microseconds, once known. */
  tpot_us?: number,
  /** End-to-end latency in microseconds, once known. */
  e2e_us?: number,
  /** Where its time went, in order and without gaps. */
  segments: Array<Segment>,
  /** The same by activity, in the order in which each began. */
  parts: Array<Part>,
  /** Sum of the parts in microseconds: E2E of a finished request, else its age and the output processing of its tokens so far. */
  total_us: number,
  /** When its client had all tokens, or it was dropped, in microseconds; the playhead before that. */
  until_us: number,
  /** From its arrival to that instant: E2E of a finished request, the age of an unfinished one. */
  lasted_us: number,
  /** The candidates as the router saw them, the best first, if still kept. */
  candidates: Array<Candidate>,
  /** How it is prefilled and handed over; missing before its routing, and where all pools are mixed. */
  handover?: HandoverDetail,
  /** Its attempts that broke, in order; missing if none did. Between one that broke and the next routing lies the back-off. */
  attempts?: Array<AttemptDetail>,
};

/** Which requests. Everything set must hold; spans include their ends. */
export type RequestFilter = {
  /** They arrived at or after this instant, in microseconds. */
  from_us: number,
  /** They arrived at or before this instant, in microseconds; 0 means the playhead. */
  to_us: number,
  /** Whether requests of the warm-up are left out. */
  measured: boolean,
  /** Their latency is within any of these: which, least and most in microseconds. Empty for all requests. */
  boxes: Array<LatencyBox>,
  /** They were routed to this replica. */
  replica?: number,
  /** They are of this client. */
  client?: number,
  /** They are in this state. */
  state?: RequestState,
};

/** A group of requests: the explained ones, or those compared with. */
export type RequestGroup = {
  /** How many. */
  requests: number,
  /** The mean of their times, in milliseconds. */
  mean_ms: number,
  /** The mean of their prompts, in tokens. */
  prompt_tokens: number,
  /** The mean of their answers, in tokens. */
  output_tokens: number,
  /** Share of their prompt tokens that were in the cache of their replica, 0 to 1. */
  cached_share: number,
  /** Share of them that were preempted. */
  preempted_share: number,
  /** Share of them that were sent to a replica with more load than the router saw. */
  stale_share: number,
  /** Share of them that needed another attempt. */
  retried_share: number,
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
  /** Between their prefill replica and their home, from the start of the transfer to the landing. Left out if there are none. */
  transferring?: number,
  /** At home with their KV, not in the batch yet. Left out if there are none. */
  landed?: number,
  /** Finished. */
  completed: number,
  /** Refused. */
  rejected: number,
  /** Rejected requests that the router refused because no replica that takes requests serves their model. Left out
   * if there are none. */
  rejected_by_router?: number,
  /** Impossible to serve, or timed out. */
  dropped: number,
  /** Dropped requests whose clients timed out. Left out if there are none. */
  timed_out?: number,
  /** Requests whose last attempt broke. Left out if there are none. */
  lost?: number,
  /** Whether these counts, but for those marked as parts of others, add up to the arrived requests. */
  conserved: boolean,
  /** Preemptions. */
  preemptions: number,
  /** Preemptions for each request finished. */
  preemption_rate: number,
};

/** A row of the table. */
export type RequestRow = {
  /** Its number. */
  request: number,
  /** Number of its client. */
  client: number,
  /** Name of its client. */
  client_name: string,
  /** Name of its class. */
  class: string,
  /** Its replica, once routed. */
  replica: number | null,
  /** Its state. */
  state: RequestState,
  /** Arrival, in microseconds. */
  arrival_us: number,
  /** Tokens of its prompt. */
  prompt_tokens: number,
  /** Tokens of it found in the cache. */
  cached_tokens: number,
  /** Tokens produced. */
  output_tokens: number,
  /** Of its TTFT so far: before its first step. */
  queue_us: number,
  /** Of its TTFT so far: from its first step on. */
  prefill_us: number,
  /** Time to first token, once known. */
  ttft_us: number | null,
  /** Whether its TTFT missed its objective; missing without an objective or without a first token. */
  ttft_missed: boolean | null,
  /** Mean gap between its tokens, once it has finished. */
  tpot_us: number | null,
  /** End-to-end latency, once known. */
  e2e_us: number | null,
  /** Preemptions. */
  preemptions: number,
};

/** Rows of the table. */
export type RequestRows = {
  /** The rows. */
  rows: Array<RequestRow>,
  /** Requests of the filter. */
  matching: number,
  /** Requests that have arrived. */
  arrived: number,
  /** The objective of TTFT of the strictest class, 0 without one. */
  slo_ttft_us: number,
};

/** A query for rows. */
export type RequestRowsQuery = {
  /** Which requests. */
  filter: RequestFilter,
  /** Sorted by this; equal ones by number. Missing values come last in both directions. */
  sort: SortKey,
  /** Whether the largest come first. */
  descending: boolean,
  /** Rows left out before the first. */
  offset: number,
  /** Most rows, at most 100,000. */
  limit: number,
};

/** What reports call the place where a request is. It only moves forward, but for preemption, which leads from running to
 * queued. */
export type RequestState = "in-pipeline" | "queued" | "running" | "completed" | "rejected" | "dropped" | "transferring" | "landed" | "lost";

/** What a quantity rests on. */
export type RestsOn = "exact" | "steps" | "blocks";

/** What caches of any size could find again of the latest prompts, each least recently used block first to go. No time passes in it: a
 * real run finds less where a block is still being computed or is on its way. */
export type Reuse = {
  /** Requests looked at. */
  requests: number,
  /** When the first of them arrived. */
  from_us: number,
  /** Tokens of their prompts. */
  prompt_tokens: number,
  /** Tokens of a piece: what is found is found in pieces of this size. */
  piece_tokens: number,
  /** Share of the tokens of prompts that were in a prompt or an answer before, 0 to 1: no cache finds more. */
  ceiling: number,
  /** Of the requests looked at that have joined a batch: the share of the tokens of their prompts that was in the cache, 0 to 1. */
  found: number,
  /** One cache for all, and one on each replica. */
  curves: Array<ReuseCurve>,
  /** How large the caches are today. */
  marks: Array<ReuseMark>,
};

/** What caches of any size find. */
export type ReuseCurve = {
  /** How many caches the requests are divided over, as they were routed: 1 for one that all share. */
  caches: number,
  /** The smallest size of each cache, in tokens, with which they find 99 % of what caches without a bound find. */
  knee_tokens: number,
  /** What caches of that size find, 0 to 1. */
  knee_share: number,
  /** Share by size. */
  points: Array<ReusePoint>,
};

/** How large a cache is today. */
export type ReuseMark = {
  /** `gpu`, `cpu`, `fs`, or the name of a store. Each holds what those before it on its replica hold too. */
  tier: string,
  /** Which of the curves it is on. */
  curve: number,
  /** Its size in tokens: of one replica, the smallest of all, or of the store; missing where there is no end. */
  tokens: number | null,
  /** What a cache of this size finds by its curve, 0 to 1. */
  share: number,
};

/** What caches of one size find. */
export type ReusePoint = {
  /** Size of each cache, in tokens. */
  tokens: number,
  /** Share of the tokens of prompts that are found, 0 to 1. */
  share: number,
};

/** Asks what caches could find again. */
export type ReuseQuery = Record<symbol, never>;

/** A query for a document with one of its edits revised. */
export type RevisionQuery = {
  /** The number of the edit. */
  index: number,
  /** What becomes of it. */
  revision: EditRevision,
};

/** The replicas of one role. */
export type RoleFrame = {
  /** Replicas that get new requests. */
  serving: number,
  /** Share of the window of the key figures in which a step was running, 0 to 1. */
  busy: number,
  /** Share of their KV blocks in use, 0 to 1. */
  kv_used: number,
  /** The load that the suggested ratio goes by, 0 to 1: of prefill replicas the busy share, of decode replicas the larger of
   * KV use and running requests over their limit. */
  load: number,
};

/** A piece of a file, and how far the run is. */
export type RowPiece = {
  /** The bytes. */
  bytes: AttachedBytes,
  /** The playhead of the run, in microseconds. */
  now_us: number,
};

/** A file that is made of a whole run. */
export type RowsQuery = {
  /** The scenario. */
  scenario: string,
  /** The table by its name on the command line, or `perfetto`, or `page`. */
  table: string,
  /** `csv` or `jsonl`; `json` of the trace for Perfetto, `html` of the page. */
  format: string,
  /** The packed rows of the trace that the scenario replays. */
  trace?: AttachedBytes,
  /** The part of the run that a trace for Perfetto holds; all of it if it is missing. */
  span?: RowsSpan,
  /** The address that a page gives for the run. */
  link?: string,
};

/** A part of a run. */
export type RowsSpan = {
  /** Its beginning, in microseconds. */
  from_us: number,
  /** Its end, in microseconds. */
  to_us: number,
};

/**
 *The answers to [`RunQuestion`], by the name of the question. */
export type RunAnswers = {
  /** Lines of the event log. */
  events: EventRows,
  /** One request in full, by its number; null if it has not arrived. */
  inspect: RequestDetail | null,
  /** The request at a point of a chart or a distribution. */
  slowest: number | null,
  /** The evidence behind the numbers. */
  evidence: Evidence,
  /** The figures of this run for a list of runs, as far as it was computed. */
  "run-figures": RunFigures,
  /** The checkpoints of this run. */
  checkpoints: CheckpointFigures,
  /** The report: the bytes that the command line prints. */
  report: RunReport,
  /** The outcome of each request, in the form that comparisons read. */
  outcomes: AttachedBytes,
  /** The documents in force of this run, and the undo of its latest edit. */
  documents: RunDocuments,
  /** What sets a field at the playhead. */
  "set-field": FieldSetting,
  /** The edits that turn the document, JSON text, into another one, edits aside; null if no edits can. */
  "edits-to": Array<EditValues> | null,
  /** The document, JSON text, with an edit, JSON text, from its beginning on. */
  "begun-with": string,
  /** The edit that adds a further entry to a list of pools or clients, a copy of the last one with something in it; null if there is none. */
  "further-entry": EditValues | null,
  /** The document, JSON text, with one of its edits revised. */
  revised: string,
  /** The fields that differ between two documents. */
  differences: Array<ChangedField>,
};

/** Two runs, or the runs of two scenarios with several seeds. */
export type RunComparison = {
  /** Whether the requests of both runs are the same, so that each is compared with itself. */
  paired: boolean,
  /** Why they are not; missing if they are. */
  not_paired?: string,
  /** Pairs of requests that count in both runs, of all seeds together; without pairs, requests of A that count. */
  requests: number,
  /** The seeds, as text. */
  seeds: Array<string>,
  /** How intervals were computed. */
  interval: IntervalBasis,
  /** The same in a sentence. */
  explained: string,
  /** The instant from which requests are compared, in seconds: the last difference between the two runs; missing if
   * all requests that count are compared. */
  since_s?: number,
  /** What a reader must know to interpret the numbers. */
  notices: Array<string>,
  /** The first run. */
  a: Side,
  /** The second run. */
  b: Side,
  /** Times of requests, in milliseconds. */
  metrics: MetricTable,
  /** Figures of whole runs. */
  totals: TotalTable,
  /** Further figures of whole runs, those that are asked for; missing without any. */
  figures?: Array<FigureComparison>,
  /** Figures of hand-overs; missing unless a pool has a role in one of them. */
  handovers?: HandoverTable,
  /** Both against the oracle; missing unless one of them has an autoscaler. */
  regret?: RegretTable,
  /** The requests of the first seed, one by one. */
  detail: DetailTable,
};

/** The documents in force of the run. */
export type RunDocuments = {
  /** The changes in order: the document of the run with those up to an instant is in force then. */
  in_force: Array<InForce>,
  /** The latest edit behind the playhead; missing without one. */
  latest?: LatestEdit,
};

/** The error of the latencies of a run, and what it is the error of. */
export type RunError = {
  /** The latency model of the pool of which least is known; then its model, GPU, release of the engine, precision and tensor parallelism. */
  of: [string, string, string, string, string, string],
  /** The measured errors that are named for it. */
  named: FigureErrors,
};

/** The figures of one run in a list of runs. */
export type RunFigures = {
  /** How far it was computed, in microseconds. */
  computed_us: number,
  /** 99th percentile of TTFT, in milliseconds; missing if no request has got its first token. */
  ttft_p99_ms?: number,
  /** 99th percentile of E2E, in milliseconds; missing if no request has finished. */
  e2e_p99_ms?: number,
};

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

/** The policies of a run at one path. */
export type RunPolicies = {
  /** In words: `Round robin, Prefix aware from 42 s`. */
  text: string,
  /** One after the other; a change of a policy's settings is a part with the same name. */
  parts: Array<PolicyPart>,
};

/** A question about the run on screen. */
export type RunQuestion = { "events": EventsQuery } | { "inspect": number } | { "slowest": SlowestQuery } | { "evidence": null } | { "run-figures": null } | { "checkpoints": null } | { "report": null } | { "outcomes": null } | { "documents": null } | { "set-field": FieldQuery } | { "edits-to": string } | { "begun-with": string } | { "further-entry": string } | { "revised": RevisionQuery } | { "differences": DifferencesQuery };

/** A run against the oracle. */
export type RunRegret = {
  /** Share that met every objective, in percent, among requests that arrived in the measurement window and
   * finished, were refused or were dropped. The regret is in percentage points. */
  attainment_regret: Regret,
  /** Replica-seconds paid in the measurement window, from placement until removal. */
  replica_seconds_regret: Regret,
  /** Their cost in US dollars; null without prices. */
  usd_regret: Regret,
};

/** A report as JSON text, and its digest. */
export type RunReport = {
  /** The text. */
  json: string,
  /** The digest. */
  digest: string,
};

/** One run: its digests, the outcomes of its requests, its figures. Times are in milliseconds and of requests that
 * arrived in the measurement window; null without values. */
export type RunRow = {
  /** Seed, as text. */
  seed: string,
  /** Digest of the scenario. */
  scenario_digest: string,
  /** Digest of the workload: equal for equal arrivals, lengths, contents and draws. */
  workload_digest: string,
  /** Digest of the report: equal for equal results. */
  report_digest: string,
  /** Requests that arrived in the measurement window. */
  requests: number,
  /** Finished. */
  finished: number,
  /** Finished with every objective met. */
  met: number,
  /** Refused. */
  refused: number,
  /** Impossible to serve, or timed out. */
  dropped: number,
  /** Still in the system at the end. */
  unfinished: number,
  /** met / (finished + refused + dropped), 0 to 1: refused and dropped requests have missed, unfinished ones do not
   * count. */
  met_share: number | null,
  /** Requests arrived per second. */
  arrived_per_s: number | null,
  /** Requests finished per second. */
  completed_per_s: number | null,
  /** Requests finished per second that met every objective. */
  goodput_per_s: number | null,
  /** Output tokens per second. */
  output_tokens_per_s: number | null,
  /** Mean TTFT. */
  ttft_mean_ms: number | null,
  /** Median TTFT. */
  ttft_p50_ms: number | null,
  /** 90th percentile of TTFT. */
  ttft_p90_ms: number | null,
  /** 99th percentile of TTFT. */
  ttft_p99_ms: number | null,
  /** 99th percentile of TTFT over all arrived requests; those without a first token count as infinitely slow. Null
   * if they are more than one in a hundred. */
  ttft_p99_of_all_ms: number | null,
  /** Mean ITL. */
  itl_mean_ms: number | null,
  /** Median ITL. */
  itl_p50_ms: number | null,
  /** 90th percentile of ITL. */
  itl_p90_ms: number | null,
  /** 99th percentile of ITL. */
  itl_p99_ms: number | null,
  /** Mean TPOT. */
  tpot_mean_ms: number | null,
  /** Median TPOT. */
  tpot_p50_ms: number | null,
  /** 90th percentile of TPOT. */
  tpot_p90_ms: number | null,
  /** 99th percentile of TPOT. */
  tpot_p99_ms: number | null,
  /** Mean E2E. */
  e2e_mean_ms: number | null,
  /** Median E2E. */
  e2e_p50_ms: number | null,
  /** 90th percentile of E2E. */
  e2e_p90_ms: number | null,
  /** 99th percentile of E2E. */
  e2e_p99_ms: number | null,
  /** 99th percentile of E2E over all arrived requests; unfinished ones count as infinitely slow. Null if they are
   * more than one in a hundred. */
  e2e_p99_of_all_ms: number | null,
  /** Mean time from joining the wait queue to first joining a batch. */
  queue_wait_mean_ms: number | null,
  /** Share of prompt blocks found in a cache, 0 to 1. */
  kv_hit_rate: number | null,
  /** Preemptions, warm-up included. */
  preemptions: number | null,
  /** GPUs times the seconds that their replica existed. */
  gpu_seconds: number | null,
  /** US dollars for all replicas; null, like the next figure, without prices. */
  usd: number | null,
  /** US dollars per million output tokens. */
  usd_per_million_output_tokens: number | null,
  /** The fitness score; null without weights in the scenario. */
  fitness: number | null,
  /** Replica-seconds paid. */
  replica_seconds: number | null,
  /** Whether requests piled up: stable, backlogged, overloaded or too-short. */
  load: string,
  /** How far its latencies can be trusted: the class of the pool of which least is known. */
  evidence: string,
  /** Where its load lies: below, near or over the knee; empty if it is not known. */
  regime: string,
  /** The error of its latencies; no column of tables has it. */
  error?: RunError,
  /** Further figures by name, those that are asked for and known. */
  metrics?: { [name: string]: number },
};

/** A query for the laws of a run. */
export type RunTheoryQuery = {
  /** The scenario. */
  scenario: string,
  /** The outcomes of its requests. */
  outcomes: AttachedBytes,
  /** The law. */
  law: string,
};

/** The saturation verdict of a run, with its figures. */
export type RunVerdict = {
  /** The verdict. */
  state: LoadState,
  /** The verdict with its figures, as a sentence. */
  text: string,
  /** Requests that arrived between the start of the measurement window and the last arrival. */
  arrivals: number,
  /** Mean number of requests inside in the first batch and in the last; null if it is too short. */
  inside: [number, number] | null,
  /** Slope of the number of requests inside, per second, with the ends of its 95 % interval; null if it is too short. */
  slope_per_s: [number, number, number] | null,
  /** Completions over arrivals in the last half, 1 at most; null if it is too short. */
  completed_share: number | null,
  /** Waiting requests: the largest mean of a batch, and the mean of the last batch; null if it is too short. */
  waiting: [number, number] | null,
};

/** Two runs compared. */
export type RunsCompared = {
  /** The comparison. */
  comparison: RunComparison,
  /** The requests of the first pair as points, by TTFT; null unless requests are paired. */
  cloud: RequestCloud | null,
};

/** A pool's autoscaler, warm-up included except in paid times. */
export type ScalingPart = {
  /** Name of the pool. */
  pool: string,
  /** Name of its policy now. */
  policy: string,
  /** Decisions, including those without a change. */
  decisions: number,
  /** Decisions for more replicas. */
  scale_ups: number,
  /** Decisions for fewer. */
  scale_downs: number,
  /** Decisions raised to the minimum number of replicas. */
  clamped_to_min: number,
  /** Decisions lowered to the maximum number of replicas. */
  clamped_to_max: number,
  /** Changes that soon reversed the one before. */
  oscillations: number,
  /** How often the wanted number changed, or the run ended, before that many replicas served. */
  capacity_never_reached: number,
  /** Decisions after which replicas waited for GPUs. */
  without_room: number,
  /** Most replicas that waited for GPUs at once. */
  most_without_room: number,
  /** Replicas placed. */
  starts: number,
  /** Placed replicas that were cancelled before they served. */
  starts_given_up: number,
  /** Mean seconds from placement to serving; missing if no replica got there. */
  mean_start_s?: number,
  /** Requests sent back to the router because their replica was removed. */
  redirected: number,
  /** Requests held at the gateway for the pool now. */
  held: number,
  /** Replicas wanted now. */
  desired: number,
  /** Replicas that serve now. */
  serving: number,
  /** Replicas that start now. */
  starting: number,
  /** Replicas that drain now. */
  draining: number,
  /** Most replicas that served at once. */
  most_serving: number,
  /** Replica-seconds paid, from placement until removal. */
  replica_seconds: number,
  /** GPU-seconds paid. */
  gpu_seconds: number,
};

/** A query for decisions. */
export type ScalingQuery = {
  /** The pool by number; all pools if it is missing. */
  pool?: number,
  /** Whether to leave out decisions that changed nothing. */
  changes_only: boolean,
  /** Most decisions, the latest ones. */
  most: number,
};

/** A decision of an autoscaler. */
export type ScalingRow = {
  /** When it was made, in microseconds. */
  at_us: number,
  /** Name of the pool. */
  pool: string,
  /** Age of the latest measurement that it saw, in microseconds; missing if it saw none. */
  seen_us_ago?: number,
  /** Replicas present and starting. */
  current: number,
  /** The number of replicas by the load alone. */
  recommended: number,
  /** The wanted number of replicas. */
  desired: number,
  /** The rule that decided. */
  rule: string,
  /** The effect of the bounds: `to-min`, `to-max` or nothing. */
  clamped: string,
  /** The metric that asked for the most replicas; empty if there is only one. */
  metric: string,
  /** Whether it soon reversed the change before: an oscillation. */
  reverses: boolean,
  /** Replicas that served, started and drained. */
  ready: number,
  /** Replicas that started or waited for GPUs. */
  pending: number,
  /** Replicas that drained. */
  draining: number,
  /** Replicas that waited for GPUs after it. */
  unplaced: number,
  /** Utilisation as measured, 0 to 1. */
  utilization: number,
  /** Requests that waited, as measured. */
  queued: number,
  /** Arriving requests per second, as measured. */
  rate_per_s: number,
  /** Mean time to first token as measured, in microseconds; 0 if nothing finished. */
  ttft_us: number,
  /** Mean time between tokens as measured, in microseconds; 0 if nothing finished. */
  itl_us: number,
  /** Figures unseen by the policy, for the time since the latest measurement before it: arriving requests per
   * second, mean TTFT and ITL in microseconds, 0 if nothing finished; missing if nothing had been measured. */
  now?: [number, number, number],
  /** For a policy that learns: the status of learning, the event, and the source of the objectives; empty if there
   * is none. */
  learnt?: [string, string, string],
};

/** The answer to a [`ScalingQuery`]. */
export type ScalingRows = {
  /** The decisions, the latest last. */
  rows: Array<ScalingRow>,
  /** How many decisions were made so far, including those without a change. */
  made: number,
  /** How many decisions changed the number of replicas. */
  changes: number,
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
  /** Its text, if it is an expression. */
  expression?: string,
  /** The summands of an expression, before its sum is clamped to 0 to 1; missing if it is not a sum. */
  summands?: Array<SummandValue>,
};

/** A query for a scorer as an expression. */
export type ScorerQuery = {
  /** The settings of the weighted router, JSON text. */
  weighted: string,
  /** The number of the scorer. */
  index: number,
};

/** A search for the load at which requests meet their objectives. */
export type SearchQuery = {
  /** The scenario. */
  scenario: string,
  /** The number of seeds. */
  seeds: number,
  /** The share of requests, above 0 up to 1. */
  share: number,
};

/** A run of the search for the capacity. */
export type SearchRunEnded = {
  /** The seed, by its index. */
  seed: number,
  /** The outcomes. */
  outcomes: AttachedBytes,
};

/** The capacity of one seed. */
export type SeedCapacity = {
  /** The seed, as text. */
  seed: string,
  /** How the search ended. */
  end: CapacityEnd,
  /** Requests per second that arrived in the measurement window at the highest rate that holds; null if none does. */
  rate_per_s: number | null,
  /** The factor on the scenario's rates there. */
  factor: number | null,
  /** Share of the decided requests that met their objectives there. */
  share: number | null,
  /** The lowest factor that failed. */
  fails_at: number | null,
  /** Number of runs. */
  runs: number,
  /** The loads that were tried, in order. */
  levels: Array<CapacityLevel>,
};

/** A part of a request's time, spent on one activity. */
export type Segment = {
  /** The activity or wait. */
  kind: SegmentKind,
  /** Start in microseconds. */
  from_us: number,
  /** End in microseconds; the playhead for an open one. */
  to_us: number,
  /** Tokens computed, produced or processed in it. */
  tokens: number,
  /** Whether it is still open. */
  open: boolean,
};

/** What a request does or waits for in a part of its time. */
export type SegmentKind = "admission" | "gateway" | "router" | "broken" | "back-off" | "front-end" | "delay" | "queue" | "kv-load" | "adapter-load" | "prefill" | "room" | "first-byte" | "transfer" | "join" | "first-token" | "decode" | "preempted" | "recompute" | "streaming" | "output";

/** The latencies of one side of a selection. */
export type SelectionSide = {
  /** Requests. */
  count: number,
  /** Their TTFT, of those that have one. */
  ttft: Percentiles,
  /** The slowest TTFT. */
  slowest_us: number | null,
  /** Percent of the sum of their TTFT spent before the first step, and from it on; missing without first tokens. */
  queue_percent: number | null,
  /** The rest of that sum. */
  prefill_percent: number | null,
};

/** What sets the filtered requests apart from the other arrivals of the measurement window. */
export type SelectionSummary = {
  /** The filtered ones. */
  these: SelectionSide,
  /** The rest. */
  rest: SelectionSide,
  /** Properties, by difference, at most eight. */
  apart: Array<Apart>,
  /** The slowest of these. */
  slowest: number | null,
  /** In one or two sentences. */
  sentence: string,
};

/** A sentence, with the sources of its numbers. */
export type Sentence = {
  /** The sentence. */
  text: string,
  /** Its numbers, in order. */
  numbers: Array<Quoted>,
};

/** A metric over time, measured and simulated. */
export type SeriesCompared = {
  /** Metric with its unit. */
  metric: string,
  /** Instants in seconds from the first one on. */
  times_s: Array<number>,
  /** Measured values at these instants. */
  measured: Array<number>,
  /** Simulated values; null where the run has none. */
  simulated: Array<number | null>,
  /** Instants at which both are known; the means cover them. */
  instants: number,
  /** Mean of the measured values. */
  measured_mean: number,
  /** Mean of the simulated values. */
  simulated_mean: number,
  /** Mean distance of the two at the same instant. */
  distance: number,
  /** Relative error of the simulated mean; missing if the load is assumed, or 0 was measured. */
  error?: number,
};

/** A server whose ranks step together: each of its ranks is a replica. */
export type ServerFrame = {
  /** Its number among the servers of the cluster. */
  id: number,
  /** Name of its pool. */
  pool: string,
  /** Its ranks, in order. */
  ranks: Array<RankFrame>,
  /** Duration of its running step, or of the latest one, in microseconds; 0 before the first. */
  step_us: number,
  /** The rank that the others wait for in that step, if any waits: of equal ones the first. */
  slowest?: number,
  /** Share of the time of its ranks in its steps in which they waited for each other or had no work, 0 to 1. Since the start. */
  wait_share: number,
  /** Rows of no request that its ranks computed so that all had as many. Since the start. */
  padding_tokens: number,
  /** Requests in the wait queues of its ranks. */
  waiting: number,
  /** Requests in their batches. */
  running: number,
  /** Share of their KV blocks held by requests, 0 to 1. */
  kv_used: number,
  /** Share of the blocks of their CPU tiers that hold something, 0 to 1; missing without such tiers. */
  cpu_used?: number,
};

/** The sessions whose first request arrived in the measurement window. */
export type SessionPart = {
  /** Sessions that began. */
  begun: number,
  /** Of these, sessions with an answer to every turn. */
  finished: number,
  /** Sessions that are over and had a turn without an answer. */
  cut_short: number,
  /** Turns of all sessions that were not sent, because a turn before them had no answer. Includes the warm-up. */
  turns_not_sent: number,
  /** From the first arrival to the last answer of finished sessions, in milliseconds. */
  time_ms: Summary,
  /** Turns of finished sessions. */
  turns: Summary,
  /** Prompts by their turn in the session: 1, 2, 3 to 4, 5 to 8 and so on. */
  by_turn: Array<TurnPart>,
  /** Prompt tokens that were in prompts of the session before. */
  known_tokens: number,
  /** Of these, tokens that were not in the cache and were computed again. */
  recomputed_tokens: number,
};

/** One session. */
export type SessionRow = {
  /** Its client. */
  client: string,
  /** Which of the client's sessions it is, by first request: 1 and up. */
  number: number,
  /** Its turns between the two instants, by arrival. */
  turns: Array<SessionTurn>,
  /** Tokens that its turns between the two instants computed again. */
  again_tokens: number,
  /** Tokens of its latest prompt and answer, from the start on, that a replica finds now in its tiers; missing while a turn is under
   * way. */
  kept_tokens: number | null,
};

/** Sessions over time. */
export type SessionRows = {
  /** From this instant. */
  from_us: number,
  /** To this one. */
  to_us: number,
  /** The sessions with a turn between the two, by their first request. If there are more than 120, or more than 6,000 turns, only that
   * of the request. */
  rows: Array<SessionRow>,
  /** In that case all of them as a map. */
  map: PauseMap | null,
  /** How many there are; the sums below are of all of them. */
  sessions: number,
  /** Turns that came back to something known and joined a batch. */
  returns: number,
  /** Tokens of their prompts that were known. */
  known_tokens: number,
  /** Of these, tokens that no cache had: they were computed again. */
  again_tokens: number,
  /** The same from the beginning of the run on, over time; before the first of the two instants one step. */
  again: Array<AgainStep>,
  /** Tokens of the longest context of the rows. */
  longest_tokens: number,
};

/** One turn. */
export type SessionTurn = {
  /** Its request. */
  request: number,
  /** When it arrived. */
  from_us: number,
  /** How long its session had paused then; missing if the turn before had not ended, or there was none. */
  pause_us: number | null,
  /** When it joined a batch. */
  joined_us: number | null,
  /** When its first token was shown. */
  first_us: number | null,
  /** When it ended. */
  end_us: number | null,
  /** Tokens of its prompt. */
  prompt_tokens: number,
  /** Tokens of its prompt and its answer. */
  context_tokens: number,
  /** Tokens of its prompt that were in the turn before. */
  known_tokens: number,
  /** Of its prompt, tokens found in a cache; missing before it has joined a batch. */
  found_tokens: number | null,
  /** Known tokens that were computed again; missing before it has joined a batch. */
  again_tokens: number | null,
  /** Where that was found, the GPU first; empty if that is not known, or none of it lay below the GPU. */
  found: Array<FoundPart>,
  /** What was kept of its context in the pause after it; empty if that was not followed. */
  kept: Array<KeptStep>,
  /** What directives wanted kept of it, from the start on. */
  wanted: Array<WantedPart>,
  /** What prefetches brought of it in that pause. */
  fetched: Array<FetchedPart>,
};

/** Asks for the sessions between two instants. */
export type SessionsQuery = {
  /** Turns that had not ended at this instant, in microseconds. */
  from_us: number,
  /** Turns that arrived up to this instant, in microseconds; 0 means the playhead. */
  to_us: number,
  /** A request whose session is among the rows in any case. */
  request?: number,
};

/** The choice of a user between the values of a field. */
export type Settled = {
  /** The field, as the conflict names it. */
  field: string,
  /** The number of the choice, from 0. */
  choice: number,
};

/** Severity. */
export type Severity = "error" | "warning";

/** A part of a picture. */
export type Shape = { "line": {
  /** x and y of each. */
  points: Array<[number, number]>,
  /** Its look. */
  look: Look, } } | { "dots": {
  /** x and y of each. */
  points: Array<[number, number]>,
  /** Their look. */
  look: Look, } } | { "cells": {
  /** Left and right edge. */
  x: [number, number],
  /** Cells in a row. */
  columns: number,
  /** The digits. */
  digits: string, } } | { "bars": {
  /** Number of lanes. */
  lanes: number,
  /** Lane, begin and end of each. */
  bars: Array<[number, number, number]>,
  /** Their look. */
  look: Look, } } | { "level": {
  /** The height. */
  y: number, } } | { "words": {
  /** Where the label begins, or ends in the right half. */
  at: [number, number],
  /** The text. */
  text: string, } };

/** One of the two. */
export type Side = {
  /** Title of its scenario. */
  title: string,
  /** Its routers, one after the other, in words: `Round robin, Prefix aware from 42 s`. */
  routers: string,
  /** Digest of its scenario, of the first seed. */
  scenario_digest: string,
  /** Digest of its workload, of the first seed. */
  workload_digest: string,
  /** Digests of its reports, by seed. */
  report_digests: Array<string>,
  /** Requests that are compared, of all seeds: those that arrived in the measurement window, and not before the last difference. */
  requests: number,
  /** Finished. */
  finished: number,
  /** Finished, refused or dropped: it is decided whether they met their objectives. */
  decided: number,
  /** Finished with every objective of their class met. */
  met: number,
  /** Refused. */
  refused: number,
  /** Impossible to serve, or timed out. */
  dropped: number,
  /** Still in the system at the end. */
  unfinished: number,
  /** Whether requests piled up, of the seed with the worst verdict. */
  load: RunVerdict,
  /** How far the latency figures of each pool can be trusted, of the seed with the worst verdict. */
  evidence?: Array<PoolEvidence>,
};

/** Mean times of the requests of the measurement window, in milliseconds; null without values. */
export type Simulated = {
  /** Arrival to first joining a batch. */
  wait_ms: Measured | null,
  /** Arrival to first token. */
  ttft_ms: Measured | null,
  /** Between successive tokens. */
  itl_ms: Measured | null,
  /** Arrival to last token. */
  e2e_ms: Measured | null,
};

/** Requests that ended in the measurement window, by the objectives of their class that they met. */
export type SloPart = {
  /** Requests finished. */
  finished: number,
  /** Finished requests that met every objective. */
  met: number,
  /** Requests refused, dropped or timed out, which count as missed. Left out if there are none. */
  unserved?: number,
  /** Share of all ended requests, met / (finished + unserved), 0 to 1. Left out without unserved ones: it is the
   * attainment then. */
  met_share?: number,
  /** Share of the requests finished that met the TTFT objective, 0 to 1; missing if none finished. */
  ttft_attainment?: number,
  /** Share that met the TPOT objective. */
  tpot_attainment?: number,
  /** Share that met the E2E objective. */
  e2e_attainment?: number,
};

/** A slow request, and where its time went. */
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

/** A query for the slowest request that took at most a while, of those with their first token (or else their end) between two instants. */
export type SlowestQuery = {
  /** Whether by TTFT, and not by E2E. */
  ttft: boolean,
  /** The first instant, in microseconds. */
  from_us: number,
  /** The last instant; null for the end of time. */
  to_us: number | null,
  /** The most it took; null for any time. */
  at_most_us: number | null,
};

/** The column by which the table is sorted. */
export type SortKey = "request" | "client" | "class" | "replica" | "state" | "prompt" | "output" | "ttft" | "tpot" | "e2e" | "preemptions";

/** Which requests belong to a span of time. */
export type SpanBy = "arrival" | "end";

/** Speculative decoding of a pool, warm-up included. */
export type SpeculativePart = {
  /** How often a request had draft tokens verified: once in each of its steps with drafts. */
  verifications: number,
  /** Draft tokens verified. */
  draft_tokens: number,
  /** Of those, the accepted ones. Those after the end of an answer count too, and are not shown. */
  accepted_tokens: number,
  /** `accepted_tokens` / `draft_tokens`, 0 to 1; missing without draft tokens. */
  acceptance_rate?: number,
  /** Mean acceptance length: 1 + `accepted_tokens` / verifications, the tokens of a step; missing without drafts. */
  mean_acceptance_length?: number,
  /** Dummy tokens in the first steps of requests whose prompts were computed elsewhere; they are no draft tokens. */
  padding_tokens?: number,
};

/** A change of the replicas of each role. */
export type SplitAsked = { "pool": {
  /** Number of the pool; the first is 0. */
  pool: number,
  /** Replicas that prefill, half of the pool without it. */
  prefill?: number, } } | { "ratio": {
  /** Replicas that prefill. */
  prefill: number,
  /** Replicas that decode. */
  decode: number, } } | { "move": {
  /** How many. */
  by: number, } };

/** Prefill and decode apart, for the whole cluster. */
export type SplitFrame = {
  /** The replicas that prefill for others. */
  prefill: RoleFrame,
  /** The replicas that decode what others may prefill. */
  decode: RoleFrame,
  /** The ratio that the loads of the two suggest: prefill and decode replicas, together as many as serve; missing while
   * one of the two has none. */
  hint?: [number, number],
  /** Whether homes set blocks aside before the prefill (push), instead of after it (pull). */
  push: boolean,
  /** How the decider divides requests now. */
  decider: DeciderFrame,
  /** Decisions of the window of the key figures, of those still known. */
  decided: DecidedFrame,
  /** From the end of a prefill to joining the batch at home, of the requests that joined in the window of the key figures. */
  handover: Percentiles,
  /** Time to first token as prefill replicas have it, of the prefills that ended in the window of the key figures. */
  ttft_prefill: Percentiles,
  /** Requests whose KV is on its way to their home. */
  transferring: number,
  /** Requests at home with their KV, not in the batch yet. */
  landed: number,
  /** Length of the window of the flows, in seconds. */
  flow_s: number,
  /** Bytes per second over all ports in the window of the flows. */
  bytes_per_s: number,
  /** Share of the capacity of all prefill replicas' outgoing ports used in that window, 0 to 1. */
  ports_out: number,
  /** What flowed between two replicas in that window, or flows now; in order of the two. */
  pairs: Array<PairFrame>,
  /** Transfers under way, the first of them in order of their start. */
  transfers: Array<TransferFrame>,
  /** All transfers under way. */
  under_way: number,
  /** The latest decisions, the oldest first. */
  latest: Array<DecisionMark>,
};

/** A query for an edit of roles. */
export type SplitQuery = {
  /** The scenario. */
  scenario: string,
  /** The change. */
  asked: SplitAsked,
};

/** The decisions on who prefills a request. */
export type StageDecisionPart = {
  /** Requests sent to a prefill replica. */
  routed: number,
  /** Mean of the best candidate's score minus the chosen one's. */
  score_regret_mean: number,
  /** The largest of these differences. */
  score_regret_max: number,
  /** Replicas that got a request. */
  unique_targets: number,
  /** By replica: requests sent there. */
  targets: Array<number>,
};

/** How a key stands to the scenario. */
export type Standing = "exact" | "near" | "ignored" | "unknown" | "conflict" | "shape";

/** What a run shows at an instant, in words: two clauses without a capital letter and a full stop, to be joined by "and". */
export type Statement = {
  /** How requests get to the replicas that serve: "four replicas take turns"; empty while `trouble` says more. */
  cluster: string,
  /** What stands out most: "slow r2 falls behind"; empty if nothing does. */
  seen: string,
};

/** The part of a prompt in a step. */
export type StepChunk = {
  /** The request. */
  request: number,
  /** First token computed, counted from the start of the prompt. */
  from: number,
  /** The token after the last. */
  to: number,
  /** Tokens computed. */
  tokens: number,
  /** Tokens of the prompt; after a preemption with the tokens of its answer so far. */
  of: number,
};

/** One step in full: why it took as long as it did. */
export type StepDetail = {
  /** Number of the replica. */
  replica: number,
  /** Number of the step among those of its replica. */
  seq: number,
  /** Start. */
  at_us: number,
  /** How long it takes. */
  span_us: number,
  /** What its time is made of. */
  terms: StepTerms,
  /** Those parts as shares of it, 0 to 1, in order. */
  shares: Array<number>,
  /** Requests that decode in it. */
  decode: number,
  /** Tokens of their contexts, which it reads. */
  context_tokens: number,
  /** Prompt tokens computed. */
  prompt_tokens: number,
  /** Most tokens a step of this replica may have. */
  token_budget: number,
  /** The parts of prompts, in batch order, as far as they are kept. */
  chunks: Array<StepChunk>,
  /** Requests running. */
  running: number,
  /** Requests waiting. */
  waiting: number,
  /** Blocks in use. */
  kv_used: number,
  /** Blocks of the cache. */
  kv_total: number,
  /** The share of it in use, 0 to 1; missing without blocks. */
  kv_share: number | null,
  /** How long it would take without its prompt tokens; missing where it has none or nothing decodes, and where it waits for others. */
  without_prefill_us: number | null,
  /** In one or two sentences: how long it took, why, and what that cost the others. */
  sentence: string,
};

/** How far a single step goes. */
export type StepKind = "event" | "engine-step" | "arrival" | "completion" | "preemption";

/** Steps by batch size: at most 2,000 of the latest, as columns of equal length. */
export type StepPoints = {
  /** Running requests. */
  running: Array<number>,
  /** Time of the step in milliseconds. */
  ms: Array<number>,
  /** Whether it computed prompt tokens. */
  chunk: Array<boolean>,
  /** The line of the latency model for steps that only decode, at the mean context of those steps: requests, milliseconds. */
  line: [Array<number>, Array<number>],
  /** Steps in the span. */
  steps: number,
};

/** A query for one step. */
export type StepQuery = {
  /** Number of the replica. */
  replica: number,
  /** Number of the step among those of its replica. */
  seq: number,
};

/** What the time of one or more steps was made of, in microseconds. The parts add up to the steps, to the microsecond.
 *
 * The latency model says how long a step would take with one request that decodes and has an empty cache (`base_us`); with all that
 * decode, and empty caches (`batch_us` is what they add); with their contexts (`kv_us`); and with the prompt tokens (`prefill_us`). A
 * step in which nothing decodes has its base too: the time of one token with an empty cache, at most that of the step. No part is
 * negative. On a cold replica these parts grow alike. */
export type StepTerms = {
  /** A step of one request with an empty cache: launches, and the weights read once. */
  base_us: number,
  /** The further requests that decode. */
  batch_us: number,
  /** Reading the KV of the requests that decode. */
  kv_us: number,
  /** The prompt tokens. */
  prefill_us: number,
  /** Waiting for blocks from the CPU tier. */
  transfers_us: number,
  /** Adapters: computing with them, and waiting for their loads. */
  adapters_us: number,
  /** Waiting for others: ranks in lock step, stages of a pipe. */
  others_us: number,
};

/** Figures of the steps of a replica that began in the span. */
export type StepTotals = {
  /** Number of steps. */
  steps: number,
  /** Median of their times; missing without steps. */
  p50_us: number | null,
  /** 99th percentile of their times; missing without steps. */
  p99_us: number | null,
  /** Prompt tokens computed. */
  prompt_tokens: number,
  /** Tokens produced: one of each request that decoded or finished its prompt. Accepted drafts come on top of these. */
  output_tokens: number,
  /** Their time in all. */
  time_us: number,
  /** Their time, by what it was for. */
  terms: StepTerms,
  /** Those parts as shares of it, 0 to 1, in order; empty without steps. */
  shares: Array<number>,
};

/** What a step is about. */
export type StepType = "predict" | "do" | "see" | "why" | "try";

/** What the runs of a step show. */
export type StepVerdict = {
  /** How many seeds have run completely. */
  seeds: number,
  /** How many there are. */
  of: number,
  /** Its claims, in order. */
  claims: Array<ClaimVerdict>,
  /** The figures of its text that rest on the runs. */
  figures: { [key in string]: FigureVerdict },
  /** The curve of its question. */
  curve: CurveVerdict | null,
  /** The engine's answer to a question for a number. */
  number: FigureVerdict | null,
  /** The engine's order, as numbers of the items. */
  order: Array<number>,
  /** The values of the items, in their own order. */
  items: Array<FigureVerdict>,
  /** The right answer of a question with several, by number; null until a seed has run. */
  right: number | null,
  /** What became of the guess. */
  guess: GuessVerdict | null,
};

/** Why `advance` returned. */
export type Stop = "until" | "events" | "finished";

/** A store. */
export type StorePart = {
  /** Its name. */
  name: string,
  /** Whether it is down. */
  is_down: boolean,
  /** How many blocks fit; missing where there is no end. */
  total: number | null,
  /** Blocks in it. */
  blocks: number,
  /** GB that fit and GB in it; missing where no replica uses it, or its blocks differ in size. */
  gb: [number, number] | null,
  /** Its ports to readers and from writers. */
  ports: [TierPort, TierPort],
  /** Blocks of the request's prompt in it, of the first 8,192. */
  chosen: number,
};

/** A stretch of requests in order of arrival. */
export type StripPoint = {
  /** Arrival in A of the request named, in seconds. */
  t_s: number,
  /** The request that moved most, by its number in A. */
  request_a: number,
  /** The same in B. */
  request_b: number,
  /** Its difference in milliseconds. */
  diff_ms: number,
  /** The median of the stretch. */
  p50_ms: number,
  /** The smallest difference. */
  min_ms: number,
  /** The largest. */
  max_ms: number,
  /** Requests in the stretch. */
  count: number,
};

/** The axis of a sweep. */
export type StudyAxis = {
  /** The path that varies. */
  path: string,
  /** Its name. */
  title: string,
  /** Its unit. */
  unit: string,
  /** The document's units in one of these. */
  times: number,
};

/** The second of two runs. */
export type StudyBeside = {
  /** Its name. */
  name: string,
  /** Its scenario. */
  scenario: unknown,
  /** The instant up to which both were compared, in microseconds. */
  at_us: number,
  /** Digests of the reports of A and B there. */
  report_digests: [string, string],
  /** The comparison, as `tokenyard compare --json` has it. */
  comparison: unknown,
};

/** An entrant of a race: the scenario with some settings. */
export type StudyEntrant = {
  /** Its name. */
  name: string,
  /** Its settings: values by path. */
  set: { [path: string]: unknown },
};

/** A study and its results. */
export type StudyFile = {
  /** The version of the format, which also says that the file is a study; set when it is written. */
  tokenyard_study: number,
  /** The version of the program that made the runs; set when it is written. */
  version: string,
  /** What kind of study it is. */
  kind: StudyKind,
  /** The scenario; of two runs that of A. */
  scenario: unknown,
  /** How many seeds, from the scenario's on. */
  seeds: number,
  /** The figure that ranks a race. */
  by?: RankBy,
  /** The entrants of a race. */
  entrants?: Array<StudyEntrant>,
  /** Whether the oracle ran beside them. */
  bounded?: boolean,
  /** The axis of a sweep. */
  axis?: StudyAxis,
  /** What a sweep varies, as arguments of `--vary`. */
  varied?: Array<string>,
  /** The second of two runs. */
  beside?: StudyBeside,
  /** The runs. */
  rows: Array<StudyRow>,
  /** Digest of everything before it; set when it is written. */
  digest: string,
};

/** The kinds of study. */
export type StudyKind = "compare" | "race" | "sweep";

/** A study that was read. */
export type StudyRead = {
  /** The study. */
  study: StudyFile,
  /** Whether it is as it was written; false if its digest differs. */
  whole: boolean,
};

/** A run of a study. */
export type StudyRow = {
  /** The entrant; empty in a sweep. */
  name: string,
  /** The values of a sweep's case as JSON text, in the order of `varied`. */
  values?: Array<string>,
  /** Whether it is the oracle's. */
  bound?: boolean,
  /** Its figures. */
  run: RunRow,
  /** Instants of a small picture, in seconds. */
  t_s?: Array<number>,
  /** TTFT p99 at these; null without a value. */
  ttft_p99_ms?: Array<number | null>,
};

/** One summand of an expression. */
export type SummandValue = {
  /** Its text, with its sign. */
  text: string,
  /** Its value. */
  value: number,
};

/** The figures of a distribution. All are zero when `count` is 0, and left out of JSON then. */
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

/** A query for the results of a sweep. */
export type SummaryQuery = {
  /** The paths that vary. */
  paths: Array<string>,
  /** The rows so far. */
  rows: Array<SweepRow>,
};

/** A figure along a path of numbers. */
export type SweepCurve = {
  /** Name of the figure's column. */
  figure: string,
  /** The path that varies along it. */
  path: string,
  /** The points by number, in order of the path's value. */
  points: Array<number>,
  /** Its knee. */
  knee: CurveKnee,
};

/** A sweep for another machine. */
export type SweepElsewhere = {
  /** Its runs, seeds included. */
  cases: number,
  /** About how many seconds they take on the page. */
  seconds: number,
  /** Whether that is over a minute, or the page does not run as many. */
  long: boolean,
  /** How long, in words. */
  text: string,
  /** The command, for a shell. */
  command: string,
  /** What to do before it; empty if nothing. */
  first: string,
  /** Edits that are left out because they set what is varied, in words. */
  left_out: Array<string>,
};

/** The runs of one combination of values. */
export type SweepPoint = {
  /** The values, in the order of the paths, as JSON text. */
  values: Array<string>,
  /** How many seeds ran. */
  seeds: number,
  /** Its figures. */
  figures: Array<SweepValue>,
  /** How far its latencies can be trusted: the class of the pool of which least is known. */
  evidence: string,
  /** Why it is not certain whether the point belongs to the front; missing where that survives the error of the simulation. */
  doubt?: string,
};

/** A run of a sweep. */
export type SweepRow = {
  /** The values of its case as JSON text, in the order of the paths. */
  values: Array<string>,
  /** Its figures. */
  run: RunRow,
};

/** A sweep in summary. */
export type SweepSummary = {
  /** The paths that were varied. */
  paths: Array<string>,
  /** One point for each combination of their values. */
  points: Array<SweepPoint>,
  /** One curve for each figure along each path of numbers, the values of the other paths being fixed. */
  curves: Array<SweepCurve>,
  /** The cost of the Pareto front: `usd_per_million_output_tokens`, or `gpu_seconds` without prices. */
  cost: string,
  /** The points, by number, that no other beats in both cost and p99 of TTFT, the cheapest first. A point without a p99 of all
   * its requests is beaten by every other. */
  front: Array<number>,
  /** How far the latency figures of each pool can be trusted, if their class is the same in all points; else each point
   * has its own. */
  evidence?: Array<PoolEvidence>,
};

/** A figure: its mean over seeds with its 95 % interval. */
export type SweepValue = {
  /** Name of its column. */
  name: string,
  /** The mean; null if a seed has no value. */
  mean: number | null,
  /** Lower end; null for one seed. */
  lo: number | null,
  /** Upper end. */
  hi: number | null,
};

/** A system whose configuration is written. */
export type System = "epp" | "vllm" | "dynamo" | "smg" | "hpa" | "keda" | "wva" | "blis";

/** The parameter of an occasion. */
export type Takes = "nothing" | "count" | "percent" | "anomaly-kind" | "event-kind" | "request";

/** A text and its name, such as that of its file. */
export type Text = {
  /** Its name; empty for a paste. */
  name: string,
  /** The text. */
  text: string,
};

/** The laws beside a run. */
export type Theory = {
  /** The requested law, or the one with the fewest violated assumptions among those that fit. */
  chosen: Law,
  /** Requests considered: those that arrived in the measurement window. */
  requests: number,
  /** Their rate. */
  rate_per_s: number,
  /** Coefficient of variation of the gaps between them; null if they are too few. */
  gap_cv: number | null,
  /** Their measured times. */
  simulated: Simulated,
  /** All laws. */
  laws: Array<LawFound>,
};

/**
 *The answers to [`TheoryQuestion`], by the name of the question. */
export type TheoryAnswers = {
  /** The laws for a run, and the line of the chosen one. */
  run: TheoryOfRun,
  /** The prediction of a law for each case of a sweep. */
  cases: Array<CaseTheory>,
};

/** The prediction of a law over the time of a run, at the rate of each stretch; columns of equal length. */
export type TheoryLine = {
  /** The middles of the stretches, in seconds. A stretch has 100 arrivals on average, and there are at most 240. */
  t_s: Array<number>,
  /** Arrivals per second. */
  rate_per_s: Array<number>,
  /** Mean TTFT in milliseconds; null if the law gives none. */
  ttft_ms: Array<number | null>,
  /** Mean time between tokens. */
  itl_ms: Array<number | null>,
  /** Mean E2E. */
  e2e_ms: Array<number | null>,
  /** Mean time from arrival to first joining a batch. */
  wait_ms: Array<number | null>,
  /** Requests finished per second: the arrivals, at most what the servers can do; by Little's law the mean number inside divided
   * by the mean E2E of those that arrived. */
  finished_per_s: Array<number | null>,
  /** Mean number in the queue of one replica: its rate times the mean wait there. */
  waiting: Array<number | null>,
  /** Whether an assumption is violated there: one of the whole run, or the steady rate at this place. */
  violated: Array<boolean>,
};

/** The laws beside a run, and one of them over its time. */
export type TheoryOfRun = {
  /** All laws, with the chosen one. */
  theory: Theory,
  /** The chosen one over time. */
  line: TheoryLine,
};

/** A question about laws of queueing theory. Scenarios are JSON text; a law is its name, or empty for the one that fits best. */
export type TheoryQuestion = { "run": RunTheoryQuery } | { "cases": CaseTheoryQuery };

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

/** The tiers of a run, and what keeps them from finding more. */
export type TierFindings = {
  /** Share of the blocks of prompts that were found in any tier, 0 to 1. */
  hit_share: number,
  /** Share of them by tier, the GPU first. */
  by_tier: Array<TierHits>,
  /** Blocks of all GPUs. */
  gpu_blocks: number,
  /** Blocks of the GPUs that loads held on average. */
  held_blocks: number,
  /** The share of all that this is. */
  held_share: number,
  /** Blocks that were loaded, and given back before their request ran. */
  wasted_blocks: number,
  /** Preemptions of requests that ran. */
  preemptions: number,
  /** Blocks that were not written to CPU memory, as nothing there could make room. */
  refused_writes: number,
  /** The share of all writes to it that this is. */
  refused_share: number,
  /** Blocks of CPU memory that wait at the end to be written below. */
  waiting_blocks: number,
  /** Share of the blocks of prompts that was computed although a tier had them. */
  stored_share: number,
  /** What keeps them from finding more. */
  troubles: Array<TierTrouble>,
};

/** Blocks on their way. */
export type TierFlow = {
  /** `read`, `write`, or `prefetch` before a turn. */
  kind: string,
  /** The replica that reads or writes. */
  replica: number,
  /** The tier that it reads from or writes to: `fs`, `p2p`, or the name of the store. */
  tier: string,
  /** The replica that the blocks are pulled from. */
  source: number | null,
  /** Who reads. */
  request: number | null,
  /** Its blocks. */
  blocks: number,
  /** How fast they come, in GB/s; 0 before the first byte. */
  gb_per_s: number,
};

/** What prompts found in a tier. */
export type TierHits = {
  /** `gpu`, `cpu`, `fs`, `p2p` or the name of a store; in a run with several pools with the name of the pool before it. */
  tier: string,
  /** Share of the blocks of prompts, of its pool if there are several. */
  share: number,
};

/** One layer of a replica. */
export type TierLayer = {
  /** `gpu`, `cpu` or `fs`. */
  tier: string,
  /** How many blocks fit; missing where there is no end. */
  total: number | null,
  /** Blocks that requests hold. */
  held: number,
  /** Blocks that are kept and that no request holds. */
  kept: number,
  /** Blocks of the request's prompt that lie here, of the first 8,192. */
  chosen: number,
};

/** How much of a port is used. */
export type TierPort = {
  /** What it carries, in GB/s. */
  gb_per_s: number,
  /** What it carries now, in GB/s. */
  used_gb_per_s: number,
  /** Whether at least 90 % of it is used. */
  is_hot: boolean,
};

/** How a tier below the GPU served requests, warm-up included. Percentiles are estimates that are off by less than 0.4 %. */
export type TierServedPart = {
  /** Blocks of prompts that came from it. A block counts for the tier that it came from first. */
  blocks: number,
  /** Their share of all blocks of prompts of the pool, 0 to 1: what the tier adds to the hit rate. */
  share: number,
  /** For how long it was read or written, in seconds, added over replicas. */
  busy_s: number,
  /** From asking to having, of requests that waited for blocks of it, in milliseconds. */
  wait_ms: Summary,
  /** Time since the last use of a block as a request found it, in seconds; empty for `p2p`. Of a store it is all pools'. */
  age_at_hit_s: Summary,
  /** The same as a block made room for others. */
  age_at_eviction_s: Summary,
};

/** Why tiers find less than they could. */
export type TierTrouble = "loads-hold-blocks" | "writes-wait" | "computed-though-stored";

/** Where KV blocks lie now, and what moves between tiers. */
export type Tiers = {
  /** The instant. */
  now_us: number,
  /** The first replicas that have not stopped, at most 64. */
  replicas: Array<ReplicaTiers>,
  /** Replicas beyond these. */
  more_replicas: number,
  /** The stores. */
  stores: Array<StorePart>,
  /** What moves, at most 200 flows. */
  flows: Array<TierFlow>,
  /** Flows beyond these. */
  more_flows: number,
  /** Where the blocks of the request came from, if that is known. */
  origin: PromptOrigin | null,
};

/** Asks for the tiers. */
export type TiersQuery = {
  /** A request whose blocks are looked for. */
  request?: number,
};

/** What the user says about the load. What the file says cannot be given again. */
export type ToldLoad = {
  /** Requests that were sent. */
  requests?: number,
  /** Requests sent in a second, at random gaps. */
  rate_per_s?: number,
  /** Most requests in flight. */
  in_flight?: number,
  /** Mean prompt length. */
  prompt_tokens?: number,
  /** Mean length of an answer. */
  output_tokens?: number,
  /** Whether the traffic of the scenario is what was sent. */
  own_traffic: boolean,
};

/** A figure of whole runs. */
export type TotalComparison = {
  /** Which values are the better ones. */
  better: Direction,
  /** In A; null without values. */
  a: number | null,
  /** In B. */
  b: number | null,
  /** B minus A. */
  diff: number | null,
  /** Lower end of the interval of the difference. */
  lo: number | null,
  /** Its upper end. */
  hi: number | null,
  /** The verdict. */
  verdict: Verdict,
};

/** Figures of whole runs. Cache hits and preemptions have no interval from one seed, nor has the cost of a changing
 * number of replicas. */
export type TotalTable = {
  /** Share that met every objective, 0 to 1, among compared requests that finished, were refused or were dropped. */
  met_share: TotalComparison,
  /** Share of all compared requests that finished, 0 to 1. */
  finished_share: TotalComparison,
  /** Finished requests per second that met every objective. */
  goodput_per_s: TotalComparison,
  /** Output tokens per second. */
  output_tokens_per_s: TotalComparison,
  /** Share of prompt blocks found in a cache, 0 to 1. */
  kv_hit_rate: TotalComparison,
  /** Preemptions, warm-up included. */
  preemptions: TotalComparison,
  /** US dollars per million output tokens; null without prices. */
  usd_per_million_output_tokens: TotalComparison,
};

/** Instants at which requests arrive. */
export type TraceArrivals = {
  /** Requests at one instant, in the mean. */
  at_once: number,
  /** Median time between two instants with requests, in seconds. */
  step_s: number,
  /** Whether the clock of the file is coarse: at least two requests at an instant in the mean. */
  is_coarse: boolean,
};

/** Requests of a range. */
export type TraceBin = {
  /** The least value of the range. */
  from: number,
  /** The greatest value of the range. */
  to: number,
  /** How many. */
  count: number,
};

/** A query for whether a trace is the one that a link names. */
export type TraceCheckQuery = {
  /** What the link names. */
  mark: TraceMark,
  /** The rows of the trace. */
  rows: number,
  /** The digest of the trace. */
  digest: string,
};

/** Figures of the rows of a trace. */
export type TraceFigures = {
  /** Requests. */
  requests: number,
  /** Sessions; nothing if the file names none. */
  sessions: number | null,
  /** From the first to the last arrival as they run, in seconds. */
  duration_s: number,
  /** Requests per second as they run. */
  mean_per_s: number,
  /** Requests per second in the busiest bucket of time. */
  peak_per_s: number,
  /** Mean length of the prompts, in tokens. */
  prompt_mean: number,
  /** The length that 99 % of the prompts do not exceed. */
  prompt_p99: number,
  /** Mean length of the answers, in tokens. */
  output_mean: number,
  /** The length that 99 % of the answers do not exceed. */
  output_p99: number,
  /** Tokens of all prompts. */
  prompt_tokens: number,
  /** Tokens of all answers. */
  output_tokens: number,
  /** Share of the tokens of prompts that a cache of any size finds again; nothing if no two prompts share text. */
  reuse: number | null,
};

/** A query for the figures of the requests that a run replays. */
export type TraceFiguresQuery = {
  /** Settings of `workload.trace`, JSON text. */
  settings: string,
  /** The seed of the run. */
  seed: number,
};

/** A trace file. */
export type TraceFileQuery = {
  /** Its name. */
  name: string,
  /** Names of its columns, as in `arrival:ms=t,prompt=in,output=out`. */
  columns?: string,
};

/** What was found in the file of a trace. */
export type TraceFound = {
  /** Name of its format. */
  format: string,
  /** The columns or keys that show it. */
  format_evidence: string,
  /** Unit of its times: `s`, `ms`, `us`, `ns`, `dates`, or `since 1970` in the unit of their size. */
  unit: string,
  /** How long the trace lasts, and how long it would in another unit. */
  unit_evidence: string,
  /** Tokens in a block of its prompt hashes; 0 if it has none. */
  block_tokens: number,
  /** How many rows fit that size. */
  block_evidence: string,
  /** Whether rows name their sessions. */
  has_sessions: boolean,
  /** Columns or keys that are not read, as far as the format lists them. */
  not_read: Array<string>,
  /** Lines of the file. */
  lines: number,
  /** Rows that were left out, and rows about which something is odd. */
  odd: Array<TraceLines>,
};

/** What a trace is like. */
export type TraceInspection = {
  /** Its size. */
  summary: TraceSummary,
  /** What was found in the file, and what was left out. */
  found: TraceFound,
  /** When its first request arrived by the calendar, if the file says it. */
  started: string | null,
  /** Requests over time. */
  rate: TraceRate,
  /** Lengths of the prompts. */
  prompt: TraceLengths,
  /** Lengths of the answers. */
  output: TraceLengths,
  /** Share of the prompts that an ideal cache finds again; nothing if no two prompts share text. */
  reuse: TraceReuse | null,
  /** Its sessions; nothing if the file names none. */
  sessions: TraceSessions | null,
  /** Instants at which requests arrive. */
  arrivals: TraceArrivals,
  /** Requests whose id occurred before. */
  repeated_ids: number,
  /** Rows that equal another one in instant, lengths, blocks and session. */
  repeated_rows: number,
  /** Requests by tenant, the largest first. */
  tenants: Array<TraceName>,
  /** Requests by SLO class. */
  classes: Array<TraceName>,
  /** Requests by model. */
  models: Array<TraceName>,
  /** Requests by adapter. */
  adapters: Array<TraceName>,
  /** Warnings about the file. */
  problems: Array<Diagnostic>,
};

/** Lengths of prompts or answers in tokens. */
export type TraceLengths = {
  /** Mean. */
  mean: number,
  /** Half are at most this long. */
  p50: number,
  /** 99 % are at most this long. */
  p99: number,
  /** The longest. */
  max: number,
  /** How many have which length. */
  bins: Array<TraceBin>,
};

/** Rows with something in common. */
export type TraceLines = {
  /** What they have in common. */
  why: string,
  /** Whether they were left out. */
  left_out: boolean,
  /** How many. */
  rows: number,
  /** The lines of the first of them. */
  lines: Array<number>,
};

/** Which trace a scenario replays: its rows do not travel, so the reader of the link is asked for the file. */
export type TraceMark = {
  /** Name of the file. */
  name: string,
  /** Rows that were read from it. */
  rows: number,
  /** Digest of the rows. */
  digest: string,
};

/** Requests with a name. */
export type TraceName = {
  /** The name; empty for none. */
  name: string,
  /** How many requests. */
  requests: number,
};

/** The result of reading a trace file. */
export type TraceOutcome = {
  /** Whether it can be replayed. */
  ok: boolean,
  /** Its problems. */
  diagnostics: Array<Diagnostic>,
  /** Its summary, if it can be replayed. */
  summary: TraceSummary | null,
};

/** Requests over time. */
export type TraceRate = {
  /** Requests per second from the first to the last. */
  mean_per_s: number,
  /** Requests per second in the busiest bucket. */
  peak_per_s: number,
  /** Length of a bucket in seconds. */
  bucket_s: number,
  /** Requests of each bucket. */
  requests: Array<number>,
};

/** What was read of a trace file. */
export type TraceRead = {
  /** The result of reading it. */
  outcome: TraceOutcome,
  /** Its rows for the simulation; empty if it was refused. */
  packed: AttachedBytes,
  /** What the trace is like; null if it was refused. */
  inspection: TraceInspection | null,
};

/** What an ideal cache finds again: least recently used blocks leave first, and a prompt finds its leading blocks. */
export type TraceReuse = {
  /** Share of prompt tokens that a cache without a bound finds. */
  unbounded: number,
  /** Tokens of different text in all prompts: a cache of this size is as good as one without a bound. */
  distinct_tokens: number,
  /** Share by size of the cache. */
  points: Array<TraceReusePoint>,
  /** Requests looked at: the first ones, if the trace has too many blocks. */
  requests: number,
};

/** What a cache of one size finds. */
export type TraceReusePoint = {
  /** Size of the cache in tokens. */
  tokens: number,
  /** Share of prompt tokens found. */
  share: number,
};

/** Sessions of a trace. */
export type TraceSessions = {
  /** How many. */
  sessions: number,
  /** Requests that belong to one. */
  requests: number,
  /** Requests of a session, in the mean. */
  mean_requests: number,
  /** Sessions by their number of requests. */
  bins: Array<TraceBin>,
  /** Median time from one request of a session to its next, in seconds; nothing if all have one. */
  gap_p50_s: number | null,
  /** 99 % of these times are at most this long, in seconds. */
  gap_p99_s: number | null,
};

/** A summary of a trace. */
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
  /** Digest of the rows, by which links name the trace. */
  digest: string,
};

/** What the user says of the traffic; the rest is chosen. */
export type TrafficAsked = {
  /** Requests per second. */
  rate_per_s: number | null,
  /** Tokens of a typical prompt: the median. */
  prompt_tokens: number | null,
  /** Tokens of a typical answer: the median. */
  output_tokens: number | null,
};

/** The transfer of a request's KV. */
export type TransferDetail = {
  /** When it started, in microseconds. */
  start_us: number,
  /** When its first byte moved, once known. */
  flows_us?: number,
  /** When it landed, once known; until then when it will, if no other transfer begins or ends before. */
  lands_us?: number,
  /** Whether it has landed. */
  over: boolean,
  /** Bytes in all. */
  bytes: number,
  /** Bytes that left while the prefill ran. */
  early: number,
  /** Bytes that have arrived. */
  arrived: number,
  /** Bytes per second now; 0 before the first byte and after the landing. */
  bytes_per_s: number,
  /** Bytes per second that it would have alone on its ports. */
  alone_per_s: number,
  /** The replica whose port it shares; missing while it has its ports to itself. */
  shared_at?: number,
  /** The requests with which it shares that port now. */
  shared_with: Array<number>,
  /** How fast it was over time; one step with its mean if the transfers beside it are no longer known. */
  rates: Array<RateStep>,
};

/** A transfer under way. */
export type TransferFrame = {
  /** The request. */
  request: number,
  /** Its prefill replica. */
  from: number,
  /** Its home. */
  to: number,
  /** Bytes in all. */
  bytes: number,
  /** Bytes that have arrived. */
  arrived: number,
  /** The share that has arrived, 0 to 1. */
  share: number,
  /** Bytes per second now; 0 before the first byte. */
  bytes_per_s: number,
  /** When it started, in microseconds. */
  start_us: number,
  /** When it lands, in microseconds, if no other transfer begins or ends before; missing before its first byte. */
  lands_us?: number,
};

/** Prompts of some turns that joined a batch. */
export type TurnPart = {
  /** The first of these turns. */
  from: number,
  /** The last of these turns. */
  to: number,
  /** Prompts. */
  requests: number,
  /** Their tokens. */
  prompt_tokens: number,
  /** Of these, tokens found in the cache. */
  cached_tokens: number,
  /** Share of the tokens found in the cache. */
  hit_rate: number | null,
};

/** What takes an edit back after it had effects, and what makes it again then. */
export type Undo = {
  /** The former values by path; null where the document left the field to its default. Entries that the edit added stay,
   * and are empty: positions stay. */
  back: { [path: string]: unknown },
  /** The values by path that make the edit again, with what its entries had; missing if the edit itself does. */
  again?: { [path: string]: unknown },
  /** The paths of the entries that it added. */
  added: Array<string>,
};

/** An entry without a place. */
export type Unranked = {
  /** Name of the entry. */
  name: string,
  /** Why. */
  why: string,
  /** Seeds with a run so far. */
  seeds: number,
  /** Mean over these; null if one of them has no value. */
  mean: number | null,
  /** Difference to the first entry over the seeds so far, if the offered work is the same: A is the first, B this one. */
  to_first: Difference | null,
  /** The difference with each of these seeds. */
  by_seed: Array<number>,
};

/** The verdict on a difference. */
export type Verdict = "better" | "worse" | "none-shown" | "unknown";

/** A query for what a step of a lesson shows. */
export type VerdictQuery = {
  /** The number of the step, from 0. */
  step: number,
  /** Its runs that have ended. */
  ended: Array<CaseFigures>,
  /** The reader's guess. */
  guess?: Guess,
};

/** Which columns. */
export type View = "ttft-over-time" | "e2e-over-time" | "itl-over-time" | "wait-over-time" | "goodput-over-time" | "attempts-over-time" | "throughput" | "queue-depth" | "running" | "kv-use" | "ttft-ecdf" | "e2e-ecdf" | "itl-ecdf" | "wait-ecdf" | "replicas" | "replica-lanes" | "estimator" | "health" | "fleet-load" | "gateway-bands" | "ports-out" | "ports-in" | "transfers" | "stages" | "little";

/** What a directive wanted kept of a context. */
export type WantedPart = {
  /** Up to this token of it. */
  tokens: number,
  /** For how long from the end of the turn; null for ever. */
  for_us: number | null,
};

/** One decision and its alternatives. */
export type WhatIf = {
  /** The request. */
  request: number,
  /** Which decision on it; missing for the one that all requests have. */
  stage?: AskedStage,
  /** When it was routed, in microseconds. */
  routed_us: number,
  /** The instant up to which all ran. */
  until_us: number,
  /** Whether this is the end of the run. */
  ended: boolean,
  /** The replica that was chosen. */
  chosen: number,
  /** The best candidate's score minus the chosen one's. */
  score_regret: number,
  /** How much earlier the request would have had its last token on the best of these replicas, in milliseconds; 0
   * if it was on the best. Null if it had not finished. */
  regret_ms: number | null,
  /** How much less time all requests together would have taken with the best of these, in milliseconds; null without alternatives. */
  total_regret_ms: number | null,
  /** Candidates left out by the limit of the query. */
  left_out: number,
  /** The candidates, the best by score first. */
  alternatives: Array<Alternative>,
};

/**
 *The answers to [`WhatIfQuestion`], by the name of the question. */
export type WhatIfAnswers = {
  /** Takes the run that the questions after it are about; they are refused if it is. */
  run: null,
  /** One decision and its alternatives. */
  "what-if": WhatIf,
  /** Runs ahead what such a question needs, so that its answer comes sooner. */
  prepare: null,
  /** Why slow requests are slow. */
  explain: Explanation,
  /** The same as Markdown. */
  "explain-markdown": string,
};

/** A query about one decision. */
export type WhatIfQuery = {
  /** The request of the decision. */
  request: number,
  /** Which decision on it, where roles differ: which replica answers it, or which one prefills it. */
  stage?: AskedStage,
  /** Only this replica; by default all that the router could have chosen. */
  to?: number,
  /** The instant up to which all runs continue; by default the end of the run. */
  until_us?: number,
  /** Most alternatives, the best by score first; 0 for all. */
  most: number,
  /** When the request was routed, in microseconds, if known: the answer is the same and comes sooner. */
  routed_us?: number,
};

/** A question about decisions of a run, or about its slow requests. */
export type WhatIfQuestion = { "run": AskedRun } | { "what-if": WhatIfQuery } | { "prepare": WhatIfQuery } | { "explain": ExplainQuery } | { "explain-markdown": ExplainQuery };

/** All kinds of events, in the order in which lists show them. */
export const EVENT_KINDS: readonly EventKind[] = [
  "arrived",
  "admitted",
  "rejected",
  "delayed",
  "gateway-queue",
  "routed",
  "queued",
  "kv-load",
  "kv-loaded",
  "adapter-load",
  "scheduled",
  "step",
  "step-end",
  "prefill",
  "first-token",
  "tokens",
  "preempted",
  "kv-offload",
  "reload",
  "blocked",
  "completed",
  "dropped",
  "livelock",
  "anomaly",
  "edit",
  "replica",
  "scaling",
  "redirected",
  "decided",
  "prefill-done",
  "reserved",
  "transfer",
  "landed",
  "joined",
  "handover-given-up",
  "fault",
  "broken",
  "retried",
  "lost",
];

/** All kinds of anomalies. */
export const ANOMALY_KINDS: readonly AnomalyKind[] = [
  "priority-inversion",
  "head-of-line-blocking",
  "kv-thrashing",
  "livelock",
  "load-imbalance",
  "oscillation",
  "capacity-never-reached",
  "tuner-locked-out",
  "starved-band",
  "decode-pool-full",
  "port-saturated",
  "retry-storm",
  "unavailable-pool",
  "slow-recovery",
];

/** All laws of queueing theory, by the names that queries take. */
export const LAWS: readonly (readonly [name: string, title: string])[] = [
  ["priority","M/G/1 with priorities"],
  ["closed-loop","Closed loop"],
  ["mm1k","M/M/1/K"],
  ["shortest-queue","Shortest queue"],
  ["power-of-d","Power of d"],
  ["round-robin","Round robin"],
  ["mdc","M/D/c"],
  ["mmc","M/M/c"],
  ["md1","M/D/1"],
  ["mm1","M/M/1"],
  ["mg1","M/G/1"],
  ["batch-server","Batch server"],
  ["processor-sharing","M/G/1-PS"],
  ["closed-form","Closed form"],
  ["limited-batch","Limited batch"],
  ["little","Little's law"],
];

/** Further figures of whole runs, as rows of sweeps and comparisons have them. */
export const RUN_METRICS: readonly (readonly [name: string, label: string, unit: MetricUnit])[] = [
  ["preemption_rate","Preemptions per finished request","ratio"],
  ["request_hit_rate","Requests with a cached prefix","share"],
  ["replicas_cov","Variation of load, replicas","ratio"],
  ["tenants_cov","Variation of load, tenants","ratio"],
  ["gpu_busy_seconds_per_request","Busy GPU-seconds per request","seconds"],
  ["usd_per_1k_tokens","Cost per 1,000 tokens","usd"],
  ["refused_reject_all","Refused: reject all","count"],
  ["refused_insufficient_tokens","Refused: insufficient tokens","count"],
  ["refused_rate_limit","Refused: rate limit","count"],
  ["refused_tenant_quota","Refused: tenant quota","count"],
  ["refused_concurrency_limit","Refused: concurrency limit","count"],
  ["refused_no_replica_takes_requests","Refused: no replica takes requests","count"],
  ["refused_no_replica_serves_the_model","Refused: no replica serves the model","count"],
  ["refused_wait_queue_full","Refused: wait queue full","count"],
  ["refused_no_replica_passes_the_filters","Refused: no replica passes the filters","count"],
  ["refused_replicas_saturated","Refused: replicas saturated","count"],
  ["refused_gateway_queue_full","Refused: gateway queue full","count"],
  ["refused_waited_too_long_at_the_gateway","Refused: waited too long at the gateway","count"],
  ["refused_no_replica_served_in_time","Refused: no replica served in time","count"],
  ["refused_shed","Refused: shed","count"],
  ["refused_session_cap","Refused: session cap","count"],
  ["anomalies_priority_inversion","Anomalies: priority inversion","count"],
  ["anomalies_head_of_line_blocking","Anomalies: head of line blocking","count"],
  ["anomalies_kv_thrashing","Anomalies: kv thrashing","count"],
  ["anomalies_livelock","Anomalies: livelock","count"],
  ["anomalies_load_imbalance","Anomalies: load imbalance","count"],
  ["anomalies_oscillation","Anomalies: oscillation","count"],
  ["anomalies_capacity_never_reached","Anomalies: capacity never reached","count"],
  ["anomalies_tuner_locked_out","Anomalies: tuner locked out","count"],
  ["anomalies_starved_band","Anomalies: starved band","count"],
  ["anomalies_decode_pool_full","Anomalies: decode pool full","count"],
  ["anomalies_port_saturated","Anomalies: port saturated","count"],
  ["anomalies_retry_storm","Anomalies: retry storm","count"],
  ["anomalies_unavailable_pool","Anomalies: unavailable pool","count"],
  ["anomalies_slow_recovery","Anomalies: slow recovery","count"],
];

/** The percentiles of headline numbers. */
export const PERCENTILES = [
  "p50",
  "p90",
  "p99",
] as const;
/** One of them. */
export type Percentile = (typeof PERCENTILES)[number];

/** The tables of a whole run, by their names on the command line. */
export const ROW_TABLES = [
  "requests",
  "decisions",
  "events",
  "series",
  "scaling",
] as const;
/** One of them. */
export type RowTable = (typeof ROW_TABLES)[number];

/** The formats of their rows. */
export const ROW_FORMATS = [
  "csv",
  "jsonl",
] as const;
/** One of them. */
export type RowFormat = (typeof ROW_FORMATS)[number];

/** The columns of the table of requests. */
export const REQUEST_COLUMNS = [
  "request",
  "name",
  "client",
  "tenant",
  "slo_class",
  "session",
  "pool",
  "replica",
  "state",
  "reason",
  "measured",
  "slo_met",
  "arrival_us",
  "routed_us",
  "queued_us",
  "first_scheduled_us",
  "kv_load_start_us",
  "kv_load_end_us",
  "first_token_us",
  "end_us",
  "prompt_tokens",
  "output_tokens",
  "target_output_tokens",
  "cached_tokens",
  "preemptions",
  "ttft_us",
  "tpot_us",
  "e2e_us",
  "gateway_queued_us",
  "gateway_sent_us",
  "home",
  "prefill",
  "decision",
  "prefill_first_us",
  "prefill_end_us",
  "reserved_us",
  "transfer_start_us",
  "flow_us",
  "landed_us",
  "joined_us",
  "transfer_bytes",
  "overlapped_bytes",
  "home_cached_blocks",
  "ttft_prefill_us",
  "ttft_decode_us",
  "home_read_blocks",
  "home_read_us",
  "recorded_at",
  "itl_us",
] as const;
/** One of them. */
export type RequestColumn = (typeof REQUEST_COLUMNS)[number];

/** All that a run can be run to. */
export const OCCASIONS: readonly OccasionChoice[] = [
  {"name":"preemption","label":"preemption","takes":"nothing","first":0},
  {"name":"missed","label":"missed objective","takes":"nothing","first":0},
  {"name":"refusal","label":"refusal","takes":"nothing","first":0},
  {"name":"queue-above","label":"queue above","takes":"count","first":10},
  {"name":"kv-above","label":"KV in use above","takes":"percent","first":95},
  {"name":"any-anomaly","label":"anomaly","takes":"nothing","first":0},
  {"name":"anomaly","label":"anomaly of a kind","takes":"anomaly-kind","first":0},
  {"name":"event","label":"event of a kind","takes":"event-kind","first":0},
  {"name":"request","label":"event of request","takes":"request","first":0},
  {"name":"edit","label":"edit","takes":"nothing","first":0},
  {"name":"transfer","label":"transfer","takes":"nothing","first":0},
  {"name":"landing","label":"landing","takes":"nothing","first":0},
];

/** Longest link that a post takes. */
export const LINK_CHARS_POST = 300;

/** Longest link that a camera reads as a QR code from a screen. */
export const LINK_CHARS_QR = 1200;

/** Longest link that a message of a chat takes. */
export const LINK_CHARS_CHAT = 2000;

/** Above this chats and mails cut links: the file is offered first. */
export const LINK_CHARS_FILE = 4000;

/** Most charts that a link names. */
export const LINK_CHARTS = 16;

/** Longest name of a run. */
export const RUN_NAME_CHARS = 40;
