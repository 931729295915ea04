//! Records of requests that have left, packed by columns. Instants and spans stand as what they differ by from one that is known.
//! In a checkpoint records of requests in the system are packed in the same way.

use super::location::Location;
use super::record::Record;
use super::slot::Slot;
use crate::facts::DropReason;
use crate::policy::Reason;
use base::columns::{Columns, change, changed, known_change, known_changed};
use base::{Maybe, Micros, ReplicaId, Span};

/// Records per piece, a power of two: small enough that a change copies little, large enough that pieces are few.
pub const PIECE: usize = 1 << 9;

/// A number of each request by which others group them. They follow the arrival in a packed record, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordColumn {
    /// Number of its client.
    Client,
    /// Number of its tenant.
    Tenant,
    /// Number of its SLO class.
    Class,
    /// One more than the number of its replica; 0 if it has none.
    Replica,
}

impl RecordColumn {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 4] = [Self::Client, Self::Tenant, Self::Class, Self::Replica];

    /// Its place among the numbers of a packed record.
    fn place(self) -> usize {
        1 + self as usize
    }

    /// That number of a record.
    pub(crate) fn of(self, r: &Record) -> u32 {
        match self {
            Self::Client => r.client,
            Self::Tenant => r.tenant,
            Self::Class => r.class,
            Self::Replica => r.replica().map_or(0, |id| id.0 + 1),
        }
    }
}

/// Declares the numbers of a packed record, in order: how each is written, and how it is read into a record that has those
/// before it.
macro_rules! packed_numbers {
    ($($name:ident: $write:expr, $read:expr;)+) => {
        /// How many numbers a record has.
        const NUMBERS: usize = [$(stringify!($name)),+].len();

        /// The numbers of a record.
        fn numbers(r: &Record) -> [u64; NUMBERS] {
            [$({
                let write: fn(&Record) -> u64 = $write;
                write(r)
            }),+]
        }

        /// The record that has these numbers.
        fn record([$($name),+]: [u64; NUMBERS]) -> Record {
            let mut r = Record::at_rest(Micros::ZERO, Location::Gateway);
            $({
                let read: fn(&mut Record, u64) = $read;
                read(&mut r, $name);
            })+
            r
        }
    };
}

packed_numbers! {
    arrival: |r| r.arrival.0, |r, n| r.arrival = Micros(n);
    client: |r| r.client.into(), |r, n| r.client = n as u32;
    tenant: |r| r.tenant.into(), |r, n| r.tenant = n as u32;
    class: |r| r.class.into(), |r, n| r.class = n as u32;
    replica: |r| RecordColumn::Replica.of(r).into(), |r, n| r.location = Location::Batch(ReplicaId((n as u32).wrapping_sub(1)));
    session: |r| r.session.into(), |r, n| r.session = n as u32;
    listed: |r| r.listed.into(), |r, n| r.listed = n as u32;
    prompt_tokens: |r| r.prompt_tokens.into(), |r, n| r.prompt_tokens = n as u32;
    output_tokens: |r| r.output_tokens.into(), |r, n| r.output_tokens = n as u32;
    place: |r| place(r.location()), |r, n| r.location = location(n, r.replica());
    routed: |r| since(r.routed, r.arrival.0), |r, n| r.routed = at(n, r.arrival.0);
    queued: |r| since(r.queued, queued_at(r)), |r, n| r.queued = at(n, queued_at(r));
    first_scheduled: |r| since(r.first_scheduled, first_at(r)), |r, n| r.first_scheduled = at(n, first_at(r));
    scheduled: |r| since(r.scheduled, scheduled_at(r)), |r, n| r.scheduled = at(n, scheduled_at(r));
    sched_step: |r| r.sched_step.into(), |r, n| r.sched_step = n as u32;
    cached_tokens: |r| r.cached_tokens.into(), |r, n| r.cached_tokens = n as u32;
    preemptions: |r| r.preemptions.into(), |r, n| r.preemptions = n as u32;
    ttft: |r| longer(r.ttft, ttft_after(r)), |r, n| r.ttft = span(n, ttft_after(r));
    e2e: |r| longer(r.e2e, shown(r)), |r, n| r.e2e = span(n, shown(r));
    left: |r| since(r.left, left_at(r)), |r, n| r.left = at(n, left_at(r));
    generated: |r| change(r.generated.into(), r.output_tokens.into()), |r, n| r.generated = changed(n, r.output_tokens.into()) as u32;
    progress: |r| change(r.progress.into(), stored(r)), |r, n| r.progress = changed(n, stored(r)) as u32;
    finish_step: |r| change(r.finish_step.into(), last_step(r)), |r, n| r.finish_step = changed(n, last_step(r)) as u32;
    itl_sum: |r| change(r.itl_sum.0, gaps(r)), |r, n| r.itl_sum = Span(changed(n, gaps(r)));
    drop: |r| r.drop.map_or(0, |why| why as u64 + 1), |r, n| r.drop = n.checked_sub(1).map(|i| DropReason::ALL[i as usize]);
    refused: |r| r.refused.map_or(0, |why| why as u64 + 1), |r, n| r.refused = n.checked_sub(1).map(|i| Reason::ALL[i as usize]);
    slot_index: |r| r.slot.numbers()[0].into(), |r, n| r.slot = Slot::of(n as u32, 0);
    slot_generation: |r| r.slot.numbers()[1].into(), |r, n| r.slot = Slot::of(r.slot.numbers()[0], n as u32);
    admitted: |r| since(r.admitted, queued_at(r)), |r, n| r.admitted = at(n, queued_at(r));
    entered: |r| since(r.entered, r.arrival.0), |r, n| r.entered = at(n, r.arrival.0);
    first_output: |r| r.first_output.0, |r, n| r.first_output = Span(n);
    output_time: |r| change(r.output_time.0, outputs(r)), |r, n| r.output_time = Span(changed(n, outputs(r)));
    tokenised: |r| since(r.tokenised, queued_at(r)), |r, n| r.tokenised = at(n, queued_at(r));
    first_streamed: |r| r.streamed[0].0, |r, n| r.streamed[0] = Span(n);
    last_streamed: |r| r.streamed[1].0, |r, n| r.streamed[1] = Span(n);
}

