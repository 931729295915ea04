//! Tables and values as text: columns fit their contents, and a dash means no value.

/// Text of a missing value.
pub(crate) const MISSING: &str = "–";
/// In place of a cost, where a GPU has no price.
pub(crate) const NO_PRICE: &str = "no price";
/// Most characters of a name in a table.
const NAME: usize = 40;
/// Characters between two columns.
const GAP: usize = 2;
/// Characters of the longest bar.
const BAR: u64 = 40;

/// A bar for one of several counts, of which `most` is the largest.
pub(crate) fn bar(count: u64, most: u64) -> String {
    "#".repeat((count * BAR).div_ceil(most.max(1)) as usize)
}

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows of cells under a row of heads.
pub(crate) struct Table {
    columns: Vec<(Align, usize)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these heads; a column is at least as wide as its number says.
    pub(crate) fn new(heads: &[(&str, Align, usize)]) -> Self {
        let columns = heads.iter().map(|&(_, align, least)| (align, least)).collect();
        let mut table = Self { columns, rows: Vec::new() };
        table.row(heads.iter().map(|&(head, _, _)| head.to_owned()).collect());
        table
    }

    /// Adds a row with a cell for each column.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        for ((_, width), cell) in self.columns.iter_mut().zip(&cells) {
            *width = (*width).max(cell.chars().count());
        }
        self.rows.push(cells);
    }

    /// The lines, without blanks at their ends.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (i, ((align, width), cell)) in self.columns.iter().zip(row).enumerate() {
                let blanks = " ".repeat(width - cell.chars().count());
                line.push_str(&" ".repeat(if i == 0 { 0 } else { GAP }));
                match align {
                    Align::Left => line.extend([cell.as_str(), &blanks]),
                    Align::Right => line.extend([&blanks, cell.as_str()]),
                }
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

/// A number with a given number of decimals, or a dash.
pub(crate) fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| MISSING.to_owned(), |x| format!("{x:.decimals$}"))
}

/// A cost of answers. Where a figure of them is known, the cost is missing only because a GPU has no price.
pub(crate) fn cost(value: Option<f64>, decimals: usize, of_answers: Option<f64>) -> String {
    if value.is_none() && of_answers.is_some() { NO_PRICE.to_owned() } else { number(value, decimals) }
}

/// A name for a table: short, and without characters that move the cursor.
pub(crate) fn name(text: &str) -> String {
    let short = if text.chars().count() > NAME {
        text.chars().take(NAME - 1).chain(['…']).collect()
    } else {
        text.to_owned()
    };
    visible(&short)
}

/// A figure over `count` values: a dash if there are none.
pub(crate) fn known(count: u64, figure: f64, decimals: usize) -> String {
    number((count > 0).then_some(figure), decimals)
}

/// An error with its sign, in per cent.
pub(crate) fn signed_percent(error: Option<f64>) -> String {
    error.map_or_else(|| "-".to_owned(), |e| format!("{:+.1} %", e * 100.0))
}

/// A text with its control characters written out, so that none of them reaches a terminal.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_is_so_wide_that_columns_run_together() {
        let mut table =
            Table::new(&[("name", Align::Left, 6), ("a", Align::Right, 3), ("b", Align::Right, 3)]);
        table.row(vec!["x".to_owned(), "12345678901".to_owned(), "12345678901234".to_owned()]);
        assert_eq!(
            table.text(),
            "name              a               b\nx       12345678901  12345678901234\n"
        );
    }

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(visible("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\\n");
        assert_eq!(name(&"é".repeat(50)).chars().count(), NAME);
    }

    #[test]
    fn a_missing_number_is_a_dash() {
        assert_eq!([number(None, 3), number(Some(0.0), 3)], ["–", "0.000"]);
    }
}
