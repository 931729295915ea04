//! A difference of two values, with its interval.

use serde::Serialize;

/// A figure of both, and its difference with a 95 % confidence interval. Over several seeds `a` and `b` are means
/// over the seeds.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// In A; null without values.
    pub a: Option<f64>,
    /// In B.
    pub b: Option<f64>,
    /// B minus A.
    pub diff: Option<f64>,
    /// Lower end of the interval of the difference.
    pub lo: Option<f64>,
    /// Its upper end.
    pub hi: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
}

/// The verdict on a difference.
#[apply(typescript!)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// B is better: the whole interval lies on that side of zero.
    Better,
    /// B is worse.
    Worse,
    /// The interval holds zero: no difference can be shown.
    NoneShown,
    /// There is no interval, because a side has too few values.
    Unknown,
}
