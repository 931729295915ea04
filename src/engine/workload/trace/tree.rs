//! Rows of a trace that wait for others of their session: a turn comes a delay after the answers before it, several
//! may follow one answer (fork), and one may follow several (join).

use super::rows::{Bad, Row};
use base::digest::Digest;
use base::lookup::LookupMap;
use serde::{Deserialize, Serialize};

/// What a row waits for, as read by a format's reader.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wait {
    /// The row before it in its session, if there is one, and these microseconds after. If there is none, its session has
    /// no arrival time.
    Turn(u64),
    /// Rows that were kept, by number, and these microseconds after.
    Rows(Vec<Parent>, u64),
}

/// A row that was kept, with its times in the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Recorded {
    /// Its number.
    pub(super) row: u32,
    /// When it was sent, in microseconds.
    pub(super) start_us: i64,
    /// When its answer was there, if that is known.
    pub(super) end_us: Option<i64>,
}

impl Recorded {
    /// What a row waits for that started at `start_us` after `before`: the answers, and as long as it came after the last of them.
    /// One that started before the answer of a single row overlaps it and keeps the time between the two starts.
    pub(super) fn followed(before: &[Self], start_us: i64) -> Wait {
        if let [only] = before
            && only.end_us.is_some_and(|end| start_us < end)
        {
            let gap = start_us.saturating_sub(only.start_us);
            return Wait::Rows(vec![Parent { row: only.row, start: true }], gap.max(0).unsigned_abs());
        }
        let last = before.iter().map(|r| r.end_us).try_fold(i64::MIN, |last, end| Some(last.max(end?)));
        let delay = last.filter(|_| !before.is_empty()).map_or(0, |last| start_us.saturating_sub(last));
        Self::delayed(before, delay)
    }

    /// What a row waits for that comes `delay_us` after the answers of `before`.
    pub(super) fn delayed(before: &[Self], delay_us: i64) -> Wait {
        let answer = |r: &Self| Parent { row: r.row, start: false };
        Wait::Rows(before.iter().map(answer).collect(), delay_us.max(0).unsigned_abs())
    }
}

/// The place of a row that is not kept.
const GONE: u32 = u32::MAX;

/// A row that another one waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Its number.
    pub row: u32,
    /// Whether the other one waits for its start and not for its answer: the two overlap.
    pub start: bool,
}

impl Parent {
    fn packed(self) -> u32 {
        self.row << 1 | u32::from(self.start)
    }

    fn unpacked(packed: u32) -> Self {
        Self { row: packed >> 1, start: packed & 1 == 1 }
    }
}

/// The rows that each row waits for. Empty if none waits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tree {
    /// Where the parents of each row begin, and after the last row where they end.
    first: Vec<u32>,
    parents: Vec<u32>,
    /// Microseconds between the last of its parents and the row.
    delays_us: Vec<u64>,
    /// Whether its sessions have no arrival times: rows arrive that long after the start of their session.
    pub(super) unplaced: bool,
}

impl Tree {
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_empty() && !self.unplaced
    }

    /// The rows that `row` waits for, all before it.
    pub(super) fn parents(&self, row: usize) -> impl ExactSizeIterator<Item = Parent> + '_ {
        let range = match self.first.get(row..row + 2) {
            Some(&[first, end]) => first as usize..end as usize,
            _ => 0..0,
        };
        self.parents[range].iter().map(|&packed| Parent::unpacked(packed))
    }

    /// Microseconds between the last of its parents and the row.
    pub(super) fn delay_us(&self, row: usize) -> u64 {
        self.delays_us.get(row).copied().unwrap_or(0)
    }

    /// Adds what waits for what to a digest.
    pub(super) fn digest(&self, digest: &mut Digest) {
        digest.u64(u64::from(self.unplaced));
        for (row, &delay) in self.delays_us.iter().enumerate().filter(|(row, _)| self.parents(*row).len() > 0)
        {
            digest.u64(row as u64);
            digest.u64(delay);
            self.parents(row).for_each(|parent| digest.u64(parent.packed().into()));
        }
    }

    /// Whether it belongs to a trace of that many rows.
    pub(super) fn is_whole(&self, rows: usize) -> bool {
        let before = |row: usize| self.parents(row).all(|parent| (parent.row as usize) < row);
        self.first.is_empty() && self.delays_us.is_empty() && self.parents.is_empty()
            || self.first.len() == rows + 1
                && self.delays_us.len() == rows
                && self.first.is_sorted()
                && self.first.last().is_some_and(|&end| end as usize == self.parents.len())
                && (0..rows).all(before)
    }

    /// The tree of the rows `kept`, in that order; a row must come after those it waits for. In place of a parent that was not kept
    /// come its own parents.
    pub(super) fn selected(&self, kept: &[u32]) -> Self {
        if self.first.is_empty() {
            return self.clone();
        }
        let mut place = vec![GONE; self.delays_us.len()];
        for (new, &old) in (0..).zip(kept) {
            place[old as usize] = new;
        }
        let mut tree = Self { first: vec![0], unplaced: self.unplaced, ..Self::default() };
        for &row in kept {
            let begin = tree.parents.len();
            let mut open: Vec<Parent> = self.parents(row as usize).collect();
            while let Some(parent) = open.pop() {
                match place[parent.row as usize] {
                    GONE => open.extend(self.parents(parent.row as usize)),
                    new => tree.parents.push(Parent { row: new, ..parent }.packed()),
                }
            }
            tree.parents[begin..].sort_unstable();
            let mut last = None;
            let mut end = begin;
            for at in begin..tree.parents.len() {
                let parent = tree.parents[at];
                if last.replace(parent) != Some(parent) {
                    tree.parents[end] = parent;
                    end += 1;
                }
            }
            tree.parents.truncate(end);
            tree.first.push(end as u32);
            tree.delays_us.push(self.delay_us(row as usize));
        }
        tree
    }
}

