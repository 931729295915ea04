//! The gaps between tokens by time, for the interval of ITL from one run: a request's record has only the sum of its
//! gaps.
//!
//! A run for a comparison keeps them; a run on the page does not, because steps of the engine would cost more.

use super::Outcomes;
use base::stats::RunLength;
use base::{Diagnostics, Micros};
use document::Scenario;
use engine::{Fact, ReplicaFact, Sink};
use run::observe::warmup::Warmup;
use run::session::outcomes::Written;
use run::session::{Session, Stop, Trace};
use std::convert::Infallible;
use std::sync::Arc;

/// Most blocks of time; above that, two neighbours are merged.
pub(crate) const MOST_BLOCKS: usize = 64;
/// Length of the first blocks in microseconds.
const FIRST_WIDTH_US: u64 = 100_000;

/// Gaps by block of time.
#[derive(Clone, Debug)]
pub struct GapLog {
    warmup: Warmup,
    width_us: u64,
    blocks: Vec<RunLength>,
}

impl GapLog {
    /// The log of a run that has not begun.
    pub fn new(scenario: &Scenario) -> Self {
        Self { warmup: Warmup::new(&scenario.run), width_us: FIRST_WIDTH_US, blocks: Vec::new() }
    }

    /// Makes room for a block.
    fn block(&mut self, at: Micros) -> &mut RunLength {
        while at.0 / self.width_us >= MOST_BLOCKS as u64 {
            self.width_us *= 2;
            let pairs = self.blocks.chunks(2);
            self.blocks = pairs
                .map(|pair| {
                    let mut both = pair[0].clone();
                    pair[1..]
                        .iter()
                        .flat_map(RunLength::sorted)
                        .for_each(|(gap, count)| both.add(gap, count));
                    both
                })
                .collect();
        }
        let block = (at.0 / self.width_us) as usize;
        if block >= self.blocks.len() {
            self.blocks.resize(block + 1, RunLength::default());
        }
        &mut self.blocks[block]
    }

    fn written(&self) -> Vec<u8> {
        let mut out = Written::default();
        out.number(self.width_us);
        out.number(self.blocks.len() as u64);
        for block in &self.blocks {
            let runs = block.sorted();
            out.number(runs.iter().map(|(_, count)| count.div_ceil(MOST_AT_ONCE)).sum());
            let mut before = 0;
            for (gap, mut count) in runs {
                while count > 0 {
                    let part = count.min(MOST_AT_ONCE);
                    out.number(gap - before);
                    out.number(part);
                    (before, count) = (gap, count - part);
                }
            }
        }
        out.0
    }
}

/// Most equal gaps in one entry.
const MOST_AT_ONCE: u64 = u32::MAX as u64;

impl Sink for GapLog {
    #[inline]
    fn fact(&mut self, at: Micros, fact: Fact) {
        if !self.warmup.is_over() {
            self.warmup.begins(at, &fact);
        }
        if let Fact::Replica(ReplicaFact::Tokens { itl, count, .. }) = fact
            && self.warmup.is_over()
        {
            self.block(at).add(itl.0, u64::from(count));
        }
    }
}

impl Outcomes {
    /// Runs a scenario to its end, and returns the outcomes of its requests.
    pub fn of_run(scenario: Scenario, trace: Option<Arc<Trace>>) -> Result<Self, Diagnostics> {
        match Self::of_run_while(scenario, trace, &mut || Ok::<(), Infallible>(())) {
            Ok(found) => found,
            Err(never) => match never {},
        }
    }

    /// The same, with a question between slices of the run: an error ends it.
    pub fn of_run_while<E>(
        scenario: Scenario,
        trace: Option<Arc<Trace>>,
        go_on: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Result<Self, Diagnostics>, E> {
        let mut session = match Session::start_for_rows(scenario, trace) {
            Ok((session, _)) => session,
            Err(problems) => return Ok(Err(problems)),
        };
        let mut gaps = GapLog::new(&session.scenario());
        while session.advance_telling(Micros::MAX, EVENTS_AT_ONCE, &mut gaps) != Stop::Finished {
            go_on()?;
        }
        let found = Self::read(&session.outcomes_and(&gaps.written()));
        Ok(Ok(found.expect("INV-6: what was written reads")))
    }
}

/// Events between two questions whether a run goes on.
const EVENTS_AT_ONCE: u64 = 1 << 17;
