//! The life of each replica over time, as spans in lanes: a lane for each replica, or for several that follow one another.

use super::columns::{Columns, OWN_COLUMN};
use crate::observe::fault_log::FaultRow;
use crate::observe::scaling::Stage;
use crate::session::Session;
use base::units::US_PER_S;
use base::{Micros, ReplicaId};
use engine::FaultKind;

/// Most spans of all lanes together.
const SPANS: usize = 4096;

/// What a replica is in a span, as charts show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LaneLife {
    Starting,
    Serving,
    Cold,
    Draining,
    Broken(FaultKind),
    Down,
}

impl LaneLife {
    const STAGES: [Self; 4] = [Self::Serving, Self::Cold, Self::Starting, Self::Draining];

    fn name(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Serving => "serving",
            Self::Cold => "cold",
            Self::Draining => "draining",
            Self::Broken(kind) => kind.name(),
            Self::Down => "down",
        }
    }
}

/// What happens to a replica.
#[derive(Clone, Copy, Debug)]
enum LaneChange {
    Stage(Stage),
    Begins(Option<FaultKind>),
    Ends(Option<FaultKind>),
}

/// The state of a replica while its changes are gone through.
#[derive(Clone, Copy, Debug)]
struct LaneState {
    stage: Stage,
    down: u32,
    broken: [u32; FaultKind::ALL.len()],
}

/// A replica for a while: from and to, in microseconds.
#[derive(Clone, Copy, Debug)]
struct LaneSpan {
    from: u64,
    to: u64,
    life: LaneLife,
}

impl LaneState {
    fn apply(&mut self, change: LaneChange) {
        match change {
            LaneChange::Stage(stage) => self.stage = stage,
            LaneChange::Begins(kind) => *self.count(kind) += 1,
            LaneChange::Ends(kind) => *self.count(kind) -= 1,
        }
    }

    fn count(&mut self, kind: Option<FaultKind>) -> &mut u32 {
        kind.map_or(&mut self.down, |kind| &mut self.broken[kind as usize])
    }

    /// What it is; of several faults that which leaves the least of it. `None` if it is not there.
    fn life(&self) -> Option<LaneLife> {
        if self.down > 0 {
            return Some(LaneLife::Down);
        }
        let is_broken = |kind: &FaultKind| self.broken[*kind as usize] > 0;
        let broken = || FaultKind::WORST_FIRST.into_iter().find(is_broken).map(LaneLife::Broken);
        match self.stage {
            Stage::Gone => None,
            Stage::Starting => Some(LaneLife::Starting),
            Stage::Serving => Some(broken().unwrap_or(LaneLife::Serving)),
            Stage::Cold => Some(broken().unwrap_or(LaneLife::Cold)),
            Stage::Draining => Some(broken().unwrap_or(LaneLife::Draining)),
        }
    }
}

impl Session {
    /// The spans of all replicas in their lanes. None if there would be too many.
    pub(super) fn replica_lanes(&self) -> Columns {
        let ends = self.recorder.meters.ends();
        let all = self.changes_of_replicas(&ends).into_iter().zip(&ends);
        let lives: Vec<Vec<LaneSpan>> =
            all.map(|(changes, ends)| self.spans(changes, ends.last().copied())).collect();
        let fits = lives.iter().map(Vec::len).sum::<usize>() <= SPANS;
        let lanes = lanes_of(&lives);
        let fits = fits && lanes.iter().all(|lane| *lane < OWN_COLUMN);
        let rows = || {
            let each = lives.iter().zip(&lanes).enumerate();
            let rows = each.flat_map(|(id, (spans, lane))| spans.iter().map(move |span| (id, *lane, span)));
            rows.filter(|_| fits)
        };
        let seconds = |us: u64| us as f64 / US_PER_S as f64;
        let mut out = Columns::default();
        out.push("from_s", rows().map(|(.., span)| seconds(span.from)).collect());
        out.push("to_s", rows().map(|(.., span)| seconds(span.to)).collect());
        out.push("lane", rows().map(|(_, lane, _)| lane as f64).collect());
        out.push("replica", rows().map(|(id, ..)| id as f64).collect());
        let kinds = FaultKind::ALL.into_iter().filter(|kind| kind.is_of_replicas()).map(LaneLife::Broken);
        for life in LaneLife::STAGES.into_iter().chain(kinds).chain([LaneLife::Down]) {
            out.push(life.name(), rows().map(|(.., span)| f64::from(u8::from(span.life == life))).collect());
        }
        out
    }

