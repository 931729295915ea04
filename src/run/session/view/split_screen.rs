//! Frames of clusters in which prefill and decode are apart.

use super::flows::Flows;
use super::{
    DecidedFrame, DeciderFrame, DecisionMark, MovingFrame, Percentiles, RoleFrame, SplitFrame, TransferFrame,
};
use crate::observe::report::share;
use crate::observe::window::WindowSums;
use crate::session::Session;
use base::stats::percentiles_of;
use base::{Micros, units::US_PER_S};
use document::{Decider, Disaggregation, Handoff, Role};
use engine::{DeciderReason, Direction, Handover, Replica};

/// Most transfers of a frame.
const TRANSFERS: usize = 64;
/// Most decisions of a frame.
const DECISIONS: usize = 60;

impl Session {
    /// What flows between replicas; none where no roles differ and nothing is under way.
    pub(super) fn flows(&self) -> Option<Flows> {
        let engine = &self.engine;
        let apart = self.plan.scenario().cluster.pools.iter().any(|pool| pool.role != Role::Mixed);
        let moving = |r: &Replica| r.incoming() + r.landed() + r.outgoing() + r.bound() > 0;
        let any = apart || engine.network().is_some() && engine.replicas().iter().any(moving);
        any.then(|| Flows::new(engine, &self.recorder.recent.landed, self.playhead))
    }

    /// What the frame says of the whole cluster.
    pub(super) fn split_frame(&self, flows: &Flows, sums: &WindowSums) -> SplitFrame {
        let engine = &self.engine;
        let network = engine.network();
        let all = network.map_or(&[][..], |network| network.under_way());
        let [prefill, decode] = [Role::Prefill, Role::Decode].map(|role| self.stage_frame(role, sums));
        let settings = self.plan.scenario().cluster.disaggregation.clone().unwrap_or_default();
        let sum = |of: fn(&Replica) -> u32| engine.replicas().iter().map(of).sum();
        let capacity = |r: &&Replica| self.role_of(r) == Role::Prefill && r.serving();
        let ports = engine.replicas().iter().filter(capacity);
        let (mut out, mut whole) = (0.0, 0.0);
        for r in ports {
            out += flows.out(r.id());
            whole += flows.port(engine, r.id(), Direction::Out).capacity as f64 * flows.seconds;
        }
        SplitFrame {
            prefill,
            decode,
            hint: hint(&prefill, &decode),
            push: settings.handoff == Handoff::Push,
            decider: decider_frame(&settings),
            decided: self.decided(sums),
            handover: self.handovers(sums),
            ttft_prefill: sums.prefill_ttft,
            transferring: all.len() as u32,
            landed: sum(Replica::landed),
            flow_s: flows.seconds,
            bytes_per_s: share(flows.bytes(), flows.seconds),
            ports_out: share(out, whole).min(1.0),
            pairs: flows.pairs(engine),
            transfers: all.iter().take(TRANSFERS).map(|t| self.transfer_frame(t)).collect(),
            under_way: all.len() as u32,
            latest: self.latest_decisions(),
        }
    }

    fn transfer_frame(&self, t: &engine::Transfer) -> TransferFrame {
        let arrived = t.arrived(self.playhead);
        TransferFrame {
            request: t.request.0,
            from: t.from.0,
            to: t.to.0,
            bytes: t.bytes,
            arrived,
            share: share(arrived as f64, t.bytes as f64),
            bytes_per_s: t.bytes_per_s,
            start_us: t.start.0,
            lands_us: t.lands_at().map(|at| at.0),
        }
    }

    /// The role of a replica's pool now.
    pub(super) fn role_of(&self, r: &Replica) -> Role {
        self.plan.scenario().cluster.pools[r.pool() as usize].role
    }

    fn stage_frame(&self, role: Role, sums: &WindowSums) -> RoleFrame {
        let (mut n, mut busy_us, mut used, mut total, mut running, mut most) =
            (0, 0, 0_u64, 0_u64, 0_u64, 0_u64);
        for r in self.engine.replicas().iter().filter(|r| r.serving() && self.role_of(r) == role) {
            n += 1;
            busy_us += sums.busy_us.get(r.id().index()).copied().unwrap_or(0);
            used += u64::from(r.kv().used());
            total += u64::from(r.kv().total());
            running += u64::from(r.running());
            most += u64::from(self.engine.batch_limits(r.pool())[0]);
        }
        let busy = share(busy_us as f64, f64::from(n) * sums.seconds * US_PER_S as f64);
        let kv_used = share(used as f64, total as f64);
        let load = match role {
            Role::Prefill => busy,
            Role::Decode | Role::Mixed => kv_used.max(share(running as f64, most as f64)),
        };
        RoleFrame { serving: n, busy, kv_used, load }
    }

    /// The hand-overs of the latest decisions, the newest first, with when they were made.
    fn decisions(&self) -> impl Iterator<Item = (u32, Micros, &Handover)> {
        self.recorder.recent.decided.iter().rev().filter_map(|request| {
            let at = self.engine.records().at(request.index()).routed.get()?;
            Some((request.0, at, self.engine.handover(request)?))
        })
    }

