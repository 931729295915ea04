//! When requests were inside and when they waited, summed up in cells of time: what the saturation verdict reads of a run that
//! keeps no rows. Full cells merge in pairs, so the order of requests changes nothing.

use serde::{Deserialize, Serialize};

/// Most cells.
const CELLS: usize = 1024;
/// The width of the first cells in microseconds.
const WIDTH_US: u64 = 1 << 10;

/// A request: arrival, when it first joined a batch, when it left, and whether it completed.
pub(super) type Passage = (u64, Option<u64>, Option<u64>, bool);

/// What happened in one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cell {
    pub(super) arrived: u64,
    pub(super) completed: u64,
    /// Request-microseconds inside, and waiting.
    pub(super) inside_us: u64,
    pub(super) waiting_us: u64,
}

/// All cells from the start of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Passages {
    width_us: u64,
    cells: Vec<Cell>,
}

impl Default for Passages {
    fn default() -> Self {
        Self { width_us: WIDTH_US, cells: Vec::new() }
    }
}

impl Passages {
    /// The width of a cell, and all cells.
    pub(super) fn cells(&self) -> (u64, &[Cell]) {
        (self.width_us, &self.cells)
    }

    /// Adds a request; one that has not left is inside up to `now`.
    pub(super) fn add(&mut self, (arrival, scheduled, left, completed): Passage, now: u64) {
        let until = left.unwrap_or(now).max(arrival);
        self.cell(arrival).arrived += 1;
        if completed {
            self.cell(until).completed += 1;
        }
        self.fill(arrival, until, |cell| &mut cell.inside_us);
        self.fill(arrival, scheduled.unwrap_or(until).min(until), |cell| &mut cell.waiting_us);
    }

    /// The cell of an instant; there is one from now on.
    fn cell(&mut self, at: u64) -> &mut Cell {
        while at / self.width_us >= CELLS as u64 {
            self.halve();
        }
        let place = (at / self.width_us) as usize;
        if place >= self.cells.len() {
            self.cells.resize(place + 1, Cell::default());
        }
        &mut self.cells[place]
    }

    fn halve(&mut self) {
        let sum = |pair: &[Cell]| {
            pair.iter().fold(Cell::default(), |a, b| Cell {
                arrived: a.arrived + b.arrived,
                completed: a.completed + b.completed,
                inside_us: a.inside_us + b.inside_us,
                waiting_us: a.waiting_us + b.waiting_us,
            })
        };
        self.cells = self.cells.chunks(2).map(sum).collect();
        self.width_us *= 2;
    }

    /// Adds the time between two instants to the cells that it lies in.
    fn fill(&mut self, begin: u64, end: u64, field: impl Fn(&mut Cell) -> &mut u64) {
        self.cell(end);
        let width = self.width_us;
        let mut at = begin;
        while at < end {
            let place = at / width;
            let next = ((place + 1) * width).min(end);
            *field(&mut self.cells[place as usize]) += next - at;
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_lies_in_its_cells_whatever_the_order_of_requests() {
        let all: Vec<Passage> = (0..400_u64)
            .map(|k| {
                let arrival = k * 7919 % 40_009 * 100;
                (arrival, Some(arrival + 50 * k), (k % 9 > 0).then_some(arrival + 700 * k), k % 9 > 1)
            })
            .collect();
        let now = 5_000_000;
        let (mut forth, mut back) = (Passages::default(), Passages::default());
        for passage in &all {
            forth.add(*passage, now);
        }
        for passage in all.iter().rev() {
            back.add(*passage, now);
        }
        assert_eq!(forth, back);
        let (width, cells) = forth.cells();
        assert!(cells.len() <= CELLS && width.is_power_of_two());
        let sum = |of: fn(&Cell) -> u64| cells.iter().map(of).sum::<u64>();
        let inside: u64 = all.iter().map(|(a, _, left, _)| left.unwrap_or(now) - a).sum();
        let waiting: u64 = all.iter().map(|(a, to, left, _)| to.unwrap().min(left.unwrap_or(now)) - a).sum();
        assert_eq!([sum(|c| c.inside_us), sum(|c| c.waiting_us)], [inside, waiting]);
        let completed = all.iter().filter(|p| p.3).count() as u64;
        assert_eq!([sum(|c| c.arrived), sum(|c| c.completed)], [400, completed]);
    }
}
