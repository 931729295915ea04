//! One replica: its queue, its batch and the steps it makes.

use super::cache::{Cache, Wanted};
use super::case::{Compat, PoolConfig};
use super::request::Request;

/// One step as the trace shows it.
#[derive(Debug)]
pub(crate) struct StepLine {
    pub(crate) start: u64,
    pub(crate) dt: u64,
    pub(crate) waiting: usize,
    pub(crate) kv_used: usize,
    /// Request, tokens stored before, tokens in this step.
    pub(crate) batch: Vec<(usize, usize, usize)>,
}

/// Something that happened to a request and is listed for the whole fleet.
#[derive(Debug)]
pub(crate) enum Fact {
    Preempted { at: u64, replica: usize, request: usize },
    Dropped { at: u64, replica: usize, request: usize, reason: &'static str },
}

/// One replica.
#[derive(Debug)]
pub(crate) struct Replica {
    index: usize,
    pub(crate) cache: Cache,
    pub(crate) waiting: Vec<usize>,
    pub(crate) running: Vec<usize>,
    /// Length of the step in progress (default rules only: in the others a step is over as soon as it starts).
    busy: Option<u64>,
    /// Whether the agenda holds a step of this replica.
    pub(crate) step_due: bool,
    pub(crate) clock: u64,
    pub(crate) on_the_way: usize,
    pub(crate) steps: u64,
    pub(crate) completed: u64,
    pub(crate) dropped: u64,
    pub(crate) preempted: u64,
    pub(crate) failed_stores: u64,
    pub(crate) tokens_in: u64,
    pub(crate) tokens_out: u64,
    pub(crate) ttft_sum: u64,
    pub(crate) step_time: u64,
    pub(crate) block_time: f64,
    pub(crate) peak_blocks: usize,
    pub(crate) waiting_sum: u64,
    pub(crate) running_sum: u64,
    pub(crate) trace: Vec<StepLine>,
}

/// What a step of a replica works on.
pub(crate) struct Scene<'a> {
    pub(crate) compat: Compat,
    pub(crate) rules: &'a PoolConfig,
    pub(crate) trace_limit: usize,
    pub(crate) requests: &'a mut [Request],
    pub(crate) facts: &'a mut Vec<Fact>,
    pub(crate) now: u64,
}

impl Scene<'_> {
    fn default_rules(&self) -> bool {
        self.compat == Compat::None
    }

    fn overhead(&self) -> u64 {
        self.rules.alpha_coeffs[2] as u64
    }
}

impl Replica {
    pub(crate) fn new(index: usize, rules: &PoolConfig) -> Self {
        Self {
            index,
            cache: Cache::new(rules.total_kv_blocks, rules.block_size_tokens),
            waiting: Vec::new(),
            running: Vec::new(),
            busy: None,
            step_due: false,
            clock: 0,
            on_the_way: 0,
            steps: 0,
            completed: 0,
            dropped: 0,
            preempted: 0,
            failed_stores: 0,
            tokens_in: 0,
            tokens_out: 0,
            ttft_sum: 0,
            step_time: 0,
            block_time: 0.0,
            peak_blocks: 0,
            waiting_sum: 0,
            running_sum: 0,
            trace: Vec::new(),
        }
    }

    /// A request reaches the queue.
    pub(crate) fn enqueue(&mut self, scene: &mut Scene<'_>, request: usize) {
        self.on_the_way -= 1;
        let prompt = scene.requests[request].n_in;
        if !self.cache.could_ever_hold(prompt) {
            return self.drop_request(scene, request, "prompt-exceeds-kv-cache");
        }
        scene.requests[request].state = "queued";
        self.waiting.push(request);
        self.tokens_in += prompt as u64;
    }

    /// Runs what is due now and returns when the next step is due, and when a marker event is (rules of BLIS only).
    pub(crate) fn step(&mut self, scene: &mut Scene<'_>) -> (Option<u64>, Vec<u64>) {
        if scene.default_rules() {
            if let Some(dt) = self.busy.take() {
                self.end_step(scene, dt);
            }
            return (self.start_step(scene), Vec::new());
        }
        self.whole_step(scene)
    }

