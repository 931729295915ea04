//! Thinning: which checkpoints are dropped when they take too much memory.
//!
//! A seek costs the events since the checkpoint before its target, so gaps should be even; but most seeks have a
//! target near the instant shown. Checkpoints are twice as dense there as at the far end of the run.

use super::{Checkpoint, EventCourse, History, LINES, place};
use crate::session::Session;
use std::rc::Rc;

/// A checkpoint that can be dropped, by line and place, and the cost of dropping it: the gap it leaves, weighted less
/// far from the instant shown.
type Loss = (f64, usize, usize);

impl EventCourse {
    /// Bytes of a checkpoint not shared with its successor, which shares most of it; `present` is the furthest state
    /// of the line shown.
    fn bytes_of(&self, at: usize, present: Option<&Session>) -> u64 {
        let checkpoint = &self.kept[at];
        let at_rest = match self.kept.get(at + 1) {
            Some(next) => checkpoint.at_rest_beside(&next.session),
            None => checkpoint.session.bytes_at_rest(self.front.as_deref().or(present)),
        };
        checkpoint.alive + at_rest
    }
}

impl History {
    /// Bytes of all checkpoints, and of the lines not shown: the instant shown and the part computed ahead count as
    /// the run's own.
    pub fn checkpoint_bytes(&self) -> u64 {
        let last = self.lines.len() - 1;
        let mut bytes = 0;
        for (i, line) in self.lines.iter().enumerate() {
            let present = (i == last).then_some(&self.present);
            for (at, checkpoint) in line.kept.iter().enumerate() {
                if !self.lines[..i].iter().any(|other| other.has(checkpoint)) {
                    bytes += line.bytes_of(at, present);
                }
            }
            if let Some(front) = line.front.as_ref().filter(|_| i != last) {
                bytes += front.bytes_alive() + front.bytes_at_rest(Some(&self.present));
            }
        }
        bytes
    }

    /// The number of checkpoints.
    pub fn checkpoints(&self) -> usize {
        let own = |(i, line): (usize, &EventCourse)| {
            line.kept.iter().filter(|c| !self.lines[..i].iter().any(|other| other.has(c))).count()
        };
        self.lines.iter().enumerate().map(own).sum()
    }

    /// Present memory limit of checkpoints: in a long run it is reduced by the run's own data at rest, which grows
    /// with its requests, but it is at least a third of the budget.
    fn most_bytes(&self) -> u64 {
        const LONG: u64 = 8;
        const GIVE_WAY: u64 = 6;
        // A part is reserved for data that they no longer share as the run continues.
        let most = self.budget.bytes - self.budget.bytes / 16;
        let at_rest = self.line().kept.last().map_or(0, |c| c.at_rest);
        let long = GIVE_WAY * at_rest.saturating_sub(self.budget.bytes / LONG);
        most.saturating_sub(long).max(self.budget.bytes / 3)
    }

    /// Events between two checkpoints if those that still fit are spread evenly over the rest of the run, so that
    /// none is dropped.
    pub(super) fn events_between_all(&self) -> u64 {
        let Some((last, before)) = self.line().kept.split_last() else { return 0 };
        let shared = before.last().map_or(0, |c| c.at_rest_beside(&last.session));
        let room = self.most_bytes().saturating_sub(self.checkpoint_bytes());
        let fit = (room / (last.alive + shared).max(1)).max(1);
        let now = self.present.now().0;
        let left = self.on_its_way_to.0.min(self.present.axis_end()).saturating_sub(now);
        (self.present.events() as f64 * left as f64 / now.max(1) as f64) as u64 / fit
    }

    /// Keeps within the budget: drops the least useful checkpoints, then the lines shown longest ago.
    pub(super) fn thin(&mut self) {
        self.weighed = self.present.events();
        let most = self.most_bytes();
        while self.checkpoint_bytes() > most {
            self.thinned = true;
            if let Some((_, line, at)) = self.least_loss() {
                let gone = self.lines[line].kept[at].session.clone();
                for line in &mut self.lines {
                    line.kept.retain(|c| !Rc::ptr_eq(&c.session, &gone));
                }
            } else if !self.drop_oldest_line() {
                return;
            }
        }
    }

    /// Drops lines above the limit.
    pub(super) fn drop_lines(&mut self) {
        while self.lines.len() > LINES && self.drop_oldest_line() {}
        self.thin();
    }

    fn drop_oldest_line(&mut self) -> bool {
        let others = self.lines.len() - 1;
        let oldest = (0..others).min_by_key(|&i| self.lines[i].shown);
        oldest.map(|i| self.lines.remove(i)).is_some()
    }

    /// The checkpoint with the least cost of dropping. The first one of a line stays.
    fn least_loss(&self) -> Option<Loss> {
        let last = self.lines.len() - 1;
        let mut least: Option<Loss> = None;
        for (i, line) in self.lines.iter().enumerate() {
            let end = line.front.as_deref().map_or(self.present.events(), Session::events);
            for at in 1..line.kept.len() {
                let events = |k: usize| line.kept.get(k).map_or(end, |c| c.session.events()) as f64;
                let gap = events(at + 1) - events(at - 1);
                let away =
                    if i == last { (events(at) - self.present.events() as f64).abs() } else { end as f64 };
                let loss = gap.max(0.0) / (1.0 + away + end as f64);
                if least.is_none_or(|(smallest, ..)| loss < smallest) {
                    least = Some((loss, i, at));
                }
            }
        }
        least
    }
}

impl EventCourse {
    fn has(&self, checkpoint: &Checkpoint) -> bool {
        let at = self.kept.partition_point(|c| place(&c.session) < place(&checkpoint.session));
        self.kept.get(at).is_some_and(|c| Rc::ptr_eq(&c.session, &checkpoint.session))
    }
}
