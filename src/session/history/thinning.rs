//! Which checkpoints go when they take too much memory.
//!
//! Going anywhere costs the events from the checkpoint before it, so gaps should be even; but most ways lead to somewhere near the
//! instant shown. Checkpoints stand twice as dense there as at the far end of the run.

use super::{Checkpoint, History, LINES, Line, place};
use crate::session::Session;
use std::rc::Rc;

/// A checkpoint that can go, by line and place, and what going costs: the gap it leaves, less where nobody is near.
type Loss = (f64, usize, usize);

impl Line {
    /// Bytes of a checkpoint beside what comes after it, which shares most with it; `present` is the furthest of the line that is shown.
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
    /// Bytes of all checkpoints together, and of the lines that are not shown: what the instant shown and what is computed ahead of
    /// it take is the run's own.
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

    /// How many checkpoints there are in all.
    pub fn checkpoints(&self) -> usize {
        let own = |(i, line): (usize, &Line)| {
            line.kept.iter().filter(|c| !self.lines[..i].iter().any(|other| other.has(c))).count()
        };
        self.lines.iter().enumerate().map(own).sum()
    }

    /// What checkpoints may take now: in a long run they give way to what the run itself has at rest, which grows with its requests, but
    /// have a third of the budget however long the run is.
    fn most_bytes(&self) -> u64 {
        const LONG: u64 = 8;
        const GIVE_WAY: u64 = 6;
        // A part is left for what they come to have alone as the run goes on.
        let most = self.budget.bytes - self.budget.bytes / 16;
        let at_rest = self.line().kept.last().map_or(0, |c| c.at_rest);
        let long = GIVE_WAY * at_rest.saturating_sub(self.budget.bytes / LONG);
        most.saturating_sub(long).max(self.budget.bytes / 3)
    }

    /// Events between two checkpoints, if as many as there is still room for are spread evenly over what is left of the way: so none of
    /// them has to go.
    pub(super) fn events_between_all(&self) -> u64 {
        let Some((last, before)) = self.line().kept.split_last() else { return 0 };
        let shared = before.last().map_or(0, |c| c.at_rest_beside(&last.session));
        let room = self.most_bytes().saturating_sub(self.checkpoint_bytes());
        let fit = (room / (last.alive + shared).max(1)).max(1);
        let now = self.present.now().0;
        let left = self.on_its_way_to.0.min(self.present.axis_end()).saturating_sub(now);
        (self.present.events() as f64 * left as f64 / now.max(1) as f64) as u64 / fit
    }

    /// Keeps within the budget: of the checkpoints that matter least, then of the lines that were shown longest ago.
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

    /// Keeps few lines.
    pub(super) fn drop_lines(&mut self) {
        while self.lines.len() > LINES && self.drop_oldest_line() {}
        self.thin();
    }

    fn drop_oldest_line(&mut self) -> bool {
        let others = self.lines.len() - 1;
        let oldest = (0..others).min_by_key(|&i| self.lines[i].shown);
        oldest.map(|i| self.lines.remove(i)).is_some()
    }

    /// The checkpoint that is missed least. The beginning of a line stays.
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

impl Line {
    fn has(&self, checkpoint: &Checkpoint) -> bool {
        let at = self.kept.partition_point(|c| place(&c.session) < place(&checkpoint.session));
        self.kept.get(at).is_some_and(|c| Rc::ptr_eq(&c.session, &checkpoint.session))
    }
}
