//! Servers whose ranks step together: who waits for whom.

use crate::observe::report::share;
use crate::session::Session;
use base::{Micros, ReplicaId, Span};
use engine::Replica;
use engine::policy::ReplicaPhase;
use serde::Serialize;

/// A server whose ranks step together: each of its ranks is a replica.
#[apply(typescript!)]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ServerFrame {
    /// Its number among the servers of the cluster.
    pub id: u32,
    /// Name of its pool.
    pub pool: String,
    /// Its ranks, in order.
    pub ranks: Vec<RankFrame>,
    /// Duration of its running step, or of the latest one, in microseconds; 0 before the first.
    pub step_us: u64,
    /// The rank that the others wait for in that step, if any waits: of equal ones the first.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowest: Option<u32>,
    /// Share of the time of its ranks in its steps in which they waited for each other or had no work, 0 to 1. Since the start.
    pub wait_share: f64,
    /// Rows of no request that its ranks computed so that all had as many. Since the start.
    pub padding_tokens: u64,
    /// Requests in the wait queues of its ranks.
    pub waiting: u32,
    /// Requests in their batches.
    pub running: u32,
    /// Share of their KV blocks held by requests, 0 to 1.
    pub kv_used: f64,
    /// Share of the blocks of their CPU tiers that hold something, 0 to 1; missing without such tiers.
    #[cfg_attr(feature = "types", ts(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_used: Option<f64>,
}

/// A rank of a server: its own part of the server's step, and what it waited for.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RankFrame {
    /// Number of the replica.
    pub replica: u32,
    /// How long its own batch takes in the step of its server, in microseconds; 0 without work in it.
    pub own_us: u64,
    /// The rest of that step, in which it waits.
    pub wait_us: u64,
    /// Share of the time of its server's steps in which it waited for the slowest, in steps in which some rank had a prompt, 0 to 1.
    /// These shares and what follows are of the time since the start.
    pub wait_prompts: f64,
    /// The same in steps without prompts.
    pub wait_decodes: f64,
    /// Share of the time of its server's steps in which it had no work.
    pub wait_empty: f64,
    /// The three together.
    pub wait_share: f64,
    /// Rows of no request that it computed.
    pub padding_tokens: u64,
}

/// Microseconds of the steps of a server: those of a rank, and of these what it waited for, by cause.
#[derive(Clone, Copy, Debug)]
struct RankSums {
    time: u64,
    waits: [u64; 3],
}

impl Session {
    /// The servers whose ranks step together, without those that are gone.
    pub(super) fn server_frames(&self) -> Vec<ServerFrame> {
        let all = (0..).zip(self.engine.servers());
        all.filter_map(|(id, (ranks, until))| self.server_frame(id, ranks, until)).collect()
    }

    fn server_frame(&self, id: u32, ranks: &[ReplicaId], until: Micros) -> Option<ServerFrame> {
        let replicas = self.engine.replicas();
        let there = ranks.iter().map(|rank| &replicas[rank.index()]);
        let there: Vec<&Replica> = there.filter(|r| r.phase() != ReplicaPhase::Stopped).collect();
        let pool = there.first()?.pool() as usize;
        let steps: Vec<Option<[Span; 2]>> = there.iter().map(|r| self.rank_step(r, until)).collect();
        let step = steps.iter().flatten().map(|[span, _]| *span).max().unwrap_or(Span::ZERO);
        let sums: Vec<RankSums> =
            there.iter().zip(&steps).map(|(r, own)| self.rank_sums(r, until, own.is_some())).collect();
        let frames = there.iter().zip(&steps).zip(&sums);
        let ranks: Vec<RankFrame> = frames.map(|((r, own), sums)| rank_frame(r, step, *own, sums)).collect();
        let longest = ranks.iter().map(|rank| rank.own_us).max().unwrap_or(0);
        let anyone_waits = ranks.iter().any(|rank| rank.wait_us > 0);
        let slowest =
            ranks.iter().find(|rank| anyone_waits && rank.own_us == longest).map(|rank| rank.replica);
        let waits: u64 = sums.iter().flat_map(|sums| sums.waits).sum();
        let time: u64 = sums.iter().map(|sums| sums.time).sum();
        let blocks = |of: fn(&Replica) -> u32| there.iter().map(|r| u64::from(of(r))).sum::<u64>() as f64;
        let tiers = [|r: &Replica| r.kv().tier_blocks().0, |r: &Replica| r.kv().tier_blocks().1].map(blocks);
        Some(ServerFrame {
            id,
            pool: self.plan.scenario().cluster.pools[pool].name.clone(),
            padding_tokens: ranks.iter().map(|rank| rank.padding_tokens).sum(),
            ranks,
            step_us: step.0,
            slowest,
            wait_share: share(waits as f64, time as f64).min(1.0),
            waiting: there.iter().map(|r| r.waiting()).sum(),
            running: there.iter().map(|r| r.running()).sum(),
            kv_used: share(blocks(|r| r.kv().used()), blocks(|r| r.kv().total())),
            cpu_used: (tiers[1] > 0.0).then(|| share(tiers[0], tiers[1])),
        })
    }

    /// The step of its server that ends then, with the part of this rank: both spans. None without work in it.
    fn rank_step(&self, r: &Replica, until: Micros) -> Option<[Span; 2]> {
        let span = r.latest_step();
        let at = Micros(until.0.checked_sub(span.0)?);
        let waits = self.recorder.steps.waits(r.id(), at, span)?;
        Some([span, Span(span.0 - waits.0)])
    }

    /// Its sums since the start. A step counts its waits when it begins and its time when it ends.
    fn rank_sums(&self, r: &Replica, until: Micros, takes_part: bool) -> RankSums {
        let totals = r.totals();
        let waits = totals.rank_waits.map(|wait| wait.0);
        let runs = if takes_part && until > self.playhead { r.latest_step().0 } else { 0 };
        RankSums { time: totals.step_time.0 + runs + waits[2], waits }
    }
}

fn rank_frame(r: &Replica, step: Span, own: Option<[Span; 2]>, sums: &RankSums) -> RankFrame {
    let own = own.map_or(0, |[_, own]| own.0);
    let of_time = |us: u64| share(us as f64, sums.time as f64).min(1.0);
    let [prompts, decodes, empty] = sums.waits;
    RankFrame {
        replica: r.id().0,
        own_us: own,
        wait_us: step.0 - own,
        wait_prompts: of_time(prompts),
        wait_decodes: of_time(decodes),
        wait_empty: of_time(empty),
        wait_share: of_time(prompts + decodes + empty),
        padding_tokens: r.totals().rank_padding,
    }
}
