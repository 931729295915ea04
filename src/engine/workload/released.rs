//! Rows of a trace that wait for others of their session, and sessions that start by a process: when they are due.
//!
//! A row that waits is due a delay after the last of the answers it waits for (closed clock), or after the start of a
//! row that it overlaps. When one of these rows ends without an answer, the rows that wait for it are not sent.

use super::Trace;
use super::places::AFTER_REFUSAL;
use base::lookup::LookupMap;
use base::queue::Queue;
use base::rng::{Purpose, Stream};
use base::units::US_PER_S;
use base::{Micros, Span, dist, math};
use document::TraceSettings;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The rows that are not sent at their own times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Released {
    speed: f64,
    /// Longest delay before a row, in microseconds of the trace.
    max_gap_us: u64,
    starts: Starts,
    /// Rows with a known instant.
    due: Queue<(Micros, u32)>,
    /// Rows that wait for several, some of which have ended.
    waiting: LookupMap<u32, Waiting>,
    /// By session, what is left of those that have started.
    open: LookupMap<u32, StartedSession>,
    not_sent: u32,
    /// Not part of a snapshot: it follows from the trace.
    #[serde(skip)]
    shape: Option<Arc<TraceShape>>,
}

/// When sessions start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Starts {
    /// At the times of the trace.
    Recorded,
    /// Each when another one is over.
    InFlight { next: u32 },
    /// At a rate.
    Rate { per_s: f64, next: u32, at: Micros, draws: Box<Stream> },
}

/// A row that waits for several others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Waiting {
    /// For how many.
    left: u32,
    /// The latest instant of those that have ended.
    latest: Micros,
    /// Whether one of them had no answer.
    lost: bool,
}

/// A session that has started.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct StartedSession {
    /// Rows that have not ended.
    left: u32,
    /// When the latest of the others ended.
    latest: Micros,
}

/// What follows from the trace alone.
#[derive(Debug, PartialEq)]
struct TraceShape {
    trace: Arc<Trace>,
    /// The rows that wait for each row.
    children: Lists,
    /// The session of each row. A row without one is a session of its own.
    session_of: Vec<u32>,
    /// The rows of each session.
    sessions: Lists,
}

/// Calls a function with pairs of a list and a number.
type Pairs<'a> = dyn Fn(&mut dyn FnMut(u32, u32)) + 'a;

/// Lists of numbers, one behind the other.
#[derive(Debug, PartialEq)]
struct Lists {
    first: Vec<u32>,
    all: Vec<u32>,
}

impl Lists {
    /// `lists` lists of the pairs (list, number), in their order.
    fn new(lists: usize, pairs: &Pairs<'_>) -> Self {
        let mut first = vec![0; lists + 1];
        pairs(&mut |list, _| first[list as usize + 1] += 1);
        for list in 0..lists {
            first[list + 1] += first[list];
        }
        let mut end = first.clone();
        let mut all = vec![0; first[lists] as usize];
        pairs(&mut |list, number| {
            all[end[list as usize] as usize] = number;
            end[list as usize] += 1;
        });
        Self { first, all }
    }

    fn len(&self) -> u32 {
        self.first.len() as u32 - 1
    }

    fn of(&self, list: u32) -> &[u32] {
        let list = list as usize;
        &self.all[self.first[list] as usize..self.first[list + 1] as usize]
    }
}

impl TraceShape {
    fn new(trace: &Arc<Trace>) -> Self {
        let rows = trace.len();
        let mut session_of = Vec::with_capacity(rows);
        let mut numbers: LookupMap<u32, u32> = LookupMap::default();
        let mut sessions = 0;
        for row in 0..rows {
            let session = trace.session(row);
            let known = numbers.get(session).filter(|_| session > 0);
            let number = known.unwrap_or(sessions);
            if known.is_none() {
                sessions += 1;
                numbers.insert(session, number);
            }
            session_of.push(number);
        }
        let children = Lists::new(rows, &|add| {
            for row in 0..rows {
                trace.parents(row).for_each(|parent| add(parent.row, row as u32));
            }
        });
        let of = |add: &mut dyn FnMut(u32, u32)| {
            (0..).zip(&session_of).for_each(|(row, &session)| add(session, row));
        };
        let sessions = Lists::new(sessions as usize, &of);
        Self { trace: Arc::clone(trace), children, session_of, sessions }
    }
}

