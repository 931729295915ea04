//! History: a run that can go back, with the instant shown and copies at earlier instants.
//!
//! A checkpoint is a copy of the session. Data at rest is shared between copies, so a copy costs only its live data.
//! A seek takes the nearest copy and runs on from there; as a run is a value, the result equals that of a run from
//! the start, whichever copies exist. Their places and number follow from counts of events and bytes, from the seeks
//! so far, and from whether the run keeps up.
//!
//! A line is one course of events: a scenario and its edits. An edit in the past begins another line and leaves the
//! old one unchanged; lines share the checkpoints before they differ.

mod back;
mod goal;
mod spacing;
mod thinning;

use super::view::{Columns, ColumnsQuery, Frame, FrameQuery, RunFigures};
use super::{Audience, Awaited, Occasion, Session, SingleStep, Stop};
use back::Back;
use base::{Diagnostics, Micros, PACKS};
use goal::Goal;
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// Most lines kept at a time.
const LINES: usize = 8;

/// Events after which the sizes of checkpoints are computed again.
const WEIGHED_AFTER: u64 = 1 << 14;

/// Memory limit of checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of all checkpoints; a long run's own data at rest reduces them, but they keep a third of it however long
    /// the run is.
    pub bytes: u64,
    /// Fewest events between two of them.
    pub events: u64,
}

impl Budget {
    /// The budget of a page.
    pub const PAGE: Self = Self { bytes: 96 << 20, events: 4096 };
}

/// A copy of the run, packed if this build packs.
#[derive(Clone, Debug)]
struct Checkpoint {
    session: Rc<Session>,
    /// Approximate number of bytes not shared with other copies.
    alive: u64,
    /// Approximate number of bytes read to make it.
    read: u64,
    /// Bytes of its data at rest.
    at_rest: u64,
    /// Bytes at rest not shared with a later copy, and that copy: neither changes any more.
    beside: RefCell<Option<(Weak<Session>, u64)>>,
}

/// One course of events.
#[derive(Debug, Default)]
struct EventCourse {
    /// In order; the first is the start of the run.
    kept: Vec<Checkpoint>,
    /// The furthest computed state, unless it is the instant shown.
    front: Option<Box<Session>>,
    /// Larger for a line shown later.
    shown: u64,
}

/// A run with its checkpoints.
#[derive(Debug)]
pub struct History {
    present: Session,
    /// The line of the instant shown is the last.
    lines: Vec<EventCourse>,
    budget: Budget,
    /// Number of events after which the next checkpoint is taken.
    due: u64,
    /// Target of a seek: up to there the run does not play.
    on_its_way_to: Micros,
    /// Whether it plays as fast as it can and lags behind its target.
    hurries: bool,
    /// Number of events at the latest computation of the checkpoints' sizes: a continuing run shares less and less
    /// with them.
    weighed: u64,
    /// Whether checkpoints were dropped to keep within the budget.
    thinned: bool,
    back: Option<Back>,
}

/// The progress of a session: of two on one line, the larger is the later.
fn place(session: &Session) -> (u64, Micros) {
    (session.events(), session.now())
}

impl History {
    /// The history of a run at its start.
    pub fn new(session: Session, budget: Budget) -> Self {
        let mut history = Self {
            present: session,
            lines: vec![EventCourse::default()],
            budget,
            due: 0,
            on_its_way_to: Micros::ZERO,
            hurries: false,
            weighed: 0,
            thinned: false,
            back: None,
        };
        let beginning = Checkpoint::of(&mut history.present);
        history.lines[0].kept.push(beginning);
        history.due = history.spacing();
        history
    }

    /// The run at the instant shown.
    pub fn present(&self) -> &Session {
        &self.present
    }

    /// How far this course of events was computed.
    pub fn computed(&self) -> Micros {
        self.front().map_or(self.present.now(), Session::now)
    }

    /// The furthest computed state ahead, if any.
    fn front(&self) -> Option<&Session> {
        self.line().front.as_deref()
    }

    fn line(&self) -> &EventCourse {
        self.lines.last().expect("a history has a line")
    }

