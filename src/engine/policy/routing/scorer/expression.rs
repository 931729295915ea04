//! A scorer written as an expression: each operation is carried out for all candidates before the next one.
//!
//! Values lie in columns, one number for each candidate; conditions are 1 and 0. Arithmetic is that of IEEE 754, so a
//! division by 0 gives an infinite intermediate value. A candidate whose result is not finite scores 0, and is
//! counted.

use super::signal::idle_us;
use super::{Facts, Out};
use crate::policy::routing::Fleet;
use crate::policy::{PoolView, ReplicaView, RequestView, Signals};
use base::math;
use document::Expression;
use document::expression::{Aggregate, Binary, Formula, Function, Name, Op, SummandEnd};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// An expression, ready to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ExpressionScorer {
    formula: Formula,
    #[serde(skip)]
    room: Room,
}

/// The compiled formula, made when it first runs, and its buffers.
#[derive(Clone, Debug, Default)]
struct Room {
    summands: Vec<(SummandEnd, Rc<str>)>,
    columns: Vec<f64>,
    is_ready: bool,
}

/// It is not part of the state.
impl PartialEq for Room {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The signals that [`Signals`] holds.
const SIGNALS: [Name; 9] = [
    Name::TokensInFlight,
    Name::WaitingTokens,
    Name::HitRate,
    Name::IdleS,
    Name::WaitS,
    Name::TokensPerS,
    Name::Served,
    Name::RecentTtftMs,
    Name::RecentTpotMs,
];

impl ExpressionScorer {
    pub(super) fn new(expression: &Expression) -> Self {
        let formula = expression.formula().expect("INV-6: an expression was checked with its scenario");
        Self { formula, room: Room::default() }
    }

    /// Whether it reads one of these signals.
    pub(super) fn looks_at(&self, names: &[Name]) -> bool {
        self.formula.looks_at(names)
    }

    pub(super) fn wants_signals(&self) -> bool {
        self.looks_at(&SIGNALS)
    }

    /// The texts of its summands.
    pub(super) fn summands(&mut self) -> impl Iterator<Item = &Rc<str>> {
        if !self.room.is_ready {
            let ends = self.formula.summands().into_iter();
            self.room.summands = ends.map(|end| (end.clone(), Rc::from(end.text))).collect();
            self.room.is_ready = true;
        }
        self.room.summands.iter().map(|(_, text)| text)
    }