    /// Default rules: forms a batch and keeps the replica busy with it.
    fn start_step(&mut self, scene: &mut Scene<'_>) -> Option<u64> {
        if self.running.is_empty() && self.waiting.is_empty() {
            return None;
        }
        self.steps += 1;
        self.form_batch(scene);
        if self.running.is_empty() {
            assert!(self.waiting.is_empty(), "an idle replica with a waiting request");
            self.steps -= 1;
            return None;
        }
        let dt = self.duration(scene);
        self.note_start(scene, dt);
        self.busy = Some(dt);
        Some(scene.now + dt)
    }

    /// Default rules: what the batch computed becomes visible.
    fn end_step(&mut self, scene: &mut Scene<'_>, dt: u64) {
        self.step_time += dt;
        self.block_time += self.cache.used() as f64 * dt as f64;
        let (now, overhead) = (scene.now, scene.overhead());
        let mut done = Vec::new();
        for &i in &self.running {
            let r = &mut scene.requests[i];
            if r.share() > 0 {
                r.stored = r.reach;
                if r.stored >= r.prefill {
                    r.generated += 1;
                    if r.generated == 1 {
                        r.ttft = Some(now + overhead - r.arrival);
                    } else {
                        r.itl.push(now - r.last_token + overhead);
                    }
                    r.last_token = now;
                }
            }
            if r.generated == r.n_out.max(1) {
                done.push(i);
            }
        }
        self.running.retain(|i| !done.contains(i));
        for i in done {
            self.cache.release(i);
            self.complete(&mut scene.requests[i]);
            scene.requests[i].finished = Some(now);
        }
    }

    /// Rules of BLIS: the results of a step are there as soon as it starts.
    fn whole_step(&mut self, scene: &mut Scene<'_>) -> (Option<u64>, Vec<u64>) {
        if self.running.is_empty() && self.waiting.is_empty() {
            return (None, Vec::new());
        }
        self.steps += 1;
        self.form_batch(scene);
        let dt = self.duration(scene);
        self.note_start(scene, dt);
        let (end, overhead) = (scene.now + dt, scene.overhead());
        for &i in &self.running {
            let r = &mut scene.requests[i];
            if r.stored < r.n_in {
                r.stored = r.reach;
            } else if r.share() > 0 {
                r.stored += 1;
                r.itl.push(dt + overhead);
            } else {
                continue;
            }
            if r.stored == r.n_in && !r.seen_first {
                r.seen_first = true;
                r.ttft = Some(end + overhead - r.arrival);
            }
        }
        self.step_time += dt;
        self.block_time += self.cache.used() as f64 * dt as f64;
        let mut markers = Vec::new();
        for i in self.running.clone() {
            let r = &mut scene.requests[i];
            if r.stored != r.n_in + r.n_out.max(1) - 1 {
                continue;
            }
            let last =
                Wanted { request: i, prefixes: &r.prefixes, tokens: 1, shared: &[], prefilling: false };
            if r.n_out > 0 && !self.cache.store(&last) {
                self.failed_stores += 1;
            }
            self.cache.release(i);
            self.running.retain(|&x| x != i);
            self.complete(r);
            markers.push(end);
        }
        let idle = self.running.is_empty() && self.waiting.is_empty();
        ((!idle).then_some(end), markers)
    }

    fn complete(&mut self, r: &mut Request) {
        let ttft = r.ttft.expect("a finished request has a first token");
        r.state = "completed";
        r.finish_step = self.steps;
        r.e2e = Some(ttft + r.itl.iter().sum::<u64>());
        self.completed += 1;
        self.ttft_sum += ttft;
        self.tokens_out += r.n_out as u64;
    }

    fn duration(&self, scene: &Scene<'_>) -> u64 {
        let (mut prefill, mut decode) = (0_usize, 0_usize);
        for &i in &self.running {
            let r = &scene.requests[i];
            if r.stored < r.prefill {
                prefill += r.share();
            } else {
                decode += r.share();
            }
        }
        let b = &scene.rules.beta_coeffs;
        ((b[0] + b[1] * prefill as f64 + b[2] * decode as f64) as u64).max(1)
    }

    fn note_start(&mut self, scene: &Scene<'_>, dt: u64) {
        self.waiting_sum += self.waiting.len() as u64;
        self.running_sum += self.running.len() as u64;
        self.peak_blocks = self.peak_blocks.max(self.cache.used());
        if self.trace.len() < scene.trace_limit {
            let line = |&i: &usize| (i, scene.requests[i].stored, scene.requests[i].share());
            self.trace.push(StepLine {
                start: scene.now,
                dt,
                waiting: self.waiting.len(),
                kv_used: self.cache.used(),
                batch: self.running.iter().map(line).collect(),
            });
        }
    }