    fn line_mut(&mut self) -> &mut EventCourse {
        self.lines.last_mut().expect("a history has a line")
    }

    /// As [`Session::advance`].
    pub fn advance(&mut self, until: Micros, max_events: u64) -> Stop {
        let stop = self.present.advance(until, max_events);
        self.hurries = stop == Stop::Events && self.present.now() >= self.on_its_way_to;
        self.passed();
        stop
    }

    /// As [`Session::begin_step`].
    pub fn begin_step(&self, kind: super::StepKind) -> SingleStep {
        self.present.begin_step(kind)
    }

    /// As [`Session::advance_step`].
    pub fn advance_step(&mut self, step: &SingleStep, max_events: u64) -> Stop {
        let stop = self.present.advance_step(step, max_events);
        self.passed();
        stop
    }

    /// As [`Session::begin_to`].
    pub fn begin_to(&self, occasion: Occasion) -> Awaited {
        self.present.begin_to(occasion)
    }

    /// As [`Session::advance_to`].
    pub fn advance_to(&mut self, awaited: &mut Awaited, max_events: u64) -> Stop {
        let stop = self.present.advance_to(awaited, max_events);
        self.passed();
        stop
    }

    /// As [`Session::apply_text`]. If anything is computed ahead, another line begins.
    pub fn apply_text(&mut self, edit: &str) -> Diagnostics {
        let ahead = self.front().is_some();
        let before = ahead.then(|| (place(&self.present), self.present.edits().to_vec()));
        let diagnostics = self.present.apply_text(edit);
        if let Some((place, edits)) = before
            && edits != self.present.edits()
        {
            let kept = self.line().kept.iter().filter(|c| self::place(&c.session) <= place);
            let line =
                EventCourse { kept: kept.cloned().collect(), front: None, shown: self.line().shown + 1 };
            self.lines.push(line);
            self.drop_lines();
            self.due = self.next_due();
        }
        diagnostics
    }

    /// Continues with another run at its start. Computed states stay: a line of the same run is shown again, and
    /// other lines give their checkpoints up to the first difference.
    pub fn adopt(&mut self, next: Session) {
        let shown = self.line().shown + 1;
        self.show(next);
        let beginning = Checkpoint::of(&mut self.present);
        let next = &self.present;
        let same = |line: &EventCourse| {
            let last = line.front.as_deref().or(line.kept.last().map(|c| &*c.session));
            last.is_some_and(|last| last.is_of(next) && last.edits() == next.edits())
        };
        let mut line = match self.lines.iter().position(same) {
            Some(known) => self.lines.remove(known),
            None => self.line_of(beginning),
        };
        line.shown = shown;
        self.lines.push(line);
        self.back = None;
        self.drop_lines();
        self.due = self.next_due();
    }

    /// A line for a run that shares its first part with others.
    fn line_of(&self, beginning: Checkpoint) -> EventCourse {
        let next = &self.present;
        let mut kept: Vec<Checkpoint> = vec![beginning];
        for checkpoint in self.lines.iter().flat_map(|line| &line.kept) {
            let s = &checkpoint.session;
            if s.events() > 0 && s.is_of(next) && s.leads_to(next.edits()) {
                let at = kept.partition_point(|c| place(&c.session) < place(s));
                if kept.get(at).is_none_or(|c| place(&c.session) != place(s)) {
                    kept.insert(at, checkpoint.clone());
                }
            }
        }
        EventCourse { kept, ..EventCourse::default() }
    }

    /// Shows another instant: the previous state stays if it is the furthest.
    fn show(&mut self, next: Session) {
        let left = std::mem::replace(&mut self.present, next);
        if self.front().is_none_or(|front| place(front) < place(&left)) {
            self.line_mut().front = Some(Box::new(left));
        }
    }

    /// Goes to the nearest copy before an instant: [`advance`](Self::advance) runs the rest. Results equal those of
    /// an uninterrupted run.
    pub fn seek(&mut self, until: Micros) {
        self.back = None;
        self.on_its_way_to = until;
        self.go_towards(Goal::At(until));
        self.due = self.due.min(self.next_due());
    }

