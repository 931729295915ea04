//! The step log: what the steps of each replica were spent on, from the facts of a run: prompts, decoding, transfers
//! from the CPU tier.
//!
//! A step's time has three parts: its time without prompts, by the latency model; the time that its prompts add; and
//! transfers. Sums of these over the steps before an instant make any stretch of a replica's time a difference of two
//! sums, so adjacent stretches add up exactly. Within a step the parts are spread evenly, in whole microseconds.

use base::{Chunks, Micros, ReplicaId, RequestId, Span};
use engine::{Decision, Fact, ReplicaFact, RequestFact, Sink, StepParts};

/// Most steps kept, of all replicas together: 56 bytes each.
pub(super) const STEPS: usize = 4_000_000;

/// How a stretch of a replica's time was spent, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spent {
    /// Time that prompts add to steps.
    pub(super) prompts: u64,
    /// Transfers from the CPU tier and loads of adapters within steps.
    pub(super) transfers: u64,
    /// The rest of steps: decoding.
    pub(super) decoding: u64,
    /// No step ran.
    pub(super) idle: u64,
}

/// A step, with the sums over all steps before it.
#[derive(Clone, Copy, Debug)]
struct StepAt {
    from: u64,
    span: u64,
    prompts: u64,
    transfers: u64,
    before_prompts: u64,
    before_transfers: u64,
    before_all: u64,
}

/// The steps of one replica.
#[derive(Clone, Debug, Default)]
struct ReplicaSteps {
    steps: Chunks<StepAt>,
    /// Prompt tokens in the latest step.
    prompt_tokens: u64,
}

/// The facts about one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// Its share of the time that prompts added to the steps that computed its own, until its first preemption.
    pub(super) own_prompt_us: u64,
    /// Whether it was preempted.
    preempted: bool,
    /// Load of its replica as seen by the router, and the true load.
    pub(super) load: Option<[u32; 2]>,
}

/// Prompt work of one client on one replica, at the ends of its steps: the instant, and the sum up to it.
type Work = Vec<(u64, u64)>;

/// The data kept from a run's facts.
#[derive(Clone, Debug, Default)]
pub(super) struct StepLog {
    replicas: Vec<ReplicaSteps>,
    told: Vec<Told>,
    /// By request, its client.
    clients: Vec<u32>,
    /// By replica and client.
    work: Vec<Vec<Work>>,
    kept: usize,
    parts: StepParts,
}

impl Sink for StepLog {
    fn wants_step_parts(&self) -> bool {
        true
    }

    fn step_parts(&mut self, parts: StepParts) {
        self.parts = parts;
    }

    fn wants_decision(&self, _: RequestId, _: usize) -> bool {
        true
    }

    fn decision(&mut self, _: Micros, d: &Decision) {
        // The load of the replica where it is computed first counts, for that is where it waits.
        let (Some(request), Some(chosen)) = (d.request, d.chosen) else { return };
        self.told(request).load = Some([d.seen[chosen].load(), d.true_load[chosen]]);
    }

    fn fact(&mut self, at: Micros, fact: Fact) {
        if let Fact::Request(RequestFact::Arrived { request, client, .. }) = fact {
            let i = request.index();
            if self.clients.len() <= i {
                self.clients.resize(i + 1, 0);
            }
            self.clients[i] = client;
        } else if let Fact::Replica(ReplicaFact::StepStarted { replica, span, prefill, .. }) = fact {
            self.step(replica, at, span, prefill);
        } else if let Fact::Request(RequestFact::Prefilled { request, replica, tokens }) = fact {
            self.prefilled(request, replica, tokens);
        } else if let Fact::Request(RequestFact::Preempted { request, .. }) = fact {
            self.told(request).preempted = true;
        }
    }
}

impl StepLog {
    /// Whether there were more steps than are kept.
    pub(super) fn is_full(&self) -> bool {
        self.kept >= STEPS
    }

    /// The facts about a request.
    pub(super) fn of(&self, request: RequestId) -> Told {
        self.told.get(request.index()).copied().unwrap_or_default()
    }

    fn told(&mut self, request: RequestId) -> &mut Told {
        let i = request.index();
        if self.told.len() <= i {
            self.told.resize(i + 1, Told::default());
        }
        &mut self.told[i]
    }

