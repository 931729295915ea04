//! The lanes themselves: slices and totals of the steps between two instants.

use super::{
    ALL_SLICES, FEW_SLICES, Lane, LaneSteps, Lanes, LanesQuery, REQUESTS, SLICES, StepTerms, StepTotals,
};
use crate::observe::step_log::KeptStep;
use crate::session::Session;
use base::math::round_to_span;
use base::stats::percentiles_of;

/// Figures of steps, while they are counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    totals: StepTotals,
    spans: Vec<u64>,
}

impl Totals {
    fn add(&mut self, step: &KeptStep) {
        let t = &mut self.totals;
        t.steps += 1;
        t.prompt_tokens += u64::from(step.prefill);
        t.output_tokens += u64::from(step.decode) + u64::from(step.finished);
        t.time_us = t.time_us.saturating_add(step.span);
        t.terms.add(&StepTerms::from(step.terms));
        self.spans.push(step.span);
    }

    fn finish(mut self) -> StepTotals {
        if let Some((_, [p50, _, p99])) = percentiles_of(&mut self.spans) {
            let whole = |us: f64| Some(round_to_span(us).0);
            (self.totals.p50_us, self.totals.p99_us) = (whole(p50), whole(p99));
        }
        self.totals.shares = self.totals.terms.shares(self.totals.time_us);
        self.totals
    }
}

impl LaneSteps {
    /// A slice begins with this step.
    fn begin(&mut self, step: &KeptStep) {
        self.seq.push(step.seq);
        self.steps.push(1);
        self.at_us.push(step.at);
        self.span_us.push(step.span);
        self.busy_us.push(step.span);
        self.prefill_us.push(step.terms.prefill.0);
        self.wait_us.push(step.terms.others.0);
        self.prompt_tokens.push(step.prefill);
        self.decode.push(step.decode);
    }

    /// The latest slice goes on with this step; `decoded` have decoded in its steps so far.
    fn extend(&mut self, step: &KeptStep, decoded: u64) {
        let Some(last) = self.seq.len().checked_sub(1) else { return };
        let (at, end) = (self.at_us[last], self.at_us[last] + self.span_us[last]);
        self.steps[last] += 1;
        self.span_us[last] = end.max(step.end()) - at;
        self.busy_us[last] += step.end().saturating_sub(step.at.max(end));
        self.prefill_us[last] = self.prefill_us[last].saturating_add(step.terms.prefill.0);
        self.wait_us[last] = self.wait_us[last].saturating_add(step.terms.others.0);
        self.prompt_tokens[last] = self.prompt_tokens[last].saturating_add(step.prefill);
        let steps = u64::from(self.steps[last]);
        self.decode[last] = ((2 * decoded + steps) / (2 * steps)) as u32;
    }

    /// The slices of these steps, at most `most`: with more steps, those that begin in the same of `most` equal parts of the span are
    /// one slice.
    fn of(steps: &[&KeptStep], (from, to): (u64, u64), most: u32) -> Self {
        let mut slices = Self::default();
        if most == 0 {
            return slices;
        }
        let width = (to - from).div_ceil(most.into()).max(1);
        let merges = steps.len() > most as usize;
        let (mut column, mut decoded) = (None, 0);
        for step in steps {
            let own = Some(step.at.saturating_sub(from) / width);
            if merges && own == column {
                decoded += u64::from(step.decode);
                slices.extend(step, decoded);
            } else {
                decoded = u64::from(step.decode);
                slices.begin(step);
            }
            column = own;
        }
        slices
    }

    /// The same without the waits of ranks.
    fn without_waits(self) -> Self {
        Self { wait_us: Vec::new(), ..self }
    }
}

impl Session {
    /// The lanes between two instants.
    pub fn lanes(&self, query: &LanesQuery) -> Lanes {
        let (from, to) = (query.from_us, query.to_us.max(query.from_us));
        let replicas = self.engine.replicas().len();
        let mut steps: Vec<Vec<&KeptStep>> = vec![Vec::new(); replicas];
        let mut totals = vec![Totals::default(); replicas];
        let mut all = Totals::default();
        for step in self.recorder.steps.between(from, to) {
            let Some(own) = steps.get_mut(step.replica as usize) else { continue };
            own.push(step);
            if step.at >= from {
                totals[step.replica as usize].add(step);
                all.add(step);
            }
        }
        let listed = query.first..query.first.saturating_add(query.count);
        let each = (ALL_SLICES / query.count.clamp(1, replicas.max(1) as u32)).max(FEW_SLICES);
        let most = query.most.min(SLICES).min(each);
        let mut is_rank = vec![false; replicas];
        for rank in self.engine.servers().flat_map(|(ranks, _)| ranks) {
            is_rank[rank.index()] = true;
        }
        let lane = |(replica, (steps, totals)): (u32, (&Vec<&KeptStep>, Totals))| {
            let steps = LaneSteps::of(steps, (from, to), if listed.contains(&replica) { most } else { 0 });
            let steps = if is_rank[replica as usize] { steps } else { steps.without_waits() };
            Lane { replica, steps, totals: totals.finish() }
        };
        let lanes = (0..).zip(steps.iter().zip(totals)).map(lane).collect();
        let open = query.replica.filter(|r| (*r as usize) < replicas);
        let open = open.map(|r| {
            let limit = query.requests.min(REQUESTS) as usize;
            self.open_lane(r, (from, to), limit, &steps[r as usize])
        });
        Lanes {
            now_us: self.playhead.0,
            from_us: from,
            to_us: to,
            kept_from_us: self.recorder.steps.kept_from(),
            lanes,
            marks: if query.most == 0 { Vec::new() } else { self.lane_marks(from, to) },
            totals: all.finish(),
            open,
            overview: if query.most == 0 { Default::default() } else { self.tokens_over_time() },
        }
    }
}
