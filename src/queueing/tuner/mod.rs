//! The tuner learns alpha, beta and gamma of each variant from the measurements of its pods. It has a store of learnt
//! coefficients, an initial guess, and an extended Kalman filter that runs on every pod of a cycle in turn.
//!
//! As coded, after a wrong guess the gate rejects all updates, and a pod with more load than the guess can carry gets
//! no filter. The corrected mode makes a guess consistent with its own formula, accepts the first updates, widens its
//! uncertainty after successive rejections, starts again after more of them, and reports "saturated" where it has no
//! answer.

mod filter;
mod guess;

pub use filter::{Observation, Update};
pub use guess::{GuessFailure, Guessed, consistent_guess, published_guess};

use super::matrix::{Matrix, diagonal, sum};
use super::objectives::Pod;
use super::{DEFAULT_MAX_BATCH, DEFAULT_PARAMS, Mode, NIS_GATE, Params};
use base::SortedMap;
use filter::{Filter, Gate};
use serde::{Deserialize, Serialize};

/// First updates that always pass the gate, in the corrected mode.
const FREE_UPDATES: u32 = 5;
/// Rejections in a row after which the uncertainty grows, in the corrected mode.
const REJECTIONS_IN_A_ROW: u32 = 5;
/// Rejections in a row after which it starts again with a guess, in the corrected mode.
const REJECTIONS_BEFORE_A_GUESS: u32 = 10;
/// Accepted updates after which the coefficients are trusted, in the corrected mode.
const TRUSTED_UPDATES: u32 = 3;
/// Seconds after becoming ready in which a pod is ignored, in the corrected mode.
const GRACE_S: f64 = 120.0;

/// The learnt coefficients of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// The coefficients.
    pub params: Params,
    /// Their covariance; `None` if the user gave them.
    pub covariance: Option<Matrix>,
    /// Squared innovation of the last update, relative to its expected spread.
    pub nis: f64,
    /// Updates accepted so far.
    pub accepted: u32,
    /// Updates rejected since the last accepted one.
    pub rejected_in_a_row: u32,
    /// The coefficients to which the bounds are relative.
    pub anchor: Params,
}

impl Learned {
    /// Coefficients given by the user: they are trusted from the start.
    pub fn given(params: Params) -> Self {
        let (covariance, nis, accepted, rejected_in_a_row) = (None, 0.0, TRUSTED_UPDATES, 0);
        Self { params, covariance, nis, accepted, rejected_in_a_row, anchor: DEFAULT_PARAMS }
    }

    /// Whether the coefficients are trusted for decisions. As coded they always are.
    pub fn is_trusted(&self, mode: Mode) -> bool {
        match mode {
            Mode::AsCoded => self.params.are_positive(),
            Mode::Corrected => {
                let converged = self.accepted >= TRUSTED_UPDATES && self.nis < NIS_GATE;
                self.params.are_positive() && converged
            }
        }
    }
}

/// The learnt coefficients of each variant, by name.
pub type ParameterStore = SortedMap<String, Learned>;

/// The status of a cycle for a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// No pod measured anything.
    NothingMeasured,
    /// Before the first update the formula has no answer: arrivals exceed the capacity by these coefficients.
    NotCreated,
    /// Within an update the formula has no answer. The published program crashes here.
    Undefined,
    /// The last update was accepted.
    Accepted,
    /// The last update was rejected: state and covariance are unchanged.
    Rejected,
    /// The corrected mode's status where the formula has no answer: learning needs more replicas.
    Saturated,
}

impl Status {
    /// Its name in recorded results.
    pub fn name(self) -> &'static str {
        match self {
            Self::NothingMeasured => "nothing_measured",
            Self::NotCreated => "tuner_not_created",
            Self::Undefined => "undefined_h_in_update",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Saturated => "saturated",
        }
    }
}

/// Further results of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// Nothing was known, or too many updates were rejected: it starts with a guess.
    Guessed,
    /// Nothing was known, and no guess was possible: it starts with the defaults.
    GuessFailed,
    /// The uncertainty was widened after too many successive rejections.
    Widened,
}

impl Event {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Guessed => "guessed",
            Self::GuessFailed => "guess_failed",
            Self::Widened => "widened",
        }
    }
}

/// A cycle of a variant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// Status by the last pod.
    pub status: Status,
    /// The last update.
    pub update: Option<Update>,
    /// Event of the cycle, if any.
    pub event: Option<Event>,
    /// Whether the gate was closed for the last update.
    pub gated: bool,
    /// Numbers of accepted and rejected updates.
    pub updates: [u32; 2],
}

impl Tuning {
    fn without_update(status: Status, event: Option<Event>) -> Self {
        Self { status, update: None, event, gated: false, updates: [0; 2] }
    }
}