    fn decided(&self, sums: &WindowSums) -> DecidedFrame {
        let from = self.playhead.0.saturating_sub((sums.seconds * US_PER_S as f64) as u64);
        let mut by_reason = [0_u32; DeciderReason::ALL.len()];
        for (_, _, h) in self.decisions().take_while(|(_, at, _)| at.0 >= from) {
            by_reason[h.reason as usize] += 1;
        }
        let of = |remote: bool| {
            DeciderReason::ALL.into_iter().zip(by_reason).filter(move |(why, _)| why.is_remote() == remote)
        };
        let sum = |remote| f64::from(of(remote).map(|(_, n)| n).sum::<u32>());
        let (remote, local) = (sum(true), sum(false));
        let per_s = f64::from(sums.routed_by_replica.iter().sum::<u32>()) / sums.seconds;
        let [remote_share, local_share] = [remote, local].map(|n| share(n, remote + local));
        let most = of(false).filter(|(_, n)| *n > 0).max_by_key(|(_, n)| *n);
        DecidedFrame {
            remote_share,
            local_share,
            remote_per_s: remote_share * per_s,
            local_per_s: local_share * per_s,
            local_because: most.map_or("", |(why, _)| why.name()),
        }
    }

    fn latest_decisions(&self) -> Vec<DecisionMark> {
        let mark = |(request, at, h): (u32, Micros, &Handover)| {
            let prompt_tokens = self.engine.records().at(request as usize).prompt_tokens;
            DecisionMark {
                request,
                at_us: at.0,
                home: h.home.0,
                prefill: h.prefill.map(|r| r.0),
                reason: h.reason.name(),
                prompt_tokens,
                uncached: h.uncached.unwrap_or(prompt_tokens),
            }
        };
        let mut latest: Vec<DecisionMark> = self.decisions().take(DECISIONS).map(mark).collect();
        latest.reverse();
        latest
    }

    fn handovers(&self, sums: &WindowSums) -> Percentiles {
        let from = self.playhead.0.saturating_sub((sums.seconds * US_PER_S as f64) as u64);
        let joined = self.recorder.recent.joined.iter().rev().filter_map(|request| {
            let h = self.engine.handover(request)?;
            Some((h.prefill_end.get()?, h.joined.get()?))
        });
        let within = joined.take_while(|(_, joined)| joined.0 >= from);
        let mut spans: Vec<u64> = within.map(|(ended, joined)| joined.since(ended).0).collect();
        percentiles_of(&mut spans).map_or_else(Percentiles::default, |(count, [p50_us, p90_us, p99_us])| {
            Percentiles { count, p50_us, p90_us, p99_us }
        })
    }

    /// What a replica has of prefills and decodes apart.
    pub(super) fn moving_frame(&self, r: &Replica, flows: &Flows) -> MovingFrame {
        let step = r.latest_step().0;
        MovingFrame {
            role: self.role_of(r).name(),
            incoming: r.incoming(),
            landed: r.landed(),
            outgoing: r.outgoing(),
            bound: r.bound(),
            held_blocks: r.held_blocks(),
            reserved_blocks: r.reserved_blocks(),
            itl_us: if step > 0 { step + self.engine.output_overhead(r.pool()).0 } else { 0 },
            out: flows.port(&self.engine, r.id(), Direction::Out),
            into: flows.port(&self.engine, r.id(), Direction::In),
        }
    }
}

fn decider_frame(settings: &Disaggregation) -> DeciderFrame {
    let (name, uncached_tokens, uncached_share) = match &settings.decider {
        Decider::Never => ("never", 0, 0.0),
        Decider::Always => ("always", 0, 0.0),
        Decider::Threshold(t) => ("threshold", t.uncached_tokens, t.uncached_share),
    };
    DeciderFrame { name, uncached_tokens, uncached_share }
}

/// As many replicas as serve, in the ratio of the loads, at least one of each; none while a stage has none or no load.
fn hint(prefill: &RoleFrame, decode: &RoleFrame) -> Option<[u32; 2]> {
    let [p, d] = [prefill, decode].map(|stage| f64::from(stage.serving) * stage.load);
    if prefill.serving == 0 || decode.serving == 0 || p + d <= 0.0 {
        return None;
    }
    let all = prefill.serving + decode.serving;
    let first = (libm::round(f64::from(all) * p / (p + d)) as u32).clamp(1, all - 1);
    Some([first, all - first])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_shares_the_replicas_out_by_load_and_leaves_one_to_each() {
        let stage = |serving, load| RoleFrame { serving, load, ..RoleFrame::default() };
        // 3 × 0.96 : 5 × 0.58 = 2.88 : 2.90.
        assert_eq!(hint(&stage(3, 0.96), &stage(5, 0.58)), Some([4, 4]));
        assert_eq!(hint(&stage(3, 1.0), &stage(5, 0.0)), Some([7, 1]));
        assert_eq!(hint(&stage(3, 0.0), &stage(5, 0.2)), Some([1, 7]));
        assert_eq!(hint(&stage(1, 0.5), &stage(1, 0.9)), Some([1, 1]));
        assert_eq!(hint(&stage(3, 0.0), &stage(5, 0.0)), None);
        assert_eq!(hint(&stage(0, 0.0), &stage(5, 0.5)), None);
    }
}
