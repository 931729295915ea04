//! The extended Kalman filter: nearly constant coefficients, observed through the formula for TTFT and ITL.
//!
//! Noise of the state is a twentieth of each coefficient a cycle, noise of a measurement such that 95 % lie within a
//! twentieth. The published update of the covariance is not symmetric to the last digit; the corrected mode uses
//! Joseph's form, which is.

use super::super::chain::{Chain, QueueLength};
use super::super::closed_form::ClosedForm;
use super::super::matrix::{Matrix, diagonal, inverse, product, sum, transposed, unit_less};
use super::super::objectives::Pod;
use super::super::{Mode, NIS_GATE, Params, RequestSize};

/// Standard deviation of a coefficient from one cycle to the next, as a share of it.
const DRIFT: f64 = 0.05;
/// Standard deviation of a measurement, as a share of it: 95 % within 5 %.
const NOISE: f64 = 0.05 / 1.96;
/// Step of the published numerical Jacobian, as a share of the coefficient.
const DIFFERENCE: f64 = 0.01;
/// Bounds, as multiples of the anchor coefficients.
const BOUNDS: [f64; 2] = [0.01, 100.0];

/// An update with all its intermediate values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    /// Whether it was accepted.
    pub accepted: bool,
    /// Squared innovation relative to its expected spread; -1 if a coefficient was not above 0.
    pub nis: f64,
    /// Measured minus expected TTFT and ITL, in milliseconds.
    pub innovation: [f64; 2],
    /// Expected TTFT and ITL.
    pub expected: [f64; 2],
    /// Derivatives of both by the coefficients.
    pub jacobian: [[f64; 3]; 2],
    /// Expected covariance of the innovation.
    pub spread: [[f64; 2]; 2],
    /// Coefficients afterwards.
    pub state: [f64; 3],
    /// Their covariance.
    pub covariance: Matrix,
}

/// Whether large innovations are rejected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    Open,
    Closed,
}

/// The filter of one variant in one cycle.
pub(super) struct Filter {
    mode: Mode,
    pub(super) state: [f64; 3],
    pub(super) covariance: Matrix,
    drift: [f64; 3],
    noise: [f64; 2],
    low: [f64; 3],
    high: [f64; 3],
}

impl Filter {
    /// Starts from known coefficients; bounds are relative to `anchor`.
    pub(super) fn new(mode: Mode, params: Params, covariance: Option<Matrix>, anchor: Params) -> Self {
        let state = params.to_array();
        let drift = state.map(|x| (DRIFT * x) * (DRIFT * x));
        let [low, high] = BOUNDS.map(|share| anchor.to_array().map(|x| share * x));
        let covariance = covariance.unwrap_or_else(|| diagonal(drift));
        let mut filter = Self { mode, state, covariance, drift, noise: [0.0; 2], low, high };
        filter.clamp();
        filter
    }

    /// Variances of the change of the coefficients since the cycle before.
    pub(super) fn drift(&self) -> [f64; 3] {
        self.drift
    }

    /// Variances of the measurements, from those of one pod.
    pub(super) fn set_noise(&mut self, measured: [f64; 2]) {
        self.noise = measured.map(|z| NOISE * NOISE * z * z);
    }

    /// Whether the formula has an answer for this pod.
    pub(super) fn is_defined(&self, observation: &Observation) -> bool {
        self.expect(self.state, observation).is_some()
    }

    fn clamp(&mut self) {
        for (k, x) in self.state.iter_mut().enumerate() {
            *x = x.max(self.low[k]).min(self.high[k]);
        }
    }

    /// TTFT and ITL by these coefficients.
    fn expect(&self, state: [f64; 3], seen: &Observation) -> Option<[f64; 2]> {
        let (params, size) = (Params::from_array(state), size(seen));
        let rate = seen.pod.rate_per_s;
        match self.mode {
            Mode::Corrected => {
                let s = ClosedForm::new(params, size).ok()?.at(rate).ok()?;
                Some([s.ttft_ms, s.itl_ms])
            }
            Mode::AsCoded => {
                let chain = Chain::new(params, size, seen.max_batch, QueueLength::TenBatches).ok()?;
                let a = chain.analyze(rate).ok()?;
                Some([a.ttft_filter_ms, a.itl_ms])
            }
        }
    }

    fn jacobian(&self, seen: &Observation) -> Option<[[f64; 3]; 2]> {
        match self.mode {
            Mode::Corrected => {
                let server = ClosedForm::new(Params::from_array(self.state), size(seen)).ok()?;
                server.jacobian(seen.pod.rate_per_s).ok()
            }
            Mode::AsCoded => self.differences(seen),
        }
    }

