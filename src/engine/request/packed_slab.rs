//! The requests in the system, packed: what a checkpoint keeps of them. Their block tables are written with the caches.

use super::active::{ActiveRequest, Load};
use super::named_row::named_row;
use super::remote::Remote;
use super::slot::Slot;
use crate::kv::BlockTable;
use crate::policy::scheduling::QueuePosition;
use base::bits::{BitReader, BitWriter};
use base::columns::{Columns, change, changed, known_change, known_changed};
use base::content::Piece;
use base::{Content, Maybe, Micros, RequestId, Span};

named_row! {
    /// The numbers of a request.
    Row {
        id, model, prompt_tokens, output_tokens, arrival, rank, prefill, progress, computed, granted, generated, block_tokens,
        last_hash, load, load_from, load_kept, write_limit, shareable, flags, decoding_from, urgency, excess, order, before_index,
        before_generation, after_index, after_generation, anchor_tick, due_tick, last_token, starved_tick, fixed_output,
        pieces, hashes, fixed_tokens, sat_out, priority, flight,
        adapter,
    }
}

/// Requests, in order of their slots.
#[derive(Debug)]
pub(crate) struct PackedSlab {
    numbers: Columns<{ Row::NUMBERS }>,
    /// Texts and chains of hashes.
    lists: Box<[u64]>,
    /// Places in wait queues that are sorted, by the position of the request.
    positions: Vec<(u32, QueuePosition)>,
    /// Those that are prefilled on another replica than their home, by the position of the request.
    remotes: Vec<(u32, Box<Remote>)>,
    requests: u32,
}

/// Bytes of a request that is prefilled on another replica than its home, beside its numbers.
const REMOTE_BYTES: usize = 16 + size_of::<Remote>();

/// The numbers of a request. An order wraps around to 0 where there is none.
fn row(a: &ActiveRequest) -> Row {
    let (load, from, kept) = match a.load {
        Load::None => (0, 0, 0),
        Load::UnderWay { from, kept } => (1, from, kept),
        Load::Done { from, kept } => (2, from, kept),
        Load::Fetching => (3, 0, 0),
    };
    let ([before_index, before_generation], [after_index, after_generation]) =
        (a.before.numbers().map(u64::from), a.after.numbers().map(u64::from));
    let [chained, decoding, behind, urged] = [a.chained, a.decoding, a.behind, a.urged].map(u64::from);
    Row {
        id: a.id.0.into(),
        model: a.model.into(),
        prompt_tokens: a.prompt_tokens.into(),
        output_tokens: a.output_tokens.into(),
        arrival: a.arrival.0,
        rank: a.rank.into(),
        prefill: a.prefill.into(),
        progress: change(a.progress.into(), a.prompt_tokens.into()),
        computed: a.computed.into(),
        granted: a.granted.into(),
        generated: a.generated.into(),
        block_tokens: change(a.block_table.tokens().into(), a.progress.into()),
        last_hash: a.block_table.last_hash(),
        load,
        load_from: from.into(),
        load_kept: kept.into(),
        write_limit: a.block_table.limit.wrapping_add(1).into(),
        shareable: a.shareable.into(),
        flags: chained | decoding << 1 | behind << 2 | urged << 3,
        decoding_from: known_change(a.decoding_from.get().map(|at| at.0), a.arrival.0),
        urgency: change(a.urgency as u64, 0),
        excess: a.excess.into(),
        order: a.order.wrapping_add(1),
        before_index,
        before_generation,
        after_index,
        after_generation,
        anchor_tick: a.anchor_tick,
        due_tick: change(a.due_tick, a.anchor_tick),
        last_token: change(a.last_token.0, a.arrival.0),
        starved_tick: a.starved_tick,
        fixed_output: a.fixed_output.0,
        pieces: a.text.pieces().len() as u64,
        hashes: a.chain.len() as u64,
        fixed_tokens: a.fixed_tokens.into(),
        sat_out: a.sat_out.0,
        priority: change(i64::from(a.priority).cast_unsigned(), 0),
        flight: a.flight.into(),
        adapter: a.adapter.into(),
    }
}

