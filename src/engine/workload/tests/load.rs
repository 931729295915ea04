//! Tests of rates that change over time.

use super::{client, moments, poisson, scenario, take};
use crate::workload::{RequestSpec, Source};
use base::{Curve, Micros};
use document::{Arrivals, Client, RatePoint, RateProfile, Window};

fn with(mut client: Client, rate_profile: RateProfile) -> Client {
    client.rate_profile = rate_profile;
    client
}

fn constant(rate_per_s: f64, profile: RateProfile) -> Client {
    with(client("a", Arrivals::Constant { rate_per_s }), profile)
}

fn points(all: &[(f64, f64)]) -> Vec<RatePoint> {
    all.iter().map(|&(at_s, factor)| RatePoint { at_s, factor }).collect()
}

fn windows(all: &[(f64, f64)]) -> RateProfile {
    RateProfile::Windows { windows: all.iter().map(|&(start_s, end_s)| Window { start_s, end_s }).collect() }
}

fn arrivals_s(c: Client, n: usize) -> Vec<f64> {
    take(&scenario(vec![c]), n).iter().map(|r| r.arrival.as_secs()).collect()
}

/// Profiles of every kind, all with a day of 100 seconds or a period.
fn profiles() -> Vec<RateProfile> {
    vec![
        RateProfile::Spike { start_s: 40.0, duration_s: 30.0, factor: 5.0 },
        RateProfile::Drain { start_s: 60.0, duration_s: 140.0 },
        RateProfile::Diurnal { peak_hour: 14, peak_to_trough: 8.0, day_s: 100.0 },
        RateProfile::Steps { points: points(&[(0.0, 0.5), (30.0, 2.0), (60.0, 0.0)]), repeat_s: 80.0 },
        RateProfile::Ramps {
            points: points(&[(0.0, 0.0), (50.0, 3.0), (50.0, 1.0), (90.0, 0.2)]),
            repeat_s: 0.0,
        },
        windows(&[(10.0, 20.0), (55.5, 130.25)]),
    ]
}

/// The integral of the factor between two instants, in seconds.
fn area_s(curve: &Curve, from: Micros, to: Micros) -> f64 {
    (curve.area(to) - curve.area(from)) / 1e6
}

#[test]
fn arrivals_follow_the_integral_of_the_rate() {
    for profile in profiles() {
        let curve = profile.curve().unwrap();
        let all = take(&scenario(vec![with(poisson("a", 200.0), profile.clone())]), 60_000);
        // Counted in pieces of ten seconds: Poisson counts, five standard deviations.
        for k in 0..20_u64 {
            let (from, to) = (Micros(k * 10_000_000), Micros((k + 1) * 10_000_000));
            let n = all.iter().filter(|r| (from..to).contains(&r.arrival)).count() as f64;
            let mean = 200.0 * area_s(&curve, from, to);
            if all.last().unwrap().arrival >= to || curve.total().is_some() {
                assert!(
                    (n - mean).abs() <= 5.0 * mean.sqrt() + 1e-9,
                    "{profile:?}, piece {k}: {n} for {mean}"
                );
            }
        }
        // On the clock that runs with the rate the gaps are exponential again.
        let gaps: Vec<f64> =
            all.windows(2).map(|w| area_s(&curve, w[0].arrival, w[1].arrival) * 200.0).collect();
        let (mean, cv) = moments(&gaps);
        let error = 1.0 / (gaps.len() as f64).sqrt();
        assert!(
            (mean - 1.0).abs() <= 4.0 * error && (cv - 1.0).abs() <= 6.0 * error,
            "{profile:?}: {mean}, {cv}"
        );
    }
}

