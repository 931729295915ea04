//! How a replica came to serve and how it goes: what it is waiting for while it starts, how long it is cold, what happens to its
//! requests when it is taken away. The times of a start are drawn from a stream of the replica's own, so that one replica more
//! moves no other draws.

use super::state::Replica;
use crate::perf::{LONGEST, weight_bytes};
use crate::policy::ReplicaPhase;
use base::rng::{Purpose, Stream};
use base::{Micros, ReplicaId, Span, dist, math};
use document::{Drain, Pool, StartPhases, StartSpread, StartUp};
use serde::{Deserialize, Serialize};

/// What a replica waits for while it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StartPhase {
    /// A place among the GPUs.
    Scheduling,
    /// A node.
    Node,
    /// The image.
    Pulling,
    /// The weights.
    Loading,
    /// Compiled graphs and the like.
    Initialising,
    /// A probe that finds it ready.
    Probing,
}

impl StartPhase {
    /// All of them, in order.
    pub const ALL: [Self; 6] =
        [Self::Scheduling, Self::Node, Self::Pulling, Self::Loading, Self::Initialising, Self::Probing];

    /// Its name on screens.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scheduling => "scheduling",
            Self::Node => "node",
            Self::Pulling => "pulling",
            Self::Loading => "loading",
            Self::Initialising => "initialising",
            Self::Probing => "probing",
        }
    }
}

/// A replica's life beside its phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Life {
    /// How often it began to start: an event about an earlier start is about nothing.
    pub(crate) starts: u32,
    /// Since when it is in its phase.
    pub(crate) since: Micros,
    /// When it began to serve last.
    pub(crate) served_since: Micros,
    /// While it starts: when each of the phases of its start ends.
    pub(crate) ends: [Micros; 6],
    /// How many more requests find it cold, and how many times as long its steps take meanwhile.
    pub(crate) cold: u32,
    pub(crate) cold_factor: f64,
    /// How often it crashed.
    pub(crate) crashes: u32,
    /// Whether routers do not know yet that it crashed, or that it is back.
    pub(crate) hidden: bool,
    /// How many times as long its steps take because of faults; 1 without any.
    pub(crate) slow_factor: f64,
    /// It is stuck until then.
    pub(crate) stuck_until: Micros,
    /// Whether the gateway cannot reach it.
    pub(crate) unreachable: bool,
    /// While it drains: what happens to its requests.
    pub(crate) drain: Drain,
    /// While it drains to be restarted: how long the restart takes, and when it goes down at the latest.
    pub(crate) restarts: Option<(Span, Micros)>,
}

impl Life {
    /// One that is there from the beginning.
    pub(crate) fn new() -> Self {
        Self {
            starts: 0,
            since: Micros::ZERO,
            served_since: Micros::ZERO,
            ends: [Micros::ZERO; 6],
            cold: 0,
            cold_factor: 1.0,
            crashes: 0,
            hidden: false,
            slow_factor: 1.0,
            stuck_until: Micros::ZERO,
            unreachable: false,
            drain: Drain::Wait,
            restarts: None,
        }
    }

    /// A step of a cold replica, and of a slow one, takes longer.
    pub(crate) fn step(&self, span: Span) -> Span {
        let span = if self.cold == 0 { span } else { math::round_to_span(span.0 as f64 * self.cold_factor) };
        if self.slow_factor > 1.0 {
            math::round_to_span((span.0 as f64 * self.slow_factor).min(LONGEST.0 as f64))
        } else {
            span
        }
    }

    /// A request has got its first token here; whether it was the last to find the replica cold.
    pub(crate) fn first_token(&mut self) -> bool {
        let was_last = self.cold == 1;
        self.cold = self.cold.saturating_sub(1);
        was_last
    }
}

impl Replica {
    /// Since when it is in its phase.
    pub fn since(&self) -> Micros {
        self.life.since
    }

    /// What it waits for at `now` while it starts, since when and until when; `None` in any other phase.
    pub fn start_phase(&self, now: Micros) -> Option<(StartPhase, Micros, Micros)> {
        if self.phase() != ReplicaPhase::Starting {
            return None;
        }
        let mut from = self.life.since;
        for (phase, end) in StartPhase::ALL.into_iter().zip(self.life.ends) {
            if now < end {
                return Some((phase, from, end));
            }
            from = end;
        }
        Some((StartPhase::Probing, from, from))
    }

    /// When it will serve, while it starts.
    pub fn ready_at(&self) -> Option<Micros> {
        (self.phase() == ReplicaPhase::Starting).then_some(self.life.ends[5])
    }

    /// How many times as long its steps take because of faults; 1 without any.
    pub fn slow_factor(&self) -> f64 {
        self.life.slow_factor
    }

    /// Until when it is stuck, if it is at `now`; [`Micros::MAX`] until the end.
    pub fn stuck_until(&self, now: Micros) -> Option<Micros> {
        (self.life.stuck_until > now).then_some(self.life.stuck_until)
    }

    /// While it is down: when it serves again; [`Micros::MAX`] if it does not.
    pub fn down_until(&self) -> Option<Micros> {
        (self.phase() == ReplicaPhase::Failed).then_some(self.life.ends[5])
    }

