//! Little's law on the figures of a run: by stretch the numbers of requests and their times, of which two give the third.

use super::buckets::Buckets;
use crate::compare::{Ending, Outcome};

/// Means of a stretch of a run: of numbers over its time, of times over the requests that arrived in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Stretch {
    /// Requests in the system, refused and dropped ones left out.
    pub(super) inside: f64,
    /// Those of them that have not been in a batch.
    pub(super) waiting: f64,
    /// In milliseconds: from arrival to the last token, and from joining a replica's queue to the first batch.
    pub(super) e2e_ms: Option<f64>,
    pub(super) queue_ms: Option<f64>,
    /// How many more are in the system at its end than at its beginning.
    pub(super) grown: f64,
}

/// Requests in the system at the end of a run.
pub(super) fn inside(requests: &[Outcome]) -> u64 {
    requests.iter().filter(|r| r.ending.unfinished()).count() as u64
}

/// The mean of what was added.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum_us: u64,
    count: u64,
}

impl Mean {
    fn add(&mut self, us: Option<u64>) {
        self.sum_us += us.unwrap_or(0);
        self.count += u64::from(us.is_some());
    }

    fn ms(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_us as f64 / 1000.0 / self.count as f64)
    }
}

/// By bucket: how long requests were there, all together, and the means of those that arrived in it.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    inside_us: u64,
    waiting_us: u64,
    grown: i64,
    e2e: Mean,
    queue: Mean,
}

/// The stretches of a run that ends at `end`.
pub(super) fn stretches(requests: &[Outcome], buckets: &Buckets, end: u64) -> Vec<Stretch> {
    let mut sums = vec![Sums::default(); buckets.counts.len()];
    let width = buckets.width_us.max(1);
    let at = |us: u64| (us / width) as usize;
    for r in requests.iter().filter(|r| !matches!(r.ending, Ending::Refused | Ending::Dropped)) {
        let from = r.arrival_us;
        let left = r.e2e_us.map(|e2e| from + e2e);
        let joined = r.scheduling_delay_us.map_or(end, |delay| from + delay);
        let until = left.unwrap_or(end);
        for i in at(from)..sums.len().min(at(until.max(joined)) + 1) {
            let start = i as u64 * width;
            let stop = start + buckets.spans[i];
            let there = |until: u64| until.min(stop).saturating_sub(from.max(start));
            sums[i].inside_us += there(until);
            sums[i].waiting_us += there(joined);
        }
        if let Some(s) = sums.get_mut(at(from)) {
            s.grown += 1;
            s.e2e.add(r.e2e_us);
            s.queue.add(r.queue_wait_us);
        }
        if let Some(s) = left.and_then(|left| sums.get_mut(at(left))) {
            s.grown -= 1;
        }
    }
    let stretch = |(s, span): (&Sums, &u64)| {
        let over = |us: u64| us as f64 / (*span).max(1) as f64;
        Stretch {
            inside: over(s.inside_us),
            waiting: over(s.waiting_us),
            e2e_ms: s.e2e.ms(),
            queue_ms: s.queue.ms(),
            grown: s.grown as f64,
        }
    };
    sums.iter().zip(&buckets.spans).map(stretch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(arrival_us: u64, queue: Option<u64>, delay: Option<u64>, e2e_us: Option<u64>) -> Outcome {
        Outcome {
            arrival_us,
            ending: if e2e_us.is_some() { Ending::Met } else { Ending::Open },
            counted: true,
            session: 0,
            client: 0,
            tenant: 0,
            class: 0,
            prompt_tokens: 1,
            output_tokens: 1,
            replica: None,
            ttft_us: e2e_us,
            e2e_us,
            queue_wait_us: queue,
            scheduling_delay_us: delay,
        }
    }

    #[test]
    fn numbers_and_times_of_a_stretch_are_those_of_its_requests() {
        let buckets = Buckets { width_us: 1000, counts: vec![2, 1], spans: vec![1000, 500] };
        let all = [
            // From 0 to 600, of which 200 before its batch, 100 of them at the replica.
            request(0, Some(100), Some(200), Some(600)),
            // From 800 to 1,200, of which 300 waiting.
            request(800, Some(300), Some(300), Some(400)),
            // From 1,100 on, and still waiting at the end, 2,000.
            request(1100, None, None, None),
            // Refused ones count nowhere.
            Outcome { ending: Ending::Refused, ..request(900, None, None, None) },
        ];
        let found = stretches(&all, &buckets, 2000);
        assert_eq!(
            found,
            [
                Stretch { inside: 0.8, waiting: 0.4, e2e_ms: Some(0.5), queue_ms: Some(0.2), grown: 1.0 },
                // 200 and 400 of 500; waiting 100 and 400.
                Stretch { inside: 1.2, waiting: 1.0, e2e_ms: None, queue_ms: None, grown: 0.0 },
            ]
        );
        assert_eq!(inside(&all), 1);
    }
}