/// The tree while a trace is read.
#[derive(Debug, Default)]
pub(super) struct TreeBuilder {
    tree: Tree,
    /// The latest row of each session, by the digest of its name.
    latest: LookupMap<u64, u32>,
    /// Whether a session with an arrival time was read.
    placed: bool,
}

impl TreeBuilder {
    /// Notes what row number `number` waits for, and returns when it arrives at the earliest: no row arrives before one that it
    /// waits for.
    pub(super) fn push(&mut self, number: u32, row: &Row, arrivals_us: &[i64]) -> Result<i64, Bad> {
        let before = row.session.and_then(|session| self.latest.get(session.name));
        let (parents, delay) = match &row.wait {
            None => (Vec::new(), 0),
            Some(Wait::Turn(delay)) => {
                (before.map(|row| Parent { row, start: false }).into_iter().collect(), *delay)
            }
            Some(Wait::Rows(parents, delay)) => (parents.clone(), *delay),
        };
        let begins_unplaced = parents.is_empty() && matches!(row.wait, Some(Wait::Turn(_)));
        if begins_unplaced && self.placed || parents.is_empty() && row.wait.is_none() && self.tree.unplaced {
            let found = "a session that begins without a timestamp, beside others with one";
            let fix = "give the first turn of every session a timestamp, or that of none";
            return Err(Bad::new(found, "either of the two in all sessions", fix));
        }
        self.tree.unplaced |= begins_unplaced;
        self.placed |= parents.is_empty() && row.wait.is_none();
        if let Some(session) = row.session.filter(|session| session.before.is_none()) {
            self.latest.insert(session.name, number);
        }
        if !parents.is_empty() || !self.tree.first.is_empty() {
            let ends = self.tree.parents.len() as u32;
            self.tree.first.resize(number as usize + 1, ends);
            self.tree.delays_us.resize(number as usize, 0);
            self.tree.parents.extend(parents.iter().map(|parent| parent.packed()));
            self.tree.delays_us.push(delay);
            self.tree.first.push(self.tree.parents.len() as u32);
        }
        let arrival = |parent: &Parent| arrivals_us[parent.row as usize];
        let Some(latest) = parents.iter().map(arrival).max() else { return Ok(row.arrival_us) };
        // A row without a time of its own comes the delay after answers that take no time.
        let delayed = latest.saturating_add(i64::try_from(delay).unwrap_or(i64::MAX));
        let own = if matches!(row.wait, Some(Wait::Turn(_))) { delayed } else { row.arrival_us };
        Ok(own.max(latest))
    }

    /// Sessions read from here on have no arrival times.
    pub(super) fn unplace(&mut self) {
        self.tree.unplaced = true;
    }

    /// The tree of all `rows` rows, in the order of `order`.
    pub(super) fn finish(mut self, rows: usize, order: Option<&[u32]>) -> Tree {
        if !self.tree.first.is_empty() {
            let ends = self.tree.parents.len() as u32;
            self.tree.first.resize(rows + 1, ends);
            self.tree.delays_us.resize(rows, 0);
        }
        order.map_or_else(|| self.tree.clone(), |order| self.tree.selected(order))
    }
}
