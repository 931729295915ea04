//! A scenario as a queue: the service times and steps of a replica for the requests of a run.

use super::observed::{Kind, Observed};
use base::Diagnostics;
use document::{AdmissionPolicy, OverLimit, PriorityPolicy, Role, RoutingPolicy, Scenario, Scheduler};
use engine::perf::{Chunk, Plan, Resolved, StepLoad, StepModel};

/// Most steps whose time is computed; of more, evenly spread ones represent all.
const MOST_STEPS: u64 = 500_000;
/// The larger of the two batches of the line of a step's time.
const LARGE_BATCH: u32 = 64;
/// A fixed part of a step below this share of a request's part counts as none.
const NO_FIXED_PART: f64 = 0.05;
/// A request's part of a step below this share of the fixed part counts as none.
const NO_OWN_PART: f64 = 1e-6;

/// The moments of the service of some requests that are served one at a time, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Service {
    /// Mean.
    pub(super) mean: f64,
    /// Squared coefficient of variation.
    pub(super) scv: f64,
    /// Mean time of the steps that compute the prompt: to the first token.
    pub(super) first: f64,
    /// Their share of the requests.
    pub(super) share: f64,
}

/// The times of a batch, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Batch {
    /// A step without any request.
    pub(super) alpha: f64,
    /// Time that a request adds to a step in which it decodes.
    pub(super) decode: f64,
    /// Time that a prompt adds to its step, and the mean of its square.
    pub(super) prompt: f64,
    pub(super) prompt_squared: f64,
    /// Steps of a request: one for its prompt, which gives the first token, and one for each further token.
    pub(super) steps: f64,
    /// Mean time that a request adds to each of its steps: its total work divided by its steps.
    pub(super) delta: f64,
    /// How far the time of a step of half the large batch is off the line, as a share of it.
    pub(super) bend: f64,
}

/// The replicas, and how requests are distributed to them.
#[derive(Clone, Debug)]
pub(super) struct Fleet {
    pub(super) scenario: Scenario,
    pub(super) replicas: u32,
    pub(super) pools: usize,
    pub(super) routing: RoutingPolicy,
    pub(super) max_batch: u32,
    pub(super) step_tokens: u32,
    /// Service of all requests, and of each class that sent some, by number.
    pub(super) service: Service,
    pub(super) of_class: Vec<(u32, Service)>,
    pub(super) class_names: Vec<String>,
    pub(super) batch: Batch,
    /// Parts of TTFT besides waiting and steps, and of a token's time besides its step, in milliseconds.
    pub(super) outside_ms: f64,
    pub(super) output_ms: f64,
    pub(super) ahead: bool,
}

impl Fleet {
    /// A scenario as a queue for the requests of a run. All problems of the scenario are reported at once.
    pub(super) fn new(scenario: &Scenario, seen: &Observed) -> Result<Self, Diagnostics> {
        let (plan, _) = Plan::new(scenario.clone())?;
        let cluster = &scenario.cluster;
        let replicas = cluster.pools.iter().map(|p| p.replicas).sum::<u32>().max(1);
        let resolved = &plan.resolved()[0];
        let work = Work::new(resolved, cluster.pools[0].engine.long_prefill_threshold_tokens);
        let all = work.of_all(&seen.kinds);
        let mut classes: Vec<u32> = seen.kinds.iter().map(|k| k.class).collect();
        classes.sort_unstable();
        classes.dedup();
        let of = |class: u32| {
            let kinds: Vec<Kind> = seen.kinds.iter().filter(|k| k.class == class).copied().collect();
            (class, service(&kinds, &work.of_all(&kinds)))
        };
        let total: f64 = seen.kinds.iter().map(|k| k.count).sum();
        let of_class = classes.into_iter().map(of).map(|(class, s)| {
            (class, Service { share: if total > 0.0 { s.share / total } else { 0.0 }, ..s })
        });
        let model = &resolved.model;
        let ms = |us: u64| us as f64 / 1000.0;
        let (delay, output_ms) = (work.queueing(&seen.kinds), ms(model.output_overhead().0));
        let gateway = ms(cluster.admission_latency_us + cluster.routing_latency_us);
        Ok(Self {
            replicas,
            pools: cluster.pools.iter().filter(|p| p.replicas > 0).count(),
            routing: cluster.routing.clone(),
            max_batch: resolved.max_num_seqs,
            step_tokens: work.step_tokens,
            service: service(&seen.kinds, &all),
            of_class: of_class.collect(),
            class_names: seen.classes.clone(),
            batch: work.batch(&seen.kinds),
            outside_ms: gateway + delay + ms(model.streaming(1).0) + output_ms,
            output_ms,
            ahead: model.schedules_ahead(),
            scenario: scenario.clone(),
        })
    }

