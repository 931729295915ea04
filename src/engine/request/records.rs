//! The records of all requests, in pieces of equal length: adding one never copies what is there.
//!
//! A copy of the list shares its pieces. Once all requests of a piece have left, nothing in it changes any more, and it is packed
//! (`record_piece.rs`) into about a ninth of its room: a long run is as large as what has left, not as what is under way.

use super::location::Location;
use super::record::{Record, RequestState};
use super::record_piece::{KeptPiece, PIECE, PackedPiece};
use base::RequestId;
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::rc::Rc;

pub use super::record_piece::RecordColumn;

/// Records of requests that have left, in a run that keeps no rows: the first number, and the records from there on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Retired {
    /// The number of the first.
    pub first: RequestId,
    /// Their records in order.
    pub records: Rc<[Record]>,
}

/// Records that follow each other.
#[derive(Clone, Debug)]
enum RecordPiece {
    /// Some of its requests have yet to leave. What lies beyond the last record of the list means nothing.
    Open(Rc<[Record]>),
    /// All of them have left.
    Packed(Rc<PackedPiece>),
    /// An open piece in a checkpoint: nothing reads it until [`Records::unpack`].
    Kept(Rc<KeptPiece>),
    /// All of them have left, and no rows are kept.
    Forgotten,
}

/// Why a piece of a checkpoint cannot be read.
const KEPT: &str = "INV-6: a record of a checkpoint";

/// The record of each request by its number. Compared, written and read like a plain list.
#[derive(Clone, Debug, Default)]
pub struct Records {
    pieces: Vec<RecordPiece>,
    len: usize,
    /// All pieces before this one are at rest.
    open_from: usize,
    /// Whether records are forgotten once all requests of their piece have left.
    forgets: bool,
    /// Those forgotten since they were last taken.
    retired: Vec<Retired>,
}

impl Records {
    /// How many requests have arrived.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The record of a request, if it has arrived.
    pub fn get(&self, number: usize) -> Option<Record> {
        if number >= self.len {
            return None;
        }
        Some(match &self.pieces[number / PIECE] {
            RecordPiece::Open(records) => records[number % PIECE].clone(),
            RecordPiece::Packed(records) => records.get(number % PIECE),
            RecordPiece::Forgotten => Record::forgotten(),
            RecordPiece::Kept(_) => panic!("{KEPT}"),
        })
    }

