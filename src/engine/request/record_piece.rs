//! Records of requests that have left, packed by columns. Instants and spans stand as what they differ by from one that is known.
//! In a checkpoint records of requests in the system are packed in the same way.

use super::location::Location;
use super::named_row::named_row;
use super::record::Record;
use super::slab::Slot;
use crate::facts::DropReason;
use crate::policy::Reason;
use base::columns::{Columns, change, changed, known_change, known_changed};
use base::{Maybe, Micros, ReplicaId, Span};

/// Records per piece, a power of two: small enough that a change copies little, large enough that pieces are few.
pub const PIECE: usize = 1 << 9;

named_row! {
    /// The numbers of a record. Instants and spans stand as [`Expected`] has them.
    Row {
        arrival, client, tenant, class, replica, session, listed, prompt_tokens, output_tokens, place, routed, queued,
        first_scheduled, scheduled, sched_step, cached_tokens, preemptions, ttft, e2e, left, generated, progress, finish_step,
        itl_sum, drop, refused, slot_index, slot_generation, admitted, entered, first_output, output_time,
        tokenised, first_streamed, last_streamed,
    }
}

/// By name: its place in a row.
const PLACES: Row = {
    let (mut places, mut i) = ([0; Row::NUMBERS], 0);
    while i < Row::NUMBERS {
        places[i] = i as u64;
        i += 1;
    }
    Row::of(places)
};

