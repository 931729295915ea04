//! Explanations of slow requests: where their time went compared with fast ones, with one or two sentences.
//!
//! Every number of a sentence is a field of the explanation and names it, so sentences cannot differ from the
//! measurements.

use super::account::{Account, AccountedTime, Cause};
use super::explanation::{CauseEvidence, CausePart, ClientShare, Explanation, RequestGroup};
use super::sentences::sentences;
use super::steps::{STEPS, StepLog};
use super::tiers::TierFindings;
use base::number_text::count;
use base::{Diagnostic, Diagnostics, Micros, RequestId, small::sort::sort_pairs};
use document::Scenario;
use engine::{Record, RequestState};
use run::observe::SegmentKind;
use run::session::{Session, Trace};
use serde::Deserialize;
use std::sync::Arc;

/// Requests named for each cause.
const NAMED: usize = 5;
/// Clients named for each cause.
const CLIENTS: usize = 3;

/// Which requests belong to a span of time.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpanBy {
    /// Those that arrived in it.
    #[default]
    Arrival,
    /// Those whose time ended in it: with the first token or the last, as the charts of TTFT and E2E show them.
    End,
}

/// Which requests to explain.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExplainQuery {
    /// The time to explain.
    pub time: AccountedTime,
    /// Only requests above this percentile; by default the slowest 1 %, or all of the span of time.
    #[cfg_attr(feature = "types", ts(optional))]
    pub above: Option<f64>,
    /// Start of the span of time, in microseconds.
    #[cfg_attr(feature = "types", ts(optional))]
    pub from_us: Option<u64>,
    /// End of the span of time.
    #[cfg_attr(feature = "types", ts(optional))]
    pub to_us: Option<u64>,
    /// Which requests belong to the span.
    pub by: SpanBy,
    /// The instant up to which the run goes; by default its end.
    #[cfg_attr(feature = "types", ts(optional))]
    pub until_us: Option<u64>,
}

/// A run with the log of its steps.
#[derive(Debug)]
pub struct Explaining {
    session: Session,
    log: StepLog,
}

/// A finished request of the measurement window, and its account.
struct Accounted {
    id: RequestId,
    arrival_us: u64,
    us: u64,
    account: Account,
}

impl Explaining {
    /// Explains the run of a scenario.
    pub fn new(scenario: Scenario, trace: Option<Arc<Trace>>) -> Result<(Self, Diagnostics), Diagnostics> {
        let (session, warnings) = Session::start_for_rows(scenario, trace)?;
        Ok((Self { session, log: StepLog::default() }, warnings))
    }

    /// Runs up to an instant, or to the end.
    pub fn run_to(&mut self, until: Micros) -> Result<&Session, Diagnostic> {
        self.session.advance_telling(until, u64::MAX, &mut self.log);
        if self.log.is_full() {
            let fix = "run it shorter, or with fewer replicas";
            let (found, most) = ("more steps".to_owned(), format!("at most {}", count(STEPS as u64)));
            return Err(Diagnostic::error("run.horizon_s", found, most, fix));
        }
        Ok(&self.session)
    }

    /// The account of one request that has finished.
    pub fn account(&self, request: u32, time: AccountedTime) -> Option<Account> {
        let known = (request as usize) < self.session.engine().records().len();
        known.then(|| Account::of(self.session.engine(), &self.log, RequestId(request), time))?
    }

    /// Why the requests asked for took longer than the others.
    pub fn explain(&mut self, asked: &ExplainQuery) -> Result<Explanation, Diagnostic> {
        self.run_to(asked.until_us.map_or(Micros::MAX, Micros))?;
        let above = asked.above.unwrap_or(if asked.in_span() { 0.0 } else { 99.0 });
        if !(0.0..100.0).contains(&above) {
            let fix = "99 takes the slowest hundredth";
            return Err(Diagnostic::error(
                "above",
                above.to_string(),
                "a percentile from 0 to below 100",
                fix,
            ));
        }
        let all = self.accounted(asked.time);
        let (slow, fast) = groups(&all, asked, above);
        if slow.is_empty() {
            let found = format!("0 of {} finished requests{}", all.len(), asked.after_a_noun());
            let fix = "take another span, or run longer";
            return Err(Diagnostic::error("", found, "a span of time with finished requests", fix));
        }
        if fast.is_empty() {
            let found = format!("all {} finished requests, and no others", all.len());
            let fix = "take a shorter span, or a percentile above 0";
            return Err(Diagnostic::error("", found, "others to compare them with", fix));
        }
        Ok(self.explanation(asked, above, [&slow, &fast]))
    }