/// An instant as what it differs by from the expected one.
fn since(at: Maybe<Micros>, expected: u64) -> u64 {
    known_change(at.get().map(|at| at.0), expected)
}

fn at(number: u64, expected: u64) -> Maybe<Micros> {
    known_changed(number, expected).map_or(Maybe::NONE, |us| Micros(us).into())
}

/// A duration as what it differs by from the expected one.
fn longer(span: Maybe<Span>, expected: u64) -> u64 {
    known_change(span.get().map(|span| span.0), expected)
}

fn span(number: u64, expected: u64) -> Maybe<Span> {
    known_changed(number, expected).map_or(Maybe::NONE, |us| Span(us).into())
}

// What is expected by what is known before: most requests go on without a wait, complete and keep their batch.

fn queued_at(r: &Record) -> u64 {
    r.routed.get().unwrap_or(r.arrival).0
}

fn first_at(r: &Record) -> u64 {
    r.queued.get().map_or_else(|| queued_at(r), |at| at.0)
}

fn scheduled_at(r: &Record) -> u64 {
    r.first_scheduled.get().map_or_else(|| first_at(r), |at| at.0)
}

fn ttft_after(r: &Record) -> u64 {
    r.scheduled.get().map_or_else(|| scheduled_at(r), |at| at.0).wrapping_sub(r.arrival.0)
}

fn shown(r: &Record) -> u64 {
    r.ttft.get().map_or_else(|| ttft_after(r), |ttft| ttft.0)
}

fn took(r: &Record) -> u64 {
    r.e2e.get().map_or_else(|| shown(r), |e2e| e2e.0)
}

fn left_at(r: &Record) -> u64 {
    r.arrival.0.wrapping_add(took(r))
}

fn gaps(r: &Record) -> u64 {
    took(r).wrapping_sub(shown(r))
}

fn stored(r: &Record) -> u64 {
    u64::from(r.prompt_tokens) + u64::from(r.generated)
}

fn last_step(r: &Record) -> u64 {
    u64::from(r.sched_step) + u64::from(r.generated)
}

fn outputs(r: &Record) -> u64 {
    r.first_output.0.wrapping_mul(r.generated.into())
}

/// The number of a place.
fn place(at: Location) -> u64 {
    match at {
        Location::Completed(_) => 0,
        Location::Rejected => 1,
        Location::Refused(_) => 2,
        Location::Dropped(_) => 3,
        Location::Gateway => 4,
        Location::OnItsWay(_) => 5,
        Location::Queue(_) => 6,
        Location::Loading(_) => 7,
        Location::Batch(_) => 8,
        Location::Transferring(_) => 9,
        Location::Landed(_) => 10,
        Location::Lost => 11,
    }
}