/// The request that has these numbers and lists; it has no blocks yet.
fn request(n: &Row, position: Option<QueuePosition>, from: &mut BitReader) -> ActiveRequest {
    let load = match n.load {
        0 => Load::None,
        1 => Load::UnderWay { from: n.load_from as u32, kept: n.load_kept as u32 },
        2 => Load::Done { from: n.load_from as u32, kept: n.load_kept as u32 },
        _ => Load::Fetching,
    };
    let flag = |bit: u32| n.flags >> bit & 1 == 1;
    let progress = changed(n.progress, n.prompt_tokens);
    let mut text = Content::EMPTY;
    for _ in 0..n.pieces {
        let [source, start] = [(); 2].map(|()| from.take_change(0));
        text.push(Piece { source, start, len: from.take_number() });
    }
    ActiveRequest {
        id: RequestId(n.id as u32),
        text,
        model: n.model as u32,
        prompt_tokens: n.prompt_tokens as u32,
        output_tokens: n.output_tokens as u32,
        arrival: Micros(n.arrival),
        rank: n.rank as u32,
        prefill: n.prefill as u32,
        progress: progress as u32,
        computed: n.computed as u32,
        granted: n.granted as u32,
        generated: n.generated as u32,
        block_table: {
            let table = BlockTable::without_blocks(changed(n.block_tokens, progress) as u32, n.last_hash);
            table.written_to((n.write_limit as u32).wrapping_sub(1))
        },
        load,
        remote: None,
        shareable: n.shareable as u32,
        chain: (0..n.hashes).map(|_| from.take(u64::BITS)).collect(),
        chained: flag(0),
        decoding: flag(1),
        decoding_from: known_changed(n.decoding_from, n.arrival).map_or(Maybe::NONE, |us| Micros(us).into()),
        urgency: changed(n.urgency, 0) as i64,
        position,
        excess: n.excess as u32,
        order: n.order.wrapping_sub(1),
        before: Slot::of(n.before_index as u32, n.before_generation as u32),
        after: Slot::of(n.after_index as u32, n.after_generation as u32),
        anchor_tick: n.anchor_tick,
        due_tick: changed(n.due_tick, n.anchor_tick),
        last_token: Micros(changed(n.last_token, n.arrival)),
        behind: flag(2),
        urged: flag(3),
        starved_tick: n.starved_tick,
        fixed_output: Span(n.fixed_output),
        fixed_tokens: n.fixed_tokens as u32,
        sat_out: Span(n.sat_out),
        priority: changed(n.priority, 0) as i32,
        flight: n.flight as u32,
        adapter: n.adapter as u32,
    }
}

impl PackedSlab {
    pub(crate) fn new(requests: &[ActiveRequest]) -> Self {
        let mut lists = BitWriter::default();
        for a in requests {
            for piece in a.text.pieces() {
                lists.push_change(piece.source, 0);
                lists.push_change(piece.start, 0);
                lists.push_number(piece.len);
            }
            for &hash in &a.chain {
                lists.push(hash, u64::BITS);
            }
        }
        let placed = |(i, a): (usize, &ActiveRequest)| a.position.map(|position| (i as u32, position));
        let remote = |(i, a): (usize, &ActiveRequest)| {
            a.remote.as_ref().map(|remote| (i as u32, Box::new(remote.without_blocks())))
        };
        Self {
            numbers: Columns::new(&requests.iter().map(|a| row(a).numbers()).collect::<Vec<_>>()),
            lists: lists.finish(),
            positions: requests.iter().enumerate().filter_map(placed).collect(),
            remotes: requests.iter().enumerate().filter_map(remote).collect(),
            requests: requests.len() as u32,
        }
    }

    /// The requests again, but for the blocks they hold.
    pub(crate) fn requests(&self) -> Vec<ActiveRequest> {
        let mut from = BitReader::new(&self.lists);
        let mut positions = self.positions.iter().peekable();
        let mut remotes = self.remotes.iter().peekable();
        let again = |i: u32| {
            let position = positions.next_if(|(of, _)| *of == i).map(|(_, position)| *position);
            let remote = remotes.next_if(|(of, _)| *of == i).map(|(_, remote)| remote.clone());
            ActiveRequest { remote, ..request(&Row::of(self.numbers.get(i as usize)), position, &mut from) }
        };
        (0..self.requests).map(again).collect()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.numbers.bytes()
            + 8 * self.lists.len()
            + size_of_val(self.positions.as_slice())
            + REMOTE_BYTES * self.remotes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::rng::{Purpose, Stream};

    #[test]
    fn requests_come_back_as_they_were() {
        let mut draws = Stream::new(3, Purpose::Ties, 0);
        let mut number = || match draws.below(5) {
            0 => 0,
            1 => u32::MAX,
            _ => draws.below(1 << 16),
        };
        let requests: Vec<ActiveRequest> = (0..400)
            .map(|i| {
                let mut n = Row::of([(); Row::NUMBERS].map(|()| u64::from(number())));
                let mut lists = BitWriter::default();
                (n.pieces, n.hashes) = (i % 4, i % 3);
                for piece in 0..n.pieces {
                    lists.push_change(u64::MAX - piece, 0);
                    lists.push_change(i << 40, 0);
                    lists.push_number(1 + number() / 8);
                }
                for hash in 0..n.hashes {
                    lists.push(u64::MAX - hash, u64::BITS);
                }
                request(&n, None, &mut BitReader::new(&lists.finish()))
            })
            .collect();
        let state = |all: &[ActiveRequest]| postcard::to_stdvec(all).expect("plain data");
        let packed = PackedSlab::new(&requests);
        assert!(state(&packed.requests()) == state(&requests));
        assert!(PackedSlab::new(&[]).requests().is_empty());
    }
}
