//! Packed steps: the form that a checkpoint keeps.
//!
//! A step is much like the step before it of the same replica: each number is written as its difference from the one there, in about
//! as many bits as such differences had lately.

use super::{KeptChunk, KeptStep};
use base::bits::{BitReader, BitWriter, Usual, signed, unsigned};
use base::shared_queue::Entry;
use base::{RequestId, Span};
use engine::{PromptChunk, StepTerms};
use std::rc::Rc;

/// Numbers of a step.
const NUMBERS: usize = 20;
/// The places of those that follow from the step before, of whatever replica.
const AT: usize = 1;
const FIRST_CHUNK: usize = 2;
/// The place of its number among the steps of its replica.
const SEQ: usize = 3;
/// The place of the number of its parts of prompts.
const CHUNKS: usize = 11;

type Numbers = [u64; NUMBERS];

fn numbers_of(s: &KeptStep) -> Numbers {
    let t = s.terms;
    let n = u64::from;
    [
        n(s.replica),
        s.at,
        s.first_chunk,
        s.seq,
        n(s.prefill),
        n(s.decode),
        s.context,
        n(s.finished),
        n(s.running),
        n(s.waiting),
        n(s.kv_used),
        n(s.chunks),
        s.span,
        t.base.0,
        t.batch.0,
        t.kv.0,
        t.prefill.0,
        t.transfers.0,
        t.adapters.0,
        t.others.0,
    ]
}

fn step_of(numbers: Numbers) -> KeptStep {
    let [
        replica,
        at,
        first_chunk,
        seq,
        prefill,
        decode,
        context,
        finished,
        running,
        waiting,
        kv_used,
        rest @ ..,
    ] = numbers;
    let [chunks, span, terms @ ..] = rest;
    let [base, batch, kv, prefill_time, transfers, adapters, others] = terms.map(Span);
    let terms = StepTerms { base, batch, kv, prefill: prefill_time, transfers, adapters, others };
    let [replica, prefill, decode, finished, running, waiting, kv_used, chunks] =
        [replica, prefill, decode, finished, running, waiting, kv_used, chunks].map(|n| n as u32);
    KeptStep {
        replica,
        seq,
        at,
        span,
        prefill,
        decode,
        context,
        finished,
        running,
        waiting,
        kv_used,
        chunks,
        first_chunk,
        terms,
    }
}

/// What is expected of the next step.
#[derive(Default)]
struct Expected {
    /// By replica, from its latest step.
    own: Vec<Numbers>,
    at: u64,
    first_chunk: u64,
    usual: [Usual; NUMBERS],
}

impl Expected {
    fn of(&mut self, replica: u64) -> Numbers {
        let i = replica as usize;
        if self.own.len() <= i {
            self.own.resize(i + 1, [0; NUMBERS]);
        }
        let mut numbers = self.own[i];
        (numbers[AT], numbers[FIRST_CHUNK]) = (self.at, self.first_chunk);
        numbers
    }

    fn follow(&mut self, mut numbers: Numbers) {
        (self.at, self.first_chunk) = (numbers[AT], numbers[FIRST_CHUNK] + numbers[CHUNKS]);
        numbers[SEQ] += 1;
        self.own[numbers[0] as usize] = numbers;
    }
}

impl Entry for KeptStep {
    type Packed = [u64];

    fn pack(piece: &[Self]) -> Rc<[u64]> {
        let (mut out, mut expected) = (BitWriter::default(), Expected::default());
        out.push_number(piece.len() as u32);
        for numbers in piece.iter().map(numbers_of) {
            out.push_usual(numbers[0], &mut expected.usual[0]);
            let known = expected.of(numbers[0]);
            for ((number, known), usual) in numbers.iter().zip(&known).zip(&mut expected.usual).skip(1) {
                out.push_usual(unsigned(number.wrapping_sub(*known)), usual);
            }
            expected.follow(numbers);
        }
        out.finish().into()
    }

    fn unpack(packed: &[u64]) -> Vec<Self> {
        let (mut from, mut expected) = (BitReader::new(packed), Expected::default());
        let count = from.take_number();
        let read = |_| {
            let replica = from.take_usual(&mut expected.usual[0]);
            let mut numbers = expected.of(replica);
            numbers[0] = replica;
            for (number, usual) in numbers.iter_mut().zip(&mut expected.usual).skip(1) {
                *number = number.wrapping_add(signed(from.take_usual(usual)));
            }
            expected.follow(numbers);
            step_of(numbers)
        };
        (0..count).map(read).collect()
    }

    fn bytes(piece: &[Self]) -> u64 {
        size_of_val(piece) as u64
    }

    fn packed_bytes(packed: &[u64]) -> u64 {
        size_of_val(packed) as u64
    }
}

impl Entry for KeptChunk {
    type Packed = [u64];

    fn pack(piece: &[Self]) -> Rc<[u64]> {
        let (mut out, mut usual, mut request) = (BitWriter::default(), [Usual::default(); 4], 0);
        out.push_number(piece.len() as u32);
        for Self(chunk) in piece {
            let next = u64::from(chunk.request.0);
            out.push(u64::from(chunk.ends), 1);
            out.push_usual(unsigned(next.wrapping_sub(request)), &mut usual[0]);
            for (value, usual) in [chunk.from, chunk.tokens, chunk.of].into_iter().zip(&mut usual[1..]) {
                out.push_usual(value.into(), usual);
            }
            request = next;
        }
        out.finish().into()
    }

    fn unpack(packed: &[u64]) -> Vec<Self> {
        let (mut input, mut usual, mut request) = (BitReader::new(packed), [Usual::default(); 4], 0_u64);
        let count = input.take_number();
        let read = |_| {
            let ends = input.take(1) == 1;
            request = request.wrapping_add(signed(input.take_usual(&mut usual[0])));
            let mut next = |i: usize| input.take_usual(&mut usual[i]) as u32;
            let [from, tokens, of] = [next(1), next(2), next(3)];
            Self(PromptChunk { request: RequestId(request as u32), from, tokens, of, ends })
        };
        (0..count).map(read).collect()
    }

    fn bytes(piece: &[Self]) -> u64 {
        size_of_val(piece) as u64
    }

    fn packed_bytes(packed: &[u64]) -> u64 {
        size_of_val(packed) as u64
    }
}
