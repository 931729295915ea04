//! Probability distributions over gaps and lengths, drawn from a [`Stream`] with functions of [`math`] only.
//!
//! They are implemented here because `rand_distr` takes its logarithms from `num-traits`, which uses the platform's
//! library if any dependency of the build enables its `std`: native draws would then differ from wasm's. The square
//! root is exact everywhere by the standard, so that it is called directly.

use crate::math;
use crate::rng::Stream;

/// A draw from the exponential distribution, by inversion: one uniform draw each.
pub fn exponential(stream: &mut Stream, mean: f64) -> f64 {
    // 1 - u lies in (0, 1], so the logarithm is finite.
    -math::ln(1.0 - stream.unit()) * mean
}

/// A draw from the normal distribution, by Marsaglia's polar method. The second value of each pair is discarded, so
/// that the stream is the only state.
pub fn normal(stream: &mut Stream, mean: f64, sd: f64) -> f64 {
    // Each try succeeds with probability pi / 4.
    loop {
        let x = 2.0 * stream.unit() - 1.0;
        let y = 2.0 * stream.unit() - 1.0;
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return mean + sd * (x * (-2.0 * math::ln(square) / square).sqrt());
        }
    }
}

/// A draw from the lognormal distribution: `median` times e to a normal draw of standard deviation `sigma`.
pub fn lognormal(stream: &mut Stream, median: f64, sigma: f64) -> f64 {
    median * math::exp(normal(stream, 0.0, sigma))
}

/// A draw from the gamma distribution with this mean and coefficient of variation (shape 1/cv², scale mean·cv²). A cv
/// of 0 is the constant `mean`.
///
/// G. Marsaglia and W. W. Tsang, A simple method for generating gamma variables, ACM TOMS 26(3), 2000; shapes below 1
/// by their boost with a power of a uniform draw.
pub fn gamma(stream: &mut Stream, mean: f64, cv: f64) -> f64 {
    let shape = 1.0 / (cv * cv);
    if !shape.is_finite() {
        return mean;
    }
    let standard = if shape < 1.0 {
        // In (0, 1], so that the power is not 0 by its base.
        let u = 1.0 - stream.unit();
        standard_gamma(stream, shape + 1.0) * math::pow(u, 1.0 / shape)
    } else {
        standard_gamma(stream, shape)
    };
    standard * cv * cv * mean
}

/// A gamma draw of `shape` ≥ 1 and scale 1.
fn standard_gamma(stream: &mut Stream, shape: f64) -> f64 {
    let centre = shape - 1.0 / 3.0;
    let spread = 1.0 / (9.0 * centre).sqrt();
    // Each try succeeds with probability above 0.95.
    loop {
        let x = normal(stream, 0.0, 1.0);
        let root = 1.0 + spread * x;
        if root <= 0.0 {
            continue;
        }
        let v = root * root * root;
        let u = 1.0 - stream.unit();
        let x2 = x * x;
        if u < 1.0 - 0.0331 * x2 * x2 || math::ln(u) < 0.5 * x2 + centre * (1.0 - v + math::ln(v)) {
            return centre * v;
        }
    }
}

/// A draw from the Weibull distribution, by inversion: one uniform draw each.
pub fn weibull(stream: &mut Stream, shape: f64, scale: f64) -> f64 {
    scale * math::pow(-math::ln(1.0 - stream.unit()), 1.0 / shape)
}

/// Shape and scale of the Weibull distribution with mean 1 and this coefficient of variation, 0.02 to 400.
///
/// cv² + 1 = Γ(1 + 2/k) / Γ(1 + 1/k)² falls as the shape k grows; k is found by halving [0.1, 100] sixty times, which is
/// below the spacing of the numbers. The mean is scale · Γ(1 + 1/k).
pub fn weibull_of(cv: f64) -> (f64, f64) {
    let (mut low, mut high) = (0.1, 100.0);
    for _ in 0..60 {
        let shape = f64::midpoint(low, high);
        let once = math::gamma(1.0 + 1.0 / shape);
        if math::gamma(1.0 + 2.0 / shape) / (once * once) > cv * cv + 1.0 {
            low = shape;
        } else {
            high = shape;
        }
    }
    let shape = f64::midpoint(low, high);
    (shape, 1.0 / math::gamma(1.0 + 1.0 / shape))
}