    /// The records that are there, with their numbers: all of them, unless the run keeps no rows.
    pub fn kept(&self) -> impl Iterator<Item = (RequestId, Record)> + '_ {
        let there = |(_, piece): &(usize, &RecordPiece)| !matches!(piece, RecordPiece::Forgotten);
        let numbers = |(i, _): (usize, &RecordPiece)| i * PIECE..((i + 1) * PIECE).min(self.len);
        let all = self.pieces.iter().enumerate().filter(there).flat_map(numbers);
        all.map(|i| (RequestId(i as u32), self.at(i))).filter(|(_, record)| !record.is_forgotten())
    }

    /// From now on forgets the records of requests that have left, piece by piece.
    pub(crate) fn forget(&mut self) {
        self.forgets = true;
    }

    /// Whether it does.
    pub(crate) fn forgets(&self) -> bool {
        self.forgets
    }

    /// What was forgotten since the last call.
    pub(crate) fn take_retired(&mut self) -> Vec<Retired> {
        std::mem::take(&mut self.retired)
    }

    /// The record of a request that has arrived.
    pub fn at(&self, number: usize) -> Record {
        self.get(number).unwrap_or_else(|| panic!("INV-1: request {number} of {}", self.len))
    }

    /// The first record.
    pub fn first(&self) -> Option<Record> {
        self.get(0)
    }

    /// The latest record.
    pub fn last(&self) -> Option<Record> {
        self.get(self.len.wrapping_sub(1))
    }

    /// All records in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter { records: self, next: 0 }
    }

    /// One number of each request, in order.
    pub fn column(&self, column: RecordColumn) -> Vec<u32> {
        let number = |i: usize| match &self.pieces[i / PIECE] {
            RecordPiece::Open(records) => column.of(&records[i % PIECE]),
            RecordPiece::Packed(records) => records.column(i % PIECE, column),
            RecordPiece::Forgotten => column.of(&Record::forgotten()),
            RecordPiece::Kept(_) => panic!("{KEPT}"),
        };
        let mut all = Vec::with_capacity(self.len);
        all.extend((0..self.len).map(number));
        all
    }

    /// Bytes of the pieces that `other` does not share, which was copied from this list or this one from it.
    pub fn bytes_beside(&self, other: Option<&Self>) -> u64 {
        let others = other.map_or(&[][..], |other| &other.pieces);
        let bytes = |(i, piece): (usize, &RecordPiece)| {
            let shared = others.get(i).is_some_and(|other| match (piece, other) {
                (RecordPiece::Open(a), RecordPiece::Open(b)) => Rc::ptr_eq(a, b),
                (RecordPiece::Packed(a), RecordPiece::Packed(b)) => Rc::ptr_eq(a, b),
                (RecordPiece::Kept(a), RecordPiece::Kept(b)) => Rc::ptr_eq(a, b),
                (
                    RecordPiece::Open(_)
                    | RecordPiece::Packed(_)
                    | RecordPiece::Kept(_)
                    | RecordPiece::Forgotten,
                    _,
                ) => false,
            });
            let own = match piece {
                RecordPiece::Open(_) => PIECE * size_of::<Record>(),
                RecordPiece::Packed(records) => records.bytes(),
                RecordPiece::Kept(records) => records.bytes(),
                RecordPiece::Forgotten => 0,
            };
            size_of::<RecordPiece>() + if shared { 0 } else { own }
        };
        self.pieces.iter().enumerate().map(bytes).sum::<usize>() as u64
    }

    /// Another request has arrived.
    pub(crate) fn push(&mut self, record: Record) {
        let place = self.len % PIECE;
        if place == 0 {
            self.pack_pieces_at_rest();
            self.pieces.push(RecordPiece::Open(std::iter::repeat_n(record, PIECE).collect()));
        } else {
            let Some(RecordPiece::Open(last)) = self.pieces.last_mut() else {
                panic!("INV-1: a list of {} records ends within a piece, and it has none", self.len);
            };
            Rc::make_mut(last)[place] = record;
        }
        self.len += 1;
    }

    /// The record of a request that is in the system, or has left in the event that runs.
    #[inline]
    pub(crate) fn here(&self, request: RequestId) -> &Record {
        let number = request.index();
        match &self.pieces[number / PIECE] {
            RecordPiece::Open(records) if number < self.len => &records[number % PIECE],
            RecordPiece::Open(_) | RecordPiece::Packed(_) | RecordPiece::Kept(_) | RecordPiece::Forgotten => {
                panic!("INV-2: {request:?} is not in the system")
            }
        }
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn here_mut(&mut self, request: RequestId) -> &mut Record {
        let number = request.index();
        match &mut self.pieces[number / PIECE] {
            RecordPiece::Open(records) if number < self.len => &mut Rc::make_mut(records)[number % PIECE],
            RecordPiece::Open(_) | RecordPiece::Packed(_) | RecordPiece::Kept(_) | RecordPiece::Forgotten => {
                panic!("INV-2: {request:?} is not in the system")
            }
        }
    }

    /// Packs the pieces that are open, for a checkpoint.
    pub(crate) fn pack(&mut self) {
        let last = self.len.saturating_sub(1) / PIECE;
        let rows = |i: usize| if i == last { self.len - last * PIECE } else { PIECE };
        for (i, piece) in self.pieces.iter_mut().enumerate().skip(self.open_from) {
            if let RecordPiece::Open(records) = piece {
                *piece = RecordPiece::Kept(Rc::new(KeptPiece::new(&records[..rows(i)])));
            }
        }
    }

    /// Has open pieces again.
    pub(crate) fn unpack(&mut self) {
        for piece in self.pieces.iter_mut().skip(self.open_from) {
            if let RecordPiece::Kept(kept) = piece {
                let mut records = kept.records();
                let last = records.last().expect("INV-1: a piece without records").clone();
                records.resize(PIECE, last);
                *piece = RecordPiece::Open(records.into());
            }
        }
    }

    /// Packs or forgets the full pieces whose requests have all left. Which these are follows from the run alone.
    fn pack_pieces_at_rest(&mut self) {
        for (i, piece) in self.pieces.iter_mut().enumerate().skip(self.open_from) {
            if let RecordPiece::Open(records) = piece
                && records.iter().all(|r| r.location().is_gone())
            {
                if records.iter().all(Record::is_forgotten) {
                    // Of a snapshot.
                    *piece = RecordPiece::Forgotten;
                } else if self.forgets {
                    let first = RequestId((i * PIECE) as u32);
                    self.retired.push(Retired { first, records: records.clone() });
                    *piece = RecordPiece::Forgotten;
                } else {
                    *piece = RecordPiece::Packed(Rc::new(PackedPiece::new(records.iter())));
                }
            }
        }
        let at_rest = |piece: &RecordPiece| matches!(piece, RecordPiece::Packed(_) | RecordPiece::Forgotten);
        while self.pieces.get(self.open_from).is_some_and(at_rest) {
            self.open_from += 1;
        }
    }
}

/// All records in order.
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    records: &'a Records,
    next: usize,
}

impl Iterator for Iter<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let record = self.records.get(self.next);
        self.next += usize::from(record.is_some());
        record
    }
}

impl<'a> IntoIterator for &'a Records {
    type Item = Record;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl PartialEq for Records {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other)
    }
}

