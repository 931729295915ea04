//! Frames: the data that a screen shows of one instant.

use super::in_words::in_words;
use super::mark;
use super::{
    AnomalyMark, BatchFrame, ClientFrame, Counts, Frame, FrameQuery, KeyFigures, Move, Percentiles,
    PoolFrame, QueueChip, ReplicaFrame, Statement,
};
use crate::observe::anomaly::Anomaly;
use crate::observe::report::{kv_blocks, request_part, share, speculative, trouble};
use crate::observe::window::WindowSums;
use crate::session::Session;
use base::{Micros, Period, units::US_PER_S};
use document::Pool;
use engine::Replica;

/// Most anomalies of one frame.
const MARKS: usize = 64;
/// Most requests in the queue and in the batch of the inspected replica.
const FOCUS: u32 = 96;

impl Session {
    /// The frame at the playhead. Takes the moves since the previous frame.
    pub fn frame(&mut self, query: &FrameQuery) -> Frame {
        let moves = self.take_moves(query.moves);
        let engine = &self.engine;
        let clients = engine.source().clients().len();
        let replicas = engine.replicas();
        let objectives = self.recorder.targets.default_ones();
        let (sizes, limits) = ([replicas.len(), clients], [objectives.ttft_us, objectives.e2e_us]);
        let sums = self.recorder.window.sums(self.playhead, query.window_s, sizes, limits);
        let p = request_part(engine);
        let decisions: u32 = sums.routed_by_replica.iter().sum();
        let flows = self.flows();
        let frame = Frame {
            now_us: self.playhead.0,
            horizon_us: if engine.horizon() == Micros::MAX { 0 } else { engine.horizon().0 },
            axis_end_us: self.axis_end(),
            computed_us: self.playhead.0,
            events: engine.events_done(),
            finished: self.has_ended(),
            trouble: trouble(engine),
            says: Statement::default(),
            notices: self.notices(),
            counts: Counts {
                arrived: p.arrived,
                in_pipeline: p.in_pipeline,
                held: engine.held_back(),
                waiting: p.queued,
                running: p.running,
                completed: p.completed,
                rejected: p.rejected,
                dropped: p.dropped,
                lost: p.lost,
                conserved: p.conserved,
                preemptions: p.preemptions,
            },
            key: self.key_figures(&sums),
            gateway: self.gateway_frame(),
            split: flows.as_ref().map(|flows| self.split_frame(flows, &sums)),
            clients: self.client_frames(&sums),
            pools: self.pool_frames(),
            replicas: replicas
                .iter()
                .map(|r| ReplicaFrame {
                    split: flows.as_ref().map(|flows| self.moving_frame(r, flows)),
                    ..self.replica_frame(r, query, &sums, decisions)
                })
                .collect(),
            servers: self.server_frames(),
            moves,
            flags: self.flags(),
            faults: self.latest_faults(),
            anomalies: self.anomaly_marks(),
            anomaly_count: self.recorder.detectors.as_ref().map_or(0, |d| d.counts().map(|(_, n)| n).sum()),
        };
        Frame { says: in_words(&frame, &self.plan.scenario().cluster), ..frame }
    }

    fn client_frames(&self, sums: &WindowSums) -> Vec<ClientFrame> {
        let of_scenario = &self.plan.scenario().workload.clients;
        let frame = |(i, (name, &n)): (usize, (&String, &u32))| ClientFrame {
            name: name.clone(),
            tenant: of_scenario
                .get(i)
                .filter(|c| c.name == *name)
                .map(|c| &c.tenant)
                .and_then(|tenant| (!tenant.is_empty() && tenant != name).then(|| tenant.clone())),
            rate_per_s: f64::from(n) / sums.seconds,
            priority: self.client_priority(i, name),
        };
        self.engine.source().clients().iter().zip(&sums.arrived_by_client).enumerate().map(frame).collect()
    }