    /// Shares the token budget out: running requests first, then the head of the queue.
    fn form_batch(&mut self, scene: &mut Scene<'_>) {
        for &i in &self.running {
            scene.requests[i].granted = None;
        }
        self.sort_queue(scene);
        let preempted_before = self.preempted;
        let (mut budget, mut waits) = self.serve(scene);
        while waits && self.running.iter().all(|&i| scene.requests[i].granted.is_none()) {
            let latest = self.running.pop().expect("somebody waits");
            self.preempt(scene, latest);
            (budget, waits) = self.serve(scene);
        }
        let default_rules = scene.default_rules();
        let crowded = |me: &Self| {
            (waits || me.preempted > preempted_before) && !(default_rules && me.running.is_empty())
        };
        let mut open = true;
        while open && budget > 0 && !self.waiting.is_empty() {
            if self.running.len() >= scene.rules.max_num_running_reqs || crowded(self) {
                break;
            }
            match self.admit(scene, budget) {
                Some(tokens) => budget -= tokens,
                None if scene.default_rules() && self.running.is_empty() => {
                    // Prompt and output so far exceed the cache; the documented rules leave this open.
                    let request = self.waiting.remove(0);
                    self.drop_request(scene, request, "outgrew-kv-cache");
                }
                None => open = false,
            }
        }
    }

    /// Serves the running requests; returns the budget left, and whether one of them waits for a block.
    fn serve(&mut self, scene: &mut Scene<'_>) -> (usize, bool) {
        let (mut budget, mut waits) = (scene.rules.max_num_scheduled_tokens, false);
        let mut at = 0;
        while at < self.running.len() && budget > 0 {
            let i = self.running[at];
            let r = &scene.requests[i];
            let tokens = match r.prefill.saturating_sub(r.stored) {
                0 => 1,
                left => piece(scene.rules, left, budget),
            };
            match self.grow(scene, at, tokens) {
                Grown::Yes => {
                    scene.requests[i].granted = Some(tokens);
                    scene.requests[i].reach = scene.requests[i].stored + tokens;
                    budget -= tokens;
                    at += 1;
                }
                Grown::Waits => {
                    waits = true;
                    at += 1;
                }
                Grown::Left => {}
            }
        }
        (budget, waits)
    }

    /// Puts the queue into the order that scheduler and priority ask for; first come, first served leaves it as it is.
    fn sort_queue(&mut self, scene: &Scene<'_>) {
        let key = |r: &Request| match scene.rules.scheduler.as_str() {
            "sjf" => r.n_in as i128,
            "priority-fcfs" => -urgency(scene.rules, i128::from(r.arrival)),
            "reverse-priority" => urgency(scene.rules, i128::from(r.arrival)),
            _ => 0,
        };
        if !matches!(scene.rules.scheduler.as_str(), "" | "fcfs") {
            let requests = &*scene.requests;
            self.waiting.sort_by_key(|&i| (key(&requests[i]), requests[i].arrival, &requests[i].id));
        }
    }

    /// Makes room for `tokens` more tokens of the running request at place `at`, at the expense of itself or one behind it.
    fn grow(&mut self, scene: &mut Scene<'_>, at: usize, tokens: usize) -> Grown {
        let request = self.running[at];
        loop {
            let r = &scene.requests[request];
            let want = Wanted {
                request,
                prefixes: &r.prefixes,
                tokens,
                shared: &[],
                prefilling: r.stored < r.prefill,
            };
            if self.cache.store(&want) {
                return Grown::Yes;
            }
            if scene.rules.without_preemption && self.running.len() > 1 {
                return Grown::Waits;
            }
            let victim = self.running.remove(self.who_makes_room(scene, at));
            if scene.default_rules() && self.running.is_empty() {
                self.cache.release(victim);
                self.drop_request(scene, victim, "outgrew-kv-cache");
                return Grown::Left;
            }
            self.preempt(scene, victim);
            if victim == request {
                return Grown::Left;
            }
        }
    }

