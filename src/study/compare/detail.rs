//! Details of a comparison: the distributions of both runs, and the differences of the same requests.

use super::intervals::Sample;
use super::pairing::Pair;
use super::{
    Difference, Direction, EcdfPart, GroupDifference, Grouping, Metric, MetricDetail, MovedRequest, Outcome,
    Outcomes, PairedPart, StripPoint,
};
use base::small::sort::sort_pairs;
use base::stats::UNBOUNDED;

/// Most points of a distribution.
const ECDF_POINTS: usize = 200;
/// Requests named at each end.
const NAMED: usize = 10;
/// Most groups of one grouping.
const GROUPS: usize = 50;
/// Most stretches of the strip.
const STRETCHES: usize = 400;
/// Upper ends of the bands of prompt lengths, in tokens; longer ones are the last band.
const BANDS: [u32; 5] = [256, 1024, 4096, 16_384, 65_536];
/// Added to a difference so that it sorts as a whole number.
const ZERO: u64 = 1 << 60;

/// The detail of one time in two runs; the pairs are requests that count in both.
pub(super) fn detail(metric: Metric, sample: &Sample, pairs: Option<&[Pair]>) -> MetricDetail {
    let [a, b] = sample.sides();
    let sorted = |run: &Outcomes| {
        let values = run.requests.iter().filter(|r| r.counted).filter_map(|r| r.time_us(metric));
        let mut all: Vec<(u64, u64)> = values.map(|us| (us, 0)).collect();
        sort_pairs(&mut all);
        all.into_iter().map(|(us, _)| us).collect::<Vec<u64>>()
    };
    let (of_a, of_b) = (sorted(a), sorted(b));
    let ecdf = EcdfPart { a: points(&of_a), b: points(&of_b), area_ms: area_between(&of_a, &of_b) / 1000.0 };
    MetricDetail { ecdf, paired: pairs.and_then(|pairs| paired(metric, sample, pairs)) }
}

/// At most 200 points of a distribution: milliseconds, and the percentage of values up to there.
fn points(sorted: &[u64]) -> Vec<[f64; 2]> {
    let n = sorted.len();
    let steps = n.min(ECDF_POINTS);
    let at = |k: usize| {
        let rank = (k + 1) * n / steps;
        [sorted[rank - 1] as f64 / 1000.0, 100.0 * rank as f64 / n as f64]
    };
    (0..steps).map(at).collect()
}