/// A draw from the Pareto distribution, by inversion: never below `min`, and x times `min` is exceeded with probability
/// x^-`tail`. Infinite where that is too large for a number.
pub fn pareto(stream: &mut Stream, min: f64, tail: f64) -> f64 {
    min * math::pow(1.0 - stream.unit(), -1.0 / tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;
    use crate::rng::Purpose;

    const GOLDEN: [&str; 8] = [
        "597f1836cd93fd05",
        "f0ab3fd2263c677f",
        "cc0d7b8b75488316",
        "6131e8ee85f91cea",
        "72086e13460eb98f",
        "872a3523e1f5752f",
        "2734942f0f6f90aa",
        "f124eb6224672b39",
    ];

    /// Digest of the bits of 100,000 draws.
    fn digest(draw: impl Fn(&mut Stream) -> f64) -> String {
        let mut stream = Stream::new(42, Purpose::Arrivals, 0);
        let mut digest = Digest::default();
        for _ in 0..100_000 {
            digest.u64(draw(&mut stream).to_bits());
        }
        digest.hex()
    }

    /// Mean and standard deviation of 200,000 draws.
    fn moments(draw: impl Fn(&mut Stream) -> f64) -> (f64, f64) {
        let mut stream = Stream::new(7, Purpose::Arrivals, 1);
        let n = 200_000.0;
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..200_000 {
            let x = draw(&mut stream);
            assert!(x.is_finite());
            sum += x;
            squares += x * x;
        }
        let mean: f64 = sum / n;
        (mean, (squares / n - mean * mean).sqrt())
    }

    fn near(found: (f64, f64), mean: f64, sd: f64) {
        assert!((found.0 - mean).abs() <= 0.02 * sd.max(1e-9), "{found:?} for mean {mean}");
        assert!((found.1 - sd).abs() <= 0.03 * sd, "{found:?} for sd {sd}");
    }

    #[test]
    fn draws_are_the_golden_ones() {
        let found = [
            digest(|s| exponential(s, 3.0)),
            digest(|s| normal(s, 5.0, 2.0)),
            digest(|s| lognormal(s, 400.0, 0.8)),
            digest(|s| gamma(s, 3.0, 0.5)),
            digest(|s| gamma(s, 3.0, 2.0)),
            digest(|s| weibull(s, weibull_of(0.5).0, 3.0)),
            digest(|s| weibull(s, weibull_of(2.0).0, weibull_of(2.0).1)),
            digest(|s| pareto(s, 30.0, 1.5)),
        ];
        assert_eq!(found, GOLDEN);
    }

    #[test]
    fn means_and_deviations_are_the_requested_ones() {
        near(moments(|s| exponential(s, 3.0)), 3.0, 3.0);
        near(moments(|s| normal(s, 5.0, 2.0)), 5.0, 2.0);
        near(moments(|s| gamma(s, 3.0, 0.5)), 3.0, 1.5);
        near(moments(|s| gamma(s, 3.0, 1.0)), 3.0, 3.0);
        near(moments(|s| gamma(s, 3.0, 2.0)), 3.0, 6.0);
        // Lognormal: mean = median e^(sigma²/2), cv² = e^(sigma²) - 1.
        let (mean, cv) = (400.0 * math::exp(0.125), (math::exp(0.25) - 1.0).sqrt());
        near(moments(|s| lognormal(s, 400.0, 0.5)), mean, mean * cv);
    }

    #[test]
    fn weibull_gaps_have_the_requested_variation() {
        for cv in [0.05, 0.3, 1.0, 2.0] {
            let (shape, scale) = weibull_of(cv);
            near(moments(|s| weibull(s, shape, scale)), 1.0, cv);
        }
        // cv 1 is the exponential distribution; shape 1/2 has cv = sqrt(Γ(5) / Γ(3)² - 1) = sqrt(5).
        assert!((weibull_of(1.0).0 - 1.0).abs() < 1e-12 && (weibull_of(1.0).1 - 1.0).abs() < 1e-12);
        assert!((weibull_of(5.0_f64.sqrt()).0 - 0.5).abs() < 1e-12);
        // The ends of the range are found too, not the ends of the search.
        assert!(weibull_of(0.02).0 < 99.0 && weibull_of(400.0).0 > 0.1005);
    }

    /// The largest distance between the share of 40,000 draws up to x and its expected value.
    fn distance(draw: impl Fn(&mut Stream) -> f64, share_up_to: impl Fn(f64) -> f64) -> f64 {
        let mut stream = Stream::new(3, Purpose::Arrivals, 2);
        let n = 40_000.0;
        let mut draws: Vec<f64> = (0..40_000).map(|_| draw(&mut stream)).collect();
        draws.sort_by(f64::total_cmp);
        (0..).zip(draws).map(|(i, x)| (share_up_to(x) - f64::from(i) / n).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn draws_follow_their_distribution_functions() {
        // Kolmogorov and Smirnov: beyond 1.95 / sqrt(n) with probability 0.001.
        let most = 1.95 / 200.0;
        let (shape, scale) = weibull_of(2.5);
        let up_to = |x: f64| 1.0 - math::exp(-math::pow(x / scale, shape));
        assert!(distance(|s| weibull(s, shape, scale), up_to) < most);
        assert!(distance(|s| exponential(s, 3.0), |x| 1.0 - math::exp(-x / 3.0)) < most);
        let up_to = |x: f64| 1.0 - math::pow(x / 30.0, -1.3);
        assert!(distance(|s| pareto(s, 30.0, 1.3), up_to) < most);
        assert!(distance(|s| pareto(s, 30.0, 1.5), up_to) > most, "another tail is told apart");
    }

    #[test]
    fn extreme_parameters_stay_finite() {
        let mut s = Stream::new(1, Purpose::Arrivals, 2);
        for cv in [0.0, 1e-200, 1e-9, 100.0, 1e6] {
            for _ in 0..1000 {
                let x = gamma(&mut s, 1.0, cv);
                assert!(x.is_finite() && x >= 0.0, "{x} for cv {cv}");
            }
        }
        assert_eq!(gamma(&mut s, 3.0, 0.0).to_bits(), 3.0_f64.to_bits());
    }
}