    /// The place in the batch, `from` or later, of who makes room.
    fn who_makes_room(&self, scene: &Scene<'_>, from: usize) -> usize {
        let worth = |i: usize| {
            let r = &scene.requests[i];
            match scene.rules.victim.as_str() {
                "lowest-priority" => urgency(scene.rules, i128::from(r.arrival)),
                "cheapest-to-recompute" => r.stored as i128,
                _ => 0,
            }
        };
        (from..self.running.len()).rev().min_by_key(|&k| worth(self.running[k])).expect("itself at least")
    }

    fn preempt(&mut self, scene: &mut Scene<'_>, victim: usize) {
        self.cache.release(victim);
        self.preempted += 1;
        self.waiting.insert(0, victim);
        let keeps_output = scene.default_rules();
        let r = &mut scene.requests[victim];
        r.preemptions += 1;
        r.state = "queued";
        r.stored = 0;
        r.reach = 0;
        r.granted = None;
        if !keeps_output {
            r.itl.clear();
            r.seen_first = false;
        }
        scene.facts.push(Fact::Preempted { at: scene.now, replica: self.index, request: victim });
    }

    /// Moves the head of the queue into the batch; returns the tokens it takes of the budget.
    fn admit(&mut self, scene: &mut Scene<'_>, budget: usize) -> Option<usize> {
        let i = self.waiting[0];
        let (rules, now, default_rules) = (scene.rules, scene.now, scene.default_rules());
        let r = &mut scene.requests[i];
        let mut reusable = r.prefill;
        if default_rules {
            r.prefill = r.n_in + r.generated;
            reusable = r.prefill - 1;
        }
        if rules.without_prefix_caching {
            reusable = 0;
        }
        let shared = self.cache.find(&r.prefixes[..reusable / rules.block_size_tokens]);
        let start = shared.len() * rules.block_size_tokens;
        let tokens = piece(rules, r.prefill - start, budget);
        let whole = if rules.whole_prompts { r.prefill } else { start + tokens };
        let need = whole.div_ceil(rules.block_size_tokens) - shared.len();
        if need + self.cache.unheld(&shared) + self.kept_free(scene) > self.cache.free() {
            return None;
        }
        let r = &mut scene.requests[i];
        let want = Wanted { request: i, prefixes: &r.prefixes, tokens, shared: &shared, prefilling: true };
        if !self.cache.store(&want) {
            return None;
        }
        self.waiting.remove(0);
        self.running.push(i);
        r.state = "running";
        r.first_scheduled.get_or_insert(now);
        r.scheduled = Some((now, self.steps));
        r.granted = Some(tokens);
        r.reach = start + tokens;
        Some(tokens)
    }

    /// Free blocks with which no request may join now.
    fn kept_free(&self, scene: &Scene<'_>) -> usize {
        let rules = scene.rules;
        let mut kept = 0;
        if !self.running.is_empty() {
            kept += rules.total_kv_blocks * rules.watermark_permille as usize / 1000;
        }
        if rules.whole_prompts {
            for &i in &self.running {
                let r = &scene.requests[i];
                if r.stored < r.prefill {
                    kept += r.prefill.div_ceil(rules.block_size_tokens) - self.cache.held_by(i);
                }
            }
        }
        kept
    }

    fn drop_request(&mut self, scene: &mut Scene<'_>, request: usize, reason: &'static str) {
        self.dropped += 1;
        let visible = scene.default_rules();
        let r = &mut scene.requests[request];
        r.drop_reason = Some(reason);
        if visible {
            r.state = "dropped";
        }
        scene.facts.push(Fact::Dropped { at: scene.now, replica: self.index, request, reason });
    }
}

/// What became of a running request that asked for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grown {
    Yes,
    /// It keeps its place and gets nothing.
    Waits,
    /// It is no longer running.
    Left,
}

/// How urgent a request is: 0, the longest waiting, or the latest.
fn urgency(rules: &PoolConfig, arrival: i128) -> i128 {
    match rules.priority_policy.as_str() {
        "slo-based" => -arrival,
        "inverted-slo" => arrival,
        _ => 0,
    }
}

/// How many of `left` prompt tokens one step computes.
fn piece(rules: &PoolConfig, left: usize, budget: usize) -> usize {
    let cut = match rules.long_prefill_token_threshold {
        0 => left,
        limit => left.min(limit),
    };
    cut.min(budget)
}