    /// Finished requests of the measurement window in the order of their times.
    fn accounted(&self, time: AccountedTime) -> Vec<Accounted> {
        let engine = self.session.engine();
        let counted = |id: RequestId, r: &Record| self.session.counts(id, r.arrival);
        let mut all: Vec<Accounted> = Vec::new();
        for (id, r) in (0..).map(RequestId).zip(engine.records()) {
            if counted(id, &r)
                && let Some(account) = Account::of(engine, &self.log, id, time)
            {
                all.push(Accounted { id, arrival_us: r.arrival.0, us: account.us.iter().sum(), account });
            }
        }
        let mut order: Vec<(u64, u64)> = all.iter().map(|a| a.us).zip(0..).collect();
        sort_pairs(&mut order);
        let mut places: Vec<Option<Accounted>> = all.into_iter().map(Some).collect();
        order.into_iter().filter_map(|(_, i)| places[i as usize].take()).collect()
    }

    fn explanation(&self, asked: &ExplainQuery, above: f64, [slow, fast]: [&[&Accounted]; 2]) -> Explanation {
        let groups = [slow, fast].map(|group| self.group(group));
        let diff_ms = groups[0].mean_ms - groups[1].mean_ms;
        let (roles, faulty) = (self.session.engine().network().is_some(), self.session.engine().is_faulty());
        let of_run = |cause: &Cause| match cause {
            Cause::Retry => faulty,
            _ => roles || !cause.is_of_handover(),
        };
        let causes = Cause::ALL.into_iter().filter(of_run);
        let causes = causes.map(|cause| self.cause(cause, [slow, fast], diff_ms)).collect();
        let span = asked.after_a_noun();
        let slow_words = match (above > 0.0, span.is_empty()) {
            (true, true) => format!("the slowest {} %", plain(100.0 - above)),
            (true, false) => format!("the slowest {} % of those{span}", plain(100.0 - above)),
            (false, _) => format!("the requests{span}"),
        };
        let fast_words = if above > 0.0 { "the faster half" } else { "the others" };
        let mut made = Explanation {
            time: asked.time,
            slow_words,
            fast_words: fast_words.to_owned(),
            threshold_ms: slow.first().map_or(0.0, |a| a.us as f64 / 1000.0),
            slow: groups[0],
            fast: groups[1],
            diff_ms,
            lost: self.lost(asked),
            causes,
            tiers: self.tiers().filter(|found| !found.troubles.is_empty()),
            sentences: Vec::new(),
        };
        made.sentences = sentences(&made);
        made
    }

    /// What the tiers below the GPU found.
    fn tiers(&self) -> Option<TierFindings> {
        let (kv, tiers) = self.session.kv_parts();
        let replicas = self.session.engine().replicas();
        let gpu_blocks = replicas.iter().map(|r| u64::from(r.kv().total())).sum();
        let preemptions = replicas.iter().map(|r| r.totals().preemptions).sum();
        TierFindings::of((&kv, &tiers), gpu_blocks, preemptions)
    }

    /// Requests of the measurement window and of the span asked for that were lost.
    fn lost(&self, asked: &ExplainQuery) -> u64 {
        let engine = self.session.engine();
        let records = (0..).map(RequestId).zip(engine.records());
        let lost = records.filter(|(_, r)| r.state() == RequestState::Lost);
        let of_span = lost.filter(|(id, r)| {
            let end = r.left.get().unwrap_or(r.arrival);
            let at = if asked.by == SpanBy::Arrival { r.arrival.0 } else { end.0 };
            self.session.counts(*id, r.arrival) && asked.holds(at)
        });
        of_span.count() as u64
    }

