//! The event log: the latest facts of a run and, among them, edits and anomalies in words.
//!
//! A watched run has hundreds of thousands of facts a second and few notes. They are stored separately, so that
//! entering or dropping a fact copies a few words.

mod packed;

use super::anomaly::AnomalyKind;
use base::{Micros, SharedQueue};
use engine::Fact;
use serde::{Deserialize, Serialize};

/// A line that is not a fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Note {
    /// An edit, in a few words.
    Edit(String),
    /// An anomaly was noticed.
    Anomaly { kind: AnomalyKind, request: Option<u32>, replica: u32, text: String },
}

/// A line of the event log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LogEntry<'a> {
    Fact(&'a Fact),
    Note(&'a Note),
}

/// When, and the fact; `None` for a note.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Line(u64, Option<Fact>);

/// Lines of a piece.
const PIECE: usize = 256;

/// The latest lines.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct EventLog {
    lines: SharedQueue<Line, PIECE>,
    /// Notes with the numbers of their lines: the kept ones, and some older ones.
    notes: Vec<(u64, Note)>,
    /// Number of the first line that is kept.
    start: u64,
    /// How many lines are kept.
    most: usize,
}

impl EventLog {
    pub(super) fn new(most: usize) -> Self {
        Self { lines: SharedQueue::default(), notes: Vec::new(), start: 0, most }
    }

    /// Number of the first line that is kept.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// Lines of the run so far.
    pub(crate) fn total(&self) -> u64 {
        self.start + self.lines.len() as u64
    }

    #[inline]
    pub(super) fn fact(&mut self, at: Micros, fact: &Fact) {
        if self.makes_room() {
            self.lines.push(Line(at.0, Some(*fact)));
        }
    }

    pub(super) fn note(&mut self, at: Micros, note: Note) {
        self.notes.retain(|(number, _)| *number >= self.start);
        self.notes.push((self.total(), note));
        if self.makes_room() {
            self.lines.push(Line(at.0, None));
        }
    }

    /// Drops the first line if the log is full; returns whether there is room for another.
    #[inline]
    fn makes_room(&mut self) -> bool {
        let full = self.lines.len() >= self.most;
        self.start += u64::from(full);
        !full || self.lines.drop_first()
    }

    /// Lines with their numbers and times, the newest first.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = (u64, u64, LogEntry<'_>)> {
        let numbers = (self.start..self.total()).rev();
        let mut notes = self.notes.iter().rev();
        numbers.zip(self.lines.iter().rev()).filter_map(move |(number, Line(at_us, fact))| {
            let entry = match fact {
                Some(fact) => LogEntry::Fact(fact),
                None => LogEntry::Note(notes.find(|(of, _)| *of == number).map(|(_, note)| note)?),
            };
            Some((number, *at_us, entry))
        })
    }

    /// Packs the lines.
    pub(super) fn pack(&mut self) {
        self.lines.pack();
    }

    /// Restores the log; lines are unpacked when they are read.
    pub(super) fn unpack(&mut self) {
        self.lines.unpack();
    }

    /// Bytes of lines not shared with `later`, which continued from a copy of this log.
    pub(super) fn bytes_beside(&self, later: Option<&Self>) -> u64 {
        self.lines.bytes_beside(later.map(|l| &l.lines))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::RequestId;
    use engine::RequestFact;

    #[test]
    fn notes_stand_among_facts_until_their_line_is_forgotten() {
        let mut log = EventLog::new(5);
        for number in 0..20 {
            match number % 3 {
                0 => log.note(Micros(number), Note::Edit(number.to_string())),
                _ => log.fact(
                    Micros(number),
                    &Fact::Request(RequestFact::Admitted { request: RequestId(number as u32) }),
                ),
            }
            let first = (number + 1).saturating_sub(5);
            assert_eq!((log.start(), log.total()), (first, number + 1));
            let mut expected = (first..=number).rev();
            for (line, at_us, entry) in log.newest_first() {
                assert_eq!((Some(line), at_us), (expected.next(), line));
                match entry {
                    LogEntry::Note(note) => assert_eq!(*note, Note::Edit(line.to_string())),
                    LogEntry::Fact(fact) => assert_eq!(fact.request(), Some(RequestId(line as u32))),
                }
            }
            assert_eq!(expected.next(), None);
            assert!(log.notes.len() <= 4, "notes go with their lines");
        }
    }

    #[test]
    fn a_log_of_no_lines_counts_what_it_does_not_keep() {
        let mut log = EventLog::new(0);
        log.note(Micros(1), Note::Edit("an edit".to_owned()));
        log.fact(Micros(2), &Fact::Request(RequestFact::Admitted { request: RequestId(0) }));
        assert_eq!((log.start(), log.total(), log.newest_first().count()), (2, 2, 0));
    }
}