#[test]
fn every_shape_of_gaps_keeps_its_variation_under_a_changing_rate() {
    let profile = RateProfile::Diurnal { peak_hour: 3, peak_to_trough: 5.0, day_s: 50.0 };
    let curve = profile.curve().unwrap();
    let (rate_per_s, cv) = (100.0, 2.5);
    for arrivals in [Arrivals::Gamma { rate_per_s, cv }, Arrivals::Weibull { rate_per_s, cv }] {
        let all = take(&scenario(vec![with(client("a", arrivals), profile.clone())]), 40_000);
        let gaps: Vec<f64> =
            all.windows(2).map(|w| area_s(&curve, w[0].arrival, w[1].arrival) * rate_per_s).collect();
        let (mean, found) = moments(&gaps);
        assert!((mean - 1.0).abs() <= 3.0 * cv / 200.0 && (found - cv).abs() <= 0.05 * cv, "{mean}, {found}");
    }
}

#[test]
fn windows_are_open_at_their_end_and_nothing_comes_between_them() {
    let found = arrivals_s(constant(1.0, windows(&[(0.0, 10.0), (20.0, 23.0)])), 100);
    let expected = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 20.0, 21.0, 22.0];
    assert_eq!(found, expected, "the tenth would come at 10.0, which is outside");
    let c = with(poisson("a", 90_000.0), windows(&[(0.001, 0.002), (0.005, 0.006)]));
    let all = arrivals_s(c, 1000);
    assert!(all.len() > 120 && all.iter().all(|t| (0.001..0.002).contains(t) || (0.005..0.006).contains(t)));
    assert!(all.windows(2).all(|w| w[1] >= w[0]));
}

#[test]
fn a_spike_is_so_many_times_denser_and_a_drain_ends() {
    let found =
        arrivals_s(constant(1.0, RateProfile::Spike { start_s: 2.0, duration_s: 1.0, factor: 4.0 }), 8);
    assert_eq!(found, [1.0, 2.0, 2.25, 2.5, 2.75, 3.0, 4.0, 5.0]);
    // Falling from 0.9 to 0 in ten seconds sends half of nine; the k-th comes when 1 - (1 - t/10)² = k/4.5.
    let found = arrivals_s(constant(0.9, RateProfile::Drain { start_s: 0.0, duration_s: 10.0 }), 100);
    assert_eq!(found.len(), 4, "{found:?}");
    for (k, t) in (1..).zip(found) {
        let at = 10.0 * (1.0 - (1.0 - f64::from(k) / 4.5_f64).sqrt());
        assert!((t - at).abs() < 1e-5, "{t} instead of {at}");
    }
    assert_eq!(
        arrivals_s(constant(1.0, RateProfile::Drain { start_s: 2.5, duration_s: 0.0 }), 9),
        [1.0, 2.0]
    );
}

#[test]
fn a_day_has_its_24_factors() {
    let (peak_hour, peak_to_trough, day_s) = (9, 4.0, 2400.0);
    let curve = RateProfile::Diurnal { peak_hour, peak_to_trough, day_s }.curve().unwrap();
    let hour = |day: u64, h: u64| {
        let from = (24 * day + h) * 100_000_000;
        area_s(&curve, Micros(from), Micros(from + 100_000_000)) / 100.0
    };
    for (h, factor) in [(9, 1.0), (21, 0.25), (3, 0.625), (15, 0.625)] {
        assert!((hour(0, h) - factor).abs() < 1e-9 && (hour(5, h) - factor).abs() < 1e-9, "hour {h}");
    }
    // Cosines cancel over a day: the mean factor is (1 + 1/R) / 2.
    let mean = (0..24).map(|h| hour(2, h)).sum::<f64>() / 24.0;
    assert!((mean - 0.625).abs() < 1e-9, "{mean}");
    assert!((0..24).all(|h| hour(0, h) <= 1.0 + 1e-9 && hour(0, h) >= 0.25 - 1e-9));
}