    /// The Jacobian by central differences, as published.
    fn differences(&self, seen: &Observation) -> Option<[[f64; 3]; 2]> {
        let mut out = [[0.0; 3]; 2];
        for j in 0..3 {
            let share = DIFFERENCE * self.state[j].abs();
            let step = if share > 0.0 { share } else { DIFFERENCE };
            let (mut up, mut down) = (self.state, self.state);
            up[j] += step;
            down[j] -= step;
            let (up, down) = (self.expect(up, seen)?, self.expect(down, seen)?);
            for k in 0..2 {
                out[k][j] = (up[k] - down[k]) / (2.0 * step);
            }
        }
        Some(out)
    }

    /// Predicts and updates once, or rejects the update; `None` if the formula has no answer. An open gate accepts
    /// every update.
    pub(super) fn cycle(&mut self, seen: &Observation, gate: Gate) -> Option<Update> {
        let before = (self.state, self.covariance);
        // Prediction: the coefficients stay, and their uncertainty grows.
        self.clamp();
        self.covariance = sum(self.covariance, &diagonal(self.drift));
        let Some(update) = self.update(seen, gate) else {
            (self.state, self.covariance) = before;
            return None;
        };
        if !update.accepted {
            (self.state, self.covariance) = before;
        }
        Some(Update { state: self.state, covariance: self.covariance, ..update })
    }

    fn update(&mut self, seen: &Observation, gate: Gate) -> Option<Update> {
        let expected = self.expect(self.state, seen)?;
        let jacobian = self.jacobian(seen)?;
        let measured = seen.measured();
        let innovation = [measured[0] - expected[0], measured[1] - expected[1]];
        let mut spread = product(&product(&jacobian, &self.covariance), &transposed(&jacobian));
        spread[0][0] += self.noise[0];
        spread[1][1] += self.noise[1];
        let inverted = inverse(spread)?;
        let gain = product(&product(&self.covariance, &transposed(&jacobian)), &inverted);
        for (x, row) in self.state.iter_mut().zip(&gain) {
            *x += row[0] * innovation[0] + row[1] * innovation[1];
        }
        self.clamp();
        let kept = unit_less(&product(&gain, &jacobian));
        self.covariance = match self.mode {
            Mode::AsCoded => product(&kept, &self.covariance),
            Mode::Corrected => self.joseph(&kept, &gain),
        };
        let [a, b] = innovation;
        let squared =
            a * (inverted[0][0] * a + inverted[0][1] * b) + b * (inverted[1][0] * a + inverted[1][1] * b);
        let positive = Params::from_array(self.state).are_positive();
        let nis = if positive { squared } else { -1.0 };
        let accepted = positive && squared.is_finite() && (gate == Gate::Open || squared < NIS_GATE);
        let (state, covariance) = (self.state, self.covariance);
        Some(Update { accepted, nis, innovation, expected, jacobian, spread, state, covariance })
    }

    /// (I - K H) P (I - K H)' + K R K': symmetric and positive for every gain.
    fn joseph(&self, kept: &Matrix, gain: &[[f64; 2]; 3]) -> Matrix {
        let first = product(&product(kept, &self.covariance), &transposed(kept));
        let noise = [[self.noise[0], 0.0], [0.0, self.noise[1]]];
        let mut out = sum(first, &product(&product(gain, &noise), &transposed(gain)));
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let mean = f64::midpoint(out[i][j], out[j][i]);
            out[i][j] = mean;
            out[j][i] = mean;
        }
        out
    }
}

fn size(seen: &Observation) -> RequestSize {
    RequestSize { input_tokens: seen.pod.input_tokens, output_tokens: seen.pod.output_tokens }
}

/// An observation for the filter: a pod and its batch limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// The pod.
    pub pod: Pod,
    /// Most requests in its batch.
    pub max_batch: u32,
}

impl Observation {
    pub(super) fn is_usable(&self) -> bool {
        let p = &self.pod;
        let all = [p.rate_per_s, p.input_tokens, p.output_tokens, p.ttft_ms, p.itl_ms];
        self.max_batch > 0 && all.iter().all(|x| x.is_finite() && *x > 0.0)
    }

    pub(super) fn measured(&self) -> [f64; 2] {
        [self.pod.ttft_ms, self.pod.itl_ms]
    }
}