    fn group(&self, group: &[&Accounted]) -> RequestGroup {
        let engine = self.session.engine();
        let n = group.len() as f64;
        let [mut prompt, mut output, mut cached, mut preempted, mut stale, mut retried] = [0_u64; 6];
        for a in group {
            let r = engine.records().at(a.id.index());
            prompt += u64::from(r.prompt_tokens);
            output += u64::from(r.output_tokens);
            cached += u64::from(r.cached_tokens.min(r.prompt_tokens));
            preempted += u64::from(r.preemptions > 0);
            retried += u64::from(engine.attempts(a.id).next().is_some());
            stale += u64::from(self.log.of(a.id).load.is_some_and(|[seen, truth]| truth > seen));
        }
        RequestGroup {
            requests: group.len() as u64,
            mean_ms: group.iter().map(|a| a.us).sum::<u64>() as f64 / n / 1000.0,
            prompt_tokens: prompt as f64 / n,
            output_tokens: output as f64 / n,
            cached_share: cached as f64 / prompt.max(1) as f64,
            preempted_share: preempted as f64 / n,
            stale_share: stale as f64 / n,
            retried_share: retried as f64 / n,
        }
    }

    fn cause(&self, cause: Cause, [slow, fast]: [&[&Accounted]; 2], whole_ms: f64) -> CausePart {
        let mean = |group: &[&Accounted]| {
            let sum: u64 = group.iter().map(|a| a.account.us[cause as usize]).sum();
            sum as f64 / group.len() as f64 / 1000.0
        };
        let (slow_ms, fast_ms) = (mean(slow), mean(fast));
        let diff_ms = slow_ms - fast_ms;
        CausePart {
            cause,
            name: cause.name().to_owned(),
            slow_ms,
            fast_ms,
            diff_ms,
            diff_share: if whole_ms > 0.0 { diff_ms / whole_ms } else { 0.0 },
            evidence: Self::evidence(cause, slow),
            clients: if cause.is_prompts_of_others() { self.clients(cause, slow) } else { Vec::new() },
        }
    }

    /// The slow requests that had most of a cause.
    fn evidence(cause: Cause, slow: &[&Accounted]) -> Vec<CauseEvidence> {
        // Sorted by the distance to the largest number, so that the largest come first, and among equals the first.
        let mut order: Vec<(u64, u64)> =
            slow.iter().map(|a| u64::MAX - a.account.us[cause as usize]).zip(0..).collect();
        sort_pairs(&mut order);
        let named = order.into_iter().take(NAMED).filter_map(|(_, i)| {
            let a = slow[i as usize];
            let us = a.account.us[cause as usize];
            let stretch = a.account.stretches.iter().find(|s| is_of(cause, s.kind))?;
            let (replica, ms) = (stretch.replica.0, us as f64 / 1000.0);
            (us > 0).then_some(CauseEvidence { request: a.id.0, replica, at_us: stretch.from, ms })
        });
        named.collect()
    }

    /// The clients whose prompts were computed meanwhile.
    fn clients(&self, cause: Cause, slow: &[&Accounted]) -> Vec<ClientShare> {
        let engine = self.session.engine();
        let names = engine.source().clients();
        let mut us = vec![0_u64; names.len()];
        for a in slow {
            let r = engine.records().at(a.id.index());
            for s in a.account.stretches.iter().filter(|s| is_of(cause, s.kind)) {
                self.log.prompt_work(s.replica, s.from, s.to, &mut us);
            }
            if cause == Cause::PromptOthers
                && let Some(own) = us.get_mut(r.client as usize)
            {
                *own = own.saturating_sub(self.log.of(a.id).own_prompt_us);
            }
        }
        let all: u64 = us.iter().sum();
        let mut order: Vec<(u64, u64)> = us.iter().map(|us| u64::MAX - us).zip(0..).collect();
        sort_pairs(&mut order);
        let share = |(left, i): (u64, u64)| {
            let us = u64::MAX - left;
            (us > 0).then(|| ClientShare { client: names[i as usize].clone(), share: us as f64 / all as f64 })
        };
        order.into_iter().take(CLIENTS).filter_map(share).collect()
    }
}

