//! Rows as columns in memory, for programs that hold tables: no text is made of them.

use super::cell::Cell;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The values of a column. It starts as the narrowest kind, and widens.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValues {
    /// Unknown values alone: their number.
    Unknown(usize),
    /// Yes or no, all known.
    Flags(Vec<bool>),
    /// Whole numbers, all known.
    Whole(Vec<i64>),
    /// Numbers; what is unknown is NaN.
    Real(Vec<f64>),
    /// Texts; what is unknown has none.
    Texts(ColumnTexts),
    /// Lists of whole numbers; what is unknown is empty.
    Lists(Vec<Vec<i64>>),
}

/// Texts by number: equal ones are kept once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnTexts {
    /// By row: the place of its text in `names`.
    pub rows: Vec<Option<u32>>,
    /// The different texts.
    pub names: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl ColumnTexts {
    fn push(&mut self, text: &str) {
        let known = self.numbers.get(text).copied();
        self.rows.push(Some(known.unwrap_or_else(|| {
            let number = self.names.len() as u32;
            self.names.push(text.to_owned());
            self.numbers.insert(text.to_owned(), number);
            number
        })));
    }
}

impl ColumnValues {
    /// The numbers so far, with room for more of any kind; `None` in a column of texts or lists.
    fn real(&mut self) -> Option<&mut Vec<f64>> {
        let wide = match self {
            Self::Unknown(n) => vec![f64::NAN; *n],
            Self::Flags(all) => all.iter().map(|yes| f64::from(u8::from(*yes))).collect(),
            Self::Whole(all) => all.iter().map(|x| *x as f64).collect(),
            Self::Real(all) => return Some(all),
            Self::Texts(_) | Self::Lists(_) => return None,
        };
        *self = Self::Real(wide);
        self.real()
    }

    /// Adds a value. Returns `None` if it is of another kind than those before.
    fn push(&mut self, cell: Cell<'_>) -> Option<()> {
        match (&mut *self, cell) {
            (Self::Unknown(n), Cell::Unknown) => *n += 1,
            (Self::Texts(all), Cell::Unknown) => all.rows.push(None),
            (Self::Lists(all), Cell::Unknown) => all.push(Vec::new()),
            (_, Cell::Unknown) => self.real()?.push(f64::NAN),
            (Self::Unknown(0), Cell::Flag(yes)) => *self = Self::Flags(vec![yes]),
            (Self::Flags(all), Cell::Flag(yes)) => all.push(yes),
            (_, Cell::Flag(yes)) => self.real()?.push(f64::from(u8::from(yes))),
            (_, Cell::Whole(x)) => match i64::try_from(x) {
                Ok(x) => self.whole(x)?,
                Err(_) => self.real()?.push(x as f64),
            },
            (_, Cell::Signed(x)) => self.whole(x)?,
            (_, Cell::Real(x)) => self.real()?.push(if x.is_finite() { x } else { f64::NAN }),
            (Self::Texts(all), Cell::Text(text)) => all.push(&text),
            (Self::Unknown(n), Cell::Text(text)) => {
                let mut all = ColumnTexts { rows: vec![None; *n], ..ColumnTexts::default() };
                all.push(&text);
                *self = Self::Texts(all);
            }
            (Self::Lists(all), Cell::Spans(spans)) => all.push(list(spans)),
            (Self::Unknown(n), Cell::Spans(spans)) => {
                let unknown = vec![Vec::new(); *n];
                *self = Self::Lists(unknown.into_iter().chain([list(spans)]).collect());
            }
            (_, Cell::Text(_) | Cell::Spans(_)) => return None,
        }
        Some(())
    }

    fn whole(&mut self, x: i64) -> Option<()> {
        match self {
            Self::Unknown(0) => *self = Self::Whole(vec![x]),
            Self::Whole(all) => all.push(x),
            other => other.real()?.push(x as f64),
        }
        Some(())
    }
}

fn list(spans: &[base::Span]) -> Vec<i64> {
    spans.iter().map(|span| span.0 as i64).collect()
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// Its values, one for each row.
    pub values: ColumnValues,
}

/// The columns of a table that is being filled.
#[derive(Clone, Debug, Default)]
pub struct ColumnsOutput(Rc<RefCell<Vec<TableColumn>>>);

impl ColumnsOutput {
    /// Begins the columns with these names.
    pub(super) fn begin<N: AsRef<str>>(&self, names: &[N]) {
        let column =
            |name: &N| TableColumn { name: name.as_ref().to_owned(), values: ColumnValues::Unknown(0) };
        *self.0.borrow_mut() = names.iter().map(column).collect();
    }

    /// Adds the next value of column number `i`. Fails with its name if it is of another kind than those before.
    pub(super) fn push(&self, i: usize, cell: Cell<'_>) -> Result<(), String> {
        let column = &mut self.0.borrow_mut()[i];
        column.values.push(cell).ok_or_else(|| column.name.clone())
    }

    /// The columns, once all rows were written.
    pub fn take(&self) -> Vec<TableColumn> {
        self.0.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled<'a>(cells: impl IntoIterator<Item = Cell<'a>>) -> Result<ColumnValues, String> {
        let out = ColumnsOutput::default();
        out.begin(&["x"]);
        cells.into_iter().try_for_each(|cell| out.push(0, cell))?;
        Ok(out.take().remove(0).values)
    }

    #[test]
    fn a_column_is_as_narrow_as_its_values_let_it_be() {
        let text = |text: &'static str| Cell::Text(text.into());
        assert_eq!(filled([]), Ok(ColumnValues::Unknown(0)));
        assert_eq!(filled([Cell::Unknown, Cell::Unknown]), Ok(ColumnValues::Unknown(2)));
        assert_eq!(filled([Cell::Flag(true)]), Ok(ColumnValues::Flags(vec![true])));
        assert_eq!(filled([Cell::Whole(3), Cell::Signed(-4)]), Ok(ColumnValues::Whole(vec![3, -4])));
        assert_eq!(filled([Cell::Whole(3), Cell::Real(0.5)]), Ok(ColumnValues::Real(vec![3.0, 0.5])));
        let Ok(ColumnValues::Real(mixed)) = filled([Cell::Flag(true), Cell::Unknown, Cell::Whole(2)]) else {
            panic!("a column with an unknown number is one of numbers");
        };
        assert!(mixed.len() == 3 && mixed[1].is_nan());
        let Ok(ColumnValues::Texts(names)) = filled([Cell::Unknown, text("a"), text("b"), text("a")]) else {
            panic!("a column with a text is one of texts");
        };
        assert_eq!((names.rows, names.names.len()), (vec![None, Some(0), Some(1), Some(0)], 2));
        let spans = [base::Span(1), base::Span(2)];
        let lists = filled([Cell::Unknown, Cell::Spans(&spans)]);
        assert_eq!(lists, Ok(ColumnValues::Lists(vec![vec![], vec![1, 2]])));
        assert_eq!(filled([Cell::Whole(1), text("a")]), Err("x".to_owned()));
    }
}
