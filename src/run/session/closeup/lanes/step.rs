//! One step in full, and why it took as long as it did.

use super::{StepChunk, StepDetail, StepQuery, StepTerms};
use crate::observe::step_log::KeptStep;
use crate::session::Session;
use base::number_text::{count, duration};

impl Session {
    /// One step in full; `None` if it is not kept.
    pub fn step_detail(&self, query: &StepQuery) -> Option<StepDetail> {
        let step = self.recorder.steps.step(query.replica, query.seq)?;
        let replica = self.engine.replicas().get(step.replica as usize)?;
        let chunks: Vec<StepChunk> = self
            .recorder
            .steps
            .chunks_of(step)
            .map(|chunk| StepChunk {
                request: chunk.request.0,
                from: chunk.from,
                to: chunk.from + chunk.tokens,
                tokens: chunk.tokens,
                of: chunk.of,
            })
            .collect();
        let together = replica.is_rank() || step.terms.others.0 > 0;
        let without =
            (step.prefill > 0 && step.decode > 0 && !together).then(|| step.span - step.terms.prefill.0);
        let kv_total = replica.kv().total();
        Some(StepDetail {
            replica: step.replica,
            seq: step.seq,
            at_us: step.at,
            span_us: step.span,
            terms: StepTerms::from(step.terms),
            shares: StepTerms::from(step.terms).shares(step.span),
            decode: step.decode,
            context_tokens: step.context,
            prompt_tokens: step.prefill,
            token_budget: self.engine.batch_limits(replica.pool())[1],
            running: step.running,
            waiting: step.waiting,
            kv_used: step.kv_used,
            kv_total,
            kv_share: (kv_total > 0).then(|| f64::from(step.kv_used) / f64::from(kv_total)),
            without_prefill_us: without,
            sentence: sentence(step, &chunks, without, step.end() <= self.playhead.0),
            chunks,
        })
    }
}

/// `the chunks of #4 and #7`.
fn named(chunks: &[StepChunk]) -> String {
    let name = |chunk: &StepChunk| format!("#{}", chunk.request);
    match chunks {
        [] => "its prompt tokens".to_owned(),
        [one] => format!("the chunk of {}", name(one)),
        [one, two] => format!("the chunks of {} and {}", name(one), name(two)),
        [one, two, three] => format!("the chunks of {}, {} and {}", name(one), name(two), name(three)),
        [one, two, rest @ ..] => {
            format!("the chunks of {}, {} and {} more", name(one), name(two), rest.len())
        }
    }
}

/// `1 answer`, `43 answers`.
fn answers(n: u32) -> String {
    if n == 1 { "1\u{a0}answer".to_owned() } else { format!("{}\u{a0}answers", count(n.into())) }
}

/// How long it took, why, and what that cost the others.
fn sentence(step: &KeptStep, chunks: &[StepChunk], without: Option<u64>, ended: bool) -> String {
    let took = if ended { "took" } else { "takes" };
    let span = duration(step.span);
    let text = match (without, step.decode) {
        (Some(without), decode) => {
            let would = if ended { "would have taken" } else { "would take" };
            let get = match (ended, decode) {
                (true, _) => "got",
                (false, 1) => "gets",
                (false, _) => "get",
            };
            format!(
                "It {took} {span}. Without {} it {would} {}: {} {get} {} token {} later.",
                named(chunks),
                duration(without),
                answers(decode),
                if decode == 1 { "its" } else { "their" },
                duration(step.span - without),
            )
        }
        (None, 0) => {
            let decoded = if ended { "decoded" } else { "decodes" };
            format!("It {took} {span} for {}. No request {decoded} in it.", named(chunks))
        }
        (None, decode) => {
            let beside = if step.prefill > 0 { format!(" beside {}", named(chunks)) } else { String::new() };
            let each = if decode == 1 { "a token" } else { "a token each" };
            format!("It {took} {span}, {} for {}{beside}.", each, answers(decode))
        }
    };
    let t = &step.terms;
    let waits = [
        (t.transfers.0, "for blocks from the CPU tier"),
        (t.adapters.0, "for adapters"),
        (t.others.0, "for other ranks or stages"),
    ];
    let longest = waits.into_iter().max_by_key(|(us, _)| *us).filter(|(us, _)| *us > 0);
    longest.map_or_else(|| text.clone(), |(us, what)| format!("{text} {} of it went {what}.", duration(us)))
}