/// The area between two distributions in microseconds: the integral over time of the distance of their curves.
fn area_between(a: &[u64], b: &[u64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let (mut passed, mut area) = ([0, 0], 0.0);
    let mut before = a[0].min(b[0]);
    while passed[0] < a.len() || passed[1] < b.len() {
        let next =
            a.get(passed[0]).into_iter().chain(b.get(passed[1])).fold(u64::MAX, |least, us| least.min(*us));
        let apart = passed[0] as f64 / a.len() as f64 - passed[1] as f64 / b.len() as f64;
        area += apart.abs() * (next - before) as f64;
        before = next;
        for (passed, of) in passed.iter_mut().zip([a, b]) {
            while of.get(*passed) == Some(&next) {
                *passed += 1;
            }
        }
    }
    area
}

/// A request with its difference.
#[derive(Clone, Copy)]
struct Moved {
    pair: Pair,
    a_us: u64,
    b_us: u64,
}

impl Moved {
    fn diff(&self) -> i64 {
        self.b_us as i64 - self.a_us as i64
    }

    fn key(&self) -> u64 {
        ZERO.wrapping_add_signed(self.diff())
    }
}

fn ms(us: f64) -> f64 {
    us / 1000.0
}

/// The percentile of sorted keys of differences, in milliseconds.
fn percentile(sorted: &[(u64, u64)], p: f64) -> f64 {
    let at = |i: usize| (sorted[i].0 as i64 - ZERO as i64) as f64;
    let rank = p / 100.0 * (sorted.len() - 1) as f64;
    let low = libm::floor(rank);
    let part = rank - low;
    let below = at(low as usize);
    ms(if part > 0.0 { below + part * (at(low as usize + 1) - below) } else { below })
}

fn paired(metric: Metric, sample: &Sample, pairs: &[Pair]) -> Option<PairedPart> {
    let [a, b] = sample.sides();
    let moved: Vec<Moved> = pairs
        .iter()
        .filter_map(|&pair| {
            let (a_us, b_us) = (a.requests[pair.a].time_us(metric)?, b.requests[pair.b].time_us(metric)?);
            Some(Moved { pair, a_us, b_us })
        })
        .collect();
    if moved.is_empty() {
        return None;
    }
    let mut sorted: Vec<(u64, u64)> = moved.iter().map(Moved::key).zip(0..).collect();
    sort_pairs(&mut sorted);
    let all = Sums::of(moved.iter());
    let named = |(_, i): &(u64, u64)| named(&moved[*i as usize], a, b);
    let gained = sorted.iter().take_while(|(key, _)| *key < ZERO).take(NAMED);
    let differences = || moved.iter().map(|m| (m.diff(), a.requests[m.pair.a].arrival_us));
    let median = Difference::of(
        &[[Some(0.0), Some(percentile(&sorted, 50.0))]],
        sample.median_of(differences()),
        Direction::Lower,
        UNBOUNDED,
    );
    let whole = Difference::of(
        &[[Some(0.0), Some(all.mean_ms())]],
        sample.mean_of(differences()),
        Direction::Lower,
        UNBOUNDED,
    );
    let [blocks, blocks_gained, blocks_lost] = sample.signs_of(differences());
    let lost = sorted.iter().rev().take_while(|(key, _)| *key > ZERO).take(NAMED);
    Some(PairedPart {
        count: moved.len() as u64,
        mean_ms: all.mean_ms(),
        mean_lo_ms: whole.lo,
        mean_hi_ms: whole.hi,
        mean_verdict: whole.verdict,
        blocks,
        blocks_gained,
        blocks_lost,
        p1_ms: percentile(&sorted, 1.0),
        p5_ms: percentile(&sorted, 5.0),
        p50_ms: percentile(&sorted, 50.0),
        p50_lo_ms: median.lo,
        p50_hi_ms: median.hi,
        p50_verdict: median.verdict,
        p95_ms: percentile(&sorted, 95.0),
        p99_ms: percentile(&sorted, 99.0),
        gained: all.share(all.gained),
        lost: all.share(all.lost),
        gained_most: gained.map(named).collect(),
        lost_most: lost.map(named).collect(),
        groups: groups(&moved, a, b),
        strip: strip(&moved, a),
    })
}

fn named(m: &Moved, a: &Outcomes, b: &Outcomes) -> MovedRequest {
    let (of_a, of_b) = (&a.requests[m.pair.a], &b.requests[m.pair.b]);
    MovedRequest {
        request_a: m.pair.a as u32,
        request_b: m.pair.b as u32,
        arrival_s: of_a.arrival_us as f64 / 1e6,
        a_ms: ms(m.a_us as f64),
        b_ms: ms(m.b_us as f64),
        diff_ms: ms(m.diff() as f64),
        replica_a: of_a.replica,
        replica_b: of_b.replica,
    }
}

/// Sums over some requests.
#[derive(Clone, Copy, Default)]
struct Sums {
    count: u64,
    sum_us: i64,
    gained: u64,
    lost: u64,
}

impl Sums {
    fn of<'a>(moved: impl Iterator<Item = &'a Moved>) -> Self {
        let mut sums = Self::default();
        for m in moved {
            sums.count += 1;
            sums.sum_us += m.diff();
            sums.gained += u64::from(m.diff() < 0);
            sums.lost += u64::from(m.diff() > 0);
        }
        sums
    }

    fn share(&self, part: u64) -> f64 {
        part as f64 / self.count as f64
    }

    fn mean_ms(&self) -> f64 {
        ms(self.sum_us as f64 / self.count as f64)
    }
}

const GROUPINGS: [Grouping; 5] =
    [Grouping::Class, Grouping::Tenant, Grouping::PromptTokens, Grouping::ReplicaA, Grouping::ReplicaB];

impl Grouping {
    /// Number of the group; `u32::MAX` for none.
    fn of(self, x: &Outcome, y: &Outcome) -> u32 {
        match self {
            Self::Class => x.class,
            Self::Tenant => x.tenant,
            Self::PromptTokens => BANDS.partition_point(|end| *end <= x.prompt_tokens) as u32,
            Self::ReplicaA => x.replica.unwrap_or(u32::MAX),
            Self::ReplicaB => y.replica.unwrap_or(u32::MAX),
        }
    }

