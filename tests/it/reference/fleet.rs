//! The gateway, the replicas and their common agenda.

use super::cache::Prefixes;
use super::case::{Case, Compat, Config, PoolConfig};
use super::replica::{Fact, Replica, Scene};
use super::request::Request;
use std::collections::BTreeMap;

/// What is due. Order of declaration is order of the day within one place and instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Arrival(usize),
    Admission(usize),
    Routing(usize),
    Delivery(usize),
    Queue(usize),
    Step,
    /// Moves the replica's clock and does nothing else.
    Marker,
}

impl Due {
    fn class(self) -> u8 {
        match self {
            Self::Arrival(_) | Self::Delivery(_) => 0,
            Self::Admission(_) | Self::Queue(_) => 1,
            Self::Routing(_) | Self::Step => 2,
            Self::Marker => 4,
        }
    }
}

/// Instant, place (0 the gateway, k + 1 replica k), class, number.
type When = (u64, usize, u8, u64);

/// What the gateway last saw of a replica: its waiting and running requests, its memory, and when.
#[derive(Clone, Copy, Debug, Default)]
struct Sight {
    waiting: usize,
    running: usize,
    blocks_used: usize,
    at: u64,
}

/// The whole cluster.
#[derive(Debug)]
pub(crate) struct Fleet<'a> {
    rules: &'a Config,
    /// By replica: the knobs of its pool.
    pub(crate) pool_of: Vec<&'a PoolConfig>,
    trace_limit: usize,
    /// By request: its prompt and its answer, token by token.
    texts: Vec<Vec<u32>>,
    prefixes: Prefixes,
    pub(crate) requests: Vec<Request>,
    pub(crate) replicas: Vec<Replica>,
    pub(crate) in_flight: Vec<u64>,
    pub(crate) facts: Vec<Fact>,
    /// Instant, request and replica of every routing decision.
    pub(crate) routed: Vec<(u64, usize, usize)>,
    pub(crate) clock: u64,
    pub(crate) arrived: usize,
    /// At the gateway: arrived and not routed.
    at_gateway: usize,
    sights: Vec<Sight>,
    agenda: BTreeMap<When, Due>,
    numbered: u64,
}

impl<'a> Fleet<'a> {
    pub(crate) fn new(case: &'a Case) -> Self {
        let rules = &case.config;
        let pool_of: Vec<&PoolConfig> =
            rules.pools().flat_map(|p| std::iter::repeat_n(p, p.num_instances)).collect();
        let mut fleet = Self {
            rules,
            trace_limit: case.record.max_steps_per_instance,
            texts: Vec::new(),
            prefixes: Prefixes::default(),
            requests: Vec::new(),
            replicas: pool_of.iter().enumerate().map(|(k, pool)| Replica::new(k, pool)).collect(),
            in_flight: vec![0; pool_of.len()],
            facts: Vec::new(),
            routed: Vec::new(),
            clock: 0,
            arrived: 0,
            at_gateway: 0,
            sights: vec![Sight::default(); pool_of.len()],
            agenda: BTreeMap::new(),
            numbered: 0,
            pool_of,
        };
        for (i, line) in case.requests.iter().enumerate() {
            let mut text: Vec<u32> = line.input.iter().flat_map(|s| s.tokens()).collect();
            let n_in = text.len();
            text.extend(line.output.tokens());
            let mut request = Request::new(&line.id, line.arrival_us, (n_in, text.len() - n_in));
            if rules.compat == Compat::None {
                request.state = "not_arrived";
            }
            fleet.texts.push(text);
            fleet.requests.push(request);
            fleet.plan(line.arrival_us, 0, Due::Arrival(i));
        }
        fleet
    }

    /// Runs until nothing is left or the horizon is reached. Events at the horizon still run.
    pub(crate) fn run(&mut self) {
        let end = if self.rules.horizon_us == 0 { u64::MAX } else { self.rules.horizon_us };
        while let Some((&(now, place, ..), _)) = self.agenda.first_key_value() {
            if now > end {
                if self.rules.compat == Compat::Blis {
                    self.clock = now;
                }
                break;
            }
            let (_, due) = self.agenda.pop_first().expect("just seen");
            assert!(now >= self.clock, "the clock went back");
            self.clock = now;
            if place == 0 {
                self.gateway(now, due);
            } else {
                self.replica(now, place - 1, due);
            }
            self.check();
        }
    }

    /// Arrived, but in no queue yet.
    pub(crate) fn in_pipeline(&self) -> usize {
        self.at_gateway + self.replicas.iter().map(|x| x.on_the_way).sum::<usize>()
    }

    fn plan(&mut self, at: u64, place: usize, due: Due) {
        self.agenda.insert((at, place, due.class(), self.numbered), due);
        self.numbered += 1;
    }