    /// Takes the nearest copy from which running on reaches the goal.
    fn go_towards(&mut self, goal: Goal) {
        let fits = |s: &&Session| goal.lies_ahead_of(s);
        let line = self.line();
        let copies = line.kept.iter().map(|c| &*c.session).chain(line.front.as_deref());
        let nearest = copies.filter(fits).max_by_key(|s| place(s));
        let stay = fits(&&self.present) && nearest.is_none_or(|s| place(s) <= place(&self.present));
        if stay {
            return;
        }
        let next = nearest.expect("the beginning leads anywhere").with_edits_of(&self.present);
        // The old state frees its memory before the copy allocates.
        self.show(next);
        self.present.unpack();
        if self.front().is_some_and(|front| place(front) <= place(&self.present)) {
            self.line_mut().front = None;
        }
        self.due = self.next_due();
    }

    /// Updates the history after the run has advanced.
    fn passed(&mut self) {
        if self
            .front()
            .is_some_and(|front| front.events() <= self.present.events() && front.now() <= self.present.now())
        {
            self.line_mut().front = None;
        }
        if self.budget.bytes == 0 {
            return;
        }
        // At an earlier instant it shares with them what it shared then.
        let events = self.present.events();
        if self.front().is_none() && (events >= self.weighed + WEIGHED_AFTER || events < self.weighed) {
            self.thin();
        }
        if self.present.events() < self.due {
            return;
        }
        let checkpoint = Checkpoint::of(&mut self.present);
        let line = self.line_mut();
        let at = line.kept.partition_point(|c| place(&c.session) < place(&checkpoint.session));
        line.kept.insert(at, checkpoint);
        self.thin();
        self.due = self.next_due();
    }

    /// As [`Session::frame`], with the instant computed so far.
    pub fn frame(&mut self, query: &FrameQuery) -> Frame {
        let mut frame = self.present.frame(query);
        if let Some(front) = self.front() {
            frame.computed_us = front.now().0;
            frame.axis_end_us = frame.axis_end_us.max(front.axis_end());
        }
        frame
    }

    /// The figures of this run in a list of runs, as far as it was computed.
    pub fn figures(&self) -> RunFigures {
        let furthest = self.front().unwrap_or(&self.present);
        let [ttft_p99_ms, e2e_p99_ms] = furthest.p99s_ms();
        RunFigures { computed_us: furthest.now().0, ttft_p99_ms, e2e_p99_ms }
    }

    /// As [`Session::columns`]; over time, with the part computed ahead.
    pub fn columns(&self, query: &ColumnsQuery) -> Columns {
        let whole = self.front().filter(|_| query.view.is_over_time());
        whole.unwrap_or(&self.present).columns(query)
    }
}

impl Checkpoint {
    fn of(session: &mut Session) -> Self {
        let (kept, read) = if PACKS {
            let read = session.engine.bytes_packed_from() + session.recorder.bytes_packed_from();
            (session.packed(), read)
        } else {
            (session.clone(), session.bytes_alive())
        };
        let (alive, at_rest) = (kept.bytes_alive(), kept.bytes_at_rest(None));
        Self { alive, read, at_rest, session: Rc::new(kept), beside: RefCell::default() }
    }

    /// Bytes at rest not shared with `later`, the next copy of the run.
    fn at_rest_beside(&self, later: &Rc<Session>) -> u64 {
        let mut known = self.beside.borrow_mut();
        let at_rest = match &*known {
            Some((of, bytes)) if Weak::as_ptr(of) == Rc::as_ptr(later) => *bytes,
            _ => self.session.bytes_at_rest(Some(later)),
        };
        *known = Some((Rc::downgrade(later), at_rest));
        at_rest
    }
}

impl Session {
    /// A copy that takes less memory, and cannot continue before it is unpacked.
    fn packed(&mut self) -> Self {
        let mut recorder = self.recorder.clone();
        recorder.pack();
        Self {
            scenario: self.scenario.clone(),
            plan: self.plan.clone(),
            needs: self.needs.clone(),
            recording: self.recording.clone(),
            engine: self.engine.packed(),
            recorder,
            edits: self.edits.clone(),
            playhead: self.playhead,
        }
    }