    fn name(self, group: u32, run: &Outcomes) -> String {
        let named = |names: &[String]| names.get(group as usize).cloned().unwrap_or_default();
        match self {
            Self::Class => named(&run.classes),
            Self::Tenant => named(&run.tenants),
            Self::ReplicaA | Self::ReplicaB if group == u32::MAX => "none".to_owned(),
            Self::ReplicaA | Self::ReplicaB => format!("r{group}"),
            Self::PromptTokens => {
                let from = (group as usize).checked_sub(1).map_or(0, |before| BANDS[before]);
                let to = BANDS.get(group as usize).map_or(String::new(), |end| (end - 1).to_string());
                if to.is_empty() { format!("{from} and more") } else { format!("{from} to {to}") }
            }
        }
    }
}

fn groups(moved: &[Moved], a: &Outcomes, b: &Outcomes) -> Vec<GroupDifference> {
    let mut all = Vec::new();
    for by in GROUPINGS {
        let group = |m: &Moved| u64::from(by.of(&a.requests[m.pair.a], &b.requests[m.pair.b]));
        let mut order: Vec<(u64, u64)> = moved.iter().map(group).zip(0..).collect();
        sort_pairs(&mut order);
        let members: Vec<&[(u64, u64)]> = order.chunk_by(|x, y| x.0 == y.0).collect();
        let sums = |of: &[(u64, u64)]| Sums::of(of.iter().map(|(_, i)| &moved[*i as usize]));
        // The groups that add most to all differences, among equals the lower number; listed by number.
        let mut weight: Vec<(u64, u64)> =
            members.iter().map(|of| u64::MAX - sums(of).sum_us.unsigned_abs()).zip(0..).collect();
        sort_pairs(&mut weight);
        let mut kept: Vec<(u64, u64)> = weight.into_iter().take(GROUPS).map(|(_, i)| (i, 0)).collect();
        sort_pairs(&mut kept);
        for (i, _) in kept {
            let of = members[i as usize];
            let mut keys: Vec<(u64, u64)> = of.iter().map(|(_, i)| (moved[*i as usize].key(), 0)).collect();
            sort_pairs(&mut keys);
            let s = sums(of);
            all.push(GroupDifference {
                by,
                name: by.name(of[0].0 as u32, a),
                count: s.count,
                mean_ms: s.mean_ms(),
                p1_ms: percentile(&keys, 1.0),
                p50_ms: percentile(&keys, 50.0),
                gained: s.share(s.gained),
                lost: s.share(s.lost),
            });
        }
    }
    all
}

/// The differences in order of arrival, in stretches of equally many.
fn strip(moved: &[Moved], a: &Outcomes) -> Vec<StripPoint> {
    let stretch = moved.len().div_ceil(STRETCHES);
    let point = |of: &[Moved]| {
        let mut keys: Vec<(u64, u64)> = of.iter().map(Moved::key).zip(0..).collect();
        sort_pairs(&mut keys);
        let (first, last) = (keys[0], keys[keys.len() - 1]);
        let farther = if ZERO.abs_diff(first.0) > ZERO.abs_diff(last.0) { first } else { last };
        let m = &of[farther.1 as usize];
        StripPoint {
            t_s: a.requests[m.pair.a].arrival_us as f64 / 1e6,
            request_a: m.pair.a as u32,
            request_b: m.pair.b as u32,
            diff_ms: ms(m.diff() as f64),
            p50_ms: percentile(&keys, 50.0),
            min_ms: percentile(&keys, 0.0),
            max_ms: percentile(&keys, 100.0),
            count: of.len() as u32,
        }
    };
    moved.chunks(stretch).map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_between_two_distributions_is_how_far_they_are_shifted() {
        let close = |x: f64, y: f64| assert!((x - y).abs() < 1e-9, "{x} is not {y}");
        close(area_between(&[10, 20, 30], &[15, 25, 35]), 5.0);
        close(area_between(&[1, 1, 1], &[1, 1]), 0.0);
        // A quarter of the values lies 8 further right.
        close(area_between(&[0, 0, 0, 0], &[0, 0, 0, 8]), 2.0);
        close(area_between(&[], &[3]), 0.0);
    }

    #[test]
    fn a_distribution_has_few_points_and_ends_at_its_largest_value() {
        let many: Vec<u64> = (1..=10_007).collect();
        let points = points(&many);
        assert_eq!((points.len(), points[199]), (200, [10.007, 100.0]));
        assert_eq!(super::points(&[5, 5]), [[0.005, 50.0], [0.005, 100.0]]);
        assert!(super::points(&[]).is_empty());
    }

    #[test]
    fn prompt_lengths_have_bands() {
        let name = |tokens: u32| BANDS.partition_point(|end| *end <= tokens) as u32;
        assert_eq!([0, 255, 256, 1024, 70_000].map(name), [0, 0, 1, 2, 5]);
    }
}
