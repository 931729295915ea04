//! Operations on a trace: which rows are replayed, how long their texts are at most, and when they arrive. They make a
//! trace of their own once, when a run is loaded, so that the replay itself does not know of them. The speed is not among
//! them: an edit may change it while the trace is replayed.

use super::super::family;
use super::Trace;
use base::content::source_name;
use base::lookup::LookupMap;
use base::math;
use base::rng::{Purpose, Stream};
use base::small::sort::sort_by_key;
use base::units::US_PER_S;
use document::{TraceSettings, TraceWindow};
use std::sync::Arc;

impl Trace {
    /// The rows that a run with `seed` replays: the same trace where the settings leave it as it is.
    pub fn operated(self: &Arc<Self>, settings: &TraceSettings, seed: u64) -> Arc<Self> {
        let picks = settings.window.is_some() || settings.subsample < 1.0 || settings.jitter_s > 0.0;
        let cuts = settings.max_prompt_tokens > 0 || settings.max_output_tokens > 0;
        if !picks && !cuts {
            return Arc::clone(self);
        }
        let (first, end) = settings.window.as_ref().map_or((0, u64::MAX), ends_of);
        let from = self.arrivals_us.partition_point(|&at| at < first) as u32;
        let to = self.arrivals_us.partition_point(|&at| at < end) as u32;
        let mut rows: Vec<u32> = (from..to).filter(|&row| self.is_in(row, settings.subsample)).collect();
        let mut arrivals_us: Vec<u64> =
            rows.iter().map(|&row| self.arrivals_us[row as usize] - first).collect();
        if settings.jitter_s > 0.0 {
            self.jitter(&mut rows, &mut arrivals_us, settings.jitter_s, seed);
        }
        let mut trace = self.selected(&rows, arrivals_us);
        cut(&mut trace.prompt_tokens, settings.max_prompt_tokens);
        cut(&mut trace.output_tokens, settings.max_output_tokens);
        Arc::new(trace)
    }

    /// Whether a row is in a share of the sessions.
    fn is_in(&self, row: u32, share: f64) -> bool {
        if share >= 1.0 {
            return true;
        }
        let name = match self.session(row as usize) {
            0 => source_name(family::TRACE_ROW_IN_SHARE, row.into()),
            session => source_name(family::TRACE_SESSION_IN_SHARE, session.into()),
        };
        // The 53 bits below the highest one, which marks texts that occur once.
        ((name >> 10) as f64) < share * (1_u64 << 53) as f64
    }

    /// Delays each row by less than `jitter_s`, and puts them in order of arrival. The delay of a row of the file depends on
    /// the seed alone; a row that would come before an earlier one of its session comes with it.
    fn jitter(&self, rows: &mut Vec<u32>, arrivals_us: &mut Vec<u64>, jitter_s: f64, seed: u64) {
        let mut latest: LookupMap<u32, u64> = LookupMap::default();
        let (mut draws, mut next) = (Stream::new(seed, Purpose::TraceJitter, 0), 0);
        for (&row, at) in rows.iter().zip(arrivals_us.iter_mut()) {
            if row != next {
                draws = Stream::from_draw(seed, Purpose::TraceJitter, 0, row);
            }
            next = row + 1;
            *at += (draws.unit() * jitter_s * US_PER_S as f64) as u64;
            let session = self.session(row as usize);
            if session > 0 {
                *at = latest.get(session).map_or(*at, |before| before.max(*at));
                latest.insert(session, *at);
            }
        }
        let mut both: Vec<(u64, u32)> = arrivals_us.iter().copied().zip(rows.iter().copied()).collect();
        // Rows of one instant stay in the order of the file.
        sort_by_key(&mut both, |&(at, _)| at);
        (*arrivals_us, *rows) = both.into_iter().unzip();
    }
}

/// The first instant of a window and the first one after it, in microseconds.
fn ends_of(window: &TraceWindow) -> (u64, u64) {
    let us = |s: f64| math::round_to_span(s * US_PER_S as f64).0;
    let end = if window.length_s > 0.0 { us(window.start_s + window.length_s) } else { u64::MAX };
    (us(window.start_s), end)
}

/// Numbers above `most` become `most`; 0 for none.
fn cut(column: &mut [u32], most: u32) {
    if most > 0 {
        for tokens in column.iter_mut() {
            *tokens = (*tokens).min(most);
        }
    }
}
