//! Tests of drawn lengths.

use super::{moments, poisson, scenario, take};
use base::math;
use document::{Lengths, WeightedLength, limits};

/// The prompt lengths of 40,000 requests.
fn drawn(lengths: Lengths) -> Vec<f64> {
    let mut client = poisson("a", 8.0);
    client.prompt_tokens = lengths;
    take(&scenario(vec![client]), 40_000).iter().map(|r| f64::from(r.prompt_tokens)).collect()
}

/// Mean and standard deviation agree with those of 40,000 draws within three standard errors of the mean, and 3 %.
fn agree(lengths: Lengths, mean: f64, sd: f64) {
    let name = format!("{lengths:?}");
    let (found, cv) = moments(&drawn(lengths));
    assert!((found - mean).abs() <= 3.0 * sd / 200.0, "{name}: mean {found} for {mean}");
    assert!((cv * found - sd).abs() <= 0.03 * sd, "{name}: sd {} for {sd}", cv * found);
}

#[test]
fn exponential_lengths_have_their_mean_and_as_large_a_deviation() {
    let (min_tokens, max_tokens) = (1, limits::REQUEST_TOKENS);
    agree(Lengths::Exponential { mean_tokens: 700.0, min_tokens, max_tokens }, 700.0, 700.0);
}

#[test]
fn a_mixture_has_the_moments_of_its_parts() {
    let (min_tokens, max_tokens) = (1, limits::REQUEST_TOKENS);
    let (share, min, tail, median, sigma) = (0.3, 2000.0, 6.0, 400.0, 0.5);
    let lengths = Lengths::ParetoLognormal {
        pareto_share: share,
        pareto_min_tokens: min,
        pareto_tail: tail,
        median_tokens: median,
        sigma,
        min_tokens,
        max_tokens,
    };
    // Pareto: E x = a m / (a - 1), E x² = a m² / (a - 2). Lognormal: E x = m e^(s²/2), E x² = m² e^(2 s²).
    let mean = share * tail * min / (tail - 1.0) + (1.0 - share) * median * math::exp(sigma * sigma / 2.0);
    let square = share * tail * min * min / (tail - 2.0)
        + (1.0 - share) * median * median * math::exp(2.0 * sigma * sigma);
    agree(lengths, mean, (square - mean * mean).sqrt());
}

#[test]
fn the_far_tail_of_a_mixture_is_that_of_its_pareto_part() {
    let lengths = Lengths::ParetoLognormal {
        pareto_share: 0.25,
        pareto_min_tokens: 1000.0,
        pareto_tail: 1.0,
        median_tokens: 100.0,
        sigma: 0.5,
        min_tokens: 1,
        max_tokens: 50_000,
    };
    let all = drawn(lengths);
    // A quarter of x^-1 at 5 and 20 times the shortest; lengths beyond the bound are clamped to it: a fiftieth.
    for (beyond, share) in [(5000.0, 0.05), (20_000.0, 0.0125), (49_999.0, 0.005)] {
        let found = all.iter().filter(|&&x| x > beyond).count() as f64;
        let n: f64 = 40_000.0 * share;
        assert!(
            (found - n).abs() <= 3.0 * (n * (1.0 - share)).sqrt(),
            "{found} beyond {beyond}, {n} expected"
        );
    }
    assert!(all.iter().all(|&x| x <= 50_000.0));
}

#[test]
fn measured_lengths_occur_in_proportion_to_their_weights_and_no_others_do() {
    let weights = [(900, 5.0), (20, 0.0), (100, 2.5), (900, 1.5), (7, 1.0)];
    let lengths = weights.map(|(tokens, weight)| WeightedLength { tokens, weight }).to_vec();
    assert_eq!(Lengths::Empirical { lengths: lengths.clone() }.bounds(), (7, 900));
    let all = drawn(Lengths::Empirical { lengths });
    let mut seen = 0.0;
    for (tokens, share) in [(900.0, 0.65), (100.0, 0.25), (7.0, 0.1)] {
        let found = all.iter().filter(|&&x| x.total_cmp(&tokens).is_eq()).count() as f64;
        let n: f64 = 40_000.0 * share;
        assert!((found - n).abs() <= 3.0 * (n * (1.0 - share)).sqrt(), "{found} of {tokens}, {n} expected");
        seen += found;
    }
    assert!((seen - 40_000.0).abs() < 0.5, "a length without weight came out");
}

#[test]
fn uniform_lengths_are_all_equally_likely_and_reach_both_ends() {
    let all = drawn(Lengths::Uniform { min_tokens: 3, max_tokens: 12 });
    for tokens in 3..=12 {
        let found = all.iter().filter(|x| x.total_cmp(&f64::from(tokens)).is_eq()).count() as f64;
        // Three standard errors of a tenth of 40,000 draws.
        assert!((found - 4000.0).abs() <= 180.0, "{found} of {tokens}");
    }
    assert!(all.iter().all(|x| (3.0..=12.0).contains(x)));
    agree(Lengths::Uniform { min_tokens: 1, max_tokens: 1000 }, 500.5, (999_999.0_f64 / 12.0).sqrt());
    assert!(drawn(Lengths::Uniform { min_tokens: 9, max_tokens: 9 }).iter().all(|x| (x - 9.0).abs() < 0.5));
}

#[test]
fn entries_of_a_list_are_equally_likely_and_one_that_stands_twice_comes_twice_as_often() {
    let list = Lengths::List { lengths_tokens: vec![900, 7, 900, 100] };
    assert_eq!(list.bounds(), (7, 900));
    assert!((list.about() - 476.75).abs() < 1e-9);
    let all = drawn(list);
    let of = |tokens: f64| all.iter().filter(|x| x.total_cmp(&tokens).is_eq()).count();
    for (tokens, share) in [(900.0, 0.5), (7.0, 0.25), (100.0, 0.25)] {
        let n: f64 = 40_000.0 * share;
        assert!(
            (of(tokens) as f64 - n).abs() <= 3.0 * (n * (1.0 - share)).sqrt(),
            "{} of {tokens}",
            of(tokens)
        );
    }
    assert_eq!(of(900.0) + of(7.0) + of(100.0), 40_000);
}
