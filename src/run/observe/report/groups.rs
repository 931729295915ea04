//! Figures for groups of requests: the same for each group.

use super::{GroupPart, in_ms, known_share, share};
use crate::observe::summaries::{Ended, GroupSums};
use base::stats::Summary;
use engine::Record;

/// The share of ended requests that met every objective; `None` if all of them finished: it is their attainment then.
pub(super) fn met_share(met: u32, finished: u32, unserved: u32) -> Option<f64> {
    (unserved > 0).then(|| share(f64::from(met), f64::from(finished + unserved)))
}

/// Groups by number, with the number of requests that each ever sent.
pub(super) struct Groups {
    parts: Vec<GroupPart>,
    sent: Vec<u32>,
}

impl Groups {
    pub(super) fn new(names: &[String]) -> Self {
        let part = |name: &String| GroupPart { name: name.clone(), ..GroupPart::default() };
        Self { parts: names.iter().map(part).collect(), sent: vec![0; names.len()] }
    }

    /// Groups of a run that keeps summaries only.
    pub(super) fn of_sums(names: &[String], sums: &[GroupSums]) -> Self {
        let part = |(name, g): (&String, &GroupSums)| GroupPart {
            name: name.clone(),
            arrived: g.arrived,
            finished: g.finished,
            met: g.met,
            unserved: g.unserved,
            output_tokens: g.output_tokens,
            preemptions: g.preemptions,
            ..GroupPart::default()
        };
        Self {
            parts: names.iter().zip(sums).map(part).collect(),
            sent: sums.iter().map(|g| g.sent).take(names.len()).collect(),
        }
    }

    /// Adds a request; `counts` tells whether it arrived in the measurement window, `ended` how it ended there.
    pub(super) fn add(&mut self, group: u32, r: &Record, counts: bool, ended: Option<Ended>) {
        let group = group as usize;
        let Some(g) = self.parts.get_mut(group) else { return };
        self.sent[group] += 1;
        if counts {
            g.arrived += 1;
            g.preemptions += u64::from(r.preemptions);
        }
        match ended {
            Some(Ended::Finished(met)) => {
                g.finished += 1;
                g.met += u32::from(met.all());
                g.output_tokens += u64::from(r.output_tokens);
            }
            Some(Ended::Unserved) => g.unserved += 1,
            None => {}
        }
    }

    /// Sets one distribution of every group.
    pub(super) fn fill(&mut self, by_group: &[Summary], place: impl Fn(&mut GroupPart) -> &mut Summary) {
        for (g, &summary) in self.parts.iter_mut().zip(by_group) {
            *place(g) = in_ms(summary);
        }
    }

    /// Works out the rates over a measurement window of that length.
    pub(super) fn rates(&mut self, seconds: f64) {
        for g in &mut self.parts {
            g.attainment = known_share(f64::from(g.met), f64::from(g.finished));
            g.met_share = met_share(g.met, g.finished, g.unserved);
            g.goodput_per_s = share(f64::from(g.met), seconds);
        }
    }

    /// Groups that sent requests in the measurement window or finished one there.
    pub(super) fn sent(&self) -> impl Iterator<Item = &GroupPart> {
        self.parts.iter().filter(|g| g.arrived > 0 || g.finished > 0)
    }

    /// All groups.
    pub(super) fn into_parts(self) -> Vec<GroupPart> {
        self.parts
    }

    /// Groups that ever sent requests, with their numbers.
    pub(super) fn into_sent(self) -> impl Iterator<Item = (u32, GroupPart)> {
        (0..).zip(self.parts).zip(self.sent).filter(|(_, sent)| *sent > 0).map(|(part, _)| part)
    }
}