    /// Whether steps yield more tokens than one of each request.
    pub(super) fn drafts(&self) -> bool {
        self.scenario.cluster.pools.iter().any(|p| p.engine.speculative.is_some())
    }

    /// Whether requests are prefilled on one replica and decoded on another.
    pub(super) fn has_roles(&self) -> bool {
        self.scenario.cluster.pools.iter().any(|p| p.role != Role::Mixed)
    }

    /// Whether replicas have several batches under way.
    pub(super) fn has_stages(&self) -> bool {
        self.scenario.cluster.pools.iter().any(|p| p.pp > 1)
    }

    /// The number of servers behind one queue, if there is one: the gateway holds requests until a replica is free,
    /// and a router by load finds it; or one replica has a batch whose step time does not depend on its requests.
    pub(super) fn one_queue(&self) -> Option<u32> {
        if let AdmissionPolicy::ConcurrencyLimit(limit) = &self.scenario.cluster.admission
            && limit.then == OverLimit::Delay
            && self.max_batch == 1
            && limit.max_in_flight == self.replicas
            && (self.replicas == 1 || matches!(self.routing, RoutingPolicy::LeastLoaded))
        {
            return Some(self.replicas);
        }
        let free = self.batch.delta <= NO_OWN_PART * self.batch.alpha;
        (self.replicas == 1 && self.max_batch > 1 && free).then_some(self.max_batch)
    }

    /// Servers that work side by side for a law of several servers.
    pub(super) fn servers(&self) -> u32 {
        self.one_queue().unwrap_or(self.replicas.saturating_mul(self.max_batch))
    }

    /// Places of the whole system, the server's own included, if they are limited and a request without a place is
    /// lost.
    pub(super) fn places(&self) -> Option<u32> {
        if let AdmissionPolicy::ConcurrencyLimit(limit) = &self.scenario.cluster.admission
            && limit.then == OverLimit::Reject
        {
            return Some(limit.max_in_flight);
        }
        let waiting = self.scenario.cluster.pools[0].engine.max_waiting;
        (waiting > 0).then(|| waiting + self.max_batch)
    }

    /// The score of each class, if requests are served by class.
    pub(super) fn by_class(&self) -> Option<&document::ClassScores> {
        let engine = &self.scenario.cluster.pools[0].engine;
        match &engine.priority {
            PriorityPolicy::SloClass(scores) if engine.scheduler == Scheduler::PriorityFcfs => Some(scores),
            PriorityPolicy::SloClass(_)
            | PriorityPolicy::Constant
            | PriorityPolicy::SloBased
            | PriorityPolicy::InvertedSlo
            | PriorityPolicy::TenantPriority(_)
            | PriorityPolicy::DeadlineAware(_)
            | PriorityPolicy::Request => None,
        }
    }

    /// Whether a step has no fixed part.
    pub(super) fn has_no_fixed_part(&self) -> bool {
        self.batch.alpha < NO_FIXED_PART * self.batch.delta
    }
}

/// Times of a request alone: all its steps, and those of its prompt, in milliseconds.
type Alone = (f64, f64);

/// The moments of services.
fn service(kinds: &[Kind], alone: &[Alone]) -> Service {
    let total: f64 = kinds.iter().map(|k| k.count).sum();
    if total <= 0.0 {
        return Service::default();
    }
    let mean = |of: &dyn Fn(&Alone) -> f64| {
        kinds.iter().zip(alone).map(|(k, a)| k.count * of(a)).sum::<f64>() / total
    };
    let (all, square, first) = (mean(&|a| a.0), mean(&|a| a.0 * a.0), mean(&|a| a.1));
    let scv = if all > 0.0 { (square / (all * all) - 1.0).max(0.0) } else { 0.0 };
    Service { mean: all, scv, first, share: total }
}

/// Computes how long a replica works for requests.
struct Work<'a> {
    model: &'a StepModel,
    max_batch: u32,
    step_tokens: u32,
}

