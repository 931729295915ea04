//! The bands of requests that the same pools can serve, the highest priority first.

use crate::policy::flow::{Accounts, CeilingState, Flow, next_in_turn};
use crate::request::{Book, Slot};
use base::queue::Queue;
use base::{Micros, RequestId};
use document::{Fairness, FlowBand, FlowControl, Ordering};
use serde::{Deserialize, Serialize};
use std::cmp;
use std::collections::VecDeque;

/// A request that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiting {
    /// What the ordering policy goes by; the smallest goes first.
    pub(super) key: u64,
    /// Its number in order of joining the gateway's queue.
    pub(super) seq: u64,
    pub(super) slot: Slot,
    pub(super) request: RequestId,
    pub(super) priority: i32,
    pub(super) flow: u32,
    pub(super) tokens: u32,
    /// When it joined.
    pub(super) since: Micros,
}

impl Waiting {
    /// Whether it is still in the system.
    fn is_here(&self, book: &Book) -> bool {
        book.active().get(self.slot).is_some_and(|active| active.id == self.request)
    }

    /// Whether it still waits.
    pub(super) fn waits(&self, book: &Book) -> bool {
        self.is_here(book) && !book.here(self.request).admitted.is_known()
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> cmp::Ordering {
        (self.key, self.seq).cmp(&(other.key, other.seq))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The requests of one flow.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct FlowLine {
    flow: u32,
    /// With those that have gone on waiting in vain and left.
    queue: Queue<Waiting>,
    waiting: u32,
}

impl FlowLine {
    /// The next request; those that have left are forgotten.
    fn head(&mut self, book: &Book) -> Option<Waiting> {
        while let Some(&next) = self.queue.peek() {
            if next.is_here(book) {
                return Some(next);
            }
            self.queue.pop();
        }
        None
    }
}

/// The requests of one priority.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Band {
    pub(super) settings: FlowBand,
    /// Those with a request that waits, in order of flow.
    lines: Vec<FlowLine>,
    pub(super) waiting: u32,
    pub(super) tokens: u64,
    /// The flow that went last.
    latest: Option<u32>,
}

impl Band {
    pub(super) fn new(settings: FlowBand) -> Self {
        Self { settings, lines: Vec::new(), waiting: 0, tokens: 0, latest: None }
    }

    pub(super) fn priority(&self) -> i32 {
        self.settings.priority
    }

    /// Whether a further request with this number of tokens is over a limit.
    pub(super) fn is_full(&self, tokens: u32) -> bool {
        let s = &self.settings;
        over(s.max_requests.into(), u64::from(self.waiting) + 1)
            || over(s.max_prompt_tokens, self.tokens + u64::from(tokens))
    }

    fn place(&self, flow: u32) -> Result<usize, usize> {
        self.lines.binary_search_by_key(&flow, |line| line.flow)
    }

    /// Under `global-strict` all flows are one line.
    fn line_of(&self, flow: u32) -> u32 {
        if self.settings.fairness == Fairness::GlobalStrict { 0 } else { flow }
    }

    fn push(&mut self, request: Waiting) {
        let flow = self.line_of(request.flow);
        let place = self.place(flow).unwrap_or_else(|place| {
            self.lines.insert(place, FlowLine { flow, queue: Queue::default(), waiting: 0 });
            place
        });
        let line = &mut self.lines[place];
        line.queue.push(request);
        line.waiting += 1;
        self.waiting += 1;
        self.tokens += u64::from(request.tokens);
    }

    /// A request of the band no longer waits.
    fn forget(&mut self, request: &Waiting) {
        let place = self.place(self.line_of(request.flow)).expect("INV-1: a request waits in no line");
        self.lines[place].waiting -= 1;
        if self.lines[place].waiting == 0 {
            self.lines.remove(place);
        }
        self.waiting -= 1;
        self.tokens -= u64::from(request.tokens);
    }

    /// Takes the request that goes next.
    fn take(&mut self, accounts: &Accounts, now: Micros, book: &Book) -> Option<Waiting> {
        let line = match &self.settings.fairness {
            Fairness::GlobalStrict => self.lines.first()?.flow,
            Fairness::RoundRobin => next_in_turn(self.latest, self.lines.iter().map(|line| line.flow))?,
            Fairness::ProgramAware(s) => {
                let head =
                    |line: &mut FlowLine| line.head(book).map(|w| Flow { id: line.flow, since: w.since });
                let flows: Vec<Flow> = self.lines.iter_mut().filter_map(head).collect();
                accounts.least_served(s, now, flows.into_iter())?
            }
        };
        let place = self.place(line).ok()?;
        let next = self.lines[place].head(book)?;
        self.lines[place].queue.pop();
        self.latest = Some(line);
        self.forget(&next);
        Some(next)
    }

    /// INV-1: the counts are those of the lines.
    fn verify(&self, book: &Book) {
        let mut tokens = 0;
        for line in &self.lines {
            let here = |w: &&Waiting| w.waits(book);
            let there: Vec<&Waiting> = line.queue.iter().filter(here).collect();
            assert!(
                there.len() == line.waiting as usize && line.waiting > 0,
                "INV-1: {} requests of flow {} wait at the gateway, and {} are counted",
                there.len(),
                line.flow,
                line.waiting
            );
            tokens += there.iter().map(|w| u64::from(w.tokens)).sum::<u64>();
        }
        let waiting: u32 = self.lines.iter().map(|line| line.waiting).sum();
        assert!(
            waiting == self.waiting && tokens == self.tokens,
            "INV-1: {waiting} requests of {tokens} tokens wait in band {}, not {} of {}",
            self.priority(),
            self.waiting,
            self.tokens
        );
    }
}

/// Whether that many are more than a limit, if there is one.
pub(super) fn over(limit: u64, found: u64) -> bool {
    limit > 0 && found > limit
}

/// Whether a replica serves a lane, and since when that is so.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Served {
    pub(super) now: bool,
    pub(super) since: Micros,
}

/// The bands of requests that the same pools can serve.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Lane {
    /// The pools, as bits by number.
    pub(super) pools: u64,
    /// The highest priority first.
    pub(super) bands: Vec<Band>,
    pub(super) ceilings: CeilingState,
    /// In order of joining, with those that wait no more.
    pub(super) joined: VecDeque<Waiting>,
    pub(super) served: Served,
}