#[test]
fn a_profile_moves_arrivals_and_nothing_else() {
    let plain = take(&scenario(vec![poisson("a", 20.0), poisson("b", 3.0)]), 3000);
    for profile in profiles() {
        let curve = profile.curve().unwrap();
        let changed = take(&scenario(vec![with(poisson("a", 20.0), profile), poisson("b", 3.0)]), 3000);
        let of = |all: &[RequestSpec], client| -> Vec<RequestSpec> {
            all.iter().filter(|r| r.client == client).cloned().collect()
        };
        for (i, (x, y)) in of(&plain, 0).iter().zip(&of(&changed, 0)).enumerate() {
            assert_eq!((&x.prompt, x.output), (&y.prompt, y.output));
            let off = (curve.area(y.arrival) - x.arrival.0 as f64).abs();
            assert!(off <= 10.0 * (i as f64 + 1.0), "request {i} is {off} us of its time away");
        }
        for (x, y) in of(&plain, 1).iter().zip(&of(&changed, 1)) {
            assert_eq!((x.arrival, &x.prompt, x.output), (y.arrival, &y.prompt, y.output));
        }
    }
    // A constant factor of 1 equals no profile, except for the rounding of instants.
    let ones = RateProfile::Steps { points: points(&[(0.0, 1.0), (7.0, 1.0)]), repeat_s: 0.0 };
    let same = take(&scenario(vec![with(poisson("a", 20.0), ones), poisson("b", 3.0)]), 3000);
    assert!(plain.iter().zip(&same).all(|(x, y)| x.arrival.0.abs_diff(y.arrival.0) <= 1));
}

#[test]
fn a_new_rate_keeps_the_profile_and_the_share_of_the_gap_that_is_left() {
    let next = |c: Client, edits: &[(u64, f64)]| {
        let mut source = Source::new(&scenario(vec![c]), None);
        for &(now, rate_per_s) in edits {
            while source.peek().is_some_and(|at| at.0 < now) {
                source.take();
            }
            source.set_rate(0, rate_per_s, Micros(now));
        }
        source.peek().map(|at| at.0)
    };
    // Gaps of 2.5 s in the first window. 1.5 s before the end of one the rate doubles: 0.75 s are left.
    let twice = || windows(&[(0.0, 10.0), (20.0, 30.0)]);
    assert_eq!(next(constant(0.4, twice()), &[(6_000_000, 0.8)]), Some(6_750_000));
    // Between the windows nothing passes: the gap goes on at the new rate in the second one.
    let c = constant(0.3, windows(&[(0.0, 9.0), (20.0, 30.0)]));
    let left = (1.0 - 0.3 * (9.0 - 2.0 / 0.3)) / 0.6;
    let found = next(c, &[(15_000_000, 0.6)]).unwrap();
    assert!((found as f64 - 20e6 - left * 1e6).abs() <= 2.0, "{found}");
    // An arrival that would never come at the old rate comes at the new one, if that is in time.
    let stop = || RateProfile::Drain { start_s: 9.0, duration_s: 0.0 };
    assert_eq!(next(constant(0.4, stop()), &[(8_000_000, 4.0)]), Some(8_200_000));
    assert_eq!(next(constant(0.4, stop()), &[(8_000_000, 0.0), (8_500_000, 4.0)]), Some(8_700_000));
    assert_eq!(next(constant(0.4, stop()), &[(12_000_000, 400.0)]), None);
}

#[test]
fn a_snapshot_midway_through_a_profile_continues_as_the_straight_run() {
    for profile in profiles() {
        let mut straight = Source::new(&scenario(vec![with(poisson("a", 5.0), profile)]), None);
        for _ in 0..150 {
            straight.take();
        }
        let bytes = postcard::to_stdvec(&straight).unwrap();
        let mut copy: Source = postcard::from_bytes(&bytes).unwrap();
        for k in 0..200 {
            assert_eq!(copy.take(), straight.take());
            if k == 100 {
                copy.set_rate(0, 7.0, copy.peek().unwrap_or(Micros(900_000_000)));
                straight.set_rate(0, 7.0, straight.peek().unwrap_or(Micros(900_000_000)));
            }
        }
    }
}