impl<'a> Work<'a> {
    fn new(resolved: &'a Resolved, threshold: u32) -> Self {
        let step_tokens = resolved.max_num_batched_tokens;
        Self {
            model: &resolved.model,
            max_batch: resolved.max_num_seqs,
            step_tokens: if threshold > 0 { step_tokens.min(threshold) } else { step_tokens }.max(1),
        }
    }

    fn step_ms(&self, prefill: &[Chunk], decode: u32, decode_context: u64) -> f64 {
        self.model.step(&StepLoad { prefill, decode, decode_context, drafts: 0, padding: 0 }).0 as f64
            / 1000.0
    }

    /// The steps of a prompt that is computed alone.
    fn prompt_ms(&self, tokens: u32) -> f64 {
        let (mut done, mut sum) = (0, 0.0);
        while done < tokens {
            let now = (tokens - done).min(self.step_tokens);
            sum += self.step_ms(&[Chunk { context: done, cached: 0, tokens: now }], 0, 0);
            done += now;
        }
        sum
    }

    /// Times of each kind of request alone. Of very many steps only some are computed.
    fn of_all(&self, kinds: &[Kind]) -> Vec<Alone> {
        let steps: u64 = kinds.iter().map(|k| u64::from(k.output)).sum();
        let stride = (steps / MOST_STEPS + 1) as u32;
        let alone = |k: &Kind| {
            let first = self.prompt_ms(k.prompt);
            let (mut sum, mut asked) = (0.0, 0.0);
            let mut token = 1;
            while token < k.output {
                sum += self.step_ms(&[], 1, u64::from(k.prompt) + u64::from(token));
                asked += 1.0;
                token += stride;
            }
            let further = f64::from(k.output.max(1) - 1);
            (first + if asked > 0.0 { sum / asked * further } else { 0.0 }, first)
        };
        kinds.iter().map(alone).collect()
    }

    /// The mean delay between router and wait queue where no front end has others before it, in milliseconds.
    fn queueing(&self, kinds: &[Kind]) -> f64 {
        let total: f64 = kinds.iter().map(|k| k.count).sum();
        let ms =
            |k: &Kind| (self.model.front_end(k.prompt) + self.model.queueing(k.prompt)).0 as f64 / 1000.0;
        let sum: f64 = kinds.iter().map(|k| k.count * ms(k)).sum();
        if total > 0.0 { sum / total } else { 0.0 }
    }

    /// The batch: a line through a step of one request and one of many, and what prompts add to a step.
    fn batch(&self, kinds: &[Kind]) -> Batch {
        let total: f64 = kinds.iter().map(|k| k.count).sum();
        if total <= 0.0 {
            return Batch::default();
        }
        let mean = |of: &dyn Fn(&Kind) -> f64| kinds.iter().map(|k| k.count * of(k)).sum::<f64>() / total;
        let steps = mean(&|k| f64::from(k.output.max(1)));
        // On average a request decodes with half its answer done; requests are weighted by their decoding steps.
        let decoding = mean(&|k| f64::from(k.output.max(1) - 1)).max(f64::MIN_POSITIVE);
        let context =
            mean(&|k| f64::from(k.output.max(1) - 1) * (f64::from(k.prompt) + f64::from(k.output) / 2.0))
                / decoding;
        let decode_step = |n: u32| self.step_ms(&[], n, (f64::from(n) * context) as u64);
        let large = LARGE_BATCH.min(self.max_batch).max(3);
        let (one, all, half) = (decode_step(1), decode_step(large), decode_step(large / 2));
        let decode = ((all - one) / f64::from(large - 1)).max(0.0);
        let alpha = (one - decode).max(0.0);
        let line = alpha + decode * f64::from(large / 2);
        let added = |k: &Kind| {
            let chunks = f64::from(k.prompt.div_ceil(self.step_tokens));
            (self.prompt_ms(k.prompt) - chunks * alpha).max(0.0)
        };
        let prompt = mean(&added);
        Batch {
            alpha,
            decode,
            prompt,
            prompt_squared: mean(&|k| added(k) * added(k)),
            steps,
            delta: (prompt + (steps - 1.0) * decode) / steps,
            bend: if line > 0.0 { (half / line - 1.0).abs() } else { 0.0 },
        }
    }
}