impl ExplainQuery {
    fn in_span(&self) -> bool {
        self.from_us.is_some() || self.to_us.is_some()
    }

    /// Whether a request belongs to the span.
    fn has(&self, a: &Accounted) -> bool {
        let at = match self.by {
            SpanBy::Arrival => a.arrival_us,
            SpanBy::End => a.arrival_us + a.us,
        };
        self.holds(at)
    }

    /// Whether an instant belongs to the span.
    fn holds(&self, at: u64) -> bool {
        self.from_us.is_none_or(|from| at >= from) && self.to_us.is_none_or(|to| at < to)
    }

    /// The span in words after "requests"; empty without a span.
    fn after_a_noun(&self) -> String {
        let did = match (self.by, self.time) {
            (SpanBy::Arrival, _) => "arrived",
            (SpanBy::End, AccountedTime::Ttft) => "got their first token",
            (SpanBy::End, AccountedTime::E2e) => "finished",
        };
        let s = |us: u64| plain(us as f64 / 1e6);
        match (self.from_us, self.to_us) {
            (Some(from), Some(to)) => format!(" that {did} from {} to {} s", s(from), s(to)),
            (Some(from), None) => format!(" that {did} from {} s on", s(from)),
            (None, Some(to)) => format!(" that {did} before {} s", s(to)),
            (None, None) => String::new(),
        }
    }
}

/// Whether a stretch of that kind can have time of a cause.
fn is_of(cause: Cause, kind: SegmentKind) -> bool {
    match cause {
        Cause::Admission => kind == SegmentKind::Admission,
        Cause::Gateway => kind == SegmentKind::Gateway,
        Cause::Way => matches!(kind, SegmentKind::Router | SegmentKind::Delay),
        Cause::FrontEnd => kind == SegmentKind::FrontEnd,
        Cause::Streaming => kind == SegmentKind::Streaming,
        Cause::QueuePrompts | Cause::QueueDecoding | Cause::QueueIdle => kind == SegmentKind::Queue,
        Cause::Load => matches!(
            kind,
            SegmentKind::KvLoad
                | SegmentKind::AdapterLoad
                | SegmentKind::Prefill
                | SegmentKind::FirstToken
                | SegmentKind::Decode
        ),
        Cause::Prompt | Cause::PromptOthers => kind == SegmentKind::Prefill,
        Cause::Room => kind == SegmentKind::Room,
        Cause::Transfer => matches!(kind, SegmentKind::FirstByte | SegmentKind::Transfer),
        Cause::Join => kind == SegmentKind::Join,
        Cause::Decoding | Cause::Interference => {
            matches!(kind, SegmentKind::FirstToken | SegmentKind::Decode)
        }
        Cause::Preempted => kind == SegmentKind::Preempted,
        Cause::Recompute => kind == SegmentKind::Recompute,
        Cause::Output => kind == SegmentKind::Output,
        Cause::Retry => matches!(kind, SegmentKind::Broken | SegmentKind::BackOff),
    }
}

/// The requests asked for, and those they are compared with, both in the order of their times.
fn groups<'a>(
    all: &'a [Accounted],
    asked: &ExplainQuery,
    above: f64,
) -> (Vec<&'a Accounted>, Vec<&'a Accounted>) {
    let within: Vec<&Accounted> = all.iter().filter(|a| asked.has(a)).collect();
    let below =
        (libm::floor(within.len() as f64 * above / 100.0) as usize).min(within.len().saturating_sub(1));
    let slow = within[below.min(within.len())..].to_vec();
    let fast = if above > 0.0 {
        let most = (all.len() / 2).min(all.len() - slow.len());
        let is_slow = |a: &Accounted| slow.iter().any(|s| std::ptr::eq(*s, a));
        let half = all[..most].iter();
        if asked.in_span() { half.filter(|a| !asked.has(a) || !is_slow(a)).collect() } else { half.collect() }
    } else {
        all.iter().filter(|a| !asked.has(a)).collect()
    };
    (slow, fast)
}

/// A number without trailing decimals.
fn plain(x: f64) -> String {
    let text = format!("{x:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