/// The place with a number, of a request of this replica.
fn location(place: u64, replica: Option<ReplicaId>) -> Location {
    let replica = replica.unwrap_or(ReplicaId(u32::MAX));
    match place {
        0 => Location::Completed(replica),
        1 => Location::Rejected,
        2 => Location::Refused(replica),
        3 => Location::Dropped(replica),
        4 => Location::Gateway,
        5 => Location::OnItsWay(replica),
        6 => Location::Queue(replica),
        7 => Location::Loading(replica),
        8 => Location::Batch(replica),
        9 => Location::Transferring(replica),
        10 => Location::Landed(replica),
        _ => Location::Lost,
    }
}

/// Records of a piece: all of them once their requests have left.
#[derive(Debug)]
pub(crate) struct PackedPiece(Columns<NUMBERS>);

impl PackedPiece {
    /// Of these records.
    pub(crate) fn new<'a>(records: impl Iterator<Item = &'a Record>) -> Self {
        Self(Columns::new(&records.map(numbers).collect::<Vec<_>>()))
    }

    /// A record by its place in the piece.
    pub(crate) fn get(&self, row: usize) -> Record {
        record(self.0.get(row))
    }

    /// One number of a record by its place in the piece.
    pub(crate) fn column(&self, row: usize, column: RecordColumn) -> u32 {
        self.0.number(row, column.place()) as u32
    }

    /// Bytes of all its records.
    pub(crate) fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// A piece some of whose requests have yet to leave, as a checkpoint keeps it: those that have left and the others apart, which differ
/// in more numbers.
#[derive(Debug)]
pub(crate) struct KeptPiece {
    gone: PackedPiece,
    here: PackedPiece,
    /// By record: whether its request is in the system.
    is_here: Box<[bool]>,
}

impl KeptPiece {
    pub(crate) fn new(records: &[Record]) -> Self {
        let is_here = |r: &&Record| !r.location().is_gone();
        Self {
            gone: PackedPiece::new(records.iter().filter(|r| !is_here(r))),
            here: PackedPiece::new(records.iter().filter(is_here)),
            is_here: records.iter().map(|r| is_here(&r)).collect(),
        }
    }

    /// The records again.
    pub(crate) fn records(&self) -> Vec<Record> {
        let mut rows = [0, 0];
        let mut next = |&is_here: &bool| {
            let part = if is_here { &self.here } else { &self.gone };
            let row = &mut rows[usize::from(is_here)];
            *row += 1;
            part.get(*row - 1)
        };
        self.is_here.iter().map(&mut next).collect()
    }