    fn gateway(&mut self, now: u64, due: Due) {
        match due {
            Due::Arrival(i) => {
                self.arrived += 1;
                self.at_gateway += 1;
                if self.rules.compat == Compat::None {
                    self.requests[i].state = "in_pipeline";
                }
                self.plan(now + self.rules.admission_latency_us, 0, Due::Admission(i));
            }
            Due::Admission(i) => {
                self.look(now);
                self.plan(now + self.rules.routing_latency_us, 0, Due::Routing(i));
            }
            Due::Routing(i) => self.route(now, i),
            Due::Delivery(_) | Due::Queue(_) | Due::Step | Due::Marker => unreachable!("not at the gateway"),
        }
    }

    /// Refreshes what the gateway knows and is too old.
    fn look(&mut self, now: u64) {
        let every = self.rules.snapshot_refresh_interval_us;
        for (sight, x) in self.sights.iter_mut().zip(&self.replicas) {
            if every == 0 || now - sight.at >= every {
                let (waiting, running) = (x.waiting.len(), x.running.len());
                *sight = Sight { waiting, running, blocks_used: x.cache.used(), at: now };
            }
        }
    }

    fn route(&mut self, now: u64, i: usize) {
        self.look(now);
        let load = |k: &usize| {
            let s = self.sights[*k];
            s.waiting as u64 + s.running as u64 + self.in_flight[*k]
        };
        // Shares of blocks in use, a / b < c / d as a d < c b.
        let fuller = |a: &usize, b: &usize| {
            let share =
                |k: usize, other: usize| self.sights[k].blocks_used * self.pool_of[other].total_kv_blocks;
            share(*a, *b).cmp(&share(*b, *a))
        };
        let n = self.replicas.len();
        let all = 0..n;
        let to = match self.rules.routing_policy.as_str() {
            "least-loaded" => all.min_by_key(load).expect("there is a replica"),
            "always-busiest" => all.rev().max_by_key(load).expect("there is a replica"),
            "least-kv" => all.min_by(fuller).expect("there is a replica"),
            _ => self.routed.len() % n,
        };
        // Every pool cuts a text into blocks of its own size.
        self.requests[i].prefixes = self.prefixes.of(&self.texts[i], self.pool_of[to].block_size_tokens);
        self.at_gateway -= 1;
        self.in_flight[to] += 1;
        self.routed.push((now, i, to));
        self.requests[i].replica = Some(to);
        self.replicas[to].on_the_way += 1;
        self.plan(now, to + 1, Due::Delivery(i));
    }

    fn replica(&mut self, now: u64, k: usize, due: Due) {
        let x = &mut self.replicas[k];
        let gone = x.completed + x.dropped;
        assert!(now >= x.clock, "the clock of replica {k} went back");
        x.clock = now;
        let mut scene = Scene {
            compat: self.rules.compat,
            rules: self.pool_of[k],
            trace_limit: self.trace_limit,
            requests: &mut self.requests,
            facts: &mut self.facts,
            now,
        };
        let mut plans = Vec::new();
        match due {
            Due::Delivery(i) => {
                let [fixed, per_token, _] = self.pool_of[k].alpha_coeffs;
                let delay = (fixed + per_token * scene.requests[i].n_in as f64) as u64;
                plans.push((now + delay, Due::Queue(i)));
            }
            Due::Queue(i) => {
                x.enqueue(&mut scene, i);
                if !x.step_due && !x.waiting.is_empty() {
                    x.step_due = true;
                    plans.push((now, Due::Step));
                }
            }
            Due::Step => {
                let (next, markers) = x.step(&mut scene);
                x.step_due = next.is_some();
                plans.extend(markers.into_iter().map(|at| (at, Due::Marker)));
                plans.extend(next.map(|at| (at, Due::Step)));
            }
            Due::Marker => {}
            Due::Arrival(_) | Due::Admission(_) | Due::Routing(_) => unreachable!("not at a replica"),
        }
        let left = x.completed + x.dropped - gone;
        self.in_flight[k] = self.in_flight[k].saturating_sub(left);
        for (at, due) in plans {
            self.plan(at, k + 1, due);
        }
    }

    /// Every request is somewhere, exactly once, and work is never left lying.
    fn check(&self) {
        let mut seen = self.in_pipeline();
        for (x, pool) in self.replicas.iter().zip(&self.pool_of) {
            seen += x.waiting.len() + x.running.len() + (x.completed + x.dropped) as usize;
            assert!(x.step_due || (x.running.is_empty() && x.waiting.is_empty()), "work without a step");
            assert!(x.running.len() <= pool.max_num_running_reqs, "a batch above its cap");
        }
        assert_eq!(seen, self.arrived, "conservation of requests");
    }
}
