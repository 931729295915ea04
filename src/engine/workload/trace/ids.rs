//! Ids of requests, as their file writes them. Most are numbers or UUIDs, which have short forms.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Most bytes of an id that are kept.
const MOST_BYTES: usize = 128;
/// A row without an id, in a column of numbers.
const NONE: u64 = u64::MAX;

/// The ids of all rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum RequestIds {
    /// No row has one.
    #[default]
    None,
    /// Whole numbers without leading zeros.
    Numbers(Vec<u64>),
    /// UUIDs in lower case, as 128 bits.
    Uuids(Vec<u128>),
    /// Any text: all of it, and where the id of each row ends.
    Texts { text: String, ends: Vec<u32> },
}

impl RequestIds {
    /// Sets the id of row number `row`, the next one; empty for none.
    pub(super) fn push(&mut self, row: usize, id: &str) {
        if id.is_empty() && matches!(self, Self::None) {
            return;
        }
        if matches!(self, Self::None) {
            *self = match (number(id), uuid(id)) {
                (Some(_), _) => Self::Numbers(vec![NONE; row]),
                (None, Some(_)) => Self::Uuids(vec![0; row]),
                (None, None) => Self::Texts { text: String::new(), ends: vec![0; row] },
            };
        }
        match self {
            Self::Numbers(all) if id.is_empty() => all.push(NONE),
            Self::Uuids(all) if id.is_empty() => all.push(0),
            Self::Numbers(all) if number(id).is_some() => all.extend(number(id)),
            Self::Uuids(all) if uuid(id).is_some() => all.extend(uuid(id)),
            Self::None | Self::Numbers(_) | Self::Uuids(_) => {
                *self = self.as_texts(row);
                self.push(row, id);
            }
            Self::Texts { text, ends } => {
                let end = (0..=id.len().min(MOST_BYTES)).rev().find(|&end| id.is_char_boundary(end));
                text.push_str(&id[..end.unwrap_or(0)]);
                ends.push(text.len() as u32);
            }
        }
    }

    /// The id of a row; empty for none.
    pub(super) fn of(&self, row: usize) -> Cow<'_, str> {
        match self {
            Self::None => Cow::Borrowed(""),
            Self::Numbers(all) => match all.get(row) {
                Some(&number) if number != NONE => Cow::Owned(number.to_string()),
                _ => Cow::Borrowed(""),
            },
            Self::Uuids(all) => match all.get(row) {
                Some(&bits) if bits > 0 => Cow::Owned(uuid_text(bits)),
                _ => Cow::Borrowed(""),
            },
            Self::Texts { text, ends } => {
                let end = |row: usize| ends.get(row).map(|&end| end as usize);
                let start = row.checked_sub(1).map_or(Some(0), end);
                let range = start.zip(end(row));
                Cow::Borrowed(range.and_then(|(start, end)| text.get(start..end)).unwrap_or(""))
            }
        }
    }

    /// Whether every row has an id, if any has.
    pub(super) fn is_whole(&self, rows: usize) -> bool {
        match self {
            Self::None => true,
            Self::Numbers(all) => all.len() == rows,
            Self::Uuids(all) => all.len() == rows,
            Self::Texts { ends, .. } => ends.len() == rows,
        }
    }

    /// The ids in the order of `order`.
    pub(super) fn reordered(&self, order: &[u32]) -> Self {
        match self {
            Self::None => Self::None,
            Self::Numbers(all) => Self::Numbers(order.iter().map(|&row| all[row as usize]).collect()),
            Self::Uuids(all) => Self::Uuids(order.iter().map(|&row| all[row as usize]).collect()),
            Self::Texts { .. } => {
                let mut ids = Self::Texts { text: String::new(), ends: Vec::with_capacity(order.len()) };
                for (row, &from) in order.iter().enumerate() {
                    ids.push(row, &self.of(from as usize));
                }
                ids
            }
        }
    }

    fn as_texts(&self, rows: usize) -> Self {
        let mut ids = Self::Texts { text: String::new(), ends: Vec::with_capacity(rows) };
        (0..rows).for_each(|row| ids.push(row, &self.of(row)));
        ids
    }
}

/// The number that is written as `id`.
fn number(id: &str) -> Option<u64> {
    let plain = id.len() < 20 && id.bytes().all(|b| b.is_ascii_digit());
    let leading = id.len() > 1 && id.starts_with('0');
    if plain && !leading { id.parse().ok() } else { None }
}

/// The bits of a UUID in lower case, other than zero.
fn uuid(id: &str) -> Option<u128> {
    if id.len() != 36 {
        return None;
    }
    let mut bits = 0;
    for (i, b) in id.bytes().enumerate() {
        let digit = match b {
            b'-' if matches!(i, 8 | 13 | 18 | 23) => continue,
            b'0'..=b'9' => b - b'0',
            b'a'..=b'f' => b - b'a' + 10,
            _ => return None,
        };
        bits = (bits << 4) | u128::from(digit);
    }
    (bits > 0 && uuid_text(bits) == id).then_some(bits)
}

fn uuid_text(bits: u128) -> String {
    let hex = format!("{bits:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_as_they_were_written() {
        let uuid = "0722ac82-1f3d-4e8a-9b0c-1a2b3c4d5e6f";
        let upper = "0722AC82-1f3d-4e8a-9b0c-1a2b3c4d5e6f";
        for ids in [
            vec!["0", "17", "", "18446744073709551", "5"],
            vec![uuid, "", uuid],
            vec!["", "", "b-1", "", "b-2"],
            vec!["1", "007", "x"],
            vec!["", uuid, upper, "3"],
            vec!["12345678901234567890", "é", "é"],
            vec!["00000000-0000-0000-0000-000000000000", "1"],
        ] {
            let mut column = RequestIds::default();
            ids.iter().enumerate().for_each(|(row, id)| column.push(row, id));
            let back: Vec<_> = (0..ids.len()).map(|row| column.of(row)).collect();
            assert_eq!(back, ids);
            assert!(column.is_whole(ids.len()));
            let order: Vec<u32> = (0..ids.len() as u32).rev().collect();
            let turned = column.reordered(&order);
            let back: Vec<_> = (0..ids.len()).rev().map(|row| turned.of(row)).collect();
            assert_eq!(back, ids);
        }
        assert!(matches!(number("17"), Some(17)));
        assert_eq!(super::uuid(uuid).map(uuid_text).as_deref(), Some(uuid));
    }

    #[test]
    fn an_id_longer_than_any_is_cut() {
        let mut column = RequestIds::default();
        column.push(0, &"é".repeat(100));
        assert_eq!(column.of(0), "é".repeat(64));
    }
}
