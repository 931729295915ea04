//! The heat map: requests by arrival and latency, or gaps between tokens by instant and length.

use super::selected::latency;
use super::{Density, DensityQuery, Measure};
use crate::session::Session;
use base::stats::{BINS_PER_OCTAVE, log_bin, log_edge};
use base::units::US_PER_S;

/// Most columns.
const MOST_COLUMNS: u32 = 1000;
/// Most rows, and fewest.
const ROWS: [usize; 2] = [14, 28];
/// Bins of the longest latency that there can be.
const BINS: usize = 54 * BINS_PER_OCTAVE;

/// The smallest width of 1, 2, 5, 10, 20, … units with which a span has no more columns than the limit.
fn round_width(span: u64, columns: u64) -> u64 {
    let mut decade = 1_u64;
    loop {
        for width in [decade, 2 * decade, 5 * decade] {
            if span.div_ceil(width) <= columns {
                return width;
            }
        }
        decade *= 10;
    }
}

/// Counts by column and bin.
struct Grid {
    from_us: u64,
    width_us: u64,
    columns: usize,
    bins: Vec<u32>,
    total: u64,
}

impl Grid {
    /// Columns of a whole number of units that cover a span.
    fn new(from_us: u64, to_us: u64, columns: u32, unit_us: u64) -> Self {
        let columns = u64::from(columns.clamp(1, MOST_COLUMNS));
        // One column is lost where the span does not begin at a column.
        let units = to_us.saturating_sub(from_us).div_ceil(unit_us);
        let width_us = unit_us * round_width(units, columns.saturating_sub(1).max(1));
        let from_us = from_us / width_us * width_us;
        let columns = to_us.saturating_sub(from_us).div_ceil(width_us) as usize;
        Self { from_us, width_us, columns, bins: vec![0; columns * BINS], total: 0 }
    }

    fn end_us(&self) -> u64 {
        self.from_us + self.columns as u64 * self.width_us
    }

    fn add(&mut self, at_us: u64, bin: usize, count: u32) {
        let column = (at_us.saturating_sub(self.from_us) / self.width_us) as usize;
        if column < self.columns {
            let cell = &mut self.bins[column * BINS + bin.min(BINS - 1)];
            *cell = cell.saturating_add(count);
            self.total += u64::from(count);
        }
    }

    /// The lowest and the highest bin with a count, with the objective where it is near.
    fn range(&self, slo_us: u64) -> Option<[usize; 2]> {
        let used = |bin: &usize| (0..self.columns).any(|column| self.bins[column * BINS + bin] > 0);
        let low = (0..BINS).find(used)?;
        let high = (0..BINS).rev().find(used).unwrap_or(low);
        let near = 2 * BINS_PER_OCTAVE;
        let slo = log_bin(slo_us);
        if slo_us > 0 && slo + near >= low && slo <= high + near {
            Some([low.min(slo), high.max(slo)])
        } else {
            Some([low, high])
        }
    }
}

/// Bins of a row, the first row, and the number of rows.
fn rows([low, high]: [usize; 2]) -> [usize; 3] {
    let [fewest, most] = ROWS;
    let count = |bins: usize| high / bins - low / bins + 1;
    let mut bins = 1;
    while count(bins) > most {
        bins *= 2;
    }
    let (mut first, mut rows) = (low / bins, count(bins));
    while rows < fewest {
        if rows % 2 == 0 && first > 0 {
            first -= 1;
        }
        rows += 1;
    }
    [bins, first, rows]
}

impl Session {
    /// The heat map of a latency.
    pub fn density(&self, query: &DensityQuery) -> Density {
        let to_us = if query.to_us == 0 { self.axis_end() } else { query.to_us };
        let bucket_us = self.recorder.timeline.width_us();
        let by_arrival = query.of != Measure::Itl;
        let unit_us = if by_arrival { US_PER_S / 1000 } else { bucket_us };
        let mut grid = Grid::new(query.from_us.min(to_us), to_us, query.columns, unit_us);
        let unknown =
            if by_arrival { self.add_requests(query.of, &mut grid) } else { self.add_gaps(&mut grid) };
        let slo_us = self.strictest(query.of);
        let [bins, first, rows] = grid.range(slo_us).map_or([1, 0, 0], rows);
        let mut counts = Vec::with_capacity(grid.columns * rows);
        for column in grid.bins.chunks_exact(BINS) {
            for row in first..first + rows {
                let of_row = column.iter().skip(row * bins).take(bins);
                counts.push(of_row.fold(0_u32, |sum, &count| sum.saturating_add(count)));
            }
        }
        let edges = if rows == 0 { 0..0 } else { first..first + rows + 1 };
        Density {
            now_us: self.playhead.0,
            of: query.of,
            from_us: grid.from_us,
            width_us: grid.width_us,
            columns: grid.columns as u32,
            edges_us: edges.map(|row| log_edge(row * bins)).collect(),
            most: counts.iter().copied().max().unwrap_or(0),
            counts,
            total: grid.total,
            unknown,
            by_arrival,
            slo_us,
            finest_us: if by_arrival { 1 } else { bucket_us },
        }
    }

    /// Adds requests by arrival; those without a latency are the answer.
    fn add_requests(&self, of: Measure, grid: &mut Grid) -> u64 {
        let mut unknown = 0;
        for (_, r) in self.arrived(grid.from_us, grid.end_us().saturating_sub(1)) {
            match latency(of, &r) {
                Some(us) => grid.add(r.arrival.0, log_bin(us), 1),
                None => unknown += 1,
            }
        }
        unknown
    }

    /// Adds gaps between tokens by the instant of the later token.
    fn add_gaps(&self, grid: &mut Grid) -> u64 {
        let (counts, width) = (&self.recorder.gap_counts, self.recorder.timeline.width_us());
        let first = (grid.from_us / width) as usize;
        for bucket in first..counts.buckets().min((grid.end_us() / width) as usize) {
            let at_us = bucket as u64 * width;
            counts.bucket(bucket, |bin, count| grid.add(at_us, bin, count));
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_round_and_cover_the_span() {
        let grid = |from, to, columns, unit| {
            let grid = Grid::new(from, to, columns, unit);
            [grid.from_us, grid.width_us, grid.columns as u64]
        };
        assert_eq!(grid(0, 240_000_000, 121, 1000), [0, 2_000_000, 120]);
        assert_eq!(grid(106_300_000, 131_000_000, 51, 1000), [106_000_000, 500_000, 50]);
        assert_eq!(grid(0, 240_000_000, 100, 1_600_000), [0, 3_200_000, 75], "buckets of 1.6 s");
        assert_eq!(grid(5, 5, 10, 1000), [0, 1000, 1]);
        assert_eq!(grid(0, 9, 0, 1000), [0, 1000, 1]);
    }

    #[test]
    fn rows_are_few_enough_and_cover_the_range() {
        assert_eq!(rows([8, 15]), [1, 5, 14], "padded above and below");
        assert_eq!(rows([0, 0]), [1, 0, 14]);
        assert_eq!(rows([10, 100]), [4, 2, 24]);
        for range in [[0, BINS - 1], [17, 18], [130, 170]] {
            let [bins, first, rows] = rows(range);
            assert!(first * bins <= range[0] && range[1] < (first + rows) * bins && rows <= 28);
        }
    }
}