/// One cycle: predicts and updates once for each pod that was sent requests, in order, and keeps the result in `store`.
pub fn tune(mode: Mode, store: &mut ParameterStore, variant: &str, max_batch: u32, pods: &[Pod]) -> Tuning {
    let max_batch = if max_batch == 0 { DEFAULT_MAX_BATCH } else { max_batch };
    let settled = |pod: &Pod| mode == Mode::AsCoded || pod.ready_s >= GRACE_S;
    let seen: Vec<Observation> = pods
        .iter()
        .filter(|pod| settled(pod))
        .map(|pod| Observation { pod: *pod, max_batch })
        .filter(Observation::is_usable)
        .collect();
    let Some(first) = seen.first() else { return Tuning::without_update(Status::NothingMeasured, None) };
    let (mut learned, mut event) = match store.get(variant) {
        Some(known) if mode == Mode::Corrected && known.rejected_in_a_row >= REJECTIONS_BEFORE_A_GUESS => {
            let (anew, event) = begin(mode, first);
            if event == Some(Event::Guessed) { (anew, event) } else { (*known, None) }
        }
        Some(known) => (*known, None),
        None => begin(mode, first),
    };
    // As coded, bounds are those of the guess in the first cycle only.
    let anchor = match (mode, event) {
        (Mode::AsCoded, None) => DEFAULT_PARAMS,
        (Mode::AsCoded | Mode::Corrected, _) => learned.anchor,
    };
    let mut filter = Filter::new(mode, learned.params, learned.covariance, anchor);
    if !filter.is_defined(first) {
        let status = if mode == Mode::Corrected { Status::Saturated } else { Status::NotCreated };
        return Tuning::without_update(status, event);
    }
    filter.set_noise(first.measured());
    let (mut last, mut gated, mut updates) = (None, false, [0; 2]);
    for observation in &seen {
        let open = mode == Mode::Corrected && learned.accepted < FREE_UPDATES;
        match filter.cycle(observation, if open { Gate::Open } else { Gate::Closed }) {
            None if mode == Mode::AsCoded => return Tuning::without_update(Status::Undefined, event),
            // The load of this pod exceeds the formula; the other pods may still be usable.
            None => {}
            Some(update) => {
                count(mode, &mut learned, &mut filter, &update, &mut event);
                updates[usize::from(!update.accepted)] += 1;
                (last, gated) = (Some(update), !open);
            }
        }
    }
    let Some(update) = last else { return Tuning::without_update(Status::Saturated, event) };
    keep(mode, store, variant, Learned { nis: update.nis, ..learned }, &filter);
    let status = if update.accepted { Status::Accepted } else { Status::Rejected };
    Tuning { status, update: Some(update), event, gated, updates }
}

/// The start of a filter without learnt coefficients.
fn begin(mode: Mode, first: &Observation) -> (Learned, Option<Event>) {
    let p = &first.pod;
    let guessed = match mode {
        // The published program gets measurements in single precision, and makes its guess from them.
        Mode::AsCoded => {
            let narrow = |x: f64| f64::from(x as f32);
            published_guess(narrow(p.ttft_ms), narrow(p.itl_ms), p.input_tokens, p.output_tokens).params()
        }
        Mode::Corrected => consistent_guess(p),
    };
    let params = guessed.unwrap_or(DEFAULT_PARAMS);
    let event = if guessed.is_some() { Event::Guessed } else { Event::GuessFailed };
    (Learned { anchor: params, accepted: 0, ..Learned::given(params) }, Some(event))
}

/// Counts an update, and in the corrected mode widens the uncertainty after too many successive rejections.
fn count(mode: Mode, learned: &mut Learned, filter: &mut Filter, update: &Update, event: &mut Option<Event>) {
    if update.accepted {
        learned.accepted = learned.accepted.saturating_add(1);
        learned.rejected_in_a_row = 0;
        return;
    }
    learned.rejected_in_a_row = learned.rejected_in_a_row.saturating_add(1);
    if mode == Mode::Corrected && learned.rejected_in_a_row >= REJECTIONS_IN_A_ROW {
        filter.covariance = sum(filter.covariance, &diagonal(filter.drift()));
        *event = Some(Event::Widened);
    }
}

/// Stores the result of the filter. The published program stores coefficients in single precision.
fn keep(mode: Mode, store: &mut ParameterStore, variant: &str, learned: Learned, filter: &Filter) {
    let state = match mode {
        Mode::AsCoded => filter.state.map(|x| f64::from(x as f32)),
        Mode::Corrected => filter.state,
    };
    let params = Params::from_array(state);
    store.insert(variant.to_owned(), Learned { params, covariance: Some(filter.covariance), ..learned });
}