    /// How often it crashed.
    pub fn crashes(&self) -> u32 {
        self.life.crashes
    }

    /// How many more requests find it cold.
    pub fn cold(&self) -> u32 {
        if self.serving() { self.life.cold } else { 0 }
    }
}

/// Bytes of an image that no node has.
const IMAGE_GB: f64 = 20.0;

/// The mean times of a pool's starts.
pub(crate) fn phases_of(pool: &Pool) -> Option<StartPhases> {
    let gb = weight_bytes(pool) / 1e9;
    let preset = |node_s, pull_s, gb_per_s: f64, initialise_s| StartPhases {
        node_s,
        pull_s,
        load_s: gb / gb_per_s,
        initialise_s,
        ..StartPhases::default()
    };
    match &pool.scaling.start {
        StartUp::Instant => None,
        StartUp::Hot => Some(preset(0.0, 0.0, 10.0, 20.0)),
        StartUp::Warm => Some(preset(0.0, 0.0, 2.0, 60.0)),
        StartUp::Cold => Some(preset(180.0, IMAGE_GB / 0.1, 0.5, 60.0)),
        StartUp::Phases(phases) => Some(phases.clone()),
    }
}

/// The mean time from placement to serving of a pool's replicas, in seconds.
pub fn mean_start_s(pool: &Pool) -> f64 {
    phases_of(pool)
        .map_or(0.0, |p| p.scheduling_s + p.node_s + p.pull_s + p.load_s + p.initialise_s + p.probe_s)
}

/// When each phase of a start that begins at `now` ends.
pub(crate) fn draw_ends(
    phases: &StartPhases,
    seed: u64,
    replica: ReplicaId,
    starts: u32,
    now: Micros,
) -> [Micros; 6] {
    let mut stream = Stream::part(seed, Purpose::Starts, replica.0, starts);
    let mut at = now;
    let means = [
        phases.scheduling_s,
        phases.node_s,
        phases.pull_s,
        phases.load_s,
        phases.initialise_s,
        phases.probe_s,
    ];
    let mut ends = [now; 6];
    for (k, mean) in means.into_iter().enumerate() {
        // Every phase draws, whatever its mean, so that a longer one lengthens a start and reshuffles none.
        let factor = if k == 5 { 2.0 * stream.unit() } else { spread(phases, &mut stream) };
        at = at.saturating_add(math::round_to_span((mean * factor * 1e6).min(LONGEST_US)));
        ends[k] = at;
    }
    ends
}

/// Longest phase of a start in microseconds: a tail is cut at ten days.
const LONGEST_US: f64 = 864e9;

/// A factor of mean 1 that varies as much as it should.
fn spread(phases: &StartPhases, stream: &mut Stream) -> f64 {
    let cv = phases.cv;
    match phases.distribution {
        StartSpread::Lognormal => {
            let square = math::ln(1.0 + cv * cv);
            dist::lognormal(stream, math::exp(-square / 2.0), square.sqrt())
        }
        StartSpread::Gaussian => dist::normal(stream, 1.0, cv).max(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(load_s: f64, replica: u32, spread: StartSpread) -> [Micros; 6] {
        let phases = StartPhases { load_s, distribution: spread, ..StartPhases::default() };
        draw_ends(&phases, 7, ReplicaId(replica), 1, Micros(5))
    }

    #[test]
    fn starts_have_the_mean_they_should_and_a_longer_phase_only_lengthens_them() {
        for spread in [StartSpread::Lognormal, StartSpread::Gaussian] {
            let n = 4000;
            let mean = |load_s| {
                (0..n).map(|r| (ends(load_s, r, spread)[5].0 - 5) as f64 / 1e6).sum::<f64>() / f64::from(n)
            };
            // 1 + 8 + 60 + 5 seconds; the standard error is below 0.2.
            assert!((mean(8.0) - 74.0).abs() < 0.7, "{spread:?} {}", mean(8.0));
            let (short, long) = (ends(8.0, 3, spread), ends(80.0, 3, spread));
            assert!(long[5] > short[5] && long[0] == short[0], "{short:?} {long:?}");
            assert_eq!(long[4].0 - long[3].0, short[4].0 - short[3].0, "later phases keep their draws");
        }
    }

    #[test]
    fn presets_come_to_the_times_they_are_known_for() {
        let total = |start: StartUp| {
            let mut pool = Pool::default();
            pool.scaling.start = start;
            phases_of(&pool)
                .map(|p| p.scheduling_s + p.node_s + p.pull_s + p.load_s + p.initialise_s + p.probe_s)
        };
        // 8 billion parameters of two bytes: 16 GB.
        let near = |found: Option<f64>, s: f64| found.is_some_and(|t| (t - s).abs() < 2.0);
        assert!(near(total(StartUp::Hot), 28.0), "{:?}", total(StartUp::Hot));
        assert!(near(total(StartUp::Warm), 74.0), "{:?}", total(StartUp::Warm));
        assert!(near(total(StartUp::Cold), 478.0), "{:?}", total(StartUp::Cold));
        assert_eq!(total(StartUp::Instant), None);
    }
}