impl Released {
    /// The rows of `trace`; `None` if all of them come at their own times.
    pub(super) fn new(settings: &TraceSettings, seed: u64, trace: &Arc<Trace>) -> Option<Self> {
        let starts = if settings.sessions_in_flight > 0 {
            Starts::InFlight { next: 0 }
        } else if settings.session_rate > 0.0 {
            let draws = Box::new(Stream::new(seed, Purpose::SessionStarts, 0));
            Starts::Rate { per_s: settings.session_rate, next: 0, at: Micros::ZERO, draws }
        } else {
            Starts::Recorded
        };
        if !trace.has_tree() && starts == Starts::Recorded {
            return None;
        }
        let cap = math::round_to_span(settings.max_gap_s * US_PER_S as f64).0;
        let mut released = Self {
            speed: settings.speed,
            max_gap_us: if cap == 0 { u64::MAX } else { cap },
            starts,
            due: Queue::default(),
            waiting: LookupMap::default(),
            open: LookupMap::default(),
            not_sent: 0,
            shape: Some(Arc::new(TraceShape::new(trace))),
        };
        for _ in 0..settings.sessions_in_flight {
            released.start_another(Micros::ZERO);
        }
        released.draw_start();
        released.start_due();
        Some(released)
    }

    pub(super) fn attach(&mut self, trace: &Arc<Trace>) {
        self.shape = Some(Arc::new(TraceShape::new(trace)));
    }

    pub(super) fn set_speed(&mut self, speed: f64) {
        self.speed = speed;
    }

    /// The next row with a known instant.
    pub(super) fn due(&self) -> Option<(Micros, u32)> {
        self.due.peek().copied()
    }

    /// When the next row of the session of a row is due, if that is known.
    pub(super) fn due_of(&self, row: u32) -> Option<Micros> {
        let shape = self.shape.as_ref()?;
        let of = shape.session_of[row as usize];
        let next = self.due.iter().filter(|(_, due)| shape.session_of[*due as usize] == of).min();
        next.map(|(at, _)| *at)
    }

    /// Whether a row arrives at its own time.
    pub(super) fn is_timed(&self, row: u32) -> bool {
        self.starts == Starts::Recorded && self.trace().parents(row as usize).len() == 0
    }

    /// Sessions that are expected to start between two instants; `None` if that is at their own times.
    pub(super) fn expected(&self, from: Micros, to: Micros) -> Option<f64> {
        match self.starts {
            Starts::Recorded => None,
            Starts::InFlight { .. } => Some(0.0),
            Starts::Rate { per_s, .. } => Some(per_s * to.since(from).as_secs()),
        }
    }

    /// Whether more requests of the session of a row are to come, or have not ended.
    pub(super) fn is_open(&self, row: u32) -> bool {
        self.open.get(self.shape().session_of[row as usize]).is_some()
    }

    /// Rows that are not sent, because one that they wait for had no answer.
    pub(super) fn not_sent(&self) -> u32 {
        self.not_sent
    }

    /// A row is sent.
    pub(super) fn taken(&mut self, row: u32, now: Micros) {
        if self.due().is_some_and(|(_, due)| due == row) {
            self.due.pop();
        }
        let shape = Arc::clone(self.shape());
        let session = shape.session_of[row as usize];
        if self.open.get(session).is_none() {
            self.open(session, &shape);
        }
        self.release(&shape, row, now, true);
        self.start_due();
    }

    /// The request of a row has ended: its user has the whole answer at `shown`, or will never have one.
    pub(super) fn ended(&mut self, row: u32, now: Micros, shown: Option<Micros>) {
        let shape = Arc::clone(self.shape());
        match shown {
            Some(shown) => self.release(&shape, row, shown, false),
            None => self.lose(&shape, row, now),
        }
        self.close(&shape, row, shown.unwrap_or_else(|| now.saturating_add(AFTER_REFUSAL)));
        self.start_due();
    }

    fn trace(&self) -> &Trace {
        &self.shape().trace
    }

    fn shape(&self) -> &Arc<TraceShape> {
        self.shape.as_ref().expect("INV-6: a restored source got its trace back")
    }