/// A number of each request by which others group them.
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

    /// Its place in a row.
    fn place(self) -> usize {
        let place = match self {
            Self::Client => PLACES.client,
            Self::Tenant => PLACES.tenant,
            Self::Class => PLACES.class,
            Self::Replica => PLACES.replica,
        };
        place as usize
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

/// Records of a piece: all of them once their requests have left.
#[derive(Debug)]
pub(crate) struct PackedPiece(Columns<{ Row::NUMBERS }>);

fn at(us: Option<u64>) -> Maybe<Micros> {
    us.map_or(Maybe::NONE, |us| Micros(us).into())
}

fn span(us: Option<u64>) -> Maybe<Span> {
    us.map_or(Maybe::NONE, |us| Span(us).into())
}

/// What is expected of instants and spans by those known before: most requests go on without a wait, complete and keep their batch.
struct Expected {
    queued: u64,
    first_scheduled: u64,
    scheduled: u64,
    ttft: u64,
    e2e: u64,
    left: u64,
    itl_sum: u64,
}

impl Expected {
    fn of(arrival: u64, times: [Option<u64>; 4], ttft: Option<u64>, e2e: Option<u64>) -> Self {
        let [routed, queued, first_scheduled, scheduled] = times;
        let queued_at = routed.unwrap_or(arrival);
        let first_at = queued.unwrap_or(queued_at);
        let scheduled_at = first_scheduled.unwrap_or(first_at);
        let ttft_after = scheduled.unwrap_or(scheduled_at).wrapping_sub(arrival);
        let (shown, took) = (ttft.unwrap_or(ttft_after), e2e.or(ttft).unwrap_or(ttft_after));
        Self {
            queued: queued_at,
            first_scheduled: first_at,
            scheduled: scheduled_at,
            ttft: ttft_after,
            e2e: shown,
            left: arrival.wrapping_add(took),
            itl_sum: took.wrapping_sub(shown),
        }
    }
}

/// The numbers of a record.
fn row(r: &Record) -> Row {
    let us = |at: Maybe<Micros>| at.get().map(|at| at.0);
    let times = [us(r.routed), us(r.queued), us(r.first_scheduled), us(r.scheduled)];
    let [ttft, e2e] = [r.ttft, r.e2e].map(|span| span.get().map(|span| span.0));
    let expected = Expected::of(r.arrival.0, times, ttft, e2e);
    let place = match r.location() {
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
    };
    let [index, generation] = r.slot.numbers();
    let [generated, progress] = [r.generated, r.progress].map(u64::from);
    Row {
        arrival: r.arrival.0,
        client: r.client.into(),
        tenant: r.tenant.into(),
        class: r.class.into(),
        replica: RecordColumn::Replica.of(r).into(),
        session: r.session.into(),
        listed: r.listed.into(),
        prompt_tokens: r.prompt_tokens.into(),
        output_tokens: r.output_tokens.into(),
        place,
        routed: known_change(times[0], r.arrival.0),
        queued: known_change(times[1], expected.queued),
        first_scheduled: known_change(times[2], expected.first_scheduled),
        scheduled: known_change(times[3], expected.scheduled),
        sched_step: r.sched_step.into(),
        cached_tokens: r.cached_tokens.into(),
        preemptions: r.preemptions.into(),
        ttft: known_change(ttft, expected.ttft),
        e2e: known_change(e2e, expected.e2e),
        left: known_change(us(r.left), expected.left),
        generated: change(generated, r.output_tokens.into()),
        progress: change(progress, u64::from(r.prompt_tokens) + generated),
        finish_step: change(r.finish_step.into(), u64::from(r.sched_step) + generated),
        itl_sum: change(r.itl_sum.0, expected.itl_sum),
        drop: r.drop.map_or(0, |why| why as u64 + 1),
        refused: r.refused.map_or(0, |why| why as u64 + 1),
        slot_index: index.into(),
        slot_generation: generation.into(),
        admitted: known_change(us(r.admitted), expected.queued),
        entered: known_change(us(r.entered), r.arrival.0),
        first_output: r.first_output.0,
        output_time: change(r.output_time.0, r.first_output.0.wrapping_mul(generated)),
        tokenised: known_change(us(r.tokenised), expected.queued),
        first_streamed: r.streamed[0].0,
        last_streamed: r.streamed[1].0,
    }
}

/// The record that has these numbers.
fn record(n: &Row) -> Record {
    let arrival = n.arrival;
    let routed = known_changed(n.routed, arrival);
    let expected = |times, ttft, e2e| Expected::of(arrival, times, ttft, e2e);
    let queued = known_changed(n.queued, routed.unwrap_or(arrival));
    let first =
        known_changed(n.first_scheduled, expected([routed, queued, None, None], None, None).first_scheduled);
    let scheduled = known_changed(n.scheduled, expected([routed, queued, first, None], None, None).scheduled);
    let times = [routed, queued, first, scheduled];
    let ttft = known_changed(n.ttft, expected(times, None, None).ttft);
    let e2e = known_changed(n.e2e, expected(times, ttft, None).e2e);
    let expected = expected(times, ttft, e2e);
    let replica = ReplicaId((n.replica as u32).wrapping_sub(1));
    let location = match n.place {
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
    };
    let generated = changed(n.generated, n.output_tokens);
    let mut r = Record::at_rest(Micros(arrival), location);
    (r.client, r.tenant, r.class) = (n.client as u32, n.tenant as u32, n.class as u32);
    (r.session, r.listed) = (n.session as u32, n.listed as u32);
    (r.prompt_tokens, r.output_tokens) = (n.prompt_tokens as u32, n.output_tokens as u32);
    (r.routed, r.queued) = (at(routed), at(queued));
    (r.first_scheduled, r.scheduled) = (at(first), at(scheduled));
    (r.sched_step, r.cached_tokens, r.preemptions) =
        (n.sched_step as u32, n.cached_tokens as u32, n.preemptions as u32);
    (r.ttft, r.e2e) = (span(ttft), span(e2e));
    r.left = at(known_changed(n.left, expected.left));
    r.generated = generated as u32;
    r.progress = changed(n.progress, n.prompt_tokens.wrapping_add(generated)) as u32;
    r.finish_step = changed(n.finish_step, n.sched_step.wrapping_add(generated)) as u32;
    r.itl_sum = Span(changed(n.itl_sum, expected.itl_sum));
    r.drop = n.drop.checked_sub(1).map(|i| DropReason::ALL[i as usize]);
    r.refused = n.refused.checked_sub(1).map(|i| Reason::ALL[i as usize]);
    r.slot = Slot::of([n.slot_index as u32, n.slot_generation as u32]);
    r.admitted = at(known_changed(n.admitted, expected.queued));
    r.entered = at(known_changed(n.entered, arrival));
    r.first_output = Span(n.first_output);
    r.output_time = Span(changed(n.output_time, n.first_output.wrapping_mul(generated)));
    r.tokenised = at(known_changed(n.tokenised, expected.queued));
    r.streamed = [Span(n.first_streamed), Span(n.last_streamed)];
    r
}

impl PackedPiece {
    /// Of these records.
    pub(crate) fn new<'a>(records: impl Iterator<Item = &'a Record>) -> Self {
        Self(Columns::new(&records.map(|r| row(r).numbers()).collect::<Vec<_>>()))
    }

    /// A record by its place in the piece.
    pub(crate) fn get(&self, row: usize) -> Record {
        record(&Row::of(self.0.get(row)))
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
                r.slot = Slot::of([seed as u32, u32::MAX - seed as u32]);
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