    /// The same run at the same instant, with the edits to come of `other`.
    fn with_edits_of(&self, other: &Self) -> Self {
        Self { edits: other.edits.at(self.edits.applied()), ..self.clone() }
    }

    /// Unpacks a packed copy.
    fn unpack(&mut self) {
        if PACKS {
            self.engine.unpack();
            self.recorder.unpack();
        }
        self.recorder.moves.clear();
    }

    /// Whether both began with the same scenario and trace.
    fn is_of(&self, other: &Self) -> bool {
        let same_trace = match (&self.recording, &other.recording) {
            (None, None) => true,
            (Some(a), Some(b)) => std::sync::Arc::ptr_eq(&a.file, &b.file),
            (None, Some(_)) | (Some(_), None) => false,
        };
        same_trace && self.scenario == other.scenario && self.audience() == other.audience()
    }

    /// Approximate number of bytes that every copy owns.
    fn bytes_alive(&self) -> u64 {
        const SESSION_BYTES: u64 = 16 << 10;
        SESSION_BYTES + self.engine.bytes_alive() + self.recorder.bytes_alive()
    }

    /// Bytes at rest not shared with `later`, which continued from a copy.
    fn bytes_at_rest(&self, later: Option<&Self>) -> u64 {
        self.engine.bytes_at_rest(later.map(|l| &l.engine))
            + self.recorder.bytes_at_rest(later.map(|l| &l.recorder))
    }

    fn audience(&self) -> Audience {
        if self.recorder.live { Audience::Live } else { Audience::Batch }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::preset::PRESETS;

    fn run(name: &str, seconds: u64) -> Session {
        let found = PRESETS.iter().find(|p| p.name == name).expect("a preset");
        let (mut session, _) =
            Session::start(found.scenario(), None, Audience::Live).expect("a sound scenario");
        session.advance(Micros(seconds * 1_000_000), u64::MAX);
        session
    }

    #[test]
    fn a_checkpoint_takes_a_small_part_of_the_run_and_gives_it_back_to_the_last_byte() {
        for preset in PRESETS {
            let mut session = run(preset.name, 15);
            let (before, alive) = (session.snapshot(), session.bytes_alive() + session.bytes_at_rest(None));
            let packed = session.packed();
            assert!(session.snapshot() == before, "{}: packing a copy changed the run", preset.name);
            let mut again = packed.with_edits_of(&session);
            again.unpack();
            assert!(again.snapshot() == before, "{} differs", preset.name);
            assert!(packed.bytes_alive() + packed.bytes_at_rest(None) < alive, "{}", preset.name);
        }
        let mut session = run("chat-4xh100", 60);
        let packed = session.packed();
        let caches = [&session, &packed].map(|s| s.engine.bytes_alive() + s.recorder.bytes_alive());
        assert!(4 * caches[1] < caches[0], "{caches:?}");
    }

    #[test]
    fn a_copy_shares_the_caches_of_a_run_until_it_goes_on_and_leaves_them_as_they_are() {
        let session = run("chat-4xh100", 60);
        let before = session.snapshot();
        let shared = |copy: &Session| {
            let pairs = session.engine.replicas().iter().zip(copy.engine.replicas());
            pairs.filter(|(a, b)| std::ptr::eq(a.kv(), b.kv())).count()
        };
        let mut copy = session.clone();
        assert_eq!((session.engine.replicas().len(), shared(&copy)), (4, 4));
        copy.advance(Micros(65_000_000), u64::MAX);
        assert_eq!(shared(&copy), 0);
        assert!(session.snapshot() == before, "a copy that went on changed the run");
        assert!(copy.snapshot() == run("chat-4xh100", 65).snapshot(), "a copy goes on otherwise");
    }

    #[test]
    #[should_panic(expected = "INV-6")]
    fn a_checkpoint_does_not_go_on_by_itself() {
        run("chat-4xh100", 1).packed().advance(Micros(2_000_000), u64::MAX);
    }
}