    fn anomaly_marks(&self) -> Vec<AnomalyMark> {
        let kept = self.recorder.detectors.as_ref().map_or(&[][..], |d| d.kept());
        let mark = |a: &Anomaly| AnomalyMark {
            at_us: a.start.0,
            end_us: a.end.map(|end| end.0),
            kind: a.kind,
            replica: a.replica,
            request: a.proofs.first().map(|p| p.request.0),
            label: a.sentence(),
        };
        kept.iter().take(MARKS).map(mark).collect()
    }

    fn take_moves(&mut self, most: u32) -> Vec<Move> {
        let skip = self.recorder.moves.len().saturating_sub(most as usize);
        let records = self.engine.records();
        let client_of = |request: u32| records.get(request as usize).map_or(0, |r| r.client);
        let moves = self.recorder.moves.drain(..).skip(skip);
        moves.map(|m| Move { client: client_of(m.request), ..m }).collect()
    }

    /// The horizon; else the last arrival of a trace or the next round instant; beyond it, a later round instant that
    /// includes the playhead.
    pub(in crate::session) fn axis_end(&self) -> u64 {
        if self.engine.horizon() != Micros::MAX {
            return self.engine.horizon().0;
        }
        let traced = self.replayed().zip(self.scenario.workload.trace.as_ref());
        let (mut end, part) = match traced {
            Some((rows, replay)) => (((rows.last_arrival().0 as f64 / replay.speed) as u64).max(US_PER_S), 8),
            None => (60 * US_PER_S, 1),
        };
        while end < self.playhead.0 {
            end += end / part;
        }
        end
    }

    fn key_figures(&self, sums: &WindowSums) -> KeyFigures {
        let objectives = self.recorder.targets.default_ones();
        let us = |x: u64| if x == u64::MAX { 0.0 } else { x as f64 };
        let arrived: u32 = sums.arrived_by_client.iter().sum();
        let tokens_per_s = sums.tokens as f64 / sums.seconds;
        let ended = sums.completed + sums.unserved;
        let kv = kv_blocks(&self.engine);
        let [slo_ttft_us, slo_tpot_us, slo_e2e_us] =
            [us(objectives.ttft_us), us(objectives.tpot_us), us(objectives.e2e_us)];
        KeyFigures {
            window_s: sums.seconds,
            ttft: sums.ttft,
            itl: sums.itl,
            tpot: sums.tpot,
            e2e: sums.e2e,
            offered_per_s: f64::from(arrived) / sums.seconds,
            completed_per_s: f64::from(sums.completed) / sums.seconds,
            ended_per_s: f64::from(ended) / sums.seconds,
            goodput_per_s: f64::from(sums.good) / sums.seconds,
            output_tokens_per_s: tokens_per_s,
            cache_hit_rate: kv.hit_rate,
            cpu_hit_rate: kv.cpu.map_or(0.0, |cpu| cpu.hit_rate),
            usd_per_million_tokens: self.usd_of_window(sums).map(|usd| share(usd * 1e6, sums.tokens as f64)),
            slo_ttft_us,
            slo_tpot_us,
            slo_e2e_us,
            ttft_within: share(sums.within[0] as f64, sums.ttft.count as f64),
            e2e_within: share(sums.within[1] as f64, sums.e2e.count as f64),
            ttft_mark: mark::of_tail(&sums.ttft, slo_ttft_us),
            tpot_mark: mark::of_tail(&sums.tpot, slo_tpot_us),
            e2e_mark: mark::of_tail(&sums.e2e, slo_e2e_us),
            goodput_mark: mark::of_goodput(sums.good, ended),
            faults: self.fault_figures(),
        }
    }

    /// The cost of all replicas in the window, each for as long as it existed; none if one of them has no price.
    fn usd_of_window(&self, sums: &WindowSums) -> Option<f64> {
        let from = Micros(self.playhead.0.saturating_sub((sums.seconds * US_PER_S as f64) as u64));
        let period = Period { from, to: self.playhead };
        let meters = &self.recorder.meters;
        let existed = self.engine.replicas().iter().filter(|r| meters.existed(r.id().index(), period));
        let mut usd = existed.map(|r| meters.usd_between(r.id().index(), period, r.usd_per_hour()));
        usd.try_fold(0.0, |sum, usd| Some(sum + usd?))
    }

