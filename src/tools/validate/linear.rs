//! One round of a fit: linearised residuals around a point, and their robust least squares within a box.

use base::math::cos;
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::{DMatrix, DVector, Dyn, Owned};
use std::f64::consts::FRAC_PI_2;

/// Much larger residuals count linearly, not by their square.
const OUTLIER: f64 = 0.05;

/// A residual whose square is the robust loss (pseudo-Huber), and its derivative.
pub(super) fn bend(r: f64) -> (f64, f64) {
    let root = (1.0 + (r / OUTLIER) * (r / OUTLIER)).sqrt();
    let bent = (2.0 * OUTLIER * OUTLIER * (root - 1.0)).sqrt() * if r < 0.0 { -1.0 } else { 1.0 };
    (bent, if bent.abs() < 1e-9 { 1.0 } else { r / (bent * root) })
}

/// Residuals around a point.
pub(super) struct Linear<'a> {
    pub(super) at: &'a DVector<f64>,
    pub(super) residuals: &'a DVector<f64>,
    pub(super) slopes: &'a DMatrix<f64>,
    pub(super) weights: &'a [f64],
    /// Target and strength of the pull.
    pub(super) begun: &'a DVector<f64>,
    pub(super) pull: f64,
    pub(super) bounds: Vec<[f64; 2]>,
}

/// The same in angles, which have no bounds: every value is the middle of its box plus half of its width times a
/// cosine.
#[derive(Clone)]
struct Angles<'a> {
    linear: &'a Linear<'a>,
    middle: DVector<f64>,
    half: DVector<f64>,
    angles: DVector<f64>,
}

/// Where a search begins: angles from the middle of the box.
const STARTS: [f64; 3] = [0.0, 0.6, -0.6];

impl Linear<'_> {
    /// The best point within `reach` of `free` in every coordinate.
    pub(super) fn solve(&self, free: &DVector<f64>, reach: f64) -> DVector<f64> {
        let box_of = |(x, [low, high]): (&f64, &[f64; 2])| [(x - reach).max(*low), (x + reach).min(*high)];
        let boxes: Vec<[f64; 2]> = free.iter().zip(&self.bounds).map(box_of).collect();
        let n = boxes.len();
        let middle = DVector::from_iterator(n, boxes.iter().map(|[a, b]| f64::midpoint(*a, *b)));
        let half = DVector::from_iterator(n, boxes.iter().map(|[a, b]| (b - a) / 2.0));
        let mut best: Option<(f64, DVector<f64>)> = None;
        for from in STARTS {
            let angles = DVector::from_element(n, FRAC_PI_2 + from);
            let problem = Angles { linear: self, middle: middle.clone(), half: half.clone(), angles };
            let (solved, _) = LevenbergMarquardt::new().with_patience(200).minimize(problem);
            let point = solved.point();
            let loss = solved.bent().norm_squared();
            if best.as_ref().is_none_or(|(least, _)| loss < *least) {
                best = Some((loss, point));
            }
        }
        best.map_or_else(|| free.clone(), |(_, point)| point)
    }

    /// Standard deviation of each coefficient, from the spread of the residuals; `None` if they do not determine it.
    pub(super) fn deviations(&self) -> Vec<Option<f64>> {
        let n = self.begun.len();
        let counted = |row: usize| self.weights[row] * bend(self.residuals[row]).1;
        let weighted = DMatrix::from_fn(self.residuals.len(), n, |r, c| self.slopes[(r, c)] * counted(r));
        let freedom = (self.residuals.len() as f64 - n as f64).max(1.0);
        let bent = self.residuals.iter().zip(self.weights).map(|(r, w)| w * bend(*r).0);
        let variance = (bent.map(|r| r * r).sum::<f64>() / freedom).max(self.pull * self.pull);
        let pulled = DMatrix::from_diagonal_element(n, n, self.pull * self.pull);
        let spread = (weighted.transpose() * &weighted + pulled).try_inverse();
        let deviation = |i: usize| spread.as_ref().map(|s| (s[(i, i)] * variance).sqrt());
        (0..n).map(deviation).collect()
    }
}

impl Angles<'_> {
    fn point(&self) -> DVector<f64> {
        &self.middle + self.half.component_mul(&self.angles.map(cos))
    }

    /// Weighted robust residuals, with the pull behind them.
    fn bent(&self) -> DVector<f64> {
        let l = self.linear;
        let point = self.point();
        let lines = l.residuals + l.slopes * (&point - l.at);
        let own = lines.iter().zip(l.weights).map(|(r, w)| w * bend(*r).0);
        let pull = point.iter().zip(l.begun.iter()).map(|(x, b)| (x - b) * l.pull);
        DVector::from_iterator(lines.len() + point.len(), own.chain(pull))
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for Angles<'_> {
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;
    type ParameterStorage = Owned<f64, Dyn>;

    fn set_params(&mut self, angles: &DVector<f64>) {
        self.angles = angles.clone();
    }

    fn params(&self) -> DVector<f64> {
        self.angles.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        Some(self.bent())
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let l = self.linear;
        let (figures, n) = (l.residuals.len(), self.angles.len());
        let lines = l.residuals + l.slopes * (self.point() - l.at);
        // The derivative of a cosine is the cosine a quarter period later.
        let turn = self.half.component_mul(&self.angles.map(|a| cos(a + FRAC_PI_2)));
        Some(DMatrix::from_fn(figures + n, n, |row, i| {
            if row < figures {
                l.weights[row] * bend(lines[row]).1 * l.slopes[(row, i)] * turn[i]
            } else if row - figures == i {
                l.pull * turn[i]
            } else {
                0.0
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_squares_within_the_bounds_are_found_and_an_outlier_does_not_move_them() {
        // y = 2 a + 0 b: b would have to be negative for the last but one.
        let slopes = DMatrix::from_row_slice(5, 2, &[1.0, 0.0, 1.0, 1.0, 2.0, 1.0, 1.0, 2.0, 1.0, 0.0]);
        let truth = DVector::from_vec(vec![2.0, -0.5]);
        let mut residuals = -(&slopes * truth);
        residuals[4] += 3.0;
        let zero = DVector::zeros(2);
        let linear = Linear {
            at: &zero,
            residuals: &residuals,
            slopes: &slopes,
            weights: &[1.0; 5],
            begun: &zero,
            pull: 1e-4,
            bounds: vec![[0.0, 10.0], [0.0, 10.0]],
        };
        let found = linear.solve(&zero, 100.0);
        assert!((found[0] - 1.6).abs() < 0.45 && found[1] < 1e-3, "{found}");
        let near = linear.solve(&zero, 0.5);
        assert!((near[0] - 0.5).abs() < 1e-3, "{near}");
        assert!(linear.deviations().iter().all(|d| d.is_some_and(|d| d > 0.0)));
    }
}
