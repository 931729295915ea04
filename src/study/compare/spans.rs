//! Spans of two runs between their edits: stretches without a change, and the last difference between the two.
//!
//! A run that is edited at 40 s is two runs one after the other. Blocks of time from before and after are not
//! exchangeable, and requests that arrived before the last difference of the two runs show nothing of its effect.

use super::Outcomes;
use document::{Scenario, TimedEdit};

/// The edits of two runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Spans {
    /// Instants of the edits of either run, in order.
    cuts_us: Vec<u64>,
    /// Instants of the edits that only one of them has, in order.
    differences_us: Vec<u64>,
}

impl Spans {
    /// The edits of two scenarios. An edit that reroutes one request changes no other setting, and starts no new
    /// span.
    pub(super) fn of(a: &Scenario, b: &Scenario) -> Self {
        let edits = |s: &Scenario| -> Vec<TimedEdit> {
            let all = s.edits.iter().filter(|e| !(e.off || e.set.is_empty() && e.add.is_empty()));
            all.map(|e| TimedEdit::new(e.at_us, e.change())).collect()
        };
        let (of_a, mut rest) = (edits(a), edits(b));
        let mut cuts_us: Vec<u64> = of_a.iter().chain(&rest).map(|e| e.at_us).collect();
        let mut differences_us = Vec::new();
        for edit in of_a {
            match rest.iter().position(|other| *other == edit) {
                Some(i) => _ = rest.remove(i),
                None => differences_us.push(edit.at_us),
            }
        }
        differences_us.extend(rest.iter().map(|e| e.at_us));
        cuts_us.sort_unstable();
        cuts_us.dedup();
        differences_us.sort_unstable();
        Self { cuts_us, differences_us }
    }

    /// The last instant at which a further difference begins, with requests that count before it and, in both runs,
    /// after it; `None` if all differences begin before the first request that counts.
    pub(super) fn since_us(&self, a: &Outcomes, b: &Outcomes) -> Option<u64> {
        let arrivals = |run: &Outcomes| {
            let mut counted = run.requests.iter().filter(|r| r.counted).map(|r| r.arrival_us);
            let first = counted.next()?;
            Some((first, counted.next_back().unwrap_or(first)))
        };
        let ((first_a, last_a), (first_b, last_b)) = (arrivals(a)?, arrivals(b)?);
        let last = last_a.min(last_b);
        let found = self.differences_us.iter().rev().find(|at| **at <= last).copied();
        found.filter(|at| *at > first_a.min(first_b))
    }

    /// The instants between `from` and `to` at which blocks are cut, at least `shortest` apart.
    pub(super) fn within(&self, from: u64, to: u64, shortest: u64) -> Vec<u64> {
        let (mut cuts, mut before) = (Vec::new(), from);
        for &at in &self.cuts_us {
            if at >= before + shortest && at + shortest <= to {
                cuts.push(at);
                before = at;
            }
        }
        cuts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::parse;

    fn edited(edits: &str) -> Scenario {
        parse(&format!(r#"{{"edits": [{edits}]}}"#)).unwrap()
    }

    #[test]
    fn an_edit_of_both_cuts_and_an_edit_of_one_is_a_difference() {
        let both = r#"{"at_us": 40, "set": {"cluster.routing": "random"}}"#;
        let own = r#"{"at_us": 60, "set": {"cluster.routing": "least-kv"}}"#;
        let off = own.replace("60, ", r#"70, "off": true, "#);
        let route = r#"{"at_us": 80, "route": {"request": 3, "to": 0}}"#;
        let spans =
            Spans::of(&edited(&format!("{both}, {off}, {route}")), &edited(&format!("{both}, {own}")));
        assert_eq!(spans, Spans { cuts_us: vec![40, 60], differences_us: vec![60] });
        let none = Spans::of(&edited(both), &edited(both));
        assert_eq!(none, Spans { cuts_us: vec![40], differences_us: vec![] });
        let twice = Spans::of(&edited(&format!("{both}, {both}")), &edited(both));
        assert_eq!(twice.differences_us, [40], "one of two equal edits is missing");
    }

    #[test]
    fn cuts_leave_room_for_blocks() {
        let spans = Spans { cuts_us: vec![5, 20, 24, 60, 97], differences_us: Vec::new() };
        assert_eq!(spans.within(0, 100, 10), [20, 60]);
        assert_eq!(spans.within(0, 100, 2), [5, 20, 24, 60, 97]);
        assert!(spans.within(0, 100, 60).is_empty());
    }
}
