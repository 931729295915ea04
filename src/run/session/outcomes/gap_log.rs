//! A run to its end for studies, with the gaps between tokens by time, for the interval of ITL from one run: a request's
//! record has only the sum of its gaps.
//!
//! A run for a comparison keeps them; a run on the page does not, because steps of the engine would cost more.

use super::{GapBlocks, Outcomes};
use crate::observe::Report;
use crate::observe::warmup::Warmup;
use crate::session::{Session, Stop, Trace};
use base::stats::RunLength;
use base::{Diagnostics, Micros};
use document::Scenario;
use engine::{Fact, ReplicaFact, Sink};
use std::convert::Infallible;
use std::sync::Arc;

/// Most blocks of time; above that, two neighbours are merged.
const MOST_BLOCKS: usize = 64;
/// Length of the first blocks in microseconds.
const FIRST_WIDTH_US: u64 = 100_000;

/// Gaps by block of time.
#[derive(Clone, Debug)]
struct GapLog {
    warmup: Warmup,
    width_us: u64,
    blocks: Vec<RunLength>,
}

impl GapLog {
    /// The log of a run that has not begun.
    fn new(scenario: &Scenario) -> Self {
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

    /// The gaps of all blocks.
    fn kept(&self) -> GapBlocks {
        let of_block = |block: &RunLength| block.sorted().into_iter().flat_map(parts).collect();
        GapBlocks { width_us: self.width_us, blocks: self.blocks.iter().map(of_block).collect() }
    }
}

/// Equal gaps, as many at once as a number of 32 bits counts.
fn parts((gap, count): (u64, u64)) -> impl Iterator<Item = (u64, u32)> {
    let most = u64::from(u32::MAX);
    (0..count.div_ceil(most)).map(move |i| (gap, (count - i * most).min(most) as u32))
}

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
            Ok(run) => run.map(|(outcomes, _)| outcomes),
            Err(never) => match never {},
        }
    }

    /// The same with the report, and with a question between slices of the run: an error ends it.
    pub fn of_run_while<E>(
        scenario: Scenario,
        trace: Option<Arc<Trace>>,
        go_on: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Result<(Self, Report), Diagnostics>, E> {
        let mut session = match Session::start_for_rows(scenario, trace) {
            Ok((session, _)) => session,
            Err(problems) => return Ok(Err(problems)),
        };
        let mut gaps = GapLog::new(&session.scenario());
        while session.advance_telling(Micros::MAX, EVENTS_AT_ONCE, &mut gaps) != Stop::Finished {
            go_on()?;
        }
        let (outcomes, report) = session.outcomes_and_report();
        Ok(Ok((Self { gaps: gaps.kept(), ..outcomes }, report)))
    }
}

/// Events between two questions whether a run goes on.
const EVENTS_AT_ONCE: u64 = 1 << 17;