    fn step(&mut self, replica: ReplicaId, at: Micros, span: Span, prefill: u32) {
        if self.is_full() {
            return;
        }
        self.kept += 1;
        if self.replicas.len() <= replica.index() {
            self.replicas.resize_with(replica.index() + 1, ReplicaSteps::default);
        }
        let r = &mut self.replicas[replica.index()];
        let [prompts, transfers] = [self.parts.prompts.0, self.parts.transfers.0 + self.parts.adapters.0];
        let mut next = StepAt {
            from: at.0,
            span: span.0,
            prompts,
            transfers,
            before_prompts: 0,
            before_transfers: 0,
            before_all: 0,
        };
        if let Some(last) = r.steps.last() {
            // Under `compat: blis` a step can begin while the previous step of an idle replica still runs: the
            // previous one ends there.
            let spent = last.spent(at.0);
            next.before_prompts = last.before_prompts + spent.prompts;
            next.before_transfers = last.before_transfers + spent.transfers;
            next.before_all = last.before_all + spent.prompts + spent.transfers + spent.decoding;
        }
        r.steps.push(next);
        r.prompt_tokens = u64::from(prefill);
    }

    fn prefilled(&mut self, request: RequestId, replica: ReplicaId, tokens: u32) {
        let Some(r) = self.replicas.get(replica.index()) else { return };
        let Some(step) = r.steps.last() else { return };
        let share = share_of(step.prompts, u64::from(tokens), r.prompt_tokens);
        let end = step.from + step.span;
        let told = self.told(request);
        if !told.preempted {
            told.own_prompt_us += share;
        }
        let client = self.clients.get(request.index()).copied().unwrap_or_default() as usize;
        if self.work.len() <= replica.index() {
            self.work.resize_with(replica.index() + 1, Vec::new);
        }
        let of_replica = &mut self.work[replica.index()];
        if of_replica.len() <= client {
            of_replica.resize_with(client + 1, Vec::new);
        }
        let work = &mut of_replica[client];
        let all = work.last().map_or(0, |(_, all)| *all) + share;
        match work.last_mut() {
            Some(last) if last.0 == end => last.1 = all,
            _ => work.push((end, all)),
        }
    }

    /// How a replica's time between two instants was spent: the parts add up to it.
    pub(super) fn spent(&self, replica: ReplicaId, from: u64, to: u64) -> Spent {
        let Some(r) = self.replicas.get(replica.index()) else {
            return Spent { idle: to - from, ..Spent::default() };
        };
        let [a, b] = [from, to].map(|at| r.sums(at));
        let all = b[2] - a[2];
        let (prompts, transfers) = (b[0] - a[0], b[1] - a[1]);
        Spent { prompts, transfers, decoding: all - prompts - transfers, idle: (to - from) - all }
    }

    /// By client: time that prompts added to the steps of a replica that ended in a stretch of its time.
    pub(super) fn prompt_work(&self, replica: ReplicaId, from: u64, to: u64, of: &mut [u64]) {
        let Some(clients) = self.work.get(replica.index()) else { return };
        for (work, sum) in clients.iter().zip(of) {
            let up_to = |at: u64| {
                let after = work.partition_point(|(end, _)| *end <= at);
                after.checked_sub(1).map_or(0, |i| work[i].1)
            };
            *sum += up_to(to) - up_to(from);
        }
    }
}

/// The share `part` / `of` of an amount, rounded down.
fn share_of(amount: u64, part: u64, of: u64) -> u64 {
    if of == 0 { 0 } else { (u128::from(amount) * u128::from(part.min(of)) / u128::from(of)) as u64 }
}

impl StepAt {
    /// How its own time was spent up to an instant. When a whole is cut in two, one part is rounded and the other is
    /// the rest: so the parts add up, and none shrinks as time passes.
    fn spent(&self, at: u64) -> Spent {
        let passed = (at.saturating_sub(self.from)).min(self.span);
        let both = self.prompts + self.transfers;
        let besides = share_of(both, passed, self.span);
        let prompts = share_of(self.prompts, besides, both);
        Spent { prompts, transfers: besides - prompts, decoding: passed - besides, idle: 0 }
    }
}

