//! Tests of the log of steps.

use super::*;
use base::rng::{Purpose, Stream};
use base::shared_queue::Entry;
use base::{ReplicaId, RequestId, Span};

fn started(replica: u32, span: u64) -> ReplicaFact {
    let (replica, span) = (ReplicaId(replica), Span(span));
    ReplicaFact::StepStarted { replica, span, prefill: 0, decode: 1, running: 2, waiting: 3, kv_used: 4 }
}

fn chunk(request: u32, ends: bool) -> PromptChunk {
    PromptChunk { request: RequestId(request), from: 7 * request, tokens: 40, of: 300, ends }
}

#[test]
fn steps_are_numbered_by_replica_and_have_their_parts_of_prompts() {
    let mut log = StepLog::default();
    let terms = StepTerms { base: Span(10), prefill: Span(20), ..StepTerms::default() };
    log.terms(terms, 99);
    log.chunk(chunk(3, true));
    log.chunk(chunk(5, false));
    log.fact(Micros(100), started(1, 30));
    log.fact(Micros(110), ReplicaFact::StepEnded { replica: ReplicaId(1) });
    log.terms(StepTerms::default(), 0);
    log.fact(Micros(120), started(0, 5));
    log.terms(StepTerms::default(), 0);
    log.chunk(chunk(8, true));
    log.fact(Micros(130), started(1, 40));
    let step = log.step(1, 0).expect("it is kept");
    assert_eq!((step.at, step.context, step.finished, step.terms), (100, 99, 1, terms));
    assert!(log.chunks_of(step).eq(&[chunk(3, true), chunk(5, false)]));
    let step = log.step(1, 1).expect("it is kept");
    assert!(log.chunks_of(step).eq(&[chunk(8, true)]));
    assert_eq!((log.step(1, 2), log.step(7, 0), log.kept_from()), (None, None, 0));
    let seen = |from, to| log.between(from, to).map(|s| (s.replica, s.seq)).collect::<Vec<_>>();
    assert_eq!(seen(0, 1000), [(1, 0), (0, 0), (1, 1)]);
    // The first runs until 130, the second until 125.
    assert_eq!(seen(126, 130), [(1, 0)]);
    assert_eq!(seen(130, 131), [(1, 1)]);
    assert_eq!(seen(170, 171), []);
}

#[test]
fn the_oldest_steps_and_parts_of_prompts_go_first() {
    let mut log = StepLog::default();
    let extra = 3;
    for i in 0..(STEPS as u64 + extra) {
        log.terms(StepTerms::default(), 0);
        log.chunk(chunk(i as u32, false));
        if i % 2 == 0 {
            log.chunk(chunk(i as u32 + 1, false));
        }
        log.fact(Micros(10 * i), started((i % 4) as u32, 9));
    }
    assert_eq!(log.between(0, u64::MAX).count(), STEPS);
    // The step at 20 was the latest to go.
    assert_eq!((log.kept_from(), log.between(0, 31).map(|s| s.at).next()), (21, Some(30)));
    assert_eq!(log.step(3, 0).map(|s| s.at), Some(30), "the fourth step");
    assert_eq!(log.step(2, 0), None);
    let oldest = log.step(3, 0).expect("it is kept");
    assert_eq!((oldest.chunks, log.chunks_of(oldest).count()), (1, 0), "half as many steps have theirs");
    let latest = log.between(10 * (STEPS as u64 + 2), u64::MAX).next().expect("the latest");
    assert_eq!(
        log.chunks_of(latest).map(|c| c.request.0).collect::<Vec<_>>(),
        [STEPS as u32 + 2, STEPS as u32 + 3]
    );
}

/// Steps of three replicas, with numbers of all sizes.
fn any_steps(count: u64) -> Vec<KeptStep> {
    let mut draws = Stream::new(39, Purpose::Ties, 0);
    let (mut at, mut first_chunk, mut seqs) = (0, 0, [5_u64, 0, 900]);
    let mut steps = Vec::new();
    for i in 0..count {
        let replica = draws.below(3);
        let mut number = |most: u32| u64::from(draws.below(most));
        let far = if i % 50 == 49 { u64::MAX >> 3 } else { 0 };
        at += number(50_000);
        let seq = seqs[replica as usize];
        seqs[replica as usize] += 1;
        let term = |n: u64| Span(n);
        let terms = StepTerms {
            base: term(11_000 + number(5)),
            batch: term(number(900)),
            kv: term(number(9000)),
            prefill: term(number(2) * number(90_000)),
            transfers: term(far),
            adapters: term(0),
            others: term(number(2)),
        };
        let small = [4096, 64, 64, 3, 64, 9, 12_000, 4].map(|most| number(most) as u32);
        let [prefill, decode, _, finished, running, waiting, kv_used, chunks] = small;
        let (span, context) = (terms.sum().0, 5000 * u64::from(decode) + number(77));
        steps.push(KeptStep {
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
        });
        first_chunk += u64::from(chunks);
    }
    steps
}

#[test]
fn packed_steps_come_back_as_they_were_and_take_a_fraction() {
    for count in [0, 1, 256] {
        let steps = any_steps(count);
        let packed = KeptStep::pack(&steps);
        assert_eq!(KeptStep::unpack(&packed), steps);
        let chunks: Vec<KeptChunk> =
            (0..count as u32).map(|i| KeptChunk(chunk(i * i % 97, i % 3 == 0))).collect();
        assert_eq!(KeptChunk::unpack(&KeptChunk::pack(&chunks)), chunks);
        if count == 256 {
            assert!(4 * KeptStep::packed_bytes(&packed) < KeptStep::bytes(&steps));
        }
    }
}

#[test]
fn a_packed_log_goes_on_as_the_log_itself() {
    let mut log = StepLog::default();
    let go_on = |log: &mut StepLog, from: u64| {
        for i in from..from + 700 {
            log.terms(StepTerms { base: Span(9), ..StepTerms::default() }, i);
            log.chunk(chunk(i as u32, true));
            log.fact(Micros(10 * i), started((i % 3) as u32, 9));
        }
    };
    go_on(&mut log, 0);
    let mut copy = log.clone();
    copy.pack();
    copy.unpack();
    go_on(&mut log, 700);
    go_on(&mut copy, 700);
    let bytes = [&log, &copy].map(|log| postcard::to_stdvec(log).expect("plain data"));
    assert_eq!(bytes[0], bytes[1]);
    assert_eq!(copy.between(0, u64::MAX).count(), 1400);
}