    /// Whether `child` waits for the start of `row`, and not for its answer.
    fn overlaps(&self, row: u32, child: u32) -> bool {
        self.trace().parents(child as usize).any(|parent| parent.row == row && parent.start)
    }

    /// The rows that wait for the start, or the answer, of `row` have it at `at`.
    fn release(&mut self, shape: &TraceShape, row: u32, at: Micros, start: bool) {
        for &child in shape.children.of(row) {
            if self.overlaps(row, child) != start {
                continue;
            }
            let waits = self.count_down(child, at, false);
            if waits.left == 0 && !waits.lost {
                let gap = shape.trace.delay_us(child as usize).min(self.max_gap_us);
                let due = waits.latest.saturating_add(self.at_speed(gap)).min(Micros::END);
                self.due.push((due, child));
            }
        }
    }

    /// A row waits for one less.
    fn count_down(&mut self, row: u32, at: Micros, lost: bool) -> Waiting {
        let all = self.trace().parents(row as usize).len() as u32;
        let before = self.waiting.remove(row).unwrap_or(Waiting { left: all, latest: at, lost: false });
        let waits =
            Waiting { left: before.left - 1, latest: before.latest.max(at), lost: before.lost || lost };
        if waits.left > 0 {
            self.waiting.insert(row, waits);
        }
        waits
    }

    /// A row has no answer: those that wait for it are not sent, nor those that wait for them.
    fn lose(&mut self, shape: &TraceShape, row: u32, now: Micros) {
        let of = |row: u32| shape.children.of(row).iter().copied();
        let mut lost: Vec<u32> = of(row).filter(|&child| !self.overlaps(row, child)).collect();
        while let Some(row) = lost.pop() {
            let already = self.waiting.get(row).is_some_and(|waits| waits.lost);
            self.count_down(row, now, true);
            if !already {
                self.not_sent += 1;
                self.close(shape, row, now.saturating_add(AFTER_REFUSAL));
                lost.extend(of(row));
            }
        }
    }

    fn open(&mut self, session: u32, shape: &TraceShape) {
        let left = shape.sessions.of(session).len() as u32;
        self.open.insert(session, StartedSession { left, latest: Micros::ZERO });
    }

    /// One row less of a session; after the last one another session may start.
    fn close(&mut self, shape: &TraceShape, row: u32, at: Micros) {
        let session = shape.session_of[row as usize];
        let open = self.open.remove(session).expect("INV-1: a row of no session ended");
        let open = StartedSession { left: open.left - 1, latest: open.latest.max(at) };
        if open.left > 0 {
            self.open.insert(session, open);
        } else if matches!(self.starts, Starts::InFlight { .. }) {
            self.start_another(open.latest);
        }
    }

    /// The next session starts at `at`, if there is one and not the recorded times count.
    fn start_another(&mut self, at: Micros) {
        let (Starts::InFlight { next } | Starts::Rate { next, .. }) = &mut self.starts else { return };
        let session = *next;
        *next += 1;
        let shape = Arc::clone(self.shape());
        if session >= shape.sessions.len() {
            return;
        }
        self.open(session, &shape);
        let rows = shape.sessions.of(session);
        let begin = rows.first().map_or(Micros::ZERO, |&row| shape.trace.arrival(row as usize));
        for &row in rows.iter().filter(|&&row| shape.trace.parents(row as usize).len() == 0) {
            let after = self.at_speed(shape.trace.arrival(row as usize).since(begin).0);
            self.due.push((at.saturating_add(after).min(Micros::END), row));
        }
    }

    /// Starts the sessions that come no later than the next row with a known instant.
    fn start_due(&mut self) {
        let sessions = self.shape().sessions.len();
        while let Starts::Rate { next, at, .. } = self.starts
            && next < sessions
            && self.due().is_none_or(|(due, _)| at <= due)
        {
            self.start_another(at);
            self.draw_start();
        }
    }

    fn draw_start(&mut self) {
        if let Starts::Rate { per_s, at, draws, .. } = &mut self.starts {
            let gap = math::round_to_span(dist::exponential(draws, US_PER_S as f64 / *per_s));
            *at = at.saturating_add(gap).min(Micros::END);
        }
    }

    /// A time of the trace at the replay's speed.
    fn at_speed(&self, us: u64) -> Span {
        math::round_to_span((us as f64 / self.speed).min(Micros::END.0 as f64))
    }
}
