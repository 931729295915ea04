//! Returns of very many sessions as a map: by instant and by the length of the pause before.

use serde::Serialize;

/// Columns of the map.
const COLUMNS: u32 = 60;
/// Half of the upper end of the lowest row, in microseconds. Each row reaches to twice the end of the row below it.
const SHORTEST_US: u64 = 62_500;
/// The row of the longest pauses: 18 hours and more.
const LONGEST: u32 = 20;

/// The turns of sessions that came back to something known, by the instant of their arrival and the length of the pause before it.
#[apply(typescript!)]
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PauseMap {
    /// Columns, of equal length, from the first instant to the last.
    pub columns: u32,
    /// The lengths of pauses at which rows begin, and at which the last one ends.
    pub edges_us: Vec<u64>,
    /// The cells that have turns, by column and row.
    pub cells: Vec<PauseCell>,
}

/// The turns of a column and a row.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PauseCell {
    /// Its column: 0 and up.
    pub column: u32,
    /// Its row: 0, the shortest pauses, and up.
    pub row: u32,
    /// Turns that have joined a batch.
    pub returns: u32,
    /// Tokens of their prompts that were known.
    pub known_tokens: u64,
    /// Of these, tokens that were computed again.
    pub again_tokens: u64,
    /// That as a share, 0 to 1.
    pub again_share: f64,
    /// The request that computed most again.
    pub request: u32,
    /// How much that is, in tokens.
    pub most_tokens: u32,
}

/// A turn that came back to something known, and has joined a batch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Comeback {
    pub(super) request: u32,
    pub(super) from_us: u64,
    pub(super) pause_us: Option<u64>,
    pub(super) known: u32,
    pub(super) again: u32,
}

/// Where a row begins.
fn edge(row: u32) -> u64 {
    if row == 0 { 0 } else { SHORTEST_US << row }
}

impl PauseMap {
    /// That of some turns between two instants. A turn that came while the one before ran has no pause before it: it is among the
    /// shortest.
    pub(super) fn of(turns: impl Iterator<Item = Comeback>, from: u64, to: u64) -> Self {
        let rows = LONGEST + 1;
        let mut cells = vec![PauseCell::default(); (COLUMNS * rows) as usize];
        let span = to.saturating_sub(from).max(1);
        for turn in turns {
            let at = turn.from_us.saturating_sub(from).min(span - 1);
            let column = (at * u64::from(COLUMNS) / span) as u32;
            let row = (turn.pause_us.unwrap_or(0) / SHORTEST_US).max(1).ilog2().min(LONGEST);
            let cell = &mut cells[(column * rows + row) as usize];
            if cell.returns == 0 || turn.again > cell.most_tokens {
                (cell.request, cell.most_tokens) = (turn.request, turn.again);
            }
            (cell.column, cell.row) = (column, row);
            cell.returns += 1;
            cell.known_tokens += u64::from(turn.known);
            cell.again_tokens += u64::from(turn.again);
        }
        cells.retain(|cell| cell.returns > 0);
        let first = cells.iter().map(|cell| cell.row).min().unwrap_or(0);
        let last = cells.iter().map(|cell| cell.row).max().unwrap_or(0);
        for cell in &mut cells {
            cell.row -= first;
            cell.again_share = cell.again_tokens as f64 / cell.known_tokens as f64;
        }
        Self { columns: COLUMNS, edges_us: (first..=last + 1).map(edge).collect(), cells }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(request: u32, from_us: u64, pause_us: Option<u64>, again: u32) -> Comeback {
        Comeback { request, from_us, pause_us, known: 100, again }
    }

    #[test]
    fn turns_are_counted_by_instant_and_pause() {
        let turns = [
            back(1, 10, Some(1_000_000), 20),
            back(2, 999, Some(1_999_999), 60),
            back(3, 59_999, Some(2_000_000), 0),
            back(4, 90_000, Some(9_000_000), 100),
        ];
        let map = PauseMap::of(turns.into_iter(), 0, 60_000);
        assert_eq!(map.edges_us, [1_000_000, 2_000_000, 4_000_000, 8_000_000, 16_000_000]);
        let of = |c: &PauseCell| (c.column, c.row, c.returns, c.request, c.again_share);
        assert_eq!(
            map.cells.iter().map(of).collect::<Vec<_>>(),
            [(0, 0, 2, 2, 0.4), (59, 1, 1, 3, 0.0), (59, 3, 1, 4, 1.0)]
        );
    }

    #[test]
    fn turns_without_a_pause_are_among_the_shortest_and_nothing_is_beyond_the_longest() {
        let turns = [back(1, 0, None, 1), back(2, 0, Some(u64::MAX), 1)];
        let map = PauseMap::of(turns.into_iter(), 0, 0);
        assert_eq!(map.cells.iter().map(|c| (c.column, c.row)).collect::<Vec<_>>(), [(0, 0), (0, LONGEST)]);
        assert_eq!(map.edges_us.first(), Some(&0));
        assert!(PauseMap::of([].into_iter(), 0, 9).cells.is_empty());
    }
}