impl Serialize for Records {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut out = s.serialize_seq(Some(self.len))?;
        for record in self {
            out.serialize_element(&record)?;
        }
        out.end()
    }
}

impl<'de> Deserialize<'de> for Records {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let mut records = Self::default();
        for record in Vec::deserialize(d)? {
            records.push(record);
        }
        Ok(records)
    }
}

impl Location {
    /// What reports call it.
    pub fn state(self) -> RequestState {
        match self {
            Self::Gateway | Self::OnItsWay(_) => RequestState::InPipeline,
            Self::Queue(_) | Self::Loading(_) => RequestState::Queued,
            Self::Batch(_) => RequestState::Running,
            Self::Transferring(_) => RequestState::Transferring,
            Self::Landed(_) => RequestState::Landed,
            Self::Completed(_) => RequestState::Completed,
            Self::Rejected | Self::Refused(_) => RequestState::Rejected,
            Self::Dropped(_) => RequestState::Dropped,
            Self::Lost => RequestState::Lost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::record_piece::tests::gone;
    use super::*;
    use base::Micros;

    /// As many records of requests that have left, but for those whose number `waits` names.
    fn list(n: usize, waits: impl Fn(usize) -> bool) -> (Vec<Record>, Records) {
        let plain: Vec<Record> = (0..n).map(|i| gone(i as u64, !waits(i))).collect();
        let mut records = Records::default();
        for record in &plain {
            records.push(record.clone());
        }
        (plain, records)
    }

    fn packed(records: &Records) -> usize {
        records.pieces.iter().filter(|piece| matches!(piece, RecordPiece::Packed(_))).count()
    }

    #[test]
    fn records_are_the_list_of_them_whether_packed_or_not() {
        for n in [0, 1, PIECE, PIECE + 1, 4 * PIECE + 7] {
            let (plain, records) = list(n, |i| i == PIECE + 3);
            assert_eq!((records.len(), records.is_empty()), (n, n == 0));
            assert_eq!((records.first(), records.last()), (plain.first().cloned(), plain.last().cloned()));
            assert!(records.iter().eq(plain.iter().cloned()) && records.get(n).is_none());
            assert!((0..n).all(|i| records.at(i) == plain[i]));
            for column in RecordColumn::ALL {
                assert!(records.column(column).into_iter().eq(plain.iter().map(|r| column.of(r))));
            }
            let text = serde_json::to_string(&records).expect("numbers");
            assert_eq!(text, serde_json::to_string(&plain).expect("numbers"));
            assert_eq!(serde_json::from_str::<Records>(&text).expect("the same text"), records);
        }
    }

    #[test]
    fn a_piece_is_packed_once_all_its_requests_have_left() {
        let (_, mut records) = list(3 * PIECE + 1, |i| i == 5 || i == PIECE + 5);
        assert_eq!(packed(&records), 1, "the third piece");
        let waits = RequestId(PIECE as u32 + 5);
        *records.here_mut(waits) = gone(0, true);
        let copy = records.clone();
        for _ in 0..PIECE {
            records.push(gone(1, true));
        }
        assert_eq!((packed(&records), records.open_from), (3, 0), "all but the first");
        assert_eq!(records.at(waits.index()), copy.at(waits.index()));
        let open = (PIECE * size_of::<Record>()) as u64;
        let alone = copy.bytes_beside(Some(&records)) - (size_of::<RecordPiece>() * copy.pieces.len()) as u64;
        assert_eq!(alone, 2 * open, "the second piece and the last");
    }

    #[test]
    fn a_list_that_forgets_hands_out_each_record_once_and_knows_those_under_way() {
        let mut records = Records::default();
        records.forget();
        let mut out = Vec::new();
        for i in 0..3 * PIECE + 5 {
            // No request arrives at the instant that marks a forgotten record.
            let mut record = gone(i as u64, i != PIECE + 3);
            record.arrival = Micros(i as u64);
            records.push(record);
            out.extend(records.take_retired().into_iter().map(|r| (r.first.index(), r.records.len())));
        }
        assert_eq!(out, [(0, PIECE), (2 * PIECE, PIECE)]);
        let there: Vec<usize> = records.kept().map(|(id, _)| id.index()).collect();
        assert!(there.iter().copied().eq((PIECE..2 * PIECE).chain(3 * PIECE..3 * PIECE + 5)));
        assert!(records.at(0).location().is_gone() && records.at(0).replica().is_none());
        // A snapshot of it forgets the same.
        let text = serde_json::to_string(&records).expect("numbers");
        let again: Records = serde_json::from_str(&text).expect("the same text");
        assert!(again == records && again.kept().eq(records.kept()));
        assert_eq!(packed(&again), 0);
    }

    #[test]
    #[should_panic(expected = "INV-2")]
    fn a_packed_record_is_not_in_the_system() {
        list(PIECE + 1, |_| false).1.here(RequestId(3));
    }
}