    /// By replica: what happens to it, in order.
    fn changes_of_replicas(&self, ends: &[Vec<Micros>]) -> Vec<Vec<(u64, LaneChange)>> {
        let r = &self.recorder;
        let mut all: Vec<Vec<(u64, LaneChange)>> = vec![Vec::new(); self.engine.replicas().len()];
        for change in &r.scaling.stages {
            all[change.replica.index()].push((change.at.0, LaneChange::Stage(change.stage)));
        }
        for (changes, ends) in all.iter_mut().zip(ends) {
            // A crash and a start given up are changes of their own; a drain ends when the replica is empty.
            if let (Some((_, LaneChange::Stage(Stage::Draining))), Some(end)) = (changes.last(), ends.last())
            {
                changes.push((end.0, LaneChange::Stage(Stage::Gone)));
            }
        }
        let is_of_replicas = |row: &&FaultRow| row.kind.is_none_or(FaultKind::is_of_replicas);
        for row in r.faults.rows.iter().filter(is_of_replicas) {
            let its = row.replica.map_or(0..all.len(), |ReplicaId(id)| id as usize..id as usize + 1);
            for changes in &mut all[its] {
                changes.push((row.at.0, LaneChange::Begins(row.kind)));
                if row.until != Micros::MAX {
                    changes.push((row.until.0, LaneChange::Ends(row.kind)));
                }
            }
        }
        for changes in &mut all {
            changes.sort_by_key(|(at, _)| *at);
        }
        all
    }

    /// The spans of one replica up to the playhead, or until it has left; a fault that has begun and has an end is as long as it
    /// will be.
    fn spans(&self, changes: Vec<(u64, LaneChange)>, left: Option<Micros>) -> Vec<LaneSpan> {
        let now = self.playhead.0;
        let mut state = LaneState { stage: Stage::Gone, down: 0, broken: [0; FaultKind::ALL.len()] };
        let mut spans: Vec<LaneSpan> = Vec::new();
        let mut open: Option<(u64, LaneLife)> = None;
        let mut changes = changes.into_iter().peekable();
        while let Some((at, change)) = changes.next() {
            state.apply(change);
            if changes.peek().is_some_and(|(next, _)| *next == at) {
                continue;
            }
            let life = state.life();
            if open.map(|(_, life)| life) == life {
                continue;
            }
            if let Some((from, life)) = open.take() {
                spans.push(LaneSpan { from, to: at, life });
            }
            if at > now {
                open = None;
                break;
            }
            open = life.map(|life| (at, life));
        }
        spans.extend(open.map(|(from, life)| LaneSpan { from, to: now, life }));
        for span in &mut spans {
            span.to = left.map_or(span.to, |left| span.to.min(left.0));
        }
        spans.retain(|span| span.from < span.to);
        spans
    }
}

/// The lane of each replica: the lowest that is free when it begins.
fn lanes_of(lives: &[Vec<LaneSpan>]) -> Vec<usize> {
    let mut free_from: Vec<u64> = Vec::new();
    let lane_of = |spans: &Vec<LaneSpan>| {
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else { return 0 };
        let lane = free_from.iter().position(|at| *at <= first.from).unwrap_or(free_from.len());
        if lane == free_from.len() {
            free_from.push(0);
        }
        free_from[lane] = last.to;
        lane
    };
    lives.iter().map(lane_of).collect()
}
