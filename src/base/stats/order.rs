//! Whether two lists of numbers have the same order: Spearman's and Kendall's coefficients.

use crate::math::sqrt;

/// Ranks from 1; equal values share the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |x: f64| values.iter().filter(|v| v.total_cmp(&x).is_lt()).count() as f64;
    let equal = |x: f64| values.iter().filter(|v| v.total_cmp(&x).is_eq()).count() as f64;
    values.iter().map(|&x| below(x) + f64::midpoint(equal(x), 1.0)).collect()
}

/// Spearman's rank correlation, -1 to 1; `None` if all values of a list are equal, or for fewer than two.
pub fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    assert!(a.len() == b.len(), "pairs of values");
    let (a, b) = (ranks(a), ranks(b));
    let middle = f64::midpoint(a.len() as f64, 1.0);
    let product =
        |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| (x - middle) * (y - middle)).sum() };
    let scale = sqrt(product(&a, &a) * product(&b, &b));
    (scale > 0.0).then(|| product(&a, &b) / scale)
}

/// How many pairs have an order in both lists, and how many of these the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairOrder {
    /// Pairs of different values in the first list.
    pub pairs: u32,
    /// Those that the second list has in the same order.
    pub right: u32,
    /// Those that the second list has in the other order.
    pub wrong: u32,
    /// Pairs of different values in the second list.
    pub of_second: u32,
}

impl PairOrder {
    /// The pairs of two lists.
    pub fn of(a: &[f64], b: &[f64]) -> Self {
        assert!(a.len() == b.len(), "pairs of values");
        let mut found = Self::default();
        for i in 0..a.len() {
            for j in i + 1..a.len() {
                let (x, y) = (a[i].total_cmp(&a[j]), b[i].total_cmp(&b[j]));
                found.pairs += u32::from(x.is_ne());
                found.of_second += u32::from(y.is_ne());
                found.right += u32::from(x.is_ne() && x == y);
                found.wrong += u32::from(x.is_ne() && x == y.reverse());
            }
        }
        found
    }

    /// Kendall's tau-b, -1 to 1; `None` if all values of a list are equal.
    pub fn tau_b(self) -> Option<f64> {
        let scale = sqrt(f64::from(self.pairs) * f64::from(self.of_second));
        (scale > 0.0).then(|| (f64::from(self.right) - f64::from(self.wrong)) / scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(x: Option<f64>, y: f64) -> bool {
        x.is_some_and(|x| (x - y).abs() < 1e-12)
    }

    #[test]
    fn coefficients_are_one_for_the_same_order_and_minus_one_for_the_other() {
        let (up, down) = ([1.0, 2.0, 5.0], [9.0, 3.0, 1.0]);
        assert!(near(spearman(&up, &[10.0, 11.0, 12.0]), 1.0) && near(spearman(&up, &down), -1.0));
        assert!(near(PairOrder::of(&up, &down).tau_b(), -1.0));
        assert_eq!(PairOrder::of(&up, &down), PairOrder { pairs: 3, right: 0, wrong: 3, of_second: 3 });
        assert_eq!((spearman(&up, &[1.0; 3]), PairOrder::of(&up, &[1.0; 3]).tau_b()), (None, None));
        assert_eq!(spearman(&[1.0], &[1.0]), None);
    }

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0]), [2.5, 1.0, 2.5]);
        // 1 - 6 * 2 / (4 * 15), one exchange of neighbours among four; five of six pairs are right.
        let (a, b) = ([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]);
        assert!(near(spearman(&a, &b), 0.8) && near(PairOrder::of(&a, &b).tau_b(), 4.0 / 6.0));
    }
}
