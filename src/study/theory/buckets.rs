//! Arrivals in stretches of equal length: their numbers, and the rates between.

/// Arrivals of a bucket on average, so that its rate is known within a tenth.
const PER_BUCKET: f64 = 100.0;
/// Most buckets.
const MOST_BUCKETS: f64 = 240.0;

/// Arrivals by time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Buckets {
    pub(super) width_us: u64,
    pub(super) counts: Vec<u32>,
    /// Length of each; the last may be shorter.
    pub(super) spans: Vec<u64>,
}

impl Buckets {
    pub(super) fn new(arrivals: &[u64], end: u64) -> Self {
        // After the last arrival a run only empties, which is no sign of the rate.
        let (last, n) = (arrivals.last().copied().unwrap_or(0), arrivals.len().max(1) as u64);
        let end = (last + last / n + 1).min(end.max(last + 1));
        let count = (arrivals.len() as f64 / PER_BUCKET).clamp(1.0, MOST_BUCKETS) as u64;
        let width_us = end.div_ceil(count).max(1);
        let buckets = end.div_ceil(width_us) as usize;
        let mut counts = vec![0; buckets];
        for at in arrivals {
            counts[(at / width_us) as usize] += 1;
        }
        let spans = (0..buckets as u64).map(|i| width_us.min(end - i * width_us)).collect();
        Self { width_us, counts, spans }
    }

    /// Arrivals before each bucket.
    pub(super) fn expected_before(&self) -> Vec<f64> {
        let before = |sum: &mut f64, n: &u32| Some(std::mem::replace(sum, *sum + f64::from(*n)));
        self.counts.iter().scan(0.0, before).collect()
    }

    /// Arrivals up to an instant if they were even within each bucket.
    pub(super) fn expected(&self, before: &[f64], at: u64) -> Option<f64> {
        let i = (at / self.width_us.max(1)) as usize;
        let (sum, span) = (before.get(i)?, *self.spans.get(i)?);
        Some(sum + f64::from(self.counts[i]) * (at - i as u64 * self.width_us) as f64 / span.max(1) as f64)
    }

    /// Arrivals per second of a bucket.
    pub(super) fn rate_per_s(&self, i: usize) -> Option<f64> {
        let span = *self.spans.get(i)?;
        (span > 0).then(|| f64::from(self.counts[i]) * 1e6 / span as f64)
    }

    /// The middle of a bucket, in seconds.
    pub(super) fn middle_s(&self, i: usize) -> f64 {
        (i as f64 * self.width_us as f64 + self.spans[i] as f64 / 2.0) / 1e6
    }
}