impl Lane {
    pub(super) fn new(pools: u64, settings: &FlowControl, served: Served) -> Self {
        let mut lane = Self {
            pools,
            bands: Vec::new(),
            ceilings: CeilingState::new(&settings.ceilings),
            joined: VecDeque::new(),
            served,
        };
        for band in &settings.bands {
            lane.band_of(band.priority, settings);
        }
        lane
    }

    /// The band of a priority, which is there from the first time it is asked for.
    pub(super) fn band_of(&mut self, priority: i32, settings: &FlowControl) -> &mut Band {
        let place = self.bands.binary_search_by_key(&cmp::Reverse(priority), |b| cmp::Reverse(b.priority()));
        let place = place.unwrap_or_else(|place| {
            self.bands.insert(place, Band::new(settings.band(priority)));
            place
        });
        &mut self.bands[place]
    }

    pub(super) fn waiting(&self) -> u32 {
        self.bands.iter().map(|band| band.waiting).sum()
    }

    pub(super) fn push(&mut self, request: Waiting, settings: &FlowControl, book: &Book) {
        self.band_of(request.priority, settings).push(request);
        self.joined.push_back(request);
        if self.joined.len() > 64 + 2 * self.waiting() as usize {
            self.joined.retain(|w| w.waits(book));
        }
    }

    /// Takes the next request of the band at `place`.
    pub(super) fn take(
        &mut self,
        place: usize,
        accounts: &Accounts,
        now: Micros,
        book: &Book,
    ) -> Option<Waiting> {
        self.bands[place].take(accounts, now, book)
    }

    /// A request no longer waits, and is still in the line of its flow.
    pub(super) fn forget(&mut self, request: &Waiting) {
        let place =
            self.bands.binary_search_by_key(&cmp::Reverse(request.priority), |b| cmp::Reverse(b.priority()));
        self.bands[place.expect("INV-1: a request waits in no band")].forget(request);
    }

    pub(super) fn verify(&self, book: &Book) {
        for band in &self.bands {
            band.verify(book);
        }
    }
}

/// What a request is ordered by that waits at most until `expires` and has that deadline by its objective.
pub(super) fn key(ordering: Ordering, expires: Micros, deadline: Micros) -> u64 {
    match ordering {
        Ordering::Fcfs => 0,
        Ordering::Edf => expires.0,
        Ordering::SloDeadline => deadline.0,
    }
}