    /// Bytes of all its records.
    pub(crate) fn bytes(&self) -> usize {
        self.gone.bytes() + self.here.bytes() + self.is_here.len()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use base::rng::{Purpose, Stream};

    /// A record of a request that has left, or has just arrived, like no other in all its numbers.
    pub(crate) fn gone(seed: u64, left: bool) -> Record {
        let mut draws = Stream::new(seed, Purpose::Ties, 0);
        let replica = ReplicaId(draws.below(1000));
        let places = [
            Location::Completed(replica),
            Location::Completed(ReplicaId(u32::MAX - 1)),
            Location::Rejected,
            Location::Refused(replica),
            Location::Dropped(replica),
        ];
        let mut time = |around: u64| match draws.below(8) {
            0 => None,
            1 => Some(0),
            2 => Some(Micros::MAX.0),
            _ => Some(around + u64::from(draws.below(1 << 25))),
        };
        let [arrival, routed, queued, first, scheduled, left_at] = [(); 6].map(|()| time(1 << 40));
        let [ttft, e2e, itl_sum] = [(); 3].map(|()| time(0));
        let (admitted, [first_output, output_time]) = (time(1 << 40), [(); 2].map(|()| time(0)));
        let mut r = Record::at_rest(Micros(arrival.unwrap_or(7)), Location::Gateway);
        if !left {
            return r;
        }
        r = Record::at_rest(r.arrival, places[draws.below(5) as usize]);
        let mut number = || match draws.below(6) {
            0 => 0,
            1 => u32::MAX,
            _ => draws.below(1 << 20),
        };
        (r.client, r.tenant, r.class) = (number(), number(), number());
        (r.session, r.listed, r.preemptions) = (number(), number(), number());
        (r.prompt_tokens, r.output_tokens, r.cached_tokens) = (number(), number(), number());
        (r.sched_step, r.finish_step) = (number(), number());
        (r.generated, r.progress) = (number(), number());
        let at = |us: Option<u64>| us.map_or(Maybe::NONE, |us| Micros(us).into());
        let span = |us: Option<u64>| us.map_or(Maybe::NONE, |us| Span(us).into());
        (r.routed, r.queued) = (at(routed), at(queued));
        (r.first_scheduled, r.scheduled, r.left) = (at(first), at(scheduled), at(left_at));
        (r.ttft, r.e2e) = (span(ttft), span(e2e));
        r.itl_sum = Span(itl_sum.unwrap_or_default());
        r.admitted = at(admitted);
        (r.first_output, r.output_time) = (Span(first_output.unwrap_or(9)), Span(output_time.unwrap_or(9)));
        r.drop = DropReason::ALL.get(draws.below(6) as usize).copied();
        r.refused = Reason::ALL.get(draws.below(15) as usize).copied();
        r
    }

    #[test]
    fn records_come_back_as_they_were() {
        let all: Vec<Record> = (0..4000).map(|seed| gone(seed, true)).collect();
        for records in all.chunks(500).chain(all.chunks(1).take(99)) {
            let packed = PackedPiece::new(records.iter());
            for (i, r) in records.iter().enumerate() {
                assert_eq!(packed.get(i), *r);
                assert!(RecordColumn::ALL.iter().all(|c| packed.column(i, *c) == c.of(r)), "{r:?}");
            }
        }
    }

    #[test]
    fn records_of_a_steady_run_take_a_ninth_of_their_room() {
        let mut draws = Stream::new(7, Purpose::Ties, 0);
        let mut usual = |i: u64| {
            let mut less_than = |n: u32| u64::from(draws.below(n));
            let arrival = 1_000_000_000 + 8000 * i + less_than(8000);
            let (output, wait) = (400 + less_than(200), less_than(20_000));
            let (ttft, step) = (wait + 15_000 + less_than(20_000), 40_000 + i + less_than(50));
            let e2e = ttft + 14_000 * output + less_than(500_000);
            let mut r = Record::at_rest(Micros(arrival), Location::Completed(ReplicaId(i as u32 % 8)));
            (r.routed, r.queued) = (r.arrival.into(), r.arrival.into());
            (r.first_scheduled, r.scheduled) = (Micros(arrival + wait).into(), Micros(arrival + wait).into());
            (r.ttft, r.e2e, r.left) = (Span(ttft).into(), Span(e2e).into(), Micros(arrival + e2e).into());
            (r.prompt_tokens, r.output_tokens) = (400 + less_than(200) as u32, output as u32);
            (r.generated, r.progress) = (r.output_tokens, r.prompt_tokens + r.output_tokens - 1);
            (r.sched_step, r.finish_step) = (step as u32, (step + output) as u32);
            r.itl_sum = Span(e2e - ttft);
            r
        };
        let records: Vec<Record> = (0..PIECE as u64).map(&mut usual).collect();
        let bytes = PackedPiece::new(records.iter()).bytes();
        assert!(9 * bytes <= PIECE * size_of::<Record>(), "{bytes} bytes");
    }

    #[test]
    fn the_reasons_stand_in_the_order_of_their_numbers() {
        assert!(Reason::ALL.iter().enumerate().all(|(i, reason)| *reason as usize == i));
        assert!(DropReason::ALL.iter().enumerate().all(|(i, reason)| *reason as usize == i));
    }

    #[test]
    fn a_piece_of_a_checkpoint_comes_back_wherever_its_requests_are() {
        let replica = ReplicaId(u32::MAX - 1);
        let places = [
            Location::Gateway,
            Location::OnItsWay(replica),
            Location::Queue(ReplicaId(0)),
            Location::Loading(ReplicaId(7)),
            Location::Batch(replica),
        ];
        let record = |seed: u64| {
            let mut r = gone(seed, true);
            if let Some(place) = places.get((seed % 7) as usize) {
                r = r.at(*place);
                r.slot = Slot::of(seed as u32, u32::MAX - seed as u32);
            }
            r
        };
        for n in [0, 1, 2, 7, PIECE as u64] {
            let records: Vec<Record> = (0..n).map(record).collect();
            assert_eq!(KeptPiece::new(&records).records(), records);
        }
        let left: Vec<Record> = (0..9).map(|seed| gone(seed, true)).collect();
        assert_eq!(KeptPiece::new(&left).records(), left);
    }
}
