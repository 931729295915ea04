//! Rows of a trace that wait for others of their session: a turn comes a delay after the answers before it, several
//! may follow one answer (fork), and one may follow several (join).

use super::row::{Bad, Row};
use super::wait::{Parent, Wait};
use base::digest::Digest;
use base::lookup::LookupMap;
use serde::{Deserialize, Serialize};

/// The place of a row that is not kept.
const GONE: u32 = u32::MAX;

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