    /// Scores every candidate; returns how many results were not finite.
    pub(super) fn score(
        &mut self,
        request: &RequestView<'_>,
        fleet: &Fleet<'_>,
        facts: &Facts,
        out: Out<'_>,
    ) -> u64 {
        let n = fleet.replicas.len();
        let Room { summands, columns, .. } = &mut self.room;
        columns.resize(n * self.formula.most_values(), 0.0);
        let mut shown = summands.iter().zip(out.summands).peekable();
        let mut depth = 0;
        for (i, op) in self.formula.ops().iter().enumerate() {
            depth -= op.takes();
            // The columns of its arguments; the first one becomes its result.
            let (result, others) = columns[depth * n..].split_at_mut(n);
            match *op {
                Op::Number(x) => result.fill(x),
                Op::Trigger(_) => unreachable!("INV-6: scorers are written with signals"),
                Op::Name(name) => load(name, request, fleet, facts, result),
                Op::Over(all, name) => {
                    load(name, request, fleet, facts, result);
                    result.fill(over(all, result));
                }
                Op::Negate => each(result, |a| -a),
                Op::Not => each(result, |a| 1.0 - a),
                Op::Binary(op) => binary(op, result, &others[..n]),
                Op::Choose => choose(result, &others[..n], &others[n..2 * n]),
                Op::Call(function, values) => call(function, result, &others[..n * (values as usize - 1)]),
            }
            depth += 1;
            if let Some(((end, _), summand)) = shown.next_if(|((end, _), _)| end.op == i) {
                let sign = if end.negative { -1.0 } else { 1.0 };
                summand.values.clear();
                summand.values.extend(result.iter().map(|x| x * sign));
            }
        }
        let mut not_finite = 0;
        for (score, &x) in out.values.iter_mut().zip(columns.iter()) {
            not_finite += u64::from(!x.is_finite());
            *score = if x.is_finite() { x } else { 0.0 };
        }
        not_finite
    }
}

/// A signal of every candidate.
fn load(name: Name, request: &RequestView<'_>, fleet: &Fleet<'_>, facts: &Facts, out: &mut [f64]) {
    let views = fleet.replicas;
    let mut of = |f: &dyn Fn(&ReplicaView) -> f64| {
        for (x, view) in out.iter_mut().zip(views) {
            *x = f(view);
        }
    };
    let signals = |view: &ReplicaView| -> &Signals { &fleet.signals[view.id.index()] };
    match name {
        Name::Waiting => of(&|v| f64::from(v.waiting)),
        Name::Running => of(&|v| f64::from(v.running)),
        Name::InFlight => of(&|v| f64::from(v.in_flight)),
        Name::Load => of(&|v| f64::from(v.load())),
        Name::KvUse => of(&ReplicaView::kv_use),
        Name::KvFree => of(&|v| 1.0 - v.kv_use()),
        Name::Cached => out.copy_from_slice(&facts.cached),
        Name::Prefix => out.copy_from_slice(&facts.prefix),
        Name::UncachedTokens => {
            for (position, x) in out.iter_mut().enumerate() {
                *x = uncached_tokens(request, fleet.pool_of(position).block_tokens, facts.cached[position]);
            }
        }
        Name::TokensInFlight => of(&|v| signals(v).tokens_in_flight as f64),
        Name::WaitingTokens => of(&|v| signals(v).waiting_tokens as f64),
        Name::HitRate => of(&|v| signals(v).hit_rate),
        Name::UsdPerHour => of(&|v| fleet.pools[v.pool as usize].usd_per_hour),
        Name::IdleS => of(&|v| idle_us(request, v, signals(v)) / 1e6),
        Name::WaitS => of(&|v| wait_s(&fleet.pools[v.pool as usize], v, signals(v))),
        Name::TokensPerS => of(&|v| tokens_per_s(v, signals(v))),
        Name::Served => of(&|v| signals(v).served as f64),
        Name::RecentTtftMs => of(&|v| milliseconds(signals(v).ttft_us)),
        Name::RecentTpotMs => of(&|v| milliseconds(signals(v).tpot_us)),
        Name::Priority => of(&|v| (fleet.priority)(v.id) as f64),
        Name::TenantInFlight => out.fill(f64::from(request.tenant_in_flight)),
        Name::SessionHere => of(&|v| truth(facts.home == Some(v.id))),
        Name::PromptTokens => out.fill(f64::from(request.prompt_tokens)),
        Name::Replicas => out.fill(views.len() as f64),
        Name::Class => out.fill(f64::from(request.class)),
        Name::NowS => out.fill(request.now.0 as f64 / 1e6),
    }
}

/// Time until the replica would begin with a further prompt, as seen: a place in its batch, and the waiting prompts.
fn wait_s(pool: &PoolView, view: &ReplicaView, signals: &Signals) -> f64 {
    pool.wait_us(view, signals) / 1e6 + signals.waiting_tokens as f64 / pool.peak_prefill_tokens_per_s
}

/// Output tokens per second, as seen: the batch over the recent time per token.
fn tokens_per_s(view: &ReplicaView, signals: &Signals) -> f64 {
    signals.tpot_us.filter(|us| *us > 0).map_or(0.0, |us| f64::from(view.running) * 1e6 / us as f64)
}

fn milliseconds(us: Option<u64>) -> f64 {
    us.map_or(0.0, |us| us as f64 / 1000.0)
}

/// Tokens of the prompt without the cached share of its full blocks.
fn uncached_tokens(request: &RequestView<'_>, block_tokens: u32, cached: f64) -> f64 {
    let blocks = math::floor(cached * f64::from(request.full_blocks(block_tokens)) + 0.5);
    f64::from(request.prompt_tokens) - blocks * f64::from(block_tokens)
}

#[expect(clippy::float_cmp, reason = "an expression with == compares exactly")]
fn equal(a: f64, b: f64) -> bool {
    a == b
}

fn truth(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// One number over all candidates; there is at least one.
fn over(all: Aggregate, values: &[f64]) -> f64 {
    match all {
        Aggregate::Min => values.iter().copied().fold(f64::INFINITY, smaller),
        Aggregate::Max => values.iter().copied().fold(f64::NEG_INFINITY, larger),
        Aggregate::Mean => {
            let mut sum = 0.0;
            for x in values {
                sum += x;
            }
            sum / values.len() as f64
        }
    }
}

/// The smaller value, equal on every machine; `f64::min` is not for zeros of different signs.
fn smaller(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

fn each(a: &mut [f64], f: impl Fn(f64) -> f64) {
    for a in a {
        *a = f(*a);
    }
}

fn pairs(a: &mut [f64], b: &[f64], f: impl Fn(f64, f64) -> f64) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = f(*a, *b);
    }
}

fn binary(op: Binary, a: &mut [f64], b: &[f64]) {
    match op {
        Binary::Add => pairs(a, b, |a, b| a + b),
        Binary::Subtract => pairs(a, b, |a, b| a - b),
        Binary::Multiply | Binary::And => pairs(a, b, |a, b| a * b),
        Binary::Divide => pairs(a, b, |a, b| a / b),
        Binary::Remainder => pairs(a, b, math::remainder),
        Binary::Less => pairs(a, b, |a, b| truth(a < b)),
        Binary::AtMost => pairs(a, b, |a, b| truth(a <= b)),
        Binary::More => pairs(a, b, |a, b| truth(a > b)),
        Binary::AtLeast => pairs(a, b, |a, b| truth(a >= b)),
        Binary::Equal => pairs(a, b, |a, b| truth(equal(a, b))),
        Binary::Unequal => pairs(a, b, |a, b| truth(!equal(a, b))),
        Binary::Or => pairs(a, b, larger),
        Binary::Else => pairs(a, b, |a, b| if a.is_nan() { b } else { a }),
    }
}

fn choose(condition: &mut [f64], yes: &[f64], no: &[f64]) {
    for (condition, (yes, no)) in condition.iter_mut().zip(yes.iter().zip(no)) {
        *condition = if *condition > 0.5 { *yes } else { *no };
    }
}

/// Applies a function to the column `a` and those in `others`, which have the same length.
fn call(function: Function, a: &mut [f64], others: &[f64]) {
    let n = a.len();
    match function {
        Function::Min => others.chunks_exact(n).for_each(|b| pairs(a, b, smaller)),
        Function::Max => others.chunks_exact(n).for_each(|b| pairs(a, b, larger)),
        Function::Clamp => {
            pairs(a, &others[..n], larger);
            pairs(a, &others[n..], smaller);
        }
        Function::Abs => each(a, f64::abs),
        Function::Sqrt => each(a, math::sqrt),
        Function::Exp => each(a, math::exp),
        Function::Ln => each(a, math::ln),
        Function::Pow => pairs(a, others, math::pow),
        Function::Floor => each(a, math::floor),
    }
}
