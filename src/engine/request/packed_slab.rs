//! The requests in the system, packed: what a checkpoint keeps of them. Their block tables are written with the caches.

use super::active::{ActiveRequest, Load};
use super::slab::Slot;
use crate::base::bits::{BitReader, BitWriter};
use crate::base::columns::{Columns, change, changed, known_change, known_changed};
use crate::base::content::Piece;
use crate::base::{Content, Maybe, Micros, RequestId, Span};
use crate::kv::BlockTable;
use crate::policy::scheduling::QueuePosition;

/// Numbers of a request.
const NUMBERS: usize = 35;

/// Requests, in order of their slots.
#[derive(Debug)]
pub(in crate::engine) struct PackedSlab {
    numbers: Columns<NUMBERS>,
    /// Texts and chains of hashes.
    lists: Box<[u64]>,
    /// Places in wait queues that are sorted, by the position of the request.
    positions: Vec<(u32, QueuePosition)>,
    requests: u32,
}

/// The numbers of a request. An order wraps around to 0 where there is none.
fn numbers(a: &ActiveRequest) -> [u64; NUMBERS] {
    let (load, from, kept) = match a.load {
        Load::None => (0, 0, 0),
        Load::UnderWay { from, kept } => (1, from, kept),
        Load::Done { kept } => (2, 0, kept),
    };
    let [before, after] = [a.before, a.after].map(Slot::numbers);
    let flags = [a.chained, a.decoding, a.behind].map(u64::from);
    let (tokens, last_hash) = (a.block_table.tokens(), a.block_table.last_hash());
    [
        a.id.0.into(),
        a.model.into(),
        a.prompt_tokens.into(),
        a.output_tokens.into(),
        a.arrival.0,
        a.rank.into(),
        a.prefill.into(),
        change(a.progress.into(), a.prompt_tokens.into()),
        a.computed.into(),
        a.granted.into(),
        a.generated.into(),
        change(tokens.into(), a.progress.into()),
        last_hash,
        load,
        from.into(),
        kept.into(),
        a.shareable.into(),
        flags[0] | flags[1] << 1 | flags[2] << 2,
        known_change(a.decoding_from.get().map(|at| at.0), a.arrival.0),
        change(a.urgency as u64, 0),
        a.excess.into(),
        a.order.wrapping_add(1),
        before[0].into(),
        before[1].into(),
        after[0].into(),
        after[1].into(),
        a.anchor_tick,
        change(a.due_tick, a.anchor_tick),
        change(a.last_token.0, a.arrival.0),
        a.starved_tick,
        a.fixed_output.0,
        a.text.pieces().len() as u64,
        a.chain.len() as u64,
        a.fixed_tokens.into(),
        a.sat_out.0,
    ]
}

/// The request that has these numbers and lists; it has no blocks yet.
fn request(n: &[u64; NUMBERS], position: Option<QueuePosition>, from: &mut BitReader) -> ActiveRequest {
    let load = match n[13] {
        0 => Load::None,
        1 => Load::UnderWay { from: n[14] as u32, kept: n[15] as u32 },
        _ => Load::Done { kept: n[15] as u32 },
    };
    let flag = |bit: u32| n[17] >> bit & 1 == 1;
    let progress = changed(n[7], n[2]);
    let mut text = Content::EMPTY;
    for _ in 0..n[31] {
        let [source, start] = [(); 2].map(|()| from.take_change(0));
        text.push(Piece { source, start, len: from.take_number() });
    }
    ActiveRequest {
        id: RequestId(n[0] as u32),
        text,
        model: n[1] as u32,
        prompt_tokens: n[2] as u32,
        output_tokens: n[3] as u32,
        arrival: Micros(n[4]),
        rank: n[5] as u32,
        prefill: n[6] as u32,
        progress: progress as u32,
        computed: n[8] as u32,
        granted: n[9] as u32,
        generated: n[10] as u32,
        block_table: BlockTable::without_blocks(changed(n[11], progress) as u32, n[12]),
        load,
        shareable: n[16] as u32,
        chain: (0..n[32]).map(|_| from.take(u64::BITS)).collect(),
        chained: flag(0),
        decoding: flag(1),
        decoding_from: known_changed(n[18], n[4]).map_or(Maybe::NONE, |us| Micros(us).into()),
        urgency: changed(n[19], 0) as i64,
        position,
        excess: n[20] as u32,
        order: n[21].wrapping_sub(1),
        before: Slot::of([n[22] as u32, n[23] as u32]),
        after: Slot::of([n[24] as u32, n[25] as u32]),
        anchor_tick: n[26],
        due_tick: changed(n[27], n[26]),
        last_token: Micros(changed(n[28], n[4])),
        behind: flag(2),
        starved_tick: n[29],
        fixed_output: Span(n[30]),
        fixed_tokens: n[33] as u32,
        sat_out: Span(n[34]),
    }
}

impl PackedSlab {
    pub(in crate::engine) fn new(requests: &[ActiveRequest]) -> Self {
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
        Self {
            numbers: Columns::new(&requests.iter().map(numbers).collect::<Vec<_>>()),
            lists: lists.finish(),
            positions: requests.iter().enumerate().filter_map(placed).collect(),
            requests: requests.len() as u32,
        }
    }

    /// The requests again, but for the blocks they hold.
    pub(in crate::engine) fn requests(&self) -> Vec<ActiveRequest> {
        let mut from = BitReader::new(&self.lists);
        let mut positions = self.positions.iter().peekable();
        let again = |i: u32| {
            let position = positions.next_if(|(of, _)| *of == i).map(|(_, position)| *position);
            request(&self.numbers.get(i as usize), position, &mut from)
        };
        (0..self.requests).map(again).collect()
    }

    pub(in crate::engine) fn bytes(&self) -> usize {
        self.numbers.bytes() + 8 * self.lists.len() + size_of_val(self.positions.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::{Purpose, Stream};

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
                let mut n = [0; NUMBERS];
                n.fill_with(|| u64::from(number()));
                let mut lists = BitWriter::default();
                (n[31], n[32]) = (i % 4, i % 3);
                for piece in 0..n[31] {
                    lists.push_change(u64::MAX - piece, 0);
                    lists.push_change(i << 40, 0);
                    lists.push_number(1 + number() / 8);
                }
                for hash in 0..n[32] {
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