impl ReplicaSteps {
    /// Prompts, transfers and all of the time of steps up to an instant.
    fn sums(&self, at: u64) -> [u64; 3] {
        // The last step that began at or before it.
        let (mut low, mut high) = (0, self.steps.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.steps[middle].from <= at {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let Some(last) = low.checked_sub(1) else { return [0; 3] };
        let step = &self.steps[last];
        let spent = step.spent(at);
        let own = spent.prompts + spent.transfers + spent.decoding;
        [step.before_prompts + spent.prompts, step.before_transfers + spent.transfers, step.before_all + own]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(at: u64, span: u64, prompts: u64, prefill: u32, log: &mut StepLog) {
        started_with(at, span, [prompts, 0], prefill, log);
    }

    fn started_with(at: u64, span: u64, parts: [u64; 2], prefill: u32, log: &mut StepLog) {
        let [prompts, transfers] = parts.map(Span);
        let parts = StepParts { prompts, transfers, adapters: Span::ZERO };
        log.step_parts(parts);
        let (replica, span) = (ReplicaId(0), Span(span));
        let fact = Fact::Replica(ReplicaFact::StepStarted {
            replica,
            span,
            prefill,
            decode: 1,
            running: 1,
            waiting: 0,
            kv_used: 0,
        });
        log.fact(Micros(at), fact);
    }

    #[test]
    fn stretches_add_up_wherever_they_are_cut() {
        let mut log = StepLog::default();
        started(10, 7, 3, 5, &mut log);
        started(20, 11, 11, 5, &mut log);
        started(31, 5, 0, 0, &mut log);
        let sum = |s: Spent| s.prompts + s.transfers + s.decoding + s.idle;
        let whole = log.spent(ReplicaId(0), 0, 50);
        assert_eq!(whole, Spent { prompts: 14, transfers: 0, decoding: 9, idle: 27 });
        for cut in 0..=50 {
            let [a, b] = [log.spent(ReplicaId(0), 0, cut), log.spent(ReplicaId(0), cut, 50)];
            assert_eq!(a.prompts + b.prompts, whole.prompts, "cut at {cut}");
            assert_eq!(a.idle + b.idle, whole.idle, "cut at {cut}");
            assert_eq!((sum(a), sum(b)), (cut, 50 - cut));
        }
        assert_eq!(log.spent(ReplicaId(3), 4, 9), Spent { idle: 5, ..Spent::default() });
    }

    /// The law of every account: whatever a step was spent on, stretches add up to their length and to the whole, part by part.
    #[test]
    fn parts_of_any_steps_add_up_wherever_they_are_cut() {
        use base::rng::{Purpose, Stream};
        let mut draws = Stream::new(34, Purpose::Ties, 0);
        for _ in 0..400 {
            let mut log = StepLog::default();
            let mut at = u64::from(draws.below(5));
            for _ in 0..3 {
                let span = 1 + u64::from(draws.below(40));
                let prompts = u64::from(draws.below(span as u32 + 1));
                let transfers = u64::from(draws.below((span - prompts) as u32 + 1));
                started_with(at, span, [prompts, transfers], 7, &mut log);
                // The next one begins before its end, at it or later.
                at += (span + u64::from(draws.below(5))).saturating_sub(2);
            }
            let end = at + 60;
            let parts = |from, to| {
                let s = log.spent(ReplicaId(0), from, to);
                [s.prompts, s.transfers, s.decoding, s.idle]
            };
            let whole = parts(0, end);
            assert_eq!(whole.iter().sum::<u64>(), end);
            for cut in 0..=end {
                let (a, b) = (parts(0, cut), parts(cut, end));
                assert_eq!(std::array::from_fn(|i| a[i] + b[i]), whole, "cut at {cut}");
                assert_eq!((a.iter().sum::<u64>(), b.iter().sum::<u64>()), (cut, end - cut));
            }
        }
    }

    #[test]
    fn a_prompts_share_of_a_step_goes_by_its_tokens() {
        let mut log = StepLog::default();
        for (request, client) in [(0, 0), (1, 1)] {
            log.fact(
                Micros(0),
                Fact::Request(RequestFact::Arrived { request: RequestId(request), client, class: 0 }),
            );
        }
        started(10, 40, 30, 300, &mut log);
        for (request, tokens) in [(0, 100), (1, 200)] {
            let (request, replica) = (RequestId(request), ReplicaId(0));
            log.fact(Micros(50), Fact::Request(RequestFact::Prefilled { request, replica, tokens }));
        }
        assert_eq!([0, 1].map(|i| log.of(RequestId(i)).own_prompt_us), [10, 20]);
        let mut by_client = [0; 2];
        log.prompt_work(ReplicaId(0), 0, 50, &mut by_client);
        assert_eq!(by_client, [10, 20]);
        log.prompt_work(ReplicaId(0), 50, 90, &mut by_client);
        assert_eq!(by_client, [10, 20]);
    }
}