    fn pool_frames(&self) -> Vec<PoolFrame> {
        let frame = |(number, pool): (u32, &Pool)| {
            let [max_num_seqs, max_num_batched_tokens] = self.engine.batch_limits(number);
            let of_pool = || self.engine.replicas().iter().filter(|r| r.pool() == number && r.serving());
            let usd = self.engine.usd_per_hour(number);
            let usd_per_hour = (usd > 0.0).then_some(usd);
            PoolFrame {
                name: pool.name.clone(),
                model: pool.model.clone(),
                gpu: pool.gpu.clone(),
                tp: pool.tp,
                serving: of_pool().count() as u32,
                usd_per_hour,
                serving_usd_per_hour: usd_per_hour.and_then(|_| of_pool().map(Replica::usd_per_hour).sum()),
                kv_blocks: self.engine.kv_blocks(number),
                block_tokens: pool.kv.block_tokens,
                output_us: self.engine.output_overhead(number).0,
                max_num_seqs,
                max_num_batched_tokens,
                speculative: speculative(&self.engine, number, pool),
            }
        };
        (0..).zip(&self.plan.scenario().cluster.pools).map(frame).collect()
    }

    fn replica_frame(
        &self,
        r: &Replica,
        query: &FrameQuery,
        sums: &WindowSums,
        decisions: u32,
    ) -> ReplicaFrame {
        let i = r.id().index();
        let whole = if query.focus == Some(r.id().0) { FOCUS } else { 0 };
        let client_of = |request: base::RequestId| self.engine.records().at(request.index()).client;
        let queue = self.engine.queue(r).take(query.queue.max(whole) as usize).map(|request| QueueChip {
            request: request.0,
            client: client_of(request),
            preempted: self.engine.records().at(request.index()).preemptions > 0,
            loading: self.engine.is_loading(request),
            prefilled: self
                .engine
                .handover(request)
                .is_some_and(|h| h.prefill.is_some() && h.prefill_end.is_known() && !h.landed.is_known()),
            retried: self.engine.attempts(request).next().is_some(),
        });
        let busy = share(sums.busy_us.get(i).copied().unwrap_or(0) as f64, sums.seconds * US_PER_S as f64);
        ReplicaFrame {
            id: r.id().0,
            pool: self.plan.scenario().cluster.pools[r.pool() as usize].name.clone(),
            serving: r.serving(),
            life: self.life_of(r),
            faults: self.replica_faults(r.id()),
            crash: self.crash_frame(r),
            split: None,
            waiting: r.waiting(),
            loading: r.loading(),
            running: r.running(),
            prefilling: r.prefilling(),
            busy,
            step_us: r.latest_step().0,
            share: share(
                f64::from(sums.routed_by_replica.get(i).copied().unwrap_or(0)),
                f64::from(decisions),
            ),
            in_flight: self.engine.in_flight()[i],
            arriving: r.arriving(),
            ttft: sums.ttft_by_replica.get(i).copied().unwrap_or_else(Percentiles::default),
            kv: self.kv_frame(r, query.cells),
            queue: queue.collect(),
            batch: self.batch_of(r, query.batch.max(whole) as usize),
        }
    }

    /// The first requests of a replica's batch.
    fn batch_of(&self, r: &Replica, most: usize) -> BatchFrame {
        let mut batch = BatchFrame::default();
        let mut others = Vec::new();
        for request in self.engine.batch(r).take(most) {
            let p = self.engine.progress(request);
            if p.decoding {
                batch.requests.push(request.0);
                batch.contexts.push(p.stored);
            } else {
                others.push((request.0, p.stored));
                batch.prefill.push(p.prefill);
            }
        }
        batch.decoding = batch.requests.len() as u32;
        for (request, stored) in others {
            batch.requests.push(request);
            batch.contexts.push(stored);
        }
        batch
    }
}
